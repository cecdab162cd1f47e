/* Communication patterns for the simulator, compiled three times: plain (the
   truth), with the layer, and with TAU's rule in it. Prints per rank: the time
   at the end and the time in MPI, undisturbed as far as it knows, the clock, and
   how far off the first may be.

       patterns PATTERN STEPS BYTES SEED      BYTES 0: random, across the eager limit */

#include <mpi.h>

/* SimGrid's Alltoallv, Gatherv, Scatterv … pass empty messages on; MPICH's, and Open MPI's in many sizes, don't. */
static int passes_none;
static int library_alltoallv(const void *s, const int n[], const int from[], MPI_Datatype type, void *r, const int m[], const int at[],
                             MPI_Datatype rtype, MPI_Comm comm);
static int library_gatherv(const void *s, int n, MPI_Datatype type, void *r, const int m[], const int at[], MPI_Datatype rtype, int root,
                           MPI_Comm comm);
static int library_scatterv(const void *s, const int n[], const int at[], MPI_Datatype type, void *r, int m, MPI_Datatype rtype, int root,
                            MPI_Comm comm);
static int library_allgatherv(const void *s, int n, MPI_Datatype type, void *r, const int m[], const int at[], MPI_Datatype rtype,
                              MPI_Comm comm);
static int library_reduce_scatter(const void *s, void *r, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm);

#if defined LAYER
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#define PMPI_Alltoallv library_alltoallv
#define PMPI_Gatherv library_gatherv
#define PMPI_Scatterv library_scatterv
#define PMPI_Allgatherv library_allgatherv
#define PMPI_Reduce_scatter library_reduce_scatter
#include "perfcomp_mpi.h"
#undef PMPI_Alltoallv
#undef PMPI_Gatherv
#undef PMPI_Scatterv
#undef PMPI_Allgatherv
#undef PMPI_Reduce_scatter
#define ALLTOALLV MPI_Alltoallv
#define GATHERV MPI_Gatherv
#define SCATTERV MPI_Scatterv
#define ALLGATHERV MPI_Allgatherv
#define REDUCE_SCATTER MPI_Reduce_scatter
#else
#define ALLTOALLV library_alltoallv
#define GATHERV library_gatherv
#define SCATTERV library_scatterv
#define ALLGATHERV library_allgatherv
#define REDUCE_SCATTER library_reduce_scatter
#endif

#include "builds.h"
#include <smpi/smpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_NS = 1000000, PROBES = 20, MOST = 1 << 18, NEIGHBOURS = 6, EDGES = 4 };

static int rank, size, steps, bytes;
static double in_mpi;
static char *out[NEIGHBOURS], *in[NEIGHBOURS];

/* Uneven between ranks and over time. */
static void overhead(int step)
{
#if defined LAYER
    double of_rank = 2 * random_of(1, (uint64_t)rank, 0), of_time = 2 * random_of(2, (uint64_t)step / 7, (uint64_t)rank);
    int i, n = (int)(PROBES * of_rank * of_time);
    for (i = 0; i < n; i++) {
        PFC_SCOPE("probe");
        PFC_HIT("hit");
    }
#else
    (void)step;
#endif
}

static void work(int step, double share)
{
    overhead(step);
    smpi_execute(share * WORK_NS * 1e-9 * (0.5 + random_of(3, (uint64_t)rank, (uint64_t)step)));
}

#define TIMED(call) do { double begin_ = now(); call; in_mpi += now() - begin_; } while (0)

/* Bytes of the message on edge a → b in this step, known to both. */
static int length(int a, int b, int step)
{
    double r;
    if (bytes) return bytes;
    r = random_of(4, (uint64_t)a * 100003 + (uint64_t)b, (uint64_t)step);
    return r < 0.5 ? (int)(r * 8192) : (int)((r - 0.5) * 2 * 200000);
}

/* ---- point to point */

