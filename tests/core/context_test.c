/* Costs in context. The clock is a variable that each reading advances: what
   timing costs is then known exactly, and can be changed while the program runs. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static volatile int64_t simulated, truth;
static double undisturbed; /* what `truth` takes beside the others */
enum { SLICE = 4000000 };
static volatile int64_t others_run; /* for so long others run, each time that the program has run for a slice */
static int64_t has_run, has_waited;
static volatile int64_t reading = 20;
static volatile int64_t unseen; /* what each entry costs besides, timed or not */
static volatile int64_t dose;   /* the same, if another entry costs it, too */
#define PERFCOMP_CLOCK() (runs(reading), simulated)

static void schedstat(const char *format, ...)
{
    va_list arguments;
    FILE *f = fopen("schedstat", "w");
    va_start(arguments, format);
    vfprintf(f, format, arguments);
    va_end(arguments);
    fclose(f);
}

/* As the system tells them to perfcomp. */
static long taken_off, gave_up, sleeps;
int getrusage(__rusage_who_t who, struct rusage *usage)
{
    (void)who;
    memset(usage, 0, sizeof *usage);
    usage->ru_nivcsw = taken_off;
    usage->ru_nvcsw = gave_up;
    return 0;
}

static int64_t interrupt; /* what the system takes in each millisecond */

static void runs(int64_t ns)
{
    int64_t before = has_run;
    if ((simulated + ns) / 1000000 != simulated / 1000000) simulated += interrupt;
    simulated += ns;
    has_run += ns;
    if (before / SLICE == has_run / SLICE) return;
    simulated += others_run;
    has_waited += others_run;
    taken_off++;
    gave_up += sleeps;
    schedstat("%lld %lld 17\n", (long long)has_run, (long long)has_waited);
}

#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "sanitized.h"
#include <cmocka.h>

static void work(int64_t ns)
{
    runs(ns);
    truth += ns;
    undisturbed += (1 + (double)others_run / SLICE) * (double)ns;
}

static pfc__node_t *node(const char *name)
{
    pfc__table_t *t = pfc__self->table;
    size_t i;
    for (i = 0; i <= t->mask; i++)
        if (t->entry[i].from == pfc__self->top->node && !strcmp(pfc__text_at(pfc__regions.by_id[t->entry[i].region]->name), name))
            return t->entry[i].to;
    return 0;
}

static int64_t learning; /* what an entry costs while the processor learns to foretell branches that it hasn't met before */

static void foretell(void)
{
    static uint32_t before;
    static int unknown;
    if (pfc__self->window != before) unknown = 800;
    before = pfc__self->window;
    if (unknown > 0) unknown--, runs(learning);
}

static int64_t late; /* what timing makes the code take longer that comes after it */

/* What an entry costs besides; twice the dose where it is doubled. */
static void entered(int is_untimed)
{
    foretell();
    runs(unseen + dose);
    if (!is_untimed) runs(late);
    if (pfc__self->window & PFC__WINDOW_DOUBLED && is_untimed) runs(dose);
}

static int top_is_untimed(void) { return !PFC__HAS_TIME(pfc__self->top->begin); }

static double hot_undisturbed;

static void hot(int entries)
{
    double before = undisturbed;
    while (entries--) {
        PFC_SCOPE("hot");
        entered(top_is_untimed());
        work(50 + rand() % 100);
    }
    hot_undisturbed += undisturbed - before;
}

/* A function inside of which no other region is entered. */
static void leaf(void)
{
    static pfc__site_t site = PFC__SITE_OF(PFC__FUNCTION, "leaf", 1, "leaf.c", 1);
    pfc__token_t token __attribute__((cleanup(pfc__unit_end))) = pfc__unit_begin(&site, pfc__stack_pointer());
    entered(!token.depth || top_is_untimed());
    work(60);
}

static double twig_undisturbed, leaf_undisturbed;

/* As brief itself, and untimed at times. */
static void twigs(int entries)
{
    while (entries--) {
        double before = undisturbed, inside;
        PFC_SCOPE("twig");
        entered(top_is_untimed());
        work(60);
        inside = undisturbed;
        leaf();
        leaf();
        twig_undisturbed += inside - before;
        leaf_undisturbed += undisturbed - inside;
    }
}

