#!/bin/bash
# Other processors: AArch64, whose counter is the clock, and 32-bit ARM, which
# has clock_gettime's. The header and the tools compile there without a warning,
# and a program that runs under qemu leaves the profile that it should.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
strict='-std=gnu11 -static -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'

run_there() { # COMPILER EMULATOR
    $1 $strict -O1 -I "$top" "$top/examples/ten_lines.c" -o ten_lines -lm -pthread
    [ "$(timeout 100 "$2" ./ten_lines)" = "17984 primes below 200000" ]
}

report_tells() { # CLOCK, of a report on stdin
    cat > report
    grep -q "clock  *$1" report
    grep -q '^ *199,998 .* is_prime ' report
    grep -q '^ *1 .* search ' report
}

if [ "$(uname -m)" != aarch64 ]; then # all other tests are about that there
    run_there aarch64-linux-gnu-gcc qemu-aarch64
    "$top/build/perfcomp" report --all perfcomp.0.pfc | report_tells CNTVCT
fi

run_there arm-linux-gnueabihf-gcc qemu-arm
if "$top/build/perfcomp" report perfcomp.0.pfc 2> refused; then exit 1; fi
grep -q 'perfcomp.0.pfc: written by a program of 32 bits; read it with a perfcomp that is compiled for as many' refused
arm-linux-gnueabihf-gcc $strict -O0 -I "$top" "$top"/perfcomp_impl/tools/cli/*.c -o perfcomp-arm -lm -pthread
timeout 100 qemu-arm ./perfcomp-arm report --all perfcomp.0.pfc | report_tells clock_gettime
