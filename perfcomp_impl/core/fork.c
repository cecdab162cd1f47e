/* ---------------------------------------------------------- fork (impl) ---
   The child gets a profile of its own, which starts from zero. What it must
   start from is copied before the fork: afterwards the parent goes on writing
   into the pages that both see. The units' tables, most of a large program's
   profile, never change: these the child may read there. */

static sigset_t pfc__fork_held; /* of the thread that forks, as the next one */
static unsigned char *pfc__fork_copy; /* as the arena, without the units' tables and the counters, which begin at zero */
static size_t pfc__fork_bytes;

static PFC__QUIET void pfc__fork_copy_extents(unsigned char *to, int tables)
{
    size_t at;
    for (at = PFC__PAGE; at < pfc__arena.used; at = pfc__extent_after(at)) {
        const pfc__extent_t *e = pfc__extent_at(at);
        if ((e->kind == PFC__UNIT) == tables) memcpy(to + at, e, e->kind == PFC__COUNTERS ? sizeof *e : (size_t)e->bytes);
    }
}

/* How many there are; and where to, if they are wanted. */
static PFC__QUIET pfc__u32 pfc__fork_tallies(const pfc__mapped_t *m, pfc__tally_t *to)
{
    const pfc__unit_record_t *u = (const pfc__unit_record_t *)pfc__extent_data(m->tables);
    const pfc__function_t *function = (const pfc__function_t *)(const void *)((const char *)m->tables + u->function_table);
    pfc__block_cursor_t at = pfc__blocks_begin(u, (const unsigned char *)m->tables);
    pfc__block_t b;
    pfc__u32 n = 0;
    while (pfc__block_next(&at, &b)) {
        int is_entry = b.kind == PFC__BLOCK_ENTRY;
        if (b.counter == PFC__NO_COUNTER || !(function[b.function].flags & PFC__MAY_NOT_RETURN)) continue;
        if (!is_entry && b.kind != PFC__BLOCK_EXIT) continue;
        if (to) to[n].function = b.function, to[n].counter = b.counter, to[n].sign = is_entry ? 1 : -1;
        n++;
    }
    return n;
}

/* Once: tables take their time to unpack, and a program that forks may do so often. */
static PFC__QUIET void pfc__fork_tallies_find(pfc__mapped_t *m)
{
    pfc__u32 n = pfc__fork_tallies(m, 0);
    m->tallies_known = 1;
    if (n) m->tally = (pfc__tally_t *)pfc__pages(n * sizeof *m->tally);
    if (m->tally) m->tallies = pfc__fork_tallies(m, m->tally);
}

/* This thread's counters; NULL: it has none. */
static PFC__QUIET const unsigned long long *pfc__fork_counters(const pfc__mapped_t *m)
{
    const pfc__threaded_t *c;
    if (m->array) return m->array;
    for (c = pfc__threaded; c; c = c->next)
        if (c->unit == m->unit && pfc__self && c->thread == pfc__self->id)
            return (const unsigned long long *)pfc__extent_data(c->counters);
    return 0;
}

/* Its activations will go on in the child. */
static PFC__QUIET void pfc__fork_tally(pfc__mapped_t *m)
{
    const unsigned long long *counter;
    pfc__u32 i, first = 0;
    if (!m->tallies_known) pfc__fork_tallies_find(m);
    counter = m->tallies ? pfc__fork_counters(m) : 0;
    for (i = 0; i < m->tallies; i++) {
        pfc__tally_t *t = &m->tally[i];
        if (t->function != m->tally[first].function) first = i;
        t->going_on = 0;
        if (counter) m->tally[first].going_on += (pfc__u64)t->sign * counter[t->counter];
    }
}

