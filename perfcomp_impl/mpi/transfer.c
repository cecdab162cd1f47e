/* ---------------------------------------------------- transfer (MPI impl) ---
   How long a message of m bytes travels (L), and how long a call takes that
   finds its message there (c): measured at Init over the sizes between the
   first two ranks, then the least that is seen in the run itself. L is without
   the piggyback: what a message took longer because of it is ours. In c it is
   part of the message, and cancels out. */

enum { PFC__SIZES = 27, PFC__SIZES_MET = 256, PFC__TRIES = 9 };

/* The last two are the eager limit's sides, and go where they belong once it is known. */
static const pfc__i64 pfc__sizes[PFC__SIZES - 2] = {
    0,    64,   128,  192,  256,   384,   512,   768,   1024,  1536,   2048,   3072,   4096,
    6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 98304, 131072, 262144, 1048576
};

typedef struct pfc__curve { pfc__i64 ns[PFC__SIZES], u[PFC__SIZES]; } pfc__curve_t;

static struct {
    pfc__i64 size[PFC__SIZES];     /* ascending */
    pfc__curve_t travel, cost;
    pfc__curve_t piggy;            /* how much longer it travels with a piggyback; none: it goes apart */
    pfc__i64 eager;                /* longest message that doesn't wait for its receiver */
    pfc__i64 alone;                /* and longest one for which the receiver needn't be in the library */
    pfc__i64 starts;               /* 1: short persistent sends are done when their receiver has looked at them */
    pfc__i64 awaits, pushes;       /* 1: longer data move only when their receiver is in the library; their sender (away.c) */
    pfc__i64 copied;               /* longest data that carry their piggyback; of others it goes apart */
} pfc__link;

/* What is known of messages of exactly so many bytes: programs send the same again and again. */
typedef struct pfc__sized {
    pfc__i64 bytes;
    int known, seen; /* seen: in the run itself, the least */
    pfc__transfer_t travel, cost, piggy;
} pfc__sized_t;

static pfc__sized_t pfc__sizes_met[PFC__SIZES_MET];

/* The first size measured that is as long, but for the least; or the longest. */
PFC__HOT int pfc__size_above(pfc__i64 bytes)
{
    int i = 1;
    while (i < PFC__SIZES - 1 && pfc__link.size[i] < bytes) i++;
    return i;
}

/* Between two sizes measured, `bytes` of which the second is the one above, by a straight line. It goes on behind the
   longest, but not down: noise has made the one before seem slower then, and the line would end below zero. */
static PFC__QUIET pfc__transfer_t pfc__on_curve(const pfc__curve_t *curve, pfc__i64 bytes, int above)
{
    pfc__i64 low = pfc__link.size[above - 1];
    double share = (double)(bytes - low) / (double)(pfc__link.size[above] - low);
    pfc__transfer_t t;
    t.ns = curve->ns[above - 1] + pfc__round(share * (double)(curve->ns[above] - curve->ns[above - 1]));
    if (share > 1) t.ns = pfc__max(t.ns, curve->ns[above]);
    t.u = pfc__max(curve->u[above - 1], curve->u[above]);
    return t;
}

static PFC__COLD void pfc__sized_meet(pfc__sized_t *s, pfc__i64 bytes)
{
    int above = pfc__size_above(bytes);
    s->bytes = bytes;
    s->known = 1;
    s->seen = 0;
    memset(&s->travel, 0, sizeof s->travel);
    s->cost = s->piggy = s->travel;
    if (!pfc__link.travel.ns[PFC__SIZES - 1]) return; /* a single rank: nothing was measured */
    s->travel = pfc__on_curve(&pfc__link.travel, bytes, above);
    s->cost = pfc__on_curve(&pfc__link.cost, bytes, above);
    s->piggy.ns = pfc__link.piggy.ns[above];
    s->piggy.u = pfc__link.piggy.u[above];
}

/* Under the lock. */
PFC__HOT pfc__sized_t *pfc__size_known(pfc__i64 bytes)
{
    pfc__sized_t *s = &pfc__sizes_met[((pfc__u64)bytes * 0x9e3779b97f4a7c15u >> 56) % PFC__SIZES_MET];
    if (PFC__UNLIKELY(s->bytes != bytes || !s->known)) pfc__sized_meet(s, bytes);
    return s;
}

enum { PFC__ANY_PEER = -1 };

/* `peer`: rank in MPI_COMM_WORLD. What a rank sends to itself is there. */
PFC__HOT pfc__transfer_t pfc__travel_from(const pfc__sized_t *s, pfc__u32 peer)
{
    pfc__transfer_t none = { 0, 0 };
    return PFC__UNLIKELY(peer == (pfc__u32)pfc__mpi.rank) ? none : s->travel;
}

/* What was sent with a piggyback comes as it would without, had it been sent so much later. */
PFC__HOT pfc__moment_t pfc__sent_bare(pfc__moment_t sent, const pfc__sized_t *s)
{
#ifndef PERFCOMP_MPI_TAU
    sent.ct += s->piggy.ns;
    sent.u += s->piggy.u;
#else
    (void)s;
#endif
    return sent;
}

/* A receive waited, and so saw how long this message travelled: at least `ns` − what made it late. Under the lock. */
PFC__HOT void pfc__travel_seen(pfc__sized_t *s, pfc__u32 peer, pfc__i64 ns)
{
    if (ns <= 0 || peer == (pfc__u32)pfc__mpi.rank) return;
    if (!s->seen || s->travel.ns > ns) s->travel.ns = ns;
    s->seen = 1;
}

/* ---- with the lock taken for this alone */

PFC__HOT pfc__sized_t pfc__size_look(pfc__i64 bytes)
{
    pfc__sized_t s;
    pfc__mpi_lock();
    s = *pfc__size_known(bytes);
    pfc__mpi_unlock();
    return s;
}

static PFC__QUIET pfc__transfer_t pfc__travel(pfc__i64 bytes, pfc__u32 peer)
{
    pfc__sized_t s = pfc__size_look(bytes);
    return pfc__travel_from(&s, peer);
}

static PFC__QUIET void pfc__travel_saw(pfc__i64 bytes, pfc__u32 peer, pfc__i64 ns)
{
    pfc__mpi_lock();
    pfc__travel_seen(pfc__size_known(bytes), peer, ns);
    pfc__mpi_unlock();
}

static PFC__QUIET pfc__transfer_t pfc__call_cost(pfc__i64 bytes) { return pfc__size_look(bytes).cost; }

/* What a message takes beyond its travel: in a simulation that may be all of it. On a machine it is little, and what was measured may
   be others' use of the processors. */
static PFC__QUIET pfc__i64 pfc__cost_beyond(pfc__i64 bytes) { return PFC__ONE_PROGRAM ? pfc__call_cost(bytes).ns : 0; }
