/* -------------------------------------------------- collectives (MPI impl) ---
   The library's call runs as it is. Then the ranks exchange their moments in a
   pattern that is no more synchronising than the call itself (but see rooted
   collectives), and the law is applied to the call's begin and end (R6–R10).
   Nonblocking ones: the exchange is started with the call and used at its
   completion (R11). */

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
    return pfc__is_rooted(rule) && depends ? pfc__latest_none() : pfc__latest_of(m);
}

/* This rank gives to the others, but takes nothing. */
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
    pfc__room_t room = pfc__room_for(n, &nowhere);
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

enum { PFC__COLLECTIVE_TAG = 16, PFC__COLLECTIVE_TAGS = 16000 };

/* Or one whose name begins so. */
PFC__HOT int pfc__is_call(const pfc__call_t *c, const char *name) { return !strncmp(c->name, name, strlen(name)); }

/* Of what this rank gives, as much as goes to one other: the last rank's are awaited, no others. */
static PFC__QUIET pfc__i64 pfc__bytes_to_one(const pfc__call_t *c, MPI_Comm comm)
{
    int parts = pfc__is_call(c, "Alltoall") ? pfc__peers_in(comm)
                : pfc__is_call(c, "Reduce_scatter") ? pfc__ranks_in(comm)
                : pfc__is_call(c, "Neighbor_alltoall") ? pfc__out_neighbours(comm) : 1;
    return c->bytes / pfc__max(parts, 1);
}

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
} pfc__collective_t;

/* Of our own messages for this communicator: all its ranks come to its collectives in the same order. */
static PFC__QUIET int pfc__collective_tag(const pfc__collective_t *k)
{
    return PFC__COLLECTIVE_TAG + (int)(k->number % PFC__COLLECTIVE_TAGS);
}

static PFC__QUIET void pfc__collective_over(pfc__collective_t *k, enum pfc__mpi_rule rule, int root, MPI_Comm comm)
{
    k->rule = rule;
    k->root = root;
    k->comm = comm;
    k->may_part = 0;
    k->part = 0;
    k->known = comm == MPI_COMM_WORLD ? &pfc__comm_world : pfc__comm_followed(comm);
    k->exchanges = k->known != 0 && rule >= PFC__RULE_ALL;
    k->number = k->known && !k->known->inter ? k->known->number : 0;
    k->as_world = k->number && k->known->as_world;
}

