/* ------------------------------------------------------- files (MPI impl) ---
   Collective calls on a file. MPI lets them end before the last rank has come;
   in fact opening, closing and what changes the file for all do meet, and
   reading and writing do as far as the ranks' parts hang together. So they are
   taken for meetings (R6), but where the clock shows that a call ended before
   the last rank came: it waited for none, and nor would the last one have (pfc__let_go).
   For one that ended later although it didn't wait, this is an upper bound of its wait.
   Nonblocking ones likewise, where they are completed; what the last one would have
   waited is in doubt there. That calls of single ranks queue for a file's shared pointer
   isn't known: they count as local. */

#ifndef PERFCOMP_SMPI

typedef struct pfc__file { pfc__by_handle_t entry; MPI_Comm comm; } pfc__file_t; /* comm: ours, over its ranks */

static pfc__handles_t pfc__files;

/* On every rank, also where opening has failed: perhaps it hasn't on another one. */
static PFC__QUIET void pfc__file_opened(MPI_Comm users, int error, MPI_File file)
{
    pfc__file_t *f = error ? 0 : (pfc__file_t *)calloc(1, sizeof *f);
    int recorded = f && pfc__comm_carries(users);
    MPI_Comm comm;
    if (recorded) pfc__handles_keep(&pfc__files, PFC__KEY(file), &f->entry);
    comm = pfc__comm_beside(users, recorded);
    if (comm != MPI_COMM_NULL) {
        f->comm = comm;
        return;
    }
    if (recorded) pfc__handles_take(&pfc__files, PFC__KEY(file));
    free(f);
}

static PFC__QUIET const pfc__file_t *pfc__file_of(MPI_File file)
{
    return (const pfc__file_t *)(const void *)pfc__handles_look(&pfc__files, PFC__KEY(file));
}

static PFC__QUIET void pfc__file_begin(pfc__call_t *c, pfc__collective_t *k, const pfc__file_t *f)
{
    pfc__collective_begin(c, k, PFC__RULE_ALL, 0, f ? f->comm : MPI_COMM_NULL);
    k->may_part = PFC__MAY_LET_GO;
    k->in_turn = 1;
}

static PFC__QUIET int pfc__file_close(pfc__call_t *c, MPI_File *file)
{
    pfc__file_t *f = (pfc__file_t *)(void *)pfc__handles_take(&pfc__files, PFC__KEY(*file));
    pfc__collective_t k;
    int error;
    pfc__file_begin(c, &k, f);
    error = PMPI_File_close(file);
    pfc__collective_end(c, &k, error);
    if (!f) return error;
    pfc__comm_drop(f->comm);
    free(f);
    return error;
}

#endif
