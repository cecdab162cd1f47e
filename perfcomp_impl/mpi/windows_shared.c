/* ----------------------------------------- what windows share (MPI impl) ---
   A communicator of ours, and beside each rank's window a record of when it was
   unlocked. Windows over the same ranks share them: a library has few
   communicators (MPICH 2,048), and each window takes one as well. */

/* At a rank whose window was locked: when it was unlocked. */
typedef struct pfc__unlocked { pfc__latest_t by_any, exclusively; } pfc__unlocked_t;

enum { PFC__WINS_SHARING = 64 };
typedef struct pfc__wins_shared {
    pfc__by_handle_t entry;
    struct pfc__wins_shared *next;
    MPI_Comm comm;             /* ours, over these ranks */
    pfc__comm_t *known;
    MPI_Win locks;             /* ours: a record a window; MPI_WIN_NULL: none */
    pfc__unlocked_t *unlocked; /* this rank's */
    int size, windows;
    char taken[PFC__WINS_SHARING];
} pfc__wins_shared_t;

static pfc__handles_t pfc__wins_shares;
static pfc__wins_shared_t *pfc__wins_first;

/* The ranks' records of unlocking, open for access until they are dropped. */
static PFC__QUIET void pfc__locks_make(pfc__wins_shared_t *s)
{
    int i;
    s->locks = MPI_WIN_NULL;
    PMPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN);
    if (PMPI_Win_allocate(PFC__WINS_SHARING * sizeof *s->unlocked, sizeof(pfc__i64), MPI_INFO_NULL, s->comm, &s->unlocked, &s->locks)) {
        s->locks = MPI_WIN_NULL;
        return;
    }
    PMPI_Win_set_errhandler(s->locks, MPI_ERRORS_RETURN);
    for (i = 0; i < PFC__WINS_SHARING; i++) s->unlocked[i].by_any = s->unlocked[i].exclusively = pfc__latest_none();
    PMPI_Win_fence(MPI_MODE_NOSUCCEED, s->locks);
    PMPI_Win_lock_all(MPI_MODE_NOCHECK, s->locks);
}

/* NULL: one of the ranks had no memory. */
static PFC__QUIET pfc__wins_shared_t *pfc__wins_share_new(MPI_Comm users)
{
    pfc__wins_shared_t *s = (pfc__wins_shared_t *)calloc(1, sizeof *s);
    MPI_Comm comm = pfc__comm_beside(users, &pfc__wins_shares, (pfc__uptr)s, s ? &s->entry : 0);
    if (comm == MPI_COMM_NULL) return 0;
    s->comm = comm;
    s->known = pfc__comm_carries(comm);
    PMPI_Comm_size(comm, &s->size);
    pfc__locks_make(s);
    s->windows = s->taken[0] = 1;
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
    pfc__mpi_lock();
    for (s = pfc__mpi.threads ? 0 : pfc__wins_first; s; s = s->next)
        if (s->windows < PFC__WINS_SHARING && !PMPI_Comm_compare(s->comm, users, &alike) && alike == MPI_CONGRUENT) break;
    for (*number = 0; s && s->taken[*number];) ++*number;
    if (s) {
        s->taken[*number] = 1;
        s->windows++;
    }
    pfc__mpi_unlock();
    return s;
}

/* The last window closes it. */
static PFC__QUIET void pfc__wins_share_leave(pfc__wins_shared_t *s, int number)
{
    pfc__wins_shared_t **at = &pfc__wins_first;
    int last;
    pfc__mpi_lock();
    s->taken[number] = 0;
    last = --s->windows == 0;
    while (last && *at != s) at = &(*at)->next;
    if (last) *at = s->next;
    pfc__mpi_unlock();
    if (!last) return;
    if (s->locks != MPI_WIN_NULL) {
        PMPI_Win_unlock_all(s->locks);
        PMPI_Win_free(&s->locks);
    }
    pfc__comm_drop(s->comm);
    free(pfc__handles_take(&pfc__wins_shares, (pfc__uptr)s));
}
