/* ------------------------------------------------ locks of windows (MPI impl) ---
   Who unlocks writes beside the lock when that was, into a window of our own, while
   nobody else can have it; the next one finds it there, and has its turn (see turns).
   Who has it alone has come behind all others: it writes anew. A shared lock waits for
   those that have it alone only. Locks of all ranks are shared: they read, and write,
   beside each of them. */

enum {
    PFC__LOCKED_FIELDS = sizeof(pfc__locked_t) / sizeof(pfc__i64),
    PFC__UNLOCKED_FIELDS = sizeof(pfc__unlocked_t) / sizeof(pfc__i64),
    PFC__TOGETHER_FROM = PFC__UNLOCKED_FIELDS - PFC__LOCKED_FIELDS
};

/* A rank's record answers our questions by itself, or when that rank is inside of
   MPI. In the first case all that an answer takes is ours. In the second, it comes
   when the program's own next flush or unlock there would have got its answer, and
   what that one waits counts as the program's time (R3): so does what we have waited
   in its place, and it then finds the rank there. (A program that computes first would
   have waited less; by how much isn't known.) The two are told apart by what answers
   take at least: noise and distance make it a few times as long, being away much more. */
enum pfc__question { PFC__ASKING, PFC__TELLING };
enum { PFC__ANSWER_FACTOR = 4 };

static pfc__i64 pfc__answer_least[2][2]; /* ns; by enum pfc__question, and whether a rank asked itself */

static PFC__QUIET pfc__i64 pfc__awaited(pfc__i64 took, pfc__i64 ours)
{
    return took > PFC__ANSWER_FACTOR * ours ? took - ours : 0;
}

/* What the program would have waited, of what a rank's answer took. */
static PFC__QUIET pfc__i64 pfc__answer_awaited(enum pfc__question question, int itself, pfc__i64 took)
{
    pfc__i64 *least = &pfc__answer_least[question][itself], ours;
    pfc__mpi_lock();
    pfc__at_least_seen(least, took);
    ours = *least;
    pfc__mpi_unlock();
    return itself ? 0 : pfc__awaited(took, ours);
}

/* The same of all ranks' answers. */
static PFC__QUIET pfc__i64 pfc__answers_awaited(enum pfc__question question, int ranks, pfc__i64 took)
{
    pfc__i64 ours;
    pfc__mpi_lock();
    ours = ranks * pfc__answer_least[question][0];
    pfc__mpi_unlock();
    return ranks > 1 ? pfc__awaited(took, ours) : 0;
}

/* Where a window's record lies, and which part of it. */
PFC__HOT MPI_Aint pfc__alone_at(int number) { return number * (MPI_Aint)PFC__UNLOCKED_FIELDS; }
PFC__HOT MPI_Aint pfc__together_at(int number) { return pfc__alone_at(number) + PFC__TOGETHER_FROM; }

/* Each returns what the program would have waited. */
static PFC__QUIET pfc__i64 pfc__lock_ask(const pfc__wins_shared_t *s, int number, int rank, pfc__unlocked_t *before)
{
    pfc__i64 tick = pfc__clock();
    *before = pfc__never_unlocked();
    PMPI_Get(before, PFC__UNLOCKED_FIELDS, MPI_INT64_T, rank, pfc__alone_at(number), PFC__UNLOCKED_FIELDS, MPI_INT64_T, s->locks);
    PMPI_Win_flush(rank, s->locks);
    return pfc__answer_awaited(PFC__ASKING, rank == s->known->rank, pfc__since(tick));
}

static PFC__QUIET pfc__i64 pfc__lock_tell_together(const pfc__wins_shared_t *s, int number, int rank, const pfc__locked_t *mine)
{
    pfc__i64 tick = pfc__clock();
    PMPI_Accumulate(mine, PFC__LOCKED_FIELDS, MPI_INT64_T, rank, pfc__together_at(number), PFC__LOCKED_FIELDS, MPI_INT64_T, MPI_MAX,
                    s->locks);
    PMPI_Win_flush(rank, s->locks);
    return pfc__answer_awaited(PFC__TELLING, rank == s->known->rank, pfc__since(tick));
}

