/* -------------------------------------------------- nonblocking (MPI impl) ---
   The starts of nonblocking and persistent sends and receives, and of persistent collectives. */

typedef int pfc__isend_t(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

#ifdef PERFCOMP_SMPI /* 3.32 neither packs nor unpacks derived datatypes of persistent requests */
#  define PFC__ALWAYS_COPIED(r) (r)->persistent
#else
#  define PFC__ALWAYS_COPIED(r) 0
#endif

/* A send's data are to be packed at its start. The user may free the type of a persistent one before. */
static PFC__COLD int pfc__request_packs(pfc__request_t *r, pfc__i64 count, MPI_Datatype type)
{
    r->of = type;
    if (r->persistent && PMPI_Type_dup(type, &r->of)) return 0;
    r->packed = (int)count;
    return 1;
}

/* Gives `r` a buffer or a datatype with room for the piggyback. */
static PFC__QUIET int pfc__request_room(pfc__request_t *r, const void *buffer, pfc__i64 count, MPI_Datatype type,
                                        const pfc__type_t *known)
{
    r->bytes = count * known->size;
    r->data = (void *)(pfc__uptr)buffer;
    r->span = 0;
    if (PFC__UNLIKELY(r->overlong)) pfc__left_alone_sweep(0); /* those before it may have arrived, and their memory is free */
    r->count = (int)count;
    if (r->kind == PFC__RECEIVING && known->plain && r->bytes <= PFC__BARE_MOST) {
        r->of = type;
        return pfc__is_received_copied(known, r->bytes) ? pfc__request_copies(r) : pfc__request_memory(r, 0);
    }
    if (r->kind == PFC__SENDING) {
        r->apart = pfc__is_bare(r->bytes) && !known->pair;
        if (r->overlong || (!known->plain && PFC__ALWAYS_COPIED(r)))
            return pfc__request_copies(r) && (known->plain || pfc__request_packs(r, count, type));
        r->of = type;
        if (r->apart) return 1;
        if (known->plain && r->bytes <= PFC__BARE_MOST) return pfc__request_copies(r);
    }
    r->of = type;
    return (r->span = pfc__span_take(buffer, count, type)) != 0;
}

/* A record for a send or receive that carries a piggyback, or NULL; `mode` of a send: see pfc__send_waits. 0: no memory. */
static PFC__QUIET int pfc__request_for(pfc__request_t **r, enum pfc__request_kind kind, int mode, const void *buffer, int count,
                                       MPI_Datatype type, int peer, int tag, MPI_Comm comm, int persistent)
{
    pfc__type_t known;
    pfc__comm_t *in = pfc__carries(buffer, count, type, peer, comm, &known);
    *r = 0;
    if (PFC__UNLIKELY(!in || (pfc__is_no_tag(tag) && (kind == PFC__SENDING || tag != MPI_ANY_TAG)))) return 1;
    *r = pfc__request_new(kind);
    if (PFC__UNLIKELY(!*r)) return 0;
    (*r)->comm = *in;
    (*r)->in = comm;
    (*r)->peer = peer;
    (*r)->tag = tag;
    (*r)->persistent = persistent;
    if (kind == PFC__SENDING) {
        pfc__i64 bytes = count * known.size;
        (*r)->waits = pfc__send_waits(bytes, mode);
        (*r)->overlong = mode == 0 && pfc__overlong(bytes);
        if (pfc__is_told_apart(bytes)) (*r)->world = pfc__apart_to(in, comm, peer, tag); /* the user may free `comm` before a start */
    }
    if (PFC__LIKELY(pfc__request_room(*r, buffer, count, type, &known))) return 1;
    pfc__request_drop(*r);
    return 0;
}

PFC__HOT void *pfc__request_buffer(pfc__request_t *r)
{
    if (PFC__UNLIKELY(pfc__request_is_bare(r))) return r->data;
    if (PFC__UNLIKELY(r->copied && r->apart)) return r->copy->bytes + PFC__PIGGY;
    return r->copied ? (void *)r->copy : (void *)&r->span->piggy;
}

PFC__HOT int pfc__request_count(pfc__request_t *r)
{
    if (PFC__UNLIKELY(pfc__request_is_bare(r))) return r->count;
    return r->copied ? (int)((r->apart ? 0 : PFC__PIGGY) + r->bytes) : 1;
}

PFC__HOT MPI_Datatype pfc__request_type(pfc__request_t *r)
{
    if (PFC__UNLIKELY(pfc__request_is_bare(r))) return r->of;
    return r->copied ? MPI_BYTE : r->span->type;
}

/* The user's data into our buffer. */
static PFC__QUIET void pfc__request_copy(pfc__request_t *r)
{
    int at = 0;
    if (PFC__UNLIKELY(r->packed)) pfc__pack(r->data, r->packed, r->of, r->copy->bytes + PFC__PIGGY, (int)r->bytes, &at);
    else if (r->bytes) memcpy(r->copy->bytes + PFC__PIGGY, r->data, (size_t)r->bytes);
}

/* Before it starts: a short message may come behind its piggyback, and more of the user's buffer be written than is the user's. */
static PFC__QUIET void pfc__request_expects(pfc__request_t *r)
{
    r->apart = r->settled = 0;
    if (!pfc__request_is_bare(r)) return;
    if (r->span) pfc__prefix_hold(&r->span->prefix, r->data);
    else memcpy(r->copy, r->data, (size_t)(pfc__link.copied + PFC__PIGGY));
}

static PFC__COLD int pfc__held_keeps(const pfc__request_t *r); /* see held */

/* Before it starts: what it takes along, and what its partner must know. */
static PFC__QUIET void pfc__request_ready(pfc__request_t *r, pfc__call_t *c)
{
    if (r->kind == PFC__SENDING) {
        if (r->copied) pfc__request_copy(r);
        r->number.k = pfc__stream_send(&r->comm, r->peer, r->tag, r->waits, &r->stream);
        r->k = r->waits ? r->number.k : 0;
    } else if (r->kind == PFC__RECEIVING) {
        pfc__request_expects(r);
        r->number = PFC__UNLIKELY(pfc__bound.on) && pfc__held_keeps(r) ? pfc__not_numbered() /* it counts when it gets its message */
                  : pfc__stream_post(&r->comm, r->in, r->peer, r->tag, r->bytes, c, 0);
    } else if (r->kind != PFC__COLLECTING)
        pfc__parts_start(r, c);
}

PFC__HOT void pfc__request_stamp(pfc__request_t *r, pfc__call_t *c)
{
    if (PFC__UNLIKELY(r->kind == PFC__SENDING && pfc__is_told_apart(r->bytes)))
        pfc__apart_tell(c, &r->comm, r->world, r->tag, r->bytes, r->apart, r->number.k, r->k);
    r->begin = c->begin;
    r->active = 1;
    r->met = 0;
    if (r->kind == PFC__SENDING) pfc__piggy_write(pfc__request_piggy(r), c->begin, r->k);
}

enum { PFC__SELF_TAG = 5 };

/* Gives a ready send to the library. An overlong one is on its way in our copy, and the user gets a request that is complete;
   of a persistent one, a request for a message of ours to ourselves. (To MPI_PROC_NULL, Waitsome doesn't see it in MPICH 4.0.) */
static PFC__QUIET int pfc__isend_start(pfc__isend_t *isend, pfc__request_t *r, MPI_Request *request)
{
    int error = isend(pfc__request_buffer(r), pfc__request_count(r), pfc__request_type(r), r->peer, r->tag, r->in, request);
    if (error || !r->overlong) return error;
    if (r->persistent) {
        PMPI_Request_free(request);
        return PMPI_Send_init(0, 0, MPI_BYTE, pfc__mpi.rank, PFC__SELF_TAG, pfc__mpi.comm, request);
    }
    pfc__request_leave(r, *request);
    return PMPI_Isend(0, 0, MPI_BYTE, MPI_PROC_NULL, 0, r->in, request);
}

/* Who waits for this rank is to know when it is back; if it was told of the receive, or will be of the send. */
static PFC__COLD void pfc__request_awaited(pfc__request_t *r)
{
    const pfc__stream_t *s;
    if (!pfc__away_counts()) return;
    if (r->kind == PFC__RECEIVING && pfc__link.awaits && (s = pfc__stream_of(r->comm.number, r->peer, r->tag)) != 0)
        r->partner = pfc__partner_begins(s->world);
    if (r->kind == PFC__SENDING && pfc__link.pushes && pfc__is_told_apart(r->bytes)) r->partner = pfc__partner_begins(r->world);
}

PFC__HOT void pfc__request_goes(pfc__request_t *r)
{
    if (PFC__UNLIKELY(r->active && (r->k || r->number.told))) pfc__request_awaited(r);
}

/* The library has it, or has refused it. */
static PFC__QUIET void pfc__request_started(pfc__request_t *r, MPI_Request *request, int error)
{
    if (!r || (r->overlong && !r->persistent && !error)) return;
    if (error) pfc__request_drop(r);
    else {
        pfc__request_goes(r);
        pfc__request_keep(r, *request);
    }
}

static pfc__own_parts_t pfc__own_isend, pfc__own_irecv;

static PFC__QUIET int pfc__isend(pfc__call_t *c, pfc__isend_t *isend, int mode, int persistent, const void *buffer, int count,
                                 MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    pfc__request_t *r;
    int error;
    if (!pfc__request_for(&r, PFC__SENDING, mode, buffer, count, type, to, tag, comm, persistent)) return pfc__no_memory(c, comm);
    if (r && !persistent) {
        pfc__request_ready(r, c);
        c->bytes = r->bytes;
        if (r->copied && r->bytes <= PFC__OWN_BYTES && !r->waits) c->own = pfc__own_soon(&pfc__own_isend, c->tick_in);
    }
    pfc__call_begin(c);
    if (r && !persistent) pfc__request_stamp(r, c);
    error = r ? pfc__isend_start(isend, r, request)
              : isend(buffer, count, type, to, tag, comm, request);
    pfc__call_end(c);
    pfc__request_started(r, request, error);
    return error;
}

/* A receive, perhaps of what was probed for. */
PFC__HOT void pfc__request_post(pfc__request_t *r, pfc__call_t *c)
{
    pfc__request_stamp(r, c);
    r->asked = pfc__asked_before(c);
}

typedef int pfc__irecv_t(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static PFC__QUIET int pfc__irecv_start(pfc__irecv_t *irecv, pfc__request_t *r, MPI_Request *request); /* see held */
static PFC__COLD void pfc__held_started(pfc__request_t *r);
static PFC__COLD int pfc__held_cancel(pfc__request_t *r);

static PFC__QUIET int pfc__irecv(pfc__call_t *c, pfc__irecv_t *irecv, int persistent, void *buffer, int count, MPI_Datatype type,
                                 int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    pfc__request_t *r;
    int error;
    if (!pfc__request_for(&r, PFC__RECEIVING, 0, buffer, count, type, from, tag, comm, persistent)) return pfc__no_memory(c, comm);
    if (r && !persistent) {
        pfc__request_ready(r, c);
        if (r->copied && !r->number.told) c->own = pfc__own_soon(&pfc__own_irecv, c->tick_in);
    }
    pfc__call_begin(c);
    if (r && !persistent) pfc__request_post(r, c);
    error = r ? pfc__irecv_start(irecv, r, request)
              : irecv(buffer, count, type, from, tag, comm, request);
    pfc__call_end(c);
    pfc__request_started(r, request, error);
    return error;
}

/* A blocking send of an overlong message. */
static PFC__COLD int pfc__send_buffered(pfc__call_t *c, const void *buffer, int count, MPI_Datatype type, int to, int tag,
                                        MPI_Comm comm)
{
    MPI_Request request;
    int error = pfc__isend(c, PMPI_Isend, 0, 0, buffer, count, type, to, tag, comm, &request);
    if (!error) PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return error;
}

/* ---- persistent: the same record at every start */

static PFC__QUIET void pfc__collective_started(pfc__request_t *r); /* see icollectives */

/* A start of an overlong send: what was started before may still be on its way, so that this one has a buffer of its own. */
static PFC__COLD int pfc__overlong_ready(pfc__request_t *r)
{
    pfc__request_t *once;
    pfc__left_alone_sweep(0);
    once = pfc__request_new(PFC__SENDING);
    if (!once) return 0;
    once->bytes = r->bytes;
    if (!pfc__request_copies(once)) {
        pfc__request_drop(once);
        return 0;
    }
    r->beside = once;
    return 1;
}

/* The message itself goes, in the buffer that has it; `selves`: how many the library is about to send to ourselves. */
static PFC__COLD int pfc__overlong_start(pfc__request_t *r, int *selves)
{
    pfc__request_t *once = r->beside;
    pfc__copy_t *next = once->copy;
    size_t next_room = once->copy_room;
    MPI_Request handle;
    int error;
    once->copy = r->copy, once->copy_room = r->copy_room;
    r->copy = next, r->copy_room = next_room;
    error = PMPI_Isend(once->copy, pfc__request_count(once), MPI_BYTE, r->peer, r->tag, r->in, &handle);
    if (error) return error;
    r->beside = 0;
    pfc__request_leave(once, handle);
    ++*selves;
    return MPI_SUCCESS;
}

/* NULL: none of ours, or it is active. */
static PFC__QUIET pfc__request_t *pfc__to_be_started(MPI_Request request)
{
    pfc__request_t *r = pfc__request_of(request);
    return r && r->persistent && !r->active ? r : 0;
}

static PFC__QUIET int pfc__start(pfc__call_t *c, int n, MPI_Request request[], int many)
{
    pfc__request_t *r;
    int i, error = MPI_SUCCESS, selves = 0;
    for (i = 0; i < n; i++)
        if ((r = pfc__to_be_started(request[i])) != 0 && r->overlong && !r->beside && !pfc__overlong_ready(r)) return pfc__no_memory(c, r->in);
    for (i = 0; i < n; i++)
        if ((r = pfc__to_be_started(request[i])) != 0) pfc__request_ready(r, c);
    pfc__call_begin(c);
    for (i = 0; i < n && !error; i++) {
        if (!(r = pfc__to_be_started(request[i]))) continue;
        pfc__request_stamp(r, c);
        if (r->overlong) error = pfc__overlong_start(r, &selves);
        if (!pfc__request_receives(r)) c->bytes += r->bytes;
        pfc__mpi_lock();
        if (r->kind == PFC__RECEIVING) pfc__posted_add(r);
        pfc__mpi_unlock();
    }
    if (!error) error = many ? PMPI_Startall(n, request) : PMPI_Start(request);
    pfc__call_end(c);
    while (!error && selves--) PMPI_Recv(0, 0, MPI_BYTE, pfc__mpi.rank, PFC__SELF_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
    for (i = 0; i < n && !error; i++) {
        if (!(r = pfc__request_of(request[i]))) continue;
        pfc__request_goes(r);
        if (r->kind == PFC__COLLECTING) pfc__collective_started(r);
        if (PFC__UNLIKELY(r->held != PFC__NOT_HELD)) pfc__held_started(r);
    }
    return error;
}

/* ---- send and receive at once: two requests, completed as they come */

/* Their records, as pfc__request_for. */
static PFC__QUIET int pfc__requests_for_both(pfc__request_t **in, void *receive, int receives, MPI_Datatype receive_type, int from,
                                             int receive_tag, pfc__request_t **out, const void *send, int sends,
                                             MPI_Datatype send_type, int to, int send_tag, MPI_Comm comm)
{
    if (!pfc__request_for(in, PFC__RECEIVING, 0, receive, receives, receive_type, from, receive_tag, comm, 0)) return 0;
    if (pfc__request_for(out, PFC__SENDING, 0, send, sends, send_type, to, send_tag, comm, 0)) return 1;
    if (*in) pfc__request_drop(*in);
    return 0;
}

static PFC__QUIET int pfc__complete_pair(pfc__call_t *c, MPI_Request *request, MPI_Status *status);

static PFC__QUIET int pfc__sendrecv(pfc__call_t *c, const void *send, int sends, MPI_Datatype send_type, int to, int send_tag,
                                    void *receive, int receives, MPI_Datatype receive_type, int from, int receive_tag,
                                    MPI_Comm comm, MPI_Status *status)
{
    pfc__request_t *r, *s;
    MPI_Request request[2];
    MPI_Status both[2];
    int error;
    if (!pfc__requests_for_both(&r, receive, receives, receive_type, from, receive_tag,
                                &s, send, sends, send_type, to, send_tag, comm))
        return pfc__no_memory(c, comm);
    if (s) c->bytes = s->bytes;
    if (r) pfc__request_ready(r, c);
    if (s) pfc__request_ready(s, c);
    pfc__call_begin(c);
    if (r) pfc__request_stamp(r, c);
    if (s) pfc__request_stamp(s, c);
    error = r ? pfc__irecv_start(PMPI_Irecv, r, &request[0])
              : PMPI_Irecv(receive, receives, receive_type, from, receive_tag, comm, &request[0]);
    pfc__request_started(r, &request[0], error);
    if (!error) {
        error = s ? pfc__isend_start(PMPI_Isend, s, &request[1])
                  : PMPI_Isend(send, sends, send_type, to, send_tag, comm, &request[1]);
        pfc__request_started(s, &request[1], error);
        if (error) { /* the receive is taken back */
            if (r) pfc__request_unkeep(r);
            if (r && r->held) pfc__held_cancel(r);
            PMPI_Cancel(&request[0]);
            PMPI_Wait(&request[0], MPI_STATUS_IGNORE);
            if (r) pfc__request_done(r);
        }
    } else if (s) pfc__request_drop(s);
    if (error) {
        pfc__call_end(c);
        return error;
    }
    error = pfc__complete_pair(c, request, both);
    if (from == MPI_PROC_NULL) both[0].MPI_SOURCE = MPI_PROC_NULL, both[0].MPI_TAG = MPI_ANY_TAG; /* MPICH 4.0's Irecv forgets it */
    if (error == MPI_ERR_IN_STATUS) error = both[0].MPI_ERROR ? both[0].MPI_ERROR : both[1].MPI_ERROR;
    if (status != MPI_STATUS_IGNORE) pfc__status_copy(status, &both[0]);
    return error;
}
