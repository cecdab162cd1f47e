/* -------------------------------------------------------- life (MPI impl) ---
   From MPI_Init to MPI_Finalize. */

static PFC__QUIET void pfc__mutex_start(void)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&pfc__mpi_mutex, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

static PFC__QUIET void pfc__job_start(void)
{
    static pfc__mpi_job_t private_job;
    char library[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "", *tab;
    int n = 0;
    pfc__mpi.job = (pfc__mpi_job_t *)pfc__extent_add(PFC__MPI, sizeof *pfc__mpi.job, 1, PFC__MPI_JOB);
    if (!pfc__mpi.job) pfc__mpi.job = &private_job;
    pfc__mpi_peers = (pfc__mpi_peer_t *)pfc__extent_add(PFC__MPI, sizeof *pfc__mpi_peers, PFC__MPI_PEER_SLOTS, PFC__MPI_PEERS);
    pfc__mpi.job->rank = (pfc__u32)pfc__mpi.rank;
    pfc__mpi.job->size = (pfc__u32)pfc__mpi.size;
    PMPI_Get_library_version(library, &n);
    library[strcspn(library, "\n,")] = 0;
    while ((tab = strchr(library, '\t')) != 0) *tab = ' '; /* MPICH's; reports would show it as what can't be printed */
    snprintf(pfc__mpi.job->library, sizeof pfc__mpi.job->library, "%.*s", PFC__MPI_PLACE - 1, library);
}

/* Spawned processes have ranks of the same numbers. Later worlds of a host have larger names: reports show them in this order. */
static PFC__QUIET void pfc__world_name(void)
{
    pfc__u64 world = (pfc__u64)pfc__clock() ^ (pfc__u64)getpid();
    if (PFC__ONE_PROGRAM) return; /* it spawns nothing */
    pfc__patient_bcast(&world, (int)sizeof world);
    pfc__mpi.job->world = world;
}

static pfc__i64 pfc__init_begun; /* tick */

/* R6 at PMPI_Init, from which none returns before all have come, with what their beginning has cost each of them. There
   are libraries that don't wait so: then everyone keeps its own. `left`: when it returned here. */
static PFC__QUIET void pfc__init_met(pfc__i64 left, pfc__i64 *delta, pfc__i64 *doubt)
{
    struct { pfc__latest_t came; pfc__i64 first_left; } mine, all; /* maxima: the first to leave, negated */
    pfc__moment_t came;
    mine.came = pfc__latest_of(pfc__moment_of(pfc__init_begun, *delta, *doubt));
    mine.first_left = -pfc__common_ns(left);
    PFC__PATIENTLY(Allreduce, Iallreduce, &mine, &all, PFC__LATEST_FIELDS + 1, MPI_INT64_T, MPI_MAX, pfc__mpi.comm);
    if (all.came.ct > -all.first_left) return;
    came = pfc__latest_moment(all.came);
    *delta = pfc__fixed_of(came.ct - came.lt);
    *doubt = pfc__fixed_of(came.u);
}

/* Before the region of MPI_Init, which is in the profile that is settled here. */
static PFC__QUIET void pfc__mpi_prepare(void)
{
    if (PFC__ONE_PROGRAM) return;
    pfc__thread_get(); /* so that the charge has a timer to go to */
    if (pfc__profile_yield() && !pfc__rank_of_launcher())
        pfc__note("this program has a perfcomp.h of its own, which the preloaded perfcomp_mpi.h can't reach: MPI isn't measured; "
                  "link the program with -rdynamic, or include perfcomp_mpi.h in it");
}

/* Before the library begins: it lets all ranks leave their word then, and never again. */
static PFC__QUIET void pfc__launcher_begin(void)
{
    pfc__i64 tick;
    pfc__launcher_join();
    tick = pfc__clock();
    pfc__launcher_told = pfc__launcher_tell();
    pfc__charge_since(tick);
}

static pthread_once_t pfc__launcher_begun = PTHREAD_ONCE_INIT; /* sessions may have, and in several threads */

/* Before PMPI_Init, and inside of its region: what is done of its work here is the library's time, not its caller's. */
static PFC__QUIET void pfc__mpi_announce(void)
{
    if (PFC__ONE_PROGRAM) return; /* there is one, and its clock stands still */
    pthread_once(&pfc__launcher_begun, pfc__launcher_begin);
    pfc__init_begun = pfc__clock();
}

#ifndef PERFCOMP_SMPI
/* Bindings that call the library's inner functions, as MPICH's mpi_f08 does, never come to us. (Nor do calls of a program that has
   this file itself, and us in a library beside it.) */
__attribute__((destructor)) static PFC__QUIET void pfc__unseen_say(void)
{
    int begun = 0;
    pfc__launcher_leave(); /* after sessions alone, nobody else has */
    PMPI_Initialized(&begun);
    if (begun) pfc__launcher_unended();
    if (begun && !pfc__init_begun && !pfc__interposed() && !pfc__rank_of_launcher() && pfc__switch("PERFCOMP", 1))
        pfc__note("MPI was begun by a call that perfcomp_mpi.h can't see (MPICH's mpi_f08 makes such): nothing of it is measured; "
                  "in Fortran, use mpi instead of mpi_f08");
}
#endif

#if PFC__MPI_4
/* A program of the sessions model needn't come to MPI_Init, with which we begin; it still may. */
static PFC__QUIET void pfc__session_announce(void)
{
    static int said;
    int begun = 0;
    pthread_once(&pfc__launcher_begun, pfc__launcher_begin);
    PMPI_Initialized(&begun);
    if (begun || __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED) || !pfc__thread_get() || pfc__rank_of_launcher()) return;
    pfc__note("MPI_Session_init without MPI_Init: MPI isn't measured; to have it measured, call MPI_Init first");
}
#endif

