/* ---------------------------------------------------- requests (MPI impl) ---
   What we must remember from the start of a nonblocking call to its end, by
   the handle of the library's own request, which is what the user gets. */

enum pfc__request_kind { PFC__UNUSED, PFC__SENDING = 1, PFC__RECEIVING = 2, PFC__COLLECTING = 3, PFC__PARTS_SENDING = 4, PFC__PARTS_RECEIVING = 5 };

/* Receives whose message is held back: not ours; not started; has no message; given to the library; has its message. */
enum pfc__hold_state { PFC__NOT_HELD, PFC__HELD_IDLE, PFC__HELD_OPEN, PFC__HELD_RELEASED, PFC__HELD_GIVEN };

/* A collective may end before the last rank comes, … */
enum pfc__may_part {
    PFC__MAY_LEAVE = 1,    /* and waited for none then; */
    PFC__MAY_LET_GO = 2,   /* the last one needn't have waited for anybody either; */
    PFC__MAY_NEED_SOME = 3 /* and waited for some; in any case it may wait for some only */
};

typedef struct pfc__request {
    pfc__by_handle_t entry;               /* must be first */
    struct pfc__request *beside;      /* overlong persistent send: the message of a start */
    struct pfc__request *next, *previous; /* list of active receives; `next`: of unused records too */
    enum pfc__request_kind kind;
    int persistent, active;
    int taken;                        /* by a call that completes or frees it: its handle may be another's already, who doesn't find it */
    MPI_Request handle;
    pfc__u64 age;                     /* it was the age-th to get a handle */
    MPI_Comm in;                      /* the user's communicator */
    pfc__moment_t begin;              /* send: its begin; receive: its post; collective: its begin */
    pfc__i64 bytes;                   /* of a send, or that a receive has room for */
    pfc__i64 got;                     /* of a completed receive; less than 0: nothing that a rule could use */
    void *data;                       /* the user's, when copied */
    int packed;                       /* not 0: so many `of` are to be packed */
    MPI_Datatype of;
    pfc__copy_t *copy;                /* not NULL: piggyback and data; kept for the next use */
    size_t copy_room;
    int copied;                       /* `copy` is in use */
    pfc__span_t *span;                /* otherwise; NULL: the user's buffer, of which a receive's copy has the beginning. It may
                                         also be of the user's buffer as it is */
    int count;                        /* the user's then, of type `of` */
    pfc__piggy_t piggy;               /* where it is neither in the copy nor in the span */
    int apart, settled;               /* it is there; a receive's data are where the user wants them */
    pfc__comm_t comm;                 /* a copy: the user may free the communicator before the request ends */
    int peer, tag;                    /* as the user gave them */
    int world;                        /* of a long send: the receiver's rank in MPI_COMM_WORLD */
    int waits;                        /* send: depends on its receiver's post */
    int overlong;                     /* send: see pfc__overlong; ours to buffer */
    pfc__stream_t *stream;            /* send that waits: where the post will be found */
    pfc__u32 k;                       /* number of the message whose post is to be found; 0: none is */
    pfc__numbered_t number;           /* receive: of its post; send: its k is that of any message */
    pfc__u32 asked;                   /* receive: see pfc__asked_before */
    int met;                          /* it has been counted as met */
    pfc__partner_t *partner;          /* not NULL: that is to know when this rank is back: see away */
    pfc__partner_t **circle;          /* collective: who may hand on to this rank, and gets from it (handed_on); kept for the next use */
    int circled, circle_on;           /* so many; and they are to know when this rank is back */
    int circle_whole;                 /* they are all others, so that no absence is unknown */
    MPI_Request exchange;             /* collective: of all ranks' moments */
    int exchanging;                   /* it has begun, and wasn't waited for */
    pfc__latest_t mine, latest;       /* collective; `mine`: partitioned send, of its ready parts, too */
    pfc__latest_t *from;              /* collective: of the in-neighbours */
    int neighbours;
    int rule;                         /* collective: enum pfc__mpi_rule */
    int depends;                      /* collective: this rank waits for others */
    int put_off;                      /* Waitall takes it with the last of its requests */
    int may_part;                     /* collective: enum pfc__may_part */
    int in_turn;                      /* collective: of a file's; of several, MPICH's ROMIO works on one that is asked for, by
                                         collective calls of its own: all ranks must ask for them in the same order */
    pfc__i64 traced;                  /* collective: its number in the trace; 0: it has none */
    pfc__meets_t *meets;              /* persistent collective: what it says there at each start; NULL: nothing */
    pfc__making_t making;             /* collective: Comm_idup */
    int parts, ready;                 /* partitioned send */
    enum pfc__mpi_wait wait_kind;
    enum pfc__hold_state held;        /* receive: see held.c */
    int held_tag, held_error;         /* of its message to ourselves; of its own, when that has been received, */
    MPI_Status held_status;           /* with its status, */
    pfc__moment_t held_arrival;       /* and when it would have come; */
    int held_ours;                    /* we have received it, not the library after all: */
    pfc__apart_t held_apart;          /* by this piggyback */
    pfc__i64 held_since;              /* tick: its message is there, and not decided; or 0 */
    MPI_Request real;                 /* the library's, after all */
} pfc__request_t;

