/* ----------------------------------------------------- report (MPI, impl) ---
   What the MPI layer recorded, of one rank or of all together: by kind of call
   and by place, by rank, and who waited for whom. */

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
static PFC__QUIET double pfc__mpi_peer_delay(const pfc_mpi_peer_t *p) { return p->wait_ct - p->wait_lt; }

/* All waits of the others of its world for this rank. */
static PFC__QUIET pfc_mpi_peer_t pfc__mpi_waited_for(const pfc_profile_t *const *profiles, size_t n, const pfc_mpi_t *of)
{
    pfc_mpi_peer_t key, all;
    size_t i;
    memset(&key, 0, sizeof key);
    key.rank = of->rank;
    all = key;
    for (i = 0; i < n; i++) {
        const pfc_mpi_t *mpi = profiles[i]->mpi;
        const pfc_mpi_peer_t *peer = mpi && mpi->world == of->world && mpi->peers ? (const pfc_mpi_peer_t *)bsearch(&key, mpi->peer, mpi->peers, sizeof key,
                                                                                         pfc__mpi_compare_peers) : 0;
        if (!peer) continue;
        all.waits += peer->waits;
        all.wait_ct += peer->wait_ct;
        all.wait_lt += peer->wait_lt;
    }
    return all;
}

/* ---- text: calls */

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
    size_t i, shown = page->options->all || n < PFC__ROWS ? n : (size_t)PFC__ROWS;
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
        if (wait < 0 || wait > 0) fprintf(page->file, "%s%.6f %s %s", between, wait / page->unit, page->unit_name, pfc__mpi_wait_names[i].text), between = ", ";
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
    if (holds)
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

/* ---- text: ranks */

/* `world`: which, where there are several. */
static PFC__QUIET void pfc__mpi_heading(const pfc__page_t *page, const char *text, const char *world)
{
    char line[128];
    snprintf(line, sizeof line, "\n%s%s", text, world);
    pfc__heading(page, line);
}

/* Whose file couldn't be written, isn't here, or found no room. `profiles`: one world's, by rank; processes that a rank has forked
   have its number. */
static PFC__QUIET void pfc__mpi_print_missing(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    size_t i, here = 1, size = profiles[0]->mpi->size;
    for (i = 1; i < n; i++) here += profiles[i]->mpi->rank != profiles[i - 1]->mpi->rank;
    if (here < size)
        pfc__remark(page, size - here, "more rank of this job is in none of these tables: its profile isn't here, or found no room for MPI.",
                    "more ranks of this job are in none of these tables: their profiles aren't here, or found no room for MPI.");
}

typedef struct pfc__mpi_rank { const pfc_mpi_t *mpi; pfc_mpi_peer_t awaited; } pfc__mpi_rank_t;

static PFC__QUIET int pfc__mpi_compare_awaited(const void *a, const void *b)
{
    const pfc__mpi_rank_t *x = (const pfc__mpi_rank_t *)a, *y = (const pfc__mpi_rank_t *)b;
    int order = pfc__compare_double(x->awaited.wait_lt, y->awaited.wait_lt);
    return order ? order : (x->mpi->rank > y->mpi->rank) - (x->mpi->rank < y->mpi->rank);
}

static PFC__QUIET int pfc__mpi_compare_ranks(const void *a, const void *b)
{
    pfc__u32 x = ((const pfc__mpi_rank_t *)a)->mpi->rank, y = ((const pfc__mpi_rank_t *)b)->mpi->rank;
    return (x > y) - (x < y);
}

static PFC__QUIET void pfc__mpi_print_rank(const pfc__page_t *page, const pfc__mpi_rank_t *r, int calls)
{
    fprintf(page->file, "%6u", r->mpi->rank);
    pfc__print_count(page->file, r->mpi->total.calls, calls);
    pfc__mpi_print_times(page, &r->mpi->total);
    pfc__print_time(page, r->awaited.wait_lt);
    pfc__print_time(page, pfc__mpi_peer_delay(&r->awaited));
    if (r->mpi->finalized) pfc__print_time(page, r->mpi->delay), pfc__print_time(page, r->mpi->delay_u);
    else pfc__print_titles(page, "not ended");
    putc('\n', page->file);
}

