/* -------------------------------------------------------- held (MPI impl) ---
   Nonblocking receives where messages are held back (hold.c).

   One from anybody isn't given to the library, which would take what comes
   first. The user gets the request of a message from this rank to itself; once
   it is decided which message it would have got, that is received, and the one
   to itself is sent. So is one from a single rank that another, open one from
   anybody might be before; and persistent ones, of which it isn't known yet.
   What would wait for others inside of the library is a danger: a rank that
   sends to us may wait for our receive. There they are given to it as they are. */

enum { PFC__HELD_TAG = 64, PFC__HELD_TAGS = 16384 };

static int pfc__held_open; /* receives of ours whose message hasn't been received */

static PFC__COLD int pfc__held_overlap(const pfc__request_t *a, pfc__u32 comm, int from, int tag)
{
    return a->comm.number == comm && (a->peer == from || a->peer == MPI_ANY_SOURCE || from == MPI_ANY_SOURCE) &&
           (a->tag == tag || a->tag == MPI_ANY_TAG || tag == MPI_ANY_TAG);
}

/* Whether one that began before `next` (NULL: any) is open, and may be meant by the same message. */
static PFC__COLD int pfc__held_before(const pfc__request_t *next, pfc__u32 comm, int from, int tag)
{
    const pfc__request_t *r;
    for (r = pfc__posted.next; r && r != &pfc__posted && r != next; r = r->next)
        if (r->held == PFC__HELD_OPEN && pfc__held_overlap(r, comm, from, tag)) return 1;
    return 0;
}

/* Whether the library may have given that message to one from anybody, of which it isn't known before it is complete what it has got. */
static PFC__COLD int pfc__held_may_have(const pfc__apart_t *a)
{
    const pfc__request_t *r;
    for (r = pfc__posted.next; r && r != &pfc__posted; r = r->next)
        if (r->held == PFC__HELD_RELEASED && r->peer == MPI_ANY_SOURCE && pfc__held_overlap(r, a->comm, a->rank, a->tag)) return 1;
    return 0;
}

/* Whether the first message that a receive could have may be meant for another one. What isn't here may never come: one that waits
   for it is in nobody's way. */
static PFC__COLD int pfc__held_contested(const pfc__request_t *next, const pfc__kept_apart_t *first)
{
    const pfc__apart_t *a = first ? &first->apart : 0;
    if (!a || !(pfc__held_before(next, a->comm, a->rank, a->tag) || pfc__held_may_have(a))) return 0;
    pfc__bound.fresh = 0; /* until that is decided it is looked again each time */
    return 1;
}

/* ---- a receive begins, and ends */

static PFC__COLD int pfc__held_keeps(const pfc__request_t *r)
{
    return r->peer == MPI_ANY_SOURCE || r->persistent || pfc__held_before(0, r->comm.number, r->peer, r->tag);
}

/* For its message to ourselves, which no other receive of ours is to get, however long that has been open. (Where all are taken, or
   there is no memory, it is any: looking through so many receives takes for ever anyway.) */
static PFC__COLD int pfc__held_take_tag(const pfc__request_t *r)
{
    static const pfc__request_t **last; /* that had it */
    static unsigned next;
    int tries, n = 0;
    if (!last) last = (const pfc__request_t **)calloc(PFC__HELD_TAGS, sizeof *last);
    for (tries = 0; tries < PFC__HELD_TAGS; tries++) {
        const pfc__request_t *had;
        n = (int)(next++ % PFC__HELD_TAGS);
        had = last ? last[n] : 0;
        if (!had || had->held_tag != PFC__HELD_TAG + n || had->held == PFC__NOT_HELD || !(had->active || had->persistent)) break;
    }
    if (last) last[n] = r;
    return PFC__HELD_TAG + n;
}

/* Gives it to the library, or keeps it. */
static PFC__QUIET int pfc__irecv_start(pfc__irecv_t *irecv, pfc__request_t *r, MPI_Request *request)
{
    int error;
    if (PFC__LIKELY(!pfc__bound.on) || !pfc__held_keeps(r))
        return irecv(pfc__request_buffer(r), pfc__request_count(r), pfc__request_type(r), r->peer, r->tag, r->in, request);
    r->held_tag = pfc__held_take_tag(r);
    error = irecv(0, 0, MPI_BYTE, pfc__mpi.rank, r->held_tag, pfc__mpi.comm, request);
    if (error) return error;
    r->held = r->persistent ? PFC__HELD_IDLE : PFC__HELD_OPEN;
    r->held_since = 0;
    pfc__held_open += !r->persistent;
    return error;
}

