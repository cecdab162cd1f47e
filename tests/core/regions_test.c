/* tests/run: valgrind
   Regions in virtual time: the clock is a variable, each operation advances it
   by its modelled cost. Then LT must be exactly what the work alone takes. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int64_t now = 1000000; /* raise() is declared as if it came back to no function of this file */
static int64_t reading; /* what it takes to look at the clock */
static int64_t turning; /* … and to hold all signals, or to let them in again */
static int64_t turned(void);
#define PERFCOMP_CLOCK() (now += turned())
#define PERFCOMP_CHARGE(ns) (now += (int64_t)(ns))
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <cmocka.h>

enum { ENTER = 130, EXIT = 70 };

static int64_t turned(void)
{
    static int held;
    sigset_t set;
    int was = held;
    if (!turning) return reading;
    sigprocmask(SIG_BLOCK, 0, &set);
    held = sigismember(&set, SIGUSR1);
    return was == held ? 0 : turning;
}

static volatile int64_t truth; /* what the uninstrumented program's clock would have advanced by */
static void work(int64_t ns) { now += ns; truth += ns; }

static pfc__node_t *child_of(pfc__node_t *up, const char *name)
{
    pfc__table_t *t = pfc__self->table;
    size_t i;
    for (i = 0; i <= t->mask; i++)
        if (t->entry[i].from == up && !strcmp(pfc__text_at(pfc__regions.by_id[t->entry[i].region]->name), name)) return t->entry[i].to;
    return 0;
}
static pfc__node_t *node(const char *name) { return child_of(pfc__self->top->node, name); }
static int64_t lt(const pfc__node_t *n) { return n->exclusive - (n->exclusive_delta >> PFC__FRACTION); }

/* Before the profile starts, which PFC_HIT makes happen before main. */
static __attribute__((constructor(101))) void settings(void)
{
    setenv("PERFCOMP_SMPI_COST_NS", "enter=130,exit=70", 1);
    setenv("PERFCOMP_SCALE", "3,0.1", 1);
}

static int start(void **state)
{
    (void)state;
    pfc_start(0, 0);
    return pfc__self ? 0 : -1;
}

static void one_region_is_exact(void **state)
{
    pfc__node_t *n;
    int i;
    (void)state;
    for (i = 0; i < 10; i++) { PFC_BEGIN("one"); work(50); PFC_END("one"); }
    n = node("one");
    assert_int_equal(n->timed, 10);
    assert_int_equal(lt(n), 500);
    assert_int_equal(n->shortest, 50);
    assert_int_equal(n->longest, 50);
}

static void timers_are_exact(void **state)
{
    pfc_timers_t a = pfc_timers(), b;
    int64_t before = truth;
    int i;
    (void)state;
    for (i = 0; i < 1000; i++) { PFC_SCOPE("timers"); work(i); }
    b = pfc_timers();
    assert_int_equal(b.lt - a.lt, truth - before);
    assert_int_equal(b.delta - a.delta, 1000 * (ENTER + EXIT));
    assert_int_equal(b.ct, b.lt + b.delta);
}

/* ---- property: any nesting gives the work that was done in each region, and LT = work in all */

static const char *const letters[] = { "a", "b", "c", "d", "e", "f", "g" };
static uint64_t entries_wanted[7];
static int64_t exclusive_wanted[7];

static void enter(int which)
{
    static pfc__site_t sites[7];
    if (!sites[which].name) {
        pfc__site_t s = PFC__SITE(PFC__NAMED, letters[which], 1, "x.c");
        sites[which] = s;
    }
    pfc__begin(&sites[which]);
}

static void leave(int which)
{
    pfc__site_t s = PFC__SITE(PFC__NAMED, letters[which], 1, "x.c");
    pfc__end(&s);
}

static void wander(int depth)
{
    int turns = rand() % 4, which = rand() % 7;
    enter(which);
    entries_wanted[which]++;
    while (turns--) {
        int64_t ns = rand() % 100;
        work(ns);
        exclusive_wanted[which] += ns;
        if (depth) wander(depth - 1);
    }
    leave(which);
}

