"""Where an activation may stop for good: the calls that may not return, for the reader, who knows how often each function
didn't (perfcomp_impl/core/model_stops.c). Which of them it was tells the counts of what lies behind it.

The table of a function has to be complete, or it has none.
"""

from collections import namedtuple

from .graph import AFTER

# callee: a name, None: through a pointer; library: one of the library's that returns, unless its thread is cancelled,
# and the program has one of its own instead
Stop = namedtuple("Stop", "block callee kind library")

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
signal sigaction sysconf getuid geteuid getgid getegid getppid getrusage uname umask
""".split())
_JUMPS = frozenset("longjmp _longjmp siglongjmp __longjmp_chk __builtin_longjmp setcontext swapcontext".split())


def find(graph, returns):
    """A graph's; None: not all of them are known. `returns` tells of a name whether that function always returns."""
    if graph.alone or graph.hides_calls or not all(map(returns, graph.cleanups)):
        return None
    found = {}                                 # each once, in the order of the text
    for block in graph.blocks:
        stops = list(_of(graph, block, returns))
        if stops and block.dropped:
            return None
        found.update(dict.fromkeys(stops))
    return list(found)


def _of(graph, block, returns):
    if block.ends:
        yield Stop(block, None, JUMPS if _JUMPS.intersection(block.calls) else ENDS, False)
    for number, name in enumerate(block.calls):
        if not returns(name):
            yield Stop(block, name, _kind(graph, block, number), name in _LIBRARY)


def _kind(graph, block, number):
    """Whether flow shows that this call of the block's hasn't returned, and where."""
    if block.alone or (block.leaving is not None and number >= block.leaving):
        return LEFT
    if not graph.interruptible and not (graph.resumed and block in graph.stops):
        return LEFT
    return BEFORE if any(slot.kind == AFTER for slot in block.slots) else INSIDE
