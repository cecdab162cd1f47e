/* --------------------------------------------------------- paths (impl) ---
   A thread's call tree and its stack of open regions. */

#define PFC__MOST_SLOTS 1024 /* of a path's cache of children */

static PFC__QUIET pfc__node_t *pfc__node_new(pfc__thread_t *t, pfc__node_t *up, pfc__u32 region)
{
    pfc__extent_t *e = t->nodes;
    pfc__node_t *n;
    int i;
    if (!e || e->count == e->capacity) {
        pfc__u64 more = e ? 2 * e->capacity : 128;
        pfc__extent_t *next = pfc__extent_new(PFC__NODES, sizeof *n, more > 8192 ? 8192 : more, t->id, 0);
        if (!next) return 0;
        next->first = e ? e->first + (pfc__u32)e->count : 0;
        t->nodes = e = next;
    }
    n = (pfc__node_t *)pfc__extent_data(e) + e->count;
    n->id = e->first + (pfc__u32)e->count;
    n->region = region;
    n->up = up;
    n->parent = up ? up->id : 0;
    n->shortest = INT64_MAX;
    n->longest = INT64_MIN;
    n->child = n->few;
    n->mask = PFC__FEW_CHILDREN - 1;
    for (i = 0; i < PFC__FEW_CHILDREN; i++) n->few[i] = n; /* right for direct recursion, which is folded, and a miss for all else */
    pfc__extent_holds(e, e->count + 1);
    return n;
}

/* Twice as many frames; the old ones stay where they are until they are copied. */
static PFC__QUIET int pfc__stack_grow(pfc__thread_t *t)
{
    pfc__u64 used = t->bottom ? (pfc__u64)(t->top - t->bottom) + 1 : 0;
    pfc__u64 capacity = t->bottom ? 2 * (pfc__u64)(t->limit - t->bottom + 1) : 256;
    pfc__extent_t *old = t->bottom ? (pfc__extent_t *)(void *)((char *)t->bottom - sizeof(pfc__extent_t)) : 0;
    pfc__extent_t *e = pfc__extent_new(PFC__STACK, sizeof(pfc__frame_t), capacity, t->id, 0);
    pfc__frame_t *frames;
    pfc__u64 i;
    if (!e) return 0;
    e->count = capacity;
    frames = (pfc__frame_t *)pfc__extent_data(e);
    for (i = 0; i < capacity; i++) frames[i].depth = i;
    if (used) memcpy(frames, t->bottom, (size_t)used * sizeof *frames);
    t->bottom = frames;
    t->top = frames + (used ? used - 1 : 0);
    t->limit = frames + capacity - 1;
    if (old) old->kind = PFC__FREE;
    return 1;
}

/* Has no time of its own, but maybe regions inside. */
static PFC__QUIET void pfc__frame_drop(pfc__thread_t *t, pfc__frame_t *f)
{
    f[-1].child += f->child;
    f[-1].child_delta += f->child_delta;
    f->child = f->child_delta = 0;
    t->top = f - 1;
}

static PFC__QUIET void pfc__frame_close(pfc__thread_t *t, pfc__i64 now)
{
    if (t->top->begin == PFC__NOT_BEGUN) pfc__frame_drop(t, t->top);
    else if (!PFC__HAS_TIME(t->top->begin)) pfc__exit_untimed(t, t->top);
    else pfc__exit_frame(t, t->top, now);
}

/* One more. Of what went wrong the first is told by name: the others may follow from it. */
static PFC__QUIET void pfc__went_wrong(pfc__u64 *times, pfc__u32 *first, pfc__u32 region)
{
    ++*times;
    if (!*first && region != PFC__UNKNOWN) *first = region;
}

static PFC__QUIET void pfc__thread_goes_on(pfc__thread_t *t, pfc__i64 tick)
{
    if (t->state == PFC__WAITING) t->waited += tick - t->waits_since;
    t->state = PFC__RUNNING;
}

/* Closes what is open above `keep`: its END is missing, or a longjmp went over
   it, out of a wait maybe, as a signal's handler does. The program runs no exits
   for these: what this takes, the caller charges. */
static PFC__QUIET void pfc__frames_close(pfc__thread_t *t, pfc__frame_t *keep, pfc__i64 now)
{
    pfc__i64 delta;
    while (t->top > keep) {
        pfc__u32 region = t->top->node->region;
        if (t->top->sp == ~(pfc__uptr)0) pfc__went_wrong(&t->unclosed, &t->first_unclosed, region);
        else pfc__went_wrong(&t->unwound, &t->first_unwound, region);
        delta = t->delta;
        pfc__frame_close(t, now);
        t->delta = delta;
    }
    if (t->state == PFC__WAITING && t->top->depth < t->waits_in) pfc__thread_goes_on(t, now);
}

/* Where this thread's stack lies: frames on another one (a signal's, a
   coroutine's) can't be compared with frames on this one. The C library takes
   memory to find out, and a signal's handler may have come upon malloc: so the
   first thread, and those that we see begin, are asked before there is one. */
