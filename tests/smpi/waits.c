/* Ranks whose probes take more than perfcomp believes, or less, wait for one another: in all-to-all collectives, and in
   receives between them. What each would have waited is known, and what it is said to have waited may be off from that by the ±
   that is said. That isn't what came in since the begin, but since all last met: the argument says how much it may be in all, in ms. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

#define W MPI_COMM_WORLD

enum { STEPS = 200, RANKS = 4, US = 1000, LATENCY = 10 * US };

static const double error[RANKS] = { -.1, .1, .05, -.07 }, most_error = .11;

static int64_t at[RANKS]; /* undisturbed, ns since the first barrier */
static int64_t truth;     /* what this rank would have waited */

static int64_t work_of(int rank, int step) { return (1000 + (rank * 31 + step * 17) % 7 * 300) * US; }
static int64_t probes_of(int rank, int step) { return (100 + (rank * 7919 + step * 104729) % 11 * 200) * US; }

static void passes(int64_t ns) { smpi_execute((double)ns * 1e-9); }

static void work(int rank, int step)
{
    int64_t ns = probes_of(rank, step);
    passes(work_of(rank, step) + ns);
    pfc__self->delta += pfc__fixed_of(pfc__round((double)ns * (1 + error[rank])));
}

/* What the steps of all ranks would have been; `from`: whom each waits for. */
static void replay(int rank, int step, const int *from)
{
    int64_t last = 0, there[RANKS];
    int r;
    for (r = 0; r < RANKS; r++) {
        at[r] += work_of(r, step);
        last = pfc__max(last, at[r]);
    }
    for (r = 0; r < RANKS; r++) there[r] = pfc__max(at[r], from ? at[from[r]] : last);
    truth += there[rank] - at[rank];
    memcpy(at, there, sizeof at);
}

static void meet(int rank, int step)
{
    double in = 1, out;
    work(rank, step);
    replay(rank, step, 0);
    if (step % 4) MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, W);
    else MPI_Barrier(W);
}

static void receive(int rank, int step)
{
    static const int left[RANKS] = { 3, 0, 1, 2 };
    MPI_Request request;
    int in, out = step;
    work(rank, step);
    replay(rank, step, left);
    MPI_Send(&out, 1, MPI_INT, (rank + 1) % RANKS, 1, W);
    if (step % 4 == 1) MPI_Recv(&in, 1, MPI_INT, left[rank], 1, W, MPI_STATUS_IGNORE);
    else {
        MPI_Irecv(&in, 1, MPI_INT, left[rank], 1, W, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static int is_true(int64_t told, int64_t u) { return llabs(told - truth) <= u + STEPS * LATENCY; }

/* Of all places since MPI_Init, where nothing is in doubt. In these calls nothing else takes long. */
static int is_told(int rank, int64_t most)
{
    int64_t waited = 0, took = 0, u = 0;
    int i, good;
    for (i = 0; i < pfc__mpi_site_block.used; i++) {
        waited += pfc__mpi_site_block.first[i].wait_lt;
        took += pfc__mpi_site_block.first[i].time_lt;
        u += pfc__mpi_site_block.first[i].wait_u;
    }
    good = is_true(waited, u) && is_true(took, u) && u <= most;
    printf("rank %d waits for %.1f ms, ± %.1f; undisturbed %.1f\n", rank, (double)waited * 1e-6, (double)u * 1e-6, (double)truth * 1e-6);
    return good;
}

int main(int argc, char **argv)
{
    int rank, step, good, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    pfc__self->pair_doubt = most_error;
    MPI_Barrier(W);
    for (step = 0; step < STEPS; step++) step % 2 ? receive(rank, step) : meet(rank, step);
    good = is_told(rank, (argc > 1 ? atoi(argv[1]) : 0) * 1000 * US);
    PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, W);
    MPI_Finalize();
    return !all;
}
