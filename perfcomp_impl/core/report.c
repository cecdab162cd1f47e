/* ------------------------------------------------- report, text (impl) ---
   For people: what ran, what instrumentation did to it, and where the time went. */

/* ---- one process: what ran, and how */

static PFC__QUIET void pfc__print_run(FILE *f, const pfc_profile_t *p)
{
    double unit, passed = pfc__ticks(p->last_utc_ns, p->begin_utc_ns);
    const char *name = pfc__time_unit(passed, &unit);
    if (p->run == PFC_ENDED) { fprintf(f, "ended after %.3f %s", p->total.ct / unit, name); return; }
    if (p->run == PFC_DIED && p->left) {
        fprintf(f, "%s after %.3f %s", p->left == PFC__LEFT_BY_EXIT ? "ended without exit handlers (_exit)" : "became another program (exec)", passed / unit, name);
        return;
    }
    if (p->run == PFC_RUNNING) fprintf(f, "still running, %.3f %s after its start", passed / unit, name);
    else {
        fprintf(f, "%s; last sign of life %.3f %s after its start, ", p->run == PFC_DIED ? "died without an end" :
                "not ended; whether it still runs only its own host can tell", passed / unit, name);
        pfc__print_utc(f, p->last_utc_ns);
    }
}

static PFC__QUIET void pfc__print_line(FILE *f, const char *title, const char *text)
{
    if (!*text) return;
    fputs(title, f);
    pfc_print_text(f, text);
    putc('\n', f);
}

/* Where a program is that runs, or was when it died: the open regions of each thread. */
static PFC__QUIET void pfc__print_now(FILE *f, const pfc_profile_t *p)
{
    enum { MOST = 8, PATH = 15 };
    pfc__u32 t, shown = 0, more = 0;
    for (t = 0; t < p->threads; t++) {
        const pfc_thread_info_t *thread = &p->thread[t];
        if (thread->ended || thread->now == PFC_NONE || p->path[thread->now].parent == PFC_NONE) continue;
        if (shown == MOST) { more++; continue; }
        fputs(shown++ ? "             " : p->run == PFC_DIED ? "  was in     " : "  is in      ", f);
        if (t) fprintf(f, "thread %u: ", thread->id);
        pfc_print_path(f, p, thread->now, PATH);
        putc('\n', f);
    }
    if (more) fprintf(f, "             … and %u more %s\n", more, pfc__plural(more, "thread", "threads"));
}

static PFC__QUIET void pfc__print_service(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    FILE *f = page->file;
    pfc__style(page, "1");
    fputs("perfcomp  ", f);
    pfc__print_short(f, *p->command ? p->command : *p->executable ? p->executable : p->file);
    pfc__style(page, "0");
    fprintf(f, "\n  process    rank %u of %u, pid %" PRId64, p->rank, p->size, p->pid);
    if (p->forked) fprintf(f, " (forked from %" PRId64 ")", p->parent_pid);
    fputs(", ", f);
    pfc__print_run(f, p);
    putc('\n', f);
    if (p->run != PFC_ENDED) pfc__print_now(f, p);
    pfc__print_line(f, "  host       ", *p->host ? p->host : "?");
    fputs("  started    ", f);
    pfc__print_utc(f, p->begin_utc_ns);
    putc('\n', f);
    pfc__print_line(f, "  folder     ", p->directory);
    pfc__print_line(f, "  compiler   ", p->compiler);
    fputs("  clock      ", f);
    pfc_print_text(f, *p->clock ? p->clock : "?");
    if (p->ticks_per_ns != 1) fprintf(f, ", %.6f GHz", p->ticks_per_ns);
    if (*p->clock_reason) fputs(" (", f), pfc_print_text(f, p->clock_reason), putc(')', f);
    putc('\n', f);
}

/* ---- what instrumentation did to the run */

/* The budget is timing's: that every entry is counted all the same can take more. */
static PFC__QUIET void pfc__print_budget(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    double counting = pfc__share_of((double)p->lights * p->cost.light, p->sum.ct);
    if (p->budget > 0 && counting > p->budget)
        fprintf(page->file, "  budget           %.3g %% is for timing; counting the untimed entries took %.1f %% of the run:\n"
                            "                   functions that needn't be timed, perfcomp filter names for a second build\n",
                100 * p->budget, 100 * counting);
}

