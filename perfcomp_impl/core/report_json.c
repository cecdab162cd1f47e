/* ------------------------------------------------- report, JSON (impl) ---
   The same as the text, for programs. */

static PFC__QUIET void pfc__json_number(FILE *f, const char *key, double x)
{
    fprintf(f, "\"%s\":", key);
    if (pfc__finite(x, -1e300, 1e300)) fprintf(f, "%.15g", x);
    else fputs("null", f);
}

static PFC__QUIET void pfc__json_count(FILE *f, const char *key, uint64_t n) { fprintf(f, "\"%s\":%" PRIu64, key, n); }

static PFC__QUIET void pfc__json_string(FILE *f, const char *key, const char *text)
{
    fprintf(f, "\"%s\":", key);
    pfc_print_json(f, text);
}

static PFC__QUIET void pfc__json_time(FILE *f, const char *key, const pfc_time_t *t)
{
    fprintf(f, "\"%s\":{", key);
    pfc__json_number(f, "ct", t->ct), putc(',', f);
    pfc__json_number(f, "lt", t->lt), putc(',', f);
    pfc__json_number(f, "u", t->u), putc('}', f);
}

static PFC__QUIET void pfc__json_stats(FILE *f, const pfc_stats_t *s)
{
    pfc__json_count(f, "calls", s->count), putc(',', f);
    pfc__json_count(f, "open", s->open), putc(',', f);
    pfc__json_count(f, "untimed", s->untimed), putc(',', f);
    pfc__json_time(f, "exclusive", &s->exclusive), putc(',', f);
    pfc__json_time(f, "inclusive", &s->inclusive), putc(',', f);
    pfc__json_number(f, "shortest", s->longest < s->shortest ? HUGE_VAL : s->shortest), putc(',', f);
    pfc__json_number(f, "longest", s->longest < s->shortest ? HUGE_VAL : s->longest), putc(',', f);
    pfc__json_number(f, "hits", s->hits);
}

static PFC__QUIET void pfc__json_service(FILE *f, const pfc_profile_t *p)
{
    static const char *const word[] = { "running", "ended", "died", "elsewhere" }, *const left[] = { "", "_exit", "exec" };
    pfc__json_string(f, "file", p->file), putc(',', f);
    pfc__json_string(f, "state", word[p->run]), putc(',', f);
    pfc__json_string(f, "left", p->run == PFC_DIED ? left[p->left] : ""), putc(',', f);
    pfc__json_count(f, "rank", p->rank), putc(',', f);
    pfc__json_count(f, "size", p->size), putc(',', f);
    fprintf(f, "\"pid\":%" PRId64 ",\"parent_pid\":%" PRId64 ",\"forked\":%s,", p->pid, p->parent_pid, p->forked ? "true" : "false");
    fprintf(f, "\"until_finalize\":%s,", p->until_finalize ? "true" : "false");
    pfc__json_string(f, "host", p->host), putc(',', f);
    pfc__json_string(f, "command", p->command), putc(',', f);
    pfc__json_string(f, "directory", p->directory), putc(',', f);
    pfc__json_string(f, "executable", p->executable), putc(',', f);
    fputs("\"start\":\"", f);
    pfc__print_utc(f, p->begin_utc_ns);
    fputs("\",", f);
    fprintf(f, "\"begin_utc_ns\":%" PRId64 ",\"last_utc_ns\":%" PRId64 ",", p->begin_utc_ns, p->last_utc_ns);
    pfc__json_string(f, "compiler", p->compiler), putc(',', f);
    pfc__json_string(f, "version", p->version), putc(',', f);
    pfc__json_string(f, "clock", p->clock), putc(',', f);
    pfc__json_string(f, "clock_reason", p->clock_reason), putc(',', f);
    pfc__json_number(f, "ticks_per_ns", p->ticks_per_ns), putc(',', f);
    pfc__json_number(f, "budget", p->budget), putc(',', f);
    pfc__json_number(f, "scale", p->scale), putc(',', f);
    pfc__json_number(f, "scale_doubt", p->scale_doubt), putc(',', f);
    pfc__json_number(f, "start_ns", p->start_ns), putc(',', f);
    pfc__json_number(f, "stop_ns", p->stop_ns), putc(',', f);
    pfc__json_number(f, "fork_delta", p->fork_delta), putc(',', f);
    fprintf(f, "\"compensated\":%s,", p->compensated ? "true" : "false");
    pfc__json_time(f, "total", &p->total), putc(',', f);
    pfc__json_time(f, "sum", &p->sum), putc(',', f);
    pfc__json_number(f, "delay_in", p->delay_in), putc(',', f);
    pfc__json_number(f, "slept", p->slept);
}

