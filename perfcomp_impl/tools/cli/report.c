/* perfcomp report: times of regions and call paths; --blocks: the hottest basic blocks. */
#include "cli.h"

typedef struct hot {
    const pfc_profile_t *profile;
    const pfc_unit_info_t *unit;
    const pfc_function_info_t *function;
    const pfc_source_info_t *source;
    const pfc_block_info_t *block;
    size_t index;                /* in the unit: equal in all profiles of one program */
    uint64_t low, high;
    double lt;                   /* of its function, exclusive; below zero: not timed */
} hot_t;

static int same_block(const void *a, const void *b)
{
    const hot_t *x = (const hot_t *)a, *y = (const hot_t *)b;
    int order = strcmp(x->unit->name, y->unit->name);
    if (!order) order = strcmp(x->unit->directory, y->unit->directory);
    if (!order) order = strcmp(x->function->name, y->function->name);
    if (!order) order = strcmp(x->source->name, y->source->name);
    if (!order) order = (x->block->line > y->block->line) - (x->block->line < y->block->line);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int hotter(const void *a, const void *b)
{
    const hot_t *x = (const hot_t *)a, *y = (const hot_t *)b;
    int order = (x->low < y->low) - (x->low > y->low);
    return order ? order : same_block(a, b);
}

static void hot_fill(hot_t *h, const pfc_profile_t *p, size_t unit, size_t index)
{
    h->profile = p;
    h->unit = &p->unit[unit];
    h->index = index;
    h->block = &p->block[h->unit->block + index];
    h->function = &p->function[h->block->function];
    h->source = &p->source[h->block->file];
    h->low = h->block->low;
    h->high = h->block->high;
    h->lt = h->function->region == PFC_NONE ? -1 : p->region[h->function->region].stats.exclusive.lt;
}

static void hot_add(hot_t *sum, const hot_t *part)
{
    sum->low += part->low;
    sum->high = sum->high == UINT64_MAX || part->high == UINT64_MAX ? UINT64_MAX : sum->high + part->high;
    if (part->lt >= 0) sum->lt = sum->lt < 0 ? part->lt : sum->lt + part->lt;
}

/* All blocks of all profiles, equal ones summed, the hottest first. */
static hot_t *hottest(const profiles_t *profiles, size_t *n)
{
    size_t total = 0, k, u, i, kept = 0;
    hot_t *all;
    for (k = 0; k < profiles->n; k++) total += profiles->p[k]->blocks;
    all = (hot_t *)must(calloc(total + 1, sizeof *all));
    *n = 0;
    for (k = 0; k < profiles->n; k++)
        for (u = 0; u < profiles->p[k]->units; u++)
            for (i = 0; i < profiles->p[k]->unit[u].blocks; i++) {
                hot_fill(&all[*n], profiles->p[k], u, i);
                *n += all[*n].block->line != 0;
            }
    qsort(all, *n, sizeof *all, same_block);
    for (i = 0; i < *n; i++) {
        if (kept && all[kept - 1].profile != all[i].profile && !same_block(&all[kept - 1], &all[i])) hot_add(&all[kept - 1], &all[i]);
        else all[kept++] = all[i];
    }
    *n = kept;
    qsort(all, *n, sizeof *all, hotter);
    return all;
}

static void print_blocks(const hot_t *hot, size_t n, int all)
{
    double sum = 0;
    size_t i, shown = all || n < 40 ? n : 40;
    char text[64];
    for (i = 0; i < n; i++) sum += (double)hot[i].low;
    if (!n) puts("No basic blocks were counted: build with perfcomp-cc, or use PFC_HIT.");
    else printf("%24s %6s %15s  block  [LT self of its function, ms]\n", "count", "share", "LT");
    for (i = 0; i < shown; i++) {
        printf("%24s %5.1f%% ", count_text(text, sizeof text, hot[i].low, hot[i].high), sum > 0 ? 100 * (double)hot[i].low / sum : 0);
        if (hot[i].lt >= 0) printf("%15.6f  ", hot[i].lt / 1e6);
        else printf("%15s  ", "");
        pfc_print_text(stdout, hot[i].source->name);
        printf(":%u", hot[i].block->line);
        if (hot[i].block->column) printf(":%u", hot[i].block->column);
        fputs("  ", stdout);
        pfc_print_text(stdout, hot[i].function->name);
        fputs(hot[i].block->counted ? "\n" : "  (completed)\n", stdout);
    }
    if (shown < n) printf("%24s %zu %s left out: perfcomp report --blocks --all\n", "…", n - shown, n - shown == 1 ? "block" : "blocks");
}

static void json_blocks(const hot_t *hot, size_t n)
{
    size_t i;
    fputs("{\"blocks\":[", stdout);
    for (i = 0; i < n; i++) {
        const pfc_block_info_t *b = hot[i].block;
        fputs(i ? ",\n{\"unit\":" : "{\"unit\":", stdout);
        pfc_print_json(stdout, hot[i].unit->name);
        fputs(",\"function\":", stdout);
        pfc_print_json(stdout, hot[i].function->name);
        fputs(",\"file\":", stdout);
        pfc_print_json(stdout, hot[i].source->name);
        printf(",\"line\":%u,\"line_end\":%u,\"column\":%u,\"kind\":%u,\"counted\":%s", b->line, b->line_end, b->column, b->kind,
               b->counted ? "true" : "false");
        if (hot[i].high == UINT64_MAX) fputs(",\"low\":null,\"high\":null", stdout);
        else printf(",\"low\":%llu,\"high\":%llu", (unsigned long long)hot[i].low, (unsigned long long)hot[i].high);
        if (hot[i].lt >= 0) printf(",\"function_lt\":%.15g", hot[i].lt);
        putchar('}');
    }
    puts("]}");
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    pfc_report_options_t how;
    profiles_t profiles;
    int status = options_read(&options, verb, "jab", argc, argv);
    if (status >= 0) return status;
    if (profiles_open(&profiles, argv + options.first, argc - options.first, options.blocks ? TIMES_AND_BLOCKS : TIMES)) { profiles_close(&profiles); return BAD_INPUT; }
    memset(&how, 0, sizeof how);
    how.colour = pfc_colour_wanted(stdout);
    how.all = options.all;
    if (options.blocks) {
        size_t n;
        hot_t *hot = hottest(&profiles, &n);
        if (options.json) json_blocks(hot, n);
        else print_blocks(hot, n, options.all);
        free(hot);
    } else if (options.json) pfc_report_json(stdout, PROFILES(&profiles));
    else {
        if (profiles.n == 1) places_name(profiles.p[0]);
        pfc_report_text(stdout, PROFILES(&profiles), &how);
    }
    status = profiles.status;
    profiles_close(&profiles);
    return status;
}

const verb_t verb_report = {
    "report", "times of regions and call paths, as measured and undisturbed; --blocks: the hottest basic blocks",
    "usage: perfcomp report [--blocks] [--all] [--json] [FILES|FOLDER]\n\n"
    "  CT        time as measured\n"
    "  LT ± u    undisturbed time: what the uninstrumented program would have taken, and its 95 % interval\n"
    "  self      without the regions inside; total: with them\n"
    "  instr     share of CT self that was instrumentation\n"
    "  share     of the run's undisturbed time\n\n"
    "Of an MPI program (perfcomp_mpi.h) also its calls, by kind or by rank, and who waited for whom; of one rank's file\n"
    "by place, too, with its line where the program was compiled with -g:\n\n"
    "  CT        in the library; the regions' CT also has what perfcomp_mpi.h itself does in a call\n"
    "  wait      of the time in MPI: waiting for other ranks; what was asked for in vain before, by Test, Iprobe and\n"
    "            their like, is waited for since the first question, and that is in the call that ends it\n"
    "  delay in  by how much longer MPI took than undisturbed: delay that came from other ranks; below zero: delay\n"
    "            that waiting has absorbed\n"
    "  delay out by how much longer others waited for this rank's messages (of the ranks that are shown)\n"
    "  at end    delay at MPI_Finalize\n\n"
    "  --blocks  the basic blocks that ran most often; a..b: all that is sure is the interval;\n"
    "            completed: it has no counter of its own, its count follows from others\n"
    "  --all     also what is too small to matter\n"
    "  --json    everything, for programs; times in ns\n\n"
    "Several files (the ranks of a job) are shown as one. A running program's file may be read at any time.\n",
    run,
};
