/* Completion against the truth: random flow graphs, walked at random, counted
   on every block, completed from as few counters as possible. Some functions
   are called from blocks of others only, and don't count their entries. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <cmocka.h>

enum { MOST_BLOCKS = 400, MOST_FUNCTIONS = 8, MOST_WALKS = 30, STEPS = 200, MOST_CALLS = 4 * MOST_FUNCTIONS };

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
    pfc__caller_t call[MOST_CALLS];
    uint32_t blocks, functions, vertices, calls, first[MOST_FUNCTIONS + 1];
    uint32_t called[MOST_FUNCTIONS]; /* 1: its entries follow from calls */
    uint32_t back[MOST_BLOCKS];      /* of a block with a call that may not return: the way on which flow comes back; 0: none */
    uint64_t lost[MOST_FUNCTIONS];
    unsigned char stop[4 * MOST_BLOCKS + 1024]; /* [vertex] whether activations were lost, or began, there */
    int knows;                       /* where */
    int strays;                      /* activations of its parent's don't go on in the process */
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

/* Flow leaves some of the blocks for the outside, and comes back from there. */
static void open_function(graph_t *g, uint32_t f)
{
    uint32_t i, end = g->blocks;
    for (i = g->first[f]; i < end; i++) {
        if (g->block[i].kind != PFC__BLOCK_PLAIN || below(4)) continue;
        g->back[i] = g->blocks;
        edge(g, g->block[g->first[f]].from, g->block[i].to, PFC__BLOCK_PLAIN)->function = f;
        g->block[i].to = g->block[g->first[f]].from;
    }
    g->first[f + 1] = g->blocks;
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
    for (i = 0; i < MOST_BLOCKS; i++) g->block[i].counter = PFC__NO_COUNTER;
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
        if (b->kind == PFC__BLOCK_ENTRY && g->called[b->function]) continue;
        b->counter = from == to || both ? counters++ : PFC__NO_COUNTER;
        if (b->counter == PFC__NO_COUNTER) set[from] = to;
    }
}

/* One of the blocks that may follow; after many steps the first: it leads on towards the exit, or is it. */
static uint32_t next(const graph_t *g, uint32_t at, uint32_t steps)
{
    uint32_t ways[MOST_BLOCKS], n = 0, i, f = g->block[at].function;
    for (i = g->first[f]; i < g->first[f + 1]; i++)
        if (g->block[i].from == g->block[at].to) ways[n++] = i;
    return ways[steps < STEPS ? below(n) : 0];
}

/* One activation: from the outside until it is back there, or lost on the way.
   Its first `before` steps weren't counted: they were made before a fork. */
static void walk(graph_t *g, uint32_t f, int lose, uint32_t before)
{
    uint32_t at = g->first[f], steps;
    for (steps = 0;; steps++) {
        if (before && steps == before) g->facts[f].inherited++, g->stop[g->block[at].from] |= PFC__MAY_BEGIN;
        if (steps >= before) g->truth[at]++;
        if (g->block[at].kind == PFC__BLOCK_EXIT) return;
        if (lose && below(6) == 0) {
            g->lost[f]++;
            g->stop[g->block[at].to] |= PFC__MAY_END;
            return;
        }
        at = next(g, at, steps);
    }
}

static const char *complete(graph_t *g, uint32_t in_flight)
{
    pfc__unit_tables_t table = { g->block, g->call, g->facts, g->blocks, g->calls, g->functions, g->knows ? g->stop : 0, g->strays };
    uint32_t i;
    for (i = 0; i < g->blocks; i++) {
        g->info[i].counted = g->block[i].counter != PFC__NO_COUNTER;
        g->info[i].low = g->info[i].counted ? g->truth[i] : 0;
        g->info[i].high = 0;
    }
    return pfc__complete(&table, g->info, in_flight);
}

/* From how many blocks of earlier functions, that ran a few times, the function is called, and how often in all; 0: from none. */
static uint64_t call_function(graph_t *g, uint32_t f)
{
    uint32_t from[MOST_BLOCKS], n = 0, i;
    uint64_t times = 0;
    for (i = 0; i < g->first[f]; i++)
        if (g->block[i].kind == PFC__BLOCK_PLAIN && g->truth[i] <= MOST_WALKS) from[n++] = i;
    if (!n) return 0;
    g->called[f] = 1;
    g->facts[f].flags = 0; /* others aren't counted like this */
    for (i = 1 + below(4); i > 0; i--) {
        pfc__caller_t *call = &g->call[g->calls++];
        call->entry = g->first[f];
        call->block = from[below(n)]; /* some twice */
        times += g->truth[call->block];
    }
    return times;
}

