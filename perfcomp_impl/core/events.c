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
    e->sent = 0;
    e->sender = 0;
    e->tag = 0;
    e->bytes = 0;
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
static PFC__QUIET pfc__event_t *pfc__event_message(pfc__u32 kind, pfc__i64 sent, pfc__u32 sender)
{
    const pfc__thread_t *t = pfc__self;
    pfc__event_t *e = pfc__event_next(t, kind, t->top->node->region, pfc__clock() - (t->delta >> PFC__FRACTION));
    e->sent = sent;
    e->sender = sender;
    return e;
}

/* What one call sends (MPI_Startall), all at its begin, differs by a ns each: otherwise receivers' ends would fit any of it. */
pfc__i64 pfc__event_sent(pfc__i64 sent, pfc__u32 sender)
{
    const pfc__ring_t *ring = pfc__self->ring;
    const pfc__event_t *last = &ring->event[(*ring->written - 1) & ring->mask];
    if (*ring->written && last->kind == PFC__EVENT_SENT && last->sent >= sent) sent = last->sent + 1;
    pfc__event_message(PFC__EVENT_SENT, sent, sender);
    pfc__event_done(pfc__self);
    return sent;
}

void pfc__event_received(pfc__i64 sent, pfc__u32 sender, int tag, pfc__i64 bytes)
{
    pfc__event_t *e = pfc__event_message(PFC__EVENT_RECEIVED, sent, sender);
    e->tag = tag;
    e->bytes = (pfc__u64)bytes;
    pfc__event_done(pfc__self);
}

void pfc__event_collective(pfc__i64 communicator, pfc__u32 root, int rank, pfc__i64 bytes)
{
    pfc__event_t *e = pfc__event_message(PFC__EVENT_COLLECTIVE, communicator, root);
    e->tag = rank;
    e->bytes = (pfc__u64)bytes;
    pfc__event_done(pfc__self);
}
