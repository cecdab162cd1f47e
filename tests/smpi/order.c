/* Rank 2 is ready before rank 1, but for the probes that it passes: rank 0, which receives from anybody, gets rank 1's message
   first. By the way that the argument names; "even" without probes. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <smpi/smpi.h>
#include <string.h>

enum { ROUNDS = 5, PROBES = 500 };

static const char *way;

static void work(int rank)
{
    int n, even = !strcmp(way, "even");
    for (n = 0; n < PROBES; n++) {
        if (rank == 2 && !even) {
            PFC_SCOPE("work");
        }
        smpi_execute((rank == 1 ? 1e-3 : 0.8e-3) / PROBES);
    }
}

static void receive_two(void)
{
    int data[2], n;
    MPI_Request request[2];
    MPI_Status status;
    if (!strcmp(way, "nonblocking")) {
        for (n = 0; n < 2; n++) MPI_Irecv(&data[n], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request[n]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        return;
    }
    for (n = 0; n < 2; n++) {
        if (!strcmp(way, "iprobe")) {
            int there = 0;
            while (!there) {
                MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &there, &status);
                smpi_execute_benched(1e-6);
            }
            MPI_Recv(data, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (strcmp(way, "probe")) MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, n ? MPI_ANY_TAG : 1, MPI_COMM_WORLD, &status);
        else {
            MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Recv(data, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

int main(int argc, char **argv)
{
    int rank, round;
    way = argc > 1 ? argv[1] : "blocking";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (round = 0; round < ROUNDS; round++) {
        if (rank == 0) receive_two();
        else {
            work(rank);
            MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
