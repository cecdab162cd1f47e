/* perfcomp export: profiles in the formats of other tools. They get
   undisturbed times; most of them know no sign and no uncertainty, so noise
   below zero becomes zero there. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

static double positive(double ns) { return ns > 0 ? ns : 0; }

/* Characters that a line-based format gives a meaning become '?', as does what isn't there. */
static void print_plain(FILE *f, const char *text, const char *special)
{
    char *plain = must(strdup(*text ? text : "?")), *at = plain;
    while (*(at += strcspn(at, special))) *at = '?';
    pfc_print_utf8(f, plain);
    free(plain);
}

/* A file's name stays as it is, for it to be found by. */
static void print_path(FILE *f, const char *path)
{
    for (; *path; path++) putc((unsigned char)*path < 32 ? '?' : *path, f);
}

/* ---- lcov: counts of lines and functions */

/* What may have run, and may not, is neither covered nor not. */
static int is_told(uint64_t low, uint64_t high) { return high != UINT64_MAX && (low || !high); }

static void lcov_source(FILE *f, const source_t *s)
{
    size_t i, hit = 0, told = 0;
    fputs("SF:", f);
    print_path(f, s->path);
    putc('\n', f);
    for (i = 0; i < s->functions; i++) {
        if (!is_told(s->function[i].low, s->function[i].high)) continue;
        fprintf(f, "FN:%u,", s->function[i].line);
        print_plain(f, s->function[i].name, ",");
        fprintf(f, "\nFNDA:%" PRIu64 ",", s->function[i].low);
        print_plain(f, s->function[i].name, ",");
        putc('\n', f);
        hit += s->function[i].low != 0;
        told++;
    }
    fprintf(f, "FNF:%zu\nFNH:%zu\n", told, hit);
    for (hit = told = 0, i = 0; i < s->lines; i++) {
        if (!is_told(s->line[i].low, s->line[i].high)) continue;
        fprintf(f, "DA:%u,%" PRIu64 "\n", s->line[i].line, s->line[i].low);
        hit += s->line[i].low != 0;
        told++;
    }
    fprintf(f, "LF:%zu\nLH:%zu\nend_of_record\n", told, hit);
}

static int export_lcov(FILE *f, const profiles_t *profiles, const options_t *options)
{
    sources_t sources;
    size_t i;
    int status = sources_count(&sources, profiles, options->source_dir);
    fputs("TN:\n", f);
    for (i = 0; !status && i < sources.n; i++)
        if (sources.source[i].lines) lcov_source(f, &sources.source[i]);
    say_lost_counts(profiles);
    sources_free(&sources);
    return status;
}

static int has_lines(const profiles_t *profiles, const options_t *options)
{
    size_t k;
    (void)options;
    for (k = 0; k < profiles->n; k++)
        if (profiles->p[k]->blocks) return 1;
    say("export", "no lines were counted; build the program with perfcomp-cc, without --time");
    return 0;
}

static int export_json(FILE *f, const profiles_t *profiles, const options_t *options)
{
    (void)options;
    pfc_report_json(f, PROFILES(profiles));
    return OK;
}

/* ---- formats of call trees take all profiles as one */

/* What is shorter rounds to nothing. */
static int is_shown(const pfc_path_info_t *path) { return path->stats.exclusive.lt >= .5; }

static int has_times(const profiles_t *profiles, const options_t *options)
{
    size_t k, i;
    (void)options;
    for (k = 0; k < profiles->n; k++)
        for (i = 0; i < profiles->p[k]->paths; i++)
            if (is_shown(&profiles->p[k]->path[i])) return 1;
    say("export", "no call path has an undisturbed time above zero: what was measured is instrumentation, as far as is known; run the program for longer");
    return 0;
}

static int with_tree(FILE *f, const profiles_t *profiles, void (*write)(FILE *, const pfc_profile_t *))
{
    pfc_profile_t *merged = (pfc_profile_t *)must(pfc_profile_merge(PROFILES(profiles)));
    write(f, merged);
    pfc_profile_close(merged);
    return OK;
}

