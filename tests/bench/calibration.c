/* Which way of calibrating comes closest to what a probe costs inside real code?
   In each kind of surrounding code: the truth (with one region minus without
   one), the dose (two regions minus one), next to what empty pairs cost and to
   what perfcomp has calibrated at its start. ns of one enter and exit. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "bench.h"

enum { WORDS = 1 << 21 }; /* 16 MB: more than a second-level cache */
static uint64_t *chain;
static volatile uint64_t sink;

#define ONCE(k) PFC_SCOPE("one " #k)
#define TWICE(k) \
    PFC_SCOPE("two " #k); \
    static pfc__site_t again = PFC__SITE(PFC__NAMED, "again " #k, __LINE__, __FILE__); \
    pfc__token_t token __attribute__((cleanup(pfc__leave))) = pfc__enter(&again)
#define NEVER(k) (void)0

/* One function a kind of code: called as the program's own functions would be. */
#define CODE(dose, PROBE) \
    static __attribute__((noinline)) uint64_t dose##_nothing(uint64_t x) { PROBE(nothing); __asm__ __volatile__("" : "+r"(x)); return x; } \
    static __attribute__((noinline)) uint64_t dose##_short(uint64_t x) { PROBE(short); return x * 6364136223846793005u + 1; } \
    static __attribute__((noinline)) uint64_t dose##_latency(uint64_t x) \
    { \
        PROBE(latency); \
        for (int i = 0; i < 40; i++) x = x * 6364136223846793005u + 1; \
        return x; \
    } \
    static __attribute__((noinline)) uint64_t dose##_width(uint64_t x) \
    { \
        PROBE(width); \
        uint64_t a = x, b = x ^ 1, c = x ^ 2, d = x ^ 3; \
        for (int i = 0; i < 40; i++) { a += a >> 3; b += b >> 5; c += c >> 7; d += d >> 9; __asm__ __volatile__("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d)); } \
        return a ^ b ^ c ^ d; \
    } \
    static __attribute__((noinline)) uint64_t dose##_branches(uint64_t x) \
    { \
        PROBE(branches); \
        for (int i = 0; i < 8; i++) { \
            x = x * 6364136223846793005u + 1442695040888963407u; \
            if (x >> 63) { x ^= 0x5555; __asm__ __volatile__("" : "+r"(x)); } \
        } \
        return x; \
    } \
    static __attribute__((noinline)) uint64_t dose##_memory(uint64_t x) \
    { \
        PROBE(memory); \
        for (int i = 0; i < 4; i++) x = chain[x % WORDS]; \
        return x; \
    }

CODE(never, NEVER)
CODE(once, ONCE)
CODE(twice, TWICE)

typedef uint64_t (*code_t)(uint64_t);

static double ns_of(code_t code, long n)
{
    uint64_t x = sink;
    double begin = bench_cpu_ns();
    for (long i = 0; i < n; i++) x = code(x);
    sink = x;
    return (bench_cpu_ns() - begin) / (double)n;
}

static void compare(const char *kind, code_t never, code_t once, code_t twice, long n)
{
    double truth[REPETITIONS_MOST], dose[REPETITIONS_MOST];
    const int turns = bench_quick() ? 5 : 101;
    char name[80];
    n = bench_scaled(n);
    for (int turn = -1; turn < turns; turn++) {
        double a = ns_of(never, n), b = ns_of(once, n), c = ns_of(twice, n);
        truth[turn < 0 ? 0 : turn] = b - a;
        dose[turn < 0 ? 0 : turn] = c - b;
    }
    snprintf(name, sizeof name, "cost of a pair, %s", kind);
    spread_t s = bench_spread(truth, turns);
    bench_row(name, "ns", s.least, s, 0, s.median);
    s = bench_spread(dose, turns);
    bench_row("  by dose", "ns", s.least, s, 0, s.median);
}

int main(void)
{
    char why[PFC_WHY];
    chain = (uint64_t *)malloc(WORDS * sizeof *chain);
    if (!chain) return 1;
    for (uint64_t i = 0; i < WORDS; i++) chain[i] = i * 2654435761u + 12345;
    compare("nothing around it", never_nothing, once_nothing, twice_nothing, 20000);
    compare("in a very short function", never_short, once_short, twice_short, 20000);
    compare("in a chain of multiplications", never_latency, once_latency, twice_latency, 5000);
    compare("in code that fills the processor", never_width, once_width, twice_width, 5000);
    compare("among branches that are hard to foretell", never_branches, once_branches, twice_branches, 10000);
    compare("among cache misses", never_memory, once_memory, twice_memory, 5000);
    pfc_stop();
    pfc_profile_t *p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    if (!p) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    double low = p->cost.pair - p->cost.pair_spread, high = p->cost.pair + p->cost.pair_spread;
    bench_row("cost of a pair, calibrated at start", "ns", p->cost.pair, (spread_t){ low, p->cost.pair, low, high }, 0, p->cost.pair);
    pfc_profile_close(p);
    return 0;
}
