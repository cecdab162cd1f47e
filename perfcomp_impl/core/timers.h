/* ---------------------------------------------------------------- timers ---
   The internal door through which perfcomp_mpi.h enters: read the timers, set
   Δ and its uncertainty, charge overhead. Δ is kept in ticks with PFC__FRACTION
   binary places, so that a million roundings don't add up to a bias. */

PFC__EXTERN_C_BEGIN
/* 0: Δ stays 0, LT = CT (PERFCOMP_COMPENSATE=0). */
extern int pfc__compensates;
/* This thread's state; NULL when perfcomp is off. Registers the thread at first use. */
PFC__COLD pfc__thread_t *pfc__thread_get(void);
/* The time since `tick_begin` was ours: it becomes part of this thread's Δ. */
PFC__COLD void pfc__charge_slow(pfc__i64 tick_begin);
PFC__COLD void pfc__charge_start(pfc__i64 tick_begin); /* and a part of what beginning takes */
/* The share of Δ of the hits since the last time: it was so before the innermost region, which began at `begin`.
   Returns when it begins now: later in virtual time, where hits take their time at this moment. */
PFC__COLD pfc__i64 pfc__hits_charge(pfc__i64 begin);
/* Ticks to ns since the clock's zero, and the length of a span. */
PFC__COLD pfc__i64 pfc__ns_of_tick(pfc__i64 tick);
PFC__COLD pfc__i64 pfc__ns_of_span(pfc__i64 ticks);
PFC__COLD double pfc__ticks_per_ns(void);
/* That again: the longer since the start, the better. At MPI_Init, and at the end of the run. */
PFC__COLD void pfc__clock_measure_rate(void);
/* What operations cost, in ticks. The MPI layer fills in its own when it has measured it. */
PFC__COLD pfc__cost_t *pfc__costs(void);
#if defined PERFCOMP_SMPI
PFC__COLD void pfc__virtual_begins(void); /* from here on probes cost something: MPI_Init was called */
#endif
/* The ends of a message, in this thread's trace, which it has; see profile. By what the first returns the message is known. */
PFC__COLD pfc__i64 pfc__event_sent(pfc__i64 sent, pfc__u32 sender);
typedef struct pfc__came { pfc__i64 sent; pfc__u32 sender; int tag; pfc__i64 bytes, communicator; int source, rank; } pfc__came_t;
PFC__COLD void pfc__event_received(const pfc__came_t *came);
/* There, too, a collective; one that goes on beside the program has a number, by which it is completed. */
typedef struct pfc__meets { pfc__i64 communicator; pfc__u32 region, root; int rank; pfc__i64 bytes; } pfc__meets_t;
PFC__COLD void pfc__event_collective(const pfc__meets_t *m);
PFC__COLD pfc__i64 pfc__event_started(void);
PFC__COLD void pfc__event_completed(pfc__i64 number);
/* The call that we are in has asked in vain: with those before it, it is one. */
PFC__COLD void pfc__event_in_vain(void);
/* Whether this thread's innermost region is of that kind. */
PFC__COLD int pfc__is_amid(pfc__u32 kind);
/* Zeroed memory inside the profile, or NULL when there is no room. */
PFC__COLD void *pfc__extent_add(pfc__u32 kind, pfc__u32 elem_bytes, pfc__u64 capacity, pfc__u32 owner);
/* What the launcher says before MPI_Init: 0 where it says nothing. */
PFC__COLD int pfc__rank_of_launcher(void);
/* The process has found out its rank: the profile becomes perfcomp.<rank>.pfc. */
PFC__COLD void pfc__identity(int rank, int size);
/* Its file's name; "": it is in memory only. */
PFC__COLD const char *pfc__profile_file_name(void);
/* Where in that file something of the profile's stands; 0: it is in memory only. */
PFC__COLD pfc__u64 pfc__profile_offset(const void *part);
/* Where another copy of perfcomp records this process already, ours ends without a trace. 1: it did. */
PFC__COLD int pfc__profile_yield(void);
/* Ends the profile, and gives a copy as a file would hold it, to be freed; NULL: there is none, or no memory. */
PFC__COLD void *pfc__profile_finish(pfc__u64 *bytes);
PFC__COLD void pfc__profile_remove(void);
/* perfcomp.pfc, a file for all profiles of a job: room for so many bytes, under a name that isn't its own yet
   (`path`, PATH_MAX bytes); then its name, or, after an error, its end. 0, or an errno. */
