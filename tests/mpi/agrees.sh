#!/bin/bash
# programs/agrees.c under each MPI that is here. First argument: a folder to build in (build/tests/mpi).
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/tests/mpi}
. tests/mpi/programs/environment
export PERFCOMP_FILE=none PERFCOMP_SCALE=1,0.5 PERFCOMP_CONTEXT=off

tried=0 failed=0
for mpi in $mpis; do compile inside $mpi tests/mpi/programs/agrees.c -o "$build/agrees.$mpi"; done
compiled
for mpi in $mpis; do
    for compensate in 1 0; do
        tried=$((tried + 1))
        if out=$(timeout 60 mpiexec.$mpi -n 2 env $(patience $mpi) PERFCOMP_COMPENSATE=$compensate "$build/agrees.$mpi" 2>&1) && [ "$out" = ok ]; then continue; fi
        failed=$((failed + 1))
        echo "$mpi, PERFCOMP_COMPENSATE=$compensate: $out"
    done
done
echo "$tried runs, $failed failed"
[ $failed = 0 ]
