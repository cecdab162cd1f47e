/* Of traces: which message that was sent is one that was received. */
#include "cli.h"

typedef struct end { message_t message; uint32_t kind; } end_t;

static int by_name(const void *a, const void *b)
{
    const message_t *x = (const message_t *)a, *y = (const message_t *)b;
    ORDER(x->world, y->world);
    ORDER(x->sender, y->sender);
    ORDER(x->sent, y->sent);
    return 0;
}

static int by_name_and_kind(const void *a, const void *b)
{
    const end_t *x = (const end_t *)a, *y = (const end_t *)b;
    int order = by_name(&x->message, &y->message);
    if (order) return order;
    ORDER(x->kind, y->kind); /* SENT first */
    return 0;
}

static int is_message(const pfc_event_info_t *e) { return e->kind == PFC__EVENT_SENT || e->kind == PFC__EVENT_RECEIVED; }

static message_t message_at(const pfc_profile_t *p, const pfc_event_info_t *e)
{
    return (message_t){ p->mpi ? p->mpi->world : 0, e->sent, e->sender, p->rank, e->tag, e->bytes };
}

static size_t add_thread(end_t *end, const pfc_profile_t *p, uint32_t thread)
{
    pfc_event_info_t e;
    uint64_t i;
    size_t n = 0;
    for (i = 0; pfc_profile_event(p, thread, i, &e); i++) {
        if (!is_message(&e)) continue;
        if (end) end[n] = (end_t){ message_at(p, &e), e.kind };
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
    size_t i, ends = add_all(0, profiles);
    end_t *end = (end_t *)must(calloc(ends + 1, sizeof(end_t)));
    messages_t m = { (message_t *)must(calloc(ends + 1, sizeof(message_t))), 0 };
    ends = add_all(end, profiles);
    qsort(end, ends, sizeof(end_t), by_name_and_kind);
    for (i = 0; i + 1 < ends; i++)
        if (end[i].kind == PFC__EVENT_SENT && end[i + 1].kind == PFC__EVENT_RECEIVED && !by_name(&end[i].message, &end[i + 1].message))
            m.message[m.n++] = end[i + 1].message;
    free(end);
    return m;
}

const message_t *messages_find(const messages_t *m, const pfc_profile_t *p, const pfc_event_info_t *e)
{
    const message_t wanted = message_at(p, e);
    return (const message_t *)bsearch(&wanted, m->message, m->n, sizeof wanted, by_name);
}

void messages_free(messages_t *m) { free(m->message); }
