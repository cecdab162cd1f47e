/* ------------------------------------------------------ sparse (MPI impl) ---
   Alltoallv and Alltoallw where ranks have nothing for others, as in sparse
   solvers and exchanges of particles. Many libraries send nothing then, so that
   a rank depends on those alone that it gets something from: the latest of all
   (R6) would give it the delay of a rank from which it has never heard. Others
   pass empty messages on. An experiment tells (see trials): ranks
   that come spread over some time to a call in which nobody has anything leave
   it at once, or after the last of them has come.

   Where they leave, moments go as data do, from each to each that it has
   something for, so that they meet nobody whom the call didn't. Who sends more
   than the library buffers waits for its receiver (R4): they tell each other. */

/* What each of the others gets, or gives. */
typedef struct pfc__blocks {
    const void *count;   /* int, or MPI_Count: `width` bytes each */
    size_t width;
    MPI_Datatype type;
    const MPI_Datatype *types; /* NULL: `type` is that of all */
} pfc__blocks_t;

static PFC__QUIET pfc__blocks_t pfc__blocks_of(const void *count, size_t width, MPI_Datatype type)
{
    pfc__blocks_t b = { count, width, type, 0 };
    return b;
}

static PFC__QUIET pfc__blocks_t pfc__blocks_of_types(const void *count, size_t width, const MPI_Datatype types[])
{
    pfc__blocks_t b = { count, width, MPI_DATATYPE_NULL, types };
    return b;
}

static PFC__QUIET pfc__i64 pfc__block_bytes(const pfc__blocks_t *b, int i)
{
    pfc__i64 count = pfc__count_of(b->count, b->width, i);
    return count > 0 ? pfc__bytes_of(count, b->types ? b->types[i] : b->type) : 0;
}

typedef struct pfc__sparse {
    const pfc__collective_t *k;
    int rank, size;
    pfc__blocks_t given, taken;
    MPI_Request *sent;
    int *world; /* ranks in MPI_COMM_WORLD */
} pfc__sparse_t;

/* Without memory it goes on all the same, but slowly. */
static PFC__QUIET void pfc__sparse_room(pfc__sparse_t *s)
{
    MPI_Group here, world;
    int i, *rank;
    s->sent = (MPI_Request *)malloc((size_t)s->size * (sizeof *s->sent + 2 * sizeof *s->world));
    s->world = 0;
    if (!s->sent || s->k->as_world) return;
    rank = (int *)(void *)(s->sent + s->size);
    s->world = rank + s->size;
    for (i = 0; i < s->size; i++) rank[i] = i;
    PMPI_Comm_group(s->k->comm, &here);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(here, s->size, rank, world, s->world);
    PMPI_Group_free(&world);
    PMPI_Group_free(&here);
}

static PFC__QUIET int pfc__sparse_rank(const pfc__sparse_t *s, int i)
{
    if (s->k->as_world) return i;
    return s->world ? s->world[i] : pfc__world_rank(s->k->comm, i);
}

/* Whether one who gives and takes these blocks tells `i` when it came. Both ends of a block know how long it is. */
static PFC__QUIET int pfc__sparse_tells(const pfc__blocks_t *given, const pfc__blocks_t *taken, int i)
{
    return pfc__block_bytes(given, i) > 0 || pfc__send_waits(pfc__block_bytes(taken, i), 0);
}

/* Without memory for requests it waits until each is sent: moments are short, and libraries buffer them. */
static PFC__QUIET int pfc__sparse_tell(const pfc__sparse_t *s, const pfc__moment_t *mine)
{
    int bytes = (int)sizeof *mine, tag = pfc__collective_tag(s->k), far, n = 0;
    for (far = 1; far < s->size; far++) {
        int i = (s->rank + far) % s->size;
        if (!pfc__sparse_tells(&s->given, &s->taken, i)) continue;
        if (s->sent) PMPI_Isend(mine, bytes, MPI_BYTE, pfc__sparse_rank(s, i), tag, pfc__mpi.comm, &s->sent[n++]);
        else PMPI_Send(mine, bytes, MPI_BYTE, pfc__sparse_rank(s, i), tag, pfc__mpi.comm);
    }
    return n;
}

