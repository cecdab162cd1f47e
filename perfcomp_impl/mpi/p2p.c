/* ---------------------------------------------------------- p2p (MPI impl) ---
   Sends and receives: blocking, nonblocking, persistent. What goes wrong is
   left to the library to find: a call with arguments that we can't make sense
   of is passed on as it came. */

/* No message can have it: nobody is to expect one. */
PFC__HOT int pfc__is_no_tag(int tag) { return (unsigned)tag > (unsigned)pfc__mpi.tags; }

/* NULL: the message carries no piggyback. The same on both sides of every message: with a null buffer there is none. */
PFC__HOT pfc__comm_t *pfc__carries(const void *buffer, pfc__i64 count, MPI_Datatype type, int peer, MPI_Comm comm, pfc__type_t *known)
{
    pfc__comm_t *c;
    known->size = known->plain = 0;
    if (peer == MPI_PROC_NULL || count < 0 || !(c = pfc__comm_carries(comm))) return 0;
    if (PFC__UNLIKELY(!pfc__type_known(type, known))) return 0;
    return PFC__UNLIKELY(!buffer && known->plain && count * known->size > 0) ? 0 : c;
}

/* Another thread may free the communicator while the call waits, and its record with it: such a call has one of its own. */
PFC__HOT pfc__comm_t *pfc__comm_held(pfc__comm_t *c, pfc__comm_t *own)
{
    if (PFC__LIKELY(!pfc__mpi.threads) || !c || c == &pfc__comm_world) return c;
    *own = *c;
    return own;
}

/* ---- when that began on which a call depends */

/* Only its piggyback makes a message longer than that. */
PFC__HOT int pfc__piggy_exceeds(pfc__i64 bytes, pfc__i64 limit) { return bytes > limit && bytes <= limit + PFC__PIGGY; }

/* Only its piggyback makes this message too long for the library to buffer, or to let it go without its receiver: we do. */
PFC__HOT int pfc__overlong(pfc__i64 bytes)
{
    if (pfc__is_bare(bytes)) return 0;
    return pfc__piggy_exceeds(bytes, pfc__link.alone) || pfc__piggy_exceeds(bytes, pfc__link.eager);
}

/* R1, R2; R4 when the data waited for the post: they went when both were there.
   One that we made too long to be buffered waited too, but wouldn't have. */
PFC__HOT pfc__moment_t pfc__received_from(const pfc__piggy_t *p, pfc__moment_t post, const pfc__sized_t *size)
{
    pfc__moment_t sent = pfc__piggy_read(p);
    if (pfc__data_wait(p, size->bytes)) sent = pfc__data_move(sent, post, (int)p->rank, pfc__mpi.rank);
    else if (PFC__UNLIKELY(!pfc__is_bare(size->bytes) && pfc__piggy_exceeds(size->bytes, pfc__link.eager))) sent.ct = pfc__max(sent.ct, post.ct);
    return pfc__sent_bare(sent, size);
}

/* What comes from this rank itself was sent by its only thread that can be in MPI, before it waits: the library may take
   its time, but nobody is late. */
PFC__HOT int pfc__is_own(pfc__u32 peer) { return PFC__UNLIKELY(peer == (pfc__u32)pfc__mpi.rank) && !pfc__mpi.threads; }

/* ---- blocking */

static pfc__own_parts_t pfc__own_send, pfc__own_receive;

typedef int pfc__send_t(const void *, int, MPI_Datatype, int, int, MPI_Comm);

/* The call's end so far: it may be off by what came since `begin`. */
static PFC__COLD void pfc__send_doubt(pfc__call_t *c, pfc__moment_t begin, pfc__transfer_t travel)
{
    c->end = pfc__post_unknown(begin, c->end, travel, pfc__mpi.least_delay);
    c->wait_u += pfc__doubt_since_met(c->end);
}

/* Long messages' data move inside of the receiver's MPI calls: one that has asked may be away, and what its sender waits
   then may be anybody's delay. Noise makes data travel a few times as long as they take at least, being away much longer. */
enum { PFC__AWAY_FACTOR = 4, PFC__BACK_PATIENCE = 16 };

