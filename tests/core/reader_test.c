/* The reader on profiles built by hand: what it makes of sound ones, and that
   it survives all others. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "opened.h"
#include "sanitized.h"
#include <sys/wait.h>

/* ---- sound profiles */

static void service_data(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p = opened(&b);
    (void)state;
    assert_string_equal(p->file, path);
    assert_string_equal(p->command, "./program one");
    assert_string_equal(p->host, "elsewhere.example");
    assert_string_equal(p->clock, "TSC");
    assert_string_equal(p->compiler, "");
    assert_int_equal(p->run, PFC_ENDED);
    assert_int_equal(p->pid, 42);
    assert_int_equal(p->notes, 1);
    assert_string_equal(p->note[0], "something happened");
    near(p->cost.pair, 10);
    near(p->cost.hit_spread, .25);
    pfc_profile_close(p);
}

/* By hand: 1,000,000 ns of CT, 2012 ticks of Δ; main is open since tick 1000. */
static void times(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    (void)state;
    built_service(&b, "h");
    built_regions(&b);
    built_thread(&b);
    p = opened(&b);
    assert_int_equal(p->regions, 4);
    assert_int_equal(p->paths, 4);
    near(p->total.ct, 1000000);
    near(p->total.lt, 998994);
    near(p->path[0].stats.exclusive.lt, 495);
    near(p->path[1].stats.exclusive.ct, 799500);
    near(p->path[1].stats.exclusive.lt, 798999);
    near(p->path[1].stats.inclusive.lt, 998499);
    assert_int_equal(p->path[1].stats.count, 1);
    assert_int_equal(p->path[1].stats.open, 1);
    near(p->path[2].stats.exclusive.lt, 199500);
    near(p->path[2].stats.shortest, 1995);
    near(p->path[2].stats.longest, 2005);
    assert_int_equal(p->path[3].stats.count, 0);
    assert_true(p->region[3].stats.longest < p->region[3].stats.shortest);
    assert_string_equal(p->region[2].name, "work");
    near(p->region[2].stats.inclusive.lt, 199500);
    assert_int_equal(p->pairs, 101);
    near(p->thread[0].end, 1000000);
    near(p->thread[0].end_lt, 1000000 - 2012 / 2.);
    pfc_profile_close(p);
}

/* A record that has had another thread before: this one's time begins with it, not with the profile. */
static void times_of_a_later_thread(void **state)
{
    built_t b = built_new();
    pfc__thread_t *t;
    pfc__frame_t *f;
    pfc_profile_t *p;
    (void)state;
    built_regions(&b);
    t = built_next_thread(&b);
    built_thread(&b);
    f = (pfc__frame_t *)(void *)(b.bytes + ((pfc__uptr)t->bottom - BUILT_BASE));
    t->tick_begin = f->begin = BUILT_BEGIN + 400;
    t->generations = 2;
    p = opened(&b);
    near(p->path[0].stats.exclusive.ct, 500 - 200);
    near(p->thread[0].begin, 200);
    pfc_profile_close(p);
}

/* Main calls work, which is open and untimed, as `begin` tells. */
static void open_and_untimed(pfc__i64 begin, int count, int untimed)
{
    built_t b = built_new();
    pfc__u64 nodes;
    pfc__thread_t *t;
    pfc__frame_t *f;
    pfc_profile_t *p;
    built_regions(&b);
    t = built_next_thread(&b);
    nodes = built_thread(&b);
    t->top++;
    f = (pfc__frame_t *)(void *)(b.bytes + ((pfc__uptr)t->top - BUILT_BASE));
    f->node = (pfc__node_t *)built_pointer(nodes + 2 * sizeof(pfc__node_t));
    f->begin = begin;
    f->depth = 2;
    p = opened(&b);
    assert_int_equal(p->path[2].stats.count, 100 + count);
    assert_int_equal(p->path[2].stats.untimed, untimed);
    near(p->path[1].stats.inclusive.ct, 999500);
    assert_int_equal(p->thread[0].now, count ? 2 : 1);
    pfc_profile_close(p);
}

/* One in a direct recursion is no entry that lacks its time; what isn't quite entered, or shows what was there before, is none. */
static void open_untimed_entries(void **state)
{
    (void)state;
    open_and_untimed(PFC__UNTIMED, 1, 1);
    open_and_untimed(PFC__UNTIMED_NESTED, 1, 1);
    open_and_untimed(PFC__UNTIMED_AGAIN, 1, 0);
    open_and_untimed(PFC__NOT_BEGUN, 0, 0);
    open_and_untimed(BUILT_BEGIN + 999, 0, 0);
}

/* A thread of a program on that host; and on this one. */
static pfc__thread_t *built_on(built_t *b, const char *host)
{
    pfc__thread_t *t;
    built_service(b, host);
    built_regions(b);
    t = built_next_thread(b);
    built_thread(b);
    return t;
}

static pfc__thread_t *built_here(built_t *b)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return built_on(b, host);
}

/* Of a program that died its threads' last signs of life tell, the latest of all. */
static void a_dead_programs_end(void **state)
{
    (void)state;
    for (int by_thread = 0; by_thread < 2; by_thread++) {
        built_t b = built_new();
        pfc__thread_t *t = built_here(&b);
        pfc_profile_t *p;
        t->tick_end = BUILT_BEGIN + (by_thread ? 600000 : 0);
        built_header(&b)->tick_end = 0;
        built_header(&b)->state = PFC__RUNNING;
        built_header(&b)->pid = -1;
        p = opened(&b);
        assert_int_equal(p->run, PFC_DIED);
        near(p->total.ct, by_thread ? 300000 : 200500);
        pfc_profile_close(p);
    }
}

/* Who may be amid a function that always returns. */
static pfc__u32 may_be_amid(pfc_run_t run, pfc__u64 left, pfc__u64 amid, pfc__u32 state, pfc__i64 tick_end)
{
    pfc__image_t image;
    pfc_profile_t p;
    pfc__thread_t t;
    pfc__build_t b;
    memset(&image, 0, sizeof image);
    memset(&p, 0, sizeof p);
    memset(&t, 0, sizeof t);
    memset(&b, 0, sizeof b);
    image.header.header_bytes = sizeof image.header;
    image.header.state = run == PFC_ENDED ? PFC__ENDED : PFC__RUNNING;
    image.header.left = left;
    image.header.amid = amid;
    image.header.tick_end = 1000;
    b.image = &image, b.p = &p, b.thread = &t;
    p.run = run, p.threads = state != PFC__ENDED ? 1 : 0;
    t.state = state;
    t.tick_end = tick_end;
    return pfc__in_flight(&b);
}

static void who_is_in_flight(void **state)
{
    (void)state;
    assert_int_equal(may_be_amid(PFC_ENDED, 0, 0, PFC__ENDED, 0), 0);
    assert_int_equal(may_be_amid(PFC_ENDED, 0, 0, PFC__RUNNING, 1000), 0); /* who ended the run */
    assert_int_equal(may_be_amid(PFC_ENDED, 0, 0, PFC__RUNNING, 999), 1);
    assert_int_equal(may_be_amid(PFC_ENDED, 0, 0, PFC__WAITING, 999), 0);
    assert_int_equal(may_be_amid(PFC_ENDED, 0, 1, PFC__RUNNING, 1000), 1); /* a handler has, which may have come amid anything */
    assert_int_equal(may_be_amid(PFC_DIED, 0, 0, PFC__RUNNING, 0), 1);
    assert_int_equal(may_be_amid(PFC_DIED, 0, 0, PFC__WAITING, 0), 0);
    assert_int_equal(may_be_amid(PFC_RUNNING, 0, 0, PFC__WAITING, 0), 1);  /* it may go on meanwhile */
    assert_int_equal(may_be_amid(PFC_RUNNING, 0, 0, PFC__ENDED, 0), 1);    /* its only thread has no record yet */
    assert_int_equal(may_be_amid(PFC_DIED, 0, 0, PFC__ENDED, 0), 1);
    assert_int_equal(may_be_amid(PFC_DIED, PFC__LEFT_BY_EXIT, 0, PFC__RUNNING, 0), 0); /* it called _exit */
    assert_int_equal(may_be_amid(PFC_DIED, PFC__LEFT_BY_EXEC, 1, PFC__RUNNING, 0), 1);
}

