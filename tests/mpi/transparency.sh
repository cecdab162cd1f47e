#!/bin/bash
# programs/transparency.c, threads.c, duplicates.c, apart.c, later.c, ahead.c, anybody.c,
# nowhere.c, last.c, early.c, jumps.c, random.c and turns.c without and with the layer, the second under TSan too, and own.c, eager.c, clocks.c,
# memory.c, and those of inside.c, which bring the layer along;
# under each MPI that is here. First argument: a folder to build in (build/tests/mpi).
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/tests/mpi}
. tests/mpi/programs/environment
mkdir -p "$build/profiles"
export PERFCOMP_DIR=$PWD/$build/profiles

# What the libraries themselves do isn't ours to check; UCX's hooks in ending threads crash TSan's.
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1 UCX_MEM_EVENTS=n UCX_MEM_MMAP_HOOK_MODE=none

tried=0 failed=0

# MPI RANKS PROGRAM [ARGUMENT]: its last line is "ok"; notes of other ranks may come later
try() {
    tried=$((tried + 1))
    preload=''
    case $3 in *tsan) ;; *) preload=$(patience "$1") ;; esac
    if out=$(timeout 60 mpiexec."$1" -n "$2" env $preload "$build/$3.$1" ${4:+"$4"} 2>"$build/stderr") && [ "${out##*$'\n'}" = ok ]; then return; fi
    failed=$((failed + 1))
    echo "$1, $2 ranks, ${*:3}:"
    echo "$out"
    cat "$build/stderr"
}

strict='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
tests='transparency threads duplicates apart later ahead anybody nowhere last early jumps random turns'
for mpi in $mpis; do
    compile tests/mpi/programs/layer $mpi
    for name in clocks own eager memory; do compile inside $mpi $strict tests/mpi/programs/$name.c -o "$build/$name.$mpi"; done
    compile inside $mpi $strict -Wno-shadow tests/mpi/programs/inside.c -o "$build/inside.$mpi" # names are its programs' own
    compile inside $mpi $strict -fsanitize=thread tests/mpi/programs/threads.c tests/mpi/programs/layer.c -o "$build/threads.tsan.$mpi"
    compile inside $mpi $strict -DPFC__BARE_MOST=20000 tests/mpi/programs/apart.c tests/mpi/programs/layer.c -o "$build/apart.most.$mpi"
done >/dev/null
compiled
user() { mpicc.$mpi -O1 -g -Wno-stringop-overflow "$@"; }
for mpi in $mpis; do
    for name in $tests; do
        compile user "tests/mpi/programs/$name.c" -o "$build/$name.plain.$mpi" -lpthread
        compile user "tests/mpi/programs/$name.c" "$(tests/mpi/programs/layer $mpi)" -o "$build/$name.layer.$mpi" -lm -lpthread -ldl
    done
done
compiled
for mpi in $mpis; do
    for test in transparency:1,2,3,4,5 threads:2 duplicates:4 apart:2 later:2 ahead:2 anybody:3 nowhere:2 last:2 early:3 jumps:2 random:3; do
        name=${test%:*} counts=${test#*:}
        for ranks in ${counts//,/ }; do
            try $mpi "$ranks" "$name.plain"
            try $mpi "$ranks" "$name.layer"
        done
    done
    try $mpi 2 random.layer threads
    [ $mpi != mpich ] || try $mpi 2 threads.layer 4000 # one handle for several threads' sends
    try $mpi 2 apart.most # as if 20 kB were a GB
    for test in anybody:3 later:2 apart:2 ahead:2 nowhere:2 last:2 early:3; do PERFCOMP_MPI_ORDER=hold try $mpi ${test#*:} ${test%:*}.layer; done
    # random.layer SECONDS SEED hunts: with no message in doubt for so long, and with the limit reached at each
    for ranks in 2 3 4; do
        PERFCOMP_MPI_ORDER=hold:100 try $mpi $ranks random.layer 0.3
        PERFCOMP_MPI_ORDER=hold:0.00001 try $mpi $ranks random.layer 1
    done
    PERFCOMP_MPI_MERGE=1 try $mpi 2 last.layer
    for ranks in 1 2 5; do try $mpi $ranks clocks; done
    if has_mpi4 $mpi; then
        user tests/mpi/programs/isendrecv.c "$(tests/mpi/programs/layer $mpi)" -o "$build/isendrecv.$mpi" -lm -lpthread -ldl
        try $mpi 2 isendrecv
    fi
    try $mpi 1 own
    try $mpi 2 eager
    try $mpi 2 inside named
    PERFCOMP_MPI_ORDER=hold:0.1 try $mpi 2 inside announced
    try $mpi 1 inside travel
    try $mpi 1 inside doubt
    for ranks in 1 2; do try $mpi $ranks inside nested; done
    try $mpi 2 inside overlong
    try $mpi 2 inside unseen
    try $mpi 2 inside absent
    try $mpi 2 inside failed
    for name in halves handed_on; do try $mpi 4 inside $name; done
    try $mpi 1 inside serialized
    try $mpi 2 inside within
    try $mpi 2 inside within_threads
    try $mpi 2 inside away
    : >"$build/written"
    for kind in plain layer; do try $mpi 4 turns.$kind "$build/written"; done
    for ranks in 2 3; do try $mpi $ranks memory "$build/written"; done
    try $mpi 2 threads.tsan
done
echo "$tried runs, $failed failed"
[ $failed = 0 ]
