/* -------------------------------------------------- interposed (MPI impl) ---
   Calls of MPI come to us where the dynamic linker finds our names first. A
   program, or a library that is loaded before us, may have some of these names
   itself: what it calls then goes past us, and a message without a piggyback
   would meet a receive that expects one. Each wrapper leaves its name in a
   linker section, so that MPI_Init finds that out. A tool that is loaded behind
   us sees nothing: ours call the library by its own names, PMPI_…. */

#if defined __ELF__ && !defined PERFCOMP_SMPI

typedef struct pfc__wrapper { const char *name; void (*found)(void), (*ours)(void); } pfc__wrapper_t;

#define PFC__WRAPPER(symbol) \
    static __typeof__(symbol) pfc__ours_##symbol __attribute__((alias(#symbol))); \
    static const pfc__wrapper_t pfc__wrapper_##symbol __attribute__((section("pfc_wrappers"), used, aligned(8))) = { \
        #symbol, (void (*)(void))symbol, (void (*)(void))pfc__ours_##symbol \
    };

extern const pfc__wrapper_t pfc__wrappers_begin[] __asm__("__start_pfc_wrappers") __attribute__((visibility("hidden")));
extern const pfc__wrapper_t pfc__wrappers_end[] __asm__("__stop_pfc_wrappers") __attribute__((visibility("hidden")));

/* A call that goes past us; NULL: none does. */
static PFC__QUIET const char *pfc__interposed(void)
{
    const pfc__wrapper_t *w;
    for (w = pfc__wrappers_begin; w < pfc__wrappers_end; w++)
        if (w->found != w->ours) return w->name;
    return 0;
}

/* By this name another layer like this one is told from a tool. */
extern __attribute__((visibility("default"), weak)) char pfc__mpi_layer;
char pfc__mpi_layer = 1;

/* Where the next file has that; NULL: none of them, or all is linked statically. */
static PFC__QUIET const void *pfc__file_behind(const char *name, Dl_info *file)
{
    const void *next = dlsym(RTLD_NEXT, name);
    return next && dladdr(next, file) ? file->dli_fbase : 0;
}

/* The file of such a tool; NULL: there is none. All of them have one of these calls. */
static PFC__QUIET const char *pfc__behind(Dl_info *tool)
{
    static const char *const names[] = { "MPI_Init", "MPI_Init_thread", "MPI_Finalize" };
    const void *library = pfc__file_behind("PMPI_Finalize", tool), *layer = pfc__file_behind("pfc__mpi_layer", tool), *file;
    size_t i;
    for (i = 0; library && i < sizeof names / sizeof *names; i++) {
        file = pfc__file_behind(names[i], tool);
        if (file && file != library && file != layer) return tool->dli_fname;
    }
    return 0;
}

static PFC__QUIET void pfc__behind_say(void)
{
    Dl_info tool;
    const char *file = pfc__mpi.rank ? 0 : pfc__behind(&tool);
    if (file)
        pfc__note("%s has wrappers of MPI calls as well, but comes behind perfcomp_mpi.h and sees none of them; have one of the "
                  "two in a run", file);
}

#else

#define PFC__WRAPPER(symbol)
static PFC__QUIET const char *pfc__interposed(void) { return 0; }
static PFC__QUIET void pfc__behind_say(void) { }

#endif