/* `lose`: at most so many activations of each function are lost; of one that is called, and so always returns, `in_flight`,
   and as many in front of it. `inherit`: so many come from the middle. */
static void random_graph(graph_t *g, int may_not_return, uint64_t lose, uint32_t in_flight, uint32_t inherit)
{
    uint32_t f, i;
    memset(g, 0, sizeof *g);
    for (i = 1 + below(MOST_FUNCTIONS - 1); i > 0; i--) add_function(g, may_not_return);
    for (f = 0; f < g->functions; f++) {
        uint64_t times = below(2) ? call_function(g, f) : 0, most = g->called[f] && lose > in_flight ? in_flight : lose;
        if (!g->called[f]) times = below(MOST_WALKS);
        else if (times && in_flight) times -= below(2);
        for (; times > 0; times--) walk(g, f, g->lost[f] < most && below(3) == 0, 0);
        for (i = inherit && !g->called[f] ? below(inherit) : 0; i > 0; i--) walk(g, f, below(3) == 0, 1 + below(5));
    }
    place(g);
}

/* How wide intervals of the function may be: as many activations as were lost, or came from the middle, and what its calling
   blocks are off. */
static uint64_t width(const graph_t *g, uint32_t function, uint64_t lost, uint32_t in_flight)
{
    uint64_t off = g->called[function] ? in_flight : 0;
    uint32_t i;
    for (i = 0; i < g->calls; i++) {
        const pfc__block_t *from = &g->block[g->call[i].block];
        if (g->block[g->call[i].entry].function != function || from->counter != PFC__NO_COUNTER) continue;
        off += width(g, from->function, in_flight ? in_flight : g->lost[from->function], in_flight);
    }
    return lost + 2 * g->facts[function].inherited + off;
}

static void exact(void **state)
{
    static graph_t g;
    uint32_t called = 0;
    int round;
    (void)state;
    for (round = 0; round < 3000; round++) {
        uint32_t i;
        random_graph(&g, round % 2, 0, 0, 0);
        assert_null(complete(&g, round % 2 && !g.calls ? below(3) : 0));
        called += g.calls;
        for (i = 0; i < g.blocks; i++) {
            assert_true(g.info[i].low == g.truth[i]);
            assert_true(g.info[i].high == g.truth[i]);
        }
    }
    assert_true(called > 1000);
}

/* The truth lies in the interval, the interval is no wider than the activations that were lost. */
static void intervals(void **state)
{
    static graph_t g;
    int round, wide = 0;
    (void)state;
    for (round = 0; round < 3000; round++) {
        uint32_t i, f;
        random_graph(&g, 1, MOST_WALKS, 0, 0);
        assert_null(complete(&g, 0));
        for (i = 0; i < g.blocks; i++) {
            assert_true(g.info[i].low <= g.truth[i]);
            assert_true(g.info[i].high >= g.truth[i]);
            f = g.block[i].function;
            assert_true(g.info[i].high - g.info[i].low <= width(&g, f, g.lost[f], 0));
            wide += g.info[i].high > g.info[i].low;
        }
    }
    assert_true(wide > 1000); /* it was put to the test */
}

/* How many blocks of the function aren't known exactly. */
static uint32_t unknown(const graph_t *g, uint32_t f)
{
    uint32_t i, n = 0;
    for (i = g->first[f]; i < g->first[f + 1]; i++) n += g->info[i].low != g->info[i].high;
    return n;
}

/* In how many of the function's vertices activations may have been lost, or have begun; `more` were named besides. */
static uint32_t stops(graph_t *g, uint32_t f, unsigned what, int more)
{
    uint32_t first = g->block[g->first[f]].to, last = first, v, n = 0, i;
    for (i = g->first[f]; i < g->first[f + 1]; i++)
        if (g->block[i].from > last) last = g->block[i].from;
    for (v = first; v <= last; v++) {
        if (more && below(3) == 0) g->stop[v] |= (unsigned char)what;
        n += (g->stop[v] & what) > 0;
    }
    return n;
}

/* Where it is known in which vertices activations may have been lost, or, in a forked process, begun, the truth lies in smaller
   intervals, and is known if that is one. */
