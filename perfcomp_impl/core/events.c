/* -------------------------------------------------------- events (impl) ---
   PERFCOMP_TRACE=1: the last events of each thread, in a ring inside the
   profile. The oldest are overwritten; `written` tells how many there were. */

static PFC__QUIET void pfc__event_add(pfc__thread_t *t, pfc__u32 kind, pfc__u32 region, pfc__i64 lt)
{
    pfc__ring_t *ring = t->ring;
    pfc__event_t *e = &ring->event[*ring->written & ring->mask];
    e->lt = lt;
    e->kind = kind;
    e->region = region;
    e->argument[0] = e->argument[1] = 0;
    __atomic_store_n(ring->written, *ring->written + 1, __ATOMIC_RELEASE);
}
