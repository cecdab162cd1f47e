#!/bin/bash
# Under SimGrid, the report tells which messages would have come before others, had nothing been instrumented: order.c. Held back,
# they come as they would have.
set -eu
cd "$(dirname "$0")/../.."
build=build/tests/smpi/order
. tests/smpi/environment
smpicc -w -O0 -DPERFCOMP_SMPI -I. tests/smpi/order.c -o $build/order -lm

for case in check/blocking:5 check/nonblocking:5 check/probe:5 check/even:0 off/blocking: hold/blocking:0 hold/nonblocking:0 hold/probe:0 hold/iprobe:0; do
    of=${case%:*} way=${case#*/}
    way=${way%:*} order=${case%%/*}
    PERFCOMP_DIR=$build/$of PERFCOMP_SMPI_COST_NS=enter=500,exit=500,mpi=1000 PERFCOMP_MPI_ORDER=$order simulated 3 $build/order "$way" 2>$build/stderr
    if grep "it wasn't known" $build/stderr; then exit 1; fi
    build/perfcomp report --json $build/$of | /usr/bin/python3 -c '
import json, sys
way, overtaken = sys.argv[1:]
order = json.load(sys.stdin)["profiles"][0]["mpi"]["order"]
print(way, order)
good = order["from_anybody"] == (10 if overtaken else 0) and order["overtaken"] == int(overtaken or 0)
if order["overtaken"]:
    good = good and (order["rank"], order["by"]) == (2, 1) and 0.19e6 < order["most"] < 0.21e6
if "hold" in way:
    good = good and order["undecided"] == 0 and order["held"] == 10 and order["held_time"] > 0
sys.exit(not good)' "$of" "${case#*:}"
done
build/perfcomp report $build/hold/blocking | grep '  Order: 10 messages were held back until it was known that none would have come before'
build/perfcomp report $build/check/blocking | grep -A2 '  Order: of 10 messages received from anybody, undisturbed 5 would have come before'

# What the limit cuts off is told, with its name.
PERFCOMP_DIR=$build/cut PERFCOMP_SMPI_COST_NS=enter=500,exit=500,mpi=1000 PERFCOMP_MPI_ORDER=hold:1e-9 simulated 3 $build/order blocking 2>&1 |
    grep "rank 0: .* times it wasn't known within 1e-09 s which message .*PERFCOMP_MPI_ORDER=hold:SECONDS sets that limit"
