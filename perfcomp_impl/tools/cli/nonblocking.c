/* Of traces: which collective it is that was started in one call and is
   completed in another, maybe by another thread. */
#include "cli.h"

typedef struct end { nonblocking_t collective; uint32_t kind; } end_t;

static int by_number(const void *a, const void *b)
{
    const nonblocking_t *x = (const nonblocking_t *)a, *y = (const nonblocking_t *)b;
    ORDER((uintptr_t)x->p, (uintptr_t)y->p);
    ORDER(x->number, y->number);
    return 0;
}

static int by_number_and_kind(const void *a, const void *b)
{
    const end_t *x = (const end_t *)a, *y = (const end_t *)b;
    int order = by_number(&x->collective, &y->collective);
    if (order) return order;
    ORDER(x->kind, y->kind); /* STARTED first */
    return 0;
}

/* Those that lie in calls whose begin the ring still has: of others a timeline tells nothing. */
static size_t add_thread(end_t *end, const pfc_profile_t *p, uint32_t thread)
{
    pfc_event_info_t e, before = { 0 };
    uint64_t i, depth = 0;
    size_t n = 0;
    for (i = 0; pfc_profile_event(p, thread, i, &e); before = e, i++) {
        if (e.kind == PFC__EVENT_ENTER) depth++;
        if (e.kind == PFC__EVENT_EXIT && depth) depth--;
        if (!depth || !(e.kind == PFC__EVENT_COMPLETED || (e.kind == PFC__EVENT_STARTED && before.kind == PFC__EVENT_COLLECTIVE))) continue;
        if (end) end[n] = (end_t){ { p, e.sent, before }, e.kind };
        n++;
    }
    return n;
}

static size_t add_all(end_t *end, const profiles_t *profiles)
{
    size_t k, n = 0;
    uint32_t thread;
    for (k = 0; k < profiles->n; k++)
        for (thread = 0; thread < profiles->p[k]->threads; thread++) n += add_thread(end ? end + n : 0, profiles->p[k], thread);
    return n;
}

nonblockings_t nonblockings_of(const profiles_t *profiles)
{
    size_t i, ends = add_all(0, profiles);
    end_t *end = (end_t *)must(calloc(ends + 1, sizeof(end_t)));
    nonblockings_t all = { (nonblocking_t *)must(calloc(ends + 1, sizeof(nonblocking_t))), 0 };
    add_all(end, profiles);
    qsort(end, ends, sizeof(end_t), by_number_and_kind);
    for (i = 0; i + 1 < ends; i++)
        if (end[i].kind == PFC__EVENT_STARTED && end[i + 1].kind == PFC__EVENT_COMPLETED && !by_number(&end[i].collective, &end[i + 1].collective))
            all.collective[all.n++] = end[i].collective;
    free(end);
    return all;
}

const nonblocking_t *nonblockings_find(const nonblockings_t *all, const pfc_profile_t *p, const pfc_event_info_t *e)
{
    const nonblocking_t wanted = { .p = p, .number = e->sent };
    return (const nonblocking_t *)bsearch(&wanted, all->collective, all->n, sizeof wanted, by_number);
}

void nonblockings_free(nonblockings_t *all) { free(all->collective); }
