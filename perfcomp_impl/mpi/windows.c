/* ----------------------------------------------------- windows (MPI impl) ---
   One-sided communication. Its data move at some time between two calls that
   synchronise; only those wait for other ranks, as far as we can know:

       Win_fence, Win_free   all meet (R6), where the clock doesn't show that a fence ended before
       Win_start             for the Win_post of its targets (R4)
       Win_wait, Win_test    for the Win_complete of its origins (R1)
       Win_lock, _lock_all   for who held the lock before (R6)

   When a flush got its answer nobody tells: it counts as having got it at once. */

enum pfc__partners { PFC__ORIGINS, PFC__TARGETS };
enum pfc__epoch_news { PFC__POSTED, PFC__COMPLETED };

typedef struct pfc__held { struct pfc__held *next; int rank; } pfc__held_t;

typedef struct pfc__win {
    pfc__by_handle_t entry;
    pfc__wins_shared_t *shared;
    int number;               /* among those that share it */
    struct { int n, *rank; } with[2]; /* by enum pfc__partners: of the epoch */
    pfc__held_t *held;        /* exclusive locks of this rank */
    int holds_all;            /* Win_lock_all, and somebody may wait for its end */
    pfc__i64 least_to_all;    /* see pfc__unlock_tell_all */
} pfc__win_t;

static pfc__handles_t pfc__wins;

/* ---- windows made and freed */

static PFC__QUIET void pfc__answers_measure(const pfc__wins_shared_t *s); /* see locks */

/* What a window shares, and which number it has there, each rank finds out for itself. 1: they are of one mind; 0: it
   needs its own, since only some of them may run threads; −1: a rank has no record. */
static PFC__QUIET int pfc__wins_agreed(MPI_Comm users, int recorded, const pfc__wins_shared_t *s, int number)
{
    pfc__i64 mine[5], all[5];
    mine[0] = recorded;
    mine[1] = s ? s->known->number : 0;
    mine[2] = number;
    mine[3] = -mine[1];
    mine[4] = -mine[2];
    PMPI_Allreduce(mine, all, 5, MPI_INT64_T, MPI_MIN, users);
    return !all[0] ? -1 : all[1] && all[1] == -all[3] && all[2] == -all[4];
}

/* All ranks keep a record of a new window, or none does. */
static PFC__QUIET void pfc__win_made(MPI_Comm users, MPI_Win win)
{
    pfc__win_t *w;
    pfc__wins_shared_t *s;
    int number, agreed;
    if (!pfc__comm_carries(users)) return;
    w = (pfc__win_t *)calloc(1, sizeof *w);
    if (w) pfc__handles_keep(&pfc__wins, PFC__KEY(win), &w->entry);
    s = pfc__wins_share_take(users, &number);
    agreed = pfc__wins_agreed(users, w != 0, s, number);
    if (s && agreed != 1) pfc__wins_share_leave(s, number);
    if (agreed == 0) {
        s = pfc__wins_share_new(users);
        number = 0;
        if (s && s->locks != MPI_WIN_NULL) pfc__answers_measure(s);
    }
    if (agreed != -1 && s) {
        w->shared = s;
        w->number = number;
        return;
    }
    if (w) pfc__handles_take(&pfc__wins, PFC__KEY(win));
    free(w);
}

/* NULL: its ranks aren't all known to run the layer, or one had no memory for its record. */
static PFC__QUIET pfc__win_t *pfc__win_of(MPI_Win win)
{
    return (pfc__win_t *)(void *)pfc__handles_look(&pfc__wins, PFC__KEY(win));
}

static PFC__QUIET int pfc__win_fence(pfc__call_t *c, int assert, MPI_Win win)
{
    const pfc__win_t *w = pfc__win_of(win);
    pfc__collective_t k;
    int error;
    pfc__collective_begin(c, &k, PFC__RULE_ALL, 0, w ? w->shared->comm : MPI_COMM_NULL);
    k.may_part = PFC__MAY_LEAVE; /* with MPI_MODE_NOPRECEDE libraries needn't wait */
    error = PMPI_Win_fence(assert, win);
    pfc__collective_end(c, &k, error);
    return error;
}

