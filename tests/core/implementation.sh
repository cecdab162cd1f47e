#!/bin/bash
# A program without PERFCOMP_IMPLEMENTATION, or with two of them, isn't linked; what the linker says names the mend.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > regions.c <<'END'
#include "perfcomp.h"
int main(void) { PFC_SCOPE("region"); return 0; }
END
cat > hits.c <<'END'
#include "perfcomp.h"
int main(void) { PFC_HIT("hit"); return 0; }
END
printf '#define PERFCOMP_IMPLEMENTATION\n#include "perfcomp.h"\n' > one.c

linked() { LC_ALL=C ${language% *} "$@" -o program -lm -pthread > said 2>&1; }
refused() {
    mistake=$1; shift
    if linked "$@"; then echo "$language: linked: $*"; exit 1; fi
    grep -q "$mistake.*_define_PERFCOMP_IMPLEMENTATION_in_one_C_file" said || { echo "$language: $*:"; cat said; exit 1; }
}

for language in "gcc -xc" "clang -xc" "g++ -xc++" "clang++ -xc++"; do
    for file in regions hits one; do $language -I "$top" -c $file.c -o $file.o; done
    cp one.o two.o
    for program in regions hits; do
        refused "undefined reference" $program.o
        refused "multiple definition" $program.o one.o two.o
        linked $program.o one.o
        PERFCOMP_FILE=none ./program
    done
done
