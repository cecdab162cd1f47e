/* --------------------------------------------------------- notes (impl) ---
   What the user is told: a line on stderr, and in the profile for its reports. */

/* ---- stderr */

/* As it was at the start. A program may close it, and the next file that it opens is descriptor 2: a line of ours would lie amid
   its data. So we are silent as soon as it is another one. */
static struct { int looked, open, kept; dev_t device; ino_t number; } pfc__stderr = { 0, 0, -1, 0, 0 };

static PFC__QUIET int pfc__stderr_is(int fd)
{
    struct stat now;
    int saved = errno, open = !pfc__sys_fstat(fd, &now);
    errno = saved;
    if (!pfc__stderr.looked) {
        pfc__stderr.looked = 1;
        pfc__stderr.open = open;
        if (open) pfc__stderr.device = now.st_dev, pfc__stderr.number = now.st_ino;
    }
    return open && pfc__stderr.open && now.st_dev == pfc__stderr.device && now.st_ino == pfc__stderr.number;
}

/* For what is said at the end (`at_end`), when many programs have closed it: those of GNU do, to see whether all is written.
   Only where the user wants it: who reads from us would wait for that end. */
static PFC__QUIET void pfc__stderr_begin(int at_end)
{
    if (pfc__stderr_is(2) && at_end) pfc__stderr.kept = pfc__sys_fcntl(2, F_DUPFD_CLOEXEC, 500); /* as the profile's, see arena.c */
}

static PFC__QUIET void pfc__stderr_end(void)
{
    if (pfc__stderr.kept >= 0 && pfc__stderr_is(pfc__stderr.kept)) pfc__sys_close(pfc__stderr.kept);
    pfc__stderr.kept = -1;
}

/* Its descriptor; less than 0: it isn't there any more. */
static PFC__QUIET int pfc__stderr_fd(void)
{
    if (pfc__stderr.kept >= 0 && pfc__stderr_is(pfc__stderr.kept)) return pfc__stderr.kept;
    return pfc__stderr_is(2) ? 2 : -1;
}

/* At once: lines of other processes don't come between. Not by stdio: the program's first output decides whether a stream is
   for wide characters, and ours would be it. */
static PFC__QUIET void pfc__stderr_write(const char *text)
{
    size_t left = strlen(text);
    int fd = pfc__stderr_fd();
    pfc__writing_t writing;
    ssize_t n;
    if (fd < 0) return;
    pfc__writing_begin(&writing);
    for (; left && (n = pfc__sys_write(fd, text, left)) > 0; text += n) left -= (size_t)n;
    pfc__writing_end(&writing);
}

/* PERFCOMP_REPORT */
static PFC__QUIET void pfc__stderr_report(void)
{
    int fd = pfc__stderr_fd(), copy = fd < 0 ? -1 : pfc__sys_fcntl(fd, F_DUPFD_CLOEXEC, 3);
    FILE *file = copy < 0 ? 0 : fdopen(copy, "w");
    pfc__writing_t writing;
    if (!file && copy >= 0) pfc__sys_close(copy);
    if (!file) return;
    pfc__writing_begin(&writing);
    pfc_report(file);
    fclose(file);
    pfc__writing_end(&writing);
}

/* ---- notes */

static char pfc__notes_early[2048]; /* said before there was a profile to keep them */

static PFC__QUIET void pfc__note_store(const char *line)
{
    size_t n = strlen(line) + 1, used = 0;
    pfc__extent_t *e;
    if (!pfc__arena.base) {
        while (used < sizeof pfc__notes_early && pfc__notes_early[used]) used += strlen(pfc__notes_early + used) + 1;
        if (used + n < sizeof pfc__notes_early) memcpy(pfc__notes_early + used, line, n);
        return;
    }
    e = pfc__extent_new(PFC__NOTES, 1, n, 0, 0);
    if (e) memcpy(pfc__extent_data(e), line, n), pfc__extent_holds(e, n);
}

/* Who is inside perfcomp has the lock, or is alone. */
static PFC__QUIET void pfc__note_list(const char *line)
{
    const int is_inside = pfc__busy;
    if (!is_inside) pfc__lists_enter();
    if (!pfc__arena.full) pfc__note_store(line);
    if (!is_inside) pfc__lists_leave();
}

#define PFC__NOTE_ROOM (PATH_MAX + 512)

static PFC__QUIET void pfc__note_write(char *line, const char *format, va_list arguments)
{
    locale_t locale = pfc__points_begin();
    vsnprintf(line, PFC__NOTE_ROOM, format, arguments);
    pfc__points_end(locale);
    for (; *line; line++)
        if ((unsigned char)*line < 32 || *line == 127) *line = '?'; /* a file's name, or a setting, may hold anything */
}

#define PFC__LINE_BEGIN "perfcomp: "

static PFC__QUIET void pfc__note_tell(int says, int keeps, const char *format, va_list arguments)
{
    char line[sizeof PFC__LINE_BEGIN + PFC__NOTE_ROOM] = PFC__LINE_BEGIN, *note = line + sizeof PFC__LINE_BEGIN - 1;
    int saved = errno;
    pfc__note_write(note, format, arguments);
    if (keeps) pfc__note_list(note);
    strcat(note, "\n");
    if (says) pfc__stderr_write(line);
    errno = saved;
}

void pfc__note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pfc__note_tell(1, 1, format, arguments);
    va_end(arguments);
}

void pfc__note_keep(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pfc__note_tell(0, 1, format, arguments);
    va_end(arguments);
}

static PFC__QUIET int pfc__is_first_of_job(void)
{
#if defined PERFCOMP_SMPI
    return pfc__sys_getpid() == 1; /* of simulated processes: from 1, in the order of their ranks */
#else
    return !pfc__rank_of_launcher();
#endif
}

/* All ranks of a job have it, and find the same: the first one says so. */
void pfc__note_setting(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pfc__note_tell(pfc__is_first_of_job(), 1, format, arguments);
    va_end(arguments);
}

/* On stderr alone. */
static PFC__QUIET __attribute__((format(printf, 1, 2))) void pfc__say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pfc__note_tell(1, 0, format, arguments);
    va_end(arguments);
}
