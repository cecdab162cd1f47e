/* --------------------------------------------------------- arena (impl) ---
   The memory of the profile: one reserved range of addresses, backed bit by
   bit by the profile file. Space is allocated in the file before it is mapped:
   a full disk is then an error that we see here, and no SIGBUS in the program.
   The file is kept open, for a program that gives up its privileges or calls
   chroot couldn't open it again; but one that closes all descriptors must not
   make us write into whatever gets the number next. */

static struct {
    unsigned char *base;         /* NULL: no arena, perfcomp is off */
    size_t reserved, backed, used;
    int fd;                      /* -1: none is kept, the file is opened by its name when needed */
    int plain;                   /* 1: neither file nor anonymous file, counters are copied at the end */
    int full;                    /* 1: growing has failed, and was said */
    int second;                  /* 1: another copy of perfcomp records this process as well */
    dev_t device;
    ino_t inode;
    char path[PATH_MAX];         /* empty: in memory only */
    char link[PATH_MAX];         /* with PERFCOMP_LIVE: what leads from the folder to it */
} pfc__arena;

#define PFC__HEADER ((pfc__header_t *)(void *)pfc__arena.base)

static PFC__QUIET size_t pfc__round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

static PFC__QUIET void pfc__arena_close(int fd)
{
    if (fd >= 0 && fd != pfc__arena.fd) pfc__sys_close(fd);
}

/* Whether that is the file which we made, and it still has a name, if it had one. */
static PFC__QUIET int pfc__arena_is(int fd)
{
    struct stat s;
    return !pfc__sys_fstat(fd, &s) && s.st_dev == pfc__arena.device && s.st_ino == pfc__arena.inode &&
           (s.st_nlink || !pfc__arena.path[0]);
}

/* The file again; -1 and errno. */
static PFC__QUIET int pfc__arena_open(void)
{
    int fd = pfc__arena.fd;
    if (fd >= 0 && pfc__arena_is(fd)) return fd;
    pfc__arena.fd = -1; /* the number is the program's now */
    fd = pfc__arena.path[0] ? pfc__sys_open(pfc__arena.path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0 || pfc__arena_is(fd)) return fd;
    pfc__sys_close(fd);
    errno = ENOENT;
    return -1;
}

/* The file is no longer needed, or it was the parent's. */
static PFC__QUIET void pfc__arena_forget(void)
{
    if (pfc__arena.fd >= 0 && pfc__arena_is(pfc__arena.fd)) pfc__sys_close(pfc__arena.fd);
    pfc__arena.fd = -1;
}

/* Takes `fd` over as the profile's file, out of the way of programs that count their descriptors from 3. */
static PFC__QUIET int pfc__arena_keep(int fd)
{
    struct stat s;
    if (pfc__sys_fstat(fd, &s)) return errno;
    pfc__arena.device = s.st_dev;
    pfc__arena.inode = s.st_ino;
    pfc__arena.fd = pfc__sys_fcntl(fd, F_DUPFD_CLOEXEC, 500);
    if (pfc__arena.fd >= 0 || pfc__arena.path[0]) pfc__sys_close(fd); /* what has a name can be opened again */
    else pfc__arena.fd = fd;
    return 0;
}

