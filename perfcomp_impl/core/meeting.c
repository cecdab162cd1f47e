/* ------------------------------------------------------- meeting (impl) ---
   Where threads wait for each other: R12 of the model, which is R6 on the clock
   that they share. A thread that waited for a slowed-down one is then as late as
   that one, and one that came last keeps the delay it has. */

#if defined PFC__THREADS_MEET

static PFC__QUIET pfc__moment_t pfc__thread_moment(const pfc__thread_t *t, pfc__i64 tick)
{
    pfc__moment_t m;
    m.ct = (tick - PFC__HEADER->tick_begin) * (1 << PFC__FRACTION);
    m.lt = m.ct - t->delta;
    m.u = pfc__delta_doubt(t);
    m.clock = 0;
    return m;
}

/* The thread has gone on when the latest was there. */
static PFC__QUIET void pfc__delta_meet(pfc__thread_t *t, pfc__moment_t latest)
{
    pfc__delta_take(t, latest.ct - latest.lt, latest.u);
}

/* Rounds of the same threads. Nobody comes to the next but one before all have gone from this one: two are enough. */
typedef struct pfc__meeting {
    unsigned turn, expected[2], arrived[2];
    pfc__latest_t latest[2];
} pfc__meeting_t;

/* Returns the number of the round. */
static PFC__QUIET unsigned pfc__meeting_come(pfc__meeting_t *m, unsigned expected, pfc__moment_t arrival)
{
    unsigned round = m->turn;
    if (m->arrived[round] >= m->expected[round]) m->arrived[round] = 0, m->latest[round] = pfc__latest_none();
    m->expected[round] = expected;
    m->latest[round] = pfc__latest_merge(m->latest[round], pfc__latest_of(arrival));
    if (++m->arrived[round] == expected) m->turn = !round;
    return round;
}

/* Whom all have waited for, unless some weren't seen. */
static PFC__QUIET void pfc__meeting_leave(const pfc__meeting_t *m, unsigned round, pfc__thread_t *t)
{
    if (m->arrived[round] == m->expected[round]) pfc__delta_meet(t, pfc__latest_moment(m->latest[round]));
}

#endif
