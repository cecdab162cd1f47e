/* perfcomp watch: what running programs do now, and what they did since the last look. */
#include "cli.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define AROUND 8     /* lines of a picture that are no process's, thread's or region's; the cursor's is one, too */
#define WIDE 120     /* columns of a screen on which there is room for all figures and a path */
#define DEEP 5u      /* regions of a path that are shown, at most */
#define LEAST 1000.0 /* ns that a region without a call must have taken to be shown */

/* One look. */
typedef struct view {
    profiles_t profiles;
    accounts_t step;             /* since the last look */
    int64_t utc_ns;
    size_t running, left;        /* processes; those that have ended */
    int mpi;                     /* 1: there is a rank of an MPI job */
    size_t rows, regions;        /* that are shown, at most */
    int colour, narrow;          /* narrow: what processes do now would be cut off behind all figures */
    int columns;                 /* of the screen; 0: of none */
} view_t;

/* What a region took in all processes since the last look. */
typedef struct taken { const pfc_region_info_t *region; uint64_t calls; pfc_time_t lt; } taken_t;

static int runs(const pfc_profile_t *p) { return p->run == PFC_RUNNING || p->run == PFC_ELSEWHERE; }
static double overhead(const pfc_time_t *sum, double delay_in) { return sum->ct > 0 ? (sum->ct - sum->lt - delay_in) / sum->ct : 0; }

/* ---- regions */

static int by_region(const void *a, const void *b) { return pfc_region_order(((const taken_t *)a)->region, ((const taken_t *)b)->region); }

static int by_time(const void *a, const void *b)
{
    const taken_t *x = (const taken_t *)a, *y = (const taken_t *)b;
    if (x->lt.lt < y->lt.lt || x->lt.lt > y->lt.lt) return x->lt.lt < y->lt.lt ? 1 : -1;
    return by_region(a, b);
}

/* Those that something was done in, the longest time first. */
static taken_t *taken_in(const accounts_t *step, size_t *n)
{
    size_t all = 0, i, k, kept = 0;
    taken_t *t;
    for (i = 0; i < step->n; i++) all += step->account[i].regions;
    t = (taken_t *)must(calloc(all + 1, sizeof *t));
    for (i = *n = 0; i < step->n; i++)
        for (k = 0; k < step->account[i].regions; k++, ++*n) {
            t[*n].region = &step->account[i].p->region[k];
            t[*n].calls = step->account[i].region[k].count;
            t[*n].lt = step->account[i].region[k].exclusive;
        }
    qsort(t, *n, sizeof *t, by_region);
    for (i = 0; i < *n; i++) {
        if (kept && !by_region(&t[kept - 1], &t[i])) {
            t[kept - 1].calls += t[i].calls;
            pfc_time_add(&t[kept - 1].lt, &t[i].lt);
        } else t[kept++] = t[i];
    }
    for (i = *n = 0; i < kept; i++)
        if (t[i].calls || t[i].lt.ct >= LEAST) t[(*n)++] = t[i];
    qsort(t, *n, sizeof *t, by_time);
    return t;
}

/* ---- processes */

static uint64_t calls_of(const account_t *a)
{
    uint64_t calls = 0;
    size_t i;
    for (i = 0; i < a->regions; i++) calls += a->region[i].count;
    return calls;
}

static pfc_time_t time_in_mpi(const account_t *a)
{
    pfc_time_t sum;
    size_t i;
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < a->regions; i++)
        if (a->p->region[i].kind == PFC__MPI_CALL) pfc_time_add(&sum, &a->region[i].exclusive);
    return sum;
}

/* Of that time, waiting for others. A call tells its wait when it ends: what lay before the last look was told of there. */
static double time_waiting(const account_t *a)
{
    const double mpi = time_in_mpi(a).lt;
    return a->wait_lt < mpi ? a->wait_lt : mpi > 0 ? mpi : 0;
}