/* What is uncertain inside of a region is so outside with the other sign. */
static void uncertainty(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    (void)state;
    built_regions(&b);
    built_thread(&b);
    p = opened(&b);
    near(p->path[2].stats.exclusive.u, 100 * .5);
    near(p->path[1].stats.exclusive.u, 99 * .5 + 100 * 1);
    near(p->path[1].stats.inclusive.u, 1 * .5 + 100 * 1);
    near(p->total.u, 101);
    pfc_profile_close(p);
}

static void without_compensation(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    (void)state;
    built_header(&b)->compensate = 0;
    p = opened(&b);
    near(p->total.lt, 1000000);
    near(p->path[2].stats.exclusive.lt, 200000);
    near(p->total.u, 0);
    pfc_profile_close(p);
}

/* 300 hits: 260 in work, 40 in helper, which is no region. 0.5 ns each. */
static void hits(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p = opened(&b);
    double helper = 40 * .5, work = 260 * .5;
    (void)state;
    assert_int_equal(p->hits, 300);
    assert_int_equal(p->hits_spread, 40);
    near(p->total.lt, 998994 - work - helper);
    near(p->path[2].stats.exclusive.lt, 199500 - work - helper * 199500 / 998994);
    near(p->path[2].stats.hits, 260 + 40 * 199500. / 998994);
    near(p->path[0].stats.hits + p->path[1].stats.hits + p->path[2].stats.hits, 300);
    near(p->total.u, 101 + 300 * .25);
    pfc_profile_close(p);
}

/* Work comes out below zero where main calls it 100 times, and above it where it was called once, beside main: that has
   no more than its part of the counts. */
static void hits_of_time_below_zero(void **state)
{
    built_t b = built_new();
    pfc__u64 nodes;
    pfc_profile_t *p;
    (void)state;
    built_regions(&b);
    nodes = built_thread(&b);
    built_node(&b, nodes, 2, 1, 2, 100, 1000, 1010);
    built_node(&b, nodes, 3, 0, 2, 1, 12, 10);
    built_counters(&b, built_unit(&b, 0), 100, 60, 100, 40);
    p = opened(&b);
    assert_true(p->path[2].stats.exclusive.lt < 0 && p->path[2].stats.hits > 200);
    assert_true(p->path[3].stats.hits > 0 && p->path[3].stats.hits < 10);
    near(p->path[0].stats.hits + p->path[1].stats.hits + p->path[2].stats.hits + p->path[3].stats.hits, 300);
    pfc_profile_close(p);
}

/* Where a thread waits no block is counted: helper's 40 hits are of the regions that compute, however long it waited. */
static void hits_but_of_waits(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    (void)state;
    built_regions(&b);
    built_node(&b, built_thread(&b), 3, 2, 3, 1, 300000, 0);
    built_counters(&b, built_unit(&b, 0), 100, 60, 100, 40);
    p = opened(&b);
    near(p->path[3].stats.exclusive.lt, 150000);
    near(p->path[3].stats.hits, 0);
    near(p->path[2].stats.hits, 260 + 40 * 199500. / 998994);
    near(p->path[0].stats.hits + p->path[1].stats.hits + p->path[2].stats.hits, 300);
    pfc_profile_close(p);
}

/* 60 of them are of a sum: those cost a tenth, and how much is known to within 0.6 of the others' uncertainty. */
static void hits_added_up_at_once(void **state)
{
    built_t b = built_new();
    pfc__u64 unit;
    pfc_profile_t *p;
    char *text;
    (void)state;
    built_regions(&b);
    built_thread(&b);
    unit = b.used;
    built_counters(&b, built_unit(&b, 0), 100, 60, 100, 40);
    built_summed(&b, unit);
    p = opened(&b);
    assert_int_equal(p->summed_hits, 60);
    near(p->total.lt, 998994 - 240 * .5 - 60 * .05);
    near(p->total.u, 101 + 240 * .25 + 60 * .15);
    near(p->path[0].stats.hits + p->path[1].stats.hits + p->path[2].stats.hits, 300);
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "300 blocks counted at 0.50 ± 0.25 ns\n"
                "                   (60 of them turns of loops that the compiler counts in a register: next to nothing)\n");
    free(text);
    pfc_profile_close(p);
}

/* Where they are added atomically, each is as dear as 40 others. */
static void hits_by_several_threads(void **state)
{
    built_t b = built_new();
    pfc__u64 at;
    pfc_profile_t *p;
    char *text;
    (void)state;
    built_regions(&b);
    built_thread(&b);
    at = built_unit(&b, 0);
    built_counters(&b, at, 100, 60, 100, 40);
    ((pfc__extent_t *)(void *)(b.bytes + at) - 1)->adding = 1;
    built_header(&b)->atomic_hits = 40;
    built_header(&b)->atomic_doubt = .1;
    p = opened(&b);
    assert_int_equal(p->atomic_hits, 300);
    near(p->total.lt, 998994 - 300 * 40 * .5);
    near(p->total.u, 101 + 300 * 40 * .5 * .1);
    near(p->path[0].stats.hits + p->path[1].stats.hits + p->path[2].stats.hits, 300);
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "300 blocks counted at 0.50 ± 0.25 ns, of them 300 atomically at 20.00 ± 2.00 ns");
    free(text);
    pfc_profile_close(p);
}

/* Its 100 entries have found their thread's counters first, at so many ns each, ± a quarter. */
static pfc_profile_t *opened_with_fetches(double ns)
{
    built_t b = built_new();
    pfc__u64 unit;
    built_regions(&b);
    built_thread(&b);
    unit = b.used;
    built_counters(&b, built_unit(&b, 1), 100, 60, 100, 40);
    ((pfc__extent_t *)(void *)(b.bytes + unit))->of.fetch = (pfc__i64)(ns * BUILT_TICKS_PER_NS * (1 << PFC__FRACTION));
    built_header(&b)->fetch_doubt = .25;
    return opened(&b);
}

static void entries_that_find_their_counters(void **state)
{
    pfc_profile_t *p[2], *both;
    char *text;
    (void)state;
    p[0] = opened_with_fetches(8);
    p[1] = opened_with_fetches(4);
    near(p[0]->fetches, 100);
    near(p[0]->total.lt, 998994 - 300 * .5 - 100 * 8);
    near(p[0]->total.u, 101 + 300 * .25 + 100 * 2);
    text = text_of((const pfc_profile_t *const *)p, 1, 0, 0);
    holds(text, "300 blocks counted at 0.50 ± 0.25 ns\n"
                "                   (in 100 entries of functions that first find their thread's counters, at 8.00 ± 2.00 ns)\n");
    free(text);
    both = pfc_profile_merge((const pfc_profile_t *const *)p, 2);
    assert_non_null(both);
    near(both->fetches, 200);
    near(both->fetch, 6);
    near(both->fetch_spread, 1.5);
    pfc_profile_close(both);
    pfc_profile_close(p[0]);
    pfc_profile_close(p[1]);
}

/* They cost what they cost, whether Δ has their share already or not. */
static void hits_charged_already(void **state)
{
    built_t b = built_new(), full = built_full();
    pfc_profile_t *p, *before = opened(&full);
    int i;
    (void)state;
    built_regions(&b);
    built_thread_of(&b, sizeof(pfc__thread_t), 250);
    built_counters(&b, built_unit(&b, 0), 100, 60, 100, 40);
    p = opened(&b);
    near(p->total.lt, before->total.lt);
    near(p->total.u, before->total.u);
    for (i = 0; i < 4; i++) near(p->path[i].stats.exclusive.lt, before->path[i].stats.exclusive.lt);
    pfc_profile_close(p);
    pfc_profile_close(before);
}

static void counts(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p = opened(&b);
    (void)state;
    assert_int_equal(p->units, 1);
    assert_int_equal(p->functions, 3);
    assert_int_equal(p->blocks, 7);
    assert_string_equal(p->unit[0].directory, "/somewhere/source");
    assert_string_equal(p->unit[0].trouble, "");
    assert_string_equal(p->function[0].name, "work");
    assert_int_equal(p->function[0].region, 2);
    assert_int_equal(p->function[1].region, PFC_NONE);
    assert_int_equal(p->function[0].hits, 260);
    assert_int_equal(p->block[2].low, 40);
    assert_int_equal(p->block[2].high, 40);
    assert_int_equal(p->block[2].counted, 0);
    assert_int_equal(p->block[4].low, 40);
    assert_int_equal(p->block[6].low, 60 + 40); /* its calls */
    assert_int_equal(p->block[6].high, 60 + 40);
    assert_string_equal(p->source[p->block[2].file].name, "work.c");
    pfc_profile_close(p);
}

