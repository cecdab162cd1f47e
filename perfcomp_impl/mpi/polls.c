/* --------------------------------------------------------- polls (MPI impl) ---
   A program that asks again and again whether something has come, and does
   nothing else meanwhile, waits. What it has asked in vain for is given back
   to Δ when the answer is yes: by the rules the wait then began with the first
   question of the row (R5 with its b, R1 and R2 for what was probed, R1 for
   Win_test).

   Where it does something of its own in between, as to compute while messages
   travel, that is its own time. But would the message have been there before
   the last question in vain, it would have done less of it, or later: that much
   is uncertain. What regions take that are called in between is theirs also
   where it is less. */

enum { PFC__POLL_PAUSE = 500 }; /* ns from one to the next, in which nobody gets anything done */
enum { PFC__POLL_SITES = 4 };   /* more have their calls with the last of these */

typedef struct pfc__polls {
    struct pfc__polls *next;
    const pfc__thread_t *thread;
    pfc__moment_t since; /* when the row's first call began, */
    pfc__i64 last;       /* LT: and the last in vain */
    pfc__i64 calls;
    const MPI_Request *requests; /* that were asked for last, so many; NULL: none */
    int n;
    pfc__i64 until;      /* and by CT, until when in vain */
    struct pfc__poll_site {
        pfc__mpi_site_t *site;
        pfc__i64 lt, ct;     /* in its calls; ct: not yet waited */
        pfc__node_t *path;   /* of the first one that was timed as a region; NULL: none was */
        pfc__i64 path_lt;    /* in its calls */
    } at[PFC__POLL_SITES];   /* by where they were made */
    int sites;
    pfc__i64 caller;     /* tick: when who asks was called; 0: that isn't timed. Then: */
    pfc__i64 called;     /* LT, of all that this one had called before */
} pfc__polls_t;

static pfc__polls_t *pfc__polls_first; /* of all threads */
static PFC__TLS pfc__polls_t *pfc__polls; /* this one's; NULL: it has had no row */

/* Who continues another thread's record does so with its row. */
static PFC__COLD pfc__polls_t *pfc__polls_own(void)
{
    pfc__polls_t *p;
    pfc__mpi_lock();
    for (p = pfc__polls_first; p && p->thread != pfc__self; p = p->next) continue;
    if (!p && (p = (pfc__polls_t *)calloc(1, sizeof *p)) != 0) {
        p->thread = pfc__self;
        p->next = pfc__polls_first;
        pfc__polls_first = p;
    }
    pfc__mpi_unlock();
    return p;
}

/* Not without memory; and for what is held back there are rules of its own. */
PFC__HOT int pfc__polls_tell(void)
{
    if (!pfc__compensates || pfc__bound.on || !pfc__self) return 0;
    if (PFC__UNLIKELY(!pfc__polls)) pfc__polls = pfc__polls_own();
    return pfc__polls != 0;
}

/* Whose region the call's time is. NULL: none was taken. */
static PFC__QUIET pfc__node_t *pfc__polls_path(const pfc__call_t *c)
{
    const pfc__frame_t *f = pfc__self ? pfc__self->top : 0;
    return f && c->region.depth && f->depth == c->region.depth && PFC__HAS_TIME(f->begin) ? f->node : 0;
}

/* LT of all that the call's caller has called until now. */
static PFC__QUIET pfc__i64 pfc__polls_called(void)
{
    const pfc__frame_t *f = &pfc__self->top[-1];
    return pfc__round((double)f->child * pfc__mpi.ns_per_tick) - pfc__fixed_ns(f->child_delta);
}

/* The row begins with this call. */
static PFC__QUIET void pfc__polls_begin(const pfc__call_t *c)
{
    pfc__polls->since = c->begin;
    pfc__polls->calls = pfc__polls->sites = 0;
    pfc__polls->requests = 0;
    pfc__polls->caller = pfc__polls_path(c) ? pfc__self->top[-1].begin : 0;
    if (pfc__polls->caller) pfc__polls->called = pfc__polls_called();
}

