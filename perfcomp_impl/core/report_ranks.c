/* ------------------------------------------------ report, ranks (impl) ---
   Several processes: a line for each, and which of them don't belong here. */

static PFC__QUIET int pfc__compare_lengths(const void *a, const void *b)
{
    return pfc__compare_double((*(const pfc_profile_t *const *)a)->total.ct, (*(const pfc_profile_t *const *)b)->total.ct);
}

/* Of many processes, those that ran the longest have a line: how long at least. */
static PFC__QUIET double pfc__shortest_shown(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_profile_t **sorted = page->options->all || n <= PFC__ROWS ? 0 : (const pfc_profile_t **)malloc(n * sizeof *sorted);
    double shortest = -1;
    if (!sorted) return shortest;
    memcpy(sorted, profiles, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, pfc__compare_lengths);
    shortest = sorted[PFC__ROWS - 1]->total.ct;
    free(sorted);
    return shortest;
}

static PFC__QUIET int pfc__compare_pids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Forked processes whose parent isn't here. It had a profile, which a later run has replaced, or somebody has removed. */
static PFC__QUIET size_t pfc__orphans(const pfc_profile_t *const *profiles, size_t n)
{
    int64_t *pid = (int64_t *)malloc(n * sizeof *pid);
    size_t i, orphans = 0;
    for (i = 0; pid && i < n; i++) pid[i] = profiles[i]->pid;
    if (pid) qsort(pid, n, sizeof *pid, pfc__compare_pids);
    for (i = 0; pid && i < n; i++)
        orphans += profiles[i]->forked && !bsearch(&profiles[i]->parent_pid, pid, n, sizeof *pid, pfc__compare_pids);
    free(pid);
    return orphans;
}

/* Of the first job's ranks. One that hasn't come to MPI_Init yet doesn't know which it is. */
static PFC__QUIET size_t pfc__missing_ranks(const pfc_profile_t *const *profiles, size_t n)
{
    const pfc_mpi_t *job = 0;
    size_t i, here = 0;
    for (i = 0; i < n; i++) {
        const pfc_mpi_t *mpi = profiles[i]->mpi;
        if (!job) job = mpi;
        here += mpi ? mpi->world == job->world : !profiles[i]->forked;
    }
    return job && here < job->size ? job->size - here : 0;
}

/* A job may be of several programs. */
static PFC__QUIET int pfc__one_command(const pfc_profile_t *const *profiles, size_t n)
{
    size_t i = 1;
    while (i < n && !strcmp(profiles[i]->command, profiles[0]->command)) i++;
    return i == n;
}

/* `host`: columns of the longest host's name. */
static PFC__QUIET void pfc__print_ranks_head(const pfc__page_t *page, const char *command, size_t n, size_t host)
{
    FILE *f = page->file;
    pfc__style(page, "1");
    fprintf(f, "perfcomp  %zu processes", n);
    if (command) fputs(": ", f), pfc__print_short(f, command);
    else fputs(" of different command lines", f);
    pfc__style(page, "0");
    fprintf(f, "\n\n%6s %10s %-*s %-9s", "rank", "pid", (int)host, "host", "state");
    pfc__print_titles(page, "CT|LT|±");
    fprintf(f, " %6s  file  [%s]\n", "instr", page->unit_name);
}

static PFC__QUIET void pfc__print_rank(const pfc__page_t *page, const pfc_profile_t *p, size_t host, int with_command)
{
    static const char *const word[] = { "running", "ended", "died", "not ended" }, *const left[] = { "died", "_exit", "exec" };
    FILE *f = page->file;
    size_t columns;
    fprintf(f, "%6u %10" PRId64 " ", p->rank, p->pid);
    for (columns = pfc_print_text(f, p->host); columns < host; columns++) putc(' ', f);
    fprintf(f, " %-9s", p->run == PFC_DIED ? left[p->left] : word[p->run]);
    pfc__print_measured(page, &p->total);
    putc(' ', f);
    pfc__print_instrumentation(f, pfc__instrumentation(&p->total));
    fputs("  ", f);
    pfc_print_text(f, p->file);
    if (with_command) fputs("  ", f), pfc__print_short(f, p->command);
    putc('\n', f);
}

static PFC__QUIET void pfc__print_ranks(const pfc__page_t *page, const pfc_profile_t *const *profiles, size_t n)
{
    double shortest = pfc__shortest_shown(page, profiles, n);
    size_t i, left_out = 0, host = sizeof "host" - 1;
    int one = pfc__one_command(profiles, n);
    for (i = 0; i < n; i++)
        if (strlen(profiles[i]->host) > host) host = strlen(profiles[i]->host);
    pfc__print_ranks_head(page, one ? profiles[0]->command : 0, n, host);
    for (i = 0; i < n; i++) {
        if (profiles[i]->total.ct < shortest) left_out++;
        else pfc__print_rank(page, profiles[i], host, !one);
    }
    pfc__print_left_out(page, left_out, "shorter process", "shorter processes");
    pfc__remark(page, pfc__orphans(profiles, n), "forked process is of an earlier run, or its parent's profile is missing; remove old profiles before a run.",
                "forked processes are of earlier runs, or their parents' profiles are missing; remove old profiles before a run.");
    pfc__remark(page, pfc__missing_ranks(profiles, n), "rank of the job has no profile here: how long others waited for it is shown, but nothing of its own.",
                "ranks of the job have no profiles here: how long others waited for them is shown, but nothing of their own.");
    pfc__print_places(page, profiles, n);
    putc('\n', page->file);
}
