/* --------------------------------------------------------- flow (impl) ---
   Counts that follow: of blocks without a counter, from those that have one.

   Blocks are the edges of a graph in which what flows into a vertex flows out
   of it; the blocks without a counter form a forest. A leaf of the forest has
   one unknown edge, which balances the vertex; take it away, and go on. Each
   vertex keeps how many unknown edges it has and the XOR of their numbers: of
   the last one that is the number itself. Linear in time and memory.

   The outside of a function is never balanced: that is the root which the
   peeling moves to. Where a function's calls are all known, its entry has no
   counter either: it is known once all its calling blocks are. */

typedef struct pfc__facts {      /* of a function */
    pfc__u64 inherited;          /* activations that were in flight when the process was forked */
    pfc__u32 flags;              /* of pfc__function_t */
} pfc__facts_t;

/* Whether a function shows that calls of it didn't return, and the unit tells which these may be. */
static PFC__QUIET int pfc__shows_stops(pfc__u32 flags)
{
    return (flags & PFC__MAY_NOT_RETURN) && (flags & PFC__STOPS_KNOWN);
}

enum { PFC__MAY_END = 1, PFC__MAY_BEGIN = 2 }; /* the latter: in its parent, from which a process was forked just then */

typedef struct pfc__unit_tables { /* what a unit says of its blocks */
    pfc__block_t *block;
    pfc__caller_t *caller;
    const pfc__facts_t *function;
    pfc__u32 blocks, callers, functions;
    const unsigned char *stops;  /* [vertex] of these: what may have happened to activations there; NULL: nobody knows */
    int strays;                  /* 1: and such that went on anywhere when the process was forked may never have gone on */
} pfc__unit_tables_t;

/* There are fewer. */
static PFC__QUIET size_t pfc__vertices(const pfc__unit_tables_t *table) { return 4 * (size_t)table->blocks + 1024; }

typedef struct pfc__vertex {
    pfc__u64 balance;            /* known in − known out, modulo 2^64 */
    pfc__u32 unknown, edges;     /* number and XOR of the edges without a count */
    pfc__u32 function, outside;
    pfc__u32 shows;              /* 1: nothing is completed from it: it shows what it has swallowed */
    pfc__u32 stops, begins, entered; /* of the part of the forest that hangs below, itself included: in so many activations may
                                    have ended, or begun; into so many they come by an entry of which calls tell */
} pfc__vertex_t;

/* How a block's count came to be known. */
enum { PFC__NOT_KNOWN, PFC__HAS_COUNTER, PFC__BY_CALLS, PFC__FLOWS_OUT, PFC__FLOWS_IN }; /* _IN: into the part of the forest below it */

typedef struct pfc__flow_edge {
    pfc__u32 waits;              /* of an entry: for so many of its calls */
    pfc__u32 call;               /* 1 + the first of the calls that this block makes; 0: none */
    pfc__u32 in_function;        /* 1 + the next block of the same function; 0: none */
    pfc__u32 known;
    pfc__u32 stops, begins, entered; /* of the part of the forest below it */
} pfc__flow_edge_t;

typedef struct pfc__flow {
    const pfc__unit_tables_t *table;
    const pfc__block_t *block;
    pfc_block_info_t *info;      /* .low: the count; .counted */
    pfc__u64 vertices;
    pfc__vertex_t *vertex;
    pfc__flow_edge_t *edge;
    pfc__u32 *next_call;         /* [call] 1 + the next one of the same block; 0: none */
    struct pfc__activity *activity;
    struct pfc__through *through; /* [vertex] see narrowing.c */
    pfc__u32 *leaf, *entered, *ready; /* still to be gone on from: vertices; entries, and functions, whose calls are all known */
    pfc__u64 leaves, entries, readies;
} pfc__flow_t;

/* Nobody knows how often it ran, unless it has a counter. */
static PFC__QUIET void pfc__count_unknown(pfc_block_info_t *info)
{
    if (!info->counted) info->low = 0;
    info->high = info->counted ? info->low : UINT64_MAX;
}

static PFC__QUIET int pfc__in_graph(const pfc__block_t *b) { return b->from | b->to ? 1 : 0; }

static PFC__QUIET int pfc__is_leaf(const pfc__vertex_t *v) { return v->unknown == 1 && !v->outside; }

/* The block's count is in its .low. */
static PFC__QUIET void pfc__edge_known(pfc__flow_t *flow, pfc__u32 edge, pfc__u32 how)
{
    const pfc__block_t *b = &flow->block[edge];
    pfc__u32 call;
    flow->edge[edge].known = how;
    flow->vertex[b->to].balance += flow->info[edge].low;
    flow->vertex[b->from].balance -= flow->info[edge].low;
    for (call = flow->edge[edge].call; call; call = flow->next_call[call - 1]) {
        pfc__u32 entry = flow->table->caller[call - 1].entry;
        if (flow->edge[entry].known) continue;
        flow->info[entry].low += flow->info[edge].low;
        if (--flow->edge[entry].waits == 0) flow->entered[flow->entries++] = entry;
    }
}

