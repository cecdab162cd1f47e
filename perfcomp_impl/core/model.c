/* ---------------------------------------------------------- model (impl) ---
   From checked extents to times with their uncertainty, and counts. What holds
   for a path's exclusive time:
       LT = Σ CT − Σ Δ − κ_hit · hits
   and an inclusive time is the sum over the subtree. How far LT is off when a
   cost is off by its spread is known with its sign: what is inside of a region
   is missing outside of it, so that most of it cancels out in inclusive times. */

/* What the estimate for a path's untimed entries comes from, and leads to. */
typedef struct pfc__untimed {
    pfc__sample_t sample;        /* if it was timed by sampling */
    double nested;               /* entries below one that was untimed as well */
    double before;               /* exclusive LT as measured, ns */
    double carried;              /* ns of nested entries below, to be taken from a path further up */
    double variance;             /* of the estimate, ns² */
} pfc__untimed_t;

typedef struct pfc__build {
    pfc__image_t *image;
    pfc_profile_t *p;
    double ns;                   /* of one tick */
    pfc__i64 now;                /* until when open regions are counted, ticks */
    pfc__thread_t *thread;       /* as in the profile */
    double *delta;               /* of a path, exclusive, ticks */
    pfc__untimed_t *untimed;     /* of a path */
    pfc__u64 *counter;           /* of all units, one behind the other, summed over the threads */
    pfc__u32 *counter_function;  /* whose it is */
    pfc__u64 *unit_counter;      /* where a unit's counters begin; one more than there are units */
    pfc__u32 *unit_id;
    pfc__u64 *unit_part;
    pfc__facts_t *facts;         /* of all functions */
} pfc__build_t;

/* a − b; they may be anything */
static PFC__QUIET double pfc__ticks(pfc__i64 a, pfc__i64 b) { return (double)(pfc__i64)((pfc__u64)a - (pfc__u64)b); }
static PFC__QUIET int pfc__is_over(const pfc__build_t *b) { return b->image->header.state == PFC__ENDED; }
static PFC__QUIET double pfc__fraction(pfc__i64 fixed) { return (double)fixed / (1 << PFC__FRACTION); }

void pfc_time_add(pfc_time_t *sum, const pfc_time_t *part)
{
    double systematic = 0;
    int i;
    sum->ct += part->ct;
    sum->lt += part->lt;
    sum->variance += part->variance;
    for (i = 0; i < PFC_ERRORS; i++) {
        sum->error[i] += part->error[i];
        systematic += fabs(sum->error[i]);
    }
    sum->u = systematic + sqrt(sum->variance);
}

/* ---- regions, threads, paths */

static PFC__QUIET int pfc__build_regions(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u64 n = 1, i;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__REGIONS) continue;
        if (part->first != n || part->count > UINT32_MAX - n) return pfc__damaged(image, part->begin, "numbers of regions");
        n += part->count;
    }
    p->region = (pfc_region_info_t *)pfc__room(image, n, sizeof *p->region);
    if (!p->region) return 0;
    p->region[0].name = "(outside of all regions)";
    p->region[0].file = "";
    p->regions = 1;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        for (i = 0; part->kind == PFC__REGIONS && i < part->count; i++) {
            pfc_region_info_t *info = &p->region[p->regions++];
            pfc__region_t r;
            pfc__element(image, part, i, &r, sizeof r);
            info->name = pfc__text(image, r.name);
            info->file = pfc__text(image, r.file);
            info->line = r.line;
            info->kind = r.kind;
            if (!info->name || !info->file) return 0;
        }
    }
    return 1;
}

static PFC__QUIET int pfc__build_threads(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u64 n = 0;
    size_t k;
    for (k = 0; k < image->parts; k++) n += image->part[k].kind == PFC__THREADS;
    p->thread = (pfc_thread_info_t *)pfc__room(image, n, sizeof *p->thread);
    b->thread = (pfc__thread_t *)pfc__room(image, n, sizeof *b->thread);
    if (!p->thread || !b->thread) return 0;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc__thread_t *t = &b->thread[p->threads];
        if (part->kind != PFC__THREADS || !part->count) continue; /* without a count: just being made */
        pfc__element(image, part, 0, t, part->elem_bytes < sizeof *t ? part->elem_bytes : sizeof *t);
        if (t->id != part->owner || (p->threads && t->id <= t[-1].id)) return pfc__damaged(image, part->at, "number of a thread");
        p->thread[p->threads].id = t->id;
        p->thread[p->threads].os_id = t->os_id;
        p->thread[p->threads].ended = t->state == PFC__ENDED;
        p->threads++;
    }
    return 1;
}

