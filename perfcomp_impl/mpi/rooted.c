/* ----------------------------------------- rooted collectives (MPI impl) ---
   Who is late on the way of the data delays those behind it: moments pass by
   the way that the data take. Which one that is, an experiment tells before
   the first exchange of its kind: all ranks come to calls of ours as long as
   the user's, each at a time of its own, and see which way all their clocks
   contradict least. That synchronises the user's call, as MPI lets any
   collective do. PERFCOMP_MPI_TRIALS=off is for programs that rely on the
   contrary: then nothing is tried, and nothing exchanged.

   All ranks of a communicator must take the same way at the same call, from
   wherever in the program they call it. So the communicator keeps what is
   known, by kind of call and by length, and each decides by the same numbers.
   MPI requires the length to be the same on all of them (but in calls that end
   in v: those are of one length): they may give other counts of other
   datatypes, but of one type signature, so of as many bytes. Some libraries'
   ways from or to rank 0 differ from others'.

   That length of calls that end in v is short. Where a rank's part is so long that
   its sender waits for its receiver, and for who gives parts to all, of whose
   length its own tells nothing, ± has what isn't explained.

   In such calls ranks may have no part. Most libraries send nothing then, which is
   tried as well: the root doesn't wait for those ranks, nor they for it.

   Scans have no root, but a way that libraries choose, too. */

static PFC__QUIET enum pfc__tried_call pfc__tried_kind(const pfc__call_t *c)
{
    switch (c->name[0]) {
    case 'A': return PFC__SPARSE;
    case 'B': return PFC__BCAST;
    case 'E': return PFC__EXSCAN;
    case 'R': return PFC__REDUCE;
    case 'S':
        if (c->name[2] == 'a' && c->name[3] == 'n') return PFC__SCAN;
        return c->name[sizeof "Scatter" - 1] == 'v' ? PFC__SCATTERV : PFC__SCATTER;
    default: return c->name[sizeof "Gather" - 1] == 'v' ? PFC__GATHERV : PFC__GATHER;
    }
}

PFC__HOT int pfc__is_scan(enum pfc__tried_call kind) { return kind == PFC__SCAN || kind == PFC__EXSCAN; }
PFC__HOT int pfc__in_v(enum pfc__tried_call kind) { return kind == PFC__SCATTERV || kind == PFC__GATHERV; }
PFC__HOT int pfc__of_one_length(enum pfc__tried_call kind) { return pfc__in_v(kind) || kind == PFC__SPARSE; }

/* Libraries change over at powers of two, or halfway between: 0, 1, 2, 3, 4–5, 6–7, 8–11 … */
static PFC__QUIET int pfc__length_class(pfc__i64 bytes)
{
    int octaves = bytes > 3 ? 62 - __builtin_clzll((unsigned long long)bytes) : 0;
    return (int)pfc__min(2 * octaves + (pfc__max(0, bytes) >> octaves), PFC__LENGTHS - 1);
}

/* ---- the experiment */

enum {
    PFC__TRIALS = 3,              /* as long as no way explains the clocks */
    PFC__TRIAL_CALLS = 4,
    PFC__TRIAL_BYTES = 1 << 20,   /* at most, of all parts together */
    PFC__TRIAL_PART = 64,         /* where parts differ */
    PFC__TRIAL_NS = 50000,        /* ranks come spread over that time, and more where messages take long */
    PFC__TRIAL_LONGEST = 4000000, /* but over no more than that */
    PFC__TRIAL_SURE = 32,         /* a way explains the clocks to this part of that time, on average of all ranks */
    PFC__TRIAL_PATIENCE = 30      /* s, until a rank says that it waits for the others */
};

/* All ranks try, or none does. */
static PFC__QUIET void pfc__trials_agree(void)
{
    int mine = pfc__switch("PERFCOMP_MPI_TRIALS", 1);
    PMPI_Allreduce(&mine, &pfc__mpi.trials, 1, MPI_INT, MPI_MIN, pfc__mpi.comm);
}

