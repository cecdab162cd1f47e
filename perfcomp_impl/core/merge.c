/* ---------------------------------------------------------- merge (impl) ---
   Several profiles as one: regions of equal names, and paths of equal regions,
   are summed; threads are folded. One profile is merged too when its threads
   shall be seen as one. */

typedef struct pfc__merge {
    pfc_profile_t *p;
    const pfc_profile_t *const *from;
    size_t n;
    pfc__u32 **region;           /* [profile][region]: its index in p */
    pfc__u32 *slot;              /* of a hash table: path + 1 */
    size_t mask;
} pfc__merge_t;

int pfc_region_order(const pfc_region_info_t *a, const pfc_region_info_t *b)
{
    int order = (a->kind == PFC__FUNCTION) - (b->kind == PFC__FUNCTION);
    if (!order) order = strcmp(a->name, b->name);
    return order || a->kind != PFC__FUNCTION ? order : strcmp(a->file, b->file);
}

typedef struct pfc__named { const pfc_region_info_t *region; size_t profile, index; } pfc__named_t;

static PFC__QUIET int pfc__compare_named(const void *a, const void *b)
{
    const pfc__named_t *x = (const pfc__named_t *)a, *y = (const pfc__named_t *)b;
    int order = (y->region->kind == 0) - (x->region->kind == 0); /* the roots' comes first: index 0 */
    return order ? order : pfc_region_order(x->region, y->region);
}

static PFC__QUIET int pfc__merge_regions(pfc__merge_t *m)
{
    pfc__named_t *all;
    size_t total = 0, i, k, n = 0;
    for (k = 0; k < m->n; k++) total += m->from[k]->regions;
    if (total >= PFC_NONE) return 0;
    all = (pfc__named_t *)calloc(total + 1, sizeof *all);
    m->p->region = (pfc_region_info_t *)calloc(total + 1, sizeof *m->p->region);
    for (k = 0; k < m->n; k++) {
        m->region[k] = (pfc__u32 *)calloc(m->from[k]->regions + 1, sizeof **m->region);
        for (i = 0; all && i < m->from[k]->regions; i++, n++) {
            all[n].region = &m->from[k]->region[i];
            all[n].profile = k;
            all[n].index = i;
        }
        if (!m->region[k]) n = total + 1;
    }
    if (!all || !m->p->region || n != total) { free(all); return 0; }
    qsort(all, total, sizeof *all, pfc__compare_named);
    for (i = 0; i < total; i++) {
        pfc_region_info_t *r;
        if (i == 0 || pfc__compare_named(&all[i - 1], &all[i])) {
            r = &m->p->region[m->p->regions++];
            *r = *all[i].region;
            memset(&r->stats, 0, sizeof r->stats);
            r->stats.longest = -1;
        } else r = &m->p->region[m->p->regions - 1];
        pfc__stats_add(&r->stats, &all[i].region->stats);
        m->region[all[i].profile][all[i].index] = (pfc__u32)(r - m->p->region);
    }
    free(all);
    return 1;
}

/* The merged path of a region below a merged path; made when new. */
static PFC__QUIET pfc__u32 pfc__merge_path(pfc__merge_t *m, pfc__u32 parent, pfc__u32 region)
{
    pfc__u64 hash = ((pfc__u64)parent << 32 | region) * 0x9e3779b97f4a7c15u; /* splitmix64's finish */
    pfc_path_info_t *path;
    size_t i;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    for (i = (size_t)(hash ^ hash >> 31) & m->mask; m->slot[i]; i = (i + 1) & m->mask) {
        path = &m->p->path[m->slot[i] - 1];
        if (path->parent == parent && path->region == region) return m->slot[i] - 1;
    }
    path = &m->p->path[m->p->paths];
    path->region = region;
    path->parent = parent;
    path->depth = parent == PFC_NONE ? 0 : m->p->path[parent].depth + 1;
    path->stats.longest = -1;
    m->slot[i] = (pfc__u32)++m->p->paths;
    return m->slot[i] - 1;
}

