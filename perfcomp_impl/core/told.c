/* ----------------------------------------------------------- told (impl) ---
   What the system tells: in a short file, such as those of /proc, in the environment, and of processes. */

/* A string of less than `room` bytes. Returns its length; 0: there is none, or it can't be read. */
static PFC__QUIET size_t pfc__told(const char *path, char *text, size_t room)
{
    int fd = pfc__sys_open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : pfc__sys_read(fd, text, room - 1);
    if (fd >= 0) pfc__sys_close(fd);
    if (n < 0) n = 0;
    text[n] = 0;
    return (size_t)n;
}

/* Not getenv: a program may have one of its own (shells do), whose calls are counted. Where a program has more rights than
   its caller, the caller's wishes don't count: files would be written with them. */
const char *pfc__environment(const char *name)
{
    extern char **environ;
    size_t n = strlen(name);
    char **entry = environ;
#ifdef __linux__
    if (getauxval(AT_SECURE)) return 0;
#endif
    while (entry && *entry && (strncmp(*entry, name, n) || (*entry)[n] != '=')) entry++;
    return entry && *entry ? *entry + n + 1 : 0;
}

/* As many tens as `text` says, as in e-9, and where that ends; 1: it says none. */
static PFC__QUIET double pfc__power(const char *text, const char **end)
{
    const char *digits = text + 1 + (*text && (text[1] == '-' || text[1] == '+'));
    double power = 1;
    int n = 0;
    if ((*text != 'e' && *text != 'E') || *digits < '0' || *digits > '9') return 1;
    for (*end = digits; **end >= '0' && **end <= '9'; ++*end) n = n < 400 ? n * 10 + (**end - '0') : n;
    while (n-- > 0) power *= 10;
    return text[1] == '-' ? 1 / power : power;
}

/* A decimal number, and where it ends: at `text`, if there is none. Not strtod, which wants a comma where the program's locale
   has one: the user has written it for any program. */
double pfc__number(const char *text, const char **end)
{
    double number = 0, unit = 1;
    int digits = 0;
    *end = text;
    for (; *text >= '0' && *text <= '9'; text++, digits++) number = number * 10 + (*text - '0');
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++, digits++) number = number * 10 + (*text - '0'), unit *= 10;
    if (!digits) return 0;
    *end = text;
    return number / unit * pfc__power(text, end);
}

/* Neither does printf make one there, until the locale that this returns is this thread's again. "C" asks for no memory. */
static PFC__QUIET locale_t pfc__points_begin(void) { return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); }
static PFC__QUIET void pfc__points_end(locale_t locale) { uselocale(locale); }

/* ---- processes and their threads */

/* Field n of a file as /proc/PID/stat, from the state on, which is field 3; "": no /proc, or no such process. */
static PFC__QUIET const char *pfc__stat_field(const char *path, int n, char *text, size_t room)
{
    const char *field;
    int i;
    if (!pfc__told(path, text, room)) return "";
    field = strrchr(text, ')'); /* the command's name may hold anything */
    for (i = 2; field && i < n; i++)
        if ((field = strchr(field, ' ')) != 0) field++;
    return field ? field : "";
}

static PFC__QUIET const char *pfc__process_field(pid_t pid, int n, char *text, size_t room)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    return pfc__stat_field(path, n, text, room);
}

static PFC__QUIET int pfc__process_exists(pid_t pid) { return pfc__sys_kill(pid, 0) == 0 || errno == EPERM; }

/* Whether the kernel has that thread in one of these states, a letter each. */
static PFC__QUIET int pfc__thread_is(const char *states, pfc__i64 pid, pfc__i64 thread)
{
    char path[64], text[1024], state;
    snprintf(path, sizeof path, "/proc/%lld/task/%lld/stat", (long long)pid, (long long)thread);
    state = *pfc__stat_field(path, 3, text, sizeof text);
    return state && strchr(states, state);
}

/* Whether the kernel keeps that thread from running until something happens, as input, a disk, or the time that it sleeps for. */
static PFC__QUIET int pfc__is_asleep(pfc__i64 pid, pfc__i64 thread) { return pfc__thread_is("SD", pid, thread); }

/* Or a signal has stopped it, or a debugger. */
static PFC__QUIET int pfc__is_asleep_or_stopped(pfc__i64 pid, pfc__i64 thread) { return pfc__thread_is("SDTt", pid, thread); }

/* 0: not known, the pid alone must do. In a container that sees the host's /proc, its own number is another one's there. */
static PFC__QUIET pfc__u64 pfc__process_start(pid_t pid)
{
    char text[1024];
    return strtoull(pid == pfc__sys_getpid() ? pfc__stat_field("/proc/self/stat", 22, text, sizeof text) :
                    pfc__process_field(pid, 22, text, sizeof text), 0, 10);
}

/* It has ended, and its parent hasn't asked how. One whose main thread has ended looks like that, but for its other threads. */
static PFC__QUIET int pfc__is_zombie(pid_t pid)
{
    char text[1024];
    return *pfc__process_field(pid, 3, text, sizeof text) == 'Z' && strtol(pfc__process_field(pid, 20, text, sizeof text), 0, 10) <= 1;
}