/* How long it has run; CT, ns. */
static double age(const account_t *a) { return (double)(a->p->last_utc_ns - a->begin_utc_ns); }

enum doing { COMPUTES, SLEEPS, IN_MPI, WAITS, HAS_DIED, HAS_ENDED, IS_MOVING };

/* A call of MPI that goes on since before the last look waits, or has a lot to transfer; it may well do so awake. */
static enum doing doing(const account_t *a, const pfc_thread_info_t *t)
{
    if (t->ended || a->p->run == PFC_ENDED || (a->p->run == PFC_DIED && a->p->left)) return HAS_ENDED;
    if (t->now == PFC_NONE) return IS_MOVING;
    if (a->p->run == PFC_DIED) return HAS_DIED;
    if (t->waits) return WAITS;
    if (a->p->region[a->p->path[t->now].region].kind != PFC__MPI_CALL) return t->sleeps ? SLEEPS : COMPUTES;
    return t->since >= 0 && t->since < age(a) - a->passed ? WAITS : IN_MPI;
}

/* How long its innermost region has been open; ns. */
static double open_for(const pfc_thread_info_t *t) { return t->end - t->since; }

/* ---- text */

/* How it ended without ending as others do: pfc_profile_t's `left`. */
static const char *const left_by[] = { "", "_exit", "exec" };

static void coloured(const view_t *v, FILE *f, const char *code) { if (v->colour) fprintf(f, "\033[%sm", code); }

/* In front of what it does now. */
static int width(const view_t *v) { return v->narrow ? 28 + (v->mpi ? 20 : 0) : 63 + (v->mpi ? 30 : 0); }

