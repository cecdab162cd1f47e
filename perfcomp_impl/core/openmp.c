/* -------------------------------------------------------- openmp (impl) ---
   The same for gcc's OpenMP: a parallel region forks and joins the threads of a
   team, which meet at barriers. The compiler calls libgomp by these names
   (GCC, libgomp: The libgomp ABI); perfcomp-cc has the linker wrap them. */

#if defined PFC__THREADS_MEET

#if !defined _OPENMP /* else it keeps libgomp with a program that calls nothing else of it than what is wrapped */
__attribute__((weak))
#endif
extern int pfc__omp_threads(void) __asm__("omp_get_num_threads"); /* else omp.h could not declare it in C++ */
extern __attribute__((weak)) void pfc__libomp(void *, int) __asm__("__kmpc_begin"); /* there with clang's OpenMP only */

typedef struct pfc__team {
    void *reductions;        /* libgomp looks for them here: must be first */
    void (*body)(void *);
    void *data;
    pfc__thread_t *master;
    pfc__i64 delta, doubt;   /* where it was forked */
    pfc__meeting_t barrier;
    pfc__latest_t end;
    pfc__task_t *outer;      /* that the master runs */
    pfc__rest_t rest;        /* of the master: for the others' end */
} pfc__team_t;

PFC__TLS pfc__team_t *pfc__team; /* this thread's, the innermost */
PFC__TLS pfc__rest_t pfc__rest_of_end; /* a master's is its team's: it may be another team's member meanwhile */

static PFC__QUIET void pfc__member_begins(pfc__team_t *team, pfc__thread_t *t, pfc__i64 since)
{
    pfc__thread_goes_on(t, since);
    pfc__rest = 0;
    pfc__task = 0;
    if (t == team->master) pfc__charge_until_now(t, since);
    else pfc__thread_begins(t, since, team->delta, team->doubt, t->tick_begin >= since);
}

static PFC__QUIET void pfc__member_ends(pfc__team_t *team, pfc__thread_t *t)
{
    pfc__i64 tick = pfc__hits_charge_due(pfc__clock());
    pfc__moment_t end;
    pfc__task_forgotten();
    pfc__waits_enter();
    end = pfc__thread_moment(t, pfc__charge_until_now(t, tick));
    team->end = pfc__latest_merge(team->end, pfc__latest_of(end));
    pfc__waits_leave();
    pfc__rest_begins(t == team->master ? &team->rest : &pfc__rest_of_end, end, &team->end);
    pfc__thread_waits(t); /* for the others of its team, or for the next one */
}

static void pfc__member_run(void *its_team)
{
    pfc__i64 since = pfc__clock();
    pfc__team_t *team = (pfc__team_t *)its_team, *outer = pfc__team;
    pfc__thread_t *t = pfc__thread_get();
    if (t) pfc__member_begins(team, t, since);
    pfc__team = team;
    team->body(team->data);
    pfc__team = outer;
    if (t) pfc__member_ends(team, t);
}

static PFC__QUIET void pfc__team_fork(pfc__team_t *team, pfc__visit_t *v, void (*body)(void *), void *data)
{
    memset(team, 0, sizeof *team);
    team->body = body;
    team->data = data;
    team->master = v->thread;
    team->outer = pfc__task;
    pfc__visit_waits(v);
    team->end = pfc__latest_of(v->arrival);
    team->delta = v->thread->delta;
    team->doubt = pfc__delta_doubt(v->thread);
}

static PFC__QUIET void pfc__team_join(pfc__team_t *team, pfc__visit_t *v)
{
    pfc__rest = 0;
    pfc__task = team->outer;
    pfc__visit_goes_on(v);
    pfc__waits_enter(); /* the members have written its end in there */
    pfc__delta_meet(v->thread, pfc__latest_moment(team->end));
    pfc__waits_leave();
    pfc__visit_ends(v);
}

