/* ---------------------------------------------------- accesses (MPI impl) ---
   What one-sided communication moves. When a target answered nobody tells: it
   counts as having done so at once. Where data move inside of its MPI calls
   only, locks, unlocks, flushes, Win_complete and who waits for a request wait
   for it to come there: what they take beyond the data's way is in doubt. Nor
   does anybody tell whether data move at once or travel as messages do: that is
   told from how long a call took that completes them, and is in doubt too. */

/* What has moved since a call waited for answers: in all; at most at a time, if not at once, and when the last such left, of which
   thread. */
typedef struct pfc__moved { pfc__i64 bytes, most; pfc__moment_t last; const pfc__thread_t *of; } pfc__moved_t;
static pfc__moved_t pfc__moved;

/* Long data have been moved by a call that takes a good part of what a message would. */
static PFC__QUIET void pfc__one_sided(const pfc__call_t *c)
{
    const int at_once = c->bytes > pfc__link.eager && 4 * (c->end.ct - c->begin.ct) >= pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER).ns;
    pfc__mpi_lock();
    pfc__moved.bytes += c->bytes;
    if (!at_once) {
        pfc__moved.most = pfc__max(pfc__moved.most, c->bytes);
        pfc__moved.last = c->begin;
        pfc__moved.of = pfc__self;
    }
    pfc__mpi_unlock();
}

/* `most` is 0 where the last one was another thread's. */
static PFC__QUIET pfc__moved_t pfc__moved_so_far(int answered)
{
    pfc__moved_t moved;
    pfc__mpi_lock();
    moved = pfc__moved;
    if (answered) pfc__moved.bytes = pfc__moved.most = 0;
    pfc__mpi_unlock();
    if (moved.of != pfc__self) moved.most = 0;
    return moved;
}

/* What answers take from ranks that are there. */
static PFC__QUIET pfc__i64 pfc__answer_patience(pfc__i64 bytes)
{
    return PFC__AWAY_FACTOR * pfc__travel(bytes, (pfc__u32)PFC__ANY_PEER).ns;
}

/* A call that began then may have waited for them. */
static PFC__QUIET int pfc__may_move(const pfc__moved_t *moved, pfc__moment_t begin)
{
    return moved->most && begin.lt <= moved->last.lt + pfc__answer_patience(moved->most);
}

/* What something takes at least, as far as was seen; 0: it wasn't. */
PFC__HOT void pfc__at_least_seen(pfc__i64 *least, pfc__i64 ns)
{
    if (!*least || *least > ns) *least = ns;
}

/* What data that were on their way when a call began hide of what probes have taken since they left. */
typedef struct pfc__overlap { pfc__i64 ns, u; } pfc__overlap_t;

/* Data may be there at once, or travel as messages do, or there and back: of what a message takes they took this part, the last time
   that the clock told. It isn't known better than it changes, nor how much of a way they share with others'. */
typedef struct pfc__moving { double part, off; } pfc__moving_t;
static pfc__moving_t pfc__moving = { 0, 2 };

static PFC__QUIET pfc__moving_t pfc__moving_as_known(void)
{
    pfc__moving_t known;
    pfc__mpi_lock();
    known = pfc__moving;
    pfc__mpi_unlock();
    return known;
}

static PFC__QUIET pfc__moving_t pfc__moving_learn(double part)
{
    pfc__moving_t now;
    now.part = part < 2 ? part : 2;
    pfc__mpi_lock();
    now.off = fmax(fabs(now.part - pfc__moving.part), 0.5);
    pfc__moving = now;
    pfc__mpi_unlock();
    return now;
}

/* A call that began before data could be there ended when they were (R5), and tells how long they took. One that began later, as it
   had been delayed, would have waited for them: it would have ended so much later. */
