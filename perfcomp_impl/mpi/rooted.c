/* ----------------------------------------- rooted collectives (MPI impl) ---
   Who is late on the way of the data delays those behind it: moments pass by
   the way that the data take. Which one that is, trials tell.

   Long data go in messages that wait for their receivers: there, who is late
   delays those before it, too.

   The length of calls that end in v, of which a trial is, is short. Where a rank's
   part is so long that its sender waits for its receiver, and for who gives parts
   to all, of whose length its own tells nothing, ± has what isn't explained.

   Scans have no root, but a way that libraries choose, too. */

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

/* Between two places. */
typedef struct pfc__edge { int rank, waits; pfc__transfer_t step; } pfc__edge_t;

/* Between `child` and the place before it, one of which is `there`, and the other one here. */
static PFC__QUIET pfc__edge_t pfc__edge_of(const pfc__call_t *c, const pfc__collective_t *k, enum pfc__way way, int child, int there,
                                           int size)
{
    pfc__i64 bytes = c->bytes * pfc__way_weight(way, pfc__is_shared(pfc__tried_kind(c)), child, size);
    pfc__edge_t e;
    e.rank = pfc__rank_at(k, there, size);
    e.waits = pfc__send_waits(bytes, 0);
    e.step = pfc__travel(bytes, (pfc__u32)PFC__ANY_PEER);
    if (e.waits) e.step.ns += pfc__cost_beyond(bytes); /* no call finds it there */
    return e;
}

/* ---- by messages that don't wait */

/* Data on their way from the root: when they were handed on, and who held them up. */
typedef struct pfc__handed { pfc__moment_t at; pfc__names_t late; } pfc__handed_t;

static PFC__QUIET pfc__handed_t pfc__handed_here(pfc__moment_t at)
{
    pfc__handed_t h = { at, pfc__latest_here(at).last };
    return h;
}

/* They have come from there, if there are any. */
static PFC__QUIET pfc__handed_t pfc__came_from(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, pfc__edge_t e)
{
    pfc__transfer_t travel = known.sure ? e.step : pfc__travel_tree(c, k->comm);
    pfc__handed_t from;
    PMPI_Recv(&from, (int)sizeof from, MPI_BYTE, e.rank, pfc__collective_tag(k), pfc__mpi.comm, MPI_STATUS_IGNORE);
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
    if (place) from = pfc__came_from(c, k, known, pfc__edge_of(c, k, way, place, pfc__way_parent(tree, place), size));
    else if (!known.sure) pfc__call_unexplained(c, from.at.ct + size * pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER).ns);
    pfc__hand_on(k, tree, place, size, place && way != PFC__WAY_FLAT ? pfc__handed_after(c, from) : from);
}

/* The root has a parent, too. */
static PFC__QUIET void pfc__by_first(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int rank, int size)
{
    pfc__collective_t from_first = *k;
    pfc__handed_t mine = pfc__handed_here(c->begin), from;
    pfc__edge_t before;
    from_first.root = 0;
    if (rank == k->root) PMPI_Send(&mine, (int)sizeof mine, MPI_BYTE, pfc__rank_at(&from_first, 0, size), pfc__collective_tag(k), pfc__mpi.comm);
    before = rank ? pfc__edge_of(c, &from_first, PFC__WAY_HALVING, rank, pfc__way_parent(PFC__WAY_HALVING, rank), size)
                  : pfc__edge_of(c, k, PFC__WAY_FLAT, rank, 0, size);
    from = pfc__came_from(c, k, known, before);
    pfc__hand_on(&from_first, PFC__WAY_HALVING, rank, size, pfc__handed_after(c, from));
}

/* The call ends, at `cost`, when what has come so far has come here. Returns when that was. */
static PFC__QUIET pfc__moment_t pfc__passed_comes(pfc__call_t *c, const pfc__passed_t *p, pfc__transfer_t cost)
{
    const pfc__transfer_t none = { 0, 0 };
    pfc__moment_t start = pfc__passed_moment(p->latest, p->way);
    pfc__call_depends(c, start, cost, none);
    pfc__waited_for(c, p->latest.last);
    return start;
}