/* How far LT is off, in % of what instrumentation took meanwhile. */
static double error_of(int entries)
{
    int64_t lt = pfc_lt(), ct = simulated;
    double before = undisturbed, real;
    hot(entries);
    real = undisturbed - before;
    return 100 * ((double)(pfc_lt() - lt) - real) / ((double)(simulated - ct) - real);
}

static void empty_costs_are_right_where_nothing_is_hidden(void **state)
{
    (void)state;
    hot(2000000);
    assert_true(fabs(error_of(2000000)) < 2);
    assert_true(pfc__cost.windows > 50);
    assert_true(fabs(pfc__cost.pair - 40) < 1);
}

/* A processor that hides nearly all of the reading: no calibration in an empty loop could know. */
static void costs_follow_the_program(void **state)
{
    (void)state;
    reading = 2;
    hot(8000000);
    assert_true(fabs(pfc__cost.pair - 4) < 1);
    assert_true(fabs(error_of(500000)) < 15); /* of little: the empty cost would be wrong by 900 % */
    reading = 30;
    hot(8000000);
    assert_true(fabs(pfc__cost.pair - 60) < 1);
    assert_true(fabs(pfc__cost.empty_pair - 40) < 1); /* as it was at the start */
    assert_true(fabs(error_of(500000)) < 2);
    reading = 20;
}

/* Until windows have told, which takes some hundred thousand entries, three quarters of an empty pair are charged; and doubted. */
static void a_guess_is_in_doubt(void **state)
{
    (void)state;
    hot(1000);
    assert_true(fabs(pfc__cost.pair - 30) < 1 && fabs(pfc__cost.light - 12) < 1);
    assert_true(pfc__cost.pair_spread > 0.2 * pfc__cost.pair && pfc__cost.light_spread > 0.2 * pfc__cost.light);
    assert_true(pfc__cost.windows == 0);
}

/* The dose of §2: where an untimed entry costs something, a second one shows it. */
static void a_second_dose_shows_the_first(void **state)
{
    (void)state;
    dose = 7;
    hot(8000000);
    assert_true(fabs(pfc__cost.light - 7) < 0.5);
    assert_true(fabs(pfc__cost.pair - 47) < 0.5);
    assert_true(fabs(error_of(500000)) < 1);
    dose = 0;
    hot(8000000);
}

/* As siglongjmp has left it: the scratch thread is still in its region. No path of the program's is entered for that. */
static void a_handler_may_leave_amid_a_dose(void **state)
{
    size_t paths = pfc__self->table->used;
    (void)state;
    pfc__scratch.thread.top++;
    dose = 7;
    hot(8000000);
    assert_int_equal(pfc__self->table->used, paths);
    assert_int_equal(pfc__self->stray_ends, 0);
    assert_true(fabs(pfc__cost.light - 7) < 0.5);
    pfc__scratch.thread.top--;
    dose = 0;
    hot(8000000);
}

/* One that lies badly in the processor's tables is to be a few of many. */
static void each_copy_of_the_dose_has_its_turn(void **state)
{
    const pfc__thread_t *t = &pfc__scratch.thread;
    pfc__dosed_t *first = pfc__dose.of_any, *last = first;
    int turns, changes = 0;
    (void)state;
    for (turns = 1; turns <= 8 * PFC__DOSE_WINDOWS; turns++) {
        int64_t untimed = (int64_t)pfc__scratch.node[1].untimed;
        pfc__dose_turn();
        changes += pfc__dose.of_any != last;
        last = pfc__dose.of_any;
        assert_true((last == first) == (changes == 0 || changes == 8));
        pfc__empty_untimed(0);
        pfc__empty_untimed(1);
        pfc__empty_leaf();
        assert_int_equal((int64_t)pfc__scratch.node[1].untimed - untimed, 3);
        assert_ptr_equal(t->top, t->bottom);
    }
    assert_int_equal(changes, 8);
}

