/* ----------------------------------------------- communicators (MPI impl) ---
   Only processes of our own MPI_COMM_WORLD are known to run the layer: in a
   communicator with others (spawned, connected) messages stay as they are.
   A communicator has the same number on all of its ranks, given when it is
   made; 0: made in a way that gave no chance to agree on one. */

enum pfc__rooted_call { PFC__BCAST, PFC__REDUCE, PFC__SCATTER, PFC__SCATTERV, PFC__GATHER, PFC__GATHERV, PFC__ROOTED };
enum { PFC__LENGTHS = 41 }; /* classes of them */

/* By which way data go; the same on all ranks, but for `leaves`. */
typedef struct pfc__known_way {
    unsigned char way : 4;    /* enum pfc__way */
    unsigned char trials : 2; /* how often it was tried to find out */
    unsigned char sure : 1;   /* the clocks don't contradict it */
    unsigned char leaves : 1; /* where all wait for all, this rank doesn't */
} pfc__known_way_t;

typedef struct pfc__comm {
    pfc__by_handle_t entry;
    int ours; /* every process in it is of our MPI_COMM_WORLD */
    pfc__u32 number;
    int rank; /* mine */
    int as_world; /* each process has the rank that it has in MPI_COMM_WORLD */
    pfc__known_way_t way[PFC__ROOTED][2][PFC__LENGTHS]; /* from or to rank 0; another one */
} pfc__comm_t;

static pfc__handles_t pfc__comms;
static pfc__comm_t pfc__comm_world;
static pfc__u32 pfc__comm_numbers = 1; /* the last one that this rank knows of; 1: MPI_COMM_WORLD */

static PFC__QUIET int pfc__group_is_ours(MPI_Group group)
{
    MPI_Group world;
    int size = 0, i, ours = 1, *from, *to;
    if (PMPI_Group_size(group, &size) || size <= 0) return 1;
    from = (int *)malloc(2 * (size_t)size * sizeof *from);
    if (!from) return 0;
    to = from + size;
    for (i = 0; i < size; i++) from[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    if (PMPI_Group_translate_ranks(group, size, from, world, to)) ours = 0;
    for (i = 0; ours && i < size; i++) ours = to[i] != MPI_UNDEFINED;
    PMPI_Group_free(&world);
    free(from);
    return ours;
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

/* What we know of a communicator; NULL: no memory. */
static PFC__QUIET pfc__comm_t *pfc__comm_look(MPI_Comm comm)
{
    pfc__comm_t *c;
    int alike = MPI_UNEQUAL;
    pfc__mpi_lock();
    c = (pfc__comm_t *)(void *)pfc__handles_find(&pfc__comms, PFC__KEY(comm));
    if (!c && (c = (pfc__comm_t *)calloc(1, sizeof *c)) != 0) {
        c->ours = pfc__comm_is_ours(comm);
        PMPI_Comm_rank(comm, &c->rank);
        c->as_world = !PMPI_Comm_compare(comm, MPI_COMM_WORLD, &alike) && alike == MPI_CONGRUENT;
        if (!pfc__handles_put(&pfc__comms, PFC__KEY(comm), &c->entry)) free(c), c = 0;
    }
    pfc__mpi_unlock();
    return c;
}

/* NULL: messages in `comm` carry no piggybacks. */
PFC__HOT pfc__comm_t *pfc__comm_carries(MPI_Comm comm)
{
    pfc__comm_t *c;
    if (PFC__LIKELY(comm == MPI_COMM_WORLD)) return &pfc__comm_world;
    c = comm == MPI_COMM_NULL ? 0 : pfc__comm_look(comm);
    return c && c->ours ? c : 0;
}

/* All ranks of a new communicator agree on its number: the first that none of them has used. */
static PFC__QUIET void pfc__comm_made(MPI_Comm comm)
{
    pfc__comm_t *c;
    int inter = 0, ours;
    pfc__u32 mine = pfc__comm_numbers, all = 0;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) || inter) return;
    c = pfc__comm_look(comm);
    ours = c && c->ours;
    if (!ours) return;
    PMPI_Allreduce(&mine, &all, 1, MPI_UINT32_T, MPI_MAX, comm);
    pfc__mpi_lock();
    c->number = all + 1;
    if (pfc__comm_numbers < c->number) pfc__comm_numbers = c->number;
    pfc__mpi_unlock();
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

/* One of ours over the same ranks, beside windows or a file: all of them call it. Not a copy of the user's: attributes
   would be copied too, by the user's functions. `recorded`: this rank has a record of them. All ranks have one, or none
   shall: one without a record would miss the exchanges in which the others wait for it. MPI_COMM_NULL: one has none;
   or messages in `users` carry no piggybacks. */
static PFC__QUIET MPI_Comm pfc__comm_beside(MPI_Comm users, int recorded)
{
    MPI_Comm comm;
    int all = 0;
    if (!pfc__comm_carries(users) || PMPI_Comm_split(users, 0, 0, &comm)) return MPI_COMM_NULL;
    recorded = recorded && pfc__comm_carries(comm);
    PMPI_Allreduce(&recorded, &all, 1, MPI_INT, MPI_MIN, comm);
    if (all) {
        pfc__comm_made(comm);
        return comm;
    }
    pfc__comm_drop(comm);
    return MPI_COMM_NULL;
}
