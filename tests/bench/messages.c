/* What messages take on two ranks, in ns: one way of a ping-pong, an exchange
   by nonblocking messages, a look for one that doesn't come, and an Allreduce.
   Prints "NAME MEDIAN" lines; built without and with the layer. */
#if defined LAYER
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"
#endif

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 41, MOST = 1 << 20 };

static int rank;
static char *data;

static void ping_pong(int bytes)
{
    int other = 1 - rank;
    if (rank == 0) MPI_Send(data, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD);
    MPI_Recv(data, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD);
}

static void exchange(int bytes)
{
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Irecv(data + bytes, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(data, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, status);
}

static MPI_Request never;

static void look(int bytes)
{
    int there;
    (void)bytes;
    MPI_Test(&never, &there, MPI_STATUS_IGNORE);
}

static void all_reduce(int bytes)
{
    double in = bytes, out;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, void (*operation)(int), int bytes, int times, double share)
{
    double ns[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        for (int k = 0; k < times; k++) operation(bytes);
        ns[i] = (MPI_Wtime() - begin) * 1e9 / times * share;
    }
    qsort(ns, BATCHES, sizeof *ns, ascending);
    if (rank == 0) printf("%s %.1f\n", name, ns[BATCHES / 2]);
}

int main(int argc, char **argv)
{
    data = calloc(1, MOST);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!data) MPI_Abort(MPI_COMM_WORLD, 1);
    measure("latency", ping_pong, 8, 2000, 0.5);
    measure("exchange", exchange, 8, 2000, 1);
    MPI_Irecv(data, 8, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, &never);
    measure("test", look, 8, 2000, 1);
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
    measure("transfer", ping_pong, MOST, 20, 0.5);
    measure("allreduce", all_reduce, 8, 2000, 1);
    MPI_Finalize();
    free(data);
    return 0;
}
