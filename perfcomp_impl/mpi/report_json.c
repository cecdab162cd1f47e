/* -------------------------------------------- report, JSON (MPI, impl) ---
   The same for programs. */

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
    pfc__json_count(f, "tried", mpi->tried), putc(',', f);
    pfc__json_number(f, "tried_ns", mpi->tried_ns), putc(',', f);
    pfc__json_count(f, "unacknowledged", mpi->unacknowledged), fputs(",\n\"total\":", f);
    pfc__json_mpi_calls(f, &mpi->total);
    pfc__json_mpi_list(f, "kinds", mpi->kind, mpi->kinds);
    pfc__json_mpi_list(f, "places", mpi->place, mpi->places);
    pfc__json_mpi_peers(f, mpi);
    putc('}', f);
}
