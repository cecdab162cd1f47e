/* ----------------------------------------------- model, service (impl) ---
   Service data and notes: who ran what, how that ended, what it cost, and what it has noted. */

/* The first thread's that knows one. In a damaged profile it may be no region. */
static PFC__QUIET void pfc__first_of(const pfc_profile_t *p, uint32_t *first, pfc__u32 region)
{
    if (!*first && region < p->regions) *first = region;
}

static PFC__QUIET void pfc__build_run(pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc_profile_t *p = b->p;
    p->run = pfc__run_of(b->image);
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
    p->start_ns = (double)h->start_ticks * b->ns;
    p->stop_ns = (double)h->stop_ticks * b->ns;
    p->left = h->left <= PFC__LEFT_BY_EXEC ? (int)h->left : 0;
    p->clock_fell |= h->clock_kind == PFC__CLOCK_USER && pfc__is_over(b) && h->tick_end < h->tick_begin;
}

static PFC__QUIET void pfc__build_meta(pfc__build_t *b)
{
    const pfc__image_t *image = b->image;
    pfc_profile_t *p = b->p;
    p->host = pfc__meta(image, "host");
    p->command = pfc__meta(image, "command");
    p->directory = pfc__meta(image, "directory");
    p->executable = pfc__meta(image, "executable");
    p->compiler = pfc__meta(image, "compiler");
    p->version = pfc__meta(image, "version");
    p->clock = pfc__meta(image, "clock");
    p->clock_reason = pfc__meta(image, "clock_reason");
    p->fork_delta = (double)strtoll(pfc__meta(image, "fork_delta"), 0, 10) * b->ns;
}

static PFC__QUIET void pfc__build_costs(pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc_profile_t *p = b->p;
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
    p->atomic_hit = p->cost.hit * (double)(h->atomic_hits ? h->atomic_hits : 1);
    p->atomic_hit_spread = h->atomic_hits ? p->atomic_hit * h->atomic_doubt : p->cost.hit_spread;
}

/* What had no room, and what didn't end as it began. */
static PFC__QUIET void pfc__build_losses(pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc_profile_t *p = b->p;
    pfc__u32 t;
    p->lost_regions = h->lost_regions;
    p->lost_paths = h->lost_nodes;
    p->lost_units = h->lost_units;
    p->lost_threads = h->lost_threads;
    p->strays = h->strays + h->strayed;
    p->unsaved = h->unsaved;
    p->stray_ends = h->stray_ends;
    p->unclosed = h->unclosed;
    p->unwound = h->unwound;
    for (t = 0; t < p->threads; t++) {
        p->stray_ends += b->thread[t].stray_ends;
        p->unclosed += b->thread[t].unclosed;
        p->unwound += b->thread[t].unwound;
        pfc__first_of(p, &p->first_stray_end, b->thread[t].first_stray_end);
        pfc__first_of(p, &p->first_unclosed, b->thread[t].first_unclosed);
        pfc__first_of(p, &p->first_unwound, b->thread[t].first_unwound);
    }
}

static PFC__QUIET void pfc__build_service(pfc__build_t *b)
{
    pfc__build_run(b);
    pfc__build_meta(b);
    pfc__build_costs(b);
    pfc__build_losses(b);
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
