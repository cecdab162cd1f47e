/* Receives that all fail, completed by a call that tells of one of them: what the library has freed with it (Open MPI frees all)
   has no record left, whose handle would be another request's soon. Nor has one of which a handler hears that leaves by longjmp.
   2 ranks; prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <setjmp.h>
#include <stdio.h>

enum { RECEIVES = 3, SENT = 4, ROOM = 2 };

static int wrong;

static void is_so(int holds, const char *what, int persistent)
{
    if (!holds) printf("%s, %s\n", what, persistent ? "persistent" : "not persistent");
    wrong += !holds;
}

static int recorded(void)
{
    int n = 0;
    for (pfc__request_t *r = pfc__posted.next; r && r != &pfc__posted; r = r->next) n++;
    return n;
}

static void receive(int tests, int persistent, int other)
{
    static const char sent[SENT] = "abc";
    char room[RECEIVES][ROOM];
    MPI_Request request[RECEIVES];
    int i, index = MPI_UNDEFINED, done = 0, error;
    for (i = 0; i < RECEIVES; i++) {
        if (persistent) MPI_Recv_init(room[i], ROOM, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request[i]);
        else MPI_Irecv(room[i], ROOM, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request[i]);
    }
    if (persistent) MPI_Startall(RECEIVES, request);
    for (i = 0; i < RECEIVES; i++) MPI_Send(sent, SENT, MPI_CHAR, other, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    do error = tests ? MPI_Testany(RECEIVES, request, &index, &done, MPI_STATUS_IGNORE)
                     : MPI_Waitany(RECEIVES, request, &index, MPI_STATUS_IGNORE);
    while (tests && !error && !done);
    is_so(error != MPI_SUCCESS, tests ? "Testany said nothing" : "Waitany said nothing", persistent);
    for (i = 0; i < RECEIVES; i++) {
        if (request[i] == MPI_REQUEST_NULL) continue;
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        if (request[i] != MPI_REQUEST_NULL) MPI_Request_free(&request[i]);
    }
    is_so(recorded() == 0, tests ? "records of Testany's" : "records of Waitany's", persistent);
}

static jmp_buf behind;

static void leave(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    longjmp(behind, 1);
}

static void receive_and_leave(int other)
{
    static const char sent[SENT] = "abc";
    static char room[ROOM];
    static MPI_Request request;
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    MPI_Irecv(room, ROOM, MPI_CHAR, other, 2, MPI_COMM_WORLD, &request);
    MPI_Send(sent, SENT, MPI_CHAR, other, 2, MPI_COMM_WORLD);
    if (setjmp(behind) == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        is_so(0, "no handler was called", 0);
    }
    is_so(recorded() == 0, "a record of a Wait that was left", 0);
}

int main(int argc, char **argv)
{
    int rank, tests, persistent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (tests = 0; tests < 2; tests++)
        for (persistent = 0; persistent < 2; persistent++) receive(tests, persistent, 1 - rank);
    receive_and_leave(1 - rank);
    MPI_Reduce(rank ? &wrong : MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (!rank) puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
