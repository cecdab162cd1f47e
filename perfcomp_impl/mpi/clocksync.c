/* -------------------------------------------------- clock sync (MPI impl) ---
   The common clock is rank 0's. A binomial tree hands it down: in ⌈log2 p⌉
   rounds each rank learns it from one that has it already. A rank whose reading
   always lies between its parent's readings before and after, on the same host,
   reads the same clock. Otherwise offset and drift are fitted by least squares
   to the ping-pongs with the smallest round trips (Hunold's HCA3); half of such
   a round trip, and what the fit leaves over, bound the error. A few ms at Init
   don't tell the drift of hours: clocks that were fitted are compared again, in
   collectives that all ranks come to anyway, after a second, then after twice
   as long as before, and at Finalize. */

enum {
    PFC__SYNC_TAG = 1,
    PFC__PINGS = 10, PFC__PINGS_LEAST = 3, PFC__PINGS_NS = 10000000,
    PFC__WINDOWS = 24, PFC__WINDOW_PINGS = 8, PFC__WINDOW_NS = 200000,
    PFC__SYNC_FIRST_NS = 1000000000
};

static struct {
    int fits;             /* this rank's clock is not its parent's */
    pfc__i64 tick, ns, u; /* of the first comparison with it */
    pfc__i64 next, pause; /* common ns: when all ranks compare again; 0: never */
} pfc__sync;

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

/* So many series of them. */
static PFC__QUIET void pfc__pings_answer(int child, int series)
{
    pfc__pong_t pong;
    int last;
    while (series > 0) {
        pfc__patient_receive(&last, (int)sizeof last, child, PFC__SYNC_TAG);
        series -= last;
        pong.tick = pfc__clock();
        pong.ns = pfc__common_ns(pong.tick);
        PMPI_Send(&pong, (int)sizeof pong, MPI_BYTE, child, PFC__SYNC_TAG, pfc__mpi.comm);
    }
}

/* Of `pings` the one with the smallest round trip; 0 if a reading ever lay outside of ours. Ranks that share a core
   answer when they are given it: a few must do then. */
