/* ------------------------------------------------------- state (MPI impl) ---
   What one process of the job knows, and the timers of §1 on the job's common
   clock: integer ns since the clock that rank 0 reads was zero. */

/* SimGrid runs one program on all ranks, by one clock. */
#ifdef PERFCOMP_SMPI
#define PFC__ONE_PROGRAM 1
#else
#define PFC__ONE_PROGRAM 0
#endif

/* A factor, as integers: of so many clock readings, doubles' conversions were the next to be felt. */
typedef struct pfc__rate { pfc__i64 whole, part; } pfc__rate_t; /* part: of 2^63 */

typedef struct pfc__mpi_state {
    int on;                     /* between MPI_Init and MPI_Finalize, on every rank alike */
    int rank, size, threads;    /* threads: MPI_THREAD_MULTIPLE was given */
    int merges;                 /* PERFCOMP_MPI_MERGE=1, on rank 0 */
    int sessions;               /* there was one, or is */
    int tags;                   /* the largest that a message can have */
    int trials;                 /* 0: PERFCOMP_MPI_TRIALS=off, on one rank at least */
    MPI_Comm comm;              /* ours, a copy of MPI_COMM_WORLD: nothing of ours can match a user's receive */
    MPI_Comm alone;             /* ours as well, of this rank: errors are answers there */
    MPI_Request at_once;        /* the handle of all collectives that are complete at once; the null request: there is no such */
    double ns_per_tick;
    pfc__rate_t tick_rate, fixed_rate; /* ns in a tick, and in Δ's unit in the core */
    pfc__i64 tick0, ns0;        /* common clock = ns0 + (tick − tick0) · ns_per_tick */
    pfc__i64 clock_u;
    double clock_u_rate;        /* growth of clock_u, ns per ns since tick0 */
    int left_receives;          /* under way, whose requests the user has freed */
    pfc__i64 met_u;             /* by so much all ranks' moments were off alike, when all last met: see pfc__doubt_since_met */
    pfc__i64 least_delay;       /* and no rank's Δ has been less since */
    pfc__i64 call_cost;         /* of a wrapper in virtual time; in real time it measures itself; fixed point */
    pfc__mpi_job_t *job;
} pfc__mpi_state_t;

static pfc__mpi_state_t pfc__mpi;

/* Whether a row of questions of this thread is under way: see polls. FOUND: a probe has found what is to be received. */
enum { PFC__NO_POLLS, PFC__POLLS_IN_VAIN, PFC__POLLS_FOUND };
static PFC__TLS int pfc__polling;

static pthread_mutex_t pfc__mpi_mutex; /* recursive */
PFC__HOT void pfc__mpi_lock(void) { if (PFC__UNLIKELY(pfc__mpi.threads)) pfc__mutex_lock(&pfc__mpi_mutex); }
PFC__HOT void pfc__mpi_unlock(void) { if (PFC__UNLIKELY(pfc__mpi.threads)) pfc__mutex_unlock(&pfc__mpi_mutex); }

/* This thread's events are kept. */
PFC__HOT int pfc__is_traced(void) { return pfc__self && pfc__self->ring; }

PFC__HOT pfc__i64 pfc__round(double x) { return (pfc__i64)(x + __builtin_copysign(0.5, x)); }

static PFC__QUIET pfc__rate_t pfc__rate_of(double factor)
{
    pfc__rate_t r;
    r.whole = (pfc__i64)factor;
    r.part = (pfc__i64)((factor - (double)r.whole) * 0x1p63);
    return r;
}

/* factor · x, rounded. */
PFC__HOT pfc__i64 pfc__by_rate(const pfc__rate_t *r, pfc__i64 x)
{
#ifdef __SIZEOF_INT128__
    __extension__ __int128 part = (__int128)x * r->part;
    return x * r->whole + (pfc__i64)((part + ((pfc__i64)1 << 62)) >> 63);
#else
    return x * r->whole + pfc__round((double)x * (double)r->part * 0x1p-63);
#endif
}

