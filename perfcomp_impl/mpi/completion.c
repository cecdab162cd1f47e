/* --------------------------------------------------- completion (MPI impl) ---
   Wait*, Test* and what they complete (R5, R11): LT_e = max(LT_b, all arrivals).
   A call completes its requests in steps, as they come, so that each arrival's
   own time shows. Receivers' posts are waited for only when all is received:
   otherwise two ranks that send to each other would wait for each other's. */

enum { PFC__REQUESTS_ON_STACK = 16 };

/* A send that waited, and was completed by a step from `begin` to `end_ct`. */
typedef struct pfc__sent {
    pfc__request_t *request;
    pfc__moment_t begin;
    pfc__i64 end_ct;
    int alone;
} pfc__sent_t;

typedef struct pfc__completion {
    pfc__call_t *call;
    int n;
    MPI_Request *request; /* the user's */
    MPI_Request *handle;  /* what they were when the call began */
    pfc__u64 kept;        /* and how many requests had a handle */
    MPI_Status *status;   /* of one step */
    int *index;           /* of one step */
    pfc__request_t **record; /* of one step; NULL: none of ours, or an inactive one */
    pfc__sent_t *sent;
    int sents;
    int one;              /* the call completes one of them, and returns its error */
    void *memory;
    struct {
        MPI_Request handle[PFC__REQUESTS_ON_STACK];
        MPI_Status status[PFC__REQUESTS_ON_STACK];
        int index[PFC__REQUESTS_ON_STACK];
        pfc__request_t *record[PFC__REQUESTS_ON_STACK];
        pfc__sent_t sent[PFC__REQUESTS_ON_STACK];
    } few;
} pfc__completion_t;

static PFC__QUIET int pfc__completion_open(pfc__completion_t *k, pfc__call_t *call, int n, MPI_Request *request)
{
    k->call = call;
    k->n = n;
    k->request = request;
    k->sents = 0;
    k->one = 0;
    k->memory = 0;
    k->handle = k->few.handle;
    k->status = k->few.status;
    k->index = k->few.index;
    k->record = k->few.record;
    k->sent = k->few.sent;
    if (n > PFC__REQUESTS_ON_STACK) {
        size_t many = (size_t)n;
        char *at = (char *)malloc(many * (sizeof *k->sent + sizeof *k->record + sizeof *k->status + sizeof *k->handle + sizeof *k->index));
        if (!at) return 0;
        k->memory = at;
        k->sent = (pfc__sent_t *)(void *)at;
        k->record = (pfc__request_t **)(void *)(k->sent + many);
        k->handle = (MPI_Request *)(void *)(k->record + many);
        k->status = (MPI_Status *)(void *)(k->handle + many);
        k->index = (int *)(void *)(k->status + many);
    }
    if (n > 0) memcpy(k->handle, request, (size_t)n * sizeof *request);
    k->kept = pfc__requests_until_now();
    return 1;
}