/* When all is there from those on whom this rank's call depended: once the data have travelled; long ones do so from when
   both ends have come. */
typedef struct pfc__sparse_came { pfc__latest_t latest; pfc__moment_t way; } pfc__sparse_came_t;

static PFC__QUIET void pfc__sparse_heard(pfc__sparse_came_t *came, const pfc__sparse_t *s, int i, pfc__moment_t mine, pfc__moment_t theirs)
{
    pfc__i64 bytes = pfc__block_bytes(&s->taken, i), longest = pfc__max(bytes, pfc__block_bytes(&s->given, i));
    pfc__moment_t from = pfc__passed_first(theirs);
    if (pfc__send_waits(longest, 0)) {
        from = pfc__later_arrival(from, pfc__passed_first(mine));
        bytes = longest;
    }
    came->latest = pfc__latest_merge(came->latest, pfc__latest_by(pfc__sparse_rank(s, i), theirs));
    came->way = pfc__passed_on(came->way, from, pfc__travel(bytes, (pfc__u32)PFC__ANY_PEER));
}

static PFC__QUIET pfc__sparse_came_t pfc__sparse_exchange(pfc__sparse_t *s, pfc__moment_t mine)
{
    pfc__sparse_came_t came;
    int far, n;
    pfc__sparse_room(s);
    n = pfc__sparse_tell(s, &mine);
    came.latest = pfc__latest_here(mine);
    came.way = pfc__passed_first(mine);
    for (far = 1; far < s->size; far++) {
        int i = (s->rank + s->size - far) % s->size;
        pfc__moment_t theirs;
        if (!pfc__sparse_tells(&s->taken, &s->given, i)) continue; /* as they see it */
        PMPI_Recv(&theirs, (int)sizeof theirs, MPI_BYTE, pfc__sparse_rank(s, i), pfc__collective_tag(s->k), pfc__mpi.comm, MPI_STATUS_IGNORE);
        pfc__sparse_heard(&came, s, i, mine, theirs);
    }
    while (n) PMPI_Wait(&s->sent[--n], MPI_STATUS_IGNORE);
    free(s->sent);
    return came;
}

/* The library's call is over. In place, blocks are swapped pair by pair, so that each rank meets all: R6. */
static PFC__QUIET void pfc__sparse_end(pfc__call_t *c, pfc__collective_t *k, int error, int in_place, pfc__blocks_t given,
                                       pfc__blocks_t taken)
{
    pfc__known_way_t known = { PFC__WAY_ALL, 0, 1, 0, 0, 0 };
    pfc__sparse_t s = { k, 0, 0, given, taken, 0, 0 };
    pfc__sparse_came_t came;
    pfc__i64 added = 0;
    pfc__call_end(c);
    if (k->number && !in_place && !pfc__is_refused(error)) {
        s.rank = k->known->rank;
        s.size = pfc__ranks_in(k->comm);
        if (s.size > 1) known = pfc__way_of(c, k, s.rank, s.size, &added);
        if (added) pfc__mpi.least_delay += added;
    }
    if (known.way != PFC__WAY_NONE) {
        pfc__collective_met(c, k, error);
        return;
    }
    came = pfc__sparse_exchange(&s, c->begin);
    pfc__collective_depends_on(c, k, came.latest, pfc__passed_moment(came.latest, came.way));
    pfc__doubt(c, known, came.way.ct, came.latest);
}

/* A nonblocking or persistent one, whose exchange is among all: it may have waited for those alone that give it something. */
static PFC__QUIET void pfc__sparse_begun(pfc__collective_t *k, pfc__blocks_t taken)
{
    int i, peers = k->exchanges ? pfc__peers_in(k->comm) : 0;
    for (i = 0; i < peers; i++)
        if (pfc__block_bytes(&taken, i) == 0 && (k->known->inter || i != k->known->rank)) k->may_part = PFC__MAY_NEED_SOME;
}