/* It has what it gets. */
static PFC__COLD void pfc__held_ends(pfc__request_t *r, int error)
{
    r->held = PFC__HELD_GIVEN;
    r->held_error = error;
    pfc__held_open--;
    /* In virtual time it takes some: until it has come, the library has nothing complete but others, whose all our waiting would be then. */
    (PFC__ONE_PROGRAM ? PMPI_Ssend : PMPI_Send)(0, 0, MPI_BYTE, pfc__mpi.rank, r->held_tag, pfc__mpi.comm);
}

static PFC__COLD void pfc__held_give(pfc__request_t *r, pfc__kept_apart_t *kept)
{
    const pfc__apart_t *a = &r->held_apart;
    MPI_Errhandler users;
    int error;
    r->held_arrival = pfc__hold_arrival(kept, r->begin);
    r->held_apart = kept->apart; /* no other receive is to find it */
    r->held_ours = 1;
    pfc__apart_remove(kept);
    pfc__stream_other(&r->comm, a->rank, a->tag, UINT32_MAX);
    if (a->piggy.k) pfc__post_send((int)a->piggy.rank, &r->comm, a->tag, a->piggy.k, pfc__hold_post(r->begin), 0); /* its sender is about to ask */
    r->number.told = r->met = 1;
    pfc__bound_gets(a->piggy.rank);
    pfc__order.told->held += r->peer == MPI_ANY_SOURCE;
    users = pfc__errors_quiet(r->in); /* the call that completes it tells */
    error = PMPI_Recv(pfc__request_buffer(r), pfc__request_count(r), pfc__request_type(r), a->rank, a->tag, r->in, &r->held_status);
    pfc__errors_again(r->in, users);
    pfc__held_ends(r, error);
}

/* Whether we have received its message. What the library has counts only when it is complete. */
static PFC__QUIET int pfc__held_is_ours(const pfc__request_t *r) { return r->held == PFC__HELD_GIVEN && r->held_ours; }

/* The library has it from here on: behind those that it had before. */
static PFC__COLD void pfc__held_release(pfc__request_t *r)
{
    const pfc__moment_t post = pfc__hold_post(r->begin);
    pfc__posted_remove(r);
    pfc__posted_add(r);
    r->number = pfc__stream_post(&r->comm, r->in, r->peer, r->tag, r->bytes, 0, &post);
    if (r->peer == MPI_ANY_SOURCE) pfc__order.told->undecided++;
    PMPI_Irecv(pfc__request_buffer(r), pfc__request_count(r), pfc__request_type(r), r->peer, r->tag, r->in, &r->real);
    r->held = PFC__HELD_RELEASED;
}

static PFC__COLD void pfc__held_release_all(void)
{
    pfc__request_t *r, *next;
    for (r = pfc__posted.next; pfc__held_open && r && r != &pfc__posted; r = next) {
        next = r->next;
        if (r->held == PFC__HELD_OPEN) pfc__held_release(r);
    }
}

/* Persistent ones have started. */
static PFC__COLD void pfc__held_started(pfc__request_t *r)
{
    r->held = PFC__HELD_OPEN;
    r->held_since = 0;
    pfc__held_open++;
    if (r->peer != MPI_ANY_SOURCE && !pfc__held_before(r, r->comm.number, r->peer, r->tag)) pfc__held_release(r);
}

/* The user has freed the request of an active one: it ends as it is. */
static PFC__COLD MPI_Request pfc__held_freed(pfc__request_t *r, MPI_Request own)
{
    if (r->held == PFC__HELD_OPEN) pfc__held_release(r);
    if (r->held != PFC__HELD_RELEASED) return own;
    PMPI_Cancel(&own);
    if (r->persistent) PMPI_Request_free(&own);
    else PMPI_Wait(&own, MPI_STATUS_IGNORE);
    r->held = PFC__NOT_HELD;
    r->persistent = 0;
    pfc__held_open--;
    return r->real;
}

/* The user cancels it, or it is taken back. 0: it has its message. */
static PFC__COLD int pfc__held_cancel(pfc__request_t *r)
{
    int cancelled = 1;
    if (r->held == PFC__HELD_RELEASED) {
        PMPI_Cancel(&r->real);
        PMPI_Wait(&r->real, &r->held_status);
        PMPI_Test_cancelled(&r->held_status, &cancelled);
        r->held_ours = 0;
        if (!cancelled) pfc__held_ends(r, MPI_SUCCESS);
    } else cancelled = r->held == PFC__HELD_OPEN;
    if (!cancelled) return 0;
    r->held = PFC__HELD_IDLE;
    pfc__held_open--;
    return 1;
}

