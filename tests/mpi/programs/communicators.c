/* Messages with one tag in several communicators, for traces: each rank sends to the next one there, and their length tells
   which it is: 1: MPI_COMM_WORLD, 2: its ranks turned round, 3: the even and the odd ones, 4: a duplicate, 5: between the even
   and the odd ones. In none of the made ones there is a collective call. For 4 ranks. */
#include <mpi.h>

static void pass_on(MPI_Comm comm, int length)
{
    char out[8] = "", in[8];
    int rank, size;
    MPI_Request request;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (length % 2) MPI_Sendrecv(out, length, MPI_CHAR, (rank + 1) % size, 7, in, 8, MPI_CHAR, (rank + size - 1) % size, 7, comm, MPI_STATUS_IGNORE);
    else {
        MPI_Irecv(in, 8, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
        MPI_Send(out, length, MPI_CHAR, (rank + 1) % size, 7, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank;
    char out[8] = "", in[8];
    MPI_Comm turned, half, copy, between;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 8, &between);
    pass_on(MPI_COMM_WORLD, 1);
    pass_on(turned, 2);
    pass_on(half, 3);
    pass_on(copy, 4);
    MPI_Sendrecv(out, 5, MPI_CHAR, rank / 2, 7, in, 8, MPI_CHAR, rank / 2, 7, between, MPI_STATUS_IGNORE);
    MPI_Comm_free(&between);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    MPI_Comm_free(&turned);
    MPI_Finalize();
    return 0;
}