static void ring(int step)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    work(step, 1);
    TIMED(MPI_Sendrecv(out[0], length(rank, right, step), MPI_CHAR, right, 1, in[0], length(left, rank, step), MPI_CHAR, left, 1,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* The same, asking again and again whether the message is there, with so many s of something to do in between. */
static void ring_asking(int step, double between)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, there = 0;
    MPI_Request got, sent;
    work(step, 1);
    TIMED(MPI_Irecv(in[0], length(left, rank, step), MPI_CHAR, left, 1, MPI_COMM_WORLD, &got));
    TIMED(MPI_Isend(out[0], length(rank, right, step), MPI_CHAR, right, 1, MPI_COMM_WORLD, &sent));
    while (!there) {
        TIMED(MPI_Test(&got, &there, MPI_STATUS_IGNORE));
        if (!there && between > 0) smpi_execute_benched(between);
    }
    TIMED(MPI_Wait(&sent, MPI_STATUS_IGNORE));
}

static void ring_test(int step) { ring_asking(step, 0); }

/* Nobody knows whether it would have been done. */
static void ring_between(int step) { ring_asking(step, 5e-6); }

static void ring_iprobe(int step)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, there = 0;
    MPI_Request sent;
    work(step, 1);
    TIMED(MPI_Isend(out[0], length(rank, right, step), MPI_CHAR, right, 1, MPI_COMM_WORLD, &sent));
    while (!there) TIMED(MPI_Iprobe(left, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE));
    TIMED(MPI_Recv(in[0], length(left, rank, step), MPI_CHAR, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TIMED(MPI_Wait(&sent, MPI_STATUS_IGNORE));
}

/* One rank after the other has the token. */
static void ring_token(int step)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    work(step, 1);
    if (rank == 0) TIMED(MPI_Send(out[0], length(rank, right, step), MPI_CHAR, right, 1, MPI_COMM_WORLD));
    TIMED(MPI_Recv(in[0], length(left, rank, step), MPI_CHAR, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (rank != 0) TIMED(MPI_Send(out[0], length(rank, right, step), MPI_CHAR, right, 1, MPI_COMM_WORLD));
}

static void pipeline(int step)
{
    if (rank > 0)
        TIMED(MPI_Recv(in[0], length(rank - 1, rank, step), MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    work(step, 1);
    if (rank < size - 1) TIMED(MPI_Send(out[0], length(rank, rank + 1, step), MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD));
}

/* Neighbours in a periodic grid: 2 per dimension, opposite ones beside each other. */
static int neighbour[NEIGHBOURS], neighbours;

static void grid(int dimensions)
{
    int extent[3] = { 0, 0, 0 }, at[3], i, d, k;
    MPI_Dims_create(size, dimensions, extent);
    for (i = rank, d = dimensions - 1; d >= 0; i /= extent[d], d--) at[d] = i % extent[d];
    neighbours = 0;
    for (d = 0; d < dimensions; d++)
        for (k = -1; k <= 1 && extent[d] > 1; k += 2) { /* the simulator takes a Sendrecv with oneself for a copy */
            int there[3], r = 0;
            memcpy(there, at, sizeof at);
            there[d] = (at[d] + k + extent[d]) % extent[d];
            for (i = 0; i < dimensions; i++) r = r * extent[i] + there[i];
            neighbour[neighbours++] = r;
        }
}

static void halo_blocking(int step)
{
    int k;
    work(step, 1);
    for (k = 0; k < neighbours; k++)
        TIMED(MPI_Sendrecv(out[k], length(rank, neighbour[k], step), MPI_CHAR, neighbour[k], k, in[k],
                           length(neighbour[k ^ 1], rank, step), MPI_CHAR, neighbour[k ^ 1], k, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* Half of the work overlaps with the exchange. */
static void halo_nonblocking(int step)
{
    MPI_Request request[2 * NEIGHBOURS];
    int k;
    work(step, 0.5);
    for (k = 0; k < neighbours; k++)
        TIMED(MPI_Irecv(in[k], length(neighbour[k ^ 1], rank, step), MPI_CHAR, neighbour[k ^ 1], k, MPI_COMM_WORLD, &request[k]));
    for (k = 0; k < neighbours; k++)
        TIMED(MPI_Isend(out[k], length(rank, neighbour[k], step), MPI_CHAR, neighbour[k], k, MPI_COMM_WORLD, &request[neighbours + k]));
    work(step + 100000, 0.5);
    TIMED(MPI_Waitall(2 * neighbours, request, MPI_STATUSES_IGNORE));
}

static void halo_persistent(int step)
{
    static MPI_Request request[2 * NEIGHBOURS];
    int k;
    if (step == 0)
        for (k = 0; k < neighbours; k++) {
            MPI_Recv_init(in[k], length(neighbour[k ^ 1], rank, 0), MPI_CHAR, neighbour[k ^ 1], k, MPI_COMM_WORLD, &request[k]);
            MPI_Send_init(out[k], length(rank, neighbour[k], 0), MPI_CHAR, neighbour[k], k, MPI_COMM_WORLD, &request[neighbours + k]);
        }
    work(step, 0.5);
    TIMED(MPI_Startall(2 * neighbours, request));
    work(step + 100000, 0.5);
    TIMED(MPI_Waitall(2 * neighbours, request, MPI_STATUSES_IGNORE));
    if (step == steps - 1)
        for (k = 0; k < 2 * neighbours; k++) MPI_Request_free(&request[k]);
}

/* Both send before they receive, which only buffering lets them do. */
enum { BUFFERED = 65536 };

static int partner(void) { return (rank ^ 1) < size ? rank ^ 1 : MPI_PROC_NULL; }

static int sends_first(int step)
{
    int other = rank ^ 1;
    return rank < other || (length(rank, other, step) < BUFFERED && length(other, rank, step) < BUFFERED);
}

static void head_on(int step)
{
    int other = partner(), first = sends_first(step), k;
    work(step, 1);
    for (k = 0; k < 2; k++)
        if (k == first) TIMED(MPI_Recv(in[0], length(rank ^ 1, rank, step), MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        else TIMED(MPI_Send(out[0], length(rank, rank ^ 1, step), MPI_CHAR, other, 1, MPI_COMM_WORLD));
}

/* A persistent send of every other byte is waited for before the receive. */
static void head_on_persistent(int step)
{
    static MPI_Request request;
    int other = partner(), first = sends_first(0), k;
    if (step == 0) {
        MPI_Datatype every_other;
        MPI_Type_vector(length(rank, rank ^ 1, 0), 1, 2, MPI_CHAR, &every_other);
        MPI_Type_commit(&every_other);
        MPI_Send_init(out[0], 1, every_other, other, 1, MPI_COMM_WORLD, &request);
        MPI_Type_free(&every_other);
    }
    work(step, 1);
    for (k = 0; k < 2; k++)
        if (k == first) TIMED(MPI_Recv(in[0], length(rank ^ 1, rank, 0), MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        else {
            TIMED(MPI_Start(&request));
            TIMED(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
    if (step == steps - 1) MPI_Request_free(&request);
}

/* ---- what comes first is taken */

enum way { IN_TURN, RECV, IRECV, PERSISTENT, TEST, WAITANY, WAITSOME, TESTANY };
enum { RESULT = MOST }; /* whoever sends, there must be room */

static MPI_Request *results; /* WAITANY and its like: one of each worker */

static void pass(void) { smpi_execute_benched(2e-6); }

static void receive_of(int worker)
{
    TIMED(MPI_Irecv(in[0], RESULT, MPI_CHAR, worker, 2, MPI_COMM_WORLD, &results[worker - 1]));
}

/* Of receives from each worker those that are complete: their ranks to `who`. */
static int some_results(enum way way, int *who)
{
    int n = 0, i, one;
    while (!n) {
        if (way == WAITANY) TIMED(MPI_Waitany(size - 1, results, who, MPI_STATUS_IGNORE));
        if (way == TESTANY) TIMED(MPI_Testany(size - 1, results, who, &one, MPI_STATUS_IGNORE));
        if (way == WAITSOME) TIMED(MPI_Waitsome(size - 1, results, &n, who, MPI_STATUSES_IGNORE));
        if (way == WAITANY || (way == TESTANY && one)) n = 1;
        if (!n) pass();
    }
    for (i = 0; i < n; i++) who[i]++;
    return n;
}

/* By a receive from anybody: the worker's rank. */
static int any_result(enum way way)
{
    static MPI_Request persistent = MPI_REQUEST_NULL;
    MPI_Request request;
    MPI_Status status;
    int there = 0;
    if (way == PERSISTENT) {
        if (persistent == MPI_REQUEST_NULL) MPI_Recv_init(in[0], RESULT, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &persistent);
        TIMED(MPI_Start(&persistent));
        TIMED(MPI_Wait(&persistent, &status));
        return status.MPI_SOURCE;
    }
    if (way == IRECV || way == TEST) TIMED(MPI_Irecv(in[0], RESULT, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request));
    if (way == IRECV) TIMED(MPI_Wait(&request, &status));
    while (way == TEST && !there) {
        TIMED(MPI_Test(&request, &there, &status));
        if (!there) pass();
    }
    if (way == RECV) TIMED(MPI_Recv(in[0], RESULT, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status));
    return status.MPI_SOURCE;
}

/* Every worker has `steps` tasks; the master takes results in turn, or as they come from anybody. */
static void serve(int step, enum way way)
{
    int *given, *who, i, n, done, some = way >= WAITANY;
    if (rank > 0) {
        TIMED(MPI_Recv(in[0], 64, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        work(step, 1);
        TIMED(MPI_Send(out[0], length(rank, 0, way == IN_TURN ? 0 : step), MPI_CHAR, 0, 2, MPI_COMM_WORLD));
        return;
    }
    if (step > 0) return;
    given = calloc((size_t)size, sizeof *given);
    who = calloc((size_t)size, sizeof *who);
    results = calloc((size_t)size, sizeof *results);
    for (i = 1; i < size; i++) {
        results[i - 1] = MPI_REQUEST_NULL;
        TIMED(MPI_Send(out[0], 64, MPI_CHAR, i, 1, MPI_COMM_WORLD));
        if (some) receive_of(i);
    }
    for (done = 0; done < steps * (size - 1); done += n) {
        n = some ? some_results(way, who) : 1;
        if (!some) who[0] = way == IN_TURN ? 1 + done % (size - 1) : any_result(way);
        if (way == IN_TURN) TIMED(MPI_Recv(in[0], length(who[0], 0, 0), MPI_CHAR, who[0], 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (i = 0; i < n; i++) {
            if (++given[who[i]] == steps) continue;
            TIMED(MPI_Send(out[0], 64, MPI_CHAR, who[i], 1, MPI_COMM_WORLD));
            if (some) receive_of(who[i]);
        }
    }
    free(given);
    free(who);
    free(results);
}

static void master_worker(int step) { serve(step, IN_TURN); }
static void master_worker_any(int step) { serve(step, RECV); }
static void any_irecv(int step) { serve(step, IRECV); }
static void any_persistent(int step) { serve(step, PERSISTENT); }
static void any_test(int step) { serve(step, TEST); }
static void waitany(int step) { serve(step, WAITANY); }
static void waitsome(int step) { serve(step, WAITSOME); }
static void testany(int step) { serve(step, TESTANY); }

static void tree(int step)
{
    int bit;
    work(step, 1);
    for (bit = 1; bit < size; bit *= 2) {
        if (rank & bit) {
            TIMED(MPI_Send(out[0], length(rank, rank - bit, step), MPI_CHAR, rank - bit, 1, MPI_COMM_WORLD));
            break;
        }
        if (rank + bit < size)
            TIMED(MPI_Recv(in[0], length(rank + bit, rank, step), MPI_CHAR, rank + bit, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    for (bit = 1; bit < size && !(rank & bit);) bit *= 2;
    if (rank) TIMED(MPI_Recv(in[0], 64, MPI_CHAR, rank - bit, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (bit /= 2; bit > 0; bit /= 2)
        if (rank + bit < size) TIMED(MPI_Send(out[0], 64, MPI_CHAR, rank + bit, 2, MPI_COMM_WORLD));
}

/* Each rank sends to a few others, by shifts that all ranks know. */
static void graph(int step)
{
    MPI_Request request[2 * EDGES];
    int k, n = 0;
    work(step, 0.5);
    for (k = 0; k < EDGES; k++) {
        int shift = 1 + (int)(random_of(5, (uint64_t)step, (uint64_t)k) * (size - 1)), from = (rank + size - shift) % size;
        if (random_of(6, (uint64_t)from, (uint64_t)step * 8 + (uint64_t)k) < 0.3) continue;
        TIMED(MPI_Irecv(in[k], length(from, rank, step), MPI_CHAR, from, k, MPI_COMM_WORLD, &request[n]));
        n++;
    }
    for (k = 0; k < EDGES; k++) {
        int shift = 1 + (int)(random_of(5, (uint64_t)step, (uint64_t)k) * (size - 1)), to = (rank + shift) % size;
        if (random_of(6, (uint64_t)rank, (uint64_t)step * 8 + (uint64_t)k) < 0.3) continue;
        TIMED(MPI_Isend(out[k], length(rank, to, step), MPI_CHAR, to, k, MPI_COMM_WORLD, &request[n]));
        n++;
    }
    work(step + 100000, 0.5);
    TIMED(MPI_Waitall(n, request, MPI_STATUSES_IGNORE));
}

/* ---- collectives */

static double *a, *b;
static int *counts, *places; /* of parts of 4 */

#define COLLECTIVE(name, call) static void name(int step) { work(step, 1); TIMED(call); }
#define W MPI_COMM_WORLD
#define D MPI_DOUBLE

COLLECTIVE(barrier, MPI_Barrier(W))
COLLECTIVE(bcast, MPI_Bcast(a, 16, D, 0, W))
COLLECTIVE(bcast_roots, MPI_Bcast(a, 16, D, step % size, W))
COLLECTIVE(scatter, MPI_Scatter(a, 4, D, b, 4, D, 0, W))
COLLECTIVE(scatterv, SCATTERV(a, counts, places, D, b, 4, D, 0, W))
COLLECTIVE(gather, MPI_Gather(a, 4, D, b, 4, D, 0, W))
COLLECTIVE(gatherv, GATHERV(a, 4, D, b, counts, places, D, 0, W))
COLLECTIVE(reduce, MPI_Reduce(a, b, 16, D, MPI_SUM, 0, W))
COLLECTIVE(reduce_roots, MPI_Reduce(a, b, 16, D, MPI_SUM, step % size, W))
COLLECTIVE(allreduce, MPI_Allreduce(a, b, 16, D, MPI_SUM, W))
COLLECTIVE(allgather, MPI_Allgather(a, 4, D, b, 4, D, W))
COLLECTIVE(allgatherv, ALLGATHERV(a, 4, D, b, counts, places, D, W))
COLLECTIVE(alltoall, MPI_Alltoall(a, 4, D, b, 4, D, W))
COLLECTIVE(alltoallv, MPI_Alltoallv(a, counts, places, D, b, counts, places, D, W))

/* Without what is empty: who gives all, or takes all, and who has one part. */
static int library_gatherv(const void *s, int n, MPI_Datatype type, void *r, const int m[], const int at[], MPI_Datatype rtype, int root,
                           MPI_Comm comm)
{
    MPI_Request *request;
    MPI_Aint low, extent;
    int i, pending = 0;
    if (!passes_none) return PMPI_Gatherv(s, n, type, r, m, at, rtype, root, comm);
    if (rank != root) return n ? PMPI_Send(s, n, type, root, 9998, comm) : MPI_SUCCESS;
    PMPI_Type_get_extent(rtype, &low, &extent);
    request = malloc(((size_t)size + 1) * sizeof *request);
    for (i = 0; i < size; i++)
        if (m[i]) PMPI_Irecv((char *)r + at[i] * extent, m[i], rtype, i, 9998, comm, &request[pending++]);
    if (n) PMPI_Isend(s, n, type, root, 9998, comm, &request[pending++]);
    PMPI_Waitall(pending, request, MPI_STATUSES_IGNORE);
    free(request);
    return MPI_SUCCESS;
}

static int library_scatterv(const void *s, const int n[], const int at[], MPI_Datatype type, void *r, int m, MPI_Datatype rtype, int root,
                            MPI_Comm comm)
{
    MPI_Request *request;
    MPI_Aint low, extent;
    int i, pending = 0;
    if (!passes_none) return PMPI_Scatterv(s, n, at, type, r, m, rtype, root, comm);
    if (rank != root) return m ? PMPI_Recv(r, m, rtype, root, 9997, comm, MPI_STATUS_IGNORE) : MPI_SUCCESS;
    PMPI_Type_get_extent(type, &low, &extent);
    request = malloc(((size_t)size + 1) * sizeof *request);
    if (m) PMPI_Irecv(r, m, rtype, root, 9997, comm, &request[pending++]);
    for (i = 0; i < size; i++)
        if (n[i]) PMPI_Isend((const char *)s + at[i] * extent, n[i], type, i, 9997, comm, &request[pending++]);
    PMPI_Waitall(pending, request, MPI_STATUSES_IGNORE);
    free(request);
    return MPI_SUCCESS;
}

static int library_alltoallv(const void *s, const int n[], const int from[], MPI_Datatype type, void *r, const int m[], const int at[],
                             MPI_Datatype rtype, MPI_Comm comm)
{
    MPI_Request *request;
    MPI_Aint low, extent, rextent;
    int i, pending = 0;
    if (!passes_none) return PMPI_Alltoallv(s, n, from, type, r, m, at, rtype, comm);
    PMPI_Type_get_extent(type, &low, &extent);
    PMPI_Type_get_extent(rtype, &low, &rextent);
    request = malloc(2 * (size_t)size * sizeof *request);
    for (i = 0; i < size; i++)
        if (m[i]) PMPI_Irecv((char *)r + at[i] * rextent, m[i], rtype, i, 9999, comm, &request[pending++]);
    for (i = 0; i < size; i++)
        if (n[i]) PMPI_Isend((const char *)s + from[i] * extent, n[i], type, i, 9999, comm, &request[pending++]);
    PMPI_Waitall(pending, request, MPI_STATUSES_IGNORE);
    free(request);
    return MPI_SUCCESS;
}

/* As Open MPI's, of short data: by way of rank 0. */
static int library_allgatherv(const void *s, int n, MPI_Datatype type, void *r, const int m[], const int at[], MPI_Datatype rtype,
                              MPI_Comm comm)
{
    if (!passes_none) return PMPI_Allgatherv(s, n, type, r, m, at, rtype, comm);
    library_gatherv(s, n, type, r, m, at, rtype, 0, comm);
    return PMPI_Bcast(r, 4 * size, rtype, 0, comm); /* as long as `places` has it */
}

static int library_reduce_scatter(const void *s, void *r, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static double all[4 * 4096];
    if (!passes_none) return PMPI_Reduce_scatter(s, r, n, type, op, comm);
    PMPI_Reduce(s, all, 4 * size, type, op, 0, comm);
    return library_scatterv(all, n, places, type, r, n[rank], type, 0, comm);
}

/* What `from` has for `to` in this step, in bytes: two others have something for a rank, on average. */
static int block(int from, int to, int step)
{
    return random_of(5, (uint64_t)from * 100003 + (uint64_t)to, (uint64_t)step) * size < 2 ? length(from, to, step) : 0;
}

static void alltoallv_sparse(int step)
{
    int *gives = malloc(4 * (size_t)size * sizeof *gives), *takes = gives + size, *from = takes + size, *at = from + size, i;
    int given = 0, taken = 0;
    char *data;
    for (i = 0; i < size; i++) {
        from[i] = given, at[i] = taken;
        given += gives[i] = block(rank, i, step);
        taken += takes[i] = block(i, rank, step);
    }
    data = calloc(1, (size_t)given + (size_t)taken + 1);
    work(step, 1);
    TIMED(ALLTOALLV(data, gives, from, MPI_CHAR, data + given, takes, at, MPI_CHAR, W));
    free(data);
    free(gives);
}

static void alltoallv_skips(int step)
{
    passes_none = 1;
    alltoallv_sparse(step);
}

/* The same on all ranks: in each step one has a part, and about every third one. */
static void parts(int step)
{
    int k;
    for (k = 0; k < size; k++) counts[k] = k == step % size || random_of(5, (uint64_t)k, (uint64_t)step) < 0.35 ? 4 : 0;
}

#define SPARSE(name, call) static void name(int step) { parts(step); work(step, 1); TIMED(call); }

SPARSE(gatherv_sparse, GATHERV(a, counts[rank], D, b, counts, places, D, 0, W))
SPARSE(scatterv_sparse, SCATTERV(a, counts, places, D, b, counts[rank], D, 0, W))
SPARSE(allgatherv_sparse, ALLGATHERV(a, counts[rank], D, b, counts, places, D, W))
SPARSE(reduce_scatter_sparse, REDUCE_SCATTER(a, b, counts, D, MPI_SUM, W))

#define SKIPS(name, sparse) static void name(int step) { passes_none = 1; sparse(step); }

SKIPS(gatherv_skips, gatherv_sparse)
SKIPS(scatterv_skips, scatterv_sparse)
SKIPS(allgatherv_skips, allgatherv_sparse)
SKIPS(reduce_scatter_skips, reduce_scatter_sparse)

COLLECTIVE(reduce_scatter, REDUCE_SCATTER(a, b, counts, D, MPI_SUM, W))
COLLECTIVE(reduce_scatter_block, MPI_Reduce_scatter_block(a, b, 4, D, MPI_SUM, W))
COLLECTIVE(scan, MPI_Scan(a, b, 16, D, MPI_SUM, W))
COLLECTIVE(exscan, MPI_Exscan(a, b, 16, D, MPI_SUM, W))

static void iallreduce(int step)
{
    MPI_Request request;
    work(step, 0.5);
    TIMED(MPI_Iallreduce(a, b, 16, D, MPI_SUM, W, &request));
    work(step + 100000, 0.5);
    TIMED(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* ---- one-sided */

static MPI_Win window; /* over b */
static MPI_Group left_of, right_of;

static void windows(void)
{
    MPI_Group all;
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 1, &left, &left_of);
    MPI_Group_incl(all, 1, &right, &right_of);
    MPI_Win_create(b, 16 * sizeof *b, sizeof *b, MPI_INFO_NULL, W, &window);
}

static void fence(int step)
{
    work(step, 1);
    if (rank) TIMED(MPI_Put(a, 4, D, (rank + 1) % size, 0, 4, D, window));
    TIMED(MPI_Win_fence(0, window));
}

/* Ranks of two kinds: a rank that puts into its right neighbour, and one that is put into. */
static void epoch(int step)
{
    work(step, 0.5);
    if (rank % 2 == 0 && rank + 1 < size) {
        TIMED(MPI_Win_start(right_of, 0, window));
        TIMED(MPI_Put(a, 4, D, rank + 1, 0, 4, D, window));
        work(step + 100000, 0.5);
        TIMED(MPI_Win_complete(window));
    } else if (rank % 2) {
        TIMED(MPI_Win_post(left_of, 0, window));
        work(step + 100000, 0.5);
        TIMED(MPI_Win_wait(window));
    }
}

/* In pairs: the even rank's window is locked by itself first, and then by the odd one. */
static void lock_as(int kind, int step)
{
    int home = rank - rank % 2;
    if (home + 1 < size) {
        if (rank % 2) work(step, 0.2);
        TIMED(MPI_Win_lock(rank % 2 ? kind : MPI_LOCK_EXCLUSIVE, home, 0, window));
        work(step + 100000, rank % 2 ? 0.2 : 1);
        TIMED(MPI_Put(a, 4, D, home, 0, 4, D, window));
        TIMED(MPI_Win_unlock(home, window));
    }
    TIMED(MPI_Barrier(W));
}

static void lock(int step) { lock_as(MPI_LOCK_EXCLUSIVE, step); }

/* In SimGrid nobody waits for those that share it. */
static void lock_shared(int step) { lock_as(MPI_LOCK_SHARED, step); }

/* The even ranks lock themselves, and the odd ones all. */
static void lock_all(int step)
{
    if (rank % 2) {
        work(step, 0.2);
        TIMED(MPI_Win_lock_all(0, window));
        work(step + 100000, 0.2);
        TIMED(MPI_Win_unlock_all(window));
    } else {
        TIMED(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window));
        work(step, 1);
        TIMED(MPI_Win_unlock(rank, window));
    }
    TIMED(MPI_Barrier(W));
}

/* Whoever comes first has the first rank's window, as a pool of work or a counter is shared. */
static void lock_turns(int step)
{
    work(step, 0.75);
    TIMED(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
    smpi_execute(0.75e-9 * WORK_NS / size);
    TIMED(MPI_Win_unlock(0, window));
}

/* Halo with a reduction now and then: what many solvers do. */
static void solver(int step)
{
    halo_nonblocking(step);
    if (step % 4 == 3) TIMED(MPI_Allreduce(a, b, 1, D, MPI_SUM, W));
}

static const struct pattern { const char *name; void (*step)(int); int dimensions; } patterns[] = {
    { "ring", ring, 0 }, { "ring_token", ring_token, 0 }, { "ring_test", ring_test, 0 }, { "ring_iprobe", ring_iprobe, 0 }, { "ring_between", ring_between, 0 }, { "pipeline", pipeline, 0 },
    { "halo1_blocking", halo_blocking, 1 }, { "halo2_blocking", halo_blocking, 2 }, { "halo3_blocking", halo_blocking, 3 },
    { "halo1_nonblocking", halo_nonblocking, 1 }, { "halo2_nonblocking", halo_nonblocking, 2 },
    { "halo3_nonblocking", halo_nonblocking, 3 }, { "halo1_persistent", halo_persistent, 1 },
    { "halo2_persistent", halo_persistent, 2 }, { "halo3_persistent", halo_persistent, 3 },
    { "head_on", head_on, 0 }, { "head_on_persistent", head_on_persistent, 0 },
    { "master_worker", master_worker, 0 }, { "master_worker_any", master_worker_any, 0 },
    { "any_irecv", any_irecv, 0 }, { "any_persistent", any_persistent, 0 },
    { "any_test", any_test, 0 }, { "waitany", waitany, 0 }, { "waitsome", waitsome, 0 }, { "testany", testany, 0 }, { "tree", tree, 0 }, { "graph", graph, 0 }, { "solver", solver, 2 },
    { "barrier", barrier, 0 }, { "bcast", bcast, 0 }, { "bcast_roots", bcast_roots, 0 }, { "scatter", scatter, 0 }, { "scatterv", scatterv, 0 },
    { "gather", gather, 0 }, { "gatherv", gatherv, 0 }, { "reduce", reduce, 0 }, { "reduce_roots", reduce_roots, 0 }, { "allreduce", allreduce, 0 },
    { "allgather", allgather, 0 }, { "allgatherv", allgatherv, 0 }, { "alltoall", alltoall, 0 },
    { "alltoallv", alltoallv, 0 }, { "alltoallv_sparse", alltoallv_sparse, 0 },
    { "alltoallv_skips", alltoallv_skips, 0 }, { "reduce_scatter", reduce_scatter, 0 },
    { "gatherv_sparse", gatherv_sparse, 0 }, { "scatterv_sparse", scatterv_sparse, 0 },
    { "gatherv_skips", gatherv_skips, 0 }, { "scatterv_skips", scatterv_skips, 0 },
    { "allgatherv_sparse", allgatherv_sparse, 0 }, { "reduce_scatter_sparse", reduce_scatter_sparse, 0 },
    { "allgatherv_skips", allgatherv_skips, 0 }, { "reduce_scatter_skips", reduce_scatter_skips, 0 },
    { "reduce_scatter_block", reduce_scatter_block, 0 }, { "scan", scan, 0 }, { "exscan", exscan, 0 },
    { "iallreduce", iallreduce, 0 }, { "fence", fence, 0 }, { "epoch", epoch, 0 }, { "lock", lock, 0 },
    { "lock_shared", lock_shared, 0 },
    { "lock_all", lock_all, 0 }, { "lock_turns", lock_turns, 0 }
};

int main(int argc, char **argv)
{
    const struct pattern *p = NULL;
    double begin, end, clock_begin;
    size_t i;
    int k;
    MPI_Init(&argc, &argv);
    for (i = 0; argc == 5 && i < sizeof patterns / sizeof *patterns; i++)
        if (!strcmp(patterns[i].name, argv[1])) p = &patterns[i];
    if (!p) {
        fprintf(stderr, "usage: patterns PATTERN STEPS BYTES SEED\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    steps = atoi(argv[2]);
    bytes = atoi(argv[3]);
    seed = strtoull(argv[4], NULL, 10);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (k = 0; k < NEIGHBOURS; k++) {
        out[k] = calloc(1, MOST);
        in[k] = calloc(1, MOST);
    }
    a = calloc((size_t)size * 4 + 16, sizeof *a);
    b = calloc((size_t)size * 4 + 16, sizeof *b);
    counts = calloc((size_t)size, sizeof *counts);
    places = calloc((size_t)size, sizeof *places);
    for (k = 0; k < size; k++) counts[k] = 4, places[k] = 4 * k;
    if (p->dimensions) grid(p->dimensions);
    if (p->step == fence || p->step == epoch || !strncmp(p->name, "lock", 4)) windows();
    if (p->step == fence) MPI_Win_fence(0, window); /* opens its first epoch */
    if (getenv("PATTERNS_WARM_UP")) { /* as some libraries, the simulator makes communicators first */
        MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(a, 16, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    clock_begin = MPI_Wtime();
    begin = now();
    for (k = 0; k < steps; k++) p->step(k);
    end = now();
    printf("rank %d end %.0f mpi %.0f clock %.0f doubt %.0f\n", rank, end - begin, in_mpi, (MPI_Wtime() - clock_begin) * 1e9, doubt());
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
