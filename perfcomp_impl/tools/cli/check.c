/* perfcomp check: is the compensated time the true one? Runs a plain and an
   instrumented build of a program in turn and compares. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

typedef struct sample { double wall, cpu; int status; pid_t pid; } sample_t;
typedef struct part { double wall, cpu; } part_t;      /* ns */
typedef struct delta {
    part_t all, start;           /* start: of it, what beginning and ending the profile took */
    double u, overhead, scale;   /* PERFCOMP_SCALE, as it was in the run */
    int waits;
} delta_t;
typedef struct series { double *plain, *measured, *compensated, *start; } series_t; /* one more plain run than instrumented ones */
typedef struct median { double value, low, high; } median_t; /* median, 95 % interval; of less than ENOUGH, the extremes */
typedef struct result { double plain, measured, compensated, start; median_t slowdown, residual, scale; } result_t;

#define ENOUGH 6    /* runs, of whose medians 95 % lie between the extremes of so many */
#define PROBES 10e6 /* ns of them: less is too little beside what loading a larger program takes, some tenths of a ms */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double nanoseconds(struct timeval t)
{
    return (double)t.tv_sec * 1e9 + (double)t.tv_usec * 1e3;
}

/* By which the user has ended it, who finds no folder left behind; 0: none so far. */
static volatile sig_atomic_t ended_by;
static volatile sig_atomic_t running; /* the program; 0: none */

/* Whenever it comes, also before run_once waits: then that would wait for the program's own end. */
static void end(int by)
{
    int saved = errno;
    ended_by = by;
    if (running) kill(running, by);
    errno = saved;
}

static void await_ends(void)
{
    static const int by[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction before, ours = { .sa_handler = end };
    size_t i;
    for (i = 0; i < sizeof by / sizeof *by; i++)
        if (!sigaction(by[i], 0, &before) && before.sa_handler != SIG_IGN) sigaction(by[i], &ours, 0); /* nohup's stays ignored */
    signal(SIGCHLD, SIG_DFL); /* who has started us may ignore it: then nobody could wait for the programs */
}

/* One run, input and output discarded. 0: done. */
static int run_once(char **command, char **environment, sample_t *s)
{
    posix_spawn_file_actions_t files;
    struct rusage usage;
    double begin;
    int error, status;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    begin = now();
    error = posix_spawnp(&s->pid, command[0], &files, 0, command, environment);
    posix_spawn_file_actions_destroy(&files);
    if (error) {
        say("check", "%s: can't be run: %s", command[0], strerror(error));
        return BAD_INPUT;
    }
    running = s->pid;
    if (ended_by) kill(s->pid, ended_by); /* before it was known */
    while (wait4(s->pid, &status, 0, &usage) < 0)
        if (errno != EINTR) return BAD_INPUT;
    running = 0;
    if (ended_by) return BAD_INPUT;
    s->wall = now() - begin;
    s->cpu = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime); /* its start and its end are the system's */
    s->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return OK;
}

/* ---- the instrumented run's profiles */

static void empty_folder(const char *folder)
{
    DIR *d = opendir(folder);
    struct dirent *entry;
    while (d && (entry = readdir(d)) != 0)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) unlinkat(dirfd(d), entry->d_name, 0);
    if (d) closedir(d);
}

/* Of the processor's time, probes have taken less than of the clock's where others ran on it. */
static double processor_overhead(const pfc_profile_t *p)
{
    return (p->sum.ct - p->sum.lt + p->stop_ns) / p->cost.dilation;
}

static double begin_and_end(const pfc_profile_t *p) { return p->start_ns + p->stop_ns; }

/* The one that we started, or, when that only started others, the longest one. */
static const pfc_profile_t *main_process(const profiles_t *profiles, pid_t pid)
{
    const pfc_profile_t *started = 0, *longest = profiles->p[0];
    size_t i;
    for (i = 0; i < profiles->n; i++) {
        const pfc_profile_t *p = profiles->p[i];
        if (p->pid == pid) started = p;
        if (p->total.ct > longest->total.ct) longest = p;
    }
    return started ? started : longest;
}

/* Δ of the run: in wall time the first thread's of the main process, in CPU time all threads' of all processes.
   `waits`: of threads, processes and ranks that waited for each other: then Δ has delays that took no CPU time. */
static delta_t delta_in(const profiles_t *profiles, pid_t pid)
{
    const pfc_profile_t *main = main_process(profiles, pid);
    delta_t delta;
    size_t i;
    memset(&delta, 0, sizeof delta);
    for (i = 0; i < profiles->n; i++) {
        const pfc_profile_t *p = profiles->p[i];
        delta.all.cpu += processor_overhead(p);
        delta.start.cpu += begin_and_end(p) / p->cost.dilation;
        delta.waits |= p->threads > 1 || p->mpi || p->delay_in < 0 || p->delay_in > 0;
    }
    delta.all.wall = main->total.ct - main->total.lt + main->stop_ns;
    delta.start.wall = begin_and_end(main);
    delta.u = main->total.u;
    delta.scale = main->scale > 0 ? main->scale : 1;
    delta.overhead = main->total.ct > 0 ? delta.all.wall / main->total.ct : 0;
    return delta;
}

