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
    pfc__i64 there; /* LT: when all was there that the step has received */
    int alone;
} pfc__sent_t;

typedef struct pfc__completion {
    pfc__call_t *call;
    int n;
    MPI_Request *request; /* the user's */
    MPI_Request *handle;  /* what they were when the call began */
    pfc__u64 kept;        /* and how many requests had a handle */
    pfc__request_t **taken; /* of several threads: their records, for this call alone; NULL: they are found by their handles */
    MPI_Status *status;   /* of one step */
    int *index;           /* of one step */
    pfc__request_t **record; /* of one step; NULL: none of ours, or an inactive one */
    pfc__sent_t *sent;
    int sents;
    int one;              /* the call completes one of them, and returns its error */
    int for_all;          /* it waits for all of them, and may wait for whoever takes part in them */
    pfc__i64 until;       /* CT: they were asked for in vain */
    void *memory;
    struct {
        MPI_Request handle[PFC__REQUESTS_ON_STACK];
        MPI_Status status[PFC__REQUESTS_ON_STACK];
        int index[PFC__REQUESTS_ON_STACK];
        pfc__request_t *record[PFC__REQUESTS_ON_STACK], *taken[PFC__REQUESTS_ON_STACK];
        pfc__sent_t sent[PFC__REQUESTS_ON_STACK];
    } few;
} pfc__completion_t;

/* Its i-th. As soon as the library has completed a request, another thread's may have its handle, of which there may be no record
   (MPI_Grequest_start). So where there are threads each call takes its records before that; but for persistent ones, which keep their
   handles: other threads may call MPI_Pready meanwhile. */
static PFC__QUIET pfc__request_t *pfc__completion_record(const pfc__completion_t *k, int i)
{
    return PFC__UNLIKELY(k->taken != 0) ? k->taken[i] : pfc__request_then(k->handle[i], k->kept);
}

static PFC__COLD void pfc__completion_take(pfc__completion_t *k)
{
    int i;
    pfc__mpi_lock();
    for (i = 0; i < k->n; i++)
        if ((k->taken[i] = pfc__request_of(k->handle[i])) != 0) k->taken[i]->taken = !k->taken[i]->persistent;
    pfc__mpi_unlock();
}

/* Those that the call hasn't completed. */
static PFC__COLD void pfc__completion_give_back(pfc__completion_t *k)
{
    int i;
    pfc__mpi_lock();
    for (i = 0; i < k->n; i++)
        if (k->taken[i]) k->taken[i]->taken = 0;
    pfc__mpi_unlock();
}

/* The library has completed the i-th: its record, for nobody else, also where others have the same handle. NULL: none of ours, or an
   inactive one. */
static PFC__QUIET pfc__request_t *pfc__completion_claim(pfc__completion_t *k, int i)
{
    pfc__request_t *r;
    pfc__mpi_lock();
    r = pfc__completion_record(k, i);
    if (r && !r->active) r = 0;
    if (r && k->taken) k->taken[i] = 0, r->taken = 0;
    if (r && !r->persistent) pfc__handles_remove(&pfc__requests, &r->entry);
    pfc__mpi_unlock();
    return r;
}

static PFC__QUIET int pfc__completion_open(pfc__completion_t *k, pfc__call_t *call, int n, MPI_Request *request)
{
    k->call = call;
    k->n = n;
    k->request = request;
    k->sents = 0;
    k->one = k->for_all = 0;
    k->until = pfc__polls_until(request, n);
    k->memory = 0;
    k->handle = k->few.handle;
    k->status = k->few.status;
    k->index = k->few.index;
    k->record = k->few.record;
    k->taken = k->few.taken;
    k->sent = k->few.sent;
    if (n > PFC__REQUESTS_ON_STACK) {
        size_t many = (size_t)n;
        char *at = (char *)malloc(many * (sizeof *k->sent + sizeof *k->record + sizeof *k->taken + sizeof *k->status + sizeof *k->handle + sizeof *k->index));
        if (!at) return 0;
        k->memory = at;
        k->sent = (pfc__sent_t *)(void *)at;
        k->record = (pfc__request_t **)(void *)(k->sent + many);
        k->taken = k->record + many;
        k->handle = (MPI_Request *)(void *)(k->taken + many);
        k->status = (MPI_Status *)(void *)(k->handle + many);
        k->index = (int *)(void *)(k->status + many);
    }
    if (n > 0) memcpy(k->handle, request, (size_t)n * sizeof *request);
    if (PFC__UNLIKELY(pfc__mpi.threads)) pfc__completion_take(k);
    else k->taken = 0, k->kept = pfc__requests_kept;
    return 1;
}

