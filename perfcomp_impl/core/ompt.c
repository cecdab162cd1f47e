/* ---------------------------------------------------------- ompt (impl) ---
   The same for clang's OpenMP, and others whose runtime lets tools listen
   (OpenMP 5.0, section 4, OMPT): it calls us where threads fork, meet and join.
   A begin and its end are two calls: what lies between them is kept here. */

#if defined PFC__THREADS_MEET

typedef union pfc__ompt_data { pfc__u64 value; void *ptr; } pfc__ompt_data_t; /* for us to write in */

typedef struct pfc__ompt_team {
    pfc__team_t team;
    pfc__visit_t visit;     /* of who forks it, and joins it */
    struct pfc__ompt_team *outer; /* the next one with this master */
    const void *where;      /* in the program's code */
    unsigned threads;
    int is_joined;          /* its master has come to its end */
} pfc__ompt_team_t;

typedef struct pfc__ompt_wait {
    struct pfc__ompt_wait *outer; /* a task may wait that is run in a wait */
    const void *object;     /* a team, at a barrier; or whose tasks it waits for */
    union { pfc__team_wait_t team; pfc__tasks_wait_t tasks; } of;
} pfc__ompt_wait_t;

/* The standard's numbers (OpenMP 5.0, section 4.4), of what we use. */
enum { PFC__OMPT_PARALLEL_BEGIN = 3, PFC__OMPT_PARALLEL_END = 4, PFC__OMPT_TASK_CREATE = 5, PFC__OMPT_TASK_SCHEDULE = 6,
       PFC__OMPT_IMPLICIT_TASK = 7, PFC__OMPT_SYNC_REGION_WAIT = 16, PFC__OMPT_SYNC_REGION = 23 };
enum { PFC__OMPT_SET_ALWAYS = 5 };
enum { PFC__OMPT_BEGIN = 1, PFC__OMPT_END = 2 };
enum pfc__ompt_kind { PFC__OMPT_IMPLICIT = 2, PFC__OMPT_TASKWAIT = 5, PFC__OMPT_TASKGROUP = 6, PFC__OMPT_REDUCTION = 7,
                      PFC__OMPT_JOIN = 9, PFC__OMPT_TEAMS = 10 };
enum { PFC__OMPT_EXPLICIT = 4, PFC__OMPT_UNTIED = 0x10000000 };
enum { PFC__OMPT_COMPLETE = 1, PFC__OMPT_CANCEL = 3 };

static int pfc__ompt_is_on;
PFC__TLS pfc__ompt_wait_t *pfc__ompt_wait; /* the innermost */
PFC__TLS pfc__ompt_team_t *pfc__ompt_forked; /* the innermost that this thread is the master of */

/* What the program runs before the end lies higher in the stack than the runtime, which calls us: as if from there. */
static PFC__QUIET pfc__visit_t pfc__ompt_visit(pfc__thread_t *t, pfc__site_t *site)
{
    pfc__visit_t v = pfc__visit_begins(t, site);
    if (v.region.depth) t->top->sp = t->top[-1].sp;
    return v;
}

/* ---- fork and join */

static void pfc__ompt_parallel_begins(pfc__ompt_data_t *task, const void *frame, pfc__ompt_data_t *parallel, unsigned asked, int flags,
                                      const void *where)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp parallel", 0, "");
    pfc__thread_t *t = pfc__thread_at_leisure();
    pfc__ompt_team_t *team;
    pfc__visit_t visit;
    (void)task; (void)frame; (void)asked; (void)flags;
    parallel->ptr = 0;
    if (!t) return;
    visit = pfc__ompt_visit(t, &site);
    team = (pfc__ompt_team_t *)calloc(1, sizeof *team);
    if (!team) { pfc__visit_ends(&visit); return; }
    team->where = where;
    pfc__team_fork(&team->team, &visit, 0, 0);
    team->visit = visit;
    team->outer = pfc__ompt_forked;
    pfc__ompt_forked = team;
    parallel->ptr = team;
}

/* The one that ends. LLVM has given its own team back by then, with our data in it: where regions are nested another thread
   may have got that meanwhile, and what we are told is that one's. */
