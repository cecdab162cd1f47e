/* --------------------------------------------------------------- regions ---
   The hot path: what one enter and one exit do. Everything that isn't needed
   every time (first use, a new call path, longjmp, sampling, a trace) is
   behind one unlikely branch to a cold function, whose call is the last thing
   done: so the hot path needs no register that its caller wants kept, and
   neither saves nor restores any. */

PFC__EXTERN_C_BEGIN
extern PFC__TLS pfc__thread_t *pfc__self PFC__LINKED_AS("regions"); /* NULL: this thread has not been seen yet, or perfcomp is off */
PFC__COLD pfc__u64 pfc__enter_slowly(pfc__site_t *site, pfc__uptr sp);
PFC__COLD void pfc__exit_slowly(pfc__u64 depth);
PFC__COLD void pfc__exit_named_slowly(pfc__site_t *site);
PFC__COLD pfc__u64 pfc__enter_known(pfc__site_t *site, pfc__uptr sp);
PFC__COLD pfc__u64 pfc__frame_begin_slowly(pfc__thread_t *thread, pfc__frame_t *frame);
PFC__COLD pfc__u64 pfc__window_next(pfc__thread_t *thread, pfc__frame_t *frame);
__attribute__((cold)) PFC__CALLED pfc__u64 pfc__entered_doubled(pfc__thread_t *thread, pfc__frame_t *frame, int turned);
__attribute__((cold)) PFC__CALLED pfc__u64 pfc__counted_doubled(pfc__thread_t *thread);
PFC__COLD void pfc__window_lights(pfc__thread_t *thread, pfc__node_t *node);
PFC__COLD void pfc__count_inside(pfc__node_t *node);
PFC__COLD void pfc__exit_top_slowly(pfc__thread_t *thread, pfc__frame_t *frame);
PFC__COLD void pfc__frame_end_slowly(pfc__thread_t *thread, pfc__frame_t *frame, pfc__i64 now);
PFC__EXTERN_C_END

/* A signal handler may enter and leave regions between any two instructions:
   the frame belongs to us once `top` points at it, until `top` moves back. */
#define PFC__SIGNAL_FENCE() __asm__ __volatile__("" ::: "memory")

/* Virtual time, whose ticks are ns: what operations take of it, fixed point. Δ has it too, but with PERFCOMP_COMPENSATE=0. */
typedef struct pfc__virtual { pfc__i64 enter, exit, hit; } pfc__virtual_t;
PFC__EXTERN_C_BEGIN
extern pfc__virtual_t pfc__virtual;
PFC__EXTERN_C_END

/* A function of its own: the user's expression must not meet our local names. */
PFC__HOT void pfc__virtual_cost(pfc__i64 pfc__fixed_point)
{
#ifdef PERFCOMP_CHARGE
    pfc__clock_asked++;
    PERFCOMP_CHARGE((double)pfc__fixed_point / (1 << PFC__FRACTION));
    pfc__clock_asked--;
#else
    (void)pfc__fixed_point;
#endif
}

/* Another thread may register the site at this moment: any answer is right. */
PFC__HOT pfc__u32 pfc__site_id(const pfc__site_t *site)
{
    return __atomic_load_n(&site->id, __ATOMIC_RELAXED);
}

/* The path's entries aren't alike: it is timed always, as the mean of all stands for none of them. */
PFC__HOT void pfc__mark_uneven(pfc__node_t *n)
{
    n->manner = (unsigned short)((n->manner & ~PFC__MANNER_BRIEF) | PFC__MANNER_UNEVEN);
}

/* From further below its path than a call of itself: that frame isn't where an untimed entry's time is sought. */
PFC__HOT int pfc__is_folded(const pfc__frame_t *f)
{
    const pfc__node_t *node = f->node, *above = f[-1].node;
    return (node->manner & PFC__MANNER_FOLDED) && above != node->up && above != node;
}

/* Left to sampling by PERFCOMP_BUDGET, or in a window that is to show what timing costs. Where a path is sampled, a direct
   recursion goes with its outermost entry: those inside aren't alike, as the last one may do all the work, and one from
   among them would stand for others than are left untimed. */
PFC__HOT int pfc__is_untimed(pfc__thread_t *t, const pfc__frame_t *f)
{
    pfc__node_t *node = f->node;
    pfc__u32 due_in = node->due_in;
    if (due_in && f[-1].node == node) return 1;
    if (due_in > 1 && !pfc__is_folded(f)) return node->due_in = due_in - 1, 1;
    if (due_in <= 1 && t->window & node->manner && !pfc__is_folded(f)) return 1;
    t->exceptions++;
    return 0;
}

