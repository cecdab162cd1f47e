#!/bin/bash
# Under SimGrid, each call of random programs ends undisturbed when it does in the plain ones: random.c. To 0.1 us, but for what the
# run doubts; where ranks ask again and again, at intervals of 2 us, and meet in barriers, to 25.
#
#     tests/smpi/random.sh [PROGRAMS]     of each number of ranks (60)
set -eu
cd "$(dirname "$0")/../.."
build=build/tests/smpi/random
programs=${1:-60}
. tests/smpi/environment
both_builds random

runs=0 failed=0
# RANKS FIRST
both() {
    for polls in 0 1; do
        runs=$((runs + 1)) off=100 asked=0
        [ $polls = 0 ] || off=25000 asked=2e-6
        ends_alike "$1" $off 1e9 $asked "$2" $(($2 + 10)) $polls || { echo "$1 ranks, from seed $2, polls $polls"; failed=$((failed + 1)); }
    done
}

for ranks in 2 3 4; do
    for ((first = 1; first <= programs; first += 10)); do both $ranks $first; done
done
both 3 221 # two long messages of one stream, of which the second is received first
echo "$runs runs, $failed failed"
[ $failed = 0 ]
