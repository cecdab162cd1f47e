/* ---------------------------------------------------- conditions (impl) ---
   Who waits for a condition, or a signal, waits for a message: from
   the thread that sends it (R1). One that finds what it needs calls nothing that
   waits: what it would have waited without its own delay isn't seen. */

#if defined PFC__THREADS_MEET

/* The last signal of each object, and how many wait for one (or did so when they were cancelled). Of two objects
   that share a slot the later signal stays: the other's waits keep their Δ. */
enum { PFC__SIGNALS = 256 };
static struct pfc__signals {
    const void *object;
    pfc__moment_t sent;
    unsigned waiting;
    struct {
        pfc__i64 usual_wait;
        pfc__i64 busy_since;      /* LT: until `sent` others have had it, one right after the other, since then; or PFC__FOUND_FREE */
        const void *held, *by;    /* the last for which a thread has waited, while that has it; it counts as one that waits */
        pfc__i64 held_since;      /* LT: as busy_since */
    } lock;                       /* see locks */
    struct {
        const void *taken, *by;   /* the last that a thread has got */
        int given_back;           /* the signal was that one's */
    } semaphore;                  /* see semaphores */
} pfc__signals[PFC__SIGNALS];

static PFC__QUIET size_t pfc__signal_slot(const void *object)
{
    return (size_t)(((pfc__uptr)object >> 3) * 0x9E3779B97F4A7C15u >> 32) % PFC__SIGNALS;
}

PFC__HOT unsigned *pfc__signal_waiting(const void *object) { return &pfc__signals[pfc__signal_slot(object)].waiting; }

/* The next three under the lock. A thread that has waited for a lock lets it go. */
static PFC__QUIET void pfc__signal_lets_go(struct pfc__signals *s)
{
    s->lock.busy_since = s->lock.held_since;
    s->lock.held = 0;
    __atomic_fetch_sub(&s->waiting, 1, __ATOMIC_RELAXED);
}

static PFC__QUIET void pfc__signal_put(const void *object, pfc__moment_t sent)
{
    struct pfc__signals *s = &pfc__signals[pfc__signal_slot(object)];
    if (s->object != object) s->lock.usual_wait = 0;
    s->object = object;
    s->sent = sent;
    s->lock.busy_since = PFC__FOUND_FREE;
    s->semaphore.given_back = s->semaphore.taken == object && s->semaphore.by == pfc__self;
    if (s->lock.held == object && s->lock.by == pfc__self) pfc__signal_lets_go(s);
}

/* With what was signalled since. */
static PFC__QUIET pfc__latest_t pfc__signal_merge(pfc__latest_t latest, const void *object, pfc__i64 since)
{
    size_t at = pfc__signal_slot(object);
    if (pfc__signals[at].object != object || pfc__signals[at].sent.ct <= since) return latest;
    return pfc__latest_merge(latest, pfc__latest_of(pfc__signals[at].sent));
}

static PFC__QUIET void pfc__signal_send(const void *object)
{
    int saved = errno;
    pfc__i64 tick = pfc__clock();
    pfc__thread_t *t = pfc__thread_at_leisure();
    if (!t) return;
    tick = pfc__hits_charge_due(tick);
    pfc__waits_enter();
    pfc__signal_put(object, pfc__thread_moment(t, pfc__charge_until_now(t, tick)));
    pfc__waits_leave();
    errno = saved;
}

/* Only while somebody waits is it worth a clock reading. Who waits for a condition waits for its mutex, too. */
PFC__HOT void pfc__signal(const void *object)
{
    if (PFC__UNLIKELY(__atomic_load_n(pfc__signal_waiting(object), __ATOMIC_RELAXED) != 0)) pfc__signal_send(object);
}

/* Who waits for a condition lets its mutex go meanwhile, on which others may wait. */
static PFC__QUIET void pfc__signal_awaits(pfc__visit_t *v, const void *object, const void *mutex)
{
    __atomic_fetch_add(pfc__signal_waiting(object), 1, __ATOMIC_RELAXED);
    if (!mutex) { pfc__visit_waits(v); return; }
    __atomic_fetch_add(pfc__signal_waiting(mutex), 1, __ATOMIC_RELAXED);
    pfc__waits_enter();
    pfc__visit_waits(v);
    pfc__signal_put(mutex, v->arrival);
    pfc__waits_leave();
}

/* It went on with what was signalled while it waited, and when it had the mutex again. */
static PFC__QUIET void pfc__signal_receive(const pfc__visit_t *v, const void *object, const void *mutex)
{
    pfc__latest_t latest = pfc__latest_of(v->arrival);
    pfc__waits_enter();
    latest = pfc__signal_merge(latest, object, v->arrival.ct);
    if (mutex) latest = pfc__signal_merge(latest, mutex, v->arrival.ct);
    if (latest.ct > v->arrival.ct) pfc__delta_meet(v->thread, pfc__latest_moment(latest));
    pfc__waits_leave();
}

