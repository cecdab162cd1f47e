#!/bin/bash
# In C++ methods, overloads and instances of a template are regions of their own, and their sites need no guard.
# A counter in a template is one, and costs the instances that it stands in.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '#define PERFCOMP_IMPLEMENTATION\n#include "perfcomp.h"\n' > runtime.c
gcc -std=gnu11 -I "$top" -c runtime.c
cat > program.cc <<'END2'
#include "perfcomp.h"
struct A { void work() { PFC_FUNCTION(); } };
struct B { void work() { PFC_FUNCTION(); } void work(int) { PFC_FUNCTION(); } };
template <class T> T twice(T x) { PFC_FUNCTION(); PFC_HIT("doubled"); return x + x; }

int main()
{
    A().work();
    B().work();
    B().work(1);
    return twice(0) + int(twice(0.0));
}
END2
for compiler in g++ clang++; do
    $compiler -std=c++17 -O0 -Wall -Wextra -Werror -I "$top" program.cc runtime.o -o program -lm -pthread
    ! nm program | grep -q __cxa_guard
    ./program
    "$top/build/perfcomp" report --blocks perfcomp.0.pfc | grep -q '^ *2 .*  doubled$'
    "$top/build/perfcomp" report --json perfcomp.0.pfc | grep -q '"hits_spread":0,'
    "$top/build/perfcomp" report --all perfcomp.0.pfc | sed -n '/^Regions/,/^$/p' > regions
    for name in A::work B::work\(\) B::work\(int\) 'twice.*int\]' 'twice.*double\]'; do
        [ "$(grep -c "^ *1 .*$name.*program.cc" regions)" = 1 ] || { echo "$compiler: $name"; cat regions; exit 1; }
    done
done
