/* -------------------------------------------------- collectives (MPI impl) ---
   The library's call runs as it is. Then the ranks exchange their moments in a
   pattern that is no more synchronising than the call itself (but see rooted
   collectives), and the law is applied to the call's begin and end (R6–R10).
   Nonblocking ones: see icollectives. */

#define PFC__LATEST_AS (int)PFC__LATEST_FIELDS, MPI_INT64_T /* count and type of a pfc__latest_t */

/* Whether this rank depends on others at all. */
static PFC__QUIET int pfc__depends_on_others(enum pfc__mpi_rule rule, int root, MPI_Comm comm)
{
    int rank = 0, inter = 0;
    if (!pfc__is_rooted(rule)) return 1;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_rank(comm, &rank);
    return (inter ? root == MPI_ROOT : root == rank) == (rule == PFC__RULE_TO_ROOT) && root != MPI_PROC_NULL;
}

/* What this rank contributes: where there is a root, each is on one side only. */
PFC__HOT pfc__latest_t pfc__contribution(enum pfc__mpi_rule rule, int depends, pfc__moment_t m)
{
    return pfc__is_rooted(rule) && depends ? pfc__latest_none() : pfc__latest_here(m);
}

static PFC__QUIET void pfc__collectives_say(void)
{
    static int said;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        pfc__note("rank %d has no memory left to follow all collectives: what it waited for in some of them isn't known", pfc__mpi.rank);
}

/* Room for what the neighbours say, one after the other; without memory they all say it to the same place. */
typedef struct pfc__room { pfc__latest_t *from; int count; MPI_Datatype type; } pfc__room_t;

static MPI_Datatype pfc__latest_over; /* a pfc__latest_t of no extent */

static PFC__QUIET void pfc__latest_over_make(void)
{
    MPI_Datatype one;
    PMPI_Type_contiguous(PFC__LATEST_AS, &one);
    PMPI_Type_create_resized(one, 0, 0, &pfc__latest_over);
    PMPI_Type_commit(&pfc__latest_over);
    PMPI_Type_free(&one);
}

static PFC__QUIET pfc__room_t pfc__room_for(int neighbours, pfc__latest_t *otherwise)
{
    pfc__room_t room = { 0, (int)PFC__LATEST_FIELDS, MPI_INT64_T };
    int i;
    room.from = (pfc__latest_t *)malloc((size_t)(neighbours + 1) * sizeof *room.from);
    for (i = 0; room.from && i < neighbours; i++) room.from[i] = pfc__latest_none(); /* one that is MPI_PROC_NULL says nothing */
    if (room.from) return room;
    pfc__collectives_say();
    room.from = otherwise;
    room.count = 1;
    room.type = pfc__latest_over;
    return room;
}

static PFC__QUIET pfc__latest_t pfc__exchange_neighbours(pfc__latest_t mine, MPI_Comm comm)
{
    pfc__latest_t result = pfc__latest_none(), nowhere;
    int i, n = pfc__neighbours_of(comm).in;
    pfc__room_t room;
    if (n < 0) return result; /* Open MPI's error of the call doesn't say so; another one would be told to the user's handler */
    room = pfc__room_for(n, &nowhere);
    PMPI_Neighbor_allgather(&mine, PFC__LATEST_AS, room.from, room.count, room.type, comm);
    if (room.from == &nowhere) return result;
    for (i = 0; i < n; i++) result = pfc__latest_merge(result, room.from[i]);
    free(room.from);
    return result;
}

