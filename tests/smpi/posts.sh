#!/bin/bash
# Under SimGrid, who sends short messages that wait learns when their receives were posted: posts.c.
set -eu
cd "$(dirname "$0")/../.."
build=build/tests/smpi/posts
. tests/smpi/environment
smpicc -w -O0 -DPERFCOMP_SMPI -I. tests/smpi/posts.c -o $build/posts -lm
PERFCOMP_FILE=none simulated 2 --cfg=smpi/test:0 --cfg=smpi/iprobe:0 $build/posts
