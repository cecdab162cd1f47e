/* -------------------------------------------------------- hold (MPI impl) ---
   PERFCOMP_MPI_ORDER=hold: receives and probes of anybody, and completions of
   some of several receives, get what they would have got had nothing been
   instrumented (model, section 6). Each message's piggyback goes ahead of it
   (apart.c), so that what has come can be seen before any of it is received;
   the first of them in local time is taken once bound.c knows that none that
   is earlier can come any more. The wait for that is overhead, as if it had
   followed the call. It is bounded; what the bound cuts off counts as
   undecided. Not bounded is the wait for a message of which the piggyback has
   come, and the data haven't: that is told (held.c). */

enum {
    PFC__HOLD_GRACE = 2000000, /* ns: a message is there, and its piggyback isn't */
    PFC__HOLD_PAUSE = 1000,
    PFC__HOLD_PAUSE_MOST = 1000000,
    PFC__HOLD_YIELDS = 100
};

static int pfc__hold_cuts; /* how often the limit was reached */

/* The limit is reached: it is taken what is there. */
static PFC__COLD void pfc__hold_cut(void)
{
    pfc__order.told->undecided++;
    pfc__hold_cuts++;
}

/* Whether what is here has waited for so long, since that tick, that the limit is reached. */
static PFC__COLD int pfc__hold_is_late(pfc__i64 tick) { return tick && pfc__since(tick) > pfc__order.hold; }

/* Of nonblocking receives: see held. */
static PFC__COLD void pfc__held_progress(void);
static PFC__COLD int pfc__held_contested(const pfc__request_t *next, const pfc__kept_apart_t *first);
static PFC__COLD void pfc__held_until(pfc__u32 number, int from, int tag, MPI_Comm comm, int world);

/* Whether a receive that begins now could get its message. */
static PFC__QUIET int pfc__hold_is_open(const pfc__kept_apart_t *kept, pfc__u32 comm, int from, int tag)
{
    return !kept->receive && !kept->matched && pfc__apart_meets(&kept->apart, comm, from, tag);
}

/* From `kept` on the first one that a receive could have, of one sender. NULL: none is here. */
static PFC__COLD pfc__kept_apart_t *pfc__hold_next_from(pfc__kept_apart_t *kept, pfc__u32 comm, int from, int tag)
{
    while (kept && !pfc__hold_is_open(kept, comm, from, tag)) kept = kept->next;
    return kept;
}

static PFC__COLD pfc__kept_apart_t *pfc__hold_next(pfc__u32 comm, int from, int tag)
{
    return pfc__hold_next_from(pfc__aparts, comm, from, tag);
}

/* Where one of many receives that are alike goes on: what is before has been claimed. */
typedef struct pfc__claimed { pfc__u32 comm; int from, tag; pfc__kept_apart_t *next; } pfc__claimed_t;

enum { PFC__CLAIMED = 16 };

/* As pfc__hold_next. */
static PFC__COLD pfc__kept_apart_t *pfc__hold_next_of(pfc__claimed_t *claimed, pfc__u32 comm, int from, int tag)
{
    pfc__claimed_t *at = &claimed[((unsigned)from * 31 + (unsigned)tag + comm) % PFC__CLAIMED];
    if (at->comm != comm || at->from != from || at->tag != tag) {
        at->comm = comm;
        at->from = from;
        at->tag = tag;
        at->next = pfc__aparts;
    }
    return at->next = pfc__hold_next_from(at->next, comm, from, tag);
}

/* What a receive under way will get; or has got, of which a status tells where the library had it from. */
static PFC__COLD pfc__kept_apart_t *pfc__hold_its(pfc__claimed_t *claimed, const pfc__request_t *r)
{
    if (r->held != PFC__HELD_GIVEN) return pfc__hold_next_of(claimed, r->comm.number, r->peer, r->tag);
    return r->held_ours ? 0 : pfc__hold_next_of(claimed, r->comm.number, r->held_status.MPI_SOURCE, r->held_status.MPI_TAG);
}

/* Of the piggybacks that are here: what is theirs isn't for others. The library has got those receives in this order, and so it
   gives them each sender's messages. */
