/* R12: threads that are forked, meet and are joined, in virtual time. Each has a
   clock of its own, which its work and its probes advance; the library's calls,
   played here, set it to the latest of those who meet. A run with probes must
   tell what the same run without them takes. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int played_trylock(pthread_mutex_t *m);
#define pthread_mutex_trylock played_trylock

static __thread int64_t now = 1000000;
#define PERFCOMP_CLOCK() (now)
static int64_t charged; /* to all threads */
#define PERFCOMP_CHARGE(ns) (now += (int64_t)(ns), __atomic_fetch_add(&charged, (int64_t)(ns), __ATOMIC_RELAXED))
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <cmocka.h>

enum { MOST = 6, CREATE = 7, JOIN = 3, MEET = 2, ROUNDS = 5 };

static void later(int64_t *t, int64_t other) { if (other > *t) *t = other; }

/* ---- the library, in virtual time */

typedef struct played { void *(*routine)(void *); void *argument; int64_t begin, end; } played_t;
static pthread_key_t key; /* made behind perfcomp's: its destructor comes later */
static struct { pthread_t thread; played_t *played; } running[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void ends(void *played) { ((played_t *)played)->end = now; }

static void *runs(void *argument)
{
    played_t *p = argument;
    now = p->begin;
    pthread_setspecific(key, p);
    return p->routine(p->argument);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
    played_t *p = calloc(1, sizeof *p);
    int error, i;
    now += CREATE;
    p->routine = routine, p->argument = argument, p->begin = now;
    error = pthread_create(thread, attributes, runs, p);
    pthread_mutex_lock(&lock);
    for (i = 0; running[i].played; i++) assert_true(i < 63);
    running[i].thread = *thread, running[i].played = p;
    pthread_mutex_unlock(&lock);
    return error;
}

static int joined(pthread_t thread, int error)
{
    int i;
    if (error) return error;
    pthread_mutex_lock(&lock);
    for (i = 0; !running[i].played || !pthread_equal(running[i].thread, thread); i++) assert_true(i < 63);
    later(&now, running[i].played->end);
    free(running[i].played);
    running[i].played = 0;
    pthread_mutex_unlock(&lock);
    now += JOIN;
    return 0;
}

int __real_pthread_join(pthread_t thread, void **result) { return joined(thread, pthread_join(thread, result)); }
int __real_pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *end)
{
    return joined(thread, end->tv_sec ? pthread_join(thread, result) : ETIMEDOUT);
}

static int64_t latest[2][2]; /* of the two barriers' rounds */
static int turn[2];
static pthread_barrier_t barrier[2];

int __real_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned n) { return pthread_barrier_init(b, a, n); }
int __real_pthread_barrier_destroy(pthread_barrier_t *b) { return pthread_barrier_destroy(b); }
int __real_pthread_barrier_wait(pthread_barrier_t *b)
{
    int which = (int)(b - barrier), round, result;
    pthread_mutex_lock(&lock);
    round = turn[which];
    later(&latest[which][round], now);
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(b);
    result = pthread_barrier_wait(b);
    if (result == PTHREAD_BARRIER_SERIAL_THREAD) turn[which] = !round;
    later(&now, latest[which][round]);
    now += MEET;
    if (pthread_barrier_wait(b) == PTHREAD_BARRIER_SERIAL_THREAD) latest[which][round] = 0;
    pthread_barrier_wait(b);
    return result;
}

/* A lock that threads take in turn: each is let go only when the next one has come. With it the conditions of those
   who wait behind it: none has the slot of another one. */
