/* ---------------------------------------------------- intervals (impl) ---
   How far off counts that follow are.

   An activation that was left early, or hasn't ended, stays in one vertex; when
   `lost` of them did, then of any part of the forest that hangs below an edge
   between 0 and `lost` did, and the edge is known up to that interval. A
   function that always returns doesn't count both entries and exits: where
   threads were stopped in the middle, each may have been in it, and once at
   most, because it is not recursive. A forked process has inherited activations
   that were entered in its parent: they come from the middle.

   Where it is known which calls didn't return, these vertices have swallowed all
   of them: an edge with none of them below is exact, and so is one with all. The
   same is true of the calls in which a process may have been forked.

   Entries that follow from calls are known as far as the calling blocks are.
   Then whatever follows from them, above whose part of the forest they flow in,
   is off by as much: callers come first. */

typedef struct pfc__activity {   /* of a function */
    pfc__i64 least, most;        /* how many activations each of its vertices has swallowed */
    pfc__i64 found_least, found_most; /* by those that nothing was completed from: a check of the rest */
    pfc__u64 entries, exits;
    pfc__u32 first;              /* 1 + its first block; 0: none */
    pfc__u32 completed, blind;   /* blocks without a counter; 1: and entries or exits are among them */
    pfc__u32 enters, leaves;     /* 1: how often it was entered is known; it has an EXIT */
    pfc__u32 opened;             /* 1: flow leaves it with calls that may not return, too, and comes back from them */
    pfc__u32 contradicts;
    pfc__u32 entry;              /* 1 + its ENTRY, where calls tell of it; 0: they don't */
    pfc__u32 waits;              /* for so many of these calls */
    pfc__u64 entered_least, entered_most; /* by the calls so far */
    pfc__i64 below, above;       /* so far from the entries that the rest was completed from; below zero: at least, to the other side */
    pfc__i64 ended, begun;       /* how many activations were swallowed by vertices that show it, and came from such */
    pfc__u32 strange, mixed;     /* 1: where they can't have; where both may be */
    pfc__u32 placed;             /* 1: it is known which vertices the others may have ended and begun in, */
    pfc__hidden_t hidden;        /* and how many these are; */
    pfc__u32 stops, begins;      /* so many vertices */
} pfc__activity_t;

static PFC__QUIET void pfc__activity_block(pfc__flow_t *flow, pfc__u32 i)
{
    const pfc__block_t *b = &flow->block[i];
    pfc__activity_t *a = &flow->activity[b->function];
    int counted = flow->edge[i].known == PFC__HAS_COUNTER;
    int outside = pfc__in_graph(b) && flow->vertex[b->from].outside + flow->vertex[b->to].outside;
    flow->edge[i].in_function = a->first;
    a->first = i + 1;
    if (b->kind == PFC__BLOCK_ENTRY) a->entries += counted ? flow->info[i].low : 0, a->enters = (pfc__u32)counted;
    if (b->kind == PFC__BLOCK_EXIT) a->exits += counted ? flow->info[i].low : 0, a->leaves = 1;
    if (b->kind == PFC__BLOCK_PLAIN && outside) a->opened = 1;
    if (!counted) a->completed++;
    if (!counted && (b->kind == PFC__BLOCK_ENTRY || b->kind == PFC__BLOCK_EXIT)) a->blind = 1;
    if (flow->edge[i].known == PFC__BY_CALLS) a->entry = i + 1;
}

/* What a vertex shows that it has swallowed. */
static PFC__QUIET void pfc__activity_found(pfc__activity_t *a, pfc__i64 swallowed, unsigned may)
{
    pfc__i64 *sum = swallowed < 0 ? &a->begun : &a->ended;
    if (swallowed == INT64_MIN || __builtin_add_overflow(*sum, swallowed < 0 ? -swallowed : swallowed, sum)) a->strange = 1;
    if (swallowed < 0 && !(may & PFC__MAY_BEGIN)) a->strange = 1;
    if (may == (PFC__MAY_END | PFC__MAY_BEGIN)) a->mixed = 1;
}

static PFC__QUIET void pfc__activity_gather(pfc__flow_t *flow)
{
    pfc__u64 v;
    pfc__u32 i;
    for (i = 0; i < flow->table->blocks; i++) pfc__activity_block(flow, i);
    for (i = 0; i < flow->table->callers; i++) {
        pfc__u32 entry = flow->table->caller[i].entry;
        if (flow->edge[entry].known == PFC__BY_CALLS) flow->activity[flow->block[entry].function].waits++;
    }
    for (v = 1; v < flow->vertices; v++) {
        pfc__activity_t *a = &flow->activity[flow->vertex[v].function];
        pfc__i64 swallowed = (pfc__i64)flow->vertex[v].balance;
        if (flow->vertex[v].outside) continue;
        if (flow->vertex[v].shows) pfc__activity_found(a, swallowed, flow->table->stops[v]);
        if (swallowed < a->found_least) a->found_least = swallowed;
        if (swallowed > a->found_most) a->found_most = swallowed;
    }
}