/* MPI_Finalize begins with what the user wants done when MPI_COMM_SELF is freed, where messages may still be received. The first
   that is kept with it is the last that is taken from it: then we have to end. */
#ifndef PERFCOMP_SMPI
static int pfc__mpi_ends(MPI_Comm self, int key, void *value, void *extra);

static PFC__QUIET void pfc__last_of_self(void)
{
    int key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, pfc__mpi_ends, &key, 0);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, 0);
}
#else
static PFC__QUIET void pfc__last_of_self(void) { }
#endif

/* ns. SimGrid lets a question pass time, so that a program that asks on and on gets on: 0.1 ms, if it isn't told otherwise, and a
   longer one each time. We ask, too, more than once at each long message. */
enum { PFC__QUESTION_MOST = 10000 };

static PFC__QUIET void pfc__questions_try(void)
{
    pfc__i64 tick = pfc__clock(), took;
    int there;
    PMPI_Iprobe(MPI_ANY_SOURCE, PFC__POST_TAG, pfc__mpi.comm, &there, MPI_STATUS_IGNORE);
    took = pfc__clock() - tick;
    if (took > PFC__QUESTION_MOST)
        pfc__note_setting("in this simulation an MPI_Iprobe takes %lld ns, those of perfcomp's own as well: times undisturbed will be far "
                          "off; call smpirun with --cfg=smpi/iprobe:1e-7 --cfg=smpi/test:1e-7 --cfg=smpi/grow-injected-times:no", (long long)took);
}

static PFC__QUIET int pfc__largest_tag(void)
{
    int *largest = 0, is_set = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &is_set);
    return is_set && largest ? *largest : INT_MAX;
}

/* Communicators for what ranks tell one another beside the program's messages. */
static PFC__QUIET void pfc__comms_of_our_own(void)
{
    PMPI_Comm_dup(MPI_COMM_WORLD, &pfc__mpi.comm);
    if (PFC__ONE_PROGRAM) return; /* some of SimGrid's algorithms don't work with one rank */
    PMPI_Comm_dup(MPI_COMM_SELF, &pfc__mpi.alone);
    PMPI_Comm_set_errhandler(pfc__mpi.alone, MPI_ERRORS_RETURN);
}

/* Libraries give one handle to all of them: two that a rank is alone in tell. */
static PFC__QUIET void pfc__at_once_learn(void)
{
    MPI_Request one, another;
    pfc__mpi.at_once = MPI_REQUEST_NULL;
    if (PFC__ONE_PROGRAM) return;
    PMPI_Ibarrier(pfc__mpi.alone, &one);
    PMPI_Ibarrier(pfc__mpi.alone, &another);
    if (one == another) pfc__mpi.at_once = one;
    PMPI_Wait(&one, MPI_STATUS_IGNORE);
    PMPI_Wait(&another, MPI_STATUS_IGNORE);
}

static PFC__QUIET void pfc__comm_world_known(void)
{
    pfc__comm_world.ours = 1;
    pfc__comm_world.number = 1;
    pfc__comm_world.rank = pfc__mpi.rank;
    pfc__comm_world.as_world = 1;
    pfc__comm_world.members = pfc__members_of(MPI_COMM_WORLD);
    pfc__comm_world.way = pfc__comm_world_ways;
}