static pfc__handles_t pfc__requests;
static pfc__u64 pfc__requests_kept; /* so far */
static int pfc__requests_in_turn;   /* there have been such, */
static int pfc__requests_collect;   /* and collectives at all */
static pfc__request_t *pfc__requests_unused;
static pfc__request_t pfc__posted; /* ring of active receives; its own `next` and `previous` are the ends */

PFC__HOT int pfc__request_sends(const pfc__request_t *r) { return r->kind == PFC__SENDING || r->kind == PFC__PARTS_SENDING; }

/* On another rank: a short message's sender doesn't. */
PFC__HOT int pfc__request_depends(const pfc__request_t *r) { return !pfc__request_sends(r) || r->k; }
PFC__HOT int pfc__request_receives(const pfc__request_t *r) { return r->kind == PFC__RECEIVING || r->kind == PFC__PARTS_RECEIVING; }

PFC__HOT pfc__piggy_t *pfc__request_piggy(pfc__request_t *r)
{
    return PFC__UNLIKELY(r->apart) ? &r->piggy : r->copied ? &r->copy->piggy : &r->span->piggy;
}

PFC__HOT int pfc__request_is_bare(const pfc__request_t *r) { return !r->copied && (!r->span || r->span->prefix.held); }

/* The other ranks wait for this one's part in a collective's exchange, also where there is no memory for its record. */
enum { PFC__REQUESTS_RESERVED = 16 };
static pfc__request_t pfc__requests_reserved[PFC__REQUESTS_RESERVED];

PFC__HOT int pfc__request_is_reserved(const pfc__request_t *r)
{
    return r >= pfc__requests_reserved && r < pfc__requests_reserved + PFC__REQUESTS_RESERVED;
}

static PFC__QUIET pfc__request_t *pfc__request_reserved(void)
{
    pfc__request_t *r = pfc__requests_reserved;
    pfc__mpi_lock();
    while (pfc__request_is_reserved(r) && r->kind != PFC__UNUSED) r++;
    if (!pfc__request_is_reserved(r)) r = 0;
    else r->kind = PFC__COLLECTING;
    pfc__mpi_unlock();
    return r;
}

static PFC__QUIET void pfc__request_reset(pfc__request_t *r, enum pfc__request_kind kind)
{
    r->kind = kind;
    r->persistent = r->exchanging = r->active = r->taken = r->copied = r->met = r->waits = r->overlong = r->packed = r->apart = r->settled = r->put_off = 0;
    r->held = PFC__NOT_HELD;
    r->beside = 0;
    r->partner = 0;
    r->circled = r->circle_on = r->circle_whole = 0;
    r->traced = 0;
    r->asked = 0;
    r->meets = 0;
    r->stream = 0;
    r->k = 0;
    r->number = pfc__not_numbered();
    r->exchange = MPI_REQUEST_NULL;
    r->wait_kind = pfc__request_sends(r) ? PFC__LATE_RECEIVER : PFC__LATE_SENDER;
    r->next = r->previous = 0;
}

static PFC__QUIET pfc__request_t *pfc__request_new(enum pfc__request_kind kind)
{
    pfc__request_t *r;
    pfc__mpi_lock();
    r = pfc__requests_unused;
    if (r) pfc__requests_unused = r->next;
    pfc__mpi_unlock();
    if (!r) r = (pfc__request_t *)calloc(1, sizeof *r);
    if (!r && kind == PFC__COLLECTING) r = pfc__request_reserved();
    if (r) pfc__request_reset(r, kind);
    return r;
}

/* Only what was linked into the ring of posted receives is taken out of it. */
static PFC__QUIET void pfc__posted_remove(pfc__request_t *r)
{
    if (!r->previous) return;
    r->previous->next = r->next;
    r->next->previous = r->previous;
    r->next = r->previous = 0;
}

static PFC__QUIET void pfc__posted_add(pfc__request_t *r)
{
    if (!pfc__posted.next) pfc__posted.next = pfc__posted.previous = &pfc__posted;
    r->next = &pfc__posted;
    r->previous = pfc__posted.previous;
    r->previous->next = r;
    pfc__posted.previous = r;
}

static PFC__QUIET void pfc__circle_turn(pfc__request_t *r, int on); /* see handed_on */

