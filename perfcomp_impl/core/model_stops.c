/* ------------------------------------------------- model, stops (impl) ---
   Where activations ended.

   A function that was entered more often than it was left has lost activations
   in calls that didn't return. It can't have been a call of a function that has
   always come back; and one that hasn't is known by its own entries and exits,
   or, where it was left by its last step, by what that step has called. Where
   only one call is left that may have been it, all counts are exact.

   A forked process goes on in activations that its parent has begun, in calls as
   well: of fork, of functions that it goes on in, too, and of those of which
   nothing is known.

   What never returns is counted as an exit, so that flow is conserved: to the
   reader's users an EXIT is how often the function returned. */

typedef struct pfc__stop_info {  /* a call that may not have returned */
    const pfc_block_info_t *block;
    const char *callee;          /* "": through a pointer */
    pfc__u32 unit, kind, sure, called; /* called: where its callee's name begins in by_name */
} pfc__stop_info_t;

typedef struct pfc__stops {
    pfc__build_t *b;
    const pfc_function_info_t **by_name;
    size_t functions, calls;
    pfc__stop_info_t *call;
    pfc__u64 *entered;           /* [function] how often */
    pfc_block_info_t **exit;     /* [function] NULL: it has none */
    unsigned char *gone;         /* [function] 1: an activation of it may not have come back */
    unsigned char *forks;        /* [function] 1: the process may have been forked in a call of it */
    pfc__u64 *lost, *less;       /* [function] so many haven't, at most; of them by steps of which flow doesn't tell, */
    pfc__u64 *left;              /* [function] without which it was left so often */
    pfc__u32 forked;             /* 1: activations have come from the middle, and not all functions tell of how many */
    int strays;                  /* 1: and some of these may never have gone on: other threads' of the parent, or left by a jump */
    pfc__u32 replaced;           /* 1: nor has one that stands in for a library's, which others of the library's may call */
} pfc__stops_t;

static PFC__QUIET int pfc__compare_function_names(const void *a, const void *b)
{
    const pfc_function_info_t *x = *(const pfc_function_info_t *const *)a, *y = *(const pfc_function_info_t *const *)b;
    return strcmp(x->name, y->name);
}

/* The first function of that name, or the one that would follow it. */
static PFC__QUIET pfc__u32 pfc__stops_named(const pfc__stops_t *s, const char *name)
{
    size_t low = 0, high = s->functions;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(s->by_name[middle]->name, name) < 0) low = middle + 1;
        else high = middle;
    }
    return (pfc__u32)low;
}

static PFC__QUIET pfc__u32 pfc__function_index(const pfc__stops_t *s, const pfc_function_info_t *function)
{
    return (pfc__u32)(function - s->b->p->function);
}

/* Whether there is a function that it may be a call of: the unit's static one, or others; how often those were entered,
   whether an activation of them may not have come back, and how many haven't, at most. */
typedef struct pfc__callees { int known, gone, forks; pfc__u64 entered, lost; } pfc__callees_t;