static PFC__QUIET pfc__latest_t pfc__exchange(enum pfc__mpi_rule rule, int root, MPI_Comm comm, pfc__latest_t mine)
{
    pfc__latest_t result = pfc__latest_none();
    switch (rule) {
    case PFC__RULE_ALL: PMPI_Allreduce(&mine, &result, PFC__LATEST_AS, MPI_MAX, comm); break;
    case PFC__RULE_FROM_ROOT: PMPI_Bcast(&mine, PFC__LATEST_AS, root, comm); return mine;
    case PFC__RULE_TO_ROOT: PMPI_Reduce(&mine, &result, PFC__LATEST_AS, MPI_MAX, root, comm); break;
    case PFC__RULE_PREFIX: PMPI_Exscan(&mine, &result, PFC__LATEST_AS, MPI_MAX, comm); break;
    case PFC__RULE_NEIGHBOUR: return pfc__exchange_neighbours(mine, comm);
    default: break;
    }
    return result;
}

enum { PFC__COLLECTIVE_TAG = 16, PFC__COLLECTIVE_TAGS = 16000 }; /* twice as many: MPI has 32,768 at least */

/* Nobody is there earlier than the data that have come through a tree. */
static PFC__QUIET pfc__transfer_t pfc__travel_tree(const pfc__call_t *c, MPI_Comm comm)
{
    int size = pfc__ranks_in(comm), depth = 0;
    pfc__transfer_t t = pfc__travel(pfc__bytes_to_one(c, comm), (pfc__u32)PFC__ANY_PEER);
    while (1 << depth < size && depth < 30) depth++;
    t.u += t.ns * (depth > 1 ? depth - 1 : 0); /* one step at least, `depth` at most */
    return t;
}

typedef struct pfc__collective {
    enum pfc__mpi_rule rule;
    int root, exchanges, depends;
    int as_world;    /* the communicator's ranks are those in MPI_COMM_WORLD */
    pfc__u32 number; /* the communicator's; 0: none, or it has two sides */
    MPI_Comm comm;
    int may_part;    /* enum pfc__may_part */
    pfc__comm_t *known; /* of the communicator */
    const void *part;   /* counts by rank, `width` bytes each, of which some may be 0; NULL: there are none */
    size_t width;
    int in_turn;        /* see pfc__request_t */
    int ordered;        /* reduces in the order of ranks */
} pfc__collective_t;

/* Of our own messages for this communicator: all its ranks come to its collectives in the same order. Others', that threads
   come to at the same time, have others: so have those to which one rank gave their numbers, also from MPI_COMM_WORLD's. */
static PFC__QUIET int pfc__collective_tag(const pfc__collective_t *k)
{
    const pfc__u32 given = k->number - PFC__COMM_NUMBERS_OWN, size = (pfc__u32)pfc__mpi.size;
    if (k->number < PFC__COMM_NUMBERS_OWN) return PFC__COLLECTIVE_TAG + (int)(k->number % PFC__COLLECTIVE_TAGS);
    return PFC__COLLECTIVE_TAG + PFC__COLLECTIVE_TAGS + (int)((given / size + given % size * 7919) % PFC__COLLECTIVE_TAGS);
}

static PFC__QUIET void pfc__collective_over(pfc__collective_t *k, enum pfc__mpi_rule rule, int root, MPI_Comm comm)
{
    k->rule = rule;
    k->root = root;
    k->comm = comm;
    k->may_part = k->in_turn = k->ordered = 0;
    k->part = 0;
    k->known = comm == MPI_COMM_WORLD ? &pfc__comm_world : pfc__comm_followed(comm);
    k->exchanges = k->known != 0 && rule >= PFC__RULE_ALL;
    k->number = k->known && !k->known->inter ? k->known->number : 0;
    k->as_world = k->number && k->known->as_world;
}

/* Ranks may give, or get, different amounts of data. */
static PFC__QUIET int pfc__differs_by_rank(const pfc__call_t *c)
{
    return strstr(c->name, "gatherv") || strstr(c->name, "toallv") || strstr(c->name, "toallw");
}

/* Between all, and there are no data: as all ranks know, where they have as much as each other. */
static PFC__QUIET int pfc__is_empty(const pfc__call_t *c)
{
    if (c->bytes) return 0;
    return pfc__is_call(c, "All") || pfc__is_call(c, "Iall") || pfc__is_call(c, "Reduce_scatter") || pfc__is_call(c, "Ireduce_scatter");
}

