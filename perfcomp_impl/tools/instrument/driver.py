"""perfcomp-cc: compiles as the user asked, then once more, instrumented, to the same output."""

import gc
import os
import re
import shlex
import signal
import stat
import sys

from . import cache, compiled, deep, process, taken
from .commandline import CommandLine, with_runtime
from .options import HELP, Options, UsageError

USAGE = """\
Usage: perfcomp-cc [OPTIONS] COMPILER ARGUMENTS...       (make CC="perfcomp-cc gcc")

Compiles C so that every function is timed and every basic block counted. What
the compiler says, writes and returns stays as it is.

""" + HELP + """\
  --wraps           only print the linker's options by which threads and forked processes hand their delays
                    on, for a program that is linked without perfcomp-cc

Environment:
  PERFCOMP_CC_FLAGS        more of these options
  PERFCOMP_CC_SUMMARY=FILE append a line a source file: what was instrumented, and what wasn't
  PERFCOMP_VERBOSE=1       say that on stderr

After the program ran: perfcomp report, perfcomp annotate.
"""
# Probes of configure, cmake and meson are about the compiler, not about the program.
_PROBE = re.compile(r"(?:^|/)(?:conftest|conftst|CMakeCCompilerId|testCCompiler|CMakeCCompilerABI|sanitycheckc|"
                    r"CheckSymbolExists|CheckFunctionExists)[\w.-]*$|meson-private|CMakeFiles/(?:CMakeTmp|CMakeScratch)")
_THREADS = r"-pthread$|-fopenmp|-lpthread$|-fopenacc|-D(?:_REENTRANT|_THREAD_SAFE)(?:=|$)"


def main(words):
    """Runs perfcomp-cc with these arguments; returns its exit status."""
    gc.disable()                               # a short life, and many small objects
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as the compiler, which inherits it, has it
    try:
        options, command = _split(words)
    except UsageError as why:
        return _fail("%s (perfcomp-cc --help)" % why)
    if command is None:
        return 0
    line = CommandLine(command)
    if line.passes:
        option = line.left_alone()
        for source in line.sources() if option else ():
            _report("%s: not instrumented: it's compiled with %s" % (source.words[0], option))
        return _replace(command)
    try:
        if line.sources() and not _is_probe(line):
            return _Compilation(line, options).run()
        return _link(line) if line.action is None else _replace(command)
    except KeyboardInterrupt:
        return 130
    except SystemExit as why:
        return why.code                        # the caller ends at once: a thread may still be in libclang
    except OSError as why:
        return _fail(": ".join(str(part) for part in (why.filename, why.strerror) if part)) and 127


def _split(words):
    options = Options()
    try:
        environment = shlex.split(os.environ.get("PERFCOMP_CC_FLAGS", ""))
    except ValueError as why:
        raise UsageError("PERFCOMP_CC_FLAGS=%s: %s" % (os.environ["PERFCOMP_CC_FLAGS"], str(why).lower())) from why
    while environment:
        if not options.take(environment):
            raise UsageError("unknown option '%s' in PERFCOMP_CC_FLAGS" % environment[0])
    words = list(words)
    if words[:1] in (["--help"], ["-h"]):
        sys.stdout.write(USAGE)
        return options, None
    if words[:1] == ["--wraps"]:
        from . import wraps
        sys.stdout.write(" ".join(wraps.OPTIONS) + "\n")
        return options, None
    while words and (words[0].startswith("-") or _is_ourselves(words[0])):
        if _is_ourselves(words[0]):
            words.pop(0)
        elif not options.take(words):
            raise UsageError("unknown option '%s'" % words[0])
    if not words or not words[0] or words[0].endswith((".c", ".o")):
        raise UsageError("no compiler given" + "".join(" before %s" % word for word in words[:1] if word))
    return options, words


def _is_ourselves(word):
    """Whether we are named twice, as by CC and by cmake's launcher."""
    if os.path.basename(word) != "perfcomp-cc":
        return False
    from shutil import which
    path = which(word)
    return path is not None and os.path.samefile(path, os.path.join(os.path.dirname(__file__), "..", "perfcomp-cc"))


def _fail(message):
    sys.stderr.write("perfcomp-cc: %s\n" % message)
    return 2


def _replace(command):
    """Runs the command as it is, in place of this process."""
    try:
        os.execvp(command[0], command)
    except OSError as why:
        return _fail("%s: %s" % (command[0], why.strerror)) and 127


def _is_probe(line):
    return bool(_PROBE.search(os.getcwd())) or any(_PROBE.search(item.words[0]) for item in line.inputs)


def _verbose():
    return os.environ.get("PERFCOMP_VERBOSE", "") not in ("", "0", "off", "no")


def _warn(text, messages=b""):
    """For stderr and the summary: something isn't as the user expects. `messages`: of the compiler, when asked."""
    sys.stderr.write("perfcomp-cc: %s\n" % text)
    if _verbose():
        sys.stderr.write(messages.decode("utf-8", "replace"))
    _summarize(text)


