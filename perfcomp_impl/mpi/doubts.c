/* ----------------------------------------------------- doubts (MPI, impl) ---
   How far waits are uncertain belongs to the calls that waited, and to the
   regions around them. It isn't handed on to the whole run: what is left of it
   at the end is known (met_change), and is much less than the sum, as a wait's
   doubt replaces another one. For the same reason an entry of any region is off
   by no more than Δ is at its begin and at its end. */

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

/* `doubt`: of what lies inside of the path; `most`: the largest that Δ had. A thread's root has met_change instead. */
static PFC__QUIET double pfc__mpi_doubt_within(const pfc_profile_t *p, const pfc_path_info_t *path, double doubt, double most)
{
    if (path->parent == PFC_NONE) return 0;
    return pfc__mpi_is_call(p, path) ? doubt : fmin(doubt, 2 * most * (double)path->stats.count);
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
