/* One process starts another one; each sends the other a number. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm other;
    int mine = 1, theirs = 0, started;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&other);
    started = other != MPI_COMM_NULL;
    if (started) mine = 2;
    else MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
    MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &theirs, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
    if (!started) printf("sum %d\n", mine + theirs);
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