static PFC__COLD pfc__i64 pfc__receiver_away(pfc__moment_t begin, pfc__i64 end_ct, pfc__moment_t start, pfc__transfer_t travel)
{
    pfc__i64 took = end_ct - pfc__max(begin.ct, start.ct);
    return took > PFC__AWAY_FACTOR * (travel.ns + travel.u) ? took - travel.ns : 0;
}

/* How it went with a message that waited for its receiver, */
typedef struct pfc__went {
    int world;             /* that is this rank; less than 0: nobody told of its post, */
    pfc__moment_t start;   /* and this is as late as the sender itself (see pfc__post_unknown); else when its data could move, */
    pfc__transfer_t travel;
    pfc__i64 away;         /* but for so long that its receiver may have been away */
} pfc__went_t;

/* As its receiver has told until now, who had posted so; its sender waited from `begin` to `end_ct`. */
static PFC__QUIET void pfc__went_by(pfc__went_t *w, const pfc__post_t *post, pfc__moment_t sent, pfc__i64 bytes, pfc__moment_t begin,
                                    pfc__i64 end_ct)
{
    pfc__sized_t size = pfc__size_look(bytes);
    pfc__moment_t posted = pfc__post_moment(post);
    w->world = post->world;
    w->travel = pfc__travel(bytes, (pfc__u32)w->world);
    posted.u += pfc__asked_too_long(post->asked, posted.lt, sent.lt + pfc__travel(0, (pfc__u32)w->world).ns);
    w->start = pfc__sent_bare(pfc__data_move(sent, posted, pfc__mpi.rank, w->world), &size);
    w->away = pfc__receiver_away(begin, end_ct, w->start, w->travel);
}

/* R4 at the sender. If its receiver should have been away, word of that comes about now. */
static PFC__QUIET pfc__went_t pfc__sent_to(pfc__stream_t *s, pfc__u32 k, pfc__moment_t sent, pfc__i64 bytes, pfc__moment_t begin, pfc__i64 end_ct)
{
    pfc__went_t w = { -1, sent, pfc__travel(bytes, (pfc__u32)PFC__ANY_PEER), 0 };
    pfc__post_t post;
    int tries = 0;
    if (!pfc__post_of(s, k, &post)) return w;
    for (;;) {
        pfc__went_by(&w, &post, sent, bytes, begin, end_ct);
        if (!w.away || !pfc__away_counts() || tries++ == PFC__BACK_PATIENCE) return w;
        pfc__pause(PFC__POST_PAUSE);
    }
}

/* Open MPI's messages of more than 256 bytes are done when their receiver has been in the library. */
PFC__HOT int pfc__may_be_unseen(pfc__i64 bytes) { return bytes > pfc__link.alone && !pfc__is_bare(bytes); }

/* One that doesn't wait for its receive: what it took may have been for that. */
static PFC__COLD void pfc__send_unseen(pfc__call_t *c)
{
    pfc__call_unexplained(c, c->begin.ct + PFC__AWAY_FACTOR * pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER).ns);
}

/* R4: it ended when the data had travelled. */
static PFC__COLD void pfc__send_waited(pfc__call_t *c, pfc__stream_t *s, pfc__u32 k)
{
    pfc__went_t w = pfc__sent_to(s, k, c->begin, c->bytes, c->begin, c->end.ct);
    pfc__transfer_t none = { 0, 0 };
    if (w.world >= 0 && pfc__is_own((pfc__u32)w.world)) return;
    pfc__call_depends(c, w.start, none, none);
    pfc__call_waited_until(c, w.start);
    c->wait_kind = PFC__LATE_RECEIVER;
    if (w.world >= 0) {
        c->wait_ct += w.away;
        c->wait_lt += w.away;
        pfc__call_doubts(c, w.away);
        pfc__peer_waited((pfc__u32)w.world, c->wait_ct, c->wait_lt);
    } else pfc__send_doubt(c, c->begin, w.travel);
}

static PFC__COLD int pfc__send_buffered(pfc__call_t *c, const void *buffer, int count, MPI_Datatype type, int to, int tag,
                                        MPI_Comm comm);