/* The rank to look at first. `rank`: by how long they were awaited. */
static PFC__QUIET void pfc__mpi_print_awaited(const pfc__page_t *page, const pfc__mpi_rank_t *rank, size_t n)
{
    double all = 0;
    size_t i;
    for (i = 0; i < n; i++) all += rank[i].awaited.wait_lt;
    if (rank->awaited.wait_lt > 0)
        fprintf(page->file, "  Most awaited, undisturbed: rank %u, for %.6f of %.6f %s.\n", rank->mpi->rank,
                rank->awaited.wait_lt / page->unit, all / page->unit, page->unit_name);
}

/* Of many, those that others would have waited for the longest. Sorts them. */
static PFC__QUIET void pfc__mpi_print_rank_table(const pfc__page_t *page, pfc__mpi_rank_t *rank, size_t n, const char *world)
{
    size_t i, shown = page->options->all || n < PFC__ROWS ? n : (size_t)PFC__ROWS;
    uint64_t most = 0;
    char first[64];
    int calls;
    for (i = 0; i < n; i++)
        if (rank[i].mpi->total.calls > most) most = rank[i].mpi->total.calls;
    calls = pfc__count_width(most, "calls");
    pfc__mpi_heading(page, "MPI by rank", world);
    snprintf(first, sizeof first, "%6s%*s", "rank", calls, "calls");
    pfc__mpi_print_columns(page, first, "awaited|delay out|at end|±", "");
    qsort(rank, n, sizeof *rank, pfc__mpi_compare_awaited);
    qsort(rank, shown, sizeof *rank, pfc__mpi_compare_ranks);
    for (i = 0; i < shown; i++) pfc__mpi_print_rank(page, &rank[i], calls);
    pfc__print_left_out(page, n - shown, "rank that was awaited less", "ranks that were awaited less");
    fputs("  awaited: how long other ranks would have waited for this one; delay in: by how much longer it waited than undisturbed;\n"
          "  delay out: others for it; at end: by how much later it came to MPI_Finalize.\n", page->file);
    qsort(rank, n, sizeof *rank, pfc__mpi_compare_awaited);
    pfc__mpi_print_awaited(page, rank, n);
}

/* 0: no memory. */
static PFC__QUIET int pfc__mpi_print_ranks(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n, const char *world)
{
    pfc__mpi_rank_t *rank = (pfc__mpi_rank_t *)malloc(n * sizeof *rank);
    size_t i;
    if (!rank) return 0;
    for (i = 0; i < n; i++) {
        rank[i].mpi = profiles[i]->mpi;
        rank[i].awaited = pfc__mpi_waited_for(profiles, n, profiles[i]->mpi);
    }
    pfc__mpi_print_rank_table(page, rank, n, world);
    pfc__mpi_print_missing(page, profiles, n);
    free(rank);
    return 1;
}

typedef struct pfc__mpi_pair { pfc__u32 rank; const pfc_mpi_peer_t *peer; } pfc__mpi_pair_t;

static PFC__QUIET double pfc__mpi_pair_weight(const pfc__mpi_pair_t *p) { return fabs(p->peer->wait_ct) + fabs(p->peer->wait_lt); }

static PFC__QUIET int pfc__mpi_compare_pairs(const void *a, const void *b)
{
    const pfc__mpi_pair_t *x = (const pfc__mpi_pair_t *)a, *y = (const pfc__mpi_pair_t *)b;
    int order = pfc__compare_double(pfc__mpi_pair_weight(x), pfc__mpi_pair_weight(y));
    if (!order) order = (x->rank > y->rank) - (x->rank < y->rank);
    return order ? order : pfc__mpi_compare_peers(x->peer, y->peer);
}