static void callgrind_name(FILE *f, const char *prefix, const pfc_region_info_t *r)
{
    fprintf(f, "%sfl=", prefix);
    print_plain(f, *r->file ? r->file : "???", "");
    fprintf(f, "\n%sfn=", prefix);
    if (*r->name == '(' && strspn(r->name + 1, "0123456789")) print_plain(f, r->name, "("); /* that would be a number in its place */
    else print_plain(f, r->name, "");
    putc('\n', f);
}

static void callgrind(FILE *f, const pfc_profile_t *p)
{
    double lt = 0, ct = 0;
    size_t i;
    for (i = 0; i < p->paths; i++) {
        lt += round(positive(p->path[i].stats.exclusive.lt));
        ct += round(positive(p->path[i].stats.exclusive.ct));
    }
    fputs("# callgrind format\nversion: 1\ncreator: perfcomp\ncmd: ", f);
    print_plain(f, p->command, "");
    fputs("\npositions: line\nevent: LT : undisturbed ns\nevent: CT : measured ns\nevents: LT CT\n", f);
    fprintf(f, "summary: %.0f %.0f\n", lt, ct); /* otherwise callgrind_annotate sums up what is inclusive, too */
    for (i = 0; i < p->paths; i++) {
        const pfc_path_info_t *path = &p->path[i];
        const pfc_region_info_t *r = &p->region[path->region];
        const pfc_stats_t *s = &path->stats;
        if (!s->count && positive(s->inclusive.ct) < .5) continue; /* every thread has a path for what finds no room, used or not */
        callgrind_name(f, "", r);
        fprintf(f, "%u %.0f %.0f\n", r->line, positive(s->exclusive.lt), positive(s->exclusive.ct));
        if (path->parent == PFC_NONE) continue;
        callgrind_name(f, "", &p->region[p->path[path->parent].region]); /* the call, seen from the caller */
        callgrind_name(f, "c", r);
        fprintf(f, "calls=%" PRIu64 " %u\n%u %.0f %.0f\n", s->count, r->line, p->region[p->path[path->parent].region].line,
                positive(s->inclusive.lt), positive(s->inclusive.ct));
    }
}

/* The regions of a path, outermost first; without the root, and no more than `room` of the innermost. */
static size_t frames_of(const pfc_profile_t *p, size_t path, uint32_t *frame, size_t room)
{
    size_t n = 0, i;
    uint32_t at = (uint32_t)path;
    for (; p->path[at].parent != PFC_NONE && n < room; at = p->path[at].parent) frame[n++] = p->path[at].region;
    for (i = 0; i < n / 2; i++) {
        uint32_t swap = frame[i];
        frame[i] = frame[n - 1 - i];
        frame[n - 1 - i] = swap;
    }
    return n;
}

/* Each path is written out in whole: of deep ones that would be more than a viewer takes. */
enum { DEEPEST = 500 };
#define FURTHER "(further callers)" /* in place of those that are left out */

static int is_cut(const pfc_profile_t *p, size_t path) { return p->path[path].depth > DEEPEST; }

/* A number behind a blank, as in "step 2", would be another count for flamegraph.pl. */
static void folded_name(FILE *f, const char *name)
{
    char *joined = must(strdup(name)), *blank = strrchr(joined, ' ');
    if (blank && blank[1] && strspn(blank + 1, "0123456789.") == strlen(blank + 1)) *blank = '_';
    print_plain(f, joined, ";");
    free(joined);
}

static void folded(FILE *f, const pfc_profile_t *p)
{
    uint32_t frame[DEEPEST];
    size_t i, k;
    for (i = 0; i < p->paths; i++) {
        size_t n = frames_of(p, i, frame, DEEPEST);
        if (!is_shown(&p->path[i])) continue;
        if (is_cut(p, i)) fputs(FURTHER ";", f);
        for (k = 0; k < n; k++) {
            if (k) putc(';', f);
            folded_name(f, p->region[frame[k]].name);
        }
        fprintf(f, "%s %.0f\n", n ? "" : "(outside of all regions)", p->path[i].stats.exclusive.lt);
    }
}

