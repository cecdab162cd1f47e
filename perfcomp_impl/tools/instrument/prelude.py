"""What stands before each instrumented text: perfcomp.h as far as units need it."""

import os
import re
import zlib

from . import cache, process
from .commandline import alone

# Macros of perfcomp.h that the prelude's last line spells out.
_PROBE = ("PFC__PAGE", "PFC__ABI")
_HEADER_IS_IN = "struct pfc__block {"
_BEGINS = "pfc__begins"                       # smpicc writes a line of its own before
_SOURCE = _BEGINS + '\n#define PERFCOMP_PRELUDE\n#include <perfcomp.h>\n' \
    'pfc__probe %s PFC__SITE_OF(pfc__kind, pfc__name, pfc__line, pfc__file, pfc__leaf)\n' % " ".join(_PROBE)


class Prelude:
    """The preprocessed text, and the values of its macros."""

    def __init__(self, compiler, target):
        """`target`: the options by which the compiler chooses what it compiles for."""
        head, _, probe = _kept(compiler, target).rpartition("pfc__probe ")
        words = probe.split(None, len(_PROBE))
        if len(words) != len(_PROBE) + 1:
            raise ValueError("perfcomp.h doesn't fit to perfcomp-cc: use both of one version")
        self.page, self.abi = (int(word.rstrip("uUlL"), 0) for word in words[:-1])
        self.site = words[-1].strip()
        self.text = "\n".join(line for line in head.split("\n") if line.strip() and not line.startswith("#"))

    def left_out_of(self, text):
        """The text without what the prelude defines already, where it includes perfcomp.h itself; as long, with the same lines."""
        if _HEADER_IS_IN not in text:
            return text
        for definition in _definitions(self.text):
            text = _pattern(definition).sub(lambda m: re.sub(r"(?m)^#.*|[^\n]", lambda part: _blank(part[0]), m[0]), text, 1)
        return text

    def site_of(self, kind, name, line, file, leaf=False):
        values = {"kind": kind, "name": name, "line": line, "file": file, "leaf": int(leaf)}
        return re.sub(r"pfc__(kind|name|line|file|leaf)\b", lambda m: str(values[m[1]]), self.site)


def _definitions(text):
    """What may be there once only: structures, enumerations and functions."""
    start = depth = 0
    for mark in re.finditer(r"[{};]", text):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        piece = text[start:mark.end()].strip()
        if depth == 0 and (mark[0] == ";" or piece.startswith("static")):
            start = mark.end()
            if "{" in piece:
                yield piece


def _pattern(definition):
    """Matches it as any compiler writes it: with other white space, and line markers in between."""
    words = re.findall(r'"[^"]*"|\w+|[^\w\s]', definition)
    return re.compile(r"(?:\s|#[^\n]*\n)*".join(map(re.escape, words)))


def _blank(part):
    return part if part.startswith("#") else " "


def _kept(compiler, target):
    """The preprocessed text, from the cache when it has it. A file there begins with what it was made of."""
    key = ascii([_SOURCE, cache.identity(cache.HEADER), cache.compiler_identity(compiler), compiler, target]) + "\n"
    path = os.path.join(cache.folder(), "prelude-%08x" % zlib.crc32(key.encode()))
    try:
        with open(path, encoding="latin-1") as file:
            text = file.read()
        if text.startswith(key):
            return text[len(key):]
    except OSError:
        pass
    text = _preprocessed(alone(compiler) + target)
    _keep(path, key + text)
    return text


def _preprocessed(command):
    status, text, messages = process.run(
        command + ["-w", "-E", "-P", "-x", "c", "-I", os.path.dirname(cache.HEADER), "-"], _SOURCE.encode())
    if status:
        raise ValueError("perfcomp.h can't be preprocessed: " + messages.decode("utf-8", "replace").strip().split("\n")[0])
    return text.decode("latin-1").partition(_BEGINS)[2]


def _keep(path, text):
    """A reader sees all of it or nothing. Without a cache folder, or room in it, it isn't kept."""
    import tempfile                            # slow to load, and seldom needed
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="new-", dir=os.path.dirname(path)) as folder:
            new = os.path.join(folder, "prelude")
            with open(new, "w", encoding="latin-1") as file:
                file.write(text)
            os.rename(new, path)
    except OSError:
        pass
