/* --------------------------------------------------------- files (impl) ---
   Which file this process writes. perfcomp.<rank>.pfc when it can be had: an
   ended profile, or one of a process that died, gives way. A profile of a
   process that still runs, or of this same process before exec, is kept, and
   ours is called perfcomp.<rank>.<pid>.pfc. A lock on the folder makes looking
   and taking one step. */

/* Whether that profile is being written in this very process, by another copy of perfcomp: it then lies where its
   header says. Read as a file is, because anything may be at that address after exec. */
static PFC__QUIET int pfc__lies_here(const pfc__header_t *h)
{
    pfc__header_t here;
    int fd = pfc__sys_open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pfc__sys_pread(fd, &here, sizeof here, (off_t)h->base);
    if (fd >= 0) pfc__sys_close(fd);
    return n == (ssize_t)sizeof here && !memcmp(here.magic, PFC__MAGIC, 8) && here.pid == h->pid &&
           here.process_start == h->process_start && here.base == h->base;
}

/* Whoever writes a profile holds a lock on it: a process's number tells nothing of one in another container, or on another host. */
static PFC__QUIET int pfc__file_is_held(int fd)
{
    return fd >= 0 && pfc__sys_flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
}

/* Whether a profile with this name must be kept: it is in use, or was ours before exec. Opening doesn't wait: a pipe of
   that name would hold the program up for ever, its signals blocked. */
static PFC__QUIET int pfc__file_taken(const char *path)
{
    pfc__header_t h;
    int fd = pfc__sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : pfc__sys_read(fd, &h, sizeof h);
    int held = pfc__file_is_held(fd);
    pfc__u64 start;
    if (fd >= 0) pfc__sys_close(fd);
    if (n < (ssize_t)sizeof h || memcmp(h.magic, PFC__MAGIC, 8)) return 0;
    held &= h.state == PFC__RUNNING;
    start = pfc__process_start((pid_t)h.pid);
    if (h.process_start && start && h.process_start != start) return held; /* the pid was given anew */
    if (h.pid == pfc__sys_getpid()) {
        pfc__arena.second |= h.state == PFC__RUNNING && pfc__lies_here(&h);
        return 1;
    }
    return held || (h.state == PFC__RUNNING && pfc__process_exists((pid_t)h.pid) && !pfc__is_zombie((pid_t)h.pid));
}

static PFC__QUIET int pfc__folder_lock(const char *folder)
{
    int fd = pfc__sys_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) pfc__sys_flock(fd, LOCK_EX);
    return fd;
}

static PFC__QUIET void pfc__folder_unlock(int fd)
{
    if (fd >= 0) pfc__sys_close(fd);
}

/* One of perfcomp.R.pfc, perfcomp.R.PID.pfc, perfcomp.R.PID.2.pfc …; whether it isn't too long. */
static PFC__QUIET int pfc__file_numbered(char *path, const char *folder, int rank, int i)
{
    int n;
    if (i == 0) n = snprintf(path, PATH_MAX, "%s/perfcomp.%d.pfc", folder, rank);
    else if (i == 1) n = snprintf(path, PATH_MAX, "%s/perfcomp.%d.%ld.pfc", folder, rank, (long)pfc__sys_getpid());
    else n = snprintf(path, PATH_MAX, "%s/perfcomp.%d.%ld.%d.pfc", folder, rank, (long)pfc__sys_getpid(), i);
    return n >= 0 && n < PATH_MAX;
}

/* The first free one of them. Under the folder's lock. */
static PFC__QUIET int pfc__file_name(char *path, const char *folder, int rank, int own_name_only)
{
    int i;
    for (i = own_name_only ? 1 : 0; i < 1000; i++) {
        if (!pfc__file_numbered(path, folder, rank, i)) return ENAMETOOLONG;
        if (!pfc__file_taken(path)) return 0;
    }
    return EEXIST;
}

/* A process that was forked, and then became this program by exec, belongs to its parent's run: a daemon that starts
   itself anew when its parent has ended would replace the parent's profile, and all of the run be one of an earlier run. */
static PFC__QUIET int pfc__had_own_name(int rank)
{
    char path[PATH_MAX];
    return pfc__file_numbered(path, pfc__settings.folder, rank, 1) && pfc__file_taken(path);
}

/* An old profile gives way. That of a program that was killed may still lie in
   PERFCOMP_LIVE's folder, where it would hold memory for good. Whether there is none of that name now. */
