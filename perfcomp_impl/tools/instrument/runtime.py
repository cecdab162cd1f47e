"""The runtime as static archives, built with the user's compiler and kept in a cache."""

import hashlib
import os
import re
import shutil
import sys
import tempfile

from . import cache, exports, process, wraps
from .commandline import is_simulated

_SOURCE = b'#define PERFCOMP_IMPLEMENTATION\n#define PERFCOMP_WAIT\n#define PERFCOMP_ENDS_APART\n#include <perfcomp.h>\n'
_ENDS_SOURCE = b'#define PERFCOMP_ENDS\n#include <perfcomp.h>\n'
_MPI_SOURCE = b'#define PERFCOMP_MPI_IMPLEMENTATION\n#include <perfcomp_mpi.h>\n'
_SIMULATED = b"#define PERFCOMP_SMPI\n"    # no threads, whose waits would be wrapped
# The runtime's references to OpenMP's library are weak, and where it wraps all that a program calls of it there are no
# others: then --as-needed leaves the library out, and an archive gives nothing.
_OPENMP_SOURCE = b"int omp_get_num_threads(void);\nint (*pfc__openmp)(void) = omp_get_num_threads;\n"
# For a program without a C library, which the runtime needs: there all is off, as by PERFCOMP=off.
_ABSENT_SOURCE = b"int pfc__off = 1;\nunsigned long long pfc__unit_enter(void *site, unsigned long sp) { return 0; }\n" \
    b"void pfc__unit_leave(unsigned long long depth) { }\n"
_OPENMP = re.compile(r"-fopenmp(?:=|$)|-fopenacc$|-ftree-parallelize-loops=|.*\bl(?:ib)?gomp\b")
_MPI_WRAPPER = re.compile(r"(?:^|-)s?mpi")  # mpicc, mpicxx.openmpi, x86_64-linux-gnu-mpicc.mpich, mpiicx
# The program's runtime is its libraries', too; in a library, where it is linked with -Bsymbolic, its own isn't bound to.
_EXPORT = ["-Wl,--export-dynamic-symbol=" + name for name in ("pfc__*", "__wrap_*")]
# The program's own in the place of a library's function, as a test's mock: the runtime's calls aren't meant for it.
_WRAPPED = re.compile(r"(?:^|,)--?wrap[=,]([^,]+)")  # in what the linker is told
_ARCHIVE, _MPI_ARCHIVE, _ABSENT_ARCHIVE, _OPTIONS = "libperfcomp.a", "libperfcomp_mpi.a", "libperfcomp_absent.a", "link-options"


class RuntimeError_(Exception):
    """The runtime can't be built; the message says why."""


