/* -------------------------------------------------------- tables (impl) ---
   Two hash tables with open addressing, in memory of their own: malloc belongs
   to the program, which may be instrumented, or be inside it right now. */

/* ---- (path, region) → path below it: one table a thread. A signal handler of the program's may come at any time,
   and look for its own paths; it may also have come into a search, and add to the table meanwhile. */

typedef struct pfc__entry { pfc__node_t *from, *to; pfc__u64 region; } pfc__entry_t;
typedef struct pfc__table { size_t mask, used; pfc__entry_t entry[1]; } pfc__table_t;

static PFC__QUIET size_t pfc__table_bytes(size_t entries)
{
    return sizeof(pfc__table_t) + (entries - 1) * sizeof(pfc__entry_t);
}

static PFC__QUIET pfc__table_t *pfc__table_new(size_t entries)
{
    pfc__table_t *t = (pfc__table_t *)pfc__pages(pfc__table_bytes(entries));
    if (t) t->mask = entries - 1;
    return t;
}

/* Where the pair is, or would be put. */
static PFC__QUIET pfc__entry_t *pfc__table_find(pfc__table_t *t, const pfc__node_t *from, pfc__u32 region)
{
    size_t i = (size_t)((((pfc__u64)(pfc__uptr)from >> 6) * 0x9E3779B97F4A7C15u ^ region) * 0xD1B54A32D192ED03u >> 32);
    while (t->entry[i & t->mask].from && (t->entry[i & t->mask].from != from || t->entry[i & t->mask].region != region)) i++;
    return &t->entry[i & t->mask];
}

static PFC__QUIET void pfc__table_put(pfc__table_t *t, pfc__node_t *from, pfc__u32 region, pfc__node_t *to)
{
    pfc__entry_t *e = pfc__table_find(t, from, region);
    if (!e->from) t->used++;
    e->to = to;
    e->region = region;
    PFC__SIGNAL_FENCE();
    e->from = from;
}

/* Room for one more; when there is no memory the old table stays, nearly full, and new paths overflow.
   Outgrown tables stay mapped, for they may be searched just now; all of them are no larger than the new one. */
static PFC__QUIET int pfc__table_ready(pfc__table_t **t)
{
    pfc__table_t *old = *t, *larger;
    size_t i;
    if (old && old->used < old->mask - old->mask / 4) return 1;
    larger = pfc__table_new(old ? 2 * (old->mask + 1) : 512);
    if (!larger) return 0;
    for (i = 0; old && i <= old->mask; i++)
        if (old->entry[i].from) pfc__table_put(larger, old->entry[i].from, (pfc__u32)old->entry[i].region, old->entry[i].to);
    PFC__SIGNAL_FENCE();
    *t = larger;
    return 1;
}

/* ---- name → region: one table, under the lock */

static struct {
    pfc__region_t **by_id;        /* [id], ids begin at 1 */
    pfc__u32 *slot;               /* open addressing; 0: free */
    size_t capacity;              /* of by_id; slot has twice as many */
    pfc__u32 count;               /* the highest id */
    pfc__extent_t *extent;        /* the one that new regions come from */
} pfc__regions;

static PFC__QUIET pfc__u64 pfc__hash(const char *text, pfc__u64 hash)
{
    for (; text && *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001B3u; /* FNV-1a */
    return hash;
}

static PFC__QUIET const char *pfc__text_at(pfc__u64 offset)
{
    return offset ? (const char *)pfc__arena.base + offset : "";
}

/* Functions of one name in two files are two regions; named regions are one. */
static PFC__QUIET const char *pfc__site_file(const pfc__site_t *s) { return s->kind == PFC__FUNCTION ? s->file : 0; }

static PFC__QUIET int pfc__region_is(const pfc__region_t *r, const pfc__site_t *s)
{
    int function = r->kind == PFC__FUNCTION;
    return function == (s->kind == PFC__FUNCTION) && !strcmp(pfc__text_at(r->name), s->name) &&
           (!function || !strcmp(pfc__text_at(r->file), s->file));
}

static PFC__QUIET pfc__u32 *pfc__region_slot(const pfc__site_t *s)
{
    size_t mask = 2 * pfc__regions.capacity - 1;
    size_t i = (size_t)pfc__hash(pfc__site_file(s), pfc__hash(s->name, 0xCBF29CE484222325u));
    while (pfc__regions.slot[i & mask] && !pfc__region_is(pfc__regions.by_id[pfc__regions.slot[i & mask]], s)) i++;
    return &pfc__regions.slot[i & mask];
}

static PFC__QUIET int pfc__regions_grow(void)
{
    size_t old = pfc__regions.capacity, capacity = old ? 2 * old : 1024;
    pfc__region_t **by_id = (pfc__region_t **)pfc__pages(capacity * sizeof *by_id);
    pfc__u32 *slot = (pfc__u32 *)pfc__pages(2 * capacity * sizeof *slot), id;
    if (!by_id || !slot) {
        if (by_id) pfc__sys_munmap(by_id, capacity * sizeof *by_id);
        if (slot) pfc__sys_munmap(slot, 2 * capacity * sizeof *slot);
        return 0;
    }
    if (old) {
        memcpy(by_id, pfc__regions.by_id, old * sizeof *by_id);
        pfc__sys_munmap(pfc__regions.by_id, old * sizeof *by_id);
        pfc__sys_munmap(pfc__regions.slot, 2 * old * sizeof *slot);
    }
    pfc__regions.by_id = by_id;
    pfc__regions.slot = slot;
    pfc__regions.capacity = capacity;
    for (id = 1; id <= pfc__regions.count; id++) {
        pfc__region_t *r = by_id[id];
        pfc__site_t s = PFC__SITE(r->kind, pfc__text_at(r->name), r->line, pfc__text_at(r->file));
        *pfc__region_slot(&s) = id;
    }
    return 1;
}

static PFC__QUIET pfc__u32 pfc__region_add(const pfc__site_t *s)
{
    pfc__extent_t *e = pfc__regions.extent;
    pfc__region_t *r;
    if (pfc__regions.count + 1 >= pfc__regions.capacity && !pfc__regions_grow()) return PFC__UNKNOWN;
    if (!e || e->count == e->capacity) {
        e = pfc__extent_new(PFC__REGIONS, sizeof(pfc__region_t), 256, 0, 0);
        if (!e) return PFC__UNKNOWN;
        e->first = pfc__regions.count + 1;
        pfc__regions.extent = e;
    }
    r = (pfc__region_t *)pfc__extent_data(e) + e->count;
    r->name = pfc__string(s->name);
    r->file = pfc__string(s->file);
    if ((!r->name && *s->name) || (!r->file && *s->file)) return PFC__UNKNOWN;
    r->line = s->line;
    r->kind = s->kind;
    pfc__extent_holds(e, e->count + 1);
    pfc__regions.by_id[++pfc__regions.count] = r;
    *pfc__region_slot(s) = pfc__regions.count;
    return pfc__regions.count;
}

/* The site's region, registered when new; PFC__UNKNOWN: no room. Under the lock. */
static PFC__QUIET pfc__u32 pfc__region_of(const pfc__site_t *s)
{
    pfc__u32 known = pfc__regions.slot ? *pfc__region_slot(s) : 0;
    return known ? known : pfc__region_add(s);
}
