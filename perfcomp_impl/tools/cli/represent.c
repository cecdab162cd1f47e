/* perfcomp represent: of several runs, which are alike, and do they stand for all of them?

   A frequency profile is a point whose coordinates are counts. A set S of profiles is representative for (δ, p, Q)
   where at least a share p of it, of at least Q, are less than δ apart, each from each other one (Ivannikov et al.,
   ParJava, §3.2). Distance: Σ |a − b| / Σ (a + b), from 0, equal, to 1, nothing in common (J. R. Bray, J. T. Curtis,
   Ecological Monographs 27, 1957); of shares instead of counts it is half of what is at another place. */
#include "cli.h"

#include <math.h>

/* What is counted: a basic block, or where there are none a region's entries. */
typedef struct element { block_sum_t block; const pfc_region_info_t *region; double count; size_t id; } element_t;

typedef struct sample {
    const char *name;
    profiles_t profiles;
    pfc_profile_t *merged;       /* whose regions are compared; NULL: blocks are */
    element_t *element;
    size_t n;
    double sum;
    double *count;               /* by id; below zero: not known */
} sample_t;

typedef struct study {
    const options_t *options;
    sample_t *run;
    size_t runs, elements;
    const element_t **name;      /* of an id */
    double *distance;            /* runs × runs */
    size_t *member, members, typical, without; /* blocks */
    int sure, by_region;
} study_t;

/* ---- what is counted, under one number in all runs */

static int element_order(const void *a, const void *b)
{
    const element_t *x = (const element_t *)a, *y = (const element_t *)b;
    return x->region ? pfc_region_order(x->region, y->region) : block_order(&x->block, &y->block);
}

/* An interval counts by its middle. */
static double block_count(const block_sum_t *b) { return b->high == UINT64_MAX ? -1 : (double)b->low / 2 + (double)b->high / 2; }

static void add_blocks(sample_t *s)
{
    size_t i;
    block_sum_t *block = blocks_summed(&s->profiles, &s->n);
    s->element = (element_t *)must(calloc(s->n + 1, sizeof *s->element));
    for (i = 0; i < s->n; i++) {
        s->element[i].block = block[i];
        s->element[i].count = block_count(&block[i]);
    }
    free(block);
}

static void add_regions(sample_t *s)
{
    size_t i;
    s->merged = (pfc_profile_t *)must(pfc_profile_merge(PROFILES(&s->profiles)));
    free(s->element);
    s->element = (element_t *)must(calloc(s->merged->regions + 1, sizeof *s->element));
    for (i = s->n = 0; i < s->merged->regions; i++) {
        const pfc_region_info_t *r = &s->merged->region[i];
        if (!r->kind || r->kind == PFC__OVERFLOW) continue; /* what lies outside of all, or had no room */
        s->element[s->n].region = r;
        s->element[s->n++].count = (double)r->stats.count;
    }
}

static int by_name(const void *a, const void *b) { return element_order(*(const element_t *const *)a, *(const element_t *const *)b); }

static void number_elements(study_t *s)
{
    size_t all = 0, i, k;
    element_t **sorted;
    for (i = 0; i < s->runs; i++) all += s->run[i].n;
    sorted = (element_t **)must(calloc(all + 1, sizeof *sorted));
    s->name = (const element_t **)must(calloc(all + 1, sizeof *s->name));
    for (i = all = 0; i < s->runs; i++)
        for (k = 0; k < s->run[i].n; k++) sorted[all++] = &s->run[i].element[k];
    qsort(sorted, all, sizeof *sorted, by_name);
    for (i = 0; i < all; i++) {
        if (!i || element_order(sorted[i - 1], sorted[i])) s->name[s->elements++] = sorted[i];
        sorted[i]->id = s->elements - 1;
    }
    free(sorted);
}

static void count_elements(const study_t *s, sample_t *run)
{
    size_t i;
    run->count = (double *)must(calloc(s->elements + 1, sizeof *run->count));
    for (i = 0; i < run->n; i++) {
        run->count[run->element[i].id] = run->element[i].count;
        if (run->element[i].count > 0) run->sum += run->element[i].count;
    }
}

/* ---- how far they are from one another */

static double weight(const study_t *s, const sample_t *run) { return s->options->shape && run->sum > 0 ? 1 / run->sum : 1; }

static double distance(const study_t *s, const sample_t *a, const sample_t *b)
{
    double apart = 0, together = 0, of_a = weight(s, a), of_b = weight(s, b);
    size_t i;
    for (i = 0; i < s->elements; i++) {
        double x = a->count[i], y = b->count[i];
        if (x < 0 || y < 0) continue;
        apart += fabs(x * of_a - y * of_b);
        together += x * of_a + y * of_b;
    }
    return together > 0 ? apart / together : 0;
}

static double between(const study_t *s, size_t a, size_t b) { return s->distance[a * s->runs + b]; }

