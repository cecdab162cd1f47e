/* ------------------------------------------------------ outbox (MPI impl) ---
   Short messages of our own, which nobody here waits for: each has a place until
   it has gone. */

enum { PFC__OUT_SLOTS = 64, PFC__OUT_BYTES = 64 };

static struct { char data[PFC__OUT_BYTES]; MPI_Request request; int used; } pfc__out[PFC__OUT_SLOTS];

/* Under the lock. */
static PFC__QUIET void pfc__out_send(const void *data, size_t bytes, int world, int tag)
{
    static unsigned next;
    unsigned at = next++ % PFC__OUT_SLOTS;
    if (pfc__out[at].used) PMPI_Wait(&pfc__out[at].request, MPI_STATUS_IGNORE);
    pfc__out[at].used = 1;
    memcpy(pfc__out[at].data, data, bytes);
    PMPI_Isend(pfc__out[at].data, (int)bytes, MPI_BYTE, world, tag, pfc__mpi.comm, &pfc__out[at].request);
}

static PFC__QUIET void pfc__out_finish(void)
{
    int at;
    for (at = 0; at < PFC__OUT_SLOTS; at++)
        if (pfc__out[at].used) PMPI_Wait(&pfc__out[at].request, MPI_STATUS_IGNORE);
}
