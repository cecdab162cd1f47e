/* ------------------------------------------------ model, counts (impl) ---
   What instrumented units say of their functions and blocks, and how often each was entered. */

/* ---- units */

static PFC__QUIET int pfc__table_fits(const pfc__part_t *part, pfc__u64 place, pfc__u64 n, pfc__u64 bytes)
{
    pfc__u64 size = part->end - part->begin;
    return place <= size && n <= (size - place) / bytes;
}

/* Its tables begin behind it: that tells how much of it there is in an older file. */
static PFC__QUIET int pfc__unit_read(const pfc__build_t *b, const pfc__part_t *part, pfc__unit_record_t *u)
{
    pfc__u64 bytes;
    memset(u, 0, sizeof *u);
    memcpy(u, b->image->bytes + part->at, PFC__UNIT_RECORD_LEAST);
    bytes = u->file_table - (part->at - part->begin);
    if (bytes > sizeof *u) bytes = sizeof *u;
    if (bytes > PFC__UNIT_RECORD_LEAST && bytes <= part->end - part->at) memcpy(u, b->image->bytes + part->at, (size_t)bytes);
    if (pfc__table_fits(part, u->file_table, u->files, sizeof(pfc__u64)) &&
        pfc__table_fits(part, u->function_table, u->functions, sizeof(pfc__function_t)) &&
        (u->packed ? pfc__table_fits(part, u->packed_table, u->packed, 1) && u->blocks <= u->packed
                   : pfc__table_fits(part, u->block_table, u->blocks, sizeof(pfc__block_t))) &&
        pfc__table_fits(part, u->gap_table, u->gaps, sizeof(pfc__gap_t)) &&
        pfc__table_fits(part, u->stop_table, u->stops, sizeof(pfc__stop_t)) && pfc__table_fits(part, u->name_table, u->names, 1) &&
        (!u->names || !b->image->bytes[part->begin + u->name_table + u->names - 1]) &&
        pfc__table_fits(part, u->holder_table, u->holder_table ? u->functions : 0, sizeof(pfc__u64)) &&
        pfc__table_fits(part, u->caller_table, u->callers, sizeof(pfc__caller_t)) &&
        pfc__table_fits(part, u->summed_table, u->summed_table ? u->counters : 0, 1)) return 1;
    return pfc__damaged(b->image, part->begin, "tables of a unit");
}

static PFC__QUIET int pfc__unit_room(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u64 units = 0, files = 0, functions = 0, blocks = 0, gaps = 0;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        pfc__unit_record_t u;
        if (image->part[k].kind != PFC__UNIT || !image->part[k].count) continue;
        if (!pfc__unit_read(b, &image->part[k], &u)) return 0;
        units++;
        files += u.files;
        functions += u.functions;
        blocks += u.blocks;
        gaps += u.gaps;
    }
    if (units >= PFC_NONE || files >= PFC_NONE || functions >= PFC_NONE)
        return pfc__refuse(image, "has more than 2^32 functions; instrument fewer");
    p->unit = (pfc_unit_info_t *)pfc__room(image, units, sizeof *p->unit);
    p->source = (pfc_source_info_t *)pfc__room(image, files, sizeof *p->source);
    p->function = (pfc_function_info_t *)pfc__room(image, functions, sizeof *p->function);
    p->block = (pfc_block_info_t *)pfc__room(image, blocks, sizeof *p->block);
    p->gap = (pfc_gap_info_t *)pfc__room(image, gaps, sizeof *p->gap);
    b->unit_id = (pfc__u32 *)pfc__room(image, units, sizeof *b->unit_id);
    b->unit_part = (pfc__u64 *)pfc__room(image, units, sizeof *b->unit_part);
    b->unit_counter = (pfc__u64 *)pfc__room(image, units + 1, sizeof *b->unit_counter);
    return p->unit && p->source && p->function && p->block && p->gap && b->unit_id && b->unit_part && b->unit_counter;
}

/* A string of a table of their offsets; NULL: damaged. */
static PFC__QUIET const char *pfc__unit_text(pfc__build_t *b, const pfc__part_t *part, pfc__u64 table, pfc__u32 i)
{
    pfc__u64 text;
    memcpy(&text, b->image->bytes + part->begin + table + i * sizeof text, sizeof text);
    return pfc__text(b->image, text);
}

