/* ------------------------------------------------------ settings (impl) ---
   The environment, read once. A value that makes no sense is named together
   with what would, and the default is used: the program isn't stopped. */

int pfc__compensates = 1;

static struct {
    int on, trace, report, verbose, in_memory;
    int unmade;             /* why its folder couldn't be made: an errno; 0: it could */
    double budget;
    double scale, scale_doubt; /* 0: not known */
    char folder[PATH_MAX];  /* absolute */
    char live[PATH_MAX];    /* absolute; empty: the profile lives in its folder */
    pfc__u64 trace_events;
} pfc__settings;

/* 1 or 0; -1: neither. */
static PFC__QUIET int pfc__on_or_off(const char *value)
{
    if (!strcmp(value, "1") || !strcmp(value, "on") || !strcmp(value, "yes")) return 1;
    if (!strcmp(value, "0") || !strcmp(value, "off") || !strcmp(value, "no")) return 0;
    return -1;
}

int pfc__switch(const char *name, int otherwise)
{
    const char *value = pfc__environment(name);
    int on = value && *value ? pfc__on_or_off(value) : otherwise;
    if (on >= 0) return on;
    pfc__note_setting("%s=%s isn't understood: use %s=on or %s=off", name, value, name, name);
    return otherwise;
}

static PFC__QUIET double pfc__share(const char *name)
{
    const char *value = pfc__environment(name);
    const char *end;
    double share;
    if (!value || !*value) return 0;
    share = pfc__number(value, &end);
    if (end != value && *end == '%' && !end[1]) share /= 100, end++;
    if (end != value && !*end && share >= 0 && share < 1) return share;
    pfc__note_setting("%s=%s isn't understood: use a share of the time like %s=2%% or %s=0.02", name, value, name, name);
    return 0;
}

/* On, off, or how many recent events of each thread are kept. */
static PFC__QUIET void pfc__trace_read(void)
{
    const char *value = pfc__environment("PERFCOMP_TRACE");
    int on = value && *value ? pfc__on_or_off(value) : 0;
    pfc__settings.trace_events = 1 << 16;
    if (on < 0 && strspn(value, "0123456789") == strlen(value)) {
        pfc__u64 wanted = strtoull(value, 0, 10);
        on = 1;
        while (pfc__settings.trace_events < wanted && pfc__settings.trace_events < PFC__TRACE_MOST) pfc__settings.trace_events *= 2;
        if (wanted > PFC__TRACE_MOST)
            pfc__note_setting("PERFCOMP_TRACE=%s is more than the %u events that can be kept: so many are", value, PFC__TRACE_MOST);
    }
    if (on < 0)
        pfc__note_setting("PERFCOMP_TRACE=%s isn't understood: use PERFCOMP_TRACE=1, or the number of events to keep, like "
                          "PERFCOMP_TRACE=1000000", value);
    pfc__settings.trace = on > 0;
}

#ifdef PERFCOMP_CHARGE /* and exact */
enum { PFC__COSTS_ARE_MODELLED = 1 };
#else
enum { PFC__COSTS_ARE_MODELLED = 0 };
#endif

static PFC__QUIET void pfc__modelled_check(void)
{
    const char *value = pfc__environment("PERFCOMP_SMPI_COST_NS");
    if (!PFC__COSTS_ARE_MODELLED && value && *value)
        pfc__note_setting("PERFCOMP_SMPI_COST_NS=%s is left aside: only in virtual time (PERFCOMP_SMPI, PERFCOMP_CHARGE) do probes cost what one likes", value);
}

/* What `perfcomp check` says: a factor and its uncertainty, which is less; 1,05 is one number with a decimal comma. */
static PFC__QUIET void pfc__scale_read(void)
{
    const char *value = pfc__environment("PERFCOMP_SCALE");
    const char *end;
    double scale, doubt;
    if (!value || !*value) return;
    scale = pfc__number(value, &end);
    doubt = *end == ',' ? pfc__number(end + 1, &end) : -1;
    if (PFC__COSTS_ARE_MODELLED)
        pfc__note_setting("PERFCOMP_SCALE=%s is left aside: in virtual time, costs are exactly what PERFCOMP_SMPI_COST_NS says", value);
    else if (!*end && end[-1] != ',' && scale > 0 && scale < 100 && doubt >= 0 && doubt < scale) {
        pfc__settings.scale = scale;
        pfc__settings.scale_doubt = doubt;
    } else pfc__note_setting("PERFCOMP_SCALE=%s isn't understood: use what perfcomp check says, a factor and its uncertainty, with decimal "
                             "points, like PERFCOMP_SCALE=1.05,0.01", value);
}