static PFC__QUIET pfc__i64 pfc__lock_tell_alone(const pfc__wins_shared_t *s, int number, int rank, pfc__locked_t mine,
                                                pfc__i64 usual_wait)
{
    const pfc__unlocked_t record = { mine, usual_wait, pfc__never_locked() };
    pfc__i64 tick = pfc__clock();
    PMPI_Accumulate(&record, PFC__UNLOCKED_FIELDS, MPI_INT64_T, rank, pfc__alone_at(number), PFC__UNLOCKED_FIELDS, MPI_INT64_T, MPI_REPLACE,
                    s->locks);
    PMPI_Win_flush(rank, s->locks);
    return pfc__answer_awaited(PFC__TELLING, rank == s->known->rank, pfc__since(tick));
}

/* While all are there. */
static PFC__QUIET void pfc__answers_measure(const pfc__wins_shared_t *s)
{
    pfc__unlocked_t nothing;
    int next = (s->known->rank + 1) % s->size;
    pfc__lock_ask(s, 0, next, &nothing);
    pfc__lock_tell_alone(s, 0, next, pfc__never_locked(), 0);
    PMPI_Barrier(s->comm);
}

static PFC__QUIET void pfc__lock_keep(pfc__win_t *w, pfc__lock_t lock)
{
    pfc__lock_t *l = (pfc__lock_t *)malloc(sizeof *l);
    if (!l) return;
    *l = lock;
    pfc__mpi_lock();
    l->next = w->locked;
    w->locked = l;
    pfc__mpi_unlock();
}

/* Whether it was kept: not where there was no memory, nor where it wasn't locked. */
static PFC__QUIET int pfc__lock_drop(pfc__win_t *w, int rank, pfc__lock_t *dropped)
{
    pfc__lock_t **at = &w->locked, *l;
    pfc__mpi_lock();
    while (*at && (*at)->rank != rank) at = &(*at)->next;
    if ((l = *at) != 0) *at = l->next;
    pfc__mpi_unlock();
    if (!l) return 0;
    *dropped = *l;
    free(l);
    return 1;
}

static PFC__QUIET int pfc__locks_known(const pfc__win_t *w) { return w && w->shared->locks != MPI_WIN_NULL; }

/* For this one's turn at a rank; returns since when (LT) it has been locked then. */
static PFC__QUIET pfc__i64 pfc__lock_behind(const pfc__call_t *c, pfc__locked_t before, pfc__i64 usual_wait, pfc__latest_t *turns)
{
    pfc__had_t had;
    pfc__moment_t turn;
    if (pfc__latest_is_none(before.end)) return c->begin.lt;
    before.end.ct = pfc__min(before.end.ct, c->end.ct);
    had.end = pfc__latest_moment(before.end);
    had.since = before.since;
    turn = pfc__lock_turn(c->begin, had, usual_wait);
    *turns = pfc__latest_merge(*turns, pfc__latest_of(turn));
    turns->last = pfc__latest_merge(*turns, before.end).last;
    return pfc__lock_busy(c->begin, had, turn);
}

/* It has its turn. */
static PFC__QUIET void pfc__lock_got(pfc__call_t *c, const pfc__win_t *w, pfc__latest_t turns, pfc__i64 awaited)
{
    const pfc__collective_t k = { PFC__RULE_ALL, 0, 1, 1, 0, w->shared->known->number, w->shared->comm, 1, w->shared->known, 0, 0, 0, 0 };
    pfc__collective_depends(c, &k, turns);
    c->wait_kind = PFC__LATE_SENDER;
    pfc__call_goes_on(c, awaited);
    pfc__call_unexplained(c, pfc__latest_moment(turns).ct + pfc__answer_patience(0));
}

/* What is usual there, with how long this one has waited for `end`. */
static PFC__QUIET pfc__i64 pfc__lock_waited(const pfc__call_t *c, pfc__i64 usual_wait, pfc__i64 end)
{
    pfc__i64 wait = pfc__min(end, c->end.ct) - c->begin.ct;
    return wait > 0 ? pfc__lock_usual(usual_wait, wait) : usual_wait;
}

