/* Alltoallv and Alltoallw in which ranks 0 and 1 have something for each other, and the last rank nothing for anybody. It
   comes to each call (but to the first, where all meet to try whether that is so) when rank 0 says that it has left:
   nobody may wait for it. MPICH's ranks don't. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16, LONG = 100000 };

static MPI_Comm comm;
static int rank, size, places[MOST], sent[MOST], got[MOST];
static MPI_Datatype types[MOST];

/* So many integers between ranks 0 and 1. */
static void swap(int n, int w)
{
    static int mine[LONG], theirs[LONG];
    int i;
    for (i = 0; i < size; i++) sent[i] = got[i] = rank < 2 && i == 1 - rank ? n : 0;
    for (i = 0; i < n; i++) mine[i] = rank + i;
    if (w) MPI_Alltoallw(mine, sent, places, types, theirs, got, places, types, comm);
    else MPI_Alltoallv(mine, sent, places, MPI_INT, theirs, got, places, MPI_INT, comm);
    for (i = 0; rank < 2 && i < n; i++)
        if (theirs[i] != 1 - rank + i) { printf("rank %d: %d instead of %d\n", rank, theirs[i], 1 - rank + i); return; }
}

static void rounds(MPI_Comm among)
{
    int i, last, left = 0;
    comm = among;
    MPI_Comm_rank(comm, &rank);
    last = rank == size - 1;
    swap(1, 0);
    for (i = 0; i < 20; i++) {
        if (last) MPI_Recv(&left, 1, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
        swap(i % 4 == 3 ? LONG : 1 + i, i % 2);
        if (rank == 0) MPI_Send(&i, 1, MPI_INT, size - 1, 7, comm);
    }
    for (i = 0; last && i < pfc__mpi_site_block.used; i++) { /* that gets nothing, so that nobody is late for it */
        const pfc__mpi_site_t *s = &pfc__mpi_site_block.first[i];
        if (!strncmp(s->name, "MPI_Alltoall", 12) && (s->wait_ct || s->wait_lt))
            printf("%s waited for %lld ns\n", s->name, (long long)s->wait_ct);
    }
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    MPI_Comm backwards;
    int i, alone;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 0; i < size; i++) types[i] = MPI_INT;
    rounds(MPI_COMM_WORLD);
    alone = rank;
    for (i = 0; i < pfc__mpi_site_block.used; i++) pfc__mpi_site_block.first[i].wait_ct = pfc__mpi_site_block.first[i].wait_lt = 0;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    rounds(backwards);
    MPI_Comm_free(&backwards);
    if (alone == 0) printf("done\n");
    MPI_Finalize();
    return 0;
}
