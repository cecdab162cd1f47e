/* Messages that the library would buffer, were there not their piggybacks: both
   ranks send them first, in every way, and receive them later. Whoever waited
   for its receiver would wait for ever. And some that the library would let go
   although their receiver is out of it for long. 2 ranks; prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 3 };

static char *out, *in;
static int bytes, other, wrong;

/* `count` elements of `type`: `bytes` in all, of which each one's place is known. */
typedef struct { const char *name; int count, stride; MPI_Datatype type; } data_t;

static void expect(int holds, const char *way, const data_t *data)
{
    if (!holds) printf("%s of %s, %d bytes\n", way, data->name, bytes);
    wrong += !holds;
}

static char byte_of(int i, int round) { return (char)(i * 7 + round); }

static void fill(const data_t *data, int round)
{
    for (int i = 0; i < bytes; i++) out[i * data->stride] = byte_of(i, round);
}

static int arrives(int round)
{
    MPI_Status status;
    int i, came = -1;
    memset(in, 1, (size_t)bytes);
    MPI_Recv(in, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &came);
    for (i = 0; i < bytes && in[i] == byte_of(i, round); i++) continue;
    return came == bytes && i == bytes;
}

static void all_arrive(const char *way, const data_t *data)
{
    for (int round = 0; round < ROUNDS; round++) expect(arrives(round), way, data);
}

static void blocking(const data_t *data)
{
    for (int round = 0; round < ROUNDS; round++) {
        fill(data, round);
        MPI_Send(out, data->count, data->type, other, 1, MPI_COMM_WORLD);
    }
    all_arrive("Send", data);
}

static void nonblocking(const data_t *data)
{
    MPI_Request request;
    for (int round = 0; round < ROUNDS; round++) {
        fill(data, round);
        MPI_Isend(out, data->count, data->type, other, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    all_arrive("Isend", data);
}

/* Completed in each way in turn; its type is freed before its first start. */
static void persistent(const data_t *data)
{
    MPI_Request request;
    MPI_Datatype type;
    MPI_Status status;
    int done, index = -1;
    MPI_Type_dup(data->type, &type);
    MPI_Send_init(out, data->count, data->type == MPI_CHAR ? MPI_CHAR : type, other, 1, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    for (int round = 0; round < ROUNDS; round++) {
        fill(data, round);
        if (round % 2) MPI_Startall(1, &request);
        else MPI_Start(&request);
        if (round == 0) MPI_Wait(&request, &status);
        else if (round == 1) {
            MPI_Waitsome(1, &request, &done, &index, &status);
            expect(done == 1 && index == 0, "Waitsome", data);
        } else
            do MPI_Test(&request, &done, &status);
            while (!done);
        expect(request != MPI_REQUEST_NULL, "a persistent request", data);
    }
    all_arrive("Start", data);
    MPI_Request_free(&request);
}

enum { ABSENT_US = 100000 };

static void absent_receiver(const data_t *data)
{
    double begin, least = 1;
    for (int round = 0; round < ROUNDS; round++) {
        fill(data, round);
        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        if (other == 1) MPI_Send(out, data->count, data->type, other, 1, MPI_COMM_WORLD);
        if (least > MPI_Wtime() - begin) least = MPI_Wtime() - begin;
        if (other == 1) continue;
        usleep(ABSENT_US);
        expect(arrives(round), "Send to an absent receiver", data);
    }
    expect(least < ABSENT_US / 2 / 1e6, "Send, which waited for an absent receiver,", data);
}

int main(int argc, char **argv)
{
    data_t plain = { "chars", 0, 1, MPI_CHAR }, every_other = { "every other char", 1, 2, MPI_DATATYPE_NULL };
    static const int above[] = { 0, 1, 9, PFC__PIGGY };
    int rank, most;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    most = (int)pfc__link.eager + PFC__PIGGY; /* what the library buffers */
    out = calloc(2, (size_t)most);
    in = calloc(1, (size_t)most);
    if (!out || !in) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 4; i++) {
        bytes = (int)pfc__link.eager + above[i];
        plain.count = bytes;
        MPI_Type_vector(bytes, 1, 2, MPI_CHAR, &every_other.type);
        MPI_Type_commit(&every_other.type);
        for (int k = 0; k < 2; k++) {
            const data_t *data = k ? &every_other : &plain;
            blocking(data);
            nonblocking(data);
            persistent(data);
        }
        MPI_Type_free(&every_other.type);
    }
    for (int i = 0; i < 4; i++) {
        plain.count = bytes = (int)pfc__link.alone + above[i];
        absent_receiver(&plain);
    }
    MPI_Finalize();
    free(in);
    free(out);
    if (rank == 0 && !wrong) puts("ok");
    return wrong != 0;
}