static void sum_of(const char *name, uint64_t *count, int64_t *exclusive)
{
    pfc__extent_t *e;
    size_t at, i;
    *count = 0;
    *exclusive = 0;
    for (at = PFC__PAGE; at < pfc__arena.used; at += e->bytes) {
        e = (pfc__extent_t *)(void *)(pfc__arena.base + at);
        for (i = 0; e->kind == PFC__NODES && i < e->count; i++) {
            pfc__node_t *n = (pfc__node_t *)pfc__extent_data(e) + i;
            if (!n->region || strcmp(pfc__text_at(pfc__regions.by_id[n->region]->name), name)) continue;
            *count += n->timed;
            *exclusive += lt(n);
        }
    }
}

static void modelled_costs_are_not_scaled(void **state)
{
    (void)state;
    assert_true(PFC__HEADER->scale == 0); /* that of the environment is left aside, and the costs are exact */
    assert_true(pfc__costs()->pair == ENTER + EXIT);
}

static void any_nesting_is_exact(void **state)
{
    int64_t lt_before = pfc_lt(), truth_before = truth;
    int i;
    (void)state;
    srand(7);
    for (i = 0; i < 300; i++) wander(6);
    assert_int_equal(pfc_lt() - lt_before, truth - truth_before);
    for (i = 0; i < 7; i++) {
        uint64_t count;
        int64_t exclusive;
        sum_of(letters[i], &count, &exclusive);
        assert_int_equal(count, entries_wanted[i]);
        assert_int_equal(exclusive, exclusive_wanted[i]);
    }
}

static int recursive(int n)
{
    PFC_FUNCTION();
    work(1);
    return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
}

static void recursion_is_folded(void **state)
{
    pfc__node_t *n;
    (void)state;
    assert_int_equal(recursive(15), 610);
    n = node("recursive");
    assert_int_equal(n->timed, 1973);
    assert_int_equal(lt(n), 1973);
    assert_ptr_equal(n->child[n->region & n->mask], n);
}

static void again(int n);

static void often(int n)
{
    int i;
    PFC_SCOPE("often");
    for (i = 0; i < n; i++) again(0);
}

static void again(int n)
{
    PFC_SCOPE("again");
    work(10);
    if (n) often(n);
}

/* What entries cost is as uncertain in who made them, though those of a recursion have one path. */
static void the_doubt_about_folded_entries_is_their_callers(void **state)
{
    pfc_profile_t *p;
    char why[PFC_WHY];
    double doubt[3] = { 0 }, spread;
    size_t i, k;
    (void)state;
    PFC_BEGIN("once");
    again(1000);
    PFC_END("once");
    PFC__HEADER->cost.pair_spread = PFC__HEADER->cost.light_spread = 20;
    p = pfc__own_profile(why, sizeof why);
    PFC__HEADER->cost.pair_spread = PFC__HEADER->cost.light_spread = 0;
    if (!p) fail_msg("%s", why);
    spread = p->cost.pair_spread;
    for (i = 0; i < p->paths; i++)
        for (k = 0; k < 3; k++) {
            static const char *const names[] = { "once", "again", "often" };
            if (!strcmp(p->region[p->path[i].region].name, names[k])) doubt[k] += p->path[i].stats.exclusive.error[PFC_ERROR_PAIR];
        }
    assert_true(spread > 0 && fabs(doubt[0] + doubt[1] + doubt[2] - 1002 * spread) < 1e-6 * spread);
    assert_true(fabs(doubt[0] - spread) < 0.01 * spread && fabs(doubt[1] - spread) < 0.01 * spread);
    pfc_profile_close(p);
}

static void deep_recursion_grows_the_stack(void **state)
{
    int i;
    pfc__u64 depth = pfc__self->top->depth;
    (void)state;
    for (i = 0; i < 100000; i++) PFC_BEGIN("deep");
    assert_int_equal(pfc__self->top->depth, depth + 100000);
    for (i = 0; i < 100000; i++) PFC_END("deep");
    assert_int_equal(pfc__self->top->depth, depth);
    assert_int_equal(node("deep")->timed, 100000);
}