/* Each stands in the one tree; traces stay with their profile. */
static PFC__QUIET void pfc__merge_threads(pfc_profile_t *p, const pfc_profile_t *f, const pfc__u32 *merged)
{
    pfc__u32 t;
    for (t = 0; t < f->threads; t++) {
        pfc_thread_info_t *thread = &p->thread[p->threads++];
        *thread = f->thread[t];
        thread->root = merged[thread->root];
        if (thread->now != PFC_NONE) thread->now = merged[thread->now];
        thread->events = thread->events_lost = 0;
    }
}

static PFC__QUIET int pfc__merge_paths(pfc__merge_t *m)
{
    size_t total = 0, most = 0, threads = 0, i, k;
    pfc__u32 *merged;
    for (k = 0; k < m->n; k++) {
        total += m->from[k]->paths;
        threads += m->from[k]->threads;
        if (m->from[k]->paths > most) most = m->from[k]->paths;
    }
    if (total >= PFC_NONE || threads >= PFC_NONE) return 0;
    for (m->mask = 15; m->mask < 2 * total; m->mask = 2 * m->mask + 1) continue;
    m->slot = (pfc__u32 *)calloc(m->mask + 1, sizeof *m->slot);
    m->p->path = (pfc_path_info_t *)calloc(total + 1, sizeof *m->p->path);
    m->p->thread = (pfc_thread_info_t *)calloc(threads + 1, sizeof *m->p->thread);
    merged = (pfc__u32 *)calloc(most + 1, sizeof *merged);
    for (k = 0; m->slot && m->p->path && m->p->thread && merged && k < m->n; k++) {
        for (i = 0; i < m->from[k]->paths; i++) {
            const pfc_path_info_t *path = &m->from[k]->path[i];
            merged[i] = pfc__merge_path(m, path->parent == PFC_NONE ? PFC_NONE : merged[path->parent], m->region[k][path->region]);
            pfc__stats_add(&m->p->path[merged[i]].stats, &path->stats);
        }
        pfc__merge_threads(m->p, m->from[k], merged);
    }
    free(merged);
    return merged && m->slot && m->p->path && m->p->thread;
}

/* Those of all processes; what several have said, once. */
static PFC__QUIET int pfc__merge_notes(pfc__merge_t *m)
{
    pfc_profile_t *p = m->p;
    size_t k, i, j, notes = 0, *last;
    for (k = 0; k < m->n; k++) notes += m->from[k]->notes;
    p->note = (const char **)calloc(notes + 1, sizeof *p->note);
    p->noted = (uint32_t *)calloc(notes + 1, sizeof *p->noted);
    last = (size_t *)calloc(notes + 1, sizeof *last);
    for (k = 0; p->note && p->noted && last && k < m->n; k++)
        for (i = 0; i < m->from[k]->notes; i++) {
            for (j = 0; j < p->notes && strcmp(p->note[j], m->from[k]->note[i]);) j++;
            if (j == p->notes) p->note[p->notes++] = m->from[k]->note[i];
            else if (last[j] == k) continue;
            last[j] = k;
            p->noted[j]++;
        }
    free(last);
    return last && p->note && p->noted;
}

/* What one of them costs is the mean. */
static PFC__QUIET void pfc__merge_fetches(pfc_profile_t *p, const pfc_profile_t *f)
{
    double all = p->fetches + f->fetches;
    if (!(all > 0)) return;
    p->fetch = (p->fetches * p->fetch + f->fetches * f->fetch) / all;
    p->fetch_spread = (p->fetches * p->fetch_spread + f->fetches * f->fetch_spread) / all;
    p->fetches = all;
}

static PFC__QUIET void pfc__merge_first(const pfc__merge_t *m, size_t k, pfc__u32 *first, pfc__u32 region)
{
    if (!*first && region) *first = m->region[k][region];
}

/* All have ended, or how that one goes on or ended of which least is known: of one that became another program, or ended
   without exit handlers, everything is. */