/* A thread's index; PFC_NONE: there is none of this number. */
static PFC__QUIET pfc__u32 pfc__thread_index(const pfc_profile_t *p, pfc__u64 id)
{
    pfc__u32 low = 0, high = p->threads;
    while (low < high) {
        pfc__u32 middle = low + (high - low) / 2;
        if (p->thread[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low < p->threads && p->thread[low].id == id ? low : PFC_NONE;
}

static PFC__QUIET pfc__u64 pfc__thread_paths(const pfc_profile_t *p, pfc__u32 thread)
{
    return (thread + 1 < p->threads ? p->thread[thread + 1].root : p->paths) - p->thread[thread].root;
}

/* A thread's paths are one behind the other: index = root + id. A thread without any gets a root. */
static PFC__QUIET int pfc__build_path_room(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u64 *n = (pfc__u64 *)pfc__room(image, p->threads, sizeof *n), total = 0;
    pfc__u32 t;
    size_t k;
    int sound = n != 0;
    for (k = 0; sound && k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__NODES || (t = pfc__thread_index(p, part->owner)) == PFC_NONE) continue;
        if (part->first != n[t] || part->count > UINT32_MAX / 2) sound = pfc__damaged(image, part->begin, "numbers of paths");
        n[t] += part->count;
    }
    for (t = 0; sound && t < p->threads; t++) {
        p->thread[t].root = (pfc__u32)total;
        total += n[t] ? n[t] : 1;
        if (total >= PFC_NONE) sound = pfc__refuse(image, "has more than 2^32 call paths; read fewer threads' at a time");
    }
    free(n);
    if (!sound) return 0;
    p->paths = (size_t)total;
    p->path = (pfc_path_info_t *)pfc__room(image, total, sizeof *p->path);
    b->delta = (double *)pfc__room(image, total, sizeof *b->delta);
    b->untimed = (pfc__untimed_t *)pfc__room(image, total, sizeof *b->untimed);
    return p->path && b->delta && b->untimed;
}

static PFC__QUIET int pfc__build_path(pfc__build_t *b, pfc__u32 thread, const pfc__node_t *n, pfc__u64 id)
{
    pfc_profile_t *p = b->p;
    size_t at = (size_t)(p->thread[thread].root + id);
    pfc_path_info_t *path = &p->path[at];
    if (n->id != id || (id && n->parent >= id) || (n->region >= p->regions && pfc__is_over(b))) return 0;
    path->region = n->region < p->regions ? n->region : 0; /* newer than our snapshot of the regions */
    path->parent = id ? p->thread[thread].root + n->parent : PFC_NONE;
    path->thread = thread;
    path->depth = id ? p->path[path->parent].depth + 1 : 0;
    path->stats.count = n->timed + n->untimed;
    path->stats.untimed = n->untimed;
    b->untimed[at].nested = (double)(n->nested < n->untimed ? n->nested : n->untimed);
    path->stats.exclusive.ct = (double)n->exclusive * b->ns;
    path->stats.shortest = (double)n->shortest * b->ns;
    path->stats.longest = (double)n->longest * b->ns;
    b->delta[at] = pfc__fraction(n->exclusive_delta);
    return 1;
}

static PFC__QUIET int pfc__build_paths(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u32 t;
    size_t k;
    if (!pfc__build_path_room(b)) return 0;
    for (t = 0; t < p->threads; t++) {
        pfc_path_info_t *root = &p->path[p->thread[t].root];
        root->parent = PFC_NONE;
        root->thread = t;
    }
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc__u64 i;
        if (part->kind != PFC__NODES || (t = pfc__thread_index(p, part->owner)) == PFC_NONE) continue;
        for (i = 0; i < part->count; i++) {
            pfc__node_t n;
            pfc__element(image, part, i, &n, sizeof n);
            if (!pfc__build_path(b, t, &n, part->first + i))
                return pfc__damaged(image, part->at + i * part->elem_bytes, "call path");
        }
    }
    return 1;
}

/* ---- open regions */

/* Where a pointer of the process points to: the part of this kind and owner,
   and the index of its element; NULL: into none. */
static PFC__QUIET const pfc__part_t *pfc__pointed(const pfc__image_t *image, const void *pointer, pfc__u32 kind,
                                                  pfc__u32 owner, pfc__u64 *index)
{
    pfc__u64 at = (pfc__u64)(pfc__uptr)pointer - image->header.base;
    size_t low = 0, high = image->parts;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (image->part[middle].begin <= at) low = middle;
        else high = middle;
    }
    if (high) {
        const pfc__part_t *part = &image->part[low];
        if (part->kind != kind || part->owner != owner || at < part->at || (at - part->at) % part->elem_bytes) return 0;
        *index = (at - part->at) / part->elem_bytes;
        return *index < part->count ? part : 0;
    }
    return 0;
}

/* The open regions of a thread: the part, the first's index in it, and how many; 0: none, or just moving. */
static PFC__QUIET const pfc__part_t *pfc__stack_of(const pfc__build_t *b, pfc__u32 thread, pfc__u64 *first, pfc__u64 *n)
{
    const pfc__thread_t *t = &b->thread[thread];
    const pfc__part_t *part = pfc__pointed(b->image, t->bottom, PFC__STACK, t->id, first);
    pfc__u64 top, i;
    pfc__i64 begin = INT64_MIN;
    if (t->state == PFC__ENDED || !part || pfc__pointed(b->image, t->top, PFC__STACK, t->id, &top) != part || top < *first) return 0;
    *n = top - *first + 1;
    for (i = 0; i < *n; i++) { /* the innermost may be half made: then it shows what was there before */
        pfc__frame_t f;
        pfc__element(b->image, part, *first + i, &f, sizeof f);
        if (!PFC__HAS_TIME(f.begin)) continue;
        if (f.begin < begin) *n = i;
        begin = f.begin;
    }
    return part;
}

static PFC__QUIET void pfc__later(pfc__i64 *last, pfc__i64 tick) { if (tick > *last) *last = tick; }

/* The last moment of which the profile knows. */
static PFC__QUIET pfc__i64 pfc__last_tick(const pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc__i64 last = h->tick_end > h->tick_begin ? h->tick_end : h->tick_begin;
    pfc__u32 t;
    if (pfc__is_over(b)) return last;
    for (t = 0; t < b->p->threads; t++) {
        pfc__u64 first, n, i;
        const pfc__part_t *part = pfc__stack_of(b, t, &first, &n);
        pfc__later(&last, b->thread[t].tick_end);
        for (i = 0; part && i < n; i++) {
            pfc__frame_t f;
            pfc__i64 inside;
            pfc__element(b->image, part, first + i, &f, sizeof f);
            if (!PFC__HAS_TIME(f.begin) || __builtin_add_overflow(f.begin, f.child, &inside)) continue;
            pfc__later(&last, f.begin);
            pfc__later(&last, inside);
        }
    }
    return last;
}

