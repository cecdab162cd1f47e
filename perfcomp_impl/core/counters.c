/* ------------------------------------------------------ counters (impl) ---
   Units hand over their tables and arrays; the arrays become views of the
   profile. */

/* A counter of the entries, or of the exits, of a function that may be left otherwise than by its end: together they tell how many
   activations of it go on. */
typedef struct pfc__tally {
    pfc__u32 function, counter;
    pfc__i64 sign;                 /* 1: entered; -1: left */
    pfc__u64 going_on;             /* the function's activations at the last fork; in the first of its own */
} pfc__tally_t;

/* What we know of a registered unit, until its library is unloaded: the extent of its counters, and whose array they are. */
typedef struct pfc__mapped {
    struct pfc__mapped *next;
    pfc__unit_t *unit;
    pfc__u32 id, adding;
    unsigned long long *array;     /* of the program; NULL: per thread */
    size_t array_bytes;
    unsigned char *view;           /* the same counters inside the arena */
    int aliased;                   /* 1: array and view are one memory */
    pfc__extent_t *tables;         /* its record; the unit's own tables may be gone */
    pfc__tally_t *tally;           /* for forks */
    pfc__u32 tallies, tallies_known;
    pfc__u64 *inherited;           /* [function], in the arena; NULL: no activation was taken over */
} pfc__mapped_t;

/* A thread's own counters of a threaded unit. */
typedef struct pfc__threaded {
    struct pfc__threaded *next;
    const pfc__unit_t *unit;
    pfc__u32 thread;
    unsigned long long **slot;     /* where the thread that has them now finds them; NULL: none has */
    pfc__extent_t *counters;
} pfc__threaded_t;

static pfc__mapped_t *pfc__units, **pfc__units_end = &pfc__units;
static pfc__threaded_t *pfc__threaded;
static pfc__u32 pfc__units_count;

/* Small records of our own that live until the end. */
static PFC__QUIET void *pfc__keep(size_t bytes)
{
    static unsigned char *block;
    static size_t room;
    void *p;
    bytes = pfc__round_up(bytes, 16);
    if (bytes > room) {
        block = (unsigned char *)pfc__pages(65536);
        room = block ? 65536 : 0;
    }
    if (bytes > room) return 0;
    p = block;
    block += bytes;
    room -= bytes;
    return p;
}

/* In virtual time each hit costs what it is said to. */
static PFC__QUIET size_t pfc__summed_bytes(const pfc__unit_t *u)
{
#ifdef PERFCOMP_CHARGE
    return (void)u, 0;
#else
    return u->summed ? (size_t)u->counters : 0;
#endif
}

/* A table of the unit's record comes to its end; its place. */
static PFC__QUIET pfc__u64 pfc__table_write(pfc__extent_t *e, pfc__u64 *end, const void *table, size_t bytes)
{
    pfc__u64 place = *end;
    if (bytes) memcpy((char *)e + place, table, bytes);
    *end += bytes;
    return place;
}

static PFC__QUIET pfc__u64 pfc__strings_write(pfc__extent_t *e, pfc__u64 *end, const char *const *string, pfc__u32 n)
{
    pfc__u64 place = *end, *table = (pfc__u64 *)(void *)((char *)e + place);
    pfc__u32 i;
    for (i = 0; i < n; i++) table[i] = pfc__string(string[i]);
    *end += n * sizeof *table;
    return place;
}

static PFC__QUIET pfc__u64 pfc__functions_write(pfc__extent_t *e, pfc__u64 *end, const pfc__function_t *function, pfc__u32 n)
{
    pfc__u64 place = pfc__table_write(e, end, function, n * sizeof *function);
    pfc__function_t *table = (pfc__function_t *)(void *)((char *)e + place);
    pfc__u32 i;
    for (i = 0; i < n; i++) {
        pfc__u64 name = pfc__string(function[i].name);
        memcpy(&table[i].name, &name, sizeof table[i].name);
    }
    return place;
}

/* The unit's tables, as the reader finds them: strings have become offsets. Until all is there, the record counts as none: the
   profile may be read at any time, and the program killed. NULL: no room. */
