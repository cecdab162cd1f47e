/* Random one-sided communication among all ranks, with work between: plain (the truth), and with the layer and probes, unevenly
   (-DLAYER). Prints of each epoch when it ended, undisturbed as far as this build knows, and how far off that may be, in ns:

       windows groups|data|locks|requests FIRST END      the programs' seeds

   groups: epochs of Win_post, Win_start, Win_complete and Win_wait without data; data: the same with data, and fences; locks: of
   ranks that nobody else locks (who would have been first, where several want one, is lock_turns' of patterns.c). SimGrid's
   windows don't bear two kinds of epoch at a time: all meet between locks. requests: the same, where half of the accesses are waited
   for by MPI_Wait, behind some work. */
#if defined LAYER
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"
#endif
#include "builds.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES = 100, WORK_NS = 100000, OPS = 40, LONG = 500, RANKS = 16 };

static int rank, size, with_data, with_requests;
static MPI_Win win;
static double mine[RANKS * LONG], theirs[RANKS * LONG], shown[RANKS * LONG];

/* Below n; of a pair of ranks, for one. */
static int draw(int n, int what, int op, int from, int to)
{
    return (int)(random_of(10 + (uint64_t)what, (uint64_t)op, (uint64_t)(from * RANKS + to)) * n);
}

static void access_by_request(int target, int op, int n)
{
    int at = rank * LONG;
    double *here = theirs + target * LONG;
    MPI_Request request;
    switch (draw(3, 1, op, rank, target)) {
    case 0: MPI_Rput(mine, n, MPI_DOUBLE, target, at, n, MPI_DOUBLE, win, &request); break;
    case 1: MPI_Rget(here, n, MPI_DOUBLE, target, at, n, MPI_DOUBLE, win, &request); break;
    default: MPI_Raccumulate(mine, n, MPI_DOUBLE, target, at, n, MPI_DOUBLE, MPI_SUM, win, &request);
    }
    work_unevenly(rank, op + 2 * OPS, PROBES, WORK_NS / 50);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void access_to(int target, int op)
{
    int n = draw(2, 0, op, rank, target) ? 1 : LONG, at = rank * LONG;
    double *here = theirs + target * LONG;
    if (with_requests && draw(2, 9, op, rank, target)) {
        access_by_request(target, op, n);
        return;
    }
    switch (draw(3, 1, op, rank, target)) {
    case 0: MPI_Put(mine, n, MPI_DOUBLE, target, at, n, MPI_DOUBLE, win); break;
    case 1: MPI_Get(here, n, MPI_DOUBLE, target, at, n, MPI_DOUBLE, win); break;
    default: MPI_Accumulate(mine, n, MPI_DOUBLE, target, at, n, MPI_DOUBLE, MPI_SUM, win);
    }
}

static void fence(int op)
{
    int i, n = draw(3, 2, op, rank, 0);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (i = 0; i < n; i++) access_to(draw(size, 3 + i, op, rank, 0), op);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

/* Of those that have this rank for a target; or of this rank's targets. */
static int partners(int op, int origins, int *list)
{
    int i, n = 0;
    for (i = 0; i < size; i++)
        if (i != rank && (origins ? draw(2, 4, op, i, rank) : draw(2, 4, op, rank, i))) list[n++] = i;
    return n;
}

static void groups(int op)
{
    int i, n, n_origins, list[RANKS];
    MPI_Group all, origins, targets;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    n_origins = partners(op, 1, list);
    MPI_Group_incl(all, n_origins, list, &origins);
    n = partners(op, 0, list);
    MPI_Group_incl(all, n, list, &targets);
    if (n_origins) MPI_Win_post(origins, 0, win);
    if (n) MPI_Win_start(targets, 0, win);
    work_unevenly(rank, op + OPS, PROBES, WORK_NS / 2);
    for (i = 0; i < n && with_data; i++) access_to(list[i], op);
    if (n) MPI_Win_complete(win);
    if (n_origins) MPI_Win_wait(win);
}

static void lock(int op)
{
    int target = (rank + 1 + draw(size - 1, 5, op, 0, 0)) % size;
    MPI_Win_lock(draw(2, 6, op, rank, 0) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
    access_to(target, op);
    if (draw(2, 7, op, rank, 0)) MPI_Win_flush(target, win);
    MPI_Win_unlock(target, win);
}

static void lock_all(int op)
{
    double one = 1, before;
    int target = (rank + 1 + draw(size - 1, 5, op, 0, 0)) % size;
    MPI_Win_lock_all(0, win);
    access_to(target, op);
    MPI_Win_flush(target, win);
    MPI_Fetch_and_op(&one, &before, MPI_DOUBLE, target, rank * LONG, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
}

static void tell(int op) { printf("%d %d %d %.0f %.0f\n", (int)seed, rank, op, now(), doubt()); }

static void run_op(const char *mode, int op)
{
    int other = draw(2, 8, op, 0, 0), locks = with_requests || !strcmp(mode, "locks");
    work_unevenly(rank, op, PROBES, WORK_NS);
    if (locks) (other ? lock : lock_all)(op);
    else (other && with_data ? fence : groups)(op);
    tell(op);
    if (locks) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const int bytes[] = { 0, 8, 8 * LONG };
    int op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 4 || size > RANKS) {
        fprintf(stderr, "usage: windows groups|data|locks|requests FIRST END, with %d ranks at most\n", RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    with_data = !strcmp(argv[1], "data");
    with_requests = !strcmp(argv[1], "requests");
    MPI_Win_create(shown, sizeof shown, sizeof *shown, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    warm_up(mine, bytes, sizeof bytes / sizeof *bytes, MPI_COMM_WORLD);
    for (seed = strtoull(argv[2], NULL, 10); seed < strtoull(argv[3], NULL, 10); seed++) {
        tell(-1);
        for (op = 0; op < OPS; op++) run_op(argv[1], op);
    }
    fflush(stdout);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
