/* -------------------------------------------------------- pick (MPI impl) ---
   Completions where messages are held back (hold.c): Wait*, Test*.

   Those of some of several requests find those receives complete that would
   have been when the call began, also of receives that the library has
   completed since, or hasn't yet; where they wait, the one that would be first. */

static PFC__COLD int pfc__is_complete(const pfc__request_t *r, MPI_Request request)
{
#ifdef PERFCOMP_SMPI /* whose MPI_Request_get_status says that all are */
    const pfc__kept_apart_t *kept = r ? pfc__hold_known(r) : 0;
    (void)request;
    if (!r || r->kind != PFC__RECEIVING || !r->active) return 1;
    return r->held ? r->held == PFC__HELD_GIVEN : kept && pfc__hold_arrival(kept, r->begin).ct <= pfc__common_ns(pfc__clock());
#else
    int done = 0;
    return request == MPI_REQUEST_NULL || pfc__request_look(r, request, &done, MPI_STATUS_IGNORE) || done;
#endif
}

/* The only rank that it waits for; less than 0: it may be any. (The user may have freed another communicator by now.) */
static PFC__COLD int pfc__held_source(const pfc__request_t *r) { return r->in == MPI_COMM_WORLD && r->peer >= 0 ? r->peer : -1; }

/* Before the library waits for all of them: those of ours must come to their end, also those of other calls. */
static PFC__COLD void pfc__held_await(int n, const MPI_Request *request)
{
    const pfc__request_t *one = n == 1 ? pfc__request_of(*request) : 0;
    int i, open, world = one && one->kind == PFC__RECEIVING && one->active ? pfc__held_source(one) : -1;
    pfc__bound_waits_for(world);
    while (pfc__held_open) {
        pfc__held_progress();
        for (i = open = 0; i < n; i++) open += !pfc__is_complete(pfc__request_of(request[i]), request[i]);
        if (!open) break;
        pfc__bound_waits_for(world); /* others may have got some of its messages */
        pfc__hold_wait(1);
    }
}

/* When all of its message is there, if that is known. */
static PFC__COLD int pfc__held_arrives(const pfc__request_t *r, pfc__moment_t *arrival)
{
    const pfc__kept_apart_t *kept = r->held == PFC__HELD_GIVEN ? 0 : pfc__hold_known(r);
    if (kept) *arrival = pfc__hold_arrival(kept, r->begin);
    else if (r->held == PFC__HELD_GIVEN) *arrival = r->held_arrival;
    else return 0;
    return 1;
}

/* A step has completed n of them. If ours are among them, it took longer than their messages. */
static PFC__COLD void pfc__held_step(pfc__completion_t *k, int n)
{
    pfc__call_t *c = k->call;
    pfc__i64 latest = c->end.ct;
    int i, ours = 0;
    for (i = 0; i < n; i++) {
        const pfc__request_t *r = pfc__request_then(k->handle[k->index[i]], k->kept);
        pfc__moment_t arrival;
        if (!r || !r->active || r->kind != PFC__RECEIVING || !pfc__held_arrives(r, &arrival)) continue;
        ours |= r->held == PFC__HELD_GIVEN;
        latest = pfc__max(latest, arrival.ct);
    }
    if (ours && !c->held) pfc__hold_ends(c, latest, 0);
}

enum pfc__due { PFC__LIBRARYS, PFC__DUE, PFC__LATER, PFC__UNDECIDED, PFC__HIDDEN };

/* As pfc__held_due, of a send that waits for its receiver. Polled for, it would be complete after so many polls as its receiver
   takes in this run, with all that holds that back. */
static PFC__COLD enum pfc__due pfc__held_sent(const pfc__request_t *r, pfc__i64 lt, pfc__moment_t *arrival)
{
    pfc__sized_t size = pfc__size_look(r->bytes);
    pfc__post_t post;
    int known;
    if (PFC__ONE_PROGRAM) return PFC__LIBRARYS; /* as pfc__is_complete */
    if (!pfc__is_complete(r, r->handle)) return pfc__bound_misses(lt, r->world, -1) ? PFC__UNDECIDED : PFC__LATER;
    pfc__mpi_lock();
    pfc__posts_drain();
    known = pfc__post_find(r->stream, r->k, &post);
    pfc__mpi_unlock();
    if (!known) return PFC__LIBRARYS;
    *arrival = pfc__travelled(pfc__sent_bare(pfc__both_there(r->begin, pfc__post_moment(&post)), &size), r->bytes, (pfc__u32)post.world);
    return arrival->lt <= lt ? PFC__DUE : PFC__LATER;
}

