/* ------------------------------------------------------- extents (impl) ---
   Pieces of the profile: typed extents, strings. */

/* Readers look into the file at any time: what a store tells of must be there before, on processors that reorder, too. */
static PFC__QUIET pfc__extent_t *pfc__extent_new(pfc__u32 kind, pfc__u32 elem_bytes, pfc__u64 capacity, pfc__u32 owner,
                                             size_t front)
{
    size_t bytes = sizeof(pfc__extent_t) + pfc__round_up(front, 64) + pfc__round_up((size_t)capacity * elem_bytes, 64);
    pfc__extent_t *e = (pfc__extent_t *)pfc__arena_take(bytes, 64);
    if (!e) return 0;
    e->kind = kind;
    e->bytes = bytes;
    e->data = (pfc__u32)(sizeof *e + pfc__round_up(front, 64));
    e->elem_bytes = elem_bytes;
    e->capacity = capacity;
    e->owner = owner;
    __atomic_store_n(&e->magic, PFC__EXTENT_MAGIC, __ATOMIC_RELEASE);
    __atomic_store_n(&PFC__HEADER->bytes, (pfc__u64)pfc__arena.used, __ATOMIC_RELEASE);
    return e;
}

/* So many of its elements are there. */
static PFC__QUIET void pfc__extent_holds(pfc__extent_t *e, pfc__u64 count) { __atomic_store_n(&e->count, count, __ATOMIC_RELEASE); }

static PFC__QUIET void *pfc__extent_data(pfc__extent_t *e) { return (unsigned char *)e + e->data; }
static PFC__QUIET pfc__extent_t *pfc__extent_at(size_t at) { return (pfc__extent_t *)(void *)(pfc__arena.base + at); }
static PFC__QUIET size_t pfc__extent_after(size_t at) { return at + (size_t)pfc__extent_at(at)->bytes; }
static PFC__QUIET pfc__u64 pfc__offset(const void *p) { return (pfc__u64)((const unsigned char *)p - pfc__arena.base); }

pfc__u64 pfc__profile_offset(const void *part)
{
    const unsigned char *p = (const unsigned char *)part;
    return pfc__arena.path[0] && p >= pfc__arena.base && p < pfc__arena.base + pfc__arena.used ? pfc__offset(p) : 0;
}

void *pfc__extent_add(pfc__u32 kind, pfc__u32 elem_bytes, pfc__u64 capacity, pfc__u32 owner)
{
    pfc__extent_t *e;
    pfc__lists_enter();
    e = pfc__extent_new(kind, elem_bytes, capacity, owner, 0);
    if (e) pfc__extent_holds(e, capacity);
    pfc__lists_leave();
    return e ? pfc__extent_data(e) : 0;
}

/* Strings are stored once each when they come from the same literal; the
   last extent with room takes them. Offset in the file; 0: no room. */
static PFC__QUIET pfc__u64 pfc__string(const char *text)
{
    static pfc__extent_t *last;
    size_t n;
    char *at;
    if (!text || !*text) return 0;
    if (last && (unsigned char *)last >= pfc__arena.base + pfc__arena.used) last = 0;
    n = strlen(text) + 1;
    if (!last || last->capacity - last->count < n) {
        pfc__extent_t *e = pfc__extent_new(PFC__STRINGS, 1, n > 8192 ? n : 8192, 0, 0);
        if (!e) return 0;
        last = e;
    }
    at = (char *)pfc__extent_data(last) + last->count;
    memcpy(at, text, n);
    pfc__extent_holds(last, last->count + n);
    return pfc__offset(at);
}
