/* Enter and exit of a region against a plain pair of clock reads, in four shapes
   of code. Arguments: exact (the default), budget (PERFCOMP_BUDGET), off (run
   it with PERFCOMP=off). */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "bench.h"

static inline uint64_t stamp(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return (uint64_t)pfc__clock();
#endif
}

typedef struct plain { uint64_t begin, *total; } plain_t;
static uint64_t totals[8];
static inline void plain_end(plain_t *p) { *p->total += stamp() - p->begin; }

#define PLAIN(k) plain_t plain __attribute__((cleanup(plain_end))) = { stamp(), &totals[k] }
#define REGION(k) PFC_SCOPE(#k)
#define NOTHING(k) (void)0
#define WORK() __asm__ __volatile__("" ::: "memory")

/* The same four shapes with each way of timing. The braces are regions. */
#define SHAPES(way, TIMED) \
    static void way##_one(long n) \
    { \
        while (n-- > 0) { TIMED(0); WORK(); } \
    } \
    static void way##_alternating(long n) \
    { \
        while (n-- > 0) { \
            { TIMED(0); WORK(); } { TIMED(1); WORK(); } { TIMED(2); WORK(); } { TIMED(3); WORK(); } \
            { TIMED(4); WORK(); } { TIMED(5); WORK(); } { TIMED(6); WORK(); } { TIMED(7); WORK(); } \
        } \
    } \
    static void way##_nested(long n) \
    { \
        while (n-- > 0) { \
            TIMED(0); { TIMED(1); { TIMED(2); { TIMED(3); { TIMED(4); { TIMED(5); { TIMED(6); { TIMED(7); WORK(); } } } } } } } \
        } \
    } \
    static __attribute__((noinline)) void way##_recursive(int depth) \
    { \
        TIMED(0); \
        WORK(); \
        if (depth > 1) way##_recursive(depth - 1); \
        WORK(); \
    } \
    static void way##_recursion(long n) \
    { \
        while (n-- > 0) way##_recursive(32); \
    }

SHAPES(plain, PLAIN)
SHAPES(region, REGION)
SHAPES(nothing, NOTHING)

/* What PERFCOMP=off compares with needs two of the shapes only. */
static void (*const unused_shapes[])(long) __attribute__((unused)) = { nothing_nested, nothing_recursion };

static void compare(const char *name, double goal, void (*plain)(long), void (*region)(long), long n, int operations)
{
    const variant_t variants[] = { { "  a pair of clock reads there", plain, 0 }, { name, region, goal } };
    bench_compare(variants, 2, n, operations, 101);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "exact";
    if (!strcmp(mode, "off")) {
        bench_difference("PERFCOMP=off: enter or exit", nothing_one, region_one, 1000000, 2, 101, 1);
        bench_difference("PERFCOMP=off: enter or exit, 8 regions in turn", nothing_alternating, region_alternating, 100000, 16, 101, 1);
    } else if (!strcmp(mode, "budget")) {
        pfc_budget(0.02);
        region_one(1000000); /* it decides after some thousand entries */
        compare("enter + exit with a budget of 2 %", 0.3, plain_one, region_one, 200000, 1);
    } else {
        compare("enter + exit, one region", 1.25, plain_one, region_one, 20000, 1);
        compare("enter + exit, 8 regions in turn", 1.25, plain_alternating, region_alternating, 2500, 8);
        compare("enter + exit, 8 regions nested", 1.25, plain_nested, region_nested, 2500, 8);
        compare("enter + exit, recursion 32 deep", 1.25, plain_recursion, region_recursion, 600, 32);
    }
    return 0;
}
