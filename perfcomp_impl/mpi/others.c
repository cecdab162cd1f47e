/* ------------------------------------------------------ others (MPI impl) ---
   Probes, and the calls that end something we keep. */

/* Pairs with their gaps: MPICH takes nothing else where it receives pairs behind a piggyback. */
static PFC__COLD int pfc__sendrecv_pairs(pfc__call_t *c, void *b, int n, MPI_Datatype type, int to, int stag, int from, int rtag,
                                         MPI_Comm comm, MPI_Status *status)
{
    MPI_Aint low, extent;
    char *copy;
    int error;
    PMPI_Type_get_extent(type, &low, &extent);
    copy = (char *)malloc((size_t)n * (size_t)extent + 1);
    if (!copy) return pfc__no_memory(c, comm);
    memcpy(copy, b, (size_t)n * (size_t)extent);
    error = pfc__sendrecv(c, copy, n, type, to, stag, b, n, type, from, rtag, comm, status);
    free(copy);
    return error;
}

/* The data are copied, and sent from the copy. */
static PFC__QUIET int pfc__sendrecv_replace(pfc__call_t *c, void *b, int n, MPI_Datatype type, int to, int stag, int from,
                                            int rtag, MPI_Comm comm, MPI_Status *status)
{
    int room = 0, used = 0, error;
    pfc__type_t known;
    char *copy;
    if (n > 0 && pfc__type_known(type, &known) && known.pair)
        return pfc__sendrecv_pairs(c, b, n, type, to, stag, from, rtag, comm, status);
    if (n < 0 || comm == MPI_COMM_NULL || type == MPI_DATATYPE_NULL || PMPI_Pack_size(n, type, comm, &room)) {
        pfc__call_begin(c);
        error = PMPI_Sendrecv_replace(b, n, type, to, stag, from, rtag, comm, status);
        pfc__call_end(c);
        return error;
    }
    copy = (char *)malloc((size_t)room + 1);
    if (!copy) return pfc__no_memory(c, comm);
    error = pfc__pack(b, n, type, copy, room, &used);
    if (!error) error = pfc__sendrecv(c, copy, used, MPI_PACKED, to, stag, b, n, type, from, rtag, comm, status);
    free(copy);
    return error;
}

/* ---- freeing and looking at requests */

static PFC__QUIET void pfc__left_ended(pfc__request_t *r)
{
    if (r->persistent) PMPI_Request_free(&r->handle);
    pfc__request_drop(r);
}

static PFC__QUIET void pfc__left_alone_sweep(int wait)
{
    pfc__request_t **at = &pfc__left_alone;
    pfc__mpi_lock();
    while (*at) {
        pfc__request_t *r = *at;
        MPI_Status status;
        int done = 0;
        if (wait) done = !PMPI_Wait(&r->handle, &status);
        else PMPI_Test(&r->handle, &done, &status);
        if (!done && !wait) { at = &r->next; continue; }
        *at = r->next;
        r->next = 0;
        if (r->kind == PFC__RECEIVING) {
            if (done) pfc__request_deliver(r, &status, 0);
            if (done && r->got >= 0) pfc__receive_traced(&r->comm, pfc__request_piggy(r), &status, r->got);
            __atomic_fetch_sub(&pfc__mpi.left_receives, 1, __ATOMIC_RELAXED);
        }
        pfc__left_ended(r);
    }
    pfc__mpi_unlock();
}

/* The record of a request that is to be freed, for nobody else. If the request `goes_on`, it is out of the table: another thread's
   send may have the same handle, and be complete before ours is freed. */
static PFC__QUIET pfc__request_t *pfc__request_to_free(MPI_Request request, int *goes_on)
{
    pfc__request_t *r;
    pfc__mpi_lock();
    r = pfc__request_of(request);
    *goes_on = r && r->active && r->kind != PFC__COLLECTING;
    if (*goes_on) pfc__request_unkeep(r);
    else if (r) pfc__request_take(r, 1);
    pfc__mpi_unlock();
    return r;
}

