/* --------------------------------------------------------- locks (impl) ---
   Who finds a lock taken waits for the thread that has it (R12). One that finds
   it free waits for nobody, and pays for a look at how many wait. Which thread
   comes first may be another one without instrumentation: that isn't known. */

#if defined PFC__THREADS_MEET

#define PFC__LOCK(name, attempt, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        pfc__thread_t *t; \
        int error = attempt(lock); \
        if (PFC__LIKELY(error != EBUSY)) return error; \
        if (!(t = pfc__thread_at_leisure())) return __real_##name arguments; \
        PFC__AWAIT(t, #name, lock, 0, error = __real_##name arguments, !error); \
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
        else PFC__AWAIT(t, "omp_set_" #lock, address, 0, __real_omp_set_##lock(address), 1); \
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
        else PFC__AWAIT(t, "omp critical", section, 0, __real_##name arguments, 1); \
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
