/* --------------------------------------------------------- reader (impl) ---
   From bytes to checked extents. The file is copied, not mapped: a program
   that shortens or rewrites it meanwhile can then do no harm. After this part
   every offset, count and string of the image may be relied on. */

typedef struct pfc__part {       /* an extent, checked */
    pfc__u32 kind, owner, first, elem_bytes;
    pfc__u64 begin, end;         /* of the extent, in the image */
    pfc__u64 at, count, capacity; /* of its elements */
    pfc__u64 adding;             /* COUNTERS: enum pfc__adding */
    pfc__i64 fetch;              /* UNIT: see pfc__extent_t */
    pfc__u64 written;            /* EVENTS: so many there were when all of them had been copied */
} pfc__part_t;

typedef struct pfc__image {
    char *file;                  /* a copy of the name */
    const unsigned char *bytes;
    size_t size;
    pfc__u64 place;              /* of the bytes in the file */
    int own;                     /* 1: this process's own profile, not a copy */
    int is_partial;              /* 1: blocks were forgotten */
    pfc__i64 read_utc_ns;        /* when it was copied */
    pfc__header_t header;
    pfc__part_t *part;
    size_t parts, strings;       /* string[]: the STRINGS extents' places in part[] */
    size_t *string;
    char *why;
    size_t why_bytes;
} pfc__image_t;

/* Says what is wrong, and how to mend it, for which the end of a long name leaves room. Always 0. */
static PFC__QUIET __attribute__((format(printf, 2, 3))) int pfc__refuse(pfc__image_t *image, const char *format, ...)
{
    const size_t length = strlen(image->file), most = image->why_bytes / 2, left_out = length > most ? length - most : 0;
    va_list arguments;
    int n = snprintf(image->why, image->why_bytes, "%s%s: ", left_out ? "…" : "", image->file + left_out);
    if (n < 0 || (size_t)n >= image->why_bytes) return 0;
    va_start(arguments, format);
    vsnprintf(image->why + n, image->why_bytes - (size_t)n, format, arguments);
    va_end(arguments);
    return 0;
}

static PFC__QUIET int pfc__damaged(pfc__image_t *image, pfc__u64 at, const char *what)
{
    return pfc__refuse(image, "damaged at byte %llu (%s); use an intact copy, or run the program again",
                       (unsigned long long)at, what);
}

static PFC__QUIET void *pfc__room(pfc__image_t *image, pfc__u64 n, size_t bytes)
{
    void *room = n < SIZE_MAX / bytes ? calloc((size_t)n + 1, bytes) : 0;
    if (!room) pfc__refuse(image, "not enough memory to read it; read it on a larger machine");
    return room;
}

/* ---- bytes */

static PFC__QUIET int pfc__copy_range(pfc__image_t *image, unsigned char *to, int fd, pfc__u64 from, pfc__u64 end)
{
    while (from < end) {
        ssize_t n = pfc__sys_pread(fd, to + from, (size_t)(end - from < 1u << 30 ? end - from : 1u << 30), (off_t)(image->place + from));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return pfc__refuse(image, "can't be read: %s", strerror(errno));
        if (n == 0) break; /* became shorter meanwhile: the checks will tell whether that matters */
        from += (pfc__u64)n;
    }
    return 1;
}

/* Holes of a sparse file cost neither time nor memory. */
static PFC__QUIET int pfc__copy_file(pfc__image_t *image, unsigned char *to, int fd)
{
#if defined SEEK_DATA && defined SEEK_HOLE
    off_t begin = (off_t)image->place, end = begin + (off_t)image->size, at = begin, hole;
    while ((at = pfc__sys_lseek(fd, at, SEEK_DATA)) >= 0 && at < end) {
        hole = pfc__sys_lseek(fd, at, SEEK_HOLE);
        if (hole <= at) break;
        if (hole > end) hole = end;
        if (!pfc__copy_range(image, to, fd, (pfc__u64)(at - begin), (pfc__u64)(hole - begin))) return 0;
        at = hole;
    }
    if (at >= 0 || errno == ENXIO) return 1;
#endif
    return pfc__copy_range(image, to, fd, 0, image->size);
}

