#!/usr/bin/python3
"""Real programs out of Debian's source packages, and one of this folder: how to fetch, build and run them.

    tests/bench/programs.py                          names them
    tests/bench/programs.py build NAME VARIANT CC    builds into build/bench/NAME/VARIANT with the compiler command CC
    tests/bench/programs.py run NAME VARIANT         runs the workload
"""
import fcntl
import hashlib
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
BENCH = TOP / "build" / "bench"
FACTS = BENCH / "facts"

# package   Debian's source package, behind an option of tests/bench/fetch; "": NAME.c of this folder
# prepare   shell commands, run once in a copy of the source with CC=cc: everything before the compiler
#           that is to be measured comes in
# build     shell commands, run in a copy of that with CC set: plain make wherever the package has it
# command   what is timed, run in an empty folder; {tree}: the built copy, {corpus}: a large text, {here}: this
#           folder, {binary}: a large machine program, the C compiler's
# output    the file that must come out the same; None: standard output
# lesson    the same program on other input, from which PERFCOMP_SCALE may be learned
Program = namedtuple("Program", "package prepare build command output lesson", defaults=[None, None])

PROGRAMS = {
    "lua": Program(
        "--unpatched lua5.4", "",
        'make -s -C src linux CC="$CC -std=gnu99"',
        "{tree}/src/lua {here}/work.lua {tree}/README {tree}/src/lvm.c",
        lesson="{tree}/src/lua {here}/lesson.lua"),
    "bzip2": Program(
        "--unpatched bzip2", "",
        'make -s bzip2 CC="$CC"',
        "{tree}/bzip2 -9 -c {corpus}",
        lesson="{tree}/bzip2 -5 -c {binary}"),
    "zlib": Program(
        "zlib", "",
        'CC="$CC" ./configure --static >/dev/null && make -s minigzip',
        "{here}/through {corpus} {tree}/minigzip -9",
        lesson="{here}/through {binary} {tree}/minigzip -6"),
    "sqlite3": Program(
        "sqlite3", "./configure --disable-tcl --disable-readline >/dev/null && make -s sqlite3.c shell.c",
        "$CC -O2 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -c sqlite3.c -o amalgamation.o && "
        "$CC -O2 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -c shell.c -o shell.o && "
        "$CC amalgamation.o shell.o -lm -o sqlite3",
        "{here}/through {here}/work.sql {tree}/sqlite3 :memory:",
        lesson="{here}/through {here}/lesson.sql {tree}/sqlite3 :memory:"),
    "gzip": Program(
        "gzip", "./configure >/dev/null && make -s -C lib >/dev/null && make -s version.c version.h",
        'make -s gzip CC="$CC"',
        "{tree}/gzip -9 -n -c {corpus}",
        lesson="{tree}/gzip -6 -n -c {binary}"),
    "glpk": Program(
        "glpk", "./configure --disable-shared >/dev/null",
        'make -s -C src CC="$CC" >/dev/null && make -s -C examples CC="$CC" >/dev/null',
        "{tree}/examples/glpsol -m {tree}/examples/planarity.mod -w solution", "solution",
        "{tree}/examples/glpsol -m {tree}/examples/pentomino.mod"),
    "numeric": Program("", "", "$CC -O3 numeric.c -lm -o numeric", "{tree}/numeric", lesson="{tree}/numeric 60"),
}

# The same on MPI, with 2 ranks. What they print holds times, and isn't compared.
JOBS = {
    "hypre": Program(
        "hypre", "",  # it writes its own absolute path into its makefiles
        "cd src && ./configure CC=mpicc --disable-fortran >/dev/null && "
        'make -s CC="$CC" >/dev/null && make -s -C test CC="$CC" ij >/dev/null',
        "mpiexec -n 2 {tree}/src/test/ij -n 60 60 60 -P 2 1 1 -solver 1 -tol 1e-10",
        lesson="mpiexec -n 2 {tree}/src/test/ij -n 40 40 40 -P 2 1 1 -solver 1 -tol 1e-10"),
    "fftw3": Program(
        "fftw3", "./configure --enable-mpi --disable-fortran --disable-doc CC=mpicc >/dev/null",
        'make -s CC="$CC" MPICC="$CC" >/dev/null',
        "mpiexec -n 2 {tree}/mpi/mpi-bench -oestimate -y 64x60x50 -y 256x255",
        lesson="mpiexec -n 2 {tree}/mpi/mpi-bench -oestimate -y 48x45x50 -y 128x125"),
    "p4est": Program(
        "p4est", "./bootstrap >/dev/null 2>&1",  # libtool writes absolute paths as well
        "./configure --enable-mpi --disable-shared --without-blas CC=mpicc >/dev/null 2>&1 && "
        'make -s CC="$CC" >/dev/null',
        "mpiexec -n 2 {tree}/example/timings/p4est_timings -c three -l 11",
        lesson="mpiexec -n 2 {tree}/example/timings/p4est_timings -c unit -l 11"),
    "hpcc": Program(
        "--upstream hpcc",  # calls what MPI 3 has taken out
        "grep -rlE 'MPI_Address|MPI_Type_struct' hpl | xargs sed -i 's/MPI_Address/MPI_Get_address/g; s/MPI_Type_struct/MPI_Type_create_struct/g' && "
        "sed -E 's/^(MPdir|MPinc|MPlib|LAdir|LINKFLAGS) .*/\\1 =/; s/^LAlib .*/LAlib = -lblas/; s/^CCFLAGS .*/CCFLAGS = $(HPL_DEFS) -O2/; "
        "s/^LINKER .*/LINKER = $(CC)/' hpl/setup/Make.Linux_PII_FBLAS >hpl/Make.here && "
        "sed 's/^2 *Ps/1 Ps/' _hpccinf.txt >hpccinf.txt && mkdir lesson && sed 's/^1000 *Ns/600 Ns/' hpccinf.txt >lesson/hpccinf.txt",
        'make -s arch=here CC="$CC"',
        "mpiexec -n 2 -wdir {tree} {tree}/hpcc",
        lesson="mpiexec -n 2 -wdir {tree}/lesson {tree}/hpcc"),
}

