/* Nonblocking collectives that may be over for some ranks before all have come: who asks for one, or takes what is complete, waits for
   nobody who waits for the answer. Prints "ok". */
#include <mpi.h>
#include <stdio.h>

#define W MPI_COMM_WORLD

enum { MOST = 8, LENGTH = 100, TIMES = 5 };
enum { ALLTOALLV, ALLGATHERV, REDUCE_SCATTER, GATHERV, SCATTERV, SCATTER, SCAN, CALLS };
enum { TEST, TESTANY, TESTSOME, TESTALL, LOOK, WAITANY, WAITSOME, WAYS };
enum { QUESTION = 1, NEWS = 2 };

static int rank, size, in[MOST * LENGTH], out[MOST * LENGTH];

/* There are data from lower to higher ranks, or from and for rank 0, only. */
static void begin(int call, MPI_Request *request)
{
    static int give[MOST], get[MOST], alone[MOST], at[MOST];
    int i;
    for (i = 0; i < size; i++) {
        give[i] = i > rank ? LENGTH : 0;
        get[i] = i < rank ? LENGTH : 0;
        alone[i] = i == 0 ? LENGTH : 0;
        at[i] = i * LENGTH;
    }
    switch (call) {
    case ALLTOALLV: MPI_Ialltoallv(in, give, at, MPI_INT, out, get, at, MPI_INT, W, request); break;
    case ALLGATHERV: MPI_Iallgatherv(in, alone[rank], MPI_INT, out, alone, at, MPI_INT, W, request); break;
    case REDUCE_SCATTER: MPI_Ireduce_scatter(in, out, alone, MPI_INT, MPI_SUM, W, request); break;
    case GATHERV: MPI_Igatherv(in, alone[rank], MPI_INT, out, alone, at, MPI_INT, 0, W, request); break;
    case SCATTERV: MPI_Iscatterv(in, alone, at, MPI_INT, out, alone[rank], MPI_INT, 0, W, request); break;
    case SCATTER: MPI_Iscatter(in, LENGTH, MPI_INT, out, LENGTH, MPI_INT, 0, W, request); break;
    default: MPI_Iscan(in, out, LENGTH, MPI_INT, MPI_SUM, W, request);
    }
}

/* Of the collective, and of news that come in any case. */
static void ask(int way, MPI_Request *request)
{
    MPI_Status status[2];
    int done, at[2];
    switch (way) {
    case TEST: MPI_Test(request, &done, status); break;
    case TESTANY: MPI_Testany(1, request, at, &done, status); break;
    case TESTSOME: MPI_Testsome(1, request, &done, at, status); break;
    case TESTALL: MPI_Testall(1, request, &done, status); break;
    case LOOK: MPI_Request_get_status(*request, &done, status); break;
    case WAITANY: MPI_Waitany(2, request, at, status); break;
    default: MPI_Waitsome(2, request, &done, at, status);
    }
}

/* One rank comes when it has heard of all others. */
static void meet(int call, int way, int late)
{
    MPI_Request request[2];
    int i, news = 0;
    if (rank == late) {
        for (i = 0; i < size; i++)
            if (i != late) MPI_Send(&news, 1, MPI_INT, i, NEWS, W);
        for (i = 0; i < size; i++)
            if (i != late) MPI_Recv(&news, 1, MPI_INT, i, QUESTION, W, MPI_STATUS_IGNORE);
        begin(call, request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
        return;
    }
    begin(call, &request[0]);
    MPI_Irecv(&news, 1, MPI_INT, late, NEWS, W, &request[1]);
    for (i = 0; i < (way < WAITANY ? TIMES : 1); i++) ask(way, request);
    MPI_Send(&news, 1, MPI_INT, late, QUESTION, W);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int call, way, late;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    for (call = 0; call < CALLS; call++)
        for (way = 0; way < WAYS; way++)
            for (late = 0; late < size; late++) meet(call, way, late);
    MPI_Finalize();
    if (rank == 0) puts("ok");
    return 0;
}
