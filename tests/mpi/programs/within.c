/* Where who is waited for is late by overhead, and nobody tells of it, or too late: ± holds it. Each way of waiting is tried as it is,
   and with a rank that is late. Two ranks. Prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { A_FEW = 10, A_LOT = 300000, OWN_MS = 30, LATE_MS = 100, NOISE_MS = 30 };

static int rank, is_late;
static char leaving[A_LOT], coming[A_LOT], attached[A_LOT + MPI_BSEND_OVERHEAD];

static void sleeps(long ms)
{
    const struct timespec time = { 0, ms * 1000000 };
    nanosleep(&time, NULL);
}

static void come_late(void)
{
    int64_t tick;
    sleeps(OWN_MS);
    if (!is_late) return;
    tick = pfc__clock();
    sleeps(LATE_MS);
    pfc__delta_charge(pfc__self, pfc__clock() - tick);
}

/* Until what is in the buffer has been received. */
static void detach(int length)
{
    void *buffer;
    int n;
    if (rank) {
        come_late();
        MPI_Recv(coming, length, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Buffer_attach(attached, sizeof attached);
    MPI_Bsend(leaving, length, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Buffer_detach(&buffer, &n);
}

/* Until all have come, in Open MPI. */
static void disconnect(int unused)
{
    MPI_Comm copy;
    (void)unused;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank) come_late();
    MPI_Comm_disconnect(&copy);
}

/* Until a probe finds it; what is done between two of them is the program's own. */
static void probe(MPI_Message *message)
{
    int there = 0;
    while (!there) {
        sleeps(1);
        if (message) MPI_Improbe(1, 1, MPI_COMM_WORLD, &there, message, MPI_STATUS_IGNORE);
        else MPI_Iprobe(1, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
}

/* Both send, and the first one, who probes, only receives when it has found the other's. */
static void exchange(int length, int matched, int blocking)
{
    MPI_Request sent, received;
    MPI_Message message;
    if (rank) come_late();
    MPI_Isend(leaving, length, MPI_CHAR, !rank, 1, MPI_COMM_WORLD, &sent);
    if (!rank) probe(matched ? &message : 0);
    if (rank) MPI_Irecv(coming, length, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &received);
    else if (blocking && matched) MPI_Mrecv(coming, length, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    else if (blocking) MPI_Recv(coming, length, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (matched) MPI_Imrecv(coming, length, MPI_CHAR, &message, &received);
    else MPI_Irecv(coming, length, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &received);
    if (rank || !blocking) MPI_Wait(&received, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static void probe_receive(int length) { exchange(length, 0, 1); }
static void probe_ireceive(int length) { exchange(length, 0, 0); }
static void mprobe_receive(int length) { exchange(length, 1, 1); }
static void mprobe_ireceive(int length) { exchange(length, 1, 0); }

/* What is found is answered before it is received. */
static void probe_send(int length)
{
    MPI_Request sent;
    if (rank) {
        come_late();
        MPI_Send(leaving, length, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(coming, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    probe(0);
    MPI_Isend(leaving, 0, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &sent);
    MPI_Recv(coming, length, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

/* Each thread's questions are its own. */
static void test_receive(int length)
{
    MPI_Request received;
    int there = 0;
    if (rank) {
        come_late();
        MPI_Send(leaving, length, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(coming, length, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &received);
    while (!there) MPI_Test(&received, &there, MPI_STATUS_IGNORE);
}

static void test(MPI_Request *request)
{
    int there = 0;
    while (!there) {
        sleeps(1);
        MPI_Test(request, &there, MPI_STATUS_IGNORE);
    }
}

/* Whether it has been received. */
static void test_send(int length)
{
    MPI_Request sent;
    if (rank) {
        come_late();
        MPI_Recv(coming, length, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Issend(leaving, length, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &sent);
    test(&sent);
}

/* All have begun it long before the first question, which may be in vain: libraries bring it to its end inside of their calls. */
static void test_collective(int unused)
{
    MPI_Request request;
    int there = 0;
    (void)unused;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (rank) come_late();
    while (!there) MPI_Test(&request, &there, MPI_STATUS_IGNORE);
}

/* Whether the other rank's number is there: as a rule when it is inside of MPI again. */
static void test_access(int unused)
{
    MPI_Request request;
    MPI_Win window;
    int *number, one = 1, before;
    (void)unused;
    MPI_Win_allocate(sizeof *number, sizeof *number, MPI_INFO_NULL, MPI_COMM_WORLD, &number, &window);
    *number = 0;
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank) come_late();
    else {
        MPI_Rget_accumulate(&one, 1, MPI_INT, &before, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window, &request);
        test(&request);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Rank 0 sends to rank 1, and receives nothing from there: it waits for it where the data are long. */
static void neighbours(int length, int blocking)
{
    MPI_Comm graph;
    MPI_Request request;
    int other = !rank;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank, &other, MPI_UNWEIGHTED, !rank, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    if (rank) come_late();
    if (blocking) MPI_Neighbor_allgather(leaving, length, MPI_CHAR, coming, length, MPI_CHAR, graph);
    else {
        MPI_Ineighbor_allgather(leaving, length, MPI_CHAR, coming, length, MPI_CHAR, graph, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&graph);
}

static void neighbours_at_once(int length) { neighbours(length, 1); }
static void neighbours_later(int length) { neighbours(length, 0); }

/* Without data nobody waits for rank 0, who comes later but for rank 1's delay; or where somebody does, it can't be told then. */
static void without_data(void collective(void))
{
    if (rank) come_late();
    else sleeps(OWN_MS + LATE_MS / 2 + NOISE_MS);
    collective();
}

static void scatter(void) { MPI_Scatter(leaving, 0, MPI_CHAR, coming, 0, MPI_CHAR, 0, MPI_COMM_WORLD); }
static void allgather(void) { MPI_Allgather(leaving, 0, MPI_CHAR, coming, 0, MPI_CHAR, MPI_COMM_WORLD); }
static void reduce_scatter(void) { MPI_Reduce_scatter_block(leaving, coming, 0, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD); }

static void scatter_nothing(int unused) { (void)unused, without_data(scatter); }
static void allgather_nothing(int unused) { (void)unused, without_data(allgather); }
static void reduce_scatter_nothing(int unused) { (void)unused, without_data(reduce_scatter); }

/* What all do once they have come takes as long whoever was the last. */
static void slowly(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
    sleeps(2 * NOISE_MS);
}

static void reduce(int length, void collective(int length, MPI_Op op))
{
    MPI_Op op;
    MPI_Op_create(slowly, 1, &op);
    if (rank) come_late();
    else sleeps(OWN_MS + LATE_MS / 2);
    collective(length, op);
    MPI_Op_free(&op);
}

static void wait_iallreduce(int length, MPI_Op op)
{
    MPI_Request request;
    MPI_Iallreduce(leaving, coming, length, MPI_CHAR, op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void wait_scan(int length, MPI_Op op) { MPI_Scan(leaving, coming, length, MPI_CHAR, op, MPI_COMM_WORLD); }

static void iallreduce(int length) { reduce(length, wait_iallreduce); }
static void scan(int length) { reduce(length, wait_scan); }

/* Nobody need wait for others to read or write a file. */
static MPI_File file;

static void file_open(void)
{
    char name[300];
    snprintf(name, sizeof name, "%s/within.written", getenv("PERFCOMP_DIR"));
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
}

static void write_at_all(void) { MPI_File_write_at_all(file, rank * A_FEW, leaving, A_FEW, MPI_CHAR, MPI_STATUS_IGNORE); }
static void sync_file(void) { MPI_File_sync(file); }

static void iwrite_at_all(void)
{
    MPI_Request request;
    MPI_File_iwrite_at_all(file, rank * A_FEW, leaving, A_FEW, MPI_CHAR, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void file_write(int unused) { (void)unused, without_data(write_at_all); }
static void file_iwrite(int unused) { (void)unused, without_data(iwrite_at_all); }
static void file_sync(int unused) { (void)unused, without_data(sync_file); }

/* Until another thread of the program's own has completed it. */
static MPI_Request generalized;

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_CHAR, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int nothing(void *extra) { return (void)extra, MPI_SUCCESS; }
static int none(void *extra, int complete) { return (void)extra, (void)complete, MPI_SUCCESS; }

static void *complete_it(void *unused)
{
    PFC_SCOPE("completes");
    come_late();
    MPI_Grequest_complete(generalized);
    return unused;
}

static void wait_generalized(int unused)
{
    pthread_t thread;
    (void)unused;
    MPI_Grequest_start(query, nothing, none, NULL, &generalized);
    pthread_create(&thread, NULL, complete_it, NULL);
    MPI_Wait(&generalized, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
}

static const struct { const char *name; void (*wait)(int); int length; } ways[] = {
    { "Grequest_start", wait_generalized, 0 }, /* needs MPI_THREAD_MULTIPLE; */
    { "Irecv, Test", test_receive, A_FEW }, { "Irecv, Test, long", test_receive, A_LOT }, /* and with that, up to here */
    { "Buffer_detach", detach, A_LOT }, { "Comm_disconnect", disconnect, 0 },
    { "Neighbor_allgather", neighbours_at_once, A_FEW }, { "Neighbor_allgather, long", neighbours_at_once, A_LOT },
    { "Ineighbor_allgather", neighbours_later, A_FEW }, { "Ineighbor_allgather, long", neighbours_later, A_LOT },
    { "Iprobe, Recv", probe_receive, A_FEW }, { "Iprobe, Recv, long", probe_receive, A_LOT },
    { "Iprobe, Irecv", probe_ireceive, A_FEW }, { "Iprobe, Irecv, long", probe_ireceive, A_LOT },
    { "Improbe, Mrecv", mprobe_receive, A_FEW }, { "Improbe, Mrecv, long", mprobe_receive, A_LOT },
    { "Iprobe, Isend", probe_send, A_FEW }, { "Iprobe, Isend, long", probe_send, A_LOT },
    { "Issend, Test", test_send, A_FEW }, { "Issend, Test, long", test_send, A_LOT },
    { "Rget_accumulate, Test", test_access, A_FEW }, { "Ibarrier, Test", test_collective, 0 },
    { "Scatter, nothing", scatter_nothing, 0 },
    { "Allgather, nothing", allgather_nothing, 0 }, { "Reduce_scatter_block, nothing", reduce_scatter_nothing, 0 },
    { "Iallreduce, slow", iallreduce, A_FEW }, { "Iallreduce, slow, long", iallreduce, A_LOT },
    { "Scan, slow", scan, A_FEW },
    { "File_write_at_all", file_write, 0 }, { "File_iwrite_at_all", file_iwrite, 0 }, { "File_sync", file_sync, 0 },
    { "Improbe, Imrecv", mprobe_ireceive, A_FEW }, { "Improbe, Imrecv, long", mprobe_ireceive, A_LOT },
};

typedef struct took { double lt, u; } took_t;

static double in_doubt(void) { return (double)pfc__fixed_ns(pfc__delta_doubt(pfc__self)) * 1e-6; }

static took_t take(size_t way, int late)
{
    took_t took;
    int64_t begin;
    double before;
    is_late = late;
    MPI_Barrier(MPI_COMM_WORLD);
    before = in_doubt();
    begin = pfc_lt();
    ways[way].wait(ways[way].length);
    took.lt = (double)(pfc_lt() - begin) * 1e-6;
    took.u = in_doubt() - before;
    return took;
}

static int is_within(size_t way)
{
    took_t plain = take(way, 0), late = take(way, 1);
    double off = fabs(late.lt - plain.lt);
    int well = off < fmax(late.u, 0) + (double)NOISE_MS, all;
    MPI_Allreduce(&well, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!well) printf("rank %d, %s: %.1f ms, with a late rank %.1f ± %.1f\n", rank, ways[way].name, plain.lt, late.lt, late.u);
    return all;
}

/* What is wrong is wrong each time; the machine may be busy once. */
int main(int argc, char **argv)
{
    int failed = 0, level, threads = argc > 1 && !strcmp(argv[1], "within_threads");
    size_t i, n = threads ? 3 : sizeof ways / sizeof *ways;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    file_open();
    for (i = !threads; i < n; i++) failed |= !is_within(i) && !is_within(i) && !is_within(i);
    MPI_File_close(&file);
    MPI_Finalize();
    if (!rank && !failed) puts("ok");
    return failed;
}
