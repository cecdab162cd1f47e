/* The report: what stands in it, on profiles built by hand; large and deep ones. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "opened.h"

static void everything_asked_for(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    char *text;
    (void)state;
    built_header(&b)->unwound = 3;
    p = opened(&b);
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "./program one");
    holds(text, "rank 0 of 1, pid 42, ended after 1.000 ms");
    holds(text, "elsewhere.example");
    holds(text, "TSC, 2 GHz");
    holds(text, "null probe       10.00 ± 1.00 ns");
    holds(text, "101 regions entered and left, 300 blocks counted");
    holds(text, "40 of them are in functions that aren't timed");
    holds(text, "3 regions were left by longjmp");
    holds(text, "something happened");
    holds(text, "work  work.c:10");
    holds(text, "(1 open)\n");
    holds(text, "\n  open: not left by the end of what was recorded (");
    holds(text, "inlining");
    assert_null(strchr(text, '\033'));
    free(text);
    text = text_of((const pfc_profile_t *const *)&p, 1, 1, 0);
    holds(text, "\033[1m");
    free(text);
    pfc_profile_close(p);
}

static void why_there_is_nothing(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p = opened(&b);
    char *text;
    (void)state;
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    assert_null(strstr(text, "Nothing of the program is instrumented"));
    free(text);
    p->pairs = p->untimed = p->hits = 0;
    p->counters = p->functions = 0;
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "Nothing of the program is instrumented, or it was in no region");
    free(text);
    pfc_profile_close(p);
}

/* One is one. */
static void a_single_one(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    char *text;
    (void)state;
    built_header(&b)->unwound = 1;
    p = opened(&b);
    p->pairs = p->hits = p->hits_spread = 1;
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "1 region was left by longjmp, or by a missing exit: it ended");
    holds(text, "1 region entered and left, 1 block counted at");
    holds(text, "1 of them is in a function that isn't timed: spread");
    free(text);
    pfc_profile_close(p);
}

/* Of what is wrong in the program's text the first is named, also where profiles are merged; what is no region isn't. */
static void what_goes_wrong_is_named(void **state)
{
    built_t a = built_full(), b = built_new();
    pfc_profile_t *p[2];
    pfc__thread_t *t;
    char *text;
    (void)state;
    built_regions(&b);
    t = built_next_thread(&b);
    built_thread(&b);
    t->unclosed = t->stray_ends = t->unwound = 2;
    t->first_unclosed = 2;
    t->first_stray_end = 3;
    t->first_unwound = 99;
    p[0] = opened(&a);
    p[1] = opened(&b);
    text = text_of((const pfc_profile_t *const *)&p[1], 1, 0, 0);
    holds(text, "(PFC_END is missing).\n    The first: work  work.c:10\n");
    holds(text, "(PFC_BEGIN is missing).\n    The first: tiny\n");
    holds(text, "they ended when that was seen.\n  - ");
    free(text);
    text = text_of((const pfc_profile_t *const *)p, 2, 0, 0);
    holds(text, "The first: work  work.c:10\n");
    holds(text, "The first: tiny\n");
    free(text);
    pfc_profile_close(p[0]);
    pfc_profile_close(p[1]);
}

static void learned_costs_are_named(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    char *text;
    (void)state;
    built_header(&b)->scale = 1.25;
    built_header(&b)->scale_doubt = 0.01;
    p = opened(&b);
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "(1.250 ± 0.010 times what the run can see of it: PERFCOMP_SCALE)");
    free(text);
    pfc_profile_close(p);
}

static void a_shared_processor_is_named(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    struct pfc_mpi *mpi;
    char *text;
    (void)state;
    built_header(&b)->cost.dilation = 3;
    p = opened(&b);
    mpi = p->mpi;
    p->mpi = 0;
    p->threads = 1;
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "shared with others: 1 s of work took 3.00 s here");
    assert_null(strstr(text, "waits for its turn on a shared processor")); /* nobody else waits */
    free(text);
    p->threads = 2;
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    p->threads = 1;
    p->mpi = mpi;
    holds(text, "a thread that waits for its turn on a shared processor");
    free(text);
    pfc_profile_close(p);
}