static PFC__QUIET void pfc__json_costs(FILE *f, const pfc_profile_t *p)
{
    const pfc__cost_t *c = &p->cost;
    fputs("\"cost\":{", f);
    pfc__json_number(f, "pair", c->pair), putc(',', f);
    pfc__json_number(f, "pair_spread", c->pair_spread), putc(',', f);
    pfc__json_number(f, "empty_pair", c->empty_pair), putc(',', f);
    pfc__json_number(f, "windows", c->windows), putc(',', f);
    pfc__json_number(f, "dilation", c->dilation), putc(',', f);
    pfc__json_number(f, "inside", c->inside), putc(',', f);
    pfc__json_number(f, "inside_spread", c->inside_spread), putc(',', f);
    pfc__json_number(f, "light", c->light), putc(',', f);
    pfc__json_number(f, "light_spread", c->light_spread), putc(',', f);
    pfc__json_number(f, "hit", c->hit), putc(',', f);
    pfc__json_number(f, "hit_spread", c->hit_spread), putc(',', f);
    pfc__json_number(f, "atomic_hit", p->atomic_hit), putc(',', f);
    pfc__json_number(f, "atomic_hit_spread", p->atomic_hit_spread), putc(',', f);
    pfc__json_number(f, "fetch", p->fetch), putc(',', f);
    pfc__json_number(f, "fetch_spread", p->fetch_spread), fputs("},\"operations\":{", f);
    pfc__json_count(f, "pairs", p->pairs), putc(',', f);
    pfc__json_count(f, "untimed", p->untimed), putc(',', f);
    pfc__json_count(f, "hits", p->hits), putc(',', f);
    pfc__json_count(f, "hits_spread", p->hits_spread), putc(',', f);
    pfc__json_count(f, "atomic_hits", p->atomic_hits), putc(',', f);
    pfc__json_count(f, "summed_hits", p->summed_hits), putc(',', f);
    pfc__json_number(f, "fetches", p->fetches), fputs("},\"lost\":{", f);
    pfc__json_count(f, "regions", p->lost_regions), putc(',', f);
    pfc__json_count(f, "paths", p->lost_paths), putc(',', f);
    pfc__json_count(f, "units", p->lost_units), putc(',', f);
    pfc__json_count(f, "threads", p->lost_threads), putc(',', f);
    pfc__json_count(f, "strays", p->strays), putc(',', f);
    pfc__json_count(f, "unsaved", p->unsaved), putc(',', f);
    pfc__json_count(f, "stray_ends", p->stray_ends), putc(',', f);
    pfc__json_count(f, "unclosed", p->unclosed), putc(',', f);
    pfc__json_count(f, "unwound", p->unwound), putc(',', f);
    pfc__json_count(f, "first_stray_end", p->first_stray_end), putc(',', f);
    pfc__json_count(f, "first_unclosed", p->first_unclosed), putc(',', f);
    pfc__json_count(f, "first_unwound", p->first_unwound), fprintf(f, "},\"clock_fell\":%s", p->clock_fell ? "true" : "false");
}

