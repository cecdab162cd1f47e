/* Two threads duplicate their communicators at once, which ranks reach at
   different times: what the layer does beside MPI_Comm_idup must not meet what
   the library does for it. Prints "ok". */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 2, ROUNDS = 20 };

static MPI_Comm own[THREADS];

static void *duplicate(void *number)
{
    int thread = *(int *)number, rank, round;
    unsigned seed = (unsigned)thread;
    MPI_Comm_rank(own[thread], &rank);
    for (round = 0; round < ROUNDS; round++) {
        struct timespec nap = { 0, rand_r(&seed) % 3000000 };
        MPI_Comm made;
        MPI_Request request;
        if (rank % THREADS == thread) nanosleep(&nap, 0);
        MPI_Comm_idup(own[thread], &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&made);
    }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int number[THREADS], level, rank, i;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (i = 0; level == MPI_THREAD_MULTIPLE && i < THREADS; i++) number[i] = i, pthread_create(&thread[i], 0, duplicate, &number[i]);
    for (i = 0; level == MPI_THREAD_MULTIPLE && i < THREADS; i++) pthread_join(thread[i], 0);
    for (i = 0; i < THREADS; i++) MPI_Comm_free(&own[i]);
    if (rank == 0) puts("ok");
    MPI_Finalize();
    return 0;
}