static PFC__QUIET void pfc__mpi_print_pairs(const pfc__page_t *page, const pfc__mpi_pair_t *pair, size_t n, const char *world)
{
    FILE *f = page->file;
    size_t i, shown = page->options->all || n < PFC__ROWS ? n : (size_t)PFC__ROWS;
    pfc__mpi_heading(page, "MPI: who waited for whom", world);
    pfc__style(page, "4");
    fprintf(f, "%6s %6s%*s", "rank", "for", page->count_width, "waits");
    pfc__print_titles(page, "wait CT|wait LT|delay in");
    pfc__style(page, "0");
    fprintf(f, "  [%s]\n", page->unit_name);
    for (i = 0; i < shown; i++) {
        const pfc_mpi_peer_t *p = pair[i].peer;
        fprintf(f, "%6u ", pair[i].rank);
        if (p->rank == PFC_NONE) fprintf(f, "%6s", "others");
        else fprintf(f, "%6u", p->rank);
        pfc__print_count(f, p->waits, page->count_width);
        pfc__print_time(page, p->wait_ct);
        pfc__print_time(page, p->wait_lt);
        pfc__print_time(page, pfc__mpi_peer_delay(p));
        putc('\n', f);
    }
    pfc__print_left_out(page, n - shown, "pair of ranks", "pairs of ranks");
}

static PFC__QUIET int pfc__mpi_print_peers(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n, const char *world)
{
    pfc__mpi_pair_t *pair;
    size_t i, k, total = 0, used = 0;
    for (i = 0; i < n; i++) total += profiles[i]->mpi->peers;
    if (!total) return 1;
    pair = (pfc__mpi_pair_t *)calloc(total, sizeof *pair);
    if (!pair) return 0;
    for (i = 0; i < n; i++)
        for (k = 0; k < profiles[i]->mpi->peers; k++, used++) {
            pair[used].rank = profiles[i]->mpi->rank;
            pair[used].peer = &profiles[i]->mpi->peer[k];
        }
    qsort(pair, used, sizeof *pair, pfc__mpi_compare_pairs);
    pfc__mpi_print_pairs(page, pair, used, world);
    free(pair);
    return 1;
}

static PFC__QUIET int pfc__mpi_compare_worlds(const void *a, const void *b)
{
    const pfc_mpi_t *x = (*(const pfc_profile_t *const *)a)->mpi, *y = (*(const pfc_profile_t *const *)b)->mpi;
    int order = (x->world > y->world) - (x->world < y->world);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Those with MPI, by world and rank: each world has tables of its own. 0: no memory. */
static PFC__QUIET int pfc__mpi_print_worlds(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_profile_t **of = (const pfc_profile_t **)malloc(n * sizeof *of);
    char world[64] = "";
    size_t i, first, used = 0;
    int done = of != 0;
    for (i = 0; of && i < n; i++)
        if (profiles[i]->mpi) of[used++] = profiles[i];
    if (used) qsort(of, used, sizeof *of, pfc__mpi_compare_worlds);
    for (first = 0; first < used && done; first = i) {
        for (i = first + 1; i < used && of[i]->mpi->world == of[first]->mpi->world;) i++;
        if (i - first < used) snprintf(world, sizeof world, ", world of process %" PRId64, of[first]->pid);
        done = (n == 1 || pfc__mpi_print_ranks(page, of + first, i - first, world)) &&
               pfc__mpi_print_peers(page, of + first, i - first, world);
    }
    free(of);
    return done;
}

/* ---- text: all */

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
    free(calls);
}

/* ---- JSON */

static PFC__QUIET void pfc__json_mpi_calls(FILE *f, const pfc_mpi_calls_t *c)
{
    int i;
    putc('{', f);
    if (*c->name) pfc__json_string(f, "name", c->name), putc(',', f);
    if (*c->place) pfc__json_string(f, "place", c->place), putc(',', f);
    if (*c->name) fprintf(f, "\"known\":%s,", c->rule == PFC__RULE_NONE ? "false" : "true");
    pfc__json_count(f, "calls", c->calls), putc(',', f);
    pfc__json_count(f, "bytes", c->bytes), putc(',', f);
    pfc__json_number(f, "ct", c->time_ct), putc(',', f);
    pfc__json_number(f, "lt", c->time_lt), putc(',', f);
    pfc__json_number(f, "wait_ct", c->wait_ct), putc(',', f);
    pfc__json_number(f, "wait_lt", c->wait_lt), putc(',', f);
    pfc__json_number(f, "wait_u", c->wait_u), fputs(",\"wait_lt_of\":{", f);
    for (i = 0; i < PFC__MPI_WAIT_NAMES; i++) {
        if (i) putc(',', f);
        pfc__json_number(f, pfc__mpi_wait_names[i].key, c->wait[pfc__mpi_wait_names[i].kind]);
    }
    fputs("}}", f);
}

