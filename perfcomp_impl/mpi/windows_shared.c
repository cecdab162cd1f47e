/* ----------------------------------------- what windows share (MPI impl) ---
   A communicator of ours, and beside each rank's window a record of when it was
   unlocked. Windows over the same ranks share them: a library has few
   communicators (MPICH 2,048), and each window takes one as well. */

/* Until when a window was locked, and since when (LT), as pfc__had_t has it. Of several that had it together, what all say of
   it is the latest: the one that came last and the one that stayed longest have it all along between them. */
typedef struct pfc__locked { pfc__latest_t end; pfc__i64 since; } pfc__locked_t;

/* At a rank whose window was locked: the last time by one alone, by all together after that, and what is waited there, as those
   tell that have it alone. */
typedef struct pfc__unlocked { pfc__locked_t alone; pfc__i64 usual_wait; pfc__locked_t together; } pfc__unlocked_t;

static PFC__QUIET pfc__locked_t pfc__never_locked(void)
{
    pfc__locked_t l;
    l.end = pfc__latest_none();
    l.since = PFC__NEVER;
    return l;
}

static PFC__QUIET pfc__unlocked_t pfc__never_unlocked(void)
{
    pfc__unlocked_t u;
    u.alone = u.together = pfc__never_locked();
    u.usual_wait = 0;
    return u;
}

typedef struct pfc__wins_shared {
    struct pfc__wins_shared *next;
    MPI_Comm comm;             /* ours, over these ranks */
    pfc__comm_t *known;
    MPI_Win locks;             /* ours: a record a window; MPI_WIN_NULL: none */
    pfc__unlocked_t *unlocked; /* this rank's */
    int size;
    pfc__u64 taken;            /* by windows: a bit each */
} pfc__wins_shared_t;

enum { PFC__WINS_SHARING = 64 };

static pfc__wins_shared_t *pfc__wins_first;

/* Open MPI 4.1 names the memory of a host's ranks after their communicator's number, and sets of ranks that have none in
   common have the same numbers: one's records would be the other's. That of shared windows has its ranks' name as well. */
static PFC__QUIET int pfc__locks_allocate(pfc__wins_shared_t *s, MPI_Win *locks)
{
    const MPI_Aint bytes = PFC__WINS_SHARING * sizeof *s->unlocked;
    const int unit = sizeof(pfc__i64);
#if defined OPEN_MPI && !defined PERFCOMP_SMPI
    if (!PMPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, s->comm, &s->unlocked, locks)) return MPI_SUCCESS;
#endif
    return PMPI_Win_allocate(bytes, unit, MPI_INFO_NULL, s->comm, &s->unlocked, locks); /* there are several hosts */
}

/* The ranks' records of unlocking, open for access until they are dropped. */
static PFC__QUIET MPI_Win pfc__locks_made(pfc__wins_shared_t *s)
{
    MPI_Win locks;
    PMPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN);
    if (pfc__locks_allocate(s, &locks)) return MPI_WIN_NULL;
    PMPI_Win_set_errhandler(locks, MPI_ERRORS_RETURN);
    s->unlocked[0] = pfc__never_unlocked();
    PMPI_Win_fence(MPI_MODE_NOSUCCEED, locks);
    PMPI_Win_lock_all(MPI_MODE_NOCHECK, locks);
    return locks;
}

/* With room for a window, whose number is 0. NULL: one of the ranks had no memory. */
static PFC__QUIET pfc__wins_shared_t *pfc__wins_share_new(MPI_Comm users)
{
    pfc__wins_shared_t *s = (pfc__wins_shared_t *)calloc(1, sizeof *s);
    MPI_Comm comm = pfc__comm_beside(users, s != 0);
    if (comm == MPI_COMM_NULL) {
        free(s);
        return 0;
    }
    s->comm = comm;
    s->known = pfc__comm_carries(comm);
    s->taken = 1;
    PMPI_Comm_size(comm, &s->size);
    s->locks = pfc__locks_made(s);
    pfc__mpi_lock();
    s->next = pfc__wins_first;
    pfc__wins_first = s;
    pfc__mpi_unlock();
    return s;
}

/* Room for a window over these ranks; NULL: there is none. Where threads may synchronise two windows at the same time
   they share nothing: two exchanges in one communicator would get mixed up. */
static PFC__QUIET pfc__wins_shared_t *pfc__wins_share_take(MPI_Comm users, int *number)
{
    pfc__wins_shared_t *s;
    int alike;
    *number = 0;
    pfc__mpi_lock();
    for (s = pfc__mpi.threads ? 0 : pfc__wins_first; s; s = s->next)
        if (~s->taken && !PMPI_Comm_compare(s->comm, users, &alike) && alike == MPI_CONGRUENT) break;
    if (s) {
        *number = __builtin_ctzll(~s->taken);
        s->taken |= (pfc__u64)1 << *number;
    }
    pfc__mpi_unlock();
    if (s && s->locks != MPI_WIN_NULL) {
        s->unlocked[*number] = pfc__never_unlocked();
        PMPI_Win_sync(s->locks);
    }
    return s;
}

/* The last window closes it. */
static PFC__QUIET void pfc__wins_share_leave(pfc__wins_shared_t *s, int number)
{
    pfc__wins_shared_t **at = &pfc__wins_first;
    int last;
    pfc__mpi_lock();
    s->taken &= ~((pfc__u64)1 << number);
    last = !s->taken;
    while (last && *at != s) at = &(*at)->next;
    if (last) *at = s->next;
    pfc__mpi_unlock();
    if (!last) return;
    if (s->locks != MPI_WIN_NULL) {
        PMPI_Win_unlock_all(s->locks);
        PMPI_Win_free(&s->locks);
    }
    pfc__comm_drop(s->comm);
    free(s);
}
