/* Who waited for whom, call by call. The clock is the system's and leaps: all
   ranks see a leap at once, so that one can be minutes late in no time, and no
   real delay matters beside it. In turn each rank is late by two spans (of five
   minutes) that are charged as overhead, or that its counted hits cost, and one
   span of its own: those that depend on it are then two spans late as well, and
   waited for three spans, undisturbed for one.
   The data are checked, too. Prints "ok".

       attribution FILE FILE      both empty: for the ranks to share, and to write */
#define _GNU_SOURCE 1
#include <mpi.h>

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16 };
static struct shared {
    _Atomic int64_t leaps;
    _Atomic int inside[MOST]; /* of the call that is tested: the turn's number */
} before_main, *shared = &before_main;
static int rank, size, turn, late, by_hits, armed, failures;

static int64_t leaping_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + atomic_load(&shared->leaps);
}

/* The layer enters the library's call; its begin was taken. */
static void entered(void) { if (armed && !--armed) atomic_store(&shared->inside[rank], turn); }

static int question(int error, const int *there);
static void answer_waits(void);
static int writes_alone;

/* The layer takes its address. */
static int entered_ssend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    entered();
    return PMPI_Ssend(buffer, count, type, to, tag, comm);
}

static int entered_send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    entered();
    return PMPI_Send(buffer, count, type, to, tag, comm);
}

#define PMPI_Ssend entered_ssend
#define PMPI_Send entered_send
#define PMPI_Barrier(...) (entered(), PMPI_Barrier(__VA_ARGS__))
#define PMPI_Allreduce(...) (entered(), PMPI_Allreduce(__VA_ARGS__))
#define PMPI_Wait(...) (entered(), PMPI_Wait(__VA_ARGS__))
#define PMPI_Sendrecv(...) (entered(), PMPI_Sendrecv(__VA_ARGS__)) /* a short Allreduce */
#define PMPI_Comm_create_group(...) (entered(), PMPI_Comm_create_group(__VA_ARGS__))
#define PMPI_Intercomm_create(...) (entered(), PMPI_Intercomm_create(__VA_ARGS__))
#define PMPI_File_open(...) (entered(), PMPI_File_open(__VA_ARGS__))
#define PMPI_File_set_size(...) (entered(), PMPI_File_set_size(__VA_ARGS__))
#define PMPI_File_write_at_all(...) (entered(), PMPI_File_write_at_all(__VA_ARGS__))
#define PMPI_File_seek_shared(...) (entered(), PMPI_File_seek_shared(__VA_ARGS__))
#define PMPI_File_iwrite_at_all(...) (writes_alone ? PMPI_File_iwrite_at : PMPI_File_iwrite_at_all)(__VA_ARGS__)
#define PMPI_File_close(...) (entered(), PMPI_File_close(__VA_ARGS__))
#define PMPI_Win_fence(...) (entered(), PMPI_Win_fence(__VA_ARGS__))
#define PMPI_Win_start(...) (entered(), PMPI_Win_start(__VA_ARGS__))
#define PMPI_Win_create(...) (entered(), PMPI_Win_create(__VA_ARGS__))
#define PMPI_Win_wait(...) (entered(), PMPI_Win_wait(__VA_ARGS__))
#define PMPI_Probe(...) (entered(), PMPI_Probe(__VA_ARGS__))
#define PMPI_Win_test(win, there) question(PMPI_Win_test(win, there), there)
#define PMPI_Request_get_status(request, there, status) question(PMPI_Request_get_status(request, there, status), there)
#define PMPI_Parrived(request, part, there) question(PMPI_Parrived(request, part, there), there)
#define PMPI_Win_lock(...) (entered(), PMPI_Win_lock(__VA_ARGS__))
#define PMPI_Win_lock_all(...) (entered(), PMPI_Win_lock_all(__VA_ARGS__))
#define PMPI_Win_flush(...) (answer_waits(), PMPI_Win_flush(__VA_ARGS__))
#define PMPI_Win_flush_all(...) (answer_waits(), PMPI_Win_flush_all(__VA_ARGS__))
#define PMPI_Win_free(...) (entered(), PMPI_Win_free(__VA_ARGS__))
#define PMPI_Scatterv(...) (entered(), PMPI_Scatterv(__VA_ARGS__))
#define PMPI_Gather(...) (entered(), PMPI_Gather(__VA_ARGS__))
#define PMPI_Scan(...) (entered(), PMPI_Scan(__VA_ARGS__))
#define PMPI_Exscan(...) (entered(), PMPI_Exscan(__VA_ARGS__))
#define PMPI_Allreduce_c(...) (entered(), PMPI_Allreduce_c(__VA_ARGS__))
#define PMPI_Reduce_c(...) (entered(), PMPI_Reduce_c(__VA_ARGS__))
#define PMPI_Neighbor_allgather_c(...) (entered(), PMPI_Neighbor_allgather_c(__VA_ARGS__))
#define PMPI_Win_create_c(...) (entered(), PMPI_Win_create_c(__VA_ARGS__))
#define PMPI_Intercomm_create_from_groups(...) (entered(), PMPI_Intercomm_create_from_groups(__VA_ARGS__))