static PFC__QUIET pfc__overlap_t pfc__moved_overlap(const pfc__moved_t *moved, pfc__moment_t begin, pfc__i64 took)
{
    const pfc__moment_t left = moved->last;
    const pfc__i64 delay = begin.ct - begin.lt - (left.ct - left.lt), since = begin.lt + took - left.lt;
    pfc__overlap_t overlap = { 0, 0 };
    pfc__moving_t moving;
    pfc__i64 travel, there, off;
    if (!pfc__may_move(moved, begin)) return overlap;
    travel = pfc__travel(moved->most, (pfc__u32)PFC__ANY_PEER).ns;
    moving = begin.ct - left.ct < travel / 2 ? pfc__moving_learn((double)(begin.ct + took - left.ct) / (double)travel) : pfc__moving_as_known();
    there = pfc__round(moving.part * (double)travel);
    off = pfc__round(moving.off * (double)travel);
    overlap.ns = pfc__max(0, pfc__min(delay, there - since));
    overlap.u = pfc__max(0, pfc__min(delay, pfc__min(off, there + off - since)));
    return overlap;
}

/* What was waited from `begin` on for so many bytes: what it took beyond that is in doubt. */
static PFC__QUIET void pfc__answered(pfc__call_t *c, pfc__moment_t begin, pfc__i64 bytes, pfc__overlap_t overlap)
{
    c->end.lt += overlap.ns;
    pfc__call_doubts(c, overlap.u);
    pfc__call_unexplained(c, begin.ct + pfc__answer_patience(bytes));
}

static PFC__QUIET void pfc__answers_doubt(pfc__call_t *c)
{
    const pfc__moved_t moved = pfc__moved_so_far(1);
    pfc__answered(c, c->begin, moved.bytes, pfc__moved_overlap(&moved, c->begin, c->end.ct - c->begin.ct));
}

/* The end of an epoch, as its target sees it: it comes as an empty message does, and behind the data. */
static PFC__QUIET pfc__moment_t pfc__moved_before(pfc__moment_t end)
{
    const pfc__moved_t moved = pfc__moved_so_far(0);
    pfc__moment_t last = moved.last;
    pfc__i64 longer;
    if (!moved.most) return end;
    longer = pfc__round(pfc__moving_as_known().part * (double)pfc__travel(moved.most, (pfc__u32)PFC__ANY_PEER).ns) - pfc__travel(0, (pfc__u32)PFC__ANY_PEER).ns;
    last.ct += longer;
    last.lt += longer;
    if (last.lt <= end.lt) return end;
    last.u = end.u + last.lt - end.lt; /* if they are there at once */
    return pfc__both_there(end, last);
}

/* A request that nobody here knows has ended a wait from `begin` on: it may be that of the last access. Where something else was
   waited for as well, that is known. */
static PFC__QUIET void pfc__access_waited(pfc__call_t *c, pfc__moment_t begin, int depended)
{
    const pfc__moved_t moved = pfc__moved_so_far(0);
    pfc__overlap_t overlap;
    if (!pfc__may_move(&moved, begin)) return;
    overlap = pfc__moved_overlap(&moved, begin, c->end.ct - begin.ct);
    if (depended) pfc__call_doubts(c, overlap.u);
    else pfc__answered(c, begin, moved.most, overlap);
}

/* What has come by a row of questions brings no moment along: the answer to a one-sided call, a file's data. Questions that cost less
   would have been more questions: the row took as long as was measured, unless who answered was late for his own delay. Amid other
   work the time is the program's own, and only an answer may have come earlier. */
static PFC__COLD void pfc__access_asked_for(pfc__call_t *c, int generalized)
{
    const pfc__moved_t moved = pfc__moved_so_far(0);
    pfc__i64 ct = c->end.ct - pfc__polls->since.ct, charged = ct - (c->end.lt - pfc__polls->since.lt);
    pfc__polling = PFC__NO_POLLS;
    if (pfc__polls_amid_work(c)) {
        if (moved.most || generalized) pfc__call_doubts(c, pfc__max(0, pfc__polls->last - pfc__polls->since.lt));
    } else if (charged > 0) {
        c->end.lt += charged;
        pfc__call_doubts(c, ct);
    }
}
