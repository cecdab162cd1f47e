/* ----------------------------------------------------- counted (MPI impl) ---
   MPI-4's calls with large counts: those that fit into an int are the usual
   calls; the others are one element of a type that has so many. */

#if MPI_VERSION >= 4 && !defined PERFCOMP_SMPI

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

/* A send from a buffer of ours, which waits for nobody. 0: no memory. */
static PFC__QUIET int pfc__request_buffers(pfc__request_t *r, pfc__i64 count, MPI_Datatype type)
{
    pfc__type_t known;
    r->waits = 0;
    r->overlong = 1;
    if (r->copied) return 1;
    if (r->span) pfc__span_give(r->span);
    r->span = 0;
    return pfc__type_known(type, &known) && pfc__request_copies(r) && (known.plain || pfc__request_packs(r, count, type));
}

/* The send goes from a buffer of ours, and the user's request is the receive's: of the library's own for both (MPICH 4.0) the
   status doesn't tell how much came. */
static PFC__QUIET int pfc__send_leave(pfc__request_t *out, MPI_Request *receive)
{
    MPI_Request handle;
    int error = PMPI_Isend(pfc__request_buffer(out), pfc__request_count(out), MPI_BYTE, out->peer, out->tag, out->in, &handle);
    if (!error) {
        pfc__left_alone_sweep(0);
        pfc__request_leave(out, handle);
        return MPI_SUCCESS;
    }
    PMPI_Cancel(receive);
    PMPI_Wait(receive, MPI_STATUS_IGNORE);
    pfc__request_drop(out);
    return error;
}

static PFC__QUIET int pfc__isendrecv(pfc__call_t *c, const void *s, int n, MPI_Datatype type, int to, int stag, void *r, int m,
                                     MPI_Datatype rtype, int from, int rtag, MPI_Comm comm, MPI_Request *request)
{
    pfc__request_t *in, *out;
    int error;
    if (!pfc__requests_for_both(&in, r, m, rtype, from, rtag, &out, s, n, type, to, stag, comm)) return pfc__no_memory(c, comm);
    if (out && !pfc__request_buffers(out, n, type)) {
        pfc__request_drop(out);
        if (in) pfc__request_drop(in);
        return pfc__no_memory(c, comm);
    }
    if (out) pfc__request_ready(out, c);
    if (in) pfc__request_ready(in, c);
    if (out) c->bytes = out->bytes;
    pfc__call_begin(c);
    if (out) pfc__request_stamp(out, c);
    if (in) pfc__request_stamp(in, c);
    if (!in && !out) error = PMPI_Isendrecv(s, n, type, to, stag, r, m, rtype, from, rtag, comm, request);
    else error = in ? pfc__irecv_start(PMPI_Irecv, in, request) : PMPI_Irecv(r, m, rtype, from, rtag, comm, request);
    if (out && error) pfc__request_drop(out);
    else if (out) error = pfc__send_leave(out, request);
    if (in && error && in->held) pfc__held_cancel(in);
    pfc__call_end(c);
    pfc__request_started(in, request, error);
    return error;
}

static PFC__QUIET int pfc__isendrecv_replace(pfc__call_t *c, void *b, int n, MPI_Datatype type, int to, int stag, int from, int rtag,
                                             MPI_Comm comm, MPI_Request *request)
{
    pfc__type_t known;
    int error;
    if (pfc__carries(b, n, type, to, comm, &known) || pfc__carries(b, n, type, from, comm, &known))
        return pfc__isendrecv(c, b, n, type, to, stag, b, n, type, from, rtag, comm, request);
    pfc__call_begin(c);
    error = PMPI_Isendrecv_replace(b, n, type, to, stag, from, rtag, comm, request);
    pfc__call_end(c);
    return error;
}

PFC__WRAP(Isendrecv_replace, PFC__RULE_RECEIVE,
          (void *b, int n, MPI_Datatype type, int to, int stag, int from, int rtag, MPI_Comm comm, MPI_Request *request),
          (b, n, type, to, stag, from, rtag, comm, request),
          pfc__isendrecv_replace(&c, b, n, type, to, stag, from, rtag, comm, request))

PFC__COUNTED(Isendrecv_replace,
             (void *b, MPI_Count n, MPI_Datatype type, int to, int stag, int from, int rtag, MPI_Comm comm, MPI_Request *request),
             (b, n, type, to, stag, from, rtag, comm, request), (b, many.count, many.type, to, stag, from, rtag, comm, request))

PFC__WRAP(Isendrecv, PFC__RULE_RECEIVE,
          (const void *s, int n, MPI_Datatype type, int to, int stag, void *r, int m, MPI_Datatype rtype, int from, int rtag,
           MPI_Comm comm, MPI_Request *request),
          (s, n, type, to, stag, r, m, rtype, from, rtag, comm, request),
          pfc__isendrecv(&c, s, n, type, to, stag, r, m, rtype, from, rtag, comm, request))

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

int MPI_Buffer_attach_c(void *b, MPI_Count n)
{
    return PFC__OFF || n > INT_MAX / 2 ? PMPI_Buffer_attach_c(b, n) : MPI_Buffer_attach(b, (int)n);
}

int MPI_Buffer_detach_c(void *b, MPI_Count *n)
{
    int few = 0, result;
    if (PFC__OFF || !pfc__buffer.ours) return PMPI_Buffer_detach_c(b, n);
    result = MPI_Buffer_detach(b, &few);
    *n = few;
    return result;
}

#endif
