/* Rank 0 asks by MPI_Improbe and MPI_Iprobe until a message is there, which rank 1 sends 20 ms later, and then receives it in each way;
   by MPI_Testany, between whose calls it does something else, for less time than in them; and by MPI_Test for a barrier that all have
   begun, but in which rank 1 hands nothing on before it is back in the library, 20 ms later. */
#include <mpi.h>
#include <unistd.h>
#include "perfcomp.h"

enum { WAYS = 4, TIMES = 5 };

static void barrier(int rank)
{
    MPI_Request request;
    int there = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 1) usleep(25000); /* it finds nobody there when it begins */
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (rank == 1) usleep(45000);
    while (rank == 0 && !there) MPI_Test(&request, &there, MPI_STATUS_IGNORE);
    if (!there) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void work(void)
{
    static volatile double x = 1;
    int i;
    PFC_BEGIN("work");
    for (i = 0; i < 400; i++) x = x * 0.9 + 1;
    PFC_END("work");
}

static void amid_work(int rank)
{
    MPI_Request request;
    int there = 0, at, x = 0;
    if (rank > 1) return;
    if (rank == 1) {
        usleep(20000);
        MPI_Send(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
    while (!there) {
        work();
        MPI_Testany(1, &request, &at, &there, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, way, i, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (i = 0; i < WAYS * TIMES; i++) {
        MPI_Request request;
        MPI_Message message;
        int there = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank > 1) continue;
        if (rank) {
            usleep(20000);
            MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            continue;
        }
        way = i % WAYS;
        while (!there) {
            if (way < 2) MPI_Improbe(1, 1, MPI_COMM_WORLD, &there, &message, MPI_STATUS_IGNORE);
            else MPI_Iprobe(1, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        }
        if (way == 0) MPI_Imrecv(&x, 1, MPI_INT, &message, &request);
        if (way == 1) MPI_Mrecv(&x, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        if (way == 2) MPI_Irecv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        if (way == 3) MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (way % 2 == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (i = 0; i < TIMES; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        amid_work(rank);
    }
    for (i = 0; i < TIMES; i++) barrier(rank);
    MPI_Finalize();
    return 0;
}