static PFC__QUIET int pfc__file_remove(const char *path)
{
    char target[PATH_MAX];
    ssize_t n = pfc__sys_readlink(path, target, sizeof target - 1);
    if (n > 0 && n < (ssize_t)sizeof target - 1) {
        const char *name;
        int end = 0;
        target[n] = 0;
        name = strrchr(target, '/'); /* a link that isn't to a name of pfc__file_take's is the user's */
        if (name && sscanf(name, "/perfcomp.%*d.%*d.%*x.pfc%n", &end) == 0 && end && !name[end]) pfc__sys_unlink(target);
    }
    return pfc__sys_unlink(path) == 0 || errno == ENOENT;
}

/* A new file: whoever still reads the old one of this name keeps it; where that can't be removed, errno says why. Daemons'
   umask is 0 as a rule: nobody else is to write there. */
static PFC__QUIET int pfc__file_create(const char *path)
{
    return pfc__file_remove(path) ? pfc__sys_create(path, O_RDWR | O_EXCL | O_CLOEXEC, 0644) : -1;
}

/* Between pfc__writing_begin and _end. 0, or an errno. */
static PFC__QUIET int pfc__write_from(int fd, const void *from, pfc__u64 bytes, pfc__u64 at)
{
    const char *byte = (const char *)from;
    while (bytes) {
        ssize_t n = pfc__sys_pwrite(fd, byte, (size_t)(bytes < 1u << 30 ? bytes : 1u << 30), (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n && errno ? errno : ENOSPC;
        byte += n;
        at += (pfc__u64)n;
        bytes -= (pfc__u64)n;
    }
    return 0;
}

static PFC__QUIET int pfc__write_at(int fd, const void *from, pfc__u64 bytes, pfc__u64 at)
{
    pfc__writing_t writing;
    int error;
    pfc__writing_begin(&writing);
    error = pfc__write_from(fd, from, bytes, at);
    pfc__writing_end(&writing);
    return error;
}

/* Whose it is, while the folder is still locked: the header itself comes later. */
static PFC__QUIET int pfc__file_mark(int fd)
{
    pfc__header_t h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, PFC__MAGIC, 8);
    h.pid = pfc__sys_getpid();
    h.process_start = pfc__process_start(pfc__sys_getpid());
    h.state = PFC__RUNNING;
    return pfc__write_at(fd, &h, sizeof h, 0);
}

/* From the folder to PERFCOMP_LIVE's. */
static PFC__QUIET int pfc__file_link(const char *link)
{
    return pfc__file_remove(link) && !pfc__sys_symlink(pfc__arena.path, link) ? 0 : errno;
}

/* With PERFCOMP_LIVE the file lies there, and a link in the folder leads readers to it: once there is such a file, as the
   link takes the place of an earlier run's profile. When that fails, pfc__arena.path names what couldn't be made. */
static PFC__QUIET int pfc__file_take(int rank, int own_name_only)
{
    const char *folder = pfc__settings.folder, *live = pfc__settings.live;
    char link[PATH_MAX] = "", *at_fault = 0;
    int lock = pfc__folder_lock(folder), fd = -1;
    int error = pfc__file_name(pfc__arena.path, folder, rank, own_name_only || pfc__had_own_name(rank));
    if (!error && *live) {
        int n;
        memcpy(link, pfc__arena.path, sizeof link);
        n = snprintf(pfc__arena.path, PATH_MAX, "%s/perfcomp.%d.%ld.%llx.pfc", live, rank, (long)pfc__sys_getpid(),
                     (unsigned long long)pfc__clock_monotonic());
        if (n < 0 || n >= PATH_MAX) error = ENAMETOOLONG;
    }
    if (!error && (fd = pfc__file_create(pfc__arena.path)) < 0) error = errno == ENOENT && pfc__settings.unmade ? pfc__settings.unmade : errno;
    if (!error) pfc__sys_flock(fd, LOCK_EX | LOCK_NB); /* for as long as it's open */
    if (!error && (error = pfc__allocate(fd, 0, PFC__PAGE)) == 0) error = pfc__file_mark(fd);
    if (!error && *link && (error = pfc__file_link(link)) != 0) at_fault = link;
    if (!error) error = pfc__arena_keep(fd);
    if (error && fd >= 0) pfc__sys_unlink(pfc__arena.path), pfc__sys_close(fd);
    if (at_fault) memcpy(pfc__arena.path, at_fault, sizeof link);
    memcpy(pfc__arena.link, link, sizeof link);
    pfc__folder_unlock(lock);
    return error;
}

/* Gives the file its final name; it may have that already, and keeps the present one when that is taken. */
static PFC__QUIET void pfc__file_rename(int rank)
{
    char to[PATH_MAX];
    int lock = pfc__folder_lock(pfc__settings.folder);
    char *from = *pfc__arena.link ? pfc__arena.link : pfc__arena.path;
    int n = snprintf(to, sizeof to, "%s/perfcomp.%d.pfc", pfc__settings.folder, rank);
    int named = n < 0 || (size_t)n >= sizeof to || !strcmp(from, to);
    if (!named && !pfc__file_name(to, pfc__settings.folder, rank, 0) && !pfc__sys_rename(from, to)) memcpy(from, to, sizeof to);
    pfc__folder_unlock(lock);
}

static PFC__QUIET int pfc__file_copy(int from, int to)
{
    static char block[1 << 16];
    pfc__u64 at = 0;
    ssize_t n;
    int error = 0;
    while (!error && (n = pfc__sys_read(from, block, sizeof block)) != 0) {
        error = n < 0 ? errno : pfc__write_at(to, block, (pfc__u64)n, at);
        at += (pfc__u64)n;
    }
    return error;
}

/* From PERFCOMP_LIVE to where the profile belongs. When that fails it stays, and the link still finds it, if nobody has
   removed it (systemd clears a user's /dev/shm as he logs out). */
static PFC__QUIET void pfc__file_settle(void)
{
    char temporary[PATH_MAX];
    int n, from, to, error;
    if (!*pfc__arena.link || !pfc__arena.path[0]) return;
    n = snprintf(temporary, sizeof temporary, "%s.new", pfc__arena.link);
    if (n < 0 || n >= PATH_MAX) return;
    from = pfc__sys_open(pfc__arena.path, O_RDONLY | O_CLOEXEC);
    to = pfc__file_create(temporary);
    error = from < 0 || to < 0 ? errno : pfc__file_copy(from, to);
    if (from >= 0) pfc__sys_close(from);
    if (to >= 0 && pfc__sys_close(to) && !error) error = errno;
    if (!error && pfc__sys_rename(temporary, pfc__arena.link)) error = errno;
    if (!error) { pfc__sys_unlink(pfc__arena.path); return; }
    pfc__sys_unlink(temporary);
    if (from < 0) pfc__note("the profile is lost: %s was removed while the program ran; set PERFCOMP_LIVE to a folder that nobody clears",
                            pfc__arena.path);
    else pfc__note("can't move the profile to %s (%s): it stays in %s", pfc__arena.link, strerror(error), pfc__arena.path);
}

/* ---- one file for a job */

const char *pfc__profile_file_name(void) { return *pfc__arena.link ? pfc__arena.link : pfc__arena.path; }

void pfc__profile_remove(void)
{
    if (*pfc__profile_file_name()) pfc__file_remove(pfc__profile_file_name());
    pfc__arena.path[0] = pfc__arena.link[0] = 0;
}

static PFC__QUIET int pfc__job_file_name(char *path, const char *ending)
{
    int n = snprintf(path, PATH_MAX, "%s/perfcomp.pfc%s", pfc__settings.folder, ending);
    return n < 0 || n >= PATH_MAX ? ENAMETOOLONG : 0;
}

int pfc__job_file_create(char *path, pfc__u64 bytes)
{
    int fd, error = pfc__job_file_name(path, ".new");
    if (error) return error;
    fd = pfc__file_create(path);
    if (fd < 0) return errno;
    error = pfc__allocate(fd, 0, (size_t)bytes);
    pfc__sys_close(fd);
    return error;
}

int pfc__job_file_settle(int error)
{
    char from[PATH_MAX], to[PATH_MAX];
    if (pfc__job_file_name(from, ".new") || pfc__job_file_name(to, "")) error = ENAMETOOLONG;
    if (!error && pfc__sys_rename(from, to)) error = errno;
    if (!error) return 0;
    pfc__sys_unlink(from);
    pfc__note("the profiles of all ranks can't be written to %s (%s): each stays in a file of its own", to, strerror(error));
    return error;
}
