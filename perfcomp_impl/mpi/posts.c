/* ------------------------------------------------------- posts (MPI impl) ---
   A send that waits depends on when its receiver posted (R4). So the receiver's
   moment travels to the sender: at the post, when it tells the source and tag
   and has room for a message that waits; otherwise at completion.

   Which post met which message: in a stream, all that goes from one rank to
   another with one tag in one communicator, MPI matches the k-th message with
   the k-th post. Both sides count. The receiver doesn't know what receives from
   anybody will get: messages that tell their number put its count right. */

/* Whether a send waits for its receiver. `mode`: 1: always (synchronous), −1: never (buffered). */
PFC__HOT int pfc__send_waits(pfc__i64 bytes, int mode)
{
#ifdef PERFCOMP_MPI_TAU
    return (void)bytes, (void)mode, 0;
#endif
    return mode > 0 || (mode == 0 && bytes > pfc__link.eager + PFC__PIGGY);
}

/* Whether a message's data travel when both are there: its sender waits for that, or MPI_Bsend's buffer in its place. */
PFC__HOT int pfc__data_wait(const pfc__piggy_t *p, pfc__i64 bytes) { return p->k || pfc__send_waits(bytes, 0); }

/* LT for which a receive's message was probed for in vain, amid other work, before the call that posts it; saturated. */
PFC__HOT pfc__u32 pfc__asked_before(const pfc__call_t *c) { return PFC__LIKELY(!c->asked_last) ? 0 : pfc__saturated(c->asked_last - c->asked); }

/* By how much such a receive's post, at `post`, may be too late: its message was there to be found at `there`. */
static PFC__COLD pfc__i64 pfc__asked_too_long(pfc__u32 asked, pfc__i64 post, pfc__i64 there) { return pfc__max(0, pfc__min(asked, post - there)); }

typedef struct pfc__post {      /* on its way, and kept by the sender until the k-th message is done */
    pfc__i64 ct, lt;
    pfc__u32 u, clock;
    pfc__u32 comm, k;
    int rank, tag, world;       /* the receiver's, in the communicator and in MPI_COMM_WORLD */
    pfc__u32 asked;             /* see pfc__asked_before */
} pfc__post_t;

PFC__HOT pfc__moment_t pfc__post_moment(const pfc__post_t *p)
{
    pfc__moment_t m = { p->ct, p->lt, p->u, p->clock };
    return m;
}

typedef struct pfc__kept_post { struct pfc__kept_post *next; pfc__post_t post; } pfc__kept_post_t;

typedef struct pfc__stream {
    pfc__by_handle_t entry;
    pfc__u32 comm;
    int peer, tag;              /* peer: rank in the communicator */
    int world;                  /* the same in MPI_COMM_WORLD */
    pfc__u32 sent, posted;      /* messages to the peer; receives that name it, */
    pfc__u32 others;            /* and what others have got, as far as is known; */
    pfc__u32 mended;            /* when a message has told that: see pfc__mends */
    pfc__u32 waiting;           /* sends whose post is still to be looked up */
    int asked;                  /* the last message received here asked for its post: see pfc__stream_post */
    pfc__kept_post_t *posts;
} pfc__stream_t;

enum { PFC__STREAMS = 1 << 16, PFC__POST_TAG = 4, PFC__POST_PATIENCE = 64, PFC__POST_PAUSE = 1000, PFC__DRAIN_EVERY = 256 };

static pfc__handles_t pfc__streams;

static PFC__COLD pfc__stream_t *pfc__stream_new(pfc__u32 comm, int peer, int tag, pfc__uptr key)
{
    pfc__stream_t *s = pfc__streams.entries < PFC__STREAMS ? (pfc__stream_t *)calloc(1, sizeof *s) : 0;
    if (!s) return 0;
    s->comm = comm;
    s->peer = peer;
    s->tag = tag;
    s->world = comm == 1 ? peer : -1;
    pfc__handles_put(&pfc__streams, key, &s->entry);
    return s;
}

/* NULL: there are too many streams, or the communicator has no number. Under the lock. */
PFC__HOT pfc__stream_t *pfc__stream_of(pfc__u32 comm, int peer, int tag)
{
    pfc__uptr key = ((pfc__uptr)(pfc__u32)peer << 20 ^ (pfc__uptr)(pfc__u32)tag) * 31 + comm;
    pfc__stream_t *s = (pfc__stream_t *)(void *)*pfc__bucket(&pfc__streams, key);
    if (PFC__UNLIKELY(!comm)) return 0;
    while (s && (s->peer != peer || s->tag != tag || s->comm != comm)) s = (pfc__stream_t *)(void *)s->entry.next;
    return PFC__LIKELY(s != 0) ? s : pfc__stream_new(comm, peer, tag, key);
}

/* ---- sender */

