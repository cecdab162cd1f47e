/* Which message a receive gets that names its sender (mpi/posts.c), where one from anybody, or a message that has been matched,
   comes first: its sender learns of it. Two ranks; rank 0 prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <stdio.h>
#include <unistd.h>

enum { TIMES = 20, LONG = 200000 };

static char data[LONG], first[100];

static void sends(int tag)
{
    MPI_Send(first, sizeof first, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
    MPI_Send(data, LONG, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
}

static void receives(int tag)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    if (tag % 2) MPI_Irecv(first, sizeof first, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request);
    else MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    usleep(500);
    MPI_Recv(data, LONG, MPI_CHAR, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (tag % 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
    else MPI_Mrecv(first, sizeof first, MPI_CHAR, &message, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, tag, never = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (tag = 0; tag < TIMES; tag++) rank ? sends(tag) : receives(tag); /* each a stream of its own */
    never = (int)pfc__mpi.job->unacknowledged;
    MPI_Allreduce(MPI_IN_PLACE, &never, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0 && never < TIMES / 4) puts("ok"); /* crowded, a sender may give up before it is told */
    else if (rank == 0) printf("of %d messages it was never learnt of %d when they were asked for\n", TIMES, never);
    return 0;
}
