/* --------------------------------------------------- Allreduce (MPI impl) ---
   The call that parallel solvers wait in. Where it is short, and no order of
   combining can change the result, the ranks' moments and the user's data go
   together, by recursive doubling (Thakur, Rabenseifner & Gropp, IJHPCA 19,
   2005), instead of in two exchanges. Elsewhere it is one of the collectives.

   Ranks must agree without asking: whether they go together follows from what
   MPI requires to be the same on each of them. */

enum { PFC__TOGETHER_BYTES = 64 };

typedef struct pfc__together {
    pfc__latest_t latest;
    char data[PFC__TOGETHER_BYTES];
} pfc__together_t;

static struct {
    int on;               /* the number of ranks is a power of two */
    int mine_first;       /* two ranks: see pfc__together_order */
    pfc__transfer_t cost; /* how much longer it takes than the library's own call */
} pfc__together;

static PFC__QUIET int pfc__is_integer(MPI_Datatype type)
{
    return type == MPI_INT || type == MPI_LONG || type == MPI_LONG_LONG || type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG ||
           type == MPI_INT64_T || type == MPI_INT32_T || type == MPI_UINT64_T || type == MPI_UINT32_T ||
           type == MPI_UNSIGNED_LONG_LONG || type == MPI_SHORT || type == MPI_UNSIGNED_SHORT;
}

/* Two ranks combine a and b, in the library's order; more of them would round otherwise than the library does. */
static PFC__QUIET int pfc__combines_alike(MPI_Datatype type, MPI_Op op)
{
    if (op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || op == MPI_PROD)
        return ((type == MPI_DOUBLE || type == MPI_FLOAT) && pfc__mpi.size == 2) || pfc__is_integer(type);
    return (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR || op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) &&
           pfc__is_integer(type);
}

static PFC__QUIET int pfc__goes_together(const pfc__collective_t *k, pfc__i64 bytes, MPI_Datatype type, MPI_Op op)
{
    return pfc__together.on && k->as_world && bytes > 0 && bytes <= PFC__TOGETHER_BYTES && pfc__combines_alike(type, op);
}

PFC__HOT void pfc__combine(void *mine, void *theirs, pfc__i64 bytes, int n, MPI_Datatype type, MPI_Op op)
{
    if (!pfc__together.mine_first) {
        PMPI_Reduce_local(theirs, mine, n, type, op);
        return;
    }
    PMPI_Reduce_local(mine, theirs, n, type, op);
    memcpy(mine, theirs, (size_t)bytes);
}

static PFC__QUIET void pfc__exchange_together(pfc__together_t *mine, pfc__i64 bytes, int n, MPI_Datatype type, MPI_Op op, int tag)
{
    pfc__together_t theirs;
    int step, length = (int)(sizeof mine->latest + (size_t)bytes);
    for (step = 1; step < pfc__mpi.size; step *= 2) {
        int other = pfc__mpi.rank ^ step;
        PMPI_Sendrecv(mine, length, MPI_BYTE, other, tag, &theirs, length, MPI_BYTE, other, tag, pfc__mpi.comm, MPI_STATUS_IGNORE);
        mine->latest = pfc__latest_merge(mine->latest, theirs.latest);
        pfc__combine(mine->data, theirs.data, bytes, n, type, op);
    }
}

/* The library's own call would have ended earlier by what ours takes longer; but not before the last rank had come. */
static PFC__QUIET void pfc__together_end(pfc__call_t *c, pfc__latest_t latest)
{
    pfc__transfer_t more = pfc__together.cost;
    pfc__i64 most = pfc__max(0, c->end.ct - pfc__max(c->begin.ct, latest.ct));
    c->end.lt -= pfc__min(more.ns, most);
    c->end.u += more.ns > most ? most : more.u; /* more than can be was said: all of it is in doubt */
}