static PFC__QUIET pfc__ompt_team_t *pfc__ompt_own(const void *told)
{
    pfc__ompt_team_t *team = told ? pfc__ompt_forked : 0;
    while (team && team != told) team = team->outer;
    return team || !told ? team : pfc__ompt_forked;
}

static void pfc__ompt_parallel_ends(pfc__ompt_data_t *parallel, pfc__ompt_data_t *task, int flags, const void *where)
{
    pfc__ompt_team_t *team = pfc__ompt_own(parallel->ptr);
    (void)task; (void)flags; (void)where;
    if (!team) return;
    pfc__ompt_forked = team->outer;
    pfc__team_join(&team->team, &team->visit);
    free(team);
}

/* Before it waits for the others, who may free the team then. */
static PFC__QUIET void pfc__ompt_member_ends(pfc__ompt_team_t *team, pfc__thread_t *t)
{
    int saved = errno;
    if (t == team->team.master) team->is_joined = 1;
    pfc__member_ends(&team->team, t);
    errno = saved;
}

/* A thread begins in a team, and ends there; of the others than the master that is told when they are wanted again. */
static void pfc__ompt_member(int endpoint, pfc__ompt_data_t *parallel, pfc__ompt_data_t *task, unsigned threads, unsigned number, int flags)
{
    pfc__i64 since = pfc__clock();
    int saved = errno;
    pfc__ompt_team_t *team = endpoint != PFC__OMPT_BEGIN ? pfc__ompt_forked : parallel ? (pfc__ompt_team_t *)parallel->ptr : 0;
    pfc__thread_t *t;
    (void)flags;
    task->ptr = 0; /* not one of those that are made */
    if (!team || (endpoint != PFC__OMPT_BEGIN && number) || !(t = pfc__thread_at_leisure())) return;
    if (endpoint == PFC__OMPT_BEGIN) {
        __atomic_store_n(&team->threads, threads, __ATOMIC_RELAXED);
        pfc__member_begins(&team->team, t, since);
    } else if (t == team->team.master && !team->is_joined) pfc__ompt_member_ends(team, t); /* a team of one */
    errno = saved;
}

/* ---- waits */

/* NULL: no memory. */
static PFC__QUIET pfc__ompt_wait_t *pfc__ompt_wait_begins(const void *object)
{
    pfc__ompt_wait_t *w = (pfc__ompt_wait_t *)malloc(sizeof *w);
    if (!w) return 0;
    w->outer = pfc__ompt_wait;
    w->object = object;
    return pfc__ompt_wait = w;
}

/* To be freed. NULL: it hasn't waited for this. */
static PFC__QUIET pfc__ompt_wait_t *pfc__ompt_wait_ends(const void *object)
{
    pfc__ompt_wait_t *w = pfc__ompt_wait;
    if (!w || w->object != object) return 0;
    pfc__ompt_wait = w->outer;
    return w;
}

/* ---- barriers */

/* Whether the barrier is a team's end. LLVM up to 16, at least, has one kind for all barriers that aren't written: there it
   shows in what it says of the place. */
static PFC__QUIET int pfc__ompt_is_join(int kind, const pfc__ompt_team_t *team, const pfc__thread_t *t, const void *where)
{
    if (kind == PFC__OMPT_IMPLICIT) return where == (t == team->team.master ? team->where : 0);
    return kind == PFC__OMPT_JOIN || kind == PFC__OMPT_TEAMS;
}

static PFC__QUIET void pfc__ompt_comes(pfc__ompt_team_t *team, pfc__thread_t *t)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp barrier", 0, "");
    pfc__visit_t visit = pfc__ompt_visit(t, &site);
    pfc__ompt_wait_t *w = pfc__ompt_wait_begins(team);
    if (w) pfc__team_await(&w->of.team, &team->team, __atomic_load_n(&team->threads, __ATOMIC_RELAXED), visit);
    else pfc__visit_ends(&visit);
}