static PFC__QUIET int pfc__free_request(pfc__call_t *c, MPI_Request *request)
{
    int goes_on, error = MPI_SUCCESS;
    pfc__request_t *r = pfc__request_to_free(*request, &goes_on);
    if (!r) pfc__generalized_end(*request);
    pfc__call_begin(c);
    if (!goes_on) error = PMPI_Request_free(request);
    if (r && error) pfc__request_take(r, 0);
    if (r && !error) {
        pfc__mpi_lock();
        pfc__left_alone_sweep(0);
        if (!goes_on) pfc__request_unkeep(r);
        if (goes_on && r->held) *request = pfc__held_freed(r, *request); /* which may give it to the library, as one of those posted */
        pfc__posted_remove(r);
        if (goes_on) {
            pfc__request_leave(r, *request);
            *request = MPI_REQUEST_NULL;
        } else pfc__request_end(r);
        pfc__mpi_unlock();
    }
    pfc__call_end(c);
    return error;
}

/* A complete receive's data are the user's to look at. */
static PFC__QUIET int pfc__look_at_request(pfc__call_t *c, MPI_Request request, int *flag, MPI_Status *status)
{
    pfc__request_t *r = pfc__request_unshared(request);
    MPI_Status own;
    int error = MPI_SUCCESS;
    if (r && status == MPI_STATUS_IGNORE) status = &own;
    pfc__call_begin(c);
    if (PFC__UNLIKELY(pfc__bound.on) && pfc__held_hides(c, request)) *flag = 0;
    else error = PMPI_Request_get_status(request, flag, status);
    pfc__call_end(c);
    if (r && r->active && !error && *flag) pfc__request_deliver(r, status, 0);
    if (!error) pfc__poll_looked(c, *flag);
    return error;
}

#if PFC__MPI_4_1
/* Of several requests: those that are complete, up to `most`. */
typedef struct pfc__looks {
    MPI_Status *status;
    int *index, n, most, active;
} pfc__looks_t;

/* 0: no memory. */
static PFC__QUIET int pfc__looks_open(pfc__looks_t *l, int n, int most)
{
    l->n = l->active = 0;
    l->most = most;
    l->status = (MPI_Status *)malloc((size_t)pfc__max(n, 1) * (sizeof *l->status + sizeof *l->index));
    l->index = (int *)(void *)(l->status + pfc__max(n, 1));
    return l->status != 0;
}

static PFC__QUIET int pfc__looks_at(pfc__call_t *c, pfc__looks_t *l, int n, const MPI_Request *request)
{
    int i, error = MPI_SUCCESS;
    pfc__call_begin(c);
    for (i = 0; i < n && l->n < l->most && !error; i++) {
        pfc__request_t *r = pfc__request_unshared(request[i]);
        int done = 0;
        if (request[i] == MPI_REQUEST_NULL || (r && r->persistent && !r->active)) continue;
        l->active++;
        if (PFC__UNLIKELY(pfc__bound.on) && pfc__held_hides(c, request[i])) continue;
        error = PMPI_Request_get_status(request[i], &done, &l->status[l->n]);
        if (done && !error) l->index[l->n++] = i;
    }
    pfc__call_end(c);
    for (i = 0; i < l->n; i++) {
        pfc__request_t *r = pfc__request_unshared(request[l->index[i]]);
        if (r && r->active) pfc__request_deliver(r, &l->status[i], 0);
    }
    if (!error) pfc__poll_looked(c, l->n > 0);
    return error;
}

static PFC__QUIET int pfc__look_at_all(pfc__call_t *c, int n, const MPI_Request *request, int *flag, MPI_Status *status)
{
    pfc__looks_t l;
    int error, i;
    if (!pfc__looks_open(&l, n, n)) return pfc__no_memory(c, MPI_COMM_NULL);
    error = pfc__looks_at(c, &l, n, request);
    if (!error) *flag = l.n == l.active;
    for (i = 0; i < n && status != MPI_STATUSES_IGNORE && !error && *flag; i++) pfc__status_empty(&status[i]);
    for (i = 0; i < l.n && status != MPI_STATUSES_IGNORE && !error && *flag; i++) status[l.index[i]] = l.status[i];
    free(l.status);
    return error;
}

static PFC__QUIET int pfc__look_at_any(pfc__call_t *c, int n, const MPI_Request *request, int *index, int *flag, MPI_Status *status)
{
    pfc__looks_t l;
    int error;
    if (!pfc__looks_open(&l, n, 1)) return pfc__no_memory(c, MPI_COMM_NULL);
    error = pfc__looks_at(c, &l, n, request);
    if (!error) {
        *flag = l.n || !l.active;
        *index = l.n ? l.index[0] : MPI_UNDEFINED;
        if (status != MPI_STATUS_IGNORE && l.n) *status = l.status[0];
        else if (status != MPI_STATUS_IGNORE && *flag) pfc__status_empty(status);
    }
    free(l.status);
    return error;
}