/* `others`: all of them, where this is the root; elsewhere nobody is waited for, or those behind. */
static PFC__QUIET void pfc__gathers(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, pfc__latest_t others,
                                    const pfc__passed_t *behind)
{
    pfc__transfer_t travel = pfc__travel_tree(c, k->comm);
    pfc__moment_t start = c->begin;
    if (known.way != PFC__WAY_FLAT) start = pfc__passed_comes(c, behind, pfc__call_cost(c->bytes));
    else if (!pfc__latest_is_none(others)) {
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
    int i, child, children = pfc__way_children(tree, place, size), tag = pfc__collective_tag(k);
    if (place && pfc__is_skipped(c, known)) mine.latest = pfc__latest_none();
    for (i = 0; i < children; i++) {
        pfc__edge_t e;
        child = pfc__way_child(tree, place, i);
        e = pfc__edge_of(c, k, (enum pfc__way)known.way, child, child, size);
        PMPI_Recv(&theirs, (int)sizeof theirs, MPI_BYTE, e.rank, tag, pfc__mpi.comm, MPI_STATUS_IGNORE);
        others = pfc__latest_merge(others, theirs.latest);
        pfc__passed_merge(&mine, &theirs, e.step);
    }
    pfc__gathers(c, k, known, place ? pfc__latest_none() : others, &mine);
    if (place)
        PMPI_Send(&mine, (int)sizeof mine, MPI_BYTE, pfc__rank_at(k, pfc__way_parent(tree, place), size), tag, pfc__mpi.comm);
}

/* ---- by messages that wait for their receivers

   Each of them is a meeting of two (R4). When the call is over they tell each other how far they were, in the order of the
   messages: both went on once the later one had come, and the data had travelled. */

/* There may be such messages. Of calls that end in v no rank knows the others' lengths. */
static PFC__QUIET int pfc__may_meet(const pfc__call_t *c, enum pfc__way way, int size)
{
    enum pfc__tried_call kind = pfc__tried_kind(c);
    return (way < PFC__WAY_ALL || way == PFC__WAY_BY_FIRST) && !pfc__in_v(kind) && pfc__send_waits(c->bytes * (pfc__is_shared(kind) ? size / 2 : 1), 0);
}

static PFC__QUIET void pfc__meet_parent(pfc__passed_t *mine, const pfc__call_t *c, const pfc__collective_t *k, enum pfc__way way,
                                        int place, int size)
{
    pfc__edge_t e = pfc__edge_of(c, k, way, place, pfc__way_parent(way, place), size);
    int to_root = k->rule == PFC__RULE_TO_ROOT, tag = pfc__collective_tag(k);
    if (e.waits || to_root) pfc__passed_give(mine, e.rank, tag);
    if (e.waits) PMPI_Recv(mine, (int)sizeof *mine, MPI_BYTE, e.rank, tag, pfc__mpi.comm, MPI_STATUS_IGNORE); /* of both */
    else if (!to_root) pfc__passed_get(mine, e.rank, tag, e.step);
}

static PFC__QUIET void pfc__meet_child(pfc__passed_t *mine, pfc__edge_t e, int tag, int to_root)
{
    if (e.waits) mine->way = pfc__passed_later(mine->way, e.step);
    if (e.waits || to_root) pfc__passed_get(mine, e.rank, tag, e.step);
    if (e.waits || !to_root) pfc__passed_give(mine, e.rank, tag);
}

/* One after the other; of a flat way at once. */
static PFC__QUIET void pfc__meet_children(pfc__passed_t *mine, const pfc__call_t *c, const pfc__collective_t *k, enum pfc__way way,
                                          int place, int size)
{
    const pfc__transfer_t none = { 0, 0 };
    const pfc__passed_t own = *mine;
    int i, child, n = pfc__way_children(way, place, size), to_root = k->rule == PFC__RULE_TO_ROOT;
    for (i = 0; i < n; i++) {
        pfc__passed_t one = way == PFC__WAY_FLAT ? own : *mine;
        child = pfc__way_served(way, place, i, n, to_root);
        pfc__meet_child(&one, pfc__edge_of(c, k, way, child, child, size), pfc__collective_tag(k), to_root);
        pfc__passed_merge(mine, &one, none);
    }
}

/* What waits for its receiver has its cost in the way. */
static PFC__QUIET void pfc__meetings_end(pfc__call_t *c, pfc__known_way_t known, const pfc__passed_t *mine)
{
    const pfc__transfer_t none = { 0, 0 };
    pfc__moment_t start = pfc__passed_comes(c, mine, pfc__send_waits(c->bytes, 0) ? none : pfc__call_cost(c->bytes));
    pfc__doubt(c, known, start.ct, pfc__latest_none());
}

/* The root and rank 0. */
static PFC__QUIET void pfc__meet_first(pfc__passed_t *mine, const pfc__call_t *c, const pfc__collective_t *k, int place, int size)
{
    int first = (size - k->root) % size;
    if (place == first) pfc__meet_parent(mine, c, k, PFC__WAY_FLAT, place, size);
    if (!place) pfc__meet_child(mine, pfc__edge_of(c, k, PFC__WAY_FLAT, first, first, size), pfc__collective_tag(k), 0);
}

static PFC__QUIET void pfc__meetings(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int place, int size)
{
    enum pfc__way way = (enum pfc__way)known.way;
    pfc__passed_t mine = pfc__passed_of(c);
    pfc__collective_t from = *k;
    if (way == PFC__WAY_BY_FIRST) {
        pfc__meet_first(&mine, c, k, place, size);
        place = (place + k->root) % size;
        from.root = 0;
        way = PFC__WAY_HALVING;
    }
    if (place && k->rule == PFC__RULE_FROM_ROOT) pfc__meet_parent(&mine, c, &from, way, place, size);
    pfc__meet_children(&mine, c, &from, way, place, size);
    if (place && k->rule == PFC__RULE_TO_ROOT) pfc__meet_parent(&mine, c, &from, way, place, size);
    pfc__meetings_end(c, known, &mine);
}

/* ---- by all, and scans */

/* In a message that waits for its receiver, one rank gives its data to the one before it, and leaves. 1: it was this one. */
static PFC__QUIET int pfc__gives(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known)
{
    int rank = k->known->rank, size, tag = pfc__collective_tag(k);
    pfc__transfer_t travel;
    pfc__passed_t mine;
    if (!known.folds || k->rule != PFC__RULE_TO_ROOT || !pfc__send_waits(c->bytes, 0)) return 0;
    size = pfc__ranks_in(k->comm);
    mine = pfc__passed_of(c);
    if (pfc__gives_away(rank + 1, k->root, size)) pfc__passed_give(&mine, pfc__world_rank(k->comm, rank + 1), tag);
    if (!pfc__gives_away(rank, k->root, size)) return 0;
    travel = pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER);
    mine.way = pfc__passed_later(mine.way, travel);
    pfc__passed_get(&mine, pfc__world_rank(k->comm, rank - 1), tag, travel);
    pfc__meetings_end(c, known, &mine);
    return 1;
}

