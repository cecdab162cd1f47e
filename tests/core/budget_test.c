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
#include <cmocka.h>

static pfc__u64 timed, untimed;

static void work(int64_t ns) { simulated += ns; truth += ns; }

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

/* Whoever doesn't measure costs in windows doubts them. */
static void what_is_charged_unseen_is_in_doubt(void **state)
{
    (void)state;
    assert_true(pfc__cost.pair_spread >= PFC__AROUND_DOUBT * pfc__context.empty.pair);
    assert_true(fabs(pfc__cost.light - PFC__FIRST_DOSE * pfc__context.empty.light) < 1e-9);
    assert_int_equal(PFC__HEADER->cost.pair * 1000, pfc__cost.pair * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_all_paths_take_together_counts), cmocka_unit_test(few_entries_of_a_sampled_path_are_timed),
        cmocka_unit_test(what_is_charged_unseen_is_in_doubt),
    };
    pfc_budget(0.1);
    return cmocka_run_group_tests(tests, 0, 0);
}