/* A budget is for timing. When counting takes more than it, that is said. */
static void a_budget_that_counting_exceeds(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    char *text;
    (void)state;
    built_header(&b)->budget = .02;
    p = opened(&b);
    p->untimed = 100000; /* at 2 ns, of 1 ms */
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "budget           2 % is for timing; counting the untimed entries took 20.0 % of the run");
    free(text);
    p->untimed = 9000;
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    assert_null(strstr(text, "is for timing"));
    free(text);
    pfc_profile_close(p);
}

static void instrumentation_below_zero_is_explained(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p = opened(&b);
    char *text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    (void)state;
    assert_null(strstr(text, "instr below zero"));
    free(text);
    pfc_profile_close(p);
    b = built_new();
    built_regions(&b);
    built_node(&b, built_thread(&b), 2, 1, 2, 100, 400000, -100000);
    p = opened(&b);
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "instr below zero: undisturbed it would have waited longer");
    free(text);
    pfc_profile_close(p);
}

static void several_processes(void **state)
{
    built_t a = built_full(), b = built_full();
    pfc_profile_t *p[2];
    char *text;
    (void)state;
    built_header(&b)->rank = 1;
    built_text(&b, PFC__NOTES, "one of them alone\0" "something happened", 37); /* and that not for the first time */
    p[0] = opened(&a);
    p[1] = opened(&b);
    p[0]->delay_in = 400, p[1]->delay_in = -150;
    text = text_of((const pfc_profile_t *const *)p, 2, 0, 0);
    holds(text, "2 processes");
    holds(text, "    200  0.400000"); /* work, of both */
    holds(text, " summed over all threads; waits for others changed by +0.000250\n"); /* of both */
    holds(text, "  - something happened (said by 2 processes)\n");
    holds(text, "  - one of them alone\n");
    assert_null(strstr(strstr(text, "something happened") + 1, "something happened"));
    free(text);
    pfc_profile_close(p[0]);
    pfc_profile_close(p[1]);
}

/* Those at one place have one line: ranks in ranges, other processes by their numbers. */
static void where_processes_are(void **state)
{
    enum { RANKS = 30 };
    built_t b[RANKS];
    pfc_profile_t *p[RANKS];
    char *text;
    int i;
    (void)state;
    for (i = 0; i < RANKS; i++) {
        b[i] = built_full();
        p[i] = opened(&b[i]);
        p[i]->run = PFC_DIED, p[i]->size = RANKS, p[i]->rank = (pfc__u32)i;
        p[i]->thread[0].ended = 0, p[i]->thread[0].now = i == 3 || i > 7 ? 2 : 1; /* main > work, main */
    }
    p[5]->run = PFC_RUNNING;
    p[6]->run = PFC_ENDED;
    for (i = 9; i < RANKS; i += 2) p[i]->thread[0].now = 1;
    text = text_of((const pfc_profile_t *const *)p, RANKS, 0, 0);
    holds(text, "\nWhere they are, or were\n  was in     rank 0-2,4,7,9,11,13,15,17 and 6 more: main\n"
                "  was in     rank 3,8,10,12,14,16,18,20 and 4 more: main > work\n  is in      rank 5: main\n\n");
    free(text);
    for (i = 0; i < 4; i++) p[i]->size = 1, p[i]->pid = 70 + i;
    p[1]->left = PFC__LEFT_BY_EXIT;
    text = text_of((const pfc_profile_t *const *)p, 4, 0, 0);
    holds(text, "\nWhere they are, or were\n  was in     pid 70,72: main\n  was in     pid 73: main > work\n\n");
    free(text);
    for (i = 0; i < RANKS; i++) p[i]->run = PFC_ENDED;
    text = text_of((const pfc_profile_t *const *)p, RANKS, 0, 0);
    assert_null(strstr(text, "Where they are"));
    free(text);
    for (i = 0; i < RANKS; i++) pfc_profile_close(p[i]);
}