static PFC__QUIET int pfc__allreduce(pfc__call_t *c, const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    pfc__collective_t k;
    pfc__together_t mine;
    int error;
    c->bytes = pfc__bytes_of(n, type);
    pfc__collective_begin(c, &k, PFC__RULE_ALL, 0, comm);
    if (!s || !r || r == MPI_IN_PLACE || s == r || !pfc__goes_together(&k, c->bytes, type, op)) { /* the first four: errors */
        error = PMPI_Allreduce(s, r, n, type, op, comm);
        pfc__collective_end(c, &k, error);
        return error;
    }
    mine.latest = pfc__latest_here(c->begin);
    memcpy(mine.data, s == MPI_IN_PLACE ? r : s, (size_t)c->bytes);
    pfc__exchange_together(&mine, c->bytes, n, type, op, pfc__collective_tag(&k));
    memcpy(r, mine.data, (size_t)c->bytes);
    pfc__call_end(c);
    pfc__collective_depends(c, &k, mine.latest);
    if (pfc__another_is_last(mine.latest.last)) pfc__last_doubted(c, &k, INT64_MAX);
    pfc__together_end(c, mine.latest);
    return MPI_SUCCESS;
}

enum { PFC__TOGETHER_PROBES = 3, PFC__TOGETHER_BATCH = 32, PFC__TOGETHER_NS = 10000000 };

static PFC__QUIET pfc__i64 pfc__library_ns(int calls)
{
    double in = 1, out;
    pfc__i64 tick = pfc__clock();
    while (calls-- > 0) PMPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, pfc__mpi.comm);
    return pfc__since(tick);
}

static PFC__QUIET pfc__i64 pfc__together_ns(int calls)
{
    pfc__together_t mine;
    pfc__i64 tick = pfc__clock();
    memset(&mine, 0, sizeof mine);
    while (calls-- > 0) pfc__exchange_together(&mine, sizeof(double), 1, MPI_DOUBLE, MPI_SUM, PFC__COLLECTIVE_TAG);
    return pfc__since(tick);
}

/* Of 0 and −0 the greater one is whichever an operation is given first, or last; so it is with NaN and a number. In some
   libraries both ranks have the same order, in others each has its own data last: the library's own call tells. */
static PFC__QUIET void pfc__together_order(void)
{
    double mine = pfc__mpi.rank ? -0.0 : 0.0, theirs = -mine, library;
    PMPI_Allreduce(&mine, &library, 1, MPI_DOUBLE, MPI_MAX, pfc__mpi.comm);
    PMPI_Reduce_local(&theirs, &mine, 1, MPI_DOUBLE, MPI_MAX);
    pfc__together.mine_first = pfc__mpi.size == 2 && signbit(mine) != signbit(library);
}

/* The least times and the medians each tell the difference; by how much they disagree is how well it is known. */
static PFC__QUIET void pfc__together_compare(pfc__i64 *library, pfc__i64 *ours, int tries)
{
    pfc__i64 library_least, library_u, ours_least, ours_u;
    pfc__least(library, tries, &library_least, &library_u);
    pfc__least(ours, tries, &ours_least, &ours_u);
    pfc__together.cost.ns = (ours_least - library_least) / PFC__TOGETHER_BATCH;
    pfc__together.cost.u = llabs(ours_u - library_u) / PFC__TOGETHER_BATCH;
}

/* Where a call takes so long that there is no time for a few batches, how long they take tells only who of the
   ranks that share a core was given it. */
static PFC__QUIET int pfc__together_tries(pfc__i64 call_ns)
{
    pfc__i64 tries = PFC__TOGETHER_NS / (2 * PFC__TOGETHER_BATCH * pfc__max(call_ns, 1));
    return tries < PFC__TRIES / 2 ? 0 : (int)pfc__min(tries, PFC__TRIES);
}

/* At Init, on each rank alike. Batches, because of two ranks one comes earlier to a single call. */
static PFC__QUIET void pfc__together_calibrate(void)
{
    pfc__i64 library[PFC__TRIES], ours[PFC__TRIES];
    int i, tries;
    if (PFC__ONE_PROGRAM) return; /* the simulator's own algorithm tells the time */
    if (pfc__mpi.size == 1 || pfc__mpi.size & (pfc__mpi.size - 1)) return;
    pfc__together_order();
    pfc__together_ns(1);
    pfc__library_ns(1);
    tries = pfc__together_tries(pfc__patient_max(pfc__library_ns(PFC__TOGETHER_PROBES)) / PFC__TOGETHER_PROBES);
    for (i = 0; i < tries; i++) {
        library[i] = pfc__library_ns(PFC__TOGETHER_BATCH);
        ours[i] = pfc__together_ns(PFC__TOGETHER_BATCH);
    }
    pfc__together.on = 1;
    if (!tries) return;
    pfc__together_compare(library, ours, tries);
    pfc__patient_bcast(&pfc__together.cost, (int)sizeof pfc__together.cost);
}
