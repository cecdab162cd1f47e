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
