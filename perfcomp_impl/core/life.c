/* ---------------------------------------------------------- life (impl) ---
   Start and stop. */

static PFC__QUIET int pfc__profile_file(int rank)
{
    int error = pfc__file_take(rank, 0);
    if (!error && (error = pfc__arena_back(PFC__PAGE)) != 0) { /* no room for the first piece */
        pfc__sys_unlink(pfc__arena.path);
        if (*pfc__arena.link) pfc__sys_unlink(pfc__arena.link);
    }
    return error;
}

static PFC__QUIET void pfc__refused(const char *path, int error, const char *instead, const char *name)
{
    const char *limit = error == EFBIG ? "f" : error == EMFILE ? "n" : 0;
    if (limit) pfc__note("can't write %s (%s): %s; raise this limit of the process (ulimit -%s)", path, strerror(error), instead, limit);
    else pfc__note("can't write %s (%s): %s; %sset %s to a folder that you may write to", path, strerror(error), instead,
                   error == ENOSPC || error == EDQUOT ? "make room there, or " : "", name);
}

enum { PFC__TRACED = 32 }; /* threads whose traces find room beside the rest */

/* Addresses for the profile. Under a limit of them (ulimit -v) the program needs the others. */
static PFC__QUIET size_t pfc__profile_room(void)
{
    const int is_wide = sizeof(void *) > 4;
    size_t room = is_wide ? (size_t)1 << 30 : (size_t)1 << 27;
    struct rlimit limit;
    if (!is_wide || !pfc__settings.trace || (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)) return room;
    return room + PFC__TRACED * (size_t)pfc__settings.trace_events * sizeof(pfc__event_t);
}

static PFC__QUIET int pfc__profile_map(void)
{
    char path[PATH_MAX];
    int rank = pfc__rank_of_launcher(), refused = 0, not_live = 0, error;
    pfc__arena.fd = -1;
    pfc__arena.used = PFC__PAGE;
    error = pfc__arena_reserve(pfc__profile_room());
    if (!error && !pfc__settings.in_memory) refused = pfc__profile_file(rank);
    memcpy(path, pfc__arena.path, sizeof path);
    if (refused && *pfc__settings.live) { /* where it comes to lie anyway, it may as well be from the start */
        *pfc__settings.live = 0;
        not_live = refused;
        refused = pfc__profile_file(rank);
        if (refused) memcpy(path, pfc__arena.path, sizeof path);
    }
    if (!error && (pfc__settings.in_memory || refused)) {
        pfc__arena_in_memory();
        error = pfc__arena_back(PFC__PAGE);
    }
    if (error) {
        pfc__arena.base = 0;
        pfc__note("no memory for the profile (%s): perfcomp is off", strerror(error));
    } else if (refused) pfc__refused(path, refused, "this run's profile stays in memory, and ends with it", "PERFCOMP_DIR");
    else if (not_live) pfc__refused(path, not_live, "the profile lies in its own folder from the start", "PERFCOMP_LIVE");
    return error;
}

/* PERFCOMP_VERBOSE */
static PFC__QUIET void pfc__say_what(const char *is_done)
{
    if (!pfc__settings.verbose) return;
    pfc__say("process %ld: %s; profile: %s; clock: %s (%s); null probe: %.2f ns", (long)pfc__sys_getpid(), is_done,
             *pfc__profile_file_name() ? pfc__profile_file_name() : "in memory only", pfc__clock_name(pfc__clock_kind()), pfc__clock_reason,
             pfc__cost.empty_pair / pfc__ticks_per_ns());
}

static int pfc__started;

