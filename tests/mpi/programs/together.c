/* Two nonblocking collectives that one Waitall waits for, behind some work: with more ranks than processors each is waited for, until
   whoever isn't running gets a processor. Rank 0 tells how many seconds that took. */
#include <mpi.h>
#include <stdio.h>
#include "perfcomp.h"

enum { WORK = 20000, RANKS = 3 };

static void loop(void)
{
    static double work[WORK];
    MPI_Request request[2];
    MPI_Status status[2];
    int i, k, from[RANKS] = { 0 }, to[RANKS], sum;
    for (i = 0; i < 1000; i++) {
        for (k = 0; k < WORK; k++) work[k] = 0.9 * work[k] + i;
        MPI_Iallreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
        MPI_Ialltoall(from, 1, MPI_INT, to, 1, MPI_INT, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, status);
    }
}

int main(int argc, char **argv)
{
    double begin;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    loop(); /* warms up */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    PFC_BEGIN("loop");
    loop();
    PFC_END("loop");
    if (rank == 0) printf("%.9f\n", MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
