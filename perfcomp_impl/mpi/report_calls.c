/* ------------------------------------------- report, calls (MPI, impl) ---
   MPI's calls by kind and by place: how long they took and waited, which of them
   no rule covers, and what came in another order than it would have. */

static const struct { enum pfc__mpi_wait kind; const char *key, *text; } pfc__mpi_wait_names[] = {
    { PFC__LATE_SENDER, "late_sender", "for late senders" },
    { PFC__LATE_RECEIVER, "late_receiver", "for late receivers" },
    { PFC__WAIT_AT_BARRIER, "barrier", "at barriers" },
    { PFC__WAIT_AT_NXN, "nxn", "at all-to-all collectives" },
    { PFC__WAIT_AT_COLLECTIVE, "collective", "at other collectives" },
    { PFC__WAIT_FOR_LOCK, "lock", "for locks of windows" },
};
enum { PFC__MPI_WAIT_NAMES = sizeof pfc__mpi_wait_names / sizeof *pfc__mpi_wait_names };

static PFC__QUIET double pfc__mpi_delay_in(const pfc_mpi_calls_t *c) { return c->time_ct - c->time_lt; }

static PFC__QUIET int pfc__mpi_compare_times(const void *a, const void *b)
{
    const pfc_mpi_calls_t *x = (const pfc_mpi_calls_t *)a, *y = (const pfc_mpi_calls_t *)b;
    int order = pfc__compare_double(x->time_ct, y->time_ct);
    if (!order) order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->place, y->place);
}

static PFC__QUIET void pfc__mpi_print_columns(const pfc__page_t *page, const char *first, const char *more, const char *last)
{
    pfc__style(page, "4");
    fputs(first, page->file);
    pfc__print_titles(page, "CT|LT|wait CT|wait LT|±|delay in");
    pfc__print_titles(page, more);
    fputs(last, page->file);
    pfc__style(page, "0");
    fprintf(page->file, "  [%s]\n", page->unit_name);
}

static PFC__QUIET void pfc__mpi_print_times(const pfc__page_t *page, const pfc_mpi_calls_t *c)
{
    pfc__print_time(page, c->time_ct);
    pfc__print_time(page, c->time_lt);
    pfc__print_time(page, c->wait_ct);
    pfc__print_time(page, c->wait_lt);
    pfc__print_time(page, c->wait_u);
    pfc__print_time(page, pfc__mpi_delay_in(c));
}

static PFC__QUIET void pfc__mpi_print_calls(const pfc__page_t *page, pfc_mpi_calls_t *calls, size_t n, const char *one, const char *many)
{
    size_t i, shown = pfc__rows(page, n);
    uint64_t most = 0;
    char first[64];
    int bytes;
    if (n) qsort(calls, n, sizeof *calls, pfc__mpi_compare_times);
    for (i = 0; i < n; i++)
        if (calls[i].bytes > most) most = calls[i].bytes;
    bytes = pfc__count_width(most, "bytes");
    snprintf(first, sizeof first, "%*s%*s", page->count_width, "calls", bytes, "bytes");
    pfc__mpi_print_columns(page, first, "", "  call");
    for (i = 0; i < shown; i++) {
        pfc__print_count(page->file, calls[i].calls, page->count_width);
        pfc__print_count(page->file, calls[i].bytes, bytes);
        pfc__mpi_print_times(page, &calls[i]);
        fputs("  ", page->file);
        pfc_print_text(page->file, calls[i].name);
        if (*calls[i].place) fputs("  ", page->file), pfc_print_text(page->file, calls[i].place);
        if (calls[i].rule == PFC__RULE_NONE) fputs("  (unknown)", page->file);
        putc('\n', page->file);
    }
    pfc__print_left_out(page, n - shown, one, many);
}

static PFC__QUIET void pfc__mpi_print_waits(const pfc__page_t *page, const pfc_mpi_calls_t *total)
{
    const char *between = "  Undisturbed waiting: ";
    int i;
    for (i = 0; i < PFC__MPI_WAIT_NAMES; i++) {
        double wait = total->wait[pfc__mpi_wait_names[i].kind];
        if (!(wait < 0 || wait > 0)) continue;
        fprintf(page->file, "%s%.6f %s %s", between, wait / page->unit, page->unit_name, pfc__mpi_wait_names[i].text);
        between = ", ";
    }
    if (*between == ',') fputs(".\n", page->file);
    fputs("  Regions of the same name hold perfcomp's own messages as well (CT), and all that MPI_Init and MPI_Finalize do.\n", page->file);
}

/* A call that no rule covers is named: never a silent gap. */
static PFC__QUIET void pfc__mpi_print_unknown(const pfc__page_t *page, const pfc_mpi_calls_t *kind, size_t n)
{
    const char *between = "  Unknown calls, whose waiting counts as the program's own time: ";
    size_t i;
    for (i = 0; i < n; i++) {
        if (kind[i].rule != PFC__RULE_NONE || !kind[i].calls) continue;
        fputs(between, page->file);
        pfc_print_text(page->file, kind[i].name);
        fprintf(page->file, " (%" PRIu64 ")", kind[i].calls);
        between = ", ";
    }
    if (*between == ',') fputs(".\n", page->file);
}

/* What a message carries is known when it is received: the receive corrects what its probe has waited too much, too. */
static PFC__QUIET void pfc__mpi_print_probes(const pfc__page_t *page, const pfc_mpi_calls_t *kind, size_t n)
{
    size_t i = 0;
    while (i < n && (kind[i].rule != PFC__RULE_PROBE || !kind[i].calls)) i++;
    if (i < n) fputs("  Probes: how long they would have waited is settled by the receive that follows, or the completion. Read the LT of both together.\n", page->file);
}

/* Of all ranks together; the worst case is one rank's. */
static PFC__QUIET void pfc__mpi_print_order(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    pfc__u64 taken = 0, overtaken = 0, undecided = 0, held = 0;
    double held_ns = 0;
    int holds = 0;
    const pfc_mpi_order_t *worst = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        const pfc_mpi_order_t *o = profiles[i]->mpi ? &profiles[i]->mpi->order : 0;
        if (!o) continue;
        taken += o->taken;
        overtaken += o->overtaken;
        undecided += o->undecided;
        held += o->held;
        held_ns += o->held_ns;
        holds |= o->holds;
        if (o->overtaken && (!worst || o->most > worst->most)) worst = o;
    }
    if (holds && !held)
        fprintf(page->file, "  Order: no message had to be held back until it was known that none would have come before (to find out took %.6f %s).\n",
                held_ns / page->unit, page->unit_name);
    else if (holds)
        fprintf(page->file, "  Order: %" PRIu64 " %s held back until it was known that none would have come before (%.6f %s, all together).\n", held,
                held == 1 ? "message was" : "messages were", held_ns / page->unit, page->unit_name);
    if (!overtaken && !undecided) return;
    fprintf(page->file, "  Order: of %" PRIu64 " %s received from anybody, undisturbed %" PRIu64 " would have come before one that was received first", taken,
            pfc__plural(taken, "message", "messages"), overtaken);
    if (worst) {
        fprintf(page->file, "\n    (by up to %.6f %s: rank %u's before rank %u's, at ", worst->most / page->unit, page->unit_name, worst->rank, worst->by);
        pfc_print_text(page->file, worst->place);
        putc(')', page->file);
    }
    if (undecided) fprintf(page->file, "%s %" PRIu64 " can't be told", overtaken ? ";" : ",", undecided);
    fputs(overtaken ? ".\n    What the program did then is as it was in this run.\n" : ".\n", page->file);
}
