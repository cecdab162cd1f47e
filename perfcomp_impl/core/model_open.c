/* -------------------------------------------------- model, open (impl) ---
   Regions that were still open when the program ended, or are open now: until when, and what they took so far. */

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

/* What a frame has had besides the regions inside that have ended: in a forked process, the start, where it
   was the innermost one at the fork. */
static PFC__QUIET pfc__i64 pfc__before_regions(const pfc__header_t *h, const pfc__frame_t *f)
{
    return h->fork_child && f->begin == h->tick_begin && h->start_ticks > 0 ? h->start_ticks : 0;
}

/* The frames above the open ones, too, show when what they last held began: a killed server's waits between its requests. */
static PFC__QUIET void pfc__ended_later(const pfc__build_t *b, const pfc__part_t *part, pfc__u64 from, pfc__i64 *last)
{
    pfc__u64 i;
    for (i = from; i < part->count; i++) {
        pfc__frame_t f;
        pfc__element(b->image, part, i, &f, sizeof f);
        pfc__later(last, f.begin);
    }
}

/* The last moment that the regions of a thread know. */
static PFC__QUIET void pfc__thread_later(const pfc__build_t *b, pfc__u32 thread, pfc__i64 *last)
{
    const pfc__header_t *h = &b->image->header;
    pfc__u64 first, n, i;
    const pfc__part_t *part = pfc__stack_of(b, thread, &first, &n);
    for (i = 0; part && i < n; i++) {
        pfc__frame_t f;
        pfc__i64 inside;
        pfc__element(b->image, part, first + i, &f, sizeof f);
        if (!PFC__HAS_TIME(f.begin) || __builtin_add_overflow(f.begin, f.child, &inside)) continue;
        pfc__later(last, f.begin);
        if (__builtin_add_overflow(inside, pfc__before_regions(h, &f), &inside)) continue;
        pfc__later(last, inside);
    }
    if (part) pfc__ended_later(b, part, first + n, last);
}

/* The last moment of which the profile knows. */
static PFC__QUIET pfc__i64 pfc__last_tick(const pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc__i64 last = h->tick_end > h->tick_begin ? h->tick_end : h->tick_begin;
    pfc__u32 t;
    if (pfc__is_over(b)) return last;
    for (t = 0; t < b->p->threads; t++) {
        pfc__later(&last, b->thread[t].tick_end);
        pfc__thread_later(b, t, &last);
    }
    return last;
}

/* It has given its last sign of life, and what it does yet, as to write the profile, isn't part of the run. */
static PFC__QUIET int pfc__is_ending(const pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc__u32 t;
    for (t = 0; t < b->p->threads && h->tick_end > h->tick_begin; t++) /* one that was just forked is at its begin, too */
        if (b->thread[t].tick_end == h->tick_end && b->thread[t].state != PFC__ENDED) return 1;
    return h->left != 0;
}

/* A running program's open regions go on until it was read; a dead one's until its last sign of life. */
static PFC__QUIET void pfc__build_now(pfc__build_t *b)
{
    const pfc__header_t *h = &b->image->header;
    pfc_profile_t *p = b->p;
    pfc__i64 last = pfc__last_tick(b);
    double alive = pfc__ticks(last, h->tick_begin);
    b->now = last;
    if (b->image->own && !pfc__is_over(b)) b->now = pfc__clock();
    else if (p->run == PFC_RUNNING && h->clock_kind != PFC__CLOCK_USER && !pfc__is_ending(b)) {
        double passed = pfc__ticks(b->image->read_utc_ns, h->utc_begin_ns) * h->ticks_per_ns;
        if (passed > alive && passed < 1e18) b->now = (pfc__i64)((pfc__u64)h->tick_begin + (pfc__u64)passed);
    }
    alive = pfc__ticks(b->now, h->tick_begin) * b->ns;
    p->begin_utc_ns = h->utc_begin_ns;
    p->last_utc_ns = (pfc__i64)((pfc__u64)h->utc_begin_ns + (alive > 0 && alive < 1e18 ? (pfc__u64)alive : 0));
}

/* Unless a frame further in was it: the innermost one. */
static PFC__QUIET void pfc__build_innermost(const pfc__build_t *b, pfc__u32 thread, const pfc__frame_t *f, size_t path)
{
    pfc_thread_info_t *info = &b->p->thread[thread];
    if (info->now != PFC_NONE) return;
    info->now = (pfc__u32)path;
    info->since = PFC__HAS_TIME(f->begin) ? pfc__ticks(f->begin, b->image->header.tick_begin) * b->ns : -1;
}

/* Where one thread has ended the run, the others went on until its profile was closed: they are part of it up to there. */
static PFC__QUIET pfc__i64 pfc__thread_now(const pfc__build_t *b, pfc__u32 thread)
{
    pfc__i64 now = b->now;
    pfc__thread_later(b, thread, &now);
    return now;
}

/* Adds what the open regions have taken so far, from the innermost outwards. */
static PFC__QUIET void pfc__build_open(pfc__build_t *b, pfc__u32 thread, pfc__i64 now)
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
        if (f.begin == PFC__NOT_BEGUN) continue;
        nodes = pfc__pointed(b->image, f.node, PFC__NODES, t->id, &node);
        if (!nodes) continue;
        at = (size_t)(b->p->thread[thread].root + nodes->first + node);
        b->p->path[at].stats.open++;
        b->p->path[at].stats.count++;
        pfc__build_innermost(b, thread, &f, at);
        if (!PFC__HAS_TIME(f.begin)) {
            b->p->path[at].stats.untimed += f.begin != PFC__UNTIMED_AGAIN;
            continue;
        }
        /* The clock of the first thread began with the profile, and so did its Δ; older profiles leave that to their reader. */
        if (i == 0 && thread == 0 && t->generations <= 1 && b->image->header.tick_begin < f.begin) f.begin = b->image->header.tick_begin;
        ticks = pfc__ticks(now, f.begin);
        delta = pfc__fraction((pfc__i64)((pfc__u64)t->delta - (pfc__u64)f.delta));
        b->p->path[at].stats.exclusive.ct += (ticks - child) * b->ns;
        b->delta[at] += delta - child_delta;
        child = ticks;
        child_delta = delta;
    }
}

/* The root's own Δ is what the thread's has over those of its regions, but for hits, which are charged below. */
static PFC__QUIET void pfc__build_root(pfc__build_t *b, pfc__u32 thread, pfc__i64 now)
{
    const pfc__thread_t *t = &b->thread[thread];
    const pfc__header_t *h = &b->image->header;
    pfc_thread_info_t *info = &b->p->thread[thread];
    pfc__u64 n = pfc__thread_paths(b->p, thread), i;
    double rest = pfc__fraction(t->own) - pfc__fraction(t->hits_charged) + (t->state == PFC__ENDED ? 0 : pfc__fraction(t->delta));
    for (i = 1; i < n; i++) rest -= b->delta[info->root + i];
    b->delta[info->root] = rest;
    info->begin = thread == 0 && t->generations <= 1 ? 0 : pfc__ticks(t->tick_begin, h->tick_begin) * b->ns;
    info->end = pfc__ticks(t->state == PFC__ENDED ? t->tick_end : now, h->tick_begin) * b->ns;
    info->end_lt = info->end - pfc__fraction(t->delta) * b->ns;
    info->sleeps = b->p->run == PFC_RUNNING && !info->ended && pfc__is_asleep_or_stopped(h->pid, t->os_id);
}
