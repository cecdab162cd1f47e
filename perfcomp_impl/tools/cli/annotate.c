/* perfcomp annotate: sources with the count of every line. */
#include "cli.h"

#include <sys/stat.h>

typedef enum found { FOUND, NEWER, MISSING } found_t;

static found_t look(const source_t *s)
{
    struct stat file;
    if (stat(s->path, &file) || !S_ISREG(file.st_mode)) return MISSING;
    return (int64_t)file.st_mtim.tv_sec * 1000000000 + file.st_mtim.tv_nsec > s->compiled_before_ns ? NEWER : FOUND;
}

static void remark(FILE *to, const source_t *s, found_t found)
{
    if (found == FOUND) return;
    pfc_print_text(to, s->path);
    fputs(found == NEWER ? ": newer than the profile: counts may stand at wrong lines; run the program again\n"
                         : ": not found: counts without text; name its folder with --source-dir\n", to);
}

static int is_untouched(const source_t *s, uint32_t line)
{
    size_t i;
    for (i = 0; i < s->untouched_n; i++)
        if (s->untouched[i]->line <= line && line <= s->untouched[i]->line_end) return 1;
    return 0;
}

static void print_count(const source_t *s, const line_count_t *count, uint32_t line)
{
    char text[64];
    if (!count) printf("%20s", is_untouched(s, line) ? "not instrumented" : "-");
    else printf("%20s", count->high == 0 ? "#####" : count_text(text, sizeof text, count->low, count->high));
}

static void print_bare(const source_t *s)
{
    size_t i;
    for (i = 0; i < s->lines; i++) {
        print_count(s, &s->line[i], s->line[i].line);
        printf(":%6u\n", s->line[i].line);
    }
}

static void print_lines(const source_t *s, FILE *file)
{
    char *text = 0;
    size_t room = 0, next = 0;
    uint32_t number = 0;
    ssize_t n;
    while ((n = getline(&text, &room, file)) >= 0) {
        number++;
        while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r')) text[--n] = 0;
        while (next < s->lines && s->line[next].line < number) next++;
        print_count(s, next < s->lines && s->line[next].line == number ? &s->line[next] : 0, number);
        printf(":%6u:%s\n", number, text);
    }
    free(text);
    if (s->lines && s->line[s->lines - 1].line > number)
        printf("%20s:%6s: counts lie behind the end of this file: it isn't what was compiled, or a #line counts on there\n", "?", "");
}

static void print_source(const source_t *s)
{
    found_t found = look(s);
    FILE *file = found == MISSING ? 0 : fopen(s->path, "r");
    if (!file) found = MISSING;
    printf("%20s:%6s: ", "", "");
    pfc_print_text(stdout, s->path);
    putchar('\n');
    if (found != FOUND) printf("%20s:%6s: ", "", ""), remark(stdout, s, found);
    remark(stderr, s, found);
    if (file) {
        print_lines(s, file);
        fclose(file);
    } else print_bare(s);
    putchar('\n');
}

static void json_source(const source_t *s)
{
    static const char *const word[] = { "found", "newer", "missing" };
    size_t i;
    fputs("{\"name\":", stdout);
    pfc_print_json(stdout, s->name);
    fputs(",\"path\":", stdout);
    pfc_print_json(stdout, s->path);
    printf(",\"source\":\"%s\",\"functions\":[", word[look(s)]);
    for (i = 0; i < s->functions; i++) {
        fputs(i ? ",\n{\"name\":" : "{\"name\":", stdout);
        pfc_print_json(stdout, s->function[i].name);
        printf(",\"line\":%u", s->function[i].line);
        json_count(s->function[i].low, s->function[i].high);
        putchar('}');
    }
    fputs("],\n\"lines\":[", stdout);
    for (i = 0; i < s->lines; i++) {
        printf("%s{\"line\":%u", i ? ",\n" : "", s->line[i].line);
        json_count(s->line[i].low, s->line[i].high);
        putchar('}');
    }
    fputs("]}", stdout);
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    profiles_t profiles;
    sources_t sources;
    size_t i, shown = 0;
    int status = options_read(&options, verb, "jsd", argc, argv);
    if (status >= 0) return status;
    if (profiles_open(&profiles, argv + options.first, argc - options.first, TIMES_AND_BLOCKS)) return BAD_INPUT;
    status = sources_count(&sources, &profiles, options.source_dir);
    if (options.json) fputs("{\"sources\":[", stdout);
    for (i = 0; !status && i < sources.n; i++) {
        const source_t *s = &sources.source[i];
        if ((!s->lines && !s->untouched_n) || (options.source && !strstr(s->path, options.source))) continue;
        if (!options.json) print_source(s);
        else fputs(shown ? ",\n" : "", stdout), json_source(s);
        shown++;
    }
    if (options.json) puts("]}");
    say_lost_counts(&profiles);
    if (!status && !shown) {
        say("annotate", "%s", options.source ? "no counted source has that in its path; leave out --source to see all"
                                             : "no lines were counted; build the program with perfcomp-cc, without --time");
        status = BAD_INPUT;
    }
    if (!status) status = profiles.status;
    sources_free(&sources);
    profiles_close(&profiles);
    return status;
}

const verb_t verb_annotate = {
    "annotate", "the source with the count of every line",
    "usage: perfcomp annotate [--source TEXT] [--source-dir FOLDER] [--json] [FILES|FOLDER]\n\n"
    "  --source TEXT        only sources with TEXT in their path\n"
    "  --source-dir FOLDER  where relative names of sources are looked for, instead of the folder they were compiled in\n\n"
    "  count   how often the line ran, summed over all profiles named, and all functions that it is part of where a file is\n"
    "          included more than once; of several blocks of a function that begin in it the most frequent\n"
    "  #####   never     -  no code     a..b  all that is sure is the interval     ?  the counts contradict each other\n"
    "  not instrumented  of a function that had to be left as it is: see PERFCOMP_CC_SUMMARY\n",
    run,
};