static PFC__QUIET void pfc__request_drop(pfc__request_t *r)
{
    if (r->beside) pfc__request_drop(r->beside);
    r->beside = 0;
    if (r->kind == PFC__SENDING && r->active && r->k) pfc__post_unneeded(r->stream, r->k); /* refused, or freed by the user */
    if (r->span) pfc__span_give(r->span);
    r->span = 0;
    r->copied = 0;
    pfc__partner_ends(&r->partner);
    pfc__circle_turn(r, 0);
    if (r->packed && r->persistent) PMPI_Type_free(&r->of);
    free(r->from);
    r->from = 0;
    free(r->meets);
    r->meets = 0;
    if (r->persistent && r->exchange != MPI_REQUEST_NULL) PMPI_Request_free(&r->exchange);
    pfc__mpi_lock();
    pfc__posted_remove(r);
    if (pfc__request_is_reserved(r)) r->kind = PFC__UNUSED;
    else {
        r->next = pfc__requests_unused;
        pfc__requests_unused = r;
    }
    pfc__mpi_unlock();
}

/* Requests that end when they end: buffered, freed by the user while they were
   active, or exchanges that only others need. */
static pfc__request_t *pfc__left_alone;

static PFC__QUIET void pfc__request_leave(pfc__request_t *r, MPI_Request handle)
{
    r->handle = handle;
    pfc__mpi_lock();
    if (r->kind == PFC__RECEIVING) __atomic_fetch_add(&pfc__mpi.left_receives, 1, __ATOMIC_RELAXED);
    r->next = pfc__left_alone;
    pfc__left_alone = r;
    pfc__mpi_unlock();
}

/* No user asks for it any more. */
static PFC__QUIET void pfc__request_end(pfc__request_t *r)
{
    if (!r->exchanging) {
        pfc__request_drop(r);
        return;
    }
    pfc__left_alone_sweep(0);
    pfc__request_leave(r, r->exchange);
    r->exchange = MPI_REQUEST_NULL;
    r->exchanging = 0;
}

/* Memory for a piggyback and so much data, or for the beginning of a buffer. */
static PFC__QUIET int pfc__request_memory(pfc__request_t *r, pfc__i64 bytes)
{
    size_t room = PFC__PIGGY + (size_t)pfc__max(bytes, PFC__COPY_MAX + PFC__PIGGY);
    if (r->copy && r->copy_room < room) {
        free(r->copy);
        r->copy = 0;
    }
    if (!r->copy) {
        r->copy = (pfc__copy_t *)malloc(room);
        r->copy_room = room;
    }
    return r->copy != 0;
}

static PFC__QUIET int pfc__request_copies(pfc__request_t *r) { return r->copied = pfc__request_memory(r, r->bytes); }

/* The library has given `handle` to it. */
static PFC__QUIET void pfc__request_keep(pfc__request_t *r, MPI_Request handle)
{
    r->handle = handle;
    pfc__mpi_lock();
    r->age = ++pfc__requests_kept;
    pfc__handles_put(&pfc__requests, PFC__KEY(handle), &r->entry);
    if (r->kind == PFC__RECEIVING && r->active) pfc__posted_add(r);
    pfc__mpi_unlock();
}

PFC__HOT int pfc__request_is_found(const pfc__request_t *r, pfc__u64 kept) { return !r->taken && r->age <= kept; }

/* Whose handle it was when `kept` requests had got theirs: since then the library may have completed that one, and given the handle
   to one that was begun amid the call, by a function of the user's. */
static PFC__QUIET pfc__request_t *pfc__request_then(MPI_Request handle, pfc__u64 kept)
{
    pfc__by_handle_t *e;
    if (handle == MPI_REQUEST_NULL) return 0;
    pfc__mpi_lock();
    e = pfc__handles_find(&pfc__requests, PFC__KEY(handle));
    while (e && (e->key != PFC__KEY(handle) || !pfc__request_is_found((pfc__request_t *)(void *)e, kept))) e = e->next;
    pfc__mpi_unlock();
    return (pfc__request_t *)(void *)e;
}

static PFC__QUIET pfc__request_t *pfc__request_of(MPI_Request handle) { return pfc__request_then(handle, UINT64_MAX); }

/* MPICH gives one handle to all sends that are complete at once, those of other threads too. NULL: it may be such a one's record,
   which another thread may drop at any time. */
static PFC__QUIET pfc__request_t *pfc__request_unshared(MPI_Request handle)
{
    pfc__request_t *r;
    pfc__mpi_lock();
    r = pfc__request_of(handle);
    if (r && r->kind == PFC__SENDING && !r->persistent) r = 0;
    pfc__mpi_unlock();
    return r;
}

/* Out of the table: it is complete, or freed. */
static PFC__QUIET void pfc__request_unkeep(pfc__request_t *r)
{
    pfc__mpi_lock();
    pfc__handles_remove(&pfc__requests, &r->entry);
    pfc__mpi_unlock();
}

