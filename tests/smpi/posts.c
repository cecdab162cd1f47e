/* A short message whose sender waits (MPI_Ssend), for a receive that was posted before and is completed much later. At first its
   sender doesn't learn when it was posted; from then on the posts of that stream are told at once. A message that doesn't ask for
   its post ends that. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"
#include <smpi/smpi.h>

enum { ROUNDS = 5 };
#define W MPI_COMM_WORLD

static void receive(void)
{
    int got;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, 0, 1, W, &request);
    MPI_Barrier(W);
    smpi_execute_benched(1e-3);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* How many of these senders haven't learnt it. */
static int send(int rounds, int (*call)(const void *, int, MPI_Datatype, int, int, MPI_Comm))
{
    pfc__u64 before = pfc__mpi.job->unacknowledged;
    int i;
    for (i = 0; i < rounds; i++) {
        MPI_Barrier(W);
        call(&i, 1, MPI_INT, 1, 1, W);
    }
    return (int)(pfc__mpi.job->unacknowledged - before);
}

int main(int argc, char **argv)
{
    int rank, i, first, second, good = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    if (rank == 0) {
        first = send(ROUNDS, MPI_Ssend);
        send(2, MPI_Send);
        second = send(ROUNDS, MPI_Ssend);
        good = first == 1 && second == 1;
        if (!good) printf("%d and %d of %d weren't told\n", first, second, ROUNDS);
    } else for (i = 0; i < 2 * ROUNDS + 2; i++) receive();
    MPI_Finalize();
    return !good;
}
