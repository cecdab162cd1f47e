/* Each collective once, and once beside the program, in three communicators: all ranks, the odd and the even ones, and all of
   them backwards. Then one that is started twice, where MPI has such, and one to which rank 0 is late, for which the others
   poll. Prints how many go on beside, of each rank. */
#include "mpi4.h"
#include <stdio.h>
#include <unistd.h>

enum { MOST = 64, KINDS = 17 };

static int in[MOST], out[MOST], counts[MOST], at[MOST];
static MPI_Datatype types[MOST];

static void meet(MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) counts[i] = 1, at[i] = i, types[i] = MPI_INT;
    MPI_Barrier(comm);
    MPI_Bcast(in, 3, MPI_INT, 1, comm);
    MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm);
    MPI_Gatherv(in, 1, MPI_INT, out, counts, at, MPI_INT, 0, comm);
    MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, 1, comm);
    MPI_Scatterv(in, counts, at, MPI_INT, out, 1, MPI_INT, 1, comm);
    MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, comm);
    MPI_Allgatherv(in, 1, MPI_INT, out, counts, at, MPI_INT, comm);
    MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, comm);
    MPI_Alltoallv(in, counts, at, MPI_INT, out, counts, at, MPI_INT, comm);
    for (int i = 0; i < size; i++) at[i] = i * (int)sizeof(int);
    MPI_Alltoallw(in, counts, at, types, out, counts, at, types, comm);
    MPI_Allreduce(in, out, 5, MPI_INT, MPI_MAX, comm);
    MPI_Reduce(in, out, 5, MPI_INT, MPI_MAX, 0, comm);
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_MAX, comm);
    MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_MAX, comm);
    MPI_Scan(in, out, 4, MPI_INT, MPI_MAX, comm);
    MPI_Exscan(in, out, 4, MPI_INT, MPI_MAX, comm);
}

static int meet_beside(MPI_Comm comm)
{
    static int to[KINDS][MOST];
    static int at_bytes[MOST];
    MPI_Request request[KINDS];
    MPI_Status status[KINDS];
    int size, n = 0, seen = 0;
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) counts[i] = 1, at[i] = i, at_bytes[i] = i * (int)sizeof(int), types[i] = MPI_INT;
    MPI_Ibarrier(comm, &request[n++]);
    MPI_Ibcast(to[n], 3, MPI_INT, 1, comm, &request[n]), n++;
    MPI_Igather(in, 2, MPI_INT, to[n], 2, MPI_INT, 0, comm, &request[n]), n++;
    MPI_Igatherv(in, 1, MPI_INT, to[n], counts, at, MPI_INT, 0, comm, &request[n]), n++;
    MPI_Iscatter(in, 2, MPI_INT, to[n], 2, MPI_INT, 1, comm, &request[n]), n++;
    MPI_Iscatterv(in, counts, at, MPI_INT, to[n], 1, MPI_INT, 1, comm, &request[n]), n++;
    MPI_Iallgather(in, 2, MPI_INT, to[n], 2, MPI_INT, comm, &request[n]), n++;
    MPI_Iallgatherv(in, 1, MPI_INT, to[n], counts, at, MPI_INT, comm, &request[n]), n++;
    MPI_Ialltoall(in, 2, MPI_INT, to[n], 2, MPI_INT, comm, &request[n]), n++;
    MPI_Ialltoallv(in, counts, at, MPI_INT, to[n], counts, at, MPI_INT, comm, &request[n]), n++;
    MPI_Ialltoallw(in, counts, at_bytes, types, to[n], counts, at_bytes, types, comm, &request[n]), n++;
    MPI_Iallreduce(in, to[n], 5, MPI_INT, MPI_MAX, comm, &request[n]), n++;
    MPI_Ireduce(in, to[n], 5, MPI_INT, MPI_MAX, 0, comm, &request[n]), n++;
    MPI_Ireduce_scatter(in, to[n], counts, MPI_INT, MPI_MAX, comm, &request[n]), n++;
    MPI_Ireduce_scatter_block(in, to[n], 2, MPI_INT, MPI_MAX, comm, &request[n]), n++;
    MPI_Iscan(in, to[n], 4, MPI_INT, MPI_MAX, comm, &request[n]), n++;
    MPI_Iexscan(in, to[n], 4, MPI_INT, MPI_MAX, comm, &request[n]), n++;
    while (!seen) MPI_Request_get_status(request[0], &seen, status); /* its end is in the call that completes it */
    MPI_Waitall(n, request, status);
    return n;
}

static int meet_twice(MPI_Comm comm)
{
#if HAS_MPI_4
    MPI_Request request;
    MPI_Allreduce_init(in, out, 7, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    return 2;
#else
    (void)comm;
    return 0;
#endif
}

static int meet_late(int is_late)
{
    MPI_Request request;
    int done = 0;
    if (is_late) usleep(100000);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Comm half, backwards;
    int rank, beside;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    meet(MPI_COMM_WORLD);
    meet(half);
    meet(backwards);
    beside = meet_beside(MPI_COMM_WORLD) + meet_beside(half) + meet_beside(backwards) + meet_twice(MPI_COMM_WORLD) + meet_late(!rank);
    if (!rank) printf("%d\n", beside);
    MPI_Comm_free(&half);
    MPI_Comm_free(&backwards);
    MPI_Finalize();
    return 0;
}
