/* ------------------------------------------------------ pthreads (impl) ---
   What a program calls in place of pthread_create and others where it is linked
   with --wrap=pthread_create … (perfcomp-cc does it). Without, nobody does. C11's
   threads are glibc's and musl's own under other names: thrd_t is pthread_t. */

#if defined PFC__THREADS_MEET

#define PFC__INSTEAD __attribute__((weak)) PFC__QUIET /* the program may have its own */

/* The library's own; null where nothing is wrapped. */
extern __attribute__((weak)) int __real_pthread_barrier_init(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
extern __attribute__((weak)) int __real_pthread_barrier_destroy(pthread_barrier_t *);
extern __attribute__((weak)) int __real_pthread_barrier_wait(pthread_barrier_t *);

/* ---- a thread is made */

/* Where the main thread ends before the others, these may join it. */
static PFC__QUIET void pfc__main_may_be_joined(pfc__thread_t *t)
{
    pfc__child_t *child = t->child || t->os_id != PFC__HEADER->pid ? 0 : pfc__child_new(0, 0, 0);
    if (!child) return;
    child->object.holders = 2;
    pfc__waits_enter();
    pfc__child_named(child, pthread_self());
    pfc__waits_leave();
    t->child = child;
}

/* NULL: there is nothing to be known of it. */
static PFC__QUIET pfc__child_t *pfc__child_sets_out(const pthread_attr_t *attributes, void (*routine)(void), void *argument)
{
    int saved = errno;
    pfc__thread_t *t = pfc__thread_at_leisure();
    pfc__i64 tick = pfc__clock();
    pfc__child_t *child = t ? pfc__child_new(attributes, routine, argument) : 0;
    if (child) {
        pfc__main_may_be_joined(t);
        pfc__charge_until_now(t, pfc__hits_charge_due(tick));
        child->delta = t->delta;
        child->doubt = pfc__delta_doubt(t);
    }
    errno = saved;
    return child;
}

/* It may be through already. */
static PFC__QUIET void pfc__child_is_on_its_way(pfc__child_t *child, const pthread_t *thread)
{
    pfc__waits_enter();
    if (child->awaits_name) pfc__child_named(child, *thread);
    pfc__object_release(&child->object);
    pfc__waits_leave();
}

static PFC__QUIET void pfc__child_set_out(pfc__child_t *child, const pthread_t *thread, int error)
{
    pfc__i64 tick = pfc__clock();
    int saved = errno;
    if (error) free(child);
    else pfc__child_is_on_its_way(child, thread);
    pfc__charge_slow(tick);
    errno = saved;
}

static PFC__QUIET void pfc__child_begins(pfc__child_t *child, pfc__i64 since)
{
    pfc__thread_t *t;
    pfc__waits_enter();
    if (child->awaits_name) pfc__child_named(child, pthread_self());
    pfc__waits_leave();
    if ((t = pfc__thread_get()) != 0) {
        t->child = child;
        pfc__stack_bounds(t);
        pfc__thread_begins(t, since, child->delta, child->doubt, 1);
    } else pfc__object_leave(&child->object);
}

#define PFC__CREATE(name, result_t, attributes, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    static result_t pfc__##name##_run(void *argument) \
    { \
        pfc__i64 since = pfc__clock(); \
        pfc__child_t *child = (pfc__child_t *)argument; \
        result_t (*routine)(void *) = (result_t (*)(void *))child->routine; \
        void *its_argument = child->argument; \
        pfc__child_begins(child, since); \
        return routine(its_argument); \
    } \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        pfc__child_t *child = pfc__child_sets_out(attributes, (void (*)(void))routine, argument); \
        int error; \
        if (!child) return __real_##name arguments; \
        routine = pfc__##name##_run; \
        argument = child; \
        error = __real_##name arguments; \
        pfc__child_set_out(child, thread, error); \
        return error; \
    }

PFC__CREATE(pthread_create, void *, attributes,
            (pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument),
            (thread, attributes, routine, argument))
