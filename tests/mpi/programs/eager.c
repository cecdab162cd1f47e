/* How long a message doesn't wait for its receiver (mpi/eager.c), where rank 1 waits for a processor each time before it
   looks after what has come. On 2 ranks; rank 0 prints "ok". */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static int rank_of_late_one = 1;

static int late_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct timespec absence = { 0, 200000 };
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == rank_of_late_one) nanosleep(&absence, 0);
    return PMPI_Test(request, flag, status);
}

#define PMPI_Test late_test
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

int main(int argc, char **argv)
{
    int rank, ok;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rank_of_late_one = -1;
    ok = pfc__link.eager >= 1000; /* both libraries' is 4 KB or more */
    if (!ok && !rank) printf("the longest message that doesn't wait: %lld bytes\n", (long long)pfc__link.eager);
    MPI_Finalize();
    if (ok && !rank) puts("ok");
    return !ok;
}