#define PERFCOMP_CLOCK() leaping_clock()
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#define W MPI_COMM_WORLD
#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            failures++; \
            fprintf(stderr, "%s, rank %d, rank %d is late: %s\n", testing, rank, late, #condition); \
        } \
    } while (0)

/* ---- being late */

/* No real delay comes near it; all that are leapt together stay far below 26 days, in which names begin anew (moments.h). */
static const int64_t span = 300000000000;
static const char *testing = "";

static int is_spans(int64_t ns, int spans) { return llabs(ns - spans * span) < span / 4; }

static void leap(int64_t ns, int charged)
{
    atomic_fetch_add(&shared->leaps, ns);
    if (charged) pfc__self->delta += ns * (1 << PFC__FRACTION);
}

/* The first question of a row; one in vain lasts until the late rank is late: between two, a program may do what it likes. */
static int question(int error, const int *there)
{
    int64_t late_at = atomic_load(&shared->leaps) + 3 * span;
    int first = armed;
    entered();
    while (first && !*there && rank != late && atomic_load(&shared->leaps) < late_at) sched_yield();
    return error;
}

/* The rank that the layer asks next is away for a span. */
static int away;

static void answer_waits(void)
{
    if (away) leap(span, 0);
    away = 0;
}

enum { HITS_A_SPAN = 1000 };

static void hits_are_dear(void)
{
    pfc__costs()->hit = PFC__HEADER->cost.hit = (double)span / HITS_A_SPAN;
}

/* Two spans late: as overhead, or by counting. */
static void delayed(void)
{
    int i;
    leap(2 * span, !by_hits);
    for (i = 0; by_hits && i < 2 * HITS_A_SPAN; i++) PFC_HIT("counted");
}

/* Before the call that is tested: the late rank comes out when the others are inside of it. */
static void meet(void)
{
    int i;
    pfc__hits_charge(pfc__clock());
    pfc__delta_take(pfc__self, 0, 0);
    turn++;
    (PMPI_Barrier)(pfc__mpi.comm);
    if (rank != late) return;
    for (i = 0; i < size; i++)
        while (i != rank && atomic_load(&shared->inside[i]) < turn) sched_yield();
    delayed();
    leap(span, 0);
}

#define WAITS_IN(nth, call) (armed = (nth), (call), armed = 0)
#define WAITS(call) WAITS_IN(1, call)

/* ---- collectives */

static MPI_Comm ring;
static int in[2 * MOST], out[2 * MOST], sum;

static void barrier(void) { WAITS(MPI_Barrier(W)); }

/* Of two sides, of which each waits for both in these libraries. */
static MPI_Comm sides;

static void sides_barrier(void) { WAITS(MPI_Barrier(sides)); }

static void allreduce(void)
{
    WAITS(MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, W));
    CHECK(out[0] == sum);
}

static void iallreduce(void)
{
    MPI_Request request;
    MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, W, &request);
    WAITS(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(out[0] == sum);
}

static void scan(void)
{
    WAITS(MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, W));
    CHECK(out[0] == rank * (rank + 1) / 2 + (rank + 1) * late);
}

static void exscan(void)
{
    WAITS(MPI_Exscan(in, out, 1, MPI_INT, MPI_SUM, W));
    CHECK(!rank || out[0] == rank * (rank - 1) / 2 + rank * late);
}

/* Whether a rank waits for another than the root, libraries decide: what isn't known then, ± must hold. */
static int in_doubt(int64_t ct)
{
    int64_t doubt = pfc__fixed_ns(pfc__delta_doubt(pfc__self));
    return ct < span || rank == late || llabs(2 * span - pfc_delta()) < doubt + span / 4;
}

typedef struct waits { int64_t ct, lt, time; } waits_t;
static int64_t time_in(const char *call);

#define DOUBTED(name, call, condition) \
    static void name(void) \
    { \
        MPI_Request request; \
        int64_t before; \
        call; \
        before = time_in("MPI_Wait"); \
        WAITS(MPI_Wait(&request, MPI_STATUS_IGNORE)); \
        CHECK(in_doubt(time_in("MPI_Wait") - before)); \
        CHECK(condition); \
    }

/* So many that who gives them waits until they are taken. */
enum { LONG = 20000 };

static void scatterv(void)
{
    static int all[MOST * LONG], mine[LONG], n[MOST], at[MOST];
    int64_t before = time_in("MPI_Scatterv");
    int i;
    for (i = 0; i < size; i++) {
        n[i] = LONG;
        at[i] = i * LONG;
        all[i * LONG] = in[0] + i;
    }
    WAITS(MPI_Scatterv(all, n, at, MPI_INT, mine, LONG, MPI_INT, 0, W));
    CHECK(in_doubt(time_in("MPI_Scatterv") - before));
    CHECK(mine[0] == late + rank);
}

/* Rank 1 asks for it, and is late then: nobody takes it meanwhile. */
static int long_message[LONG];
static MPI_Request asked;