static PFC__QUIET void pfc__profile_start(int argc, char **argv)
{
    const char *note;
    pfc__i64 begin;
    if (pfc__started) {
        if (!pfc__is_off()) pfc__command_rename(argc, argv);
        return;
    }
    pfc__started = 1;
    pfc__settings_read();
    pfc__stderr_begin(pfc__settings.report || pfc__settings.verbose);
    if (!pfc__settings.on) { pfc__turn_off(); return; }
    pfc__clock_start();
    begin = pfc__clock();
    if (pfc__profile_map()) { pfc__turn_off(); return; }
    pfc__calibrate(&pfc__cost);
    pfc__context_start();
    pfc__clock_settle();
    pfc__command_read(argc, argv);
    pfc__header_write();
    PFC__HEADER->cost = pfc__cost;
    PFC__HEADER->fetch_doubt = pfc__settings.scale > 0 ? pfc__settings.scale_doubt : PFC__FETCH_DOUBT;
    pfc__meta_write();
    for (note = pfc__notes_early; *note; note += strlen(note) + 1) pfc__note_store(note);
    pfc__threads_start();
    pfc__fork_mark_make();
    pfc__fork_handlers_begin();
    pfc__say_what("begins");
    if (pfc__thread_attach()) {
        pfc__self->bottom->begin = PFC__HEADER->tick_begin; /* the first thread's time has the start in it, as its Δ has */
        pfc__stack_bounds(pfc__self);
        pfc__charge_slow(begin);
    }
    PFC__HEADER->start_ticks = pfc__clock() - begin;
}

void pfc_start(int argc, char **argv)
{
    int saved = errno;
    if (pfc__busy) return;
    pfc__lists_enter();
    pfc__profile_start(argc, argv);
    pfc__lists_leave();
    errno = saved;
}

/* ---- stop */

/* Readers of the running program see how far it is. */
static PFC__QUIET void pfc__sign_of_life(void)
{
    pfc__clock_measure_rate();
    PFC__HEADER->ticks_per_ns = pfc__ticks_per_ns();
    PFC__HEADER->tick_end = pfc__clock();
}

void pfc__monitor(void)
{
    int saved = errno;
    pfc__i64 since;
    pfc__stray_look();
    if (pfc__is_off() || !pfc__arena.base) return;
    since = pfc__clock();
    pfc__sign_of_life();
    pfc__charge_slow(since);
    errno = saved;
}

/* What still runs (other threads, libraries' destructors) must not write into a
   profile that has its checksum: from here on they write into private copies. */
static PFC__QUIET void pfc__profile_freeze(int fd)
{
    pfc__mapped_t *u;
    pfc__units_gather();
    for (u = pfc__units; u; u = u->next) pfc__unit_freeze(u, fd);
    if (!pfc__arena.plain) pfc__arena_leave(fd);
}

