/* Many threads enter regions at once. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <cmocka.h>
#include "sanitized.h"

enum { THREADS = 16, TURNS = 5000 };

static uint64_t entries(const char *name)
{
    pfc__extent_t *e;
    uint64_t sum = 0;
    size_t at, i;
    for (at = PFC__PAGE; at < pfc__arena.used; at += e->bytes) {
        e = (pfc__extent_t *)(void *)(pfc__arena.base + at);
        for (i = 0; e->kind == PFC__NODES && i < e->count; i++) {
            pfc__node_t *n = (pfc__node_t *)pfc__extent_data(e) + i;
            if (n->region && !strcmp(pfc__text_at(pfc__regions.by_id[n->region]->name), name)) sum += n->timed + n->untimed;
        }
    }
    return sum;
}

static void *works(void *unused)
{
    int i;
    for (i = 0; i < TURNS; i++) {
        PFC_SCOPE("outer");
        PFC_BEGIN("inner");
        PFC_END("inner");
    }
    return unused;
}

static void *leaves_early(void *unused)
{
    PFC_SCOPE("left by pthread_exit");
    PFC_BEGIN("left open");
    pthread_exit(unused);
}

static void in_threads(void *(*f)(void *))
{
    pthread_t thread[THREADS];
    int i;
    for (i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], 0, f, 0), 0);
    for (i = 0; i < THREADS; i++) pthread_join(thread[i], 0);
}

static void no_entry_is_lost(void **state)
{
    (void)state;
    in_threads(works);
    assert_int_equal(entries("outer"), THREADS * TURNS);
    assert_int_equal(entries("inner"), THREADS * TURNS);
}

/* Read before its thread has said when it began, it had run since the clock's beginning: for as long as the machine is on. */
static void a_new_record_has_no_time(void **state)
{
    char why[PFC_WHY];
    pfc__thread_t *t;
    pfc_profile_t *p;
    (void)state;
    pfc__mutex_lock(&pfc__lock);
    t = pfc__thread_new();
    pfc__mutex_unlock(&pfc__lock);
    assert_non_null(t);
    p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    if (!p) fail_msg("%s", why);
    assert_int_equal(p->thread[p->threads - 1].id, t->id);
    assert_true(fabs(p->thread[p->threads - 1].total.ct) < 1 && p->thread[p->threads - 1].now == PFC_NONE);
    assert_true(p->thread[p->threads - 1].begin >= 0 && p->thread[p->threads - 1].end <= p->total.ct);
    pfc_profile_close(p);
    pfc__mutex_lock(&pfc__lock);
    t->next = pfc__threads_ended;
    pfc__threads_ended = t;
    pfc__mutex_unlock(&pfc__lock);
}

static void records_are_used_again(void **state)
{
    size_t used = pfc__arena.used;
    int i;
    (void)state;
    for (i = 0; i < 5; i++) in_threads(works);
    assert_true(pfc__threads_count <= THREADS + 1);
    assert_true(pfc__arena.used - used < (THREADS + 1) * 65536u);
}

/* ---- a destructor that sets its own value again: the last round of them, it runs behind ours */

enum { LATE = 50 };

static pthread_key_t again;

static void enters_again(void *value)
{
    PFC_SCOPE("entered late");
    pthread_setspecific(again, value);
}

static void *ends_late(void *value)
{
    pthread_setspecific(again, value);
    PFC_SCOPE("begun before");
    return 0;
}

static pfc__i64 time_of_ended_threads(void)
{
    pfc__thread_t *t;
    pfc__i64 sum = 0;
    for (t = pfc__threads_ended; t; t = t->next) sum += t->earlier;
    return sum;
}

static void a_thread_that_goes_on_behind_its_end_has_no_time_after_it(void **state)
{
    const struct timespec time = { 0, 200000000 };
    pfc__u64 known = pfc__threads_count;
    pfc__i64 before = time_of_ended_threads(), begin = pfc__clock(), slept;
    pthread_t thread;
    int i;
    (void)state;
    if (THREAD_SANITIZED) skip(); /* there, nothing instrumented may run behind the last round of destructors */
    assert_int_equal(pthread_key_create(&again, enters_again), 0);
    for (i = 0; i < LATE; i++) {
        assert_int_equal(pthread_create(&thread, 0, ends_late, &again), 0);
        pthread_join(thread, 0);
    }
    pthread_key_delete(again);
    assert_int_equal(entries("begun before"), LATE);
    assert_int_equal(entries("entered late"), LATE * PTHREAD_DESTRUCTOR_ITERATIONS);
    assert_true(pfc__threads_count <= known + 3); /* one that has just been joined may be there still */
    slept = pfc__clock();
    nanosleep(&time, 0);
    pfc__mutex_lock(&pfc__lock);
    pfc__threads_late_settle(1); /* as at the process's end */
    pfc__mutex_unlock(&pfc__lock);
    assert_null(pfc__threads_late);
    assert_true(time_of_ended_threads() - before <= slept - begin);
}

