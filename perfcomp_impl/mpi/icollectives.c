/* --------------------------------------------- icollectives (MPI impl) ---
   Nonblocking and persistent collectives: the exchange is started with the call,
   travels beside it, and is used at its completion (R11). */

enum { PFC__EXCHANGE_PATIENCE = 1000000 }; /* ns */

/* Begins the exchange, or initialises it: by the library's calls, which end with the arguments given last. */
#define PFC__EXCHANGE_BEGUN(name, allreduce, bcast, reduce, exscan, neighbor_allgather, ...) \
    static PFC__QUIET void name(pfc__request_t *r, int root, MPI_Comm comm) \
    { \
        void *mine = &r->mine, *latest = &r->latest; \
        pfc__room_t room; \
        r->latest = pfc__latest_none(); \
        switch (r->rule) { \
        case PFC__RULE_ALL: allreduce(mine, latest, PFC__LATEST_AS, MPI_MAX, comm, __VA_ARGS__); break; \
        case PFC__RULE_FROM_ROOT: bcast(mine, PFC__LATEST_AS, root, comm, __VA_ARGS__); break; \
        case PFC__RULE_TO_ROOT: reduce(mine, latest, PFC__LATEST_AS, MPI_MAX, root, comm, __VA_ARGS__); break; \
        case PFC__RULE_PREFIX: exscan(mine, latest, PFC__LATEST_AS, MPI_MAX, comm, __VA_ARGS__); break; \
        case PFC__RULE_NEIGHBOUR: \
            r->neighbours = pfc__neighbours_of(comm).in; \
            room = pfc__room_for(r->neighbours, &r->latest); \
            if (room.from != &r->latest) r->from = room.from; \
            else r->depends = 0; \
            neighbor_allgather(mine, PFC__LATEST_AS, room.from, room.count, room.type, comm, __VA_ARGS__); \
            break; \
        default: break; \
        } \
    }

PFC__EXCHANGE_BEGUN(pfc__exchange_start, PMPI_Iallreduce, PMPI_Ibcast, PMPI_Ireduce, PMPI_Iexscan, PMPI_Ineighbor_allgather,
                    &r->exchange)

static PFC__QUIET void pfc__exchange_wait(pfc__request_t *r)
{
    if (r->exchanging) PMPI_Wait(&r->exchange, MPI_STATUS_IGNORE);
    r->exchanging = 0;
}

/* Who may hand on to this rank: see handed_on. Without memory nobody tells, and what was waited for them is in doubt. */
static PFC__QUIET void pfc__circle_of(pfc__request_t *r, const pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__steps_t s;
    int distance, from;
    if (!pfc__request_is_handed_on(r) || !k->number || !pfc__away_counts()) return;
    if (!r->circle && !(r->circle = (pfc__partner_t **)malloc(PFC__CIRCLE * sizeof *r->circle))) return;
    s = pfc__steps_for(c, k->comm, k->known);
    s.hypercube = 0;
    for (distance = 1; distance < s.size; distance *= 2)
        for (from = 0; from < 2; from++) {
            pfc__partner_t *p = pfc__partner_of(pfc__step_rank(&s, distance, from));
            if (p && (!from || 2 * distance != s.size)) r->circle[r->circled++] = p;
        }
    r->circle_whole = s.size <= PFC__CIRCLE_WHOLE && r->circled >= s.size - 1;
}

/* Whether this rank would have to wait for it now. */
static PFC__QUIET int pfc__is_collecting(pfc__request_t *r)
{
    int done = 1;
    if (r->depends && r->exchanging) PMPI_Test(&r->exchange, &done, MPI_STATUS_IGNORE), r->exchanging = !done;
    return !done;
}

/* Some ranks may have no part in the call for this one, or hand on the moments of others only, and not have come yet: they may even
   wait for this rank to answer. So a call that only asks, or takes what is there, gives the exchange some time. */
static PFC__QUIET int pfc__may_collect(pfc__request_t *r)
{
    if (!r->depends || !r->exchanging || (r->rule == PFC__RULE_ALL && !r->may_part) || PFC__ONE_PROGRAM) return 1;
    if (pfc__patient_until(&r->exchange, PFC__EXCHANGE_PATIENCE)) r->exchanging = 0;
    return !r->exchanging;
}

/* The exchange was started by every rank that the call needed: it ends. One
   that only gives to others doesn't wait for it. */