/* Whether it would have been complete at `lt`; and when it will, if that is known. `waits`: the call does. */
static PFC__COLD enum pfc__due pfc__held_due(pfc__request_t *r, pfc__i64 lt, int waits, pfc__moment_t *arrival)
{
    const pfc__kept_apart_t *kept;
    if (r && r->kind == PFC__SENDING && r->active && r->k && !waits) return pfc__held_sent(r, lt, arrival);
    if (!r || r->kind != PFC__RECEIVING || !r->active) return PFC__LIBRARYS;
    if (!pfc__held_arrives(r, arrival) && r->held != PFC__HELD_OPEN && pfc__is_complete(r, r->handle)) {
        pfc__hold_look(); /* its piggyback may have come since */
        if (!pfc__held_arrives(r, arrival)) return PFC__LIBRARYS; /* none went ahead */
    }
    if (arrival->ct != PFC__NEVER) return arrival->lt <= lt ? PFC__DUE : PFC__LATER;
    if (pfc__bound_misses(lt, pfc__held_source(r), -1)) return PFC__UNDECIDED;
    kept = r->held == PFC__HELD_OPEN ? pfc__hold_first(r->comm.number, r->peer, r->tag) : 0;
    return kept && pfc__hold_meets(kept) <= lt ? PFC__UNDECIDED : PFC__LATER;
}

/* What a call sees of its requests: how many of each. */
typedef struct pfc__sight {
    int active, receives, due, unknown;
    int met;               /* of the due ones: by receives that the library has */
    int ready;             /* complete, of those that aren't receives; */
    int complete;          /* and of the due ones */
    int first;             /* of the later ones the one that comes first; −1: none is known to come. Then: */
    pfc__moment_t arrival;
    int there, ours;       /* the library has completed it; it is held by us */
} pfc__sight_t;

/* k->index gets enum pfc__due for each. Of a call that doesn't wait, what will be complete later needn't be asked. */
static PFC__COLD pfc__sight_t pfc__held_see(pfc__completion_t *k, int waits)
{
    pfc__sight_t s = { 0, 0, 0, 0, 0, 0, 0, -1, { 0, 0, 0, 0 }, 0, 0 };
    int i;
    for (i = 0; i < k->n; i++) {
        pfc__moment_t arrival = pfc__never();
        pfc__request_t *r = pfc__request_then(k->handle[i], k->kept);
        enum pfc__due due = pfc__held_due(r, k->call->begin.lt, waits, &arrival);
        int complete = (due == PFC__LIBRARYS || due == PFC__DUE || (waits && due == PFC__LATER)) && pfc__is_complete(r, k->handle[i]);
        k->index[i] = (int)due;
        if (k->handle[i] == MPI_REQUEST_NULL) continue;
        s.active++;
        s.receives += due != PFC__LIBRARYS;
        s.due += due == PFC__DUE;
        s.met += due == PFC__DUE && r->kind == PFC__RECEIVING && !r->held;
        s.unknown += due == PFC__UNDECIDED || (due == PFC__DUE && !complete); /* its data are still under way */
        s.ready += due == PFC__LIBRARYS && complete;
        s.complete += complete && due != PFC__LATER;
        if (due != PFC__LATER || arrival.ct == PFC__NEVER || (s.first >= 0 && arrival.lt >= s.arrival.lt)) continue;
        s.first = i;
        s.arrival = arrival;
        s.there = complete;
        s.ours = r->held != PFC__NOT_HELD;
    }
    return s;
}