static void an_ended_thread_leaves_nothing_open(void **state)
{
    pfc__thread_t *t;
    (void)state;
    in_threads(leaves_early);
    assert_int_equal(entries("left by pthread_exit"), THREADS);
    assert_int_equal(entries("left open"), THREADS);
    for (t = pfc__threads_ended; t; t = t->next) assert_ptr_equal(t->top, t->bottom);
}

static void *ends_what_another_has_begun(void *stray)
{
    PFC_END("begun elsewhere");
    *(pfc__u64 *)stray = pfc__self ? pfc__self->stray_ends : 0;
    return 0;
}

/* Also where it's the first that this thread does. */
static void an_end_of_another_threads_region_is_seen(void **state)
{
    pthread_t thread;
    pfc__u64 stray = 0, depth;
    (void)state;
    PFC_BEGIN("begun elsewhere");
    depth = pfc__self->top->depth;
    assert_int_equal(pthread_create(&thread, 0, ends_what_another_has_begun, &stray), 0);
    pthread_join(thread, 0);
    assert_true(stray > 0);
    assert_int_equal(pfc__self->top->depth, depth);
    PFC_END("begun elsewhere");
}

static void each_thread_has_its_own_delta(void **state)
{
    int64_t before;
    (void)state;
    pfc_timers();
    before = pfc_delta();
    in_threads(works);
    assert_true(pfc_delta() - before < 1000000); /* the threads' 10,000 operations each took longer */
}

#define PARENTS ((pfc__i64)1 << 40) /* of Δ: a second or more */

/* As a thread does that was interrupted before it came to its routine. */
static void *meets_a_signal_first(void *own)
{
    pfc__child_t *child = pfc__child_new(0, 0, 0);
    pfc__i64 before = 0;
    PFC_BEGIN("handler");
    PFC_END("handler");
    if (child && pfc__self) {
        before = pfc__self->own;
        child->object.holders = 1, child->awaits_name = 0; /* nobody joins it by its record */
        child->delta = PARENTS;
        pfc__child_begins(child, pfc__clock());
        *(pfc__i64 *)own = pfc__self->own + pfc__self->delta - before; /* as at its end */
        pfc__child_ends(pfc__self);
    }
    return 0;
}

static void a_parents_delta_is_no_threads_own(void **state)
{
    pthread_t thread;
    pfc__i64 own = PARENTS;
    (void)state;
    assert_int_equal(pthread_create(&thread, 0, meets_a_signal_first, &own), 0);
    pthread_join(thread, 0);
    assert_true(own < PARENTS / 2);
}

static void *tells_its_delta(void *delta)
{
    PFC_BEGIN("a made thread's");
    PFC_END("a made thread's");
    ((pfc__i64 *)delta)[0] = pfc__self ? pfc__self->delta : 0;
    ((pfc__i64 *)delta)[1] = pfc__self ? pfc__self->own + pfc__self->delta : PARENTS; /* as at its end */
    return 0;
}

/* Nothing is wrapped here: nobody sees who made it. */
static void a_thread_begins_as_late_as_the_first_one(void **state)
{
    pthread_t thread;
    pfc__i64 delta[2] = { 0, PARENTS }, earlier;
    (void)state;
    pfc_timers();
    assert_non_null(pfc__self);
    earlier = pfc__threads_ended ? pfc__threads_ended->own : 0; /* its record, if it continues one */
    pfc__self->delta += PARENTS;
    pfc__self->met_delta += PARENTS;
    assert_int_equal(pthread_create(&thread, 0, tells_its_delta, delta), 0);
    pthread_join(thread, 0);
    pfc__self->delta -= PARENTS;
    pfc__self->met_delta -= PARENTS;
    assert_true(delta[0] >= PARENTS);
    assert_true(delta[1] - earlier < PARENTS / 2);
}

static pthread_t interrupted;
static pfc__i64 interrupted_id;
static int locked, probing;
static int64_t handled;

static void takes_its_time(int signal)
{
    const pfc__i64 begin = pfc__clock();
    (void)signal;
    while ((handled = pfc__ns_of_span(pfc__clock() - begin)) < 20000000) {}
}

/* While who enters a new region waits for the lock on all lists. */
static void *sends_a_signal(void *unused)
{
    const struct timespec a_while = { 0, 100000 };
    pfc__lock_take();
    __atomic_store_n(&locked, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&probing, __ATOMIC_ACQUIRE) || !pfc__is_asleep(pfc__sys_getpid(), interrupted_id)) nanosleep(&a_while, 0);
    pthread_kill(interrupted, SIGUSR1);
    pfc__mutex_unlock(&pfc__lock);
    return unused;
}

