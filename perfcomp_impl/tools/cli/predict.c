/* perfcomp predict: how long a job would take on more ranks, from runs on a few sizes, as the model has it (scaling.h). */
#include "scaling.h"

#include <math.h>

#define FAR 8 /* times the largest size that was run: further out nobody knows how trends go on */

/* ---- what is shown */

typedef struct asked { double size[64]; size_t n; } asked_t;

static void print_share(double part, double whole) { printf(" %8.1f%%", 100 * part / whole); }

static void print_size(const model_t *m, double size, const job_t *measured)
{
    prediction_t p = model_predict(m, size);
    double speedup = m->job[0].time / (measured ? measured->time : p.time.value);
    printf("%12.12g %13.6f %13.6f %13.6f", size, p.time.value / 1e9, p.time.least / 1e9, p.time.most / 1e9);
    if (measured) printf(" %13.6f", measured->time / 1e9);
    else printf(" %13s", "");
    if (m->mpi) print_share(p.computing.value, p.time.value), print_share(p.mpi.value, p.time.value), print_share(p.wait.value, p.time.value);
    if (m->of_ranks) printf(" %9.2f", speedup), print_share(speedup * m->job[0].size, size);
    putchar('\n');
}

static void print_node(const model_t *m, size_t k)
{
    const node_t *n = &m->node[k];
    double each = trend_at(&n->each.best, m->most);
    if (k && m->node[n->parent].region->kind) fputs("… > ", stdout), pfc_print_text(stdout, m->node[n->parent].region->name), fputs(" > ", stdout);
    pfc_print_text(stdout, n->region->name);
    fputs(": ", stdout);
    trend_print(stdout, &n->ratio.best, 1);
    fputs(" times, each ", stdout);
    trend_print(stdout, &n->each.best, each < 1e6 ? 1e3 : each < 1e9 ? 1e6 : 1e9);
    fputs(each < 1e6 ? " us\n" : each < 1e9 ? " ms\n" : " s\n", stdout);
}

/* Trends are held against sizes that were run, up to four times as large as those they come from (README): further out
   another one may begin that none of the runs shows. */
static void say_far(const model_t *m)
{
    double largest = m->job[m->jobs - 1].size;
    if (m->most <= FAR * largest) return;
    say("predict", "%.12g is %.3g times the largest size that was run (%.12g): what begins in between, as a cache or a network "
                   "that is too small, isn't in it, and \"from\" and \"to\" don't hold it; run a larger size", m->most, m->most / largest, largest);
}

/* The parts of the time at the largest size, longest first. */
static void print_parts(const model_t *m, double size)
{
    prediction_t p = model_predict(m, size);
    double *self = model_times(m, size);
    size_t shown;
    printf("\n%13s %9s  at P = %.12g: LT self [s], how often for one entry of its caller, and how long each time\n", "LT self", "share", size);
    for (shown = 0; shown < 20; shown++) {
        size_t k, at = m->nodes;
        for (k = 0; k < m->nodes; k++)
            if (self[k] > MINOR * p.time.value && (at == m->nodes || self[k] > self[at])) at = k;
        if (at == m->nodes) break;
        printf("%13.6f %8.1f%%  ", self[at] / 1e9, 100 * self[at] / p.time.value);
        print_node(m, at);
        self[at] = 0;
    }
    if (m->mpi) {
        printf("%13.6f %8.1f%%  (waits for other ranks): ", p.wait.value / 1e9, 100 * p.wait.value / p.time.value);
        trend_print(stdout, &m->wait.best, 1e9);
        fputs(" s\n", stdout);
    }
    free(self);
}

static void print_all(const model_t *m, const asked_t *asked)
{
    size_t i;
    printf("%zu runs of ", m->jobs);
    for (i = 0; i < m->jobs; i++) printf(i ? ", %.12g" : "%.12g", m->job[i].size);
    printf(" %s; undisturbed times [s]%s\n\n%12s %13s %13s %13s %13s", m->of_ranks ? "ranks" : "(sizes as given)",
           m->of_ranks ? "; speedup and efficiency: against the smallest" : "", "P", "predicted", "from", "to", "measured");
    if (m->mpi) printf(" %9s %9s %9s", "computing", "MPI", "waiting");
    if (m->of_ranks) printf(" %9s %9s", "speedup", "efficient");
    putchar('\n');
    for (i = 0; i < m->jobs; i++) print_size(m, m->job[i].size, &m->job[i]);
    for (i = 0; i < asked->n; i++) print_size(m, asked->size[i], 0);
    print_parts(m, m->most);
}

static void json_estimate(const char *key, estimate_t e)
{
    printf(",\"%s\":{\"lt\":%.15g,\"from\":%.15g,\"to\":%.15g}", key, e.value, e.least, e.most);
}

static void json_size(const model_t *m, double size, const job_t *measured)
{
    prediction_t p = model_predict(m, size);
    printf("{\"size\":%.15g", size);
    json_estimate("time", p.time);
    json_estimate("computing", p.computing);
    json_estimate("mpi", p.mpi);
    json_estimate("wait", p.wait);
    if (measured) printf(",\"measured\":{\"lt\":%.15g,\"u\":%.15g}", measured->time, measured->u);
    putchar('}');
}

