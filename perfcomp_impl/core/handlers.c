/* ------------------------------------------------------ handlers (impl) ---
   Whether the program ends in a signal's handler, which may have interrupted any function. */

/* It may be running though its signal isn't blocked. Where that takes the handler away (SA_RESETHAND), one that is there
   hasn't begun; one that stays, as gnulib's for all that ends a program, can't be told from the rest by that. */
static PFC__QUIET int pfc__handler_hides(const struct sigaction *action, int may_stay)
{
    unsigned flags = (unsigned)action->sa_flags;
    int gone = action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN;
    return (flags & SA_NODEFER) && (gone || (may_stay && !(flags & SA_RESETHAND)));
}

/* By what is blocked and handled: a program may block signals itself, and `signal` in strict C11 sets both flags, also where
   it is told to ignore. `may_stay`: it may be one that stays, as where what it has called is for handlers, too. */
static PFC__QUIET int pfc__handler_is_possible(int may_stay)
{
    struct sigaction action;
    sigset_t blocked;
    int s;
    if (!PFC__LETS(rt_sigprocmask) || !PFC__LETS(rt_sigaction)) return 1; /* nobody knows */
    pthread_sigmask(SIG_SETMASK, 0, &blocked);
    for (s = 1; s <= SIGRTMAX; s++)
        if (sigismember(&blocked, s) == 1 || (sigaction(s, 0, &action) == 0 && pfc__handler_hides(&action, may_stay))) return 1;
    return 0;
}

/* A handler returns to an address that Linux is told with it, and that lies on the stack meanwhile. Of stacks, the main
   thread's is known to its end; one that is far from there is another. */
#if defined __x86_64__ && defined __GLIBC__ && defined SYS_process_vm_readv
PFC__EXTERN_C_BEGIN
extern void *__libc_stack_end __attribute__((weak));
PFC__EXTERN_C_END

/* Whether the word is there; −1: nobody knows. The kernel reads: what is on the stack need not be initialised, and sanitizers
   and valgrind would say so. */
static PFC__QUIET int pfc__stack_holds(pfc__uptr at, pfc__uptr end, pfc__uptr word)
{
    pfc__uptr copy[1024];
    struct iovec to, from;
    size_t i;
    to.iov_base = copy;
    for (; at < end; at += to.iov_len) {
        to.iov_len = end - at < sizeof copy ? end - at : sizeof copy;
        from.iov_base = (void *)at;
        from.iov_len = to.iov_len;
        if (pfc__sys_copy(&to, &from) != (ssize_t)to.iov_len) return -1;
        for (i = 0; i < to.iov_len / sizeof *copy; i++)
            if (copy[i] == word) return 1;
    }
    return 0;
}

/* Whether a handler is running, by the stack from here on; −1: nobody knows. */
static PFC__QUIET int pfc__handler_on_stack(pfc__uptr stack)
{
    const pfc__uptr most = 8 << 20, end = &__libc_stack_end ? (pfc__uptr)__libc_stack_end : 0;
    pfc__uptr restorer = 0;
    struct sigaction action;
    int s, found = 0;
    if (stack > end || end - stack > most || !PFC__LETS(rt_sigaction)) return -1;
    for (s = 1; s <= SIGRTMAX && !found; s++) {
        if (sigaction(s, 0, &action) || (pfc__uptr)action.sa_restorer == restorer) continue;
        restorer = (pfc__uptr)action.sa_restorer;
        if (restorer) found = pfc__stack_holds(stack, end, restorer);
    }
    return found;
}
#else
static PFC__QUIET int pfc__handler_on_stack(pfc__uptr stack) { return (void)stack, -1; }
#endif

static PFC__COLD pfc__u64 pfc__amid_handler(int may_stay)
{
    int found;
    if (!pfc__handler_is_possible(1)) return 0;
    found = pfc__handler_on_stack((pfc__uptr)__builtin_frame_address(0)); /* our callees aren't looked at */
    return (pfc__u64)(found < 0 ? pfc__handler_is_possible(may_stay) : found);
}