static PFC__QUIET pfc__u64 pfc__sum_at_most(pfc__u64 a, pfc__u64 b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static PFC__QUIET void pfc__callees_find(const pfc__stops_t *s, const pfc__stop_info_t *call, pfc__u32 is_static, pfc__callees_t *found)
{
    size_t i;
    for (i = call->called; i < s->functions && !strcmp(s->by_name[i]->name, call->callee); i++) {
        const pfc_function_info_t *function = s->by_name[i];
        pfc__u32 index = pfc__function_index(s, function);
        if ((function->flags & PFC__STATIC) != is_static || (is_static && function->unit != call->unit)) continue;
        found->known = 1;
        found->gone |= s->gone[index];
        found->forks |= s->forks[index];
        found->entered += s->entered[index];
        found->lost = pfc__sum_at_most(found->lost, s->lost[index]);
    }
}

static PFC__QUIET pfc__callees_t pfc__callees_of(const pfc__stops_t *s, const pfc__stop_info_t *call)
{
    pfc__callees_t found = { 0, 0, 0, 0, 0 };
    if (*call->callee) pfc__callees_find(s, call, PFC__STATIC, &found);
    if (*call->callee && !found.known) pfc__callees_find(s, call, 0, &found);
    return found;
}

/* One that is made more often than its function was entered is of another: the linker has been told so, or it stands in what
   was compiled otherwise. */
static PFC__QUIET int pfc__is_of_another(const pfc__callees_t *callees, const pfc__stop_info_t *call)
{
    return callees->entered < call->block->low;
}

/* Whether it may be this call that didn't return. */
static PFC__QUIET int pfc__stop_is_possible(const pfc__stops_t *s, const pfc__stop_info_t *call)
{
    pfc__callees_t callees;
    if (!call->block->high && call->kind != PFC__STOP_BEFORE) return 0;
    if (!*call->callee) return 1;
    callees = pfc__callees_of(s, call);
    if (!callees.known) return !call->sure || s->replaced || s->b->p->threads > 1;
    return callees.gone || pfc__is_of_another(&callees, call);
}

/* Whether it may be this call in which the process was forked. What becomes another program doesn't go on in this one. */
static PFC__QUIET int pfc__stop_may_fork(const pfc__stops_t *s, const pfc__stop_info_t *call)
{
    pfc__callees_t callees;
    if (!*call->callee) return 1;
    callees = pfc__callees_of(s, call);
    if (callees.known) return callees.forks;
    return !strcmp(call->callee, "fork") || (!call->sure && strncmp(call->callee, "exec", 4) != 0);
}

/* ---- which functions haven't always come back */

static PFC__QUIET void pfc__stops_gone(pfc__stops_t *s, size_t function)
{
    s->gone[function] = 1;
    if (s->b->p->function[function].flags & PFC__REPLACES) s->replaced = 1;
}

/* How often the function was left, as far as its exits tell. */
static PFC__QUIET pfc__u64 pfc__stops_left(const pfc__stops_t *s, size_t function)
{
    return s->exit[function] ? s->exit[function]->low : 0;
}

static PFC__QUIET void pfc__stops_count(pfc__stops_t *s)
{
    const pfc_profile_t *p = s->b->p;
    size_t i;
    for (i = 0; i < p->functions; i++) {
        s->gone[i] = 1; /* unless it has an ENTRY */
        s->forks[i] = s->b->facts[i].inherited || !(p->function[i].flags & PFC__STOPS_KNOWN);
    }
    for (i = 0; i < p->blocks; i++) {
        pfc_block_info_t *block = &p->block[i];
        if (block->kind == PFC__BLOCK_EXIT) s->exit[block->function] = block;
        if (block->kind != PFC__BLOCK_ENTRY) continue;
        s->gone[block->function] = block->low != block->high;
        s->entered[block->function] = block->low;
    }
    for (i = 0; i < p->functions; i++)
        if (s->gone[i] || (s->exit[i] && s->exit[i]->low != s->exit[i]->high) ||
            s->entered[i] + s->b->facts[i].inherited != pfc__stops_left(s, i) ||
            (s->entered[i] && !(p->function[i].flags & PFC__STOPS_KNOWN))) pfc__stops_gone(s, i);
}

/* Whether entries and exits tell of it. In a forked process they don't where flow leaves the function with the call, and
   comes back without one. */
static PFC__QUIET int pfc__stop_shows(const pfc__stops_t *s, const pfc__stop_info_t *call)
{
    int is_opened = !(s->b->p->function[call->block->function].flags & PFC__MAY_NOT_RETURN);
    return call->kind < PFC__STOP_LEFT && !(is_opened && s->forked);
}

static PFC__QUIET void pfc__stops_forks(pfc__stops_t *s, size_t function) { s->forks[function] = 1; }

typedef int pfc__stop_test_t(const pfc__stops_t *, const pfc__stop_info_t *);

/* Marks those, too, that were left by a step that may have been one; of which flow doesn't tell. */
static PFC__QUIET void pfc__stops_spread(pfc__stops_t *s, const unsigned char *marked, pfc__stop_test_t *may,
                                         void (*mark)(pfc__stops_t *, size_t))
{
    int more = 1;
    size_t i;
    while (more) {
        more = 0;
        for (i = 0; i < s->calls; i++) {
            const pfc__stop_info_t *call = &s->call[i];
            pfc__u32 function = call->block->function;
            if (marked[function] || pfc__stop_shows(s, call) || !may(s, call)) continue;
            mark(s, function);
            more = 1;
        }
    }
}

/* Whether it may leave activations by a jump; or whether it has. */
static PFC__QUIET int pfc__stops_jump(const pfc__stops_t *s, int has)
{
    size_t i;
    for (i = 0; i < s->calls; i++)
        if (s->call[i].kind == PFC__STOP_JUMPS && (!has || s->call[i].block->high)) return 1;
    return 0;
}

/* ---- the units' tables */

static PFC__QUIET int pfc__stops_of_unit(pfc__stops_t *s, pfc__u32 unit)
{
    const pfc__build_t *b = s->b;
    const pfc__part_t *part = &b->image->part[b->unit_part[unit]];
    const unsigned char *tables = b->image->bytes + part->begin;
    const pfc_unit_info_t *info = &b->p->unit[unit];
    pfc__unit_record_t u;
    pfc__u64 i;
    if (!pfc__unit_read(b, part, &u)) return 0;
    for (i = 0; i < u.stops; i++) {
        pfc__stop_info_t *call = &s->call[s->calls++];
        pfc__stop_t stop;
        memcpy(&stop, tables + u.stop_table + i * sizeof stop, sizeof stop);
        if (stop.block >= info->blocks || stop.callee >= u.names) return pfc__damaged(b->image, part->begin, "stops of a unit");
        call->block = &b->p->block[info->block + stop.block];
        call->callee = (const char *)tables + u.name_table + stop.callee;
        call->unit = unit;
        call->kind = stop.kind;
        call->sure = stop.sure;
    }
    return 1;
}

static PFC__QUIET int pfc__stops_room(pfc__stops_t *s)
{
    const pfc__build_t *b = s->b;
    const pfc_profile_t *p = b->p;
    pfc__u64 stops = 0;
    size_t i;
    for (i = 0; i < p->units; i++) {
        pfc__unit_record_t u;
        if (!pfc__unit_read(b, &b->image->part[b->unit_part[i]], &u)) return 0;
        stops += u.stops;
    }
    s->by_name = (const pfc_function_info_t **)pfc__room(b->image, p->functions, sizeof *s->by_name);
    s->call = (pfc__stop_info_t *)pfc__room(b->image, stops, sizeof *s->call);
    s->entered = (pfc__u64 *)pfc__room(b->image, p->functions, sizeof *s->entered);
    s->exit = (pfc_block_info_t **)pfc__room(b->image, p->functions, sizeof *s->exit);
    s->gone = (unsigned char *)pfc__room(b->image, p->functions, 1);
    s->forks = (unsigned char *)pfc__room(b->image, p->functions, 1);
    s->lost = (pfc__u64 *)pfc__room(b->image, p->functions, sizeof *s->lost);
    s->less = (pfc__u64 *)pfc__room(b->image, p->functions, sizeof *s->less);
    s->left = (pfc__u64 *)pfc__room(b->image, p->functions, sizeof *s->left);
    return s->by_name && s->call && s->entered && s->exit && s->gone && s->forks && s->lost && s->less && s->left;
}

static PFC__QUIET int pfc__stops_read(pfc__stops_t *s)
{
    const pfc_profile_t *p = s->b->p;
    pfc__u32 i;
    if (!pfc__stops_room(s)) return 0;
    s->forked = s->b->image->header.fork_child != 0;
    for (i = 0; i < p->units; i++)
        if (!pfc__stops_of_unit(s, i)) return 0;
    s->strays = s->b->image->header.fork_child > 1 || pfc__stops_jump(s, 0);
    pfc__stops_count(s);
    return 1;
}

/* Whose names the calls have. */
static PFC__QUIET void pfc__stops_resolve(pfc__stops_t *s)
{
    const pfc_profile_t *p = s->b->p;
    size_t i;
    for (i = 0; i < p->functions; i++)
        if (!p->function[i].holder) s->by_name[s->functions++] = &p->function[i];
    qsort(s->by_name, s->functions, sizeof *s->by_name, pfc__compare_function_names);
    for (i = 0; i < s->calls; i++) s->call[i].called = pfc__stops_named(s, s->call[i].callee);
}

static PFC__QUIET void pfc__stops_free(pfc__stops_t *s)
{
    free(s->by_name);
    free(s->call);
    free(s->entered);
    free(s->exit);
    free(s->gone);
    free(s->forks);
    free(s->lost);
    free(s->less);
    free(s->left);
}

/* ---- completing once more */

/* Whether it can be completed, and more may be known than the first time. */
static PFC__QUIET int pfc__stops_unit_waits(const pfc__stops_t *s, const pfc_unit_info_t *unit)
{
    pfc__u32 f;
    if (*unit->trouble) return 0;
    for (f = unit->function; f < unit->function + unit->functions; f++)
        if (pfc__shows_stops(s->b->p->function[f].flags) && (s->entered[f] > pfc__stops_left(s, f) || s->b->facts[f].inherited)) return 1;
    return 0;
}

/* The vertices where flow may have been lost, or come from. */
static PFC__QUIET void pfc__stops_mark(const pfc__stops_t *s, pfc__u32 unit, const pfc__block_t *block, unsigned char *vertex)
{
    const pfc_block_info_t *first = &s->b->p->block[s->b->p->unit[unit].block];
    size_t i;
    for (i = 0; i < s->calls; i++) {
        const pfc__stop_info_t *call = &s->call[i];
        const pfc__block_t *edge;
        unsigned char may;
        if (call->unit != unit || call->kind >= PFC__STOP_LEFT) continue;
        may = (unsigned char)((pfc__stop_is_possible(s, call) ? PFC__MAY_END : 0) |
                              (s->forked && pfc__stop_may_fork(s, call) ? PFC__MAY_BEGIN : 0));
        edge = &block[call->block - first];
        vertex[call->kind == PFC__STOP_BEFORE ? edge->from : edge->to] |= may;
    }
}

static PFC__QUIET int pfc__stops_unit(const pfc__stops_t *s, pfc__u32 unit)
{
    pfc__build_t *b = s->b;
    pfc_block_info_t *info = &b->p->block[b->p->unit[unit].block];
    pfc__unit_record_t u;
    pfc__unit_tables_t table;
    unsigned char *stops = 0;
    pfc__u32 i;
    int done = pfc__unit_tables_read(b, unit, &u, &table) && (stops = (unsigned char *)pfc__room(b->image, pfc__vertices(&table), 1)) != 0;
    if (done) {
        pfc__stops_mark(s, unit, table.block, stops);
        table.stops = stops;
        table.strays = s->strays;
        for (i = 0; i < table.blocks; i++)
            if (!info[i].counted) info[i].low = info[i].high = 0;
        pfc__complete(&table, info, 0);
    }
    free(stops);
    pfc__unit_tables_free(&table);
    return done;
}

/* Blocks whose counts are intervals, because it wasn't known where activations had ended. */
static PFC__QUIET int pfc__stops_narrow(const pfc__stops_t *s)
{
    pfc__u32 u;
    int done = 1;
    if (pfc__in_flight(s->b) || pfc__stops_jump(s, 1)) return 1; /* they may have ended anywhere */
    for (u = 0; done && u < s->b->p->units; u++)
        if (pfc__stops_unit_waits(s, &s->b->p->unit[u])) done = pfc__stops_unit(s, u);
    return done;
}

/* ---- exits that weren't returns */

static PFC__QUIET void pfc__exits_less(pfc_block_info_t *exit, const pfc__stop_info_t *end)
{
    exit->low -= exit->low < end->block->high ? exit->low : end->block->high;
    if (end->sure && exit->high != UINT64_MAX) exit->high -= exit->high < end->block->low ? exit->high : end->block->low;
}

static PFC__QUIET void pfc__exits_lose(const pfc__stops_t *s)
{
    size_t i;
    for (i = 0; i < s->calls; i++) {
        pfc_block_info_t *exit = s->exit[s->call[i].block->function];
        if (s->call[i].kind >= PFC__STOP_ENDS && exit) pfc__exits_less(exit, &s->call[i]);
    }
}

static PFC__QUIET void pfc__stops_lose(pfc__stops_t *s, size_t function)
{
    pfc__u64 begun = s->entered[function] + s->b->facts[function].inherited, returned = pfc__stops_left(s, function);
    s->lost[function] = !s->entered[function] && s->gone[function] ? UINT64_MAX : begun > returned ? begun - returned : 0;
}

/* How often it may be this call that didn't return, at most. */
static PFC__QUIET pfc__u64 pfc__stop_lost(const pfc__stops_t *s, const pfc__stop_info_t *call)
{
    pfc__callees_t callees = pfc__callees_of(s, call);
    int is_told = callees.known && !pfc__is_of_another(&callees, call) && callees.lost < call->block->high;
    return is_told ? callees.lost : call->block->high;
}

/* A function's last step didn't return as often, at most, as what it calls; `all`: as it is made. 1: more than was known. */
static PFC__QUIET int pfc__stops_lose_more(pfc__stops_t *s, int all)
{
    size_t i;
    int more = 0;
    for (i = 0; i < s->calls; i++) {
        const pfc__stop_info_t *call = &s->call[i];
        pfc__u64 *less = &s->less[call->block->function];
        if (call->kind != PFC__STOP_LEFT || !pfc__stop_is_possible(s, call)) continue;
        *less = pfc__sum_at_most(*less, all ? call->block->high : pfc__stop_lost(s, call));
    }
    for (i = 0; i < s->b->p->functions; i++) {
        pfc_block_info_t *exit = s->exit[i];
        pfc__u64 least = s->left[i] > s->less[i] ? s->left[i] - s->less[i] : 0;
        s->less[i] = 0;
        if (!exit || exit->low <= least) continue;
        exit->low = least;
        exit->counted = 0;
        pfc__stops_lose(s, i);
        more = 1;
    }
    return more;
}

enum { PFC__STOPS_ROUNDS = 100 }; /* recursion may add one activation to another: then it may be all */

static PFC__QUIET void pfc__stops_returns(pfc__stops_t *s)
{
    size_t i;
    int round;
    pfc__exits_lose(s);
    for (i = 0; i < s->b->p->functions; i++) {
        s->left[i] = pfc__stops_left(s, i);
        pfc__stops_lose(s, i);
    }
    for (round = 0; pfc__stops_lose_more(s, round > PFC__STOPS_ROUNDS); round++) continue;
}

static PFC__QUIET int pfc__build_stops(pfc__build_t *b)
{
    pfc__stops_t s;
    int done;
    memset(&s, 0, sizeof s);
    s.b = b;
    done = pfc__stops_read(&s);
    if (done) {
        pfc__stops_resolve(&s);
        pfc__stops_spread(&s, s.gone, pfc__stop_is_possible, pfc__stops_gone);
        if (s.forked) pfc__stops_spread(&s, s.forks, pfc__stop_may_fork, pfc__stops_forks);
        done = pfc__stops_narrow(&s);
    }
    if (done) pfc__stops_returns(&s);
    pfc__stops_free(&s);
    return done;
}