/* Hides from the library what wouldn't be complete; `only` >= 0: all but that. Returns how many. */
static PFC__COLD int pfc__held_hide(pfc__completion_t *k, int only)
{
    int i, hidden = 0;
    for (i = 0; i < k->n; i++) {
        int later = k->index[i] == PFC__LATER || k->index[i] == PFC__UNDECIDED;
        if (k->handle[i] == MPI_REQUEST_NULL || (only >= 0 ? i == only : !later)) continue;
        k->index[i] = PFC__HIDDEN;
        k->request[i] = MPI_REQUEST_NULL;
        hidden++;
    }
    return hidden;
}

/* And shows it again. */
static PFC__COLD void pfc__held_show(pfc__completion_t *k)
{
    int i;
    for (i = 0; i < k->n; i++)
        if (k->index[i] == PFC__HIDDEN) k->request[i] = k->handle[i];
}

/* As long as the library would have taken to find nothing complete. */
static PFC__COLD void pfc__held_polled(void)
{
    int there;
    if (!PFC__ONE_PROGRAM) PMPI_Iprobe(pfc__mpi.rank, PFC__APART_TAG, pfc__mpi.comm, &there, MPI_STATUS_IGNORE);
}

/* MPI ignores inactive requests, and the library says that they are complete. */
static PFC__COLD void pfc__held_ignore_inactive(pfc__completion_t *k)
{
    int i;
    for (i = 0; i < k->n; i++) {
        const pfc__request_t *r = pfc__request_then(k->handle[i], k->kept);
        if (r && !r->active) k->handle[i] = MPI_REQUEST_NULL;
    }
}

/* What wasn't hidden is inactive, says the library: we have no records of receives from MPI_PROC_NULL. */
static PFC__COLD void pfc__held_ignore_shown(pfc__completion_t *k)
{
    int i;
    for (i = 0; i < k->n; i++)
        if (k->index[i] != PFC__HIDDEN) k->handle[i] = MPI_REQUEST_NULL;
    pfc__bound.may_leave = INT64_MAX;
}

/* For a call that completes some of its requests: hides those that wouldn't be complete when it began, or, where it waits, but for
   the one that would be first. Returns how many. */
static PFC__COLD int pfc__held_pick(pfc__completion_t *k, int waits)
{
    pfc__call_t *c = k->call;
    int seen = pfc__bound.fresh;
    pfc__i64 since = 0; /* tick: there has been something to decide */
    pfc__held_ignore_inactive(k);
    if (!waits) pfc__bound_polls(c->begin.lt);
    for (;;) {
        pfc__sight_t s;
        int any, late = pfc__hold_is_late(since);
        if (waits || !pfc__bound.fresh) pfc__held_progress();
        s = pfc__held_see(k, waits);
        any = s.due || s.ready;
        if (!since && (any || !waits || s.there)) since = pfc__clock();
        if (any || !waits) pfc__bound_polls(c->begin.lt);
        pfc__bound.vain = !waits;
        if (!s.active || (!s.receives && (!waits || s.ready || !pfc__held_open))) {
            if (pfc__held_open) pfc__bound.fresh = 0; /* nothing here will ask again what has come, and others may wait for that */
            return 0;
        }
        if (any || !waits) {
            if (!s.unknown || (late && (s.complete || !waits))) {
                if (s.unknown) pfc__hold_cut();
                if (s.due || !waits) pfc__hold_ends(c, c->begin.ct, s.met);
                if (!waits) pfc__held_polled();
                return pfc__held_hide(k, -1);
            }
        } else if (s.first >= 0 && s.there) {
            int decided = !s.unknown && !pfc__bound_misses(s.arrival.lt, -1, -1);
            if (decided || late) {
                if (!decided) pfc__hold_cut();
                pfc__hold_ends(c, s.arrival.ct, !s.ours);
                return pfc__held_hide(k, s.first);
            }
        }
        if (waits || !seen) pfc__hold_wait(1);
        pfc__bound.fresh = seen = 0;
    }
}

/* For a call that only looks at one. */
static PFC__COLD int pfc__held_hides(pfc__call_t *c, MPI_Request request)
{
    pfc__completion_t k;
    pfc__completion_open(&k, c, 1, &request);
    return pfc__held_pick(&k, 0);
}