static PFC__QUIET void pfc__print_costs(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    const pfc__cost_t *c = &p->cost;
    FILE *f = page->file;
    double overhead = p->sum.ct - p->sum.lt - p->delay_in;
    pfc_time_t measured = p->total;
    double unit = page->unit;
    const char *name = page->unit_name;
    fprintf(f, "  measured         %.6f %s\n", measured.ct / unit, name);
    if (!p->compensated) fprintf(f, "  undisturbed      not computed: PERFCOMP_COMPENSATE=0\n");
    else {
        fprintf(f, "  undisturbed      %.6f ± %.6f %s\n", measured.lt / unit, measured.u / unit, name);
        fprintf(f, "  instrumentation  %.2f %% of the run: %.6f %s", 100 * pfc__share_of(overhead, p->sum.ct), overhead / unit, name);
        if (p->threads > 1) fputs(" summed over all threads", f); /* of all processes */
        if (p->start_ns > 0.1 * overhead) fprintf(f, "; %.6f of it at the start", p->start_ns / unit);
        if (p->delay_in < 0 || p->delay_in > 0) fprintf(f, "; waits for others changed by %+.6f", p->delay_in / unit);
        putc('\n', f);
    }
    if (c->dilation >= 1.05) fprintf(f, "  processor        shared with others: 1 s of work took %.2f s here, and probes are charged by that\n", c->dilation);
    fprintf(f, "  null probe       %.2f ± %.2f ns, of them %.2f ± %.2f inside the region", c->pair, c->pair_spread, c->inside, c->inside_spread);
    if (p->lights) fprintf(f, "; untimed %.2f ± %.2f ns", c->light, c->light_spread);
    if (c->windows > 0) fprintf(f, "\n                   (measured in %.0f stretches of this run; alone it would be %.2f ns)", c->windows, c->empty_pair);
    if (p->scale > 0) fprintf(f, "\n                   (%.3f ± %.3f times what the run can see of it: PERFCOMP_SCALE)", p->scale, p->scale_doubt);
    fprintf(f, "\n  operations       ");
    pfc__print_count(f, p->pairs, 0);
    fputs(pfc__plural(p->pairs, " region entered and left", " regions entered and left"), f);
    if (p->lights) fputs(", ", f), pfc__print_count(f, p->lights, 0), fputs(" more untimed", f);
    if (p->hits) {
        fputs(", ", f);
        pfc__print_count(f, p->hits, 0);
        fprintf(f, " %s counted at %.2f ± %.2f ns", pfc__plural(p->hits, "block", "blocks"), c->hit, c->hit_spread);
    }
    if (p->atomic_hits) {
        fputs(", of them ", f);
        pfc__print_count(f, p->atomic_hits, 0);
        fprintf(f, " atomically at %.2f ± %.2f ns", p->atomic_hit, p->atomic_hit_spread);
    }
    if (p->summed_hits) {
        fputs("\n                   (", f);
        pfc__print_count(f, p->summed_hits, 0);
        fputs(" of them turns of loops that the compiler counts in a register: next to nothing)", f);
    }
    if (fabs(p->fetch) >= .005) fprintf(f, "\n                   (in %.0f entries of functions that first find their thread's counters, at %.2f ± %.2f ns)",
                                        p->fetches, p->fetch, p->fetch_spread);
    putc('\n', f);
    pfc__print_budget(page);
}

static PFC__QUIET void pfc__print_place(FILE *f, const pfc_region_info_t *r)
{
    pfc_print_text(f, r->name);
    if (!*r->file) return;
    fputs("  ", f);
    pfc_print_text(f, r->file);
    if (r->line) fprintf(f, ":%u", r->line);
}

static PFC__QUIET void pfc__print_remark(const pfc__page_t *page, uint64_t n, const char *one, const char *many)
{
    if (!n) return;
    fputs("  - ", page->file);
    pfc__print_count(page->file, n, 0);
    fprintf(page->file, " %s\n", pfc__plural(n, one, many));
}

