/* -------------------------------------------------- model, hits (impl) ---
   What counting took, shared out over call paths. */

/* Hits, what they cost, and how uncertain that is; ns. */
typedef struct pfc__counted { double hits, cost, spread; } pfc__counted_t;

/* So many hits of the array's counters. */
static PFC__QUIET pfc__counted_t pfc__counted_by(const pfc_profile_t *p, const pfc__part_t *part, pfc__u64 hits)
{
    pfc__counted_t counted;
    int atomic = (part->adding & PFC__ADDED_ATOMICALLY) != 0;
    counted.hits = (double)hits;
    counted.cost = counted.hits * (atomic ? p->atomic_hit : p->cost.hit);
    counted.spread = counted.hits * (atomic ? p->atomic_hit_spread : p->cost.hit_spread);
    return counted;
}

/* Turns of loops that the compiler counts in a register, or adds up behind them (pfc__unit_t), cost next to nothing
   (tests/bench/loops), unless it hasn't: it may know better than the instrumenter who may look at the counters. */
#define PFC__SUMMED_SHARE 0.1
#define PFC__SUMMED_DOUBT 0.6

static PFC__QUIET void pfc__counted_sum_up(pfc_profile_t *p, pfc__counted_t *counted)
{
    counted->cost *= PFC__SUMMED_SHARE;
    counted->spread *= PFC__SUMMED_DOUBT;
    p->summed_hits += (pfc__u64)counted->hits;
}

/* So many entries of a unit's functions had to find their thread's counters first. */
static PFC__QUIET void pfc__counted_fetch(pfc__build_t *b, pfc__counted_t *counted, pfc__u32 unit, double entries)
{
    double cost = entries * pfc__cost_ns(b, pfc__fraction(b->image->part[b->unit_part[unit]].fetch));
    counted->cost += cost;
    counted->spread += fabs(cost) * b->image->header.fetch_doubt;
    b->p->fetches += entries;
    b->p->fetch += cost; /* of all, for now */
}

/* `share` has room for all functions: how many of a function's hits are an entry's. There are no fewer, as each way through it
   has a counter; which thread has entered it is known by its hits only. */
static PFC__QUIET void pfc__share_entries(const pfc_profile_t *p, double *share)
{
    size_t i;
    for (i = 0; i < p->blocks; i++) {
        const pfc_block_info_t *block = &p->block[i];
        pfc__u64 hits = p->function[block->function].hits;
        if (block->kind == PFC__BLOCK_ENTRY && hits) share[block->function] = (double)block->low / (double)hits;
    }
}

/* `share` of another sum comes to this one. */
static PFC__QUIET void pfc__counted_add(pfc__counted_t *sum, pfc__counted_t other, double share)
{
    sum->hits += share * other.hits;
    sum->cost += share * other.cost;
    sum->spread += share * other.spread;
}

static PFC__QUIET void pfc__charge_hits(pfc__build_t *b, pfc_path_info_t *path, pfc__counted_t counted)
{
    if (!b->p->compensated) return;
    path->stats.hits += counted.hits;
    if (b->image->header.virtual_time) return;
    path->stats.exclusive.lt -= counted.cost;
    path->stats.exclusive.error[PFC_ERROR_HIT] += counted.spread;
}

typedef struct pfc__sharing { pfc__counted_t *region; double *region_weight, *weight, *entries; pfc__u32 *touched; } pfc__sharing_t;

/* OpenMP's regions are waits that hold the program's code. */
static PFC__QUIET int pfc__is_openmp(const pfc_profile_t *p, const pfc_path_info_t *path)
{
    return pfc__is_wait(p, path) && !strncmp(p->region[path->region].name, "omp ", 4);
}

/* Blocks are the program's: a call of MPI has none, nor has a wait. */
static PFC__QUIET int pfc__is_without_blocks(const pfc_profile_t *p, const pfc_path_info_t *path)
{
    return p->region[path->region].kind == PFC__MPI_CALL || (pfc__is_wait(p, path) && !pfc__is_openmp(p, path));
}

/* The region whose blocks run in a path: in one of OpenMP's those of the function that it stands in. */
static PFC__QUIET pfc__u32 pfc__holder(const pfc_profile_t *p, const pfc_path_info_t *path)
{
    while (path->parent != PFC_NONE && pfc__is_openmp(p, path)) path = &p->path[path->parent];
    return path->region;
}

/* A path's time, or, where less came out than is uncertain of it, that much: below zero it may be the one that counts most. */
static PFC__QUIET double pfc__weight(const pfc__build_t *b, size_t path)
{
    const pfc_time_t *time = &b->p->path[path].stats.exclusive;
    double doubt = sqrt(time->variance + b->untimed[path].variance + b->untimed[path].taken_variance);
    int i;
    if (pfc__is_without_blocks(b->p, &b->p->path[path])) return 0;
    for (i = 0; i < PFC_ERRORS; i++) doubt += fabs(time->error[i]);
    return time->lt > doubt ? time->lt : doubt;
}

