/* ---------------------------------------------- report, remarks (impl) ---
   What the numbers don't tell, or tell with a restriction. */

/* A line about so many; about none, nothing. */
static PFC__QUIET void pfc__remark(const pfc__page_t *page, uint64_t n, const char *one, const char *many)
{
    if (!n) return;
    fputs("  - ", page->file);
    pfc__print_count(page->file, n, 0);
    fprintf(page->file, " %s\n", pfc__plural(n, one, many));
}

/* Where to look; nothing where it isn't known. */
static PFC__QUIET void pfc__remark_first(const pfc__page_t *page, uint32_t region)
{
    const pfc_region_info_t *r = &page->p->region[region];
    if (!region) return;
    fputs("    The first: ", page->file);
    pfc__print_place(page->file, r);
    putc('\n', page->file);
}

/* Timing takes a fifth; and it is perfcomp-cc that times, not the source by itself. */
static PFC__QUIET int pfc__better_filtered(const pfc_profile_t *p, const pfc_profile_t *one)
{
    pfc__u32 i = 0;
    while (i < one->functions && !(one->function[i].flags & PFC__TIMED)) i++;
    return i < one->functions && (double)p->pairs * p->cost.pair > .2 * p->sum.lt;
}

#define PFC__UNTOUCHED_NAMED 5

/* Functions that perfcomp-cc had to leave as they are, by name the first of them. */
static PFC__QUIET void pfc__remark_untouched(const pfc__page_t *page, const pfc_profile_t *one)
{
    FILE *f = page->file;
    pfc__u32 i, n = 0;
    for (i = 0; i < one->functions; i++) {
        const pfc_function_info_t *function = &one->function[i];
        if (!(function->flags & PFC__UNTOUCHED) || n++ >= PFC__UNTOUCHED_NAMED) continue;
        fputs(n > 1 ? ", " : "  - Not instrumented, so that their time is their callers' and their blocks have no counts:\n    ", f);
        pfc_print_text(f, function->name);
        fputs(" (", f);
        pfc_print_text(f, one->source[function->file].name);
        fprintf(f, ":%u)", function->line);
    }
    if (n > PFC__UNTOUCHED_NAMED) fprintf(f, ", and %u more, which perfcomp annotate shows", n - PFC__UNTOUCHED_NAMED);
    if (n) fputs(".\n", f);
}

static PFC__QUIET void pfc__remark_hits(FILE *f, const pfc_profile_t *p)
{
    if (!p->hits || !p->compensated) return;
    fputs("  - Counted blocks: their cost is subtracted from the functions that hold them, over call paths by time", f);
    if (p->hits_spread) {
        fputs(";\n    ", f);
        pfc__print_count(f, p->hits_spread, 0);
        fputs(pfc__plural(p->hits_spread, " of them is in a function that isn't timed", " of them are in functions that aren't timed"), f);
        fputs(": spread by time over all regions but waits", f);
    }
    fputs(".\n", f);
}

static PFC__QUIET void pfc__remark_nothing(FILE *f, const pfc_profile_t *p, const pfc_profile_t *one)
{
    if (p->pairs || p->untimed || p->hits || p->counters || one->functions) return;
    fputs("  - Nothing of the program is instrumented, or it was in no region: perfcomp-cc leaves out what --skip matches and --only\n"
          "    doesn't, and objects that it only links are as they were compiled.\n", f);
}

/* What instrumentation does beside what it takes, and what is estimated. */
static PFC__QUIET void pfc__remark_method(FILE *f, const pfc_profile_t *p, const pfc_profile_t *one)
{
    fputs("  - Instrumentation can keep the compiler from inlining and vectorising, and takes room in the caches.\n"
          "    Compare with a plain build: perfcomp check -- PLAIN-COMMAND -- INSTRUMENTED-COMMAND\n", f);
    if (pfc__better_filtered(p, one))
        fputs("  - Timing has slowed the program much. perfcomp filter names the functions of it that are better counted than\n"
              "    timed, for a second build with perfcomp-cc --filter.\n", f);
    pfc__remark_hits(f, p);
    if (p->untimed)
        fputs("  - Some entries of hot regions were counted but not timed (PERFCOMP_BUDGET, or to learn what timing costs:\n"
              "    PERFCOMP_CONTEXT=off times all); these have the mean of the timed ones, and ± holds the 95 % interval.\n", f);
}

static PFC__QUIET void pfc__remark_shared_processors(FILE *f, const pfc_profile_t *p, const pfc_profile_t *one)
{
    if (p->cost.dilation < 1.3 || !p->compensated) return;
    if (one->mpi)
        fputs("  - Who waits for a rank that waits for its turn on a shared processor waits for what others do there, the layer's own\n"
              "    messages included: that isn't in ±. Run no more ranks than there are processors.\n", f);
    else if (one->threads > 1)
        fputs("  - Who waits for a thread that waits for its turn on a shared processor waits for what others do there, and a thread\n"
              "    that spins meanwhile, as OpenMP's do, takes that processor: this isn't in ±. Run no more threads than there are\n"
              "    processors free; OMP_WAIT_POLICY=passive lets them sleep.\n", f);
}

