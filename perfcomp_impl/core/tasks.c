/* --------------------------------------------------------- tasks (impl) ---
   OpenMP's tasks. A thread that waits, at a barrier, for its team's end or for
   tasks of its own, runs tasks meanwhile: each begins when both its thread and
   the task are there, and a wait for them ends with the last one's end. Which
   thread runs a task may be another one without instrumentation, and what a task
   depends on: that isn't known. */

#if defined PFC__THREADS_MEET

typedef struct pfc__task {
    unsigned holders;           /* it itself, until it has ended, and those that it has made */
    struct pfc__task *parent;   /* NULL: it is a team's thread's, or the program's, that has made others; a group's: whose it is */
    struct pfc__task *group;    /* the innermost task group that it is made in, for whose end it counts */
    pfc__moment_t made;
    pfc__latest_t ended;        /* those that it has made, or of a group: that were made in it */
    struct pfc__rest *rest;     /* of its thread, while it runs, … */
    struct pfc__task *outer;    /* … and what that ran before */
    int has_begun;
} pfc__task_t;

/* A wait in which tasks may run. */
typedef struct pfc__rest {
    struct pfc__rest *outer;
    pfc__moment_t since;        /* it, or the last task that the thread has run in it */
    pfc__latest_t *all;         /* what it is a wait for; NULL: tasks alone */
} pfc__rest_t;

PFC__TLS pfc__rest_t *pfc__rest; /* NULL: this thread is at work */
PFC__TLS pfc__task_t *pfc__task; /* that it runs; NULL: none that has made one */

static PFC__QUIET void pfc__rest_begins(pfc__rest_t *rest, pfc__moment_t since, pfc__latest_t *all)
{
    rest->outer = pfc__rest;
    rest->since = since;
    rest->all = all;
    pfc__rest = rest;
}

static PFC__QUIET void pfc__rest_ends(const pfc__rest_t *rest) { pfc__rest = rest->outer; }

/* ---- a task's life. Under the lock of waits, but for its begin */

static PFC__QUIET pfc__task_t *pfc__task_new(void)
{
    pfc__task_t *task = (pfc__task_t *)calloc(1, sizeof *task);
    if (!task) return 0;
    task->holders = 1;
    task->ended = pfc__latest_none();
    return task;
}

static PFC__QUIET void pfc__task_leave(pfc__task_t *task)
{
    while (task && !--task->holders) {
        pfc__task_t *parent = task->parent;
        free(task);
        task = parent;
    }
}

/* One that the running task makes. NULL: no memory. */
static PFC__QUIET pfc__task_t *pfc__task_of_running(void)
{
    pfc__task_t *task = pfc__task_new();
    if (!pfc__task) pfc__task = pfc__task_new();
    if (!task || !pfc__task) { free(task); return 0; }
    task->parent = pfc__task;
    task->group = pfc__task->group;
    return task;
}

/* What this thread did for it since `tick` was ours. */
static PFC__QUIET pfc__task_t *pfc__task_made(pfc__thread_t *t, pfc__i64 tick)
{
    pfc__task_t *task = pfc__task_of_running();
    pfc__waits_enter();
    if (task) task->parent->holders++;
    pfc__waits_leave();
    tick = pfc__charge_until_now(t, tick);
    if (task) task->made = pfc__thread_moment(t, tick);
    if (task && pfc__rest) pfc__rest->since = task->made; /* in a loop of tasks, before it waits for them */
    return task;
}

static PFC__QUIET void pfc__task_begins(pfc__task_t *task, pfc__thread_t *t, pfc__i64 since)
{
    task->rest = pfc__rest;
    task->outer = pfc__task;
    if (pfc__rest) pfc__delta_meet(t, pfc__both_there(pfc__rest->since, task->made));
    pfc__rest = 0;
    pfc__task = task;
    task->has_begun = 1;
    pfc__thread_goes_on(t, since);
    pfc__charge_until_now(t, since);
}

static PFC__QUIET void pfc__task_ends(pfc__task_t *task, pfc__thread_t *t)
{
    pfc__i64 tick = pfc__hits_charge_due(pfc__clock());
    pfc__moment_t end;
    pfc__rest_t *rest = task->rest;
    pfc__rest = rest;
    pfc__task = task->outer;
    pfc__waits_enter();
    end = pfc__thread_moment(t, pfc__charge_until_now(t, tick));
    if (task->parent) task->parent->ended = pfc__latest_merge(task->parent->ended, pfc__latest_of(end));
    if (task->group) task->group->ended = pfc__latest_merge(task->group->ended, pfc__latest_of(end));
    if (rest && rest->all) *rest->all = pfc__latest_merge(*rest->all, pfc__latest_of(end));
    if (rest) rest->since = end;
    pfc__task_leave(task);
    pfc__waits_leave();
    if (rest) pfc__thread_waits(t);
}

