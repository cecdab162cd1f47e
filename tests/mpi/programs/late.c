/* Rank after rank is late at a barrier. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, late;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (late = 0; late < size; late++) {
        if (rank == late) usleep(50000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