static PFC__QUIET pfc__extent_t *pfc__unit_record_write(const pfc__unit_t *u, pfc__u32 id)
{
    pfc__u32 holders = u->holder ? u->functions : 0;
    size_t functions = u->functions * sizeof(pfc__function_t), blocks = u->packed ? 0 : u->blocks * sizeof(pfc__block_t);
    size_t packed = u->packed ? (size_t)u->packed_bytes : 0;
    size_t gaps = u->gaps * sizeof(pfc__gap_t), callers = (size_t)u->callers * sizeof(pfc__caller_t);
    size_t stops = (size_t)u->stops * sizeof(pfc__stop_t), names = stops ? (size_t)u->names : 0;
    size_t strings = ((size_t)u->files + holders) * sizeof(pfc__u64), summed = pfc__summed_bytes(u), record = sizeof(pfc__unit_record_t);
    pfc__extent_t *e = pfc__extent_new(PFC__UNIT, 1, record + strings + functions + blocks + gaps + callers + stops + summed + names + packed, id, 0);
    pfc__unit_record_t *r;
    pfc__u64 end;
    if (!e) return 0;
    r = (pfc__unit_record_t *)pfc__extent_data(e);
    r->name = pfc__string(u->name);
    r->directory = pfc__string(u->directory);
    r->compiler = pfc__string(u->compiler);
    r->files = u->files;
    r->functions = u->functions;
    r->blocks = u->blocks;
    r->threaded = !u->array;
    r->counters = u->counters;
    r->gaps = u->gaps;
    r->callers = u->callers;
    r->stops = u->stops;
    r->names = names;
    end = e->data + record;
    r->file_table = pfc__strings_write(e, &end, u->file, u->files);
    if (holders) r->holder_table = pfc__strings_write(e, &end, u->holder, holders);
    r->function_table = pfc__functions_write(e, &end, u->function, u->functions);
    r->block_table = pfc__table_write(e, &end, u->block, blocks);
    r->gap_table = pfc__table_write(e, &end, u->gap, gaps);
    r->caller_table = pfc__table_write(e, &end, u->caller, callers);
    r->stop_table = pfc__table_write(e, &end, u->stop, stops);
    r->name_table = pfc__table_write(e, &end, u->called, names);
    r->packed = packed;
    if (packed) r->packed_table = pfc__table_write(e, &end, u->packed, packed);
    if (summed) r->summed_table = pfc__table_write(e, &end, u->summed, summed);
    pfc__extent_holds(e, e->capacity);
    return e;
}

static PFC__QUIET pfc__u64 pfc__summed_place(pfc__extent_t *tables)
{
    pfc__u64 table = ((const pfc__unit_record_t *)pfc__extent_data(tables))->summed_table;
    return table ? pfc__offset(tables) + table : 0;
}

/* Counters begin at a page, so that the array can be a view of them. */
static PFC__QUIET pfc__extent_t *pfc__counters_extent(pfc__u32 unit, pfc__u64 counters, pfc__u64 bytes, pfc__u32 owner_thread)
{
    size_t front = bytes ? PFC__PAGE - (pfc__arena.used + sizeof(pfc__extent_t)) % PFC__PAGE : 0;
    pfc__u64 capacity = bytes ? bytes / 8 : counters;
    pfc__extent_t *e = pfc__extent_new(PFC__COUNTERS, 8, capacity, unit, front % PFC__PAGE);
    if (!e) return 0;
    e->count = counters;
    e->first = owner_thread;
    return e;
}

/* To add atomically takes longer. */
static PFC__QUIET void pfc__counters_adding(pfc__extent_t *e, pfc__u32 adding)
{
    e->adding = adding;
    if (!(adding & PFC__ADDED_ATOMICALLY) || pfc__atomic_hits) return;
    pfc__atomic_hits = pfc__atomic_hits_measured(pfc__cost.hit);
    PFC__HEADER->atomic_hits = pfc__atomic_hits;
    PFC__HEADER->atomic_doubt = PFC__ATOMIC_DOUBT;
}