/* The library's call, with piggyback and data in one buffer: a copy on the stack, or a span. */
PFC__HOT int pfc__send_carrying(pfc__call_t *c, pfc__send_t *send, const pfc__comm_t *in, pfc__piggy_t *p, pfc__i64 count,
                                MPI_Datatype type, int to, int tag, MPI_Comm comm, pfc__u32 number, pfc__u32 k)
{
    int error;
    pfc__call_begin(c);
    if (PFC__UNLIKELY(pfc__is_told_apart(c->bytes))) pfc__apart_tell(c, in, pfc__apart_to(in, comm, to, tag), tag, c->bytes, 0, number, k);
    pfc__piggy_write(p, c->begin, k);
    error = send(p, (int)count, type, to, tag, comm);
    pfc__call_end(c);
    return error;
}

/* Without it; that goes ahead. */
static PFC__COLD int pfc__send_bare(pfc__call_t *c, pfc__send_t *send, const pfc__comm_t *in, const void *buffer, int count,
                                    MPI_Datatype type, int to, int tag, MPI_Comm comm, pfc__u32 number, pfc__u32 k)
{
    int error;
    pfc__call_begin(c);
    pfc__apart_tell(c, in, pfc__apart_to(in, comm, to, tag), tag, c->bytes, 1, number, k);
    error = send(buffer, count, type, to, tag, comm);
    pfc__call_end(c);
    return error;
}

static PFC__COLD int pfc__send_span(pfc__call_t *c, pfc__send_t *send, const pfc__comm_t *in, const void *buffer, int count,
                                    MPI_Datatype type, int to, int tag, MPI_Comm comm, pfc__u32 number, pfc__u32 k)
{
    pfc__span_t *span = pfc__span_take(buffer, count, type);
    int error;
    if (!span) return pfc__no_memory(c, comm);
    error = pfc__send_carrying(c, send, in, &span->piggy, 1, span->type, to, tag, comm, number, k);
    pfc__span_give(span);
    return error;
}

PFC__HOT int pfc__send(pfc__call_t *c, pfc__send_t *send, int mode, const void *buffer, int count, MPI_Datatype type, int to,
                       int tag, MPI_Comm comm)
{
    pfc__type_t known;
    pfc__comm_t own, *in = pfc__comm_held(pfc__carries(buffer, count, type, to, comm, &known), &own);
    pfc__stream_t *stream = 0;
    pfc__copy_t copy;
    pfc__u32 number = 0, k;
    int error, waits;
    if (PFC__UNLIKELY(!in || pfc__is_no_tag(tag))) {
        pfc__call_begin(c);
        error = send(buffer, count, type, to, tag, comm);
        pfc__call_end(c);
        return error;
    }
    c->bytes = count * known.size;
    if (PFC__UNLIKELY(mode == 0 && pfc__overlong(c->bytes)))
        return pfc__send_buffered(c, buffer, count, type, to, tag, comm);
    waits = pfc__send_waits(c->bytes, mode);
    if (PFC__UNLIKELY(waits || pfc__is_told_apart(c->bytes))) number = pfc__stream_send(in, to, tag, waits, &stream);
    k = waits ? number : 0;
    c->hears = waits;
    if (PFC__UNLIKELY(pfc__bound.on) && (waits || to == in->rank)) pfc__hold_send(in, to, tag, comm); /* MPICH waits for itself */
    if (PFC__LIKELY(pfc__is_copied(&known, c->bytes))) {
        if (c->bytes <= PFC__OWN_BYTES && !waits) c->own = pfc__own_soon(&pfc__own_send, c->tick_in);
        memcpy(copy.bytes + PFC__PIGGY, c->bytes ? buffer : &copy, (size_t)c->bytes);
        error = pfc__send_carrying(c, send, in, &copy.piggy, PFC__PIGGY + c->bytes, MPI_BYTE, to, tag, comm, number, k);
    } else if (pfc__is_bare(c->bytes) && !known.pair) error = pfc__send_bare(c, send, in, buffer, count, type, to, tag, comm, number, k);
    else error = pfc__send_span(c, send, in, buffer, count, type, to, tag, comm, number, k);
    if (PFC__UNLIKELY(k && !error)) pfc__send_waited(c, stream, k);
    else if (PFC__UNLIKELY(k)) pfc__post_unneeded(stream, k);
    else if (PFC__UNLIKELY(mode == 0 && pfc__may_be_unseen(c->bytes))) pfc__send_unseen(c);
    if (PFC__LIKELY(!number && !waits && !error)) pfc__stream_send(in, to, tag, 0, &stream); /* nobody asks for it: while it travels */
    return error;
}

