/* Gatherv, Scatterv and Reduce_scatter in which the last rank has no part. It waits for nobody, and in the first two nobody for it:
   where the root comes later it has waited for nothing, and its own delay isn't the root's. Three ranks at least. Prints "done". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <time.h>

#define CHECK(condition) ((condition) ? (void)0 : (void)printf("rank %d: %s\n", rank, #condition))
#define W MPI_COMM_WORLD

enum { MOST = 16, MS = 1000000 };

static int rank, size, last, data[MOST], all[MOST], counts[MOST], none[MOST], places[MOST];

static void own_time(int ms)
{
    const struct timespec time = { 0, ms * MS };
    nanosleep(&time, 0);
}

static void overhead(int ms)
{
    int64_t tick = pfc__clock();
    own_time(ms);
    pfc__charge_slow(tick);
}

static void scatter(void) { MPI_Scatterv(all, counts, places, MPI_INT, data, counts[rank], MPI_INT, 0, W); }
static void gather(void) { MPI_Gatherv(data, counts[rank], MPI_INT, all, counts, places, MPI_INT, 0, W); }

static void reduce(void) { MPI_Reduce_scatter(data, all, counts, MPI_INT, MPI_SUM, W); }

static const pfc__mpi_site_t *site(const char *name)
{
    int i = 0;
    while (strcmp(pfc__mpi_site_block.first[i].name, name)) i++;
    return &pfc__mpi_site_block.first[i];
}

/* The root comes last, and isn't waited for by who gets nothing. */
static void root_is_late(void)
{
    MPI_Barrier(W);
    if (rank == last) overhead(20);
    if (rank == 0) own_time(60);
    scatter();
    CHECK(rank != last || (site("MPI_Scatterv")->wait_ct == 0 && site("MPI_Scatterv")->wait_lt == 0));
}

/* Rank 0 comes last. Where the library doesn't let the last rank wait for it, that hasn't waited. */
static void who_reduces_is_late(void)
{
    MPI_Barrier(W);
    if (rank == last) overhead(20);
    if (rank == 0) own_time(60);
    reduce();
    CHECK(rank != last || site("MPI_Reduce_scatter")->time_ct > 30 * MS || site("MPI_Reduce_scatter")->wait_lt < 10 * MS);
}

/* The root waits for rank 1, long before the last one comes. */
static void other_is_late(void)
{
    int64_t before;
    MPI_Barrier(W);
    before = pfc_lt();
    if (rank == last) overhead(60);
    if (rank == 1) own_time(30);
    gather();
    CHECK(rank != 0 || pfc_lt() - before >= 15 * MS);
}

/* What isn't known of many of them is no more than what isn't of one. */
static void doubts(void)
{
    MPI_Request request;
    int i;
    for (i = 0; i < 100; i++) {
        MPI_Ialltoallv(all, none, places, MPI_INT, data, none, places, MPI_INT, W, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Iallgatherv(data, counts[rank], MPI_INT, all, counts, places, MPI_INT, W, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    CHECK(pfc__delta_doubt(pfc__self) / (1 << PFC__FRACTION) / pfc__ticks_per_ns() < 1e11);
}

int main(int argc, char **argv)
{
    int i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    last = size - 1;
    for (i = 0; i < size; i++) counts[i] = i < last, places[i] = i;
    data[0] = rank;
    gather(); /* at the first, all meet to try which way the data go */
    scatter();
    CHECK(data[0] == rank);
    root_is_late();
    other_is_late();
    who_reduces_is_late();
    doubts();
    if (rank == 0) printf("done\n");
    MPI_Finalize();
    return 0;
}
