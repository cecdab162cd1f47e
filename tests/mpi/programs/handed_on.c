/* Nonblocking collectives that all have begun, beside work: what some give goes by way of others, who hand it on when they are back in
   the library. Each is tried as it is, and with probes that make one of the ranks late amid its work: undisturbed all take as long as
   without, and that isn't in doubt. Four ranks. Prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { RANKS = 4, LEFT_MS = 20, COMPUTES_MS = 30, HELD_UP_MS = 60, OFF_AT_MOST_MS = 15, MOST_TRIES = 6, NOBODY = -1 };

static int me;

static void lasts(long ms)
{
    const struct timespec time = { 0, ms * 1000000 };
    nanosleep(&time, NULL);
}

static void computes(int late)
{
    int64_t tick;
    lasts(COMPUTES_MS);
    if (me != late) return;
    tick = pfc__clock();
    lasts(HELD_UP_MS);
    pfc__delta_charge(pfc__self, pfc__clock() - tick);
}

static int gives[RANKS], gets[RANKS];

static void begin_barrier(MPI_Request *r) { MPI_Ibarrier(MPI_COMM_WORLD, r); }
static void begin_allreduce(MPI_Request *r) { MPI_Iallreduce(gives, gets, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, r); }
static void begin_allgather(MPI_Request *r) { MPI_Iallgather(gives, 1, MPI_INT, gets, 1, MPI_INT, MPI_COMM_WORLD, r); }

static const struct { const char *name; void (*begin)(MPI_Request *); } collectives[] = {
    { "Ibarrier", begin_barrier }, { "Iallreduce", begin_allreduce }, { "Iallgather", begin_allgather },
};

typedef struct timed { double lt, u; } timed_t;

static double in_doubt_ms(void) { return (double)pfc__fixed_ns(pfc__delta_doubt(pfc__self)) * 1e-6; }

static timed_t timed(size_t collective, int late)
{
    MPI_Request request;
    timed_t r;
    int64_t begin;
    double doubted;
    MPI_Barrier(MPI_COMM_WORLD);
    lasts(LEFT_MS); /* so that all have left it */
    doubted = in_doubt_ms();
    begin = pfc_lt();
    collectives[collective].begin(&request);
    computes(late);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    r.lt = (double)(pfc_lt() - begin) * 1e-6;
    r.u = in_doubt_ms() - doubted;
    return r;
}

static int is_as_plain(size_t collective, int late)
{
    timed_t plain = timed(collective, NOBODY), disturbed = timed(collective, late);
    int well = fabs(disturbed.lt - plain.lt) < OFF_AT_MOST_MS && disturbed.u < OFF_AT_MOST_MS, all;
    MPI_Allreduce(&well, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!well) printf("rank %d, MPI_%s, %d late: %.1f ± %.1f ms instead of %.1f\n", me, collectives[collective].name, late,
                      disturbed.lt, disturbed.u, plain.lt);
    return all;
}

/* What is wrong is wrong each time; the machine may be busy. */
static int stays_wrong(size_t collective, int late)
{
    int tries = 0;
    while (tries < MOST_TRIES && !is_as_plain(collective, late)) tries++;
    return tries == MOST_TRIES;
}

int main(int argc, char **argv)
{
    int failed = 0, late;
    size_t i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (i = 0; i < sizeof collectives / sizeof *collectives; i++)
        for (late = 0; late < RANKS; late++) failed |= stays_wrong(i, late);
    MPI_Finalize();
    if (!me && !failed) puts("ok");
    return failed;
}
