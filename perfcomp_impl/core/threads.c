/* ------------------------------------------------------- threads (impl) ---
   A thread gets a record, a stack of open regions and a call tree at its first
   operation. When it ends, the next new thread continues its record: a program
   of a million short threads needs as many records as run at once. */

PFC__TLS pfc__thread_t *pfc__self;
PFC__TLS int pfc__lost; /* this thread found no room */
int pfc__off;

static PFC__QUIET void pfc__turn_off(void) { __atomic_store_n(&pfc__off, 1, __ATOMIC_RELAXED); }

static pthread_key_t pfc__thread_key;
static pfc__thread_t *pfc__threads_ended; /* records to continue */
static pfc__u32 pfc__threads_count;
static pfc__u32 pfc__threads_gone; /* of them: a forked process's parent had these */
static pfc__u32 pfc__region_overflow;

/* At once, at most, in this process. */
static PFC__QUIET pfc__u32 pfc__threads_own(void) { return pfc__threads_count - pfc__threads_gone; }

#define PFC__TRACE_LEAST 1024

/* Whether a ring of so many events finds room: 0, or an errno. A quarter of all addresses is left to what isn't a trace, as
   the records of further threads. */
static PFC__QUIET int pfc__ring_lacks(pfc__u64 events)
{
    const size_t bytes = sizeof(pfc__extent_t) + sizeof(pfc__ring_t) + (size_t)events * sizeof(pfc__event_t);
    return pfc__arena.used + bytes > pfc__arena.reserved / 4 * 3 ? ENOMEM : pfc__arena_lacks(bytes);
}

/* So many events fit into a thread's ring. Where it isn't as many as are wanted, as much again is left: regions need room, too.
   Once is said enough: there may be thousands of threads. */
static PFC__QUIET pfc__u64 pfc__ring_fits(pfc__u64 events)
{
    static int said;
    const pfc__u64 wanted = events;
    const int error = pfc__ring_lacks(events);
    int lacks = error;
    for (; lacks && events > PFC__TRACE_LEAST; lacks = pfc__ring_lacks(2 * events)) events /= 2;
    if (error && !said++)
        pfc__note("PERFCOMP_TRACE: for %llu events of this thread there is no room (%s): its last %llu are kept, of further ones "
                  "maybe fewer; make room, or ask for fewer of each thread", (unsigned long long)wanted, strerror(error), (unsigned long long)events);
    return events;
}

static PFC__QUIET void pfc__ring_add(pfc__thread_t *t)
{
    pfc__u64 events = pfc__ring_fits(pfc__settings.trace_events);
    pfc__extent_t *e = pfc__extent_new(PFC__EVENTS, sizeof(pfc__event_t), events, t->id, sizeof(pfc__ring_t));
    pfc__ring_t *ring;
    if (!e) return;
    ring = (pfc__ring_t *)(void *)(e + 1);
    ring->event = (pfc__event_t *)pfc__extent_data(e);
    ring->mask = e->capacity - 1;
    ring->written = &e->count;
    t->ring = ring;
}

static PFC__QUIET pfc__thread_t *pfc__thread_new(void)
{
    pfc__extent_t *e = pfc__extent_new(PFC__THREADS, sizeof(pfc__thread_t), 1, pfc__threads_count, 0);
    pfc__thread_t *t;
    if (!e) return 0;
    t = (pfc__thread_t *)pfc__extent_data(e);
    t->id = pfc__threads_count;
    if (!pfc__stack_grow(t) || !pfc__table_ready(&t->table)) return 0;
    t->root = pfc__node_new(t, 0, 0);
    t->overflow = t->root ? pfc__node_new(t, t->root, pfc__region_overflow) : 0;
    if (!t->overflow) return 0;
    t->overflow->manner = PFC__MANNER_FOLDED;
    t->bottom->node = t->root;
    t->bottom->sp = ~(pfc__uptr)0;
    if (pfc__settings.trace) pfc__ring_add(t);
    pfc__threads_count++;
    t->tick_begin = t->tick_end = PFC__HEADER->tick_begin;
    t->state = PFC__ENDED; /* nobody's yet: readers must not see it run since the clock's beginning */
    pfc__extent_holds(e, 1);
    return t;
}

static PFC__QUIET pfc__i64 pfc__os_thread(void)
{
#if defined SYS_gettid
    return pfc__sys_gettid();
#else
    return pfc__sys_getpid();
#endif
}

/* ---- where a thread's Δ begins

   One that pfc__thread_begins tells begins where it was made. Of others (nothing is wrapped, or a library has made them)
   nobody knows: as a rule the main thread has, so they are as late as that one. At zero, they would be ahead of
   it by all that starting took, and whoever waits for them as well. */

