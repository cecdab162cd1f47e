/* ---------------------------------------------------- narrowing (impl) ---
   Narrower intervals of counts that follow.

   Each edge's interval says how far that one may be off by itself. What flows
   into a vertex flows out of it, but for what was swallowed there, so that its
   edges bound one another: what comes behind a call that has returned once has
   run once before it, too. It is interval propagation (Davis, Constraint
   propagation with interval labels, Artificial Intelligence 32, 1987): each step
   is right, and it ends when none says more. */

#define PFC__LARGE ((pfc__i64)1 << 40) /* of counts below it, so many can be added: */
#define PFC__MANY (1u << 22)
#define PFC__NARROWINGS 32             /* steps, at most */

typedef struct pfc__range { pfc__i64 least, most; } pfc__range_t;
/* Activations that ended in vertices that don't show it, of which it is known that they may, and such that began there; of both
   so many may be others, that have begun and ended in one place. */
typedef struct pfc__hidden { pfc__i64 ended, begun, idle; } pfc__hidden_t;

typedef struct pfc__through { pfc__range_t in, out; } pfc__through_t; /* by a vertex */

static PFC__QUIET pfc__range_t pfc__range_of(const pfc_block_info_t *info)
{
    pfc__range_t r;
    r.least = (pfc__i64)info->low;
    r.most = (pfc__i64)info->high;
    return r;
}

/* What of `hidden` activations a vertex has swallowed; of one that shows its own, just that. */
static PFC__QUIET pfc__range_t pfc__swallowed(const pfc__flow_t *flow, pfc__u64 v, const pfc__hidden_t *hidden)
{
    const pfc__vertex_t *vertex = &flow->vertex[v];
    pfc__range_t r = { 0, 0 };
    if (vertex->shows) r.least = r.most = (pfc__i64)vertex->balance;
    else {
        if (flow->table->stops[v] & PFC__MAY_END) r.most = hidden->ended;
        if (flow->table->stops[v] & PFC__MAY_BEGIN) r.least = -hidden->begun;
    }
    return r;
}

static PFC__QUIET void pfc__range_add(pfc__range_t *sum, pfc__i64 sign, pfc__range_t part)
{
    sum->least += sign * part.least;
    sum->most += sign * part.most;
}

/* `sign` 1: up to now; −1: not any more. */
static PFC__QUIET void pfc__edge_passes(pfc__flow_t *flow, pfc__u32 edge, pfc__i64 sign)
{
    pfc__range_t r = pfc__range_of(&flow->info[edge]);
    pfc__range_add(&flow->through[flow->block[edge].to].in, sign, r);
    pfc__range_add(&flow->through[flow->block[edge].from].out, sign, r);
}

static PFC__QUIET void pfc__range_within(pfc__range_t *r, pfc__i64 least, pfc__i64 most)
{
    if (least > r->least) r->least = least;
    if (most < r->most) r->most = most;
}

/* An edge by what the others at its ends leave for it. Whether that says more. */
static PFC__QUIET int pfc__edge_narrow(pfc__flow_t *flow, pfc__u32 edge, const pfc__hidden_t *hidden)
{
    const pfc__block_t *b = &flow->block[edge];
    pfc_block_info_t *info = &flow->info[edge];
    const pfc__range_t before = pfc__range_of(info);
    pfc__range_t r = before;
    if (before.least == before.most) return 0;
    pfc__edge_passes(flow, edge, -1);
    if (!flow->vertex[b->to].outside) {
        const pfc__through_t *at = &flow->through[b->to];
        pfc__range_t s = pfc__swallowed(flow, b->to, hidden);
        pfc__range_within(&r, at->out.least + s.least - at->in.most, at->out.most + s.most - at->in.least);
    }
    if (!flow->vertex[b->from].outside) {
        const pfc__through_t *at = &flow->through[b->from];
        pfc__range_t s = pfc__swallowed(flow, b->from, hidden);
        pfc__range_within(&r, at->in.least - s.most - at->out.most, at->in.most - s.least - at->out.least);
    }
    if (r.least <= r.most) { /* otherwise they contradict each other: what was known by itself stays */
        info->low = (pfc__u64)r.least;
        info->high = (pfc__u64)r.most;
    }
    pfc__edge_passes(flow, edge, 1);
    return info->low != (pfc__u64)before.least || info->high != (pfc__u64)before.most;
}

/* The intervals of a function whose blocks begin with `first`. */
static PFC__QUIET void pfc__narrow(pfc__flow_t *flow, pfc__u32 first, const pfc__hidden_t *hidden)
{
    int steps = PFC__NARROWINGS, more = 1;
    pfc__u32 i;
    if (hidden->ended > PFC__LARGE || hidden->begun > PFC__LARGE || flow->table->blocks > PFC__MANY) return;
    for (i = first; i; i = flow->edge[i - 1].in_function)
        if (flow->info[i - 1].high > (pfc__u64)PFC__LARGE) return;
    for (i = first; i; i = flow->edge[i - 1].in_function)
        if (pfc__in_graph(&flow->block[i - 1])) pfc__edge_passes(flow, i - 1, 1);
    while (more && steps--)
        for (more = 0, i = first; i; i = flow->edge[i - 1].in_function)
            if (pfc__in_graph(&flow->block[i - 1])) more |= pfc__edge_narrow(flow, i - 1, hidden);
}
