/* ----------------------------------------------------- completion (impl) ---
   Blocks without a counter, from those that have one. Blocks are the edges of
   a graph in which what flows into a vertex flows out of it; the blocks
   without a counter form a forest. A leaf of the forest has one unknown edge,
   which balances the vertex; take it away, and go on. Each vertex keeps how
   many unknown edges it has and the XOR of their numbers: of the last one that
   is the number itself. Linear in time and memory.

   The outside of a function is never balanced: that is the root which the
   peeling moves to. An activation that was left early, or hasn't ended, stays
   in one vertex; when `lost` of them did, then of any part of the forest that
   hangs below an edge between 0 and `lost` did, and the edge is known up to
   that interval. A function that always returns doesn't count both entries and
   exits: where threads were stopped in the middle, each may have been in it, and
   once at most, because it is not recursive. A forked process has inherited
   activations that were entered in its parent: they come from the middle. */

typedef struct pfc__facts {      /* of a function */
    pfc__u64 inherited;          /* activations that were in flight when the process was forked */
    pfc__u32 flags;              /* of pfc__function_t */
} pfc__facts_t;

typedef struct pfc__vertex {
    pfc__u64 balance;            /* known in − known out, modulo 2^64 */
    pfc__u32 unknown, edges;     /* number and XOR of the edges without a count */
    pfc__u32 function, outside;
} pfc__vertex_t;

typedef struct pfc__activity {   /* of a function: how many activations its vertices have swallowed */
    pfc__i64 least, most;
    pfc__u64 entries, exits;
    pfc__u32 completed, blind;   /* blocks without a counter; 1: and entries or exits are among them */
    pfc__u32 enters, leaves;     /* 1: it counts its entries; it has an EXIT */
    pfc__u32 contradicts;
} pfc__activity_t;

typedef struct pfc__flow {
    const pfc__block_t *block;
    pfc_block_info_t *info;      /* .low: the count; .counted */
    pfc__u32 blocks, functions;
    pfc__u64 vertices;
    pfc__vertex_t *vertex;
    pfc__activity_t *activity;
    unsigned char *known;
    pfc__u32 *leaf;
} pfc__flow_t;

static PFC__QUIET int pfc__in_graph(const pfc__block_t *b) { return b->from | b->to ? 1 : 0; }

static PFC__QUIET void pfc__edge_known(pfc__flow_t *flow, pfc__u32 edge)
{
    const pfc__block_t *b = &flow->block[edge];
    flow->known[edge] = 1;
    flow->vertex[b->to].balance += flow->info[edge].low;
    flow->vertex[b->from].balance -= flow->info[edge].low;
}

static PFC__QUIET void pfc__edge_unknown(pfc__flow_t *flow, pfc__u32 edge, pfc__u32 vertex)
{
    flow->vertex[vertex].unknown++;
    flow->vertex[vertex].edges ^= edge;
}

static PFC__QUIET void pfc__flow_block(pfc__flow_t *flow, pfc__u32 i)
{
    const pfc__block_t *b = &flow->block[i];
    pfc__activity_t *a = &flow->activity[b->function];
    int counted = flow->info[i].counted ? 1 : 0;
    if (b->kind == PFC__BLOCK_ENTRY) a->entries += flow->info[i].low, a->enters = (pfc__u32)counted;
    if (b->kind == PFC__BLOCK_EXIT) a->exits += flow->info[i].low, a->leaves = 1;
    if (!counted) a->completed++;
    if (!counted && (b->kind == PFC__BLOCK_ENTRY || b->kind == PFC__BLOCK_EXIT)) a->blind = 1;
    if (!pfc__in_graph(b)) { flow->known[i] = (unsigned char)counted; return; }
    flow->vertex[b->from].function = flow->vertex[b->to].function = b->function;
    if (b->kind == PFC__BLOCK_ENTRY) flow->vertex[b->from].outside = 1;
    if (b->kind == PFC__BLOCK_EXIT) flow->vertex[b->to].outside = 1;
    if (counted) pfc__edge_known(flow, i);
    else pfc__edge_unknown(flow, i, b->from), pfc__edge_unknown(flow, i, b->to);
}

static PFC__QUIET int pfc__is_leaf(const pfc__vertex_t *v) { return v->unknown == 1 && !v->outside; }

static PFC__QUIET void pfc__flow_peel(pfc__flow_t *flow)
{
    pfc__u64 v, leaves = 0;
    for (v = 0; v < flow->vertices; v++)
        if (pfc__is_leaf(&flow->vertex[v])) flow->leaf[leaves++] = (pfc__u32)v;
    while (leaves) {
        pfc__u32 at = flow->leaf[--leaves], edge = flow->vertex[at].edges, other;
        const pfc__block_t *b = &flow->block[edge];
        if (!pfc__is_leaf(&flow->vertex[at])) continue;
        other = b->from == at ? b->to : b->from;
        flow->info[edge].low = b->to == at ? 0 - flow->vertex[at].balance : flow->vertex[at].balance;
        flow->info[edge].high = b->to == at; /* for now: it leads into the part below it */
        pfc__edge_known(flow, edge);
        flow->vertex[at].unknown = 0;
        flow->vertex[other].unknown--;
        flow->vertex[other].edges ^= edge;
        if (pfc__is_leaf(&flow->vertex[other])) flow->leaf[leaves++] = other;
    }
}

/* Entries that aren't known to have been left. */
static PFC__QUIET pfc__i64 pfc__activity_lost(const pfc__activity_t *a, pfc__u32 flags, pfc__u32 in_flight)
{
    if (!a->blind && (a->leaves || (flags & PFC__MAY_NOT_RETURN))) return (pfc__i64)(a->entries - a->exits);
    return a->enters && a->entries < in_flight ? (pfc__i64)a->entries : in_flight; /* it always returns */
}

