/* ----------------------------------------------------- patience (MPI impl) ---
   At Init ranks wait for those that measure. Where ranks share processors, one
   that waits inside of the library may keep its processor for a whole time slice
   from the one that it waits for: these give it away, after a while. */

enum { PFC__PATIENT_TESTS = 200 };

static PFC__QUIET void pfc__patient_wait(MPI_Request *request)
{
    int done = 0, tests;
    if (PFC__ONE_PROGRAM) PMPI_Wait(request, MPI_STATUS_IGNORE), done = 1; /* virtual time doesn't pass in a test */
    for (tests = 0; !done; tests++) {
        PMPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && tests > PFC__PATIENT_TESTS) sched_yield();
    }
}

static PFC__QUIET void pfc__patient_receive(void *data, int bytes, int from, int tag)
{
    MPI_Request request;
    if (PFC__ONE_PROGRAM) {
        PMPI_Recv(data, bytes, MPI_BYTE, from, tag, pfc__mpi.comm, MPI_STATUS_IGNORE);
        return;
    }
    PMPI_Irecv(data, bytes, MPI_BYTE, from, tag, pfc__mpi.comm, &request);
    pfc__patient_wait(&request);
}

static PFC__QUIET void pfc__patient_send(const void *data, int bytes, int to, int tag)
{
    MPI_Request request;
    if (PFC__ONE_PROGRAM) {
        PMPI_Send(data, bytes, MPI_BYTE, to, tag, pfc__mpi.comm);
        return;
    }
    PMPI_Isend(data, bytes, MPI_BYTE, to, tag, pfc__mpi.comm, &request);
    pfc__patient_wait(&request);
}

/* Collectives: SimGrid's nonblocking ones are n² messages. */
static PFC__QUIET void pfc__patient_bcast(void *data, int bytes)
{
    MPI_Request request;
    if (PFC__ONE_PROGRAM) {
        PMPI_Bcast(data, bytes, MPI_BYTE, 0, pfc__mpi.comm);
        return;
    }
    PMPI_Ibcast(data, bytes, MPI_BYTE, 0, pfc__mpi.comm, &request);
    pfc__patient_wait(&request);
}

static PFC__QUIET pfc__i64 pfc__patient_max(pfc__i64 mine)
{
    MPI_Request request;
    pfc__i64 most = mine;
    if (PFC__ONE_PROGRAM) {
        PMPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, pfc__mpi.comm);
        return most;
    }
    PMPI_Iallreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, pfc__mpi.comm, &request);
    pfc__patient_wait(&request);
    return most;
}

static PFC__QUIET void pfc__patient_barrier(void)
{
    MPI_Request request;
    if (PFC__ONE_PROGRAM) {
        PMPI_Barrier(pfc__mpi.comm);
        return;
    }
    PMPI_Ibarrier(pfc__mpi.comm, &request);
    pfc__patient_wait(&request);
}
