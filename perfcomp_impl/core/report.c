/* ------------------------------------------------- report, text (impl) ---
   For people: what ran, what instrumentation did to it, and where the time went. */

/* perfcomp_impl/mpi/report.c and report_json.c; nothing where there is no MPI */
static void pfc__print_mpi(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n);
static void pfc__json_mpi(FILE *f, const pfc_profile_t *p, const pfc_profile_t *const *profiles, size_t n);

void pfc_report_text(FILE *file, const pfc_profile_t *const *profiles, size_t n, const pfc_report_options_t *options)
{
    static const pfc_report_options_t usual = { 0, 0, 0 };
    pfc_profile_t *merged = pfc_profile_merge(profiles, n);
    pfc__page_t page;
    locale_t locale;
    if (!options) options = &usual;
    if (!merged) { fputs(n ? "perfcomp: not enough memory for the report\n" : "perfcomp: no profile, nothing to report\n", file); return; }
    locale = pfc__points_begin();
    page.file = file;
    page.options = options;
    page.p = merged;
    page.unit_name = pfc__time_unit(merged->sum.ct, &page.unit);
    pfc__page_widths(&page);
    if (n > 1) pfc__print_ranks(&page, profiles, n);
    else {
        page.p = profiles[0];
        pfc__print_service(&page);
        putc('\n', file);
    }
    pfc__print_costs(&page);
    page.p = merged;
    pfc__print_regions(&page);
    if (!options->no_paths) pfc__print_paths(&page);
    pfc__print_counters(&page);
    pfc__print_mpi(&page, profiles, n);
    if (n == 1) page.p = profiles[0];
    pfc__print_remarks(&page, profiles[0]);
    pfc__points_end(locale);
    pfc_profile_close(merged);
}

/* ---- this process's own */

static PFC__QUIET pfc_profile_t *pfc__own_profile(char *why, size_t why_bytes)
{
    pfc__image_t *image = pfc__image_new("this process's profile", why, why_bytes);
    if (!image) return 0;
    image->own = 1;
    pfc__lock_take();
    if (!pfc__is_off()) pfc__units_gather();
    image->bytes = pfc__arena.base;
    image->size = pfc__arena.used;
    pfc__mutex_unlock(&pfc__lock);
    return pfc__profile_of(image);
}

static PFC__QUIET void pfc__report_own(FILE *file)
{
    char why[PFC_WHY];
    pfc_report_options_t options;
    pfc_profile_t *p = pfc__own_profile(why, sizeof why);
    memset(&options, 0, sizeof options);
    options.colour = pfc_colour_wanted(file);
    if (p) pfc_report_text(file, (const pfc_profile_t *const *)&p, 1, &options);
    else fprintf(file, "perfcomp: %s\n", why);
    pfc_profile_close(p);
}

void pfc_report(FILE *file)
{
    int saved = errno, busy = pfc__busy;
    pfc__i64 since;
    if (!file) return; /* it couldn't be opened */
    pfc_start(0, 0);
    since = pfc__clock();
    pfc__busy = 1; /* what malloc and stdio do is not the program's, should they be instrumented */
    if (pfc__arena.base) pfc__report_own(file);
    else fputs("perfcomp: off, nothing to report\n", file);
    pfc__busy = busy;
    pfc__charge_slow(since);
    errno = saved;
}