static int delta_of(char *folder, const char *command, pid_t pid, delta_t *delta)
{
    profiles_t profiles;
    if (profiles_in(folder) <= 0) {
        say("check", "%s: left no profile in %s, the folder that check names in PERFCOMP_DIR; the second command must be built with "
                     "perfcomp, what starts it must hand PERFCOMP_DIR on, and there must be room (TMPDIR names another place)", command, folder);
        return BAD_INPUT;
    }
    if (profiles_open(&profiles, &folder, 1, TIMES)) return BAD_INPUT;
    *delta = delta_in(&profiles, pid);
    profiles_close(&profiles);
    return OK;
}

/* PERFCOMP_DIR is ours; what would disturb the run or send the profile elsewhere goes. */
static char **environment_with(const char *folder)
{
    static const char *const without[] = { "PERFCOMP_DIR=", "PERFCOMP_LIVE=", "PERFCOMP_REPORT=", "PERFCOMP_FILE=", "PERFCOMP=", "PERFCOMP_COMPENSATE=" };
    size_t n = 0, kept = 1, i;
    char **e, **with;
    while (environ[n]) n++;
    with = (char **)must(calloc(n + 2, sizeof *with));
    if (asprintf(&with[0], "PERFCOMP_DIR=%s", folder) < 0) with[0] = 0;
    must(with[0]);
    for (e = environ; *e; e++) {
        for (i = 0; i < sizeof without / sizeof *without && strncmp(*e, without[i], strlen(without[i])); i++) continue;
        if (i == sizeof without / sizeof *without) with[kept++] = *e;
    }
    return with;
}

/* ---- statistics */

static void series_new(series_t *s, int n)
{
    s->plain = (double *)must(calloc((size_t)n + 1, sizeof(double)));
    s->measured = (double *)must(calloc((size_t)n, sizeof(double)));
    s->compensated = (double *)must(calloc((size_t)n, sizeof(double)));
    s->start = (double *)must(calloc((size_t)n, sizeof(double)));
}

static void series_free(series_t *s)
{
    free(s->plain);
    free(s->measured);
    free(s->compensated);
    free(s->start);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    ORDER(x, y);
    return 0;
}