static void which_ran_what(void **state)
{
    built_t a = built_full(), b = built_full();
    pfc_profile_t *p[2];
    char *text;
    (void)state;
    p[0] = opened(&a);
    p[1] = opened(&b);
    text = text_of((const pfc_profile_t *const *)p, 2, 0, 0);
    holds(text, "perfcomp  2 processes: ./program one\n");
    holds(text, "  built.pfc\n");
    free(text);
    p[1]->command = "./another";
    text = text_of((const pfc_profile_t *const *)p, 2, 0, 0);
    holds(text, "perfcomp  2 processes of different command lines\n");
    holds(text, "  built.pfc  ./program one\n");
    holds(text, "  built.pfc  ./another\n");
    free(text);
    pfc_profile_close(p[0]);
    pfc_profile_close(p[1]);
}

/* Names come from the program: they must not control the terminal, nor break the JSON. */
static void hostile_names(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    pfc__u64 at;
    char *text;
    (void)state;
    at = built_extent(&b, PFC__REGIONS, sizeof(pfc__region_t), 1, 1, 0, 1);
    built_region(&b, at, 0, "\033[2J\"\\\xff", "", 0, PFC__NAMED);
    at = built_thread(&b);
    built_node(&b, at, 2, 1, 1, 1, 1, 1);
    built_node(&b, at, 3, 1, 1, 1, 1, 1);
    p = opened(&b);
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 1);
    holds(text, "?[2J\"\\");
    assert_null(strchr(text, '\033'));
    free(text);
    text = json_of((const pfc_profile_t *const *)&p, 1);
    holds(text, "\"\\u001b[2J\\\"\\\\\\ufffd\"");
    free(text);
    pfc_profile_close(p);
}

typedef void printing_t(FILE *, const char *);

static void prints(printing_t *print, const char *text, const char *wanted)
{
    char *is = 0;
    size_t bytes = 0;
    FILE *file = open_memstream(&is, &bytes);
    print(file, text);
    fclose(file);
    assert_string_equal(is, wanted);
    free(is);
}

static void print_text(FILE *file, const char *text) { pfc_print_text(file, text); }

