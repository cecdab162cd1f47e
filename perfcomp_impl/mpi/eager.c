/* ------------------------------------------------- eager limit (MPI impl) ---
   Up to how many bytes a message doesn't wait for its receiver, and whether
   longer ones wait for it to be in the library: found out at Init between ranks
   0 and 1, by messages that nobody receives yet. */

#define PFC__UNLIMITED ((pfc__i64)1 << 60)
enum { PFC__DATA_TAG = 2, PFC__GO_TAG = 3, PFC__EAGER_MOST = 1 << 22, PFC__EAGER_PATIENCE = 20000,
       PFC__EAGER_ABSENCE = 100000, PFC__EAGER_TRIES = 4 };

/* One message whose sender looks whether it completes alone; to the partner. */
typedef struct pfc__probe {
    int bytes; /* -1: no more of them */
    int away;  /* its receiver isn't even in the library; PFC__HAS_POSTED: but its receive is under way; PFC__WAITS: it is, and its sender isn't */
    int look;  /* 1: it isn't to be received yet, only to be looked at */
    int again; /* 1: it is a persistent request's */
} pfc__probe_t;

enum { PFC__HAS_POSTED = 2, PFC__WAITS = 3 };

/* Out of the library, and off the processor, which the other side may need. */
static PFC__QUIET void pfc__stay_away(void)
{
#ifdef PERFCOMP_CHARGE
    pfc__pause(PFC__EAGER_ABSENCE);
#else
    struct timespec absence = { 0, PFC__EAGER_ABSENCE };
    nanosleep(&absence, 0);
#endif
}

static PFC__QUIET int pfc__completes_soon(MPI_Request *request)
{
    int done = 0, tries;
    for (tries = 0; !done && tries < 20; tries++) {
        PMPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done) pfc__pause(PFC__EAGER_PATIENCE / 20);
    }
    return done;
}

/* The partner waits in the library, but maybe for a processor: Open MPI's messages of more than 256 bytes complete when
   it has looked at them. Messages come in order, so it has once it answers a later one. */