static void ask(void)
{
    if (rank == 1) MPI_Irecv(long_message, LONG, MPI_INT, 0, 8, W, &asked);
}

static void send_to_who_asked(void)
{
    int64_t before = time_in("MPI_Send");
    if (rank == 0) {
        WAITS(MPI_Send(long_message, LONG, MPI_INT, 1, 8, W));
        CHECK(in_doubt(time_in("MPI_Send") - before));
    } else if (rank == 1) WAITS(MPI_Wait(&asked, MPI_STATUS_IGNORE));
    else WAITS(entered());
}

/* Rank 0 looks whether its message is there, before it completes its request. */
static void look(MPI_Request request)
{
    int there = 0;
    while (!there) MPI_Request_get_status(request, &there, MPI_STATUS_IGNORE);
}

static void looked_at(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(out, 1, MPI_INT, 1, 9, W, &request);
        WAITS(look(request));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else WAITS(entered());
    if (rank == 1) MPI_Send(in, 1, MPI_INT, 0, 9, W);
    CHECK(rank || out[0] == 1 + late);
}

/* Rank 0 waits in a probe: for whom, tells with its receive, as of one wait. */
static waits_t waited_for(int other);

static void probed(void)
{
    waits_t before = waited_for(1), after;
    if (rank == 0) {
        WAITS(MPI_Probe(1, 10, W, MPI_STATUS_IGNORE));
        MPI_Recv(out, 1, MPI_INT, 1, 10, W, MPI_STATUS_IGNORE);
    } else WAITS(entered());
    if (rank == 1) MPI_Send(in, 1, MPI_INT, 0, 10, W);
    after = waited_for(1);
    CHECK(rank || late != 1 || (out[0] == 2 && is_spans(after.ct - before.ct, 3) && is_spans(after.lt - before.lt, 1)));
}

/* To rank 0 from the other side. */
static void sides_gather(void)
{
    int64_t before = time_in("MPI_Gather");
    WAITS(MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, rank % 2 ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT, sides));
    CHECK(in_doubt(time_in("MPI_Gather") - before));
    CHECK(rank || out[0] == late + 1);
}

DOUBTED(ibcast, MPI_Ibcast(in, 1, MPI_INT, 0, W, &request), in[0] == late)
DOUBTED(ireduce, MPI_Ireduce(in, out, 1, MPI_INT, MPI_SUM, 0, W, &request), rank || out[0] == sum)
DOUBTED(igather, MPI_Igather(in, 1, MPI_INT, out, 1, MPI_INT, 0, W, &request), rank || out[size - 1] == late + size - 1)
DOUBTED(iscan, MPI_Iscan(in, out, 1, MPI_INT, MPI_SUM, W, &request), out[0] == rank * (rank + 1) / 2 + (rank + 1) * late)

#if MPI_VERSION >= 4

static void allreduce_c(void)
{
    WAITS(MPI_Allreduce_c(in, out, 1, MPI_INT, MPI_SUM, W));
    CHECK(out[0] == sum);
}

static void reduce_c(void)
{
    WAITS(MPI_Reduce_c(in, out, 1, MPI_INT, MPI_SUM, 0, W));
    CHECK(rank || out[0] == sum);
}