/* The compiler has put a region's body into a function of its own. */
#define PFC__GOMP(name, parameters, arguments) \
    extern __attribute__((weak)) void __real_GOMP_##name parameters; \
    PFC__INSTEAD void __wrap_GOMP_##name parameters \
    { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp parallel", 0, ""); \
        pfc__thread_t *t = pfc__thread_at_leisure(); \
        pfc__visit_t visit; \
        pfc__team_t team; \
        if (t) { \
            visit = pfc__visit_begins(t, &site); \
            pfc__team_fork(&team, &visit, body, data); \
            body = pfc__member_run; \
            data = &team; \
        } \
        __real_GOMP_##name arguments; \
        if (t) pfc__team_join(&team, &visit); \
    }
#define PFC__GOMP_LOOP(name) \
    PFC__GOMP(parallel_loop_##name, \
              (void (*body)(void *), void *data, unsigned threads, long begin, long end, long step, long chunk, unsigned flags), \
              (body, data, threads, begin, end, step, chunk, flags))
#define PFC__GOMP_LOOP_RUNTIME(name) \
    PFC__GOMP(parallel_loop_##name, \
              (void (*body)(void *), void *data, unsigned threads, long begin, long end, long step, unsigned flags), \
              (body, data, threads, begin, end, step, flags))

PFC__GOMP(parallel, (void (*body)(void *), void *data, unsigned threads, unsigned flags), (body, data, threads, flags))
PFC__GOMP(parallel_sections, (void (*body)(void *), void *data, unsigned threads, unsigned count, unsigned flags),
          (body, data, threads, count, flags))
PFC__GOMP_LOOP(static)
PFC__GOMP_LOOP(dynamic)
PFC__GOMP_LOOP(guided)
PFC__GOMP_LOOP(nonmonotonic_dynamic)
PFC__GOMP_LOOP(nonmonotonic_guided)
PFC__GOMP_LOOP_RUNTIME(runtime)
PFC__GOMP_LOOP_RUNTIME(nonmonotonic_runtime)
PFC__GOMP_LOOP_RUNTIME(maybe_nonmonotonic_runtime)

/* Of a region's data, reductions that tasks take part in are what libgomp looks at. */
extern __attribute__((weak)) unsigned __real_GOMP_parallel_reductions(void (*)(void *), void *, unsigned, unsigned);
PFC__INSTEAD unsigned __wrap_GOMP_parallel_reductions(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp parallel", 0, "");
    pfc__thread_t *t = pfc__thread_at_leisure();
    pfc__visit_t visit;
    pfc__team_t team;
    if (!t) return __real_GOMP_parallel_reductions(body, data, threads, flags);
    visit = pfc__visit_begins(t, &site);
    pfc__team_fork(&team, &visit, body, data);
    team.reductions = *(void **)data;
    threads = __real_GOMP_parallel_reductions(pfc__member_run, &team, threads, flags);
    pfc__team_join(&team, &visit);
    return threads;
}

/* ---- barriers, and the ends of worksharing, which are such */

typedef struct pfc__team_wait {
    pfc__visit_t visit;
    pfc__rest_t rest;
    unsigned round;
} pfc__team_wait_t;

static PFC__QUIET void pfc__team_await(pfc__team_wait_t *w, pfc__team_t *team, unsigned threads, pfc__visit_t visit)
{
    w->visit = visit;
    w->round = pfc__visit_comes(&w->visit, &team->barrier, threads);
    pfc__rest_begins(&w->rest, w->visit.arrival, &team->barrier.latest[w->round]);
}

static PFC__QUIET void pfc__team_awaited(pfc__team_wait_t *w, const pfc__team_t *team)
{
    pfc__rest_ends(&w->rest);
    pfc__visit_goes_on(&w->visit);
    pfc__visit_meets(&w->visit, &team->barrier, w->round);
    pfc__visit_ends(&w->visit);
}

/* `call` goes on when all have come, and `again` of them once more. */
#define PFC__TEAM_AWAIT(region, again, call) \
    do { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, region, 0, ""); \
        pfc__team_t *team = pfc__team; \
        pfc__thread_t *t = team ? pfc__thread_at_leisure() : 0; \
        pfc__team_wait_t wait; \
        if (t) pfc__team_await(&wait, team, (unsigned)pfc__omp_threads() + again, pfc__visit_begins(t, &site)); \
        call; \
        if (t) pfc__team_awaited(&wait, team); \
    } while (0)