static PFC__QUIET int pfc__completes_seen(MPI_Request *request)
{
    static const pfc__probe_t look = { 0, 0, 1, 0 };
    char nothing;
    PMPI_Send(&look, (int)sizeof look, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
    pfc__patient_receive(&nothing, 0, 1, PFC__GO_TAG);
    return pfc__completes_soon(request);
}

static PFC__QUIET void pfc__probe_send(const char *data, const pfc__probe_t *probe, MPI_Request *request)
{
    if (!probe->again) {
        PMPI_Isend(data, probe->bytes, MPI_BYTE, 1, PFC__DATA_TAG, pfc__mpi.comm, request);
        return;
    }
    PMPI_Send_init(data, probe->bytes, MPI_BYTE, 1, PFC__DATA_TAG, pfc__mpi.comm, request);
    PMPI_Start(request);
}

/* Whether a send of so many bytes completes though nobody receives. -1: it did, but the partner may have come back. */
static PFC__QUIET int pfc__completes_alone(char *data, pfc__probe_t probe)
{
    MPI_Request request;
    int done, late;
    pfc__i64 tick;
    if (probe.away) {
        PMPI_Send(&probe, (int)sizeof probe, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
        pfc__patient_receive(data, 0, 1, PFC__GO_TAG);
    }
    tick = pfc__clock();
    pfc__probe_send(data, &probe, &request);
    done = pfc__completes_soon(&request);
    late = probe.away && pfc__since(tick) >= PFC__EAGER_ABSENCE;
    if (!probe.away) {
        if (!done) done = pfc__completes_seen(&request);
        PMPI_Send(&probe, (int)sizeof probe, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm); /* now it receives */
    }
    if (!done) pfc__patient_wait(&request);
    if (probe.again) PMPI_Request_free(&request);
    return done && late ? -1 : done;
}

/* -1: it can't be told. */
static PFC__QUIET int pfc__tried_alone(char *data, pfc__probe_t probe)
{
    int alone = -1, tries;
    for (tries = 0; alone < 0 && tries < PFC__EAGER_TRIES; tries++) alone = pfc__completes_alone(data, probe);
    return alone;
}

/* The longest message that completes alone, below `high`, which doesn't. In doubt it doesn't: then it gets a buffer of ours. */
static PFC__QUIET int pfc__longest_alone(char *data, int high, int away)
{
    int low = 0;
    while (high - low > 1) {
        pfc__probe_t probe = { low + (high - low) / 2, away, 0, 0 };
        if (pfc__tried_alone(data, probe) > 0) low = probe.bytes;
        else high = probe.bytes;
    }
    return low;
}

/* Whether the shortest that waits for its receiver does so though it has posted: in doubt it does, as in most libraries. */
static PFC__QUIET int pfc__awaits_receiver(char *data, int eager)
{
    pfc__probe_t probe = { eager + 1, PFC__HAS_POSTED, 0, 0 };
    return pfc__tried_alone(data, probe) != 1;
}

/* Whether a short persistent send isn't done before its receiver has been in the library, as Open MPI's: MPI_Isend's are. In doubt it
   isn't. */
static PFC__QUIET int pfc__starts_await_receiver(char *data)
{
    pfc__probe_t probe = { PFC__PIGGY, 1, 0, 1 };
    return pfc__tried_alone(data, probe) != 1;
}

/* Whether its receiver waits for its sender to be in the library. */
static PFC__QUIET int pfc__awaits_sender(char *data, int eager)
{
    pfc__probe_t probe = { eager + 1, PFC__WAITS, 0, 0 };
    MPI_Request request;
    int came = 0, tries;
    for (tries = 0; !came && tries < PFC__EAGER_TRIES; tries++) {
        PMPI_Send(&probe, (int)sizeof probe, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
        pfc__patient_receive(data, 0, 1, PFC__GO_TAG);
        PMPI_Isend(data, probe.bytes, MPI_BYTE, 1, PFC__DATA_TAG, pfc__mpi.comm, &request);
        pfc__stay_away();
        pfc__patient_wait(&request);
        pfc__patient_receive(&came, (int)sizeof came, 1, PFC__GO_TAG);
    }
    return !came;
}

static PFC__QUIET void pfc__eager_find(char *data)
{
    static const pfc__probe_t end = { -1, 0, 0, 0 };
    int eager = pfc__longest_alone(data, PFC__EAGER_MOST, 0), alone = pfc__longest_alone(data, eager + 1, 1);
    if (!PFC__ONE_PROGRAM) { /* in virtual time data move by themselves */
        pfc__link.starts = pfc__starts_await_receiver(data);
        pfc__link.awaits = pfc__awaits_receiver(data, eager);
        pfc__link.pushes = pfc__awaits_sender(data, eager);
    }
    PMPI_Send(&end, (int)sizeof end, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
    pfc__link.eager = eager >= PFC__EAGER_MOST - 1 ? PFC__UNLIMITED : eager - PFC__PIGGY;
    pfc__link.alone = alone >= eager ? pfc__link.eager : alone - PFC__PIGGY;
}

/* What the user says that it is, in place of what was measured. */
static PFC__QUIET void pfc__eager_wish(void)
{
    const char *wish = pfc__environment("PERFCOMP_MPI_EAGER");
    char *end;
    pfc__i64 bytes;
    if (!wish || !*wish) return;
    bytes = strtoll(wish, &end, 10);
    if (*end || bytes < 0) pfc__note_setting("PERFCOMP_MPI_EAGER=%s isn't understood: use a number of bytes", wish);
    else pfc__link.eager = pfc__min(bytes, PFC__UNLIMITED); /* room is added to it */
}

/* Whether it comes while its sender stays away. */
static PFC__QUIET int pfc__comes_meanwhile(char *data, int bytes)
{
    MPI_Request request;
    pfc__i64 tick;
    int done = 0;
    PMPI_Irecv(data, bytes, MPI_BYTE, 0, PFC__DATA_TAG, pfc__mpi.comm, &request);
    tick = pfc__clock();
    PMPI_Send(data, 0, MPI_BYTE, 0, PFC__GO_TAG, pfc__mpi.comm);
    while (pfc__since(tick) < PFC__EAGER_ABSENCE) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) return pfc__since(tick) < PFC__EAGER_ABSENCE;
    }
    pfc__patient_wait(&request);
    return 0;
}

static PFC__QUIET void pfc__eager_partner(char *data)
{
    pfc__probe_t probe;
    MPI_Request request;
    for (;;) {
        pfc__patient_receive(&probe, (int)sizeof probe, 0, PFC__GO_TAG);
        if (probe.bytes < 0) return;
        if (probe.away == PFC__WAITS) {
            int came = pfc__comes_meanwhile(data, probe.bytes);
            PMPI_Send(&came, (int)sizeof came, MPI_BYTE, 0, PFC__GO_TAG, pfc__mpi.comm);
            continue;
        }
        if (probe.away == PFC__HAS_POSTED) PMPI_Irecv(data, probe.bytes, MPI_BYTE, 0, PFC__DATA_TAG, pfc__mpi.comm, &request);
        if (probe.away || probe.look) PMPI_Send(data, 0, MPI_BYTE, 0, PFC__GO_TAG, pfc__mpi.comm);
        if (probe.look) continue;
        if (probe.away) pfc__stay_away();
        if (probe.away == PFC__HAS_POSTED) pfc__patient_wait(&request);
        else pfc__patient_receive(data, probe.bytes, 0, PFC__DATA_TAG);
    }
}
