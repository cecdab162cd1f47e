/* -------------------------------------------------- isendrecv (MPI impl) ---
   MPI-4's nonblocking send and receive in one. */

#if PFC__MPI_4

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

PFC__WRAP(Isendrecv, PFC__RULE_RECEIVE,
          (const void *s, int n, MPI_Datatype type, int to, int stag, void *r, int m, MPI_Datatype rtype, int from, int rtag,
           MPI_Comm comm, MPI_Request *request),
          (s, n, type, to, stag, r, m, rtype, from, rtag, comm, request),
          pfc__isendrecv(&c, s, n, type, to, stag, r, m, rtype, from, rtag, comm, request))
#endif
