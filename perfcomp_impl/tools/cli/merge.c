/* perfcomp merge: the profiles of several processes in one file. */
#include "cli.h"

/* What still runs would be cut off in the middle. */
static int has_ended(const profiles_t *profiles)
{
    size_t i;
    for (i = 0; i < profiles->n; i++) {
        if (profiles->p[i]->run != PFC_RUNNING) continue;
        say("merge", "%s: its program still runs; merge when it has ended", profiles->p[i]->file);
        return 0;
    }
    return 1;
}

static int run(const verb_t *verb, int argc, char **argv)
{
    options_t options;
    profiles_t profiles;
    char why[PFC_WHY];
    int status = options_read(&options, verb, "jo", argc, argv), bad;
    if (status >= 0) return status;
    if (!options.output || !strcmp(options.output, "-")) { /* the file is written here and there */
        say("merge", "name the file to write: perfcomp merge -o FILE.pfc [FILES|FOLDER]");
        return BAD_USAGE;
    }
    if (is_spared(verb, options.output, 1)) return BAD_INPUT;
    bad = profiles_open(&profiles, argv + options.first, argc - options.first, TIMES_AND_BLOCKS) || profiles.status || !has_ended(&profiles);
    if (!bad && !pfc_profiles_write(options.output, PROFILES(&profiles), why, sizeof why)) {
        say(0, "%s", why);
        bad = 1;
    }
    if (!bad && options.json) {
        fputs("{\"file\":", stdout);
        pfc_print_json(stdout, options.output);
        printf(",\"profiles\":%zu}\n", profiles.n);
    }
    profiles_close(&profiles);
    return bad ? BAD_INPUT : OK;
}

const verb_t verb_merge = {
    "merge", "the profiles of a job in one file, which the other verbs take like a folder",
    "usage: perfcomp merge {-o|--output} FILE [--json] [FILES|FOLDER]\n\n"
    "Copies the profiles into FILE, byte by byte; they stay where they are. Named like perfcomp.pfc it is found in\n"
    "its folder; a profile that lies there once more is taken once. When one can't be read, nothing is written.\n"
    "One of them is named as the report names it, perfcomp.pfc/perfcomp.3.pfc; of several that have one name in folders\n"
    "of their own, the second is perfcomp.0.pfc.2.\n"
    "An MPI job writes perfcomp.pfc in place of one file a rank with PERFCOMP_MPI_MERGE=1.\n",
    run,
};
