/* ----------------------------------------------------------------- rules ---
   The algebra of §3 of the model, on moments (perfcomp.h): integers in,
   integers out; no MPI, no clock. Nobody else decides about Δ. All times are ns.

   The one law: in local time, what a call waits for is there once everything
   that it depends on has happened and has travelled, and the call ends when it
   is there and was asked for:

       LT_e = max(LT_b, LT_arrival) + c        LT_arrival = LT_start + L

   The rules differ only in what `start` is:

       R1, R2, R5   receive                 the send
       R3           buffered send           nothing
       R4           send that waits         the later one of send and post
       R6           all-to-all              the latest rank (of Alltoallv and w, Allgatherv and
                                            Reduce_scatter: of those that have a part in it for
                                            this one, or all, as the library has it)
       R7           one-to-all              the root
       R8           all-to-one              the latest of the others
       R9           prefix                  the latest rank before, or of all
       R10          neighbourhood           the latest in-neighbour
       R11          nonblocking collective  as R6–R10, begun at its start
       R12          join of threads         the latest thread

   PERFCOMP_MPI_TAU, for comparison only: R1 everywhere, and the least delay in
   collectives, as TAU's prototype did. */

/* The travelling time of a message, or of a collective's data, when nobody is late. */
typedef struct pfc__transfer { pfc__i64 ns, u; } pfc__transfer_t;

/* How long a call waited: its length without its own cost, which is known up to
   cost.u. One that waited no longer than that counts as having found what it
   asked for, and `u` is then the longest that it may have waited after all. */
typedef struct pfc__wait { pfc__i64 ns, u; } pfc__wait_t;

PFC__HOT pfc__wait_t pfc__wait_of(pfc__moment_t begin, pfc__i64 end_ct, pfc__transfer_t cost)
{
    pfc__wait_t wait = { end_ct - begin.ct - cost.ns, cost.u };
    if (wait.ns > cost.u) return wait;
    wait.u = pfc__max(0, wait.ns + cost.u);
    wait.ns = 0;
    return wait;
}

/* A call that lasted longer than its cost has waited, or it was slow: interrupted,
   or by data that move only inside of it. Where by the common clock all was there
   before the call by more than the call was long, being slow is the smaller
   coincidence. R1 would set Δ to the sender's, though nothing was waited for. */
PFC__HOT pfc__wait_t pfc__wait_on(pfc__moment_t start, pfc__moment_t begin, pfc__wait_t wait, pfc__transfer_t transfer)
{
#ifndef PERFCOMP_MPI_TAU
    pfc__i64 there = start.ct + transfer.ns + start.clock + begin.clock + transfer.u;
    if (wait.ns <= 0 || begin.ct - there <= wait.ns) return wait;
    wait.u += wait.ns;
    wait.ns = 0;
#else
    (void)start, (void)begin, (void)transfer;
#endif
    return wait;
}

/* When what began at `start` was there, for a call that began at `begin`. A
   call that waited saw it come at the very end of its wait, so that the
   sender's Δ alone tells (R1): no common clock is needed, and no estimate of
   the transfer. Otherwise (R2) it had come at some time before. */
PFC__HOT pfc__moment_t pfc__arrival(pfc__moment_t start, pfc__moment_t begin, pfc__wait_t wait, pfc__transfer_t transfer)
{
    pfc__moment_t m;
    pfc__i64 seen = begin.ct + wait.ns, latest = seen - (start.ct - start.lt);
    pfc__i64 travelled = start.lt + transfer.ns;
    pfc__i64 travelled_u = start.u + start.clock + begin.clock + transfer.u;
    m.ct = seen;
    m.lt = latest;
    m.u = start.u;
    m.clock = 0;
#ifdef PERFCOMP_MPI_TAU
    return m;
#endif
    if (wait.ns > 0) return m;
    m.ct = pfc__min(seen, start.ct + transfer.ns);
    m.lt = pfc__min(latest, travelled);
    m.u = pfc__max(pfc__min(travelled + travelled_u, latest + start.u + wait.u) - m.lt, m.lt - (travelled - travelled_u));
    return m;
}

/* The law: the end of a call that began at `begin`, waited and found `arrival`.
   An error of the cost cancels out of the arrival's branch: there it was
   subtracted from the same end to which it is added. */
