/* Of traces: which message that was sent is one that was received. */
#include "cli.h"

typedef struct end { uint64_t sent, sender; uint32_t kind; } end_t;

static int by_message(const void *a, const void *b)
{
    const end_t *x = (const end_t *)a, *y = (const end_t *)b;
    if (x->sender != y->sender) return x->sender < y->sender ? -1 : 1;
    if (x->sent != y->sent) return x->sent < y->sent ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

int is_message(const pfc_event_info_t *e) { return e->kind == PFC__EVENT_SENT || e->kind == PFC__EVENT_RECEIVED; }

static size_t add_thread(end_t *end, const pfc_profile_t *p, uint32_t thread)
{
    pfc_event_info_t e;
    uint64_t i;
    size_t n = 0;
    for (i = 0; pfc_profile_event(p, thread, i, &e); i++) {
        if (!is_message(&e)) continue;
        if (end) end[n] = (end_t){ e.argument[0], e.argument[1], e.kind };
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

messages_t messages_of(const profiles_t *profiles)
{
    messages_t m;
    m.n = add_all(0, profiles);
    m.end = (end_t *)must(calloc(m.n + 1, sizeof(end_t)));
    m.n = add_all((end_t *)m.end, profiles);
    qsort(m.end, m.n, sizeof(end_t), by_message);
    return m;
}

int messages_have_other_end(const messages_t *m, const pfc_event_info_t *e)
{
    const end_t other = { e->argument[0], e->argument[1], e->kind == PFC__EVENT_SENT ? PFC__EVENT_RECEIVED : PFC__EVENT_SENT };
    return bsearch(&other, m->end, m->n, sizeof other, by_message) != 0;
}

void messages_free(messages_t *m) { free(m->end); }
