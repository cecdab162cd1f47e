"""A stack for sources that nest deeply. We and libclang call ourselves as deeply, and where libclang's stack ends, it ends
the process."""

import _thread                                 # threading takes its time to load
import contextlib
import os
import resource
import sys

_STACK = 256 << 20                             # libclang takes up to 6 kB a bracket, 13 kB an `else if`
_CALLS = 100000
_BRACKETS = ["-fbracket-depth=10000"]

_given = False


def call(function):
    """The function's result, or what it raises; called with a large stack, where memory isn't too scarce for one."""
    global _given
    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    if allowed != resource.RLIM_INFINITY and allowed < 4 * _STACK:
        return function()
    ended, results, errors = _thread.allocate_lock(), [], []

    def run():
        try:
            results.append(function())
        except BaseException as why:           # is the caller's
            errors.append(why)
        finally:
            ended.release()

    ended.acquire()
    calls, size = sys.getrecursionlimit(), _thread.stack_size(_STACK)
    try:
        _given = True
        sys.setrecursionlimit(_CALLS)
        _thread.start_new_thread(run, ())
    except RuntimeError:                       # all the same it is
        _given = False
        sys.setrecursionlimit(calls)
        return function()
    finally:
        _thread.stack_size(size)
    ended.acquire()
    _given = False
    sys.setrecursionlimit(calls)
    if errors:
        raise errors[0]
    return results[0]


@contextlib.contextmanager
def parser():
    """What the parser's arguments are to be besides, while it runs on this stack instead of one of its own."""
    if not _given:
        yield []
        return
    os.putenv("LIBCLANG_NOTHREADS", "1")       # not in os.environ: no command is to see it
    try:
        yield _BRACKETS
    finally:
        os.unsetenv("LIBCLANG_NOTHREADS")