static PFC__QUIET pfc__i64 pfc__utc_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (pfc__i64)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A running program's open regions go on until this moment; a dead one's until its last sign of life. */
static PFC__QUIET void pfc__build_now(pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc_profile_t *p = b->p;
    pfc__i64 last = pfc__last_tick(b);
    double alive = pfc__ticks(last, h->tick_begin);
    b->now = last;
    if (b->image->own && !pfc__is_over(b)) b->now = pfc__clock();
    else if (p->run == PFC_RUNNING && h->clock_kind != PFC__CLOCK_USER) {
        double passed = pfc__ticks(pfc__utc_now(), h->utc_begin_ns) * h->ticks_per_ns;
        if (passed > alive && passed < 1e18) b->now = (pfc__i64)((pfc__u64)h->tick_begin + (pfc__u64)passed);
    }
    alive = pfc__ticks(b->now, h->tick_begin) * b->ns;
    p->begin_utc_ns = h->utc_begin_ns;
    p->last_utc_ns = (pfc__i64)((pfc__u64)h->utc_begin_ns + (alive > 0 && alive < 1e18 ? (pfc__u64)alive : 0));
}

/* Adds what the open regions have taken so far, from the innermost outwards. */
static PFC__QUIET void pfc__build_open(pfc__build_t *b, pfc__u32 thread)
{
    const pfc__thread_t *t = &b->thread[thread];
    pfc__u64 first, n, i, node;
    double child = 0, child_delta = 0; /* what the frame further in has taken */
    const pfc__part_t *part = pfc__stack_of(b, thread, &first, &n);
    for (i = part ? n : 0; i-- > 0;) {
        pfc__frame_t f;
        const pfc__part_t *nodes;
        double ticks, delta;
        size_t at;
        pfc__element(b->image, part, first + i, &f, sizeof f);
        child += (double)f.child;
        child_delta += pfc__fraction(f.child_delta);
        nodes = pfc__pointed(b->image, f.node, PFC__NODES, t->id, &node);
        if (!nodes) continue;
        at = (size_t)(b->p->thread[thread].root + nodes->first + node);
        b->p->path[at].stats.open++;
        b->p->path[at].stats.count++;
        if (!PFC__HAS_TIME(f.begin)) {
            b->p->path[at].stats.untimed += f.begin != PFC__UNTIMED_AGAIN;
            continue;
        }
        /* The clock of the first thread began with the profile, and so did its Δ. */
        if (i == 0 && thread == 0 && t->generations <= 1 && b->image->header.tick_begin < f.begin) f.begin = b->image->header.tick_begin;
        ticks = pfc__ticks(b->now, f.begin);
        delta = pfc__fraction((pfc__i64)((pfc__u64)t->delta - (pfc__u64)f.delta));
        b->p->path[at].stats.exclusive.ct += (ticks - child) * b->ns;
        b->delta[at] += delta - child_delta;
        child = ticks;
        child_delta = delta;
    }
}

/* The root's own Δ is what the thread's has over those of its regions, but for hits, which are charged below. */
static PFC__QUIET void pfc__build_root(pfc__build_t *b, pfc__u32 thread)
{
    const pfc__thread_t *t = &b->thread[thread];
    const pfc__header_t *h = &b->image->header;
    pfc_thread_info_t *info = &b->p->thread[thread];
    pfc__u64 n = pfc__thread_paths(b->p, thread), i;
    double rest = pfc__fraction(t->own) - pfc__fraction(t->hits_charged) + (t->state == PFC__ENDED ? 0 : pfc__fraction(t->delta));
    for (i = 1; i < n; i++) rest -= b->delta[info->root + i];
    b->delta[info->root] = rest;
    info->begin = thread == 0 && t->generations <= 1 ? 0 : pfc__ticks(t->tick_begin, h->tick_begin) * b->ns;
    info->end = pfc__ticks(t->state == PFC__ENDED ? t->tick_end : b->now, h->tick_begin) * b->ns;
}

/* ---- uncertainty, sampling, hits */

/* What instrumentation took off CT is known up to the spread of its costs. */
static PFC__QUIET void pfc__build_errors(pfc__build_t *b)
{
    const pfc__cost_t *cost = &b->p->cost;
    pfc_profile_t *p = b->p;
    pfc__u32 t;
    size_t i;
    for (i = 0; i < p->paths; i++) {
        pfc_path_info_t *path = &p->path[i], *up = path->parent == PFC_NONE ? 0 : &p->path[path->parent];
        double untimed = (double)path->stats.untimed, timed = (double)path->stats.count - untimed;
        path->stats.exclusive.lt = path->stats.exclusive.ct - (p->compensated ? b->delta[i] * b->ns : 0);
        if (!up) continue;
        p->pairs += path->stats.count - path->stats.untimed;
        p->lights += path->stats.untimed;
        if (!p->compensated) continue;
        path->stats.exclusive.error[PFC_ERROR_INSIDE] += timed * cost->inside_spread;
        up->stats.exclusive.error[PFC_ERROR_INSIDE] -= timed * cost->inside_spread;
        up->stats.exclusive.error[PFC_ERROR_PAIR] += timed * cost->pair_spread;
        up->stats.exclusive.error[PFC_ERROR_LIGHT] += untimed * cost->light_spread;
    }
    for (t = 0; p->compensated && t < p->threads; t++) /* the delay of those that it waited for was of pairs as well */
        p->path[p->thread[t].root].stats.exclusive.error[PFC_ERROR_PAIR] += pfc__fraction(b->thread[t].met_change) * b->ns;
}

