/* wall [ROWS COLUMNS STEPS] : the temperatures in a wall, half of it wool, half
   of it concrete, and the heat that it loses. An MPI program: each rank has some
   of the rows. */
#include "part.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The rows at the ends of our part go to the neighbours, theirs come. */
static void exchange(struct part *p)
{
    const int n = p->columns, up = p->rank > 0 ? p->rank - 1 : MPI_PROC_NULL;
    const int down = p->rank < p->size - 1 ? p->rank + 1 : MPI_PROC_NULL;
    double *t = p->celsius, *last = t + (size_t)p->rows * (size_t)n;
    MPI_Sendrecv(t + n, n, MPI_DOUBLE, up, 1, last + n, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, n, MPI_DOUBLE, down, 2, t, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void solve(struct part *p, int steps)
{
    double change = 0, greatest = 0, loss, sum = 0;
    for (int i = 0; i < steps; i++) {
        exchange(p);
        change = part_step(p);
        if ((i + 1) % 20 == 0) MPI_Allreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (p->rank == 0 && (i + 1) % 100 == 0) printf("step %5d: greatest change %.6f K\n", i + 1, greatest);
    }
    loss = part_loss(p);
    MPI_Reduce(&loss, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (p->rank == 0) printf("loss %.4f W/(m K)\n", sum);
}

int main(int argc, char **argv)
{
    struct part part;
    int rank, size, rows = argc > 1 ? atoi(argv[1]) : 240, columns = argc > 2 ? atoi(argv[2]) : 400;
    int steps = argc > 3 ? atoi(argv[3]) : 600;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rows < size || columns < 3 || steps < 1 || !part_new(&part, rank, size, rows, columns)) {
        if (rank == 0) fputs("usage: wall [ROWS COLUMNS STEPS], with a row for every rank\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    solve(&part, steps);
    part_free(&part);
    MPI_Finalize();
    return 0;
}
