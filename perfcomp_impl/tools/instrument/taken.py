"""Whether a link takes in what perfcomp-cc has instrumented. The compiler is asked what it would give the linker, so that
-Wl, LIBRARY_PATH and all the other ways to name a library need no rules here; then the files are looked at."""

import mmap
import os
import re
import shlex

from . import process

_OWN_SYMBOL = b"pfc__unit_register"
_PROBES = b"_define_PERFCOMP_IMPLEMENTATION_in_one_C_file"
_NAMES_NO_INPUT = frozenset("-o --output -soname --soname -h -Map -plugin".split())
_HIDES_INPUTS = "-l|-Wl,|-Xlinker$|-T"
_MAGIC = b"\x7fELF", b"!<arch>", b"BC"
_SCRIPT = re.compile(rb"\b(?:INPUT|GROUP)\s*\(")


def takes_instrumented(line):
    """Whether anything that this command line links is instrumented."""
    if any(_is_instrumented(_content(item.words[0])) for item in line.inputs):
        return True
    sources = line.sources()
    libraries = any(not item.words[0].endswith(".o") for item in line.inputs if item not in sources)
    return (libraries or line.has(_HIDES_INPUTS)) and _Linker(_linker_words(line)).takes_any()


def asks_for_runtime(text):
    """Whether a preprocessed source includes perfcomp.h."""
    return text is not None and _PROBES in text


def _linker_words(line):
    """How the compiler would call the linker; what it would compile before is left out."""
    sources = line.sources()
    words = [word for item in line.items if item not in sources for word in item.words]
    _, _, messages = process.run(line.compiler + words + ["-lc", "-###"])  # -lc: it calls no linker for nothing
    commands = [text for text in os.fsdecode(messages).split("\n") if text.startswith(" ")]
    try:
        return shlex.split(commands[-1]) if commands else []
    except ValueError:
        return []


class _Linker:
    """Finds files as the linker does that is called with these words."""

    def __init__(self, words):
        self._words = words
        self._folders = [word[2:] or behind for word, behind in zip(words, words[1:]) if word.startswith("-L")]
        self._seen = set()
        self._endings = [".a"] if {"-static", "-Bstatic"} & set(words) else [".so", ".a"]

    def takes_any(self):
        """Whether one of the words is an instrumented file, or a library that is one."""
        return any(self._names_taken(word) for before, word in zip(self._words, self._words[1:]) if before not in _NAMES_NO_INPUT)

    def takes(self, path):
        """Whether this file is instrumented, or names one that is."""
        if path in self._seen:                 # -lc is there twice; and a script may name itself
            return False
        self._seen.add(path)
        content = _content(path)
        return _is_instrumented(content) or any(map(self._names_taken, _named_in(path, content)))

    def _names_taken(self, word):
        if word.startswith("-l"):
            return self.takes(self._library(word[2:]))
        return not word.startswith("-") and self.takes(self._found([word], ["", *self._folders]))

    def _library(self, name):
        names = [name[1:]] if name.startswith(":") else ["lib%s%s" % (name, ending) for ending in self._endings]
        return self._found(names, self._folders)

    @staticmethod
    def _found(names, folders):
        paths = (os.path.join(folder, name) for folder in folders for name in names)
        return next(filter(os.path.exists, paths), "")


def _content(path):
    """Nothing where it isn't a file that can be read: to open a pipe would take it from the compiler."""
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return b""


def _is_instrumented(content):
    return content.find(_OWN_SYMBOL) >= 0


def _named_in(path, content):
    """What a thin archive or a linker script names."""
    if content[:7] == b"!<thin>":
        return os.fsdecode(process.run(["ar", "tP", path])[1]).split("\n")[:-1]
    if content[:7].startswith(_MAGIC) or not _SCRIPT.search(content):
        return []
    return re.split(r'[\s,;()"]+', os.fsdecode(content[:]))
