/* -------------------------------------------------- model, early (impl) ---
   Readings of the clock that came too early (early.c): a region's own time gets
   what it still waited for at its exits, from its caller, and gives that back
   for which its caller still waited at its enters. As measured and undisturbed
   alike: it isn't the probes that took it. Sums don't change. */

enum { PFC__EARLY_FEW = 8 };    /* fewer samples tell nothing */
#define PFC__EARLY_WAY 10.0     /* ns: an exit that waits for nothing is on its way to be looked at for no longer than that */
#define PFC__EARLY_DOUBT 0.5    /* of what is moved */

static PFC__QUIET double pfc__early_mean(const pfc__early_t *early) { return early->sum / (double)early->n; }

/* Of all samples, by chance; twice its standard error. */
static PFC__QUIET double pfc__early_chance(const pfc__early_t *early)
{
    double n = (double)early->n, variance = early->sum_squares / n - pfc__early_mean(early) * pfc__early_mean(early);
    return 2 * sqrt(fmax(variance, 0) / n);
}

/* Recursion's callers aren't known: see pfc__callers_t. */
static PFC__QUIET int pfc__is_early(const pfc__build_t *b, size_t at)
{
    const pfc__sample_t *s = &b->untimed[at].sample;
    return s->at_end.n >= PFC__EARLY_FEW && s->at_begin.n >= PFC__EARLY_FEW && !b->untimed[at].folded && b->p->path[at].parent != PFC_NONE &&
           pfc__finite(pfc__early_mean(&s->at_end), -1e9, 1e9) && pfc__finite(pfc__early_mean(&s->at_begin), -1e9, 1e9);
}

typedef struct pfc__early_end { double mean; pfc__u64 n; } pfc__early_end_t;

static PFC__QUIET int pfc__early_compare(const void *a, const void *b)
{
    const pfc__early_end_t *x = (const pfc__early_end_t *)a, *y = (const pfc__early_end_t *)b;
    return (x->mean > y->mean) - (x->mean < y->mean);
}

/* Ticks until an exit is looked at, those with nothing to wait for: as of the quarter that have the least. */
static PFC__QUIET int pfc__early_way(const pfc__build_t *b, double *way)
{
    pfc__early_end_t *end = (pfc__early_end_t *)pfc__room(b->image, b->p->paths, sizeof *end);
    pfc__u64 all = 0, below = 0;
    size_t n = 0, i;
    *way = 0;
    if (!end) return 0;
    for (i = 0; i < b->p->paths; i++) {
        if (!pfc__is_early(b, i)) continue;
        end[n].mean = pfc__early_mean(&b->untimed[i].sample.at_end);
        all += end[n].n = b->untimed[i].sample.at_end.n;
        n++;
    }
    qsort(end, n, sizeof *end, pfc__early_compare);
    for (i = 0; i < n && below < all / 4 + 1; i++) below += end[i].n;
    if (i) *way = fmin(end[i - 1].mean, PFC__EARLY_WAY / b->ns);
    free(end);
    return 1;
}

static PFC__QUIET void pfc__early_add_to(pfc_time_t *time, double ns, double doubt)
{
    time->ct += ns;
    time->lt += ns;
    time->early += ns;
    time->error[PFC_ERROR_INSIDE] += doubt;
}

static PFC__QUIET void pfc__early_move(const pfc__build_t *b, size_t at, double way)
{
    pfc_path_info_t *path = &b->p->path[at];
    const pfc__sample_t *s = &b->untimed[at].sample;
    double entries = (double)(path->stats.count - path->stats.untimed) * b->ns;
    double each = pfc__early_mean(&s->at_end) - way - pfc__early_mean(&s->at_begin);
    double doubt = PFC__EARLY_DOUBT * fabs(each) + pfc__early_chance(&s->at_end) + pfc__early_chance(&s->at_begin);
    b->untimed[at].early = each * b->ns;
    pfc__early_add_to(&path->stats.exclusive, each * entries, doubt * entries);
    pfc__early_add_to(&b->p->path[path->parent].stats.exclusive, -each * entries, -doubt * entries);
}

static PFC__QUIET int pfc__build_early(pfc__build_t *b)
{
    double way;
    size_t i;
    if (!b->p->compensated) return 1;
    if (!pfc__early_way(b, &way)) return 0;
    for (i = 0; i < b->p->paths; i++)
        if (pfc__is_early(b, i)) pfc__early_move(b, i, way);
    return 1;
}