typedef struct pfc__trial {
    const pfc__collective_t *k;
    enum pfc__tried_call kind;
    int rank, bytes;
    int leaves;  /* before the last rank came; 1: and never had waited then */
    char *own, *all;
    int *counts; /* of bytes by rank, and behind them where those begin */
    pfc__observed_t seen;
} pfc__trial_t;

static PFC__QUIET int pfc__trial_room(pfc__trial_t *t, pfc__i64 bytes)
{
    int i, size = t->seen.size, parts = t->kind == PFC__BCAST || t->kind == PFC__REDUCE || pfc__is_scan(t->kind) ? 1 : size;
    t->bytes = t->kind == PFC__SPARSE ? 0 : pfc__in_v(t->kind) ? PFC__TRIAL_PART : (int)pfc__max(0, pfc__min(bytes, PFC__TRIAL_BYTES / parts));
    t->own = (char *)calloc((size_t)t->bytes + 1, 1);
    t->all = (char *)calloc((size_t)t->bytes + 1, (size_t)parts);
    t->counts = (int *)malloc(2 * (size_t)size * sizeof *t->counts);
    t->seen.stay = (pfc__stay_t *)malloc((size_t)size * sizeof *t->seen.stay);
    t->seen.left = (pfc__i64 *)malloc((size_t)size * sizeof *t->seen.left);
    if (!t->own || !t->all || !t->counts || !t->seen.stay || !t->seen.left) return 0;
    for (i = 0; i < size; i++) {
        t->counts[i] = t->bytes;
        t->counts[size + i] = i * t->bytes;
    }
    return 1;
}

/* A program that relies on ranks not meeting here isn't left without a word. */
static PFC__QUIET void pfc__trial_await(const pfc__call_t *c, MPI_Request *others)
{
    static int said;
    int here = pfc__patient_until(others, PFC__TRIAL_PATIENCE * (pfc__i64)1000000000);
    if (!here && !__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        pfc__note("rank %d has waited for %d s at an MPI_%s of a new length, where all ranks meet to try by which way its data go; if "
                  "one of them can't come before rank %d goes on, set PERFCOMP_MPI_TRIALS=off",
                  pfc__mpi.rank, PFC__TRIAL_PATIENCE, c->name, pfc__mpi.rank);
    PMPI_Wait(others, MPI_STATUS_IGNORE);
}

/* All ranks have room, or none tries; and they are of one mind how long a message takes. */
static PFC__QUIET int pfc__trial_agreed(pfc__trial_t *t, const pfc__call_t *c)
{
    MPI_Request request = MPI_REQUEST_NULL;
    pfc__i64 mine[2], all[2] = { 1, 0 };
    mine[0] = !pfc__trial_room(t, c->bytes);
    mine[1] = pfc__travel(t->bytes, (pfc__u32)PFC__ANY_PEER).ns;
    if (PFC__ONE_PROGRAM) PMPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_MAX, t->k->comm); /* SimGrid's other one is n² messages */
    else {
        PMPI_Iallreduce(mine, all, 2, MPI_INT64_T, MPI_MAX, t->k->comm, &request);
        pfc__trial_await(c, &request);
    }
    t->seen.travel = all[1];
    t->seen.most = pfc__min((16 + 4 * t->seen.size) * all[1] + PFC__TRIAL_NS, PFC__TRIAL_LONGEST);
    return !all[0];
}

static PFC__QUIET void pfc__trial_call(const pfc__trial_t *t)
{
    MPI_Comm comm = t->k->comm;
    int root = t->k->root, n = t->bytes, *counts = t->counts, *places = counts + t->seen.size;
    switch (t->kind) {
    case PFC__BCAST: PMPI_Bcast(t->own, n, MPI_BYTE, root, comm); break;
    case PFC__REDUCE: PMPI_Reduce(t->own, t->all, n, MPI_BYTE, MPI_BOR, root, comm); break;
    case PFC__SCATTER: PMPI_Scatter(t->all, n, MPI_BYTE, t->own, n, MPI_BYTE, root, comm); break;
    case PFC__SCATTERV: PMPI_Scatterv(t->all, counts, places, MPI_BYTE, t->own, n, MPI_BYTE, root, comm); break;
    case PFC__GATHER: PMPI_Gather(t->own, n, MPI_BYTE, t->all, n, MPI_BYTE, root, comm); break;
    case PFC__GATHERV: PMPI_Gatherv(t->own, n, MPI_BYTE, t->all, counts, places, MPI_BYTE, root, comm); break;
    case PFC__SCAN: PMPI_Scan(t->own, t->all, n, MPI_BYTE, MPI_BOR, comm); break;
    case PFC__SPARSE: PMPI_Alltoallv(t->all, counts, places, MPI_BYTE, t->own, counts, places, MPI_BYTE, comm); break;
    case PFC__EXSCAN: PMPI_Exscan(t->own, t->all, n, MPI_BYTE, MPI_BOR, comm); break;
    default: break;
    }
}