/* Student's t for 95 %, from its degrees of freedom. */
static PFC__QUIET double pfc__student(double freedom)
{
    return 1.96 + (2.37 + (2.82 + 2.56 / freedom) / freedom) / freedom;
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

/* ns of a timed entry. Their deviation isn't kept, but by samples; twice the mean is more than most regions have. */
static PFC__QUIET double pfc__mean_timed(const pfc__build_t *b, size_t at, double *deviation)
{
    const pfc_stats_t *stats = &b->p->path[at].stats;
    const pfc__untimed_t *u = &b->untimed[at];
    double timed = (double)u->sample.timed, mean = stats->exclusive.lt / (double)(stats->count - stats->untimed);
    *deviation = 2 * mean;
    if (timed < 2) return mean;
    *deviation = b->ns * sqrt(fabs(u->sample.sum_squares - u->sample.sum * u->sample.sum / timed) / (timed - 1));
    mean = b->ns * u->sample.sum / timed;
    return u->before > 0 ? mean * stats->exclusive.lt / u->before : mean; /* what lay in it is gone meanwhile */
}

static PFC__QUIET void pfc__take_away(pfc_path_info_t *path, double ns)
{
    path->stats.exclusive.ct -= ns;
    path->stats.exclusive.lt -= ns;
}

/* Entries that weren't timed get the mean of those that were. What they took lies
   in the time of the frame above, or, where that wasn't timed either (`nested`),
   of one further up: from there it is taken. */
static PFC__QUIET void pfc__estimate(pfc__build_t *b, size_t at)
{
    pfc_path_info_t *path = &b->p->path[at];
    pfc__untimed_t *u = &b->untimed[at];
    double untimed = (double)path->stats.untimed, timed = u->sample.timed ? (double)u->sample.timed : (double)path->stats.count - untimed;
    double deviation, estimate = untimed * pfc__mean_timed(b, at, &deviation), below = u->carried + estimate;
    double spread = pfc__student(timed < 2 ? 1 : timed - 1) * deviation * sqrt(untimed * (untimed / timed + 1));
    if (!pfc__finite(below, -1e25, 1e25) || !pfc__finite(spread, -1e25, 1e25)) return;
    pfc__take_away(path, -estimate);
    pfc__take_away(&b->p->path[path->parent], below * (1 - u->nested / untimed));
    b->untimed[path->parent].carried += below * u->nested / untimed;
    u->variance = spread * spread;
}

/* Children before their parents. */
static PFC__QUIET void pfc__build_estimates(pfc__build_t *b)
{
    pfc_path_info_t *path = b->p->path;
    size_t i;
    for (i = 0; i < b->p->paths; i++) b->untimed[i].before = path[i].stats.exclusive.lt;
    for (i = b->p->paths; i-- > 0;) {
        const pfc_stats_t *stats = &path[i].stats;
        if (path[i].parent != PFC_NONE && stats->untimed && stats->untimed < stats->count) pfc__estimate(b, i);
        else pfc__take_away(&path[i], b->untimed[i].carried);
    }
}

static PFC__QUIET void pfc__charge_hits(pfc__build_t *b, pfc_path_info_t *path, double hits)
{
    if (!b->p->compensated) return;
    path->stats.hits += hits;
    path->stats.exclusive.lt -= hits * b->p->cost.hit;
    path->stats.exclusive.error[PFC_ERROR_HIT] += hits * b->p->cost.hit_spread;
}

typedef struct pfc__sharing { double *region_hits, *region_weight, *weight; pfc__u32 *touched; } pfc__sharing_t;

static PFC__QUIET double pfc__weight(const pfc_path_info_t *path)
{
    return path->stats.exclusive.lt > 0 ? path->stats.exclusive.lt : 0;
}

/* The hits of one array set, shared out over the paths [from, end): those of a
   function that is a region over its paths, all others over all; by time. */
static PFC__QUIET void pfc__share_hits(pfc__build_t *b, pfc__sharing_t *s, size_t from, size_t end, pfc__u32 touched, double others)
{
    pfc_profile_t *p = b->p;
    double all = 0;
    size_t i;
    pfc__u32 k;
    for (i = from; i < end; i++) {
        s->weight[i] = pfc__weight(&p->path[i]);
        s->region_weight[p->path[i].region] += s->weight[i];
        all += s->weight[i];
    }
    for (k = 0; k < touched; k++) {
        pfc__u32 r = s->touched[k];
        if (s->region_weight[r] > 0) continue; /* otherwise: counted, but never seen to take time here */
        others += s->region_hits[r];
        s->region_hits[r] = 0;
    }
    for (i = from; i < end; i++) {
        pfc__u32 r = p->path[i].region;
        double hits = s->region_weight[r] > 0 ? s->region_hits[r] * (s->weight[i] / s->region_weight[r]) : 0;
        if (all > 0) hits += others * (s->weight[i] / all);
        else if (i == from) hits += others;
        if (hits > 0) pfc__charge_hits(b, &p->path[i], hits);
    }
    for (i = from; i < end; i++) s->region_weight[p->path[i].region] = 0;
    for (k = 0; k < touched; k++) s->region_hits[s->touched[k]] = 0;
}

/* The index of a unit in the profile; PFC_NONE: no such one. */
static PFC__QUIET pfc__u32 pfc__unit_index(const pfc__build_t *b, pfc__u32 id)
{
    pfc__u32 low = 0, high = b->p->units;
    while (low < high) {
        pfc__u32 middle = low + (high - low) / 2;
        if (b->unit_id[middle] < id) low = middle + 1;
        else high = middle;
    }
    return low < b->p->units && b->unit_id[low] == id ? low : PFC_NONE;
}

/* Adds one array to the sharing; the number of regions touched so far. */
static PFC__QUIET pfc__u32 pfc__gather_hits(pfc__build_t *b, const pfc__part_t *part, pfc__sharing_t *s, pfc__u32 touched, double *others)
{
    pfc__u32 unit = pfc__unit_index(b, part->owner);
    pfc__u64 i, base = b->unit_counter[unit], n = b->unit_counter[unit + 1] - base;
    for (i = 0; i < n && i < part->count; i++) {
        pfc__u32 f = b->counter_function[base + i], region;
        pfc__u64 hits;
        pfc__element(b->image, part, i, &hits, sizeof hits);
        region = f == PFC_NONE ? PFC_NONE : b->p->function[f].region;
        if (!hits) continue;
        if (region == PFC_NONE) { *others += (double)hits; b->p->hits_spread += hits; continue; }
        if (s->region_hits[region] == 0) s->touched[touched++] = region;
        s->region_hits[region] += (double)hits;
    }
    return touched;
}

/* COUNTERS by whose they are: 0 the process's, t + 1 the thread t's. */
static PFC__QUIET pfc__u32 pfc__counters_slot(const pfc__build_t *b, const pfc__part_t *part)
{
    pfc__u32 t;
    if (part->kind != PFC__COUNTERS || pfc__unit_index(b, part->owner) == PFC_NONE) return PFC_NONE;
    if (part->first == 0) return 0;
    t = pfc__thread_index(b->p, (pfc__u64)part->first - 1);
    return t == PFC_NONE ? 0 : t + 1;
}

static PFC__QUIET void pfc__share_all(pfc__build_t *b, pfc__sharing_t *s, pfc__u32 *head, pfc__u32 *next)
{
    pfc_profile_t *p = b->p;
    size_t k;
    pfc__u32 slot;
    for (k = b->image->parts; k-- > 0;) {
        slot = pfc__counters_slot(b, &b->image->part[k]);
        if (slot == PFC_NONE) continue;
        next[k] = head[slot];
        head[slot] = (pfc__u32)k + 1;
    }
    for (slot = 0; slot <= p->threads; slot++) {
        size_t from = slot ? p->thread[slot - 1].root : 0;
        size_t end = slot ? from + (size_t)pfc__thread_paths(p, slot - 1) : p->paths;
        pfc__u32 touched = 0, at;
        double others = 0;
        for (at = head[slot]; at; at = next[at - 1])
            touched = pfc__gather_hits(b, &b->image->part[at - 1], s, touched, &others);
        if (touched || others > 0) pfc__share_hits(b, s, from, end, touched, others);
    }
}

static PFC__QUIET int pfc__build_hits(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    pfc__sharing_t s;
    pfc__u32 *head, *next;
    int done = 0;
    if (!p->paths || !p->hits) return 1;
    s.region_hits = (double *)pfc__room(b->image, p->regions, sizeof(double));
    s.region_weight = (double *)pfc__room(b->image, p->regions, sizeof(double));
    s.weight = (double *)pfc__room(b->image, p->paths, sizeof(double));
    s.touched = (pfc__u32 *)pfc__room(b->image, p->regions, sizeof(pfc__u32));
    head = (pfc__u32 *)pfc__room(b->image, (pfc__u64)p->threads + 1, sizeof *head);
    next = (pfc__u32 *)pfc__room(b->image, b->image->parts, sizeof *next);
    if (s.region_hits && s.region_weight && s.weight && s.touched && head && next) {
        pfc__share_all(b, &s, head, next);
        done = 1;
    }
    free(s.region_hits);
    free(s.region_weight);
    free(s.weight);
    free(s.touched);
    free(head);
    free(next);
    return done;
}

/* ---- sums */

static PFC__QUIET void pfc__stats_add(pfc_stats_t *sum, const pfc_stats_t *part)
{
    sum->count += part->count;
    sum->open += part->open;
    sum->untimed += part->untimed;
    sum->hits += part->hits;
    pfc_time_add(&sum->inclusive, &part->inclusive);
    pfc_time_add(&sum->exclusive, &part->exclusive);
    if (part->longest < part->shortest) return;
    if (sum->longest < sum->shortest) sum->shortest = part->shortest, sum->longest = part->longest;
    if (part->shortest < sum->shortest) sum->shortest = part->shortest;
    if (part->longest > sum->longest) sum->longest = part->longest;
}

/* What was moved from a parent to its child is uncertain in both, but not in their sum. */
static PFC__QUIET void pfc__build_sums(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    pfc_time_t zero;
    size_t i;
    pfc__u32 t;
    memset(&zero, 0, sizeof zero);
    for (i = 0; i < p->regions; i++) p->region[i].stats.longest = -1;
    for (i = p->paths; i-- > 0;) {
        pfc_path_info_t *path = &p->path[i], *up = path->parent == PFC_NONE ? 0 : &p->path[path->parent];
        pfc_time_add(&path->stats.inclusive, &path->stats.exclusive);
        if (up) pfc_time_add(&up->stats.inclusive, &path->stats.inclusive);
        path->stats.exclusive.variance += b->untimed[i].variance;
        if (up) up->stats.exclusive.variance += b->untimed[i].variance;
    }
    for (i = 0; i < p->paths; i++) {
        pfc_path_info_t *path = &p->path[i];
        path->stats.inclusive.variance = b->untimed[i].variance;
        pfc_time_add(&path->stats.inclusive, &zero);
        pfc_time_add(&path->stats.exclusive, &zero);
        pfc__stats_add(&p->region[path->region].stats, &path->stats);
    }
    for (t = 0; t < p->threads; t++) {
        p->thread[t].total = p->path[p->thread[t].root].stats.inclusive;
        pfc_time_add(&p->sum, &p->thread[t].total);
        if (p->compensated) p->delay_in += pfc__fraction(b->thread[t].met_gain) * b->ns;
    }
    if (p->threads) p->total = p->thread[0].total;
}

/* ---- units */

static PFC__QUIET int pfc__table_fits(const pfc__part_t *part, pfc__u64 place, pfc__u64 n, pfc__u64 bytes)
{
    pfc__u64 size = part->end - part->begin;
    return place <= size && n * bytes <= size - place;
}

static PFC__QUIET int pfc__unit_read(pfc__build_t *b, const pfc__part_t *part, pfc__unit_record_t *u)
{
    memcpy(u, b->image->bytes + part->at, sizeof *u);
    if (pfc__table_fits(part, u->file_table, u->files, sizeof(pfc__u64)) &&
        pfc__table_fits(part, u->function_table, u->functions, sizeof(pfc__function_t)) &&
        pfc__table_fits(part, u->block_table, u->blocks, sizeof(pfc__block_t))) return 1;
    return pfc__damaged(b->image, part->begin, "tables of a unit");
}

static PFC__QUIET int pfc__unit_room(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u64 units = 0, files = 0, functions = 0, blocks = 0;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        pfc__unit_record_t u;
        if (image->part[k].kind != PFC__UNIT || !image->part[k].count) continue;
        if (!pfc__unit_read(b, &image->part[k], &u)) return 0;
        units++;
        files += u.files;
        functions += u.functions;
        blocks += u.blocks;
    }
    if (units >= PFC_NONE || files >= PFC_NONE || functions >= PFC_NONE)
        return pfc__refuse(image, "has more than 2^32 functions; instrument fewer");
    p->unit = (pfc_unit_info_t *)pfc__room(image, units, sizeof *p->unit);
    p->source = (pfc_source_info_t *)pfc__room(image, files, sizeof *p->source);
    p->function = (pfc_function_info_t *)pfc__room(image, functions, sizeof *p->function);
    p->block = (pfc_block_info_t *)pfc__room(image, blocks, sizeof *p->block);
    b->unit_id = (pfc__u32 *)pfc__room(image, units, sizeof *b->unit_id);
    b->unit_part = (pfc__u64 *)pfc__room(image, units, sizeof *b->unit_part);
    b->unit_counter = (pfc__u64 *)pfc__room(image, units + 1, sizeof *b->unit_counter);
    return p->unit && p->source && p->function && p->block && b->unit_id && b->unit_part && b->unit_counter;
}

