/* perfcomp filter: which functions had better be counted than timed, for perfcomp-cc --filter. */
#include "cli.h"

#include <errno.h>

/* A function that perfcomp-cc has timed. */
typedef struct candidate {
    const char *name, *file;
    double calls, lt;            /* entries; ns undisturbed, with what was called */
    double cost;                 /* of timing it, ns */
    int filtered;
} candidate_t;

typedef struct filter {
    candidate_t *candidate;      /* the longest calls first */
    size_t n, filtered;
    double lt;                   /* the run, undisturbed, over all threads and processes, ns */
    double cost, kept;           /* of all timing; of what goes on being timed */
} filter_t;

static double per_call(const candidate_t *c) { return c->calls > 0 ? c->lt / c->calls : 0; }

static int by_name(const void *a, const void *b)
{
    const candidate_t *x = (const candidate_t *)a, *y = (const candidate_t *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->file, y->file);
}

static int by_length(const void *a, const void *b)
{
    const candidate_t *x = (const candidate_t *)a, *y = (const candidate_t *)b;
    int order = (per_call(x) < per_call(y)) - (per_call(x) > per_call(y));
    return order ? order : by_name(a, b);
}

/* Functions of several units may share a region: static ones of a header. */
static void add_candidates(filter_t *f, const pfc_profile_t *p)
{
    char *seen = (char *)must(calloc(p->regions + 1, 1));
    uint32_t i;
    f->candidate = (candidate_t *)must(realloc(f->candidate, (f->n + p->functions + 1) * sizeof *f->candidate));
    for (i = 0; i < p->functions; i++) {
        const pfc_function_info_t *function = &p->function[i];
        const pfc_region_info_t *r;
        candidate_t *c = &f->candidate[f->n];
        if (!(function->flags & PFC__TIMED) || function->region == PFC_NONE || seen[function->region]) continue;
        seen[function->region] = 1;
        r = &p->region[function->region];
        c->name = r->name;
        c->file = r->file;
        c->calls = (double)r->stats.count;
        c->lt = r->stats.inclusive.lt;
        c->cost = c->calls * p->cost.pair;
        c->filtered = 0;
        f->n++;
    }
    free(seen);
}

/* The processes of a job run one program. */
static void sum_equal(filter_t *f)
{
    size_t i, n = 0;
    qsort(f->candidate, f->n, sizeof *f->candidate, by_name);
    for (i = 0; i < f->n; i++) {
        candidate_t *last = n ? &f->candidate[n - 1] : 0, *c = &f->candidate[i];
        if (last && !by_name(last, c)) {
            last->calls += c->calls;
            last->lt += c->lt;
            last->cost += c->cost;
        } else f->candidate[n++] = *c;
    }
    f->n = n;
}

static filter_t gather(const profiles_t *profiles)
{
    filter_t f;
    size_t k, i;
    memset(&f, 0, sizeof f);
    for (k = 0; k < profiles->n; k++) {
        const pfc_profile_t *p = profiles->p[k];
        f.lt += p->sum.lt;
        for (i = 1; i < p->regions; i++) f.cost += (double)p->region[i].stats.count * p->cost.pair;
        add_candidates(&f, p);
    }
    if (f.n) sum_equal(&f);
    return f;
}

/* The shorter a call, the more timing disturbs it, and the less it tells: those go first, but not what hardly
   runs. What the source marks itself (PFC_BEGIN …) is the user's affair. */
static void choose(filter_t *f, double share)
{
    double goal = share * f->lt, negligible = goal / (10 * (double)f->n), left = 0;
    size_t i;
    for (i = 0; i < f->n; i++) left += f->candidate[i].cost;
    f->kept = f->cost;
    qsort(f->candidate, f->n, sizeof *f->candidate, by_length);
    for (i = f->n; i-- > 0 && left > goal;) {
        candidate_t *c = &f->candidate[i];
        if (c->cost <= negligible) continue;
        c->filtered = 1;
        left -= c->cost;
        f->kept -= c->cost;
        f->filtered++;
    }
    if (f->kept < 1e-9 * f->cost) f->kept = 0; /* what rounding leaves of nothing */
}

static void print_percent(FILE *file, double part, double whole) { fprintf(file, whole > 0 ? "%.3g %%" : "? %%", 100 * part / whole); }

static void print_summary(const filter_t *f, FILE *file, const char *line_end)
{
    if (!f->filtered) {
        fputs("all functions can go on being timed: that costs ", file);
        print_percent(file, f->cost, f->lt);
        fprintf(file, " of the%sundisturbed time", line_end);
        return;
    }
    fprintf(file, "%zu of %zu %s to be counted, not timed: timing then costs ", f->filtered, f->n,
            f->n == 1 ? "function is" : f->filtered == 1 ? "functions is" : "functions are");
    print_percent(file, f->kept, f->lt);
    fprintf(file, " of the%sundisturbed time instead of ", line_end);
    print_percent(file, f->cost, f->lt);
}

