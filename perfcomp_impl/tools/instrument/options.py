"""What is instrumented, and how: the options that perfcomp-cc and perfcomp-instrument share."""

import fnmatch
import os
import sys

HELP = """\
  --functions       functions only: timed (with --count: their entries counted)
  --blocks          basic blocks only: counted (with --time: the braced bodies of loops and branches timed
                    instead; with --time --count: both)
  --time            timers only, no counters
  --count           counters only, no timers; with --time: both, as without either
  --only PATTERN    only functions whose name, or file, matches (shell pattern; may be repeated)
  --skip PATTERN    not these
  --all-blocks      a counter in every block, not only in as many as the others follow from
  --exact           exact even where a function is left by longjmp, exit or a signal, where else intervals
                    are shown: every block has a counter and ends at a call (slower)
  --threads         each thread has counters of its own (chosen by itself with -pthread and -fopenmp)
  --filter FILE     functions that FILE lists are counted, not timed: perfcomp filter writes it after a run
  --smallest N      functions that are likely to run less than N statements, have no loop but one that counts
                    from one number to another, and call nothing but such functions, unless to print a message
                    or where the source says that it's unlikely, are counted, not timed; nor are those, whatever
                    they call, that the compiler inlines in each of several places of their file, where also a
                    loop counts as little that calls nothing and has several ways out: it looks for something
                    (default 24; 0: every function is timed that isn't declared inline, isn't the program's own
                    memcpy, strlen or the like, which starts a static program, and doesn't end in
                    `return POINTER(...)` or in a round of such calls, in which the stack would overflow)
"""
SMALLEST = 24
_SWITCHES = {"--functions": "functions", "--blocks": "blocks", "--time": "time", "--count": "count",
             "--all-blocks": "all_blocks", "--exact": "exact", "--threads": "threads"}


class UsageError(Exception):
    """The message says what is wrong with the options."""


class Filter:
    """Functions that aren't to be timed: a file's lines, each a name or pattern, a tab, and where it is defined."""

    def __init__(self):
        self._files, self._patterns = {}, []   # of a name; "": any

    def read(self, path):
        """Adds what a file lists."""
        try:
            with open(path, encoding=sys.getfilesystemencoding(), errors="surrogateescape") as lines:
                for line in lines:
                    if "\0" in line:
                        raise UsageError("--filter %s: no list of functions; perfcomp filter -o writes one" % path)
                    name, _, rest = line.rstrip("\n").partition("\t")
                    if not name.strip() or name.startswith("#"):
                        continue
                    file = os.path.basename(rest.partition("\t")[0])
                    self._files.setdefault(name.strip(), set()).add(file)
        except OSError as why:
            raise UsageError("--filter %s: %s; perfcomp filter -o writes it" % (path, why.strerror)) from why
        self._patterns = [name for name in self._files if not name.isidentifier()]

    def has(self, function, file):
        """Whether it lists a function of this name, defined in this file."""
        names = [function] + [p for p in self._patterns if fnmatch.fnmatchcase(function, p)]
        files = set().union(*(self._files.get(name, ()) for name in names))
        return "" in files or os.path.basename(file) in files


class Options:
    """The choices, with their defaults."""

    def __init__(self):
        self.functions = self.blocks = self.time = self.count = False
        self.all_blocks = self.exact = self.threads = False
        self.smallest = SMALLEST
        self.only, self.skip = [], []
        self.filter = Filter()

    def take(self, words):
        """Takes one option off the front of `words`; False when there is none of these."""
        word, given, value = words[0].partition("=")
        if word in _SWITCHES and not given:
            setattr(self, _SWITCHES[word], True)
            del words[0]
            return True
        if word not in ("--only", "--skip", "--smallest", "--filter"):
            return False
        if not given:
            if len(words) < 2:
                raise UsageError("%s wants a value" % word)
            value = words[1]
            del words[0]
        del words[0]
        if word == "--smallest":
            if not (value.isascii() and value.isdigit()):
                raise UsageError("--smallest wants a number, not '%s'" % value)
            self.smallest = int(value)
        elif word == "--filter":
            self.filter.read(value)
        else:
            (self.only if word == "--only" else self.skip).append(value)
        return True

    @property
    def times_functions(self):
        return (self.time or not self.count) and (self.functions or not self.blocks)

    @property
    def times_blocks(self):
        return self.blocks and self.time

    @property
    def counts_blocks(self):
        return (self.blocks or not self.functions) and (self.count or not self.time)

    @property
    def counts_entries(self):
        return self.functions and self.count and not self.blocks

    @property
    def completes(self):
        """Whether the counts of some blocks follow from others'."""
        return self.counts_blocks and not (self.counts_entries or self.exact)

    def wants(self, function, file):
        """Whether a function of this name and file is to be instrumented."""
        base = file.rsplit("/", 1)[-1]

        def matches(patterns):
            return any(fnmatch.fnmatchcase(name, p) for p in patterns for name in (function, file, base))

        return (not self.only or matches(self.only)) and not matches(self.skip)
