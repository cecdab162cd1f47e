/* --------------------------------------------- model, estimates (impl) ---
   How uncertain times are, and the times of entries that were only counted. */

/* pthread_join, waitpid …: entered by what is linked in their place, so that they have no file. */
static PFC__QUIET int pfc__is_wait(const pfc_profile_t *p, const pfc_path_info_t *path)
{
    const pfc_region_info_t *region = &p->region[path->region];
    return region->kind == PFC__NAMED && !region->file[0];
}

/* By how much one has changed Δ. Most of it is a wait that is longer or shorter than it was measured: a call that ended at
   once may have waited undisturbed. */
static PFC__QUIET double pfc__wait_changed(const pfc_path_info_t *path) { return fabs(path->stats.exclusive.ct - path->stats.exclusive.lt); }

/* By how much each thread's have, together; -1: it was in MPI's calls as well, whose uncertainty is known one by one. */
static PFC__QUIET void pfc__waits_changed(const pfc_profile_t *p, double *changed)
{
    size_t i;
    for (i = 0; i < p->paths; i++) {
        const pfc_path_info_t *path = &p->path[i];
        double *sum = &changed[path->thread];
        if (p->region[path->region].kind == PFC__MPI_CALL) *sum = -1;
        else if (*sum >= 0 && pfc__is_wait(p, path)) *sum += pfc__wait_changed(path);
    }
}

/* The delay of those that a thread waited for was of pairs as well. How far it is uncertain belongs to the calls that
   waited, in proportion to what they have changed; where that isn't known, to the thread's root. */
static PFC__QUIET int pfc__build_wait_errors(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    double *changed;
    size_t i;
    if (!p->compensated) return 1;
    changed = (double *)pfc__room(b->image, p->threads, sizeof *changed);
    if (!changed) return 0;
    pfc__waits_changed(p, changed);
    for (i = 0; i < p->paths; i++) {
        pfc_path_info_t *path = &p->path[i];
        double all = changed[path->thread], change = pfc__fraction(b->thread[path->thread].met_change) * b->ns;
        double part = all > 0 ? (pfc__is_wait(p, path) ? pfc__wait_changed(path) / all : 0) : path->parent == PFC_NONE;
        path->stats.exclusive.error[PFC_ERROR_PAIR] += part * change;
    }
    free(changed);
    return 1;
}

/* ---- what a path's entries cost outside of it is known up to their spread: that is their callers'

   A path that recursion has folded was entered from the one above it, from itself, or from any below, and nobody has
   counted how often from which. But each was charged for the entries that it made: of its Δ, what its other entries don't
   explain tells its share of these. */
typedef struct pfc__callers {
    double unexplained;          /* Δ of the path, ns, */
    double below;                /* and of all of its subtree, with itself */
    double timed, untimed;       /* entries of folded paths from there, for each ns that isn't explained */
} pfc__callers_t;

static PFC__QUIET double pfc__timed(const pfc_path_info_t *path) { return (double)(path->stats.count - path->stats.untimed); }

static PFC__QUIET void pfc__outside_error(const pfc__build_t *b, pfc_path_info_t *caller, double timed, double untimed)
{
    const pfc__cost_t *cost = &b->p->cost;
    caller->stats.exclusive.error[PFC_ERROR_INSIDE] -= timed * cost->inside_spread;
    caller->stats.exclusive.error[PFC_ERROR_PAIR] += timed * cost->pair_spread;
    caller->stats.exclusive.error[PFC_ERROR_LIGHT] += untimed * cost->light_spread;
}

static PFC__QUIET void pfc__callers_weigh(const pfc__build_t *b, pfc__callers_t *callers)
{
    const pfc__cost_t *cost = &b->p->cost;
    const pfc_profile_t *p = b->p;
    size_t i;
    for (i = 0; i < p->paths; i++) {
        const pfc_path_info_t *path = &p->path[i];
        double timed = pfc__timed(path);
        callers[i].unexplained += b->delta[i] * b->ns;
        if (path->parent == PFC_NONE) continue;
        callers[i].unexplained -= timed * cost->inside;
        if (!b->untimed[i].folded)
            callers[path->parent].unexplained -= timed * (cost->pair - cost->inside) + (double)path->stats.untimed * cost->light;
    }
    for (i = p->paths; i-- > 0;) {
        callers[i].unexplained = fmax(callers[i].unexplained, 0);
        callers[i].below += callers[i].unexplained;
        if (p->path[i].parent != PFC_NONE) callers[p->path[i].parent].below += callers[i].below;
    }
}

