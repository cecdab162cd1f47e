/* ------------------------------------------------------------------ ways ---
   By which way the data of a rooted collective go: from the root, or to it
   the same way back; and those of a scan. Libraries choose among a few, by the number of ranks and
   by length, and MPI doesn't tell; the clocks of all ranks do, where some came
   later than others. Like the rules: integers in, integers out; no MPI.

   A rank's place is its number, counted from the root's. In a tree each place
   but the root's has a parent. MPICH's trees: Thakur, Rabenseifner & Gropp
   (IJHPCA 19, 2005); Open MPI's: Pješivac-Grbović et al. (Cluster Computing
   10, 2007). */

enum pfc__way {
    PFC__WAY_HALVING,  /* binomial: the last bit of a place is cleared; most libraries', of short data */
    PFC__WAY_FLAT,     /* nobody stands between */
    PFC__WAY_DOUBLING, /* binomial: the first bit is cleared; Open MPI's, where the order of places doesn't count */
    PFC__WAY_KNOMIAL,  /* as halving, by the base of four; Open MPI's, MVAPICH's */
    PFC__WAY_CHAIN,    /* each to the next: pipelines */
    PFC__WAY_BINARY,   /* Open MPI's: the places of a level are shared out in turn */
    PFC__WAY_HEAP,     /* binary, as in a heap */
    PFC__WAY_TURNED,   /* as halving, but who is behind a place is served in the opposite order, the nearest first: Open MPI's Scatter */
    PFC__WAY_ALL,      /* everybody depends on everybody: scattered, then gathered by all; reduced and scattered, then gathered */
    PFC__WAY_BY_FIRST, /* from a root that isn't rank 0 to that one, and from there by halving to all, the root too: MPICH's, of short data */
    PFC__WAY_NONE,     /* nobody depends on anybody: there are no data */
    PFC__WAYS
};

PFC__HOT int pfc__first_bit(int n) { return 1 << (31 - __builtin_clz((unsigned)n)); } /* n > 0 */

/* Of a place behind the root's, in a tree. */
static PFC__QUIET int pfc__way_parent(enum pfc__way way, int place)
{
    int above = pfc__first_bit(place + 1) / 2, four = 4; /* above: places on the level above, in a binary tree */
    switch (way) {
    case PFC__WAY_HALVING:
    case PFC__WAY_TURNED: return place & (place - 1);
    case PFC__WAY_DOUBLING: return place - pfc__first_bit(place);
    case PFC__WAY_KNOMIAL:
        while (place % four == 0) four *= 4;
        return place - place % four;
    case PFC__WAY_CHAIN: return place - 1;
    case PFC__WAY_BINARY: return (place + 1) % above + above - 1;
    case PFC__WAY_HEAP: return (place - 1) / 2;
    default: return 0;
    }
}

/* The child number `i`, ascending; 0: there is none. One that is past the last place isn't there, and none after it. */
static PFC__QUIET int pfc__way_child(enum pfc__way way, int place, int i)
{
    switch (way) {
    case PFC__WAY_HALVING:
    case PFC__WAY_TURNED: return place & ((2 << i) - 1) ? 0 : place + (1 << i);
    case PFC__WAY_FLAT: return place ? 0 : i + 1;
    case PFC__WAY_DOUBLING: return place + (pfc__first_bit(2 * place + 1) << i);
    case PFC__WAY_KNOMIAL: return place & ((4 << i / 3 * 2) - 1) ? 0 : place + (i % 3 + 1) * (1 << i / 3 * 2);
    case PFC__WAY_CHAIN: return i ? 0 : place + 1;
    case PFC__WAY_BINARY: return i < 2 ? place + (i + 1) * pfc__first_bit(place + 1) : 0;
    case PFC__WAY_HEAP: return i < 2 ? 2 * place + 1 + i : 0;
    default: return 0;
    }
}

static PFC__QUIET int pfc__way_children(enum pfc__way way, int place, int size)
{
    int n = 0, child;
    while ((child = pfc__way_child(way, place, n)) > 0 && child < size) n++;
    return n;
}

/* The child that is served as number `i` of `n`: from the root those first that have most behind them, to it those that have
   least. */
static PFC__QUIET int pfc__way_served(enum pfc__way way, int place, int i, int n, int to_root)
{
    return pfc__way_child(way, place, to_root == (way != PFC__WAY_TURNED) ? i : n - 1 - i);
}

/* Of how many ranks data go from a place to the one before it, or come from there; `shared`: each rank has a part of its own.
   Then only halving is known to be taken, but for flat ways. */