static void pfc__fork_prepare(void)
{
    int saved = errno;
    pfc__mapped_t *m;
    pfc__i64 since = pfc__clock();
    pfc__fork_is_amid = pfc__busy;
    if (pfc__fork_is_amid) return;
    since = pfc__hits_charge_due(since); /* the child begins with our Δ */
    pfc__lists_enter();
    if (pfc__fork_state != PFC__NO_FORK) {
        pfc__lists_leave();
        pfc__fork_is_amid = 1;
        errno = saved;
        return;
    }
    pfc__fork_copy = 0;
    if (!pfc__is_off() && pfc__arena.base) {
        pfc__fork_copy = (unsigned char *)pfc__pages(pfc__arena.used);
        if (pfc__fork_copy) {
            memcpy(pfc__fork_copy, pfc__arena.base, PFC__PAGE);
            pfc__fork_copy_extents(pfc__fork_copy, 0);
            for (m = pfc__units; m; m = m->next) pfc__fork_tally(m);
        }
        pfc__charge_slow(since);
        pfc__process_forks();
    }
    pfc__fork_bytes = pfc__arena.used;
    pfc__fork_held = pfc__held;
    pfc__fork_thread = pfc__os_thread();
    pfc__fork_state = PFC__FORK_IS_ON; /* until it is done: so long we are inside */
    pfc__mutex_unlock(&pfc__lock);
    pfc__signals_let_cancel(); /* other handlers come now, and may begin threads */
    errno = saved;
}

static void pfc__fork_parent(void)
{
    int saved = errno;
    sigset_t held;
    pfc__i64 since = pfc__clock();
    if (pfc__fork_is_amid) { pfc__fork_is_amid = 0; return; }
    pfc__mutex_lock(&pfc__lock);
    if (pfc__fork_copy) pfc__sys_munmap(pfc__fork_copy, pfc__fork_bytes), pfc__charge_slow(since);
    held = pfc__fork_held;
    pfc__fork_state = PFC__NO_FORK;
    pfc__mutex_unlock(&pfc__lock);
    pfc__work_ends(&held);
    errno = saved;
}

/* The counters begin at zero, as a new file does. */
static PFC__QUIET int pfc__fork_write(int fd)
{
    pfc__writing_t writing; /* once for all extents: there may be hundreds */
    int error;
    size_t at;
    pfc__writing_begin(&writing);
    ((pfc__header_t *)(void *)pfc__fork_copy)->byte_order = 0; /* see pfc__header_write */
    error = pfc__write_from(fd, pfc__fork_copy, PFC__PAGE, 0);
    for (at = PFC__PAGE; !error && at < pfc__arena.used; at = pfc__extent_after(at)) {
        const pfc__extent_t *e = pfc__extent_at(at);
        error = pfc__write_from(fd, (e->kind == PFC__UNIT ? pfc__arena.base : pfc__fork_copy) + at,
                                e->kind == PFC__COUNTERS ? sizeof *e : (size_t)e->bytes, at);
    }
    pfc__writing_end(&writing);
    return error;
}

/* The parent's profile counts them, and the first one is to say so: a program may fork thousands. The error then, otherwise 0. */
static PFC__QUIET int pfc__fork_unsaved(int error)
{
    return __atomic_fetch_add(&PFC__HEADER->unsaved, PFC__STEP, __ATOMIC_RELAXED) ? 0 : error;
}

/* Away from the parent's pages: the same addresses, other memory. -1: there is none, and `refused` may say why the
   profile isn't written to its folder; no word of it before the pages are ours. */