static PFC__QUIET int pfc__unit_sources(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__u32 i;
    for (i = 0; i < u->files; i++) {
        pfc__u64 name;
        memcpy(&name, b->image->bytes + part->begin + u->file_table + i * sizeof name, sizeof name);
        p->source[p->sources].unit = p->units;
        p->source[p->sources].name = pfc__text(b->image, name);
        if (!p->source[p->sources++].name) return 0;
    }
    return 1;
}

static PFC__QUIET int pfc__unit_functions(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__u32 i;
    for (i = 0; i < u->functions; i++) {
        pfc__function_t f;
        pfc_function_info_t *info = &p->function[p->functions++];
        memcpy(&f, b->image->bytes + part->begin + u->function_table + i * sizeof f, sizeof f);
        info->name = pfc__text(b->image, (pfc__u64)(pfc__uptr)f.name);
        info->unit = p->units;
        info->file = p->unit[p->units].file + f.file;
        info->line = f.line;
        info->line_end = f.line_end;
        info->flags = f.flags;
        info->region = PFC_NONE;
        if (!info->name) return 0;
        if (f.file >= u->files) return pfc__damaged(b->image, part->begin, "functions of a unit");
    }
    return 1;
}

static PFC__QUIET int pfc__unit_blocks(pfc__build_t *b, const pfc__part_t *part, const pfc__unit_record_t *u)
{
    pfc_profile_t *p = b->p;
    pfc__u32 i;
    for (i = 0; i < u->blocks; i++) {
        pfc__block_t block;
        pfc_block_info_t *info = &p->block[p->blocks++];
        memcpy(&block, b->image->bytes + part->begin + u->block_table + i * sizeof block, sizeof block);
        info->function = p->unit[p->units].function + block.function;
        info->file = p->unit[p->units].file + block.file;
        info->line = block.line;
        info->line_end = block.line_end;
        info->column = block.column;
        info->kind = block.kind;
        info->counted = block.counter != PFC__NO_COUNTER;
        if (block.function >= u->functions || block.file >= u->files || (info->counted && block.counter >= u->counters))
            return pfc__damaged(b->image, part->begin, "blocks of a unit");
    }
    return 1;
}