/* ---- receives */

/* What a receive tells its sender, and what it remembers of it. */
typedef struct pfc__posted {
    const pfc__comm_t *comm;
    const pfc__moment_t *at;
    pfc__numbered_t number;
    pfc__u32 asked; /* see pfc__asked_before */
} pfc__posted_t;

static PFC__COLD void pfc__post_amend(const pfc__posted_t *post, const pfc__piggy_t *p, const MPI_Status *status)
{
    const pfc__numbered_t *n = &post->number;
    int told = n->told && (!n->k || n->k == p->k); /* else it is another message's sender that was told */
    pfc__stream_met(post->comm, status->MPI_SOURCE, status->MPI_TAG, n, p->k);
    if (!p->k || told) return;
    pfc__absence_told_late((int)p->rank);
    pfc__post_send((int)p->rank, post->comm, status->MPI_TAG, p->k, *post->at, post->asked);
}

/* The call that completes a receive has its end of the message. */
static PFC__COLD void pfc__receive_trace(const pfc__comm_t *in, const pfc__piggy_t *p, const MPI_Status *status, pfc__i64 bytes)
{
    pfc__came_t came = { p->ct, p->rank, status->MPI_TAG, bytes, pfc__comm_name(in), status->MPI_SOURCE, in->rank };
    pfc__event_received(&came);
}

PFC__HOT void pfc__receive_traced(const pfc__comm_t *in, const pfc__piggy_t *p, const MPI_Status *status, pfc__i64 bytes)
{
    if (PFC__UNLIKELY(pfc__is_traced())) pfc__receive_trace(in, p, status, bytes);
}

/* It met a message: the count is kept, and a sender that still waits to hear of it is told. */
PFC__HOT void pfc__post_met(const pfc__posted_t *post, const pfc__piggy_t *p, const MPI_Status *status)
{
    if (PFC__UNLIKELY(!post->number.k || p->k || post->number.told)) pfc__post_amend(post, p, status);
}

/* From then on a probe finds a long message: its sender has told of it. */
PFC__HOT pfc__i64 pfc__told_lt(const pfc__piggy_t *p) { return p->lt + pfc__travel(0, p->rank).ns; }

/* R1, R2: a blocking receive has `bytes` and this piggyback. */
PFC__HOT void pfc__receive_done(pfc__call_t *c, const pfc__piggy_t *p, pfc__i64 bytes)
{
    pfc__sized_t *size;
    pfc__moment_t start;
    pfc__wait_t wait;
    c->bytes = bytes;
    if (pfc__is_own(p->rank)) return;
    pfc__mpi_lock();
    size = pfc__size_known(bytes);
    start = pfc__received_from(p, c->begin, size);
    wait = pfc__call_depends(c, start, size->cost, pfc__travel_from(size, p->rank));
    c->wait_kind = PFC__LATE_SENDER;
    if (wait.ns > 0) pfc__travel_seen(size, p->rank, c->begin.ct + wait.ns - start.ct);
    if (pfc__data_wait(p, bytes)) {
        pfc__call_waited_until(c, start); /* then the data travelled */
        pfc__call_asked_for(c, pfc__told_lt(p));
    }
    pfc__peer_waited(p->rank, c->polled_ct + c->wait_ct + pfc__peer_probe(p->rank), c->wait_lt);
    pfc__mpi_unlock();
}

/* A message that has been matched: whose, and as which one of its stream. */
typedef struct pfc__matched { MPI_Message *message; pfc__numbered_t number; int from, tag; } pfc__matched_t;

/* A receive; of what is matched when that isn't NULL. */
PFC__HOT int pfc__receive_by(void *buffer, pfc__i64 count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                             const pfc__matched_t *matched, MPI_Status *status)
{
#ifndef PERFCOMP_SMPI
    if (matched) return PMPI_Mrecv(buffer, (int)count, type, matched->message, status);
#else
    (void)matched;
#endif
    return PMPI_Recv(buffer, (int)count, type, from, tag, comm, status);
}

static PFC__QUIET void pfc__landed_bare(const pfc__landing_t *l, pfc__i64 wire)
{
    if (l->span && l->span->prefix.held) return;
    if (l->span) pfc__data_up(l->span, pfc__min(wire, l->room));
    else if (l->copied) memcpy(l->buffer, l->copy, (size_t)pfc__min(wire, l->room));
}