static struct { pthread_mutex_t lock; pthread_cond_t call[MOST]; } gate = { .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t gate_moves = PTHREAD_COND_INITIALIZER;
static int gate_turn, gate_comes[MOST * ROUNDS], gate_called[MOST];
static int64_t gate_free, gate_sent[MOST];
static __thread int gate_mine;

static void gate_wait(const int *until, int is)
{
    pthread_mutex_lock(&lock);
    while (*until != is) pthread_cond_wait(&gate_moves, &lock);
}
static void gate_go(void)
{
    pthread_cond_broadcast(&gate_moves);
    pthread_mutex_unlock(&lock);
}

#undef pthread_mutex_trylock
static int played_trylock(pthread_mutex_t *m) { return m == &gate.lock ? EBUSY : pthread_mutex_trylock(m); }

static void gate_enter(void)
{
    gate_wait(&gate_turn, gate_mine);
    gate_comes[gate_mine] = 0;
    later(&now, gate_free);
    gate_go();
    now += MEET;
}

static void gate_leave(void)
{
    pthread_mutex_lock(&lock);
    gate_free = now;
    gate_turn++;
    gate_go();
}

static void gate_come(void)
{
    pthread_mutex_lock(&lock);
    gate_comes[gate_mine] = 1;
    gate_go();
}

int __real_pthread_mutex_lock(pthread_mutex_t *m)
{
    if (m != &gate.lock) return pthread_mutex_lock(m);
    gate_come();
    gate_enter();
    return 0;
}

int __real_pthread_mutex_unlock(pthread_mutex_t *m)
{
    if (m != &gate.lock) return pthread_mutex_unlock(m);
    gate_leave();
    return 0;
}

static int64_t signalled;
int __real_pthread_cond_signal(pthread_cond_t *c)
{
    if (c < gate.call || c >= gate.call + MOST) { signalled = now; return pthread_cond_signal(c); }
    pthread_mutex_lock(&lock);
    gate_called[c - gate.call] = 1;
    gate_sent[c - gate.call] = now;
    gate_go();
    return 0;
}

int __real_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    if (m == &gate.lock) {
        int caller = (int)(c - gate.call);
        gate_come();
        gate_leave();
        gate_wait(&gate_called[caller], 1);
        gate_called[caller] = 0;
        later(&now, gate_sent[caller]);
        gate_go();
        gate_enter();
    } else {
        pthread_cond_wait(c, m);
        later(&now, signalled);
        now += MEET;
    }
    return 0;
}

/* A signal that is sent to who waits for it, one at a time. */
static pthread_mutex_t mail = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t mail_moves = PTHREAD_COND_INITIALIZER;
static int is_awaited, is_raised;
static int64_t raised;

pfc__uptr __real_pthread_kill(pfc__uptr a, pfc__uptr b, pfc__uptr c, pfc__uptr d, pfc__uptr e, pfc__uptr f)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    pthread_mutex_lock(&mail);
    while (!is_awaited) pthread_cond_wait(&mail_moves, &mail);
    is_awaited = 0, is_raised = 1, raised = now;
    pthread_cond_broadcast(&mail_moves);
    pthread_mutex_unlock(&mail);
    return 0;
}
pfc__uptr __real_kill(pfc__uptr a, pfc__uptr b, pfc__uptr c, pfc__uptr d, pfc__uptr e, pfc__uptr f)
{
    return (pid_t)a == getpid() ? __real_pthread_kill(0, b, c, d, e, f) : 0;
}

int __real_pause(void)
{
    pthread_mutex_lock(&mail);
    is_awaited = 1;
    pthread_cond_broadcast(&mail_moves);
    while (!is_raised) pthread_cond_wait(&mail_moves, &mail);
    is_raised = 0;
    pthread_mutex_unlock(&mail);
    later(&now, raised);
    now += MEET;
    return -1;
}
int __real_sigwait(const sigset_t *set, int *number)
{
    (void)set;
    *number = SIGUSR1;
    return (void)__real_pause(), 0;
}

/* libgomp: a team of threads that are new each time */
static unsigned team_size;
int omp_get_num_threads(void) { return (int)team_size; }
typedef struct member { void (*body)(void *); void *data; int64_t begin, end; } member_t;
static void *is_member(void *argument)
{
    member_t *m = argument;
    now = m->begin;
    m->body(m->data);
    m->end = now;
    return 0;
}
void __real_GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    pthread_t thread[MOST];
    member_t member[MOST];
    unsigned i;
    (void)flags;
    team_size = threads;
    now += CREATE;
    for (i = 1; i < threads; i++) {
        member[i].body = body, member[i].data = data, member[i].begin = now;
        pthread_create(&thread[i], 0, is_member, &member[i]);
    }
    body(data);
    for (i = 1; i < threads; i++) pthread_join(thread[i], 0), later(&now, member[i].end);
    now += JOIN;
}
void __real_GOMP_barrier(void) { __real_pthread_barrier_wait(&barrier[1]); }