/* How late a rank comes: spread out, and at the next call the other way round, so that of any two each comes later once.
   The root comes first: who waits, waits for others. To a root, somebody may wait for it to take the data: there it
   comes last, too. */
static PFC__QUIET pfc__i64 pfc__trial_late(const pfc__trial_t *t, int call)
{
    pfc__u32 share = (pfc__u32)(t->rank + 1) * (call / 2 ? 2246822519u : 2654435761u);
    if (t->rank == t->k->root) return t->seen.to_root && call / 2 ? t->seen.most : 0;
    return (pfc__i64)((double)t->seen.most * (call % 2 ? ~share : share) / UINT32_MAX);
}

/* All see who stayed in it for how long. Returns what this rank did. */
static PFC__QUIET pfc__stay_t pfc__trial_meet(pfc__trial_t *t, pfc__i64 late)
{
    pfc__stay_t mine;
    PMPI_Barrier(t->k->comm);
    pfc__patient_pause(late);
    mine.begin = pfc__common_ns(pfc__clock());
    pfc__trial_call(t);
    mine.end = pfc__common_ns(pfc__clock());
    PMPI_Allgather(&mine, 2, MPI_INT64_T, t->seen.stay, 2, MPI_INT64_T, t->k->comm);
    return mine;
}

static PFC__QUIET void pfc__trial_one(pfc__trial_t *t, int call, pfc__i64 *contradicted)
{
    pfc__stay_t mine = pfc__trial_meet(t, pfc__trial_late(t, call));
    int way;
    for (way = 0; way < PFC__WAYS; way++) contradicted[way] += pfc__contradicted(&t->seen, (enum pfc__way)way);
    if (mine.end < pfc__last_came(&t->seen)) t->leaves |= mine.end - mine.begin < t->seen.most / 16 ? 1 : 2;
}

/* Where no way explains even half of it, ranks wait for processors: more calls would tell nothing, and take long. */
static PFC__QUIET void pfc__trial_run(pfc__trial_t *t, pfc__known_way_t *known)
{
    pfc__i64 contradicted[PFC__WAYS] = { 0 }, most = 0, least = 0;
    enum pfc__way usual = (enum pfc__way)known->way, way = usual;
    int call, left = 0;
    for (call = 0; call < PFC__TRIAL_CALLS && 2 * least <= most && !left; call++) {
        pfc__trial_one(t, call, contradicted);
        left = t->seen.empty && pfc__one_left_before(&t->seen);
        way = pfc__way_least(contradicted, usual, t->seen.size * t->seen.travel);
        least = contradicted[way];
        most += t->seen.size * t->seen.most;
    }
    known->way = (left ? PFC__WAY_NONE : way) & 15;
    known->sure = left || PFC__TRIAL_SURE * least < most;
    known->leaves = t->leaves == 1;
}

/* Nobody has a part in it. Those come late for whom others might wait: one of these leaves before, or never does. Where they
   wait for processors, that takes longer. */
