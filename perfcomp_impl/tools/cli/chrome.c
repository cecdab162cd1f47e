/* perfcomp export --format chrome-trace: every event, at its undisturbed time. */
#include "cli.h"

#include <inttypes.h>

typedef struct track {
    FILE *f;
    const pfc_profile_t *p;
    long long process;           /* what tells it from the others */
    uint32_t thread;             /* its number, or of a further row that no thread has */
    uint64_t written, depth;
    const communicators_t *communicators;
    struct { uint64_t depth; pfc_event_info_t what; } collective; /* that the thread is in, if depth isn't 0 */
} track_t;

/* A process's rank, or where it has none of its own, its pid; where that doesn't tell them apart, as of two jobs, its place. */
static long long own_id(const pfc_profile_t *p) { return p->mpi ? (long long)p->rank : (long long)p->pid; }

static int ids_differ(const profiles_t *profiles)
{
    size_t i, k;
    for (i = 0; i < profiles->n; i++)
        for (k = 0; k < i; k++)
            if (own_id(profiles->p[i]) == own_id(profiles->p[k])) return 0;
    return 1;
}

/* What a viewer says of the process. */
static void say_of_process(const track_t *t, const char *name, const char *argument, const char *value)
{
    fprintf(t->f, "{\"ph\":\"M\",\"pid\":%lld,\"name\":\"%s\",\"args\":{\"%s\":", t->process, name, argument);
    pfc_print_json(t->f, value);
    fputs("}}", t->f);
}

static void print_process(const track_t *t)
{
    char name[1024];
    snprintf(name, sizeof name, "rank %u: %s", t->p->rank, t->p->command);
    say_of_process(t, "process_name", "name", t->p->mpi ? name : t->p->command);
    fputs(",\n", t->f);
    say_of_process(t, "process_labels", "labels", t->p->host);
    if (t->p->mpi) fprintf(t->f, ",\n{\"ph\":\"M\",\"pid\":%lld,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}", t->process, t->p->rank);
}

static void print_communicator(const track_t *t, int64_t name)
{
    const communicator_t *in = communicator_of(t->communicators, t->p, name);
    char title[64];
    if (in) fprintf(t->f, "\"communicator\":\"%s\",", communicator_title(t->communicators, in, title, sizeof title));
}

/* One end of an arrow: viewers fasten it to the call around it. */
static void print_message(const track_t *t, uint32_t kind, const span_t *m)
{
    fprintf(t->f, "\"ph\":\"%s\",\"bp\":\"e\",\"cat\":\"message\",\"name\":\"message\",\"id\":\"%" PRIu64 ".%u.%" PRId64 "\"",
            kind == PFC__EVENT_SENT ? "s" : "f", m->whose, m->sender, m->number);
    fputs(",\"args\":{", t->f);
    print_communicator(t, m->what.communicator);
    fprintf(t->f, "\"from\":%u,\"to\":%u,\"tag\":%d,\"bytes\":%" PRIu64 "}", m->sender, m->rank, m->what.tag, m->what.bytes);
}

static void print_name(const track_t *t, uint32_t region)
{
    fputs(",\"name\":", t->f);
    pfc_print_json(t->f, region == PFC_NONE ? "(unknown)" : t->p->region[region].name);
}

static void print_meeting(const track_t *t, const pfc_event_info_t *what)
{
    fputs(",\"args\":{", t->f);
    print_communicator(t, what->sent);
    if (what->sender != PFC_NONE) fprintf(t->f, "\"root\":%u,", what->sender);
    fprintf(t->f, "\"bytes\":%" PRIu64 "}", what->bytes);
}

/* Viewers show what goes on beside the calls in a line of its own. */
static void print_nonblocking(const track_t *t, const instant_t *i)
{
    const int starts = i->kind == PFC__EVENT_STARTED;
    fprintf(t->f, "\"ph\":\"%s\",\"cat\":\"collective\",\"id\":\"%lld.%" PRId64 "\"", starts ? "b" : "e", t->process, i->span->number);
    print_name(t, i->region);
    if (starts) print_meeting(t, &i->span->what);
}

/* They show what stands at a call's end with what stands at its begin. */
static void print_move(track_t *t, const instant_t *i)
{
    const int enters = i->kind == PFC__EVENT_ENTER;
    fprintf(t->f, "\"ph\":\"%s\"", enters ? "B" : "E");
    print_name(t, i->region);
    if (enters && i->calls > 1) fprintf(t->f, ",\"args\":{\"calls in vain\":%d}", i->calls);
    if (enters && i->is_late) fputs(",\"args\":{\"begun\":\"before this trace\"}", t->f);
    if (!enters && t->collective.depth == t->depth) {
        print_meeting(t, &t->collective.what);
        t->collective.depth = 0;
    }
    t->depth += enters ? 1 : (uint64_t)-1;
}

static void print_instant(void *to, const instant_t *i)
{
    track_t *t = (track_t *)to;
    if (i->collective) {
        t->collective.depth = t->depth;
        t->collective.what = *i->collective;
        return;
    }
    fprintf(t->f, "%s{\"pid\":%lld,\"tid\":%u,\"ts\":%.3f,", t->written++ ? ",\n" : "", t->process, t->thread, i->ns / 1e3);
    if (i->span && i->span->kind == PFC__EVENT_SENT) print_message(t, i->kind, i->span);
    else if (i->span) print_nonblocking(t, i);
    else print_move(t, i);
    putc('}', t->f);
}

static void print_threads(track_t *t, const timelines_t *timelines)
{
    uint32_t thread, row, further = timeline_further(t->p);
    for (thread = 0; thread < t->p->threads; thread++) {
        course_t course = timeline_course(timelines, t->p, thread);
        for (row = 0; row < course.rows; row++) {
            t->thread = row ? further++ : t->p->thread[thread].id;
            t->depth = t->collective.depth = 0;
            timeline_tell(timelines, &course, row, print_instant, t);
        }
        course_free(&course);
    }
}

int export_chrome(FILE *f, const profiles_t *profiles, const options_t *options)
{
    const int differ = ids_differ(profiles);
    timelines_t timelines;
    track_t t = { .f = f };
    size_t k;
    (void)options;
    timelines_open(&timelines, profiles);
    t.communicators = &timelines.communicators;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", f);
    for (k = 0; k < profiles->n; k++) {
        t.p = profiles->p[k];
        t.process = differ ? own_id(t.p) : (long long)k;
        if (t.written++) fputs(",\n", f);
        print_process(&t);
        print_threads(&t, &timelines);
    }
    fputs("]}\n", f);
    timelines_close(&timelines);
    return OK;
}
