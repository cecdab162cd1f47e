/* MPI_Isendrecv and the replacing forms, between two ranks, of lengths around those from which on a piggyback travels apart:
   data, counts, sources and what lies behind the data are right, of an absolute datatype, too. Prints "ok". */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 200000, BEHIND = 64, KEPT = 99 };

static char out[MOST], in[MOST];
static int rank, wrong;

static char datum(int i, int from) { return (char)(i * 7 + from + (i >> 8)); }

static void received(const char *what, MPI_Request *request, int bytes, int room)
{
    MPI_Status s;
    int n, i;
    MPI_Wait(request, &s);
    MPI_Get_count(&s, MPI_CHAR, &n);
    for (i = 0; i < bytes && in[i] == datum(i, 1 - rank);) i++;
    while (i >= bytes && i < room + BEHIND && in[i] == KEPT) i++;
    if (n == bytes && s.MPI_SOURCE == 1 - rank && s.MPI_TAG == 3 && i == room + BEHIND) return;
    printf("%s: %d bytes into %d: count %d, source %d, tag %d, wrong at %d\n", what, bytes, room, n, s.MPI_SOURCE, s.MPI_TAG, i);
    wrong++;
}

/* The data of `in`, wherever it is. */
static MPI_Datatype absolute(int bytes)
{
    MPI_Datatype type;
    MPI_Aint place;
    MPI_Get_address(in, &place);
    MPI_Type_create_hindexed(1, &bytes, &place, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    return type;
}

static void received_now(const char *what, const MPI_Status *status, int bytes, MPI_Datatype type)
{
    int n, i;
    MPI_Get_count((MPI_Status *)status, type, &n);
    for (i = 0; i < bytes && in[i] == datum(i, 1 - rank);) i++;
    if (i == bytes && n == 1 && status->MPI_SOURCE == 1 - rank) return;
    printf("%s: %d bytes: count %d, source %d, wrong at %d\n", what, bytes, n, status->MPI_SOURCE, i);
    wrong++;
}

static void replaced_anywhere(int bytes)
{
    MPI_Datatype type = absolute(bytes);
    MPI_Request request;
    MPI_Status status;
    memcpy(in, out, (size_t)bytes);
    MPI_Sendrecv_replace(MPI_BOTTOM, 1, type, 1 - rank, 3, 1 - rank, 3, MPI_COMM_WORLD, &status);
    received_now("Sendrecv_replace of an absolute type", &status, bytes, type);
    memcpy(in, out, (size_t)bytes);
    MPI_Isendrecv_replace(MPI_BOTTOM, 1, type, 1 - rank, 3, 1 - rank, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    received_now("Isendrecv_replace of an absolute type", &status, bytes, type);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    static const int length[] = { 0, 100, 4064, 4080, 4096, 4100, 8192, 8200, 8224, 8225, 8240, 8256, 8300, 20000, 100000 };
    static const int more[] = { 0, 20, 40, 50000 };
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < (int)(sizeof length / sizeof *length); k++)
        for (int wild = 0; wild < 2; wild++) {
            int bytes = length[k], from = wild ? MPI_ANY_SOURCE : 1 - rank, tag = wild ? MPI_ANY_TAG : 3;
            for (int i = 0; i < bytes; i++) out[i] = datum(i, rank);
            for (int j = 0; j < (int)(sizeof more / sizeof *more); j++) {
                int room = bytes + more[j];
                memset(in, KEPT, sizeof in);
                MPI_Isendrecv(out, bytes, MPI_CHAR, 1 - rank, 3, in, room, MPI_CHAR, from, tag, MPI_COMM_WORLD, &request);
                received("Isendrecv", &request, bytes, room);
            }
            memset(in, KEPT, sizeof in);
            memcpy(in, out, (size_t)bytes);
            MPI_Isendrecv_replace(in, bytes, MPI_CHAR, 1 - rank, 3, from, tag, MPI_COMM_WORLD, &request);
            received("Isendrecv_replace", &request, bytes, bytes);
            if (bytes) replaced_anywhere(bytes);
        }
    MPI_Finalize();
    if (rank == 0 && !wrong) puts("ok");
    return wrong != 0;
}