/* A file of before minor 6 tells nothing of lines without code, of before 8 and 9 less than it could. */
static void gaps(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < 5; i++) {
        const pfc__u64 sizes[5] = { PFC__UNIT_RECORD_LEAST, offsetof(pfc__unit_record_t, summed_table),
                                    offsetof(pfc__unit_record_t, callers), offsetof(pfc__unit_record_t, packed),
                                    sizeof(pfc__unit_record_t) };
        pfc__u64 record = sizes[i];
        built_t b = built_new();
        pfc_profile_t *p;
        built_regions(&b);
        built_thread(&b);
        built_counters(&b, built_unit_of(&b, 0, record), 100, 60, 100, 40);
        p = opened(&b);
        assert_int_equal(p->block[2].low, 40);
        assert_int_equal(p->gaps, i > 0);
        assert_int_equal(p->functions, i < 3 ? 2 : 3);
        assert_int_equal(p->unit[0].gaps, p->gaps);
        if (p->gaps) assert_int_equal(p->gap[0].line + p->gap[0].line_end + p->gap[0].file, 13 + 13 + p->unit[0].file);
        pfc_profile_close(p);
    }
}

static void counts_in_flight(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    (void)state;
    built_regions(&b);
    built_thread(&b);
    built_counters(&b, built_unit(&b, 1), 100, 60, 98, 0); /* two were left by longjmp */
    p = opened(&b);
    assert_int_equal(p->block[2].low, 38);
    assert_int_equal(p->block[2].high, 40);
    assert_int_equal(p->block[0].high, 100);
    pfc_profile_close(p);
}

static void counts_that_contradict(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    (void)state;
    built_regions(&b);
    built_thread(&b);
    built_counters(&b, built_unit(&b, 0), 100, 160, 100, 0);
    p = opened(&b);
    assert_true(p->block[2].high == UINT64_MAX);
    assert_int_equal(p->block[1].low, 160);
    pfc_profile_close(p);
}

static void of_few_samples(void **state)
{
    static const double student[][2] = { { 1, 12.706 }, { 2, 4.303 }, { 4, 2.776 }, { 9, 2.262 }, { 30, 2.042 }, { 1e6, 1.96 } };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof student / sizeof *student; i++) assert_true(fabs(pfc__student(student[i][0]) / student[i][1] - 1) < .02);
}

/* tiny below work: 10 timed of 200 ticks each on the mean, 90 untimed. */
static void sampling(void **state)
{
    built_t b = built_new();
    pfc__sample_t s;
    pfc_profile_t *p;
    pfc__u64 nodes;
    (void)state;
    built_regions(&b);
    nodes = built_thread(&b);
    built_node(&b, nodes, 3, 2, 3, 10, 2000, 0);
    built_untimed(&b, nodes, 3, 90, 0);
    memset(&s, 0, sizeof s);
    s.node = 3;
    s.timed = 10;
    s.sum = 2000;
    s.sum_squares = 10 * 200. * 200. + 9 * 25; /* standard deviation 5 ticks */
    built_put(&b, built_extent(&b, PFC__SAMPLES, sizeof s, 1, 1, 0, 0), &s, sizeof s);
    p = opened(&b);
    near(p->path[3].stats.exclusive.lt, 100 * 100);
    near(p->path[2].stats.exclusive.lt, 199500 - 90 * 100);
    near(p->path[2].stats.inclusive.lt, 199500 + 1000);
    assert_int_equal(p->path[3].stats.untimed, 90);
    assert_int_equal(p->untimed, 90);
    assert_int_equal(p->pairs, 101 + 10);
    near(sqrt(p->path[3].stats.exclusive.variance), pfc__student(9) * 2.5 * sqrt(90 * (90 / 10. + 1)));
    near(p->path[2].stats.inclusive.variance, 0); /* what went from one to the other stays in the sum */
    near(p->path[2].stats.exclusive.variance, p->path[3].stats.exclusive.variance);
    assert_true(p->cost.inside_spread > 0); /* of the mean, too: it is as wrong as each timed entry */
    near(p->path[3].stats.exclusive.error[PFC_ERROR_INSIDE], 100 * p->cost.inside_spread);
    near(p->path[2].stats.exclusive.error[PFC_ERROR_INSIDE], (100 - 100) * p->cost.inside_spread);
    near(p->path[2].stats.exclusive.error[PFC_ERROR_LIGHT], 90 * p->cost.light_spread);
    near(p->path[3].stats.exclusive.error[PFC_ERROR_LIGHT], 0);
    near(p->path[3].stats.exclusive.u, 100 * p->cost.inside_spread + sqrt(p->path[3].stats.exclusive.variance));
    pfc_profile_close(p);
}

/* A path's samples: 10 entries of `each` ticks on the mean. */
static void built_samples(built_t *b, pfc__u32 node, double each, double deviation)
{
    pfc__sample_t s;
    memset(&s, 0, sizeof s);
    s.node = node;
    s.timed = 10;
    s.sum = 10 * each;
    s.sum_squares = 10 * each * each + 9 * deviation * deviation;
    built_put(b, built_extent(b, PFC__SAMPLES, sizeof s, 1, 1, 0, 0), &s, sizeof s);
}

/* Of work and tiny below it 10 entries were timed and 1000 weren't, 20 of tiny's in those of work that were. Work's took
   20 ticks each on the mean, its own included; tiny's, one of which was preempted, 200: 20 of those are more than all that
   was measured there, and the others get a thousand times as little, which is as uncertain. */
static void a_long_sample_below(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    pfc__u64 nodes;
    double taken;
    (void)state;
    built_regions(&b);
    nodes = built_thread(&b);
    built_node(&b, nodes, 2, 1, 2, 10, 200, 0);
    built_node(&b, nodes, 3, 2, 3, 10, 2000, 0);
    built_untimed(&b, nodes, 2, 1000, 0);
    built_untimed(&b, nodes, 3, 1000, 980);
    built_samples(&b, 2, 20, 0);
    built_samples(&b, 3, 200, 5);
    p = opened(&b);
    near(p->path[3].stats.exclusive.lt, 1010 * 100);
    near(p->path[2].stats.exclusive.lt, 101 * (100 - 20 * 100));
    taken = sqrt(p->path[3].stats.exclusive.variance) * 20 / 1000;
    near(p->path[2].stats.exclusive.variance, taken * taken * (1 + (1000 * 10 / 100.) * (1000 * 10 / 100.)));
    pfc_profile_close(p);
}

/* 400 entries of tiny took 200,000 ticks, the longest of them `longest`; 400 more weren't timed. Of work, above it, ns ±. */
static void with_a_longest(pfc__i64 longest, int folded, double *tiny, double *work)
{
    built_t b = built_new();
    pfc_profile_t *p;
    pfc__u64 nodes;
    pfc__node_t *n;
    built_regions(&b);
    nodes = built_thread(&b);
    built_node(&b, nodes, 2, 1, 2, 400, 20000, 0);
    built_node(&b, nodes, 3, 2, 3, 400, 200000, 0);
    built_untimed(&b, nodes, 2, 400, 0);
    built_untimed(&b, nodes, 3, 400, 0);
    n = (pfc__node_t *)(void *)(b.bytes + nodes);
    n[2].longest = longest + 50;
    n[3].longest = longest;
    n[3].manner = (unsigned short)(folded ? PFC__MANNER_FOLDED : 0);
    p = opened(&b);
    *tiny = sqrt(p->path[3].stats.exclusive.variance);
    *work = sqrt(p->path[2].stats.exclusive.variance);
    pfc_profile_close(p);
}

static void one_long_entry_is_in_the_doubt(void **state)
{
    double t = pfc__student(399) * sqrt(400 * 2.), tiny, work;
    (void)state;
    with_a_longest(2000, 0, &tiny, &work); /* mean: 500 ticks of ½ ns */
    near(tiny, t * 500);
    near(sqrt(work * work - tiny * tiny), t * 2 * 25);
    with_a_longest(180000, 0, &tiny, &work); /* it lies in one entry of work, too, but is tiny's own */
    near(tiny, t * 90000 / sqrt(400));
    assert_true(tiny > 50000);
    near(sqrt(work * work - tiny * tiny), t * (180050. / 2 / 11) / sqrt(400));
    with_a_longest(180000, 1, &tiny, &work); /* recursion: it holds the others */
    near(tiny, t * 500);
}

