/* PERFCOMP_BUDGET. The clock is a variable that each reading advances: what timing
   costs is then known exactly. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

static volatile int64_t simulated, truth;
#define PERFCOMP_CLOCK() (simulated += 20)
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <pthread.h>
#include <cmocka.h>

static pfc__u64 timed, untimed;

static volatile int64_t dose; /* what an entry costs besides, timed or not */

static void work(int64_t ns)
{
    simulated += ns + dose;
    truth += ns;
    if (pfc__self->window & PFC__WINDOW_DOUBLED && !PFC__HAS_TIME(pfc__self->top->begin)) simulated += dose;
}

/* The innermost region's path. */
static void look(void)
{
    timed = pfc__self->top->node->timed;
    untimed = pfc__self->top->node->untimed;
}

/* Ten paths, each of them below its quarter of a budget of 10 %, a pair of 40 ns beside 110 ns of work. */
static void many(int turns)
{
    while (turns--) {
        { PFC_SCOPE("a"); work(110); look(); }
        { PFC_SCOPE("b"); work(110); }
        { PFC_SCOPE("c"); work(110); }
        { PFC_SCOPE("d"); work(110); }
        { PFC_SCOPE("e"); work(110); }
        { PFC_SCOPE("f"); work(110); }
        { PFC_SCOPE("g"); work(110); }
        { PFC_SCOPE("h"); work(110); }
        { PFC_SCOPE("i"); work(110); }
        { PFC_SCOPE("j"); work(110); }
    }
}

static void what_all_paths_take_together_counts(void **state)
{
    int64_t lt = pfc_lt(), real, ct;
    (void)state;
    many(50000);
    assert_true(untimed > 0);
    lt = pfc_lt(), real = truth, ct = simulated;
    many(50000);
    assert_true((double)(simulated - ct) < 1.1 * (double)(truth - real)); /* 1.36 without */
    assert_true(fabs((double)(pfc_lt() - lt) / (double)(truth - real) - 1) < 0.03); /* the readings around a sample */
}

/* Each timed one takes several readings: one of 16 costs less than all do. */
static void few_entries_of_a_sampled_path_are_timed(void **state)
{
    pfc__u64 before;
    (void)state;
    look();
    many(1);
    before = timed;
    many(100000);
    assert_true(timed - before < 100000 / (PFC__LEAST_STRIDE - 4));
    assert_int_equal(timed + untimed, 200000);
}

/* What untimed entries cost is most of what is left to charge: doubled windows show it. */
static void the_run_tells_what_untimed_entries_cost(void **state)
{
    (void)state;
    assert_true(fabs(pfc__cost.light) < 1);
    dose = 7;
    many(400000);
    assert_true(fabs(pfc__cost.light - 7) < 1);
    assert_true(pfc__cost.pair_spread > 0.2 * pfc__cost.pair); /* these are few */
    assert_true(fabs(PFC__HEADER->cost.pair - pfc__cost.pair) < 1e-9);
    dose = 0;
}

static pfc__u32 sampled; /* whether the last one is */

static void *dearly(void *unused)
{
    int i;
    for (i = 0; i < 10; i++) {
        PFC_SCOPE("dear");
        work(100);
        sampled = pfc__self->top->node->sample;
    }
    return unused;
}

static void *briefly(void *unused)
{
    int i;
    for (i = 0; i < 10; i++) {
        PFC_SCOPE("in a brief thread");
        work(10000);
        sampled = pfc__self->top->node->sample;
    }
    return unused;
}

static void by_threads(int threads, void *(*what)(void *))
{
    while (threads--) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, 0, what, 0), 0);
        pthread_join(thread, 0);
    }
}

/* Threads that come one after the other have one record: its entries are of all of them, and so must the time be. */
static void brief_threads_are_dear_together(void **state)
{
    (void)state;
    by_threads(1000, dearly);
    assert_true(sampled > 0); /* 40 ns in 140 */
}

static void brief_threads_are_cheap_together(void **state)
{
    (void)state;
    by_threads(1000, briefly);
    assert_int_equal(sampled, 0); /* 40 ns in 10,000 */
}

static void *more_than_a_quarter(void *unused)
{
    int i;
    for (i = 0; i < 40000; i++) {
        PFC_SCOPE("more than a quarter");
        work(400); /* 40 ns in 440 */
        sampled = pfc__self->top->node->sample;
    }
    return unused;
}

static void *less_than_a_quarter(void *unused)
{
    int i;
    for (i = 0; i < 40000; i++) {
        PFC_SCOPE("less than a quarter");
        work(1960); /* 40 ns in 2000 */
        sampled = pfc__self->top->node->sample;
    }
    return unused;
}

/* Of a budget that all together don't take. */
static void a_path_may_take_a_quarter(void **state)
{
    (void)state;
    by_threads(1, more_than_a_quarter);
    assert_true(sampled > 0);
    by_threads(1, less_than_a_quarter);
    assert_int_equal(sampled, 0);
}

