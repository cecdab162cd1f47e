/* perfcomp compare: two runs, region by region. */
#include "cli.h"

#include <math.h>

typedef struct row { const pfc_region_info_t *a, *b; double difference, u; } row_t;

static const pfc_stats_t none;

static int by_region(const void *a, const void *b)
{
    return pfc_region_order(*(const pfc_region_info_t *const *)a, *(const pfc_region_info_t *const *)b);
}

static int by_difference(const void *a, const void *b)
{
    const row_t *x = (const row_t *)a, *y = (const row_t *)b;
    return (fabs(x->difference) < fabs(y->difference)) - (fabs(x->difference) > fabs(y->difference));
}

static const pfc_region_info_t **sorted(const pfc_profile_t *p)
{
    const pfc_region_info_t **s = (const pfc_region_info_t **)must(calloc(p->regions + 1, sizeof *s));
    size_t i;
    for (i = 0; i < p->regions; i++) s[i] = &p->region[i];
    qsort(s, p->regions, sizeof *s, by_region);
    return s;
}

static const pfc_stats_t *stats_of(const pfc_region_info_t *r) { return r ? &r->stats : &none; }

static row_t *rows_of(const pfc_profile_t *a, const pfc_profile_t *b, size_t *n)
{
    const pfc_region_info_t **x = sorted(a), **y = sorted(b);
    row_t *row = (row_t *)must(calloc(a->regions + b->regions + 1, sizeof *row));
    size_t i = 0, k = 0;
    for (*n = 0; i < a->regions || k < b->regions;) {
        int order = i == a->regions ? 1 : k == b->regions ? -1 : pfc_region_order(x[i], y[k]);
        row_t *r = &row[*n];
        r->a = order <= 0 ? x[i++] : 0;
        r->b = order >= 0 ? y[k++] : 0;
        r->difference = stats_of(r->b)->exclusive.lt - stats_of(r->a)->exclusive.lt;
        r->u = hypot(stats_of(r->a)->exclusive.u, stats_of(r->b)->exclusive.u);
        *n += stats_of(r->a)->count || stats_of(r->b)->count;
    }
    free(x);
    free(y);
    qsort(row, *n, sizeof *row, by_difference);
    return row;
}

/* The columns of a difference, with its sign, and of ± are narrower. */
static double longest_of(double a, double b, double u) { return fmax(fmax(fabs(a), fabs(b)), fmax(10 * fabs(b - a), 100 * u)); }

static unit_t unit_of(const pfc_profile_t *a, const pfc_profile_t *b, const row_t *row, size_t n)
{
    double longest = longest_of(a->total.lt, b->total.lt, hypot(a->total.u, b->total.u));
    size_t i;
    for (i = 0; i < n; i++) longest = fmax(longest, longest_of(stats_of(row[i].a)->exclusive.lt, stats_of(row[i].b)->exclusive.lt, row[i].u));
    return unit_for(longest);
}

/* `remark`: in place of the change in per cent, where there is nothing that it could be of. A time below zero is zero
   within its uncertainty: by more than all that it took nothing becomes faster. */
static void print_times(const unit_t *unit, double a, double b, double u, const char *remark)
{
    printf("%13.6f %13.6f %+13.6f %11.6f ", a / unit->ns, b / unit->ns, (b - a) / unit->ns, u / unit->ns);
    if (!*remark && a > 0 && b - a >= 99.9995 * a) printf("%8s", ">9999%");
    else if (!*remark && a > 0) printf("%+7.1f%%", 100 * (fmax(b, 0) - a) / a);
    else printf("%8s", remark);
    printf(" %c", fabs(b - a) > u ? '*' : ' ');
}

static void print_run(char side, const pfc_profile_t *p, size_t processes)
{
    printf("%c  ", side);
    pfc_print_text(stdout, *p->command ? p->command : p->file);
    if (processes > 1) printf("  and %zu more process%s", processes - 1, processes > 2 ? "es" : "");
    putchar('\n');
}

static void print_row(const unit_t *unit, const row_t *row)
{
    const pfc_stats_t *a = stats_of(row->a), *b = stats_of(row->b);
    const pfc_region_info_t *r = row->a ? row->a : row->b;
    printf("%14llu %14llu ", (unsigned long long)a->count, (unsigned long long)b->count);
    print_times(unit, a->exclusive.lt, b->exclusive.lt, row->u, !a->count ? "new" : !b->count ? "gone" : "");
    pfc_print_text(stdout, r->name);
    if (*r->file) fputs("  ", stdout), pfc_print_text(stdout, r->file);
    putchar('\n');
}