static void what_nobody_ends_does_not_fill_the_disk(void **state)
{
    const pfc__frame_t *bottom;
    pfc__u64 depth = pfc__self->top->depth;
    int i;
    (void)state;
    for (i = 0; i < PFC__BEGUN_MOST + 1000; i++) PFC_BEGIN("never");
    bottom = pfc__self->bottom;
    assert_int_equal(pfc__self->top->depth, PFC__BEGUN_MOST - 1);
    for (i = 0; i < 1000; i++) { PFC_BEGIN("never"); PFC_END("never"); }
    assert_ptr_equal(pfc__self->bottom, bottom);
    while (pfc__self->top->depth > depth) PFC_END("never");
}

static void ends_out_of_order_are_mended(void **state)
{
    pfc__u64 unclosed = pfc__self->unclosed, stray = pfc__self->stray_ends, depth = pfc__self->top->depth;
    (void)state;
    PFC_BEGIN("outer");
    PFC_BEGIN("inner");
    work(10);
    PFC_END("outer"); /* closes inner as well */
    assert_int_equal(pfc__self->top->depth, depth);
    assert_int_equal(pfc__self->unclosed, unclosed + 1);
    assert_string_equal(pfc__text_at(pfc__regions.by_id[pfc__self->first_unclosed]->name), "inner");
    PFC_END("inner"); /* is closed already */
    PFC_END("never begun");
    assert_int_equal(pfc__self->stray_ends, stray + 2);
    assert_string_equal(pfc__text_at(pfc__regions.by_id[pfc__self->first_stray_end]->name), "inner");
    assert_int_equal(pfc__self->top->depth, depth);
    assert_int_equal(node("outer")->timed, 1);
    assert_int_equal(child_of(node("outer"), "inner")->timed, 1);
}

static jmp_buf back;
static __attribute__((noinline)) void jumps(int n)
{
    PFC_FUNCTION();
    if (!n) longjmp(back, 1);
    jumps(n - 1);
    __asm__ __volatile__("");
}

/* A misspelt end: 100,000 turns took 11 s, ten times as many 20 minutes. */
static void many_stray_ends_take_no_longer_each(void **state)
{
    const clock_t since = clock();
    const pfc__u64 depth = pfc__self->top->depth, stray = pfc__self->stray_ends;
    int i;
    (void)state;
    for (i = 0; i < 100000; i++) { PFC_BEGIN("turn"); PFC_END("trun"); }
    assert_int_equal(pfc__self->stray_ends, stray + 100000);
    assert_true(clock() - since < 3 * CLOCKS_PER_SEC);
    while (pfc__self->top->depth > depth) PFC_END("turn");
}

/* Where it wasn't open before, at that depth, it may be now. */
static void what_was_a_stray_end_may_be_one_now(void **state)
{
    const pfc__u64 depth = pfc__self->top->depth, stray = pfc__self->stray_ends;
    (void)state;
    PFC_BEGIN("around");
    PFC_BEGIN("inside");
    PFC_END("begun later");
    PFC_END("inside");
    PFC_END("around");
    PFC_BEGIN("begun later");
    PFC_BEGIN("inside");
    PFC_END("begun later");
    assert_int_equal(pfc__self->top->depth, depth);
    assert_int_equal(pfc__self->stray_ends, stray + 1);
}

static void what_a_stray_end_takes_is_taken_out(void **state)
{
    int64_t before;
    int i;
    (void)state;
    turning = 300;
    before = pfc_lt();
    for (i = 0; i < 10; i++) PFC_END("never begun");
    for (i = 0; i < 10; i++) { PFC_BEGIN("around"); PFC_BEGIN("left open"); PFC_END("around"); }
    assert_int_equal(pfc_lt() - before, 0);
    turning = 0;
}

static void longjmp_leaves_no_frame_behind(void **state)
{
    static int turn;
    pfc__u64 depth = pfc__self->top->depth, unwound = pfc__self->unwound;
    (void)state;
    for (turn = 0; turn < 3; turn++)
        if (!setjmp(back)) jumps(4);
    { PFC_SCOPE("after longjmp"); }
    assert_int_equal(pfc__self->top->depth, depth);
    assert_int_equal(pfc__self->unwound, unwound + 15);
    assert_int_equal(node("jumps")->timed, 15);
    assert_int_equal(node("after longjmp")->timed, 1); /* not below jumps */
}

