/* Random collectives among all ranks or some of them, with work between: plain (the truth), and with the layer and probes, unevenly
   (-DLAYER). Prints of each when it ended, undisturbed as far as this build knows, and how far off that may be, in ns:

       meetings FIRST END [nonblocking|long]      the programs' seeds; long: also data whose senders wait, from roots or to them

   Left out is what SimGrid does otherwise than libraries: Reduce_scatter, Ibarrier, and ranks in another order than in
   MPI_COMM_WORLD, whose trees it turns round. */
#if defined LAYER
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"
#endif
#include "builds.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES = 100, WORK_NS = 100000, OPS = 40, LONG = 500, LONGEST = 20000, RANKS = 16, COMMS = 5 };

static int rank, size, nonblocking, longest;
static MPI_Comm comms[COMMS];
static double mine[RANKS * LONGEST], theirs[RANKS * LONGEST];

static int draw(int n, int what, int op) { return (int)(random_of(10 + (uint64_t)what, (uint64_t)op, 0) * n); }

static int kind_of(int op)
{
    static const int rooted[] = { 0, 1, 2, 4, 5 };
    return longest ? rooted[draw(5, 1, op)] : draw(10, 1, op);
}

static int length_of(int op)
{
    static const int lengths[] = { LONG, 1, LONGEST };
    return lengths[draw(longest ? 3 : 2, 2, op)];
}

static void meet(int kind, int n, int root, MPI_Comm c)
{
    switch (kind) {
    case 0: MPI_Barrier(c); break;
    case 1: MPI_Bcast(mine, n, MPI_DOUBLE, root, c); break;
    case 2: MPI_Reduce(mine, theirs, n, MPI_DOUBLE, MPI_SUM, root, c); break;
    case 3: MPI_Allreduce(mine, theirs, n, MPI_DOUBLE, MPI_SUM, c); break;
    case 4: MPI_Gather(mine, n, MPI_DOUBLE, theirs, n, MPI_DOUBLE, root, c); break;
    case 5: MPI_Scatter(mine, n, MPI_DOUBLE, theirs, n, MPI_DOUBLE, root, c); break;
    case 6: MPI_Allgather(mine, n, MPI_DOUBLE, theirs, n, MPI_DOUBLE, c); break;
    case 7: MPI_Alltoall(mine, n, MPI_DOUBLE, theirs, n, MPI_DOUBLE, c); break;
    case 8: MPI_Scan(mine, theirs, n, MPI_DOUBLE, MPI_SUM, c); break;
    default: MPI_Exscan(mine, theirs, n, MPI_DOUBLE, MPI_SUM, c);
    }
}

/* SimGrid's Ibarrier lets ranks go when the first of them has come. */
static MPI_Request meeting(int kind, int n, int root, MPI_Comm c)
{
    MPI_Request r;
    switch (kind) {
    case 1: MPI_Ibcast(mine, n, MPI_DOUBLE, root, c, &r); break;
    case 2: MPI_Ireduce(mine, theirs, n, MPI_DOUBLE, MPI_SUM, root, c, &r); break;
    case 4: MPI_Igather(mine, n, MPI_DOUBLE, theirs, n, MPI_DOUBLE, root, c, &r); break;
    case 5: MPI_Iscatter(mine, n, MPI_DOUBLE, theirs, n, MPI_DOUBLE, root, c, &r); break;
    case 6: MPI_Iallgather(mine, n, MPI_DOUBLE, theirs, n, MPI_DOUBLE, c, &r); break;
    case 7: MPI_Ialltoall(mine, n, MPI_DOUBLE, theirs, n, MPI_DOUBLE, c, &r); break;
    case 8: MPI_Iscan(mine, theirs, n, MPI_DOUBLE, MPI_SUM, c, &r); break;
    case 9: MPI_Iexscan(mine, theirs, n, MPI_DOUBLE, MPI_SUM, c, &r); break;
    default: MPI_Iallreduce(mine, theirs, n, MPI_DOUBLE, MPI_SUM, c, &r);
    }
    return r;
}

static void tell(int op) { printf("%d %d %d %.0f %.0f\n", (int)seed, rank, op, now(), doubt()); }

static void run_op(int op)
{
    MPI_Comm c = comms[draw(COMMS, 0, op)];
    MPI_Request r;
    int members, kind, n, root;
    if (c == MPI_COMM_NULL) return;
    MPI_Comm_size(c, &members);
    work_unevenly(rank, op, PROBES, WORK_NS);
    kind = kind_of(op), n = length_of(op), root = draw(members, 3, op);
    if (!nonblocking) meet(kind, n, root, c);
    else {
        r = meeting(kind, n, root, c);
        if (draw(2, 4, op)) work_unevenly(rank, op + OPS, PROBES, WORK_NS / 2);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    tell(op);
}

static void make_comms(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &comms[3]);
    MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1 ? MPI_UNDEFINED : 1, rank, &comms[4]);
}

int main(int argc, char **argv)
{
    static const int bytes[] = { 0, 8, 16, 32, 8 * LONG, 64 * LONG, 8 * LONGEST, 16 * LONGEST, 32 * LONGEST };
    int op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3 || size > RANKS) {
        fprintf(stderr, "usage: meetings FIRST END [nonblocking|long], with %d ranks at most\n", RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    nonblocking = argc > 3 && !strcmp(argv[3], "nonblocking");
    longest = argc > 3 && !strcmp(argv[3], "long");
    make_comms();
    warm_up(mine, bytes, sizeof bytes / sizeof *bytes, comms[0]);
    for (seed = strtoull(argv[1], NULL, 10); seed < strtoull(argv[2], NULL, 10); seed++) {
        tell(-1);
        for (op = 0; op < OPS; op++) run_op(op);
    }
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