/* `processes`: of how many each is. */
static void print_all(const pfc_profile_t *a, const pfc_profile_t *b, const size_t *processes, const row_t *row, size_t n, int all)
{
    size_t i, shown = all || n < 40 ? n : 40, beyond = 0;
    const unit_t unit = unit_of(a, b, row, n);
    print_run('A', a, processes[0]);
    print_run('B', b, processes[1]);
    printf("\n%14s %14s %13s %13s %13s %12s %8s  region  [%s; LT self; * beyond the uncertainty]\n%29s ",
           "calls A", "calls B", "A", "B", "B - A", "±", "", unit.name, "");
    print_times(&unit, a->total.lt, b->total.lt, hypot(a->total.u, b->total.u), "");
    puts("(the whole run)");
    for (i = 0; i < shown; i++) print_row(&unit, &row[i]);
    for (i = 0; i < n; i++) beyond += fabs(row[i].difference) > row[i].u;
    if (shown < n) printf("%14s %zu %s left out: perfcomp compare --all\n", "…", n - shown, n - shown == 1 ? "region" : "regions");
    if (beyond)
        puts("\n± is what instrumentation leaves uncertain. By how much one run of a build differs from the next (other programs on the\n"
             "machine, the processor's speed, where memory lies) isn't in it: compare two runs of A first.");
}

static void json_side(const char *key, const pfc_stats_t *s)
{
    printf(",\"%s\":{\"calls\":%llu,\"ct\":%.15g,\"lt\":%.15g,\"u\":%.15g}", key, (unsigned long long)s->count, s->exclusive.ct,
           s->exclusive.lt, s->exclusive.u);
}

static void json_run(const char *key, const pfc_profile_t *p)
{
    printf(",\"%s\":{\"command\":", key);
    pfc_print_json(stdout, p->command);
    printf(",\"ct\":%.15g,\"lt\":%.15g,\"u\":%.15g}", p->total.ct, p->total.lt, p->total.u);
}

static void json_all(const pfc_profile_t *a, const pfc_profile_t *b, const row_t *row, size_t n)
{
    size_t i;
    fputs("{\"unit\":\"ns\"", stdout);
    json_run("a", a);
    json_run("b", b);
    fputs(",\"regions\":[", stdout);
    for (i = 0; i < n; i++) {
        const pfc_region_info_t *r = row[i].a ? row[i].a : row[i].b;
        fputs(i ? ",\n{\"name\":" : "{\"name\":", stdout);
        pfc_print_json(stdout, r->name);
        fputs(",\"file\":", stdout);
        pfc_print_json(stdout, r->file);
        json_side("a", stats_of(row[i].a));
        json_side("b", stats_of(row[i].b));
        printf(",\"difference\":%.15g,\"u\":%.15g}", row[i].difference, row[i].u);
    }
    puts("]}");
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    profiles_t side[2];
    pfc_profile_t *merged[2] = { 0, 0 };
    int status = options_read(&options, verb, "ja", argc, argv), bad, i;
    if (status >= 0) return status;
    if (argc - options.first != 2) {
        say("compare", "name two profiles, or two folders; perfcomp compare --help");
        return BAD_USAGE;
    }
    bad = profiles_open(&side[0], argv + options.first, 1, TIMES);
    bad |= profiles_open(&side[1], argv + options.first + 1, 1, TIMES);
    for (i = 0; !bad && i < 2; i++) merged[i] = (pfc_profile_t *)must(pfc_profile_merge(PROFILES(&side[i])));
    for (i = 0; !bad && i < 2; i++) {
        say_unfinished("compare", argv[options.first + i], &side[i]);
        say_uncompensated("compare", argv[options.first + i], &side[i]);
    }
    if (!bad) {
        size_t n, processes[2] = { side[0].n, side[1].n };
        row_t *row = rows_of(merged[0], merged[1], &n);
        if (options.json) json_all(merged[0], merged[1], row, n);
        else print_all(merged[0], merged[1], processes, row, n, options.all);
        free(row);
    }
    for (i = 0; i < 2; i++) {
        if (side[i].status) bad = 1;
        pfc_profile_close(merged[i]);
        profiles_close(&side[i]);
    }
    return bad ? BAD_INPUT : OK;
}

const verb_t verb_compare = {
    "compare", "two runs, region by region: what became slower or faster, beyond the uncertainty",
    "usage: perfcomp compare [--all] [--json] A B\n\n"
    "A and B are profiles, or folders whose profiles are taken as one. Undisturbed times: of the whole run, then\n"
    "of each region without those inside; the largest difference first.\n\n"
    "  ±  what instrumentation leaves uncertain; *: the difference is larger. By how much one run of a build differs from\n"
    "     the next isn't in it: compare two runs of A first\n\n"
    "  --all   also what differs little\n"
    "  --json  all of them; times of the run, of regions without those inside; `difference`: of lt, B - A, and its `u`\n",
    run,
};
