/* ---------------------------------------------------- steps (MPI impl) ---
   All-to-all in steps.

   Short data go from rank to rank in ⌈log2 p⌉ steps: by dissemination (Hensgen,
   Finkel & Manber, IJPP 17, 1988; Bruck's alltoall), or between ranks whose
   numbers differ in one bit. What is combined goes that way also where ranks
   aren't a power of two: those beyond it give theirs to their neighbours, and
   get the result from them (Thakur, Rabenseifner & Gropp, IJHPCA 19, 2005).
   Who is some steps away from the last rank ends so much later than it. Our
   exchange takes the way that most libraries would, and moments pass along it
   as the data did; each place in the program keeps to that only where it
   explains the clock far better than one end for all. A maximum may meet a
   value twice: the exchange needs no more than these steps, and a short
   Sendrecv costs less than the library's Allreduce of as much. */

typedef struct pfc__passed {
    pfc__latest_t latest;
    pfc__moment_t way;
    pfc__i64 came, left; /* CT of the first to come and to leave, negated, so that they are maxima, too */
    double off_flat, off_steps; /* of calls before, where they are most */
} pfc__passed_t;

/* How a call's data go on in a communicator. */
typedef struct pfc__steps {
    MPI_Comm comm;
    const pfc__comm_t *known;
    int rank, size;
    int hypercube;  /* between ranks whose numbers differ in one bit; or around, in a ring */
    int beyond;     /* a hypercube's: for so many ranks, the first even ones, their odd neighbours take the steps; else 0 */
    int backwards;  /* around it */
    int doubling;   /* all that has come goes on: twice as much in each step */
    pfc__i64 bytes; /* in the first one */
} pfc__steps_t;

/* Fences and the ends of windows are barriers, too: behind the data. */
static PFC__QUIET int pfc__is_barrier(const pfc__call_t *c)
{
    return pfc__is_call(c, "Barrier") || pfc__is_call(c, "Win_fence") || pfc__is_call(c, "Win_free");
}

static PFC__QUIET pfc__steps_t pfc__steps_for(const pfc__call_t *c, MPI_Comm comm, const pfc__comm_t *known)
{
    int alltoall = pfc__is_call(c, "Alltoall"), allgather = pfc__is_call(c, "Allgather");
    int reduces = pfc__is_call(c, "Allreduce") || pfc__is_call(c, "Reduce_scatter");
    pfc__steps_t s;
    s.comm = comm;
    s.known = known;
    s.rank = known->rank;
    s.size = pfc__ranks_in(comm);
    s.beyond = reduces ? s.size - pfc__first_bit(s.size) : 0;
    s.hypercube = reduces || (!(s.size & (s.size - 1)) && !alltoall && !pfc__is_barrier(c));
    s.backwards = allgather;
    s.doubling = allgather || pfc__is_call(c, "Reduce_scatter");
    s.bytes = alltoall ? c->bytes / 2 : pfc__bytes_to_one(c, comm);
    return s;
}

enum { PFC__PARTNER_ACROSS, PFC__PARTNER_AFTER, PFC__PARTNER_BEFORE, PFC__PARTNER_KINDS };

/* Its rank in MPI_COMM_WORLD. Libraries look for that among all ranks: they are asked once for each partner. */
static PFC__QUIET int pfc__step_world(const pfc__steps_t *s, int partner, int rank)
{
    int *known;
    if (s->known->as_world) return rank;
    known = s->known->partner + partner;
    if (!*known) *known = pfc__world_rank(s->comm, rank) + 1;
    return *known - 1;
}

/* A hypercube's rank by its place, of which those have none that others take the steps for; and the other way round. */
PFC__HOT int pfc__step_at(const pfc__steps_t *s, int place) { return place < s->beyond ? 2 * place + 1 : place + s->beyond; }
PFC__HOT int pfc__step_place(const pfc__steps_t *s) { return s->rank < 2 * s->beyond ? s->rank / 2 : s->rank - s->beyond; }

/* To whom it is so far, as a rank in MPI_COMM_WORLD; `from`: whom it hears from. */
static PFC__QUIET int pfc__step_rank(const pfc__steps_t *s, int distance, int from)
{
    int first = PFC__PARTNER_KINDS * __builtin_ctz((unsigned)distance), after = from == s->backwards;
    if (s->hypercube) return pfc__step_world(s, first + PFC__PARTNER_ACROSS, pfc__step_at(s, pfc__step_place(s) ^ distance));
    return pfc__step_world(s, first + (after ? PFC__PARTNER_AFTER : PFC__PARTNER_BEFORE),
                           (s->rank + (after ? distance : s->size - distance)) % s->size);
}

/* Of two ranks, one of which takes the steps for both, the other one. */
static PFC__QUIET int pfc__step_other(const pfc__steps_t *s) { return pfc__step_world(s, PFC__PARTNERS - 1, s->rank ^ 1); }