class Runtime:
    """Where the archives are, and how they are linked. Removes what isn't kept in the cache.

    Of an MPI compiler there are two: perfcomp_mpi.h is a member of its own, so that a program with
    an implementation of either header keeps that one."""

    def __init__(self, compiler, options):
        self._temporary = self._scripts = None
        key = hashlib.sha256()
        for path in [cache.HEADER, cache.MPI_HEADER] if is_mpi(compiler) else [cache.HEADER]:
            with open(path, "rb") as header:
                key.update(header.read())
        key.update(_ABSENT_SOURCE + ascii([cache.compiler_identity(compiler)] + options).encode())
        self._folder = os.path.join(cache.folder(), key.hexdigest()[:24])
        if not os.path.exists(os.path.join(self._folder, _OPTIONS)):
            self._build(compiler, options)

    @property
    def mpi(self):
        """Whether there is an MPI layer."""
        return os.path.exists(os.path.join(self._folder, _MPI_ARCHIVE))

    def words(self, line, mpi):
        """What a link command needs: the archives, and the libraries behind all others."""
        with open(os.path.join(self._folder, _OPTIONS), encoding="utf-8") as file:
            known = file.read().split()
        if line.has("-static$|-static-pie$"):
            known = []                         # no libraries are loaded; a static pie with exports crashes before main
        elif any(_OPENMP.match(word) for item in line.items for word in item.words):
            known.insert(0, "-Wl,-u,pfc__openmp")
        archive = self._archive(_ARCHIVE, line)
        layer = ["-Wl,-u,MPI_Init", self._archive(_MPI_ARCHIVE, line)] if mpi else []
        return layer + ["-Wl,-u,pfc__unit_register", archive] + known, [archive, "-lm", "-lpthread"] + (["-ldl"] if mpi else [])

    def _archive(self, name, line):
        """Its path; of a copy that goes past what the program wraps."""
        path = os.path.join(self._folder, name)
        told = [word[4:] if word.startswith("-Wl,") else word for item in line.items for word in item.words
                if word.startswith("-Wl,") or item.words == ["-Xlinker", word]]
        wrapped = set(_WRAPPED.findall(",".join(told))).difference(wraps.NAMES)
        if not wrapped:
            return path
        copy = os.path.join(self._scripts_folder(), name)
        past = ["--redefine-sym=%s=__real_%s" % (symbol, symbol) for symbol in sorted(wrapped)]
        return copy if process.run(["objcopy", *past, path, copy])[0] == 0 else path

    def absent(self):
        """What stands for the archives where there is no C library."""
        return [], [os.path.join(self._folder, _ABSENT_ARCHIVE)]

    def linking(self, words):
        """A link command with all of it, as it is run before close()."""
        return exports.let_through(words, self._scripts_folder)

    def _scripts_folder(self):
        self._scripts = self._scripts or tempfile.mkdtemp(prefix="perfcomp-cc-")
        return self._scripts

    def close(self):
        for folder in self._temporary, self._scripts:
            if folder:
                shutil.rmtree(folder, ignore_errors=True)

    def _build(self, compiler, options):
        try:
            os.makedirs(os.path.dirname(self._folder), exist_ok=True)
            work = tempfile.mkdtemp(prefix="new-", dir=os.path.dirname(self._folder))
        except OSError:
            work = self._temporary = tempfile.mkdtemp(prefix="perfcomp-cc-")
        try:
            self._compile(work, compiler, options)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
        if self._temporary:
            self._folder = work
            return
        for name in os.listdir(work):          # after a power cut all of it is there, or nothing
            with open(os.path.join(work, name), "rb") as file:
                os.fsync(file.fileno())
        try:
            os.rename(work, self._folder)
        except OSError:                        # another one was faster
            shutil.rmtree(work, ignore_errors=True)

    def _compile(self, work, compiler, options):
        probe = os.path.join(work, "probe")

        def archive(name, source, member="member.o", more=()):
            member = os.path.join(work, member)
            status, _, messages = process.run(
                compiler + options + [*more, "-O2", "-fPIC", "-w", "-I", os.path.dirname(cache.HEADER), "-c", "-x", "c",
                                      "-", "-o", member], source)
            if status == 0:
                status, _, messages = process.run(["ar", "rcs", os.path.join(work, name), member])
                os.unlink(member)
            lines = messages.decode("utf-8", "replace").strip().split("\n")
            return "" if status == 0 else next((line for line in lines if "error" in line), lines[0])

        before = _SIMULATED if is_simulated(compiler) else b""
        trouble = archive(_ARCHIVE, before + _SOURCE) or archive(_ARCHIVE, _ENDS_SOURCE, "ends.o") \
            or archive(_ARCHIVE, _OPENMP_SOURCE, "openmp.o") \
            or archive(_ABSENT_ARCHIVE, _ABSENT_SOURCE, more=["-ffreestanding", "-fno-stack-protector"])
        if trouble:
            raise RuntimeError_("the runtime can't be compiled: " + trouble)
        trouble = archive(_MPI_ARCHIVE, before + _MPI_SOURCE) if is_mpi(compiler) else ""
        if trouble:
            self._temporary = work             # said at each link, and tried again
            sys.stderr.write("perfcomp-cc: MPI isn't compensated, because perfcomp_mpi.h can't be compiled: %s\n" % trouble)
        known = [words for words in ([_EXPORT] if is_simulated(compiler) else [_EXPORT, wraps.OPTIONS]) if process.run(
            compiler + options + ["-x", "c", "-", "-o", probe] + words, b"int main(void) { return 0; }\n")[0] == 0]
        if os.path.exists(probe):
            os.unlink(probe)
        with open(os.path.join(work, _OPTIONS), "w", encoding="utf-8") as file:
            file.write(" ".join(sum(known, [])))


def is_mpi(compiler):
    """Whether this compiler makes MPI programs."""
    return bool(_MPI_WRAPPER.search(os.path.basename(compiler[-1])))