/* That is no part of what timing takes, nor of a dose. */
static void branches_that_are_foretold_wrong_between_windows_are_in_none(void **state)
{
    (void)state;
    learning = 30;
    hot(8000000);
    assert_true(fabs(pfc__cost.pair - 40) < 1);
    assert_true(fabs(pfc__cost.light) < 0.5);
    learning = 0;
}

/* A mean of the middle half wouldn't know it, and be a quarter too low. */
static void what_is_rare_and_costs_much_is_part_of_the_mean(void **state)
{
    int64_t lt = pfc_lt(), ct = simulated;
    double before = undisturbed, real;
    int i;
    (void)state;
    if (ADDRESS_SANITIZED) skip(); /* this takes half a minute then; the code that it runs, others here run, too */
    for (i = 0; i < 4800; i++) {
        late = i % 6 ? 0 : 80;
        hot(5 * PFC__WINDOW);
    }
    late = 0;
    real = undisturbed - before;
    assert_true(fabs((double)(pfc_lt() - lt) - real) < 0.15 * ((double)(simulated - ct) - real));
    hot(8000000);
    assert_true(fabs(pfc__cost.pair - 40) < 1); /* and that is forgotten */
}

/* Interrupts of 30 us, one in a millisecond: windows without any tell the costs, and probes have their share in them. */
static void interrupts_are_charged(void **state)
{
    int i;
    (void)state;
    memset(&pfc__interference, 0, sizeof pfc__interference);
    interrupt = 30000;
    for (i = 0; i < 200000; i++) pfc__interference_look();
    interrupt = 0;
    assert_true(fabs(pfc__interfered() - 1.03) < 0.003);
    hot(1000000);
    assert_true(fabs(pfc__cost.pair - 1.03 * 40) < 0.5);
    memset(&pfc__interference, 0, sizeof pfc__interference);
}

/* That another thread had the processor for 4 ms, the dilation knows; and a clock may stand still. */
static void switches_are_no_interference(void **state)
{
    int i;
    (void)state;
    interrupt = 4000000;
    for (i = 0; i < 100 * PFC__PIECES; i++) pfc__interference_look();
    interrupt = 0;
    assert_true(fabs(pfc__interfered() - 1) < 0.001);
    memset(&pfc__interference, 0, sizeof pfc__interference);
    reading = 0;
    for (i = 0; i < 100 * PFC__PIECES; i++) pfc__interference_look();
    assert_true(fabs(pfc__interfered() - 1) < 0.001);
    reading = 20;
}

/* No window shows it, perfcomp check does: seven entries of eight cost 50 instead of 40, one 10 instead of nothing. */
static void a_scale_corrects_what_no_window_shows(void **state)
{
    (void)state;
    unseen = 10;
    hot(8000000);
    assert_true(error_of(500000) > 20);
    pfc__settings.scale = 45 / 35.0;
    pfc__settings.scale_doubt = 0.03;
    hot(1000000);
    assert_true(fabs(error_of(500000)) < 2);
    assert_true(fabs(pfc__cost.pair - 51.4) < 1);
    assert_true(pfc__cost.pair_spread > 1.5 && pfc__cost.pair_spread < 2.5);
    pfc__settings.scale = unseen = 0;
    hot(1000000);
    assert_true(fabs(pfc__cost.pair - 40) < 1);
}

/* Two thirds of the time others run: that is so for the probes, too. */
static void who_shares_the_processor_pays_more_for_probes(void **state)
{
    (void)state;
    if (ADDRESS_SANITIZED) skip(); /* this takes half a minute then; the code that it runs, others here run, too */
    others_run = 2 * SLICE;
    hot(16000000);
    assert_true(fabs(pfc__cost.dilation - 3) < 0.05);
    assert_true(fabs(pfc__cost.pair - 120) < 4);
    assert_true(pfc__cost.pair_spread > 39); /* so much if the others' work was finite */
    assert_true(fabs(error_of(4000000)) < 3);
    others_run = 0;
    hot(16000000);
    assert_true(fabs(pfc__cost.dilation - 1) < 0.01);
    assert_true(fabs(pfc__cost.pair - 40) < 1);
}