/* Where to look; nothing where it isn't known. */
static PFC__QUIET void pfc__print_first(const pfc__page_t *page, uint32_t region)
{
    const pfc_region_info_t *r = &page->p->region[region];
    if (!region) return;
    fputs("    The first: ", page->file);
    pfc__print_place(page->file, r);
    putc('\n', page->file);
}

/* Timing takes a fifth; and it is perfcomp-cc that times, not the source by itself. */
static PFC__QUIET int pfc__better_filtered(const pfc_profile_t *p, const pfc_profile_t *one)
{
    pfc__u32 i = 0;
    while (i < one->functions && !(one->function[i].flags & PFC__TIMED)) i++;
    return i < one->functions && (double)p->pairs * p->cost.pair > .2 * p->sum.lt;
}

#define PFC__UNTOUCHED_NAMED 5

/* Functions that perfcomp-cc had to leave as they are, by name the first of them. */
static PFC__QUIET void pfc__print_untouched(const pfc__page_t *page, const pfc_profile_t *one)
{
    FILE *f = page->file;
    pfc__u32 i, n = 0;
    for (i = 0; i < one->functions; i++) {
        const pfc_function_info_t *function = &one->function[i];
        if (!(function->flags & PFC__UNTOUCHED) || n++ >= PFC__UNTOUCHED_NAMED) continue;
        fputs(n > 1 ? ", " : "  - Not instrumented, so that their time is their callers' and their blocks have no counts:\n    ", f);
        pfc_print_text(f, function->name);
        fputs(" (", f);
        pfc_print_text(f, one->source[function->file].name);
        fprintf(f, ":%u)", function->line);
    }
    if (n > PFC__UNTOUCHED_NAMED) fprintf(f, ", and %u more, which perfcomp annotate shows", n - PFC__UNTOUCHED_NAMED);
    if (n) fputs(".\n", f);
}

