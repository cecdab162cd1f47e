/* Options, files and folders. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

void *must(void *memory)
{
    if (memory) return memory;
    fputs("perfcomp: not enough memory\n", stderr);
    exit(BAD_INPUT);
}

const char *count_text(char *text, size_t bytes, uint64_t low, uint64_t high)
{
    if (high == UINT64_MAX) snprintf(text, bytes, "?");
    else if (low == high) snprintf(text, bytes, "%llu", (unsigned long long)low);
    else snprintf(text, bytes, "%llu..%llu", (unsigned long long)low, (unsigned long long)high);
    return text;
}

/* ---- options */

/* What a number has to be. */
typedef struct range { double least, most; const char *wanted; } range_t;

static int refused_value(const verb_t *verb, const char *option, const char *text, const char *wanted)
{
    fprintf(stderr, "perfcomp %s: %s %s isn't understood; give %s\n", verb->name, option, text, wanted);
    return 0;
}

/* 0: it isn't one, which was said. `end`: what may stand behind it. */
static int number_read(double *number, const verb_t *verb, const char *option, const char *text, const char *behind, const range_t *range)
{
    char *end;
    *number = strtod(text, &end);
    if (end != text && *number >= range->least && *number <= range->most && (!*end || !strcmp(end, behind))) return 1;
    return refused_value(verb, option, text, range->wanted);
}

static int count_read(int *count, const verb_t *verb, const char *option, const char *text, const range_t *range)
{
    double number;
    if (strspn(text, "0123456789") != strlen(text)) return refused_value(verb, option, text, range->wanted);
    if (!number_read(&number, verb, option, text, "", range)) return 0;
    *count = (int)number;
    return 1;
}

static int percent_read(double *share, const verb_t *verb, const char *option, const char *text, const range_t *range)
{
    double percent;
    if (!number_read(&percent, verb, option, text, "%", range)) return 0;
    *share = percent / 100;
    return 1;
}

/* The value of an option that has a number; 0: it isn't one, which was said. */
static int value_read(options_t *options, const verb_t *verb, int option, const char *text)
{
    static const range_t times = { 1, 10000, "a number from 1 to 10000" }, runs = { 2, 1e9, "a number of runs from 2" },
                         overhead = { 0, 1e6, "a percentage like 5 or 2.5%" }, share = { 1e-9, 100, "a percentage like 90, more than 0 and at most 100" },
                         seconds = { 0.01, 1e6, "seconds, 0.01 or more" }, within = { 1e-9, 2, "a distance like 0.1, more than 0" };
    switch (option) {
    case 'p': return percent_read(&options->overhead, verb, "--overhead", text, &overhead);
    case 'r': return percent_read(&options->share, verb, "--share", text, &share);
    case 'i': return number_read(&options->interval, verb, "--interval", text, "", &seconds);
    case 'w': return number_read(&options->within, verb, "--within", text, "", &within);
    case 'q': return count_read(&options->least, verb, "--at-least", text, &runs);
    default: return count_read(&options->times, verb, "-n", text, &times);
    }
}

/* The option stands before its value, if that is an argument of its own. */
static int option_refused(const verb_t *verb, int option, char **argv)
{
    const char letter[] = { '-', (char)optopt, 0 }, *name = argv[optind - 1];
    if (option == '?' && optopt) name = letter;
    else if (option != '?' && option != ':' && optarg == name) name = argv[optind - 2];
    fprintf(stderr, "perfcomp %s: there is no option '%s'; perfcomp %s --help lists them\n", verb->name, name, verb->name);
    return BAD_USAGE;
}