/* Folds what a finished send depended on into the call's end. */
static PFC__QUIET void pfc__completion_sent(pfc__call_t *c, pfc__sent_t *s)
{
    pfc__request_t *r = s->request;
    int world;
    pfc__transfer_t none = { 0, 0 };
    pfc__moment_t before = c->end;
    pfc__moment_t start = pfc__sent_to(r->stream, r->k, r->begin, r->bytes, &world), arrival;
    pfc__transfer_t travel = pfc__travel(r->bytes, (pfc__u32)world);
    pfc__wait_t wait = pfc__wait_on(start, s->begin, pfc__wait_of(s->begin, s->end_ct, none), travel), nothing = { 0, 0 };
    pfc__i64 waited = wait.ns, local, away = s->alone && world >= 0 ? pfc__receiver_away(s->begin, s->end_ct, start, travel) : 0;
    if (!s->alone) { /* another request may have ended the step */
        s->begin.ct += wait.ns;
        wait = nothing;
    }
    arrival = pfc__arrival(start, s->begin, wait, travel);
    local = pfc__max(0, arrival.lt - c->end.lt);
    c->wait_lt += local;
    if (local > 0) c->wait_kind = PFC__LATE_RECEIVER;
    if (world >= 0) pfc__peer_waited((pfc__u32)world, s->alone ? waited : local, local); /* of several it isn't known whose `waited` was */
    c->end = pfc__end_of_call(c->end, c->end.ct, nothing, arrival);
    pfc__call_doubts(c, away);
    if (world < 0) pfc__send_doubt(c, before, none);
}

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
        pfc__landing_t l = { r->data, r->bytes, r->copy, r->span, r->copied };
        r->got = pfc__landed(&l, &r->comm, status, wire, r->k, &r->piggy);
        r->apart = 1;
    } else if (!r->settled) {
        r->got = error && pfc__request_is_bare(r) ? wire : wire - PFC__PIGGY;
        r->apart = pfc__request_is_bare(r);
        if (error) pfc__receive_failed(&r->comm, status, r->apart ? r->bytes : PFC__PIGGY + r->bytes, error);
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
    if (pfc__request_look(r->handle, &done, status) || !done || pfc__was_cancelled(status)) return 0;
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
        if (r->told || !pfc__receive_settle(r, &status)) continue;
        p = pfc__request_piggy(r);
        if (p->k) pfc__post_send((int)p->rank, &r->comm, status.MPI_TAG, p->k, r->begin);
        r->told = 1;
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

/* Where a call fails, Open MPI frees all of its requests that have failed, also those of which it tells nothing, as Waitany and
   Testany do, and persistent ones. Their handles will be others'. Those are receives; in MPICH sends may share one handle. */
static PFC__COLD void pfc__requests_gone(pfc__completion_t *k)
{
    int i;
    for (i = 0; i < k->n; i++) {
        pfc__request_t *r;
        if (k->handle[i] == MPI_REQUEST_NULL || k->request[i] != MPI_REQUEST_NULL) continue;
        pfc__mpi_lock();
        r = pfc__request_then(k->handle[i], k->kept);
        if (r && r->kind != PFC__RECEIVING) r = 0;
        if (r) pfc__handles_remove(&pfc__requests, &r->entry);
        pfc__mpi_unlock();
        if (r) pfc__request_end(r);
    }
}

/* `error`: the call's. */
static PFC__QUIET void pfc__completion_close(pfc__completion_t *k, int error)
{
    int i;
    for (i = 0; i < k->sents; i++) {
        pfc__completion_sent(k->call, &k->sent[i]);
        if (!k->sent[i].request->persistent) pfc__request_drop(k->sent[i].request);
    }
    if (PFC__UNLIKELY(error)) pfc__requests_gone(k);
    free(k->memory);
}

/* ---- one step */

typedef struct pfc__step {
    pfc__moment_t begin, arrival;
    pfc__moment_t there;    /* of the arrival: when both ranks were */
    pfc__wait_t wait;
    pfc__request_t *latest; /* whose arrival that is; NULL: the step depended on nothing */
} pfc__step_t;

/* The moments of the ranks that a collective depends on: see icollectives. */
static PFC__QUIET pfc__latest_t pfc__collected(pfc__request_t *r);

/* One that failed or was cancelled tells nothing. */
static PFC__QUIET void pfc__request_deliver(pfc__request_t *r, MPI_Status *status, int error)
{
    pfc__posted_t post;
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__bound.vain = 0;
    if (r->kind != PFC__RECEIVING) r->got = -1;
    if (r->kind == PFC__COLLECTING) pfc__comm_idup_made(&r->making);
    if (PFC__UNLIKELY(r->traced) && pfc__is_traced()) pfc__event_completed(r->traced);
    if (r->kind == PFC__COLLECTING || r->kind == PFC__PARTS_RECEIVING) r->got = error ? -1 : r->bytes;
    if (r->kind != PFC__RECEIVING) return;
    error = pfc__held_status(r, status, error);
    if (pfc__was_cancelled(status)) {
        if (PFC__UNLIKELY(r->held != PFC__NOT_HELD)) pfc__held_cancel(r); /* by a binding that goes past us */
        r->got = -1;
        if (r->k) pfc__stream_met(&r->comm, r->peer, r->tag, r->k, r->k - 1); /* the next post takes its number */
        return;
    }
    pfc__request_settle(r, status, error);
    if (error) r->got = -1;
    if (r->got < 0 || r->met) return;
    post.comm = &r->comm;
    post.at = &r->begin;
    post.k = r->k;
    post.told = r->told;
    pfc__post_met(&post, pfc__request_piggy(r), status);
    r->met = 1;
}

/* When that began on which a request depended that was complete at `end`; 0: on nothing. */
static PFC__QUIET int pfc__request_start(pfc__completion_t *k, pfc__request_t *r, pfc__moment_t *start)
{
    pfc__moment_t end = k->call->end;
    if (r->kind == PFC__RECEIVING) {
        pfc__sized_t size = pfc__size_look(r->got);
        if (pfc__is_own(pfc__request_piggy(r)->rank)) return 0;
        *start = pfc__received_from(pfc__request_piggy(r), r->begin, &size);
        return 1;
    }
    if (r->kind == PFC__COLLECTING) {
        pfc__latest_t latest = pfc__collected(r);
        if (pfc__latest_is_none(latest) || (r->may_part && !pfc__latest_is_before(latest, end))) return 0;
        *start = pfc__latest_moment(latest);
        if (r->may_part >= PFC__MAY_NEED_SOME)
            start->u = pfc__max(start->u, pfc__latest_off(pfc__latest_merge(latest, pfc__latest_of(r->begin)), *start));
        return 1;
    }
    return r->kind == PFC__PARTS_RECEIVING && pfc__parts_began(r, start);
}

PFC__HOT pfc__u32 pfc__request_peer(pfc__request_t *r)
{
    if (r->kind == PFC__PARTS_RECEIVING) return (pfc__u32)r->stream->world;
    return r->kind == PFC__RECEIVING ? pfc__request_piggy(r)->rank : (pfc__u32)PFC__ANY_PEER;
}

/* `last`: it ended the step's wait; the others had come by then. */
static PFC__QUIET void pfc__step_add(pfc__step_t *s, pfc__request_t *r, const pfc__moment_t *start, int last)
{
    pfc__transfer_t travel = pfc__travel(r->got, pfc__request_peer(r));
    pfc__moment_t begin = s->begin, arrival;
    pfc__wait_t wait = s->wait;
    if (!last) {
        begin.ct += wait.ns;
        wait.ns = wait.u = 0;
    } else {
        wait = s->wait = pfc__wait_on(*start, begin, wait, travel);
        if (wait.ns > 0 && r->kind == PFC__RECEIVING) pfc__travel_saw(r->got, pfc__request_peer(r), begin.ct + wait.ns - start->ct);
    }
    arrival = pfc__arrival(*start, begin, wait, travel);
    if (!s->latest || arrival.lt > s->arrival.lt) s->latest = r, s->there = *start;
    s->arrival = pfc__later_arrival(s->arrival, arrival);
}

/* Of several that a step completed, the one that would come last by the common clock ended its wait. */
static PFC__QUIET void pfc__step_requests(pfc__completion_t *k, pfc__step_t *s, int n)
{
    pfc__moment_t start, last_start = pfc__never();
    pfc__request_t *last = 0;
    int i;
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i];
        if (!r || r->got < 0 || pfc__request_sends(r) || !pfc__request_start(k, r, &start)) continue;
        if (last && start.ct + pfc__travel(r->got, pfc__request_peer(r)).ns < last_start.ct + pfc__travel(last->got, pfc__request_peer(last)).ns) {
            pfc__step_add(s, r, &start, 0);
            continue;
        }
        if (last) pfc__step_add(s, last, &last_start, 0);
        last = r;
        last_start = start;
    }
    if (last) pfc__step_add(s, last, &last_start, 1);
}