/* However small the budget is, a path's time is known, and how much it varies. */
static void some_entries_are_timed_nevertheless(void **state)
{
    const pfc__sample_t *s = 0;
    double mean;
    int i;
    (void)state;
    pfc_budget(1e-6);
    for (i = 0; i < 200000; i++) {
        PFC_SCOPE("varies");
        work(i % 3 ? 100 : 400);
        if (pfc__self->top->node->sample) s = pfc__sample_of(pfc__self->top->node);
    }
    assert_non_null(s);
    mean = s->sum / (double)s->timed;
    assert_true((double)s->timed * PFC__MOST_STRIDE > 180000 && (double)s->timed * PFC__MOST_STRIDE < 220000);
    assert_true(fabs(mean / 200 - 1) < 0.1);
    assert_true(fabs((s->sum_squares / (double)s->timed - mean * mean) / 20000 - 1) < 0.1);
    pfc_budget(0.1);
}

/* Recursion is folded: an entry of it that isn't timed may have its time elsewhere than below its parent. */
static void itself(int n)
{
    PFC_SCOPE("itself");
    work(100);
    if (n > 1) itself(n - 1);
}

static void ping(int n);

static void pong(int n)
{
    PFC_SCOPE("pong");
    work(300);
    if (n > 1) ping(n - 1);
}

static void ping(int n)
{
    PFC_SCOPE("ping");
    work(100);
    if (n > 1) pong(n - 1);
}

/* Nearly all of the work is the innermost entry's. */
static void leafy(int n)
{
    PFC_SCOPE("leafy");
    work(n > 1 ? 10 : 3000);
    if (n > 1) leafy(n - 1);
}

static void leafy_pong(int n);

static void leafy_ping(int n)
{
    PFC_SCOPE("leafy ping");
    work(n > 1 ? 10 : 3000);
    if (n % 2 && n > 1) leafy_pong(n - 1);
    else if (n > 1) leafy_ping(n - 1);
}

static void leafy_pong(int n)
{
    PFC_SCOPE("leafy pong");
    work(10);
    leafy_ping(n - 1);
}

static void recursion_has_its_own_time(void **state)
{
    static const struct { const char *name; double ns; uint64_t calls; } expected[] = {
        { "parent", 200, 40000 }, { "itself", 100, 40000 * 20 }, { "ping", 100, 40000 * 10 }, { "pong", 300, 40000 * 10 },
        { "leafy", 309, 40000 * 10 }, { "leafy ping", 508.3, 40000 * 6 }
    };
    char why[PFC_WHY];
    pfc_profile_t *p;
    size_t i, k, found = 0;
    (void)state;
    pfc_budget(0.02);
    for (i = 0; i < 40000; i++) {
        PFC_SCOPE("parent");
        work(200);
        itself(20);
        ping(20);
        leafy(10);
        leafy_ping(11);
    }
    pfc_stop();
    p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    if (!p) fail_msg("%s", why);
    for (i = 0; i < p->regions; i++)
        for (k = 0; k < 6; k++) {
            const pfc_stats_t *s = &p->region[i].stats;
            if (strcmp(p->region[i].name, expected[k].name)) continue;
            found++;
            assert_int_equal(s->count, expected[k].calls);
            if (k != 0 && k != 3) assert_true(s->untimed > s->count / 50);
            assert_true(fabs(s->exclusive.lt - expected[k].ns * (double)s->count) < s->exclusive.u + 0.1 * expected[k].ns * (double)s->count);
        }
    assert_int_equal(found, 6);
    pfc_profile_close(p);
}

static void a_signal_handler_may_set_it(void **state)
{
    (void)state;
    pfc__waits_enter(); /* the handler comes now */
    pfc_budget(0.25);
    pfc__waits_leave();
    assert_true(pfc__budget() == 0.25);
    pfc_budget(-0.1), pfc_budget(1), pfc_budget(NAN);
    assert_true(pfc__budget() == 0.25);
    pfc_budget(0);
    assert_true(pfc__budget() == 0);
    pfc_budget(0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_handler_may_set_it),
        cmocka_unit_test(what_all_paths_take_together_counts), cmocka_unit_test(few_entries_of_a_sampled_path_are_timed),
        cmocka_unit_test(the_run_tells_what_untimed_entries_cost), cmocka_unit_test(brief_threads_are_dear_together),
        cmocka_unit_test(a_path_may_take_a_quarter), cmocka_unit_test(brief_threads_are_cheap_together), cmocka_unit_test(some_entries_are_timed_nevertheless),
        cmocka_unit_test(recursion_has_its_own_time),
    };
    pfc_budget(0.1);
    return cmocka_run_group_tests(tests, 0, 0);
}