#define PFC__GOMP_BARRIER(name) \
    extern __attribute__((weak)) void __real_GOMP_##name(void); \
    PFC__INSTEAD void __wrap_GOMP_##name(void) { PFC__TEAM_AWAIT("omp barrier", 0, __real_GOMP_##name()); }

/* In a region that may be cancelled: then not all come. The result is a bool, which C and C++ call by different names. */
#define PFC__GOMP_BARRIER_CANCEL(name) \
    extern __attribute__((weak)) unsigned char __real_GOMP_##name##_cancel(void); \
    PFC__INSTEAD unsigned char __wrap_GOMP_##name##_cancel(void) \
    { \
        unsigned char cancelled; \
        PFC__TEAM_AWAIT("omp barrier", 0, cancelled = __real_GOMP_##name##_cancel()); \
        return cancelled; \
    }

PFC__GOMP_BARRIER(barrier)
PFC__GOMP_BARRIER(loop_end)
PFC__GOMP_BARRIER(sections_end)
PFC__GOMP_BARRIER_CANCEL(barrier)
PFC__GOMP_BARRIER_CANCEL(loop_end)
PFC__GOMP_BARRIER_CANCEL(sections_end)

extern __attribute__((weak)) void __real_GOMP_workshare_task_reduction_unregister(unsigned char);
PFC__INSTEAD void __wrap_GOMP_workshare_task_reduction_unregister(unsigned char cancelled)
{
    if (cancelled) __real_GOMP_workshare_task_reduction_unregister(cancelled);
    else PFC__TEAM_AWAIT("omp barrier", 0, __real_GOMP_workshare_task_reduction_unregister(cancelled));
}

/* ---- single copyprivate: the first one goes on at once, and comes again with what the others wait for. */

extern __attribute__((weak)) void *__real_GOMP_single_copy_start(void);
PFC__INSTEAD void *__wrap_GOMP_single_copy_start(void)
{
    void *copied;
    PFC__TEAM_AWAIT("omp single", 1, copied = __real_GOMP_single_copy_start());
    return copied;
}

extern __attribute__((weak)) void __real_GOMP_single_copy_end(void *);
PFC__INSTEAD void __wrap_GOMP_single_copy_end(void *copied) { PFC__TEAM_AWAIT("omp single", 1, __real_GOMP_single_copy_end(copied)); }

/* ---- ordered: it is a chunk's turn when the thread that has the one before asks for another one. That waits for
   its own turn first, where it has had no ordered region. GOMP_ordered_end does nothing. */

PFC__TLS const pfc__team_t *pfc__turn; /* it has its turn, in this team */

extern __attribute__((weak)) void __real_GOMP_ordered_start(void);
PFC__INSTEAD void __wrap_GOMP_ordered_start(void)
{
    const pfc__team_t *team = pfc__team;
    pfc__thread_t *t = team != pfc__turn ? pfc__thread_at_leisure() : 0;
    if (!t) __real_GOMP_ordered_start();
    else PFC__AWAIT(t, "omp ordered", team, 0, __real_GOMP_ordered_start(), 1);
    pfc__turn = team;
}

#define PFC__GOMP_ORDERED(name, number) \
    extern __attribute__((weak)) unsigned char __real_GOMP_loop_##name##_next(number *, number *); \
    PFC__INSTEAD unsigned char __wrap_GOMP_loop_##name##_next(number *begin, number *end) \
    { \
        __wrap_GOMP_ordered_start(); \
        pfc__turn = 0; \
        pfc__signal(pfc__team); \
        return __real_GOMP_loop_##name##_next(begin, end); \
    }

PFC__GOMP_ORDERED(ordered_static, long)
PFC__GOMP_ORDERED(ordered_dynamic, long)
PFC__GOMP_ORDERED(ordered_guided, long)
PFC__GOMP_ORDERED(ordered_runtime, long)
PFC__GOMP_ORDERED(ull_ordered_static, unsigned long long)
PFC__GOMP_ORDERED(ull_ordered_dynamic, unsigned long long)
PFC__GOMP_ORDERED(ull_ordered_guided, unsigned long long)
PFC__GOMP_ORDERED(ull_ordered_runtime, unsigned long long)

#endif
