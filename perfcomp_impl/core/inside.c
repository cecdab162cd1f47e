/* -------------------------------------------------------- inside (impl) ---
   While a thread is inside perfcomp: the lock on all lists, and how the handlers of signals are kept from
   meeting one that is half changed. */

static pthread_mutex_t pfc__lock = PTHREAD_MUTEX_INITIALIZER; /* the arena and all lists; never in the hot path */
PFC__TLS int pfc__busy; /* this thread is inside perfcomp: a signal handler must not wait for it */

/* strays.c: whether this process was forked, and our handlers don't know */
static PFC__QUIET int pfc__is_stray(void);
static PFC__QUIET void pfc__stray_leaves(void);

/* This thread is inside perfcomp. Until it is out no signal handler comes, which might leave by siglongjmp what we have only
   half done. Faults of our own come. */
static PFC__QUIET void pfc__work_begins(sigset_t *held)
{
    pfc__signals_hold(held);
    pfc__busy = 1;
    if (PFC__UNLIKELY(pfc__is_stray())) pfc__stray_leaves();
}

static PFC__QUIET void pfc__work_ends(const sigset_t *held)
{
    pfc__busy = 0;
    pfc__signals_release(held);
}

/* Where nothing else would find that out. */
static PFC__QUIET void pfc__stray_look(void)
{
    sigset_t held;
    if (PFC__LIKELY(!pfc__is_stray()) || pfc__busy) return;
    pfc__work_begins(&held);
    pfc__work_ends(&held);
}

static sigset_t pfc__held; /* under the lock */

static PFC__QUIET void pfc__lists_enter(void)
{
    sigset_t held;
    pfc__work_begins(&held);
    pfc__mutex_lock(&pfc__lock);
    pfc__held = held;
}

static PFC__QUIET void pfc__lists_leave(void)
{
    sigset_t held = pfc__held;
    pfc__mutex_unlock(&pfc__lock);
    pfc__work_ends(&held);
}

/* 0: another thread is at them, or this one already. */
static PFC__QUIET int pfc__lists_try(void)
{
    sigset_t held;
    if (pfc__busy) return 0;
    pfc__work_begins(&held);
    if (!pthread_mutex_trylock(&pfc__lock)) {
        pfc__held = held;
        return 1;
    }
    pfc__work_ends(&held);
    return 0;
}

/* At each wait of a thread, where two calls of the system more would show. */
static PFC__QUIET void pfc__waits_enter(void)
{
    pfc__busy = 1;
    if (PFC__UNLIKELY(pfc__is_stray())) pfc__stray_leaves();
    pfc__mutex_lock(&pfc__lock);
}

static PFC__QUIET void pfc__waits_leave(void)
{
    pfc__mutex_unlock(&pfc__lock);
    pfc__busy = 0;
}
