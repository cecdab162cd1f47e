#!/bin/bash
# Programs that start at once in one folder: none takes another one's file, which
# would show when that one has to grow.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > many.c <<'END'
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <stdio.h>

int main(void)
{
    static char name[3000][16];
    static pfc__site_t site[3000];
    for (int i = 0; i < 3000; i++) {
        pfc__site_t s = PFC__SITE(PFC__NAMED, name[i], 1, "");
        snprintf(name[i], sizeof name[i], "region %d", i);
        site[i] = s;
        pfc__begin(&site[i]);
    }
    return 0;
}
END
cc -std=gnu11 -O1 -I "$top" many.c -o many -lm -pthread
for _ in $(seq 15); do
    for _ in 1 2 3 4 5 6 7 8; do ./many 2>> messages & done
    wait
done
cat messages
[ ! -s messages ]