# Of many small files: what their building costs is of interest.
BUILDS = {
    "busybox": Program(
        "busybox", "make -s defconfig >/dev/null && sed -i 's/CONFIG_TC=y/# CONFIG_TC is not set/' .config",
        'make -s CC="$CC" busybox_unstripped >/dev/null',
        "{tree}/busybox_unstripped sha512sum {corpus}"),
}
ALL = {**PROGRAMS, **JOBS, **BUILDS}
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}


def shell(script, folder, cc):
    result = subprocess.run(["bash", "-euc", script], cwd=folder, env={**os.environ, "CC": cc},
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors="replace")
    if result.returncode:
        raise SystemExit(f"programs.py: in {folder}: {script}\n{result.stdout[-4000:]}")
    return result.stdout


def prepared(name):
    """The package's source, configured: what all variants start from."""
    tree = BENCH / name / "prepared"
    if not ALL[name].package:
        tree.mkdir(parents=True, exist_ok=True)
        shutil.copy2(HERE / f"{name}.c", tree)
        return tree
    if not (tree / ".prepared").exists():
        shutil.rmtree(tree, ignore_errors=True)
        package = ALL[name].package.split()
        fetched = subprocess.run([HERE / "fetch", *package], stdout=subprocess.PIPE, text=True)
        if fetched.returncode:
            raise SystemExit(f"programs.py: can't fetch the source of {name}")
        shutil.copytree(fetched.stdout.strip(), tree, symlinks=True)
        if ALL[name].prepare:
            shell(ALL[name].prepare, tree, "cc")
        (tree / ".prepared").touch()
    return tree


def copied(name, variant):
    """A new copy of the prepared source."""
    tree = BENCH / name / variant
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(prepared(name), tree, symlinks=True)  # keeps the times, as make wants
    return tree


def build(name, variant, cc):
    """Builds a copy with the compiler command `cc`; returns what the build printed."""
    return shell(ALL[name].build, copied(name, variant), cc)


def build_once(name, variant, cc):
    """For the plain build: neither its compiler changes nor, out of a package, its source."""
    built = BENCH / name / variant / ".built"
    if not built.exists() or not ALL[name].package:
        build(name, variant, cc)
        built.touch()


def corpus():
    """32 MB of source text, the same for every run on this machine."""
    path = BENCH / "corpus"
    if not path.exists():
        size = 0
        with open(path.with_suffix(".new"), "wb") as out:
            for file in sorted((prepared("sqlite3")).rglob("*.[ch]")) + sorted(prepared("sqlite3").rglob("*.test")):
                if size < 32_000_000 and file.is_file():
                    size += out.write(file.read_bytes()[:32_000_000 - size])
        path.with_suffix(".new").rename(path)
    return path