static pfc__thread_t *pfc__first; /* the main thread, once it has a record */

/* Another thread writes them meanwhile. */
static PFC__QUIET __attribute__((no_sanitize("thread"))) void pfc__thread_as_late_as(pfc__thread_t *t, const pfc__thread_t *first)
{
    t->delta = t->met_delta = first->delta;
    t->met_doubt = first->met_doubt;
}

static PFC__QUIET void pfc__thread_guess(pfc__thread_t *t)
{
    t->delta = t->met_delta = t->met_doubt = 0;
    if (!pfc__first || t->os_id == PFC__HEADER->pid) pfc__first = t;
    if (pfc__first != t) pfc__thread_as_late_as(t, pfc__first);
    pfc__begun_delta = t->delta;
    t->own -= t->delta; /* its own share counts from here */
}

/* ---- where a thread's record ends

   At its end its key's destructor settles it. What it does behind the last round of destructors (another key's may set its
   own value again each time; the C library frees by the program's own free) gets a record that nobody would settle. */

static pfc__thread_t *pfc__threads_late; /* records of threads that have settled one already */
PFC__TLS int pfc__leaving; /* this thread's destructors are called; 2: and it has settled a record */

static PFC__QUIET void pfc__thread_counters_leave(const pfc__thread_t *t, int is_there); /* see counters */

static PFC__QUIET void pfc__thread_settle(pfc__thread_t *t, int is_there)
{
    t->root->exclusive += t->tick_end - t->bottom->begin - t->bottom->child;
    t->root->timed++;
    t->earlier += t->tick_end - t->bottom->begin;
    t->own += t->delta;
    if (!pfc__is_off()) pfc__thread_counters_leave(t, is_there); /* else libraries may have gone, and their slots */
    t->state = PFC__ENDED;
    t->next = pfc__threads_ended;
    pfc__threads_ended = t;
}

static PFC__QUIET void pfc__thread_isnt_late(const pfc__thread_t *t)
{
    pfc__thread_t **at = &pfc__threads_late;
    while (*at && *at != t) at = &(*at)->next;
    if (*at) *at = t->next;
}

static PFC__QUIET int pfc__thread_is_gone(const pfc__thread_t *t) { return pfc__sys_kill((pid_t)t->os_id, 0) && errno == ESRCH; }

/* Late records that are outside of all regions, of threads that are gone, or of all. When they last were inside is known. */
static PFC__QUIET __attribute__((no_sanitize("thread"))) void pfc__threads_late_settle(int of_all)
{
    pfc__thread_t *t, *next, *late = pfc__threads_late;
    pfc__threads_late = 0;
    for (t = late; t; t = next) {
        const pfc__i64 last = t->bottom->begin + t->bottom->child;
        next = t->next;
        if (t->top == t->bottom && (of_all || pfc__thread_is_gone(t))) {
            if (t->tick_end < last) t->tick_end = last;
            pfc__thread_settle(t, 0);
        } else {
            t->next = pfc__threads_late;
            pfc__threads_late = t;
        }
    }
}

/* Sets pfc__self. Under the lock. */
static PFC__QUIET pfc__thread_t *pfc__thread_attach(void)
{
    pfc__thread_t *t;
    if (!pfc__threads_ended) pfc__threads_late_settle(0);
    t = pfc__threads_ended;
    if (t) pfc__threads_ended = t->next;
    else if (!(t = pfc__thread_new())) {
        if (!pfc__threads_count) pfc__turn_off();
        PFC__HEADER->lost_threads += !pfc__lost;
        pfc__lost = 1;
        return 0;
    }
    t->next = pfc__leaving == 2 ? pfc__threads_late : 0;
    if (pfc__leaving == 2) pfc__threads_late = t;
    if (t->generations) t->hits_own = PFC__UNSEEN;
    t->os_id = pfc__os_thread();
    pfc__thread_guess(t);
    t->met_hits = t->hits_charged;
    t->stack_low = t->stack_high = 0;
    t->tick_begin = t->tick_end = pfc__clock();
    t->bottom->begin = t->tick_begin;
    t->bottom->child = t->bottom->child_delta = 0;
    if (t->generations++ && t->ring) pfc__event_add(t, PFC__EVENT_BEGUN, 0, t->tick_begin - (t->delta >> PFC__FRACTION));
    __atomic_store_n(&t->state, PFC__RUNNING, __ATOMIC_RELEASE); /* not since an earlier thread's begin */
    pfc__charge_by(t, &pfc__cost);
    pfc__windows_start(t);
    pfc__self = t;
    pthread_setspecific(pfc__thread_key, t);
    return t;
}

