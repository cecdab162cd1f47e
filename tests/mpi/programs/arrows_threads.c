/* Two threads a rank, each with messages for one thread of the next rank: equal ones but for their tag. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 2, MESSAGES = 50 };

static int rank, size;

static void *talk(void *number)
{
    const int tag = (int)(intptr_t)number, to = (rank + 1) % size, from = (rank + size - 1) % size;
    double out = 1, in;
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Request sent;
        MPI_Isend(&out, 1, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &sent);
        MPI_Recv(&in, 1, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (intptr_t i = 0; i < THREADS; i++) pthread_create(&thread[i], 0, talk, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], 0);
    if (rank == 0) printf("%d\n", size * THREADS * MESSAGES);
    MPI_Finalize();
    return 0;
}
