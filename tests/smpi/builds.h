/* What is alike in the builds of a program that are held against each other: plain, and with the layer (LAYER). */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdint.h>

static uint64_t seed;

/* In [0, 1), the same in every build. */
static double random_of(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = seed + a * 0x9e3779b97f4a7c15u + b * 0xc2b2ae3d27d4eb4fu + c * 0x165667b19e3779f9u;
    x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 33)) >> 11) / 9007199254740992.0;
}

/* ns; the uninstrumented program's, as far as this build knows */
static double now(void)
{
#if defined LAYER
    return (double)pfc_lt();
#else
    return MPI_Wtime() * 1e9;
#endif
}

/* ns: how far off that may be */
static double doubt(void)
{
#if defined LAYER
    return (double)pfc__delta_doubt(pfc__self) / (1 << PFC__FRACTION) / pfc__ticks_per_ns();
#else
    return 0;
#endif
}

/* Before a rank's call number `at`: work of up to `ns`, and up to so many probes, where there are any. */
static inline void work_unevenly(int rank, int at, int probes, double ns)
{
    uint64_t number = (uint64_t)at, of = (uint64_t)rank;
#if defined LAYER
    int k, n = (int)(probes * random_of(1, of, 0) * random_of(2, number, of));
    for (k = 0; k < n; k++) {
        PFC_SCOPE("probe");
        PFC_HIT("hit");
    }
#endif
    if (random_of(3, number, of) < 0.6) smpi_execute_benched(ns * 1e-9 * random_of(4, number, of));
}

/* Each rank sends messages of these lengths to the next, and all meet: from here on the layer has seen how long messages travel, and
   by which way a barrier's go. */
static inline void warm_up(void *room, const int *bytes, int lengths, MPI_Comm comm)
{
    int i, from, rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (i = 0; i < lengths * size; i++) {
        from = i / lengths;
        if (rank == from) {
            smpi_execute_benched(300e-6);
            MPI_Send(room, bytes[i % lengths], MPI_BYTE, (rank + 1) % size, 0, comm);
        } else if (rank == (from + 1) % size)
            MPI_Recv(room, bytes[i % lengths], MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE);
    }
    for (i = 0; i < 8; i++) MPI_Barrier(comm);
}
