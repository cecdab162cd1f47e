#!/bin/bash
# Under SimGrid, the report tells which messages would have come before others, had nothing been instrumented: order.c.
set -eu
cd "$(dirname "$0")/../.."
build=build/tests/smpi/order
. tests/smpi/environment
smpicc -w -O1 -DPERFCOMP_SMPI -I. tests/smpi/order.c -o $build/order -lm

for case in blocking:5 nonblocking:5 probe:5 even:0 off:; do
    way=${case%:*}
    order=check
    [ "$way" != off ] || order=off
    PERFCOMP_DIR=$build/$way PERFCOMP_SMPI_COST_NS=enter=500,exit=500,mpi=1000 PERFCOMP_MPI_ORDER=$order simulated 3 $build/order "$way"
    build/perfcomp report --json $build/$way | /usr/bin/python3 -c '
import json, sys
way, overtaken = sys.argv[1:]
order = json.load(sys.stdin)["profiles"][0]["mpi"]["order"]
print(way, order)
good = order["from_anybody"] == (10 if overtaken else 0) and order["overtaken"] == int(overtaken or 0)
if order["overtaken"]:
    good = good and (order["rank"], order["by"]) == (2, 1) and 0.19e6 < order["most"] < 0.21e6
sys.exit(not good)' "$way" "${case#*:}"
done
build/perfcomp report $build/blocking | grep -A2 '  Order: of 10 messages received from anybody, undisturbed 5 would have come before'