static PFC__QUIET int pfc__way_weight(enum pfc__way way, int shared, int place, int size)
{
    return shared && (way == PFC__WAY_HALVING || way == PFC__WAY_TURNED) ? (int)pfc__min(place & -place, size - place) : 1;
}

/* When a rank came to a call, and when it left it, by the common clock. */
typedef struct pfc__stay { pfc__i64 begin, end; } pfc__stay_t;

enum { PFC__WEIGHTS = 31 };

typedef struct pfc__observed {
    pfc__stay_t *stay;          /* by rank */
    int size, root, to_root;
    int scan;                   /* it is one: see pfc__scan_contradicted */
    int empty;                  /* there are no data in it, and no root: all wait for all, or nobody for anybody */
    int idle;                   /* one with a root, or a scan, in which there are none: nobody may wait for anybody */
    pfc__i64 travel, most;      /* of one message; more than that no rank has to say against a way */
    pfc__i64 *left;             /* room for one of each rank */
    int shared;                 /* see pfc__way_weight */
    int waits;                  /* from this weight on messages wait for their receivers; 0: none does */
    pfc__i64 cost;              /* of a call that finds such a message there */
    pfc__i64 *takes_of, *cost_of; /* if shared: by weight, of powers of two, both together, and the cost alone */
} pfc__observed_t;

PFC__HOT const pfc__stay_t *pfc__stay_at(const pfc__observed_t *o, int place) { return &o->stay[(place + o->root) % o->size]; }

PFC__HOT int pfc__weight_waits(const pfc__observed_t *o, int weight) { return o->waits && weight >= o->waits; }

/* From what it is for powers of two. */
static PFC__QUIET pfc__i64 pfc__by_weight(const pfc__i64 *of, int weight)
{
    int power = pfc__first_bit(weight), below = __builtin_ctz((unsigned)power);
    return power == weight ? of[below] : of[below] + (of[below + 1] - of[below]) / power * (weight - power);
}

/* What waits for its receiver isn't there before. */
static PFC__QUIET pfc__i64 pfc__weight_costs(const pfc__observed_t *o, int weight)
{
    if (pfc__weight_waits(o, weight)) return 0;
    return o->shared ? pfc__by_weight(o->cost_of, weight) : o->cost;
}

static PFC__QUIET pfc__i64 pfc__weight_travels(const pfc__observed_t *o, int weight)
{
    return o->shared ? pfc__by_weight(o->takes_of, weight) - pfc__weight_costs(o, weight) : o->travel;
}

/* When a rank that is `here` has what left a place, between which and the one before it it goes, at `left`. */
static PFC__QUIET pfc__i64 pfc__way_brings(const pfc__observed_t *o, enum pfc__way way, int place, pfc__i64 left, pfc__i64 here)
{
    int weight = pfc__way_weight(way, o->shared, place, o->size);
    return pfc__max(here, left + pfc__weight_travels(o, weight)) + pfc__weight_costs(o, weight);
}

/* When a place would leave, had those from whom its data come sent them when they left. */
static PFC__QUIET pfc__i64 pfc__way_leaves(const pfc__observed_t *o, enum pfc__way way, int place)
{
    pfc__i64 here = pfc__stay_at(o, place)->begin;
    int i, child, n = pfc__way_children(way, place, o->size);
    if (way == PFC__WAY_NONE) return here;
    if (!o->to_root) return place ? pfc__way_brings(o, way, place, pfc__stay_at(o, pfc__way_parent(way, place))->end, here) : here;
    for (i = 0; i < n; i++) {
        child = pfc__way_served(way, place, i, n, 1);
        here = pfc__way_brings(o, way, child, pfc__stay_at(o, child)->end, here);
    }
    return here;
}

static PFC__QUIET pfc__i64 pfc__last_came(const pfc__observed_t *o)
{
    pfc__i64 last = PFC__NEVER;
    int i;
    for (i = 0; i < o->size; i++) last = pfc__max(last, o->stay[i].begin);
    return last;
}

/* Whether a rank left notably before that: who waits for all doesn't, however few processors there are. */
static PFC__QUIET int pfc__left_before(const pfc__observed_t *o, int rank)
{
    return o->stay[rank].end <= pfc__last_came(o) - o->most / 16;
}

static PFC__QUIET int pfc__one_left_before(const pfc__observed_t *o)
{
    int i = 0;
    while (i < o->size && !pfc__left_before(o, i)) i++;
    return i < o->size;
}

