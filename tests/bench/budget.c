/* PERFCOMP_BUDGET: the total of a region that is timed by sampling, against the
   total of the same work timed at every entry. The two take turns. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "bench.h"
#include <math.h>

static volatile unsigned sink;

/* Some tens of ns to a µs: most entries are short, much of the time is in the long ones. */
static inline void work(unsigned *random)
{
    unsigned x = *random, turns = 60;
    *random = x = x * 1103515245u + 12345u;
    if (x >> 28 == 0) turns = 200;
    if (x >> 26 == 0) turns = 1000;
    while (turns--) x = x * 1664525u + 1013904223u;
    sink = x;
}

static void exactly(long n, unsigned *random) { while (n-- > 0) { PFC_SCOPE("exact"); work(random); } }
static void sampled(long n, unsigned *random) { while (n-- > 0) { PFC_SCOPE("sampled"); work(random); } }

static pfc_stats_t stats_of(const pfc_profile_t *p, const char *region)
{
    for (size_t i = 0; i < p->regions; i++)
        if (!strcmp(p->region[i].name, region)) return p->region[i].stats;
    fprintf(stderr, "budget: no region %s in the profile\n", region);
    exit(1);
}

int main(void)
{
    unsigned random[2] = { 1, 1 };
    char why[PFC_WHY];
    for (int turn = 0; turn < 200; turn++) {
        pfc_budget(0);
        exactly(bench_scaled(20000), &random[0]);
        pfc_budget(0.02);
        sampled(bench_scaled(20000), &random[1]);
    }
    pfc_stop();
    pfc_profile_t *p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    if (!p) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    pfc_stats_t exact = stats_of(p, "exact"), some = stats_of(p, "sampled");
    double error = 100 * (some.exclusive.lt / exact.exclusive.lt - 1), u = 100 * some.exclusive.u / exact.exclusive.lt;
    bench_row("total of a hot region, budget 2 % against exact", "%", error, (spread_t){ error, error, error - u, error + u }, 2, 0);
    bench_figure("  of its entries timed", "%", 100 * (1 - (double)some.untimed / (double)some.count), 0);
    bench_figure("  entries lost", "entries", fabs((double)exact.count - (double)some.count), 0.5);
    pfc_profile_close(p);
    return 0;
}
