/* ---------------------------------------------------- conditions (impl) ---
   Who waits for a condition or a semaphore waits for a message: from the thread
   that signals (R1). One that finds what it needs calls nothing that waits: what
   it would have waited without its own delay isn't seen. */

#if defined PFC__THREADS_MEET

extern __attribute__((weak)) int __real_pthread_cond_signal(pthread_cond_t *);
extern __attribute__((weak)) int __real_pthread_cond_broadcast(pthread_cond_t *);
extern __attribute__((weak)) int __real_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
extern __attribute__((weak)) int __real_pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
extern __attribute__((weak)) int __real_sem_post(sem_t *);
extern __attribute__((weak)) int __real_sem_wait(sem_t *);
extern __attribute__((weak)) int __real_sem_timedwait(sem_t *, const struct timespec *);

/* The last signal of each object. Of two that share a slot the later one stays: the other's waits keep their Δ. */
enum { PFC__SIGNALS = 256 };
static struct { const void *object; pfc__moment_t sent; } pfc__signals[PFC__SIGNALS];

static PFC__QUIET size_t pfc__signal_slot(const void *object)
{
    return (size_t)(((pfc__uptr)object >> 3) * 0x9E3779B97F4A7C15u >> 32) % PFC__SIGNALS;
}

static PFC__QUIET void pfc__signal_send(const void *object)
{
    int saved = errno;
    pfc__i64 tick = pfc__clock();
    pfc__thread_t *t = pfc__thread_at_leisure();
    size_t at = pfc__signal_slot(object);
    if (!t) return;
    pfc__lists_enter();
    pfc__signals[at].object = object;
    pfc__signals[at].sent = pfc__thread_moment(t, pfc__charge_until_now(t, tick));
    pfc__lists_leave();
    errno = saved;
}

/* It went on with what was signalled while it waited. */
static PFC__QUIET void pfc__signal_receive(pfc__visit_t *v, const void *object, pfc__moment_t arrival)
{
    size_t at = pfc__signal_slot(object);
    pfc__lists_enter();
    if (pfc__signals[at].object == object && pfc__signals[at].sent.ct > arrival.ct)
        pfc__delta_meet(v->thread, pfc__both_there(arrival, pfc__signals[at].sent));
    pfc__lists_leave();
}

#define PFC__SIGNAL(name, type) \
    PFC__INSTEAD int __wrap_##name(type *object) \
    { \
        pfc__signal_send(object); \
        return __real_##name(object); \
    }

/* One that ran out of time waited as long as it would have. */
#define PFC__WAIT(name, parameters, arguments) \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, #name, 0, ""); \
        pfc__thread_t *t = pfc__thread_at_leisure(); \
        pfc__moment_t arrival; \
        pfc__visit_t visit; \
        int result; \
        if (!t) return __real_##name arguments; \
        visit = pfc__visit_begins(t, &site); \
        arrival = pfc__visit_waits(&visit); \
        result = __real_##name arguments; \
        pfc__visit_goes_on(&visit); \
        if (!result) pfc__signal_receive(&visit, object, arrival); \
        pfc__visit_ends(&visit); \
        return result; \
    }

PFC__SIGNAL(pthread_cond_signal, pthread_cond_t)
PFC__SIGNAL(pthread_cond_broadcast, pthread_cond_t)
PFC__SIGNAL(sem_post, sem_t)
PFC__WAIT(pthread_cond_wait, (pthread_cond_t *object, pthread_mutex_t *mutex), (object, mutex))
PFC__WAIT(pthread_cond_timedwait, (pthread_cond_t *object, pthread_mutex_t *mutex, const struct timespec *end), (object, mutex, end))
PFC__WAIT(sem_wait, (sem_t *object), (object))
PFC__WAIT(sem_timedwait, (sem_t *object, const struct timespec *end), (object, end))

#endif