static PFC__QUIET int pfc__build_units(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    size_t k;
    if (!pfc__unit_room(b)) return 0;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc_unit_info_t *info = &p->unit[p->units];
        pfc__unit_record_t u;
        if (part->kind != PFC__UNIT || !part->count) continue;
        if (!pfc__unit_read(b, part, &u)) return 0;
        if (p->units && part->owner <= b->unit_id[p->units - 1]) return pfc__damaged(image, part->begin, "number of a unit");
        b->unit_id[p->units] = part->owner;
        b->unit_part[p->units] = k;
        info->name = pfc__text(image, u.name);
        info->directory = pfc__text(image, u.directory);
        info->compiler = pfc__text(image, u.compiler);
        info->file = p->sources;
        info->files = u.files;
        info->function = p->functions;
        info->functions = u.functions;
        info->block = p->blocks;
        info->blocks = u.blocks;
        info->counters = u.counters;
        info->trouble = "";
        if (!info->name || !info->directory || !info->compiler || !pfc__unit_sources(b, part, &u) ||
            !pfc__unit_functions(b, part, &u) || !pfc__unit_blocks(b, part, &u)) return 0;
        p->units++;
    }
    return 1;
}

/* ---- counters */

/* Sums the threads' arrays. What no array holds was never hit. */
static PFC__QUIET int pfc__build_counters(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc__u64 *begin = b->unit_counter, i;
    pfc__u32 u, units = b->p->units;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__COUNTERS || (u = pfc__unit_index(b, part->owner)) == PFC_NONE) continue;
        if (part->count > begin[u + 1]) begin[u + 1] = part->count;
    }
    for (u = 0; u < units; u++) {
        if (begin[u + 1] > b->p->unit[u].counters) begin[u + 1] = b->p->unit[u].counters;
        begin[u + 1] += begin[u];
    }
    b->counter = (pfc__u64 *)pfc__room(image, begin[units], sizeof *b->counter);
    b->counter_function = (pfc__u32 *)pfc__room(image, begin[units], sizeof *b->counter_function);
    if (!b->counter || !b->counter_function) return 0;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__COUNTERS || (u = pfc__unit_index(b, part->owner)) == PFC_NONE) continue;
        for (i = 0; i < part->count && i < begin[u + 1] - begin[u]; i++) {
            pfc__u64 value;
            pfc__element(image, part, i, &value, sizeof value);
            b->counter[begin[u] + i] += value;
        }
    }
    return 1;
}

/* Gives the blocks with a counter their counts, and the functions theirs. */
static PFC__QUIET void pfc__unit_count(pfc__build_t *b, pfc__u32 unit, const pfc__block_t *block)
{
    pfc_unit_info_t *u = &b->p->unit[unit];
    pfc__u64 base = b->unit_counter[unit], n = b->unit_counter[unit + 1] - base, i;
    for (i = 0; i < n; i++) b->counter_function[base + i] = PFC_NONE;
    for (i = 0; i < u->blocks; i++) {
        pfc_block_info_t *info = &b->p->block[u->block + i];
        pfc__u64 at = block[i].counter;
        if (!info->counted || at >= n) continue;
        info->low = b->counter[base + at];
        if (b->counter_function[base + at] == PFC_NONE) b->counter_function[base + at] = info->function;
    }
    for (i = 0; i < n; i++) {
        pfc__u64 hits = b->counter[base + i];
        pfc__u32 f = b->counter_function[base + i];
        if (f != PFC_NONE) b->p->function[f].hits += hits;
        u->hits += hits;
        b->p->hits += hits;
    }
}