/* Where there are no data at all, or none from some ranks, libraries needn't wait for them. */
static PFC__QUIET int pfc__may_part(const pfc__call_t *c, const pfc__collective_t *k)
{
    if (k->may_part) return k->may_part;
    if (pfc__differs_by_rank(c)) return PFC__MAY_LEAVE;
    return pfc__is_empty(c) ? PFC__MAY_LET_GO : 0;
}

/* ---- some may have no part

   Who gives nothing in Allgatherv may be waited for all the same, and who gets nothing in Reduce_scatter may wait, as libraries
   have it: they may hand on what others give, or not be there for anybody. All know who has no part: then each rank gets the
   moments of all. Whether a call waited for those that it didn't need, its clocks show where it ended before the last rank
   came, or where that came long after the others. Else we take it that it did as the last one that showed it, or that it
   waited, and put it in doubt. */

static PFC__QUIET int pfc__has_part(const pfc__collective_t *k, int rank) { return pfc__count_of(k->part, k->width, rank) != 0; }

/* Of so many ranks. */
static PFC__QUIET int pfc__all_have_parts(const pfc__collective_t *k, int ranks)
{
    int i = 0;
    while (i < ranks && pfc__has_part(k, i)) i++;
    return i == ranks;
}

/* Of those who may give a part to this rank some have none: what it may do. */
static PFC__QUIET int pfc__lacks_some(pfc__collective_t *k, const void *count, size_t width)
{
    if (!k->exchanges || !count || !pfc__depends_on_others(k->rule, k->root, k->comm)) return 0;
    k->part = count;
    k->width = width;
    return pfc__all_have_parts(k, pfc__peers_in(k->comm)) ? 0 : PFC__MAY_NEED_SOME;
}

/* An operation that doesn't commute, which may take data another way than those that are tried. Nobody lacks a part in it. */
static PFC__QUIET int pfc__keeps_order(pfc__collective_t *k, MPI_Op op, int error)
{
    int commutes = 1;
    if (!error && op != MPI_SUM && op != MPI_MAX && op != MPI_MIN) PMPI_Op_commutative(op, &commutes);
    k->ordered = !commutes;
    return 0;
}

/* This one gets no part of what all reduce. */
static PFC__QUIET int pfc__lacks_mine(pfc__collective_t *k, const void *count, size_t width)
{
    if (!k->exchanges || !count) return 0;
    k->part = count;
    k->width = width;
    return pfc__has_part(k, k->known->rank) ? 0 : PFC__MAY_NEED_SOME;
}

static PFC__COLD pfc__meets_t pfc__collective_meets(const pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__meets_t m;
    m.communicator = pfc__comm_name(k->known);
    m.region = pfc__self->top->node->region;
    m.root = pfc__is_rooted(k->rule) ? (pfc__u32)k->root : PFC_NONE;
    m.rank = k->known->rank;
    m.bytes = c->bytes;
    return m;
}

/* This thread's trace has it. */
PFC__HOT int pfc__collective_is_traced(const pfc__collective_t *k) { return PFC__UNLIKELY(pfc__is_traced()) && k->number; }

static PFC__COLD void pfc__collective_traced(const pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__meets_t m = pfc__collective_meets(c, k);
    pfc__event_collective(&m);
}

static PFC__QUIET void pfc__collective_begin(pfc__call_t *c, pfc__collective_t *k, enum pfc__mpi_rule rule, int root, MPI_Comm comm)
{
    pfc__collective_over(k, rule, root, comm);
    c->wait_kind = rule != PFC__RULE_ALL ? PFC__WAIT_AT_COLLECTIVE
                   : strstr(c->name, "arrier") ? PFC__WAIT_AT_BARRIER : PFC__WAIT_AT_NXN;
    if (pfc__collective_is_traced(k)) pfc__collective_traced(c, k);
    pfc__call_begin(c);
}

