/* ------------------------------------------------- model, paths (impl) ---
   A profile's regions, threads and call paths, with what was measured of each. */

static PFC__QUIET int pfc__build_regions(pfc__build_t *b)
{
    pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    pfc__u64 n = 1, i;
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        if (part->kind != PFC__REGIONS || !part->count) continue; /* without a count: just being made, `first` isn't there yet */
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
        if (part->kind != PFC__THREADS || !part->count) continue;
        pfc__element(image, part, 0, t, sizeof *t);
        if (t->id != part->owner || (p->threads && t->id <= t[-1].id)) return pfc__damaged(image, part->at, "number of a thread");
        p->thread[p->threads].id = t->id;
        p->thread[p->threads].os_id = t->os_id;
        p->thread[p->threads].ended = t->state == PFC__ENDED;
        p->thread[p->threads].waits = t->state == PFC__WAITING;
        p->thread[p->threads].now = PFC_NONE;
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
        if (part->kind != PFC__NODES || !part->count || (t = pfc__thread_index(p, part->owner)) == PFC_NONE) continue;
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
    b->untimed[at].folded = n->manner & PFC__MANNER_FOLDED;
    path->stats.exclusive.ct = (double)n->exclusive * b->ns;
    p->clock_fell |= n->exclusive < 0 && b->image->header.clock_kind == PFC__CLOCK_USER; /* else a signal's handler may have come amid an exit */
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
