/* --------------------------------------------------------- locks (impl) ---
   Who finds a lock taken waits for the thread that has it (R12). One that finds
   it free waits for nobody, and pays for a look at how many wait. Which thread
   comes first may be another one without instrumentation: that isn't known. */

#if defined PFC__THREADS_MEET

/* How many wait for the locks of a slot. */
static unsigned pfc__waiting[PFC__SIGNALS];

/* Only while somebody waits is it worth a clock reading when a lock is let go. */
PFC__HOT void pfc__lock_leaves(const void *lock)
{
    if (PFC__UNLIKELY(__atomic_load_n(&pfc__waiting[pfc__signal_slot(lock)], __ATOMIC_RELAXED) != 0)) pfc__signal_send(lock);
}

static PFC__QUIET pfc__moment_t pfc__lock_waits(pfc__visit_t *v, const void *lock)
{
    __atomic_fetch_add(&pfc__waiting[pfc__signal_slot(lock)], 1, __ATOMIC_RELAXED);
    return pfc__visit_waits(v);
}

/* `got`: it hasn't waited in vain. */
static PFC__QUIET void pfc__lock_comes(pfc__visit_t *v, const void *lock, pfc__moment_t arrival, int got)
{
    pfc__visit_goes_on(v);
    __atomic_fetch_sub(&pfc__waiting[pfc__signal_slot(lock)], 1, __ATOMIC_RELAXED);
    if (got) pfc__signal_receive(v, lock, arrival);
    pfc__visit_ends(v);
}

#define PFC__LOCK(name, attempt, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, #name, 0, ""); \
        pfc__thread_t *t; \
        pfc__moment_t arrival; \
        pfc__visit_t visit; \
        int error = attempt(lock); \
        if (PFC__LIKELY(error != EBUSY)) return error; \
        if (!(t = pfc__thread_at_leisure())) return __real_##name arguments; \
        visit = pfc__visit_begins(t, &site); \
        arrival = pfc__lock_waits(&visit, lock); \
        error = __real_##name arguments; \
        pfc__lock_comes(&visit, lock, arrival, !error); \
        return error; \
    }
#define PFC__UNLOCK(name, type) \
    extern __attribute__((weak)) int __real_##name(type *); \
    PFC__INSTEAD int __wrap_##name(type *lock) \
    { \
        pfc__lock_leaves(lock); \
        return __real_##name(lock); \
    }

PFC__LOCK(pthread_mutex_lock, pthread_mutex_trylock, (pthread_mutex_t *lock), (lock))
PFC__LOCK(pthread_mutex_timedlock, pthread_mutex_trylock, (pthread_mutex_t *lock, const struct timespec *end), (lock, end))
PFC__LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t *lock), (lock))
PFC__LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t *lock), (lock))
PFC__UNLOCK(pthread_mutex_unlock, pthread_mutex_t)
PFC__UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t)

/* ---- gcc's OpenMP: a critical section can't be tried; whether it is taken, we keep in mind */

static unsigned char pfc__taken[PFC__SIGNALS];

PFC__HOT unsigned char *pfc__taken_of(const void *section) { return &pfc__taken[pfc__signal_slot(section)]; }

#define PFC__CRITICAL(name, parameters, arguments, section) \
    extern __attribute__((weak)) void __real_GOMP_##name##_start parameters; \
    extern __attribute__((weak)) void __real_GOMP_##name##_end parameters; \
    PFC__INSTEAD void __wrap_GOMP_##name##_start parameters \
    { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp critical", 0, ""); \
        pfc__thread_t *t = __atomic_load_n(pfc__taken_of(section), __ATOMIC_RELAXED) ? pfc__thread_at_leisure() : 0; \
        if (!t) __real_GOMP_##name##_start arguments; \
        else { \
            pfc__visit_t visit = pfc__visit_begins(t, &site); \
            pfc__moment_t arrival = pfc__lock_waits(&visit, section); \
            __real_GOMP_##name##_start arguments; \
            pfc__lock_comes(&visit, section, arrival, 1); \
        } \
        __atomic_store_n(pfc__taken_of(section), 1, __ATOMIC_RELAXED); \
    } \
    PFC__INSTEAD void __wrap_GOMP_##name##_end parameters \
    { \
        __atomic_store_n(pfc__taken_of(section), 0, __ATOMIC_RELAXED); \
        pfc__lock_leaves(section); \
        __real_GOMP_##name##_end arguments; \
    }

PFC__CRITICAL(critical, (void), (), pfc__taken)
PFC__CRITICAL(critical_name, (void **section), (section), section)

#endif