/* What says less than a tree does must explain more. */
static PFC__QUIET pfc__i64 pfc__way_handicap(const pfc__observed_t *o, enum pfc__way way)
{
    return way == PFC__WAY_ALL ? o->size * (o->travel + o->cost) : 0;
}

/* Beyond a power of two, in the way of MPICH's Reduce: the odd ones of the first ranks give their data to those before them. */
static PFC__QUIET int pfc__gives_away(int rank, int root, int size)
{
    return rank % 2 && rank < 2 * (size - pfc__first_bit(size)) && rank != root;
}

/* When a rank can have given its data away: where messages wait, once its neighbour has come, too. */
static PFC__QUIET pfc__i64 pfc__gave_away(const pfc__observed_t *o, int rank)
{
    pfc__i64 begin = o->stay[rank].begin;
    if (!o->to_root || !pfc__weight_waits(o, 1) || !pfc__gives_away(rank, o->root, o->size)) return begin;
    return pfc__max(begin, o->stay[rank - 1].begin) + o->travel;
}

/* One has, and left before the last rank came. */
static PFC__QUIET int pfc__one_gave_away(const pfc__observed_t *o)
{
    pfc__i64 last = pfc__last_came(o);
    int i = 0;
    while (i < o->size && !(pfc__gives_away(i, o->root, o->size) && o->stay[i].end < last)) i++;
    return o->to_root && i < o->size;
}

/* Everybody leaves a ring's length after the last has come, at most. Where ranks aren't a power of two, those beyond it
   may give their data away and leave. */
static PFC__QUIET pfc__i64 pfc__all_contradicted(const pfc__observed_t *o)
{
    pfc__i64 sum = pfc__way_handicap(o, PFC__WAY_ALL), last = pfc__last_came(o), off;
    int i, before = 0, some;
    for (i = 0; i < o->size; i++) before += o->stay[i].end < last;
    some = before <= o->size - pfc__first_bit(o->size);
    for (i = 0; i < o->size; i++) {
        pfc__i64 end = o->stay[i].end;
        if (end < last) off = some ? llabs(end - pfc__gave_away(o, i)) : last - end;
        else off = pfc__max(0, end - last - 2 * o->size * (o->travel + o->cost));
        sum += pfc__min(o->most, off);
    }
    return sum;
}

/* Everybody leaves after the last of those before has come, and after what comes from there by one rank after another at most. */
static PFC__QUIET pfc__i64 pfc__prefix_contradicted(const pfc__observed_t *o)
{
    pfc__i64 sum = 0, last = PFC__NEVER, off;
    int i;
    for (i = 0; i < o->size; i++) {
        const pfc__stay_t *s = &o->stay[i];
        last = pfc__max(last, s->begin);
        off = s->end < last ? last - s->end : pfc__max(0, s->end - last - 2 * i * o->travel);
        sum += pfc__min(o->most, off);
    }
    return sum;
}

/* Everybody has what comes from those whose numbers differ from its own in one bit after the other. */
static PFC__QUIET pfc__i64 pfc__hypercube_contradicted(const pfc__observed_t *o)
{
    pfc__i64 sum = 0, *left = o->left, mine;
    int i, other, distance;
    for (i = 0; i < o->size; i++) left[i] = o->stay[i].begin;
    for (distance = 1; distance < o->size; distance *= 2)
        for (i = 0; i < o->size; i++) {
            other = i ^ distance;
            if (other < i || other >= o->size) continue; /* the two swap */
            mine = left[i];
            left[i] = pfc__max(mine, left[other] + o->travel);
            left[other] = pfc__max(left[other], mine + o->travel);
        }
    for (i = 0; i < o->size; i++) sum += pfc__min(o->most, llabs(o->stay[i].end - left[i]));
    return sum;
}

/* A scan needs what the ranks before have. Libraries whose data go both ways let ranks wait for later ones, too: MPICH's
   Exscan by doubling, and its Scan, whose ranks of one host wait for one another in the end. */
static PFC__QUIET pfc__i64 pfc__scan_contradicted(const pfc__observed_t *o, enum pfc__way way)
{
    switch (way) {
    case PFC__WAY_CHAIN: return pfc__prefix_contradicted(o);
    case PFC__WAY_DOUBLING: return pfc__hypercube_contradicted(o);
    case PFC__WAY_ALL: return pfc__all_contradicted(o);
    default: return o->size * o->most;
    }
}

/* Of a place that has got so far and one behind it, which has got as far as `left` says: when the first goes on. The second's `left`
   is when it does, then. */
