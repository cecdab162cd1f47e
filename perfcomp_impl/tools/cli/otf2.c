/* perfcomp export --format otf2: a trace in the Open Trace Format, for Vampir
   and Scalasca, by its own library. Processes are location groups, their
   threads locations. Collective calls and messages lie in communicators; those
   with two sides are taken for their job's MPI_COMM_WORLD. */
#include "cli.h"

#ifndef PERFCOMP_OTF2 /* the Makefile looks for it */
int can_export_otf2(const profiles_t *profiles, const options_t *options)
{
    (void)profiles;
    (void)options;
    say("export", "this perfcomp was built without OTF2: install its library (Debian: libotf2-trace-dev; version 3), and build anew: "
                  "make -B tools");
    return 0;
}

int export_otf2(FILE *f, const profiles_t *profiles, const options_t *options)
{
    (void)f;
    (void)profiles;
    (void)options;
    return BAD_INPUT;
}
#else
#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <otf2/otf2.h>
#include <sys/stat.h>

typedef struct trace {
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *definitions;
    OTF2_StringRef strings;
    const profiles_t *profiles;
    const pfc_region_info_t **region; /* of all profiles, each once */
    size_t regions;
    timelines_t timelines;
    struct row *row;             /* of each location */
    uint64_t locations, end;
    int bad;
} trace_t;

/* A location. */
typedef struct row {
    size_t process;
    uint32_t thread;             /* the number that it is called by */
    uint64_t events;
} row_t;

typedef struct collective {
    OTF2_CollectiveOp op;
    OTF2_CommRef communicator;
    uint32_t root;
    uint64_t sent, received;
} collective_t;

/* A thread's events on their way. */
typedef struct location {
    trace_t *trace;
    OTF2_EvtWriter *writer;
    const pfc_profile_t *p;
    size_t depth;                /* of open regions */
    size_t meets;                /* depth of a collective call that blocks, until it ends; 0: it is in none */
    collective_t collective;     /* then */
    uint64_t last;               /* ns */
} location_t;

static char trouble[500]; /* the first that the library has told */

static OTF2_ErrorCode keep_trouble(void *unused, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                                   const char *format, va_list values)
{
    (void)unused; (void)file; (void)line; (void)function; (void)format; (void)values;
    if (!*trouble) snprintf(trouble, sizeof trouble, "%s", errno ? strerror(errno) : OTF2_Error_GetDescription(code));
    return code;
}

static void try(trace_t *t, OTF2_ErrorCode code) { t->bad |= code != OTF2_SUCCESS; }

/* ---- what is in it */

static int by_region(const void *a, const void *b)
{
    return pfc_region_order(*(const pfc_region_info_t *const *)a, *(const pfc_region_info_t *const *)b);
}

static void find_regions(trace_t *t)
{
    size_t k, i, n = 0;
    for (k = 0; k < t->profiles->n; k++) n += t->profiles->p[k]->regions;
    t->region = (const pfc_region_info_t **)must(calloc(n + 1, sizeof *t->region));
    for (n = k = 0; k < t->profiles->n; k++)
        for (i = 0; i < t->profiles->p[k]->regions; i++) t->region[n++] = &t->profiles->p[k]->region[i];
    qsort(t->region, n, sizeof *t->region, by_region);
    for (i = 0; i < n; i++)
        if (!i || by_region(&t->region[i], &t->region[t->regions - 1])) t->region[t->regions++] = t->region[i];
}

static OTF2_CommRef number_of(const trace_t *t, const communicator_t *c) { return (OTF2_CommRef)(c - t->timelines.communicators.communicator); }

/* ---- events */

static void enter(location_t *l, OTF2_RegionRef region)
{
    l->depth++;
    try(l->trace, OTF2_EvtWriter_Enter(l->writer, NULL, l->last, region));
}

static void collective_ends(location_t *l)
{
    const collective_t *c = &l->collective;
    try(l->trace, OTF2_EvtWriter_MpiCollectiveEnd(l->writer, NULL, l->last, c->op, c->communicator, c->root, c->sent, c->received));
    l->meets = 0;
}

static void leave(location_t *l, OTF2_RegionRef region)
{
    if (l->meets == l->depth) collective_ends(l);
    l->depth--;
    try(l->trace, OTF2_EvtWriter_Leave(l->writer, NULL, l->last, region));
}