static PFC__QUIET pfc__passed_t pfc__passed_of(const pfc__call_t *c)
{
    pfc__passed_t p;
    p.latest = pfc__latest_here(c->begin);
    p.way = pfc__passed_first(c->begin);
    p.came = -c->begin.ct;
    p.left = -c->end.ct;
    pfc__mpi_lock(); /* threads may be at one place at once */
    p.off_flat = c->site ? c->site->off_flat : 0;
    p.off_steps = c->site ? c->site->off_tree : 0;
    pfc__mpi_unlock();
    return p;
}

/* Nobody has told when others came and left. */
static PFC__QUIET pfc__passed_t pfc__passed_unknown(pfc__latest_t latest)
{
    pfc__passed_t p;
    memset(&p, 0, sizeof p);
    p.latest = latest;
    p.came = p.left = PFC__NEVER;
    return p;
}

static PFC__QUIET void pfc__passed_merge(pfc__passed_t *mine, const pfc__passed_t *theirs, pfc__transfer_t step)
{
    mine->latest = pfc__latest_merge(mine->latest, theirs->latest);
    mine->way = pfc__passed_on(mine->way, theirs->way, step);
    mine->came = pfc__max(mine->came, theirs->came);
    mine->left = pfc__max(mine->left, theirs->left);
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

static PFC__QUIET void pfc__passed_get(pfc__passed_t *mine, int from, int tag, pfc__transfer_t step)
{
    pfc__passed_t theirs;
    PMPI_Recv(&theirs, (int)sizeof theirs, MPI_BYTE, from, tag, pfc__mpi.comm, MPI_STATUS_IGNORE);
    pfc__passed_merge(mine, &theirs, step);
}

static PFC__QUIET void pfc__passed_give(const pfc__passed_t *mine, int to, int tag)
{
    PMPI_Send(mine, (int)sizeof *mine, MPI_BYTE, to, tag, pfc__mpi.comm);
}

static PFC__QUIET pfc__transfer_t pfc__step_travels(const pfc__steps_t *s, int distance)
{
    return pfc__travel(s->doubling ? s->bytes * distance : s->bytes, (pfc__u32)PFC__ANY_PEER);
}

static PFC__QUIET pfc__passed_t pfc__exchange_all(const pfc__call_t *c, MPI_Comm comm, const pfc__comm_t *known, int tag)
{
    const pfc__steps_t s = pfc__steps_for(c, comm, known);
    pfc__passed_t mine = pfc__passed_of(c);
    int distance, paired = s.rank < 2 * s.beyond, other = paired ? pfc__step_other(&s) : 0, steps = !paired || s.rank % 2;
    if (!steps) pfc__passed_give(&mine, other, tag);
    if (paired) pfc__passed_get(&mine, other, tag, pfc__step_travels(&s, 1));
    for (distance = 1; steps && distance < s.size - s.beyond; distance *= 2)
        pfc__passed_swap(&mine, pfc__step_rank(&s, distance, 0), pfc__step_rank(&s, distance, 1), tag, pfc__step_travels(&s, distance));
    if (paired && steps) pfc__passed_give(&mine, other, tag);
    return mine;
}

static PFC__QUIET double pfc__contradiction(pfc__moment_t start, const pfc__call_t *c, pfc__i64 travel)
{
    return fabs((double)(c->end.ct - pfc__max(c->begin.ct, start.ct + travel)));
}

/* By how much ranks' ends may be off, one way and the other taken: where the last rank would have been another one, as far as ends
   were off before; where the clocks don't tell one way from the other, by what these differ. */
static PFC__QUIET pfc__i64 pfc__steps_off(const pfc__passed_t *from, int tells, double calls_off)
{
    const pfc__moment_t last = pfc__latest_moment(from->latest);
    pfc__i64 off = pfc__another_is_last(from->latest.last) ? (pfc__i64)calls_off / 8 : 0;
    return tells ? off : pfc__max(off, llabs(last.ct - last.lt - from->way.ct + from->way.lt));
}

/* When that began on which this rank's end depended. One rank's end may agree by chance, again and again where
   the same rank is always the last: after the first call all must agree. *off: by how much ranks' ends may be off that. */
static PFC__QUIET pfc__moment_t pfc__steps_of(pfc__call_t *c, MPI_Comm comm, const pfc__passed_t *from, pfc__i64 *off)
{
    pfc__moment_t last = pfc__latest_moment(from->latest);
    pfc__i64 travel = pfc__travel(pfc__bytes_to_one(c, comm), (pfc__u32)PFC__ANY_PEER).ns;
    double flat = pfc__contradiction(last, c, travel), steps = pfc__contradiction(from->way, c, 0), better, worse;
    int first = !(from->off_flat > 0 || from->off_steps > 0), in_steps;
    pfc__mpi_lock();
    if (c->site) {
        c->site->off_flat = c->site->off_flat * 7 / 8 + flat;
        c->site->off_tree = c->site->off_tree * 7 / 8 + steps;
    }
    pfc__mpi_unlock();
    if (!first) flat = from->off_flat, steps = from->off_steps;
    in_steps = 4 * steps < flat;
    better = in_steps ? steps : flat;
    worse = in_steps ? flat : steps;
    *off = pfc__steps_off(from, !first && worse > 4 * better + (double)travel / 2, better);
    return in_steps ? pfc__passed_moment(from->latest, from->way) : last;
}