static void speedscope(FILE *f, const pfc_profile_t *p)
{
    uint32_t frame[DEEPEST];
    size_t i, k, n;
    double end = 0;
    int first = 1;
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"perfcomp\",\"name\":", f);
    pfc_print_json(f, p->command);
    fputs(",\"shared\":{\"frames\":[", f);
    for (i = 0; i < p->regions; i++) {
        fputs(i ? ",\n{\"name\":" : "{\"name\":", f);
        pfc_print_json(f, p->region[i].name);
        if (*p->region[i].file) {
            fputs(",\"file\":", f);
            pfc_print_json(f, p->region[i].file);
            fprintf(f, ",\"line\":%u", p->region[i].line);
        }
        putc('}', f);
    }
    fputs(",\n{\"name\":\"" FURTHER "\"}]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":\"undisturbed time\",\"unit\":\"nanoseconds\",\"samples\":[", f);
    for (i = 0; i < p->paths; i++) {
        if (!is_shown(&p->path[i])) continue;
        end += p->path[i].stats.exclusive.lt;
        n = frames_of(p, i, frame, DEEPEST);
        fputs(first ? "[0" : ",\n[0", f);
        if (is_cut(p, i)) fprintf(f, ",%zu", p->regions);
        for (k = 0; k < n; k++) fprintf(f, ",%u", frame[k]);
        putc(']', f);
        first = 0;
    }
    fputs("],\n\"weights\":[", f);
    for (first = 1, i = 0; i < p->paths; i++) {
        if (!is_shown(&p->path[i])) continue;
        fprintf(f, "%s%.1f", first ? "" : ",", p->path[i].stats.exclusive.lt);
        first = 0;
    }
    fprintf(f, "],\"startValue\":0,\"endValue\":%.1f}]}\n", end);
}

static int export_callgrind(FILE *f, const profiles_t *p, const options_t *o) { (void)o; return with_tree(f, p, callgrind); }
static int export_folded(FILE *f, const profiles_t *p, const options_t *o) { (void)o; return with_tree(f, p, folded); }
static int export_speedscope(FILE *f, const profiles_t *p, const options_t *o) { (void)o; return with_tree(f, p, speedscope); }

/* Else who looks at the last second of a run takes it for all. `most`: that a thread had, `kept`: of them, where some were lost;
   `note`: not as many as the run had asked for found room, and to ask for them again is no use. */
static void say_overwritten(uint64_t lost, uint64_t most, uint64_t kept, const char *note)
{
    uint64_t enough = 1 << 16;
    char more[64] = "more can't be kept";
    while (enough < most && enough < PFC__TRACE_MOST) enough *= 2;
    if (enough > kept + 1) snprintf(more, sizeof more, "PERFCOMP_TRACE=%" PRIu64 " would keep %s", enough, enough < most ? "more" : "all");
    say("export", "the trace holds the last events of each thread; %" PRIu64 " before them were overwritten: %s", lost, note ? note : more);
}

static void say_none(uint64_t lost)
{
    if (!lost) say("export", "these profiles hold no trace; run the program with PERFCOMP_TRACE=1 (if it was, it has entered "
                     "no region: perfcomp-cc --count makes none)");
    else say("export", "all %" PRIu64 " events were overwritten while they were read; wait until the program has ended, "
                 "or run it with a larger PERFCOMP_TRACE", lost);
}

int has_trace(const profiles_t *profiles, const options_t *options)
{
    uint64_t events = 0, lost = 0, most = 0, kept = 0;
    size_t k;
    uint32_t t;
    (void)options;
    for (k = 0; k < profiles->n; k++)
        for (t = 0; t < profiles->p[k]->threads; t++) {
            const pfc_thread_info_t *thread = &profiles->p[k]->thread[t];
            events += thread->events;
            lost += thread->events_lost;
            if (thread->events + thread->events_lost > most) most = thread->events + thread->events_lost;
            if (thread->events_lost && thread->events > kept) kept = thread->events;
        }
    if (!events) say_none(lost);
    else if (lost) say_overwritten(lost, most, kept, profiles_note(profiles, "PERFCOMP_TRACE: for "));
    return events != 0;
}

/* ---- the formats, and the verb */