static int64_t undisturbed_time_with_a_signal(void (*probe)(void))
{
    pthread_t sender;
    int64_t begin;
    handled = locked = probing = 0;
    interrupted = pthread_self();
    interrupted_id = pfc__os_thread();
    signal(SIGUSR1, takes_its_time);
    pfc_timers();
    assert_int_equal(pthread_create(&sender, 0, sends_a_signal, 0), 0);
    while (!__atomic_load_n(&locked, __ATOMIC_ACQUIRE)) {}
    begin = pfc_lt();
    __atomic_store_n(&probing, 1, __ATOMIC_RELEASE);
    probe();
    begin = pfc_lt() - begin;
    pthread_join(sender, 0);
    assert_true(handled >= 20000000);
    return begin;
}

static void enters_a_new_region(void) { PFC_BEGIN("new"); PFC_END("new"); }
static void ends_one_by_another_place(void) { PFC_END("begun before"); }

/* Its handler is kept waiting until perfcomp has done; its time isn't perfcomp's for that. */
static void a_held_signals_handler_takes_time(void **state)
{
    (void)state;
    assert_true(undisturbed_time_with_a_signal(enters_a_new_region) >= 10000000);
    PFC_BEGIN("begun before");
    assert_true(undisturbed_time_with_a_signal(ends_one_by_another_place) >= 10000000);
}

static int over;

static void *runs_on(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) pfc_lt();
    return unused;
}

static void *comes_late(void *record)
{
    *(pfc__thread_t **)record = pfc__thread_get();
    return 0;
}

/* Whether a thread that runs on may look, and read its timers, TSan sees. */
static void after_the_end_no_thread_gets_a_record(void **state)
{
    pfc__thread_t *record = pfc__thread_get();
    pthread_t running, late;
    (void)state;
    assert_non_null(record);
    assert_int_equal(pthread_create(&running, 0, runs_on, 0), 0);
    pfc_stop();
    assert_int_equal(pthread_create(&late, 0, comes_late, &record), 0);
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    pthread_join(running, 0);
    pthread_join(late, 0);
    assert_null(record);
}

/* Of the largest traces that may be asked for one alone would take all of the profile's usual addresses. */
static void traces_of_many_threads_have_room(void **state)
{
    const pfc__u64 events = pfc__settings.trace_events;
    const int trace = pfc__settings.trace;
    struct rlimit limit;
    (void)state;
    if (sizeof(void *) == 4 || getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur != RLIM_INFINITY) skip();
    pfc__settings.trace = 0;
    assert_true(pfc__profile_room() == (size_t)1 << 30);
    pfc__settings.trace = 1;
    pfc__settings.trace_events = PFC__TRACE_MOST;
    assert_true(pfc__profile_room() > THREADS * (size_t)PFC__TRACE_MOST * sizeof(pfc__event_t));
    pfc__settings.trace = trace;
    pfc__settings.trace_events = events;
}

/* Further threads' records need some, too. */
static void traces_leave_room(void **state)
{
    const size_t reserved = pfc__arena.reserved;
    int i;
    (void)state;
    assert_non_null(pfc__thread_get());
    pfc__arena.reserved = pfc__round_up(pfc__arena.used, 1 << 20) + (64 << 20);
    if (pfc__arena.reserved > reserved) skip();
    for (i = 0; i < 100; i++) {
        pfc__u64 events = pfc__ring_fits(1 << 16);
        assert_true(events >= PFC__TRACE_LEAST);
        assert_non_null(pfc__extent_new(PFC__FREE, sizeof(pfc__event_t), events, 0, sizeof(pfc__ring_t)));
    }
    assert_int_equal(pfc__arena_lacks(1 << 20), 0);
    pfc__arena.reserved = reserved;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_entry_is_lost), cmocka_unit_test(records_are_used_again), cmocka_unit_test(a_new_record_has_no_time),
        cmocka_unit_test(a_thread_that_goes_on_behind_its_end_has_no_time_after_it),
        cmocka_unit_test(an_ended_thread_leaves_nothing_open), cmocka_unit_test(each_thread_has_its_own_delta),
        cmocka_unit_test(an_end_of_another_threads_region_is_seen),
        cmocka_unit_test(a_parents_delta_is_no_threads_own), cmocka_unit_test(a_thread_begins_as_late_as_the_first_one),
        cmocka_unit_test(a_held_signals_handler_takes_time),
        cmocka_unit_test(traces_of_many_threads_have_room), cmocka_unit_test(traces_leave_room),
        cmocka_unit_test(after_the_end_no_thread_gets_a_record),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
