/* ---------------------------------------------------------- hits (impl) ---
   Hits by hand: a unit for each file's array. */

/* The place of a file's name in the table, at its end if it is new: a header's hits are in each file's array that includes it. */
static PFC__QUIET pfc__u32 pfc__hits_file(const char **file, pfc__u32 files, const char *name)
{
    pfc__u32 i = 0;
    while (i < files && strcmp(file[i], name)) i++;
    file[i] = name;
    return i;
}

/* What a unit of hits consists of: one function and one block a hit, and the files that they stand in. */
typedef struct pfc__hits_tables {
    pfc__function_t *function;
    pfc__block_t *block;
    const char **holder, **file;
    pfc__u32 hits, files;
    pfc__u64 counters;
} pfc__hits_tables_t;

static PFC__QUIET void pfc__hits_describe(pfc__hits_tables_t *t, pfc__u32 i, const pfc__hit_t *hit)
{
    pfc__u32 file = pfc__hits_file(t->file, t->files, hit->file);
    if (file == t->files) t->files++;
    t->holder[i] = hit->function;
    t->function[i].name = hit->name;
    t->function[i].file = t->block[i].file = file;
    t->function[i].line = t->block[i].line = t->block[i].line_end = hit->line;
    t->block[i].function = i;
    t->block[i].kind = PFC__BLOCK_HIT;
    t->block[i].counter = (pfc__u32)hit->index;
}

static PFC__QUIET void pfc__hits_unit(pfc__unit_t *u, const pfc__hits_tables_t *t)
{
    memset(u, 0, sizeof *u);
    u->abi = PFC__ABI;
    u->files = t->files;
    u->functions = u->blocks = t->hits;
    u->counters = t->counters;
    u->file = t->file;
    u->function = t->function;
    u->holder = t->holder;
    u->block = t->block;
    u->name = t->file[0];
    u->directory = u->compiler = "";
}

/* A file's hits: `hit` and those behind it. The profile has copies of the tables. */
static PFC__QUIET void pfc__hits_register_file(const pfc__hit_t *hit, pfc__u32 hits, pfc__u64 counters)
{
    pfc__unit_t *u = (pfc__unit_t *)pfc__keep(sizeof *u);
    size_t bytes = hits * (sizeof(pfc__function_t) + sizeof(pfc__block_t) + 2 * sizeof(char *));
    pfc__hits_tables_t t = { 0, 0, 0, 0, hits, 0, counters };
    pfc__u32 i;
    t.function = u ? (pfc__function_t *)pfc__pages(bytes) : 0;
    if (!t.function) return;
    t.holder = (const char **)(void *)(t.function + hits);
    t.file = t.holder + hits;
    t.block = (pfc__block_t *)(void *)(t.file + hits);
    for (i = 0; i < hits; i++) pfc__hits_describe(&t, i, hit + i);
    pfc__hits_unit(u, &t);
    u->array = hit->array;
    u->adding = hit->adding;
    u->array_bytes = (counters + PFC__PAGE / 8 - 1) / (PFC__PAGE / 8) * PFC__PAGE;
    pfc__unit_register(u);
    pfc__sys_munmap(t.function, bytes);
}

void pfc__hits_register(const pfc__hit_t *begin, const pfc__hit_t *end)
{
    const pfc__hit_t *hit, *next;
    const pfc__mapped_t *m;
    for (hit = begin; hit < end; hit = next) {
        pfc__u64 counters = 0;
        for (next = hit; next < end && next->array == hit->array; next++)
            if (counters <= next->index) counters = next->index + 1;
        for (m = pfc__units; m && m->array != hit->array;) m = m->next;
        if (!m && hit->array) pfc__hits_register_file(hit, (pfc__u32)(next - hit), counters);
    }
}

void pfc__hits_unregister(const pfc__hit_t *begin, const pfc__hit_t *end)
{
    const pfc__hit_t *hit;
    pfc__mapped_t *m;
    if (pfc__is_off()) return;
    pfc__lists_enter();
    for (hit = begin; hit < end; hit++)
        for (m = hit->array ? pfc__units : 0; m; m = m->next)
            if (m->array == hit->array) pfc__unit_forget(m->array, m->unit);
    pfc__lists_leave();
}

/* A hit that finds its counter when it is first passed: a unit of one block. */
unsigned long long *pfc__hit_register(pfc__late_hit_t *hit)
{
    const pfc__hit_t described = { 0, 0, hit->name, hit->file, hit->function, hit->line, hit->adding };
    const char *holder = 0, *file = 0;
    pfc__function_t function;
    pfc__block_t block;
    pfc__hits_tables_t t = { &function, &block, &holder, &file, 1, 0, 1 };
    pfc__unit_t u;
    unsigned long long *counter = 0;
    int saved = errno;
    memset(&function, 0, sizeof function);
    memset(&block, 0, sizeof block);
    pfc__hits_describe(&t, 0, &described);
    pfc__hits_unit(&u, &t);
    pfc_start(0, 0);
    if (pfc__busy) return pfc__counters_nowhere(1);
    pfc__lists_enter();
    if (!pfc__is_off() && !hit->counter && pfc__unit_record_write(&u, pfc__units_count + 1)) {
        pfc__extent_t *e = pfc__counters_extent(++pfc__units_count, 1, 0, 0);
        if (e) pfc__counters_adding(e, hit->adding);
        if (e) counter = (unsigned long long *)pfc__extent_data(e);
    }
    if (!hit->counter) __atomic_store_n(&hit->counter, counter ? counter : pfc__counters_nowhere(1), __ATOMIC_RELEASE);
    pfc__lists_leave();
    errno = saved;
    return hit->counter;
}