static PFC__QUIET int pfc__win_free(pfc__call_t *c, MPI_Win *win)
{
    pfc__win_t *w = (pfc__win_t *)(void *)pfc__handles_take(&pfc__wins, PFC__KEY(*win));
    pfc__collective_t k;
    int error;
    pfc__collective_begin(c, &k, PFC__RULE_ALL, 0, w ? w->shared->comm : MPI_COMM_NULL);
    error = PMPI_Win_free(win);
    pfc__collective_end(c, &k, error);
    if (!w) return error;
    pfc__wins_share_leave(w->shared, w->number);
    free(w->with[PFC__ORIGINS].rank);
    free(w->with[PFC__TARGETS].rank);
    free(w);
    return error;
}

/* ---- epochs of groups: what one side did travels to the other as posts do (see posts) */

static PFC__QUIET void pfc__epoch_with(pfc__win_t *w, enum pfc__partners side, MPI_Group group)
{
    MPI_Group all;
    int n = 0, i, *rank, *of_group;
    free(w->with[side].rank);
    w->with[side].rank = 0;
    w->with[side].n = 0;
    if (group == MPI_GROUP_NULL || PMPI_Group_size(group, &n)) return;
    rank = (int *)malloc((size_t)(2 * n + 1) * sizeof *rank);
    if (!rank) return;
    of_group = rank + n;
    for (i = 0; i < n; i++) of_group[i] = i;
    PMPI_Comm_group(w->shared->comm, &all);
    PMPI_Group_translate_ranks(group, n, of_group, all, rank);
    PMPI_Group_free(&all);
    w->with[side].rank = rank;
    w->with[side].n = n;
}

/* Of streams in a communicator that nobody else uses. */
PFC__HOT int pfc__epoch_tag(const pfc__win_t *w, enum pfc__epoch_news news) { return 2 * w->number + (int)news; }

static PFC__QUIET void pfc__epoch_tell(const pfc__win_t *w, enum pfc__partners side, enum pfc__epoch_news news)
{
    pfc__moment_t now = pfc__moment_at(pfc__clock());
    int i, world;
    for (i = 0; i < w->with[side].n; i++) {
        pfc__stream_t *s;
        pfc__mpi_lock();
        s = pfc__stream_of(w->shared->known->number, w->with[side].rank[i], pfc__epoch_tag(w, news));
        if (s && (world = pfc__world_rank(w->shared->comm, w->with[side].rank[i])) >= 0)
            pfc__post_send(world, w->shared->known, pfc__epoch_tag(w, news), ++s->posted, now);
        pfc__mpi_unlock();
    }
}

/* This rank will ask what they told. */
static PFC__QUIET void pfc__epoch_expect(const pfc__win_t *w, enum pfc__partners side, enum pfc__epoch_news news)
{
    pfc__stream_t *s;
    int i;
    for (i = 0; i < w->with[side].n; i++) pfc__stream_send(w->shared->known, w->with[side].rank[i], pfc__epoch_tag(w, news), 1, &s);
}

