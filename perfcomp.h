/* perfcomp.h - timers, counters and profiles that compensate themselves.

   Every probe slows the program that it measures. perfcomp tells what the
   program would have done without it: each time is reported as measured (CT)
   and as undisturbed (LT = CT − Δ), with its uncertainty.

       #define PERFCOMP_IMPLEMENTATION      // in one C file of the program
       #include "perfcomp.h"

       static double f(int n) { PFC_FUNCTION(); double s = 0; while (n) s += 1.0 / n--; return s; }

       int main(void) {
           PFC_BEGIN("sum");
           double s = f(1000000);
           PFC_END("sum");
           return s < 1;
       }

       $ cc -O2 program.c -lm -pthread && PERFCOMP_REPORT=1 ./a.out

   The implementation defines _GNU_SOURCE for the whole of its file, by which some
   functions of the C library are others: at -std=c11 signal() is BSD's then, and
   strerror_r() is GNU's under any -std. With PERFCOMP_DISABLE it doesn't. To change
   nothing of a program that depends on it, give the first two lines a file of their own.

   The program leaves perfcomp.0.pfc where it was started; `perfcomp report`,
   `annotate`, `export` and `watch` read it, while it runs, too.
   To instrument a whole project without touching it: make CC="perfcomp-cc gcc".

   CONTENTS   config · api · counters · sites · clock · moments · turns (of locks) ·
              profile (the file) · regions (the hot path) · timers · hits · reader · collection · MPI's layout
              and reader · report · implementation

   COSTS      enter + exit of a region: about a pair of clock reads (19 ns where
              rdtsc takes 9.5); PFC_HIT: one addition; PERFCOMP=off: under 1 ns

   ENVIRONMENT
   PERFCOMP=off             nothing is recorded
   PERFCOMP_DIR=folder      for the profile, made if need be (default: where the program started); %p in it is the process's number
   PERFCOMP_LIVE=folder     the profile lies there while the program runs (e.g. /dev/shm), and is moved at the end
   PERFCOMP_FILE=none       no file: report only
   PERFCOMP_BUDGET=2%       time hot regions by sampling, so that timing takes about this share (counting them still takes some ns)
   PERFCOMP_TRACE=1         keep the last 65536 events of each thread (a larger number: at least so many)
   PERFCOMP_REPORT=1        report on stderr at exit
   PERFCOMP_COMPENSATE=0    Δ stays 0: raw times, also of MPI calls and waits
   PERFCOMP_CONTEXT=off     time every entry, and charge what probes cost in an empty loop (see context)
                   =timed|light|doubled: all of the run as one of its windows, to be held against others (of the one thread
                            that has windows)
   PERFCOMP_SCALE=1.05,0.01 charge so many times what the run can see of its costs (a factor and its uncertainty, as
                            perfcomp check has found them for this program)
   PERFCOMP_CLOCK=system    clock_gettime instead of the processor's counter
   PERFCOMP_VERBOSE=1       say what is being done

   HOW IT KNOWS  What a probe costs depends on the code around it, from nothing
   to more than in an empty loop. So the run is its own experiment: in every
   eighth or so of many short windows, drawn at random, regions with many
   entries are counted but not timed, and the windows are compared. Where others
   run on the same processor, probes are charged as much more as Linux says that
   the program has to wait for it; and as much more as interrupts lengthen a piece
   of work that is timed again and again.

   WHAT IT CAN'T DO  A probe can stop the compiler from inlining or vectorising,
   and push code or data out of a cache; the run itself can't see that. `perfcomp
   check` compares with the uninstrumented program, shows how much it is, and
   tells the PERFCOMP_SCALE by which later runs can correct it. Probes can also
   decide which thread gets a lock first: that is left as it was.

   THREADS    Each has timers of its own. Who waits for another one waits for its
   probes, too: in pthread_create, pthread_join, barriers, conditions, semaphores,
   signals (sigwait, pause …), mutexes, read-write locks, C11's threads
   and OpenMP (parallel regions, barriers, critical sections, locks, ordered
   regions, tasks), Δ goes from thread to thread where the linker is told so (of
   clang's OpenMP's regions, barriers and tasks we hear as its tool, unless
   OMP_TOOL_LIBRARIES names another one):

       $ cc -O2 program.c -lm -pthread $(perfcomp-cc --wraps)

   perfcomp-cc does it by itself, but not in static programs: with -static, leave
   these options out, or what they wrap is missing at run time; with gcc's OpenMP,
   compile the implementation's file by -fopenmp, too. pthread_join is then a region like the
   others. Cost: 2 ns a lock that is free and a signal or an unlock that nobody waits
   for, 50 ns where somebody does, 0.1 µs a wait, a task, 1 µs a thread; and what
   clang's OpenMP takes to tell us, which isn't taken out: 0.2 µs a task.
   Forked processes hand theirs on to a parent that waits for them, by waitpid,
   wait3, wait4 or waitid (and wait, where perfcomp-cc links).

   SOURCES    S. Shende, A. Malony, A. Morris, F. Wolf: Performance profiling
              overhead compensation for MPI programs, EuroPVM/MPI 2005.
              V. Ivannikov, S. Gaissaryan et al.: ParJava, 2004.
              D. Knuth, F. Stevenson: Optimal measurement points for program
              frequency counts, BIT 13, 1973.

   MIT licence: see the end of this file.                                      */

/* Generated from perfcomp_impl/ by `make headers`: edit the parts, not this file. */

#ifndef PERFCOMP_H
#define PERFCOMP_H

#if defined PERFCOMP_IMPLEMENTATION && !defined PERFCOMP_DISABLE && !defined _GNU_SOURCE
#  define _GNU_SOURCE 1 /* mmap, posix_fallocate and others, also at -std=c11 */
#endif
#if !defined PERFCOMP_PRELUDE
#include <stdint.h>
#include <stdio.h>
#endif

/* ---------------------------------------------------------------- config ---
   Compile-time switches. None of them changes a public type, so files that
   set them differently still link and work together.

   PERFCOMP_IMPLEMENTATION  in ONE C file, before the include: compile the implementation there
   PERFCOMP_DISABLE         in any file: every macro of that file expands to nothing, and the functions of the API do nothing
   PERFCOMP_CLOCK()         an int64_t expression: your own clock, in ns (see `clock`), which must not go back. Set it in every file alike
   PERFCOMP_CLOCK_HZ        ticks per second of PERFCOMP_CLOCK(), when they aren't ns: 1 to 1e15 (others are left aside, which is said)
   PERFCOMP_CHARGE(ns)      statement run with each operation's modelled cost, a double: virtual time (simulators), whose
                            PERFCOMP_CLOCK() is in ns; environment: PERFCOMP_SMPI_COST_NS=200, of every operation, or
                            enter=200,exit=200,hit=0,mpi=200, which is what they cost if it isn't set
   PERFCOMP_SMPI            clock and charge for SimGrid's SMPI
   PERFCOMP_HITS            how many PFC_HIT one file may hold (512)
   PERFCOMP_THREADS         in a file: its PFC_HIT counters are exact under threads (atomic: 2 to 6 ns) */

#define PERFCOMP_VERSION_MAJOR 0
#define PERFCOMP_VERSION_MINOR 1

#ifndef PERFCOMP_HITS
#  define PERFCOMP_HITS 512
#endif

/* Our own integer types: the prelude that perfcomp-cc puts before a program's
   text must not include a libc header that the program didn't ask for. */
typedef __INT64_TYPE__ pfc__i64;
typedef __UINT64_TYPE__ pfc__u64;
typedef __UINT32_TYPE__ pfc__u32;
/* What several change or read at once. 32-bit x86 would let them lie anywhere, and clang then asks libatomic for them. */
typedef pfc__i64 pfc__shared_i64 __attribute__((aligned(8)));
typedef pfc__u64 pfc__shared_u64 __attribute__((aligned(8)));
typedef __UINTPTR_TYPE__ pfc__uptr;

#ifdef __cplusplus
#  define PFC__EXTERN_C_BEGIN extern "C" {
#  define PFC__EXTERN_C_END }
#  define PFC__NULL nullptr /* in what macros leave in the program's text, which may be compiled with more warnings than ours */
#else
#  define PFC__EXTERN_C_BEGIN
#  define PFC__EXTERN_C_END
#  define PFC__NULL 0
#endif

/* A simulated MPI process has a virtual clock, which clock_gettime reads from MPI_Init to MPI_Finalize: outside no time
   passes, and nothing is charged. */
#if defined PERFCOMP_SMPI && !defined PERFCOMP_CLOCK
PFC__EXTERN_C_BEGIN
void smpi_execute_benched(double seconds); /* exact, while smpi_execute drops what is less than 1 us */
int pfc__virtual_runs(void);
PFC__EXTERN_C_END
#  define PERFCOMP_CLOCK() pfc__clock_system()
#  define PERFCOMP_CHARGE(ns) (pfc__virtual_runs() ? smpi_execute_benched((ns) * 1e-9) : (void)0)
#  define PFC__CHARGES() pfc__virtual_runs()
#else
#  define PFC__CHARGES() 1
#endif

#if defined PERFCOMP_CHARGE && defined PERFCOMP_CLOCK_HZ
#  error "perfcomp: PERFCOMP_CHARGE goes with a PERFCOMP_CLOCK() in ns: let it return ns, and leave PERFCOMP_CLOCK_HZ out"
#endif

#define PFC__LIKELY(x) __builtin_expect(!!(x), 1)
#define PFC__UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Nothing of perfcomp is itself instrumented, and the hot path is always inlined. */
#define PFC__QUIET __attribute__((no_instrument_function))
#define PFC__HOT static __inline__ __attribute__((always_inline, unused, no_instrument_function))
#define PFC__CALLED __attribute__((noinline, no_instrument_function))

/* What the hot path leaves aside calls the C library, and copies by aligned instructions. Assembler may have called the
   function that is measured with a stack which is aligned enough for that alone (x264). */
#if defined __x86_64__ || defined __i386__
#  define PFC__COLD __attribute__((noinline, cold, no_instrument_function, force_align_arg_pointer))
#else
#  define PFC__COLD __attribute__((noinline, cold, no_instrument_function))
#endif

/* The name by which the linker knows what every file with probes asks for: where the implementation is missing, or is
   there twice, that is all it says. */
#define PFC__LINKED_AS(what) __asm__("pfc__" what "_define_PERFCOMP_IMPLEMENTATION_in_one_C_file")

/* One register load instead of a call into the dynamic linker, which could ask for memory amid a signal's handler. All
   variables of one implementation, some 130 bytes, fit about 12 times into the static TLS surplus that glibc keeps for
   libraries loaded later. None of them is static: so those of a library that finds the program's take no room there. */
#if defined PERFCOMP_SMPI
#  define PFC__TLS /* each simulated process has its own copy of the program, and no threads */
#elif defined __ELF__
#  define PFC__TLS __thread __attribute__((tls_model("initial-exec")))
#else
#  define PFC__TLS __thread
#endif

#if !defined PERFCOMP_PRELUDE
/* ------------------------------------------------------------------- API ---
   Times are int64_t nanoseconds. Every macro and function may be used by any
   thread at any time, also in signal handlers (but for pfc_report, which
   allocates memory; nor may a process call it that a thread has forked beside
   others, where malloc may not be called either), and leaves errno alone. None
   of them can fail: what can't be recorded is counted as lost, and reported.

   PFC_BEGIN("name"); … PFC_END("name");
       A region. May be left in another function than it was entered. Ends out
       of order are mended and reported. Cost: about one pair of clock reads.
   PFC_SCOPE("name");
       A region from here to the end of the enclosing block, however it is left.
       At most one a source line. It is a declaration: behind a label or a `case`, in braces.
   PFC_FUNCTION();
       PFC_SCOPE with the function's name; in C++ as it is declared, as methods, overloads
       and instances of templates have names in common. Put it first in the body.
   PFC_BLOCK("name") { … }
       A basic block, timed and counted. Have no `break` or `continue` in it that is meant
       for a loop around it: as the block is itself a loop of one turn, they would leave
       only the block; but under PERFCOMP_DISABLE, where nothing is left of it, that loop.
   PFC_HIT("name");
       Counts how often control passes here. Cost: one addition to a plain array
       element (in C++: a little more; under PERFCOMP_THREADS an atomic one, 2 to 6 ns,
       which is taken out as such, but for what threads cost each other that add at once).
   PFC_MONITOR();
       A sign of life for readers of the running program (perfcomp watch): stamps the profile.
       They see the rest without it; on another host, this is how they know that it still runs.

   pfc_timers(), pfc_ct(), pfc_delta(), pfc_lt()
       This thread's timers. CT: the clock, whichever it is, as it goes on from
       what CLOCK_MONOTONIC was at the start; Δ: how much later this thread is
       here than without instrumentation; LT = CT − Δ. Δ is an estimate: from one
       probe to the next LT may go back. Asking takes 10 to 20 ns, which are in Δ, and
       of which ± has a half, where all of the thread is told of.
   pfc_start(argc, argv), pfc_stop()
       Begin and end the profile; without them: at first use, and at exit. What
       runs after pfc_stop() isn't recorded, and nothing begins it again: Δ is 0
       from then on, and LT is CT. The arguments name the run in its reports; 0, 0:
       as the system knows them.
   pfc_budget(share)
       From now on, time hot regions by sampling so that timing takes
       about `share` (0.02: 2 %) of the time; every entry is still counted.
       0: time everything. The same as PERFCOMP_BUDGET=2%.
   pfc_report(file)
       Writes the report of the run so far. That takes some ms, in a large program more. */

typedef struct { int64_t ct, delta, lt; } pfc_timers_t;

#if defined PERFCOMP_DISABLE

#define PFC_BEGIN(name) ((void)0)
#define PFC_END(name) ((void)0)
#define PFC_SCOPE(name) ((void)0)
#define PFC_FUNCTION() ((void)0)
#define PFC_BLOCK(name)
#define PFC_HIT(name) ((void)0)
#define PFC_MONITOR() ((void)0)

/* Functions here, too, which may be handed on, as to atexit. */
PFC__HOT void pfc_start(int argc, char **argv) { (void)argc, (void)argv; }
PFC__HOT void pfc_stop(void) { }
PFC__HOT void pfc_budget(double share) { (void)share; }
PFC__HOT void pfc_report(FILE *file) { (void)file; }
PFC__HOT int64_t pfc_ct(void) { return 0; }
PFC__HOT int64_t pfc_delta(void) { return 0; }
PFC__HOT int64_t pfc_lt(void) { return 0; }
PFC__HOT pfc_timers_t pfc_timers(void)
{
    pfc_timers_t none = { 0, 0, 0 };
    return none;
}

#else

#define PFC_BEGIN(name) \
    do { \
        static pfc__site_t pfc__site = PFC__SITE(PFC__NAMED, "" name, __LINE__, __FILE__); \
        pfc__begin(&pfc__site); \
    } while (0)
#define PFC_END(name) \
    do { \
        static pfc__site_t pfc__site = PFC__SITE(PFC__NAMED, "" name, __LINE__, __FILE__); \
        pfc__end(&pfc__site); \
    } while (0)
#define PFC_SCOPE(name) PFC__SCOPE_AT(PFC__NAMED, "" name, __LINE__)
#define PFC_FUNCTION() PFC__SCOPE_AT(PFC__FUNCTION, PFC__THIS_FUNCTION, __LINE__)
#define PFC_BLOCK(name) PFC__BLOCK_AT("" name, __LINE__)
#define PFC_HIT(name) PFC__HIT_AT("" name, __COUNTER__)
#define PFC_MONITOR() (pfc__is_off() ? (void)0 : pfc__monitor())

PFC__EXTERN_C_BEGIN
PFC__COLD void pfc_start(int argc, char **argv);
PFC__COLD void pfc_stop(void);
PFC__COLD void pfc_budget(double share);
PFC__COLD void pfc_report(FILE *file);
PFC__COLD pfc_timers_t pfc_timers(void);
PFC__COLD int64_t pfc_ct(void);
PFC__COLD int64_t pfc_delta(void);
PFC__COLD int64_t pfc_lt(void);
PFC__COLD void pfc__monitor(void);
PFC__COLD void pfc__ends(void);
PFC__EXTERN_C_END

#ifdef __cplusplus
#  define PFC__THIS_FUNCTION __PRETTY_FUNCTION__
#else
#  define PFC__THIS_FUNCTION __func__
#endif

/* Names that are unique within a function: the line is part of them. */
#define PFC__PASTE_(a, b) a##b
#define PFC__PASTE(a, b) PFC__PASTE_(a, b)
#define PFC__SCOPE_AT(kind, name, line) \
    static pfc__site_t PFC__PASTE(pfc__site_, line) = PFC__SITE(kind, name, line, __FILE__); \
    __attribute__((cleanup(pfc__leave), unused)) pfc__token_t PFC__PASTE(pfc__token_, line) = \
        pfc__enter(&PFC__PASTE(pfc__site_, line))
/* A loop of one turn, whose variable is the token: cleared after the turn. */
#define PFC__BLOCK_AT(name, line) \
    for (pfc__once_t PFC__PASTE(pfc__once_, line) __attribute__((cleanup(pfc__once_leave))) = \
             pfc__once_enter(__extension__({ \
                 static pfc__site_t pfc__site = PFC__SITE(PFC__BLOCK, name, line, __FILE__); \
                 &pfc__site; \
             })); \
         PFC__PASTE(pfc__once_, line).turns-- > 0;)

#endif

#endif

#if !defined PERFCOMP_DISABLE

/* -------------------------------------------------------------- counters ---
   Frequency profiles: per translation unit one plain integer array, one 64-bit
   element a counter. Plain, static and not volatile, so that the optimiser may
   keep a counter in a register through a loop, or add the trip count at once.
   At start the profile file is mapped over the arrays: the counts are in the
   file from then on, and the hot path knows nothing of it. That takes arrays
   of whole pages, aligned to pages. */

#if defined __aarch64__ /* the largest page that this architecture's kernels use */
#  define PFC__PAGE 65536
#else
#  define PFC__PAGE 4096
#endif

/* One basic block of a unit. Flow conservation completes the blocks without a
   counter: block = edge (from → to) of a graph in which what flows into a
   vertex flows out of it (Knuth & Stevenson, BIT 13, 1973). The outside of a
   function is a vertex too: its ENTRY comes from there, its EXIT leads there,
   and so may a block whose call may not return, and a way back from it.
   Vertices are numbered densely, below 4 * blocks + 1024. */
typedef struct pfc__block {
    pfc__u32 line, line_end;   /* of the user's source; 0: no code, a way that control takes between blocks */
    pfc__u32 column;
    pfc__u32 function;         /* index into the unit's functions */
    pfc__u32 file;             /* index into the unit's files */
    pfc__u32 kind;             /* enum pfc__block_kind */
    pfc__u32 counter;          /* index into the array, or PFC__NO_COUNTER: completed by the reader */
    pfc__u32 from, to;         /* vertices of the unit's flow graph; from == to == 0: counted by itself */
} pfc__block_t;

#define PFC__NO_COUNTER 0xffffffffu
enum pfc__block_kind {
    PFC__BLOCK_PLAIN = 0,
    PFC__BLOCK_ENTRY = 1,      /* how often the function was entered */
    PFC__BLOCK_EXIT = 2,       /* how often it was left; entries − exits = activations in flight or abandoned */
    PFC__BLOCK_HIT = 3,        /* a user's PFC_HIT, whose name its function has */
    PFC__BLOCK_AMID = 256      /* a bit: code of another block stands before it in its line; since minor 16 */
};

/* Packed, a unit's blocks take a sixth of the room, in its object as in each process's profile. Each is a byte that tells what
   it has, and then that: unsigned numbers (LEB128: DWARF 5, 7.6), or differences to what is likely, as numbers whose lowest
   bit is the sign (zigzag). */
enum pfc__packed {
    PFC__PACKED_LINES = 1,     /* line − the last one, line_end − line, unsigned column; otherwise all are 0 */
    PFC__PACKED_FUNCTION = 2,  /* function − the last one; otherwise the same */
    PFC__PACKED_FILE = 4,      /* likewise */
    PFC__PACKED_KIND = 8,      /* unsigned kind; otherwise PLAIN */
    PFC__PACKED_NEXT = 16,     /* nothing: its counter is the one behind the last */
    PFC__PACKED_COUNTER = 32,  /* counter − the one behind the last. Without both bits it has none */
    PFC__PACKED_GRAPH = 64     /* from − the last block's, to − from; otherwise both are 0 */
};

/* How an array is added to, as bits. CHARGED: in virtual time, what it costs has been charged then. */
enum pfc__adding { PFC__ADDED_ATOMICALLY = 1, PFC__ADDED_AND_CHARGED = 2 };

typedef struct pfc__function {
    const char *name;          /* the reader's copy: a string's file offset */
    pfc__u32 file, line, line_end;
    pfc__u32 flags;            /* PFC__TIMED … */
} pfc__function_t;

/* Lines of a function's extent that hold no code, as comments do: counts of blocks aren't theirs. */
typedef struct pfc__gap { pfc__u32 file, line, line_end; } pfc__gap_t;

/* Where a function is called whose ENTRY has no counter: it is entered as often as its calling blocks are, all together.
   A block that calls it twice has two of these. */
typedef struct pfc__caller {
    pfc__u32 entry, block;     /* indices into the unit's blocks */
} pfc__caller_t;

/* A call that may not return, and where flow is lost if it doesn't. Which of them didn't is told by how often the functions
   that they call were entered and left (model_stops.c). */
enum pfc__stop_kind {
    PFC__STOP_INSIDE = 0,      /* behind the block's counter: flow is lost where the block leads to */
    PFC__STOP_BEFORE = 1,      /* before it: where the block comes from */
    PFC__STOP_LEFT = 2,        /* nowhere: the EXIT has been counted before, or isn't */
    PFC__STOP_ENDS = 3,        /* the same, and it never returns */
    PFC__STOP_JUMPS = 4        /* the same; signals' handlers may call it, too, amid anything: longjmp, pthread_exit */
};

typedef struct pfc__stop {
    pfc__u32 block;            /* index into the unit's blocks */
    pfc__u32 callee;           /* its name's place in the unit's; 0: through a pointer */
    pfc__u32 kind;             /* enum pfc__stop_kind */
    pfc__u32 sure;             /* 1: if the program has none of that name, it's a library's that returns, unless its thread is
                                  cancelled; of one that never returns: it is made whenever its block is counted */
} pfc__stop_t;

#define PFC__TIMED 1u          /* it is a region as well */
#define PFC__MAY_NOT_RETURN 2u /* contains calls: entries and exits may differ */
#define PFC__UNTOUCHED 4u      /* couldn't be instrumented: it has no blocks */
#define PFC__STOPS_KNOWN 8u    /* those of its calls that may not return are in the table of stops, all of them */
#define PFC__STATIC 16u
#define PFC__REPLACES 32u      /* one that has the name of a library's, and the whole program sees */

/* What a unit hands over at start-up. `abi` is checked: objects made by another
   version are named and left out. The runtime and a unit may be compiled with other
   options: structures that both know have no gaps, which -fpack-struct would close
   and -malign-double move. */
typedef struct pfc__unit {
    pfc__u32 abi;
    pfc__u32 files, functions, blocks;
    pfc__u64 counters;                 /* elements in use */
    pfc__u64 array_bytes;              /* whole pages; 0 under threads */
    unsigned long long *array;         /* page-aligned; NULL under threads */
    const char *const *file;
    const pfc__function_t *function;
    const pfc__block_t *block;
    const char *name;                  /* the main source file, as the compiler was given it */
    const char *directory;             /* where it was compiled */
    const char *compiler;              /* version and flags */
    pfc__u32 id;                       /* filled in at registration; 0: not registered */
    pfc__u32 adding;                   /* enum pfc__adding */
    pfc__u32 gaps, unused;
    const pfc__gap_t *gap;
    unsigned long long *(*own)(void);  /* under threads: finds them as its functions do; NULL: it's known what that takes */
    const unsigned char *summed;       /* [counter] 1: turns of a loop, which the compiler counts in a register or not at all; NULL: none is */
    pfc__u64 callers;
    const pfc__caller_t *caller;
    const char *const *holder;         /* [function] of a PFC_HIT: the function that it stands in; NULL: they are functions themselves */
    pfc__u64 stops, names;             /* names: bytes */
    const pfc__stop_t *stop;
    const char *called;                /* names, one behind the other, the first one empty */
    pfc__u64 packed_bytes;
    const unsigned char *packed;       /* the blocks, in place of `block`; NULL: they aren't packed */
} pfc__unit_t;

#define PFC__ABI 9u

/* A unit in the profile: the head of a UNIT extent. The tables are places in
   the extent, counted in bytes from its header: files are 64-bit string
   offsets, functions are pfc__function_t with a string offset as name, blocks
   are pfc__block_t, gaps are pfc__gap_t, callers are pfc__caller_t. */
typedef struct pfc__unit_record {
    pfc__u64 name, directory, compiler;   /* offsets of strings; 0: none */
    pfc__u32 files, functions, blocks;
    pfc__u32 threaded;                    /* 1: each thread has an array of its own */
    pfc__u64 counters;                    /* elements of an array in use */
    pfc__u64 file_table, function_table, block_table;
    pfc__u64 gaps, gap_table;             /* since minor 6 */
    pfc__u64 summed_table;                /* bytes, one a counter; 0: none; since minor 8 */
    pfc__u64 callers, caller_table;       /* since minor 9 */
    pfc__u64 holder_table;                /* offsets of strings, one a function; 0: none; since minor 12 */
    pfc__u64 stops, stop_table;           /* since minor 12 */
    pfc__u64 names, name_table;           /* bytes that end with a zero; since minor 12 */
    pfc__u64 packed, packed_table;        /* bytes, in place of the block table, which has none then; 0: it has; since layout 2 */
} pfc__unit_record_t;

#define PFC__UNIT_RECORD_LEAST offsetof(pfc__unit_record_t, gaps)

PFC__EXTERN_C_BEGIN
/* Registers a unit; weak where a unit calls it, so that objects of perfcomp-cc --count also link without perfcomp. Others
   need it: functions that are timed, and counters of threads, call it by strong names. */
PFC__COLD void pfc__unit_register(pfc__unit_t *unit);
/* The unit's library is unloaded: its array goes, the counts stay in the profile. */
PFC__COLD void pfc__unit_unregister(pfc__unit_t *unit);
/* Under threads: this thread's own counters of the unit, in the profile; also stored to *slot. */
PFC__COLD unsigned long long *pfc__unit_thread(pfc__unit_t *unit, unsigned long long **slot);
PFC__EXTERN_C_END

/* Stands in the body of a loop whose turns are said to be independent of each other (omp simd, dynamic schedules). Clang takes
   that for a promise about the counters, too: of the turns that it makes one vector of, only some would be counted. */
PFC__HOT void pfc__each_turn(void)
{
#if defined __clang__
    __asm__ __volatile__(""); /* which can't be made a vector of */
#endif
}

/* ----------------------------------------------------------------- sites ---
   Where regions begin, and how instrumented functions enter and leave them: by
   one call each, unless perfcomp is off. The hot path is in the program once, in
   its runtime, compiled with the runtime's options. In each unit it would cost a
   third of the time to compile a small one, and win nothing over a call (measured). */

enum pfc__region_kind { PFC__FUNCTION = 1, PFC__NAMED = 2, PFC__BLOCK = 3, PFC__MPI_CALL = 4, PFC__OVERFLOW = 5 };

/* One place in the source where a region begins. `id` is its number in the
   profile, given at first use; regions of equal name (functions: name and
   file) share one number. `leaf`: no other one is entered inside. `light` is a
   path of this region whose entries are left untimed now: some thread's last one. */
typedef struct pfc__site {
    pfc__u32 id;
    pfc__u32 kind, line, leaf;
    const char *name, *file;
    struct pfc__node *light;
} pfc__site_t;

#define PFC__UNKNOWN 0xffffffffu
#define PFC__SITE_OF(kind, name, line, file, leaf) { PFC__UNKNOWN, kind, line, leaf, name, file, PFC__NULL }
#define PFC__SITE(kind, name, line, file) PFC__SITE_OF(kind, name, line, file, 0)

/* What an enter leaves behind for its exit: the depth; 0: nothing was entered. */
typedef struct pfc__token { pfc__u64 depth; } pfc__token_t;

PFC__EXTERN_C_BEGIN
extern int pfc__off; /* 1: PERFCOMP=off, or after pfc_stop() */
PFC__QUIET pfc__u64 pfc__unit_enter(pfc__site_t *site, pfc__uptr sp);
PFC__QUIET void pfc__unit_leave(pfc__u64 depth);
PFC__EXTERN_C_END

/* Another thread may end it all at this moment: any answer is right. */
PFC__HOT int pfc__is_off(void)
{
    return __atomic_load_n(&pfc__off, __ATOMIC_RELAXED);
}

PFC__HOT pfc__token_t pfc__unit_begin(pfc__site_t *site, pfc__uptr sp)
{
    pfc__token_t token;
    token.depth = PFC__LIKELY(!pfc__is_off()) ? pfc__unit_enter(site, sp) : 0;
    return token;
}

PFC__HOT void pfc__unit_end(const pfc__token_t *token)
{
    if (PFC__LIKELY(token->depth != 0)) pfc__unit_leave(token->depth);
}

/* Where this frame's part of the stack ends; equal in functions inlined into one
   another. Volatile: otherwise one reading may be taken before the function makes
   room on the stack and serve later regions, which then seem to lie outside of
   those that read afterwards. For the same reason gcc is asked for what it would
   save of the stack: first it gives back what a call's arguments took there,
   which it otherwise puts off. */
PFC__HOT pfc__uptr pfc__stack_pointer(void)
{
    pfc__uptr sp;
#if defined __x86_64__ && !defined __ILP32__ && !defined __clang__
    __asm__ __volatile__("{mov %%rsp, %0|mov %0, rsp}" : "=r"(sp) : "X"(__builtin_stack_save()));
#elif defined __x86_64__ && !defined __ILP32__
    __asm__ __volatile__("{mov %%rsp, %0|mov %0, rsp}" : "=r"(sp)); /* or so at -masm=intel */
#elif defined __aarch64__
    __asm__ __volatile__("mov %0, sp" : "=r"(sp));
#else
    sp = (pfc__uptr)__builtin_frame_address(0);
#endif
    return sp;
}

#if !defined PERFCOMP_PRELUDE

/* ----------------------------------------------------------------- clock ---
   CT in ticks. One tick is 1 ns, unless the clock is the processor's own
   counter; the profile's header tells how many ticks make a second.
   rdtsc without a fence, which would double the cost of a probe: processors
   execute ahead, so that what a region waits for memory at its end, some ns
   each time, is its caller's. Totals don't change (tests/bench/functions). */

PFC__EXTERN_C_BEGIN
/* 1: the processor's counter can be trusted (invariant, and the kernel uses it). */
extern int pfc__clock_is_cycles;
PFC__COLD pfc__i64 pfc__clock_system(void);
/* In the program's own clock, which perfcomp-cc may have instrumented: what it enters would ask for the time again. */
extern PFC__TLS int pfc__clock_asked;
PFC__EXTERN_C_END

/* 1: reading it is no call of ours. */
PFC__HOT int pfc__clock_is_quick(void)
{
#if defined PERFCOMP_CLOCK
    return 1;
#elif defined __x86_64__ || defined __aarch64__
    return pfc__clock_is_cycles;
#else
    return 0;
#endif
}

PFC__HOT pfc__i64 pfc__clock(void)
{
#if defined PERFCOMP_SMPI
    return (pfc__i64)(PERFCOMP_CLOCK());
#elif defined PERFCOMP_CLOCK
    pfc__i64 pfc__now;
    pfc__clock_asked++;
    pfc__now = (pfc__i64)(PERFCOMP_CLOCK());
    pfc__clock_asked--;
    return pfc__now;
#elif defined __x86_64__
    if (PFC__LIKELY(pfc__clock_is_cycles)) return (pfc__i64)__builtin_ia32_rdtsc();
    return pfc__clock_system();
#elif defined __aarch64__
    if (PFC__LIKELY(pfc__clock_is_cycles)) {
        pfc__u64 ticks;
        __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
        return (pfc__i64)ticks;
    }
    return pfc__clock_system();
#else
    return pfc__clock_system();
#endif
}

/* --------------------------------------------------------------- moments ---
   Where a rank or a thread is, on its way through the program, and the latest
   of several: R6 of the model, integers in, integers out. Times of ranks are
   ns on the job's common clock; those of threads, which share one, are ticks
   with PFC__FRACTION more binary places, like Δ. */

typedef struct pfc__moment {
    pfc__i64 ct;    /* the common clock, as it is read here */
    pfc__i64 lt;    /* local time: when the uninstrumented program would have been here */
    pfc__i64 u;     /* uncertainty of Δ = ct − lt; that of lt as well, on one's own clock */
    pfc__i64 clock; /* how far this reading may be from the common clock; 0: they are one */
} pfc__moment_t;

PFC__HOT pfc__i64 pfc__max(pfc__i64 a, pfc__i64 b) { return a > b ? a : b; }
PFC__HOT pfc__i64 pfc__min(pfc__i64 a, pfc__i64 b) { return a < b ? a : b; }

/* Who came last, by ct and by lt, as pfc__signed_by has it. */
typedef struct pfc__names { pfc__i64 ct, lt; } pfc__names_t;

/* The latest of several moments. Every field is a maximum, so that any order
   of combining gives the same, MPI_MAX over an array of integers included. */
typedef struct pfc__latest {
    pfc__i64 ct, lt;
    pfc__i64 lt_high;               /* bound of lt on the common clock; the latest is no further off to the other side */
    pfc__i64 clock;
    pfc__i64 delta_high, delta_low; /* greatest Δ, least Δ negated: the result lies between them */
    pfc__names_t last;
} pfc__latest_t;

enum { PFC__LATEST_FIELDS = sizeof(pfc__latest_t) / sizeof(pfc__i64) };
#define PFC__NEVER (-(pfc__i64)1e18) /* in ns: thirty years before any clock's zero */

PFC__HOT pfc__latest_t pfc__latest_none(void)
{
    pfc__latest_t none = { PFC__NEVER, PFC__NEVER, PFC__NEVER, 0, PFC__NEVER, PFC__NEVER, { PFC__NEVER, PFC__NEVER } };
    return none;
}

PFC__HOT pfc__latest_t pfc__latest_of(pfc__moment_t m)
{
    pfc__latest_t of;
    of.ct = m.ct;
    of.lt = m.lt;
    of.lt_high = m.lt + m.u + m.clock;
    of.clock = m.clock;
    of.delta_high = m.ct - m.lt + m.u;
    of.delta_low = m.lt - m.ct + m.u;
    of.last.ct = of.last.lt = PFC__NEVER;
    return of;
}

/* A rank's name goes along with its moment: below the moment, in steps of 256 ns, so that the maximum has the name of the
   latest. Once in 26 days the steps begin anew; who meets just then may get a wrong name. */
enum { PFC__NAME_BITS = 20, PFC__NAME_STEP_BITS = 8, PFC__NOBODY = (1 << PFC__NAME_BITS) - 1 };

PFC__HOT pfc__i64 pfc__signed_by(pfc__i64 ns, int rank)
{
    pfc__i64 step = ns >> PFC__NAME_STEP_BITS & (((pfc__i64)1 << (63 - PFC__NAME_BITS)) - 1);
    return (pfc__i64)((pfc__u64)step << PFC__NAME_BITS) | pfc__min(rank, PFC__NOBODY);
}

/* PFC__NOBODY: not told. */
PFC__HOT int pfc__signer(pfc__i64 name) { return name < 0 ? PFC__NOBODY : (int)(name & PFC__NOBODY); }

/* Without delays another one would have been the last. */
PFC__HOT int pfc__another_is_last(pfc__names_t last) { return pfc__signer(last.ct) != pfc__signer(last.lt); }

/* This rank's. */
PFC__HOT pfc__latest_t pfc__latest_by(int rank, pfc__moment_t m)
{
    pfc__latest_t of = pfc__latest_of(m);
    of.last.ct = pfc__signed_by(m.ct, rank);
    of.last.lt = pfc__signed_by(m.lt, rank);
    return of;
}

PFC__HOT pfc__latest_t pfc__latest_merge(pfc__latest_t a, pfc__latest_t b)
{
    a.ct = pfc__max(a.ct, b.ct);
    a.lt = pfc__max(a.lt, b.lt);
    a.lt_high = pfc__max(a.lt_high, b.lt_high);
    a.clock = pfc__max(a.clock, b.clock);
    a.delta_high = pfc__max(a.delta_high, b.delta_high);
    a.delta_low = pfc__max(a.delta_low, b.delta_low);
    a.last.ct = pfc__max(a.last.ct, b.last.ct);
    a.last.lt = pfc__max(a.last.lt, b.last.lt);
    return a;
}

/* At `ct` by a delay that lies in the range of the single ones, whatever the clocks say, as the greatest ct less the
   greatest lt does: without a common clock that range is all that is known. */
PFC__HOT pfc__moment_t pfc__latest_bounds(pfc__latest_t l, pfc__i64 ct, pfc__i64 delta, pfc__i64 u)
{
    pfc__moment_t m;
#ifdef PERFCOMP_MPI_TAU /* for comparison: see the rules */
    delta = -l.delta_low;
#endif
    m.ct = ct;
    m.lt = ct - delta;
    m.u = pfc__min(u, pfc__max(l.delta_high - delta, delta + l.delta_low));
    m.clock = l.clock;
    return m;
}

/* R6: Δ = max CT − max LT. */
PFC__HOT pfc__moment_t pfc__latest_moment(pfc__latest_t l)
{
    return pfc__latest_bounds(l, l.ct, l.ct - l.lt, l.lt_high - l.lt + l.clock);
}

/* What needs two ends began when both were there. */
PFC__HOT pfc__moment_t pfc__both_there(pfc__moment_t a, pfc__moment_t b)
{
    return pfc__latest_moment(pfc__latest_merge(pfc__latest_of(a), pfc__latest_of(b)));
}

/* By so much at most a delay is off that is taken for one of theirs. */
PFC__HOT pfc__i64 pfc__latest_range(pfc__latest_t l) { return l.delta_high + l.delta_low; }

/* By so much this one is off at most, if its delay should be one of theirs. */
PFC__HOT pfc__i64 pfc__latest_off(pfc__latest_t l, pfc__moment_t m)
{
    pfc__i64 delta = m.ct - m.lt;
    return pfc__max(l.delta_high - delta, delta + l.delta_low);
}

PFC__HOT int pfc__latest_is_none(pfc__latest_t l) { return l.ct == PFC__NEVER; }

/* A call that ended at `end` may have waited for it, as far as the clocks can tell. */
PFC__HOT int pfc__latest_is_before(pfc__latest_t l, pfc__moment_t end) { return l.ct - l.clock <= end.ct + end.clock; }

/* ----------------------------------------------------------------- turns ---
   Who waits for a lock waits for who has it, as for a message (R1, R6); but a
   message would have had to be waited for in any case. Who is delayed more than
   who had the lock, and would have come so much earlier, might have met another
   one, or nobody. By R1 alone a thread or rank of many probes would lose all of
   its delay to one of few, by and by, and the sum of its waits be off by as much
   (tests/core/locks_test.c). */

#define PFC__FOUND_FREE INT64_MAX

/* Until when a lock was had, and since when (LT), as far as is known, by one right after the other. */
typedef struct pfc__had { pfc__moment_t end; pfc__i64 since; } pfc__had_t;

/* When who comes at `arrival` has its turn. Where others would have had the lock all along, R1. Who would have come before them,
   and found nobody, waits for nobody: what is usual there is in doubt. If it found them there, it waits longer than it did, but
   not by more than twice what is usual, and so much is in doubt. */
PFC__HOT pfc__moment_t pfc__lock_turn(pfc__moment_t arrival, pfc__had_t had, pfc__i64 usual_wait)
{
    pfc__moment_t turn = pfc__both_there(arrival, had.end);
#ifndef PERFCOMP_MPI_TAU /* for comparison: see the rules */
    pfc__i64 waited = pfc__max(0, had.end.ct - arrival.ct), longer = had.end.lt - arrival.lt - waited;
    if (longer <= 0 || arrival.lt >= had.since) return turn;
    turn = arrival;
    if (!waited) {
        turn.u += pfc__min(longer, usual_wait);
        return turn;
    }
    longer = pfc__min(longer, 2 * usual_wait);
    turn.ct += waited;
    turn.lt += waited + longer;
    turn.u = pfc__max(arrival.u, had.end.u) + longer;
    turn.clock = pfc__max(arrival.clock, had.end.clock);
#else
    (void)usual_wait;
#endif
    return turn;
}

/* LT: since when who has its turn then has the lock right after others. Of the last of them at least it is known where it was
   when this one came. */
PFC__HOT pfc__i64 pfc__lock_busy(pfc__moment_t arrival, pfc__had_t had, pfc__moment_t turn)
{
    return turn.lt != had.end.lt ? turn.lt : pfc__min(had.since, had.end.lt - (had.end.ct - arrival.ct));
}

/* What is waited there, lately; with one wait more. */
PFC__HOT pfc__i64 pfc__lock_usual(pfc__i64 usual, pfc__i64 wait) { return usual ? usual + (wait - usual) / 8 : wait; }

/* --------------------------------------------------------------- profile ---
   The mapped layout. A profile is a header page, then extents, one
   behind the other. The header of an extent tells its kind, its size, and the
   size and number of its elements, so that a reader can step over kinds that
   it doesn't know and over fields that were appended later.

   All integers are in the writer's byte order (the header shows which). Times
   are ticks of the header's clock; Δ has PFC__FRACTION more binary places.
   Fields marked (process) are pointers of the process that wrote them: a
   reader subtracts `base` to get an offset, or ignores them. */

#define PFC__MAGIC "PERFCOMP"
#define PFC__LAYOUT_MAJOR 2 /* a reader refuses a newer one, … */
#define PFC__LAYOUT_OLDEST 1 /* … and reads those since this one. "Since minor N" below: since 1.N */
#define PFC__LAYOUT_MINOR 3 /* it accepts any: fields are only appended */
/* Of a program with pointers of 64 bits, or of 32, whose records are laid out otherwise. */
#define PFC__BYTE_ORDER_64 0x01020304u
#define PFC__BYTE_ORDER_32 0x01020305u
#define PFC__BYTE_ORDER (sizeof(void *) == 8 ? PFC__BYTE_ORDER_64 : PFC__BYTE_ORDER_32)
#define PFC__FRACTION 8 /* binary places of Δ below the tick */
#define PFC__EXTENT_MAGIC 0x78434650u

enum pfc__state { PFC__RUNNING = 1, PFC__ENDED = 2, PFC__WAITING = 3 }; /* WAITING: a thread, in a call that waits for others */
enum pfc__left { PFC__LEFT_BY_EXIT = 1, PFC__LEFT_BY_EXEC = 2 }; /* without exit handlers, or to become another program */
enum pfc__clock_kind { PFC__CLOCK_SYSTEM = 1, PFC__CLOCK_TSC = 2, PFC__CLOCK_CNTVCT = 3, PFC__CLOCK_USER = 4 };

/* The costs of §2 of the model, in ticks. `spread` is the uncertainty of its
   neighbour: the distance from the low quantile to the median. */
typedef struct pfc__cost {
    double pair;         /* one enter and one exit: what the program is slower by */
    double inside;       /* the part of it that falls between the two stamps */
    double light;        /* an enter and exit left untimed: by PERFCOMP_BUDGET, or in a light window (context.c) */
    double hit;          /* one counted basic block */
    double mpi;          /* one MPI wrapper, in virtual time; in real time it charges what it takes */
    double pair_spread, inside_spread, light_spread, hit_spread;
    double dilation;     /* of which the costs have had their share: as others ran on the processor; 0: not known */
    double empty_pair;   /* what empty pairs cost; `pair` is what they cost in the program's own code */
    double windows;      /* in which that was measured; 0: it wasn't */
} pfc__cost_t;

typedef struct pfc__header {
    char magic[8];
    pfc__u32 byte_order;
    pfc__u32 major, minor;
    pfc__u32 header_bytes;  /* sizeof(pfc__header_t) of the writer */
    pfc__u32 page;          /* extents begin at multiples of 64, counters at multiples of this */
    pfc__u32 state;         /* enum pfc__state */
    pfc__shared_u64 bytes;  /* header page and all extents */
    pfc__u64 base;          /* (process) address of this header */
    pfc__u64 checksum;      /* of all bytes behind the header page, when state is ENDED */
    pfc__u32 rank, size;    /* 0 of 1 in a serial program */
    pfc__i64 pid, parent_pid;
    pfc__u64 process_start; /* the kernel's start time of pid: tells a reused pid from this process */
    pfc__u32 clock_kind;    /* enum pfc__clock_kind */
    pfc__u32 compensate;    /* 0: PERFCOMP_COMPENSATE=0 */
    double ticks_per_ns;
    pfc__i64 tick_begin, tick_end; /* tick_end: last known while running */
    pfc__i64 utc_begin_ns;
    double budget;          /* 0: none; 0.02: PERFCOMP_BUDGET=2% */
    pfc__cost_t cost;
    pfc__u64 lost_regions, lost_nodes; /* went into the overflow entry */
    pfc__u64 lost_units;    /* translation units that found no room */
    pfc__u64 stray_ends, unclosed, unwound; /* END without BEGIN; BEGIN without END; left by longjmp */
    pfc__u32 fork_child;    /* 1: this process was forked from an instrumented one; since layout 2.2, 2: which had other threads,
                               whose activations nobody goes on in */
    pfc__u32 until_finalize; /* 1: it ends at MPI_Finalize, for PERFCOMP_MPI_MERGE */
    pfc__u64 header_checksum; /* of the fields above that never change; see service.c */
    pfc__i64 stop_ticks;    /* what pfc_stop itself took, behind tick_end */
    double scale, scale_doubt; /* PERFCOMP_SCALE, of which the costs have had their share; 0: none */
    pfc__i64 start_ticks;   /* what beginning the profile, and MPI's layer, took; part of Δ */
    pfc__u64 lost_threads;  /* that found no room for a record */
    pfc__u64 left;          /* enum pfc__left: its last sign of life was its end; 0: unknown */
    pfc__u64 strays;        /* as `strayed`, of layouts before 2.1 */
    pfc__u64 atomic_hits;   /* an atomic hit takes as long as so many others; since minor 7 */
    double atomic_doubt;    /* and its cost is uncertain by so much of it */
    double fetch_doubt;     /* as what threads' counters are found with; since minor 8 */
    pfc__u64 amid;          /* 1: a signal's handler may have ended it, amid any function; since minor 10 */
    pfc__u64 virtual_time;  /* 1: Δ has all that hits took; since minor 15 */
    pfc__u64 ended_checksum; /* of all fields above, when state is ENDED; since minor 15 */
    /* What forked processes count here, maybe behind its end, and so in steps of PFC__STEP; since layout 2.1 */
    pfc__shared_u64 strayed; /* that wrote in here until they found out (strays.c) */
    pfc__shared_u64 unsaved; /* for which there are no profiles */
} pfc__header_t;

/* Numbers below 2^32 times that are sparse: most other values are damage. */
#define PFC__STEP 0x9E3779B97F4A7C15u
#define PFC__STEPS(n) ((n) * 0xF1DE83E19937733Du) /* how many steps that is */

enum pfc__extent_kind {
    PFC__META = 1,     /* text: "key=value\0", once, service data */
    PFC__STRINGS = 2,  /* bytes: zero-terminated strings, referred to by file offset */
    PFC__REGIONS = 3,  /* pfc__region_t, in the order of their ids (first id: `first`) */
    PFC__THREADS = 4,  /* one pfc__thread_t; owner: thread id */
    PFC__NODES = 5,    /* pfc__node_t; owner: thread id; first: id of the first node */
    PFC__STACK = 6,    /* pfc__frame_t; owner: thread id */
    PFC__SAMPLES = 7,  /* pfc__sample_t; owner: thread id */
    PFC__UNIT = 8,     /* one pfc__unit_record_t, then its function and block tables; owner: unit id */
    PFC__COUNTERS = 9, /* pfc__u64; owner: unit id; first: thread id + 1, or 0 for the process's own array */
    PFC__EVENTS = 10,  /* pfc__event_t ring; owner: thread id */
    PFC__NOTES = 11,   /* text: "message\0", what went wrong in the run */
    PFC__MPI = 12,     /* perfcomp_mpi.h's; owner: enum pfc__mpi_extent */
    PFC__FREE = 13,    /* not in use any more (a stack that was outgrown) */
    PFC__INHERITED = 14 /* pfc__u64 a function: activations that a forked process took over; owner: unit id */
};

typedef struct pfc__extent {
    pfc__u32 magic;
    pfc__u32 kind;
    pfc__u64 bytes;      /* from this header to the next one */
    pfc__u32 data;       /* bytes from this header to the first element */
    pfc__u32 elem_bytes;
    pfc__u64 capacity;   /* elements */
    pfc__shared_u64 count; /* elements in use; an EVENTS ring: written so far, may exceed capacity */
    pfc__u32 owner;
    pfc__u32 first;
    pfc__u64 adding;     /* COUNTERS: enum pfc__adding */
    union {
        pfc__i64 fetch;  /* UNIT: what its functions take to find their thread's counters; ticks, fixed point */
        pfc__u64 summed; /* COUNTERS: place of their unit's table of that name in the profile; 0: none */
        pfc__u64 written; /* EVENTS, in a reader's copy: `count` when it had all of them */
    } of;
} pfc__extent_t;         /* 64 bytes */

typedef struct pfc__region {
    pfc__u64 name, file;      /* offsets of strings; 0: none */
    pfc__u32 line, kind;
    pfc__u32 spare[2];
} pfc__region_t;

#define PFC__FEW_CHILDREN 4

/* A call path: a region under its caller's path. Recursion is folded: a region
   that is entered below itself goes back to its older node, so that the tree is
   no deeper than the program has regions. Only exclusive sums are kept, and an
   inclusive one is the sum over the subtree: a child never exceeds its parent. */
typedef struct pfc__node {
    pfc__u64 timed, untimed;     /* entries: by the clock, and only counted (budget.c, context.c) */
    pfc__u64 nested;             /* of untimed: below an entry that was untimed as well, with whose time theirs lies */
    pfc__i64 exclusive;          /* Σ CT, ticks */
    pfc__i64 exclusive_delta;    /* Σ Δ, fixed point */
    pfc__i64 shortest, longest;  /* of one entry, inclusive, LT, ticks; INT64_MAX and INT64_MIN: none ended yet */
    pfc__u32 region;             /* 0: the thread's root */
    pfc__u32 due_in;             /* timed by sampling: 1: the next entry is timed, n: n − 1 more aren't; 0: every one is timed */
    struct pfc__node **child;    /* (process) cache of children, by their regions' low bits: `few`, or a larger one */
    struct pfc__node *few[PFC__FEW_CHILDREN];
    struct pfc__node *up;        /* (process) parent */
    unsigned short mask;         /* of those bits */
    unsigned short manner;       /* (process) bits of enum pfc__manner */
    pfc__u32 parent;             /* node id */
    pfc__u32 id;
    pfc__u32 sample;             /* where its pfc__sample_t is, in 64ths of bytes from the header; 0: has none */
} pfc__node_t;                   /* 128 bytes, two cache lines: for its entries, and for those of its children */

/* A path whose entries are timed by sampling: since then. */
typedef struct pfc__sample {
    pfc__u64 timed;              /* with what direct recursion had inside of these */
    double sum, sum_squares;     /* of the timed entries' exclusive LT, ticks */
    pfc__u64 stride;             /* mean distance of timed entries */
    pfc__u64 random;
    pfc__u32 node, spare;
    pfc__u64 inside;             /* (process) of the entry that is timed now */
} pfc__sample_t;

typedef struct pfc__frame {      /* an open region */
    struct pfc__node *node;      /* (process) */
    pfc__i64 begin;              /* ticks, or PFC__UNTIMED… */
    pfc__i64 delta;              /* the thread's Δ at begin */
    pfc__i64 child, child_delta; /* what the regions inside have taken of it */
    pfc__uptr sp;                /* stack pointer at enter: an older one at the next enter means longjmp */
    pfc__u64 depth;
} pfc__frame_t;                  /* 56 bytes */

/* A region that wasn't open at `depth` and below, when an end of it came: nor is it while the frame there is the same one. Where a
   clock of the program's own stands still, Δ tells them apart. */
typedef struct pfc__sought { pfc__u64 depth; pfc__i64 begin, delta; pfc__u32 region, spare; } pfc__sought_t;

/* What the enters of this stretch of the run do, as bits: see context.c. */
enum pfc__window { PFC__WINDOW_USUAL = 0, PFC__WINDOW_LIGHT = 1, PFC__WINDOW_DOUBLED = 2, PFC__WINDOW_KINDS = 4 };

/* What is known of a path's entries, as bits: only brief ones are left untimed in a light window; a mean wouldn't stand
   for uneven ones; folded ones came from further below. */
enum pfc__manner { PFC__MANNER_BRIEF = PFC__WINDOW_LIGHT, PFC__MANNER_UNEVEN = 4, PFC__MANNER_FOLDED = 8 };
#define PFC__REVIEW 256 /* after so many timed entries a path is looked at */

/* Begins of frames of which no time is taken. Theirs lies with the frame above; NESTED: which has none either, so further
   up; AGAIN: which is of the same path, so that it belongs there. */
#define PFC__UNTIMED (-(pfc__i64)0x7fffffffffffffff - 1)
#define PFC__UNTIMED_NESTED (PFC__UNTIMED + 1)
#define PFC__UNTIMED_AGAIN (PFC__UNTIMED + 2)
#define PFC__NOT_BEGUN (PFC__UNTIMED + 3) /* on its way: a signal handler may have left that by siglongjmp */
#define PFC__HAS_TIME(begin) ((begin) > PFC__NOT_BEGUN)

typedef struct pfc__thread {
    pfc__frame_t *top;           /* (process) innermost open region; the bottom frame is the root's */
    pfc__frame_t *limit;         /* (process) */
    pfc__i64 delta;              /* Δ, fixed point */
    pfc__i64 enter, enter_pre;   /* costs charged per operation, fixed point */
    pfc__i64 exit, exit_pre;
    pfc__i64 light;
    pfc__i64 brief;              /* ticks: paths that take longer than this on average are timed always */
    struct pfc__ring *ring;      /* (process) NULL: no trace */
    pfc__i64 enters_left;        /* until the next window of context.c */
    pfc__u32 window, exceptions; /* enum pfc__window; entries that are timed in a light one */
    pfc__frame_t *bottom;        /* (process) */
    pfc__i64 own;                /* time spent in slow paths, fixed point: part of Δ */
    pfc__i64 tick_begin, tick_end;
    pfc__u32 id, state;          /* enum pfc__state */
    pfc__i64 os_id;
    struct pfc__node *root;      /* (process) */
    struct pfc__table *table;    /* (process) children that the caches don't hold */
    pfc__u64 stack_low, stack_high; /* this thread's own stack; 0: unknown yet */
    pfc__u64 unwound, stray_ends, unclosed;
    pfc__u64 generations;        /* threads that have used this record, one after the other */
    struct pfc__node *overflow;  /* (process) takes the paths for which there was no memory */
    struct pfc__thread *next;    /* (process) */
    struct pfc__extent *nodes;   /* (process) the extent that new nodes come from */
    struct pfc__extent *slots;   /* (process) and the one for their larger caches */
    pfc__i64 hits_charged;       /* of Δ: the share of counted hits, which the counters tell too; fixed point */
    pfc__u64 hits_own, hits_shared; /* up to which it was taken: this thread's counters, or PFC__UNSEEN; the process's */
    pfc__i64 hits_due, hits_took; /* when it is taken next, and how long that took; ticks */
    struct pfc__child *child;    /* (process) how it was started, for who joins it */
    pfc__i64 met_delta, met_doubt, met_hits; /* Δ, its uncertainty, hits_charged when it last met another thread or rank; fixed
                                    point. What the clock has told of Δ since is in met_delta too */
    pfc__i64 met_change;         /* Σ what meetings have made of that uncertainty */
    double pair_doubt, hit_doubt; /* uncertainty of the costs charged, as a part of them */
    pfc__i64 met_gain;           /* Σ what meetings have made of Δ: delay of others, less what its own was hidden by waiting */
    pfc__i64 met_most;           /* the largest uncertainty of Δ that a meeting has left; fixed point */
    pfc__u32 first_unwound, first_stray_end, first_unclosed; /* regions; 0: none, or not known; since minor 13 */
    pfc__u32 waits_in;           /* (process) the depth of the region in which it waits */
    pfc__i64 earlier;            /* ticks: of the threads that have used this record before */
    pfc__i64 waits_since, waited; /* ticks: in calls that wait for others; this one's begin, and Σ of those before */
    pfc__i64 slept;              /* ticks that it neither ran nor was ready to, as the system told at its end; 0: not told; since minor 14 */
    pfc__i64 looked;             /* of Δ: what reading its own timers has taken; fixed point; since layout 2.2 */
    pfc__sought_t sought[4];     /* (process) by the low bits of the region; since layout 2.3 */
} pfc__thread_t;

#define PFC__UNSEEN (~(pfc__u64)0)
#define PFC__THREAD_LEAST offsetof(pfc__thread_t, hits_charged) /* of layout 1.0 */

/* SENT, RECEIVED: a message, known at both ends by its sender and when that sent it. COLLECTIVE (since minor 15): inside of the
   call's region, in which communicator it is, which has the same name on all of its ranks. Since minor 16: STARTED, behind a
   COLLECTIVE that goes on beside the program; COMPLETED: inside of the call that completes it, by any thread. Since layout 2.3:
   BEGUN, where another thread continues the record of one that has ended. */
enum pfc__event_kind {
    PFC__EVENT_ENTER = 1, PFC__EVENT_EXIT = 2, PFC__EVENT_SENT = 4, PFC__EVENT_RECEIVED = 5, PFC__EVENT_COLLECTIVE = 6,
    PFC__EVENT_STARTED = 7, PFC__EVENT_COMPLETED = 8, PFC__EVENT_BEGUN = 9
};

typedef struct pfc__event {
    pfc__i64 lt;                 /* ticks */
    pfc__u32 kind;
    pfc__u32 region;             /* COLLECTIVE: its call's; a persistent one's, where it was initialised */
    pfc__i64 sent;               /* from here on 0, but of messages: ns on the job's clock; differs between one sender's;
                                    COLLECTIVE: the communicator's name; 0: MPI_COMM_WORLD; STARTED, COMPLETED: its number
                                    in this process */
    pfc__u32 sender;             /* rank in MPI_COMM_WORLD; COLLECTIVE: the root's there, or PFC_NONE */
    int tag;                     /* RECEIVED; since minor 11. COLLECTIVE: this rank's there. ENTER, since minor 16: of so many
                                    calls that asked in vain, one after the other, until the EXIT; 0: of one that didn't */
    pfc__u64 bytes;              /* RECEIVED: of the user's data; COLLECTIVE: as in pfc__mpi_site_t */
    pfc__i64 communicator;       /* RECEIVED, since minor 17: its name, as of a collective's; 0: MPI_COMM_WORLD, or one without a
                                    name, as those with two sides */
    int source, rank;            /* the sender and this rank, there */
} pfc__event_t;

#define PFC__TRACE_MOST (1u << 24) /* events of a thread that may be asked for */
#define PFC__EVENT_LEAST offsetof(pfc__event_t, bytes) /* of layout 1.0 */

typedef struct pfc__ring {       /* in front of an EVENTS extent's elements */
    pfc__event_t *event;         /* (process) */
    pfc__u64 mask;
    pfc__shared_u64 *written;    /* (process) the extent's count */
} pfc__ring_t;

/* --------------------------------------------------------------- regions ---
   The hot path: what one enter and one exit do. Everything that isn't needed
   every time (first use, a new call path, longjmp, sampling, a trace) is
   behind one unlikely branch to a cold function, whose call is the last thing
   done: so the hot path needs no register that its caller wants kept, and
   neither saves nor restores any. */

PFC__EXTERN_C_BEGIN
extern PFC__TLS pfc__thread_t *pfc__self PFC__LINKED_AS("regions"); /* NULL: this thread has not been seen yet, or perfcomp is off */
PFC__COLD pfc__u64 pfc__enter_slowly(pfc__site_t *site, pfc__uptr sp);
PFC__COLD void pfc__exit_slowly(pfc__u64 depth);
PFC__COLD void pfc__exit_named_slowly(pfc__site_t *site);
PFC__COLD pfc__u64 pfc__enter_known(pfc__site_t *site, pfc__uptr sp);
PFC__COLD pfc__u64 pfc__frame_begin_slowly(pfc__thread_t *thread, pfc__frame_t *frame);
PFC__COLD pfc__u64 pfc__window_next(pfc__thread_t *thread, pfc__frame_t *frame);
__attribute__((cold)) PFC__CALLED pfc__u64 pfc__entered_doubled(pfc__thread_t *thread, pfc__frame_t *frame, int turned);
__attribute__((cold)) PFC__CALLED pfc__u64 pfc__counted_doubled(pfc__thread_t *thread);
PFC__COLD void pfc__window_lights(pfc__thread_t *thread, pfc__node_t *node);
PFC__COLD void pfc__count_inside(pfc__node_t *node);
PFC__COLD void pfc__exit_top_slowly(pfc__thread_t *thread, pfc__frame_t *frame);
PFC__COLD void pfc__frame_end_slowly(pfc__thread_t *thread, pfc__frame_t *frame, pfc__i64 now);
PFC__EXTERN_C_END

/* A signal handler may enter and leave regions between any two instructions:
   the frame belongs to us once `top` points at it, until `top` moves back. */
#define PFC__SIGNAL_FENCE() __asm__ __volatile__("" ::: "memory")

/* Virtual time, whose ticks are ns: what operations take of it, fixed point. Δ has it too, but with PERFCOMP_COMPENSATE=0. */
typedef struct pfc__virtual { pfc__i64 enter, exit, hit; } pfc__virtual_t;
PFC__EXTERN_C_BEGIN
extern pfc__virtual_t pfc__virtual;
PFC__EXTERN_C_END

/* A function of its own: the user's expression must not meet our local names. */
PFC__HOT void pfc__virtual_cost(pfc__i64 pfc__fixed_point)
{
#ifdef PERFCOMP_CHARGE
    pfc__clock_asked++;
    PERFCOMP_CHARGE((double)pfc__fixed_point / (1 << PFC__FRACTION));
    pfc__clock_asked--;
#else
    (void)pfc__fixed_point;
#endif
}

/* Another thread may register the site at this moment: any answer is right. */
PFC__HOT pfc__u32 pfc__site_id(const pfc__site_t *site)
{
    return __atomic_load_n(&site->id, __ATOMIC_RELAXED);
}

/* The path's entries aren't alike: it is timed always, as the mean of all stands for none of them. */
PFC__HOT void pfc__mark_uneven(pfc__node_t *n)
{
    n->manner = (unsigned short)((n->manner & ~PFC__MANNER_BRIEF) | PFC__MANNER_UNEVEN);
}

/* From further below its path than a call of itself: that frame isn't where an untimed entry's time is sought. */
PFC__HOT int pfc__is_folded(const pfc__frame_t *f)
{
    const pfc__node_t *node = f->node, *above = f[-1].node;
    return (node->manner & PFC__MANNER_FOLDED) && above != node->up && above != node;
}

/* Left to sampling by PERFCOMP_BUDGET, or in a window that is to show what timing costs. Where a path is sampled, a direct
   recursion goes with its outermost entry: those inside aren't alike, as the last one may do all the work, and one from
   among them would stand for others than are left untimed. */
PFC__HOT int pfc__is_untimed(pfc__thread_t *t, const pfc__frame_t *f)
{
    pfc__node_t *node = f->node;
    pfc__u32 due_in = node->due_in;
    if (due_in && f[-1].node == node) return 1;
    if (due_in > 1 && !pfc__is_folded(f)) return node->due_in = due_in - 1, 1;
    if (due_in <= 1 && t->window & node->manner && !pfc__is_folded(f)) return 1;
    t->exceptions++;
    return 0;
}

/* Where the time of an untimed entry lies: with the frame above, or where that frame's lies. */
PFC__HOT pfc__i64 pfc__untimed_in(const pfc__frame_t *above)
{
    if (PFC__LIKELY(above->begin >= PFC__UNTIMED_AGAIN)) return PFC__UNTIMED;
    return PFC__UNTIMED_NESTED;
}

/* The same where the frame above may be a direct recursion's. */
PFC__HOT pfc__i64 pfc__untimed_below(const pfc__frame_t *above, const pfc__node_t *node)
{
    if (PFC__UNLIKELY(above->node == node)) return PFC__HAS_TIME(above->begin) ? PFC__UNTIMED_AGAIN : above->begin;
    return pfc__untimed_in(above);
}

/* `turned`: its site was last entered on another path, so that it took the longer way here. */
PFC__HOT pfc__u64 pfc__entered_untimed(pfc__thread_t *t, pfc__frame_t *f, int turned)
{
    if (PFC__UNLIKELY(t->window & PFC__WINDOW_DOUBLED)) return pfc__entered_doubled(t, f, turned);
    return f->depth;
}

/* The next entry of this path from `site` takes pfc__enter_light. */
PFC__HOT void pfc__make_light(pfc__thread_t *t, pfc__site_t *site, pfc__node_t *node)
{
    __atomic_store_n(&site->light, node, __ATOMIC_RELEASE); /* other threads look at whose it is */
    if (PFC__UNLIKELY(!node->due_in)) pfc__window_lights(t, node);
}

/* The last step of every enter: Δ and the clock, behind all that was charged on the way. `site`: NULL where that
   doesn't matter. */
PFC__HOT pfc__u64 pfc__frame_begin(pfc__thread_t *t, pfc__frame_t *f, pfc__site_t *site)
{
    if (PFC__UNLIKELY((t->window | f->node->due_in) != 0) && pfc__is_untimed(t, f)) {
        f->begin = pfc__untimed_below(f - 1, f->node);
        if (site) pfc__make_light(t, site, f->node);
        return pfc__entered_untimed(t, f, 1);
    }
    f->delta = t->delta + t->enter_pre;
    t->delta += t->enter;
    pfc__virtual_cost(pfc__virtual.enter);
    if (PFC__UNLIKELY((t->ring != 0) | !pfc__clock_is_quick())) return pfc__frame_begin_slowly(t, f);
    f->begin = pfc__clock();
    return f->depth;
}

/* On top of `above`, as the first step. Its depth and an empty account of its
   children are there already: what lies above `top` always has them. A handler
   that comes before the frame is ours may use it up; one that comes just after
   finds a node in it in any case. */
PFC__HOT pfc__frame_t *pfc__frame_push(pfc__thread_t *t, pfc__frame_t *above, pfc__node_t *node, pfc__uptr sp)
{
    pfc__frame_t *f = above + 1;
    f->begin = PFC__NOT_BEGUN;
    f->node = node;
    PFC__SIGNAL_FENCE();
    t->top = f;
    PFC__SIGNAL_FENCE();
    f->node = node;
    f->sp = sp;
    return f;
}

/* Enters the path `node`, which lies below that of `above`, the innermost frame. */
PFC__HOT pfc__u64 pfc__frame_enter(pfc__thread_t *t, pfc__frame_t *above, pfc__node_t *node, pfc__site_t *site, pfc__uptr sp)
{
    pfc__frame_t *f = pfc__frame_push(t, above, node, sp);
    if (PFC__UNLIKELY(--t->enters_left <= 0)) return pfc__window_next(t, f);
    return pfc__frame_begin(t, f, site);
}

/* Whether `node`, which the site leaves untimed, is the path that is entered, and nothing else is to be done: no folded
   recursion, no longjmp, no room to be made, no window's end, and no entry that is to be timed. */
PFC__HOT int pfc__is_light(const pfc__thread_t *t, const pfc__frame_t *above, const pfc__node_t *node, pfc__uptr sp)
{
    return node->up == above->node && node->due_in > 1 && above->sp >= sp && above != t->limit && t->enters_left > 1;
}

/* Inside, nobody asks which region this is: its entry is counted, and its exit has nothing to do. */
PFC__HOT pfc__u64 pfc__count_light(pfc__thread_t *t, const pfc__frame_t *above, pfc__node_t *node)
{
    node->untimed++;
    if (PFC__UNLIKELY(above->begin < PFC__UNTIMED_AGAIN)) node->nested++;
    t->delta += t->light;
    if (PFC__UNLIKELY(t->window & PFC__WINDOW_DOUBLED)) return pfc__counted_doubled(t);
    return 0;
}

/* An untimed entry is to cost little: no window can show what it costs itself (context.c). */
PFC__HOT pfc__u64 pfc__enter_light(pfc__thread_t *t, const pfc__site_t *site, pfc__frame_t *above, pfc__node_t *node, pfc__uptr sp)
{
    pfc__frame_t *f;
    t->enters_left--;
    node->due_in--;
    if (site->leaf) return pfc__count_light(t, above, node);
    f = pfc__frame_push(t, above, node, sp);
    f->begin = pfc__untimed_in(above);
    return pfc__entered_untimed(t, f, 0);
}

PFC__HOT pfc__u64 pfc__enter_on(pfc__thread_t *t, pfc__site_t *site, pfc__uptr sp)
{
    pfc__u32 region = pfc__site_id(site);
    pfc__frame_t *above = t->top;
    pfc__node_t *node = __atomic_load_n(&site->light, __ATOMIC_ACQUIRE);
    if (PFC__UNLIKELY(node != 0) && pfc__is_light(t, above, node, sp)) return pfc__enter_light(t, site, above, node, sp);
    node = above->node->child[region & above->node->mask];
    if (PFC__UNLIKELY((above->sp < sp) | (above == t->limit))) return pfc__enter_slowly(site, sp);
    if (PFC__UNLIKELY(node->region != region)) return pfc__enter_known(site, sp);
    return pfc__frame_enter(t, above, node, site, sp);
}

PFC__HOT pfc__u64 pfc__enter_at(pfc__site_t *site, pfc__uptr sp)
{
    pfc__thread_t *t = pfc__self;
    if (PFC__UNLIKELY(t == 0)) return pfc__is_off() ? 0 : pfc__enter_slowly(site, sp);
    return pfc__enter_on(t, site, sp);
}

/* Two neighbours that were just stored one by one must not be loaded as one
   vector: the load would wait until both have reached the cache. */
#define PFC__ONE_BY_ONE(value) __asm__("" : "+r"(value))

/* Leaves the innermost region `f`, the last step. */
PFC__HOT void pfc__frame_end(pfc__thread_t *t, pfc__frame_t *f)
{
    t->delta += t->exit;
    f->child = 0;
    f->child_delta = 0;
    PFC__SIGNAL_FENCE();
    t->top = f - 1;
    pfc__virtual_cost(pfc__virtual.exit);
}

/* All of it, at the time `now`. Each value is used up before the next one is
   needed: so they all fit into registers that no caller wants kept. */
PFC__HOT void pfc__exit_frame(pfc__thread_t *t, pfc__frame_t *f, pfc__i64 now)
{
    pfc__node_t *node = f->node;
    pfc__frame_t *above = f - 1;
    pfc__i64 begin = f->begin, child = f->child;
    pfc__i64 ticks, delta, local;
    PFC__ONE_BY_ONE(begin);
    PFC__ONE_BY_ONE(child);
    ticks = now - begin;
    above->child += ticks;
    PFC__ONE_BY_ONE(ticks);
    node->exclusive += ticks - child;
    delta = t->delta + t->exit_pre - f->delta;
    PFC__ONE_BY_ONE(delta);
    above->child_delta += delta;
    node->exclusive_delta += delta - f->child_delta;
    local = ticks - (delta >> PFC__FRACTION);
    if (PFC__UNLIKELY(local < node->shortest)) node->shortest = local;
    if (PFC__UNLIKELY(local > node->longest)) node->longest = local;
    if (PFC__UNLIKELY(((++node->timed & (PFC__REVIEW - 1)) == 0) | (node->due_in != 0) | (t->ring != 0))) pfc__frame_end_slowly(t, f, now);
    else pfc__frame_end(t, f);
}

/* Leaves the innermost region, of which no time was taken: its part of the
   time stays with the frame above until the reader gives it back; in a direct
   recursion it is where it belongs. */
PFC__HOT void pfc__exit_untimed(pfc__thread_t *t, pfc__frame_t *f)
{
    pfc__frame_t *above = f - 1;
    pfc__node_t *node = f->node;
    pfc__i64 child = f->child, child_delta = f->child_delta;
    PFC__ONE_BY_ONE(child);
    PFC__ONE_BY_ONE(child_delta);
    if (PFC__UNLIKELY((child | child_delta) != 0)) {
        above->child += child;
        above->child_delta += child_delta;
        f->child = f->child_delta = 0;
    }
    if (PFC__LIKELY(f->begin == PFC__UNTIMED)) node->untimed++;
    else if (f->begin == PFC__UNTIMED_NESTED) node->untimed++, node->nested++;
    else {
        node->timed++;
        if (PFC__UNLIKELY(node->due_in == 1)) pfc__count_inside(node);
    }
    t->delta += t->light;
    PFC__SIGNAL_FENCE();
    t->top = above;
}

PFC__HOT void pfc__exit_top(pfc__thread_t *t, pfc__frame_t *f)
{
    if (PFC__UNLIKELY(!PFC__HAS_TIME(f->begin))) pfc__exit_untimed(t, f);
    else if (PFC__UNLIKELY(!pfc__clock_is_quick())) pfc__exit_top_slowly(t, f);
    else pfc__exit_frame(t, f, pfc__clock());
}

PFC__HOT void pfc__exit_on(pfc__thread_t *t, pfc__u64 depth)
{
    pfc__frame_t *f = t->top;
    if (PFC__UNLIKELY(f->depth != depth)) {
        pfc__exit_slowly(depth);
        return;
    }
    pfc__exit_top(t, f);
}

PFC__HOT void pfc__exit_at(pfc__u64 depth)
{
    pfc__thread_t *t = pfc__self;
    if (PFC__UNLIKELY(t == 0)) return;
    pfc__exit_on(t, depth);
}

PFC__HOT pfc__token_t pfc__enter(pfc__site_t *site)
{
    pfc__token_t token;
    token.depth = pfc__enter_at(site, pfc__stack_pointer());
    return token;
}

/* The clock at which the region `token` began, which was just entered: from
   there on the caller charges the time as it passes, up to pfc__leave_at, so
   that what an empty region holds needn't be. Now, where no time was taken. */
PFC__HOT pfc__i64 pfc__entered_at(const pfc__token_t *token)
{
    pfc__thread_t *t = pfc__self;
    if (PFC__UNLIKELY(!t || !token->depth || t->top->depth != token->depth || !PFC__HAS_TIME(t->top->begin))) return pfc__clock();
    t->delta -= t->enter - t->enter_pre + t->exit_pre;
    return t->top->begin;
}

/* The region ends at the clock `now`. */
PFC__HOT void pfc__leave_at(const pfc__token_t *token, pfc__i64 now)
{
    pfc__thread_t *t = pfc__self;
    pfc__frame_t *f;
    if (PFC__UNLIKELY(t == 0)) return;
    f = t->top;
    if (PFC__UNLIKELY(f->depth != token->depth)) pfc__exit_slowly(token->depth);
    else if (PFC__UNLIKELY(!PFC__HAS_TIME(f->begin))) pfc__exit_untimed(t, f);
    else pfc__exit_frame(t, f, now);
}

/* For __attribute__((cleanup)): the region ends however the block is left. */
PFC__HOT void pfc__leave(pfc__token_t *token)
{
    if (PFC__LIKELY(token->depth != 0)) pfc__exit_at(token->depth);
}

/* PFC_BEGIN may stand in another function than its PFC_END: no stack position. */
PFC__HOT void pfc__begin(pfc__site_t *site)
{
    if (PFC__LIKELY(pfc__enter_at(site, 0) != 0)) pfc__self->top->sp = ~(pfc__uptr)0;
}

PFC__HOT void pfc__end(pfc__site_t *site)
{
    pfc__thread_t *t = pfc__self;
    pfc__frame_t *f;
    if (PFC__UNLIKELY(t == 0)) { /* a thread may begin with an end: of what another one has begun */
        if (!pfc__is_off()) pfc__exit_named_slowly(site);
        return;
    }
    f = t->top;
    if (PFC__UNLIKELY(f->node->region != pfc__site_id(site))) {
        pfc__exit_named_slowly(site);
        return;
    }
    pfc__exit_top(t, f);
}

/* PFC_BLOCK: the token, and the one turn of its loop. */
typedef struct pfc__once { pfc__token_t token; int turns; } pfc__once_t;

PFC__HOT pfc__once_t pfc__once_enter(pfc__site_t *site)
{
    pfc__once_t once;
    once.turns = 1;
    once.token = pfc__enter(site);
    return once;
}

PFC__HOT void pfc__once_leave(pfc__once_t *once)
{
    pfc__leave(&once->token);
}

/* ---------------------------------------------------------------- timers ---
   The internal door through which perfcomp_mpi.h enters: read the timers, set
   Δ and its uncertainty, charge overhead. Δ is kept in ticks with PFC__FRACTION
   binary places, so that a million roundings don't add up to a bias. */

PFC__EXTERN_C_BEGIN
/* 0: Δ stays 0, LT = CT (PERFCOMP_COMPENSATE=0). */
extern int pfc__compensates;
/* This thread's state; NULL when perfcomp is off. Registers the thread at first use. */
PFC__COLD pfc__thread_t *pfc__thread_get(void);
/* The time since `tick_begin` was ours: it becomes part of this thread's Δ. */
PFC__COLD void pfc__charge_slow(pfc__i64 tick_begin);
PFC__COLD void pfc__charge_start(pfc__i64 tick_begin); /* and a part of what beginning takes */
/* The share of Δ of the hits since the last time: it was so before the innermost region, which began at `begin`.
   Returns when it begins now: later in virtual time, where hits take their time at this moment. */
PFC__COLD pfc__i64 pfc__hits_charge(pfc__i64 begin);
/* Ticks to ns since the clock's zero, and the length of a span. */
PFC__COLD pfc__i64 pfc__ns_of_tick(pfc__i64 tick);
PFC__COLD pfc__i64 pfc__ns_of_span(pfc__i64 ticks);
PFC__COLD double pfc__ticks_per_ns(void);
/* That again: the longer since the start, the better. At MPI_Init, and at the end of the run. */
PFC__COLD void pfc__clock_measure_rate(void);
/* What operations cost, in ticks. The MPI layer fills in its own when it has measured it. */
PFC__COLD pfc__cost_t *pfc__costs(void);
#if defined PERFCOMP_SMPI
PFC__COLD void pfc__virtual_begins(void); /* from here on probes cost something: MPI_Init was called */
#endif
/* The ends of a message, in this thread's trace, which it has; see profile. By what the first returns the message is known. */
PFC__COLD pfc__i64 pfc__event_sent(pfc__i64 sent, pfc__u32 sender);
typedef struct pfc__came { pfc__i64 sent; pfc__u32 sender; int tag; pfc__i64 bytes, communicator; int source, rank; } pfc__came_t;
PFC__COLD void pfc__event_received(const pfc__came_t *came);
/* There, too, a collective; one that goes on beside the program has a number, by which it is completed. */
typedef struct pfc__meets { pfc__i64 communicator; pfc__u32 region, root; int rank; pfc__i64 bytes; } pfc__meets_t;
PFC__COLD void pfc__event_collective(const pfc__meets_t *m);
PFC__COLD pfc__i64 pfc__event_started(void);
PFC__COLD void pfc__event_completed(pfc__i64 number);
/* The call that we are in has asked in vain: with those before it, it is one. */
PFC__COLD void pfc__event_in_vain(void);
/* Whether this thread's innermost region is of that kind. */
PFC__COLD int pfc__is_amid(pfc__u32 kind);
/* Zeroed memory inside the profile, or NULL when there is no room. */
PFC__COLD void *pfc__extent_add(pfc__u32 kind, pfc__u32 elem_bytes, pfc__u64 capacity, pfc__u32 owner);
/* What the launcher says before MPI_Init: 0 where it says nothing. */
PFC__COLD int pfc__rank_of_launcher(void);
/* The process has found out its rank: the profile becomes perfcomp.<rank>.pfc. */
PFC__COLD void pfc__identity(int rank, int size);
/* Its file's name; "": it is in memory only. */
PFC__COLD const char *pfc__profile_file_name(void);
/* Where in that file something of the profile's stands; 0: it is in memory only. */
PFC__COLD pfc__u64 pfc__profile_offset(const void *part);
/* Where another copy of perfcomp records this process already, ours ends without a trace. 1: it did. */
PFC__COLD int pfc__profile_yield(void);
/* Ends the profile, and gives a copy as a file would hold it, to be freed; NULL: there is none, or no memory. */
PFC__COLD void *pfc__profile_finish(pfc__u64 *bytes);
PFC__COLD void pfc__profile_remove(void);
/* perfcomp.pfc, a file for all profiles of a job: room for so many bytes, under a name that isn't its own yet
   (`path`, PATH_MAX bytes); then its name, or, after an error, its end. 0, or an errno. */
PFC__COLD int pfc__job_file_create(char *path, pfc__u64 bytes);
PFC__COLD int pfc__job_file_settle(int error);
/* Whether RLIMIT_FSIZE lets this process write so far. */
PFC__COLD int pfc__fits_file_limit(size_t bytes);
/* An environment variable; NULL: it isn't set. */
PFC__COLD const char *pfc__environment(const char *name);
/* A number in one, with a point in whatever locale; `end`: what follows, or `text` where there is none. */
PFC__COLD double pfc__number(const char *text, const char **end);
/* What it says: on or off. */
PFC__COLD int pfc__switch(const char *name, int otherwise);
/* A pthread_mutex_t of ours, by the library's own functions, also where the program's calls of them are wrapped. */
PFC__COLD void pfc__mutex_lock(void *mutex);
PFC__COLD void pfc__mutex_unlock(void *mutex);
/* A line for the user: once on stderr, and kept in the profile. */
PFC__COLD void pfc__note(const char *format, ...) __attribute__((format(printf, 1, 2)));
PFC__COLD void pfc__note_setting(const char *format, ...) __attribute__((format(printf, 1, 2))); /* that is wrong: once a job */
PFC__COLD void pfc__note_keep(const char *format, ...) __attribute__((format(printf, 1, 2))); /* in the profile alone */
PFC__EXTERN_C_END

PFC__HOT pfc__i64 pfc__delta_get(void)
{
    return pfc__self ? pfc__self->delta : 0;
}

/* Whether it is time for pfc__hits_charge. */
PFC__HOT int pfc__hits_are_due(pfc__i64 tick)
{
    return pfc__self && tick >= pfc__self->hits_due;
}

/* If so. Returns when the innermost region begins now. */
PFC__HOT pfc__i64 pfc__hits_charge_due(pfc__i64 tick)
{
    return PFC__UNLIKELY(pfc__hits_are_due(tick)) ? pfc__hits_charge(tick) : tick;
}

/* So much of the time was ours: the clock has told, without a doubt. */
PFC__HOT void pfc__delta_charge(pfc__thread_t *t, pfc__i64 ticks)
{
    if (PFC__UNLIKELY(!pfc__compensates)) return;
    t->delta += ticks * (1 << PFC__FRACTION);
    t->met_delta += ticks * (1 << PFC__FRACTION);
}

/* How far Δ may be off: as far as when the thread last met another one, and what its own probes and hits have brought since. */
PFC__HOT pfc__i64 pfc__delta_doubt(const pfc__thread_t *t)
{
    double hits = (double)(t->hits_charged - t->met_hits), probes = (double)(t->delta - t->met_delta) - hits;
    return t->met_doubt + (pfc__i64)(t->pair_doubt * __builtin_fabs(probes) + t->hit_doubt * __builtin_fabs(hits));
}

/* The thread's Δ is another one's from here on. */
PFC__HOT void pfc__delta_take(pfc__thread_t *t, pfc__i64 delta, pfc__i64 doubt)
{
    if (PFC__UNLIKELY(!pfc__compensates)) return;
    t->met_gain += delta - t->delta;
    t->met_change += doubt - pfc__delta_doubt(t);
    t->met_doubt = doubt;
    if (doubt > t->met_most) t->met_most = doubt;
    t->met_delta = t->delta = delta;
    t->met_hits = t->hits_charged;
}

/* ------------------------------------------------------------------ hits ---
   PFC_HIT by hand. In C each file has an array of its own, indexed by
   __COUNTER__, and each hit leaves a description in a linker section that is
   read at start-up: the hit itself is one addition. C++ can't place statics of
   inline functions and templates in a section, and other object formats have
   no such section: there a hit finds its counter at its first pass. */

typedef struct pfc__hit {
    unsigned long long *array;
    pfc__u64 index;
    const char *name, *file, *function; /* the one that it stands in */
    pfc__u32 line, adding;              /* enum pfc__adding */
} pfc__hit_t;

typedef struct pfc__late_hit {
    unsigned long long *counter;
    const char *name, *file, *function;
    pfc__u32 line, adding;
} pfc__late_hit_t;

PFC__EXTERN_C_BEGIN
PFC__COLD void pfc__hits_register(const pfc__hit_t *begin, const pfc__hit_t *end) PFC__LINKED_AS("hits");
PFC__COLD void pfc__hits_unregister(const pfc__hit_t *begin, const pfc__hit_t *end);
PFC__COLD unsigned long long *pfc__hit_register(pfc__late_hit_t *hit) PFC__LINKED_AS("late_hits");
PFC__COLD void pfc__virtual_hit(void);
PFC__EXTERN_C_END

#if !defined PERFCOMP_DISABLE
#if defined PERFCOMP_THREADS
#  define PFC__ADD(counter) ((void)__atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED))
#  define PFC__ATOMIC PFC__ADDED_ATOMICALLY
#else
#  define PFC__ADD(counter) ((void)++(counter))
#  define PFC__ATOMIC 0
#endif

/* Virtual time: a hit takes its own at once, as all operations do. In a simulator that would take long: there it is taken
   for many together, by calls of MPI, and at the end. */
#if defined PERFCOMP_CHARGE && !defined PERFCOMP_SMPI
#  define PFC__ADDING (PFC__ATOMIC | PFC__ADDED_AND_CHARGED)
#  define PFC__COUNT(counter) (PFC__ADD(counter), pfc__virtual_hit())
#else
#  define PFC__ADDING PFC__ATOMIC
#  define PFC__COUNT(counter) PFC__ADD(counter)
#endif

#if defined __ELF__ && !defined __cplusplus

static unsigned long long pfc__hits[(PERFCOMP_HITS + PFC__PAGE / 8 - 1) / (PFC__PAGE / 8) * (PFC__PAGE / 8)]
    __attribute__((aligned(PFC__PAGE), unused));
enum { pfc__hits_before = __COUNTER__ + 1 };

/* The linker's --gc-sections would drop what only the section's ends lead to: lld does. */
#if defined __has_attribute
#  if __has_attribute(retain)
#    define PFC__LISTED __attribute__((section("pfc_hits"), used, retain, aligned(8)))
#  endif
#endif
#if !defined PFC__LISTED
#  define PFC__LISTED __attribute__((section("pfc_hits"), used, aligned(8)))
#endif

#define PFC__HIT_AT(name, number) \
    do { \
        __extension__ _Static_assert((number) - pfc__hits_before < PERFCOMP_HITS, \
                                     "perfcomp: more hits in this file than PERFCOMP_HITS: define it larger before the include"); \
        static const pfc__hit_t pfc__hit PFC__LISTED = { \
            pfc__hits, (number) - pfc__hits_before, name, __FILE__, PFC__THIS_FUNCTION, __LINE__, PFC__ADDING \
        }; \
        PFC__COUNT(pfc__hits[(number) - pfc__hits_before]); \
    } while (0)

/* Each library has a section of its own, and finds no other one's: hidden. As gcc doesn't hide what is weak, the section is
   there in every file, if only with this. */
static const pfc__hit_t pfc__hits_none PFC__LISTED = { 0, 0, "", "", "", 0, 0 };
extern const pfc__hit_t pfc__hits_begin[] __asm__("__start_pfc_hits") __attribute__((visibility("hidden")));
extern const pfc__hit_t pfc__hits_end[] __asm__("__stop_pfc_hits") __attribute__((visibility("hidden")));

/* Every file of a library or program brings this; the second and later calls find nothing new. */
static __attribute__((constructor, unused)) PFC__QUIET void pfc__hits_start(void)
{
    pfc__hits_register(pfc__hits_begin, pfc__hits_end);
}

static __attribute__((destructor(101), unused)) PFC__QUIET void pfc__hits_stop(void)
{
    pfc__hits_unregister(pfc__hits_begin, pfc__hits_end);
}

#else

#define PFC__HIT_AT(name, number) \
    do { \
        static pfc__late_hit_t pfc__hit = { PFC__NULL, name, __FILE__, PFC__THIS_FUNCTION, __LINE__, PFC__ADDING }; \
        unsigned long long *pfc__counter = __atomic_load_n(&pfc__hit.counter, __ATOMIC_ACQUIRE); \
        if (PFC__UNLIKELY(!pfc__counter)) pfc__counter = pfc__hit_register(&pfc__hit); \
        PFC__COUNT(*pfc__counter); \
    } while (0)

#endif
#endif

/* ---------------------------------------------------------------- reader ---
   For those who build tools: read a profile file, of a program that has ended,
   has died, or is still running (then it is a snapshot: read again to see
   more). The program is not disturbed. Any input is survived: what isn't a
   sound profile is refused with one line that names the file and the mend.
   A tool compiles the implementation in one C file, as a program does; it
   leaves no profile unless it has probes.

       char why[PFC_WHY];
       pfc_profile_t *p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
       if (!p) { fprintf(stderr, "%s\n", why); return 1; }
       for (size_t i = 0; i < p->regions; i++) …p->region[i]…
       pfc_profile_close(p);

   Times are in ns. `lt ± u` is what the uninstrumented program would have
   taken; sums are signed: noise around zero shows as noise around zero.

   Any thread may read any profile; only none that another one closes, or forgets
   the blocks of, meanwhile. All that hangs on a profile is its own, until it is closed. */

#define PFC_WHY 512 /* room for one message */

/* A length of time. Lengths are added by pfc_time_add: the error of a cost is
   the same in all of them and adds up with its sign, chance adds in quadrature. */
enum { PFC_ERROR_PAIR, PFC_ERROR_INSIDE, PFC_ERROR_LIGHT, PFC_ERROR_HIT, PFC_ERROR_WAIT, PFC_ERRORS };
typedef struct pfc_time {
    double ct;                   /* as measured */
    double lt;                   /* undisturbed */
    double u;                    /* half the width of lt's 95 % interval */
    double error[PFC_ERRORS];    /* what the uncertainty of each cost makes of lt, signed */
    double variance;             /* of what was sampled */
} pfc_time_t;

typedef struct pfc_stats {
    uint64_t count;              /* entries */
    uint64_t open;               /* of them: not left yet */
    uint64_t untimed;            /* of them: left untimed by PERFCOMP_BUDGET or to learn what timing costs; their time is estimated */
    pfc_time_t inclusive, exclusive;
    double shortest, longest;    /* LT of one entry, inclusive; longest < shortest: none. Of one that recursion has folded, what is
                                    inside may be the older node's, and longest more than all of inclusive */
    double hits;                 /* counter hits that were charged to it */
} pfc_stats_t;

typedef struct pfc_region_info {
    const char *name, *file;     /* file: "" when there is none */
    uint32_t line, kind;         /* enum pfc__region_kind; 0: outside of all regions. One is for what finds no room, if anything does */
    pfc_stats_t stats;           /* over all paths and threads */
} pfc_region_info_t;

#define PFC_NONE UINT32_MAX

/* A call path. A parent's index is below its children's. */
typedef struct pfc_path_info {
    uint32_t region, parent;     /* indices; a thread's root has no parent: PFC_NONE */
    uint32_t thread, depth;
    pfc_stats_t stats;
} pfc_path_info_t;

typedef struct pfc_thread_info {
    uint32_t id;
    int64_t os_id;
    int ended;                   /* before its profile did: the main thread seldom has */
    double begin, end;           /* ns since the program's start, CT */
    double end_lt;               /* where its trace ends: `end` on the events' clock */
    pfc_time_t total;
    uint32_t root;               /* path */
    uint32_t now;                /* path of its innermost open region, at the end of the profile; PFC_NONE: it has ended, or was just moving */
    double since;                /* when that was entered, ns since the program's start, CT; below zero: untimed, not known */
    int waits;                   /* for another thread, as at a join, a lock or a barrier */
    int sleeps;                  /* it runs on this host, and the kernel has put it to sleep: it waits, for whatever that is, or is stopped */
    uint64_t events, events_lost; /* of the trace: kept; overwritten by later ones */
    size_t ring;                 /* the reader's own */
} pfc_thread_info_t;

/* Frequencies. low == high: exact. Otherwise activations were in flight, at
   the end or at a fork, or left by longjmp or exit, and all that is sure is
   the interval. high == UINT64_MAX: the counts contradict each other, nothing
   is known. */
typedef struct pfc_block_info {
    uint64_t low, high;
    uint32_t function, file;     /* indices into the profile's functions; into its source files */
    uint32_t line, line_end, column;
    uint32_t kind;               /* enum pfc__block_kind */
    uint32_t counted;            /* 1: it has a counter of its own; 0: completed by flow conservation */
    uint32_t amid;               /* 1: code of another block stands before it in its line */
} pfc_block_info_t;

typedef struct pfc_function_info {
    const char *name;
    const char *holder;          /* of a PFC_HIT, whose name this is: the function that it stands in; NULL: it is a function */
    uint32_t unit, file, line, line_end, flags; /* PFC__TIMED … */
    uint32_t region;             /* where its time is, or its holder's; PFC_NONE: nowhere */
    uint64_t hits;
} pfc_function_info_t;

typedef struct pfc_source_info { const char *name; uint32_t unit; } pfc_source_info_t;

/* Lines inside functions that hold no code: blank ones, comments, single braces, what the preprocessor has left out. */
typedef struct pfc_gap_info { uint32_t file, line, line_end; } pfc_gap_info_t;

typedef struct pfc_unit_info {
    const char *name, *directory, *compiler;
    uint32_t file, files, function, functions; /* first, number */
    uint64_t block, blocks, counters, hits, gap, gaps;
    const char *trouble;         /* why its blocks could not be completed; "" */
} pfc_unit_info_t;

/* What PFC_HIT has counted; of one place in several units: together. */
typedef struct pfc_counter_info {
    const char *name, *file;
    const char *function;        /* that it stands in; NULL: not known, as in profiles of before */
    uint32_t line;
    uint64_t count;
} pfc_counter_info_t;

typedef struct pfc_event_info {
    double lt;                   /* ns since the program's start; noise: it may lie a little before the last one's. Of what isn't
                                    ENTER or EXIT it may be far off, as Δ isn't settled before its call's EXIT */
    uint32_t kind, region;       /* enum pfc__event_kind; index, or PFC_NONE. BEGUN: what follows is another thread's, which began when
                                    the one before had ended; undisturbed it may have been before that */
    int64_t sent;                /* of a message, known by when its sender sent it, ns on the job's clock, … */
    uint32_t sender;             /* … and that's rank in MPI_COMM_WORLD: the same at both ends */
    int32_t tag;                 /* of one that was received */
    uint64_t bytes;              /* and its data's length */
                                 /* COLLECTIVE: the communicator's name in the job, 0: MPI_COMM_WORLD; its root, or PFC_NONE, and
                                    this rank, both by their ranks there; and what this rank gave, as in pfc_mpi_calls_t */
    int64_t communicator;        /* of a message: its name in the job; 0: MPI_COMM_WORLD, or not known */
    int32_t source, rank;        /* the sender and this rank, there; of MPI_COMM_WORLD nothing */
} pfc_event_info_t;

typedef enum pfc_run { PFC_RUNNING, PFC_ENDED, PFC_DIED, PFC_ELSEWHERE /* not ended, on another host or in a container */ } pfc_run_t;

typedef struct pfc_profile {
    const char *file;
    pfc_run_t run;
    int left;                    /* PFC_DIED: 1: by _exit or the like, 2: it became another program, 0: unknown, as by a signal */
    uint32_t rank, size, threads, units, functions, sources, clock_kind;
    int64_t pid, parent_pid;
    int forked, compensated;
    const char *host, *command, *directory, *executable, *compiler, *version, *clock, *clock_reason;
    int64_t begin_utc_ns, last_utc_ns; /* start, and last sign of life */
    double ticks_per_ns, budget;
    double scale, scale_doubt;   /* PERFCOMP_SCALE, of which `cost` has had its share; 0: none */
    double start_ns;             /* what calibrating and beginning the profile, and MPI's layer, took, within the total; of several processes the sum */
    double stop_ns;              /* what writing the profile at the end took, behind the total */
    pfc__cost_t cost;            /* in ns */
    uint64_t lost_regions, lost_paths, lost_units, lost_threads, strays, unsaved, stray_ends, unclosed, unwound;
    uint32_t first_stray_end, first_unclosed, first_unwound; /* regions; 0: none, or not known */
    int clock_fell;              /* the program's own clock (PERFCOMP_CLOCK) went so far back that times come out below zero */
    pfc_time_t total;            /* the first thread, from start to end: the run */
    pfc_time_t sum;              /* over all threads */
    double fork_delta;           /* ns: by how much later than undisturbed it was forked; 0 where it wasn't, or that isn't known */
    double delay_in;             /* of its ct − lt: delay of other threads and ranks, by waiting for them; below zero: own
                                    delay that a wait has hidden. The rest is instrumentation */
    double slept;                /* ns that threads slept in calls of which nobody knows whom they wait for (a pipe, input): as far as
                                    that was one another, their probes are in lt, and u holds it. 0 where there is one thread */
    uint64_t pairs, untimed, hits; /* operations: timed enters and exits, untimed ones, counted blocks */
    uint64_t atomic_hits;        /* of hits: by PFC_HIT with PERFCOMP_THREADS, */
    double atomic_hit, atomic_hit_spread; /* which cost so much; ns */
    uint64_t summed_hits;        /* of hits: that the compiler is likely to count in a register, or to add up behind their loops, for next to nothing */
    double fetches, fetch, fetch_spread; /* entries that had to find their thread's counters, and what that cost each; ns */
    uint64_t hits_spread;        /* of hits: in functions that aren't regions, shared out by time */
    size_t regions, paths, blocks, gaps, counters, notes;
    pfc_region_info_t *region;
    pfc_path_info_t *path;
    pfc_thread_info_t *thread;
    pfc_unit_info_t *unit;
    pfc_function_info_t *function;
    pfc_source_info_t *source;
    pfc_block_info_t *block;
    pfc_gap_info_t *gap;
    pfc_counter_info_t *counter; /* by file, name and line */
    const char **note;           /* what the program noted, and what the reader found */
    uint32_t *noted;             /* merged: by how many processes; otherwise NULL */
    int collected;               /* 1: it came from a file with those of several processes */
    int until_finalize;          /* 1: it ends at MPI_Finalize: what the process did after it isn't in here */
    struct pfc_mpi *mpi;         /* what perfcomp_mpi.h recorded: see below; NULL: nothing */
    struct pfc__image *image;
} pfc_profile_t;

PFC__EXTERN_C_BEGIN
/* NULL: refused, and `why` says why; so is a merged file, even of one profile: pfc_profile_open_one opens both kinds. */
pfc_profile_t *pfc_profile_open(const char *file, char *why, size_t why_bytes);
void pfc_profile_close(pfc_profile_t *profile); /* NULL: nothing */
/* Gives back the memory for what is known of blocks and lines, most of what a large program's profile takes: of thousands of
   ranks there may not be room for all. Afterwards it has none, and can't be written by pfc_profiles_write; functions, regions,
   paths, named counters and MPI calls stay as they are. */
void pfc_profile_forget_blocks(pfc_profile_t *profile);
/* One profile out of several: regions and paths of equal names are summed, in one tree for all threads, and what PFC_HIT has
   counted. `total` is the longest run's; what describes a run (command, host, clock, cost …) is the first one's. Units, blocks,
   events and MPI calls stay with the profiles, and these must stay open. NULL: there is none, or no memory. */
pfc_profile_t *pfc_profile_merge(const pfc_profile_t *const *profiles, size_t n);
/* A trace's event, oldest first; 0: there is no such one. */
int pfc_profile_event(const pfc_profile_t *profile, uint32_t thread, uint64_t index, pfc_event_info_t *event);
void pfc_time_add(pfc_time_t *sum, const pfc_time_t *part);
/* What has come to a time since an earlier look at it. */
void pfc_time_since(pfc_time_t *time, const pfc_time_t *earlier);
/* Of regions of two profiles: 0: they are one, as they are called the same, functions in the same file; otherwise which comes first. */
int pfc_region_order(const pfc_region_info_t *a, const pfc_region_info_t *b);
PFC__EXTERN_C_END

/* ------------------------------------------------------------ collection ---
   The profiles of a job in one file, as `perfcomp merge` and PERFCOMP_MPI_MERGE
   make it: this header, the profiles byte by byte, each at a multiple of
   PFC__COLLECTION_PAGE, and behind them the index, one entry a profile. A file
   that is shorter than its header says was cut off; header and entries have
   checksums of their own, and an entry has one of its profile. */

#define PFC__COLLECTION_MAGIC "PFCMERGE"
#define PFC__COLLECTION_MAJOR 1 /* as in a profile: a reader refuses another one, … */
#define PFC__COLLECTION_MINOR 0 /* … and accepts any: fields are only appended */
#define PFC__COLLECTION_PAGE 4096u

typedef struct pfc__collection {
    char magic[8];
    pfc__u32 byte_order;
    pfc__u32 major, minor;
    pfc__u32 entry_bytes;    /* sizeof(pfc__collection_entry_t) of the writer */
    pfc__u64 profiles;
    pfc__u64 index;          /* where it begins */
    pfc__u64 bytes;          /* of the file */
    pfc__u64 checksum;       /* of the fields above */
} pfc__collection_t;

typedef struct pfc__collection_entry {
    pfc__u64 at, bytes;      /* of the profile */
    pfc__u64 checksum;       /* of all of these bytes */
    char name[64];           /* its file's, without folders; of several that have it, the second's is perfcomp.0.pfc.2 */
    pfc__u64 entry_checksum; /* of the fields above */
} pfc__collection_entry_t;

PFC__EXTERN_C_BEGIN
/* How many profiles a file holds: as many as were merged into it; of any other file that can be read 1, and whether that is a
   profile pfc_profile_open_one finds out; 0: refused, and `why` says why. */
size_t pfc_profiles_in(const char *file, char *why, size_t why_bytes);
/* One of them, counted from 0; of a profile that was never merged, 0. */
pfc_profile_t *pfc_profile_open_one(const char *file, size_t index, char *why, size_t why_bytes);
/* Writes these profiles, one at least, into one file. 0: it can't be done, and `why` says why. */
int pfc_profiles_write(const char *file, const pfc_profile_t *const *profiles, size_t n, char *why, size_t why_bytes);

/* For perfcomp_mpi.h, which writes the same with MPI-IO. Room that a profile takes; the header of so many
   whose index begins there; the entry of one, whose place is filled in already. */
PFC__COLD pfc__u64 pfc__collection_room(pfc__u64 bytes);
PFC__COLD pfc__collection_t pfc__collection_of(pfc__u64 profiles, pfc__u64 index);
PFC__COLD void pfc__collection_entry_seal(pfc__collection_entry_t *entry, const void *profile, const char *name);
PFC__EXTERN_C_END

/* ---------------------------------------------------------- layout (MPI) ---
   What perfcomp_mpi.h adds to the profile: PFC__MPI extents; an extent's
   `owner` tells which of these it is. Times are ns on the job's common clock.
   It stands here, in perfcomp.h, because reading it needs no MPI. */

enum pfc__mpi_extent { PFC__MPI_JOB = 1, PFC__MPI_SITES = 2, PFC__MPI_PEERS = 3, PFC__MPI_ORDER = 4, PFC__MPI_AT = 5 };

enum { PFC__MPI_NAME = 40, PFC__MPI_PLACE = 88 };

/* This process in its job; one element. */
typedef struct pfc__mpi_job {
    pfc__u32 rank, size;
    pfc__i64 begin_ct;           /* MPI_Init has ended, on every rank */
    pfc__i64 end_ct, end_lt;     /* MPI_Finalize has begun; lt: the uninstrumented program's; 0: not yet */
    pfc__i64 end_u;
    pfc__i64 clock_u;            /* how far this rank's clock may be from the common one */
    pfc__i64 eager_bytes;        /* longest message that doesn't wait for its receiver */
    pfc__u64 unacknowledged;     /* sends whose receiver's post was never learnt (R4) */
    pfc__u64 uncovered;          /* calls that took part in no rule */
    char library[PFC__MPI_PLACE];
    pfc__i64 clock_strayed;      /* how far it was, when they were compared at MPI_Finalize; 0: they are one */
    pfc__i64 begin_tick;         /* begin_ct on the clock of the profile's header; 0: not known */
    pfc__u64 world;              /* of its MPI_COMM_WORLD's ranks and no others: a job spawns others; 0: not known */
    pfc__u64 tried;              /* since minor 17: so many kinds of collectives were tried out (see PERFCOMP_MPI_TRIALS), */
    pfc__i64 tried_ns;           /* and for so long; CT */
} pfc__mpi_job_t;
#define PFC__MPI_JOB_LEAST offsetof(pfc__mpi_job_t, begin_tick)

/* How a call takes part in §3. README's table of calls has these words. */
enum pfc__mpi_rule {
    PFC__RULE_NONE,      /* none: passed on; its time counts as the program's, and `perfcomp report` names it */
    PFC__RULE_LOCAL,     /* local: depends on no other rank */
    PFC__RULE_SEND,      /* R3, R4: may wait for its receiver */
    PFC__RULE_RECEIVE,   /* R1, R2: waits for its sender */
    PFC__RULE_COMPLETE,  /* R5, R11: ends when what was begun before has ended, by the rule of each */
    PFC__RULE_PROBE,     /* as found: its wait is settled by the receive that follows, or the completion */
    PFC__RULE_ALL,       /* R6: ends when the last rank has come; of Alltoallv and w, Allgatherv and Reduce_scatter, the last of those that have a part in it for this rank, where the library is so */
    PFC__RULE_FROM_ROOT, /* R7: waits for the root, or for those that hand on from it; with long data, for those to whom it hands on, too */
    PFC__RULE_TO_ROOT,   /* R8: the root waits for all, others for those that hand on to them; with long data, for those to whom they hand on, too */
    PFC__RULE_PREFIX,    /* R9: waits for the ranks before, in some libraries for later ones, too */
    PFC__RULE_NEIGHBOUR, /* R10: waits for the neighbours that send to it; that those were late to whom it sends long data isn't known, and what that took is in ± */
    PFC__RULE_EPOCH,     /* R1, R4: waits for the ranks of its group */
    PFC__RULE_LOCK,      /* R6: waits for those that held the lock before */
    PFC__RULE_ANSWER     /* R3: ends when its target has answered; that it was late to answer isn't known, and what that took is in ± */
};

enum pfc__mpi_wait {             /* who waited for whom, in local time */
    PFC__NO_WAIT = 0,
    PFC__LATE_SENDER = 1,        /* a receiver waited for its sender */
    PFC__LATE_RECEIVER = 2,      /* a sender waited for its receiver */
    PFC__WAIT_AT_BARRIER = 3,
    PFC__WAIT_AT_NXN = 4,        /* at another all-to-all */
    PFC__WAIT_AT_COLLECTIVE = 5, /* for a root, for a rank before, for a neighbour */
    PFC__WAIT_KINDS = 6,         /* that a profile tells apart */
    PFC__WAIT_FOR_LOCK = 6,      /* for those that held it: LATE_SENDER in a profile, told from it by PFC__RULE_LOCK */
    PFC__WAIT_KINDS_READ = 7
};

/* One MPI call at one place of the program. */
typedef struct pfc__mpi_site {
    char name[PFC__MPI_NAME];    /* MPI_Send … */
    char place[PFC__MPI_PLACE];  /* object file + offset, for addr2line; or function */
    pfc__u64 address;            /* return address, in this process */
    pfc__u32 call, rule;         /* of this process, tells calls from one another; enum pfc__mpi_rule */
    pfc__u64 calls, bytes;
    pfc__i64 time_ct, time_lt;   /* inside the MPI library, as measured and undisturbed */
    pfc__i64 wait_ct, wait_lt;
    pfc__i64 wait_u;             /* uncertainty of wait_lt */
    pfc__i64 wait_kind[PFC__WAIT_KINDS]; /* wait_lt by kind */
    double off_flat, off_tree;   /* collectives: by how much the clock at their ends contradicts data that go straight, and by steps; ns */
} pfc__mpi_site_t;

/* Whom this rank waited for. Bounded: the last entry takes the others together. */
typedef struct pfc__mpi_peer {
    pfc__u32 rank, used;         /* of MPI_COMM_WORLD; 0xffffffff: all others */
    pfc__u64 waits;
    pfc__i64 wait_ct, wait_lt;
} pfc__mpi_peer_t;

/* What receives from anybody took, and what they would have; one element. */
typedef struct pfc__mpi_order {
    pfc__u64 taken;              /* messages that such a receive, or one after such a probe, has got */
    pfc__u64 overtaken;          /* of them: one that was received before would have come later */
    pfc__u64 undecided;          /* it may have */
    pfc__i64 most;               /* by how much, at most */
    pfc__u32 rank, by;           /* then: whose it was, and whose was taken before */
    char place[PFC__MPI_PLACE];  /* of its receive */
    pfc__u64 holds, held;        /* PERFCOMP_MPI_ORDER=hold: 1; messages that were held back, or could have been, */
    pfc__i64 held_ns;            /* and for how long */
} pfc__mpi_order_t;

#define PFC__MPI_ORDER_LEAST offsetof(pfc__mpi_order_t, holds)

/* Where this rank is now, for others that hold messages back (bound.c, which says what follows from it); one element.
   Behind it, by rank, to whom it has sent how many messages: pfc__u32 each. */
typedef struct pfc__mpi_at {
    pfc__u32 depth;              /* calls of MPI that it is in */
    pfc__u32 waits_for, got;     /* not 0: rank + 1, whose message that call waits for; of which it has got so many */
    pfc__u32 sends_to;           /* not 0: rank + 1, which that call waits for to receive the last message to it */
    pfc__u32 gone;               /* it is in MPI_Finalize */
    pfc__u32 polls;              /* for a while it has done nothing but poll in vain */
    pfc__i64 lt;                 /* when the call began */
    pfc__i64 held;               /* when the first message that it holds back would have come */
} pfc__mpi_at_t;

/* ---------------------------------------------------------- reader (MPI) ---
   What an MPI program's profile holds beside the others': its calls, how long
   they took and waited, as measured (ct) and undisturbed (lt), and for whom.
   Times are in ns, sums are signed: a wait that instrumentation has shortened
   shows as such. Names are the layout's: enum pfc__mpi_wait, pfc__mpi_rule. */

/* Calls from one place, of one kind, or all. */
typedef struct pfc_mpi_calls {
    const char *name;            /* MPI_Send … */
    const char *place;           /* where it is called: object file + offset, for addr2line; "": several */
    uint32_t rule;               /* PFC__RULE_NONE: perfcomp doesn't know what it waits for: counts as the program's own time */
    uint64_t calls, bytes;       /* bytes: perfcomp_mpi.h tells which */
    double time_ct, time_lt;     /* in the call; what it has more in ct is delay that came in */
    double wait_ct, wait_lt, wait_u; /* of it: waiting for other ranks; half the width of lt's 95 % interval */
    double wait[PFC__WAIT_KINDS_READ]; /* wait_lt, by who waited for whom */
} pfc_mpi_calls_t;

/* Waiting of this rank for messages of, or to, another one. */
typedef struct pfc_mpi_peer {
    uint32_t rank;               /* PFC_NONE: all others, together */
    uint64_t waits;
    double wait_ct, wait_lt;
} pfc_mpi_peer_t;

/* Receives from anybody: what came first in this run, and what would have undisturbed. */
typedef struct pfc_mpi_order {
    uint64_t taken;              /* messages that they, or receives after a probe of anybody, have got */
    uint64_t overtaken;          /* of them: one that was received before would have come later */
    uint64_t undecided;          /* of them: can't be told */
    double most;                 /* the most by which one was overtaken: */
    uint32_t rank, by;           /* whose it was, and by whose */
    const char *place;           /* where it was received: object file + offset, for addr2line */
    int holds;                   /* 1: PERFCOMP_MPI_ORDER=hold, by which … */
    uint64_t held;               /* messages were held back, or could have been, … */
    double held_ns;              /* … for so long, all together */
} pfc_mpi_order_t;

typedef struct pfc_mpi {
    uint32_t rank, size;         /* of MPI_COMM_WORLD */
    uint64_t world;              /* which MPI_COMM_WORLD; 0: not known */
    const char *library;
    int finalized;               /* 1: MPI_Finalize was reached, … */
    double delay, delay_u;       /* … so much later than undisturbed */
    double clock_u;              /* how far this rank's clock may be from the job's */
    double clock_strayed;        /* how far it was when they were compared at MPI_Finalize; 0: they are one, or not yet */
    double zero;                 /* where this process's times begin on the job's clock; ns, 0: not known */
    int64_t eager_bytes;         /* longest message that doesn't wait for its receiver */
    uint64_t unacknowledged;     /* sends of which the receiver's time was never learnt */
    uint64_t tried;              /* kinds of collectives, by their ranks, call and length, that were tried out, … */
    double tried_ns;             /* … and for how long; CT: it isn't in LT, but who runs it waits for it */
    pfc_mpi_order_t order;
    size_t places, kinds, peers;
    pfc_mpi_calls_t *place, *kind, total; /* kinds by name */
    pfc_mpi_peer_t *peer;        /* by rank */
} pfc_mpi_t;

/* ---------------------------------------------------------------- report ---
   The report that pfc_report() writes, for tools: of one profile, or of
   several as one (the ranks of a job). Text is for people: aligned, sorted,
   what is too small left out; JSON is for programs: everything. */

typedef struct pfc_report_options {
    int colour;                  /* 1: escape sequences for a terminal */
    int all;                     /* 1: also what is too small to matter */
    int no_paths;                /* 1: without the tree of call paths */
} pfc_report_options_t;

PFC__EXTERN_C_BEGIN
/* `options`: NULL: none of them. */
void pfc_report_text(FILE *file, const pfc_profile_t *const *profiles, size_t n, const pfc_report_options_t *options);
void pfc_report_json(FILE *file, const pfc_profile_t *const *profiles, size_t n);
/* A string that comes from a profile: control characters are shown as '?'. The number of columns. */
size_t pfc_print_text(FILE *file, const char *text);
/* The same in UTF-8 and on one line, for files that others read: what isn't UTF-8 becomes U+FFFD. */
void pfc_print_utf8(FILE *file, const char *text);
/* The names of a call path, outermost first; of more than `most` the innermost ones. A thread's root has none. */
void pfc_print_path(FILE *file, const pfc_profile_t *profile, uint32_t path, uint32_t most);
/* With quotes and escapes; what isn't UTF-8 becomes U+FFFD. */
void pfc_print_json(FILE *file, const char *text);
/* 1: the file is a terminal that knows colours and places (TERM isn't dumb, as it is in an editor's shell). */
int pfc_is_screen(FILE *file);
/* 1: and NO_COLOR isn't set. */
int pfc_colour_wanted(FILE *file);
PFC__EXTERN_C_END

#endif /* PERFCOMP_PRELUDE */
#endif /* PERFCOMP_DISABLE */
#endif /* PERFCOMP_H */

#if defined PERFCOMP_IMPLEMENTATION && !defined PERFCOMP_DISABLE && !defined PERFCOMP_IMPLEMENTED
#define PERFCOMP_IMPLEMENTED
/* ========================================================= implementation === */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined __linux__
#  include <sys/auxv.h>
#  include <sys/syscall.h>
#endif
#if defined __x86_64__
#  include <cpuid.h>
#endif
#if defined __GLIBC__ && !defined __USE_GNU /* the program included pthread.h before us, without _GNU_SOURCE */
extern int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
#endif
#if !defined MAP_ANONYMOUS || (defined __GLIBC__ && !defined __USE_MISC)
#  define PFC__TOO_LATE 1
#  error "perfcomp: where PERFCOMP_IMPLEMENTATION is defined, include perfcomp.h before other headers, or compile with -D_GNU_SOURCE"
#endif

/* What the linker puts in the place of a function (--wrap) is declared nowhere. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#if !defined __cplusplus
#  pragma GCC diagnostic ignored "-Wmissing-prototypes"
#endif

#if !defined PFC__TOO_LATE /* otherwise all has been said */
PFC__EXTERN_C_BEGIN

/* -------------------------------------------------------------- checksum ---
   Detects damage, not malice: every step is a bijection of the state, so that
   any single changed word changes the sum. The length is mixed in first: zeros
   that are missing at the end show as well. */

static pfc__u64 pfc__checksum(const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    pfc__u64 sum = 0xcbf29ce484222325u ^ (pfc__u64)n, word;
    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29; /* otherwise the top bits of two words could cancel out */
    }
    for (; n; p++, n--) sum = (sum ^ *p) * 0x100000001b3u;
    return sum ^ sum >> 32;
}

/* ------------------------------------------------------- filters (impl) ---
   A program that gives up calls of the system (seccomp) is ended where one of
   them is made, by us, too. So each of ours is put to the program's filters
   first, as the kernel will do, and fails where they don't let it pass. */

/* Linux's sock_filter and sock_fprog: a program of the classic BPF (S. McCanne, V. Jacobson: The BSD packet filter, 1993), whose
   codes linux/bpf_common.h and linux/filter.h name as here. */
typedef struct pfc__filter_step { uint16_t code; unsigned char yes, no; pfc__u32 k; } pfc__filter_step_t;
typedef struct pfc__filter_program { unsigned short steps; const pfc__filter_step_t *step; } pfc__filter_program_t;

typedef struct pfc__filter {
    const struct pfc__filter *earlier;
    size_t steps;                    /* none: nothing passes */
    pfc__filter_step_t step[1];      /* as many as there are */
} pfc__filter_t;

static const pfc__filter_t *pfc__filters; /* the latest one, of whatever thread; those of a parent before exec aren't known */

enum { PFC__FILTERED_WORDS = 16, PFC__FILTER_PASSES = 0x7fff };

static PFC__QUIET pfc__u32 pfc__filter_load(const pfc__filter_step_t *s, const pfc__u32 *data, const pfc__u32 *memory)
{
    switch (s->code & 0xe0) {
    case 0x20: /* BPF_ABS */ return data[s->k / 4 % PFC__FILTERED_WORDS];
    case 0x60: /* BPF_MEM */ return memory[s->k % 16];
    case 0x80: /* BPF_LEN */ return PFC__FILTERED_WORDS * 4;
    default: /* BPF_IMM */ return s->k;
    }
}

static PFC__QUIET pfc__u32 pfc__filter_compute(unsigned code, pfc__u32 a, pfc__u32 b)
{
    switch (code & 0xf0) {
    case 0x00: /* BPF_ADD */ return a + b;
    case 0x10: /* BPF_SUB */ return a - b;
    case 0x20: /* BPF_MUL */ return a * b;
    case 0x30: /* BPF_DIV */ return a / b;
    case 0x40: /* BPF_OR */ return a | b;
    case 0x50: /* BPF_AND */ return a & b;
    case 0x60: /* BPF_LSH */ return b < 32 ? a << b : 0;
    case 0x70: /* BPF_RSH */ return b < 32 ? a >> b : 0;
    case 0x80: /* BPF_NEG */ return 0u - a;
    default: /* BPF_XOR */ return a ^ b;
    }
}

static PFC__QUIET int pfc__filter_holds(unsigned code, pfc__u32 a, pfc__u32 b)
{
    switch (code & 0xf0) {
    case 0x10: /* BPF_JEQ */ return a == b;
    case 0x20: /* BPF_JGT */ return a > b;
    case 0x30: /* BPF_JGE */ return a >= b;
    default: /* BPF_JSET */ return (a & b) != 0;
    }
}

/* What Linux would answer. */
static PFC__QUIET pfc__u32 pfc__filter_run(const pfc__filter_t *f, const pfc__u32 *data)
{
    pfc__u32 a = 0, x = 0, memory[16] = { 0 };
    size_t at;
    for (at = 0; at < f->steps; at++) {
        const pfc__filter_step_t *s = f->step + at;
        const pfc__u32 operand = s->code & 8 ? x : s->k;
        switch (s->code & 7) {
        case 0: /* BPF_LD */ a = pfc__filter_load(s, data, memory); break;
        case 1: /* BPF_LDX */ x = pfc__filter_load(s, data, memory); break;
        case 2: /* BPF_ST */ memory[s->k % 16] = a; break;
        case 3: /* BPF_STX */ memory[s->k % 16] = x; break;
        case 4: /* BPF_ALU */
            if ((s->code & 0xf0) == 0x30 && !operand) return 0;
            a = pfc__filter_compute(s->code, a, operand);
            break;
        case 5: /* BPF_JMP */ at += !(s->code & 0xf0) ? s->k : pfc__filter_holds(s->code, a, operand) ? s->yes : s->no; break;
        case 6: /* BPF_RET */ return s->code & 0x10 ? a : s->k;
        default: /* BPF_MISC */ if (s->code & 0x80) a = x; else x = a;
        }
    }
    return 0;
}

/* What is only logged doesn't pass either: others read that log. */
static PFC__QUIET int pfc__filters_pass(long number, long a, long b, long c, long d, long e, long f)
{
#if defined __aarch64__
    const pfc__u32 machine = 0xc00000b7;
#else
    const pfc__u32 machine = 0xc000003e;
#endif
    const long argument[] = { a, b, c, d, e, f };
    pfc__u32 data[PFC__FILTERED_WORDS] = { (pfc__u32)number, machine };
    const pfc__filter_t *filter = __atomic_load_n(&pfc__filters, __ATOMIC_ACQUIRE);
    size_t i;
    for (i = 0; i < 6; i++) {
        data[4 + 2 * i] = (pfc__u32)argument[i];
        data[5 + 2 * i] = (pfc__u32)((pfc__u64)argument[i] >> 32);
    }
    while (filter && pfc__filter_run(filter, data) >> 16 == PFC__FILTER_PASSES) filter = filter->earlier;
    return !filter;
}

/* Of what the C library calls for us. */
#if defined __linux__
#  define PFC__LETS(call) (!pfc__filters || pfc__filters_pass(SYS_##call, 0, 0, 0, 0, 0, 0))
#else
#  define PFC__LETS(call) 1
#endif

/* -------------------------------------------------------- kernel (impl) ---
   Calls of the system past the C library: functions of these names may be the
   program's. ISO C leaves open, read, close and their like to it, for doors
   and files of its own; and what it defines of the C library (mmap,
   pthread_sigmask, clock_gettime …) is instrumented: where a first pass ends
   in us before this thread is known to be inside, it would come to us again
   without end. MemorySanitizer knows what is initialised by the library's calls,
   and SimGrid stands in for some of them. */

#if defined PERFCOMP_SMPI
#  define PFC__BY_THE_LIBRARY
#elif defined __has_feature
#  if __has_feature(memory_sanitizer)
#    define PFC__BY_THE_LIBRARY
#  endif
#endif
#if defined __linux__ && !defined __ILP32__ && (defined __x86_64__ || defined __aarch64__) && !defined PFC__BY_THE_LIBRARY
#  define PFC__KERNEL

/* The result, or -errno. */
static PFC__QUIET long pfc__kernel_enter(long number, long a, long b, long c, long d, long e, long f)
{
#if defined __x86_64__
    long result;
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ __volatile__("syscall"
                         : "=a"(result)
                         : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                         : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ __volatile__("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#endif
}

static PFC__QUIET long pfc__kernel(long number, long a, long b, long c, long d, long e, long f)
{
    return pfc__filters && !pfc__filters_pass(number, a, b, c, d, e, f) ? -EPERM : pfc__kernel_enter(number, a, b, c, d, e, f);
}

/* As the C library tells it. */
static PFC__QUIET long pfc__answer(long result)
{
    if (result >= 0 || result < -4095) return result;
    errno = -(int)result;
    return -1;
}

#  define PFC__SYSTEM(type, name, parameters, library, number, ...) \
    static PFC__QUIET type pfc__sys_##name parameters { return (type)pfc__answer(pfc__kernel(number, __VA_ARGS__)); }
#else
#  define PFC__SYSTEM(type, name, parameters, library, number, ...) \
    static PFC__QUIET type pfc__sys_##name parameters { return (type)library; }
#endif

PFC__SYSTEM(int, open, (const char *path, int flags), open(path, flags), SYS_openat, AT_FDCWD, (long)path, flags, 0, 0, 0)
PFC__SYSTEM(int, create, (const char *path, int flags, int mode), open(path, flags | O_CREAT, mode), SYS_openat, AT_FDCWD, (long)path,
            flags | O_CREAT, mode, 0, 0)
PFC__SYSTEM(int, close, (int fd), close(fd), SYS_close, fd, 0, 0, 0, 0, 0)
PFC__SYSTEM(ssize_t, read, (int fd, void *to, size_t bytes), read(fd, to, bytes), SYS_read, fd, (long)to, (long)bytes, 0, 0, 0)
PFC__SYSTEM(ssize_t, write, (int fd, const void *from, size_t bytes), write(fd, from, bytes), SYS_write, fd, (long)from, (long)bytes, 0, 0, 0)
PFC__SYSTEM(ssize_t, pread, (int fd, void *to, size_t bytes, off_t at), pread(fd, to, bytes, at), SYS_pread64, fd, (long)to, (long)bytes, at, 0, 0)
PFC__SYSTEM(ssize_t, pwrite, (int fd, const void *from, size_t bytes, off_t at), pwrite(fd, from, bytes, at), SYS_pwrite64, fd, (long)from,
            (long)bytes, at, 0, 0)
#if defined SEEK_DATA && defined SEEK_HOLE
PFC__SYSTEM(off_t, lseek, (int fd, off_t to, int from), lseek(fd, to, from), SYS_lseek, fd, to, from, 0, 0, 0)
#endif
PFC__SYSTEM(int, ftruncate, (int fd, off_t bytes), ftruncate(fd, bytes), SYS_ftruncate, fd, bytes, 0, 0, 0, 0)
PFC__SYSTEM(int, fstat, (int fd, struct stat *to), fstat(fd, to), SYS_fstat, fd, (long)to, 0, 0, 0, 0)
PFC__SYSTEM(int, stat, (const char *path, struct stat *to), stat(path, to), SYS_newfstatat, AT_FDCWD, (long)path, (long)to, 0, 0, 0)
PFC__SYSTEM(int, flock, (int fd, int how), flock(fd, how), SYS_flock, fd, how, 0, 0, 0, 0)
PFC__SYSTEM(int, fcntl, (int fd, int command, int value), fcntl(fd, command, value), SYS_fcntl, fd, command, value, 0, 0, 0)
PFC__SYSTEM(int, mkdir, (const char *path, int mode), mkdir(path, (mode_t)mode), SYS_mkdirat, AT_FDCWD, (long)path, mode, 0, 0, 0)
PFC__SYSTEM(int, unlink, (const char *path), unlink(path), SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0)
PFC__SYSTEM(int, rename, (const char *from, const char *to), rename(from, to), SYS_renameat, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0, 0)
PFC__SYSTEM(int, symlink, (const char *to, const char *path), symlink(to, path), SYS_symlinkat, (long)to, AT_FDCWD, (long)path, 0, 0, 0)
PFC__SYSTEM(ssize_t, readlink, (const char *path, char *to, size_t room), readlink(path, to, room), SYS_readlinkat, AT_FDCWD, (long)path,
            (long)to, (long)room, 0, 0)
PFC__SYSTEM(int, clock_gettime, (clockid_t clock, struct timespec *now), clock_gettime(clock, now), SYS_clock_gettime, clock, (long)now, 0, 0, 0, 0)
PFC__SYSTEM(int, nanosleep, (const struct timespec *time), nanosleep(time, 0), SYS_nanosleep, (long)time, 0, 0, 0, 0, 0)
PFC__SYSTEM(pid_t, getpid, (void), getpid(), SYS_getpid, 0, 0, 0, 0, 0, 0)
PFC__SYSTEM(pid_t, getppid, (void), getppid(), SYS_getppid, 0, 0, 0, 0, 0, 0)
PFC__SYSTEM(int, kill, (pid_t process, int signal), kill(process, signal), SYS_kill, process, signal, 0, 0, 0, 0)
PFC__SYSTEM(void *, mmap, (void *at, size_t bytes, int may, int flags, int fd, off_t from), mmap(at, bytes, may, flags, fd, from), SYS_mmap,
            (long)at, (long)bytes, may, flags, fd, from)
PFC__SYSTEM(int, munmap, (void *at, size_t bytes), munmap(at, bytes), SYS_munmap, (long)at, (long)bytes, 0, 0, 0, 0)
#if defined MREMAP_FIXED && defined SYS_mremap
PFC__SYSTEM(long, mremap, (void *at, size_t old, size_t bytes, int flags, void *to), syscall(SYS_mremap, at, old, bytes, flags, to), SYS_mremap,
            (long)at, (long)old, (long)bytes, flags, (long)to, 0)
#endif
#if defined SYS_memfd_create
PFC__SYSTEM(int, memfd_create, (const char *name), syscall(SYS_memfd_create, name, 1u), SYS_memfd_create, (long)name, 1 /* MFD_CLOEXEC */, 0, 0, 0, 0)
#endif
#if defined SYS_gettid
PFC__SYSTEM(pid_t, gettid, (void), syscall(SYS_gettid), SYS_gettid, 0, 0, 0, 0, 0, 0)
#endif
#if defined __x86_64__ && defined __GLIBC__ && defined SYS_process_vm_readv
PFC__SYSTEM(ssize_t, copy, (struct iovec *to, struct iovec *from), process_vm_readv(pfc__sys_getpid(), to, 1, from, 1, 0), SYS_process_vm_readv,
            pfc__sys_getpid(), (long)to, 1, (long)from, 1, 0)
#endif
PFC__SYSTEM(int, madvise, (void *at, size_t bytes, int how), madvise(at, bytes, how), SYS_madvise, (long)at, (long)bytes, how, 0, 0, 0)

/* Zeroed memory of our own; NULL: there is none. */
static PFC__QUIET void *pfc__pages(size_t bytes)
{
    void *p = pfc__sys_mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? 0 : p;
}

/* Such, in place of what lies at these addresses. */
static PFC__QUIET void pfc__pages_over(void *at, size_t bytes)
{
    pfc__sys_mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

#if defined PFC__KERNEL
#  if defined __GLIBC__
#    define PFC__CANCELS ((pfc__u64)1 << 31)
#  else
#    define PFC__CANCELS ((pfc__u64)1 << 32) /* musl */
#  endif
#endif

/* No signal comes any more but faults, which may be our own, and those that the C library keeps for itself. Of these the one
   that cancels threads doesn't either: where one may be cancelled at any time, it would take our lock with it. */
static PFC__QUIET void pfc__signals_hold(sigset_t *held)
{
    static const int fault[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };
    size_t i;
#if defined PFC__KERNEL
    pfc__u64 all = ~((pfc__u64)7 << 31) | PFC__CANCELS;
#if defined __GLIBC__
    all |= (pfc__u64)1 << 33; /* the program's own, already */
#endif
    for (i = 0; i < sizeof fault / sizeof *fault; i++) all &= ~((pfc__u64)1 << (fault[i] - 1));
    pfc__kernel(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)held, sizeof all, 0, 0);
#else
    sigset_t all;
    sigfillset(&all);
    for (i = 0; i < sizeof fault / sizeof *fault; i++) sigdelset(&all, fault[i]);
    pthread_sigmask(SIG_BLOCK, &all, held);
#endif
}

static PFC__QUIET void pfc__signals_release(const sigset_t *held)
{
#if defined PFC__KERNEL
    pfc__kernel(SYS_rt_sigprocmask, SIG_SETMASK, (long)held, 0, sizeof(pfc__u64), 0, 0);
#else
    pthread_sigmask(SIG_SETMASK, held, 0);
#endif
}

/* Whether this thread has this signal to come, with signals held. */
static PFC__QUIET int pfc__signal_waits(int signal)
{
#if defined PFC__KERNEL
    pfc__u64 pending = 0;
    pfc__kernel(SYS_rt_sigpending, (long)&pending, sizeof pending, 0, 0, 0, 0);
    return (int)(pending >> (signal - 1) & 1);
#else
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    return sigismember(&pending, signal);
#endif
}

/* Takes it away. */
static PFC__QUIET void pfc__signal_take(int signal)
{
#if defined PFC__KERNEL
    const pfc__u64 set = (pfc__u64)1 << (signal - 1);
    const struct timespec now = { 0, 0 };
    pfc__kernel(SYS_rt_sigtimedwait, (long)&set, 0, (long)&now, sizeof set, 0, 0);
#else
    sigset_t set;
    if (!pfc__signal_waits(signal)) return;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigwait(&set, &signal);
#endif
}

/* Who writes where nobody reads any more, or beyond the limit of files, is ended by a signal: but not the program, for what
   we have to say. */
static const int pfc__writing_signal[] = { SIGPIPE, SIGXFSZ };
#define PFC__WRITING_SIGNALS (sizeof pfc__writing_signal / sizeof *pfc__writing_signal)

typedef struct pfc__writing { sigset_t held; int was_there[PFC__WRITING_SIGNALS]; } pfc__writing_t;

static PFC__QUIET void pfc__writing_begin(pfc__writing_t *w)
{
    size_t i;
    pfc__signals_hold(&w->held);
    for (i = 0; i < PFC__WRITING_SIGNALS; i++) w->was_there[i] = pfc__signal_waits(pfc__writing_signal[i]);
}

static PFC__QUIET void pfc__writing_end(const pfc__writing_t *w)
{
    const int saved = errno;
    size_t i;
    for (i = 0; i < PFC__WRITING_SIGNALS; i++)
        if (!w->was_there[i]) pfc__signal_take(pfc__writing_signal[i]);
    pfc__signals_release(&w->held);
    errno = saved;
}

/* For long: a thread that is made meanwhile begins with what is held, and could never be cancelled. */
static PFC__QUIET void pfc__signals_let_cancel(void)
{
#if defined PFC__KERNEL
    const pfc__u64 cancels = PFC__CANCELS;
    pfc__kernel(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&cancels, 0, sizeof cancels, 0, 0);
#endif
}

/* ----------------------------------------------------------- told (impl) ---
   What the system tells: in a short file, such as those of /proc, in the environment, and of processes. */

/* A string of less than `room` bytes. Returns its length; 0: there is none, or it can't be read. */
static PFC__QUIET size_t pfc__told(const char *path, char *text, size_t room)
{
    int fd = pfc__sys_open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : pfc__sys_read(fd, text, room - 1);
    if (fd >= 0) pfc__sys_close(fd);
    if (n < 0) n = 0;
    text[n] = 0;
    return (size_t)n;
}

/* Not getenv: a program may have one of its own (shells do), whose calls are counted. Where a program has more rights than
   its caller, the caller's wishes don't count: files would be written with them. */
const char *pfc__environment(const char *name)
{
    extern char **environ;
    size_t n = strlen(name);
    char **entry = environ;
#ifdef __linux__
    if (getauxval(AT_SECURE)) return 0;
#endif
    while (entry && *entry && (strncmp(*entry, name, n) || (*entry)[n] != '=')) entry++;
    return entry && *entry ? *entry + n + 1 : 0;
}

/* As many tens as `text` says, as in e-9, and where that ends; 1: it says none. */
static PFC__QUIET double pfc__power(const char *text, const char **end)
{
    const char *digits = text + 1 + (*text && (text[1] == '-' || text[1] == '+'));
    double power = 1;
    int n = 0;
    if ((*text != 'e' && *text != 'E') || *digits < '0' || *digits > '9') return 1;
    for (*end = digits; **end >= '0' && **end <= '9'; ++*end) n = n < 400 ? n * 10 + (**end - '0') : n;
    while (n-- > 0) power *= 10;
    return text[1] == '-' ? 1 / power : power;
}

/* A decimal number, and where it ends: at `text`, if there is none. Not strtod, which wants a comma where the program's locale
   has one: the user has written it for any program. */
double pfc__number(const char *text, const char **end)
{
    double number = 0, unit = 1;
    int digits = 0;
    *end = text;
    for (; *text >= '0' && *text <= '9'; text++, digits++) number = number * 10 + (*text - '0');
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++, digits++) number = number * 10 + (*text - '0'), unit *= 10;
    if (!digits) return 0;
    *end = text;
    return number / unit * pfc__power(text, end);
}

/* Neither does printf make one there, until the locale that this returns is this thread's again. "C" asks for no memory. */
static PFC__QUIET locale_t pfc__points_begin(void) { return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); }
static PFC__QUIET void pfc__points_end(locale_t locale) { uselocale(locale); }

/* ---- processes and their threads */

/* Field n of a file as /proc/PID/stat, from the state on, which is field 3; "": no /proc, or no such process. */
static PFC__QUIET const char *pfc__stat_field(const char *path, int n, char *text, size_t room)
{
    const char *field;
    int i;
    if (!pfc__told(path, text, room)) return "";
    field = strrchr(text, ')'); /* the command's name may hold anything */
    for (i = 2; field && i < n; i++)
        if ((field = strchr(field, ' ')) != 0) field++;
    return field ? field : "";
}

static PFC__QUIET const char *pfc__process_field(pid_t pid, int n, char *text, size_t room)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    return pfc__stat_field(path, n, text, room);
}

static PFC__QUIET int pfc__process_exists(pid_t pid) { return pfc__sys_kill(pid, 0) == 0 || errno == EPERM; }

/* Whether the kernel has that thread in one of these states, a letter each. */
static PFC__QUIET int pfc__thread_is(const char *states, pfc__i64 pid, pfc__i64 thread)
{
    char path[64], text[1024], state;
    snprintf(path, sizeof path, "/proc/%lld/task/%lld/stat", (long long)pid, (long long)thread);
    state = *pfc__stat_field(path, 3, text, sizeof text);
    return state && strchr(states, state);
}

/* Whether the kernel keeps that thread from running until something happens, as input, a disk, or the time that it sleeps for. */
static PFC__QUIET int pfc__is_asleep(pfc__i64 pid, pfc__i64 thread) { return pfc__thread_is("SD", pid, thread); }

/* Or a signal has stopped it, or a debugger. */
static PFC__QUIET int pfc__is_asleep_or_stopped(pfc__i64 pid, pfc__i64 thread) { return pfc__thread_is("SDTt", pid, thread); }

/* 0: not known, the pid alone must do. In a container that sees the host's /proc, its own number is another one's there. */
static PFC__QUIET pfc__u64 pfc__process_start(pid_t pid)
{
    char text[1024];
    return strtoull(pid == pfc__sys_getpid() ? pfc__stat_field("/proc/self/stat", 22, text, sizeof text) :
                    pfc__process_field(pid, 22, text, sizeof text), 0, 10);
}

/* It has ended, and its parent hasn't asked how. One whose main thread has ended looks like that, but for its other threads. */
static PFC__QUIET int pfc__is_zombie(pid_t pid)
{
    char text[1024];
    return *pfc__process_field(pid, 3, text, sizeof text) == 'Z' && strtol(pfc__process_field(pid, 20, text, sizeof text), 0, 10) <= 1;
}

/* ---------------------------------------------------------- clock (impl) ---
   Which clock CT is read from, how fast it ticks, and what a tick is in ns. */

int pfc__clock_is_cycles;

#ifdef PERFCOMP_CLOCK_HZ
static double pfc__clock_rate = (double)(PERFCOMP_CLOCK_HZ) / 1e9; /* ticks per ns */
#else
static double pfc__clock_rate = 1.0;
#endif
static pfc__i64 pfc__clock_tick0, pfc__clock_ns0; /* one moment, on both clocks */
static const char *pfc__clock_reason = "";

PFC__TLS int pfc__clock_asked;
static volatile int pfc__clock_asks; /* 1: clock_gettime is called to see whose it is; volatile: the header says that it calls nobody */
static int pfc__clock_is_ours;       /* 1: it is the program's own, and timed, or tells another time: the kernel is asked instead */

static PFC__QUIET pfc__i64 pfc__ns_of_timespec(struct timespec t) { return (pfc__i64)t.tv_sec * 1000000000 + t.tv_nsec; }

/* Since 1970; 0: it isn't told. */
static PFC__QUIET pfc__i64 pfc__utc_now(void)
{
    struct timespec now = { 0, 0 };
    pfc__sys_clock_gettime(CLOCK_REALTIME, &now);
    return pfc__ns_of_timespec(now);
}

#if defined PFC__KERNEL
/* -1: it doesn't tell. */
static PFC__QUIET pfc__i64 pfc__clock_of_kernel(void)
{
    struct timespec now;
    return pfc__sys_clock_gettime(CLOCK_MONOTONIC, &now) ? -1 : pfc__ns_of_timespec(now);
}
#endif

static PFC__QUIET pfc__i64 pfc__clock_monotonic(void)
{
    struct timespec now;
#if defined PFC__KERNEL
    if (PFC__UNLIKELY(pfc__clock_is_ours)) return pfc__clock_of_kernel();
#endif
    clock_gettime(CLOCK_MONOTONIC, &now);
    return pfc__ns_of_timespec(now);
}

#if defined PERFCOMP_SMPI

int PMPI_Initialized(int *begun);
int PMPI_Finalized(int *ended);

int pfc__virtual_runs(void)
{
    int begun = 0, ended = 0;
    PMPI_Initialized(&begun);
    if (begun) PMPI_Finalized(&ended);
    return begun && !ended;
}

pfc__i64 pfc__clock_system(void)
{
    static pfc__i64 last;
    if (pfc__virtual_runs()) last = pfc__clock_monotonic();
    return last;
}

#else

pfc__i64 pfc__clock_system(void) { return pfc__clock_monotonic(); }

#endif

static PFC__QUIET enum pfc__clock_kind pfc__clock_kind(void)
{
#if defined PERFCOMP_CLOCK
    return PFC__CLOCK_USER;
#elif defined __aarch64__
    return pfc__clock_is_cycles ? PFC__CLOCK_CNTVCT : PFC__CLOCK_SYSTEM;
#else
    return pfc__clock_is_cycles ? PFC__CLOCK_TSC : PFC__CLOCK_SYSTEM;
#endif
}

static PFC__QUIET const char *pfc__clock_name(enum pfc__clock_kind kind)
{
    switch (kind) {
    case PFC__CLOCK_TSC: return "TSC";
    case PFC__CLOCK_CNTVCT: return "CNTVCT";
    case PFC__CLOCK_USER: return "PERFCOMP_CLOCK";
    default: return "clock_gettime(CLOCK_MONOTONIC)";
    }
}

#if !defined PERFCOMP_CLOCK && defined __x86_64__
/* The kernel watches the TSC against other clocks; where it has given it up, so do we. */
static PFC__QUIET int pfc__kernel_trusts_tsc(void)
{
    char name[64];
    size_t n = pfc__told("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof name);
    if (!n) return 1; /* no /sys here: the processor's word must do */
    return !strncmp(name, "tsc", 3) || !strncmp(name, "kvm-clock", 9) || !strncmp(name, "hyperv_clocksource", 18) ||
           !strncmp(name, "xen", 3);
}

static PFC__QUIET int pfc__tsc_is_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & (1u << 8));
}

static PFC__QUIET void pfc__clock_choose(void)
{
    if (!pfc__tsc_is_invariant()) pfc__clock_reason = "the processor's TSC isn't invariant";
    else if (!pfc__kernel_trusts_tsc()) pfc__clock_reason = "the kernel doesn't trust the TSC";
    else pfc__clock_is_cycles = 1, pfc__clock_reason = "invariant TSC";
}
#else
static PFC__QUIET void pfc__clock_choose(void)
{
#if !defined PERFCOMP_CLOCK && defined __aarch64__
    pfc__clock_is_cycles = 1;
    pfc__clock_reason = "the architecture's constant counter";
#elif defined PERFCOMP_CLOCK
    pfc__clock_reason = "the program's own";
#else
    pfc__clock_reason = "no cycle counter known for this processor";
#endif
}
#endif

/* Both clocks at one moment: of several tries the one with the least between the readings. */
static PFC__QUIET void pfc__clock_pair(pfc__i64 *tick, pfc__i64 *ns)
{
    pfc__i64 best = INT64_MAX;
    int i;
    for (i = 0; i < 5; i++) {
        pfc__i64 before = pfc__clock(), system = pfc__clock_system(), after = pfc__clock();
        if (after - before >= best || after < before) continue;
        best = after - before;
        *tick = before + (after - before) / 2;
        *ns = system;
    }
    if (best == INT64_MAX) *tick = pfc__clock(), *ns = pfc__clock_system();
}

/* What no clock has would make times that no reader takes. */
static PFC__QUIET void pfc__clock_rate_check(void)
{
#ifdef PERFCOMP_CLOCK_HZ
    const double hz = pfc__clock_rate * 1e9;
    if (pfc__clock_rate >= 1e-9 && pfc__clock_rate <= 1e6) return;
    pfc__note_setting("PERFCOMP_CLOCK_HZ is %g, and may be 1 to 1e15: the ticks of PERFCOMP_CLOCK() are taken for ns", hz);
    pfc__clock_rate = 1;
#endif
}

#if !defined PERFCOMP_CLOCK
/* Whose clock_gettime is. What stands in for it, a test's (--wrap) or a preloaded library's, may stand still: who waits for a
   moment by it would for ever. */
static PFC__QUIET void pfc__clock_ask(void)
{
#if defined PFC__KERNEL
    const pfc__i64 near = 1000000, before = pfc__clock_of_kernel();
    pfc__i64 told;
    pfc__clock_asks = 1;
    told = pfc__clock_monotonic();
    pfc__clock_asks = 0;
    if (before >= 0 && (told < before - near || told > pfc__clock_of_kernel() + near)) pfc__clock_is_ours = 1;
#endif
}
#endif

static PFC__QUIET void pfc__clock_start(void)
{
#if !defined PERFCOMP_CLOCK
    const char *wish;
    pfc__clock_ask();
    wish = pfc__environment("PERFCOMP_CLOCK");
    if (wish && !strcmp(wish, "system")) pfc__clock_reason = "PERFCOMP_CLOCK=system";
    else
#endif
    pfc__clock_choose();
    pfc__clock_rate_check();
    pfc__clock_pair(&pfc__clock_tick0, &pfc__clock_ns0);
}

/* Threads that run on at the end may ask meanwhile. */
static PFC__QUIET void pfc__clock_rate_set(double rate) { __atomic_store(&pfc__clock_rate, &rate, __ATOMIC_RELAXED); }

double pfc__ticks_per_ns(void)
{
    double rate;
    __atomic_load(&pfc__clock_rate, &rate, __ATOMIC_RELAXED);
    return rate;
}

/* What the processor says of it, in ticks per ns; 0: nothing. */
static PFC__QUIET double pfc__clock_rate_told(void)
{
    pfc__u64 hz = 0;
#if defined __aarch64__
    __asm__ __volatile__("mrs %0, cntfrq_el0" : "=r"(hz));
#endif
    return (double)hz / 1e9;
}

void pfc__clock_measure_rate(void)
{
    pfc__i64 tick = 0, ns = 0;
    if (!pfc__clock_is_cycles) return;
    if (pfc__clock_rate_told() > 0) pfc__clock_rate_set(pfc__clock_rate_told());
    pfc__clock_pair(&tick, &ns);
    if (ns - pfc__clock_ns0 < 200000 || tick <= pfc__clock_tick0) return;
    pfc__clock_rate_set((double)(tick - pfc__clock_tick0) / (double)(ns - pfc__clock_ns0));
}

/* Whether any processor's counter goes at that rate, or this one's. A virtual machine that was stopped for a while may go on with
   one clock where it was, and the other one ahead. */
static PFC__QUIET int pfc__clock_rate_is_likely(void)
{
    double rate = pfc__ticks_per_ns(), told = pfc__clock_rate_told();
    return told > 0 ? rate > 0.9 * told && rate < 1.1 * told : rate > 0.2 && rate < 20;
}

/* Calibration takes most of this time; the rest is waited for. 1 ms at ±50 ns: 5·10⁻⁵. */
static PFC__QUIET void pfc__clock_settle(void)
{
    int tries = 0;
    do {
        if (tries) pfc__clock_pair(&pfc__clock_tick0, &pfc__clock_ns0);
        while (pfc__clock_is_cycles && pfc__clock_system() - pfc__clock_ns0 < 1000000) continue;
        pfc__clock_measure_rate();
    } while (pfc__clock_is_cycles && !pfc__clock_rate_is_likely() && ++tries < 3);
}

pfc__i64 pfc__ns_of_span(pfc__i64 ticks)
{
    double rate = pfc__ticks_per_ns();
    return rate == 1.0 ? ticks : (pfc__i64)((double)ticks / rate);
}

pfc__i64 pfc__ns_of_tick(pfc__i64 tick)
{
    return pfc__clock_ns0 + pfc__ns_of_span(tick - pfc__clock_tick0);
}

/* ------------------------------------------------------ settings (impl) ---
   The environment, read once. A value that makes no sense is named together
   with what would, and the default is used: the program isn't stopped. */

int pfc__compensates = 1;

static struct {
    int on, trace, report, verbose, in_memory;
    int unmade;             /* why its folder couldn't be made: an errno; 0: it could */
    double budget;
    double scale, scale_doubt; /* 0: not known */
    char folder[PATH_MAX];  /* absolute */
    char live[PATH_MAX];    /* absolute; empty: the profile lives in its folder */
    pfc__u64 trace_events;
} pfc__settings;

/* 1 or 0; -1: neither. */
static PFC__QUIET int pfc__on_or_off(const char *value)
{
    if (!strcmp(value, "1") || !strcmp(value, "on") || !strcmp(value, "yes")) return 1;
    if (!strcmp(value, "0") || !strcmp(value, "off") || !strcmp(value, "no")) return 0;
    return -1;
}

int pfc__switch(const char *name, int otherwise)
{
    const char *value = pfc__environment(name);
    int on = value && *value ? pfc__on_or_off(value) : otherwise;
    if (on >= 0) return on;
    pfc__note_setting("%s=%s isn't understood: use %s=on or %s=off", name, value, name, name);
    return otherwise;
}

static PFC__QUIET double pfc__share(const char *name)
{
    const char *value = pfc__environment(name);
    const char *end;
    double share;
    if (!value || !*value) return 0;
    share = pfc__number(value, &end);
    if (end != value && *end == '%' && !end[1]) share /= 100, end++;
    if (end != value && !*end && share >= 0 && share < 1) return share;
    pfc__note_setting("%s=%s isn't understood: use a share of the time like %s=2%% or %s=0.02", name, value, name, name);
    return 0;
}

/* On, off, or how many recent events of each thread are kept. */
static PFC__QUIET void pfc__trace_read(void)
{
    const char *value = pfc__environment("PERFCOMP_TRACE");
    int on = value && *value ? pfc__on_or_off(value) : 0;
    pfc__settings.trace_events = 1 << 16;
    if (on < 0 && strspn(value, "0123456789") == strlen(value)) {
        pfc__u64 wanted = strtoull(value, 0, 10);
        on = 1;
        while (pfc__settings.trace_events < wanted && pfc__settings.trace_events < PFC__TRACE_MOST) pfc__settings.trace_events *= 2;
        if (wanted > PFC__TRACE_MOST)
            pfc__note_setting("PERFCOMP_TRACE=%s is more than the %u events that can be kept: so many are", value, PFC__TRACE_MOST);
    }
    if (on < 0)
        pfc__note_setting("PERFCOMP_TRACE=%s isn't understood: use PERFCOMP_TRACE=1, or the number of events to keep, like "
                          "PERFCOMP_TRACE=1000000", value);
    pfc__settings.trace = on > 0;
}

#ifdef PERFCOMP_CHARGE /* and exact */
enum { PFC__COSTS_ARE_MODELLED = 1 };
#else
enum { PFC__COSTS_ARE_MODELLED = 0 };
#endif

static PFC__QUIET void pfc__modelled_check(void)
{
    const char *value = pfc__environment("PERFCOMP_SMPI_COST_NS");
    if (!PFC__COSTS_ARE_MODELLED && value && *value)
        pfc__note_setting("PERFCOMP_SMPI_COST_NS=%s is left aside: only in virtual time (PERFCOMP_SMPI, PERFCOMP_CHARGE) do probes cost what one likes", value);
}

/* What `perfcomp check` says: a factor and its uncertainty, which is less; 1,05 is one number with a decimal comma. */
static PFC__QUIET void pfc__scale_read(void)
{
    const char *value = pfc__environment("PERFCOMP_SCALE");
    const char *end;
    double scale, doubt;
    if (!value || !*value) return;
    scale = pfc__number(value, &end);
    doubt = *end == ',' ? pfc__number(end + 1, &end) : -1;
    if (PFC__COSTS_ARE_MODELLED)
        pfc__note_setting("PERFCOMP_SCALE=%s is left aside: in virtual time, costs are exactly what PERFCOMP_SMPI_COST_NS says", value);
    else if (!*end && end[-1] != ',' && scale > 0 && scale < 100 && doubt >= 0 && doubt < scale) {
        pfc__settings.scale = scale;
        pfc__settings.scale_doubt = doubt;
    } else pfc__note_setting("PERFCOMP_SCALE=%s isn't understood: use what perfcomp check says, a factor and its uncertainty, with decimal "
                             "points, like PERFCOMP_SCALE=1.05,0.01", value);
}

/* %p is the process's number: of a test suite's many short runs none takes another's folder. 0: it is too long. */
static PFC__QUIET int pfc__folder_numbered(char *path, const char *value)
{
    size_t used = strlen(path);
    while (*value && used < PATH_MAX) {
        int is_number = value[0] == '%' && value[1] == 'p';
        int n = is_number ? snprintf(path + used, PATH_MAX - used, "%ld", (long)pfc__sys_getpid()) : 1;
        if (!is_number) path[used] = *value;
        value += is_number ? 2 : 1;
        used += (size_t)n;
    }
    path[used < PATH_MAX ? used : 0] = 0;
    return used < PATH_MAX;
}

/* Made absolute now: the program may change its working directory. 0: there is no such path, and that was said with what is
   done `instead`. */
static PFC__QUIET int pfc__folder(const char *name, char *path, const char *otherwise, const char *instead)
{
    const char *value = pfc__environment(name);
    char here[PATH_MAX - 1] = "";
    *path = 0;
    if (!value || !*value) value = otherwise;
    if (!value) return 1;
    if (*value != '/' && !getcwd(here, sizeof here)) {
        pfc__note("the working directory is gone: %s; set %s to a folder by its whole path", instead, name);
        return 0;
    }
    if (!strcmp(value, ".")) value = "";
    snprintf(path, PATH_MAX, "%s%s", here, *here && *value ? "/" : "");
    if (pfc__folder_numbered(path, value)) return 1;
    pfc__note_setting("%s is longer than a path may be: %s", name, instead);
    return 0;
}

/* Most often it's there; where it can't be, the file can't either. */
static PFC__QUIET void pfc__folder_make(char *path)
{
    int error = pfc__sys_mkdir(path, 0777) ? errno : 0;
    char *slash;
    if (error == ENOENT) {
        int first = 0; /* what refused the first of its folders: the next ones only lack that */
        for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = 0;
            if (pfc__sys_mkdir(path, 0777) && errno != EEXIST && !first) first = errno;
            *slash = '/';
        }
        error = !pfc__sys_mkdir(path, 0777) ? 0 : errno == ENOENT && first ? first : errno;
    }
    pfc__settings.unmade = error == EEXIST ? 0 : error;
}

static PFC__QUIET void pfc__check_names(void)
{
    static const char known[] = " PERFCOMP PERFCOMP_DIR PERFCOMP_LIVE PERFCOMP_FILE PERFCOMP_BUDGET PERFCOMP_TRACE"
                                " PERFCOMP_REPORT PERFCOMP_COMPENSATE PERFCOMP_VERBOSE"
                                " PERFCOMP_MPI PERFCOMP_MPI_ORDER PERFCOMP_MPI_EAGER PERFCOMP_MPI_MERGE PERFCOMP_MPI_TRIALS"
                                " PERFCOMP_CLOCK PERFCOMP_CONTEXT PERFCOMP_SCALE PERFCOMP_SMPI_COST_NS PERFCOMP_CC_FLAGS PERFCOMP_CC_SUMMARY ";
    extern char **environ;
    char **entry;
    for (entry = environ; entry && *entry; entry++) {
        char name[64];
        size_t n = strcspn(*entry, "=");
        if (strncmp(*entry, "PERFCOMP", 8)) continue;
        snprintf(name, sizeof name, " %.*s ", (int)n, *entry);
        if (n + 3 > sizeof name || !strstr(known, name))
            pfc__note_setting("%.*s is set, but is no setting of perfcomp: see the tops of perfcomp.h and perfcomp_mpi.h", (int)n, *entry);
    }
}

static PFC__QUIET void pfc__settings_read(void)
{
    const char *file = pfc__environment("PERFCOMP_FILE"), *clock = pfc__environment("PERFCOMP_CLOCK");
    pfc__settings.on = pfc__switch("PERFCOMP", 1);
    if (!pfc__settings.on) return;
    pfc__check_names();
    pfc__compensates = pfc__switch("PERFCOMP_COMPENSATE", 1);
    pfc__settings.report = pfc__switch("PERFCOMP_REPORT", 0);
    pfc__settings.verbose = pfc__switch("PERFCOMP_VERBOSE", 0);
    pfc__trace_read();
    pfc__settings.budget = pfc__share("PERFCOMP_BUDGET");
    pfc__scale_read();
    pfc__modelled_check();
    if (file && !strcmp(file, "none")) pfc__settings.in_memory = 1;
    else if (file && *file) pfc__note_setting("PERFCOMP_FILE=%s isn't understood: the one value is none; folders are set by PERFCOMP_DIR", file);
    if (clock && *clock && strcmp(clock, "system")) pfc__note_setting("PERFCOMP_CLOCK=%s isn't understood: the one value is system", clock);
    if (!pfc__folder("PERFCOMP_DIR", pfc__settings.folder, ".", "this run keeps its profile in memory only")) pfc__settings.in_memory = 1;
    if (pfc__settings.in_memory) return;
    pfc__folder_make(pfc__settings.folder);
    pfc__folder("PERFCOMP_LIVE", pfc__settings.live, 0, "the profile lies in its own folder from the start");
}

/* ----------------------------------------------------------- means (impl) ---
   Of a few measured values, some of which were disturbed. */

typedef struct pfc__figure { double value, error; } pfc__figure_t;

static PFC__QUIET void pfc__sort(double *value, int n)
{
    int i, j;
    for (i = 1; i < n; i++) {
        double v = value[i];
        for (j = i; j > 0 && value[j - 1] > v; j--) value[j] = value[j - 1];
        value[j] = v;
    }
}

/* Mean of n sorted values but for so many at each end, and its standard error: Tukey and McLaughlin,
   Less vulnerable confidence and significance procedures for location, 1963. */
static PFC__QUIET pfc__figure_t pfc__trimmed(const double *value, int n, int cut)
{
    double sum = 0, squares = 0, winsorized, kept = n - 2 * cut;
    pfc__figure_t mean;
    int i;
    for (i = cut; i < n - cut; i++) sum += value[i], squares += value[i] * value[i];
    winsorized = (sum + cut * (value[cut] + value[n - cut - 1])) / n;
    squares += cut * (value[cut] * value[cut] + value[n - cut - 1] * value[n - cut - 1]);
    mean.value = sum / kept;
    mean.error = sqrt(fabs(squares / n - winsorized * winsorized) * n) / kept;
    return mean;
}

/* The mean of the middle half, as a value that something disturbed says nothing. Where an eighth of them are much
   larger than the rest, that is no part of it: the mean of nearly all counts as far as it differs by more than chance
   (James and Stein, Estimation with quadratic loss, 1961). Sorts. */
static PFC__QUIET pfc__figure_t pfc__mean(double *value, int n)
{
    double apart, trust;
    pfc__figure_t middle, most;
    pfc__sort(value, n);
    middle = pfc__trimmed(value, n, n / 4);
    most = pfc__trimmed(value, n, n / 16);
    apart = most.value - middle.value;
    trust = fabs(apart) > most.error ? 1 - most.error * most.error / (apart * apart) : 0;
    middle.value += trust * apart;
    middle.error += trust * (most.error - middle.error);
    return middle;
}

/* ----------------------------------------------------------- cost (impl) ---
   §2 of the model: what one operation costs. Batches of the real hot path on a
   scratch thread state; a low quantile, because whatever disturbs a batch only
   makes it longer; the distance to the median is the uncertainty. */

static pfc__cost_t pfc__cost; /* this process's, in ticks */
static pfc__u64 pfc__atomic_hits; /* that an atomic one takes as long as; 0: there are none */

static pfc__i64 pfc__look; /* what pfc_timers takes; 0 where Δ stays 0, and in virtual time, which goes on by what PERFCOMP_SMPI_COST_NS names */

pfc__cost_t *pfc__costs(void) { return &pfc__cost; }

static PFC__QUIET pfc__i64 pfc__fixed(double ticks)
{
    return (pfc__i64)(ticks * (1 << PFC__FRACTION) + (ticks < 0 ? -0.5 : 0.5));
}

/* A cost turns out to be so many times as much, and that is in doubt. */
static PFC__QUIET void pfc__cost_times(double *cost, double *spread, double factor, double doubt)
{
    *cost *= factor;
    *spread = factor * *spread + doubt * *cost;
}

/* By PFC_HIT with PERFCOMP_THREADS: an atomic addition waits until all before it is done, so that most of it shows. What it
   costs where several threads add to one counter at once isn't known. */
#define PFC__ATOMIC_SHARE 0.8
#define PFC__ATOMIC_DOUBT 0.4
#define PFC__ATOMIC_MOST 1e6

/* What threads' counters are found with, in a row. How much of it shows depends on the code around it. What a load costs lies
   within the uncertainty of the hits that follow it. A call takes more than twice what a load does; one of the thread's memory may take
   some cycles more in a row than another (1.3 ns on a Zen 4, 0.6 times as long: charged, 20 million entries came to 20 ms too many of 24). */
#define PFC__FETCH_DOUBT 0.5
#define PFC__FETCH_LEAST 0.9 /* times what a load takes */

pfc__virtual_t pfc__virtual;

/* ---- virtual time: the costs are what PERFCOMP_SMPI_COST_NS says, 200 ns each by default */

#ifdef PERFCOMP_CHARGE
typedef struct pfc__modelled { double enter, exit, hit, mpi; } pfc__modelled_t;

#define PFC__MODELLED_MOST 1e12 /* ns */

/* A number of ns, and where it ends; NULL: there is none, or none that a cost can be. */
static PFC__QUIET const char *pfc__cost_number(const char *text, double *ns)
{
    const char *end;
    *ns = pfc__number(text, &end);
    return end != text && *ns >= 0 && *ns <= PFC__MODELLED_MOST ? end : 0;
}

static PFC__QUIET int pfc__cost_parse(const char *text, pfc__modelled_t *m)
{
    const struct { const char *name; double *cost; } kinds[] = {
        { "enter=", &m->enter }, { "exit=", &m->exit }, { "hit=", &m->hit }, { "mpi=", &m->mpi }
    };
    size_t i;
    const char *end = pfc__cost_number(text, &m->enter);
    if (end) {
        m->exit = m->hit = m->mpi = m->enter;
        return !*end;
    }
    for (;; text = end + 1) {
        for (i = 0; i < 4 && strncmp(text, kinds[i].name, strlen(kinds[i].name));) i++;
        end = i < 4 ? pfc__cost_number(text + strlen(kinds[i].name), kinds[i].cost) : 0;
        if (!end || (*end && *end != ',')) return 0;
        if (!*end) return 1;
    }
}

static PFC__QUIET void pfc__calibrate(pfc__cost_t *cost)
{
    const char *text = pfc__environment("PERFCOMP_SMPI_COST_NS");
    const pfc__modelled_t usual = { 200, 200, 0, 200 };
    pfc__modelled_t m = usual;
    if (text && *text && !pfc__cost_parse(text, &m)) {
        m = usual;
        pfc__note_setting("PERFCOMP_SMPI_COST_NS=%s isn't understood: use one number of ns, or enter=200,exit=200,hit=1,mpi=500", text);
    }
    cost->pair = cost->light = cost->empty_pair = m.enter + m.exit;
    cost->hit = m.hit;
    cost->mpi = m.mpi;
    pfc__virtual.enter = pfc__fixed(m.enter);
    pfc__virtual.exit = pfc__fixed(m.exit);
    pfc__virtual.hit = pfc__fixed(m.hit);
}

/* They are exact. */
static PFC__QUIET void pfc__cost_scale(pfc__cost_t *cost) { (void)cost; }
static PFC__QUIET pfc__u64 pfc__atomic_hits_measured(double hit) { (void)hit; return 1; }
static PFC__QUIET double pfc__fetch_cost(unsigned long long *(*own)(void)) { (void)own; return 0; } /* part of a hit */

/* All is charged outside of the two stamps. */
static PFC__QUIET void pfc__charge_by(pfc__thread_t *t, const pfc__cost_t *cost)
{
    int charges = pfc__compensates && PFC__CHARGES();
    (void)cost;
    t->enter = t->enter_pre = charges * pfc__virtual.enter;
    t->exit = charges * pfc__virtual.exit;
    t->exit_pre = t->light = 0;
}

#if defined PERFCOMP_SMPI
void pfc__virtual_begins(void)
{
    if (pfc__self) pfc__charge_by(pfc__self, &pfc__cost);
}
#endif

#else

#define PFC__BATCHES 41
#define PFC__BATCH 256

/* A thread of nobody's, on which probes can be tried: one path below another. */
static struct {
    pfc__thread_t thread;
    pfc__frame_t frame[2];
    pfc__node_t node[2];
} pfc__scratch;

/* Its trace: writing the events is most of what a probe costs then. */
#define PFC__SCRATCH_EVENTS 1024

static struct {
    pfc__event_t event[PFC__SCRATCH_EVENTS];
    pfc__shared_u64 written;
    pfc__ring_t ring;
} pfc__scratch_trace;

static PFC__QUIET pfc__ring_t *pfc__scratch_ring(void)
{
    pfc__ring_t *ring = &pfc__scratch_trace.ring;
    ring->event = pfc__scratch_trace.event;
    ring->mask = PFC__SCRATCH_EVENTS - 1;
    ring->written = &pfc__scratch_trace.written;
    return ring;
}

static pfc__site_t pfc__scratch_site = { 1, PFC__NAMED, 0, 0, "calibration", "", 0 };

/* No window ends there. */
static PFC__QUIET void pfc__scratch_reset(pfc__u32 window)
{
    pfc__thread_t *t = &pfc__scratch.thread;
    int i, k;
    memset(&pfc__scratch, 0, sizeof pfc__scratch);
    for (i = 0; i < 2; i++) {
        pfc__node_t *n = &pfc__scratch.node[i];
        n->shortest = INT64_MAX;
        n->longest = INT64_MIN;
        n->region = (pfc__u32)i;
        n->child = n->few;
        n->mask = PFC__FEW_CHILDREN - 1;
        for (k = 0; k < PFC__FEW_CHILDREN; k++) n->few[k] = &pfc__scratch.node[1];
    }
    pfc__scratch.frame[0].node = &pfc__scratch.node[0];
    pfc__scratch.frame[0].sp = ~(pfc__uptr)0;
    pfc__scratch.frame[1].depth = 1;
    t->top = t->bottom = pfc__scratch.frame;
    t->limit = pfc__scratch.frame + 1;
    t->enters_left = INT64_MAX;
    t->window = window;
    if (pfc__settings.trace) t->ring = pfc__scratch_ring();
    pfc__scratch.node[1].manner = PFC__MANNER_BRIEF;
    pfc__scratch.node[1].up = &pfc__scratch.node[0];
    pfc__scratch.node[1].due_in = window & PFC__WINDOW_LIGHT ? UINT32_MAX : 0;
    pfc__scratch_site.light = &pfc__scratch.node[1];
}

/* Ticks that an empty pair takes, the mean of so many. */
static PFC__QUIET double pfc__empty_pairs(pfc__u32 window, int pairs)
{
    pfc__thread_t *t = &pfc__scratch.thread;
    pfc__i64 begin;
    int i;
    pfc__scratch_reset(window);
    begin = pfc__clock();
    for (i = 0; i < pairs; i++) pfc__exit_on(t, pfc__enter_on(t, &pfc__scratch_site, pfc__stack_pointer()));
    return (double)(pfc__clock() - begin) / pairs;
}

/* Low quantile and its distance to the median; sorts. */
static PFC__QUIET void pfc__quantile(double *value, int n, double *low, double *spread)
{
    pfc__sort(value, n);
    *low = value[n / 10];
    *spread = value[n / 2] - *low;
}

static PFC__QUIET void pfc__calibrate_pairs(pfc__cost_t *cost)
{
    double pair[PFC__BATCHES], inside[PFC__BATCHES], light[PFC__BATCHES];
    int i;
    for (i = -2; i < PFC__BATCHES; i++) { /* two batches to warm up */
        int at = i < 0 ? 0 : i;
        pair[at] = pfc__empty_pairs(PFC__WINDOW_USUAL, PFC__BATCH);
        inside[at] = (double)pfc__scratch.node[1].exclusive / PFC__BATCH;
        light[at] = pfc__empty_pairs(PFC__WINDOW_LIGHT, PFC__BATCH);
    }
    pfc__quantile(pair, PFC__BATCHES, &cost->pair, &cost->pair_spread);
    pfc__quantile(inside, PFC__BATCHES, &cost->inside, &cost->inside_spread);
    pfc__quantile(light, PFC__BATCHES, &cost->light, &cost->light_spread);
    cost->empty_pair = cost->pair;
    pfc__scratch_reset(PFC__WINDOW_LIGHT);
}

/* A counter hit is an addition to memory. How much of it shows depends on the code around it and on the processor: of what
   one takes in a row of them, 0.2 to 0.8 on two Intel ones, and on an AMD one 0.2 to 0.5 in six programs of seven, but 1.1 in
   Lua's interpreter; on a third Intel one 0.8 in zlib, 1.2 in glpk, and more than 1.3 in bzip2 (tests/bench/compensation
   --flags=--count). Nothing in the run tells where a program lies, nor does it matter whether the compiler keeps the counter
   in a register: the uncertainty covers all but bzip2's. */
#define PFC__HIT_SHARE 0.45
#define PFC__HIT_DOUBT 0.8

#define PFC__HIT_ONE(i) ++*(unsigned long long *)(pfc__uptr)&counter[(i) & 63]; __asm__ __volatile__("" ::: "memory")

/* How many plain ones, of `hit` ticks, an atomic one is: found out where the first unit adds like that. */
static PFC__QUIET pfc__u64 pfc__atomic_hits_measured(double hit)
{
    static volatile unsigned long long counter[64];
    double ticks[PFC__BATCHES], low, spread, share = PFC__ATOMIC_SHARE;
    int i, k;
    for (i = 0; i < PFC__BATCHES; i++) {
        pfc__i64 begin = pfc__clock();
        for (k = 0; k < PFC__BATCH; k++) __atomic_fetch_add(&counter[k & 63], 1, __ATOMIC_RELAXED);
        ticks[i] = (double)(pfc__clock() - begin) / PFC__BATCH;
    }
    pfc__quantile(ticks, PFC__BATCHES, &low, &spread);
    if (pfc__settings.scale > 0) share *= pfc__settings.scale; /* as in `hit` */
    return hit > 0 && share * low > hit ? (pfc__u64)fmin(share * low / hit + .5, PFC__ATOMIC_MOST) : 1;
}

/* Another load. */
static PFC__QUIET unsigned long long *pfc__own_loaded(void)
{
    static unsigned long long nowhere, *volatile slot = &nowhere;
    unsigned long long *found = slot;
    return PFC__LIKELY(found != 0) ? found : &nowhere;
}

/* The least of some batches: too few for a quantile, as each unit is measured while the program runs. */
static PFC__QUIET double pfc__own_ticks(unsigned long long *(*own)(void))
{
    unsigned long long *(*volatile call)(void) = own;
    double least = INFINITY;
    int i, k;
    for (i = 0; i < 4; i++) {
        pfc__i64 begin = pfc__clock();
        for (k = 0; k < 128; k++) (void)call();
        least = fmin(least, (double)(pfc__clock() - begin) / 128);
    }
    return least;
}

/* Of a function's entry, under threads: a load, or in shared objects a call (__tls_get_addr), which alone is charged. */
static PFC__QUIET double pfc__fetch_cost(unsigned long long *(*own)(void))
{
    double scale = pfc__settings.scale > 0 ? pfc__settings.scale : 1;
    double load = pfc__own_ticks(pfc__own_loaded), ticks = pfc__own_ticks(own) - load;
    return ticks > PFC__FETCH_LEAST * load ? scale * ticks : 0;
}

static PFC__QUIET void pfc__calibrate_hits(pfc__cost_t *cost)
{
    static volatile unsigned long long counter[64];
    double hits[PFC__BATCHES], loops[PFC__BATCHES]; /* ticks a hit, with the loop around it and of that alone */
    double hit, hit_width, loop, loop_width;
    int i, k;
    for (i = 0; i < PFC__BATCHES; i++) {
        pfc__i64 a = pfc__clock(), b, c;
        for (k = 0; k < PFC__BATCH; k++) __asm__ __volatile__("" ::: "memory");
        b = pfc__clock();
        for (k = 0; k < PFC__BATCH; k++) { /* several a turn: one would hide behind the loop's own branch */
            PFC__HIT_ONE(k); PFC__HIT_ONE(k + 8); PFC__HIT_ONE(k + 16); PFC__HIT_ONE(k + 24);
        }
        c = pfc__clock();
        loops[i] = (double)(b - a) / (4 * PFC__BATCH);
        hits[i] = (double)(c - b) / (4 * PFC__BATCH);
    }
    pfc__quantile(loops, PFC__BATCHES, &loop, &loop_width);
    pfc__quantile(hits, PFC__BATCHES, &hit, &hit_width);
    cost->hit = PFC__HIT_SHARE * (hit - loop);
    cost->hit_spread = PFC__HIT_DOUBT * (hit - loop) + hit_width + loop_width;
    if (!(pfc__settings.scale > 0)) return;
    cost->hit *= pfc__settings.scale;
    cost->hit_spread = pfc__settings.scale_doubt * cost->hit;
}

static PFC__CALLED pfc_timers_t pfc__timers_of(pfc__thread_t *t);

#define PFC__LOOKS 64

/* A program that asks often for its own timers is slower for that, too. */
static PFC__QUIET void pfc__calibrate_looks(void)
{
    double ticks[PFC__BATCHES], low, spread;
    int i, k;
    if (!pfc__compensates) return;
    for (i = 0; i < PFC__BATCHES; i++) {
        pfc__i64 begin = pfc__clock();
        for (k = 0; k < PFC__LOOKS; k++) {
            pfc__thread_get(); /* there is none yet, which takes as long to find out */
            pfc__timers_of(&pfc__scratch.thread);
        }
        ticks[i] = (double)(pfc__clock() - begin) / PFC__LOOKS;
    }
    pfc__quantile(ticks, PFC__BATCHES, &low, &spread);
    pfc__look = pfc__fixed(low);
}

static PFC__QUIET void pfc__calibrate(pfc__cost_t *cost)
{
    pfc__calibrate_pairs(cost);
    pfc__calibrate_looks();
    pfc__calibrate_hits(cost);
}

/* PERFCOMP_SCALE: what no run can see of its own costs has been seen from outside.
   Hits are scaled where they are calibrated: no window shows them. */
static PFC__QUIET void pfc__cost_scale(pfc__cost_t *cost)
{
    double scale = pfc__settings.scale, doubt = pfc__settings.scale_doubt;
    if (!(scale > 0)) return;
    pfc__cost_times(&cost->pair, &cost->pair_spread, scale, doubt);
    pfc__cost_times(&cost->inside, &cost->inside_spread, scale, doubt);
    pfc__cost_times(&cost->light, &cost->light_spread, scale, doubt);
}

#define PFC__BRIEF 100 /* empty pairs: beyond that, timing hardly shows */

/* The stamps stand in the middle of what an enter, and what an exit costs
   outside and inside of them: only the two sums can be observed. */
static PFC__QUIET void pfc__charge_by(pfc__thread_t *t, const pfc__cost_t *cost)
{
    pfc__i64 pair = pfc__fixed(cost->pair), inside = pfc__fixed(cost->inside);
    pfc__i64 outside = pair - inside;
    if (!pfc__compensates) return;
    t->enter_pre = outside / 2;
    t->enter = t->enter_pre + inside - inside / 2;
    t->exit_pre = inside / 2;
    t->exit = pair - t->enter;
    t->light = pfc__fixed(cost->light);
    t->brief = (pfc__i64)(PFC__BRIEF * cost->empty_pair);
    t->pair_doubt = cost->pair > 0 ? cost->pair_spread / cost->pair : 0;
    t->hit_doubt = cost->hit > 0 ? cost->hit_spread / cost->hit : 0;
}

#endif

/* ---------------------------------------------------------- dose (impl) ---
   A second dose: an untimed entry of nothing, which each untimed entry brings
   with it in windows that are to show what one takes (context.c). It does what
   an instrumented function does, in as many calls, but on the scratch thread, as
   pfc__calibrate_pairs has left that.

   Its code isn't the program's own entries'. When it was, a second dose took half
   as much again in one run of ten of some builds, for seconds or to its end, and
   sqlite3 came out 40 % too low; most likely as processors foretell by a load's
   place in the code on which store it waits. Nor is it one copy of that: in one
   build of twelve it took up to three times as much, as branches are foretold by
   a few bits of their place. So there are several, in turn. How else it was tried:
   tests/bench/measured.md. */

#ifdef PERFCOMP_CHARGE /* there are no windows */

static PFC__QUIET void pfc__dose_turn(void) { }
static PFC__QUIET void pfc__empty_untimed(int turned) { (void)turned; }
static PFC__QUIET void pfc__empty_leaf(void) { }
static PFC__QUIET int pfc__empty_within(const pfc__site_t *site) { (void)site; return 0; }

#else

static pfc__site_t pfc__scratch_turned = { 1, PFC__NAMED, 0, 0, "calibration", "", &pfc__scratch.node[0] };
static pfc__site_t pfc__scratch_leaf = { 1, PFC__NAMED, 0, 1, "calibration", "", &pfc__scratch.node[1] };

/* The number keeps compilers from taking them for the same. `hot`: for speed, as the program's own are. */
#define PFC__DOSE(n) \
    static PFC__CALLED __attribute__((hot)) void pfc__dose_##n(pfc__site_t *site, pfc__uptr sp, pfc__thread_t *t) \
    { \
        pfc__u64 depth = pfc__self && !pfc__is_off() ? pfc__enter_on(t, site, sp) : 0; \
        __asm__ __volatile__("/* " #n " */" ::: "memory"); \
        if (depth && pfc__self) pfc__exit_on(t, depth); \
    } \
    static PFC__CALLED __attribute__((hot)) void pfc__leaf_dose_##n(pfc__site_t *site, pfc__uptr sp, pfc__thread_t *t) \
    { \
        __asm__ __volatile__("/* " #n " */"); \
        if (pfc__self && !pfc__is_off()) pfc__enter_on(t, site, sp); \
    }
#define PFC__DOSES(n) { pfc__dose_##n, pfc__leaf_dose_##n }

PFC__DOSE(0) PFC__DOSE(1) PFC__DOSE(2) PFC__DOSE(3) PFC__DOSE(4) PFC__DOSE(5) PFC__DOSE(6) PFC__DOSE(7)

#define PFC__DOSE_WINDOWS 64 /* until it is another copy's turn */

typedef void pfc__dosed_t(pfc__site_t *site, pfc__uptr sp, pfc__thread_t *t);
typedef struct pfc__dose { pfc__dosed_t *of_any, *of_leaf; } pfc__dose_t;

static const pfc__dose_t pfc__doses[] = { PFC__DOSES(0), PFC__DOSES(1), PFC__DOSES(2), PFC__DOSES(3),
                                          PFC__DOSES(4), PFC__DOSES(5), PFC__DOSES(6), PFC__DOSES(7) };
static pfc__dose_t pfc__dose = PFC__DOSES(0);

static PFC__QUIET void pfc__dose_turn(void)
{
    static unsigned n;
    pfc__dose = pfc__doses[++n / PFC__DOSE_WINDOWS % (sizeof pfc__doses / sizeof *pfc__doses)];
}

/* `turned`: of a site that was last entered on another path, which takes longer. */
static PFC__QUIET void pfc__empty_untimed(int turned)
{
    pfc__dose.of_any(turned ? &pfc__scratch_turned : &pfc__scratch_site, pfc__stack_pointer(), &pfc__scratch.thread);
    pfc__scratch_turned.light = &pfc__scratch.node[0];
}

static PFC__QUIET void pfc__empty_leaf(void)
{
    pfc__dose.of_leaf(&pfc__scratch_leaf, pfc__stack_pointer(), &pfc__scratch.thread);
}

/* In a signal handler that came amid another dose, or after one that did and didn't come back, there is no room for the
   scratch thread's only region: it is entered as if there were, and left again. */
static PFC__QUIET int pfc__empty_within(const pfc__site_t *site)
{
    pfc__thread_t *t = &pfc__scratch.thread;
    pfc__frame_t *top;
    if (site != &pfc__scratch_site && site != &pfc__scratch_turned && site != &pfc__scratch_leaf) return 0;
    top = t->top;
    t->top = t->bottom;
    if (site == &pfc__scratch_leaf) pfc__empty_leaf();
    else pfc__empty_untimed(0);
    t->top = top;
    return 1;
}

#endif

/* --------------------------------------------------------- arena (impl) ---
   The memory of the profile: one reserved range of addresses, backed bit by
   bit by the profile file. Space is allocated in the file before it is mapped:
   a full disk is then an error that we see here, and no SIGBUS in the program.
   The file is kept open, for a program that gives up its privileges or calls
   chroot couldn't open it again; but one that closes all descriptors must not
   make us write into whatever gets the number next. */

static struct {
    unsigned char *base;         /* NULL: no arena, perfcomp is off */
    size_t reserved, backed, used;
    int fd;                      /* -1: none is kept, the file is opened by its name when needed */
    int plain;                   /* 1: neither file nor anonymous file, counters are copied at the end */
    int full;                    /* 1: growing has failed, and was said */
    int second;                  /* 1: another copy of perfcomp records this process as well */
    dev_t device;
    ino_t inode;
    char path[PATH_MAX];         /* empty: in memory only */
    char link[PATH_MAX];         /* with PERFCOMP_LIVE: what leads from the folder to it */
} pfc__arena;

#define PFC__HEADER ((pfc__header_t *)(void *)pfc__arena.base)

static PFC__QUIET size_t pfc__round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

static PFC__QUIET void pfc__arena_close(int fd)
{
    if (fd >= 0 && fd != pfc__arena.fd) pfc__sys_close(fd);
}

/* Whether that is the file which we made, and it still has a name, if it had one. */
static PFC__QUIET int pfc__arena_is(int fd)
{
    struct stat s;
    return !pfc__sys_fstat(fd, &s) && s.st_dev == pfc__arena.device && s.st_ino == pfc__arena.inode &&
           (s.st_nlink || !pfc__arena.path[0]);
}

/* The file again; -1 and errno. */
static PFC__QUIET int pfc__arena_open(void)
{
    int fd = pfc__arena.fd;
    if (fd >= 0 && pfc__arena_is(fd)) return fd;
    pfc__arena.fd = -1; /* the number is the program's now */
    fd = pfc__arena.path[0] ? pfc__sys_open(pfc__arena.path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0 || pfc__arena_is(fd)) return fd;
    pfc__sys_close(fd);
    errno = ENOENT;
    return -1;
}

/* The file is no longer needed, or it was the parent's. */
static PFC__QUIET void pfc__arena_forget(void)
{
    if (pfc__arena.fd >= 0 && pfc__arena_is(pfc__arena.fd)) pfc__sys_close(pfc__arena.fd);
    pfc__arena.fd = -1;
}

/* Takes `fd` over as the profile's file, out of the way of programs that count their descriptors from 3. */
static PFC__QUIET int pfc__arena_keep(int fd)
{
    struct stat s;
    if (pfc__sys_fstat(fd, &s)) return errno;
    pfc__arena.device = s.st_dev;
    pfc__arena.inode = s.st_ino;
    pfc__arena.fd = pfc__sys_fcntl(fd, F_DUPFD_CLOEXEC, 500);
    if (pfc__arena.fd >= 0 || pfc__arena.path[0]) pfc__sys_close(fd); /* what has a name can be opened again */
    else pfc__arena.fd = fd;
    return 0;
}

/* Beyond the limit SIGXFSZ would end the program. It counts for anonymous files as well. */
int pfc__fits_file_limit(size_t bytes)
{
    struct rlimit limit;
    return !PFC__LETS(prlimit64) || getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

static PFC__QUIET int pfc__allocate(int fd, size_t from, size_t bytes)
{
    int error = EINTR; /* as where the program is stopped amid it, or frozen */
    if (!pfc__fits_file_limit(from + bytes)) return EFBIG;
    if (!PFC__LETS(fallocate)) return EPERM;
    while (error == EINTR) error = posix_fallocate(fd, (off_t)from, (off_t)bytes);
    return error;
}

static PFC__QUIET int pfc__arena_back_to(size_t to)
{
    size_t from = pfc__arena.backed;
    int flags = pfc__arena.plain ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED : MAP_SHARED | MAP_FIXED;
    int fd = -1, error = 0;
#if defined MAP_POPULATE
    flags |= MAP_POPULATE; /* page faults now, not in the hot path */
#endif
    if (to > pfc__arena.reserved) return ENOMEM;
    if (!pfc__arena.plain) {
        fd = pfc__arena_open();
        if (fd < 0) return errno;
        error = pfc__allocate(fd, from, to - from);
    }
    if (!error && pfc__sys_mmap(pfc__arena.base + from, to - from, PROT_READ | PROT_WRITE, flags, fd, (off_t)from) == MAP_FAILED)
        error = errno;
    pfc__arena_close(fd);
    if (!error) pfc__arena.backed = to;
    return error;
}

/* Backs the reserved range up to `end`, and to some more; without that where there is no room, but for the first piece: a
   profile that can't grow from its beginning is of no use. 0, or an errno. */
static PFC__QUIET int pfc__arena_back(size_t end)
{
    size_t chunk = pfc__arena.backed < 1u << 20 ? 1u << 18 : 1u << 20;
    int error;
    if (end <= pfc__arena.backed) return 0;
    error = pfc__arena_back_to(pfc__round_up(end, chunk));
    return error && pfc__arena.backed ? pfc__arena_back_to(pfc__round_up(end, PFC__PAGE)) : error;
}

/* Whether so much can be taken: 0, or an errno. */
static PFC__QUIET int pfc__arena_lacks(size_t bytes)
{
    return pfc__arena_back(pfc__round_up(pfc__arena.used, 64) + pfc__round_up(bytes, 64));
}

/* `bytes` of zeroed memory whose distance to the arena's begin is a multiple of `align`; NULL: no room. */
static PFC__QUIET void *pfc__arena_take(size_t bytes, size_t align)
{
    size_t at = pfc__round_up(pfc__arena.used, align), end = at + pfc__round_up(bytes, 64);
    int error, saved = errno;
    if (!pfc__arena.base || pfc__arena.full) return 0;
    error = pfc__arena_back(end);
    errno = saved; /* amid an enter or exit, maybe */
    if (error) {
        pfc__arena.full = 1;
        pfc__note("the profile can't grow beyond %zu KiB (%s): new regions and paths are counted as overflow; "
                  "make room%s%s", pfc__arena.used >> 10, strerror(error),
                  pfc__arena.path[0] ? " for " : "", pfc__arena.path);
        return 0;
    }
    pfc__arena.used = end;
    return pfc__arena.base + at;
}

/* The file gets no byte more: what is there becomes a private copy, what is to come is private from the beginning. */
static PFC__QUIET void pfc__arena_leave(int fd)
{
    size_t end = pfc__round_up(pfc__arena.used, (size_t)sysconf(_SC_PAGESIZE)); /* its last page: behind it is no file */
    pfc__sys_mmap(pfc__arena.base, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0);
    pfc__arena.backed = end;
    pfc__arena.plain = 1;
}

static PFC__QUIET int pfc__arena_reserve(size_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#if defined MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    for (; bytes >= 1u << 20; bytes /= 4) { /* less under ulimit -v */
        void *range = pfc__sys_mmap(0, bytes, PROT_NONE, flags, -1, 0);
        if (range == MAP_FAILED) continue;
        pfc__arena.base = (unsigned char *)range;
        pfc__arena.reserved = bytes;
        return 0;
    }
    return errno;
}

/* It doesn't grow any more: a limit that the program has set itself counts its addresses. */
static PFC__QUIET void pfc__arena_shrink(void)
{
    pfc__sys_munmap(pfc__arena.base + pfc__arena.backed, pfc__arena.reserved - pfc__arena.backed);
    pfc__arena.reserved = pfc__arena.backed;
}

static PFC__QUIET void pfc__arena_in_memory(void)
{
    int fd = -1;
    pfc__arena_forget();
    pfc__arena.path[0] = 0;
#if defined SYS_memfd_create
    if (pfc__fits_file_limit((size_t)1 << 30)) fd = pfc__sys_memfd_create("perfcomp");
#endif
    pfc__arena.plain = fd < 0 || pfc__arena_keep(fd);
}

/* --------------------------------------------------------- files (impl) ---
   Which file this process writes. perfcomp.<rank>.pfc when it can be had: an
   ended profile, or one of a process that died, gives way. A profile of a
   process that still runs, or of this same process before exec, is kept, and
   ours is called perfcomp.<rank>.<pid>.pfc. A lock on the folder makes looking
   and taking one step. */

/* Whether that profile is being written in this very process, by another copy of perfcomp: it then lies where its
   header says. Read as a file is, because anything may be at that address after exec. */
static PFC__QUIET int pfc__lies_here(const pfc__header_t *h)
{
    pfc__header_t here;
    int fd = pfc__sys_open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pfc__sys_pread(fd, &here, sizeof here, (off_t)h->base);
    if (fd >= 0) pfc__sys_close(fd);
    return n == (ssize_t)sizeof here && !memcmp(here.magic, PFC__MAGIC, 8) && here.pid == h->pid &&
           here.process_start == h->process_start && here.base == h->base;
}

/* Whoever writes a profile holds a lock on it: a process's number tells nothing of one in another container, or on another host. */
static PFC__QUIET int pfc__file_is_held(int fd)
{
    return fd >= 0 && pfc__sys_flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
}

/* Whether a profile with this name must be kept: it is in use, or was ours before exec. Opening doesn't wait: a pipe of
   that name would hold the program up for ever, its signals blocked. */
static PFC__QUIET int pfc__file_taken(const char *path)
{
    pfc__header_t h;
    int fd = pfc__sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : pfc__sys_read(fd, &h, sizeof h);
    int held = pfc__file_is_held(fd);
    pfc__u64 start;
    if (fd >= 0) pfc__sys_close(fd);
    if (n < (ssize_t)sizeof h || memcmp(h.magic, PFC__MAGIC, 8)) return 0;
    held &= h.state == PFC__RUNNING;
    start = pfc__process_start((pid_t)h.pid);
    if (h.process_start && start && h.process_start != start) return held; /* the pid was given anew */
    if (h.pid == pfc__sys_getpid()) {
        pfc__arena.second |= h.state == PFC__RUNNING && pfc__lies_here(&h);
        return 1;
    }
    return held || (h.state == PFC__RUNNING && pfc__process_exists((pid_t)h.pid) && !pfc__is_zombie((pid_t)h.pid));
}

static PFC__QUIET int pfc__folder_lock(const char *folder)
{
    int fd = pfc__sys_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) pfc__sys_flock(fd, LOCK_EX);
    return fd;
}

static PFC__QUIET void pfc__folder_unlock(int fd)
{
    if (fd >= 0) pfc__sys_close(fd);
}

/* One of perfcomp.R.pfc, perfcomp.R.PID.pfc, perfcomp.R.PID.2.pfc …; whether it isn't too long. */
static PFC__QUIET int pfc__file_numbered(char *path, const char *folder, int rank, int i)
{
    int n;
    if (i == 0) n = snprintf(path, PATH_MAX, "%s/perfcomp.%d.pfc", folder, rank);
    else if (i == 1) n = snprintf(path, PATH_MAX, "%s/perfcomp.%d.%ld.pfc", folder, rank, (long)pfc__sys_getpid());
    else n = snprintf(path, PATH_MAX, "%s/perfcomp.%d.%ld.%d.pfc", folder, rank, (long)pfc__sys_getpid(), i);
    return n >= 0 && n < PATH_MAX;
}

/* The first free one of them. Under the folder's lock. */
static PFC__QUIET int pfc__file_name(char *path, const char *folder, int rank, int own_name_only)
{
    int i;
    for (i = own_name_only ? 1 : 0; i < 1000; i++) {
        if (!pfc__file_numbered(path, folder, rank, i)) return ENAMETOOLONG;
        if (!pfc__file_taken(path)) return 0;
    }
    return EEXIST;
}

/* A process that was forked, and then became this program by exec, belongs to its parent's run: a daemon that starts
   itself anew when its parent has ended would replace the parent's profile, and all of the run be one of an earlier run. */
static PFC__QUIET int pfc__had_own_name(int rank)
{
    char path[PATH_MAX];
    return pfc__file_numbered(path, pfc__settings.folder, rank, 1) && pfc__file_taken(path);
}

/* An old profile gives way. That of a program that was killed may still lie in
   PERFCOMP_LIVE's folder, where it would hold memory for good. Whether there is none of that name now. */
static PFC__QUIET int pfc__file_remove(const char *path)
{
    char target[PATH_MAX];
    ssize_t n = pfc__sys_readlink(path, target, sizeof target - 1);
    if (n > 0 && n < (ssize_t)sizeof target - 1) {
        const char *name;
        int end = 0;
        target[n] = 0;
        name = strrchr(target, '/'); /* a link that isn't to a name of pfc__file_take's is the user's */
        if (name && sscanf(name, "/perfcomp.%*d.%*d.%*x.pfc%n", &end) == 0 && end && !name[end]) pfc__sys_unlink(target);
    }
    return pfc__sys_unlink(path) == 0 || errno == ENOENT;
}

/* A new file: whoever still reads the old one of this name keeps it; where that can't be removed, errno says why. Daemons'
   umask is 0 as a rule: nobody else is to write there. */
static PFC__QUIET int pfc__file_create(const char *path)
{
    return pfc__file_remove(path) ? pfc__sys_create(path, O_RDWR | O_EXCL | O_CLOEXEC, 0644) : -1;
}

/* Between pfc__writing_begin and _end. 0, or an errno. */
static PFC__QUIET int pfc__write_from(int fd, const void *from, pfc__u64 bytes, pfc__u64 at)
{
    const char *byte = (const char *)from;
    while (bytes) {
        ssize_t n = pfc__sys_pwrite(fd, byte, (size_t)(bytes < 1u << 30 ? bytes : 1u << 30), (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n && errno ? errno : ENOSPC;
        byte += n;
        at += (pfc__u64)n;
        bytes -= (pfc__u64)n;
    }
    return 0;
}

static PFC__QUIET int pfc__write_at(int fd, const void *from, pfc__u64 bytes, pfc__u64 at)
{
    pfc__writing_t writing;
    int error;
    pfc__writing_begin(&writing);
    error = pfc__write_from(fd, from, bytes, at);
    pfc__writing_end(&writing);
    return error;
}

/* Whose it is, while the folder is still locked: the header itself comes later. */
static PFC__QUIET int pfc__file_mark(int fd)
{
    pfc__header_t h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, PFC__MAGIC, 8);
    h.pid = pfc__sys_getpid();
    h.process_start = pfc__process_start(pfc__sys_getpid());
    h.state = PFC__RUNNING;
    return pfc__write_at(fd, &h, sizeof h, 0);
}

/* From the folder to PERFCOMP_LIVE's. */
static PFC__QUIET int pfc__file_link(const char *link)
{
    return pfc__file_remove(link) && !pfc__sys_symlink(pfc__arena.path, link) ? 0 : errno;
}

/* With PERFCOMP_LIVE the file lies there, and a link in the folder leads readers to it: once there is such a file, as the
   link takes the place of an earlier run's profile. When that fails, pfc__arena.path names what couldn't be made. */
static PFC__QUIET int pfc__file_take(int rank, int own_name_only)
{
    const char *folder = pfc__settings.folder, *live = pfc__settings.live;
    char link[PATH_MAX] = "", *at_fault = 0;
    int lock = pfc__folder_lock(folder), fd = -1;
    int error = pfc__file_name(pfc__arena.path, folder, rank, own_name_only || pfc__had_own_name(rank));
    if (!error && *live) {
        int n;
        memcpy(link, pfc__arena.path, sizeof link);
        n = snprintf(pfc__arena.path, PATH_MAX, "%s/perfcomp.%d.%ld.%llx.pfc", live, rank, (long)pfc__sys_getpid(),
                     (unsigned long long)pfc__clock_monotonic());
        if (n < 0 || n >= PATH_MAX) error = ENAMETOOLONG;
    }
    if (!error && (fd = pfc__file_create(pfc__arena.path)) < 0) error = errno == ENOENT && pfc__settings.unmade ? pfc__settings.unmade : errno;
    if (!error) pfc__sys_flock(fd, LOCK_EX | LOCK_NB); /* for as long as it's open */
    if (!error && (error = pfc__allocate(fd, 0, PFC__PAGE)) == 0) error = pfc__file_mark(fd);
    if (!error && *link && (error = pfc__file_link(link)) != 0) at_fault = link;
    if (!error) error = pfc__arena_keep(fd);
    if (error && fd >= 0) pfc__sys_unlink(pfc__arena.path), pfc__sys_close(fd);
    if (at_fault) memcpy(pfc__arena.path, at_fault, sizeof link);
    memcpy(pfc__arena.link, link, sizeof link);
    pfc__folder_unlock(lock);
    return error;
}

/* Gives the file its final name; it may have that already, and keeps the present one when that is taken. */
static PFC__QUIET void pfc__file_rename(int rank)
{
    char to[PATH_MAX];
    int lock = pfc__folder_lock(pfc__settings.folder);
    char *from = *pfc__arena.link ? pfc__arena.link : pfc__arena.path;
    int n = snprintf(to, sizeof to, "%s/perfcomp.%d.pfc", pfc__settings.folder, rank);
    int named = n < 0 || (size_t)n >= sizeof to || !strcmp(from, to);
    if (!named && !pfc__file_name(to, pfc__settings.folder, rank, 0) && !pfc__sys_rename(from, to)) memcpy(from, to, sizeof to);
    pfc__folder_unlock(lock);
}

static PFC__QUIET int pfc__file_copy(int from, int to)
{
    static char block[1 << 16];
    pfc__u64 at = 0;
    ssize_t n;
    int error = 0;
    while (!error && (n = pfc__sys_read(from, block, sizeof block)) != 0) {
        error = n < 0 ? errno : pfc__write_at(to, block, (pfc__u64)n, at);
        at += (pfc__u64)n;
    }
    return error;
}

/* From PERFCOMP_LIVE to where the profile belongs. When that fails it stays, and the link still finds it, if nobody has
   removed it (systemd clears a user's /dev/shm as he logs out). */
static PFC__QUIET void pfc__file_settle(void)
{
    char temporary[PATH_MAX];
    int n, from, to, error;
    if (!*pfc__arena.link || !pfc__arena.path[0]) return;
    n = snprintf(temporary, sizeof temporary, "%s.new", pfc__arena.link);
    if (n < 0 || n >= PATH_MAX) return;
    from = pfc__sys_open(pfc__arena.path, O_RDONLY | O_CLOEXEC);
    to = pfc__file_create(temporary);
    error = from < 0 || to < 0 ? errno : pfc__file_copy(from, to);
    if (from >= 0) pfc__sys_close(from);
    if (to >= 0 && pfc__sys_close(to) && !error) error = errno;
    if (!error && pfc__sys_rename(temporary, pfc__arena.link)) error = errno;
    if (!error) { pfc__sys_unlink(pfc__arena.path); return; }
    pfc__sys_unlink(temporary);
    if (from < 0) pfc__note("the profile is lost: %s was removed while the program ran; set PERFCOMP_LIVE to a folder that nobody clears",
                            pfc__arena.path);
    else pfc__note("can't move the profile to %s (%s): it stays in %s", pfc__arena.link, strerror(error), pfc__arena.path);
}

/* ---- one file for a job */

const char *pfc__profile_file_name(void) { return *pfc__arena.link ? pfc__arena.link : pfc__arena.path; }

void pfc__profile_remove(void)
{
    if (*pfc__profile_file_name()) pfc__file_remove(pfc__profile_file_name());
    pfc__arena.path[0] = pfc__arena.link[0] = 0;
}

static PFC__QUIET int pfc__job_file_name(char *path, const char *ending)
{
    int n = snprintf(path, PATH_MAX, "%s/perfcomp.pfc%s", pfc__settings.folder, ending);
    return n < 0 || n >= PATH_MAX ? ENAMETOOLONG : 0;
}

int pfc__job_file_create(char *path, pfc__u64 bytes)
{
    int fd, error = pfc__job_file_name(path, ".new");
    if (error) return error;
    fd = pfc__file_create(path);
    if (fd < 0) return errno;
    error = pfc__allocate(fd, 0, (size_t)bytes);
    pfc__sys_close(fd);
    return error;
}

int pfc__job_file_settle(int error)
{
    char from[PATH_MAX], to[PATH_MAX];
    if (pfc__job_file_name(from, ".new") || pfc__job_file_name(to, "")) error = ENAMETOOLONG;
    if (!error && pfc__sys_rename(from, to)) error = errno;
    if (!error) return 0;
    pfc__sys_unlink(from);
    pfc__note("the profiles of all ranks can't be written to %s (%s): each stays in a file of its own", to, strerror(error));
    return error;
}

/* ------------------------------------------------------- mutexes (impl) ---
   Ours, which are none of those that the program waits for (see locks). */

/* Where the linker can put our functions in place of the library's. A simulated process has one thread. */
#if defined __ELF__ && !defined PERFCOMP_SMPI
#  define PFC__THREADS_MEET
#endif

#if defined PFC__THREADS_MEET
extern __attribute__((weak)) int __real_pthread_mutex_lock(pthread_mutex_t *);
extern __attribute__((weak)) int __real_pthread_mutex_unlock(pthread_mutex_t *);
#  define PFC__REAL(name) (__real_##name ? __real_##name : name)
#else
#  define PFC__REAL(name) name
#endif

void pfc__mutex_lock(void *mutex) { PFC__REAL(pthread_mutex_lock)((pthread_mutex_t *)mutex); }
void pfc__mutex_unlock(void *mutex) { PFC__REAL(pthread_mutex_unlock)((pthread_mutex_t *)mutex); }

/* -------------------------------------------------------- inside (impl) ---
   While a thread is inside perfcomp: the lock on all lists, and how the handlers of signals are kept from
   meeting one that is half changed. */

static pthread_mutex_t pfc__lock = PTHREAD_MUTEX_INITIALIZER; /* the arena and all lists; never in the hot path */
PFC__TLS int pfc__busy; /* this thread is inside perfcomp: a signal handler must not wait for it */

/* strays.c: whether this process was forked, and our handlers don't know */
static PFC__QUIET int pfc__is_stray(void);
static PFC__QUIET void pfc__stray_leaves(void);

/* ---- while a thread forks

   From its preparation on until the child is there nobody changes a list: the child gets them as they are. The lock isn't held,
   though. Handlers of libraries that were there before ours run behind it, and may wait for what a thread has in its hands
   that wants a list here. When it has been asleep for long it isn't waited for any more, and its child isn't recorded. */

enum pfc__fork_state { PFC__NO_FORK, PFC__FORK_IS_ON, PFC__FORK_OVERTAKEN };
static enum pfc__fork_state pfc__fork_state; /* under the lock, as the next one */
static pfc__i64 pfc__fork_thread;            /* whose it is */

/* Each takes 0.1 ms and more. Of one that is seen to be asleep fewer are enough, and a few, once that has come to nothing. */
enum { PFC__FORK_LOOKS = 10000, PFC__FORK_LOOKS_ASLEEP = 2000, PFC__FORK_LOOKS_AGAIN = 100 };

/* Under the lock, which it gives back meanwhile. */
static PFC__COLD void pfc__fork_await(void)
{
    const struct timespec pause = { 0, 100000 };
    static int enough = PFC__FORK_LOOKS_ASLEEP;
    int looks = 0, asleep = 0, saved = errno;
    while (pfc__fork_state == PFC__FORK_IS_ON && looks < PFC__FORK_LOOKS && asleep < enough) {
        pfc__i64 thread = pfc__fork_thread;
        pfc__mutex_unlock(&pfc__lock);
        pfc__sys_nanosleep(&pause);
        if (++looks % 10 == 0) asleep = pfc__is_asleep(pfc__sys_getpid(), thread) ? asleep + 10 : 0;
        pfc__mutex_lock(&pfc__lock);
    }
    if (pfc__fork_state == PFC__FORK_IS_ON) pfc__fork_state = PFC__FORK_OVERTAKEN, enough = PFC__FORK_LOOKS_AGAIN;
    errno = saved;
}

static PFC__QUIET void pfc__lock_take(void)
{
    pfc__mutex_lock(&pfc__lock);
    if (PFC__UNLIKELY(pfc__fork_state == PFC__FORK_IS_ON)) pfc__fork_await();
}

/* ---- while a thread is inside */

/* This thread is inside perfcomp. Until it is out no signal handler comes, which might leave by siglongjmp what we have only
   half done. Faults of our own come. */
static PFC__QUIET void pfc__work_begins(sigset_t *held)
{
    pfc__signals_hold(held);
    pfc__busy = 1;
    if (PFC__UNLIKELY(pfc__is_stray())) pfc__stray_leaves();
}

static PFC__QUIET void pfc__work_ends(const sigset_t *held)
{
    pfc__busy = 0;
    pfc__signals_release(held);
}

/* Where nothing else would find that out. */
static PFC__QUIET void pfc__stray_look(void)
{
    sigset_t held;
    if (PFC__LIKELY(!pfc__is_stray()) || pfc__busy) return;
    pfc__work_begins(&held);
    pfc__work_ends(&held);
}

static sigset_t pfc__held; /* under the lock */

static PFC__QUIET void pfc__lists_enter(void)
{
    sigset_t held;
    pfc__work_begins(&held);
    pfc__lock_take();
    pfc__held = held;
}

static PFC__QUIET void pfc__lists_leave(void)
{
    sigset_t held = pfc__held;
    pfc__mutex_unlock(&pfc__lock);
    pfc__work_ends(&held);
}

/* 0: another thread is at them, or this one already. */
static PFC__QUIET int pfc__lists_try(void)
{
    sigset_t held;
    if (pfc__busy) return 0;
    pfc__work_begins(&held);
    if (!pthread_mutex_trylock(&pfc__lock)) {
        pfc__held = held;
        if (PFC__LIKELY(pfc__fork_state != PFC__FORK_IS_ON)) return 1;
        pfc__mutex_unlock(&pfc__lock);
    }
    pfc__work_ends(&held);
    return 0;
}

/* At each wait of a thread, where two calls of the system more would show (in a simulation there is none). */
static PFC__QUIET __attribute__((unused)) void pfc__waits_enter(void)
{
    pfc__busy = 1;
    if (PFC__UNLIKELY(pfc__is_stray())) pfc__stray_leaves();
    pfc__lock_take();
}

static PFC__QUIET __attribute__((unused)) void pfc__waits_leave(void)
{
    pfc__mutex_unlock(&pfc__lock);
    pfc__busy = 0;
}

/* ------------------------------------------------------- extents (impl) ---
   Pieces of the profile: typed extents, strings. */

/* Readers look into the file at any time: what a store tells of must be there before, on processors that reorder, too. */
static PFC__QUIET pfc__extent_t *pfc__extent_new(pfc__u32 kind, pfc__u32 elem_bytes, pfc__u64 capacity, pfc__u32 owner,
                                             size_t front)
{
    size_t bytes = sizeof(pfc__extent_t) + pfc__round_up(front, 64) + pfc__round_up((size_t)capacity * elem_bytes, 64);
    pfc__extent_t *e = (pfc__extent_t *)pfc__arena_take(bytes, 64);
    if (!e) return 0;
    e->kind = kind;
    e->bytes = bytes;
    e->data = (pfc__u32)(sizeof *e + pfc__round_up(front, 64));
    e->elem_bytes = elem_bytes;
    e->capacity = capacity;
    e->owner = owner;
    __atomic_store_n(&e->magic, PFC__EXTENT_MAGIC, __ATOMIC_RELEASE);
    __atomic_store_n(&PFC__HEADER->bytes, (pfc__u64)pfc__arena.used, __ATOMIC_RELEASE);
    return e;
}

/* So many of its elements are there. */
static PFC__QUIET void pfc__extent_holds(pfc__extent_t *e, pfc__u64 count) { __atomic_store_n(&e->count, count, __ATOMIC_RELEASE); }

static PFC__QUIET void *pfc__extent_data(pfc__extent_t *e) { return (unsigned char *)e + e->data; }
static PFC__QUIET pfc__extent_t *pfc__extent_at(size_t at) { return (pfc__extent_t *)(void *)(pfc__arena.base + at); }
static PFC__QUIET size_t pfc__extent_after(size_t at) { return at + (size_t)pfc__extent_at(at)->bytes; }
static PFC__QUIET pfc__u64 pfc__offset(const void *p) { return (pfc__u64)((const unsigned char *)p - pfc__arena.base); }

pfc__u64 pfc__profile_offset(const void *part)
{
    const unsigned char *p = (const unsigned char *)part;
    return pfc__arena.path[0] && p >= pfc__arena.base && p < pfc__arena.base + pfc__arena.used ? pfc__offset(p) : 0;
}

void *pfc__extent_add(pfc__u32 kind, pfc__u32 elem_bytes, pfc__u64 capacity, pfc__u32 owner)
{
    pfc__extent_t *e;
    pfc__lists_enter();
    e = pfc__extent_new(kind, elem_bytes, capacity, owner, 0);
    if (e) pfc__extent_holds(e, capacity);
    pfc__lists_leave();
    return e ? pfc__extent_data(e) : 0;
}

/* Strings are stored once each when they come from the same literal; the
   last extent with room takes them. Offset in the file; 0: no room. */
static PFC__QUIET pfc__u64 pfc__string(const char *text)
{
    static pfc__extent_t *last;
    size_t n;
    char *at;
    if (!text || !*text) return 0;
    if (last && (unsigned char *)last >= pfc__arena.base + pfc__arena.used) last = 0;
    n = strlen(text) + 1;
    if (!last || last->capacity - last->count < n) {
        pfc__extent_t *e = pfc__extent_new(PFC__STRINGS, 1, n > 8192 ? n : 8192, 0, 0);
        if (!e) return 0;
        last = e;
    }
    at = (char *)pfc__extent_data(last) + last->count;
    memcpy(at, text, n);
    pfc__extent_holds(last, last->count + n);
    return pfc__offset(at);
}

/* --------------------------------------------------------- notes (impl) ---
   What the user is told: a line on stderr, and in the profile for its reports. */

/* ---- stderr */

/* As it was at the start. A program may close it, and the next file that it opens is descriptor 2: a line of ours would lie amid
   its data. So we are silent as soon as it is another one. */
static struct { int looked, open, kept; dev_t device; ino_t number; } pfc__stderr = { 0, 0, -1, 0, 0 };

static PFC__QUIET int pfc__stderr_is(int fd)
{
    struct stat now;
    int saved = errno, open = !pfc__sys_fstat(fd, &now);
    errno = saved;
    if (!pfc__stderr.looked) {
        pfc__stderr.looked = 1;
        pfc__stderr.open = open;
        if (open) pfc__stderr.device = now.st_dev, pfc__stderr.number = now.st_ino;
    }
    return open && pfc__stderr.open && now.st_dev == pfc__stderr.device && now.st_ino == pfc__stderr.number;
}

/* For what is said at the end (`at_end`), when many programs have closed it: those of GNU do, to see whether all is written.
   Only where the user wants it: who reads from us would wait for that end. */
static PFC__QUIET void pfc__stderr_begin(int at_end)
{
    if (pfc__stderr_is(2) && at_end) pfc__stderr.kept = pfc__sys_fcntl(2, F_DUPFD_CLOEXEC, 500); /* as the profile's, see arena.c */
}

static PFC__QUIET void pfc__stderr_end(void)
{
    if (pfc__stderr.kept >= 0 && pfc__stderr_is(pfc__stderr.kept)) pfc__sys_close(pfc__stderr.kept);
    pfc__stderr.kept = -1;
}

/* Its descriptor; less than 0: it isn't there any more. */
static PFC__QUIET int pfc__stderr_fd(void)
{
    if (pfc__stderr.kept >= 0 && pfc__stderr_is(pfc__stderr.kept)) return pfc__stderr.kept;
    return pfc__stderr_is(2) ? 2 : -1;
}

/* At once: lines of other processes don't come between. Not by stdio: the program's first output decides whether a stream is
   for wide characters, and ours would be it. */
static PFC__QUIET void pfc__stderr_write(const char *text)
{
    size_t left = strlen(text);
    int fd = pfc__stderr_fd();
    pfc__writing_t writing;
    ssize_t n;
    if (fd < 0) return;
    pfc__writing_begin(&writing);
    for (; left && (n = pfc__sys_write(fd, text, left)) > 0; text += n) left -= (size_t)n;
    pfc__writing_end(&writing);
}

/* PERFCOMP_REPORT */
static PFC__QUIET void pfc__stderr_report(void)
{
    int fd = pfc__stderr_fd(), copy = fd < 0 ? -1 : pfc__sys_fcntl(fd, F_DUPFD_CLOEXEC, 3);
    FILE *file = copy < 0 ? 0 : fdopen(copy, "w");
    pfc__writing_t writing;
    if (!file && copy >= 0) pfc__sys_close(copy);
    if (!file) return;
    pfc__writing_begin(&writing);
    pfc_report(file);
    fclose(file);
    pfc__writing_end(&writing);
}

/* ---- notes */

static char pfc__notes_early[2048]; /* said before there was a profile to keep them */

static PFC__QUIET void pfc__note_store(const char *line)
{
    size_t n = strlen(line) + 1, used = 0;
    pfc__extent_t *e;
    if (!pfc__arena.base) {
        while (used < sizeof pfc__notes_early && pfc__notes_early[used]) used += strlen(pfc__notes_early + used) + 1;
        if (used + n < sizeof pfc__notes_early) memcpy(pfc__notes_early + used, line, n);
        return;
    }
    e = pfc__extent_new(PFC__NOTES, 1, n, 0, 0);
    if (e) memcpy(pfc__extent_data(e), line, n), pfc__extent_holds(e, n);
}

/* Who is inside perfcomp has the lock, or is alone. */
static PFC__QUIET void pfc__note_list(const char *line)
{
    const int is_inside = pfc__busy;
    if (!is_inside) pfc__lists_enter();
    if (!pfc__arena.full) pfc__note_store(line);
    if (!is_inside) pfc__lists_leave();
}

#define PFC__NOTE_ROOM (PATH_MAX + 512)

static PFC__QUIET void pfc__note_write(char *line, const char *format, va_list arguments)
{
    locale_t locale = pfc__points_begin();
    vsnprintf(line, PFC__NOTE_ROOM, format, arguments);
    pfc__points_end(locale);
    for (; *line; line++)
        if ((unsigned char)*line < 32 || *line == 127) *line = '?'; /* a file's name, or a setting, may hold anything */
}

#define PFC__LINE_BEGIN "perfcomp: "

static PFC__QUIET void pfc__note_tell(int says, int keeps, const char *format, va_list arguments)
{
    char line[sizeof PFC__LINE_BEGIN + PFC__NOTE_ROOM] = PFC__LINE_BEGIN, *note = line + sizeof PFC__LINE_BEGIN - 1;
    int saved = errno;
    pfc__note_write(note, format, arguments);
    if (keeps) pfc__note_list(note);
    strcat(note, "\n");
    if (says) pfc__stderr_write(line);
    errno = saved;
}

void pfc__note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pfc__note_tell(1, 1, format, arguments);
    va_end(arguments);
}

void pfc__note_keep(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pfc__note_tell(0, 1, format, arguments);
    va_end(arguments);
}

static PFC__QUIET int pfc__is_first_of_job(void)
{
#if defined PERFCOMP_SMPI
    return pfc__sys_getpid() == 1; /* of simulated processes: from 1, in the order of their ranks */
#else
    return !pfc__rank_of_launcher();
#endif
}

/* All ranks of a job have it, and find the same: the first one says so. */
void pfc__note_setting(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pfc__note_tell(pfc__is_first_of_job(), 1, format, arguments);
    va_end(arguments);
}

/* On stderr alone. */
static PFC__QUIET __attribute__((format(printf, 1, 2))) void pfc__say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pfc__note_tell(1, 0, format, arguments);
    va_end(arguments);
}

/* ------------------------------------------------------ processor (impl) ---
   Where others run on the processor that a thread is ready for, all that it
   does takes longer by the clock; its probes, too. Windows tell what a probe
   takes of the processor: those in which others ran are left out. So costs are
   charged times the ratio of being ready to running. That is right when the
   others' part stays the same without instrumentation (ranks on too few
   processors, a loaded machine); where they had only so much to do, they would
   have delayed the program as long, and the factor is 1: half of it is doubt. Sums
   are right; a single entry is charged too much, unless it was interrupted.

   A thread that has slept is ready for a while, too, until it runs: but not amid
   a probe. Of the time that it was ready, that part is left out which it was as
   often as it had given the processor up itself.

   Linux tells both times of a thread: Documentation/scheduler/sched-stats.rst. What
   is left of its life, it slept. Where it did so in none of the calls that wait for
   others (waits.c), nobody knows for whom: pipes, input, locks inside of libraries. */

#define PFC__READY_BEFORE 20e6 /* ns that are taken for undisturbed at first: a program's start tells little */
#define PFC__READY_KEPT 0.9375 /* of what was seen before, at each look */

#ifdef PERFCOMP_CLOCK
static const char *pfc__schedstat = ""; /* such a clock may stand still while others run */
#else
static const char *pfc__schedstat = "/proc/thread-self/schedstat";
#endif

static struct {
    unsigned long long ran_until, waited_until; /* as of the last look; ns */
    double slept_until, lost_until;             /* how often it gave the processor up, and was taken off it */
    double ran, waited;                         /* since, and before that, less and less of it */
} pfc__processor = { 0, 0, 0, 0, PFC__READY_BEFORE, 0 };

/* ns that a thread has run, and was ready while others ran. 0: the system doesn't tell. */
static PFC__QUIET int pfc__schedstat_read(const char *path, unsigned long long *ran, unsigned long long *waited)
{
    char text[128], *end;
    int saved = errno;
    pfc__told(path, text, sizeof text);
    *ran = strtoull(text, &end, 10);
    *waited = strtoull(end, &end, 10);
    errno = saved;
    return *ran > 0;
}

/* Of the times since the last look that this thread was ready, the share in which it was taken off the processor. */
static PFC__QUIET double pfc__interrupted(void)
{
#ifdef RUSAGE_THREAD
    struct rusage usage;
    double slept, lost;
    if (!PFC__LETS(getrusage) || getrusage(RUSAGE_THREAD, &usage)) return 1;
    slept = (double)usage.ru_nvcsw - pfc__processor.slept_until;
    lost = (double)usage.ru_nivcsw - pfc__processor.lost_until;
    pfc__processor.slept_until = (double)usage.ru_nvcsw;
    pfc__processor.lost_until = (double)usage.ru_nivcsw;
    return slept + lost > 0 ? lost / (slept + lost) : 1;
#else
    return 1;
#endif
}

/* From its beginning. Until it first ran it was ready as one is that has slept. */
static PFC__QUIET void pfc__another_thread(void)
{
    pfc__processor.ran_until = pfc__processor.waited_until = 0;
    pfc__processor.slept_until = -1;
    pfc__processor.lost_until = 0;
}

/* How many times as long as it runs this thread takes, of late. */
static PFC__QUIET double pfc__dilation(void)
{
    unsigned long long ran, waited;
    if (pfc__schedstat_read(pfc__schedstat, &ran, &waited)) {
        if (ran < pfc__processor.ran_until || waited < pfc__processor.waited_until) pfc__another_thread();
        pfc__processor.ran = PFC__READY_KEPT * pfc__processor.ran + (double)(ran - pfc__processor.ran_until);
        pfc__processor.waited = PFC__READY_KEPT * pfc__processor.waited + pfc__interrupted() * (double)(waited - pfc__processor.waited_until);
        pfc__processor.ran_until = ran;
        pfc__processor.waited_until = waited;
    }
    return 1 + pfc__processor.waited / pfc__processor.ran;
}

/* Whether this thread has not only run since it began; quicker to ask for. */
static PFC__QUIET int pfc__has_paused(const pfc__thread_t *t, pfc__i64 now)
{
    struct timespec ran;
    double life = (double)(now - t->tick_begin) / pfc__ticks_per_ns();
    if (pfc__sys_clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran)) return 0;
    return life - ((double)ran.tv_sec * 1e9 + (double)ran.tv_nsec) > 0.01 * life;
}

/* At a thread's end: it has lived until `now`. */
static PFC__QUIET void pfc__slept_told(pfc__thread_t *t, const char *schedstat, pfc__i64 now)
{
    unsigned long long ran, waited;
    if (!*schedstat || !pfc__schedstat_read(schedstat, &ran, &waited)) return;
    t->slept += now - t->tick_begin - (pfc__i64)((double)(ran + waited) * pfc__ticks_per_ns());
    if (t->state == PFC__WAITING) t->waited += now - t->waits_since;
}

/* ---------------------------------------------------- interference (impl) ---
   The system's own work (its timer's, the devices', a hypervisor's) takes a
   hundredth or two of the time, and makes all that runs so much longer; probes,
   too. A window in which some of it fell says little of what probes cost, and is
   left out of their mean (context.c). The share that they have in it is told by a
   piece of work that is always the same, at each window's turn: costs are charged
   times the ratio of what all pieces took to what they would have taken, had each
   been like that mean of them. It is the fixed work quantum of Sottile and Minnich,
   Analysis of microbenchmarks for performance tuning of clusters, 2004. A piece in
   which another thread had the processor isn't counted: the dilation knows of it
   (processor.c). */

#define PFC__PIECE 64     /* clock reads: half a microsecond */
#define PFC__PIECES 128   /* that are compared with each other: later on the processor's frequency may be another one */
#define PFC__SWITCHED 500 /* times as long as the others is a piece in which another thread ran */

static struct {
    double ticks[PFC__PIECES];
    int n;
    double all, calm; /* what all pieces so far took, and would have taken undisturbed */
} pfc__interference;

static PFC__QUIET void pfc__interference_take(void)
{
    double *value = pfc__interference.ticks, calm = pfc__mean(value, PFC__PIECES).value, all = 0;
    int n = 0;
    for (; n < PFC__PIECES && value[n] <= PFC__SWITCHED * calm; n++) all += value[n];
    pfc__interference.all += all;
    pfc__interference.calm += n * calm;
    pfc__interference.n = 0;
}

static PFC__QUIET void pfc__interference_look(void)
{
    pfc__i64 begin = pfc__clock(), end = begin;
    int i;
    for (i = 0; i < PFC__PIECE; i++) end = pfc__clock();
    pfc__interference.ticks[pfc__interference.n++] = (double)(end - begin);
    if (pfc__interference.n == PFC__PIECES) pfc__interference_take();
}

/* How many times as long as without interference all takes. */
static PFC__QUIET double pfc__interfered(void)
{
    return pfc__interference.calm > 0 ? pfc__interference.all / pfc__interference.calm : 1;
}

/* ------------------------------------------------------- context (impl) ---
   What timing costs in the program's own code. An empty pair of probes takes
   about as long as two clock reads; around real work the processor hides some
   of that, or all, or it takes more. No constant fits (tests/bench/calibration.c),
   so the run itself is the experiment: now and then, for a window of two
   thousand enters, hot regions are not timed (their entries are still counted),
   or each such entry brings another one with it, which is empty, and the window
   is compared with its two neighbours. Which window it is, is drawn at random,
   so that no rhythm of the program makes the result biased. Between windows of
   two kinds there is some time in which the processor learns to foretell the
   new one's branches, and which is in neither.

       timed window − light window   = what timing adds to an untimed entry
       doubled window − light window = what an untimed entry adds to none

   These are the doses of §2 at the place where they count. No window can do
   without an untimed entry's first dose, with what the calls of probes do to the
   code around them: registers are saved, functions not inlined. Its second one
   (dose.c) stands for that. In runs all of whose windows are of one kind
   (tests/bench/doses) the first takes from 0.06 of an empty pair less to 0.11
   more, by the program and by the day; `perfcomp check` tells of your program.
   With PERFCOMP_BUDGET most entries are untimed anyway; there, doubled windows
   are compared with those that are as usual. The costs follow the program, and
   those who share the processor with it: they are those of its latest
   comparisons. */

#define PFC__WINDOW 2048     /* enters in a window */
#define PFC__SETTLING 1024   /* between two of different kinds */
#define PFC__COMPARISONS 128 /* of each kind, that a cost is taken from */
#define PFC__FEW 12          /* too few to know */
#define PFC__INTERRUPTED 8   /* times as long as its neighbours is a window in which others ran */
#define PFC__DEEP 64         /* frames that are looked at when a window ends */
#define PFC__LIT 64          /* paths that pfc__enter_light takes in a light window: more than are hot */

#define PFC__DOSE_DOUBT 0.4   /* an untimed entry is in doubt by so much of what it is taken for, or of what was guessed */
#define PFC__GUESS_PAIR 0.75  /* before there are windows: a real pair takes so much of an empty one, */
#define PFC__GUESS_LIGHT 0.3  /* an untimed entry so much, */
#define PFC__GUESS_DOUBT 0.25 /* and both are so uncertain (one standard deviation) */

/* Ticks that an untimed entry took less in a window of some kind than in the usual ones around it. */
typedef struct pfc__compared { double saved[PFC__COMPARISONS]; pfc__u64 n; } pfc__compared_t;

static struct {
    pfc__uptr thread;                           /* whose windows they are; 0: nobody's yet */
    pfc__i64 begin;                             /* of this window */
    double before, odd;                         /* ticks that the usual window before took, and the one after it, if that was odd */
    pfc__u32 kind, lights;                      /* the odd one's kind, and its untimed entries; 0: there was none */
    pfc__node_t *lit[PFC__LIT];                 /* paths that are left untimed in this window, and so many */
    int lit_count;
    pfc__u64 random;
    pfc__compared_t compared[PFC__WINDOW_KINDS];
    double inside;                              /* of a pair, what falls between its stamps: as calibrated at the start */
    double hit, hit_spread;                     /* the same */
    int settling;                               /* the window has not begun yet */
    int off;
    pfc__u32 only;                              /* all windows are of this kind; PFC__WINDOW_KINDS: of any */
} pfc__context;

/* Of the latest comparisons. */
static PFC__QUIET pfc__figure_t pfc__mean_saved(const pfc__compared_t *all)
{
    double value[PFC__COMPARISONS];
    int n = all->n < PFC__COMPARISONS ? (int)all->n : PFC__COMPARISONS;
    pfc__figure_t mean;
    memcpy(value, all->saved, (size_t)n * sizeof *value);
    mean = pfc__mean(value, n);
    mean.error *= sqrt((double)n / (double)all->n); /* the run has seen more than these */
    return mean;
}

/* factor_a · a + factor_b · b, which are independent. */
static PFC__QUIET pfc__figure_t pfc__mixed(double factor_a, pfc__figure_t a, double factor_b, pfc__figure_t b)
{
    a.value = factor_a * a.value + factor_b * b.value;
    a.error = sqrt(factor_a * factor_a * a.error * a.error + factor_b * factor_b * b.error * b.error);
    return a;
}

/* So much of a pair is taken before there are windows. */
static PFC__QUIET pfc__figure_t pfc__guess(double share)
{
    pfc__figure_t guess;
    guess.value = share * pfc__cost.empty_pair;
    guess.error = PFC__GUESS_DOUBT * pfc__cost.empty_pair;
    return guess;
}

/* Of what was seen and what was guessed, each counts by its precision. */
static PFC__QUIET pfc__figure_t pfc__weighed(pfc__figure_t seen, pfc__figure_t guess)
{
    double trust = guess.error * guess.error / (guess.error * guess.error + seen.error * seen.error);
    seen.value = trust * seen.value + (1 - trust) * guess.value;
    seen.error *= sqrt(trust);
    return seen;
}

/* What interrupts, and others who run on the processor as well. */
static PFC__QUIET void pfc__costs_dilate(pfc__cost_t *cost)
{
    double factor = pfc__dilation(), doubt = (1 - 1 / factor) / 2;
    cost->dilation = factor;
    factor *= pfc__interfered();
    pfc__cost_times(&cost->pair, &cost->pair_spread, factor, doubt);
    pfc__cost_times(&cost->light, &cost->light_spread, factor, doubt);
    pfc__cost_times(&cost->hit, &cost->hit_spread, factor, doubt);
}

/* From now on these are charged, with what no calibration knows. */
static PFC__QUIET void pfc__costs_settle(pfc__figure_t pair, pfc__figure_t light)
{
    double guess = pfc__guess(PFC__GUESS_LIGHT).value;
    double doubt = pfc__settings.scale > 0 ? 0 : PFC__DOSE_DOUBT * fmax(light.value, guess); /* perfcomp check has told, or nobody */
    pfc__cost.pair = pair.value;
    pfc__cost.light = light.value;
    pfc__cost.hit = pfc__context.hit;
    pfc__cost.pair_spread = 2 * pair.error + doubt;
    pfc__cost.light_spread = 2 * light.error + doubt;
    pfc__cost.hit_spread = pfc__context.hit_spread;
    pfc__costs_dilate(&pfc__cost);
    pfc__cost.inside = pfc__context.inside * pfc__cost.pair;
    pfc__cost.inside_spread = pfc__cost.pair_spread / 2;
    pfc__cost_scale(&pfc__cost);
    PFC__HEADER->cost = pfc__cost;
}

static PFC__QUIET double pfc__budget(void); /* budget.c */

/* Where hot regions aren't timed: a window of its own, or with PERFCOMP_BUDGET all of them. */
static PFC__QUIET pfc__u32 pfc__light_window(void)
{
    return pfc__budget() > 0 ? PFC__WINDOW_USUAL : PFC__WINDOW_LIGHT;
}

/* With PERFCOMP_BUDGET, what timing takes is guessed: too few entries are timed to compare. */
static PFC__QUIET void pfc__context_apply(void)
{
    pfc__u32 light_window = pfc__light_window();
    int usual_is_timed = light_window != PFC__WINDOW_USUAL; /* then a doubled window saves the timing, and costs the dose */
    pfc__figure_t timing = usual_is_timed ? pfc__mean_saved(&pfc__context.compared[light_window]) : pfc__guess(PFC__GUESS_PAIR - PFC__GUESS_LIGHT);
    pfc__figure_t doubled = pfc__mean_saved(&pfc__context.compared[light_window | PFC__WINDOW_DOUBLED]);
    pfc__figure_t light = pfc__mixed(usual_is_timed, timing, -1, doubled), pair = pfc__mixed(1 + usual_is_timed, timing, -1, doubled);
    pfc__costs_settle(pfc__weighed(pair, pfc__guess(PFC__GUESS_PAIR)), pfc__weighed(light, pfc__guess(PFC__GUESS_LIGHT)));
}

/* The latest costs, unless somebody else is at them: then next time. */
static PFC__QUIET void pfc__costs_take(pfc__thread_t *t)
{
    if (!pfc__lists_try()) return;
    pfc__charge_by(t, &pfc__cost);
    pfc__lists_leave();
}

/* Whether all is known that the costs are taken from. */
static PFC__QUIET int pfc__has_compared(void)
{
    pfc__u32 light = pfc__light_window();
    return (light == PFC__WINDOW_USUAL || pfc__context.compared[light].n >= PFC__FEW) &&
           pfc__context.compared[light | PFC__WINDOW_DOUBLED].n >= PFC__FEW;
}

static PFC__QUIET void pfc__compare(pfc__thread_t *t, double saved)
{
    pfc__compared_t *compared = &pfc__context.compared[pfc__context.kind];
    compared->saved[compared->n++ % PFC__COMPARISONS] = saved;
    pfc__cost.windows++;
    if (compared->n % 8 || !pfc__has_compared() || !pfc__lists_try()) return;
    pfc__context_apply();
    pfc__charge_by(t, &pfc__cost);
    pfc__lists_leave();
}

/* Of three windows: in one of them others ran on the processor, which says nothing of ours. */
static PFC__QUIET int pfc__was_interrupted(double a, double b, double c)
{
    double shortest = fmin(a, fmin(b, c)), longest = fmax(a, fmax(b, c));
    return longest > PFC__INTERRUPTED * shortest;
}

/* One in eight is odd; where probes are below a hundredth of the time, none: their exact cost doesn't matter. */
static PFC__QUIET pfc__u32 pfc__draw_window(double ticks)
{
    pfc__u32 light = pfc__light_window();
    pfc__u64 *r = &pfc__context.random;
    *r = *r * 6364136223846793005u + 1442695040888963407u;
    pfc__dose_turn(); /* here, so that what comes before an odd window has the same */
    if (*r >> 61 || ticks > 100 * PFC__WINDOW * pfc__cost.empty_pair) return PFC__WINDOW_USUAL;
    return light == PFC__WINDOW_USUAL || *r >> 60 ? light | PFC__WINDOW_DOUBLED : light;
}

static PFC__QUIET void pfc__window_ended(pfc__thread_t *t, double ticks)
{
    if (t->window != PFC__WINDOW_USUAL) {
        pfc__context.odd = ticks;
        pfc__context.kind = t->window;
        pfc__context.lights = t->exceptions < PFC__WINDOW ? PFC__WINDOW - t->exceptions : 0;
        t->window = PFC__WINDOW_USUAL;
        return;
    }
    if (pfc__context.lights >= PFC__WINDOW / 4 && !pfc__was_interrupted(pfc__context.before, pfc__context.odd, ticks))
        pfc__compare(t, ((pfc__context.before + ticks) / 2 - pfc__context.odd) / pfc__context.lights);
    pfc__context.lights = 0;
    pfc__context.before = ticks;
    t->window = pfc__draw_window(ticks);
}

/* The first thread with enough to do: all that windows are kept in, and what second doses are taken on, is for one. */
static PFC__QUIET int pfc__owns_windows(const pfc__thread_t *t)
{
    pfc__uptr nobody = 0;
    return __atomic_load_n(&pfc__context.thread, __ATOMIC_RELAXED) == (pfc__uptr)t ||
           __atomic_compare_exchange_n(&pfc__context.thread, &nobody, (pfc__uptr)t, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* A forked process has the thread that forked it; another one's windows are nobody's there. */
static PFC__QUIET void pfc__windows_fork(void)
{
    if (pfc__context.thread != (pfc__uptr)pfc__self) pfc__context.thread = 0;
}

/* From pfc__frame_end_slowly, now and then. */
static PFC__QUIET void pfc__manner_review(const pfc__thread_t *t, pfc__node_t *n)
{
    int is_brief = !(n->manner & PFC__MANNER_UNEVEN) && n->exclusive <= (pfc__i64)n->timed * t->brief;
    n->manner = (unsigned short)((n->manner & ~PFC__MANNER_BRIEF) | (is_brief ? PFC__MANNER_BRIEF : 0));
}

/* A path whose entries are brief, but for one that is open for long now. */
static PFC__QUIET void pfc__long_entries(pfc__thread_t *t, pfc__i64 now)
{
    pfc__frame_t *f = t->top - 1; /* the innermost one has only just been entered */
    pfc__i64 inside = now;        /* when the next frame inside began */
    int i;
    for (i = 0; i < PFC__DEEP && f > t->bottom; i++, f--) {
        if (!PFC__HAS_TIME(f->begin)) continue;
        if (f->node->exclusive + inside - f->begin - f->child > (pfc__i64)(f->node->timed + 1) * t->brief) pfc__mark_uneven(f->node);
        inside = f->begin;
    }
}

/* The path's first untimed entry in a light window. Folded ones, whose entries are timed here and there, stay as they are. */
void pfc__window_lights(pfc__thread_t *t, pfc__node_t *n)
{
    if (!(t->window & PFC__WINDOW_LIGHT) || n->manner & PFC__MANNER_FOLDED || pfc__context.lit_count == PFC__LIT) return;
    n->due_in = UINT32_MAX;
    pfc__context.lit[pfc__context.lit_count++] = n;
}

static PFC__QUIET void pfc__lights_out(void)
{
    while (pfc__context.lit_count) pfc__context.lit[--pfc__context.lit_count]->due_in = 0;
}

/* A window of the thread that they belong to, or what lies between two. */
static PFC__QUIET void pfc__window_passed(pfc__thread_t *t, pfc__i64 now)
{
    pfc__u32 kind = t->window;
    if (pfc__context.settling) {
        pfc__context.settling = 0;
        return;
    }
    pfc__lights_out();
    pfc__long_entries(t, now);
    if (pfc__context.begin) pfc__window_ended(t, (double)(now - pfc__context.begin));
    pfc__context.settling = t->window != kind;
    if (pfc__context.settling) t->enters_left = PFC__SETTLING;
}

static PFC__QUIET void pfc__window_turn(pfc__thread_t *t)
{
    pfc__i64 now = pfc__clock();
    t->enters_left = PFC__WINDOW;
    if (pfc__context.off) {
        t->window = PFC__WINDOW_USUAL;
        t->enters_left = INT64_MAX;
        pfc__costs_take(t);
    } else if (!pfc__owns_windows(t)) pfc__costs_take(t);
    else if (pfc__context.only != PFC__WINDOW_KINDS) {
        pfc__lights_out();
        pfc__dose_turn();
        t->window = pfc__context.only;
    } else {
        pfc__window_passed(t, now);
        t->exceptions = 0;
        pfc__interference_look();
        pfc__charge_slow(now);
        pfc__context.begin = pfc__clock();
    }
}

pfc__u64 pfc__window_next(pfc__thread_t *t, pfc__frame_t *f)
{
    pfc__window_turn(t);
    return pfc__frame_begin(t, f, 0);
}

/* A thread begins. */
static PFC__QUIET void pfc__windows_start(pfc__thread_t *t)
{
    t->window = PFC__WINDOW_USUAL;
    t->enters_left = pfc__context.off ? INT64_MAX : PFC__WINDOW;
}

/* PERFCOMP_CONTEXT: whether the run is its own experiment, or has windows of one kind only. */
static PFC__QUIET void pfc__context_read(void)
{
    static const struct { const char *name; pfc__u32 kind; } only[] = {
        { "timed", PFC__WINDOW_USUAL }, { "light", PFC__WINDOW_LIGHT }, { "doubled", PFC__WINDOW_LIGHT | PFC__WINDOW_DOUBLED }
    };
    const char *value = pfc__environment("PERFCOMP_CONTEXT");
    size_t i;
    pfc__context.only = PFC__WINDOW_KINDS;
    for (i = 0; value && i < sizeof only / sizeof *only; i++)
        if (!strcmp(value, only[i].name)) pfc__context.only = only[i].kind;
    pfc__context.off = pfc__context.only == PFC__WINDOW_KINDS && !pfc__switch("PERFCOMP_CONTEXT", 1);
}

/* Without windows, what a pair takes is what an empty one takes: in real code half as much may be hidden, or come to it. */
static PFC__QUIET void pfc__costs_unseen(pfc__cost_t *cost)
{
    double doubt = PFC__COSTS_ARE_MODELLED || pfc__settings.scale > 0 ? 0 : 2 * PFC__GUESS_DOUBT * cost->empty_pair;
    cost->pair_spread += doubt;
    cost->inside_spread += doubt / 2;
    pfc__cost_scale(cost);
}

/* After the calibration at the start. */
static PFC__QUIET void pfc__context_start(void)
{
    pfc__context.inside = pfc__cost.pair > 0 ? pfc__cost.inside / pfc__cost.pair : 0; /* a user's clock may stand still */
    pfc__context.hit = pfc__cost.hit;
    pfc__context.hit_spread = pfc__cost.hit_spread;
    pfc__context.random = (pfc__u64)pfc__clock_tick0;
    pfc__context_read();
    pfc__context.off |= !pfc__compensates || pfc__settings.trace || PFC__COSTS_ARE_MODELLED;
    if (pfc__context.off) pfc__costs_unseen(&pfc__cost);
    else pfc__costs_settle(pfc__guess(PFC__GUESS_PAIR), pfc__guess(PFC__GUESS_LIGHT));
}

/* -------------------------------------------------------- tables (impl) ---
   Two hash tables with open addressing, in memory of their own: malloc belongs
   to the program, which may be instrumented, or be inside it right now. */

/* ---- (path, region) → path below it: one table a thread. A signal handler of the program's may come at any time,
   and look for its own paths; it may also have come into a search, and add to the table meanwhile. */

typedef struct pfc__entry { pfc__node_t *from, *to; pfc__u64 region; } pfc__entry_t;
typedef struct pfc__table { size_t mask, used; pfc__entry_t entry[1]; } pfc__table_t;

static PFC__QUIET size_t pfc__table_bytes(size_t entries)
{
    return sizeof(pfc__table_t) + (entries - 1) * sizeof(pfc__entry_t);
}

static PFC__QUIET pfc__table_t *pfc__table_new(size_t entries)
{
    pfc__table_t *t = (pfc__table_t *)pfc__pages(pfc__table_bytes(entries));
    if (t) t->mask = entries - 1;
    return t;
}

/* Where the pair is, or would be put. */
static PFC__QUIET pfc__entry_t *pfc__table_find(pfc__table_t *t, const pfc__node_t *from, pfc__u32 region)
{
    size_t i = (size_t)((((pfc__u64)(pfc__uptr)from >> 6) * 0x9E3779B97F4A7C15u ^ region) * 0xD1B54A32D192ED03u >> 32);
    while (t->entry[i & t->mask].from && (t->entry[i & t->mask].from != from || t->entry[i & t->mask].region != region)) i++;
    return &t->entry[i & t->mask];
}

static PFC__QUIET void pfc__table_put(pfc__table_t *t, pfc__node_t *from, pfc__u32 region, pfc__node_t *to)
{
    pfc__entry_t *e = pfc__table_find(t, from, region);
    if (!e->from) t->used++;
    e->to = to;
    e->region = region;
    PFC__SIGNAL_FENCE();
    e->from = from;
}

/* Room for one more; when there is no memory the old table stays, nearly full, and new paths overflow.
   Outgrown tables stay mapped, for they may be searched just now; all of them are no larger than the new one. */
static PFC__QUIET int pfc__table_ready(pfc__table_t **t)
{
    pfc__table_t *old = *t, *larger;
    size_t i;
    if (old && old->used < old->mask - old->mask / 4) return 1;
    larger = pfc__table_new(old ? 2 * (old->mask + 1) : 512);
    if (!larger) return 0;
    for (i = 0; old && i <= old->mask; i++)
        if (old->entry[i].from) pfc__table_put(larger, old->entry[i].from, (pfc__u32)old->entry[i].region, old->entry[i].to);
    PFC__SIGNAL_FENCE();
    *t = larger;
    return 1;
}

/* ---- name → region: one table, under the lock */

static struct {
    pfc__region_t **by_id;        /* [id], ids begin at 1 */
    pfc__u32 *slot;               /* open addressing; 0: free */
    size_t capacity;              /* of by_id; slot has twice as many */
    pfc__u32 count;               /* the highest id */
    pfc__extent_t *extent;        /* the one that new regions come from */
} pfc__regions;

static PFC__QUIET pfc__u64 pfc__hash(const char *text, pfc__u64 hash)
{
    for (; text && *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001B3u; /* FNV-1a */
    return hash;
}

static PFC__QUIET const char *pfc__text_at(pfc__u64 offset)
{
    return offset ? (const char *)pfc__arena.base + offset : "";
}

/* Functions of one name in two files are two regions; named regions are one. */
static PFC__QUIET const char *pfc__site_file(const pfc__site_t *s) { return s->kind == PFC__FUNCTION ? s->file : 0; }

static PFC__QUIET int pfc__region_is(const pfc__region_t *r, const pfc__site_t *s)
{
    int function = r->kind == PFC__FUNCTION;
    return function == (s->kind == PFC__FUNCTION) && !strcmp(pfc__text_at(r->name), s->name) &&
           (!function || !strcmp(pfc__text_at(r->file), s->file));
}

static PFC__QUIET pfc__u32 *pfc__region_slot(const pfc__site_t *s)
{
    size_t mask = 2 * pfc__regions.capacity - 1;
    size_t i = (size_t)pfc__hash(pfc__site_file(s), pfc__hash(s->name, 0xCBF29CE484222325u));
    while (pfc__regions.slot[i & mask] && !pfc__region_is(pfc__regions.by_id[pfc__regions.slot[i & mask]], s)) i++;
    return &pfc__regions.slot[i & mask];
}

static PFC__QUIET int pfc__regions_grow(void)
{
    size_t old = pfc__regions.capacity, capacity = old ? 2 * old : 1024;
    pfc__region_t **by_id = (pfc__region_t **)pfc__pages(capacity * sizeof *by_id);
    pfc__u32 *slot = (pfc__u32 *)pfc__pages(2 * capacity * sizeof *slot), id;
    if (!by_id || !slot) {
        if (by_id) pfc__sys_munmap(by_id, capacity * sizeof *by_id);
        if (slot) pfc__sys_munmap(slot, 2 * capacity * sizeof *slot);
        return 0;
    }
    if (old) {
        memcpy(by_id, pfc__regions.by_id, old * sizeof *by_id);
        pfc__sys_munmap(pfc__regions.by_id, old * sizeof *by_id);
        pfc__sys_munmap(pfc__regions.slot, 2 * old * sizeof *slot);
    }
    pfc__regions.by_id = by_id;
    pfc__regions.slot = slot;
    pfc__regions.capacity = capacity;
    for (id = 1; id <= pfc__regions.count; id++) {
        pfc__region_t *r = by_id[id];
        pfc__site_t s = PFC__SITE(r->kind, pfc__text_at(r->name), r->line, pfc__text_at(r->file));
        *pfc__region_slot(&s) = id;
    }
    return 1;
}

static PFC__QUIET pfc__u32 pfc__region_add(const pfc__site_t *s)
{
    pfc__extent_t *e = pfc__regions.extent;
    pfc__region_t *r;
    if (pfc__regions.count + 1 >= pfc__regions.capacity && !pfc__regions_grow()) return PFC__UNKNOWN;
    if (!e || e->count == e->capacity) {
        e = pfc__extent_new(PFC__REGIONS, sizeof(pfc__region_t), 256, 0, 0);
        if (!e) return PFC__UNKNOWN;
        e->first = pfc__regions.count + 1;
        pfc__regions.extent = e;
    }
    r = (pfc__region_t *)pfc__extent_data(e) + e->count;
    r->name = pfc__string(s->name);
    r->file = pfc__string(s->file);
    if ((!r->name && *s->name) || (!r->file && *s->file)) return PFC__UNKNOWN;
    r->line = s->line;
    r->kind = s->kind;
    pfc__extent_holds(e, e->count + 1);
    pfc__regions.by_id[++pfc__regions.count] = r;
    *pfc__region_slot(s) = pfc__regions.count;
    return pfc__regions.count;
}

/* The site's region, registered when new; PFC__UNKNOWN: no room. Under the lock. */
static PFC__QUIET pfc__u32 pfc__region_of(const pfc__site_t *s)
{
    pfc__u32 known = pfc__regions.slot ? *pfc__region_slot(s) : 0;
    return known ? known : pfc__region_add(s);
}

/* --------------------------------------------------------- paths (impl) ---
   A thread's call tree and its stack of open regions. */

#define PFC__MOST_SLOTS 1024 /* of a path's cache of children */

static PFC__QUIET pfc__node_t *pfc__node_new(pfc__thread_t *t, pfc__node_t *up, pfc__u32 region)
{
    pfc__extent_t *e = t->nodes;
    pfc__node_t *n;
    int i;
    if (!e || e->count == e->capacity) {
        pfc__u64 more = e ? 2 * e->capacity : 128;
        pfc__extent_t *next = pfc__extent_new(PFC__NODES, sizeof *n, more > 8192 ? 8192 : more, t->id, 0);
        if (!next) return 0;
        next->first = e ? e->first + (pfc__u32)e->count : 0;
        t->nodes = e = next;
    }
    n = (pfc__node_t *)pfc__extent_data(e) + e->count;
    n->id = e->first + (pfc__u32)e->count;
    n->region = region;
    n->up = up;
    n->parent = up ? up->id : 0;
    n->shortest = INT64_MAX;
    n->longest = INT64_MIN;
    n->child = n->few;
    n->mask = PFC__FEW_CHILDREN - 1;
    for (i = 0; i < PFC__FEW_CHILDREN; i++) n->few[i] = n; /* right for direct recursion, which is folded, and a miss for all else */
    pfc__extent_holds(e, e->count + 1);
    return n;
}

/* Twice as many frames; the old ones stay where they are until they are copied. */
static PFC__QUIET int pfc__stack_grow(pfc__thread_t *t)
{
    pfc__u64 used = t->bottom ? (pfc__u64)(t->top - t->bottom) + 1 : 0;
    pfc__u64 capacity = t->bottom ? 2 * (pfc__u64)(t->limit - t->bottom + 1) : 256;
    pfc__extent_t *old = t->bottom ? (pfc__extent_t *)(void *)((char *)t->bottom - sizeof(pfc__extent_t)) : 0;
    pfc__extent_t *e = pfc__extent_new(PFC__STACK, sizeof(pfc__frame_t), capacity, t->id, 0);
    pfc__frame_t *frames;
    pfc__u64 i;
    if (!e) return 0;
    e->count = capacity;
    frames = (pfc__frame_t *)pfc__extent_data(e);
    for (i = 0; i < capacity; i++) frames[i].depth = i;
    if (used) memcpy(frames, t->bottom, (size_t)used * sizeof *frames);
    t->bottom = frames;
    t->top = frames + (used ? used - 1 : 0);
    t->limit = frames + capacity - 1;
    if (old) old->kind = PFC__FREE;
    return 1;
}

/* Has no time of its own, but maybe regions inside. */
static PFC__QUIET void pfc__frame_drop(pfc__thread_t *t, pfc__frame_t *f)
{
    f[-1].child += f->child;
    f[-1].child_delta += f->child_delta;
    f->child = f->child_delta = 0;
    t->top = f - 1;
}

static PFC__QUIET void pfc__frame_close(pfc__thread_t *t, pfc__i64 now)
{
    if (t->top->begin == PFC__NOT_BEGUN) pfc__frame_drop(t, t->top);
    else if (!PFC__HAS_TIME(t->top->begin)) pfc__exit_untimed(t, t->top);
    else pfc__exit_frame(t, t->top, now);
}

/* One more. Of what went wrong the first is told by name: the others may follow from it. */
static PFC__QUIET void pfc__went_wrong(pfc__u64 *times, pfc__u32 *first, pfc__u32 region)
{
    ++*times;
    if (!*first && region != PFC__UNKNOWN) *first = region;
}

static PFC__QUIET void pfc__thread_goes_on(pfc__thread_t *t, pfc__i64 tick)
{
    if (t->state == PFC__WAITING) t->waited += tick - t->waits_since;
    t->state = PFC__RUNNING;
}

/* Closes what is open above `keep`: its END is missing, or a longjmp went over
   it, out of a wait maybe, as a signal's handler does. The program runs no exits
   for these: what this takes, the caller charges. */
static PFC__QUIET void pfc__frames_close(pfc__thread_t *t, pfc__frame_t *keep, pfc__i64 now)
{
    pfc__i64 delta;
    while (t->top > keep) {
        pfc__u32 region = t->top->node->region;
        if (t->top->sp == ~(pfc__uptr)0) pfc__went_wrong(&t->unclosed, &t->first_unclosed, region);
        else pfc__went_wrong(&t->unwound, &t->first_unwound, region);
        delta = t->delta;
        pfc__frame_close(t, now);
        t->delta = delta;
    }
    if (t->state == PFC__WAITING && t->top->depth < t->waits_in) pfc__thread_goes_on(t, now);
}

/* Where this thread's stack lies: frames on another one (a signal's, a
   coroutine's) can't be compared with frames on this one. The C library takes
   memory to find out, and a signal's handler may have come upon malloc: so the
   first thread, and those that we see begin, are asked before there is one. */
static PFC__QUIET void pfc__stack_bounds(pfc__thread_t *t)
{
#if defined __GLIBC__ || defined __linux__
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (t->stack_high || !PFC__LETS(sched_getaffinity) || pthread_getattr_np(pthread_self(), &attributes)) return;
    if (!pthread_attr_getstack(&attributes, &low, &size)) {
        t->stack_low = (pfc__uptr)low;
        t->stack_high = (pfc__uptr)low + size;
    }
    pthread_attr_destroy(&attributes);
#else
    (void)t;
#endif
}

static PFC__QUIET int pfc__on_stack(const pfc__thread_t *t, pfc__uptr sp)
{
    return sp >= t->stack_low && sp < t->stack_high;
}

/* A frame that began deeper on the same stack than where we are now has been left by longjmp. */
static PFC__QUIET void pfc__frames_unwind(pfc__thread_t *t, pfc__uptr sp, pfc__i64 since)
{
    pfc__frame_t *f = t->top;
    if (f->sp >= sp) return;
    pfc__stack_bounds(t);
    if (!pfc__on_stack(t, sp)) return;
    while (f->sp < sp && pfc__on_stack(t, f->sp)) f--;
    pfc__frames_close(t, f, since);
}

/* Called again and again from one place that isn't timed, and left by longjmp each time, a function has all of its frames in
   one place of the stack, as those have that are inlined into one another: but compilers inline a recursion 8 deep. */
enum { PFC__INLINED_MOST = 64 };

/* In that place, the first of `region`'s frames begins anew. */
static PFC__QUIET void pfc__frames_unpile(pfc__thread_t *t, pfc__uptr sp, pfc__u32 region, pfc__i64 since)
{
    pfc__frame_t *f = t->top;
    while (f->sp == sp) f--;
    if (t->top - f <= PFC__INLINED_MOST) return;
    while (f < t->top && f[1].node->region != region) f++;
    pfc__frames_close(t, f, since);
}

static PFC__QUIET pfc__node_t *pfc__ancestor(pfc__node_t *n, pfc__u32 region)
{
    while (n && n->region != region) n = n->up;
    return n;
}

/* Room for n children's places; NULL: no memory. */
static PFC__QUIET pfc__node_t **pfc__slots_new(pfc__thread_t *t, pfc__u32 n)
{
    pfc__extent_t *e = t->slots;
    pfc__node_t **slots = 0;
    if (pfc__busy) return 0;
    pfc__lists_enter();
    if (!e || e->capacity - e->count < n) t->slots = e = pfc__extent_new(PFC__FREE, sizeof *slots, 4 * PFC__MOST_SLOTS, t->id, 0);
    if (e) slots = (pfc__node_t **)pfc__extent_data(e) + e->count, e->count += n;
    pfc__lists_leave();
    return slots;
}

/* Where two children want one place, the cache grows until they differ. */
static PFC__QUIET void pfc__child_put(pfc__thread_t *t, pfc__node_t *from, pfc__node_t *child)
{
    pfc__node_t **place = &from->child[child->region & from->mask], **old = from->child, **wide;
    pfc__u32 slots = 2 * (from->mask + 1u), i;
    if (*place != from && *place != child && slots <= PFC__MOST_SLOTS && (wide = pfc__slots_new(t, slots)) != 0) {
        for (i = 0; i < slots; i++) wide[i] = from;
        for (i = 0; i < slots / 2; i++)
            if (old[i] != from) wide[old[i]->region & (slots - 1)] = old[i];
        from->child = wide; /* before the mask: a signal handler may come here in between */
        PFC__SIGNAL_FENCE();
        from->mask = (unsigned short)(slots - 1);
    }
    from->child[child->region & from->mask] = child;
}

/* More children than the cache holds, or two of them in one place of it. */
static PFC__QUIET pfc__node_t *pfc__node_known(pfc__thread_t *t, pfc__node_t *from, pfc__u32 region)
{
    pfc__entry_t *e = pfc__table_find(t->table, from, region);
    if (e->from) pfc__child_put(t, from, e->to);
    return e->to;
}

/* The path below `from`: known, or an ancestor (recursion), or a new one, or the overflow. */
static PFC__QUIET pfc__node_t *pfc__path(pfc__thread_t *t, pfc__node_t *from, pfc__u32 region)
{
    pfc__entry_t *e = pfc__table_find(t->table, from, region);
    pfc__node_t *n = e->from ? e->to : 0;
    if (!n) {
        pfc__lock_take();
        n = pfc__ancestor(from, region);
        if (n && n != from) n->manner |= PFC__MANNER_FOLDED;
        if (!n && from != t->overflow && pfc__table_ready(&t->table)) n = pfc__node_new(t, from, region);
        if (n && pfc__table_ready(&t->table)) pfc__table_put(t->table, from, region, n);
        if (!n) PFC__HEADER->lost_nodes++, n = t->overflow;
        pfc__mutex_unlock(&pfc__lock);
    }
    if (n != t->overflow) pfc__child_put(t, from, n);
    return n;
}

/* ------------------------------------------------------- meeting (impl) ---
   Where threads wait for each other: R12 of the model, which is R6 on the clock
   that they share. A thread that waited for a slowed-down one is then as late as
   that one, and one that came last keeps the delay it has. */

#if defined PFC__THREADS_MEET

static PFC__QUIET pfc__moment_t pfc__thread_moment(const pfc__thread_t *t, pfc__i64 tick)
{
    pfc__moment_t m;
    m.ct = (tick - PFC__HEADER->tick_begin) * (1 << PFC__FRACTION);
    m.lt = m.ct - t->delta;
    m.u = pfc__delta_doubt(t);
    m.clock = 0;
    return m;
}

/* The thread has gone on when the latest was there. */
static PFC__QUIET void pfc__delta_meet(pfc__thread_t *t, pfc__moment_t latest)
{
    pfc__delta_take(t, latest.ct - latest.lt, latest.u);
}

/* Rounds of the same threads. Nobody comes to the next but one before all have gone from this one: two are enough. */
typedef struct pfc__meeting {
    unsigned turn, expected[2], arrived[2];
    pfc__latest_t latest[2];
} pfc__meeting_t;

/* Returns the number of the round. */
static PFC__QUIET unsigned pfc__meeting_come(pfc__meeting_t *m, unsigned expected, pfc__moment_t arrival)
{
    unsigned round = m->turn;
    if (m->arrived[round] >= m->expected[round]) m->arrived[round] = 0, m->latest[round] = pfc__latest_none();
    m->expected[round] = expected;
    m->latest[round] = pfc__latest_merge(m->latest[round], pfc__latest_of(arrival));
    if (++m->arrived[round] == expected) m->turn = !round;
    return round;
}

/* Whom all have waited for, unless some weren't seen. */
static PFC__QUIET void pfc__meeting_leave(const pfc__meeting_t *m, unsigned round, pfc__thread_t *t)
{
    if (m->arrived[round] == m->expected[round]) pfc__delta_meet(t, pfc__latest_moment(m->latest[round]));
}

#endif

/* ------------------------------------------------------- objects (impl) ---
   Threads and barriers of the program, of which something is to be known when
   they are named again. The number or address of one that is gone may be
   another one's: the newer takes its place. */

#if defined PFC__THREADS_MEET

typedef struct pfc__object {
    struct pfc__object *next;
    pfc__uptr name;
    unsigned holders; /* the list, and who is just using it */
} pfc__object_t;

/* These four under the lock. */
static PFC__QUIET void pfc__object_release(pfc__object_t *o)
{
    if (!--o->holders) free(o);
}

static PFC__QUIET pfc__object_t **pfc__object_find(pfc__object_t **list, pfc__uptr name)
{
    while (*list && (*list)->name != name) list = &(*list)->next;
    return list;
}

static PFC__QUIET void pfc__object_unlist(pfc__object_t **at)
{
    pfc__object_t *o = *at;
    if (!o) return;
    *at = o->next;
    pfc__object_release(o);
}

/* By this name, from here on. NULL: there is nothing to be known of it. */
static PFC__QUIET void pfc__object_put(pfc__object_t **list, pfc__uptr name, pfc__object_t *o)
{
    pfc__object_unlist(pfc__object_find(list, name));
    if (!o) return;
    o->name = name;
    o->next = *list;
    *list = o;
}

static PFC__QUIET void pfc__object_list(pfc__object_t **list, pfc__uptr name, pfc__object_t *o)
{
    pfc__waits_enter();
    pfc__object_put(list, name, o);
    pfc__waits_leave();
}

/* For who is about to use it. NULL: nothing is known. */
static PFC__QUIET pfc__object_t *pfc__object_hold(pfc__object_t **list, pfc__uptr name)
{
    pfc__object_t *o;
    pfc__waits_enter();
    if ((o = *pfc__object_find(list, name)) != 0) o->holders++;
    pfc__waits_leave();
    return o;
}

/* It is used no more. */
static PFC__QUIET void pfc__object_leave(pfc__object_t *o)
{
    pfc__waits_enter();
    pfc__object_release(o);
    pfc__waits_leave();
}

/* And it is gone, whoever has its name now. */
static PFC__QUIET void pfc__object_drop(pfc__object_t **list, pfc__object_t *o)
{
    pfc__waits_enter();
    while (*list && *list != o) list = &(*list)->next;
    pfc__object_unlist(list);
    pfc__object_release(o);
    pfc__waits_leave();
}

#endif

/* ------------------------------------------------------ children (impl) ---
   Threads that others have started and may join: what they begin with, and when
   they ended. */

PFC__TLS pfc__i64 pfc__begun_delta; /* of this thread, where nobody has told; see threads */

#if defined PFC__THREADS_MEET

typedef struct pfc__child {
    pfc__object_t object;  /* held by the thread itself, too, and until it is on its way by who starts it */
    void (*routine)(void); /* cast, as its result is one or the other */
    void *argument;
    pfc__i64 delta, doubt; /* where it was started */
    pfc__moment_t end;
    int ended;
    int awaits_name;       /* it may be joined, and isn't listed yet */
} pfc__child_t;

static pfc__object_t *pfc__children; /* that may be joined */

static PFC__QUIET pfc__child_t *pfc__child_new(const pthread_attr_t *attributes, void (*routine)(void), void *argument)
{
    pfc__child_t *child = (pfc__child_t *)calloc(1, sizeof *child);
    int detached = PTHREAD_CREATE_JOINABLE;
    if (!child) return 0;
    if (attributes) pthread_attr_getdetachstate(attributes, &detached);
    child->routine = routine;
    child->argument = argument;
    child->awaits_name = detached == PTHREAD_CREATE_JOINABLE;
    child->object.holders = child->awaits_name ? 3 : 2;
    return child;
}

/* Under the lock. By who starts it, or by itself, whoever is first: once it runs, where its name was put may be gone. */
static PFC__QUIET void pfc__child_named(pfc__child_t *child, pthread_t name)
{
    child->awaits_name = 0;
    pfc__object_put(&pfc__children, (pfc__uptr)name, &child->object);
}

/* Who came to join it at `arrival` has waited for it, where its end was seen. */
static PFC__QUIET void pfc__child_joined(pfc__child_t *child, pfc__thread_t *t, pfc__moment_t arrival)
{
    if (child->ended) pfc__delta_meet(t, pfc__both_there(arrival, child->end));
    pfc__object_drop(&pfc__children, &child->object);
}

/* A thread goes on from where `delta` was, with what has passed since the tick `since` upon it. One `is_new` that is
   older than that has met a signal handler first. */
static PFC__QUIET void pfc__thread_begins(pfc__thread_t *t, pfc__i64 since, pfc__i64 delta, pfc__i64 doubt, int is_new)
{
    pfc__i64 gain = t->met_gain, change = t->met_change, begun = t->delta;
    pfc__delta_take(t, delta, doubt);
    begun = t->delta - begun;
    pfc__delta_charge(t, pfc__clock() - since);
    if (!is_new) return;
    t->own -= t->tick_begin < since ? begun : t->delta - pfc__begun_delta; /* its share of Δ counts from here */
    t->met_gain = gain;
    t->met_change = change;
}

/* The thread is through. */
static PFC__QUIET void pfc__child_ends(pfc__thread_t *t)
{
    pfc__child_t *child = t->child;
    t->child = 0;
    if (!child) return;
    child->end = pfc__thread_moment(t, t->tick_end);
    child->ended = 1;
    pfc__object_release(&child->object);
}

#else

static PFC__QUIET void pfc__child_ends(pfc__thread_t *t) { (void)t; }

#endif

/* -------------------------------------------------------- events (impl) ---
   PERFCOMP_TRACE=1: the last events of each thread, in a ring inside the
   profile. The oldest are overwritten; `written` tells how many there were. */

/* To be filled in; it isn't there before pfc__event_done. */
static PFC__QUIET pfc__event_t *pfc__event_next(const pfc__thread_t *t, pfc__u32 kind, pfc__u32 region, pfc__i64 lt)
{
    pfc__event_t *e = &t->ring->event[*t->ring->written & t->ring->mask];
    e->lt = lt;
    e->kind = kind;
    e->region = region;
    e->sent = 0;
    e->sender = 0;
    e->tag = 0;
    e->bytes = 0;
    e->communicator = 0;
    e->source = e->rank = 0;
    return e;
}

/* The next one is written over an old one: not before it can be seen that there is one more. x86 keeps the order of stores. */
#if defined __aarch64__
#  define PFC__STORES_FENCE() __asm__ __volatile__("dmb ishst" ::: "memory")
#else
#  define PFC__STORES_FENCE() PFC__SIGNAL_FENCE()
#endif

static PFC__QUIET void pfc__event_done(const pfc__thread_t *t)
{
    __atomic_store_n(t->ring->written, *t->ring->written + 1, __ATOMIC_RELEASE);
    PFC__STORES_FENCE();
}

static PFC__QUIET void pfc__event_add(const pfc__thread_t *t, pfc__u32 kind, pfc__u32 region, pfc__i64 lt)
{
    pfc__event_next(t, kind, region, lt);
    pfc__event_done(t);
}

/* Its Δ isn't settled before the call of MPI ends. */
static PFC__QUIET pfc__event_t *pfc__event_message(pfc__u32 kind, pfc__i64 sent, pfc__u32 sender)
{
    const pfc__thread_t *t = pfc__self;
    pfc__event_t *e = pfc__event_next(t, kind, t->top->node->region, pfc__clock() - (t->delta >> PFC__FRACTION));
    e->sent = sent;
    e->sender = sender;
    return e;
}

/* What one call sends (MPI_Startall), all at its begin, differs by a ns each: otherwise receivers' ends would fit any of it. */
pfc__i64 pfc__event_sent(pfc__i64 sent, pfc__u32 sender)
{
    const pfc__ring_t *ring = pfc__self->ring;
    const pfc__event_t *last = &ring->event[(*ring->written - 1) & ring->mask];
    if (*ring->written && last->kind == PFC__EVENT_SENT && last->sent >= sent) sent = last->sent + 1;
    pfc__event_message(PFC__EVENT_SENT, sent, sender);
    pfc__event_done(pfc__self);
    return sent;
}

void pfc__event_received(const pfc__came_t *came)
{
    pfc__event_t *e = pfc__event_message(PFC__EVENT_RECEIVED, came->sent, came->sender);
    e->tag = came->tag;
    e->bytes = (pfc__u64)came->bytes;
    e->communicator = came->communicator;
    e->source = came->source;
    e->rank = came->rank;
    pfc__event_done(pfc__self);
}

/* So many events ago; NULL: so many there aren't. */
static PFC__QUIET pfc__event_t *pfc__event_ago(const pfc__ring_t *ring, pfc__u64 events)
{
    return events <= *ring->written && events <= ring->mask ? &ring->event[(*ring->written - events) & ring->mask] : 0;
}

/* Else a program that polls would fill its ring in no time. Where the last call was of the row, too, its end and our begin are taken back. */
void pfc__event_in_vain(void)
{
    const pfc__ring_t *ring = pfc__self->ring;
    pfc__event_t *begin = pfc__event_ago(ring, 1), *end = pfc__event_ago(ring, 2), *first = pfc__event_ago(ring, 3);
    if (!begin || begin->kind != PFC__EVENT_ENTER || begin->region != pfc__self->top->node->region) return; /* a handler has come */
    begin->tag = 1;
    if (!first || end->kind != PFC__EVENT_EXIT || first->kind != PFC__EVENT_ENTER || first->region != begin->region || !first->tag) return;
    first->tag++;
    __atomic_store_n(ring->written, *ring->written - 2, __ATOMIC_RELEASE);
}

void pfc__event_collective(const pfc__meets_t *m)
{
    pfc__event_t *e = pfc__event_message(PFC__EVENT_COLLECTIVE, m->communicator, m->root);
    e->region = m->region;
    e->tag = m->rank;
    e->bytes = (pfc__u64)m->bytes;
    pfc__event_done(pfc__self);
}

static pfc__u64 pfc__nonblocking; /* collectives that go on beside the program, so far */

static PFC__QUIET void pfc__event_numbered(pfc__u32 kind, pfc__i64 number)
{
    pfc__event_message(kind, number, 0);
    pfc__event_done(pfc__self);
}

pfc__i64 pfc__event_started(void)
{
    pfc__i64 number = (pfc__i64)__atomic_add_fetch(&pfc__nonblocking, 1, __ATOMIC_RELAXED);
    pfc__event_numbered(PFC__EVENT_STARTED, number);
    return number;
}

void pfc__event_completed(pfc__i64 number) { pfc__event_numbered(PFC__EVENT_COMPLETED, number); }

/* ------------------------------------------------------- threads (impl) ---
   A thread gets a record, a stack of open regions and a call tree at its first
   operation. When it ends, the next new thread continues its record: a program
   of a million short threads needs as many records as run at once. */

PFC__TLS pfc__thread_t *pfc__self;
PFC__TLS int pfc__lost; /* this thread found no room */
int pfc__off;

static PFC__QUIET void pfc__turn_off(void) { __atomic_store_n(&pfc__off, 1, __ATOMIC_RELAXED); }

static pthread_key_t pfc__thread_key;
static pfc__thread_t *pfc__threads_ended; /* records to continue */
static pfc__u32 pfc__threads_count;
static pfc__u32 pfc__threads_gone; /* of them: a forked process's parent had these */
static pfc__u32 pfc__region_overflow;

/* At once, at most, in this process. */
static PFC__QUIET pfc__u32 pfc__threads_own(void) { return pfc__threads_count - pfc__threads_gone; }

#define PFC__TRACE_LEAST 1024

/* Whether a ring of so many events finds room: 0, or an errno. A quarter of all addresses is left to what isn't a trace, as
   the records of further threads. */
static PFC__QUIET int pfc__ring_lacks(pfc__u64 events)
{
    const size_t bytes = sizeof(pfc__extent_t) + sizeof(pfc__ring_t) + (size_t)events * sizeof(pfc__event_t);
    return pfc__arena.used + bytes > pfc__arena.reserved / 4 * 3 ? ENOMEM : pfc__arena_lacks(bytes);
}

/* So many events fit into a thread's ring. Where it isn't as many as are wanted, as much again is left: regions need room, too.
   Once is said enough: there may be thousands of threads. */
static PFC__QUIET pfc__u64 pfc__ring_fits(pfc__u64 events)
{
    static int said;
    const pfc__u64 wanted = events;
    const int error = pfc__ring_lacks(events);
    int lacks = error;
    for (; lacks && events > PFC__TRACE_LEAST; lacks = pfc__ring_lacks(2 * events)) events /= 2;
    if (error && !said++)
        pfc__note("PERFCOMP_TRACE: for %llu events of this thread there is no room (%s): its last %llu are kept, of further ones "
                  "maybe fewer; make room, or ask for fewer of each thread", (unsigned long long)wanted, strerror(error), (unsigned long long)events);
    return events;
}

static PFC__QUIET void pfc__ring_add(pfc__thread_t *t)
{
    pfc__u64 events = pfc__ring_fits(pfc__settings.trace_events);
    pfc__extent_t *e = pfc__extent_new(PFC__EVENTS, sizeof(pfc__event_t), events, t->id, sizeof(pfc__ring_t));
    pfc__ring_t *ring;
    if (!e) return;
    ring = (pfc__ring_t *)(void *)(e + 1);
    ring->event = (pfc__event_t *)pfc__extent_data(e);
    ring->mask = e->capacity - 1;
    ring->written = &e->count;
    t->ring = ring;
}

static PFC__QUIET pfc__thread_t *pfc__thread_new(void)
{
    pfc__extent_t *e = pfc__extent_new(PFC__THREADS, sizeof(pfc__thread_t), 1, pfc__threads_count, 0);
    pfc__thread_t *t;
    if (!e) return 0;
    t = (pfc__thread_t *)pfc__extent_data(e);
    t->id = pfc__threads_count;
    if (!pfc__stack_grow(t) || !pfc__table_ready(&t->table)) return 0;
    t->root = pfc__node_new(t, 0, 0);
    t->overflow = t->root ? pfc__node_new(t, t->root, pfc__region_overflow) : 0;
    if (!t->overflow) return 0;
    t->overflow->manner = PFC__MANNER_FOLDED;
    t->bottom->node = t->root;
    t->bottom->sp = ~(pfc__uptr)0;
    if (pfc__settings.trace) pfc__ring_add(t);
    pfc__threads_count++;
    t->tick_begin = t->tick_end = PFC__HEADER->tick_begin;
    t->state = PFC__ENDED; /* nobody's yet: readers must not see it run since the clock's beginning */
    pfc__extent_holds(e, 1);
    return t;
}

static PFC__QUIET pfc__i64 pfc__os_thread(void)
{
#if defined SYS_gettid
    return pfc__sys_gettid();
#else
    return pfc__sys_getpid();
#endif
}

/* ---- where a thread's Δ begins

   One that pfc__thread_begins tells begins where it was made. Of others (nothing is wrapped, or a library has made them)
   nobody knows: as a rule the main thread has, so they are as late as that one. At zero, they would be ahead of
   it by all that starting took, and whoever waits for them as well. */

static pfc__thread_t *pfc__first; /* the main thread, once it has a record */

/* Another thread writes them meanwhile. */
static PFC__QUIET __attribute__((no_sanitize("thread"))) void pfc__thread_as_late_as(pfc__thread_t *t, const pfc__thread_t *first)
{
    t->delta = t->met_delta = first->delta;
    t->met_doubt = first->met_doubt;
}

static PFC__QUIET void pfc__thread_guess(pfc__thread_t *t)
{
    t->delta = t->met_delta = t->met_doubt = 0;
    if (!pfc__first || t->os_id == PFC__HEADER->pid) pfc__first = t;
    if (pfc__first != t) pfc__thread_as_late_as(t, pfc__first);
    pfc__begun_delta = t->delta;
    t->own -= t->delta; /* its own share counts from here */
}

/* ---- where a thread's record ends

   At its end its key's destructor settles it. What it does behind the last round of destructors (another key's may set its
   own value again each time; the C library frees by the program's own free) gets a record that nobody would settle. */

static pfc__thread_t *pfc__threads_late; /* records of threads that have settled one already */
PFC__TLS int pfc__leaving; /* this thread's destructors are called; 2: and it has settled a record */

static PFC__QUIET void pfc__thread_counters_leave(const pfc__thread_t *t, int is_there); /* see counters */

static PFC__QUIET void pfc__thread_settle(pfc__thread_t *t, int is_there)
{
    t->root->exclusive += t->tick_end - t->bottom->begin - t->bottom->child;
    t->root->timed++;
    t->earlier += t->tick_end - t->bottom->begin;
    t->own += t->delta;
    if (!pfc__is_off()) pfc__thread_counters_leave(t, is_there); /* else libraries may have gone, and their slots */
    t->state = PFC__ENDED;
    t->next = pfc__threads_ended;
    pfc__threads_ended = t;
}

static PFC__QUIET void pfc__thread_isnt_late(const pfc__thread_t *t)
{
    pfc__thread_t **at = &pfc__threads_late;
    while (*at && *at != t) at = &(*at)->next;
    if (*at) *at = t->next;
}

static PFC__QUIET int pfc__thread_is_gone(const pfc__thread_t *t) { return pfc__sys_kill((pid_t)t->os_id, 0) && errno == ESRCH; }

/* Late records that are outside of all regions, of threads that are gone, or of all. When they last were inside is known. */
static PFC__QUIET __attribute__((no_sanitize("thread"))) void pfc__threads_late_settle(int of_all)
{
    pfc__thread_t *t, *next, *late = pfc__threads_late;
    pfc__threads_late = 0;
    for (t = late; t; t = next) {
        const pfc__i64 last = t->bottom->begin + t->bottom->child;
        next = t->next;
        if (t->top == t->bottom && (of_all || pfc__thread_is_gone(t))) {
            if (t->tick_end < last) t->tick_end = last;
            pfc__thread_settle(t, 0);
        } else {
            t->next = pfc__threads_late;
            pfc__threads_late = t;
        }
    }
}

/* Sets pfc__self. Under the lock. */
static PFC__QUIET pfc__thread_t *pfc__thread_attach(void)
{
    pfc__thread_t *t;
    if (!pfc__threads_ended) pfc__threads_late_settle(0);
    t = pfc__threads_ended;
    if (t) pfc__threads_ended = t->next;
    else if (!(t = pfc__thread_new())) {
        if (!pfc__threads_count) pfc__turn_off();
        PFC__HEADER->lost_threads += !pfc__lost;
        pfc__lost = 1;
        return 0;
    }
    t->next = pfc__leaving == 2 ? pfc__threads_late : 0;
    if (pfc__leaving == 2) pfc__threads_late = t;
    if (t->generations) t->hits_own = PFC__UNSEEN;
    t->os_id = pfc__os_thread();
    pfc__thread_guess(t);
    t->met_hits = t->hits_charged;
    t->stack_low = t->stack_high = 0;
    t->tick_begin = t->tick_end = pfc__clock();
    t->bottom->begin = t->tick_begin;
    t->bottom->child = t->bottom->child_delta = 0;
    if (t->generations++ && t->ring) pfc__event_add(t, PFC__EVENT_BEGUN, 0, t->tick_begin - (t->delta >> PFC__FRACTION));
    __atomic_store_n(&t->state, PFC__RUNNING, __ATOMIC_RELEASE); /* not since an earlier thread's begin */
    pfc__charge_by(t, &pfc__cost);
    pfc__windows_start(t);
    pfc__self = t;
    pthread_setspecific(pfc__thread_key, t);
    return t;
}

/* Up to now the time since `tick` was ours. */
static PFC__QUIET pfc__i64 pfc__charge_until_now(pfc__thread_t *t, pfc__i64 tick)
{
    pfc__i64 now = pfc__clock();
    pfc__delta_charge(t, now - tick);
    t->tick_end = now; /* the last sign of life of a process that ends by _exit, exec or a signal */
    return now;
}

/* A destructor. Ours comes before the program's own as a rule, and these are part of the run, for which who joins the thread
   waits: it ends when it is called once more, after them. */
static void pfc__thread_ends(void *thread)
{
    pfc__thread_t *t = (pfc__thread_t *)thread;
    int saved = errno;
    pfc__i64 since = pfc__clock();
    pfc__stray_look();
    if (t != pfc__self || pfc__busy) return;
    if (!pfc__leaving && !pthread_setspecific(pfc__thread_key, t)) {
        pfc__leaving = 1;
        return;
    }
    since = pfc__hits_charge_due(since);
    pfc__busy = 1;
    pfc__frames_close(t, t->bottom, since);
    pfc__lists_enter();
    if (pfc__has_paused(t, since)) pfc__slept_told(t, pfc__schedstat, since);
    pfc__charge_until_now(t, since);
    pfc__child_ends(t);
    pfc__thread_isnt_late(t);
    pfc__thread_settle(t, 1);
    pfc__leaving = 2;
    pfc__self = 0;
    pfc__lists_leave();
    errno = saved;
}

/* At the end of a process with several threads, of those that are still there. */
static PFC__QUIET void pfc__threads_sleep_told(pfc__i64 now)
{
    char path[64] = "";
    size_t at;
    for (at = PFC__PAGE; pfc__threads_own() > 1 && at < pfc__arena.used; at = pfc__extent_after(at)) {
        pfc__extent_t *e = pfc__extent_at(at);
        pfc__thread_t *t = e->kind == PFC__THREADS && e->count ? (pfc__thread_t *)pfc__extent_data(e) : 0;
        if (!t || t->state == PFC__ENDED) continue;
        if (*pfc__schedstat) snprintf(path, sizeof path, "/proc/self/task/%lld/schedstat", (long long)t->os_id);
        pfc__slept_told(t, path, now);
    }
}

static PFC__QUIET void pfc__threads_start(void)
{
    pfc__site_t overflow = PFC__SITE(PFC__OVERFLOW, "(overflow)", 0, "");
    pfc__regions_grow();
    pfc__region_overflow = pfc__region_of(&overflow);
    pthread_key_create(&pfc__thread_key, pfc__thread_ends);
}

/* This thread's record; NULL when perfcomp is off or had no room for it, or when a signal handler has come upon us at work. */
pfc__thread_t *pfc__thread_get(void)
{
    int saved = errno;
    if (pfc__self || pfc__is_off() || pfc__busy || pfc__lost) return pfc__self;
    pfc_start(0, 0);
    if (pfc__self) return pfc__self;
    pfc__lists_enter();
    if (!pfc__is_off()) pfc__thread_attach();
    pfc__lists_leave();
    errno = saved;
    return pfc__self;
}

/* ---- timers */

void pfc__charge_slow(pfc__i64 tick_begin)
{
    if (pfc__self) pfc__charge_until_now(pfc__self, tick_begin);
}

void pfc__charge_start(pfc__i64 tick_begin)
{
    if (pfc__self) PFC__HEADER->start_ticks += pfc__charge_until_now(pfc__self, tick_begin) - tick_begin;
}

/* As it is at the reading, which stands in the middle of what the call takes. */
static pfc_timers_t pfc__timers_of(pfc__thread_t *t)
{
    pfc_timers_t timers = { 0, 0, 0 };
    pfc__i64 tick = pfc__clock();
    if (t && PFC__UNLIKELY(pfc__hits_are_due(tick))) tick = pfc__charge_until_now(t, pfc__hits_charge(tick));
    timers.ct = pfc__ns_of_tick(tick);
    timers.delta = t ? pfc__ns_of_span((t->delta + (pfc__look >> 1)) >> PFC__FRACTION) : 0;
    timers.lt = timers.ct - timers.delta;
    if (t) t->delta += pfc__look, t->looked += pfc__look;
    return timers;
}

pfc_timers_t pfc_timers(void) { return pfc__timers_of(pfc__thread_get()); }
int64_t pfc_ct(void) { return pfc__timers_of(pfc__thread_get()).ct; }
int64_t pfc_delta(void) { return pfc__timers_of(pfc__thread_get()).delta; }
int64_t pfc_lt(void) { return pfc__timers_of(pfc__thread_get()).lt; }

/* -------------------------------------------------------- budget (impl) ---
   PERFCOMP_BUDGET: a path whose probes take too large a share of the time is
   timed by sampling. Entries stay counted; the distances between timed entries
   are random, so that no rhythm of the program makes the estimate biased. */

/* Without the lock: a signal handler may set it, in the middle of what we do; and other threads, at any time. */
void pfc_budget(double share)
{
    pfc__i64 since;
    if (!(share >= 0 && share < 1) || pfc__is_off()) return; /* NaN neither */
    pfc_start(0, 0);
    since = pfc__clock();
    pfc__stray_look();
    if (pfc__arena.base) __atomic_store(&PFC__HEADER->budget, &share, __ATOMIC_RELAXED);
    pfc__charge_slow(since);
}

/* 0: none. */
static PFC__QUIET double pfc__budget(void)
{
    double share;
    __atomic_load(&PFC__HEADER->budget, &share, __ATOMIC_RELAXED);
    return share;
}

static PFC__QUIET pfc__sample_t *pfc__sample_of(const pfc__node_t *n)
{
    return (pfc__sample_t *)(void *)(pfc__arena.base + 64 * (size_t)n->sample);
}

static PFC__QUIET pfc__u32 pfc__next_distance(pfc__sample_t *s)
{
    s->random ^= s->random << 13; /* Marsaglia, Xorshift RNGs, 2003 */
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (pfc__u32)(1 + ((s->random >> 32) * (2 * s->stride - 1) >> 32)); /* uniform, mean `stride` */
}

static PFC__QUIET int pfc__sample_new(const pfc__thread_t *t, pfc__node_t *n)
{
    pfc__extent_t *e;
    pfc__sample_t *s;
    if (pfc__busy) return 0;
    pfc__lists_enter();
    e = pfc__extent_new(PFC__SAMPLES, sizeof *s, 1, t->id, 0);
    pfc__lists_leave();
    if (!e) return 0;
    s = (pfc__sample_t *)pfc__extent_data(e);
    s->node = n->id;
    s->stride = 1;
    s->random = 0x9E3779B97F4A7C15u * (n->id + 1u) + (pfc__u64)t->id;
    pfc__extent_holds(e, 1);
    n->sample = (pfc__u32)(pfc__offset(s) / 64);
    return 1;
}

/* A sampled entry takes some pairs' time, an untimed one a quarter of a pair's: a smaller distance would cost more than
   timing all; beyond the largest it is the untimed entries that cost, and few timed ones tell little. */
#define PFC__LEAST_STRIDE 16.0
#define PFC__MOST_STRIDE 64.0

/* By how much timing is too dear: of a path, which may take a quarter of the budget, or of all together. The path's
   entries are also those of threads that have used this record before. */
static PFC__QUIET double pfc__over_budget(const pfc__thread_t *t, const pfc__node_t *n, double elapsed, double budget)
{
    double pair = pfc__compensates ? (double)(t->enter + t->exit) / (1 << PFC__FRACTION) : pfc__cost.empty_pair;
    double most = (elapsed + (double)t->earlier) * budget;
    double own = (double)(n->timed + n->untimed) * pair / (most / 4);
    double all = (double)(t->own + t->delta) / (1 << PFC__FRACTION) / most; /* Δ alone is its maker's, too */
    return own > all ? own : all;
}

static PFC__QUIET void pfc__budget_apply(pfc__thread_t *t, pfc__node_t *n, pfc__i64 elapsed, double budget)
{
    double stride = pfc__over_budget(t, n, (double)elapsed, budget);
    if (stride < 2 || (!n->sample && !pfc__sample_new(t, n))) return;
    stride = stride < PFC__LEAST_STRIDE ? PFC__LEAST_STRIDE : stride > PFC__MOST_STRIDE ? PFC__MOST_STRIDE : stride;
    pfc__sample_of(n)->stride = (pfc__u64)stride;
}

static PFC__QUIET void pfc__sample_add(const pfc__thread_t *t, const pfc__frame_t *f, pfc__i64 exclusive)
{
    pfc__sample_t *s = pfc__sample_of(f->node);
    pfc__i64 delta = t->delta + t->exit_pre - f->delta - f->child_delta;
    double local = (double)exclusive - (double)delta / (1 << PFC__FRACTION);
    s->timed += 1 + s->inside;
    s->inside = 0;
    s->sum += local;
    s->sum_squares += local * local;
}

#define PFC__BUDGET_REVIEW 4096 /* after so many timed entries: a multiple of PFC__REVIEW, and a power of two */

/* From pfc__frame_end_slowly: every PFC__BUDGET_REVIEW-th entry of a path, and every one of a sampled path that was due. */
static PFC__QUIET void pfc__node_review(pfc__thread_t *t, pfc__frame_t *f, pfc__i64 now, int sampled)
{
    pfc__node_t *n = f->node;
    pfc__sample_t *s = n->sample ? pfc__sample_of(n) : 0;
    double budget = pfc__budget();
    if (budget > 0 && t->bottom->begin < now && (!s || (s->timed & 63) == 0))
        pfc__budget_apply(t, n, now - t->bottom->begin, budget);
    if (sampled) pfc__sample_add(t, f, now - f->begin - f->child);
    if (sampled) n->due_in = pfc__next_distance(pfc__sample_of(n));
    else if (n->sample && !n->due_in) n->due_in = 1 + pfc__next_distance(pfc__sample_of(n)); /* entries around this one may be open: none is due */
}

/* ------------------------------------------------------- regions (impl) ---
   Everything that the hot path leaves out. */

static PFC__QUIET pfc__u32 pfc__site_region(pfc__site_t *site)
{
    pfc__u32 id = pfc__site_id(site);
    if (id != PFC__UNKNOWN) return id;
    pfc__lock_take();
    id = pfc__region_of(site);
    if (id == PFC__UNKNOWN) PFC__HEADER->lost_regions++;
    pfc__mutex_unlock(&pfc__lock);
    __atomic_store_n(&site->id, id, __ATOMIC_RELAXED);
    return id;
}

int pfc__is_amid(pfc__u32 kind)
{
    pfc__u32 id = pfc__self && pfc__self->top ? pfc__self->top->node->region : 0;
    int is;
    pfc__lock_take();
    is = id && id <= pfc__regions.count && pfc__regions.by_id[id]->kind == kind;
    pfc__mutex_unlock(&pfc__lock);
    return is;
}

/* A million regions by PFC_BEGIN that nobody ends: more of them would only fill the disk. Functions and scopes may be
   open as deep as the program's stack lets them. */
enum { PFC__BEGUN_MOST = 1 << 20 };

static PFC__QUIET int pfc__too_many_begun(const pfc__thread_t *t)
{
    static int said;
    const pfc__region_t *region;
    if (t->top->depth + 1 < PFC__BEGUN_MOST || t->top->sp != ~(pfc__uptr)0) return 0;
    if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED)) return 1;
    pfc__lock_take();
    region = pfc__regions.by_id[t->top->node->region];
    pfc__note("more than %d regions are open at once in a thread, the last one \"%s\" (%s:%u): is there a way past its PFC_END? "
              "What is begun beyond them isn't recorded", PFC__BEGUN_MOST, pfc__text_at(region->name), pfc__text_at(region->file), region->line);
    pfc__mutex_unlock(&pfc__lock);
    return 1;
}

/* The path to be entered, with room for a frame; NULL: there is none. */
static PFC__QUIET pfc__node_t *pfc__frame_prepare(pfc__thread_t *t, pfc__site_t *site, pfc__uptr sp, pfc__i64 since)
{
    pfc__u32 region = pfc__site_region(site);
    if (sp) pfc__frames_unwind(t, sp, since), pfc__frames_unpile(t, sp, region, since);
    if (t->top == t->limit) {
        int grown;
        if (pfc__too_many_begun(t)) return 0;
        pfc__lock_take();
        grown = pfc__stack_grow(t);
        pfc__mutex_unlock(&pfc__lock);
        if (!grown) { PFC__HEADER->lost_nodes++; return 0; }
    }
    return region == PFC__UNKNOWN ? t->overflow : pfc__path(t, t->top->node, region);
}

/* Handlers of signals that came meanwhile run before this returns, and that time is theirs: to let signals in takes a system call,
   as it does to hold them off, which took `hold`. */
static PFC__QUIET void pfc__work_ends_charged(const sigset_t *held, pfc__i64 hold)
{
    pfc__i64 since = pfc__clock(), took;
    pfc__work_ends(held);
    took = pfc__clock() - since;
    if (pfc__self) pfc__delta_charge(pfc__self, took < hold ? took : hold);
}

pfc__u64 pfc__enter_slowly(pfc__site_t *site, pfc__uptr sp)
{
    int saved = errno;
    pfc__i64 since, hold;
    pfc__thread_t *t = pfc__thread_get();
    pfc__node_t *node;
    pfc__frame_t *f;
    sigset_t held;
    if (pfc__busy && pfc__clock_asks) pfc__clock_is_ours = 1;
    if (!t || pfc__busy || pfc__empty_within(site)) return 0;
    since = pfc__clock();
    pfc__work_begins(&held);
    hold = pfc__clock() - since;
    node = pfc__frame_prepare(t, site, sp, since);
    pfc__charge_slow(since);
    pfc__work_ends_charged(&held, hold);
    errno = saved;
    if (!node) return 0;
    f = pfc__frame_push(t, t->top, node, sp);
    return pfc__frame_begin(t, f, 0);
}

/* A path that the cache of its parent's children doesn't hold, or a new one. */
pfc__u64 pfc__enter_known(pfc__site_t *site, pfc__uptr sp)
{
    pfc__thread_t *t = pfc__self;
    pfc__node_t *node = pfc__node_known(t, t->top->node, pfc__site_id(site));
    return node ? pfc__frame_enter(t, t->top, node, site, sp) : pfc__enter_slowly(site, sp);
}

/* With a trace, or a clock that has to be called. */
pfc__u64 pfc__frame_begin_slowly(pfc__thread_t *t, pfc__frame_t *f)
{
    f->begin = pfc__clock();
    if (t->ring) pfc__event_add(t, PFC__EVENT_ENTER, f->node->region, f->begin - (f->delta >> PFC__FRACTION));
    return f->depth;
}

/* In a window that is to show what an untimed entry costs: twice that, then. */
pfc__u64 pfc__entered_doubled(pfc__thread_t *t, pfc__frame_t *f, int turned)
{
    pfc__empty_untimed(turned);
    t->delta += t->light;
    return f->depth;
}

pfc__u64 pfc__counted_doubled(pfc__thread_t *t)
{
    pfc__empty_leaf();
    t->delta += t->light;
    return 0;
}

/* An entry whose time lies with that of the sampled one around it. */
void pfc__count_inside(pfc__node_t *node)
{
    if (node->sample) pfc__sample_of(node)->inside++;
}

void pfc__exit_top_slowly(pfc__thread_t *t, pfc__frame_t *f) { pfc__exit_frame(t, f, pfc__clock()); }

/* With a trace, or an entry to be looked at. */
void pfc__frame_end_slowly(pfc__thread_t *t, pfc__frame_t *f, pfc__i64 now)
{
    pfc__node_t *node = f->node;
    int sampled = node->due_in == 1 && !pfc__is_folded(f);
    if ((node->timed & (PFC__REVIEW - 1)) == 0) pfc__stray_look(), pfc__manner_review(t, node);
    if ((node->timed & (PFC__BUDGET_REVIEW - 1)) == 0 || sampled) pfc__node_review(t, f, now, sampled);
    if (t->ring) pfc__event_add(t, PFC__EVENT_EXIT, node->region, now - ((t->delta + t->exit_pre) >> PFC__FRACTION));
    if (sampled) { /* what this has taken stands for what an exit takes behind its stamp */
        pfc__charge_until_now(t, now);
        t->delta -= t->exit - t->exit_pre;
    }
    pfc__frame_end(t, f);
}

/* What we have done since `now` belongs behind the exit, as the exit's own cost does. */
static PFC__QUIET void pfc__exit_from(pfc__thread_t *t, pfc__frame_t *f, pfc__i64 now)
{
    pfc__i64 slow;
    pfc__frames_close(t, f, now);
    slow = pfc__clock() - now;
    pfc__frame_close(t, now);
    pfc__delta_charge(t, slow);
}

/* The frame isn't the innermost one: close those above it, unless it was closed already. */
void pfc__exit_slowly(pfc__u64 depth)
{
    pfc__thread_t *t = pfc__self;
    pfc__i64 now;
    if (!depth) return;
    now = pfc__clock();
    if (depth > t->top->depth) { t->stray_ends++; return; }
    pfc__exit_from(t, t->bottom + depth, now);
}

/* The frame up to which the region isn't open, as is known from an end of it before. */
static PFC__QUIET pfc__frame_t *pfc__frame_without(const pfc__thread_t *t, pfc__u32 region, const pfc__sought_t *s)
{
    pfc__frame_t *f = t->bottom + s->depth;
    return s->region == region && s->depth <= t->top->depth && f->begin == s->begin && f->delta == s->delta ? f : t->bottom;
}

/* The innermost frame of this region; the bottom: it isn't open. Each misspelt end leaves a frame more on the stack: to look
   through all of them anew, a program of a million turns would never have ended. */
static PFC__QUIET pfc__frame_t *pfc__frame_of(pfc__thread_t *t, pfc__u32 region)
{
    pfc__sought_t *s = &t->sought[region % (sizeof t->sought / sizeof *t->sought)];
    pfc__frame_t *f, *without = pfc__frame_without(t, region, s);
    for (f = t->top; f > without && f->node->region != region && f->node != t->overflow;) f--;
    if (f > without) return f;
    for (f = t->top; f > without && !PFC__HAS_TIME(f->begin);) f--; /* others can't be told from their like */
    s->depth = f->depth;
    s->begin = f->begin;
    s->delta = f->delta;
    s->region = region;
    return t->bottom;
}

void pfc__exit_named_slowly(pfc__site_t *site)
{
    pfc__thread_t *t = pfc__thread_get();
    pfc__i64 now = pfc__clock(), hold;
    pfc__frame_t *f;
    pfc__u32 region;
    sigset_t held;
    int saved = errno;
    if (!t || pfc__busy) return;
    pfc__work_begins(&held);
    hold = pfc__clock() - now;
    region = pfc__site_region(site);
    f = pfc__frame_of(t, region);
    if (f > t->bottom) pfc__exit_from(t, f, now);
    else {
        pfc__went_wrong(&t->stray_ends, &t->first_stray_end, region);
        pfc__charge_slow(now);
    }
    pfc__work_ends_charged(&held, hold); /* a system call, more than all before */
    errno = saved;
}

/* What instrumented functions call. The part that knows its thread is a function of its own: in one, an entry took less than a
   second dose of it (dose.c), and sqlite3 came out 5 % too low. */

static PFC__CALLED pfc__u64 pfc__unit_enter_on(pfc__site_t *site, pfc__uptr sp, pfc__thread_t *t) { return pfc__enter_on(t, site, sp); }
static PFC__CALLED void pfc__unit_leave_on(pfc__u64 depth, pfc__thread_t *t) { pfc__exit_on(t, depth); }

PFC__QUIET pfc__u64 pfc__unit_enter(pfc__site_t *site, pfc__uptr sp)
{
    pfc__thread_t *t = pfc__self;
#if defined PERFCOMP_CLOCK
    if (pfc__clock_asked) return 0;
#endif
    if (PFC__UNLIKELY(t == 0)) return pfc__is_off() ? 0 : pfc__enter_slowly(site, sp);
    return pfc__unit_enter_on(site, sp, t);
}

PFC__QUIET void pfc__unit_leave(pfc__u64 depth)
{
    pfc__thread_t *t = pfc__self;
    if (PFC__LIKELY(t != 0)) pfc__unit_leave_on(depth, t);
}

/* -------------------------------------------------------- blocks (impl) ---
   A unit's blocks, one after the other, out of its record: from a table, or
   packed. */

typedef struct pfc__block_cursor {
    const unsigned char *at, *end;
    int packed, damaged;
    pfc__u32 counter;              /* behind the last one's */
    pfc__u32 line;                 /* the last one's that has one */
    pfc__block_t last;
} pfc__block_cursor_t;

/* `tables`: where the record's extent begins. All tables are known to fit in there. */
static PFC__QUIET pfc__block_cursor_t pfc__blocks_begin(const pfc__unit_record_t *u, const unsigned char *tables)
{
    pfc__block_cursor_t c;
    memset(&c, 0, sizeof c);
    c.packed = u->packed != 0;
    c.at = tables + (c.packed ? u->packed_table : u->block_table);
    c.end = c.at + (c.packed ? u->packed : u->blocks * sizeof(pfc__block_t));
    return c;
}

static PFC__QUIET pfc__u32 pfc__packed_number(pfc__block_cursor_t *c)
{
    pfc__u32 number = 0, shift;
    for (shift = 0; shift < 32 && c->at < c->end; shift += 7) {
        number |= (pfc__u32)(*c->at & 127) << shift;
        if (*c->at++ < 128) return number;
    }
    c->damaged = 1;
    return 0;
}

static PFC__QUIET pfc__u32 pfc__packed_difference(pfc__block_cursor_t *c)
{
    pfc__u32 zigzag = pfc__packed_number(c);
    return zigzag >> 1 ^ (0u - (zigzag & 1));
}

static PFC__QUIET pfc__block_t pfc__block_unpack(pfc__block_cursor_t *c)
{
    pfc__block_t b = { 0, 0, 0, c->last.function, c->last.file, PFC__BLOCK_PLAIN, PFC__NO_COUNTER, 0, 0 };
    unsigned char has = *c->at++;
    if (has & PFC__PACKED_LINES) {
        b.line = c->line += pfc__packed_difference(c);
        b.line_end = b.line + pfc__packed_difference(c);
        b.column = pfc__packed_number(c);
    }
    if (has & PFC__PACKED_FUNCTION) b.function += pfc__packed_difference(c);
    if (has & PFC__PACKED_FILE) b.file += pfc__packed_difference(c);
    if (has & PFC__PACKED_KIND) b.kind = pfc__packed_number(c);
    if (has & PFC__PACKED_COUNTER) c->counter += pfc__packed_difference(c);
    if (has & (PFC__PACKED_COUNTER | PFC__PACKED_NEXT)) b.counter = c->counter++;
    if (has & PFC__PACKED_GRAPH) {
        b.from = c->last.from + pfc__packed_difference(c);
        b.to = b.from + pfc__packed_difference(c);
    }
    return b;
}

/* Whether there is one more. */
static PFC__QUIET int pfc__block_next(pfc__block_cursor_t *c, pfc__block_t *b)
{
    if (c->at >= c->end) return 0;
    if (c->packed) *b = c->last = pfc__block_unpack(c);
    else memcpy(b, c->at, sizeof *b), c->at += sizeof *b;
    return !c->damaged;
}

/* ------------------------------------------------------ counters (impl) ---
   Units hand over their tables and arrays; the arrays become views of the
   profile. */

/* A counter of the entries, or of the exits, of a function that may be left otherwise than by its end: together they tell how many
   activations of it go on. */
typedef struct pfc__tally {
    pfc__u32 function, counter;
    pfc__i64 sign;                 /* 1: entered; -1: left */
    pfc__u64 going_on;             /* the function's activations at the last fork; in the first of its own */
} pfc__tally_t;

/* What we know of a registered unit, until its library is unloaded: the extent of its counters, and whose array they are. */
typedef struct pfc__mapped {
    struct pfc__mapped *next;
    pfc__unit_t *unit;
    pfc__u32 id, adding;
    unsigned long long *array;     /* of the program; NULL: per thread */
    size_t array_bytes;
    unsigned char *view;           /* the same counters inside the arena */
    int aliased;                   /* 1: array and view are one memory */
    pfc__extent_t *tables;         /* its record; the unit's own tables may be gone */
    pfc__tally_t *tally;           /* for forks */
    pfc__u32 tallies, tallies_known;
    pfc__u64 *inherited;           /* [function], in the arena; NULL: no activation was taken over */
} pfc__mapped_t;

/* A thread's own counters of a threaded unit. */
typedef struct pfc__threaded {
    struct pfc__threaded *next;
    const pfc__unit_t *unit;
    pfc__u32 thread;
    unsigned long long **slot;     /* where the thread that has them now finds them; NULL: none has */
    pfc__extent_t *counters;
} pfc__threaded_t;

static pfc__mapped_t *pfc__units, **pfc__units_end = &pfc__units;
static pfc__threaded_t *pfc__threaded;
static pfc__u32 pfc__units_count;

/* Small records of our own that live until the end. */
static PFC__QUIET void *pfc__keep(size_t bytes)
{
    static unsigned char *block;
    static size_t room;
    void *p;
    bytes = pfc__round_up(bytes, 16);
    if (bytes > room) {
        block = (unsigned char *)pfc__pages(65536);
        room = block ? 65536 : 0;
    }
    if (bytes > room) return 0;
    p = block;
    block += bytes;
    room -= bytes;
    return p;
}

/* In virtual time each hit costs what it is said to. */
static PFC__QUIET size_t pfc__summed_bytes(const pfc__unit_t *u)
{
#ifdef PERFCOMP_CHARGE
    return (void)u, 0;
#else
    return u->summed ? (size_t)u->counters : 0;
#endif
}

/* A table of the unit's record comes to its end; its place. */
static PFC__QUIET pfc__u64 pfc__table_write(pfc__extent_t *e, pfc__u64 *end, const void *table, size_t bytes)
{
    pfc__u64 place = *end;
    if (bytes) memcpy((char *)e + place, table, bytes);
    *end += bytes;
    return place;
}

static PFC__QUIET pfc__u64 pfc__strings_write(pfc__extent_t *e, pfc__u64 *end, const char *const *string, pfc__u32 n)
{
    pfc__u64 place = *end, *table = (pfc__u64 *)(void *)((char *)e + place);
    pfc__u32 i;
    for (i = 0; i < n; i++) table[i] = pfc__string(string[i]);
    *end += n * sizeof *table;
    return place;
}

static PFC__QUIET pfc__u64 pfc__functions_write(pfc__extent_t *e, pfc__u64 *end, const pfc__function_t *function, pfc__u32 n)
{
    pfc__u64 place = pfc__table_write(e, end, function, n * sizeof *function);
    pfc__function_t *table = (pfc__function_t *)(void *)((char *)e + place);
    pfc__u32 i;
    for (i = 0; i < n; i++) {
        pfc__u64 name = pfc__string(function[i].name);
        memcpy(&table[i].name, &name, sizeof table[i].name);
    }
    return place;
}

/* The unit's tables, as the reader finds them: strings have become offsets. Until all is there, the record counts as none: the
   profile may be read at any time, and the program killed. NULL: no room. */
static PFC__QUIET pfc__extent_t *pfc__unit_record_write(const pfc__unit_t *u, pfc__u32 id)
{
    pfc__u32 holders = u->holder ? u->functions : 0;
    size_t functions = u->functions * sizeof(pfc__function_t), blocks = u->packed ? 0 : u->blocks * sizeof(pfc__block_t);
    size_t packed = u->packed ? (size_t)u->packed_bytes : 0;
    size_t gaps = u->gaps * sizeof(pfc__gap_t), callers = (size_t)u->callers * sizeof(pfc__caller_t);
    size_t stops = (size_t)u->stops * sizeof(pfc__stop_t), names = stops ? (size_t)u->names : 0;
    size_t strings = ((size_t)u->files + holders) * sizeof(pfc__u64), summed = pfc__summed_bytes(u), record = sizeof(pfc__unit_record_t);
    pfc__extent_t *e = pfc__extent_new(PFC__UNIT, 1, record + strings + functions + blocks + gaps + callers + stops + summed + names + packed, id, 0);
    pfc__unit_record_t *r;
    pfc__u64 end;
    if (!e) return 0;
    r = (pfc__unit_record_t *)pfc__extent_data(e);
    r->name = pfc__string(u->name);
    r->directory = pfc__string(u->directory);
    r->compiler = pfc__string(u->compiler);
    r->files = u->files;
    r->functions = u->functions;
    r->blocks = u->blocks;
    r->threaded = !u->array;
    r->counters = u->counters;
    r->gaps = u->gaps;
    r->callers = u->callers;
    r->stops = u->stops;
    r->names = names;
    end = e->data + record;
    r->file_table = pfc__strings_write(e, &end, u->file, u->files);
    if (holders) r->holder_table = pfc__strings_write(e, &end, u->holder, holders);
    r->function_table = pfc__functions_write(e, &end, u->function, u->functions);
    r->block_table = pfc__table_write(e, &end, u->block, blocks);
    r->gap_table = pfc__table_write(e, &end, u->gap, gaps);
    r->caller_table = pfc__table_write(e, &end, u->caller, callers);
    r->stop_table = pfc__table_write(e, &end, u->stop, stops);
    r->name_table = pfc__table_write(e, &end, u->called, names);
    r->packed = packed;
    if (packed) r->packed_table = pfc__table_write(e, &end, u->packed, packed);
    if (summed) r->summed_table = pfc__table_write(e, &end, u->summed, summed);
    pfc__extent_holds(e, e->capacity);
    return e;
}

static PFC__QUIET pfc__u64 pfc__summed_place(pfc__extent_t *tables)
{
    pfc__u64 table = ((const pfc__unit_record_t *)pfc__extent_data(tables))->summed_table;
    return table ? pfc__offset(tables) + table : 0;
}

/* Counters begin at a page, so that the array can be a view of them. */
static PFC__QUIET pfc__extent_t *pfc__counters_extent(pfc__u32 unit, pfc__u64 counters, pfc__u64 bytes, pfc__u32 owner_thread)
{
    size_t front = bytes ? PFC__PAGE - (pfc__arena.used + sizeof(pfc__extent_t)) % PFC__PAGE : 0;
    pfc__u64 capacity = bytes ? bytes / 8 : counters;
    pfc__extent_t *e = pfc__extent_new(PFC__COUNTERS, 8, capacity, unit, front % PFC__PAGE);
    if (!e) return 0;
    e->count = counters;
    e->first = owner_thread;
    return e;
}

/* To add atomically takes longer. */
static PFC__QUIET void pfc__counters_adding(pfc__extent_t *e, pfc__u32 adding)
{
    e->adding = adding;
    if (!(adding & PFC__ADDED_ATOMICALLY) || pfc__atomic_hits) return;
    pfc__atomic_hits = pfc__atomic_hits_measured(pfc__cost.hit);
    PFC__HEADER->atomic_hits = pfc__atomic_hits;
    PFC__HEADER->atomic_doubt = PFC__ATOMIC_DOUBT;
}

/* Lays the view's pages over the array. An old length 0 makes a second mapping of shared pages: one call for each of a
   thousand units. Not by mremap's name: libraries for networks (UCX) have one of their own, which loses where to. */
static PFC__QUIET int pfc__array_lay(const pfc__mapped_t *m)
{
    int fd, done;
#if defined MREMAP_FIXED && defined SYS_mremap
    if (pfc__sys_mremap(m->view, 0, m->array_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, m->array) != -1) return 1;
#endif
    fd = pfc__arena_open();
    done = fd >= 0 && pfc__sys_mmap(m->array, m->array_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                           (off_t)pfc__offset(m->view)) != MAP_FAILED;
    pfc__arena_close(fd);
    return done;
}

/* Until then the array has counted for itself. */
static PFC__QUIET void pfc__array_alias(pfc__mapped_t *m)
{
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0 || (pfc__uptr)m->array % (pfc__uptr)page || m->array_bytes % (size_t)page) return;
    m->aliased = pfc__array_lay(m);
}

static PFC__QUIET pfc__mapped_t *pfc__unit_map(pfc__unit_t *u, pfc__u32 id)
{
    pfc__mapped_t *m = (pfc__mapped_t *)pfc__keep(sizeof *m);
    pfc__extent_t *e = 0;
    if (!m || !(m->tables = pfc__unit_record_write(u, id))) return 0;
    m->unit = u;
    m->id = id;
    m->array = u->array;
    m->adding = u->adding;
    m->array_bytes = (size_t)u->array_bytes;
    if (!u->array) return m;
    e = pfc__counters_extent(id, u->counters, u->array_bytes, 0);
    if (!e) return 0;
    pfc__counters_adding(e, u->adding);
    e->of.summed = pfc__summed_place(m->tables);
    m->view = (unsigned char *)pfc__extent_data(e);
    memcpy(m->view, u->array, m->array_bytes);
    if (!pfc__arena.plain) pfc__array_alias(m);
    return m;
}

static PFC__QUIET void pfc__unit_add(pfc__unit_t *u)
{
    pfc__mapped_t *m = pfc__unit_map(u, pfc__units_count + 1);
    if (!m) { PFC__HEADER->lost_units++; return; }
    u->id = ++pfc__units_count;
    *pfc__units_end = m;
    pfc__units_end = &m->next;
}

void pfc__unit_register(pfc__unit_t *u)
{
    int saved = errno;
    pfc__i64 since;
    if (u->abi != PFC__ABI) {
        pfc__note("%s was instrumented by another version of perfcomp (interface %u, here %u) and is left out: compile it anew",
                  u->name, u->abi, PFC__ABI);
        return;
    }
    if (!pfc__self) pfc_start(0, 0); /* which isn't free, where there are hundreds of units */
    if (pfc__is_off() || pfc__busy || u->id) return;
    since = pfc__clock();
    pfc__lists_enter();
    if (!u->id) pfc__unit_add(u);
    pfc__lists_leave();
    pfc__charge_slow(since);
    errno = saved;
}

/* Where the array couldn't become a view, its counts are copied: at the end, and for a report. */
static PFC__QUIET void pfc__unit_gather(const pfc__mapped_t *m)
{
    if (m->array && !m->aliased) memcpy(m->view, m->array, m->array_bytes);
}

static PFC__QUIET void pfc__units_gather(void)
{
    const pfc__mapped_t *m;
    for (m = pfc__units; m; m = m->next) pfc__unit_gather(m);
}

/* No mapping may be laid over these addresses any more: something else may get them. A program that loads and unloads
   a library again and again looks through the units that are there, not through all that were. */
static PFC__QUIET void pfc__unit_forget(const unsigned long long *array, const pfc__unit_t *u)
{
    pfc__mapped_t *m, **at = &pfc__units;
    pfc__threaded_t *c;
    while ((m = *at) != 0) {
        if (m->unit != u || m->array != array) { at = &m->next; continue; }
        pfc__unit_gather(m);
        *at = m->next;
    }
    pfc__units_end = at;
    for (c = pfc__threaded; u && c; c = c->next)
        if (c->unit == u) c->unit = 0, c->slot = 0;
}

void pfc__unit_unregister(pfc__unit_t *u)
{
    if (pfc__is_off() || !u->id) return; /* the program ends: pfc_stop has been here */
    pfc__lists_enter();
    pfc__unit_forget(u->array, u);
    pfc__lists_leave();
}

/* From now on the array counts for itself again. */
static PFC__QUIET void pfc__unit_freeze(pfc__mapped_t *m, int fd)
{
    if (!m->array || !m->aliased) return;
    pfc__sys_mmap(m->array, m->array_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, (off_t)pfc__offset(m->view));
    m->aliased = 0;
}

/* ---- threaded units */

/* Where counts go that have no place in the profile: of any thread, without the lock. The first element tells how many follow. */
static PFC__QUIET unsigned long long *pfc__counters_nowhere(pfc__u64 counters)
{
    static unsigned long long *block;
    unsigned long long *known = __atomic_load_n(&block, __ATOMIC_ACQUIRE), *larger;
    if (known && *known >= counters) return known + 1;
    larger = (unsigned long long *)pfc__pages((size_t)(counters + 1) * 8);
    if (!larger) return known ? known + 1 : 0;
    *larger = counters;
    __atomic_store_n(&block, larger, __ATOMIC_RELEASE);
    return larger + 1;
}

static PFC__QUIET const pfc__mapped_t *pfc__mapped_of(const pfc__unit_t *u)
{
    const pfc__mapped_t *m = pfc__units;
    while (m && m->unit != u) m = m->next;
    return m;
}

/* Whose counters this thread has in its slot. */
static PFC__QUIET void pfc__unit_measure_fetch(pfc__unit_t *u)
{
    const pfc__mapped_t *m = pfc__mapped_of(u);
    if (m) m->tables->of.fetch = pfc__fixed(pfc__fetch_cost(u->own));
    u->own = 0;
}

static PFC__QUIET pfc__threaded_t *pfc__thread_counters(pfc__unit_t *u, pfc__thread_t *t)
{
    const pfc__mapped_t *m;
    pfc__threaded_t *c;
    pfc__extent_t *e;
    for (c = pfc__threaded; c; c = c->next)
        if (c->unit == u && c->thread == t->id) return c;
    if (!u->id) pfc__unit_add(u);
    c = u->id ? (pfc__threaded_t *)pfc__keep(sizeof *c) : 0;
    e = c ? pfc__counters_extent(u->id, u->counters, 0, t->id + 1) : 0;
    if (!e) return 0;
    m = u->summed ? pfc__mapped_of(u) : 0;
    if (m) e->of.summed = pfc__summed_place(m->tables);
    c->unit = u;
    c->thread = t->id;
    c->counters = e;
    c->next = pfc__threaded;
    pfc__threaded = c;
    return c;
}

/* The thread ends, and another one may go on with its counters: what its other destructors count isn't to meet that.
   Where it is gone, so is its slot. */
static PFC__QUIET void pfc__thread_counters_leave(const pfc__thread_t *t, int is_there)
{
    pfc__threaded_t *c;
    for (c = pfc__threaded; c; c = c->next) {
        if (c->thread != t->id) continue;
        if (c->slot && is_there) *c->slot = 0;
        c->slot = 0;
    }
}

unsigned long long *pfc__unit_thread(pfc__unit_t *u, unsigned long long **slot)
{
    unsigned long long *counters = 0;
    pfc__threaded_t *own;
    int saved = errno, held = pfc__busy || pfc__clock_asked;
    pfc__thread_t *t = pfc__thread_get();
    if (!held) {
        pfc__i64 since = pfc__clock();
        pfc__lists_enter();
        own = t ? pfc__thread_counters(u, t) : 0;
        if (own) counters = (unsigned long long *)pfc__extent_data(own->counters), own->slot = slot;
        *slot = counters ? counters : pfc__counters_nowhere(u->counters);
        if (counters && u->own) pfc__unit_measure_fetch(u);
        counters = *slot;
        pfc__lists_leave();
        pfc__charge_slow(since);
    } else counters = pfc__counters_nowhere(u->counters);
    errno = saved;
    return counters;
}

/* ---------------------------------------------------------- hits (impl) ---
   Hits by hand: a unit for each file's array. */

/* The place of a file's name in the table, at its end if it is new: a header's hits are in each file's array that includes it. */
static PFC__QUIET pfc__u32 pfc__hits_file(const char **file, pfc__u32 files, const char *name)
{
    pfc__u32 i = 0;
    while (i < files && strcmp(file[i], name)) i++;
    file[i] = name;
    return i;
}

/* What a unit of hits consists of: one function and one block a hit, and the files that they stand in. */
typedef struct pfc__hits_tables {
    pfc__function_t *function;
    pfc__block_t *block;
    const char **holder, **file;
    pfc__u32 hits, files;
    pfc__u64 counters;
} pfc__hits_tables_t;

static PFC__QUIET void pfc__hits_describe(pfc__hits_tables_t *t, pfc__u32 i, const pfc__hit_t *hit)
{
    pfc__u32 file = pfc__hits_file(t->file, t->files, hit->file);
    if (file == t->files) t->files++;
    t->holder[i] = hit->function;
    t->function[i].name = hit->name;
    t->function[i].file = t->block[i].file = file;
    t->function[i].line = t->block[i].line = t->block[i].line_end = hit->line;
    t->block[i].function = i;
    t->block[i].kind = PFC__BLOCK_HIT;
    t->block[i].counter = (pfc__u32)hit->index;
}

static PFC__QUIET void pfc__hits_unit(pfc__unit_t *u, const pfc__hits_tables_t *t)
{
    memset(u, 0, sizeof *u);
    u->abi = PFC__ABI;
    u->files = t->files;
    u->functions = u->blocks = t->hits;
    u->counters = t->counters;
    u->file = t->file;
    u->function = t->function;
    u->holder = t->holder;
    u->block = t->block;
    u->name = t->file[0];
    u->directory = u->compiler = "";
}

/* A file's hits: `hit` and those behind it. The profile has copies of the tables. */
static PFC__QUIET void pfc__hits_register_file(const pfc__hit_t *hit, pfc__u32 hits, pfc__u64 counters)
{
    pfc__unit_t *u = (pfc__unit_t *)pfc__keep(sizeof *u);
    size_t bytes = hits * (sizeof(pfc__function_t) + sizeof(pfc__block_t) + 2 * sizeof(char *));
    pfc__hits_tables_t t = { 0, 0, 0, 0, hits, 0, counters };
    pfc__u32 i;
    t.function = u ? (pfc__function_t *)pfc__pages(bytes) : 0;
    if (!t.function) return;
    t.holder = (const char **)(void *)(t.function + hits);
    t.file = t.holder + hits;
    t.block = (pfc__block_t *)(void *)(t.file + hits);
    for (i = 0; i < hits; i++) pfc__hits_describe(&t, i, hit + i);
    pfc__hits_unit(u, &t);
    u->array = hit->array;
    u->adding = hit->adding;
    u->array_bytes = (counters + PFC__PAGE / 8 - 1) / (PFC__PAGE / 8) * PFC__PAGE;
    pfc__unit_register(u);
    pfc__sys_munmap(t.function, bytes);
}

void pfc__hits_register(const pfc__hit_t *begin, const pfc__hit_t *end)
{
    const pfc__hit_t *hit, *next;
    const pfc__mapped_t *m;
    for (hit = begin; hit < end; hit = next) {
        pfc__u64 counters = 0;
        for (next = hit; next < end && next->array == hit->array; next++)
            if (counters <= next->index) counters = next->index + 1;
        for (m = pfc__units; m && m->array != hit->array;) m = m->next;
        if (!m && hit->array) pfc__hits_register_file(hit, (pfc__u32)(next - hit), counters);
    }
}

void pfc__hits_unregister(const pfc__hit_t *begin, const pfc__hit_t *end)
{
    const pfc__hit_t *hit;
    pfc__mapped_t *m;
    if (pfc__is_off()) return;
    pfc__lists_enter();
    for (hit = begin; hit < end; hit++)
        for (m = hit->array ? pfc__units : 0; m; m = m->next)
            if (m->array == hit->array) pfc__unit_forget(m->array, m->unit);
    pfc__lists_leave();
}

/* A hit that finds its counter when it is first passed: a unit of one block. */
unsigned long long *pfc__hit_register(pfc__late_hit_t *hit)
{
    const pfc__hit_t described = { 0, 0, hit->name, hit->file, hit->function, hit->line, hit->adding };
    const char *holder = 0, *file = 0;
    pfc__function_t function;
    pfc__block_t block;
    pfc__hits_tables_t t = { &function, &block, &holder, &file, 1, 0, 1 };
    pfc__unit_t u;
    unsigned long long *counter = 0;
    int saved = errno;
    memset(&function, 0, sizeof function);
    memset(&block, 0, sizeof block);
    pfc__hits_describe(&t, 0, &described);
    pfc__hits_unit(&u, &t);
    pfc_start(0, 0);
    if (pfc__busy) return pfc__counters_nowhere(1);
    pfc__lists_enter();
    if (!pfc__is_off() && !hit->counter && pfc__unit_record_write(&u, pfc__units_count + 1)) {
        pfc__extent_t *e = pfc__counters_extent(++pfc__units_count, 1, 0, 0);
        if (e) pfc__counters_adding(e, hit->adding);
        if (e) counter = (unsigned long long *)pfc__extent_data(e);
    }
    if (!hit->counter) __atomic_store_n(&hit->counter, counter ? counter : pfc__counters_nowhere(1), __ATOMIC_RELEASE);
    pfc__lists_leave();
    errno = saved;
    return hit->counter;
}

/* -------------------------------------------------- hits, charge (impl) ---
   The hits' share of Δ, in time for a communication.

   To sum the counters takes longer than some hits do. So it is done only when
   PFC__HITS_PATIENCE times as long has passed as it takes: it costs below 1 %,
   and what Δ lacks meanwhile is the share of that time's hits, which doesn't
   add up. The reader shares all hits out over the functions that hold them;
   hits_charged keeps it from charging them twice. In virtual time it leaves them
   to what has been charged here, which is exact. What threads' counters are
   found with is left to the reader, who knows how many hits are entries. */

#define PFC__HITS_PATIENCE 100

/* Without those that cost nothing, or have been charged. */
static PFC__QUIET pfc__u64 pfc__hits_of(pfc__extent_t *counters)
{
    const pfc__u64 *counter = (const pfc__u64 *)pfc__extent_data(counters);
    const unsigned char *summed = counters->of.summed ? pfc__arena.base + counters->of.summed : 0;
    pfc__u64 hits = 0, i;
    if (counters->adding & PFC__ADDED_AND_CHARGED) return 0;
    for (i = 0; i < counters->count; i++) hits += summed && summed[i] ? 0 : counter[i];
    return counters->adding & PFC__ADDED_ATOMICALLY ? hits * pfc__atomic_hits : hits;
}

/* Of the process's own arrays. */
static PFC__QUIET pfc__u64 pfc__hits_shared(void)
{
    pfc__u64 sum = 0;
    size_t at;
    for (at = PFC__PAGE; at < pfc__arena.used; at = pfc__extent_after(at)) {
        pfc__extent_t *e = pfc__extent_at(at);
        if (e->kind == PFC__COUNTERS && !e->first) sum += pfc__hits_of(e);
    }
    return sum;
}

/* Of a thread's. All that thousands of others have in the profile isn't looked through for them. */
static PFC__QUIET pfc__u64 pfc__hits_own(const pfc__thread_t *t)
{
    pfc__u64 sum = 0;
    const pfc__threaded_t *c;
    for (c = pfc__threaded; c; c = c->next)
        if (c->thread == t->id) sum += pfc__hits_of(c->counters);
    return sum;
}

/* Since the last time. Which thread has hit the process's own counters nobody knows, once there are several. */
static PFC__QUIET double pfc__hits_new(pfc__thread_t *t)
{
    pfc__u64 own = pfc__hits_own(t), shared = t->hits_shared, hits;
    if (pfc__threads_own() == 1) {
        pfc__units_gather();
        shared = pfc__hits_shared();
    }
    if (t->hits_own == PFC__UNSEEN) t->hits_own = own; /* counted by threads before this one, most of it */
    hits = own - t->hits_own + shared - t->hits_shared;
    t->hits_own = own;
    t->hits_shared = shared;
    return (double)hits;
}

/* In virtual time, where PFC_HIT is an operation like the others. */
void pfc__virtual_hit(void)
{
    pfc__thread_t *t = pfc__thread_get();
    if (!t) return;
    if (pfc__compensates) t->delta += pfc__virtual.hit;
    pfc__virtual_cost(pfc__virtual.hit);
}

#ifdef PERFCOMP_CHARGE

/* Virtual time: they take theirs now, in the region that is open; one that was entered at `begin` begins behind that. */
pfc__i64 pfc__hits_charge(pfc__i64 begin)
{
    pfc__thread_t *t = pfc__self;
    pfc__frame_t *f = t->top;
    pfc__i64 share, delta;
    if (!pfc__virtual.hit) t->hits_due = INT64_MAX;
    if (!pfc__virtual.hit || !PFC__CHARGES() || !pfc__lists_try()) return begin;
    share = pfc__fixed(pfc__cost.hit * pfc__hits_new(t));
    pfc__lists_leave();
    delta = pfc__compensates ? share : 0;
    t->delta += delta;
    pfc__virtual_cost(share);
    if (f == t->bottom || f->begin != begin) return pfc__clock();
    f->delta += delta;
    return f->begin = pfc__clock();
}

#else

/* The function that holds them is charged by the reader: to the regions that are open it is none of theirs. */
static PFC__QUIET void pfc__hits_to_root(pfc__thread_t *t, pfc__i64 share)
{
    pfc__frame_t *f = t->top;
    t->delta += share;
    t->hits_charged += share;
    if (f > t->bottom) {
        f->delta += share;
        f--;
    }
    f->child_delta += share;
}

/* In a trace, time would run backwards: its events have been stamped without the hits before them. */
pfc__i64 pfc__hits_charge(pfc__i64 begin)
{
    pfc__thread_t *t = pfc__self;
    pfc__i64 share, took, patience;
    if (!pfc__compensates || t->ring || pfc__fixed(pfc__context.hit) == 0) {
        t->hits_due = INT64_MAX;
        return begin;
    }
    if (!pfc__lists_try()) return begin;
    share = pfc__fixed(pfc__cost.hit * pfc__hits_new(t));
    pfc__hits_to_root(t, share);
    pfc__lists_leave();
    took = pfc__clock() - begin;
    patience = took < t->hits_took ? took : t->hits_took; /* one of the two may have been interrupted */
    t->hits_took = took;
    t->hits_due = begin + PFC__HITS_PATIENCE * patience;
    return begin;
}

#endif

/* --------------------------------------------------------- waits (impl) ---
   A wait for another thread is a region, in which Δ changes:

       pfc__visit_begins    the call entered
       pfc__visit_waits     the library is about to be called; or, for a meeting, pfc__visit_comes
       pfc__visit_goes_on   it has returned
       pfc__visit_ends      the call left: everything but the library's time was ours */

#if defined PFC__THREADS_MEET

/* This thread, unless a signal handler has come upon us at work. */
static PFC__QUIET pfc__thread_t *pfc__thread_at_leisure(void)
{
    return pfc__busy ? 0 : pfc__thread_get();
}

typedef struct pfc__visit {
    pfc__thread_t *thread;
    pfc__token_t region;
    pfc__i64 tick; /* since then time is ours */
    int saved;     /* errno */
    pfc__moment_t arrival; /* when it began to wait */
} pfc__visit_t;

/* Who waits has the time for a call; a hundred wrappers have them inlined else, which were a third of all code. */
static PFC__CALLED pfc__visit_t pfc__visit_begins_at(pfc__thread_t *t, pfc__site_t *site, pfc__uptr sp)
{
    pfc__visit_t v;
    v.saved = errno;
    v.thread = t;
    v.region.depth = pfc__enter_at(site, sp);
    v.tick = pfc__hits_charge_due(pfc__entered_at(&v.region));
    return v;
}

PFC__HOT pfc__visit_t pfc__visit_begins(pfc__thread_t *t, pfc__site_t *site) { return pfc__visit_begins_at(t, site, pfc__stack_pointer()); }

/* It is in none of the program's functions that always return: where the run ends, its counts are known. From the end of
   the profile on, others aren't recorded any more. */
static PFC__QUIET void pfc__thread_waits(pfc__thread_t *t)
{
    if (pfc__is_off()) return;
    t->state = PFC__WAITING;
    t->waits_since = t->tick_end;
    t->waits_in = (pfc__u32)t->top->depth;
}

/* The last step before it waits. */
static PFC__QUIET void pfc__visit_waits(pfc__visit_t *v)
{
    errno = v->saved;
    v->arrival = pfc__thread_moment(v->thread, pfc__charge_until_now(v->thread, v->tick));
    pfc__thread_waits(v->thread);
}

/* The first step behind it. Where a signal's handler came meanwhile, and waited for another thread itself, it's from that
   wait's end that this one went on: with its Δ, and not before it in local time. */
static PFC__QUIET void pfc__visit_goes_on(pfc__visit_t *v)
{
    pfc__moment_t last;
    v->tick = pfc__clock();
    v->saved = errno;
    last = pfc__thread_moment(v->thread, v->thread->tick_end);
    if (last.ct > v->arrival.ct) v->arrival = last;
    pfc__thread_goes_on(v->thread, v->tick);
}

/* By now its Δ is that of whom it has waited for. */
static PFC__CALLED void pfc__visit_ends(pfc__visit_t *v)
{
    pfc__leave_at(&v->region, pfc__charge_until_now(v->thread, v->tick));
    errno = v->saved;
}

/* Waits for the others of a meeting; returns the number of the round. */
static PFC__QUIET unsigned pfc__visit_comes(pfc__visit_t *v, pfc__meeting_t *m, unsigned expected)
{
    unsigned round;
    pfc__waits_enter();
    pfc__visit_waits(v);
    round = pfc__meeting_come(m, expected, v->arrival);
    pfc__waits_leave();
    return round;
}

static PFC__QUIET void pfc__visit_meets(pfc__visit_t *v, const pfc__meeting_t *m, unsigned round)
{
    pfc__waits_enter();
    pfc__meeting_leave(m, round, v->thread);
    pfc__waits_leave();
}

#endif

/* ------------------------------------------------------ pthreads (impl) ---
   What a program calls in place of pthread_create and others where it is linked
   with --wrap=pthread_create … (perfcomp-cc does it). Without, nobody does. C11's
   threads are glibc's and musl's own under other names: thrd_t is pthread_t. */

#if defined PFC__THREADS_MEET

#define PFC__INSTEAD __attribute__((weak)) PFC__QUIET /* the program may have its own */

/* The library's own; null where nothing is wrapped. */
extern __attribute__((weak)) int __real_pthread_barrier_init(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
extern __attribute__((weak)) int __real_pthread_barrier_destroy(pthread_barrier_t *);
extern __attribute__((weak)) int __real_pthread_barrier_wait(pthread_barrier_t *);

/* ---- a thread is made */

/* Where the main thread ends before the others, these may join it. */
static PFC__QUIET void pfc__main_may_be_joined(pfc__thread_t *t)
{
    pfc__child_t *child = t->child || t->os_id != PFC__HEADER->pid ? 0 : pfc__child_new(0, 0, 0);
    if (!child) return;
    child->object.holders = 2;
    pfc__waits_enter();
    pfc__child_named(child, pthread_self());
    pfc__waits_leave();
    t->child = child;
}

/* NULL: there is nothing to be known of it. */
static PFC__QUIET pfc__child_t *pfc__child_sets_out(const pthread_attr_t *attributes, void (*routine)(void), void *argument)
{
    int saved = errno;
    pfc__thread_t *t = pfc__thread_at_leisure();
    pfc__i64 tick = pfc__clock();
    pfc__child_t *child = t ? pfc__child_new(attributes, routine, argument) : 0;
    if (child) {
        pfc__main_may_be_joined(t);
        pfc__charge_until_now(t, pfc__hits_charge_due(tick));
        child->delta = t->delta;
        child->doubt = pfc__delta_doubt(t);
    }
    errno = saved;
    return child;
}

/* It may be through already. */
static PFC__QUIET void pfc__child_is_on_its_way(pfc__child_t *child, const pthread_t *thread)
{
    pfc__waits_enter();
    if (child->awaits_name) pfc__child_named(child, *thread);
    pfc__object_release(&child->object);
    pfc__waits_leave();
}

static PFC__QUIET void pfc__child_set_out(pfc__child_t *child, const pthread_t *thread, int error)
{
    pfc__i64 tick = pfc__clock();
    int saved = errno;
    if (error) free(child);
    else pfc__child_is_on_its_way(child, thread);
    pfc__charge_slow(tick);
    errno = saved;
}

static PFC__QUIET void pfc__child_begins(pfc__child_t *child, pfc__i64 since)
{
    pfc__thread_t *t;
    pfc__waits_enter();
    if (child->awaits_name) pfc__child_named(child, pthread_self());
    pfc__waits_leave();
    if ((t = pfc__thread_get()) != 0) {
        t->child = child;
        pfc__stack_bounds(t);
        pfc__thread_begins(t, since, child->delta, child->doubt, 1);
    } else pfc__object_leave(&child->object);
}

#define PFC__CREATE(name, result_t, attributes, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    static result_t pfc__##name##_run(void *argument) \
    { \
        pfc__i64 since = pfc__clock(); \
        pfc__child_t *child = (pfc__child_t *)argument; \
        result_t (*routine)(void *) = (result_t (*)(void *))child->routine; \
        void *its_argument = child->argument; \
        pfc__child_begins(child, since); \
        return routine(its_argument); \
    } \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        pfc__child_t *child = pfc__child_sets_out(attributes, (void (*)(void))routine, argument); \
        int error; \
        if (!child) return __real_##name arguments; \
        routine = pfc__##name##_run; \
        argument = child; \
        error = __real_##name arguments; \
        pfc__child_set_out(child, thread, error); \
        return error; \
    }

PFC__CREATE(pthread_create, void *, attributes,
            (pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument),
            (thread, attributes, routine, argument))
PFC__CREATE(thrd_create, int, 0, (pthread_t *thread, int (*routine)(void *), void *argument), (thread, routine, argument))

/* ---- join */

#define PFC__JOIN(name, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, #name, 0, ""); \
        pfc__thread_t *t = pfc__thread_at_leisure(); \
        pfc__child_t *child; \
        pfc__visit_t visit; \
        int error; \
        if (!t) return __real_##name arguments; \
        visit = pfc__visit_begins(t, &site); \
        child = (pfc__child_t *)pfc__object_hold(&pfc__children, (pfc__uptr)thread); \
        pfc__visit_waits(&visit); \
        error = __real_##name arguments; \
        pfc__visit_goes_on(&visit); \
        if (child && error) pfc__object_leave(&child->object); \
        else if (child) pfc__child_joined(child, t, visit.arrival); \
        pfc__visit_ends(&visit); \
        return error; \
    }

PFC__JOIN(pthread_join, (pthread_t thread, void **result), (thread, result))
PFC__JOIN(pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *end), (thread, result, end))
PFC__JOIN(pthread_clockjoin_np, (pthread_t thread, void **result, clockid_t clock, const struct timespec *end),
          (thread, result, clock, end))
PFC__JOIN(thrd_join, (pthread_t thread, int *result), (thread, result))

/* ---- barriers */

typedef struct pfc__barrier {
    pfc__object_t object;
    unsigned count;
    pfc__meeting_t meeting;
} pfc__barrier_t;

static pfc__object_t *pfc__barriers;

static PFC__QUIET void pfc__barrier_list(const pthread_barrier_t *address, unsigned count)
{
    pfc__barrier_t *barrier = (pfc__barrier_t *)calloc(1, sizeof *barrier);
    if (barrier) barrier->count = count, barrier->object.holders = 1;
    pfc__object_list(&pfc__barriers, (pfc__uptr)address, barrier ? &barrier->object : 0);
}

/* Of a barrier between processes each sees its own threads only. */
PFC__INSTEAD int __wrap_pthread_barrier_init(pthread_barrier_t *address, const pthread_barrierattr_t *attributes, unsigned count)
{
    int error = __real_pthread_barrier_init(address, attributes, count), saved = errno, shared = PTHREAD_PROCESS_PRIVATE;
    if (error || !pfc__thread_at_leisure()) return error;
    if (attributes) pthread_barrierattr_getpshared(attributes, &shared);
    if (shared == PTHREAD_PROCESS_PRIVATE) pfc__barrier_list(address, count);
    errno = saved;
    return error;
}

PFC__INSTEAD int __wrap_pthread_barrier_destroy(pthread_barrier_t *address)
{
    if (pfc__thread_at_leisure()) pfc__object_list(&pfc__barriers, (pfc__uptr)address, 0);
    return __real_pthread_barrier_destroy(address);
}

PFC__INSTEAD int __wrap_pthread_barrier_wait(pthread_barrier_t *address)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "pthread_barrier_wait", 0, "");
    pfc__thread_t *t = pfc__thread_at_leisure();
    pfc__barrier_t *barrier;
    pfc__visit_t visit;
    unsigned round;
    int result;
    if (!t) return __real_pthread_barrier_wait(address);
    visit = pfc__visit_begins(t, &site);
    barrier = (pfc__barrier_t *)pfc__object_hold(&pfc__barriers, (pfc__uptr)address);
    round = barrier ? pfc__visit_comes(&visit, &barrier->meeting, barrier->count) : (pfc__visit_waits(&visit), 0u);
    result = __real_pthread_barrier_wait(address);
    pfc__visit_goes_on(&visit);
    if (barrier) {
        pfc__visit_meets(&visit, &barrier->meeting, round);
        pfc__object_leave(&barrier->object); /* another thread may have destroyed it meanwhile */
    }
    pfc__visit_ends(&visit);
    return result;
}

#endif

/* ---------------------------------------------------- conditions (impl) ---
   Who waits for a condition, or a signal, waits for a message: from
   the thread that sends it (R1). One that finds what it needs calls nothing that
   waits: what it would have waited without its own delay isn't seen. */

#if defined PFC__THREADS_MEET

/* The last signal of each object, and how many wait for one (or did so when they were cancelled). Of two objects
   that share a slot the later signal stays: the other's waits keep their Δ. */
enum { PFC__SIGNALS = 256 };
static struct pfc__signals {
    const void *object;
    pfc__moment_t sent;
    unsigned waiting;
    struct {
        pfc__i64 usual_wait;
        pfc__i64 busy_since;      /* LT: until `sent` others have had it, one right after the other, since then; or PFC__FOUND_FREE */
        const void *held, *by;    /* the last for which a thread has waited, while that has it; it counts as one that waits */
        pfc__i64 held_since;      /* LT: as busy_since */
    } lock;                       /* see locks */
    struct {
        const void *taken, *by;   /* the last that a thread has got */
        int given_back;           /* the signal was that one's */
    } semaphore;                  /* see semaphores */
} pfc__signals[PFC__SIGNALS];

static PFC__QUIET size_t pfc__signal_slot(const void *object)
{
    return (size_t)(((pfc__uptr)object >> 3) * 0x9E3779B97F4A7C15u >> 32) % PFC__SIGNALS;
}

PFC__HOT unsigned *pfc__signal_waiting(const void *object) { return &pfc__signals[pfc__signal_slot(object)].waiting; }

/* The next three under the lock. A thread that has waited for a lock lets it go. */
static PFC__QUIET void pfc__signal_lets_go(struct pfc__signals *s)
{
    s->lock.busy_since = s->lock.held_since;
    s->lock.held = 0;
    __atomic_fetch_sub(&s->waiting, 1, __ATOMIC_RELAXED);
}

static PFC__QUIET void pfc__signal_put(const void *object, pfc__moment_t sent)
{
    struct pfc__signals *s = &pfc__signals[pfc__signal_slot(object)];
    if (s->object != object) s->lock.usual_wait = 0;
    s->object = object;
    s->sent = sent;
    s->lock.busy_since = PFC__FOUND_FREE;
    s->semaphore.given_back = s->semaphore.taken == object && s->semaphore.by == pfc__self;
    if (s->lock.held == object && s->lock.by == pfc__self) pfc__signal_lets_go(s);
}

/* With what was signalled since. */
static PFC__QUIET pfc__latest_t pfc__signal_merge(pfc__latest_t latest, const void *object, pfc__i64 since)
{
    size_t at = pfc__signal_slot(object);
    if (pfc__signals[at].object != object || pfc__signals[at].sent.ct <= since) return latest;
    return pfc__latest_merge(latest, pfc__latest_of(pfc__signals[at].sent));
}

static PFC__QUIET void pfc__signal_send(const void *object)
{
    int saved = errno;
    pfc__i64 tick = pfc__clock();
    pfc__thread_t *t = pfc__thread_at_leisure();
    if (!t) return;
    tick = pfc__hits_charge_due(tick);
    pfc__waits_enter();
    pfc__signal_put(object, pfc__thread_moment(t, pfc__charge_until_now(t, tick)));
    pfc__waits_leave();
    errno = saved;
}

/* Only while somebody waits is it worth a clock reading. Who waits for a condition waits for its mutex, too. */
PFC__HOT void pfc__signal(const void *object)
{
    if (PFC__UNLIKELY(__atomic_load_n(pfc__signal_waiting(object), __ATOMIC_RELAXED) != 0)) pfc__signal_send(object);
}

/* Who waits for a condition lets its mutex go meanwhile, on which others may wait. */
static PFC__QUIET void pfc__signal_awaits(pfc__visit_t *v, const void *object, const void *mutex)
{
    __atomic_fetch_add(pfc__signal_waiting(object), 1, __ATOMIC_RELAXED);
    if (!mutex) { pfc__visit_waits(v); return; }
    __atomic_fetch_add(pfc__signal_waiting(mutex), 1, __ATOMIC_RELAXED);
    pfc__waits_enter();
    pfc__visit_waits(v);
    pfc__signal_put(mutex, v->arrival);
    pfc__waits_leave();
}

/* It went on with what was signalled while it waited, and when it had the mutex again. */
static PFC__QUIET void pfc__signal_receive(const pfc__visit_t *v, const void *object, const void *mutex)
{
    pfc__latest_t latest = pfc__latest_of(v->arrival);
    pfc__waits_enter();
    latest = pfc__signal_merge(latest, object, v->arrival.ct);
    if (mutex) latest = pfc__signal_merge(latest, mutex, v->arrival.ct);
    if (latest.ct > v->arrival.ct) pfc__delta_meet(v->thread, pfc__latest_moment(latest));
    pfc__waits_leave();
}

/* `got`: it hasn't waited in vain. One that ran out of time waited as long as it would have. */
static PFC__QUIET void pfc__signal_comes(pfc__visit_t *v, const void *object, const void *mutex, int got)
{
    pfc__visit_goes_on(v);
    __atomic_fetch_sub(pfc__signal_waiting(object), 1, __ATOMIC_RELAXED);
    if (mutex) __atomic_fetch_sub(pfc__signal_waiting(mutex), 1, __ATOMIC_RELAXED);
    if (got) pfc__signal_receive(v, object, mutex);
    pfc__visit_ends(v);
}

#define PFC__SIGNAL(name, type) \
    extern __attribute__((weak)) int __real_##name(type *); \
    PFC__INSTEAD int __wrap_##name(type *object) \
    { \
        pfc__signal(object); \
        return __real_##name(object); \
    }

/* `call` waits for the object, and for a mutex that it lets go meanwhile. */
#define PFC__AWAIT_AS(t, region, object, mutex, call, comes) \
    do { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, region, 0, ""); \
        pfc__visit_t visit = pfc__visit_begins(t, &site); \
        pfc__signal_awaits(&visit, object, mutex); \
        call; \
        comes; \
    } while (0)
#define PFC__AWAIT(t, region, object, mutex, call, got) \
    PFC__AWAIT_AS(t, region, object, mutex, call, pfc__signal_comes(&visit, object, mutex, got))

#define PFC__WAIT_FOR(object, name, mutex, got, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        pfc__thread_t *t = pfc__thread_at_leisure(); \
        int result; \
        if (!t) return __real_##name arguments; \
        PFC__AWAIT(t, #name, object, mutex, result = __real_##name arguments, got); \
        return result; \
    }
#define PFC__WAIT(name, mutex, parameters, arguments) PFC__WAIT_FOR(object, name, mutex, !result, parameters, arguments)

PFC__SIGNAL(pthread_cond_signal, pthread_cond_t)
PFC__SIGNAL(pthread_cond_broadcast, pthread_cond_t)
PFC__WAIT(pthread_cond_wait, mutex, (pthread_cond_t *object, pthread_mutex_t *mutex), (object, mutex))
PFC__WAIT(pthread_cond_timedwait, mutex, (pthread_cond_t *object, pthread_mutex_t *mutex, const struct timespec *end), (object, mutex, end))
PFC__WAIT(pthread_cond_clockwait, mutex, (pthread_cond_t *object, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end),
          (object, mutex, clock, end))
PFC__SIGNAL(cnd_signal, void) /* C11's, by address: who includes us may not want <threads.h> */
PFC__SIGNAL(cnd_broadcast, void)
PFC__WAIT(cnd_wait, mutex, (void *object, void *mutex), (object, mutex))
PFC__WAIT(cnd_timedwait, mutex, (void *object, void *mutex, const struct timespec *end), (object, mutex, end))

/* ---- signals of the process: all are one object, of which the last one counts that was sent while a thread waited */

static const char pfc__any_signal = 0;

/* Not one for another process. */
static PFC__QUIET void pfc__signal_raised(pid_t process)
{
    if (PFC__LIKELY(!__atomic_load_n(pfc__signal_waiting(&pfc__any_signal), __ATOMIC_RELAXED))) return;
    if (process <= 0 || process == pfc__sys_getpid()) pfc__signal_send(&pfc__any_signal);
}

/* A program may have functions of its own that are called so, as of units in a game: as long as nobody waits for a signal,
   whatever it is given and returns is passed on. */
#define PFC__RAISE(name, process) \
    extern __attribute__((weak)) pfc__uptr __real_##name(pfc__uptr, pfc__uptr, pfc__uptr, pfc__uptr, pfc__uptr, pfc__uptr); \
    PFC__INSTEAD pfc__uptr __wrap_##name(pfc__uptr a, pfc__uptr b, pfc__uptr c, pfc__uptr d, pfc__uptr e, pfc__uptr f) \
    { \
        pfc__signal_raised(process); \
        return __real_##name(a, b, c, d, e, f); \
    }

#define PFC__SUSPEND(name, got, parameters, arguments) PFC__WAIT_FOR(&pfc__any_signal, name, 0, got, parameters, arguments)

PFC__RAISE(kill, (pid_t)a)
PFC__RAISE(sigqueue, (pid_t)a)
PFC__RAISE(pthread_kill, 0)
PFC__SUSPEND(sigwait, !result, (const sigset_t *set, int *number), (set, number))
PFC__SUSPEND(sigwaitinfo, result > 0, (const sigset_t *set, siginfo_t *info), (set, info))
PFC__SUSPEND(sigtimedwait, result > 0, (const sigset_t *set, siginfo_t *info, const struct timespec *end), (set, info, end))
PFC__SUSPEND(sigsuspend, 1, (const sigset_t *set), (set))
PFC__SUSPEND(pause, 1, (void), ())

#endif

/* --------------------------------------------------------- locks (impl) ---
   Who finds a lock taken waits for the thread that has it (see turns). One that finds
   it free waits for nobody, and pays for a look at how many wait. Which thread
   comes first may be another one without instrumentation: that isn't known. */

#if defined PFC__THREADS_MEET

/* Who has waited for the lock has it: until when others had it, if that is known; and that its end is to be told, too. */
static PFC__QUIET void pfc__lock_taken(const pfc__visit_t *v, const void *lock)
{
    struct pfc__signals *s = &pfc__signals[pfc__signal_slot(lock)];
    const int was_held = s->lock.held != 0;
    pfc__moment_t turn = v->arrival;
    s->lock.held_since = PFC__FOUND_FREE;
    if (s->object == lock && s->sent.ct > v->arrival.ct) {
        const pfc__had_t had = { s->sent, s->lock.busy_since };
        s->lock.usual_wait = pfc__lock_usual(s->lock.usual_wait, s->sent.ct - v->arrival.ct);
        turn = pfc__lock_turn(v->arrival, had, s->lock.usual_wait);
        s->lock.held_since = pfc__lock_busy(v->arrival, had, turn);
        pfc__delta_meet(v->thread, turn);
    }
    s->lock.held = lock;
    s->lock.by = v->thread;
    if (was_held) __atomic_fetch_sub(&s->waiting, 1, __ATOMIC_RELAXED);
}

static PFC__QUIET void pfc__lock_comes(pfc__visit_t *v, const void *lock, int got)
{
    pfc__visit_goes_on(v);
    if (got) {
        pfc__waits_enter();
        pfc__lock_taken(v, lock);
        pfc__waits_leave();
    } else __atomic_fetch_sub(pfc__signal_waiting(lock), 1, __ATOMIC_RELAXED);
    pfc__visit_ends(v);
}

#define PFC__AWAIT_TURN(t, region, lock, call, got) PFC__AWAIT_AS(t, region, lock, 0, call, pfc__lock_comes(&visit, lock, got))

#define PFC__LOCK(name, attempt, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        pfc__thread_t *t; \
        int error = attempt(lock); \
        if (PFC__LIKELY(error != EBUSY)) return error; \
        if (!(t = pfc__thread_at_leisure())) return __real_##name arguments; \
        PFC__AWAIT_TURN(t, #name, lock, error = __real_##name arguments, !error); \
        return error; \
    }

PFC__LOCK(pthread_mutex_lock, pthread_mutex_trylock, (pthread_mutex_t *lock), (lock))
PFC__LOCK(pthread_mutex_timedlock, pthread_mutex_trylock, (pthread_mutex_t *lock, const struct timespec *end), (lock, end))
PFC__LOCK(pthread_mutex_clocklock, pthread_mutex_trylock, (pthread_mutex_t *lock, clockid_t clock, const struct timespec *end),
          (lock, clock, end))
PFC__LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t *lock), (lock))
PFC__LOCK(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t *lock, const struct timespec *end), (lock, end))
PFC__LOCK(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *end),
          (lock, clock, end))
PFC__LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t *lock), (lock))
PFC__LOCK(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t *lock, const struct timespec *end), (lock, end))
PFC__LOCK(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *end),
          (lock, clock, end))
PFC__SIGNAL(pthread_mutex_unlock, pthread_mutex_t)
PFC__SIGNAL(pthread_rwlock_unlock, pthread_rwlock_t)

/* C11's */
extern __attribute__((weak)) int pfc__mtx_trylock(void *) __asm__("mtx_trylock");
PFC__HOT int pfc__mtx_attempt(void *lock)
{
    int error = pfc__mtx_trylock(lock);
    return error == 1 ? EBUSY : error; /* 1: thrd_busy */
}

PFC__LOCK(mtx_lock, pfc__mtx_attempt, (void *lock), (lock))
PFC__LOCK(mtx_timedlock, pfc__mtx_attempt, (void *lock, const struct timespec *end), (lock, end))
PFC__SIGNAL(mtx_unlock, void)

/* ---- OpenMP's locks; omp_test_lock returns what isn't 0 when it has got it */

#define PFC__OMP_LOCK(lock) \
    extern __attribute__((weak)) int pfc__omp_test_##lock(void *) __asm__("omp_test_" #lock); \
    extern __attribute__((weak)) void __real_omp_set_##lock(void *); \
    extern __attribute__((weak)) void __real_omp_unset_##lock(void *); \
    PFC__INSTEAD void __wrap_omp_set_##lock(void *address) \
    { \
        pfc__thread_t *t; \
        if (PFC__LIKELY(pfc__omp_test_##lock(address))) return; \
        t = pfc__thread_at_leisure(); \
        if (!t) __real_omp_set_##lock(address); \
        else PFC__AWAIT_TURN(t, "omp_set_" #lock, address, __real_omp_set_##lock(address), 1); \
    } \
    PFC__INSTEAD void __wrap_omp_unset_##lock(void *address) \
    { \
        pfc__signal(address); \
        __real_omp_unset_##lock(address); \
    }

PFC__OMP_LOCK(lock)
PFC__OMP_LOCK(nest_lock)

/* ---- a critical section can't be tried; whether it is taken, we keep in mind */

static unsigned char pfc__taken[PFC__SIGNALS];

PFC__HOT unsigned char *pfc__taken_of(const void *section) { return &pfc__taken[pfc__signal_slot(section)]; }

#define PFC__CRITICAL_START(name, parameters, arguments, section) \
    extern __attribute__((weak)) void __real_##name parameters; \
    PFC__INSTEAD void __wrap_##name parameters \
    { \
        pfc__thread_t *t = __atomic_load_n(pfc__taken_of(section), __ATOMIC_RELAXED) ? pfc__thread_at_leisure() : 0; \
        if (!t) __real_##name arguments; \
        else PFC__AWAIT_TURN(t, "omp critical", section, __real_##name arguments, 1); \
        __atomic_store_n(pfc__taken_of(section), 1, __ATOMIC_RELAXED); \
    }
#define PFC__CRITICAL_END(name, parameters, arguments, section) \
    extern __attribute__((weak)) void __real_##name parameters; \
    PFC__INSTEAD void __wrap_##name parameters \
    { \
        __atomic_store_n(pfc__taken_of(section), 0, __ATOMIC_RELAXED); \
        pfc__signal(section); \
        __real_##name arguments; \
    }

PFC__CRITICAL_START(GOMP_critical_start, (void), (), pfc__taken)
PFC__CRITICAL_END(GOMP_critical_end, (void), (), pfc__taken)
PFC__CRITICAL_START(GOMP_critical_name_start, (void **section), (section), section)
PFC__CRITICAL_END(GOMP_critical_name_end, (void **section), (section), section)

/* clang's (LLVM, openmp/runtime/src/kmp.h) */
PFC__CRITICAL_START(__kmpc_critical, (void *place, int thread, void *section), (place, thread, section), section)
PFC__CRITICAL_START(__kmpc_critical_with_hint, (void *place, int thread, void *section, unsigned hint), (place, thread, section, hint), section)
PFC__CRITICAL_END(__kmpc_end_critical, (void *place, int thread, void *section), (place, thread, section), section)

#endif

/* ---------------------------------------------------- semaphores (impl) ---
   A semaphore is a condition (R1), or a lock: of those who have got it, one gives
   it back and another one takes it. Who posts it tells which, and how it has been
   used before tells what it is for who waits. */

#if defined PFC__THREADS_MEET

static PFC__QUIET int pfc__semaphore_is_lock(const void *semaphore)
{
    const struct pfc__signals *s = &pfc__signals[pfc__signal_slot(semaphore)];
    int is_lock;
    pfc__waits_enter();
    is_lock = s->object == semaphore && s->semaphore.given_back;
    pfc__waits_leave();
    return is_lock;
}

static PFC__QUIET void pfc__semaphore_taken(const void *semaphore)
{
    struct pfc__signals *s = &pfc__signals[pfc__signal_slot(semaphore)];
    pfc__waits_enter();
    s->semaphore.taken = semaphore;
    s->semaphore.by = pfc__self;
    pfc__waits_leave();
}

static PFC__QUIET void pfc__semaphore_comes(pfc__visit_t *v, const void *semaphore, int got)
{
    if (got && pfc__semaphore_is_lock(semaphore)) pfc__lock_comes(v, semaphore, got);
    else pfc__signal_comes(v, semaphore, 0, got);
    if (got) pfc__semaphore_taken(semaphore);
}

#define PFC__SEMAPHORE(name, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        pfc__thread_t *t = pfc__thread_at_leisure(); \
        int error; \
        if (!t) return __real_##name arguments; \
        PFC__AWAIT_AS(t, #name, semaphore, 0, error = __real_##name arguments, pfc__semaphore_comes(&visit, semaphore, !error)); \
        return error; \
    }

PFC__SIGNAL(sem_post, sem_t)
PFC__SEMAPHORE(sem_wait, (sem_t *semaphore), (semaphore))
PFC__SEMAPHORE(sem_timedwait, (sem_t *semaphore, const struct timespec *end), (semaphore, end))
PFC__SEMAPHORE(sem_clockwait, (sem_t *semaphore, clockid_t clock, const struct timespec *end), (semaphore, clock, end))

#endif

/* --------------------------------------------------------- tasks (impl) ---
   OpenMP's tasks. A thread that waits, at a barrier, for its team's end or for
   tasks of its own, runs tasks meanwhile: each begins when both its thread and
   the task are there, and a wait for them ends with the last one's end. Which
   thread runs a task may be another one without instrumentation, and what a task
   depends on: that isn't known. */

#if defined PFC__THREADS_MEET

typedef struct pfc__task {
    unsigned holders;           /* it itself, until it has ended, and those that it has made */
    struct pfc__task *parent;   /* NULL: it is a team's thread's, or the program's, that has made others; a group's: whose it is */
    struct pfc__task *group;    /* the innermost task group that it is made in, for whose end it counts */
    pfc__moment_t made;
    pfc__latest_t ended;        /* those that it has made, or of a group: that were made in it */
    struct pfc__rest *rest;     /* of its thread, while it runs, … */
    struct pfc__task *outer;    /* … and what that ran before */
    int has_begun;
} pfc__task_t;

/* A wait in which tasks may run. */
typedef struct pfc__rest {
    struct pfc__rest *outer;
    pfc__moment_t since;        /* it, or the last task that the thread has run in it */
    pfc__latest_t *all;         /* what it is a wait for; NULL: tasks alone */
} pfc__rest_t;

PFC__TLS pfc__rest_t *pfc__rest; /* NULL: this thread is at work */
PFC__TLS pfc__task_t *pfc__task; /* that it runs; NULL: none that has made one */

static PFC__QUIET void pfc__rest_begins(pfc__rest_t *rest, pfc__moment_t since, pfc__latest_t *all)
{
    rest->outer = pfc__rest;
    rest->since = since;
    rest->all = all;
    pfc__rest = rest;
}

static PFC__QUIET void pfc__rest_ends(const pfc__rest_t *rest) { pfc__rest = rest->outer; }

/* ---- a task's life. Under the lock of waits, but for its begin */

static PFC__QUIET pfc__task_t *pfc__task_new(void)
{
    pfc__task_t *task = (pfc__task_t *)calloc(1, sizeof *task);
    if (!task) return 0;
    task->holders = 1;
    task->ended = pfc__latest_none();
    return task;
}

static PFC__QUIET void pfc__task_leave(pfc__task_t *task)
{
    while (task && !--task->holders) {
        pfc__task_t *parent = task->parent;
        free(task);
        task = parent;
    }
}

/* One that the running task makes. NULL: no memory. */
static PFC__QUIET pfc__task_t *pfc__task_of_running(void)
{
    pfc__task_t *task = pfc__task_new();
    if (!pfc__task) pfc__task = pfc__task_new();
    if (!task || !pfc__task) { free(task); return 0; }
    task->parent = pfc__task;
    task->group = pfc__task->group;
    return task;
}

/* What this thread did for it since `tick` was ours. */
static PFC__QUIET pfc__task_t *pfc__task_made(pfc__thread_t *t, pfc__i64 tick)
{
    pfc__task_t *task = pfc__task_of_running();
    pfc__waits_enter();
    if (task) task->parent->holders++;
    pfc__waits_leave();
    tick = pfc__charge_until_now(t, tick);
    if (task) task->made = pfc__thread_moment(t, tick);
    if (task && pfc__rest) pfc__rest->since = task->made; /* in a loop of tasks, before it waits for them */
    return task;
}

static PFC__QUIET void pfc__task_begins(pfc__task_t *task, pfc__thread_t *t, pfc__i64 since)
{
    task->rest = pfc__rest;
    task->outer = pfc__task;
    if (pfc__rest) pfc__delta_meet(t, pfc__both_there(pfc__rest->since, task->made));
    pfc__rest = 0;
    pfc__task = task;
    task->has_begun = 1;
    pfc__thread_goes_on(t, since);
    pfc__charge_until_now(t, since);
}

static PFC__QUIET void pfc__task_ends(pfc__task_t *task, pfc__thread_t *t)
{
    pfc__i64 tick = pfc__hits_charge_due(pfc__clock());
    pfc__moment_t end;
    pfc__rest_t *rest = task->rest;
    pfc__rest = rest;
    pfc__task = task->outer;
    pfc__waits_enter();
    end = pfc__thread_moment(t, pfc__charge_until_now(t, tick));
    if (task->parent) task->parent->ended = pfc__latest_merge(task->parent->ended, pfc__latest_of(end));
    if (task->group) task->group->ended = pfc__latest_merge(task->group->ended, pfc__latest_of(end));
    if (rest && rest->all) *rest->all = pfc__latest_merge(*rest->all, pfc__latest_of(end));
    if (rest) rest->since = end;
    pfc__task_leave(task);
    pfc__waits_leave();
    if (rest) pfc__thread_waits(t);
}

/* What isn't made by a task is made by a team's thread: it ends with the team. */
static PFC__QUIET void pfc__task_forgotten(void)
{
    pfc__task_t *task = pfc__task;
    pfc__task = 0;
    pfc__waits_enter();
    pfc__task_leave(task);
    pfc__waits_leave();
}

/* ---- waits for tasks: of the running one, or of a group */

typedef struct pfc__tasks_wait {
    pfc__visit_t visit;
    pfc__rest_t rest;
    pfc__task_t *whose;
} pfc__tasks_wait_t;

static PFC__QUIET void pfc__tasks_await(pfc__tasks_wait_t *w, pfc__task_t *whose, pfc__visit_t visit)
{
    w->visit = visit;
    w->whose = whose;
    pfc__visit_waits(&w->visit);
    pfc__rest_begins(&w->rest, w->visit.arrival, 0);
}

static PFC__QUIET void pfc__tasks_awaited(pfc__tasks_wait_t *w)
{
    pfc__latest_t latest = pfc__latest_of(w->rest.since);
    pfc__rest_ends(&w->rest);
    pfc__visit_goes_on(&w->visit);
    pfc__waits_enter();
    if (!pfc__latest_is_none(w->whose->ended)) pfc__delta_meet(w->visit.thread, pfc__latest_moment(pfc__latest_merge(latest, w->whose->ended)));
    w->whose->ended = pfc__latest_none();
    pfc__waits_leave();
    pfc__visit_ends(&w->visit);
}

/* A group is like a task that makes what is made in it. NULL: no memory. */
static PFC__QUIET pfc__task_t *pfc__group_begins(void)
{
    pfc__task_t *group = pfc__task_of_running();
    if (group) pfc__task->group = group;
    return group;
}

/* NULL: none that the running task has begun. */
static PFC__QUIET pfc__task_t *pfc__group_of_running(void)
{
    pfc__task_t *group = pfc__task ? pfc__task->group : 0;
    return group && group->parent == pfc__task ? group : 0;
}

static PFC__QUIET void pfc__group_ends(pfc__task_t *group)
{
    pfc__task->group = group->group;
    free(group);
}

/* ---- gcc's. libgomp copies the data of a task: the copy has our own in front, with room for what it writes there itself */

typedef struct pfc__task_data {
    long long range[2];         /* of a loop's part; or the event of a task that detaches */
    pfc__task_t *task;          /* NULL: no memory */
    void (*body)(void *);
    size_t at;                  /* where its own data begin */
} pfc__task_data_t;

typedef struct pfc__task_given {
    pfc__task_data_t ours;
    void (*copy)(void *, void *);
    void *data;
    size_t bytes;
    pfc__thread_t *thread;      /* which makes it */
    int detaches;               /* libgomp writes its event where the data begin, before they are copied */
} pfc__task_given_t;

/* What GOMP_task and GOMP_taskloop are told. */
enum { PFC__TASKLOOP_NO_GROUP = 1 << 11, PFC__TASKLOOP_REDUCES = 1 << 12, PFC__TASK_DETACHES = 1 << 13 };

static void pfc__task_copy(void *to, void *from)
{
    pfc__i64 tick = pfc__clock();
    int saved = errno;
    const pfc__task_given_t *given = (const pfc__task_given_t *)from;
    pfc__task_data_t *ours = (pfc__task_data_t *)to;
    char *data = (char *)to + given->ours.at;
    *ours = given->ours;
    ours->task = pfc__task_made(given->thread, tick);
    errno = saved;
    if (given->detaches && given->data) memcpy(given->data, &given->ours, sizeof(void *));
    if (given->copy) given->copy(data, given->data);
    else memcpy(data, given->data, given->bytes);
}

static PFC__QUIET void pfc__task_run(pfc__task_data_t *ours, pfc__i64 since)
{
    int saved = errno;
    pfc__thread_t *t = ours->task ? pfc__thread_at_leisure() : 0;
    if (t) pfc__task_begins(ours->task, t, since);
    errno = saved;
    ours->body((char *)ours + ours->at);
    saved = errno;
    if (t) pfc__task_ends(ours->task, t);
    errno = saved;
}

static void pfc__task_body(void *copy) { pfc__task_run((pfc__task_data_t *)copy, pfc__clock()); }

static PFC__QUIET long pfc__task_gives(pfc__task_given_t *given, pfc__thread_t *t, void (*body)(void *), void *data,
                                       void (*copy)(void *, void *), long bytes, long alignment)
{
    memset(given, 0, sizeof *given);
    given->ours.body = body;
    given->ours.at = (sizeof given->ours + (size_t)alignment - 1) / (size_t)alignment * (size_t)alignment;
    given->copy = copy;
    given->data = data;
    given->bytes = (size_t)bytes;
    given->thread = t;
    return (long)given->ours.at + bytes;
}

#define PFC__TASK_ALIGNMENT(own) ((own) > 16 ? (own) : 16)

/* libgomp's gained arguments from version to version: more than it knows do no harm. */
extern __attribute__((weak)) void __real_GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned char, unsigned,
                                                   void **, int, void *);
PFC__INSTEAD void __wrap_GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,
                                   unsigned char deferred, unsigned flags, void **depends, int priority, void *detach)
{
    pfc__thread_t *t = pfc__thread_at_leisure();
    pfc__task_given_t given;
    if (t) {
        bytes = pfc__task_gives(&given, t, body, data, copy, bytes, alignment);
        given.detaches = (flags & PFC__TASK_DETACHES) != 0;
        alignment = PFC__TASK_ALIGNMENT(alignment);
        body = pfc__task_body;
        data = &given;
        copy = pfc__task_copy;
    }
    __real_GOMP_task(body, data, copy, bytes, alignment, deferred, flags, depends, priority, detach);
}

/* A part of the loop is what stands first in its data, where libgomp writes it. */

#define PFC__TASKLOOP(name, number) \
    static void pfc__##name##_body(void *copy) \
    { \
        pfc__i64 since = pfc__clock(); \
        pfc__task_data_t *ours = (pfc__task_data_t *)copy; \
        memcpy((char *)copy + ours->at, copy, 2 * sizeof(number)); \
        pfc__task_run(ours, since); \
    } \
    extern __attribute__((weak)) void __real_##name(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned, \
                                                    unsigned long, int, number, number, number); \
    PFC__INSTEAD void __wrap_##name(void (*body)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment, \
                                    unsigned flags, unsigned long tasks, int priority, number begin, number end, number step) \
    { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp taskloop", 0, ""); \
        pfc__thread_t *t = flags & PFC__TASKLOOP_REDUCES ? 0 : pfc__thread_at_leisure(); /* it looks into the data */ \
        pfc__task_t *group = t && !(flags & PFC__TASKLOOP_NO_GROUP) ? pfc__group_begins() : 0; \
        pfc__tasks_wait_t wait; \
        pfc__task_given_t given; \
        if (t) { \
            bytes = pfc__task_gives(&given, t, body, data, copy, bytes, alignment); \
            alignment = PFC__TASK_ALIGNMENT(alignment); \
            body = pfc__##name##_body; \
            data = &given; \
            copy = pfc__task_copy; \
        } \
        if (group) pfc__tasks_await(&wait, group, pfc__visit_begins(t, &site)); \
        __real_##name(body, data, copy, bytes, alignment, flags, tasks, priority, begin, end, step); \
        if (group) { \
            pfc__tasks_awaited(&wait); \
            pfc__group_ends(group); \
        } \
    }

PFC__TASKLOOP(GOMP_taskloop, long)
PFC__TASKLOOP(GOMP_taskloop_ull, unsigned long long)

extern __attribute__((weak)) void __real_GOMP_taskwait(void);
PFC__INSTEAD void __wrap_GOMP_taskwait(void)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp taskwait", 0, "");
    pfc__thread_t *t = pfc__task ? pfc__thread_at_leisure() : 0;
    pfc__tasks_wait_t wait;
    if (t) pfc__tasks_await(&wait, pfc__task, pfc__visit_begins(t, &site));
    __real_GOMP_taskwait();
    if (t) pfc__tasks_awaited(&wait);
}

extern __attribute__((weak)) void __real_GOMP_taskgroup_start(void);
PFC__INSTEAD void __wrap_GOMP_taskgroup_start(void)
{
    if (pfc__thread_at_leisure()) pfc__group_begins();
    __real_GOMP_taskgroup_start();
}

extern __attribute__((weak)) void __real_GOMP_taskgroup_end(void);
PFC__INSTEAD void __wrap_GOMP_taskgroup_end(void)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp taskgroup", 0, "");
    pfc__task_t *group = pfc__group_of_running();
    pfc__thread_t *t = group ? pfc__thread_at_leisure() : 0;
    pfc__tasks_wait_t wait;
    if (t) pfc__tasks_await(&wait, group, pfc__visit_begins(t, &site));
    __real_GOMP_taskgroup_end();
    if (!t) return;
    pfc__tasks_awaited(&wait);
    pfc__group_ends(group);
}

#endif

/* -------------------------------------------------------- openmp (impl) ---
   The same for gcc's OpenMP: a parallel region forks and joins the threads of a
   team, which meet at barriers. The compiler calls libgomp by these names
   (GCC, libgomp: The libgomp ABI); perfcomp-cc has the linker wrap them. */

#if defined PFC__THREADS_MEET

#if !defined _OPENMP /* else it keeps libgomp with a program that calls nothing else of it than what is wrapped */
__attribute__((weak))
#endif
extern int pfc__omp_threads(void) __asm__("omp_get_num_threads"); /* else omp.h could not declare it in C++ */
extern __attribute__((weak)) void pfc__libomp(void *, int) __asm__("__kmpc_begin"); /* there with clang's OpenMP only */

typedef struct pfc__team {
    void *reductions;        /* libgomp looks for them here: must be first */
    void (*body)(void *);
    void *data;
    pfc__thread_t *master;
    pfc__i64 delta, doubt;   /* where it was forked */
    pfc__meeting_t barrier;
    pfc__latest_t end;
    pfc__task_t *outer;      /* that the master runs */
    pfc__rest_t rest;        /* of the master: for the others' end */
} pfc__team_t;

PFC__TLS pfc__team_t *pfc__team; /* this thread's, the innermost */
PFC__TLS pfc__rest_t pfc__rest_of_end; /* a master's is its team's: it may be another team's member meanwhile */

static PFC__QUIET void pfc__member_begins(pfc__team_t *team, pfc__thread_t *t, pfc__i64 since)
{
    pfc__thread_goes_on(t, since);
    pfc__rest = 0;
    pfc__task = 0;
    if (t == team->master) pfc__charge_until_now(t, since);
    else pfc__thread_begins(t, since, team->delta, team->doubt, t->tick_begin >= since);
}

static PFC__QUIET void pfc__member_ends(pfc__team_t *team, pfc__thread_t *t)
{
    pfc__i64 tick = pfc__hits_charge_due(pfc__clock());
    pfc__moment_t end;
    pfc__task_forgotten();
    pfc__waits_enter();
    end = pfc__thread_moment(t, pfc__charge_until_now(t, tick));
    team->end = pfc__latest_merge(team->end, pfc__latest_of(end));
    pfc__waits_leave();
    pfc__rest_begins(t == team->master ? &team->rest : &pfc__rest_of_end, end, &team->end);
    pfc__thread_waits(t); /* for the others of its team, or for the next one */
}

static void pfc__member_run(void *its_team)
{
    pfc__i64 since = pfc__clock();
    pfc__team_t *team = (pfc__team_t *)its_team, *outer = pfc__team;
    pfc__thread_t *t = pfc__thread_get();
    if (t) pfc__member_begins(team, t, since);
    pfc__team = team;
    team->body(team->data);
    pfc__team = outer;
    if (t) pfc__member_ends(team, t);
}

static PFC__QUIET void pfc__team_fork(pfc__team_t *team, pfc__visit_t *v, void (*body)(void *), void *data)
{
    memset(team, 0, sizeof *team);
    team->body = body;
    team->data = data;
    team->master = v->thread;
    team->outer = pfc__task;
    pfc__visit_waits(v);
    team->end = pfc__latest_of(v->arrival);
    team->delta = v->thread->delta;
    team->doubt = pfc__delta_doubt(v->thread);
}

static PFC__QUIET void pfc__team_join(pfc__team_t *team, pfc__visit_t *v)
{
    pfc__rest = 0;
    pfc__task = team->outer;
    pfc__visit_goes_on(v);
    pfc__waits_enter(); /* the members have written its end in there */
    pfc__delta_meet(v->thread, pfc__latest_moment(team->end));
    pfc__waits_leave();
    pfc__visit_ends(v);
}

/* The compiler has put a region's body into a function of its own. */
#define PFC__GOMP(name, parameters, arguments) \
    extern __attribute__((weak)) void __real_GOMP_##name parameters; \
    PFC__INSTEAD void __wrap_GOMP_##name parameters \
    { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp parallel", 0, ""); \
        pfc__thread_t *t = pfc__thread_at_leisure(); \
        pfc__visit_t visit; \
        pfc__team_t team; \
        if (t) { \
            visit = pfc__visit_begins(t, &site); \
            pfc__team_fork(&team, &visit, body, data); \
            body = pfc__member_run; \
            data = &team; \
        } \
        __real_GOMP_##name arguments; \
        if (t) pfc__team_join(&team, &visit); \
    }
#define PFC__GOMP_LOOP(name) \
    PFC__GOMP(parallel_loop_##name, \
              (void (*body)(void *), void *data, unsigned threads, long begin, long end, long step, long chunk, unsigned flags), \
              (body, data, threads, begin, end, step, chunk, flags))
#define PFC__GOMP_LOOP_RUNTIME(name) \
    PFC__GOMP(parallel_loop_##name, \
              (void (*body)(void *), void *data, unsigned threads, long begin, long end, long step, unsigned flags), \
              (body, data, threads, begin, end, step, flags))

PFC__GOMP(parallel, (void (*body)(void *), void *data, unsigned threads, unsigned flags), (body, data, threads, flags))
PFC__GOMP(parallel_sections, (void (*body)(void *), void *data, unsigned threads, unsigned count, unsigned flags),
          (body, data, threads, count, flags))
PFC__GOMP_LOOP(static)
PFC__GOMP_LOOP(dynamic)
PFC__GOMP_LOOP(guided)
PFC__GOMP_LOOP(nonmonotonic_dynamic)
PFC__GOMP_LOOP(nonmonotonic_guided)
PFC__GOMP_LOOP_RUNTIME(runtime)
PFC__GOMP_LOOP_RUNTIME(nonmonotonic_runtime)
PFC__GOMP_LOOP_RUNTIME(maybe_nonmonotonic_runtime)

/* Of a region's data, reductions that tasks take part in are what libgomp looks at. */
extern __attribute__((weak)) unsigned __real_GOMP_parallel_reductions(void (*)(void *), void *, unsigned, unsigned);
PFC__INSTEAD unsigned __wrap_GOMP_parallel_reductions(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp parallel", 0, "");
    pfc__thread_t *t = pfc__thread_at_leisure();
    pfc__visit_t visit;
    pfc__team_t team;
    if (!t) return __real_GOMP_parallel_reductions(body, data, threads, flags);
    visit = pfc__visit_begins(t, &site);
    pfc__team_fork(&team, &visit, body, data);
    team.reductions = *(void **)data;
    threads = __real_GOMP_parallel_reductions(pfc__member_run, &team, threads, flags);
    pfc__team_join(&team, &visit);
    return threads;
}

/* ---- barriers, and the ends of worksharing, which are such */

typedef struct pfc__team_wait {
    pfc__visit_t visit;
    pfc__rest_t rest;
    unsigned round;
} pfc__team_wait_t;

static PFC__QUIET void pfc__team_await(pfc__team_wait_t *w, pfc__team_t *team, unsigned threads, pfc__visit_t visit)
{
    w->visit = visit;
    w->round = pfc__visit_comes(&w->visit, &team->barrier, threads);
    pfc__rest_begins(&w->rest, w->visit.arrival, &team->barrier.latest[w->round]);
}

static PFC__QUIET void pfc__team_awaited(pfc__team_wait_t *w, const pfc__team_t *team)
{
    pfc__rest_ends(&w->rest);
    pfc__visit_goes_on(&w->visit);
    pfc__visit_meets(&w->visit, &team->barrier, w->round);
    pfc__visit_ends(&w->visit);
}

/* `call` goes on when all have come, and `again` of them once more. */
#define PFC__TEAM_AWAIT(region, again, call) \
    do { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, region, 0, ""); \
        pfc__team_t *team = pfc__team; \
        pfc__thread_t *t = team ? pfc__thread_at_leisure() : 0; \
        pfc__team_wait_t wait; \
        if (t) pfc__team_await(&wait, team, (unsigned)pfc__omp_threads() + again, pfc__visit_begins(t, &site)); \
        call; \
        if (t) pfc__team_awaited(&wait, team); \
    } while (0)

#define PFC__GOMP_BARRIER(name) \
    extern __attribute__((weak)) void __real_GOMP_##name(void); \
    PFC__INSTEAD void __wrap_GOMP_##name(void) { PFC__TEAM_AWAIT("omp barrier", 0, __real_GOMP_##name()); }

/* In a region that may be cancelled: then not all come. The result is a bool, which C and C++ call by different names. */
#define PFC__GOMP_BARRIER_CANCEL(name) \
    extern __attribute__((weak)) unsigned char __real_GOMP_##name##_cancel(void); \
    PFC__INSTEAD unsigned char __wrap_GOMP_##name##_cancel(void) \
    { \
        unsigned char cancelled; \
        PFC__TEAM_AWAIT("omp barrier", 0, cancelled = __real_GOMP_##name##_cancel()); \
        return cancelled; \
    }

PFC__GOMP_BARRIER(barrier)
PFC__GOMP_BARRIER(loop_end)
PFC__GOMP_BARRIER(sections_end)
PFC__GOMP_BARRIER_CANCEL(barrier)
PFC__GOMP_BARRIER_CANCEL(loop_end)
PFC__GOMP_BARRIER_CANCEL(sections_end)

extern __attribute__((weak)) void __real_GOMP_workshare_task_reduction_unregister(unsigned char);
PFC__INSTEAD void __wrap_GOMP_workshare_task_reduction_unregister(unsigned char cancelled)
{
    if (cancelled) __real_GOMP_workshare_task_reduction_unregister(cancelled);
    else PFC__TEAM_AWAIT("omp barrier", 0, __real_GOMP_workshare_task_reduction_unregister(cancelled));
}

/* ---- single copyprivate: the first one goes on at once, and comes again with what the others wait for. */

extern __attribute__((weak)) void *__real_GOMP_single_copy_start(void);
PFC__INSTEAD void *__wrap_GOMP_single_copy_start(void)
{
    void *copied;
    PFC__TEAM_AWAIT("omp single", 1, copied = __real_GOMP_single_copy_start());
    return copied;
}

extern __attribute__((weak)) void __real_GOMP_single_copy_end(void *);
PFC__INSTEAD void __wrap_GOMP_single_copy_end(void *copied) { PFC__TEAM_AWAIT("omp single", 1, __real_GOMP_single_copy_end(copied)); }

/* ---- ordered: it is a chunk's turn when the thread that has the one before asks for another one. That waits for
   its own turn first, where it has had no ordered region. GOMP_ordered_end does nothing. */

PFC__TLS const pfc__team_t *pfc__turn; /* it has its turn, in this team */

extern __attribute__((weak)) void __real_GOMP_ordered_start(void);
PFC__INSTEAD void __wrap_GOMP_ordered_start(void)
{
    const pfc__team_t *team = pfc__team;
    pfc__thread_t *t = team != pfc__turn ? pfc__thread_at_leisure() : 0;
    if (!t) __real_GOMP_ordered_start();
    else PFC__AWAIT(t, "omp ordered", team, 0, __real_GOMP_ordered_start(), 1);
    pfc__turn = team;
}

#define PFC__GOMP_ORDERED(name, number) \
    extern __attribute__((weak)) unsigned char __real_GOMP_loop_##name##_next(number *, number *); \
    PFC__INSTEAD unsigned char __wrap_GOMP_loop_##name##_next(number *begin, number *end) \
    { \
        __wrap_GOMP_ordered_start(); \
        pfc__turn = 0; \
        pfc__signal(pfc__team); \
        return __real_GOMP_loop_##name##_next(begin, end); \
    }

PFC__GOMP_ORDERED(ordered_static, long)
PFC__GOMP_ORDERED(ordered_dynamic, long)
PFC__GOMP_ORDERED(ordered_guided, long)
PFC__GOMP_ORDERED(ordered_runtime, long)
PFC__GOMP_ORDERED(ull_ordered_static, unsigned long long)
PFC__GOMP_ORDERED(ull_ordered_dynamic, unsigned long long)
PFC__GOMP_ORDERED(ull_ordered_guided, unsigned long long)
PFC__GOMP_ORDERED(ull_ordered_runtime, unsigned long long)

#endif

/* ---------------------------------------------------------- ompt (impl) ---
   The same for clang's OpenMP, and others whose runtime lets tools listen
   (OpenMP 5.0, section 4, OMPT): it calls us where threads fork, meet and join.
   A begin and its end are two calls: what lies between them is kept here. */

#if defined PFC__THREADS_MEET

typedef union pfc__ompt_data { pfc__u64 value; void *ptr; } pfc__ompt_data_t; /* for us to write in */

typedef struct pfc__ompt_team {
    pfc__team_t team;
    pfc__visit_t visit;     /* of who forks it, and joins it */
    struct pfc__ompt_team *outer; /* the next one with this master */
    const void *where;      /* in the program's code */
    unsigned threads;
    int is_joined;          /* its master has come to its end */
} pfc__ompt_team_t;

typedef struct pfc__ompt_wait {
    struct pfc__ompt_wait *outer; /* a task may wait that is run in a wait */
    const void *object;     /* a team, at a barrier; or whose tasks it waits for */
    union { pfc__team_wait_t team; pfc__tasks_wait_t tasks; } of;
} pfc__ompt_wait_t;

/* The standard's numbers (OpenMP 5.0, section 4.4), of what we use. */
enum { PFC__OMPT_PARALLEL_BEGIN = 3, PFC__OMPT_PARALLEL_END = 4, PFC__OMPT_TASK_CREATE = 5, PFC__OMPT_TASK_SCHEDULE = 6,
       PFC__OMPT_IMPLICIT_TASK = 7, PFC__OMPT_SYNC_REGION_WAIT = 16, PFC__OMPT_SYNC_REGION = 23 };
enum { PFC__OMPT_SET_ALWAYS = 5 };
enum { PFC__OMPT_BEGIN = 1, PFC__OMPT_END = 2 };
enum pfc__ompt_kind { PFC__OMPT_IMPLICIT = 2, PFC__OMPT_TASKWAIT = 5, PFC__OMPT_TASKGROUP = 6, PFC__OMPT_REDUCTION = 7,
                      PFC__OMPT_JOIN = 9, PFC__OMPT_TEAMS = 10 };
enum { PFC__OMPT_EXPLICIT = 4, PFC__OMPT_UNTIED = 0x10000000 };
enum { PFC__OMPT_COMPLETE = 1, PFC__OMPT_CANCEL = 3 };

static int pfc__ompt_is_on;
PFC__TLS pfc__ompt_wait_t *pfc__ompt_wait; /* the innermost */
PFC__TLS pfc__ompt_team_t *pfc__ompt_forked; /* the innermost that this thread is the master of */

/* What the program runs before the end lies higher in the stack than the runtime, which calls us: as if from there. */
static PFC__QUIET pfc__visit_t pfc__ompt_visit(pfc__thread_t *t, pfc__site_t *site)
{
    pfc__visit_t v = pfc__visit_begins(t, site);
    if (v.region.depth) t->top->sp = t->top[-1].sp;
    return v;
}

/* ---- fork and join */

static void pfc__ompt_parallel_begins(pfc__ompt_data_t *task, const void *frame, pfc__ompt_data_t *parallel, unsigned asked, int flags,
                                      const void *where)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp parallel", 0, "");
    pfc__thread_t *t = pfc__thread_at_leisure();
    pfc__ompt_team_t *team;
    pfc__visit_t visit;
    (void)task; (void)frame; (void)asked; (void)flags;
    parallel->ptr = 0;
    if (!t) return;
    visit = pfc__ompt_visit(t, &site);
    team = (pfc__ompt_team_t *)calloc(1, sizeof *team);
    if (!team) { pfc__visit_ends(&visit); return; }
    team->where = where;
    pfc__team_fork(&team->team, &visit, 0, 0);
    team->visit = visit;
    team->outer = pfc__ompt_forked;
    pfc__ompt_forked = team;
    parallel->ptr = team;
}

/* The one that ends. LLVM has given its own team back by then, with our data in it: where regions are nested another thread
   may have got that meanwhile, and what we are told is that one's. */
static PFC__QUIET pfc__ompt_team_t *pfc__ompt_own(const void *told)
{
    pfc__ompt_team_t *team = told ? pfc__ompt_forked : 0;
    while (team && team != told) team = team->outer;
    return team || !told ? team : pfc__ompt_forked;
}

static void pfc__ompt_parallel_ends(pfc__ompt_data_t *parallel, pfc__ompt_data_t *task, int flags, const void *where)
{
    pfc__ompt_team_t *team = pfc__ompt_own(parallel->ptr);
    (void)task; (void)flags; (void)where;
    if (!team) return;
    pfc__ompt_forked = team->outer;
    pfc__team_join(&team->team, &team->visit);
    free(team);
}

/* Before it waits for the others, who may free the team then. */
static PFC__QUIET void pfc__ompt_member_ends(pfc__ompt_team_t *team, pfc__thread_t *t)
{
    int saved = errno;
    if (t == team->team.master) team->is_joined = 1;
    pfc__member_ends(&team->team, t);
    errno = saved;
}

/* A thread begins in a team, and ends there; of the others than the master that is told when they are wanted again. */
static void pfc__ompt_member(int endpoint, pfc__ompt_data_t *parallel, pfc__ompt_data_t *task, unsigned threads, unsigned number, int flags)
{
    pfc__i64 since = pfc__clock();
    int saved = errno;
    pfc__ompt_team_t *team = endpoint != PFC__OMPT_BEGIN ? pfc__ompt_forked : parallel ? (pfc__ompt_team_t *)parallel->ptr : 0;
    pfc__thread_t *t;
    (void)flags;
    task->ptr = 0; /* not one of those that are made */
    if (!team || (endpoint != PFC__OMPT_BEGIN && number) || !(t = pfc__thread_at_leisure())) return;
    if (endpoint == PFC__OMPT_BEGIN) {
        __atomic_store_n(&team->threads, threads, __ATOMIC_RELAXED);
        pfc__member_begins(&team->team, t, since);
    } else if (t == team->team.master && !team->is_joined) pfc__ompt_member_ends(team, t); /* a team of one */
    errno = saved;
}

/* ---- waits */

/* NULL: no memory. */
static PFC__QUIET pfc__ompt_wait_t *pfc__ompt_wait_begins(const void *object)
{
    pfc__ompt_wait_t *w = (pfc__ompt_wait_t *)malloc(sizeof *w);
    if (!w) return 0;
    w->outer = pfc__ompt_wait;
    w->object = object;
    return pfc__ompt_wait = w;
}

/* To be freed. NULL: it hasn't waited for this. */
static PFC__QUIET pfc__ompt_wait_t *pfc__ompt_wait_ends(const void *object)
{
    pfc__ompt_wait_t *w = pfc__ompt_wait;
    if (!w || w->object != object) return 0;
    pfc__ompt_wait = w->outer;
    return w;
}

/* ---- barriers */

/* Whether the barrier is a team's end. LLVM up to 16, at least, has one kind for all barriers that aren't written: there it
   shows in what it says of the place. */
static PFC__QUIET int pfc__ompt_is_join(int kind, const pfc__ompt_team_t *team, const pfc__thread_t *t, const void *where)
{
    if (kind == PFC__OMPT_IMPLICIT) return where == (t == team->team.master ? team->where : 0);
    return kind == PFC__OMPT_JOIN || kind == PFC__OMPT_TEAMS;
}

static PFC__QUIET void pfc__ompt_comes(pfc__ompt_team_t *team, pfc__thread_t *t)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp barrier", 0, "");
    pfc__visit_t visit = pfc__ompt_visit(t, &site);
    pfc__ompt_wait_t *w = pfc__ompt_wait_begins(team);
    if (w) pfc__team_await(&w->of.team, &team->team, __atomic_load_n(&team->threads, __ATOMIC_RELAXED), visit);
    else pfc__visit_ends(&visit);
}

static PFC__QUIET void pfc__ompt_goes_on(const pfc__ompt_team_t *team, pfc__thread_t *t)
{
    pfc__ompt_wait_t *w = pfc__ompt_wait_ends(team);
    if (w) pfc__team_awaited(&w->of.team, &team->team);
    else pfc__thread_goes_on(t, pfc__clock());
    free(w);
}

/* Behind a team's end there is no `parallel` any more. */
static PFC__QUIET void pfc__ompt_barrier(int kind, int endpoint, pfc__ompt_data_t *parallel, const void *where)
{
    pfc__ompt_team_t *team = parallel ? (pfc__ompt_team_t *)parallel->ptr : 0;
    pfc__thread_t *t = team ? pfc__thread_at_leisure() : 0;
    if (!t) return;
    if (endpoint != PFC__OMPT_BEGIN) pfc__ompt_goes_on(team, t);
    else if (pfc__ompt_is_join(kind, team, t, where)) pfc__ompt_member_ends(team, t);
    else pfc__ompt_comes(team, t);
}

/* ---- tasks, and waits for them */

static void pfc__ompt_task_made(pfc__ompt_data_t *by, const void *frame, pfc__ompt_data_t *task, int flags, int depends, const void *where)
{
    pfc__i64 tick = pfc__clock();
    int saved = errno;
    pfc__thread_t *t = (flags & PFC__OMPT_EXPLICIT) && !(flags & PFC__OMPT_UNTIED) ? pfc__thread_at_leisure() : 0; /* those move */
    (void)by; (void)frame; (void)depends; (void)where;
    task->ptr = t ? pfc__task_made(t, tick) : 0;
    errno = saved;
}

static void pfc__ompt_task_turns(pfc__ompt_data_t *prior, int status, pfc__ompt_data_t *next)
{
    pfc__i64 since = pfc__clock();
    int saved = errno;
    pfc__task_t *ended = prior && (status == PFC__OMPT_COMPLETE || status == PFC__OMPT_CANCEL) ? (pfc__task_t *)prior->ptr : 0;
    pfc__task_t *task = next ? (pfc__task_t *)next->ptr : 0;
    pfc__thread_t *t = ended || task ? pfc__thread_at_leisure() : 0;
    if (t && ended && ended->has_begun) prior->ptr = 0, pfc__task_ends(ended, t);
    if (t && task && !task->has_begun) pfc__task_begins(task, t, since);
    errno = saved;
}

static PFC__QUIET void pfc__ompt_tasks_await(pfc__task_t *whose, pfc__thread_t *t, pfc__site_t *site)
{
    pfc__visit_t visit = pfc__ompt_visit(t, site);
    pfc__ompt_wait_t *w = pfc__ompt_wait_begins(whose);
    if (w) pfc__tasks_await(&w->of.tasks, whose, visit);
    else pfc__visit_ends(&visit);
}

static PFC__QUIET void pfc__ompt_tasks_wait(pfc__task_t *whose, int endpoint, pfc__site_t *site)
{
    pfc__thread_t *t = whose ? pfc__thread_at_leisure() : 0;
    pfc__ompt_wait_t *w;
    if (t && endpoint == PFC__OMPT_BEGIN) pfc__ompt_tasks_await(whose, t, site);
    else if (t && (w = pfc__ompt_wait_ends(whose)) != 0) {
        pfc__tasks_awaited(&w->of.tasks);
        free(w);
    }
}

static PFC__QUIET void pfc__ompt_group_wait(int endpoint)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp taskgroup", 0, "");
    pfc__task_t *group = pfc__group_of_running();
    pfc__ompt_tasks_wait(group, endpoint, &site);
    if (group && endpoint != PFC__OMPT_BEGIN) pfc__group_ends(group);
}

static void pfc__ompt_waits_at(int kind, int endpoint, pfc__ompt_data_t *parallel, pfc__ompt_data_t *task, const void *where)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp taskwait", 0, "");
    (void)task;
    if (kind == PFC__OMPT_TASKWAIT) pfc__ompt_tasks_wait(pfc__task, endpoint, &site);
    else if (kind == PFC__OMPT_TASKGROUP) pfc__ompt_group_wait(endpoint);
    else if (kind != PFC__OMPT_REDUCTION) pfc__ompt_barrier(kind, endpoint, parallel, where);
}

/* Around the wait: a group begins before anything is made in it. */
static void pfc__ompt_begins_at(int kind, int endpoint, pfc__ompt_data_t *parallel, pfc__ompt_data_t *task, const void *where)
{
    int saved = errno;
    (void)parallel; (void)task; (void)where;
    if (kind == PFC__OMPT_TASKGROUP && endpoint == PFC__OMPT_BEGIN && pfc__thread_at_leisure()) pfc__group_begins();
    errno = saved;
}

/* ---- ordered regions: a thread is told of its end when the next one may have begun already, which is too late. Both
   calls name the region's place in the program. */

extern __attribute__((weak)) void __real___kmpc_ordered(void *, int);
PFC__INSTEAD void __wrap___kmpc_ordered(void *place, int thread)
{
    pfc__thread_t *t = pfc__thread_at_leisure();
    if (!t) __real___kmpc_ordered(place, thread);
    else PFC__AWAIT(t, "omp ordered", place, 0, __real___kmpc_ordered(place, thread), 1);
}

extern __attribute__((weak)) void __real___kmpc_end_ordered(void *, int);
PFC__INSTEAD void __wrap___kmpc_end_ordered(void *place, int thread)
{
    pfc__signal(place);
    __real___kmpc_end_ordered(place, thread);
}

/* ---- what the runtime looks for when it begins */

typedef void (*pfc__ompt_call_t)(void);
typedef struct pfc__ompt_tool {
    int (*begins)(pfc__ompt_call_t (*lookup)(const char *name), int device, pfc__ompt_data_t *data);
    void (*ends)(pfc__ompt_data_t *data);
    pfc__ompt_data_t data;
} pfc__ompt_tool_t;

static int pfc__ompt_begins(pfc__ompt_call_t (*lookup)(const char *name), int device, pfc__ompt_data_t *data)
{
    static const struct { int event; pfc__ompt_call_t call; } calls[] = {
        { PFC__OMPT_PARALLEL_BEGIN, (pfc__ompt_call_t)pfc__ompt_parallel_begins },
        { PFC__OMPT_PARALLEL_END, (pfc__ompt_call_t)pfc__ompt_parallel_ends },
        { PFC__OMPT_TASK_CREATE, (pfc__ompt_call_t)pfc__ompt_task_made },
        { PFC__OMPT_TASK_SCHEDULE, (pfc__ompt_call_t)pfc__ompt_task_turns },
        { PFC__OMPT_IMPLICIT_TASK, (pfc__ompt_call_t)pfc__ompt_member },
        { PFC__OMPT_SYNC_REGION_WAIT, (pfc__ompt_call_t)pfc__ompt_waits_at },
        { PFC__OMPT_SYNC_REGION, (pfc__ompt_call_t)pfc__ompt_begins_at },
    };
    int (*set)(int event, pfc__ompt_call_t call) = (int (*)(int, pfc__ompt_call_t))lookup("ompt_set_callback");
    size_t i;
    (void)device; (void)data;
    pfc__ompt_is_on = set != 0;
    for (i = 0; set && i < sizeof calls / sizeof *calls; i++)
        pfc__ompt_is_on &= set(calls[i].event, calls[i].call) == PFC__OMPT_SET_ALWAYS;
    return pfc__ompt_is_on;
}

static void pfc__ompt_ends(pfc__ompt_data_t *data) { (void)data; }

/* A tool that the user has asked for comes first. */
__attribute__((weak)) pfc__ompt_tool_t *pfc__ompt_start(unsigned version, const char *runtime) __asm__("ompt_start_tool");
pfc__ompt_tool_t *pfc__ompt_start(unsigned version, const char *runtime)
{
    static pfc__ompt_tool_t tool = { pfc__ompt_begins, pfc__ompt_ends, { 0 } };
    (void)version; (void)runtime;
    return pfc__environment("OMP_TOOL_LIBRARIES") ? 0 : &tool;
}

#endif

/* ------------------------------------------------------ processes (impl) ---
   Forked processes that are waited for: R12 of the model once more, for they
   have the clock of their host in common. In memory that it shares with its
   parent a child tells its Δ and when it ended. Of one that is killed, or
   becomes another program, the Δ that it has told last is known. Waits are
   linked with --wrap=waitpid … (perfcomp-cc does it). */

#if defined PFC__THREADS_MEET

enum { PFC__PROCESSES = 1024 }; /* not waited for yet; beyond that, the eldest are forgotten */

typedef struct pfc__process {
    pfc__u64 number;       /* of the fork */
    pfc__shared_i64 pid;   /* 0: none, or it isn't there yet */
    pfc__i64 delta, doubt; /* the parent's at the fork, and the child's since then */
    pfc__i64 end;          /* tick; 0: not known */
} pfc__process_t;

static struct {
    pfc__process_t *children; /* shared with them; NULL: there are none */
    pfc__process_t *siblings; /* its parent's */
    pfc__u64 forks;
    pfc__process_t forked;    /* the last of them, as it was then */
    pfc__process_t *told;     /* where this process's parent reads of it; NULL: nobody does */
    pid_t known_as;           /* there */
    pfc__process_t begun;     /* as it was when it was forked */
} pfc__processes;

static PFC__QUIET pfc__process_t *pfc__process_slot(pfc__u64 number) { return &pfc__processes.children[number % PFC__PROCESSES]; }

/* ---- fork and end */

/* The parent's last step, under the lock. */
static PFC__QUIET void pfc__process_forks(void)
{
    pfc__process_t *forked = &pfc__processes.forked;
    if (!pfc__processes.children) {
        void *shared = pfc__sys_mmap(0, PFC__PROCESSES * sizeof *forked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) return;
        pfc__processes.children = (pfc__process_t *)shared;
    }
    memset(forked, 0, sizeof *forked);
    forked->number = ++pfc__processes.forks;
    if (pfc__self) {
        forked->delta = pfc__self->delta;
        forked->doubt = pfc__delta_doubt(pfc__self);
    }
    *pfc__process_slot(forked->number) = *forked;
}

/* This process's number to its parent. Where that one is outside of its container, Linux tells it before its own. */
static PFC__QUIET pid_t pfc__process_known_as(void)
{
    char text[4096];
    const char *line = pfc__sys_getppid() || !pfc__told("/proc/self/status", text, sizeof text) ? 0 : strstr(text, "\nNSpid:");
    long number, outer = 0, own = 0;
    char *end;
    if (!line) return pfc__sys_getpid();
    for (line += sizeof "\nNSpid:" - 1; (number = strtol(line, &end, 10)) > 0; line = end) {
        outer = own;
        own = number;
        if (*end == '\n') break;
    }
    return outer ? (pid_t)outer : pfc__sys_getpid();
}

/* The child's first step. Of its grandparent's children it is none. */
static PFC__QUIET void pfc__process_begins(void)
{
    if (pfc__processes.siblings) pfc__sys_munmap(pfc__processes.siblings, PFC__PROCESSES * sizeof(pfc__process_t));
    pfc__processes.siblings = pfc__processes.children;
    pfc__processes.told = pfc__processes.children ? pfc__process_slot(pfc__processes.forks) : 0;
    pfc__processes.known_as = pfc__process_known_as();
    pfc__processes.begun = pfc__processes.forked;
    pfc__processes.children = 0;
    pfc__processes.forks = 0;
}

/* Where this thread is; since the tick `since` all has been ours. */
static PFC__QUIET void pfc__process_tells(pfc__i64 since, pfc__i64 end)
{
    pfc__process_t *p = pfc__processes.told;
    const pfc__process_t *begun = &pfc__processes.begun;
    if (!p || !pfc__self || p->number != begun->number) return;
    p->delta = begun->delta + pfc__self->delta + (end ? (end - since) * (1 << PFC__FRACTION) : 0);
    p->doubt = begun->doubt + pfc__delta_doubt(pfc__self);
    p->end = end;
    __atomic_store_n(&p->pid, (pfc__i64)pfc__processes.known_as, __ATOMIC_RELEASE);
}

/* Its end is near: so is the last moment to charge its hits. */
static PFC__QUIET void pfc__process_ends(void)
{
    if (pfc__processes.told && pfc__self) pfc__charge_until_now(pfc__self, pfc__hits_charge_due(pfc__clock()));
}

/* ---- wait */

static PFC__QUIET pfc__process_t *pfc__process_find(pid_t pid)
{
    pfc__u64 i;
    for (i = 0; pfc__processes.children && i < PFC__PROCESSES && i < pfc__processes.forks; i++) {
        pfc__process_t *p = pfc__process_slot(pfc__processes.forks - i);
        if (__atomic_load_n(&p->pid, __ATOMIC_ACQUIRE) == pid) return p;
    }
    return 0;
}

/* Who came at `arrival` has gone on at the tick `since`, when it ended; 0: it had ended before. */
static PFC__QUIET void pfc__process_ended(pfc__thread_t *t, pfc__moment_t arrival, pid_t pid, pfc__i64 since)
{
    pfc__process_t *p = pfc__process_find(pid);
    pfc__moment_t end;
    if (!p) return;
    if (p->end || since) {
        end.ct = ((p->end ? p->end : since) - PFC__HEADER->tick_begin) * (1 << PFC__FRACTION);
        end.lt = end.ct - p->delta;
        end.u = p->doubt;
        if (p->end && since) end.u += (since - p->end) * (1 << PFC__FRACTION); /* its pages were given back, ours among them */
        end.clock = 0;
        pfc__delta_meet(t, pfc__both_there(arrival, end));
    }
    p->pid = 0; /* the number may be another one's from now on */
}

/* `at_once` asks without waiting, unless the program doesn't wait itself: whether it had to is seen by that. */
#define PFC__REAP(name, parameters, at_once, arguments) \
    extern __attribute__((weak)) pid_t __real_##name parameters; \
    PFC__INSTEAD pid_t __wrap_##name parameters \
    { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, #name, 0, ""); \
        pfc__thread_t *t = pfc__thread_at_leisure(); \
        int how = 0, waits; \
        pfc__visit_t visit; \
        pid_t ended; \
        if (!t) return __real_##name arguments; \
        if (!status) status = &how; \
        visit = pfc__visit_begins(t, &site); \
        pfc__visit_waits(&visit); \
        ended = __real_##name at_once; \
        waits = !ended && !(options & WNOHANG); \
        if (waits) ended = __real_##name arguments; \
        pfc__visit_goes_on(&visit); \
        if (ended > 0 && (WIFEXITED(*status) || WIFSIGNALED(*status))) \
            pfc__process_ended(t, visit.arrival, ended, waits ? visit.tick : 0); \
        pfc__visit_ends(&visit); \
        return ended; \
    }

PFC__REAP(waitpid, (pid_t pid, int *status, int options), (pid, status, options | WNOHANG), (pid, status, options))
PFC__REAP(wait3, (int *status, int options, struct rusage *usage), (status, options | WNOHANG, usage), (status, options, usage))
PFC__REAP(wait4, (pid_t pid, int *status, int options, struct rusage *usage), (pid, status, options | WNOHANG, usage),
           (pid, status, options, usage))

extern __attribute__((weak)) int __real_waitid(idtype_t, id_t, siginfo_t *, int);
PFC__INSTEAD int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "waitid", 0, "");
    pfc__thread_t *t = pfc__thread_at_leisure();
    siginfo_t own;
    pfc__visit_t visit;
    int error, waits;
    if (!t) return __real_waitid(type, id, info, options);
    if (!info) info = &own;
    visit = pfc__visit_begins(t, &site);
    pfc__visit_waits(&visit);
    info->si_pid = 0;
    error = __real_waitid(type, id, info, options | WNOHANG);
    waits = !error && !info->si_pid && !(options & WNOHANG);
    if (waits) error = __real_waitid(type, id, info, options);
    pfc__visit_goes_on(&visit);
    if (!error && info->si_pid && (info->si_code == CLD_EXITED || info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED))
        pfc__process_ended(t, visit.arrival, info->si_pid, waits ? visit.tick : 0);
    pfc__visit_ends(&visit);
    return error;
}

/* A program may well have a function of this name that is quite another one: it comes first, where by --wrap it would be ours. */
#ifdef PERFCOMP_WAIT
__attribute__((weak)) pid_t wait(int *status)
{
    return __real_waitpid ? __wrap_waitpid(-1, status, 0) : waitpid(-1, status, 0);
}
#endif

#else

static PFC__QUIET void pfc__process_forks(void) {}
static PFC__QUIET void pfc__process_begins(void) {}
static PFC__QUIET void pfc__process_tells(pfc__i64 since, pfc__i64 end) { (void)since, (void)end; }
static PFC__QUIET void pfc__process_ends(void) {}

#endif

/* ------------------------------------------------------- service (impl) ---
   The header and the service data: who ran what, where, when, by which clock. */

#if defined __clang__
#  define PFC__COMPILER __VERSION__ /* names itself */
#else
#  define PFC__COMPILER "gcc " __VERSION__
#endif

static char pfc__command[4096];
static pfc__extent_t *pfc__meta_extent;
static pfc__i64 pfc__fork_delta; /* ticks: by how much later this process was forked than undisturbed, for its parent's Δ */

static PFC__QUIET void pfc__command_read(int argc, char **argv)
{
    size_t used = 0, n, at;
    int i;
    if (argv) {
        for (i = 0; i < argc && argv[i] && used < sizeof pfc__command - 1; i++) {
            int w = snprintf(pfc__command + used, sizeof pfc__command - used, "%s%s", i ? " " : "", argv[i]);
            used = w < 0 ? sizeof pfc__command : used + (size_t)w;
        }
        return;
    }
    n = pfc__told("/proc/self/cmdline", pfc__command, sizeof pfc__command);
    for (at = 0; at + 1 < n; at++)
        if (!pfc__command[at]) pfc__command[at] = ' ';
}

static PFC__QUIET size_t pfc__meta_line(char *text, size_t room, size_t at, const char *key, const char *value)
{
    int n = at < room ? snprintf(text + at, room - at, "%s=%s", key, value) : -1;
    if (n < 0) return at;
    return at + (size_t)n + 1 <= room ? at + (size_t)n + 1 : room;
}

static PFC__QUIET pfc__extent_t *pfc__meta_keep(const char *text, size_t n)
{
    pfc__extent_t *e = pfc__extent_new(PFC__META, 1, n, 0, 0);
    if (e) memcpy(pfc__extent_data(e), text, n), pfc__extent_holds(e, n);
    return e;
}

/* Calls nothing that allocates, nor what settles the time zone before the program has chosen one (gmtime_r does). */
static PFC__QUIET void pfc__meta_write(void)
{
    static char text[3 * PATH_MAX + 8192];
    char value[PATH_MAX];
    ssize_t n;
    size_t at = 0;
    at = pfc__meta_line(text, sizeof text, at, "command", pfc__command);
    at = pfc__meta_line(text, sizeof text, at, "directory", PFC__LETS(getcwd) && getcwd(value, sizeof value) ? value : "");
    if (!PFC__LETS(uname) || gethostname(value, sizeof value)) value[0] = 0;
    value[sizeof value - 1] = 0;
    at = pfc__meta_line(text, sizeof text, at, "host", value);
    PFC__HEADER->utc_begin_ns = pfc__utc_now() - pfc__ns_of_span(pfc__clock() - pfc__clock_tick0);
    n = pfc__sys_readlink("/proc/self/exe", value, sizeof value - 1);
    value[n > 0 ? n : 0] = 0;
    at = pfc__meta_line(text, sizeof text, at, "executable", value);
    at = pfc__meta_line(text, sizeof text, at, "compiler", PFC__COMPILER);
    at = pfc__meta_line(text, sizeof text, at, "clock", pfc__clock_name(pfc__clock_kind()));
    at = pfc__meta_line(text, sizeof text, at, "clock_reason", pfc__clock_reason);
    snprintf(value, sizeof value, "%d.%d", PERFCOMP_VERSION_MAJOR, PERFCOMP_VERSION_MINOR);
    at = pfc__meta_line(text, sizeof text, at, "version", value);
    at = pfc__meta_line(text, sizeof text, at, "dir", pfc__settings.folder);
    snprintf(value, sizeof value, "%lld", (long long)pfc__fork_delta);
    at = pfc__meta_line(text, sizeof text, at, "fork_delta", value);
    pfc__meta_extent = pfc__meta_keep(text, at);
}

/* A run that has begun before it was named, as where a PFC_HIT begins it while the program is loaded. The command comes
   first, the rest stays; readers take the first such text that there is. */
static PFC__QUIET void pfc__command_rename(int argc, char **argv)
{
    static char text[3 * PATH_MAX + 8192];
    pfc__extent_t *before = pfc__meta_extent, *e;
    const char *rest;
    size_t at, n;
    if (!before || !argv || argc < 1) return;
    rest = (const char *)pfc__extent_data(before);
    n = strlen(rest) + 1;
    pfc__command_read(argc, argv);
    at = pfc__meta_line(text, sizeof text, 0, "command", pfc__command);
    if (!strcmp(text, rest) || before->count - n > sizeof text - at) return;
    memcpy(text + at, rest + n, (size_t)before->count - n);
    e = pfc__meta_keep(text, at + (size_t)before->count - n);
    if (e) before->kind = PFC__FREE, pfc__meta_extent = e;
}

/* Over what never changes while the program runs: a foreign or damaged header is found out at once. */
static PFC__QUIET pfc__u64 pfc__header_sum(const pfc__header_t *h)
{
    pfc__u64 fixed[4];
    memcpy(fixed, h->magic, 8);
    fixed[1] = ((pfc__u64)h->major << 32) | h->page;
    fixed[2] = ((pfc__u64)h->header_bytes << 32) | h->clock_kind;
    fixed[3] = (pfc__u64)h->pid ^ (pfc__u64)h->tick_begin;
    return pfc__checksum(fixed, sizeof fixed);
}

/* Over all of it, once nothing changes any more. */
static PFC__QUIET pfc__u64 pfc__ended_sum(const pfc__header_t *h)
{
    return pfc__checksum(h, offsetof(pfc__header_t, ended_checksum));
}

/* Launchers tell the rank before MPI_Init does: the file then has its name from the start. */
int pfc__rank_of_launcher(void)
{
    static const char *const name[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" };
    size_t i;
    for (i = 0; i < sizeof name / sizeof *name; i++) {
        const char *value = pfc__environment(name[i]);
        if (value && *value >= '0' && *value <= '9') return atoi(value);
    }
    return 0;
}

/* Until its last step it is the mark of pfc__file_mark: without a byte order. */
static PFC__QUIET void pfc__header_write(void)
{
    pfc__header_t *h = PFC__HEADER;
    memcpy(h->magic, PFC__MAGIC, 8);
    h->major = PFC__LAYOUT_MAJOR;
    h->minor = PFC__LAYOUT_MINOR;
    h->header_bytes = sizeof *h;
    h->page = PFC__PAGE;
    h->bytes = pfc__arena.used;
    h->base = (pfc__u64)(pfc__uptr)pfc__arena.base;
    h->rank = (pfc__u32)pfc__rank_of_launcher();
    h->size = 1;
    h->pid = pfc__sys_getpid();
    h->parent_pid = pfc__sys_getppid();
    h->process_start = pfc__process_start(pfc__sys_getpid());
    h->clock_kind = pfc__clock_kind();
    h->compensate = (pfc__u32)pfc__compensates;
    h->virtual_time = PFC__COSTS_ARE_MODELLED;
    h->ticks_per_ns = pfc__ticks_per_ns();
    h->tick_begin = h->tick_end = pfc__clock_tick0;
    h->budget = pfc__settings.budget;
    h->scale = pfc__settings.scale;
    h->scale_doubt = pfc__settings.scale_doubt;
    h->header_checksum = pfc__header_sum(h);
    h->state = PFC__RUNNING;
    __atomic_store_n(&h->byte_order, PFC__BYTE_ORDER, __ATOMIC_RELEASE);
}

/* -------------------------------------------------------- strays (impl) ---
   A process that was made past our fork handlers: by clone or _Fork, where they
   aren't wrapped (clones.c), or by the system's bare call. It has its parent's
   profile under its hands, and the parent goes on in it. A page which the kernel
   clears in forked processes tells it so, wherever it comes to us by a slow way:
   from then on it writes into copies of its own, and nothing is recorded. */

/* 1: a signal's handler that has come upon this thread inside perfcomp forks. To wait for what the thread has in its hands would be
   to wait for ever, and the child would get it half changed: it is a stray. So it is where another thread's fork hasn't come to
   its end. */
PFC__TLS int pfc__fork_is_amid;

static unsigned char *pfc__fork_mark; /* *it: 1, or 0 in a process that our handlers haven't seen; NULL: that can't be known */

static PFC__QUIET void pfc__fork_mark_make(void)
{
#if defined MADV_WIPEONFORK
    unsigned char *mark = (unsigned char *)pfc__pages(PFC__PAGE);
    if (!mark) return;
    if (pfc__sys_madvise(mark, PFC__PAGE, MADV_WIPEONFORK)) pfc__sys_munmap(mark, PFC__PAGE);
    else {
        *mark = 1;
        __atomic_store_n(&pfc__fork_mark, mark, __ATOMIC_RELEASE); /* other threads look while we begin */
    }
#endif
}

/* By the only thread of the new process: the lock may be another one's, to the library if not to us. */
static PFC__QUIET void pfc__fork_is_seen(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    if (pfc__fork_mark) *pfc__fork_mark = 1;
    pfc__fork_state = PFC__NO_FORK;
    memcpy((void *)&pfc__lock, (const void *)&fresh, sizeof fresh);
}

static PFC__QUIET int pfc__is_stray(void)
{
    const unsigned char *mark = __atomic_load_n(&pfc__fork_mark, __ATOMIC_ACQUIRE);
    return mark && !*mark;
}

/* The file is out of reach. */
static PFC__QUIET void pfc__arena_leave_memory(void)
{
    size_t used = pfc__arena.used;
    void *copy = pfc__pages(used);
    if (!copy) return;
    memcpy(copy, pfc__arena.base, used);
    pfc__pages_over(pfc__arena.base, pfc__arena.backed);
    memcpy(pfc__arena.base, copy, used);
    pfc__sys_munmap(copy, used);
    pfc__arena.plain = 1;
}

static PFC__QUIET void pfc__stray_unit_leaves(pfc__mapped_t *m, int fd)
{
    if (fd < 0 && m->array && m->aliased) pfc__pages_over(m->array, m->array_bytes), m->aliased = 0;
    else pfc__unit_freeze(m, fd);
}

/* Not by stdio, whose locks another thread of the parent may have had. */
static PFC__QUIET void pfc__stray_says(void)
{
    static const char text[] =
        "perfcomp: a process that was made without fork (by clone, _Fork, or a bare call of the system) isn't recorded, and what it "
        "did before that was found is in its parent's profile: link with perfcomp-cc, not with -static\n";
    pfc__writing_t writing;
    pfc__writing_begin(&writing);
    if (pfc__sys_write(2, text, sizeof text - 1) < 0) { /* nobody listens */ }
    pfc__writing_end(&writing);
}

/* What this process writes from here on goes into copies of its own; it isn't recorded. */
static PFC__QUIET void pfc__arena_is_parents(void)
{
    int fd = pfc__arena.plain ? -1 : pfc__arena_open();
    pfc__mapped_t *m;
    pfc__turn_off();
    pfc__self = 0;
    for (m = pfc__units; m; m = m->next) pfc__stray_unit_leaves(m, fd);
    if (fd >= 0) pfc__arena_leave(fd);
    else if (!pfc__arena.plain) pfc__arena_leave_memory();
    pfc__arena.fd = -1; /* not closed: clone may have left it in common with the parent */
    pfc__arena.path[0] = pfc__arena.link[0] = 0;
    pfc__arena.full = 1; /* where the system gives no pages at all it is still the parent's: nothing may be added */
}

/* It is inside perfcomp, and alone. */
static PFC__QUIET void pfc__stray_leaves(void)
{
    int is_first, saved = errno;
    pfc__fork_is_seen();
    if (pfc__is_off() || !pfc__arena.base) return;
    is_first = !__atomic_fetch_add(&PFC__HEADER->strayed, PFC__STEP, __ATOMIC_RELAXED);
    pfc__arena_is_parents();
    if (is_first && !pfc__fork_is_amid) pfc__stray_says(); /* what a handler does is nobody's fault */
    errno = saved;
}

/* ---------------------------------------------------------- fork (impl) ---
   The child gets a profile of its own, which starts from zero. What it must
   start from is copied before the fork: afterwards the parent goes on writing
   into the pages that both see. The units' tables, most of a large program's
   profile, never change: these the child may read there. */

static sigset_t pfc__fork_held; /* of the thread that forks, as the next one */
static unsigned char *pfc__fork_copy; /* as the arena, without the units' tables and the counters, which begin at zero */
static size_t pfc__fork_bytes;

static PFC__QUIET void pfc__fork_copy_extents(unsigned char *to, int tables)
{
    size_t at;
    for (at = PFC__PAGE; at < pfc__arena.used; at = pfc__extent_after(at)) {
        const pfc__extent_t *e = pfc__extent_at(at);
        if ((e->kind == PFC__UNIT) == tables) memcpy(to + at, e, e->kind == PFC__COUNTERS ? sizeof *e : (size_t)e->bytes);
    }
}

/* How many there are; and where to, if they are wanted. */
static PFC__QUIET pfc__u32 pfc__fork_tallies(const pfc__mapped_t *m, pfc__tally_t *to)
{
    const pfc__unit_record_t *u = (const pfc__unit_record_t *)pfc__extent_data(m->tables);
    const pfc__function_t *function = (const pfc__function_t *)(const void *)((const char *)m->tables + u->function_table);
    pfc__block_cursor_t at = pfc__blocks_begin(u, (const unsigned char *)m->tables);
    pfc__block_t b;
    pfc__u32 n = 0;
    while (pfc__block_next(&at, &b)) {
        int is_entry = b.kind == PFC__BLOCK_ENTRY;
        if (b.counter == PFC__NO_COUNTER || !(function[b.function].flags & PFC__MAY_NOT_RETURN)) continue;
        if (!is_entry && b.kind != PFC__BLOCK_EXIT) continue;
        if (to) to[n].function = b.function, to[n].counter = b.counter, to[n].sign = is_entry ? 1 : -1;
        n++;
    }
    return n;
}

/* Once: tables take their time to unpack, and a program that forks may do so often. */
static PFC__QUIET void pfc__fork_tallies_find(pfc__mapped_t *m)
{
    pfc__u32 n = pfc__fork_tallies(m, 0);
    m->tallies_known = 1;
    if (n) m->tally = (pfc__tally_t *)pfc__pages(n * sizeof *m->tally);
    if (m->tally) m->tallies = pfc__fork_tallies(m, m->tally);
}

/* This thread's counters; NULL: it has none. */
static PFC__QUIET const unsigned long long *pfc__fork_counters(const pfc__mapped_t *m)
{
    const pfc__threaded_t *c;
    if (m->array) return m->array;
    for (c = pfc__threaded; c; c = c->next)
        if (c->unit == m->unit && pfc__self && c->thread == pfc__self->id)
            return (const unsigned long long *)pfc__extent_data(c->counters);
    return 0;
}

/* Its activations will go on in the child. */
static PFC__QUIET void pfc__fork_tally(pfc__mapped_t *m)
{
    const unsigned long long *counter;
    pfc__u32 i, first = 0;
    if (!m->tallies_known) pfc__fork_tallies_find(m);
    counter = m->tallies ? pfc__fork_counters(m) : 0;
    for (i = 0; i < m->tallies; i++) {
        pfc__tally_t *t = &m->tally[i];
        if (t->function != m->tally[first].function) first = i;
        t->going_on = 0;
        if (counter) m->tally[first].going_on += (pfc__u64)t->sign * counter[t->counter];
    }
}

static void pfc__fork_prepare(void)
{
    int saved = errno;
    pfc__mapped_t *m;
    pfc__i64 since = pfc__clock();
    pfc__fork_is_amid = pfc__busy;
    if (pfc__fork_is_amid) return;
    since = pfc__hits_charge_due(since); /* the child begins with our Δ */
    pfc__lists_enter();
    if (pfc__fork_state != PFC__NO_FORK) {
        pfc__lists_leave();
        pfc__fork_is_amid = 1;
        errno = saved;
        return;
    }
    pfc__fork_copy = 0;
    if (!pfc__is_off() && pfc__arena.base) {
        pfc__fork_copy = (unsigned char *)pfc__pages(pfc__arena.used);
        if (pfc__fork_copy) {
            memcpy(pfc__fork_copy, pfc__arena.base, PFC__PAGE);
            pfc__fork_copy_extents(pfc__fork_copy, 0);
            for (m = pfc__units; m; m = m->next) pfc__fork_tally(m);
        }
        pfc__charge_slow(since);
        pfc__process_forks();
    }
    pfc__fork_bytes = pfc__arena.used;
    pfc__fork_held = pfc__held;
    pfc__fork_thread = pfc__os_thread();
    pfc__fork_state = PFC__FORK_IS_ON; /* until it is done: so long we are inside */
    pfc__mutex_unlock(&pfc__lock);
    pfc__signals_let_cancel(); /* other handlers come now, and may begin threads */
    errno = saved;
}

static void pfc__fork_parent(void)
{
    int saved = errno;
    sigset_t held;
    pfc__i64 since = pfc__clock();
    if (pfc__fork_is_amid) { pfc__fork_is_amid = 0; return; }
    pfc__mutex_lock(&pfc__lock);
    if (pfc__fork_copy) pfc__sys_munmap(pfc__fork_copy, pfc__fork_bytes), pfc__charge_slow(since);
    held = pfc__fork_held;
    pfc__fork_state = PFC__NO_FORK;
    pfc__mutex_unlock(&pfc__lock);
    pfc__work_ends(&held);
    errno = saved;
}

/* The counters begin at zero, as a new file does. */
static PFC__QUIET int pfc__fork_write(int fd)
{
    pfc__writing_t writing; /* once for all extents: there may be hundreds */
    int error;
    size_t at;
    pfc__writing_begin(&writing);
    ((pfc__header_t *)(void *)pfc__fork_copy)->byte_order = 0; /* see pfc__header_write */
    error = pfc__write_from(fd, pfc__fork_copy, PFC__PAGE, 0);
    for (at = PFC__PAGE; !error && at < pfc__arena.used; at = pfc__extent_after(at)) {
        const pfc__extent_t *e = pfc__extent_at(at);
        error = pfc__write_from(fd, (e->kind == PFC__UNIT ? pfc__arena.base : pfc__fork_copy) + at,
                                e->kind == PFC__COUNTERS ? sizeof *e : (size_t)e->bytes, at);
    }
    pfc__writing_end(&writing);
    return error;
}

/* The parent's profile counts them, and the first one is to say so: a program may fork thousands. The error then, otherwise 0. */
static PFC__QUIET int pfc__fork_unsaved(int error)
{
    return __atomic_fetch_add(&PFC__HEADER->unsaved, PFC__STEP, __ATOMIC_RELAXED) ? 0 : error;
}

/* Away from the parent's pages: the same addresses, other memory. -1: there is none, and `refused` may say why the
   profile isn't written to its folder; no word of it before the pages are ours. */
static PFC__QUIET int pfc__fork_file(int *refused)
{
    int fd, error = 0;
    pfc__arena_forget();
    if (pfc__arena.path[0] && (error = pfc__file_take((int)PFC__HEADER->rank, 1)) != 0) *refused = pfc__fork_unsaved(error);
    if (!pfc__arena.path[0] || error) pfc__arena_in_memory();
    if (pfc__arena.plain || (fd = pfc__arena_open()) < 0) return -1;
    error = pfc__allocate(fd, 0, pfc__arena.backed);
    if (!error) error = pfc__fork_write(fd);
    if (!error && pfc__sys_mmap(pfc__arena.base, pfc__arena.backed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
        error = errno;
    if (!error) return fd;
    if (pfc__arena.path[0]) *refused = pfc__fork_unsaved(error);
    pfc__arena_close(fd);
    pfc__arena_forget();
    pfc__profile_remove();
    return -1;
}

/* No file, no anonymous file: private memory. */
static PFC__QUIET void pfc__fork_private(void)
{
    pfc__fork_copy_extents(pfc__fork_copy, 1);
    pfc__pages_over(pfc__arena.base, pfc__arena.backed);
    memcpy(pfc__arena.base, pfc__fork_copy, pfc__arena.used);
    pfc__arena.plain = 1;
    pfc__arena.path[0] = 0;
}

static PFC__QUIET void pfc__fork_goes_on(pfc__mapped_t *m, pfc__u32 function, pfc__u64 activations)
{
    if (!m->inherited) {
        const pfc__unit_record_t *u = (const pfc__unit_record_t *)pfc__extent_data(m->tables);
        pfc__extent_t *e = pfc__extent_new(PFC__INHERITED, sizeof *m->inherited, u->functions, m->id, 0);
        if (!e) return;
        e->count = u->functions;
        m->inherited = (pfc__u64 *)pfc__extent_data(e);
    }
    m->inherited[function] += activations;
}

/* Activations that go on in the child, but were entered before: flow that comes from the middle of a function. */
static PFC__QUIET void pfc__fork_inherit(pfc__mapped_t *m)
{
    pfc__u32 i;
    for (i = 0; i < m->tallies; i++)
        if (m->tally[i].going_on) pfc__fork_goes_on(m, m->tally[i].function, m->tally[i].going_on);
}

static PFC__QUIET void pfc__fork_units(int fd)
{
    pfc__mapped_t *m;
    for (m = pfc__units; m; m = m->next) {
        if (!m->array) continue;
        if (m->aliased && fd < 0) pfc__pages_over(m->array, m->array_bytes);
        m->aliased = 0;
        if (fd >= 0) pfc__array_alias(m);
        if (!m->aliased) memset(m->array, 0, m->array_bytes);
    }
}

static PFC__QUIET void pfc__node_clear(pfc__node_t *n)
{
    n->timed = n->untimed = n->nested = 0;
    n->exclusive = n->exclusive_delta = 0;
    n->shortest = INT64_MAX;
    n->longest = INT64_MIN;
}

/* What comes now, the start, lies in the innermost region that has a time: by a tick it is told from those around it. */
static PFC__QUIET void pfc__thread_clear(pfc__thread_t *t, pfc__i64 now)
{
    pfc__frame_t *f;
    int outer = 0;
    t->tick_begin = t->tick_end = now;
    t->own = t->delta = t->looked = t->hits_charged = 0;
    t->earlier = t->waited = t->slept = 0;
    t->waits_since = now;
    t->child = 0;
    t->met_delta = t->met_doubt = t->met_hits = t->met_change = t->met_gain = t->met_most = 0;
    t->hits_own = t->hits_shared = 0;
    t->unwound = t->stray_ends = t->unclosed = 0;
    t->first_unwound = t->first_stray_end = t->first_unclosed = 0;
    t->generations = 1;
    t->os_id = pfc__os_thread();
    for (f = t->top; f >= t->bottom; f--) {
        if (PFC__HAS_TIME(f->begin)) f->begin = now - outer, outer = 1;
        f->delta = f->child = f->child_delta = 0;
    }
}

/* Of the threads only the one that forked is there: the others' records are the parent's. */
static PFC__QUIET void pfc__extent_clear(pfc__extent_t *e, pfc__i64 now)
{
    unsigned char *data = (unsigned char *)pfc__extent_data(e);
    pfc__u64 i;
    switch (e->kind) {
    case PFC__NODES:
        for (i = 0; i < e->count; i++) pfc__node_clear((pfc__node_t *)(void *)data + i);
        break;
    case PFC__SAMPLES:
        memset(data, 0, offsetof(pfc__sample_t, stride));
        ((pfc__sample_t *)(void *)data)->inside = 0;
        break;
    case PFC__THREADS:
        if ((pfc__thread_t *)(void *)data == pfc__self) pfc__thread_clear(pfc__self, now);
        else e->kind = PFC__FREE;
        break;
    case PFC__COUNTERS:
        if (pfc__arena.plain) memset(data, 0, (size_t)e->capacity * 8);
        break;
    case PFC__EVENTS: e->count = 0; break;
    case PFC__META: case PFC__NOTES: case PFC__MPI: e->kind = PFC__FREE; break;
    default: break;
    }
}

static PFC__QUIET void pfc__fork_header(int had_threads)
{
    pfc__header_t *h = PFC__HEADER;
    pfc__u32 rank = h->rank, size = h->size;
    pfc__i64 parent = h->pid; /* it may be gone already */
    h->lost_regions = h->lost_nodes = h->lost_units = h->lost_threads = h->left = h->strayed = h->unsaved = 0;
    h->start_ticks = 0; /* the parent's; its own is what comes now */
    if (h->fork_child < 2) h->fork_child = had_threads ? 2 : 1;
    pfc__header_write();
    h->rank = rank;
    h->size = size;
    h->parent_pid = parent;
    pfc__meta_write();
}

/* What it must start from isn't as it was, or there was no memory for it: not even addresses maybe, of which ours are of no use
   any more. */
static PFC__QUIET void pfc__fork_is_lost(int error)
{
    error = pfc__fork_unsaved(error);
    pfc__arena_shrink();
    pfc__arena_is_parents();
    if (error) pfc__note("a forked process has no profile (%s): it isn't recorded (of more the report tells)",
                         error == EDEADLK ? "another thread couldn't wait until it was there" : strerror(error));
}

static PFC__QUIET void pfc__fork_profile(int is_overtaken)
{
    pfc__i64 now;
    int fd, refused = 0, had_threads = pfc__threads_own() > 1;
    size_t at, end = pfc__arena.used;
    pfc__mapped_t *m;
    pfc__clock_pair(&pfc__clock_tick0, &pfc__clock_ns0);
    now = pfc__clock_tick0; /* its clock begins with its time, as in pfc__profile_start */
    pfc__process_begins();
    if (is_overtaken || !pfc__fork_copy) { pfc__fork_is_lost(is_overtaken ? EDEADLK : ENOMEM); return; }
    fd = pfc__fork_file(&refused);
    if (fd < 0) pfc__fork_private();
    for (m = pfc__units; m; m = m->next) pfc__fork_inherit(m);
    if (pfc__self) pfc__fork_delta += pfc__self->delta >> PFC__FRACTION; /* to that of its own parent */
    pfc__sys_munmap(pfc__fork_copy, end);
    for (at = PFC__PAGE; at < pfc__arena.used; at = pfc__extent_after(at)) pfc__extent_clear(pfc__extent_at(at), now);
    pfc__fork_units(fd);
    pfc__arena_close(fd);
    pfc__threads_ended = pfc__threads_late = 0;
    pfc__windows_fork();
    pfc__first = pfc__self;
    pfc__threads_gone = pfc__threads_count - (pfc__self != 0);
    pfc__fork_header(had_threads);
    if (refused) pfc__note("the profile of a forked process can't be written to %s (%s): it stays in memory, and ends with it (of more the report tells)",
                           pfc__settings.folder, strerror(refused));
    pfc__charge_start(now);
    pfc__process_tells(now, 0);
}

/* Until all is done the process is busy: what is called here may be the program's own, and instrumented. */
static void pfc__fork_child(void)
{
    int saved = errno, is_overtaken = pfc__fork_state == PFC__FORK_OVERTAKEN;
    if (pfc__fork_is_amid) { pfc__stray_leaves(); return; }
    pfc__fork_is_seen();
    if (!pfc__is_off() && pfc__arena.base) pfc__fork_profile(is_overtaken);
    pfc__work_ends(&pfc__fork_held);
    errno = saved;
}

/* glibc forgets the handlers of a program, or library, that it finalises, and does so before our destructor: a fork that was just
   prepared would keep the lock for good, and the profile's end wait for it. Under a handle of our own they stay until that. */
#if defined __GLIBC__
extern __attribute__((weak)) int pfc__atfork(void (*)(void), void (*)(void), void (*)(void), void *) __asm__("__register_atfork");
extern __attribute__((weak)) void pfc__atfork_no_more(void *) __asm__("__cxa_finalize");
static char pfc__fork_handle;
#endif

static PFC__QUIET void pfc__fork_handlers_begin(void)
{
#if defined __GLIBC__
    if (pfc__atfork && pfc__atfork_no_more) {
        pfc__atfork(pfc__fork_prepare, pfc__fork_parent, pfc__fork_child, &pfc__fork_handle);
        return;
    }
#endif
    pthread_atfork(pfc__fork_prepare, pfc__fork_parent, pfc__fork_child);
}

static PFC__QUIET void pfc__fork_handlers_end(void)
{
#if defined __GLIBC__
    if (pfc__atfork && pfc__atfork_no_more) pfc__atfork_no_more(&pfc__fork_handle);
#endif
}

/* ------------------------------------------------------ handlers (impl) ---
   Whether the program ends in a signal's handler, which may have interrupted any function. */

/* It may be running though its signal isn't blocked. Where that takes the handler away (SA_RESETHAND), one that is there
   hasn't begun; one that stays, as gnulib's for all that ends a program, can't be told from the rest by that. */
static PFC__QUIET int pfc__handler_hides(const struct sigaction *action, int may_stay)
{
    unsigned flags = (unsigned)action->sa_flags;
    int gone = action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN;
    return (flags & SA_NODEFER) && (gone || (may_stay && !(flags & SA_RESETHAND)));
}

/* By what is blocked and handled: a program may block signals itself, and `signal` in strict C11 sets both flags, also where
   it is told to ignore. `may_stay`: it may be one that stays, as where what it has called is for handlers, too. */
static PFC__QUIET int pfc__handler_is_possible(int may_stay)
{
    struct sigaction action;
    sigset_t blocked;
    int s;
    if (!PFC__LETS(rt_sigprocmask) || !PFC__LETS(rt_sigaction)) return 1; /* nobody knows */
    pthread_sigmask(SIG_SETMASK, 0, &blocked);
    for (s = 1; s <= SIGRTMAX; s++)
        if (sigismember(&blocked, s) == 1 || (sigaction(s, 0, &action) == 0 && pfc__handler_hides(&action, may_stay))) return 1;
    return 0;
}

/* A handler returns to an address that Linux is told with it, and that lies on the stack meanwhile. Of stacks, the main
   thread's is known to its end; one that is far from there is another. */
#if defined __x86_64__ && defined __GLIBC__ && defined SYS_process_vm_readv
PFC__EXTERN_C_BEGIN
extern void *__libc_stack_end __attribute__((weak));
PFC__EXTERN_C_END

/* Whether the word is there; −1: nobody knows. The kernel reads: what is on the stack need not be initialised, and sanitizers
   and valgrind would say so. */
static PFC__QUIET int pfc__stack_holds(pfc__uptr at, pfc__uptr end, pfc__uptr word)
{
    pfc__uptr copy[1024];
    struct iovec to, from;
    size_t i;
    to.iov_base = copy;
    for (; at < end; at += to.iov_len) {
        to.iov_len = end - at < sizeof copy ? end - at : sizeof copy;
        from.iov_base = (void *)at;
        from.iov_len = to.iov_len;
        if (pfc__sys_copy(&to, &from) != (ssize_t)to.iov_len) return -1;
        for (i = 0; i < to.iov_len / sizeof *copy; i++)
            if (copy[i] == word) return 1;
    }
    return 0;
}

/* Whether a handler is running, by the stack from here on; −1: nobody knows. */
static PFC__QUIET int pfc__handler_on_stack(pfc__uptr stack)
{
    const pfc__uptr most = 8 << 20, end = &__libc_stack_end ? (pfc__uptr)__libc_stack_end : 0;
    pfc__uptr restorer = 0;
    struct sigaction action;
    int s, found = 0;
    if (stack > end || end - stack > most || !PFC__LETS(rt_sigaction)) return -1;
    for (s = 1; s <= SIGRTMAX && !found; s++) {
        if (sigaction(s, 0, &action) || (pfc__uptr)action.sa_restorer == restorer) continue;
        restorer = (pfc__uptr)action.sa_restorer;
        if (restorer) found = pfc__stack_holds(stack, end, restorer);
    }
    return found;
}
#else
static PFC__QUIET int pfc__handler_on_stack(pfc__uptr stack) { return (void)stack, -1; }
#endif

static PFC__COLD pfc__u64 pfc__amid_handler(int may_stay)
{
    int found;
    if (!pfc__handler_is_possible(1)) return 0;
    found = pfc__handler_on_stack((pfc__uptr)__builtin_frame_address(0)); /* our callees aren't looked at */
    return (pfc__u64)(found < 0 ? pfc__handler_is_possible(may_stay) : found);
}

/* -------------------------------------------------------- unseen (impl) ---
   What a run finds at its end that it couldn't count, or take out: kept as notes, for the report. */

/* Plain arrays lose counts when two threads add at once. Not said on stderr: a test suite may compare that. */
static PFC__QUIET void pfc__note_races(void)
{
    const pfc__mapped_t *m = pfc__units;
    while (m && (!m->array || m->adding & PFC__ADDED_ATOMICALLY)) m = m->next;
    if (!m || pfc__threads_own() < 2) return;
    pfc__note_keep("several threads ran, but the counters of %s (and maybe others) are for one: their counts may be too low; "
                   "compile with perfcomp-cc --threads (or -pthread), or, for PFC_HIT, define PERFCOMP_THREADS", m->unit->name);
}

/* Waits that nobody has told us of: a linker must be asked to wrap calls; clang's OpenMP tells one tool only. */
static PFC__QUIET void pfc__note_waits(void)
{
#if defined PFC__THREADS_MEET
    if (pfc__threads_own() < 2) return;
    if (pfc__libomp && !pfc__ompt_is_on)
        pfc__note_keep("several threads ran, with an OpenMP that tells another tool, or none (OMPT), of its waits: who waits for another "
                       "one there waits for its probes, too, which aren't taken out of the times; run it without OMP_TOOL_LIBRARIES");
    else if (!__real_pthread_join)
        pfc__note_keep(pfc__ompt_is_on ?
                       "several threads ran, and waits but those at the ends of OpenMP's regions and at its barriers aren't wrapped: who waits "
                       "otherwise for another one waits for its probes, too, which aren't taken out of the times; link with what "
                       "perfcomp-cc --wraps prints (it can't be done with -static, nor by preloading)" :
                       "several threads ran, and waits aren't wrapped: who waits for another one waits for its probes, too, which "
                       "aren't taken out of the times; link with what perfcomp-cc --wraps prints (it can't be done with "
                       "-static, nor by preloading)");
#endif
}

/* An MPI program that an MPI compiler hasn't linked (cmake finds the library for gcc) has no layer, and nothing would
   tell: where nobody wraps MPI_Init, both names are one function. */
#if defined __ELF__ && !defined PERFCOMP_SMPI && !defined PERFCOMP_MPI_IMPLEMENTATION
#define PFC__LOOKS_FOR_MPI /* under MPI's own names, which nobody can define behind this */
extern __attribute__((weak)) int pfc__mpi_init(int *, char ***) __asm__("MPI_Init");
extern __attribute__((weak)) int pfc__pmpi_init(int *, char ***) __asm__("PMPI_Init");
extern __attribute__((weak)) int pfc__pmpi_initialized(int *) __asm__("PMPI_Initialized");

static PFC__QUIET void pfc__note_mpi(void)
{
    int begun = 0;
    if (!pfc__mpi_init || pfc__mpi_init != pfc__pmpi_init || !pfc__pmpi_initialized) return;
    pfc__pmpi_initialized(&begun);
    if (begun)
        pfc__note_keep("MPI ran without perfcomp_mpi.h: a rank that waits for another one waits for its probes, too, which aren't taken "
                       "out of the times, nor in ±; link with perfcomp-cc before an MPI compiler (mpicc), or preload the layer");
}
#else
static PFC__QUIET void pfc__note_mpi(void) { }
#endif

/* ---------------------------------------------------------- life (impl) ---
   Start and stop. */

static PFC__QUIET int pfc__profile_file(int rank)
{
    int error = pfc__file_take(rank, 0);
    if (!error && (error = pfc__arena_back(PFC__PAGE)) != 0) { /* no room for the first piece */
        pfc__sys_unlink(pfc__arena.path);
        if (*pfc__arena.link) pfc__sys_unlink(pfc__arena.link);
    }
    return error;
}

static PFC__QUIET void pfc__refused(const char *path, int error, const char *instead, const char *name)
{
    const char *limit = error == EFBIG ? "f" : error == EMFILE ? "n" : 0;
    if (limit) pfc__note("can't write %s (%s): %s; raise this limit of the process (ulimit -%s)", path, strerror(error), instead, limit);
    else pfc__note("can't write %s (%s): %s; %sset %s to a folder that you may write to", path, strerror(error), instead,
                   error == ENOSPC || error == EDQUOT ? "make room there, or " : "", name);
}

enum { PFC__TRACED = 32 }; /* threads whose traces find room beside the rest */

/* Addresses for the profile. Under a limit of them (ulimit -v) the program needs the others. */
static PFC__QUIET size_t pfc__profile_room(void)
{
    const int is_wide = sizeof(void *) > 4;
    size_t room = is_wide ? (size_t)1 << 30 : (size_t)1 << 27;
    struct rlimit limit;
    if (!is_wide || !pfc__settings.trace || (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)) return room;
    return room + PFC__TRACED * (size_t)pfc__settings.trace_events * sizeof(pfc__event_t);
}

static PFC__QUIET int pfc__profile_map(void)
{
    char path[PATH_MAX];
    int rank = pfc__rank_of_launcher(), refused = 0, not_live = 0, error;
    pfc__arena.fd = -1;
    pfc__arena.used = PFC__PAGE;
    error = pfc__arena_reserve(pfc__profile_room());
    if (!error && !pfc__settings.in_memory) refused = pfc__profile_file(rank);
    memcpy(path, pfc__arena.path, sizeof path);
    if (refused && *pfc__settings.live) { /* where it comes to lie anyway, it may as well be from the start */
        *pfc__settings.live = 0;
        not_live = refused;
        refused = pfc__profile_file(rank);
        if (refused) memcpy(path, pfc__arena.path, sizeof path);
    }
    if (!error && (pfc__settings.in_memory || refused)) {
        pfc__arena_in_memory();
        error = pfc__arena_back(PFC__PAGE);
    }
    if (error) {
        pfc__arena.base = 0;
        pfc__note("no memory for the profile (%s): perfcomp is off", strerror(error));
    } else if (refused) pfc__refused(path, refused, "this run's profile stays in memory, and ends with it", "PERFCOMP_DIR");
    else if (not_live) pfc__refused(path, not_live, "the profile lies in its own folder from the start", "PERFCOMP_LIVE");
    return error;
}

/* PERFCOMP_VERBOSE */
static PFC__QUIET void pfc__say_what(const char *is_done)
{
    if (!pfc__settings.verbose) return;
    pfc__say("process %ld: %s; profile: %s; clock: %s (%s); null probe: %.2f ns", (long)pfc__sys_getpid(), is_done,
             *pfc__profile_file_name() ? pfc__profile_file_name() : "in memory only", pfc__clock_name(pfc__clock_kind()), pfc__clock_reason,
             pfc__cost.empty_pair / pfc__ticks_per_ns());
}

static int pfc__started;

static PFC__QUIET void pfc__profile_start(int argc, char **argv)
{
    const char *note;
    pfc__i64 begin;
    if (pfc__started) {
        if (!pfc__is_off()) pfc__command_rename(argc, argv);
        return;
    }
    pfc__started = 1;
    pfc__settings_read();
    pfc__stderr_begin(pfc__settings.report || pfc__settings.verbose);
    if (!pfc__settings.on) { pfc__turn_off(); return; }
    pfc__clock_start();
    begin = pfc__clock();
    if (pfc__profile_map()) { pfc__turn_off(); return; }
    pfc__calibrate(&pfc__cost);
    pfc__context_start();
    pfc__clock_settle();
    pfc__command_read(argc, argv);
    pfc__header_write();
    PFC__HEADER->cost = pfc__cost;
    PFC__HEADER->fetch_doubt = pfc__settings.scale > 0 ? pfc__settings.scale_doubt : PFC__FETCH_DOUBT;
    pfc__meta_write();
    for (note = pfc__notes_early; *note; note += strlen(note) + 1) pfc__note_store(note);
    pfc__threads_start();
    pfc__fork_mark_make();
    pfc__fork_handlers_begin();
    pfc__say_what("begins");
    if (pfc__thread_attach()) {
        pfc__self->bottom->begin = PFC__HEADER->tick_begin; /* the first thread's time has the start in it, as its Δ has */
        pfc__stack_bounds(pfc__self);
        pfc__charge_slow(begin);
    }
    PFC__HEADER->start_ticks = pfc__clock() - begin;
}

void pfc_start(int argc, char **argv)
{
    int saved = errno;
    if (pfc__busy) return;
    pfc__lists_enter();
    pfc__profile_start(argc, argv);
    pfc__lists_leave();
    errno = saved;
}

/* ---- stop */

/* Readers of the running program see how far it is. */
static PFC__QUIET void pfc__sign_of_life(void)
{
    pfc__clock_measure_rate();
    PFC__HEADER->ticks_per_ns = pfc__ticks_per_ns();
    PFC__HEADER->tick_end = pfc__clock();
}

void pfc__monitor(void)
{
    int saved = errno;
    pfc__i64 since;
    pfc__stray_look();
    if (pfc__is_off() || !pfc__arena.base) return;
    since = pfc__clock();
    pfc__sign_of_life();
    pfc__charge_slow(since);
    errno = saved;
}

/* What still runs (other threads, libraries' destructors) must not write into a
   profile that has its checksum: from here on they write into private copies. */
static PFC__QUIET void pfc__profile_freeze(int fd)
{
    pfc__mapped_t *u;
    pfc__units_gather();
    for (u = pfc__units; u; u = u->next) pfc__unit_freeze(u, fd);
    if (!pfc__arena.plain) pfc__arena_leave(fd);
}

/* Of the file: the memory may be changing already. */
static PFC__QUIET pfc__u64 pfc__profile_sum(int fd)
{
    void *file = fd >= 0 ? pfc__sys_mmap(0, pfc__arena.used, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    unsigned char *bytes = file == MAP_FAILED ? pfc__arena.base : (unsigned char *)file;
    pfc__u64 sum = pfc__checksum(bytes + PFC__PAGE, pfc__arena.used - PFC__PAGE);
    if (file != MAP_FAILED) pfc__sys_munmap(file, pfc__arena.used);
    return sum;
}

static PFC__QUIET void pfc__profile_seal(int fd)
{
    const size_t counted = offsetof(pfc__header_t, strayed); /* from there on, others are counting */
    pfc__header_t h = *PFC__HEADER;
    h.checksum = pfc__profile_sum(fd);
    h.state = PFC__ENDED;
    h.stop_ticks = pfc__clock() - h.tick_end;
    h.ended_checksum = pfc__ended_sum(&h);
    if (fd >= 0 && !pfc__write_at(fd, &h, counted, 0)) {
        if (pfc__sys_ftruncate(fd, (off_t)pfc__arena.used)) { /* allocated beyond the end: harmless */ }
    }
    *PFC__HEADER = h;
}

/* Under the lock. */
static PFC__QUIET void pfc__profile_end(pfc__u64 amid)
{
    int fd;
    pfc__sign_of_life();
    PFC__HEADER->amid = amid;
    if (pfc__self) {
        pfc__frames_unwind(pfc__self, pfc__stack_pointer(), PFC__HEADER->tick_end); /* nothing was entered since the longjmp */
        pfc__self->tick_end = PFC__HEADER->tick_end;
    }
    pfc__threads_late_settle(1);
    pfc__turn_off();
    pfc__threads_sleep_told(PFC__HEADER->tick_end);
    pfc__note_races();
    pfc__note_waits();
    pfc__note_mpi();
    fd = PFC__LETS(pwrite64) ? pfc__arena_open() : -1; /* else its end couldn't be written into what is frozen */
    if (fd >= 0 || pfc__arena.plain) pfc__profile_freeze(fd);
    pfc__profile_seal(fd);
    pfc__arena_close(fd);
    pfc__arena_forget();
    pfc__file_settle();
    pfc__say_what("ends");
}

/* Whether it was this thread that ended it: another one may have. A fork that another thread has begun goes on first: its
   child is one of a program that is recorded, and must get pages of its own. A large profile takes some milliseconds to seal:
   a signal whose handler calls _exit waits for that, or the process would seem to have died. This has a frame of its own, as
   pfc__amid_handler looks through its callers', and would find in `held` what other calls have left there. */
static PFC__COLD int pfc__recording_seal(pfc__u64 amid)
{
    sigset_t held;
    int is_over;
    pfc__work_begins(&held);
    pfc__lock_take();
    is_over = pfc__is_off();
    if (!is_over) pfc__profile_end(amid);
    pfc__mutex_unlock(&pfc__lock);
    if (!is_over) pfc__process_tells(PFC__HEADER->tick_end, pfc__clock());
    pfc__self = 0;
    pfc__work_ends(&held);
    return !is_over;
}

static PFC__QUIET void pfc__recording_ends(void)
{
    int saved = errno;
    pfc__stray_look();
    if (pfc__is_off() || !pfc__arena.base || pfc__busy) return;
#ifdef PERFCOMP_CHARGE
    if (pfc__self && PFC__CHARGES()) pfc__hits_charge(pfc__clock()); /* the reader takes out those of all blocks */
#endif
    pfc__process_ends();
    if (pfc__recording_seal(pfc__amid_handler(0)) && pfc__settings.report) pfc__stderr_report(); /* exit isn't for handlers */
    pfc__stderr_end();
    errno = saved;
}

void pfc_stop(void) { pfc__recording_ends(); }

/* Behind exit handlers and other destructors: they are part of the run. But before those by which files take their leave
   (101), whatever is linked first: what has left isn't frozen any more. Not by the
   name pfc_stop: in a library that is unloaded it may be the program's, which goes on. */
__attribute__((destructor(102))) static PFC__QUIET void pfc__stop_at_last(void)
{
    pfc__recording_ends();
    if (pfc__started) pfc__fork_handlers_end();
}

int pfc__profile_yield(void)
{
    if (pfc__is_off() || !pfc__arena.second) return 0;
    pfc__turn_off();
    pfc__self = 0;
    pfc__profile_remove();
    return 1;
}

/* What still runs may go on writing into the copy's original: hence its own checksum. */
void *pfc__profile_finish(pfc__u64 *bytes)
{
    pfc__header_t *copy = 0;
    *bytes = 0;
    if (pfc__is_off() || !pfc__arena.base) return 0;
    PFC__HEADER->until_finalize = 1;
    pfc_stop();
    copy = (pfc__header_t *)malloc(pfc__arena.used);
    if (!copy) return 0;
    memcpy((void *)copy, pfc__arena.base, pfc__arena.used);
    copy->checksum = pfc__checksum((unsigned char *)copy + PFC__PAGE, pfc__arena.used - PFC__PAGE);
    copy->ended_checksum = pfc__ended_sum(copy);
    *bytes = pfc__arena.used;
    return copy;
}

void pfc__identity(int rank, int size)
{
    int saved = errno;
    if (pfc__is_off() || !pfc__arena.base) return;
    pfc__lists_enter();
    PFC__HEADER->rank = (pfc__u32)rank;
    PFC__HEADER->size = (pfc__u32)size;
    if (pfc__arena.path[0]) pfc__file_rename(rank);
    pfc__lists_leave();
    errno = saved;
}

/* --------------------------------------------------------- exits (impl) ---
   Ends that run no exit handlers: _exit, and another program in this one's
   place. All that readers know of the profile's end is then its last sign of
   life, which is given here; counts in between would count as a time that isn't
   known. Linked with --wrap=_exit … (perfcomp-cc does it). */

#if defined PFC__THREADS_MEET

/* A child of vfork has its parent's memory, and isn't what the profile is of. */
static PFC__QUIET int pfc__profile_is_own(void)
{
    pid_t pid = pfc__is_off() || !pfc__arena.base ? 0 : pfc__sys_getpid();
    return pid < 0 || (pid && PFC__HEADER->pid == pid); /* it may not be asked for, in a sandbox */
}

static PFC__QUIET void pfc__last_sign(enum pfc__left left)
{
    pfc__stray_look();
    if (!pfc__profile_is_own()) return;
    pfc__process_ends();
    pfc__sign_of_life();
    PFC__HEADER->amid = pfc__amid_handler(1);
    PFC__HEADER->left = left;
    pfc__process_tells(PFC__HEADER->tick_end, left == PFC__LEFT_BY_EXIT ? pfc__clock() : 0);
}

/* There was no such program. */
static PFC__QUIET void pfc__still_alive(void)
{
    if (pfc__profile_is_own()) PFC__HEADER->left = 0;
}

void pfc__ends(void) { pfc__last_sign(PFC__LEFT_BY_EXIT); } /* see ends.c */

#define PFC__EXEC(name, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        int result; \
        pfc__last_sign(PFC__LEFT_BY_EXEC); \
        result = __real_##name arguments; \
        pfc__still_alive(); \
        return result; \
    }

PFC__EXEC(execv, (const char *path, char *const argv[]), (path, argv))
PFC__EXEC(execvp, (const char *file, char *const argv[]), (file, argv))
PFC__EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
PFC__EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
PFC__EXEC(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))
PFC__EXEC(execveat, (int folder, const char *path, char *const argv[], char *const envp[], int flags), (folder, path, argv, envp, flags))

/* As the library does: the arguments become an array on the stack, since a child of vfork, or a handler, may call it.
   What calls these is a POSIX program, whose execv is the library's. */
#define PFC__EXEC_LIST(name, real, more, arguments) \
    PFC__INSTEAD int __wrap_##name(const char *file, const char *first, ...) \
    { \
        size_t n = 0, i; \
        const char *next = first; \
        char **argv; \
        int result; \
        va_list list; \
        va_start(list, first); \
        for (; next; n++) next = va_arg(list, const char *); \
        va_end(list); \
        argv = (char **)__builtin_alloca((n + 1) * sizeof *argv); \
        va_start(list, first); \
        memcpy(argv, &first, sizeof first); \
        for (i = 1; i <= n; i++) argv[i] = va_arg(list, char *); \
        more \
        va_end(list); \
        pfc__last_sign(PFC__LEFT_BY_EXEC); \
        result = __real_##real arguments; \
        pfc__still_alive(); \
        return result; \
    }

PFC__EXEC_LIST(execl, execv, , (file, argv))
PFC__EXEC_LIST(execlp, execvp, , (file, argv))
PFC__EXEC_LIST(execle, execve, char *const *envp = va_arg(list, char *const *);, (file, argv, envp))

/* Ends the process inside of the library, where no wrapper is, and goes on in a forked one. */
extern __attribute__((weak)) int __real_daemon(int stays, int keeps);
PFC__INSTEAD int __wrap_daemon(int stays, int keeps)
{
    int result;
    pfc__last_sign(PFC__LEFT_BY_EXIT);
    result = __real_daemon(stays, keeps);
    pfc__still_alive();
    return result;
}

#endif

/* ------------------------------------------------------- sandbox (impl) ---
   Where the program gives up calls of the system: its filters are learned (see
   filters). Linked with --wrap=prctl … (perfcomp-cc does it). */

#if defined PFC__THREADS_MEET && defined PFC__KERNEL

enum { PFC__SET_SECCOMP = 22, PFC__STRICT = 1, PFC__FILTERED = 2, PFC__ROOM_AHEAD = 1 << 20 };

static PFC__QUIET pfc__filter_t *pfc__filter_new(size_t steps)
{
    pfc__filter_t *f = (pfc__filter_t *)pfc__pages(sizeof *f + steps * sizeof *f->step);
    if (f) f->steps = steps;
    return f;
}

/* From here on no call is made that it doesn't let pass; so what the profile may need is taken before. */
static PFC__QUIET const pfc__filter_t *pfc__filter_set(pfc__filter_t *f)
{
    if (!f) return 0;
    if (!pfc__busy && !pfc__is_off() && pfc__arena.base) {
        pfc__lists_enter();
        pfc__arena_lacks(PFC__ROOM_AHEAD);
        pfc__lists_leave();
    }
    f->earlier = pfc__filters;
    __atomic_store_n(&pfc__filters, f, __ATOMIC_RELEASE);
    return f;
}

/* The kernel didn't take it. */
static PFC__QUIET void pfc__filter_drop(const pfc__filter_t *f)
{
    if (f && f == pfc__filters) __atomic_store_n(&pfc__filters, f->earlier, __ATOMIC_RELEASE);
}

/* Strict: x86's counter may not be read any more, so that nothing can be recorded. */
static PFC__QUIET const pfc__filter_t *pfc__strict_set(void)
{
    pfc__note_keep("the program has given up the calls of the system (strict seccomp), and x86's counter with them: what it did from then "
                   "on isn't recorded");
    pfc_stop();
    return pfc__filter_set(pfc__filter_new(0));
}

static PFC__QUIET const pfc__filter_t *pfc__sandbox_begins(unsigned long mode, const void *program)
{
    const pfc__filter_program_t *p = (const pfc__filter_program_t *)program;
    int saved = errno;
    pfc__filter_t *f;
    if (mode == PFC__STRICT) return pfc__strict_set();
    if (mode != PFC__FILTERED || !p || !p->step) return 0; /* it only asks whether there are filters */
    f = pfc__filter_new(p->steps);
    if (f) memcpy(f->step, p->step, p->steps * sizeof *p->step);
    errno = saved;
    return pfc__filter_set(f);
}

extern __attribute__((weak)) int __real_prctl(int, ...);
PFC__INSTEAD int __wrap_prctl(int option, ...)
{
    unsigned long a[4];
    const pfc__filter_t *f;
    va_list arguments;
    int i, result;
    va_start(arguments, option);
    for (i = 0; i < 4; i++) a[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    f = option == PFC__SET_SECCOMP ? pfc__sandbox_begins(a[0], (const void *)a[1]) : 0;
    result = __real_prctl(option, a[0], a[1], a[2], a[3]);
    if (result < 0) pfc__filter_drop(f);
    return result;
}

/* The same by its number. */
static PFC__QUIET const pfc__filter_t *pfc__sandbox_called(long number, const long *argument)
{
#if defined SYS_seccomp
    if (number == SYS_seccomp) return pfc__sandbox_begins((unsigned long)argument[0] + 1, (const void *)argument[2]);
#endif
    if (number != SYS_prctl || argument[0] != PFC__SET_SECCOMP) return 0;
    return pfc__sandbox_begins((unsigned long)argument[1], (const void *)argument[2]);
}

/* libseccomp makes one itself, where nothing is wrapped; it can be asked for it. */
extern __attribute__((weak)) int pfc__filter_export(const void *, int) __asm__("seccomp_export_bpf");

static PFC__QUIET pfc__filter_t *pfc__filter_of(const void *context)
{
    pfc__filter_t *f = 0;
    struct stat s;
    int fd = pfc__sys_memfd_create("perfcomp");
    if (fd >= 0 && pfc__filter_export && !pfc__filter_export(context, fd) && !pfc__sys_fstat(fd, &s) &&
        (f = pfc__filter_new((size_t)s.st_size / sizeof *f->step)) != 0 && pfc__sys_pread(fd, f->step, (size_t)s.st_size, 0) != s.st_size)
        f->steps = 0;
    if (fd >= 0) pfc__sys_close(fd);
    return f ? f : pfc__filter_new(0);
}

extern __attribute__((weak)) int __real_seccomp_load(const void *);
PFC__INSTEAD int __wrap_seccomp_load(const void *context)
{
    int saved = errno, result;
    const pfc__filter_t *f = pfc__filter_set(pfc__filter_of(context));
    errno = saved;
    result = __real_seccomp_load(context);
    if (result < 0) pfc__filter_drop(f);
    return result;
}

#elif defined PFC__THREADS_MEET
static PFC__QUIET const pfc__filter_t *pfc__sandbox_called(long number, const long *argument)
{
    (void)number, (void)argument;
    return 0;
}
static PFC__QUIET void pfc__filter_drop(const pfc__filter_t *f) { (void)f; }
#endif

/* -------------------------------------------------------- clones (impl) ---
   Processes that are made as fork makes them, but by other calls, which run no
   handlers: _Fork, clone without CLONE_VM, and the system's own calls by syscall.
   Linked with --wrap=clone … (perfcomp-cc does it). */

#if defined PFC__THREADS_MEET

enum { PFC__CLONE_VM = 0x100, PFC__CLONE_FILES = 0x400, PFC__CLONE_SETTLS = 0x80000 };

/* Whether what happens to a forked process now happens to this one as well: not where it is inside perfcomp, as a signal
   handler that has come upon a wait is. */
static PFC__QUIET int pfc__clone_begins(void)
{
    if (pfc__busy || pfc__is_off() || !pfc__arena.base) return 0;
    pfc__fork_prepare();
    return 1;
}

extern __attribute__((weak)) pid_t __real__Fork(void);
PFC__INSTEAD pid_t __wrap__Fork(void)
{
    int seen = pfc__clone_begins();
    pid_t child = __real__Fork();
    if (seen && child) pfc__fork_parent();
    else if (seen) pfc__fork_child();
    return child;
}

/* ---- clone */

typedef struct pfc__clone {
    int (*run)(void *);
    void *argument;
    int shares_files;
} pfc__clone_t;

/* On the new stack; the parent's is there, too, as a copy. */
static int pfc__clone_run(void *clone)
{
    const pfc__clone_t *c = (const pfc__clone_t *)clone;
    int result;
    if (c->shares_files) pfc__arena.fd = -1; /* the parent's: not to be closed here */
    pfc__fork_child();
    result = c->run(c->argument);
    pfc__last_sign(PFC__LEFT_BY_EXIT);
    return result;
}

/* With the parent's memory it is a thread, or as good as one; with other thread-local storage we find nothing of ours. */
static PFC__QUIET int pfc__clone_forks(unsigned long flags) { return !(flags & (PFC__CLONE_VM | PFC__CLONE_SETTLS)); }

extern __attribute__((weak)) int __real_clone(int (*)(void *), void *, int, void *, ...);
PFC__INSTEAD int __wrap_clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
    pfc__clone_t c = { run, argument, flags & PFC__CLONE_FILES };
    void *more[3]; /* as many as the flags ask for have been given */
    va_list arguments;
    int i, child, seen = run && stack && pfc__clone_forks((unsigned)flags) && pfc__clone_begins();
    va_start(arguments, argument);
    for (i = 0; i < 3; i++) more[i] = va_arg(arguments, void *);
    va_end(arguments);
    child = __real_clone(seen ? pfc__clone_run : run, stack, flags, seen ? (void *)&c : argument, more[0], more[1], more[2]);
    if (seen) pfc__fork_parent();
    return child;
}

/* ---- syscall: with a stack of its own a child couldn't return from it */

static PFC__QUIET int pfc__call_forks(long number, const long *argument)
{
#if defined SYS_fork
    if (number == SYS_fork) return 1;
#endif
#if defined SYS_clone && !defined __s390__
    if (number == SYS_clone) return !argument[1] && pfc__clone_forks((unsigned long)argument[0]);
#endif
#if defined SYS_clone3
    if (number == SYS_clone3 && argument[0] && argument[1] >= 48) {
        const pfc__u64 *clone = (const pfc__u64 *)argument[0]; /* flags first, stack the sixth */
        return !clone[5] && pfc__clone_forks((unsigned long)*clone);
    }
#endif
    (void)number, (void)argument;
    return 0;
}

extern __attribute__((weak)) long __real_syscall(long, ...);
PFC__INSTEAD long __wrap_syscall(long number, ...)
{
    long a[6], result;
    const pfc__filter_t *filter;
    va_list arguments;
    int i, seen;
    va_start(arguments, number);
    for (i = 0; i < 6; i++) a[i] = va_arg(arguments, long);
    va_end(arguments);
    filter = pfc__sandbox_called(number, a);
    seen = pfc__call_forks(number, a) && pfc__clone_begins();
    result = __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (result < 0) pfc__filter_drop(filter);
    if (seen && result) pfc__fork_parent();
    else if (seen) pfc__fork_child();
    return result;
}

#endif

/* --------------------------------------------------------- reader (impl) ---
   From bytes to checked extents. The file is copied, not mapped: a program
   that shortens or rewrites it meanwhile can then do no harm. After this part
   every offset, count and string of the image may be relied on. */

typedef struct pfc__part {       /* an extent, checked */
    pfc__u32 kind, owner, first, elem_bytes;
    pfc__u64 begin, end;         /* of the extent, in the image */
    pfc__u64 at, count, capacity; /* of its elements */
    pfc__u64 adding;             /* COUNTERS: enum pfc__adding */
    pfc__i64 fetch;              /* UNIT: see pfc__extent_t */
    pfc__u64 written;            /* EVENTS: so many there were when all of them had been copied */
} pfc__part_t;

typedef struct pfc__image {
    char *file;                  /* a copy of the name */
    const unsigned char *bytes;
    size_t size;
    pfc__u64 place;              /* of the bytes in the file */
    int own;                     /* 1: this process's own profile, not a copy */
    int is_partial;              /* 1: blocks were forgotten */
    pfc__i64 read_utc_ns;        /* when it was copied */
    pfc__header_t header;
    pfc__part_t *part;
    size_t parts, strings;       /* string[]: the STRINGS extents' places in part[] */
    size_t *string;
    char *why;
    size_t why_bytes;
} pfc__image_t;

/* Says what is wrong, and how to mend it, for which the end of a long name leaves room. Always 0. */
static PFC__QUIET __attribute__((format(printf, 2, 3))) int pfc__refuse(pfc__image_t *image, const char *format, ...)
{
    const size_t length = strlen(image->file), most = image->why_bytes / 2, left_out = length > most ? length - most : 0;
    va_list arguments;
    int n = snprintf(image->why, image->why_bytes, "%s%s: ", left_out ? "…" : "", image->file + left_out);
    if (n < 0 || (size_t)n >= image->why_bytes) return 0;
    va_start(arguments, format);
    vsnprintf(image->why + n, image->why_bytes - (size_t)n, format, arguments);
    va_end(arguments);
    return 0;
}

static PFC__QUIET int pfc__damaged(pfc__image_t *image, pfc__u64 at, const char *what)
{
    return pfc__refuse(image, "damaged at byte %llu (%s); use an intact copy, or run the program again",
                       (unsigned long long)at, what);
}

static PFC__QUIET void *pfc__room(pfc__image_t *image, pfc__u64 n, size_t bytes)
{
    void *room = n < SIZE_MAX / bytes ? calloc((size_t)n + 1, bytes) : 0;
    if (!room) pfc__refuse(image, "not enough memory to read it; read it on a larger machine");
    return room;
}

/* ---- bytes */

static PFC__QUIET int pfc__copy_range(pfc__image_t *image, unsigned char *to, int fd, pfc__u64 from, pfc__u64 end)
{
    while (from < end) {
        ssize_t n = pfc__sys_pread(fd, to + from, (size_t)(end - from < 1u << 30 ? end - from : 1u << 30), (off_t)(image->place + from));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return pfc__refuse(image, "can't be read: %s", strerror(errno));
        if (n == 0) break; /* became shorter meanwhile: the checks will tell whether that matters */
        from += (pfc__u64)n;
    }
    return 1;
}

/* Holes of a sparse file cost neither time nor memory. */
static PFC__QUIET int pfc__copy_file(pfc__image_t *image, unsigned char *to, int fd)
{
#if defined SEEK_DATA && defined SEEK_HOLE
    off_t begin = (off_t)image->place, end = begin + (off_t)image->size, at = begin, hole;
    while ((at = pfc__sys_lseek(fd, at, SEEK_DATA)) >= 0 && at < end) {
        hole = pfc__sys_lseek(fd, at, SEEK_HOLE);
        if (hole <= at) break;
        if (hole > end) hole = end;
        if (!pfc__copy_range(image, to, fd, (pfc__u64)(at - begin), (pfc__u64)(hole - begin))) return 0;
        at = hole;
    }
    if (at >= 0 || errno == ENXIO) return 1;
#endif
    return pfc__copy_range(image, to, fd, 0, image->size);
}

/* `bytes` of the file, from `place` on. */
static PFC__QUIET int pfc__load(pfc__image_t *image, int fd, pfc__u64 place, pfc__u64 bytes)
{
    const pfc__u64 limit = sizeof(size_t) > 4 ? (pfc__u64)1 << 36 : (pfc__u64)1 << 30;
    void *copy;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#if defined MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    if (bytes > limit) return pfc__refuse(image, "larger than any profile; name a perfcomp.*.pfc");
    copy = pfc__sys_mmap(0, (size_t)bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (copy == MAP_FAILED) return pfc__refuse(image, "not enough memory to read it; read it on a larger machine");
    image->bytes = (const unsigned char *)copy;
    image->size = (size_t)bytes;
    image->place = place;
    image->read_utc_ns = pfc__utc_now();
    return pfc__copy_file(image, (unsigned char *)copy, fd);
}

/* So many of an extent's elements are in use now. */
static PFC__QUIET pfc__u64 pfc__count_now(int fd, pfc__u64 at, pfc__u64 otherwise)
{
    pfc__u64 now;
    return pfc__sys_pread(fd, &now, sizeof now, (off_t)(at + offsetof(pfc__extent_t, count))) == (ssize_t)sizeof now ? now : otherwise;
}

/* A ring that is written faster than all of the file is copied has turned round meanwhile. It alone is copied in less
   time, and how many of its events that took is kept in the copy: see pfc__build_events. */
static PFC__QUIET int pfc__copy_ring(pfc__image_t *image, unsigned char *to, int fd, pfc__u64 at, pfc__extent_t e)
{
    if (pfc__count_now(fd, at, e.count) - e.count > e.capacity / 8 && !pfc__copy_range(image, to, fd, at, at + e.bytes)) return 0;
    memcpy(&e, to + at, sizeof e);
    e.of.written = pfc__count_now(fd, at, e.count);
    memcpy(to + at, &e, sizeof e);
    return 1;
}

/* What was copied first may name what has been written since. */
static PFC__QUIET int pfc__copy_again(pfc__image_t *image, unsigned char *to, int fd, const pfc__header_t *h)
{
    pfc__u64 at = h->page, end = h->bytes < image->size ? h->bytes : image->size;
    while (at >= sizeof *h && at < end && end - at >= sizeof(pfc__extent_t)) {
        pfc__extent_t e;
        memcpy(&e, to + at, sizeof e);
        if (e.magic && (e.magic != PFC__EXTENT_MAGIC || e.bytes < sizeof e || e.bytes > end - at)) break; /* the checks will tell */
        if (e.magic && e.kind == PFC__STRINGS && !pfc__copy_range(image, to, fd, at, at + e.bytes)) return 0;
        if (e.magic && e.kind == PFC__EVENTS && !pfc__copy_ring(image, to, fd, at, e)) return 0;
        at += e.magic ? e.bytes : 64;
    }
    return 1;
}

/* All of a file as it is now. *whole 0: its program has gone on writing meanwhile what the rest may point to. */
static PFC__QUIET int pfc__load_now(pfc__image_t *image, int fd, pfc__u64 bytes, int *whole)
{
    pfc__header_t h;
    pfc__u64 now;
    struct stat s;
    *whole = 1;
    if (!pfc__load(image, fd, 0, bytes)) return 0;
    if (bytes < sizeof h) return 1;
    memcpy(&h, image->bytes, sizeof h);
    if (memcmp(h.magic, PFC__MAGIC, sizeof h.magic) || h.byte_order != PFC__BYTE_ORDER || h.state != PFC__RUNNING) return 1;
    if (!pfc__copy_again(image, (unsigned char *)(pfc__uptr)image->bytes, fd, &h)) return 0;
    *whole = !pfc__sys_fstat(fd, &s) && (pfc__u64)s.st_size == bytes &&
             pfc__sys_pread(fd, &now, sizeof now, offsetof(pfc__header_t, bytes)) == (ssize_t)sizeof now && now == h.bytes;
    return 1;
}

/* A large program grows for so long while it starts; then the checks tell whether that matters. One that never stops has
   its file copied up to so many bytes. */
enum { PFC__LOADS = 200, PFC__LOADED = 1 << 30 };

static PFC__QUIET int pfc__load_file(pfc__image_t *image, int fd)
{
    pfc__u64 copied = 0;
    int whole = 0, tries = PFC__LOADS;
    struct stat s;
    for (; !whole && tries && copied < PFC__LOADED; tries--, copied += image->size) {
        if (image->bytes) pfc__sys_munmap((void *)(pfc__uptr)image->bytes, image->size);
        image->bytes = 0;
        if (pfc__sys_fstat(fd, &s)) return pfc__refuse(image, "can't be read: %s", strerror(errno));
        if (S_ISDIR(s.st_mode)) return pfc__refuse(image, "is a folder; name the profiles in it");
        if (!S_ISREG(s.st_mode)) return pfc__refuse(image, "is no regular file; name a perfcomp.*.pfc");
        if (s.st_size <= 0) return pfc__refuse(image, "empty; run the program again, on a disk with room");
        if (!pfc__load_now(image, fd, (pfc__u64)s.st_size, &whole)) return 0;
    }
    return 1;
}

/* From the image. In this process's own profile other threads go on writing:
   what is read may be torn, it is checked all the same, and is no race to report. */
static PFC__QUIET __attribute__((no_sanitize("thread"))) void pfc__bytes(const pfc__image_t *image, pfc__u64 at, void *to, size_t n)
{
    const volatile unsigned char *from = image->bytes + at;
    unsigned char *byte = (unsigned char *)to;
    size_t i;
    if (!image->own) { memcpy(to, image->bytes + at, n); return; }
    for (i = 0; i < n; i += 8) {
        pfc__u64 word;
        if ((at + i) % 8 || n - i < 8) break;
        word = *(const volatile pfc__u64 *)(const volatile void *)(from + i);
        __builtin_memcpy(byte + i, &word, sizeof word);
    }
    for (; i < n; i++) byte[i] = from[i];
}

/* ---- header */

static PFC__QUIET int pfc__finite(double x, double low, double high) { return x >= low && x <= high; }

static PFC__QUIET int pfc__cost_sound(const pfc__cost_t *cost)
{
    double value[sizeof *cost / sizeof(double)];
    size_t i;
    memcpy(value, cost, sizeof value);
    for (i = 0; i < sizeof value / sizeof *value; i++)
        if (!pfc__finite(value[i], -1e12, 1e12)) return 0;
    return 1;
}

static PFC__QUIET int pfc__header_sound(pfc__image_t *image)
{
    pfc__header_t *h = &image->header;
    if (h->page < 512 || h->page > 1u << 24 || (h->page & (h->page - 1)))
        return pfc__damaged(image, offsetof(pfc__header_t, page), "page size");
    if (h->header_bytes < offsetof(pfc__header_t, fork_child) || h->header_bytes > h->page)
        return pfc__damaged(image, offsetof(pfc__header_t, header_bytes), "size of the header");
    if (h->state != PFC__RUNNING && h->state != PFC__ENDED)
        return pfc__refuse(image, "the program stopped before its profile began; run it again");
    if (h->bytes < h->page) return pfc__damaged(image, offsetof(pfc__header_t, bytes), "size of the profile");
    if (h->bytes > image->size)
        return pfc__refuse(image, "cut off: %llu of %llu bytes; copy it again, or run the program on a disk with room",
                           (unsigned long long)image->size, (unsigned long long)h->bytes);
    if (h->header_checksum != pfc__header_sum(h) || !pfc__finite(h->ticks_per_ns, 1e-9, 1e6) ||
        !pfc__finite(h->budget, 0, 1) || !pfc__finite(h->scale, 0, 100) || !pfc__finite(h->scale_doubt, 0, 100) ||
        !pfc__finite((double)h->atomic_hits, 0, PFC__ATOMIC_MOST) || !pfc__finite(h->atomic_doubt, 0, 100) ||
        !pfc__finite(h->fetch_doubt, 0, 100) || !pfc__cost_sound(&h->cost))
        return pfc__damaged(image, offsetof(pfc__header_t, header_checksum), "header");
    h->strayed = PFC__STEPS(h->strayed);
    h->unsaved = PFC__STEPS(h->unsaved);
    if (h->strayed > UINT32_MAX || h->unsaved > UINT32_MAX) return pfc__damaged(image, offsetof(pfc__header_t, strayed), "header");
    if (h->state != PFC__ENDED || image->own) return 1;
    if (h->header_bytes > offsetof(pfc__header_t, ended_checksum) && h->ended_checksum != pfc__ended_sum(h))
        return pfc__damaged(image, offsetof(pfc__header_t, ended_checksum), "header");
    if (!h->strayed && h->checksum != pfc__checksum(image->bytes + h->page, (size_t)(h->bytes - h->page)))
        return pfc__refuse(image, "damaged: its checksum is wrong; use an intact copy, or run the program again");
    return 1;
}

static PFC__QUIET int pfc__is_of_other_width(pfc__u32 byte_order)
{
    return byte_order == (sizeof(void *) == 8 ? PFC__BYTE_ORDER_32 : PFC__BYTE_ORDER_64);
}

static PFC__QUIET int pfc__header_read(pfc__image_t *image)
{
    pfc__header_t *h = &image->header;
    const size_t prefix = offsetof(pfc__header_t, page);
    static const char zero[8] = "";
    memset(h, 0, sizeof *h);
    pfc__bytes(image, 0, h, image->size < sizeof *h ? image->size : sizeof *h);
    if (!memcmp(h->magic, zero, sizeof zero))
        return pfc__refuse(image, "holds no profile yet; wait until the program has begun, or run it again");
    if (image->size >= sizeof h->magic && !memcmp(h->magic, PFC__COLLECTION_MAGIC, 8))
        return pfc__refuse(image, "a merged file; open its profiles one by one (pfc_profile_open_one)");
    if (image->size < sizeof h->magic ? memcmp(h->magic, PFC__MAGIC, image->size) != 0 : memcmp(h->magic, PFC__MAGIC, 8) != 0)
        return pfc__refuse(image, "not a profile of perfcomp; name a perfcomp.*.pfc");
    if (image->size < prefix) return pfc__refuse(image, "cut off after %zu byte%s; copy it again", image->size, image->size == 1 ? "" : "s");
    if (!h->byte_order) return pfc__refuse(image, "begun just now, and nothing in it yet; wait, or, if the process was killed, remove it");
    if (pfc__is_of_other_width(h->byte_order))
        return pfc__refuse(image, "written by a program of %d bits; read it with a perfcomp that is compiled for as many",
                           sizeof(void *) == 8 ? 32 : 64);
    if (h->byte_order == __builtin_bswap32(PFC__BYTE_ORDER))
        return pfc__refuse(image, "written on a machine with another byte order; read it on one of that kind");
    if (h->byte_order != PFC__BYTE_ORDER) return pfc__damaged(image, offsetof(pfc__header_t, byte_order), "byte order");
    if (h->major < PFC__LAYOUT_OLDEST || h->major > PFC__LAYOUT_MAJOR)
        return pfc__refuse(image, "written by %s version of perfcomp (layout %u, this one reads %d); read it with that version",
                           h->major > PFC__LAYOUT_MAJOR ? "a newer" : "another", h->major, PFC__LAYOUT_MAJOR);
    if (image->size < sizeof *h) return pfc__refuse(image, "cut off after %zu bytes; copy it again", image->size);
    if (h->header_bytes < sizeof *h) memset((char *)h + h->header_bytes, 0, sizeof *h - h->header_bytes); /* an older minor version */
    return pfc__header_sound(image);
}

/* ---- extents */

/* The least size of an element of each kind that we read; 0: not read. */
static PFC__QUIET pfc__u32 pfc__elem_least(pfc__u32 kind)
{
    switch (kind) {
    case PFC__META: case PFC__STRINGS: case PFC__NOTES: case PFC__MPI: return 1;
    case PFC__REGIONS: return sizeof(pfc__region_t);
    case PFC__THREADS: return PFC__THREAD_LEAST;
    case PFC__NODES: return sizeof(pfc__node_t);
    case PFC__STACK: return sizeof(pfc__frame_t);
    case PFC__SAMPLES: return offsetof(pfc__sample_t, inside);
    case PFC__COUNTERS: case PFC__INHERITED: return sizeof(pfc__u64);
    case PFC__EVENTS: return PFC__EVENT_LEAST;
    default: return 0;
    }
}

static PFC__QUIET int pfc__extent_sound(pfc__image_t *image, pfc__u64 at, const pfc__extent_t *e)
{
    pfc__u32 least = pfc__elem_least(e->kind);
    if (e->data < sizeof *e || e->data > e->bytes) return pfc__damaged(image, at, "place of an extent's elements");
    if (e->kind == PFC__FREE || (!least && e->kind != PFC__UNIT)) return 1;
    if (e->elem_bytes < (least ? least : 1) || e->capacity > (e->bytes - e->data) / e->elem_bytes)
        return pfc__damaged(image, at, "size of an extent's elements");
    if (e->count > e->capacity && e->kind != PFC__EVENTS) return pfc__damaged(image, at, "number of an extent's elements");
    if (e->kind == PFC__STRINGS && (!e->capacity || image->bytes[at + e->data + e->capacity - 1]))
        return pfc__damaged(image, at, "text without end");
    if (e->kind == PFC__UNIT && e->bytes - e->data < PFC__UNIT_RECORD_LEAST) return pfc__damaged(image, at, "unit");
    return 1;
}

static PFC__QUIET int pfc__part_add(pfc__image_t *image, pfc__u64 at, const pfc__extent_t *e)
{
    pfc__part_t *part;
    if ((image->parts & (image->parts - 1)) == 0) { /* room for the next power of two */
        size_t room = image->parts ? image->parts * 2 : 1;
        part = (pfc__part_t *)realloc(image->part, room * sizeof *part);
        if (!part) return pfc__refuse(image, "not enough memory to read it; read it on a larger machine");
        image->part = part;
    }
    part = &image->part[image->parts++];
    part->kind = e->kind;
    part->owner = e->owner;
    part->first = e->first;
    part->elem_bytes = e->elem_bytes;
    part->begin = at;
    part->end = at + e->bytes;
    part->at = at + e->data;
    part->count = e->count;
    part->capacity = e->capacity;
    part->adding = e->kind == PFC__COUNTERS ? e->adding : 0;
    part->fetch = e->kind == PFC__UNIT ? e->of.fetch : 0;
    part->written = e->kind == PFC__EVENTS && e->of.written > e->count ? e->of.written : e->count;
    if (e->kind == PFC__STRINGS) image->strings++;
    return 1;
}

/* COUNTERS may begin at their page's place: between two extents lie gaps of zeros, in steps of 64. */
static PFC__QUIET int pfc__extents_read(pfc__image_t *image)
{
    pfc__u64 at = image->header.page, end = image->header.bytes;
    pfc__extent_t e;
    size_t i, n = 0;
    while (end - at >= sizeof e) {
        pfc__bytes(image, at, &e, sizeof e);
        if (e.magic == 0) { at += 64; continue; }
        if (e.magic != PFC__EXTENT_MAGIC) return pfc__damaged(image, at, "no extent where one should begin");
        if (e.bytes < sizeof e || e.bytes > end - at || e.bytes % 64) return pfc__damaged(image, at, "size of an extent");
        if (!pfc__extent_sound(image, at, &e) || !pfc__part_add(image, at, &e)) return 0;
        at += e.bytes;
    }
    image->string = (size_t *)pfc__room(image, image->strings, sizeof *image->string);
    if (!image->string) return 0;
    for (i = 0; i < image->parts; i++)
        if (image->part[i].kind == PFC__STRINGS) image->string[n++] = i;
    return 1;
}

/* ---- what the extents hold */

/* Element i of a part, copied: it may change, and it may be misaligned. What an older version's hasn't got is 0. */
static PFC__QUIET void pfc__element(const pfc__image_t *image, const pfc__part_t *part, pfc__u64 i, void *to, size_t bytes)
{
    if (part->elem_bytes < bytes) {
        memset((char *)to + part->elem_bytes, 0, bytes - part->elem_bytes);
        bytes = part->elem_bytes;
    }
    pfc__bytes(image, part->at + i * part->elem_bytes, to, bytes);
}

/* "" for offset 0; NULL: refused. Every STRINGS extent ends with a zero. */
static PFC__QUIET const char *pfc__text(pfc__image_t *image, pfc__u64 offset)
{
    size_t low = 0, high = image->strings;
    if (!offset) return "";
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (image->part[image->string[middle]].at <= offset) low = middle;
        else high = middle;
    }
    if (high) {
        const pfc__part_t *part = &image->part[image->string[low]];
        if (offset >= part->at && offset - part->at < part->capacity) return (const char *)image->bytes + offset;
    }
    pfc__damaged(image, offset, "a name should stand here");
    return 0;
}

/* The next zero-terminated text of a META or NOTES extent behind `at`; NULL: no more. */
static PFC__QUIET const char *pfc__text_next(const pfc__image_t *image, const pfc__part_t *part, pfc__u64 *at)
{
    const char *text = (const char *)image->bytes + part->at + *at;
    const void *end = *at < part->count ? memchr(text, 0, (size_t)(part->count - *at)) : 0;
    if (!end) return 0;
    *at += (pfc__u64)((const char *)end - text) + 1;
    return text;
}

static PFC__QUIET const char *pfc__meta(const pfc__image_t *image, const char *key)
{
    size_t i, n = strlen(key);
    for (i = 0; i < image->parts; i++) {
        const pfc__part_t *part = &image->part[i];
        const char *text;
        pfc__u64 at = 0;
        if (part->kind != PFC__META) continue;
        while ((text = pfc__text_next(image, part, &at)) != 0)
            if (!strncmp(text, key, n) && text[n] == '=') return text + n + 1;
        break; /* once */
    }
    return "";
}

static PFC__QUIET void pfc__image_free(pfc__image_t *image)
{
    if (!image) return;
    if (!image->own && image->bytes) pfc__sys_munmap((void *)(pfc__uptr)image->bytes, image->size);
    free(image->part);
    free(image->string);
    free(image->file);
    free(image);
}

static PFC__QUIET pfc__image_t *pfc__image_new(const char *file, char *why, size_t why_bytes)
{
    pfc__image_t *image = (pfc__image_t *)calloc(1, sizeof *image);
    if (why_bytes) *why = 0;
    if (image) image->file = strdup(file);
    if (!image || !image->file) {
        free(image);
        snprintf(why, why_bytes, "%s: not enough memory to read it; read it on a larger machine", file);
        return 0;
    }
    image->why = why;
    image->why_bytes = why_bytes;
    return image;
}

static PFC__QUIET int pfc__image_read(pfc__image_t *image)
{
    return pfc__header_read(image) && pfc__extents_read(image);
}

/* ---- the process behind the profile */

/* Whether that process runs another program now, by exec. One that was replaced on the disk is called "(deleted)". */
static PFC__QUIET int pfc__runs_another(const pfc__image_t *image)
{
    const char *executable = pfc__meta(image, "executable");
    size_t length = strlen(executable);
    char path[64], now[PATH_MAX];
    ssize_t n;
    snprintf(path, sizeof path, "/proc/%lld/exe", (long long)image->header.pid);
    n = pfc__sys_readlink(path, now, sizeof now - 1);
    if (n <= 0 || !length) return 0;
    now[n] = 0;
    return strncmp(now, executable, length) || (now[length] && strcmp(now + length, " (deleted)"));
}

/* Of a process that isn't there: whether it is somewhere where we don't see it, as in a container. */
static PFC__QUIET pfc_run_t pfc__run_of_unseen(const pfc__image_t *image)
{
    int fd = pfc__sys_open(image->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int held = pfc__file_is_held(fd);
    if (fd >= 0) pfc__sys_close(fd);
    return held ? PFC_ELSEWHERE : PFC_DIED;
}

/* Whether it runs: on this host, with this number, and it is the same process. */
static PFC__QUIET pfc_run_t pfc__run_of(const pfc__image_t *image)
{
    const pfc__header_t *h = &image->header;
    char host[256] = "";
    pfc__u64 start;
    if (h->state == PFC__ENDED) return PFC_ENDED;
    if (image->own) return PFC_RUNNING;
    if (gethostname(host, sizeof host - 1) || strcmp(host, pfc__meta(image, "host"))) return PFC_ELSEWHERE;
    if (h->pid <= 0 || h->pid > INT_MAX || !pfc__process_exists((pid_t)h->pid)) return pfc__run_of_unseen(image);
    start = pfc__process_start((pid_t)h->pid);
    if (start && h->process_start && start != h->process_start) return pfc__run_of_unseen(image);
    return pfc__is_zombie((pid_t)h->pid) || pfc__runs_another(image) ? PFC_DIED : PFC_RUNNING;
}

/* --------------------------------------------------------- flow (impl) ---
   Counts that follow: of blocks without a counter, from those that have one.

   Blocks are the edges of a graph in which what flows into a vertex flows out
   of it; the blocks without a counter form a forest. A leaf of the forest has
   one unknown edge, which balances the vertex; take it away, and go on. Each
   vertex keeps how many unknown edges it has and the XOR of their numbers: of
   the last one that is the number itself. Linear in time and memory.

   The outside of a function is never balanced: that is the root which the
   peeling moves to. Where a function's calls are all known, its entry has no
   counter either: it is known once all its calling blocks are. */

typedef struct pfc__facts {      /* of a function */
    pfc__u64 inherited;          /* activations that were in flight when the process was forked */
    pfc__u32 flags;              /* of pfc__function_t */
} pfc__facts_t;

/* Whether a function shows that calls of it didn't return, and the unit tells which these may be. */
static PFC__QUIET int pfc__shows_stops(pfc__u32 flags)
{
    return (flags & PFC__MAY_NOT_RETURN) && (flags & PFC__STOPS_KNOWN);
}

enum { PFC__MAY_END = 1, PFC__MAY_BEGIN = 2 }; /* the latter: in its parent, from which a process was forked just then */

typedef struct pfc__unit_tables { /* what a unit says of its blocks */
    pfc__block_t *block;
    pfc__caller_t *caller;
    const pfc__facts_t *function;
    pfc__u32 blocks, callers, functions;
    const unsigned char *stops;  /* [vertex] of these: what may have happened to activations there; NULL: nobody knows */
    int strays;                  /* 1: and such that went on anywhere when the process was forked may never have gone on */
} pfc__unit_tables_t;

/* There are fewer. */
static PFC__QUIET size_t pfc__vertices(const pfc__unit_tables_t *table) { return 4 * (size_t)table->blocks + 1024; }

typedef struct pfc__vertex {
    pfc__u64 balance;            /* known in − known out, modulo 2^64 */
    pfc__u32 unknown, edges;     /* number and XOR of the edges without a count */
    pfc__u32 function, outside;
    pfc__u32 shows;              /* 1: nothing is completed from it: it shows what it has swallowed */
    pfc__u32 stops, begins, entered; /* of the part of the forest that hangs below, itself included: in so many activations may
                                    have ended, or begun; into so many they come by an entry of which calls tell */
} pfc__vertex_t;

/* How a block's count came to be known. */
enum { PFC__NOT_KNOWN, PFC__HAS_COUNTER, PFC__BY_CALLS, PFC__FLOWS_OUT, PFC__FLOWS_IN }; /* _IN: into the part of the forest below it */

typedef struct pfc__flow_edge {
    pfc__u32 waits;              /* of an entry: for so many of its calls */
    pfc__u32 call;               /* 1 + the first of the calls that this block makes; 0: none */
    pfc__u32 in_function;        /* 1 + the next block of the same function; 0: none */
    pfc__u32 known;
    pfc__u32 stops, begins, entered; /* of the part of the forest below it */
} pfc__flow_edge_t;

typedef struct pfc__flow {
    const pfc__unit_tables_t *table;
    const pfc__block_t *block;
    pfc_block_info_t *info;      /* .low: the count; .counted */
    pfc__u64 vertices;
    pfc__vertex_t *vertex;
    pfc__flow_edge_t *edge;
    pfc__u32 *next_call;         /* [call] 1 + the next one of the same block; 0: none */
    struct pfc__activity *activity;
    struct pfc__through *through; /* [vertex] see narrowing.c */
    pfc__u32 *leaf, *entered, *ready; /* still to be gone on from: vertices; entries, and functions, whose calls are all known */
    pfc__u64 leaves, entries, readies;
} pfc__flow_t;

/* Nobody knows how often it ran, unless it has a counter. */
static PFC__QUIET void pfc__count_unknown(pfc_block_info_t *info)
{
    if (!info->counted) info->low = 0;
    info->high = info->counted ? info->low : UINT64_MAX;
}

static PFC__QUIET int pfc__in_graph(const pfc__block_t *b) { return b->from | b->to ? 1 : 0; }

static PFC__QUIET int pfc__is_leaf(const pfc__vertex_t *v) { return v->unknown == 1 && !v->outside; }

/* The block's count is in its .low. */
static PFC__QUIET void pfc__edge_known(pfc__flow_t *flow, pfc__u32 edge, pfc__u32 how)
{
    const pfc__block_t *b = &flow->block[edge];
    pfc__u32 call;
    flow->edge[edge].known = how;
    flow->vertex[b->to].balance += flow->info[edge].low;
    flow->vertex[b->from].balance -= flow->info[edge].low;
    for (call = flow->edge[edge].call; call; call = flow->next_call[call - 1]) {
        pfc__u32 entry = flow->table->caller[call - 1].entry;
        if (flow->edge[entry].known) continue;
        flow->info[entry].low += flow->info[edge].low;
        if (--flow->edge[entry].waits == 0) flow->entered[flow->entries++] = entry;
    }
}

static PFC__QUIET void pfc__edge_unknown(pfc__flow_t *flow, pfc__u32 edge, pfc__u32 vertex)
{
    flow->vertex[vertex].unknown++;
    flow->vertex[vertex].edges ^= edge;
}

static PFC__QUIET void pfc__edge_removed(pfc__flow_t *flow, pfc__u32 edge, pfc__u32 vertex)
{
    flow->vertex[vertex].unknown--;
    flow->vertex[vertex].edges ^= edge;
    if (pfc__is_leaf(&flow->vertex[vertex])) flow->leaf[flow->leaves++] = vertex;
}

static PFC__QUIET void pfc__flow_block(pfc__flow_t *flow, pfc__u32 i)
{
    const pfc__block_t *b = &flow->block[i];
    if (pfc__in_graph(b)) flow->vertex[b->from].function = flow->vertex[b->to].function = b->function;
    if (pfc__in_graph(b) && b->kind == PFC__BLOCK_ENTRY) flow->vertex[b->from].outside = 1;
    if (pfc__in_graph(b) && b->kind == PFC__BLOCK_EXIT) flow->vertex[b->to].outside = 1;
    if (flow->info[i].counted) pfc__edge_known(flow, i, PFC__HAS_COUNTER);
    else pfc__edge_unknown(flow, i, b->from), pfc__edge_unknown(flow, i, b->to);
}

/* A leaf's only unknown edge balances it. */
static PFC__QUIET void pfc__flow_leaf(pfc__flow_t *flow, pfc__u32 at)
{
    pfc__u32 edge = flow->vertex[at].edges;
    const pfc__block_t *b = &flow->block[edge];
    int in = b->to == at;
    if (!pfc__is_leaf(&flow->vertex[at])) return;
    flow->info[edge].low = in ? 0 - flow->vertex[at].balance : flow->vertex[at].balance;
    pfc__edge_known(flow, edge, in ? PFC__FLOWS_IN : PFC__FLOWS_OUT);
    flow->edge[edge].stops = flow->vertex[at].stops;
    flow->edge[edge].begins = flow->vertex[at].begins;
    flow->edge[edge].entered = flow->vertex[at].entered;
    flow->vertex[in ? b->from : b->to].stops += flow->vertex[at].stops;
    flow->vertex[in ? b->from : b->to].begins += flow->vertex[at].begins;
    flow->vertex[in ? b->from : b->to].entered += flow->vertex[at].entered;
    flow->vertex[at].unknown = 0;
    pfc__edge_removed(flow, edge, in ? b->from : b->to);
}

static PFC__QUIET void pfc__flow_entered(pfc__flow_t *flow, pfc__u32 entry)
{
    if (flow->edge[entry].known) return;
    pfc__edge_known(flow, entry, PFC__BY_CALLS);
    flow->vertex[flow->block[entry].to].entered++;
    pfc__edge_removed(flow, entry, flow->block[entry].from);
    pfc__edge_removed(flow, entry, flow->block[entry].to);
}

/* NULL, or why the calls can't be those of these blocks. Those that tell of an entry with a counter aren't wanted. */
static PFC__QUIET const char *pfc__flow_callers(pfc__flow_t *flow)
{
    const pfc__caller_t *caller = flow->table->caller;
    pfc__u32 i, blocks = flow->table->blocks;
    for (i = 0; i < flow->table->callers; i++) {
        if (caller[i].entry >= blocks || caller[i].block >= blocks || flow->block[caller[i].entry].kind != PFC__BLOCK_ENTRY)
            return "its table of callers names blocks that it hasn't";
        if (flow->info[caller[i].entry].counted) continue;
        flow->edge[caller[i].entry].waits++;
        flow->next_call[i] = flow->edge[caller[i].block].call;
        flow->edge[caller[i].block].call = i + 1;
    }
    return 0;
}

static PFC__QUIET void pfc__flow_peel(pfc__flow_t *flow)
{
    pfc__u64 v;
    for (v = 0; v < flow->vertices; v++)
        if (pfc__is_leaf(&flow->vertex[v])) flow->leaf[flow->leaves++] = (pfc__u32)v;
    while (flow->leaves || flow->entries) {
        if (flow->leaves) pfc__flow_leaf(flow, flow->leaf[--flow->leaves]);
        else pfc__flow_entered(flow, flow->entered[--flow->entries]);
    }
}

/* ---------------------------------------------------- narrowing (impl) ---
   Narrower intervals of counts that follow.

   Each edge's interval says how far that one may be off by itself. What flows
   into a vertex flows out of it, but for what was swallowed there, so that its
   edges bound one another: what comes behind a call that has returned once has
   run once before it, too. It is interval propagation (Davis, Constraint
   propagation with interval labels, Artificial Intelligence 32, 1987): each step
   is right, and it ends when none says more. */

#define PFC__LARGE ((pfc__i64)1 << 40) /* of counts below it, so many can be added: */
#define PFC__MANY (1u << 22)
#define PFC__NARROWINGS 32             /* steps, at most */

typedef struct pfc__range { pfc__i64 least, most; } pfc__range_t;
/* Activations that ended in vertices that don't show it, of which it is known that they may, and such that began there; of both
   so many may be others, that have begun and ended in one place. */
typedef struct pfc__hidden { pfc__i64 ended, begun, idle; } pfc__hidden_t;

typedef struct pfc__through { pfc__range_t in, out; } pfc__through_t; /* by a vertex */

static PFC__QUIET pfc__range_t pfc__range_of(const pfc_block_info_t *info)
{
    pfc__range_t r;
    r.least = (pfc__i64)info->low;
    r.most = (pfc__i64)info->high;
    return r;
}

/* What of `hidden` activations a vertex has swallowed; of one that shows its own, just that. */
static PFC__QUIET pfc__range_t pfc__swallowed(const pfc__flow_t *flow, pfc__u64 v, const pfc__hidden_t *hidden)
{
    const pfc__vertex_t *vertex = &flow->vertex[v];
    pfc__range_t r = { 0, 0 };
    if (vertex->shows) r.least = r.most = (pfc__i64)vertex->balance;
    else {
        if (flow->table->stops[v] & PFC__MAY_END) r.most = hidden->ended;
        if (flow->table->stops[v] & PFC__MAY_BEGIN) r.least = -hidden->begun;
    }
    return r;
}

static PFC__QUIET void pfc__range_add(pfc__range_t *sum, pfc__i64 sign, pfc__range_t part)
{
    sum->least += sign * part.least;
    sum->most += sign * part.most;
}

/* `sign` 1: up to now; −1: not any more. */
static PFC__QUIET void pfc__edge_passes(pfc__flow_t *flow, pfc__u32 edge, pfc__i64 sign)
{
    pfc__range_t r = pfc__range_of(&flow->info[edge]);
    pfc__range_add(&flow->through[flow->block[edge].to].in, sign, r);
    pfc__range_add(&flow->through[flow->block[edge].from].out, sign, r);
}

static PFC__QUIET void pfc__range_within(pfc__range_t *r, pfc__i64 least, pfc__i64 most)
{
    if (least > r->least) r->least = least;
    if (most < r->most) r->most = most;
}

/* An edge by what the others at its ends leave for it. Whether that says more. */
static PFC__QUIET int pfc__edge_narrow(pfc__flow_t *flow, pfc__u32 edge, const pfc__hidden_t *hidden)
{
    const pfc__block_t *b = &flow->block[edge];
    pfc_block_info_t *info = &flow->info[edge];
    const pfc__range_t before = pfc__range_of(info);
    pfc__range_t r = before;
    if (before.least == before.most) return 0;
    pfc__edge_passes(flow, edge, -1);
    if (!flow->vertex[b->to].outside) {
        const pfc__through_t *at = &flow->through[b->to];
        pfc__range_t s = pfc__swallowed(flow, b->to, hidden);
        pfc__range_within(&r, at->out.least + s.least - at->in.most, at->out.most + s.most - at->in.least);
    }
    if (!flow->vertex[b->from].outside) {
        const pfc__through_t *at = &flow->through[b->from];
        pfc__range_t s = pfc__swallowed(flow, b->from, hidden);
        pfc__range_within(&r, at->in.least - s.most - at->out.most, at->in.most - s.least - at->out.least);
    }
    if (r.least <= r.most) { /* otherwise they contradict each other: what was known by itself stays */
        info->low = (pfc__u64)r.least;
        info->high = (pfc__u64)r.most;
    }
    pfc__edge_passes(flow, edge, 1);
    return info->low != (pfc__u64)before.least || info->high != (pfc__u64)before.most;
}

/* The intervals of a function whose blocks begin with `first`. */
static PFC__QUIET void pfc__narrow(pfc__flow_t *flow, pfc__u32 first, const pfc__hidden_t *hidden)
{
    int steps = PFC__NARROWINGS, more = 1;
    pfc__u32 i;
    if (hidden->ended > PFC__LARGE || hidden->begun > PFC__LARGE || flow->table->blocks > PFC__MANY) return;
    for (i = first; i; i = flow->edge[i - 1].in_function)
        if (flow->info[i - 1].high > (pfc__u64)PFC__LARGE) return;
    for (i = first; i; i = flow->edge[i - 1].in_function)
        if (pfc__in_graph(&flow->block[i - 1])) pfc__edge_passes(flow, i - 1, 1);
    while (more && steps--)
        for (more = 0, i = first; i; i = flow->edge[i - 1].in_function)
            if (pfc__in_graph(&flow->block[i - 1])) more |= pfc__edge_narrow(flow, i - 1, hidden);
}

/* ---------------------------------------------------- intervals (impl) ---
   How far off counts that follow are.

   An activation that was left early, or hasn't ended, stays in one vertex; when
   `lost` of them did, then of any part of the forest that hangs below an edge
   between 0 and `lost` did, and the edge is known up to that interval. A
   function that always returns doesn't count both entries and exits: where
   threads were stopped in the middle, each may have been in it, and once at
   most, because it is not recursive. A forked process has inherited activations
   that were entered in its parent: they come from the middle.

   Where it is known which calls didn't return, these vertices have swallowed all
   of them: an edge with none of them below is exact, and so is one with all. The
   same is true of the calls in which a process may have been forked.

   Entries that follow from calls are known as far as the calling blocks are.
   Then whatever follows from them, above whose part of the forest they flow in,
   is off by as much: callers come first. */

typedef struct pfc__activity {   /* of a function */
    pfc__i64 least, most;        /* how many activations each of its vertices has swallowed */
    pfc__i64 found_least, found_most; /* by those that nothing was completed from: a check of the rest */
    pfc__u64 entries, exits;
    pfc__u32 first;              /* 1 + its first block; 0: none */
    pfc__u32 completed, blind;   /* blocks without a counter; 1: and entries or exits are among them */
    pfc__u32 enters, leaves;     /* 1: how often it was entered is known; it has an EXIT */
    pfc__u32 opened;             /* 1: flow leaves it with calls that may not return, too, and comes back from them */
    pfc__u32 contradicts;
    pfc__u32 entry;              /* 1 + its ENTRY, where calls tell of it; 0: they don't */
    pfc__u32 waits;              /* for so many of these calls */
    pfc__u64 entered_least, entered_most; /* by the calls so far */
    pfc__i64 below, above;       /* so far from the entries that the rest was completed from; below zero: at least, to the other side */
    pfc__i64 ended, begun;       /* how many activations were swallowed by vertices that show it, and came from such */
    pfc__u32 strange, mixed;     /* 1: where they can't have; where both may be */
    pfc__u32 placed;             /* 1: it is known which vertices the others may have ended and begun in, */
    pfc__hidden_t hidden;        /* and how many these are; */
    pfc__u32 stops, begins;      /* so many vertices */
} pfc__activity_t;

static PFC__QUIET void pfc__activity_block(pfc__flow_t *flow, pfc__u32 i)
{
    const pfc__block_t *b = &flow->block[i];
    pfc__activity_t *a = &flow->activity[b->function];
    int counted = flow->edge[i].known == PFC__HAS_COUNTER;
    int outside = pfc__in_graph(b) && flow->vertex[b->from].outside + flow->vertex[b->to].outside;
    flow->edge[i].in_function = a->first;
    a->first = i + 1;
    if (b->kind == PFC__BLOCK_ENTRY) a->entries += counted ? flow->info[i].low : 0, a->enters = (pfc__u32)counted;
    if (b->kind == PFC__BLOCK_EXIT) a->exits += counted ? flow->info[i].low : 0, a->leaves = 1;
    if (b->kind == PFC__BLOCK_PLAIN && outside) a->opened = 1;
    if (!counted) a->completed++;
    if (!counted && (b->kind == PFC__BLOCK_ENTRY || b->kind == PFC__BLOCK_EXIT)) a->blind = 1;
    if (flow->edge[i].known == PFC__BY_CALLS) a->entry = i + 1;
}

/* What a vertex shows that it has swallowed. */
static PFC__QUIET void pfc__activity_found(pfc__activity_t *a, pfc__i64 swallowed, unsigned may)
{
    pfc__i64 *sum = swallowed < 0 ? &a->begun : &a->ended;
    if (swallowed == INT64_MIN || __builtin_add_overflow(*sum, swallowed < 0 ? -swallowed : swallowed, sum)) a->strange = 1;
    if (swallowed < 0 && !(may & PFC__MAY_BEGIN)) a->strange = 1;
    if (may == (PFC__MAY_END | PFC__MAY_BEGIN)) a->mixed = 1;
}

static PFC__QUIET void pfc__activity_gather(pfc__flow_t *flow)
{
    pfc__u64 v;
    pfc__u32 i;
    for (i = 0; i < flow->table->blocks; i++) pfc__activity_block(flow, i);
    for (i = 0; i < flow->table->callers; i++) {
        pfc__u32 entry = flow->table->caller[i].entry;
        if (flow->edge[entry].known == PFC__BY_CALLS) flow->activity[flow->block[entry].function].waits++;
    }
    for (v = 1; v < flow->vertices; v++) {
        pfc__activity_t *a = &flow->activity[flow->vertex[v].function];
        pfc__i64 swallowed = (pfc__i64)flow->vertex[v].balance;
        if (flow->vertex[v].outside) continue;
        if (flow->vertex[v].shows) pfc__activity_found(a, swallowed, flow->table->stops[v]);
        if (swallowed < a->found_least) a->found_least = swallowed;
        if (swallowed > a->found_most) a->found_most = swallowed;
    }
}

/* Entries that aren't known to have been left. Where flow leaves with what may not return, it comes back without one. */
static PFC__QUIET pfc__i64 pfc__activity_lost(const pfc__activity_t *a, pfc__u32 flags, pfc__u32 in_flight)
{
    if (a->opened) return in_flight;
    if (!a->blind && (a->leaves || (flags & PFC__MAY_NOT_RETURN))) return (pfc__i64)(a->entries - a->exits);
    return a->enters && a->entries < in_flight ? (pfc__i64)a->entries : in_flight; /* it always returns */
}

/* How far its entries may be off, as its calls tell of them; 0: nobody knows. A thread may have been stopped between where
   the calling block is counted and the entry. */
static PFC__QUIET int pfc__activity_entered(pfc__flow_t *flow, pfc__activity_t *a, pfc__u32 in_flight)
{
    pfc_block_info_t *entry = &flow->info[a->entry - 1];
    pfc__u64 least = a->entered_least - (a->entered_least < in_flight ? a->entered_least : in_flight), most = a->entered_most;
    pfc__i64 count = (pfc__i64)entry->low;
    if (most > INT64_MAX || __builtin_sub_overflow(count, (pfc__i64)least, &a->below) ||
        __builtin_sub_overflow((pfc__i64)most, count, &a->above)) return 0;
    entry->low = least;
    entry->high = most;
    a->entries = most;
    a->enters = 1;
    return 1;
}

/* So many have begun and ended in one place, at least: nothing tells of these. */
static PFC__QUIET int pfc__hidden_less(pfc__hidden_t *h, pfc__i64 n)
{
    if (n > h->idle) return 0;
    h->ended -= n;
    h->begun -= n;
    h->idle -= n;
    return 1;
}

/* Whether it is known in which vertices all are that the others don't show: those that ended, `stuck`, and those that came from
   the middle. */
static PFC__QUIET int pfc__activity_places(const pfc__flow_t *flow, pfc__activity_t *a, const pfc__facts_t *facts, pfc__i64 stuck)
{
    pfc__hidden_t *h = &a->hidden;
    if (!flow->table->stops || !pfc__shows_stops(facts->flags) || a->strange || a->blind || a->entry) return 0;
    if (stuck < a->ended || (pfc__i64)facts->inherited < a->begun) return 0;
    h->ended = stuck - a->ended;
    h->begun = (pfc__i64)facts->inherited - a->begun;
    h->idle = a->mixed || flow->table->strays ? pfc__min(h->ended, h->begun) : 0;
    return pfc__hidden_less(h, a->stops ? 0 : h->ended) && pfc__hidden_less(h, a->begins ? 0 : h->begun);
}

/* Whether what the vertices show, as far as they do, is within what may be; otherwise as much more may be, too. */
static PFC__QUIET void pfc__activity_check(pfc__activity_t *a, pfc__u32 in_flight)
{
    pfc__i64 least, most; /* nobody knows which of them the entries flow into */
    if (__builtin_sub_overflow(a->least, a->above > 0 ? a->above : 0, &least) ||
        __builtin_add_overflow(a->most, a->below > 0 ? a->below : 0, &most)) {
        a->contradicts = 1;
        return;
    }
    if (a->found_least >= least && a->found_most <= most) return;
    if (!in_flight || a->found_least == INT64_MIN) a->contradicts = 1;
    if (a->found_least < a->least) a->least = a->found_least;
    if (a->found_most > a->most) a->most = a->found_most;
}

/* least and most, of which the vertices show their own part. */
static PFC__QUIET void pfc__activity_bounds(pfc__flow_t *flow, pfc__u32 function, pfc__u32 in_flight)
{
    const pfc__facts_t *facts = &flow->table->function[function];
    pfc__activity_t *a = &flow->activity[function];
    int known = !a->entry || pfc__activity_entered(flow, a, in_flight);
    pfc__i64 lost = pfc__activity_lost(a, facts->flags, in_flight), from_middle, stuck;
    if (!known || lost == INT64_MIN || facts->inherited > INT64_MAX ||
        __builtin_add_overflow(lost, (pfc__i64)facts->inherited, &stuck)) {
        a->contradicts = 1;
        return;
    }
    a->placed = (pfc__u32)pfc__activity_places(flow, a, facts, stuck);
    from_middle = -(pfc__i64)facts->inherited;
    a->least = lost < from_middle ? lost : from_middle;
    a->most = stuck > 0 ? stuck : 0;
    pfc__activity_check(a, in_flight);
}

/* [count + least, count + most] below zero is cut off: a count is never negative. */
static PFC__QUIET int pfc__interval(pfc_block_info_t *info, pfc__i64 least, pfc__i64 most)
{
    pfc__i64 count = (pfc__i64)info->low, low, high;
    if (__builtin_add_overflow(count, least, &low) || __builtin_add_overflow(count, most, &high) || high < 0) return 0;
    info->low = low < 0 ? 0 : (pfc__u64)low;
    info->high = (pfc__u64)high;
    return 1;
}

static PFC__QUIET void pfc__activity_unknown(pfc__flow_t *flow, const pfc__activity_t *a)
{
    pfc__u32 i;
    for (i = a->first; i; i = flow->edge[i - 1].in_function) pfc__count_unknown(&flow->info[i - 1]);
}

/* Of `n` in all, in `some` of so many vertices. */
static PFC__QUIET pfc__range_t pfc__hidden_in(pfc__i64 n, pfc__i64 idle, pfc__u32 some, pfc__u32 all)
{
    pfc__range_t r = { 0, 0 };
    if (some) r.most = n;
    if (some == all) r.least = n - idle;
    return r;
}

/* How many activations have ended in the part below an edge, less those that have begun there; 0: nobody knows. */
static PFC__QUIET int pfc__activity_below(const pfc__activity_t *a, const pfc__flow_edge_t *edge, pfc__i64 *least, pfc__i64 *most)
{
    const pfc__hidden_t *h = &a->hidden;
    pfc__i64 idle = edge->stops == a->stops && edge->begins == a->begins ? 0 : h->idle; /* all are below, these as well */
    pfc__range_t ended = pfc__hidden_in(h->ended, idle, edge->stops, a->stops), begun = pfc__hidden_in(h->begun, idle, edge->begins, a->begins);
    *least = a->placed ? ended.least - begun.most : a->least;
    *most = a->placed ? ended.most - begun.least : a->most;
    if (!edge->entered) return 1;
    return !__builtin_sub_overflow(*least, a->above, least) && !__builtin_add_overflow(*most, a->below, most) &&
           *least > INT64_MIN && *most > INT64_MIN;
}

static PFC__QUIET void pfc__activity_intervals(pfc__flow_t *flow, pfc__activity_t *a, pfc__u32 in_flight)
{
    pfc__u32 i;
    for (i = a->first; i; i = flow->edge[i - 1].in_function) {
        pfc_block_info_t *info = &flow->info[i - 1];
        pfc__u32 how = flow->edge[i - 1].known;
        pfc__i64 least, most;
        int known = pfc__activity_below(a, &flow->edge[i - 1], &least, &most);
        if (how == PFC__HAS_COUNTER) info->high = info->low;
        if (how == PFC__HAS_COUNTER || how == PFC__BY_CALLS) continue;
        if (known && (how == PFC__FLOWS_IN ? pfc__interval(info, least, most) : pfc__interval(info, -most, -least))) continue;
        pfc__count_unknown(info);
        if (!in_flight) a->contradicts = 1;
    }
}

/* What the block's calls tell of the functions that they call. */
static PFC__QUIET void pfc__activity_calls(pfc__flow_t *flow, pfc__u32 block)
{
    const pfc_block_info_t *info = &flow->info[block];
    pfc__u32 call;
    for (call = flow->edge[block].call; call; call = flow->next_call[call - 1]) {
        const pfc__caller_t *c = &flow->table->caller[call - 1];
        pfc__activity_t *a = &flow->activity[flow->block[c->entry].function];
        if (flow->edge[c->entry].known != PFC__BY_CALLS) continue;
        if (__builtin_add_overflow(a->entered_most, info->high, &a->entered_most)) a->entered_most = UINT64_MAX;
        if (__builtin_add_overflow(a->entered_least, info->low, &a->entered_least)) a->entered_least = UINT64_MAX;
        if (--a->waits == 0) flow->ready[flow->readies++] = flow->block[c->entry].function;
    }
}

static PFC__QUIET void pfc__activity_function(pfc__flow_t *flow, pfc__u32 function, pfc__u32 in_flight)
{
    pfc__activity_t *a = &flow->activity[function];
    pfc__u32 i;
    pfc__activity_bounds(flow, function, in_flight);
    if (!a->contradicts) pfc__activity_intervals(flow, a, in_flight);
    if (a->contradicts) pfc__activity_unknown(flow, a);
    else if (a->placed && (a->hidden.ended || a->hidden.begun)) pfc__narrow(flow, a->first, &a->hidden);
    for (i = a->first; i; i = flow->edge[i - 1].in_function) pfc__activity_calls(flow, i - 1);
}

static PFC__QUIET void pfc__flow_intervals(pfc__flow_t *flow, pfc__u32 in_flight)
{
    pfc__u32 f;
    for (f = 0; f < flow->table->functions; f++)
        if (!flow->activity[f].waits) flow->ready[flow->readies++] = f;
    while (flow->readies) pfc__activity_function(flow, flow->ready[--flow->readies], in_flight);
    for (f = 0; f < flow->table->functions; f++)
        if (flow->activity[f].waits) pfc__activity_unknown(flow, &flow->activity[f]); /* in a circle */
}

/* ----------------------------------------------------- completion (impl) ---
   The counts of one unit: how often each of its blocks ran. */

/* Why a table can't be completed; NULL: it can. */
static PFC__QUIET const char *pfc__flow_trouble(const pfc__flow_t *flow)
{
    pfc__u32 i;
    for (i = 0; i < flow->table->functions; i++)
        if (flow->activity[i].completed && flow->activity[i].blind && (flow->table->function[i].flags & PFC__MAY_NOT_RETURN))
            return "a function that calls others has no counter for its entries or its exits";
    for (i = 0; i < flow->table->blocks; i++)
        if (!flow->edge[i].known) return "its counters leave blocks undetermined";
    return 0;
}

/* Where activations may have ended, or begun, as far as it is known. */
static PFC__QUIET void pfc__flow_stops(pfc__flow_t *flow)
{
    pfc__u64 v;
    for (v = 1; flow->table->stops && v < flow->vertices; v++) {
        pfc__vertex_t *vertex = &flow->vertex[v];
        int hides = vertex->unknown && !vertex->outside;
        vertex->shows = !vertex->unknown && !vertex->outside;
        vertex->stops = hides && flow->table->stops[v] & PFC__MAY_END;
        vertex->begins = hides && flow->table->stops[v] & PFC__MAY_BEGIN;
        flow->activity[vertex->function].stops += vertex->stops;
        flow->activity[vertex->function].begins += vertex->begins;
    }
}

static PFC__QUIET const char *pfc__flow_run(pfc__flow_t *flow, pfc__u32 in_flight)
{
    const char *trouble;
    pfc__u32 i, blocks = flow->table->blocks;
    for (i = 0; i < blocks; i++)
        if (flow->block[i].from >= flow->vertices || flow->block[i].to >= flow->vertices)
            return "its vertices aren't numbered densely";
    trouble = pfc__flow_callers(flow);
    if (trouble) return trouble;
    flow->vertex[0].outside = 1;
    for (i = 0; i < blocks; i++) pfc__flow_block(flow, i);
    pfc__flow_stops(flow);
    pfc__flow_peel(flow);
    pfc__activity_gather(flow);
    trouble = pfc__flow_trouble(flow);
    if (!trouble) pfc__flow_intervals(flow, in_flight);
    return trouble;
}

static PFC__QUIET int pfc__flow_room(pfc__flow_t *flow)
{
    size_t blocks = flow->table->blocks, vertices = pfc__vertices(flow->table);
    flow->vertices = vertices;
    flow->vertex = (pfc__vertex_t *)calloc(vertices, sizeof *flow->vertex);
    flow->leaf = (pfc__u32 *)calloc(vertices, sizeof *flow->leaf);
    flow->edge = (pfc__flow_edge_t *)calloc(blocks + 1, sizeof *flow->edge);
    flow->entered = (pfc__u32 *)calloc(blocks + 1, sizeof *flow->entered);
    flow->next_call = (pfc__u32 *)calloc((size_t)flow->table->callers + 1, sizeof *flow->next_call);
    flow->through = (pfc__through_t *)calloc(vertices, sizeof *flow->through);
    flow->activity = (pfc__activity_t *)calloc((size_t)flow->table->functions + 1, sizeof *flow->activity);
    flow->ready = (pfc__u32 *)calloc((size_t)flow->table->functions + 1, sizeof *flow->ready);
    return flow->vertex && flow->leaf && flow->edge && flow->entered && flow->next_call && flow->through && flow->activity && flow->ready;
}

static PFC__QUIET void pfc__flow_free(pfc__flow_t *flow)
{
    free(flow->vertex);
    free(flow->leaf);
    free(flow->edge);
    free(flow->entered);
    free(flow->next_call);
    free(flow->through);
    free(flow->activity);
    free(flow->ready);
}

/* Completes the counts of one unit. In: info[i].counted, and .low, which is 0 where that is. Out: .low and .high of all.
   `in_flight`: so many threads were stopped in the middle, or went on while the counters were read, so that small
   contradictions are no error but widen the intervals.
   NULL, or why it can't be done: then the blocks without a counter are unknown. */
static PFC__QUIET const char *pfc__complete(const pfc__unit_tables_t *table, pfc_block_info_t *info, pfc__u32 in_flight)
{
    pfc__flow_t flow;
    const char *trouble;
    pfc__u32 i;
    memset(&flow, 0, sizeof flow);
    flow.table = table;
    flow.block = table->block;
    flow.info = info;
    trouble = pfc__flow_room(&flow) ? pfc__flow_run(&flow, in_flight) : "not enough memory to complete it";
    pfc__flow_free(&flow);
    for (i = 0; trouble && i < table->blocks; i++) pfc__count_unknown(&info[i]);
    return trouble;
}

/* ---------------------------------------------------------- model (impl) ---
   From checked extents to times with their uncertainty, and counts. What holds
   for a path's exclusive time:
       LT = Σ CT − Σ Δ − κ_hit · hits
   and an inclusive time is the sum over the subtree. How far LT is off when a
   cost is off by its spread is known with its sign: what is inside of a region
   is missing outside of it, so that most of it cancels out in inclusive times. */

/* What the estimate for a path's untimed entries comes from, and leads to. */
typedef struct pfc__untimed {
    pfc__sample_t sample;        /* if it was timed by sampling */
    double nested;               /* entries below one that was untimed as well */
    double before, within;       /* exclusive and inclusive LT as measured, ns */
    double carried;              /* ns of nested entries below, to be taken from a path further up; */
    double carried_inside;       /* and how uncertain by PFC_ERROR_INSIDE */
    double variance;             /* of the estimate, ns² */
    double carried_variance;     /* of what is carried, */
    double taken_variance;       /* of what is taken from here for estimates below, */
    double within_variance;      /* and of the inclusive time: what of the path's time lies in another one's further up */
    int folded;                  /* its inclusive times hold one another: see pfc__callers_t */
} pfc__untimed_t;

typedef struct pfc__build {
    pfc__image_t *image;
    pfc_profile_t *p;
    double ns;                   /* of one tick */
    pfc__i64 now;                /* until when open regions are counted, ticks */
    pfc__thread_t *thread;       /* as in the profile */
    double *delta;               /* of a path, exclusive, ticks */
    pfc__untimed_t *untimed;     /* of a path */
    pfc__u64 *counter;           /* of all units, one behind the other, summed over the threads */
    pfc__u32 *counter_function;  /* whose it is */
    unsigned char *counter_summed; /* 1: see pfc__unit_t */
    pfc__u64 *unit_counter;      /* where a unit's counters begin; one more than there are units */
    pfc__u32 *unit_id;
    pfc__u64 *unit_part;
    pfc__facts_t *facts;         /* of all functions */
} pfc__build_t;

/* a − b; they may be anything */
static PFC__QUIET double pfc__ticks(pfc__i64 a, pfc__i64 b) { return (double)(pfc__i64)((pfc__u64)a - (pfc__u64)b); }
static PFC__QUIET int pfc__is_over(const pfc__build_t *b) { return b->image->header.state == PFC__ENDED; }
static PFC__QUIET double pfc__fraction(pfc__i64 fixed) { return (double)fixed / (1 << PFC__FRACTION); }
static PFC__QUIET double pfc__cost_ns(const pfc__build_t *b, double ticks) { return ticks * b->ns; }

/* sum += sign · part; the variance of a difference of which one is part of the other. */
static PFC__QUIET void pfc__time_add_signed(pfc_time_t *sum, double sign, const pfc_time_t *part)
{
    double systematic = 0;
    int i;
    sum->ct += sign * part->ct;
    sum->lt += sign * part->lt;
    sum->variance = fabs(sum->variance + sign * part->variance);
    for (i = 0; i < PFC_ERRORS; i++) {
        sum->error[i] += sign * part->error[i];
        systematic += fabs(sum->error[i]);
    }
    sum->u = systematic + sqrt(sum->variance);
}

void pfc_time_add(pfc_time_t *sum, const pfc_time_t *part) { pfc__time_add_signed(sum, 1, part); }
void pfc_time_since(pfc_time_t *time, const pfc_time_t *earlier) { pfc__time_add_signed(time, -1, earlier); }

/* ----------------------------------------------------- reader (MPI, impl) ---
   From PFC__MPI extents to pfc_mpi_t. The core has checked that an extent's
   elements lie in it; what they hold is checked here. */

static PFC__QUIET int pfc__mpi_compare_names(const void *a, const void *b)
{
    return strcmp(((const pfc_mpi_calls_t *)a)->name, ((const pfc_mpi_calls_t *)b)->name);
}

static PFC__QUIET int pfc__mpi_compare_peers(const void *a, const void *b)
{
    pfc__u32 x = ((const pfc_mpi_peer_t *)a)->rank, y = ((const pfc_mpi_peer_t *)b)->rank;
    return (x > y) - (x < y);
}

static PFC__QUIET void pfc__mpi_add(pfc_mpi_calls_t *sum, const pfc_mpi_calls_t *part)
{
    int i;
    sum->calls += part->calls;
    sum->bytes += part->bytes;
    sum->time_ct += part->time_ct;
    sum->time_lt += part->time_lt;
    sum->wait_ct += part->wait_ct;
    sum->wait_lt += part->wait_lt;
    sum->wait_u += part->wait_u; /* partners err alike: no quadrature */
    for (i = 0; i < PFC__WAIT_KINDS_READ; i++) sum->wait[i] += part->wait[i];
}

/* Those of equal names become one. How many there are then, by name. */
static PFC__QUIET size_t pfc__mpi_fold(pfc_mpi_calls_t *calls, size_t n)
{
    size_t i, kept = 0;
    if (n) qsort(calls, n, sizeof *calls, pfc__mpi_compare_names);
    for (i = 0; i < n; i++) {
        if (kept && !pfc__mpi_compare_names(&calls[kept - 1], &calls[i])) pfc__mpi_add(&calls[kept - 1], &calls[i]);
        else calls[kept++] = calls[i];
        calls[kept - 1].place = "";
    }
    return kept;
}

/* A text of fixed length ends within it, also while the program still writes. */
static PFC__QUIET int pfc__mpi_text_sound(const char *text, size_t bytes) { return text[bytes - 1] == 0; }

static PFC__QUIET int pfc__mpi_read_job(pfc__image_t *image, const pfc__part_t *part, pfc_mpi_t *mpi)
{
    pfc__mpi_job_t job;
    if (part->count != 1 || mpi->size) return pfc__damaged(image, part->begin, "MPI job");
    pfc__element(image, part, 0, &job, sizeof job);
    if (!job.size) return 1; /* just being made */
    if (job.rank >= job.size || !pfc__mpi_text_sound(job.library, sizeof job.library))
        return pfc__damaged(image, part->at, "MPI job");
    mpi->rank = job.rank;
    mpi->size = job.size;
    mpi->world = job.world;
    mpi->library = (const char *)image->bytes + part->at + offsetof(pfc__mpi_job_t, library);
    mpi->finalized = job.end_ct != 0;
    mpi->delay = (double)job.end_ct - (double)job.end_lt;
    mpi->delay_u = (double)job.end_u;
    mpi->clock_u = (double)job.clock_u;
    mpi->clock_strayed = (double)job.clock_strayed;
    if (job.begin_tick) mpi->zero = (double)job.begin_ct - pfc__ticks(job.begin_tick, image->header.tick_begin) / image->header.ticks_per_ns;
    mpi->eager_bytes = job.eager_bytes;
    mpi->unacknowledged = job.unacknowledged;
    mpi->tried = job.tried;
    mpi->tried_ns = (double)job.tried_ns;
    return 1;
}

static PFC__QUIET int pfc__mpi_read_sites(pfc__image_t *image, const pfc__part_t *part, pfc_mpi_t *mpi)
{
    pfc__u64 i;
    int k;
    for (i = 0; i < part->count; i++) {
        pfc_mpi_calls_t *calls = &mpi->place[mpi->places];
        pfc__u64 at = part->at + i * part->elem_bytes;
        pfc__mpi_site_t s;
        pfc__element(image, part, i, &s, sizeof s);
        if (!pfc__mpi_text_sound(s.name, sizeof s.name) || !pfc__mpi_text_sound(s.place, sizeof s.place))
            return pfc__damaged(image, at, "place of an MPI call");
        if (!*s.name) continue; /* not in use */
        calls->name = (const char *)image->bytes + at + offsetof(pfc__mpi_site_t, name);
        calls->place = (const char *)image->bytes + at + offsetof(pfc__mpi_site_t, place);
        calls->rule = s.rule;
        calls->calls = s.calls;
        calls->bytes = s.bytes;
        calls->time_ct = (double)s.time_ct;
        calls->time_lt = (double)s.time_lt;
        calls->wait_ct = (double)s.wait_ct;
        calls->wait_lt = (double)s.wait_lt;
        calls->wait_u = (double)s.wait_u;
        for (k = 0; k < PFC__WAIT_KINDS; k++) calls->wait[s.rule == PFC__RULE_LOCK ? PFC__WAIT_FOR_LOCK : k] += (double)s.wait_kind[k];
        mpi->places++;
    }
    return 1;
}

static PFC__QUIET int pfc__mpi_read_peers(pfc__image_t *image, const pfc__part_t *part, pfc_mpi_t *mpi)
{
    pfc__u64 i;
    for (i = 0; i < part->count; i++) {
        pfc_mpi_peer_t *peer = &mpi->peer[mpi->peers];
        pfc__mpi_peer_t p;
        pfc__element(image, part, i, &p, sizeof p);
        if (!p.used) continue;
        peer->rank = p.rank;
        peer->waits = p.waits;
        peer->wait_ct = (double)p.wait_ct;
        peer->wait_lt = (double)p.wait_lt;
        mpi->peers++;
    }
    return 1;
}

static PFC__QUIET int pfc__mpi_read_order(pfc__image_t *image, const pfc__part_t *part, pfc_mpi_t *mpi)
{
    pfc__mpi_order_t o;
    if (part->count != 1) return pfc__damaged(image, part->begin, "MPI order");
    pfc__element(image, part, 0, &o, sizeof o);
    if (!pfc__mpi_text_sound(o.place, sizeof o.place)) return pfc__damaged(image, part->at, "MPI order");
    mpi->order.taken = o.taken;
    mpi->order.overtaken = o.overtaken;
    mpi->order.undecided = o.undecided;
    mpi->order.most = (double)o.most;
    mpi->order.rank = o.rank;
    mpi->order.by = o.by;
    mpi->order.holds = o.holds != 0;
    mpi->order.held = o.held;
    mpi->order.held_ns = (double)o.held_ns;
    mpi->order.place = (const char *)image->bytes + part->at + offsetof(pfc__mpi_order_t, place);
    return 1;
}

/* Which of the layer's extents it is; 0: none of those that we read. */
static PFC__QUIET pfc__u32 pfc__mpi_kind(const pfc__part_t *part)
{
    return part->kind == PFC__MPI && part->owner >= PFC__MPI_JOB && part->owner <= PFC__MPI_ORDER ? part->owner : 0;
}

/* Whether their elements are large enough; and how many there are of each kind. */
static PFC__QUIET int pfc__mpi_count(pfc__image_t *image, pfc__u64 *n)
{
    static const size_t least[] = { 0, PFC__MPI_JOB_LEAST, sizeof(pfc__mpi_site_t), sizeof(pfc__mpi_peer_t),
                                    PFC__MPI_ORDER_LEAST };
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc__u32 kind = pfc__mpi_kind(part);
        if (!kind) continue;
        if (part->elem_bytes < least[kind]) return pfc__damaged(image, part->begin, "size of an MPI extent's elements");
        n[kind] += part->count;
    }
    return 1;
}

static PFC__QUIET void pfc__mpi_free(pfc_mpi_t *mpi)
{
    if (!mpi) return;
    free(mpi->place);
    free(mpi->kind);
    free(mpi->peer);
    free(mpi);
}

static PFC__QUIET int pfc__mpi_read_parts(pfc__image_t *image, pfc_mpi_t *mpi)
{
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc__u32 kind = pfc__mpi_kind(part);
        if (kind == PFC__MPI_JOB && !pfc__mpi_read_job(image, part, mpi)) return 0;
        if (kind == PFC__MPI_SITES && !pfc__mpi_read_sites(image, part, mpi)) return 0;
        if (kind == PFC__MPI_PEERS && !pfc__mpi_read_peers(image, part, mpi)) return 0;
        if (kind == PFC__MPI_ORDER && !pfc__mpi_read_order(image, part, mpi)) return 0;
    }
    return 1;
}

/* NULL in *result: nothing was recorded. 0: refused. */
static PFC__QUIET int pfc__mpi_read(pfc__image_t *image, pfc_mpi_t **result)
{
    pfc__u64 n[PFC__MPI_ORDER + 1] = { 0 };
    pfc_mpi_t *mpi;
    size_t i;
    if (!pfc__mpi_count(image, n)) return 0;
    if (!n[PFC__MPI_JOB]) return 1;
    mpi = *result = (pfc_mpi_t *)pfc__room(image, 1, sizeof *mpi);
    if (!mpi) return 0;
    mpi->library = mpi->total.name = mpi->total.place = mpi->order.place = "";
    mpi->place = (pfc_mpi_calls_t *)pfc__room(image, n[PFC__MPI_SITES], sizeof *mpi->place);
    mpi->kind = (pfc_mpi_calls_t *)pfc__room(image, n[PFC__MPI_SITES], sizeof *mpi->kind);
    mpi->peer = (pfc_mpi_peer_t *)pfc__room(image, n[PFC__MPI_PEERS], sizeof *mpi->peer);
    if (!mpi->place || !mpi->kind || !mpi->peer || !pfc__mpi_read_parts(image, mpi)) return 0;
    for (i = 0; i < mpi->places; i++) {
        mpi->kind[i] = mpi->place[i];
        pfc__mpi_add(&mpi->total, &mpi->place[i]);
    }
    mpi->kinds = pfc__mpi_fold(mpi->kind, mpi->places);
    if (mpi->peers) qsort(mpi->peer, mpi->peers, sizeof *mpi->peer, pfc__mpi_compare_peers);
    return 1;
}

/* ----------------------------------------------------- doubts (MPI, impl) ---
   How far waits are uncertain belongs to the calls that waited, and to the
   regions around them. It isn't handed on to the whole run: what is left of it
   at the end is known (met_change), and is much less than the sum, as a wait's
   doubt replaces another one. For the same reason an entry of any region is off
   by no more than Δ is: what is doubtful at its begin mostly still is at its end. */

/* The uncertainty of the waits in all calls of a region's name, ns. */
static PFC__QUIET double pfc__mpi_doubt_of(const pfc_mpi_t *mpi, const pfc_region_info_t *region)
{
    pfc_mpi_calls_t key;
    const pfc_mpi_calls_t *kind;
    memset(&key, 0, sizeof key);
    key.name = region->name;
    kind = mpi->kinds ? (const pfc_mpi_calls_t *)bsearch(&key, mpi->kind, mpi->kinds, sizeof key, pfc__mpi_compare_names) : 0;
    return kind ? kind->wait_u : 0;
}

static PFC__QUIET int pfc__mpi_is_call(const pfc_profile_t *p, const pfc_path_info_t *path)
{
    return p->region[path->region].kind == PFC__MPI_CALL && path->stats.exclusive.ct > 0;
}

/* `share` has room for all regions: what one ns in their calls is off by. Paths wait in proportion to their time. */
static PFC__QUIET void pfc__mpi_doubts_share(pfc_profile_t *p, double *share)
{
    size_t i;
    for (i = 0; i < p->paths; i++)
        if (pfc__mpi_is_call(p, &p->path[i])) share[p->path[i].region] += p->path[i].stats.exclusive.ct;
    for (i = 0; i < p->regions; i++)
        if (share[i] > 0) share[i] = pfc__mpi_doubt_of(p->mpi, &p->region[i]) / share[i];
    for (i = 0; i < p->paths; i++)
        if (pfc__mpi_is_call(p, &p->path[i]))
            p->path[i].stats.exclusive.error[PFC_ERROR_WAIT] += share[p->path[i].region] * p->path[i].stats.exclusive.ct;
}

/* `inclusive`: all that lies inside of the path, and may be off by `most` each time. A thread's root has met_change instead. */
static PFC__QUIET double pfc__mpi_doubt_within(const pfc_profile_t *p, const pfc_path_info_t *path, const pfc_time_t *inclusive, double most)
{
    double doubt = inclusive->error[PFC_ERROR_WAIT], left = most * (double)path->stats.count;
    int i;
    if (path->parent == PFC_NONE) return 0;
    if (pfc__mpi_is_call(p, path)) return doubt;
    for (i = 0; i < PFC_ERROR_WAIT; i++) left -= fabs(inclusive->error[i]); /* of Δ, waits hand on what probes have made */
    return fmin(doubt, fmax(left, 0));
}

/* Before the sums are made. */
static PFC__QUIET int pfc__mpi_doubts(pfc__image_t *image, pfc_profile_t *p)
{
    double *share;
    if (!p->mpi || !p->compensated) return 1;
    share = (double *)pfc__room(image, p->regions, sizeof *share);
    if (!share) return 0;
    pfc__mpi_doubts_share(p, share);
    free(share);
    return 1;
}

/* ------------------------------------------------- model, paths (impl) ---
   A profile's regions, threads and call paths, with what was measured of each. */

static PFC__QUIET int pfc__build_regions(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u64 n = 1, i;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__REGIONS || !part->count) continue; /* without a count: just being made, `first` isn't there yet */
        if (part->first != n || part->count > UINT32_MAX - n) return pfc__damaged(image, part->begin, "numbers of regions");
        n += part->count;
    }
    p->region = (pfc_region_info_t *)pfc__room(image, n, sizeof *p->region);
    if (!p->region) return 0;
    p->region[0].name = "(outside of all regions)";
    p->region[0].file = "";
    p->regions = 1;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        for (i = 0; part->kind == PFC__REGIONS && i < part->count; i++) {
            pfc_region_info_t *info = &p->region[p->regions++];
            pfc__region_t r;
            pfc__element(image, part, i, &r, sizeof r);
            info->name = pfc__text(image, r.name);
            info->file = pfc__text(image, r.file);
            info->line = r.line;
            info->kind = r.kind;
            if (!info->name || !info->file) return 0;
        }
    }
    return 1;
}

static PFC__QUIET int pfc__build_threads(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u64 n = 0;
    size_t k;
    for (k = 0; k < image->parts; k++) n += image->part[k].kind == PFC__THREADS;
    p->thread = (pfc_thread_info_t *)pfc__room(image, n, sizeof *p->thread);
    b->thread = (pfc__thread_t *)pfc__room(image, n, sizeof *b->thread);
    if (!p->thread || !b->thread) return 0;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc__thread_t *t = &b->thread[p->threads];
        if (part->kind != PFC__THREADS || !part->count) continue;
        pfc__element(image, part, 0, t, sizeof *t);
        if (t->id != part->owner || (p->threads && t->id <= t[-1].id)) return pfc__damaged(image, part->at, "number of a thread");
        p->thread[p->threads].id = t->id;
        p->thread[p->threads].os_id = t->os_id;
        p->thread[p->threads].ended = t->state == PFC__ENDED;
        p->thread[p->threads].waits = t->state == PFC__WAITING;
        p->thread[p->threads].now = PFC_NONE;
        p->threads++;
    }
    return 1;
}

/* A thread's index; PFC_NONE: there is none of this number. */
static PFC__QUIET pfc__u32 pfc__thread_index(const pfc_profile_t *p, pfc__u64 id)
{
    pfc__u32 low = 0, high = p->threads;
    while (low < high) {
        pfc__u32 middle = low + (high - low) / 2;
        if (p->thread[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low < p->threads && p->thread[low].id == id ? low : PFC_NONE;
}

static PFC__QUIET pfc__u64 pfc__thread_paths(const pfc_profile_t *p, pfc__u32 thread)
{
    return (thread + 1 < p->threads ? p->thread[thread + 1].root : p->paths) - p->thread[thread].root;
}

/* A thread's paths are one behind the other: index = root + id. A thread without any gets a root. */
static PFC__QUIET int pfc__build_path_room(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u64 *n = (pfc__u64 *)pfc__room(image, p->threads, sizeof *n), total = 0;
    pfc__u32 t;
    size_t k;
    int sound = n != 0;
    for (k = 0; sound && k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__NODES || !part->count || (t = pfc__thread_index(p, part->owner)) == PFC_NONE) continue;
        if (part->first != n[t] || part->count > UINT32_MAX / 2) sound = pfc__damaged(image, part->begin, "numbers of paths");
        n[t] += part->count;
    }
    for (t = 0; sound && t < p->threads; t++) {
        p->thread[t].root = (pfc__u32)total;
        total += n[t] ? n[t] : 1;
        if (total >= PFC_NONE) sound = pfc__refuse(image, "has more than 2^32 call paths; read fewer threads' at a time");
    }
    free(n);
    if (!sound) return 0;
    p->paths = (size_t)total;
    p->path = (pfc_path_info_t *)pfc__room(image, total, sizeof *p->path);
    b->delta = (double *)pfc__room(image, total, sizeof *b->delta);
    b->untimed = (pfc__untimed_t *)pfc__room(image, total, sizeof *b->untimed);
    return p->path && b->delta && b->untimed;
}

static PFC__QUIET int pfc__build_path(pfc__build_t *b, pfc__u32 thread, const pfc__node_t *n, pfc__u64 id)
{
    pfc_profile_t *p = b->p;
    size_t at = (size_t)(p->thread[thread].root + id);
    pfc_path_info_t *path = &p->path[at];
    if (n->id != id || (id && n->parent >= id) || (n->region >= p->regions && pfc__is_over(b))) return 0;
    path->region = n->region < p->regions ? n->region : 0; /* newer than our snapshot of the regions */
    path->parent = id ? p->thread[thread].root + n->parent : PFC_NONE;
    path->thread = thread;
    path->depth = id ? p->path[path->parent].depth + 1 : 0;
    path->stats.count = n->timed + n->untimed;
    path->stats.untimed = n->untimed;
    b->untimed[at].nested = (double)(n->nested < n->untimed ? n->nested : n->untimed);
    b->untimed[at].folded = n->manner & PFC__MANNER_FOLDED;
    path->stats.exclusive.ct = (double)n->exclusive * b->ns;
    p->clock_fell |= n->exclusive < 0 && b->image->header.clock_kind == PFC__CLOCK_USER; /* else a signal's handler may have come amid an exit */
    path->stats.shortest = (double)n->shortest * b->ns;
    path->stats.longest = (double)n->longest * b->ns;
    b->delta[at] = pfc__fraction(n->exclusive_delta);
    return 1;
}

static PFC__QUIET int pfc__build_paths(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u32 t;
    size_t k;
    if (!pfc__build_path_room(b)) return 0;
    for (t = 0; t < p->threads; t++) {
        pfc_path_info_t *root = &p->path[p->thread[t].root];
        root->parent = PFC_NONE;
        root->thread = t;
    }
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc__u64 i;
        if (part->kind != PFC__NODES || (t = pfc__thread_index(p, part->owner)) == PFC_NONE) continue;
        for (i = 0; i < part->count; i++) {
            pfc__node_t n;
            pfc__element(image, part, i, &n, sizeof n);
            if (!pfc__build_path(b, t, &n, part->first + i))
                return pfc__damaged(image, part->at + i * part->elem_bytes, "call path");
        }
    }
    return 1;
}

/* -------------------------------------------------- model, open (impl) ---
   Regions that were still open when the program ended, or are open now: until when, and what they took so far. */

/* Where a pointer of the process points to: the part of this kind and owner,
   and the index of its element; NULL: into none. */
static PFC__QUIET const pfc__part_t *pfc__pointed(const pfc__image_t *image, const void *pointer, pfc__u32 kind,
                                                  pfc__u32 owner, pfc__u64 *index)
{
    pfc__u64 at = (pfc__u64)(pfc__uptr)pointer - image->header.base;
    size_t low = 0, high = image->parts;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (image->part[middle].begin <= at) low = middle;
        else high = middle;
    }
    if (high) {
        const pfc__part_t *part = &image->part[low];
        if (part->kind != kind || part->owner != owner || at < part->at || (at - part->at) % part->elem_bytes) return 0;
        *index = (at - part->at) / part->elem_bytes;
        return *index < part->count ? part : 0;
    }
    return 0;
}

/* The open regions of a thread: the part, the first's index in it, and how many; 0: none, or just moving. */
static PFC__QUIET const pfc__part_t *pfc__stack_of(const pfc__build_t *b, pfc__u32 thread, pfc__u64 *first, pfc__u64 *n)
{
    const pfc__thread_t *t = &b->thread[thread];
    const pfc__part_t *part = pfc__pointed(b->image, t->bottom, PFC__STACK, t->id, first);
    pfc__u64 top, i;
    pfc__i64 begin = INT64_MIN;
    if (t->state == PFC__ENDED || !part || pfc__pointed(b->image, t->top, PFC__STACK, t->id, &top) != part || top < *first) return 0;
    *n = top - *first + 1;
    for (i = 0; i < *n; i++) { /* the innermost may be half made: then it shows what was there before */
        pfc__frame_t f;
        pfc__element(b->image, part, *first + i, &f, sizeof f);
        if (!PFC__HAS_TIME(f.begin)) continue;
        if (f.begin < begin) *n = i;
        begin = f.begin;
    }
    return part;
}

static PFC__QUIET void pfc__later(pfc__i64 *last, pfc__i64 tick) { if (tick > *last) *last = tick; }

/* What a frame has had besides the regions inside that have ended: in a forked process, the start, where it
   was the innermost one at the fork. */
static PFC__QUIET pfc__i64 pfc__before_regions(const pfc__header_t *h, const pfc__frame_t *f)
{
    return h->fork_child && f->begin == h->tick_begin && h->start_ticks > 0 ? h->start_ticks : 0;
}

/* The frames above the open ones, too, show when what they last held began: a killed server's waits between its requests. */
static PFC__QUIET void pfc__ended_later(const pfc__build_t *b, const pfc__part_t *part, pfc__u64 from, pfc__i64 *last)
{
    pfc__u64 i;
    for (i = from; i < part->count; i++) {
        pfc__frame_t f;
        pfc__element(b->image, part, i, &f, sizeof f);
        pfc__later(last, f.begin);
    }
}

/* The last moment that the regions of a thread know. */
static PFC__QUIET void pfc__thread_later(const pfc__build_t *b, pfc__u32 thread, pfc__i64 *last)
{
    const pfc__header_t *h = &b->image->header;
    pfc__u64 first, n, i;
    const pfc__part_t *part = pfc__stack_of(b, thread, &first, &n);
    for (i = 0; part && i < n; i++) {
        pfc__frame_t f;
        pfc__i64 inside;
        pfc__element(b->image, part, first + i, &f, sizeof f);
        if (!PFC__HAS_TIME(f.begin) || __builtin_add_overflow(f.begin, f.child, &inside)) continue;
        pfc__later(last, f.begin);
        if (__builtin_add_overflow(inside, pfc__before_regions(h, &f), &inside)) continue;
        pfc__later(last, inside);
    }
    if (part) pfc__ended_later(b, part, first + n, last);
}

/* The last moment of which the profile knows. */
static PFC__QUIET pfc__i64 pfc__last_tick(const pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc__i64 last = h->tick_end > h->tick_begin ? h->tick_end : h->tick_begin;
    pfc__u32 t;
    if (pfc__is_over(b)) return last;
    for (t = 0; t < b->p->threads; t++) {
        pfc__later(&last, b->thread[t].tick_end);
        pfc__thread_later(b, t, &last);
    }
    return last;
}

/* It has given its last sign of life, and what it does yet, as to write the profile, isn't part of the run. */
static PFC__QUIET int pfc__is_ending(const pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc__u32 t;
    for (t = 0; t < b->p->threads && h->tick_end > h->tick_begin; t++) /* one that was just forked is at its begin, too */
        if (b->thread[t].tick_end == h->tick_end && b->thread[t].state != PFC__ENDED) return 1;
    return h->left != 0;
}

/* A running program's open regions go on until it was read; a dead one's until its last sign of life. */
static PFC__QUIET void pfc__build_now(pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc_profile_t *p = b->p;
    pfc__i64 last = pfc__last_tick(b);
    double alive = pfc__ticks(last, h->tick_begin);
    b->now = last;
    if (b->image->own && !pfc__is_over(b)) b->now = pfc__clock();
    else if (p->run == PFC_RUNNING && h->clock_kind != PFC__CLOCK_USER && !pfc__is_ending(b)) {
        double passed = pfc__ticks(b->image->read_utc_ns, h->utc_begin_ns) * h->ticks_per_ns;
        if (passed > alive && passed < 1e18) b->now = (pfc__i64)((pfc__u64)h->tick_begin + (pfc__u64)passed);
    }
    alive = pfc__ticks(b->now, h->tick_begin) * b->ns;
    p->begin_utc_ns = h->utc_begin_ns;
    p->last_utc_ns = (pfc__i64)((pfc__u64)h->utc_begin_ns + (alive > 0 && alive < 1e18 ? (pfc__u64)alive : 0));
}

/* Unless a frame further in was it: the innermost one. */
static PFC__QUIET void pfc__build_innermost(const pfc__build_t *b, pfc__u32 thread, const pfc__frame_t *f, size_t path)
{
    pfc_thread_info_t *info = &b->p->thread[thread];
    if (info->now != PFC_NONE) return;
    info->now = (pfc__u32)path;
    info->since = PFC__HAS_TIME(f->begin) ? pfc__ticks(f->begin, b->image->header.tick_begin) * b->ns : -1;
}

/* Where one thread has ended the run, the others went on until its profile was closed: they are part of it up to there. */
static PFC__QUIET pfc__i64 pfc__thread_now(const pfc__build_t *b, pfc__u32 thread)
{
    pfc__i64 now = b->now;
    pfc__thread_later(b, thread, &now);
    return now;
}

/* Adds what the open regions have taken so far, from the innermost outwards. */
static PFC__QUIET void pfc__build_open(pfc__build_t *b, pfc__u32 thread, pfc__i64 now)
{
    const pfc__thread_t *t = &b->thread[thread];
    pfc__u64 first, n, i, node;
    double child = 0, child_delta = 0; /* what the frame further in has taken */
    const pfc__part_t *part = pfc__stack_of(b, thread, &first, &n);
    for (i = part ? n : 0; i-- > 0;) {
        pfc__frame_t f;
        const pfc__part_t *nodes;
        double ticks, delta;
        size_t at;
        pfc__element(b->image, part, first + i, &f, sizeof f);
        child += (double)f.child;
        child_delta += pfc__fraction(f.child_delta);
        if (f.begin == PFC__NOT_BEGUN) continue;
        nodes = pfc__pointed(b->image, f.node, PFC__NODES, t->id, &node);
        if (!nodes) continue;
        at = (size_t)(b->p->thread[thread].root + nodes->first + node);
        b->p->path[at].stats.open++;
        b->p->path[at].stats.count++;
        pfc__build_innermost(b, thread, &f, at);
        if (!PFC__HAS_TIME(f.begin)) {
            b->p->path[at].stats.untimed += f.begin != PFC__UNTIMED_AGAIN;
            continue;
        }
        /* The clock of the first thread began with the profile, and so did its Δ; older profiles leave that to their reader. */
        if (i == 0 && thread == 0 && t->generations <= 1 && b->image->header.tick_begin < f.begin) f.begin = b->image->header.tick_begin;
        ticks = pfc__ticks(now, f.begin);
        delta = pfc__fraction((pfc__i64)((pfc__u64)t->delta - (pfc__u64)f.delta));
        b->p->path[at].stats.exclusive.ct += (ticks - child) * b->ns;
        b->delta[at] += delta - child_delta;
        child = ticks;
        child_delta = delta;
    }
}

/* The root's own Δ is what the thread's has over those of its regions, but for hits, which are charged below. */
static PFC__QUIET void pfc__build_root(pfc__build_t *b, pfc__u32 thread, pfc__i64 now)
{
    const pfc__thread_t *t = &b->thread[thread];
    const pfc__header_t *h = &b->image->header;
    pfc_thread_info_t *info = &b->p->thread[thread];
    pfc__u64 n = pfc__thread_paths(b->p, thread), i;
    double rest = pfc__fraction(t->own) - pfc__fraction(t->hits_charged) + (t->state == PFC__ENDED ? 0 : pfc__fraction(t->delta));
    for (i = 1; i < n; i++) rest -= b->delta[info->root + i];
    b->delta[info->root] = rest;
    info->begin = thread == 0 && t->generations <= 1 ? 0 : pfc__ticks(t->tick_begin, h->tick_begin) * b->ns;
    info->end = pfc__ticks(t->state == PFC__ENDED ? t->tick_end : now, h->tick_begin) * b->ns;
    info->end_lt = info->end - pfc__fraction(t->delta) * b->ns;
    info->sleeps = b->p->run == PFC_RUNNING && !info->ended && pfc__is_asleep_or_stopped(h->pid, t->os_id);
}

/* --------------------------------------------- model, estimates (impl) ---
   How uncertain times are, and the times of entries that were only counted. */

/* pthread_join, waitpid …: entered by what is linked in their place, so that they have no file. */
static PFC__QUIET int pfc__is_wait(const pfc_profile_t *p, const pfc_path_info_t *path)
{
    const pfc_region_info_t *region = &p->region[path->region];
    return region->kind == PFC__NAMED && !region->file[0];
}

/* By how much one has changed Δ. Most of it is a wait that is longer or shorter than it was measured: a call that ended at
   once may have waited undisturbed. */
static PFC__QUIET double pfc__wait_changed(const pfc_path_info_t *path) { return fabs(path->stats.exclusive.ct - path->stats.exclusive.lt); }

/* By how much each thread's have, together; -1: it was in MPI's calls as well, whose uncertainty is known one by one. */
static PFC__QUIET void pfc__waits_changed(const pfc_profile_t *p, double *changed)
{
    size_t i;
    for (i = 0; i < p->paths; i++) {
        const pfc_path_info_t *path = &p->path[i];
        double *sum = &changed[path->thread];
        if (p->region[path->region].kind == PFC__MPI_CALL) *sum = -1;
        else if (*sum >= 0 && pfc__is_wait(p, path)) *sum += pfc__wait_changed(path);
    }
}

/* The delay of those that a thread waited for was of pairs as well. How far it is uncertain belongs to the calls that
   waited, in proportion to what they have changed; where that isn't known, to the thread's root. */
static PFC__QUIET int pfc__build_wait_errors(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    double *changed;
    size_t i;
    if (!p->compensated) return 1;
    changed = (double *)pfc__room(b->image, p->threads, sizeof *changed);
    if (!changed) return 0;
    pfc__waits_changed(p, changed);
    for (i = 0; i < p->paths; i++) {
        pfc_path_info_t *path = &p->path[i];
        double all = changed[path->thread], change = pfc__fraction(b->thread[path->thread].met_change) * b->ns;
        double part = all > 0 ? (pfc__is_wait(p, path) ? pfc__wait_changed(path) / all : 0) : path->parent == PFC_NONE;
        path->stats.exclusive.error[PFC_ERROR_PAIR] += part * change;
    }
    free(changed);
    return 1;
}

/* ---- what a path's entries cost outside of it is known up to their spread: that is their callers'

   A path that recursion has folded was entered from the one above it, from itself, or from any below, and nobody has
   counted how often from which. But each was charged for the entries that it made: of its Δ, what its other entries don't
   explain tells its share of these. */
typedef struct pfc__callers {
    double unexplained;          /* Δ of the path, ns, */
    double below;                /* and of all of its subtree, with itself */
    double timed, untimed;       /* entries of folded paths from there, for each ns that isn't explained */
} pfc__callers_t;

static PFC__QUIET double pfc__timed(const pfc_path_info_t *path) { return (double)(path->stats.count - path->stats.untimed); }

static PFC__QUIET void pfc__outside_error(const pfc__build_t *b, pfc_path_info_t *caller, double timed, double untimed)
{
    const pfc__cost_t *cost = &b->p->cost;
    caller->stats.exclusive.error[PFC_ERROR_INSIDE] -= timed * cost->inside_spread;
    caller->stats.exclusive.error[PFC_ERROR_PAIR] += timed * cost->pair_spread;
    caller->stats.exclusive.error[PFC_ERROR_LIGHT] += untimed * cost->light_spread;
}

static PFC__QUIET void pfc__callers_weigh(const pfc__build_t *b, pfc__callers_t *callers)
{
    const pfc__cost_t *cost = &b->p->cost;
    const pfc_profile_t *p = b->p;
    size_t i;
    for (i = 0; i < p->paths; i++) {
        const pfc_path_info_t *path = &p->path[i];
        double timed = pfc__timed(path);
        callers[i].unexplained += b->delta[i] * b->ns;
        if (path->parent == PFC_NONE) continue;
        callers[i].unexplained -= timed * cost->inside;
        if (!b->untimed[i].folded)
            callers[path->parent].unexplained -= timed * (cost->pair - cost->inside) + (double)path->stats.untimed * cost->light;
    }
    for (i = p->paths; i-- > 0;) {
        callers[i].unexplained = fmax(callers[i].unexplained, 0);
        callers[i].below += callers[i].unexplained;
        if (p->path[i].parent != PFC_NONE) callers[p->path[i].parent].below += callers[i].below;
    }
}

/* Folded paths' entries, shared out among those that may have made them. */
static PFC__QUIET void pfc__callers_share(const pfc__build_t *b, pfc__callers_t *callers)
{
    pfc_profile_t *p = b->p;
    size_t i;
    pfc__callers_weigh(b, callers);
    for (i = 0; i < p->paths; i++) {
        pfc_path_info_t *path = &p->path[i];
        pfc__callers_t *c = &callers[i];
        if (path->parent == PFC_NONE) continue;
        c->timed = callers[path->parent].timed;
        c->untimed = callers[path->parent].untimed;
        if (b->untimed[i].folded) {
            double timed = pfc__timed(path), untimed = (double)path->stats.untimed;
            double above = callers[path->parent].unexplained, all = above + c->below;
            pfc__outside_error(b, &p->path[path->parent], all > 0 ? timed * above / all : timed, all > 0 ? untimed * above / all : untimed);
            c->timed += all > 0 ? timed / all : 0;
            c->untimed += all > 0 ? untimed / all : 0;
        }
        pfc__outside_error(b, path, c->timed * c->unexplained, c->untimed * c->unexplained);
    }
}

static PFC__QUIET int pfc__build_folded_errors(const pfc__build_t *b)
{
    pfc__callers_t *callers;
    size_t i = 0;
    while (i < b->p->paths && !b->untimed[i].folded) i++;
    if (i == b->p->paths) return 1;
    callers = (pfc__callers_t *)pfc__room(b->image, b->p->paths, sizeof *callers);
    if (!callers) return 0;
    pfc__callers_share(b, callers);
    free(callers);
    return 1;
}

/* What reading its own timers takes a thread was seen in an empty loop only, as that of empty pairs. Where it read them, nobody
   has noted: its root has the doubt. */
#define PFC__LOOK_DOUBT 0.5

/* What instrumentation took off CT is known up to the spread of its costs. */
static PFC__QUIET int pfc__build_errors(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    size_t i;
    for (i = 0; i < p->paths; i++) {
        pfc_path_info_t *path = &p->path[i];
        path->stats.exclusive.lt = path->stats.exclusive.ct - (p->compensated ? b->delta[i] * b->ns : 0);
        if (path->parent == PFC_NONE) {
            path->stats.exclusive.error[PFC_ERROR_PAIR] += PFC__LOOK_DOUBT * pfc__fraction(b->thread[path->thread].looked) * b->ns;
            continue;
        }
        p->pairs += path->stats.count - path->stats.untimed;
        p->untimed += path->stats.untimed;
        if (!p->compensated) continue;
        path->stats.exclusive.error[PFC_ERROR_INSIDE] += pfc__timed(path) * p->cost.inside_spread;
        if (!b->untimed[i].folded) pfc__outside_error(b, &p->path[path->parent], pfc__timed(path), (double)path->stats.untimed);
    }
    return !p->compensated || pfc__build_folded_errors(b);
}

/* Student's t for 95 %, from its degrees of freedom. */
static PFC__QUIET double pfc__student(double freedom)
{
    return 1.96 + (2.37 + (2.82 + (2.56 + 3 / freedom) / freedom) / freedom) / freedom;
}

/* The samples tell more than the sums over a path do. */
static PFC__QUIET int pfc__build_samples(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc__u32 t = part->kind == PFC__SAMPLES ? pfc__thread_index(p, part->owner) : PFC_NONE;
        pfc__u64 i;
        for (i = 0; t != PFC_NONE && i < part->count; i++) {
            pfc__sample_t s;
            pfc__element(image, part, i, &s, sizeof s);
            if (s.node && s.node < pfc__thread_paths(p, t)) b->untimed[p->thread[t].root + s.node].sample = s;
            else if (pfc__is_over(b)) return pfc__damaged(image, part->at, "sample without a call path");
        }
    }
    return 1;
}

/* Their deviation isn't kept, but by samples. Twice the mean is more than most regions have, unless one entry took most
   of the time: the longest, of which as much is the path's own as of all of them. */
static PFC__QUIET double pfc__deviation_guess(const pfc_stats_t *stats, const pfc__untimed_t *u, double timed)
{
    double own = u->folded || !(u->within > u->before) ? 1 : fmax(u->before, 0) / u->within;
    double longest = u->folded ? 0 : fmin(stats->longest * own, u->before);
    return fmax(2 * u->before / timed, longest / sqrt(timed));
}

/* Without a budget entries are left untimed only while those before took `brief` on the mean, or less: in a path that
   became slow later, as MPI calls that wait from some phase on, they were none of the slow ones. */
static PFC__QUIET double pfc__while_brief(const pfc__build_t *b, size_t at, double mean)
{
    double brief = (double)b->thread[b->p->path[at].thread].brief * b->ns;
    return b->image->header.budget > 0 || brief <= 0 ? mean : fmin(mean, brief);
}

/* ns of an entry that wasn't timed, as those that were tell; `doubt`: how far their mean is off, besides. Of what was measured
   in a sampled path a share is its own: the rest was of untimed entries below, as it is estimated. A few long ones among the
   timed there can make that more than all, and the share less than nothing; and as the path's own untimed entries may be many
   times as many as its timed ones, their doubt is as many times what the estimates below are in doubt. */
static PFC__QUIET double pfc__mean_timed(const pfc__build_t *b, size_t at, double *deviation, double *doubt)
{
    const pfc_stats_t *stats = &b->p->path[at].stats;
    const pfc__untimed_t *u = &b->untimed[at];
    double timed = (double)u->sample.timed, all_timed = (double)(stats->count - stats->untimed), mean = stats->exclusive.lt / all_timed;
    *deviation = pfc__deviation_guess(stats, u, all_timed);
    *doubt = 0;
    if (timed < 2) return pfc__while_brief(b, at, mean);
    *deviation = b->ns * sqrt(fabs(u->sample.sum_squares - u->sample.sum * u->sample.sum / timed) / (timed - 1));
    mean = b->ns * u->sample.sum / timed;
    if (u->before <= 0) return mean;
    *doubt = mean * sqrt(u->taken_variance) / u->before;
    return mean * stats->exclusive.lt / u->before;
}

static PFC__QUIET void pfc__take_away(pfc_path_info_t *path, double ns, double inside)
{
    path->stats.exclusive.ct -= ns;
    path->stats.exclusive.lt -= ns;
    path->stats.exclusive.error[PFC_ERROR_INSIDE] -= inside;
}

/* An estimate is as uncertain where it is taken from: the frame above has so much of it, one further up `nested` of it. */
static PFC__QUIET void pfc__estimate_variance(pfc__build_t *b, size_t at, double nested)
{
    pfc__untimed_t *u = &b->untimed[at], *up = &b->untimed[b->p->path[at].parent];
    u->within_variance = u->variance + u->carried_variance;
    up->taken_variance += u->within_variance * (1 - nested) * (1 - nested);
    up->carried_variance += u->within_variance * nested * nested;
}

/* Nothing of it was untimed: what has been carried here is taken from it. */
static PFC__QUIET void pfc__take_carried(pfc__build_t *b, size_t at)
{
    pfc__untimed_t *u = &b->untimed[at];
    pfc__take_away(&b->p->path[at], u->carried, u->carried_inside);
    u->taken_variance += u->carried_variance;
}

/* Entries that weren't timed get the mean of those that were, which is off by as much as each of them. What they took
   lies in the time of the frame above, or, where that wasn't timed either (`nested`), of one further up: from there it
   is taken. */
static PFC__QUIET void pfc__estimate(pfc__build_t *b, size_t at)
{
    pfc_path_info_t *path = &b->p->path[at];
    pfc__untimed_t *u = &b->untimed[at];
    double untimed = (double)path->stats.untimed, timed = u->sample.timed ? (double)u->sample.timed : (double)path->stats.count - untimed;
    double deviation, doubt, estimate = untimed * pfc__mean_timed(b, at, &deviation, &doubt), below = u->carried + estimate;
    double inside = b->p->compensated ? untimed * b->p->cost.inside_spread : 0, below_inside = u->carried_inside + inside;
    double spread = pfc__student(timed < 2 ? 1 : timed - 1) * deviation * sqrt(untimed * (untimed / timed + 1));
    if (!pfc__finite(below, -1e25, 1e25) || !pfc__finite(spread, -1e25, 1e25)) return;
    pfc__take_away(path, -estimate, -inside);
    pfc__take_away(&b->p->path[path->parent], below * (1 - u->nested / untimed), below_inside * (1 - u->nested / untimed));
    b->untimed[path->parent].carried += below * u->nested / untimed;
    b->untimed[path->parent].carried_inside += below_inside * u->nested / untimed;
    u->variance = spread * spread + untimed * doubt * untimed * doubt;
    pfc__estimate_variance(b, at, u->nested / untimed);
}

static PFC__QUIET void pfc__build_estimates(pfc__build_t *b)
{
    pfc_path_info_t *path = b->p->path;
    size_t i;
    for (i = b->p->paths; i-- > 0;) { /* children before their parents */
        pfc__untimed_t *u = &b->untimed[i];
        u->before = path[i].stats.exclusive.lt;
        u->within += u->before;
        if (path[i].parent != PFC_NONE) b->untimed[path[i].parent].within += u->within;
    }
    for (i = b->p->paths; i-- > 0;) {
        const pfc_stats_t *stats = &path[i].stats;
        if (path[i].parent != PFC_NONE && stats->untimed && stats->untimed < stats->count) pfc__estimate(b, i);
        else pfc__take_carried(b, i);
    }
}

/* ------------------------------------------------- model, sleep (impl) ---
   Sleep that nobody explains.

   A thread that slept in no call that is known to wait may have waited for
   another one's probes: they are in its LT. Where, isn't known; so it is in
   doubt at the thread's root, as much of it as those probes took. */

#define PFC__SLEEP_LEAST 0.02 /* of a thread's time; less may be the hypervisor's */

/* Of a thread's time what it slept in no call that is known to wait, ns. */
static PFC__QUIET double pfc__slept_unseen(const pfc__build_t *b, pfc__u32 thread)
{
    const pfc__thread_t *t = &b->thread[thread];
    double slept = pfc__ticks(t->slept, t->waited) * b->ns;
    return t->slept > 0 && slept > PFC__SLEEP_LEAST * b->p->path[b->p->thread[thread].root].stats.inclusive.ct ? slept : 0;
}

/* Of MPI's ranks nothing is said: they sleep in calls that wait for each other. */
static PFC__QUIET void pfc__build_sleep(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    double most[2] = { 0, 0 };                 /* instrumentation of a thread, and of the others than that one */
    pfc__u32 t, worst = 0;
    for (t = 0; t < p->threads; t++) {
        const pfc_time_t *all = &p->path[p->thread[t].root].stats.inclusive;
        double took = all->ct - all->lt;
        if (took > most[0]) most[1] = most[0], most[0] = took, worst = t;
        else if (took > most[1]) most[1] = took;
    }
    for (t = 0; t < p->threads && p->threads > 1 && p->compensated && !p->mpi; t++) {
        pfc_stats_t *root = &p->path[p->thread[t].root].stats;
        double slept = pfc__slept_unseen(b, t), doubt = fmin(slept, most[t == worst]);
        root->exclusive.error[PFC_ERROR_WAIT] += doubt;
        root->inclusive.error[PFC_ERROR_WAIT] += doubt;
        p->slept += slept;
    }
}

/* -------------------------------------------------- model, hits (impl) ---
   What counting took, shared out over call paths. */

/* Hits, what they cost, and how uncertain that is; ns. */
typedef struct pfc__counted { double hits, cost, spread; } pfc__counted_t;

/* So many hits of the array's counters. */
static PFC__QUIET pfc__counted_t pfc__counted_by(const pfc_profile_t *p, const pfc__part_t *part, pfc__u64 hits)
{
    pfc__counted_t counted;
    int atomic = (part->adding & PFC__ADDED_ATOMICALLY) != 0;
    counted.hits = (double)hits;
    counted.cost = counted.hits * (atomic ? p->atomic_hit : p->cost.hit);
    counted.spread = counted.hits * (atomic ? p->atomic_hit_spread : p->cost.hit_spread);
    return counted;
}

/* Turns of loops that the compiler counts in a register, or adds up behind them (pfc__unit_t), cost next to nothing
   (tests/bench/loops), unless it hasn't: it may know better than the instrumenter who may look at the counters. */
#define PFC__SUMMED_SHARE 0.1
#define PFC__SUMMED_DOUBT 0.6

static PFC__QUIET void pfc__counted_sum_up(pfc_profile_t *p, pfc__counted_t *counted)
{
    counted->cost *= PFC__SUMMED_SHARE;
    counted->spread *= PFC__SUMMED_DOUBT;
    p->summed_hits += (pfc__u64)counted->hits;
}

/* So many entries of a unit's functions had to find their thread's counters first. */
static PFC__QUIET void pfc__counted_fetch(pfc__build_t *b, pfc__counted_t *counted, pfc__u32 unit, double entries)
{
    double cost = entries * pfc__cost_ns(b, pfc__fraction(b->image->part[b->unit_part[unit]].fetch));
    counted->cost += cost;
    counted->spread += fabs(cost) * b->image->header.fetch_doubt;
    b->p->fetches += entries;
    b->p->fetch += cost; /* of all, for now */
}

/* `share` has room for all functions: how many of a function's hits are an entry's. There are no fewer, as each way through it
   has a counter; which thread has entered it is known by its hits only. */
static PFC__QUIET void pfc__share_entries(const pfc_profile_t *p, double *share)
{
    size_t i;
    for (i = 0; i < p->blocks; i++) {
        const pfc_block_info_t *block = &p->block[i];
        pfc__u64 hits = p->function[block->function].hits;
        if (block->kind == PFC__BLOCK_ENTRY && hits) share[block->function] = (double)block->low / (double)hits;
    }
}

/* `share` of another sum comes to this one. */
static PFC__QUIET void pfc__counted_add(pfc__counted_t *sum, pfc__counted_t other, double share)
{
    sum->hits += share * other.hits;
    sum->cost += share * other.cost;
    sum->spread += share * other.spread;
}

static PFC__QUIET void pfc__charge_hits(pfc__build_t *b, pfc_path_info_t *path, pfc__counted_t counted)
{
    if (!b->p->compensated) return;
    path->stats.hits += counted.hits;
    if (b->image->header.virtual_time) return;
    path->stats.exclusive.lt -= counted.cost;
    path->stats.exclusive.error[PFC_ERROR_HIT] += counted.spread;
}

typedef struct pfc__sharing { pfc__counted_t *region; double *region_weight, *weight, *entries; pfc__u32 *touched; } pfc__sharing_t;

/* OpenMP's regions are waits that hold the program's code. */
static PFC__QUIET int pfc__is_openmp(const pfc_profile_t *p, const pfc_path_info_t *path)
{
    return pfc__is_wait(p, path) && !strncmp(p->region[path->region].name, "omp ", 4);
}

/* Blocks are the program's: a call of MPI has none, nor has a wait. */
static PFC__QUIET int pfc__is_without_blocks(const pfc_profile_t *p, const pfc_path_info_t *path)
{
    return p->region[path->region].kind == PFC__MPI_CALL || (pfc__is_wait(p, path) && !pfc__is_openmp(p, path));
}

/* The region whose blocks run in a path: in one of OpenMP's those of the function that it stands in. */
static PFC__QUIET pfc__u32 pfc__holder(const pfc_profile_t *p, const pfc_path_info_t *path)
{
    while (path->parent != PFC_NONE && pfc__is_openmp(p, path)) path = &p->path[path->parent];
    return path->region;
}

/* A path's time, or, where less came out than is uncertain of it, that much: below zero it may be the one that counts most. */
static PFC__QUIET double pfc__weight(const pfc__build_t *b, size_t path)
{
    const pfc_time_t *time = &b->p->path[path].stats.exclusive;
    double doubt = sqrt(time->variance + b->untimed[path].variance + b->untimed[path].taken_variance);
    int i;
    if (pfc__is_without_blocks(b->p, &b->p->path[path])) return 0;
    for (i = 0; i < PFC_ERRORS; i++) doubt += fabs(time->error[i]);
    return time->lt > doubt ? time->lt : doubt;
}

/* The hits of one array set, shared out over the paths [from, end): those of a
   function that is a region over its paths, all others over all that may hold blocks; by time. */
static PFC__QUIET void pfc__share_hits(pfc__build_t *b, pfc__sharing_t *s, size_t from, size_t end, pfc__u32 touched, pfc__counted_t others)
{
    static const pfc__counted_t none = { 0, 0, 0 };
    pfc_profile_t *p = b->p;
    double all = 0;
    size_t i;
    pfc__u32 k;
    for (i = from; i < end; i++) {
        s->weight[i] = pfc__weight(b, i);
        s->region_weight[pfc__holder(p, &p->path[i])] += s->weight[i];
        all += s->weight[i];
    }
    for (k = 0; k < touched; k++) {
        pfc__u32 r = s->touched[k];
        if (s->region_weight[r] > 0) continue; /* otherwise: counted, but never seen to take time here */
        pfc__counted_add(&others, s->region[r], 1);
        s->region[r] = none;
    }
    for (i = from; i < end; i++) {
        pfc__u32 r = pfc__holder(p, &p->path[i]);
        pfc__counted_t here = none;
        if (s->region_weight[r] > 0) pfc__counted_add(&here, s->region[r], s->weight[i] / s->region_weight[r]);
        if (all > 0) pfc__counted_add(&here, others, s->weight[i] / all);
        else if (i == from) pfc__counted_add(&here, others, 1);
        if (here.hits > 0) pfc__charge_hits(b, &p->path[i], here);
    }
    for (i = from; i < end; i++) s->region_weight[pfc__holder(p, &p->path[i])] = 0;
    for (k = 0; k < touched; k++) s->region[s->touched[k]] = none;
}

/* The index of a unit in the profile; PFC_NONE: no such one. */
static PFC__QUIET pfc__u32 pfc__unit_index(const pfc__build_t *b, pfc__u32 id)
{
    pfc__u32 low = 0, high = b->p->units;
    while (low < high) {
        pfc__u32 middle = low + (high - low) / 2;
        if (b->unit_id[middle] < id) low = middle + 1;
        else high = middle;
    }
    return low < b->p->units && b->unit_id[low] == id ? low : PFC_NONE;
}

/* Adds one array to the sharing; the number of regions touched so far. */
static PFC__QUIET pfc__u32 pfc__gather_hits(pfc__build_t *b, const pfc__part_t *part, pfc__sharing_t *s, pfc__u32 touched, pfc__counted_t *others)
{
    pfc__u32 unit = pfc__unit_index(b, part->owner);
    pfc__u64 i, base = b->unit_counter[unit], n = b->unit_counter[unit + 1] - base;
    for (i = 0; i < n && i < part->count; i++) {
        pfc__u32 f = b->counter_function[base + i], region;
        pfc__counted_t counted;
        pfc__u64 hits;
        pfc__element(b->image, part, i, &hits, sizeof hits);
        region = f == PFC_NONE ? PFC_NONE : b->p->function[f].region;
        if (!hits) continue;
        counted = pfc__counted_by(b->p, part, hits);
        if (b->counter_summed[base + i]) pfc__counted_sum_up(b->p, &counted);
        if (part->adding & PFC__ADDED_ATOMICALLY) b->p->atomic_hits += hits;
        if (part->first && f != PFC_NONE) pfc__counted_fetch(b, &counted, unit, s->entries[f] * (double)hits);
        if (region == PFC_NONE) {
            pfc__counted_add(others, counted, 1);
            b->p->hits_spread += hits;
            continue;
        }
        if (!(s->region[region].hits > 0)) s->touched[touched++] = region;
        pfc__counted_add(&s->region[region], counted, 1);
    }
    return touched;
}

/* COUNTERS by whose they are: 0 the process's, t + 1 the thread t's. */
static PFC__QUIET pfc__u32 pfc__counters_slot(const pfc__build_t *b, const pfc__part_t *part)
{
    pfc__u32 t;
    if (part->kind != PFC__COUNTERS || pfc__unit_index(b, part->owner) == PFC_NONE) return PFC_NONE;
    if (part->first == 0) return 0;
    t = pfc__thread_index(b->p, (pfc__u64)part->first - 1);
    return t == PFC_NONE ? 0 : t + 1;
}

static PFC__QUIET void pfc__share_all(pfc__build_t *b, pfc__sharing_t *s, pfc__u32 *head, pfc__u32 *next)
{
    pfc_profile_t *p = b->p;
    size_t k;
    pfc__u32 slot;
    for (k = b->image->parts; k-- > 0;) {
        slot = pfc__counters_slot(b, &b->image->part[k]);
        if (slot == PFC_NONE) continue;
        next[k] = head[slot];
        head[slot] = (pfc__u32)k + 1;
    }
    for (slot = 0; slot <= p->threads; slot++) {
        size_t from = slot ? p->thread[slot - 1].root : 0;
        size_t end = slot ? from + (size_t)pfc__thread_paths(p, slot - 1) : p->paths;
        pfc__u32 touched = 0, at;
        pfc__counted_t others = { 0, 0, 0 };
        for (at = head[slot]; at; at = next[at - 1])
            touched = pfc__gather_hits(b, &b->image->part[at - 1], s, touched, &others);
        if (touched || others.hits > 0) pfc__share_hits(b, s, from, end, touched, others);
    }
}

static PFC__QUIET int pfc__build_hits(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    pfc__sharing_t s;
    pfc__u32 *head, *next;
    int done = 0;
    if (!p->paths || !p->hits) return 1;
    s.region = (pfc__counted_t *)pfc__room(b->image, p->regions, sizeof *s.region);
    s.region_weight = (double *)pfc__room(b->image, p->regions, sizeof(double));
    s.weight = (double *)pfc__room(b->image, p->paths, sizeof(double));
    s.entries = (double *)pfc__room(b->image, p->functions, sizeof(double));
    s.touched = (pfc__u32 *)pfc__room(b->image, p->regions, sizeof(pfc__u32));
    head = (pfc__u32 *)pfc__room(b->image, (pfc__u64)p->threads + 1, sizeof *head);
    next = (pfc__u32 *)pfc__room(b->image, b->image->parts, sizeof *next);
    if (s.region && s.region_weight && s.weight && s.entries && s.touched && head && next) {
        pfc__share_entries(p, s.entries);
        pfc__share_all(b, &s, head, next);
        if (p->fetches > 0) p->fetch /= p->fetches;
        p->fetch_spread = fabs(p->fetch) * b->image->header.fetch_doubt;
        done = 1;
    }
    free(s.region);
    free(s.region_weight);
    free(s.weight);
    free(s.entries);
    free(s.touched);
    free(head);
    free(next);
    return done;
}

/* -------------------------------------------------- model, sums (impl) ---
   What paths took, summed over subtrees, regions and threads. */

static PFC__QUIET void pfc__stats_add(pfc_stats_t *sum, const pfc_stats_t *part)
{
    sum->count += part->count;
    sum->open += part->open;
    sum->untimed += part->untimed;
    sum->hits += part->hits;
    pfc_time_add(&sum->inclusive, &part->inclusive);
    pfc_time_add(&sum->exclusive, &part->exclusive);
    if (part->longest < part->shortest) return;
    if (sum->longest < sum->shortest) sum->shortest = part->shortest, sum->longest = part->longest;
    if (part->shortest < sum->shortest) sum->shortest = part->shortest;
    if (part->longest > sum->longest) sum->longest = part->longest;
}

/* What was moved from a parent to its child is uncertain in both, but not in their sum. */
static PFC__QUIET void pfc__build_sums(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    pfc_time_t zero;
    size_t i;
    pfc__u32 t;
    memset(&zero, 0, sizeof zero);
    for (i = 0; i < p->regions; i++) p->region[i].stats.longest = -1;
    for (i = p->paths; i-- > 0;) {
        pfc_path_info_t *path = &p->path[i], *up = path->parent == PFC_NONE ? 0 : &p->path[path->parent];
        pfc_time_t *inclusive = &path->stats.inclusive;
        pfc_time_add(inclusive, &path->stats.exclusive);
        inclusive->error[PFC_ERROR_WAIT] = pfc__mpi_doubt_within(p, path, inclusive, pfc__fraction(b->thread[path->thread].met_most) * b->ns);
        if (up) pfc_time_add(&up->stats.inclusive, inclusive);
        path->stats.exclusive.variance += b->untimed[i].variance + b->untimed[i].taken_variance;
    }
    pfc__build_sleep(b);
    for (i = 0; i < p->paths; i++) {
        pfc_path_info_t *path = &p->path[i];
        path->stats.inclusive.variance = b->untimed[i].within_variance;
        pfc_time_add(&path->stats.inclusive, &zero);
        pfc_time_add(&path->stats.exclusive, &zero);
        pfc__stats_add(&p->region[path->region].stats, &path->stats);
    }
    for (t = 0; t < p->threads; t++) {
        p->thread[t].total = p->path[p->thread[t].root].stats.inclusive;
        pfc_time_add(&p->sum, &p->thread[t].total);
        if (p->compensated) p->delay_in += pfc__fraction(b->thread[t].met_gain) * b->ns;
    }
    if (p->threads) p->total = p->thread[0].total;
}

/* ------------------------------------------------ model, counts (impl) ---
   What instrumented units say of their functions and blocks, and how often each was entered. */

/* ---- units */

static PFC__QUIET int pfc__table_fits(const pfc__part_t *part, pfc__u64 place, pfc__u64 n, pfc__u64 bytes)
{
    pfc__u64 size = part->end - part->begin;
    return place <= size && n <= (size - place) / bytes;
}

/* Its tables begin behind it: that tells how much of it there is in an older file. */
static PFC__QUIET int pfc__unit_read(const pfc__build_t *b, const pfc__part_t *part, pfc__unit_record_t *u)
{
    pfc__u64 bytes;
    memset(u, 0, sizeof *u);
    memcpy(u, b->image->bytes + part->at, PFC__UNIT_RECORD_LEAST);
    bytes = u->file_table - (part->at - part->begin);
    if (bytes > sizeof *u) bytes = sizeof *u;
    if (bytes > PFC__UNIT_RECORD_LEAST && bytes <= part->end - part->at) memcpy(u, b->image->bytes + part->at, (size_t)bytes);
    if (pfc__table_fits(part, u->file_table, u->files, sizeof(pfc__u64)) &&
        pfc__table_fits(part, u->function_table, u->functions, sizeof(pfc__function_t)) &&
        (u->packed ? pfc__table_fits(part, u->packed_table, u->packed, 1) && u->blocks <= u->packed
                   : pfc__table_fits(part, u->block_table, u->blocks, sizeof(pfc__block_t))) &&
        pfc__table_fits(part, u->gap_table, u->gaps, sizeof(pfc__gap_t)) &&
        pfc__table_fits(part, u->stop_table, u->stops, sizeof(pfc__stop_t)) && pfc__table_fits(part, u->name_table, u->names, 1) &&
        (!u->names || !b->image->bytes[part->begin + u->name_table + u->names - 1]) &&
        pfc__table_fits(part, u->holder_table, u->holder_table ? u->functions : 0, sizeof(pfc__u64)) &&
        pfc__table_fits(part, u->caller_table, u->callers, sizeof(pfc__caller_t)) &&
        pfc__table_fits(part, u->summed_table, u->summed_table ? u->counters : 0, 1)) return 1;
    return pfc__damaged(b->image, part->begin, "tables of a unit");
}

static PFC__QUIET int pfc__unit_room(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u64 units = 0, files = 0, functions = 0, blocks = 0, gaps = 0;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        pfc__unit_record_t u;
        if (image->part[k].kind != PFC__UNIT || !image->part[k].count) continue;
        if (!pfc__unit_read(b, &image->part[k], &u)) return 0;
        units++;
        files += u.files;
        functions += u.functions;
        blocks += u.blocks;
        gaps += u.gaps;
    }
    if (units >= PFC_NONE || files >= PFC_NONE || functions >= PFC_NONE)
        return pfc__refuse(image, "has more than 2^32 functions; instrument fewer");
    p->unit = (pfc_unit_info_t *)pfc__room(image, units, sizeof *p->unit);
    p->source = (pfc_source_info_t *)pfc__room(image, files, sizeof *p->source);
    p->function = (pfc_function_info_t *)pfc__room(image, functions, sizeof *p->function);
    p->block = (pfc_block_info_t *)pfc__room(image, blocks, sizeof *p->block);
    p->gap = (pfc_gap_info_t *)pfc__room(image, gaps, sizeof *p->gap);
    b->unit_id = (pfc__u32 *)pfc__room(image, units, sizeof *b->unit_id);
    b->unit_part = (pfc__u64 *)pfc__room(image, units, sizeof *b->unit_part);
    b->unit_counter = (pfc__u64 *)pfc__room(image, units + 1, sizeof *b->unit_counter);
    return p->unit && p->source && p->function && p->block && p->gap && b->unit_id && b->unit_part && b->unit_counter;
}

/* A string of a table of their offsets; NULL: damaged. */
static PFC__QUIET const char *pfc__unit_text(pfc__build_t *b, const pfc__part_t *part, pfc__u64 table, pfc__u32 i)
{
    pfc__u64 text;
    memcpy(&text, b->image->bytes + part->begin + table + i * sizeof text, sizeof text);
    return pfc__text(b->image, text);
}

static PFC__QUIET int pfc__unit_sources(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__u32 i;
    for (i = 0; i < u->files; i++) {
        p->source[p->sources].unit = p->units;
        p->source[p->sources].name = pfc__unit_text(b, part, u->file_table, i);
        if (!p->source[p->sources++].name) return 0;
    }
    return 1;
}

static PFC__QUIET int pfc__unit_functions(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__u32 i;
    for (i = 0; i < u->functions; i++) {
        pfc__function_t f;
        pfc_function_info_t *info = &p->function[p->functions++];
        memcpy(&f, b->image->bytes + part->begin + u->function_table + i * sizeof f, sizeof f);
        info->name = pfc__text(b->image, (pfc__u64)(pfc__uptr)f.name);
        info->unit = p->units;
        info->file = p->unit[p->units].file + f.file;
        info->line = f.line;
        info->line_end = f.line_end;
        info->flags = f.flags;
        info->region = PFC_NONE;
        if (!info->name) return 0;
        if (f.file >= u->files) return pfc__damaged(b->image, part->begin, "functions of a unit");
    }
    return 1;
}

/* In which functions its PFC_HITs stand. */
static PFC__QUIET int pfc__unit_holders(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_function_info_t *function = &b->p->function[b->p->unit[b->p->units].function];
    pfc__u32 i;
    for (i = 0; u->holder_table && i < u->functions; i++) {
        function[i].holder = pfc__unit_text(b, part, u->holder_table, i);
        if (!function[i].holder) return 0;
    }
    return 1;
}

static PFC__QUIET int pfc__unit_blocks(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__block_cursor_t at = pfc__blocks_begin(u, b->image->bytes + part->begin);
    pfc__u32 i;
    for (i = 0; i < u->blocks; i++) {
        pfc__block_t block;
        pfc_block_info_t *info = &p->block[p->blocks++];
        if (!pfc__block_next(&at, &block)) return pfc__damaged(b->image, part->begin, "blocks of a unit");
        info->function = p->unit[p->units].function + block.function;
        info->file = p->unit[p->units].file + block.file;
        info->line = block.line;
        info->line_end = block.line_end;
        info->column = block.column;
        info->kind = block.kind & ~(pfc__u32)PFC__BLOCK_AMID;
        info->amid = (block.kind & PFC__BLOCK_AMID) != 0;
        info->counted = block.counter != PFC__NO_COUNTER;
        if (block.function >= u->functions || block.file >= u->files || (info->counted && block.counter >= u->counters))
            return pfc__damaged(b->image, part->begin, "blocks of a unit");
    }
    return 1;
}

static PFC__QUIET int pfc__unit_gaps(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__u64 i;
    for (i = 0; i < u->gaps; i++) {
        pfc__gap_t gap;
        pfc_gap_info_t *info = &p->gap[p->gaps++];
        memcpy(&gap, b->image->bytes + part->begin + u->gap_table + i * sizeof gap, sizeof gap);
        info->file = p->unit[p->units].file + gap.file;
        info->line = gap.line;
        info->line_end = gap.line_end;
        if (gap.file >= u->files) return pfc__damaged(b->image, part->begin, "gaps of a unit");
    }
    return 1;
}

static PFC__QUIET int pfc__build_units(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    size_t k;
    if (!pfc__unit_room(b)) return 0;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc_unit_info_t *info = &p->unit[p->units];
        pfc__unit_record_t u;
        if (part->kind != PFC__UNIT || !part->count) continue;
        if (!pfc__unit_read(b, part, &u)) return 0;
        if (p->units && part->owner <= b->unit_id[p->units - 1]) return pfc__damaged(image, part->begin, "number of a unit");
        b->unit_id[p->units] = part->owner;
        b->unit_part[p->units] = k;
        info->name = pfc__text(image, u.name);
        info->directory = pfc__text(image, u.directory);
        info->compiler = pfc__text(image, u.compiler);
        info->file = p->sources;
        info->files = u.files;
        info->function = p->functions;
        info->functions = u.functions;
        info->block = p->blocks;
        info->blocks = u.blocks;
        info->counters = u.counters;
        info->gap = p->gaps;
        info->gaps = u.gaps;
        info->trouble = "";
        if (!info->name || !info->directory || !info->compiler || !pfc__unit_sources(b, part, &u) ||
            !pfc__unit_functions(b, part, &u) || !pfc__unit_holders(b, part, &u) ||
            !pfc__unit_blocks(b, part, &u) || !pfc__unit_gaps(b, part, &u)) return 0;
        p->units++;
    }
    return 1;
}

/* ---- counters */

/* Sums the threads' arrays. What no array holds was never hit. */
static PFC__QUIET int pfc__build_counters(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc__u64 *begin = b->unit_counter, i;
    pfc__u32 u, units = b->p->units;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__COUNTERS || (u = pfc__unit_index(b, part->owner)) == PFC_NONE) continue;
        if (part->count > begin[u + 1]) begin[u + 1] = part->count;
    }
    for (u = 0; u < units; u++) {
        if (begin[u + 1] > b->p->unit[u].counters) begin[u + 1] = b->p->unit[u].counters;
        begin[u + 1] += begin[u];
    }
    b->counter = (pfc__u64 *)pfc__room(image, begin[units], sizeof *b->counter);
    b->counter_function = (pfc__u32 *)pfc__room(image, begin[units], sizeof *b->counter_function);
    b->counter_summed = (unsigned char *)pfc__room(image, begin[units], 1);
    if (!b->counter || !b->counter_function || !b->counter_summed) return 0;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__COUNTERS || (u = pfc__unit_index(b, part->owner)) == PFC_NONE) continue;
        for (i = 0; i < part->count && i < begin[u + 1] - begin[u]; i++) {
            pfc__u64 value;
            pfc__element(image, part, i, &value, sizeof value);
            b->counter[begin[u] + i] += value;
        }
    }
    return 1;
}

/* Gives the blocks with a counter their counts, and the functions theirs. */
static PFC__QUIET void pfc__unit_count(pfc__build_t *b, pfc__u32 unit, const pfc__block_t *block)
{
    pfc_unit_info_t *u = &b->p->unit[unit];
    pfc__u64 base = b->unit_counter[unit], n = b->unit_counter[unit + 1] - base, i;
    for (i = 0; i < n; i++) b->counter_function[base + i] = PFC_NONE;
    for (i = 0; i < u->blocks; i++) {
        pfc_block_info_t *info = &b->p->block[u->block + i];
        pfc__u64 at = block[i].counter;
        if (!info->counted || at >= n) continue;
        info->low = b->counter[base + at];
        if (b->counter_function[base + at] == PFC_NONE) b->counter_function[base + at] = info->function;
    }
    for (i = 0; i < n; i++) {
        pfc__u64 hits = b->counter[base + i];
        pfc__u32 f = b->counter_function[base + i];
        if (f != PFC_NONE) b->p->function[f].hits += hits;
        u->hits += hits;
        b->p->hits += hits;
    }
}

/* Threads that may be in a function that always returns: stopped there, or still running. */
static PFC__QUIET int pfc__is_in_flight(const pfc__build_t *b, const pfc__thread_t *t)
{
    if (t->state == PFC__ENDED) return 0;
    if (pfc__is_over(b) && t->tick_end == b->image->header.tick_end) return 0; /* it ended the run */
    return t->state != PFC__WAITING || !(pfc__is_over(b) || b->p->run == PFC_DIED);
}

/* All of them. One that called exit, _exit or exec was in functions only that may not return, and so count their exits, too,
   unless it did so in a signal's handler, which may have interrupted any function. */
static PFC__QUIET pfc__u32 pfc__in_flight(const pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    int is_old = h->header_bytes <= offsetof(pfc__header_t, amid); /* _exit may have been called by a handler */
    pfc__u32 i, n = 0, amid = is_old ? h->left == PFC__LEFT_BY_EXIT : h->amid != 0;
    for (i = 0; i < b->p->threads; i++) n += (pfc__u32)pfc__is_in_flight(b, &b->thread[i]);
    if (pfc__is_over(b)) return n + amid;
    if (h->left && !amid) return n ? n - 1 : 0;
    if (n || (b->p->threads && b->p->run == PFC_DIED)) return n;
    return 1; /* which has no record yet */
}

static PFC__QUIET int pfc__build_inherited(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc__u32 u;
    pfc__u64 i;
    size_t k;
    b->facts = (pfc__facts_t *)pfc__room(image, b->p->functions, sizeof *b->facts);
    if (!b->facts) return 0;
    for (i = 0; i < b->p->functions; i++) b->facts[i].flags = b->p->function[i].flags;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__INHERITED || (u = pfc__unit_index(b, part->owner)) == PFC_NONE) continue;
        for (i = 0; i < part->count && i < b->p->unit[u].functions; i++)
            pfc__element(image, part, i, &b->facts[b->p->unit[u].function + i].inherited, sizeof(pfc__u64));
    }
    return 1;
}

/* A unit's record, and own copies of its tables, to be freed in any case. */
static PFC__QUIET int pfc__unit_tables_read(pfc__build_t *b, pfc__u32 unit, pfc__unit_record_t *u, pfc__unit_tables_t *table)
{
    const pfc_unit_info_t *info = &b->p->unit[unit];
    const pfc__part_t *part = &b->image->part[b->unit_part[unit]];
    const unsigned char *tables = b->image->bytes + part->begin;
    pfc__block_cursor_t at;
    memset(table, 0, sizeof *table);
    if (!pfc__unit_read(b, part, u) || u->blocks != info->blocks) return 0;
    table->block = (pfc__block_t *)pfc__room(b->image, u->blocks, sizeof *table->block);
    table->caller = (pfc__caller_t *)pfc__room(b->image, u->callers, sizeof *table->caller);
    if (!table->block || !table->caller) return 0;
    at = pfc__blocks_begin(u, tables);
    while (table->blocks < u->blocks && pfc__block_next(&at, &table->block[table->blocks])) table->blocks++;
    if (u->callers) memcpy(table->caller, tables + u->caller_table, (size_t)u->callers * sizeof *table->caller);
    table->function = &b->facts[info->function];
    table->functions = info->functions;
    table->callers = (pfc__u32)u->callers;
    return 1;
}

static PFC__QUIET void pfc__unit_tables_free(pfc__unit_tables_t *table)
{
    free(table->block);
    free(table->caller);
}

/* Which of its counters are turns of loops, which cost nothing. */
static PFC__QUIET void pfc__unit_summed(pfc__build_t *b, pfc__u32 unit, const pfc__unit_record_t *u)
{
    const pfc__part_t *part = &b->image->part[b->unit_part[unit]];
    pfc__u64 first = b->unit_counter[unit], counters = b->unit_counter[unit + 1] - first;
    if (u->summed_table) memcpy(b->counter_summed + first, b->image->bytes + part->begin + u->summed_table, (size_t)counters);
}

static PFC__QUIET int pfc__unit_complete(pfc__build_t *b, pfc__u32 unit)
{
    pfc_unit_info_t *info = &b->p->unit[unit];
    pfc__unit_record_t u;
    pfc__unit_tables_t table;
    const char *trouble;
    int done = pfc__unit_tables_read(b, unit, &u, &table);
    if (done) {
        pfc__unit_summed(b, unit, &u);
        pfc__unit_count(b, unit, table.block);
        trouble = pfc__complete(&table, &b->p->block[info->block], pfc__in_flight(b));
        if (trouble) info->trouble = trouble;
    }
    pfc__unit_tables_free(&table);
    return done;
}

static PFC__QUIET int pfc__compare_regions(const void *a, const void *b)
{
    return pfc_region_order(*(const pfc_region_info_t *const *)a, *(const pfc_region_info_t *const *)b);
}

/* Functions are regions too when they are timed: the same name in the same file. What PFC_HIT counts is its function's. */
static PFC__QUIET int pfc__build_function_regions(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    pfc_region_info_t **sorted = (pfc_region_info_t **)pfc__room(b->image, p->regions, sizeof *sorted);
    size_t i;
    pfc__u32 f;
    if (!sorted) return 0;
    for (i = 0; i < p->regions; i++) sorted[i] = &p->region[i];
    qsort(sorted, p->regions, sizeof *sorted, pfc__compare_regions);
    for (f = 0; f < p->functions; f++) {
        pfc_region_info_t key, *wanted = &key, **found;
        key.name = p->function[f].holder ? p->function[f].holder : p->function[f].name;
        key.file = p->source[p->function[f].file].name;
        key.kind = PFC__FUNCTION;
        found = (pfc_region_info_t **)bsearch(&wanted, sorted, p->regions, sizeof *sorted, pfc__compare_regions);
        if (found) p->function[f].region = (pfc__u32)(*found - p->region);
    }
    free(sorted);
    return 1;
}

static PFC__QUIET int pfc__build_counts(pfc__build_t *b)
{
    pfc__u32 u;
    if (!pfc__build_units(b) || !pfc__build_counters(b) || !pfc__build_inherited(b)) return 0;
    for (u = 0; u < b->p->units; u++)
        if (!pfc__unit_complete(b, u)) return 0;
    return pfc__build_function_regions(b);
}

/* ------------------------------------------------- model, stops (impl) ---
   Where activations ended.

   A function that was entered more often than it was left has lost activations
   in calls that didn't return. It can't have been a call of a function that has
   always come back; and one that hasn't is known by its own entries and exits,
   or, where it was left by its last step, by what that step has called. Where
   only one call is left that may have been it, all counts are exact.

   A forked process goes on in activations that its parent has begun, in calls as
   well: of fork, of functions that it goes on in, too, and of those of which
   nothing is known.

   What never returns is counted as an exit, so that flow is conserved: to the
   reader's users an EXIT is how often the function returned. */

typedef struct pfc__stop_info {  /* a call that may not have returned */
    const pfc_block_info_t *block;
    const char *callee;          /* "": through a pointer */
    pfc__u32 unit, kind, sure, called; /* called: where its callee's name begins in by_name */
} pfc__stop_info_t;

typedef struct pfc__stops {
    pfc__build_t *b;
    const pfc_function_info_t **by_name;
    size_t functions, calls;
    pfc__stop_info_t *call;
    pfc__u64 *entered;           /* [function] how often */
    pfc_block_info_t **exit;     /* [function] NULL: it has none */
    unsigned char *gone;         /* [function] 1: an activation of it may not have come back */
    unsigned char *forks;        /* [function] 1: the process may have been forked in a call of it */
    pfc__u64 *lost, *less;       /* [function] so many haven't, at most; of them by steps of which flow doesn't tell, */
    pfc__u64 *left;              /* [function] without which it was left so often */
    pfc__u32 forked;             /* 1: activations have come from the middle, and not all functions tell of how many */
    int strays;                  /* 1: and some of these may never have gone on: other threads' of the parent, or left by a jump */
    pfc__u32 replaced;           /* 1: nor has one that stands in for a library's, which others of the library's may call */
} pfc__stops_t;

static PFC__QUIET int pfc__compare_function_names(const void *a, const void *b)
{
    const pfc_function_info_t *x = *(const pfc_function_info_t *const *)a, *y = *(const pfc_function_info_t *const *)b;
    return strcmp(x->name, y->name);
}

/* The first function of that name, or the one that would follow it. */
static PFC__QUIET pfc__u32 pfc__stops_named(const pfc__stops_t *s, const char *name)
{
    size_t low = 0, high = s->functions;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(s->by_name[middle]->name, name) < 0) low = middle + 1;
        else high = middle;
    }
    return (pfc__u32)low;
}

static PFC__QUIET pfc__u32 pfc__function_index(const pfc__stops_t *s, const pfc_function_info_t *function)
{
    return (pfc__u32)(function - s->b->p->function);
}

/* Whether there is a function that it may be a call of: the unit's static one, or others; how often those were entered,
   whether an activation of them may not have come back, and how many haven't, at most. */
typedef struct pfc__callees { int known, gone, forks; pfc__u64 entered, lost; } pfc__callees_t;

static PFC__QUIET pfc__u64 pfc__sum_at_most(pfc__u64 a, pfc__u64 b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static PFC__QUIET void pfc__callees_find(const pfc__stops_t *s, const pfc__stop_info_t *call, pfc__u32 is_static, pfc__callees_t *found)
{
    size_t i;
    for (i = call->called; i < s->functions && !strcmp(s->by_name[i]->name, call->callee); i++) {
        const pfc_function_info_t *function = s->by_name[i];
        pfc__u32 index = pfc__function_index(s, function);
        if ((function->flags & PFC__STATIC) != is_static || (is_static && function->unit != call->unit)) continue;
        found->known = 1;
        found->gone |= s->gone[index];
        found->forks |= s->forks[index];
        found->entered += s->entered[index];
        found->lost = pfc__sum_at_most(found->lost, s->lost[index]);
    }
}

static PFC__QUIET pfc__callees_t pfc__callees_of(const pfc__stops_t *s, const pfc__stop_info_t *call)
{
    pfc__callees_t found = { 0, 0, 0, 0, 0 };
    if (*call->callee) pfc__callees_find(s, call, PFC__STATIC, &found);
    if (*call->callee && !found.known) pfc__callees_find(s, call, 0, &found);
    return found;
}

/* One that is made more often than its function was entered is of another: the linker has been told so, or it stands in what
   was compiled otherwise. */
static PFC__QUIET int pfc__is_of_another(const pfc__callees_t *callees, const pfc__stop_info_t *call)
{
    return callees->entered < call->block->low;
}

/* Whether it may be this call that didn't return. */
static PFC__QUIET int pfc__stop_is_possible(const pfc__stops_t *s, const pfc__stop_info_t *call)
{
    pfc__callees_t callees;
    if (!call->block->high && call->kind != PFC__STOP_BEFORE) return 0;
    if (!*call->callee) return 1;
    callees = pfc__callees_of(s, call);
    if (!callees.known) return !call->sure || s->replaced || s->b->p->threads > 1;
    return callees.gone || pfc__is_of_another(&callees, call);
}

/* Whether it may be this call in which the process was forked. What becomes another program doesn't go on in this one. */
static PFC__QUIET int pfc__stop_may_fork(const pfc__stops_t *s, const pfc__stop_info_t *call)
{
    pfc__callees_t callees;
    if (!*call->callee) return 1;
    callees = pfc__callees_of(s, call);
    if (callees.known) return callees.forks;
    return !strcmp(call->callee, "fork") || (!call->sure && strncmp(call->callee, "exec", 4) != 0);
}

/* ---- which functions haven't always come back */

static PFC__QUIET void pfc__stops_gone(pfc__stops_t *s, size_t function)
{
    s->gone[function] = 1;
    if (s->b->p->function[function].flags & PFC__REPLACES) s->replaced = 1;
}

/* How often the function was left, as far as its exits tell. */
static PFC__QUIET pfc__u64 pfc__stops_left(const pfc__stops_t *s, size_t function)
{
    return s->exit[function] ? s->exit[function]->low : 0;
}

static PFC__QUIET void pfc__stops_count(pfc__stops_t *s)
{
    const pfc_profile_t *p = s->b->p;
    size_t i;
    for (i = 0; i < p->functions; i++) {
        s->gone[i] = 1; /* unless it has an ENTRY */
        s->forks[i] = s->b->facts[i].inherited || !(p->function[i].flags & PFC__STOPS_KNOWN);
    }
    for (i = 0; i < p->blocks; i++) {
        pfc_block_info_t *block = &p->block[i];
        if (block->kind == PFC__BLOCK_EXIT) s->exit[block->function] = block;
        if (block->kind != PFC__BLOCK_ENTRY) continue;
        s->gone[block->function] = block->low != block->high;
        s->entered[block->function] = block->low;
    }
    for (i = 0; i < p->functions; i++)
        if (s->gone[i] || (s->exit[i] && s->exit[i]->low != s->exit[i]->high) ||
            s->entered[i] + s->b->facts[i].inherited != pfc__stops_left(s, i) ||
            (s->entered[i] && !(p->function[i].flags & PFC__STOPS_KNOWN))) pfc__stops_gone(s, i);
}

/* Whether entries and exits tell of it. In a forked process they don't where flow leaves the function with the call, and
   comes back without one. */
static PFC__QUIET int pfc__stop_shows(const pfc__stops_t *s, const pfc__stop_info_t *call)
{
    int is_opened = !(s->b->p->function[call->block->function].flags & PFC__MAY_NOT_RETURN);
    return call->kind < PFC__STOP_LEFT && !(is_opened && s->forked);
}

static PFC__QUIET void pfc__stops_forks(pfc__stops_t *s, size_t function) { s->forks[function] = 1; }

typedef int pfc__stop_test_t(const pfc__stops_t *, const pfc__stop_info_t *);

/* Marks those, too, that were left by a step that may have been one; of which flow doesn't tell. */
static PFC__QUIET void pfc__stops_spread(pfc__stops_t *s, const unsigned char *marked, pfc__stop_test_t *may,
                                         void (*mark)(pfc__stops_t *, size_t))
{
    int more = 1;
    size_t i;
    while (more) {
        more = 0;
        for (i = 0; i < s->calls; i++) {
            const pfc__stop_info_t *call = &s->call[i];
            pfc__u32 function = call->block->function;
            if (marked[function] || pfc__stop_shows(s, call) || !may(s, call)) continue;
            mark(s, function);
            more = 1;
        }
    }
}

/* Whether it may leave activations by a jump; or whether it has. */
static PFC__QUIET int pfc__stops_jump(const pfc__stops_t *s, int has)
{
    size_t i;
    for (i = 0; i < s->calls; i++)
        if (s->call[i].kind == PFC__STOP_JUMPS && (!has || s->call[i].block->high)) return 1;
    return 0;
}

/* ---- the units' tables */

static PFC__QUIET int pfc__stops_of_unit(pfc__stops_t *s, pfc__u32 unit)
{
    const pfc__build_t *b = s->b;
    const pfc__part_t *part = &b->image->part[b->unit_part[unit]];
    const unsigned char *tables = b->image->bytes + part->begin;
    const pfc_unit_info_t *info = &b->p->unit[unit];
    pfc__unit_record_t u;
    pfc__u64 i;
    if (!pfc__unit_read(b, part, &u)) return 0;
    for (i = 0; i < u.stops; i++) {
        pfc__stop_info_t *call = &s->call[s->calls++];
        pfc__stop_t stop;
        memcpy(&stop, tables + u.stop_table + i * sizeof stop, sizeof stop);
        if (stop.block >= info->blocks || stop.callee >= u.names) return pfc__damaged(b->image, part->begin, "stops of a unit");
        call->block = &b->p->block[info->block + stop.block];
        call->callee = (const char *)tables + u.name_table + stop.callee;
        call->unit = unit;
        call->kind = stop.kind;
        call->sure = stop.sure;
    }
    return 1;
}

static PFC__QUIET int pfc__stops_room(pfc__stops_t *s)
{
    const pfc__build_t *b = s->b;
    const pfc_profile_t *p = b->p;
    pfc__u64 stops = 0;
    size_t i;
    for (i = 0; i < p->units; i++) {
        pfc__unit_record_t u;
        if (!pfc__unit_read(b, &b->image->part[b->unit_part[i]], &u)) return 0;
        stops += u.stops;
    }
    s->by_name = (const pfc_function_info_t **)pfc__room(b->image, p->functions, sizeof *s->by_name);
    s->call = (pfc__stop_info_t *)pfc__room(b->image, stops, sizeof *s->call);
    s->entered = (pfc__u64 *)pfc__room(b->image, p->functions, sizeof *s->entered);
    s->exit = (pfc_block_info_t **)pfc__room(b->image, p->functions, sizeof *s->exit);
    s->gone = (unsigned char *)pfc__room(b->image, p->functions, 1);
    s->forks = (unsigned char *)pfc__room(b->image, p->functions, 1);
    s->lost = (pfc__u64 *)pfc__room(b->image, p->functions, sizeof *s->lost);
    s->less = (pfc__u64 *)pfc__room(b->image, p->functions, sizeof *s->less);
    s->left = (pfc__u64 *)pfc__room(b->image, p->functions, sizeof *s->left);
    return s->by_name && s->call && s->entered && s->exit && s->gone && s->forks && s->lost && s->less && s->left;
}

static PFC__QUIET int pfc__stops_read(pfc__stops_t *s)
{
    const pfc_profile_t *p = s->b->p;
    pfc__u32 i;
    if (!pfc__stops_room(s)) return 0;
    s->forked = s->b->image->header.fork_child != 0;
    for (i = 0; i < p->units; i++)
        if (!pfc__stops_of_unit(s, i)) return 0;
    s->strays = s->b->image->header.fork_child > 1 || pfc__stops_jump(s, 0);
    pfc__stops_count(s);
    return 1;
}

/* Whose names the calls have. */
static PFC__QUIET void pfc__stops_resolve(pfc__stops_t *s)
{
    const pfc_profile_t *p = s->b->p;
    size_t i;
    for (i = 0; i < p->functions; i++)
        if (!p->function[i].holder) s->by_name[s->functions++] = &p->function[i];
    qsort(s->by_name, s->functions, sizeof *s->by_name, pfc__compare_function_names);
    for (i = 0; i < s->calls; i++) s->call[i].called = pfc__stops_named(s, s->call[i].callee);
}

static PFC__QUIET void pfc__stops_free(pfc__stops_t *s)
{
    free(s->by_name);
    free(s->call);
    free(s->entered);
    free(s->exit);
    free(s->gone);
    free(s->forks);
    free(s->lost);
    free(s->less);
    free(s->left);
}

/* ---- completing once more */

/* Whether it can be completed, and more may be known than the first time. */
static PFC__QUIET int pfc__stops_unit_waits(const pfc__stops_t *s, const pfc_unit_info_t *unit)
{
    pfc__u32 f;
    if (*unit->trouble) return 0;
    for (f = unit->function; f < unit->function + unit->functions; f++)
        if (pfc__shows_stops(s->b->p->function[f].flags) && (s->entered[f] > pfc__stops_left(s, f) || s->b->facts[f].inherited)) return 1;
    return 0;
}

/* The vertices where flow may have been lost, or come from. */
static PFC__QUIET void pfc__stops_mark(const pfc__stops_t *s, pfc__u32 unit, const pfc__block_t *block, unsigned char *vertex)
{
    const pfc_block_info_t *first = &s->b->p->block[s->b->p->unit[unit].block];
    size_t i;
    for (i = 0; i < s->calls; i++) {
        const pfc__stop_info_t *call = &s->call[i];
        const pfc__block_t *edge;
        unsigned char may;
        if (call->unit != unit || call->kind >= PFC__STOP_LEFT) continue;
        may = (unsigned char)((pfc__stop_is_possible(s, call) ? PFC__MAY_END : 0) |
                              (s->forked && pfc__stop_may_fork(s, call) ? PFC__MAY_BEGIN : 0));
        edge = &block[call->block - first];
        vertex[call->kind == PFC__STOP_BEFORE ? edge->from : edge->to] |= may;
    }
}

static PFC__QUIET int pfc__stops_unit(const pfc__stops_t *s, pfc__u32 unit)
{
    pfc__build_t *b = s->b;
    pfc_block_info_t *info = &b->p->block[b->p->unit[unit].block];
    pfc__unit_record_t u;
    pfc__unit_tables_t table;
    unsigned char *stops = 0;
    pfc__u32 i;
    int done = pfc__unit_tables_read(b, unit, &u, &table) && (stops = (unsigned char *)pfc__room(b->image, pfc__vertices(&table), 1)) != 0;
    if (done) {
        pfc__stops_mark(s, unit, table.block, stops);
        table.stops = stops;
        table.strays = s->strays;
        for (i = 0; i < table.blocks; i++)
            if (!info[i].counted) info[i].low = info[i].high = 0;
        pfc__complete(&table, info, 0);
    }
    free(stops);
    pfc__unit_tables_free(&table);
    return done;
}

/* Blocks whose counts are intervals, because it wasn't known where activations had ended. */
static PFC__QUIET int pfc__stops_narrow(const pfc__stops_t *s)
{
    pfc__u32 u;
    int done = 1;
    if (pfc__in_flight(s->b) || pfc__stops_jump(s, 1)) return 1; /* they may have ended anywhere */
    for (u = 0; done && u < s->b->p->units; u++)
        if (pfc__stops_unit_waits(s, &s->b->p->unit[u])) done = pfc__stops_unit(s, u);
    return done;
}

/* ---- exits that weren't returns */

static PFC__QUIET void pfc__exits_less(pfc_block_info_t *exit, const pfc__stop_info_t *end)
{
    exit->low -= exit->low < end->block->high ? exit->low : end->block->high;
    if (end->sure && exit->high != UINT64_MAX) exit->high -= exit->high < end->block->low ? exit->high : end->block->low;
}

static PFC__QUIET void pfc__exits_lose(const pfc__stops_t *s)
{
    size_t i;
    for (i = 0; i < s->calls; i++) {
        pfc_block_info_t *exit = s->exit[s->call[i].block->function];
        if (s->call[i].kind >= PFC__STOP_ENDS && exit) pfc__exits_less(exit, &s->call[i]);
    }
}

static PFC__QUIET void pfc__stops_lose(pfc__stops_t *s, size_t function)
{
    pfc__u64 begun = s->entered[function] + s->b->facts[function].inherited, returned = pfc__stops_left(s, function);
    s->lost[function] = !s->entered[function] && s->gone[function] ? UINT64_MAX : begun > returned ? begun - returned : 0;
}

/* How often it may be this call that didn't return, at most. */
static PFC__QUIET pfc__u64 pfc__stop_lost(const pfc__stops_t *s, const pfc__stop_info_t *call)
{
    pfc__callees_t callees = pfc__callees_of(s, call);
    int is_told = callees.known && !pfc__is_of_another(&callees, call) && callees.lost < call->block->high;
    return is_told ? callees.lost : call->block->high;
}

/* A function's last step didn't return as often, at most, as what it calls; `all`: as it is made. 1: more than was known. */
static PFC__QUIET int pfc__stops_lose_more(pfc__stops_t *s, int all)
{
    size_t i;
    int more = 0;
    for (i = 0; i < s->calls; i++) {
        const pfc__stop_info_t *call = &s->call[i];
        pfc__u64 *less = &s->less[call->block->function];
        if (call->kind != PFC__STOP_LEFT || !pfc__stop_is_possible(s, call)) continue;
        *less = pfc__sum_at_most(*less, all ? call->block->high : pfc__stop_lost(s, call));
    }
    for (i = 0; i < s->b->p->functions; i++) {
        pfc_block_info_t *exit = s->exit[i];
        pfc__u64 least = s->left[i] > s->less[i] ? s->left[i] - s->less[i] : 0;
        s->less[i] = 0;
        if (!exit || exit->low <= least) continue;
        exit->low = least;
        exit->counted = 0;
        pfc__stops_lose(s, i);
        more = 1;
    }
    return more;
}

enum { PFC__STOPS_ROUNDS = 100 }; /* recursion may add one activation to another: then it may be all */

static PFC__QUIET void pfc__stops_returns(pfc__stops_t *s)
{
    size_t i;
    int round;
    pfc__exits_lose(s);
    for (i = 0; i < s->b->p->functions; i++) {
        s->left[i] = pfc__stops_left(s, i);
        pfc__stops_lose(s, i);
    }
    for (round = 0; pfc__stops_lose_more(s, round > PFC__STOPS_ROUNDS); round++) continue;
}

static PFC__QUIET int pfc__build_stops(pfc__build_t *b)
{
    pfc__stops_t s;
    int done;
    memset(&s, 0, sizeof s);
    s.b = b;
    done = pfc__stops_read(&s);
    if (done) {
        pfc__stops_resolve(&s);
        pfc__stops_spread(&s, s.gone, pfc__stop_is_possible, pfc__stops_gone);
        if (s.forked) pfc__stops_spread(&s, s.forks, pfc__stop_may_fork, pfc__stops_forks);
        done = pfc__stops_narrow(&s);
    }
    if (done) pfc__stops_returns(&s);
    pfc__stops_free(&s);
    return done;
}

/* ----------------------------------------------- model, service (impl) ---
   Service data and notes: who ran what, how that ended, what it cost, and what it has noted. */

/* The first thread's that knows one. In a damaged profile it may be no region. */
static PFC__QUIET void pfc__first_of(const pfc_profile_t *p, uint32_t *first, pfc__u32 region)
{
    if (!*first && region < p->regions) *first = region;
}

static PFC__QUIET void pfc__build_run(pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc_profile_t *p = b->p;
    p->run = pfc__run_of(b->image);
    p->rank = h->rank;
    p->size = h->size;
    p->pid = h->pid;
    p->parent_pid = h->parent_pid;
    p->forked = h->fork_child != 0;
    p->until_finalize = h->until_finalize != 0;
    p->compensated = h->compensate != 0;
    p->clock_kind = h->clock_kind;
    p->ticks_per_ns = h->ticks_per_ns;
    p->budget = h->budget;
    p->scale = h->scale;
    p->scale_doubt = h->scale_doubt;
    p->start_ns = (double)h->start_ticks * b->ns;
    p->stop_ns = (double)h->stop_ticks * b->ns;
    p->left = h->left <= PFC__LEFT_BY_EXEC ? (int)h->left : 0;
    p->clock_fell |= h->clock_kind == PFC__CLOCK_USER && pfc__is_over(b) && h->tick_end < h->tick_begin;
}

static PFC__QUIET void pfc__build_meta(pfc__build_t *b)
{
    const pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    p->host = pfc__meta(image, "host");
    p->command = pfc__meta(image, "command");
    p->directory = pfc__meta(image, "directory");
    p->executable = pfc__meta(image, "executable");
    p->compiler = pfc__meta(image, "compiler");
    p->version = pfc__meta(image, "version");
    p->clock = pfc__meta(image, "clock");
    p->clock_reason = pfc__meta(image, "clock_reason");
    p->fork_delta = (double)strtoll(pfc__meta(image, "fork_delta"), 0, 10) * b->ns;
}

static PFC__QUIET void pfc__build_costs(pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc_profile_t *p = b->p;
    p->cost.pair = pfc__cost_ns(b, h->cost.pair);
    p->cost.inside = pfc__cost_ns(b, h->cost.inside);
    p->cost.light = pfc__cost_ns(b, h->cost.light);
    p->cost.hit = pfc__cost_ns(b, h->cost.hit);
    p->cost.mpi = pfc__cost_ns(b, h->cost.mpi);
    p->cost.empty_pair = pfc__cost_ns(b, h->cost.empty_pair);
    p->cost.windows = h->cost.windows;
    p->cost.dilation = h->cost.dilation > 0 ? h->cost.dilation : 1;
    p->cost.pair_spread = fabs(pfc__cost_ns(b, h->cost.pair_spread));
    p->cost.inside_spread = fabs(pfc__cost_ns(b, h->cost.inside_spread));
    p->cost.light_spread = fabs(pfc__cost_ns(b, h->cost.light_spread));
    p->cost.hit_spread = fabs(pfc__cost_ns(b, h->cost.hit_spread));
    p->atomic_hit = p->cost.hit * (double)(h->atomic_hits ? h->atomic_hits : 1);
    p->atomic_hit_spread = h->atomic_hits ? p->atomic_hit * h->atomic_doubt : p->cost.hit_spread;
}

/* What had no room, and what didn't end as it began. */
static PFC__QUIET void pfc__build_losses(pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc_profile_t *p = b->p;
    pfc__u32 t;
    p->lost_regions = h->lost_regions;
    p->lost_paths = h->lost_nodes;
    p->lost_units = h->lost_units;
    p->lost_threads = h->lost_threads;
    p->strays = h->strays + h->strayed;
    p->unsaved = h->unsaved;
    p->stray_ends = h->stray_ends;
    p->unclosed = h->unclosed;
    p->unwound = h->unwound;
    for (t = 0; t < p->threads; t++) {
        p->stray_ends += b->thread[t].stray_ends;
        p->unclosed += b->thread[t].unclosed;
        p->unwound += b->thread[t].unwound;
        pfc__first_of(p, &p->first_stray_end, b->thread[t].first_stray_end);
        pfc__first_of(p, &p->first_unclosed, b->thread[t].first_unclosed);
        pfc__first_of(p, &p->first_unwound, b->thread[t].first_unwound);
    }
}

static PFC__QUIET void pfc__build_service(pfc__build_t *b)
{
    pfc__build_run(b);
    pfc__build_meta(b);
    pfc__build_costs(b);
    pfc__build_losses(b);
}

static PFC__QUIET int pfc__build_notes(pfc__build_t *b)
{
    const pfc__image_t *image = b->image;
    size_t k, n = 0;
    int pass;
    for (pass = 0; pass < 2; pass++) {
        for (k = 0; k < image->parts; k++) {
            const char *text;
            pfc__u64 at = 0;
            while (image->part[k].kind == PFC__NOTES && (text = pfc__text_next(image, &image->part[k], &at)) != 0) {
                if (pass == 0) n++;
                else if (b->p->notes < n) b->p->note[b->p->notes++] = text;
            }
        }
        if (pass == 0 && !(b->p->note = (const char **)pfc__room(b->image, n, sizeof *b->p->note))) return 0;
    }
    return 1;
}

/* ------------------------------------------------- model, trace (impl) ---
   Which events of each thread are there, and what they say. */

int pfc_profile_event(const pfc_profile_t *profile, uint32_t thread, uint64_t index, pfc_event_info_t *event)
{
    const pfc__image_t *image = profile->image;
    const pfc_thread_info_t *t = &profile->thread[thread];
    const pfc__part_t *part;
    pfc__event_t e;
    if (!image || thread >= profile->threads || index >= t->events) return 0;
    part = &image->part[t->ring];
    pfc__element(image, part, (t->events_lost + index) % part->capacity, &e, sizeof e);
    event->lt = pfc__ticks(e.lt, image->header.tick_begin) / profile->ticks_per_ns;
    event->kind = e.kind;
    event->region = e.region < profile->regions ? e.region : PFC_NONE;
    event->sent = e.sent;
    event->sender = e.sender;
    event->tag = e.tag;
    event->bytes = e.bytes;
    event->communicator = e.communicator;
    event->source = e.source;
    event->rank = e.rank;
    return 1;
}

/* A ring's first event that may be relied on. Unless the run is over, the next one is being written over the oldest. */
static PFC__QUIET pfc__u64 pfc__ring_from(const pfc__build_t *b, const pfc__part_t *part)
{
    const pfc__u64 kept = part->capacity - !pfc__is_over(b), lost = part->written > kept ? part->written - kept : 0;
    return lost < part->count ? lost : part->count;
}

static PFC__QUIET void pfc__build_events(pfc__build_t *b)
{
    size_t k;
    for (k = b->image->parts; k-- > 0;) {
        const pfc__part_t *part = &b->image->part[k];
        pfc__u32 t = part->kind == PFC__EVENTS && part->capacity ? pfc__thread_index(b->p, part->owner) : PFC_NONE;
        if (t == PFC_NONE) continue;
        b->p->thread[t].ring = k;
        b->p->thread[t].events_lost = pfc__ring_from(b, part);
        b->p->thread[t].events = part->count - b->p->thread[t].events_lost;
    }
}

/* --------------------------------------------------------- named (impl) ---
   Counters that the program has named itself, by PFC_HIT: few, and kept where
   nobody asks for blocks. One of several units, as of a header's inline function,
   of several instances of a template, or of several processes, is one. */

static PFC__QUIET int pfc__compare_counters(const void *a, const void *b)
{
    const pfc_counter_info_t *x = (const pfc_counter_info_t *)a, *y = (const pfc_counter_info_t *)b;
    int order = strcmp(x->file, y->file);
    if (!order) order = strcmp(x->name, y->name);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static PFC__QUIET void pfc__counters_sum(pfc_profile_t *p)
{
    size_t i, n = 0;
    qsort(p->counter, p->counters, sizeof *p->counter, pfc__compare_counters);
    for (i = 0; i < p->counters; i++) {
        if (n && !pfc__compare_counters(&p->counter[n - 1], &p->counter[i])) p->counter[n - 1].count += p->counter[i].count;
        else p->counter[n++] = p->counter[i];
    }
    p->counters = n;
}

static PFC__QUIET int pfc__build_named(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    size_t i, n = 0;
    for (i = 0; i < p->blocks; i++) n += p->block[i].kind == PFC__BLOCK_HIT;
    p->counter = (pfc_counter_info_t *)pfc__room(b->image, n, sizeof *p->counter);
    if (!p->counter) return 0;
    for (i = 0; i < p->blocks; i++) {
        const pfc_block_info_t *block = &p->block[i];
        pfc_counter_info_t *c = &p->counter[p->counters];
        if (block->kind != PFC__BLOCK_HIT) continue;
        c->name = p->function[block->function].name;
        c->function = p->function[block->function].holder;
        c->file = p->source[block->file].name;
        c->line = block->line;
        c->count = block->low;
        p->counters++;
    }
    pfc__counters_sum(p);
    return 1;
}

static PFC__QUIET int pfc__merge_named(pfc_profile_t *p, const pfc_profile_t *const *from, size_t n)
{
    size_t k, all = 0;
    for (k = 0; k < n; k++) all += from[k]->counters;
    p->counter = (pfc_counter_info_t *)calloc(all + 1, sizeof *p->counter);
    if (!p->counter) return 0;
    for (k = 0; k < n; k++) {
        if (from[k]->counters) memcpy(p->counter + p->counters, from[k]->counter, from[k]->counters * sizeof *p->counter);
        p->counters += from[k]->counters;
    }
    pfc__counters_sum(p);
    return 1;
}

/* ------------------------------------------------------ opening (impl) ---
   A profile is opened: all of the model, in the order in which its parts need one another. */

static PFC__QUIET int pfc__build_all(pfc__build_t *b)
{
    pfc__u32 t;
    b->ns = 1 / b->image->header.ticks_per_ns;
    if (!pfc__build_regions(b) || !pfc__build_threads(b) || !pfc__build_paths(b) || !pfc__build_samples(b)) return 0;
    pfc__build_service(b);
    pfc__build_now(b);
    for (t = 0; t < b->p->threads; t++) {
        const pfc__i64 now = pfc__thread_now(b, t);
        pfc__build_open(b, t, now);
        pfc__build_root(b, t, now);
    }
    if (!pfc__build_errors(b) || !pfc__build_wait_errors(b)) return 0;
    pfc__build_estimates(b);
    if (!pfc__build_counts(b) || !pfc__build_stops(b) || !pfc__build_hits(b) || !pfc__build_named(b)) return 0;
    if (!pfc__mpi_read(b->image, &b->p->mpi) || !pfc__mpi_doubts(b->image, b->p)) return 0;
    pfc__build_sums(b);
    pfc__build_events(b);
    return pfc__build_notes(b);
}

void pfc_profile_close(pfc_profile_t *profile)
{
    if (!profile) return;
    free(profile->region);
    free(profile->path);
    free(profile->thread);
    free(profile->unit);
    free(profile->function);
    free(profile->source);
    free(profile->block);
    free(profile->gap);
    free(profile->counter);
    free(profile->note);
    free(profile->noted);
    pfc__mpi_free(profile->mpi);
    pfc__image_free(profile->image);
    free(profile);
}

/* Pages that hold nothing else. */
static PFC__QUIET void pfc__part_forget(const pfc__image_t *image, const pfc__part_t *part)
{
#if defined MADV_DONTNEED
    const pfc__uptr page = (pfc__uptr)sysconf(_SC_PAGESIZE), base = (pfc__uptr)image->bytes;
    pfc__uptr begin = (base + (pfc__uptr)part->begin + page - 1) / page * page, end = (base + (pfc__uptr)part->end) / page * page;
    if (begin < end) pfc__sys_madvise((void *)begin, end - begin, MADV_DONTNEED);
#else
    (void)image, (void)part;
#endif
}

void pfc_profile_forget_blocks(pfc_profile_t *profile)
{
    pfc__image_t *image = profile->image;
    size_t k;
    pfc__u32 u;
    free(profile->block);
    free(profile->gap);
    profile->block = 0;
    profile->gap = 0;
    profile->blocks = profile->gaps = 0;
    for (u = 0; u < profile->units; u++) profile->unit[u].block = profile->unit[u].blocks = profile->unit[u].gap = profile->unit[u].gaps = 0;
    if (!image || image->own) return;
    image->is_partial = 1;
    for (k = 0; k < image->parts; k++)
        if (image->part[k].kind == PFC__UNIT || image->part[k].kind == PFC__COUNTERS) pfc__part_forget(image, &image->part[k]);
}

/* The model of an image, which it takes over; NULL: refused, and image->why says why. */
static PFC__QUIET pfc_profile_t *pfc__profile_of(pfc__image_t *image)
{
    pfc__build_t b;
    int done = 0;
    memset(&b, 0, sizeof b);
    b.image = image;
    b.p = (pfc_profile_t *)pfc__room(image, 1, sizeof *b.p);
    if (!b.p) pfc__image_free(image);
    else {
        b.p->image = image;
        b.p->file = image->file;
        done = pfc__image_read(image) && pfc__build_all(&b);
    }
    free(b.thread);
    free(b.delta);
    free(b.untimed);
    free(b.counter);
    free(b.counter_function);
    free(b.counter_summed);
    free(b.unit_counter);
    free(b.unit_id);
    free(b.unit_part);
    free(b.facts);
    if (!done) pfc_profile_close(b.p);
    return done ? b.p : 0;
}

static PFC__QUIET pfc_profile_t *pfc__open_now(const char *file, char *why, size_t why_bytes)
{
    pfc__image_t *image = pfc__image_new(file, why, why_bytes);
    int fd, loaded;
    if (!image) return 0;
    fd = pfc__sys_open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) pfc__refuse(image, "can't be read: %s", strerror(errno));
    loaded = fd >= 0 && pfc__load_file(image, fd);
    if (fd >= 0) pfc__sys_close(fd);
    if (loaded) return pfc__profile_of(image);
    pfc__image_free(image);
    return 0;
}

/* The copy is of a program that ran. Whoever isn't there any more has written its end before, or moved the file, or died. */
static PFC__QUIET int pfc__has_ended_meanwhile(const pfc_profile_t *p)
{
    pfc__header_t h;
    int fd = pfc__sys_open(p->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), is;
    if (fd < 0) return 1;
    is = pfc__sys_pread(fd, &h, sizeof h, 0) != (ssize_t)sizeof h || h.state != PFC__RUNNING || h.process_start != p->image->header.process_start;
    pfc__sys_close(fd);
    return is;
}

pfc_profile_t *pfc_profile_open(const char *file, char *why, size_t why_bytes)
{
    pfc_profile_t *p = pfc__open_now(file, why, why_bytes);
    if (!p || p->run != PFC_DIED || !pfc__has_ended_meanwhile(p)) return p;
    pfc_profile_close(p);
    return pfc__open_now(file, why, why_bytes);
}

/* ---------------------------------------------------- collection (impl) ---
   Files that hold the profiles of several processes: written, and read one by one. */

pfc__u64 pfc__collection_room(pfc__u64 bytes)
{
    return (bytes + PFC__COLLECTION_PAGE - 1) / PFC__COLLECTION_PAGE * PFC__COLLECTION_PAGE;
}

pfc__collection_t pfc__collection_of(pfc__u64 profiles, pfc__u64 index)
{
    pfc__collection_t c;
    memset(&c, 0, sizeof c);
    memcpy(c.magic, PFC__COLLECTION_MAGIC, 8);
    c.byte_order = PFC__BYTE_ORDER;
    c.major = PFC__COLLECTION_MAJOR;
    c.minor = PFC__COLLECTION_MINOR;
    c.entry_bytes = sizeof(pfc__collection_entry_t);
    c.profiles = profiles;
    c.index = index;
    c.bytes = index + profiles * sizeof(pfc__collection_entry_t);
    c.checksum = pfc__checksum(&c, offsetof(pfc__collection_t, checksum));
    return c;
}

void pfc__collection_entry_seal(pfc__collection_entry_t *entry, const void *profile, const char *name)
{
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->checksum = pfc__checksum(profile, (size_t)entry->bytes);
    entry->entry_checksum = pfc__checksum(entry, offsetof(pfc__collection_entry_t, entry_checksum));
}

/* ---- reading */

/* A file that is open; `image` has its name, and room for what is wrong with it. */
typedef struct pfc__opened { int fd; pfc__image_t *image; pfc__collection_t header; } pfc__opened_t;

static PFC__QUIET int pfc__read_at(const pfc__opened_t *o, void *to, size_t bytes, pfc__u64 at)
{
    errno = EIO; /* of a file that has just become shorter */
    return pfc__sys_pread(o->fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

static PFC__QUIET int pfc__collection_sound(pfc__opened_t *o)
{
    const pfc__collection_t *c = &o->header;
    struct stat s;
    if (!pfc__read_at(o, &o->header, sizeof *c, 0)) return pfc__refuse(o->image, "cut off; copy it again");
    if (c->byte_order == __builtin_bswap32(PFC__BYTE_ORDER))
        return pfc__refuse(o->image, "written on a machine with another byte order; read it on one of that kind");
    if (c->major > PFC__COLLECTION_MAJOR)
        return pfc__refuse(o->image, "written by a newer version of perfcomp (layout %u, this one reads %d); read it with that version",
                           c->major, PFC__COLLECTION_MAJOR);
    if (c->checksum != pfc__checksum(c, offsetof(pfc__collection_t, checksum)) || c->major != PFC__COLLECTION_MAJOR ||
        !c->profiles || c->entry_bytes < sizeof(pfc__collection_entry_t) || c->index > c->bytes ||
        (c->bytes - c->index) / c->entry_bytes != c->profiles || (c->bytes - c->index) % c->entry_bytes)
        return pfc__damaged(o->image, 0, "header of a merged file");
    if (pfc__sys_fstat(o->fd, &s) || (pfc__u64)s.st_size < c->bytes)
        return pfc__refuse(o->image, "cut off: %llu of %llu bytes; copy it again, or merge the profiles again",
                           (unsigned long long)s.st_size, (unsigned long long)c->bytes);
    return 1;
}

/* What the file holds: 0: refused; 1: one profile, or what should be one; 2: several. */
static PFC__QUIET int pfc__open_any(pfc__opened_t *o, const char *file, char *why, size_t why_bytes)
{
    char magic[8];
    o->image = pfc__image_new(file, why, why_bytes);
    o->fd = o->image ? pfc__sys_open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (!o->image) return 0;
    if (o->fd < 0) return pfc__refuse(o->image, "can't be read: %s", strerror(errno));
    if (!pfc__read_at(o, magic, sizeof magic, 0) || memcmp(magic, PFC__COLLECTION_MAGIC, sizeof magic)) return 1;
    return pfc__collection_sound(o) ? 2 : 0;
}

static PFC__QUIET void pfc__close_any(pfc__opened_t *o)
{
    if (o->fd >= 0) pfc__sys_close(o->fd);
    pfc__image_free(o->image);
}

size_t pfc_profiles_in(const char *file, char *why, size_t why_bytes)
{
    pfc__opened_t o;
    int kind = pfc__open_any(&o, file, why, why_bytes);
    pfc__close_any(&o);
    return kind == 2 ? (size_t)o.header.profiles : (size_t)kind;
}

static PFC__QUIET int pfc__entry_read(pfc__opened_t *o, size_t index, pfc__collection_entry_t *entry)
{
    const pfc__collection_t *c = &o->header;
    pfc__u64 at = c->index + index * c->entry_bytes;
    const unsigned char *byte = (const unsigned char *)entry->name;
    if (index >= c->profiles) return pfc__refuse(o->image, "holds %llu profile%s only", (unsigned long long)c->profiles, c->profiles == 1 ? "" : "s");
    if (!pfc__read_at(o, entry, sizeof *entry, at)) return pfc__refuse(o->image, "can't be read: %s", strerror(errno));
    while (*byte >= ' ' && byte < (const unsigned char *)entry->name + sizeof entry->name - 1) byte++;
    if (entry->entry_checksum != pfc__checksum(entry, offsetof(pfc__collection_entry_t, entry_checksum)) || *byte ||
        entry->at < sizeof *c || entry->at > c->index || entry->bytes > c->index - entry->at || !entry->bytes)
        return pfc__damaged(o->image, at, "index of a merged file");
    return 1;
}

/* Opens the entry's profile; its name is the file's, with its own behind. */
static PFC__QUIET pfc_profile_t *pfc__entry_open(const pfc__opened_t *o, const pfc__collection_entry_t *entry, char *why, size_t why_bytes)
{
    size_t room = strlen(o->image->file) + sizeof entry->name + 2;
    char *name = (char *)malloc(room);
    pfc__image_t *image;
    pfc_profile_t *p;
    int sound;
    if (name) snprintf(name, room, "%s/%s", o->image->file, entry->name);
    image = pfc__image_new(name ? name : o->image->file, why, why_bytes);
    free(name);
    if (!image) return 0;
    sound = pfc__load(image, o->fd, entry->at, entry->bytes);
    if (sound && pfc__checksum(image->bytes, image->size) != entry->checksum)
        sound = pfc__refuse(image, "damaged: its checksum is wrong; use an intact copy, or merge the profiles again");
    if (!sound) {
        pfc__image_free(image);
        return 0;
    }
    p = pfc__profile_of(image);
    if (p) p->collected = 1;
    return p;
}

pfc_profile_t *pfc_profile_open_one(const char *file, size_t index, char *why, size_t why_bytes)
{
    pfc__opened_t o;
    pfc__collection_entry_t entry;
    pfc_profile_t *p = 0;
    int kind = pfc__open_any(&o, file, why, why_bytes);
    if (kind == 2 && pfc__entry_read(&o, index, &entry)) p = pfc__entry_open(&o, &entry, why, why_bytes);
    if (kind == 1 && index) pfc__refuse(o.image, "holds one profile only");
    pfc__close_any(&o);
    return kind == 1 && !index ? pfc_profile_open(file, why, why_bytes) : p;
}

/* ---- writing */

/* Profiles of several folders may have one name: all but the first get a number, so that each can be asked for. */
static PFC__QUIET void pfc__entry_name(const pfc__collection_entry_t *entry, size_t i, const char *file, char *name)
{
    const char *slash = strrchr(file, '/');
    size_t room = sizeof entry->name, length, same = 1, k;
    snprintf(name, room, "%s", slash ? slash + 1 : file);
    length = strlen(name);
    for (k = 0; k < i; k++) same += !strncmp(entry[k].name, name, length) && (!entry[k].name[length] || entry[k].name[length] == '.');
    if (length > room - 8) length = room - 8;
    if (same > 1) snprintf(name + length, room - length, ".%zu", same);
}

/* The header last: until then it is no merged file. 0, or an errno. */
static PFC__QUIET int pfc__collection_write(int fd, const pfc_profile_t *const *profiles, size_t n, pfc__collection_entry_t *entry)
{
    pfc__u64 at = PFC__COLLECTION_PAGE;
    pfc__collection_t header;
    int error = 0;
    size_t i;
    for (i = 0; !error && i < n; i++) {
        const pfc__image_t *image = profiles[i]->image;
        char name[sizeof entry->name];
        pfc__entry_name(entry, i, profiles[i]->file, name);
        entry[i].at = at;
        entry[i].bytes = image->header.bytes;
        pfc__collection_entry_seal(&entry[i], image->bytes, name);
        error = pfc__write_at(fd, image->bytes, entry[i].bytes, at);
        at += pfc__collection_room(entry[i].bytes);
    }
    header = pfc__collection_of(n, at);
    if (!error) error = pfc__write_at(fd, entry, n * sizeof *entry, at);
    if (!error) error = pfc__write_at(fd, &header, sizeof header, 0);
    return error;
}

/* The first profile of which not all is here any more; NULL: there is none. */
static PFC__QUIET const pfc_profile_t *pfc__partial_of(const pfc_profile_t *const *profiles, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        if (!profiles[i]->image || profiles[i]->image->is_partial) return profiles[i];
    return 0;
}

/* A device or a pipe would be gone: the file takes its place. */
static PFC__QUIET int pfc__may_replace(const char *file)
{
    struct stat s;
    return pfc__sys_stat(file, &s) || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode); /* a folder is refused by rename */
}

int pfc_profiles_write(const char *file, const pfc_profile_t *const *profiles, size_t n, char *why, size_t why_bytes)
{
    const pfc_profile_t *partial = pfc__partial_of(profiles, n);
    pfc__collection_entry_t *entry = (pfc__collection_entry_t *)calloc(n + 1, sizeof *entry);
    char temporary[PATH_MAX];
    int replaces = pfc__may_replace(file), fd = -1, error = entry ? 0 : ENOMEM;
    int length = snprintf(temporary, sizeof temporary, "%s.%d.new", file, (int)pfc__sys_getpid()); /* nobody else's */
    if (length < 0 || (size_t)length >= sizeof temporary) error = ENAMETOOLONG;
    if (!n || partial || !replaces) error = EINVAL;
    if (!error) {
        pfc__sys_unlink(temporary); /* where others may write, it may be their link to anything */
        fd = pfc__sys_create(temporary, O_WRONLY | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0) error = errno;
    }
    if (fd >= 0) {
        error = pfc__collection_write(fd, profiles, n, entry);
        if (pfc__sys_close(fd) && !error) error = errno;
        if (!error && pfc__sys_rename(temporary, file)) error = errno;
        if (error) pfc__sys_unlink(temporary);
    }
    free(entry);
    if (!n) snprintf(why, why_bytes, "%s: there is no profile to write; name one at least", file);
    else if (partial) snprintf(why, why_bytes, "%s: can't be written: of %s not all is in memory; open it anew", file, partial->file);
    else if (!replaces) snprintf(why, why_bytes, "%s: is no regular file, and can't hold profiles; write elsewhere", file);
    else if (error) snprintf(why, why_bytes, "%s: can't be written (%s); make room, or write elsewhere", file, strerror(error));
    return !error;
}

/* ---------------------------------------------------------- merge (impl) ---
   Several profiles as one: regions of equal names, and paths of equal regions,
   are summed; threads are folded. One profile is merged too when its threads
   shall be seen as one. */

typedef struct pfc__merge {
    pfc_profile_t *p;
    const pfc_profile_t *const *from;
    size_t n;
    pfc__u32 **region;           /* [profile][region]: its index in p */
    pfc__u32 *slot;              /* of a hash table: path + 1 */
    size_t mask;
} pfc__merge_t;

int pfc_region_order(const pfc_region_info_t *a, const pfc_region_info_t *b)
{
    int order = (a->kind == PFC__FUNCTION) - (b->kind == PFC__FUNCTION);
    if (!order) order = strcmp(a->name, b->name);
    return order || a->kind != PFC__FUNCTION ? order : strcmp(a->file, b->file);
}

typedef struct pfc__named { const pfc_region_info_t *region; size_t profile, index; } pfc__named_t;

static PFC__QUIET int pfc__compare_named(const void *a, const void *b)
{
    const pfc__named_t *x = (const pfc__named_t *)a, *y = (const pfc__named_t *)b;
    int order = (y->region->kind == 0) - (x->region->kind == 0); /* the roots' comes first: index 0 */
    return order ? order : pfc_region_order(x->region, y->region);
}

static PFC__QUIET int pfc__merge_regions(pfc__merge_t *m)
{
    pfc__named_t *all;
    size_t total = 0, i, k, n = 0;
    for (k = 0; k < m->n; k++) total += m->from[k]->regions;
    if (total >= PFC_NONE) return 0;
    all = (pfc__named_t *)calloc(total + 1, sizeof *all);
    m->p->region = (pfc_region_info_t *)calloc(total + 1, sizeof *m->p->region);
    for (k = 0; k < m->n; k++) {
        m->region[k] = (pfc__u32 *)calloc(m->from[k]->regions + 1, sizeof **m->region);
        for (i = 0; all && i < m->from[k]->regions; i++, n++) {
            all[n].region = &m->from[k]->region[i];
            all[n].profile = k;
            all[n].index = i;
        }
        if (!m->region[k]) n = total + 1;
    }
    if (!all || !m->p->region || n != total) { free(all); return 0; }
    qsort(all, total, sizeof *all, pfc__compare_named);
    for (i = 0; i < total; i++) {
        pfc_region_info_t *r;
        if (i == 0 || pfc__compare_named(&all[i - 1], &all[i])) {
            r = &m->p->region[m->p->regions++];
            *r = *all[i].region;
            memset(&r->stats, 0, sizeof r->stats);
            r->stats.longest = -1;
        } else r = &m->p->region[m->p->regions - 1];
        pfc__stats_add(&r->stats, &all[i].region->stats);
        m->region[all[i].profile][all[i].index] = (pfc__u32)(r - m->p->region);
    }
    free(all);
    return 1;
}

/* The merged path of a region below a merged path; made when new. */
static PFC__QUIET pfc__u32 pfc__merge_path(pfc__merge_t *m, pfc__u32 parent, pfc__u32 region)
{
    pfc__u64 hash = ((pfc__u64)parent << 32 | region) * 0x9e3779b97f4a7c15u; /* splitmix64's finish */
    pfc_path_info_t *path;
    size_t i;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    for (i = (size_t)(hash ^ hash >> 31) & m->mask; m->slot[i]; i = (i + 1) & m->mask) {
        path = &m->p->path[m->slot[i] - 1];
        if (path->parent == parent && path->region == region) return m->slot[i] - 1;
    }
    path = &m->p->path[m->p->paths];
    path->region = region;
    path->parent = parent;
    path->depth = parent == PFC_NONE ? 0 : m->p->path[parent].depth + 1;
    path->stats.longest = -1;
    m->slot[i] = (pfc__u32)++m->p->paths;
    return m->slot[i] - 1;
}

/* Each stands in the one tree; traces stay with their profile. */
static PFC__QUIET void pfc__merge_threads(pfc_profile_t *p, const pfc_profile_t *f, const pfc__u32 *merged)
{
    pfc__u32 t;
    for (t = 0; t < f->threads; t++) {
        pfc_thread_info_t *thread = &p->thread[p->threads++];
        *thread = f->thread[t];
        thread->root = merged[thread->root];
        if (thread->now != PFC_NONE) thread->now = merged[thread->now];
        thread->events = thread->events_lost = 0;
    }
}

static PFC__QUIET int pfc__merge_paths(pfc__merge_t *m)
{
    size_t total = 0, most = 0, threads = 0, i, k;
    pfc__u32 *merged;
    for (k = 0; k < m->n; k++) {
        total += m->from[k]->paths;
        threads += m->from[k]->threads;
        if (m->from[k]->paths > most) most = m->from[k]->paths;
    }
    if (total >= PFC_NONE || threads >= PFC_NONE) return 0;
    for (m->mask = 15; m->mask < 2 * total; m->mask = 2 * m->mask + 1) continue;
    m->slot = (pfc__u32 *)calloc(m->mask + 1, sizeof *m->slot);
    m->p->path = (pfc_path_info_t *)calloc(total + 1, sizeof *m->p->path);
    m->p->thread = (pfc_thread_info_t *)calloc(threads + 1, sizeof *m->p->thread);
    merged = (pfc__u32 *)calloc(most + 1, sizeof *merged);
    for (k = 0; m->slot && m->p->path && m->p->thread && merged && k < m->n; k++) {
        for (i = 0; i < m->from[k]->paths; i++) {
            const pfc_path_info_t *path = &m->from[k]->path[i];
            merged[i] = pfc__merge_path(m, path->parent == PFC_NONE ? PFC_NONE : merged[path->parent], m->region[k][path->region]);
            pfc__stats_add(&m->p->path[merged[i]].stats, &path->stats);
        }
        pfc__merge_threads(m->p, m->from[k], merged);
    }
    free(merged);
    return merged && m->slot && m->p->path && m->p->thread;
}

/* Those of all processes; what several have said, once. */
static PFC__QUIET int pfc__merge_notes(pfc__merge_t *m)
{
    pfc_profile_t *p = m->p;
    size_t k, i, j, notes = 0, *last;
    for (k = 0; k < m->n; k++) notes += m->from[k]->notes;
    p->note = (const char **)calloc(notes + 1, sizeof *p->note);
    p->noted = (uint32_t *)calloc(notes + 1, sizeof *p->noted);
    last = (size_t *)calloc(notes + 1, sizeof *last);
    for (k = 0; p->note && p->noted && last && k < m->n; k++)
        for (i = 0; i < m->from[k]->notes; i++) {
            for (j = 0; j < p->notes && strcmp(p->note[j], m->from[k]->note[i]);) j++;
            if (j == p->notes) p->note[p->notes++] = m->from[k]->note[i];
            else if (last[j] == k) continue;
            last[j] = k;
            p->noted[j]++;
        }
    free(last);
    return last && p->note && p->noted;
}

/* What one of them costs is the mean. */
static PFC__QUIET void pfc__merge_fetches(pfc_profile_t *p, const pfc_profile_t *f)
{
    double all = p->fetches + f->fetches;
    if (!(all > 0)) return;
    p->fetch = (p->fetches * p->fetch + f->fetches * f->fetch) / all;
    p->fetch_spread = (p->fetches * p->fetch_spread + f->fetches * f->fetch_spread) / all;
    p->fetches = all;
}

static PFC__QUIET void pfc__merge_first(const pfc__merge_t *m, size_t k, pfc__u32 *first, pfc__u32 region)
{
    if (!*first && region) *first = m->region[k][region];
}

/* All have ended, or how that one goes on or ended of which least is known: of one that became another program, or ended
   without exit handlers, everything is. */
static PFC__QUIET void pfc__merge_run(pfc_profile_t *p, const pfc_profile_t *f)
{
    if (f->run == PFC_ENDED) return;
    if (f->left ? p->run != PFC_ENDED : p->run == PFC_DIED && !p->left) return;
    p->run = f->run;
    p->left = f->left;
}

/* What isn't region or path: sums, and of the run's time the longest. */
static PFC__QUIET void pfc__merge_service(pfc__merge_t *m)
{
    pfc_profile_t *p = m->p;
    size_t k;
    for (k = 0; k < m->n; k++) {
        const pfc_profile_t *f = m->from[k];
        if (k == 0 || f->total.lt > p->total.lt) p->total = f->total;
        pfc__merge_run(p, f);
        pfc_time_add(&p->sum, &f->sum);
        p->delay_in += f->delay_in;
        p->slept += f->slept;
        p->forked |= f->forked;
        p->until_finalize |= f->until_finalize;
        p->clock_fell |= f->clock_fell;
        p->start_ns += f->start_ns;
        p->pairs += f->pairs;
        p->untimed += f->untimed;
        p->hits += f->hits;
        p->hits_spread += f->hits_spread;
        p->atomic_hits += f->atomic_hits;
        p->summed_hits += f->summed_hits;
        pfc__merge_fetches(p, f);
        p->lost_regions += f->lost_regions;
        p->lost_paths += f->lost_paths;
        p->lost_units += f->lost_units;
        p->lost_threads += f->lost_threads;
        p->strays += f->strays;
        p->unsaved += f->unsaved;
        p->stray_ends += f->stray_ends;
        p->unclosed += f->unclosed;
        p->unwound += f->unwound;
        pfc__merge_first(m, k, &p->first_stray_end, f->first_stray_end);
        pfc__merge_first(m, k, &p->first_unclosed, f->first_unclosed);
        pfc__merge_first(m, k, &p->first_unwound, f->first_unwound);
    }
}

static PFC__QUIET pfc_profile_t *pfc__merge_begin(const pfc_profile_t *like)
{
    pfc_profile_t *p = (pfc_profile_t *)calloc(1, sizeof *p);
    if (!p) return 0;
    p->file = like->file;
    p->run = PFC_ENDED;
    p->size = like->size;
    p->clock_kind = like->clock_kind;
    p->compensated = like->compensated;
    p->host = like->host;
    p->command = like->command;
    p->directory = like->directory;
    p->executable = like->executable;
    p->compiler = like->compiler;
    p->version = like->version;
    p->clock = like->clock;
    p->clock_reason = like->clock_reason;
    p->begin_utc_ns = like->begin_utc_ns;
    p->last_utc_ns = like->last_utc_ns;
    p->ticks_per_ns = like->ticks_per_ns;
    p->budget = like->budget;
    p->scale = like->scale;
    p->scale_doubt = like->scale_doubt;
    p->cost = like->cost;
    p->atomic_hit = like->atomic_hit;
    p->atomic_hit_spread = like->atomic_hit_spread;
    return p;
}

pfc_profile_t *pfc_profile_merge(const pfc_profile_t *const *profiles, size_t n)
{
    pfc__merge_t m;
    size_t k;
    int done;
    if (!n) return 0;
    memset(&m, 0, sizeof m);
    m.from = profiles;
    m.n = n;
    m.region = (pfc__u32 **)calloc(n, sizeof *m.region);
    m.p = pfc__merge_begin(profiles[0]);
    done = m.region && m.p && pfc__merge_regions(&m) && pfc__merge_paths(&m) && pfc__merge_notes(&m) && pfc__merge_named(m.p, profiles, n);
    if (done) pfc__merge_service(&m);
    for (k = 0; m.region && k < n; k++) free(m.region[k]);
    free(m.region);
    free(m.slot);
    if (!done) pfc_profile_close(m.p);
    return done ? m.p : 0;
}

/* ----------------------------------------------------- printing (impl) ---
   What reports are written with: text that is safe to print, times, counts and dates. */

typedef struct pfc__page {       /* what a report is written with */
    FILE *file;
    const pfc_report_options_t *options;
    const pfc_profile_t *p;      /* of one process, or merged */
    double unit;                 /* ns of the table's unit of time */
    const char *unit_name;
    int count_width, time_width; /* columns that the largest number of calls takes, and the longest time, with a sign */
} pfc__page_t;

int pfc_is_screen(FILE *file)
{
    const char *terminal = pfc__environment("TERM");
    return !(terminal && !strcmp(terminal, "dumb")) && isatty(fileno(file));
}

int pfc_colour_wanted(FILE *file)
{
    const char *no = pfc__environment("NO_COLOR");
    return !(no && *no) && pfc_is_screen(file);
}

size_t pfc_print_text(FILE *file, const char *text)
{
    size_t columns = 0;
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];
        const int has_two = c == 0xc2 && next >= 0x80 && next < 0xa0; /* U+009B is what ESC [ is */
        putc(c < 32 || c == 127 || has_two ? '?' : (int)c, file);
        columns += (c & 0xc0) != 0x80; /* one a character of UTF-8 */
        text += has_two;
    }
    return columns;
}

void pfc_print_path(FILE *file, const pfc_profile_t *profile, uint32_t path, uint32_t most)
{
    const pfc_path_info_t *all = profile->path;
    uint32_t depth = all[path].depth > most ? all[path].depth - most + 1 : 1, at;
    if (depth > 1) fputs("… > ", file);
    for (; depth <= all[path].depth; depth++) {
        for (at = path; all[at].depth > depth;) at = all[at].parent;
        pfc_print_text(file, profile->region[all[at].region].name);
        if (depth < all[path].depth) fputs(" > ", file);
    }
}

static PFC__QUIET size_t pfc__utf8_length(const unsigned char *s)
{
    size_t n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0, i;
    for (i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] >= 0xa0) || (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] >= 0x90)) return 0;
    return n;
}

/* Of a character of UTF-8; some readers take U+0085, U+2028 and U+2029 for line ends. */
static PFC__QUIET int pfc__ends_line(const unsigned char *s)
{
    return *s < 32 || *s == 127 || (*s == 0xc2 && s[1] < 0xa0) || (*s == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9));
}

void pfc_print_utf8(FILE *file, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        size_t n = pfc__utf8_length(s);
        if (n == 0) fputs("\xef\xbf\xbd", file);
        else if (pfc__ends_line(s)) putc('?', file);
        else fwrite(s, 1, n, file);
        s += n ? n : 1;
    }
}

void pfc_print_json(FILE *file, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    putc('"', file);
    while (*s) {
        size_t n = pfc__utf8_length(s);
        if (n == 0) fputs("\\ufffd", file);
        else if (*s < 32 || *s == 127) fprintf(file, "\\u%04x", *s);
        else {
            if (*s == '"' || *s == '\\') putc('\\', file);
            fwrite(s, 1, n, file);
        }
        s += n ? n : 1;
    }
    putc('"', file);
}

/* ---- words */

static PFC__QUIET void pfc__style(const pfc__page_t *page, const char *code)
{
    if (page->options->colour) fprintf(page->file, "\033[%sm", code);
}

static PFC__QUIET void pfc__heading(const pfc__page_t *page, const char *text)
{
    pfc__style(page, "1");
    fputs(text, page->file);
    pfc__style(page, "0");
    putc('\n', page->file);
}

static PFC__QUIET const char *pfc__time_unit(double ns, double *unit)
{
    static const struct { double ns; const char *name; } units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
    int i = 0;
    while (i < 3 && fabs(ns) < units[i].ns) i++;
    *unit = units[i].ns;
    return units[i].name;
}

/* Command lines may be very long. */
static PFC__QUIET void pfc__print_short(FILE *file, const char *text)
{
    char part[161];
    size_t n = strlen(text);
    if (n < sizeof part) { pfc_print_text(file, text); return; }
    for (n = sizeof part - 1; n && ((unsigned char)text[n] & 0xc0) == 0x80;) n--; /* not in the middle of a character */
    memcpy(part, text, n);
    part[n] = 0;
    pfc_print_text(file, part);
    fputs("…", file);
}

/* 1234567 as 1,234,567: so many characters, which `text` has room for. */
static PFC__QUIET int pfc__grouped(uint64_t n, char text[32])
{
    char digits[24];
    int i, k = 0, length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    for (i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) text[k++] = ',';
        text[k++] = digits[i];
    }
    text[k] = 0;
    return k;
}

/* In at least `width` columns. */
static PFC__QUIET void pfc__print_count(FILE *file, uint64_t n, int width)
{
    char text[32];
    pfc__grouped(n, text);
    fprintf(file, "%*s", width, text);
}

/* A value that is shown in steps, as of 1e-6: what rounds to zero has no sign. */
static PFC__QUIET double pfc__in_steps(double value, double step) { return fabs(value) < step / 2 ? 0 : value; }

/* ---- columns of times: no wider than they need be */

/* Of a column of counts, at most that, below the title; with a gap in front. */
static PFC__QUIET int pfc__count_width(uint64_t most, const char *title)
{
    char text[32];
    int count = pfc__grouped(most, text), least = (int)strlen(title);
    return 2 + (count > least ? count : least);
}

static PFC__QUIET void pfc__page_widths(pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    uint64_t most = 0;
    size_t i;
    for (i = 0; i < p->regions; i++)
        if (p->region[i].stats.count > most) most = p->region[i].stats.count;
    page->count_width = pfc__count_width(most, "calls");
    page->time_width = 1 + snprintf(0, 0, "%.6f", p->sum.ct / page->unit);
}

static PFC__QUIET void pfc__print_time(const pfc__page_t *page, double ns)
{
    fprintf(page->file, " %*.6f", page->time_width, pfc__in_steps(ns / page->unit, 1e-6));
}

/* Above columns of times, as "CT|LT|±". */
static PFC__QUIET void pfc__print_titles(const pfc__page_t *page, const char *titles)
{
    while (*titles) {
        size_t bytes = strcspn(titles, "|");
        int columns = strncmp(titles, "±", bytes) ? (int)bytes : 1;
        fprintf(page->file, " %*s%.*s", page->time_width - columns, "", (int)bytes, titles);
        titles += bytes + (titles[bytes] == '|');
    }
}

static PFC__QUIET const char *pfc__plural(uint64_t n, const char *one, const char *many) { return n == 1 ? one : many; }

static PFC__QUIET double pfc__share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

static PFC__QUIET void pfc__print_utc(FILE *file, int64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm utc;
    char text[64];
    if (!gmtime_r(&seconds, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)) snprintf(text, sizeof text, "?");
    fputs(text, file);
}

/* A region's name and where it stands. */
static PFC__QUIET void pfc__print_place(FILE *f, const pfc_region_info_t *r)
{
    pfc_print_text(f, r->name);
    if (!*r->file) return;
    fputs("  ", f);
    pfc_print_text(f, r->file);
    if (r->line) fprintf(f, ":%u", r->line);
}

/* ----------------------------------------------- report, tables (impl) ---
   Regions, named counters, and the tree of call paths. */

static PFC__QUIET double pfc__instrumentation(const pfc_time_t *t) { return pfc__share_of(t->ct - t->lt, t->ct); }

/* Waits are seen apart from what they are counted for, so that of little time there may be any share. */
static PFC__QUIET void pfc__print_instrumentation(FILE *f, double share)
{
    if (fabs(share) < 10) fprintf(f, "%5.1f%%", 100 * share);
    else fputs(share > 0 ? " >999%" : "<-999%", f);
}

static PFC__QUIET void pfc__print_columns(const pfc__page_t *page, const char *last)
{
    char unit[16];
    snprintf(unit, sizeof unit, "[%s]", page->unit_name);
    pfc__style(page, "4");
    fprintf(page->file, "%*s", page->count_width, "calls");
    pfc__print_titles(page, "CT self|LT self|±");
    fprintf(page->file, " %6s", "instr");
    pfc__print_titles(page, "CT total|LT total|±");
    fprintf(page->file, " %6s  %s", "share", last);
    pfc__style(page, "0");
    fprintf(page->file, "  %s\n", unit);
}

static PFC__QUIET void pfc__print_measured(const pfc__page_t *page, const pfc_time_t *t)
{
    pfc__print_time(page, t->ct);
    pfc__print_time(page, t->lt);
    pfc__print_time(page, t->u);
}

static PFC__QUIET void pfc__print_stats(const pfc__page_t *page, const pfc_stats_t *s, const pfc_time_t *share)
{
    FILE *f = page->file;
    double instrumentation = pfc__instrumentation(&s->exclusive);
    pfc__print_count(f, s->count, page->count_width);
    pfc__print_measured(page, &s->exclusive);
    putc(' ', f);
    if (instrumentation > .5) pfc__style(page, "31");
    pfc__print_instrumentation(f, instrumentation);
    if (instrumentation > .5) pfc__style(page, "0");
    pfc__print_measured(page, &s->inclusive);
    fprintf(f, " %5.1f%%  ", pfc__in_steps(100 * pfc__share_of(share->lt, page->p->sum.lt), .1));
}

/* A thread's root is, as long as it runs. */
static PFC__QUIET int pfc__is_open(const pfc_region_info_t *r) { return r->stats.open && r->kind; }

static PFC__QUIET void pfc__print_region(const pfc__page_t *page, const pfc_region_info_t *r)
{
    FILE *f = page->file;
    pfc__print_place(f, r);
    if (pfc__is_open(r)) fprintf(f, "  (%" PRIu64 " open)", r->stats.open);
    putc('\n', f);
}

static PFC__QUIET int pfc__compare_double(double a, double b) { return (a < b) - (a > b); }

static PFC__QUIET int pfc__compare_self(const void *a, const void *b)
{
    const pfc_region_info_t *x = *(const pfc_region_info_t *const *)a, *y = *(const pfc_region_info_t *const *)b;
    int order = pfc__compare_double(x->stats.exclusive.lt, y->stats.exclusive.lt);
    return order ? order : strcmp(x->name, y->name);
}

/* Far below zero is as much as far above: where it is left out, what stands in the table is more than the whole. */
static PFC__QUIET int pfc__compare_size(const void *a, const void *b)
{
    const pfc_region_info_t *x = *(const pfc_region_info_t *const *)a, *y = *(const pfc_region_info_t *const *)b;
    int order = pfc__compare_double(fabs(x->stats.exclusive.lt), fabs(y->stats.exclusive.lt));
    return order ? order : strcmp(x->name, y->name);
}

/* Probes only ever add to CT. What it has less of is waiting that instrumentation has shortened: for a lock, a thread, a rank. */
static PFC__QUIET int pfc__waited_less(const pfc_time_t *t) { return t->lt - t->ct > t->u && pfc__instrumentation(t) < -.05; }

enum { PFC__ROWS = 40 };

/* Of a table of n. */
static PFC__QUIET size_t pfc__rows(const pfc__page_t *page, size_t n) { return page->options->all || n < PFC__ROWS ? n : (size_t)PFC__ROWS; }

static PFC__QUIET void pfc__print_left_out(const pfc__page_t *page, size_t n, const char *one, const char *many)
{
    if (n) fprintf(page->file, "%*s %zu %s left out: perfcomp report --all\n", page->count_width + 2 /* bytes of one character */, "…", n, pfc__plural(n, one, many));
}

static PFC__QUIET void pfc__print_regions(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    const pfc_region_info_t **sorted = (const pfc_region_info_t **)calloc(p->regions + 1, sizeof *sorted);
    size_t i, n = 0, shown, shorter = 0, below = 0, open = 0;
    if (!sorted) { fputs("perfcomp: not enough memory for the table of regions\n", page->file); return; }
    for (i = 0; i < p->regions; i++)
        if (p->region[i].stats.count || p->region[i].kind == 0) sorted[n++] = &p->region[i];
    shown = pfc__rows(page, n);
    qsort(sorted, n, sizeof *sorted, pfc__compare_size);
    qsort(sorted, shown, sizeof *sorted, pfc__compare_self);
    pfc__heading(page, "\nRegions");
    pfc__print_columns(page, "region");
    for (i = 0; i < shown; i++) {
        pfc__print_stats(page, &sorted[i]->stats, &sorted[i]->stats.exclusive);
        pfc__print_region(page, sorted[i]);
        shorter += pfc__waited_less(&sorted[i]->stats.exclusive) != 0;
        below += sorted[i]->stats.exclusive.ct < 0;
        open += pfc__is_open(sorted[i]) != 0;
    }
    pfc__print_left_out(page, n - shown, "region", "regions");
    if (open) fputs("  open: not left by the end of what was recorded (the program still runs, or ended inside, or PFC_END is missing); timed until then.\n", page->file);
    if (below && page->p->untimed) fputs("  CT below zero: of the regions inside not every entry was timed, and those that were took longer; ± holds that.\n", page->file);
    if (shorter) fputs("  instr below zero: undisturbed it would have waited longer, for others that instrumentation has slowed less or not at all.\n", page->file);
    free(sorted);
}

/* ---- named counters */

static PFC__QUIET int pfc__compare_count(const void *a, const void *b)
{
    const pfc_counter_info_t *const *x = (const pfc_counter_info_t *const *)a, *const *y = (const pfc_counter_info_t *const *)b;
    int order = ((*x)->count < (*y)->count) - ((*x)->count > (*y)->count);
    return order ? order : (*x > *y) - (*x < *y);
}

static PFC__QUIET void pfc__print_counters(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    const pfc_counter_info_t **sorted = p->counters ? (const pfc_counter_info_t **)calloc(p->counters, sizeof *sorted) : 0;
    size_t i, shown = pfc__rows(page, p->counters);
    int width;
    if (!sorted) return;
    for (i = 0; i < p->counters; i++) sorted[i] = &p->counter[i];
    qsort(sorted, p->counters, sizeof *sorted, pfc__compare_count);
    pfc__heading(page, "\nCounters");
    width = pfc__count_width(shown ? sorted[0]->count : 0, "count");
    fprintf(page->file, "%*s  counter\n", width, "count");
    for (i = 0; i < shown; i++) {
        pfc__print_count(page->file, sorted[i]->count, width);
        fputs("  ", page->file);
        pfc_print_text(page->file, sorted[i]->name);
        fputs("  ", page->file);
        pfc_print_text(page->file, sorted[i]->file);
        fprintf(page->file, ":%u\n", sorted[i]->line);
    }
    pfc__print_left_out(page, p->counters - shown, "counter", "counters");
    free(sorted);
}

/* ---- tree: paths below one another, the longest first; without recursion, however deep it is */

typedef struct pfc__branch { const pfc_path_info_t *path; size_t index; } pfc__branch_t;

static PFC__QUIET int pfc__compare_branches(const void *a, const void *b)
{
    const pfc__branch_t *x = (const pfc__branch_t *)a, *y = (const pfc__branch_t *)b;
    int order = (x->path->parent > y->path->parent) - (x->path->parent < y->path->parent);
    if (!order) order = pfc__compare_double(x->path->stats.inclusive.lt, y->path->stats.inclusive.lt);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static PFC__QUIET void pfc__print_path(const pfc__page_t *page, const pfc_path_info_t *path)
{
    pfc__u32 depth = path->depth < 48 ? path->depth : 48;
    pfc__print_stats(page, &path->stats, &path->stats.inclusive);
    fprintf(page->file, "%*s", (int)depth * 2, "");
    if (path->depth > depth) fprintf(page->file, "[%u] ", path->depth);
    pfc_print_text(page->file, page->p->region[path->region].name);
    if (path->stats.open && path->parent != PFC_NONE) fprintf(page->file, "  (%" PRIu64 " open)", path->stats.open);
    putc('\n', page->file);
}

/* `first[i]` is where the children of path i begin among the sorted ones. */
static PFC__QUIET size_t pfc__print_branches(const pfc__page_t *page, const pfc__branch_t *sorted, const size_t *first, size_t *stack)
{
    const pfc_profile_t *p = page->p;
    double least = page->options->all ? 0 : 0.002 * p->sum.ct;
    size_t depth = 0, i, left_out = 0;
    for (i = p->paths; i-- > 0;)
        if (sorted[i].path->parent == PFC_NONE) stack[depth++] = i; /* the longest is on top: roots are sorted last */
    while (depth) {
        const pfc__branch_t *b = &sorted[stack[--depth]];
        size_t child;
        const pfc_stats_t *stats = &b->path->stats;
        if (!stats->count && stats->inclusive.ct == 0) continue;
        if (fabs(stats->inclusive.ct) < least) { left_out++; continue; } /* far below zero isn't short */
        pfc__print_path(page, b->path);
        for (child = first[b->index + 1]; child-- > first[b->index];) stack[depth++] = child;
    }
    return left_out;
}

static PFC__QUIET void pfc__print_paths(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    pfc__branch_t *sorted = (pfc__branch_t *)calloc(p->paths + 1, sizeof *sorted);
    size_t *first = (size_t *)calloc(p->paths + 2, sizeof *first);
    size_t *stack = (size_t *)calloc(p->paths + 1, sizeof *stack), i;
    if (sorted && first && stack) {
        for (i = 0; i < p->paths; i++) {
            sorted[i].path = &p->path[i];
            sorted[i].index = i;
            if (p->path[i].parent != PFC_NONE) first[p->path[i].parent + 1]++;
        }
        for (i = 0; i <= p->paths; i++) first[i + 1] += first[i];
        qsort(sorted, p->paths, sizeof *sorted, pfc__compare_branches);
        pfc__heading(page, "\nCall paths");
        pfc__print_columns(page, "path");
        pfc__print_left_out(page, pfc__print_branches(page, sorted, first, stack), "short branch", "short branches");
    } else fputs("perfcomp: not enough memory for the tree of call paths\n", page->file);
    free(sorted);
    free(first);
    free(stack);
}

/* ------------------------------------------------ report, places (impl) ---
   Where programs are that run, or were when they died. */

enum { PFC__PLACES_MOST = 8, PFC__PLACE_DEPTH = 15 };

/* In regions that are open. */
static PFC__QUIET int pfc__is_somewhere(const pfc_profile_t *p, const pfc_thread_info_t *thread)
{
    return !thread->ended && thread->now != PFC_NONE && p->path[thread->now].parent != PFC_NONE;
}

static PFC__QUIET const char *pfc__is_or_was_in(const pfc_profile_t *p)
{
    return p->run == PFC_DIED ? "  was in     " : "  is in      ";
}

/* Of one process: the open regions of each thread. */
static PFC__QUIET void pfc__print_now(FILE *f, const pfc_profile_t *p)
{
    pfc__u32 t, shown = 0, more = 0;
    for (t = 0; t < p->threads; t++) {
        const pfc_thread_info_t *thread = &p->thread[t];
        if (!pfc__is_somewhere(p, thread)) continue;
        if (shown == PFC__PLACES_MOST) { more++; continue; }
        fputs(shown++ ? "             " : pfc__is_or_was_in(p), f);
        if (t) fprintf(f, "thread %u: ", thread->id);
        pfc_print_path(f, p, thread->now, PFC__PLACE_DEPTH);
        putc('\n', f);
    }
    if (more) fprintf(f, "             … and %u more %s\n", more, pfc__plural(more, "thread", "threads"));
}

/* ---- of several processes: a line for those that are at one place, as ranks that wait for one are */

typedef struct pfc__spot {
    const pfc_profile_t *p; /* NULL: it is nowhere, or has its line */
    pfc__u32 path;          /* of its first thread that is somewhere */
} pfc__spot_t;

static PFC__QUIET int pfc__is_of_job(const pfc_profile_t *p) { return p->size > 1 && !p->forked; }

/* A forked process that called _exit or exec is where it wanted to be; a rank of a job isn't. */
static PFC__QUIET pfc__spot_t pfc__spot_of(const pfc_profile_t *p)
{
    pfc__spot_t spot = { 0, 0 };
    pfc__u32 t = 0;
    if (p->run == PFC_ENDED || (p->left && !pfc__is_of_job(p))) return spot;
    while (t < p->threads && !pfc__is_somewhere(p, &p->thread[t])) t++;
    if (t == p->threads) return spot;
    spot.p = p;
    spot.path = p->thread[t].now;
    return spot;
}

static PFC__QUIET int pfc__is_same_spot(pfc__spot_t a, pfc__spot_t b)
{
    const pfc_path_info_t *x = &a.p->path[a.path], *y = &b.p->path[b.path];
    if (a.p->run != b.p->run || pfc__is_of_job(a.p) != pfc__is_of_job(b.p) || x->depth != y->depth) return 0;
    for (; x->parent != PFC_NONE && y->parent != PFC_NONE; x = &a.p->path[x->parent], y = &b.p->path[y->parent])
        if (strcmp(a.p->region[x->region].name, b.p->region[y->region].name)) return 0;
    return x->parent == y->parent;
}

/* Ranks, in ranges, or process ids, of those at the first one's place, which have their line then. */
static PFC__QUIET void pfc__print_who(FILE *f, pfc__spot_t *spot, size_t n)
{
    const pfc__spot_t first = spot[0];
    const int of_job = pfc__is_of_job(first.p);
    pfc__i64 last = -1;
    size_t i, shown = 0, more = 0;
    int is_range = 0;
    for (i = 0; i < n; i++) {
        pfc__i64 number;
        if (!spot[i].p || !pfc__is_same_spot(first, spot[i])) continue;
        number = of_job ? (pfc__i64)spot[i].p->rank : spot[i].p->pid;
        spot[i].p = 0;
        if (of_job && shown && number == last + 1 && !more) { is_range = 1, last = number; continue; }
        if (is_range) fprintf(f, "-%" PRId64, last);
        is_range = 0;
        last = number;
        if (shown == PFC__PLACES_MOST) { more++; continue; }
        fprintf(f, "%s%" PRId64, shown++ ? "," : of_job ? "rank " : "pid ", number);
    }
    if (is_range) fprintf(f, "-%" PRId64, last);
    if (more) fprintf(f, " and %zu more", more);
}

static PFC__QUIET void pfc__print_places(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    pfc__spot_t *spot = (pfc__spot_t *)malloc(n * sizeof *spot);
    size_t i, lines = 0, left_out = 0;
    for (i = 0; spot && i < n; i++) spot[i] = pfc__spot_of(profiles[i]);
    for (i = 0; spot && i < n; i++) {
        const pfc__spot_t at = spot[i];
        if (!at.p) continue;
        if (lines == pfc__rows(page, n)) { left_out++; continue; }
        if (!lines++) pfc__heading(page, "\nWhere they are, or were");
        fputs(pfc__is_or_was_in(at.p), page->file);
        pfc__print_who(page->file, &spot[i], n - i);
        fputs(": ", page->file);
        pfc_print_path(page->file, at.p, at.path, PFC__PLACE_DEPTH);
        putc('\n', page->file);
    }
    pfc__print_left_out(page, left_out, "other process", "other processes");
    free(spot);
}

/* -------------------------------------------------- report, run (impl) ---
   One process: what ran, and how; and what instrumentation did to the run. */

static PFC__QUIET void pfc__print_run(FILE *f, const pfc_profile_t *p)
{
    double unit, passed = pfc__ticks(p->last_utc_ns, p->begin_utc_ns);
    const char *name = pfc__time_unit(passed, &unit);
    if (p->run == PFC_ENDED) { fprintf(f, "ended after %.3f %s", p->total.ct / unit, name); return; }
    if (p->run == PFC_DIED && p->left) {
        fprintf(f, "%s after %.3f %s", p->left == PFC__LEFT_BY_EXIT ? "ended without exit handlers (_exit)" : "became another program (exec)",
                passed / unit, name);
        return;
    }
    if (p->run == PFC_RUNNING) fprintf(f, "still running, %.3f %s after its start", passed / unit, name);
    else {
        fprintf(f, "%s; last sign of life %.3f %s after its start, ", p->run == PFC_DIED ? "died without an end" :
                "not ended; whether it still runs only its own host, or container, can tell", passed / unit, name);
        pfc__print_utc(f, p->last_utc_ns);
    }
}

static PFC__QUIET void pfc__print_line(FILE *f, const char *title, const char *text)
{
    if (!*text) return;
    fputs(title, f);
    pfc_print_text(f, text);
    putc('\n', f);
}

static PFC__QUIET void pfc__print_service(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    FILE *f = page->file;
    pfc__style(page, "1");
    fputs("perfcomp  ", f);
    pfc__print_short(f, *p->command ? p->command : *p->executable ? p->executable : p->file);
    pfc__style(page, "0");
    fprintf(f, "\n  process    rank %u of %u, pid %" PRId64, p->rank, p->size, p->pid);
    if (p->forked) fprintf(f, " (forked from %" PRId64 ")", p->parent_pid);
    fputs(", ", f);
    pfc__print_run(f, p);
    putc('\n', f);
    if (p->run != PFC_ENDED) pfc__print_now(f, p);
    pfc__print_line(f, "  host       ", *p->host ? p->host : "?");
    fputs("  started    ", f);
    pfc__print_utc(f, p->begin_utc_ns);
    putc('\n', f);
    pfc__print_line(f, "  folder     ", p->directory);
    pfc__print_line(f, "  compiler   ", p->compiler);
    fputs("  clock      ", f);
    pfc_print_text(f, *p->clock ? p->clock : "?");
    if (p->ticks_per_ns != 1) fprintf(f, ", %.7g GHz", p->ticks_per_ns);
    if (*p->clock_reason) fputs(" (", f), pfc_print_text(f, p->clock_reason), putc(')', f);
    putc('\n', f);
}

/* ---- what instrumentation did to the run */

/* The budget is timing's: that every entry is counted all the same can take more. */
static PFC__QUIET void pfc__print_budget(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    double counting = pfc__share_of((double)p->untimed * p->cost.light, p->sum.ct);
    if (p->budget > 0 && counting > p->budget)
        fprintf(page->file, "  budget           %.3g %% is for timing; counting the untimed entries took %.1f %% of the run:\n"
                            "                   functions that needn't be timed, perfcomp filter names for a second build\n",
                100 * p->budget, 100 * counting);
}

static PFC__QUIET void pfc__print_run_times(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    FILE *f = page->file;
    double overhead = p->sum.ct - p->sum.lt - p->delay_in, unit = page->unit;
    const char *name = page->unit_name;
    fprintf(f, "  measured         %.6f %s\n", p->total.ct / unit, name);
    if (!p->compensated) { fprintf(f, "  undisturbed      not computed (PERFCOMP_COMPENSATE=0): below, LT is CT\n"); return; }
    fprintf(f, "  undisturbed      %.6f ± %.6f %s\n", pfc__in_steps(p->total.lt / unit, 1e-6), p->total.u / unit, name);
    fprintf(f, "  instrumentation  %.2f %% of the run: %.6f %s", 100 * pfc__share_of(overhead, p->sum.ct), overhead / unit, name);
    if (p->threads > 1) fputs(" summed over all threads", f); /* of all processes */
    if (p->start_ns > 0.1 * overhead) fprintf(f, "; %.6f of it at the start", p->start_ns / unit);
    if (p->delay_in < 0 || p->delay_in > 0) fprintf(f, "; waits for others changed by %+.6f", p->delay_in / unit);
    putc('\n', f);
}

static PFC__QUIET void pfc__print_probe(FILE *f, const pfc_profile_t *p)
{
    const pfc__cost_t *c = &p->cost;
    if (c->dilation >= 1.05)
        fprintf(f, "  processor        shared with others: 1 s of work took %.2f s here, and probes are charged by that\n", c->dilation);
    fprintf(f, "  null probe       %.2f ± %.2f ns, of them %.2f ± %.2f inside the region",
            c->pair, c->pair_spread, c->inside, c->inside_spread);
    if (p->untimed) fprintf(f, "; untimed %.2f ± %.2f ns", c->light, c->light_spread);
    if (c->windows > 0)
        fprintf(f, "\n                   (measured in %.0f stretches of this run; alone it would be %.2f ns)", c->windows, c->empty_pair);
    else if (c->pair_spread > 0)
        fprintf(f, "\n                   (from empty pairs at the start, alone %.2f ns: nothing was measured amid this run's own code)", c->empty_pair);
    if (p->scale > 0)
        fprintf(f, "\n                   (%.3f ± %.3f times what the run can see of it: PERFCOMP_SCALE)", p->scale, p->scale_doubt);
    putc('\n', f);
}

static PFC__QUIET void pfc__print_operations(FILE *f, const pfc_profile_t *p)
{
    fputs("  operations       ", f);
    pfc__print_count(f, p->pairs, 0);
    fputs(pfc__plural(p->pairs, " region entered and left", " regions entered and left"), f);
    if (p->untimed) fputs(", ", f), pfc__print_count(f, p->untimed, 0), fputs(" more untimed", f);
    if (p->hits) {
        fputs(", ", f);
        pfc__print_count(f, p->hits, 0);
        fprintf(f, " %s counted at %.2f ± %.2f ns", pfc__plural(p->hits, "block", "blocks"), p->cost.hit, p->cost.hit_spread);
    }
    if (p->atomic_hits) {
        fputs(", of them ", f);
        pfc__print_count(f, p->atomic_hits, 0);
        fprintf(f, " atomically at %.2f ± %.2f ns", p->atomic_hit, p->atomic_hit_spread);
    }
    if (p->summed_hits) {
        fputs("\n                   (", f);
        pfc__print_count(f, p->summed_hits, 0);
        fputs(" of them turns of loops that the compiler counts in a register: next to nothing)", f);
    }
    if (fabs(p->fetch) >= .005)
        fprintf(f, "\n                   (in %.0f entries of functions that first find their thread's counters, at %.2f ± %.2f ns)",
                p->fetches, p->fetch, p->fetch_spread);
    putc('\n', f);
}

static PFC__QUIET void pfc__print_costs(const pfc__page_t *page)
{
    pfc__print_run_times(page);
    pfc__print_probe(page->file, page->p);
    pfc__print_operations(page->file, page->p);
    pfc__print_budget(page);
}

/* ---------------------------------------------- report, remarks (impl) ---
   What the numbers don't tell, or tell with a restriction. */

/* A line about so many; about none, nothing. */
static PFC__QUIET void pfc__remark(const pfc__page_t *page, uint64_t n, const char *one, const char *many)
{
    if (!n) return;
    fputs("  - ", page->file);
    pfc__print_count(page->file, n, 0);
    fprintf(page->file, " %s\n", pfc__plural(n, one, many));
}

/* Where to look; nothing where it isn't known. */
static PFC__QUIET void pfc__remark_first(const pfc__page_t *page, uint32_t region)
{
    const pfc_region_info_t *r = &page->p->region[region];
    if (!region) return;
    fputs("    The first: ", page->file);
    pfc__print_place(page->file, r);
    putc('\n', page->file);
}

/* Timing takes a fifth; and it is perfcomp-cc that times, not the source by itself. */
static PFC__QUIET int pfc__better_filtered(const pfc_profile_t *p, const pfc_profile_t *one)
{
    pfc__u32 i = 0;
    while (i < one->functions && !(one->function[i].flags & PFC__TIMED)) i++;
    return i < one->functions && (double)p->pairs * p->cost.pair > .2 * p->sum.lt;
}

#define PFC__UNTOUCHED_NAMED 5

/* Functions that perfcomp-cc had to leave as they are, by name the first of them. */
static PFC__QUIET void pfc__remark_untouched(const pfc__page_t *page, const pfc_profile_t *one)
{
    FILE *f = page->file;
    pfc__u32 i, n = 0;
    for (i = 0; i < one->functions; i++) {
        const pfc_function_info_t *function = &one->function[i];
        if (!(function->flags & PFC__UNTOUCHED) || n++ >= PFC__UNTOUCHED_NAMED) continue;
        fputs(n > 1 ? ", " : "  - Not instrumented, so that their time is their callers' and their blocks have no counts:\n    ", f);
        pfc_print_text(f, function->name);
        fputs(" (", f);
        pfc_print_text(f, one->source[function->file].name);
        fprintf(f, ":%u)", function->line);
    }
    if (n > PFC__UNTOUCHED_NAMED) fprintf(f, ", and %u more, which perfcomp annotate shows", n - PFC__UNTOUCHED_NAMED);
    if (n) fputs(".\n", f);
}

static PFC__QUIET void pfc__remark_hits(FILE *f, const pfc_profile_t *p)
{
    if (!p->hits || !p->compensated) return;
    fputs("  - Counted blocks: their cost is subtracted from the functions that hold them, over call paths by time", f);
    if (p->hits_spread) {
        fputs(";\n    ", f);
        pfc__print_count(f, p->hits_spread, 0);
        fputs(pfc__plural(p->hits_spread, " of them is in a function that isn't timed", " of them are in functions that aren't timed"), f);
        fputs(": spread by time over all regions but waits", f);
    }
    fputs(".\n", f);
}

static PFC__QUIET void pfc__remark_nothing(FILE *f, const pfc_profile_t *p, const pfc_profile_t *one)
{
    if (p->pairs || p->untimed || p->hits || p->counters || one->functions) return;
    fputs("  - Nothing of the program is instrumented, or it was in no region: perfcomp-cc leaves out what --skip matches and --only\n"
          "    doesn't, and objects that it only links are as they were compiled.\n", f);
}

/* What instrumentation does beside what it takes, and what is estimated. */
static PFC__QUIET void pfc__remark_method(FILE *f, const pfc_profile_t *p, const pfc_profile_t *one)
{
    fputs("  - Instrumentation can keep the compiler from inlining and vectorising, and takes room in the caches.\n"
          "    Compare with a plain build: perfcomp check -- PLAIN-COMMAND -- INSTRUMENTED-COMMAND\n", f);
    if (pfc__better_filtered(p, one))
        fputs("  - Timing has slowed the program much. perfcomp filter names the functions of it that are better counted than\n"
              "    timed, for a second build with perfcomp-cc --filter.\n", f);
    pfc__remark_hits(f, p);
    if (p->untimed)
        fputs("  - Some entries of hot regions were counted but not timed (PERFCOMP_BUDGET, or to learn what timing costs:\n"
              "    PERFCOMP_CONTEXT=off times all); these have the mean of the timed ones, and ± holds the 95 % interval.\n", f);
}

static PFC__QUIET void pfc__remark_shared_processors(FILE *f, const pfc_profile_t *p, const pfc_profile_t *one)
{
    if (p->cost.dilation < 1.3 || !p->compensated) return;
    if (one->mpi)
        fputs("  - Who waits for a rank that waits for its turn on a shared processor waits for what others do there, the layer's own\n"
              "    messages included: that isn't in ±. Run no more ranks than there are processors.\n", f);
    else if (one->threads > 1)
        fputs("  - Who waits for a thread that waits for its turn on a shared processor waits for what others do there, and a thread\n"
              "    that spins meanwhile, as OpenMP's do, takes that processor: this isn't in ±. Run no more threads than there are\n"
              "    processors free; OMP_WAIT_POLICY=passive lets them sleep.\n", f);
}

static PFC__QUIET void pfc__remark_end(FILE *f, const pfc_profile_t *p)
{
    if (p->run != PFC_ENDED && !p->left)
        fputs("  - The run had not ended: what was just being counted or timed may be behind by some operations.\n", f);
    if (p->until_finalize)
        fputs("  - Profiles end at MPI_Finalize (PERFCOMP_MPI_MERGE): what the program did after it isn't in here.\n", f);
}

static PFC__QUIET void pfc__remark_clock(FILE *f, const pfc_profile_t *p)
{
    if (p->clock_fell)
        fputs("  - The program's own clock (PERFCOMP_CLOCK) went back, so that times come out below zero: these times, and those of the\n"
              "    regions around them, mean nothing. A clock may stand still, but must not go back.\n", f);
}

/* Regions whose begins and ends didn't match. */
static PFC__QUIET void pfc__remark_mended(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    pfc__remark(page, p->unwound, "region was left by longjmp, or by a missing exit: it ended when that was seen.",
                "regions were left by longjmp, or by a missing exit: they ended when that was seen.");
    pfc__remark_first(page, p->first_unwound);
    pfc__remark(page, p->unclosed, "region was begun, but not ended before the one around it ended (PFC_END is missing).",
                "regions were begun, but not ended before the one around them ended (PFC_END is missing).");
    pfc__remark_first(page, p->first_unclosed);
    pfc__remark(page, p->stray_ends, "end of a region that was not open was ignored (PFC_BEGIN is missing).",
                "ends of regions that were not open were ignored (PFC_BEGIN is missing).");
    pfc__remark_first(page, p->first_stray_end);
}

static PFC__QUIET void pfc__remark_lost(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    pfc__remark(page, p->lost_regions, "region found no memory, and is counted as (overflow).",
                "regions found no memory, and are counted as (overflow).");
    pfc__remark(page, p->lost_paths, "entry found no memory for its call path, and is counted as (overflow).",
                "entries found no memory for their call path, and are counted as (overflow).");
    pfc__remark(page, p->lost_units, "translation unit found no room: its counts are missing.",
                "translation units found no room: their counts are missing.");
    pfc__remark(page, p->lost_threads, "thread found no room: its regions are missing.",
                "threads found no room: their regions are missing.");
    pfc__remark(page, p->strays, "process was made without fork, by clone, _Fork or a bare call of the system, or by a signal's handler amid a wait, and isn't recorded: what it did before that was found is in here.",
                "processes were made without fork, by clone, _Fork or a bare call of the system, or by signals' handlers amid waits, and aren't recorded: what they did before that was found is in here.");
    pfc__remark(page, p->unsaved, "process that was forked has no profile: there was no room for it, or another thread couldn't wait until it was there.",
                "processes that were forked have no profiles: there was no room for them, or another thread couldn't wait until they were there.");
}

static PFC__QUIET void pfc__remark_sleep(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    if (p->slept > 0)
        fprintf(page->file,
                "  - Threads slept for %.6f %s where nobody knows for whom (pipes, input, locks inside of shared libraries): as far as\n"
                "    that was for one another, the other's probes are in LT; the totals' ± holds them.\n",
                p->slept / page->unit, page->unit_name);
}

/* Only wait and its like know which process was waited for. */
static PFC__QUIET void pfc__remark_forks(const pfc__page_t *page)
{
    if (page->p->forked && page->p->compensated)
        fputs("  - Processes were forked. What one waits for another otherwise than by wait and its like (pipes, files, polls) is\n"
              "    in LT as it was measured, the other's probes with it, and not in ±.\n", page->file);
}

static PFC__QUIET void pfc__remark_troubles(FILE *f, const pfc_profile_t *p)
{
    pfc__u32 u;
    for (u = 0; u < p->units; u++)
        if (*p->unit[u].trouble) {
            fputs("  - ", f);
            pfc_print_text(f, p->unit[u].name);
            fprintf(f, ": its block counts can't be completed, %s; compile it anew.\n", p->unit[u].trouble);
        }
}

static PFC__QUIET void pfc__remark_notes(FILE *f, const pfc_profile_t *p)
{
    size_t i;
    for (i = 0; i < p->notes; i++) {
        fputs("  - ", f);
        pfc_print_text(f, p->note[i]);
        if (p->noted && p->noted[i] > 1) fprintf(f, " (said by %u processes)", p->noted[i]);
        putc('\n', f);
    }
}

/* `one` is of those that are merged: only it knows functions. */
static PFC__QUIET void pfc__print_remarks(const pfc__page_t *page, const pfc_profile_t *one)
{
    const pfc_profile_t *p = page->p;
    FILE *f = page->file;
    pfc__heading(page, "\nWhat no subtraction mends, and what else to know");
    pfc__remark_nothing(f, p, one);
    pfc__remark_method(f, p, one);
    pfc__remark_shared_processors(f, p, one);
    pfc__remark_end(f, p);
    pfc__remark_clock(f, p);
    pfc__remark_mended(page);
    pfc__remark_lost(page);
    pfc__remark_sleep(page);
    pfc__remark_forks(page);
    pfc__remark_untouched(page, one);
    pfc__remark_troubles(f, p);
    pfc__remark_notes(f, p);
}

/* ------------------------------------------------ report, ranks (impl) ---
   Several processes: a line for each, and which of them don't belong here. */

static PFC__QUIET int pfc__compare_lengths(const void *a, const void *b)
{
    return pfc__compare_double((*(const pfc_profile_t *const *)a)->total.ct, (*(const pfc_profile_t *const *)b)->total.ct);
}

/* Of many processes, those that ran the longest have a line: how long at least. */
static PFC__QUIET double pfc__shortest_shown(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_profile_t **sorted = page->options->all || n <= PFC__ROWS ? 0 : (const pfc_profile_t **)malloc(n * sizeof *sorted);
    double shortest = -1;
    if (!sorted) return shortest;
    memcpy(sorted, profiles, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, pfc__compare_lengths);
    shortest = sorted[PFC__ROWS - 1]->total.ct;
    free(sorted);
    return shortest;
}

static PFC__QUIET int pfc__compare_pids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Forked processes whose parent isn't here. It had a profile, which a later run has replaced, or somebody has removed. */
static PFC__QUIET size_t pfc__orphans(const pfc_profile_t *const *profiles, size_t n)
{
    int64_t *pid = (int64_t *)malloc(n * sizeof *pid);
    size_t i, orphans = 0;
    for (i = 0; pid && i < n; i++) pid[i] = profiles[i]->pid;
    if (pid) qsort(pid, n, sizeof *pid, pfc__compare_pids);
    for (i = 0; pid && i < n; i++)
        orphans += profiles[i]->forked && !bsearch(&profiles[i]->parent_pid, pid, n, sizeof *pid, pfc__compare_pids);
    free(pid);
    return orphans;
}

/* Of the first job's ranks. One that hasn't come to MPI_Init yet doesn't know which it is. */
static PFC__QUIET size_t pfc__missing_ranks(const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_mpi_t *job = 0;
    size_t i, here = 0;
    for (i = 0; i < n; i++) {
        const pfc_mpi_t *mpi = profiles[i]->mpi;
        if (!job) job = mpi;
        here += mpi ? mpi->world == job->world : !profiles[i]->forked;
    }
    return job && here < job->size ? job->size - here : 0;
}

/* A job may be of several programs. */
static PFC__QUIET int pfc__one_command(const pfc_profile_t *const *profiles, size_t n)
{
    size_t i = 1;
    while (i < n && !strcmp(profiles[i]->command, profiles[0]->command)) i++;
    return i == n;
}

/* `host`: columns of the longest host's name. */
static PFC__QUIET void pfc__print_ranks_head(const pfc__page_t *page, const char *command, size_t n, size_t host)
{
    FILE *f = page->file;
    pfc__style(page, "1");
    fprintf(f, "perfcomp  %zu processes", n);
    if (command) fputs(": ", f), pfc__print_short(f, command);
    else fputs(" of different command lines", f);
    pfc__style(page, "0");
    fprintf(f, "\n\n%6s %10s %-*s %-9s", "rank", "pid", (int)host, "host", "state");
    pfc__print_titles(page, "CT|LT|±");
    fprintf(f, " %6s  file  [%s]\n", "instr", page->unit_name);
}

static PFC__QUIET void pfc__print_rank(const pfc__page_t *page, const pfc_profile_t *p, size_t host, int with_command)
{
    static const char *const word[] = { "running", "ended", "died", "not ended" }, *const left[] = { "died", "_exit", "exec" };
    FILE *f = page->file;
    size_t columns;
    fprintf(f, "%6u %10" PRId64 " ", p->rank, p->pid);
    for (columns = pfc_print_text(f, p->host); columns < host; columns++) putc(' ', f);
    fprintf(f, " %-9s", p->run == PFC_DIED ? left[p->left] : word[p->run]);
    pfc__print_measured(page, &p->total);
    putc(' ', f);
    pfc__print_instrumentation(f, pfc__instrumentation(&p->total));
    fputs("  ", f);
    pfc_print_text(f, p->file);
    if (with_command) fputs("  ", f), pfc__print_short(f, p->command);
    putc('\n', f);
}

static PFC__QUIET void pfc__print_ranks(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    double shortest = pfc__shortest_shown(page, profiles, n);
    size_t i, left_out = 0, host = sizeof "host" - 1;
    int one = pfc__one_command(profiles, n);
    for (i = 0; i < n; i++)
        if (strlen(profiles[i]->host) > host) host = strlen(profiles[i]->host);
    pfc__print_ranks_head(page, one ? profiles[0]->command : 0, n, host);
    for (i = 0; i < n; i++) {
        if (profiles[i]->total.ct < shortest) left_out++;
        else pfc__print_rank(page, profiles[i], host, !one);
    }
    pfc__print_left_out(page, left_out, "shorter process", "shorter processes");
    pfc__remark(page, pfc__orphans(profiles, n), "forked process is of an earlier run, or its parent's profile is missing; remove old profiles before a run.",
                "forked processes are of earlier runs, or their parents' profiles are missing; remove old profiles before a run.");
    pfc__remark(page, pfc__missing_ranks(profiles, n), "rank of the job has no profile here: how long others waited for it is shown, but nothing of its own.",
                "ranks of the job have no profiles here: how long others waited for them is shown, but nothing of their own.");
    pfc__print_places(page, profiles, n);
    putc('\n', page->file);
}

/* ------------------------------------------------- report, text (impl) ---
   For people: what ran, what instrumentation did to it, and where the time went. */

/* perfcomp_impl/mpi/report.c and report_json.c; nothing where there is no MPI */
static void pfc__print_mpi(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n);
static void pfc__json_mpi(FILE *f, const pfc_profile_t *p, const pfc_profile_t *const *profiles, size_t n);

void pfc_report_text(FILE *file, const pfc_profile_t *const *profiles, size_t n, const pfc_report_options_t *options)
{
    static const pfc_report_options_t usual = { 0, 0, 0 };
    pfc_profile_t *merged = pfc_profile_merge(profiles, n);
    pfc__page_t page;
    locale_t locale;
    if (!options) options = &usual;
    if (!merged) { fputs(n ? "perfcomp: not enough memory for the report\n" : "perfcomp: no profile, nothing to report\n", file); return; }
    locale = pfc__points_begin();
    page.file = file;
    page.options = options;
    page.p = merged;
    page.unit_name = pfc__time_unit(merged->sum.ct, &page.unit);
    pfc__page_widths(&page);
    if (n > 1) pfc__print_ranks(&page, profiles, n);
    else {
        page.p = profiles[0];
        pfc__print_service(&page);
        putc('\n', file);
    }
    pfc__print_costs(&page);
    page.p = merged;
    pfc__print_regions(&page);
    if (!options->no_paths) pfc__print_paths(&page);
    pfc__print_counters(&page);
    pfc__print_mpi(&page, profiles, n);
    if (n == 1) page.p = profiles[0];
    pfc__print_remarks(&page, profiles[0]);
    pfc__points_end(locale);
    pfc_profile_close(merged);
}

/* ---- this process's own */

static PFC__QUIET pfc_profile_t *pfc__own_profile(char *why, size_t why_bytes)
{
    pfc__image_t *image = pfc__image_new("this process's profile", why, why_bytes);
    if (!image) return 0;
    image->own = 1;
    pfc__lock_take();
    if (!pfc__is_off()) pfc__units_gather();
    image->bytes = pfc__arena.base;
    image->size = pfc__arena.used;
    pfc__mutex_unlock(&pfc__lock);
    return pfc__profile_of(image);
}

static PFC__QUIET void pfc__report_own(FILE *file)
{
    char why[PFC_WHY];
    pfc_report_options_t options;
    pfc_profile_t *p = pfc__own_profile(why, sizeof why);
    memset(&options, 0, sizeof options);
    options.colour = pfc_colour_wanted(file);
    if (p) pfc_report_text(file, (const pfc_profile_t *const *)&p, 1, &options);
    else fprintf(file, "perfcomp: %s\n", why);
    pfc_profile_close(p);
}

void pfc_report(FILE *file)
{
    int saved = errno, busy = pfc__busy;
    pfc__i64 since;
    if (!file) return; /* it couldn't be opened */
    pfc_start(0, 0);
    since = pfc__clock();
    pfc__busy = 1; /* what malloc and stdio do is not the program's, should they be instrumented */
    if (pfc__arena.base) pfc__report_own(file);
    else fputs("perfcomp: off, nothing to report\n", file);
    pfc__busy = busy;
    pfc__charge_slow(since);
    errno = saved;
}

/* ------------------------------------------------- report, JSON (impl) ---
   The same as the text, for programs. */

static PFC__QUIET void pfc__json_number(FILE *f, const char *key, double x)
{
    fprintf(f, "\"%s\":", key);
    if (pfc__finite(x, -1e300, 1e300)) fprintf(f, "%.15g", x);
    else fputs("null", f);
}

static PFC__QUIET void pfc__json_count(FILE *f, const char *key, uint64_t n) { fprintf(f, "\"%s\":%" PRIu64, key, n); }

static PFC__QUIET void pfc__json_string(FILE *f, const char *key, const char *text)
{
    fprintf(f, "\"%s\":", key);
    pfc_print_json(f, text);
}

static PFC__QUIET void pfc__json_time(FILE *f, const char *key, const pfc_time_t *t)
{
    fprintf(f, "\"%s\":{", key);
    pfc__json_number(f, "ct", t->ct), putc(',', f);
    pfc__json_number(f, "lt", t->lt), putc(',', f);
    pfc__json_number(f, "u", t->u), putc('}', f);
}

static PFC__QUIET void pfc__json_stats(FILE *f, const pfc_stats_t *s)
{
    pfc__json_count(f, "calls", s->count), putc(',', f);
    pfc__json_count(f, "open", s->open), putc(',', f);
    pfc__json_count(f, "untimed", s->untimed), putc(',', f);
    pfc__json_time(f, "exclusive", &s->exclusive), putc(',', f);
    pfc__json_time(f, "inclusive", &s->inclusive), putc(',', f);
    pfc__json_number(f, "shortest", s->longest < s->shortest ? HUGE_VAL : s->shortest), putc(',', f);
    pfc__json_number(f, "longest", s->longest < s->shortest ? HUGE_VAL : s->longest), putc(',', f);
    pfc__json_number(f, "hits", s->hits);
}

static PFC__QUIET void pfc__json_service(FILE *f, const pfc_profile_t *p)
{
    static const char *const word[] = { "running", "ended", "died", "elsewhere" }, *const left[] = { "", "_exit", "exec" };
    pfc__json_string(f, "file", p->file), putc(',', f);
    pfc__json_string(f, "state", word[p->run]), putc(',', f);
    pfc__json_string(f, "left", p->run == PFC_DIED ? left[p->left] : ""), putc(',', f);
    pfc__json_count(f, "rank", p->rank), putc(',', f);
    pfc__json_count(f, "size", p->size), putc(',', f);
    fprintf(f, "\"pid\":%" PRId64 ",\"parent_pid\":%" PRId64 ",\"forked\":%s,", p->pid, p->parent_pid, p->forked ? "true" : "false");
    fprintf(f, "\"until_finalize\":%s,", p->until_finalize ? "true" : "false");
    pfc__json_string(f, "host", p->host), putc(',', f);
    pfc__json_string(f, "command", p->command), putc(',', f);
    pfc__json_string(f, "directory", p->directory), putc(',', f);
    pfc__json_string(f, "executable", p->executable), putc(',', f);
    fputs("\"start\":\"", f);
    pfc__print_utc(f, p->begin_utc_ns);
    fputs("\",", f);
    fprintf(f, "\"begin_utc_ns\":%" PRId64 ",\"last_utc_ns\":%" PRId64 ",", p->begin_utc_ns, p->last_utc_ns);
    pfc__json_string(f, "compiler", p->compiler), putc(',', f);
    pfc__json_string(f, "version", p->version), putc(',', f);
    pfc__json_string(f, "clock", p->clock), putc(',', f);
    pfc__json_string(f, "clock_reason", p->clock_reason), putc(',', f);
    pfc__json_number(f, "ticks_per_ns", p->ticks_per_ns), putc(',', f);
    pfc__json_number(f, "budget", p->budget), putc(',', f);
    pfc__json_number(f, "scale", p->scale), putc(',', f);
    pfc__json_number(f, "scale_doubt", p->scale_doubt), putc(',', f);
    pfc__json_number(f, "start_ns", p->start_ns), putc(',', f);
    pfc__json_number(f, "stop_ns", p->stop_ns), putc(',', f);
    pfc__json_number(f, "fork_delta", p->fork_delta), putc(',', f);
    fprintf(f, "\"compensated\":%s,", p->compensated ? "true" : "false");
    pfc__json_time(f, "total", &p->total), putc(',', f);
    pfc__json_time(f, "sum", &p->sum), putc(',', f);
    pfc__json_number(f, "delay_in", p->delay_in), putc(',', f);
    pfc__json_number(f, "slept", p->slept);
}

static PFC__QUIET void pfc__json_costs(FILE *f, const pfc_profile_t *p)
{
    const pfc__cost_t *c = &p->cost;
    fputs("\"cost\":{", f);
    pfc__json_number(f, "pair", c->pair), putc(',', f);
    pfc__json_number(f, "pair_spread", c->pair_spread), putc(',', f);
    pfc__json_number(f, "empty_pair", c->empty_pair), putc(',', f);
    pfc__json_number(f, "windows", c->windows), putc(',', f);
    pfc__json_number(f, "dilation", c->dilation), putc(',', f);
    pfc__json_number(f, "inside", c->inside), putc(',', f);
    pfc__json_number(f, "inside_spread", c->inside_spread), putc(',', f);
    pfc__json_number(f, "light", c->light), putc(',', f);
    pfc__json_number(f, "light_spread", c->light_spread), putc(',', f);
    pfc__json_number(f, "hit", c->hit), putc(',', f);
    pfc__json_number(f, "hit_spread", c->hit_spread), putc(',', f);
    pfc__json_number(f, "atomic_hit", p->atomic_hit), putc(',', f);
    pfc__json_number(f, "atomic_hit_spread", p->atomic_hit_spread), putc(',', f);
    pfc__json_number(f, "fetch", p->fetch), putc(',', f);
    pfc__json_number(f, "fetch_spread", p->fetch_spread), fputs("},\"operations\":{", f);
    pfc__json_count(f, "pairs", p->pairs), putc(',', f);
    pfc__json_count(f, "untimed", p->untimed), putc(',', f);
    pfc__json_count(f, "hits", p->hits), putc(',', f);
    pfc__json_count(f, "hits_spread", p->hits_spread), putc(',', f);
    pfc__json_count(f, "atomic_hits", p->atomic_hits), putc(',', f);
    pfc__json_count(f, "summed_hits", p->summed_hits), putc(',', f);
    pfc__json_number(f, "fetches", p->fetches), fputs("},\"lost\":{", f);
    pfc__json_count(f, "regions", p->lost_regions), putc(',', f);
    pfc__json_count(f, "paths", p->lost_paths), putc(',', f);
    pfc__json_count(f, "units", p->lost_units), putc(',', f);
    pfc__json_count(f, "threads", p->lost_threads), putc(',', f);
    pfc__json_count(f, "strays", p->strays), putc(',', f);
    pfc__json_count(f, "unsaved", p->unsaved), putc(',', f);
    pfc__json_count(f, "stray_ends", p->stray_ends), putc(',', f);
    pfc__json_count(f, "unclosed", p->unclosed), putc(',', f);
    pfc__json_count(f, "unwound", p->unwound), putc(',', f);
    pfc__json_count(f, "first_stray_end", p->first_stray_end), putc(',', f);
    pfc__json_count(f, "first_unclosed", p->first_unclosed), putc(',', f);
    pfc__json_count(f, "first_unwound", p->first_unwound), fprintf(f, "},\"clock_fell\":%s", p->clock_fell ? "true" : "false");
}

static PFC__QUIET void pfc__json_thread(FILE *f, const pfc_thread_info_t *t)
{
    fprintf(f, "{\"id\":%u,\"os_id\":%" PRId64 ",\"ended\":%s,", t->id, t->os_id, t->ended ? "true" : "false");
    pfc__json_number(f, "begin", t->begin), putc(',', f);
    pfc__json_number(f, "end", t->end), putc(',', f);
    if (t->now != PFC_NONE) fprintf(f, "\"now\":%u,", t->now);
    fprintf(f, "\"waits\":%s,\"sleeps\":%s,", t->waits ? "true" : "false", t->sleeps ? "true" : "false");
    pfc__json_count(f, "events", t->events), putc(',', f);
    pfc__json_count(f, "events_lost", t->events_lost), putc(',', f);
    pfc__json_time(f, "total", &t->total), putc('}', f);
}

static PFC__QUIET void pfc__json_region(FILE *f, const pfc_region_info_t *r)
{
    putc('{', f);
    pfc__json_string(f, "name", r->name), putc(',', f);
    pfc__json_string(f, "file", r->file), putc(',', f);
    pfc__json_count(f, "line", r->line), putc(',', f);
    pfc__json_count(f, "kind", r->kind), putc(',', f);
    pfc__json_stats(f, &r->stats), putc('}', f);
}

static PFC__QUIET void pfc__json_path(FILE *f, const pfc_path_info_t *path)
{
    fprintf(f, "{\"region\":%u,\"thread\":%u,\"parent\":", path->region, path->thread);
    if (path->parent == PFC_NONE) fputs("null,", f);
    else fprintf(f, "%u,", path->parent);
    pfc__json_stats(f, &path->stats), putc('}', f);
}

static PFC__QUIET void pfc__json_counter(FILE *f, const pfc_counter_info_t *c)
{
    putc('{', f);
    pfc__json_string(f, "name", c->name), putc(',', f);
    pfc__json_string(f, "file", c->file), putc(',', f);
    pfc__json_string(f, "function", c->function ? c->function : ""), putc(',', f);
    pfc__json_count(f, "line", c->line), putc(',', f);
    pfc__json_count(f, "count", c->count), putc('}', f);
}

/* Another element of a list. */
static PFC__QUIET void pfc__json_next(FILE *f, size_t i) { if (i) fputs(",\n", f); }

static PFC__QUIET void pfc__json_profile(FILE *f, const pfc_profile_t *p, const pfc_profile_t *const *profiles, size_t n)
{
    size_t i;
    putc('{', f);
    pfc__json_service(f, p), putc(',', f);
    pfc__json_costs(f, p), fputs(",\n\"notes\":[", f);
    for (i = 0; i < p->notes; i++) fputs(i ? "," : "", f), pfc_print_json(f, p->note[i]);
    fputs("],\n\"threads\":[", f);
    for (i = 0; i < p->threads; i++) pfc__json_next(f, i), pfc__json_thread(f, &p->thread[i]);
    fputs("],\n\"regions\":[", f);
    for (i = 0; i < p->regions; i++) pfc__json_next(f, i), pfc__json_region(f, &p->region[i]);
    fputs("],\n\"paths\":[", f);
    for (i = 0; i < p->paths; i++) pfc__json_next(f, i), pfc__json_path(f, &p->path[i]);
    fputs("],\n\"counters\":[", f);
    for (i = 0; i < p->counters; i++) pfc__json_next(f, i), pfc__json_counter(f, &p->counter[i]);
    putc(']', f);
    pfc__json_mpi(f, p, profiles, n);
    putc('}', f);
}

void pfc_report_json(FILE *file, const pfc_profile_t *const *profiles, size_t n)
{
    locale_t locale = pfc__points_begin();
    size_t i;
    fputs("{\"unit\":\"ns\",\"profiles\":[", file);
    for (i = 0; i < n; i++) pfc__json_next(file, i), pfc__json_profile(file, profiles[i], profiles, n);
    fputs("]}\n", file);
    pfc__points_end(locale);
}

/* ------------------------------------------- report, calls (MPI, impl) ---
   MPI's calls by kind and by place: how long they took and waited, which of them
   no rule covers, and what came in another order than it would have. */

static const struct { enum pfc__mpi_wait kind; const char *key, *text; } pfc__mpi_wait_names[] = {
    { PFC__LATE_SENDER, "late_sender", "for late senders" },
    { PFC__LATE_RECEIVER, "late_receiver", "for late receivers" },
    { PFC__WAIT_AT_BARRIER, "barrier", "at barriers" },
    { PFC__WAIT_AT_NXN, "nxn", "at all-to-all collectives" },
    { PFC__WAIT_AT_COLLECTIVE, "collective", "at other collectives" },
    { PFC__WAIT_FOR_LOCK, "lock", "for locks of windows" },
};
enum { PFC__MPI_WAIT_NAMES = sizeof pfc__mpi_wait_names / sizeof *pfc__mpi_wait_names };

static PFC__QUIET double pfc__mpi_delay_in(const pfc_mpi_calls_t *c) { return c->time_ct - c->time_lt; }

static PFC__QUIET int pfc__mpi_compare_times(const void *a, const void *b)
{
    const pfc_mpi_calls_t *x = (const pfc_mpi_calls_t *)a, *y = (const pfc_mpi_calls_t *)b;
    int order = pfc__compare_double(x->time_ct, y->time_ct);
    if (!order) order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->place, y->place);
}

static PFC__QUIET void pfc__mpi_print_columns(const pfc__page_t *page, const char *first, const char *more, const char *last)
{
    pfc__style(page, "4");
    fputs(first, page->file);
    pfc__print_titles(page, "CT|LT|wait CT|wait LT|±|delay in");
    pfc__print_titles(page, more);
    fputs(last, page->file);
    pfc__style(page, "0");
    fprintf(page->file, "  [%s]\n", page->unit_name);
}

static PFC__QUIET void pfc__mpi_print_times(const pfc__page_t *page, const pfc_mpi_calls_t *c)
{
    pfc__print_time(page, c->time_ct);
    pfc__print_time(page, c->time_lt);
    pfc__print_time(page, c->wait_ct);
    pfc__print_time(page, c->wait_lt);
    pfc__print_time(page, c->wait_u);
    pfc__print_time(page, pfc__mpi_delay_in(c));
}

static PFC__QUIET void pfc__mpi_print_calls(const pfc__page_t *page, pfc_mpi_calls_t *calls, size_t n, const char *one, const char *many)
{
    size_t i, shown = pfc__rows(page, n);
    uint64_t most = 0;
    char first[64];
    int bytes;
    if (n) qsort(calls, n, sizeof *calls, pfc__mpi_compare_times);
    for (i = 0; i < n; i++)
        if (calls[i].bytes > most) most = calls[i].bytes;
    bytes = pfc__count_width(most, "bytes");
    snprintf(first, sizeof first, "%*s%*s", page->count_width, "calls", bytes, "bytes");
    pfc__mpi_print_columns(page, first, "", "  call");
    for (i = 0; i < shown; i++) {
        pfc__print_count(page->file, calls[i].calls, page->count_width);
        pfc__print_count(page->file, calls[i].bytes, bytes);
        pfc__mpi_print_times(page, &calls[i]);
        fputs("  ", page->file);
        pfc_print_text(page->file, calls[i].name);
        if (*calls[i].place) fputs("  ", page->file), pfc_print_text(page->file, calls[i].place);
        if (calls[i].rule == PFC__RULE_NONE) fputs("  (unknown)", page->file);
        putc('\n', page->file);
    }
    pfc__print_left_out(page, n - shown, one, many);
}

static PFC__QUIET void pfc__mpi_print_waits(const pfc__page_t *page, const pfc_mpi_calls_t *total)
{
    const char *between = "  Undisturbed waiting: ";
    int i;
    for (i = 0; i < PFC__MPI_WAIT_NAMES; i++) {
        double wait = total->wait[pfc__mpi_wait_names[i].kind];
        if (!(wait < 0 || wait > 0)) continue;
        fprintf(page->file, "%s%.6f %s %s", between, wait / page->unit, page->unit_name, pfc__mpi_wait_names[i].text);
        between = ", ";
    }
    if (*between == ',') fputs(".\n", page->file);
    fputs("  Regions of the same name hold perfcomp's own messages as well (CT), and all that MPI_Init and MPI_Finalize do.\n", page->file);
}

/* A call that no rule covers is named: never a silent gap. */
static PFC__QUIET void pfc__mpi_print_unknown(const pfc__page_t *page, const pfc_mpi_calls_t *kind, size_t n)
{
    const char *between = "  Unknown calls, whose waiting counts as the program's own time: ";
    size_t i;
    for (i = 0; i < n; i++) {
        if (kind[i].rule != PFC__RULE_NONE || !kind[i].calls) continue;
        fputs(between, page->file);
        pfc_print_text(page->file, kind[i].name);
        fprintf(page->file, " (%" PRIu64 ")", kind[i].calls);
        between = ", ";
    }
    if (*between == ',') fputs(".\n", page->file);
}

/* What a message carries is known when it is received: the receive corrects what its probe has waited too much, too. */
static PFC__QUIET void pfc__mpi_print_probes(const pfc__page_t *page, const pfc_mpi_calls_t *kind, size_t n)
{
    size_t i = 0;
    while (i < n && (kind[i].rule != PFC__RULE_PROBE || !kind[i].calls)) i++;
    if (i < n) fputs("  Probes: how long they would have waited is settled by the receive that follows, or the completion. Read the LT of both together.\n", page->file);
}

/* Of all ranks together; the worst case is one rank's. */
static PFC__QUIET void pfc__mpi_print_order(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    pfc__u64 taken = 0, overtaken = 0, undecided = 0, held = 0;
    double held_ns = 0;
    int holds = 0;
    const pfc_mpi_order_t *worst = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        const pfc_mpi_order_t *o = profiles[i]->mpi ? &profiles[i]->mpi->order : 0;
        if (!o) continue;
        taken += o->taken;
        overtaken += o->overtaken;
        undecided += o->undecided;
        held += o->held;
        held_ns += o->held_ns;
        holds |= o->holds;
        if (o->overtaken && (!worst || o->most > worst->most)) worst = o;
    }
    if (holds && !held)
        fprintf(page->file, "  Order: no message had to be held back until it was known that none would have come before (to find out took %.6f %s).\n",
                held_ns / page->unit, page->unit_name);
    else if (holds)
        fprintf(page->file, "  Order: %" PRIu64 " %s held back until it was known that none would have come before (%.6f %s, all together).\n", held,
                held == 1 ? "message was" : "messages were", held_ns / page->unit, page->unit_name);
    if (!overtaken && !undecided) return;
    fprintf(page->file, "  Order: of %" PRIu64 " %s received from anybody, undisturbed %" PRIu64 " would have come before one that was received first", taken,
            pfc__plural(taken, "message", "messages"), overtaken);
    if (worst) {
        fprintf(page->file, "\n    (by up to %.6f %s: rank %u's before rank %u's, at ", worst->most / page->unit, page->unit_name, worst->rank, worst->by);
        pfc_print_text(page->file, worst->place);
        putc(')', page->file);
    }
    if (undecided) fprintf(page->file, "%s %" PRIu64 " can't be told", overtaken ? ";" : ",", undecided);
    fputs(overtaken ? ".\n    What the program did then is as it was in this run.\n" : ".\n", page->file);
}

/* ------------------------------------------- report, ranks (MPI, impl) ---
   By rank, and who waited for whom: a table for each world. */

static PFC__QUIET double pfc__mpi_peer_delay(const pfc_mpi_peer_t *p) { return p->wait_ct - p->wait_lt; }

/* All waits of the others of its world for this rank. */
static PFC__QUIET pfc_mpi_peer_t pfc__mpi_waited_for(const pfc_profile_t *const *profiles, size_t n, const pfc_mpi_t *of)
{
    pfc_mpi_peer_t key, all;
    size_t i;
    memset(&key, 0, sizeof key);
    key.rank = of->rank;
    all = key;
    for (i = 0; i < n; i++) {
        const pfc_mpi_t *mpi = profiles[i]->mpi;
        const pfc_mpi_peer_t *peer;
        if (!mpi || mpi->world != of->world || !mpi->peers) continue;
        peer = (const pfc_mpi_peer_t *)bsearch(&key, mpi->peer, mpi->peers, sizeof key, pfc__mpi_compare_peers);
        if (!peer) continue;
        all.waits += peer->waits;
        all.wait_ct += peer->wait_ct;
        all.wait_lt += peer->wait_lt;
    }
    return all;
}

/* `world`: which, where there are several. */
static PFC__QUIET void pfc__mpi_heading(const pfc__page_t *page, const char *text, const char *world)
{
    char line[128];
    snprintf(line, sizeof line, "\n%s%s", text, world);
    pfc__heading(page, line);
}

/* Whose file couldn't be written, isn't here, or found no room. `profiles`: one world's, by rank; processes that a rank has forked
   have its number. */
static PFC__QUIET void pfc__mpi_print_missing(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    size_t i, here = 1, size = profiles[0]->mpi->size;
    for (i = 1; i < n; i++) here += profiles[i]->mpi->rank != profiles[i - 1]->mpi->rank;
    if (here < size)
        pfc__remark(page, size - here, "more rank of this job is in none of these tables: its profile isn't here, or found no room for MPI.",
                    "more ranks of this job are in none of these tables: their profiles aren't here, or found no room for MPI.");
}

typedef struct pfc__mpi_rank { const pfc_mpi_t *mpi; pfc_mpi_peer_t awaited; } pfc__mpi_rank_t;

static PFC__QUIET int pfc__mpi_compare_ranks(const void *a, const void *b)
{
    pfc__u32 x = ((const pfc__mpi_rank_t *)a)->mpi->rank, y = ((const pfc__mpi_rank_t *)b)->mpi->rank;
    return (x > y) - (x < y);
}

static PFC__QUIET int pfc__mpi_compare_awaited(const void *a, const void *b)
{
    const pfc__mpi_rank_t *x = (const pfc__mpi_rank_t *)a, *y = (const pfc__mpi_rank_t *)b;
    int order = pfc__compare_double(x->awaited.wait_lt, y->awaited.wait_lt);
    return order ? order : pfc__mpi_compare_ranks(a, b);
}

static PFC__QUIET void pfc__mpi_print_rank(const pfc__page_t *page, const pfc__mpi_rank_t *r, int calls)
{
    fprintf(page->file, "%6u", r->mpi->rank);
    pfc__print_count(page->file, r->mpi->total.calls, calls);
    pfc__mpi_print_times(page, &r->mpi->total);
    pfc__print_time(page, r->awaited.wait_lt);
    pfc__print_time(page, pfc__mpi_peer_delay(&r->awaited));
    if (r->mpi->finalized) pfc__print_time(page, r->mpi->delay), pfc__print_time(page, r->mpi->delay_u);
    else pfc__print_titles(page, "not ended");
    putc('\n', page->file);
}

/* The rank to look at first. */
static PFC__QUIET void pfc__mpi_print_awaited(const pfc__page_t *page, pfc__mpi_rank_t most, const pfc__mpi_rank_t *rank, size_t n)
{
    double all = 0;
    size_t i;
    for (i = 0; i < n; i++) all += rank[i].awaited.wait_lt;
    if (most.awaited.wait_lt > 0)
        fprintf(page->file, "  Most awaited, undisturbed: rank %u, for %.6f of %.6f %s.\n", most.mpi->rank,
                most.awaited.wait_lt / page->unit, all / page->unit, page->unit_name);
}

/* Of many, those that others would have waited for the longest. Sorts them. */
static PFC__QUIET void pfc__mpi_print_rank_table(const pfc__page_t *page, pfc__mpi_rank_t *rank, size_t n, const char *world)
{
    size_t i, shown = pfc__rows(page, n);
    pfc__mpi_rank_t most_awaited;
    uint64_t most = 0;
    char first[64];
    int calls;
    for (i = 0; i < n; i++)
        if (rank[i].mpi->total.calls > most) most = rank[i].mpi->total.calls;
    calls = pfc__count_width(most, "calls");
    pfc__mpi_heading(page, "MPI by rank", world);
    snprintf(first, sizeof first, "%6s%*s", "rank", calls, "calls");
    pfc__mpi_print_columns(page, first, "awaited|delay out|at end|±", "");
    qsort(rank, n, sizeof *rank, pfc__mpi_compare_awaited);
    most_awaited = rank[0];
    qsort(rank, shown, sizeof *rank, pfc__mpi_compare_ranks);
    for (i = 0; i < shown; i++) pfc__mpi_print_rank(page, &rank[i], calls);
    pfc__print_left_out(page, n - shown, "rank that was awaited less", "ranks that were awaited less");
    fputs("  awaited: how long other ranks would have waited for this one; delay in: by how much longer it waited than undisturbed;\n"
          "  delay out: others for it; at end: by how much later it came to MPI_Finalize.\n", page->file);
    pfc__mpi_print_awaited(page, most_awaited, rank, n);
}

/* 0: no memory. */
static PFC__QUIET int pfc__mpi_print_ranks(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n, const char *world)
{
    pfc__mpi_rank_t *rank = (pfc__mpi_rank_t *)malloc(n * sizeof *rank);
    size_t i;
    if (!rank) return 0;
    for (i = 0; i < n; i++) {
        rank[i].mpi = profiles[i]->mpi;
        rank[i].awaited = pfc__mpi_waited_for(profiles, n, profiles[i]->mpi);
    }
    pfc__mpi_print_rank_table(page, rank, n, world);
    pfc__mpi_print_missing(page, profiles, n);
    free(rank);
    return 1;
}

typedef struct pfc__mpi_pair { pfc__u32 rank; const pfc_mpi_peer_t *peer; } pfc__mpi_pair_t;

static PFC__QUIET double pfc__mpi_pair_weight(const pfc__mpi_pair_t *p) { return fabs(p->peer->wait_ct) + fabs(p->peer->wait_lt); }

static PFC__QUIET int pfc__mpi_compare_pairs(const void *a, const void *b)
{
    const pfc__mpi_pair_t *x = (const pfc__mpi_pair_t *)a, *y = (const pfc__mpi_pair_t *)b;
    int order = pfc__compare_double(pfc__mpi_pair_weight(x), pfc__mpi_pair_weight(y));
    if (!order) order = (x->rank > y->rank) - (x->rank < y->rank);
    return order ? order : pfc__mpi_compare_peers(x->peer, y->peer);
}

static PFC__QUIET void pfc__mpi_print_pairs(const pfc__page_t *page, const pfc__mpi_pair_t *pair, size_t n, const char *world)
{
    FILE *f = page->file;
    size_t i, shown = pfc__rows(page, n);
    pfc__mpi_heading(page, "MPI: who waited for whom", world);
    pfc__style(page, "4");
    fprintf(f, "%6s %6s%*s", "rank", "for", page->count_width, "waits");
    pfc__print_titles(page, "wait CT|wait LT|delay in");
    pfc__style(page, "0");
    fprintf(f, "  [%s]\n", page->unit_name);
    for (i = 0; i < shown; i++) {
        const pfc_mpi_peer_t *p = pair[i].peer;
        fprintf(f, "%6u ", pair[i].rank);
        if (p->rank == PFC_NONE) fprintf(f, "%6s", "others");
        else fprintf(f, "%6u", p->rank);
        pfc__print_count(f, p->waits, page->count_width);
        pfc__print_time(page, p->wait_ct);
        pfc__print_time(page, p->wait_lt);
        pfc__print_time(page, pfc__mpi_peer_delay(p));
        putc('\n', f);
    }
    pfc__print_left_out(page, n - shown, "pair of ranks", "pairs of ranks");
}

static PFC__QUIET int pfc__mpi_print_peers(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n, const char *world)
{
    pfc__mpi_pair_t *pair;
    size_t i, k, total = 0, used = 0;
    for (i = 0; i < n; i++) total += profiles[i]->mpi->peers;
    if (!total) return 1;
    pair = (pfc__mpi_pair_t *)calloc(total, sizeof *pair);
    if (!pair) return 0;
    for (i = 0; i < n; i++)
        for (k = 0; k < profiles[i]->mpi->peers; k++, used++) {
            pair[used].rank = profiles[i]->mpi->rank;
            pair[used].peer = &profiles[i]->mpi->peer[k];
        }
    qsort(pair, used, sizeof *pair, pfc__mpi_compare_pairs);
    pfc__mpi_print_pairs(page, pair, used, world);
    free(pair);
    return 1;
}

static PFC__QUIET int pfc__mpi_compare_worlds(const void *a, const void *b)
{
    const pfc_mpi_t *x = (*(const pfc_profile_t *const *)a)->mpi, *y = (*(const pfc_profile_t *const *)b)->mpi;
    int order = (x->world > y->world) - (x->world < y->world);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Those with MPI, by world and rank: each world has tables of its own. 0: no memory. */
static PFC__QUIET int pfc__mpi_print_worlds(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_profile_t **of = (const pfc_profile_t **)malloc(n * sizeof *of);
    char world[64] = "";
    size_t i, first, used = 0;
    int done = of != 0;
    for (i = 0; of && i < n; i++)
        if (profiles[i]->mpi) of[used++] = profiles[i];
    if (used) qsort(of, used, sizeof *of, pfc__mpi_compare_worlds);
    for (first = 0; first < used && done; first = i) {
        for (i = first + 1; i < used && of[i]->mpi->world == of[first]->mpi->world;) i++;
        if (i - first < used) snprintf(world, sizeof world, ", world of process %" PRId64, of[first]->pid);
        done = (n == 1 || pfc__mpi_print_ranks(page, of + first, i - first, world)) &&
               pfc__mpi_print_peers(page, of + first, i - first, world);
    }
    free(of);
    return done;
}

/* -------------------------------------------------- report (MPI, impl) ---
   What the MPI layer recorded, of one rank or of all together, for people. */

static PFC__QUIET void pfc__mpi_print_job(const pfc__page_t *page, const pfc_mpi_t *mpi)
{
    fputs("  library    ", page->file);
    pfc_print_text(page->file, mpi->library);
    fprintf(page->file, "; rank %u of %u; longest eager message %" PRId64 " bytes; clock within ± %.0f ns of the job's", mpi->rank,
            mpi->size, mpi->eager_bytes, mpi->clock_u);
    if (mpi->clock_strayed != 0) fprintf(page->file, "; at the end it was %+.0f ns from it", mpi->clock_strayed);
    putc('\n', page->file);
    if (mpi->finalized)
        fprintf(page->file, "  delay      %.6f ± %.6f %s at MPI_Finalize, of which %.6f came in from other ranks\n", mpi->delay / page->unit,
                mpi->delay_u / page->unit, page->unit_name, pfc__mpi_delay_in(&mpi->total) / page->unit);
}

/* `calls` has room for all places of all profiles. */
static PFC__QUIET void pfc__mpi_print_tables(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n, pfc_mpi_calls_t *calls)
{
    pfc_mpi_calls_t total;
    size_t i, k, used = 0, kinds;
    memset(&total, 0, sizeof total);
    for (i = 0; i < n; i++)
        for (k = 0; profiles[i]->mpi && k < profiles[i]->mpi->kinds; k++) calls[used++] = profiles[i]->mpi->kind[k];
    kinds = pfc__mpi_fold(calls, used);
    for (k = 0; k < kinds; k++) pfc__mpi_add(&total, &calls[k]);
    pfc__mpi_print_calls(page, calls, kinds, "kind of call", "kinds of calls");
    pfc__mpi_print_waits(page, &total);
    pfc__mpi_print_unknown(page, calls, kinds);
    pfc__mpi_print_probes(page, calls, kinds);
    pfc__mpi_print_order(page, profiles, n);
    if (n == 1) {
        const pfc_mpi_t *mpi = profiles[0]->mpi;
        for (k = 0; k < mpi->places; k++) calls[k] = mpi->place[k]; /* a copy, to be sorted */
        pfc__heading(page, "\nMPI calls by place");
        pfc__mpi_print_calls(page, calls, mpi->places, "place", "places");
    }
}

/* The rank that was kept from its work by trials for the longest time, if that is a share of its run which is felt. */
static PFC__QUIET void pfc__mpi_remark_trials(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_profile_t *p = 0;
    size_t i;
    for (i = 0; i < n; i++)
        if (profiles[i]->mpi && (!p || profiles[i]->mpi->tried_ns > p->mpi->tried_ns)) p = profiles[i];
    if (!p || p->mpi->tried_ns < 100e6 || p->mpi->tried_ns < p->total.ct / 20) return;
    fprintf(page->file, "  - Of rank %u's %.1f s %.1f went into finding out by which way the data of collectives go, of ", p->mpi->rank,
            p->total.ct / 1e9, p->mpi->tried_ns / 1e9);
    pfc__print_count(page->file, p->mpi->tried, 0);
    fprintf(page->file, " %s by\n    their ranks, call and length. PERFCOMP_MPI_TRIALS=off saves that, but then it isn't known who waits in "
            "Bcast,\n    Reduce, Scatter, Gather, Scan and Alltoallv.\n", pfc__plural(p->mpi->tried, "kind", "kinds"));
}

static void pfc__print_mpi(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    pfc_mpi_calls_t *calls;
    size_t i, with = 0, places = 0, unacknowledged = 0;
    for (i = 0; i < n; i++)
        if (profiles[i]->mpi) {
            with++;
            places += profiles[i]->mpi->places;
            unacknowledged += (size_t)profiles[i]->mpi->unacknowledged;
        }
    if (!with) return;
    calls = (pfc_mpi_calls_t *)calloc(places + 1, sizeof *calls);
    pfc__heading(page, "\nMPI calls");
    if (n == 1) pfc__mpi_print_job(page, profiles[0]->mpi);
    if (calls) pfc__mpi_print_tables(page, profiles, n, calls);
    if (!calls || !pfc__mpi_print_worlds(page, profiles, n)) fputs("perfcomp: not enough memory for the tables of MPI\n", page->file);
    pfc__remark(page, unacknowledged, "send may have waited longer, or shorter, than is shown: when its receiver asked was never learnt.",
                "sends may have waited longer, or shorter, than is shown: when their receivers asked was never learnt.");
    pfc__mpi_remark_trials(page, profiles, n);
    free(calls);
}

/* -------------------------------------------- report, JSON (MPI, impl) ---
   The same for programs. */

static PFC__QUIET void pfc__json_mpi_calls(FILE *f, const pfc_mpi_calls_t *c)
{
    int i;
    putc('{', f);
    if (*c->name) pfc__json_string(f, "name", c->name), putc(',', f);
    if (*c->place) pfc__json_string(f, "place", c->place), putc(',', f);
    if (*c->name) fprintf(f, "\"known\":%s,", c->rule == PFC__RULE_NONE ? "false" : "true");
    pfc__json_count(f, "calls", c->calls), putc(',', f);
    pfc__json_count(f, "bytes", c->bytes), putc(',', f);
    pfc__json_number(f, "ct", c->time_ct), putc(',', f);
    pfc__json_number(f, "lt", c->time_lt), putc(',', f);
    pfc__json_number(f, "wait_ct", c->wait_ct), putc(',', f);
    pfc__json_number(f, "wait_lt", c->wait_lt), putc(',', f);
    pfc__json_number(f, "wait_u", c->wait_u), fputs(",\"wait_lt_of\":{", f);
    for (i = 0; i < PFC__MPI_WAIT_NAMES; i++) {
        if (i) putc(',', f);
        pfc__json_number(f, pfc__mpi_wait_names[i].key, c->wait[pfc__mpi_wait_names[i].kind]);
    }
    fputs("}}", f);
}

static PFC__QUIET void pfc__json_mpi_list(FILE *f, const char *key, const pfc_mpi_calls_t *calls, size_t n)
{
    size_t i;
    fprintf(f, ",\n\"%s\":[", key);
    for (i = 0; i < n; i++) {
        if (i) fputs(",\n", f);
        pfc__json_mpi_calls(f, &calls[i]);
    }
    putc(']', f);
}

static PFC__QUIET void pfc__json_mpi_peers(FILE *f, const pfc_mpi_t *mpi)
{
    size_t i;
    fputs(",\n\"peers\":[", f);
    for (i = 0; i < mpi->peers; i++) {
        const pfc_mpi_peer_t *p = &mpi->peer[i];
        fputs(i ? ",{" : "{", f);
        if (p->rank == PFC_NONE) fputs("\"rank\":null", f);
        else pfc__json_count(f, "rank", p->rank);
        putc(',', f);
        pfc__json_count(f, "waits", p->waits), putc(',', f);
        pfc__json_number(f, "wait_ct", p->wait_ct), putc(',', f);
        pfc__json_number(f, "wait_lt", p->wait_lt), putc('}', f);
    }
    putc(']', f);
}

static PFC__QUIET void pfc__json_mpi_order(FILE *f, const pfc_mpi_order_t *o)
{
    fputs("\"order\":{", f);
    pfc__json_count(f, "from_anybody", o->taken), putc(',', f);
    pfc__json_count(f, "overtaken", o->overtaken), putc(',', f);
    pfc__json_count(f, "undecided", o->undecided);
    if (o->holds) {
        putc(',', f);
        pfc__json_count(f, "held", o->held), putc(',', f);
        pfc__json_number(f, "held_time", o->held_ns);
    }
    if (o->overtaken) {
        putc(',', f);
        pfc__json_number(f, "most", o->most), putc(',', f);
        pfc__json_count(f, "rank", o->rank), putc(',', f);
        pfc__json_count(f, "by", o->by), putc(',', f);
        pfc__json_string(f, "place", o->place);
    }
    fputs("},", f);
}

static void pfc__json_mpi(FILE *f, const pfc_profile_t *p, const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_mpi_t *mpi = p->mpi;
    pfc_mpi_peer_t awaited;
    if (!mpi) return;
    awaited = pfc__mpi_waited_for(profiles, n, mpi);
    fputs(",\n\"mpi\":{", f);
    pfc__json_count(f, "rank", mpi->rank), putc(',', f);
    pfc__json_count(f, "size", mpi->size), putc(',', f);
    pfc__json_count(f, "world", mpi->world), putc(',', f);
    pfc__json_string(f, "library", mpi->library), putc(',', f);
    fprintf(f, "\"finalized\":%s,", mpi->finalized ? "true" : "false");
    if (mpi->finalized) {
        pfc__json_number(f, "delay", mpi->delay), putc(',', f);
        pfc__json_number(f, "delay_u", mpi->delay_u), putc(',', f);
    }
    pfc__json_number(f, "delay_in", pfc__mpi_delay_in(&mpi->total)), putc(',', f);
    pfc__json_number(f, "awaited_ct", awaited.wait_ct), putc(',', f);
    pfc__json_number(f, "awaited_lt", awaited.wait_lt), putc(',', f);
    pfc__json_number(f, "delay_out", pfc__mpi_peer_delay(&awaited)), putc(',', f);
    pfc__json_number(f, "clock_u", mpi->clock_u), putc(',', f);
    pfc__json_number(f, "clock_strayed", mpi->clock_strayed), putc(',', f);
    fprintf(f, "\"eager_bytes\":%" PRId64 ",", mpi->eager_bytes);
    pfc__json_mpi_order(f, &mpi->order);
    pfc__json_count(f, "tried", mpi->tried), putc(',', f);
    pfc__json_number(f, "tried_ns", mpi->tried_ns), putc(',', f);
    pfc__json_count(f, "unacknowledged", mpi->unacknowledged), fputs(",\n\"total\":", f);
    pfc__json_mpi_calls(f, &mpi->total);
    pfc__json_mpi_list(f, "kinds", mpi->kind, mpi->kinds);
    pfc__json_mpi_list(f, "places", mpi->place, mpi->places);
    pfc__json_mpi_peers(f, mpi);
    putc('}', f);
}

PFC__EXTERN_C_END
#endif
#pragma GCC diagnostic pop
#endif /* PERFCOMP_IMPLEMENTATION */

/* ---------------------------------------------------------- ends (impl) ---
   In place of _exit and its like (see exits.c). perfcomp-cc makes an object of
   its own of this (PERFCOMP_ENDS), which the linker takes only where they are
   called: a library that names a way to exit, even weakly and for nobody,
   doesn't pass its project's test that it has none (PostgreSQL's libpq). */

#if !defined PFC__ENDS_HERE && (defined PERFCOMP_ENDS || (defined PFC__THREADS_MEET && !defined PERFCOMP_ENDS_APART))
#define PFC__ENDS_HERE
PFC__EXTERN_C_BEGIN

#define PFC__END(name) \
    extern __attribute__((weak, noreturn)) void __real_##name(int), __wrap_##name(int); \
    __attribute__((weak, noreturn)) PFC__QUIET void __wrap_##name(int status) \
    { \
        pfc__ends(); \
        __real_##name(status); \
    }

PFC__END(_exit)
PFC__END(_Exit)
PFC__END(quick_exit)

PFC__EXTERN_C_END
#endif

/*
MIT License

Copyright (c) 2026 the perfcomp authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