/* Threads that were stopped in the middle, or still run; not the one that ended the run. */
static PFC__QUIET pfc__u32 pfc__in_flight(const pfc__build_t *b)
{
    pfc__u32 i, n = 0;
    for (i = 0; i < b->p->threads; i++)
        n += b->thread[i].state != PFC__ENDED && (!pfc__is_over(b) || b->thread[i].tick_end != b->image->header.tick_end);
    return n || pfc__is_over(b) ? n : 1;
}

static PFC__QUIET int pfc__build_inherited(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc__u32 u;
    pfc__u64 i;
    size_t k;
    b->facts = (pfc__facts_t *)pfc__room(image, b->p->functions, sizeof *b->facts);
    if (!b->facts) return 0;
    for (i = 0; i < b->p->functions; i++) b->facts[i].flags = b->p->function[i].flags;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__INHERITED || (u = pfc__unit_index(b, part->owner)) == PFC_NONE) continue;
        for (i = 0; i < part->count && i < b->p->unit[u].functions; i++)
            pfc__element(image, part, i, &b->facts[b->p->unit[u].function + i].inherited, sizeof(pfc__u64));
    }
    return 1;
}

static PFC__QUIET int pfc__unit_complete(pfc__build_t *b, pfc__u32 unit)
{
    pfc_unit_info_t *u = &b->p->unit[unit];
    const pfc__part_t *part = &b->image->part[b->unit_part[unit]];
    pfc__block_t *block = (pfc__block_t *)pfc__room(b->image, u->blocks, sizeof *block);
    pfc__unit_record_t record;
    const char *trouble;
    int done = 0;
    if (block && pfc__unit_read(b, part, &record) && record.blocks == u->blocks) {
        memcpy(block, b->image->bytes + part->begin + record.block_table, (size_t)u->blocks * sizeof *block);
        pfc__unit_count(b, unit, block);
        trouble = pfc__complete(block, &b->p->block[u->block], (pfc__u32)u->blocks, &b->facts[u->function], u->functions,
                                pfc__in_flight(b));
        if (trouble) u->trouble = trouble;
        done = 1;
    }
    free(block);
    return done;
}

static PFC__QUIET int pfc__compare_regions(const void *a, const void *b)
{
    const pfc_region_info_t *x = *(const pfc_region_info_t *const *)a, *y = *(const pfc_region_info_t *const *)b;
    int function = (x->kind == PFC__FUNCTION) - (y->kind == PFC__FUNCTION), name;
    if (function) return function;
    name = strcmp(x->name, y->name);
    return name || x->kind != PFC__FUNCTION ? name : strcmp(x->file, y->file);
}

/* Functions are regions too when they are timed: the same name in the same file. */
static PFC__QUIET int pfc__build_function_regions(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    pfc_region_info_t **sorted = (pfc_region_info_t **)pfc__room(b->image, p->regions, sizeof *sorted);
    size_t i;
    pfc__u32 f;
    if (!sorted) return 0;
    for (i = 0; i < p->regions; i++) sorted[i] = &p->region[i];
    qsort(sorted, p->regions, sizeof *sorted, pfc__compare_regions);
    for (f = 0; f < p->functions; f++) {
        pfc_region_info_t key, *wanted = &key, **found;
        key.name = p->function[f].name;
        key.file = p->source[p->function[f].file].name;
        key.kind = PFC__FUNCTION;
        found = (pfc_region_info_t **)bsearch(&wanted, sorted, p->regions, sizeof *sorted, pfc__compare_regions);
        if (found) p->function[f].region = (pfc__u32)(*found - p->region);
    }
    free(sorted);
    return 1;
}

static PFC__QUIET int pfc__build_counts(pfc__build_t *b)
{
    pfc__u32 u;
    if (!pfc__build_units(b) || !pfc__build_counters(b) || !pfc__build_inherited(b)) return 0;
    for (u = 0; u < b->p->units; u++)
        if (!pfc__unit_complete(b, u)) return 0;
    return pfc__build_function_regions(b);
}

/* ---- service data, notes, trace */

static PFC__QUIET double pfc__cost_ns(pfc__build_t *b, double ticks) { return ticks * b->ns; }

static PFC__QUIET void pfc__build_service(pfc__build_t *b)
{
    const pfc__image_t *image = b->image;
    const pfc__header_t *h = &image->header;
    pfc_profile_t *p = b->p;
    pfc__u32 t;
    p->run = pfc__run_of(image);
    p->rank = h->rank;
    p->size = h->size;
    p->pid = h->pid;
    p->parent_pid = h->parent_pid;
    p->forked = h->fork_child != 0;
    p->until_finalize = h->until_finalize != 0;
    p->compensated = h->compensate != 0;
    p->clock_kind = h->clock_kind;
    p->ticks_per_ns = h->ticks_per_ns;
    p->budget = h->budget;
    p->scale = h->scale;
    p->scale_doubt = h->scale_doubt;
    p->stop_ns = (double)h->stop_ticks * b->ns;
    p->start_ns = (double)h->start_ticks * b->ns;
    p->host = pfc__meta(image, "host");
    p->command = pfc__meta(image, "command");
    p->directory = pfc__meta(image, "directory");
    p->executable = pfc__meta(image, "executable");
    p->compiler = pfc__meta(image, "compiler");
    p->version = pfc__meta(image, "version");
    p->clock = pfc__meta(image, "clock");
    p->clock_reason = pfc__meta(image, "clock_reason");
    p->cost.pair = pfc__cost_ns(b, h->cost.pair);
    p->cost.inside = pfc__cost_ns(b, h->cost.inside);
    p->cost.light = pfc__cost_ns(b, h->cost.light);
    p->cost.hit = pfc__cost_ns(b, h->cost.hit);
    p->cost.mpi = pfc__cost_ns(b, h->cost.mpi);
    p->cost.empty_pair = pfc__cost_ns(b, h->cost.empty_pair);
    p->cost.windows = h->cost.windows;
    p->cost.dilation = h->cost.dilation > 0 ? h->cost.dilation : 1;
    p->cost.pair_spread = fabs(pfc__cost_ns(b, h->cost.pair_spread));
    p->cost.inside_spread = fabs(pfc__cost_ns(b, h->cost.inside_spread));
    p->cost.light_spread = fabs(pfc__cost_ns(b, h->cost.light_spread));
    p->cost.hit_spread = fabs(pfc__cost_ns(b, h->cost.hit_spread));
    p->lost_regions = h->lost_regions;
    p->lost_nodes = h->lost_nodes;
    p->lost_units = h->lost_units;
    p->stray_ends = h->stray_ends;
    p->unclosed = h->unclosed;
    p->unwound = h->unwound;
    for (t = 0; t < p->threads; t++) {
        p->stray_ends += b->thread[t].stray_ends;
        p->unclosed += b->thread[t].unclosed;
        p->unwound += b->thread[t].unwound;
    }
}