/* The interval is made of order statistics: it takes nothing for granted of how runs differ. */
static median_t median_of(const double *value, int n)
{
    double *sorted = (double *)must(calloc((size_t)n, sizeof *sorted));
    int middle = n / 2, reach = (int)ceil(0.98 * sqrt(n));
    median_t e;
    memcpy(sorted, value, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    e.value = n % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    e.low = sorted[middle > reach ? middle - reach : 0];
    e.high = sorted[middle + reach < n ? middle + reach : n - 1];
    free(sorted);
    return e;
}

/* Each instrumented run is held against the plain ones before and after it: a machine's speed may
   change from minute to minute by more than what is to be seen. Scale: how many times what perfcomp
   has taken away for them the probes did cost; what the profile's begin and end took it has by the clock. */
static void evaluate(const series_t *s, int n, result_t *r)
{
    double *slowdown = (double *)must(calloc((size_t)n, sizeof *slowdown));
    double *residual = (double *)must(calloc((size_t)n, sizeof *residual));
    double *scale = (double *)must(calloc((size_t)n, sizeof *scale));
    int i;
    for (i = 0; i < n; i++) {
        double plain = (s->plain[i] + s->plain[i + 1]) / 2, probes = s->measured[i] - s->compensated[i] - s->start[i];
        slowdown[i] = plain > 0 ? s->measured[i] / plain : 0;
        residual[i] = plain > 0 ? s->compensated[i] / plain - 1 : 0;
        scale[i] = probes >= PROBES ? (s->measured[i] - s->start[i] - plain) / probes : 0;
    }
    r->plain = median_of(s->plain, n + 1).value;
    r->measured = median_of(s->measured, n).value;
    r->compensated = median_of(s->compensated, n).value;
    r->start = median_of(s->start, n).value;
    r->slowdown = median_of(slowdown, n);
    r->residual = median_of(residual, n);
    r->scale = median_of(scale, n);
    free(slowdown);
    free(residual);
    free(scale);
}

/* ---- the verb: rounds of both programs, and what they tell */

typedef struct check {
    char **plain, **instrumented, **environment, *folder;
    int runs, waits;
    series_t wall, cpu;
    double u, overhead, scale;
} check_t;

/* OK: both did the same. */
static int same_status(const check_t *c, const sample_t *plain, const sample_t *instrumented)
{
    if (plain->status == instrumented->status) return OK;
    say("check", "%s exits with %d, but %s with %d: they don't do the same; run both by hand",
        c->plain[0], plain->status, c->instrumented[0], instrumented->status);
    return BAD_INPUT;
}

static int run_instrumented(check_t *c, const sample_t *plain, sample_t *s, delta_t *delta)
{
    int status;
    empty_folder(c->folder);
    if ((status = run_once(c->instrumented, c->environment, s)) != OK) return status;
    if ((status = same_status(c, plain, s)) != OK) return status;
    if ((status = delta_of(c->folder, c->instrumented[0], s->pid, delta)) != OK && plain->status)
        say("check", "both commands exit with %d; run them by hand", plain->status);
    return status;
}

static int run_plain(check_t *c, sample_t *s, int i)
{
    int status = run_once(c->plain, environ, s);
    if (status != OK) return status;
    c->wall.plain[i] = s->wall;
    c->cpu.plain[i] = s->cpu;
    return OK;
}

static void series_set(series_t *s, int i, double measured, double delta, double start)
{
    s->measured[i] = measured;
    s->compensated[i] = measured - delta;
    s->start[i] = start;
}

/* The first run of each warms the caches and isn't counted. */
static int run_all(check_t *c)
{
    sample_t plain, instrumented;
    delta_t delta;
    int i, status;
    if ((status = run_plain(c, &plain, 0)) != OK) return status;
    if ((status = run_instrumented(c, &plain, &instrumented, &delta)) != OK) return status;
    if ((status = run_plain(c, &plain, 0)) != OK) return status;
    for (i = 0; i < c->runs; i++) {
        if ((status = run_instrumented(c, &plain, &instrumented, &delta)) != OK) return status;
        if ((status = run_plain(c, &plain, i + 1)) != OK) return status;
        series_set(&c->wall, i, instrumented.wall, delta.all.wall, delta.start.wall);
        series_set(&c->cpu, i, instrumented.cpu, delta.all.cpu, delta.start.cpu);
        c->u += delta.u / c->runs;
        c->overhead += delta.overhead / c->runs;
        c->scale = delta.scale;
        c->waits |= delta.waits;
    }
    if (plain.status) say("check", "both commands exit with %d; is that what you wanted to measure?", plain.status);
    return OK;
}

static void print_result(const char *what, const result_t *r, int compensated)
{
    printf("%-10s %12.6f %12.6f ", what, r->plain / 1e9, r->measured / 1e9);
    if (!compensated) printf("%12s %9.2f\n", "", r->slowdown.value);
    else printf("%12.6f %9.2f %+10.2f %%   %+.2f %% .. %+.2f %%\n", r->compensated / 1e9, r->slowdown.value, 100 * r->residual.value,
                100 * r->residual.low, 100 * r->residual.high);
}

static void json_result(const char *what, const result_t *r, int compensated)
{
    printf("\"%s\":{\"plain\":%.15g,\"measured\":%.15g,\"slowdown\":%.15g", what, r->plain, r->measured, r->slowdown.value);
    if (compensated) printf(",\"compensated\":%.15g,\"start\":%.15g,\"residual\":%.15g,\"residual_low\":%.15g,\"residual_high\":%.15g", r->compensated,
                            r->start, r->residual.value, r->residual.low, r->residual.high);
    fputs("},", stdout);
}

/* PERFCOMP_SCALE for later runs; these had `had`. 0: the runs don't tell. */
static median_t scale_known(const result_t *wall, const result_t *cpu, double had)
{
    median_t e = cpu->scale.high - cpu->scale.low < wall->scale.high - wall->scale.low ? cpu->scale : wall->scale;
    if (e.low <= 0 || e.high - e.low > fmin(0.5, e.value)) e.value = e.low = e.high = 0;
    e.value *= had, e.low *= had, e.high *= had;
    return e;
}

static void print_scale(const median_t *scale, int runs)
{
    if (!(scale->value > 0)) puts("Probes took too little, or the runs differ too much, to tell what their costs must be multiplied by.");
    else if (runs < ENOUGH)
        printf("In these runs its costs were %.3f times what a run can see of them. For a PERFCOMP_SCALE by which later runs are\n"
               "corrected take %d runs or more: fewer don't tell how uncertain it is.\n", scale->value, ENOUGH);
    else printf("In these runs its costs were %.3f times (%.3f .. %.3f) what a run can see of them. To have later runs of this\n"
                "build corrected by that, set PERFCOMP_SCALE=%.3f,%.3f\n",
                scale->value, scale->low, scale->high, scale->value, (scale->high - scale->low) / 2);
}

static void print_check(const check_t *c, int json)
{
    result_t wall, cpu;
    median_t scale;
    evaluate(&c->wall, c->runs, &wall);
    evaluate(&c->cpu, c->runs, &cpu);
    scale = scale_known(&wall, c->waits ? &wall : &cpu, c->scale);
    if (json) {
        printf("{\"unit\":\"ns\",\"runs\":%d,", c->runs);
        json_result("wall", &wall, 1);
        json_result("cpu", &cpu, !c->waits);
        printf("\"scale\":%.15g,\"scale_low\":%.15g,\"scale_high\":%.15g,\"u\":%.15g,\"instrumentation\":%.15g}\n",
               scale.value, scale.low, scale.high, c->u, c->overhead);
        return;
    }
    printf("%-10s %12s %12s %12s %9s %12s   %s\n", "[s]", "plain", "measured", "compensated", "slowdown", "residual", c->runs < ENOUGH ? "lowest .. highest" : "95 % interval");
    print_result("wall time", &wall, 1);
    print_result("CPU time", &cpu, !c->waits);
    printf("\nMedians of %d instrumented %s, each held against the plain ones before and after it. Instrumentation took %.1f %%\n"
           "of the instrumented run; perfcomp knows that to ± %.6f s (%.2f %% of the plain run). What remains is what a run\n"
           "can't see of itself: functions that the compiler no longer inlines, loops that it no longer vectorises, and what\n"
           "instrumentation displaces from the caches.\n",
           c->runs, c->runs == 1 ? "run" : "runs", 100 * c->overhead, c->u / 1e9, wall.plain > 0 ? 100 * c->u / wall.plain : 0);
    if (c->waits) puts("CPU time isn't compensated: threads, processes, or ranks were also delayed by waiting for each other, which takes none.");
    print_scale(&scale, c->runs);
}

/* PLAIN… -- INSTRUMENTED…: splits at the second "--". */
static int commands_read(check_t *c, int argc, char **argv, int first)
{
    int i = first;
    if (first > 0 && !strcmp(argv[first - 1], "--")) {
        while (i < argc && strcmp(argv[i], "--")) i++;
        if (i > first && i < argc - 1) {
            argv[i] = 0;
            c->plain = argv + first;
            c->instrumented = argv + i + 1;
            return OK;
        }
    }
    say("check", "name two commands: perfcomp check -- PLAIN-COMMAND -- INSTRUMENTED-COMMAND");
    return BAD_USAGE;
}

/* A folder of its own for the profiles; 0: none can be made, which was said. */
static int folder_make(check_t *c)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent) parent = "/tmp";
    if (asprintf(&c->folder, "%s/perfcomp.XXXXXX", parent) < 0) must(0);
    if (mkdtemp(c->folder)) return 1;
    say("check", "no folder for the profiles can be made in %s (%s); set TMPDIR to one with room", parent, strerror(errno));
    free(c->folder);
    return 0;
}

