/* perfcomp: the command line over the profile reader. */
#define PERFCOMP_IMPLEMENTATION
#include "cli.h"

static const verb_t *const verbs[] = {
    &verb_report, &verb_annotate, &verb_watch, &verb_check, &verb_filter, &verb_compare, &verb_represent, &verb_predict, &verb_export, &verb_merge
};

static void usage(FILE *to)
{
    size_t i;
    fputs("usage: perfcomp VERB [OPTIONS] [FILES|FOLDER]\n\n", to);
    for (i = 0; i < sizeof verbs / sizeof *verbs; i++) fprintf(to, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    fputs("\nperfcomp VERB --help tells the options of a verb. Profiles are the files perfcomp.*.pfc that\n"
          "instrumented programs leave behind; without a name those of the present folder are taken.\n", to);
}

/* Output that can't be written is an error like any other. */
static int finish(int status)
{
    if (fflush(stdout) || ferror(stdout)) {
        say(0, "the output can't be written; make room, or write elsewhere");
        return status ? status : BAD_INPUT;
    }
    return status;
}

int main(int argc, char **argv)
{
    static char help[] = "--help";
    size_t i;
    if (argc < 2) { usage(stderr); return BAD_USAGE; }
    if (argc > 2 && !strcmp(argv[1], "help")) argv[1] = argv[2], argv[2] = help, argc = 3; /* of that verb */
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) { usage(stdout); return finish(OK); }
    if (!strcmp(argv[1], "--version")) {
        printf("perfcomp %d.%d\n", PERFCOMP_VERSION_MAJOR, PERFCOMP_VERSION_MINOR);
        return finish(OK);
    }
    for (i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(argv[1], verbs[i]->name)) return finish(verbs[i]->run(verbs[i], argc - 1, argv + 1));
    say(0, "no verb '%s'; perfcomp --help lists them", argv[1]);
    return BAD_USAGE;
}