/* The call has waited for what the partners told, or ended before. */
static PFC__QUIET void pfc__epoch_met(pfc__call_t *c, const pfc__win_t *w, enum pfc__partners side, enum pfc__epoch_news news)
{
    pfc__latest_t latest = pfc__latest_none();
    pfc__i64 last_ct = PFC__NEVER;
    pfc__post_t post;
    int i, last = -1;
    memset(&post, 0, sizeof post);
    for (i = 0; i < w->with[side].n; i++) {
        pfc__stream_t *s;
        pfc__mpi_lock();
        s = pfc__stream_of(w->shared->known->number, w->with[side].rank[i], pfc__epoch_tag(w, news));
        pfc__mpi_unlock();
        if (!s || !pfc__post_of(s, s->sent, &post)) continue;
        latest = pfc__latest_merge(latest, pfc__latest_of(pfc__post_moment(&post)));
        if (post.ct > last_ct) last_ct = post.ct, last = post.world;
    }
    if (!pfc__latest_is_before(latest, c->end)) return;
    if (PFC__UNLIKELY(pfc__mpi.polls) && news == PFC__COMPLETED) pfc__polls_end(c);
    /* it has travelled as an empty message */
    pfc__call_depends(c, pfc__latest_moment(latest), pfc__call_cost(0), pfc__travel(0, (pfc__u32)PFC__ANY_PEER));
    c->wait_kind = news == PFC__POSTED ? PFC__LATE_RECEIVER : PFC__LATE_SENDER;
    if (last >= 0) pfc__peer_waited((pfc__u32)last, c->polled_ct + c->wait_ct, c->wait_lt);
}

static PFC__QUIET int pfc__win_post(pfc__call_t *c, MPI_Group group, int assert, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    int error;
    if (w) {
        pfc__epoch_with(w, PFC__ORIGINS, group);
        pfc__epoch_expect(w, PFC__ORIGINS, PFC__COMPLETED);
        pfc__epoch_tell(w, PFC__ORIGINS, PFC__POSTED); /* before the library's own message: then it is there in time */
    }
    pfc__call_begin(c);
    error = PMPI_Win_post(group, assert, win);
    pfc__call_end(c);
    return error;
}

static PFC__QUIET int pfc__win_start(pfc__call_t *c, MPI_Group group, int assert, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    int error;
    if (w) {
        pfc__epoch_with(w, PFC__TARGETS, group);
        pfc__epoch_expect(w, PFC__TARGETS, PFC__POSTED);
    }
    pfc__call_begin(c);
    error = PMPI_Win_start(group, assert, win);
    pfc__call_end(c);
    if (w && !error) pfc__epoch_met(c, w, PFC__TARGETS, PFC__POSTED);
    return error;
}

static PFC__QUIET int pfc__win_complete(pfc__call_t *c, MPI_Win win)
{
    const pfc__win_t *w = pfc__win_of(win);
    int error;
    if (w) pfc__epoch_tell(w, PFC__TARGETS, PFC__COMPLETED);
    pfc__call_begin(c);
    error = PMPI_Win_complete(win);
    pfc__call_end(c);
    return error;
}

/* Win_wait; with a flag: Win_test. */
static PFC__QUIET int pfc__win_wait(pfc__call_t *c, MPI_Win win, int *flag)
{
    const pfc__win_t *w = pfc__win_of(win);
    int error;
    pfc__call_begin(c);
    error = flag ? PMPI_Win_test(win, flag) : PMPI_Win_wait(win);
    pfc__call_end(c);
    if (!w || error) return error;
    if (flag && !*flag) pfc__poll_in_vain(c);
    else pfc__epoch_met(c, w, PFC__ORIGINS, PFC__COMPLETED);
    return error;
}

/* ---- locks

   Who unlocks writes the moment beside the lock, into a window of our own, while
   nobody else can have it; the next one finds it there. It is the latest of all
   so far: those before delay nobody more than those behind them do. A shared
   lock waits for exclusive ones only. Locks of all ranks are shared: they read, and
   write, beside each of them. */

enum { PFC__UNLOCKED_FIELDS = sizeof(pfc__unlocked_t) / sizeof(pfc__i64) };

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
    if (!*least || *least > took) *least = took;
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

/* Where a window's record lies. */
PFC__HOT MPI_Aint pfc__unlocked_at(int number) { return number * (MPI_Aint)PFC__UNLOCKED_FIELDS; }

