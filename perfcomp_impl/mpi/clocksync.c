/* -------------------------------------------------- clock sync (MPI impl) ---
   The common clock is rank 0's. A binomial tree hands it down: in ⌈log2 p⌉
   rounds each rank learns it from one that has it already. A rank whose reading
   always lies between its parent's readings before and after, on the same host,
   reads the same clock. Otherwise offset and drift are fitted by least squares
   to the ping-pongs with the smallest round trips (Hunold's HCA3); half of such
   a round trip, and what the fit leaves over, bound the error. */

enum { PFC__PINGS = 10, PFC__WINDOWS = 24, PFC__WINDOW_PINGS = 8, PFC__WINDOW_NS = 200000, PFC__SYNC_TAG = 1 };

typedef struct pfc__clock_map { double ns_per_tick, u_rate; pfc__i64 tick0, ns0, u; } pfc__clock_map_t;
typedef struct pfc__pong { pfc__i64 tick, ns; } pfc__pong_t;
typedef struct pfc__clock_card { pfc__u64 host; pfc__i64 cycles; pfc__clock_map_t map; } pfc__clock_card_t;

static PFC__QUIET pfc__u64 pfc__host_hash(void)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int n = 0, i;
    pfc__u64 hash = 14695981039346656037u;
    PMPI_Get_processor_name(name, &n);
    for (i = 0; i < n; i++) hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    return hash;
}