static void iallreduce_c(void)
{
    MPI_Request request;
    MPI_Iallreduce_c(in, out, 1, MPI_INT, MPI_SUM, W, &request);
    WAITS(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(out[0] == sum);
}

static void neighbor_allgather_c(void)
{
    WAITS(MPI_Neighbor_allgather_c(in, 1, MPI_INT, out, 1, MPI_INT, ring));
    CHECK(out[0] == late + (rank + size - 1) % size && out[1] == late + (rank + 1) % size);
}

/* Persistent ones are initialised once, and started for each late rank. */
static MPI_Request persistent = MPI_REQUEST_NULL;

#define PERSISTENT(name, init, condition) \
    static void name(void) \
    { \
        if (persistent == MPI_REQUEST_NULL) init; \
        MPI_Start(&persistent); \
        WAITS(MPI_Wait(&persistent, MPI_STATUS_IGNORE)); \
        CHECK(condition); \
        if (late == size - 1) MPI_Request_free(&persistent); \
    }

PERSISTENT(barrier_init, MPI_Barrier_init(W, MPI_INFO_NULL, &persistent), persistent != MPI_REQUEST_NULL)
PERSISTENT(bcast_init, MPI_Bcast_init(in, 1, MPI_INT, 0, W, MPI_INFO_NULL, &persistent), in[0] == late)
PERSISTENT(reduce_init, MPI_Reduce_init(in, out, 1, MPI_INT, MPI_SUM, 0, W, MPI_INFO_NULL, &persistent), rank || out[0] == sum)
PERSISTENT(allreduce_init, MPI_Allreduce_init(in, out, 1, MPI_INT, MPI_SUM, W, MPI_INFO_NULL, &persistent), out[0] == sum)
PERSISTENT(allreduce_init_c, MPI_Allreduce_init_c(in, out, 1, MPI_INT, MPI_SUM, W, MPI_INFO_NULL, &persistent), out[0] == sum)
PERSISTENT(exscan_init, MPI_Exscan_init(in, out, 1, MPI_INT, MPI_SUM, W, MPI_INFO_NULL, &persistent),
           !rank || out[0] == rank * (rank - 1) / 2 + rank * late)
PERSISTENT(neighbor_allgather_init,
           MPI_Neighbor_allgather_init(in, 1, MPI_INT, out, 1, MPI_INT, ring, MPI_INFO_NULL, &persistent),
           out[0] == late + (rank + size - 1) % size && out[1] == late + (rank + 1) % size)

/* Rank 1 sends to rank 0 in two parts. Another message is initialised before, and is never sent. */
static MPI_Request unused;

static void parts_begin(void)
{
    if (rank > 1) return;
    if (persistent == MPI_REQUEST_NULL && rank) {
        MPI_Psend_init(in, 1, 1, MPI_INT, 0, 5, W, MPI_INFO_NULL, &unused);
        MPI_Psend_init(in, 2, 1, MPI_INT, 0, 5, W, MPI_INFO_NULL, &persistent);
    } else if (persistent == MPI_REQUEST_NULL) {
        MPI_Precv_init(out, 1, 1, MPI_INT, 1, 5, W, MPI_INFO_NULL, &unused);
        MPI_Precv_init(out, 2, 1, MPI_INT, 1, 5, W, MPI_INFO_NULL, &persistent);
    }
    in[1] = -late;
    MPI_Start(&persistent);
    if (rank) MPI_Pready(1, persistent);
}

static void parts_end(void)
{
    if (rank == 1) MPI_Pready(0, persistent);
    if (rank > 1) WAITS(entered());
    else WAITS(MPI_Wait(&persistent, MPI_STATUS_IGNORE));
    CHECK(rank || (out[0] == 1 + late && out[1] == -late));
    if (late != size - 1 || rank > 1) return;
    MPI_Request_free(&persistent);
    MPI_Request_free(&unused);
}

/* While nobody is late yet. */
static void parts_begin_early(void)
{
    pfc__delta_take(pfc__self, 0, 0);
    parts_begin();
}

static void parts(void)
{
    parts_begin();
    parts_end();
}

static void ask_parts(void)
{
    int there = 0;
    while (!there) MPI_Parrived(persistent, 0, &there);
}

static void parts_asked(void)
{
    parts_begin();
    if (rank == 0) WAITS(ask_parts());
    parts_end();
}
#endif

/* ---- one-sided: others put into `out` */

static MPI_Win window, spare;
static MPI_Group one_of[2]; /* rank 0; rank 1 */

static void fence(void)
{
    WAITS(MPI_Win_fence(0, window));
    MPI_Put(in, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    CHECK(out[0] == (rank + size - 1) % size + late);
}

/* Rank 0 waits for rank 1 to post, and rank 1 for rank 0 to complete. */
static void epoch(void)
{
    if (rank == 0) {
        WAITS(MPI_Win_start(one_of[1], 0, window));
        MPI_Put(in, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else if (rank == 1) {
        MPI_Win_post(one_of[0], 0, window);
        WAITS(MPI_Win_wait(window));
        CHECK(out[0] == late);
    } else WAITS(entered());
}

static void ask_window(void)
{
    int there = 0;
    while (!there) MPI_Win_test(window, &there);
}

/* The same, but rank 1 asks whether it need wait. */
static void epoch_asked(void)
{
    if (rank == 0) {
        WAITS(MPI_Win_start(one_of[1], 0, window));
        MPI_Win_complete(window);
    } else if (rank == 1) {
        MPI_Win_post(one_of[0], 0, window);
        WAITS(ask_window());
    } else WAITS(entered());
}

/* The late rank holds rank 0's lock when the others ask for it, and has written 0. */
static void hold(void)
{
    int zero = 0;
    (PMPI_Barrier)(pfc__mpi.comm); /* nobody waits for it as it was before */
    if (rank != late) return;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
}

static int got(void)
{
    int value = -1;
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    return value;
}

/* One after the other adds 1. */
static void lock_exclusively(void)
{
    int mine, next, all;
    if (rank != late) WAITS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
    mine = got();
    next = mine + 1;
    MPI_Put(&next, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    (PMPI_Allreduce)(&mine, &all, 1, MPI_INT, MPI_SUM, W);
    CHECK(all == size * (size - 1) / 2);
}

static void lock_shared(void)
{
    if (rank != late) WAITS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window));
    CHECK(got() == 0);
    MPI_Win_unlock(0, window);
}

static void lock_all(void)
{
    if (rank == late) {
        MPI_Win_unlock(0, window);
        return;
    }
    WAITS(MPI_Win_lock_all(0, window));
    CHECK(got() == 0);
    MPI_Win_unlock_all(window);
}

/* The late rank holds the locks of all, so that none is to be had for oneself. */
static void hold_all(void)
{
    (PMPI_Barrier)(pfc__mpi.comm);
    if (rank != late) return;
    MPI_Win_lock_all(0, window);
    got();
}

static void lock_after_all(void)
{
    if (rank == late) {
        MPI_Win_unlock_all(window);
        return;
    }
    WAITS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
    MPI_Win_unlock(0, window);
}

/* What the layer waits for an answer, the program would have waited. */
#define AN_HOUR_PASSES(call) \
    do { \
        int64_t begun = pfc_lt(); \
        away = 1; \
        call; \
        CHECK(!away && is_spans(pfc_lt() - begun, 1)); \
    } while (0)

static void answers_wait(void)
{
    int other = (rank + 1) % size;
    testing = "an answer that waits";
    for (late = 0; late < size; late++) {
        MPI_Barrier(W);
        if (rank == late) {
            AN_HOUR_PASSES(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window));
            AN_HOUR_PASSES(MPI_Win_unlock(other, window));
            AN_HOUR_PASSES(MPI_Win_lock_all(0, window));
            AN_HOUR_PASSES(MPI_Win_unlock_all(window));
        }
    }
    MPI_Barrier(W);
}

static void free_and_make(void)
{
    WAITS(MPI_Win_free(&spare));
    MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, W, &spare);
}

static void make_and_free(void)
{
    MPI_Win made;
    WAITS(MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, W, &made));
    MPI_Win_free(&made);
}

