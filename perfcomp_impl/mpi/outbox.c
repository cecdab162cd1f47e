/* ------------------------------------------------------ outbox (MPI impl) ---
   Short messages of our own, which nobody here waits for: each has a place until
   it has gone. There are as many places as there have been messages under way, so
   that no MPI_Isend waits for a receiver that does something else. */

enum { PFC__OUT_SLOTS = 64, PFC__OUT_BYTES = 64 };

typedef struct pfc__out {
    struct pfc__out *next; /* sent after this one */
    MPI_Request request;
    char data[PFC__OUT_BYTES];
} pfc__out_t;

static pfc__out_t pfc__out_slots[PFC__OUT_SLOTS], *pfc__out_oldest, **pfc__out_end = &pfc__out_oldest;
static int pfc__out_used; /* of the slots */

static PFC__QUIET pfc__out_t *pfc__out_oldest_taken(void)
{
    pfc__out_t *out = pfc__out_oldest;
    pfc__out_oldest = out->next;
    if (!pfc__out_oldest) pfc__out_end = &pfc__out_oldest;
    return out;
}

/* A place for one more message. Where there is no memory, the oldest one's, when that has gone. */
static PFC__QUIET pfc__out_t *pfc__out_place(void)
{
    pfc__out_t *more;
    int gone = 0;
    if (pfc__out_used < PFC__OUT_SLOTS) return &pfc__out_slots[pfc__out_used++];
    PMPI_Test(&pfc__out_oldest->request, &gone, MPI_STATUS_IGNORE);
    if (gone) return pfc__out_oldest_taken();
    more = (pfc__out_t *)malloc(sizeof *more);
    if (more) return more;
    PMPI_Wait(&pfc__out_oldest->request, MPI_STATUS_IGNORE);
    return pfc__out_oldest_taken();
}

/* Under the lock. */
static PFC__QUIET void pfc__out_send(const void *data, size_t bytes, int world, int tag)
{
    pfc__out_t *out = pfc__out_place();
    memcpy(out->data, data, bytes);
    PMPI_Isend(out->data, (int)bytes, MPI_BYTE, world, tag, pfc__mpi.comm, &out->request);
    out->next = 0;
    *pfc__out_end = out;
    pfc__out_end = &out->next;
}

static PFC__QUIET void pfc__out_finish(void)
{
    pfc__out_t *out;
    for (out = pfc__out_oldest; out; out = out->next) PMPI_Wait(&out->request, MPI_STATUS_IGNORE);
}
