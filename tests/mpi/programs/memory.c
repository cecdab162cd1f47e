/* The last rank has no memory left while windows, files and communicators are
   made, messages sent, probed and received, and in nonblocking collectives: the
   n-th thing that the layer asks for is refused, for each n. Nobody waits in vain
   then, messages arrive, and nothing is left behind. And a datatype is as long
   there as on the others. Prints "ok".

       memory FILE      a file to write */
#define _GNU_SOURCE 1
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refusals, until_refusal = -1; /* less than 0: nothing is refused */
static int for_good;                     /* everything from there on */

static int refuses(void)
{
    if (until_refusal < 0 || until_refusal-- > 0) return 0;
    refusals++;
    until_refusal += for_good;
    return 1;
}

/* What of the layer's is there. */
static int communicators_left, windows_left;

static int counted(int error, int *count)
{
    if (!error) ++*count;
    return error;
}

#define malloc(bytes) (refuses() ? NULL : malloc(bytes))
#define calloc(n, bytes) (refuses() ? NULL : calloc(n, bytes))
#define PMPI_Comm_split(...) counted(PMPI_Comm_split(__VA_ARGS__), &communicators_left)
#define PMPI_Comm_free(...) (communicators_left--, PMPI_Comm_free(__VA_ARGS__))
#define PMPI_Win_allocate(...) counted(PMPI_Win_allocate(__VA_ARGS__), &windows_left)
#define PMPI_Win_allocate_shared(...) counted(PMPI_Win_allocate_shared(__VA_ARGS__), &windows_left)
#define PMPI_Win_free(...) (windows_left--, PMPI_Win_free(__VA_ARGS__))

#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

static int rank, size;

enum { MOST = 12, LONG = 100000 };
#define W MPI_COMM_WORLD

static void memory_for(int n)
{
    while (pfc__requests_unused) {
        pfc__request_t *r = pfc__requests_unused;
        pfc__requests_unused = r->next;
        free(r->copy);
        free(r);
    }
    until_refusal = n;
    pfc__comms_ended = 0;
}

/* The user's own window counts as one of the layer's when it is freed. */
static void window(int n)
{
    static int here;
    MPI_Win win;
    int next = (rank + 1) % size, got = -1;
    memory_for(n);
    MPI_Win_create(&here, sizeof here, sizeof here, MPI_INFO_NULL, W, &win);
    until_refusal = -1;
    windows_left++;
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
    MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_unlock(next, win);
    MPI_Win_free(&win);
    if (got != rank) MPI_Abort(W, 3);
}

