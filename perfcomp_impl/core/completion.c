/* ----------------------------------------------------- completion (impl) ---
   The counts of one unit: how often each of its blocks ran. */

/* Why a table can't be completed; NULL: it can. */
static PFC__QUIET const char *pfc__flow_trouble(const pfc__flow_t *flow)
{
    pfc__u32 i;
    for (i = 0; i < flow->table->functions; i++)
        if (flow->activity[i].completed && flow->activity[i].blind && (flow->table->function[i].flags & PFC__MAY_NOT_RETURN))
            return "a function that calls others has no counter for its entries or its exits";
    for (i = 0; i < flow->table->blocks; i++)
        if (!flow->edge[i].known) return "its counters leave blocks undetermined";
    return 0;
}

/* Where activations may have ended, or begun, as far as it is known. */
static PFC__QUIET void pfc__flow_stops(pfc__flow_t *flow)
{
    pfc__u64 v;
    for (v = 1; flow->table->stops && v < flow->vertices; v++) {
        pfc__vertex_t *vertex = &flow->vertex[v];
        int hides = vertex->unknown && !vertex->outside;
        vertex->shows = !vertex->unknown && !vertex->outside;
        vertex->stops = hides && flow->table->stops[v] & PFC__MAY_END;
        vertex->begins = hides && flow->table->stops[v] & PFC__MAY_BEGIN;
        flow->activity[vertex->function].stops += vertex->stops;
        flow->activity[vertex->function].begins += vertex->begins;
    }
}

static PFC__QUIET const char *pfc__flow_run(pfc__flow_t *flow, pfc__u32 in_flight)
{
    const char *trouble;
    pfc__u32 i, blocks = flow->table->blocks;
    for (i = 0; i < blocks; i++)
        if (flow->block[i].from >= flow->vertices || flow->block[i].to >= flow->vertices)
            return "its vertices aren't numbered densely";
    trouble = pfc__flow_callers(flow);
    if (trouble) return trouble;
    flow->vertex[0].outside = 1;
    for (i = 0; i < blocks; i++) pfc__flow_block(flow, i);
    pfc__flow_stops(flow);
    pfc__flow_peel(flow);
    pfc__activity_gather(flow);
    trouble = pfc__flow_trouble(flow);
    if (!trouble) pfc__flow_intervals(flow, in_flight);
    return trouble;
}

static PFC__QUIET int pfc__flow_room(pfc__flow_t *flow)
{
    size_t blocks = flow->table->blocks, vertices = pfc__vertices(flow->table);
    flow->vertices = vertices;
    flow->vertex = (pfc__vertex_t *)calloc(vertices, sizeof *flow->vertex);
    flow->leaf = (pfc__u32 *)calloc(vertices, sizeof *flow->leaf);
    flow->edge = (pfc__flow_edge_t *)calloc(blocks + 1, sizeof *flow->edge);
    flow->entered = (pfc__u32 *)calloc(blocks + 1, sizeof *flow->entered);
    flow->next_call = (pfc__u32 *)calloc((size_t)flow->table->callers + 1, sizeof *flow->next_call);
    flow->through = (pfc__through_t *)calloc(vertices, sizeof *flow->through);
    flow->activity = (pfc__activity_t *)calloc((size_t)flow->table->functions + 1, sizeof *flow->activity);
    flow->ready = (pfc__u32 *)calloc((size_t)flow->table->functions + 1, sizeof *flow->ready);
    return flow->vertex && flow->leaf && flow->edge && flow->entered && flow->next_call && flow->through && flow->activity && flow->ready;
}

static PFC__QUIET void pfc__flow_free(pfc__flow_t *flow)
{
    free(flow->vertex);
    free(flow->leaf);
    free(flow->edge);
    free(flow->entered);
    free(flow->next_call);
    free(flow->through);
    free(flow->activity);
    free(flow->ready);
}

/* Completes the counts of one unit. In: info[i].counted, and .low, which is 0 where that is. Out: .low and .high of all.
   `in_flight`: so many threads were stopped in the middle, or went on while the counters were read, so that small
   contradictions are no error but widen the intervals.
   NULL, or why it can't be done: then the blocks without a counter are unknown. */
static PFC__QUIET const char *pfc__complete(const pfc__unit_tables_t *table, pfc_block_info_t *info, pfc__u32 in_flight)
{
    pfc__flow_t flow;
    const char *trouble;
    pfc__u32 i;
    memset(&flow, 0, sizeof flow);
    flow.table = table;
    flow.block = table->block;
    flow.info = info;
    trouble = pfc__flow_room(&flow) ? pfc__flow_run(&flow, in_flight) : "not enough memory to complete it";
    pfc__flow_free(&flow);
    for (i = 0; trouble && i < table->blocks; i++) pfc__count_unknown(&info[i]);
    return trouble;
}