/* 10 entries of tiny took 2000 ticks, 10 weren't timed; paths that take longer than `brief` always are. Of tiny: ns. */
static double with_brief(pfc__i64 brief, double budget)
{
    built_t b = built_new();
    pfc_profile_t *p;
    pfc__u64 nodes;
    pfc__thread_t *t;
    double lt;
    built_regions(&b);
    built_header(&b)->budget = budget;
    t = built_next_thread(&b);
    nodes = built_thread(&b);
    t->brief = brief;
    built_node(&b, nodes, 3, 2, 3, 10, 2000, 0);
    built_untimed(&b, nodes, 3, 10, 0);
    p = opened(&b);
    lt = p->path[3].stats.exclusive.lt;
    near(p->path[2].stats.inclusive.lt, 199500 + 1000); /* it is taken from work */
    pfc_profile_close(p);
    return lt;
}

static void untimed_entries_were_brief(void **state)
{
    (void)state;
    near(with_brief(1000, 0), 2000);
    near(with_brief(50, 0), 1000 + 10 * 25); /* it has become slow since */
    near(with_brief(50, 0.02), 2000);
}

static pfc_profile_t *with_untimed(pfc__u64 untimed, pfc__u64 nested)
{
    built_t b = built_new();
    pfc__u64 nodes;
    built_regions(&b);
    nodes = built_thread(&b);
    built_node(&b, nodes, 2, 1, 2, 90, 90 * 60, 0);
    built_node(&b, nodes, 3, 2, 3, 90, 90 * 20, 0);
    built_untimed(&b, nodes, 2, untimed, 0);
    built_untimed(&b, nodes, 3, untimed, nested);
    return opened(&b);
}

static double inside_error(const pfc_profile_t *p, size_t path) { return p->path[path].stats.exclusive.error[PFC_ERROR_INSIDE]; }

/* main, always timed, calls work 100 times, and that tiny 100 times. Of both 10 are untimed. */
static void nested_untimed(void **state)
{
    pfc_profile_t *all_timed = with_untimed(0, 0), *all_nested = with_untimed(10, 10), *half_nested = with_untimed(10, 5);
    double before = all_timed->path[1].stats.exclusive.lt;
    (void)state;
    near(all_nested->path[3].stats.exclusive.lt, 100 * 10); /* all below untimed entries of work: the time lies with main */
    near(all_nested->path[2].stats.exclusive.lt, 100 * 30);
    near(all_nested->path[1].stats.exclusive.lt, before - 10 * (30 + 10));
    near(half_nested->path[3].stats.exclusive.lt, 100 * 10);
    near(half_nested->path[2].stats.exclusive.lt, (90 * 30 - 5 * 10) / 90. * 100);
    near(half_nested->path[1].stats.inclusive.lt, all_timed->path[1].stats.inclusive.lt);
    assert_int_equal(all_nested->path[2].stats.count, 100);
    near(all_nested->path[1].stats.exclusive.variance, all_nested->path[2].stats.exclusive.variance + all_nested->path[3].stats.exclusive.variance);
    near(half_nested->path[2].stats.exclusive.variance,
         all_nested->path[2].stats.exclusive.variance + .25 * half_nested->path[3].stats.exclusive.variance);
    near(half_nested->path[1].stats.exclusive.variance, half_nested->path[2].stats.inclusive.variance);
    near(half_nested->path[1].stats.inclusive.variance, 0);
    near(all_nested->path[1].stats.exclusive.ct, all_timed->path[1].stats.exclusive.ct - 10 * (30 + 10));
    near(half_nested->path[1].stats.inclusive.ct, all_timed->path[1].stats.inclusive.ct);
    near(inside_error(all_nested, 2), 90 * .5 + 10 * .5 - 90 * .5); /* what lies inside of stamps is as wrong in an estimate */
    near(inside_error(all_nested, 1), .5 - 90 * .5 - (10 + 10) * .5);
    near(inside_error(half_nested, 2), 90 * .5 + 10 * .5 - (90 + 5) * .5);
    near(inside_error(half_nested, 1), .5 - 90 * .5 - (10 + 5) * .5);
    pfc_profile_close(all_timed);
    pfc_profile_close(all_nested);
    pfc_profile_close(half_nested);
}

/* None of work's entries was timed: there's nothing to estimate them by, but what was estimated below is in main's time. */
static void nested_in_what_was_never_timed(void **state)
{
    pfc_profile_t *p[2];
    int i;
    (void)state;
    for (i = 0; i < 2; i++) {
        built_t b = built_new();
        pfc__u64 nodes;
        built_regions(&b);
        nodes = built_thread(&b);
        built_node(&b, nodes, 2, 1, 2, 0, 0, 0);
        built_untimed(&b, nodes, 2, 100, 0);
        built_node(&b, nodes, 3, 2, 3, 10, 2000, 0);
        built_untimed(&b, nodes, 3, i ? 10 : 0, i ? 10 : 0);
        p[i] = opened(&b);
    }
    near(p[1]->path[3].stats.exclusive.lt, 2000);
    near(p[1]->path[2].stats.exclusive.lt, -1000);
    near(p[1]->path[1].stats.inclusive.lt, p[0]->path[1].stats.inclusive.lt);
    near(inside_error(p[1], 2), inside_error(p[0], 2) - 10 * .5);
    near(p[1]->path[2].stats.exclusive.variance, p[1]->path[3].stats.exclusive.variance);
    pfc_profile_close(p[0]);
    pfc_profile_close(p[1]);
}

/* Their memory is given back; what else the profile tells stays as it is. */
static void forgotten_blocks(void **state)
{
    enum { MANY = 1 << 15 };
    built_t b = built_full();
    uint64_t ones[MANY];
    size_t at;
    pfc_profile_t *p;
    char *before, *after;
    (void)state;
    memset(ones, 0xff, sizeof ones);
    at = (size_t)built_extent(&b, PFC__COUNTERS, 8, MANY, 0, 9, 0); /* of no unit */
    built_put(&b, at, ones, sizeof ones);
    p = opened(&b);
    before = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    assert_int_not_equal(p->image->bytes[at + sizeof ones / 2], 0);
    pfc_profile_forget_blocks(p);
    assert_int_equal(p->image->bytes[at + sizeof ones / 2], 0);
    assert_int_equal(p->blocks, 0);
    assert_int_equal(p->gaps, 0);
    assert_int_equal(p->unit[0].blocks, 0);
    assert_string_equal(p->function[0].name, "work");
    after = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    assert_string_equal(after, before);
    free(before);
    free(after);
    assert_false(pfc_profiles_write("merged.pfc", (const pfc_profile_t *const *)&p, 1, why, sizeof why));
    holds(why, "merged.pfc: can't be written: of built.pfc not all is in memory; open it anew");
    assert_int_not_equal(access("merged.pfc", F_OK), 0);
    pfc_profile_close(p);
}

/* Six events written, the last four kept. */
static pfc_profile_t *opened_with_trace(pfc__u32 run)
{
    built_t b = built_new();
    pfc__u64 at, i;
    built_regions(&b);
    built_thread(&b);
    at = built_extent(&b, PFC__EVENTS, sizeof(pfc__event_t), 4, 6, 0, 0);
    for (i = 2; i < 6; i++) {
        pfc__event_t event;
        memset(&event, 0, sizeof event);
        event.lt = BUILT_BEGIN + 10 * (pfc__i64)i;
        event.kind = PFC__EVENT_ENTER;
        event.region = 2;
        built_put(&b, at + i % 4 * sizeof event, &event, sizeof event);
    }
    built_header(&b)->state = run;
    return opened(&b);
}

/* While it runs the next event is being written over the oldest. */
static void trace(void **state)
{
    static const pfc__u32 runs[] = { PFC__ENDED, PFC__RUNNING };
    pfc_event_info_t e;
    pfc__u64 k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        pfc_profile_t *p = opened_with_trace(runs[k]);
        assert_int_equal(p->thread[0].events, 4 - k);
        assert_int_equal(p->thread[0].events_lost, 2 + k);
        for (i = 0; i < 4 - k; i++) {
            assert_true(pfc_profile_event(p, 0, i, &e));
            near(e.lt, 5 * (double)(i + 2 + k));
            assert_int_equal(e.region, 2);
        }
        assert_false(pfc_profile_event(p, 0, 4 - k, &e));
        pfc_profile_close(p);
    }
}

