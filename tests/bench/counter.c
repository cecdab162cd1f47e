/* A counted block against a plain array element. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "bench.h"

static uint64_t c[512];
static volatile unsigned source = 12345;

#define BARRIER() __asm__ __volatile__("" ::: "memory")

/* Eight counters in turn, each one stored. */
static void plain_turn(long n)
{
    while (n-- > 0) {
        c[0]++; BARRIER(); c[1]++; BARRIER(); c[2]++; BARRIER(); c[3]++; BARRIER();
        c[4]++; BARRIER(); c[5]++; BARRIER(); c[6]++; BARRIER(); c[7]++; BARRIER();
    }
}
static void hit_turn(long n)
{
    while (n-- > 0) {
        PFC_HIT("0"); BARRIER(); PFC_HIT("1"); BARRIER(); PFC_HIT("2"); BARRIER(); PFC_HIT("3"); BARRIER();
        PFC_HIT("4"); BARRIER(); PFC_HIT("5"); BARRIER(); PFC_HIT("6"); BARRIER(); PFC_HIT("7"); BARRIER();
    }
}

/* One counter again and again, each time stored. Not c[0]: gcc then addresses it in
   another way, which some processors forward faster. */
static void plain_one(long n) { while (n-- > 0) { c[9]++; BARRIER(); } }
static void hit_one(long n) { while (n-- > 0) { PFC_HIT("one"); BARRIER(); } }

/* A loop that the optimiser may see through: it can keep the counters in registers. */
static void plain_loop(long n)
{
    unsigned x = source;
    while (n-- > 0) {
        c[0]++;
        x = x * 1103515245u + 12345u;
        if (x >> 31) { c[1]++; x ^= 0x55u; }
    }
    source = x;
}
static void hit_loop(long n)
{
    unsigned x = source;
    while (n-- > 0) {
        PFC_HIT("turn");
        x = x * 1103515245u + 12345u;
        if (x >> 31) { PFC_HIT("odd"); x ^= 0x55u; }
    }
    source = x;
}

static void compare(const char *name, void (*plain)(long), void (*hit)(long), long n, int operations)
{
    const variant_t variants[] = { { "  c[i]++ there", plain, 0 }, { name, hit, 1.05 } };
    bench_compare(variants, 2, n, operations, 101);
}

int main(void)
{
    PFC_HIT("start");
    compare("PFC_HIT, 8 in turn", plain_turn, hit_turn, 50000, 8);
    compare("PFC_HIT, one again and again", plain_one, hit_one, 200000, 1);
    compare("PFC_HIT, in a loop with a branch", plain_loop, hit_loop, 200000, 1);
    return 0;
}