static PFC__QUIET void pfc__landed_carrying(const pfc__landing_t *l, pfc__i64 wire, pfc__piggy_t *piggy)
{
    if (l->span && l->span->prefix.held)
        pfc__prefix_data_down(&l->span->prefix, l->buffer, (int)l->span->count, l->room, wire, piggy);
    else if (l->span) *piggy = l->span->piggy;
    else if (!l->copied) pfc__data_down((char *)l->buffer, (const char *)l->copy, pfc__link.copied + PFC__PIGGY, wire, piggy);
    else {
        *piggy = l->copy->piggy;
        memcpy(l->buffer, l->copy->bytes + PFC__PIGGY, (size_t)pfc__min(wire - PFC__PIGGY, l->room));
    }
}

/* The data to where the user wants them, and the piggyback. Returns the bytes of data; less than 0: no piggyback came. */
static PFC__COLD pfc__i64 pfc__landed(const pfc__landing_t *l, const pfc__comm_t *in, const MPI_Status *status, pfc__i64 wire,
                                      pfc__u32 k, pfc__piggy_t *piggy)
{
    if (pfc__came_bare(l, in, status, wire, k, piggy)) {
        pfc__landed_bare(l, wire);
        return wire;
    }
    if (wire >= PFC__PIGGY) pfc__landed_carrying(l, wire, piggy);
    return wire - PFC__PIGGY;
}

/* What the library didn't see: the message fitted where its piggyback might have been. */
static PFC__COLD int pfc__truncated(const pfc__comm_t *in, MPI_Comm comm)
{
    PMPI_Comm_call_errhandler(pfc__comm_still(in, comm), MPI_ERR_TRUNCATE);
    return MPI_ERR_TRUNCATE;
}

/* A receive of `posted` bytes failed; `receive`: its request, or NULL: it was a call's that waited. */
static PFC__COLD void pfc__receive_failed(const pfc__comm_t *in, const MPI_Status *status, pfc__i64 posted, int error,
                                          const struct pfc__request *receive)
{
    int kind = MPI_SUCCESS;
    PMPI_Error_class(error, &kind);
    if (kind == MPI_ERR_TRUNCATE) pfc__apart_drop(in, status, posted, receive);
}

/* The message has come, and its piggyback. `from` and `tag`: what was asked for. */
PFC__HOT void pfc__receive_came(pfc__call_t *c, pfc__comm_t *in, const pfc__posted_t *post, int from, int tag, const pfc__piggy_t *p,
                                const MPI_Status *status, pfc__i64 bytes)
{
    if (PFC__UNLIKELY(c->polled > 0) && pfc__data_wait(p, bytes)) pfc__polls_told(c, pfc__told_lt(p));
    pfc__receive_traced(in, p, status, bytes);
    pfc__post_met(post, p, status);
    pfc__receive_done(c, p, bytes);
    pfc__order_received(c, in->number, from, tag, status, c->begin.ct, p);
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__bound_gets(p->rank);
}

/* Where messages are held back it is known which one comes. If its sender waits, that is about to ask, and may not wait for the answer
   until this rank gets a processor again: what it had waited would be its own, and who looks whether a message would have come by
   then would look for as long. */
static PFC__COLD void pfc__receive_announce(const pfc__comm_t *in, int from, int tag, int matched, pfc__posted_t *post)
{
    const pfc__kept_apart_t *kept;
    if (post->number.told || from == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) return;
    kept = matched ? pfc__apart_matched(in->number, from, tag, post->number.k) : pfc__hold_next(in->number, from, tag);
    if (!kept || !kept->apart.piggy.k) return;
    pfc__post_send((int)kept->apart.piggy.rank, in, tag, kept->apart.piggy.k, *post->at, 0);
    post->number.told = 1;
}

