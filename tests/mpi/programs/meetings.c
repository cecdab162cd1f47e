/* Each collective once, in three communicators: all ranks, the odd and the even ones, and all of them backwards. */
#include <mpi.h>
#include <stdlib.h>

enum { MOST = 64 };

static int in[MOST], out[MOST], counts[MOST], at[MOST];
static MPI_Datatype types[MOST];

static void meet(MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) counts[i] = 1, at[i] = i, types[i] = MPI_INT;
    MPI_Barrier(comm);
    MPI_Bcast(in, 3, MPI_INT, 1, comm);
    MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm);
    MPI_Gatherv(in, 1, MPI_INT, out, counts, at, MPI_INT, 0, comm);
    MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, 1, comm);
    MPI_Scatterv(in, counts, at, MPI_INT, out, 1, MPI_INT, 1, comm);
    MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, comm);
    MPI_Allgatherv(in, 1, MPI_INT, out, counts, at, MPI_INT, comm);
    MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, comm);
    MPI_Alltoallv(in, counts, at, MPI_INT, out, counts, at, MPI_INT, comm);
    for (int i = 0; i < size; i++) at[i] = i * (int)sizeof(int);
    MPI_Alltoallw(in, counts, at, types, out, counts, at, types, comm);
    MPI_Allreduce(in, out, 5, MPI_INT, MPI_MAX, comm);
    MPI_Reduce(in, out, 5, MPI_INT, MPI_MAX, 0, comm);
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_MAX, comm);
    MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_MAX, comm);
    MPI_Scan(in, out, 4, MPI_INT, MPI_MAX, comm);
    MPI_Exscan(in, out, 4, MPI_INT, MPI_MAX, comm);
}

int main(int argc, char **argv)
{
    MPI_Comm half, backwards;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    meet(MPI_COMM_WORLD);
    meet(half);
    meet(backwards);
    MPI_Comm_free(&half);
    MPI_Comm_free(&backwards);
    MPI_Finalize();
    return 0;
}
