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

static PFC__QUIET void pfc__hits_unit(const pfc__hit_t *hit, pfc__u32 hits, pfc__u64 counters)
{
    pfc__unit_t *u = (pfc__unit_t *)pfc__keep(sizeof *u);
    size_t table = hits * (sizeof(pfc__function_t) + 2 * sizeof(char *) + sizeof(pfc__block_t));
    pfc__function_t *function = u ? (pfc__function_t *)pfc__pages(table) : 0;
    const char **holder = (const char **)(void *)(function + hits), **file = holder + hits;
    pfc__block_t *block = (pfc__block_t *)(void *)(file + hits);
    pfc__u32 i, files = 0;
    if (!function) return;
    for (i = 0; i < hits; i++) {
        pfc__u32 of = pfc__hits_file(file, files, hit[i].file);
        if (of == files) files++;
        holder[i] = hit[i].function;
        function[i].file = block[i].file = of;
        function[i].name = hit[i].name;
        function[i].line = block[i].line = block[i].line_end = (pfc__u32)hit[i].line;
        block[i].function = i;
        block[i].kind = PFC__BLOCK_HIT;
        block[i].counter = (pfc__u32)hit[i].index;
    }
    u->abi = PFC__ABI;
    u->files = files;
    u->functions = u->blocks = hits;
    u->counters = counters;
    u->array = hit->array;
    u->adding = hit->adding;
    u->array_bytes = (counters + PFC__PAGE / 8 - 1) / (PFC__PAGE / 8) * PFC__PAGE;
    u->file = file;
    u->function = function;
    u->holder = holder;
    u->block = block;
    u->name = hit->file;
    u->directory = u->compiler = "";
    pfc__unit_register(u);
    pfc__sys_munmap(function, table);
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
        if (!m && hit->array) pfc__hits_unit(hit, (pfc__u32)(next - hit), counters);
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
    pfc__function_t function = { hit->name, 0, hit->line, hit->line, 0 };
    pfc__block_t block = { hit->line, hit->line, 0, 0, 0, PFC__BLOCK_HIT, 0, 0, 0 };
    pfc__unit_t u = { PFC__ABI, 1, 1, 1, 1, 0, 0, &hit->file, &function, &block, hit->file, "", "", 0, 0, 0, 0, 0, 0, 0, 0, 0, &hit->function, 0, 0, 0, 0, 0, 0 };
    unsigned long long *counter = 0;
    int saved = errno;
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