static PFC__QUIET int pfc__look_at_some(pfc__call_t *c, int n, const MPI_Request *request, int *done, int *index, MPI_Status *status)
{
    pfc__looks_t l;
    int error, i;
    if (!pfc__looks_open(&l, n, n)) return pfc__no_memory(c, MPI_COMM_NULL);
    error = pfc__looks_at(c, &l, n, request);
    if (!error) *done = l.active ? l.n : MPI_UNDEFINED;
    for (i = 0; i < l.n && !error; i++) {
        index[i] = l.index[i];
        if (status != MPI_STATUSES_IGNORE) status[i] = l.status[i];
    }
    free(l.status);
    return error;
}
#endif

/* No message will be its own. */
static PFC__COLD void pfc__cancelled(pfc__request_t *r)
{
    MPI_Status status;
    int done = 0, cancelled = 0;
    if (!pfc__request_look(r, r->handle, &done, &status) && done) PMPI_Test_cancelled(&status, &cancelled);
    if (cancelled) pfc__posted_remove(r);
}

/* Of a receive whose message is held back, we know whether there is one. */
static PFC__QUIET int pfc__cancel(pfc__call_t *c, MPI_Request *request)
{
    pfc__request_t *r = PFC__UNLIKELY(pfc__bound.on) ? pfc__request_of(*request) : 0;
    int error = MPI_SUCCESS;
    pfc__call_begin(c);
    if (!r || !r->held || pfc__held_cancel(r)) error = PMPI_Cancel(request);
    if (r && !error) pfc__cancelled(r);
    pfc__call_end(c);
    return error;
}

/* ---- probes: the wait for a message is settled by its receive, which finds it there */

/* Bytes of data in a message that was probed; `matches`: by MPI_Mprobe. What receives have got isn't it. */
static PFC__QUIET pfc__i64 pfc__probed_bytes(const pfc__comm_t *in, const MPI_Status *status, int matches)
{
    pfc__i64 wire = pfc__status_bytes(status);
    pfc__apart_t a;
    if (!pfc__may_be_bare(wire)) return wire - PFC__PIGGY;
    pfc__receives_settle(in, status);
    return pfc__apart_look(0, in, status, wire, 0, matches, &a) ? pfc__apart_bytes(&a) : wire;
}

/* For whom it has waited. */
static PFC__QUIET void pfc__probe_waits(const pfc__call_t *c, MPI_Comm comm, int source)
{
    int world = c->wait_ct > 0 && source >= 0 ? pfc__world_rank(comm, source) : -1;
    if (world >= 0 && !pfc__is_own((pfc__u32)world)) pfc__peer_probed((pfc__u32)world, c->wait_ct);
}

static PFC__QUIET void pfc__probe_end(pfc__call_t *c, int found, int from, int tag, MPI_Comm comm, MPI_Status *status, int matches)
{
    const pfc__comm_t *in;
    pfc__call_end(c);
    if (!found) { pfc__poll_in_vain(c); return; }
    c->own = 0;
    in = pfc__comm_carries(comm);
    if (in) {
        pfc__wait_t wait = pfc__wait_of(c->begin, c->end.ct, pfc__call_cost(0));
        c->end = pfc__end_of_call(c->begin, c->end.ct, wait, pfc__never());
        c->wait_ct = wait.ns;
        pfc__probe_waits(c, comm, status == MPI_STATUS_IGNORE ? from : status->MPI_SOURCE);
    }
    if (pfc__polling) pfc__poll_found(c);
    if (!in || status == MPI_STATUS_IGNORE || status->MPI_SOURCE == MPI_PROC_NULL) return;
    pfc__status_set(status, pfc__probed_bytes(in, status, matches));
    if (from == MPI_ANY_SOURCE) pfc__order_probed(in->number, status, tag);
}

/* NULL: its messages aren't held back. */
PFC__HOT const pfc__comm_t *pfc__probe_holds(int from, MPI_Comm comm)
{
    return PFC__UNLIKELY(pfc__bound.on) && from != MPI_PROC_NULL ? pfc__comm_carries(comm) : 0;
}

static PFC__QUIET int pfc__probe(pfc__call_t *c, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    const pfc__comm_t *in = pfc__probe_holds(from, comm);
    int error, chosen = from, chosen_tag = tag;
    pfc__call_begin(c);
    if (in) pfc__hold_receive(c, in, &chosen, &chosen_tag, comm);
    error = PMPI_Probe(chosen, chosen_tag, comm, status);
    pfc__probe_end(c, !error && from != MPI_PROC_NULL, from, tag, comm, status, 0);
    return error;
}

