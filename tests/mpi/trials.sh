#!/bin/bash
# programs/trials.c: a program that can't go on where ranks meet in a trial is told
# so, and goes on with PERFCOMP_MPI_TRIALS=off; and where trials take most of the run,
# the profile says it. programs/known_ways.c: what is known isn't tried again. programs/sparse.c: who gets nothing from a
# rank doesn't meet it in Alltoallv. programs/parts.c: nor who has no part in Gatherv or Scatterv. First argument: a folder to build in (build/tests/mpi).
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/tests/mpi}
. tests/mpi/programs/environment
export PERFCOMP_DIR=$PWD/$build/trials

tried=0 failed=0
# expect OUTPUT NOTE VALUE VALUE: with PERFCOMP_MPI_TRIALS of rank 0 and of rank 1; NOTE: of all that stderr says ("": nothing)
expect() {
    local program="$(patience $mpi) $build/trials.$mpi"
    rm -rf "$PERFCOMP_DIR"
    tried=$((tried + 1))
    if out=$(timeout 60 tests/mpi/programs/job mpiexec.$mpi -n 1 env PERFCOMP_MPI_TRIALS=$3 $program : -n 1 env PERFCOMP_MPI_TRIALS=$4 $program \
        2>"$build/trials.stderr") && [ "$out" = "$1" ] && [ "$(grep -o "perfcomp: .*" "$build/trials.stderr" || true)" = "${2:+perfcomp: $2}" ]; then return; fi
    failed=$((failed + 1))
    echo "$mpi, PERFCOMP_MPI_TRIALS '$3' and '$4': expected \"$1\" and the note \"$2\""
    echo "$out"
    cat "$build/trials.stderr"
}

# says NUMBER: how often the report tells what the trials took
says() {
    tried=$((tried + 1))
    [ "$(build/perfcomp report "$PERFCOMP_DIR" | grep -c "went into finding out")" = "$1" ] || { failed=$((failed + 1)); echo "$mpi: the report should tell $1 times what trials took"; }
}

# done_by PROGRAM RANKS…
done_by() {
    local out ranks program=$1
    shift
    for ranks; do
        tried=$((tried + 1))
        out=$(timeout 60 mpiexec.$mpi -n $ranks env $(patience $mpi) "$build/$program.$mpi" 2>&1) && [ "$out" = "done" ] && continue
        failed=$((failed + 1))
        echo "$program, $mpi, $ranks ranks: $out"
    done
}

# sparse: by 3 and 4 ranks, tried, and as is usual
sparse() {
    local out ranks trials
    for ranks in 3 4; do
        for trials in on off; do
            tried=$((tried + 1))
            out=$(timeout 60 mpiexec.$mpi -n $ranks env PERFCOMP_MPI_TRIALS=$trials $(patience $mpi) "$build/sparse.$mpi" 2>&1) && [ "$out" = "done" ] && continue
            failed=$((failed + 1))
            echo "$mpi, $ranks ranks, PERFCOMP_MPI_TRIALS=$trials: $out"
        done
    done
}

for mpi in $mpis; do
    for name in trials known_ways parts sparse; do compile inside $mpi tests/mpi/programs/$name.c -o "$build/$name.$mpi"; done
done
compiled
for mpi in $mpis; do
    expect late "rank 0 has waited for 30 s at an MPI_Bcast of a new length, where all ranks meet to try by which way its data go; \
if one of them can't come before rank 0 goes on, set PERFCOMP_MPI_TRIALS=off" '' on
    says 1
    expect came "" off on
    says 0
    expect came "PERFCOMP_MPI_TRIALS=never isn't understood: use PERFCOMP_MPI_TRIALS=on or PERFCOMP_MPI_TRIALS=off" never off
    done_by known_ways 2 3
    done_by parts 3 4
    [ $mpi != mpich ] || sparse
done
echo "$tried runs, $failed failed"
[ $failed = 0 ]
