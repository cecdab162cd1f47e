/* Regions that the program enters inside of a call of MPI, from a function of its own that the library calls: what
   their probes took stays in Δ. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <stdio.h>

enum { ENTRIES = 100000 };

static void enter_many(void)
{
    for (int i = 0; i < ENTRIES; i++) { PFC_SCOPE("entered"); }
}

static int copied(MPI_Comm comm, int key, void *extra, void *from, void *to, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)from, (void)to;
    enter_many();
    *flag = 0;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int key;
    int64_t begin, outside, inside;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    begin = pfc_delta();
    enter_many();
    outside = pfc_delta() - begin;
    begin = pfc_delta();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    inside = pfc_delta() - begin;
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    if (inside > outside / 4) puts("ok");
    else printf("outside %lld ns, inside of MPI_Comm_dup %lld ns\n", (long long)outside, (long long)inside);
    return 0;
}
