#!/bin/bash
# Under SimGrid, each of random collectives ends undisturbed when it does in the plain program, or within what the run doubts
# (meetings.c), and right to 0.05 ms, behind 6 to 9, in any case. Nonblocking ones, of which SimGrid's ranks get the data of each
# other one by themselves, do to 0.03 ms beyond that. With data so long that a sender waits for its receiver they do to 0.05 ms beyond
# it, and to 0.5 of 9 to 25. So it is where messages wait for the receive, too, as SimGrid's do if nothing else is said.
#
#     tests/smpi/meetings.sh [RUNS]     with each number of ranks (1)
set -eu
cd "$(dirname "$0")/../.."
build=build/tests/smpi/meetings hosts=8
. tests/smpi/environment
both_builds meetings

# OFF MOST [KIND]
runs=0 failed=0
meet() {
    runs=$((runs + 1))
    ends_alike $ranks $1 $2 $asked $first $((first + 3)) ${3-} && return
    echo "$ranks ranks, ${3-blocking}, from seed $first, ${messages:+at once}"
    failed=$((failed + 1))
}

for ranks in 3 4 6 8; do
    for ((first = 1; first <= 3 * ${1:-1}; first += 3)); do
        messages=$at_once asked=0
        meet 100 50000
        meet 30000 60000 nonblocking
        meet 50000 500000 long
        messages= asked=1e-7
        meet 100 50000
        meet 50000 500000 long
    done
done
echo "$runs runs, $failed failed"
[ $failed = 0 ]
