/* `make preload`: the layer as a shared object, for programs that can't be
   rebuilt. It brings the MPI of its compiler with it; where the program has
   another one, calls of the one would meet the other (Fortran's do, before
   MPI_Init is ours). Such a program begins again without us, before any of it
   has run. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#ifdef __GLIBC__ /* whose constructors are given the arguments */
#include <sys/auxv.h>

/* What a program or a binding that is compiled for the other one refers to. */
#ifdef OPEN_MPI
static const char preload_others[] = "MPIR_Dup_fn";
#else
static const char preload_others[] = "ompi_mpi_comm_world";
#endif

/* Whether `entry` of LD_PRELOAD is this file, which the dynamic linker knows as `own`. */
static int preload_is(const char *entry, const char *own)
{
    char one[PATH_MAX], other[PATH_MAX];
    if (!strchr(entry, '/')) return !strcmp(entry, strrchr(own, '/') ? strrchr(own, '/') + 1 : own);
    return realpath(entry, one) && realpath(own, other) && !strcmp(one, other);
}

/* Takes this file out of LD_PRELOAD. 0: it isn't there. */
static int preload_leave(void)
{
    const char *now = getenv("LD_PRELOAD");
    char *list = now ? strdup(now) : 0, *rest = list ? (char *)calloc(1, strlen(list) + 2) : 0, *entry, *next;
    Dl_info us;
    int found = 0;
    if (rest && dladdr(preload_others, &us))
        for (entry = strtok_r(list, ": ", &next); entry; entry = strtok_r(0, ": ", &next)) {
            if (preload_is(entry, us.dli_fname)) found = 1;
            else strcat(strcat(rest, ":"), entry);
        }
    if (found && rest[0]) setenv("LD_PRELOAD", rest + 1, 1);
    else if (found) unsetenv("LD_PRELOAD");
    free(list);
    free(rest);
    return found;
}

/* Of a program that is run as an argument of the dynamic linker, the path isn't known. */
static void preload_begin_again(char **argv)
{
    char path[PATH_MAX];
    ssize_t n = getauxval(AT_BASE) ? readlink("/proc/self/exe", path, sizeof path - 1) : -1;
    if (n <= 0 || !preload_leave()) return;
    path[n] = 0;
    execv(path, argv);
}

__attribute__((constructor)) static void preload_start(int argc, char **argv)
{
    (void)argc;
    if (!dlsym(RTLD_DEFAULT, preload_others)) return;
    if (!pfc__rank_of_launcher())
        pfc__note("this program's MPI isn't the one that the preloaded perfcomp_mpi.h was compiled for: nothing is measured; "
                  "compile it for this one: make preload MPICC=compiler");
    preload_begin_again(argv);
}
#endif
