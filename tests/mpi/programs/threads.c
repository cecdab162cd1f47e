/* Threads that complete requests at once: the library gives a handle again as
   soon as one of them has completed its request. Prints "ok". */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 200, AT_ONCE = 16 };

static int rank, other, wrong[THREADS];

static void *exchange(void *number)
{
    int thread = *(int *)number, round, i, sent[AT_ONCE], got[AT_ONCE];
    MPI_Request request[2 * AT_ONCE];
    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < AT_ONCE; i++) {
            sent[i] = (round * AT_ONCE + i) * THREADS + thread;
            got[i] = -1;
            MPI_Irecv(&got[i], 1, MPI_INT, other, thread, MPI_COMM_WORLD, &request[i]);
        }
        for (i = 0; i < AT_ONCE; i++) MPI_Isend(&sent[i], 1, MPI_INT, other, thread, MPI_COMM_WORLD, &request[AT_ONCE + i]);
        MPI_Waitall(2 * AT_ONCE, request, MPI_STATUSES_IGNORE);
        for (i = 0; i < AT_ONCE; i++) wrong[thread] += got[i] != sent[i];
    }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int level, size, i, number[THREADS], mine = 0, total = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    other = rank ^ 1;
    if (level == MPI_THREAD_MULTIPLE && other < size) {
        for (i = 0; i < THREADS; i++) number[i] = i, pthread_create(&thread[i], 0, exchange, &number[i]);
        for (i = 0; i < THREADS; i++) pthread_join(thread[i], 0), mine += wrong[i];
    }
    MPI_Reduce(&mine, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf(total ? "%d wrong\n" : "ok\n", total);
    MPI_Finalize();
    return 0;
}