/* Beyond the limit SIGXFSZ would end the program. It counts for anonymous files as well. */
int pfc__fits_file_limit(size_t bytes)
{
    struct rlimit limit;
    return !PFC__LETS(prlimit64) || getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

static PFC__QUIET int pfc__allocate(int fd, size_t from, size_t bytes)
{
    int error = EINTR; /* as where the program is stopped amid it, or frozen */
    if (!pfc__fits_file_limit(from + bytes)) return EFBIG;
    if (!PFC__LETS(fallocate)) return EPERM;
    while (error == EINTR) error = posix_fallocate(fd, (off_t)from, (off_t)bytes);
    return error;
}

static PFC__QUIET int pfc__arena_back_to(size_t to)
{
    size_t from = pfc__arena.backed;
    int flags = pfc__arena.plain ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED : MAP_SHARED | MAP_FIXED;
    int fd = -1, error = 0;
#if defined MAP_POPULATE
    flags |= MAP_POPULATE; /* page faults now, not in the hot path */
#endif
    if (to > pfc__arena.reserved) return ENOMEM;
    if (!pfc__arena.plain) {
        fd = pfc__arena_open();
        if (fd < 0) return errno;
        error = pfc__allocate(fd, from, to - from);
    }
    if (!error && pfc__sys_mmap(pfc__arena.base + from, to - from, PROT_READ | PROT_WRITE, flags, fd, (off_t)from) == MAP_FAILED)
        error = errno;
    pfc__arena_close(fd);
    if (!error) pfc__arena.backed = to;
    return error;
}

/* Backs the reserved range up to `end`, and to some more; without that where there is no room, but for the first piece: a
   profile that can't grow from its beginning is of no use. 0, or an errno. */
static PFC__QUIET int pfc__arena_back(size_t end)
{
    size_t chunk = pfc__arena.backed < 1u << 20 ? 1u << 18 : 1u << 20;
    int error;
    if (end <= pfc__arena.backed) return 0;
    error = pfc__arena_back_to(pfc__round_up(end, chunk));
    return error && pfc__arena.backed ? pfc__arena_back_to(pfc__round_up(end, PFC__PAGE)) : error;
}

/* Whether so much can be taken: 0, or an errno. */
static PFC__QUIET int pfc__arena_lacks(size_t bytes)
{
    return pfc__arena_back(pfc__round_up(pfc__arena.used, 64) + pfc__round_up(bytes, 64));
}

/* `bytes` of zeroed memory whose distance to the arena's begin is a multiple of `align`; NULL: no room. */
static PFC__QUIET void *pfc__arena_take(size_t bytes, size_t align)
{
    size_t at = pfc__round_up(pfc__arena.used, align), end = at + pfc__round_up(bytes, 64);
    int error, saved = errno;
    if (!pfc__arena.base || pfc__arena.full) return 0;
    error = pfc__arena_back(end);
    errno = saved; /* amid an enter or exit, maybe */
    if (error) {
        pfc__arena.full = 1;
        pfc__note("the profile can't grow beyond %zu KiB (%s): new regions and paths are counted as overflow; "
                  "make room%s%s", pfc__arena.used >> 10, strerror(error),
                  pfc__arena.path[0] ? " for " : "", pfc__arena.path);
        return 0;
    }
    pfc__arena.used = end;
    return pfc__arena.base + at;
}

/* The file gets no byte more: what is there becomes a private copy, what is to come is private from the beginning. */
static PFC__QUIET void pfc__arena_leave(int fd)
{
    size_t end = pfc__round_up(pfc__arena.used, (size_t)sysconf(_SC_PAGESIZE)); /* its last page: behind it is no file */
    pfc__sys_mmap(pfc__arena.base, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0);
    pfc__arena.backed = end;
    pfc__arena.plain = 1;
}

static PFC__QUIET int pfc__arena_reserve(size_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#if defined MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    for (; bytes >= 1u << 20; bytes /= 4) { /* less under ulimit -v */
        void *range = pfc__sys_mmap(0, bytes, PROT_NONE, flags, -1, 0);
        if (range == MAP_FAILED) continue;
        pfc__arena.base = (unsigned char *)range;
        pfc__arena.reserved = bytes;
        return 0;
    }
    return errno;
}

/* It doesn't grow any more: a limit that the program has set itself counts its addresses. */
static PFC__QUIET void pfc__arena_shrink(void)
{
    pfc__sys_munmap(pfc__arena.base + pfc__arena.backed, pfc__arena.reserved - pfc__arena.backed);
    pfc__arena.reserved = pfc__arena.backed;
}

static PFC__QUIET void pfc__arena_in_memory(void)
{
    int fd = -1;
    pfc__arena_forget();
    pfc__arena.path[0] = 0;
#if defined SYS_memfd_create
    if (pfc__fits_file_limit((size_t)1 << 30)) fd = pfc__sys_memfd_create("perfcomp");
#endif
    pfc__arena.plain = fd < 0 || pfc__arena_keep(fd);
}
