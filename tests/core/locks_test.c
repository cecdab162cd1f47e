/* What is known of waits for locks, replayed: threads that work and hold a lock in
   turn, first come, first served, with probes and without. Which of them comes
   first is another one then: so it is a matter of how far off the ends are. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <cmocka.h>

enum { MOST = 8, TURNS = 3000, NOBODY = -1 };

/* Probes: so much longer everything takes, in thousandths. */
typedef struct load { int threads; int64_t outside, inside; int probes_outside[MOST], probes_inside[MOST]; } load_t;

typedef struct thread {
    uint32_t seed;
    int turns, has, asks;  /* it has the lock; it waits for it */
    int64_t next;          /* CT: when it does so, or lets it go */
    int64_t delta, doubt;
    pfc__moment_t arrival;
} replayed_t;

static replayed_t thread[MOST];
static int queue[MOST], queued, holder;
static int64_t usual, busy_since; /* PFC__FOUND_FREE: who lets it go has found it free */
static const load_t *load;
static int is_probed;

static int64_t random_below(uint32_t *seed, int64_t most)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int64_t)(*seed >> 8) % most;
}

/* Half to one and a half of it, with probes. */
static void works(replayed_t *t, int64_t mean, int probes)
{
    int64_t work = mean / 2 + random_below(&t->seed, mean), ours = is_probed ? work * probes / 1000 : 0;
    t->next += work + ours;
    t->delta += ours;
}

static pfc__moment_t moment_of(const replayed_t *t)
{
    pfc__moment_t m = { t->next, t->next - t->delta, t->doubt, 0 };
    return m;
}

/* The rule as it is, or as for a message. */
static pfc__moment_t follows(pfc__moment_t arrival, pfc__moment_t freed, int by_message)
{
    pfc__moment_t turn;
    if (by_message) return pfc__both_there(arrival, freed);
    usual = pfc__lock_usual(usual, freed.ct - arrival.ct);
    turn = pfc__lock_turn(arrival, freed, busy_since, usual);
    busy_since = pfc__lock_busy(arrival, freed, busy_since, turn);
    return turn;
}

static void gets(replayed_t *t)
{
    holder = (int)(t - thread);
    t->has = 1;
    works(t, load->inside, load->probes_inside[holder]);
}

static void asks(replayed_t *t)
{
    t->arrival = moment_of(t);
    if (holder == NOBODY) busy_since = PFC__FOUND_FREE, gets(t);
    else t->asks = 1, queue[queued++] = (int)(t - thread);
}

static void lets_go(replayed_t *t, int by_message)
{
    pfc__moment_t freed = moment_of(t), now;
    int i;
    t->has = 0;
    holder = NOBODY;
    if (queued) {
        replayed_t *next = &thread[queue[0]];
        for (i = 1; i < queued; i++) queue[i - 1] = queue[i];
        queued--;
        next->asks = 0;
        now = follows(next->arrival, freed, by_message);
        next->next = now.ct;
        next->delta = now.ct - now.lt;
        next->doubt = now.u;
        gets(next);
    }
    t->turns++;
    works(t, load->outside, load->probes_outside[t - thread]);
}

/* Whose move is the next one; NULL: all have had their turns. */
static replayed_t *first(void)
{
    replayed_t *t = 0;
    int i;
    for (i = 0; i < load->threads; i++)
        if (!thread[i].asks && thread[i].turns < TURNS && (!t || thread[i].next < t->next)) t = &thread[i];
    return t;
}

/* When the last one ends, undisturbed, and how uncertain that is. */
static pfc__moment_t replayed(const load_t *of, uint32_t seed, int probed, int by_message)
{
    pfc__latest_t end = pfc__latest_none();
    replayed_t *t;
    int i;
    load = of, is_probed = probed, holder = NOBODY, queued = 0, usual = 0;
    for (i = 0; i < of->threads; i++) {
        replayed_t new = { .seed = seed * 7919u + (uint32_t)i * 104729u };
        thread[i] = new;
        works(&thread[i], of->outside, of->probes_outside[i]);
    }
    while ((t = first())) {
        if (t->has) lets_go(t, by_message);
        else asks(t);
    }
    for (i = 0; i < of->threads; i++) end = pfc__latest_merge(end, pfc__latest_of(moment_of(&thread[i])));
    return pfc__latest_moment(end);
}

typedef struct errors { double ours, by_message, doubt; } errors_t;

