/* Rank 0 asks for the answer to a one-sided call, which comes when rank 1 is inside of MPI again, where the library has it so. */
#include <mpi.h>

static void compute(double seconds) { double end = MPI_Wtime() + seconds; while (MPI_Wtime() < end) {} }

int main(int argc, char **argv)
{
    static int one = 1;
    int rank, done = 0, *data;
    MPI_Request request;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, &data, &window);
    *data = 0;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) compute(0.3);
    else {
        compute(0.05);
        MPI_Raccumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window, &request);
        while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