static const struct {
    const char *name;
    int (*write)(FILE *, const profiles_t *, const options_t *);
    int (*can)(const profiles_t *, const options_t *); /* NULL: always; otherwise it says why not, and a file that is there stays as it is */
    enum contents wanted;
    int to_folder;               /* which it makes itself */
} formats[] = {
    { "lcov", export_lcov, has_lines, TIMES_AND_BLOCKS, 0 },
    { "json", export_json, 0, TIMES, 0 },
    { "callgrind", export_callgrind, 0, TIMES, 0 },
    { "folded", export_folded, has_times, TIMES, 0 },
    { "speedscope", export_speedscope, has_times, TIMES, 0 },
    { "chrome-trace", export_chrome, has_trace, TIMES, 0 },
    { "otf2", export_otf2, can_export_otf2, TIMES, 1 },
};

static int write_to(const options_t *options, const profiles_t *profiles, size_t format)
{
    FILE *f;
    int status;
    if (options->output && is_spared(&verb_export, options->output, 0)) return BAD_INPUT;
    f = options->output ? fopen(options->output, "w") : stdout;
    if (!f) {
        say(0, "%s: can't be written: %s", options->output, strerror(errno));
        return BAD_INPUT;
    }
    status = formats[format].write(f, profiles, options);
    if (!options->output || output_end(f, options->output)) return status;
    say(0, "%s: can't be written; make room, or write elsewhere", options->output);
    return BAD_INPUT;
}

static int export(const options_t *options, const profiles_t *profiles, size_t format)
{
    if (formats[format].can && !formats[format].can(profiles, options)) return BAD_INPUT;
    return formats[format].to_folder ? formats[format].write(0, profiles, options) : write_to(options, profiles, format);
}

enum { FORMATS = sizeof formats / sizeof *formats };

/* NULL: none was named. FORMATS: there is none of that name, which was said. */
static size_t format_named(const char *name)
{
    char names[128] = "";
    size_t i = 0;
    while (i < FORMATS && (!name || strcmp(name, formats[i].name))) i++;
    if (i < FORMATS) return i;
    for (i = 0; i < FORMATS; i++) {
        if (i) strcat(names, ", ");
        strcat(names, formats[i].name);
    }
    say("export", "%s%schoose one with --format: %s", name ? name : "", name ? " is no format: " : "", names);
    return FORMATS;
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    profiles_t profiles;
    size_t format;
    int status = options_read(&options, verb, "jFod", argc, argv);
    if (status >= 0) return status;
    if (options.json && options.format && strcmp(options.format, "json")) {
        say("export", "--json and --format %s are two formats; choose one", options.format);
        return BAD_USAGE;
    }
    if (options.json) options.format = "json";
    if (options.output && !strcmp(options.output, "-")) options.output = 0; /* as everywhere */
    format = format_named(options.format);
    if (format == FORMATS) return BAD_USAGE;
    if (formats[format].to_folder && (!options.output || !*options.output)) {
        say("export", "a trace in %s is a folder of several files: name it with -o", formats[format].name);
        return BAD_USAGE;
    }
    if (profiles_open(&profiles, argv + options.first, argc - options.first, formats[format].wanted)) return BAD_INPUT;
    status = export(&options, &profiles, format);
    if (!status) status = profiles.status;
    profiles_close(&profiles);
    return status;
}

const verb_t verb_export = {
    "export", "the profile in the formats of other tools",
    "usage: perfcomp export {--format FORMAT|--json} [-o FILE] [--source-dir FOLDER] [FILES|FOLDER]\n\n"
    "  lcov          counts of lines and functions, for genhtml and editors\n"
    "  callgrind     undisturbed and measured time of every call path, for kcachegrind\n"
    "  folded        one line a call path, for flamegraph.pl\n"
    "  speedscope    for speedscope.app\n"
    "  chrome-trace  every event (PERFCOMP_TRACE=1), messages as arrows, for Perfetto and chrome://tracing\n"
    "  otf2          the same as a folder (-o) in the Open Trace Format, for Vampir\n"
    "  json          what perfcomp report --json says, which has no blocks, lines and events; the same as --json\n\n"
    "  -o, --output FILE    there, instead of on stdout\n"
    "  --source-dir FOLDER  where lcov's relative names of sources are looked for, instead of the folder they were compiled in\n\n"
    "A row of a trace is a thread, or several that ran one after the other.\n"
    "Times are undisturbed (LT); one below zero is zero there. Of an interval a..b lcov gets a, and of 0..b\n"
    "nothing: whether that has run isn't known (perfcomp-cc --exact leaves no intervals).\n",
    run,
};
