/* Two messages of one sender, of which one carries its piggyback and is as long as the other is without: the later one is looked
   at, or received, first. Prints "ok". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIGGYBACK = 32, MOST = 20000, TAG = 5 };
enum { LATER_WAIT, LATER_MRECV, PROBED_BEHIND, LATER_COMM, GAPS, WAYS };

static char a[2 * MOST], b[2 * MOST];
static int rank, wrong;
static MPI_Comm across[2];
static MPI_Datatype with_gaps;

static void send_both(int way, int bytes)
{
    MPI_Request request;
    memset(a, 'a', (size_t)bytes);
    memset(b, 'b', (size_t)bytes + PIGGYBACK);
    MPI_Isend(a, bytes, MPI_CHAR, way == LATER_COMM ? 0 : 1, TAG, way == LATER_COMM ? across[0] : MPI_COMM_WORLD, &request);
    MPI_Send(b, bytes + PIGGYBACK, MPI_CHAR, way == LATER_COMM ? 0 : 1, TAG, way == LATER_COMM ? across[1] : MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* `data`: NULL: it was only probed. */
static void expect(int way, int bytes, const MPI_Status *status, const char *data, char what, int step)
{
    int got, i, good;
    MPI_Get_count(status, MPI_CHAR, &got);
    good = got == bytes;
    for (i = 0; data && i < bytes && good; i++) good = data[i * step] == what;
    if (good) return;
    wrong++;
    printf("way %d, %d bytes: %d, %.4s\n", way, bytes, got, data ? data : "probed");
}

static void receive_both(int way, int bytes)
{
    MPI_Request request[2];
    MPI_Message message[2];
    MPI_Status status[2];
    MPI_Datatype type = way == GAPS ? with_gaps : MPI_CHAR;
    int step = way == GAPS ? 2 : 1;
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    switch (way) {
    case LATER_MRECV:
        MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message[0], &status[0]);
        expect(way, bytes, &status[0], NULL, 0, 0);
        MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message[1], MPI_STATUS_IGNORE);
        MPI_Mrecv(b, MOST, MPI_CHAR, &message[1], &status[1]);
        MPI_Mrecv(a, MOST, MPI_CHAR, &message[0], &status[0]);
        break;
    case PROBED_BEHIND:
        MPI_Irecv(a, MOST, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, &request[0]);
        MPI_Probe(0, TAG, MPI_COMM_WORLD, &status[1]);
        expect(way, bytes + PIGGYBACK, &status[1], NULL, 0, 0);
        MPI_Recv(b, MOST, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, &status[1]);
        MPI_Wait(&request[0], &status[0]);
        break;
    case LATER_COMM:
        MPI_Recv(b, MOST, MPI_CHAR, 0, TAG, across[1], &status[1]);
        MPI_Recv(a, MOST, MPI_CHAR, 0, TAG, across[0], &status[0]);
        break;
    default:
        MPI_Irecv(a, MOST, type, 0, TAG, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(b, MOST, type, 0, TAG, MPI_COMM_WORLD, &request[1]);
        MPI_Wait(&request[1], &status[1]);
        MPI_Wait(&request[0], &status[0]);
    }
    expect(way, bytes, &status[0], a, 'a', step);
    expect(way, bytes + PIGGYBACK, &status[1], b, 'b', step);
}

int main(int argc, char **argv)
{
    static const int middle[] = { 4096, 8192, 8320 };
    MPI_Comm self;
    MPI_Datatype one;
    int i, way, bytes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    for (i = 0; i < 2; i++) MPI_Intercomm_create(self, 0, MPI_COMM_WORLD, !rank, i, &across[i]);
    MPI_Type_create_resized(MPI_CHAR, 0, 2, &one);
    MPI_Type_dup(one, &with_gaps);
    MPI_Type_commit(&with_gaps);
    for (i = 0; i < (int)(sizeof middle / sizeof *middle); i++)
        for (bytes = middle[i] - 40; bytes < middle[i] + 40; bytes += 3)
            for (way = 0; way < WAYS; way++) rank ? receive_both(way, bytes) : send_both(way, bytes);
    MPI_Type_free(&one);
    MPI_Type_free(&with_gaps);
    for (i = 0; i < 2; i++) MPI_Comm_free(&across[i]);
    MPI_Comm_free(&self);
    MPI_Finalize();
    if (rank == 1 && !wrong) puts("ok");
    return wrong != 0;
}