static __thread int is_first; /* whose turn a single region is */
void *__real_GOMP_single_copy_start(void)
{
    static int copied;
    if (!is_first) __real_GOMP_barrier();
    return is_first ? 0 : &copied;
}
void __real_GOMP_single_copy_end(void *copied) { (void)copied, __real_GOMP_barrier(); }

void __real_GOMP_ordered_start(void)
{
    int is_mine;
    pthread_mutex_lock(&lock);
    is_mine = gate_turn == gate_mine;
    pthread_mutex_unlock(&lock);
    if (is_mine) return;
    gate_come();
    gate_enter();
}
unsigned char __real_GOMP_loop_ordered_static_next(long *begin, long *end) { return (void)begin, (void)end, gate_leave(), 1; }

/* ---- the program: what it does follows from its seed alone */

static int probed;
#define CALL(name) (probed ? __wrap_##name : __real_##name)

static uint32_t random_of(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void works(uint32_t *seed)
{
    unsigned probes = random_of(seed) % 40, i;
    now += random_of(seed) % 3000;
    for (i = 0; probed && i < probes; i++) { PFC_SCOPE("probe"); }
    now += random_of(seed) % 500;
}

static unsigned rounds;

static void *is_worker(void *argument)
{
    uint32_t seed = (uint32_t)(uintptr_t)argument;
    unsigned i;
    for (i = 0; i < rounds; i++) {
        works(&seed);
        CALL(pthread_barrier_wait)(&barrier[0]);
    }
    works(&seed);
    return 0;
}

static uint32_t team_seed;
static int members;
static void is_body(void *data)
{
    uint32_t seed = *(uint32_t *)data + (uint32_t)__atomic_fetch_add(&members, 1, __ATOMIC_RELAXED), rounds_left = team_seed % 4;
    is_first = seed == team_seed;
    works(&seed);
    do {
        CALL(GOMP_barrier)();
        works(&seed);
        if (!CALL(GOMP_single_copy_start)()) works(&seed), CALL(GOMP_single_copy_end)(data);
        works(&seed);
    } while (rounds_left--);
}

/* Threads that start one after the other, meet, and are joined; then teams. Unequal work everywhere. */
static void program(uint32_t seed)
{
    static const struct timespec never, ever = { 1, 0 };
    pthread_t thread[MOST];
    unsigned n = 2 + random_of(&seed) % (MOST - 1), i;
    rounds = random_of(&seed) % 4;
    works(&seed);
    CALL(pthread_barrier_init)(&barrier[0], 0, n);
    for (i = 0; i < n; i++) {
        assert_int_equal(CALL(pthread_create)(&thread[i], 0, is_worker, (void *)(uintptr_t)random_of(&seed)), 0);
        works(&seed);
    }
    for (i = 0; i < n; i++) {
        assert_int_equal(CALL(pthread_timedjoin_np)(thread[i], 0, &never), ETIMEDOUT);
        if (i % 2) assert_int_equal(CALL(pthread_timedjoin_np)(thread[i], 0, &ever), 0);
        else assert_int_equal(CALL(pthread_join)(thread[i], 0), 0);
        works(&seed);
    }
    CALL(pthread_barrier_destroy)(&barrier[0]);
    for (i = 0; i < 3; i++) {
        n = 1 + random_of(&seed) % MOST;
        pthread_barrier_init(&barrier[1], 0, n);
        team_seed = random_of(&seed), members = 0;
        CALL(GOMP_parallel)(is_body, &team_seed, n, 0);
        pthread_barrier_destroy(&barrier[1]);
        works(&seed);
    }
}

static void runs_tell_the_truth(void (*f)(uint32_t), uint32_t seeds)
{
    uint32_t seed;
    for (seed = 1; seed <= seeds; seed++) {
        int64_t begin = now, truth, told;
        probed = 0;
        f(seed);
        truth = now - begin;
        probed = 1;
        begin = pfc_lt();
        f(seed);
        told = pfc_lt() - begin;
        if (llabs(told - truth) > 1) fail_msg("seed %u: %lld instead of %lld", seed, (long long)told, (long long)truth);
    }
}

static void forks_joins_and_barriers_are_exact(void **state)
{
    (void)state;
    runs_tell_the_truth(program, 200);
}

/* ---- a producer, on whom a consumer waits each time */

static pthread_mutex_t box = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int is_full, is_ready;

static void *is_producer(void *argument)
{
    uint32_t seed = (uint32_t)(uintptr_t)argument;
    int i;
    for (i = 0; i < 20; i++) {
        now += 20000;
        works(&seed);
        pthread_mutex_lock(&box);
        while (!is_ready) pthread_cond_wait(&emptied, &box); /* in real time only */
        is_ready = 0, is_full = 1;
        CALL(pthread_cond_signal)(&filled);
        pthread_mutex_unlock(&box);
    }
    return 0;
}

static void consumer(uint32_t seed)
{
    pthread_t thread;
    int i;
    assert_int_equal(CALL(pthread_create)(&thread, 0, is_producer, (void *)(uintptr_t)random_of(&seed)), 0);
    for (i = 0; i < 20; i++) {
        works(&seed);
        pthread_mutex_lock(&box);
        is_ready = 1;
        pthread_cond_signal(&emptied);
        while (!is_full) CALL(pthread_cond_wait)(&filled, &box);
        is_full = 0;
        pthread_mutex_unlock(&box);
    }
    assert_int_equal(CALL(pthread_join)(thread, 0), 0);
}

/* ---- one that sends a signal to the process, or to the thread that waits for it; it is awaited before it sends */

static void *is_sender(void *argument)
{
    uint32_t seed = (uint32_t)(uintptr_t)argument;
    int i;
    for (i = 0; i < 20; i++) {
        now += 20000;
        works(&seed);
        pthread_mutex_lock(&mail);
        while (!is_awaited) pthread_cond_wait(&mail_moves, &mail);
        pthread_mutex_unlock(&mail);
        if (i % 2) CALL(kill)((pfc__uptr)getpid(), SIGUSR1, 0, 0, 0, 0);
        else CALL(pthread_kill)((pfc__uptr)pthread_self(), SIGUSR1, 0, 0, 0, 0);
    }
    return 0;
}

static void receiver(uint32_t seed)
{
    pthread_t thread;
    sigset_t set;
    int i, number;
    sigemptyset(&set);
    assert_int_equal(CALL(pthread_create)(&thread, 0, is_sender, (void *)(uintptr_t)random_of(&seed)), 0);
    for (i = 0; i < 20; i++) {
        works(&seed);
        CALL(kill)((pfc__uptr)getppid(), 0, 0, 0, 0, 0); /* of another process: nobody's message */
        if (i % 3) assert_int_equal(CALL(sigwait)(&set, &number), 0);
        else assert_int_equal(CALL(pause)(), -1);
    }
    assert_int_equal(CALL(pthread_join)(thread, 0), 0);
}

static void a_processs_signal_hands_its_delay_on(void **state)
{
    (void)state;
    runs_tell_the_truth(receiver, 20);
}

static void a_signal_hands_its_delay_on(void **state)
{
    (void)state;
    runs_tell_the_truth(consumer, 20);
}

/* ---- threads that have something in turn: whoever has it, has it for long, and the next one is there already, for the
   lock, or for a condition with it. That one is signalled in one of the turns between, or right behind the last of them. */

typedef struct queue { uint32_t seed; int first, threads; void (*enters)(void), (*leaves)(void); } queue_t;
static int called_in[MOST * ROUNDS + MOST]; /* by turn, in which other one; -1: it begins with the lock alone */

static void calls(int turn, int threads)
{
    int next;
    for (next = turn + 1; next < turn + threads; next++)
        if (called_in[next] == turn) CALL(pthread_cond_signal)(&gate.call[next % threads]);
}

static void locks(void) { CALL(pthread_mutex_lock)(&gate.lock); }
static void unlocks(void) { CALL(pthread_mutex_unlock)(&gate.lock); }

static void *is_in_queue(void *argument)
{
    queue_t *q = argument;
    int turn, turns = q->threads * ROUNDS;
    for (turn = q->first; turn < turns; turn += q->threads) {
        int next = turn + q->threads, afterwards = random_of(&q->seed) % 2 && called_in[next] < 0;
        if (called_in[turn] < 0) {
            works(&q->seed);
            gate_mine = turn;
            q->enters();
        }
        now += 40000;
        works(&q->seed);
        if (!afterwards) calls(turn, q->threads);
        works(&q->seed);
        if (turn + 1 < turns) {
            gate_wait(&gate_comes[turn + 1], 1);
            gate_go();
        }
        if (called_in[next] < 0) q->leaves();
        else {
            gate_mine = next;
            CALL(pthread_cond_wait)(&gate.call[q->first], &gate.lock);
        }
        if (!afterwards) continue;
        works(&q->seed);
        calls(turn, q->threads);
    }
    works(&q->seed);
    return 0;
}

static queue_t queue[MOST];

/* Returns the number of threads. */
static int queue_forms(uint32_t *seed, void (*enters)(void), void (*leaves)(void))
{
    int n = 2 + (int)(random_of(seed) % (MOST - 1)), i;
    gate_turn = 0, gate_free = 0;
    memset(called_in, -1, sizeof called_in);
    for (i = 0; i < n; i++) {
        queue_t q = { random_of(seed), i, n, enters, leaves };
        queue[i] = q;
    }
    return n;
}

static void queue_runs(uint32_t *seed, int n)
{
    pthread_t thread[MOST];
    int i;
    for (i = 0; i < n; i++) {
        assert_int_equal(CALL(pthread_create)(&thread[i], 0, is_in_queue, &queue[i]), 0);
        works(seed);
    }
    for (i = 0; i < n; i++) assert_int_equal(CALL(pthread_join)(thread[i], 0), 0);
}

static void lock_queue(uint32_t seed) { queue_runs(&seed, queue_forms(&seed, locks, unlocks)); }

static void a_lock_hands_its_delay_on(void **state)
{
    (void)state;
    runs_tell_the_truth(lock_queue, 100);
}

static void condition_queue(uint32_t seed)
{
    int n = queue_forms(&seed, locks, unlocks), i;
    for (i = n; i < n * ROUNDS; i++)
        if (random_of(&seed) % 2) called_in[i] = i - 1 - (int)random_of(&seed) % (n - 1);
    queue_runs(&seed, n);
}

static void a_condition_lets_its_lock_go_and_takes_it_again(void **state)
{
    (void)state;
    runs_tell_the_truth(condition_queue, 100);
}

static void has_its_turn(void) { CALL(GOMP_ordered_start)(); }
static void goes_on(void) { CALL(GOMP_loop_ordered_static_next)(0, 0); }
static void is_ordered(void *nothing)
{
    (void)nothing;
    is_in_queue(&queue[__atomic_fetch_add(&members, 1, __ATOMIC_RELAXED)]);
}

static void ordered_queue(uint32_t seed)
{
    members = 0;
    CALL(GOMP_parallel)(is_ordered, 0, (unsigned)queue_forms(&seed, has_its_turn, goes_on), 0);
}

static void an_ordered_region_hands_its_delay_on(void **state)
{
    (void)state;
    runs_tell_the_truth(ordered_queue, 100);
}

/* Its delay is another one's: so is its doubt about it. */
static void a_doubt_is_taken_over(void **state)
{
    pfc__thread_t *t = pfc__self;
    pfc__moment_t here, there;
    (void)state;
    pfc__delta_take(t, t->delta, 0); /* it has waited for locks */
    there = here = pfc__thread_moment(t, now);
    there.ct += 5000 << PFC__FRACTION;
    there.lt += 1000 << PFC__FRACTION;
    there.u = 70 << PFC__FRACTION;
    pfc__delta_meet(t, pfc__both_there(here, there));
    assert_int_equal(t->met_doubt, 70 << PFC__FRACTION);
    assert_int_equal(pfc__delta_doubt(t), 70 << PFC__FRACTION);
}

/* ---- a signal's handler that waits for another thread, amid a wait for a third one */

static pfc__visit_t begins_to_wait(void)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "a wait", 0, "");
    pfc__visit_t v = pfc__visit_begins(pfc__self, &site);
    pfc__visit_waits(&v);
    return v;
}

