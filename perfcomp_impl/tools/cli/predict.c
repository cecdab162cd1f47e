/* perfcomp predict: how long a job would take on more ranks, from runs on a few sizes.

   The hierarchical model (Ivannikov et al., ParJava, §4): the tree of call paths, where each path is entered so many
   times for each entry of its caller and takes so long of its own each time, both as functions of the size (trends.c),
   and what ranks wait for others. The time of the job follows from the root on. */
#include "cli.h"

#include <math.h>

#define MINOR 0.005 /* of the time of each job: what takes less is taken together */
#define FAR 8       /* times the largest size that was run: further out nobody knows how trends go on */

#define OF_COUNTS 0.01 /* roughness: shares of a whole number are rounded, … */
#define OF_TIMES 0.05  /* … caches and networks have steps */

/* A run. */
typedef struct job {
    const char *name;
    double size;
    profiles_t profiles;
    pfc_profile_t *busiest;      /* of its processes, threads folded, */
    const struct pfc_mpi *mpi;   /* and what that did in MPI; NULL: nothing */
    double time, u, wait;        /* LT of that, in which it waited so long for others */
    int of_ranks;                /* 1: its size is the number of its ranks */
} job_t;

/* A call path in all jobs; by job: entries and own time. */
typedef struct node {
    const pfc_region_info_t *region;
    size_t parent;               /* below its own index; the root is its own */
    size_t child, sibling;       /* the one that was last looked for, the next one: a ring; 0: none */
    double *count, *self;
    int minor;
    trends_t ratio, each;        /* entries for one of the caller's; own time of one */
} node_t;

/* A time, and between what it is where other trends may be the truth. */
typedef struct estimate { double value, least, most; } estimate_t;

typedef struct model {
    job_t *job;
    size_t jobs, nodes, room;
    node_t *node;
    trends_t wait, rest;         /* of waiting for others; of what is minor */
    double u;                    /* of a time: its share that measuring leaves in doubt */
    int mpi, of_ranks;           /* 1: there are MPI's calls; all sizes are numbers of ranks */
    double least, most;          /* sizes that are asked for */
} model_t;

/* ---- the jobs */

static double wait_of(const pfc_profile_t *p) { return p->mpi ? p->mpi->total.wait_lt : 0; }

/* Nobody knows whether a rank that is missing was busier. */
static void say_missing(const job_t *j, const pfc_profile_t *busiest)
{
    size_t i, ranks = 0;
    for (i = 0; i < j->profiles.n; i++) ranks += j->profiles.p[i]->mpi != 0;
    if (busiest->mpi && ranks != busiest->mpi->size)
        fprintf(stderr, "perfcomp predict: %s: %zu profiles of a job with %u ranks: the busiest of these is taken\n", j->name, ranks, busiest->mpi->size);
}

/* SIZE=RUN, or RUN, whose size is its number of ranks. All ranks end together, but the one that has most to do waits least:
   of it most is known of what the time goes into. */
static int job_open(job_t *j, char *name)
{
    char *end;
    size_t i;
    const pfc_profile_t *busiest;
    j->size = strtod(name, &end);
    if (end == name || *end != '=') j->size = 0;
    else if (j->size >= 1 && j->size < 1e18) name = end + 1;
    else return fprintf(stderr, "perfcomp predict: %s: a size is a number from 1 to 1e18; give all of them in another unit\n", name), BAD_INPUT;
    j->name = name;
    if (profiles_open(&j->profiles, &name, 1, TIMES) || j->profiles.status) return BAD_INPUT;
    for (i = 0, busiest = j->profiles.p[0]; i < j->profiles.n; i++) {
        const pfc_profile_t *p = j->profiles.p[i];
        if (p->sum.lt - wait_of(p) > busiest->sum.lt - wait_of(busiest)) busiest = p;
    }
    say_missing(j, busiest);
    j->of_ranks = !(j->size >= 1);
    if (j->of_ranks) j->size = busiest->size;
    j->busiest = (pfc_profile_t *)must(pfc_profile_merge(&busiest, 1));
    j->mpi = busiest->mpi;
    j->time = busiest->sum.lt;
    j->u = busiest->sum.u;
    j->wait = wait_of(busiest);
    return OK;
}

/* Of the time in calls of this kind what wasn't waiting. */
static double share_of_work(const job_t *j, const pfc_region_info_t *region)
{
    double wait = 0;
    size_t k;
    if (region->kind != PFC__MPI_CALL || !j->mpi) return 1;
    for (k = 0; k < j->mpi->kinds; k++)
        if (!strcmp(j->mpi->kind[k].name, region->name)) wait += j->mpi->kind[k].wait_lt;
    return region->stats.exclusive.lt > 0 ? 1 - wait / region->stats.exclusive.lt : 1;
}

