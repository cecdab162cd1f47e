#!/bin/bash
# programs/together.c under each MPI that is here: undisturbed, its loop takes as long as in the plain program. First argument: a folder
# to build in (build/tests/mpi).
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/tests/mpi}
. tests/mpi/programs/environment

is_right() {
    local plain
    plain=$(timeout 60 mpiexec.$mpi -n 3 env $(patience $mpi) "$build/together.plain.$mpi")
    rm -rf "$build/together.profiles"
    PERFCOMP_DIR=$build/together.profiles timeout 60 mpiexec.$mpi -n 3 env $(patience $mpi) "$build/together.$mpi" >/dev/null
    build/perfcomp report --json "$build/together.profiles/perfcomp.0.pfc" | /usr/bin/python3 -c '
import json, sys
loop = next(r["inclusive"] for r in json.load(sys.stdin)["profiles"][0]["regions"] if r["name"] == "loop")
plain, ct, lt = float(sys.argv[1]) * 1e3, loop["ct"] / 1e6, loop["lt"] / 1e6
print("plain %.1f ms, CT %.1f, LT %.1f" % (plain, ct, lt))
sys.exit(not 0.7 * min(plain, ct) < lt < 4 * plain) # with fewer processors than ranks either may be twice as slow as the other' "$plain"
}

tried=0 failed=0
for mpi in $mpis; do
    mpicc.$mpi -std=gnu11 -O1 -I. tests/mpi/programs/together.c "$(tests/mpi/programs/layer $mpi)" -o "$build/together.$mpi" -lm -lpthread -ldl
    mpicc.$mpi -std=gnu11 -O1 -I. -DPERFCOMP_DISABLE tests/mpi/programs/together.c -o "$build/together.plain.$mpi"
    tried=$((tried + 1))
    is_right || is_right || is_right || is_right || failed=$((failed + 1))
done
echo "$tried runs, $failed failed"
[ $failed = 0 ]
