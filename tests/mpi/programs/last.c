/* MPI_Finalize begins with what is to be done when MPI_COMM_SELF is freed: what was begun before is completed there, and
   what was sent is received. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define W MPI_COMM_WORLD
#define CHECK(x) ((x) ? (void)0 : (failed++, (void)fprintf(stderr, "rank %d: line %d: %s\n", rank, __LINE__, #x)))

enum { FEW = 3, MANY = 20000 };

static int rank, other, failed, numbers[MANY], few[FEW + 2], many[MANY];
static MPI_Request request[3];

static int last(MPI_Comm comm, int key, void *value, void *extra)
{
    int more[FEW + 2] = { 0 }, sum = 0, n = 0;
    MPI_Status status[3];
    (void)comm, (void)key, (void)value, (void)extra;
    MPI_Waitall(3, request, status);
    MPI_Get_count(&status[0], MPI_INT, &n);
    CHECK(n == FEW && !memcmp(few, numbers, FEW * sizeof(int)) && few[FEW] == 0);
    CHECK(!memcmp(many, numbers, sizeof many));
    MPI_Recv(more, FEW + 2, MPI_INT, MPI_ANY_SOURCE, 3, W, &status[0]);
    MPI_Get_count(&status[0], MPI_INT, &n);
    CHECK(n == FEW && !memcmp(more, numbers, FEW * sizeof(int)) && more[FEW] == 0);
    MPI_Sendrecv(numbers, 1, MPI_INT, other, 4, more, 2, MPI_INT, other, 4, W, &status[0]);
    MPI_Get_count(&status[0], MPI_INT, &n);
    CHECK(n == 1);
    MPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, W);
    if (rank == 0) puts(sum ? "failed" : "ok");
    fflush(stdout);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key, i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    other = 1 - rank;
    for (i = 0; i < MANY; i++) numbers[i] = i + 1;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Irecv(few, FEW + 2, MPI_INT, other, 1, W, &request[0]);
    MPI_Irecv(many, MANY, MPI_INT, MPI_ANY_SOURCE, 2, W, &request[1]);
    MPI_Send(numbers, FEW, MPI_INT, other, 1, W);
    MPI_Isend(numbers, MANY, MPI_INT, other, 2, W, &request[2]);
    MPI_Send(numbers, FEW, MPI_INT, other, 3, W);
    MPI_Finalize();
    return failed != 0;
}
