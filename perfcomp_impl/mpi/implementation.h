#endif /* PERFCOMP_DISABLE */
#endif /* PERFCOMP_MPI_H */

#if defined PERFCOMP_MPI_IMPLEMENTATION && !defined PERFCOMP_DISABLE && !defined PERFCOMP_MPI_IMPLEMENTED
#define PERFCOMP_MPI_IMPLEMENTED
/* ========================================================= implementation === */

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PFC__EXTERN_C_BEGIN
