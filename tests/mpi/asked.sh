#!/bin/bash
# programs/asked.c under each MPI that is here: what was waited by asking is, undisturbed, in the region that ends it, and none is
# below zero. answered.c: nor is it less than as long as it was waited, where what was waited for tells nothing of its delay. First
# argument: a folder to build in (build/tests/mpi).
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/tests/mpi}
. tests/mpi/programs/environment

# A rank that was put aside between its questions has done something of its own there, as far as one can tell.
is_right() {
    rm -rf "$build/asked.profiles"
    PERFCOMP_DIR=$build/asked.profiles timeout 60 mpiexec.$mpi -n 3 env $(patience $mpi) "$build/asked.$mpi"
    build/perfcomp report --json "$build/asked.profiles/perfcomp.0.pfc" | /usr/bin/python3 -c '
import json, sys
ms = {r["name"]: r["exclusive"]["lt"] / 1e6 for r in json.load(sys.stdin)["profiles"][0]["regions"]}
waits = ["MPI_Wait", "MPI_Recv", "MPI_Mrecv", "MPI_Test"]
both = ["work", "MPI_Testany"] # of a row of 100 ms each its part
others = ["MPI_Improbe", "MPI_Iprobe", "MPI_Imrecv", "MPI_Irecv", "(outside of all regions)"]
print({name: round(ms[name], 1) for name in waits + both + others})
sys.exit(any(ms[w] < 80 for w in waits) or any(ms[o] < -10 for o in others) or max(ms["MPI_Improbe"], ms["MPI_Iprobe"]) > 80
         or any(ms[b] < 5 for b in both) or sum(ms[b] for b in both) < 80 or ms[others[-1]] < 100) # where it slept for 125'
}

has_waited() {
    rm -rf "$build/answered.profiles"
    PERFCOMP_DIR=$build/answered.profiles timeout 60 mpiexec.$mpi -n 2 "$build/answered.$mpi"
    build/perfcomp report --json "$build/answered.profiles/perfcomp.0.pfc" | /usr/bin/python3 -c '
import json, sys
t = next(r["exclusive"] for r in json.load(sys.stdin)["profiles"][0]["regions"] if r["name"] == "MPI_Test")
print("asked for an answer:", {key: round(t[key] / 1e6, 1) for key in ("ct", "lt", "u")})
sys.exit(t["ct"] > 1e8 and t["lt"] < 0.9 * t["ct"])'
}

tried=0 failed=0
for mpi in $mpis; do
    mpicc.$mpi -std=gnu11 -O1 -I. tests/mpi/programs/asked.c "$(tests/mpi/programs/layer $mpi)" -o "$build/asked.$mpi" -lm -lpthread -ldl
    tried=$((tried + 1))
    is_right || is_right || is_right || failed=$((failed + 1))
    mpicc.$mpi -std=gnu11 -O1 -I. tests/mpi/programs/answered.c "$(tests/mpi/programs/layer $mpi)" -o "$build/answered.$mpi" -lm -lpthread -ldl
    tried=$((tried + 1))
    has_waited || has_waited || failed=$((failed + 1))
done
echo "$tried runs, $failed failed"
[ $failed = 0 ]