static PFC__QUIET void pfc__remark_end(FILE *f, const pfc_profile_t *p)
{
    if (p->run != PFC_ENDED && !p->left)
        fputs("  - The run had not ended: what was just being counted or timed may be behind by some operations.\n", f);
    if (p->until_finalize)
        fputs("  - Profiles end at MPI_Finalize (PERFCOMP_MPI_MERGE): what the program did after it isn't in here.\n", f);
}

static PFC__QUIET void pfc__remark_clock(FILE *f, const pfc_profile_t *p)
{
    if (p->clock_fell)
        fputs("  - The program's own clock (PERFCOMP_CLOCK) went back, so that times come out below zero: these times, and those of the\n"
              "    regions around them, mean nothing. A clock may stand still, but must not go back.\n", f);
}

/* Regions whose begins and ends didn't match. */
static PFC__QUIET void pfc__remark_mended(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    pfc__remark(page, p->unwound, "region was left by longjmp, or by a missing exit: it ended when that was seen.",
                "regions were left by longjmp, or by a missing exit: they ended when that was seen.");
    pfc__remark_first(page, p->first_unwound);
    pfc__remark(page, p->unclosed, "region was begun, but not ended before the one around it ended (PFC_END is missing).",
                "regions were begun, but not ended before the one around them ended (PFC_END is missing).");
    pfc__remark_first(page, p->first_unclosed);
    pfc__remark(page, p->stray_ends, "end of a region that was not open was ignored (PFC_BEGIN is missing).",
                "ends of regions that were not open were ignored (PFC_BEGIN is missing).");
    pfc__remark_first(page, p->first_stray_end);
}

static PFC__QUIET void pfc__remark_lost(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    pfc__remark(page, p->lost_regions, "region found no memory, and is counted as (overflow).",
                "regions found no memory, and are counted as (overflow).");
    pfc__remark(page, p->lost_paths, "entry found no memory for its call path, and is counted as (overflow).",
                "entries found no memory for their call path, and are counted as (overflow).");
    pfc__remark(page, p->lost_units, "translation unit found no room: its counts are missing.",
                "translation units found no room: their counts are missing.");
    pfc__remark(page, p->lost_threads, "thread found no room: its regions are missing.",
                "threads found no room: their regions are missing.");
    pfc__remark(page, p->strays, "process was made without fork, by clone, _Fork or a bare call of the system, or by a signal's handler amid a wait, and isn't recorded: what it did before that was found is in here.",
                "processes were made without fork, by clone, _Fork or a bare call of the system, or by signals' handlers amid waits, and aren't recorded: what they did before that was found is in here.");
    pfc__remark(page, p->unsaved, "process that was forked has no profile: there was no room for it, or another thread couldn't wait until it was there.",
                "processes that were forked have no profiles: there was no room for them, or another thread couldn't wait until they were there.");
}

static PFC__QUIET void pfc__remark_sleep(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    if (p->slept > 0)
        fprintf(page->file,
                "  - Threads slept for %.6f %s where nobody knows for whom (pipes, input, locks inside of shared libraries): as far as\n"
                "    that was for one another, the other's probes are in LT; the totals' ± holds them.\n",
                p->slept / page->unit, page->unit_name);
}

/* Only wait and its like know which process was waited for. */
static PFC__QUIET void pfc__remark_forks(const pfc__page_t *page)
{
    if (page->p->forked && page->p->compensated)
        fputs("  - Processes were forked. What one waits for another otherwise than by wait and its like (pipes, files, polls) is\n"
              "    in LT as it was measured, the other's probes with it, and not in ±.\n", page->file);
}

static PFC__QUIET void pfc__remark_troubles(FILE *f, const pfc_profile_t *p)
{
    pfc__u32 u;
    for (u = 0; u < p->units; u++)
        if (*p->unit[u].trouble) {
            fputs("  - ", f);
            pfc_print_text(f, p->unit[u].name);
            fprintf(f, ": its block counts can't be completed, %s; compile it anew.\n", p->unit[u].trouble);
        }
}

static PFC__QUIET void pfc__remark_notes(FILE *f, const pfc_profile_t *p)
{
    size_t i;
    for (i = 0; i < p->notes; i++) {
        fputs("  - ", f);
        pfc_print_text(f, p->note[i]);
        if (p->noted && p->noted[i] > 1) fprintf(f, " (said by %u processes)", p->noted[i]);
        putc('\n', f);
    }
}

/* `one` is of those that are merged: only it knows functions. */
static PFC__QUIET void pfc__print_remarks(const pfc__page_t *page, const pfc_profile_t *one)
{
    const pfc_profile_t *p = page->p;
    FILE *f = page->file;
    pfc__heading(page, "\nWhat no subtraction mends, and what else to know");
    pfc__remark_nothing(f, p, one);
    pfc__remark_method(f, p, one);
    pfc__remark_shared_processors(f, p, one);
    pfc__remark_end(f, p);
    pfc__remark_clock(f, p);
    pfc__remark_mended(page);
    pfc__remark_lost(page);
    pfc__remark_sleep(page);
    pfc__remark_forks(page);
    pfc__remark_untouched(page, one);
    pfc__remark_troubles(f, p);
    pfc__remark_notes(f, p);
}