/* Before minor 11 a message had neither tag nor length, and before minor 17 no communicator. */
static void messages_of_a_trace(void **state)
{
    static const pfc__u32 layouts[] = { PFC__EVENT_LEAST, offsetof(pfc__event_t, communicator), sizeof(pfc__event_t) };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const pfc__u32 bytes = layouts[i];
        built_t b = built_new();
        pfc_profile_t *p;
        pfc_event_info_t e;
        pfc__event_t event = { BUILT_BEGIN, PFC__EVENT_RECEIVED, 2, -5, 3, 70000, (pfc__u64)1 << 40, -6, 1, 2 };
        pfc__u64 at;
        built_regions(&b);
        built_thread(&b);
        at = built_extent(&b, PFC__EVENTS, bytes, 4, 1, 0, 0);
        built_put(&b, at, &event, bytes);
        p = opened(&b);
        assert_true(pfc_profile_event(p, 0, 0, &e));
        assert_int_equal(e.kind, PFC__EVENT_RECEIVED);
        assert_int_equal(e.sent, -5);
        assert_int_equal(e.sender, 3);
        assert_true(e.bytes == (i >= 1 ? event.bytes : 0));
        if (i >= 1) assert_int_equal(e.tag, 70000);
        assert_int_equal(e.communicator, i >= 2 ? -6 : 0);
        assert_int_equal(e.source, i >= 2 ? 1 : 0);
        assert_int_equal(e.rank, i >= 2 ? 2 : 0);
        pfc_profile_close(p);
    }
}

/* Waits have changed a thread's Δ, which is 300 ns more certain than its probes tell. Of the third region: below main one that
   waited long, and below work one that ended at once, and would have waited. */
static pfc_profile_t *opened_with_change(const char *third, pfc__u32 kind)
{
    built_t b = built_new();
    pfc__u64 nodes;
    pfc__thread_t *t;
    built_regions_and(&b, third, kind);
    t = built_next_thread(&b);
    nodes = built_thread(&b);
    t->met_change = built_fixed(-300 * BUILT_TICKS_PER_NS);
    built_node(&b, nodes, 3, 1, 3, 1, 20000, 0);
    ((pfc__extent_t *)(void *)(b.bytes + nodes) - 1)->count = 5;
    built_node(&b, nodes, 4, 2, 3, 1, 20, -4000);
    return opened(&b);
}

/* How far their change of Δ is uncertain is said of the calls that changed it: not of a long wait that didn't. */
static void doubts_of_changed_waits(void **state)
{
    pfc_profile_t *p = opened_with_change("pthread_join", PFC__NAMED), *none = opened_with_change("tiny", PFC__FUNCTION);
    (void)state;
    near(p->path[3].stats.exclusive.error[PFC_ERROR_PAIR], 0);
    near(p->path[4].stats.exclusive.lt, 2010);
    near(p->path[4].stats.exclusive.error[PFC_ERROR_PAIR], -300);
    assert_true(p->path[4].stats.exclusive.u >= 299);
    near(none->path[4].stats.exclusive.error[PFC_ERROR_PAIR], 0); /* none: the thread's */
    near(none->path[0].stats.exclusive.error[PFC_ERROR_PAIR] - p->path[0].stats.exclusive.error[PFC_ERROR_PAIR], -300);
    pfc_profile_close(p);
    pfc_profile_close(none);
}

/* What reading its timers took a thread is known to a half. */
static void doubt_of_looks(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p, *none = opened_with_change("tiny", PFC__FUNCTION);
    pfc__thread_t *t;
    (void)state;
    built_regions_and(&b, "tiny", PFC__FUNCTION);
    t = built_next_thread(&b);
    built_thread(&b);
    t->looked = built_fixed(400 * BUILT_TICKS_PER_NS);
    p = opened(&b);
    near(p->path[0].stats.exclusive.error[PFC_ERROR_PAIR] - none->path[0].stats.exclusive.error[PFC_ERROR_PAIR], 200 + 300);
    pfc_profile_close(p);
    pfc_profile_close(none);
}

/* Of MPI's calls the uncertainty is known one by one: what is left may be of them or of other waits, which nobody can tell. */
static void doubts_beside_mpis(void **state)
{
    built_t b = built_new();
    pfc__u64 regions, nodes;
    pfc__thread_t *t;
    pfc_profile_t *p;
    (void)state;
    regions = b.used + sizeof(pfc__extent_t);
    built_regions_and(&b, "pthread_join", PFC__NAMED);
    built_region(&b, regions, 1, "MPI_Recv", "", 0, PFC__MPI_CALL);
    t = built_next_thread(&b);
    nodes = built_thread(&b);
    t->met_change = built_fixed(-300 * BUILT_TICKS_PER_NS);
    built_node(&b, nodes, 3, 1, 3, 1, 20, -4000);
    p = opened(&b);
    near(p->path[3].stats.exclusive.error[PFC_ERROR_PAIR], 0);
    near(p->path[0].stats.exclusive.error[PFC_ERROR_PAIR], 0 + 1 * p->cost.pair_spread - 300);
    pfc_profile_close(p);
}

/* A thread that has ended, without regions; ns. */
static void built_ended(built_t *b, pfc__u32 id, pfc__i64 ct, pfc__i64 delta, pfc__i64 slept, pfc__i64 waited)
{
    pfc__thread_t t;
    pfc__u64 nodes;
    memset(&t, 0, sizeof t);
    t.id = id;
    t.state = PFC__ENDED;
    t.own = built_fixed(delta * BUILT_TICKS_PER_NS);
    t.slept = slept * BUILT_TICKS_PER_NS;
    t.waited = waited * BUILT_TICKS_PER_NS;
    built_put(b, built_extent(b, PFC__THREADS, sizeof t, 1, 1, id, 0), &t, sizeof t);
    nodes = built_extent(b, PFC__NODES, sizeof(pfc__node_t), 1, 1, id, 0);
    built_node(b, nodes, 0, 0, 0, 1, ct * BUILT_TICKS_PER_NS, 0);
}

/* Who slept in no call that waits may have slept for others' probes: as long as those of one of them took, at most. */
static void doubts_of_sleep(void **state)
{
    static const double doubt[] = { 1000, 500, 0 };
    built_t b = built_new();
    pfc_profile_t *p;
    size_t i;
    (void)state;
    built_ended(&b, 0, 10000, 3000, 5000, 0); /* by its own it was not kept */
    built_ended(&b, 1, 10000, 1000, 2000, 1500);
    built_ended(&b, 2, 10000, 0, 100, 0);     /* the hypervisor's */
    p = opened(&b);
    assert_int_equal(p->threads, 3);
    for (i = 0; i < 3; i++) {
        near(p->path[i].stats.exclusive.error[PFC_ERROR_WAIT], doubt[i]);
        near(p->path[i].stats.inclusive.error[PFC_ERROR_WAIT], doubt[i]);
        near(p->thread[i].total.u, doubt[i]);
    }
    near(p->slept, 5500);
    pfc_profile_close(p);
}

/* Of what a thread has counted all is charged to its own paths, though it was never seen in the function. */
static void hits_of_a_thread_without_time(void **state)
{
    built_t b = built_new();
    pfc__u64 unit, counters;
    pfc_profile_t *p;
    (void)state;
    built_regions(&b);
    built_thread(&b);
    built_ended(&b, 1, 0, 0, 0, 0);
    built_ended(&b, 2, 5000, 0, 0, 0);
    unit = b.used;
    built_counters(&b, built_unit(&b, 0), 100, 60, 100, 0);
    ((pfc__extent_t *)(void *)(b.bytes + unit))->of.fetch = built_fixed(10);
    counters = built_extent(&b, PFC__COUNTERS, 8, 8, 4, 1, 2);
    built_counters(&b, counters, 10, 6, 10, 7);
    counters = built_extent(&b, PFC__COUNTERS, 8, 8, 4, 1, 3);
    built_counters(&b, counters, 0, 0, 0, 9);
    p = opened(&b);
    assert_int_equal(p->hits, 260 + 33 + 9);
    near(p->path[p->thread[1].root].stats.hits, 33);
    near(p->path[p->thread[2].root].stats.hits, 9);
    near(p->path[2].stats.hits, 260);
    near(p->path[2].stats.hits + p->path[1].stats.hits + p->path[0].stats.hits, 260);
    near(p->fetches, 10); /* the process's own are at their place */
    pfc_profile_close(p);
}