#if MPI_VERSION >= 4
/* What it has made is a window as others are. */
static void make_c_and_free(void)
{
    MPI_Win made;
    WAITS(MPI_Win_create_c(in, sizeof in, sizeof *in, MPI_INFO_NULL, W, &made));
    CHECK(pfc__win_of(made));
    MPI_Win_free(&made);
}
#endif

static void one_sided_begin(void)
{
    MPI_Group all;
    int i;
    MPI_Comm_group(W, &all);
    for (i = 0; i < 2; i++) MPI_Group_incl(all, 1, &i, &one_of[i]);
    MPI_Group_free(&all);
    MPI_Win_create(out, sizeof out, sizeof *out, MPI_INFO_NULL, W, &window);
    MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, W, &spare);
}

static void one_sided_end(void)
{
    int i;
    for (i = 0; i < 2; i++) MPI_Group_free(&one_of[i]);
    MPI_Win_free(&window);
    MPI_Win_free(&spare);
}

/* ---- makers of communicators: each of them works */

static MPI_Comm half;

static void works(MPI_Comm *made)
{
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, *made);
    CHECK(out[0] >= late); /* of an intercommunicator: the other side's sum */
    MPI_Comm_free(made);
}

static void comm_create_group(void)
{
    MPI_Comm made;
    MPI_Group all;
    MPI_Comm_group(W, &all);
    WAITS(MPI_Comm_create_group(W, all, 0, &made));
    MPI_Group_free(&all);
    works(&made);
}

static void comm_idup(void)
{
    MPI_Comm made;
    MPI_Request request;
    MPI_Comm_idup(W, &made, &request);
    WAITS(MPI_Wait(&request, MPI_STATUS_IGNORE));
    works(&made);
}

/* A sender that waits learns from its receiver, in a duplicate as in any communicator. */
static MPI_Comm twin;

static void twin_made(void)
{
    MPI_Request request;
    pfc__u32 number, all[2];
    MPI_Comm_idup(W, &twin, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    number = pfc__comm_look(twin)->number;
    (PMPI_Allreduce)(&number, &all[0], 1, MPI_UINT32_T, MPI_MIN, W);
    (PMPI_Allreduce)(&number, &all[1], 1, MPI_UINT32_T, MPI_MAX, W);
    testing = "a duplicate's number";
    CHECK(all[0] && all[0] == all[1]);
}

static void ssend_in_twin(void)
{
    if (rank == 0) WAITS(MPI_Ssend(in, 1, MPI_INT, 1, 5, twin));
    else WAITS(entered());
    if (rank == 1) MPI_Recv(out, 1, MPI_INT, 0, 5, twin, MPI_STATUS_IGNORE);
    CHECK(rank != 1 || out[0] == late);
}

/* Even ranks on one side, odd ones on the other. */
static void intercomm_create(void)
{
    MPI_Comm made;
    WAITS(MPI_Intercomm_create(half, 0, W, !(rank % 2), 0, &made));
    works(&made);
}

#if MPI_VERSION >= 4
static void intercomm_create_from_groups(void)
{
    MPI_Comm made;
    MPI_Group side[2];
    MPI_Comm_group(half, &side[0]);
    MPI_Comm_remote_group(sides, &side[1]);
    WAITS(MPI_Intercomm_create_from_groups(side[0], 0, side[1], 0, "sides", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made));
    MPI_Group_free(&side[0]);
    MPI_Group_free(&side[1]);
    works(&made);
}
#endif

/* ---- files: what each rank writes, the next one reads */

static const char *file_name;
static MPI_File file;

static void file_open(void)
{
    MPI_File opened;
    int error;
    WAITS(error = MPI_File_open(W, file_name, MPI_MODE_RDWR, MPI_INFO_NULL, &opened));
    CHECK(!error);
    MPI_File_close(&opened);
}

static void file_set_size(void) { WAITS(MPI_File_set_size(file, (late + 1) * size * (MPI_Offset)sizeof *in)); }

/* Whether it waits is the library's affair: only the data are checked. */
static void file_write(void)
{
    MPI_Status status;
    int n = 0;
    WAITS(MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof *in, in, 1, MPI_INT, &status));
    MPI_Get_count(&status, MPI_INT, &n);
    CHECK(n == 1);
    MPI_File_sync(file);
    MPI_Barrier(W);
    MPI_File_read_at_all(file, (rank + 1) % size * (MPI_Offset)sizeof *in, out, 1, MPI_INT, &status);
    CHECK(out[0] == (rank + 1) % size + late);
}

