/* The options of all verbs, of which each accepts some. */
#include "cli.h"

/* What a number has to be. */
typedef struct range { double least, most; const char *wanted; } range_t;

static int refused_value(const verb_t *verb, const char *option, const char *text, const char *wanted)
{
    say(verb->name, "%s %s isn't understood; give %s", option, text, wanted);
    return 0;
}

/* 0: it isn't one, which was said. `behind`: what may stand behind it. */
static int number_read(double *number, const verb_t *verb, const char *option, const char *text, const char *behind, const range_t *range)
{
    char *end;
    *number = strtod(text, &end);
    if (end != text && *number >= range->least && *number <= range->most && (!*end || !strcmp(end, behind))) return 1;
    return refused_value(verb, option, text, range->wanted);
}

static int count_read(int *count, const verb_t *verb, const char *option, const char *text, const range_t *range)
{
    double number;
    if (strspn(text, "0123456789") != strlen(text)) return refused_value(verb, option, text, range->wanted);
    if (!number_read(&number, verb, option, text, "", range)) return 0;
    *count = (int)number;
    return 1;
}

static int percent_read(double *share, const verb_t *verb, const char *option, const char *text, const range_t *range)
{
    double percent;
    if (!number_read(&percent, verb, option, text, "%", range)) return 0;
    *share = percent / 100;
    return 1;
}

/* The value of an option that has a number; 0: it isn't one, which was said. */
static int value_read(options_t *options, const verb_t *verb, int option, const char *text)
{
    static const range_t times = { 1, 10000, "a number from 1 to 10000" }, runs = { 2, 1e9, "a number of runs from 2 to 1000000000" },
                         overhead = { 0, 1e6, "a percentage like 5 or 2.5%, at most 1000000" }, share = { 1e-9, 100, "a percentage like 90, more than 0 and at most 100" },
                         seconds = { 0.01, 1e6, "seconds from 0.01 to 1000000" }, within = { 1e-9, 1, "a distance like 0.1, more than 0 and at most 1" };
    switch (option) {
    case 'p': return percent_read(&options->overhead, verb, "--overhead", text, &overhead);
    case 'r': return percent_read(&options->share, verb, "--share", text, &share);
    case 'i': return number_read(&options->interval, verb, "--interval", text, "", &seconds);
    case 'w': return number_read(&options->within, verb, "--within", text, "", &within);
    case 'q': return count_read(&options->least, verb, "--at-least", text, &runs);
    default: return count_read(&options->times, verb, option == 'N' ? "--runs" : "-n", text, &times);
    }
}

/* The option stands before its value, if that is an argument of its own. */
static int option_refused(const verb_t *verb, int option, char **argv)
{
    const char letter[] = { '-', (char)optopt, 0 }, *name = argv[optind - 1];
    if (option == '?' && optopt && !strncmp(name, "--", 2)) {
        say(verb->name, "'%.*s' takes no value; perfcomp %s --help", (int)strcspn(name, "="), name, verb->name);
        return BAD_USAGE;
    }
    if (option == '?' && optopt) name = letter;
    else if (option != '?' && option != ':' && optarg == name) name = argv[optind - 2];
    say(verb->name, "there is no option '%s'; perfcomp %s --help lists them", name, verb->name);
    return BAD_USAGE;
}

int is_nameless(const char *verb, const char *name)
{
    if (*name) return 0;
    say(verb, "the name of a file or folder is empty; is a variable not set?");
    return 1;
}

static int has_nameless(const verb_t *verb, const options_t *options, char **names, int n)
{
    int i = 0;
    while (i < n && !is_nameless(verb->name, names[i])) i++;
    return i < n || (options->output && is_nameless(verb->name, options->output));
}

static const struct option known[] = {
    { "help", no_argument, 0, 'h' },         { "json", no_argument, 0, 'j' },
    { "all", no_argument, 0, 'a' },          { "blocks", no_argument, 0, 'b' },
    { "format", required_argument, 0, 'F' }, { "output", required_argument, 0, 'o' },
    { "runs", required_argument, 0, 'N' },   { "source", required_argument, 0, 's' },
    { "source-dir", required_argument, 0, 'd' }, { "overhead", required_argument, 0, 'p' },
    { "interval", required_argument, 0, 'i' }, { "within", required_argument, 0, 'w' },
    { "share", required_argument, 0, 'r' },  { "at-least", required_argument, 0, 'q' },
    { "shape", no_argument, 0, 'S' },        { "at", required_argument, 0, 'A' },
    { 0, 0, 0, 0 },
};

/* 0: its value isn't one, which was said. */
static int option_take(options_t *options, const verb_t *verb, int option)
{
    switch (option) {
    case 'j': options->json = 1; break;
    case 'a': options->all = 1; break;
    case 'b': options->blocks = 1; break;
    case 'F': options->format = optarg; break;
    case 'o': options->output = optarg; break;
    case 's': options->source = optarg; break;
    case 'd': options->source_dir = optarg; break;
    case 'A': options->at = optarg; break;
    case 'S': options->shape = 1; break;
    default: return value_read(options, verb, option, optarg);
    }
    return 1;
}

int options_read(options_t *options, const verb_t *verb, const char *accepted, int argc, char **argv)
{
    static const options_t usual = { .overhead = .05, .interval = 1, .within = .1, .share = .9, .least = 5 };
    int option;
    *options = usual;
    opterr = 0;
    while ((option = getopt_long(argc, argv, *accepted == '+' ? "+:hn:o:" : ":hn:o:", known, 0)) != -1) {
        if (option == 'h') { fputs(verb->help, stdout); return OK; }
        if (!strchr(accepted, option == ':' ? optopt : option)) return option_refused(verb, option, argv);
        if (option == ':') {
            say(verb->name, "option '%s' lacks its value; perfcomp %s --help", argv[optind - 1], verb->name);
            return BAD_USAGE;
        }
        if (!option_take(options, verb, option)) return BAD_USAGE;
    }
    options->first = optind;
    return has_nameless(verb, options, argv + optind, *accepted == '+' ? 0 : argc - optind) ? BAD_USAGE : -1;
}
