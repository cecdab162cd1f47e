/* A ring with a wildcard receive: each rank adds its own and passes it on. With
   an argument, a rank comes late to MPI_Init. SOME_THREADS: any thread may call
   MPI. SOME_ALARMS: signals come while it begins. SOME_LEAVE: rank 1 ends without
   MPI_Finalize. Prints "sum N" on rank 0. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static void nothing(int signal) { (void)signal; }

static void alarms(int us)
{
    const struct itimerval often = { { 0, us }, { 0, us } };
    signal(SIGALRM, nothing);
    setitimer(ITIMER_REAL, &often, 0);
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0, all = 0, level;
    if (argc > 1) usleep(1500000);
    if (getenv("SOME_ALARMS")) alarms(100);
    if (getenv("SOME_THREADS")) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else MPI_Init(&argc, &argv);
    if (getenv("SOME_ALARMS")) alarms(0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 1 && getenv("SOME_LEAVE")) return 0;
    if (rank) MPI_Recv(&sum, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += rank + 1;
    MPI_Send(&sum, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
    if (!rank) MPI_Recv(&sum, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!rank) printf("sum %d\n", all);
    return MPI_Finalize();
}
