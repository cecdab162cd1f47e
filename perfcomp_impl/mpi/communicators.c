/* ----------------------------------------------- communicators (MPI impl) ---
   Only processes of our own MPI_COMM_WORLD are known to run the layer: in a
   communicator with others (spawned, connected) messages stay as they are.
   A communicator has the same number on all of its ranks, given when it is
   made; 0: made in a way that gave no chance to agree on one. */

typedef struct pfc__comm {
    pfc__by_handle_t entry;
    int ours; /* every process in it is of our MPI_COMM_WORLD */
    int inter; /* it has two sides */
    pfc__u32 number;
    int rank; /* mine */
    int as_world; /* each process has the rank that it has in MPI_COMM_WORLD */
    pfc__u64 members; /* which ranks, in which order; 0: it has two sides */
    pfc__known_ways_t *way; /* by enum pfc__tried_call; not in the record itself, of which each request has a copy */
    int *partner; /* ranks in MPI_COMM_WORLD, and 1: see pfc__step_world; nor are they */
} pfc__comm_t;

enum { PFC__PARTNERS = 3 * 31 + 1 };

static pfc__handles_t pfc__comms;
static pfc__known_ways_t pfc__comm_world_ways[PFC__TRIED];
static pfc__comm_t pfc__comm_world;
static int pfc__comms_ended; /* see pfc__comm_look */
static pfc__u32 pfc__comm_numbers = 1; /* the last one that this rank knows of; 1: MPI_COMM_WORLD */

static PFC__QUIET void pfc__others_say(void)
{
    static int said;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        pfc__note_keep("messages and calls with processes outside MPI_COMM_WORLD (spawned, connected) stay as they were measured: "
                       "what they waited for isn't known");
}

static PFC__QUIET int pfc__group_is_ours(MPI_Group group)
{
    MPI_Group world, here = MPI_GROUP_EMPTY;
    int size = 0, ours = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_intersection(group, world, &here);
    PMPI_Group_size(group, &size);
    PMPI_Group_size(here, &ours);
    PMPI_Group_free(&here);
    PMPI_Group_free(&world);
    if (ours != size) pfc__others_say();
    return ours == size;
}

static PFC__QUIET int pfc__comm_is_ours(MPI_Comm comm)
{
    MPI_Group group;
    int inter = 0, ours = 1;
    if (PMPI_Comm_test_inter(comm, &inter) || PMPI_Comm_group(comm, &group)) return 0;
    ours = pfc__group_is_ours(group);
    PMPI_Group_free(&group);
    if (inter && ours && !PMPI_Comm_remote_group(comm, &group)) {
        ours = pfc__group_is_ours(group);
        PMPI_Group_free(&group);
    }
    return ours;
}

/* An empty record: messages carry no piggybacks. NULL: this rank once had no memory for one. It keeps none any more:
   another time it would have memory, when the other ranks already do without. Under the lock. */
static PFC__QUIET pfc__comm_t *pfc__comm_new(void)
{
    pfc__comm_t *c = pfc__comms_ended ? 0 : (pfc__comm_t *)calloc(1, sizeof *c + PFC__PARTNERS * sizeof *c->partner + PFC__TRIED * sizeof *c->way);
    if (c) c->partner = (int *)(void *)(c + 1), c->way = (pfc__known_ways_t *)(void *)(c->partner + PFC__PARTNERS);
    if (c || pfc__comms_ended) return c;
    pfc__comms_ended = 1;
    pfc__note("rank %d has no memory left to follow new communicators: messages and calls in those with it stay as they are",
              pfc__mpi.rank);
    return 0;
}

/* The same, kept under its handle. */
static PFC__QUIET pfc__comm_t *pfc__comm_add(MPI_Comm comm)
{
    pfc__comm_t *c = pfc__comm_new();
    if (c) pfc__handles_put(&pfc__comms, PFC__KEY(comm), &c->entry);
    return c;
}

static PFC__QUIET void pfc__comm_describe(pfc__comm_t *c, MPI_Comm comm)
{
    int alike = MPI_UNEQUAL;
    c->ours = pfc__comm_is_ours(comm);
    PMPI_Comm_test_inter(comm, &c->inter);
    PMPI_Comm_rank(comm, &c->rank);
    c->members = c->ours && !c->inter ? pfc__members_of(comm) : 0;
    c->as_world = !PMPI_Comm_compare(comm, MPI_COMM_WORLD, &alike) && alike == MPI_CONGRUENT;
}

/* What we know of a communicator. NULL: there is no record. */
static PFC__QUIET pfc__comm_t *pfc__comm_look(MPI_Comm comm)
{
    pfc__comm_t *c;
    pfc__mpi_lock();
    c = (pfc__comm_t *)(void *)pfc__handles_find(&pfc__comms, PFC__KEY(comm));
    if (!c && (c = pfc__comm_add(comm)) != 0) pfc__comm_describe(c, comm);
    pfc__mpi_unlock();
    return c;
}

/* NULL: it isn't ours. */
static PFC__QUIET pfc__comm_t *pfc__comm_followed(MPI_Comm comm)
{
    pfc__comm_t *c = comm == MPI_COMM_NULL ? 0 : pfc__comm_look(comm);
    return c && c->ours ? c : 0;
}

