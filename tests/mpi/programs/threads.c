/* Threads that communicate at once: requests, whose handles the library gives
   again as soon as one of them is complete, also to one that isn't ours to
   know; long messages, probes and collectives; and that make communicators.
   Prints "ok".
   Argument: how many rounds of sends that are freed (20). */
#include <mpi.h>

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200, AT_ONCE = 16, LONG = 100000 };

static int rank, other, rounds_freed = 20, wrong[THREADS];
static MPI_Comm own[THREADS];
static int out[THREADS][LONG], in[THREADS][LONG];

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

static void probed(int thread, int n)
{
    MPI_Status status;
    int got = -1;
    if (rank) {
        MPI_Ssend(out[thread], n, MPI_INT, other, 0, own[thread]);
        return;
    }
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, own[thread], &status);
    MPI_Get_count(&status, MPI_INT, &got);
    MPI_Recv(in[thread], n, MPI_INT, other, 0, own[thread], MPI_STATUS_IGNORE);
    wrong[thread] += got != n || in[thread][n - 1] != out[thread][n - 1];
}

static void *meet(void *number)
{
    int thread = *(int *)number, round, n, sum;
    MPI_Request request;
    for (round = 1; round <= ROUNDS / 40; round++) {
        n = round % 2 ? LONG : 2;
        out[thread][n - 1] = round;
        in[thread][n - 1] = -1;
        MPI_Sendrecv(out[thread], n, MPI_INT, other, 0, in[thread], n, MPI_INT, other, 0, own[thread], MPI_STATUS_IGNORE);
        wrong[thread] += in[thread][n - 1] != round;
        MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, own[thread]);
        wrong[thread] += sum != 2 * round;
        sum = rank ? -1 : round;
        MPI_Ibcast(&sum, 1, MPI_INT, 0, own[thread], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong[thread] += sum != round;
        probed(thread, n);
    }
    return 0;
}

/* Every other send is freed: MPICH gives one handle to all that are complete at once, those of other threads too. */
static void *freed(void *number)
{
    int thread = *(int *)number, round, i, sent[AT_ONCE], got[AT_ONCE];
    MPI_Request receive[AT_ONCE], send[AT_ONCE];
    for (round = 0; round < rounds_freed; round++) {
        for (i = 0; i < AT_ONCE; i++) MPI_Irecv(&got[i], 1, MPI_INT, other, 0, own[thread], &receive[i]);
        for (i = 0; i < AT_ONCE; i++) {
            sent[i] = round * AT_ONCE + i;
            MPI_Isend(&sent[i], 1, MPI_INT, other, 0, own[thread], &send[i]);
            if (i % 2) MPI_Request_free(&send[i]);
        }
        for (i = 0; i < AT_ONCE; i += 2) MPI_Wait(&send[i], MPI_STATUS_IGNORE);
        MPI_Waitall(AT_ONCE, receive, MPI_STATUSES_IGNORE);
        for (i = 0; i < AT_ONCE; i++) wrong[thread] += got[i] != sent[i];
        MPI_Barrier(own[thread]); /* all that it has sent has come */
    }
    return 0;
}

/* Each its own, with other collectives than the next thread's. */
static void *make(void *number)
{
    int thread = *(int *)number, round, sum, all[2];
    for (round = 1; round <= ROUNDS / 4; round++) {
        MPI_Comm twin;
        MPI_Comm_dup(own[thread], &twin);
        MPI_Allreduce(&round, &sum, 1, MPI_INT, thread % 2 ? MPI_MAX : MPI_SUM, twin);
        wrong[thread] += sum != (thread % 2 ? round : 2 * round);
        if (thread % 2) MPI_Barrier(twin);
        sum = rank ? -1 : round;
        if (thread > 1) MPI_Bcast(&sum, 1, MPI_INT, 0, twin);
        wrong[thread] += thread > 1 && sum != round;
        MPI_Allgather(&round, 1, MPI_INT, all, 1, MPI_INT, twin);
        wrong[thread] += all[0] != round || all[1] != round;
        MPI_Comm_free(&twin);
    }
    return 0;
}

