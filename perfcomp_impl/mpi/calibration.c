/* ------------------------------------------------- calibration (MPI impl) ---
   At Init, between ranks 0 and 1, in a few ms: travelling times, costs of calls,
   and what piggybacks make of them. */

enum { PFC__COST_PAUSE = 100000, PFC__CALIBRATION_NS = 50000000 };

/* Fewer where each exchange costs a scheduler's time slice, because ranks share a core. */
static PFC__QUIET int pfc__tries(pfc__i64 begun_ns)
{
#ifdef PERFCOMP_CHARGE
    return (void)begun_ns, 2; /* virtual time has no noise */
#else
    return begun_ns < PFC__CALIBRATION_NS ? PFC__TRIES : 1;
#endif
}

/* Least, and the median's distance from it; sorts. */
static PFC__QUIET void pfc__least(pfc__i64 *value, int n, pfc__i64 *least, pfc__i64 *u)
{
    int i, j;
    for (i = 1; i < n; i++) {
        pfc__i64 v = value[i];
        for (j = i; j > 0 && value[j - 1] > v; j--) value[j] = value[j - 1];
        value[j] = v;
    }
    *least = value[0];
    *u = value[n / 2] - value[0];
}

/* As a program does; but where there is time for one try only, ranks may share a processor. */
static PFC__QUIET void pfc__measured_receive(char *data, int bytes, int from, int tag, int tries)
{
    if (tries > 1) PMPI_Recv(data, bytes, MPI_BYTE, from, tag, pfc__mpi.comm, MPI_STATUS_IGNORE);
    else pfc__patient_receive(data, bytes, from, tag);
}

static PFC__QUIET void pfc__measured_send(char *data, int bytes, int to, int tries)
{
    if (tries > 1) PMPI_Send(data, bytes, MPI_BYTE, to, PFC__DATA_TAG, pfc__mpi.comm);
    else pfc__patient_send(data, bytes, to, PFC__DATA_TAG);
}

static PFC__QUIET pfc__i64 pfc__trip(char *data, int bytes, int tries)
{
    pfc__i64 tick = pfc__clock();
    pfc__measured_send(data, bytes, 1, tries);
    pfc__measured_receive(data, bytes, 1, PFC__DATA_TAG, tries);
    return pfc__since(tick) / 2;
}

/* Where a piggyback makes less of a difference than one trip does to the next, none is known of; so few bytes
   don't take a quarter of the time. */
static PFC__QUIET void pfc__trips_compare(int at, pfc__i64 *bare, pfc__i64 *with, int tries)
{
    pfc__i64 least, u, more;
    pfc__least(bare, tries, &pfc__link.travel.ns[at], &pfc__link.travel.u[at]);
    pfc__least(with, tries, &least, &u);
    more = least - pfc__link.travel.ns[at];
    u += pfc__link.travel.u[at];
    pfc__link.piggy.ns[at] = pfc__link.piggy.u[at] = 0;
    if (tries < 2 || more <= 2 * u || 4 * more > least) return;
    pfc__link.piggy.ns[at] = more;
    pfc__link.piggy.u[at] = u;
}

/* Bytes of a message of that size, as the user's are sent. */
static PFC__QUIET int pfc__carrying(int at)
{
    return (int)pfc__link.size[at] + (pfc__is_bare(pfc__link.size[at]) ? 0 : PFC__PIGGY);
}

/* One size, rank 0's side: round trips, then, of messages that don't wait for
   their receiver, receives of what has come long ago. */
