#!/bin/bash
# In virtual time each operation, a PFC_HIT too, advances the program's clock by its modelled cost, and LT is what the
# program's own work takes, to the ns: of each region, in C and C++, whatever the costs, also in a second thread. By
# perfcomp-cc, which also counts blocks and instruments the clock. With PERFCOMP_COMPENSATE=0 Δ stays 0. Costs that
# aren't understood are left aside, all of them.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > program.c <<'END'
#include <stdint.h>
static __thread int64_t now = 1000000, worked;
static int64_t charged;
static void advance(int64_t ns) { now += ns; charged += ns; }
static int64_t tell(void) { return now; }
#define PERFCOMP_CLOCK() tell()
#define PERFCOMP_CHARGE(ns) advance((int64_t)(ns))
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void work(int64_t ns) { now += ns; worked += ns; }

static int64_t in_leaf, in_fib, in_block; /* undisturbed, without the regions inside */
static int64_t operations, hits;

static void leaf(void)
{
    PFC_FUNCTION();
    PFC_HIT("leaf");
    hits++;
    operations++;
    work(100);
    in_leaf += 100;
}

static int fib(int n)
{
    PFC_FUNCTION();
    operations++;
    work(n);
    in_fib += n;
    if (n < 2) return n;
    PFC_HIT("deeper");
    hits++;
    return fib(n - 1) + fib(n - 2);
}

static void *runs(void *told)
{
    int64_t begin = pfc_lt();
    for (int i = 0; i < 50; i++) {
        PFC_BLOCK("block") { work(7); in_block += 7; leaf(); }
        operations++;
    }
    fib(12);
    pfc_timers_t at = pfc_timers();
    if (getenv("PERFCOMP_COMPENSATE")) *(int *)told = at.delta == 0 && at.lt == at.ct;
    else *(int *)told = at.lt - begin == worked;
    return told;
}

static int is(const pfc_profile_t *p, const char *name, int64_t exclusive)
{
    for (size_t i = 0; i < p->regions; i++)
        if (strstr(p->region[i].name, name)) {
            double lt = p->region[i].stats.exclusive.lt;
            if (lt != (double)exclusive) fprintf(stderr, "%s: %f, not %lld\n", name, lt, (long long)exclusive);
            return lt == (double)exclusive;
        }
    return 0;
}

int main(int argc, char **argv)
{
    char why[PFC_WHY];
    int ok[2] = { 0, 0 }, all, raw = getenv("PERFCOMP_COMPENSATE") != 0;
    int64_t enter = argc > 1 ? atoi(argv[1]) : 0, exit = argc > 2 ? atoi(argv[2]) : 0, hit = argc > 3 ? atoi(argv[3]) : 0;
    pthread_t thread;
    pfc_profile_t *p;
    runs(&ok[0]);
    if (pthread_create(&thread, 0, runs, &ok[1]) || pthread_join(thread, 0)) return 2;
    pfc_stop();
    p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    if (!p) return fprintf(stderr, "%s\n", why), 2;
    all = ok[0] && ok[1];
    if (!all) fprintf(stderr, "timers: %d %d\n", ok[0], ok[1]);
    if (argc > 4) all &= p->pairs >= (uint64_t)operations; /* by perfcomp-cc: there are more */
    else all &= charged == operations * (enter + exit) + hits * hit;
    if (raw) all &= p->sum.lt == p->sum.ct;
    else all &= is(p, "leaf", in_leaf) & is(p, "fib", in_fib) & is(p, "block", in_block) & (p->sum.lt == (double)(in_leaf + in_fib + in_block));
    if (!all) fprintf(stderr, "sum %f, charged %lld\n", p->sum.lt, (long long)charged);
    pfc_profile_close(p);
    return !all;
}
END

tried() { # COMPILER...
    "$@" -w -O1 -DPERFCOMP_THREADS -I"$top" program.c -o program -pthread -lm
    for costs in "200 200 200" "130 70 0" "3 1000 9"; do
        read -r enter exit hit <<<"$costs"
        export PERFCOMP_SMPI_COST_NS=enter=$enter,exit=$exit,hit=$hit
        timeout 60 ./program $costs $by || { echo "$*: $costs"; exit 1; }
        PERFCOMP_COMPENSATE=0 timeout 60 ./program $costs $by || { echo "$*: $costs, raw"; exit 1; }
    done
}

by=
tried gcc -std=gnu11
tried g++ -xc++
for wrong in xx -5 nan inf 1e300 200ns enter= enter=5, "enter=5;exit=2" enter=5,exit=nan enter=5,bogus=2; do
    PERFCOMP_SMPI_COST_NS=$wrong timeout 60 ./program 200 200 0 2>said || { echo "$wrong isn't left aside"; cat said; exit 1; }
    [ "$(grep -c "^perfcomp: PERFCOMP_SMPI_COST_NS=$wrong isn't understood" said)" = 1 ] || { echo "$wrong: said"; cat said; exit 1; }
done
by=perfcomp-cc
tried "$top/perfcomp_impl/tools/perfcomp-cc" gcc