static PFC__COLD void pfc__post_forget(pfc__stream_t *s, pfc__u32 k)
{
    pfc__kept_post_t **at = &s->posts;
    while (*at && (*at)->post.k != k) at = &(*at)->next;
    if (*at) {
        pfc__kept_post_t *p = *at;
        *at = p->next;
        free(p);
    }
}

/* Takes in what receivers have told. What belongs to a message that didn't wait is of no use. */
static PFC__COLD void pfc__posts_drain(void)
{
    int there = 1;
    while (!PMPI_Iprobe(MPI_ANY_SOURCE, PFC__POST_TAG, pfc__mpi.comm, &there, MPI_STATUS_IGNORE) && there) {
        pfc__post_t post;
        pfc__stream_t *s;
        pfc__kept_post_t *p;
        PMPI_Recv(&post, (int)sizeof post, MPI_BYTE, MPI_ANY_SOURCE, PFC__POST_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
        s = pfc__stream_of(post.comm, post.rank, post.tag);
        if (!s || (post.k <= s->sent && !s->waiting)) continue;
        p = (pfc__kept_post_t *)malloc(sizeof *p);
        if (!p) continue;
        p->post = post;
        p->next = s->posts;
        s->posts = p;
    }
}

/* Counts a message; `waits`: its post will be asked for. Returns its number, 0: not counted. */
PFC__HOT pfc__u32 pfc__stream_send(const pfc__comm_t *comm, int to, int tag, int waits, pfc__stream_t **stream)
{
    static unsigned sends;
    pfc__stream_t *s;
    pfc__u32 k = 0;
    pfc__mpi_lock();
    *stream = s = pfc__stream_of(comm->number, to, tag);
    if (s) {
        k = ++s->sent;
        if (waits) s->waiting++;
        else if (PFC__UNLIKELY(s->posts != 0)) pfc__post_forget(s, k);
    }
    if (PFC__UNLIKELY(++sends % PFC__DRAIN_EVERY == 0)) pfc__posts_drain();
    pfc__mpi_unlock();
    return k;
}

/* Message k waited, and nobody asks for its post any more. */
static PFC__COLD void pfc__post_unneeded(pfc__stream_t *s, pfc__u32 k)
{
    pfc__mpi_lock();
    pfc__post_forget(s, k);
    s->waiting--;
    pfc__mpi_unlock();
}

static PFC__QUIET int pfc__post_find(const pfc__stream_t *s, pfc__u32 k, pfc__post_t *post)
{
    const pfc__kept_post_t *p = s->posts;
    while (p && p->post.k != k) p = p->next;
    if (p) *post = p->post;
    return p != 0;
}

static PFC__QUIET void pfc__posts_owed(void);

/* The post that met message k; 0: not known. A receiver that told nothing at
   its post may have gone on without completing it. Longer patience could lock
   both up. */
static PFC__QUIET int pfc__post_of(pfc__stream_t *s, pfc__u32 k, pfc__post_t *post)
{
    int tries = 0, found = 0;
    while (!found && tries++ < PFC__POST_PATIENCE) {
        if (tries > 1) {
            pfc__posts_owed();
            pfc__pause(PFC__POST_PAUSE);
        }
        pfc__mpi_lock();
        pfc__posts_drain();
        found = pfc__post_find(s, k, post);
        pfc__mpi_unlock();
    }
    pfc__post_unneeded(s, k);
    if (!found && pfc__mpi.job) pfc__mpi.job->unacknowledged++;
    return found;
}

/* ---- receiver */

static PFC__QUIET void pfc__post_send(int world, const pfc__comm_t *comm, int tag, pfc__u32 k, pfc__moment_t m, pfc__u32 asked)
{
    pfc__post_t p;
    memset(&p, 0, sizeof p);
    p.ct = m.ct;
    p.lt = m.lt;
    p.u = pfc__saturated(m.u);
    p.clock = pfc__saturated(m.clock);
    p.comm = comm->number;
    p.k = k;
    p.rank = comm->rank;
    p.tag = tag;
    p.world = pfc__mpi.rank;
    p.asked = asked;
    pfc__mpi_lock();
    pfc__out_send(&p, sizeof p, world, PFC__POST_TAG);
    pfc__mpi_unlock();
}

/* -1: there is no such rank, as the library will say; or not in MPI_COMM_WORLD. */
static PFC__QUIET int pfc__world_rank(MPI_Comm comm, int rank)
{
    MPI_Group from, world;
    int result = -1, inter = 0, size = pfc__mpi.size;
    if (comm == MPI_COMM_WORLD) return rank >= 0 && rank < size ? rank : -1;
    if (PMPI_Comm_test_inter(comm, &inter) || (inter ? PMPI_Comm_remote_group(comm, &from) : PMPI_Comm_group(comm, &from))) return -1;
    PMPI_Group_size(from, &size);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank >= 0 && rank < size) PMPI_Group_translate_ranks(from, 1, &rank, world, &result);
    PMPI_Group_free(&world);
    PMPI_Group_free(&from);
    return result == MPI_UNDEFINED ? -1 : result;
}

