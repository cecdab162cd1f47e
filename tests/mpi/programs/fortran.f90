! Calls from Fortran and, in fortran.c, from C, with one another. "sum 42" if all is as it should be.
program fortran
    implicit none
    include 'mpif.h'
    integer :: rank, size, other, number(1), numbers(4), got(4), request(4), status(MPI_STATUS_SIZE), error, i, done, index(4)
    integer :: statuses(MPI_STATUS_SIZE, 4), comm, persistent, counts(2), places(2), wrong(1)
    logical :: flag
    wrong = 0
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    other = 1 - rank

    ! Fortran to C and back.
    number = 41
    if (rank == 0) then
        call MPI_Send(number, 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, error)
        call MPI_Recv(number, 1, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, status, error)
        if (status(MPI_SOURCE) /= 1) wrong = wrong + 1
        call MPI_Get_count(status, MPI_INTEGER, i, error)
        if (i /= 1) wrong = wrong + 1
    else
        call answer()
    end if

    ! As programs call it that wrap some calls themselves.
    number(1) = number(1) + 1
    call PMPI_Sendrecv_replace(number, 1, MPI_INTEGER, other, 4, other, 4, MPI_COMM_WORLD, status, error)
    call PMPI_Isend(number, 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, request(1), error)
    call MPI_Recv(number, 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, status, error)
    call PMPI_Wait(request(1), status, error)
    number(1) = number(1) - 1

    ! Nonblocking; completed in three ways.
    numbers = (/ 1, 2, 3, 4 /) + 10 * rank
    got = 0
    do i = 1, 2
        call MPI_Irecv(got(i), 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, request(i), error)
        call MPI_Isend(numbers(i), 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, request(i + 2), error)
    end do
    call MPI_Waitany(4, request, i, status, error)
    if (i < 1 .or. i > 4) wrong = wrong + 1
    if (request(i) /= MPI_REQUEST_NULL) wrong = wrong + 1
    done = 0
    do while (done == 0)
        call MPI_Testsome(4, request, done, index, statuses, error)
    end do
    if (index(1) < 1 .or. index(1) > 4) wrong = wrong + 1
    call MPI_Waitall(4, request, MPI_STATUSES_IGNORE, error)
    if (got(1) /= 1 + 10 * other .or. got(2) /= 2 + 10 * other) wrong = wrong + 1

    ! A probe; both ways at once; a persistent pair.
    call MPI_Isend(numbers, 3, MPI_INTEGER, other, 8, MPI_COMM_WORLD, request(1), error)
    flag = .false.
    do while (.not. flag)
        call MPI_Iprobe(other, MPI_ANY_TAG, MPI_COMM_WORLD, flag, status, error)
    end do
    call MPI_Get_count(status, MPI_INTEGER, i, error)
    if (i /= 3 .or. status(MPI_TAG) /= 8) wrong = wrong + 1
    call MPI_Recv(got, 4, MPI_INTEGER, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    if (got(3) /= 3 + 10 * other) wrong = wrong + 1
    call MPI_Wait(request(1), MPI_STATUS_IGNORE, error)
    call MPI_Sendrecv(numbers, 2, MPI_INTEGER, other, 9, got, 4, MPI_INTEGER, other, 9, MPI_COMM_WORLD, status, error)
    call MPI_Get_count(status, MPI_INTEGER, i, error)
    if (i /= 2 .or. got(1) /= 1 + 10 * other) wrong = wrong + 1
    call MPI_Send_init(numbers(4), 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, persistent, error)
    do i = 1, 3
        numbers(4) = i + rank
        call MPI_Start(persistent, error)
        call MPI_Recv(got(4), 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, status, error)
        call MPI_Wait(persistent, status, error)
        if (got(4) /= i + other) wrong = wrong + 1
    end do
    call MPI_Request_free(persistent, error)

    ! Collectives, in place, with counts, nonblocking; a communicator.
    got = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, got, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (got(4) /= size * (size + 1) / 2) wrong = wrong + 1
    counts = (/ 1, 2 /)
    places = (/ 0, 2 /)
    got = 0
    call MPI_Allgatherv(numbers, rank + 1, MPI_INTEGER, got, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
    if (got(1) /= 1 .or. got(3) /= 11 .or. got(4) /= 12) wrong = wrong + 1
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, comm, error)
    call MPI_Comm_rank(comm, i, error)
    if (i /= size - 1 - rank) wrong = wrong + 1
    call MPI_Ibcast(number, 1, MPI_INTEGER, size - 1, comm, request(1), error)
    call MPI_Wait(request(1), MPI_STATUS_IGNORE, error)
    call MPI_Comm_free(comm, error)
    if (comm /= MPI_COMM_NULL) wrong = wrong + 1

    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,i0)', 'sum ', number(1) + 1000 * wrong(1)
    call MPI_Finalize(error)
end program