/* ---- blocking: all of them */

static PFC__QUIET int pfc__rooted(pfc__call_t *c, const pfc__collective_t *k); /* one from a root or to it, or a scan, of known ranks; 0: it isn't */

/* The call ends by the law, having depended on those whose latest moment this is, and on what began at `start`. */
static PFC__QUIET void pfc__collective_depends_on(pfc__call_t *c, const pfc__collective_t *k, pfc__latest_t latest,
                                                  pfc__moment_t start)
{
    pfc__transfer_t none = { 0, 0 }, travel = pfc__travel_tree(c, k->comm);
    pfc__moment_t last = pfc__latest_moment(latest);
    pfc__call_depends(c, start, k->rule == PFC__RULE_ALL ? none : pfc__call_cost(pfc__bytes_to_one(c, k->comm)), travel);
    pfc__call_waited_until(c, last);
    pfc__waited_for(c, latest.last);
    if (!k->as_world || k->rule != PFC__RULE_ALL) return;
    c->met = !pfc__mpi.threads; /* of several threads, others haven't */
    c->met_least = last.ct - last.lt - travel.ns; /* who is some steps away may have that much less */
    pfc__clock_again(latest.ct);
}

static PFC__QUIET void pfc__collective_depends(pfc__call_t *c, const pfc__collective_t *k, pfc__latest_t latest)
{
    pfc__collective_depends_on(c, k, latest, pfc__latest_moment(latest));
}

/* By its arguments alone: it is as if there had been no call. The others can't know of it, and meet this rank's next one,
   in the exchange too. What fails in its course (a message too long, a disk) failed in a call in which they are as well. */
static PFC__QUIET int pfc__is_refused(int error)
{
    static const int kinds[] = { MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP, MPI_ERR_ROOT, MPI_ERR_RANK, MPI_ERR_COMM,
                                 MPI_ERR_GROUP, MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_ARG, MPI_ERR_INFO, MPI_ERR_SIZE,
                                 MPI_ERR_DISP, MPI_ERR_ASSERT, MPI_ERR_WIN, MPI_ERR_RMA_SYNC };
    int kind = MPI_SUCCESS;
    size_t i;
    if (PFC__LIKELY(!error)) return 0;
    PMPI_Error_class(error, &kind);
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kind == kinds[i]) return 1;
    return 0;
}

/* Of ranks of two sides: the other side's last one, and this side's own, where the library may have waited for it, too. */
static PFC__QUIET pfc__latest_t pfc__exchange_sides(const pfc__call_t *c, MPI_Comm comm)
{
    pfc__latest_t there = pfc__exchange(PFC__RULE_ALL, 0, comm, pfc__latest_here(c->begin));
    pfc__latest_t here = pfc__exchange(PFC__RULE_ALL, 0, comm, there);
    return pfc__latest_is_before(here, c->end) ? pfc__latest_merge(there, here) : there;
}

/* The moments of all ranks, of those without whose data the call can't end, and of the last that had come by its end. */
typedef struct pfc__lacking { pfc__latest_t all, needed, last; } pfc__lacking_t;

static PFC__QUIET int pfc__is_lacking(const pfc__collective_t *k)
{
    return k->part && k->number && k->rule == PFC__RULE_ALL && !pfc__all_have_parts(k, pfc__ranks_in(k->comm));
}

static PFC__QUIET int pfc__lacking_exchange(pfc__lacking_t *l, const pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__latest_t mine = pfc__latest_here(c->begin), nowhere;
    int i, size = pfc__ranks_in(k->comm), reduces = pfc__is_call(c, "Reduce");
    pfc__room_t room = pfc__room_for(size, &nowhere);
    PMPI_Allgather(&mine, PFC__LATEST_AS, room.from, room.count, room.type, k->comm);
    if (room.from == &nowhere) return 0;
    l->all = l->needed = l->last = pfc__latest_none();
    for (i = 0; i < size; i++) {
        const pfc__latest_t *there = &room.from[i];
        l->all = pfc__latest_merge(l->all, *there);
        if (pfc__has_part(k, reduces ? k->known->rank : i)) l->needed = pfc__latest_merge(l->needed, *there);
        if (there->ct > l->last.ct && pfc__latest_is_before(*there, c->end)) l->last = *there;
    }
    free(room.from);
    return 1;
}

