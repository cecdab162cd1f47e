#!/bin/bash
# Under SimGrid, from runs on 2 to 32 ranks perfcomp predict foretells one on 64, to 4 %, and knows by how much it
# may be off. All runs are instrumented, and slower by that: the undisturbed times are foretold.
set -eu
cd "$(dirname "$0")/../.."
build=build/tests/smpi/scaling
hosts=64
. tests/smpi/environment
build/perfcomp-cc --smallest 0 smpicc -w -O1 tests/smpi/scaling.c -o $build/program
for ranks in 2 4 8 16 32 64; do
    PERFCOMP_DIR=$build/$ranks PERFCOMP_SMPI_COST_NS=enter=2000,exit=2000,mpi=500 simulated $ranks $build/program >/dev/null
done
build/perfcomp predict --at 64 --json $build/{2,4,8,16,32} >$build/predicted.json
build/perfcomp predict --json $build/{2,4,64} >$build/measured.json
/usr/bin/python3 - $build <<'END'
import json, sys
predicted, measured = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("predicted", "measured"))
truth = {size["size"]: size["measured"]["lt"] for size in measured["sizes"] if "measured" in size}
bad = 0
for size in predicted["sizes"][5:]:
    time, lt = size["time"], truth[size["size"]]
    print(f"{size['size']:.0f} ranks: {time['lt']:.0f} [{time['from']:.0f}, {time['to']:.0f}], in truth {lt:.0f} ns")
    bad += not (abs(time["lt"] / lt - 1) < 0.04 and time["from"] < lt < time["to"] and time["to"] < 1.3 * time["from"])
rows = next(path["calls_for_one"] for path in predicted["paths"] if path["name"] == "row")
print("rows of a sweep:", rows)
sys.exit(bad or not (abs(rows["factor"] - 1024) < 1 and rows["power"] == -1 and rows["logs"] == 0 and rows["constant"] == 0))
END