int options_read(options_t *options, const verb_t *verb, const char *accepted, int argc, char **argv)
{
    static const struct option known[] = {
        { "help", no_argument, 0, 'h' },       { "json", no_argument, 0, 'j' },
        { "all", no_argument, 0, 'a' },        { "blocks", no_argument, 0, 'b' },
        { "format", required_argument, 0, 'F' }, { "output", required_argument, 0, 'o' },
        { "runs", required_argument, 0, 'n' }, { "source", required_argument, 0, 's' },
        { "source-dir", required_argument, 0, 'd' }, { "overhead", required_argument, 0, 'p' },
        { "interval", required_argument, 0, 'i' },
        { "within", required_argument, 0, 'w' }, { "share", required_argument, 0, 'r' },
        { "at-least", required_argument, 0, 'q' }, { "shape", no_argument, 0, 'S' },
        { "at", required_argument, 0, 'A' },
        { 0, 0, 0, 0 },
    };
    int option;
    memset(options, 0, sizeof *options);
    options->overhead = .05;
    options->interval = 1;
    options->within = .1;
    options->share = .9;
    options->least = 5;
    opterr = 0;
    while ((option = getopt_long(argc, argv, *accepted == '+' ? "+:hn:o:" : ":hn:o:", known, 0)) != -1) {
        if (option == 'h') { fputs(verb->help, stdout); return OK; }
        if (!strchr(accepted, option == ':' ? optopt : option)) return option_refused(verb, option, argv);
        if (option == ':') {
            fprintf(stderr, "perfcomp %s: option '%s' lacks its value; perfcomp %s --help\n", verb->name, argv[optind - 1], verb->name);
            return BAD_USAGE;
        }
        switch (option) {
        case 'j': options->json = 1; break;
        case 'a': options->all = 1; break;
        case 'b': options->blocks = 1; break;
        case 'F': options->format = optarg; break;
        case 'o': options->output = optarg; break;
        case 's': options->source = optarg; break;
        case 'd': options->source_dir = optarg; break;
        case 'A': options->at = optarg; break;
        case 'S': options->shape = 1; break;
        default: if (!value_read(options, verb, option, optarg)) return BAD_USAGE;
        }
    }
    options->first = optind;
    return -1;
}

/* ---- profiles */

void say(const char *why)
{
    fputs("perfcomp: ", stderr);
    pfc_print_text(stderr, why);
    putc('\n', stderr);
}

/* Its process was just beginning, or was killed then: the file is empty, or has nothing behind its mark. */
static int has_just_begun(const char *name)
{
    char magic[sizeof PFC__MAGIC - 1] = "";
    uint32_t byte_order = 0;
    struct stat status;
    FILE *file = stat(name, &status) || !S_ISREG(status.st_mode) ? 0 : fopen(name, "re"); /* who opens a pipe waits */
    size_t n;
    if (!file) return 0;
    n = fread(magic, 1, sizeof magic, file);
    if (n == sizeof magic && fread(&byte_order, sizeof byte_order, 1, file) != 1) byte_order = 1;
    fclose(file);
    return n == 0 || (n == sizeof magic && !byte_order && (!*magic || !memcmp(magic, PFC__MAGIC, sizeof magic)));
}

/* It was there a moment ago: a later run is about to replace it. */
static int is_gone(const char *name)
{
    struct stat status;
    return lstat(name, &status) && errno == ENOENT;
}

/* In a folder, where nobody has named it, a file without a profile is none. */
static void refused(profiles_t *profiles, const char *name, int in_folder, const char *why)
{
    if (in_folder && (is_gone(name) || has_just_begun(name))) {
        if (profiles->told == ALL_IS_TOLD) fprintf(stderr, "perfcomp: %s: begun just now, or killed then: left out\n", name);
        return;
    }
    if (profiles->told != NOTHING_IS_TOLD) say(why);
    profiles->status = BAD_INPUT;
}

/* All that the file holds. */
static void add_file(profiles_t *profiles, const char *name, int in_folder)
{
    char why[PFC_WHY];
    size_t n = pfc_profiles_in(name, why, sizeof why), i;
    if (!n && in_folder && !is_gone(name)) n = pfc_profiles_in(name, why, sizeof why); /* replaced meanwhile */
    if (!n) { refused(profiles, name, in_folder, why); return; }
    profiles->p = (pfc_profile_t **)must(realloc(profiles->p, (profiles->n + n) * sizeof *profiles->p));
    for (i = 0; i < n; i++) {
        pfc_profile_t *p = pfc_profile_open_one(name, i, why, sizeof why);
        if (p && profiles->wanted == TIMES) pfc_profile_forget_blocks(p);
        if (p) profiles->p[profiles->n++] = p;
        else refused(profiles, name, in_folder, why);
    }
}

static int ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

static int is_profile_name(const struct dirent *entry) { return ends_in(entry->d_name, ".pfc") && strlen(entry->d_name) > 4; }

static int is_mpi_or_merged(const pfc_profile_t *p) { return p->mpi || p->collected; }

/* Whose profile has the name that each run takes, so that it has replaced that of the run before; or NULL. */
static const pfc_profile_t *last_to_begin(const profiles_t *profiles, size_t first)
{
    size_t i;
    for (i = first; i < profiles->n; i++)
        if (ends_in(profiles->p[i]->file, "perfcomp.0.pfc") && !is_mpi_or_merged(profiles->p[i]) && !profiles->p[i]->forked) return profiles->p[i];
    return 0;
}