static PFC__QUIET int pfc__unit_sources(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__u32 i;
    for (i = 0; i < u->files; i++) {
        p->source[p->sources].unit = p->units;
        p->source[p->sources].name = pfc__unit_text(b, part, u->file_table, i);
        if (!p->source[p->sources++].name) return 0;
    }
    return 1;
}

static PFC__QUIET int pfc__unit_functions(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__u32 i;
    for (i = 0; i < u->functions; i++) {
        pfc__function_t f;
        pfc_function_info_t *info = &p->function[p->functions++];
        memcpy(&f, b->image->bytes + part->begin + u->function_table + i * sizeof f, sizeof f);
        info->name = pfc__text(b->image, (pfc__u64)(pfc__uptr)f.name);
        info->unit = p->units;
        info->file = p->unit[p->units].file + f.file;
        info->line = f.line;
        info->line_end = f.line_end;
        info->flags = f.flags;
        info->region = PFC_NONE;
        if (!info->name) return 0;
        if (f.file >= u->files) return pfc__damaged(b->image, part->begin, "functions of a unit");
    }
    return 1;
}

/* In which functions its PFC_HITs stand. */
static PFC__QUIET int pfc__unit_holders(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_function_info_t *function = &b->p->function[b->p->unit[b->p->units].function];
    pfc__u32 i;
    for (i = 0; u->holder_table && i < u->functions; i++) {
        function[i].holder = pfc__unit_text(b, part, u->holder_table, i);
        if (!function[i].holder) return 0;
    }
    return 1;
}

static PFC__QUIET int pfc__unit_blocks(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__block_cursor_t at = pfc__blocks_begin(u, b->image->bytes + part->begin);
    pfc__u32 i;
    for (i = 0; i < u->blocks; i++) {
        pfc__block_t block;
        pfc_block_info_t *info = &p->block[p->blocks++];
        if (!pfc__block_next(&at, &block)) return pfc__damaged(b->image, part->begin, "blocks of a unit");
        info->function = p->unit[p->units].function + block.function;
        info->file = p->unit[p->units].file + block.file;
        info->line = block.line;
        info->line_end = block.line_end;
        info->column = block.column;
        info->kind = block.kind & ~(pfc__u32)PFC__BLOCK_AMID;
        info->amid = (block.kind & PFC__BLOCK_AMID) != 0;
        info->counted = block.counter != PFC__NO_COUNTER;
        if (block.function >= u->functions || block.file >= u->files || (info->counted && block.counter >= u->counters))
            return pfc__damaged(b->image, part->begin, "blocks of a unit");
    }
    return 1;
}

static PFC__QUIET int pfc__unit_gaps(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__u64 i;
    for (i = 0; i < u->gaps; i++) {
        pfc__gap_t gap;
        pfc_gap_info_t *info = &p->gap[p->gaps++];
        memcpy(&gap, b->image->bytes + part->begin + u->gap_table + i * sizeof gap, sizeof gap);
        info->file = p->unit[p->units].file + gap.file;
        info->line = gap.line;
        info->line_end = gap.line_end;
        if (gap.file >= u->files) return pfc__damaged(b->image, part->begin, "gaps of a unit");
    }
    return 1;
}

static PFC__QUIET int pfc__build_units(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    size_t k;
    if (!pfc__unit_room(b)) return 0;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc_unit_info_t *info = &p->unit[p->units];
        pfc__unit_record_t u;
        if (part->kind != PFC__UNIT || !part->count) continue;
        if (!pfc__unit_read(b, part, &u)) return 0;
        if (p->units && part->owner <= b->unit_id[p->units - 1]) return pfc__damaged(image, part->begin, "number of a unit");
        b->unit_id[p->units] = part->owner;
        b->unit_part[p->units] = k;
        info->name = pfc__text(image, u.name);
        info->directory = pfc__text(image, u.directory);
        info->compiler = pfc__text(image, u.compiler);
        info->file = p->sources;
        info->files = u.files;
        info->function = p->functions;
        info->functions = u.functions;
        info->block = p->blocks;
        info->blocks = u.blocks;
        info->counters = u.counters;
        info->gap = p->gaps;
        info->gaps = u.gaps;
        info->trouble = "";
        if (!info->name || !info->directory || !info->compiler || !pfc__unit_sources(b, part, &u) ||
            !pfc__unit_functions(b, part, &u) || !pfc__unit_holders(b, part, &u) ||
            !pfc__unit_blocks(b, part, &u) || !pfc__unit_gaps(b, part, &u)) return 0;
        p->units++;
    }
    return 1;
}

