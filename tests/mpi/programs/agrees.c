/* What a rank's profile says twice agrees: ± of the whole run is that of its
   delay at MPI_Finalize, which came from another rank; and waiting takes no
   longer than the call; bytes are those that the calls' arguments tell of. Two
   ranks, with PERFCOMP_SCALE=1,0.5: half of what probes cost is in doubt. With
   PERFCOMP_COMPENSATE=0 all that is told of LT is what was measured. Prints "ok". */
#define _GNU_SOURCE 1
#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <time.h>

#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#define W MPI_COMM_WORLD
#define CHECK(condition) ((condition) ? (void)0 : (failures++, (void)fprintf(stderr, "rank %d: %s\n", rank, #condition)))

enum { PAIRS = 1000000, CALLS = 200 };

static int rank, failures;

static void own_time(double seconds)
{
    const struct timespec time = { 0, (long)(seconds * 1e9) };
    nanosleep(&time, 0);
}

static void probes(void)
{
    int i;
    for (i = 0; i < PAIRS; i++) {
        PFC_BEGIN("probe");
        PFC_END("probe");
    }
}

/* First rank 0 waits for the other one, and with the wait its doubt is gone. Then the other one waits for it. */
static void doubts(void)
{
    pfc__delta_take(pfc__self, pfc__delta_get(), 0);
    MPI_Barrier(W);
    if (rank == 0) probes();
    else own_time(.8);
    MPI_Barrier(W);
    if (rank == 0) {
        probes();
        own_time(.2);
    }
    MPI_Barrier(W);
}

/* Short ones, of which the layer has measured that it makes them much longer. */
static void waits(void)
{
    double in = 1, out;
    int i;
    pfc__together.cost.ns = 10000000;
    for (i = 0; i < CALLS; i++) {
        if (i % 2 == rank) own_time(.0005);
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, W);
    }
}

/* What the layer measures at Init takes no longer where ranks share processors. */
static void tries(void)
{
    const int64_t call_ns[] = { 0, 500, 5000, 30000, 200000, 10000000, 1000000000000 };
    size_t i;
    for (i = 0; i < sizeof call_ns / sizeof *call_ns; i++) {
        int n = pfc__together_tries(call_ns[i]);
        CHECK(n >= 0 && n <= PFC__TRIES && n * 2 * PFC__TOGETHER_BATCH * call_ns[i] <= PFC__TOGETHER_NS);
        CHECK((n > 0) == (call_ns[i] <= 30000));
        CHECK(n != 1); /* which tells nothing */
    }
}

static const pfc_mpi_calls_t *kind(const pfc_mpi_t *mpi, const char *name)
{
    size_t i = 0;
    while (strcmp(mpi->kind[i].name, name)) i++;
    return &mpi->kind[i];
}

/* Messages that wait and are waited for, and a lock. */
static void messages(void)
{
    static char in[1 << 20], out[1 << 20];
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Win window;
    int i;
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, W, &window);
    for (i = 0; i < 10; i++) {
        if (i % 2 == rank) own_time(.001);
        MPI_Irecv(in, sizeof in, MPI_CHAR, !rank, 1, W, &request[0]);
        MPI_Isend(out, sizeof out, MPI_CHAR, !rank, 1, W, &request[1]);
        MPI_Waitall(2, request, status);
        if (rank) MPI_Ssend(out, 1, MPI_CHAR, 0, 2, W);
        else MPI_Recv(in, 1, MPI_CHAR, 1, 2, W, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(out, 8, MPI_CHAR, 0, 0, 8, MPI_CHAR, window);
        MPI_Win_unlock(0, window);
        MPI_Bcast(out, 8, MPI_CHAR, 0, W);
    }
    MPI_Win_free(&window);
}

static int64_t bytes_of(const char *name)
{
    int64_t sum = 0;
    int i;
    for (i = 0; i < pfc__mpi_site_block.used; i++)
        if (!strcmp(pfc__mpi_site_block.first[i].name, name)) sum += (int64_t)pfc__mpi_site_block.first[i].bytes;
    return sum;
}

