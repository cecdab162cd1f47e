/* -------------------------------------------------------- inside (impl) ---
   While a thread is inside perfcomp: the lock on all lists, and how the handlers of signals are kept from
   meeting one that is half changed. */

static pthread_mutex_t pfc__lock = PTHREAD_MUTEX_INITIALIZER; /* the arena and all lists; never in the hot path */
PFC__TLS int pfc__busy; /* this thread is inside perfcomp: a signal handler must not wait for it */

/* strays.c: whether this process was forked, and our handlers don't know */
static PFC__QUIET int pfc__is_stray(void);
static PFC__QUIET void pfc__stray_leaves(void);

/* ---- while a thread forks

   From its preparation on until the child is there nobody changes a list: the child gets them as they are. The lock isn't held,
   though. Handlers of libraries that were there before ours run behind it, and may wait for what a thread has in its hands
   that wants a list here. When it has been asleep for long it isn't waited for any more, and its child isn't recorded. */

enum pfc__fork_state { PFC__NO_FORK, PFC__FORK_IS_ON, PFC__FORK_OVERTAKEN };
static enum pfc__fork_state pfc__fork_state; /* under the lock, as the next one */
static pfc__i64 pfc__fork_thread;            /* whose it is */

/* Each takes 0.1 ms and more. Of one that is seen to be asleep fewer are enough, and a few, once that has come to nothing. */
enum { PFC__FORK_LOOKS = 10000, PFC__FORK_LOOKS_ASLEEP = 2000, PFC__FORK_LOOKS_AGAIN = 100 };

/* Under the lock, which it gives back meanwhile. */
static PFC__COLD void pfc__fork_await(void)
{
    const struct timespec pause = { 0, 100000 };
    static int enough = PFC__FORK_LOOKS_ASLEEP;
    int looks = 0, asleep = 0, saved = errno;
    while (pfc__fork_state == PFC__FORK_IS_ON && looks < PFC__FORK_LOOKS && asleep < enough) {
        pfc__i64 thread = pfc__fork_thread;
        pfc__mutex_unlock(&pfc__lock);
        pfc__sys_nanosleep(&pause);
        if (++looks % 10 == 0) asleep = pfc__is_asleep(pfc__sys_getpid(), thread) ? asleep + 10 : 0;
        pfc__mutex_lock(&pfc__lock);
    }
    if (pfc__fork_state == PFC__FORK_IS_ON) pfc__fork_state = PFC__FORK_OVERTAKEN, enough = PFC__FORK_LOOKS_AGAIN;
    errno = saved;
}

static PFC__QUIET void pfc__lock_take(void)
{
    pfc__mutex_lock(&pfc__lock);
    if (PFC__UNLIKELY(pfc__fork_state == PFC__FORK_IS_ON)) pfc__fork_await();
}

/* ---- while a thread is inside */

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
    pfc__lock_take();
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
        if (PFC__LIKELY(pfc__fork_state != PFC__FORK_IS_ON)) return 1;
        pfc__mutex_unlock(&pfc__lock);
    }
    pfc__work_ends(&held);
    return 0;
}

/* At each wait of a thread, where two calls of the system more would show (in a simulation there is none). */
static PFC__QUIET __attribute__((unused)) void pfc__waits_enter(void)
{
    pfc__busy = 1;
    if (PFC__UNLIKELY(pfc__is_stray())) pfc__stray_leaves();
    pfc__lock_take();
}

static PFC__QUIET __attribute__((unused)) void pfc__waits_leave(void)
{
    pfc__mutex_unlock(&pfc__lock);
    pfc__busy = 0;
}