static PFC__QUIET void pfc__json_thread(FILE *f, const pfc_thread_info_t *t)
{
    fprintf(f, "{\"id\":%u,\"os_id\":%" PRId64 ",\"ended\":%s,", t->id, t->os_id, t->ended ? "true" : "false");
    pfc__json_number(f, "begin", t->begin), putc(',', f);
    pfc__json_number(f, "end", t->end), putc(',', f);
    if (t->now != PFC_NONE) fprintf(f, "\"now\":%u,", t->now);
    fprintf(f, "\"waits\":%s,\"sleeps\":%s,", t->waits ? "true" : "false", t->sleeps ? "true" : "false");
    pfc__json_count(f, "events", t->events), putc(',', f);
    pfc__json_count(f, "events_lost", t->events_lost), putc(',', f);
    pfc__json_time(f, "total", &t->total), putc('}', f);
}

static PFC__QUIET void pfc__json_region(FILE *f, const pfc_region_info_t *r)
{
    putc('{', f);
    pfc__json_string(f, "name", r->name), putc(',', f);
    pfc__json_string(f, "file", r->file), putc(',', f);
    pfc__json_count(f, "line", r->line), putc(',', f);
    pfc__json_count(f, "kind", r->kind), putc(',', f);
    pfc__json_stats(f, &r->stats), putc('}', f);
}

static PFC__QUIET void pfc__json_path(FILE *f, const pfc_path_info_t *path)
{
    fprintf(f, "{\"region\":%u,\"thread\":%u,\"parent\":", path->region, path->thread);
    if (path->parent == PFC_NONE) fputs("null,", f);
    else fprintf(f, "%u,", path->parent);
    pfc__json_stats(f, &path->stats), putc('}', f);
}

static PFC__QUIET void pfc__json_counter(FILE *f, const pfc_counter_info_t *c)
{
    putc('{', f);
    pfc__json_string(f, "name", c->name), putc(',', f);
    pfc__json_string(f, "file", c->file), putc(',', f);
    pfc__json_string(f, "function", c->function ? c->function : ""), putc(',', f);
    pfc__json_count(f, "line", c->line), putc(',', f);
    pfc__json_count(f, "count", c->count), putc('}', f);
}

/* Another element of a list. */
static PFC__QUIET void pfc__json_next(FILE *f, size_t i) { if (i) fputs(",\n", f); }

static PFC__QUIET void pfc__json_profile(FILE *f, const pfc_profile_t *p, const pfc_profile_t *const *profiles, size_t n)
{
    size_t i;
    putc('{', f);
    pfc__json_service(f, p), putc(',', f);
    pfc__json_costs(f, p), fputs(",\n\"notes\":[", f);
    for (i = 0; i < p->notes; i++) fputs(i ? "," : "", f), pfc_print_json(f, p->note[i]);
    fputs("],\n\"threads\":[", f);
    for (i = 0; i < p->threads; i++) pfc__json_next(f, i), pfc__json_thread(f, &p->thread[i]);
    fputs("],\n\"regions\":[", f);
    for (i = 0; i < p->regions; i++) pfc__json_next(f, i), pfc__json_region(f, &p->region[i]);
    fputs("],\n\"paths\":[", f);
    for (i = 0; i < p->paths; i++) pfc__json_next(f, i), pfc__json_path(f, &p->path[i]);
    fputs("],\n\"counters\":[", f);
    for (i = 0; i < p->counters; i++) pfc__json_next(f, i), pfc__json_counter(f, &p->counter[i]);
    putc(']', f);
    pfc__json_mpi(f, p, profiles, n);
    putc('}', f);
}

void pfc_report_json(FILE *file, const pfc_profile_t *const *profiles, size_t n)
{
    locale_t locale = pfc__points_begin();
    size_t i;
    fputs("{\"unit\":\"ns\",\"profiles\":[", file);
    for (i = 0; i < n; i++) pfc__json_next(file, i), pfc__json_profile(file, profiles[i], profiles, n);
    fputs("]}\n", file);
    pfc__points_end(locale);
}
