/* The verbs of the command line under libFuzzer: what they make of profiles
   that the reader accepts. The input is a list of changes (place, length,
   bytes) to a sound one with a trace; its first byte's lowest bit: the run
   isn't over. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp_impl/tools/cli/cli.h"
#include "../core/builder.h"
#include "input.h"

static void events_add(built_t *b)
{
    static const struct { pfc__u32 kind, region; pfc__i64 sent; pfc__u32 sender; int tag; } what[] = {
        { PFC__EVENT_ENTER, 1, 0, 0, 0 }, { PFC__EVENT_ENTER, 3, 0, 0, 0 }, { PFC__EVENT_SENT, 3, 7, 2, 0 }, { PFC__EVENT_EXIT, 3, 0, 0, 0 },
        { PFC__EVENT_ENTER, 3, 0, 0, 2 }, { PFC__EVENT_RECEIVED, 3, 7, 2, 5 }, { PFC__EVENT_EXIT, 3, 0, 0, 0 },
        { PFC__EVENT_ENTER, 3, 0, 0, 0 }, { PFC__EVENT_COLLECTIVE, 3, 0, PFC_NONE, 2 }, { PFC__EVENT_STARTED, 3, 1, 0, 0 }, { PFC__EVENT_EXIT, 3, 0, 0, 0 },
        { PFC__EVENT_ENTER, 3, 0, 0, 0 }, { PFC__EVENT_COMPLETED, 3, 1, 0, 0 }, { PFC__EVENT_EXIT, 3, 0, 0, 0 }, { PFC__EVENT_ENTER, 2, 0, 0, 0 },
    };
    enum { EVENTS = sizeof what / sizeof *what };
    pfc__event_t e[EVENTS];
    int i;
    memset(e, 0, sizeof e);
    for (i = 0; i < EVENTS; i++) {
        e[i].lt = BUILT_BEGIN + 1000 * i;
        e[i].kind = what[i].kind;
        e[i].region = what[i].region;
        e[i].sent = what[i].sent;
        e[i].sender = what[i].sender;
        e[i].tag = what[i].tag;
    }
    built_put(b, built_extent(b, PFC__EVENTS, sizeof *e, 16, EVENTS, 0, 0), e, sizeof e);
}

static void change(built_t *b, const uint8_t *data, size_t size)
{
    input_t input = { data, size };
    change_t c;
    while (change_next(&input, &c)) change_make(&c, c.place % b->used, b->bytes, b->used);
}

/* Words of a command, up to the first that isn't there. */
typedef struct command { const verb_t *verb; const char *word[5]; } command_t;

static memory_file_t sound, changed;

static void run(const command_t *c)
{
    char *argv[8] = { (char *)(uintptr_t)c->verb->name };
    int argc = 1;
    for (; c->word[argc - 1]; argc++) {
        argv[argc] = (char *)(uintptr_t)c->word[argc - 1];
        if (!strcmp(argv[argc], "A")) argv[argc] = changed.path;
        if (!strcmp(argv[argc], "B")) argv[argc] = sound.path;
    }
    optind = 0;
    c->verb->run(c->verb, argc, argv);
}

static void run_all(void)
{
    static const command_t commands[] = {
        { &verb_report, { "--all", "A" } }, { &verb_report, { "--blocks", "A" } }, { &verb_report, { "--blocks", "--json", "A" } },
        { &verb_annotate, { "A" } }, { &verb_annotate, { "--json", "A" } }, { &verb_filter, { "A" } }, { &verb_filter, { "--json", "A" } },
        { &verb_compare, { "--all", "A", "B" } }, { &verb_represent, { "A", "B" } }, { &verb_represent, { "--json", "--shape", "A", "B" } },
        { &verb_export, { "--format", "lcov", "A" } }, { &verb_export, { "--format", "callgrind", "A" } }, { &verb_export, { "--format", "folded", "A" } },
        { &verb_export, { "--format", "speedscope", "A" } }, { &verb_export, { "--format", "chrome-trace", "A", "B" } },
        { &verb_watch, { "-n", "1", "A", "B" } }, { &verb_watch, { "--json", "-n", "1", "A" } }
    };
    size_t i;
    for (i = 0; i < sizeof commands / sizeof *commands; i++) run(&commands[i]);
}

static built_t built_with_trace(void)
{
    built_t b = built_full();
    events_add(&b);
    built_seal(&b);
    return b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[PFC_WHY];
    pfc_profile_t *p;
    built_t b = built_with_trace();
    if (!*sound.path) memory_file_write(&sound, b.bytes, b.used);
    if (size && data[0] & 1) built_header(&b)->state = PFC__RUNNING;
    if (size) change(&b, data + 1, size - 1);
    if (built_header(&b)->page < b.used && built_header(&b)->bytes == b.used) built_seal(&b);
    memory_file_write(&changed, b.bytes, b.used);
    built_free(&b);
    p = pfc_profile_open(changed.path, why, sizeof why);
    pfc_profile_close(p);
    if (p) run_all();
    return 0;
}
