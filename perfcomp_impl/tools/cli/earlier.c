/* Profiles that earlier runs have left in the same folder. */
#include "cli.h"

/* Whether it has the name that each run takes, so that it has replaced that of the run before. */
static int has_first_name(const pfc_profile_t *p)
{
    const char *slash = strrchr(p->file, '/');
    return !strcmp(slash ? slash + 1 : p->file, "perfcomp.0.pfc");
}

static int is_mpi_or_merged(const pfc_profile_t *p) { return p->mpi || p->collected; }

/* The run's first process, or NULL. */
static const pfc_profile_t *last_to_begin(const profiles_t *profiles, size_t first)
{
    size_t i;
    for (i = first; i < profiles->n; i++)
        if (has_first_name(profiles->p[i]) && !is_mpi_or_merged(profiles->p[i]) && !profiles->p[i]->forked) return profiles->p[i];
    return 0;
}

/* A run replaces its own profile of the last time in this folder, but not those of the processes that it forked then, nor of
   the programs that were started while it ran: they began before this, when whoever has started them isn't here any more. */
static int64_t begin_of_run(const profiles_t *profiles, size_t first)
{
    const pfc_profile_t *last = last_to_begin(profiles, first);
    int64_t begin = INT64_MIN;
    size_t i;
    if (last) return last->begin_utc_ns;
    for (i = first; i < profiles->n; i++) {
        const pfc_profile_t *p = profiles->p[i];
        if (!p->forked && (begin == INT64_MIN || p->begin_utc_ns < begin)) begin = p->begin_utc_ns;
    }
    return begin;
}

/* Whether `p` has forked that process, or became it, by exec. */
static int has_started(const pfc_profile_t *p, const pfc_profile_t *child)
{
    return (p->pid == child->parent_pid || p->pid == child->pid) && p->begin_utc_ns < child->begin_utc_ns && !strcmp(p->host, child->host);
}

static int by_begin(const void *a, const void *b)
{
    ORDER((*(pfc_profile_t *const *)a)->begin_utc_ns, (*(pfc_profile_t *const *)b)->begin_utc_ns);
    return 0;
}

/* Of each of n processes, whose starters stand before them: whether it ran on after `begin`, or what it has started did: a daemon
   that starts its new version, and ends. */
static void find_ran_on(pfc_profile_t *const *p, size_t n, int64_t begin, unsigned char *ran_on)
{
    size_t i, k;
    for (i = n; i-- > 0;) {
        ran_on[i] = p[i]->begin_utc_ns >= begin || p[i]->run == PFC_RUNNING || p[i]->last_utc_ns >= begin;
        for (k = i + 1; k < n && !ran_on[i]; k++) ran_on[i] = ran_on[k] && has_started(p[i], p[k]);
    }
}

/* Whether that was so of none, nor of who has started it. A daemon's processes began before all that wasn't forked, too, where
   the same program was started again to reload or stop it: they ran on then, or who started them did. */
static void find_earlier(pfc_profile_t *const *p, size_t n, const unsigned char *ran_on, unsigned char *earlier)
{
    size_t i, k;
    for (i = 0; i < n; i++) {
        earlier[i] = !ran_on[i] && (p[i]->forked || !is_mpi_or_merged(p[i]));
        for (k = 0; k < i && earlier[i]; k++) earlier[i] = earlier[k] || !has_started(p[k], p[i]);
    }
}

/* Nor does an MPI job replace those of ranks that it hasn't itself, nor an earlier merged file. This is its rank 0, or NULL;
   that of processes which it spawned has a name with a number more. */
static const pfc_profile_t *rank_0(const profiles_t *profiles, size_t first)
{
    const pfc_profile_t *newest = 0;
    size_t i;
    for (i = first; i < profiles->n; i++) {
        const pfc_profile_t *p = profiles->p[i];
        if (has_first_name(p) && p->mpi && !p->mpi->rank && (!newest || p->begin_utc_ns > newest->begin_utc_ns)) newest = p;
    }
    return newest;
}

static int are_merged(const pfc_profile_t *p, const pfc_profile_t *q)
{
    const char *name = strrchr(p->file, '/');
    return p->collected && q->collected && name && !strncmp(p->file, q->file, (size_t)(name - p->file) + 1);
}

/* It had been in MPI_Init, and ended, when `newest` began, which can't be in one job. Clocks of hosts differ: told on one. */
static int is_of_earlier_job(const pfc_profile_t *p, const pfc_profile_t *newest)
{
    return newest && p->mpi && p->run != PFC_RUNNING && p->last_utc_ns < newest->begin_utc_ns && !strcmp(p->host, newest->host) &&
           !are_merged(p, newest);
}

static void say_left_out(const char *folder, size_t n, const char *one, const char *several)
{
    if (n)
        say(0, "%s: %zu %s of an earlier run: left out unless named; remove old profiles before a run", folder, n, n == 1 ? one : several);
}

void leave_out_earlier(profiles_t *profiles, size_t first, const char *folder)
{
    enum { KEPT, OF_JOB, FORKED, STARTED, REASONS };
    const pfc_profile_t *newest = rank_0(profiles, first);
    const int64_t begin = begin_of_run(profiles, first);
    const size_t all = profiles->n - first;
    pfc_profile_t **p = profiles->p + first;
    unsigned char *ran_on = must(calloc(2 * all + 1, 1)), *why = ran_on + all;
    size_t i, n[REASONS] = { 0 };
    if (all) qsort(p, all, sizeof *p, by_begin); /* so those who started others stand before them */
    find_ran_on(p, all, begin, ran_on);
    find_earlier(p, all, ran_on, why);
    for (i = 0; i < all; i++) {
        if (is_of_earlier_job(p[i], newest)) why[i] = OF_JOB;
        else if (why[i]) why[i] = p[i]->forked ? FORKED : STARTED;
    }
    for (profiles->n = first, i = 0; i < all; i++) {
        n[why[i]]++;
        if (why[i] != KEPT) pfc_profile_close(p[i]);
        else profiles->p[profiles->n++] = p[i];
    }
    free(ran_on);
    if (profiles->told != ALL_IS_TOLD) return;
    say_left_out(folder, n[OF_JOB], "MPI rank is", "MPI ranks are");
    say_left_out(folder, n[FORKED], "forked process is", "forked processes are");
    say_left_out(folder, n[STARTED], "program is", "programs are");
}