static void json_trend(const char *key, const trend_t *t)
{
    printf(",\"%s\":{\"constant\":%.15g,\"factor\":%.15g,\"power\":%.15g,\"logs\":%d,\"fall\":%.15g,\"error\":%.15g}", key, t->constant, t->factor, t->power,
           t->logs, t->fall, t->error);
}

static void json_all(const model_t *m, const asked_t *asked)
{
    size_t i;
    fputs("{\"unit\":\"ns\",\"sizes\":[", stdout);
    for (i = 0; i < m->jobs; i++) fputs(i ? ",\n" : "", stdout), json_size(m, m->job[i].size, &m->job[i]);
    for (i = 0; i < asked->n; i++) fputs(",\n", stdout), json_size(m, asked->size[i], 0);
    fputs("],\"paths\":[", stdout);
    for (i = 0; i < m->nodes; i++) {
        printf("%s{\"parent\":%zu,\"minor\":%s,\"name\":", i ? ",\n" : "", m->node[i].parent, m->node[i].minor ? "true" : "false");
        pfc_print_json(stdout, m->node[i].region->name);
        json_trend("calls_for_one", &m->node[i].ratio.best);
        if (!m->node[i].minor) json_trend("each", &m->node[i].each.best);
        putchar('}');
    }
    putchar(']');
    json_trend("wait", &m->wait.best);
    json_trend("rest", &m->rest.best);
    puts("}");
}

/* ---- the verb */

/* Sizes by comma; without the option twice, four and eight times the largest. */
static int sizes_read(asked_t *asked, const char *text, double largest)
{
    const char *at = text;
    char *end;
    asked->n = 0;
    for (; !text && asked->n < 3; asked->n++) asked->size[asked->n] = (asked->n ? asked->size[asked->n - 1] : largest) * 2;
    for (; at && asked->n < sizeof asked->size / sizeof *asked->size; at = *end ? end + 1 : 0) {
        asked->size[asked->n] = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !(asked->size[asked->n] >= 1 && asked->size[asked->n] < 1e18)) break;
        asked->n++;
    }
    if (!at) return 1;
    say("predict", "--at %s isn't understood; give sizes like 64,128 (at most 64 of them)", text);
    return 0;
}

static int model_build_for(model_t *m, const asked_t *asked)
{
    double least = m->job[0].size, most = m->job[m->jobs - 1].size;
    size_t i;
    for (i = 0; i < asked->n; i++) least = fmin(least, asked->size[i]), most = fmax(most, asked->size[i]);
    return model_build(m, least, most);
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    asked_t asked;
    model_t m;
    int status = options_read(&options, verb, "jA", argc, argv);
    if (status >= 0) return status;
    if (options.first == argc) {
        say("predict", "name runs of three sizes or more; perfcomp predict --help");
        return BAD_USAGE;
    }
    memset(&m, 0, sizeof m);
    status = model_open(&m, argv + options.first, (size_t)(argc - options.first));
    if (status == OK && !sizes_read(&asked, options.at, m.job[m.jobs - 1].size)) status = BAD_USAGE;
    if (status == OK) status = model_build_for(&m, &asked);
    if (status == OK) {
        say_far(&m);
        if (options.json) json_all(&m, &asked);
        else print_all(&m, &asked);
    }
    model_free(&m);
    return status;
}

const verb_t verb_predict = {
    "predict", "how long a job would take on other numbers of ranks, from runs on a few",
    "usage: perfcomp predict [--at SIZES] [--json] [SIZE=]RUN...\n\n"
    "A RUN is a folder (or merged file) with a job's profiles. Its size P is the number of its ranks, or what is given\n"
    "before it: 1000=RUN, as for runs of one program on problems of other sizes. Three sizes are needed, five are better;\n"
    "a size may have several runs. All of one program, and all that isn't P the same.\n\n"
    "Each call path is entered so often for one entry of its caller, and takes so long of its own each time; both are\n"
    "functions of P: a + b·P^i·log2(P)^j, a/P + b·P^i·log2(P)^j, or b·P^i of any i. So is what a rank waits for others. From that\n"
    "follows the time of the busiest rank, which waits least, and so that of the job, on the machine of the runs:\n\n"
    "  from, to   what other functions say that fit about as well, or the same one without one of the runs, and the\n"
    "             uncertainty of the measured times. What happens in none of the runs (other algorithms, a network that\n"
    "             is full) isn't in it\n"
    "  measured   undisturbed; computing, MPI, waiting: shares of what is predicted; MPI: without its waits; efficient:\n"
    "             the speedup's share of what so many more ranks could give\n\n"
    "  --at SIZES   like 64,128 (default: twice, four and eight times the largest)\n"
    "  --json       with the functions of all paths (`parent`: the caller's place among them), in ns:\n"
    "               constant·P^fall + factor·P^power·log2(P)^logs, which the other runs miss one by `error` of it;\n"
    "               calls_for_one: entries for one of the caller; each: own time of one, without waits in MPI;\n"
    "               wait: these, all together; rest: all paths that are `minor`\n\n"
    "Where a process has several threads their times are added up; of several processes without MPI, the busiest one is\n"
    "foretold.\n",
    run,
};
