#!/bin/bash
# Under SimGrid, each of random collectives ends undisturbed when it does in the plain program, or within what the run doubts
# (meetings.c), and right to 0.05 ms, behind 6 to 9, in any case. Nonblocking ones, of which SimGrid's ranks get the data of each
# other one by themselves, do to 0.03 ms beyond that; with data so long that a sender waits for its receiver, of 9 to 25 ms, to 0.05 ms beyond it, and to 0.5.
#
#     tests/smpi/meetings.sh [RUNS]     with each number of ranks (1)
set -eu
cd "$(dirname "$0")/../.."
build=build/tests/smpi/meetings hosts=8
. tests/smpi/environment
both_builds meetings

runs=0 failed=0
for ranks in 3 4 6 8; do
    for ((first = 1; first <= 3 * ${1:-1}; first += 3)); do
        runs=$((runs + 3))
        ends_alike $ranks 100 50000 0 $first $((first + 3)) || { echo "$ranks ranks, from seed $first"; failed=$((failed + 1)); }
        ends_alike $ranks 30000 60000 0 $first $((first + 3)) nonblocking || { echo "$ranks ranks, nonblocking, from seed $first"; failed=$((failed + 1)); }
        ends_alike $ranks 50000 500000 0 $first $((first + 3)) long || { echo "$ranks ranks, long, from seed $first"; failed=$((failed + 1)); }
    done
done
echo "$runs runs, $failed failed"
[ $failed = 0 ]
