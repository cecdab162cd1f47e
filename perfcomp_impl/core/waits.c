/* --------------------------------------------------------- waits (impl) ---
   A wait for another thread is a region, in which Δ changes:

       pfc__visit_begins    the call entered
       pfc__visit_waits     the library is about to be called; or, for a meeting, pfc__visit_comes
       pfc__visit_goes_on   it has returned
       pfc__visit_ends      the call left: everything but the library's time was ours */

#if defined PFC__THREADS_MEET

/* This thread, unless a signal handler has come upon us at work. */
static PFC__QUIET pfc__thread_t *pfc__thread_at_leisure(void)
{
    return pfc__busy ? 0 : pfc__thread_get();
}

typedef struct pfc__visit {
    pfc__thread_t *thread;
    pfc__token_t region;
    pfc__i64 tick; /* since then time is ours */
    int saved;     /* errno */
    pfc__moment_t arrival; /* when it began to wait */
} pfc__visit_t;

/* Who waits has the time for a call; a hundred wrappers have them inlined else, which were a third of all code. */
static PFC__CALLED pfc__visit_t pfc__visit_begins_at(pfc__thread_t *t, pfc__site_t *site, pfc__uptr sp)
{
    pfc__visit_t v;
    v.saved = errno;
    v.thread = t;
    v.region.depth = pfc__enter_at(site, sp);
    v.tick = pfc__hits_charge_due(pfc__entered_at(&v.region));
    return v;
}

PFC__HOT pfc__visit_t pfc__visit_begins(pfc__thread_t *t, pfc__site_t *site) { return pfc__visit_begins_at(t, site, pfc__stack_pointer()); }

/* It is in none of the program's functions that always return: where the run ends, its counts are known. From the end of
   the profile on, others aren't recorded any more. */
static PFC__QUIET void pfc__thread_waits(pfc__thread_t *t)
{
    if (pfc__is_off()) return;
    t->state = PFC__WAITING;
    t->waits_since = t->tick_end;
    t->waits_in = (pfc__u32)t->top->depth;
}

/* The last step before it waits. */
static PFC__QUIET void pfc__visit_waits(pfc__visit_t *v)
{
    errno = v->saved;
    v->arrival = pfc__thread_moment(v->thread, pfc__charge_until_now(v->thread, v->tick));
    pfc__thread_waits(v->thread);
}

/* The first step behind it. Where a signal's handler came meanwhile, and waited for another thread itself, it's from that
   wait's end that this one went on: with its Δ, and not before it in local time. */
static PFC__QUIET void pfc__visit_goes_on(pfc__visit_t *v)
{
    pfc__moment_t last;
    v->tick = pfc__clock();
    v->saved = errno;
    last = pfc__thread_moment(v->thread, v->thread->tick_end);
    if (last.ct > v->arrival.ct) v->arrival = last;
    pfc__thread_goes_on(v->thread, v->tick);
}

/* By now its Δ is that of whom it has waited for. */
static PFC__CALLED void pfc__visit_ends(pfc__visit_t *v)
{
    pfc__leave_at(&v->region, pfc__charge_until_now(v->thread, v->tick));
    errno = v->saved;
}

/* Waits for the others of a meeting; returns the number of the round. */
static PFC__QUIET unsigned pfc__visit_comes(pfc__visit_t *v, pfc__meeting_t *m, unsigned expected)
{
    unsigned round;
    pfc__waits_enter();
    pfc__visit_waits(v);
    round = pfc__meeting_come(m, expected, v->arrival);
    pfc__waits_leave();
    return round;
}

static PFC__QUIET void pfc__visit_meets(pfc__visit_t *v, const pfc__meeting_t *m, unsigned round)
{
    pfc__waits_enter();
    pfc__meeting_leave(m, round, v->thread);
    pfc__waits_leave();
}

#endif
