/* An error handler that leaves by longjmp each time: calls that fail, in each way, between messages that come as they should, short
   and long. Two ranks. Prints "ok". */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 60, MOST = 200000, WAYS = 7, BESIDE = WAYS, SOUND, MESSAGES, DONE };

static jmp_buf behind;
static int rank, handled, failures;
static char sent[MOST], got[MOST], other[MOST];

static void leave(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    if (*error) handled++;
    longjmp(behind, 1);
}

static void send_all(int length)
{
    MPI_Request request[MESSAGES];
    int i;
    for (i = 0; i < MESSAGES; i++) MPI_Isend(sent, length, MPI_CHAR, 1, i, MPI_COMM_WORLD, &request[i]);
    MPI_Waitall(MESSAGES, request, MPI_STATUSES_IGNORE);
    MPI_Recv(got, 0, MPI_CHAR, 1, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* There is room for half of the message. Waitall has another one, which comes as it should. */
static void fail(int way, int length)
{
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Message message;
    int index, done = 0, room = length / 2;
    switch (way) {
    case 0: MPI_Recv(got, room, MPI_CHAR, 0, way, MPI_COMM_WORLD, status); break;
    case 1:
        MPI_Mprobe(0, way, MPI_COMM_WORLD, &message, status);
        MPI_Mrecv(got, room, MPI_CHAR, &message, status);
        break;
    case 2: MPI_Sendrecv(sent, 0, MPI_CHAR, MPI_PROC_NULL, 0, got, room, MPI_CHAR, 0, way, MPI_COMM_WORLD, status); break;
    default:
        MPI_Irecv(got, room, MPI_CHAR, 0, way, MPI_COMM_WORLD, request);
        if (way == 3) MPI_Wait(request, status);
        if (way == 4) MPI_Waitany(1, request, &index, status);
        if (way == 5) {
            MPI_Irecv(other, length, MPI_CHAR, 0, BESIDE, MPI_COMM_WORLD, request + 1);
            MPI_Waitall(2, request, status);
        }
        while (way == 6 && !done) MPI_Test(request, &done, status);
    }
}

static void receive_all(int length)
{
    volatile int way;
    int n;
    MPI_Status status;
    for (way = 0; way < WAYS; way++) {
        if (setjmp(behind)) continue;
        fail(way, length);
        failures++;
        printf("way %d, %d bytes: no handler was called\n", way, length);
    }
    if (setjmp(behind) == 0) {
        MPI_Bcast(got, 1, MPI_CHAR, 2, MPI_COMM_WORLD);
        failures++;
    }
    memset(other, 0, sizeof other);
    MPI_Probe(0, SOUND, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &n);
    MPI_Recv(other, MOST, MPI_CHAR, 0, SOUND, MPI_COMM_WORLD, &status);
    if (n != length || memcmp(other, sent, (size_t)length)) {
        failures++;
        printf("%d bytes: %d came, or others\n", length, n);
    }
    MPI_Send(sent, 0, MPI_CHAR, 0, DONE, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const int lengths[] = { 20, 3000, MOST };
    MPI_Errhandler handler;
    int i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(sent, 'x', sizeof sent);
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    for (i = 0; i < ROUNDS; i++) rank ? receive_all(lengths[i % 3]) : send_all(lengths[i % 3]);
    if (rank && handled != ROUNDS * (WAYS + 1)) {
        failures++;
        printf("the handler was called %d times, not %d\n", handled, ROUNDS * (WAYS + 1));
    }
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (!rank && !failures) puts("ok");
    return failures != 0;
}
