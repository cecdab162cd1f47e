/* How long messages are taken to travel that are longer than the longest measured
   (mpi/transfer.c): as the line through the last two has it, but no less than the
   longest, whatever noise has made of the one before. Prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <stdio.h>

enum { LAST = PFC__SIZES - 1, KB = 1024 };

static int64_t travels(int64_t last_but_one_ns, int64_t last_ns, int64_t bytes)
{
    pfc__link.size[LAST - 1] = 256 * KB;
    pfc__link.size[LAST] = 1024 * KB;
    pfc__link.travel.ns[LAST - 1] = last_but_one_ns;
    pfc__link.travel.ns[LAST] = last_ns;
    return pfc__on_curve(&pfc__link.travel, bytes, LAST).ns;
}

int main(int argc, char **argv)
{
    int64_t between, behind, noisy, longest;
    MPI_Init(&argc, &argv);
    between = travels(20000, 80000, 512 * KB);
    behind = travels(20000, 80000, 4096 * KB);
    noisy = travels(4000000, 80000, 4096 * KB);
    longest = travels(4000000, 80000, 1024 * KB);
    MPI_Finalize();
    if (between == 40000 && behind == 320000 && noisy == 80000 && longest == 80000) puts("ok");
    else printf("%lld, %lld, %lld, %lld\n", (long long)between, (long long)behind, (long long)noisy, (long long)longest);
    return 0;
}