/* The call is one of the row. */
static PFC__QUIET void pfc__polls_add(pfc__call_t *c)
{
    pfc__node_t *path = pfc__polls_path(c);
    int i = 0;
    c->polls = 1;
    while (i < pfc__polls->sites && pfc__polls->at[i].site != c->site) i++;
    if (i == PFC__POLL_SITES) i--;
    if (i == pfc__polls->sites) {
        pfc__polls->at[i].site = c->site;
        pfc__polls->at[i].lt = pfc__polls->at[i].ct = pfc__polls->at[i].path_lt = 0;
        pfc__polls->at[i].path = path;
        pfc__polls->sites++;
    }
    pfc__polls->at[i].lt += c->end.lt - c->begin.lt;
    pfc__polls->at[i].ct += c->end.ct - c->begin.ct - c->wait_ct;
    if (!path) return;
    pfc__mark_uneven(path); /* what is taken from some is no mean */
    if (!pfc__polls->at[i].path) pfc__polls->at[i].path = path;
    if (path == pfc__polls->at[i].path) pfc__polls->at[i].path_lt += c->end.lt - c->begin.lt;
}

/* LT in all of its calls. */
static PFC__QUIET pfc__i64 pfc__polls_inside(void)
{
    pfc__i64 lt = 0;
    int i;
    for (i = 0; i < pfc__polls->sites; i++) lt += pfc__polls->at[i].lt;
    return lt;
}

/* LT of what else the caller has called between them: it was no waiting. */
static PFC__QUIET pfc__i64 pfc__polls_worked(const pfc__call_t *c, pfc__i64 inside, pfc__i64 most)
{
    if (!pfc__polls->caller || !pfc__polls_path(c) || pfc__self->top[-1].begin != pfc__polls->caller) return 0;
    return pfc__max(0, pfc__min(pfc__polls_called() - pfc__polls->called - inside, most));
}

/* The call has ended without what it asked for. */
static PFC__QUIET void pfc__poll_in_vain(pfc__call_t *c)
{
    if (!pfc__polls_tell()) return;
    if (!pfc__polling) pfc__polls_begin(c);
    pfc__polling = PFC__POLLS_IN_VAIN;
    pfc__polls->last = c->begin.lt;
    pfc__polls->calls++;
    pfc__polls_add(c);
}

/* So it has asked for those requests, of which one at least isn't there. */
static PFC__QUIET void pfc__polls_asked(const pfc__call_t *c, const MPI_Request *requests, int n)
{
    if (!pfc__polling) return;
    pfc__polls->requests = requests;
    pfc__polls->n = n;
    pfc__polls->until = c->end.ct;
}

/* By CT, until when they have been asked for in vain. */
PFC__HOT pfc__i64 pfc__polls_until(const MPI_Request *requests, int n)
{
    return PFC__UNLIKELY(pfc__polling) && pfc__polls->requests == requests && pfc__polls->n == n ? pfc__polls->until : PFC__NEVER;
}

/* So has one that only looks: if what it asked for is there, the row's end is the call that completes it. */
static PFC__QUIET void pfc__poll_looked(pfc__call_t *c, int there)
{
    if (!there) pfc__poll_in_vain(c);
    else if (pfc__polling) pfc__polls_add(c);
}

/* A probe has found something, by a row: the row's end is its receive. */
static PFC__QUIET void pfc__poll_found(pfc__call_t *c)
{
    pfc__polling = PFC__POLLS_FOUND;
    pfc__polls_add(c);
}

/* The call began so much earlier, or later, by LT; which adds `u` to the uncertainty. */
static PFC__COLD void pfc__polls_move(pfc__call_t *c, pfc__i64 later, pfc__i64 u)
{
    pfc__moment_t begin = c->begin;
    begin.lt += later;
    begin.u += u;
    pfc__moment_move(c->begin, begin);
    c->begin = begin;
    c->end.lt += later;
    c->end.u += u;
}

/* So much of a region's LT is the open call's: the one that ends the row goes back to its begin, and would be shown as below zero. */
static PFC__COLD void pfc__polls_hand_over(pfc__node_t *path, pfc__i64 ns)
{
    pfc__frame_t *f = pfc__self->top;
    pfc__i64 delta = pfc__fixed_of(ns);
    path->exclusive_delta += delta;
    f->delta += delta;
    f[-1].child_delta += delta; /* the call's caller has what it had */
}

