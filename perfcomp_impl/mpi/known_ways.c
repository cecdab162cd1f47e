/* ------------------------------------------------- known ways (MPI impl) ---
   By which way the data of collectives go in a communicator: trials
   (trials.c) find it out. Libraries decide that by the ranks and their order:
   so it holds for other communicators of the same ones, too, and is kept for
   programs that make and free many. */

/* PFC__SPARSE: Alltoallv and Alltoallw, where there are no data. PFC__SOME_LACK isn't tried: Allgatherv and Reduce_scatter. */
enum pfc__tried_call {
    PFC__BCAST, PFC__REDUCE, PFC__SCATTER, PFC__SCATTERV, PFC__GATHER, PFC__GATHERV, PFC__SCAN, PFC__EXSCAN, PFC__SPARSE,
    PFC__SOME_LACK, PFC__TRIED
};
enum { PFC__LENGTHS = 41 }; /* classes of them */

/* The same on all ranks, but for `leaves`. */
typedef struct pfc__known_way {
    unsigned short way : 4;    /* enum pfc__way */
    unsigned short trials : 2; /* how often it was tried to find out */
    unsigned short sure : 1;   /* the clocks don't contradict it */
    unsigned short leaves : 1; /* where all wait for all, this rank doesn't; where some have no part, it didn't at last */
    unsigned short folds : 1;  /* where all wait for all, those don't who can give their data away: see pfc__gives_away */
    unsigned short skips : 1;  /* Gatherv, Scatterv: who has no part waits for nobody, and nobody for it */
} pfc__known_way_t;
typedef pfc__known_way_t pfc__known_ways_t[2][PFC__LENGTHS]; /* from or to rank 0; another one */

enum { PFC__WAYS_KEPT = 32, PFC__MEMBERS_AT_ONCE = 64 };

static struct { pfc__u64 members; pfc__known_ways_t way[PFC__TRIED]; } pfc__ways_kept[PFC__WAYS_KEPT];

/* Which ranks of MPI_COMM_WORLD are in it, and in which order, as a hash. */
static PFC__QUIET pfc__u64 pfc__members_of(MPI_Comm comm)
{
    int here[PFC__MEMBERS_AT_ONCE], there[PFC__MEMBERS_AT_ONCE], size = 0, done, i, n;
    pfc__u64 hash = 0xCBF29CE484222325u;
    MPI_Group group, world;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(group, &size);
    for (done = 0; done < size; done += n) {
        n = (int)pfc__min(size - done, PFC__MEMBERS_AT_ONCE);
        for (i = 0; i < n; i++) here[i] = done + i;
        PMPI_Group_translate_ranks(group, n, here, world, there);
        for (i = 0; i < n; i++) hash = (hash ^ (pfc__u64)there[i]) * 0x100000001B3u, hash ^= hash >> 32;
    }
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
    return hash;
}

/* Where these are kept; a free place; PFC__WAYS_KEPT: neither. */
static PFC__QUIET int pfc__ways_place(pfc__u64 members)
{
    int i = 0;
    while (i < PFC__WAYS_KEPT && pfc__ways_kept[i].members && pfc__ways_kept[i].members != members) i++;
    return i;
}

/* A trial has found out more. The place that was taken first is given away when there is no other. */
static PFC__QUIET void pfc__ways_keep(pfc__u64 members, pfc__known_ways_t *way)
{
    static int next;
    int place;
    pfc__mpi_lock();
    place = pfc__ways_place(members);
    if (place == PFC__WAYS_KEPT) place = next++ % PFC__WAYS_KEPT;
    pfc__ways_kept[place].members = members;
    memcpy(pfc__ways_kept[place].way, way, sizeof pfc__ways_kept[place].way);
    pfc__mpi_unlock();
}

/* What a new communicator begins with, and a number that is the same where ranks begin with the same. */
static PFC__QUIET pfc__u32 pfc__ways_begin(pfc__known_ways_t *way, pfc__u64 members)
{
    const pfc__known_way_t *w;
    pfc__u32 digest = 0;
    int place;
    pfc__mpi_lock();
    place = pfc__ways_place(members);
    if (members && place < PFC__WAYS_KEPT) memcpy(way, pfc__ways_kept[place].way, sizeof pfc__ways_kept[place].way);
    pfc__mpi_unlock();
    for (w = way[0][0]; w < way[PFC__TRIED - 1][1] + PFC__LENGTHS; w++)
        digest = (digest ^ (pfc__u32)(w->way | w->trials << 4 | w->sure << 6 | w->skips << 7 | w->folds << 8)) * 16777619u + 1;
    return digest;
}
