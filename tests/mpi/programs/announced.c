/* A message whose piggyback has come, and whose data are a long time coming: where messages are held back, a rank that waits for it tells
   that (mpi/held.c), and gets it. And what it takes to announce one (mpi/apart.c). Two ranks, PERFCOMP_MPI_ORDER=hold:0.1; rank 0 prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <stdio.h>
#include <unistd.h>

enum { TAG = 3 };

/* Told apart, and sent, with so many us in between. */
static void send_late(int *what, unsigned pause)
{
    pfc__call_t c;
    memset(&c, 0, sizeof c);
    c.tick_in = pfc__clock();
    c.begin = pfc__moment_at(c.tick_in);
    pfc__apart_tell(&c, pfc__comm_carries(MPI_COMM_WORLD), 0, TAG, sizeof *what, 1, 0, 0);
    usleep(pause);
    PMPI_Send(what, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
}

/* What is expected of the next one, after those of `before` ns and one of `ns`. */
static int expected(pfc__i64 before, pfc__i64 ns)
{
    pfc__apart_takes = before;
    return (int)pfc__apart_expects(ns);
}

int main(int argc, char **argv)
{
    int rank, i, what, wrong = 0, told[2] = { 0, 0 };
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (i = 0; i < 2; i++) {
        what = rank ? i : -1;
        if (rank == 1) send_late(&what, i ? 500000 : 0);
        if (rank == 0) {
            MPI_Irecv(&what, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            told[i] = pfc__held_stuck > 0;
            if (what != i) wrong++, printf("%d instead of %d\n", what, i);
        }
    }
    if (expected(0, 900) != 900 || expected(900, 800) != 800 || expected(900, 1000000) != 1800) wrong++, puts("an interruption is expected again");
    MPI_Finalize();
    if (rank == 0 && !wrong && !told[0] && told[1]) puts("ok");
    else if (rank == 0) printf("told: %d, %d\n", told[0], told[1]);
    return 0;
}
