/* Completion against the truth: random flow graphs, walked at random, counted
   on every block, completed from as few counters as possible. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <cmocka.h>

enum { MOST_BLOCKS = 400, MOST_FUNCTIONS = 8, MOST_WALKS = 30, STEPS = 200 };

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % n);
}

typedef struct graph {
    pfc__block_t block[MOST_BLOCKS];
    pfc_block_info_t info[MOST_BLOCKS];
    uint64_t truth[MOST_BLOCKS];
    pfc__facts_t facts[MOST_FUNCTIONS];
    uint32_t blocks, functions, vertices, first[MOST_FUNCTIONS + 1];
    uint64_t lost[MOST_FUNCTIONS];
} graph_t;

static pfc__block_t *edge(graph_t *g, uint32_t from, uint32_t to, uint32_t kind)
{
    pfc__block_t *b = &g->block[g->blocks++];
    memset(b, 0, sizeof *b);
    b->function = g->functions;
    b->from = from;
    b->to = to;
    b->kind = kind;
    return b;
}

/* Outside → entry → a chain with jumps back and forth, loops onto themselves included → exit → outside. */
static void add_function(graph_t *g, int may_not_return)
{
    uint32_t outside = ++g->vertices, n = 1 + below(8), first = g->vertices + 1, i;
    g->first[g->functions] = g->blocks;
    g->facts[g->functions].flags = may_not_return ? PFC__MAY_NOT_RETURN : 0;
    g->vertices += n;
    edge(g, outside, first, PFC__BLOCK_ENTRY);
    for (i = 0; i + 1 < n; i++) edge(g, first + i, first + i + 1, PFC__BLOCK_PLAIN);
    edge(g, first + n - 1, outside, PFC__BLOCK_EXIT);
    for (i = below(2 * n); i > 0; i--) edge(g, first + below(n), first + below(n), PFC__BLOCK_PLAIN);
    g->first[++g->functions] = g->blocks;
}

static uint32_t root(uint32_t *set, uint32_t v)
{
    while (set[v] != v) v = set[v] = set[set[v]];
    return v;
}