/* Lays the view's pages over the array. An old length 0 makes a second mapping of shared pages: one call for each of a
   thousand units. Not by mremap's name: libraries for networks (UCX) have one of their own, which loses where to. */
static PFC__QUIET int pfc__array_lay(const pfc__mapped_t *m)
{
    int fd, done;
#if defined MREMAP_FIXED && defined SYS_mremap
    if (pfc__sys_mremap(m->view, 0, m->array_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, m->array) != -1) return 1;
#endif
    fd = pfc__arena_open();
    done = fd >= 0 && pfc__sys_mmap(m->array, m->array_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                           (off_t)pfc__offset(m->view)) != MAP_FAILED;
    pfc__arena_close(fd);
    return done;
}

/* Until then the array has counted for itself. */
static PFC__QUIET void pfc__array_alias(pfc__mapped_t *m)
{
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0 || (pfc__uptr)m->array % (pfc__uptr)page || m->array_bytes % (size_t)page) return;
    m->aliased = pfc__array_lay(m);
}

static PFC__QUIET pfc__mapped_t *pfc__unit_map(pfc__unit_t *u, pfc__u32 id)
{
    pfc__mapped_t *m = (pfc__mapped_t *)pfc__keep(sizeof *m);
    pfc__extent_t *e = 0;
    if (!m || !(m->tables = pfc__unit_record_write(u, id))) return 0;
    m->unit = u;
    m->id = id;
    m->array = u->array;
    m->adding = u->adding;
    m->array_bytes = (size_t)u->array_bytes;
    if (!u->array) return m;
    e = pfc__counters_extent(id, u->counters, u->array_bytes, 0);
    if (!e) return 0;
    pfc__counters_adding(e, u->adding);
    e->of.summed = pfc__summed_place(m->tables);
    m->view = (unsigned char *)pfc__extent_data(e);
    memcpy(m->view, u->array, m->array_bytes);
    if (!pfc__arena.plain) pfc__array_alias(m);
    return m;
}

static PFC__QUIET void pfc__unit_add(pfc__unit_t *u)
{
    pfc__mapped_t *m = pfc__unit_map(u, pfc__units_count + 1);
    if (!m) { PFC__HEADER->lost_units++; return; }
    u->id = ++pfc__units_count;
    *pfc__units_end = m;
    pfc__units_end = &m->next;
}

void pfc__unit_register(pfc__unit_t *u)
{
    int saved = errno;
    pfc__i64 since;
    if (u->abi != PFC__ABI) {
        pfc__note("%s was instrumented by another version of perfcomp (interface %u, here %u) and is left out: compile it anew",
                  u->name, u->abi, PFC__ABI);
        return;
    }
    if (!pfc__self) pfc_start(0, 0); /* which isn't free, where there are hundreds of units */
    if (pfc__is_off() || pfc__busy || u->id) return;
    since = pfc__clock();
    pfc__lists_enter();
    if (!u->id) pfc__unit_add(u);
    pfc__lists_leave();
    pfc__charge_slow(since);
    errno = saved;
}

/* Where the array couldn't become a view, its counts are copied: at the end, and for a report. */
static PFC__QUIET void pfc__unit_gather(const pfc__mapped_t *m)
{
    if (m->array && !m->aliased) memcpy(m->view, m->array, m->array_bytes);
}

static PFC__QUIET void pfc__units_gather(void)
{
    const pfc__mapped_t *m;
    for (m = pfc__units; m; m = m->next) pfc__unit_gather(m);
}

/* No mapping may be laid over these addresses any more: something else may get them. A program that loads and unloads
   a library again and again looks through the units that are there, not through all that were. */
static PFC__QUIET void pfc__unit_forget(const unsigned long long *array, const pfc__unit_t *u)
{
    pfc__mapped_t *m, **at = &pfc__units;
    pfc__threaded_t *c;
    while ((m = *at) != 0) {
        if (m->unit != u || m->array != array) { at = &m->next; continue; }
        pfc__unit_gather(m);
        *at = m->next;
    }
    pfc__units_end = at;
    for (c = pfc__threaded; u && c; c = c->next)
        if (c->unit == u) c->unit = 0, c->slot = 0;
}