/* Tiny below work and below main; a region has what all its paths have. */
static void sums_of_regions(void **state)
{
    built_t b = built_new();
    pfc__u64 nodes;
    pfc_profile_t *p;
    const pfc_stats_t *tiny;
    (void)state;
    built_regions_and(&b, "tiny", PFC__FUNCTION);
    nodes = built_thread(&b);
    ((pfc__extent_t *)(void *)(b.bytes + nodes) - 1)->count = 6;
    built_node(&b, nodes, 3, 2, 3, 10, 2000, 0);
    built_node(&b, nodes, 4, 1, 3, 10, 1000, 0);
    built_node(&b, nodes, 5, 4, 3, 2, 600, 0);
    built_untimed(&b, nodes, 4, 7, 0);
    built_counters(&b, built_unit(&b, 0), 100, 60, 100, 40);
    p = opened(&b);
    tiny = &p->region[3].stats;
    assert_int_equal(tiny->count, 10 + 17 + 2);
    assert_int_equal(tiny->untimed, 7);
    near(tiny->shortest, (100 - 10) / 2.);
    near(tiny->longest, (300 + 10) / 2.);
    near(tiny->exclusive.ct, p->path[3].stats.exclusive.ct + p->path[4].stats.exclusive.ct + p->path[5].stats.exclusive.ct);
    near(tiny->hits, p->path[3].stats.hits + p->path[4].stats.hits + p->path[5].stats.hits);
    assert_true(tiny->hits > 0);
    assert_int_equal(p->region[1].stats.open, 1);
    assert_int_equal(tiny->open, 0);
    pfc_profile_close(p);
}

static void merged(void **state)
{
    built_t a = built_full(), b = built_full();
    pfc_profile_t *p[2], *both;
    (void)state;
    p[0] = opened(&a);
    p[1] = opened(&b);
    p[0]->scale = 1.25;
    p[0]->scale_doubt = 0.01;
    both = pfc_profile_merge((const pfc_profile_t *const *)p, 2);
    assert_non_null(both);
    near(both->scale, 1.25); /* or the report of a job wouldn't say what its costs were multiplied by */
    near(both->scale_doubt, 0.01);
    assert_int_equal(both->regions, 4);
    assert_int_equal(both->paths, 4);
    near(both->sum.lt, 2 * p[0]->total.lt);
    near(both->total.lt, p[0]->total.lt);
    near(both->path[2].stats.exclusive.lt, 2 * p[0]->path[2].stats.exclusive.lt);
    near(both->path[2].stats.exclusive.u, 2 * p[0]->path[2].stats.exclusive.u);
    assert_int_equal(both->path[2].stats.count, 200);
    assert_int_equal(both->notes, 1); /* the same in both */
    assert_int_equal(both->noted[0], 2);
    pfc_profile_close(both);
    pfc_profile_close(p[0]);
    pfc_profile_close(p[1]);
}

/* It's a profile as others are: whoever goes through the threads finds them, and so do the reports. */
static void merged_threads(void **state)
{
    built_t a = built_new(), b = built_new();
    const pfc_report_options_t options = { .all = 1 };
    FILE *nowhere = fopen("/dev/null", "w");
    const pfc_profile_t *one;
    pfc_profile_t *p[2], *both;
    pfc_event_info_t event;
    (void)state;
    built_service(&a, "h"), built_regions(&a), built_thread(&a);
    built_service(&b, "h"), built_regions(&b), built_thread(&b);
    p[0] = opened(&a);
    p[1] = opened(&b);
    one = both = pfc_profile_merge((const pfc_profile_t *const *)p, 2);
    assert_non_null(both);
    assert_int_equal(both->threads, 2);
    near(both->thread[0].total.lt + both->thread[1].total.lt, both->sum.lt);
    assert_int_equal(both->path[both->thread[1].root].parent, PFC_NONE);
    assert_string_equal(both->region[both->path[both->thread[1].now].region].name, "main");
    assert_false(pfc_profile_event(both, 1, 0, &event));
    pfc_report_json(nowhere, &one, 1);
    pfc_report_text(nowhere, &one, 1, &options);
    fclose(nowhere);
    pfc_profile_close(both);
    pfc_profile_close(p[0]);
    pfc_profile_close(p[1]);
}

static void merged_run_is(pfc_run_t first, int left, pfc_run_t second, int left_too, pfc_run_t is, int is_left)
{
    built_t a = built_full(), b = built_full();
    pfc_profile_t *p[2] = { opened(&a), opened(&b) }, *both;
    p[0]->run = first;
    p[0]->left = left;
    p[1]->run = second;
    p[1]->left = left_too;
    both = pfc_profile_merge((const pfc_profile_t *const *)p, 2);
    assert_int_equal(both->run, is);
    assert_int_equal(both->left, is_left);
    pfc_profile_close(both);
    pfc_profile_close(p[0]);
    pfc_profile_close(p[1]);
}

/* Where all have ended, if without exit handlers, nothing is behind by some operations. */
static void merged_runs(void **state)
{
    static const struct { pfc_run_t run; int left; } order[] = { { PFC_ENDED, 0 }, { PFC_DIED, PFC__LEFT_BY_EXEC }, { PFC_RUNNING, 0 }, { PFC_DIED, 0 } };
    size_t i, k;
    (void)state;
    for (i = 0; i < 4; i++)
        for (k = 0; k < 4; k++) {
            size_t least = i > k ? i : k;
            merged_run_is(order[i].run, order[i].left, order[k].run, order[k].left, order[least].run, order[least].left);
        }
}

/* What came after an earlier look is a time with an uncertainty of its own: added to that, it gives the later one. */
static void since_an_earlier_look(void **state)
{
    built_t built = built_full();
    pfc_profile_t *p = opened(&built);
    pfc_time_t earlier = p->path[2].stats.exclusive, later = earlier, step;
    (void)state;
    pfc_time_add(&later, &p->path[1].stats.exclusive);
    step = later;
    pfc_time_since(&step, &earlier);
    near(step.lt, p->path[1].stats.exclusive.lt);
    near(step.ct, p->path[1].stats.exclusive.ct);
    near(step.u, p->path[1].stats.exclusive.u);
    pfc_time_since(&later, &later);
    near(later.lt, 0);
    near(later.u, 0);
    pfc_profile_close(p);
}

/* ---- running, ended, died */

static pfc_run_t run_of(const char *host, pfc__i64 pid, pfc__u64 start)
{
    built_t b = built_new();
    pfc__thread_t *t = built_on(&b, host);
    pfc_profile_t *p;
    pfc_run_t run;
    t->tick_end--; /* it hasn't ended the run */
    built_header(&b)->state = PFC__RUNNING;
    built_header(&b)->pid = pid;
    built_header(&b)->process_start = start;
    built_header(&b)->utc_begin_ns = pfc__utc_now() - 1000000000;
    p = opened(&b);
    run = p->run;
    if (run != PFC_RUNNING) near((double)(p->last_utc_ns - p->begin_utc_ns), 1e6);
    else assert_true(p->total.ct > .9e9);
    pfc_profile_close(p);
    return run;
}

/* While it writes its profile it is still there: the run is over, and its time must not go back when that is known. */
static void ending_program(void **state)
{
    enum { BY_STOP, BY_EXIT, HAS_BEGUN, WAYS };
    int way;
    (void)state;
    for (way = 0; way < WAYS; way++) {
        built_t b = built_new();
        pfc__thread_t *t = built_here(&b);
        pfc_profile_t *p;
        if (way == BY_EXIT) t->tick_end--, built_header(&b)->left = PFC__LEFT_BY_EXIT;
        if (way == HAS_BEGUN) t->tick_end = built_header(&b)->tick_end = BUILT_BEGIN; /* by fork */
        built_header(&b)->state = PFC__RUNNING;
        built_header(&b)->pid = getpid();
        built_header(&b)->process_start = 0;
        built_header(&b)->utc_begin_ns = pfc__utc_now() - 1000000000;
        p = opened(&b);
        assert_int_equal(p->run, PFC_RUNNING);
        if (way == HAS_BEGUN) assert_true(p->total.ct > .9e9);
        else near(p->total.ct, 1e6), near((double)(p->last_utc_ns - p->begin_utc_ns), 1e6);
        pfc_profile_close(p);
    }
}