/* For one whose delay is so large, in ns. */
static void has_waited(pfc__visit_t *v, int64_t delay)
{
    pfc__moment_t there;
    pfc__visit_goes_on(v);
    there = pfc__thread_moment(pfc__self, now);
    there.lt = there.ct - delay * (1 << PFC__FRACTION);
    pfc__delta_meet(pfc__self, pfc__both_there(v->arrival, there));
    pfc__visit_ends(v);
}

static void no_handler_ends_behind_the_wait_that_it_interrupts(void **state)
{
    pfc__visit_t outer, inner;
    int64_t delay = pfc_delta(), handled;
    (void)state;
    now += 1000000;
    pfc__delta_charge(pfc__self, 1000000);
    outer = begins_to_wait();
    inner = begins_to_wait();
    now += 10000;
    has_waited(&inner, delay);
    handled = pfc_lt();
    now += 10000;
    has_waited(&outer, delay + 500000);
    assert_true(llabs(pfc_lt() - handled) < 1000); /* what came behind was the other one's delay */
}

/* Of the threads' delays what is instrumentation, in ns. */
static double instrumentation(void)
{
    char why[PFC_WHY];
    pfc_profile_t *p = pfc__own_profile(why, sizeof why);
    double ns;
    assert_non_null(p);
    ns = p->sum.ct - p->sum.lt - p->delay_in;
    pfc_profile_close(p);
    return ns;
}