/* `bytes` of the file, from `place` on. */
static PFC__QUIET int pfc__load(pfc__image_t *image, int fd, pfc__u64 place, pfc__u64 bytes)
{
    const pfc__u64 limit = sizeof(size_t) > 4 ? (pfc__u64)1 << 36 : (pfc__u64)1 << 30;
    void *copy;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#if defined MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    if (bytes > limit) return pfc__refuse(image, "larger than any profile; name a perfcomp.*.pfc");
    copy = pfc__sys_mmap(0, (size_t)bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (copy == MAP_FAILED) return pfc__refuse(image, "not enough memory to read it; read it on a larger machine");
    image->bytes = (const unsigned char *)copy;
    image->size = (size_t)bytes;
    image->place = place;
    image->read_utc_ns = pfc__utc_now();
    return pfc__copy_file(image, (unsigned char *)copy, fd);
}

/* So many of an extent's elements are in use now. */
static PFC__QUIET pfc__u64 pfc__count_now(int fd, pfc__u64 at, pfc__u64 otherwise)
{
    pfc__u64 now;
    return pfc__sys_pread(fd, &now, sizeof now, (off_t)(at + offsetof(pfc__extent_t, count))) == (ssize_t)sizeof now ? now : otherwise;
}

/* A ring that is written faster than all of the file is copied has turned round meanwhile. It alone is copied in less
   time, and how many of its events that took is kept in the copy: see pfc__build_events. */
static PFC__QUIET int pfc__copy_ring(pfc__image_t *image, unsigned char *to, int fd, pfc__u64 at, pfc__extent_t e)
{
    if (pfc__count_now(fd, at, e.count) - e.count > e.capacity / 8 && !pfc__copy_range(image, to, fd, at, at + e.bytes)) return 0;
    memcpy(&e, to + at, sizeof e);
    e.of.written = pfc__count_now(fd, at, e.count);
    memcpy(to + at, &e, sizeof e);
    return 1;
}

/* What was copied first may name what has been written since. */
static PFC__QUIET int pfc__copy_again(pfc__image_t *image, unsigned char *to, int fd, const pfc__header_t *h)
{
    pfc__u64 at = h->page, end = h->bytes < image->size ? h->bytes : image->size;
    while (at >= sizeof *h && at < end && end - at >= sizeof(pfc__extent_t)) {
        pfc__extent_t e;
        memcpy(&e, to + at, sizeof e);
        if (e.magic && (e.magic != PFC__EXTENT_MAGIC || e.bytes < sizeof e || e.bytes > end - at)) break; /* the checks will tell */
        if (e.magic && e.kind == PFC__STRINGS && !pfc__copy_range(image, to, fd, at, at + e.bytes)) return 0;
        if (e.magic && e.kind == PFC__EVENTS && !pfc__copy_ring(image, to, fd, at, e)) return 0;
        at += e.magic ? e.bytes : 64;
    }
    return 1;
}

/* All of a file as it is now. *whole 0: its program has gone on writing meanwhile what the rest may point to. */
static PFC__QUIET int pfc__load_now(pfc__image_t *image, int fd, pfc__u64 bytes, int *whole)
{
    pfc__header_t h;
    pfc__u64 now;
    struct stat s;
    *whole = 1;
    if (!pfc__load(image, fd, 0, bytes)) return 0;
    if (bytes < sizeof h) return 1;
    memcpy(&h, image->bytes, sizeof h);
    if (memcmp(h.magic, PFC__MAGIC, sizeof h.magic) || h.byte_order != PFC__BYTE_ORDER || h.state != PFC__RUNNING) return 1;
    if (!pfc__copy_again(image, (unsigned char *)(pfc__uptr)image->bytes, fd, &h)) return 0;
    *whole = !pfc__sys_fstat(fd, &s) && (pfc__u64)s.st_size == bytes &&
             pfc__sys_pread(fd, &now, sizeof now, offsetof(pfc__header_t, bytes)) == (ssize_t)sizeof now && now == h.bytes;
    return 1;
}

/* A large program grows for so long while it starts; then the checks tell whether that matters. One that never stops has
   its file copied up to so many bytes. */
enum { PFC__LOADS = 200, PFC__LOADED = 1 << 30 };

static PFC__QUIET int pfc__load_file(pfc__image_t *image, int fd)
{
    pfc__u64 copied = 0;
    int whole = 0, tries = PFC__LOADS;
    struct stat s;
    for (; !whole && tries && copied < PFC__LOADED; tries--, copied += image->size) {
        if (image->bytes) pfc__sys_munmap((void *)(pfc__uptr)image->bytes, image->size);
        image->bytes = 0;
        if (pfc__sys_fstat(fd, &s)) return pfc__refuse(image, "can't be read: %s", strerror(errno));
        if (S_ISDIR(s.st_mode)) return pfc__refuse(image, "is a folder; name the profiles in it");
        if (!S_ISREG(s.st_mode)) return pfc__refuse(image, "is no regular file; name a perfcomp.*.pfc");
        if (s.st_size <= 0) return pfc__refuse(image, "empty; run the program again, on a disk with room");
        if (!pfc__load_now(image, fd, (pfc__u64)s.st_size, &whole)) return 0;
    }
    return 1;
}

/* From the image. In this process's own profile other threads go on writing:
   what is read may be torn, it is checked all the same, and is no race to report. */
static PFC__QUIET __attribute__((no_sanitize("thread"))) void pfc__bytes(const pfc__image_t *image, pfc__u64 at, void *to, size_t n)
{
    const volatile unsigned char *from = image->bytes + at;
    unsigned char *byte = (unsigned char *)to;
    size_t i;
    if (!image->own) { memcpy(to, image->bytes + at, n); return; }
    for (i = 0; i < n; i += 8) {
        pfc__u64 word;
        if ((at + i) % 8 || n - i < 8) break;
        word = *(const volatile pfc__u64 *)(const volatile void *)(from + i);
        __builtin_memcpy(byte + i, &word, sizeof word);
    }
    for (; i < n; i++) byte[i] = from[i];
}

/* ---- header */

static PFC__QUIET int pfc__finite(double x, double low, double high) { return x >= low && x <= high; }

static PFC__QUIET int pfc__cost_sound(const pfc__cost_t *cost)
{
    double value[sizeof *cost / sizeof(double)];
    size_t i;
    memcpy(value, cost, sizeof value);
    for (i = 0; i < sizeof value / sizeof *value; i++)
        if (!pfc__finite(value[i], -1e12, 1e12)) return 0;
    return 1;
}

static PFC__QUIET int pfc__header_sound(pfc__image_t *image)
{
    pfc__header_t *h = &image->header;
    if (h->page < 512 || h->page > 1u << 24 || (h->page & (h->page - 1)))
        return pfc__damaged(image, offsetof(pfc__header_t, page), "page size");
    if (h->header_bytes < offsetof(pfc__header_t, fork_child) || h->header_bytes > h->page)
        return pfc__damaged(image, offsetof(pfc__header_t, header_bytes), "size of the header");
    if (h->state != PFC__RUNNING && h->state != PFC__ENDED)
        return pfc__refuse(image, "the program stopped before its profile began; run it again");
    if (h->bytes < h->page) return pfc__damaged(image, offsetof(pfc__header_t, bytes), "size of the profile");
    if (h->bytes > image->size)
        return pfc__refuse(image, "cut off: %llu of %llu bytes; copy it again, or run the program on a disk with room",
                           (unsigned long long)image->size, (unsigned long long)h->bytes);
    if (h->header_checksum != pfc__header_sum(h) || !pfc__finite(h->ticks_per_ns, 1e-9, 1e6) ||
        !pfc__finite(h->budget, 0, 1) || !pfc__finite(h->scale, 0, 100) || !pfc__finite(h->scale_doubt, 0, 100) ||
        !pfc__finite((double)h->atomic_hits, 0, PFC__ATOMIC_MOST) || !pfc__finite(h->atomic_doubt, 0, 100) ||
        !pfc__finite(h->fetch_doubt, 0, 100) || !pfc__cost_sound(&h->cost))
        return pfc__damaged(image, offsetof(pfc__header_t, header_checksum), "header");
    h->strayed = PFC__STEPS(h->strayed);
    h->unsaved = PFC__STEPS(h->unsaved);
    if (h->strayed > UINT32_MAX || h->unsaved > UINT32_MAX) return pfc__damaged(image, offsetof(pfc__header_t, strayed), "header");
    if (h->state != PFC__ENDED || image->own) return 1;
    if (h->header_bytes > offsetof(pfc__header_t, ended_checksum) && h->ended_checksum != pfc__ended_sum(h))
        return pfc__damaged(image, offsetof(pfc__header_t, ended_checksum), "header");
    if (!h->strayed && h->checksum != pfc__checksum(image->bytes + h->page, (size_t)(h->bytes - h->page)))
        return pfc__refuse(image, "damaged: its checksum is wrong; use an intact copy, or run the program again");
    return 1;
}

static PFC__QUIET int pfc__is_of_other_width(pfc__u32 byte_order)
{
    return byte_order == (sizeof(void *) == 8 ? PFC__BYTE_ORDER_32 : PFC__BYTE_ORDER_64);
}

static PFC__QUIET int pfc__header_read(pfc__image_t *image)
{
    pfc__header_t *h = &image->header;
    const size_t prefix = offsetof(pfc__header_t, page);
    static const char zero[8] = "";
    memset(h, 0, sizeof *h);
    pfc__bytes(image, 0, h, image->size < sizeof *h ? image->size : sizeof *h);
    if (!memcmp(h->magic, zero, sizeof zero))
        return pfc__refuse(image, "holds no profile yet; wait until the program has begun, or run it again");
    if (image->size >= sizeof h->magic && !memcmp(h->magic, PFC__COLLECTION_MAGIC, 8))
        return pfc__refuse(image, "a merged file; open its profiles one by one (pfc_profile_open_one)");
    if (image->size < sizeof h->magic ? memcmp(h->magic, PFC__MAGIC, image->size) != 0 : memcmp(h->magic, PFC__MAGIC, 8) != 0)
        return pfc__refuse(image, "not a profile of perfcomp; name a perfcomp.*.pfc");
    if (image->size < prefix) return pfc__refuse(image, "cut off after %zu byte%s; copy it again", image->size, image->size == 1 ? "" : "s");
    if (!h->byte_order) return pfc__refuse(image, "begun just now, and nothing in it yet; wait, or, if the process was killed, remove it");
    if (pfc__is_of_other_width(h->byte_order))
        return pfc__refuse(image, "written by a program of %d bits; read it with a perfcomp that is compiled for as many",
                           sizeof(void *) == 8 ? 32 : 64);
    if (h->byte_order == __builtin_bswap32(PFC__BYTE_ORDER))
        return pfc__refuse(image, "written on a machine with another byte order; read it on one of that kind");
    if (h->byte_order != PFC__BYTE_ORDER) return pfc__damaged(image, offsetof(pfc__header_t, byte_order), "byte order");
    if (h->major < PFC__LAYOUT_OLDEST || h->major > PFC__LAYOUT_MAJOR)
        return pfc__refuse(image, "written by %s version of perfcomp (layout %u, this one reads %d); read it with that version",
                           h->major > PFC__LAYOUT_MAJOR ? "a newer" : "another", h->major, PFC__LAYOUT_MAJOR);
    if (image->size < sizeof *h) return pfc__refuse(image, "cut off after %zu bytes; copy it again", image->size);
    if (h->header_bytes < sizeof *h) memset((char *)h + h->header_bytes, 0, sizeof *h - h->header_bytes); /* an older minor version */
    return pfc__header_sound(image);
}

/* ---- extents */

/* The least size of an element of each kind that we read; 0: not read. */
static PFC__QUIET pfc__u32 pfc__elem_least(pfc__u32 kind)
{
    switch (kind) {
    case PFC__META: case PFC__STRINGS: case PFC__NOTES: case PFC__MPI: return 1;
    case PFC__REGIONS: return sizeof(pfc__region_t);
    case PFC__THREADS: return PFC__THREAD_LEAST;
    case PFC__NODES: return sizeof(pfc__node_t);
    case PFC__STACK: return sizeof(pfc__frame_t);
    case PFC__SAMPLES: return offsetof(pfc__sample_t, inside);
    case PFC__COUNTERS: case PFC__INHERITED: return sizeof(pfc__u64);
    case PFC__EVENTS: return PFC__EVENT_LEAST;
    default: return 0;
    }
}

static PFC__QUIET int pfc__extent_sound(pfc__image_t *image, pfc__u64 at, const pfc__extent_t *e)
{
    pfc__u32 least = pfc__elem_least(e->kind);
    if (e->data < sizeof *e || e->data > e->bytes) return pfc__damaged(image, at, "place of an extent's elements");
    if (e->kind == PFC__FREE || (!least && e->kind != PFC__UNIT)) return 1;
    if (e->elem_bytes < (least ? least : 1) || e->capacity > (e->bytes - e->data) / e->elem_bytes)
        return pfc__damaged(image, at, "size of an extent's elements");
    if (e->count > e->capacity && e->kind != PFC__EVENTS) return pfc__damaged(image, at, "number of an extent's elements");
    if (e->kind == PFC__STRINGS && (!e->capacity || image->bytes[at + e->data + e->capacity - 1]))
        return pfc__damaged(image, at, "text without end");
    if (e->kind == PFC__UNIT && e->bytes - e->data < PFC__UNIT_RECORD_LEAST) return pfc__damaged(image, at, "unit");
    return 1;
}

static PFC__QUIET int pfc__part_add(pfc__image_t *image, pfc__u64 at, const pfc__extent_t *e)
{
    pfc__part_t *part;
    if ((image->parts & (image->parts - 1)) == 0) { /* room for the next power of two */
        size_t room = image->parts ? image->parts * 2 : 1;
        part = (pfc__part_t *)realloc(image->part, room * sizeof *part);
        if (!part) return pfc__refuse(image, "not enough memory to read it; read it on a larger machine");
        image->part = part;
    }
    part = &image->part[image->parts++];
    part->kind = e->kind;
    part->owner = e->owner;
    part->first = e->first;
    part->elem_bytes = e->elem_bytes;
    part->begin = at;
    part->end = at + e->bytes;
    part->at = at + e->data;
    part->count = e->count;
    part->capacity = e->capacity;
    part->adding = e->kind == PFC__COUNTERS ? e->adding : 0;
    part->fetch = e->kind == PFC__UNIT ? e->of.fetch : 0;
    part->written = e->kind == PFC__EVENTS && e->of.written > e->count ? e->of.written : e->count;
    if (e->kind == PFC__STRINGS) image->strings++;
    return 1;
}

/* COUNTERS may begin at their page's place: between two extents lie gaps of zeros, in steps of 64. */
static PFC__QUIET int pfc__extents_read(pfc__image_t *image)
{
    pfc__u64 at = image->header.page, end = image->header.bytes;
    pfc__extent_t e;
    size_t i, n = 0;
    while (end - at >= sizeof e) {
        pfc__bytes(image, at, &e, sizeof e);
        if (e.magic == 0) { at += 64; continue; }
        if (e.magic != PFC__EXTENT_MAGIC) return pfc__damaged(image, at, "no extent where one should begin");
        if (e.bytes < sizeof e || e.bytes > end - at || e.bytes % 64) return pfc__damaged(image, at, "size of an extent");
        if (!pfc__extent_sound(image, at, &e) || !pfc__part_add(image, at, &e)) return 0;
        at += e.bytes;
    }
    image->string = (size_t *)pfc__room(image, image->strings, sizeof *image->string);
    if (!image->string) return 0;
    for (i = 0; i < image->parts; i++)
        if (image->part[i].kind == PFC__STRINGS) image->string[n++] = i;
    return 1;
}

/* ---- what the extents hold */

/* Element i of a part, copied: it may change, and it may be misaligned. What an older version's hasn't got is 0. */
static PFC__QUIET void pfc__element(const pfc__image_t *image, const pfc__part_t *part, pfc__u64 i, void *to, size_t bytes)
{
    if (part->elem_bytes < bytes) {
        memset((char *)to + part->elem_bytes, 0, bytes - part->elem_bytes);
        bytes = part->elem_bytes;
    }
    pfc__bytes(image, part->at + i * part->elem_bytes, to, bytes);
}

/* "" for offset 0; NULL: refused. Every STRINGS extent ends with a zero. */
static PFC__QUIET const char *pfc__text(pfc__image_t *image, pfc__u64 offset)
{
    size_t low = 0, high = image->strings;
    if (!offset) return "";
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (image->part[image->string[middle]].at <= offset) low = middle;
        else high = middle;
    }
    if (high) {
        const pfc__part_t *part = &image->part[image->string[low]];
        if (offset >= part->at && offset - part->at < part->capacity) return (const char *)image->bytes + offset;
    }
    pfc__damaged(image, offset, "a name should stand here");
    return 0;
}

