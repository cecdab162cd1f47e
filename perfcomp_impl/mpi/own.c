/* ---------------------------------------------------- own time (MPI impl) ---
   What a wrapper does before and after the library's call is ours, and charged
   as the clock tells. Of short messages in quick succession reading the clock
   would be a third of it: there one time in sixteen, drawn at random, is
   measured, and the others are taken to be as long as the last ones that were
   measured, on average. Their sum has no bias, as that of regions with
   PERFCOMP_BUDGET hasn't. */

typedef struct pfc__own { pfc__i64 mean; pfc__u32 known; } pfc__own_t; /* ticks, fixed point; of so many */
typedef struct pfc__own_parts { pfc__own_t before, after; pfc__i64 last; } pfc__own_parts_t; /* last: tick of such a call */

enum { PFC__OWN_BYTES = 256, PFC__OWN_SOON_NS = 4000, PFC__OWN_LAST = 32, PFC__OWN_LONGEST = 16 };

/* `parts` when the last such call was shortly before `tick`, else NULL: the clock tells. A trace's events must be in
   order, and modelled costs be exact. Of several threads, one may wait inside of us
   for another: charged by the mean, calls that didn't wait would begin after their end. */
PFC__HOT pfc__own_parts_t *pfc__own_soon(pfc__own_parts_t *parts, pfc__i64 tick)
{
#ifdef PERFCOMP_CHARGE
    return (void)parts, (void)tick, (pfc__own_parts_t *)0;
#else
    pfc__i64 last = __atomic_load_n(&parts->last, __ATOMIC_RELAXED);
    int soon = pfc__by_rate(&pfc__mpi.tick_rate, tick - last) < PFC__OWN_SOON_NS;
    __atomic_store_n(&parts->last, tick, __ATOMIC_RELAXED);
    return PFC__LIKELY(soon && pfc__self && !pfc__self->ring && !pfc__mpi.threads) ? parts : 0;
#endif
}

/* One that took much longer than the others was interrupted, or was the first, which isn't what the next ones will be.
   As long as few are known, the others show it by being much shorter: what was known before them doesn't count. */
static PFC__COLD pfc__i64 pfc__own_measure(pfc__own_t *o, pfc__i64 tick)
{
    pfc__i64 now = pfc__charge_since(tick), ticks = (now - tick) * (1 << PFC__FRACTION);
    pfc__i64 mean = __atomic_load_n(&o->mean, __ATOMIC_RELAXED);
    pfc__u32 known = __atomic_load_n(&o->known, __ATOMIC_RELAXED); /* of two threads at once, one may be forgotten */
    if (known < PFC__OWN_LAST && mean > PFC__OWN_LONGEST * ticks) known = 0, mean = 0;
    if (known) ticks = pfc__min(ticks, PFC__OWN_LONGEST * mean);
    __atomic_store_n(&o->mean, mean + (ticks - mean) / (known + 1), __ATOMIC_RELAXED);
    __atomic_store_n(&o->known, known + (known < PFC__OWN_LAST), __ATOMIC_RELAXED);
    return now;
}

/* The time since `tick` was ours. Returns until when. */
PFC__HOT pfc__i64 pfc__charge_own(pfc__own_t *o, pfc__i64 tick)
{
    pfc__u64 random = (pfc__u64)tick * 0x9e3779b97f4a7c15u;
    pfc__i64 ticks;
    if (PFC__UNLIKELY(!(random >> 60) || __atomic_load_n(&o->known, __ATOMIC_RELAXED) < PFC__OWN_LAST)) return pfc__own_measure(o, tick);
    ticks = (__atomic_load_n(&o->mean, __ATOMIC_RELAXED) + (pfc__i64)(random >> 32 & ((1 << PFC__FRACTION) - 1))) >> PFC__FRACTION;
    pfc__delta_charge(pfc__self, ticks);
    return tick + ticks;
}