static PFC__QUIET pfc__latest_t pfc__collected(pfc__request_t *r)
{
    pfc__latest_t result;
    int i;
    if (!r->depends) return pfc__latest_none();
    pfc__exchange_wait(r);
    result = r->rule == PFC__RULE_FROM_ROOT ? r->mine : r->latest;
    for (i = 0; r->from && i < r->neighbours; i++) result = pfc__latest_merge(result, r->from[i]);
    return result;
}

/* Of all-to-all: the clocks show by how long data travelled from the rank that was the last, by as many steps as the library takes.
   Where another would have been the last, its data come by more steps, or by fewer; where it would have been this one, the others'
   are there, as far as they travel by themselves: long ones, and a file's, move once all have come. Nor is what was asked for
   `in_vain` then: that waits for ranks to be inside of MPI. */
static PFC__QUIET pfc__moment_t pfc__collecting_arrival(pfc__request_t *r, pfc__moment_t arrival, int in_vain)
{
    pfc__names_t last;
    pfc__i64 travel;
    if (r->rule != PFC__RULE_ALL) return arrival;
    last = pfc__collected(r).last;
    if (!pfc__another_is_last(last)) return arrival;
    travel = (31 - __builtin_clz((unsigned)pfc__mpi.size)) * pfc__travel(r->bytes, (pfc__u32)PFC__ANY_PEER).ns;
    arrival.u += travel;
    if (!in_vain && !r->in_turn && !pfc__send_waits(r->bytes, 0) && pfc__is_own((pfc__u32)pfc__signer(last.lt)))
        arrival.lt -= pfc__max(0, pfc__min(arrival.lt - r->begin.lt, travel));
    return arrival;
}

/* What completion must know; NULL: nothing. Where there is no memory to keep it, it is in `alone`, if given. */
static PFC__QUIET pfc__request_t *pfc__collecting(pfc__call_t *c, const pfc__collective_t *k, int error, pfc__request_t *alone)
{
    int exchanges = k->exchanges && !error;
    pfc__request_t *r = exchanges ? pfc__request_new(PFC__COLLECTING) : 0;
    if (exchanges && !r && alone) {
        r = alone;
        memset(r, 0, sizeof *r);
        pfc__request_reset(r, PFC__COLLECTING);
        pfc__collectives_say();
    }
    if (r) {
        r->bytes = c->bytes;
        r->in = k->comm;
        r->rule = (int)k->rule;
        r->span = 0;
        r->wait_kind = c->wait_kind;
        r->depends = pfc__depends_on_others(k->rule, k->root, k->comm);
        r->may_part = pfc__may_part(c, k);
        __atomic_store_n(&pfc__requests_collect, 1, __ATOMIC_RELAXED);
        r->in_turn = k->in_turn;
        if (r->in_turn) __atomic_store_n(&pfc__requests_in_turn, 1, __ATOMIC_RELAXED);
        r->making.comm = MPI_COMM_NULL;
        r->making.record = 0;
        r->making.agreement = MPI_REQUEST_NULL;
    }
    c->wait_kind = PFC__NO_WAIT;
    return r;
}

/* Begins the exchange; NULL: there is none. */
static PFC__QUIET pfc__request_t *pfc__exchange_begin(pfc__call_t *c, const pfc__collective_t *k, int error, pfc__request_t *alone)
{
    pfc__request_t *r = pfc__collecting(c, k, error, alone);
    if (!r) return 0;
    pfc__request_stamp(r, c);
    r->mine = pfc__contribution(k->rule, r->depends, c->begin);
    pfc__circle_of(r, c, k);
    pfc__circle_turn(r, 1);
    if (pfc__collective_is_traced(k)) r->traced = pfc__event_started();
    pfc__exchange_start(r, k->root, k->comm);
    r->exchanging = r->exchange != MPI_REQUEST_NULL;
    return r;
}

/* The call was complete at once, as where there are no data: this rank has waited for nobody. Its request has the handle of all such,
   in other communicators, too, and nobody could tell which one's exchange is to be waited for: those who haven't begun theirs may
   wait for this rank. */
static PFC__COLD void pfc__exchange_unkept(pfc__request_t *r)
{
    pfc__request_deliver(r, 0, 0);
    pfc__request_traced(r);
    pfc__request_done(r);
}