static PFC__COLD void pfc__hold_claim(void)
{
    pfc__claimed_t claimed[PFC__CLAIMED];
    pfc__kept_apart_t *kept;
    pfc__request_t *r;
    int rank;
    memset(claimed, 0, sizeof claimed);
    for (kept = pfc__aparts; kept; kept = kept->next) kept->receive = 0;
    for (rank = 0; rank < pfc__mpi.size; rank++) pfc__bound.place[rank].ignored = 0;
    for (r = pfc__posted.next; r && r != &pfc__posted; r = r->next) {
        if (r->settled || r->held == PFC__HELD_OPEN || r->in == MPI_COMM_NULL) continue; /* the last: of MPI_Imrecv */
        if ((kept = pfc__hold_its(claimed, r)) != 0) kept->receive = r;
    }
    for (kept = pfc__aparts; kept; kept = kept->next)
        if (kept->apart.piggy.k && !kept->receive && !kept->matched) pfc__bound_ignores(kept->apart.piggy.rank, kept->nth);
}

/* When it comes, and is met by a receive. */
static PFC__COLD pfc__i64 pfc__hold_meets(const pfc__kept_apart_t *kept) { return pfc__order_arrival(&kept->apart.piggy).lt; }

/* When all of it is there, for a receive that was posted at `post`. */
static PFC__COLD pfc__moment_t pfc__hold_arrival(const pfc__kept_apart_t *kept, pfc__moment_t post)
{
    const pfc__apart_t *a = &kept->apart;
    pfc__moment_t sent = pfc__piggy_read(&a->piggy);
    return pfc__travelled(pfc__data_wait(&a->piggy, pfc__apart_bytes(a)) ? pfc__both_there(sent, post) : sent, pfc__apart_bytes(a), a->piggy.rank);
}

/* The first one that a receive could have: of all senders, the first in local time. NULL: none is here. */
static PFC__COLD pfc__kept_apart_t *pfc__hold_first(pfc__u32 comm, int from, int tag)
{
    pfc__kept_apart_t *kept, *of, *first = pfc__hold_next(comm, from, tag);
    for (kept = first; kept && from == MPI_ANY_SOURCE; kept = kept->next) {
        if (!pfc__hold_is_open(kept, comm, from, tag) || pfc__hold_meets(kept) >= pfc__hold_meets(first)) continue;
        of = pfc__hold_next(comm, kept->apart.rank, tag); /* messages of one sender don't overtake each other */
        if (pfc__hold_meets(of) < pfc__hold_meets(first)) first = of;
    }
    return first;
}

/* The piggyback of the message that a receive under way will get. NULL: it isn't here. */
static PFC__COLD const pfc__kept_apart_t *pfc__hold_known(const pfc__request_t *r)
{
    const pfc__kept_apart_t *kept = pfc__aparts;
    while (kept && kept->receive != r) kept = kept->next;
    return kept;
}

/* What has come, looked at again. */
static PFC__COLD void pfc__hold_look(void)
{
    pfc__bound_look();
    pfc__aparts_drain();
    pfc__hold_claim();
    pfc__bound.fresh = 1;
}

static PFC__COLD int pfc__hold_is_there(int from, int tag, MPI_Comm comm)
{
    int there = 0;
    return !PMPI_Iprobe(from, tag, comm, &there, MPI_STATUS_IGNORE) && there;
}

/* Whether it is what the library would give of its sender for this tag. What the library has given to receives that aren't complete
   yet isn't known, and may be other messages than those that seem to be theirs. */
static PFC__COLD int pfc__hold_is_next(const pfc__kept_apart_t *kept, int tag, MPI_Comm comm)
{
    MPI_Status status;
    int there = 0;
    return !PMPI_Iprobe(kept->apart.rank, tag, comm, &there, &status) && there && status.MPI_TAG == kept->apart.tag;
}

