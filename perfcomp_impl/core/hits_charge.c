/* -------------------------------------------------- hits, charge (impl) ---
   The hits' share of Δ, in time for a communication.

   To sum the counters takes longer than some hits do. So it is done only when
   PFC__HITS_PATIENCE times as long has passed as it takes: it costs below 1 %,
   and what Δ lacks meanwhile is the share of that time's hits, which doesn't
   add up. The reader shares all hits out over the functions that hold them;
   hits_charged keeps it from charging them twice. In virtual time it leaves them
   to what has been charged here, which is exact. What threads' counters are
   found with is left to the reader, who knows how many hits are entries. */

#define PFC__HITS_PATIENCE 100

/* Without those that cost nothing, or have been charged. */
static PFC__QUIET pfc__u64 pfc__hits_of(pfc__extent_t *counters)
{
    const pfc__u64 *counter = (const pfc__u64 *)pfc__extent_data(counters);
    const unsigned char *summed = counters->of.summed ? pfc__arena.base + counters->of.summed : 0;
    pfc__u64 hits = 0, i;
    if (counters->adding & PFC__ADDED_AND_CHARGED) return 0;
    for (i = 0; i < counters->count; i++) hits += summed && summed[i] ? 0 : counter[i];
    return counters->adding & PFC__ADDED_ATOMICALLY ? hits * pfc__atomic_hits : hits;
}

/* Of the process's own arrays. */
static PFC__QUIET pfc__u64 pfc__hits_shared(void)
{
    pfc__u64 sum = 0;
    size_t at;
    for (at = PFC__PAGE; at < pfc__arena.used; at = pfc__extent_after(at)) {
        pfc__extent_t *e = pfc__extent_at(at);
        if (e->kind == PFC__COUNTERS && !e->first) sum += pfc__hits_of(e);
    }
    return sum;
}

/* Of a thread's. All that thousands of others have in the profile isn't looked through for them. */
static PFC__QUIET pfc__u64 pfc__hits_own(const pfc__thread_t *t)
{
    pfc__u64 sum = 0;
    const pfc__threaded_t *c;
    for (c = pfc__threaded; c; c = c->next)
        if (c->thread == t->id) sum += pfc__hits_of(c->counters);
    return sum;
}

/* Since the last time. Which thread has hit the process's own counters nobody knows, once there are several. */
static PFC__QUIET double pfc__hits_new(pfc__thread_t *t)
{
    pfc__u64 own = pfc__hits_own(t), shared = t->hits_shared, hits;
    if (pfc__threads_own() == 1) {
        pfc__units_gather();
        shared = pfc__hits_shared();
    }
    if (t->hits_own == PFC__UNSEEN) t->hits_own = own; /* counted by threads before this one, most of it */
    hits = own - t->hits_own + shared - t->hits_shared;
    t->hits_own = own;
    t->hits_shared = shared;
    return (double)hits;
}

/* In virtual time, where PFC_HIT is an operation like the others. */
void pfc__virtual_hit(void)
{
    pfc__thread_t *t = pfc__thread_get();
    if (!t) return;
    if (pfc__compensates) t->delta += pfc__virtual.hit;
    pfc__virtual_cost(pfc__virtual.hit);
}

#ifdef PERFCOMP_CHARGE

/* Virtual time: they take theirs now, in the region that is open; one that was entered at `begin` begins behind that. */
pfc__i64 pfc__hits_charge(pfc__i64 begin)
{
    pfc__thread_t *t = pfc__self;
    pfc__frame_t *f = t->top;
    pfc__i64 share, delta;
    if (!pfc__virtual.hit) t->hits_due = INT64_MAX;
    if (!pfc__virtual.hit || !PFC__CHARGES() || !pfc__lists_try()) return begin;
    share = pfc__fixed(pfc__cost.hit * pfc__hits_new(t));
    pfc__lists_leave();
    delta = pfc__compensates ? share : 0;
    t->delta += delta;
    pfc__virtual_cost(share);
    if (f == t->bottom || f->begin != begin) return pfc__clock();
    f->delta += delta;
    return f->begin = pfc__clock();
}

#else

/* The function that holds them is charged by the reader: to the regions that are open it is none of theirs. */
static PFC__QUIET void pfc__hits_to_root(pfc__thread_t *t, pfc__i64 share)
{
    pfc__frame_t *f = t->top;
    t->delta += share;
    t->hits_charged += share;
    if (f > t->bottom) {
        f->delta += share;
        f--;
    }
    f->child_delta += share;
}

/* In a trace, time would run backwards: its events have been stamped without the hits before them. */
pfc__i64 pfc__hits_charge(pfc__i64 begin)
{
    pfc__thread_t *t = pfc__self;
    pfc__i64 share, took, patience;
    if (!pfc__compensates || t->ring || pfc__fixed(pfc__context.hit) == 0) {
        t->hits_due = INT64_MAX;
        return begin;
    }
    if (!pfc__lists_try()) return begin;
    share = pfc__fixed(pfc__cost.hit * pfc__hits_new(t));
    pfc__hits_to_root(t, share);
    pfc__lists_leave();
    took = pfc__clock() - begin;
    patience = took < t->hits_took ? took : t->hits_took; /* one of the two may have been interrupted */
    t->hits_took = took;
    t->hits_due = begin + PFC__HITS_PATIENCE * patience;
    return begin;
}

#endif
