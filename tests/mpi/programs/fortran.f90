! Rank 0 sends from Fortran, rank 1 receives in C (fortran.c), and back.
program fortran
    implicit none
    include 'mpif.h'
    integer :: rank, number, error
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    number = 41
    if (rank == 0) then
        call MPI_Send(number, 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, error)
        call MPI_Recv(number, 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    else
        call answer()
    end if
    call MPI_Bcast(number, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,i0)', 'sum ', number
    call MPI_Finalize(error)
end program