/* Where the time of an untimed entry lies: with the frame above, or where that frame's lies. */
PFC__HOT pfc__i64 pfc__untimed_in(const pfc__frame_t *above)
{
    if (PFC__LIKELY(above->begin >= PFC__UNTIMED_AGAIN)) return PFC__UNTIMED;
    return PFC__UNTIMED_NESTED;
}

/* The same where the frame above may be a direct recursion's. */
PFC__HOT pfc__i64 pfc__untimed_below(const pfc__frame_t *above, const pfc__node_t *node)
{
    if (PFC__UNLIKELY(above->node == node)) return PFC__HAS_TIME(above->begin) ? PFC__UNTIMED_AGAIN : above->begin;
    return pfc__untimed_in(above);
}

/* `turned`: its site was last entered on another path, so that it took the longer way here. */
PFC__HOT pfc__u64 pfc__entered_untimed(pfc__thread_t *t, pfc__frame_t *f, int turned)
{
    if (PFC__UNLIKELY(t->window & PFC__WINDOW_DOUBLED)) return pfc__entered_doubled(t, f, turned);
    return f->depth;
}

/* The next entry of this path from `site` takes pfc__enter_light. */
PFC__HOT void pfc__make_light(pfc__thread_t *t, pfc__site_t *site, pfc__node_t *node)
{
    __atomic_store_n(&site->light, node, __ATOMIC_RELEASE); /* other threads look at whose it is */
    if (PFC__UNLIKELY(!node->due_in)) pfc__window_lights(t, node);
}

/* The last step of every enter: Δ and the clock, behind all that was charged on the way. `site`: NULL where that
   doesn't matter. */
PFC__HOT pfc__u64 pfc__frame_begin(pfc__thread_t *t, pfc__frame_t *f, pfc__site_t *site)
{
    if (PFC__UNLIKELY((t->window | f->node->due_in) != 0) && pfc__is_untimed(t, f)) {
        f->begin = pfc__untimed_below(f - 1, f->node);
        if (site) pfc__make_light(t, site, f->node);
        return pfc__entered_untimed(t, f, 1);
    }
    f->delta = t->delta + t->enter_pre;
    t->delta += t->enter;
    pfc__virtual_cost(pfc__virtual.enter);
    if (PFC__UNLIKELY((t->ring != 0) | !pfc__clock_is_quick())) return pfc__frame_begin_slowly(t, f);
    f->begin = pfc__clock();
    return f->depth;
}

/* On top of `above`, as the first step. Its depth and an empty account of its
   children are there already: what lies above `top` always has them. A handler
   that comes before the frame is ours may use it up; one that comes just after
   finds a node in it in any case. */
PFC__HOT pfc__frame_t *pfc__frame_push(pfc__thread_t *t, pfc__frame_t *above, pfc__node_t *node, pfc__uptr sp)
{
    pfc__frame_t *f = above + 1;
    f->begin = PFC__NOT_BEGUN;
    f->node = node;
    PFC__SIGNAL_FENCE();
    t->top = f;
    PFC__SIGNAL_FENCE();
    f->node = node;
    f->sp = sp;
    return f;
}

/* Enters the path `node`, which lies below that of `above`, the innermost frame. */
PFC__HOT pfc__u64 pfc__frame_enter(pfc__thread_t *t, pfc__frame_t *above, pfc__node_t *node, pfc__site_t *site, pfc__uptr sp)
{
    pfc__frame_t *f = pfc__frame_push(t, above, node, sp);
    if (PFC__UNLIKELY(--t->enters_left <= 0)) return pfc__window_next(t, f);
    return pfc__frame_begin(t, f, site);
}

/* Whether `node`, which the site leaves untimed, is the path that is entered, and nothing else is to be done: no folded
   recursion, no longjmp, no room to be made, no window's end, and no entry that is to be timed. */
PFC__HOT int pfc__is_light(const pfc__thread_t *t, const pfc__frame_t *above, const pfc__node_t *node, pfc__uptr sp)
{
    return node->up == above->node && node->due_in > 1 && above->sp >= sp && above != t->limit && t->enters_left > 1;
}