static PFC__QUIET int pfc__trial_skips(pfc__trial_t *t)
{
    int i, call, size = t->seen.size, skips = 0, waits = (t->rank == t->k->root) == t->seen.to_root;
    t->bytes = 0;
    memset(t->counts, 0, 2 * (size_t)size * sizeof *t->counts);
    for (call = 0; call < PFC__TRIAL_CALLS && !skips; call++) {
        pfc__trial_meet(t, waits ? 0 : t->seen.most);
        for (i = 0; i < size; i++)
            skips |= (i == t->k->root) == t->seen.to_root && pfc__left_before(&t->seen, i);
        t->seen.most = pfc__min(4 * t->seen.most, PFC__TRIAL_LONGEST);
    }
    return skips;
}

/* What is taken for true where the clocks don't tell. */
static PFC__QUIET enum pfc__way pfc__usual_way(enum pfc__tried_call kind)
{
#ifdef MPICH_VERSION /* and its descendants' */
    if (kind == PFC__SPARSE) return PFC__WAY_NONE;
    if (pfc__is_scan(kind)) return kind == PFC__SCAN ? PFC__WAY_ALL : PFC__WAY_DOUBLING;
#else
    if (kind == PFC__SPARSE) return PFC__WAY_ALL;
    if (pfc__is_scan(kind)) return PFC__WAY_CHAIN;
#endif
    return pfc__in_v(kind) ? PFC__WAY_FLAT : PFC__WAY_HALVING;
}

/* In a trial, which took this rank `ns`, all have met: from then on nobody's Δ is less than the least one's before, with what the
   trial has added to everybody's. Returns that. */
static PFC__QUIET pfc__i64 pfc__trial_met(const pfc__call_t *c, const pfc__collective_t *k, pfc__i64 ns)
{
    pfc__i64 mine[2], least[2];
    if (!k->as_world) return 0;
    mine[0] = c->begin.ct - c->begin.lt - c->begin.u;
    mine[1] = ns;
    PMPI_Allreduce(mine, least, 2, MPI_INT64_T, MPI_MIN, k->comm);
    if (pfc__mpi.threads) return 0; /* others haven't */
    pfc__mpi.least_delay = least[0];
    return least[1];
}

/* What isn't sure then is tried again at the next call, a few times. Returns by how much every rank's Δ is larger after this one. */
static PFC__QUIET pfc__i64 pfc__find_way(const pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t *known, int rank, int size)
{
    pfc__i64 tick = pfc__clock(), added;
    pfc__trial_t t;
    t.k = k;
    t.kind = pfc__tried_kind(c);
    t.rank = rank;
    t.leaves = 0;
    t.seen.size = size;
    t.seen.root = k->root;
    t.seen.to_root = k->rule == PFC__RULE_TO_ROOT;
    t.seen.scan = pfc__is_scan(t.kind);
    t.seen.empty = t.kind == PFC__SPARSE;
    known->trials = (known->trials + 1) & 3;
    known->way = pfc__usual_way(t.kind) & 15;
    if (pfc__trial_agreed(&t, c)) {
        pfc__trial_run(&t, known);
        known->skips = pfc__in_v(t.kind) && pfc__trial_skips(&t);
    }
    pfc__ways_keep(k->known->members, k->known->way);
    free(t.own);
    free(t.all);
    free(t.counts);
    free(t.seen.stay);
    free(t.seen.left);
    added = pfc__trial_met(c, k, pfc__since(tick));
    if (!pfc__mpi.job) return added;
    __atomic_fetch_add(&pfc__mpi.job->tried, known->trials == 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&pfc__mpi.job->tried_ns, pfc__since(tick), __ATOMIC_RELAXED);
    return added;
}

/* `added`: to every rank's Δ, once this call is over, because it was tried now. */
static PFC__QUIET pfc__known_way_t pfc__way_of(const pfc__call_t *c, const pfc__collective_t *k, int rank, int size, pfc__i64 *added)
{
    pfc__known_way_t untried = { PFC__WAY_NONE, 0, 0, 0, 0 };
    enum pfc__tried_call kind = pfc__tried_kind(c);
    pfc__known_way_t *known = &k->known->way[kind][k->root != 0][pfc__of_one_length(kind) ? 0 : pfc__length_class(c->bytes)];
    if (kind == PFC__SPARSE) untried.way = pfc__usual_way(kind) & 15; /* there's nothing in that on which ranks could wait */
    *added = 0;
    if (!pfc__mpi.trials) return untried;
    if (!known->sure && known->trials < PFC__TRIALS) *added = pfc__find_way(c, k, known, rank, size);
    return *known;
}