/* Folds what a finished send depended on into the call's end. */
static PFC__QUIET void pfc__completion_sent(pfc__call_t *c, pfc__sent_t *s)
{
    pfc__request_t *r = s->request;
    pfc__transfer_t none = { 0, 0 };
    pfc__moment_t before = c->end, arrival;
    pfc__went_t w = pfc__sent_to(r->stream, r->k, r->begin, r->bytes, s->begin, s->end_ct);
    pfc__wait_t wait = pfc__wait_on(w.start, s->begin, pfc__wait_of(s->begin, s->end_ct, none), w.travel), nothing = { 0, 0 };
    pfc__i64 waited = wait.ns, local;
    if (!s->alone) { /* another request may have ended the step */
        s->begin.ct += wait.ns;
        wait = nothing;
    }
    arrival = pfc__arrival(w.start, s->begin, wait, w.travel);
    local = pfc__max(0, arrival.lt - c->end.lt);
    c->wait_lt += local;
    if (local > 0) c->wait_kind = PFC__LATE_RECEIVER;
    if (w.world >= 0) pfc__peer_waited((pfc__u32)w.world, s->alone ? waited : local, local); /* of several it isn't known whose `waited` was */
    c->end = pfc__end_of_call(c->end, c->end.ct, nothing, arrival);
    if (s->alone) pfc__call_doubts(c, w.away);
    pfc__call_asked_for(c, pfc__max(arrival.lt, s->there));
    c->asked_last = 0; /* once for all of them */
    if (w.world < 0) pfc__send_doubt(c, before, none);
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
        r = pfc__completion_record(k, i);
        if (r && r->kind != PFC__RECEIVING) r = 0;
        if (r && k->taken) k->taken[i] = 0;
        if (r) pfc__request_unkeep(r);
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
    if (PFC__UNLIKELY(k->taken != 0)) pfc__completion_give_back(k);
    free(k->memory);
}

/* ---- one step */

typedef struct pfc__step {
    pfc__moment_t begin, arrival;
    pfc__moment_t there;    /* of the arrival: when both ranks were */
    pfc__wait_t wait;
    pfc__i64 until;         /* as the completion's; then: */
    pfc__moment_t asked;    /* when the row of questions began; amid work, by the delay at its end */
    pfc__request_t *latest; /* whose arrival that is; NULL: the step depended on nothing */
    int answered;           /* it ends a row of questions, with what brings no moment along */
} pfc__step_t;

/* The moments of the ranks that a collective depends on: see icollectives. */
static PFC__QUIET pfc__latest_t pfc__collected(pfc__request_t *r);
static PFC__QUIET int pfc__is_collecting(pfc__request_t *r);
static PFC__QUIET pfc__moment_t pfc__collecting_arrival(pfc__request_t *r, pfc__moment_t arrival, int in_vain);
static PFC__QUIET int pfc__may_collect(pfc__request_t *r);

