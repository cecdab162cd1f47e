/* What messages take on two ranks, without and with the layer, in ns: one way
   of a ping-pong, also of lines with gaps (a derived datatype), an exchange by nonblocking messages, a look for one that
   doesn't come, and an Allreduce. The library's own calls (PMPI_) and the
   layer's take turns in one run, so that both meet the same disturbances.
   Prints "NAME LIBRARY LAYER LT" for each turn: what the layer's took, and
   what they would have taken without it, as it says itself. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 61, MOST = 1 << 20, LINE = 64 };

typedef struct {
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int (*recv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    int (*isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int (*irecv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int (*waitall)(int, MPI_Request *, MPI_Status *);
    int (*test)(MPI_Request *, int *, MPI_Status *);
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    MPI_Request never;
} calls_t;

static calls_t library = { PMPI_Send, PMPI_Recv, PMPI_Isend, PMPI_Irecv, PMPI_Waitall, PMPI_Test, PMPI_Allreduce, 0 };
static calls_t layer = { MPI_Send, MPI_Recv, MPI_Isend, MPI_Irecv, MPI_Waitall, MPI_Test, MPI_Allreduce, 0 };

static int rank;
static char *data;
static MPI_Datatype lines;

static void there_and_back(calls_t *c, int count, MPI_Datatype type)
{
    int other = 1 - rank;
    if (rank == 0) c->send(data, count, type, other, 1, MPI_COMM_WORLD);
    c->recv(data, count, type, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) c->send(data, count, type, other, 1, MPI_COMM_WORLD);
}

static void ping_pong(calls_t *c, int bytes) { there_and_back(c, bytes, MPI_CHAR); }

static void ping_pong_lines(calls_t *c, int bytes)
{
    (void)bytes;
    there_and_back(c, 1, lines);
}

static void exchange(calls_t *c, int bytes)
{
    MPI_Request request[2];
    MPI_Status status[2];
    c->irecv(data + bytes, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &request[0]);
    c->isend(data, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &request[1]);
    c->waitall(2, request, status);
}

static void look(calls_t *c, int bytes)
{
    int there;
    (void)bytes;
    c->test(&c->never, &there, MPI_STATUS_IGNORE);
}

static void all_reduce(calls_t *c, int bytes)
{
    double in = bytes, out;
    c->allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

typedef struct { double ct, lt; } took_t;

static took_t turn(calls_t *c, void (*operation)(calls_t *, int), int bytes, int times)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    pfc_timers_t begin = pfc_timers();
    for (int k = 0; k < times; k++) operation(c, bytes);
    pfc_timers_t end = pfc_timers();
    return (took_t){ (double)(end.ct - begin.ct) / times, (double)(end.lt - begin.lt) / times };
}

static void measure(const char *name, void (*operation)(calls_t *, int), int bytes, int times, double share)
{
    for (int i = 0; i < TURNS; i++) {
        took_t without = turn(&library, operation, bytes, times), with = turn(&layer, operation, bytes, times);
        if (rank == 0) printf("%s %.1f %.1f %.1f\n", name, without.ct * share, with.ct * share, with.lt * share);
    }
}

int main(int argc, char **argv)
{
    data = calloc(2, MOST);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!data) MPI_Abort(MPI_COMM_WORLD, 1);
    measure("latency", ping_pong, 8, 1000, 0.5);
    measure("exchange", exchange, 8, 1000, 1);
    PMPI_Irecv(data, 8, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, &library.never);
    MPI_Irecv(data, 8, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, &layer.never);
    measure("test", look, 8, 1000, 1);
    PMPI_Cancel(&library.never);
    PMPI_Wait(&library.never, MPI_STATUS_IGNORE);
    MPI_Cancel(&layer.never);
    MPI_Wait(&layer.never, MPI_STATUS_IGNORE);
    measure("transfer", ping_pong, MOST, 20, 0.5);
    MPI_Type_vector(MOST / LINE, LINE, 2 * LINE, MPI_CHAR, &lines);
    MPI_Type_commit(&lines);
    measure("lines", ping_pong_lines, MOST, 20, 0.5);
    MPI_Type_free(&lines);
    measure("swap", exchange, MOST, 20, 1);
    measure("allreduce", all_reduce, 8, 1000, 1);
    MPI_Finalize();
    free(data);
    return 0;
}