/* What the numbers don't tell, or tell with a restriction. `one` is of those that are merged: only it knows functions. */
static PFC__QUIET void pfc__print_remarks(const pfc__page_t *page, const pfc_profile_t *one)
{
    const pfc_profile_t *p = page->p;
    FILE *f = page->file;
    size_t i;
    pfc__u32 u;
    pfc__heading(page, "\nWhat no subtraction mends, and what else to know");
    fputs("  - Instrumentation can keep the compiler from inlining and vectorising, and takes room in the caches.\n"
          "    Compare with a plain build: perfcomp check -- PLAIN-COMMAND -- INSTRUMENTED-COMMAND\n", f);
    if (pfc__better_filtered(p, one))
        fputs("  - Timing has slowed the program much. perfcomp filter names the functions of it that are better counted than\n"
              "    timed, for a second build with perfcomp-cc --filter.\n", f);
    if (p->hits && p->compensated) {
        fputs("  - Counted blocks: their cost is subtracted from the functions that hold them, over call paths by time", f);
        if (p->hits_spread) {
            fputs(";\n    ", f);
            pfc__print_count(f, p->hits_spread, 0);
            fputs(pfc__plural(p->hits_spread, " of them is in a function that isn't timed", " of them are in functions that aren't timed"), f);
            fputs(": spread by time over all regions but waits", f);
        }
        fputs(".\n", f);
    }
    if (p->lights) fputs("  - Some entries of hot regions were counted but not timed (PERFCOMP_BUDGET, or to learn what timing costs:\n    PERFCOMP_CONTEXT=off times all); these have the mean of the timed ones, and ± holds the 95 % interval.\n", f);
    if (one->mpi && p->cost.dilation >= 1.3 && p->compensated)
        fputs("  - Who waits for a rank that waits for its turn on a shared processor waits for what others do there, the layer's own\n"
              "    messages included: that isn't in ±. Run no more ranks than there are processors.\n", f);
    else if (one->threads > 1 && p->cost.dilation >= 1.3 && p->compensated)
        fputs("  - Who waits for a thread that waits for its turn on a shared processor waits for what others do there, and a thread\n"
              "    that spins meanwhile, as OpenMP's do, takes that processor: this isn't in ±. Run no more threads than there are\n"
              "    processors free; OMP_WAIT_POLICY=passive lets them sleep.\n", f);
    if (p->run != PFC_ENDED && !p->left)
        fputs("  - The run had not ended: what was just being counted or timed may be behind by some operations.\n", f);
    if (p->until_finalize)
        fputs("  - Profiles end at MPI_Finalize (PERFCOMP_MPI_MERGE): what the program did after it isn't in here.\n", f);
    pfc__print_remark(page, p->unwound, "region was left by longjmp, or by a missing exit: it ended when that was seen.",
                      "regions were left by longjmp, or by a missing exit: they ended when that was seen.");
    pfc__print_first(page, p->first_unwound);
    pfc__print_remark(page, p->unclosed, "region was begun, but not ended before the one around it ended (PFC_END is missing).",
                      "regions were begun, but not ended before the one around them ended (PFC_END is missing).");
    pfc__print_first(page, p->first_unclosed);
    pfc__print_remark(page, p->stray_ends, "end of a region that was not open was ignored (PFC_BEGIN is missing).",
                      "ends of regions that were not open were ignored (PFC_BEGIN is missing).");
    pfc__print_first(page, p->first_stray_end);
    pfc__print_remark(page, p->lost_regions, "region found no memory, and is counted as (overflow).",
                      "regions found no memory, and are counted as (overflow).");
    pfc__print_remark(page, p->lost_nodes, "entry found no memory for its call path, and is counted as (overflow).",
                      "entries found no memory for their call path, and are counted as (overflow).");
    pfc__print_remark(page, p->lost_units, "translation unit found no room: its counts are missing.",
                      "translation units found no room: their counts are missing.");
    pfc__print_remark(page, p->lost_threads, "thread found no room: its regions are missing.",
                      "threads found no room: their regions are missing.");
    pfc__print_remark(page, p->strays, "process was made without fork, by clone, _Fork or a bare call of the system: what it did before that was found is in here.",
                      "processes were made without fork, by clone, _Fork or a bare call of the system: what they did before that was found is in here.");
    if (p->slept > 0)
        fprintf(f, "  - Threads slept for %.6f %s where nobody knows for whom (pipes, input, locks inside of shared libraries): as far as\n"
                   "    that was for one another, the other's probes are in LT; the totals' ± holds them.\n", p->slept / page->unit, page->unit_name);
    pfc__print_untouched(page, one);
    for (u = 0; u < p->units; u++)
        if (*p->unit[u].trouble) {
            fputs("  - ", f);
            pfc_print_text(f, p->unit[u].name);
            fprintf(f, ": its block counts can't be completed, %s; compile it anew.\n", p->unit[u].trouble);
        }
    for (i = 0; i < p->notes; i++) {
        fputs("  - ", f);
        pfc_print_text(f, p->note[i]);
        if (p->noted && p->noted[i] > 1) fprintf(f, " (said by %u processes)", p->noted[i]);
        putc('\n', f);
    }
}

/* ---- tables */

static PFC__QUIET double pfc__instrumentation(const pfc_time_t *t) { return pfc__share_of(t->ct - t->lt, t->ct); }

/* Waits are seen apart from what they are counted for, so that of little time there may be any share. */
static PFC__QUIET void pfc__print_instrumentation(FILE *f, double share)
{
    if (fabs(share) < 10) fprintf(f, "%5.1f%%", 100 * share);
    else fputs(share > 0 ? " >999%" : "<-999%", f);
}

static PFC__QUIET void pfc__print_columns(const pfc__page_t *page, const char *last)
{
    char unit[16];
    snprintf(unit, sizeof unit, "[%s]", page->unit_name);
    pfc__style(page, "4");
    fprintf(page->file, "%*s", page->count_width, "calls");
    pfc__print_titles(page, "CT self|LT self|±");
    fprintf(page->file, " %6s", "instr");
    pfc__print_titles(page, "CT total|LT total|±");
    fprintf(page->file, " %6s  %s", "share", last);
    pfc__style(page, "0");
    fprintf(page->file, "  %s\n", unit);
}