/* The peer's rank in MPI_COMM_WORLD; -1: there is none, or it isn't known. Under the lock. */
static PFC__COLD int pfc__stream_world(pfc__stream_t *s, MPI_Comm comm)
{
    if (s->world < 0) s->world = pfc__world_rank(comm, s->peer);
    return s->world < pfc__mpi.size ? s->world : -1;
}

/* The source is told of post k, that it was at `at` (NULL: now, in that call). 0: its rank isn't known. */
static PFC__COLD int pfc__post_tell(pfc__stream_t *s, const pfc__comm_t *known, MPI_Comm comm, pfc__u32 k, pfc__call_t *c,
                                    const pfc__moment_t *at)
{
    int world = pfc__stream_world(s, comm);
    if (world < 0) return 0;
    pfc__post_send(world, known, s->tag, k, at ? *at : pfc__call_so_far(c), at ? 0 : pfc__asked_before(c));
    return 1;
}

/* Which one of its stream a post is. */
typedef struct pfc__numbered {
    pfc__u32 k;   /* of its message, as far as was known; 0: it isn't counted */
    pfc__u32 nth; /* of those that are; else of pfc__mends, when it was posted */
    int told;     /* the source knows of it */
} pfc__numbered_t;

static pfc__u32 pfc__mends; /* how often a message has put a stream's count right */

static PFC__QUIET pfc__numbered_t pfc__not_numbered(void)
{
    pfc__numbered_t none = { 0, 0, 0 };
    none.nth = __atomic_load_n(&pfc__mends, __ATOMIC_RELAXED);
    return none;
}

/* Counts a post that names its source and tag, and tells the source when it has room for a message that waits, or when the last
   one did though it was short (MPI_Ssend). The call (NULL: it tells nothing) and `at`: see pfc__post_tell. */
PFC__HOT pfc__numbered_t pfc__stream_post(const pfc__comm_t *known, MPI_Comm comm, int from, int tag, pfc__i64 room,
                                          pfc__call_t *c, const pfc__moment_t *at)
{
    pfc__numbered_t post = { 0, 0, 0 };
    pfc__stream_t *s;
    if (from == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) return pfc__not_numbered();
    pfc__mpi_lock();
    s = pfc__stream_of(known->number, from, tag);
    if (PFC__LIKELY(s != 0)) {
        post.nth = ++s->posted;
        post.k = post.nth + s->others;
        if (PFC__UNLIKELY(room > pfc__link.eager + PFC__PIGGY || (s->asked && c)))
            post.told = pfc__post_tell(s, known, comm, post.k, c, at);
    }
    pfc__mpi_unlock();
    return post;
}

/* The nth post's message is the kth, so that others have got k − nth. (What is under way is off alike: were each one's difference
   added, the count would be off ever more.) */
static PFC__QUIET void pfc__stream_mend(const pfc__comm_t *comm, int from, int tag, pfc__u32 nth, pfc__u32 k)
{
    pfc__stream_t *s;
    pfc__mpi_lock();
    s = pfc__stream_of(comm->number, from, tag);
    if (s) {
        s->others = k - nth;
        s->mended = pfc__mends + 1;
        __atomic_store_n(&pfc__mends, s->mended, __ATOMIC_RELAXED);
    }
    pfc__mpi_unlock();
}

/* One from anybody has got a message; `posted`: of pfc__mends, then. What a message has told since holds that already. */
static PFC__QUIET void pfc__stream_other(const pfc__comm_t *comm, int from, int tag, pfc__u32 posted)
{
    pfc__stream_t *s;
    pfc__mpi_lock();
    s = pfc__stream_of(comm->number, from, tag);
    if (s && s->mended <= posted) s->others++;
    pfc__mpi_unlock();
}

static PFC__QUIET void pfc__stream_asked(const pfc__comm_t *comm, int from, int tag, int asked)
{
    pfc__stream_t *s;
    pfc__mpi_lock();
    s = pfc__stream_of(comm->number, from, tag);
    if (s) s->asked = asked;
    pfc__mpi_unlock();
}

/* A receive has met a message. theirs: the message's number, 0: not told. */
static PFC__QUIET void pfc__stream_met(const pfc__comm_t *comm, int from, int tag, const pfc__numbered_t *post, pfc__u32 theirs)
{
    pfc__stream_asked(comm, from, tag, theirs != 0);
    if (!post->k) pfc__stream_other(comm, from, tag, post->nth);
    else if (theirs && post->k != theirs) pfc__stream_mend(comm, from, tag, post->nth, theirs);
}