/* Behind whom one comes that wants it alone: those that had it together came later than who had it alone before. */
static PFC__QUIET pfc__locked_t pfc__locked_last(pfc__unlocked_t before)
{
    return pfc__latest_is_none(before.together.end) ? before.alone : before.together;
}

static PFC__QUIET int pfc__win_lock(pfc__call_t *c, int kind, int rank, int assert, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    pfc__lock_t lock = { 0, rank, kind == MPI_LOCK_EXCLUSIVE, 0, 0 };
    pfc__unlocked_t before = pfc__never_unlocked();
    pfc__locked_t behind;
    pfc__latest_t turns;
    pfc__i64 awaited = 0;
    int error;
    pfc__call_begin(c);
    error = PMPI_Win_lock(kind, rank, assert, win);
    pfc__call_end(c);
    if (error || !pfc__locks_known(w) || rank == MPI_PROC_NULL) return error;
    turns = pfc__latest_here(c->begin);
    if (!(assert & MPI_MODE_NOCHECK)) awaited = pfc__lock_ask(w->shared, w->number, rank, &before);
    behind = lock.alone ? pfc__locked_last(before) : before.alone;
    lock.usual_wait = pfc__lock_waited(c, before.usual_wait, behind.end.ct);
    lock.since = pfc__lock_behind(c, behind, lock.usual_wait, &turns);
    pfc__lock_keep(w, lock);
    if (!(assert & MPI_MODE_NOCHECK)) pfc__lock_got(c, w, turns, awaited);
    return error;
}

/* Who has locked each rank alone; returns how many ranks have told. A short message to each, and back. */
static PFC__QUIET int pfc__lock_ask_all(const pfc__win_t *w, pfc__unlocked_t *of, pfc__i64 *awaited)
{
    pfc__i64 tick = pfc__clock();
    int i, n = of ? w->shared->size : 0;
    *awaited = 0;
    for (i = 0; i < n; i++) {
        of[i] = pfc__never_unlocked();
        PMPI_Get(&of[i], PFC__TOGETHER_FROM, MPI_INT64_T, i, pfc__alone_at(w->number), PFC__TOGETHER_FROM, MPI_INT64_T, w->shared->locks);
    }
    if (!n) return n;
    PMPI_Win_flush_all(w->shared->locks);
    *awaited = pfc__answers_awaited(PFC__ASKING, n, pfc__since(tick));
    return n;
}

static PFC__QUIET void pfc__lock_all_got(pfc__call_t *c, pfc__win_t *w)
{
    pfc__unlocked_t *of = (pfc__unlocked_t *)malloc((size_t)w->shared->size * sizeof *of);
    pfc__latest_t turns = pfc__latest_here(c->begin);
    pfc__i64 awaited;
    int i, n = pfc__lock_ask_all(w, of, &awaited);
    w->all_since = c->begin.lt;
    for (i = 0; i < n; i++) {
        pfc__i64 usual = pfc__lock_waited(c, of[i].usual_wait, of[i].alone.end.ct);
        w->all_since = pfc__max(w->all_since, pfc__lock_behind(c, of[i].alone, usual, &turns));
    }
    pfc__lock_got(c, w, turns, awaited);
    free(of);
}

static PFC__QUIET int pfc__win_lock_all(pfc__call_t *c, int assert, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    int error;
    pfc__call_begin(c);
    error = PMPI_Win_lock_all(assert, win);
    pfc__call_end(c);
    if (error || !pfc__locks_known(w)) return error;
    w->all_locked = !(assert & MPI_MODE_NOCHECK); /* which waits for nobody, and nobody for it */
    if (w->all_locked) pfc__lock_all_got(c, w);
    return error;
}

