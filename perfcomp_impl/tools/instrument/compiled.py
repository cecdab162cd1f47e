"""What the user's own compilation has made: the functions that are left in it."""

from . import process

_BY_THE_LINKER = "-flto"                       # inlines only then


def functions(line, output):
    """The names that an object or program defines, of copies the function's; None: they can't be known."""
    if line.action not in ("-c", None) or line.has(_BY_THE_LINKER):
        return None
    try:
        status, symbols, _ = process.run(["nm", "-P", "--defined-only", output])
    except OSError:
        return None
    names = {row.split(b" ", 1)[0].split(b".")[0].decode("latin-1") for row in symbols.splitlines()}
    return names if status == 0 and names and "__gnu_lto_slim" not in names else None
