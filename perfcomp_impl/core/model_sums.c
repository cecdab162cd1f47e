/* -------------------------------------------------- model, sums (impl) ---
   What paths took, summed over subtrees, regions and threads. */

static PFC__QUIET void pfc__stats_add(pfc_stats_t *sum, const pfc_stats_t *part)
{
    sum->count += part->count;
    sum->open += part->open;
    sum->untimed += part->untimed;
    sum->hits += part->hits;
    pfc_time_add(&sum->inclusive, &part->inclusive);
    pfc_time_add(&sum->exclusive, &part->exclusive);
    if (part->longest < part->shortest) return;
    if (sum->longest < sum->shortest) sum->shortest = part->shortest, sum->longest = part->longest;
    if (part->shortest < sum->shortest) sum->shortest = part->shortest;
    if (part->longest > sum->longest) sum->longest = part->longest;
}

/* What was moved from a parent to its child is uncertain in both, but not in their sum. */
static PFC__QUIET void pfc__build_sums(pfc__build_t *b)
{
    pfc_profile_t *p = b->p;
    pfc_time_t zero;
    size_t i;
    pfc__u32 t;
    memset(&zero, 0, sizeof zero);
    for (i = 0; i < p->regions; i++) p->region[i].stats.longest = -1;
    for (i = p->paths; i-- > 0;) {
        pfc_path_info_t *path = &p->path[i], *up = path->parent == PFC_NONE ? 0 : &p->path[path->parent];
        pfc_time_t *inclusive = &path->stats.inclusive;
        pfc_time_add(inclusive, &path->stats.exclusive);
        inclusive->error[PFC_ERROR_WAIT] = pfc__mpi_doubt_within(p, path, inclusive, pfc__fraction(b->thread[path->thread].met_most) * b->ns);
        if (up) pfc_time_add(&up->stats.inclusive, inclusive);
        path->stats.exclusive.variance += b->untimed[i].variance + b->untimed[i].taken_variance;
    }
    pfc__build_sleep(b);
    for (i = 0; i < p->paths; i++) {
        pfc_path_info_t *path = &p->path[i];
        path->stats.inclusive.variance = b->untimed[i].within_variance;
        pfc_time_add(&path->stats.inclusive, &zero);
        pfc_time_add(&path->stats.exclusive, &zero);
        pfc__stats_add(&p->region[path->region].stats, &path->stats);
    }
    for (t = 0; t < p->threads; t++) {
        p->thread[t].total = p->path[p->thread[t].root].stats.inclusive;
        pfc_time_add(&p->sum, &p->thread[t].total);
        if (p->compensated) p->delay_in += pfc__fraction(b->thread[t].met_gain) * b->ns;
    }
    if (p->threads) p->total = p->thread[0].total;
}