/* What isn't made by a task is made by a team's thread: it ends with the team. */
static PFC__QUIET void pfc__task_forgotten(void)
{
    pfc__task_t *task = pfc__task;
    pfc__task = 0;
    pfc__waits_enter();
    pfc__task_leave(task);
    pfc__waits_leave();
}

/* ---- waits for tasks: of the running one, or of a group */

typedef struct pfc__tasks_wait {
    pfc__visit_t visit;
    pfc__rest_t rest;
    pfc__task_t *whose;
} pfc__tasks_wait_t;

static PFC__QUIET void pfc__tasks_await(pfc__tasks_wait_t *w, pfc__task_t *whose, pfc__visit_t visit)
{
    w->visit = visit;
    w->whose = whose;
    pfc__visit_waits(&w->visit);
    pfc__rest_begins(&w->rest, w->visit.arrival, 0);
}

static PFC__QUIET void pfc__tasks_awaited(pfc__tasks_wait_t *w)
{
    pfc__latest_t latest = pfc__latest_of(w->rest.since);
    pfc__rest_ends(&w->rest);
    pfc__visit_goes_on(&w->visit);
    pfc__waits_enter();
    if (!pfc__latest_is_none(w->whose->ended)) pfc__delta_meet(w->visit.thread, pfc__latest_moment(pfc__latest_merge(latest, w->whose->ended)));
    w->whose->ended = pfc__latest_none();
    pfc__waits_leave();
    pfc__visit_ends(&w->visit);
}

/* A group is like a task that makes what is made in it. NULL: no memory. */
static PFC__QUIET pfc__task_t *pfc__group_begins(void)
{
    pfc__task_t *group = pfc__task_of_running();
    if (group) pfc__task->group = group;
    return group;
}

/* NULL: none that the running task has begun. */
static PFC__QUIET pfc__task_t *pfc__group_of_running(void)
{
    pfc__task_t *group = pfc__task ? pfc__task->group : 0;
    return group && group->parent == pfc__task ? group : 0;
}

static PFC__QUIET void pfc__group_ends(pfc__task_t *group)
{
    pfc__task->group = group->group;
    free(group);
}

/* ---- gcc's. libgomp copies the data of a task: the copy has our own in front, with room for what it writes there itself */

typedef struct pfc__task_data {
    long long range[2];         /* of a loop's part; or the event of a task that detaches */
    pfc__task_t *task;          /* NULL: no memory */
    void (*body)(void *);
    size_t at;                  /* where its own data begin */
} pfc__task_data_t;

typedef struct pfc__task_given {
    pfc__task_data_t ours;
    void (*copy)(void *, void *);
    void *data;
    size_t bytes;
    pfc__thread_t *thread;      /* which makes it */
    int detaches;               /* libgomp writes its event where the data begin, before they are copied */
} pfc__task_given_t;

/* What GOMP_task and GOMP_taskloop are told. */
enum { PFC__TASKLOOP_NO_GROUP = 1 << 11, PFC__TASKLOOP_REDUCES = 1 << 12, PFC__TASK_DETACHES = 1 << 13 };

static void pfc__task_copy(void *to, void *from)
{
    pfc__i64 tick = pfc__clock();
    int saved = errno;
    const pfc__task_given_t *given = (const pfc__task_given_t *)from;
    pfc__task_data_t *ours = (pfc__task_data_t *)to;
    char *data = (char *)to + given->ours.at;
    *ours = given->ours;
    ours->task = pfc__task_made(given->thread, tick);
    errno = saved;
    if (given->detaches && given->data) memcpy(given->data, &given->ours, sizeof(void *));
    if (given->copy) given->copy(data, given->data);
    else memcpy(data, given->data, given->bytes);
}

static PFC__QUIET void pfc__task_run(pfc__task_data_t *ours, pfc__i64 since)
{
    int saved = errno;
    pfc__thread_t *t = ours->task ? pfc__thread_at_leisure() : 0;
    if (t) pfc__task_begins(ours->task, t, since);
    errno = saved;
    ours->body((char *)ours + ours->at);
    saved = errno;
    if (t) pfc__task_ends(ours->task, t);
    errno = saved;
}

static void pfc__task_body(void *copy) { pfc__task_run((pfc__task_data_t *)copy, pfc__clock()); }

