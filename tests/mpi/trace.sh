#!/bin/bash
# A trace's ranks lie on one clock, whenever each was started: all leave a barrier after the last one has come.
# First argument: a folder to build in (build/tests/mpi).
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build/tests/mpi}")
. tests/mpi/programs/environment

tried=0 failed=0
for mpi in mpich openmpi; do
    command -v mpicc.$mpi mpiexec.$mpi >/dev/null || continue
    tried=$((tried + 1))
    rm -rf "$build/trace"
    build/perfcomp-cc mpicc.$mpi tests/mpi/programs/late.c -o "$build/late.$mpi"
    PERFCOMP_TRACE=1 PERFCOMP_DIR="$build/trace" timeout 60 mpiexec.$mpi -n 3 \
        sh -c 'sleep 0.$((3 * ${PMI_RANK:-$OMPI_COMM_WORLD_RANK})); exec "$0"' "$build/late.$mpi"
    build/perfcomp export --format chrome-trace -o "$build/trace.json" "$build/trace"
    python3 - "$build/trace.json" <<'CHECK' || { echo "$mpi"; failed=$((failed + 1)); }
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
assert sorted(e["pid"] for e in events if e["name"] == "process_name") == [0, 1, 2], events[:5]
assert all(e["args"]["name"].startswith(f"rank {e['pid']}: ") for e in events if e["name"] == "process_name"), events[:5]
assert min(e["ts"] for e in events if "ts" in e) >= 0
times = {(rank, phase): [e["ts"] for e in events if e["name"] == "MPI_Barrier" and (e["pid"], e["ph"]) == (rank, phase)]
         for rank in range(3) for phase in "BE"}
for late in range(3):
    came = times[late, "B"][late]
    for rank in range(3):
        assert times[rank, "E"][late] > came - 10000, (late, rank, times) # us; processors are shared
        assert rank == late or times[rank, "B"][late] < came, (late, rank, times)
CHECK
done
[ $tried -gt 0 ] || { echo "neither MPICH nor Open MPI is here: tests/install mpi" >&2; exit 1; }
echo "$tried runs, $failed failed"
[ $failed = 0 ]
