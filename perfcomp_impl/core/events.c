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
    e->communicator = 0;
    e->source = e->rank = 0;
    return e;
}

/* The next one is written over an old one: not before it can be seen that there is one more. x86 keeps the order of stores. */
#if defined __aarch64__
#  define PFC__STORES_FENCE() __asm__ __volatile__("dmb ishst" ::: "memory")
#else
#  define PFC__STORES_FENCE() PFC__SIGNAL_FENCE()
#endif

static PFC__QUIET void pfc__event_done(const pfc__thread_t *t)
{
    __atomic_store_n(t->ring->written, *t->ring->written + 1, __ATOMIC_RELEASE);
    PFC__STORES_FENCE();
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

void pfc__event_received(const pfc__came_t *came)
{
    pfc__event_t *e = pfc__event_message(PFC__EVENT_RECEIVED, came->sent, came->sender);
    e->tag = came->tag;
    e->bytes = (pfc__u64)came->bytes;
    e->communicator = came->communicator;
    e->source = came->source;
    e->rank = came->rank;
    pfc__event_done(pfc__self);
}

/* So many events ago; NULL: so many there aren't. */
static PFC__QUIET pfc__event_t *pfc__event_ago(const pfc__ring_t *ring, pfc__u64 events)
{
    return events <= *ring->written && events <= ring->mask ? &ring->event[(*ring->written - events) & ring->mask] : 0;
}

/* Else a program that polls would fill its ring in no time. Where the last call was of the row, too, its end and our begin are taken back. */
void pfc__event_in_vain(void)
{
    const pfc__ring_t *ring = pfc__self->ring;
    pfc__event_t *begin = pfc__event_ago(ring, 1), *end = pfc__event_ago(ring, 2), *first = pfc__event_ago(ring, 3);
    if (!begin || begin->kind != PFC__EVENT_ENTER || begin->region != pfc__self->top->node->region) return; /* a handler has come */
    begin->tag = 1;
    if (!first || end->kind != PFC__EVENT_EXIT || first->kind != PFC__EVENT_ENTER || first->region != begin->region || !first->tag) return;
    first->tag++;
    __atomic_store_n(ring->written, *ring->written - 2, __ATOMIC_RELEASE);
}

void pfc__event_collective(const pfc__meets_t *m)
{
    pfc__event_t *e = pfc__event_message(PFC__EVENT_COLLECTIVE, m->communicator, m->root);
    e->region = m->region;
    e->tag = m->rank;
    e->bytes = (pfc__u64)m->bytes;
    pfc__event_done(pfc__self);
}

static pfc__u64 pfc__nonblocking; /* collectives that go on beside the program, so far */

static PFC__QUIET void pfc__event_numbered(pfc__u32 kind, pfc__i64 number)
{
    pfc__event_message(kind, number, 0);
    pfc__event_done(pfc__self);
}

pfc__i64 pfc__event_started(void)
{
    pfc__i64 number = (pfc__i64)__atomic_add_fetch(&pfc__nonblocking, 1, __ATOMIC_RELAXED);
    pfc__event_numbered(PFC__EVENT_STARTED, number);
    return number;
}

void pfc__event_completed(pfc__i64 number) { pfc__event_numbered(PFC__EVENT_COMPLETED, number); }