static __attribute__((noinline)) void leaves_at_once(void)
{
    PFC_FUNCTION();
    longjmp(back, 1);
}

static __attribute__((noinline)) void leaves_from_below(void)
{
    PFC_FUNCTION();
    jumps(20);
    __asm__ __volatile__("");
}

/* From a place that isn't timed each time has the same place on the stack: nothing tells that the one before was left. */
static void piles_up_no_higher(void (*leaves)(void), pfc__u64 frames)
{
    static int turn;
    static pfc__u64 most;
    pfc__u64 depth = pfc__self->top->depth, unwound = pfc__self->unwound;
    for (turn = 0, most = 0; turn < 10000; turn++) {
        if (!setjmp(back)) leaves();
        if (pfc__self->top->depth > most) most = pfc__self->top->depth;
    }
    assert_true(most < 1000);
    { PFC_SCOPE("after all of them"); }
    assert_int_equal(pfc__self->top->depth, depth);
    assert_int_equal(pfc__self->unwound, unwound + 10000 * frames);
}

static void what_longjmp_leaves_in_one_place_does_not_pile_up(void **state)
{
    (void)state;
    piles_up_no_higher(leaves_at_once, 1);
    piles_up_no_higher(leaves_from_below, 22);
}

static __attribute__((noinline)) void leaves_a_wait(void)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "left amid a wait", 1, "x.c");
    pfc__visit_t visit = pfc__visit_begins(pfc__self, &site);
    pfc__visit_waits(&visit);
    work(100);
    { PFC_SCOPE("handler"); assert_int_equal(pfc__self->state, PFC__WAITING); }
    longjmp(back, 1);
}

static void a_wait_that_longjmp_leaves_is_over(void **state)
{
    pfc__i64 waited = pfc__self->waited;
    (void)state;
    if (!setjmp(back)) leaves_a_wait();
    { PFC_SCOPE("after the wait"); }
    assert_int_equal(pfc__self->state, PFC__RUNNING);
    assert_true(pfc__self->waited >= waited + 100);
}

typedef struct large { long part[40]; } large_t;
static __attribute__((noinline)) void takes_much(large_t much) { __asm__ __volatile__("" : : "r"(&much) : "memory"); }
static __attribute__((noinline)) void last(void) { PFC_SCOPE("last"); }

/* What a call's arguments take of the stack is given back later than that call ends: a
   region that begins in between mustn't seem to be left by what it calls. */
static __attribute__((noinline)) void calls_with_much(const large_t *much)
{
    takes_much(*much);
    PFC_SCOPE("after much");
    last();
}

static void a_calls_arguments_leave_no_region(void **state)
{
    static large_t much;
    pfc__u64 unwound = pfc__self->unwound, stray = pfc__self->stray_ends;
    (void)state;
    calls_with_much(&much);
    assert_int_equal(pfc__self->unwound, unwound);
    assert_int_equal(pfc__self->stray_ends, stray);
    assert_int_equal(child_of(node("after much"), "last")->timed, 1);
}

static int left_early(int how)
{
    int i;
    PFC_SCOPE("left early");
    if (how == 0) return 1;
    for (i = 0; i < 3; i++) {
        PFC_BLOCK("turn") { if (how == 1) break; work(5); }
        if (how == 2) goto out;
    }
out:
    return 0;
}

static void scopes_end_however_they_are_left(void **state)
{
    pfc__u64 depth = pfc__self->top->depth;
    int how;
    (void)state;
    for (how = 0; how < 4; how++) left_early(how);
    assert_int_equal(pfc__self->top->depth, depth);
    assert_int_equal(node("left early")->timed, 4);
    assert_int_equal(child_of(node("left early"), "turn")->timed, 3 + 1 + 3);
}

static void many_regions_stay_apart(void **state)
{
    static char names[3000][12];
    static pfc__site_t sites[3000];
    int i, turn;
    (void)state;
    for (i = 0; i < 3000; i++) {
        pfc__site_t s = PFC__SITE(PFC__NAMED, names[i], 1, "many.c");
        snprintf(names[i], sizeof names[i], "many %d", i);
        sites[i] = s;
    }
    for (turn = 0; turn < 3; turn++)
        for (i = 0; i < 3000; i++) { pfc__begin(&sites[i]); work(i); pfc__end(&sites[i]); }
    for (i = 0; i < 3000; i++) {
        assert_int_equal(node(names[i])->timed, 3);
        assert_int_equal(lt(node(names[i])), 3 * i);
    }
}