/* ---- moments on their way */

static PFC__QUIET int pfc__rank_at(const pfc__collective_t *k, int place, int size)
{
    return pfc__world_rank(k->comm, (place + k->root) % size);
}

/* What goes straight is handed on by a tree all the same. */
PFC__HOT enum pfc__way pfc__tree_for(enum pfc__way way) { return way == PFC__WAY_FLAT ? PFC__WAY_HALVING : way; }

/* This rank has no part in it. */
PFC__HOT int pfc__is_skipped(const pfc__call_t *c, pfc__known_way_t known)
{
    return known.skips && known.way == PFC__WAY_FLAT && !c->bytes;
}

/* The call's end may be off by so much, and with it what it has waited. */
static PFC__QUIET void pfc__doubt_up_to(pfc__call_t *c, pfc__i64 u)
{
    pfc__call_doubts(c, pfc__max(0, u - c->end.u));
}

/* Where no way explains the clocks, what was waited after `there` may have been anybody's delay, and for what would be
   waited without delays there may be no need; `all`: of all ranks, where they are known. */
static PFC__QUIET void pfc__doubt(pfc__call_t *c, pfc__known_way_t known, pfc__i64 there, pfc__latest_t all)
{
    pfc__i64 range = INT64_MAX, waited = pfc__max(c->end.ct - pfc__max(c->begin.ct, there), c->wait_lt);
    if (known.sure || waited <= 0) return;
    if (!pfc__latest_is_none(all)) range = pfc__latest_range(pfc__latest_merge(all, pfc__latest_here(c->begin)));
    pfc__doubt_up_to(c, pfc__min(c->end.u + waited, range));
}

/* Nothing was exchanged: undisturbed, this rank left no earlier than if it had waited for nobody, and no later than it did. */
static PFC__QUIET void pfc__doubt_all(pfc__call_t *c, pfc__known_way_t known)
{
    if (!known.sure) pfc__doubt_up_to(c, pfc__max(c->end.u + c->end.ct - c->begin.ct, c->end.ct - c->end.lt));
}

/* Data of which a sender waits for its receiver, or that may come from other ranks than is known: nor does the clock show for whom a
   rank would have waited that came late by its delay alone. Since all met, nobody's has been less than the least one's then: by so
   much at most it would have left later. */
static PFC__QUIET void pfc__doubt_late(pfc__call_t *c, pfc__known_way_t known, int ordered)
{
    if (!known.sure && (ordered || pfc__send_waits(c->bytes, 0))) pfc__doubt_up_to(c, c->end.ct - c->end.lt - pfc__mpi.least_delay);
}

/* Data on their way from the root: when they were handed on, and who held them up. */
typedef struct pfc__handed { pfc__moment_t at; pfc__names_t late; } pfc__handed_t;

static PFC__QUIET pfc__handed_t pfc__handed_here(pfc__moment_t at)
{
    pfc__handed_t h = { at, pfc__latest_here(at).last };
    return h;
}

/* They have come from a rank, if there are any. */
static PFC__QUIET pfc__handed_t pfc__came_from(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int rank)
{
    pfc__transfer_t travel = pfc__travel_tree(c, k->comm);
    pfc__handed_t from;
    PMPI_Recv(&from, (int)sizeof from, MPI_BYTE, rank, pfc__collective_tag(k), pfc__mpi.comm, MPI_STATUS_IGNORE);
    if (pfc__is_skipped(c, known)) return from;
    pfc__call_depends(c, from.at, pfc__call_cost(c->bytes), travel);
    pfc__waited_for(c, from.late);
    pfc__doubt(c, known, from.at.ct + travel.ns + travel.u, pfc__latest_none());
    return from;
}

/* Who has waited for them wasn't late. */
static PFC__QUIET pfc__handed_t pfc__handed_after(const pfc__call_t *c, pfc__handed_t from)
{
    pfc__handed_t here = pfc__handed_here(c->end);
    if (c->wait_ct > 0) here.late.ct = from.late.ct;
    if (c->wait_lt > 0) here.late.lt = from.late.lt;
    return here;
}

