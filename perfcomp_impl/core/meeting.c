/* ------------------------------------------------------- meeting (impl) ---
   Where threads wait for each other: R12 of the model, R6 on the clock that
   they share. Who comes last is who is waited for, with its delay and without:

       Δ = max CT − max LT

   so that a thread that waited for a slowed-down one is as late as that one,
   and one that came last keeps the delay it has. Times are in ticks since the
   profile's begin with PFC__FRACTION more binary places, like Δ. */

/* Where the linker can put our functions in place of the library's. A simulated process has one thread. */
#if defined __ELF__ && !defined PERFCOMP_SMPI
#  define PFC__THREADS_MEET
#endif

#if defined PFC__THREADS_MEET

/* A thread's way up to here, or the latest of several. */
typedef struct pfc__coming {
    pfc__i64 ct, lt;
    pfc__i64 lt_high, lt_low; /* bounds of lt */
} pfc__coming_t;

static const pfc__coming_t pfc__nobody = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN };

static PFC__QUIET void pfc__coming_add(pfc__coming_t *latest, const pfc__coming_t *a)
{
    if (a->ct > latest->ct) latest->ct = a->ct;
    if (a->lt > latest->lt) latest->lt = a->lt;
    if (a->lt_high > latest->lt_high) latest->lt_high = a->lt_high;
    if (a->lt_low > latest->lt_low) latest->lt_low = a->lt_low;
}

static PFC__QUIET pfc__coming_t pfc__coming_of(const pfc__thread_t *t, pfc__i64 tick)
{
    pfc__coming_t a;
    pfc__i64 doubt = pfc__delta_doubt(t);
    a.ct = (tick - PFC__HEADER->tick_begin) * (1 << PFC__FRACTION);
    a.lt = a.ct - t->delta;
    a.lt_high = a.lt + doubt;
    a.lt_low = a.lt - doubt;
    return a;
}

/* The thread has gone on when the latest was there. */
static PFC__QUIET void pfc__delta_meet(pfc__thread_t *t, const pfc__coming_t *latest)
{
    pfc__i64 above = latest->lt_high - latest->lt, below = latest->lt - latest->lt_low;
    pfc__delta_take(t, latest->ct - latest->lt, above > below ? above : below);
}

/* Rounds of the same threads. Nobody comes to the next but one before all have gone from this one: two are enough. */
typedef struct pfc__meeting {
    unsigned turn, expected, arrived[2];
    pfc__coming_t latest[2];
} pfc__meeting_t;

/* Returns the number of the round. */
static PFC__QUIET unsigned pfc__meeting_come(pfc__meeting_t *m, unsigned expected, const pfc__coming_t *a)
{
    unsigned round = m->turn;
    if (m->arrived[round] >= m->expected) m->arrived[round] = 0, m->latest[round] = pfc__nobody;
    m->expected = expected;
    pfc__coming_add(&m->latest[round], a);
    if (++m->arrived[round] == expected) m->turn = !round;
    return round;
}

/* Whom all have waited for; NULL: some weren't seen. */
static PFC__QUIET const pfc__coming_t *pfc__meeting_latest(const pfc__meeting_t *m, unsigned round)
{
    return m->arrived[round] == m->expected ? &m->latest[round] : 0;
}

#endif
