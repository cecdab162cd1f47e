"""Where an activation may stop for good: the calls that may not return, for the reader, who knows how often each function
didn't (perfcomp_impl/core/model_stops.c). Which of them it was tells the counts of what lies behind it.

Of a function either all are known, or none but those that never return.
"""

from collections import namedtuple

from . import placement

# callee: a name, None: through a pointer; sure: one of the library's that returns, unless its thread is cancelled, or the
# program has one of its own instead; of one that never returns: nothing keeps its block from making it
Stop = namedtuple("Stop", "block callee kind sure")

INSIDE, BEFORE, LEFT, ENDS, JUMPS = range(5)   # enum pfc__stop_kind

_LIBRARY = frozenset("""
printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf dprintf asprintf vasprintf __printf_chk __fprintf_chk
__sprintf_chk __snprintf_chk __vfprintf_chk __vsnprintf_chk puts fputs putchar putc fputc perror fopen fdopen freopen fclose
fflush fread fwrite fgets fgetc getc getchar ungetc getline getdelim fseek fseeko ftell ftello rewind feof ferror clearerr
fileno setvbuf setbuf scanf fscanf sscanf remove rename tmpfile malloc calloc realloc free posix_memalign strdup strndup
strerror strtok strtok_r strsep stpcpy atoi atol atoll atof rand srand random srandom getenv setenv unsetenv putenv getopt
getopt_long open close read write pread pwrite lseek stat fstat lstat access unlink mkdir rmdir getcwd chdir opendir readdir
closedir isatty dup dup2 pipe ftruncate mmap munmap mprotect gettimeofday clock_gettime localtime localtime_r gmtime gmtime_r
mktime strftime nanosleep usleep sleep setlocale localeconv gettext dcgettext bindtextdomain textdomain sigemptyset sigaddset
signal sigaction sigprocmask sysconf getuid geteuid getgid getegid getppid getrusage uname umask fork wait waitpid wait3
wait4 waitid select poll socket bind listen accept connect send recv setsockopt fcntl ioctl alarm
""".split())
_JUMPS = frozenset("longjmp _longjmp siglongjmp __longjmp_chk __builtin_longjmp setcontext swapcontext pthread_exit thrd_exit".split())


def find(graph, returns):
    """A graph's, and whether that is all of them; otherwise those that never return. `returns` tells of a name whether that
    function always returns; None: only these are wanted."""
    found = {}                                 # each once, in the order of the text
    for block in graph.blocks:
        found.update(dict.fromkeys(_of(graph, block, returns or _always)))
    is_all = returns and not graph.alone and not graph.hides_calls and all(map(returns, graph.cleanups)) \
        and not any(stop.block.dropped for stop in found)
    return [stop for stop in found if not stop.block.dropped and (is_all or stop.kind >= ENDS)], is_all


def is_librarys(name):
    """Whether others of the library's may call it, or a call of them may be made one of it, as printf's is of puts."""
    return name in _LIBRARY or name in placement.RETURNING


def _always(_):
    return True


def _of(graph, block, returns):
    calls = block.calls
    if block.ends:
        calls = calls[:block.leaving]
        yield Stop(block, None, JUMPS if _JUMPS.intersection(block.calls) else ENDS, all(map(returns, calls)))
    for number, name in enumerate(calls):
        if not returns(name):
            yield Stop(block, name, _kind(graph, block, number), name in _LIBRARY)


def _kind(graph, block, number):
    """Whether flow shows that this call of the block's hasn't returned, and where."""
    if block.alone or (block.leaving is not None and number >= block.leaving):
        return LEFT
    if not graph.interruptible and not (graph.resumed and block in graph.stops):
        return LEFT
    # Without a counter flow tells how often the block began, wherever one would stand.
    return BEFORE if number < block.late and block.counter is not None else INSIDE
