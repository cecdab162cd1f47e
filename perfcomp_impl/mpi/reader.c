/* ----------------------------------------------------- reader (MPI, impl) ---
   From PFC__MPI extents to pfc_mpi_t. The core has checked that an extent's
   elements lie in it; what they hold is checked here. */

static PFC__QUIET int pfc__mpi_compare_names(const void *a, const void *b)
{
    return strcmp(((const pfc_mpi_calls_t *)a)->name, ((const pfc_mpi_calls_t *)b)->name);
}

static PFC__QUIET int pfc__mpi_compare_peers(const void *a, const void *b)
{
    pfc__u32 x = ((const pfc_mpi_peer_t *)a)->rank, y = ((const pfc_mpi_peer_t *)b)->rank;
    return (x > y) - (x < y);
}

static PFC__QUIET void pfc__mpi_add(pfc_mpi_calls_t *sum, const pfc_mpi_calls_t *part)
{
    int i;
    sum->calls += part->calls;
    sum->bytes += part->bytes;
    sum->time_ct += part->time_ct;
    sum->time_lt += part->time_lt;
    sum->wait_ct += part->wait_ct;
    sum->wait_lt += part->wait_lt;
    sum->wait_u += part->wait_u; /* partners err alike: no quadrature */
    for (i = 0; i < PFC__WAIT_KINDS_READ; i++) sum->wait[i] += part->wait[i];
}

/* Those of equal names become one. How many there are then, by name. */
static PFC__QUIET size_t pfc__mpi_fold(pfc_mpi_calls_t *calls, size_t n)
{
    size_t i, kept = 0;
    if (n) qsort(calls, n, sizeof *calls, pfc__mpi_compare_names);
    for (i = 0; i < n; i++) {
        if (kept && !pfc__mpi_compare_names(&calls[kept - 1], &calls[i])) pfc__mpi_add(&calls[kept - 1], &calls[i]);
        else calls[kept++] = calls[i];
        calls[kept - 1].place = "";
    }
    return kept;
}

/* A text of fixed length ends within it, also while the program still writes. */
static PFC__QUIET int pfc__mpi_text_sound(const char *text, size_t bytes) { return text[bytes - 1] == 0; }

static PFC__QUIET int pfc__mpi_read_job(pfc__image_t *image, const pfc__part_t *part, pfc_mpi_t *mpi)
{
    pfc__mpi_job_t job;
    if (part->count != 1 || mpi->size) return pfc__damaged(image, part->begin, "MPI job");
    pfc__element(image, part, 0, &job, sizeof job);
    if (!job.size) return 1; /* just being made */
    if (job.rank >= job.size || !pfc__mpi_text_sound(job.library, sizeof job.library))
        return pfc__damaged(image, part->at, "MPI job");
    mpi->rank = job.rank;
    mpi->size = job.size;
    mpi->world = job.world;
    mpi->library = (const char *)image->bytes + part->at + offsetof(pfc__mpi_job_t, library);
    mpi->finalized = job.end_ct != 0;
    mpi->delay = (double)job.end_ct - (double)job.end_lt;
    mpi->delay_u = (double)job.end_u;
    mpi->clock_u = (double)job.clock_u;
    mpi->clock_strayed = (double)job.clock_strayed;
    if (job.begin_tick) mpi->zero = (double)job.begin_ct - pfc__ticks(job.begin_tick, image->header.tick_begin) / image->header.ticks_per_ns;
    mpi->eager_bytes = job.eager_bytes;
    mpi->unacknowledged = job.unacknowledged;
    mpi->tried = job.tried;
    mpi->tried_ns = (double)job.tried_ns;
    return 1;
}

static PFC__QUIET int pfc__mpi_read_sites(pfc__image_t *image, const pfc__part_t *part, pfc_mpi_t *mpi)
{
    pfc__u64 i;
    int k;
    for (i = 0; i < part->count; i++) {
        pfc_mpi_calls_t *calls = &mpi->place[mpi->places];
        pfc__u64 at = part->at + i * part->elem_bytes;
        pfc__mpi_site_t s;
        pfc__element(image, part, i, &s, sizeof s);
        if (!pfc__mpi_text_sound(s.name, sizeof s.name) || !pfc__mpi_text_sound(s.place, sizeof s.place))
            return pfc__damaged(image, at, "place of an MPI call");
        if (!*s.name) continue; /* not in use */
        calls->name = (const char *)image->bytes + at + offsetof(pfc__mpi_site_t, name);
        calls->place = (const char *)image->bytes + at + offsetof(pfc__mpi_site_t, place);
        calls->rule = s.rule;
        calls->calls = s.calls;
        calls->bytes = s.bytes;
        calls->time_ct = (double)s.time_ct;
        calls->time_lt = (double)s.time_lt;
        calls->wait_ct = (double)s.wait_ct;
        calls->wait_lt = (double)s.wait_lt;
        calls->wait_u = (double)s.wait_u;
        for (k = 0; k < PFC__WAIT_KINDS; k++) calls->wait[s.rule == PFC__RULE_LOCK ? PFC__WAIT_FOR_LOCK : k] += (double)s.wait_kind[k];
        mpi->places++;
    }
    return 1;
}