/* The message that it meets may carry a piggyback. */
PFC__HOT int pfc__receive_carrying(pfc__call_t *c, pfc__comm_t *in, void *buffer, pfc__i64 count, MPI_Datatype type,
                                   const pfc__type_t *known, int from, int tag, MPI_Comm comm, const pfc__matched_t *matched,
                                   MPI_Status *status)
{
    pfc__posted_t post;
    pfc__moment_t held_post;
    pfc__span_t *span = 0;
    pfc__copy_t copy;
    pfc__piggy_t apart;
    MPI_Status own;
    const pfc__piggy_t *p = &copy.piggy;
    pfc__i64 room = count * known->size, bytes, wire;
    int chosen = from, chosen_tag = tag; /* which message it is to get */
    int error, copied = pfc__is_received_copied(known, room), bare = !copied, asked = status != MPI_STATUS_IGNORE;
    if (PFC__UNLIKELY(!known->plain || room > PFC__BARE_MOST)) {
        span = pfc__span_take(buffer, count, type);
        if (!span) return pfc__no_memory(c, comm);
        bare = span->prefix.held != 0;
        if (bare) pfc__prefix_hold(&span->prefix, buffer);
        p = &span->piggy;
    } else if (bare) memcpy(&copy, buffer, (size_t)(pfc__link.copied + PFC__PIGGY));
    if (!asked) status = &own;
    post.comm = in;
    post.at = &c->begin;
    post.asked = pfc__asked_before(c);
    post.number = matched ? matched->number : PFC__UNLIKELY(pfc__bound.on) ? pfc__not_numbered()
                  : pfc__stream_post(in, comm, from, tag, room, c, 0);
    if (PFC__LIKELY(copied && !post.number.told)) c->own = pfc__own_soon(&pfc__own_receive, c->tick_in);
    pfc__call_begin(c);
    if (PFC__UNLIKELY(pfc__bound.on)) {
        if (matched) chosen = matched->from, chosen_tag = matched->tag;
        else pfc__hold_receive(c, in, &chosen, &chosen_tag, comm);
        held_post = pfc__hold_post(c->begin);
        post.at = &held_post;
        if (!matched) post.number = pfc__stream_post(in, comm, from, tag, room, c, &held_post); /* behind those that come first */
        pfc__receive_announce(in, chosen, chosen_tag, matched != 0, &post);
    }
    error = copied ? pfc__receive_by(&copy, PFC__PIGGY + room, MPI_BYTE, chosen, chosen_tag, comm, matched, status)
            : bare ? pfc__receive_by(buffer, count, type, chosen, chosen_tag, comm, matched, status)
                   : pfc__receive_by(&span->piggy, 1, span->type, chosen, chosen_tag, comm, matched, status);
    pfc__call_end(c);
    wire = pfc__status_bytes(status);
    bytes = error && bare ? wire : wire - PFC__PIGGY;
    if (PFC__UNLIKELY((pfc__may_be_bare(wire) || bare) && !error)) {
        pfc__landing_t l = { buffer, room, &copy, span, copied, 0, 0, matched != 0 };
        bytes = pfc__landed(&l, in, status, wire, post.number.k, &apart);
        p = &apart;
    } else if (copied && bytes > 0 && !error) memcpy(buffer, copy.bytes + PFC__PIGGY, (size_t)pfc__min(bytes, room));
    if (asked) pfc__status_set(status, bytes);
    if (PFC__UNLIKELY(error)) pfc__receive_failed(in, status, bare ? room : PFC__PIGGY + room, error, 0);
    else if (PFC__UNLIKELY(bytes > room)) error = pfc__truncated(in, comm);
    if (PFC__LIKELY(!error && bytes >= 0)) {
        if (bytes > PFC__OWN_BYTES || p->k) c->own = 0;
        if (PFC__LIKELY(p->rank != (pfc__u32)PFC__ANY_PEER)) pfc__receive_came(c, in, &post, from, tag, p, status, bytes);
    }
    if (PFC__UNLIKELY(span != 0)) pfc__span_give(span);
    return error;
}

PFC__HOT int pfc__receive(pfc__call_t *c, void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                          MPI_Status *status)
{
    pfc__type_t known;
    pfc__comm_t own, *in = pfc__comm_held(pfc__carries(buffer, count, type, from, comm, &known), &own);
    int error;
    if (PFC__LIKELY(in != 0)) return pfc__receive_carrying(c, in, buffer, count, type, &known, from, tag, comm, 0, status);
    pfc__call_begin(c);
    error = PMPI_Recv(buffer, count, type, from, tag, comm, status);
    pfc__call_end(c);
    return error;
}