/* Folded paths' entries, shared out among those that may have made them. */
static PFC__QUIET void pfc__callers_share(const pfc__build_t *b, pfc__callers_t *callers)
{
    pfc_profile_t *p = b->p;
    size_t i;
    pfc__callers_weigh(b, callers);
    for (i = 0; i < p->paths; i++) {
        pfc_path_info_t *path = &p->path[i];
        pfc__callers_t *c = &callers[i];
        if (path->parent == PFC_NONE) continue;
        c->timed = callers[path->parent].timed;
        c->untimed = callers[path->parent].untimed;
        if (b->untimed[i].folded) {
            double timed = pfc__timed(path), untimed = (double)path->stats.untimed;
            double above = callers[path->parent].unexplained, all = above + c->below;
            pfc__outside_error(b, &p->path[path->parent], all > 0 ? timed * above / all : timed, all > 0 ? untimed * above / all : untimed);
            c->timed += all > 0 ? timed / all : 0;
            c->untimed += all > 0 ? untimed / all : 0;
        }
        pfc__outside_error(b, path, c->timed * c->unexplained, c->untimed * c->unexplained);
    }
}

static PFC__QUIET int pfc__build_folded_errors(const pfc__build_t *b)
{
    pfc__callers_t *callers;
    size_t i = 0;
    while (i < b->p->paths && !b->untimed[i].folded) i++;
    if (i == b->p->paths) return 1;
    callers = (pfc__callers_t *)pfc__room(b->image, b->p->paths, sizeof *callers);
    if (!callers) return 0;
    pfc__callers_share(b, callers);
    free(callers);
    return 1;
}

/* What reading its own timers takes a thread was seen in an empty loop only, as that of empty pairs. Where it read them, nobody
   has noted: its root has the doubt. */
#define PFC__LOOK_DOUBT 0.5

/* What instrumentation took off CT is known up to the spread of its costs. */
static PFC__QUIET int pfc__build_errors(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    size_t i;
    for (i = 0; i < p->paths; i++) {
        pfc_path_info_t *path = &p->path[i];
        path->stats.exclusive.lt = path->stats.exclusive.ct - (p->compensated ? b->delta[i] * b->ns : 0);
        if (path->parent == PFC_NONE) {
            path->stats.exclusive.error[PFC_ERROR_PAIR] += PFC__LOOK_DOUBT * pfc__fraction(b->thread[path->thread].looked) * b->ns;
            continue;
        }
        p->pairs += path->stats.count - path->stats.untimed;
        p->untimed += path->stats.untimed;
        if (!p->compensated) continue;
        path->stats.exclusive.error[PFC_ERROR_INSIDE] += pfc__timed(path) * p->cost.inside_spread;
        if (!b->untimed[i].folded) pfc__outside_error(b, &p->path[path->parent], pfc__timed(path), (double)path->stats.untimed);
    }
    return !p->compensated || pfc__build_folded_errors(b);
}

/* Student's t for 95 %, from its degrees of freedom. */
static PFC__QUIET double pfc__student(double freedom)
{
    return 1.96 + (2.37 + (2.82 + (2.56 + 3 / freedom) / freedom) / freedom) / freedom;
}

/* The samples tell more than the sums over a path do. */
static PFC__QUIET int pfc__build_samples(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc__u32 t = part->kind == PFC__SAMPLES ? pfc__thread_index(p, part->owner) : PFC_NONE;
        pfc__u64 i;
        for (i = 0; t != PFC_NONE && i < part->count; i++) {
            pfc__sample_t s;
            pfc__element(image, part, i, &s, sizeof s);
            if (s.node && s.node < pfc__thread_paths(p, t)) b->untimed[p->thread[t].root + s.node].sample = s;
            else if (pfc__is_over(b)) return pfc__damaged(image, part->at, "sample without a call path");
        }
    }
    return 1;
}

/* Their deviation isn't kept, but by samples. Twice the mean is more than most regions have, unless one entry took most
   of the time: the longest, of which as much is the path's own as of all of them. */
static PFC__QUIET double pfc__deviation_guess(const pfc_stats_t *stats, const pfc__untimed_t *u, double timed)
{
    double own = u->folded || !(u->within > u->before) ? 1 : fmax(u->before, 0) / u->within;
    double longest = u->folded ? 0 : fmin(stats->longest * own, u->before);
    return fmax(2 * u->before / timed, longest / sqrt(timed));
}

/* Without a budget entries are left untimed only while those before took `brief` on the mean, or less: in a path that
   became slow later, as MPI calls that wait from some phase on, they were none of the slow ones. */
static PFC__QUIET double pfc__while_brief(const pfc__build_t *b, size_t at, double mean)
{
    double brief = (double)b->thread[b->p->path[at].thread].brief * b->ns;
    return b->image->header.budget > 0 || brief <= 0 ? mean : fmin(mean, brief);
}