static int check_in_folder(check_t *c, int json)
{
    int status;
    if (!folder_make(c)) return BAD_INPUT;
    c->environment = environment_with(c->folder);
    await_ends();
    status = run_all(c);
    empty_folder(c->folder);
    rmdir(c->folder);
    free(c->folder);
    free(c->environment[0]);
    free(c->environment);
    if (ended_by) signal(ended_by, SIG_DFL), raise(ended_by);
    if (!status) print_check(c, json);
    return status;
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    check_t c;
    int status = options_read(&options, verb, "+jnN", argc, argv);
    if (status >= 0) return status;
    memset(&c, 0, sizeof c);
    c.runs = options.times ? options.times : 7;
    if ((status = commands_read(&c, argc, argv, options.first)) != OK) return status;
    series_new(&c.wall, c.runs);
    series_new(&c.cpu, c.runs);
    status = check_in_folder(&c, options.json);
    series_free(&c.wall);
    series_free(&c.cpu);
    return status;
}

const verb_t verb_check = {
    "check", "compares the compensated time with that of an uninstrumented build",
    "usage: perfcomp check [-n|--runs RUNS] [--json] -- PLAIN-COMMAND -- INSTRUMENTED-COMMAND\n\n"
    "Runs the two in turn, the instrumented one RUNS times (7) after one run that isn't counted, without input and\n"
    "output. Its profile is read and thrown away. `compensated` is its whole time less what perfcomp says that\n"
    "instrumentation took; `residual` is how far that is from the plain runs before and after it. The last line tells\n"
    "by which PERFCOMP_SCALE later runs of this build, on other input too, are corrected: of 6 runs or more in each of\n"
    "which probes take 10 ms or more.\n\n"
    "  --json  the same; `start`: what the profile's begin and end took of what is compensated; shares and factors as they\n"
    "          are (`residual` 0.01: 1 %), `scale` 0 where the runs don't tell\n",
    run,
};