static int columns_of(const char *text)
{
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

/* The end of a path: so many regions, or only the innermost one's name. */
static char *end_of(const account_t *a, uint32_t path, uint32_t regions)
{
    char *text = 0;
    size_t bytes;
    FILE *f = (FILE *)must(open_memstream(&text, &bytes));
    if (regions && a->p->path[path].parent != PFC_NONE) pfc_print_path(f, a->p, path, regions);
    else pfc_print_text(f, a->p->region[a->p->path[path].region].name);
    if (fclose(f)) must(0);
    return text;
}

/* As many regions as there are columns for, and the time if there are: a figure that is cut off is another one. */
static void print_path(const view_t *v, FILE *f, const account_t *a, uint32_t path, const char *time)
{
    uint32_t regions = DEEP;
    int columns = v->columns ? v->columns - width(v) - 11 : INT_MAX;
    char *text = end_of(a, path, regions);
    while (regions && columns_of(text) + columns_of(time) > columns) {
        free(text);
        text = end_of(a, path, --regions);
    }
    fprintf(f, "%s%s", text, columns_of(text) + columns_of(time) > columns ? "" : time);
    free(text);
}

static void print_now(const view_t *v, FILE *f, const account_t *a, const pfc_thread_info_t *t)
{
    static const struct { const char *word, *colour; } style[] = {
        { "computes", "32" }, { "sleeps", "36" }, { "MPI", "33" }, { "waits", "31" }, { "died", "31" }, { "ended", "0" }, { "", "0" }
    };
    enum doing what = doing(a, t);
    char time[48] = "";
    if (what < HAS_DIED && t->since >= 0) snprintf(time, sizeof time, "  for %.3f s", open_for(t) / 1e9);
    fputs("  ", f);
    coloured(v, f, style[what].colour);
    fprintf(f, "%-9s", what == HAS_ENDED && a->p->left ? left_by[a->p->left] : style[what].word);
    coloured(v, f, "0");
    if (what != HAS_ENDED && what != IS_MOVING) print_path(v, f, a, t->now, time);
    putc('\n', f);
}

/* A share as a figure that fits; of a whole that may be nothing, as far as is known, shares say nothing. */
static void print_share(FILE *f, double part, double whole, double u)
{
    if (whole > u) fprintf(f, " %8.1f%%", 100 * part / whole);
    else fprintf(f, " %9s", whole < 0 || u > 0 ? "?" : "");
}

static void print_process(const view_t *v, FILE *f, const account_t *a)
{
    fprintf(f, "%6u %8lld %12.6f", a->p->rank, (long long)a->p->pid, a->p->total.lt / 1e9);
    if (!v->narrow) fprintf(f, " ±%10.6f", a->p->total.u / 1e9);
    if (v->mpi) {
        print_share(f, time_in_mpi(a).lt, a->sum.lt, a->sum.u);
        print_share(f, time_waiting(a), a->sum.lt, a->sum.u);
        if (!v->narrow) fprintf(f, " %9.3f", a->passed > 0 ? (double)a->bytes / a->passed * 1e3 : 0);
    }
    if (v->narrow) return;
    print_share(f, a->sum.ct - a->sum.lt - a->delay_in, a->sum.ct, 0);
    fprintf(f, " %12.0f", a->passed > 0 ? (double)calls_of(a) / a->passed * 1e9 : 0);
}

/* The first thread on the process's line, each other one that hasn't ended on a line of its own, if there is one. */
static void print_threads(const view_t *v, FILE *f, const account_t *a, size_t *rows, size_t *hidden)
{
    uint32_t t;
    for (t = 0; t < a->p->threads; t++) {
        const pfc_thread_info_t *thread = &a->p->thread[t];
        if (t && doing(a, thread) == HAS_ENDED) continue;
        if (t && *rows >= v->rows) { ++*hidden; continue; }
        if (t) fprintf(f, "%*s thread %-4u", width(v) - 12, "", thread->id);
        print_now(v, f, a, thread);
        ++*rows;
    }
    if (a->p->threads) return;
    putc('\n', f);
    ++*rows;
}

static void print_hidden(FILE *f, size_t processes, size_t threads)
{
    if (!processes && !threads) return;
    fprintf(f, "%6s ", "…");
    if (processes) fprintf(f, "%zu %s", processes, processes == 1 ? "process" : "processes");
    if (threads) fprintf(f, "%s%zu %s", processes ? " and " : "", threads, threads == 1 ? "thread" : "threads");
    fputs(" left out: perfcomp watch --all\n", f);
}

/* Those that run, or where none does, all. */
static void print_processes(const view_t *v, FILE *f)
{
    size_t i, rows = 0, hidden = 0, threads = 0;
    fprintf(f, "%6s %8s %12s", "rank", "pid", "LT [s]");
    if (!v->narrow) fprintf(f, "  %10s", "u");
    if (v->mpi) fprintf(f, " %9s %9s", "MPI", "of: wait");
    if (v->mpi && !v->narrow) fprintf(f, " %9s", "MB/s");
    if (!v->narrow) fprintf(f, " %9s %12s", "instr", "calls/s");
    fputs("  now\n", f);
    for (i = 0; i < v->step.n; i++) {
        const account_t *a = &v->step.account[i];
        if (v->running && !runs(a->p)) continue;
        if (rows >= v->rows) { hidden++; continue; }
        print_process(v, f, a);
        print_threads(v, f, a, &rows, &threads);
    }
    print_hidden(f, hidden, threads);
}

static void print_regions(const view_t *v, FILE *f)
{
    size_t n, i;
    taken_t *t = taken_in(&v->step, &n);
    pfc_time_t whole;
    double longest = 0;
    unit_t unit;
    memset(&whole, 0, sizeof whole);
    for (i = 0; i < n; i++) longest = fmax(longest, fmax(t[i].lt.lt, 100 * t[i].lt.u)); /* the column of u is narrower */
    unit = unit_for(longest);
    for (i = 0; i < v->step.n; i++) pfc_time_add(&whole, &v->step.account[i].sum); /* better known than the sum of its parts */
    fprintf(f, "\n%14s %13s  %11s %9s  region  [%s%s]\n", "calls", "LT self", "u", "share", unit.name, v->narrow ? "" : "; since the last look");
    for (i = 0; i < n && i < v->regions; i++) {
        fprintf(f, "%14llu %13.6f ±%11.6f", (unsigned long long)t[i].calls, t[i].lt.lt / unit.ns, t[i].lt.u / unit.ns);
        print_share(f, t[i].lt.lt, whole.lt, whole.u);
        fputs("  ", f);
        pfc_print_text(f, t[i].region->name);
        if (*t[i].region->file) fputs("  ", f), pfc_print_text(f, t[i].region->file);
        putc('\n', f);
    }
    if (i < n) fprintf(f, "%14s %zu more\n", "…", n - i);
    free(t);
}

/* How far the run is, and what share of it all was ours. */
static void print_progress(const view_t *v, FILE *f, const pfc_profile_t *p, double share)
{
    if (!p->compensated) fprintf(f, "   not compensated%s: LT is CT, %.3f s   ", v->narrow ? "" : " (PERFCOMP_COMPENSATE=0)", p->total.lt / 1e9);
    else if (v->narrow) fprintf(f, "   LT %.3f s, instr %.2f %%   ", p->total.lt / 1e9, 100 * share);
    else fprintf(f, "   undisturbed %.3f ± %.3f s, instrumentation %.2f %%   ", p->total.lt / 1e9, p->total.u / 1e9, 100 * share);
}

static void print_head(const view_t *v, FILE *f)
{
    const pfc_profile_t *longest = v->profiles.p[0];
    pfc_time_t sum;
    double delay_in = 0;
    char clock[32] = "?";
    time_t now = (time_t)(v->utc_ns / 1000000000);
    struct tm local;
    size_t i;
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < v->profiles.n; i++) {
        const pfc_profile_t *p = v->profiles.p[i];
        pfc_time_add(&sum, &p->sum);
        delay_in += p->delay_in;
        if (p->total.lt > longest->total.lt) longest = p;
    }
    if (localtime_r(&now, &local)) strftime(clock, sizeof clock, "%H:%M:%S", &local);
    coloured(v, f, "1");
    fprintf(f, "perfcomp watch  %s  %zu running, %zu ended", clock, v->running, v->left);
    coloured(v, f, "0");
    print_progress(v, f, longest, overhead(&sum, delay_in));
    pfc_print_text(f, *longest->command ? longest->command : longest->file);
    fputs("\n\n", f);
}

