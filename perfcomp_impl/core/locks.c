/* --------------------------------------------------------- locks (impl) ---
   Who finds a lock taken waits for the thread that has it (see turns). One that finds
   it free waits for nobody, and pays for a look at how many wait. Which thread
   comes first may be another one without instrumentation: that isn't known. */

#if defined PFC__THREADS_MEET

/* Who has waited for the lock has it: until when others had it, if that is known; and that its end is to be told, too. */
static PFC__QUIET void pfc__lock_taken(const pfc__visit_t *v, const void *lock)
{
    struct pfc__signals *s = &pfc__signals[pfc__signal_slot(lock)];
    const int was_held = s->lock.held != 0;
    pfc__moment_t turn = v->arrival;
    s->lock.held_since = PFC__FOUND_FREE;
    if (s->object == lock && s->sent.ct > v->arrival.ct) {
        const pfc__had_t had = { s->sent, s->lock.busy_since };
        s->lock.usual_wait = pfc__lock_usual(s->lock.usual_wait, s->sent.ct - v->arrival.ct);
        turn = pfc__lock_turn(v->arrival, had, s->lock.usual_wait);
        s->lock.held_since = pfc__lock_busy(v->arrival, had, turn);
        pfc__delta_meet(v->thread, turn);
    }
    s->lock.held = lock;
    s->lock.by = v->thread;
    if (was_held) __atomic_fetch_sub(&s->waiting, 1, __ATOMIC_RELAXED);
}

static PFC__QUIET void pfc__lock_comes(pfc__visit_t *v, const void *lock, int got)
{
    pfc__visit_goes_on(v);
    if (got) {
        pfc__waits_enter();
        pfc__lock_taken(v, lock);
        pfc__waits_leave();
    } else __atomic_fetch_sub(pfc__signal_waiting(lock), 1, __ATOMIC_RELAXED);
    pfc__visit_ends(v);
}

#define PFC__AWAIT_TURN(t, region, lock, call, got) PFC__AWAIT_AS(t, region, lock, 0, call, pfc__lock_comes(&visit, lock, got))

#define PFC__LOCK(name, attempt, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        pfc__thread_t *t; \
        int error = attempt(lock); \
        if (PFC__LIKELY(error != EBUSY)) return error; \
        if (!(t = pfc__thread_at_leisure())) return __real_##name arguments; \
        PFC__AWAIT_TURN(t, #name, lock, error = __real_##name arguments, !error); \
        return error; \
    }

PFC__LOCK(pthread_mutex_lock, pthread_mutex_trylock, (pthread_mutex_t *lock), (lock))
PFC__LOCK(pthread_mutex_timedlock, pthread_mutex_trylock, (pthread_mutex_t *lock, const struct timespec *end), (lock, end))
PFC__LOCK(pthread_mutex_clocklock, pthread_mutex_trylock, (pthread_mutex_t *lock, clockid_t clock, const struct timespec *end),
          (lock, clock, end))
PFC__LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t *lock), (lock))
PFC__LOCK(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t *lock, const struct timespec *end), (lock, end))
PFC__LOCK(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *end),
          (lock, clock, end))
PFC__LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t *lock), (lock))
PFC__LOCK(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t *lock, const struct timespec *end), (lock, end))
PFC__LOCK(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *end),
          (lock, clock, end))
PFC__SIGNAL(pthread_mutex_unlock, pthread_mutex_t)
PFC__SIGNAL(pthread_rwlock_unlock, pthread_rwlock_t)

/* C11's */
extern __attribute__((weak)) int pfc__mtx_trylock(void *) __asm__("mtx_trylock");
PFC__HOT int pfc__mtx_attempt(void *lock)
{
    int error = pfc__mtx_trylock(lock);
    return error == 1 ? EBUSY : error; /* 1: thrd_busy */
}

PFC__LOCK(mtx_lock, pfc__mtx_attempt, (void *lock), (lock))
PFC__LOCK(mtx_timedlock, pfc__mtx_attempt, (void *lock, const struct timespec *end), (lock, end))
PFC__SIGNAL(mtx_unlock, void)

/* ---- OpenMP's locks; omp_test_lock returns what isn't 0 when it has got it */

#define PFC__OMP_LOCK(lock) \
    extern __attribute__((weak)) int pfc__omp_test_##lock(void *) __asm__("omp_test_" #lock); \
    extern __attribute__((weak)) void __real_omp_set_##lock(void *); \
    extern __attribute__((weak)) void __real_omp_unset_##lock(void *); \
    PFC__INSTEAD void __wrap_omp_set_##lock(void *address) \
    { \
        pfc__thread_t *t; \
        if (PFC__LIKELY(pfc__omp_test_##lock(address))) return; \
        t = pfc__thread_at_leisure(); \
        if (!t) __real_omp_set_##lock(address); \
        else PFC__AWAIT_TURN(t, "omp_set_" #lock, address, __real_omp_set_##lock(address), 1); \
    } \
    PFC__INSTEAD void __wrap_omp_unset_##lock(void *address) \
    { \
        pfc__signal(address); \
        __real_omp_unset_##lock(address); \
    }

PFC__OMP_LOCK(lock)
PFC__OMP_LOCK(nest_lock)

/* ---- a critical section can't be tried; whether it is taken, we keep in mind */

static unsigned char pfc__taken[PFC__SIGNALS];

PFC__HOT unsigned char *pfc__taken_of(const void *section) { return &pfc__taken[pfc__signal_slot(section)]; }

#define PFC__CRITICAL_START(name, parameters, arguments, section) \
    extern __attribute__((weak)) void __real_##name parameters; \
    PFC__INSTEAD void __wrap_##name parameters \
    { \
        pfc__thread_t *t = __atomic_load_n(pfc__taken_of(section), __ATOMIC_RELAXED) ? pfc__thread_at_leisure() : 0; \
        if (!t) __real_##name arguments; \
        else PFC__AWAIT_TURN(t, "omp critical", section, __real_##name arguments, 1); \
        __atomic_store_n(pfc__taken_of(section), 1, __ATOMIC_RELAXED); \
    }
#define PFC__CRITICAL_END(name, parameters, arguments, section) \
    extern __attribute__((weak)) void __real_##name parameters; \
    PFC__INSTEAD void __wrap_##name parameters \
    { \
        __atomic_store_n(pfc__taken_of(section), 0, __ATOMIC_RELAXED); \
        pfc__signal(section); \
        __real_##name arguments; \
    }

PFC__CRITICAL_START(GOMP_critical_start, (void), (), pfc__taken)
PFC__CRITICAL_END(GOMP_critical_end, (void), (), pfc__taken)
PFC__CRITICAL_START(GOMP_critical_name_start, (void **section), (section), section)
PFC__CRITICAL_END(GOMP_critical_name_end, (void **section), (section), section)

/* clang's (LLVM, openmp/runtime/src/kmp.h) */
PFC__CRITICAL_START(__kmpc_critical, (void *place, int thread, void *section), (place, thread, section), section)
PFC__CRITICAL_START(__kmpc_critical_with_hint, (void *place, int thread, void *section, unsigned hint), (place, thread, section, hint), section)
PFC__CRITICAL_END(__kmpc_end_critical, (void *place, int thread, void *section), (place, thread, section), section)

#endif