/* Of the file: the memory may be changing already. */
static PFC__QUIET pfc__u64 pfc__profile_sum(int fd)
{
    void *file = fd >= 0 ? pfc__sys_mmap(0, pfc__arena.used, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    unsigned char *bytes = file == MAP_FAILED ? pfc__arena.base : (unsigned char *)file;
    pfc__u64 sum = pfc__checksum(bytes + PFC__PAGE, pfc__arena.used - PFC__PAGE);
    if (file != MAP_FAILED) pfc__sys_munmap(file, pfc__arena.used);
    return sum;
}

static PFC__QUIET void pfc__profile_seal(int fd)
{
    const size_t counted = offsetof(pfc__header_t, strayed); /* from there on, others are counting */
    pfc__header_t h = *PFC__HEADER;
    h.checksum = pfc__profile_sum(fd);
    h.state = PFC__ENDED;
    h.stop_ticks = pfc__clock() - h.tick_end;
    h.ended_checksum = pfc__ended_sum(&h);
    if (fd >= 0 && !pfc__write_at(fd, &h, counted, 0)) {
        if (pfc__sys_ftruncate(fd, (off_t)pfc__arena.used)) { /* allocated beyond the end: harmless */ }
    }
    *PFC__HEADER = h;
}

/* Under the lock. */
static PFC__QUIET void pfc__profile_end(pfc__u64 amid)
{
    int fd;
    pfc__sign_of_life();
    PFC__HEADER->amid = amid;
    if (pfc__self) {
        pfc__frames_unwind(pfc__self, pfc__stack_pointer(), PFC__HEADER->tick_end); /* nothing was entered since the longjmp */
        pfc__self->tick_end = PFC__HEADER->tick_end;
    }
    pfc__threads_late_settle(1);
    pfc__turn_off();
    pfc__threads_sleep_told(PFC__HEADER->tick_end);
    pfc__note_races();
    pfc__note_waits();
    pfc__note_mpi();
    fd = PFC__LETS(pwrite64) ? pfc__arena_open() : -1; /* else its end couldn't be written into what is frozen */
    if (fd >= 0 || pfc__arena.plain) pfc__profile_freeze(fd);
    pfc__profile_seal(fd);
    pfc__arena_close(fd);
    pfc__arena_forget();
    pfc__file_settle();
    pfc__say_what("ends");
}

/* Whether it was this thread that ended it: another one may have. A fork that another thread has begun goes on first: its
   child is one of a program that is recorded, and must get pages of its own. A large profile takes some milliseconds to seal:
   a signal whose handler calls _exit waits for that, or the process would seem to have died. This has a frame of its own, as
   pfc__amid_handler looks through its callers', and would find in `held` what other calls have left there. */
static PFC__COLD int pfc__recording_seal(pfc__u64 amid)
{
    sigset_t held;
    int is_over;
    pfc__work_begins(&held);
    pfc__lock_take();
    is_over = pfc__is_off();
    if (!is_over) pfc__profile_end(amid);
    pfc__mutex_unlock(&pfc__lock);
    if (!is_over) pfc__process_tells(PFC__HEADER->tick_end, pfc__clock());
    pfc__self = 0;
    pfc__work_ends(&held);
    return !is_over;
}

static PFC__QUIET void pfc__recording_ends(void)
{
    int saved = errno;
    pfc__stray_look();
    if (pfc__is_off() || !pfc__arena.base || pfc__busy) return;
#ifdef PERFCOMP_CHARGE
    if (pfc__self && PFC__CHARGES()) pfc__hits_charge(pfc__clock()); /* the reader takes out those of all blocks */
#endif
    pfc__process_ends();
    if (pfc__recording_seal(pfc__amid_handler(0)) && pfc__settings.report) pfc__stderr_report(); /* exit isn't for handlers */
    pfc__stderr_end();
    errno = saved;
}

void pfc_stop(void) { pfc__recording_ends(); }

/* Behind exit handlers and other destructors: they are part of the run. But before those by which files take their leave
   (101), whatever is linked first: what has left isn't frozen any more. Not by the
   name pfc_stop: in a library that is unloaded it may be the program's, which goes on. */
__attribute__((destructor(102))) static PFC__QUIET void pfc__stop_at_last(void)
{
    pfc__recording_ends();
    if (pfc__started) pfc__fork_handlers_end();
}

int pfc__profile_yield(void)
{
    if (pfc__is_off() || !pfc__arena.second) return 0;
    pfc__turn_off();
    pfc__self = 0;
    pfc__profile_remove();
    return 1;
}

/* What still runs may go on writing into the copy's original: hence its own checksum. */
void *pfc__profile_finish(pfc__u64 *bytes)
{
    pfc__header_t *copy = 0;
    *bytes = 0;
    if (pfc__is_off() || !pfc__arena.base) return 0;
    PFC__HEADER->until_finalize = 1;
    pfc_stop();
    copy = (pfc__header_t *)malloc(pfc__arena.used);
    if (!copy) return 0;
    memcpy((void *)copy, pfc__arena.base, pfc__arena.used);
    copy->checksum = pfc__checksum((unsigned char *)copy + PFC__PAGE, pfc__arena.used - PFC__PAGE);
    copy->ended_checksum = pfc__ended_sum(copy);
    *bytes = pfc__arena.used;
    return copy;
}

void pfc__identity(int rank, int size)
{
    int saved = errno;
    if (pfc__is_off() || !pfc__arena.base) return;
    pfc__lists_enter();
    PFC__HEADER->rank = (pfc__u32)rank;
    PFC__HEADER->size = (pfc__u32)size;
    if (pfc__arena.path[0]) pfc__file_rename(rank);
    pfc__lists_leave();
    errno = saved;
}
