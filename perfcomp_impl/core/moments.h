/* --------------------------------------------------------------- moments ---
   Where a rank or a thread is, on its way through the program, and the latest
   of several: R6 of the model, integers in, integers out. Times of ranks are
   ns on the job's common clock; those of threads, which share one, are ticks
   with PFC__FRACTION more binary places, like Δ. */

typedef struct pfc__moment {
    pfc__i64 ct;    /* the common clock, as it is read here */
    pfc__i64 lt;    /* local time: when the uninstrumented program would have been here */
    pfc__i64 u;     /* uncertainty of Δ = ct − lt; that of lt as well, on one's own clock */
    pfc__i64 clock; /* how far this reading may be from the common clock; 0: they are one */
} pfc__moment_t;

PFC__HOT pfc__i64 pfc__max(pfc__i64 a, pfc__i64 b) { return a > b ? a : b; }
PFC__HOT pfc__i64 pfc__min(pfc__i64 a, pfc__i64 b) { return a < b ? a : b; }

/* Who came last, by ct and by lt, as pfc__signed_by has it. */
typedef struct pfc__names { pfc__i64 ct, lt; } pfc__names_t;

/* The latest of several moments. Every field is a maximum, so that any order
   of combining gives the same, MPI_MAX over an array of integers included. */
typedef struct pfc__latest {
    pfc__i64 ct, lt;
    pfc__i64 lt_high;               /* bound of lt on the common clock; the latest is no further off to the other side */
    pfc__i64 clock;
    pfc__i64 delta_high, delta_low; /* greatest Δ, least Δ negated: the result lies between them */
    pfc__names_t last;
} pfc__latest_t;

enum { PFC__LATEST_FIELDS = sizeof(pfc__latest_t) / sizeof(pfc__i64) };
#define PFC__NEVER (-(pfc__i64)1e18) /* in ns: thirty years before any clock's zero */

PFC__HOT pfc__latest_t pfc__latest_none(void)
{
    pfc__latest_t none = { PFC__NEVER, PFC__NEVER, PFC__NEVER, 0, PFC__NEVER, PFC__NEVER, { PFC__NEVER, PFC__NEVER } };
    return none;
}

PFC__HOT pfc__latest_t pfc__latest_of(pfc__moment_t m)
{
    pfc__latest_t of;
    of.ct = m.ct;
    of.lt = m.lt;
    of.lt_high = m.lt + m.u + m.clock;
    of.clock = m.clock;
    of.delta_high = m.ct - m.lt + m.u;
    of.delta_low = m.lt - m.ct + m.u;
    of.last.ct = of.last.lt = PFC__NEVER;
    return of;
}

/* A rank's name goes along with its moment: below the moment, in steps of 256 ns, so that the maximum has the name of the
   latest. Once in 26 days the steps begin anew; who meets just then may get a wrong name. */
enum { PFC__NAME_BITS = 20, PFC__NAME_STEP_BITS = 8, PFC__NOBODY = (1 << PFC__NAME_BITS) - 1 };

PFC__HOT pfc__i64 pfc__signed_by(pfc__i64 ns, int rank)
{
    pfc__i64 step = ns >> PFC__NAME_STEP_BITS & (((pfc__i64)1 << (63 - PFC__NAME_BITS)) - 1);
    return (pfc__i64)((pfc__u64)step << PFC__NAME_BITS) | pfc__min(rank, PFC__NOBODY);
}

/* PFC__NOBODY: not told. */
PFC__HOT int pfc__signer(pfc__i64 name) { return name < 0 ? PFC__NOBODY : (int)(name & PFC__NOBODY); }

/* Without delays another one would have been the last. */
PFC__HOT int pfc__another_is_last(pfc__names_t last) { return pfc__signer(last.ct) != pfc__signer(last.lt); }

/* This rank's. */
PFC__HOT pfc__latest_t pfc__latest_by(int rank, pfc__moment_t m)
{
    pfc__latest_t of = pfc__latest_of(m);
    of.last.ct = pfc__signed_by(m.ct, rank);
    of.last.lt = pfc__signed_by(m.lt, rank);
    return of;
}

PFC__HOT pfc__latest_t pfc__latest_merge(pfc__latest_t a, pfc__latest_t b)
{
    a.ct = pfc__max(a.ct, b.ct);
    a.lt = pfc__max(a.lt, b.lt);
    a.lt_high = pfc__max(a.lt_high, b.lt_high);
    a.clock = pfc__max(a.clock, b.clock);
    a.delta_high = pfc__max(a.delta_high, b.delta_high);
    a.delta_low = pfc__max(a.delta_low, b.delta_low);
    a.last.ct = pfc__max(a.last.ct, b.last.ct);
    a.last.lt = pfc__max(a.last.lt, b.last.lt);
    return a;
}

/* At `ct` by a delay that lies in the range of the single ones, whatever the clocks say, as the greatest ct less the
   greatest lt does: without a common clock that range is all that is known. */
PFC__HOT pfc__moment_t pfc__latest_bounds(pfc__latest_t l, pfc__i64 ct, pfc__i64 delta, pfc__i64 u)
{
    pfc__moment_t m;
#ifdef PERFCOMP_MPI_TAU /* for comparison: see the rules */
    delta = -l.delta_low;
#endif
    m.ct = ct;
    m.lt = ct - delta;
    m.u = pfc__min(u, pfc__max(l.delta_high - delta, delta + l.delta_low));
    m.clock = l.clock;
    return m;
}

/* R6: Δ = max CT − max LT. */
PFC__HOT pfc__moment_t pfc__latest_moment(pfc__latest_t l)
{
    return pfc__latest_bounds(l, l.ct, l.ct - l.lt, l.lt_high - l.lt + l.clock);
}

/* What needs two ends began when both were there. */
PFC__HOT pfc__moment_t pfc__both_there(pfc__moment_t a, pfc__moment_t b)
{
    return pfc__latest_moment(pfc__latest_merge(pfc__latest_of(a), pfc__latest_of(b)));
}

/* By so much at most a delay is off that is taken for one of theirs. */
PFC__HOT pfc__i64 pfc__latest_range(pfc__latest_t l) { return l.delta_high + l.delta_low; }

/* By so much this one is off at most, if its delay should be one of theirs. */
PFC__HOT pfc__i64 pfc__latest_off(pfc__latest_t l, pfc__moment_t m)
{
    pfc__i64 delta = m.ct - m.lt;
    return pfc__max(l.delta_high - delta, delta + l.delta_low);
}

PFC__HOT int pfc__latest_is_none(pfc__latest_t l) { return l.ct == PFC__NEVER; }

/* A call that ended at `end` may have waited for it, as far as the clocks can tell. */
PFC__HOT int pfc__latest_is_before(pfc__latest_t l, pfc__moment_t end) { return l.ct - l.clock <= end.ct + end.clock; }
