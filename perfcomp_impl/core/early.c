/* --------------------------------------------------------- early (impl) ---
   Processors execute ahead. When an enter or an exit reads the clock, what
   stands before it may still wait for memory: what a region waits for at its end
   is then seen in its caller, and what that waits for in the region which it
   enters. To read the clock in order takes half of a probe more
   (tests/bench/functions). So it is done behind the usual reading of one entry
   in many, and the path's sample keeps by how much the usual one came too early.
   The reader moves the time (model_early.c). */

#define PFC__EARLY_EVERY 1024  /* of so many timed entries, an exit is looked at; of enters, those with which a window ends */
#define PFC__EARLY_MOST 2000.0 /* ns: whatever took longer wasn't memory */

static PFC__QUIET pfc__sample_t *pfc__sample_of(const pfc__node_t *n)
{
    return (pfc__sample_t *)(void *)(pfc__arena.base + 64 * (size_t)n->sample);
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
    s->random = 0x9E3779B97F4A7C15u * (n->id + 1u) + (pfc__u64)t->id;
    pfc__extent_holds(e, 1);
    n->sample = (pfc__u32)(pfc__offset(s) / 64);
    return 1;
}

/* The clock was read at `now`, and in order at `done`. With nothing to wait for, that takes some time by itself: as long as now. */
static PFC__QUIET void pfc__early_add(pfc__early_t *early, pfc__i64 now, pfc__i64 done)
{
    pfc__i64 again = pfc__clock(), nothing = pfc__clock_in_order() - again;
    double ticks = (double)(done - now - nothing);
    if (!(fabs(ticks) < PFC__EARLY_MOST * pfc__ticks_per_ns())) return;
    early->n++;
    early->sum += ticks;
    early->sum_squares += ticks * ticks;
}

/* An exit at `now`: from pfc__frame_end_slowly, before all else. */
static PFC__QUIET void pfc__early_at_end(const pfc__thread_t *t, pfc__node_t *n, pfc__i64 now)
{
    pfc__i64 done;
    if ((n->timed & (PFC__EARLY_EVERY - 1)) != 0 || !pfc__clock_is_early()) return;
    done = pfc__clock_in_order();
    if (n->sample) pfc__early_add(&pfc__sample_of(n)->at_end, now, done);
    else if (pfc__sample_new(t, n)) pfc__charge_slow(done);
}

/* An enter, with which a window ends. */
static PFC__QUIET void pfc__early_at_begin(const pfc__node_t *n)
{
    pfc__i64 now, done;
    if (!n->sample || !pfc__clock_is_early()) return;
    now = pfc__clock();
    done = pfc__clock_in_order();
    pfc__early_add(&pfc__sample_of(n)->at_begin, now, done);
}
