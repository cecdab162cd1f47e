/* -------------------------------------------------------- unseen (impl) ---
   What a run finds at its end that it couldn't count, or take out: kept as notes, for the report. */

/* Plain arrays lose counts when two threads add at once. Not said on stderr: a test suite may compare that. */
static PFC__QUIET void pfc__note_races(void)
{
    const pfc__mapped_t *m = pfc__units;
    while (m && (!m->array || m->adding & PFC__ADDED_ATOMICALLY)) m = m->next;
    if (!m || pfc__threads_own() < 2) return;
    pfc__note_keep("several threads ran, but the counters of %s (and maybe others) are for one: their counts may be too low; "
                   "compile with perfcomp-cc --threads (or -pthread), or, for PFC_HIT, define PERFCOMP_THREADS", m->unit->name);
}

/* Waits that nobody has told us of: a linker must be asked to wrap calls; clang's OpenMP tells one tool only. */
static PFC__QUIET void pfc__note_waits(void)
{
#if defined PFC__THREADS_MEET
    if (pfc__threads_own() < 2) return;
    if (pfc__libomp && !pfc__ompt_is_on)
        pfc__note_keep("several threads ran, with an OpenMP that tells another tool, or none (OMPT), of its waits: who waits for another "
                       "one there waits for its probes, too, which aren't taken out of the times; run it without OMP_TOOL_LIBRARIES");
    else if (!__real_pthread_join)
        pfc__note_keep(pfc__ompt_is_on ?
                       "several threads ran, and waits but those at the ends of OpenMP's regions and at its barriers aren't wrapped: who waits "
                       "otherwise for another one waits for its probes, too, which aren't taken out of the times; link with what "
                       "perfcomp-cc --wraps prints (it can't be done with -static, nor by preloading)" :
                       "several threads ran, and waits aren't wrapped: who waits for another one waits for its probes, too, which "
                       "aren't taken out of the times; link with what perfcomp-cc --wraps prints (it can't be done with "
                       "-static, nor by preloading)");
#endif
}

/* An MPI program that an MPI compiler hasn't linked (cmake finds the library for gcc) has no layer, and nothing would
   tell: where nobody wraps MPI_Init, both names are one function. */
#if defined __ELF__ && !defined PERFCOMP_SMPI && !defined PERFCOMP_MPI_IMPLEMENTATION
#define PFC__LOOKS_FOR_MPI /* under MPI's own names, which nobody can define behind this */
extern __attribute__((weak)) int pfc__mpi_init(int *, char ***) __asm__("MPI_Init");
extern __attribute__((weak)) int pfc__pmpi_init(int *, char ***) __asm__("PMPI_Init");
extern __attribute__((weak)) int pfc__pmpi_initialized(int *) __asm__("PMPI_Initialized");

static PFC__QUIET void pfc__note_mpi(void)
{
    int begun = 0;
    if (!pfc__mpi_init || pfc__mpi_init != pfc__pmpi_init || !pfc__pmpi_initialized) return;
    pfc__pmpi_initialized(&begun);
    if (begun)
        pfc__note_keep("MPI ran without perfcomp_mpi.h: a rank that waits for another one waits for its probes, too, which aren't taken "
                       "out of the times, nor in ±; link with perfcomp-cc before an MPI compiler (mpicc), or preload the layer");
}
#else
static PFC__QUIET void pfc__note_mpi(void) { }
#endif