/* Inside, nobody asks which region this is: its entry is counted, and its exit has nothing to do. */
PFC__HOT pfc__u64 pfc__count_light(pfc__thread_t *t, const pfc__frame_t *above, pfc__node_t *node)
{
    node->untimed++;
    if (PFC__UNLIKELY(above->begin < PFC__UNTIMED_AGAIN)) node->nested++;
    t->delta += t->light;
    if (PFC__UNLIKELY(t->window & PFC__WINDOW_DOUBLED)) return pfc__counted_doubled(t);
    return 0;
}

/* An untimed entry is to cost little: no window can show what it costs itself (context.c). */
PFC__HOT pfc__u64 pfc__enter_light(pfc__thread_t *t, const pfc__site_t *site, pfc__frame_t *above, pfc__node_t *node, pfc__uptr sp)
{
    pfc__frame_t *f;
    t->enters_left--;
    node->due_in--;
    if (site->leaf) return pfc__count_light(t, above, node);
    f = pfc__frame_push(t, above, node, sp);
    f->begin = pfc__untimed_in(above);
    return pfc__entered_untimed(t, f, 0);
}

PFC__HOT pfc__u64 pfc__enter_on(pfc__thread_t *t, pfc__site_t *site, pfc__uptr sp)
{
    pfc__u32 region = pfc__site_id(site);
    pfc__frame_t *above = t->top;
    pfc__node_t *node = __atomic_load_n(&site->light, __ATOMIC_ACQUIRE);
    if (PFC__UNLIKELY(node != 0) && pfc__is_light(t, above, node, sp)) return pfc__enter_light(t, site, above, node, sp);
    node = above->node->child[region & above->node->mask];
    if (PFC__UNLIKELY((above->sp < sp) | (above == t->limit))) return pfc__enter_slowly(site, sp);
    if (PFC__UNLIKELY(node->region != region)) return pfc__enter_known(site, sp);
    return pfc__frame_enter(t, above, node, site, sp);
}

PFC__HOT pfc__u64 pfc__enter_at(pfc__site_t *site, pfc__uptr sp)
{
    pfc__thread_t *t = pfc__self;
    if (PFC__UNLIKELY(t == 0)) return pfc__is_off() ? 0 : pfc__enter_slowly(site, sp);
    return pfc__enter_on(t, site, sp);
}

/* Two neighbours that were just stored one by one must not be loaded as one
   vector: the load would wait until both have reached the cache. */
#define PFC__ONE_BY_ONE(value) __asm__("" : "+r"(value))

/* Leaves the innermost region `f`, the last step. */
PFC__HOT void pfc__frame_end(pfc__thread_t *t, pfc__frame_t *f)
{
    t->delta += t->exit;
    f->child = 0;
    f->child_delta = 0;
    PFC__SIGNAL_FENCE();
    t->top = f - 1;
    pfc__virtual_cost(pfc__virtual.exit);
}

/* All of it, at the time `now`. Each value is used up before the next one is
   needed: so they all fit into registers that no caller wants kept. */
PFC__HOT void pfc__exit_frame(pfc__thread_t *t, pfc__frame_t *f, pfc__i64 now)
{
    pfc__node_t *node = f->node;
    pfc__frame_t *above = f - 1;
    pfc__i64 begin = f->begin, child = f->child;
    pfc__i64 ticks, delta, local;
    PFC__ONE_BY_ONE(begin);
    PFC__ONE_BY_ONE(child);
    ticks = now - begin;
    above->child += ticks;
    PFC__ONE_BY_ONE(ticks);
    node->exclusive += ticks - child;
    delta = t->delta + t->exit_pre - f->delta;
    PFC__ONE_BY_ONE(delta);
    above->child_delta += delta;
    node->exclusive_delta += delta - f->child_delta;
    local = ticks - (delta >> PFC__FRACTION);
    if (PFC__UNLIKELY(local < node->shortest)) node->shortest = local;
    if (PFC__UNLIKELY(local > node->longest)) node->longest = local;
    if (PFC__UNLIKELY(((++node->timed & (PFC__REVIEW - 1)) == 0) | (node->due_in != 0) | (t->ring != 0))) pfc__frame_end_slowly(t, f, now);
    else pfc__frame_end(t, f);
}

/* Leaves the innermost region, of which no time was taken: its part of the
   time stays with the frame above until the reader gives it back; in a direct
   recursion it is where it belongs. */
