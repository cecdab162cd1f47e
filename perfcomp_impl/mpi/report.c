/* -------------------------------------------------- report (MPI, impl) ---
   What the MPI layer recorded, of one rank or of all together, for people. */

static PFC__QUIET void pfc__mpi_print_job(const pfc__page_t *page, const pfc_mpi_t *mpi)
{
    fputs("  library    ", page->file);
    pfc_print_text(page->file, mpi->library);
    fprintf(page->file, "; rank %u of %u; longest eager message %" PRId64 " bytes; clock within ± %.0f ns of the job's", mpi->rank,
            mpi->size, mpi->eager_bytes, mpi->clock_u);
    if (mpi->clock_strayed != 0) fprintf(page->file, "; at the end it was %+.0f ns from it", mpi->clock_strayed);
    putc('\n', page->file);
    if (mpi->finalized)
        fprintf(page->file, "  delay      %.6f ± %.6f %s at MPI_Finalize, of which %.6f came in from other ranks\n", mpi->delay / page->unit,
                mpi->delay_u / page->unit, page->unit_name, pfc__mpi_delay_in(&mpi->total) / page->unit);
}

/* `calls` has room for all places of all profiles. */
static PFC__QUIET void pfc__mpi_print_tables(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n, pfc_mpi_calls_t *calls)
{
    pfc_mpi_calls_t total;
    size_t i, k, used = 0, kinds;
    memset(&total, 0, sizeof total);
    for (i = 0; i < n; i++)
        for (k = 0; profiles[i]->mpi && k < profiles[i]->mpi->kinds; k++) calls[used++] = profiles[i]->mpi->kind[k];
    kinds = pfc__mpi_fold(calls, used);
    for (k = 0; k < kinds; k++) pfc__mpi_add(&total, &calls[k]);
    pfc__mpi_print_calls(page, calls, kinds, "kind of call", "kinds of calls");
    pfc__mpi_print_waits(page, &total);
    pfc__mpi_print_unknown(page, calls, kinds);
    pfc__mpi_print_probes(page, calls, kinds);
    pfc__mpi_print_order(page, profiles, n);
    if (n == 1) {
        const pfc_mpi_t *mpi = profiles[0]->mpi;
        for (k = 0; k < mpi->places; k++) calls[k] = mpi->place[k]; /* a copy, to be sorted */
        pfc__heading(page, "\nMPI calls by place");
        pfc__mpi_print_calls(page, calls, mpi->places, "place", "places");
    }
}

/* The rank that was kept from its work by trials for the longest time, if that is a share of its run which is felt. */
static PFC__QUIET void pfc__mpi_remark_trials(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_profile_t *p = 0;
    size_t i;
    for (i = 0; i < n; i++)
        if (profiles[i]->mpi && (!p || profiles[i]->mpi->tried_ns > p->mpi->tried_ns)) p = profiles[i];
    if (!p || p->mpi->tried_ns < 100e6 || p->mpi->tried_ns < p->total.ct / 20) return;
    fprintf(page->file, "  - Of rank %u's %.1f s %.1f went into finding out by which way the data of collectives go, of ", p->mpi->rank,
            p->total.ct / 1e9, p->mpi->tried_ns / 1e9);
    pfc__print_count(page->file, p->mpi->tried, 0);
    fprintf(page->file, " %s by\n    their ranks, call and length. PERFCOMP_MPI_TRIALS=off saves that, but then it isn't known who waits in "
            "Bcast,\n    Reduce, Scatter, Gather, Scan and Alltoallv.\n", pfc__plural(p->mpi->tried, "kind", "kinds"));
}

static void pfc__print_mpi(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    pfc_mpi_calls_t *calls;
    size_t i, with = 0, places = 0, unacknowledged = 0;
    for (i = 0; i < n; i++)
        if (profiles[i]->mpi) {
            with++;
            places += profiles[i]->mpi->places;
            unacknowledged += (size_t)profiles[i]->mpi->unacknowledged;
        }
    if (!with) return;
    calls = (pfc_mpi_calls_t *)calloc(places + 1, sizeof *calls);
    pfc__heading(page, "\nMPI calls");
    if (n == 1) pfc__mpi_print_job(page, profiles[0]->mpi);
    if (calls) pfc__mpi_print_tables(page, profiles, n, calls);
    if (!calls || !pfc__mpi_print_worlds(page, profiles, n)) fputs("perfcomp: not enough memory for the tables of MPI\n", page->file);
    pfc__remark(page, unacknowledged, "send may have waited longer, or shorter, than is shown: when its receiver asked was never learnt.",
                "sends may have waited longer, or shorter, than is shown: when their receivers asked was never learnt.");
    pfc__mpi_remark_trials(page, profiles, n);
    free(calls);
}