static PFC__COLD void pfc__unnumbered_say(void)
{
    static int said;
    if (!said++) pfc__note_keep("PERFCOMP_MPI_ORDER=hold: messages in communicators that MPI_Comm_idup made of intercommunicators stay as they are: "
                                   "what they waited for isn't known");
}

/* NULL: messages in `comm` carry no piggybacks. Where those go apart, one without a number couldn't be told from others. */
PFC__HOT pfc__comm_t *pfc__comm_carries(MPI_Comm comm)
{
    pfc__comm_t *c;
    if (PFC__LIKELY(comm == MPI_COMM_WORLD)) return &pfc__comm_world;
    c = pfc__comm_followed(comm);
    if (PFC__LIKELY(!pfc__bound.on || !c || c->number)) return c;
    pfc__unnumbered_say();
    return 0;
}

/* The same on all of its ranks, and another one than any other communicator's; 0: MPI_COMM_WORLD, or it has none. Those that
   were made by one split have one number: their ranks tell them apart. */
static PFC__QUIET pfc__i64 pfc__comm_name(const pfc__comm_t *c)
{
    return c->inter || c->number <= pfc__comm_world.number ? 0 : (pfc__i64)(c->members + c->number);
}

/* What the ranks of a new communicator agree on: the largest number that one of them brings; whether one does without a record;
   and whether all bring the same of the ways that data take there. */
enum { PFC__AGREED_NUMBER, PFC__AGREED_NONE, PFC__AGREED_WAYS, PFC__AGREED_WAYS_NOT, PFC__AGREED };

/* `c`: its record, or NULL. */
static PFC__QUIET void pfc__comm_brings(pfc__u32 *mine, pfc__u32 number, int without, const pfc__comm_t *c, pfc__u64 members)
{
    mine[PFC__AGREED_NUMBER] = number;
    mine[PFC__AGREED_NONE] = (pfc__u32)without;
    mine[PFC__AGREED_WAYS] = c ? pfc__ways_begin(c->way, members) : 0;
    mine[PFC__AGREED_WAYS_NOT] = ~mine[PFC__AGREED_WAYS];
}

/* Where the largest is also the smallest all have brought the same; otherwise all begin with nothing. */
static PFC__QUIET void pfc__comm_begins(pfc__comm_t *c, const pfc__u32 *all)
{
    if (all[PFC__AGREED_WAYS] != ~all[PFC__AGREED_WAYS_NOT]) memset(c->way, 0, PFC__TRIED * sizeof *c->way);
}

#define PFC__COMM_NUMBERS_OWN 0x20000000u /* from here to twice that */

/* One that this rank alone gives. */
static PFC__QUIET pfc__u32 pfc__comm_number_own(void)
{
    static pfc__u32 given;
    pfc__u64 number;
    pfc__mpi_lock();
    number = (pfc__u64)given++ * (pfc__u64)pfc__mpi.size + (pfc__u64)pfc__mpi.rank;
    pfc__mpi_unlock();
    return number < PFC__COMM_NUMBERS_OWN ? PFC__COMM_NUMBERS_OWN + (pfc__u32)number : 0;
}

/* The first that this rank hasn't used. Where threads make communicators at once, two could agree on the same: there the
   first rank gives one. */
static PFC__QUIET pfc__u32 pfc__comm_number_next(const pfc__comm_t *c)
{
    if (!pfc__mpi.threads) return pfc__comm_numbers + 1;
    return c && c->rank == 0 ? pfc__comm_number_own() : 0;
}

/* All ranks of a new communicator keep a record, or none does: one without would miss the exchanges in which the others
   wait for it. And they agree on its number: the largest that one of them brings. `wanted`: this rank has its use for it.
   0: there is no record. */
static PFC__QUIET int pfc__comm_made(MPI_Comm comm, int wanted)
{
    pfc__comm_t *c;
    int inter = 0, kept;
    pfc__u32 mine[PFC__AGREED], all[PFC__AGREED];
    if (comm == MPI_COMM_NULL) return 0;
    c = pfc__comm_look(comm);
    if (!(c ? c->ours : pfc__comm_is_ours(comm))) return 0;
    pfc__comm_brings(mine, pfc__comm_number_next(c), !c || !wanted, c, c ? c->members : 0);
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Allreduce(mine, all, PFC__AGREED, MPI_UINT32_T, MPI_MAX, comm);
    if (inter) PMPI_Allreduce(all, mine, PFC__AGREED, MPI_UINT32_T, MPI_MAX, comm); /* that was the other side's */
    kept = !all[PFC__AGREED_NONE] && !mine[PFC__AGREED_NONE];
    if (inter && all[PFC__AGREED_NUMBER] < mine[PFC__AGREED_NUMBER]) all[PFC__AGREED_NUMBER] = mine[PFC__AGREED_NUMBER];
    if (!c) return 0;
    pfc__mpi_lock();
    c->ours = kept;
    if (kept) c->number = all[PFC__AGREED_NUMBER], pfc__comm_begins(c, all);
    if (c->number < PFC__COMM_NUMBERS_OWN && pfc__comm_numbers < c->number) pfc__comm_numbers = c->number;
    pfc__mpi_unlock();
    return kept;
}

