! The same by the names that `use mpi_f08` comes by, which for calls with logicals are of another kind.
program fortran08
    use mpi_f08
    implicit none
    integer :: rank, number, sum, count, got(6), wrong
    logical :: done
    type(MPI_Status) :: status, statuses(2)
    type(MPI_Request) :: request, requests(2)
    type(MPI_Message) :: message
    wrong = 0
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

    got = 0
    call MPI_Irecv(got, 6, MPI_INTEGER, 1 - rank, 4, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(number, 1, MPI_INTEGER, 1 - rank, 4, MPI_COMM_WORLD, requests(2))
    done = .false.
    do while (.not. done)
        call MPI_Testall(2, requests, done, statuses)
    end do
    call MPI_Get_count(statuses(1), MPI_INTEGER, count)
    if (count /= 1 .or. got(1) /= 10 + 22 * (1 - rank) .or. got(2) /= 0) wrong = wrong + 1
    call MPI_Isend(number, 1, MPI_INTEGER, 1 - rank, 5, MPI_COMM_WORLD, request)
    done = .false.
    do while (.not. done)
        call MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, done, status)
    end do
    call MPI_Get_count(status, MPI_INTEGER, count)
    if (count /= 1) wrong = wrong + 1
    done = .false.
    do while (.not. done)
        call MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, done, message, status)
    end do
    got(1) = 0
    call MPI_Mrecv(got, 1, MPI_INTEGER, message, status)
    if (got(1) /= 10 + 22 * (1 - rank)) wrong = wrong + 1
    done = .false.
    do while (.not. done)
        call MPI_Test(request, done, status)
    end do
    sum = sum + 1000 * wrong

    call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0) print '(a,i0)', 'sum ', sum
    call MPI_Finalize()
end program
