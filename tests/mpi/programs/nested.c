/* Regions that the program enters inside of a call of MPI, from a function of its own that the library calls: what
   their probes took stays in Δ. And calls of MPI from there: what these have waited counts once. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <time.h>

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

/* ---- two ranks: the first is late by overhead, the second by what it does */

static MPI_Comm beside;

static int copied_together(MPI_Comm comm, int key, void *extra, void *from, void *to, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)from, (void)to;
    MPI_Barrier(beside);
    *flag = 0;
    return MPI_SUCCESS;
}

static void rest(long ms)
{
    struct timespec time = { 0, ms * 1000000 };
    nanosleep(&time, NULL);
}

/* Both would end when the second one's own time is over. Returns 0: they do. */
static int waits_counted_twice(void)
{
    MPI_Comm comm;
    int rank, key;
    int64_t begin, ct, took;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &beside);
    MPI_Comm_create_keyval(copied_together, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = pfc_lt();
    ct = pfc__clock();
    rest(rank ? 200 : 500);
    if (!rank) pfc__delta_charge(pfc__self, pfc__clock() - ct);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    took = pfc_lt() - begin;
    MPI_Comm_free(&comm);
    MPI_Comm_free(&beside);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    if (took < 320000000) return 0;
    printf("rank %d: MPI_Comm_dup ends after %lld ns, 200 ms of which are anybody's own\n", rank, (long long)took);
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int key, size;
    int64_t begin, outside, inside;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1) {
        int rank, failed = waits_counted_twice();
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Finalize();
        if (!failed && !rank) puts("ok");
        return failed;
    }
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
