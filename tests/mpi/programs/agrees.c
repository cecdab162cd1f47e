/* What a rank's profile says twice agrees: ± of the whole run is that of its
   delay at MPI_Finalize, which came from another rank; and waiting takes no
   longer than the call. Two ranks, with PERFCOMP_SCALE=1,0.5: half of what
   probes cost is in doubt. With PERFCOMP_COMPENSATE=0 all that is told of LT is
   what was measured. Prints "ok". */
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

static void one_try(void)
{
    pfc__i64 library = 1000000, ours = 5000000;
    pfc__together_compare(&library, &ours, 1);
    CHECK(pfc__together.cost.ns == 0);
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

int main(int argc, char **argv)
{
    pfc_profile_t *p;
    char why[PFC_WHY];
    int64_t delay;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    waits();
    one_try();
    messages();
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
