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