/* The next zero-terminated text of a META or NOTES extent behind `at`; NULL: no more. */
static PFC__QUIET const char *pfc__text_next(const pfc__image_t *image, const pfc__part_t *part, pfc__u64 *at)
{
    const char *text = (const char *)image->bytes + part->at + *at;
    const void *end = *at < part->count ? memchr(text, 0, (size_t)(part->count - *at)) : 0;
    if (!end) return 0;
    *at += (pfc__u64)((const char *)end - text) + 1;
    return text;
}

static PFC__QUIET const char *pfc__meta(const pfc__image_t *image, const char *key)
{
    size_t i, n = strlen(key);
    for (i = 0; i < image->parts; i++) {
        const pfc__part_t *part = &image->part[i];
        const char *text;
        pfc__u64 at = 0;
        if (part->kind != PFC__META) continue;
        while ((text = pfc__text_next(image, part, &at)) != 0)
            if (!strncmp(text, key, n) && text[n] == '=') return text + n + 1;
        break; /* once */
    }
    return "";
}

static PFC__QUIET void pfc__image_free(pfc__image_t *image)
{
    if (!image) return;
    if (!image->own && image->bytes) pfc__sys_munmap((void *)(pfc__uptr)image->bytes, image->size);
    free(image->part);
    free(image->string);
    free(image->file);
    free(image);
}