static PFC__QUIET int pfc__fork_file(int *refused)
{
    int fd, error = 0;
    pfc__arena_forget();
    if (pfc__arena.path[0] && (error = pfc__file_take((int)PFC__HEADER->rank, 1)) != 0) *refused = pfc__fork_unsaved(error);
    if (!pfc__arena.path[0] || error) pfc__arena_in_memory();
    if (pfc__arena.plain || (fd = pfc__arena_open()) < 0) return -1;
    error = pfc__allocate(fd, 0, pfc__arena.backed);
    if (!error) error = pfc__fork_write(fd);
    if (!error && pfc__sys_mmap(pfc__arena.base, pfc__arena.backed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
        error = errno;
    if (!error) return fd;
    if (pfc__arena.path[0]) *refused = pfc__fork_unsaved(error);
    pfc__arena_close(fd);
    pfc__arena_forget();
    pfc__profile_remove();
    return -1;
}

/* No file, no anonymous file: private memory. */
static PFC__QUIET void pfc__fork_private(void)
{
    pfc__fork_copy_extents(pfc__fork_copy, 1);
    pfc__pages_over(pfc__arena.base, pfc__arena.backed);
    memcpy(pfc__arena.base, pfc__fork_copy, pfc__arena.used);
    pfc__arena.plain = 1;
    pfc__arena.path[0] = 0;
}

static PFC__QUIET void pfc__fork_goes_on(pfc__mapped_t *m, pfc__u32 function, pfc__u64 activations)
{
    if (!m->inherited) {
        const pfc__unit_record_t *u = (const pfc__unit_record_t *)pfc__extent_data(m->tables);
        pfc__extent_t *e = pfc__extent_new(PFC__INHERITED, sizeof *m->inherited, u->functions, m->id, 0);
        if (!e) return;
        e->count = u->functions;
        m->inherited = (pfc__u64 *)pfc__extent_data(e);
    }
    m->inherited[function] += activations;
}

/* Activations that go on in the child, but were entered before: flow that comes from the middle of a function. */
static PFC__QUIET void pfc__fork_inherit(pfc__mapped_t *m)
{
    pfc__u32 i;
    for (i = 0; i < m->tallies; i++)
        if (m->tally[i].going_on) pfc__fork_goes_on(m, m->tally[i].function, m->tally[i].going_on);
}

static PFC__QUIET void pfc__fork_units(int fd)
{
    pfc__mapped_t *m;
    for (m = pfc__units; m; m = m->next) {
        if (!m->array) continue;
        if (m->aliased && fd < 0) pfc__pages_over(m->array, m->array_bytes);
        m->aliased = 0;
        if (fd >= 0) pfc__array_alias(m);
        if (!m->aliased) memset(m->array, 0, m->array_bytes);
    }
}

static PFC__QUIET void pfc__node_clear(pfc__node_t *n)
{
    n->timed = n->untimed = n->nested = 0;
    n->exclusive = n->exclusive_delta = 0;
    n->shortest = INT64_MAX;
    n->longest = INT64_MIN;
}

/* What comes now, the start, lies in the innermost region that has a time: by a tick it is told from those around it. */
static PFC__QUIET void pfc__thread_clear(pfc__thread_t *t, pfc__i64 now)
{
    pfc__frame_t *f;
    int outer = 0;
    t->tick_begin = t->tick_end = now;
    t->own = t->delta = t->looked = t->hits_charged = 0;
    t->earlier = t->waited = t->slept = 0;
    t->waits_since = now;
    t->child = 0;
    t->met_delta = t->met_doubt = t->met_hits = t->met_change = t->met_gain = t->met_most = 0;
    t->hits_own = t->hits_shared = 0;
    t->unwound = t->stray_ends = t->unclosed = 0;
    t->first_unwound = t->first_stray_end = t->first_unclosed = 0;
    t->generations = 1;
    t->os_id = pfc__os_thread();
    for (f = t->top; f >= t->bottom; f--) {
        if (PFC__HAS_TIME(f->begin)) f->begin = now - outer, outer = 1;
        f->delta = f->child = f->child_delta = 0;
    }
}

/* Of the threads only the one that forked is there: the others' records are the parent's. */
static PFC__QUIET void pfc__extent_clear(pfc__extent_t *e, pfc__i64 now)
{
    unsigned char *data = (unsigned char *)pfc__extent_data(e);
    pfc__u64 i;
    switch (e->kind) {
    case PFC__NODES:
        for (i = 0; i < e->count; i++) pfc__node_clear((pfc__node_t *)(void *)data + i);
        break;
    case PFC__SAMPLES:
        memset(data, 0, offsetof(pfc__sample_t, stride));
        ((pfc__sample_t *)(void *)data)->inside = 0;
        break;
    case PFC__THREADS:
        if ((pfc__thread_t *)(void *)data == pfc__self) pfc__thread_clear(pfc__self, now);
        else e->kind = PFC__FREE;
        break;
    case PFC__COUNTERS:
        if (pfc__arena.plain) memset(data, 0, (size_t)e->capacity * 8);
        break;
    case PFC__EVENTS: e->count = 0; break;
    case PFC__META: case PFC__NOTES: case PFC__MPI: e->kind = PFC__FREE; break;
    default: break;
    }
}

static PFC__QUIET void pfc__fork_header(int had_threads)
{
    pfc__header_t *h = PFC__HEADER;
    pfc__u32 rank = h->rank, size = h->size;
    pfc__i64 parent = h->pid; /* it may be gone already */
    h->lost_regions = h->lost_nodes = h->lost_units = h->lost_threads = h->left = h->strayed = h->unsaved = 0;
    h->start_ticks = 0; /* the parent's; its own is what comes now */
    if (h->fork_child < 2) h->fork_child = had_threads ? 2 : 1;
    pfc__header_write();
    h->rank = rank;
    h->size = size;
    h->parent_pid = parent;
    pfc__meta_write();
}

/* What it must start from isn't as it was, or there was no memory for it: not even addresses maybe, of which ours are of no use
   any more. */
static PFC__QUIET void pfc__fork_is_lost(int error)
{
    error = pfc__fork_unsaved(error);
    pfc__arena_shrink();
    pfc__arena_is_parents();
    if (error) pfc__note("a forked process has no profile (%s): it isn't recorded (of more the report tells)",
                         error == EDEADLK ? "another thread couldn't wait until it was there" : strerror(error));
}

static PFC__QUIET void pfc__fork_profile(int is_overtaken)
{
    pfc__i64 now;
    int fd, refused = 0, had_threads = pfc__threads_own() > 1;
    size_t at, end = pfc__arena.used;
    pfc__mapped_t *m;
    pfc__clock_pair(&pfc__clock_tick0, &pfc__clock_ns0);
    now = pfc__clock_tick0; /* its clock begins with its time, as in pfc__profile_start */
    pfc__process_begins();
    if (is_overtaken || !pfc__fork_copy) { pfc__fork_is_lost(is_overtaken ? EDEADLK : ENOMEM); return; }
    fd = pfc__fork_file(&refused);
    if (fd < 0) pfc__fork_private();
    for (m = pfc__units; m; m = m->next) pfc__fork_inherit(m);
    if (pfc__self) pfc__fork_delta += pfc__self->delta >> PFC__FRACTION; /* to that of its own parent */
    pfc__sys_munmap(pfc__fork_copy, end);
    for (at = PFC__PAGE; at < pfc__arena.used; at = pfc__extent_after(at)) pfc__extent_clear(pfc__extent_at(at), now);
    pfc__fork_units(fd);
    pfc__arena_close(fd);
    pfc__threads_ended = pfc__threads_late = 0;
    pfc__windows_fork();
    pfc__first = pfc__self;
    pfc__threads_gone = pfc__threads_count - (pfc__self != 0);
    pfc__fork_header(had_threads);
    if (refused) pfc__note("the profile of a forked process can't be written to %s (%s): it stays in memory, and ends with it (of more the report tells)",
                           pfc__settings.folder, strerror(refused));
    pfc__charge_start(now);
    pfc__process_tells(now, 0);
}

/* Until all is done the process is busy: what is called here may be the program's own, and instrumented. */
static void pfc__fork_child(void)
{
    int saved = errno, is_overtaken = pfc__fork_state == PFC__FORK_OVERTAKEN;
    if (pfc__fork_is_amid) { pfc__stray_leaves(); return; }
    pfc__fork_is_seen();
    if (!pfc__is_off() && pfc__arena.base) pfc__fork_profile(is_overtaken);
    pfc__work_ends(&pfc__fork_held);
    errno = saved;
}

/* glibc forgets the handlers of a program, or library, that it finalises, and does so before our destructor: a fork that was just
   prepared would keep the lock for good, and the profile's end wait for it. Under a handle of our own they stay until that. */
#if defined __GLIBC__
extern __attribute__((weak)) int pfc__atfork(void (*)(void), void (*)(void), void (*)(void), void *) __asm__("__register_atfork");
extern __attribute__((weak)) void pfc__atfork_no_more(void *) __asm__("__cxa_finalize");
static char pfc__fork_handle;
#endif

static PFC__QUIET void pfc__fork_handlers_begin(void)
{
#if defined __GLIBC__
    if (pfc__atfork && pfc__atfork_no_more) {
        pfc__atfork(pfc__fork_prepare, pfc__fork_parent, pfc__fork_child, &pfc__fork_handle);
        return;
    }
#endif
    pthread_atfork(pfc__fork_prepare, pfc__fork_parent, pfc__fork_child);
}

static PFC__QUIET void pfc__fork_handlers_end(void)
{
#if defined __GLIBC__
    if (pfc__atfork && pfc__atfork_no_more) pfc__atfork_no_more(&pfc__fork_handle);
#endif
}