/* Waits until one is. SimGrid's MPI_Probe may wait without letting time pass. */
static PFC__COLD int pfc__hold_await(int from, int tag, MPI_Comm comm)
{
    int error = MPI_SUCCESS, there = 0;
    if (!PFC__ONE_PROGRAM) return PMPI_Probe(from, tag, comm, MPI_STATUS_IGNORE);
    while (!error && !there) {
        error = PMPI_Iprobe(from, tag, comm, &there, MPI_STATUS_IGNORE);
        if (!there) pfc__pause(PFC__HOLD_PAUSE);
    }
    return error;
}

/* Some time passes, until `misses` ns more may be decided. Who waits for long leaves the processor to others: they may be who
   it waits for. */
static PFC__COLD void pfc__hold_wait(pfc__i64 misses)
{
    if (PFC__ONE_PROGRAM) pfc__pause(pfc__max(PFC__HOLD_PAUSE, pfc__min(misses, PFC__HOLD_PAUSE_MOST)));
    else if (pfc__bound.looks++ < PFC__HOLD_YIELDS) sched_yield();
    else {
        struct timespec pause = { 0, PFC__HOLD_PAUSE };
        int saved = errno;
        nanosleep(&pause, 0);
        errno = saved;
    }
}

/* What the call has done since a message came at `ct` was to hold it back. */
static PFC__COLD void pfc__hold_ends(pfc__call_t *c, pfc__i64 ct, int messages)
{
    pfc__i64 now = pfc__common_ns(pfc__clock()), ns = pfc__max(0, now - pfc__max(c->begin.ct, ct));
    c->own = 0;
    c->held = pfc__round((double)ns / pfc__mpi.ns_per_tick);
    pfc__order.told->held += (pfc__u64)messages;
    pfc__order.told->held_ns += ns;
}

/* A message for a receive or probe of anybody is there, since `tick`: which one it gets. NULL: that can't be told. */
static PFC__COLD const pfc__kept_apart_t *pfc__hold_choose(pfc__u32 number, int from, int tag, MPI_Comm comm, pfc__i64 tick)
{
    for (;;) {
        const pfc__kept_apart_t *first;
        pfc__i64 since = pfc__since(tick), misses = 1;
        int there = 0;
        pfc__held_progress();
        first = pfc__hold_first(number, from, tag);
        if (pfc__held_contested(0, first)) {
            pfc__hold_wait(misses);
            continue;
        }
        if (first) {
            pfc__i64 lt = pfc__hold_meets(first);
            PFC__TELL(pfc__bound.at->held, lt);
            misses = pfc__bound_misses(lt, -1, (int)first->apart.piggy.rank);
            there = pfc__hold_is_next(first, tag, comm);
        }
        if (there && !misses) return first;
        if (since > (first ? pfc__order.hold : (pfc__i64)PFC__HOLD_GRACE)) {
            if (first) pfc__hold_cut();
            else pfc__order.told->undecided++;
            return there ? first : 0;
        }
        pfc__hold_wait(misses);
    }
}

/* Of a receive that began at `begin`, and only now meets its message: for the sender, that was Δ. */
static PFC__COLD pfc__moment_t pfc__hold_post(pfc__moment_t begin)
{
    begin.ct = pfc__max(begin.ct, pfc__common_ns(pfc__clock()));
    return begin;
}

/* For a receive or probe of anybody: waits for its message, and holds it back. *from and *tag: which one it is to get. */
static PFC__COLD void pfc__hold(pfc__call_t *c, const pfc__comm_t *in, int *from, int *tag, MPI_Comm comm)
{
    const pfc__kept_apart_t *first;
    pfc__i64 tick, ct;
    if (pfc__hold_await(*from, *tag, comm)) return; /* the call itself will say what is wrong */
    tick = pfc__clock();
    ct = pfc__common_ns(tick);
    if ((first = pfc__hold_choose(in->number, *from, *tag, comm, tick)) != 0) {
        ct = first->apart.piggy.k ? first->apart.piggy.ct : pfc__hold_arrival(first, c->begin).ct; /* its data may come only now */
        *from = first->apart.rank;
        *tag = first->apart.tag;
    }
    pfc__hold_ends(c, ct, 1);
}

/* The same, for any receive or probe whose call has begun: what others are to get that began before comes first. One of a single
   rank waits for that, and others may know. */
