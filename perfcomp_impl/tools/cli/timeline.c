/* Traces: what each thread did, in order, at its undisturbed time. All
   processes of a job lie on its clock. */
#include "cli.h"

static int is_on_job_clock(const pfc_profile_t *p) { return p->mpi && (p->mpi->zero < 0 || p->mpi->zero > 0); }

/* Undisturbed, ns of the day's clock since `utc`. */
static double began(const pfc_profile_t *p, int64_t utc) { return (double)(p->begin_utc_ns - utc) - p->fork_delta; }

/* Where a process's own times begin. The ranks of a job lie by its clock, from where its first one puts that. */
static double zero_of(const profiles_t *profiles, const pfc_profile_t *p)
{
    const int64_t utc = profiles->p[0]->begin_utc_ns;
    size_t k = 0;
    if (!is_on_job_clock(p)) return began(p, utc);
    while (!is_on_job_clock(profiles->p[k]) || profiles->p[k]->mpi->world != p->mpi->world) k++;
    return began(profiles->p[k], utc) + p->mpi->zero - profiles->p[k]->mpi->zero;
}

void timelines_open(timelines_t *timelines, const profiles_t *profiles)
{
    size_t k;
    timelines->profiles = profiles;
    timelines->spans = spans_of(profiles);
    timelines->communicators = communicators_of(profiles);
    timelines->first = 0;
    for (k = 0; k < profiles->n; k++) {
        double zero = zero_of(profiles, profiles->p[k]);
        if (zero < timelines->first) timelines->first = zero;
    }
}

void timelines_close(timelines_t *timelines)
{
    spans_free(&timelines->spans);
    communicators_free(&timelines->communicators);
}

static int is_move(const pfc_event_info_t *e) { return e->kind == PFC__EVENT_ENTER || e->kind == PFC__EVENT_EXIT; }

/* What was subtracted when an event was stamped may be less than what is known later to have come before it: a row of
   questions has turned out to be a wait when it is answered, and then the thread was never so far. Viewers sort by time. So
   none is later than what follows in its thread. */
static course_t course_of(const pfc_profile_t *p, uint32_t thread, double zero)
{
    course_t c = { .p = p, .thread = thread, .zero = zero };
    pfc_event_info_t e;
    uint64_t n;
    double least = 0;
    int is_known = 0;
    while (pfc_profile_event(p, thread, c.events, &e)) c.events++;
    c.ns = (double *)must(calloc((size_t)c.events + 1, sizeof *c.ns));
    c.ns[c.events] = zero; /* of a record without any it's the first */
    for (n = c.events; n-- > 0 && pfc_profile_event(p, thread, n, &e);) {
        if (is_move(&e) && (!is_known || e.lt < least)) least = e.lt, is_known = 1; /* of others Δ isn't settled */
        c.ns[n] = zero + (is_known && least > 0 ? least : 0);
        if (e.kind == PFC__EVENT_BEGUN) is_known = 0;
    }
    return c;
}

static uint64_t end_of(const course_t *c, uint64_t from)
{
    uint64_t at = from;
    pfc_event_info_t e;
    while (pfc_profile_event(c->p, c->thread, at, &e) && (e.kind != PFC__EVENT_BEGUN || at == from)) at++;
    return at;
}

/* Each in the first row where those before have ended: undisturbed, a thread may have begun before the one whose record it
   has. `end`: of the rows. */
static uint32_t row_of(course_t *c, const life_t *life, double **end)
{
    uint32_t row = 0;
    while (row < c->rows && (*end)[row] > c->ns[life->from]) row++;
    if (row == c->rows) *end = (double *)must(realloc(*end, ++c->rows * sizeof **end));
    (*end)[row] = c->ns[life->to > life->from ? life->to - 1 : life->from];
    return row;
}