static PFC__QUIET void pfc__edge_unknown(pfc__flow_t *flow, pfc__u32 edge, pfc__u32 vertex)
{
    flow->vertex[vertex].unknown++;
    flow->vertex[vertex].edges ^= edge;
}

static PFC__QUIET void pfc__edge_removed(pfc__flow_t *flow, pfc__u32 edge, pfc__u32 vertex)
{
    flow->vertex[vertex].unknown--;
    flow->vertex[vertex].edges ^= edge;
    if (pfc__is_leaf(&flow->vertex[vertex])) flow->leaf[flow->leaves++] = vertex;
}

static PFC__QUIET void pfc__flow_block(pfc__flow_t *flow, pfc__u32 i)
{
    const pfc__block_t *b = &flow->block[i];
    if (pfc__in_graph(b)) flow->vertex[b->from].function = flow->vertex[b->to].function = b->function;
    if (pfc__in_graph(b) && b->kind == PFC__BLOCK_ENTRY) flow->vertex[b->from].outside = 1;
    if (pfc__in_graph(b) && b->kind == PFC__BLOCK_EXIT) flow->vertex[b->to].outside = 1;
    if (flow->info[i].counted) pfc__edge_known(flow, i, PFC__HAS_COUNTER);
    else pfc__edge_unknown(flow, i, b->from), pfc__edge_unknown(flow, i, b->to);
}

/* A leaf's only unknown edge balances it. */
static PFC__QUIET void pfc__flow_leaf(pfc__flow_t *flow, pfc__u32 at)
{
    pfc__u32 edge = flow->vertex[at].edges;
    const pfc__block_t *b = &flow->block[edge];
    int in = b->to == at;
    if (!pfc__is_leaf(&flow->vertex[at])) return;
    flow->info[edge].low = in ? 0 - flow->vertex[at].balance : flow->vertex[at].balance;
    pfc__edge_known(flow, edge, in ? PFC__FLOWS_IN : PFC__FLOWS_OUT);
    flow->edge[edge].stops = flow->vertex[at].stops;
    flow->edge[edge].begins = flow->vertex[at].begins;
    flow->edge[edge].entered = flow->vertex[at].entered;
    flow->vertex[in ? b->from : b->to].stops += flow->vertex[at].stops;
    flow->vertex[in ? b->from : b->to].begins += flow->vertex[at].begins;
    flow->vertex[in ? b->from : b->to].entered += flow->vertex[at].entered;
    flow->vertex[at].unknown = 0;
    pfc__edge_removed(flow, edge, in ? b->from : b->to);
}

static PFC__QUIET void pfc__flow_entered(pfc__flow_t *flow, pfc__u32 entry)
{
    if (flow->edge[entry].known) return;
    pfc__edge_known(flow, entry, PFC__BY_CALLS);
    flow->vertex[flow->block[entry].to].entered++;
    pfc__edge_removed(flow, entry, flow->block[entry].from);
    pfc__edge_removed(flow, entry, flow->block[entry].to);
}

/* NULL, or why the calls can't be those of these blocks. Those that tell of an entry with a counter aren't wanted. */
static PFC__QUIET const char *pfc__flow_callers(pfc__flow_t *flow)
{
    const pfc__caller_t *caller = flow->table->caller;
    pfc__u32 i, blocks = flow->table->blocks;
    for (i = 0; i < flow->table->callers; i++) {
        if (caller[i].entry >= blocks || caller[i].block >= blocks || flow->block[caller[i].entry].kind != PFC__BLOCK_ENTRY)
            return "its table of callers names blocks that it hasn't";
        if (flow->info[caller[i].entry].counted) continue;
        flow->edge[caller[i].entry].waits++;
        flow->next_call[i] = flow->edge[caller[i].block].call;
        flow->edge[caller[i].block].call = i + 1;
    }
    return 0;
}

static PFC__QUIET void pfc__flow_peel(pfc__flow_t *flow)
{
    pfc__u64 v;
    for (v = 0; v < flow->vertices; v++)
        if (pfc__is_leaf(&flow->vertex[v])) flow->leaf[flow->leaves++] = (pfc__u32)v;
    while (flow->leaves || flow->entries) {
        if (flow->leaves) pfc__flow_leaf(flow, flow->leaf[--flow->leaves]);
        else pfc__flow_entered(flow, flow->entered[--flow->entries]);
    }
}
