/* --------------------------------------------------------- named (impl) ---
   Counters that the program has named itself, by PFC_HIT: few, and kept where
   nobody asks for blocks. One of several units, as of a header's inline function,
   of several instances of a template, or of several processes, is one. */

static PFC__QUIET int pfc__compare_counters(const void *a, const void *b)
{
    const pfc_counter_info_t *x = (const pfc_counter_info_t *)a, *y = (const pfc_counter_info_t *)b;
    int order = strcmp(x->file, y->file);
    if (!order) order = strcmp(x->name, y->name);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static PFC__QUIET void pfc__counters_sum(pfc_profile_t *p)
{
    size_t i, n = 0;
    qsort(p->counter, p->counters, sizeof *p->counter, pfc__compare_counters);
    for (i = 0; i < p->counters; i++) {
        if (n && !pfc__compare_counters(&p->counter[n - 1], &p->counter[i])) p->counter[n - 1].count += p->counter[i].count;
        else p->counter[n++] = p->counter[i];
    }
    p->counters = n;
}

static PFC__QUIET int pfc__build_named(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    size_t i, n = 0;
    for (i = 0; i < p->blocks; i++) n += p->block[i].kind == PFC__BLOCK_HIT;
    p->counter = (pfc_counter_info_t *)pfc__room(b->image, n, sizeof *p->counter);
    if (!p->counter) return 0;
    for (i = 0; i < p->blocks; i++) {
        const pfc_block_info_t *block = &p->block[i];
        pfc_counter_info_t *c = &p->counter[p->counters];
        if (block->kind != PFC__BLOCK_HIT) continue;
        c->name = p->function[block->function].name;
        c->function = p->function[block->function].holder;
        c->file = p->source[block->file].name;
        c->line = block->line;
        c->count = block->low;
        p->counters++;
    }
    pfc__counters_sum(p);
    return 1;
}

static PFC__QUIET int pfc__merge_named(pfc_profile_t *p, const pfc_profile_t *const *from, size_t n)
{
    size_t k, all = 0;
    for (k = 0; k < n; k++) all += from[k]->counters;
    p->counter = (pfc_counter_info_t *)calloc(all + 1, sizeof *p->counter);
    if (!p->counter) return 0;
    for (k = 0; k < n; k++) {
        if (from[k]->counters) memcpy(p->counter + p->counters, from[k]->counter, from[k]->counters * sizeof *p->counter);
        p->counters += from[k]->counters;
    }
    pfc__counters_sum(p);
    return 1;
}
