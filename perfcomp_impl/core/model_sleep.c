/* ------------------------------------------------- model, sleep (impl) ---
   Sleep that nobody explains.

   A thread that slept in no call that is known to wait may have waited for
   another one's probes: they are in its LT. Where, isn't known; so it is in
   doubt at the thread's root, as much of it as those probes took. */

#define PFC__SLEEP_LEAST 0.02 /* of a thread's time; less may be the hypervisor's */

/* Of a thread's time what it slept in no call that is known to wait, ns. */
static PFC__QUIET double pfc__slept_unseen(const pfc__build_t *b, pfc__u32 thread)
{
    const pfc__thread_t *t = &b->thread[thread];
    double slept = pfc__ticks(t->slept, t->waited) * b->ns;
    return t->slept > 0 && slept > PFC__SLEEP_LEAST * b->p->path[b->p->thread[thread].root].stats.inclusive.ct ? slept : 0;
}

/* Of MPI's ranks nothing is said: they sleep in calls that wait for each other. */
static PFC__QUIET void pfc__build_sleep(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    double most[2] = { 0, 0 };                 /* instrumentation of a thread, and of the others than that one */
    pfc__u32 t, worst = 0;
    for (t = 0; t < p->threads; t++) {
        const pfc_time_t *all = &p->path[p->thread[t].root].stats.inclusive;
        double took = all->ct - all->lt;
        if (took > most[0]) most[1] = most[0], most[0] = took, worst = t;
        else if (took > most[1]) most[1] = took;
    }
    for (t = 0; t < p->threads && p->threads > 1 && p->compensated && !p->mpi; t++) {
        pfc_stats_t *root = &p->path[p->thread[t].root].stats;
        double slept = pfc__slept_unseen(b, t), doubt = fmin(slept, most[t == worst]);
        root->exclusive.error[PFC_ERROR_WAIT] += doubt;
        root->inclusive.error[PFC_ERROR_WAIT] += doubt;
        p->slept += slept;
    }
}
