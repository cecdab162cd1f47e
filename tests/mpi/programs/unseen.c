/* A message that the library buffers, but lets go only when its receiver looks after what has come, as Open MPI does with more
   than 256 bytes (mpi/p2p.c), and with shorter ones of persistent requests: what its sender waited for that may be anybody's delay. On 2 ranks; prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <stdio.h>
#include <time.h>

static char message[1000];

static double doubted(void) { return (double)pfc__moment_at(pfc__clock()).u * 1e-9; }

static int send_blocks(void) { return MPI_Send(message, (int)sizeof message, MPI_BYTE, 1, 0, MPI_COMM_WORLD); }

static int send_begins(void)
{
    MPI_Request request;
    MPI_Isend(message, (int)sizeof message, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int send_starts(void)
{
    MPI_Request request;
    MPI_Send_init(message, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Request_free(&request);
}

/* Sends to one that stays out of the library for long. 0: it waited, and that isn't in its doubt. */
static int doubts(int rank, int (*send)(void))
{
    static const struct timespec absence = { 0, 50000000 };
    double before, took;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank) {
        nanosleep(&absence, 0);
        return !MPI_Recv(message, (int)sizeof message, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    before = doubted();
    took = MPI_Wtime();
    send();
    took = MPI_Wtime() - took;
    return took < 0.02 || doubted() - before > took / 2;
}

int main(int argc, char **argv)
{
    int rank, blocks, begins, starts;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    blocks = doubts(rank, send_blocks);
    begins = doubts(rank, send_begins);
    starts = doubts(rank, send_starts);
    MPI_Finalize();
    if (!rank) puts(!blocks ? "Send's wait is in no doubt" : !begins ? "Isend's wait is in no doubt" : !starts ? "a persistent send's wait is in no doubt" : "ok");
    return 0;
}
