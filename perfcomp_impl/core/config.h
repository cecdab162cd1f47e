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