static void waiting_is_told_from_instrumentation(void **state)
{
    double before, told;
    uint32_t seed;
    (void)state;
    for (seed = 1, probed = 1; seed <= 20; seed++) {
        charged = 0;
        before = instrumentation();
        program(seed);
        told = instrumentation() - before;
        if (fabs(told - (double)charged) > 2) fail_msg("seed %u: %.0f ns instead of %lld", seed, told, (long long)charged);
    }
}

static sem_t here;

/* ---- a semaphore: one thread has little to do in it, and the other one, which is delayed more, waits for that */

static struct { sem_t semaphore, came; int64_t given; } pool;

int __real_sem_wait(sem_t *s)
{
    sem_post(&pool.came);
    sem_wait(s);
    later(&now, pool.given);
    now += MEET;
    return 0;
}

int __real_sem_post(sem_t *s)
{
    pool.given = now;
    return sem_post(s);
}

static void *posts(void *takes_it)
{
    if (takes_it) CALL(sem_wait)(&pool.semaphore), sem_wait(&pool.came);
    sem_post(&here);
    sem_wait(&pool.came);
    now += 60000;
    CALL(sem_post)(&pool.semaphore);
    return 0;
}

/* How much of its delay it loses, in ns. */
static int64_t delay_lost(int is_lock, int64_t delay)
{
    pthread_t thread;
    sem_init(&here, 0, 0);
    sem_init(&pool.came, 0, 0);
    sem_init(&pool.semaphore, 0, is_lock ? 1 : 0);
    assert_int_equal(CALL(pthread_create)(&thread, 0, posts, is_lock ? &pool : 0), 0);
    sem_wait(&here);
    pfc__delta_take(pfc__self, pfc__self->delta + (delay << PFC__FRACTION), 0);
    delay = pfc__self->delta;
    CALL(sem_wait)(&pool.semaphore);
    delay -= pfc__self->delta;
    CALL(pthread_join)(thread, 0);
    return delay >> PFC__FRACTION;
}