/* Until the profile is closed the other threads go on, beyond the end of the run that one of them has told. */
static void threads_behind_the_end(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    (void)state;
    built_regions(&b);
    built_thread(&b);
    built_header(&b)->tick_end = BUILT_BEGIN + 300000; /* work alone has taken 400000 ticks */
    p = opened(&b);
    near(p->path[1].stats.exclusive.ct, 0);
    near(p->path[1].stats.inclusive.ct, 200000);
    near(p->path[0].stats.exclusive.ct, 500);
    near(p->thread[0].end, 200500);
    near((double)(p->last_utc_ns - p->begin_utc_ns), 150000);
    pfc_profile_close(p);
}

/* A copy of a running program's file, looked at when the program is gone, tells of no end: the file does. */
static void ended_while_it_was_read(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    (void)state;
    built_header(&b)->state = PFC__RUNNING;
    built_seal(&b);
    built_write(&b, path);
    p = pfc_profile_open(path, why, sizeof why);
    if (!p) fail_msg("%s", why);
    assert_false(pfc__has_ended_meanwhile(p));
    built_header(&b)->state = PFC__ENDED;
    built_seal(&b);
    built_write(&b, path);
    assert_true(pfc__has_ended_meanwhile(p));
    unlink(path); /* PERFCOMP_LIVE */
    assert_true(pfc__has_ended_meanwhile(p));
    pfc_profile_close(p);
    built_free(&b);
}

static void states(void **state)
{
    char host[256] = "";
    pid_t gone = fork();
    (void)state;
    if (gone == 0) _exit(0);
    waitpid(gone, 0, 0);
    gethostname(host, sizeof host - 1);
    assert_int_equal(run_of(host, getpid(), pfc__process_start(getpid())), PFC_RUNNING);
    assert_int_equal(run_of(host, getpid(), 0), PFC_RUNNING); /* no /proc there: the pid must do */
    assert_int_equal(run_of(host, getpid(), pfc__process_start(getpid()) + 1), PFC_DIED);
    assert_int_equal(run_of(host, gone, 12345), PFC_DIED);
    assert_int_equal(run_of(host, -1, 0), PFC_DIED);
    assert_int_equal(run_of("another.example", getpid(), 0), PFC_ELSEWHERE);
}

/* How many entries leaf may have had less than were counted, with its thread in that state. */
static pfc__u64 in_flight(pfc__u32 thread, pfc__u32 run, pfc__i64 pid)
{
    built_t b = built_new();
    pfc__thread_t *t = built_here(&b);
    pfc_profile_t *p;
    pfc__u64 doubt;
    t->state = thread;
    t->tick_end--; /* another one has ended the run */
    built_counters(&b, built_unit(&b, 0), 100, 60, 100, 40);
    built_header(&b)->state = run;
    built_header(&b)->pid = pid;
    p = opened(&b);
    doubt = p->block[5].high - p->block[5].low;
    pfc_profile_close(p);
    return doubt;
}

static void threads_that_wait(void **state)
{
    (void)state;
    assert_int_equal(in_flight(PFC__ENDED, PFC__ENDED, -1), 0);
    assert_int_equal(in_flight(PFC__RUNNING, PFC__ENDED, -1), 1);
    assert_int_equal(in_flight(PFC__WAITING, PFC__ENDED, -1), 0);
    assert_int_equal(in_flight(PFC__RUNNING, PFC__RUNNING, -1), 1); /* died */
    assert_int_equal(in_flight(PFC__WAITING, PFC__RUNNING, -1), 0);
    assert_int_equal(in_flight(PFC__WAITING, PFC__RUNNING, getpid()), 1); /* while it is read, it may go on */
}

/* A real one, read while it runs, by its file and by its own mapping. */
static void running_program(void **state)
{
    char *text = 0;
    size_t bytes = 0, i, found = 0;
    FILE *file;
    pfc_profile_t *p;
    (void)state;
    PFC_BEGIN("outer");
    for (i = 0; i < 100; i++) { PFC_SCOPE("inner"); }
    p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    if (!p) fail_msg("%s", why);
    assert_int_equal(p->run, PFC_RUNNING);
    for (i = 0; i < p->regions; i++) {
        const pfc_region_info_t *r = &p->region[i];
        if (!strcmp(r->name, "inner")) { found++; assert_int_equal(r->stats.count, 100); }
        if (!strcmp(r->name, "outer")) { found++; assert_int_equal(r->stats.open, 1); }
    }
    assert_int_equal(found, 2);
    assert_string_equal(p->region[p->path[p->thread[0].now].region].name, "outer");
    assert_true(p->thread[0].since > 0 && p->thread[0].since <= p->total.ct);
    assert_false(p->thread[0].waits);
    pfc_profile_close(p);
    file = open_memstream(&text, &bytes);
    pfc_report(file);
    fclose(file);
    assert_non_null(strstr(text, "inner"));
    assert_non_null(strstr(text, "still running"));
    free(text);
    PFC_END("outer");
}

/* ---- other versions */

static void newer_minor_version(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    (void)state;
    built_header(&b)->minor = PFC__LAYOUT_MINOR + 1;
    built_header(&b)->header_bytes += 64;
    built_extent(&b, 999, 16, 4, 4, 0, 0); /* a kind that we don't know */
    p = opened(&b);
    near(p->path[2].stats.shortest, 1995);
    pfc_profile_close(p);
}

static void older_version(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    (void)state;
    built_header(&b)->major = PFC__LAYOUT_OLDEST;
    built_header(&b)->minor = 0;
    built_regions(&b);
    built_thread_of(&b, PFC__THREAD_LEAST, 0);
    p = opened(&b);
    near(p->total.lt, 998994);
    pfc_profile_close(p);
}

static void other_versions(void **state)
{
    built_t b = built_full();
    (void)state;
    built_header(&b)->major = PFC__LAYOUT_MAJOR + 1;
    built_seal(&b);
    refused(&b, "newer version");
    b = built_full();
    built_header(&b)->byte_order = __builtin_bswap32(PFC__BYTE_ORDER);
    refused(&b, "byte order");
    b = built_full();
    built_header(&b)->byte_order = PFC__BYTE_ORDER_32;
    refused(&b, "written by a program of 32 bits");
}

/* ---- bad input */

/* A long name of a file, by folders of one letter. */
static const char *nested(const char *folder, int folders, const char *file)
{
    static char name[PATH_MAX];
    size_t at = (size_t)snprintf(name, sizeof name, "%s", folder);
    while (folders--) at += (size_t)snprintf(name + at, sizeof name - at, "/d");
    snprintf(name + at, sizeof name - at, "%s", file);
    return name;
}

static void no_profile(void **state)
{
    static const char text[] = "#!/bin/sh\necho a script\n";
    built_t b = built_full();
    (void)state;
    memcpy(b.bytes, text, sizeof text);
    refused(&b, "not a profile");
    b = built_full();
    memset(b.bytes, 0, b.used);
    refused(&b, "no profile yet");
    b = built_full();
    built_header(&b)->byte_order = 0; /* written last */
    refused(&b, "begun just now");
    b = built_full();
    b.used = 0;
    refused(&b, "empty");
    assert_null(pfc_profile_open("/nonexistent/x.pfc", why, sizeof why));
    assert_non_null(strstr(why, "can't be read"));
    assert_null(pfc_profile_open(nested("/nonexistent", 600, "/x.pfc"), why, sizeof why));
    assert_non_null(strstr(why, "/x.pfc: can't be read: No such file or directory"));
    assert_null(pfc_profile_open(".", why, sizeof why));
    assert_non_null(strstr(why, "folder"));
    assert_null(pfc_profile_open("/dev/zero", why, sizeof why));
    assert_non_null(strstr(why, "no regular file"));
    unlink("pipe");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_null(pfc_profile_open("pipe", why, sizeof why)); /* and doesn't wait for a writer */
    assert_null(pfc_profile_open(path, why, 0));            /* no room for a message */
    assert_null(pfc_profile_open("/nonexistent/x.pfc", why, 4));
}

static void truncated_at_every_length(void **state)
{
    built_t b = built_full();
    size_t n;
    (void)state;
    built_write(&b, path);
    for (n = b.used; n-- > 0;) {
        assert_int_equal(truncate(path, (off_t)n), 0);
        why[0] = 0;
        assert_null(pfc_profile_open(path, why, sizeof why));
        assert_memory_equal(why, "built.pfc: ", 11);
        assert_non_null(strstr(why, "; ")); /* what is wrong; the mend */
    }
    built_free(&b);
}