/* ---- counters */

/* Sums the threads' arrays. What no array holds was never hit. */
static PFC__QUIET int pfc__build_counters(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc__u64 *begin = b->unit_counter, i;
    pfc__u32 u, units = b->p->units;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__COUNTERS || (u = pfc__unit_index(b, part->owner)) == PFC_NONE) continue;
        if (part->count > begin[u + 1]) begin[u + 1] = part->count;
    }
    for (u = 0; u < units; u++) {
        if (begin[u + 1] > b->p->unit[u].counters) begin[u + 1] = b->p->unit[u].counters;
        begin[u + 1] += begin[u];
    }
    b->counter = (pfc__u64 *)pfc__room(image, begin[units], sizeof *b->counter);
    b->counter_function = (pfc__u32 *)pfc__room(image, begin[units], sizeof *b->counter_function);
    b->counter_summed = (unsigned char *)pfc__room(image, begin[units], 1);
    if (!b->counter || !b->counter_function || !b->counter_summed) return 0;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__COUNTERS || (u = pfc__unit_index(b, part->owner)) == PFC_NONE) continue;
        for (i = 0; i < part->count && i < begin[u + 1] - begin[u]; i++) {
            pfc__u64 value;
            pfc__element(image, part, i, &value, sizeof value);
            b->counter[begin[u] + i] += value;
        }
    }
    return 1;
}

/* Gives the blocks with a counter their counts, and the functions theirs. */
static PFC__QUIET void pfc__unit_count(pfc__build_t *b, pfc__u32 unit, const pfc__block_t *block)
{
    pfc_unit_info_t *u = &b->p->unit[unit];
    pfc__u64 base = b->unit_counter[unit], n = b->unit_counter[unit + 1] - base, i;
    for (i = 0; i < n; i++) b->counter_function[base + i] = PFC_NONE;
    for (i = 0; i < u->blocks; i++) {
        pfc_block_info_t *info = &b->p->block[u->block + i];
        pfc__u64 at = block[i].counter;
        if (!info->counted || at >= n) continue;
        info->low = b->counter[base + at];
        if (b->counter_function[base + at] == PFC_NONE) b->counter_function[base + at] = info->function;
    }
    for (i = 0; i < n; i++) {
        pfc__u64 hits = b->counter[base + i];
        pfc__u32 f = b->counter_function[base + i];
        if (f != PFC_NONE) b->p->function[f].hits += hits;
        u->hits += hits;
        b->p->hits += hits;
    }
}

/* Threads that may be in a function that always returns: stopped there, or still running. */
static PFC__QUIET int pfc__is_in_flight(const pfc__build_t *b, const pfc__thread_t *t)
{
    if (t->state == PFC__ENDED) return 0;
    if (pfc__is_over(b) && t->tick_end == b->image->header.tick_end) return 0; /* it ended the run */
    return t->state != PFC__WAITING || !(pfc__is_over(b) || b->p->run == PFC_DIED);
}

/* All of them. One that called exit, _exit or exec was in functions only that may not return, and so count their exits, too,
   unless it did so in a signal's handler, which may have interrupted any function. */
static PFC__QUIET pfc__u32 pfc__in_flight(const pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    int is_old = h->header_bytes <= offsetof(pfc__header_t, amid); /* _exit may have been called by a handler */
    pfc__u32 i, n = 0, amid = is_old ? h->left == PFC__LEFT_BY_EXIT : h->amid != 0;
    for (i = 0; i < b->p->threads; i++) n += (pfc__u32)pfc__is_in_flight(b, &b->thread[i]);
    if (pfc__is_over(b)) return n + amid;
    if (h->left && !amid) return n ? n - 1 : 0;
    if (n || (b->p->threads && b->p->run == PFC_DIED)) return n;
    return 1; /* which has no record yet */
}

static PFC__QUIET int pfc__build_inherited(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc__u32 u;
    pfc__u64 i;
    size_t k;
    b->facts = (pfc__facts_t *)pfc__room(image, b->p->functions, sizeof *b->facts);
    if (!b->facts) return 0;
    for (i = 0; i < b->p->functions; i++) b->facts[i].flags = b->p->function[i].flags;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__INHERITED || (u = pfc__unit_index(b, part->owner)) == PFC_NONE) continue;
        for (i = 0; i < part->count && i < b->p->unit[u].functions; i++)
            pfc__element(image, part, i, &b->facts[b->p->unit[u].function + i].inherited, sizeof(pfc__u64));
    }
    return 1;
}

