/* Compares variants of a piece of code: they take turns, many times, and what
   counts is the ratio within one turn. Rows go to stdout, separated by tabs, for
   tests/bench/run: name, unit, value from the minima, median, its 95 % interval,
   goal (0: none), ns of one operation. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct variant {
    const char *name;
    void (*run)(long n);
    double goal;   /* largest ratio to the first variant that is good; 0: none */
} variant_t;

enum { REPETITIONS_MOST = 201 };

/* `make test` only wants to see that it runs: BENCH_QUICK=1. */
static inline int bench_quick(void)
{
    return getenv("BENCH_QUICK") != NULL;
}

static inline long bench_scaled(long n)
{
    return bench_quick() ? n / 100 + 1 : n;
}

static inline double bench_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int bench_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct spread { double least, median, low, high; } spread_t;

/* Sorts. low and high: the 95 % interval of the median by order statistics (1.96 √n / 2 ranks off the middle). */
static inline spread_t bench_spread(double *value, int n)
{
    int reach = 1, middle = n / 2;
    while (4 * reach * reach < 4 * n) reach++; /* ≥ √n, a little more than 0.98 √n */
    qsort(value, (size_t)n, sizeof *value, bench_order);
    return (spread_t){ value[0], value[middle], value[middle > reach ? middle - reach : 0],
                       value[middle + reach < n ? middle + reach : n - 1] };
}

static inline void bench_row(const char *name, const char *unit, double from_minima, spread_t s, double goal, double ns)
{
    printf("%s\t%s\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", name, unit, from_minima, s.median, s.low, s.high, goal, ns);
    fflush(stdout);
}

/* A single figure that has no spread. */
static inline void bench_figure(const char *name, const char *unit, double value, double goal)
{
    bench_row(name, unit, value, (spread_t){ value, value, value, value }, goal, 0);
}

/* Each variant does n operations per turn; operations: how many of them one call of run(1) stands for. */
static inline void bench_compare(const variant_t *v, int variants, long n, int operations, int turns)
{
    static double ns[8][REPETITIONS_MOST];
    double ratio[REPETITIONS_MOST];
    n = bench_scaled(n);
    if (bench_quick()) turns = 5;
    for (int turn = -1; turn < turns; turn++) { /* the first one warms up */
        for (int i = 0; i < variants; i++) {
            double begin = bench_cpu_ns();
            v[i].run(n);
            ns[i][turn < 0 ? 0 : turn] = (bench_cpu_ns() - begin) / (double)n / operations;
        }
    }
    spread_t base = { 0, 0, 0, 0 };
    for (int i = variants - 1; i >= 0; i--) { /* the base last: sorting would break the pairs */
        for (int turn = 0; turn < turns; turn++) ratio[turn] = ns[i][turn] / ns[0][turn];
        spread_t r = bench_spread(ratio, turns);
        if (i == 0) break;
        double sorted[2][REPETITIONS_MOST];
        memcpy(sorted[0], ns[0], sizeof sorted[0]);
        memcpy(sorted[1], ns[i], sizeof sorted[1]);
        base = bench_spread(sorted[0], turns);
        spread_t own = bench_spread(sorted[1], turns);
        bench_row(v[i].name, "x", own.least / base.least, r, v[i].goal, own.median);
    }
    bench_row(v[0].name, "x", 1, (spread_t){ 1, 1, 1, 1 }, 0, base.median);
}

/* What `with` costs more than `without`, in ns an operation. */
static inline void bench_difference(const char *name, void (*without)(long), void (*with)(long), long n, int operations,
                                    int turns, double goal)
{
    double difference[REPETITIONS_MOST];
    n = bench_scaled(n);
    if (bench_quick()) turns = 5;
    for (int turn = -1; turn < turns; turn++) {
        double begin = bench_cpu_ns();
        without(n);
        double middle = bench_cpu_ns();
        with(n);
        double end = bench_cpu_ns();
        difference[turn < 0 ? 0 : turn] = (end - middle - (middle - begin)) / (double)n / operations;
    }
    spread_t s = bench_spread(difference, turns);
    bench_row(name, "ns", s.least, s, goal, s.median);
}

#endif