/* The library may find something that would have come later; but as long as it takes, it would have taken. */
static PFC__COLD int pfc__found_none(int from, int tag, MPI_Comm comm, int *flag)
{
    int error = PMPI_Iprobe(from, tag, comm, flag, MPI_STATUS_IGNORE);
    *flag = 0;
    return error;
}

static pfc__own_parts_t pfc__own_iprobe; /* that finds nothing */

static PFC__QUIET int pfc__iprobe(pfc__call_t *c, int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const pfc__comm_t *in = pfc__probe_holds(from, comm);
    int error = MPI_SUCCESS, chosen = from, chosen_tag = tag;
    c->own = pfc__own_soon(&pfc__own_iprobe, c->tick_in);
    pfc__call_begin(c);
    if (in && !pfc__hold_found(c, in, &chosen, &chosen_tag, comm)) error = pfc__found_none(from, tag, comm, flag);
    else error = PMPI_Iprobe(chosen, chosen_tag, comm, flag, status);
    pfc__probe_end(c, !error && *flag && from != MPI_PROC_NULL, from, tag, comm, status, 0);
    return error;
}

#ifndef PERFCOMP_SMPI
/* Messages between their probe and their receive: which communicator they came in, whose they are, and as which ones of their streams. */
typedef struct pfc__probed { pfc__by_handle_t entry; pfc__comm_t comm; pfc__numbered_t number; int from, tag; } pfc__probed_t;
static pfc__handles_t pfc__probed;

/* For the message that a probe may find. 0: there is no memory for it, without which nobody would know that it carries a
   piggyback. NULL: none in this communicator does. */
static PFC__QUIET int pfc__probed_for(MPI_Comm comm, pfc__probed_t **p)
{
    pfc__comm_t *in = pfc__comm_carries(comm);
    *p = in ? (pfc__probed_t *)malloc(sizeof **p) : 0;
    if (*p) (*p)->comm = *in;
    return !in || *p;
}

/* Until *message is received, if there is one. */
static PFC__QUIET void pfc__probed_keep(pfc__probed_t *p, int is_there, const MPI_Message *message)
{
    if (p && is_there && *message != MPI_MESSAGE_NULL && *message != MPI_MESSAGE_NO_PROC)
        pfc__handles_keep(&pfc__probed, PFC__KEY(*message), &p->entry);
    else free(p);
}

/* NULL: it carries no piggyback. */
static PFC__QUIET pfc__probed_t *pfc__probed_take(MPI_Message message)
{
    return (pfc__probed_t *)(void *)pfc__handles_take(&pfc__probed, PFC__KEY(message));
}

/* Found: it counts as received from now on, for those that come next are counted behind it. */
static PFC__QUIET void pfc__probed_matched(pfc__probed_t *p, int is_there, MPI_Comm comm, const MPI_Message *message, const MPI_Status *status)
{
    if (p && is_there && *message != MPI_MESSAGE_NO_PROC) {
        p->from = status->MPI_SOURCE;
        p->tag = status->MPI_TAG;
        p->number = pfc__stream_post(&p->comm, comm, p->from, p->tag, 0, 0, 0);
    }
    pfc__probed_keep(p, is_there, message);
}

static PFC__QUIET int pfc__mprobe(pfc__call_t *c, int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    const pfc__comm_t *in = pfc__probe_holds(from, comm);
    pfc__probed_t *probed;
    MPI_Status own;
    int error, chosen = from, chosen_tag = tag;
    if (!pfc__probed_for(comm, &probed)) return pfc__no_memory(c, comm);
    if (status == MPI_STATUS_IGNORE) status = &own;
    pfc__call_begin(c);
    if (in) pfc__hold_receive(c, in, &chosen, &chosen_tag, comm);
    error = PMPI_Mprobe(chosen, chosen_tag, comm, message, status);
    pfc__probe_end(c, !error && from != MPI_PROC_NULL, from, tag, comm, status, 1);
    pfc__probed_matched(probed, !error, comm, message, status);
    return error;
}

