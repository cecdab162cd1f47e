#!/bin/bash
# A program's own clock may tick as seldom as once a second, or a million times a nanosecond: what it leaves can be read,
# and so it can where it is said to tick otherwise, which no clock does: then it counts ns.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > program.c <<'END'
#include <stdint.h>
static int64_t ticks;
#define PERFCOMP_CLOCK() (ticks += 1)
#define PERFCOMP_CLOCK_HZ HZ
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"

int main(void)
{
    char why[PFC_WHY];
    pfc_profile_t *p;
    int good;
    PFC_BEGIN("region");
    PFC_END("region");
    pfc_stop();
    p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    if (!p) return fprintf(stderr, "HZ=%g: %s\n", (double)(HZ), why), 1;
    good = p->pairs == 1 && p->sum.ct > 0 && p->sum.ct <= (double)ticks * 1e9 / (COUNTS) * 1.001;
    pfc_profile_close(p);
    return !good;
}
END
for hz in 1 1e15; do
    gcc -std=gnu11 -w -O0 -DHZ=$hz -DCOUNTS=$hz -I"$top" program.c -o program -pthread -lm
    timeout 60 ./program || { echo "HZ=$hz"; exit 1; }
done
for hz in 0 -5 0.5 2e15 0.0/0.0; do
    gcc -std=gnu11 -w -O0 "-DHZ=($hz)" -DCOUNTS=1e9 -I"$top" program.c -o program -pthread -lm
    timeout 60 ./program 2> said || { echo "HZ=$hz"; exit 1; }
    [ "$(grep -c 'PERFCOMP_CLOCK_HZ is .* taken for ns' said)" = 1 ] || { echo "HZ=$hz: $(cat said)"; exit 1; }
done