static void lost_at_known_places(void **state)
{
    static graph_t g;
    int round, narrower = 0, exactly[2] = { 0, 0 };
    (void)state;
    for (round = 0; round < 3000; round++) {
        uint32_t i, f, before[MOST_FUNCTIONS], ends[MOST_FUNCTIONS], begins[MOST_FUNCTIONS];
        random_graph(&g, 1, MOST_WALKS, 0, round % 2 ? 4 : 0);
        g.strays = round % 8 == 7;
        for (f = 0; f < g.functions; f++) {
            g.facts[f].flags |= PFC__STOPS_KNOWN;
            g.facts[f].inherited += g.strays && !g.called[f] ? below(3) : 0;
        }
        assert_null(complete(&g, 0));
        for (f = 0; f < g.functions; f++) {
            before[f] = unknown(&g, f);
            ends[f] = stops(&g, f, PFC__MAY_END, round % 4 > 1);
            begins[f] = stops(&g, f, PFC__MAY_BEGIN, round % 4 > 1);
        }
        g.knows = 1;
        assert_null(complete(&g, 0));
        for (i = 0; i < g.blocks; i++) {
            assert_true(g.info[i].low <= g.truth[i]);
            assert_true(g.info[i].high >= g.truth[i]);
        }
        for (f = 0; f < g.functions; f++) {
            assert_true(unknown(&g, f) <= before[f]);
            narrower += unknown(&g, f) < before[f];
            if (ends[f] > 1 || begins[f] > 1 || g.strays || g.called[f]) continue;
            exactly[g.facts[f].inherited > 0] += before[f] > 0;
            assert_int_equal(unknown(&g, f), 0);
        }
    }
    assert_true(narrower > 1000);
    assert_true(exactly[0] > 300);
    assert_true(exactly[1] > 100);
}

