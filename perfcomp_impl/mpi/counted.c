/* ----------------------------------------------------- counted (MPI impl) ---
   MPI-4's calls with large counts: those that fit into an int are the usual
   calls; the others are one element of a type that has so many. */

#if PFC__MPI_LARGE_COUNTS

typedef struct pfc__many { int count; MPI_Datatype type; int made; } pfc__many_t;

static PFC__QUIET pfc__many_t pfc__many_of(MPI_Count count, MPI_Datatype type)
{
    pfc__many_t many = { (int)count, type, 0 };
    if (count <= INT_MAX) return many; /* less than 0 stays so: the library finds it */
    many.made = !PMPI_Type_contiguous_c(count, type, &many.type) && !PMPI_Type_commit(&many.type);
    many.count = many.made ? 1 : -1;
    return many;
}

static PFC__QUIET int pfc__many_done(pfc__many_t *many, int result)
{
    if (many->made) MPI_Type_free(&many->type);
    return result;
}

#define PFC__COUNTED(name, parameters, arguments, usual) \
    int MPI_##name##_c parameters \
    { \
        if (PFC__OFF) return PMPI_##name##_c arguments; \
        { \
            pfc__many_t many = pfc__many_of(n, type); \
            return pfc__many_done(&many, MPI_##name usual); \
        } \
    }
#define PFC__COUNTED_SEND(name) \
    PFC__COUNTED(name, (const void *b, MPI_Count n, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
                 (b, n, type, to, tag, comm), (b, many.count, many.type, to, tag, comm))
#define PFC__COUNTED_ISEND(name) \
    PFC__COUNTED(name, (const void *b, MPI_Count n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request), \
                 (b, n, type, to, tag, comm, request), (b, many.count, many.type, to, tag, comm, request))

PFC__COUNTED_SEND(Send)
PFC__COUNTED_SEND(Ssend)
PFC__COUNTED_SEND(Rsend)
PFC__COUNTED_SEND(Bsend)
PFC__COUNTED_ISEND(Isend)
PFC__COUNTED_ISEND(Issend)
PFC__COUNTED_ISEND(Irsend)
PFC__COUNTED_ISEND(Ibsend)
PFC__COUNTED_ISEND(Send_init)
PFC__COUNTED_ISEND(Ssend_init)
PFC__COUNTED_ISEND(Rsend_init)
PFC__COUNTED_ISEND(Bsend_init)
PFC__COUNTED(Recv, (void *b, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
             (b, n, type, from, tag, comm, status), (b, many.count, many.type, from, tag, comm, status))
PFC__COUNTED(Irecv, (void *b, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
             (b, n, type, from, tag, comm, request), (b, many.count, many.type, from, tag, comm, request))
PFC__COUNTED(Recv_init, (void *b, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
             (b, n, type, from, tag, comm, request), (b, many.count, many.type, from, tag, comm, request))
PFC__COUNTED(Mrecv, (void *b, MPI_Count n, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
             (b, n, type, message, status), (b, many.count, many.type, message, status))
PFC__COUNTED(Imrecv, (void *b, MPI_Count n, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
             (b, n, type, message, request), (b, many.count, many.type, message, request))
PFC__COUNTED(Sendrecv_replace,
             (void *b, MPI_Count n, MPI_Datatype type, int to, int stag, int from, int rtag, MPI_Comm comm, MPI_Status *status),
             (b, n, type, to, stag, from, rtag, comm, status), (b, many.count, many.type, to, stag, from, rtag, comm, status))

int MPI_Sendrecv_c(const void *s, MPI_Count n, MPI_Datatype type, int to, int stag, void *r, MPI_Count m, MPI_Datatype rtype,
                   int from, int rtag, MPI_Comm comm, MPI_Status *status)
{
    pfc__many_t send, receive;
    int result;
    if (PFC__OFF) return PMPI_Sendrecv_c(s, n, type, to, stag, r, m, rtype, from, rtag, comm, status);
    send = pfc__many_of(n, type);
    receive = pfc__many_of(m, rtype);
    result = MPI_Sendrecv(s, send.count, send.type, to, stag, r, receive.count, receive.type, from, rtag, comm, status);
    pfc__many_done(&send, result);
    return pfc__many_done(&receive, result);
}

PFC__COUNTED(Isendrecv_replace,
             (void *b, MPI_Count n, MPI_Datatype type, int to, int stag, int from, int rtag, MPI_Comm comm, MPI_Request *request),
             (b, n, type, to, stag, from, rtag, comm, request), (b, many.count, many.type, to, stag, from, rtag, comm, request))

int MPI_Isendrecv_c(const void *s, MPI_Count n, MPI_Datatype type, int to, int stag, void *r, MPI_Count m, MPI_Datatype rtype,
                    int from, int rtag, MPI_Comm comm, MPI_Request *request)
{
    pfc__many_t send, receive;
    int result;
    if (PFC__OFF) return PMPI_Isendrecv_c(s, n, type, to, stag, r, m, rtype, from, rtag, comm, request);
    send = pfc__many_of(n, type);
    receive = pfc__many_of(m, rtype);
    result = MPI_Isendrecv(s, send.count, send.type, to, stag, r, receive.count, receive.type, from, rtag, comm, request);
    pfc__many_done(&send, result);
    return pfc__many_done(&receive, result);
}

/* Whether the library has a larger one than the user's. */
static PFC__QUIET int pfc__buffer_is_larger(MPI_Comm comm)
{
    int larger;
    pfc__mpi_lock();
    larger = *pfc__buffer_at(comm) != 0;
    pfc__mpi_unlock();
    return larger;
}

int MPI_Buffer_attach_c(void *b, MPI_Count n)
{
    return PFC__OFF || n > INT_MAX / 2 ? PMPI_Buffer_attach_c(b, n) : MPI_Buffer_attach(b, (int)n);
}

int MPI_Buffer_detach_c(void *b, MPI_Count *n)
{
    int few = 0, result;
    if (PFC__OFF || !pfc__buffer_is_larger(MPI_COMM_NULL)) return PMPI_Buffer_detach_c(b, n);
    result = MPI_Buffer_detach(b, &few);
    *n = few;
    return result;
}

#if PFC__MPI_4_1
int MPI_Comm_attach_buffer_c(MPI_Comm comm, void *b, MPI_Count n)
{
    return PFC__OFF || n > INT_MAX / 2 ? PMPI_Comm_attach_buffer_c(comm, b, n) : MPI_Comm_attach_buffer(comm, b, (int)n);
}

int MPI_Comm_detach_buffer_c(MPI_Comm comm, void *b, MPI_Count *n)
{
    int few = 0, result;
    if (PFC__OFF || !pfc__buffer_is_larger(comm)) return PMPI_Comm_detach_buffer_c(comm, b, n);
    result = MPI_Comm_detach_buffer(comm, b, &few);
    *n = few;
    return result;
}
#endif
#endif
