/* Ranks whose clocks stand apart and drift, as on several hosts: the common
   clock is rank 0's, within the bound that it gives, for as long as the program
   runs. With PERFCOMP_CLOCK, which may be any clock. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t system_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* As rank `rank` reads it: 7 s apart, and 20 ppm faster than the rank before. */
static int64_t clock_of(int rank, int64_t now) { return now + rank * (7000000000 + now / 50000); }

static int64_t own_clock(void)
{
    static int rank = -1;
    const char *mpich = getenv("PMI_RANK"), *openmpi = getenv("OMPI_COMM_WORLD_RANK");
    if (rank < 0) rank = atoi(mpich ? mpich : openmpi ? openmpi : "0");
    return clock_of(rank, system_ns());
}

#define PERFCOMP_CLOCK() own_clock()
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <stdio.h>

static int wrong, rank;

/* The reading lies between two of rank 0's, give or take the bound. */
static void check(const char *when, int64_t most)
{
    int64_t before = system_ns(), common = pfc__common_ns(pfc__clock()), after = system_ns(), bound = pfc__clock_bound(common);
    if (common < before - bound || common > after + bound || bound > most) {
        wrong = 1;
        printf("rank %d, %s: %lld ns off, bound %lld, at most %lld\n", rank, when, (long long)(common - before), (long long)bound,
               (long long)most);
    }
}

int main(int argc, char **argv)
{
    const struct timespec while_ = { 0, 100000000 };
    int64_t drifting;
    int i, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check("after Init", INT64_MAX);
    for (i = 0; i < 9; i++) nanosleep(&while_, 0);
    check("before the clocks are compared again", INT64_MAX);
    drifting = pfc__clock_bound(pfc__common_ns(pfc__clock()));
    for (i = 0; i < 3; i++) {
        nanosleep(&while_, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    check("after it", rank ? 2 * drifting : 0);
    if (pfc__sync.pause == PFC__SYNC_FIRST_NS) wrong = 1, puts("they were never compared again");
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    if (llabs(pfc__mpi.job->clock_strayed) > pfc__mpi.job->clock_u + pfc__mpi.clock_u || (rank && !pfc__mpi.job->clock_u)) {
        printf("rank %d, at Finalize: %lld ns off, bound %lld\n", rank, (long long)pfc__mpi.job->clock_strayed,
               (long long)pfc__mpi.job->clock_u);
        all = 1;
    }
    if (!rank && !all) puts("ok");
    return all;
}