static PFC__QUIET pfc__image_t *pfc__image_new(const char *file, char *why, size_t why_bytes)
{
    pfc__image_t *image = (pfc__image_t *)calloc(1, sizeof *image);
    if (why_bytes) *why = 0;
    if (image) image->file = strdup(file);
    if (!image || !image->file) {
        free(image);
        snprintf(why, why_bytes, "%s: not enough memory to read it; read it on a larger machine", file);
        return 0;
    }
    image->why = why;
    image->why_bytes = why_bytes;
    return image;
}

static PFC__QUIET int pfc__image_read(pfc__image_t *image)
{
    return pfc__header_read(image) && pfc__extents_read(image);
}

/* ---- the process behind the profile */

/* Whether that process runs another program now, by exec. One that was replaced on the disk is called "(deleted)". */
static PFC__QUIET int pfc__runs_another(const pfc__image_t *image)
{
    const char *executable = pfc__meta(image, "executable");
    size_t length = strlen(executable);
    char path[64], now[PATH_MAX];
    ssize_t n;
    snprintf(path, sizeof path, "/proc/%lld/exe", (long long)image->header.pid);
    n = pfc__sys_readlink(path, now, sizeof now - 1);
    if (n <= 0 || !length) return 0;
    now[n] = 0;
    return strncmp(now, executable, length) || (now[length] && strcmp(now + length, " (deleted)"));
}

