/* -------------------------------------------------------- strays (impl) ---
   A process that was made past our fork handlers: by clone or _Fork, where they
   aren't wrapped (clones.c), or by the system's bare call. It has its parent's
   profile under its hands, and the parent goes on in it. A page which the kernel
   clears in forked processes tells it so, wherever it comes to us by a slow way:
   from then on it writes into copies of its own, and nothing is recorded. */

/* 1: a signal's handler that has come upon this thread inside perfcomp forks. To wait for what the thread has in its hands would be
   to wait for ever, and the child would get it half changed: it is a stray. So it is where another thread's fork hasn't come to
   its end. */
PFC__TLS int pfc__fork_is_amid;

static unsigned char *pfc__fork_mark; /* *it: 1, or 0 in a process that our handlers haven't seen; NULL: that can't be known */

static PFC__QUIET void pfc__fork_mark_make(void)
{
#if defined MADV_WIPEONFORK
    unsigned char *mark = (unsigned char *)pfc__pages(PFC__PAGE);
    if (!mark) return;
    if (pfc__sys_madvise(mark, PFC__PAGE, MADV_WIPEONFORK)) pfc__sys_munmap(mark, PFC__PAGE);
    else {
        *mark = 1;
        __atomic_store_n(&pfc__fork_mark, mark, __ATOMIC_RELEASE); /* other threads look while we begin */
    }
#endif
}

/* By the only thread of the new process: the lock may be another one's, to the library if not to us. */
static PFC__QUIET void pfc__fork_is_seen(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    if (pfc__fork_mark) *pfc__fork_mark = 1;
    pfc__fork_state = PFC__NO_FORK;
    memcpy((void *)&pfc__lock, (const void *)&fresh, sizeof fresh);
}

static PFC__QUIET int pfc__is_stray(void)
{
    const unsigned char *mark = __atomic_load_n(&pfc__fork_mark, __ATOMIC_ACQUIRE);
    return mark && !*mark;
}

/* The file is out of reach. */
static PFC__QUIET void pfc__arena_leave_memory(void)
{
    size_t used = pfc__arena.used;
    void *copy = pfc__pages(used);
    if (!copy) return;
    memcpy(copy, pfc__arena.base, used);
    pfc__pages_over(pfc__arena.base, pfc__arena.backed);
    memcpy(pfc__arena.base, copy, used);
    pfc__sys_munmap(copy, used);
    pfc__arena.plain = 1;
}

static PFC__QUIET void pfc__stray_unit_leaves(pfc__mapped_t *m, int fd)
{
    if (fd < 0 && m->array && m->aliased) pfc__pages_over(m->array, m->array_bytes), m->aliased = 0;
    else pfc__unit_freeze(m, fd);
}

/* Not by stdio, whose locks another thread of the parent may have had. */
static PFC__QUIET void pfc__stray_says(void)
{
    static const char text[] =
        "perfcomp: a process that was made without fork (by clone, _Fork, or a bare call of the system) isn't recorded, and what it "
        "did before that was found is in its parent's profile: link with perfcomp-cc, not with -static\n";
    pfc__writing_t writing;
    pfc__writing_begin(&writing);
    if (pfc__sys_write(2, text, sizeof text - 1) < 0) { /* nobody listens */ }
    pfc__writing_end(&writing);
}

/* What this process writes from here on goes into copies of its own; it isn't recorded. */
static PFC__QUIET void pfc__arena_is_parents(void)
{
    int fd = pfc__arena.plain ? -1 : pfc__arena_open();
    pfc__mapped_t *m;
    pfc__turn_off();
    pfc__self = 0;
    for (m = pfc__units; m; m = m->next) pfc__stray_unit_leaves(m, fd);
    if (fd >= 0) pfc__arena_leave(fd);
    else if (!pfc__arena.plain) pfc__arena_leave_memory();
    pfc__arena.fd = -1; /* not closed: clone may have left it in common with the parent */
    pfc__arena.path[0] = pfc__arena.link[0] = 0;
    pfc__arena.full = 1; /* where the system gives no pages at all it is still the parent's: nothing may be added */
}

/* It is inside perfcomp, and alone. */
static PFC__QUIET void pfc__stray_leaves(void)
{
    int is_first, saved = errno;
    pfc__fork_is_seen();
    if (pfc__is_off() || !pfc__arena.base) return;
    is_first = !__atomic_fetch_add(&PFC__HEADER->strayed, PFC__STEP, __ATOMIC_RELAXED);
    pfc__arena_is_parents();
    if (is_first && !pfc__fork_is_amid) pfc__stray_says(); /* what a handler does is nobody's fault */
    errno = saved;
}
