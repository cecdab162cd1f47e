/* ---------------------------------------------------- collection (impl) ---
   Files that hold the profiles of several processes: written, and read one by one. */

pfc__u64 pfc__collection_room(pfc__u64 bytes)
{
    return (bytes + PFC__COLLECTION_PAGE - 1) / PFC__COLLECTION_PAGE * PFC__COLLECTION_PAGE;
}

pfc__collection_t pfc__collection_of(pfc__u64 profiles, pfc__u64 index)
{
    pfc__collection_t c;
    memset(&c, 0, sizeof c);
    memcpy(c.magic, PFC__COLLECTION_MAGIC, 8);
    c.byte_order = PFC__BYTE_ORDER;
    c.major = PFC__COLLECTION_MAJOR;
    c.minor = PFC__COLLECTION_MINOR;
    c.entry_bytes = sizeof(pfc__collection_entry_t);
    c.profiles = profiles;
    c.index = index;
    c.bytes = index + profiles * sizeof(pfc__collection_entry_t);
    c.checksum = pfc__checksum(&c, offsetof(pfc__collection_t, checksum));
    return c;
}

void pfc__collection_entry_seal(pfc__collection_entry_t *entry, const void *profile, const char *name)
{
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->checksum = pfc__checksum(profile, (size_t)entry->bytes);
    entry->entry_checksum = pfc__checksum(entry, offsetof(pfc__collection_entry_t, entry_checksum));
}

/* ---- reading */

/* A file that is open; `image` has its name, and room for what is wrong with it. */
typedef struct pfc__opened { int fd; pfc__image_t *image; pfc__collection_t header; } pfc__opened_t;

