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
printf '#define PERFCOMP_IMPLEMENTATION\n#include "perfcomp.h"\n' | tee one.c > two.c

refused() {
    if LC_ALL=C "$@" -I "$top" -o program -lm -pthread > said 2>&1; then echo "linked: $*"; exit 1; fi
    grep -q "$mistake.*_define_PERFCOMP_IMPLEMENTATION_in_one_C_file" said || { echo "$*:"; cat said; exit 1; }
}

for language in "gcc -xc" "clang -xc" "g++ -xc++" "clang++ -xc++"; do
    for program in regions hits; do
        mistake="undefined reference"
        refused $language $program.c
        mistake="multiple definition"
        refused $language $program.c one.c two.c
        $language $program.c one.c -I "$top" -o program -lm -pthread
        PERFCOMP_FILE=none ./program
    done
done