static PFC__QUIET int pfc__improbe(pfc__call_t *c, int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                                   MPI_Status *status)
{
    const pfc__comm_t *in = pfc__probe_holds(from, comm);
    pfc__probed_t *probed;
    MPI_Status own;
    int error = MPI_SUCCESS, chosen = from, chosen_tag = tag;
    if (!pfc__probed_for(comm, &probed)) return pfc__no_memory(c, comm);
    if (status == MPI_STATUS_IGNORE) status = &own;
    pfc__call_begin(c);
    if (in && !pfc__hold_found(c, in, &chosen, &chosen_tag, comm)) error = pfc__found_none(from, tag, comm, flag);
    else error = PMPI_Improbe(chosen, chosen_tag, comm, flag, message, status);
    pfc__probe_end(c, !error && *flag && from != MPI_PROC_NULL, from, tag, comm, status, 1);
    pfc__probed_matched(probed, !error && *flag, comm, message, status);
    return error;
}

static PFC__QUIET int pfc__mrecv(pfc__call_t *c, void *b, int n, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    pfc__type_t known;
    int error;
    pfc__probed_t *probed = n >= 0 && pfc__type_known(type, &known) ? pfc__probed_take(*message) : 0;
    if (probed) {
        const pfc__matched_t matched = { message, probed->number, probed->from, probed->tag };
        error = pfc__receive_carrying(c, &probed->comm, b, n, type, &known, 0, 0, MPI_COMM_NULL, &matched, status);
        pfc__probed_keep(probed, error == MPI_ERR_NO_MEM, message); /* not even asked for: it can be tried again */
        return error;
    }
    pfc__call_begin(c);
    error = PMPI_Mrecv(b, n, type, message, status);
    pfc__call_end(c);
    return error;
}

static PFC__QUIET int pfc__imrecv(pfc__call_t *c, void *b, int n, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    pfc__type_t known;
    pfc__request_t *r = 0;
    int error;
    pfc__probed_t *probed = n >= 0 && pfc__type_known(type, &known) ? pfc__probed_take(*message) : 0;
    if (probed) {
        r = pfc__request_new(PFC__RECEIVING);
        if (!r || !pfc__request_room(r, b, n, type, &known)) {
            if (r) pfc__request_drop(r);
            pfc__probed_keep(probed, 1, message);
            return pfc__no_memory(c, MPI_COMM_NULL);
        }
        r->comm = probed->comm;
        r->in = MPI_COMM_NULL; /* nobody knows any more */
        r->peer = r->tag = 0;
        r->number = probed->number;
        free(probed);
        pfc__request_expects(r);
    }
    pfc__call_begin(c);
    if (r) pfc__request_post(r, c);
    error = r ? PMPI_Imrecv(pfc__request_buffer(r), pfc__request_count(r), pfc__request_type(r), message, request)
              : PMPI_Imrecv(b, n, type, message, request);
    pfc__call_end(c);
    pfc__request_started(r, request, error);
    return error;
}
#endif

/* ---- freeing */

/* NULL: no exchange that was left alone goes on in `comm`. */
static PFC__QUIET pfc__request_t *pfc__left_exchange_take(MPI_Comm comm)
{
    pfc__request_t **at = &pfc__left_alone, *r;
    pfc__mpi_lock();
    while ((r = *at) != 0 && (r->kind != PFC__COLLECTING || r->in != comm)) at = &r->next;
    if (r) *at = r->next;
    pfc__mpi_unlock();
    return r;
}

/* Open MPI frees a communicator from under what still goes on in it, and then crashes. The other ranks begin their parts
   before they free theirs; a thread of this one may have to let them, so that nobody is kept by the lock meanwhile. */
static PFC__QUIET void pfc__left_exchanges_end(MPI_Comm comm)
{
    pfc__request_t *r;
    while ((r = pfc__left_exchange_take(comm)) != 0) {
        r->next = 0;
        pfc__patient_wait(&r->handle);
        pfc__left_ended(r);
    }
}

static PFC__QUIET int pfc__comm_free(pfc__call_t *c, MPI_Comm *comm, int free_it(MPI_Comm *))
{
    int error;
    pfc__held_release_all();
    pfc__left_exchanges_end(*comm);
    pfc__comm_forget(*comm); /* before another thread can be given its handle */
    pfc__call_begin(c);
    error = free_it(comm);
    pfc__call_end(c);
    if (c->rule == PFC__RULE_ANSWER) pfc__call_unexplained(c, c->begin.ct + pfc__answer_patience(0)); /* Open MPI's ranks meet there */
    return error;
}

static PFC__QUIET int pfc__type_free(pfc__call_t *c, MPI_Datatype *type)
{
    int error;
    pfc__type_forget(*type);
    pfc__call_begin(c);
    error = PMPI_Type_free(type);
    pfc__call_end(c);
    return error;
}