/* Of a process that isn't there: whether it is somewhere where we don't see it, as in a container. */
static PFC__QUIET pfc_run_t pfc__run_of_unseen(const pfc__image_t *image)
{
    int fd = pfc__sys_open(image->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int held = pfc__file_is_held(fd);
    if (fd >= 0) pfc__sys_close(fd);
    return held ? PFC_ELSEWHERE : PFC_DIED;
}

/* Whether it runs: on this host, with this number, and it is the same process. */
static PFC__QUIET pfc_run_t pfc__run_of(const pfc__image_t *image)
{
    const pfc__header_t *h = &image->header;
    char host[256] = "";
    pfc__u64 start;
    if (h->state == PFC__ENDED) return PFC_ENDED;
    if (image->own) return PFC_RUNNING;
    if (gethostname(host, sizeof host - 1) || strcmp(host, pfc__meta(image, "host"))) return PFC_ELSEWHERE;
    if (h->pid <= 0 || h->pid > INT_MAX || !pfc__process_exists((pid_t)h->pid)) return pfc__run_of_unseen(image);
    start = pfc__process_start((pid_t)h->pid);
    if (start && h->process_start && start != h->process_start) return pfc__run_of_unseen(image);
    return pfc__is_zombie((pid_t)h->pid) || pfc__runs_another(image) ? PFC_DIED : PFC_RUNNING;
}