/* A forked process goes on in activations that it never entered. */
static void forked(void **state)
{
    static graph_t g;
    int round, wide = 0;
    (void)state;
    for (round = 0; round < 3000; round++) {
        uint32_t i, f;
        random_graph(&g, 1, MOST_WALKS, 0, 4);
        assert_null(complete(&g, 0));
        for (i = 0; i < g.blocks; i++) {
            f = g.block[i].function;
            assert_true(g.info[i].low <= g.truth[i]);
            assert_true(g.info[i].high >= g.truth[i]);
            assert_true(g.info[i].high - g.info[i].low <= width(&g, f, g.lost[f], 0));
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
        random_graph(&g, 0, threads, threads, 0);
        assert_null(complete(&g, threads));
        for (i = 0; i < g.blocks; i++) {
            const pfc_block_info_t *entry = &g.info[g.first[g.block[i].function]];
            assert_true(g.info[i].low <= g.truth[i]);
            assert_true(g.info[i].high >= g.truth[i]);
            assert_true(g.info[i].high - g.info[i].low <= width(&g, g.block[i].function, threads, threads));
            wide += g.info[i].high > g.info[i].low;
            if ((!entry->counted && !g.called[g.block[i].function]) || entry->high) continue;
            zero++; /* never entered: nothing was in flight */
            assert_int_equal(g.info[i].high, 0);
        }
    }
    assert_true(wide > 1000);
    assert_true(zero > 100);
}

/* One activation, which ends or begins (as of a forked process) in a call that may not return, or is `stopped` elsewhere. */
static void walk_open(graph_t *g, uint32_t f, int from_middle, int stopped)
{
    uint32_t at = g->first[f], counting = !from_middle, steps;
    for (steps = 0;; steps++) {
        g->truth[at] += counting;
        if (g->block[at].kind == PFC__BLOCK_EXIT) return;
        if (g->back[at]) {
            if (counting && below(6) == 0) return;
            at = g->back[at];
            counting |= below(2);
            g->truth[at] += counting;
        }
        if (counting && stopped && below(6) == 0) return;
        at = next(g, at, steps);
    }
}

/* Where flow leaves with what may not return, all is known, whoever calls exit, longjmp or fork, or is killed there. */
static void left_with_calls(void **state)
{
    static graph_t g;
    int round, wide = 0, opened = 0;
    (void)state;
    for (round = 0; round < 3000; round++) {
        uint32_t i, f, threads = round % 2 ? below(3) : 0;
        memset(&g, 0, sizeof g);
        for (f = 0; f <= below(MOST_FUNCTIONS - 1); f++) add_function(&g, 0), open_function(&g, f);
        for (f = 0; f < g.functions; f++) {
            for (i = below(2) ? below(MOST_WALKS) : 0; i > 0; i--) walk_open(&g, f, below(4) == 0, 0);
            for (i = threads; i > 0; i--) walk_open(&g, f, below(2) == 0, 1);
        }
        place(&g);
        assert_null(complete(&g, threads));
        for (i = 0; i < g.blocks; i++) {
            opened += g.back[i] > 0;
            assert_true(g.info[i].low <= g.truth[i]);
            assert_true(g.info[i].high >= g.truth[i]);
            assert_true(g.info[i].high - g.info[i].low <= threads);
            wide += g.info[i].high > g.info[i].low;
        }
    }
    assert_true(opened > 1000);
    assert_true(wide > 1000);
}

/* Counters that don't belong together: found out, or by chance still a flow; never more than that is claimed. */
static void contradictions(void **state)
{
    static graph_t g;
    int round, found = 0, changed = 0;
    (void)state;
    for (round = 0; round < 1000; round++) {
        uint32_t i, f, k;
        random_graph(&g, 1, 0, 0, 0);
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

/* Two functions: outside → entry → one of two ways → exit → outside; what one of them counts, the first way, calls the other. */
static void add_pair(graph_t *g, uint32_t counter)
{
    uint32_t f, i;
    memset(g, 0, sizeof *g);
    for (f = 0; f < 2; f++) {
        edge(g, 3 * f + 1, 3 * f + 2, PFC__BLOCK_ENTRY)->counter = PFC__NO_COUNTER;
        edge(g, 3 * f + 2, 3 * f + 3, PFC__BLOCK_PLAIN)->counter = counter;
        edge(g, 3 * f + 2, 3 * f + 3, PFC__BLOCK_PLAIN)->counter = PFC__NO_COUNTER;
        edge(g, 3 * f + 3, 3 * f + 1, PFC__BLOCK_EXIT)->counter = PFC__NO_COUNTER;
        g->functions++;
        g->call[f].entry = 4 * f;
        g->call[f].block = 5 - 4 * f;
    }
    g->calls = 2;
    for (i = 0; i < g->blocks; i++) g->truth[i] = 7;
}

/* None of it comes from perfcomp-cc; it may come from a file. */
static void calls_in_a_circle(void **state)
{
    static graph_t g;
    uint32_t i;
    (void)state;
    add_pair(&g, PFC__NO_COUNTER);
    assert_non_null(complete(&g, 0));
    for (i = 0; i < g.blocks; i++) assert_true(g.info[i].high == UINT64_MAX);
    add_pair(&g, 0); /* how often is known, but not how far off that is */
    assert_null(complete(&g, 0));
    for (i = 0; i < g.blocks; i++) assert_true(g.info[i].high == (i % 4 == 1 ? 7 : UINT64_MAX));
    g.call[0].block = 1; /* its own */
    assert_null(complete(&g, 0));
    g.call[0].entry = 1; /* no entry */
    assert_non_null(complete(&g, 0));
    g.call[0].entry = 1 << 20;
    assert_non_null(complete(&g, 0));
    g.call[0].entry = 0;
    g.call[0].block = 1 << 20;
    assert_non_null(complete(&g, 0));
    g.call[0].block = 5;
    assert_null(complete(&g, 0));
    g.block[0].counter = 0; /* it has one: its call isn't asked */
    assert_null(complete(&g, 0));
    for (i = 0; i < g.blocks; i++) assert_true(g.info[i].high == 7 || i % 4 == 2);
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
    pfc__unit_tables_t table = { b, 0, &facts, N, 0, 1, 0, 0 };
    uint32_t i;
    (void)state;
    for (i = 0; i < N; i++) {
        b[i].from = 1 + i;
        b[i].to = i + 1 < N ? 2 + i : 1;
        b[i].kind = i == 0 ? PFC__BLOCK_ENTRY : i + 1 == N ? PFC__BLOCK_EXIT : PFC__BLOCK_PLAIN;
    }
    info[N / 2].counted = 1;
    info[N / 2].low = 77;
    assert_null(pfc__complete(&table, info, 0));
    for (i = 0; i < N; i++) assert_true(info[i].low == 77 && info[i].high == 77);
    free(b);
    free(info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact),
        cmocka_unit_test(intervals),
        cmocka_unit_test(lost_at_known_places),
        cmocka_unit_test(forked),
        cmocka_unit_test(stopped_in_the_middle),
        cmocka_unit_test(left_with_calls),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(refused_tables),
        cmocka_unit_test(calls_in_a_circle),
        cmocka_unit_test(more_exits_than_entries),
        cmocka_unit_test(large),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