/* It waits as long, but nine times out of ten because it has slept: not amid a probe. */
static void who_sleeps_pays_for_no_wakeups(void **state)
{
    (void)state;
    if (ADDRESS_SANITIZED) skip(); /* this takes half a minute then; the code that it runs, others here run, too */
    others_run = 2 * SLICE;
    sleeps = 9;
    hot(16000000);
    assert_true(fabs(pfc__cost.dilation - 1.2) < 0.02);
    assert_true(fabs(pfc__cost.pair - 48) < 2);
    others_run = sleeps = 0;
    hot(16000000);
    assert_true(fabs(pfc__cost.dilation - 1) < 0.01);
}

static void a_system_that_tells_nothing_of_its_processors_is_taken_at_its_last_word(void **state)
{
    unsigned long long ran_now, waited_now;
    double before = pfc__dilation();
    size_t i;
    const char *texts[] = { "", "\n", "0 0 0\n", "none", "-", "." };
    (void)state;
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        schedstat("%s", texts[i]);
        errno = 4711;
        assert_int_equal(pfc__schedstat_read(pfc__schedstat, &ran_now, &waited_now), 0);
        assert_true(fabs(pfc__dilation() - before) < 1e-9);
        assert_int_equal(errno, 4711);
    }
    pfc__schedstat = "no such folder/schedstat";
    assert_int_equal(pfc__schedstat_read(pfc__schedstat, &ran_now, &waited_now), 0);
    pfc__schedstat = "schedstat";
    schedstat("12 34 5\n");
    assert_int_equal(pfc__schedstat_read(pfc__schedstat, &ran_now, &waited_now), 1);
    assert_int_equal(ran_now, 12);
    assert_int_equal(waited_now, 34);
}

/* Asking for the timers takes a reading. Of the hits since, the timers have their share. */
static void timers_that_are_asked_for_are_no_time_of_the_programs(void **state)
{
    double in_context = pfc__context.hit, hit = pfc__cost.hit;
    int64_t before, delta;
    int i;
    (void)state;
    pfc_start(0, 0);
    pfc__self->hits_due = INT64_MAX;
    before = pfc_lt();
    for (i = 0; i < 1000; i++) runs(50), pfc_lt();
    assert_true(llabs(pfc_lt() - before - 1000 * 50) < 1000 * reading / 50);
    pfc__context.hit = pfc__cost.hit = 1;
    pfc_lt();
    for (i = 0; i < 1000; i++) PFC_HIT("between");
    pfc__self->hits_due = 0;
    delta = pfc_delta();
    pfc__self->hits_due = 0;
    for (i = 0; i < 3000; i++) PFC_HIT("between");
    delta = pfc_delta() - delta;
    assert_true(delta >= 3000 && delta < 3000 + 20 * reading);
    pfc__context.hit = in_context;
    pfc__cost.hit = hit;
}

/* But for the readings from which, and until which, time is ours: at its begin, and its end. Also where hits are charged before. */
static void a_fork_takes_none_of_the_programs_time(void **state)
{
    double hit = pfc__context.hit;
    int64_t before;
    int due;
    (void)state;
    pfc_start(0, 0);
    pfc__context.hit = 1;
    for (due = 0; due < 2; due++) {
        pfc__self->hits_due = due ? 0 : INT64_MAX;
        before = pfc_lt();
        if (!fork()) _exit(0);
        assert_true(llabs(pfc_lt() - before - 2 * reading) <= 1);
        wait(0);
    }
    pfc__context.hit = hit;
}

/* What one thread has run and waited says nothing of another one's. */
static void another_thread_may_be_looked_at(void **state)
{
    (void)state;
    schedstat("1000000000 500000000 1\n");
    pfc__dilation();
    schedstat("2000000000 1000 1\n");
    assert_true(pfc__dilation() >= 1 && pfc__dilation() < 2);
    schedstat("1000 600000000 1\n");
    assert_true(pfc__dilation() >= 1 && pfc__dilation() < 2);
    memset(&pfc__processor, 0, sizeof pfc__processor);
    pfc__processor.ran = PFC__READY_BEFORE;
}