/* What isn't UTF-8 (cut off, longer than need be, half a pair, beyond the last character) is none of a JSON's. */
static void characters(void **state)
{
    static const struct { const char *text, *json; } broken[] = {
        { "a\xc3(", "\"a\\ufffd(\"" }, { "\xe2\x82", "\"\\ufffd\\ufffd\"" }, { "\xc0\xaf", "\"\\ufffd\\ufffd\"" },
        { "\xe0\x80\x80", "\"\\ufffd\\ufffd\\ufffd\"" }, { "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
        { "\xf0\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" }, { "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" }, { "\xf5", "\"\\ufffd\"" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof broken / sizeof *broken; i++) prints(pfc_print_json, broken[i].text, broken[i].json);
    prints(pfc_print_json, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\x7f", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\\u007f\"");
    prints(pfc_print_utf8, "\xc3(\n\xc2\x85\xe2\x80\xa8\xc3\xa4", "\xef\xbf\xbd(???\xc3\xa4");
    prints(print_text, "\t\xc2\x9b" "2J\xc2\xa0\xc3\xa4\xff", "??2J\xc2\xa0\xc3\xa4\xff"); /* U+009B begins what ESC [ does */
}

static void long_commands(void **state)
{
    char text[200], wanted[200];
    (void)state;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    memcpy(text + 159, "\xc3\xa4", 2);
    snprintf(wanted, sizeof wanted, "%.159s…", text);
    prints(pfc__print_short, text, wanted);
    text[160] = 0, text[159] = 'a';
    prints(pfc__print_short, text, text);
}

static void print_instrumentation(FILE *file, const char *share) { pfc__print_instrumentation(file, atof(share)); }

static void shares_keep_their_columns(void **state)
{
    (void)state;
    prints(print_instrumentation, "0.25", " 25.0%");
    prints(print_instrumentation, "-0.25", "-25.0%");
    prints(print_instrumentation, "10.1", " >999%");
    prints(print_instrumentation, "-10.1", "<-999%");
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* `paths` below one another, or all below the root; over `regions` regions. */
static pfc_profile_t *large(uint32_t regions, uint32_t paths, int deep)
{
    built_t b = built_new();
    pfc__thread_t t;
    pfc__region_t r;
    pfc__node_t n;
    pfc__u64 at, strings;
    uint32_t i;
    strings = built_extent(&b, PFC__STRINGS, 1, 16 * (pfc__u64)regions, 16 * (pfc__u64)regions, 0, 0);
    at = built_extent(&b, PFC__REGIONS, sizeof r, regions, regions, 0, 1);
    memset(&r, 0, sizeof r);
    for (i = 0; i < regions; i++) {
        char name[16] = "";
        snprintf(name, sizeof name, "region %u", i);
        built_put(&b, strings + 16 * i, name, sizeof name);
        r.name = strings + 16 * i;
        r.kind = PFC__NAMED;
        built_put(&b, at + i * sizeof r, &r, sizeof r);
    }
    memset(&t, 0, sizeof t);
    t.state = PFC__RUNNING;
    built_put(&b, built_extent(&b, PFC__THREADS, sizeof t, 1, 1, 0, 0), &t, sizeof t);
    at = built_extent(&b, PFC__NODES, sizeof n, paths, paths, 0, 0);
    memset(&n, 0, sizeof n);
    for (i = 0; i < paths; i++) {
        n.id = i;
        n.parent = i == 0 ? 0 : deep ? i - 1 : (i - 1) / 16;
        n.region = i ? 1 + i % regions : 0;
        n.timed = 3;
        n.exclusive = 100 + i % 7;
        built_put(&b, at + i * sizeof n, &n, sizeof n);
    }
    return opened(&b);
}

static void ten_thousand_regions(void **state)
{
    double begin = seconds(), opened_at;
    pfc_profile_t *p = large(10000, 100000, 0);
    char *text;
    (void)state;
    opened_at = seconds();
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 1);
    print_message("10,000 regions, 100,000 paths: made and read in %.3f s, reported (%zu KiB) in %.3f s\n", opened_at - begin,
                  strlen(text) >> 10, seconds() - opened_at);
    holds(text, "region 9999");
    assert_true(seconds() - begin < 30);
    free(text);
    pfc_profile_close(p);
}

static char *text_of_fallen(pfc__u32 clock)
{
    built_t b = built_new();
    pfc_profile_t *p;
    pfc__u64 nodes;
    char *text;
    built_regions(&b);
    nodes = built_thread(&b);
    ((pfc__node_t *)(void *)(b.bytes + nodes))[2].exclusive = -400000;
    built_header(&b)->clock_kind = clock;
    p = opened(&b);
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    pfc_profile_close(p);
    return text;
}

/* A program's own clock may go back inside of a region: nothing else can explain what comes out then. */
static void a_clock_that_went_back_is_said(void **state)
{
    char *text = text_of_fallen(PFC__CLOCK_USER);
    (void)state;
    holds(text, "The program's own clock (PERFCOMP_CLOCK) went back");
    assert_null(strstr(text, "not every entry was timed"));
    free(text);
    text = text_of_fallen(PFC__CLOCK_TSC);
    assert_null(strstr(text, "went back"));
    free(text);
}

/* What is left out is small, not below zero. */
static void far_below_zero_is_shown(void **state)
{
    pfc_profile_t *p = large(60, 100, 0);
    char *text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    (void)state;
    assert_null(strstr(text, "below zero"));
    assert_non_null(strstr(text, "21 regions left out"));
    free(text);
    p->region[7].stats.exclusive.ct = p->region[7].stats.exclusive.lt = -1000;
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    assert_null(strstr(text, "not every entry was timed")); /* each was */
    free(text);
    p->untimed = 1;
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(strstr(text, "Regions"), "-1.000000 -1.000000");
    holds(text, "21 regions left out: perfcomp report --all\n  CT below zero: of the regions inside");
    free(text);
    pfc_profile_close(p);
}

/* Nor are branches: one of -7 of 111 ms was left out as a short one, and by --all, too. */
static void branches_far_below_zero_are_shown(void **state)
{
    pfc_profile_t *p = large(60, 61, 0);
    const pfc_path_info_t *last = &p->path[60];
    char *text, *tree;
    int all;
    (void)state;
    p->path[60].stats.inclusive.ct = p->path[60].stats.inclusive.lt = -0.5 * p->sum.ct;
    for (all = 0; all < 2; all++) {
        text = text_of((const pfc_profile_t *const *)&p, 1, 0, all);
        tree = strstr(text, "Call paths");
        holds(tree, p->region[last->region].name);
        assert_null(strstr(tree, "left out"));
        free(text);
    }
    pfc_profile_close(p);
}

static void what_rounds_to_zero_has_no_sign(void **state)
{
    pfc_profile_t *p = large(60, 100, 0);
    char *text;
    (void)state;
    p->total.lt = p->region[7].stats.exclusive.lt = p->region[7].stats.inclusive.lt = -0.0004;
    text = text_of((const pfc_profile_t *const *)&p, 1, 1, 0);
    holds(text, "undisturbed      0.000000 ±");
    assert_null(strstr(text, "-0.000000"));
    assert_null(strstr(text, "-0.0%"));
    free(text);
    pfc_profile_close(p);
}

static void deep_tree(void **state)
{
    pfc_profile_t *p = large(1000, 100000, 1);
    char *text = text_of((const pfc_profile_t *const *)&p, 1, 0, 1);
    (void)state;
    holds(text, "[99999] region");
    free(text);
    pfc_profile_close(p);
}

/* No threads, no regions: still a report. */
static void nothing_in_it(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p = opened(&b);
    char *text = text_of((const pfc_profile_t *const *)&p, 1, 0, 1);
    (void)state;
    holds(text, "Regions");
    free(text);
    pfc_profile_close(p);
}

/* Where the word ends, in columns of its line. */
static long column(const char *text, const char *word)
{
    const char *at = strstr(text, word), *begin = at;
    long n = 0;
    assert_non_null(at);
    while (begin > text && begin[-1] != '\n') begin--;
    for (; begin < at + strlen(word); begin++) n += (*begin & 0xc0) != 0x80; /* one a character */
    return n;
}

/* A column is as wide as its longest number, or its title. */
static void columns_stand_below_their_titles(void **state)
{
    static const double calls[] = { 1, 123, 1234567, 12345678901 };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        built_t b = built_full();
        pfc_profile_t *p = opened(&b);
        char *text;
        p->region[1].stats.count = (uint64_t)calls[i];
        text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
        holds(text, "\nRegions\n");
        assert_int_equal(column(strstr(text, "Regions"), " share"), column(strstr(text, "Regions"), "%  main") - 6);
        assert_int_equal(column(strstr(text, "Call paths"), " share"), column(strstr(text, "Call paths"), "%    main") - 8);
        free(text);
        pfc_profile_close(p);
    }
}

static void colours(void **state)
{
    (void)state;
    setenv("NO_COLOR", "1", 1);
    assert_false(pfc_colour_wanted(stderr));
    unsetenv("NO_COLOR");
}

/* As a tool that asks for nothing special calls it, and one that has found nothing. */
static void without_options(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p = opened(&b);
    const pfc_profile_t *one = p;
    char *usual = text_of(&one, 1, 0, 0), *text;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    (void)state;
    assert_non_null(file);
    pfc_report_text(file, &one, 1, 0);
    fflush(file);
    assert_string_equal(text, usual);
    pfc_report_text(file, &one, 0, 0);
    fclose(file);
    assert_string_equal(text + strlen(usual), "perfcomp: no profile, nothing to report\n");
    free(text);
    free(usual);
    pfc_profile_close(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_asked_for), cmocka_unit_test(columns_stand_below_their_titles),
        cmocka_unit_test(why_there_is_nothing), cmocka_unit_test(a_single_one), cmocka_unit_test(what_goes_wrong_is_named), cmocka_unit_test(learned_costs_are_named), cmocka_unit_test(several_processes), cmocka_unit_test(which_ran_what), cmocka_unit_test(where_processes_are),
        cmocka_unit_test(a_shared_processor_is_named), cmocka_unit_test(a_budget_that_counting_exceeds), cmocka_unit_test(instrumentation_below_zero_is_explained),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(characters),
        cmocka_unit_test(long_commands),
        cmocka_unit_test(shares_keep_their_columns),
        cmocka_unit_test(ten_thousand_regions),
        cmocka_unit_test(far_below_zero_is_shown), cmocka_unit_test(branches_far_below_zero_are_shown),
        cmocka_unit_test(what_rounds_to_zero_has_no_sign), cmocka_unit_test(a_clock_that_went_back_is_said),
        cmocka_unit_test(deep_tree),
        cmocka_unit_test(nothing_in_it),
        cmocka_unit_test(colours), cmocka_unit_test(without_options),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