def binary():
    return subprocess.run(["cc", "-print-prog-name=cc1"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def words(text, name, variant):
    """A command line of the table."""
    fields = {"tree": BENCH / name / variant, "here": HERE, "corpus": BENCH / "corpus"}
    if "{corpus}" in text:
        corpus()
    if "{binary}" in text:
        fields["binary"] = binary()
    return [word.format(**fields) for word in text.split()]


def command(name, variant):
    return words(ALL[name].command, name, variant)


def lesson(name, variant):
    return words(ALL[name].lesson, name, variant)


def digest(name, folder, stdout):
    """Of the program's result, to compare variants by."""
    output = ALL[name].output
    return hashlib.sha256((folder / output).read_bytes() if output else stdout.read_bytes()).hexdigest()


def with_settings(**settings):
    """The environment, with these settings of perfcomp and no others."""
    return {k: v for k, v in os.environ.items() if not k.startswith("PERFCOMP")} | settings


def timed(name, variant, under=(), **environment):
    """CPU ns, wall ns and digest of one run in an empty folder; `under`: what runs the command."""
    folder = BENCH / name / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    argv = [*under, *command(name, variant)]
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic_ns()
        status = subprocess.run(argv, cwd=folder, env=with_settings(**environment), stdin=subprocess.DEVNULL,
                                stdout=out, stderr=err).returncode
        wall, after = time.monotonic_ns() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if status:
        raise SystemExit(f"{name} ({variant}) ended with {status}:\n{(folder / 'stderr').read_text()}")
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9
    return cpu, wall, digest(name, folder, folder / "stdout")


def profile_folder(name):
    """Where an instrumented run may leave its profiles: nothing is in it."""
    folder = BENCH / name / "profile"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def variant_of(flags):
    """Its name, when it is built with these flags of perfcomp-cc."""
    return "instrumented" + flags.replace(" ", "").replace("/", "_")


def instrumented(name, variant, flags, compiler):
    """Builds the variant with these flags of perfcomp-cc; returns it."""
    os.environ["PERFCOMP_CC_FLAGS"] = flags
    build(name, variant, f"{TOP}/build/perfcomp-cc {compiler}")
    return variant


def filtered(name, variant, flags, compiler):
    """Builds a variant like this one, with what perfcomp filter lists after a run of it; returns it."""
    profile, listed = profile_folder(name), BENCH / name / f"{variant}.filter"
    timed(name, variant, PERFCOMP_DIR=str(profile))
    subprocess.run([TOP / "build" / "perfcomp", "filter", "-o", listed, profile], check=True, stderr=subprocess.DEVNULL)
    return instrumented(name, variant + "-filtered", f"{flags} --filter {listed}", compiler)


def build_tools():
    subprocess.run(["make", "--silent", "-C", TOP, "tools"], check=True)


def build_facts():
    build_tools()
    subprocess.run(["cc", "-std=gnu11", "-O2", "-I", TOP, HERE / "facts.c", "-o", FACTS, "-lm", "-lpthread"], check=True)


def facts(name):
    """What facts.c tells of the profile that the latest instrumented run has left."""
    folder = BENCH / "facts.d"
    folder.mkdir(exist_ok=True)
    return json.loads(subprocess.run([FACTS, BENCH / name / "profile" / "perfcomp.0.pfc"], cwd=folder, check=True,
                                     stdout=subprocess.PIPE).stdout)


def checked(name, plain, instrumented, runs, **environment):
    """What perfcomp check says of two commands."""
    folder = BENCH / name / "run"
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([TOP / "build" / "perfcomp", "check", "--json", "-n", str(runs), "--", *plain, "--", *instrumented],
                          cwd=folder, env=with_settings(**environment), stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def learned(name, variant, runs):
    """PERFCOMP_SCALE, from the program's other input; empty: that doesn't tell."""
    result = checked(name, lesson(name, "plain"), lesson(name, variant), runs)
    doubt = (result["scale_high"] - result["scale_low"]) / 2
    return f"{result['scale']:.4f},{doubt:.4f}" if result["scale"] else ""


def look_for(parser, names, table=PROGRAMS):
    """That all of them are there."""
    for name in names:
        if name not in table:
            parser.error(f"no program '{name}'; there are {', '.join(table)}")


def goal(slowdown):
    """The error in % that is aimed at; 0: none."""
    return 2 if slowdown <= 2 else 5 if slowdown <= 5 else 0


def lock(benchmark):
    """Held while the returned file is open."""
    BENCH.mkdir(parents=True, exist_ok=True)
    file = open(BENCH / "lock", "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(f"{benchmark}: these programs are being measured already in this tree,"
                         " and two would spoil each other's figures")
    return file


def interval(values):
    """Median and its 95 % interval, by order statistics."""
    ordered, n = sorted(values), len(values)
    reach = math.ceil(0.98 * math.sqrt(n))
    return statistics.median(ordered), ordered[max(n // 2 - reach, 0)], ordered[min(n // 2 + reach, n - 1)]


def main():
    arguments = sys.argv[1:]
    if not arguments:
        print(*ALL, sep="\n")
    elif arguments[0] == "build" and len(arguments) == 4 and arguments[1] in ALL:
        print(build(*arguments[1:]), end="")
    elif arguments[0] == "run" and len(arguments) == 3 and arguments[1] in ALL:
        os.execv(command(*arguments[1:])[0], command(*arguments[1:]))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