/* A thread that has begun was ready for a while, too, until it ran: but not amid a probe. */
static void a_threads_begin_is_no_interruption(void **state)
{
    const long off = taken_off, up = gave_up;
    (void)state;
    memset(&pfc__processor, 0, sizeof pfc__processor);
    pfc__processor.ran = PFC__READY_BEFORE;
    pfc__processor.ran_until = 1000000000;
    taken_off = gave_up = 0;
    schedstat("20000000 400000000 1\n");
    assert_true(fabs(pfc__dilation() - 1) < 1e-9);
    taken_off = 3; /* by others who had it for 10 ms each; its own begin was before */
    schedstat("40000000 430000000 4\n");
    assert_true(pfc__dilation() > 1.1);
    pfc__processor.ran_until = 1000000000; /* one more */
    taken_off = 1;
    schedstat("20000000 40000000 2\n");
    assert_true(pfc__dilation() < 2);
    taken_off = off, gave_up = up;
    memset(&pfc__processor, 0, sizeof pfc__processor);
    pfc__processor.ran = PFC__READY_BEFORE;
}

static void every_entry_is_counted(void **state)
{
    pfc__u64 timed = node("hot")->timed, untimed = node("hot")->untimed;
    (void)state;
    hot(1000000);
    timed = node("hot")->timed - timed;
    untimed = node("hot")->untimed - untimed;
    assert_int_equal(timed + untimed, 1000000);
    assert_true(untimed > 50000 && untimed < 250000); /* one window in eight */
}

static void few_entries_are_all_timed(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < PFC__REVIEW; i++) {
        PFC_SCOPE("seldom");
        hot(100);
    }
    assert_int_equal(node("seldom")->timed, PFC__REVIEW);
    assert_int_equal(node("seldom")->untimed, 0);
}

/* Their timing hardly shows, and what they take varies. */
static void long_entries_are_all_timed(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < 20 * PFC__REVIEW; i++) {
        PFC_SCOPE("long");
        work(50000);
        hot(10);
    }
    assert_int_equal(node("long")->timed, 20 * PFC__REVIEW);
    assert_int_equal(node("long")->untimed, 0);
}

static void a_path_with_one_long_entry_is_always_timed(void **state)
{
    pfc__u64 timed, untimed;
    int i;
    (void)state;
    {
        PFC_SCOPE("mixed");
        for (i = 0; i < 100; i++) {
            work(1000000);
            hot(PFC__WINDOW);
        }
    }
    timed = node("mixed")->timed;
    untimed = node("mixed")->untimed;
    for (i = 0; i < 100000; i++) {
        PFC_SCOPE("mixed");
        work(10);
    }
    assert_int_equal(node("mixed")->timed - timed, 100000);
    assert_int_equal(node("mixed")->untimed, untimed);
}

/* Its untimed entries leave no frame behind, and are doubled in their own way. */
static void a_leaf_is_counted_as_any_other(void **state)
{
    pfc__node_t *twig;
    double lt;
    (void)state;
    dose = 3;
    twigs(2000000);
    assert_true(fabs(pfc__cost.light - 3) < 0.5);
    assert_true(fabs(pfc__cost.pair - 43) < 0.5);
    lt = (double)pfc_lt() - undisturbed;
    twigs(1000000);
    assert_true(fabs((double)pfc_lt() - undisturbed - lt) < 0.01 * 180e6);
    dose = 0;
    twig = node("twig");
    assert_int_equal(twig->timed + twig->untimed, 3000000);
    assert_true(twig->untimed > 200000);
    assert_non_null(twig->child);
}