/* Nothing keeps `alone`: all that can be done is to be there until the others have begun the exchange. */
static PFC__QUIET void pfc__exchange_keep(pfc__request_t *r, const pfc__request_t *alone, const MPI_Request *request)
{
    if (r != alone && *request == pfc__mpi.at_once) {
        pfc__exchange_unkept(r);
        return;
    }
    if (r != alone) {
        pfc__request_keep(r, *request);
        return;
    }
    pfc__exchange_wait(r);
    if (r->making.agreement != MPI_REQUEST_NULL) PMPI_Wait(&r->making.agreement, MPI_STATUS_IGNORE);
    free(r->from);
    pfc__circle_turn(r, 0);
    free(r->circle);
}

static PFC__QUIET void pfc__icollective_end(pfc__call_t *c, pfc__collective_t *k, int error, const MPI_Request *request)
{
    pfc__request_t alone, *r;
    pfc__call_end(c);
    r = pfc__exchange_begin(c, k, error, &alone);
    if (r) pfc__exchange_keep(r, &alone, request);
}

#ifndef PERFCOMP_SMPI
/* Comm_idup: what goes beside it begins before it (pfc__making_t tells why). */
typedef struct pfc__idup { pfc__request_t alone, *r; } pfc__idup_t;

static PFC__QUIET void pfc__idup_begin(pfc__idup_t *d, pfc__call_t *c, pfc__collective_t *k, MPI_Comm comm)
{
    pfc__i64 tick;
    pfc__collective_begin(c, k, PFC__RULE_ALL, 0, comm);
    tick = pfc__clock();
    d->r = pfc__exchange_begin(c, k, 0, &d->alone);
    if (d->r) pfc__comm_making(&d->r->making, comm, k->known, d->r != &d->alone);
    c->begin = pfc__moment_at(pfc__charge_since(tick));
}

/* Libraries give the new handle at once. Where the call fails, the record stays as long as the exchange may need it. */
static PFC__QUIET void pfc__idup_end(pfc__idup_t *d, pfc__call_t *c, MPI_Comm of, int error, const MPI_Comm *made,
                                     const MPI_Request *request)
{
    pfc__call_end(c);
    if (d->r) pfc__comm_begun(&d->r->making, error ? MPI_COMM_NULL : *made);
    else if (!error) pfc__comm_carries_none(*made, of);
    if (d->r && (!error || d->r == &d->alone)) pfc__exchange_keep(d->r, &d->alone, request);
}
#endif

#if PFC__MPI_4
PFC__EXCHANGE_BEGUN(pfc__exchange_init, PMPI_Allreduce_init, PMPI_Bcast_init, PMPI_Reduce_init, PMPI_Exscan_init,
                    PMPI_Neighbor_allgather_init, MPI_INFO_NULL, &r->exchange)

/* Without memory the trace hasn't its starts. */
static PFC__COLD pfc__meets_t *pfc__collective_to_tell(const pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__meets_t *m = (pfc__meets_t *)malloc(sizeof *m);
    if (m) *m = pfc__collective_meets(c, k);
    return m;
}

/* The exchange is a persistent collective like the call's own, so that they are matched alike: by their initialisation. */
static PFC__QUIET void pfc__collective_init_end(pfc__call_t *c, pfc__collective_t *k, int error, MPI_Request *request)
{
    pfc__request_t *r;
    pfc__call_end(c);
    r = pfc__collecting(c, k, error, 0);
    if (r && pfc__collective_is_traced(k)) r->meets = pfc__collective_to_tell(c, k);
    c->bytes = 0; /* nothing was sent yet */
    if (!r) return;
    r->persistent = 1;
    pfc__circle_of(r, c, k);
    pfc__exchange_init(r, k->root, k->comm);
    pfc__request_keep(r, *request);
}
#endif

static PFC__COLD void pfc__start_traced(pfc__request_t *r)
{
    pfc__event_collective(r->meets);
    r->traced = pfc__event_started();
}

/* The library has started a persistent one. */
static PFC__QUIET void pfc__collective_started(pfc__request_t *r)
{
    if (PFC__UNLIKELY(r->meets != 0) && pfc__is_traced()) pfc__start_traced(r);
    if (r->exchange == MPI_REQUEST_NULL) return;
    pfc__exchange_wait(r); /* of the last start, where this rank didn't need it */
    r->exchanging = 1;
    pfc__circle_turn(r, 1);
    r->latest = pfc__latest_none();
    r->mine = pfc__contribution((enum pfc__mpi_rule)r->rule, r->depends, r->begin);
    PMPI_Start(&r->exchange);
}