/* ---- the tree */

static size_t node_new(model_t *m, size_t parent, const pfc_region_info_t *region)
{
    node_t *n;
    if (m->nodes == m->room) m->node = (node_t *)must(realloc(m->node, (m->room = 2 * m->room + 64) * sizeof *m->node));
    n = &m->node[m->nodes];
    memset(n, 0, sizeof *n);
    n->region = region;
    n->parent = parent;
    n->count = (double *)must(calloc(2 * m->jobs, sizeof *n->count));
    n->self = n->count + m->jobs;
    return m->nodes++;
}

static size_t root_of(model_t *m, const pfc_region_info_t *region) { return m->nodes ? 0 : node_new(m, 0, region); }

/* In each run the children come in about the same order: the one behind the last is tried first. All of the first run are new. */
static size_t node_of(model_t *m, size_t parent, const pfc_region_info_t *region, int is_first)
{
    size_t last = m->node[parent].child, i = last, found = 0;
    while (last && !found && !is_first) {
        i = m->node[i].sibling;
        if (!same_region(m->node[i].region, region)) found = i;
        else if (i == last) break;
    }
    if (!found) {
        found = node_new(m, parent, region);
        m->node[found].sibling = last ? m->node[last].sibling : found;
        if (last) m->node[last].sibling = found;
    }
    return m->node[parent].child = found;
}

static void add_job(model_t *m, size_t at)
{
    job_t *j = &m->job[at];
    double *work = (double *)must(calloc(j->busiest->regions + 1, sizeof *work));
    size_t *node = (size_t *)must(calloc(j->busiest->paths + 1, sizeof *node)), i; /* of a path */
    for (i = 0; i < j->busiest->regions; i++) work[i] = share_of_work(j, &j->busiest->region[i]);
    for (i = 0; i < j->busiest->paths; i++) {
        const pfc_path_info_t *path = &j->busiest->path[i];
        const pfc_region_info_t *region = &j->busiest->region[path->region];
        size_t n = path->parent == PFC_NONE ? root_of(m, region) : node_of(m, node[path->parent], region, at == 0);
        m->node[n].count[at] += (double)path->stats.count;
        m->node[n].self[at] += path->stats.exclusive.lt * work[path->region];
        node[i] = n;
    }
    free(node);
    free(work);
}

static int share_a_path(const model_t *m, size_t a, size_t b)
{
    size_t k;
    for (k = 1; k < m->nodes; k++)
        if (m->node[k].count[a] > 0 && m->node[k].count[b] > 0) return 1;
    return m->nodes == 1;
}

static int are_of_one_program(const model_t *m)
{
    size_t i;
    for (i = 1; i < m->jobs; i++) {
        if (share_a_path(m, 0, i)) continue;
        fprintf(stderr, "perfcomp predict: %s and %s have no call path in common: give runs of one program, of one build\n",
                m->job[0].name, m->job[i].name);
        return 0;
    }
    return 1;
}

/* ---- the trends */

/* Of y by size, in the jobs in which `there` isn't 0. */
static void find_trend(const model_t *m, trends_t *trends, double roughness, const double *y, const double *there)
{
    double *room = (double *)must(calloc(3 * m->jobs, sizeof *room)), *x = room, *kept = room + m->jobs;
    points_t p = { x, kept, room + 2 * m->jobs, 0, m->least, m->most, roughness };
    size_t i;
    for (i = 0; i < m->jobs; i++)
        if (!there || there[i] > 0) x[p.n] = m->job[i].size, kept[p.n++] = y[i];
    if (p.n) trends_find(trends, &p);
    free(room);
}

static void find_trends_of(model_t *m, node_t *n)
{
    const node_t *parent = &m->node[n->parent];
    double *ratio = (double *)must(calloc(2 * m->jobs, sizeof *ratio)), *each = ratio + m->jobs;
    size_t i;
    n->minor = 1;
    for (i = 0; i < m->jobs; i++) {
        ratio[i] = n == parent ? n->count[i] : parent->count[i] > 0 ? n->count[i] / parent->count[i] : 0;
        each[i] = n->count[i] > 0 ? n->self[i] / n->count[i] : 0;
        n->minor &= n->self[i] < MINOR * m->job[i].time;
    }
    find_trend(m, &n->ratio, OF_COUNTS, ratio, n == parent ? 0 : parent->count);
    if (!n->minor) find_trend(m, &n->each, OF_TIMES, each, n->count);
    free(ratio);
}