static PFC__QUIET void pfc__hand_on(const pfc__collective_t *k, enum pfc__way tree, int place, int size, pfc__handed_t from)
{
    int i;
    for (i = pfc__way_children(tree, place, size) - 1; i >= 0; i--)
        PMPI_Send(&from, (int)sizeof from, MPI_BYTE, pfc__rank_at(k, pfc__way_child(tree, place, i), size), pfc__collective_tag(k), pfc__mpi.comm);
}

static PFC__QUIET void pfc__one_to_all(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int place, int size)
{
    enum pfc__way way = (enum pfc__way)known.way, tree = pfc__tree_for(way);
    pfc__handed_t from = pfc__handed_here(c->begin);
    if (place) from = pfc__came_from(c, k, known, pfc__rank_at(k, pfc__way_parent(tree, place), size));
    else if (!known.sure) pfc__call_unexplained(c, from.at.ct + size * pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER).ns);
    pfc__hand_on(k, tree, place, size, place && way != PFC__WAY_FLAT ? pfc__handed_after(c, from) : from);
}

/* The root has a parent, too. */
static PFC__QUIET void pfc__by_first(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int rank, int size)
{
    pfc__collective_t from_first = *k;
    pfc__handed_t mine = pfc__handed_here(c->begin), from;
    from_first.root = 0;
    if (rank == k->root) PMPI_Send(&mine, (int)sizeof mine, MPI_BYTE, pfc__rank_at(&from_first, 0, size), pfc__collective_tag(k), pfc__mpi.comm);
    from = pfc__came_from(c, k, known, rank ? pfc__rank_at(&from_first, pfc__way_parent(PFC__WAY_HALVING, rank), size) : pfc__rank_at(k, 0, size));
    pfc__hand_on(&from_first, PFC__WAY_HALVING, rank, size, pfc__handed_after(c, from));
}

/* `others`: all of them, where this is the root; elsewhere nobody is waited for, or those behind. */
static PFC__QUIET void pfc__gathers(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, pfc__latest_t others,
                                    const pfc__passed_t *behind)
{
    pfc__transfer_t none = { 0, 0 }, travel = pfc__travel_tree(c, k->comm);
    pfc__moment_t start = c->begin;
    if (known.way != PFC__WAY_FLAT) {
        start = pfc__passed_moment(behind->latest, behind->way);
        pfc__call_depends(c, start, pfc__call_cost(c->bytes), none);
        pfc__waited_for(c, behind->latest.last);
    } else if (!pfc__latest_is_none(others)) {
        start = pfc__latest_moment(others);
        pfc__call_depends(c, start, pfc__call_cost(c->bytes), travel);
        pfc__waited_for(c, others.last);
    }
    pfc__doubt(c, known, start.ct + travel.ns + travel.u, others);
}

static PFC__QUIET void pfc__all_to_one(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int place, int size)
{
    enum pfc__way tree = pfc__tree_for((enum pfc__way)known.way);
    pfc__passed_t mine = pfc__passed_of(c), theirs;
    pfc__latest_t others = pfc__latest_none();
    int i, children = pfc__way_children(tree, place, size), tag = pfc__collective_tag(k);
    if (place && pfc__is_skipped(c, known)) mine.latest = pfc__latest_none();
    for (i = 0; i < children; i++) {
        PMPI_Recv(&theirs, (int)sizeof theirs, MPI_BYTE, pfc__rank_at(k, pfc__way_child(tree, place, i), size), tag, pfc__mpi.comm,
                  MPI_STATUS_IGNORE);
        others = pfc__latest_merge(others, theirs.latest);
        pfc__passed_merge(&mine, &theirs, pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER));
    }
    pfc__gathers(c, k, known, place ? pfc__latest_none() : others, &mine);
    if (place)
        PMPI_Send(&mine, (int)sizeof mine, MPI_BYTE, pfc__rank_at(k, pfc__way_parent(tree, place), size), tag, pfc__mpi.comm);
}