static PFC__QUIET void pfc__ompt_goes_on(const pfc__ompt_team_t *team, pfc__thread_t *t)
{
    pfc__ompt_wait_t *w = pfc__ompt_wait_ends(team);
    if (w) pfc__team_awaited(&w->of.team, &team->team);
    else pfc__thread_goes_on(t, pfc__clock());
    free(w);
}

/* Behind a team's end there is no `parallel` any more. */
static PFC__QUIET void pfc__ompt_barrier(int kind, int endpoint, pfc__ompt_data_t *parallel, const void *where)
{
    pfc__ompt_team_t *team = parallel ? (pfc__ompt_team_t *)parallel->ptr : 0;
    pfc__thread_t *t = team ? pfc__thread_at_leisure() : 0;
    if (!t) return;
    if (endpoint != PFC__OMPT_BEGIN) pfc__ompt_goes_on(team, t);
    else if (pfc__ompt_is_join(kind, team, t, where)) pfc__ompt_member_ends(team, t);
    else pfc__ompt_comes(team, t);
}

/* ---- tasks, and waits for them */

static void pfc__ompt_task_made(pfc__ompt_data_t *by, const void *frame, pfc__ompt_data_t *task, int flags, int depends, const void *where)
{
    pfc__i64 tick = pfc__clock();
    int saved = errno;
    pfc__thread_t *t = (flags & PFC__OMPT_EXPLICIT) && !(flags & PFC__OMPT_UNTIED) ? pfc__thread_at_leisure() : 0; /* those move */
    (void)by; (void)frame; (void)depends; (void)where;
    task->ptr = t ? pfc__task_made(t, tick) : 0;
    errno = saved;
}

static void pfc__ompt_task_turns(pfc__ompt_data_t *prior, int status, pfc__ompt_data_t *next)
{
    pfc__i64 since = pfc__clock();
    int saved = errno;
    pfc__task_t *ended = prior && (status == PFC__OMPT_COMPLETE || status == PFC__OMPT_CANCEL) ? (pfc__task_t *)prior->ptr : 0;
    pfc__task_t *task = next ? (pfc__task_t *)next->ptr : 0;
    pfc__thread_t *t = ended || task ? pfc__thread_at_leisure() : 0;
    if (t && ended && ended->has_begun) prior->ptr = 0, pfc__task_ends(ended, t);
    if (t && task && !task->has_begun) pfc__task_begins(task, t, since);
    errno = saved;
}

static PFC__QUIET void pfc__ompt_tasks_await(pfc__task_t *whose, pfc__thread_t *t, pfc__site_t *site)
{
    pfc__visit_t visit = pfc__ompt_visit(t, site);
    pfc__ompt_wait_t *w = pfc__ompt_wait_begins(whose);
    if (w) pfc__tasks_await(&w->of.tasks, whose, visit);
    else pfc__visit_ends(&visit);
}

static PFC__QUIET void pfc__ompt_tasks_wait(pfc__task_t *whose, int endpoint, pfc__site_t *site)
{
    pfc__thread_t *t = whose ? pfc__thread_at_leisure() : 0;
    pfc__ompt_wait_t *w;
    if (t && endpoint == PFC__OMPT_BEGIN) pfc__ompt_tasks_await(whose, t, site);
    else if (t && (w = pfc__ompt_wait_ends(whose)) != 0) {
        pfc__tasks_awaited(&w->of.tasks);
        free(w);
    }
}

static PFC__QUIET void pfc__ompt_group_wait(int endpoint)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp taskgroup", 0, "");
    pfc__task_t *group = pfc__group_of_running();
    pfc__ompt_tasks_wait(group, endpoint, &site);
    if (group && endpoint != PFC__OMPT_BEGIN) pfc__group_ends(group);
}

static void pfc__ompt_waits_at(int kind, int endpoint, pfc__ompt_data_t *parallel, pfc__ompt_data_t *task, const void *where)
{
    static pfc__site_t site = PFC__SITE(PFC__NAMED, "omp taskwait", 0, "");
    (void)task;
    if (kind == PFC__OMPT_TASKWAIT) pfc__ompt_tasks_wait(pfc__task, endpoint, &site);
    else if (kind == PFC__OMPT_TASKGROUP) pfc__ompt_group_wait(endpoint);
    else if (kind != PFC__OMPT_REDUCTION) pfc__ompt_barrier(kind, endpoint, parallel, where);
}

