/* --------------------------------------------------- trials (MPI impl) ---
   By which way the data of a rooted collective or a scan go, an experiment tells
   before the first exchange of its kind: all ranks come to calls of ours as long
   as the user's, each at a time of its own, and see which way all their clocks
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

   In calls that end in v ranks may have no part. Most libraries send nothing then,
   which is tried as well: the root doesn't wait for those ranks, nor they for it. */

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
PFC__HOT int pfc__is_shared(enum pfc__tried_call kind) { return kind == PFC__GATHER || kind == PFC__SCATTER; } /* see pfc__way_weight */
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
    int folds;   /* who gives its data away does */
    char *own, *all;
    int *counts; /* of bytes by rank, and behind them where those begin */
    pfc__i64 takes[2 * PFC__WEIGHTS]; /* messages, by weight; and behind that what a call takes that finds one there */
    pfc__observed_t seen;
    int calls;                             /* so far; */
    pfc__i64 contradicted[PFC__WAYS], most; /* by them all, and at most */
} pfc__trial_t;

static PFC__QUIET int pfc__trial_room(pfc__trial_t *t, pfc__i64 bytes)
{
    int i, size = t->seen.size, parts = t->kind == PFC__BCAST || t->kind == PFC__REDUCE || pfc__is_scan(t->kind) ? 1 : size;
    t->bytes = t->kind == PFC__SPARSE ? 0 : pfc__in_v(t->kind) ? PFC__TRIAL_PART : (int)pfc__max(0, pfc__min(bytes, PFC__TRIAL_BYTES / parts));
    t->own = (char *)malloc((size_t)t->bytes + 1);
    t->all = (char *)malloc(((size_t)t->bytes + 1) * (size_t)parts);
    t->counts = (int *)malloc(2 * (size_t)size * sizeof *t->counts);
    t->seen.stay = (pfc__stay_t *)malloc((size_t)size * sizeof *t->seen.stay);
    t->seen.left = (pfc__i64 *)malloc((size_t)size * sizeof *t->seen.left);
    if (!t->own || !t->all || !t->counts || !t->seen.stay || !t->seen.left) return 0;
    memset(t->own, 1, (size_t)t->bytes + 1); /* else the first call has all its pages to be made */
    memset(t->all, 1, ((size_t)t->bytes + 1) * (size_t)parts);
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

/* How long messages take, of as many bytes as a trial's, and to gather and scatter, of so many times as many. */
static PFC__QUIET void pfc__trial_messages(pfc__trial_t *t)
{
    int power, last = t->seen.shared ? t->seen.size : 1;
    pfc__i64 weight;
    for (power = 0; power < PFC__WEIGHTS && 1 << power <= 2 * last; power++) {
        t->takes[PFC__WEIGHTS + power] = pfc__cost_beyond((pfc__i64)t->bytes << power);
        t->takes[power] = t->takes[PFC__WEIGHTS + power] + pfc__travel((pfc__i64)t->bytes << power, (pfc__u32)PFC__ANY_PEER).ns;
    }
    for (weight = last; weight > 0 && !pfc__in_v(t->kind) && pfc__send_waits(weight * t->bytes, 0); weight--) t->seen.waits = (int)weight;
}

/* All ranks have room, or none tries; and they are of one mind how long messages take. */
static PFC__QUIET int pfc__trial_agreed(pfc__trial_t *t, const pfc__call_t *c)
{
    enum { SAID = 1 + 2 * PFC__WEIGHTS };
    MPI_Request request = MPI_REQUEST_NULL;
    pfc__i64 mine[SAID], all[SAID] = { 1, 0 };
    mine[0] = !pfc__trial_room(t, c->bytes);
    pfc__trial_messages(t);
    memcpy(mine + 1, t->takes, sizeof t->takes);
    if (PFC__ONE_PROGRAM) PMPI_Allreduce(mine, all, SAID, MPI_INT64_T, MPI_MAX, t->k->comm); /* SimGrid's other one is n² messages */
    else {
        PMPI_Iallreduce(mine, all, SAID, MPI_INT64_T, MPI_MAX, t->k->comm, &request);
        pfc__trial_await(c, &request);
    }
    memcpy(t->takes, all + 1, sizeof t->takes);
    t->seen.cost = pfc__weight_waits(&t->seen, 1) ? 0 : t->takes[PFC__WEIGHTS];
    t->seen.travel = t->takes[0] - t->seen.cost;
    t->seen.most = pfc__min((16 + 4 * t->seen.size) * t->takes[0] + PFC__TRIAL_NS, PFC__TRIAL_LONGEST);
    return !all[0];
}

static PFC__QUIET void pfc__trial_call(const pfc__trial_t *t)
{
    MPI_Comm comm = t->k->comm;
    int root = t->k->root, n = t->bytes, *counts = t->counts, *places = counts + t->seen.size;
    int words = n % 8 == 0, m = words ? n / 8 : n; /* to combine single bytes would take longer than most operations do */
    MPI_Datatype type = words ? MPI_INT64_T : MPI_BYTE;
    switch (t->kind) {
    case PFC__BCAST: PMPI_Bcast(t->own, n, MPI_BYTE, root, comm); break;
    case PFC__REDUCE: PMPI_Reduce(t->own, t->all, m, type, MPI_BOR, root, comm); break;
    case PFC__SCATTER: PMPI_Scatter(t->all, n, MPI_BYTE, t->own, n, MPI_BYTE, root, comm); break;
    case PFC__SCATTERV: PMPI_Scatterv(t->all, counts, places, MPI_BYTE, t->own, n, MPI_BYTE, root, comm); break;
    case PFC__GATHER: PMPI_Gather(t->own, n, MPI_BYTE, t->all, n, MPI_BYTE, root, comm); break;
    case PFC__GATHERV: PMPI_Gatherv(t->own, n, MPI_BYTE, t->all, counts, places, MPI_BYTE, root, comm); break;
    case PFC__SCAN: PMPI_Scan(t->own, t->all, m, type, MPI_BOR, comm); break;
    case PFC__SPARSE: PMPI_Alltoallv(t->all, counts, places, MPI_BYTE, t->own, counts, places, MPI_BYTE, comm); break;
    case PFC__EXSCAN: PMPI_Exscan(t->own, t->all, m, type, MPI_BOR, comm); break;
    default: break;
    }
}

/* How late a rank comes: spread out, and at the next call the other way round, so that of any two each comes later once.
   The root comes first: who waits, waits for others. To a root, somebody may wait for it to take the data: there it
   comes last, too; and where there are no data it shows so whether anybody waits for it. */
static PFC__QUIET pfc__i64 pfc__trial_late(const pfc__trial_t *t, int call)
{
    pfc__u32 share = (pfc__u32)(t->rank + 1) * (call / 2 ? 2246822519u : 2654435761u);
    if (t->rank == t->k->root) return (t->seen.to_root || t->seen.idle) && call / 2 ? t->seen.most : 0;
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

static PFC__QUIET void pfc__trial_one(pfc__trial_t *t)
{
    pfc__stay_t mine = pfc__trial_meet(t, pfc__trial_late(t, t->calls++));
    int way;
    for (way = 0; way < PFC__WAYS; way++) t->contradicted[way] += pfc__contradicted(&t->seen, (enum pfc__way)way);
    t->most += t->seen.size * t->seen.most;
    t->folds |= pfc__one_gave_away(&t->seen);
    if (mine.end < pfc__last_came(&t->seen)) t->leaves |= mine.end - mine.begin < t->seen.most / 16 ? 1 : 2;
}

/* Where there are no data, somebody waits for somebody only if the clocks say so. */
static PFC__QUIET int pfc__trial_tells(const pfc__trial_t *t, enum pfc__way way)
{
    return !t->seen.idle || way == PFC__WAY_NONE || 2 * t->contradicted[way] < t->contradicted[PFC__WAY_NONE];
}

static PFC__QUIET int pfc__trial_explained(const pfc__trial_t *t, enum pfc__way way)
{
    return pfc__trial_tells(t, way) && PFC__TRIAL_SURE * (t->contradicted[way] - t->calls * pfc__way_handicap(&t->seen, way)) < t->most;
}

/* The usual way, unless another one is notably better, or explains the clocks where the usual one doesn't. */
static PFC__QUIET enum pfc__way pfc__trial_way(const pfc__trial_t *t, enum pfc__way usual)
{
    enum pfc__way way = pfc__way_least(t->contradicted, usual, t->seen.size * t->seen.travel);
    int i;
    for (i = 0; i < PFC__WAYS; i++)
        if (t->contradicted[i] < t->contradicted[way] && !pfc__trial_explained(t, way) && pfc__trial_explained(t, (enum pfc__way)i))
            way = (enum pfc__way)i;
    return way;
}

/* Where no way explains even half of it, ranks wait for processors: more calls would tell nothing, and take long. */
static PFC__QUIET void pfc__trial_run(pfc__trial_t *t, pfc__known_way_t *known)
{
    enum pfc__way usual = (enum pfc__way)known->way, way = usual;
    int left = 0;
    while (t->calls < PFC__TRIAL_CALLS && 2 * t->contradicted[way] <= t->most && !left) {
        pfc__trial_one(t);
        left = t->seen.empty && pfc__one_left_before(&t->seen);
        way = pfc__trial_way(t, usual);
    }
    known->way = (left ? PFC__WAY_NONE : way) & 15;
    known->sure = left || pfc__trial_explained(t, way);
    known->leaves = t->leaves == 1;
    known->folds = t->folds != 0;
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
    memset(&t, 0, sizeof t);
    t.k = k;
    t.kind = pfc__tried_kind(c);
    t.rank = rank;
    t.seen.size = size;
    t.seen.root = k->root;
    t.seen.to_root = k->rule == PFC__RULE_TO_ROOT;
    t.seen.scan = pfc__is_scan(t.kind);
    t.seen.empty = t.kind == PFC__SPARSE;
    t.seen.idle = !c->bytes && !pfc__of_one_length(t.kind);
    t.seen.shared = pfc__is_shared(t.kind);
    t.seen.takes_of = t.takes;
    t.seen.cost_of = t.takes + PFC__WEIGHTS;
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
    pfc__known_way_t untried = { PFC__WAY_NONE, 0, 0, 0, 0, 0 };
    enum pfc__tried_call kind = pfc__tried_kind(c);
    pfc__known_way_t *known = &k->known->way[kind][k->root != 0][pfc__of_one_length(kind) ? 0 : pfc__length_class(c->bytes)];
    if (kind == PFC__SPARSE) untried.way = pfc__usual_way(kind) & 15; /* there's nothing in that on which ranks could wait */
    *added = 0;
    if (!pfc__mpi.trials) return untried;
    if (!known->sure && known->trials < PFC__TRIALS) *added = pfc__find_way(c, k, known, rank, size);
    return *known;
}
