/* Communicators of ranks in whose communicators ways have been found already: tried
   are those of other ranks, of another order, and where not all know the same. What is tried delays all ranks. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <stdio.h>

#define W MPI_COMM_WORLD

static int rank;

static void expect(const char *what, MPI_Comm comm, int tried)
{
    pfc__i64 before = (pfc__i64)pfc__mpi.job->tried, least = pfc__mpi.least_delay;
    int data = rank, i;
    for (i = 0; i < 2; i++) MPI_Bcast(&data, 1, MPI_INT, 1, comm);
    if ((pfc__i64)pfc__mpi.job->tried - before != tried)
        printf("rank %d, %s: %lld tried, expected %d\n", rank, what, (long long)((pfc__i64)pfc__mpi.job->tried - before), tried);
    if (comm != W) MPI_Comm_free(&comm);
    else if (pfc__mpi.least_delay <= least) printf("rank %d, %s: what was tried has delayed all, but none is said to be later\n", rank, what);
}

static MPI_Comm split(int color, int key)
{
    MPI_Comm comm;
    MPI_Comm_split(W, color, key, &comm);
    return comm;
}

int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Comm comm;
    int i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    expect("the first", W, 1);
    for (i = 0; i < 40; i++) {
        MPI_Comm_dup(W, &comm);
        expect("a duplicate", comm, 0);
    }
    MPI_Comm_idup(W, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("a nonblocking duplicate", comm, 0);
    expect("the same ranks", split(0, rank), 0);
    expect("another order", split(0, -rank), 1);
    expect("another order again", split(0, -rank), 0);
    if (rank == 0) memset(pfc__ways_kept, 0, sizeof pfc__ways_kept);
    expect("known to some", split(0, rank), 1);
    expect("known to all again", split(0, rank), 0);
    if (rank == 0) printf("done\n");
    MPI_Finalize();
    return 0;
}
