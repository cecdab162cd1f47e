/* ------------------------------------------------------- apart (MPI impl) ---
   Long data travel as they are, for a library takes another and slower way for
   a datatype of two parts (two copies between processes of one host instead of
   one: 1 MB both ways at once took from twice to eight times as long). So their
   piggyback goes ahead in a message of its own. Which kind it is, a message's
   length tells, but for a few lengths and pairs: what carries its piggyback and
   is as long as one without may be has such a message, too, which says so.

   Data of a GB and more carry it again, in a datatype of two parts: were they of a derived datatype, and had come to where
   shorter ones were expected, there might be no memory to move them.

   Of one sender, with one tag in one communicator, those messages come in the
   order of what they belong to.

   Who receives doesn't know how long a message will be. What is made for short
   ones has room in front for the piggyback, and what is made for long ones
   hasn't: a message of the other kind is moved to where it belongs. */

typedef struct pfc__apart {
    pfc__piggy_t piggy;
    pfc__i64 wire;      /* length of the message that it belongs to */
    pfc__u32 comm;
    int rank, tag;      /* the sender's, in the communicator */
    int bare;           /* 0: that one carries its piggyback itself */
    pfc__u32 number;    /* of the message, in its stream; 0: not counted */
} pfc__apart_t;

typedef struct pfc__kept_apart {
    struct pfc__kept_apart *next;
    struct pfc__request *receive; /* under way, which will get its message: see hold.c */
    int matched;                  /* MPI_Mprobe has it */
    pfc__u32 nth;                 /* from its sender: see bound.c */
    pfc__apart_t apart;
} pfc__kept_apart_t;

/* Of data in its message. */
static PFC__QUIET pfc__i64 pfc__apart_bytes(const pfc__apart_t *a) { return a->bare ? a->wire : a->wire - PFC__PIGGY; }

enum { PFC__APART_TAG = 6, PFC__UP_TAG = 7, PFC__APART_PATIENCE = 100000, PFC__APART_PAUSE = 1000 };

static pfc__kept_apart_t *pfc__aparts, **pfc__aparts_end = &pfc__aparts;
static pfc__i64 pfc__apart_takes; /* ns, to send one, as far as the last ones tell */

PFC__HOT int pfc__is_bare(pfc__i64 bytes) { return bytes > pfc__link.copied && bytes <= PFC__BARE_MOST; } /* but for pairs */
PFC__HOT int pfc__may_be_bare(pfc__i64 wire) { return wire > pfc__link.copied && wire <= PFC__BARE_MOST; }

/* Whether a message of so many bytes of data has one. */
PFC__HOT int pfc__is_told_apart(pfc__i64 bytes) { return bytes > pfc__link.copied - PFC__PIGGY && bytes <= PFC__BARE_MOST; }

/* From here on every piggyback goes apart. */
static PFC__COLD void pfc__aparts_all(void)
{
    pfc__link.copied = -1;
    memset(&pfc__link.piggy, 0, sizeof pfc__link.piggy);
    memset(pfc__sizes_met, 0, sizeof pfc__sizes_met);
}

/* The receiver's rank in MPI_COMM_WORLD. */
static PFC__QUIET int pfc__apart_to(const pfc__comm_t *in, MPI_Comm comm, int to, int tag)
{
    pfc__stream_t *s;
    int world;
    if (comm == MPI_COMM_WORLD) return pfc__world_rank(comm, to);
    pfc__mpi_lock();
    s = pfc__stream_of(in->number, to, tag);
    world = s ? pfc__stream_world(s, comm) : pfc__world_rank(comm, to);
    pfc__mpi_unlock();
    return world;
}

/* One that took `ns`: the next one will hardly take more than twice as long as the last ones; an interruption isn't theirs. */
static PFC__QUIET pfc__i64 pfc__apart_expects(pfc__i64 ns)
{
    return pfc__apart_takes > 0 ? pfc__min(ns, 2 * pfc__apart_takes) : ns;
}

/* Goes to the rank `world` ahead of a message of `bytes`, whose call has begun; that begins anew behind it. */
static PFC__QUIET void pfc__apart_tell(pfc__call_t *c, const pfc__comm_t *in, int world, int tag, pfc__i64 bytes, int bare,
                                       pfc__u32 number, pfc__u32 k)
{
    pfc__i64 tick = pfc__clock(), before = c->begin.ct;
    pfc__moment_t m = c->begin;
    pfc__apart_t a;
    memset(&a, 0, sizeof a);
    a.bare = bare;
    a.wire = bare ? bytes : bytes + PFC__PIGGY;
    a.comm = in->number;
    a.rank = in->rank;
    a.tag = tag;
    a.number = number;
    pfc__mpi_lock();
    m.ct += pfc__apart_takes;
    pfc__piggy_write(&a.piggy, m, k);
    if (PFC__UNLIKELY(pfc__bound.on) && world >= 0) pfc__bound_sends(world, m.lt);
    if (world >= 0) pfc__out_send(&a, sizeof a, world, PFC__APART_TAG);
    c->begin.ct = pfc__common_ns(pfc__charge_since(tick));
    pfc__apart_takes = pfc__apart_expects(c->begin.ct - before);
    pfc__mpi_unlock();
}

