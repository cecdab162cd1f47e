/* ------------------------------------------------------ children (impl) ---
   Threads that others have started and may join: what they begin with, and when
   they ended. */

PFC__TLS pfc__i64 pfc__begun_delta; /* of this thread, where nobody has told; see threads */

#if defined PFC__THREADS_MEET

typedef struct pfc__child {
    pfc__object_t object;  /* held by the thread itself, too, and until it is on its way by who starts it */
    void (*routine)(void); /* cast, as its result is one or the other */
    void *argument;
    pfc__i64 delta, doubt; /* where it was started */
    pfc__moment_t end;
    int ended;
    int awaits_name;       /* it may be joined, and isn't listed yet */
} pfc__child_t;

static pfc__object_t *pfc__children; /* that may be joined */

static PFC__QUIET pfc__child_t *pfc__child_new(const pthread_attr_t *attributes, void (*routine)(void), void *argument)
{
    pfc__child_t *child = (pfc__child_t *)calloc(1, sizeof *child);
    int detached = PTHREAD_CREATE_JOINABLE;
    if (!child) return 0;
    if (attributes) pthread_attr_getdetachstate(attributes, &detached);
    child->routine = routine;
    child->argument = argument;
    child->awaits_name = detached == PTHREAD_CREATE_JOINABLE;
    child->object.holders = child->awaits_name ? 3 : 2;
    return child;
}

/* Under the lock. By who starts it, or by itself, whoever is first: once it runs, where its name was put may be gone. */
static PFC__QUIET void pfc__child_named(pfc__child_t *child, pthread_t name)
{
    child->awaits_name = 0;
    pfc__object_put(&pfc__children, (pfc__uptr)name, &child->object);
}

/* Who came to join it at `arrival` has waited for it, where its end was seen. */
static PFC__QUIET void pfc__child_joined(pfc__child_t *child, pfc__thread_t *t, pfc__moment_t arrival)
{
    if (child->ended) pfc__delta_meet(t, pfc__both_there(arrival, child->end));
    pfc__object_drop(&pfc__children, &child->object);
}

/* A thread goes on from where `delta` was, with what has passed since the tick `since` upon it. One `is_new` that is
   older than that has met a signal handler first. */
static PFC__QUIET void pfc__thread_begins(pfc__thread_t *t, pfc__i64 since, pfc__i64 delta, pfc__i64 doubt, int is_new)
{
    pfc__i64 gain = t->met_gain, change = t->met_change, begun = t->delta;
    pfc__delta_take(t, delta, doubt);
    begun = t->delta - begun;
    pfc__delta_charge(t, pfc__clock() - since);
    if (!is_new) return;
    t->own -= t->tick_begin < since ? begun : t->delta - pfc__begun_delta; /* its share of Δ counts from here */
    t->met_gain = gain;
    t->met_change = change;
}

/* The thread is through. */
static PFC__QUIET void pfc__child_ends(pfc__thread_t *t)
{
    pfc__child_t *child = t->child;
    t->child = 0;
    if (!child) return;
    child->end = pfc__thread_moment(t, t->tick_end);
    child->ended = 1;
    pfc__object_release(&child->object);
}

#else

static PFC__QUIET void pfc__child_ends(pfc__thread_t *t) { (void)t; }

#endif