/* Who came last, as measured, to what may let all go doesn't show whether it would have waited, of which this is the most. */
static PFC__QUIET pfc__i64 pfc__collecting_unshown(const pfc__request_t *r, pfc__latest_t latest)
{
    int is_last = latest.ct - r->begin.ct <= pfc__travel(r->bytes, (pfc__u32)PFC__ANY_PEER).ns;
    return r->may_part == PFC__MAY_LET_GO && is_last ? pfc__max(0, latest.lt - r->begin.lt) : 0;
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
        pfc__latest_t latest = k->for_all || pfc__may_collect(r) ? pfc__collected(r) : pfc__latest_none();
        if (pfc__latest_is_none(latest) || (r->may_part && !pfc__latest_is_before(latest, end))) return 0;
        *start = pfc__latest_moment(latest);
        start->u += pfc__collecting_unshown(r, latest);
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

/* A collective's data move while ranks are inside of MPI. When it was first asked for in vain, all had begun it: so it has waited for
   this rank's questions, as far as one can tell. */
PFC__HOT int pfc__step_awaits_questions(const pfc__step_t *s, const pfc__request_t *r, const pfc__moment_t *start)
{
    return r->kind == PFC__COLLECTING && s->until != PFC__NEVER && s->asked.ct > start->ct;
}

/* Else, of one that was asked for in vain: its data may take many times as long as messages do. */
static PFC__QUIET pfc__transfer_t pfc__step_travel(const pfc__step_t *s, pfc__request_t *r, const pfc__moment_t *start)
{
    pfc__transfer_t travel = pfc__travel(r->got, pfc__request_peer(r));
    if (r->kind == PFC__COLLECTING && !pfc__step_awaits_questions(s, r, start)) travel.ns = pfc__max(travel.ns, s->until - start->ct);
    return travel;
}

/* It was there when the questions ended. Or it waited for another rank to be back in MPI: then some of what they took is its delay. */
static PFC__QUIET pfc__moment_t pfc__step_answer(const pfc__step_t *s, const pfc__moment_t *start)
{
    pfc__i64 took = s->until - s->asked.ct;
    pfc__moment_t m = { s->until, s->asked.lt + took, s->asked.u, 0 };
    m.u += pfc__min(took, llabs((start->ct - start->lt) - (s->asked.ct - s->asked.lt)));
    return m;
}

/* `last`: it ended the step's wait; the others had come by then. */
static PFC__QUIET void pfc__step_add(pfc__step_t *s, pfc__request_t *r, const pfc__moment_t *start, int last)
{
    pfc__transfer_t travel = pfc__step_travel(s, r, start);
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
    if (r->kind == PFC__COLLECTING) arrival = pfc__collecting_arrival(r, arrival, s->until > start->ct);
    if (pfc__step_awaits_questions(s, r, start)) arrival = pfc__later_arrival(arrival, pfc__step_answer(s, start));
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
        if (pfc__request_is_handed_on(r)) start = pfc__handed_on(r, start, s->begin.ct, k->call->end.ct);
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
    sent->there = s->arrival.lt;
    sent->alone = alone;
    r->active = 0;
    pfc__partner_ends(&r->partner);
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

/* A rank waits for those whom it sends long data to, too, of whom it may receive nothing. */
PFC__HOT int pfc__neighbours_wait(enum pfc__mpi_rule rule, pfc__i64 bytes)
{
    return rule == PFC__RULE_NEIGHBOUR && pfc__send_waits(bytes, 0);
}

/* A rank may have waited for those that hand data on to it, too: as libraries choose, and nobody tells; or for somebody whose moment
   isn't here; or for its receiver to look after what has come (pfc__send_unseen). */
static PFC__QUIET int pfc__request_may_wait(const pfc__request_t *r)
{
    if (r->kind == PFC__SENDING) return !r->k && pfc__may_be_unseen(r->bytes);
    if (r->kind != PFC__COLLECTING) return 0;
    return pfc__has_way((enum pfc__mpi_rule)r->rule) || pfc__neighbours_wait((enum pfc__mpi_rule)r->rule, r->bytes) ||
           r->may_part >= PFC__MAY_NEED_SOME || (r->depends && r->exchanging);
}

/* A short persistent send, which its receiver has to look at when it is back. */
PFC__HOT int pfc__request_is_looked_at(const pfc__request_t *r)
{
    return pfc__link.starts && r->kind == PFC__SENDING && r->persistent && !r->k;
}

/* How long its data may take from the last rank on; longer, they may have waited for somebody else. 0: they can't have. */
static PFC__QUIET pfc__i64 pfc__request_patience(const pfc__request_t *r)
{
    int may_wait = pfc__request_may_wait(r);
    pfc__i64 most;
    if (!may_wait && !pfc__request_is_handed_on(r) && !pfc__request_is_looked_at(r)) return 0;
    most = (32 - __builtin_clz((unsigned)pfc__mpi.size)) * pfc__travel(r->bytes, (pfc__u32)PFC__ANY_PEER).ns;
    return may_wait ? most : pfc__max(r->circle_whole ? PFC__HANDING_CROWDED : PFC__HANDING_PATIENCE, PFC__AWAY_FACTOR * most);
}

/* What isn't explained by those of whom the rule knows may be anybody's delay. */
static PFC__QUIET void pfc__step_doubt(pfc__completion_t *k, const pfc__step_t *s, int n)
{
    pfc__call_t *c = k->call;
    pfc__i64 there = s->begin.ct, patience = 0;
    int i;
    for (i = 0; i < n; i++)
        if (k->record[i]) patience = pfc__max(patience, pfc__request_patience(k->record[i]));
    if (!patience) return;
    if (s->latest) there = pfc__max(there, s->there.ct);
    pfc__call_unexplained(c, there + patience);
}

/* Requests of which there is no record: a one-sided access, or reading and writing of a file. */
static PFC__QUIET int pfc__step_has_others(const pfc__completion_t *k, int n)
{
    int i;
    for (i = 0; i < n; i++)
        if (!k->record[i] && k->handle[k->index[i]] != MPI_REQUEST_NULL) return 1;
    return 0;
}

/* Of what the step has completed, the program may have completed some itself. */
static PFC__QUIET int pfc__step_generalized(const pfc__completion_t *k, int n)
{
    int i, some = 0;
    for (i = 0; i < n; i++)
        if (!k->record[i]) some |= pfc__generalized_end(k->handle[k->index[i]]);
    return some;
}

/* A row of questions ends with what has come; what was there in any case is one more of them. */
static PFC__COLD void pfc__step_asked(pfc__completion_t *k, pfc__step_t *s, int n)
{
    pfc__call_t *c = k->call;
    int i, came = 0;
    if (c->rule != PFC__RULE_COMPLETE) return;
    for (i = 0; i < n; i++) {
        const pfc__request_t *r = k->record[i];
        came |= r && pfc__request_depends(r) && (pfc__request_sends(r) || r->got >= 0);
    }
    s->answered = !came && s->until != PFC__NEVER && pfc__step_has_others(k, n);
    if (!came) {
        c->polls |= !s->answered;
        return;
    }
    pfc__polls_end(c);
    s->begin = c->end;
    s->asked = pfc__polls->since;
    if (c->asked_last) s->asked.lt = s->asked.ct - (s->begin.ct - s->begin.lt);
}

/* Data, statuses and records of what a step has completed. *bytes: how much was received; below zero: nothing. Returns the error. */
static PFC__QUIET int pfc__step_deliver(pfc__completion_t *k, int n, int error, pfc__i64 *bytes)
{
    int i;
    *bytes = -1;
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i] = pfc__completion_claim(k, k->index[i]);
        if (!r) continue;
        pfc__request_deliver(r, &k->status[i], error == MPI_ERR_IN_STATUS ? k->status[i].MPI_ERROR : error);
        pfc__request_traced(r);
        if (PFC__UNLIKELY(r->got > r->bytes)) error = pfc__step_failed(k, i, n, error, MPI_ERR_TRUNCATE);
        if (PFC__UNLIKELY(r->held == PFC__HELD_GIVEN && r->held_error)) error = pfc__step_failed(k, i, n, error, r->held_error);
        if (r->kind == PFC__RECEIVING && r->got >= 0) {
            pfc__receive_traced(&r->comm, pfc__request_piggy(r), &k->status[i], r->got);
            pfc__order_received(k->call, r->comm.number, r->peer, r->tag, &k->status[i], r->begin.ct, pfc__request_piggy(r));
        }
        if (PFC__UNLIKELY(pfc__bound.on) && r->kind == PFC__RECEIVING && r->got >= 0 && !pfc__held_is_ours(r))
            pfc__bound_gets(pfc__request_piggy(r)->rank);
        if (pfc__request_receives(r) && r->got >= 0) *bytes = pfc__max(0, *bytes) + r->got;
    }
    return error;
}