PFC__COLD int pfc__job_file_create(char *path, pfc__u64 bytes);
PFC__COLD int pfc__job_file_settle(int error);
/* Whether RLIMIT_FSIZE lets this process write so far. */
PFC__COLD int pfc__fits_file_limit(size_t bytes);
/* An environment variable; NULL: it isn't set. */
PFC__COLD const char *pfc__environment(const char *name);
/* A number in one, with a point in whatever locale; `end`: what follows, or `text` where there is none. */
PFC__COLD double pfc__number(const char *text, const char **end);
/* What it says: on or off. */
PFC__COLD int pfc__switch(const char *name, int otherwise);
/* A pthread_mutex_t of ours, by the library's own functions, also where the program's calls of them are wrapped. */
PFC__COLD void pfc__mutex_lock(void *mutex);
PFC__COLD void pfc__mutex_unlock(void *mutex);
/* A line for the user: once on stderr, and kept in the profile. */
PFC__COLD void pfc__note(const char *format, ...) __attribute__((format(printf, 1, 2)));
PFC__COLD void pfc__note_setting(const char *format, ...) __attribute__((format(printf, 1, 2))); /* that is wrong: once a job */
PFC__COLD void pfc__note_keep(const char *format, ...) __attribute__((format(printf, 1, 2))); /* in the profile alone */
PFC__EXTERN_C_END

PFC__HOT pfc__i64 pfc__delta_get(void)
{
    return pfc__self ? pfc__self->delta : 0;
}

/* Whether it is time for pfc__hits_charge. */
PFC__HOT int pfc__hits_are_due(pfc__i64 tick)
{
    return pfc__self && tick >= pfc__self->hits_due;
}

/* If so. Returns when the innermost region begins now. */
PFC__HOT pfc__i64 pfc__hits_charge_due(pfc__i64 tick)
{
    return PFC__UNLIKELY(pfc__hits_are_due(tick)) ? pfc__hits_charge(tick) : tick;
}

/* So much of the time was ours: the clock has told, without a doubt. */
PFC__HOT void pfc__delta_charge(pfc__thread_t *t, pfc__i64 ticks)
{
    if (PFC__UNLIKELY(!pfc__compensates)) return;
    t->delta += ticks * (1 << PFC__FRACTION);
    t->met_delta += ticks * (1 << PFC__FRACTION);
}

/* How far Δ may be off: as far as when the thread last met another one, and what its own probes and hits have brought since. */
PFC__HOT pfc__i64 pfc__delta_doubt(const pfc__thread_t *t)
{
    double hits = (double)(t->hits_charged - t->met_hits), probes = (double)(t->delta - t->met_delta) - hits;
    return t->met_doubt + (pfc__i64)(t->pair_doubt * __builtin_fabs(probes) + t->hit_doubt * __builtin_fabs(hits));
}

/* The thread's Δ is another one's from here on. */
PFC__HOT void pfc__delta_take(pfc__thread_t *t, pfc__i64 delta, pfc__i64 doubt)
{
    if (PFC__UNLIKELY(!pfc__compensates)) return;
    t->met_gain += delta - t->delta;
    t->met_change += doubt - pfc__delta_doubt(t);
    t->met_doubt = doubt;
    if (doubt > t->met_most) t->met_most = doubt;
    t->met_delta = t->delta = delta;
    t->met_hits = t->hits_charged;
}
