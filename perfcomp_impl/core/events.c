/* -------------------------------------------------------- events (impl) ---
   PERFCOMP_TRACE=1: the last events of each thread, in a ring inside the
   profile. The oldest are overwritten; `written` tells how many there were. */

/* To be filled in; it isn't there before pfc__event_done. */
static PFC__QUIET pfc__event_t *pfc__event_next(const pfc__thread_t *t, pfc__u32 kind, pfc__u32 region, pfc__i64 lt)
{
    pfc__event_t *e = &t->ring->event[*t->ring->written & t->ring->mask];
    e->lt = lt;
    e->kind = kind;
    e->region = region;
    e->argument[0] = e->argument[1] = 0;
    return e;
}

static PFC__QUIET void pfc__event_done(const pfc__thread_t *t)
{
    __atomic_store_n(t->ring->written, *t->ring->written + 1, __ATOMIC_RELEASE);
}

static PFC__QUIET void pfc__event_add(const pfc__thread_t *t, pfc__u32 kind, pfc__u32 region, pfc__i64 lt)
{
    pfc__event_next(t, kind, region, lt);
    pfc__event_done(t);
}

/* Its Δ isn't settled before the call of MPI ends. */
void pfc__event_message(pfc__u32 kind, pfc__i64 sent, pfc__u32 sender)
{
    const pfc__thread_t *t = pfc__self;
    pfc__event_t *e = pfc__event_next(t, kind, t->top->node->region, pfc__clock() - (t->delta >> PFC__FRACTION));
    e->argument[0] = (pfc__u64)sent;
    e->argument[1] = sender;
    pfc__event_done(t);
}