/* The lock is held for as long as telling takes: what it takes at least, as far as is known. */
static PFC__QUIET pfc__locked_t pfc__locked_here(pfc__moment_t now, pfc__i64 telling, pfc__i64 since)
{
    pfc__locked_t mine;
    now.ct += telling;
    mine.end = pfc__latest_here(now);
    mine.since = since;
    return mine;
}

static PFC__QUIET pfc__i64 pfc__unlock_tell(const pfc__win_t *w, const pfc__lock_t *lock, pfc__moment_t now)
{
    const int rank = lock->rank;
    pfc__locked_t mine;
    pfc__mpi_lock();
    mine = pfc__locked_here(now, pfc__answer_least[PFC__TELLING][rank == w->shared->known->rank], lock->since);
    pfc__mpi_unlock();
    if (lock->alone) return pfc__lock_tell_alone(w->shared, w->number, rank, mine, lock->usual_wait);
    return pfc__lock_tell_together(w->shared, w->number, rank, &mine);
}

static PFC__QUIET pfc__i64 pfc__unlock_tell_all(pfc__win_t *w, pfc__moment_t now)
{
    pfc__i64 took, tick = pfc__clock();
    const pfc__locked_t mine = pfc__locked_here(now, w->least_to_all, w->all_since);
    int i;
    for (i = 0; i < w->shared->size; i++)
        PMPI_Accumulate(&mine, PFC__LOCKED_FIELDS, MPI_INT64_T, i, pfc__together_at(w->number), PFC__LOCKED_FIELDS, MPI_INT64_T, MPI_MAX,
                        w->shared->locks);
    PMPI_Win_flush_all(w->shared->locks);
    took = pfc__since(tick);
    pfc__at_least_seen(&w->least_to_all, took);
    w->all_locked = 0;
    return pfc__answers_awaited(PFC__TELLING, w->shared->size, took);
}

/* The program's own data would arrive while we tell, and the library's unlock find nothing left to wait for. So it waits
   before; returns for how long. */
static PFC__QUIET pfc__i64 pfc__unlock_flush(const int *rank, MPI_Win win)
{
    pfc__i64 tick = pfc__clock();
    if (rank) PMPI_Win_flush(*rank, win);
    else PMPI_Win_flush_all(win);
    return pfc__since(tick);
}

/* Returns how long this rank has waited: for its data, and for what tells of the lock. */
static PFC__QUIET pfc__i64 pfc__unlock_tells(pfc__call_t *c, pfc__win_t *w, const pfc__lock_t *lock, MPI_Win win, const pfc__moved_t *moved,
                                             pfc__overlap_t *overlap)
{
    const pfc__moment_t begin = pfc__call_so_far(c);
    const pfc__i64 flushed = pfc__unlock_flush(lock ? &lock->rank : 0, win);
    pfc__moment_t now = pfc__call_so_far(c);
    *overlap = pfc__moved_overlap(moved, begin, flushed);
    now.lt += flushed + overlap->ns;
    return flushed + (lock ? pfc__unlock_tell(w, lock, now) : pfc__unlock_tell_all(w, now));
}

/* Win_unlock; of no rank: Win_unlock_all. What isn't locked is left to the library, whose error it is. */
static PFC__QUIET int pfc__win_unlock(pfc__call_t *c, const int *rank, MPI_Win win)
{
    const pfc__moved_t moved = pfc__moved_so_far(1);
    pfc__win_t *w = pfc__win_of(win);
    pfc__lock_t lock;
    pfc__overlap_t overlap;
    pfc__i64 awaited = 0;
    int error, known = pfc__locks_known(w) && (rank ? pfc__lock_drop(w, *rank, &lock) : w->all_locked);
    if (known) awaited = pfc__unlock_tells(c, w, rank ? &lock : 0, win, &moved, &overlap);
    pfc__call_begin(c);
    pfc__call_began(c, awaited);
    error = rank ? PMPI_Win_unlock(*rank, win) : PMPI_Win_unlock_all(win);
    pfc__call_end(c);
    if (!known) overlap = pfc__moved_overlap(&moved, c->begin, c->end.ct - c->begin.ct);
    pfc__answered(c, c->begin, moved.bytes, overlap);
    return error;
}
