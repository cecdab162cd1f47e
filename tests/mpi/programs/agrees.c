/* What a rank's profile says twice agrees: ± of the whole run is that of its
   delay at MPI_Finalize, which came from another rank; and waiting takes no
   longer than the call. Two ranks, with PERFCOMP_SCALE=1,0.5: half of what
   probes cost is in doubt. Prints "ok". */
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

int main(int argc, char **argv)
{
    const pfc_mpi_calls_t *allreduce;
    pfc_profile_t *p;
    char why[PFC_WHY];
    double doubt;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    waits();
    one_try();
    doubts();
    MPI_Finalize();
    p = pfc__own_profile(why, sizeof why);
    if (!p) return 2;
    doubt = p->mpi->delay_u;
    CHECK(doubt > PAIRS);
    CHECK(fabs(p->total.u - doubt) < .1 * doubt);
    allreduce = kind(p->mpi, "MPI_Allreduce");
    CHECK(allreduce->wait_lt <= allreduce->time_lt);
    if (failures)
        fprintf(stderr, "± %.0f and %.0f ns; waited %.0f of %.0f ns\n", p->total.u, doubt, allreduce->wait_lt, allreduce->time_lt);
    pfc_profile_close(p);
    if (!failures && rank == 0) printf("ok\n");
    return failures != 0;
}