/* ns of an entry that wasn't timed, as those that were tell; `doubt`: how far their mean is off, besides. Of what was measured
   in a sampled path a share is its own: the rest was of untimed entries below, as it is estimated. A few long ones among the
   timed there can make that more than all, and the share less than nothing; and as the path's own untimed entries may be many
   times as many as its timed ones, their doubt is as many times what the estimates below are in doubt. */
static PFC__QUIET double pfc__mean_timed(const pfc__build_t *b, size_t at, double *deviation, double *doubt)
{
    const pfc_stats_t *stats = &b->p->path[at].stats;
    const pfc__untimed_t *u = &b->untimed[at];
    double timed = (double)u->sample.timed, all_timed = (double)(stats->count - stats->untimed), mean = stats->exclusive.lt / all_timed;
    *deviation = pfc__deviation_guess(stats, u, all_timed);
    *doubt = 0;
    if (timed < 2) return pfc__while_brief(b, at, mean);
    *deviation = b->ns * sqrt(fabs(u->sample.sum_squares - u->sample.sum * u->sample.sum / timed) / (timed - 1));
    mean = b->ns * u->sample.sum / timed;
    if (u->before <= 0) return mean;
    *doubt = mean * sqrt(u->taken_variance) / u->before;
    return mean * stats->exclusive.lt / u->before;
}

static PFC__QUIET void pfc__take_away(pfc_path_info_t *path, double ns, double inside)
{
    path->stats.exclusive.ct -= ns;
    path->stats.exclusive.lt -= ns;
    path->stats.exclusive.error[PFC_ERROR_INSIDE] -= inside;
}

/* An estimate is as uncertain where it is taken from: the frame above has so much of it, one further up `nested` of it. */
static PFC__QUIET void pfc__estimate_variance(pfc__build_t *b, size_t at, double nested)
{
    pfc__untimed_t *u = &b->untimed[at], *up = &b->untimed[b->p->path[at].parent];
    u->within_variance = u->variance + u->carried_variance;
    up->taken_variance += u->within_variance * (1 - nested) * (1 - nested);
    up->carried_variance += u->within_variance * nested * nested;
}

/* Nothing of it was untimed: what has been carried here is taken from it. */
static PFC__QUIET void pfc__take_carried(pfc__build_t *b, size_t at)
{
    pfc__untimed_t *u = &b->untimed[at];
    pfc__take_away(&b->p->path[at], u->carried, u->carried_inside);
    u->taken_variance += u->carried_variance;
}

/* Entries that weren't timed get the mean of those that were, which is off by as much as each of them. What they took
   lies in the time of the frame above, or, where that wasn't timed either (`nested`), of one further up: from there it
   is taken. */
static PFC__QUIET void pfc__estimate(pfc__build_t *b, size_t at)
{
    pfc_path_info_t *path = &b->p->path[at];
    pfc__untimed_t *u = &b->untimed[at];
    double untimed = (double)path->stats.untimed, timed = u->sample.timed ? (double)u->sample.timed : (double)path->stats.count - untimed;
    double deviation, doubt, estimate = untimed * pfc__mean_timed(b, at, &deviation, &doubt), below = u->carried + estimate;
    double inside = b->p->compensated ? untimed * b->p->cost.inside_spread : 0, below_inside = u->carried_inside + inside;
    double spread = pfc__student(timed < 2 ? 1 : timed - 1) * deviation * sqrt(untimed * (untimed / timed + 1));
    if (!pfc__finite(below, -1e25, 1e25) || !pfc__finite(spread, -1e25, 1e25)) return;
    pfc__take_away(path, -estimate, -inside);
    pfc__take_away(&b->p->path[path->parent], below * (1 - u->nested / untimed), below_inside * (1 - u->nested / untimed));
    b->untimed[path->parent].carried += below * u->nested / untimed;
    b->untimed[path->parent].carried_inside += below_inside * u->nested / untimed;
    u->variance = spread * spread + untimed * doubt * untimed * doubt;
    pfc__estimate_variance(b, at, u->nested / untimed);
}

static PFC__QUIET void pfc__build_estimates(pfc__build_t *b)
{
    pfc_path_info_t *path = b->p->path;
    size_t i;
    for (i = b->p->paths; i-- > 0;) { /* children before their parents */
        pfc__untimed_t *u = &b->untimed[i];
        u->before = path[i].stats.exclusive.lt;
        u->within += u->before;
        if (path[i].parent != PFC_NONE) b->untimed[path[i].parent].within += u->within;
    }
    for (i = b->p->paths; i-- > 0;) {
        const pfc_stats_t *stats = &path[i].stats;
        if (path[i].parent != PFC_NONE && stats->untimed && stats->untimed < stats->count) pfc__estimate(b, i);
        else pfc__take_carried(b, i);
    }
}
