/* ------------------------------------------------------ settle (MPI impl) ---
   What has come for a request: a receive's data to where the user wants them,
   without our piggyback, the status as the user would have it, and its sender
   told of the post. A receive may be settled before the user asks for it. */

static PFC__QUIET int pfc__was_cancelled(const MPI_Status *status)
{
    int cancelled = 0;
    PMPI_Test_cancelled(status, &cancelled);
    return cancelled;
}

/* The user's data to where the user wants them, and its status; once. */
static PFC__QUIET void pfc__request_settle(pfc__request_t *r, MPI_Status *status, int error)
{
    pfc__i64 wire = pfc__status_bytes(status);
    if (!r->settled && !error && (pfc__may_be_bare(wire) || pfc__request_is_bare(r))) {
        pfc__landing_t l = { r->data, r->bytes, r->copy, r->span, r->copied, pfc__held_is_ours(r) ? &r->held_apart : 0, r, r->in == MPI_COMM_NULL };
        r->got = pfc__landed(&l, &r->comm, status, wire, r->number.k, &r->piggy);
        r->apart = 1;
    } else if (!r->settled) {
        r->got = error && pfc__request_is_bare(r) ? wire : wire - PFC__PIGGY;
        r->apart = pfc__request_is_bare(r);
        if (error && !pfc__held_is_ours(r)) pfc__receive_failed(&r->comm, status, r->apart ? r->bytes : PFC__PIGGY + r->bytes, error, r);
        if (r->copied && r->got > 0 && !error) memcpy(r->data, r->copy->bytes + PFC__PIGGY, (size_t)pfc__min(r->got, r->bytes));
    }
    r->settled = 1;
    pfc__status_set(status, r->got);
    if (r->apart && r->piggy.rank == (pfc__u32)PFC__ANY_PEER) r->got = -1;
}

/* Whether it is complete, though the user hasn't asked yet: then its data are where the user wants them. */
static PFC__QUIET int pfc__receive_settle(pfc__request_t *r, MPI_Status *status)
{
    int done = 0;
    if (pfc__request_look(r, r->handle, &done, status) || !done || pfc__was_cancelled(status)) return 0;
    pfc__request_settle(r, status, pfc__held_status(r, status, 0));
    return 1;
}

/* Receives of ours that are complete: their senders may wait to hear of them. */
static PFC__QUIET void pfc__posts_owed(void)
{
    pfc__request_t *r;
    int n = 0;
    if (pfc__mpi.threads) return; /* another thread may be completing them at this moment */
    for (r = pfc__posted.next; r && r != &pfc__posted && n < 64; r = r->next, n++) {
        MPI_Status status;
        const pfc__piggy_t *p;
        if (r->number.told || !pfc__receive_settle(r, &status)) continue;
        p = pfc__request_piggy(r);
        if (p->k) pfc__post_send((int)p->rank, &r->comm, status.MPI_TAG, p->k, r->begin, r->asked);
        r->number.told = 1;
    }
}

/* Those that such a message could have been for. */
static PFC__QUIET void pfc__receives_settle(const pfc__comm_t *in, const MPI_Status *message)
{
    pfc__request_t *r;
    if (pfc__mpi.threads || PFC__ONE_PROGRAM) return; /* as above; SimGrid says that all are complete */
    for (r = pfc__posted.next; r && r != &pfc__posted; r = r->next) {
        MPI_Status status;
        if (r->settled || r->comm.number != in->number || (r->peer != MPI_ANY_SOURCE && r->peer != message->MPI_SOURCE)) continue;
        pfc__receive_settle(r, &status);
    }
}

/* A collective's end, in the call that completes it: MPI_Request_get_status may have seen it before. */
static PFC__QUIET void pfc__request_traced(const pfc__request_t *r)
{
    if (PFC__UNLIKELY(r->traced) && pfc__is_traced()) pfc__event_completed(r->traced);
}

/* One that failed or was cancelled tells nothing. */
static PFC__QUIET void pfc__request_deliver(pfc__request_t *r, MPI_Status *status, int error)
{
    pfc__posted_t post;
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__bound.vain = 0;
    if (r->kind != PFC__RECEIVING) r->got = -1;
    if (r->kind == PFC__COLLECTING) pfc__comm_idup_made(&r->making);
    if (r->kind == PFC__COLLECTING || r->kind == PFC__PARTS_RECEIVING) r->got = error ? -1 : r->bytes;
    if (r->kind != PFC__RECEIVING) return;
    error = pfc__held_status(r, status, error);
    if (pfc__was_cancelled(status)) {
        if (PFC__UNLIKELY(r->held != PFC__NOT_HELD)) pfc__held_cancel(r); /* by a binding that goes past us */
        r->got = -1;
        if (r->number.k) pfc__stream_mend(&r->comm, r->peer, r->tag, r->number.nth, r->number.k - 1); /* the next post takes its number */
        return;
    }
    pfc__request_settle(r, status, error);
    if (error) r->got = -1;
    if (r->got < 0 || r->met) return;
    post.comm = &r->comm;
    post.at = &r->begin;
    post.number = r->number;
    post.asked = r->asked;
    pfc__post_met(&post, pfc__request_piggy(r), status);
    r->met = 1;
}