static PFC__QUIET int pfc__read_at(const pfc__opened_t *o, void *to, size_t bytes, pfc__u64 at)
{
    errno = EIO; /* of a file that has just become shorter */
    return pfc__sys_pread(o->fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

static PFC__QUIET int pfc__collection_sound(pfc__opened_t *o)
{
    const pfc__collection_t *c = &o->header;
    struct stat s;
    if (!pfc__read_at(o, &o->header, sizeof *c, 0)) return pfc__refuse(o->image, "cut off; copy it again");
    if (c->byte_order == __builtin_bswap32(PFC__BYTE_ORDER))
        return pfc__refuse(o->image, "written on a machine with another byte order; read it on one of that kind");
    if (c->major > PFC__COLLECTION_MAJOR)
        return pfc__refuse(o->image, "written by a newer version of perfcomp (layout %u, this one reads %d); read it with that version",
                           c->major, PFC__COLLECTION_MAJOR);
    if (c->checksum != pfc__checksum(c, offsetof(pfc__collection_t, checksum)) || c->major != PFC__COLLECTION_MAJOR ||
        !c->profiles || c->entry_bytes < sizeof(pfc__collection_entry_t) || c->index > c->bytes ||
        (c->bytes - c->index) / c->entry_bytes != c->profiles || (c->bytes - c->index) % c->entry_bytes)
        return pfc__damaged(o->image, 0, "header of a merged file");
    if (pfc__sys_fstat(o->fd, &s) || (pfc__u64)s.st_size < c->bytes)
        return pfc__refuse(o->image, "cut off: %llu of %llu bytes; copy it again, or merge the profiles again",
                           (unsigned long long)s.st_size, (unsigned long long)c->bytes);
    return 1;
}

/* What the file holds: 0: refused; 1: one profile, or what should be one; 2: several. */
static PFC__QUIET int pfc__open_any(pfc__opened_t *o, const char *file, char *why, size_t why_bytes)
{
    char magic[8];
    o->image = pfc__image_new(file, why, why_bytes);
    o->fd = o->image ? pfc__sys_open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (!o->image) return 0;
    if (o->fd < 0) return pfc__refuse(o->image, "can't be read: %s", strerror(errno));
    if (!pfc__read_at(o, magic, sizeof magic, 0) || memcmp(magic, PFC__COLLECTION_MAGIC, sizeof magic)) return 1;
    return pfc__collection_sound(o) ? 2 : 0;
}

static PFC__QUIET void pfc__close_any(pfc__opened_t *o)
{
    if (o->fd >= 0) pfc__sys_close(o->fd);
    pfc__image_free(o->image);
}

size_t pfc_profiles_in(const char *file, char *why, size_t why_bytes)
{
    pfc__opened_t o;
    int kind = pfc__open_any(&o, file, why, why_bytes);
    pfc__close_any(&o);
    return kind == 2 ? (size_t)o.header.profiles : (size_t)kind;
}

static PFC__QUIET int pfc__entry_read(pfc__opened_t *o, size_t index, pfc__collection_entry_t *entry)
{
    const pfc__collection_t *c = &o->header;
    pfc__u64 at = c->index + index * c->entry_bytes;
    const unsigned char *byte = (const unsigned char *)entry->name;
    if (index >= c->profiles) return pfc__refuse(o->image, "holds %llu profile%s only", (unsigned long long)c->profiles, c->profiles == 1 ? "" : "s");
    if (!pfc__read_at(o, entry, sizeof *entry, at)) return pfc__refuse(o->image, "can't be read: %s", strerror(errno));
    while (*byte >= ' ' && byte < (const unsigned char *)entry->name + sizeof entry->name - 1) byte++;
    if (entry->entry_checksum != pfc__checksum(entry, offsetof(pfc__collection_entry_t, entry_checksum)) || *byte ||
        entry->at < sizeof *c || entry->at > c->index || entry->bytes > c->index - entry->at || !entry->bytes)
        return pfc__damaged(o->image, at, "index of a merged file");
    return 1;
}

/* Opens the entry's profile; its name is the file's, with its own behind. */
static PFC__QUIET pfc_profile_t *pfc__entry_open(const pfc__opened_t *o, const pfc__collection_entry_t *entry, char *why, size_t why_bytes)
{
    size_t room = strlen(o->image->file) + sizeof entry->name + 2;
    char *name = (char *)malloc(room);
    pfc__image_t *image;
    pfc_profile_t *p;
    int sound;
    if (name) snprintf(name, room, "%s/%s", o->image->file, entry->name);
    image = pfc__image_new(name ? name : o->image->file, why, why_bytes);
    free(name);
    if (!image) return 0;
    sound = pfc__load(image, o->fd, entry->at, entry->bytes);
    if (sound && pfc__checksum(image->bytes, image->size) != entry->checksum)
        sound = pfc__refuse(image, "damaged: its checksum is wrong; use an intact copy, or merge the profiles again");
    if (!sound) {
        pfc__image_free(image);
        return 0;
    }
    p = pfc__profile_of(image);
    if (p) p->collected = 1;
    return p;
}

pfc_profile_t *pfc_profile_open_one(const char *file, size_t index, char *why, size_t why_bytes)
{
    pfc__opened_t o;
    pfc__collection_entry_t entry;
    pfc_profile_t *p = 0;
    int kind = pfc__open_any(&o, file, why, why_bytes);
    if (kind == 2 && pfc__entry_read(&o, index, &entry)) p = pfc__entry_open(&o, &entry, why, why_bytes);
    if (kind == 1 && index) pfc__refuse(o.image, "holds one profile only");
    pfc__close_any(&o);
    return kind == 1 && !index ? pfc_profile_open(file, why, why_bytes) : p;
}

/* ---- writing */

/* Profiles of several folders may have one name: all but the first get a number, so that each can be asked for. */
static PFC__QUIET void pfc__entry_name(const pfc__collection_entry_t *entry, size_t i, const char *file, char *name)
{
    const char *slash = strrchr(file, '/');
    size_t room = sizeof entry->name, length, same = 1, k;
    snprintf(name, room, "%s", slash ? slash + 1 : file);
    length = strlen(name);
    for (k = 0; k < i; k++) same += !strncmp(entry[k].name, name, length) && (!entry[k].name[length] || entry[k].name[length] == '.');
    if (length > room - 8) length = room - 8;
    if (same > 1) snprintf(name + length, room - length, ".%zu", same);
}

/* The header last: until then it is no merged file. 0, or an errno. */
static PFC__QUIET int pfc__collection_write(int fd, const pfc_profile_t *const *profiles, size_t n, pfc__collection_entry_t *entry)
{
    pfc__u64 at = PFC__COLLECTION_PAGE;
    pfc__collection_t header;
    int error = 0;
    size_t i;
    for (i = 0; !error && i < n; i++) {
        const pfc__image_t *image = profiles[i]->image;
        char name[sizeof entry->name];
        pfc__entry_name(entry, i, profiles[i]->file, name);
        entry[i].at = at;
        entry[i].bytes = image->header.bytes;
        pfc__collection_entry_seal(&entry[i], image->bytes, name);
        error = pfc__write_at(fd, image->bytes, entry[i].bytes, at);
        at += pfc__collection_room(entry[i].bytes);
    }
    header = pfc__collection_of(n, at);
    if (!error) error = pfc__write_at(fd, entry, n * sizeof *entry, at);
    if (!error) error = pfc__write_at(fd, &header, sizeof header, 0);
    return error;
}

/* The first profile of which not all is here any more; NULL: there is none. */
static PFC__QUIET const pfc_profile_t *pfc__partial_of(const pfc_profile_t *const *profiles, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        if (!profiles[i]->image || profiles[i]->image->is_partial) return profiles[i];
    return 0;
}

/* A device or a pipe would be gone: the file takes its place. */
static PFC__QUIET int pfc__may_replace(const char *file)
{
    struct stat s;
    return pfc__sys_stat(file, &s) || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode); /* a folder is refused by rename */
}

int pfc_profiles_write(const char *file, const pfc_profile_t *const *profiles, size_t n, char *why, size_t why_bytes)
{
    const pfc_profile_t *partial = pfc__partial_of(profiles, n);
    pfc__collection_entry_t *entry = (pfc__collection_entry_t *)calloc(n + 1, sizeof *entry);
    char temporary[PATH_MAX];
    int replaces = pfc__may_replace(file), fd = -1, error = entry ? 0 : ENOMEM;
    int length = snprintf(temporary, sizeof temporary, "%s.%d.new", file, (int)pfc__sys_getpid()); /* nobody else's */
    if (length < 0 || (size_t)length >= sizeof temporary) error = ENAMETOOLONG;
    if (!n || partial || !replaces) error = EINVAL;
    if (!error) {
        pfc__sys_unlink(temporary); /* where others may write, it may be their link to anything */
        fd = pfc__sys_create(temporary, O_WRONLY | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0) error = errno;
    }
    if (fd >= 0) {
        error = pfc__collection_write(fd, profiles, n, entry);
        if (pfc__sys_close(fd) && !error) error = errno;
        if (!error && pfc__sys_rename(temporary, file)) error = errno;
        if (error) pfc__sys_unlink(temporary);
    }
    free(entry);
    if (!n) snprintf(why, why_bytes, "%s: there is no profile to write; name one at least", file);
    else if (partial) snprintf(why, why_bytes, "%s: can't be written: of %s not all is in memory; open it anew", file, partial->file);
    else if (!replaces) snprintf(why, why_bytes, "%s: is no regular file, and can't hold profiles; write elsewhere", file);
    else if (error) snprintf(why, why_bytes, "%s: can't be written (%s); make room, or write elsewhere", file, strerror(error));
    return !error;
}