/* Entries that aren't known to have been left. Where flow leaves with what may not return, it comes back without one. */
static PFC__QUIET pfc__i64 pfc__activity_lost(const pfc__activity_t *a, pfc__u32 flags, pfc__u32 in_flight)
{
    if (a->opened) return in_flight;
    if (!a->blind && (a->leaves || (flags & PFC__MAY_NOT_RETURN))) return (pfc__i64)(a->entries - a->exits);
    return a->enters && a->entries < in_flight ? (pfc__i64)a->entries : in_flight; /* it always returns */
}

/* How far its entries may be off, as its calls tell of them; 0: nobody knows. A thread may have been stopped between where
   the calling block is counted and the entry. */
static PFC__QUIET int pfc__activity_entered(pfc__flow_t *flow, pfc__activity_t *a, pfc__u32 in_flight)
{
    pfc_block_info_t *entry = &flow->info[a->entry - 1];
    pfc__u64 least = a->entered_least - (a->entered_least < in_flight ? a->entered_least : in_flight), most = a->entered_most;
    pfc__i64 count = (pfc__i64)entry->low;
    if (most > INT64_MAX || __builtin_sub_overflow(count, (pfc__i64)least, &a->below) ||
        __builtin_sub_overflow((pfc__i64)most, count, &a->above)) return 0;
    entry->low = least;
    entry->high = most;
    a->entries = most;
    a->enters = 1;
    return 1;
}

/* So many have begun and ended in one place, at least: nothing tells of these. */
static PFC__QUIET int pfc__hidden_less(pfc__hidden_t *h, pfc__i64 n)
{
    if (n > h->idle) return 0;
    h->ended -= n;
    h->begun -= n;
    h->idle -= n;
    return 1;
}

/* Whether it is known in which vertices all are that the others don't show: those that ended, `stuck`, and those that came from
   the middle. */
static PFC__QUIET int pfc__activity_places(const pfc__flow_t *flow, pfc__activity_t *a, const pfc__facts_t *facts, pfc__i64 stuck)
{
    pfc__hidden_t *h = &a->hidden;
    if (!flow->table->stops || !pfc__shows_stops(facts->flags) || a->strange || a->blind || a->entry) return 0;
    if (stuck < a->ended || (pfc__i64)facts->inherited < a->begun) return 0;
    h->ended = stuck - a->ended;
    h->begun = (pfc__i64)facts->inherited - a->begun;
    h->idle = a->mixed || flow->table->strays ? pfc__min(h->ended, h->begun) : 0;
    return pfc__hidden_less(h, a->stops ? 0 : h->ended) && pfc__hidden_less(h, a->begins ? 0 : h->begun);
}

/* Whether what the vertices show, as far as they do, is within what may be; otherwise as much more may be, too. */
static PFC__QUIET void pfc__activity_check(pfc__activity_t *a, pfc__u32 in_flight)
{
    pfc__i64 least, most; /* nobody knows which of them the entries flow into */
    if (__builtin_sub_overflow(a->least, a->above > 0 ? a->above : 0, &least) ||
        __builtin_add_overflow(a->most, a->below > 0 ? a->below : 0, &most)) {
        a->contradicts = 1;
        return;
    }
    if (a->found_least >= least && a->found_most <= most) return;
    if (!in_flight || a->found_least == INT64_MIN) a->contradicts = 1;
    if (a->found_least < a->least) a->least = a->found_least;
    if (a->found_most > a->most) a->most = a->found_most;
}

/* least and most, of which the vertices show their own part. */
static PFC__QUIET void pfc__activity_bounds(pfc__flow_t *flow, pfc__u32 function, pfc__u32 in_flight)
{
    const pfc__facts_t *facts = &flow->table->function[function];
    pfc__activity_t *a = &flow->activity[function];
    int known = !a->entry || pfc__activity_entered(flow, a, in_flight);
    pfc__i64 lost = pfc__activity_lost(a, facts->flags, in_flight), from_middle, stuck;
    if (!known || lost == INT64_MIN || facts->inherited > INT64_MAX ||
        __builtin_add_overflow(lost, (pfc__i64)facts->inherited, &stuck)) {
        a->contradicts = 1;
        return;
    }
    a->placed = (pfc__u32)pfc__activity_places(flow, a, facts, stuck);
    from_middle = -(pfc__i64)facts->inherited;
    a->least = lost < from_middle ? lost : from_middle;
    a->most = stuck > 0 ? stuck : 0;
    pfc__activity_check(a, in_flight);
}

/* [count + least, count + most] below zero is cut off: a count is never negative. */
static PFC__QUIET int pfc__interval(pfc_block_info_t *info, pfc__i64 least, pfc__i64 most)
{
    pfc__i64 count = (pfc__i64)info->low, low, high;
    if (__builtin_add_overflow(count, least, &low) || __builtin_add_overflow(count, most, &high) || high < 0) return 0;
    info->low = low < 0 ? 0 : (pfc__u64)low;
    info->high = (pfc__u64)high;
    return 1;
}