def _report(text):
    """A line for the summary, and for stderr when asked."""
    if _verbose():
        _warn(text)
    else:
        _summarize(text)


def _summarize(text):
    path = os.environ.get("PERFCOMP_CC_SUMMARY")
    try:
        if path:
            with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text + "\n")
    except OSError as why:                     # no reason to stop a build
        sys.stderr.write("perfcomp-cc: PERFCOMP_CC_SUMMARY=%s can't be written: %s; name a file\n" % (path, why.strerror))


class _Compilation:
    """A command with C sources in it."""

    def __init__(self, line, options):
        self.line, self.options = line, options
        self.threads = options.threads or line.has(_THREADS)
        self.stdin = self.runtime = self.status = None
        self.texts = {}

    def run(self):
        from . import parse                    # slow to load, and not needed by every command
        line = self.line
        if not os.path.exists(cache.HEADER):
            return _fail("%s is missing: make it with 'make headers'" % cache.HEADER)
        if any(item.is_stdin for item in line.sources()):
            self.stdin = sys.stdin.buffer.read()
        outputs = [(s, line.output_of(s)) for s in line.sources()] if line.action else []
        self._start_original()
        if any(_is_special(output) for _, output in outputs) or (not line.action and _is_special(line.output)):
            return self._original()
        try:
            texts = [(source, self._instrumented(source)) for source in line.sources()]
        except (parse.ParseError, ValueError) as why:
            return _fail(why)
        finally:
            status = self._original()
        if status:
            return status if status > 0 else 128 - status
        missing = [path for path in [output for _, output in outputs] or [line.output_of()] if not os.path.exists(path)]
        if missing:                            # as by `env -C folder gcc`
            _warn("%s: left as it is, because the compiler has written it elsewhere" % ", ".join(missing))
        elif line.action:
            for (source, instrumented), (_, output) in zip(texts, outputs):
                if instrumented is not None:
                    self._overwrite(source, instrumented, output)
        else:
            self._compile_and_link(texts)
        return 0

    def _start_original(self):
        """The user's own command; meanwhile we read the sources."""
        words, self.runtime = _linked(self.line, self._has_own_probes())
        self.process = process.start(words, None if self.stdin is None else process.holding(self.stdin))

    def _has_own_probes(self):
        """Whether a source that is compiled and linked at once includes perfcomp.h: there is no object yet that tells."""
        return self.line.action is None and any(taken.asks_for_runtime(self._text(s)[1])
                                               for s in self.line.sources() if not _is_read_once(s))

    def _original(self):
        """Its status, when it has ended."""
        if self.status is None:
            self.status = process.wait(self.process)
            if self.runtime:
                self.runtime.close()
        return self.status

    def _compiled(self, source, text):
        """The functions that are left in its plain object; None: that isn't known."""
        import tempfile
        line = self.line
        if line.action not in ("-c", None) or compiled.is_unknown(line):
            return None
        if line.action:
            return None if self._original() else compiled.functions(line, line.output_of(source))
        with tempfile.TemporaryDirectory(prefix="perfcomp-cc-") as folder: # compiled and linked at once, it has left none
            path = os.path.join(folder, "plain.o")
            status = process.run(line.compile("-c", path) + line.profile_names(source), text)[0]
            return None if status else compiled.functions(line, path)

    def _instrumented(self, source):
        """The source's instrumented text, and what to say of it; None when nothing can be done to it."""
        from . import parse
        from .prelude import Prelude
        from .source import decoded
        from .unit import Unit
        name = source.words[0]
        if _is_read_once(source):
            _report("%s: not instrumented: it's a pipe, which can be read only once" % name)
            return None
        text = self._preprocessed(source)
        if text is None:
            return None
        try:
            unit = deep.call(lambda: Unit(text.decode("latin-1"), name, self.options, self.line.parser_arguments(),
                                          compiled=lambda: self._compiled(source, text), optimised=self.line.optimises()))
        except parse.ParseError as why:
            if str(why) == parse.MISSING:
                raise
            (_warn if isinstance(why, parse.ParserError) else _report)("%s: not instrumented: %s" % (name, why))
            return None
        line = self.line
        result = unit.write(Prelude(line.compiler, line.target_options()), os.getcwd(),
                            " ".join(line.compiler + line.options()), self.threads)
        untouched = decoded("".join("; %s untouched: %s" % pair for pair in result.untouched))
        return result.text.encode("latin-1", "replace"), "%s: %d functions, %d timed, %d blocks, %d counters%s" % (
            name, len(result.graphs), result.timed, result.blocks, result.counters, untouched)

    def _preprocessed(self, source):
        status, text, messages = self._text(source)
        if status and self._original() == 0:   # otherwise the compiler has said why
            _warn("%s: compiled as it is, because it can't be preprocessed by itself; a precompiled header's text must be "
                  "found where the compiler looks for it (or build without: meson setup -Db_pch=false)" % source.words[0], messages)
        return text if status == 0 else None

    def _text(self, source):
        """Of the preprocessor, which is asked once: its status, the text, and what it said."""
        if source not in self.texts:
            self.texts[source] = self._read(source) if source.language != "c" else \
                process.run(self.line.preprocess(source), self.stdin or b"")
        return self.texts[source]

    def _read(self, source):
        """The same of a source that needs no preprocessing."""
        if source.is_stdin:
            return 0, self.stdin, b""
        try:
            with open(source.words[0], "rb") as file:
                return 0, file.read(), b""
        except OSError:
            return 0, None, b""

    def _compile(self, source, instrumented, action, output, more=()):
        """Whether the instrumented text compiles; says so, or that it doesn't."""
        text, done = instrumented
        status, _, messages = process.run(self.line.compile(action, output) + list(more), text)
        if status:
            _warn("%s: compiled as it is, because its instrumented form doesn't compile" % source.words[0], messages)
        else:
            _report(done)
        return status == 0

    def _overwrite(self, source, instrumented, output):
        """Overwrites `output` by the instrumented code; puts it back when that doesn't compile."""
        with open(output, "rb") as file:
            before = file.read()
        if not self._compile(source, instrumented, self.line.action or "-c", output):
            with open(output, "wb") as file:
                file.write(before)

    def _compile_and_link(self, texts):
        import tempfile
        with tempfile.TemporaryDirectory(prefix="perfcomp-cc-") as folder:
            objects = {}
            for number, (source, instrumented) in enumerate(texts):
                path = os.path.join(folder, "%d.o" % number)
                if instrumented is not None and self._compile(source, instrumented, "-c", path, self.line.profile_names(source)):
                    objects[source] = path
            if objects:
                self._link(objects)

    def _link(self, objects):
        output = self.line.output_of()
        with open(output, "rb") as file:
            before, mode = file.read(), stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if self.line.is_partial():             # the runtime comes with the program that it becomes a part of
            status, _, messages = process.run(self.line.link(objects, ([], [])))
        else:
            status, messages = self._link_with_runtime(objects)
        if status:
            with open(output, "wb") as file:
                file.write(before)
            os.chmod(output, mode)
            _warn("%s: linked as it is, because its instrumented form doesn't link" % output, messages)

    def _link_with_runtime(self, objects):
        runtime = _runtime(self.line)
        try:
            return _try_link(lambda words: self.line.link(objects, words), self.line, runtime)[:2]
        finally:
            runtime.close()