void pfc__unit_unregister(pfc__unit_t *u)
{
    if (pfc__is_off() || !u->id) return; /* the program ends: pfc_stop has been here */
    pfc__lists_enter();
    pfc__unit_forget(u->array, u);
    pfc__lists_leave();
}

/* From now on the array counts for itself again. */
static PFC__QUIET void pfc__unit_freeze(pfc__mapped_t *m, int fd)
{
    if (!m->array || !m->aliased) return;
    pfc__sys_mmap(m->array, m->array_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, (off_t)pfc__offset(m->view));
    m->aliased = 0;
}

/* ---- threaded units */

/* Where counts go that have no place in the profile: of any thread, without the lock. The first element tells how many follow. */
static PFC__QUIET unsigned long long *pfc__counters_nowhere(pfc__u64 counters)
{
    static unsigned long long *block;
    unsigned long long *known = __atomic_load_n(&block, __ATOMIC_ACQUIRE), *larger;
    if (known && *known >= counters) return known + 1;
    larger = (unsigned long long *)pfc__pages((size_t)(counters + 1) * 8);
    if (!larger) return known ? known + 1 : 0;
    *larger = counters;
    __atomic_store_n(&block, larger, __ATOMIC_RELEASE);
    return larger + 1;
}

static PFC__QUIET const pfc__mapped_t *pfc__mapped_of(const pfc__unit_t *u)
{
    const pfc__mapped_t *m = pfc__units;
    while (m && m->unit != u) m = m->next;
    return m;
}

/* Whose counters this thread has in its slot. */
static PFC__QUIET void pfc__unit_measure_fetch(pfc__unit_t *u)
{
    const pfc__mapped_t *m = pfc__mapped_of(u);
    if (m) m->tables->of.fetch = pfc__fixed(pfc__fetch_cost(u->own));
    u->own = 0;
}

static PFC__QUIET pfc__threaded_t *pfc__thread_counters(pfc__unit_t *u, pfc__thread_t *t)
{
    const pfc__mapped_t *m;
    pfc__threaded_t *c;
    pfc__extent_t *e;
    for (c = pfc__threaded; c; c = c->next)
        if (c->unit == u && c->thread == t->id) return c;
    if (!u->id) pfc__unit_add(u);
    c = u->id ? (pfc__threaded_t *)pfc__keep(sizeof *c) : 0;
    e = c ? pfc__counters_extent(u->id, u->counters, 0, t->id + 1) : 0;
    if (!e) return 0;
    m = u->summed ? pfc__mapped_of(u) : 0;
    if (m) e->of.summed = pfc__summed_place(m->tables);
    c->unit = u;
    c->thread = t->id;
    c->counters = e;
    c->next = pfc__threaded;
    pfc__threaded = c;
    return c;
}

/* The thread ends, and another one may go on with its counters: what its other destructors count isn't to meet that.
   Where it is gone, so is its slot. */
static PFC__QUIET void pfc__thread_counters_leave(const pfc__thread_t *t, int is_there)
{
    pfc__threaded_t *c;
    for (c = pfc__threaded; c; c = c->next) {
        if (c->thread != t->id) continue;
        if (c->slot && is_there) *c->slot = 0;
        c->slot = 0;
    }
}

unsigned long long *pfc__unit_thread(pfc__unit_t *u, unsigned long long **slot)
{
    unsigned long long *counters = 0;
    pfc__threaded_t *own;
    int saved = errno, held = pfc__busy || pfc__clock_asked;
    pfc__thread_t *t = pfc__thread_get();
    if (!held) {
        pfc__i64 since = pfc__clock();
        pfc__lists_enter();
        own = t ? pfc__thread_counters(u, t) : 0;
        if (own) counters = (unsigned long long *)pfc__extent_data(own->counters), own->slot = slot;
        *slot = counters ? counters : pfc__counters_nowhere(u->counters);
        if (counters && u->own) pfc__unit_measure_fetch(u);
        counters = *slot;
        pfc__lists_leave();
        pfc__charge_slow(since);
    } else counters = pfc__counters_nowhere(u->counters);
    errno = saved;
    return counters;
}