/* Of a completed one: the status of its own message instead of ours. Returns its error. */
static PFC__QUIET int pfc__held_status(pfc__request_t *r, MPI_Status *status, int error)
{
    int own = status->MPI_ERROR;
    if (r->held != PFC__HELD_GIVEN) return error;
    *status = r->held_status;
    status->MPI_ERROR = own;
    return r->held_error;
}

/* ---- decided */

/* The library has it. 0: it isn't complete. */
static PFC__COLD int pfc__held_released_is_done(pfc__request_t *r, int *error)
{
    const MPI_Comm comm = pfc__errors_of(r);
    MPI_Errhandler users = pfc__errors_quiet(comm);
    int done = 0;
    *error = PMPI_Test(&r->real, &done, &r->held_status);
    pfc__errors_again(comm, users);
    return done || *error;
}

/* Of a released one: whether the library has completed it, which is told then. */
static PFC__COLD int pfc__held_completes(pfc__request_t *r)
{
    int error;
    if (!pfc__held_released_is_done(r, &error)) return 0;
    r->held_ours = 0;
    pfc__held_ends(r, error);
    pfc__hold_look(); /* its piggyback may have come since */
    r->held_arrival = pfc__hold_known(r) ? pfc__hold_arrival(pfc__hold_known(r), r->begin) : r->begin;
    return 1;
}

static int pfc__held_stuck; /* has been told: */

/* The limit is reached, and its message can't be received: its sender has announced it, and was stopped before it sent it; or we are
   wrong about what comes next, and the program hangs. Without a word nobody would know why. */
static PFC__COLD void pfc__held_tell_stuck(const pfc__kept_apart_t *first)
{
    if (pfc__held_stuck++) return;
    pfc__note("rank %d: a message of rank %u with tag %d was announced %.3g s ago, and can't be received yet: if the program hangs here, "
              "run it without PERFCOMP_MPI_ORDER=hold", pfc__mpi.rank, first->apart.piggy.rank, first->apart.tag, (double)pfc__order.hold / 1e9);
}

/* Gives it what it is to get. 0: that can't be given yet. */
static PFC__COLD int pfc__held_decide(pfc__request_t *r)
{
    pfc__kept_apart_t *first;
    pfc__i64 misses = 0, lt;
    int late;
    if (r->held == PFC__HELD_RELEASED) return pfc__held_completes(r);
    if (r->held != PFC__HELD_OPEN) return 0;
    first = pfc__hold_first(r->comm.number, r->peer, r->tag);
    if (!first || !r->held_since) r->held_since = first ? pfc__clock() : 0;
    if (!first || pfc__held_contested(r, first)) return 0;
    pfc__bound.fresh = 0; /* until that is decided it is looked again each time: its sender may wait for it */
    lt = pfc__hold_meets(first);
    if (r->peer == MPI_ANY_SOURCE) misses = pfc__bound_misses(lt, -1, (int)first->apart.piggy.rank);
    PFC__TELL(pfc__bound.at->held, pfc__min(pfc__bound.at->held, lt));
    late = pfc__hold_is_late(r->held_since);
    if (misses && !late) return 0;
    if (!pfc__hold_is_next(first, r->tag, r->in)) {
        if (late) pfc__held_tell_stuck(first);
        return 0;
    }
    if (misses) pfc__hold_cut();
    pfc__held_give(r, first);
    return 1;
}

static PFC__COLD void pfc__held_progress(void)
{
    pfc__request_t *r;
    int given;
    do {
        pfc__hold_look();
        PFC__TELL(pfc__bound.at->held, pfc__bound.may_leave);
        given = 0;
        for (r = pfc__posted.next; pfc__held_open && r && r != &pfc__posted && !given; r = r->next) given = pfc__held_decide(r);
    } while (given);
}

/* Until a message is there that isn't for those: the library isn't to wait for it as long as they are open. `world`: whose, if that
   is known. */
static PFC__COLD void pfc__held_until(pfc__u32 number, int from, int tag, MPI_Comm comm, int world)
{
    while (pfc__held_open) {
        int there;
        pfc__held_progress();
        pfc__bound_waits_for(world); /* for one more than those have got */
        there = pfc__hold_is_there(from, tag, comm);
        pfc__hold_look();
        if (there && !pfc__held_contested(0, pfc__hold_first(number, from, tag))) break;
        pfc__hold_wait(1);
    }
}
