/* ------------------------------------------------------- files (MPI impl) ---
   Collective calls on a file. MPI lets them end before the last rank has come;
   in fact opening, closing and what changes the file for all do meet, and
   reading and writing do as far as the ranks' parts hang together. So they are
   taken for meetings (R6), but where the clock shows that a call ended before
   the last rank came: it waited for none. For one that ended later although it
   didn't wait, this is an upper bound of its wait. */

#ifndef PERFCOMP_SMPI

typedef struct pfc__file { pfc__by_handle_t entry; MPI_Comm comm; } pfc__file_t; /* comm: ours, over its ranks */

static pfc__handles_t pfc__files;

/* On every rank, also where opening has failed: perhaps it hasn't on another one. */
static PFC__QUIET void pfc__file_opened(MPI_Comm users, int error, MPI_File file)
{
    MPI_Comm comm = MPI_COMM_NULL;
    pfc__file_t *f;
    if (!pfc__comm_carries(users) || PMPI_Comm_split(users, 0, 0, &comm)) return;
    pfc__comm_made(comm);
    f = error ? 0 : (pfc__file_t *)calloc(1, sizeof *f);
    if (f) {
        f->comm = comm;
        pfc__mpi_lock();
        if (pfc__handles_put(&pfc__files, PFC__KEY(file), &f->entry)) comm = MPI_COMM_NULL;
        pfc__mpi_unlock();
    }
    if (comm == MPI_COMM_NULL) return;
    pfc__comm_forget(comm);
    PMPI_Comm_free(&comm);
    free(f);
}

static PFC__QUIET pfc__file_t *pfc__file_of(MPI_File file)
{
    pfc__by_handle_t *e;
    pfc__mpi_lock();
    e = pfc__handles_find(&pfc__files, PFC__KEY(file));
    pfc__mpi_unlock();
    return (pfc__file_t *)(void *)e;
}

static PFC__QUIET void pfc__file_begin(pfc__call_t *c, pfc__collective_t *k, MPI_File file)
{
    const pfc__file_t *f = pfc__file_of(file);
    pfc__collective_begin(c, k, PFC__RULE_ALL, 0, f ? f->comm : MPI_COMM_NULL);
    k->may_part = 1;
}

static PFC__QUIET int pfc__file_close(pfc__call_t *c, MPI_File *file)
{
    pfc__file_t *f = pfc__file_of(*file);
    pfc__collective_t k;
    int error;
    if (f) { /* before another thread can be given its handle */
        pfc__mpi_lock();
        pfc__handles_remove(&pfc__files, &f->entry);
        pfc__mpi_unlock();
    }
    pfc__collective_begin(c, &k, PFC__RULE_ALL, 0, f ? f->comm : MPI_COMM_NULL);
    k.may_part = 1;
    error = PMPI_File_close(file);
    pfc__collective_end(c, &k, error);
    if (!f) return error;
    pfc__comm_forget(f->comm);
    PMPI_Comm_free(&f->comm);
    free(f);
    return error;
}

#endif
