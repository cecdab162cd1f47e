#!/bin/bash
# Under SimGrid, the report tells which messages would have come before others, had nothing been instrumented: order.c.
set -eu
cd "$(dirname "$0")/../.."
build=build/tests/smpi/order
rm -rf $build && mkdir -p $build
command -v smpirun >/dev/null || { echo "SimGrid's smpirun isn't here: install libsimgrid-dev"; exit 1; }
echo '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">
<cluster id="c" prefix="n" suffix="" radical="0-2" speed="1Gf" bw="10GBps" lat="1us"/></platform>' >$build/platform.xml
printf 'n%d\n' 0 1 2 >$build/hosts
smpicc -w -O1 -DPERFCOMP_SMPI -I. tests/smpi/order.c -o $build/order -lm

for case in blocking:5 nonblocking:5 probe:5 even:0 off:; do
    way=${case%:*}
    PERFCOMP_DIR=$build/$way PERFCOMP_SMPI_COST_NS=enter=500,exit=500,mpi=1000 PERFCOMP_MPI_ORDER=$([ "$way" = off ] && echo off || echo check) timeout 60 \
        smpirun -np 3 -platform $build/platform.xml -hostfile $build/hosts --log=root.thres:critical --cfg=smpi/wtime:0 \
        --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1Gf $build/order "$way"
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