static PFC__QUIET void pfc__completion_later(pfc__completion_t *k, const pfc__step_t *s, pfc__request_t *r, int alone)
{
    pfc__sent_t *sent = &k->sent[k->sents++];
    sent->request = r;
    sent->begin = s->begin;
    sent->end_ct = k->call->end.ct;
    sent->alone = alone;
    r->active = 0;
}

/* As the library does, which tells of the first. */
static PFC__COLD void pfc__step_tell(const pfc__completion_t *k, const pfc__request_t *r, int own)
{
    PMPI_Comm_call_errhandler(pfc__errors_of(r), PFC__ERRORS_BY_STATUS && !k->one ? MPI_ERR_IN_STATUS : own);
}

/* Of n that a step completed the i-th, though the library doesn't know, with an error of its `own`. */
static PFC__COLD int pfc__step_failed(pfc__completion_t *k, int i, int n, int error, int own)
{
    int j;
    if (!error) pfc__step_tell(k, k->record[i], own);
    for (j = 0; j < n && !error; j++) k->status[j].MPI_ERROR = MPI_SUCCESS;
    k->status[i].MPI_ERROR = own;
    k->record[i]->got = -1;
    return MPI_ERR_IN_STATUS;
}

static PFC__COLD void pfc__held_step(pfc__completion_t *k, int n); /* see pick */

