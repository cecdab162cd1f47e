#!/bin/bash
# Under SimGrid, what ranks waited is told to the ± that is said: waits.c.
set -eu
cd "$(dirname "$0")/../.."
build=build/tests/smpi/waits
. tests/smpi/environment
smpicc -w -O0 -DPERFCOMP_SMPI -I. tests/smpi/waits.c -o $build/waits -lm
PERFCOMP_FILE=none PERFCOMP_SMPI_COST_NS=enter=500,exit=500,mpi=500 simulated 4 $build/waits 60
