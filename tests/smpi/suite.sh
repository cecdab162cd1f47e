#!/bin/bash
# Some programs of MPICH's suite in simulated time (tests/smpi/suite runs all): long and short messages, collectives, windows.
exec "$(dirname "$0")/suite" pt2pt/sendrecv2 pt2pt/bsendfrag datatype/subarray datatype/tresized coll/coll2 coll/coll10 \
    coll/nbcoll2 rma/transpose1 topo/cartcreates