/* It needed those only. */
static PFC__QUIET void pfc__lacking_depends(pfc__call_t *c, const pfc__collective_t *k, pfc__latest_t needed)
{
    if (!pfc__latest_is_none(needed) && pfc__latest_is_before(needed, c->end)) pfc__collective_depends(c, k, needed);
}

/* It didn't wait for all. If for others than it needed, then for the last that came before it ended. Returns when those were
   there that it waited for. */
static PFC__QUIET pfc__i64 pfc__lacking_left(pfc__call_t *c, const pfc__collective_t *k, pfc__lacking_t *l, pfc__i64 step)
{
    pfc__i64 there = pfc__max(c->begin.ct, l->needed.ct);
    if (c->end.ct - there > step && l->last.ct > there) {
        l->needed = pfc__latest_merge(l->needed, l->last);
        there = l->last.ct;
    }
    pfc__lacking_depends(c, k, l->needed);
    return there;
}

static PFC__QUIET void pfc__collective_lacking(pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__known_way_t *known = &k->known->way[PFC__SOME_LACK][pfc__is_call(c, "Reduce")][0];
    pfc__lacking_t l;
    pfc__i64 step = pfc__travel_tree(c, k->comm).ns, most = pfc__ranks_in(k->comm) * step, doubt; /* most: by one rank after another */
    if (!pfc__lacking_exchange(&l, c, k)) {
        pfc__call_unexplained(c, c->begin.ct);
        return;
    }
    if (!pfc__latest_is_before(l.all, c->end)) {
        known->leaves = 1;
        pfc__call_unexplained(c, pfc__lacking_left(c, k, &l, step) + most);
        return;
    }
    doubt = l.all.lt - pfc__max(c->begin.lt, l.needed.lt);
    if (l.all.ct - pfc__max(c->begin.ct, l.needed.ct) > most) doubt = known->leaves = 0;
    if (known->leaves) pfc__lacking_depends(c, k, l.needed);
    else pfc__collective_depends(c, k, l.all);
    c->end.u = pfc__max(c->end.u, doubt);
}

/* Ranks end no further apart than it takes to come to all of them. */
static PFC__QUIET void pfc__last_doubted(pfc__call_t *c, const pfc__collective_t *k, pfc__i64 off)
{
    pfc__transfer_t most = pfc__travel_tree(c, k->comm);
    pfc__call_doubts(c, pfc__min(off, most.ns + most.u));
}

/* A call that may let all go, as where there are no data: a rank that comes last, as measured, doesn't show itself whether it would
   have waited for those that would have come later. But the others do, where they came so much before it. If they left, we take
   it that it would have left, too; if they stayed, it waits (R6); and but for these, what it would have waited is in doubt. */
static PFC__QUIET int pfc__let_go(pfc__call_t *c, const pfc__passed_t *passed, pfc__i64 step)
{
    const pfc__latest_t *l = &passed->latest;
    int is_last = l->ct - c->begin.ct <= step, left = -passed->left + l->clock < l->ct - l->clock;
    if (is_last && (left || l->ct + passed->came <= step)) pfc__call_doubts(c, pfc__max(0, l->lt - c->begin.lt));
    return is_last && left;
}

