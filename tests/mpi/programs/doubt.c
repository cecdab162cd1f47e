/* What a call's wait is off by (mpi/call.c): as much as its own begin and the moment of what it waited for,
   but for what all ranks share since they met. And what a rank that came late by its own delay may have waited for
   without it, in a rooted collective (mpi/rooted.c). Prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <stdio.h>
#include <string.h>

/* Of a call of `ns` that waited so long, where the other's moment and its own begin are off by so much. */
static long long doubt(int64_t ns, int64_t waited, int64_t others, int64_t own)
{
    pfc__call_t c;
    memset(&c, 0, sizeof c);
    c.begin.u = own;
    c.end.ct = c.end.lt = ns;
    c.end.u = own; /* as much as before: this leaves the thread's alone */
    c.wait_ct = c.wait_lt = waited;
    c.wait_u = others;
    pfc__call_settle(&c);
    return (long long)pfc__wait_doubt(&c);
}

/* Of such a call of so many bytes, on a rank 700 ns later than without delays, where nobody's delay is less than 100. */
static long long doubt_late(pfc__i64 bytes, int sure, int ordered)
{
    const pfc__known_way_t known = { PFC__WAY_HALVING, 1, sure & 1, 0, 0, 0 };
    pfc__call_t c;
    memset(&c, 0, sizeof c);
    c.bytes = bytes;
    c.end.ct = 700;
    pfc__mpi.least_delay = 100;
    pfc__link.eager = 1000;
    pfc__doubt_late(&c, known, ordered);
    return (long long)c.end.u;
}

int main(int argc, char **argv)
{
    long long both, none, bounded, shared, late, not_late, other_way;
    MPI_Init(&argc, &argv);
    pfc__mpi.met_u = 0;
    both = doubt(1000, 900, 300, 20);
    none = doubt(1000, 0, 0, 300);
    bounded = doubt(100, 90, 20, 300);
    pfc__mpi.met_u = 300;
    shared = doubt(1000, 900, 30, 320);
    late = doubt_late(1 << 30, 0, 0);
    other_way = doubt_late(8, 0, 1);
    not_late = doubt_late(1 << 30, 1, 0) + doubt_late(8, 0, 0);
    MPI_Finalize();
    if (both == 320 && none == 0 && bounded == 100 && shared == 50 && late == 600 && not_late == 0 && other_way == 600) puts("ok");
    else printf("%lld, %lld, %lld, %lld, %lld, %lld, %lld\n", both, none, bounded, shared, late, not_late, other_way);
    return 0;
}
