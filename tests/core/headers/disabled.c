/* Every macro of perfcomp.h. tests/run compiles this file with PERFCOMP_DISABLE
   and once more without the include and the macros: the objects must be equal. */
#include <stdio.h>
#include "perfcomp.h"

static int sum(const int *values, int count)
{
    PFC_FUNCTION();
    int total = 0;
    for (int i = 0; i < count; i++) {
        PFC_HIT("element");
        total += values[i];
    }
    return total;
}

int twice(const int *values, int count);
int twice(const int *values, int count)
{
    PFC_BEGIN("first");
    int total = sum(values, count);
    PFC_END("first");
    if (total < 0) PFC_BLOCK("negative") {
        PFC_SCOPE("inner");
        puts("negative");
    }
    PFC_MONITOR();
    return total + sum(values, count);
}
