/* ---------------------------------------------------- semaphores (impl) ---
   A semaphore is a condition (R1), or a lock: of those who have got it, one gives
   it back and another one takes it. Who posts it tells which, and how it has been
   used before tells what it is for who waits. */

#if defined PFC__THREADS_MEET

static PFC__QUIET int pfc__semaphore_is_lock(const void *semaphore)
{
    const struct pfc__signals *s = &pfc__signals[pfc__signal_slot(semaphore)];
    int is_lock;
    pfc__waits_enter();
    is_lock = s->object == semaphore && s->semaphore.given_back;
    pfc__waits_leave();
    return is_lock;
}

static PFC__QUIET void pfc__semaphore_taken(const void *semaphore)
{
    struct pfc__signals *s = &pfc__signals[pfc__signal_slot(semaphore)];
    pfc__waits_enter();
    s->semaphore.taken = semaphore;
    s->semaphore.by = pfc__self;
    pfc__waits_leave();
}

static PFC__QUIET void pfc__semaphore_comes(pfc__visit_t *v, const void *semaphore, int got)
{
    if (got && pfc__semaphore_is_lock(semaphore)) pfc__lock_comes(v, semaphore, got);
    else pfc__signal_comes(v, semaphore, 0, got);
    if (got) pfc__semaphore_taken(semaphore);
}

#define PFC__SEMAPHORE(name, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        pfc__thread_t *t = pfc__thread_at_leisure(); \
        int error; \
        if (!t) return __real_##name arguments; \
        PFC__AWAIT_AS(t, #name, semaphore, 0, error = __real_##name arguments, pfc__semaphore_comes(&visit, semaphore, !error)); \
        return error; \
    }

PFC__SIGNAL(sem_post, sem_t)
PFC__SEMAPHORE(sem_wait, (sem_t *semaphore), (semaphore))
PFC__SEMAPHORE(sem_timedwait, (sem_t *semaphore, const struct timespec *end), (semaphore, end))
PFC__SEMAPHORE(sem_clockwait, (sem_t *semaphore, clockid_t clock, const struct timespec *end), (semaphore, clock, end))

#endif