static PFC__QUIET void pfc__merge_run(pfc_profile_t *p, const pfc_profile_t *f)
{
    if (f->run == PFC_ENDED) return;
    if (f->left ? p->run != PFC_ENDED : p->run == PFC_DIED && !p->left) return;
    p->run = f->run;
    p->left = f->left;
}

/* What isn't region or path: sums, and of the run's time the longest. */
static PFC__QUIET void pfc__merge_service(pfc__merge_t *m)
{
    pfc_profile_t *p = m->p;
    size_t k;
    for (k = 0; k < m->n; k++) {
        const pfc_profile_t *f = m->from[k];
        if (k == 0 || f->total.lt > p->total.lt) p->total = f->total;
        pfc__merge_run(p, f);
        pfc_time_add(&p->sum, &f->sum);
        p->delay_in += f->delay_in;
        p->slept += f->slept;
        p->forked |= f->forked;
        p->until_finalize |= f->until_finalize;
        p->clock_fell |= f->clock_fell;
        p->start_ns += f->start_ns;
        p->pairs += f->pairs;
        p->untimed += f->untimed;
        p->hits += f->hits;
        p->hits_spread += f->hits_spread;
        p->atomic_hits += f->atomic_hits;
        p->summed_hits += f->summed_hits;
        pfc__merge_fetches(p, f);
        p->lost_regions += f->lost_regions;
        p->lost_paths += f->lost_paths;
        p->lost_units += f->lost_units;
        p->lost_threads += f->lost_threads;
        p->strays += f->strays;
        p->unsaved += f->unsaved;
        p->stray_ends += f->stray_ends;
        p->unclosed += f->unclosed;
        p->unwound += f->unwound;
        pfc__merge_first(m, k, &p->first_stray_end, f->first_stray_end);
        pfc__merge_first(m, k, &p->first_unclosed, f->first_unclosed);
        pfc__merge_first(m, k, &p->first_unwound, f->first_unwound);
    }
}

static PFC__QUIET pfc_profile_t *pfc__merge_begin(const pfc_profile_t *like)
{
    pfc_profile_t *p = (pfc_profile_t *)calloc(1, sizeof *p);
    if (!p) return 0;
    p->file = like->file;
    p->run = PFC_ENDED;
    p->size = like->size;
    p->clock_kind = like->clock_kind;
    p->compensated = like->compensated;
    p->host = like->host;
    p->command = like->command;
    p->directory = like->directory;
    p->executable = like->executable;
    p->compiler = like->compiler;
    p->version = like->version;
    p->clock = like->clock;
    p->clock_reason = like->clock_reason;
    p->begin_utc_ns = like->begin_utc_ns;
    p->last_utc_ns = like->last_utc_ns;
    p->ticks_per_ns = like->ticks_per_ns;
    p->budget = like->budget;
    p->scale = like->scale;
    p->scale_doubt = like->scale_doubt;
    p->cost = like->cost;
    p->atomic_hit = like->atomic_hit;
    p->atomic_hit_spread = like->atomic_hit_spread;
    return p;
}

pfc_profile_t *pfc_profile_merge(const pfc_profile_t *const *profiles, size_t n)
{
    pfc__merge_t m;
    size_t k;
    int done;
    if (!n) return 0;
    memset(&m, 0, sizeof m);
    m.from = profiles;
    m.n = n;
    m.region = (pfc__u32 **)calloc(n, sizeof *m.region);
    m.p = pfc__merge_begin(profiles[0]);
    done = m.region && m.p && pfc__merge_regions(&m) && pfc__merge_paths(&m) && pfc__merge_notes(&m) && pfc__merge_named(m.p, profiles, n);
    if (done) pfc__merge_service(&m);
    for (k = 0; m.region && k < n; k++) free(m.region[k]);
    free(m.region);
    free(m.slot);
    if (!done) pfc_profile_close(m.p);
    return done ? m.p : 0;
}
