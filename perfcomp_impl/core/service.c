/* ------------------------------------------------------- service (impl) ---
   The header and the service data: who ran what, where, when, by which clock. */

#if defined __clang__
#  define PFC__COMPILER __VERSION__ /* names itself */
#else
#  define PFC__COMPILER "gcc " __VERSION__
#endif

static char pfc__command[4096];
static pfc__extent_t *pfc__meta_extent;
static pfc__i64 pfc__fork_delta; /* ticks: by how much later this process was forked than undisturbed, for its parent's Δ */

static PFC__QUIET void pfc__command_read(int argc, char **argv)
{
    size_t used = 0, n, at;
    int i;
    if (argv) {
        for (i = 0; i < argc && argv[i] && used < sizeof pfc__command - 1; i++) {
            int w = snprintf(pfc__command + used, sizeof pfc__command - used, "%s%s", i ? " " : "", argv[i]);
            used = w < 0 ? sizeof pfc__command : used + (size_t)w;
        }
        return;
    }
    n = pfc__told("/proc/self/cmdline", pfc__command, sizeof pfc__command);
    for (at = 0; at + 1 < n; at++)
        if (!pfc__command[at]) pfc__command[at] = ' ';
}

static PFC__QUIET size_t pfc__meta_line(char *text, size_t room, size_t at, const char *key, const char *value)
{
    int n = at < room ? snprintf(text + at, room - at, "%s=%s", key, value) : -1;
    if (n < 0) return at;
    return at + (size_t)n + 1 <= room ? at + (size_t)n + 1 : room;
}

static PFC__QUIET pfc__extent_t *pfc__meta_keep(const char *text, size_t n)
{
    pfc__extent_t *e = pfc__extent_new(PFC__META, 1, n, 0, 0);
    if (e) memcpy(pfc__extent_data(e), text, n), pfc__extent_holds(e, n);
    return e;
}

/* Calls nothing that allocates, nor what settles the time zone before the program has chosen one (gmtime_r does). */
static PFC__QUIET void pfc__meta_write(void)
{
    static char text[3 * PATH_MAX + 8192];
    char value[PATH_MAX];
    ssize_t n;
    size_t at = 0;
    at = pfc__meta_line(text, sizeof text, at, "command", pfc__command);
    at = pfc__meta_line(text, sizeof text, at, "directory", PFC__LETS(getcwd) && getcwd(value, sizeof value) ? value : "");
    if (!PFC__LETS(uname) || gethostname(value, sizeof value)) value[0] = 0;
    value[sizeof value - 1] = 0;
    at = pfc__meta_line(text, sizeof text, at, "host", value);
    PFC__HEADER->utc_begin_ns = pfc__utc_now() - pfc__ns_of_span(pfc__clock() - pfc__clock_tick0);
    n = pfc__sys_readlink("/proc/self/exe", value, sizeof value - 1);
    value[n > 0 ? n : 0] = 0;
    at = pfc__meta_line(text, sizeof text, at, "executable", value);
    at = pfc__meta_line(text, sizeof text, at, "compiler", PFC__COMPILER);
    at = pfc__meta_line(text, sizeof text, at, "clock", pfc__clock_name(pfc__clock_kind()));
    at = pfc__meta_line(text, sizeof text, at, "clock_reason", pfc__clock_reason);
    snprintf(value, sizeof value, "%d.%d", PERFCOMP_VERSION_MAJOR, PERFCOMP_VERSION_MINOR);
    at = pfc__meta_line(text, sizeof text, at, "version", value);
    at = pfc__meta_line(text, sizeof text, at, "dir", pfc__settings.folder);
    snprintf(value, sizeof value, "%lld", (long long)pfc__fork_delta);
    at = pfc__meta_line(text, sizeof text, at, "fork_delta", value);
    pfc__meta_extent = pfc__meta_keep(text, at);
}

/* A run that has begun before it was named, as where a PFC_HIT begins it while the program is loaded. The command comes
   first, the rest stays; readers take the first such text that there is. */
static PFC__QUIET void pfc__command_rename(int argc, char **argv)
{
    static char text[3 * PATH_MAX + 8192];
    pfc__extent_t *before = pfc__meta_extent, *e;
    const char *rest;
    size_t at, n;
    if (!before || !argv || argc < 1) return;
    rest = (const char *)pfc__extent_data(before);
    n = strlen(rest) + 1;
    pfc__command_read(argc, argv);
    at = pfc__meta_line(text, sizeof text, 0, "command", pfc__command);
    if (!strcmp(text, rest) || before->count - n > sizeof text - at) return;
    memcpy(text + at, rest + n, (size_t)before->count - n);
    e = pfc__meta_keep(text, at + (size_t)before->count - n);
    if (e) before->kind = PFC__FREE, pfc__meta_extent = e;
}

/* Over what never changes while the program runs: a foreign or damaged header is found out at once. */
static PFC__QUIET pfc__u64 pfc__header_sum(const pfc__header_t *h)
{
    pfc__u64 fixed[4];
    memcpy(fixed, h->magic, 8);
    fixed[1] = ((pfc__u64)h->major << 32) | h->page;
    fixed[2] = ((pfc__u64)h->header_bytes << 32) | h->clock_kind;
    fixed[3] = (pfc__u64)h->pid ^ (pfc__u64)h->tick_begin;
    return pfc__checksum(fixed, sizeof fixed);
}

/* Over all of it, once nothing changes any more. */
static PFC__QUIET pfc__u64 pfc__ended_sum(const pfc__header_t *h)
{
    return pfc__checksum(h, offsetof(pfc__header_t, ended_checksum));
}

/* Launchers tell the rank before MPI_Init does: the file then has its name from the start. */
int pfc__rank_of_launcher(void)
{
    static const char *const name[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" };
    size_t i;
    for (i = 0; i < sizeof name / sizeof *name; i++) {
        const char *value = pfc__environment(name[i]);
        if (value && *value >= '0' && *value <= '9') return atoi(value);
    }
    return 0;
}

/* Until its last step it is the mark of pfc__file_mark: without a byte order. */
static PFC__QUIET void pfc__header_write(void)
{
    pfc__header_t *h = PFC__HEADER;
    memcpy(h->magic, PFC__MAGIC, 8);
    h->major = PFC__LAYOUT_MAJOR;
    h->minor = PFC__LAYOUT_MINOR;
    h->header_bytes = sizeof *h;
    h->page = PFC__PAGE;
    h->bytes = pfc__arena.used;
    h->base = (pfc__u64)(pfc__uptr)pfc__arena.base;
    h->rank = (pfc__u32)pfc__rank_of_launcher();
    h->size = 1;
    h->pid = pfc__sys_getpid();
    h->parent_pid = pfc__sys_getppid();
    h->process_start = pfc__process_start(pfc__sys_getpid());
    h->clock_kind = pfc__clock_kind();
    h->compensate = (pfc__u32)pfc__compensates;
    h->virtual_time = PFC__COSTS_ARE_MODELLED;
    h->ticks_per_ns = pfc__ticks_per_ns();
    h->tick_begin = h->tick_end = pfc__clock_tick0;
    h->budget = pfc__settings.budget;
    h->scale = pfc__settings.scale;
    h->scale_doubt = pfc__settings.scale_doubt;
    h->header_checksum = pfc__header_sum(h);
    h->state = PFC__RUNNING;
    __atomic_store_n(&h->byte_order, PFC__BYTE_ORDER, __ATOMIC_RELEASE);
}