/* A rank may have waited for those that hand data on to it, too: as libraries choose, and nobody tells. What isn't explained
   by those of whom the rule knows may be anybody's delay. */
static PFC__QUIET void pfc__step_doubt(pfc__completion_t *k, const pfc__step_t *s, int n)
{
    pfc__call_t *c = k->call;
    pfc__i64 there = s->begin.ct, travel = 0;
    int i, depth = 32 - __builtin_clz((unsigned)pfc__mpi.size);
    for (i = 0; i < n; i++) {
        const pfc__request_t *r = k->record[i];
        if (r && r->kind == PFC__COLLECTING && (pfc__has_way((enum pfc__mpi_rule)r->rule) || r->may_part >= PFC__MAY_NEED_SOME))
            travel = pfc__max(travel, pfc__travel(r->bytes, (pfc__u32)PFC__ANY_PEER).ns);
    }
    if (!travel) return;
    if (s->latest) there = pfc__max(there, s->there.ct);
    pfc__call_unexplained(c, there + depth * travel);
}

/* A row of questions ends with what has come; what was there in any case is one more of them. */
static PFC__COLD void pfc__step_asked(pfc__completion_t *k, pfc__step_t *s, int n)
{
    pfc__call_t *c = k->call;
    int i, came = 0;
    if (c->rule != PFC__RULE_COMPLETE) return;
    for (i = 0; i < n; i++) {
        const pfc__request_t *r = k->record[i];
        came |= r && r->got >= 0 && pfc__request_depends(r);
    }
    if (came) pfc__polls_end(c), s->begin = c->end;
    else c->polls = 1;
}

/* Data, statuses and records of what a step has completed. *bytes: how much was received; below zero: nothing. Returns the error. */
static PFC__QUIET int pfc__step_deliver(pfc__completion_t *k, int n, int error, pfc__i64 *bytes)
{
    int i;
    *bytes = -1;
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i] = pfc__request_claim(k->handle[k->index[i]], k->kept);
        if (!r) continue;
        pfc__request_deliver(r, &k->status[i], error == MPI_ERR_IN_STATUS ? k->status[i].MPI_ERROR : error);
        if (PFC__UNLIKELY(r->got > r->bytes)) error = pfc__step_failed(k, i, n, error, MPI_ERR_TRUNCATE);
        if (PFC__UNLIKELY(r->held == PFC__HELD_GIVEN && r->held_error)) error = pfc__step_failed(k, i, n, error, r->held_error);
        if (r->kind == PFC__RECEIVING && r->got >= 0) {
            pfc__receive_traced(&r->comm, pfc__request_piggy(r), &k->status[i], r->got);
            pfc__order_received(k->call, r->comm.number, r->peer, r->tag, &k->status[i], r->begin.ct, pfc__request_piggy(r));
        }
        if (PFC__UNLIKELY(pfc__bound.on) && r->kind == PFC__RECEIVING && r->got >= 0 && pfc__held_by_library(r))
            pfc__bound_gets(pfc__request_piggy(r)->rank);
        if (pfc__request_receives(r) && r->got >= 0) *bytes = pfc__max(0, *bytes) + r->got;
    }
    return error;
}

/* For how long, and for whom, the step has waited; `polled`: in the calls before it, for the same rank. */
static PFC__QUIET void pfc__step_waited(pfc__call_t *c, const pfc__step_t *s, pfc__i64 polled)
{
    pfc__i64 waited = s->wait.ns, local = s->latest ? pfc__local_wait(s->begin, s->arrival) : 0;
    if (s->latest && s->latest->kind == PFC__RECEIVING && pfc__request_piggy(s->latest)->k) { /* as for a blocking receive */
        waited = pfc__min(waited, pfc__until_there(s->begin.ct, s->there.ct));
        local = pfc__until_there(s->begin.lt, s->there.lt);
    }
    c->wait_ct += waited;
    c->wait_lt += local;
    c->wait_u += s->latest ? s->arrival.u : 0;
    if (s->latest && (local > 0 || !c->wait_kind)) c->wait_kind = s->latest->wait_kind;
    if (s->latest && pfc__request_receives(s->latest)) pfc__peer_waited(pfc__request_peer(s->latest), polled + waited, local);
    if (s->latest && s->latest->kind == PFC__COLLECTING) pfc__peers_waited(pfc__collected(s->latest).last, polled + waited, local);
}

