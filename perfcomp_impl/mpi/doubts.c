/* ----------------------------------------------------- doubts (MPI, impl) ---
   How far waits are uncertain belongs to the calls that waited, and to the
   regions around them. It isn't handed on to the whole run: what is left of it
   at the end is known (met_change), and is much less than the sum, as a wait's
   doubt replaces another one. For the same reason an entry of any region is off
   by no more than Δ is: what is doubtful at its begin mostly still is at its end. */

/* The uncertainty of the waits in all calls of a region's name, ns. */
static PFC__QUIET double pfc__mpi_doubt_of(const pfc_mpi_t *mpi, const pfc_region_info_t *region)
{
    pfc_mpi_calls_t key;
    const pfc_mpi_calls_t *kind;
    memset(&key, 0, sizeof key);
    key.name = region->name;
    kind = mpi->kinds ? (const pfc_mpi_calls_t *)bsearch(&key, mpi->kind, mpi->kinds, sizeof key, pfc__mpi_compare_names) : 0;
    return kind ? kind->wait_u : 0;
}

static PFC__QUIET int pfc__mpi_is_call(const pfc_profile_t *p, const pfc_path_info_t *path)
{
    return p->region[path->region].kind == PFC__MPI_CALL && path->stats.exclusive.ct > 0;
}

/* `share` has room for all regions: what one ns in their calls is off by. Paths wait in proportion to their time. */
static PFC__QUIET void pfc__mpi_doubts_share(pfc_profile_t *p, double *share)
{
    size_t i;
    for (i = 0; i < p->paths; i++)
        if (pfc__mpi_is_call(p, &p->path[i])) share[p->path[i].region] += p->path[i].stats.exclusive.ct;
    for (i = 0; i < p->regions; i++)
        if (share[i] > 0) share[i] = pfc__mpi_doubt_of(p->mpi, &p->region[i]) / share[i];
    for (i = 0; i < p->paths; i++)
        if (pfc__mpi_is_call(p, &p->path[i]))
            p->path[i].stats.exclusive.error[PFC_ERROR_WAIT] += share[p->path[i].region] * p->path[i].stats.exclusive.ct;
}

/* `inclusive`: all that lies inside of the path, and may be off by `most` each time. A thread's root has met_change instead. */
static PFC__QUIET double pfc__mpi_doubt_within(const pfc_profile_t *p, const pfc_path_info_t *path, const pfc_time_t *inclusive, double most)
{
    double doubt = inclusive->error[PFC_ERROR_WAIT], left = most * (double)path->stats.count;
    int i;
    if (path->parent == PFC_NONE) return 0;
    if (pfc__mpi_is_call(p, path)) return doubt;
    for (i = 0; i < PFC_ERROR_WAIT; i++) left -= fabs(inclusive->error[i]); /* of Δ, waits hand on what probes have made */
    return fmin(doubt, fmax(left, 0));
}

/* Before the sums are made. */
static PFC__QUIET int pfc__mpi_doubts(pfc__image_t *image, pfc_profile_t *p)
{
    double *share;
    if (!p->mpi || !p->compensated) return 1;
    share = (double *)pfc__room(image, p->regions, sizeof *share);
    if (!share) return 0;
    pfc__mpi_doubts_share(p, share);
    free(share);
    return 1;
}
