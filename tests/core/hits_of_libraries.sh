#!/bin/bash
# A library that is unloaded leaves the program's own hits alone, and --gc-sections leaves the program its hits.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > library.c <<'END2'
#include "perfcomp.h"
void called(void);
void called(void) { PFC_FUNCTION(); }
END2
cat > program.c <<'END2'
#include "perfcomp.h"
#include <dlfcn.h>

int main(void)
{
    for (int i = 0; i < 3; i++) {
        void *library = dlopen("./library.so", RTLD_NOW);
        PFC_HIT("loaded");
        dlclose(library);
    }
    for (int i = 0; i < 100; i++) PFC_HIT("afterwards");
    return 0;
}
END2
printf '#define PERFCOMP_IMPLEMENTATION\n#include "perfcomp.h"\n' > runtime.c
for compiler in gcc clang; do
    options="-std=gnu11 -ffunction-sections -Wall -Wextra -Werror -I $top"
    $compiler $options -c runtime.c
    for linker in bfd lld; do
        for collects in "" -Wl,--gc-sections; do
            command -v "ld.$linker" > /dev/null || continue
            $compiler $options -fuse-ld=$linker $collects -shared -fPIC library.c -o library.so
            $compiler $options -fuse-ld=$linker $collects -rdynamic program.c runtime.o -o program -lm -pthread -ldl
            ./program
            counts=$("$top/build/perfcomp" report --blocks perfcomp.0.pfc | awk '/program.c/ { print $1, $NF }')
            [ "$counts" = $'100 afterwards\n3 loaded' ] || { echo "$compiler, $linker, $collects: $counts"; exit 1; }
        done
    done
done