static PFC__QUIET int pfc__pings_send(int parent, int pings, pfc__pong_t *best, pfc__i64 *before, pfc__i64 *after)
{
    pfc__pong_t pong;
    pfc__i64 first = pfc__clock(), sent, received;
    int i, same = 1, last = 0;
    *before = 0;
    *after = INT64_MAX;
    for (i = 1; !last; i++) {
        last = i == pings || (i >= PFC__PINGS_LEAST && pfc__since(first) > PFC__PINGS_NS);
        sent = pfc__clock();
        PMPI_Send(&last, (int)sizeof last, MPI_BYTE, parent, PFC__SYNC_TAG, pfc__mpi.comm);
        pfc__patient_receive(&pong, (int)sizeof pong, parent, PFC__SYNC_TAG);
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

/* A straight line through the first comparison and one of now; `map`: the
   parent's. Where the round trips took so long that we know better, it stays ours. */
static PFC__QUIET void pfc__clock_refit(int parent, pfc__clock_map_t *map)
{
    pfc__clock_card_t own;
    pfc__pong_t pong = { 0, 0 };
    pfc__i64 before, after, half, since;
    pfc__pings_send(parent, PFC__PINGS, &pong, &before, &after);
    half = pfc__round((double)(after - before) / 2 * pfc__mpi.ns_per_tick);
    since = pong.ns - pfc__sync.ns;
    if (map->u + half > pfc__clock_bound(pong.ns)) {
        pfc__clock_card_fill(&own);
        *map = own.map;
        return;
    }
    map->tick0 = before + (after - before) / 2;
    map->ns0 = pong.ns;
    map->ns_per_tick = (double)since / (double)(map->tick0 - pfc__sync.tick);
    map->u += half;
    map->u_rate += 2 * (double)(half + pfc__sync.u) / (double)since;
}

static PFC__QUIET void pfc__clock_hand_down(int child, int again)
{
    pfc__clock_card_t card;
    int fits;
    pfc__clock_card_fill(&card);
    PMPI_Send(&card, (int)sizeof card, MPI_BYTE, child, PFC__SYNC_TAG, pfc__mpi.comm);
    if (!again) pfc__pings_answer(child, 1);
    pfc__patient_receive(&fits, (int)sizeof fits, child, PFC__SYNC_TAG);
    if (fits) pfc__pings_answer(child, again ? 1 : PFC__WINDOWS);
}

static PFC__QUIET int pfc__clock_is_another(int parent, const pfc__clock_card_t *theirs)
{
    pfc__clock_card_t own;
    pfc__pong_t pong;
    pfc__i64 before, after;
    int another = !pfc__pings_send(parent, PFC__PINGS, &pong, &before, &after);
    pfc__clock_card_fill(&own);
    another |= !PFC__ONE_PROGRAM && theirs->host != own.host;
    return another || theirs->cycles != own.cycles;
}

static PFC__QUIET void pfc__clock_learn(int parent, int again)
{
    pfc__clock_card_t card;
    pfc__patient_receive(&card, (int)sizeof card, parent, PFC__SYNC_TAG);
    if (!again) pfc__sync.fits = pfc__clock_is_another(parent, &card);
    PMPI_Send(&pfc__sync.fits, (int)sizeof pfc__sync.fits, MPI_BYTE, parent, PFC__SYNC_TAG, pfc__mpi.comm);
    if (pfc__sync.fits && again) pfc__clock_refit(parent, &card.map);
    else if (pfc__sync.fits) pfc__clock_fit(parent, &card.map);
    pfc__common_rate(card.map.ns_per_tick);
    pfc__mpi.clock_u_rate = card.map.u_rate;
    pfc__mpi.tick0 = card.map.tick0;
    pfc__mpi.ns0 = card.map.ns0;
    pfc__mpi.clock_u = card.map.u;
}

static PFC__QUIET void pfc__clock_pass_on(int again)
{
    int step = 1;
    while (step < pfc__mpi.size) step *= 2;
    for (step /= 2; step >= 1; step /= 2) {
        if (pfc__mpi.rank % (2 * step) == step) pfc__clock_learn(pfc__mpi.rank - step, again);
        else if (pfc__mpi.rank % (2 * step) == 0 && pfc__mpi.rank + step < pfc__mpi.size)
            pfc__clock_hand_down(pfc__mpi.rank + step, again);
    }
}

/* At Init. */
static PFC__QUIET void pfc__clock_common(void)
{
    int several;
    pfc__clock_measure_rate();
    pfc__mpi.tick0 = pfc__clock();
    pfc__mpi.ns0 = pfc__ns_of_tick(pfc__mpi.tick0);
    pfc__common_rate(1 / pfc__ticks_per_ns());
    pfc__mpi.clock_u = 0;
    pfc__mpi.clock_u_rate = 0;
    pfc__clock_pass_on(0);
    pfc__sync.tick = pfc__mpi.tick0;
    pfc__sync.ns = pfc__mpi.ns0;
    pfc__sync.u = pfc__mpi.clock_u;
    several = pfc__patient_max(pfc__sync.fits) > 0;
    if (!several || pfc__mpi.threads) return; /* other threads read the clock meanwhile */
    pfc__sync.pause = PFC__SYNC_FIRST_NS;
    pfc__sync.next = pfc__mpi.ns0 + pfc__sync.pause;
    pfc__patient_bcast(&pfc__sync.next, (int)sizeof pfc__sync.next);
}

/* In a collective of all ranks; `ct`: when its last rank came, on each of them the same. */
static PFC__QUIET void pfc__clock_again(pfc__i64 ct)
{
    if (!pfc__sync.pause || ct < pfc__sync.next) return;
    pfc__sync.pause *= 2;
    pfc__sync.next = ct + pfc__sync.pause;
    pfc__clock_pass_on(1);
}

/* At Finalize: how far the clock had strayed, and how far it might have. */
static PFC__QUIET void pfc__clock_end(pfc__mpi_job_t *job)
{
    pfc__i64 tick = pfc__clock(), before = pfc__common_ns(tick);
    if (!pfc__sync.pause) return;
    job->clock_u = pfc__clock_bound(before);
    pfc__clock_pass_on(1);
    job->clock_strayed = before - pfc__common_ns(tick);
}