/* Each returns what the program would have waited. */
static PFC__QUIET pfc__i64 pfc__lock_ask(const pfc__wins_shared_t *s, int number, int rank, pfc__unlocked_t *before)
{
    pfc__i64 tick = pfc__clock();
    *before = pfc__never_unlocked();
    PMPI_Get(before, PFC__UNLOCKED_FIELDS, MPI_INT64_T, rank, pfc__unlocked_at(number), PFC__UNLOCKED_FIELDS, MPI_INT64_T, s->locks);
    PMPI_Win_flush(rank, s->locks);
    return pfc__answer_awaited(PFC__ASKING, rank == s->known->rank, pfc__since(tick));
}

static PFC__QUIET pfc__i64 pfc__lock_tell(const pfc__wins_shared_t *s, int number, int rank, const pfc__unlocked_t *mine, int fields)
{
    pfc__i64 tick = pfc__clock();
    PMPI_Accumulate(mine, fields, MPI_INT64_T, rank, pfc__unlocked_at(number), fields, MPI_INT64_T, MPI_MAX, s->locks);
    PMPI_Win_flush(rank, s->locks);
    return pfc__answer_awaited(PFC__TELLING, rank == s->known->rank, pfc__since(tick));
}

/* While all are there. */
static PFC__QUIET void pfc__answers_measure(const pfc__wins_shared_t *s)
{
    pfc__unlocked_t nothing;
    int next = (s->known->rank + 1) % s->size;
    pfc__lock_ask(s, 0, next, &nothing);
    nothing = pfc__never_unlocked();
    pfc__lock_tell(s, 0, next, &nothing, (int)PFC__UNLOCKED_FIELDS);
    PMPI_Barrier(s->comm);
}

static PFC__QUIET void pfc__lock_keep(pfc__win_t *w, int rank)
{
    pfc__held_t *h = (pfc__held_t *)malloc(sizeof *h);
    if (!h) return;
    h->rank = rank;
    pfc__mpi_lock();
    h->next = w->held;
    w->held = h;
    pfc__mpi_unlock();
}

/* 1: it was an exclusive one. */
static PFC__QUIET int pfc__lock_drop(pfc__win_t *w, int rank)
{
    pfc__held_t **at = &w->held, *h;
    pfc__mpi_lock();
    while (*at && (*at)->rank != rank) at = &(*at)->next;
    if ((h = *at) != 0) *at = h->next;
    pfc__mpi_unlock();
    free(h);
    return h != 0;
}

static PFC__QUIET int pfc__locks_known(const pfc__win_t *w) { return w && w->shared->locks != MPI_WIN_NULL; }

/* The lock was got behind those that held it before. */
static PFC__QUIET void pfc__lock_got(pfc__call_t *c, const pfc__win_t *w, pfc__latest_t before, pfc__i64 awaited)
{
    pfc__collective_t k = { PFC__RULE_ALL, 0, 1, 1, 0, w->shared->known->number, w->shared->comm, 1, w->shared->known, 0, 0 };
    before.ct = pfc__min(before.ct, c->end.ct);
    pfc__collective_depends(c, &k, pfc__latest_merge(before, pfc__latest_here(c->begin)));
    c->wait_kind = PFC__LATE_SENDER;
    pfc__call_goes_on(c, awaited);
}

static PFC__QUIET int pfc__win_lock(pfc__call_t *c, int kind, int rank, int assert, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    pfc__unlocked_t before;
    pfc__i64 awaited;
    int error;
    pfc__call_begin(c);
    error = PMPI_Win_lock(kind, rank, assert, win);
    pfc__call_end(c);
    if (error || !pfc__locks_known(w) || rank == MPI_PROC_NULL) return error;
    if (kind == MPI_LOCK_EXCLUSIVE) pfc__lock_keep(w, rank);
    if (assert & MPI_MODE_NOCHECK) return error; /* it waits for nobody */
    awaited = pfc__lock_ask(w->shared, w->number, rank, &before);
    pfc__lock_got(c, w, kind == MPI_LOCK_EXCLUSIVE ? before.by_any : before.exclusively, awaited);
    return error;
}

