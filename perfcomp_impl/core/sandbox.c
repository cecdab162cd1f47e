/* ------------------------------------------------------- sandbox (impl) ---
   Where the program gives up calls of the system: its filters are learned (see
   filters). Linked with --wrap=prctl … (perfcomp-cc does it). */

#if defined PFC__THREADS_MEET && defined PFC__KERNEL

enum { PFC__SET_SECCOMP = 22, PFC__STRICT = 1, PFC__FILTERED = 2, PFC__ROOM_AHEAD = 1 << 20 };

static PFC__QUIET pfc__filter_t *pfc__filter_new(size_t steps)
{
    pfc__filter_t *f = (pfc__filter_t *)pfc__pages(sizeof *f + steps * sizeof *f->step);
    if (f) f->steps = steps;
    return f;
}

/* From here on no call is made that it doesn't let pass; so what the profile may need is taken before. */
static PFC__QUIET const pfc__filter_t *pfc__filter_set(pfc__filter_t *f)
{
    if (!f) return 0;
    if (!pfc__busy && !pfc__is_off() && pfc__arena.base) {
        pfc__lists_enter();
        pfc__arena_lacks(PFC__ROOM_AHEAD);
        pfc__lists_leave();
    }
    f->earlier = pfc__filters;
    __atomic_store_n(&pfc__filters, f, __ATOMIC_RELEASE);
    return f;
}

/* The kernel didn't take it. */
static PFC__QUIET void pfc__filter_drop(const pfc__filter_t *f)
{
    if (f && f == pfc__filters) __atomic_store_n(&pfc__filters, f->earlier, __ATOMIC_RELEASE);
}

/* Strict: x86's counter may not be read any more, so that nothing can be recorded. */
static PFC__QUIET const pfc__filter_t *pfc__strict_set(void)
{
    pfc__note_keep("the program has given up the calls of the system (strict seccomp), and x86's counter with them: what it did from then "
                   "on isn't recorded");
    pfc_stop();
    return pfc__filter_set(pfc__filter_new(0));
}

static PFC__QUIET const pfc__filter_t *pfc__sandbox_begins(unsigned long mode, const void *program)
{
    const pfc__filter_program_t *p = (const pfc__filter_program_t *)program;
    int saved = errno;
    pfc__filter_t *f;
    if (mode == PFC__STRICT) return pfc__strict_set();
    if (mode != PFC__FILTERED || !p || !p->step) return 0; /* it only asks whether there are filters */
    f = pfc__filter_new(p->steps);
    if (f) memcpy(f->step, p->step, p->steps * sizeof *p->step);
    errno = saved;
    return pfc__filter_set(f);
}

extern __attribute__((weak)) int __real_prctl(int, ...);
PFC__INSTEAD int __wrap_prctl(int option, ...)
{
    unsigned long a[4];
    const pfc__filter_t *f;
    va_list arguments;
    int i, result;
    va_start(arguments, option);
    for (i = 0; i < 4; i++) a[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    f = option == PFC__SET_SECCOMP ? pfc__sandbox_begins(a[0], (const void *)a[1]) : 0;
    result = __real_prctl(option, a[0], a[1], a[2], a[3]);
    if (result < 0) pfc__filter_drop(f);
    return result;
}

/* The same by its number. */
static PFC__QUIET const pfc__filter_t *pfc__sandbox_called(long number, const long *argument)
{
#if defined SYS_seccomp
    if (number == SYS_seccomp) return pfc__sandbox_begins((unsigned long)argument[0] + 1, (const void *)argument[2]);
#endif
    if (number != SYS_prctl || argument[0] != PFC__SET_SECCOMP) return 0;
    return pfc__sandbox_begins((unsigned long)argument[1], (const void *)argument[2]);
}

/* libseccomp makes one itself, where nothing is wrapped; it can be asked for it. */
extern __attribute__((weak)) int pfc__filter_export(const void *, int) __asm__("seccomp_export_bpf");

static PFC__QUIET pfc__filter_t *pfc__filter_of(const void *context)
{
    pfc__filter_t *f = 0;
    struct stat s;
    int fd = pfc__sys_memfd_create("perfcomp");
    if (fd >= 0 && pfc__filter_export && !pfc__filter_export(context, fd) && !pfc__sys_fstat(fd, &s) &&
        (f = pfc__filter_new((size_t)s.st_size / sizeof *f->step)) != 0 && pfc__sys_pread(fd, f->step, (size_t)s.st_size, 0) != s.st_size)
        f->steps = 0;
    if (fd >= 0) pfc__sys_close(fd);
    return f ? f : pfc__filter_new(0);
}

extern __attribute__((weak)) int __real_seccomp_load(const void *);
PFC__INSTEAD int __wrap_seccomp_load(const void *context)
{
    int saved = errno, result;
    const pfc__filter_t *f = pfc__filter_set(pfc__filter_of(context));
    errno = saved;
    result = __real_seccomp_load(context);
    if (result < 0) pfc__filter_drop(f);
    return result;
}

#elif defined PFC__THREADS_MEET
static PFC__QUIET const pfc__filter_t *pfc__sandbox_called(long number, const long *argument)
{
    (void)number, (void)argument;
    return 0;
}
static PFC__QUIET void pfc__filter_drop(const pfc__filter_t *f) { (void)f; }
#endif
