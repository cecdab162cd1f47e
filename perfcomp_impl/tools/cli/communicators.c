/* Of traces: the communicators of collective calls and messages, and which
   ranks are in them, as each of these says of itself, and of those that it has
   messages from. */
#include "cli.h"

/* MPI_COMM_WORLD's, of all jobs, come first. */
static int by_communicator(const member_t *a, const member_t *b)
{
    ORDER(a->name != 0, b->name != 0);
    ORDER(a->world, b->world);
    ORDER(a->name, b->name);
    return 0;
}

static int by_rank(const void *a, const void *b)
{
    const member_t *x = (const member_t *)a, *y = (const member_t *)b;
    int order = by_communicator(x, y);
    if (order) return order;
    ORDER(x->rank, y->rank);
    return 0;
}

static void add(communicators_t *all, size_t *room, member_t member)
{
    if (all->members == *room) all->member = (member_t *)must(realloc(all->member, (*room = *room ? 2 * *room : 64) * sizeof member));
    all->member[all->members++] = member;
}

/* Most collectives are in the communicator of the one before, and most messages come by the way of the one before. */
static void add_thread(communicators_t *all, size_t *room, const pfc_profile_t *p, uint32_t thread)
{
    pfc_event_info_t e;
    int64_t met = 0, came = 0;
    uint32_t from = PFC_NONE;
    uint64_t i;
    for (i = 0; pfc_profile_event(p, thread, i, &e); i++) {
        if (e.kind == PFC__EVENT_COLLECTIVE && e.sent != met) {
            met = e.sent;
            add(all, room, (member_t){ p->mpi->world, met, (uint32_t)e.tag, p->rank, 0 });
        } else if (e.kind == PFC__EVENT_RECEIVED && e.communicator && (e.communicator != came || e.sender != from)) {
            came = e.communicator;
            from = e.sender;
            add(all, room, (member_t){ p->mpi->world, came, (uint32_t)e.rank, p->rank, 0 });
            add(all, room, (member_t){ p->mpi->world, came, (uint32_t)e.source, from, 0 });
        }
    }
}

static const member_t *find(const member_t *member, size_t n, uint64_t world, int64_t name, uint32_t rank)
{
    const member_t wanted = { .world = world, .name = name, .rank = rank };
    return (const member_t *)bsearch(&wanted, member, n, sizeof wanted, by_rank);
}

/* Each once, and only those whose profiles are there; these come first. */
static void keep_known(communicators_t *all)
{
    size_t i, n = 0;
    for (i = 0; i < all->members; i++) {
        member_t *m = &all->member[i];
        const member_t *known = m->name ? find(all->member, n, m->world, 0, m->in_world) : m;
        if (!known || (n && !by_rank(m, &all->member[n - 1]))) continue;
        m->place = known->place;
        all->member[n++] = *m;
    }
    all->members = n;
}

static void find_members(communicators_t *all, const profiles_t *profiles)
{
    size_t k, room = 0;
    uint64_t place = 0;
    uint32_t thread;
    for (k = 0; k < profiles->n; k++) {
        const pfc_profile_t *p = profiles->p[k];
        if (!p->mpi) continue;
        add(all, &room, (member_t){ p->mpi->world, 0, p->rank, p->rank, place++ });
        for (thread = 0; thread < p->threads; thread++) add_thread(all, &room, p, thread);
    }
    if (all->members) qsort(all->member, all->members, sizeof *all->member, by_rank);
    keep_known(all);
}

communicators_t communicators_of(const profiles_t *profiles)
{
    communicators_t all = { 0 };
    size_t i;
    find_members(&all, profiles);
    all.communicator = (communicator_t *)must(calloc(all.members + 1, sizeof *all.communicator));
    for (i = 0; i < all.members; i++) {
        if (!i || by_communicator(&all.member[i], &all.member[i - 1])) all.communicator[all.n++].member = &all.member[i];
        all.communicator[all.n - 1].members++;
    }
    return all;
}

const communicator_t *communicator_of(const communicators_t *all, const pfc_profile_t *p, int64_t name)
{
    size_t low = 0, high = all->n;
    if (!p->mpi) return 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = by_communicator(all->communicator[middle].member, &(member_t){ .world = p->mpi->world, .name = name });
        if (!order) return &all->communicator[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return 0;
}

uint32_t communicator_index(const communicator_t *c, uint32_t rank)
{
    const member_t *found = find(c->member, c->members, c->member->world, c->member->name, rank);
    return found ? (uint32_t)(found - c->member) : PFC_NONE;
}

const char *communicator_title(const communicators_t *all, const communicator_t *c, char *text, size_t bytes)
{
    if (c->member->name) snprintf(text, bytes, "communicator %zu of %u %s", (size_t)(c - all->communicator), c->members, c->members == 1 ? "rank" : "ranks");
    else snprintf(text, bytes, "MPI_COMM_WORLD");
    return text;
}

void communicators_free(communicators_t *all)
{
    free(all->communicator);
    free(all->member);
}