static void print_view(const view_t *v, FILE *f)
{
    print_head(v, f);
    print_processes(v, f);
    print_regions(v, f);
}

/* A terminal gets one picture, whose lines it cuts at its edge, and is as it was between two; elsewhere one comes behind the other. */
static void show_text(view_t *v, int all, int first)
{
    struct winsize size;
    char *text = 0, *line, *end;
    size_t bytes;
    int is_screen = pfc_is_screen(stdout);
    FILE *f = (FILE *)must(open_memstream(&text, &bytes));
    v->colour = pfc_colour_wanted(stdout);
    v->rows = v->regions = all ? SIZE_MAX : 20;
    if (!all && is_screen && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row) {
        v->rows = v->regions = size.ws_row > AROUND + 2 ? (size_t)(size.ws_row - AROUND) / 2 : 1; /* what scrolls is no picture */
        v->columns = size.ws_col;
        v->narrow = v->columns && v->columns < WIDE;
    }
    print_view(v, f);
    if (fclose(f)) must(0);
    if (!is_screen) printf("%s%s", first ? "" : "\n", text);
    else {
        fputs(first ? "\033[H\033[2J\033[?7l" : "\033[H\033[?7l", stdout);
        for (line = text; (end = strchr(line, '\n')) != 0; line = end + 1) printf("%.*s\033[K\n", (int)(end - line), line);
        fputs("\033[J\033[?7h", stdout);
    }
    free(text);
}

