#!/bin/bash
# Jobs in which only some ranks have the layer: the output stays right, nothing
# hangs, and one note says why times aren't followed from rank to rank. And
# Fortran programs, whose calls must not go past the layer, linked or preloaded;
# those that never call MPI_Init; and those that start others. First argument: a folder to build in (build/tests/mpi).
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/tests/mpi}
. tests/mpi/programs/environment
mkdir -p "$build/some"
export PERFCOMP_DIR=$PWD/$build/some

tried=0 failed=0
# expect SUM NOTE NUMBER COMMAND…: the output is "sum SUM", and NUMBER lines of stderr say NOTE ("": no note at all)
expect() {
    local sum=$1 note=$2 number=$3 out said
    shift 3
    tried=$((tried + 1))
    if out=$(timeout 60 "$@" 2>"$build/some/stderr") && [ "$out" = "sum $sum" ] &&
        said=$(grep -c "perfcomp: .*$note" "$build/some/stderr" || true) && [ "$said" = "$number" ]; then return; fi
    failed=$((failed + 1))
    echo "$*: expected \"sum $sum\" and $number notes \"$note\""
    echo "$out"
    cat "$build/some/stderr"
}

for mpi in $mpis; do
    make -s preload MPICC=mpicc.$mpi CFLAGS=-std=gnu11 PRELOAD="$build/some/$mpi.so" &
    object=$(tests/mpi/programs/layer $mpi)
    mpicc.$mpi tests/mpi/programs/some.c -o "$build/some/plain.$mpi"
    mpicc.$mpi tests/mpi/programs/some.c "$object" -o "$build/some/layer.$mpi" -lm -lpthread -ldl
    wait $!
    preload="env LD_PRELOAD=$build/some/$mpi.so"
    run="tests/mpi/programs/job mpiexec.$mpi" plain=$build/some/plain.$mpi layer=$build/some/layer.$mpi
    lacks() { echo "rank $1 of $2 runs without perfcomp_mpi.h"; }
    expect 3 "" 0 $run -n 2 "$layer"
    expect 3 "" 0 $run -n 1 "$layer" : -n 1 "$layer" late
    expect 3 "" 0 env SOME_ALARMS=1 $run -n 2 "$layer"
    tried=$((tried + 1)) # a launcher that ends such a job does so with the layer, too
    if ! SOME_LEAVE=1 timeout 20 $run -n 2 "$plain" >"$build/some/left" 2>&1; then
        ended=0
        SOME_LEAVE=1 timeout 20 $run -n 2 "$layer" >"$build/some/left" 2>&1 || ended=$?
        [ $ended != 0 ] && [ $ended != 124 ] || { failed=$((failed + 1)); echo "$mpi: a rank without MPI_Finalize: $ended"; }
    fi
    expect 3 "PERFCOMP_MPI_ORDER=hold needs all ranks on one host, and their profiles in files" 1 env PERFCOMP_MPI_ORDER=hold PERFCOMP_FILE=none $run -n 2 "$layer"
    expect 3 "PERFCOMP_MPI_ORDER=hold needs to be set on all ranks" 1 $run -n 1 "$layer" : -n 1 env PERFCOMP_MPI_ORDER=hold "$layer"
    expect 3 "PERFCOMP_MPI_ORDER=hold needs a program of MPI_THREAD_FUNNELED or less" 1 env PERFCOMP_MPI_ORDER=hold SOME_THREADS=1 $run -n 2 "$layer"
    expect 3 "PERFCOMP_MPI_ORDER=hold:x isn.t understood: use off, check, hold, or hold:SECONDS" 1 env PERFCOMP_MPI_ORDER=hold:x $run -n 2 "$layer"
    expect 3 "" 0 env PERFCOMP_MPI_EAGER=4096 $run -n 2 "$layer"
    expect 3 "PERFCOMP_MPI_EAGER=64K isn.t understood: use a number of bytes" 1 env PERFCOMP_MPI_EAGER=64K $run -n 2 "$layer"
    expect 3 "" 0 env PERFCOMP_MPI_EAGER=9223372036854775807 $run -n 2 "$layer"
    tried=$((tried + 1))
    build/perfcomp report --json "$PERFCOMP_DIR" | grep -q '"eager_bytes":1152921504606846976' ||
        { failed=$((failed + 1)); echo "$mpi: nothing could be added to the longest message that doesn't wait"; }
    for wish in PERFCOMP_MPI=some PERFCOMP=off; do # no word on stderr, but in the other's profile
        rm -f "$PERFCOMP_DIR"/*.pfc
        expect 3 "" 0 $run -n 1 "$layer" : -n 1 env $wish "$layer"
        tried=$((tried + 1))
        build/perfcomp report "$PERFCOMP_DIR" | grep -q "a rank ran with PERFCOMP_MPI=some or PERFCOMP=off: messages" ||
            { failed=$((failed + 1)); echo "$mpi: with $wish on a rank, the report doesn't say that messages stay as they are"; }
    done
    expect 3 "$(lacks 1 2)" 1 $run -n 1 "$layer" : -n 1 "$plain"
    expect 3 "$(lacks 0 2)" 1 $run -n 1 "$plain" : -n 1 "$layer"
    expect 3 "$(lacks 0 2)" 1 $run -n 1 "$plain" : -n 1 "$layer" late
    expect 3 "$(lacks 1 2)" 1 $run -n 1 "$layer" : -n 1 "$plain" late
    expect 15 "runs without perfcomp_mpi.h" 1 $run -n 2 "$layer" : -n 1 "$plain" : -n 2 "$layer"
    expect 15 "runs without perfcomp_mpi.h" 1 $run -n 1 "$plain" : -n 4 "$layer"
    expect 3 "$(lacks 1 2)" 1 $run -n 1 $preload "$plain" : -n 1 "$plain"
    expect 3 "" 0 $run -n 1 $preload "$plain" : -n 1 "$layer"
    if has_mpi4 $mpi; then
        mpicc.$mpi tests/mpi/programs/session.c -o "$build/some/session.$mpi"
        mpicc.$mpi tests/mpi/programs/session.c "$object" -o "$build/some/session.layer.$mpi" -lm -lpthread -ldl
        expect 3 "MPI_Session_init without MPI_Init" 1 $run -n 2 "$build/some/session.layer.$mpi"
        expect 3 "MPI_Session_init without MPI_Init" 1 $run -n 2 $preload "$build/some/session.$mpi"
        rm -f "$PERFCOMP_DIR"/*.pfc
        expect 3 "" 1 $run -n 2 "$build/some/session.layer.$mpi" init # and none that a rank has no layer
        tried=$((tried + 1))
        build/perfcomp report "$PERFCOMP_DIR" | grep -q "MPI by rank" && ! build/perfcomp report "$PERFCOMP_DIR" | grep -q "not ended" ||
            { failed=$((failed + 1)); echo "$mpi: ranks that have a session after MPI_Finalize have no end"; }
    fi
    mpicc.$mpi tests/mpi/programs/spawned.c -o "$build/some/spawned.$mpi"
    mpicc.$mpi tests/mpi/programs/spawned.c "$object" -o "$build/some/spawned.layer.$mpi" -lm -lpthread -ldl
    if [ "$(timeout 60 $run -n 1 "$build/some/spawned.$mpi" 2>/dev/null)" = "sum 3" ]; then # Debian's MPICH can't do it everywhere
        rm -f "$PERFCOMP_DIR"/*.pfc
        expect 3 "" 0 $run -n 1 "$build/some/spawned.layer.$mpi"
        tried=$((tried + 1))
        [ "$(grep -l "outside MPI_COMM_WORLD" "$PERFCOMP_DIR"/*.pfc | wc -l)" = 2 ] ||
            { failed=$((failed + 1)); echo "$mpi: two processes that aren't of one world don't say so"; }
    fi
    mpicc.$mpi -c tests/mpi/programs/fortran.c -o "$build/some/answer.o"
    for fortran in fortran fortran08; do # a whole job is followed from rank to rank, Fortran or not
        program=$build/some/$fortran.$mpi
        mpif90.$mpi tests/mpi/programs/$fortran.f90 "$build/some/answer.o" -o "$program"
        mpif90.$mpi tests/mpi/programs/$fortran.f90 "$build/some/answer.o" "$object" -o "$program.layer" -lm -lpthread -ldl
        for command in "$program.layer" "$preload $program"; do
            rm -f "$PERFCOMP_DIR"/*.pfc
            if [ $fortran.$mpi = fortran08.mpich ]; then # its binding begins with PMPI_Init
                expect 42 "nothing of it is measured" 1 $run -n 2 $command
                continue
            fi
            expect 42 "" 0 $run -n 2 $command
            tried=$((tried + 1))
            grep -q MPI_Allreduce "$PERFCOMP_DIR"/*.0.pfc || { failed=$((failed + 1)); echo "$mpi: calls of $command weren't measured"; }
        done
    done
done
echo "$tried runs, $failed failed"
[ $failed = 0 ]