/* One of them in MPI_COMM_WORLD, with other collectives than the next thread's. */
static void *beside(void *number)
{
    static const int one[2] = { 1, 1 }, at[2] = { 0, 1 };
    int thread = *(int *)number, round, sum, to[2], from[2];
    MPI_Comm comm = thread ? own[thread] : MPI_COMM_WORLD;
    for (round = 1; round <= ROUNDS; round++) {
        if (thread % 2) {
            to[0] = to[1] = round;
            from[!rank] = -1;
            MPI_Alltoallv(to, one, at, MPI_INT, from, one, at, MPI_INT, comm);
            wrong[thread] += from[!rank] != round;
        } else {
            MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, comm);
            wrong[thread] += sum != 2 * round;
        }
    }
    return 0;
}

static int query(void *of, MPI_Status *status)
{
    (void)of;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int nothing(void *of) { (void)of; return MPI_SUCCESS; }
static int no_more(void *of, int complete) { (void)of; (void)complete; return MPI_SUCCESS; }

/* One begins requests of its own while the others receive: in MPICH they get the handle of a receive that was just complete, maybe
   before its thread knows. */
static void *beside_own(void *number)
{
    static int receiving = THREADS - 1;
    int thread = *(int *)number, round, got;
    MPI_Request request;
    while (!thread && __atomic_load_n(&receiving, __ATOMIC_RELAXED)) {
        MPI_Grequest_start(query, nothing, no_more, 0, &request);
        MPI_Grequest_complete(request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sched_yield();
    }
    if (!thread) return 0;
    for (round = 0; round < ROUNDS / 2; round++) {
        got = -1;
        MPI_Irecv(&got, 1, MPI_INT, other, 0, own[thread], &request);
        MPI_Send(&round, 1, MPI_INT, other, 0, own[thread]);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong[thread] += got != round;
    }
    __atomic_sub_fetch(&receiving, 1, __ATOMIC_RELAXED);
    return 0;
}

/* So long that it tells of itself apart, under one of the libraries, and carries its piggyback all the same. */
static const int nearly_long[] = { 4096 / sizeof(int), 8320 / sizeof(int) };
static MPI_Comm freed_comm[2];

static void *receive(void *number)
{
    int i, thread = *(int *)number;
    MPI_Recv(in[thread], nearly_long[thread], MPI_INT, other, 0, freed_comm[thread], MPI_STATUS_IGNORE);
    for (i = 0; i < nearly_long[thread]; i++) wrong[thread] += in[thread][i] != i;
    return 0;
}

/* What was begun in a communicator goes on in it. */
static void freed_while_one_receives(void)
{
    MPI_Comm comm[2];
    pthread_t thread[2];
    int i, number[2];
    mallopt(M_PERTURB, 85); /* so that memory which was freed doesn't stay as it was */
    for (i = 0; i < 2; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]), freed_comm[i] = comm[i];
    for (i = 0; i < LONG; i++) out[0][i] = i;
    for (i = 0; i < 2 && rank == 0; i++) number[i] = i, pthread_create(&thread[i], 0, receive, &number[i]);
    usleep(rank ? 200000 : 50000);
    for (i = 0; i < 2; i++) {
        if (rank == 1) MPI_Send(out[0], nearly_long[i], MPI_INT, other, 0, comm[i]);
        MPI_Comm_free(&comm[i]);
    }
    for (i = 0; i < 2 && rank == 0; i++) pthread_join(thread[i], 0);
    mallopt(M_PERTURB, 0);
}

static int in_threads(void *work(void *))
{
    pthread_t thread[THREADS];
    int i, number[THREADS], sum = 0;
    for (i = 0; i < THREADS; i++) number[i] = i, pthread_create(&thread[i], 0, work, &number[i]);
    for (i = 0; i < THREADS; i++) pthread_join(thread[i], 0), sum += wrong[i];
    return sum;
}

int main(int argc, char **argv)
{
    int level, size, i, mine = 0, total = 0;
    if (argc > 1) rounds_freed = atoi(argv[1]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    other = rank ^ 1;
    for (i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    if (level == MPI_THREAD_MULTIPLE) freed_while_one_receives();
    if (level == MPI_THREAD_MULTIPLE && other < size)
        mine = in_threads(exchange) + in_threads(freed) + in_threads(meet) + in_threads(make) + in_threads(beside) +
               in_threads(beside_own);
    for (i = 0; i < THREADS; i++) MPI_Comm_free(&own[i]);
    MPI_Reduce(&mine, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf(total ? "%d wrong\n" : "ok\n", total);
    MPI_Finalize();
    return 0;
}