static PFC__QUIET long pfc__task_gives(pfc__task_given_t *given, pfc__thread_t *t, void (*body)(void *), void *data,
                                       void (*copy)(void *, void *), long bytes, long alignment)
{
    memset(given, 0, sizeof *given);
    given->ours.body = body;
    given->ours.at = (sizeof given->ours + (size_t)alignment - 1) / (size_t)alignment * (size_t)alignment;
    given->copy = copy;
    given->data = data;
    given->bytes = (size_t)bytes;
    given->thread = t;
    return (long)given->ours.at + bytes;
}

#define PFC__TASK_ALIGNMENT(own) ((own) > 16 ? (own) : 16)

/* libgomp's gained arguments from version to version: more than it knows do no harm. */
extern __attribute__((weak)) void __real_GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned char, unsigned,
                                                   void **, int, void *);
PFC__INSTEAD void __wrap_GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,
                                   unsigned char deferred, unsigned flags, void **depends, int priority, void *detach)
{
    pfc__thread_t *t = pfc__thread_at_leisure();
    pfc__task_given_t given;
    if (t) {
        bytes = pfc__task_gives(&given, t, body, data, copy, bytes, alignment);
        given.detaches = (flags & PFC__TASK_DETACHES) != 0;
        alignment = PFC__TASK_ALIGNMENT(alignment);
        body = pfc__task_body;
        data = &given;
        copy = pfc__task_copy;
    }
    __real_GOMP_task(body, data, copy, bytes, alignment, deferred, flags, depends, priority, detach);
}

/* A part of the loop is what stands first in its data, where libgomp writes it. */

#define PFC__TASKLOOP(name, number) \
    static void pfc__##name##_body(void *copy) \
    { \
        pfc__i64 since = pfc__clock(); \
        pfc__task_data_t *ours = (pfc__task_data_t *)copy; \
        memcpy((char *)copy + ours->at, copy, 2 * sizeof(number)); \
        pfc__task_run(ours, since); \
    } \
    extern __attribute__((weak)) void __real_##name(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned, \
                                                    unsigned long, int, number, number, number); \
    PFC__INSTEAD void __wrap_##name(void (*body)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment, \
                                    unsigned flags, unsigned long tasks, int priority, number begin, number end, number step) \
    { \
        static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp taskloop", 0, ""); \
        pfc__thread_t *t = flags & PFC__TASKLOOP_REDUCES ? 0 : pfc__thread_at_leisure(); /* it looks into the data */ \
        pfc__task_t *group = t && !(flags & PFC__TASKLOOP_NO_GROUP) ? pfc__group_begins() : 0; \
        pfc__tasks_wait_t wait; \
        pfc__task_given_t given; \
        if (t) { \
            bytes = pfc__task_gives(&given, t, body, data, copy, bytes, alignment); \
            alignment = PFC__TASK_ALIGNMENT(alignment); \
            body = pfc__##name##_body; \
            data = &given; \
            copy = pfc__task_copy; \
        } \
        if (group) pfc__tasks_await(&wait, group, pfc__visit_begins(t, &site)); \
        __real_##name(body, data, copy, bytes, alignment, flags, tasks, priority, begin, end, step); \
        if (group) { \
            pfc__tasks_awaited(&wait); \
            pfc__group_ends(group); \
        } \
    }

PFC__TASKLOOP(GOMP_taskloop, long)
PFC__TASKLOOP(GOMP_taskloop_ull, unsigned long long)

extern __attribute__((weak)) void __real_GOMP_taskwait(void);
PFC__INSTEAD void __wrap_GOMP_taskwait(void)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp taskwait", 0, "");
    pfc__thread_t *t = pfc__task ? pfc__thread_at_leisure() : 0;
    pfc__tasks_wait_t wait;
    if (t) pfc__tasks_await(&wait, pfc__task, pfc__visit_begins(t, &site));
    __real_GOMP_taskwait();
    if (t) pfc__tasks_awaited(&wait);
}

extern __attribute__((weak)) void __real_GOMP_taskgroup_start(void);
PFC__INSTEAD void __wrap_GOMP_taskgroup_start(void)
{
    if (pfc__thread_at_leisure()) pfc__group_begins();
    __real_GOMP_taskgroup_start();
}

extern __attribute__((weak)) void __real_GOMP_taskgroup_end(void);
PFC__INSTEAD void __wrap_GOMP_taskgroup_end(void)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp taskgroup", 0, "");
    pfc__task_t *group = pfc__group_of_running();
    pfc__thread_t *t = group ? pfc__thread_at_leisure() : 0;
    pfc__tasks_wait_t wait;
    if (t) pfc__tasks_await(&wait, group, pfc__visit_begins(t, &site));
    __real_GOMP_taskgroup_end();
    if (!t) return;
    pfc__tasks_awaited(&wait);
    pfc__group_ends(group);
}

#endif
