/* ---------------------------------------------------- buffers (MPI impl) ---
   For buffered sends. Each message that fits into the user's buffer needs room
   for its piggyback, too: the library is given a larger one of ours. */

typedef struct pfc__buffer {
    struct pfc__buffer *next;
    MPI_Comm comm; /* MPI_COMM_NULL: it's for all of the program's sends */
    void *users, *ours;
    int size;      /* the user's */
} pfc__buffer_t;

static pfc__buffer_t *pfc__buffers;

/* Where that one is kept. */
static PFC__QUIET pfc__buffer_t **pfc__buffer_at(MPI_Comm comm)
{
    pfc__buffer_t **at = &pfc__buffers;
    while (*at && (*at)->comm != comm) at = &(*at)->next;
    return at;
}

#if PFC__MPI_4_1
static PFC__QUIET int pfc__has_room_for_all(const void *users) { return users == MPI_BUFFER_AUTOMATIC; }
static PFC__QUIET int pfc__library_attach(MPI_Comm comm, void *b, int n)
{
    return comm == MPI_COMM_NULL ? PMPI_Buffer_attach(b, n) : PMPI_Comm_attach_buffer(comm, b, n);
}
static PFC__QUIET int pfc__library_detach(MPI_Comm comm, void *b, int *n)
{
    return comm == MPI_COMM_NULL ? PMPI_Buffer_detach(b, n) : PMPI_Comm_detach_buffer(comm, b, n);
}
#else
static PFC__QUIET int pfc__has_room_for_all(const void *users) { (void)users; return 0; }
static PFC__QUIET int pfc__library_attach(MPI_Comm comm, void *b, int n) { (void)comm; return PMPI_Buffer_attach(b, n); }
static PFC__QUIET int pfc__library_detach(MPI_Comm comm, void *b, int *n) { (void)comm; return PMPI_Buffer_detach(b, n); }
#endif

/* NULL: the library takes the user's own. */
static PFC__QUIET pfc__buffer_t *pfc__buffer_larger(MPI_Comm comm, void *users, int n, int *room)
{
    pfc__i64 messages = n / (MPI_BSEND_OVERHEAD > 0 ? MPI_BSEND_OVERHEAD : 32) + 1, larger = n + messages * 2 * PFC__PIGGY;
    pfc__buffer_t *b = 0;
    if (n < 0 || larger >= INT_MAX || pfc__has_room_for_all(users) || !(b = (pfc__buffer_t *)malloc(sizeof *b))) return 0;
    b->comm = comm;
    b->users = users;
    b->size = n;
    *room = (int)larger;
    if ((b->ours = malloc((size_t)larger)) != 0) return b;
    free(b);
    return 0;
}

static PFC__QUIET void pfc__buffer_end(pfc__buffer_t *b)
{
    if (b) free(b->ours);
    free(b);
}

/* comm: or MPI_COMM_NULL, as above. */
static PFC__QUIET int pfc__buffer_attach(pfc__call_t *c, MPI_Comm comm, void *users, int n)
{
    int room = 0, error;
    pfc__buffer_t *b = pfc__buffer_larger(comm, users, n, &room);
    pfc__call_begin(c);
    error = b ? pfc__library_attach(comm, b->ours, room) : pfc__library_attach(comm, users, n);
    pfc__call_end(c);
    if (error) {
        pfc__buffer_end(b);
        return error;
    }
    if (!b) return error;
    pfc__mpi_lock();
    b->next = pfc__buffers;
    pfc__buffers = b;
    pfc__mpi_unlock();
    return error;
}

static PFC__QUIET int pfc__buffer_detach(pfc__call_t *c, MPI_Comm comm, void *users, int *n)
{
    pfc__buffer_t **at, *b;
    int error;
    pfc__call_begin(c);
    error = pfc__library_detach(comm, users, n);
    pfc__call_end(c);
    pfc__call_unexplained(c, c->begin.ct + pfc__answer_patience(0)); /* until what is in the buffer has been received: nobody tells when */
    if (error) return error;
    pfc__mpi_lock();
    at = pfc__buffer_at(comm);
    if ((b = *at) != 0) *at = b->next;
    pfc__mpi_unlock();
    if (!b) return error;
    memcpy(users, &b->users, sizeof(void *));
    *n = b->size;
    pfc__buffer_end(b);
    return error;
}
