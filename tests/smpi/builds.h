/* What is alike in the builds of a program that are held against each other: plain, and with the layer (LAYER). */
#include <mpi.h>
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
