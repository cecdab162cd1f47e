/* ---------------------------------------------------- steps (MPI impl) ---
   All-to-all in steps.

   Short data go from rank to rank in ⌈log2 p⌉ steps: by dissemination (Hensgen,
   Finkel & Manber, IJPP 17, 1988; Bruck's alltoall), or between ranks whose
   numbers differ in one bit. Who is some steps away from the last rank ends so
   much later than it. Our exchange takes the way that most libraries would, and
   moments pass along it as the data did; each place in the program keeps to
   that only where it explains the clock far better than one end for all. A
   maximum may meet a value twice: the exchange needs no more than these steps,
   and a short Sendrecv costs less than the library's Allreduce of as much. */

typedef struct pfc__passed {
    pfc__latest_t latest;
    pfc__moment_t way;
    double off_flat, off_steps; /* of calls before, where they are most */
} pfc__passed_t;

/* How a call's data go on. */
typedef struct pfc__steps {
    int hypercube;  /* between ranks whose numbers differ in one bit; or around, in a ring */
    int backwards;  /* around it */
    int doubling;   /* all that has come goes on: twice as much in each step */
    pfc__i64 bytes; /* in the first one */
} pfc__steps_t;

static PFC__QUIET pfc__steps_t pfc__steps_for(const pfc__call_t *c)
{
    int size = pfc__mpi.size, alltoall = pfc__is_call(c, "Alltoall"), allgather = pfc__is_call(c, "Allgather");
    pfc__steps_t s;
    s.hypercube = !(size & (size - 1)) && !alltoall && !pfc__is_call(c, "Barrier");
    s.backwards = allgather;
    s.doubling = allgather || pfc__is_call(c, "Reduce_scatter");
    s.bytes = alltoall ? c->bytes / 2 : pfc__bytes_to_one(c, pfc__mpi.comm);
    return s;
}

/* To whom it is so far; `from`: whom it hears from. */
static PFC__QUIET int pfc__step_rank(const pfc__steps_t *s, int distance, int from)
{
    int rank = pfc__mpi.rank, size = pfc__mpi.size;
    if (s->hypercube) return rank ^ distance;
    return (rank + (from == s->backwards ? distance : size - distance)) % size;
}

static PFC__QUIET pfc__passed_t pfc__passed_of(const pfc__call_t *c)
{
    pfc__passed_t p;
    p.latest = pfc__latest_here(c->begin);
    p.way = pfc__passed_first(c->begin);
    pfc__mpi_lock(); /* threads may be at one place at once */
    p.off_flat = c->site ? c->site->off_flat : 0;
    p.off_steps = c->site ? c->site->off_tree : 0;
    pfc__mpi_unlock();
    return p;
}

static PFC__QUIET void pfc__passed_merge(pfc__passed_t *mine, const pfc__passed_t *theirs, pfc__transfer_t step)
{
    mine->latest = pfc__latest_merge(mine->latest, theirs->latest);
    mine->way = pfc__passed_on(mine->way, theirs->way, step);
    if (mine->off_flat < theirs->off_flat) mine->off_flat = theirs->off_flat;
    if (mine->off_steps < theirs->off_steps) mine->off_steps = theirs->off_steps;
}

/* One step: this rank's goes there, and what comes from there is joined to it. */
static PFC__QUIET void pfc__passed_swap(pfc__passed_t *mine, int to, int from, int tag, pfc__transfer_t step)
{
    pfc__passed_t theirs;
    PMPI_Sendrecv(mine, (int)sizeof *mine, MPI_BYTE, to, tag, &theirs, (int)sizeof theirs, MPI_BYTE, from, tag, pfc__mpi.comm,
                  MPI_STATUS_IGNORE);
    pfc__passed_merge(mine, &theirs, step);
}

static PFC__QUIET pfc__passed_t pfc__exchange_all(const pfc__call_t *c, int tag)
{
    pfc__passed_t mine = pfc__passed_of(c);
    pfc__steps_t s = pfc__steps_for(c);
    int distance;
    for (distance = 1; distance < pfc__mpi.size; distance *= 2)
        pfc__passed_swap(&mine, pfc__step_rank(&s, distance, 0), pfc__step_rank(&s, distance, 1), tag,
                         pfc__travel(s.doubling ? s.bytes * distance : s.bytes, (pfc__u32)PFC__ANY_PEER));
    return mine;
}

static PFC__QUIET double pfc__contradiction(pfc__moment_t start, const pfc__call_t *c, pfc__i64 travel)
{
    return fabs((double)(c->end.ct - pfc__max(c->begin.ct, start.ct + travel)));
}

/* When that began on which this rank's end depended. One rank's end may agree by chance, again and again where
   the same rank is always the last: after the first call all must agree. */
static PFC__QUIET pfc__moment_t pfc__steps_of(pfc__call_t *c, const pfc__passed_t *from)
{
    pfc__moment_t last = pfc__latest_moment(from->latest);
    double flat = pfc__contradiction(last, c, pfc__travel(pfc__bytes_to_one(c, pfc__mpi.comm), (pfc__u32)PFC__ANY_PEER).ns);
    double steps = pfc__contradiction(from->way, c, 0);
    pfc__mpi_lock();
    if (c->site) {
        c->site->off_flat = c->site->off_flat * 7 / 8 + flat;
        c->site->off_tree = c->site->off_tree * 7 / 8 + steps;
    }
    pfc__mpi_unlock();
    if (from->off_flat > 0 || from->off_steps > 0) {
        flat = from->off_flat;
        steps = from->off_steps;
    }
    return 4 * steps < flat ? pfc__passed_moment(from->latest, from->way) : last;
}
