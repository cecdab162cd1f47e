/* ----------------------------------------------------- windows (MPI impl) ---
   One-sided communication. Its data move at some time between two calls that
   synchronise; only those wait for other ranks, as far as we can know:

       Win_fence, Win_free   all meet (R6), where the clock doesn't show that a fence ended before
       Win_start             for the Win_post of its targets (R4)
       Win_wait, Win_test    for the Win_complete of its origins (R1)
       Win_lock, _lock_all   for who held the lock before (see window_locks)

   When a target answered nobody tells: see accesses. */

enum pfc__partners { PFC__ORIGINS, PFC__TARGETS };
enum pfc__epoch_news { PFC__POSTED, PFC__COMPLETED };

/* A rank's window, locked by this one; `alone`: exclusively. */
typedef struct pfc__lock { struct pfc__lock *next; int rank, alone; pfc__i64 since, usual_wait; } pfc__lock_t;

typedef struct pfc__win {
    pfc__by_handle_t entry;
    pfc__wins_shared_t *shared;
    int number;               /* among those that share it */
    struct { int n, *rank; } with[2]; /* by enum pfc__partners: of the epoch */
    pfc__i64 telling[2];      /* by enum pfc__epoch_news: how long it took to tell one of them, at least; 0: not known */
    pfc__lock_t *locked;      /* Win_lock; the rest: see window_locks */
    int all_locked;           /* Win_lock_all, and somebody may wait for its end */
    pfc__i64 all_since;
    pfc__i64 least_to_all;
} pfc__win_t;

static pfc__handles_t pfc__wins;

/* ---- windows made and freed */

static PFC__QUIET void pfc__answers_measure(const pfc__wins_shared_t *s); /* see window_locks */

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
    k.may_part = assert & MPI_MODE_NOPRECEDE ? PFC__MAY_LET_GO : PFC__MAY_LEAVE; /* with it libraries needn't wait */
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

/* Before the library's own message: then it is there in time. That goes when all have been told, which is ours, too: what it takes
   at least, as far as is known. (The library may move data meanwhile.) It may take less this time: when that message goes is uncertain
   by so much, in CT as in LT. */
static PFC__QUIET void pfc__epoch_tell(pfc__call_t *c, pfc__win_t *w, enum pfc__partners side, enum pfc__epoch_news news)
{
    const int n = w->with[side].n;
    pfc__moment_t now = pfc__call_so_far(c);
    pfc__i64 took = n * w->telling[news];
    int i, world;
    now.ct += took;
    now.clock += took;
    if (news == PFC__COMPLETED) now = pfc__moved_before(now);
    for (i = 0; i < n; i++) {
        pfc__stream_t *s;
        pfc__mpi_lock();
        s = pfc__stream_of(w->shared->known->number, w->with[side].rank[i], pfc__epoch_tag(w, news));
        if (s && (world = pfc__world_rank(w->shared->comm, w->with[side].rank[i])) >= 0)
            pfc__post_send(world, w->shared->known, pfc__epoch_tag(w, news), ++s->posted, now, 0);
        pfc__mpi_unlock();
    }
    took = pfc__since(c->tick_in);
    if (!n || took > n * pfc__answer_patience(0)) return; /* somebody else had the processor */
    pfc__at_least_seen(&w->telling[news], took / n);
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
    if (PFC__UNLIKELY(pfc__polling) && news == PFC__COMPLETED) pfc__polls_end(c);
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
        pfc__epoch_tell(c, w, PFC__ORIGINS, PFC__POSTED);
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
    pfc__win_t *w = pfc__win_of(win);
    int error;
    if (w) pfc__epoch_tell(c, w, PFC__TARGETS, PFC__COMPLETED);
    pfc__call_begin(c);
    error = PMPI_Win_complete(win);
    pfc__call_end(c);
    pfc__answers_doubt(c);
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