/* Where there are no data at all, or none from some ranks, libraries needn't wait for them. */
static PFC__QUIET int pfc__may_part(const pfc__call_t *c, const pfc__collective_t *k)
{
    if (k->may_part) return k->may_part;
    if (!pfc__is_call(c, "All") && !pfc__is_call(c, "Iall")) return 0;
    return !c->bytes || strstr(c->name, "gatherv") || strstr(c->name, "toallv") || strstr(c->name, "toallw") ? PFC__MAY_LEAVE : 0;
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

/* This one gets no part of what all reduce. */
static PFC__QUIET int pfc__lacks_mine(pfc__collective_t *k, const void *count, size_t width)
{
    if (!k->exchanges || !count) return 0;
    k->part = count;
    k->width = width;
    return pfc__has_part(k, k->known->rank) ? 0 : PFC__MAY_NEED_SOME;
}

/* Communicators that were made by one split have one number: their ranks tell them apart. */
static PFC__COLD void pfc__collective_traced(const pfc__call_t *c, const pfc__collective_t *k)
{
    const pfc__u64 name = k->known == &pfc__comm_world ? 0 : k->known->members + k->number;
    pfc__event_collective((pfc__i64)name, pfc__is_rooted(k->rule) ? (pfc__u32)k->root : PFC_NONE, k->known->rank, c->bytes);
}

static PFC__QUIET void pfc__collective_begin(pfc__call_t *c, pfc__collective_t *k, enum pfc__mpi_rule rule, int root, MPI_Comm comm)
{
    pfc__collective_over(k, rule, root, comm);
    c->wait_kind = rule != PFC__RULE_ALL ? PFC__WAIT_AT_COLLECTIVE
                   : strstr(c->name, "arrier") ? PFC__WAIT_AT_BARRIER : PFC__WAIT_AT_NXN;
    if (PFC__UNLIKELY(pfc__is_traced()) && k->number) pfc__collective_traced(c, k);
    pfc__call_begin(c);
}

/* ---- all-to-all in steps

   Short data go from rank to rank in ⌈log2 p⌉ steps: by dissemination (Hensgen,
   Finkel & Manber, IJPP 17, 1988; Bruck's alltoall), or between ranks whose
   numbers differ in one bit. Who is some steps away from the last rank ends so
   much later than it. Our exchange takes the way that most libraries would, and
   moments pass along it as the data did; each place in the program keeps to
   that only where it explains the clock far better than one end for all. A
   maximum may meet a value twice: the exchange needs no more than these steps,
   and a short Sendrecv costs less than the library's Allreduce of as much. */

typedef struct pfc__passed {
    pfc__latest_t latest;
    pfc__moment_t way;
    double off_flat, off_steps; /* of calls before, where they are most */
} pfc__passed_t;

/* How a call's data go on. */
typedef struct pfc__steps {
    int hypercube;  /* between ranks whose numbers differ in one bit; or around, in a ring */
    int backwards;  /* around it */
    int doubling;   /* all that has come goes on: twice as much in each step */
    pfc__i64 bytes; /* in the first one */
} pfc__steps_t;

static PFC__QUIET pfc__steps_t pfc__steps_for(const pfc__call_t *c)
{
    int size = pfc__mpi.size, alltoall = pfc__is_call(c, "Alltoall"), allgather = pfc__is_call(c, "Allgather");
    pfc__steps_t s;
    s.hypercube = !(size & (size - 1)) && !alltoall && !pfc__is_call(c, "Barrier");
    s.backwards = allgather;
    s.doubling = allgather || pfc__is_call(c, "Reduce_scatter");
    s.bytes = alltoall ? c->bytes / 2 : pfc__bytes_to_one(c, pfc__mpi.comm);
    return s;
}

/* To whom it is so far; `from`: whom it hears from. */
static PFC__QUIET int pfc__step_rank(const pfc__steps_t *s, int distance, int from)
{
    int rank = pfc__mpi.rank, size = pfc__mpi.size;
    if (s->hypercube) return rank ^ distance;
    return (rank + (from == s->backwards ? distance : size - distance)) % size;
}

static PFC__QUIET pfc__passed_t pfc__passed_of(const pfc__call_t *c)
{
    pfc__passed_t p;
    p.latest = pfc__latest_of(c->begin);
    p.way = pfc__passed_first(c->begin);
    p.off_flat = c->site ? c->site->off_flat : 0;
    p.off_steps = c->site ? c->site->off_tree : 0;
    return p;
}

static PFC__QUIET void pfc__passed_merge(pfc__passed_t *mine, const pfc__passed_t *theirs, pfc__transfer_t step)
{
    mine->latest = pfc__latest_merge(mine->latest, theirs->latest);
    mine->way = pfc__passed_on(mine->way, theirs->way, step);
    if (mine->off_flat < theirs->off_flat) mine->off_flat = theirs->off_flat;
    if (mine->off_steps < theirs->off_steps) mine->off_steps = theirs->off_steps;
}

/* One step: this rank's goes there, and what comes from there is joined to it. */
static PFC__QUIET void pfc__passed_swap(pfc__passed_t *mine, int to, int from, int tag, pfc__transfer_t step)
{
    pfc__passed_t theirs;
    PMPI_Sendrecv(mine, (int)sizeof *mine, MPI_BYTE, to, tag, &theirs, (int)sizeof theirs, MPI_BYTE, from, tag, pfc__mpi.comm,
                  MPI_STATUS_IGNORE);
    pfc__passed_merge(mine, &theirs, step);
}

static PFC__QUIET pfc__passed_t pfc__exchange_all(const pfc__call_t *c, int tag)
{
    pfc__passed_t mine = pfc__passed_of(c);
    pfc__steps_t s = pfc__steps_for(c);
    int distance;
    for (distance = 1; distance < pfc__mpi.size; distance *= 2)
        pfc__passed_swap(&mine, pfc__step_rank(&s, distance, 0), pfc__step_rank(&s, distance, 1), tag,
                         pfc__travel(s.doubling ? s.bytes * distance : s.bytes, (pfc__u32)PFC__ANY_PEER));
    return mine;
}

static PFC__QUIET double pfc__contradiction(pfc__moment_t start, const pfc__call_t *c, pfc__i64 travel)
{
    return fabs((double)(c->end.ct - pfc__max(c->begin.ct, start.ct + travel)));
}

/* When that began on which this rank's end depended. One rank's end may agree by chance, again and again where
   the same rank is always the last: after the first call all must agree. */
static PFC__QUIET pfc__moment_t pfc__steps_of(pfc__call_t *c, const pfc__passed_t *from)
{
    pfc__moment_t last = pfc__latest_moment(from->latest);
    double flat = pfc__contradiction(last, c, pfc__travel(pfc__bytes_to_one(c, pfc__mpi.comm), (pfc__u32)PFC__ANY_PEER).ns);
    double steps = pfc__contradiction(from->way, c, 0);
    if (c->site) {
        c->site->off_flat = c->site->off_flat * 7 / 8 + flat;
        c->site->off_tree = c->site->off_tree * 7 / 8 + steps;
    }
    if (from->off_flat > 0 || from->off_steps > 0) {
        flat = from->off_flat;
        steps = from->off_steps;
    }
    return 4 * steps < flat ? pfc__passed_moment(from->latest, from->way) : last;
}

/* ---- blocking: all of them */

static PFC__QUIET int pfc__rooted(pfc__call_t *c, const pfc__collective_t *k); /* one from a root or to it, or a scan, of known ranks; 0: it isn't */

/* The call ends by the law, having depended on those whose latest moment this is, and on what began at `start`. */
static PFC__QUIET void pfc__collective_depends_on(pfc__call_t *c, const pfc__collective_t *k, pfc__latest_t latest,
                                                  pfc__moment_t start)
{
    pfc__transfer_t none = { 0, 0 };
    pfc__call_depends(c, start, k->rule == PFC__RULE_ALL ? none : pfc__call_cost(pfc__bytes_to_one(c, k->comm)),
                      pfc__travel_tree(c, k->comm));
    pfc__call_waited_until(c, pfc__latest_moment(latest));
    if (k->as_world && k->rule == PFC__RULE_ALL) pfc__clock_again(latest.ct);
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
    pfc__latest_t there = pfc__exchange(PFC__RULE_ALL, 0, comm, pfc__latest_of(c->begin));
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
    pfc__latest_t mine = pfc__latest_of(c->begin), nowhere;
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

/* The library's call has ended. */
static PFC__QUIET void pfc__collective_met(pfc__call_t *c, pfc__collective_t *k, int error)
{
    pfc__passed_t passed;
    pfc__latest_t latest;
    pfc__moment_t start;
    if (!k->exchanges || pfc__is_refused(error) || pfc__rooted(c, k)) return;
    if (pfc__is_lacking(k)) {
        pfc__collective_lacking(c, k);
        return;
    }
    k->depends = pfc__depends_on_others(k->rule, k->root, k->comm);
    if (k->as_world && k->rule == PFC__RULE_ALL) {
        passed = pfc__exchange_all(c, pfc__collective_tag(k));
        latest = passed.latest;
        start = pfc__steps_of(c, &passed);
    } else {
        latest = k->rule == PFC__RULE_ALL && k->known->inter ? pfc__exchange_sides(c, k->comm)
                 : pfc__exchange(k->rule, k->root, k->comm, pfc__contribution(k->rule, k->depends, c->begin));
        start = pfc__latest_moment(latest);
    }
    if (!pfc__latest_is_before(latest, c->end) && pfc__may_part(c, k)) {
        if (k->may_part == PFC__MAY_NEED_SOME) pfc__call_unexplained(c, c->begin.ct);
        return;
    }
    if (k->depends && !pfc__latest_is_none(latest)) pfc__collective_depends_on(c, k, latest, start);
    if (pfc__is_rooted(k->rule)) /* of two sides: by which way their data go isn't tried */
        pfc__call_unexplained(c, (k->depends ? latest.ct : c->begin.ct) + pfc__ranks_in(k->comm) * pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER).ns);
}

static PFC__QUIET void pfc__collective_end(pfc__call_t *c, pfc__collective_t *k, int error)
{
    pfc__call_end(c);
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
    here = pfc__exchange(PFC__RULE_ALL, 0, local, pfc__latest_of(c->begin));
    there = pfc__exchange(PFC__RULE_ALL, 0, *made, here);
    pfc__collective_depends(c, &k, pfc__latest_merge(here, there));
    return error;
}
#endif

/* ---- nonblocking and persistent: the exchange travels beside the call */

/* Begins the exchange, or initialises it: by the library's calls, which end with the arguments given last. */
#define PFC__EXCHANGE_BEGUN(name, allreduce, bcast, reduce, exscan, neighbor_allgather, ...) \
    static PFC__QUIET void name(pfc__request_t *r, int root, MPI_Comm comm) \
    { \
        void *mine = &r->mine, *latest = &r->latest; \
        pfc__room_t room; \
        r->latest = pfc__latest_none(); \
        switch (r->rule) { \
        case PFC__RULE_ALL: allreduce(mine, latest, PFC__LATEST_AS, MPI_MAX, comm, __VA_ARGS__); break; \
        case PFC__RULE_FROM_ROOT: bcast(mine, PFC__LATEST_AS, root, comm, __VA_ARGS__); break; \
        case PFC__RULE_TO_ROOT: reduce(mine, latest, PFC__LATEST_AS, MPI_MAX, root, comm, __VA_ARGS__); break; \
        case PFC__RULE_PREFIX: exscan(mine, latest, PFC__LATEST_AS, MPI_MAX, comm, __VA_ARGS__); break; \
        case PFC__RULE_NEIGHBOUR: \
            r->neighbours = pfc__neighbours_of(comm).in; \
            room = pfc__room_for(r->neighbours, &r->latest); \
            if (room.from != &r->latest) r->from = room.from; \
            else r->depends = 0; \
            neighbor_allgather(mine, PFC__LATEST_AS, room.from, room.count, room.type, comm, __VA_ARGS__); \
            break; \
        default: break; \
        } \
    }

PFC__EXCHANGE_BEGUN(pfc__exchange_start, PMPI_Iallreduce, PMPI_Ibcast, PMPI_Ireduce, PMPI_Iexscan, PMPI_Ineighbor_allgather,
                    &r->exchange)

static PFC__QUIET void pfc__exchange_wait(pfc__request_t *r)
{
    if (r->exchanging) PMPI_Wait(&r->exchange, MPI_STATUS_IGNORE);
    r->exchanging = 0;
}

/* The exchange was started by every rank that the call needed: it ends. One
   that only gives to others doesn't wait for it. */
static PFC__QUIET pfc__latest_t pfc__collected(pfc__request_t *r)
{
    pfc__latest_t result;
    int i;
    if (!r->depends) return pfc__latest_none();
    pfc__exchange_wait(r);
    result = r->rule == PFC__RULE_FROM_ROOT ? r->mine : r->latest;
    for (i = 0; r->from && i < r->neighbours; i++) result = pfc__latest_merge(result, r->from[i]);
    return result;
}

/* What completion must know; NULL: nothing. Where there is no memory to keep it, it is in `alone`, if given. */
static PFC__QUIET pfc__request_t *pfc__collecting(pfc__call_t *c, const pfc__collective_t *k, int error, pfc__request_t *alone)
{
    int exchanges = k->exchanges && !error;
    pfc__request_t *r = exchanges ? pfc__request_new(PFC__COLLECTING) : 0;
    if (exchanges && !r && alone) {
        r = alone;
        memset(r, 0, sizeof *r);
        pfc__request_reset(r, PFC__COLLECTING);
        pfc__collectives_say();
    }
    if (r) {
        r->bytes = c->bytes;
        r->in = k->comm;
        r->rule = (int)k->rule;
        r->span = 0;
        r->wait_kind = c->wait_kind;
        r->depends = pfc__depends_on_others(k->rule, k->root, k->comm);
        r->may_part = pfc__may_part(c, k);
        r->making.comm = MPI_COMM_NULL;
        r->making.record = 0;
        r->making.agreement = MPI_REQUEST_NULL;
    }
    c->wait_kind = PFC__NO_WAIT;
    return r;
}

/* Begins the exchange; NULL: there is none. */
static PFC__QUIET pfc__request_t *pfc__exchange_begin(pfc__call_t *c, const pfc__collective_t *k, int error, pfc__request_t *alone)
{
    pfc__request_t *r = pfc__collecting(c, k, error, alone);
    if (!r) return 0;
    pfc__request_stamp(r, c);
    r->mine = pfc__contribution(k->rule, r->depends, c->begin);
    pfc__exchange_start(r, k->root, k->comm);
    r->exchanging = r->exchange != MPI_REQUEST_NULL;
    return r;
}

/* Nothing keeps `alone`: all that can be done is to be there until the others have begun the exchange. */
static PFC__QUIET void pfc__exchange_keep(pfc__request_t *r, const pfc__request_t *alone, const MPI_Request *request)
{
    if (r != alone) {
        pfc__request_keep(r, *request);
        return;
    }
    pfc__exchange_wait(r);
    if (r->making.agreement != MPI_REQUEST_NULL) PMPI_Wait(&r->making.agreement, MPI_STATUS_IGNORE);
    free(r->from);
}

static PFC__QUIET void pfc__icollective_end(pfc__call_t *c, pfc__collective_t *k, int error, const MPI_Request *request)
{
    pfc__request_t alone, *r;
    pfc__call_end(c);
    r = pfc__exchange_begin(c, k, error, &alone);
    if (r) pfc__exchange_keep(r, &alone, request);
}

#ifndef PERFCOMP_SMPI
/* Comm_idup: what goes beside it begins before it (pfc__making_t tells why). */
typedef struct pfc__idup { pfc__request_t alone, *r; } pfc__idup_t;

static PFC__QUIET void pfc__idup_begin(pfc__idup_t *d, pfc__call_t *c, pfc__collective_t *k, MPI_Comm comm)
{
    pfc__i64 tick;
    pfc__collective_begin(c, k, PFC__RULE_ALL, 0, comm);
    tick = pfc__clock();
    d->r = pfc__exchange_begin(c, k, 0, &d->alone);
    if (d->r) pfc__comm_making(&d->r->making, comm, k->known, d->r != &d->alone);
    c->begin = pfc__moment_at(pfc__charge_since(tick));
}

/* Libraries give the new handle at once. Where the call fails, the record stays as long as the exchange may need it. */
static PFC__QUIET void pfc__idup_end(pfc__idup_t *d, pfc__call_t *c, MPI_Comm of, int error, const MPI_Comm *made,
                                     const MPI_Request *request)
{
    pfc__call_end(c);
    if (d->r) pfc__comm_begun(&d->r->making, error ? MPI_COMM_NULL : *made);
    else if (!error) pfc__comm_carries_none(*made, of);
    if (d->r && (!error || d->r == &d->alone)) pfc__exchange_keep(d->r, &d->alone, request);
}
#endif

#if MPI_VERSION >= 4
PFC__EXCHANGE_BEGUN(pfc__exchange_init, PMPI_Allreduce_init, PMPI_Bcast_init, PMPI_Reduce_init, PMPI_Exscan_init,
                    PMPI_Neighbor_allgather_init, MPI_INFO_NULL, &r->exchange)

/* The exchange is a persistent collective like the call's own, so that they are matched alike: by their initialisation. */
static PFC__QUIET void pfc__collective_init_end(pfc__call_t *c, pfc__collective_t *k, int error, MPI_Request *request)
{
    pfc__request_t *r;
    pfc__call_end(c);
    r = pfc__collecting(c, k, error, 0);
    c->bytes = 0; /* nothing was sent yet */
    if (!r) return;
    r->persistent = 1;
    pfc__exchange_init(r, k->root, k->comm);
    pfc__request_keep(r, *request);
}
#endif

/* The library has started a persistent one. */
static PFC__QUIET void pfc__collective_started(pfc__request_t *r)
{
    if (r->exchange == MPI_REQUEST_NULL) return;
    pfc__exchange_wait(r); /* of the last start, where this rank didn't need it */
    r->exchanging = 1;
    r->latest = pfc__latest_none();
    r->mine = pfc__contribution((enum pfc__mpi_rule)r->rule, r->depends, r->begin);
    PMPI_Start(&r->exchange);
}
