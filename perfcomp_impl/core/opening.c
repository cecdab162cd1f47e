/* ------------------------------------------------------ opening (impl) ---
   A profile is opened: all of the model, in the order in which its parts need one another. */

static PFC__QUIET int pfc__build_all(pfc__build_t *b)
{
    pfc__u32 t;
    b->ns = 1 / b->image->header.ticks_per_ns;
    if (!pfc__build_regions(b) || !pfc__build_threads(b) || !pfc__build_paths(b) || !pfc__build_samples(b)) return 0;
    pfc__build_service(b);
    pfc__build_now(b);
    for (t = 0; t < b->p->threads; t++) {
        const pfc__i64 now = pfc__thread_now(b, t);
        pfc__build_open(b, t, now);
        pfc__build_root(b, t, now);
    }
    if (!pfc__build_errors(b) || !pfc__build_wait_errors(b)) return 0;
    pfc__build_estimates(b);
    if (!pfc__build_counts(b) || !pfc__build_stops(b) || !pfc__build_hits(b) || !pfc__build_named(b)) return 0;
    if (!pfc__mpi_read(b->image, &b->p->mpi) || !pfc__mpi_doubts(b->image, b->p)) return 0;
    pfc__build_sums(b);
    pfc__build_events(b);
    return pfc__build_notes(b);
}

void pfc_profile_close(pfc_profile_t *profile)
{
    if (!profile) return;
    free(profile->region);
    free(profile->path);
    free(profile->thread);
    free(profile->unit);
    free(profile->function);
    free(profile->source);
    free(profile->block);
    free(profile->gap);
    free(profile->counter);
    free(profile->note);
    free(profile->noted);
    pfc__mpi_free(profile->mpi);
    pfc__image_free(profile->image);
    free(profile);
}

/* Pages that hold nothing else. */
static PFC__QUIET void pfc__part_forget(const pfc__image_t *image, const pfc__part_t *part)
{
#if defined MADV_DONTNEED
    const pfc__uptr page = (pfc__uptr)sysconf(_SC_PAGESIZE), base = (pfc__uptr)image->bytes;
    pfc__uptr begin = (base + (pfc__uptr)part->begin + page - 1) / page * page, end = (base + (pfc__uptr)part->end) / page * page;
    if (begin < end) pfc__sys_madvise((void *)begin, end - begin, MADV_DONTNEED);
#else
    (void)image, (void)part;
#endif
}

void pfc_profile_forget_blocks(pfc_profile_t *profile)
{
    pfc__image_t *image = profile->image;
    size_t k;
    pfc__u32 u;
    free(profile->block);
    free(profile->gap);
    profile->block = 0;
    profile->gap = 0;
    profile->blocks = profile->gaps = 0;
    for (u = 0; u < profile->units; u++) profile->unit[u].block = profile->unit[u].blocks = profile->unit[u].gap = profile->unit[u].gaps = 0;
    if (!image || image->own) return;
    image->is_partial = 1;
    for (k = 0; k < image->parts; k++)
        if (image->part[k].kind == PFC__UNIT || image->part[k].kind == PFC__COUNTERS) pfc__part_forget(image, &image->part[k]);
}

/* The model of an image, which it takes over; NULL: refused, and image->why says why. */
static PFC__QUIET pfc_profile_t *pfc__profile_of(pfc__image_t *image)
{
    pfc__build_t b;
    int done = 0;
    memset(&b, 0, sizeof b);
    b.image = image;
    b.p = (pfc_profile_t *)pfc__room(image, 1, sizeof *b.p);
    if (!b.p) pfc__image_free(image);
    else {
        b.p->image = image;
        b.p->file = image->file;
        done = pfc__image_read(image) && pfc__build_all(&b);
    }
    free(b.thread);
    free(b.delta);
    free(b.untimed);
    free(b.counter);
    free(b.counter_function);
    free(b.counter_summed);
    free(b.unit_counter);
    free(b.unit_id);
    free(b.unit_part);
    free(b.facts);
    if (!done) pfc_profile_close(b.p);
    return done ? b.p : 0;
}

static PFC__QUIET pfc_profile_t *pfc__open_now(const char *file, char *why, size_t why_bytes)
{
    pfc__image_t *image = pfc__image_new(file, why, why_bytes);
    int fd, loaded;
    if (!image) return 0;
    fd = pfc__sys_open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) pfc__refuse(image, "can't be read: %s", strerror(errno));
    loaded = fd >= 0 && pfc__load_file(image, fd);
    if (fd >= 0) pfc__sys_close(fd);
    if (loaded) return pfc__profile_of(image);
    pfc__image_free(image);
    return 0;
}

/* The copy is of a program that ran. Whoever isn't there any more has written its end before, or moved the file, or died. */
static PFC__QUIET int pfc__has_ended_meanwhile(const pfc_profile_t *p)
{
    pfc__header_t h;
    int fd = pfc__sys_open(p->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), is;
    if (fd < 0) return 1;
    is = pfc__sys_pread(fd, &h, sizeof h, 0) != (ssize_t)sizeof h || h.state != PFC__RUNNING || h.process_start != p->image->header.process_start;
    pfc__sys_close(fd);
    return is;
}

pfc_profile_t *pfc_profile_open(const char *file, char *why, size_t why_bytes)
{
    pfc_profile_t *p = pfc__open_now(file, why, why_bytes);
    if (!p || p->run != PFC_DIED || !pfc__has_ended_meanwhile(p)) return p;
    pfc_profile_close(p);
    return pfc__open_now(file, why, why_bytes);
}
