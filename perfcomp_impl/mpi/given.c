/* --------------------------------------- what a rank gives (MPI impl) ---
   Bytes of user's data that a collective takes from this rank, each once, however
   many ranks it goes to: all parts where each rank gets another one, else this
   rank's own part (Bcast, Scatter and Scatterv: what comes to it). MPI_IN_PLACE: the
   other buffer's arguments tell. */

/* `in` −1: the communicator has none. */
typedef struct pfc__neighbours { int in, out; } pfc__neighbours_t;

static PFC__QUIET pfc__neighbours_t pfc__neighbours_of(MPI_Comm comm)
{
    pfc__neighbours_t n = { -1, 0 };
    int kind, weighted, rank, dimensions = 0;
    if (PMPI_Topo_test(comm, &kind)) return n;
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &dimensions);
        n.in = n.out = 2 * dimensions;
    } else if (kind == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &n.in);
        n.out = n.in;
    }
#ifndef PERFCOMP_SMPI
    else if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm, &n.in, &n.out, &weighted);
#else
    (void)weighted;
#endif
    return n;
}

/* Into how many parts its ranks divide what they reduce. */
static PFC__QUIET int pfc__ranks_in(MPI_Comm comm)
{
    int size = 0;
    if (comm != MPI_COMM_NULL) PMPI_Comm_size(comm, &size);
    return size;
}

/* To how many each gives: the ranks of the other side, where there is one. */
static PFC__QUIET int pfc__peers_in(MPI_Comm comm)
{
    int size = 0, inter = 0;
    if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &inter);
    if (!inter) return pfc__ranks_in(comm);
    PMPI_Comm_remote_size(comm, &size);
    return size;
}

/* Of the neighbours on a grid, those beyond its border aren't there (MPI_PROC_NULL), and get nothing. */
static PFC__QUIET int pfc__is_on_grid(MPI_Comm comm, int neighbour)
{
    int kind, rank[2];
    if (PMPI_Topo_test(comm, &kind) || kind != MPI_CART) return 1;
    PMPI_Cart_shift(comm, neighbour / 2, 1, &rank[0], &rank[1]);
    return rank[neighbour % 2] != MPI_PROC_NULL;
}

static PFC__QUIET int pfc__out_neighbours(MPI_Comm comm)
{
    int i, there = 0, n = comm == MPI_COMM_NULL ? 0 : pfc__neighbours_of(comm).out;
    for (i = 0; i < n; i++) there += pfc__is_on_grid(comm, i);
    return there;
}

/* Counts are int, or MPI_Count: `width` bytes each. */
static PFC__QUIET pfc__i64 pfc__count_of(const void *counts, size_t width, int i)
{
    if (!counts) return 0;
    return width == sizeof(int) ? ((const int *)counts)[i] : (pfc__i64)((const MPI_Count *)counts)[i];
}

static PFC__QUIET pfc__i64 pfc__bytes_of_part(const void *own, pfc__i64 n, MPI_Datatype type, pfc__i64 m, MPI_Datatype others)
{
    return own == MPI_IN_PLACE ? pfc__bytes_of(m, others) : pfc__bytes_of(n, type);
}

/* Its own part, where each rank's has a count of its own. */
static PFC__QUIET pfc__i64 pfc__bytes_of_mine(const void *own, pfc__i64 n, MPI_Datatype type, const void *counts, size_t width,
                                              MPI_Datatype others, MPI_Comm comm)
{
    int rank = 0;
    if (own != MPI_IN_PLACE) return pfc__bytes_of(n, type);
    if (comm == MPI_COMM_NULL) return 0;
    PMPI_Comm_rank(comm, &rank);
    return pfc__bytes_of(pfc__count_of(counts, width, rank), others);
}

static PFC__QUIET pfc__i64 pfc__bytes_of_parts(int parts, const void *counts, size_t width, MPI_Datatype type)
{
    pfc__i64 sum = 0;
    int i;
    for (i = 0; i < parts; i++) sum += pfc__count_of(counts, width, i);
    return pfc__bytes_of(sum, type);
}

/* Where each part has a datatype of its own. */
static PFC__QUIET pfc__i64 pfc__bytes_of_types(int parts, const void *counts, size_t width, const MPI_Datatype types[])
{
    pfc__i64 sum = 0;
    int i;
    for (i = 0; types && i < parts; i++) sum += pfc__bytes_of(pfc__count_of(counts, width, i), types[i]);
    return sum;
}

#ifndef PERFCOMP_SMPI /* has no such collectives */
/* The same to neighbours; types NULL: `type` is that of all. */
static PFC__QUIET pfc__i64 pfc__bytes_to_neighbours(MPI_Comm comm, const void *counts, size_t width, MPI_Datatype type,
                                                    const MPI_Datatype types[])
{
    pfc__i64 sum = 0;
    int i, n = comm == MPI_COMM_NULL ? 0 : pfc__neighbours_of(comm).out;
    for (i = 0; i < n; i++)
        if (pfc__is_on_grid(comm, i)) sum += pfc__bytes_of(pfc__count_of(counts, width, i), types ? types[i] : type);
    return sum;
}
#endif

/* Of what this rank gives, as much as goes to one other: the last rank's are awaited, no others. */
static PFC__QUIET pfc__i64 pfc__bytes_to_one(const pfc__call_t *c, MPI_Comm comm)
{
    int parts = pfc__is_call(c, "Alltoall") ? pfc__peers_in(comm)
                : pfc__is_call(c, "Reduce_scatter") ? pfc__ranks_in(comm)
                : pfc__is_call(c, "Neighbor_alltoall") ? pfc__out_neighbours(comm) : 1;
    return c->bytes / pfc__max(parts, 1);
}
