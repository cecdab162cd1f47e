/* ------------------------------------------------------- regions (impl) ---
   Everything that the hot path leaves out. */

static PFC__QUIET pfc__u32 pfc__site_region(pfc__site_t *site)
{
    pfc__u32 id = pfc__site_id(site);
    if (id != PFC__UNKNOWN) return id;
    pfc__lock_take();
    id = pfc__region_of(site);
    if (id == PFC__UNKNOWN) PFC__HEADER->lost_regions++;
    pfc__mutex_unlock(&pfc__lock);
    __atomic_store_n(&site->id, id, __ATOMIC_RELAXED);
    return id;
}

int pfc__is_amid(pfc__u32 kind)
{
    pfc__u32 id = pfc__self && pfc__self->top ? pfc__self->top->node->region : 0;
    int is;
    pfc__lock_take();
    is = id && id <= pfc__regions.count && pfc__regions.by_id[id]->kind == kind;
    pfc__mutex_unlock(&pfc__lock);
    return is;
}

/* A million regions by PFC_BEGIN that nobody ends: more of them would only fill the disk. Functions and scopes may be
   open as deep as the program's stack lets them. */
enum { PFC__BEGUN_MOST = 1 << 20 };

static PFC__QUIET int pfc__too_many_begun(const pfc__thread_t *t)
{
    static int said;
    const pfc__region_t *region;
    if (t->top->depth + 1 < PFC__BEGUN_MOST || t->top->sp != ~(pfc__uptr)0) return 0;
    if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED)) return 1;
    pfc__lock_take();
    region = pfc__regions.by_id[t->top->node->region];
    pfc__note("more than %d regions are open at once in a thread, the last one \"%s\" (%s:%u): is there a way past its PFC_END? "
              "What is begun beyond them isn't recorded", PFC__BEGUN_MOST, pfc__text_at(region->name), pfc__text_at(region->file), region->line);
    pfc__mutex_unlock(&pfc__lock);
    return 1;
}

/* The path to be entered, with room for a frame; NULL: there is none. */
static PFC__QUIET pfc__node_t *pfc__frame_prepare(pfc__thread_t *t, pfc__site_t *site, pfc__uptr sp, pfc__i64 since)
{
    pfc__u32 region = pfc__site_region(site);
    if (sp) pfc__frames_unwind(t, sp, since), pfc__frames_unpile(t, sp, region, since);
    if (t->top == t->limit) {
        int grown;
        if (pfc__too_many_begun(t)) return 0;
        pfc__lock_take();
        grown = pfc__stack_grow(t);
        pfc__mutex_unlock(&pfc__lock);
        if (!grown) { PFC__HEADER->lost_nodes++; return 0; }
    }
    return region == PFC__UNKNOWN ? t->overflow : pfc__path(t, t->top->node, region);
}

/* Handlers of signals that came meanwhile run before this returns, and that time is theirs: to let signals in takes a system call,
   as it does to hold them off, which took `hold`. */
static PFC__QUIET void pfc__work_ends_charged(const sigset_t *held, pfc__i64 hold)
{
    pfc__i64 since = pfc__clock(), took;
    pfc__work_ends(held);
    took = pfc__clock() - since;
    if (pfc__self) pfc__delta_charge(pfc__self, took < hold ? took : hold);
}

pfc__u64 pfc__enter_slowly(pfc__site_t *site, pfc__uptr sp)
{
    int saved = errno;
    pfc__i64 since, hold;
    pfc__thread_t *t = pfc__thread_get();
    pfc__node_t *node;
    pfc__frame_t *f;
    sigset_t held;
    if (pfc__busy && pfc__clock_asks) pfc__clock_is_ours = 1;
    if (!t || pfc__busy || pfc__empty_within(site)) return 0;
    since = pfc__clock();
    pfc__work_begins(&held);
    hold = pfc__clock() - since;
    node = pfc__frame_prepare(t, site, sp, since);
    pfc__charge_slow(since);
    pfc__work_ends_charged(&held, hold);
    errno = saved;
    if (!node) return 0;
    f = pfc__frame_push(t, t->top, node, sp);
    return pfc__frame_begin(t, f, 0);
}

/* A path that the cache of its parent's children doesn't hold, or a new one. */
pfc__u64 pfc__enter_known(pfc__site_t *site, pfc__uptr sp)
{
    pfc__thread_t *t = pfc__self;
    pfc__node_t *node = pfc__node_known(t, t->top->node, pfc__site_id(site));
    return node ? pfc__frame_enter(t, t->top, node, site, sp) : pfc__enter_slowly(site, sp);
}

/* With a trace, or a clock that has to be called. */
pfc__u64 pfc__frame_begin_slowly(pfc__thread_t *t, pfc__frame_t *f)
{
    f->begin = pfc__clock();
    if (t->ring) pfc__event_add(t, PFC__EVENT_ENTER, f->node->region, f->begin - (f->delta >> PFC__FRACTION));
    return f->depth;
}

/* In a window that is to show what an untimed entry costs: twice that, then. */
pfc__u64 pfc__entered_doubled(pfc__thread_t *t, pfc__frame_t *f, int turned)
{
    pfc__empty_untimed(turned);
    t->delta += t->light;
    return f->depth;
}

pfc__u64 pfc__counted_doubled(pfc__thread_t *t)
{
    pfc__empty_leaf();
    t->delta += t->light;
    return 0;
}