/* ---- JSON: a line a look */

static void json_time(const char *key, const pfc_time_t *t) { printf("\"%s\":{\"ct\":%.15g,\"lt\":%.15g,\"u\":%.15g}", key, t->ct, t->lt, t->u); }

static void json_threads(const account_t *a)
{
    static const char *const word[] = { "computes", "sleeps", "mpi", "waits", "died", "ended", "moving" };
    uint32_t t, at;
    fputs(",\"threads\":[", stdout);
    for (t = 0; t < a->p->threads; t++) {
        const pfc_thread_info_t *thread = &a->p->thread[t];
        printf("%s{\"id\":%u,\"state\":\"%s\",\"now\":[", t ? "," : "", thread->id, word[doing(a, thread)]);
        for (at = thread->now; at != PFC_NONE && a->p->path[at].parent != PFC_NONE; at = a->p->path[at].parent) {
            if (at != thread->now) putchar(',');
            pfc_print_json(stdout, a->p->region[a->p->path[at].region].name);
        }
        putchar(']');
        if (doing(a, thread) < HAS_DIED && thread->since >= 0) printf(",\"for_ns\":%.15g", open_for(thread));
        putchar('}');
    }
    putchar(']');
}

static void json_process(const account_t *a)
{
    static const char *const word[] = { "running", "ended", "died", "elsewhere" };
    pfc_time_t mpi = time_in_mpi(a);
    fputs("{\"file\":", stdout);
    pfc_print_json(stdout, a->p->file);
    fputs(",\"command\":", stdout);
    pfc_print_json(stdout, a->p->command);
    fputs(",\"host\":", stdout);
    pfc_print_json(stdout, a->p->host);
    printf(",\"rank\":%u,\"size\":%u,\"pid\":%lld,\"state\":\"%s\",\"left\":\"%s\",", a->p->rank, a->p->size, (long long)a->p->pid, word[a->p->run],
           a->p->run == PFC_DIED ? left_by[a->p->left] : "");
    json_time("total", &a->p->total);
    printf(",\"passed_ns\":%.15g,", a->passed);
    json_time("sum", &a->sum);
    printf(",\"delay_in\":%.15g,\"calls\":%llu,", a->delay_in, (unsigned long long)calls_of(a));
    json_time("mpi", &mpi);
    printf(",\"wait_lt\":%.15g,\"bytes\":%llu", time_waiting(a), (unsigned long long)a->bytes);
    json_threads(a);
    putchar('}');
}

static void show_json(const view_t *v)
{
    size_t n, i;
    taken_t *t = taken_in(&v->step, &n);
    printf("{\"unit\":\"ns\",\"utc_ns\":%lld,\"running\":%zu,\"ended\":%zu,\"processes\":[", (long long)v->utc_ns, v->running, v->left);
    for (i = 0; i < v->step.n; i++) {
        if (i) putchar(',');
        json_process(&v->step.account[i]);
    }
    fputs("],\"regions\":[", stdout);
    for (i = 0; i < n; i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", stdout);
        pfc_print_json(stdout, t[i].region->name);
        fputs(",\"file\":", stdout);
        pfc_print_json(stdout, t[i].region->file);
        printf(",\"calls\":%llu,", (unsigned long long)t[i].calls);
        json_time("exclusive", &t[i].lt);
        putchar('}');
    }
    puts("]}");
    free(t);
}

/* ---- look by look */

static void look(view_t *v, char **names, int n, profiles_t *before)
{
    struct timespec now;
    size_t i;
    memset(v, 0, sizeof *v);
    profiles_look(&v->profiles, names, n, before);
    clock_gettime(CLOCK_REALTIME, &now);
    v->utc_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    for (i = 0; i < v->profiles.n; i++) {
        v->running += (size_t)runs(v->profiles.p[i]);
        v->mpi |= v->profiles.p[i]->mpi != 0;
    }
    v->left = v->profiles.n - v->running;
}