static PFC__QUIET void pfc__print_measured(const pfc__page_t *page, const pfc_time_t *t)
{
    pfc__print_time(page, t->ct);
    pfc__print_time(page, t->lt);
    pfc__print_time(page, t->u);
}

static PFC__QUIET void pfc__print_stats(const pfc__page_t *page, const pfc_stats_t *s, const pfc_time_t *share)
{
    FILE *f = page->file;
    double instrumentation = pfc__instrumentation(&s->exclusive);
    pfc__print_count(f, s->count, page->count_width);
    pfc__print_measured(page, &s->exclusive);
    putc(' ', f);
    if (instrumentation > .5) pfc__style(page, "31");
    pfc__print_instrumentation(f, instrumentation);
    if (instrumentation > .5) pfc__style(page, "0");
    pfc__print_measured(page, &s->inclusive);
    fprintf(f, " %5.1f%%  ", 100 * pfc__share_of(share->lt, page->p->sum.lt));
}

static PFC__QUIET void pfc__print_region(const pfc__page_t *page, const pfc_region_info_t *r)
{
    FILE *f = page->file;
    pfc__print_place(f, r);
    if (r->stats.open && r->kind) fprintf(f, "  (%" PRIu64 " open)", r->stats.open);
    putc('\n', f);
}

static PFC__QUIET int pfc__compare_double(double a, double b) { return (a < b) - (a > b); }

static PFC__QUIET int pfc__compare_self(const void *a, const void *b)
{
    const pfc_region_info_t *x = *(const pfc_region_info_t *const *)a, *y = *(const pfc_region_info_t *const *)b;
    int order = pfc__compare_double(x->stats.exclusive.lt, y->stats.exclusive.lt);
    return order ? order : strcmp(x->name, y->name);
}

/* Far below zero is as much as far above: where it is left out, what stands in the table is more than the whole. */
static PFC__QUIET int pfc__compare_size(const void *a, const void *b)
{
    const pfc_region_info_t *x = *(const pfc_region_info_t *const *)a, *y = *(const pfc_region_info_t *const *)b;
    int order = pfc__compare_double(fabs(x->stats.exclusive.lt), fabs(y->stats.exclusive.lt));
    return order ? order : strcmp(x->name, y->name);
}

/* Probes only ever add to CT. What it has less of is waiting that instrumentation has shortened: for a lock, a thread, a rank. */
static PFC__QUIET int pfc__waited_less(const pfc_time_t *t) { return t->lt - t->ct > t->u && pfc__instrumentation(t) < -.05; }

enum { PFC__ROWS = 40 };

static PFC__QUIET void pfc__print_left_out(const pfc__page_t *page, size_t n, const char *one, const char *many)
{
    if (n) fprintf(page->file, "%*s %zu %s left out: perfcomp report --all\n", page->count_width + 2 /* bytes of one character */, "…", n, pfc__plural(n, one, many));
}

static PFC__QUIET void pfc__print_regions(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    const pfc_region_info_t **sorted = (const pfc_region_info_t **)calloc(p->regions + 1, sizeof *sorted);
    size_t i, n = 0, shown, shorter = 0, below = 0;
    if (!sorted) { fputs("perfcomp: not enough memory for the table of regions\n", page->file); return; }
    for (i = 0; i < p->regions; i++)
        if (p->region[i].stats.count || p->region[i].kind == 0) sorted[n++] = &p->region[i];
    shown = page->options->all || n < PFC__ROWS ? n : (size_t)PFC__ROWS;
    qsort(sorted, n, sizeof *sorted, pfc__compare_size);
    qsort(sorted, shown, sizeof *sorted, pfc__compare_self);
    pfc__heading(page, "\nRegions");
    pfc__print_columns(page, "region");
    for (i = 0; i < shown; i++) {
        pfc__print_stats(page, &sorted[i]->stats, &sorted[i]->stats.exclusive);
        pfc__print_region(page, sorted[i]);
        shorter += pfc__waited_less(&sorted[i]->stats.exclusive) != 0;
        below += sorted[i]->stats.exclusive.ct < 0;
    }
    pfc__print_left_out(page, n - shown, "region", "regions");
    if (below) fputs("  CT below zero: of the regions inside not every entry was timed, and those that were took longer; ± holds that.\n", page->file);
    if (shorter) fputs("  instr below zero: undisturbed it would have waited longer, for others that instrumentation has slowed less or not at all.\n", page->file);
    free(sorted);
}