/* A short message to each rank, and back. */
static PFC__QUIET pfc__latest_t pfc__lock_ask_all(const pfc__win_t *w, pfc__i64 *awaited)
{
    pfc__i64 tick = pfc__clock();
    pfc__latest_t latest = pfc__latest_none(), *of = (pfc__latest_t *)malloc((size_t)w->shared->size * sizeof *of);
    int i;
    *awaited = 0;
    if (!of) return latest;
    for (i = 0; i < w->shared->size; i++) {
        of[i] = latest;
        PMPI_Get(&of[i], PFC__LATEST_AS, i, pfc__unlocked_at(w->number) + PFC__LATEST_FIELDS, PFC__LATEST_AS, w->shared->locks); /* `exclusively` */
    }
    PMPI_Win_flush_all(w->shared->locks);
    *awaited = pfc__answers_awaited(PFC__ASKING, w->shared->size, pfc__since(tick));
    for (i = 0; i < w->shared->size; i++) latest = pfc__latest_merge(latest, of[i]);
    free(of);
    return latest;
}

static PFC__QUIET int pfc__win_lock_all(pfc__call_t *c, int assert, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    pfc__latest_t before;
    pfc__i64 awaited;
    int error;
    pfc__call_begin(c);
    error = PMPI_Win_lock_all(assert, win);
    pfc__call_end(c);
    if (error || !pfc__locks_known(w)) return error;
    w->holds_all = !(assert & MPI_MODE_NOCHECK); /* which waits for nobody, and nobody for it */
    if (!w->holds_all) return error;
    before = pfc__lock_ask_all(w, &awaited);
    pfc__lock_got(c, w, before, awaited);
    return error;
}

/* The lock is held for as long as telling takes: what it takes at least, as far as is known. */
static PFC__QUIET pfc__i64 pfc__unlock_tell(pfc__win_t *w, int rank)
{
    pfc__moment_t now = pfc__moment_at(pfc__clock());
    pfc__unlocked_t mine;
    int fields = pfc__lock_drop(w, rank) ? (int)PFC__UNLOCKED_FIELDS : (int)PFC__LATEST_FIELDS;
    pfc__mpi_lock();
    now.ct += pfc__answer_least[PFC__TELLING][rank == w->shared->known->rank];
    pfc__mpi_unlock();
    mine.by_any = mine.exclusively = pfc__latest_here(now);
    return pfc__lock_tell(w->shared, w->number, rank, &mine, fields);
}

static PFC__QUIET pfc__i64 pfc__unlock_tell_all(pfc__win_t *w)
{
    pfc__i64 took, tick = pfc__clock();
    pfc__moment_t now = pfc__moment_at(tick);
    pfc__latest_t mine;
    int i;
    now.ct += w->least_to_all;
    mine = pfc__latest_here(now);
    for (i = 0; i < w->shared->size; i++) /* `by_any` */
        PMPI_Accumulate(&mine, PFC__LATEST_AS, i, pfc__unlocked_at(w->number), PFC__LATEST_AS, MPI_MAX, w->shared->locks);
    PMPI_Win_flush_all(w->shared->locks);
    took = pfc__since(tick);
    if (!w->least_to_all || w->least_to_all > took) w->least_to_all = took;
    w->holds_all = 0;
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

/* Win_unlock; of no rank: Win_unlock_all. */
static PFC__QUIET int pfc__win_unlock(pfc__call_t *c, const int *rank, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    pfc__i64 awaited = 0;
    int error;
    if (pfc__locks_known(w) && (rank ? *rank != MPI_PROC_NULL : w->holds_all)) {
        awaited = pfc__unlock_flush(rank, win);
        awaited += rank ? pfc__unlock_tell(w, *rank) : pfc__unlock_tell_all(w);
    }
    pfc__call_begin(c);
    pfc__call_began(c, awaited);
    error = rank ? PMPI_Win_unlock(*rank, win) : PMPI_Win_unlock_all(win);
    pfc__call_end(c);
    return error;
}
