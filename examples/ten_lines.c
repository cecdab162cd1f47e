/* Timing by hand. Build and run:
       cc -O2 -I.. ten_lines.c -lm -pthread -o ten_lines && PERFCOMP_REPORT=1 ./ten_lines
   The profile stays in perfcomp.0.pfc: `perfcomp report perfcomp.0.pfc`. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <stdio.h>

static unsigned long steps_to_one(unsigned long n)
{
    PFC_FUNCTION(); /* this function is a region */
    unsigned long steps = 0;
    for (; n != 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

int main(void)
{
    unsigned long longest = 0, start = 0;
    PFC_BEGIN("search"); /* so is what lies between BEGIN and END */
    for (unsigned long n = 1; n < 100000; n++) {
        unsigned long steps = steps_to_one(n);
        if (steps <= longest) continue;
        PFC_HIT("record"); /* counted, not timed */
        longest = steps;
        start = n;
    }
    PFC_END("search");
    printf("%lu takes %lu steps to get to 1\n", start, longest);
    return 0;
}