static void a_semaphore_is_a_message_or_a_lock(void **state)
{
    (void)state;
    assert_in_range(delay_lost(0, 10000000), 9990000, 10000000); /* it had to be waited for in any case */
    assert_in_range(delay_lost(1, 10000000), 60000, 2 * 61000);   /* twice the wait at most */
}

static void *is_detached(void *argument) { sem_post(&here); return argument; }

/* What nobody joins leaves nothing behind but the last that had its number. */
static void nobody_needs_to_be_joined(void **state)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int i;
    (void)state;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sem_init(&here, 0, 0);
    for (i = 0; i < 20; i++) assert_int_equal(__wrap_pthread_create(&thread, &attributes, is_detached, 0), 0);
    for (i = 0; i < 20; i++) sem_wait(&here);
    pthread_attr_destroy(&attributes);
    assert_true(pthread_equal((pthread_t)pfc__children->name, pthread_self())); /* this one may be joined, and no other */
    assert_null(pfc__children->next);
}

static sem_t ended;
static void *forks_beside(void *data)
{
    pfc__ompt_parallel_begins(0, 0, (pfc__ompt_data_t *)data, 2, 0, 0);
    sem_post(&here);
    sem_wait(&ended);
    pfc__ompt_parallel_ends((pfc__ompt_data_t *)data, 0, 0, 0);
    return pfc__ompt_forked;
}

