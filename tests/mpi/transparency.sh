#!/bin/bash
# programs/transparency.c and threads.c without and with the layer, under each
# MPI that is here. First argument: a folder to build in (build/tests/mpi).
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/tests/mpi}
mkdir -p "$build/profiles"
export PERFCOMP_DIR=$PWD/$build/profiles
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

tried=0 failed=0
for mpi in mpich openmpi; do
    command -v mpicc.$mpi mpiexec.$mpi >/dev/null || continue
    warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
    # shellcheck disable=SC2086  # a list of words
    mpicc.$mpi -std=gnu11 -O2 -g $warnings -I. -c tests/mpi/programs/layer.c -o "$build/layer.$mpi.o"
    for test in transparency:1,2,3,4,5 threads:2; do
        name=${test%:*} counts=${test#*:}
        mpicc.$mpi -O1 -g -Wno-stringop-overflow "tests/mpi/programs/$name.c" -o "$build/$name.plain.$mpi" -lpthread
        mpicc.$mpi -O1 -g -Wno-stringop-overflow "tests/mpi/programs/$name.c" "$build/layer.$mpi.o" -o "$build/$name.layer.$mpi" -lm -lpthread -ldl
        for ranks in ${counts//,/ }; do
            for program in "$name.plain" "$name.layer"; do
                tried=$((tried + 1))
                if out=$(timeout 60 mpiexec.$mpi -n "$ranks" "$build/$program.$mpi" 2>&1) && [ "${out##*$'\n'}" = ok ]; then continue; fi
                failed=$((failed + 1))
                echo "$mpi, $ranks ranks, $program:"
                echo "$out"
            done
        done
    done
done
[ $tried -gt 0 ] || { echo "neither MPICH nor Open MPI is here: tests/install mpi" >&2; exit 1; }
echo "$tried runs, $failed failed"
[ $failed = 0 ]
