/* The C parts of fortran.f90 and fortran08.f90. */
#include <mpi.h>

void answer_(void);
void answer_(void)
{
    int number = 0;
    MPI_Recv(&number, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    number++;
    MPI_Send(&number, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
}

void answer08_(int *got);
void answer08_(int *got) { MPI_Recv(got, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