enum { PFC__STEP_BYTES = 1024 }; /* fewer take no time that would be worth another exchange */

/* By how much ranks' ends may be off one for all of them: where another rank would have been the last, or one came so shortly before
   the last, in either time, that its data may have come after the last one's, by more steps. */
static PFC__QUIET pfc__i64 pfc__one_end_off(const pfc__call_t *c, const pfc__collective_t *k, pfc__latest_t latest, pfc__i64 most)
{
    pfc__i64 mine[2], second[2], range = pfc__latest_range(latest);
    if (range <= 0 || pfc__ranks_in(k->comm) <= 2) return 0;
    if (c->bytes < PFC__STEP_BYTES) return pfc__another_is_last(latest.last) ? range : 0;
    mine[0] = pfc__is_own((pfc__u32)pfc__signer(latest.last.ct)) ? PFC__NEVER : c->begin.ct;
    mine[1] = pfc__is_own((pfc__u32)pfc__signer(latest.last.lt)) ? PFC__NEVER : c->begin.lt;
    PMPI_Allreduce(mine, second, 2, MPI_INT64_T, MPI_MAX, k->comm);
    if (pfc__another_is_last(latest.last)) return range;
    return pfc__min(range, pfc__max(0, most - pfc__min(latest.ct - second[0], latest.lt - second[1])));
}

