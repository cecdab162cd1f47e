"""The runtime as a static archive, built with the user's compiler and kept in a cache."""

import hashlib
import os
import shutil
import subprocess
import tempfile

HEADER = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "perfcomp.h"))
_SOURCE = b'#define PERFCOMP_IMPLEMENTATION\n#include "perfcomp.h"\n'
_EXPORT = "-Wl,--export-dynamic-symbol=pfc__*"
_ARCHIVE, _OPTIONS = "libperfcomp.a", "link-options"


class RuntimeError_(Exception):
    """The runtime can't be built; the message says why."""


class Runtime:
    """Where the archive is, and how it is linked. Removes what isn't kept in the cache."""

    def __init__(self, compiler, options):
        self._temporary = None
        key = hashlib.sha256()
        with open(HEADER, "rb") as header:
            key.update(header.read())
        key.update("\0".join([_identity(compiler)] + options).encode("utf-8", "surrogateescape"))
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        self._folder = os.path.join(base, "perfcomp", key.hexdigest()[:24])
        if not os.path.exists(os.path.join(self._folder, _OPTIONS)):
            self._build(compiler, options)

    def words(self, shared):
        """What a link command needs: the archive, and the libraries behind all others."""
        with open(os.path.join(self._folder, _OPTIONS), encoding="utf-8") as file:
            exports = file.read().split()
        return ["-Wl,-u,pfc__unit_register", os.path.join(self._folder, _ARCHIVE)] \
            + ([] if shared else exports), ["-lm", "-lpthread"]

    def close(self):
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)

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
        try:
            os.rename(work, self._folder)
        except OSError:                        # another one was faster
            shutil.rmtree(work, ignore_errors=True)

    def _compile(self, work, compiler, options):
        def run(words, text=None):
            return subprocess.run(words, input=text, cwd=work, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, check=False)

        done = run(compiler + options + ["-O2", "-fPIC", "-w", "-I", os.path.dirname(HEADER), "-c", "-x", "c",
                                         "-", "-o", "perfcomp.o"], _SOURCE)
        if done.returncode == 0:
            done = run(["ar", "rcs", _ARCHIVE, "perfcomp.o"])
        if done.returncode != 0:
            raise RuntimeError_("the runtime can't be compiled: "
                                + done.stderr.decode("utf-8", "replace").strip().split("\n")[0])
        os.unlink(os.path.join(work, "perfcomp.o"))
        probe = compiler + options + ["-x", "c", "-", "-o", "probe"]
        exports = run(probe + [_EXPORT], b"int main(void) { return 0; }\n").returncode == 0
        if os.path.exists(os.path.join(work, "probe")):
            os.unlink(os.path.join(work, "probe"))
        with open(os.path.join(work, _OPTIONS), "w", encoding="utf-8") as file:
            file.write(_EXPORT if exports else "")


def _identity(compiler):
    """Changes when the compiler does."""
    path = shutil.which(compiler[-1]) or compiler[-1]
    try:
        status = os.stat(path)
    except OSError:
        return path
    return "%s %d %d" % (os.path.realpath(path), status.st_size, status.st_mtime_ns)