/* In % of what it takes without probes. */
static errors_t error_of(const load_t *of, uint32_t seed)
{
    const double truth = (double)replayed(of, seed, 0, 0).lt;
    const pfc__moment_t ours = replayed(of, seed, 1, 0), by_message = replayed(of, seed, 1, 1);
    errors_t e = { 100 * ((double)ours.lt / truth - 1), 100 * ((double)by_message.lt / truth - 1), 100 * (double)ours.u / truth };
    return e;
}

/* All threads have as many probes: as a message's, or nearly so, whether there is always somebody who waits or seldom. */
static void threads_alike(void **state)
{
    static const load_t loads[] = {
        { 2, 10000, 1000, { 500, 500 }, { 0 } }, { 2, 10000, 1000, { 500, 500 }, { 500, 500 } },
        { 4, 4000, 4000, { 500, 500, 500, 500 }, { 500, 500, 500, 500 } }, { 4, 2000, 4000, { 1000, 1000, 1000, 1000 }, { 0 } },
    };
    uint32_t seed;
    size_t i;
    (void)state;
    for (i = 0; i < sizeof loads / sizeof *loads; i++)
        for (seed = 1; seed <= 10; seed++) {
            errors_t e = error_of(&loads[i], seed);
            if (__builtin_fabs(e.ours) > 1) fail_msg("load %zu, seed %u: %+.1f %%, as for messages %+.1f %%", i, seed, e.ours, e.by_message);
        }
}

/* Some have more: they keep their delay, and ± holds what is off; as for messages, the end is off by most of what the probes take. */
static void threads_of_few_and_of_many_probes(void **state)
{
    static const load_t loads[] = {
        { 2, 10000, 5000, { 1000, 0 }, { 0 } }, { 2, 20000, 5000, { 1000, 0 }, { 0 } },
        { 8, 35000, 5000, { 0, 100, 200, 300, 400, 500, 600, 700 }, { 0 } },
    };
    uint32_t seed;
    size_t i;
    (void)state;
    for (i = 0; i < sizeof loads / sizeof *loads; i++)
        for (seed = 1; seed <= 10; seed++) {
            errors_t e = error_of(&loads[i], seed);
            if (__builtin_fabs(e.ours) > 12 || e.by_message < 18 || __builtin_fabs(e.ours) > e.doubt)
                fail_msg("load %zu, seed %u: %+.1f ± %.1f %%, as for messages %+.1f %%", i, seed, e.ours, e.doubt, e.by_message);
        }
}

static pfc__moment_t at(pfc__i64 ct, pfc__i64 lt, pfc__i64 u)
{
    pfc__moment_t m = { ct, lt, u, 0 };
    return m;
}

static void one_turn(void **state)
{
    pfc__moment_t turn;
    (void)state;
    turn = pfc__lock_turn(at(100, 90, 1), at(150, 135, 2), PFC__FOUND_FREE, 10); /* delayed less than who had it: as for a message */
    assert_int_equal(turn.lt, 135);
    assert_int_equal(turn.u, 2);
    assert_int_equal(pfc__lock_busy(at(100, 90, 1), at(150, 135, 2), PFC__FOUND_FREE, turn), 85); /* where that one was at 100 */
    turn = pfc__lock_turn(at(100, 90, 1), at(150, 145, 2), PFC__FOUND_FREE, 10); /* by 5 more: waits so much longer, or not */
    assert_int_equal(turn.lt, 145);
    assert_int_equal(turn.u, 7);
    turn = pfc__lock_turn(at(1000, 500, 1), at(1050, 1045, 2), PFC__FOUND_FREE, 10); /* by 495: not so much longer */
    assert_int_equal(turn.lt, 570);
    assert_int_equal(turn.u, 22);
    assert_int_equal(turn.ct, 1050);
    assert_int_equal(pfc__lock_busy(at(1000, 500, 1), at(1050, 1045, 2), PFC__FOUND_FREE, turn), 570);
    turn = pfc__lock_turn(at(1000, 500, 1), at(1050, 1045, 2), 480, 10); /* but when others have had it all along */
    assert_int_equal(turn.lt, 1045);
    assert_int_equal(pfc__lock_busy(at(1000, 500, 1), at(1050, 1045, 2), 480, turn), 480);
    turn = pfc__lock_turn(at(100, 90, 1), at(150, 80, 2), PFC__FOUND_FREE, 10); /* undisturbed it was free again */
    assert_int_equal(turn.lt, 90);
    assert_int_equal(pfc__lock_busy(at(100, 90, 1), at(150, 80, 2), PFC__FOUND_FREE, turn), 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_turn), cmocka_unit_test(threads_alike), cmocka_unit_test(threads_of_few_and_of_many_probes),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