/* One call, and by how much its kind's bytes grow. */
#define GIVES(bytes, Name, ...) \
    do { \
        int64_t before = bytes_of("MPI_" #Name); \
        MPI_##Name(__VA_ARGS__); \
        CHECK(bytes_of("MPI_" #Name) - before == (bytes)); \
    } while (0)

/* The estimate of a transfer takes what goes to one other rank. */
static int64_t to_one(const char *name, int64_t bytes, MPI_Comm comm)
{
    pfc__call_t c;
    memset(&c, 0, sizeof c);
    c.name = name;
    c.bytes = bytes;
    return pfc__bytes_to_one(&c, comm);
}

/* 1 int to rank 0 and 2 to rank 1; as much comes as rank + 1 from each. */
static void collectives(void)
{
    static int s[64], r[64];
    int to[2] = { 1, 2 }, from[2] = { rank + 1, rank + 1 }, at[2] = { 0, 2 }, bytes_at[2] = { 0, 8 }, two = 2, around = 1, ends = 0;
    MPI_Aint aint_at[2] = { 0, 8 };
    MPI_Datatype type[2] = { MPI_INT, MPI_INT };
    MPI_Request request;
    MPI_Comm ring;
    GIVES(2 * 12, Alltoall, s, 3, MPI_INT, r, 3, MPI_INT, W);
    GIVES(2 * 12, Alltoall, MPI_IN_PLACE, 0, MPI_INT, r, 3, MPI_INT, W);
    GIVES(12, Alltoallv, s, to, at, MPI_INT, r, from, at, MPI_INT, W);
    GIVES(12, Alltoallw, s, to, bytes_at, type, r, from, bytes_at, type, W);
    GIVES(12, Ialltoallv, s, to, at, MPI_INT, r, from, at, MPI_INT, W, &request);
    GIVES(0, Wait, &request, MPI_STATUS_IGNORE);
    GIVES(12, Reduce_scatter, s, r, to, MPI_INT, MPI_SUM, W);
    GIVES(2 * 12, Reduce_scatter_block, s, r, 3, MPI_INT, MPI_SUM, W);
    GIVES(12, Allgather, s, 3, MPI_INT, r, 3, MPI_INT, W);
    GIVES(12, Allgather, MPI_IN_PLACE, 0, MPI_INT, r, 3, MPI_INT, W);
    GIVES(rank ? 8 : 4, Allgatherv, MPI_IN_PLACE, 0, MPI_INT, r, to, at, MPI_INT, W);
    GIVES(rank ? 8 : 4, Gatherv, rank ? (void *)s : MPI_IN_PLACE, rank + 1, MPI_INT, r, to, at, MPI_INT, 0, W);
    GIVES(rank ? 8 : 4, Scatterv, s, to, at, MPI_INT, rank ? (void *)r : MPI_IN_PLACE, rank + 1, MPI_INT, 0, W);
    GIVES(12 + 12, Sendrecv, s, 3, MPI_INT, !rank, 3, r, 3, MPI_INT, !rank, 3, W, MPI_STATUS_IGNORE);
    MPI_Cart_create(W, 1, &two, &around, 0, &ring);
    GIVES(2 * 12, Neighbor_alltoall, s, 3, MPI_INT, r, 3, MPI_INT, ring);
    to[1] = from[0] = from[1] = 1;
    GIVES(8, Neighbor_alltoallv, s, to, at, MPI_INT, r, from, at, MPI_INT, ring);
    GIVES(12, Neighbor_allgather, s, 3, MPI_INT, r, 3, MPI_INT, ring);
    CHECK(to_one("Alltoall_c", 24, W) == 12 && to_one("Reduce_scatter_block", 24, W) == 12);
    CHECK(to_one("Neighbor_alltoallv", 24, ring) == 12 && to_one("Neighbor_allgather", 24, ring) == 24);
    CHECK(to_one("Bcast", 24, W) == 24);
    MPI_Comm_free(&ring);
    MPI_Cart_create(W, 1, &two, &ends, 0, &ring); /* each has one neighbour, and MPI_PROC_NULL */
    GIVES(12, Neighbor_alltoall, s, 3, MPI_INT, r, 3, MPI_INT, ring);
    to[0] = from[0] = rank ? 1 : 3; /* to the left */
    to[1] = from[1] = rank ? 3 : 1;
    GIVES(4, Neighbor_alltoallv, s, to, at, MPI_INT, r, from, at, MPI_INT, ring);
    GIVES(4, Neighbor_alltoallw, s, to, aint_at, type, r, from, aint_at, type, ring);
    CHECK(to_one("Neighbor_alltoallv", 24, ring) == 24);
    MPI_Comm_free(&ring);
}

static void are_raw(const pfc_profile_t *p)
{
    size_t i;
    CHECK(p->total.lt == p->total.ct);
    CHECK(p->mpi->delay == 0);
    for (i = 0; i < p->mpi->kinds; i++) {
        const pfc_mpi_calls_t *k = &p->mpi->kind[i];
        CHECK(k->time_lt == k->time_ct && k->wait_lt == k->wait_ct && k->wait_u == 0);
    }
    for (i = 0; i < p->mpi->peers; i++) CHECK(p->mpi->peer[i].wait_lt == p->mpi->peer[i].wait_ct);
    CHECK(p->mpi->total.wait_ct > 0);
}

static void are_compensated(const pfc_profile_t *p)
{
    const pfc_mpi_calls_t *allreduce = kind(p->mpi, "MPI_Allreduce");
    double doubt = p->mpi->delay_u;
    CHECK(doubt > PAIRS);
    CHECK(fabs(p->total.u - doubt) < .1 * doubt);
    CHECK(allreduce->wait_lt <= allreduce->time_lt);
    if (failures)
        fprintf(stderr, "± %.0f and %.0f ns; waited %.0f of %.0f ns\n", p->total.u, doubt, allreduce->wait_lt, allreduce->time_lt);
}

/* R6 at MPI_Init: a second of perfcomp's in one rank before it delays the other one, too, but for as much as that may have
   come late by itself, on a machine that others use. */
static void begins(int argc, char **argv)
{
    const struct timespec late = { 1, 0 };
    const int64_t half = 500000000;
    int64_t tick, delay;
    pfc_start(argc, argv);
    tick = pfc__clock();
    if (pfc__rank_of_launcher() == 1) {
        nanosleep(&late, 0);
        pfc__charge_slow(tick);
    }
    tick = pfc_ct();
    delay = pfc_delta();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    if (!pfc_delta()) return; /* PERFCOMP_COMPENSATE=0 */
    CHECK(pfc_delta() > half);
    CHECK(rank != 0 || (delay < half && pfc_ct() - tick >= pfc_delta() - delay));
}

int main(int argc, char **argv)
{
    pfc_profile_t *p;
    char why[PFC_WHY];
    int64_t delay;
    begins(argc, argv);
    waits();
    tries();
    messages();
    collectives();
    doubts();
    delay = pfc_delta();
    MPI_Finalize();
    p = pfc__own_profile(why, sizeof why);
    if (!p) return 2;
    CHECK(p->compensated == (delay != 0));
    (p->compensated ? are_compensated : are_raw)(p);
    pfc_profile_close(p);
    if (!failures && rank == 0) printf("ok\n");
    return failures != 0;
}