static PFC__QUIET void pfc__json_mpi_list(FILE *f, const char *key, const pfc_mpi_calls_t *calls, size_t n)
{
    size_t i;
    fprintf(f, ",\n\"%s\":[", key);
    for (i = 0; i < n; i++) {
        if (i) fputs(",\n", f);
        pfc__json_mpi_calls(f, &calls[i]);
    }
    putc(']', f);
}

static PFC__QUIET void pfc__json_mpi_peers(FILE *f, const pfc_mpi_t *mpi)
{
    size_t i;
    fputs(",\n\"peers\":[", f);
    for (i = 0; i < mpi->peers; i++) {
        const pfc_mpi_peer_t *p = &mpi->peer[i];
        fputs(i ? ",{" : "{", f);
        if (p->rank == PFC_NONE) fputs("\"rank\":null", f);
        else pfc__json_count(f, "rank", p->rank);
        putc(',', f);
        pfc__json_count(f, "waits", p->waits), putc(',', f);
        pfc__json_number(f, "wait_ct", p->wait_ct), putc(',', f);
        pfc__json_number(f, "wait_lt", p->wait_lt), putc('}', f);
    }
    putc(']', f);
}

static PFC__QUIET void pfc__json_mpi_order(FILE *f, const pfc_mpi_order_t *o)
{
    fputs("\"order\":{", f);
    pfc__json_count(f, "from_anybody", o->taken), putc(',', f);
    pfc__json_count(f, "overtaken", o->overtaken), putc(',', f);
    pfc__json_count(f, "undecided", o->undecided);
    if (o->holds) {
        putc(',', f);
        pfc__json_count(f, "held", o->held), putc(',', f);
        pfc__json_number(f, "held_time", o->held_ns);
    }
    if (o->overtaken) {
        putc(',', f);
        pfc__json_number(f, "most", o->most), putc(',', f);
        pfc__json_count(f, "rank", o->rank), putc(',', f);
        pfc__json_count(f, "by", o->by), putc(',', f);
        pfc__json_string(f, "place", o->place);
    }
    fputs("},", f);
}

static void pfc__json_mpi(FILE *f, const pfc_profile_t *p, const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_mpi_t *mpi = p->mpi;
    pfc_mpi_peer_t awaited;
    if (!mpi) return;
    awaited = pfc__mpi_waited_for(profiles, n, mpi);
    fputs(",\n\"mpi\":{", f);
    pfc__json_count(f, "rank", mpi->rank), putc(',', f);
    pfc__json_count(f, "size", mpi->size), putc(',', f);
    pfc__json_count(f, "world", mpi->world), putc(',', f);
    pfc__json_string(f, "library", mpi->library), putc(',', f);
    fprintf(f, "\"finalized\":%s,", mpi->finalized ? "true" : "false");
    if (mpi->finalized) {
        pfc__json_number(f, "delay", mpi->delay), putc(',', f);
        pfc__json_number(f, "delay_u", mpi->delay_u), putc(',', f);
    }
    pfc__json_number(f, "delay_in", pfc__mpi_delay_in(&mpi->total)), putc(',', f);
    pfc__json_number(f, "awaited_ct", awaited.wait_ct), putc(',', f);
    pfc__json_number(f, "awaited_lt", awaited.wait_lt), putc(',', f);
    pfc__json_number(f, "delay_out", pfc__mpi_peer_delay(&awaited)), putc(',', f);
    pfc__json_number(f, "clock_u", mpi->clock_u), putc(',', f);
    pfc__json_number(f, "clock_strayed", mpi->clock_strayed), putc(',', f);
    fprintf(f, "\"eager_bytes\":%" PRId64 ",", mpi->eager_bytes);
    pfc__json_mpi_order(f, &mpi->order);
    pfc__json_count(f, "unacknowledged", mpi->unacknowledged), fputs(",\n\"total\":", f);
    pfc__json_mpi_calls(f, &mpi->total);
    pfc__json_mpi_list(f, "kinds", mpi->kind, mpi->kinds);
    pfc__json_mpi_list(f, "places", mpi->place, mpi->places);
    pfc__json_mpi_peers(f, mpi);
    putc('}', f);
}