PFC__CREATE(thrd_create, int, 0, (pthread_t *thread, int (*routine)(void *), void *argument), (thread, routine, argument))

/* ---- join */

#define PFC__JOIN(name, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, #name, 0, ""); \
        pfc__thread_t *t = pfc__thread_at_leisure(); \
        pfc__child_t *child; \
        pfc__visit_t visit; \
        int error; \
        if (!t) return __real_##name arguments; \
        visit = pfc__visit_begins(t, &site); \
        child = (pfc__child_t *)pfc__object_hold(&pfc__children, (pfc__uptr)thread); \
        pfc__visit_waits(&visit); \
        error = __real_##name arguments; \
        pfc__visit_goes_on(&visit); \
        if (child && error) pfc__object_leave(&child->object); \
        else if (child) pfc__child_joined(child, t, visit.arrival); \
        pfc__visit_ends(&visit); \
        return error; \
    }

PFC__JOIN(pthread_join, (pthread_t thread, void **result), (thread, result))
PFC__JOIN(pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *end), (thread, result, end))
PFC__JOIN(pthread_clockjoin_np, (pthread_t thread, void **result, clockid_t clock, const struct timespec *end),
          (thread, result, clock, end))
PFC__JOIN(thrd_join, (pthread_t thread, int *result), (thread, result))

/* ---- barriers */

typedef struct pfc__barrier {
    pfc__object_t object;
    unsigned count;
    pfc__meeting_t meeting;
} pfc__barrier_t;

static pfc__object_t *pfc__barriers;

static PFC__QUIET void pfc__barrier_list(const pthread_barrier_t *address, unsigned count)
{
    pfc__barrier_t *barrier = (pfc__barrier_t *)calloc(1, sizeof *barrier);
    if (barrier) barrier->count = count, barrier->object.holders = 1;
    pfc__object_list(&pfc__barriers, (pfc__uptr)address, barrier ? &barrier->object : 0);
}

/* Of a barrier between processes each sees its own threads only. */
PFC__INSTEAD int __wrap_pthread_barrier_init(pthread_barrier_t *address, const pthread_barrierattr_t *attributes, unsigned count)
{
    int error = __real_pthread_barrier_init(address, attributes, count), saved = errno, shared = PTHREAD_PROCESS_PRIVATE;
    if (error || !pfc__thread_at_leisure()) return error;
    if (attributes) pthread_barrierattr_getpshared(attributes, &shared);
    if (shared == PTHREAD_PROCESS_PRIVATE) pfc__barrier_list(address, count);
    errno = saved;
    return error;
}

PFC__INSTEAD int __wrap_pthread_barrier_destroy(pthread_barrier_t *address)
{
    if (pfc__thread_at_leisure()) pfc__object_list(&pfc__barriers, (pfc__uptr)address, 0);
    return __real_pthread_barrier_destroy(address);
}

PFC__INSTEAD int __wrap_pthread_barrier_wait(pthread_barrier_t *address)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "pthread_barrier_wait", 0, "");
    pfc__thread_t *t = pfc__thread_at_leisure();
    pfc__barrier_t *barrier;
    pfc__visit_t visit;
    unsigned round;
    int result;
    if (!t) return __real_pthread_barrier_wait(address);
    visit = pfc__visit_begins(t, &site);
    barrier = (pfc__barrier_t *)pfc__object_hold(&pfc__barriers, (pfc__uptr)address);
    round = barrier ? pfc__visit_comes(&visit, &barrier->meeting, barrier->count) : (pfc__visit_waits(&visit), 0u);
    result = __real_pthread_barrier_wait(address);
    pfc__visit_goes_on(&visit);
    if (barrier) {
        pfc__visit_meets(&visit, &barrier->meeting, round);
        pfc__object_leave(&barrier->object); /* another thread may have destroyed it meanwhile */
    }
    pfc__visit_ends(&visit);
    return result;
}

#endif
