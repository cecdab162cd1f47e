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
smpicc -w -O0 -I. tests/smpi/random.c -o $build/plain -lm
smpicc -w -O0 -DLAYER -DPERFCOMP_SMPI -I. tests/smpi/random.c -o $build/layer -lm

cat >$build/compare.py <<'END'
import sys

def ends(name):
    rows = [line.split() for line in open(name)]
    return {tuple(map(int, row[:3])): (float(row[3]), float(row[4])) for row in rows}

off = float(sys.argv[1])
true, told = map(ends, sys.argv[2:])
order = sorted(true.keys() & told.keys(), key=lambda at: true[at])
began = told[order[0]][0] - true[order[0]][0]  # the simulation, and the program behind MPI_Init
wrong = [(at, told[at][0] - began - true[at][0], told[at][1]) for at in order
         if abs(told[at][0] - began - true[at][0]) > told[at][1] + off]
for (seed, rank, op), by, doubt in wrong[:1]:
    print(f"seed {seed}, rank {rank}: op {op} ends {by:+.0f} ns off, ± {doubt:.0f}")
sys.exit(not true or true.keys() != told.keys() or bool(wrong))
END

# RANKS FIRST END POLLS BY
compare() {
    asked=0; [ "$4" = 0 ] || asked=2e-6
    for of in plain layer; do
        PERFCOMP_FILE=none PERFCOMP_SMPI_COST_NS=enter=500,exit=500,hit=500,mpi=500 simulated "$1" --cfg=smpi/coll-selector:mpich \
            --cfg=smpi/test:$asked --cfg=smpi/iprobe:$asked --cfg=smpi/grow-injected-times:no --cfg=smpi/async-small-thresh:65536 \
            --cfg=smpi/send-is-detached-thresh:65536 --cfg=network/TCP-gamma:7500 --cfg=network/crosstraffic:0 \
            $build/$of "$2" "$3" "$4" >$build/$of.out 2>$build/$of.err || { cat $build/$of.err; return 1; }
    done
    /usr/bin/python3 $build/compare.py "$5" $build/plain.out $build/layer.out
}

runs=0 failed=0
# RANKS FIRST
both() {
    for way in "0 100" "1 25000"; do
        runs=$((runs + 1))
        # shellcheck disable=SC2086
        compare "$1" "$2" $(($2 + 10)) $way || { echo "$1 ranks, from seed $2, $way"; failed=$((failed + 1)); }
    done
}

for ranks in 2 3 4; do
    for ((first = 1; first <= programs; first += 10)); do both $ranks $first; done
done
both 3 221 # two long messages of one stream, of which the second is received first
echo "$runs runs, $failed failed"
[ $failed = 0 ]