def _is_special(path):
    return path is not None and (path == "-" or (os.path.exists(path) and not os.path.isfile(path)))


def _is_read_once(source):
    """Whether the compiler empties it, as what bash makes of <(...)."""
    return not source.is_stdin and _is_special(source.words[0])


def _runtime(line):
    from .runtime import Runtime, RuntimeError_
    try:
        return Runtime(line.compiler, line.target_options())
    except RuntimeError_ as why:
        raise SystemExit(_fail(why)) from None


def _try_link(command, line, runtime):
    """Links by what `command` makes of the runtime's words: (status, messages, the words). With the MPI layer,
    but for a program that has wrappers of MPI's calls of its own: half a layer would be worse than none."""
    for mpi in [True, False] if runtime.mpi else [False]:
        words = runtime.linking(command(runtime.words(line, mpi)))
        status, _, messages = process.run(words)
        if status == 0 or b"MPI_" not in messages:
            break
        if mpi:
            _warn("%s: MPI isn't compensated: it doesn't link with perfcomp's layer" % line.output_of())
    return status, messages, words


def _link(line):
    """A command that links, with nothing in it to instrument."""
    words, runtime = _linked(line)
    if runtime is None:
        return _replace(words)
    try:
        status = process.wait(process.start(words))
    finally:
        runtime.close()
    return status if status >= 0 else 128 - status


def _linked(line, uses=False):
    """The user's command, with the runtime when it links something that uses it, or when its sources do."""
    bare = line.has("-nostdlib$|-nodefaultlibs$") and not line.has("-lc$")
    if line.action or line.is_partial() or (bare and line.has("-shared$")) or not (uses or taken.takes_instrumented(line)):
        return line.original(), None
    runtime = _runtime(line)
    if bare:
        _warn("%s: linked without the C library, so it isn't measured: perfcomp's runtime needs that" % line.output_of())
        words = with_runtime(line.original(), runtime.absent())
    elif runtime.mpi and not line.sources():
        words = _try_link(lambda words: with_runtime(line.words, words), line, runtime)[2]
    else:
        words = runtime.linking(with_runtime(line.original(), runtime.words(line, False)))
    return words, runtime