static PFC__QUIET void pfc__measure(char *data, int at, int tries)
{
    int bytes = pfc__carrying(at), i;
    pfc__i64 bare[PFC__TRIES], with[PFC__TRIES], cost[PFC__TRIES], tick;
    PMPI_Send(&tries, (int)sizeof tries, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
    pfc__trip(data, bytes, tries); /* the partner has only heard of it, and comes late to the first one */
    for (i = 0; i < tries; i++) {
        bare[i] = pfc__trip(data, (int)pfc__link.size[at], tries);
        with[i] = bytes > pfc__link.size[at] ? pfc__trip(data, bytes, tries) : bare[i];
    }
    pfc__trips_compare(at, bare, with, tries);
    if (pfc__link.size[at] > pfc__link.eager) return;
    for (i = 0; i < tries; i++) {
        PMPI_Send(data, 0, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
        pfc__pause(pfc__min(4 * pfc__link.travel.ns[at] + 2000, PFC__COST_PAUSE));
        tick = pfc__clock();
        pfc__measured_receive(data, bytes, 1, PFC__DATA_TAG, tries);
        cost[i] = pfc__since(tick);
    }
    pfc__least(cost, tries, &pfc__link.cost.ns[at], &pfc__link.cost.u[at]);
}

static PFC__QUIET void pfc__measure_partner(char *data, int at)
{
    int bytes = pfc__carrying(at), kinds = 1 + (bytes > pfc__link.size[at]), tries, i;
    pfc__patient_receive(&tries, (int)sizeof tries, 0, PFC__GO_TAG);
    for (i = 0; i < kinds * tries + 1; i++) {
        int now = i % 2 ? (int)pfc__link.size[at] : bytes;
        pfc__measured_receive(data, now, 0, PFC__DATA_TAG, tries);
        pfc__measured_send(data, now, 0, tries);
    }
    if (pfc__link.size[at] > pfc__link.eager) return;
    for (i = 0; i < tries; i++) {
        pfc__measured_receive(data, 0, 0, PFC__GO_TAG, tries);
        PMPI_Send(data, bytes, MPI_BYTE, 0, PFC__DATA_TAG, pfc__mpi.comm);
    }
}

/* A call's cost isn't travel. Of a message it may be all in a simulation, but not on a machine. One that waits for its receiver isn't
   there before the receive begins: what the longest of the others costs is taken for it. */
static PFC__QUIET void pfc__link_settle(void)
{
    int i, waits, least = PFC__ONE_PROGRAM ? 1 : 2;
    for (i = 0; i < PFC__SIZES; i++) {
        waits = pfc__link.size[i] > pfc__link.eager;
        if (waits) {
            pfc__link.cost.ns[i] = i ? pfc__link.cost.ns[i - 1] : 0;
            pfc__link.cost.u[i] = i ? pfc__link.cost.u[i - 1] : 0;
        }
        if (PFC__ONE_PROGRAM || !waits) pfc__link.travel.ns[i] -= pfc__min(pfc__link.cost.ns[i], pfc__link.travel.ns[i] / least);
    }
}

/* The sizes to measure; the two sides of the eager limit, where the travelling time jumps, take their places. */
static PFC__QUIET void pfc__sizes_choose(void)
{
    pfc__i64 limit = pfc__min(pfc__max(pfc__link.eager, 1), PFC__EAGER_MOST - 2), v;
    int i, j;
    memcpy(pfc__link.size, pfc__sizes, sizeof pfc__sizes);
    pfc__link.size[PFC__SIZES - 2] = limit;
    pfc__link.size[PFC__SIZES - 1] = limit + 1;
    for (i = PFC__SIZES - 2; i < PFC__SIZES; i++) {
        v = pfc__link.size[i];
        for (j = i; j > 0 && pfc__link.size[j - 1] >= v; j--) pfc__link.size[j] = pfc__link.size[j - 1];
        pfc__link.size[j] = v;
    }
}

static PFC__QUIET void pfc__link_calibrate(void)
{
    char *data = pfc__mpi.rank < 2 && pfc__mpi.size > 1 ? (char *)calloc(1, (size_t)PFC__EAGER_MOST + PFC__PIGGY) : 0;
    pfc__i64 tick = pfc__clock();
    int i;
    pfc__link.eager = pfc__link.alone = PFC__UNLIMITED;
    if (data && pfc__mpi.rank == 0) {
        pfc__eager_find(data);
        pfc__eager_wish();
    } else if (data) pfc__eager_partner(data);
    pfc__patient_bcast(&pfc__link.eager, (int)sizeof pfc__link.eager);
    pfc__link.copied = pfc__max(PFC__COPY_LEAST, pfc__min(pfc__link.eager, PFC__COPY_MAX));
    pfc__sizes_choose();
    for (i = -1; data && i < PFC__SIZES; i++) { /* the first size twice: to warm up */
        if (pfc__mpi.rank == 0) pfc__measure(data, i < 0 ? 0 : i, pfc__tries(pfc__since(tick)));
        else pfc__measure_partner(data, i < 0 ? 0 : i);
    }
    if (data && pfc__mpi.rank == 0) pfc__link_settle();
    free(data);
    pfc__patient_bcast(&pfc__link, (int)sizeof pfc__link);
}