/* Clang's OpenMP, nested: at a region's end it may show us the data of another thread's region, which has its team by now. */
static void a_thread_joins_its_own_team(void **state)
{
    pfc__ompt_data_t outer, inner, others;
    pthread_t thread;
    void *open;
    (void)state;
    sem_init(&here, 0, 0);
    sem_init(&ended, 0, 0);
    pfc__ompt_parallel_begins(0, 0, &outer, 2, 0, 0);
    pfc__ompt_parallel_begins(0, 0, &inner, 2, 0, 0);
    pthread_create(&thread, 0, forks_beside, &others);
    sem_wait(&here);
    pfc__ompt_parallel_ends(&others, 0, 0, 0);
    assert_ptr_equal(pfc__ompt_forked, outer.ptr);
    pfc__ompt_parallel_ends(&outer, 0, 0, 0);
    assert_null(pfc__ompt_forked);
    sem_post(&ended);
    pthread_join(thread, &open);
    assert_null(open);
}

static pfc__i64 delta_met(pfc__meeting_t *m, unsigned round)
{
    pfc__thread_t t;
    memset(&t, 0, sizeof t);
    pfc__meeting_leave(m, round, &t);
    return t.delta;
}

/* Each round is of those that came to it, and says nothing where some weren't seen. */
static void rounds_stay_apart(void **state)
{
    pfc__meeting_t m;
    pfc__thread_t t;
    pfc__moment_t slow = { 5000, 4000, 0, 0 }, late = { 4900, 4500, 0, 0 }, first = { 10, 3, 0, 0 };
    unsigned round;
    (void)state;
    memset(&m, 0, sizeof m);
    round = pfc__meeting_come(&m, 2, slow);
    assert_int_equal(delta_met(&m, round), 0);
    assert_int_equal(pfc__meeting_come(&m, 2, late), round);
    assert_int_equal(delta_met(&m, round), 500);
    assert_int_equal(pfc__meeting_come(&m, 1, first), !round);
    assert_int_equal(delta_met(&m, round ? 0 : 1), 7);
    assert_int_equal(pfc__meeting_come(&m, 1, first), round);
    assert_int_equal(delta_met(&m, round), 7); /* not what was there two rounds before */
    memset(&t, 0, sizeof t);
    t.met_doubt = 77;
    assert_int_equal(pfc__thread_moment(&t, pfc__clock()).u, 77);
    t.hits_charged = t.delta = -100;
    t.hit_doubt = .5, t.pair_doubt = .25;
    assert_int_equal(pfc__delta_doubt(&t), 77 + 50);
    t.delta = 300;
    assert_int_equal(pfc__delta_doubt(&t), 77 + 50 + 100);
    pfc__delta_charge(&t, 1000); /* what the clock has told is in no doubt */
    assert_int_equal(pfc__delta_doubt(&t), 77 + 50 + 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_stay_apart),
        cmocka_unit_test(forks_joins_and_barriers_are_exact), cmocka_unit_test(a_signal_hands_its_delay_on),
        cmocka_unit_test(a_processs_signal_hands_its_delay_on),
        cmocka_unit_test(a_lock_hands_its_delay_on), cmocka_unit_test(a_condition_lets_its_lock_go_and_takes_it_again),
        cmocka_unit_test(an_ordered_region_hands_its_delay_on), cmocka_unit_test(a_semaphore_is_a_message_or_a_lock),
        cmocka_unit_test(a_doubt_is_taken_over), cmocka_unit_test(no_handler_ends_behind_the_wait_that_it_interrupts),
        cmocka_unit_test(waiting_is_told_from_instrumentation), cmocka_unit_test(nobody_needs_to_be_joined),
        cmocka_unit_test(a_thread_joins_its_own_team),
    };
    setenv("PERFCOMP_SMPI_COST_NS", "enter=130,exit=70", 1);
    pfc_start(0, 0);
    pthread_key_create(&key, ends);
    return cmocka_run_group_tests(tests, 0, 0);
}
