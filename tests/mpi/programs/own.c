/* What the layer's own time is taken to be where it isn't measured (mpi/own.c),
   by a clock of which this program knows how much passed. Prints "ok". */
#include <stdint.h>
#include <stdio.h>

static int64_t clock_now;
static int clock_readings;
static int64_t own_clock(void)
{
    clock_readings++;
    return clock_now += 10;
}

#define PERFCOMP_CLOCK() own_clock()
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

enum { CALLS = 200000 };

static pfc__own_parts_t parts;
static int wrong;

static void expect(int holds, const char *what)
{
    if (!holds) printf("%s\n", what);
    wrong += !holds;
}

static int64_t uniform(int64_t most)
{
    static uint64_t seed = 1;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)(most + 1));
}

/* Calls that take `least` to `most` ticks and, one in a thousand, `interruption` more, but for which nothing is to be
   charged then. By how much what was charged is off: a share of all. */
static double off(int64_t least, int64_t most, int64_t interruption)
{
    int64_t sum = 0, charged = 0;
    for (int i = 0; i < CALLS; i++) {
        int64_t begin = clock_now, takes = least + uniform(most - least), before = pfc__self->delta;
        int interrupted = interruption && uniform(999) == 0;
        clock_now += takes - 10 + (interrupted ? interruption : 0); /* the reading itself takes 10 */
        pfc__charge_own(&parts.after, begin);
        if (interrupted) continue;
        charged += pfc__self->delta - before;
        sum += takes << PFC__FRACTION;
    }
    return (double)(charged - sum) / (double)sum;
}

/* By what factor the calls that follow are charged where, of the first ones, this one was interrupted. */
static double off_after(int interrupted)
{
    int64_t sum = 0, charged = 0;
    parts.before.mean = 0, parts.before.known = 0;
    for (int i = 0; i < 500; i++) {
        int64_t begin = clock_now, takes = 20 + uniform(60), before = pfc__self->delta;
        clock_now += takes - 10 + (i == interrupted ? 1000000 : 0);
        pfc__charge_own(&parts.before, begin);
        if (i == interrupted) continue;
        charged += pfc__self->delta - before;
        sum += takes << PFC__FRACTION;
    }
    return (double)charged / (double)sum;
}

static int near(double share, double most) { return share > -most && share < most; }

int main(int argc, char **argv)
{
    pfc__ring_t ring, *none;
    int before;
    MPI_Init(&argc, &argv);
    before = clock_readings;
    expect(near(off(20, 80, 0), 0.01), "calls of 20 to 80 ticks: the sum is off");
    expect(near(off(40, 160, 0), 0.01), "calls that take twice as long now: the sum is off");
    expect(near(off(20, 80, 1000000), 0.1), "calls of which some were interrupted: the others' sum is off");
    expect(clock_readings - before < 3 * CALLS / 12 && clock_readings - before > 3 * CALLS / 20, "not one in sixteen was measured");
    for (int i = 0; i < PFC__OWN_LAST; i++) expect(off_after(i) < 2, "an interruption of one of the first calls is charged to the others");
    pfc__own_soon(&parts, clock_now);
    expect(pfc__own_soon(&parts, clock_now + PFC__OWN_SOON_NS / 2) == &parts, "soon after, it isn't estimated");
    expect(!pfc__own_soon(&parts, clock_now + 3 * PFC__OWN_SOON_NS), "long after, it is estimated");
    none = pfc__self->ring;
    pfc__self->ring = &ring;
    expect(!pfc__own_soon(&parts, clock_now + 3 * PFC__OWN_SOON_NS), "with a trace, it is estimated");
    pfc__self->ring = none;
    pfc__mpi.threads = 1;
    expect(!pfc__own_soon(&parts, clock_now + 3 * PFC__OWN_SOON_NS), "of several threads, it is estimated");
    pfc__mpi.threads = 0;
    MPI_Finalize();
    if (!wrong) puts("ok");
    return wrong != 0;
}
