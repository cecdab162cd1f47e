/* Long data for a rank that has posted their receive, and does something else since: they move when it is back in the library, or
   has been there in between, and their sender waits for that. Each pattern is tried as it is, and with probes that make either rank
   late, before it begins or amid its work: undisturbed both take as long as without, and that isn't in doubt. Two ranks. Prints
   "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { LONG_DATA = 300000, SETTLE_MS = 20, PROBES_MS = 60, TRIES = 6 };
static const double OFF_MS = 15;
enum place { BEFORE, AMID, NOWHERE };

static int here, disturbed;
static enum place disturbed_at;
static char goes[LONG_DATA], comes[LONG_DATA];
static MPI_Request moving[2];

static void passes(long ms)
{
    const struct timespec time = { 0, ms * 1000000 };
    nanosleep(&time, NULL);
}

static void works(enum place place, long ms)
{
    int64_t tick;
    passes(ms);
    if (here != disturbed || place != disturbed_at) return;
    tick = pfc__clock();
    passes(PROBES_MS);
    pfc__delta_charge(pfc__self, pfc__clock() - tick);
}

static void post(void) { MPI_Irecv(comes, LONG_DATA, MPI_CHAR, !here, 1, MPI_COMM_WORLD, &moving[0]); }
static void start_send(void) { MPI_Isend(goes, LONG_DATA, MPI_CHAR, !here, 1, MPI_COMM_WORLD, &moving[1]); }
static void finish(void) { MPI_Wait(&moving[here ? 0 : 1], MPI_STATUS_IGNORE); }

/* The later one to be back ends both. */
static void halo(void)
{
    works(BEFORE, 10);
    post();
    start_send();
    works(AMID, here ? 90 : 50);
    MPI_Waitall(2, moving, MPI_STATUSES_IGNORE);
}

static void to_one_away(void)
{
    works(BEFORE, here ? 10 : 30);
    if (here) post();
    else start_send();
    works(AMID, here ? 80 : 20);
    finish();
}

static void blocking_to_one_away(void)
{
    works(BEFORE, here ? 10 : 30);
    if (!here) {
        MPI_Send(goes, LONG_DATA, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        return;
    }
    post();
    works(AMID, 80);
    finish();
}

/* For a message behind the long one, which moves then. (A look that finds something else at once needn't hear of it: MPICH.) */
static void to_one_who_looks(void)
{
    works(BEFORE, here ? 10 : 30);
    if (here) {
        post();
        works(AMID, 60);
        MPI_Recv(NULL, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        passes(60);
    } else {
        start_send();
        MPI_Send(NULL, 0, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
        works(AMID, 10);
    }
    finish();
}

static void halo_again(void)
{
    MPI_Request both[2];
    int i;
    MPI_Recv_init(comes, LONG_DATA, MPI_CHAR, !here, 1, MPI_COMM_WORLD, &both[0]);
    MPI_Send_init(goes, LONG_DATA, MPI_CHAR, !here, 1, MPI_COMM_WORLD, &both[1]);
    for (i = 0; i < 2; i++) {
        works(i ? NOWHERE : BEFORE, 10);
        MPI_Startall(2, both);
        works(i ? NOWHERE : AMID, (here ? 50 : 20) + 20 * i);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

static const struct { const char *name; void (*run)(void); } patterns[] = {
    { "halo", halo }, { "to one away", to_one_away }, { "MPI_Send to one away", blocking_to_one_away },
    { "to one who looks", to_one_who_looks }, { "halo, by MPI_Start", halo_again },
};

typedef struct run { double lt, u; } run_t;

static double doubted_ms(void) { return (double)pfc__fixed_ns(pfc__delta_doubt(pfc__self)) * 1e-6; }

static run_t run(size_t pattern, int who, enum place place)
{
    run_t r;
    int64_t begin;
    double doubted;
    disturbed = who;
    disturbed_at = place;
    MPI_Barrier(MPI_COMM_WORLD);
    passes(SETTLE_MS); /* so that both have left it */
    doubted = doubted_ms();
    begin = pfc_lt();
    patterns[pattern].run();
    r.lt = (double)(pfc_lt() - begin) * 1e-6;
    r.u = doubted_ms() - doubted;
    return r;
}

static int is_undisturbed(size_t pattern, int who, enum place place)
{
    run_t plain = run(pattern, -1, place), late = run(pattern, who, place);
    int well = fabs(late.lt - plain.lt) < OFF_MS && late.u < OFF_MS, all;
    MPI_Allreduce(&well, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!well) printf("rank %d, %s, %d late %s: %.1f ± %.1f ms instead of %.1f\n", here, patterns[pattern].name, who,
                      place == BEFORE ? "before" : "amid", late.lt, late.u, plain.lt);
    return all;
}

/* What is wrong is wrong each time; the machine may be busy. */
static int is_wrong(size_t pattern, int who, enum place place)
{
    int tries = 0;
    while (tries < TRIES && !is_undisturbed(pattern, who, place)) tries++;
    return tries == TRIES;
}

int main(int argc, char **argv)
{
    int failed = 0, who;
    size_t i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &here);
    for (i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (who = 0; who < 2; who++) failed |= is_wrong(i, who, BEFORE) | is_wrong(i, who, AMID);
    MPI_Finalize();
    if (!here && !failed) puts("ok");
    return failed;
}