/* The library has completed requests index[0 … n): data, statuses, and the law. Returns the error, of one request too by its status. */
static PFC__QUIET int pfc__step_take(pfc__completion_t *k, int n, int error)
{
    pfc__call_t *c = k->call;
    pfc__step_t s;
    pfc__transfer_t cost = { 0, 0 };
    pfc__i64 bytes, now, polled;
    int i;
    c->own = 0;
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_step(k, n);
    c->tick_end = pfc__clock() - c->held;
    c->held = 0;
    now = pfc__common_ns(c->tick_end);
    s.begin = c->end;
    s.arrival = pfc__never();
    s.latest = 0;
    error = pfc__step_deliver(k, n, error, &bytes);
    polled = c->polled_ct;
    if (PFC__UNLIKELY(pfc__mpi.polls)) pfc__step_asked(k, &s, n);
    polled = c->polled_ct - polled; /* in the calls before, for the same rank */
    if (bytes >= 0) cost = pfc__call_cost(bytes);
    s.wait = pfc__wait_of(s.begin, now, cost);
    c->end.ct = now;
    pfc__step_requests(k, &s, n);
    if (!s.latest) s.wait.ns = s.wait.u = 0; /* buffered sends: whatever it took is theirs */
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i];
        if (r && pfc__request_sends(r) && r->k) s.wait = pfc__wait_of(s.begin, now, cost); /* settled by their receivers' posts */
    }
    c->end = pfc__end_of_call(s.begin, now, s.wait, s.arrival);
    if (s.latest) pfc__call_asked_for(c, s.arrival.lt);
    pfc__step_doubt(k, &s, n);
    pfc__step_waited(c, &s, polled);
    if (bytes > 0) c->bytes += bytes;
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i];
        if (r && pfc__request_sends(r) && r->k) pfc__completion_later(k, &s, r, n == 1);
        else if (r) pfc__request_done(r);
    }
    return error;
}

/* The same for a call that completes one. */
static PFC__QUIET int pfc__step_take_one(pfc__completion_t *k, int error)
{
    k->one = 1;
    error = pfc__step_take(k, 1, error);
    return error == MPI_ERR_IN_STATUS ? k->status[0].MPI_ERROR : error;
}

/* ---- the calls; where messages are held back, what of their requests is complete: see pick */

static PFC__COLD void pfc__held_await(int n, const MPI_Request *request);
static PFC__COLD int pfc__held_pick(pfc__completion_t *k, int waits);
static PFC__COLD void pfc__held_show(pfc__completion_t *k);
static PFC__COLD void pfc__held_ignore_shown(pfc__completion_t *k);

/* As pick, of a call that only tests or waits for some; 0 where nothing is hidden. */
PFC__HOT int pfc__hides(pfc__completion_t *k, int waits) { return PFC__UNLIKELY(pfc__bound.on) ? pfc__held_pick(k, waits) : 0; }

static pfc__own_parts_t pfc__own_completion;

/* For few requests, what is done before the library's call is always as much; and what follows, until one has come. */
static PFC__QUIET void pfc__completion_begin(pfc__call_t *c, int n)
{
    if (n <= PFC__REQUESTS_ON_STACK) c->own = pfc__own_soon(&pfc__own_completion, c->tick_in);
    pfc__call_begin(c);
    c->end = c->begin;
}

/* It has completed nothing; if it only `asks`, something may come. */
static PFC__QUIET void pfc__completion_none(pfc__call_t *c, int asks)
{
    pfc__call_end(c);
    if (asks) pfc__poll_in_vain(c);
}

static PFC__QUIET int pfc__wait_for(pfc__call_t *c, MPI_Request *request, MPI_Status *status)
{
    pfc__completion_t k;
    int error;
    pfc__completion_open(&k, c, 1, request);
    k.index[0] = 0;
    pfc__completion_begin(c, 1);
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_await(1, request);
    error = PMPI_Wait(request, &k.status[0]);
    error = pfc__step_take_one(&k, error);
    pfc__completion_close(&k, error);
    if (status != MPI_STATUS_IGNORE) pfc__status_copy(status, &k.status[0]);
    return error;
}