/* For how long, and for whom, the step has waited; `polled`: in the calls before it, for the same rank. */
static PFC__QUIET void pfc__step_waited(pfc__call_t *c, const pfc__step_t *s, pfc__i64 polled)
{
    pfc__i64 waited = s->wait.ns, local = s->latest ? pfc__local_wait(s->begin, s->arrival) : 0;
    if (s->latest && s->latest->kind == PFC__RECEIVING && pfc__data_wait(pfc__request_piggy(s->latest), s->latest->got)) {
        /* as for a blocking receive */
        waited = pfc__min(waited, pfc__until_there(s->begin.ct, s->there.ct));
        local = pfc__until_there(s->begin.lt, s->there.lt);
    }
    c->wait_ct += waited;
    c->wait_lt += local;
    c->wait_u += s->latest ? pfc__doubt_since_met(s->arrival) : 0;
    if (s->latest && (local > 0 || !c->wait_kind)) c->wait_kind = s->latest->wait_kind;
    if (s->latest && pfc__request_receives(s->latest)) pfc__peer_waited(pfc__request_peer(s->latest), polled + waited, local);
    if (s->latest && s->latest->kind == PFC__COLLECTING) pfc__peers_waited(pfc__collected(s->latest).last, polled + waited, local);
}

/* Before it was posted, its message was asked for amid other work. */
static PFC__COLD void pfc__step_probed(pfc__call_t *c, pfc__request_t *r)
{
    const pfc__piggy_t *p = pfc__request_piggy(r);
    pfc__i64 there = pfc__data_wait(p, r->got) ? pfc__told_lt(p) : p->lt + pfc__travel(r->got, p->rank).ns;
    pfc__call_doubts(c, pfc__asked_too_long(r->asked, r->begin.lt, there));
}

