/* ----------------------------------------------------- patience (MPI impl) ---
   At Init ranks wait for those that measure, and where collectives are tried, for
   each other. Where they share processors, one that waits inside of the library
   may keep its processor for a whole time slice from the one that it waits for:
   these give it away, after a while. */

enum { PFC__PATIENT_TESTS = 200 };

/* Whether it is complete, after `ns` at the latest; then the request is null. Virtual time doesn't pass in a test. */
static PFC__QUIET int pfc__patient_until(MPI_Request *request, pfc__i64 ns)
{
    pfc__i64 tick = pfc__clock();
    int done = 0, tests;
    for (tests = 0; !done && !PFC__ONE_PROGRAM && pfc__since(tick) < ns; tests++) {
        PMPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && tests > PFC__PATIENT_TESTS) sched_yield();
    }
    return done;
}

/* Lets so much time pass, and others have the processor meanwhile. */
static PFC__QUIET void pfc__patient_pause(pfc__i64 ns)
{
    pfc__i64 tick = pfc__clock();
    if (PFC__ONE_PROGRAM) pfc__pause(ns);
    while (!PFC__ONE_PROGRAM && pfc__since(tick) < ns) sched_yield();
}

static PFC__QUIET void pfc__patient_wait(MPI_Request *request)
{
    if (!pfc__patient_until(request, INT64_MAX)) PMPI_Wait(request, MPI_STATUS_IGNORE);
}

static PFC__QUIET void pfc__patient_receive(void *data, int bytes, int from, int tag)
{
    MPI_Request request;
    PMPI_Irecv(data, bytes, MPI_BYTE, from, tag, pfc__mpi.comm, &request);
    pfc__patient_wait(&request);
}

static PFC__QUIET void pfc__patient_send(const void *data, int bytes, int to, int tag)
{
    MPI_Request request;
    PMPI_Isend(data, bytes, MPI_BYTE, to, tag, pfc__mpi.comm, &request);
    pfc__patient_wait(&request);
}

/* A collective: the library's name, its nonblocking one's, arguments. SimGrid's nonblocking ones are n² messages. */
#define PFC__PATIENTLY(call, icall, ...) \
    do { \
        MPI_Request request; \
        if (PFC__ONE_PROGRAM) PMPI_##call(__VA_ARGS__); \
        else PMPI_##icall(__VA_ARGS__, &request), pfc__patient_wait(&request); \
    } while (0)

static PFC__QUIET void pfc__patient_bcast(void *data, int bytes)
{
    PFC__PATIENTLY(Bcast, Ibcast, data, bytes, MPI_BYTE, 0, pfc__mpi.comm);
}

static PFC__QUIET pfc__i64 pfc__patient_max(pfc__i64 mine)
{
    pfc__i64 most = mine;
    PFC__PATIENTLY(Allreduce, Iallreduce, &mine, &most, 1, MPI_INT64_T, MPI_MAX, pfc__mpi.comm);
    return most;
}

static PFC__QUIET void pfc__patient_barrier(void) { PFC__PATIENTLY(Barrier, Ibarrier, pfc__mpi.comm); }