static PFC__QUIET int pfc__test(pfc__call_t *c, MPI_Request *request, int *flag, MPI_Status *status)
{
    pfc__completion_t k;
    int error = MPI_SUCCESS;
    pfc__completion_open(&k, c, 1, request);
    pfc__completion_begin(c, 1);
    if (pfc__hides(&k, 0)) pfc__held_show(&k), *flag = 0;
    else error = PMPI_Test(request, flag, &k.status[0]);
    k.index[0] = 0;
    if (*flag) error = pfc__step_take_one(&k, error);
    else pfc__completion_none(c, !error);
    pfc__completion_close(&k, error);
    if (*flag && status != MPI_STATUS_IGNORE) pfc__status_copy(status, &k.status[0]);
    return error;
}

/* Waitany; with a flag: Testany. */
static PFC__QUIET int pfc__any(pfc__call_t *c, int n, MPI_Request *request, int *index, int *flag, MPI_Status *status)
{
    pfc__completion_t k;
    int error, done = 1, hidden, none;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    pfc__completion_begin(c, n);
    do {
        hidden = pfc__hides(&k, !flag);
        error = flag ? PMPI_Testany(n, request, index, flag, &k.status[0]) : PMPI_Waitany(n, request, index, &k.status[0]);
        none = hidden && !flag && !error && *index == MPI_UNDEFINED;
        if (none) pfc__held_ignore_shown(&k);
        if (hidden) pfc__held_show(&k);
    } while (PFC__UNLIKELY(none));
    if (hidden && flag && *index == MPI_UNDEFINED) *flag = 0;
    if (flag) done = *flag;
    k.index[0] = *index;
    if (done && *index != MPI_UNDEFINED) error = pfc__step_take_one(&k, error);
    else pfc__completion_none(c, !done && !error);
    if (done && status != MPI_STATUS_IGNORE) pfc__status_copy(status, &k.status[0]);
    pfc__completion_close(&k, error);
    return error;
}

/* Waitsome, Testsome */
static PFC__QUIET int pfc__some(pfc__call_t *c, int blocking, int n, MPI_Request *request, int *done, int *index, MPI_Status *status)
{
    pfc__completion_t k;
    int error, i, hidden, none;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    pfc__completion_begin(c, n);
    do {
        hidden = pfc__hides(&k, blocking);
        pfc__statuses_untold(k.status, n);
        error = blocking ? PMPI_Waitsome(n, request, done, index, k.status) : PMPI_Testsome(n, request, done, index, k.status);
        none = hidden && blocking && !error && *done == MPI_UNDEFINED;
        if (none) pfc__held_ignore_shown(&k);
        if (hidden) pfc__held_show(&k);
    } while (PFC__UNLIKELY(none));
    if (hidden && *done == MPI_UNDEFINED) *done = 0;
    if ((!error || error == MPI_ERR_IN_STATUS) && *done != MPI_UNDEFINED && *done > 0) {
        memcpy(k.index, index, (size_t)*done * sizeof *index);
        error = pfc__step_take(&k, *done, error);
        for (i = 0; status != MPI_STATUSES_IGNORE && i < *done; i++) pfc__status_tell(&status[i], &k.status[i]);
    } else pfc__completion_none(c, !blocking && !error && *done == 0);
    pfc__completion_close(&k, error);
    return error;
}

/* The status of a request that isn't active, as a call tells it that completes several. */
static PFC__QUIET void pfc__status_empty(MPI_Status *status)
{
    MPI_Request none = MPI_REQUEST_NULL;
    PMPI_Waitall(1, &none, status);
}

/* How many of them are requests; the status of those that aren't is known at once. */
static PFC__QUIET int pfc__requests_there(int n, const MPI_Request *request, MPI_Status *status)
{
    int i, there = 0;
    for (i = 0; i < n; i++) {
        if (request[i] != MPI_REQUEST_NULL) there++;
        else if (status != MPI_STATUSES_IGNORE) pfc__status_empty(&status[i]);
    }
    return there;
}