/* For nobody else from here on, or, `taken` 0, as before. */
static PFC__QUIET void pfc__request_take(pfc__request_t *r, int taken)
{
    pfc__mpi_lock();
    r->taken = taken;
    pfc__mpi_unlock();
}

/* A claimed one has ended; a persistent one stays, for its next start. */
static PFC__QUIET void pfc__request_done(pfc__request_t *r)
{
    r->active = 0;
    pfc__partner_ends(&r->partner);
    pfc__circle_turn(r, 0);
    if (r->persistent) {
        pfc__mpi_lock();
        pfc__posted_remove(r);
        pfc__mpi_unlock();
        return;
    }
    pfc__request_end(r);
}

/* ---- generalized requests: the program completes them itself, and nobody tells when that would have been */

static pfc__handles_t pfc__generalized;
static int pfc__generalized_open; /* how many */

#ifndef PERFCOMP_SMPI
int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free_it,
                       MPI_Grequest_cancel_function *cancel, void *extra, MPI_Request *request)
{
    pfc__by_handle_t *e = pfc__mpi.on ? (pfc__by_handle_t *)malloc(sizeof *e) : 0;
    int error = PMPI_Grequest_start(query, free_it, cancel, extra, request);
    if (e && !error) {
        pfc__handles_keep(&pfc__generalized, PFC__KEY(*request), e);
        __atomic_fetch_add(&pfc__generalized_open, 1, __ATOMIC_RELAXED);
    } else free(e);
    return error;
}
#endif

/* A request of which we know nothing has ended: whether it was one of them. */
static PFC__QUIET int pfc__generalized_end(MPI_Request request)
{
    pfc__by_handle_t *e;
    if (PFC__LIKELY(!__atomic_load_n(&pfc__generalized_open, __ATOMIC_RELAXED))) return 0;
    if ((e = pfc__handles_take(&pfc__generalized, PFC__KEY(request))) == 0) return 0;
    free(e);
    __atomic_fetch_sub(&pfc__generalized_open, 1, __ATOMIC_RELAXED);
    return 1;
}

/* ---- errors that the user hasn't asked for yet */

/* The communicator's error handler isn't called until pfc__errors_again. Where all errors end the program, or none does
   anything, it makes no difference. */
static PFC__COLD MPI_Errhandler pfc__errors_quiet(MPI_Comm comm)
{
    MPI_Errhandler users = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm, &users);
    if (users == MPI_ERRORS_RETURN || users == MPI_ERRORS_ARE_FATAL) return MPI_ERRHANDLER_NULL;
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return users;
}

static PFC__COLD void pfc__errors_again(MPI_Comm comm, MPI_Errhandler users)
{
    if (users == MPI_ERRHANDLER_NULL) return;
    PMPI_Comm_set_errhandler(comm, users);
    PMPI_Errhandler_free(&users);
}

/* Whose handler hears of a request that has failed. MPICH's knows its communicator no more, and of several requests it only
   hears that their statuses have the errors. */
#ifdef MPICH
enum { PFC__ERRORS_BY_STATUS = 1 };
static PFC__COLD MPI_Comm pfc__errors_of(const pfc__request_t *r) { (void)r; return MPI_COMM_WORLD; }
#else
enum { PFC__ERRORS_BY_STATUS = 0 };
static PFC__COLD MPI_Comm pfc__errors_of(const pfc__request_t *r) { return pfc__comm_still(&r->comm, r->in); }
#endif

/* MPICH from 4.2 on ends a persistent request that is complete when one looks at it. */
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 40200000
enum { PFC__LOOKS_END = 1 };
#else
enum { PFC__LOOKS_END = 0 };
#endif

/* Whether it is complete, and how, for our own sake; where one may not look, it isn't. `r`: its record, or NULL. MPICH's handler hears of its error each
   time: up to 4.1 that of MPI_COMM_WORLD, then the communicator's. Not while other threads call MPI. */
static PFC__QUIET int pfc__request_look(const pfc__request_t *r, MPI_Request request, int *done, MPI_Status *status)
{
#ifdef MPICH
    MPI_Comm own = r ? pfc__comm_still(&r->comm, r->in) : MPI_COMM_WORLD;
    MPI_Errhandler users, owns;
    int error;
    if (PFC__LOOKS_END && r && r->persistent) return MPI_SUCCESS;
    users = pfc__errors_quiet(MPI_COMM_WORLD);
    owns = pfc__errors_quiet(own);
    error = PMPI_Request_get_status(request, done, status);
    pfc__errors_again(own, owns);
    pfc__errors_again(MPI_COMM_WORLD, users);
    return error;
#else
    (void)r; /* only MPICH ends what is looked at */
    return PMPI_Request_get_status(request, done, status);
#endif
}