/* The reader gives untimed entries the mean of the timed ones, and takes it from the parent. */
static void the_total_stays(void **state)
{
    char why[PFC_WHY];
    pfc_profile_t *p;
    size_t i;
    double sum = 0;
    (void)state;
    pfc_stop();
    p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    if (!p) fail_msg("%s", why);
    for (i = 0; i < p->paths; i++) sum += p->path[i].stats.exclusive.lt;
    assert_true(fabs(sum - p->total.lt) < 1e-6 * p->total.lt);
    for (i = 0; i < p->regions; i++) {
        pfc_stats_t *s = &p->region[i].stats;
        const char *name = p->region[i].name;
        if (!strcmp(name, "hot")) assert_true(fabs(s->exclusive.lt - hot_undisturbed) < 0.05 * hot_undisturbed); /* costs follow with a delay */
        if (!strcmp(name, "twig")) assert_true(fabs(s->exclusive.lt - twig_undisturbed) < 0.05 * twig_undisturbed);
        if (!strcmp(name, "leaf")) {
            assert_true(fabs(s->exclusive.lt - leaf_undisturbed) < 0.05 * leaf_undisturbed);
            assert_int_equal(s->count, 6000000);
            assert_true(s->untimed > 400000);
        }
    }
    pfc_profile_close(p);
}

/* Where windows are off nobody has seen what a pair takes in the program's code; unless perfcomp check has. */
static void an_empty_pair_is_in_doubt(void **state)
{
    pfc__cost_t cost;
    (void)state;
    memset(&cost, 0, sizeof cost);
    cost.pair = cost.empty_pair = 40;
    cost.pair_spread = 2;
    pfc__costs_unseen(&cost);
    assert_float_equal(cost.pair, 40, 1e-9);
    assert_float_equal(cost.pair_spread, 22, 1e-9);
    assert_float_equal(cost.inside_spread, 10, 1e-9);
    cost.pair_spread = 0;
    pfc__settings.scale = 1;
    pfc__settings.scale_doubt = 0;
    pfc__costs_unseen(&cost);
    pfc__settings.scale = 0;
    assert_float_equal(cost.pair_spread, 0, 1e-9);
}

/* Writing them is a third of what a probe costs, and more. */
static void a_trace_s_events_are_part_of_an_empty_probe(void **state)
{
    (void)state;
    pfc__settings.trace = 1;
    pfc__scratch_trace.written = 0;
    pfc__empty_pairs(PFC__WINDOW_USUAL, 3);
    pfc__settings.trace = 0;
    pfc__scratch_reset(PFC__WINDOW_LIGHT);
    assert_int_equal(pfc__scratch_trace.written, 2 * 3);
    assert_null(pfc__scratch.thread.ring);
}

int main(void)
{
    pfc__schedstat = "schedstat";
    schedstat("0 0 0\n"); /* one that an earlier run has left tells nothing either */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guess_is_in_doubt), cmocka_unit_test(empty_costs_are_right_where_nothing_is_hidden),
        cmocka_unit_test(costs_follow_the_program), cmocka_unit_test(a_second_dose_shows_the_first),
        cmocka_unit_test(a_handler_may_leave_amid_a_dose),
        cmocka_unit_test(branches_that_are_foretold_wrong_between_windows_are_in_none),
        cmocka_unit_test(what_is_rare_and_costs_much_is_part_of_the_mean),
        cmocka_unit_test(interrupts_are_charged), cmocka_unit_test(switches_are_no_interference),
        cmocka_unit_test(a_scale_corrects_what_no_window_shows), cmocka_unit_test(a_leaf_is_counted_as_any_other),
        cmocka_unit_test(who_shares_the_processor_pays_more_for_probes),
        cmocka_unit_test(who_sleeps_pays_for_no_wakeups),
        cmocka_unit_test(timers_that_are_asked_for_are_no_time_of_the_programs),
        cmocka_unit_test(another_thread_may_be_looked_at), cmocka_unit_test(a_threads_begin_is_no_interruption),
        cmocka_unit_test(a_fork_takes_none_of_the_programs_time), cmocka_unit_test(each_copy_of_the_dose_has_its_turn),
        cmocka_unit_test(a_system_that_tells_nothing_of_its_processors_is_taken_at_its_last_word),
        cmocka_unit_test(every_entry_is_counted), cmocka_unit_test(a_path_with_one_long_entry_is_always_timed), cmocka_unit_test(few_entries_are_all_timed), cmocka_unit_test(long_entries_are_all_timed),
        cmocka_unit_test(an_empty_pair_is_in_doubt), cmocka_unit_test(a_trace_s_events_are_part_of_an_empty_probe), cmocka_unit_test(the_total_stays),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
