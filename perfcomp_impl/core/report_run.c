/* -------------------------------------------------- report, run (impl) ---
   One process: what ran, and how; and what instrumentation did to the run. */

static PFC__QUIET void pfc__print_run(FILE *f, const pfc_profile_t *p)
{
    double unit, passed = pfc__ticks(p->last_utc_ns, p->begin_utc_ns);
    const char *name = pfc__time_unit(passed, &unit);
    if (p->run == PFC_ENDED) { fprintf(f, "ended after %.3f %s", p->total.ct / unit, name); return; }
    if (p->run == PFC_DIED && p->left) {
        fprintf(f, "%s after %.3f %s", p->left == PFC__LEFT_BY_EXIT ? "ended without exit handlers (_exit)" : "became another program (exec)",
                passed / unit, name);
        return;
    }
    if (p->run == PFC_RUNNING) fprintf(f, "still running, %.3f %s after its start", passed / unit, name);
    else {
        fprintf(f, "%s; last sign of life %.3f %s after its start, ", p->run == PFC_DIED ? "died without an end" :
                "not ended; whether it still runs only its own host, or container, can tell", passed / unit, name);
        pfc__print_utc(f, p->last_utc_ns);
    }
}

static PFC__QUIET void pfc__print_line(FILE *f, const char *title, const char *text)
{
    if (!*text) return;
    fputs(title, f);
    pfc_print_text(f, text);
    putc('\n', f);
}

static PFC__QUIET void pfc__print_service(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    FILE *f = page->file;
    pfc__style(page, "1");
    fputs("perfcomp  ", f);
    pfc__print_short(f, *p->command ? p->command : *p->executable ? p->executable : p->file);
    pfc__style(page, "0");
    fprintf(f, "\n  process    rank %u of %u, pid %" PRId64, p->rank, p->size, p->pid);
    if (p->forked) fprintf(f, " (forked from %" PRId64 ")", p->parent_pid);
    fputs(", ", f);
    pfc__print_run(f, p);
    putc('\n', f);
    if (p->run != PFC_ENDED) pfc__print_now(f, p);
    pfc__print_line(f, "  host       ", *p->host ? p->host : "?");
    fputs("  started    ", f);
    pfc__print_utc(f, p->begin_utc_ns);
    putc('\n', f);
    pfc__print_line(f, "  folder     ", p->directory);
    pfc__print_line(f, "  compiler   ", p->compiler);
    fputs("  clock      ", f);
    pfc_print_text(f, *p->clock ? p->clock : "?");
    if (p->ticks_per_ns != 1) fprintf(f, ", %.7g GHz", p->ticks_per_ns);
    if (*p->clock_reason) fputs(" (", f), pfc_print_text(f, p->clock_reason), putc(')', f);
    putc('\n', f);
}

/* ---- what instrumentation did to the run */

/* The budget is timing's: that every entry is counted all the same can take more. */
static PFC__QUIET void pfc__print_budget(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    double counting = pfc__share_of((double)p->untimed * p->cost.light, p->sum.ct);
    if (p->budget > 0 && counting > p->budget)
        fprintf(page->file, "  budget           %.3g %% is for timing; counting the untimed entries took %.1f %% of the run:\n"
                            "                   functions that needn't be timed, perfcomp filter names for a second build\n",
                100 * p->budget, 100 * counting);
}

static PFC__QUIET void pfc__print_run_times(const pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    FILE *f = page->file;
    double overhead = p->sum.ct - p->sum.lt - p->delay_in, unit = page->unit;
    const char *name = page->unit_name;
    fprintf(f, "  measured         %.6f %s\n", p->total.ct / unit, name);
    if (!p->compensated) { fprintf(f, "  undisturbed      not computed (PERFCOMP_COMPENSATE=0): below, LT is CT\n"); return; }
    fprintf(f, "  undisturbed      %.6f ± %.6f %s\n", pfc__in_steps(p->total.lt / unit, 1e-6), p->total.u / unit, name);
    fprintf(f, "  instrumentation  %.2f %% of the run: %.6f %s", 100 * pfc__share_of(overhead, p->sum.ct), overhead / unit, name);
    if (p->threads > 1) fputs(" summed over all threads", f); /* of all processes */
    if (p->start_ns > 0.1 * overhead) fprintf(f, "; %.6f of it at the start", p->start_ns / unit);
    if (p->delay_in < 0 || p->delay_in > 0) fprintf(f, "; waits for others changed by %+.6f", p->delay_in / unit);
    putc('\n', f);
}

static PFC__QUIET void pfc__print_probe(FILE *f, const pfc_profile_t *p)
{
    const pfc__cost_t *c = &p->cost;
    if (c->dilation >= 1.05)
        fprintf(f, "  processor        shared with others: 1 s of work took %.2f s here, and probes are charged by that\n", c->dilation);
    fprintf(f, "  null probe       %.2f ± %.2f ns, of them %.2f ± %.2f inside the region",
            c->pair, c->pair_spread, c->inside, c->inside_spread);
    if (p->untimed) fprintf(f, "; untimed %.2f ± %.2f ns", c->light, c->light_spread);
    if (c->windows > 0)
        fprintf(f, "\n                   (measured in %.0f stretches of this run; alone it would be %.2f ns)", c->windows, c->empty_pair);
    else if (c->pair_spread > 0)
        fprintf(f, "\n                   (from empty pairs at the start, alone %.2f ns: nothing was measured amid this run's own code)", c->empty_pair);
    if (p->scale > 0)
        fprintf(f, "\n                   (%.3f ± %.3f times what the run can see of it: PERFCOMP_SCALE)", p->scale, p->scale_doubt);
    putc('\n', f);
}

static PFC__QUIET void pfc__print_operations(FILE *f, const pfc_profile_t *p)
{
    fputs("  operations       ", f);
    pfc__print_count(f, p->pairs, 0);
    fputs(pfc__plural(p->pairs, " region entered and left", " regions entered and left"), f);
    if (p->untimed) fputs(", ", f), pfc__print_count(f, p->untimed, 0), fputs(" more untimed", f);
    if (p->hits) {
        fputs(", ", f);
        pfc__print_count(f, p->hits, 0);
        fprintf(f, " %s counted at %.2f ± %.2f ns", pfc__plural(p->hits, "block", "blocks"), p->cost.hit, p->cost.hit_spread);
    }
    if (p->atomic_hits) {
        fputs(", of them ", f);
        pfc__print_count(f, p->atomic_hits, 0);
        fprintf(f, " atomically at %.2f ± %.2f ns", p->atomic_hit, p->atomic_hit_spread);
    }
    if (p->summed_hits) {
        fputs("\n                   (", f);
        pfc__print_count(f, p->summed_hits, 0);
        fputs(" of them turns of loops that the compiler counts in a register: next to nothing)", f);
    }
    if (fabs(p->fetch) >= .005)
        fprintf(f, "\n                   (in %.0f entries of functions that first find their thread's counters, at %.2f ± %.2f ns)",
                p->fetches, p->fetch, p->fetch_spread);
    putc('\n', f);
}

static PFC__QUIET void pfc__print_costs(const pfc__page_t *page)
{
    pfc__print_run_times(page);
    pfc__print_probe(page->file, page->p);
    pfc__print_operations(page->file, page->p);
    pfc__print_budget(page);
}
