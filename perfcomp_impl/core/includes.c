#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined __linux__
#  include <sys/auxv.h>
#  include <sys/syscall.h>
#endif
#if defined __x86_64__
#  include <cpuid.h>
#endif
#if defined __GLIBC__ && !defined __USE_GNU /* the program included pthread.h before us, without _GNU_SOURCE */
extern int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
#endif
#if !defined MAP_ANONYMOUS || (defined __GLIBC__ && !defined __USE_MISC)
#  define PFC__TOO_LATE 1
#  error "perfcomp: where PERFCOMP_IMPLEMENTATION is defined, include perfcomp.h before other headers, or compile with -D_GNU_SOURCE"
#endif

/* What the linker puts in the place of a function (--wrap) is declared nowhere. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#if !defined __cplusplus
#  pragma GCC diagnostic ignored "-Wmissing-prototypes"
#endif