static void a_signal_handlers_regions_fit_in(int signal)
{
    PFC_SCOPE("handler");
    (void)signal;
    work(3);
}

static void signals_may_come_anywhere(void **state)
{
    int i;
    (void)state;
    signal(SIGUSR1, a_signal_handlers_regions_fit_in);
    for (i = 0; i < 100; i++) {
        PFC_BEGIN("interrupted");
        work(1);
        raise(SIGUSR1);
        PFC_END("interrupted");
    }
    assert_int_equal(lt(node("interrupted")), 100);
    assert_int_equal(child_of(node("interrupted"), "handler")->timed, 100);
}

static void the_clock_may_go_backwards(void **state)
{
    (void)state;
    PFC_BEGIN("backwards");
    now -= 5000;
    PFC_END("backwards");
    assert_int_equal(lt(node("backwards")), -5000); /* signed, not clamped */
    now += 5000;
}

static void what_perfcomp_is_asked_to_do_is_taken_out(void **state)
{
    FILE *nowhere = fopen("/dev/null", "w");
    int64_t before = pfc_delta(), asked;
    (void)state;
    reading = 20;
    PFC_MONITOR();
    asked = pfc_delta();
    pfc_report(nowhere);
    assert_true(asked > before);
    assert_true(pfc_delta() > asked);
    reading = 0;
    fclose(nowhere);
}

static void errno_stays(void **state)
{
    (void)state;
    errno = 77;
    PFC_BEGIN("errno, first time");
    PFC_HIT("errno");
    PFC_MONITOR();
    PFC_END("errno, first time");
    pfc_timers();
    assert_int_equal(errno, 77);
}

static void a_full_arena_overflows_and_goes_on(void **state)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "one too many", 1, "x.c");
    pfc__u64 lost = PFC__HEADER->lost_regions, count = pfc__self->overflow->timed;
    (void)state;
    pfc__arena.full = 1;
    pfc__regions.extent->capacity = pfc__regions.extent->count;
    for (int i = 0; i < 5; i++) { pfc__begin(&site); work(2); pfc__end(&site); }
    assert_int_equal(pfc__self->overflow->timed, count + 5);
    assert_true(PFC__HEADER->lost_regions > lost);
    pfc__arena.full = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_region_is_exact), cmocka_unit_test(timers_are_exact),
        cmocka_unit_test(modelled_costs_are_not_scaled),
        cmocka_unit_test(any_nesting_is_exact), cmocka_unit_test(recursion_is_folded),
        cmocka_unit_test(the_doubt_about_folded_entries_is_their_callers),
        cmocka_unit_test(what_longjmp_leaves_in_one_place_does_not_pile_up), /* while the stack is small */
        cmocka_unit_test(what_nobody_ends_does_not_fill_the_disk),
        cmocka_unit_test(deep_recursion_grows_the_stack), cmocka_unit_test(ends_out_of_order_are_mended),
        cmocka_unit_test(many_stray_ends_take_no_longer_each),
        cmocka_unit_test(what_was_a_stray_end_may_be_one_now),
        cmocka_unit_test(what_a_stray_end_takes_is_taken_out),
        cmocka_unit_test(longjmp_leaves_no_frame_behind),
        cmocka_unit_test(a_wait_that_longjmp_leaves_is_over), cmocka_unit_test(a_calls_arguments_leave_no_region),
        cmocka_unit_test(scopes_end_however_they_are_left),
        cmocka_unit_test(many_regions_stay_apart), cmocka_unit_test(signals_may_come_anywhere),
        cmocka_unit_test(the_clock_may_go_backwards), cmocka_unit_test(what_perfcomp_is_asked_to_do_is_taken_out),
        cmocka_unit_test(errno_stays),
        cmocka_unit_test(a_full_arena_overflows_and_goes_on),
    };
    return cmocka_run_group_tests(tests, start, 0);
}
