/* Timing by hand. Build and run:
       cc -O2 -I.. ten_lines.c -lm -pthread -o ten_lines && PERFCOMP_REPORT=1 ./ten_lines
   The profile stays in perfcomp.0.pfc: `perfcomp report perfcomp.0.pfc`. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <stdio.h>

static int is_prime(unsigned n)
{
    PFC_FUNCTION(); /* this function is a region */
    for (unsigned d = 2; d * d <= n; d++)
        if (n % d == 0) return 0;
    return 1;
}

int main(void)
{
    unsigned primes = 0;
    PFC_BEGIN("search"); /* so is what lies between BEGIN and END */
    for (unsigned n = 2; n < 200000; n++) {
        if (!is_prime(n)) continue;
        PFC_HIT("prime"); /* counted, not timed */
        primes++;
    }
    PFC_END("search");
    printf("%u primes below 200000\n", primes);
    return 0;
}