static void pass(location_t *l, uint32_t kind, const span_t *m)
{
    const int64_t there = m->what.communicator; /* else ranks are those of MPI_COMM_WORLD */
    const communicator_t *c = communicator_of(&l->trace->timelines.communicators, l->p, there);
    OTF2_CommRef number;
    if (!c) return; /* a damaged profile, that has messages and no job */
    number = number_of(l->trace, c);
    if (kind == PFC__EVENT_SENT)
        try(l->trace, OTF2_EvtWriter_MpiSend(l->writer, NULL, l->last, communicator_index(c, there ? (uint32_t)m->what.rank : m->rank), number,
                                         (uint32_t)m->what.tag, m->what.bytes));
    else
        try(l->trace, OTF2_EvtWriter_MpiRecv(l->writer, NULL, l->last, communicator_index(c, there ? (uint32_t)m->what.source : m->sender), number,
                                         (uint32_t)m->what.tag, m->what.bytes));
}

/* How much a rank sends and receives follows from what is recorded: of Bcast, Scatter and Scatterv what comes to a rank, of all
   others what it gives, each once however many ranks it goes to. Where counts differ by rank, the other one isn't known: 0. */
enum flow { NOTHING, GIVES, GETS, ALL_GIVE_ALL_GET, COPY_FROM_ROOT, PARTS_FROM_ROOT, PARTS_TO_ROOT, RESULT_TO_ROOT, PARTS_OF_ALL, PART_OF_RESULT };

typedef struct operation {
    const char *name;
    OTF2_CollectiveOp op;
    enum flow flow;
} operation_t;

