/* perfcomp report: times of regions and call paths; --blocks: the hottest basic blocks. */
#include "cli.h"

static int hotter(const void *a, const void *b)
{
    const block_sum_t *x = (const block_sum_t *)a, *y = (const block_sum_t *)b;
    int order = (x->low < y->low) - (x->low > y->low);
    return order ? order : block_order(a, b);
}

static void print_blocks(const block_sum_t *hot, size_t n, int all)
{
    double sum = 0;
    size_t i, shown = all || n < 40 ? n : 40;
    char text[64];
    for (i = 0; i < n; i++) sum += (double)hot[i].low;
    if (!n) puts("No basic blocks were counted: build with perfcomp-cc, or use PFC_HIT.");
    else printf("%24s %6s %15s  block  [LT self of its function, ms]\n", "count", "share", "LT");
    for (i = 0; i < shown; i++) {
        printf("%24s %5.1f%% ", count_text(text, sizeof text, hot[i].low, hot[i].high), sum > 0 ? 100 * (double)hot[i].low / sum : 0);
        if (hot[i].is_timed) printf("%15.6f  ", hot[i].lt / 1e6);
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

static void json_blocks(const block_sum_t *hot, size_t n)
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
        json_count(hot[i].low, hot[i].high);
        if (hot[i].is_timed) printf(",\"function_lt\":%.15g", hot[i].lt);
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
    if (profiles_open(&profiles, argv + options.first, argc - options.first, options.blocks ? TIMES_AND_BLOCKS : TIMES)) return BAD_INPUT;
    memset(&how, 0, sizeof how);
    how.colour = pfc_colour_wanted(stdout);
    how.all = options.all;
    if (options.blocks) {
        size_t n;
        block_sum_t *hot = blocks_summed(&profiles, &n);
        qsort(hot, n, sizeof *hot, hotter);
        if (options.json) json_blocks(hot, n);
        else print_blocks(hot, n, options.all);
        free(hot);
        say_lost_counts(&profiles);
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
    "  share     of the run's undisturbed time, all threads together: a region's LT self, a call path's LT total\n\n"
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
    "  --json    for programs: all but blocks and lines (perfcomp annotate --json); times in ns; `start`: `begin_utc_ns`\n"
    "            as a date. With --blocks these alone; `function_lt`: LT self of its function, where that is timed\n\n"
    "Several files (the ranks of a job) are shown as one. A running program's file may be read at any time.\n",
    run,
};