/* ---- named counters */

static PFC__QUIET int pfc__compare_count(const void *a, const void *b)
{
    const pfc_counter_info_t *const *x = (const pfc_counter_info_t *const *)a, *const *y = (const pfc_counter_info_t *const *)b;
    int order = ((*x)->count < (*y)->count) - ((*x)->count > (*y)->count);
    return order ? order : (*x > *y) - (*x < *y);
}

static PFC__QUIET void pfc__print_counters(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    const pfc_counter_info_t **sorted = p->counters ? (const pfc_counter_info_t **)calloc(p->counters, sizeof *sorted) : 0;
    size_t i, shown = page->options->all || p->counters < PFC__ROWS ? p->counters : (size_t)PFC__ROWS;
    int width;
    if (!sorted) return;
    for (i = 0; i < p->counters; i++) sorted[i] = &p->counter[i];
    qsort(sorted, p->counters, sizeof *sorted, pfc__compare_count);
    pfc__heading(page, "\nCounters");
    width = pfc__count_width(shown ? sorted[0]->count : 0, "count");
    fprintf(page->file, "%*s  counter\n", width, "count");
    for (i = 0; i < shown; i++) {
        pfc__print_count(page->file, sorted[i]->count, width);
        fputs("  ", page->file);
        pfc_print_text(page->file, sorted[i]->name);
        fputs("  ", page->file);
        pfc_print_text(page->file, sorted[i]->file);
        fprintf(page->file, ":%u\n", sorted[i]->line);
    }
    pfc__print_left_out(page, p->counters - shown, "counter", "counters");
    free(sorted);
}

/* ---- tree: paths below one another, the longest first; without recursion, however deep it is */

typedef struct pfc__branch { const pfc_path_info_t *path; size_t index; } pfc__branch_t;