/* `got`: it hasn't waited in vain. One that ran out of time waited as long as it would have. */
static PFC__QUIET void pfc__signal_comes(pfc__visit_t *v, const void *object, const void *mutex, int got)
{
    pfc__visit_goes_on(v);
    __atomic_fetch_sub(pfc__signal_waiting(object), 1, __ATOMIC_RELAXED);
    if (mutex) __atomic_fetch_sub(pfc__signal_waiting(mutex), 1, __ATOMIC_RELAXED);
    if (got) pfc__signal_receive(v, object, mutex);
    pfc__visit_ends(v);
}

#define PFC__SIGNAL(name, type) \
    extern __attribute__((weak)) int __real_##name(type *); \
    PFC__INSTEAD int __wrap_##name(type *object) \
    { \
        pfc__signal(object); \
        return __real_##name(object); \
    }

/* `call` waits for the object, and for a mutex that it lets go meanwhile. */
#define PFC__AWAIT_AS(t, region, object, mutex, call, comes) \
    do { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, region, 0, ""); \
        pfc__visit_t visit = pfc__visit_begins(t, &site); \
        pfc__signal_awaits(&visit, object, mutex); \
        call; \
        comes; \
    } while (0)
#define PFC__AWAIT(t, region, object, mutex, call, got) \
    PFC__AWAIT_AS(t, region, object, mutex, call, pfc__signal_comes(&visit, object, mutex, got))

#define PFC__WAIT_FOR(object, name, mutex, got, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        pfc__thread_t *t = pfc__thread_at_leisure(); \
        int result; \
        if (!t) return __real_##name arguments; \
        PFC__AWAIT(t, #name, object, mutex, result = __real_##name arguments, got); \
        return result; \
    }
#define PFC__WAIT(name, mutex, parameters, arguments) PFC__WAIT_FOR(object, name, mutex, !result, parameters, arguments)

PFC__SIGNAL(pthread_cond_signal, pthread_cond_t)
PFC__SIGNAL(pthread_cond_broadcast, pthread_cond_t)
PFC__WAIT(pthread_cond_wait, mutex, (pthread_cond_t *object, pthread_mutex_t *mutex), (object, mutex))
PFC__WAIT(pthread_cond_timedwait, mutex, (pthread_cond_t *object, pthread_mutex_t *mutex, const struct timespec *end), (object, mutex, end))
PFC__WAIT(pthread_cond_clockwait, mutex, (pthread_cond_t *object, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end),
          (object, mutex, clock, end))
PFC__SIGNAL(cnd_signal, void) /* C11's, by address: who includes us may not want <threads.h> */
PFC__SIGNAL(cnd_broadcast, void)
PFC__WAIT(cnd_wait, mutex, (void *object, void *mutex), (object, mutex))
PFC__WAIT(cnd_timedwait, mutex, (void *object, void *mutex, const struct timespec *end), (object, mutex, end))

/* ---- signals of the process: all are one object, of which the last one counts that was sent while a thread waited */

static const char pfc__any_signal = 0;

/* Not one for another process. */
static PFC__QUIET void pfc__signal_raised(pid_t process)
{
    if (PFC__LIKELY(!__atomic_load_n(pfc__signal_waiting(&pfc__any_signal), __ATOMIC_RELAXED))) return;
    if (process <= 0 || process == pfc__sys_getpid()) pfc__signal_send(&pfc__any_signal);
}

/* A program may have functions of its own that are called so, as of units in a game: as long as nobody waits for a signal,
   whatever it is given and returns is passed on. */
#define PFC__RAISE(name, process) \
    extern __attribute__((weak)) pfc__uptr __real_##name(pfc__uptr, pfc__uptr, pfc__uptr, pfc__uptr, pfc__uptr, pfc__uptr); \
    PFC__INSTEAD pfc__uptr __wrap_##name(pfc__uptr a, pfc__uptr b, pfc__uptr c, pfc__uptr d, pfc__uptr e, pfc__uptr f) \
    { \
        pfc__signal_raised(process); \
        return __real_##name(a, b, c, d, e, f); \
    }

#define PFC__SUSPEND(name, got, parameters, arguments) PFC__WAIT_FOR(&pfc__any_signal, name, 0, got, parameters, arguments)

PFC__RAISE(kill, (pid_t)a)
PFC__RAISE(sigqueue, (pid_t)a)
PFC__RAISE(pthread_kill, 0)
PFC__SUSPEND(sigwait, !result, (const sigset_t *set, int *number), (set, number))
PFC__SUSPEND(sigwaitinfo, result > 0, (const sigset_t *set, siginfo_t *info), (set, info))
PFC__SUSPEND(sigtimedwait, result > 0, (const sigset_t *set, siginfo_t *info, const struct timespec *end), (set, info, end))
PFC__SUSPEND(sigsuspend, 1, (const sigset_t *set), (set))
PFC__SUSPEND(pause, 1, (void), ())

#endif