static const operation_t operations[] = {
    { "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, NOTHING },
    { "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, COPY_FROM_ROOT },
    { "MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, PARTS_TO_ROOT },
    { "MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV, GIVES },
    { "MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER, PARTS_FROM_ROOT },
    { "MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV, GETS },
    { "MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER, PARTS_OF_ALL },
    { "MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, GIVES },
    { "MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, ALL_GIVE_ALL_GET },
    { "MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, GIVES },
    { "MPI_Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW, GIVES },
    { "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, ALL_GIVE_ALL_GET },
    { "MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE, RESULT_TO_ROOT },
    { "MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER, GIVES },
    { "MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, PART_OF_RESULT },
    { "MPI_Scan", OTF2_COLLECTIVE_OP_SCAN, ALL_GIVE_ALL_GET },
    { "MPI_Exscan", OTF2_COLLECTIVE_OP_EXSCAN, ALL_GIVE_ALL_GET }
};

static size_t without(const char *end, const char *text, size_t n)
{
    const size_t m = strlen(end);
    return n > m && !strncmp(text + n - m, end, m) ? n - m : n;
}

/* NULL: the format has no such one. MPI-4's with large counts are the same; of those that go on beside the program
   MPI_Iallreduce and MPI_Allreduce_init are MPI_Allreduce. */
static const operation_t *operation_of(const char *call, int goes_on)
{
    char name[40];
    size_t i, n = without("_c", call, strlen(call));
    if (goes_on) n = without("_init", call, n);
    if (n >= sizeof name) return 0;
    memcpy(name, call, n);
    name[n] = 0;
    if (goes_on && !strncmp(name, "MPI_I", 5)) {
        memmove(name + 4, name + 5, n - 4);
        name[4] = (char)toupper((unsigned char)name[4]);
    }
    for (i = 0; i < sizeof operations / sizeof *operations; i++)
        if (!strcmp(operations[i].name, name)) return &operations[i];
    return 0;
}

static void bytes_of(collective_t *c, enum flow flow, uint64_t bytes, uint64_t ranks, int is_root)
{
    const uint64_t at_root = is_root ? bytes : 0, elsewhere = is_root ? 0 : bytes;
    switch (flow) {
    case NOTHING: c->sent = c->received = 0; break;
    case GIVES: c->sent = bytes; c->received = 0; break;
    case GETS: c->sent = 0; c->received = bytes; break;
    case ALL_GIVE_ALL_GET: c->sent = c->received = bytes; break;
    case COPY_FROM_ROOT: c->sent = at_root; c->received = elsewhere; break;
    case PARTS_FROM_ROOT: c->sent = at_root * ranks; c->received = bytes; break;
    case PARTS_TO_ROOT: c->sent = bytes; c->received = at_root * ranks; break;
    case RESULT_TO_ROOT: c->sent = bytes; c->received = at_root; break;
    case PARTS_OF_ALL: c->sent = bytes; c->received = bytes * ranks; break;
    case PART_OF_RESULT: c->sent = bytes; c->received = bytes / ranks; break;
    }
}

/* 0: the format has no such one. */
static int collective_of(collective_t *into, const location_t *l, const pfc_event_info_t *e, int goes_on)
{
    const communicator_t *c = communicator_of(&l->trace->timelines.communicators, l->p, e->sent);
    const operation_t *operation = e->region == PFC_NONE ? 0 : operation_of(l->p->region[e->region].name, goes_on);
    if (!c || !operation) return 0;
    into->op = operation->op;
    into->communicator = number_of(l->trace, c);
    into->root = e->sender == PFC_NONE ? OTF2_COLLECTIVE_ROOT_NONE : communicator_index(c, e->sender);
    bytes_of(into, operation->flow, e->bytes, c->members, e->sender == (uint32_t)e->tag);
    return 1;
}

static void meet(location_t *l, const pfc_event_info_t *e)
{
    if (l->meets || !collective_of(&l->collective, l, e, 0)) return;
    l->meets = l->depth;
    try(l->trace, OTF2_EvtWriter_MpiCollectiveBegin(l->writer, NULL, l->last));
}

static void pass_by(location_t *l, uint32_t kind, const span_t *n)
{
    const uint64_t number = (uint64_t)n->number;
    collective_t c;
    if (!collective_of(&c, l, &n->what, 1)) return;
    if (kind == PFC__EVENT_STARTED) try(l->trace, OTF2_EvtWriter_NonBlockingCollectiveRequest(l->writer, NULL, l->last, number));
    else
        try(l->trace, OTF2_EvtWriter_NonBlockingCollectiveComplete(l->writer, NULL, l->last, c.op, c.communicator, c.root, c.sent, c.received, number));
}

static OTF2_RegionRef region_of(const location_t *l, uint32_t region)
{
    const pfc_region_info_t *wanted = &l->p->region[region == PFC_NONE ? 0 : region];
    const trace_t *t = l->trace;
    return (OTF2_RegionRef)((const pfc_region_info_t **)bsearch(&wanted, t->region, t->regions, sizeof *t->region, by_region) - t->region);
}

static void write_instant(void *to, const instant_t *i)
{
    location_t *l = (location_t *)to;
    l->last = (uint64_t)llround(i->ns);
    if (i->span && i->span->kind == PFC__EVENT_SENT) pass(l, i->kind, i->span);
    else if (i->span) pass_by(l, i->kind, i->span);
    else if (i->collective) meet(l, i->collective);
    else if (i->kind == PFC__EVENT_ENTER) enter(l, region_of(l, i->region));
    else leave(l, region_of(l, i->region));
}

static void write_row(trace_t *t, row_t row, const course_t *course, uint32_t number)
{
    location_t l = { .trace = t, .writer = OTF2_Archive_GetEvtWriter(t->archive, t->locations), .p = course->p };
    if (!l.writer) { t->bad = 1; return; }
    timeline_tell(&t->timelines, course, number, write_instant, &l);
    try(t, OTF2_EvtWriter_GetNumberOfEvents(l.writer, &row.events));
    try(t, OTF2_Archive_CloseEvtWriter(t->archive, l.writer));
    if (l.last > t->end) t->end = l.last;
    t->row = (row_t *)must(realloc(t->row, (t->locations + 1) * sizeof *t->row));
    t->row[t->locations++] = row;
}

static void write_process(trace_t *t, size_t k)
{
    const pfc_profile_t *p = t->profiles->p[k];
    uint32_t thread, number, further = timeline_further(p);
    for (thread = 0; thread < p->threads; thread++) {
        course_t course = timeline_course(&t->timelines, p, thread);
        for (number = 0; number < course.rows && !t->bad; number++)
            write_row(t, (row_t){ .process = k, .thread = number ? further++ : p->thread[thread].id }, &course, number);
        course_free(&course);
    }
}

static void write_events(trace_t *t)
{
    size_t k;
    try(t, OTF2_Archive_OpenEvtFiles(t->archive));
    for (k = 0; k < t->profiles->n; k++) write_process(t, k);
    try(t, OTF2_Archive_CloseEvtFiles(t->archive));
}

/* ---- definitions */

/* String 0 is the empty one. Readers take them for UTF-8, and print them in lines. */
static OTF2_StringRef define(trace_t *t, const char *text)
{
    char *plain = 0;
    size_t n;
    FILE *f;
    if (t->strings && !*text) return 0;
    f = (FILE *)must(open_memstream(&plain, &n));
    pfc_print_utf8(f, text);
    if (fclose(f)) must(0);
    try(t, OTF2_GlobalDefWriter_WriteString(t->definitions, t->strings, plain));
    free(plain);
    return t->strings++;
}

static OTF2_RegionRole role_of_rule(uint32_t rule)
{
    switch (rule) {
    case PFC__RULE_SEND: case PFC__RULE_RECEIVE: case PFC__RULE_COMPLETE: case PFC__RULE_PROBE: return OTF2_REGION_ROLE_POINT2POINT;
    case PFC__RULE_ALL: return OTF2_REGION_ROLE_COLL_ALL2ALL;
    case PFC__RULE_FROM_ROOT: return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case PFC__RULE_TO_ROOT: return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case PFC__RULE_PREFIX: case PFC__RULE_NEIGHBOUR: return OTF2_REGION_ROLE_COLL_OTHER;
    case PFC__RULE_EPOCH: case PFC__RULE_LOCK: case PFC__RULE_ANSWER: return OTF2_REGION_ROLE_RMA;
    default: return OTF2_REGION_ROLE_FUNCTION;
    }
}

static OTF2_RegionRole role_of(const trace_t *t, const pfc_region_info_t *r)
{
    size_t k, i;
    if (!strcmp(r->name, "MPI_Barrier")) return OTF2_REGION_ROLE_BARRIER;
    for (k = 0; k < t->profiles->n; k++)
        for (i = 0; t->profiles->p[k]->mpi && i < t->profiles->p[k]->mpi->kinds; i++)
            if (!strcmp(t->profiles->p[k]->mpi->kind[i].name, r->name)) return role_of_rule(t->profiles->p[k]->mpi->kind[i].rule);
    return OTF2_REGION_ROLE_FUNCTION;
}

static void define_regions(trace_t *t)
{
    size_t i;
    for (i = 0; i < t->regions; i++) {
        const pfc_region_info_t *r = t->region[i];
        const int is_mpi = r->kind == PFC__MPI_CALL;
        OTF2_StringRef name = define(t, r->name), file = define(t, r->file);
        try(t, OTF2_GlobalDefWriter_WriteRegion(t->definitions, (OTF2_RegionRef)i, name, name, 0, is_mpi ? role_of(t, r) : OTF2_REGION_ROLE_FUNCTION,
                                                is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, file, r->line, r->line));
    }
}

/* Nodes are numbered by their first process. */
static uint32_t node_of(const trace_t *t, uint32_t k)
{
    uint32_t first = 0;
    while (strcmp(t->profiles->p[first]->host, t->profiles->p[k]->host)) first++;
    return first + 1;
}

/* Its locations stand in a row, from `*location` on. */
static void define_process(trace_t *t, uint32_t k, uint64_t *location)
{
    const pfc_profile_t *p = t->profiles->p[k];
    char name[1024];
    if (p->mpi) snprintf(name, sizeof name, "MPI Rank %u", p->rank);
    else snprintf(name, sizeof name, "%lld: %s", (long long)p->pid, p->command);
    try(t, OTF2_GlobalDefWriter_WriteLocationGroup(t->definitions, k, define(t, name), OTF2_LOCATION_GROUP_TYPE_PROCESS, node_of(t, k),
                                                   OTF2_UNDEFINED_LOCATION_GROUP));
    for (; *location < t->locations && t->row[*location].process == k; ++*location) {
        snprintf(name, sizeof name, "Thread %u", t->row[*location].thread);
        try(t, OTF2_GlobalDefWriter_WriteLocation(t->definitions, *location, define(t, name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                                  t->row[*location].events, k));
    }
}

static void define_processes(trace_t *t)
{
    OTF2_StringRef machine = define(t, "machine"), node = define(t, "node");
    uint64_t location = 0;
    uint32_t k;
    try(t, OTF2_GlobalDefWriter_WriteSystemTreeNode(t->definitions, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (k = 0; k < t->profiles->n; k++) {
        if (node_of(t, k) == k + 1)
            try(t, OTF2_GlobalDefWriter_WriteSystemTreeNode(t->definitions, k + 1, define(t, t->profiles->p[k]->host), node, 0));
        define_process(t, k, &location);
    }
}

/* The first thread of each rank stands for it. */
static void define_all_ranks(trace_t *t)
{
    uint64_t *member = (uint64_t *)must(calloc(t->profiles->n + 1, sizeof *member)), location;
    uint32_t n = 0;
    for (location = 0; location < t->locations; location++) {
        const size_t k = t->row[location].process;
        if (t->profiles->p[k]->mpi && (!location || t->row[location - 1].process != k)) member[n++] = location;
    }
    try(t, OTF2_GlobalDefWriter_WriteGroup(t->definitions, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, member));
    free(member);
}

static void define_communicator(trace_t *t, const communicator_t *c)
{
    const OTF2_CommRef number = number_of(t, c);
    uint64_t *place = (uint64_t *)must(calloc(c->members, sizeof *place));
    char title[64];
    uint32_t i;
    for (i = 0; i < c->members; i++) place[i] = c->member[i].place;
    try(t, OTF2_GlobalDefWriter_WriteGroup(t->definitions, number + 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                           c->members, place));
    try(t, OTF2_GlobalDefWriter_WriteComm(t->definitions, number, define(t, communicator_title(&t->timelines.communicators, c, title, sizeof title)),
                                          number + 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    free(place);
}

static void define_communicators(trace_t *t)
{
    size_t i;
    if (!t->timelines.communicators.n) return;
    define_all_ranks(t);
    for (i = 0; i < t->timelines.communicators.n; i++) define_communicator(t, &t->timelines.communicators.communicator[i]);
}

/* Readers look for a file of definitions for each location. */
static void write_definitions(trace_t *t)
{
    uint64_t location;
    int64_t utc = t->profiles->p[0]->begin_utc_ns;
    size_t k;
    for (k = 1; k < t->profiles->n; k++)
        if (t->profiles->p[k]->begin_utc_ns < utc) utc = t->profiles->p[k]->begin_utc_ns;
    try(t, OTF2_Archive_OpenDefFiles(t->archive));
    for (location = 0; location < t->locations && !t->bad; location++)
        try(t, OTF2_Archive_CloseDefWriter(t->archive, OTF2_Archive_GetDefWriter(t->archive, location)));
    try(t, OTF2_Archive_CloseDefFiles(t->archive));
    t->definitions = OTF2_Archive_GetGlobalDefWriter(t->archive);
    if (!t->definitions) { t->bad = 1; return; }
    try(t, OTF2_GlobalDefWriter_WriteClockProperties(t->definitions, 1000000000, 0, t->end + 1, (uint64_t)utc));
    define(t, "");
    define_regions(t);
    define_processes(t);
    define_communicators(t);
}

/* ---- the archive */

static OTF2_FlushType always(void *unused, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)unused; (void)type; (void)location; (void)caller; (void)final;
    return OTF2_FLUSH;
}

static int archive_open(trace_t *t, const char *folder)
{
    static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = always };
    t->archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!t->archive) return 0;
    try(t, OTF2_Archive_SetFlushCallbacks(t->archive, &flush, NULL));
    try(t, OTF2_Archive_SetSerialCollectiveCallbacks(t->archive));
    try(t, OTF2_Archive_SetCreator(t->archive, "perfcomp"));
    try(t, OTF2_Archive_SetDescription(t->archive, "times are those of the uninstrumented program, in ns"));
    return !t->bad;
}

static void trace_free(trace_t *t)
{
    timelines_close(&t->timelines);
    free(t->region);
    free(t->row);
}

static const char *const PARTS[] = { "traces.otf2", "traces.def", "traces" }; /* files, and the folder of the others */
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

static void part_name(char name[4096], const options_t *options, int part) { snprintf(name, 4096, "%s/%s", options->output, PARTS[part]); }

int can_export_otf2(const profiles_t *profiles, const options_t *options)
{
    char name[4096];
    struct stat there;
    for (int i = 0; i < PART_COUNT; i++) {
        part_name(name, options, i);
        if (stat(name, &there)) continue;
        say(0, "%s: is there already; remove %s, or write elsewhere", name, options->output);
        return 0;
    }
    return has_trace(profiles, options);
}

static int remove_one(const char *name, const struct stat *file, int kind, struct FTW *where)
{
    (void)file, (void)kind, (void)where;
    return remove(name);
}

/* Half a trace isn't one, and the next try would be refused. None of it was there before. */
static void remove_parts(const options_t *options)
{
    char name[4096];
    for (int i = 0; i < PART_COUNT; i++) {
        part_name(name, options, i);
        nftw(name, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
}

int export_otf2(FILE *f, const profiles_t *profiles, const options_t *options)
{
    trace_t t = { .profiles = profiles };
    (void)f;
    errno = 0;
    OTF2_Error_RegisterCallback(keep_trouble, NULL);
    timelines_open(&t.timelines, profiles);
    if (archive_open(&t, options->output)) {
        find_regions(&t);
        write_events(&t);
        if (!t.bad) write_definitions(&t);
    }
    if (!t.archive || OTF2_Archive_Close(t.archive) != OTF2_SUCCESS) t.bad = 1;
    trace_free(&t);
    if (!t.bad) return OK;
    if (t.archive) remove_parts(options); /* else it isn't ours */
    say(0, "%s: can't be written: %s", options->output, *trouble ? trouble : "OTF2 says no more; try another folder");
    return BAD_INPUT;
}
#endif