/* Of the regions' times, those in the row's calls, and between them what their caller took. */
static PFC__COLD void pfc__polls_regions(const pfc__call_t *c, pfc__i64 outside)
{
    int i;
    if (!pfc__polls_path(c)) return;
    for (i = 0; i < pfc__polls->sites; i++)
        if (pfc__polls->at[i].path) pfc__polls_hand_over(pfc__polls->at[i].path, pfc__polls->at[i].path_lt);
    if (pfc__polls->at[0].path && pfc__polls->at[0].path->up == pfc__self->top[-1].node)
        pfc__polls_hand_over(pfc__polls->at[0].path->up, outside);
}

/* All of the row was waiting: as measured in its calls, undisturbed in the one that ends it, and in no other one. */
static PFC__COLD void pfc__polls_waited(pfc__call_t *c)
{
    int i;
    pfc__mpi_lock();
    for (i = 0; i < pfc__polls->sites; i++) {
        c->polled_ct += pfc__polls->at[i].ct;
        if (!pfc__polls->at[i].site) continue;
        pfc__polls->at[i].site->time_lt -= pfc__polls->at[i].lt;
        pfc__polls->at[i].site->wait_ct += pfc__polls->at[i].ct;
    }
    pfc__mpi_unlock();
}

/* Between the questions the program has done more than ask. */
static PFC__COLD int pfc__polls_amid_work(const pfc__call_t *c)
{
    pfc__i64 inside = pfc__polls_inside(), outside = c->begin.lt - pfc__polls->since.lt - inside;
    return outside > inside + pfc__polls->calls * PFC__POLL_PAUSE;
}

/* Something has come, by a call that has begun. */
static PFC__COLD void pfc__polls_end(pfc__call_t *c)
{
    pfc__i64 polled = c->begin.lt - pfc__polls->since.lt, inside = pfc__polls_inside(), outside = polled - inside, worked;
    if (pfc__polls_amid_work(c)) {
        c->asked = pfc__polls->since.lt;
        c->asked_last = pfc__polls->last;
    } else if (polled > 0) {
        outside = pfc__max(0, outside);
        worked = pfc__polls_worked(c, inside, outside);
        c->polled = polled - worked;
        pfc__polls_move(c, -c->polled, outside);
        pfc__polls_waited(c);
        pfc__polls_regions(c, outside - worked);
        c->wait_u += outside;
    }
    pfc__polling = PFC__NO_POLLS;
}

/* A long message is found as soon as its sender has told of it, from `told` on, and received from then on: the questions
   before were in vain undisturbed, too. (As a rule they were all made in one place.) */
static PFC__COLD void pfc__polls_told(pfc__call_t *c, pfc__i64 told)
{
    pfc__i64 later = pfc__min(told - c->begin.lt, c->polled);
    if (later <= 0) return;
    pfc__polls_move(c, later, 0);
    if (pfc__polls->at[0].path && pfc__polls_path(c))
        pfc__polls_hand_over(pfc__polls->at[0].path, -pfc__min(later, pfc__polls->at[0].path_lt));
    pfc__mpi_lock();
    if (pfc__polls->at[0].site) pfc__polls->at[0].site->time_lt += pfc__min(later, pfc__polls->at[0].lt);
    pfc__mpi_unlock();
}

/* The program does something else before it receives what a row has found. When that would have come is known then, too late for
   whom this call tells of its begin. */
static PFC__COLD void pfc__polls_unsettled(const pfc__call_t *c)
{
    pfc__moment_t begin = c->begin;
    begin.u += pfc__max(0, pfc__polls->last - pfc__polls->since.lt);
    pfc__moment_move(c->begin, begin);
    pfc__polling = PFC__NO_POLLS;
}

/* The call may tell others when it began, before that is known for certain. */
static PFC__COLD void pfc__polls_found(pfc__call_t *c)
{
    c->begin = c->end = pfc__moment_at(c->tick_in);
    if (c->rule == PFC__RULE_RECEIVE) pfc__polls_end(c);
    else if (c->rule != PFC__RULE_PROBE && c->rule != PFC__RULE_COMPLETE) pfc__polls_unsettled(c);
}

/* While there is a row. */
static PFC__COLD void pfc__polls_go_on(pfc__call_t *c)
{
    if (pfc__polling == PFC__POLLS_FOUND) pfc__polls_found(c);
}

/* A row ends with any other call. */
static PFC__COLD void pfc__polls_over(const pfc__call_t *c)
{
    if (!c->polls) pfc__polling = PFC__NO_POLLS;
    else if (PFC__UNLIKELY(pfc__is_traced())) pfc__event_in_vain();
}
