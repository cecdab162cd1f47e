"""What the user's own compilation has made: the functions that are left in it, for all that it could inline."""

import re

from . import process

_BY_THE_LINKER = "-flto"                       # inlines only then
_CALLS_UNSEEN = "-fno-semantic-interposition"  # clang then calls what others can see as it calls the unit's own
_RELOCATIONS = re.compile(r"^Relocation section '\.rela?(\S*)'")


def is_unknown(line):
    """Whether no object tells what is inlined."""
    return line.has(_BY_THE_LINKER)


def functions(line, output):
    """The names, of copies the function's, that an object defines for its own calls: what others can see is
    there in any case, and counts where the unit calls it. None: they can't be read."""
    symbols = _lines("nm", "-P", "--defined-only", output)
    if not symbols or any(symbol.startswith("__gnu_lto_slim") for symbol in symbols):
        return None
    called = None if line.has(_CALLS_UNSEEN) else _called(output)
    kinds = (symbol.split(" ")[:2] for symbol in symbols)
    return {_function(name) for name, kind in kinds if kind.islower() or called is None or _function(name) in called}


def _called(output):
    """The names that an object's code refers to, for the linker."""
    relocations = _lines("readelf", "-rW", output)
    if relocations is None:
        return None
    names, code = set(), False
    for row in relocations:
        section = _RELOCATIONS.match(row)
        if section:
            code = section[1].startswith(".text")
        elif code and len(words := row.split()) > 4:
            names.add(_function(words[4]))
    return names


def _function(symbol):
    return symbol.partition(".")[0]


def _lines(*command):
    """What it prints; None: it fails."""
    try:
        status, text, _ = process.run(list(command))
    except OSError:
        return None
    return text.decode("latin-1").splitlines() if status == 0 else None
