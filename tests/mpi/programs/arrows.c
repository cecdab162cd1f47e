/* Messages of all kinds around a ring; prints how many. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONG = 300000 };

static int rank, size, sent;

static void exchange(int n, MPI_Datatype type, int wide)
{
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    char *out = calloc((size_t)n, (size_t)wide), *in = calloc((size_t)n, (size_t)wide),
         *other = calloc((size_t)n, (size_t)wide);
    MPI_Request both[2], all[4];
    MPI_Status status[4];
    int there;
    if (rank % 2) MPI_Send(out, n, type, to, 1, MPI_COMM_WORLD);
    MPI_Recv(in, n, type, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank % 2 == 0) MPI_Send(out, n, type, to, 1, MPI_COMM_WORLD);
    MPI_Irecv(in, n, type, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(out, n, type, to, 2, MPI_COMM_WORLD, &both[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request_get_status(both[0], &there, MPI_STATUS_IGNORE); /* the message's end is in the call that completes it */
    MPI_Waitall(2, both, status);
    MPI_Sendrecv(out, n, type, to, 3, in, n, type, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send_init(out, n, type, to, 4, MPI_COMM_WORLD, &all[0]);
    MPI_Send_init(out, n, type, from, 5, MPI_COMM_WORLD, &all[1]);
    MPI_Recv_init(in, n, type, from, 4, MPI_COMM_WORLD, &all[2]);
    MPI_Recv_init(other, n, type, to, 5, MPI_COMM_WORLD, &all[3]);
    MPI_Startall(4, all);
    MPI_Waitall(4, all, status);
    for (int i = 0; i < 4; i++) MPI_Request_free(&all[i]);
    sent += 5 * size;
    free(out);
    free(other);
    free(in);
}

int main(int argc, char **argv)
{
    MPI_Datatype gaps;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    for (int i = 0; i < 10; i++) {
        exchange(1, MPI_INT, 4);
        exchange(0, MPI_INT, 4);
        exchange(6000, MPI_BYTE, 1);
        exchange(LONG, MPI_BYTE, 1);
        exchange(3, gaps, 16);
    }
    MPI_Type_free(&gaps);
    if (rank == 0) printf("%d\n", sent);
    MPI_Finalize();
    return 0;
}
