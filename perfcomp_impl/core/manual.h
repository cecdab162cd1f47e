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
