/* ------------------------------------------- report, ranks (MPI, impl) ---
   By rank, and who waited for whom: a table for each world. */

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
        const pfc_mpi_peer_t *peer;
        if (!mpi || mpi->world != of->world || !mpi->peers) continue;
        peer = (const pfc_mpi_peer_t *)bsearch(&key, mpi->peer, mpi->peers, sizeof key, pfc__mpi_compare_peers);
        if (!peer) continue;
        all.waits += peer->waits;
        all.wait_ct += peer->wait_ct;
        all.wait_lt += peer->wait_lt;
    }
    return all;
}

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

static PFC__QUIET int pfc__mpi_compare_ranks(const void *a, const void *b)
{
    pfc__u32 x = ((const pfc__mpi_rank_t *)a)->mpi->rank, y = ((const pfc__mpi_rank_t *)b)->mpi->rank;
    return (x > y) - (x < y);
}

static PFC__QUIET int pfc__mpi_compare_awaited(const void *a, const void *b)
{
    const pfc__mpi_rank_t *x = (const pfc__mpi_rank_t *)a, *y = (const pfc__mpi_rank_t *)b;
    int order = pfc__compare_double(x->awaited.wait_lt, y->awaited.wait_lt);
    return order ? order : pfc__mpi_compare_ranks(a, b);
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

/* The rank to look at first. */
static PFC__QUIET void pfc__mpi_print_awaited(const pfc__page_t *page, pfc__mpi_rank_t most, const pfc__mpi_rank_t *rank, size_t n)
{
    double all = 0;
    size_t i;
    for (i = 0; i < n; i++) all += rank[i].awaited.wait_lt;
    if (most.awaited.wait_lt > 0)
        fprintf(page->file, "  Most awaited, undisturbed: rank %u, for %.6f of %.6f %s.\n", most.mpi->rank,
                most.awaited.wait_lt / page->unit, all / page->unit, page->unit_name);
}

/* Of many, those that others would have waited for the longest. Sorts them. */
static PFC__QUIET void pfc__mpi_print_rank_table(const pfc__page_t *page, pfc__mpi_rank_t *rank, size_t n, const char *world)
{
    size_t i, shown = pfc__rows(page, n);
    pfc__mpi_rank_t most_awaited;
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
    most_awaited = rank[0];
    qsort(rank, shown, sizeof *rank, pfc__mpi_compare_ranks);
    for (i = 0; i < shown; i++) pfc__mpi_print_rank(page, &rank[i], calls);
    pfc__print_left_out(page, n - shown, "rank that was awaited less", "ranks that were awaited less");
    fputs("  awaited: how long other ranks would have waited for this one; delay in: by how much longer it waited than undisturbed;\n"
          "  delay out: others for it; at end: by how much later it came to MPI_Finalize.\n", page->file);
    pfc__mpi_print_awaited(page, most_awaited, rank, n);
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
    size_t i, shown = pfc__rows(page, n);
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