/* How many activations each function's vertices may have swallowed. A vertex
   that nothing was completed from shows its own part: a check of the rest. */
static PFC__QUIET void pfc__flow_activity(pfc__flow_t *flow, const pfc__facts_t *function, pfc__u32 in_flight)
{
    pfc__u64 v;
    pfc__u32 f;
    for (f = 0; f < flow->functions; f++) {
        pfc__activity_t *a = &flow->activity[f];
        pfc__i64 lost = pfc__activity_lost(a, function[f].flags, in_flight), from_middle, stuck;
        if (lost == INT64_MIN || function[f].inherited > INT64_MAX ||
            __builtin_add_overflow(lost, (pfc__i64)function[f].inherited, &stuck)) {
            a->contradicts = 1;
            continue;
        }
        from_middle = -(pfc__i64)function[f].inherited;
        a->least = lost < from_middle ? lost : from_middle;
        a->most = stuck > 0 ? stuck : 0;
    }
    for (v = 1; v < flow->vertices; v++) {
        pfc__activity_t *a = &flow->activity[flow->vertex[v].function];
        pfc__i64 swallowed = (pfc__i64)flow->vertex[v].balance;
        if (flow->vertex[v].outside || (swallowed >= a->least && swallowed <= a->most)) continue;
        if (!in_flight || swallowed == INT64_MIN) { a->contradicts = 1; continue; }
        if (swallowed < a->least) a->least = swallowed;
        if (swallowed > a->most) a->most = swallowed;
    }
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

static PFC__QUIET void pfc__flow_intervals(pfc__flow_t *flow, pfc__u32 in_flight)
{
    pfc__u32 i;
    for (i = 0; i < flow->blocks; i++) {
        pfc__activity_t *a = &flow->activity[flow->block[i].function];
        pfc_block_info_t *info = &flow->info[i];
        if (info->counted) info->high = info->low;
        else if (info->high ? !pfc__interval(info, a->least, a->most) : !pfc__interval(info, -a->most, -a->least)) {
            info->low = 0;
            info->high = UINT64_MAX;
            if (!in_flight) a->contradicts = 1;
        }
    }
    for (i = 0; i < flow->blocks; i++)
        if (!flow->info[i].counted && flow->activity[flow->block[i].function].contradicts)
            flow->info[i].low = 0, flow->info[i].high = UINT64_MAX;
}

/* Why a table can't be completed; NULL: it can. */
static PFC__QUIET const char *pfc__flow_trouble(const pfc__flow_t *flow, const pfc__facts_t *function)
{
    pfc__u32 i;
    for (i = 0; i < flow->functions; i++)
        if (flow->activity[i].completed && flow->activity[i].blind && (function[i].flags & PFC__MAY_NOT_RETURN))
            return "a function that calls others has no counter for its entries or its exits";
    for (i = 0; i < flow->blocks; i++)
        if (!flow->known[i]) return "its counters leave blocks undetermined";
    return 0;
}

static PFC__QUIET const char *pfc__flow_run(pfc__flow_t *flow, const pfc__facts_t *function, pfc__u32 in_flight)
{
    const char *trouble;
    pfc__u32 i;
    for (i = 0; i < flow->blocks; i++)
        if (flow->block[i].from >= flow->vertices || flow->block[i].to >= flow->vertices)
            return "its vertices aren't numbered densely";
    flow->vertex[0].outside = 1;
    for (i = 0; i < flow->blocks; i++) pfc__flow_block(flow, i);
    pfc__flow_peel(flow);
    trouble = pfc__flow_trouble(flow, function);
    if (trouble) return trouble;
    pfc__flow_activity(flow, function, in_flight);
    pfc__flow_intervals(flow, in_flight);
    return 0;
}

/* Completes the counts of one unit. In: info[i].counted and, where it is 1,
   .low. Out: .low and .high of all. `in_flight`: so many threads were stopped
   in the middle, or went on while the counters were read, so that small
   contradictions are no error but widen the intervals.
   NULL, or why it can't be done: then the blocks without a counter are unknown. */
static PFC__QUIET const char *pfc__complete(const pfc__block_t *block, pfc_block_info_t *info, pfc__u32 blocks,
                                            const pfc__facts_t *function, pfc__u32 functions, pfc__u32 in_flight)
{
    pfc__flow_t flow;
    const char *trouble = "not enough memory to complete it";
    pfc__u32 i;
    memset(&flow, 0, sizeof flow);
    flow.block = block;
    flow.info = info;
    flow.blocks = blocks;
    flow.functions = functions;
    flow.vertices = 4 * (pfc__u64)blocks + 1024;
    flow.vertex = (pfc__vertex_t *)calloc((size_t)flow.vertices, sizeof *flow.vertex);
    flow.leaf = (pfc__u32 *)calloc((size_t)flow.vertices, sizeof *flow.leaf);
    flow.activity = (pfc__activity_t *)calloc((size_t)functions + 1, sizeof *flow.activity);
    flow.known = (unsigned char *)calloc((size_t)blocks + 1, 1);
    if (flow.vertex && flow.leaf && flow.activity && flow.known) trouble = pfc__flow_run(&flow, function, in_flight);
    free(flow.vertex);
    free(flow.leaf);
    free(flow.activity);
    free(flow.known);
    for (i = 0; trouble && i < blocks; i++) {
        if (!info[i].counted) info[i].low = 0;
        info[i].high = info[i].counted ? info[i].low : UINT64_MAX;
    }
    return trouble;
}