/* 1: the time is over; 0: the user has ended it, who finds the terminal as it was. */
static int pause_for(double seconds, const sigset_t *ends)
{
    struct timespec time;
    time.tv_sec = (time_t)seconds;
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    return sigtimedwait(ends, 0, &time) < 0;
}

static void show(view_t *v, const options_t *options, int first)
{
    if (options->json) show_json(v);
    else show_text(v, options->all, first);
    fflush(stdout);
}

static void say_none(const char *name, int were, int waits)
{
    const char *for_which = !waits ? "" : were ? ": waits for the next one (^C ends it)" : ": waits for the first one (^C ends it)";
    say("watch", "%s: no profile %s%s", name, were ? "any more" : "yet", for_which);
    if (has_profiles_below(name)) say("watch", "%s: folders in it hold profiles: perfcomp watch %s/*", name, name);
}

/* Until nothing runs any more, so many looks were taken, or the user ends it. The status: that of the first look. */
static int watch(const options_t *options, char **names, int n)
{
    accounts_t before = { 0, 0 };
    profiles_t seen;
    sigset_t ends;
    int looks = 0, shown = 0, is_said = 0, status = OK, goes_on = 1;
    memset(&seen, 0, sizeof seen);
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, 0);
    while (goes_on) {
        view_t v;
        look(&v, names, n, looks ? &seen : 0);
        profiles_close(&seen);
        if (!looks) status = v.profiles.status;
        if (v.profiles.n) {
            v.step = accounts_since(&v.profiles, &before);
            show(&v, options, !shown++);
            accounts_free(&v.step);
            accounts_free(&before);
            before = accounts_of(&v.profiles);
            is_said = 0;
        } else if (!status && !is_said) {
            say_none(n ? names[0] : ".", shown, looks + 1 != options->times);
            is_said = 1;
        }
        goes_on = (v.running || (!v.profiles.n && !status)) && ++looks != options->times && !ferror(stdout);
        seen = v.profiles;
        if (goes_on) goes_on = pause_for(options->interval, &ends);
    }
    profiles_close(&seen);
    accounts_free(&before);
    return status ? status : shown ? OK : BAD_INPUT;
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    int status = options_read(&options, verb, "jani", argc, argv);
    return status >= 0 ? status : watch(&options, argv + options.first, argc - options.first);
}

const verb_t verb_watch = {
    "watch", "running programs: what they do now, and what they did since the last look",
    "usage: perfcomp watch [--interval SECONDS] [-n LOOKS] [--all] [--json] [FILES|FOLDER]\n\n"
    "Looks at the profiles of running programs every second, until none runs any more (at once, if none does). Nobody\n"
    "is asked and nothing is stopped: a look reads the files, whoever and as many as look. It may begin before the\n"
    "programs do.\n\n"
    "  LT ± u   how far the process would be undisturbed\n"
    "  MPI      share of its time since the last look (of all threads) in MPI calls; of it waiting for other ranks, in\n"
    "           calls that have ended since (of a longer wait no more than that share); and the data in them\n"
    "  instr    share of what was measured since then that was instrumentation\n"
    "  now      the innermost open regions of each thread; waits: for another thread, or in a call of MPI since before\n"
    "           the last look; sleeps: the system has it wait for something else at this moment, as for input, or it is\n"
    "           stopped, as by ^Z\n\n"
    "Then the regions, with what they took since the last look, the first time since the start. A share is shown as ?\n"
    "where its whole is zero within its uncertainty.\n\n"
    "  --interval SECONDS  between looks (default 1)\n"
    "  -n LOOKS            so many, then it ends\n"
    "  --all               also what doesn't fit the screen (on one of less than 120 columns some figures are left out)\n"
    "  --json              each look as an object on a line of its own: `total` since the start, other figures since the last\n"
    "                      look; `now`: the innermost region first, open for `for_ns`\n",
    run,
};