/* After PMPI_Init. All of this is overhead. */
static PFC__QUIET void pfc__mpi_start(int level)
{
    pfc__cost_t *cost = pfc__costs();
    pfc__thread_t *t = PFC__ONE_PROGRAM ? 0 : pfc__self; /* there, nothing has passed before */
    pfc__i64 tick = pfc__clock(), delta = t ? t->delta : 0, doubt = t ? pfc__delta_doubt(t) : 0;
#ifdef PERFCOMP_SMPI
    pfc__virtual_begins();
#endif
    PMPI_Comm_rank(MPI_COMM_WORLD, &pfc__mpi.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &pfc__mpi.size);
    pfc__identity(pfc__mpi.rank, pfc__mpi.size);
    if (!pfc__agreement_end(pfc__mpi.rank, pfc__mpi.size)) { /* messages stay as they are, for all */
        pfc__charge_since(tick);
        return;
    }
    pfc__behind_say();
    pfc__comms_of_our_own();
    pfc__at_once_learn();
    if (PFC__ONE_PROGRAM) pfc__questions_try();
    pfc__mpi.threads = level == MPI_THREAD_MULTIPLE;
    pfc__mpi.tags = pfc__largest_tag();
    pfc__trials_agree();
    pfc__mutex_start();
    pfc__job_start();
    pfc__world_name();
    pfc__order_start();
    pfc__latest_over_make();
    pfc__clock_common();
    pfc__link_calibrate();
    pfc__mpi.call_cost = pfc__round(cost->mpi * (1 << PFC__FRACTION));
    pfc__together_calibrate();
    pfc__hold_start(level);
    pfc__comm_world_known();
    pfc__mpi.job->clock_u = pfc__mpi.clock_u;
    pfc__mpi.job->eager_bytes = pfc__link.eager;
    if (t) pfc__init_met(tick, &delta, &doubt);
    pfc__patient_barrier();
    if (pfc__self) pfc__delta_take(pfc__self, delta, doubt);
    pfc__mpi.met_u = pfc__fixed_ns(doubt);
    pfc__charge_start(tick);
    pfc__mpi.job->begin_tick = pfc__clock();
    pfc__mpi.job->begin_ct = pfc__common_ns(pfc__mpi.job->begin_tick);
    pfc__mpi.least_delay = -pfc__patient_max(-pfc__delay_now()) - pfc__mpi.met_u;
    pfc__merge_agree();
    pfc__last_of_self();
    pfc__mpi.on = 1;
}

/* Requests that the user's program left behind, and that depend on another rank. */
static PFC__QUIET size_t pfc__requests_left(void)
{
    size_t i, left = 0;
    for (i = 0; i <= pfc__requests.buckets; i++) {
        pfc__by_handle_t *e;
        for (e = pfc__handles_chain(&pfc__requests, i); e; e = e->next) {
            const pfc__request_t *r = (pfc__request_t *)(void *)e;
            left += r->active && pfc__request_depends(r);
        }
    }
    return left;
}

/* What the user's program left behind, and what we still hold. */
static PFC__QUIET void pfc__mpi_clear(void)
{
    size_t left = pfc__requests_left();
    if (left)
        pfc__note("rank %d: %llu %s never completed: what %s depended on isn't in the result", pfc__mpi.rank, (unsigned long long)left,
                  left == 1 ? "request was" : "requests were", left == 1 ? "it" : "they");
    pfc__left_alone_sweep(1);
    pfc__out_finish();
    PMPI_Barrier(pfc__mpi.comm); /* what others have told us is here */
    pfc__posts_drain();
    pfc__absences_drain();
    pfc__aparts_drain();
    pfc__hold_end();
    pfc__spans_drop(MPI_DATATYPE_NULL);
}

/* All ranks' calls of MPI_Finalize. */
static PFC__QUIET void pfc__mpi_meet(pfc__call_t *c)
{
    pfc__latest_t latest;
    pfc__transfer_t none = { 0, 0 };
    pfc__call_begin(c);
    pfc__held_release_all();
    if (pfc__bound.on) PFC__TELL(pfc__bound.at->gone, 1);
    pfc__mpi.job->end_ct = c->begin.ct;
    pfc__mpi.job->end_lt = c->begin.lt;
    pfc__mpi.job->end_u = c->begin.u;
    latest = pfc__exchange(PFC__RULE_ALL, 0, pfc__mpi.comm, pfc__latest_here(c->begin));
    pfc__call_end(c);
    pfc__call_depends(c, pfc__latest_moment(latest), none, none);
    pfc__waited_for(c, latest.last);
    c->wait_kind = PFC__WAIT_AT_NXN;
    pfc__clock_end(pfc__mpi.job);
}

static PFC__QUIET void pfc__mpi_leave(void)
{
    pfc__mpi.on = 0;
    pfc__mpi_clear();
    PMPI_Type_free(&pfc__latest_over);
    if (!PFC__ONE_PROGRAM) PMPI_Comm_free(&pfc__mpi.alone);
    PMPI_Comm_free(&pfc__mpi.comm);
}