static void measure(study_t *s)
{
    size_t i, k;
    s->distance = (double *)must(calloc(s->runs * s->runs, sizeof *s->distance));
    for (i = 0; i < s->runs; i++)
        for (k = 0; k < i; k++) s->distance[i * s->runs + k] = s->distance[k * s->runs + i] = distance(s, &s->run[i], &s->run[k]);
}

/* ---- which are alike */

static int by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    ORDER(x, y);
    return 0;
}

static double to_others(const study_t *s, size_t run)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < s->members; i++) sum += between(s, run, s->member[i]);
    return sum;
}

static double to_all(const study_t *s, size_t run)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < s->runs; i++) sum += between(s, run, i);
    return sum;
}

/* Of those that are alike the typical one is nearest to the others; where no two are, each is a set, and it's nearest to all. */
static void choose(study_t *s)
{
    unsigned char *joined = (unsigned char *)must(calloc(s->runs, s->runs));
    size_t i, k;
    for (i = 0; i < s->runs; i++)
        for (k = 0; k < s->runs; k++) joined[i * s->runs + k] = i != k && between(s, i, k) < s->options->within;
    s->member = (size_t *)must(calloc(s->runs, sizeof *s->member));
    s->members = clique_largest(joined, s->runs, s->member, &s->sure);
    free(joined);
    for (i = 0; s->members == 1 && i < s->runs; i++)
        if (to_all(s, i) < to_all(s, *s->member)) *s->member = i;
    qsort(s->member, s->members, sizeof *s->member, by_number);
    for (i = 0, s->typical = s->member[0]; i < s->members; i++)
        if (to_others(s, s->member[i]) < to_others(s, s->typical)) s->typical = s->member[i];
}

static int is_member(const study_t *s, size_t run) { return bsearch(&run, s->member, s->members, sizeof run, by_number) != 0; }

static double diameter(const study_t *s)
{
    double most = 0;
    size_t i, k;
    for (i = 0; i < s->members; i++)
        for (k = 0; k < i; k++) most = fmax(most, between(s, s->member[i], s->member[k]));
    return most;
}

static double share(const study_t *s) { return (double)s->members / (double)s->runs; }
static int has_share(const study_t *s) { return share(s) >= s->options->share - 1e-12; }
static int has_enough(const study_t *s) { return s->runs >= (size_t)s->options->least; }

/* ---- what is shown */

/* What contributes most to a run's distance from the typical one. */
static void print_farthest(const study_t *s, const sample_t *run)
{
    const sample_t *typical = &s->run[s->typical];
    double of_run = weight(s, run), of_typical = weight(s, typical), most = 0;
    size_t i, at = s->elements;
    for (i = 0; i < s->elements; i++) {
        double apart = fabs(run->count[i] * of_run - typical->count[i] * of_typical);
        if (run->count[i] >= 0 && typical->count[i] >= 0 && apart > most) most = apart, at = i;
    }
    if (at == s->elements) return;
    printf("  most: ");
    if (s->by_region) pfc_print_text(stdout, s->name[at]->region->name);
    else {
        pfc_print_text(stdout, s->name[at]->block.source->name);
        printf(":%u in ", s->name[at]->block.block->line);
        pfc_print_text(stdout, s->name[at]->block.function->name);
    }
    if (s->options->shape) printf(", %.3g %% of all counts instead of %.3g %%", 100 * run->count[at] * of_run, 100 * typical->count[at] * of_typical);
    else printf(", %.0f times instead of %.0f", run->count[at], typical->count[at]);
}

static void print_all(const study_t *s)
{
    const options_t *o = s->options;
    size_t i;
    printf("%zu runs, %zu %s%s", s->runs, s->elements, s->by_region ? "region" : "basic block", s->elements == 1 ? "" : "s");
    if (s->by_region && s->without < s->runs) printf(" (basic blocks: not in all runs)");
    printf("\n\n%5s %20s %9s  run  [*: of the set; distance from the typical run]\n", "", "counts", "distance");
    for (i = 0; i < s->runs; i++) {
        printf("%5s %20.0f %9.4f  ", i == s->typical ? "**" : is_member(s, i) ? "*" : "", s->run[i].sum, between(s, i, s->typical));
        pfc_print_text(stdout, s->run[i].name);
        if (!is_member(s, i)) print_farthest(s, &s->run[i]);
        putchar('\n');
    }
    printf("\ntypical         ");
    pfc_print_text(stdout, s->run[s->typical].name);
    printf("\nalike           %s%zu of %zu runs (%.1f %%), at most %.4f apart\n", s->sure ? "" : "at least ", s->members, s->runs, 100 * share(s), diameter(s));
    printf("representative  %s", has_share(s) && has_enough(s) ? "yes" : "no");
    if (!has_share(s)) printf(": %.3g %% are to be less than %g apart%s", 100 * o->share, o->within, s->sure ? "" : " (a larger set was sought for some seconds only)");
    if (!has_enough(s)) printf("%s %d runs are wanted, %d more", has_share(s) ? ":" : ", and", o->least, o->least - (int)s->runs);
    putchar('\n');
}

