#endif /* PERFCOMP_DISABLE */
#endif /* PERFCOMP_MPI_H */

#if defined PERFCOMP_MPI_IMPLEMENTATION && !defined PERFCOMP_DISABLE && !defined PERFCOMP_MPI_IMPLEMENTED
#define PERFCOMP_MPI_IMPLEMENTED
/* ========================================================= implementation === */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined __GLIBC__ && !defined __USE_MISC
#  error "perfcomp: where PERFCOMP_MPI_IMPLEMENTATION is defined, include perfcomp_mpi.h before other headers, or compile with -D_GNU_SOURCE"
#endif
#if defined __GLIBC__ && !defined __USE_GNU /* the program included dlfcn.h before us, without _GNU_SOURCE */
typedef struct { const char *dli_fname; void *dli_fbase; const char *dli_sname; void *dli_saddr; } Dl_info;
extern int dladdr(const void *address, Dl_info *info);
#endif
#if defined __GLIBC__ && !defined RTLD_NEXT /* the same */
#define RTLD_NEXT ((void *)-1l)
#endif

/* What there is of MPI-4: of SimGrid nothing. Open MPI 5 says that it's MPI-3.1, and lacks the large counts only. */
#if defined PERFCOMP_SMPI
#  define PFC__MPI_4 0
#  define PFC__MPI_LARGE_COUNTS 0
#elif defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5
#  define PFC__MPI_4 1
#  define PFC__MPI_LARGE_COUNTS (MPI_VERSION >= 4)
#else
#  define PFC__MPI_4 (MPI_VERSION >= 4)
#  define PFC__MPI_LARGE_COUNTS PFC__MPI_4
#endif
#define PFC__MPI_4_1 (PFC__MPI_4 && (MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)))

PFC__EXTERN_C_BEGIN