/* The same at two other calls, of which the second is completed with another one. */
static void file_iwrite(void)
{
    MPI_Status status, both[2];
    MPI_Request request[2];
    int n = 0;
    MPI_File_iwrite_at_all(file, rank * (MPI_Offset)sizeof *in, in, 1, MPI_INT, &request[0]);
    WAITS(MPI_Wait(&request[0], &status));
    MPI_Get_count(&status, MPI_INT, &n);
    CHECK(n == 1);
    MPI_File_sync(file);
    MPI_File_seek(file, (rank + 1) % size * (MPI_Offset)sizeof *in, MPI_SEEK_SET);
    MPI_File_iread_all(file, out, 1, MPI_INT, &request[0]);
    MPI_Ibarrier(W, &request[1]);
    MPI_Waitall(2, request, both);
    CHECK(out[0] == (rank + 1) % size + late);
}

static int64_t waited_in_wait(void);

/* A library in which nobody waits for the last rank: the others have what they
   asked for when it comes, and only the layer waits to hear of it. They are four
   spans late themselves: had they waited, they would be two. */
static void file_parted(void)
{
    MPI_Request request;
    int64_t waited = waited_in_wait();
    if (rank != late) pfc__self->delta = 4 * span * (1 << PFC__FRACTION);
    writes_alone = 1;
    MPI_File_iwrite_at_all(file, rank * (MPI_Offset)sizeof *in, in, 1, MPI_INT, &request);
    writes_alone = 0;
    WAITS_IN(2, MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(is_spans(pfc_delta(), rank == late ? 2 : 4 + 3));
    CHECK(is_spans(waited_in_wait() - waited, 0));
}

/* One rank after the other, each rank's own number once. */
static void file_shared(void)
{
    MPI_Request request;
    int both[2] = { 0, 0 };
    WAITS(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    if (rank % 2) MPI_File_write_shared(file, in, 1, MPI_INT, MPI_STATUS_IGNORE);
    else {
        MPI_File_iwrite_shared(file, in, 1, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_File_sync(file);
    MPI_Barrier(W);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_iread_shared(file, &both[0], 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(W);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_shared(file, &both[1], 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_SUM, W);
    CHECK(both[0] == sum && both[1] == sum);
}

static void file_close(void)
{
    WAITS(MPI_File_close(&file));
    MPI_File_open(W, file_name, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
}

/* ---- who depends on the late rank, for certain */

static int everybody(void) { return 1; }
static int nobody(void) { return 0; }
static int first_two(void) { return rank < 2 && late < 2; }
static int first_waits(void) { return rank < 2 && late == 1; }
static int those_behind(void) { return rank > late; }
#ifdef MPICH_VERSION
#define THOSE_IN_A_SCAN everybody /* of a power of two */
#else
#define THOSE_IN_A_SCAN those_behind /* others may be, and aren't tested */
#endif
#if MPI_VERSION >= 4
static int root(void) { return rank == 0 && late; }
static int others(void) { return rank && late == 0; }
static int neighbours(void) { return late == (rank + 1) % size || late == (rank + size - 1) % size; }
#endif

static const struct test {
    const char *name;
    void (*run)(void);
    int (*depends)(void);
    const char *waits_in; /* the MPI calls */
    int by_hits;
    void (*before)(void);
} tests[] = {
    { "Barrier", barrier, everybody, "MPI_Barrier", 0, 0 },
    { "Barrier, after hits", barrier, everybody, "MPI_Barrier", 1, 0 },
    { "Barrier, of two sides", sides_barrier, everybody, "MPI_Barrier", 0, 0 },
    { "Allreduce", allreduce, everybody, "MPI_Allreduce", 0, 0 },
    { "Allreduce, after hits", allreduce, everybody, "MPI_Allreduce", 1, 0 },
    { "Iallreduce", iallreduce, everybody, "MPI_Wait", 0, 0 },
    { "Scan", scan, THOSE_IN_A_SCAN, "MPI_Scan", 0, 0 },
    { "Exscan", exscan, THOSE_IN_A_SCAN, "MPI_Exscan", 0, 0 },
    { "Scatterv, long", scatterv, nobody, "MPI_Scatterv", 0, 0 },
    { "Send, to who asked before", send_to_who_asked, nobody, "MPI_Send", 0, ask },
    { "Request_get_status", looked_at, first_waits, "MPI_Wait MPI_Request_get_status", 0, 0 },
    { "Probe", probed, first_waits, "MPI_Probe MPI_Recv", 0, 0 },
    { "Gather, of two sides", sides_gather, nobody, "MPI_Gather", 0, 0 },
    { "Ibcast", ibcast, nobody, "MPI_Wait", 0, 0 },
    { "Ireduce", ireduce, nobody, "MPI_Wait", 0, 0 },
    { "Igather", igather, nobody, "MPI_Wait", 0, 0 },
    { "Iscan", iscan, nobody, "MPI_Wait", 0, 0 },
    { "Comm_create_group", comm_create_group, everybody, "MPI_Comm_create_group", 0, 0 },
    { "Comm_idup", comm_idup, everybody, "MPI_Wait", 0, 0 },
    { "Ssend, in a duplicate", ssend_in_twin, first_waits, "MPI_Ssend", 0, 0 },
    { "Intercomm_create", intercomm_create, everybody, "MPI_Intercomm_create", 0, 0 },
    { "File_open", file_open, everybody, "MPI_File_open", 0, 0 },
    { "File_set_size", file_set_size, everybody, "MPI_File_set_size", 0, 0 },
    { "File_write_at_all", file_write, nobody, "MPI_File_write_at_all", 0, 0 },
    { "File_iwrite_at_all", file_iwrite, nobody, "MPI_Wait", 0, 0 },
    { "File_iwrite_at_all, parted", file_parted, nobody, "MPI_Wait", 0, 0 },
    { "File_write_shared", file_shared, everybody, "MPI_File_seek_shared", 0, 0 },
    { "File_close", file_close, everybody, "MPI_File_close", 0, 0 },
    { "Win_fence", fence, everybody, "MPI_Win_fence", 0, 0 },
    { "Win_start and Win_wait", epoch, first_two, "MPI_Win_start MPI_Win_wait", 0, 0 },
    { "Win_start and Win_wait, after hits", epoch, first_two, "MPI_Win_start MPI_Win_wait", 1, 0 },
    { "Win_start and Win_test", epoch_asked, first_two, "MPI_Win_start MPI_Win_test", 0, 0 },
    { "Win_lock, exclusive", lock_exclusively, everybody, "MPI_Win_lock", 0, hold },
    { "Win_lock, exclusive, after hits", lock_exclusively, everybody, "MPI_Win_lock", 1, hold },
    { "Win_lock, shared", lock_shared, everybody, "MPI_Win_lock", 0, hold },
    { "Win_lock_all", lock_all, everybody, "MPI_Win_lock_all", 0, hold },
    { "Win_lock_all, after hits", lock_all, everybody, "MPI_Win_lock_all", 1, hold },
    { "Win_lock, exclusive, after Win_lock_all", lock_after_all, everybody, "MPI_Win_lock", 0, hold_all },
    { "Win_free", free_and_make, everybody, "MPI_Win_free", 0, 0 },
    { "Win_create", make_and_free, everybody, "MPI_Win_create", 0, 0 },
#if MPI_VERSION >= 4
    { "Win_create_c", make_c_and_free, everybody, "MPI_Win_create_c", 0, 0 },
    { "Intercomm_create_from_groups", intercomm_create_from_groups, everybody, "MPI_Intercomm_create_from_groups", 0, 0 },
    { "Allreduce_c", allreduce_c, everybody, "MPI_Allreduce_c", 0, 0 },
    { "Reduce_c", reduce_c, root, "MPI_Reduce_c", 0, 0 },
    { "Iallreduce_c", iallreduce_c, everybody, "MPI_Wait", 0, 0 },
    { "Neighbor_allgather_c", neighbor_allgather_c, neighbours, "MPI_Neighbor_allgather_c", 0, 0 },
    { "Barrier_init", barrier_init, everybody, "MPI_Wait", 0, 0 },
    { "Bcast_init", bcast_init, others, "MPI_Wait", 0, 0 },
    { "Reduce_init", reduce_init, root, "MPI_Wait", 0, 0 },
    { "Allreduce_init", allreduce_init, everybody, "MPI_Wait", 0, 0 },
    { "Allreduce_init_c", allreduce_init_c, everybody, "MPI_Wait", 0, 0 },
    { "Exscan_init", exscan_init, those_behind, "MPI_Wait", 0, 0 },
    { "Neighbor_allgather_init", neighbor_allgather_init, neighbours, "MPI_Wait", 0, 0 },
    { "Psend_init, Precv_init", parts, first_two, "MPI_Wait", 0, 0 },
    { "Parrived", parts_asked, first_two, "MPI_Wait MPI_Parrived", 0, 0 },
    { "Pready", parts_end, first_waits, "MPI_Wait", 0, parts_begin_early },
    { "Pready, after hits", parts_end, first_waits, "MPI_Wait", 1, parts_begin_early },
#endif
};

/* ---- what the layer found */

/* Whether it is one of the words. */
static int names(const char *calls, const char *call)
{
    const char *at = strstr(calls, call);
    return at && (!at[strlen(call)] || at[strlen(call)] == ' ');
}

static waits_t waits_of(const char *calls)
{
    waits_t sum_of = { 0, 0, 0 };
    size_t i;
    for (i = 0; i <= pfc__mpi_sites.buckets; i++) {
        const pfc__by_handle_t *e = pfc__handles_chain(&pfc__mpi_sites, i);
        for (; e; e = e->next) {
            const pfc__mpi_site_t *s = ((const pfc__site_entry_t *)(const void *)e)->site;
            if (!names(calls, s->name)) continue;
            sum_of.ct += s->wait_ct;
            sum_of.lt += s->wait_lt;
            sum_of.time += s->time_ct;
        }
    }
    return sum_of;
}

enum { ANYBODY = -1 };

static waits_t waited_for(int other)
{
    waits_t sum_of = { 0, 0, 0 };
    int i;
    for (i = 0; i < PFC__MPI_PEER_SLOTS; i++)
        if (pfc__mpi_peers[i].used && (other == ANYBODY || pfc__mpi_peers[i].rank == (pfc__u32)other)) {
            sum_of.ct += pfc__mpi_peers[i].wait_ct;
            sum_of.lt += pfc__mpi_peers[i].wait_lt;
        }
    return sum_of;
}

static int64_t time_in(const char *call) { return waits_of(call).time; }
static int64_t waited_in_wait(void) { return waits_of("MPI_Wait").ct; }

/* Who had a lock after the late rank, and was held up as well, is waited for by the next one. */
static int awaited(const struct test *t) { return t->run == lock_exclusively || t->run == lock_after_all ? ANYBODY : late; }

static void run(const struct test *t)
{
    waits_t before = waits_of(t->waits_in), for_it = waited_for(awaited(t)), after;
    testing = t->name;
    by_hits = t->by_hits;
    in[0] = rank + late;
    sum = size * (size - 1) / 2 + size * late;
    if (t->before) t->before();
    meet();
    t->run();
    after = waits_of(t->waits_in);
    if (!t->depends()) return; /* the clock may have leapt anywhere in its call, or after it */
    CHECK(is_spans(pfc_delta(), 2));
    CHECK(is_spans(after.ct - before.ct, rank == late ? 0 : 3));
    CHECK(is_spans(after.lt - before.lt, rank == late ? 0 : 1));
    after = waited_for(awaited(t));
    CHECK(is_spans(after.ct - for_it.ct, rank == late ? 0 : 3));
    CHECK(is_spans(after.lt - for_it.lt, rank == late ? 0 : 1));
}

/* Two calls at two places stay two, also where address and name are alike in sum. */
static void places_differ(void)
{
    static const char name[32] __attribute__((aligned(32))) = "Send\0\0\0\0\0\0\0\0\0\0\0\0Recv";
    const pfc__mpi_site_t *send = pfc__mpi_site_look(name, PFC__RULE_SEND, in);
    const pfc__mpi_site_t *recv = pfc__mpi_site_look(name + 16, PFC__RULE_RECEIVE, (void *)((uintptr_t)in ^ 16));
    testing = "places";
    CHECK(names("MPI_Send", send->name) && names("MPI_Recv", recv->name));
    CHECK(pfc__mpi_site_look(name + 16, PFC__RULE_RECEIVE, (void *)((uintptr_t)in ^ 16)) == recv);
}

/* What was taken in time isn't taken again when the profile is read. */
static void charged_once(void)
{
    char why[PFC_WHY];
    pfc_profile_t *p = pfc__own_profile(why, sizeof why);
    testing = "the run";
    CHECK(p && p->hits && is_spans((int64_t)(p->total.ct - p->total.lt) - pfc_delta(), 0));
    pfc_profile_close(p);
}

static void share(const char *name)
{
    int file = open(name, O_RDWR);
    void *memory = file >= 0 && !ftruncate(file, sizeof *shared)
                       ? mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (memory == MAP_FAILED) exit(2);
    shared = memory;
}

int main(int argc, char **argv)
{
    int periodic = 1, total = 0;
    size_t i;
    if (argc != 3) return 2;
    share(argv[1]);
    file_name = argv[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    if (size > MOST) MPI_Abort(W, 2);
    MPI_Cart_create(W, 1, &size, &periodic, 0, &ring);
    MPI_Comm_split(W, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 7, &sides);
    MPI_File_open(W, file_name, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    twin_made();
    one_sided_begin();
    hits_are_dear();
    MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, W); /* the layer tries it while the clock doesn't leap */
    MPI_Exscan(in, out, 1, MPI_INT, MPI_SUM, W);
    scatterv();
#if MPI_VERSION >= 4
    MPI_Reduce_c(in, out, 1, MPI_INT, MPI_SUM, 0, W);
#endif
    for (i = 0; i < sizeof tests / sizeof *tests; i++)
        for (late = 0; late < size; late++) run(&tests[i]);
    answers_wait();
    places_differ();
    charged_once();
    one_sided_end();
    MPI_File_close(&file);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&half);
    MPI_Comm_free(&sides);
    MPI_Comm_free(&ring);
    MPI_Reduce(&failures, &total, 1, MPI_INT, MPI_SUM, 0, W);
    if (rank == 0) printf(total ? "%d failures\n" : "ok\n", total);
    MPI_Finalize();
    return total != 0;
}
