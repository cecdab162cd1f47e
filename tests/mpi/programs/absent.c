/* One-sided communication with a rank that stays out of the library for long, whose answer comes when it is back (MPICH): what
   is waited for that may be anybody's delay. On 2 ranks; prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <stdio.h>
#include <time.h>

static MPI_Win exposed;
static MPI_Group the_other;
static int *shared_int, put_value = 1;

static double uncertain(void) { return (double)pfc__moment_at(pfc__clock()).u * 1e-9; }

static void put_one(void) { MPI_Put(&put_value, 1, MPI_INT, 1, 0, 1, MPI_INT, exposed); }

static void epoch_put(void)
{
    MPI_Win_start(the_other, 0, exposed);
    put_one();
    MPI_Win_complete(exposed);
}

static void flushes_put(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, exposed);
    put_one();
    MPI_Win_flush(1, exposed);
    MPI_Win_unlock(1, exposed);
}

static void unlocks_put(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, exposed);
    put_one();
    MPI_Win_unlock(1, exposed);
}

/* 0: it waited, and that isn't in its doubt. */
static int waits_doubted(int rank, void (*access)(void))
{
    static const struct timespec absence = { 0, 50000000 };
    double before, took, doubt;
    if (rank && access == epoch_put) MPI_Win_post(the_other, 0, exposed);
    MPI_Barrier(MPI_COMM_WORLD);
    before = uncertain();
    took = MPI_Wtime();
    if (rank) nanosleep(&absence, 0);
    else access();
    took = MPI_Wtime() - took;
    doubt = uncertain() - before;
    if (rank && access == epoch_put) MPI_Win_wait(exposed);
    MPI_Barrier(MPI_COMM_WORLD);
    return rank || took < 0.02 || doubt > took / 2;
}

int main(int argc, char **argv)
{
    MPI_Group all;
    int rank, there, completes, flushes, unlocks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *shared_int, sizeof *shared_int, MPI_INFO_NULL, MPI_COMM_WORLD, &shared_int, &exposed);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    there = !rank;
    MPI_Group_incl(all, 1, &there, &the_other);
    completes = waits_doubted(rank, epoch_put);
    flushes = waits_doubted(rank, flushes_put);
    unlocks = waits_doubted(rank, unlocks_put);
    if (!rank) puts(!completes ? "Win_complete's wait is in no doubt" : !flushes ? "Win_flush's is in none" : !unlocks ? "Win_unlock's is in none" : "ok");
    MPI_Group_free(&the_other);
    MPI_Group_free(&all);
    MPI_Win_free(&exposed);
    MPI_Finalize();
    return 0;
}
