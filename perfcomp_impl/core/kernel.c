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
