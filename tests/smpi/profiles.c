/* What a simulated program's profile says: compiled with the layer and without. Probes are passed before MPI_Init, too,
   where the virtual clock doesn't run. Plain, it prints when the last rank was at its end, in ns. */
#if defined LAYER
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"
#else
#define PFC_SCOPE(name)
#define PFC_HIT(name)
#endif

#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

static void work(int n)
{
    while (n-- > 0) {
        PFC_SCOPE("work");
        PFC_HIT("turn");
        smpi_execute(1e-5);
    }
}

int main(int argc, char **argv)
{
    int rank, step;
    double end, last;
    PFC_SCOPE("main");
    for (step = 0; step < 1000; step++) PFC_HIT("before");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (step = 0; step < 5; step++) {
        work(100 * (rank + 1));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end = MPI_Wtime();
    MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
#if !defined LAYER
    if (!rank) printf("%.0f\n", last * 1e9);
#endif
    MPI_Finalize();
    return 0;
}
