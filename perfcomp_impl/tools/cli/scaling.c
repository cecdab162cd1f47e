/* The model is made: runs are read, their paths laid one over the other, trends found, and followed to another size. */
#include "scaling.h"

#include <math.h>

#define OF_COUNTS 0.01 /* roughness: shares of a whole number are rounded, … */
#define OF_TIMES 0.05  /* … caches and networks have steps */

/* ---- the jobs */

static double wait_of(const pfc_profile_t *p) { return p->mpi ? p->mpi->total.wait_lt : 0; }

/* Nobody knows whether a rank that is missing was busier. */
static void say_missing(const job_t *j, const pfc_profile_t *busiest)
{
    size_t i, ranks = 0;
    for (i = 0; i < j->profiles.n; i++) ranks += j->profiles.p[i]->mpi != 0;
    if (busiest->mpi && ranks != busiest->mpi->size)
        say("predict", "%s: %zu profiles of a job with %u ranks: the busiest of these is taken", j->name, ranks, busiest->mpi->size);
}

/* SIZE=RUN, or RUN, whose size is its number of ranks. */
static int job_open(job_t *j, char *name)
{
    char *end;
    j->name = name;
    j->size = strtod(name, &end);
    if (end == name || *end != '=') j->size = 0;
    else if (j->size >= 1 && j->size < 1e18) name = end + 1;
    else return say("predict", "%s: a size is a number from 1 to 1e18; give all of them in another unit", name), BAD_USAGE;
    if (is_nameless("predict", name)) return BAD_USAGE;
    return profiles_open(&j->profiles, &name, 1, TIMES) || j->profiles.status ? BAD_INPUT : OK;
}

/* All ranks end together, but the one that has most to do waits least: of it most is known of what the time goes into. */
static void job_sum_up(job_t *j)
{
    size_t i;
    const pfc_profile_t *busiest;
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
}

static int add_run(model_t *m, char *name)
{
    job_t *j = &m->job[m->jobs];
    size_t i;
    int bad = job_open(j, name);
    if (bad) { profiles_close(&j->profiles); return bad; }
    for (i = 0; i < m->jobs; i++)
        if (is_named_again("predict", j->name, &j->profiles, m->job[i].name, &m->job[i].profiles)) return OK;
    say_unfinished("predict", j->name, &j->profiles);
    say_uncompensated("predict", j->name, &j->profiles);
    job_sum_up(j);
    m->jobs++;
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

static int has_sizes(const model_t *m)
{
    size_t i, differ = 1;
    for (i = 1; i < m->jobs; i++) differ += m->job[i].size > m->job[i - 1].size;
    if (differ >= 3) return 1;
    say("predict", "these are runs of %zu size%s; three are needed, five are better. A size is the number of ranks, "
                   "or what is given with the run: perfcomp predict 1000=RUN 2000=RUN 4000=RUN", differ, differ == 1 ? "" : "s");
    return 0;
}

/* Sizes of a problem, and beside them a number of ranks: that one was forgotten. A number of ranks may be given, too. */
static int are_of_one_kind(const model_t *m)
{
    size_t i, bare = m->jobs, other = m->jobs;
    for (i = m->jobs; i--;) {
        if (m->job[i].of_ranks) bare = i;
        else if (fabs(m->job[i].size - m->job[i].busiest->size) > 0) other = i;
    }
    if (bare == m->jobs || other == m->jobs) return 1;
    say("predict", "%s: a size is missing: %s has one (%.12g) that isn't its number of ranks; give all of them as SIZE=RUN",
        m->job[bare].name, m->job[other].name, m->job[other].size);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const job_t *x = (const job_t *)a, *y = (const job_t *)b;
    return (x->size > y->size) - (x->size < y->size);
}

int model_open(model_t *m, char **names, size_t n)
{
    size_t i;
    int bad = OK;
    m->job = (job_t *)must(calloc(n + 1, sizeof *m->job));
    for (i = 0; i < n; i++) {
        int status = add_run(m, names[i]);
        if (status) bad = status;
    }
    if (bad) return bad;
    qsort(m->job, m->jobs, sizeof *m->job, by_size);
    for (i = 0, m->of_ranks = 1; i < m->jobs; i++) {
        m->mpi |= m->job[i].mpi != 0;
        m->of_ranks &= m->job[i].of_ranks;
        if (m->job[i].time > 0) continue;
        say("predict", "%s: its undisturbed time is zero within its uncertainty: nothing follows from it", m->job[i].name);
        return BAD_INPUT;
    }
    return are_of_one_kind(m) && has_sizes(m) ? OK : BAD_USAGE;
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
        if (!pfc_region_order(m->node[i].region, region)) found = i;
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
    size_t k = 1;
    while (k < m->nodes && !(m->node[k].count[a] > 0 && m->node[k].count[b] > 0)) k++;
    return k < m->nodes;
}

static int has_paths(const model_t *m, size_t job) { return share_a_path(m, job, job); }

static void say_different(const model_t *m, size_t a, size_t b)
{
    const char *x = m->job[a].name, *y = m->job[b].name;
    if (has_paths(m, a) && has_paths(m, b)) say("predict", "%s and %s have no call path in common: give runs of one program, of one build", x, y);
    else say("predict", "%s has regions, but %s has none: give runs of one build", has_paths(m, a) ? x : y, has_paths(m, a) ? y : x);
}

/* Where none has a path, as where blocks are only counted (perfcomp-cc --count), the whole time of each is known. */
static int are_of_one_program(const model_t *m)
{
    size_t i;
    for (i = 1; i < m->jobs; i++) {
        if (share_a_path(m, 0, i) || (!has_paths(m, 0) && !has_paths(m, i))) continue;
        say_different(m, 0, i);
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

int model_build(model_t *m, double least, double most)
{
    size_t i;
    m->least = least;
    m->most = most;
    for (i = 0; i < m->jobs; i++) add_job(m, i);
    if (!are_of_one_program(m)) return BAD_INPUT;
    find_trends(m);
    return OK;
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

prediction_t model_predict(const model_t *m, double size)
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

double *model_times(const model_t *m, double size)
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

void model_free(model_t *m)
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