/* Around the wait: a group begins before anything is made in it. */
static void pfc__ompt_begins_at(int kind, int endpoint, pfc__ompt_data_t *parallel, pfc__ompt_data_t *task, const void *where)
{
    int saved = errno;
    (void)parallel; (void)task; (void)where;
    if (kind == PFC__OMPT_TASKGROUP && endpoint == PFC__OMPT_BEGIN && pfc__thread_at_leisure()) pfc__group_begins();
    errno = saved;
}

/* ---- ordered regions: a thread is told of its end when the next one may have begun already, which is too late. Both
   calls name the region's place in the program. */

extern __attribute__((weak)) void __real___kmpc_ordered(void *, int);
PFC__INSTEAD void __wrap___kmpc_ordered(void *place, int thread)
{
    pfc__thread_t *t = pfc__thread_at_leisure();
    if (!t) __real___kmpc_ordered(place, thread);
    else PFC__AWAIT(t, "omp ordered", place, 0, __real___kmpc_ordered(place, thread), 1);
}

extern __attribute__((weak)) void __real___kmpc_end_ordered(void *, int);
PFC__INSTEAD void __wrap___kmpc_end_ordered(void *place, int thread)
{
    pfc__signal(place);
    __real___kmpc_end_ordered(place, thread);
}

/* ---- what the runtime looks for when it begins */

typedef void (*pfc__ompt_call_t)(void);
typedef struct pfc__ompt_tool {
    int (*begins)(pfc__ompt_call_t (*lookup)(const char *name), int device, pfc__ompt_data_t *data);
    void (*ends)(pfc__ompt_data_t *data);
    pfc__ompt_data_t data;
} pfc__ompt_tool_t;

static int pfc__ompt_begins(pfc__ompt_call_t (*lookup)(const char *name), int device, pfc__ompt_data_t *data)
{
    static const struct { int event; pfc__ompt_call_t call; } calls[] = {
        { PFC__OMPT_PARALLEL_BEGIN, (pfc__ompt_call_t)pfc__ompt_parallel_begins },
        { PFC__OMPT_PARALLEL_END, (pfc__ompt_call_t)pfc__ompt_parallel_ends },
        { PFC__OMPT_TASK_CREATE, (pfc__ompt_call_t)pfc__ompt_task_made },
        { PFC__OMPT_TASK_SCHEDULE, (pfc__ompt_call_t)pfc__ompt_task_turns },
        { PFC__OMPT_IMPLICIT_TASK, (pfc__ompt_call_t)pfc__ompt_member },
        { PFC__OMPT_SYNC_REGION_WAIT, (pfc__ompt_call_t)pfc__ompt_waits_at },
        { PFC__OMPT_SYNC_REGION, (pfc__ompt_call_t)pfc__ompt_begins_at },
    };
    int (*set)(int event, pfc__ompt_call_t call) = (int (*)(int, pfc__ompt_call_t))lookup("ompt_set_callback");
    size_t i;
    (void)device; (void)data;
    pfc__ompt_is_on = set != 0;
    for (i = 0; set && i < sizeof calls / sizeof *calls; i++)
        pfc__ompt_is_on &= set(calls[i].event, calls[i].call) == PFC__OMPT_SET_ALWAYS;
    return pfc__ompt_is_on;
}

static void pfc__ompt_ends(pfc__ompt_data_t *data) { (void)data; }

/* A tool that the user has asked for comes first. */
__attribute__((weak)) pfc__ompt_tool_t *pfc__ompt_start(unsigned version, const char *runtime) __asm__("ompt_start_tool");
pfc__ompt_tool_t *pfc__ompt_start(unsigned version, const char *runtime)
{
    static pfc__ompt_tool_t tool = { pfc__ompt_begins, pfc__ompt_ends, { 0 } };
    (void)version; (void)runtime;
    return pfc__environment("OMP_TOOL_LIBRARIES") ? 0 : &tool;
}

#endif