/* A run replaces its own profile of the last time in this folder, but not those of the processes that it forked then, nor of
   the programs that were started while it ran: they began before this, when whoever has started them isn't here any more. */
static int64_t begin_of_run(const profiles_t *profiles, size_t first)
{
    const pfc_profile_t *last = last_to_begin(profiles, first);
    int64_t begin = INT64_MIN;
    size_t i;
    if (last) return last->begin_utc_ns;
    for (i = first; i < profiles->n; i++) {
        const pfc_profile_t *p = profiles->p[i];
        if (!p->forked && (begin == INT64_MIN || p->begin_utc_ns < begin)) begin = p->begin_utc_ns;
    }
    return begin;
}

static int has_started(const pfc_profile_t *p, const pfc_profile_t *child)
{
    return p->pid == child->parent_pid && p->begin_utc_ns < child->begin_utc_ns && !strcmp(p->host, child->host);
}

/* Whether that was so of this one. A daemon's processes began before all that wasn't forked, too, where the same program was
   started again to reload or stop it: they ran on then, or who started them did. */
static int is_of_earlier_run(const profiles_t *profiles, size_t first, const pfc_profile_t *p, int64_t begin)
{
    size_t i;
    if (p->begin_utc_ns >= begin || p->run == PFC_RUNNING || p->last_utc_ns >= begin || (!p->forked && is_mpi_or_merged(p))) return 0;
    for (i = first; i < profiles->n; i++)
        if (has_started(profiles->p[i], p) && !is_of_earlier_run(profiles, first, profiles->p[i], begin)) return 0;
    return 1;
}

/* Nor does an MPI job replace those of ranks that it hasn't itself, nor an earlier merged file. This is its rank 0, or NULL;
   that of processes which it spawned has a name with a number more. */
static const pfc_profile_t *rank_0(const profiles_t *profiles, size_t first)
{
    const pfc_profile_t *newest = 0;
    size_t i;
    for (i = first; i < profiles->n; i++) {
        const pfc_profile_t *p = profiles->p[i];
        if (ends_in(p->file, "perfcomp.0.pfc") && p->mpi && !p->mpi->rank && (!newest || p->begin_utc_ns > newest->begin_utc_ns)) newest = p;
    }
    return newest;
}

static int are_merged(const pfc_profile_t *p, const pfc_profile_t *q)
{
    const char *name = strrchr(p->file, '/');
    return p->collected && q->collected && name && !strncmp(p->file, q->file, (size_t)(name - p->file) + 1);
}

/* It had been in MPI_Init, and ended, when `newest` began, which can't be in one job. Clocks of hosts differ: told on one. */
static int is_of_earlier_job(const pfc_profile_t *p, const pfc_profile_t *newest)
{
    return newest && p->mpi && p->run != PFC_RUNNING && p->last_utc_ns < newest->begin_utc_ns && !strcmp(p->host, newest->host) &&
           !are_merged(p, newest);
}

static void say_left_out(const char *folder, size_t n, const char *one, const char *several)
{
    if (n)
        fprintf(stderr, "perfcomp: %s: %zu %s of an earlier run: left out unless named; remove old profiles before a run\n", folder, n, n == 1 ? one : several);
}

static void leave_out_earlier(profiles_t *profiles, size_t first, const char *folder)
{
    enum { KEPT, OF_JOB, FORKED, STARTED, REASONS };
    const pfc_profile_t *newest = rank_0(profiles, first);
    int64_t begin = begin_of_run(profiles, first);
    unsigned char *why = must(calloc(profiles->n + 1, 1));
    size_t i, kept = first, n[REASONS] = { 0 };
    for (i = first; i < profiles->n; i++) {
        const pfc_profile_t *p = profiles->p[i];
        if (is_of_earlier_job(p, newest)) why[i] = OF_JOB;
        else if (is_of_earlier_run(profiles, first, p, begin)) why[i] = p->forked ? FORKED : STARTED;
    }
    for (i = first; i < profiles->n; i++) {
        n[why[i]]++;
        if (why[i] != KEPT) pfc_profile_close(profiles->p[i]);
        else profiles->p[kept++] = profiles->p[i];
    }
    free(why);
    profiles->n = kept;
    if (profiles->told != ALL_IS_TOLD) return;
    say_left_out(folder, n[OF_JOB], "MPI rank is", "MPI ranks are");
    say_left_out(folder, n[FORKED], "forked process is", "forked processes are");
    say_left_out(folder, n[STARTED], "program is", "programs are");
}