/* %p is the process's number: of a test suite's many short runs none takes another's folder. 0: it is too long. */
static PFC__QUIET int pfc__folder_numbered(char *path, const char *value)
{
    size_t used = strlen(path);
    while (*value && used < PATH_MAX) {
        int is_number = value[0] == '%' && value[1] == 'p';
        int n = is_number ? snprintf(path + used, PATH_MAX - used, "%ld", (long)pfc__sys_getpid()) : 1;
        if (!is_number) path[used] = *value;
        value += is_number ? 2 : 1;
        used += (size_t)n;
    }
    path[used < PATH_MAX ? used : 0] = 0;
    return used < PATH_MAX;
}

/* Made absolute now: the program may change its working directory. 0: there is no such path, and that was said with what is
   done `instead`. */
static PFC__QUIET int pfc__folder(const char *name, char *path, const char *otherwise, const char *instead)
{
    const char *value = pfc__environment(name);
    char here[PATH_MAX - 1] = "";
    *path = 0;
    if (!value || !*value) value = otherwise;
    if (!value) return 1;
    if (*value != '/' && !getcwd(here, sizeof here)) {
        pfc__note("the working directory is gone: %s; set %s to a folder by its whole path", instead, name);
        return 0;
    }
    if (!strcmp(value, ".")) value = "";
    snprintf(path, PATH_MAX, "%s%s", here, *here && *value ? "/" : "");
    if (pfc__folder_numbered(path, value)) return 1;
    pfc__note_setting("%s is longer than a path may be: %s", name, instead);
    return 0;
}

/* Most often it's there; where it can't be, the file can't either. */
static PFC__QUIET void pfc__folder_make(char *path)
{
    int error = pfc__sys_mkdir(path, 0777) ? errno : 0;
    char *slash;
    if (error == ENOENT) {
        int first = 0; /* what refused the first of its folders: the next ones only lack that */
        for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = 0;
            if (pfc__sys_mkdir(path, 0777) && errno != EEXIST && !first) first = errno;
            *slash = '/';
        }
        error = !pfc__sys_mkdir(path, 0777) ? 0 : errno == ENOENT && first ? first : errno;
    }
    pfc__settings.unmade = error == EEXIST ? 0 : error;
}

static PFC__QUIET void pfc__check_names(void)
{
    static const char known[] = " PERFCOMP PERFCOMP_DIR PERFCOMP_LIVE PERFCOMP_FILE PERFCOMP_BUDGET PERFCOMP_TRACE"
                                " PERFCOMP_REPORT PERFCOMP_COMPENSATE PERFCOMP_VERBOSE"
                                " PERFCOMP_MPI PERFCOMP_MPI_ORDER PERFCOMP_MPI_EAGER PERFCOMP_MPI_MERGE PERFCOMP_MPI_TRIALS"
                                " PERFCOMP_CLOCK PERFCOMP_CONTEXT PERFCOMP_SCALE PERFCOMP_SMPI_COST_NS PERFCOMP_CC_FLAGS PERFCOMP_CC_SUMMARY ";
    extern char **environ;
    char **entry;
    for (entry = environ; entry && *entry; entry++) {
        char name[64];
        size_t n = strcspn(*entry, "=");
        if (strncmp(*entry, "PERFCOMP", 8)) continue;
        snprintf(name, sizeof name, " %.*s ", (int)n, *entry);
        if (n + 3 > sizeof name || !strstr(known, name))
            pfc__note_setting("%.*s is set, but is no setting of perfcomp: see the tops of perfcomp.h and perfcomp_mpi.h", (int)n, *entry);
    }
}

static PFC__QUIET void pfc__settings_read(void)
{
    const char *file = pfc__environment("PERFCOMP_FILE"), *clock = pfc__environment("PERFCOMP_CLOCK");
    pfc__settings.on = pfc__switch("PERFCOMP", 1);
    if (!pfc__settings.on) return;
    pfc__check_names();
    pfc__compensates = pfc__switch("PERFCOMP_COMPENSATE", 1);
    pfc__settings.report = pfc__switch("PERFCOMP_REPORT", 0);
    pfc__settings.verbose = pfc__switch("PERFCOMP_VERBOSE", 0);
    pfc__trace_read();
    pfc__settings.budget = pfc__share("PERFCOMP_BUDGET");
    pfc__scale_read();
    pfc__modelled_check();
    if (file && !strcmp(file, "none")) pfc__settings.in_memory = 1;
    else if (file && *file) pfc__note_setting("PERFCOMP_FILE=%s isn't understood: the one value is none; folders are set by PERFCOMP_DIR", file);
    if (clock && *clock && strcmp(clock, "system")) pfc__note_setting("PERFCOMP_CLOCK=%s isn't understood: the one value is system", clock);
    if (!pfc__folder("PERFCOMP_DIR", pfc__settings.folder, ".", "this run keeps its profile in memory only")) pfc__settings.in_memory = 1;
    if (pfc__settings.in_memory) return;
    pfc__folder_make(pfc__settings.folder);
    pfc__folder("PERFCOMP_LIVE", pfc__settings.live, 0, "the profile lies in its own folder from the start");
}