/* The hits of one array set, shared out over the paths [from, end): those of a
   function that is a region over its paths, all others over all that may hold blocks; by time. */
static PFC__QUIET void pfc__share_hits(pfc__build_t *b, pfc__sharing_t *s, size_t from, size_t end, pfc__u32 touched, pfc__counted_t others)
{
    static const pfc__counted_t none = { 0, 0, 0 };
    pfc_profile_t *p = b->p;
    double all = 0;
    size_t i;
    pfc__u32 k;
    for (i = from; i < end; i++) {
        s->weight[i] = pfc__weight(b, i);
        s->region_weight[pfc__holder(p, &p->path[i])] += s->weight[i];
        all += s->weight[i];
    }
    for (k = 0; k < touched; k++) {
        pfc__u32 r = s->touched[k];
        if (s->region_weight[r] > 0) continue; /* otherwise: counted, but never seen to take time here */
        pfc__counted_add(&others, s->region[r], 1);
        s->region[r] = none;
    }
    for (i = from; i < end; i++) {
        pfc__u32 r = pfc__holder(p, &p->path[i]);
        pfc__counted_t here = none;
        if (s->region_weight[r] > 0) pfc__counted_add(&here, s->region[r], s->weight[i] / s->region_weight[r]);
        if (all > 0) pfc__counted_add(&here, others, s->weight[i] / all);
        else if (i == from) pfc__counted_add(&here, others, 1);
        if (here.hits > 0) pfc__charge_hits(b, &p->path[i], here);
    }
    for (i = from; i < end; i++) s->region_weight[pfc__holder(p, &p->path[i])] = 0;
    for (k = 0; k < touched; k++) s->region[s->touched[k]] = none;
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
static PFC__QUIET pfc__u32 pfc__gather_hits(pfc__build_t *b, const pfc__part_t *part, pfc__sharing_t *s, pfc__u32 touched, pfc__counted_t *others)
{
    pfc__u32 unit = pfc__unit_index(b, part->owner);
    pfc__u64 i, base = b->unit_counter[unit], n = b->unit_counter[unit + 1] - base;
    for (i = 0; i < n && i < part->count; i++) {
        pfc__u32 f = b->counter_function[base + i], region;
        pfc__counted_t counted;
        pfc__u64 hits;
        pfc__element(b->image, part, i, &hits, sizeof hits);
        region = f == PFC_NONE ? PFC_NONE : b->p->function[f].region;
        if (!hits) continue;
        counted = pfc__counted_by(b->p, part, hits);
        if (b->counter_summed[base + i]) pfc__counted_sum_up(b->p, &counted);
        if (part->adding & PFC__ADDED_ATOMICALLY) b->p->atomic_hits += hits;
        if (part->first && f != PFC_NONE) pfc__counted_fetch(b, &counted, unit, s->entries[f] * (double)hits);
        if (region == PFC_NONE) {
            pfc__counted_add(others, counted, 1);
            b->p->hits_spread += hits;
            continue;
        }
        if (!(s->region[region].hits > 0)) s->touched[touched++] = region;
        pfc__counted_add(&s->region[region], counted, 1);
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
        pfc__counted_t others = { 0, 0, 0 };
        for (at = head[slot]; at; at = next[at - 1])
            touched = pfc__gather_hits(b, &b->image->part[at - 1], s, touched, &others);
        if (touched || others.hits > 0) pfc__share_hits(b, s, from, end, touched, others);
    }
}

static PFC__QUIET int pfc__build_hits(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    pfc__sharing_t s;
    pfc__u32 *head, *next;
    int done = 0;
    if (!p->paths || !p->hits) return 1;
    s.region = (pfc__counted_t *)pfc__room(b->image, p->regions, sizeof *s.region);
    s.region_weight = (double *)pfc__room(b->image, p->regions, sizeof(double));
    s.weight = (double *)pfc__room(b->image, p->paths, sizeof(double));
    s.entries = (double *)pfc__room(b->image, p->functions, sizeof(double));
    s.touched = (pfc__u32 *)pfc__room(b->image, p->regions, sizeof(pfc__u32));
    head = (pfc__u32 *)pfc__room(b->image, (pfc__u64)p->threads + 1, sizeof *head);
    next = (pfc__u32 *)pfc__room(b->image, b->image->parts, sizeof *next);
    if (s.region && s.region_weight && s.weight && s.entries && s.touched && head && next) {
        pfc__share_entries(p, s.entries);
        pfc__share_all(b, &s, head, next);
        if (p->fetches > 0) p->fetch /= p->fetches;
        p->fetch_spread = fabs(p->fetch) * b->image->header.fetch_doubt;
        done = 1;
    }
    free(s.region);
    free(s.region_weight);
    free(s.weight);
    free(s.entries);
    free(s.touched);
    free(head);
    free(next);
    return done;
}