/* A unit's record, and own copies of its tables, to be freed in any case. */
static PFC__QUIET int pfc__unit_tables_read(pfc__build_t *b, pfc__u32 unit, pfc__unit_record_t *u, pfc__unit_tables_t *table)
{
    const pfc_unit_info_t *info = &b->p->unit[unit];
    const pfc__part_t *part = &b->image->part[b->unit_part[unit]];
    const unsigned char *tables = b->image->bytes + part->begin;
    pfc__block_cursor_t at;
    memset(table, 0, sizeof *table);
    if (!pfc__unit_read(b, part, u) || u->blocks != info->blocks) return 0;
    table->block = (pfc__block_t *)pfc__room(b->image, u->blocks, sizeof *table->block);
    table->caller = (pfc__caller_t *)pfc__room(b->image, u->callers, sizeof *table->caller);
    if (!table->block || !table->caller) return 0;
    at = pfc__blocks_begin(u, tables);
    while (table->blocks < u->blocks && pfc__block_next(&at, &table->block[table->blocks])) table->blocks++;
    if (u->callers) memcpy(table->caller, tables + u->caller_table, (size_t)u->callers * sizeof *table->caller);
    table->function = &b->facts[info->function];
    table->functions = info->functions;
    table->callers = (pfc__u32)u->callers;
    return 1;
}

static PFC__QUIET void pfc__unit_tables_free(pfc__unit_tables_t *table)
{
    free(table->block);
    free(table->caller);
}

/* Which of its counters are turns of loops, which cost nothing. */
static PFC__QUIET void pfc__unit_summed(pfc__build_t *b, pfc__u32 unit, const pfc__unit_record_t *u)
{
    const pfc__part_t *part = &b->image->part[b->unit_part[unit]];
    pfc__u64 first = b->unit_counter[unit], counters = b->unit_counter[unit + 1] - first;
    if (u->summed_table) memcpy(b->counter_summed + first, b->image->bytes + part->begin + u->summed_table, (size_t)counters);
}

static PFC__QUIET int pfc__unit_complete(pfc__build_t *b, pfc__u32 unit)
{
    pfc_unit_info_t *info = &b->p->unit[unit];
    pfc__unit_record_t u;
    pfc__unit_tables_t table;
    const char *trouble;
    int done = pfc__unit_tables_read(b, unit, &u, &table);
    if (done) {
        pfc__unit_summed(b, unit, &u);
        pfc__unit_count(b, unit, table.block);
        trouble = pfc__complete(&table, &b->p->block[info->block], pfc__in_flight(b));
        if (trouble) info->trouble = trouble;
    }
    pfc__unit_tables_free(&table);
    return done;
}

static PFC__QUIET int pfc__compare_regions(const void *a, const void *b)
{
    return pfc_region_order(*(const pfc_region_info_t *const *)a, *(const pfc_region_info_t *const *)b);
}

/* Functions are regions too when they are timed: the same name in the same file. What PFC_HIT counts is its function's. */
static PFC__QUIET int pfc__build_function_regions(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    pfc_region_info_t **sorted = (pfc_region_info_t **)pfc__room(b->image, p->regions, sizeof *sorted);
    size_t i;
    pfc__u32 f;
    if (!sorted) return 0;
    for (i = 0; i < p->regions; i++) sorted[i] = &p->region[i];
    qsort(sorted, p->regions, sizeof *sorted, pfc__compare_regions);
    for (f = 0; f < p->functions; f++) {
        pfc_region_info_t key, *wanted = &key, **found;
        key.name = p->function[f].holder ? p->function[f].holder : p->function[f].name;
        key.file = p->source[p->function[f].file].name;
        key.kind = PFC__FUNCTION;
        found = (pfc_region_info_t **)bsearch(&wanted, sorted, p->regions, sizeof *sorted, pfc__compare_regions);
        if (found) p->function[f].region = (pfc__u32)(*found - p->region);
    }
    free(sorted);
    return 1;
}

static PFC__QUIET int pfc__build_counts(pfc__build_t *b)
{
    pfc__u32 u;
    if (!pfc__build_units(b) || !pfc__build_counters(b) || !pfc__build_inherited(b)) return 0;
    for (u = 0; u < b->p->units; u++)
        if (!pfc__unit_complete(b, u)) return 0;
    return pfc__build_function_regions(b);
}
