/* MPI_THREAD_SERIALIZED: one thread asks again and again for what doesn't come, while another one computes and then asks for what is
   there. That has waited for nothing: what it has computed is its own time. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { MESSAGES = 20, NOW, LATE };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static int is_there(MPI_Request *request)
{
    int done;
    pthread_mutex_lock(&turn);
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&turn);
    return done;
}

static void *asks(void *request)
{
    while (!is_there((MPI_Request *)request)) continue;
    return NULL;
}

static void compute(void)
{
    double begin = MPI_Wtime();
    while (MPI_Wtime() - begin < 0.005) continue;
}

int main(int argc, char **argv)
{
    int level, i, sent = 0, late, now[MESSAGES];
    MPI_Request request[MESSAGES], awaited;
    pfc_timers_t begin, end;
    double ct, lt;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Irecv(&late, 1, MPI_INT, 0, LATE, MPI_COMM_WORLD, &awaited);
    for (i = 0; i < MESSAGES; i++) {
        MPI_Irecv(&now[i], 1, MPI_INT, 0, NOW, MPI_COMM_WORLD, &request[i]);
        MPI_Send(&sent, 1, MPI_INT, 0, NOW, MPI_COMM_WORLD);
    }
    pthread_create(&thread, NULL, asks, &awaited);
    begin = pfc_timers();
    for (i = 0; i < MESSAGES; i++) {
        compute();
        while (!is_there(&request[i])) continue;
    }
    end = pfc_timers();
    pthread_mutex_lock(&turn);
    MPI_Send(&sent, 1, MPI_INT, 0, LATE, MPI_COMM_WORLD);
    pthread_mutex_unlock(&turn);
    pthread_join(thread, NULL);
    MPI_Finalize();
    ct = (double)(end.ct - begin.ct), lt = (double)(end.lt - begin.lt);
    if (level == MPI_THREAD_SERIALIZED && lt < 0.97 * ct) printf("of %.3f ms %.3f are left\n", ct / 1e6, lt / 1e6);
    else puts("ok");
    return 0;
}
