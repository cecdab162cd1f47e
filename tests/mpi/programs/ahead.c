/* However many messages are sent ahead by MPI_Isend, it waits for no receiver that is outside of MPI. Prints "ok". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MESSAGES = 500, LENGTH = 10000, PATIENCE_MS = 20000 };

int main(int argc, char **argv)
{
    static int data[MESSAGES][LENGTH];
    static MPI_Request requests[MESSAGES];
    int rank, unit, i, k, wrong = 0, waited = 0;
    volatile int *all_sent;
    MPI_Aint bytes;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank ? 0 : sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &all_sent, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &all_sent);
    if (rank == 0) *all_sent = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (i = 0; i < MESSAGES; i++) {
            for (k = 0; k < LENGTH; k++) data[i][k] = i + k;
            MPI_Isend(data[i], LENGTH, MPI_INT, 1, i % 7, MPI_COMM_WORLD, &requests[i]);
        }
        *all_sent = 1;
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        for (; !*all_sent && waited < PATIENCE_MS; waited++) usleep(1000);
        if (waited == PATIENCE_MS) wrong++, puts("MPI_Isend has waited");
        for (i = 0; i < MESSAGES; i++) {
            MPI_Recv(data[i], LENGTH, MPI_INT, 0, i % 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (k = 0; k < LENGTH && data[i][k] == i + k; k++) {}
            if (k < LENGTH) wrong++, printf("message %d is wrong at %d\n", i, k);
        }
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    if (rank == 1 && !wrong) puts("ok");
    return wrong != 0;
}
