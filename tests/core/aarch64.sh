#!/bin/bash
# The header on AArch64: compiles without a warning, and a program's profile,
# made under qemu with that architecture's counter as the clock, is read here.
set -eu
[ "$(uname -m)" != aarch64 ] || exit 0 # all other tests are about it
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
aarch64-linux-gnu-gcc -std=gnu11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -static \
    -I "$top" "$top/examples/ten_lines.c" -o "$folder/ten_lines" -lm -pthread
cd "$folder"
[ "$(timeout 100 qemu-aarch64 ./ten_lines)" = "17984 primes below 200000" ]
cc -std=gnu11 -I "$top" "$top"/perfcomp_impl/tools/cli/*.c -o perfcomp -lm -pthread
./perfcomp report --all perfcomp.0.pfc > report
grep -q 'clock  *CNTVCT' report
grep -q '^ *199,998 .* is_prime ' report
grep -q '^ *1 .* search ' report