static void write_list(const filter_t *f, FILE *out)
{
    size_t i;
    fputs("# perfcomp-cc --filter THIS-FILE: ", out);
    print_summary(f, out, "\n# ");
    fputs("\n# function\tfile\tcalls\tns a call\n", out);
    for (i = 0; i < f->n; i++) {
        const candidate_t *c = &f->candidate[i];
        if (!c->filtered) continue;
        pfc_print_text(out, c->name);
        putc('\t', out);
        pfc_print_text(out, c->file);
        fprintf(out, "\t%.0f\t%.1f\n", c->calls, per_call(c));
    }
}

static void print_json(const filter_t *f)
{
    const char *comma = "";
    size_t i;
    printf("{\"unit\":\"ns\",\"functions\":%zu,\"lt\":%.15g,\"cost\":%.15g,\"cost_filtered\":%.15g,\"filtered\":[", f->n, f->lt, f->cost, f->kept);
    for (i = 0; i < f->n; i++) {
        const candidate_t *c = &f->candidate[i];
        if (!c->filtered) continue;
        printf("%s{\"name\":", comma);
        pfc_print_json(stdout, c->name);
        fputs(",\"file\":", stdout);
        pfc_print_json(stdout, c->file);
        printf(",\"calls\":%.15g,\"lt\":%.15g,\"cost\":%.15g}", c->calls, c->lt, c->cost);
        comma = ",\n";
    }
    puts("]}");
}

static int write_file(const filter_t *f, const char *name)
{
    FILE *out = fopen(name, "w");
    if (out) write_list(f, out);
    if (out && output_end(out, name)) return OK;
    say("filter", "%s can't be written: %s", name, strerror(errno));
    return BAD_INPUT;
}

/* By its whole path: a build may go on in other folders. */
static void say_next(const char *list)
{
    char *path = realpath(list, 0);
    fputs("\nbuild again with perfcomp-cc --filter ", stderr);
    pfc_print_text(stderr, path ? path : list);
    free(path);
}

static int show(const filter_t *f, const options_t *options)
{
    int status = OK;
    if (options->json) print_json(f);
    else if (!options->output) write_list(f, stdout);
    if (options->output) status = write_file(f, options->output);
    if (status == OK && options->output) {
        fputs("perfcomp filter: ", stderr);
        print_summary(f, stderr, " ");
        if (f->filtered) say_next(options->output);
        putc('\n', stderr);
    }
    return status;
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    profiles_t profiles;
    filter_t f;
    int status = options_read(&options, verb, "jop", argc, argv);
    if (status >= 0) return status;
    if (options.output && !strcmp(options.output, "-")) options.output = 0; /* as everywhere */
    if (options.output && is_spared(verb, options.output, 0)) return BAD_INPUT;
    if (profiles_open(&profiles, argv + options.first, argc - options.first, TIMES)) return BAD_INPUT;
    f = gather(&profiles);
    if (f.n) {
        choose(&f, options.overhead);
        status = show(&f, &options);
    } else {
        say(verb->name, "perfcomp-cc has timed no function of this program; what the source marks itself is timed where it says so, by "
                        "sampling with PERFCOMP_BUDGET");
        status = BAD_INPUT;
    }
    if (profiles.status) status = profiles.status;
    free(f.candidate);
    profiles_close(&profiles);
    return status;
}

const verb_t verb_filter = {
    "filter", "which functions are better counted than timed: a list for perfcomp-cc --filter",
    "usage: perfcomp filter [--overhead PERCENT] [-o FILE] [--json] [FILES|FOLDER]\n\n"
    "Functions that are called often and end at once make most of the instrumentation, and their times are the least\n"
    "certain. The list names them, so that timing the others costs PERCENT of the undisturbed time (default 5 %):\n\n"
    "  perfcomp filter -o /folder/filter\n"
    "  make clean all CC=\"perfcomp-cc --filter /folder/filter gcc\"\n\n"
    "  -o, --output FILE  the list there, and what it saves on stderr\n"
    "  --json             with `lt` of the run and of each function, in all its calls; `cost`: of timing all, and each, and\n"
    "                     `cost_filtered`: of those that still are\n\n"
    "They are still counted; their time becomes their callers'. A line is a function's name (shell pattern), a tab and\n"
    "its file; the file may be missing, and what comes after it isn't read.\n",
    run,
};