PFC__HOT pfc__moment_t pfc__end_of_call(pfc__moment_t begin, pfc__i64 end_ct, pfc__wait_t wait, pfc__moment_t arrival)
{
    pfc__moment_t m;
    pfc__i64 cost = end_ct - begin.ct - wait.ns, later = pfc__max(begin.lt, arrival.lt);
    m.ct = end_ct;
    m.lt = later + cost;
    m.u = pfc__max(begin.lt + begin.u + wait.u, arrival.lt + arrival.u) - later; /* the later of two is never as far too late */
    m.clock = begin.clock;
    return m;
}

/* When a rank was out of the library: from when on, and until it was back. */
typedef struct pfc__absence { pfc__i64 ct, lt; pfc__moment_t back; } pfc__absence_t;

/* R4 where long data move only inside of their receiver's calls: word of them came at `told`, and amid an absence that is heard when
   it is over, however long both ranks have been `there` by then. `doubt`: how far the two ranks' delays may be off; what it leaves
   open, ± has. */
PFC__HOT pfc__moment_t pfc__heard(pfc__moment_t there, pfc__moment_t told, const pfc__absence_t *away, pfc__i64 doubt)
{
    pfc__moment_t heard = there, back = pfc__both_there(there, away->back);
    if (told.ct > away->ct) heard.ct = back.ct;
    if (told.lt > away->lt) heard.lt = back.lt, heard.u = back.u;
    if (llabs(told.lt - away->lt) <= doubt) heard.u = pfc__max(heard.u, back.lt - there.lt + pfc__max(there.u, back.u));
    return heard;
}

/* R4 where nobody told of the receiver's post: the end that is right if it was no later than its sender, put in doubt.
   Undisturbed, the call may have waited for nobody, and ended once its data had travelled (`transfer`); and it ended no
   later than its receiver's Δ says, which isn't less than `least`: since all ranks met, no rule has given any of them less than the
   least of theirs then, and probes only add to it. All such calls doubt the same part of Δ: that doubt doesn't add up. */
PFC__HOT pfc__moment_t pfc__post_unknown(pfc__moment_t begin, pfc__moment_t end, pfc__transfer_t transfer, pfc__i64 least)
{
    pfc__i64 waited = end.lt - begin.lt - pfc__max(0, transfer.ns - transfer.u);
    end.u = pfc__max(end.u, pfc__max(begin.u + waited, end.ct - end.lt - least));
    return end;
}

/* The same call's wait in local time. */
PFC__HOT pfc__i64 pfc__local_wait(pfc__moment_t begin, pfc__moment_t arrival)
{
    return pfc__max(0, arrival.lt - begin.lt);
}

/* The part of it in which the other rank wasn't there. */
PFC__HOT pfc__i64 pfc__until_there(pfc__i64 begin, pfc__i64 there) { return pfc__max(0, there - begin); }

/* Of several arrivals the one that counts. */
PFC__HOT pfc__moment_t pfc__later_arrival(pfc__moment_t a, pfc__moment_t b)
{
    pfc__i64 high = pfc__max(a.lt + a.u, b.lt + b.u);
    a.ct = pfc__max(a.ct, b.ct);
    a.lt = pfc__max(a.lt, b.lt);
    a.u = high - a.lt;
    return a;
}

PFC__HOT pfc__moment_t pfc__never(void)
{
    pfc__moment_t never = { PFC__NEVER, PFC__NEVER, 0, 0 };
    return never;
}

/* R6 step by step: what has come to a rank may go on, and a rank has it once it has travelled. Ranks then end at
   times of their own, by how many steps away the late ones are: all of that happens in LT as it does in CT.
   `u` is here the uncertainty of lt, `clock` that of ct, both on the common clock. */
PFC__HOT pfc__moment_t pfc__passed_first(pfc__moment_t m)
{
    m.u += m.clock;
    return m;
}

PFC__HOT pfc__moment_t pfc__passed_later(pfc__moment_t m, pfc__transfer_t step)
{
    m.ct += step.ns;
    m.lt += step.ns;
    m.u += step.u;
    m.clock += step.u;
    return m;
}

PFC__HOT pfc__moment_t pfc__passed_on(pfc__moment_t here, pfc__moment_t there, pfc__transfer_t step)
{
    there = pfc__passed_later(there, step);
    here.clock = pfc__max(here.clock, there.clock);
    return pfc__later_arrival(here, there);
}

PFC__HOT pfc__moment_t pfc__passed_moment(pfc__latest_t l, pfc__moment_t passed)
{
    pfc__moment_t m = pfc__latest_bounds(l, passed.ct, passed.ct - passed.lt, passed.u + passed.clock);
    m.clock = passed.clock; /* however well its delay is known */
    return m;
}
