/* Messages to ranks that there aren't, of all lengths, where errors return: the library says so, and nothing else happens. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define W MPI_COMM_WORLD
#define CHECK(x) ((x) ? (void)0 : (failed++, (void)fprintf(stderr, "rank %d: line %d, %d bytes: %s\n", rank, __LINE__, bytes, #x)))

static int rank, size, failed, bytes;
static char *data;

static int is_rank(int error)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    return class == MPI_ERR_RANK;
}

static void nowhere(MPI_Comm comm, int there)
{
    MPI_Request request;
    CHECK(is_rank(MPI_Send(data, bytes, MPI_CHAR, there, 1, comm)));
    CHECK(is_rank(MPI_Ssend(data, bytes, MPI_CHAR, there, 1, comm)));
    CHECK(is_rank(MPI_Isend(data, bytes, MPI_CHAR, there, 1, comm, &request)));
    CHECK(is_rank(MPI_Recv(data, bytes, MPI_CHAR, there == -7 ? 17 : there, 1, comm, MPI_STATUS_IGNORE)));
    CHECK(is_rank(MPI_Irecv(data, bytes, MPI_CHAR, there == -7 ? 17 : there, 1, comm, &request)));
    CHECK(is_rank(MPI_Send_init(data, bytes, MPI_CHAR, there, 1, comm, &request)));
    CHECK(is_rank(MPI_Sendrecv(data, bytes, MPI_CHAR, there, 1, data + bytes, bytes, MPI_CHAR, rank, 1, comm, MPI_STATUS_IGNORE)));
}

int main(int argc, char **argv)
{
    int sizes[] = { 0, 4, 4000, 4096, 8180, 16380, 65520, 65530, 100000 }, sum = 0, i;
    MPI_Comm comm[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    data = calloc(200000, 1);
    MPI_Comm_dup(W, &comm[0]);
    MPI_Comm_split(W, rank % 2, 0, &comm[1]);
    MPI_Intercomm_create(comm[1], 0, W, 1 - rank % 2, 3, &comm[2]);
    for (i = 0; i < 3; i++) MPI_Comm_set_errhandler(comm[i], MPI_ERRORS_RETURN);
    for (i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        bytes = sizes[i];
        nowhere(comm[0], 17);
        nowhere(comm[0], -7);
        nowhere(comm[1], size);
        nowhere(comm[2], size);
    }
    for (i = 0; i < 3; i++) MPI_Comm_free(&comm[i]);
    MPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, W);
    if (rank == 0) puts(sum ? "failed" : "ok");
    free(data);
    MPI_Finalize();
    return sum != 0;
}