static void file(const char *name, int n)
{
    MPI_File f;
    int back = -1;
    memory_for(n);
    MPI_File_open(W, name, MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    until_refusal = -1;
    MPI_File_write_at_all(f, rank * (MPI_Offset)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(f, rank * (MPI_Offset)sizeof rank, &back, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    if (back != rank) MPI_Abort(W, 3);
}

/* Of an intercommunicator, others are those of the other side. */
static void works(MPI_Comm *comm)
{
    int inter, of_comm, others, next, before, got = -1, sum = -1, right_sum;
    MPI_Comm_rank(*comm, &of_comm);
    MPI_Comm_size(*comm, &others);
    MPI_Comm_test_inter(*comm, &inter);
    if (inter) MPI_Comm_remote_size(*comm, &others);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, *comm);
    PMPI_Allreduce(&rank, &right_sum, 1, MPI_INT, MPI_SUM, *comm);
    next = inter && of_comm >= others ? MPI_PROC_NULL : inter ? of_comm : (of_comm + 1) % others;
    before = next == MPI_PROC_NULL || inter ? next : (of_comm + others - 1) % others;
    MPI_Sendrecv(&of_comm, 1, MPI_INT, next, 0, &got, 1, MPI_INT, before, 0, *comm, MPI_STATUS_IGNORE);
    if (sum != right_sum || (before != MPI_PROC_NULL && got != before)) MPI_Abort(W, 5);
    MPI_Comm_free(comm);
}

static void communicators(int n)
{
    MPI_Comm made[5];
    MPI_Request request;
    MPI_Group all, mine;
    int range[1][3] = { { rank % 2, size - 1, 2 } }, i;
    MPI_Comm_group(W, &all);
    MPI_Group_range_incl(all, 1, range, &mine);
    memory_for(n);
    MPI_Comm_dup(W, &made[0]);
    MPI_Comm_create_group(W, mine, rank % 2, &made[1]);
    MPI_Intercomm_create(made[1], 0, W, !(rank % 2), 0, &made[2]);
    MPI_Intercomm_merge(made[2], rank % 2, &made[3]);
    MPI_Comm_idup(W, &made[4], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    until_refusal = -1;
    for (i = 0; i < 5; i++) works(&made[i]);
    MPI_Group_free(&all);
    MPI_Group_free(&mine);
}

/* What is refused is told, and goes well another time. */
static void messages(int n)
{
    static int out[LONG], in[2][LONG];
    MPI_Request request[3];
    MPI_Status status[3];
    MPI_Message message;
    int i, there = 0;
    for (i = 0; i < LONG; i++) out[i] = n + i;
    for (i = 0; i < 2; i++) MPI_Isend(out, LONG, MPI_INT, rank, i, W, &request[i]);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    memory_for(n);
    while (MPI_Mprobe(rank, 0, W, &message, MPI_STATUS_IGNORE)) { }
    while (MPI_Mrecv(in[0], LONG, MPI_INT, &message, MPI_STATUS_IGNORE)) { }
    while (MPI_Improbe(rank, 1, W, &there, &message, MPI_STATUS_IGNORE) || !there) { }
    while (MPI_Imrecv(in[1], LONG, MPI_INT, &message, &request[2])) { }
    while (MPI_Waitall(3, request, status)) { }
    for (i = 0; i < 2; i++) if (memcmp(in[i], out, sizeof out)) MPI_Abort(W, 7);
    memset(in, 0, sizeof in);
    while (MPI_Sendrecv(out, LONG, MPI_INT, rank, 2, in[0], LONG, MPI_INT, rank, 2, W, MPI_STATUS_IGNORE)) { }
    while (MPI_Irecv(in[1], LONG, MPI_INT, rank, 3, W, &request[0])) { }
    while (MPI_Ssend(out, LONG, MPI_INT, rank, 3, W)) { }
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    until_refusal = -1;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
    for (i = 0; i < 2; i++) if (memcmp(in[i], out, sizeof out)) MPI_Abort(W, 7);
}

/* Sends that wait for their receivers, and are refused, or freed: nobody will ask when those posted. */
static int refused_sends_left(void)
{
    MPI_Request request;
    const pfc__stream_t *s;
    int got;
    MPI_Issend(&rank, 1, MPI_INT, rank, 4, W, &request);
    MPI_Request_free(&request);
    MPI_Recv(&got, 1, MPI_INT, rank, 4, W, MPI_STATUS_IGNORE);
    pfc__left_alone_sweep(1);
    s = pfc__stream_of(1, rank, 4);
    if (!s || s->waiting) return 1;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    if (!MPI_Ssend(&rank, 1, MPI_INT, size, 0, W) || !MPI_Issend(&rank, 1, MPI_INT, size, 0, W, &request)) MPI_Abort(W, 6);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
    s = pfc__stream_of(1, size, 0);
    return !s || s->waiting;
}

/* Received, though not all of it: its record is gone. */
static int truncated_messages_left(void)
{
    static int out[2], in;
    MPI_Request request;
    MPI_Message message;
    MPI_Isend(out, 2, MPI_INT, rank, 0, W, &request);
    MPI_Mprobe(rank, 0, W, &message, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    if (!MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE)) MPI_Abort(W, 8);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return (int)pfc__probed.entries;
}

/* Of 4 GB. */
static void datatype(int n)
{
    MPI_Datatype part, whole;
    pfc__i64 bytes;
    MPI_Type_contiguous(1 << 20, MPI_INT, &part);
    MPI_Type_contiguous(1 << 10, part, &whole);
    MPI_Type_commit(&whole);
    memory_for(n);
    bytes = pfc__bytes_of(1, whole);
    until_refusal = -1;
    MPI_Type_free(&part);
    MPI_Type_free(&whole);
    if (bytes != (pfc__i64)1 << 32) MPI_Abort(W, 4);
}

/* It has begun, and the others haven't: they hear from this rank before. */
static void nonblocking(int n)
{
    enum { MANY = 24 };
    static int sum[MANY], around[MANY][2];
    int i, one = 1, periodic = 1, heard = 0, right_sum = size * (size - 1) / 2;
    MPI_Comm ring, made;
    MPI_Request request[2 * MANY + 1];
    MPI_Status status[2 * MANY + 1];
    MPI_Cart_create(W, 1, &size, &periodic, 0, &ring);
    memory_for(n);
    for_good = n >= 0;
    if (rank != size - 1) MPI_Recv(&heard, 1, MPI_INT, size - 1, 0, W, status);
    MPI_Ibarrier(W, &request[0]);
    for (i = 0; rank == size - 1 && i < size - 1; i++) MPI_Ssend(&one, 1, MPI_INT, i, 0, W);
    MPI_Wait(&request[0], status);
    for (i = 0; i < MANY; i++) {
        MPI_Iallreduce(&rank, &sum[i], 1, MPI_INT, MPI_SUM, W, &request[2 * i]);
        MPI_Ineighbor_allgather(&rank, 1, MPI_INT, around[i], 1, MPI_INT, ring, &request[2 * i + 1]);
    }
    MPI_Comm_idup(W, &made, &request[2 * MANY]);
    until_refusal = -1;
    for_good = 0;
    MPI_Waitall(2 * MANY + 1, request, status);
    for (i = 0; i < MANY; i++)
        if (sum[i] != right_sum || around[i][0] != (rank + size - 1) % size || around[i][1] != (rank + 1) % size) MPI_Abort(W, 6);
    if (heard != (rank != size - 1)) MPI_Abort(W, 6);
    works(&made);
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    int n, all = 0, left;
    if (argc != 2) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    for (n = 0; n < MOST; n++) {
        window(rank == size - 1 ? n : -1);
        file(argv[1], rank == size - 1 ? n : -1);
        communicators(rank == size - 1 ? n : -1);
        datatype(rank == size - 1 ? n : -1);
        messages(rank == size - 1 ? n : -1);
        nonblocking(rank == size - 1 ? n : -1);
    }
    left = communicators_left + windows_left + refused_sends_left() + (int)pfc__probed.entries + truncated_messages_left();
    MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT, MPI_MAX, W);
    MPI_Allreduce(&refusals, &all, 1, MPI_INT, MPI_SUM, W);
    if (rank == 0) printf(left || !all ? "%d left, %d refused\n" : "ok\n", left, all);
    MPI_Finalize();
    return 0;
}