static void find_lives(course_t *c)
{
    double *end = 0;
    size_t room = 0;
    uint64_t at = 0;
    do {
        life_t *life;
        if (c->lives == room) c->life = (life_t *)must(realloc(c->life, (room = 2 * room + 1) * sizeof *c->life));
        life = &c->life[c->lives++];
        life->from = at;
        life->to = at = end_of(c, at);
        life->row = row_of(c, life, &end);
    } while (at < c->events);
    free(end);
}

/* The next event that enters or leaves a region; 0: there is none. */
static int next_move(const course_t *c, uint64_t *at, pfc_event_info_t *next)
{
    do
        if (!pfc_profile_event(c->p, c->thread, ++*at, next)) return 0;
    while (!is_move(next));
    return 1;
}

/* The ends of one kind between two events. What was stamped twice, or has its other end in no trace, is left out. */
static void say_ends(const timelines_t *timelines, const course_t *c, uint64_t at, uint64_t end, uint32_t kind, double ns, told_t *tell, void *to)
{
    pfc_event_info_t e;
    for (; at < end && pfc_profile_event(c->p, c->thread, at, &e); at++) {
        const span_t *span = e.kind == kind ? spans_find(&timelines->spans, c->p, &e) : 0;
        if (span) tell(to, &(instant_t){ .kind = kind, .ns = ns, .region = span->kind == PFC__EVENT_STARTED ? span->what.region : PFC_NONE, .span = span });
    }
}

static void say_collective(const course_t *c, uint64_t at, uint64_t end, double ns, told_t *tell, void *to)
{
    pfc_event_info_t e;
    for (; at < end && pfc_profile_event(c->p, c->thread, at, &e); at++)
        if (e.kind == PFC__EVENT_COLLECTIVE) tell(to, &(instant_t){ .kind = e.kind, .ns = ns, .region = e.region, .collective = &e });
}

/* What one call did, from event `at` on: it comes to a collective and sends at its begin, which is `now`, and receives at its
   end. Returns the last one's index. */
static uint64_t say_call(const timelines_t *timelines, const course_t *c, uint64_t at, double now, told_t *tell, void *to)
{
    pfc_event_info_t next;
    uint64_t end = at;
    double later = next_move(c, &end, &next) ? c->ns[end] : now;
    say_collective(c, at, end, now, tell, to);
    say_ends(timelines, c, at, end, PFC__EVENT_SENT, now, tell, to);
    say_ends(timelines, c, at, end, PFC__EVENT_STARTED, now, tell, to);
    say_ends(timelines, c, at, end, PFC__EVENT_RECEIVED, later, tell, to);
    say_ends(timelines, c, at, end, PFC__EVENT_COMPLETED, later, tell, to);
    return end - 1;
}

/* The regions that a thread is in, outermost first; of them, those that it was in before its first event. */
typedef struct within { uint32_t *region; size_t depth, room, before; } within_t;

static void within_enter(within_t *w, uint32_t region)
{
    if (w->depth == w->room) {
        w->room = w->room ? 2 * w->room : 64;
        w->region = (uint32_t *)must(realloc(w->region, w->room * sizeof *w->region));
    }
    w->region[w->depth++] = region;
}

static uint32_t within_leave(within_t *w)
{
    const uint32_t region = w->region[--w->depth];
    if (w->before > w->depth) w->before = w->depth;
    return region;
}

static void within_turn(within_t *w)
{
    size_t i;
    for (i = 0; i < w->depth / 2; i++) {
        const uint32_t swap = w->region[i];
        w->region[i] = w->region[w->depth - 1 - i];
        w->region[w->depth - 1 - i] = swap;
    }
}

/* What is left without having been entered, the innermost first; `open`: what is entered and not left. */
static void find_left(const pfc_profile_t *p, uint32_t thread, within_t *left, within_t *open)
{
    pfc_event_info_t e;
    uint64_t i;
    for (i = 0; pfc_profile_event(p, thread, i, &e); i++) {
        if (e.kind == PFC__EVENT_ENTER) within_enter(open, e.region);
        else if (e.kind == PFC__EVENT_EXIT && open->depth) within_leave(open);
        else if (e.kind == PFC__EVENT_EXIT) within_enter(left, e.region);
    }
}