static PFC__QUIET int pfc__build_notes(pfc__build_t *b)
{
    const pfc__image_t *image = b->image;
    size_t k, n = 0;
    int pass;
    for (pass = 0; pass < 2; pass++) {
        for (k = 0; k < image->parts; k++) {
            const char *text;
            pfc__u64 at = 0;
            while (image->part[k].kind == PFC__NOTES && (text = pfc__text_next(image, &image->part[k], &at)) != 0) {
                if (pass == 0) n++;
                else if (b->p->notes < n) b->p->note[b->p->notes++] = text;
            }
        }
        if (pass == 0 && !(b->p->note = (const char **)pfc__room(b->image, n, sizeof *b->p->note))) return 0;
    }
    return 1;
}

int pfc_profile_event(const pfc_profile_t *profile, uint32_t thread, uint64_t index, pfc_event_info_t *event)
{
    const pfc__image_t *image = profile->image;
    const pfc_thread_info_t *t = &profile->thread[thread];
    const pfc__part_t *part;
    pfc__event_t e;
    if (!image || thread >= profile->threads || index >= t->events) return 0;
    part = &image->part[t->ring];
    pfc__element(image, part, (t->events_lost + index) % part->capacity, &e, sizeof e);
    event->lt = pfc__ticks(e.lt, image->header.tick_begin) / profile->ticks_per_ns;
    event->kind = e.kind;
    event->region = e.region < profile->regions ? e.region : PFC_NONE;
    memcpy(event->argument, e.argument, sizeof event->argument);
    return 1;
}

static PFC__QUIET void pfc__build_events(pfc__build_t *b)
{
    size_t k;
    for (k = b->image->parts; k-- > 0;) {
        const pfc__part_t *part = &b->image->part[k];
        pfc__u32 t = part->kind == PFC__EVENTS && part->capacity ? pfc__thread_index(b->p, part->owner) : PFC_NONE;
        if (t == PFC_NONE) continue;
        b->p->thread[t].events = part->count < part->capacity ? part->count : part->capacity;
        b->p->thread[t].ring = k;
        b->p->thread[t].events_lost = part->count - b->p->thread[t].events;
    }
}

/* ---- all of it */

static PFC__QUIET int pfc__build_all(pfc__build_t *b)
{
    pfc__u32 t;
    b->ns = 1 / b->image->header.ticks_per_ns;
    if (!pfc__build_regions(b) || !pfc__build_threads(b) || !pfc__build_paths(b) || !pfc__build_samples(b)) return 0;
    pfc__build_service(b);
    pfc__build_now(b);
    for (t = 0; t < b->p->threads; t++) {
        pfc__build_open(b, t);
        pfc__build_root(b, t);
    }
    pfc__build_errors(b);
    pfc__build_estimates(b);
    if (!pfc__build_counts(b) || !pfc__build_hits(b)) return 0;
    pfc__build_sums(b);
    pfc__build_events(b);
    return pfc__build_notes(b) && pfc__mpi_read(b->image, &b->p->mpi);
}

void pfc_profile_close(pfc_profile_t *profile)
{
    if (!profile) return;
    free(profile->region);
    free(profile->path);
    free(profile->thread);
    free(profile->unit);
    free(profile->function);
    free(profile->source);
    free(profile->block);
    free(profile->note);
    pfc__mpi_free(profile->mpi);
    pfc__image_free(profile->image);
    free(profile);
}

/* The model of an image, which it takes over; NULL: refused, and image->why says why. */
static PFC__QUIET pfc_profile_t *pfc__profile_of(pfc__image_t *image)
{
    pfc__build_t b;
    int done = 0;
    memset(&b, 0, sizeof b);
    b.image = image;
    b.p = (pfc_profile_t *)pfc__room(image, 1, sizeof *b.p);
    if (!b.p) pfc__image_free(image);
    else {
        b.p->image = image;
        b.p->file = image->file;
        done = pfc__image_read(image) && pfc__build_all(&b);
    }
    free(b.thread);
    free(b.delta);
    free(b.untimed);
    free(b.counter);
    free(b.counter_function);
    free(b.unit_counter);
    free(b.unit_id);
    free(b.unit_part);
    free(b.facts);
    if (!done) pfc_profile_close(b.p);
    return done ? b.p : 0;
}

pfc_profile_t *pfc_profile_open(const char *file, char *why, size_t why_bytes)
{
    pfc__image_t *image = pfc__image_new(file, why, why_bytes);
    int fd, loaded;
    if (!image) return 0;
    fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) pfc__refuse(image, "can't be read: %s", strerror(errno));
    loaded = fd >= 0 && pfc__load_file(image, fd);
    if (fd >= 0) close(fd);
    if (loaded) return pfc__profile_of(image);
    pfc__image_free(image);
    return 0;
}
