! The same by the names that `use mpi_f08` comes by.
program fortran08
    use mpi_f08
    implicit none
    integer :: rank, number, sum, count
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    number = 10 + 22 * rank
    call MPI_Isend(number, 1, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, request)
    if (rank == 0) then
        call MPI_Recv(sum, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
        call MPI_Get_count(status, MPI_INTEGER, count)
        if (count /= 1 .or. status%MPI_SOURCE /= 1) sum = -1000
    else
        call answer08(sum)
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0) print '(a,i0)', 'sum ', sum
    call MPI_Finalize()
end program
