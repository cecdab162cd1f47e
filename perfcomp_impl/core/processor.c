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
