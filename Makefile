# perfcomp. `make help` tells the targets. What is built goes to build/ only.
CC = cc
CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra
PROGRAM =
MPICC = mpicc
PRELOAD = build/libperfcomp_mpi.so
AMALGAMATE = perfcomp_impl/tools/amalgamate
CALLS_TABLE = CC="$(CC)" perfcomp_impl/tools/calls-table
HEADERS = core:perfcomp.h $(if $(wildcard perfcomp_impl/mpi/parts),mpi:perfcomp_mpi.h)
SCRIPTS = $(patsubst perfcomp_impl/tools/%,build/%,$(wildcard perfcomp_impl/tools/perfcomp-*))
# Of the Open Trace Format's library, for perfcomp export, where it is here.
OTF2 = $(shell echo '_Static_assert(OTF2_VERSION_MAJOR >= 3, "too old"); int main(void) { return !OTF2_Error_GetName(OTF2_SUCCESS); }' | \
    $(CC) $(CFLAGS) -include otf2/otf2.h -xc - -lotf2 -o /dev/null 2>/dev/null && echo -DPERFCOMP_OTF2 -lotf2)
CLI = $(wildcard perfcomp_impl/tools/*.c perfcomp_impl/tools/cli/*.c)

help:
	@echo 'make demo                 perfcomp on two programs that know nothing of it, one of them on MPI'
	@echo 'make demo PROGRAM=lua     the same on Lua 5.4, from its Debian source package'
	@echo 'make test                 all tests; make test SUITES="core tools" some of them'
	@echo 'make bench                figures, as one table of ratios'
	@echo 'make tools                build/perfcomp, build/perfcomp-cc, build/perfcomp-instrument'
	@echo 'make preload MPICC=mpicc  build/libperfcomp_mpi.so, for MPI programs that are not to be rebuilt'
	@echo 'make headers              perfcomp.h, perfcomp_mpi.h and the table of MPI calls in README.md from perfcomp_impl/'
	@echo 'make check-headers        are they what perfcomp_impl/ gives?'
	@echo 'make fuzz SECONDS=3600    a long fuzz run of each target'
	@echo 'make clean                removes build/'

headers:
	@mkdir -p build
	for h in $(HEADERS); do $(AMALGAMATE) $${h%:*} > build/$${h#*:} && mv build/$${h#*:} $${h#*:} || exit 1; done
	$(CALLS_TABLE) README.md > build/README.md && mv build/README.md README.md

check-headers:
	@for h in $(HEADERS); do $(AMALGAMATE) $${h%:*} | cmp - $${h#*:} || \
	    { echo "$${h#*:} is not what perfcomp_impl/ gives: run \"make headers\" and commit the result." >&2; exit 1; }; done
	@$(CALLS_TABLE) README.md | cmp - README.md || \
	    { echo "README.md's table of calls is not what perfcomp_impl/ gives: run \"make headers\" and commit the result." >&2; exit 1; }
	@! grep -nE '^(<<<<<<<|>>>>>>>)' README.md || { echo "README.md: a merge that wasn't settled" >&2; exit 1; }

tools: build/perfcomp $(SCRIPTS)

build/perfcomp: $(CLI) $(wildcard perfcomp_impl/tools/*.h perfcomp_impl/tools/cli/*.h) perfcomp.h
	@mkdir -p build
	$(CC) $(CFLAGS) -I. -o $@ $(CLI) $(OTF2) -lm -lpthread

# Each time anew: MPICC may be another one.
preload:
	@mkdir -p $(dir $(PRELOAD))
	@command -v $(firstword $(MPICC)) >/dev/null || { echo "make preload: there is no MPI compiler $(firstword $(MPICC)): \
	install MPICH or Open MPI, or name yours: make preload MPICC=compiler" >&2; exit 1; }
	$(MPICC) $(CFLAGS) -fPIC -fsemantic-interposition -shared -I. -o $(PRELOAD) perfcomp_impl/mpi/preload.c -lm -lpthread -ldl

$(SCRIPTS): build/%: perfcomp_impl/tools/%
	@mkdir -p build
	ln -sf ../$< $@

demo:
	examples/demo $(PROGRAM)

test:
	tests/install test $(if $(wildcard perfcomp_mpi.h),mpi)
	tests/run $(SUITES)

bench: tools
	tests/install bench mpi
	tests/bench/run $(if $(RUNS),--runs $(RUNS))

SECONDS = 3600
fuzz:
	tests/install test
	tests/run --fuzz-seconds $(SECONDS) fuzz

clean:
	rm -rf build

.PHONY: help headers check-headers tools preload demo test bench fuzz clean
