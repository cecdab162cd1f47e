/* `make preload`: the layer as a shared object, for programs that can't be rebuilt. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"