static PFC__QUIET int pfc__compare_branches(const void *a, const void *b)
{
    const pfc__branch_t *x = (const pfc__branch_t *)a, *y = (const pfc__branch_t *)b;
    int order = (x->path->parent > y->path->parent) - (x->path->parent < y->path->parent);
    if (!order) order = pfc__compare_double(x->path->stats.inclusive.lt, y->path->stats.inclusive.lt);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static PFC__QUIET void pfc__print_path(const pfc__page_t *page, const pfc_path_info_t *path)
{
    pfc__u32 depth = path->depth < 48 ? path->depth : 48;
    pfc__print_stats(page, &path->stats, &path->stats.inclusive);
    fprintf(page->file, "%*s", (int)depth * 2, "");
    if (path->depth > depth) fprintf(page->file, "[%u] ", path->depth);
    pfc_print_text(page->file, page->p->region[path->region].name);
    if (path->stats.open && path->parent != PFC_NONE) fprintf(page->file, "  (%" PRIu64 " open)", path->stats.open);
    putc('\n', page->file);
}

/* `first[i]` is where the children of path i begin among the sorted ones. */
static PFC__QUIET size_t pfc__print_branches(const pfc__page_t *page, const pfc__branch_t *sorted, const size_t *first, size_t *stack)
{
    const pfc_profile_t *p = page->p;
    double least = page->options->all ? -1 : 0.002 * p->sum.ct;
    size_t depth = 0, i, left_out = 0;
    for (i = p->paths; i-- > 0;)
        if (sorted[i].path->parent == PFC_NONE) stack[depth++] = i; /* the longest is on top: roots are sorted last */
    while (depth) {
        const pfc__branch_t *b = &sorted[stack[--depth]];
        size_t child;
        if (b->path->stats.inclusive.ct < least) { left_out += b->path->stats.count > 0; continue; }
        pfc__print_path(page, b->path);
        for (child = first[b->index + 1]; child-- > first[b->index];) stack[depth++] = child;
    }
    return left_out;
}

static PFC__QUIET void pfc__print_paths(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    pfc__branch_t *sorted = (pfc__branch_t *)calloc(p->paths + 1, sizeof *sorted);
    size_t *first = (size_t *)calloc(p->paths + 2, sizeof *first);
    size_t *stack = (size_t *)calloc(p->paths + 1, sizeof *stack), i;
    if (sorted && first && stack) {
        for (i = 0; i < p->paths; i++) {
            sorted[i].path = &p->path[i];
            sorted[i].index = i;
            if (p->path[i].parent != PFC_NONE) first[p->path[i].parent + 1]++;
        }
        for (i = 0; i <= p->paths; i++) first[i + 1] += first[i];
        qsort(sorted, p->paths, sizeof *sorted, pfc__compare_branches);
        pfc__heading(page, "\nCall paths");
        pfc__print_columns(page, "path");
        pfc__print_left_out(page, pfc__print_branches(page, sorted, first, stack), "short branch", "short branches");
    } else fputs("perfcomp: not enough memory for the tree of call paths\n", page->file);
    free(sorted);
    free(first);
    free(stack);
}

/* ---- several processes */

static PFC__QUIET int pfc__compare_lengths(const void *a, const void *b)
{
    return pfc__compare_double((*(const pfc_profile_t *const *)a)->total.ct, (*(const pfc_profile_t *const *)b)->total.ct);
}

/* Of many processes, those that ran the longest have a line: how long at least. */
static PFC__QUIET double pfc__shortest_shown(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_profile_t **sorted = page->options->all || n <= PFC__ROWS ? 0 : (const pfc_profile_t **)malloc(n * sizeof *sorted);
    double shortest = -1;
    if (!sorted) return shortest;
    memcpy(sorted, profiles, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, pfc__compare_lengths);
    shortest = sorted[PFC__ROWS - 1]->total.ct;
    free(sorted);
    return shortest;
}

static PFC__QUIET int pfc__compare_pids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Forked processes whose parent isn't here. It had a profile, which a later run has replaced, or somebody has removed. */
static PFC__QUIET size_t pfc__orphans(const pfc_profile_t *const *profiles, size_t n)
{
    int64_t *pid = (int64_t *)malloc(n * sizeof *pid);
    size_t i, orphans = 0;
    for (i = 0; pid && i < n; i++) pid[i] = profiles[i]->pid;
    if (pid) qsort(pid, n, sizeof *pid, pfc__compare_pids);
    for (i = 0; pid && i < n; i++)
        orphans += profiles[i]->forked && !bsearch(&profiles[i]->parent_pid, pid, n, sizeof *pid, pfc__compare_pids);
    free(pid);
    return orphans;
}

/* A job may be of several programs. */
static PFC__QUIET int pfc__one_command(const pfc_profile_t *const *profiles, size_t n)
{
    size_t i = 1;
    while (i < n && !strcmp(profiles[i]->command, profiles[0]->command)) i++;
    return i == n;
}

static PFC__QUIET void pfc__print_ranks(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    static const char *const word[] = { "running", "ended", "died", "not ended" }, *const left[] = { "died", "_exit", "exec" };
    FILE *f = page->file;
    double shortest = pfc__shortest_shown(page, profiles, n);
    size_t i, left_out = 0, host = sizeof "host" - 1;
    int one = pfc__one_command(profiles, n);
    for (i = 0; i < n; i++)
        if (strlen(profiles[i]->host) > host) host = strlen(profiles[i]->host);
    pfc__style(page, "1");
    fprintf(f, "perfcomp  %zu processes", n);
    if (one) fputs(": ", f), pfc__print_short(f, profiles[0]->command);
    else fputs(" of different command lines", f);
    pfc__style(page, "0");
    fprintf(f, "\n\n%6s %10s %-*s %-9s", "rank", "pid", (int)host, "host", "state");
    pfc__print_titles(page, "CT|LT|±");
    fprintf(f, " %6s  file  [%s]\n", "instr", page->unit_name);
    for (i = 0; i < n; i++) {
        const pfc_profile_t *p = profiles[i];
        size_t columns;
        if (p->total.ct < shortest) { left_out++; continue; }
        fprintf(f, "%6u %10" PRId64 " ", p->rank, p->pid);
        for (columns = pfc_print_text(f, p->host); columns < host; columns++) putc(' ', f);
        fprintf(f, " %-9s", p->run == PFC_DIED ? left[p->left] : word[p->run]);
        pfc__print_measured(page, &p->total);
        putc(' ', f);
        pfc__print_instrumentation(f, pfc__instrumentation(&p->total));
        fputs("  ", f);
        pfc_print_text(f, p->file);
        if (!one) fputs("  ", f), pfc__print_short(f, p->command);
        putc('\n', f);
    }
    pfc__print_left_out(page, left_out, "shorter process", "shorter processes");
    pfc__print_remark(page, pfc__orphans(profiles, n), "forked process is of an earlier run, or its parent's profile is missing; remove old profiles before a run.",
                      "forked processes are of earlier runs, or their parents' profiles are missing; remove old profiles before a run.");
    putc('\n', f);
}

/* perfcomp_impl/mpi/report.c; nothing where there is no MPI */
static void pfc__print_mpi(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n);
static void pfc__json_mpi(FILE *f, const pfc_profile_t *p, const pfc_profile_t *const *profiles, size_t n);

void pfc_report_text(FILE *file, const pfc_profile_t *const *profiles, size_t n, const pfc_report_options_t *options)
{
    pfc_profile_t *merged = pfc_profile_merge(profiles, n);
    pfc__page_t page;
    if (!merged) { fputs("perfcomp: not enough memory for the report\n", file); return; }
    page.file = file;
    page.options = options;
    page.p = merged;
    page.unit_name = pfc__time_unit(merged->sum.ct, &page.unit);
    pfc__page_widths(&page);
    if (n > 1) pfc__print_ranks(&page, profiles, n);
    else {
        page.p = profiles[0];
        pfc__print_service(&page);
        putc('\n', file);
    }
    pfc__print_costs(&page);
    page.p = merged;
    pfc__print_regions(&page);
    if (!options->no_paths) pfc__print_paths(&page);
    pfc__print_counters(&page);
    pfc__print_mpi(&page, profiles, n);
    if (n == 1) page.p = profiles[0];
    pfc__print_remarks(&page, profiles[0]);
    pfc_profile_close(merged);
}

/* ---- this process's own */

static PFC__QUIET pfc_profile_t *pfc__own_profile(char *why, size_t why_bytes)
{
    pfc__image_t *image = pfc__image_new("this process's profile", why, why_bytes);
    if (!image) return 0;
    image->own = 1;
    pfc__mutex_lock(&pfc__lock);
    if (!pfc__is_off()) pfc__units_gather();
    image->bytes = pfc__arena.base;
    image->size = pfc__arena.used;
    pfc__mutex_unlock(&pfc__lock);
    return pfc__profile_of(image);
}

static PFC__QUIET void pfc__report_own(FILE *file)
{
    char why[PFC_WHY];
    pfc_report_options_t options;
    pfc_profile_t *p = pfc__own_profile(why, sizeof why);
    memset(&options, 0, sizeof options);
    options.colour = pfc_colour_wanted(file);
    if (p) pfc_report_text(file, (const pfc_profile_t *const *)&p, 1, &options);
    else fprintf(file, "perfcomp: %s\n", why);
    pfc_profile_close(p);
}

void pfc_report(FILE *file)
{
    int saved = errno, busy = pfc__busy;
    pfc_start(0, 0);
    pfc__busy = 1; /* what malloc and stdio do is not the program's, should they be instrumented */
    if (pfc__arena.base) pfc__report_own(file);
    else fputs("perfcomp: off, nothing to report\n", file);
    pfc__busy = busy;
    errno = saved;
}