/* An entry whose time lies with that of the sampled one around it. */
void pfc__count_inside(pfc__node_t *node)
{
    if (node->sample) pfc__sample_of(node)->inside++;
}

void pfc__exit_top_slowly(pfc__thread_t *t, pfc__frame_t *f) { pfc__exit_frame(t, f, pfc__clock()); }

/* With a trace, or an entry to be looked at. */
void pfc__frame_end_slowly(pfc__thread_t *t, pfc__frame_t *f, pfc__i64 now)
{
    pfc__node_t *node = f->node;
    int sampled = node->due_in == 1 && !pfc__is_folded(f);
    if ((node->timed & (PFC__REVIEW - 1)) == 0) pfc__stray_look(), pfc__manner_review(t, node);
    if ((node->timed & (PFC__BUDGET_REVIEW - 1)) == 0 || sampled) pfc__node_review(t, f, now, sampled);
    if (t->ring) pfc__event_add(t, PFC__EVENT_EXIT, node->region, now - ((t->delta + t->exit_pre) >> PFC__FRACTION));
    if (sampled) { /* what this has taken stands for what an exit takes behind its stamp */
        pfc__charge_until_now(t, now);
        t->delta -= t->exit - t->exit_pre;
    }
    pfc__frame_end(t, f);
}

/* What we have done since `now` belongs behind the exit, as the exit's own cost does. */
static PFC__QUIET void pfc__exit_from(pfc__thread_t *t, pfc__frame_t *f, pfc__i64 now)
{
    pfc__i64 slow;
    pfc__frames_close(t, f, now);
    slow = pfc__clock() - now;
    pfc__frame_close(t, now);
    pfc__delta_charge(t, slow);
}

/* The frame isn't the innermost one: close those above it, unless it was closed already. */
void pfc__exit_slowly(pfc__u64 depth)
{
    pfc__thread_t *t = pfc__self;
    pfc__i64 now;
    if (!depth) return;
    now = pfc__clock();
    if (depth > t->top->depth) { t->stray_ends++; return; }
    pfc__exit_from(t, t->bottom + depth, now);
}

/* The frame up to which the region isn't open, as is known from an end of it before. */
static PFC__QUIET pfc__frame_t *pfc__frame_without(const pfc__thread_t *t, pfc__u32 region, const pfc__sought_t *s)
{
    pfc__frame_t *f = t->bottom + s->depth;
    return s->region == region && s->depth <= t->top->depth && f->begin == s->begin && f->delta == s->delta ? f : t->bottom;
}

/* The innermost frame of this region; the bottom: it isn't open. Each misspelt end leaves a frame more on the stack: to look
   through all of them anew, a program of a million turns would never have ended. */
static PFC__QUIET pfc__frame_t *pfc__frame_of(pfc__thread_t *t, pfc__u32 region)
{
    pfc__sought_t *s = &t->sought[region % (sizeof t->sought / sizeof *t->sought)];
    pfc__frame_t *f, *without = pfc__frame_without(t, region, s);
    for (f = t->top; f > without && f->node->region != region && f->node != t->overflow;) f--;
    if (f > without) return f;
    for (f = t->top; f > without && !PFC__HAS_TIME(f->begin);) f--; /* others can't be told from their like */
    s->depth = f->depth;
    s->begin = f->begin;
    s->delta = f->delta;
    s->region = region;
    return t->bottom;
}

void pfc__exit_named_slowly(pfc__site_t *site)
{
    pfc__thread_t *t = pfc__thread_get();
    pfc__i64 now = pfc__clock(), hold;
    pfc__frame_t *f;
    pfc__u32 region;
    sigset_t held;
    int saved = errno;
    if (!t || pfc__busy) return;
    pfc__work_begins(&held);
    hold = pfc__clock() - now;
    region = pfc__site_region(site);
    f = pfc__frame_of(t, region);
    if (f > t->bottom) pfc__exit_from(t, f, now);
    else {
        pfc__went_wrong(&t->stray_ends, &t->first_stray_end, region);
        pfc__charge_slow(now);
    }
    pfc__work_ends_charged(&held, hold); /* a system call, more than all before */
    errno = saved;
}

/* What instrumented functions call. The part that knows its thread is a function of its own: in one, an entry took less than a
   second dose of it (dose.c), and sqlite3 came out 5 % too low. */

static PFC__CALLED pfc__u64 pfc__unit_enter_on(pfc__site_t *site, pfc__uptr sp, pfc__thread_t *t) { return pfc__enter_on(t, site, sp); }
static PFC__CALLED void pfc__unit_leave_on(pfc__u64 depth, pfc__thread_t *t) { pfc__exit_on(t, depth); }

PFC__QUIET pfc__u64 pfc__unit_enter(pfc__site_t *site, pfc__uptr sp)
{
    pfc__thread_t *t = pfc__self;
#if defined PERFCOMP_CLOCK
    if (pfc__clock_asked) return 0;
#endif
    if (PFC__UNLIKELY(t == 0)) return pfc__is_off() ? 0 : pfc__enter_slowly(site, sp);
    return pfc__unit_enter_on(site, sp, t);
}

PFC__QUIET void pfc__unit_leave(pfc__u64 depth)
{
    pfc__thread_t *t = pfc__self;
    if (PFC__LIKELY(t != 0)) pfc__unit_leave_on(depth, t);
}
