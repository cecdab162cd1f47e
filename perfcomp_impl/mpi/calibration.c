/* ------------------------------------------------- calibration (MPI impl) ---
   At Init, between ranks 0 and 1, in a few ms: travelling times, costs of calls,
   and what piggybacks make of them. */

enum { PFC__TRIES_LONG = 3, PFC__LONG = 1 << 21, PFC__COST_PAUSE = 100000, PFC__CALIBRATION_NS = 50000000 };

/* Fewer of what takes long, and where each exchange costs a scheduler's time slice, because ranks share a core. */
static PFC__QUIET int pfc__tries(pfc__i64 begun_ns, pfc__i64 bytes)
{
#ifdef PERFCOMP_CHARGE
    return (void)begun_ns, (void)bytes, 2; /* virtual time has no noise */
#else
    return begun_ns >= PFC__CALIBRATION_NS ? 1 : bytes < PFC__LONG ? PFC__TRIES : PFC__TRIES_LONG;
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

/* What is sent to and fro. */
typedef struct pfc__load { void *data; int count; MPI_Datatype type; pfc__span_t *span; } pfc__load_t;

static PFC__QUIET pfc__load_t pfc__load_of(void *data, pfc__i64 bytes)
{
    pfc__load_t load = { data, (int)bytes, MPI_BYTE, 0 };
    return load;
}

/* With a piggyback, as the user's messages have it: in one buffer with short data, otherwise by a span. */
static PFC__QUIET pfc__load_t pfc__load_carrying(char *data, pfc__i64 bytes)
{
    pfc__load_t load = pfc__load_of(data, bytes + PFC__PIGGY);
    if (bytes <= pfc__link.copied || !(load.span = pfc__span_take(data, bytes, MPI_BYTE))) return load;
    load.data = &load.span->piggy;
    load.count = 1;
    load.type = load.span->type;
    return load;
}

static PFC__QUIET void pfc__load_drop(pfc__load_t load)
{
    if (load.span) pfc__span_give(load.span);
}

/* As a program does; but where there is time for one try only, ranks may share a processor. */
static PFC__QUIET void pfc__measured_receive(pfc__load_t load, int from, int tag, int tries)
{
    MPI_Request request;
    if (tries > 1) PMPI_Recv(load.data, load.count, load.type, from, tag, pfc__mpi.comm, MPI_STATUS_IGNORE);
    else PMPI_Irecv(load.data, load.count, load.type, from, tag, pfc__mpi.comm, &request), pfc__patient_wait(&request);
}

static PFC__QUIET void pfc__measured_send(pfc__load_t load, int to, int tries)
{
    MPI_Request request;
    if (tries > 1) PMPI_Send(load.data, load.count, load.type, to, PFC__DATA_TAG, pfc__mpi.comm);
    else PMPI_Isend(load.data, load.count, load.type, to, PFC__DATA_TAG, pfc__mpi.comm, &request), pfc__patient_wait(&request);
}

static PFC__QUIET pfc__i64 pfc__trip(pfc__load_t load, int tries)
{
    pfc__i64 tick = pfc__clock();
    pfc__measured_send(load, 1, tries);
    pfc__measured_receive(load, 1, PFC__DATA_TAG, tries);
    return pfc__since(tick) / 2;
}

/* As long ones to and fro at the same time, as when neighbours exchange what they have. */
static PFC__QUIET pfc__i64 pfc__swap(pfc__load_t out, pfc__load_t in, int other)
{
    MPI_Request request[2];
    MPI_Status status[2];
    pfc__i64 tick = pfc__clock();
    PMPI_Irecv(in.data, in.count, in.type, other, PFC__DATA_TAG, pfc__mpi.comm, &request[0]);
    PMPI_Isend(out.data, out.count, out.type, other, PFC__DATA_TAG, pfc__mpi.comm, &request[1]);
    PMPI_Waitall(2, request, status);
    return pfc__since(tick);
}

/* Where a piggyback makes less of a difference than one trip does to the next, none is known of. So few bytes don't take
   a quarter of the time. */
static PFC__QUIET pfc__transfer_t pfc__copies_compare(pfc__i64 *bare, pfc__i64 *with, int tries)
{
    pfc__transfer_t more = { 0, 0 };
    pfc__i64 without, u, least, least_u;
    pfc__least(bare, tries, &without, &u);
    pfc__least(with, tries, &least, &least_u);
    if (tries < 2 || least - without <= 2 * (u + least_u) || 4 * (least - without) > least) return more;
    more.ns = least - without;
    more.u = u + least_u;
    return more;
}

/* For a span the library may take another way than for plain bytes, from process to process by two copies instead of
   one, say: that makes long messages slower, or quicker. The median of tries that took turns; where there was time for
   one only, as much for each byte as with the size before. */
static PFC__QUIET pfc__transfer_t pfc__spans_compare(const pfc__curve_t *curve, int at, const pfc__i64 *bare, const pfc__i64 *with,
                                                     int tries)
{
    double share = (double)pfc__link.size[at] / (double)pfc__link.size[at - 1];
    pfc__i64 more[PFC__TRIES], least, u;
    pfc__transfer_t t;
    int i;
    for (i = 0; i < tries; i++) more[i] = with[i] - bare[i];
    pfc__least(more, tries, &least, &u);
    t.ns = tries > 1 ? more[tries / 2] : pfc__round(share * (double)curve->ns[at - 1]);
    t.u = tries > 1 ? (more[tries - 1 - tries / 4] - more[tries / 4]) / 2 : pfc__round(share * (double)curve->u[at - 1]);
    return t;
}

static PFC__QUIET void pfc__curve_set(pfc__curve_t *curve, int at, pfc__transfer_t t)
{
    curve->ns[at] = t.ns;
    curve->u[at] = t.u;
}

/* What goes to and fro, of one size. */
typedef struct pfc__loads { pfc__load_t without, carrying, into, into_carrying; } pfc__loads_t;

static PFC__QUIET pfc__loads_t pfc__loads_take(char *data, pfc__i64 bytes)
{
    char *other = data + PFC__EAGER_MOST + PFC__PIGGY;
    pfc__loads_t l;
    l.without = pfc__load_of(data, bytes);
    l.into = pfc__load_of(other, bytes);
    l.carrying = pfc__load_carrying(data, bytes);
    l.into_carrying = pfc__load_carrying(other, bytes);
    return l;
}

static PFC__QUIET void pfc__loads_drop(pfc__loads_t *l)
{
    pfc__load_drop(l->carrying);
    pfc__load_drop(l->into_carrying);
}

/* The first one warms up: the partner has only heard of it, and comes late. */
static PFC__QUIET void pfc__trips(const pfc__loads_t *l, pfc__i64 *bare, pfc__i64 *with, int tries)
{
    int i;
    pfc__trip(l->carrying, tries);
    for (i = 0; i < tries; i++) {
        bare[i] = pfc__trip(l->without, tries);
        with[i] = pfc__trip(l->carrying, tries);
    }
}

static PFC__QUIET void pfc__trips_partner(const pfc__loads_t *l, int tries)
{
    int i;
    for (i = 0; i < 2 * tries + 1; i++) {
        pfc__measured_receive(i % 2 ? l->without : l->carrying, 0, PFC__DATA_TAG, tries);
        pfc__measured_send(i % 2 ? l->without : l->carrying, 0, tries);
    }
}

/* The same on both sides. */
static PFC__QUIET void pfc__swaps(const pfc__loads_t *l, int other, pfc__i64 *bare, pfc__i64 *with, int tries)
{
    int i;
    if (tries < 2) return;
    pfc__swap(l->carrying, l->into_carrying, other);
    for (i = 0; i < tries; i++) {
        bare[i] = pfc__swap(l->without, l->into, other);
        with[i] = pfc__swap(l->carrying, l->into_carrying, other);
    }
}

/* Of messages that don't wait for their receivers one side may be ahead of the other, and nothing be told. */
static PFC__QUIET int pfc__is_swapped(int at) { return pfc__link.size[at] > pfc__max(pfc__link.copied, pfc__link.eager); }

/* One size, rank 0's side: round trips, then, of messages that don't wait for
   their receiver, receives of what has come long ago. */
static PFC__QUIET void pfc__measure(char *data, int at, int tries)
{
    pfc__loads_t l = pfc__loads_take(data, pfc__link.size[at]);
    pfc__i64 bare[PFC__TRIES], with[PFC__TRIES], cost[PFC__TRIES], tick;
    pfc__transfer_t more;
    int i, spans = pfc__link.size[at] > pfc__link.copied;
    PMPI_Send(&tries, (int)sizeof tries, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
    pfc__trips(&l, bare, with, tries);
    more = spans ? pfc__spans_compare(&pfc__link.piggy, at, bare, with, tries) : pfc__copies_compare(bare, with, tries);
    pfc__least(bare, tries, &pfc__link.travel.ns[at], &pfc__link.travel.u[at]);
    pfc__curve_set(&pfc__link.piggy, at, more);
    if (pfc__is_swapped(at)) {
        pfc__swaps(&l, 1, bare, with, tries);
        more = pfc__spans_compare(&pfc__link.both, at, bare, with, tries);
    }
    pfc__curve_set(&pfc__link.both, at, more);
    for (i = 0; i < tries && pfc__link.size[at] <= pfc__link.eager; i++) {
        PMPI_Send(data, 0, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
        pfc__pause(pfc__min(4 * pfc__link.travel.ns[at] + 2000, PFC__COST_PAUSE));
        tick = pfc__clock();
        pfc__measured_receive(l.carrying, 1, PFC__DATA_TAG, tries);
        cost[i] = pfc__since(tick);
    }
    if (i) pfc__least(cost, tries, &pfc__link.cost.ns[at], &pfc__link.cost.u[at]);
    pfc__loads_drop(&l);
}

static PFC__QUIET void pfc__measure_partner(char *data, int at)
{
    pfc__loads_t l = pfc__loads_take(data, pfc__link.size[at]);
    pfc__i64 bare[PFC__TRIES], with[PFC__TRIES];
    int tries, i;
    pfc__patient_receive(&tries, (int)sizeof tries, 0, PFC__GO_TAG);
    pfc__trips_partner(&l, tries);
    if (pfc__is_swapped(at)) pfc__swaps(&l, 0, bare, with, tries);
    for (i = 0; i < tries && pfc__link.size[at] <= pfc__link.eager; i++) {
        pfc__measured_receive(pfc__load_of(data, 0), 0, PFC__GO_TAG, tries);
        PMPI_Send(l.carrying.data, l.carrying.count, l.carrying.type, 0, PFC__DATA_TAG, pfc__mpi.comm);
    }
    pfc__loads_drop(&l);
}

/* A message that waits for its receiver isn't there before the receive begins: its time is all travel. */
static PFC__QUIET void pfc__link_settle(void)
{
    int i;
    for (i = 0; i < PFC__SIZES; i++) {
        if (pfc__link.size[i] <= pfc__link.eager) pfc__link.travel.ns[i] -= pfc__min(pfc__link.cost.ns[i], pfc__link.travel.ns[i] / 2);
        else {
            pfc__link.cost.ns[i] = i ? pfc__link.cost.ns[i - 1] : 0;
            pfc__link.cost.u[i] = i ? pfc__link.cost.u[i - 1] : 0;
        }
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
    char *data = pfc__mpi.rank < 2 && pfc__mpi.size > 1 ? (char *)calloc(2, PFC__EAGER_MOST + PFC__PIGGY) : 0;
    const char *wish = pfc__environment("PERFCOMP_MPI_EAGER");
    pfc__i64 tick = pfc__clock();
    int i;
    pfc__link.eager = pfc__link.alone = PFC__UNLIMITED;
    if (data && pfc__mpi.rank == 0) {
        pfc__eager_find(data);
        if (wish && *wish) pfc__link.eager = strtoll(wish, 0, 10);
    } else if (data) pfc__eager_partner(data);
    pfc__patient_bcast(&pfc__link.eager, (int)sizeof pfc__link.eager);
    pfc__link.copied = pfc__max(PFC__COPY_LEAST, pfc__min(pfc__link.eager, PFC__COPY_MAX));
    pfc__sizes_choose();
    for (i = -1; data && i < PFC__SIZES; i++) { /* the first size twice: to warm up */
        int at = i < 0 ? 0 : i;
        if (pfc__mpi.rank == 0) pfc__measure(data, at, pfc__tries(pfc__since(tick), pfc__link.size[at]));
        else pfc__measure_partner(data, at);
    }
    pfc__spans_drop(MPI_DATATYPE_NULL); /* those over what is freed now */
    if (data && pfc__mpi.rank == 0) pfc__link_settle();
    free(data);
    pfc__patient_bcast(&pfc__link, (int)sizeof pfc__link);
}