/* Comm_idup: the same, beside the call, so that it is known when the communicator may be used. Other communicators may be
   made meanwhile: its number is one that its first rank gives. The agreement begins before the call: Open MPI makes
   the duplicate by collectives over the same ranks that it begins one after the other, as its threads come to it, and
   one of ours in between would meet one of its own on another rank. */
typedef struct pfc__making {
    MPI_Comm comm;          /* MPI_COMM_NULL: nothing is made */
    pfc__comm_t *record;    /* its own, until it is known */
    MPI_Request agreement;  /* MPI_REQUEST_NULL: there is none */
    pfc__u32 mine[PFC__AGREED], all[PFC__AGREED];
} pfc__making_t;

#ifndef PERFCOMP_SMPI
/* Before the call. `known`: of the communicator `of`. Where that has two sides, a rank that has no record would only be
   known to the other one: nothing is agreed on. `wanted`: this rank has its use for it. */
static PFC__QUIET void pfc__comm_making(pfc__making_t *m, MPI_Comm of, const pfc__comm_t *known, int wanted)
{
    int inter = 0;
    PMPI_Comm_test_inter(of, &inter);
    if (inter) return;
    pfc__mpi_lock();
    m->record = pfc__comm_new();
    pfc__mpi_unlock();
    pfc__comm_brings(m->mine, known->rank ? 0 : pfc__comm_number_own(), !m->record || !wanted, m->record, known->members);
    PMPI_Iallreduce(m->mine, m->all, PFC__AGREED, MPI_UINT32_T, MPI_MAX, of, &m->agreement);
}

/* After the call; MPI_COMM_NULL: it failed. Messages in `comm` carry no piggybacks until it is made. */
static PFC__QUIET void pfc__comm_begun(pfc__making_t *m, MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL && m->record) pfc__handles_keep(&pfc__comms, PFC__KEY(comm), &m->record->entry);
    else free(m->record);
    m->record = 0;
    if (m->agreement != MPI_REQUEST_NULL) m->comm = comm;
}

/* The duplicate of one in which messages carry none: nor do its own. */
static PFC__QUIET void pfc__comm_carries_none(MPI_Comm comm, MPI_Comm of)
{
    int inter = 0;
    PMPI_Comm_test_inter(of, &inter);
    if (inter || comm == MPI_COMM_NULL) return;
    pfc__mpi_lock();
    pfc__comm_add(comm);
    pfc__mpi_unlock();
}
#endif

/* The call is complete on this rank, so that all have begun it. */
static PFC__QUIET void pfc__comm_idup_made(pfc__making_t *m)
{
    pfc__comm_t *c;
    if (m->comm == MPI_COMM_NULL) return;
    PMPI_Wait(&m->agreement, MPI_STATUS_IGNORE);
    pfc__mpi_lock();
    c = (pfc__comm_t *)(void *)pfc__handles_find(&pfc__comms, PFC__KEY(m->comm));
    if (c && !m->all[PFC__AGREED_NONE]) {
        pfc__comm_describe(c, m->comm);
        c->number = m->all[PFC__AGREED_NUMBER];
        pfc__comm_begins(c, m->all);
    }
    pfc__mpi_unlock();
    m->comm = MPI_COMM_NULL;
}

/* Its handle may soon mean another one. */
static PFC__QUIET void pfc__comm_forget(MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL) free(pfc__handles_take(&pfc__comms, PFC__KEY(comm)));
}

static PFC__QUIET void pfc__comm_drop(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL) return;
    pfc__comm_forget(comm);
    PMPI_Comm_free(&comm);
}

/* The handle of what `known` was; it may be unknown, or freed: then MPI_COMM_WORLD stands for it. */
static PFC__COLD MPI_Comm pfc__comm_still(const pfc__comm_t *known, MPI_Comm comm)
{
    const pfc__comm_t *now;
    pfc__mpi_lock();
    now = comm == MPI_COMM_WORLD ? known : comm == MPI_COMM_NULL ? 0 : (pfc__comm_t *)(void *)pfc__handles_find(&pfc__comms, PFC__KEY(comm));
    if (!now || now->number != known->number) comm = MPI_COMM_WORLD;
    pfc__mpi_unlock();
    return comm;
}

/* One of ours over the same ranks, beside windows or a file: all of them call it. Not a copy of the user's: attributes
   would be copied too, by the user's functions. `recorded`: this rank has a record of them. MPI_COMM_NULL: one has none;
   or messages in `users` carry no piggybacks. */
static PFC__QUIET MPI_Comm pfc__comm_beside(MPI_Comm users, int recorded)
{
    MPI_Comm comm;
    if (!pfc__comm_carries(users) || PMPI_Comm_split(users, 0, 0, &comm)) return MPI_COMM_NULL;
    if (pfc__comm_made(comm, recorded)) return comm;
    pfc__comm_drop(comm);
    return MPI_COMM_NULL;
}