/* And what is never left: the regions that the thread is in now, but for those of the events. While it runs these may be
   others. */
static void find_never_left(const pfc_profile_t *p, uint32_t thread, within_t *left, const within_t *open)
{
    uint32_t at = p->thread[thread].now;
    size_t n = open->depth;
    for (; at != PFC_NONE && n && p->path[at].region == open->region[n - 1]; at = p->path[at].parent) n--;
    if (n) return;
    for (; at != PFC_NONE && p->path[at].parent != PFC_NONE; at = p->path[at].parent) within_enter(left, p->path[at].region);
}

/* When it was in them already: a forked process when it began. */
static double begin_of(const course_t *c, life_t life)
{
    return life.from || c->p->thread[c->thread].events_lost ? c->ns[life.from] : c->zero;
}

/* A ring begins anywhere, and a forked process in what its parent was in. */
static within_t within_first(const pfc_profile_t *p, uint32_t thread)
{
    within_t in = { 0 }, open = { 0 };
    find_left(p, thread, &in, &open);
    find_never_left(p, thread, &in, &open);
    within_turn(&in);
    in.before = in.depth;
    free(open.region);
    return in;
}

/* What a program has left open that went by exit, died, or runs, goes up to where its thread was. */
static void say_open(within_t *w, double ns, told_t *tell, void *to)
{
    while (w->depth) tell(to, &(instant_t){ .kind = PFC__EVENT_EXIT, .ns = ns, .region = within_leave(w) });
}

/* Of a call whose begin was overwritten it isn't told what it has sent and received. */
static void say_life(const timelines_t *timelines, const course_t *c, life_t life, double end, told_t *tell, void *to)
{
    within_t in = { 0 };
    pfc_event_info_t e;
    double now = begin_of(c, life);
    uint64_t i;
    if (!life.from) in = within_first(c->p, c->thread);
    for (i = 0; i < in.depth; i++) tell(to, &(instant_t){ .kind = PFC__EVENT_ENTER, .ns = now, .region = in.region[i], .is_late = 1 });
    for (i = life.from; i < life.to && pfc_profile_event(c->p, c->thread, i, &e); i++) {
        if (!is_move(&e)) {
            if (in.depth > in.before) i = say_call(timelines, c, i, now, tell, to);
            continue;
        }
        now = c->ns[i];
        if (e.kind == PFC__EVENT_ENTER) within_enter(&in, e.region);
        else if (in.depth) e.region = within_leave(&in); /* in a damaged profile it may be another one */
        else continue;
        tell(to, &(instant_t){ .kind = e.kind, .ns = now, .region = e.region, .calls = e.tag });
    }
    say_open(&in, life.to == c->events && end > now ? end : now, tell, to);
    free(in.region);
}

uint32_t timeline_further(const pfc_profile_t *p)
{
    uint32_t i, id = 0;
    for (i = 0; i < p->threads; i++)
        if (p->thread[i].id >= id) id = p->thread[i].id + 1;
    return id;
}

course_t timeline_course(const timelines_t *timelines, const pfc_profile_t *p, uint32_t thread)
{
    course_t c = course_of(p, thread, zero_of(timelines->profiles, p) - timelines->first);
    find_lives(&c);
    return c;
}

void course_free(course_t *c)
{
    free(c->life);
    free(c->ns);
}

void timeline_tell(const timelines_t *timelines, const course_t *c, uint32_t row, told_t *tell, void *to)
{
    size_t i;
    for (i = 0; i < c->lives; i++)
        if (c->life[i].row == row) say_life(timelines, c, c->life[i], c->zero + c->p->thread[c->thread].end_lt, tell, to);
}
