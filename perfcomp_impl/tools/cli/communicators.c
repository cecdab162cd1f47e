/* Of traces: the communicators of collective calls, and which ranks are in
   them, as each of these says of itself. */
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

/* Most collectives are in the communicator of the one before. */
static void add_thread(communicators_t *all, size_t *room, const pfc_profile_t *p, uint32_t thread, uint64_t place)
{
    pfc_event_info_t e;
    int64_t last = 0;
    uint64_t i;
    for (i = 0; pfc_profile_event(p, thread, i, &e); i++) {
        if (e.kind != PFC__EVENT_COLLECTIVE || e.sent == last) continue;
        last = e.sent;
        add(all, room, (member_t){ p->mpi->world, e.sent, (uint32_t)e.tag, place });
    }
}

static void find_members(communicators_t *all, const profiles_t *profiles)
{
    size_t k, i, n, room = 0;
    uint64_t place = 0;
    uint32_t thread;
    for (k = 0; k < profiles->n; k++) {
        const pfc_profile_t *p = profiles->p[k];
        if (!p->mpi) continue;
        add(all, &room, (member_t){ p->mpi->world, 0, p->rank, place });
        for (thread = 0; thread < p->threads; thread++) add_thread(all, &room, p, thread, place);
        place++;
    }
    if (all->members) qsort(all->member, all->members, sizeof *all->member, by_rank);
    for (n = i = 0; i < all->members; i++)
        if (!n || by_rank(&all->member[i], &all->member[n - 1])) all->member[n++] = all->member[i];
    all->members = n;
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
    const member_t wanted = { c->member->world, c->member->name, rank, 0 };
    const member_t *found = (const member_t *)bsearch(&wanted, c->member, c->members, sizeof wanted, by_rank);
    return found ? (uint32_t)(found - c->member) : PFC_NONE;
}

const char *communicator_title(const communicators_t *all, const communicator_t *c, char *text, size_t bytes)
{
    if (c->member->name) snprintf(text, bytes, "communicator %zu of %u ranks", (size_t)(c - all->communicator), c->members);
    else snprintf(text, bytes, "MPI_COMM_WORLD");
    return text;
}

void communicators_free(communicators_t *all)
{
    free(all->communicator);
    free(all->member);
}
