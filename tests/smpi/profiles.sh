#!/bin/bash
# Under SimGrid, perfcomp report tells the undisturbed run to 0.2 %, of a program that passes probes before MPI_Init;
# of one with macros, and of one that perfcomp-cc has instrumented. What it can't do it says once, not once a rank.
set -eu
cd "$(dirname "$0")/../.."
build=build/tests/smpi/profiles
. tests/smpi/environment
smpicc -w -O0 tests/smpi/profiles.c -o $build/plain
smpicc -w -O0 -DLAYER -DPERFCOMP_SMPI -I. tests/smpi/profiles.c -o $build/layer -lm
build/perfcomp-cc smpicc -w -O0 tests/smpi/profiles.c -o $build/functions

of_four() { simulated 4 --cfg=smpi/test:0 --cfg=smpi/iprobe:0 "$1"; }
truth=$(of_four $build/plain)
for case in layer:5000:1000 layer:5000:200 functions:20:1000; do # SimGrid leaves out less than 1000 ns, if one doesn't take care
    IFS=: read -r variant entries cost <<<"$case"
    PERFCOMP_DIR=$build/$variant.$cost PERFCOMP_SMPI_COST_NS=enter=$cost,exit=$cost,hit=$((cost / 2)),mpi=$cost of_four $build/$variant >/dev/null
    build/perfcomp report --json $build/$variant.$cost >$build/report.json
    /usr/bin/python3 - "$truth" "$entries" $build/report.json <<'END'
import json, sys
truth, entries, profiles = float(sys.argv[1]), int(sys.argv[2]), json.load(open(sys.argv[3]))["profiles"]
undisturbed = max(p["total"]["lt"] for p in profiles)
measured = max(p["total"]["ct"] - p["start_ns"] for p in profiles)
work = sum(r["calls"] for p in profiles for r in p["regions"] if r["name"] == "work")
print(f"{truth:.0f} ns; by {len(profiles)} profiles {undisturbed:.0f} ns, measured {measured:.0f} ns; {work} entries")
sys.exit(not (len(profiles) == 4 and abs(undisturbed - truth) < 0.002 * truth and measured > 1.02 * truth and work == entries))
END
done
for wish in PERFCOMP_MPI_MERGE=1 PERFCOMP_SMPI_COST_NS=x PERFCOMP_MPI_ORDER=x; do
    said=$(export PERFCOMP_DIR=$build/said "$wish"; of_four $build/layer 2>&1 >/dev/null | grep -c "perfcomp: ${wish%=*}")
    echo "$wish: said $said times"
    [ "$said" = 1 ]
done
for ask in 1e-4 0; do
    said=$(PERFCOMP_DIR=$build/said simulated 4 --cfg=smpi/iprobe:$ask $build/layer 2>&1 >/dev/null | grep -c "perfcomp: in this simulation an MPI_Iprobe takes .* smpirun") || true
    echo "questions of $ask s: said $said times"
    [ "$said" = "$([ $ask = 0 ] && echo 0 || echo 1)" ]
done
