/* Nonblocking collective calls on a file, of which several are open, completed by one Waitall with messages beside them.
   Argument: a file. Prints "ok". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 4, BYTES = 1 << 20 };

static int rank, size;
static char *buffer;

static void wait_for_all(MPI_Request *request, int *got)
{
    MPI_Status status[CALLS + 2];
    int i, n = 0;
    MPI_Irecv(got, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request[CALLS]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &request[CALLS + 1]);
    if (MPI_Waitall(CALLS + 2, request, status)) MPI_Abort(MPI_COMM_WORLD, 3);
    for (i = 0; i < CALLS + 2; i++)
        if (request[i] != MPI_REQUEST_NULL) MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Get_count(&status[0], MPI_BYTE, &n);
    if (n != BYTES) MPI_Abort(MPI_COMM_WORLD, 5);
}

static void fill(void)
{
    int i;
    for (i = 0; i < CALLS * BYTES; i++) buffer[i] = (char)(rank * 31 + i % 127);
}

int main(int argc, char **argv)
{
    MPI_Request request[CALLS + 2];
    MPI_Info info;
    MPI_File file;
    int i, got[2] = { -1, -1 }, bad;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    buffer = malloc(CALLS * BYTES);
    if (argc < 2 || !buffer) MPI_Abort(MPI_COMM_WORLD, 2);
    fill();
    MPI_Info_create(&info); /* one rank writes for all: so there is much to be said between them */
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Info_set(info, "romio_no_indep_rw", "1");
    MPI_Info_set(info, "cb_nodes", "1");
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    for (i = 0; i < CALLS; i++)
        MPI_File_iwrite_at_all(file, (MPI_Offset)(rank * CALLS + i) * BYTES, buffer + i * BYTES, BYTES, MPI_CHAR, &request[i]);
    wait_for_all(request, &got[0]);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(buffer, 0, CALLS * BYTES);
    for (i = 0; i < CALLS; i++)
        MPI_File_iread_at_all(file, (MPI_Offset)(rank * CALLS + i) * BYTES, buffer + i * BYTES, BYTES, MPI_CHAR, &request[i]);
    wait_for_all(request, &got[1]);
    MPI_File_close(&file);
    MPI_Info_free(&info);
    for (bad = got[0] != got[1] || got[0] != (rank + size - 1) % size, i = 0; i < CALLS * BYTES; i++)
        bad |= buffer[i] != (char)(rank * 31 + i % 127);
    free(buffer);
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) puts(bad ? "wrong" : "ok");
    MPI_Finalize();
    return bad != 0;
}
