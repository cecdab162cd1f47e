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