static void add_folder(profiles_t *profiles, const char *folder)
{
    struct dirent **entry;
    size_t first = profiles->n;
    int n = scandir(folder, &entry, is_profile_name, alphasort), i;
    if (n < 0) {
        if (profiles->told != NOTHING_IS_TOLD) fprintf(stderr, "perfcomp: %s: can't be read: %s\n", folder, strerror(errno));
        profiles->status = BAD_INPUT;
        return;
    }
    if (n == 0 && profiles->told == ALL_IS_TOLD) {
        fprintf(stderr, "perfcomp: %s: holds no perfcomp.*.pfc; run the instrumented program there, or name its folder (PERFCOMP_DIR)\n", folder);
        profiles->status = BAD_INPUT;
    }
    for (i = 0; i < n; i++) {
        char *name = 0;
        if (!strcmp(folder, ".")) name = strdup(entry[i]->d_name);
        else if (asprintf(&name, "%s/%s", folder, entry[i]->d_name) < 0) name = 0;
        add_file(profiles, (const char *)must(name), 1);
        free(name);
        free(entry[i]);
    }
    free(entry);
    leave_out_earlier(profiles, first, folder);
}

static int by_rank(const void *a, const void *b)
{
    const pfc_profile_t *x = *(pfc_profile_t *const *)a, *y = *(pfc_profile_t *const *)b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->begin_utc_ns != y->begin_utc_ns) return x->begin_utc_ns < y->begin_utc_ns ? -1 : 1;
    if (x->pid != y->pid) return x->pid < y->pid ? -1 : 1;
    if (x->collected != y->collected) return y->collected - x->collected;
    return strcmp(x->file, y->file);
}

static int is_one_file(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int is_spared(const verb_t *verb, const char *output)
{
    char why[PFC_WHY];
    pfc_profile_t *there = pfc_profile_open_one(output, 0, why, sizeof why);
    pfc_profile_close(there);
    if (!there) return 0;
    fprintf(stderr, "perfcomp %s: %s: is a profile, and would be lost; write elsewhere\n", verb->name, output);
    return 1;
}

static int is_again(const pfc_profile_t *p, const pfc_profile_t *last)
{
    return last->rank == p->rank && last->pid == p->pid && last->begin_utc_ns == p->begin_utc_ns && !strcmp(last->host, p->host) &&
           (last->collected || is_one_file(last->file, p->file));
}

/* A file may be named, and its folder, too; and what was merged may still lie beside the merged file: sorted, it comes behind it. */
static void take_once(profiles_t *profiles)
{
    size_t i, kept = 0;
    for (i = 0; i < profiles->n; i++) {
        pfc_profile_t *p = profiles->p[i];
        if (kept && is_again(p, profiles->p[kept - 1])) pfc_profile_close(p);
        else profiles->p[kept++] = p;
    }
    profiles->n = kept;
}

static void add_names(profiles_t *profiles, char **names, int n)
{
    struct stat s;
    int i;
    if (n == 0) add_folder(profiles, ".");
    for (i = 0; i < n; i++) {
        int is_there = !stat(names[i], &s);
        if (is_there && S_ISDIR(s.st_mode)) add_folder(profiles, names[i]);
        else if (is_there || profiles->told == ALL_IS_TOLD) add_file(profiles, names[i], profiles->told != ALL_IS_TOLD);
    }
    if (profiles->n) qsort(profiles->p, profiles->n, sizeof *profiles->p, by_rank);
    take_once(profiles);
}

int profiles_open(profiles_t *profiles, char **names, int n, enum contents wanted)
{
    memset(profiles, 0, sizeof *profiles);
    profiles->wanted = wanted;
    add_names(profiles, names, n);
    if (!profiles->n) profiles->status = BAD_INPUT;
    return profiles->n == 0;
}

void profiles_look(profiles_t *profiles, char **names, int n, int again)
{
    memset(profiles, 0, sizeof *profiles);
    profiles->told = again ? NOTHING_IS_TOLD : BAD_ONES_ARE_TOLD;
    add_names(profiles, names, n);
}

void profiles_close(profiles_t *profiles)
{
    size_t i;
    for (i = 0; i < profiles->n; i++) pfc_profile_close(profiles->p[i]);
    free(profiles->p);
}