static PFC__QUIET void pfc__common_rate(double ns_per_tick)
{
    pfc__mpi.ns_per_tick = ns_per_tick;
    pfc__mpi.tick_rate = pfc__rate_of(ns_per_tick);
    pfc__mpi.fixed_rate = pfc__rate_of(ns_per_tick / (1 << PFC__FRACTION));
}

PFC__HOT pfc__i64 pfc__common_ns(pfc__i64 tick)
{
    return pfc__mpi.ns0 + pfc__by_rate(&pfc__mpi.tick_rate, tick - pfc__mpi.tick0);
}

/* ns */
static PFC__QUIET pfc__i64 pfc__since(pfc__i64 tick)
{
    return pfc__by_rate(&pfc__mpi.tick_rate, pfc__clock() - tick);
}

/* How far that may be from the common clock. */
PFC__HOT pfc__i64 pfc__clock_bound(pfc__i64 ns)
{
    if (PFC__LIKELY(!pfc__mpi.clock_u)) return 0;
    return pfc__mpi.clock_u + (pfc__i64)((double)(ns - pfc__mpi.ns0) * pfc__mpi.clock_u_rate);
}

PFC__HOT pfc__i64 pfc__fixed_ns(pfc__i64 fixed) { return pfc__by_rate(&pfc__mpi.fixed_rate, fixed); }
PFC__HOT pfc__i64 pfc__fixed_of(pfc__i64 ns) { return pfc__round((double)ns * (1 << PFC__FRACTION) / pfc__mpi.ns_per_tick); }

PFC__HOT pfc__moment_t pfc__moment_of(pfc__i64 tick, pfc__i64 delta, pfc__i64 doubt)
{
    pfc__moment_t m;
    m.ct = pfc__common_ns(tick);
    m.lt = m.ct - pfc__fixed_ns(delta);
    m.u = pfc__fixed_ns(doubt);
    m.clock = pfc__clock_bound(m.ct);
    return m;
}

/* As one of several ranks, by name. */
PFC__HOT pfc__latest_t pfc__latest_here(pfc__moment_t m) { return pfc__latest_by(pfc__mpi.rank, m); }

/* Where this thread is now. */
PFC__HOT pfc__moment_t pfc__moment_at(pfc__i64 tick)
{
    return pfc__moment_of(tick, pfc__delta_get(), pfc__self ? pfc__delta_doubt(pfc__self) : 0);
}

static PFC__QUIET pfc__i64 pfc__delay_now(void) { return pfc__fixed_ns(pfc__delta_get()); }

/* The library may call a function of the program's own that calls MPI in turn: so much have such calls moved Δ, amid calls that ask. */
static struct { int asked; pfc__i64 moved; } pfc__called_back;

/* A call began at `begin` and ended at `end`: where a rule has changed Δ or its uncertainty, they are the thread's from here on. */
PFC__HOT void pfc__moment_move(pfc__moment_t begin, pfc__moment_t end)
{
    pfc__thread_t *t = pfc__self;
    pfc__i64 delta = (end.ct - end.lt) - (begin.ct - begin.lt), u = end.u - begin.u;
    if ((delta | u) == 0 || PFC__UNLIKELY(t == 0)) return;
    if (PFC__UNLIKELY(pfc__called_back.asked)) pfc__called_back.moved += delta;
    pfc__delta_take(t, t->delta + pfc__fixed_of(delta), pfc__max(0, pfc__delta_doubt(t) + pfc__fixed_of(u)));
}

/* The time since `tick` was ours. Returns until when: if the rank dies, that was its last sign of life. */
PFC__HOT pfc__i64 pfc__charge_since(pfc__i64 tick)
{
    pfc__i64 now = pfc__clock();
    if (PFC__LIKELY(pfc__self != 0)) {
        pfc__delta_charge(pfc__self, now - tick);
        pfc__self->tick_end = now;
    }
    return now;
}

/* Lets a short time pass. */
static PFC__QUIET void pfc__pause(pfc__i64 ns)
{
#ifdef PERFCOMP_CHARGE
    PERFCOMP_CHARGE((double)ns);
#else
    pfc__i64 until = pfc__clock() + pfc__round((double)ns * pfc__ticks_per_ns());
    while (pfc__clock() < until) continue;
#endif
}