static PFC__QUIET void pfc__stack_bounds(pfc__thread_t *t)
{
#if defined __GLIBC__ || defined __linux__
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (t->stack_high || !PFC__LETS(sched_getaffinity) || pthread_getattr_np(pthread_self(), &attributes)) return;
    if (!pthread_attr_getstack(&attributes, &low, &size)) {
        t->stack_low = (pfc__uptr)low;
        t->stack_high = (pfc__uptr)low + size;
    }
    pthread_attr_destroy(&attributes);
#else
    (void)t;
#endif
}

static PFC__QUIET int pfc__on_stack(const pfc__thread_t *t, pfc__uptr sp)
{
    return sp >= t->stack_low && sp < t->stack_high;
}

/* A frame that began deeper on the same stack than where we are now has been left by longjmp. */
static PFC__QUIET void pfc__frames_unwind(pfc__thread_t *t, pfc__uptr sp, pfc__i64 since)
{
    pfc__frame_t *f = t->top;
    if (f->sp >= sp) return;
    pfc__stack_bounds(t);
    if (!pfc__on_stack(t, sp)) return;
    while (f->sp < sp && pfc__on_stack(t, f->sp)) f--;
    pfc__frames_close(t, f, since);
}

/* Called again and again from one place that isn't timed, and left by longjmp each time, a function has all of its frames in
   one place of the stack, as those have that are inlined into one another: but compilers inline a recursion 8 deep. */
enum { PFC__INLINED_MOST = 64 };

/* In that place, the first of `region`'s frames begins anew. */
static PFC__QUIET void pfc__frames_unpile(pfc__thread_t *t, pfc__uptr sp, pfc__u32 region, pfc__i64 since)
{
    pfc__frame_t *f = t->top;
    while (f->sp == sp) f--;
    if (t->top - f <= PFC__INLINED_MOST) return;
    while (f < t->top && f[1].node->region != region) f++;
    pfc__frames_close(t, f, since);
}

static PFC__QUIET pfc__node_t *pfc__ancestor(pfc__node_t *n, pfc__u32 region)
{
    while (n && n->region != region) n = n->up;
    return n;
}

/* Room for n children's places; NULL: no memory. */
static PFC__QUIET pfc__node_t **pfc__slots_new(pfc__thread_t *t, pfc__u32 n)
{
    pfc__extent_t *e = t->slots;
    pfc__node_t **slots = 0;
    if (pfc__busy) return 0;
    pfc__lists_enter();
    if (!e || e->capacity - e->count < n) t->slots = e = pfc__extent_new(PFC__FREE, sizeof *slots, 4 * PFC__MOST_SLOTS, t->id, 0);
    if (e) slots = (pfc__node_t **)pfc__extent_data(e) + e->count, e->count += n;
    pfc__lists_leave();
    return slots;
}

/* Where two children want one place, the cache grows until they differ. */
static PFC__QUIET void pfc__child_put(pfc__thread_t *t, pfc__node_t *from, pfc__node_t *child)
{
    pfc__node_t **place = &from->child[child->region & from->mask], **old = from->child, **wide;
    pfc__u32 slots = 2 * (from->mask + 1u), i;
    if (*place != from && *place != child && slots <= PFC__MOST_SLOTS && (wide = pfc__slots_new(t, slots)) != 0) {
        for (i = 0; i < slots; i++) wide[i] = from;
        for (i = 0; i < slots / 2; i++)
            if (old[i] != from) wide[old[i]->region & (slots - 1)] = old[i];
        from->child = wide; /* before the mask: a signal handler may come here in between */
        PFC__SIGNAL_FENCE();
        from->mask = (unsigned short)(slots - 1);
    }
    from->child[child->region & from->mask] = child;
}

/* More children than the cache holds, or two of them in one place of it. */
static PFC__QUIET pfc__node_t *pfc__node_known(pfc__thread_t *t, pfc__node_t *from, pfc__u32 region)
{
    pfc__entry_t *e = pfc__table_find(t->table, from, region);
    if (e->from) pfc__child_put(t, from, e->to);
    return e->to;
}

/* The path below `from`: known, or an ancestor (recursion), or a new one, or the overflow. */
static PFC__QUIET pfc__node_t *pfc__path(pfc__thread_t *t, pfc__node_t *from, pfc__u32 region)
{
    pfc__entry_t *e = pfc__table_find(t->table, from, region);
    pfc__node_t *n = e->from ? e->to : 0;
    if (!n) {
        pfc__lock_take();
        n = pfc__ancestor(from, region);
        if (n && n != from) n->manner |= PFC__MANNER_FOLDED;
        if (!n && from != t->overflow && pfc__table_ready(&t->table)) n = pfc__node_new(t, from, region);
        if (n && pfc__table_ready(&t->table)) pfc__table_put(t->table, from, region, n);
        if (!n) PFC__HEADER->lost_nodes++, n = t->overflow;
        pfc__mutex_unlock(&pfc__lock);
    }
    if (n != t->overflow) pfc__child_put(t, from, n);
    return n;
}
