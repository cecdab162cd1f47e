/* -------------------------------------------------------- budget (impl) ---
   PERFCOMP_BUDGET: a path whose probes take too large a share of the time is
   timed by sampling. Entries stay counted; the distances between timed entries
   are random, so that no rhythm of the program makes the estimate biased. */

/* Without the lock: a signal handler may set it, in the middle of what we do; and other threads, at any time. */
void pfc_budget(double share)
{
    pfc__i64 since;
    if (!(share >= 0 && share < 1) || pfc__is_off()) return; /* NaN neither */
    pfc_start(0, 0);
    since = pfc__clock();
    pfc__stray_look();
    if (pfc__arena.base) __atomic_store(&PFC__HEADER->budget, &share, __ATOMIC_RELAXED);
    pfc__charge_slow(since);
}

/* 0: none. */
static PFC__QUIET double pfc__budget(void)
{
    double share;
    __atomic_load(&PFC__HEADER->budget, &share, __ATOMIC_RELAXED);
    return share;
}

static PFC__QUIET pfc__sample_t *pfc__sample_of(const pfc__node_t *n)
{
    return (pfc__sample_t *)(void *)(pfc__arena.base + 64 * (size_t)n->sample);
}

static PFC__QUIET pfc__u32 pfc__next_distance(pfc__sample_t *s)
{
    s->random ^= s->random << 13; /* Marsaglia, Xorshift RNGs, 2003 */
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (pfc__u32)(1 + ((s->random >> 32) * (2 * s->stride - 1) >> 32)); /* uniform, mean `stride` */
}

static PFC__QUIET int pfc__sample_new(const pfc__thread_t *t, pfc__node_t *n)
{
    pfc__extent_t *e;
    pfc__sample_t *s;
    if (pfc__busy) return 0;
    pfc__lists_enter();
    e = pfc__extent_new(PFC__SAMPLES, sizeof *s, 1, t->id, 0);
    pfc__lists_leave();
    if (!e) return 0;
    s = (pfc__sample_t *)pfc__extent_data(e);
    s->node = n->id;
    s->stride = 1;
    s->random = 0x9E3779B97F4A7C15u * (n->id + 1u) + (pfc__u64)t->id;
    pfc__extent_holds(e, 1);
    n->sample = (pfc__u32)(pfc__offset(s) / 64);
    return 1;
}

/* A sampled entry takes some pairs' time, an untimed one a quarter of a pair's: a smaller distance would cost more than
   timing all; beyond the largest it is the untimed entries that cost, and few timed ones tell little. */
#define PFC__LEAST_STRIDE 16.0
#define PFC__MOST_STRIDE 64.0

/* By how much timing is too dear: of a path, which may take a quarter of the budget, or of all together. The path's
   entries are also those of threads that have used this record before. */
static PFC__QUIET double pfc__over_budget(const pfc__thread_t *t, const pfc__node_t *n, double elapsed, double budget)
{
    double pair = pfc__compensates ? (double)(t->enter + t->exit) / (1 << PFC__FRACTION) : pfc__cost.empty_pair;
    double most = (elapsed + (double)t->earlier) * budget;
    double own = (double)(n->timed + n->untimed) * pair / (most / 4);
    double all = (double)(t->own + t->delta) / (1 << PFC__FRACTION) / most; /* Δ alone is its maker's, too */
    return own > all ? own : all;
}

static PFC__QUIET void pfc__budget_apply(pfc__thread_t *t, pfc__node_t *n, pfc__i64 elapsed, double budget)
{
    double stride = pfc__over_budget(t, n, (double)elapsed, budget);
    if (stride < 2 || (!n->sample && !pfc__sample_new(t, n))) return;
    stride = stride < PFC__LEAST_STRIDE ? PFC__LEAST_STRIDE : stride > PFC__MOST_STRIDE ? PFC__MOST_STRIDE : stride;
    pfc__sample_of(n)->stride = (pfc__u64)stride;
}

static PFC__QUIET void pfc__sample_add(const pfc__thread_t *t, const pfc__frame_t *f, pfc__i64 exclusive)
{
    pfc__sample_t *s = pfc__sample_of(f->node);
    pfc__i64 delta = t->delta + t->exit_pre - f->delta - f->child_delta;
    double local = (double)exclusive - (double)delta / (1 << PFC__FRACTION);
    s->timed += 1 + s->inside;
    s->inside = 0;
    s->sum += local;
    s->sum_squares += local * local;
}

#define PFC__BUDGET_REVIEW 4096 /* after so many timed entries: a multiple of PFC__REVIEW, and a power of two */

/* From pfc__frame_end_slowly: every PFC__BUDGET_REVIEW-th entry of a path, and every one of a sampled path that was due. */
static PFC__QUIET void pfc__node_review(pfc__thread_t *t, pfc__frame_t *f, pfc__i64 now, int sampled)
{
    pfc__node_t *n = f->node;
    pfc__sample_t *s = n->sample ? pfc__sample_of(n) : 0;
    double budget = pfc__budget();
    if (budget > 0 && t->bottom->begin < now && (!s || (s->timed & 63) == 0))
        pfc__budget_apply(t, n, now - t->bottom->begin, budget);
    if (sampled) pfc__sample_add(t, f, now - f->begin - f->child);
    if (sampled) n->due_in = pfc__next_distance(pfc__sample_of(n));
    else if (n->sample && !n->due_in) n->due_in = 1 + pfc__next_distance(pfc__sample_of(n)); /* entries around this one may be open: none is due */
}