static PFC__COLD void pfc__hold_receive(pfc__call_t *c, const pfc__comm_t *in, int *from, int *tag, MPI_Comm comm)
{
    int world = *from == MPI_ANY_SOURCE ? -1 : pfc__apart_to(in, comm, *from, *tag);
    pfc__bound_waits_for(world);
    pfc__held_until(in->number, *from, *tag, comm, world);
    if (*from == MPI_ANY_SOURCE) pfc__hold(c, in, from, tag, comm);
}

/* A send waits for its receiver. */
static PFC__COLD void pfc__hold_send(const pfc__comm_t *in, int to, int tag, MPI_Comm comm)
{
    int world = pfc__apart_to(in, comm, to, tag);
    pfc__held_release_all();
    if (world >= 0) pfc__bound.sends_to = (pfc__u32)world + 1;
}

/* For a probe that doesn't wait: whether a message would have come by then, and which. */
static PFC__COLD int pfc__hold_found(pfc__call_t *c, const pfc__comm_t *in, int *from, int *tag, MPI_Comm comm)
{
    int only = *from == MPI_ANY_SOURCE ? -1 : pfc__world_rank(comm, *from), there;
    const pfc__kept_apart_t *first;
    pfc__i64 misses;
    int seen = pfc__bound.fresh;
    pfc__bound_polls(c->begin.lt);
    for (;;) {
        if (!pfc__bound.fresh) pfc__held_progress(); /* else what was seen will do: a program that polls does it again and again */
        first = pfc__hold_first(in->number, *from, *tag);
        if (first && (pfc__hold_meets(first) > c->begin.lt || pfc__held_contested(0, first))) first = 0;
        there = first && pfc__hold_is_next(first, *tag, comm);
        misses = first ? pfc__bound_misses(pfc__hold_meets(first), only, (int)first->apart.piggy.rank)
                       : pfc__bound_misses(c->begin.lt, only, -1);
        if (!misses && (there || !first)) break;
        if (pfc__common_ns(pfc__clock()) - c->begin.ct > pfc__order.hold) {
            pfc__hold_cut();
            if (!there) first = 0;
            break;
        }
        if (!seen) pfc__hold_wait(misses);
        pfc__bound.fresh = seen = 0;
    }
    pfc__hold_ends(c, c->begin.ct, first != 0);
    pfc__bound.vain = !first;
    if (!first) return 0;
    *from = first->apart.rank;
    *tag = first->apart.tag;
    return 1;
}

/* ---- life */

/* By all ranks: held back by all or by none. `level`: of threads. */
static PFC__COLD void pfc__hold_start(int level)
{
    struct { int wants, leaves, can; } mine, all; /* leaves: it doesn't want to */
    const char *missing = 0;
    mine.wants = pfc__order.on && pfc__order.hold;
    mine.leaves = !mine.wants;
    mine.can = level <= MPI_THREAD_FUNNELED;
    PMPI_Allreduce(&mine, &all, 3, MPI_INT, MPI_MIN, pfc__mpi.comm);
    if (all.leaves) return; /* nobody does */
    if (!all.wants) missing = "to be set on all ranks";
    else if (!all.can) missing = "a program of MPI_THREAD_FUNNELED or less";
    else if (!pfc__bound_start()) missing = "all ranks on one host, and their profiles in files";
    else if (PFC__LOOKS_END) pfc__bound_end(), missing = "a library whose MPI_Request_get_status leaves persistent requests as they are (not MPICH from 4.2 on)";
    else pfc__aparts_all(), pfc__order.told->holds = 1;
    if (missing && pfc__mpi.rank == 0)
        pfc__note("PERFCOMP_MPI_ORDER=hold needs %s: messages are checked for their order only", missing);
}

static PFC__COLD void pfc__hold_end(void)
{
    if (pfc__hold_cuts)
        pfc__note("rank %d: %d times it wasn't known within %.3g s which message would have come first, and what was there was taken; "
                  "PERFCOMP_MPI_ORDER=hold:SECONDS sets that limit", pfc__mpi.rank, pfc__hold_cuts, (double)pfc__order.hold / 1e9);
    pfc__bound_end();
}
