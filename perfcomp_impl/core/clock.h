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