/* Counters off a random spanning tree; a function that may not return counts entry and exit as well. */
static void place(graph_t *g)
{
    uint32_t set[4 * MOST_BLOCKS], order[MOST_BLOCKS], i, counters = 0;
    for (i = 0; i <= g->vertices; i++) set[i] = i;
    for (i = 0; i < g->blocks; i++) {
        uint32_t k = below(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (i = 0; i < g->blocks; i++) {
        pfc__block_t *b = &g->block[order[i]];
        uint32_t from = root(set, b->from), to = root(set, b->to);
        int both = (g->facts[b->function].flags & PFC__MAY_NOT_RETURN) && b->kind != PFC__BLOCK_PLAIN;
        b->counter = from == to || both ? counters++ : PFC__NO_COUNTER;
        if (b->counter == PFC__NO_COUNTER) set[from] = to;
    }
}

/* One activation: from the outside until it is back there, or lost on the way.
   Its first `before` steps weren't counted: they were made before a fork. */
static void walk(graph_t *g, uint32_t f, int lose, uint32_t before)
{
    uint32_t begin = g->first[f], end = g->first[f + 1], at = begin, steps;
    for (steps = 0;; steps++) {
        uint32_t ways[MOST_BLOCKS], n = 0, i;
        if (before && steps == before) g->facts[f].inherited++;
        if (steps >= before) g->truth[at]++;
        if (g->block[at].kind == PFC__BLOCK_EXIT) return;
        if (lose && below(6) == 0) { g->lost[f]++; return; }
        for (i = begin; i < end; i++)
            if (g->block[i].from == g->block[at].to) ways[n++] = i;
        at = ways[steps < STEPS ? below(n) : 0]; /* the first one leads on towards the exit, or is it */
    }
}

static const char *complete(graph_t *g, uint32_t in_flight)
{
    uint32_t i;
    for (i = 0; i < g->blocks; i++) {
        g->info[i].counted = g->block[i].counter != PFC__NO_COUNTER;
        g->info[i].low = g->info[i].counted ? g->truth[i] : 0;
        g->info[i].high = 0;
    }
    return pfc__complete(g->block, g->info, g->blocks, g->facts, g->functions, in_flight);
}

/* `lose`: at most so many activations of each function are lost. */
static void random_graph(graph_t *g, int may_not_return, uint64_t lose)
{
    uint32_t f, i;
    memset(g, 0, sizeof *g);
    for (i = 1 + below(MOST_FUNCTIONS - 1); i > 0; i--) add_function(g, may_not_return);
    place(g);
    for (f = 0; f < g->functions; f++)
        for (i = below(MOST_WALKS); i > 0; i--) walk(g, f, g->lost[f] < lose && below(3) == 0, 0);
}

static void exact(void **state)
{
    static graph_t g;
    int round;
    (void)state;
    for (round = 0; round < 3000; round++) {
        uint32_t i;
        random_graph(&g, round % 2, 0);
        assert_null(complete(&g, round % 2 ? below(3) : 0));
        for (i = 0; i < g.blocks; i++) {
            assert_true(g.info[i].low == g.truth[i]);
            assert_true(g.info[i].high == g.truth[i]);
        }
    }
}

/* The truth lies in the interval, the interval is no wider than the activations that were lost. */
static void intervals(void **state)
{
    static graph_t g;
    int round, wide = 0;
    (void)state;
    for (round = 0; round < 3000; round++) {
        uint32_t i;
        random_graph(&g, 1, MOST_WALKS);
        assert_null(complete(&g, 0));
        for (i = 0; i < g.blocks; i++) {
            assert_true(g.info[i].low <= g.truth[i]);
            assert_true(g.info[i].high >= g.truth[i]);
            assert_true(g.info[i].high - g.info[i].low <= g.lost[g.block[i].function]);
            wide += g.info[i].high > g.info[i].low;
        }
    }
    assert_true(wide > 1000); /* it was put to the test */
}

/* A forked process goes on in activations that it never entered. */
static void forked(void **state)
{
    static graph_t g;
    int round, wide = 0;
    (void)state;
    for (round = 0; round < 3000; round++) {
        uint32_t i, f;
        random_graph(&g, 1, MOST_WALKS);
        for (f = 0; f < g.functions; f++)
            for (i = below(4); i > 0; i--) walk(&g, f, below(3) == 0, 1 + below(5));
        assert_null(complete(&g, 0));
        for (i = 0; i < g.blocks; i++) {
            f = g.block[i].function;
            assert_true(g.info[i].low <= g.truth[i]);
            assert_true(g.info[i].high >= g.truth[i]);
            assert_true(g.info[i].high - g.info[i].low <= g.lost[f] + 2 * g.facts[f].inherited);
            wide += g.info[i].high > g.info[i].low;
        }
    }
    assert_true(wide > 1000);
}

/* Threads were stopped in functions that needn't count both their entries and their exits. */
static void stopped_in_the_middle(void **state)
{
    static graph_t g;
    int round, wide = 0, zero = 0;
    (void)state;
    for (round = 0; round < 3000; round++) {
        uint32_t i, threads = 1 + below(3);
        random_graph(&g, 0, threads);
        assert_null(complete(&g, threads));
        for (i = 0; i < g.blocks; i++) {
            const pfc_block_info_t *entry = &g.info[g.first[g.block[i].function]];
            assert_true(g.info[i].low <= g.truth[i]);
            assert_true(g.info[i].high >= g.truth[i]);
            assert_true(g.info[i].high - g.info[i].low <= threads);
            wide += g.info[i].high > g.info[i].low;
            if (!entry->counted || entry->low) continue;
            zero++; /* never entered: nothing was in flight */
            assert_int_equal(g.info[i].high, 0);
        }
    }
    assert_true(wide > 1000);
    assert_true(zero > 100);
}

/* Counters that don't belong together: found out, or by chance still a flow; never more than that is claimed. */
static void contradictions(void **state)
{
    static graph_t g;
    int round, found = 0, changed = 0;
    (void)state;
    for (round = 0; round < 1000; round++) {
        uint32_t i, f, k;
        random_graph(&g, 1, 0);
        f = below(g.functions);
        for (i = g.first[f]; i < g.first[f + 1]; i++)
            if (g.block[i].counter == PFC__NO_COUNTER && g.block[i].from != g.block[i].to) break;
        if (i == g.first[f + 1]) continue;
        for (k = g.first[f]; k < g.first[f + 1]; k++) /* far more than ever entered the function */
            if (g.block[k].kind == PFC__BLOCK_PLAIN && g.block[k].counter != PFC__NO_COUNTER && g.block[k].from != g.block[k].to) break;
        if (k == g.first[f + 1]) continue;
        changed++;
        g.truth[k] += 1000000;
        assert_null(complete(&g, 0));
        for (i = g.first[f]; i < g.first[f + 1]; i++) found += g.info[i].high == UINT64_MAX;
        for (i = 0; i < g.blocks; i++) assert_true(g.info[i].high == UINT64_MAX || g.info[i].low <= g.info[i].high);
    }
    assert_true(changed > 100);
    assert_true(found > changed / 4);
}

static void refused_tables(void **state)
{
    static graph_t g;
    (void)state;
    memset(&g, 0, sizeof g); /* a loop onto itself can't be completed */
    edge(&g, 1, 2, PFC__BLOCK_ENTRY)->counter = 0;
    edge(&g, 2, 2, PFC__BLOCK_PLAIN)->counter = PFC__NO_COUNTER;
    edge(&g, 2, 1, PFC__BLOCK_EXIT)->counter = 1;
    g.functions = 1;
    g.truth[0] = g.truth[2] = 5;
    assert_non_null(complete(&g, 0));
    assert_true(g.info[1].high == UINT64_MAX);
    assert_int_equal(g.info[2].high, 5);
    g.block[1].from = g.block[1].to = 0; /* outside of the graph, and not counted either */
    assert_non_null(complete(&g, 0));
    g.block[1].from = 1 << 30;
    assert_non_null(complete(&g, 0));
    g.block[1].from = 2; /* calls, but the exit isn't counted: lost activations could not be seen */
    g.block[1].to = 3;
    g.block[2].from = 3;
    g.block[2].counter = PFC__NO_COUNTER;
    assert_null(complete(&g, 0));
    assert_int_equal(g.info[2].low, 5);
    g.facts[0].flags = PFC__MAY_NOT_RETURN;
    assert_non_null(complete(&g, 0));
}

/* setjmp: a second return makes more exits than entries. */
static void more_exits_than_entries(void **state)
{
    static graph_t g;
    (void)state;
    memset(&g, 0, sizeof g);
    edge(&g, 1, 2, PFC__BLOCK_ENTRY)->counter = 0;
    edge(&g, 2, 3, PFC__BLOCK_PLAIN)->counter = PFC__NO_COUNTER;
    edge(&g, 3, 1, PFC__BLOCK_EXIT)->counter = 1;
    g.functions = 1;
    g.facts[0].flags = PFC__MAY_NOT_RETURN;
    g.truth[0] = 5;
    g.truth[2] = 7;
    assert_null(complete(&g, 0));
    assert_int_equal(g.info[1].low, 5);
    assert_int_equal(g.info[1].high, 7);
}

/* A million blocks in one chain, which only linear time survives. */
static void large(void **state)
{
    enum { N = 1000000 };
    pfc__block_t *b = (pfc__block_t *)calloc(N, sizeof *b);
    pfc_block_info_t *info = (pfc_block_info_t *)calloc(N, sizeof *info);
    pfc__facts_t facts = { 0, 0 };
    uint32_t i;
    (void)state;
    for (i = 0; i < N; i++) {
        b[i].from = 1 + i;
        b[i].to = i + 1 < N ? 2 + i : 1;
        b[i].kind = i == 0 ? PFC__BLOCK_ENTRY : i + 1 == N ? PFC__BLOCK_EXIT : PFC__BLOCK_PLAIN;
    }
    info[N / 2].counted = 1;
    info[N / 2].low = 77;
    assert_null(pfc__complete(b, info, N, &facts, 1, 0));
    for (i = 0; i < N; i++) assert_true(info[i].low == 77 && info[i].high == 77);
    free(b);
    free(info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact),
        cmocka_unit_test(intervals),
        cmocka_unit_test(forked),
        cmocka_unit_test(stopped_in_the_middle),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(refused_tables),
        cmocka_unit_test(more_exits_than_entries),
        cmocka_unit_test(large),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