static void find_trends(model_t *m)
{
    double *rest = (double *)must(calloc(2 * m->jobs, sizeof *rest)), *wait = rest + m->jobs;
    size_t i, k;
    for (k = 0; k < m->nodes; k++) find_trends_of(m, &m->node[k]);
    for (i = 0; i < m->jobs; i++) {
        wait[i] = m->job[i].wait;
        for (k = 0; k < m->nodes; k++) rest[i] += m->node[k].minor ? m->node[k].self[i] : 0;
        m->u += m->job[i].u / m->job[i].time / (double)m->jobs;
    }
    find_trend(m, &m->rest, OF_TIMES, rest, 0);
    find_trend(m, &m->wait, OF_TIMES, wait, 0);
    free(rest);
}

/* ---- what follows */

static estimate_t estimate_of(const trends_t *t, double size)
{
    estimate_t e;
    e.value = trend_at(&t->best, size);
    e.least = trends_least(t, size);
    e.most = trends_most(t, size);
    return e;
}

/* Of figures that may be below zero, as noise makes them. */
static estimate_t times(estimate_t a, estimate_t b)
{
    const double ll = a.least * b.least, lm = a.least * b.most, ml = a.most * b.least, mm = a.most * b.most;
    a.value *= b.value;
    a.least = fmin(fmin(ll, lm), fmin(ml, mm));
    a.most = fmax(fmax(ll, lm), fmax(ml, mm));
    return a;
}

/* Which trends are wrong is chance, and another chance for each part. */
static void add(estimate_t *sum, estimate_t part)
{
    double below = hypot(sum->value - sum->least, part.value - part.least), above = hypot(sum->most - sum->value, part.most - part.value);
    sum->value += part.value;
    sum->least = sum->value - below;
    sum->most = sum->value + above;
}

/* The whole, and its parts. */
typedef struct prediction { estimate_t time, computing, mpi, wait; } prediction_t;

static void in_doubt(estimate_t *e, double u)
{
    e->least -= fabs(u * e->value);
    e->most += fabs(u * e->value);
}

/* From the innermost paths on: how often a path is entered is one chance for all that lies below it. `below`: what was added up
   there; of path k, for each entry. */
static void add_path(const model_t *m, size_t k, double size, prediction_t *below)
{
    const node_t *n = &m->node[k];
    const estimate_t often = estimate_of(&n->ratio, size);
    prediction_t *sum = &below[n->parent], p = below[k];
    if (!n->minor) {
        const estimate_t self = estimate_of(&n->each, size);
        add(n->region->kind == PFC__MPI_CALL ? &p.mpi : &p.computing, self);
        add(&p.time, self);
    }
    if (!k) memset(sum, 0, sizeof *sum); /* the root is its own parent */
    add(&sum->time, times(often, p.time));
    add(&sum->computing, times(often, p.computing));
    add(&sum->mpi, times(often, p.mpi));
}

static prediction_t predict(const model_t *m, double size)
{
    prediction_t *below = (prediction_t *)must(calloc(m->nodes + 1, sizeof *below)), p;
    const estimate_t rest = estimate_of(&m->rest, size);
    size_t k;
    for (k = m->nodes; k-- > 0;) add_path(m, k, size, below);
    p = below[0];
    add(&p.computing, rest);
    add(&p.time, rest);
    p.wait = estimate_of(&m->wait, size);
    add(&p.time, p.wait);
    in_doubt(&p.time, m->u);
    if (p.time.least < 0) p.time.least = fmin(p.time.value, 0); /* no job ends before it begins, however uncertain its parts are */
    free(below);
    return p;
}

/* Of each path, but for what is minor; for free(). */
static double *times_of_paths(const model_t *m, double size)
{
    double *self = (double *)must(calloc(2 * m->nodes, sizeof *self)), *count = self + m->nodes;
    size_t k;
    for (k = 0; k < m->nodes; k++) {
        const node_t *n = &m->node[k];
        count[k] = trend_at(&n->ratio.best, size) * (k ? count[n->parent] : 1);
        if (!n->minor) self[k] = count[k] * trend_at(&n->each.best, size);
    }
    return self;
}

/* ---- what is shown */

typedef struct asked { double size[64]; size_t n; } asked_t;

static int by_size(const void *a, const void *b)
{
    const job_t *x = (const job_t *)a, *y = (const job_t *)b;
    return (x->size > y->size) - (x->size < y->size);
}

static void print_share(double part, double whole) { printf(" %8.1f%%", 100 * part / whole); }