static void uses(const pfc_profile_t *p)
{
    static const pfc_report_options_t all = { 0, 1, 0 };
    FILE *file = fopen("/dev/null", "w");
    pfc_report_text(file, &p, 1, &all);
    pfc_report_json(file, &p, 1);
    fclose(file);
}

enum { BITS_APART = ADDRESS_SANITIZED ? 3 : 1 }; /* with a sanitiser one in three, in each byte others: all would take long */

/* One byte is wrong. With checksums, as a run has that has ended, that is always found out. */
static void flipped(pfc__u32 run, int every_bit)
{
    built_t b = built_full();
    size_t i;
    int fd;
    built_header(&b)->state = run;
    built_seal(&b);
    built_write(&b, path);
    fd = open(path, O_WRONLY);
    for (i = 0; i < b.used; i++) {
        int bit;
        for (bit = every_bit ? (int)(i % BITS_APART) : 0; bit < (every_bit ? 8 : 1); bit += BITS_APART) {
            unsigned char byte = (unsigned char)(b.bytes[i] ^ (every_bit ? 1 << bit : 0xff));
            pfc_profile_t *p;
            assert_int_equal(pwrite(fd, &byte, 1, (off_t)i), 1);
            p = pfc_profile_open(path, why, sizeof why);
            if (p && run == PFC__ENDED && (i < sizeof(pfc__header_t) || i >= BUILT_PAGE)) fail_msg("byte %zu is wrong, and isn't missed", i);
            if (p) uses(p);
            else assert_memory_equal(why, "built.pfc: ", 11);
            pfc_profile_close(p);
        }
        assert_int_equal(pwrite(fd, b.bytes + i, 1, (off_t)i), 1);
    }
    close(fd);
    built_free(&b);
}

static void every_byte_flipped_ended(void **state) { (void)state; flipped(PFC__ENDED, 0); }
static void every_byte_flipped_running(void **state) { (void)state; flipped(PFC__RUNNING, 0); }
static void every_bit_flipped_running(void **state) { (void)state; flipped(PFC__RUNNING, 1); }

/* A process made without fork that is found out, and counts itself, when its parent's profile has its checksums already. */
static void strays_may_write_behind_the_end(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    (void)state;
    built_header(&b)->state = PFC__ENDED;
    built_seal(&b);
    b.bytes[b.used - 1] ^= 1;
    built_write(&b, path);
    assert_null(pfc_profile_open(path, why, sizeof why));
    built_header(&b)->strayed += 2 * PFC__STEP;
    built_write(&b, path);
    p = pfc_profile_open(path, why, sizeof why);
    assert_non_null(p);
    assert_int_equal(p->strays, 2);
    pfc_profile_close(p);
    built_free(&b);
}

/* Whole words replaced by values that like to break things. */
static void hostile_words(void **state)
{
    static const pfc__u64 value[] = { 0, 1, 0x7fffffffu, 0xffffffffu, 0x7fffffffffffffffu, 0x8000000000000000u, 0xffffffffffffffffu, BUILT_BASE, 0x7ff8000000000000u };
    size_t i, k;
    int fd;
    built_t b = built_full();
    (void)state;
    built_header(&b)->state = PFC__RUNNING;
    built_seal(&b);
    built_write(&b, path);
    fd = open(path, O_WRONLY);
    for (i = 0; i + 8 <= b.used; i += 4)
        for (k = 0; k < sizeof value / sizeof *value; k++) {
            pfc_profile_t *p;
            assert_int_equal(pwrite(fd, &value[k], 8, (off_t)i), 8);
            p = pfc_profile_open(path, why, sizeof why);
            if (p) uses(p);
            pfc_profile_close(p);
            assert_int_equal(pwrite(fd, b.bytes + i, 8, (off_t)i), 8);
        }
    close(fd);
    built_free(&b);
}

/* A sparse file that claims to be a huge profile costs neither its size nor minutes. */
static void huge_and_hollow(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    (void)state;
    built_header(&b)->state = PFC__RUNNING;
    built_seal(&b);
    built_write(&b, path);
    assert_int_equal(truncate(path, (off_t)1 << 36), 0);
    p = pfc_profile_open(path, why, sizeof why);
    assert_non_null(p); /* backed further than used, as while it grows */
    pfc_profile_close(p);
    assert_int_equal(truncate(path, ((off_t)1 << 36) + 1), 0);
    assert_null(pfc_profile_open(path, why, sizeof why));
    assert_non_null(strstr(why, "larger"));
    built_free(&b);
    unlink(path);
}

static void wrong_references(void **state)
{
    built_t b;
    pfc__u64 at;
    (void)state;
    b = built_new(); /* a parent that comes after its child */
    built_regions(&b);
    at = built_thread(&b);
    built_node(&b, at, 2, 3, 2, 1, 1, 1);
    built_seal(&b);
    refused(&b, "call path");
    b = built_new(); /* a region that isn't there */
    built_regions(&b);
    at = built_thread(&b);
    built_node(&b, at, 2, 1, 4, 1, 1, 1);
    built_seal(&b);
    refused(&b, "call path");
    b = built_new(); /* text without an end */
    b.bytes[BUILT_PAGE + sizeof(pfc__extent_t) + 1023] = 'x';
    built_seal(&b);
    refused(&b, "text without end");
    b = built_new(); /* the same thread twice */
    built_regions(&b);
    built_thread(&b);
    built_thread(&b);
    built_seal(&b);
    refused(&b, "number of a thread");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(service_data),
        cmocka_unit_test(times),
        cmocka_unit_test(uncertainty),
        cmocka_unit_test(times_of_a_later_thread), cmocka_unit_test(open_untimed_entries), cmocka_unit_test(a_dead_programs_end),
        cmocka_unit_test(who_is_in_flight),
        cmocka_unit_test(without_compensation),
        cmocka_unit_test(hits_of_time_below_zero), cmocka_unit_test(hits), cmocka_unit_test(hits_but_of_waits),
        cmocka_unit_test(hits_added_up_at_once), cmocka_unit_test(hits_by_several_threads), cmocka_unit_test(entries_that_find_their_counters),
        cmocka_unit_test(hits_charged_already),
        cmocka_unit_test(counts),
        cmocka_unit_test(gaps), cmocka_unit_test(counts_in_flight),
        cmocka_unit_test(counts_that_contradict),
        cmocka_unit_test(of_few_samples), cmocka_unit_test(sampling), cmocka_unit_test(a_long_sample_below), cmocka_unit_test(untimed_entries_were_brief),
        cmocka_unit_test(one_long_entry_is_in_the_doubt), cmocka_unit_test(nested_untimed), cmocka_unit_test(nested_in_what_was_never_timed),
        cmocka_unit_test(forgotten_blocks),
        cmocka_unit_test(trace),
        cmocka_unit_test(messages_of_a_trace),
        cmocka_unit_test(merged), cmocka_unit_test(doubts_of_changed_waits), cmocka_unit_test(doubt_of_looks), cmocka_unit_test(doubts_beside_mpis),
        cmocka_unit_test(doubts_of_sleep), cmocka_unit_test(hits_of_a_thread_without_time), cmocka_unit_test(sums_of_regions),
        cmocka_unit_test(merged_threads), cmocka_unit_test(merged_runs), cmocka_unit_test(since_an_earlier_look),
        cmocka_unit_test(states), cmocka_unit_test(ending_program), cmocka_unit_test(threads_behind_the_end),
        cmocka_unit_test(ended_while_it_was_read), cmocka_unit_test(threads_that_wait),
        cmocka_unit_test(running_program),
        cmocka_unit_test(newer_minor_version),
        cmocka_unit_test(older_version),
        cmocka_unit_test(other_versions),
        cmocka_unit_test(no_profile),
        cmocka_unit_test(truncated_at_every_length),
        cmocka_unit_test(strays_may_write_behind_the_end), cmocka_unit_test(every_byte_flipped_ended),
        cmocka_unit_test(every_byte_flipped_running),
        cmocka_unit_test(every_bit_flipped_running),
        cmocka_unit_test(hostile_words),
        cmocka_unit_test(huge_and_hollow),
        cmocka_unit_test(wrong_references),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