static PFC__QUIET int pfc__mpi_read_peers(pfc__image_t *image, const pfc__part_t *part, pfc_mpi_t *mpi)
{
    pfc__u64 i;
    for (i = 0; i < part->count; i++) {
        pfc_mpi_peer_t *peer = &mpi->peer[mpi->peers];
        pfc__mpi_peer_t p;
        pfc__element(image, part, i, &p, sizeof p);
        if (!p.used) continue;
        peer->rank = p.rank;
        peer->waits = p.waits;
        peer->wait_ct = (double)p.wait_ct;
        peer->wait_lt = (double)p.wait_lt;
        mpi->peers++;
    }
    return 1;
}

static PFC__QUIET int pfc__mpi_read_order(pfc__image_t *image, const pfc__part_t *part, pfc_mpi_t *mpi)
{
    pfc__mpi_order_t o;
    if (part->count != 1) return pfc__damaged(image, part->begin, "MPI order");
    pfc__element(image, part, 0, &o, sizeof o);
    if (!pfc__mpi_text_sound(o.place, sizeof o.place)) return pfc__damaged(image, part->at, "MPI order");
    mpi->order.taken = o.taken;
    mpi->order.overtaken = o.overtaken;
    mpi->order.undecided = o.undecided;
    mpi->order.most = (double)o.most;
    mpi->order.rank = o.rank;
    mpi->order.by = o.by;
    mpi->order.holds = o.holds != 0;
    mpi->order.held = o.held;
    mpi->order.held_ns = (double)o.held_ns;
    mpi->order.place = (const char *)image->bytes + part->at + offsetof(pfc__mpi_order_t, place);
    return 1;
}

/* Which of the layer's extents it is; 0: none of those that we read. */
static PFC__QUIET pfc__u32 pfc__mpi_kind(const pfc__part_t *part)
{
    return part->kind == PFC__MPI && part->owner >= PFC__MPI_JOB && part->owner <= PFC__MPI_ORDER ? part->owner : 0;
}

/* Whether their elements are large enough; and how many there are of each kind. */
static PFC__QUIET int pfc__mpi_count(pfc__image_t *image, pfc__u64 *n)
{
    static const size_t least[] = { 0, PFC__MPI_JOB_LEAST, sizeof(pfc__mpi_site_t), sizeof(pfc__mpi_peer_t),
                                    PFC__MPI_ORDER_LEAST };
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc__u32 kind = pfc__mpi_kind(part);
        if (!kind) continue;
        if (part->elem_bytes < least[kind]) return pfc__damaged(image, part->begin, "size of an MPI extent's elements");
        n[kind] += part->count;
    }
    return 1;
}

static PFC__QUIET void pfc__mpi_free(pfc_mpi_t *mpi)
{
    if (!mpi) return;
    free(mpi->place);
    free(mpi->kind);
    free(mpi->peer);
    free(mpi);
}

static PFC__QUIET int pfc__mpi_read_parts(pfc__image_t *image, pfc_mpi_t *mpi)
{
    size_t k;
    for (k = 0; k < image->parts; k++) {
        const pfc__part_t *part = &image->part[k];
        pfc__u32 kind = pfc__mpi_kind(part);
        if (kind == PFC__MPI_JOB && !pfc__mpi_read_job(image, part, mpi)) return 0;
        if (kind == PFC__MPI_SITES && !pfc__mpi_read_sites(image, part, mpi)) return 0;
        if (kind == PFC__MPI_PEERS && !pfc__mpi_read_peers(image, part, mpi)) return 0;
        if (kind == PFC__MPI_ORDER && !pfc__mpi_read_order(image, part, mpi)) return 0;
    }
    return 1;
}

/* NULL in *result: nothing was recorded. 0: refused. */
static PFC__QUIET int pfc__mpi_read(pfc__image_t *image, pfc_mpi_t **result)
{
    pfc__u64 n[PFC__MPI_ORDER + 1] = { 0 };
    pfc_mpi_t *mpi;
    size_t i;
    if (!pfc__mpi_count(image, n)) return 0;
    if (!n[PFC__MPI_JOB]) return 1;
    mpi = *result = (pfc_mpi_t *)pfc__room(image, 1, sizeof *mpi);
    if (!mpi) return 0;
    mpi->library = mpi->total.name = mpi->total.place = mpi->order.place = "";
    mpi->place = (pfc_mpi_calls_t *)pfc__room(image, n[PFC__MPI_SITES], sizeof *mpi->place);
    mpi->kind = (pfc_mpi_calls_t *)pfc__room(image, n[PFC__MPI_SITES], sizeof *mpi->kind);
    mpi->peer = (pfc_mpi_peer_t *)pfc__room(image, n[PFC__MPI_PEERS], sizeof *mpi->peer);
    if (!mpi->place || !mpi->kind || !mpi->peer || !pfc__mpi_read_parts(image, mpi)) return 0;
    for (i = 0; i < mpi->places; i++) {
        mpi->kind[i] = mpi->place[i];
        pfc__mpi_add(&mpi->total, &mpi->place[i]);
    }
    mpi->kinds = pfc__mpi_fold(mpi->kind, mpi->places);
    if (mpi->peers) qsort(mpi->peer, mpi->peers, sizeof *mpi->peer, pfc__mpi_compare_peers);
    return 1;
}
