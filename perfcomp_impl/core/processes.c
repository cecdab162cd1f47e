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