PFC__HOT void pfc__exit_untimed(pfc__thread_t *t, pfc__frame_t *f)
{
    pfc__frame_t *above = f - 1;
    pfc__node_t *node = f->node;
    pfc__i64 child = f->child, child_delta = f->child_delta;
    PFC__ONE_BY_ONE(child);
    PFC__ONE_BY_ONE(child_delta);
    if (PFC__UNLIKELY((child | child_delta) != 0)) {
        above->child += child;
        above->child_delta += child_delta;
        f->child = f->child_delta = 0;
    }
    if (PFC__LIKELY(f->begin == PFC__UNTIMED)) node->untimed++;
    else if (f->begin == PFC__UNTIMED_NESTED) node->untimed++, node->nested++;
    else {
        node->timed++;
        if (PFC__UNLIKELY(node->due_in == 1)) pfc__count_inside(node);
    }
    t->delta += t->light;
    PFC__SIGNAL_FENCE();
    t->top = above;
}

PFC__HOT void pfc__exit_top(pfc__thread_t *t, pfc__frame_t *f)
{
    if (PFC__UNLIKELY(!PFC__HAS_TIME(f->begin))) pfc__exit_untimed(t, f);
    else if (PFC__UNLIKELY(!pfc__clock_is_quick())) pfc__exit_top_slowly(t, f);
    else pfc__exit_frame(t, f, pfc__clock());
}

PFC__HOT void pfc__exit_on(pfc__thread_t *t, pfc__u64 depth)
{
    pfc__frame_t *f = t->top;
    if (PFC__UNLIKELY(f->depth != depth)) {
        pfc__exit_slowly(depth);
        return;
    }
    pfc__exit_top(t, f);
}

PFC__HOT void pfc__exit_at(pfc__u64 depth)
{
    pfc__thread_t *t = pfc__self;
    if (PFC__UNLIKELY(t == 0)) return;
    pfc__exit_on(t, depth);
}

PFC__HOT pfc__token_t pfc__enter(pfc__site_t *site)
{
    pfc__token_t token;
    token.depth = pfc__enter_at(site, pfc__stack_pointer());
    return token;
}

/* The clock at which the region `token` began, which was just entered: from
   there on the caller charges the time as it passes, up to pfc__leave_at, so
   that what an empty region holds needn't be. Now, where no time was taken. */
PFC__HOT pfc__i64 pfc__entered_at(const pfc__token_t *token)
{
    pfc__thread_t *t = pfc__self;
    if (PFC__UNLIKELY(!t || !token->depth || t->top->depth != token->depth || !PFC__HAS_TIME(t->top->begin))) return pfc__clock();
    t->delta -= t->enter - t->enter_pre + t->exit_pre;
    return t->top->begin;
}

/* The region ends at the clock `now`. */
PFC__HOT void pfc__leave_at(const pfc__token_t *token, pfc__i64 now)
{
    pfc__thread_t *t = pfc__self;
    pfc__frame_t *f;
    if (PFC__UNLIKELY(t == 0)) return;
    f = t->top;
    if (PFC__UNLIKELY(f->depth != token->depth)) pfc__exit_slowly(token->depth);
    else if (PFC__UNLIKELY(!PFC__HAS_TIME(f->begin))) pfc__exit_untimed(t, f);
    else pfc__exit_frame(t, f, now);
}

/* For __attribute__((cleanup)): the region ends however the block is left. */
PFC__HOT void pfc__leave(pfc__token_t *token)
{
    if (PFC__LIKELY(token->depth != 0)) pfc__exit_at(token->depth);
}

/* PFC_BEGIN may stand in another function than its PFC_END: no stack position. */
PFC__HOT void pfc__begin(pfc__site_t *site)
{
    if (PFC__LIKELY(pfc__enter_at(site, 0) != 0)) pfc__self->top->sp = ~(pfc__uptr)0;
}

PFC__HOT void pfc__end(pfc__site_t *site)
{
    pfc__thread_t *t = pfc__self;
    pfc__frame_t *f;
    if (PFC__UNLIKELY(t == 0)) { /* a thread may begin with an end: of what another one has begun */
        if (!pfc__is_off()) pfc__exit_named_slowly(site);
        return;
    }
    f = t->top;
    if (PFC__UNLIKELY(f->node->region != pfc__site_id(site))) {
        pfc__exit_named_slowly(site);
        return;
    }
    pfc__exit_top(t, f);
}

/* PFC_BLOCK: the token, and the one turn of its loop. */
typedef struct pfc__once { pfc__token_t token; int turns; } pfc__once_t;

PFC__HOT pfc__once_t pfc__once_enter(pfc__site_t *site)
{
    pfc__once_t once;
    once.turns = 1;
    once.token = pfc__enter(site);
    return once;
}

PFC__HOT void pfc__once_leave(pfc__once_t *once)
{
    pfc__leave(&once->token);
}
