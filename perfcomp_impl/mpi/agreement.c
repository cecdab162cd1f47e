/* --------------------------------------------------- agreement (MPI impl) ---
   Piggybacks may travel only where every rank expects them. The ranks that have
   the layer agree at Init on whether that is so: each asks the launcher about
   its neighbours in a binary tree of all ranks, and what they know goes up the
   tree and down again. A rank without the layer cuts the tree; those around it
   know, and tell their part. The messages are sent and received inside of
   MPI_Init, between ranks that have the layer: none can meet a user's receive. */

enum {
    PFC__LACKING = 1,      /* a rank has no layer */
    PFC__UNTOLD = 2,       /* the launcher can't say whether one hasn't */
    PFC__DECLINED = 4,     /* PERFCOMP_MPI=some */
    PFC__SWITCHED_OFF = 8, /* PERFCOMP=off */
    PFC__WRAPS = 16        /* a rank has wrappers of its own before ours */
};

/* Why messages stay as they are (0: they needn't), and the first ranks that lack the layer, or wrap calls themselves. */
typedef struct pfc__verdict { int reasons, lacking, wrapping; } pfc__verdict_t;

static int pfc__launcher_told; /* this rank's word is with it */

static PFC__QUIET void pfc__verdict_join(pfc__verdict_t *v, pfc__verdict_t other)
{
    v->reasons |= other.reasons;
    if (other.lacking < v->lacking) v->lacking = other.lacking;
    if (other.wrapping < v->wrapping) v->wrapping = other.wrapping;
}

/* PERFCOMP_MPI; "all": what can't be known is taken for granted. */
static PFC__QUIET int pfc__wish_is(const char *value)
{
    const char *wish = pfc__environment("PERFCOMP_MPI");
    return !strcmp(wish ? wish : "", value);
}

/* After PMPI_Init: what this rank has to say. */
static PFC__QUIET pfc__verdict_t pfc__verdict_own(int rank)
{
    pfc__verdict_t mine = { 0, INT_MAX, INT_MAX };
    if (pfc__interposed()) mine.reasons |= PFC__WRAPS, mine.wrapping = rank;
    if (pfc__wish_is("some")) mine.reasons |= PFC__DECLINED;
    else if (!pfc__wish_is("") && !pfc__wish_is("all"))
        pfc__note_setting("PERFCOMP_MPI=%s isn't understood: use PERFCOMP_MPI=all or PERFCOMP_MPI=some", pfc__environment("PERFCOMP_MPI"));
    if (!pfc__thread_get()) mine.reasons |= PFC__SWITCHED_OFF;
    return mine;
}

static PFC__QUIET pfc__verdict_t pfc__verdict_from(int rank)
{
    pfc__verdict_t v = { 0, INT_MAX, INT_MAX };
    PMPI_Recv(&v, 3, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return v;
}

static PFC__QUIET void pfc__verdict_to(int rank, pfc__verdict_t v) { PMPI_Send(&v, 3, MPI_INT, rank, 0, MPI_COMM_WORLD); }

/* Up and down the tree. *speaks: this is the first rank that has the layer. */
static PFC__QUIET pfc__verdict_t pfc__verdict_sweep(pfc__verdict_t v, int rank, int size, int *speaks)
{
    int near[3] = { rank ? (rank - 1) / 2 : size, 2 * rank + 1, 2 * rank + 2 }, there[3], i;
    for (i = 0; i < 3; i++) {
        pfc__verdict_t lacks = { PFC__LACKING, near[i], INT_MAX };
        there[i] = near[i] < size && pfc__launcher_knows(near[i]);
        if (near[i] < size && !there[i]) pfc__verdict_join(&v, lacks);
    }
    for (i = 1; i < 3; i++)
        if (there[i]) pfc__verdict_join(&v, pfc__verdict_from(near[i]));
    if (there[0]) {
        pfc__verdict_to(near[0], v);
        v = pfc__verdict_from(near[0]);
    }
    for (i = 1; i < 3; i++)
        if (there[i]) pfc__verdict_to(near[i], v);
    *speaks = !there[0];
    for (i = 0; *speaks && i < rank; i++) *speaks = !pfc__launcher_knows(i);
    return v;
}

/* One line on stderr, and in every rank's profile. */
static PFC__QUIET void pfc__verdict_say(pfc__verdict_t v, int rank, int size, int speaks)
{
    static const char rest[] = "messages stay as they are, and times are corrected for each rank's own instrumentation only";
    char line[512];
    void *kept;
    if (v.reasons & (PFC__DECLINED | PFC__SWITCHED_OFF)) { /* as the user wished: who reads the profiles may be another one */
        pfc__note_keep("a rank ran with PERFCOMP_MPI=some or PERFCOMP=off: %s", rest);
        return;
    }
    if (v.reasons & PFC__LACKING)
        snprintf(line, sizeof line, "rank %d of %d runs without perfcomp_mpi.h: %s; to have delays followed and waiting times "
                 "corrected, build every program of this job with it", v.lacking, size, rest);
    else if (v.reasons & PFC__WRAPS)
        snprintf(line, sizeof line, "rank %d of %d has wrappers of MPI calls%s%s before those of perfcomp_mpi.h: %s; run it "
                 "without them", v.wrapping, size, v.wrapping == rank ? ", such as " : "",
                 v.wrapping == rank ? pfc__interposed() : "", rest);
    else
        snprintf(line, sizeof line, "this launcher can't tell whether each of the %d ranks has perfcomp_mpi.h: %s; if all have "
                 "it, set PERFCOMP_MPI=all", size, rest);
    if (speaks) pfc__note("%s", line);
    else if ((kept = pfc__extent_add(PFC__NOTES, 1, strlen(line) + 1, 0)) != 0) memcpy(kept, line, strlen(line) + 1);
}

/* After PMPI_Init: do all ranks go along? The same answer on all that have the layer. */
static PFC__QUIET int pfc__agreement_end(int rank, int size)
{
    pfc__verdict_t mine = pfc__verdict_own(rank), v = mine;
    int speaks = rank == 0 || rank == size - 1; /* in case that rank 0 doesn't have the layer */
    if (pfc__launcher_told && size > 1) v = pfc__verdict_sweep(mine, rank, size, &speaks);
    else if (PFC__ONE_PROGRAM || pfc__wish_is("all")) {
        PMPI_Allreduce(&mine.reasons, &v.reasons, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
        PMPI_Allreduce(&mine.wrapping, &v.wrapping, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    } else if (size > 1) v.reasons |= PFC__UNTOLD;
    pfc__launcher_leave();
    if (v.reasons) pfc__verdict_say(v, rank, size, speaks);
    return !v.reasons;
}
