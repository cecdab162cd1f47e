#!/bin/bash
# programs/attribution.c under each MPI that is here. First argument: a folder to build in (build/tests/mpi).
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/tests/mpi}
. tests/mpi/programs/environment
export PERFCOMP_FILE=none

# The ranks' common clock leaps whatever the others do: about one run in a hundred has a leap where it is somebody's own time,
# between two looks of a check. What is wrong is wrong twice.
says_ok() {
    : >"$build/shared"
    : >"$build/written"
    out=$(timeout 60 mpiexec.$mpi -n $ranks env $(patience $mpi) "$build/attribution.$mpi" "$build/shared" "$build/written" 2>"$build/stderr") &&
        [ "${out##*$'\n'}" = ok ]
}

tried=0 failed=0
for mpi in $mpis; do compile inside $mpi tests/mpi/programs/attribution.c -o "$build/attribution.$mpi"; done
compiled
for mpi in $mpis; do
    for ranks in 2 4; do
        tried=$((tried + 1))
        says_ok || says_ok && continue
        failed=$((failed + 1))
        echo "$mpi, $ranks ranks:"
        echo "$out"
        cat "$build/stderr"
    done
done
echo "$tried runs, $failed failed"
[ $failed = 0 ]