static PFC__QUIET void pfc__pings_answer(int child, int pings)
{
    pfc__pong_t pong;
    int i, ping;
    for (i = 0; i < pings; i++) {
        PMPI_Recv(&ping, 1, MPI_INT, child, PFC__SYNC_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
        pong.tick = pfc__clock();
        pong.ns = pfc__common_ns(pong.tick);
        PMPI_Send(&pong, (int)sizeof pong, MPI_BYTE, child, PFC__SYNC_TAG, pfc__mpi.comm);
    }
}

/* Of `pings` the one with the smallest round trip; 0 if a reading ever lay outside of ours. */
static PFC__QUIET int pfc__pings_send(int parent, int pings, pfc__pong_t *best, pfc__i64 *before, pfc__i64 *after)
{
    pfc__pong_t pong;
    int i, same = 1;
    *before = 0;
    *after = INT64_MAX;
    for (i = 0; i < pings; i++) {
        pfc__i64 sent = pfc__clock(), received;
        PMPI_Send(&i, 1, MPI_INT, parent, PFC__SYNC_TAG, pfc__mpi.comm);
        PMPI_Recv(&pong, (int)sizeof pong, MPI_BYTE, parent, PFC__SYNC_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
        received = pfc__clock();
        if (pong.tick < sent || pong.tick > received) same = 0;
        if (received - sent >= *after - *before) continue;
        *before = sent;
        *after = received;
        *best = pong;
    }
    return same;
}

/* offset(t) = a + b·t over the windows' best ping-pongs, t in ns of one's own clock since `tick0`. */
static PFC__QUIET void pfc__clock_fit(int parent, pfc__clock_map_t *map)
{
    double t[PFC__WINDOWS], offset[PFC__WINDOWS], half, widest = 0, mean_t = 0, mean_o = 0, tt = 0, to = 0, slope, left = 0;
    double own = 1 / pfc__ticks_per_ns();
    pfc__i64 tick0 = pfc__clock(), first = 0;
    int i;
    for (i = 0; i < PFC__WINDOWS; i++) {
        pfc__pong_t pong = { 0, 0 };
        pfc__i64 before, after;
        pfc__pings_send(parent, PFC__WINDOW_PINGS, &pong, &before, &after);
        if (!i) first = pong.ns;
        half = (double)(after - before) / 2 * own;
        t[i] = ((double)(before - tick0) + (double)(after - before) / 2) * own;
        offset[i] = (double)(pong.ns - first) - t[i];
        if (half > widest) widest = half;
        mean_t += t[i] / (double)PFC__WINDOWS;
        mean_o += offset[i] / (double)PFC__WINDOWS;
        pfc__pause(PFC__WINDOW_NS);
    }
    for (i = 0; i < PFC__WINDOWS; i++) {
        tt += (t[i] - mean_t) * (t[i] - mean_t);
        to += (t[i] - mean_t) * (offset[i] - mean_o);
    }
    slope = tt > 0 ? to / tt : 0;
    for (i = 0; i < PFC__WINDOWS; i++) {
        double rest = offset[i] - mean_o - slope * (t[i] - mean_t);
        if (fabs(rest) > left) left = fabs(rest);
    }
    map->tick0 = tick0;
    map->ns_per_tick = own * (1 + slope);
    map->ns0 = first + pfc__round(mean_o - slope * mean_t);
    map->u += pfc__round(widest + left);
    map->u_rate += 2 * (widest + left) / (t[PFC__WINDOWS - 1] - t[0] + 1);
}

static PFC__QUIET void pfc__clock_card_fill(pfc__clock_card_t *card)
{
    memset(card, 0, sizeof *card);
    card->host = pfc__host_hash();
    card->cycles = pfc__clock_is_cycles;
    card->map.ns_per_tick = pfc__mpi.ns_per_tick;
    card->map.u_rate = pfc__mpi.clock_u_rate;
    card->map.tick0 = pfc__mpi.tick0;
    card->map.ns0 = pfc__mpi.ns0;
    card->map.u = pfc__mpi.clock_u;
}

static PFC__QUIET void pfc__clock_hand_down(int child)
{
    pfc__clock_card_t card;
    int fits;
    pfc__clock_card_fill(&card);
    PMPI_Send(&card, (int)sizeof card, MPI_BYTE, child, PFC__SYNC_TAG, pfc__mpi.comm);
    pfc__pings_answer(child, PFC__PINGS);
    PMPI_Recv(&fits, 1, MPI_INT, child, PFC__SYNC_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
    if (fits) pfc__pings_answer(child, PFC__WINDOWS * PFC__WINDOW_PINGS);
}

static PFC__QUIET void pfc__clock_learn(int parent)
{
    pfc__clock_card_t card, own;
    pfc__pong_t pong;
    pfc__i64 before, after;
    int fits;
    pfc__clock_card_fill(&own);
    PMPI_Recv(&card, (int)sizeof card, MPI_BYTE, parent, PFC__SYNC_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
    fits = !pfc__pings_send(parent, PFC__PINGS, &pong, &before, &after);
#ifndef PERFCOMP_SMPI /* hosts are simulated, the clock is one */
    fits |= card.host != own.host;
#endif
    fits |= card.cycles != own.cycles;
    PMPI_Send(&fits, 1, MPI_INT, parent, PFC__SYNC_TAG, pfc__mpi.comm);
    if (fits) pfc__clock_fit(parent, &card.map);
    pfc__mpi.ns_per_tick = card.map.ns_per_tick;
    pfc__mpi.clock_u_rate = card.map.u_rate;
    pfc__mpi.tick0 = card.map.tick0;
    pfc__mpi.ns0 = card.map.ns0;
    pfc__mpi.clock_u = card.map.u;
}

static PFC__QUIET void pfc__clock_common(void)
{
    int step = 1;
    while (step < pfc__mpi.size) step *= 2;
    pfc__mpi.tick0 = pfc__clock();
    pfc__mpi.ns0 = pfc__ns_of_tick(pfc__mpi.tick0);
    pfc__mpi.ns_per_tick = 1 / pfc__ticks_per_ns();
    pfc__mpi.clock_u = 0;
    pfc__mpi.clock_u_rate = 0;
    for (step /= 2; step >= 1; step /= 2) {
        if (pfc__mpi.rank % (2 * step) == step) pfc__clock_learn(pfc__mpi.rank - step);
        else if (pfc__mpi.rank % (2 * step) == 0 && pfc__mpi.rank + step < pfc__mpi.size) pfc__clock_hand_down(pfc__mpi.rank + step);
    }
}