static PFC__QUIET void pfc__activity_unknown(pfc__flow_t *flow, const pfc__activity_t *a)
{
    pfc__u32 i;
    for (i = a->first; i; i = flow->edge[i - 1].in_function) pfc__count_unknown(&flow->info[i - 1]);
}

/* Of `n` in all, in `some` of so many vertices. */
static PFC__QUIET pfc__range_t pfc__hidden_in(pfc__i64 n, pfc__i64 idle, pfc__u32 some, pfc__u32 all)
{
    pfc__range_t r = { 0, 0 };
    if (some) r.most = n;
    if (some == all) r.least = n - idle;
    return r;
}

/* How many activations have ended in the part below an edge, less those that have begun there; 0: nobody knows. */
static PFC__QUIET int pfc__activity_below(const pfc__activity_t *a, const pfc__flow_edge_t *edge, pfc__i64 *least, pfc__i64 *most)
{
    const pfc__hidden_t *h = &a->hidden;
    pfc__i64 idle = edge->stops == a->stops && edge->begins == a->begins ? 0 : h->idle; /* all are below, these as well */
    pfc__range_t ended = pfc__hidden_in(h->ended, idle, edge->stops, a->stops), begun = pfc__hidden_in(h->begun, idle, edge->begins, a->begins);
    *least = a->placed ? ended.least - begun.most : a->least;
    *most = a->placed ? ended.most - begun.least : a->most;
    if (!edge->entered) return 1;
    return !__builtin_sub_overflow(*least, a->above, least) && !__builtin_add_overflow(*most, a->below, most) &&
           *least > INT64_MIN && *most > INT64_MIN;
}

static PFC__QUIET void pfc__activity_intervals(pfc__flow_t *flow, pfc__activity_t *a, pfc__u32 in_flight)
{
    pfc__u32 i;
    for (i = a->first; i; i = flow->edge[i - 1].in_function) {
        pfc_block_info_t *info = &flow->info[i - 1];
        pfc__u32 how = flow->edge[i - 1].known;
        pfc__i64 least, most;
        int known = pfc__activity_below(a, &flow->edge[i - 1], &least, &most);
        if (how == PFC__HAS_COUNTER) info->high = info->low;
        if (how == PFC__HAS_COUNTER || how == PFC__BY_CALLS) continue;
        if (known && (how == PFC__FLOWS_IN ? pfc__interval(info, least, most) : pfc__interval(info, -most, -least))) continue;
        pfc__count_unknown(info);
        if (!in_flight) a->contradicts = 1;
    }
}

/* What the block's calls tell of the functions that they call. */
static PFC__QUIET void pfc__activity_calls(pfc__flow_t *flow, pfc__u32 block)
{
    const pfc_block_info_t *info = &flow->info[block];
    pfc__u32 call;
    for (call = flow->edge[block].call; call; call = flow->next_call[call - 1]) {
        const pfc__caller_t *c = &flow->table->caller[call - 1];
        pfc__activity_t *a = &flow->activity[flow->block[c->entry].function];
        if (flow->edge[c->entry].known != PFC__BY_CALLS) continue;
        if (__builtin_add_overflow(a->entered_most, info->high, &a->entered_most)) a->entered_most = UINT64_MAX;
        if (__builtin_add_overflow(a->entered_least, info->low, &a->entered_least)) a->entered_least = UINT64_MAX;
        if (--a->waits == 0) flow->ready[flow->readies++] = flow->block[c->entry].function;
    }
}

static PFC__QUIET void pfc__activity_function(pfc__flow_t *flow, pfc__u32 function, pfc__u32 in_flight)
{
    pfc__activity_t *a = &flow->activity[function];
    pfc__u32 i;
    pfc__activity_bounds(flow, function, in_flight);
    if (!a->contradicts) pfc__activity_intervals(flow, a, in_flight);
    if (a->contradicts) pfc__activity_unknown(flow, a);
    else if (a->placed && (a->hidden.ended || a->hidden.begun)) pfc__narrow(flow, a->first, &a->hidden);
    for (i = a->first; i; i = flow->edge[i - 1].in_function) pfc__activity_calls(flow, i - 1);
}

static PFC__QUIET void pfc__flow_intervals(pfc__flow_t *flow, pfc__u32 in_flight)
{
    pfc__u32 f;
    for (f = 0; f < flow->table->functions; f++)
        if (!flow->activity[f].waits) flow->ready[flow->readies++] = f;
    while (flow->readies) pfc__activity_function(flow, flow->ready[--flow->readies], in_flight);
    for (f = 0; f < flow->table->functions; f++)
        if (flow->activity[f].waits) pfc__activity_unknown(flow, &flow->activity[f]); /* in a circle */
}
