/* A program whose work on a rank falls with the number of ranks, and what it waits and sends doesn't: its grid's rows are
   shared out, each step hands their ends on and asks for the greatest change, some rows are dearer, and the first rank writes.
   Plain, it prints when the last rank was at its end, in ns. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1024, STEPS = 20 };

void row(int i) { smpi_execute(i < ROWS / 8 ? 48e-6 : 40e-6); }

void sweep(int first, int end)
{
    for (int i = first; i < end; i++) row(i);
}

void exchange(double *line, int n, int up, int down)
{
    MPI_Sendrecv(line, n, MPI_DOUBLE, up, 1, line + n, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(line, n, MPI_DOUBLE, down, 2, line + n, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void output(void) { smpi_execute(200e-6); }

int main(int argc, char **argv)
{
    int rank, size;
    double *line = calloc(8192, sizeof *line), change = 1, greatest, end, last;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        exchange(line, 4096, rank ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL);
        sweep(rank * ROWS / size, (rank + 1) * ROWS / size);
        MPI_Allreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (!rank) output();
    }
    end = MPI_Wtime();
    MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (!rank) printf("%.0f\n", last * 1e9);
    MPI_Finalize();
    return 0;
}
