/* ------------------------------------------------ report, places (impl) ---
   Where programs are that run, or were when they died. */

enum { PFC__PLACES_MOST = 8, PFC__PLACE_DEPTH = 15 };

/* In regions that are open. */
static PFC__QUIET int pfc__is_somewhere(const pfc_profile_t *p, const pfc_thread_info_t *thread)
{
    return !thread->ended && thread->now != PFC_NONE && p->path[thread->now].parent != PFC_NONE;
}

static PFC__QUIET const char *pfc__is_or_was_in(const pfc_profile_t *p)
{
    return p->run == PFC_DIED ? "  was in     " : "  is in      ";
}

/* Of one process: the open regions of each thread. */
static PFC__QUIET void pfc__print_now(FILE *f, const pfc_profile_t *p)
{
    pfc__u32 t, shown = 0, more = 0;
    for (t = 0; t < p->threads; t++) {
        const pfc_thread_info_t *thread = &p->thread[t];
        if (!pfc__is_somewhere(p, thread)) continue;
        if (shown == PFC__PLACES_MOST) { more++; continue; }
        fputs(shown++ ? "             " : pfc__is_or_was_in(p), f);
        if (t) fprintf(f, "thread %u: ", thread->id);
        pfc_print_path(f, p, thread->now, PFC__PLACE_DEPTH);
        putc('\n', f);
    }
    if (more) fprintf(f, "             … and %u more %s\n", more, pfc__plural(more, "thread", "threads"));
}

/* ---- of several processes: a line for those that are at one place, as ranks that wait for one are */

typedef struct pfc__spot {
    const pfc_profile_t *p; /* NULL: it is nowhere, or has its line */
    pfc__u32 path;          /* of its first thread that is somewhere */
} pfc__spot_t;

static PFC__QUIET int pfc__is_of_job(const pfc_profile_t *p) { return p->size > 1 && !p->forked; }

/* A forked process that called _exit or exec is where it wanted to be; a rank of a job isn't. */
static PFC__QUIET pfc__spot_t pfc__spot_of(const pfc_profile_t *p)
{
    pfc__spot_t spot = { 0, 0 };
    pfc__u32 t = 0;
    if (p->run == PFC_ENDED || (p->left && !pfc__is_of_job(p))) return spot;
    while (t < p->threads && !pfc__is_somewhere(p, &p->thread[t])) t++;
    if (t == p->threads) return spot;
    spot.p = p;
    spot.path = p->thread[t].now;
    return spot;
}

static PFC__QUIET int pfc__is_same_spot(pfc__spot_t a, pfc__spot_t b)
{
    const pfc_path_info_t *x = &a.p->path[a.path], *y = &b.p->path[b.path];
    if (a.p->run != b.p->run || pfc__is_of_job(a.p) != pfc__is_of_job(b.p) || x->depth != y->depth) return 0;
    for (; x->parent != PFC_NONE && y->parent != PFC_NONE; x = &a.p->path[x->parent], y = &b.p->path[y->parent])
        if (strcmp(a.p->region[x->region].name, b.p->region[y->region].name)) return 0;
    return x->parent == y->parent;
}

/* Ranks, in ranges, or process ids, of those at the first one's place, which have their line then. */
static PFC__QUIET void pfc__print_who(FILE *f, pfc__spot_t *spot, size_t n)
{
    const pfc__spot_t first = spot[0];
    const int of_job = pfc__is_of_job(first.p);
    pfc__i64 last = -1;
    size_t i, shown = 0, more = 0;
    int is_range = 0;
    for (i = 0; i < n; i++) {
        pfc__i64 number;
        if (!spot[i].p || !pfc__is_same_spot(first, spot[i])) continue;
        number = of_job ? (pfc__i64)spot[i].p->rank : spot[i].p->pid;
        spot[i].p = 0;
        if (of_job && shown && number == last + 1 && !more) { is_range = 1, last = number; continue; }
        if (is_range) fprintf(f, "-%" PRId64, last);
        is_range = 0;
        last = number;
        if (shown == PFC__PLACES_MOST) { more++; continue; }
        fprintf(f, "%s%" PRId64, shown++ ? "," : of_job ? "rank " : "pid ", number);
    }
    if (is_range) fprintf(f, "-%" PRId64, last);
    if (more) fprintf(f, " and %zu more", more);
}

static PFC__QUIET void pfc__print_places(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    pfc__spot_t *spot = (pfc__spot_t *)malloc(n * sizeof *spot);
    size_t i, lines = 0, left_out = 0;
    for (i = 0; spot && i < n; i++) spot[i] = pfc__spot_of(profiles[i]);
    for (i = 0; spot && i < n; i++) {
        const pfc__spot_t at = spot[i];
        if (!at.p) continue;
        if (lines == pfc__rows(page, n)) { left_out++; continue; }
        if (!lines++) pfc__heading(page, "\nWhere they are, or were");
        fputs(pfc__is_or_was_in(at.p), page->file);
        pfc__print_who(page->file, &spot[i], n - i);
        fputs(": ", page->file);
        pfc_print_path(page->file, at.p, at.path, PFC__PLACE_DEPTH);
        putc('\n', page->file);
    }
    pfc__print_left_out(page, left_out, "other process", "other processes");
    free(spot);
}