static PFC__QUIET pfc__i64 pfc__way_meets(const pfc__observed_t *o, enum pfc__way way, int child, pfc__i64 here)
{
    int weight = pfc__way_weight(way, o->shared, child, o->size);
    pfc__i64 *there = &o->left[child];
    if (pfc__weight_waits(o, weight)) return *there = pfc__max(here, *there) + pfc__weight_travels(o, weight);
    if (o->to_root) return pfc__way_brings(o, way, child, *there, here);
    *there = pfc__way_brings(o, way, child, here, *there);
    return here;
}

/* When places go on that have got as far as `left` says. A flat way's messages are all on their way at once. */
static PFC__QUIET void pfc__way_goes(const pfc__observed_t *o, enum pfc__way way)
{
    int at, place, i, n;
    for (at = 0; at < o->size; at++) { /* parents before children, or after them */
        pfc__i64 begin, here;
        place = o->to_root ? o->size - 1 - at : at;
        begin = here = o->left[place];
        n = pfc__way_children(way, place, o->size);
        for (i = 0; i < n; i++)
            here = pfc__max(here, pfc__way_meets(o, way, pfc__way_served(way, place, i, n, o->to_root), way == PFC__WAY_FLAT ? begin : here));
        o->left[place] = here;
    }
}

/* Where messages wait for their receivers (R4), who comes late holds up the place before as well, and whom that one serves next:
   when ranks would have left says nothing of when their data were there. It follows from when they came. */
static PFC__QUIET pfc__i64 pfc__waiting_contradicted(const pfc__observed_t *o, enum pfc__way way)
{
    pfc__observed_t to = *o;
    pfc__i64 sum = 0;
    int place;
    if (way == PFC__WAY_BY_FIRST) to.root = 0, way = PFC__WAY_HALVING;
    for (place = 0; place < o->size; place++) to.left[place] = pfc__stay_at(&to, place)->begin;
    if (to.root != o->root) to.left[0] = to.left[o->root] = pfc__max(to.left[0], to.left[o->root]) + o->travel;
    pfc__way_goes(&to, way);
    for (place = 0; place < o->size; place++) sum += pfc__min(o->most, llabs(pfc__stay_at(&to, place)->end - to.left[place]));
    return sum;
}

/* The parents are ranks here, not places. */
static PFC__QUIET pfc__i64 pfc__by_first_contradicted(const pfc__observed_t *o)
{
    pfc__i64 sum = 0, came;
    int i;
    if (o->to_root || !o->root) return o->size * o->most;
    if (pfc__weight_waits(o, o->size)) return o->shared ? o->size * o->most : pfc__waiting_contradicted(o, PFC__WAY_BY_FIRST);
    for (i = 0; i < o->size; i++) {
        came = i ? o->stay[pfc__way_parent(PFC__WAY_HALVING, i)].end : o->stay[o->root].begin;
        sum += pfc__min(o->most, llabs(o->stay[i].end - pfc__max(o->stay[i].begin, came + o->travel) - o->cost));
    }
    return sum;
}

/* By how much the clocks contradict it that the data went this way: the sum over all ranks. */
static PFC__QUIET pfc__i64 pfc__contradicted(const pfc__observed_t *o, enum pfc__way way)
{
    pfc__i64 sum = 0;
    int place;
    if (o->scan && !(o->idle && way == PFC__WAY_NONE)) return pfc__scan_contradicted(o, way);
    if (o->empty && way != PFC__WAY_NONE && way != PFC__WAY_ALL) return o->size * o->most;
    if (way == PFC__WAY_ALL) return pfc__all_contradicted(o);
    if (way == PFC__WAY_BY_FIRST) return pfc__by_first_contradicted(o);
    if (pfc__weight_waits(o, o->size) && way != PFC__WAY_NONE) return pfc__waiting_contradicted(o, way);
    for (place = 0; place < o->size; place++)
        sum += pfc__min(o->most, llabs(pfc__stay_at(o, place)->end - pfc__way_leaves(o, way, place)));
    return sum;
}

/* The way that is contradicted least; `usual`, where that isn't contradicted notably more than others. */
static PFC__QUIET enum pfc__way pfc__way_least(const pfc__i64 *contradicted, enum pfc__way usual, pfc__i64 notable)
{
    enum pfc__way least = usual;
    int i;
    for (i = 0; i < PFC__WAYS; i++)
        if (contradicted[i] < contradicted[least] && 2 * contradicted[i] + notable < contradicted[usual]) least = (enum pfc__way)i;
    return least;
}