/* The library's call has ended. */
static PFC__QUIET void pfc__collective_met(pfc__call_t *c, pfc__collective_t *k, int error)
{
    pfc__passed_t passed;
    pfc__latest_t latest;
    pfc__moment_t start;
    pfc__i64 off = 0;
    int may_part;
    if (!k->exchanges || pfc__is_refused(error) || pfc__rooted(c, k)) return;
    if (pfc__is_lacking(k)) {
        pfc__collective_lacking(c, k);
        c->met = 0; /* some may not have */
        return;
    }
    k->depends = pfc__depends_on_others(k->rule, k->root, k->comm);
    if (k->number && k->rule == PFC__RULE_ALL) {
        passed = pfc__exchange_all(c, k->comm, k->known, pfc__collective_tag(k));
        latest = passed.latest;
        start = pfc__steps_of(c, k->comm, &passed, &off);
    } else {
        latest = k->rule == PFC__RULE_ALL && k->known->inter ? pfc__exchange_sides(c, k->comm)
                 : pfc__exchange(k->rule, k->root, k->comm, pfc__contribution(k->rule, k->depends, c->begin));
        start = pfc__latest_moment(latest);
        passed = pfc__passed_unknown(latest);
    }
    may_part = pfc__may_part(c, k);
    if (!pfc__latest_is_before(latest, c->end) && may_part) {
        if (k->may_part == PFC__MAY_NEED_SOME) pfc__call_unexplained(c, c->begin.ct);
        return;
    }
    if (may_part == PFC__MAY_LET_GO && pfc__let_go(c, &passed, pfc__travel_tree(c, k->comm).ns)) return;
    if (k->depends && !pfc__latest_is_none(latest)) pfc__collective_depends_on(c, k, latest, start);
    if (off > 0) pfc__last_doubted(c, k, off);
    if (pfc__is_rooted(k->rule) || pfc__neighbours_wait(k->rule, c->bytes)) /* rooted, of two sides: their data's way isn't tried */
        pfc__call_unexplained(c, (k->depends ? latest.ct : c->begin.ct) + pfc__ranks_in(k->comm) * pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER).ns);
}

static PFC__QUIET void pfc__collective_end(pfc__call_t *c, pfc__collective_t *k, int error)
{
    pfc__call_end(c);
    pfc__collective_met(c, k, error);
}

/* What makes a communicator. Libraries copy attributes before all meet: where their functions called MPI, what that has moved was so
   from the begin on, or it would count twice. Not where other threads call MPI meanwhile. */
static PFC__QUIET pfc__i64 pfc__maker_begin(pfc__call_t *c, pfc__collective_t *k, MPI_Comm comm)
{
    pfc__collective_begin(c, k, PFC__RULE_ALL, 0, comm);
    if (!pfc__mpi.threads) pfc__called_back.asked++;
    return pfc__called_back.moved;
}

static PFC__QUIET void pfc__maker_end(pfc__call_t *c, pfc__collective_t *k, int error, pfc__i64 moved_before)
{
    const pfc__i64 moved = pfc__called_back.moved - moved_before;
    if (!pfc__mpi.threads) pfc__called_back.asked--;
    pfc__call_end(c);
    c->begin.lt -= moved;
    c->end.lt -= moved;
    pfc__collective_met(c, k, error);
}

#ifndef PERFCOMP_SMPI
/* Both sides meet. */
static PFC__QUIET int pfc__intercomm_create(pfc__call_t *c, MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag,
                                            MPI_Comm *made)
{
    pfc__collective_t k;
    pfc__latest_t here, there;
    int error;
    pfc__collective_begin(c, &k, PFC__RULE_ALL, 0, local);
    error = PMPI_Intercomm_create(local, leader, peer, remote, tag, made);
    pfc__call_end(c);
    if (error || !pfc__comm_made(*made, 1)) return error;
    here = pfc__exchange(PFC__RULE_ALL, 0, local, pfc__latest_here(c->begin));
    there = pfc__exchange(PFC__RULE_ALL, 0, *made, here);
    pfc__collective_depends(c, &k, pfc__latest_merge(here, there));
    return error;
}
#endif
