/* Of the sessions model: MPI_Init is never called, or with an argument after a session's
   communicator was made. Each rank gives its number, from 1 on. Prints "sum N" on rank 0. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, mine, sum = 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "sum", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    mine = rank + 1;
    if (argc > 1) {
        MPI_Init(&argc, &argv);
        MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Finalize();
    } else MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
    if (!rank) printf("sum %d\n", sum);
    MPI_Comm_free(&comm);
    return MPI_Session_finalize(&session);
}
