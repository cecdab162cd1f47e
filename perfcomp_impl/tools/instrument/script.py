"""perfcomp-instrument: C in, readable instrumented C out."""

import os
import re
import sys

from . import deep, parse, process, promises, show, unit
from .commandline import CommandLine
from .options import HELP, Options, UsageError
from .original import Original
from .prelude import Prelude
from .source import decoded
from .tables import c_escaped

USAGE = """\
Usage: perfcomp-instrument [OPTIONS] FILE.c [-o OUT.c] [-- COMPILER FLAGS...]

Writes FILE.c with timers and counters put in, formatting and comments kept. It
compiles with perfcomp.h in the include path; one file of the program must
define PERFCOMP_IMPLEMENTATION before it includes perfcomp.h.

  -o OUT.c          where to write, also what --list and --dot show; default: stdout
  --cc COMPILER     whose preprocessor reads the file; default: $CC, or cc
  --list            show the flow graph, dominators, loops, and why a block has or hasn't a counter
  --dot             the flow graph for Graphviz
""" + HELP
_TIME = "#define PFC__TIME(n) pfc__token_t pfc__k __attribute__((cleanup(pfc__unit_end), unused)) = \\\n" \
    "    pfc__unit_begin(&pfc__sites[n], pfc__stack_pointer())\n"


def main(words):
    """Runs perfcomp-instrument with these arguments; returns its exit status."""
    try:
        return _run(list(words))
    except OSError as why:
        sys.stderr.write("perfcomp-instrument: %s: %s\n" % (why.filename, why.strerror))
        return 2
    except (UsageError, parse.ParseError, ValueError) as why:
        sys.stderr.write("perfcomp-instrument: %s\n" % why)
        return 2


def _run(words):
    options, own, flags = Options(), {"-o": None, "--cc": os.environ.get("CC") or "cc"}, []
    files, mode = [], None
    if "--" in words:
        flags = words[words.index("--") + 1:]
        del words[words.index("--"):]
    while words:
        if words[0] in ("-h", "--help"):
            sys.stdout.write(USAGE)
            return 0
        if words[0] in ("--list", "--dot"):
            mode = words.pop(0)
        elif words[0] in own:
            if len(words) < 2:
                raise UsageError("%s wants a value" % words[0])
            own[words[0]] = words[1]
            del words[:2]
        elif not words[0].startswith("-"):
            files.append(words.pop(0))
        elif not options.take(words):
            raise UsageError("unknown option '%s' (perfcomp-instrument --help)" % words[0])
    if len(files) != 1:
        raise UsageError("one file, please (perfcomp-instrument --help)")
    output = own["-o"] if own["-o"] != "-" else None  # as everywhere
    return _Script(files[0], options, (own["--cc"].split() or ["cc"]) + flags).write(output, mode)


class _Script:
    """One file."""

    def __init__(self, path, options, compiler):
        with open(path, encoding="latin-1", newline="") as file:
            self.text = file.read()
        self.path = path
        self.line = CommandLine(compiler + ["-c", path])
        self.threads = options.threads or self.line.has(r"-pthread$|-fopenmp")
        self._own = None
        text = self._preprocessed([])
        self.unit = deep.call(lambda: unit.Unit(text, path, options, self.line.parser_arguments(), self._locate,
                                                 optimised=self.line.optimises()))

    def _preprocessed(self, more):
        command = self.line.preprocess(self.line.inputs[0]) + more
        status, text, messages = process.run(command)
        if status:
            raise ValueError("%s can't be preprocessed: %s" % (
                self.path, messages.decode("utf-8", "replace").strip().split("\n")[0]))
        return text.decode("latin-1")

    def _locate(self, graph):
        if self._own is None:
            source = graph.source
            self._own = Original(self.text, source, source.main(), self._preprocessed(["-dD"]))
        self._own.locate(graph)

    def write(self, output, mode):
        if mode:
            text = show.listing(self.unit) if mode == "--list" else show.dot(self.unit)
        else:
            text = self._instrumented()
        if output and os.path.exists(output) and os.path.samefile(output, self.path):
            raise UsageError("-o %s: that is the file to be instrumented; name another" % output)
        try:
            with open(output, "wb") if output else os.fdopen(os.dup(1), "wb") as file:
                file.write(text.encode("latin-1", "replace"))
        except OSError as why:
            why.filename = output or "standard output"
            raise
        if not mode:
            for name, why in self.unit.result.untouched:
                sys.stderr.write("perfcomp-instrument: %s: %s left as it is: %s\n" % (self.path, decoded(name), decoded(why)))
        return 0

    def _instrumented(self):
        prelude = Prelude(self.line.compiler, self.line.target_options())
        tables, edits = self.unit.parts(prelude, os.getcwd(), " ".join(self.line.compiler + self.line.options()),
                                        self.threads, " PFC__TIME(%d); ")
        alone = not re.search(r'#\s*include\s*[<"]perfcomp\.h', self.text)
        include = '#include "perfcomp.h"\n'
        if alone:                              # no libc header before the file's own
            include = "#ifndef PERFCOMP_IMPLEMENTATION\n#define PERFCOMP_PRELUDE\n#endif\n%s#undef PERFCOMP_PRELUDE\n" % include
        return "/* Instrumented by perfcomp-instrument from %s. */\n%s%s%s\n#line 1 \"%s\"\n%s" % (
            self.path.replace("*/", "* /"), include, tables, _TIME, c_escaped(self.path), edits.apply(promises.taken_out(self.text)))