/* Up to now the time since `tick` was ours. */
static PFC__QUIET pfc__i64 pfc__charge_until_now(pfc__thread_t *t, pfc__i64 tick)
{
    pfc__i64 now = pfc__clock();
    pfc__delta_charge(t, now - tick);
    t->tick_end = now; /* the last sign of life of a process that ends by _exit, exec or a signal */
    return now;
}

/* A destructor. Ours comes before the program's own as a rule, and these are part of the run, for which who joins the thread
   waits: it ends when it is called once more, after them. */
static void pfc__thread_ends(void *thread)
{
    pfc__thread_t *t = (pfc__thread_t *)thread;
    int saved = errno;
    pfc__i64 since = pfc__clock();
    pfc__stray_look();
    if (t != pfc__self || pfc__busy) return;
    if (!pfc__leaving && !pthread_setspecific(pfc__thread_key, t)) {
        pfc__leaving = 1;
        return;
    }
    since = pfc__hits_charge_due(since);
    pfc__busy = 1;
    pfc__frames_close(t, t->bottom, since);
    pfc__lists_enter();
    if (pfc__has_paused(t, since)) pfc__slept_told(t, pfc__schedstat, since);
    pfc__charge_until_now(t, since);
    pfc__child_ends(t);
    pfc__thread_isnt_late(t);
    pfc__thread_settle(t, 1);
    pfc__leaving = 2;
    pfc__self = 0;
    pfc__lists_leave();
    errno = saved;
}

/* At the end of a process with several threads, of those that are still there. */
static PFC__QUIET void pfc__threads_sleep_told(pfc__i64 now)
{
    char path[64] = "";
    size_t at;
    for (at = PFC__PAGE; pfc__threads_own() > 1 && at < pfc__arena.used; at = pfc__extent_after(at)) {
        pfc__extent_t *e = pfc__extent_at(at);
        pfc__thread_t *t = e->kind == PFC__THREADS && e->count ? (pfc__thread_t *)pfc__extent_data(e) : 0;
        if (!t || t->state == PFC__ENDED) continue;
        if (*pfc__schedstat) snprintf(path, sizeof path, "/proc/self/task/%lld/schedstat", (long long)t->os_id);
        pfc__slept_told(t, path, now);
    }
}

static PFC__QUIET void pfc__threads_start(void)
{
    pfc__site_t overflow = PFC__SITE(PFC__OVERFLOW, "(overflow)", 0, "");
    pfc__regions_grow();
    pfc__region_overflow = pfc__region_of(&overflow);
    pthread_key_create(&pfc__thread_key, pfc__thread_ends);
}

/* This thread's record; NULL when perfcomp is off or had no room for it, or when a signal handler has come upon us at work. */
pfc__thread_t *pfc__thread_get(void)
{
    int saved = errno;
    if (pfc__self || pfc__is_off() || pfc__busy || pfc__lost) return pfc__self;
    pfc_start(0, 0);
    if (pfc__self) return pfc__self;
    pfc__lists_enter();
    if (!pfc__is_off()) pfc__thread_attach();
    pfc__lists_leave();
    errno = saved;
    return pfc__self;
}

/* ---- timers */

void pfc__charge_slow(pfc__i64 tick_begin)
{
    if (pfc__self) pfc__charge_until_now(pfc__self, tick_begin);
}

void pfc__charge_start(pfc__i64 tick_begin)
{
    if (pfc__self) PFC__HEADER->start_ticks += pfc__charge_until_now(pfc__self, tick_begin) - tick_begin;
}

/* As it is at the reading, which stands in the middle of what the call takes. */
static pfc_timers_t pfc__timers_of(pfc__thread_t *t)
{
    pfc_timers_t timers = { 0, 0, 0 };
    pfc__i64 tick = pfc__clock();
    if (t && PFC__UNLIKELY(pfc__hits_are_due(tick))) tick = pfc__charge_until_now(t, pfc__hits_charge(tick));
    timers.ct = pfc__ns_of_tick(tick);
    timers.delta = t ? pfc__ns_of_span((t->delta + (pfc__look >> 1)) >> PFC__FRACTION) : 0;
    timers.lt = timers.ct - timers.delta;
    if (t) t->delta += pfc__look, t->looked += pfc__look;
    return timers;
}

pfc_timers_t pfc_timers(void) { return pfc__timers_of(pfc__thread_get()); }
int64_t pfc_ct(void) { return pfc__timers_of(pfc__thread_get()).ct; }
int64_t pfc_delta(void) { return pfc__timers_of(pfc__thread_get()).delta; }
int64_t pfc_lt(void) { return pfc__timers_of(pfc__thread_get()).lt; }