static PFC__QUIET void pfc__all_to_all(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known)
{
    pfc__transfer_t travel = pfc__travel_tree(c, k->comm);
    pfc__latest_t latest = pfc__exchange(PFC__RULE_ALL, 0, k->comm, pfc__latest_here(c->begin));
    int leaves = known.leaves && !(k->rule == PFC__RULE_TO_ROOT && k->known->rank == k->root); /* it did so where another one was the root */
    pfc__i64 off = known.sure ? pfc__one_end_off(c, k, latest, travel.ns + travel.u) : 0;
    if (pfc__gives(c, k, known)) return;
    if (!leaves && pfc__latest_is_before(latest, c->end)) {
        pfc__call_depends(c, pfc__latest_moment(latest), pfc__call_cost(c->bytes), travel);
        pfc__waited_for(c, latest.last);
        if (off > 0) pfc__last_doubted(c, k, off);
    }
    pfc__doubt(c, known, (leaves ? c->begin.ct : latest.ct) + travel.ns + travel.u, latest);
}

/* When the last one's data and this rank were there: what is done with them then takes as long, whoever was the last. */
static PFC__QUIET pfc__moment_t pfc__with_mine(const pfc__call_t *c, pfc__latest_t others, pfc__transfer_t travel)
{
    pfc__moment_t mine = c->begin; /* its own data needn't travel */
    mine.ct -= travel.ns;
    mine.lt -= travel.ns;
    return pfc__latest_moment(pfc__latest_merge(others, pfc__latest_here(mine)));
}

static PFC__QUIET void pfc__scan_prefix(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int rank)
{
    pfc__transfer_t travel = pfc__travel_tree(c, k->comm);
    pfc__latest_t latest = pfc__exchange(PFC__RULE_PREFIX, 0, k->comm, pfc__latest_here(c->begin));
    if (rank) pfc__collective_depends_on(c, k, latest, pfc__with_mine(c, latest, travel));
    pfc__doubt(c, known, (rank ? latest.ct : c->begin.ct) + travel.ns + travel.u, pfc__latest_none());
}

/* Between ranks whose numbers differ in one bit. */
static PFC__QUIET void pfc__scan_doubling(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int rank, int size)
{
    pfc__transfer_t step = pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER);
    pfc__passed_t mine = pfc__passed_of(c);
    int distance, other, tag = pfc__collective_tag(k);
    for (distance = 1; distance < size; distance *= 2) {
        if ((rank ^ distance) >= size) continue;
        other = pfc__rank_at(k, rank ^ distance, size);
        pfc__passed_swap(&mine, other, other, tag, step);
    }
    pfc__doubt(c, known, pfc__passed_comes(c, &mine, pfc__call_cost(c->bytes)).ct, mine.latest);
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
    else if (k->rule == PFC__RULE_PREFIX && !(known.way == PFC__WAY_NONE && known.sure)) pfc__scan_prefix(c, k, known, rank);
    else if (known.way == PFC__WAY_NONE) pfc__doubt_all(c, known);
    else if (pfc__may_meet(c, (enum pfc__way)known.way, size)) pfc__meetings(c, k, known, place, size);
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
