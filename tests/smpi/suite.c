/* Linked with each program of MPICH's suite, plain and with the layer (LAYER): before each call of its main file it works for up to
   30 us, and has up to 40 probes, and writes into SUITE_ROWS.<rank> when that was: rows "0 rank call end doubt name", in ns. See
   tests/smpi/suite and ends.py. */
#if defined LAYER
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"
#endif
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/smpi/builds.h"

enum { MOST = 8, LONG = 3000 }; /* ranks; ints of one */
static const int lengths[] = { 4, 100, 1000, 5000, 20000 };
static int given[MOST * LONG], taken[MOST * LONG], rank, calls;
static FILE *rows;

void suite_calls(const char *name)
{
    if (!rows) return;
    fprintf(rows, "0 %d %d %.0f %.0f %s\n", rank, calls++, now(), doubt(), name);
    work_unevenly(rank, calls, 40, 30000);
}

/* SimGrid's first collective of a kind has more to do, and the layer has seen by then which way its data go. */
static void collectives(int n)
{
    MPI_Bcast(given, n, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(given, taken, n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(given, taken, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scatter(given, n, MPI_INT, taken, n, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(given, n, MPI_INT, taken, n, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgather(given, n, MPI_INT, taken, n, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(given, n, MPI_INT, taken, n, MPI_INT, MPI_COMM_WORLD);
    MPI_Scan(given, taken, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(given, taken, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(given, taken, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

void suite_begins(void)
{
    char name[4096];
    int i;
    if (rows) return;
    warm_up(given, lengths, sizeof lengths / sizeof *lengths, MPI_COMM_WORLD);
    for (i = 0; i < 6; i++) collectives(1), collectives(LONG);
    for (i = 0; i < 3; i++) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s.%d", getenv("SUITE_ROWS"), rank);
    rows = fopen(name, "w");
    suite_calls("begins");
}

void suite_ends(void)
{
    suite_calls("ends");
    if (rows) fclose(rows);
    rows = 0;
}
