/* Of traces: what one call begins and another one ends, maybe of another thread or rank. */
#include "cli.h"

typedef struct end { span_t span; uint32_t kind; } end_t;

static int by_name(const void *a, const void *b)
{
    const span_t *x = (const span_t *)a, *y = (const span_t *)b;
    ORDER(x->kind, y->kind);
    ORDER(x->whose, y->whose);
    ORDER(x->sender, y->sender);
    ORDER(x->number, y->number);
    return 0;
}

static int by_name_and_kind(const void *a, const void *b)
{
    const end_t *x = (const end_t *)a, *y = (const end_t *)b;
    int order = by_name(&x->span, &y->span);
    if (order) return order;
    ORDER(x->kind, y->kind); /* begins first */
    return 0;
}

/* The kind of event that begins what this one is an end of; 0: of nothing. */
static uint32_t begin_of(uint32_t kind)
{
    switch (kind) {
    case PFC__EVENT_SENT: case PFC__EVENT_RECEIVED: return PFC__EVENT_SENT;
    case PFC__EVENT_STARTED: case PFC__EVENT_COMPLETED: return PFC__EVENT_STARTED;
    default: return 0;
    }
}

/* `before`: the event before it. */
static span_t span_at(const pfc_profile_t *p, const pfc_event_info_t *e, const pfc_event_info_t *before)
{
    if (begin_of(e->kind) == PFC__EVENT_SENT) return (span_t){ PFC__EVENT_SENT, e->sender, p->mpi ? p->mpi->world : 0, e->sent, p->rank, *e };
    return (span_t){ PFC__EVENT_STARTED, 0, (uintptr_t)p, e->sent, p->rank, *before };
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
        if (!depth || !begin_of(e.kind) || (e.kind == PFC__EVENT_STARTED && before.kind != PFC__EVENT_COLLECTIVE)) continue;
        if (end) end[n] = (end_t){ span_at(p, &e, &before), e.kind };
        n++;
    }
    return n;
}

static size_t add_all(end_t *end, const profiles_t *profiles)
{
    size_t k, n = 0;
    uint32_t t;
    for (k = 0; k < profiles->n; k++)
        for (t = 0; t < profiles->p[k]->threads; t++) n += add_thread(end ? end + n : 0, profiles->p[k], t);
    return n;
}

spans_t spans_of(const profiles_t *profiles)
{
    size_t i, ends = add_all(0, profiles);
    end_t *end = (end_t *)must(calloc(ends + 1, sizeof(end_t)));
    spans_t s = { (span_t *)must(calloc(ends / 2 + 1, sizeof(span_t))), 0 };
    add_all(end, profiles);
    qsort(end, ends, sizeof(end_t), by_name_and_kind);
    for (i = 0; i + 1 < ends; i++) {
        if (end[i].kind == end[i + 1].kind || by_name(&end[i].span, &end[i + 1].span)) continue;
        s.span[s.n++] = end[end[i].kind == PFC__EVENT_SENT ? i + 1 : i].span; /* who receives it knows all of a message */
        i++;
    }
    free(end);
    return s;
}

const span_t *spans_find(const spans_t *s, const pfc_profile_t *p, const pfc_event_info_t *e)
{
    const span_t wanted = span_at(p, e, e);
    return (const span_t *)bsearch(&wanted, s->span, s->n, sizeof wanted, by_name);
}

void spans_free(spans_t *s) { free(s->span); }
