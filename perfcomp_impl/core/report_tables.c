/* ----------------------------------------------- report, tables (impl) ---
   Regions, named counters, and the tree of call paths. */

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
    fprintf(f, " %5.1f%%  ", pfc__in_steps(100 * pfc__share_of(share->lt, page->p->sum.lt), .1));
}

/* A thread's root is, as long as it runs. */
static PFC__QUIET int pfc__is_open(const pfc_region_info_t *r) { return r->stats.open && r->kind; }

static PFC__QUIET void pfc__print_region(const pfc__page_t *page, const pfc_region_info_t *r)
{
    FILE *f = page->file;
    pfc__print_place(f, r);
    if (pfc__is_open(r)) fprintf(f, "  (%" PRIu64 " open)", r->stats.open);
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

/* Of a table of n. */
static PFC__QUIET size_t pfc__rows(const pfc__page_t *page, size_t n) { return page->options->all || n < PFC__ROWS ? n : (size_t)PFC__ROWS; }

static PFC__QUIET void pfc__print_left_out(const pfc__page_t *page, size_t n, const char *one, const char *many)
{
    if (n) fprintf(page->file, "%*s %zu %s left out: perfcomp report --all\n", page->count_width + 2 /* bytes of one character */, "…", n, pfc__plural(n, one, many));
}

static PFC__QUIET void pfc__print_regions(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    const pfc_region_info_t **sorted = (const pfc_region_info_t **)calloc(p->regions + 1, sizeof *sorted);
    size_t i, n = 0, shown, shorter = 0, below = 0, open = 0;
    if (!sorted) { fputs("perfcomp: not enough memory for the table of regions\n", page->file); return; }
    for (i = 0; i < p->regions; i++)
        if (p->region[i].stats.count || p->region[i].kind == 0) sorted[n++] = &p->region[i];
    shown = pfc__rows(page, n);
    qsort(sorted, n, sizeof *sorted, pfc__compare_size);
    qsort(sorted, shown, sizeof *sorted, pfc__compare_self);
    pfc__heading(page, "\nRegions");
    pfc__print_columns(page, "region");
    for (i = 0; i < shown; i++) {
        pfc__print_stats(page, &sorted[i]->stats, &sorted[i]->stats.exclusive);
        pfc__print_region(page, sorted[i]);
        shorter += pfc__waited_less(&sorted[i]->stats.exclusive) != 0;
        below += sorted[i]->stats.exclusive.ct < 0;
        open += pfc__is_open(sorted[i]) != 0;
    }
    pfc__print_left_out(page, n - shown, "region", "regions");
    if (open) fputs("  open: not left by the end of what was recorded (the program still runs, or ended inside, or PFC_END is missing); timed until then.\n", page->file);
    if (below && page->p->untimed) fputs("  CT below zero: of the regions inside not every entry was timed, and those that were took longer; ± holds that.\n", page->file);
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
    size_t i, shown = pfc__rows(page, p->counters);
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
    double least = page->options->all ? 0 : 0.002 * p->sum.ct;
    size_t depth = 0, i, left_out = 0;
    for (i = p->paths; i-- > 0;)
        if (sorted[i].path->parent == PFC_NONE) stack[depth++] = i; /* the longest is on top: roots are sorted last */
    while (depth) {
        const pfc__branch_t *b = &sorted[stack[--depth]];
        size_t child;
        const pfc_stats_t *stats = &b->path->stats;
        if (!stats->count && stats->inclusive.ct == 0) continue;
        if (fabs(stats->inclusive.ct) < least) { left_out++; continue; } /* far below zero isn't short */
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
