/* -------------------------------------------------------- kernel (impl) ---
   Some calls of the system past the C library: what a program defines of it
   (mmap, pthread_sigmask, sigfillset, clock_gettime, syscall …) is the
   program's, and instrumented. Where a first pass ends in us before this thread
   is known to be inside, such a function would come to us again without end. */

#if defined __linux__ && !defined __ILP32__ && (defined __x86_64__ || defined __aarch64__)
#  define PFC__KERNEL

/* The result, or -errno. */
static PFC__QUIET long pfc__kernel(long number, long a, long b, long c, long d, long e, long f)
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
#endif

/* Zeroed memory of our own; NULL: there is none. */
static PFC__QUIET void *pfc__pages(size_t bytes)
{
#if defined PFC__KERNEL
    long p = pfc__kernel(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p < 0 && p > -4096 ? 0 : (void *)p;
#else
    void *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? 0 : p;
#endif
}

/* No signal comes any more but faults, which may be our own, and those that the C library keeps for itself. */
static PFC__QUIET void pfc__signals_hold(sigset_t *held)
{
    static const int fault[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };
    size_t i;
#if defined PFC__KERNEL
#if defined __GLIBC__
    pfc__u64 all = ~((pfc__u64)3 << 31);
#else
    pfc__u64 all = ~((pfc__u64)7 << 31);
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