/* The library has completed requests index[0 … n): data, statuses, and the law. Returns the error, of one request too by its status. */
static PFC__QUIET int pfc__step_take(pfc__completion_t *k, int n, int error)
{
    pfc__call_t *c = k->call;
    pfc__step_t s;
    pfc__transfer_t cost = { 0, 0 };
    pfc__i64 bytes, now, polled;
    int i, sent = 0, generalized;
    c->own = 0;
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_step(k, n);
    c->tick_end = pfc__clock() - c->held;
    c->held = 0;
    now = pfc__common_ns(c->tick_end);
    s.begin = c->end;
    s.arrival = pfc__never();
    s.latest = 0;
    s.answered = 0;
    s.asked = pfc__never();
    s.until = k->until;
    error = pfc__step_deliver(k, n, error, &bytes);
    polled = c->polled_ct;
    if (PFC__UNLIKELY(pfc__polling)) pfc__step_asked(k, &s, n);
    polled = c->polled_ct - polled; /* in the calls before, for the same rank */
    if (bytes >= 0) cost = pfc__call_cost(bytes);
    s.wait = pfc__wait_of(s.begin, now, cost);
    c->end.ct = now;
    pfc__step_requests(k, &s, n);
    if (!s.latest) s.wait.ns = s.wait.u = 0; /* buffered sends: whatever it took is theirs */
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i];
        sent |= r && pfc__request_sends(r) && r->k;
    }
    if (sent) s.wait = pfc__wait_of(s.begin, now, cost); /* settled by their receivers' posts */
    c->end = pfc__end_of_call(s.begin, now, s.wait, s.arrival);
    if (s.latest && !sent) pfc__call_asked_for(c, s.arrival.lt);
    generalized = pfc__step_generalized(k, n);
    if (PFC__UNLIKELY(s.answered)) pfc__access_asked_for(c, generalized);
    else if (PFC__UNLIKELY(generalized)) pfc__call_unexplained(c, s.latest ? s.there.ct : s.begin.ct);
    else if (PFC__UNLIKELY(pfc__step_has_others(k, n))) pfc__access_waited(c, s.begin, s.latest != 0);
    pfc__step_doubt(k, &s, n);
    pfc__step_waited(c, &s, polled);
    if (bytes > 0) c->bytes += bytes;
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i];
        if (PFC__UNLIKELY(r && r->asked && r->got >= 0)) pfc__step_probed(c, r);
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