/* ---- receiver */

/* Whether a receive from `from` for this tag may get its message. */
static PFC__QUIET int pfc__apart_meets(const pfc__apart_t *a, pfc__u32 comm, int from, int tag)
{
    return a->comm == comm && (from == MPI_ANY_SOURCE || a->rank == from) && (tag == MPI_ANY_TAG || a->tag == tag);
}

/* Under the lock. */
static PFC__QUIET void pfc__aparts_drain(void)
{
    int there = 1;
    while (!PMPI_Iprobe(MPI_ANY_SOURCE, PFC__APART_TAG, pfc__mpi.comm, &there, MPI_STATUS_IGNORE) && there) {
        pfc__apart_t lost;
        pfc__kept_apart_t *kept = (pfc__kept_apart_t *)malloc(sizeof *kept);
        pfc__apart_t *a = kept ? &kept->apart : &lost;
        pfc__u32 nth = 0;
        PMPI_Recv(a, (int)sizeof *a, MPI_BYTE, MPI_ANY_SOURCE, PFC__APART_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
        if (PFC__UNLIKELY(pfc__bound.on)) nth = ++pfc__bound.place[a->piggy.rank].heard;
        if (!kept) continue;
        kept->nth = nth;
        kept->next = 0;
        kept->receive = 0;
        kept->matched = 0;
        *pfc__aparts_end = kept;
        pfc__aparts_end = &kept->next;
    }
}

/* To move data in. Without it they would stay wrong: the user's error handler is called. */
static PFC__COLD char *pfc__moving_room(MPI_Count bytes)
{
    char *room = (char *)calloc(1, (size_t)bytes);
    if (!room) PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
    return room;
}

/* What a receive has got, where it came to: `copy`, a span, or the user's buffer, of which `copy` has the beginning then. */
typedef struct pfc__landing {
    void *buffer;
    pfc__i64 room;
    pfc__copy_t *copy;
    pfc__span_t *span;
    int copied;
    const pfc__apart_t *apart; /* its piggyback; NULL: that must be found */
    const struct pfc__request *receive; /* that has got it; NULL: a call that waited */
    int matched;        /* MPI_Mprobe had it */
} pfc__landing_t;

/* The first bytes that came. */
static PFC__COLD pfc__piggy_t pfc__landed_front(const pfc__landing_t *l)
{
    pfc__piggy_t front;
    const void *first = l->copied ? (const void *)l->copy : l->buffer;
    char *packed = 0;
    int at = 0;
    memset(&front, 0, sizeof front);
    if (l->span && !l->span->prefix.held) return l->span->piggy;
    if (l->span) {
        first = packed = pfc__moving_room(l->span->prefix.bytes);
        if (!packed) return front;
        PMPI_Pack(l->buffer, 1, l->span->prefix.type, packed, l->span->prefix.bytes, &at, pfc__mpi.comm);
    }
    memcpy(&front, first, sizeof front);
    free(packed);
    return front;
}

/* Whether a message that came with those bytes is the one that carries this piggyback itself, told apart: all but its time
   is the same. */
static PFC__COLD int pfc__apart_is_carried(const pfc__piggy_t *told, pfc__piggy_t front)
{
    front.ct = told->ct;
    return !memcmp(&front, told, sizeof front);
}

/* As far as one knows, its message is for another receive under way, or another one has been matched. */
static PFC__QUIET int pfc__apart_is_others(const pfc__kept_apart_t *kept, const pfc__landing_t *l, const struct pfc__request *receive)
{
    return (kept->receive && kept->receive != receive) || (l && kept->matched != l->matched);
}

/* Of those that may belong to a message from there of `least` to `most` bytes the first; one that isn't another's than `receive`,
   if there is one, or with the number k. Where one tells of a message that carries its piggyback itself, it is that message only if
   `l` has got that. `open`: not one that MPI_Mprobe has. */
static PFC__QUIET pfc__kept_apart_t **pfc__apart_find(const pfc__landing_t *l, const pfc__comm_t *in, const MPI_Status *status,
                                                      pfc__i64 least, pfc__i64 most, pfc__u32 k, int open,
                                                      const struct pfc__request *receive)
{
    pfc__kept_apart_t **at, **first = 0;
    for (at = &pfc__aparts; *at; at = &(*at)->next) {
        const pfc__apart_t *a = &(*at)->apart;
        if (!pfc__apart_meets(a, in->number, status->MPI_SOURCE, status->MPI_TAG)) continue;
        if (a->wire < least || a->wire > most || (open && (*at)->matched)) continue;
        if (l && !a->bare) {
            if (pfc__apart_is_carried(&a->piggy, pfc__landed_front(l))) return at;
            continue;
        }
        if (first && pfc__apart_is_others(*first, l, receive) != pfc__apart_is_others(*at, l, receive)) {
            if (pfc__apart_is_others(*first, l, receive)) first = at;
            continue;
        }
        if (!first || (k && (*first)->apart.number && (*first)->apart.number != k && (!a->number || a->number == k))) first = at;
    }
    return first;
}

/* Of those that MPI_Mprobe has the one with that number. NULL: none is here. */
static PFC__COLD const pfc__kept_apart_t *pfc__apart_matched(pfc__u32 comm, int from, int tag, pfc__u32 k)
{
    const pfc__kept_apart_t *kept = pfc__aparts;
    while (kept && !(kept->matched && kept->apart.piggy.k == k && pfc__apart_meets(&kept->apart, comm, from, tag))) kept = kept->next;
    return kept;
}

/* It isn't needed any more. */
static PFC__QUIET void pfc__apart_take(pfc__kept_apart_t **at)
{
    pfc__kept_apart_t *kept = *at;
    *at = kept->next;
    if (!*at) pfc__aparts_end = at;
    free(kept);
}

static PFC__COLD void pfc__apart_remove(const pfc__kept_apart_t *kept)
{
    pfc__kept_apart_t **at = &pfc__aparts;
    while (*at != kept) at = &(*at)->next;
    pfc__apart_take(at);
}

static PFC__COLD void pfc__hold_claim(void);

/* What belongs to a message that has come, or was probed (`matches`: by MPI_Mprobe). 0: it didn't come. */
static PFC__QUIET int pfc__apart_look(const pfc__landing_t *l, const pfc__comm_t *in, const MPI_Status *status, pfc__i64 wire,
                                      pfc__u32 k, int matches, pfc__apart_t *apart)
{
    const struct pfc__request *receive = l ? l->receive : 0;
    int tries = 0, found = 0;
    while (!found && tries++ < PFC__APART_PATIENCE) {
        pfc__kept_apart_t **at;
        if (tries > 1) pfc__pause(PFC__APART_PAUSE);
        pfc__mpi_lock();
        if (PFC__UNLIKELY(pfc__bound.on)) {
            pfc__aparts_drain();
            pfc__hold_claim();
            k = 0; /* that knows more: what the library has given to one from anybody isn't counted yet */
        }
        at = pfc__apart_find(l, in, status, wire, wire, k, !l, receive);
        if (!at || ((*at)->apart.bare && wire <= pfc__link.copied + PFC__PIGGY)) { /* what is meant may have come since */
            pfc__aparts_drain();
            at = pfc__apart_find(l, in, status, wire, wire, k, !l, receive);
        }
        if (at) {
            *apart = (*at)->apart;
            found = 1;
            if (matches) (*at)->matched = 1;
            if (l) pfc__apart_take(at);
        }
        pfc__mpi_unlock();
    }
    if (!found && pfc__mpi.job) pfc__mpi.job->unacknowledged++;
    return found;
}

/* A message of `wire` bytes has come: whether it is bare. Its piggyback then; of an unknown sender, if that didn't come. */
static PFC__QUIET int pfc__came_bare(const pfc__landing_t *l, const pfc__comm_t *in, const MPI_Status *status, pfc__i64 wire,
                                     pfc__u32 k, pfc__piggy_t *piggy)
{
    pfc__apart_t a;
    if (!pfc__may_be_bare(wire)) return 0;
    memset(piggy, 0, sizeof *piggy);
    piggy->rank = (pfc__u32)PFC__ANY_PEER;
    if (PFC__UNLIKELY(l->apart != 0)) a = *l->apart;
    else if (!pfc__apart_look(l, in, status, wire, k, 0, &a)) return 1;
    *piggy = a.piggy;
    return a.bare;
}

/* A message was too long for a receive of `posted` bytes, and has gone. How long it was, MPICH doesn't tell: it is taken for the
   first that may be meant. If it had none, a later one loses its own, whose sender is unknown then. */
static PFC__COLD void pfc__apart_drop(const pfc__comm_t *in, const MPI_Status *status, pfc__i64 posted,
                                      const struct pfc__request *receive)
{
    pfc__kept_apart_t **at;
    pfc__mpi_lock();
    pfc__aparts_drain();
    at = pfc__apart_find(0, in, status, posted + 1, PFC__BARE_MOST, 0, 0, receive);
    if (at) pfc__apart_take(at);
    pfc__mpi_unlock();
}

/* ---- a message of the other kind than its receive was made for */

/* It carries a piggyback; `before`: of what the user's buffer held, the first `held` bytes. What is behind longer data isn't mended. */
static PFC__QUIET void pfc__data_down(char *buffer, const char *before, pfc__i64 held, pfc__i64 wire, pfc__piggy_t *piggy)
{
    memcpy(piggy, buffer, PFC__PIGGY);
    memmove(buffer, buffer + PFC__PIGGY, (size_t)(wire - PFC__PIGGY));
    if (wire <= held) memcpy(buffer + wire - PFC__PIGGY, before + wire - PFC__PIGGY, PFC__PIGGY);
}

/* The same in a receive of `count` elements of a derived type with `room` bytes. (Data longer than what is held: pairs.) */
static PFC__COLD void pfc__prefix_data_down(const pfc__prefix_t *p, void *buffer, int count, pfc__i64 room, pfc__i64 wire, pfc__piggy_t *piggy)
{
    int is_held = wire <= p->bytes, bytes = is_held ? p->bytes : (int)room, at = 0;
    MPI_Datatype type = is_held ? p->type : p->whole;
    char *now = pfc__moving_room(bytes);
    if (!now) return;
    if (is_held) count = 1;
    PMPI_Pack(buffer, count, type, now, bytes, &at, pfc__mpi.comm);
    pfc__data_down(now, p->held, p->bytes, wire, piggy);
    at = 0;
    PMPI_Unpack(now, bytes, &at, buffer, count, type, pfc__mpi.comm);
    free(now);
}

/* It is bare, and its first bytes are in the piggyback of a span over data without gaps. */
static PFC__QUIET void pfc__plain_data_up(pfc__span_t *span, pfc__i64 wire)
{
    char *buffer = (char *)(pfc__uptr)span->buffer;
    memmove(buffer + PFC__PIGGY, buffer, (size_t)(wire - PFC__PIGGY));
    memcpy(buffer, &span->piggy, PFC__PIGGY);
}

/* So many bytes, which may be more than an int can tell; committed. */
static PFC__QUIET MPI_Datatype pfc__bytes_type(MPI_Count bytes)
{
    int lengths[2];
    MPI_Aint places[2];
    MPI_Datatype types[2], result;
    lengths[0] = (int)(bytes / PFC__BARE_MOST);
    lengths[1] = (int)(bytes % PFC__BARE_MOST);
    places[0] = 0;
    places[1] = (MPI_Aint)(bytes - lengths[1]);
    PMPI_Type_contiguous(PFC__BARE_MOST, MPI_BYTE, &types[0]);
    types[1] = MPI_BYTE;
    PMPI_Type_create_struct(2, lengths, places, types, &result);
    PMPI_Type_commit(&result);
    PMPI_Type_free(&types[0]);
    return result;
}

/* Under the lock: another thread's message to itself looks the same. */
static PFC__QUIET void pfc__to_oneself(const void *from, int count, MPI_Datatype type_from, void *to, MPI_Datatype type_to)
{
    MPI_Request request;
    PMPI_Irecv(to, 1, type_to, pfc__mpi.rank, PFC__UP_TAG, pfc__mpi.comm, &request);
    PMPI_Send(from, count, type_from, pfc__mpi.rank, PFC__UP_TAG, pfc__mpi.comm);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The same in any span: as much as there is room for in front of all is put there instead. (The user's own datatype may be
   freed by now.) */
static PFC__QUIET void pfc__data_up(pfc__span_t *span, pfc__i64 wire)
{
    MPI_Count room = 0;
    MPI_Datatype bytes;
    char *data;
    if (span->plain) {
        pfc__plain_data_up(span, wire);
        return;
    }
    PMPI_Type_size_x(span->type, &room);
    data = pfc__moving_room(PFC__PIGGY + room);
    if (!data) return;
    bytes = pfc__bytes_type(room);
    pfc__mpi_lock();
    pfc__to_oneself(&span->piggy, 1, span->type, data + PFC__PIGGY, bytes);
    pfc__to_oneself(data, (int)(PFC__PIGGY + wire), MPI_BYTE, &span->piggy, span->type);
    pfc__mpi_unlock();
    PMPI_Type_free(&bytes);
    free(data);
}