static void json_all(const study_t *s)
{
    const options_t *o = s->options;
    size_t i, k;
    printf("{\"of\":\"%s\",\"elements\":%zu,\"shape\":%s,\"within\":%.15g,\"share\":%.15g,\"at_least\":%d,\"representative\":%s,\"set\":%zu,\"largest\":%s,"
           "\"diameter\":%.15g,\"typical\":%zu,\"runs\":[", s->by_region ? "regions" : "blocks", s->elements, o->shape ? "true" : "false", o->within,
           o->share, o->least, has_share(s) && has_enough(s) ? "true" : "false", s->members, s->sure ? "true" : "false", diameter(s), s->typical);
    for (i = 0; i < s->runs; i++) {
        fputs(i ? ",\n{\"name\":" : "{\"name\":", stdout);
        pfc_print_json(stdout, s->run[i].name);
        printf(",\"counts\":%.15g,\"in_set\":%s,\"distances\":[", s->run[i].sum, is_member(s, i) ? "true" : "false");
        for (k = 0; k < s->runs; k++) printf("%s%.15g", k ? "," : "", between(s, i, k));
        fputs("]}", stdout);
    }
    puts("]}");
}

/* ---- the verb */

static int say_too_few(void)
{
    say("represent", "name two runs or more: profiles, or folders with a job's; perfcomp represent --help");
    return BAD_USAGE;
}

static int open_run(study_t *s, char *name)
{
    sample_t *run = &s->run[s->runs];
    size_t i;
    if (profiles_open(&run->profiles, &name, 1, TIMES_AND_BLOCKS) || run->profiles.status) { profiles_close(&run->profiles); return BAD_INPUT; }
    for (i = 0; i < s->runs; i++)
        if (is_named_again("represent", name, &run->profiles, s->run[i].name, &s->run[i].profiles)) return OK;
    say_unfinished("represent", name, &run->profiles);
    run->name = name;
    s->runs++;
    return OK;
}

static int read_runs(study_t *s, char **names, size_t n)
{
    size_t i;
    int bad = 0;
    s->run = (sample_t *)must(calloc(n + 1, sizeof *s->run));
    for (i = 0; i < n; i++) bad |= open_run(s, names[i]);
    if (bad) return BAD_INPUT;
    if (s->runs < 2) return say_too_few();
    for (i = 0; i < s->runs; i++) add_blocks(&s->run[i]), s->without += !s->run[i].n;
    s->by_region = s->without > 0; /* that a run has no blocks doesn't mean that they didn't run */
    for (i = 0; s->by_region && i < s->runs; i++) add_regions(&s->run[i]);
    number_elements(s);
    for (i = 0; i < s->runs; i++) count_elements(s, &s->run[i]);
    return OK;
}

static void study_free(study_t *s)
{
    size_t i;
    for (i = 0; i < s->runs; i++) {
        pfc_profile_close(s->run[i].merged);
        profiles_close(&s->run[i].profiles);
        free(s->run[i].element);
        free(s->run[i].count);
    }
    free(s->run);
    free(s->name);
    free(s->distance);
    free(s->member);
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    study_t s;
    int status = options_read(&options, verb, "jwrqS", argc, argv);
    if (status >= 0) return status;
    memset(&s, 0, sizeof s);
    s.options = &options;
    if (argc - options.first < 2) return say_too_few();
    status = read_runs(&s, argv + options.first, (size_t)(argc - options.first));
    if (status == OK) {
        measure(&s);
        choose(&s);
        if (options.json) json_all(&s);
        else print_all(&s);
    }
    study_free(&s);
    return status;
}

const verb_t verb_represent = {
    "represent", "several runs: which are alike, which one is typical, and do they stand for all of them",
    "usage: perfcomp represent [--within DISTANCE] [--share PERCENT] [--at-least RUNS] [--shape] [--json] RUN...\n\n"
    "A RUN is a profile, or a folder whose profiles are taken as one. Runs are compared by how often each basic block\n"
    "ran (where a run has none: each region). Distance of two: the sum of all differences, as a share of all counts, 0\n"
    "(equal) to 1 (nothing in common); a count that is only known as an interval is taken for its middle.\n\n"
    "The set (*) is the largest one of runs that are, each from each other one, less than DISTANCE apart; of it the\n"
    "typical run (**) is nearest to the others, or to all runs where no two are alike: the one to look at. The runs are\n"
    "representative if the set has PERCENT of them, and they are as many as RUNS.\n\n"
    "  --within DISTANCE   (default 0.1)\n"
    "  --share PERCENT     (default 90)\n"
    "  --at-least RUNS     (default 5)\n"
    "  --shape             compare shares of all counts: longer runs that do the same are alike\n"
    "  --json              with all distances\n",
    run,
};
