/* ------------------------------------------------------ children (impl) ---
   Threads that others have started and may join: what they begin with, and when
   they ended. */

#if defined PFC__THREADS_MEET

typedef struct pfc__child {
    struct pfc__child *next;
    pthread_t thread;
    void *(*routine)(void *);
    void *argument;
    pfc__i64 delta, doubt; /* where it was started */
    pfc__moment_t end;
    int ended;
    int holders;           /* the thread itself, the list, who joins it */
} pfc__child_t;

static pfc__child_t *pfc__children; /* that may be joined */

static PFC__QUIET void pfc__child_release(pfc__child_t *child)
{
    if (!--child->holders) free(child);
}

static PFC__QUIET pfc__child_t **pfc__child_find(pthread_t thread)
{
    pfc__child_t **at = &pfc__children;
    while (*at && !pthread_equal((*at)->thread, thread)) at = &(*at)->next;
    return at;
}

static PFC__QUIET void pfc__child_unlist(pfc__child_t **at)
{
    pfc__child_t *child = *at;
    if (!child) return;
    *at = child->next;
    pfc__child_release(child);
}

static PFC__QUIET pfc__child_t *pfc__child_new(const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
    pfc__child_t *child = (pfc__child_t *)calloc(1, sizeof *child);
    int detached = PTHREAD_CREATE_JOINABLE;
    if (!child) return 0;
    if (attributes) pthread_attr_getdetachstate(attributes, &detached);
    child->routine = routine;
    child->argument = argument;
    child->holders = detached == PTHREAD_CREATE_JOINABLE ? 2 : 1;
    return child;
}

static PFC__QUIET void pfc__child_list(pfc__child_t *child, pthread_t thread)
{
    pfc__lists_enter();
    pfc__child_unlist(pfc__child_find(thread)); /* who had the number before and was never joined */
    child->thread = thread;
    child->next = pfc__children;
    pfc__children = child;
    pfc__lists_leave();
}

/* For who is about to join it: afterwards its number may be another one's. */
static PFC__QUIET pfc__child_t *pfc__child_hold(pthread_t thread)
{
    pfc__child_t *child;
    pfc__lists_enter();
    if ((child = *pfc__child_find(thread)) != 0) child->holders++;
    pfc__lists_leave();
    return child;
}

static PFC__QUIET void pfc__child_leave(pfc__child_t *child)
{
    pfc__lists_enter();
    pfc__child_release(child);
    pfc__lists_leave();
}

/* Who came to join it at `arrival` has waited for it, where its end was seen. */
static PFC__QUIET void pfc__child_joined(pfc__child_t *child, pfc__thread_t *t, pfc__moment_t arrival)
{
    pfc__child_t **at = &pfc__children;
    if (child->ended) pfc__delta_meet(t, pfc__both_there(arrival, child->end));
    pfc__lists_enter();
    while (*at && *at != child) at = &(*at)->next;
    pfc__child_unlist(at);
    pfc__child_release(child);
    pfc__lists_leave();
}

/* A thread goes on from where `delta` was, with what has passed since the tick `since` upon it. */
static PFC__QUIET void pfc__thread_begins(pfc__thread_t *t, pfc__i64 since, pfc__i64 delta, pfc__i64 doubt)
{
    if (!pfc__settings.compensate) return;
    pfc__delta_take(t, delta + (pfc__clock() - since) * (1 << PFC__FRACTION), doubt);
    if (t->tick_begin < since) return;
    t->own -= t->delta; /* a new one: its share of Δ counts from here */
    t->met_change -= doubt;
}

/* The thread is through. */
static PFC__QUIET void pfc__child_ends(pfc__thread_t *t)
{
    pfc__child_t *child = t->child;
    t->child = 0;
    if (!child) return;
    child->end = pfc__thread_moment(t, t->tick_end);
    child->ended = 1;
    pfc__child_release(child);
}

#else

static PFC__QUIET void pfc__child_ends(pfc__thread_t *t) { (void)t; }

#endif