static PFC__QUIET void pfc__all_to_all(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known)
{
    pfc__transfer_t travel = pfc__travel_tree(c, k->comm);
    pfc__latest_t latest = pfc__exchange(PFC__RULE_ALL, 0, k->comm, pfc__latest_here(c->begin));
    int leaves = known.leaves && !(k->rule == PFC__RULE_TO_ROOT && k->known->rank == k->root); /* it did so where another one was the root */
    if (!leaves && pfc__latest_is_before(latest, c->end)) {
        pfc__call_depends(c, pfc__latest_moment(latest), pfc__call_cost(c->bytes), travel);
        pfc__waited_for(c, latest.last);
        if (pfc__another_is_last(latest.last)) pfc__last_doubted(c, k, INT64_MAX);
    }
    pfc__doubt(c, known, (leaves ? c->begin.ct : latest.ct) + travel.ns + travel.u, latest);
}

static PFC__QUIET void pfc__scan_prefix(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int rank)
{
    pfc__transfer_t travel = pfc__travel_tree(c, k->comm);
    pfc__latest_t latest = pfc__exchange(PFC__RULE_PREFIX, 0, k->comm, pfc__latest_here(c->begin));
    if (rank) pfc__collective_depends(c, k, latest);
    pfc__doubt(c, known, (rank ? latest.ct : c->begin.ct) + travel.ns + travel.u, pfc__latest_none());
}

/* Between ranks whose numbers differ in one bit. */
static PFC__QUIET void pfc__scan_doubling(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int rank, int size)
{
    pfc__transfer_t none = { 0, 0 }, step = pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER);
    pfc__passed_t mine = pfc__passed_of(c);
    pfc__moment_t start;
    int distance, other, tag = pfc__collective_tag(k);
    for (distance = 1; distance < size; distance *= 2) {
        if ((rank ^ distance) >= size) continue;
        other = pfc__rank_at(k, rank ^ distance, size);
        pfc__passed_swap(&mine, other, other, tag, step);
    }
    start = pfc__passed_moment(mine.latest, mine.way);
    pfc__call_depends(c, start, pfc__call_cost(c->bytes), none);
    pfc__waited_for(c, mine.latest.last);
    pfc__doubt(c, known, start.ct, mine.latest);
}

static PFC__QUIET int pfc__rooted(pfc__call_t *c, const pfc__collective_t *k)
{
#ifndef PERFCOMP_MPI_TAU
    pfc__known_way_t known;
    pfc__i64 added;
    int rank, size, place;
    if (!pfc__has_way(k->rule) || !k->number) return 0;
    rank = k->known->rank;
    PMPI_Comm_size(k->comm, &size);
    if (k->root < 0 || k->root >= size) return 0;
    if (size == 1) return 1;
    known = pfc__way_of(c, k, rank, size, &added);
    place = (rank - k->root + size) % size;
    if (pfc__in_v(pfc__tried_kind(c)) && (place ? pfc__send_waits(c->bytes, 0) : k->rule == PFC__RULE_FROM_ROOT)) known.sure = 0;
    if (k->ordered) known.sure = 0;
    if (known.way == PFC__WAY_ALL) pfc__all_to_all(c, k, known);
    else if (k->rule == PFC__RULE_PREFIX && known.way == PFC__WAY_DOUBLING) pfc__scan_doubling(c, k, known, rank, size);
    else if (k->rule == PFC__RULE_PREFIX) pfc__scan_prefix(c, k, known, rank);
    else if (known.way == PFC__WAY_NONE) pfc__doubt_all(c, known);
    else if (known.way == PFC__WAY_BY_FIRST) pfc__by_first(c, k, known, rank, size);
    else if (k->rule == PFC__RULE_FROM_ROOT) pfc__one_to_all(c, k, known, place, size);
    else pfc__all_to_one(c, k, known, place, size);
    pfc__doubt_late(c, known, k->ordered);
    if (added) pfc__mpi.least_delay += added; /* with several threads it is 0 */
    return 1;
#else
    return (void)c, (void)k, 0;
#endif
}