static void print_size(const model_t *m, double size, const job_t *measured)
{
    prediction_t p = predict(m, size);
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
    fprintf(stderr, "perfcomp predict: %.12g is %.3g times the largest size that was run (%.12g): what begins in between, as a cache or a network\n"
            "that is too small, isn't in it, and \"from\" and \"to\" don't hold it; run a larger size\n", m->most, m->most / largest, largest);
}

/* The parts of the time at the largest size, longest first. */
static void print_parts(const model_t *m, double size)
{
    prediction_t p = predict(m, size);
    double *self = times_of_paths(m, size);
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
    prediction_t p = predict(m, size);
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
    fprintf(stderr, "perfcomp predict: --at %s isn't understood; give sizes like 64,128 (at most 64 of them)\n", text);
    return 0;
}

static int has_sizes(const model_t *m)
{
    size_t i, differ = 1;
    for (i = 1; i < m->jobs; i++) differ += m->job[i].size > m->job[i - 1].size;
    if (differ >= 3) return 1;
    fprintf(stderr, "perfcomp predict: these are runs of %zu size%s; three are needed, five are better. A size is the number of ranks,\n"
            "or what is given with the run: perfcomp predict 1000=RUN 2000=RUN 4000=RUN\n", differ, differ == 1 ? "" : "s");
    return 0;
}

static int jobs_open(model_t *m, char **names, size_t n)
{
    size_t i;
    int bad = OK;
    m->job = (job_t *)must(calloc(n + 1, sizeof *m->job));
    for (m->jobs = 0; m->jobs < n; m->jobs++)
        if (job_open(&m->job[m->jobs], names[m->jobs])) bad = BAD_INPUT;
    if (bad) return bad;
    qsort(m->job, m->jobs, sizeof *m->job, by_size);
    for (i = 0, m->of_ranks = 1; i < n; i++) {
        m->mpi |= m->job[i].mpi != 0;
        m->of_ranks &= m->job[i].of_ranks;
        if (m->job[i].time > 0) continue;
        fprintf(stderr, "perfcomp predict: %s: its undisturbed time is zero within its uncertainty: nothing follows from it\n", m->job[i].name);
        return BAD_INPUT;
    }
    return has_sizes(m) ? OK : BAD_USAGE;
}

static void model_free(model_t *m)
{
    size_t i;
    for (i = 0; i < m->jobs; i++) {
        pfc_profile_close(m->job[i].busiest);
        profiles_close(&m->job[i].profiles);
    }
    for (i = 0; i < m->nodes; i++) {
        free(m->node[i].count);
        free(m->node[i].ratio.likely);
        free(m->node[i].each.likely);
    }
    free(m->wait.likely);
    free(m->rest.likely);
    free(m->node);
    free(m->job);
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    asked_t asked;
    model_t m;
    size_t i;
    int status = options_read(&options, verb, "jA", argc, argv);
    if (status >= 0) return status;
    if (options.first == argc) {
        fputs("perfcomp predict: name runs of three sizes or more; perfcomp predict --help\n", stderr);
        return BAD_USAGE;
    }
    memset(&m, 0, sizeof m);
    status = jobs_open(&m, argv + options.first, (size_t)(argc - options.first));
    if (status == OK && !sizes_read(&asked, options.at, m.job[m.jobs - 1].size)) status = BAD_USAGE;
    if (status == OK) {
        m.least = m.job[0].size;
        m.most = m.job[m.jobs - 1].size;
        for (i = 0; i < asked.n; i++) m.least = fmin(m.least, asked.size[i]), m.most = fmax(m.most, asked.size[i]);
        for (i = 0; i < m.jobs; i++) add_job(&m, i);
        if (!are_of_one_program(&m)) status = BAD_INPUT;
    }
    if (status == OK) {
        find_trends(&m);
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
    "functions of P, a + b·P^i·log2(P)^j or a/P + b·P^i·log2(P)^j, as well as what a rank waits for others. From that\n"
    "follows the time of the busiest rank, which waits least, and so that of the job, on the machine of the runs:\n\n"
    "  from, to   what other functions say that fit about as well, and the uncertainty of the measured times. What\n"
    "             happens in none of the runs (other algorithms, a network that is full) isn't in it\n"
    "  measured   undisturbed; computing, MPI, waiting: shares of what is predicted; MPI: without its waits; efficient:\n"
    "             the speedup's share of what so many more ranks could give\n\n"
    "  --at SIZES   like 64,128 (default: twice, four and eight times the largest)\n"
    "  --json       with the functions of all paths; times in ns\n\n"
    "Where a process has several threads their times are added up; of several processes without MPI, the busiest one is\n"
    "foretold.\n",
    run,
};
