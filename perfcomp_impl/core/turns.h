/* ----------------------------------------------------------------- turns ---
   Who waits for a lock waits for who has it, as for a message (R1, R6); but a
   message would have had to be waited for in any case. Who is delayed more than
   who had the lock, and would have come so much earlier, might have met another
   one, or nobody. By R1 alone a thread or rank of many probes would lose all of
   its delay to one of few, by and by, and the sum of its waits be off by as much
   (tests/core/locks_test.c). */

#define PFC__FOUND_FREE INT64_MAX

/* Until when a lock was had, and since when (LT), as far as is known, by one right after the other. */
typedef struct pfc__had { pfc__moment_t end; pfc__i64 since; } pfc__had_t;

/* When who comes at `arrival` has its turn. Where others would have had the lock all along, R1. Who would have come before them,
   and found nobody, waits for nobody: what is usual there is in doubt. If it found them there, it waits longer than it did, but
   not by more than twice what is usual, and so much is in doubt. */
PFC__HOT pfc__moment_t pfc__lock_turn(pfc__moment_t arrival, pfc__had_t had, pfc__i64 usual_wait)
{
    pfc__moment_t turn = pfc__both_there(arrival, had.end);
#ifndef PERFCOMP_MPI_TAU /* for comparison: see the rules */
    pfc__i64 waited = pfc__max(0, had.end.ct - arrival.ct), longer = had.end.lt - arrival.lt - waited;
    if (longer <= 0 || arrival.lt >= had.since) return turn;
    turn = arrival;
    if (!waited) {
        turn.u += pfc__min(longer, usual_wait);
        return turn;
    }
    longer = pfc__min(longer, 2 * usual_wait);
    turn.ct += waited;
    turn.lt += waited + longer;
    turn.u = pfc__max(arrival.u, had.end.u) + longer;
    turn.clock = pfc__max(arrival.clock, had.end.clock);
#else
    (void)usual_wait;
#endif
    return turn;
}

/* LT: since when who has its turn then has the lock right after others. Of the last of them at least it is known where it was
   when this one came. */
PFC__HOT pfc__i64 pfc__lock_busy(pfc__moment_t arrival, pfc__had_t had, pfc__moment_t turn)
{
    return turn.lt != had.end.lt ? turn.lt : pfc__min(had.since, had.end.lt - (had.end.ct - arrival.ct));
}

/* What is waited there, lately; with one wait more. */
PFC__HOT pfc__i64 pfc__lock_usual(pfc__i64 usual, pfc__i64 wait) { return usual ? usual + (wait - usual) / 8 : wait; }
