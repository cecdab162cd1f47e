/* Rank 0 gives a Bcast and then sends what rank 1 wants before it comes to that
   Bcast: were ranks to meet there, they would wait for ever. So rank 1 only waits
   for two seconds. It prints whether the message "came", or that it came "late";
   and where nothing is tried, whether ± lacks what nobody knows then. The layer's
   clock runs SPEED times as fast. */
#include <stdint.h>
#include <time.h>

enum { SPEED = 60 };

static int64_t fast_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return SPEED * ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec);
}

#define PERFCOMP_CLOCK() fast_clock()
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <stdio.h>

#define W MPI_COMM_WORLD

static int rank;
static const int64_t second = 1000000000; /* of the layer */

static int comes_in_time(MPI_Request *request)
{
    double until = MPI_Wtime() + 2;
    int came = 0;
    while (!came && MPI_Wtime() < until) MPI_Test(request, &came, MPI_STATUS_IGNORE);
    return came;
}

static int64_t u(void) { return pfc__fixed_ns(pfc__delta_doubt(pfc__self)); }

/* What is doubtful of waits in Bcasts, as the report has it. */
static int64_t waits_u(void)
{
    int64_t sum = 0;
    int i;
    for (i = 0; i < pfc__mpi_site_block.used; i++)
        if (!strcmp(pfc__mpi_site_block.first[i].name, "MPI_Bcast")) sum += pfc__mpi_site_block.first[i].wait_u;
    return sum;
}

/* By how much u grows on rank 1 in a Bcast to which it comes late, because of us, or early. */
static int64_t u_grows(int64_t late, int64_t early)
{
    const struct timespec nap = { 0, (long)early / SPEED };
    int64_t before;
    int data = 0;
    MPI_Barrier(W);
    before = u();
    if (rank == 0) nanosleep(&nap, 0);
    else pfc__delta_charge(pfc__self, late);
    MPI_Bcast(&data, 1, MPI_INT, 0, W);
    return u() - before;
}

int main(int argc, char **argv)
{
    MPI_Request request;
    int came = 0, data = 0, sent = 0;
    int64_t late, early, waits;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    if (rank == 0) {
        data = 1;
        MPI_Bcast(&data, 1, MPI_INT, 0, W);
        sent = 2;
        MPI_Send(&sent, 1, MPI_INT, 1, 0, W);
    } else {
        MPI_Irecv(&sent, 1, MPI_INT, 0, 0, W, &request);
        came = comes_in_time(&request);
        MPI_Bcast(&data, 1, MPI_INT, 0, W);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    late = u_grows(3 * second, 0);
    waits = waits_u();
    early = u_grows(0, 3 * second);
    waits = waits_u() - waits;
    if (data != 1 || sent != 2) printf("wrong data\n");
    else if (rank && !pfc__mpi.trials && (late < 2 * second || early < 2 * second))
        printf("u grew by %lld ns, and by %lld\n", (long long)late, (long long)early);
    else if (rank && !pfc__mpi.trials && waits < 2 * second) printf("of the wait, %lld ns are in doubt\n", (long long)waits);
    else if (rank) printf("%s\n", came ? "came" : "late");
    MPI_Finalize();
    return 0;
}