/* A step of Waitall is done: the user's statuses, and what is left for the next ones. */
static PFC__QUIET void pfc__step_given(pfc__completion_t *k, int done, int error, MPI_Status *status)
{
    int i;
    for (i = 0; i < done; i++) {
        int at = k->index[i], own = error ? k->status[i].MPI_ERROR : MPI_SUCCESS;
        k->handle[at] = k->request[at];
        k->request[at] = MPI_REQUEST_NULL; /* to MPICH 4.0 an inactive persistent collective is complete */
        if (status == MPI_STATUSES_IGNORE) continue;
        status[at] = k->status[i];
        status[at].MPI_ERROR = own;
    }
}

/* Waitall, after its begin: step by step, what comes. `left`: how many requests there are. */
static PFC__QUIET int pfc__complete_all(pfc__completion_t *k, int left, MPI_Status *status)
{
    pfc__call_t *c = k->call;
    MPI_Request *request = k->request;
    pfc__i64 begun;
    int error, result = MPI_SUCCESS, i, done, steps = 0;
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_await(k->n, request);
    do {
        begun = steps ? pfc__common_ns(pfc__clock()) : c->end.ct; /* since the last step's end, only we were at work */
        error = PMPI_Waitsome(k->n, request, &done, k->index, k->status);
        if ((error && error != MPI_ERR_IN_STATUS) || done == MPI_UNDEFINED || done <= 0) {
            if (error) result = error;
            break;
        }
        c->end.ct = begun;
        steps++;
        error = pfc__step_take(k, done, error);
        if (error) result = error;
        pfc__step_given(k, done, error, status);
    } while (left -= done);
    for (i = 0; i < k->n && left && status != MPI_STATUSES_IGNORE; i++)
        if (request[i] != MPI_REQUEST_NULL) pfc__status_empty(&status[i]);
    if (k->n > 0) memcpy(request, k->handle, (size_t)k->n * sizeof *request);
    if (!steps) pfc__call_end(c);
    pfc__completion_close(k, result);
    return result;
}

/* The two of Sendrecv. */
static PFC__QUIET int pfc__complete_pair(pfc__call_t *c, MPI_Request *request, MPI_Status *status)
{
    pfc__completion_t k;
    pfc__completion_open(&k, c, 2, request); /* two have room */
    c->end = c->begin;
    return pfc__complete_all(&k, 2, status);
}

static PFC__QUIET int pfc__waitall(pfc__call_t *c, int n, MPI_Request *request, MPI_Status *status)
{
    pfc__completion_t k;
    int there;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    there = pfc__requests_there(n, request, status);
    pfc__completion_begin(c, n);
    return pfc__complete_all(&k, there, status);
}

/* Testall has failed, as MPICH does as soon as one of them has: those that are complete, with their statuses; the others'
   statuses are told now. Returns how many there are. */
static PFC__COLD int pfc__testall_some(pfc__completion_t *k, MPI_Status *status)
{
    int i, done = 0;
    for (i = 0; i < k->n; i++) {
        if (k->status[i].MPI_ERROR != MPI_ERR_PENDING) {
            k->index[done] = i;
            k->status[done++] = k->status[i];
        } else if (status != MPI_STATUSES_IGNORE) pfc__status_tell(&status[i], &k->status[i]);
    }
    return done;
}

static PFC__QUIET int pfc__testall(pfc__call_t *c, int n, MPI_Request *request, int *flag, MPI_Status *status)
{
    pfc__completion_t k;
    int error = MPI_SUCCESS, done = 0, i;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    pfc__completion_begin(c, n);
    pfc__statuses_untold(k.status, n);
    if (pfc__hides(&k, 0)) pfc__held_show(&k), *flag = 0;
    else error = PMPI_Testall(n, request, flag, k.status);
    if (PFC__UNLIKELY(error == MPI_ERR_IN_STATUS)) done = pfc__testall_some(&k, status);
    else if (*flag && !error)
        for (; done < n; done++) k.index[done] = done;
    if (done > 0) {
        error = pfc__step_take(&k, done, error);
        for (i = 0; status != MPI_STATUSES_IGNORE && i < done; i++) pfc__status_tell(&status[k.index[i]], &k.status[i]);
    } else pfc__completion_none(c, !*flag && !error);
    pfc__completion_close(&k, error);
    return error;
}
