/* ------------------------------------------------------- bound (MPI impl) ---
   For PERFCOMP_MPI_ORDER=hold: up to which local time a rank has come, before
   which it sends nothing any more. (Conservative parallel simulation knows that
   as the lower bound on time stamps: Chandy and Misra, 1979. Its processes must
   tell it; here each rank's Δ stands in its profile, where the others look.)

   A rank that computes is at now − Δ. One that is inside of MPI may leave with
   another's Δ; unless it polls: then it is where it was. Where it waits for a
   message of one rank, and none is on its way, it is no further than that rank:
   not before this one has sent, if it is that. Otherwise it is where it was when
   it entered, or at the message that it holds back; but what was sent to it by
   the rank that is furthest behind has come to it after a while. How many
   messages it has sent to each it tells as well. */

typedef struct pfc__place {
    const pfc__thread_t *thread; /* of the rank's calls */
    const pfc__mpi_at_t *at;
    const pfc__u32 *sent;        /* by it, to each rank */
    pfc__u32 heard, got;         /* of them: that we know of, that we have received */
    pfc__u32 due;                /* when it was looked at: had been sent */
    int sends;                   /* then: it waited for this rank to receive the last of them */
    int ignored;                 /* it waits for no receive but ours of that one, which is here: see hold */
    pfc__i64 lt;                 /* and up to where it had come */
    pfc__i64 last;               /* LT of this rank's last message to it */
} pfc__place_t;

static struct {
    int on;
    pfc__mpi_at_t *at;   /* this rank's */
    pfc__u32 *sent;      /* by this rank, to each */
    pfc__place_t *place; /* by rank in MPI_COMM_WORLD */
    int looks;           /* in this call */
    int fresh;           /* what was seen at the last look still holds: this rank has only polled in vain since, as in this call: */
    int vain;
    pfc__i64 did;        /* tick: when it last did anything else */
    pfc__i64 may_leave;  /* LT: this call may end there, whatever comes */
    pfc__u32 sends_to;   /* what the call will tell, once it has sent: see pfc__mpi_at_t */
} pfc__bound;

enum { PFC__BOUND_LATE = 1000000, PFC__BOUND_CHAIN = 8 }; /* ns, to take in what has come; ranks that wait for each other */

#define PFC__TOLD(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define PFC__TELL(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELEASE)

/* ---- what this rank tells */

/* A call begins, or ends, when all that it charges is part of Δ. */
static PFC__COLD void pfc__bound_enter(pfc__i64 tick)
{
    pfc__mpi_at_t *at = pfc__bound.at;
    if (!at->depth) PFC__TELL(at->lt, pfc__moment_at(tick).lt);
    pfc__bound.looks = pfc__bound.vain = 0;
    pfc__bound.may_leave = INT64_MAX;
    PFC__TELL(at->depth, at->depth + 1);
}

static PFC__COLD void pfc__bound_leave(void)
{
    pfc__mpi_at_t *at = pfc__bound.at;
    PFC__TELL(at->waits_for, 0);
    PFC__TELL(at->sends_to, 0);
    pfc__bound.sends_to = 0;
    PFC__TELL(at->held, INT64_MAX);
    if (!pfc__bound.vain) pfc__bound.fresh = 0, pfc__bound.did = pfc__clock();
    PFC__TELL(at->polls, pfc__bound.vain && pfc__since(pfc__bound.did) > PFC__BOUND_LATE);
    PFC__TELL(at->depth, at->depth - 1);
}

/* The call won't wait for anything that comes later. */
static PFC__COLD void pfc__bound_polls(pfc__i64 lt)
{
    pfc__bound.may_leave = lt;
    PFC__TELL(pfc__bound.at->held, pfc__min(pfc__bound.at->held, lt));
}

/* It won't leave its call before a message of the rank `world` has come. */
static PFC__COLD void pfc__bound_waits_for(int world)
{
    if (world < 0 || world >= pfc__mpi.size) return;
    PFC__TELL(pfc__bound.at->got, pfc__bound.place[world].got);
    PFC__TELL(pfc__bound.at->waits_for, (pfc__u32)world + 1);
}

/* A message to the rank `world`. */
static PFC__COLD void pfc__bound_sends(int world, pfc__i64 lt)
{
    pfc__bound.vain = 0;
    PFC__TELL(pfc__bound.at->polls, 0);
    pfc__bound.place[world].last = lt;
    PFC__TELL(pfc__bound.sent[world], pfc__bound.sent[world] + 1);
    PFC__TELL(pfc__bound.at->sends_to, pfc__bound.sends_to);
}

/* One of the rank `world` has been received. */
static PFC__COLD void pfc__bound_gets(pfc__u32 world)
{
    pfc__bound.vain = pfc__bound.fresh = 0;
    pfc__bound.place[world].got++;
}

/* ---- what others tell */

static PFC__QUIET pfc__i64 pfc__delta_of(int rank) { return pfc__fixed_ns(PFC__TOLD(pfc__bound.place[rank].thread->delta)); }

/* Before that, nothing wakes a rank that waits: what it could have been sent until a while ago has come to it, and `rank` sends
   nothing earlier from then on. */
static PFC__QUIET pfc__i64 pfc__bound_wakes(int rank, pfc__i64 now)
{
    const pfc__mpi_at_t *at = pfc__bound.place[rank].at;
    int polls = (int)PFC__TOLD(at->polls), ours = rank == pfc__mpi.rank; /* we don't go on before we have decided */
    pfc__i64 lt, local;
    if (PFC__TOLD(at->gone) || (polls && ours)) return INT64_MAX / 2;
    if (!PFC__TOLD(at->depth)) return now - pfc__delta_of(rank) - (polls ? 0 : PFC__BOUND_LATE);
    lt = PFC__TOLD(at->lt);
    local = pfc__min(ours ? INT64_MAX : PFC__TOLD(at->held), now - pfc__delta_of(rank) - PFC__BOUND_LATE);
    return polls ? pfc__max(lt, local) : local;
}

/* The same of all. */
static PFC__QUIET pfc__i64 pfc__bound_late(pfc__i64 now)
{
    pfc__i64 late = INT64_MAX / 2;
    int rank;
    for (rank = 0; rank < pfc__mpi.size; rank++) late = pfc__min(late, pfc__bound_wakes(rank, now));
    return late;
}

static pfc__i64 pfc__bound_of(int rank, pfc__i64 now, pfc__i64 late, int chain);

/* It is in a call, since `lt`, and waits for a message of the rank `from`, of which it has `got` so many. */
static PFC__QUIET pfc__i64 pfc__bound_behind(int rank, int from, pfc__u32 got, pfc__i64 lt, pfc__i64 late, pfc__i64 now, int chain)
{
    int ours = from == pfc__mpi.rank;
    pfc__i64 other = ours ? INT64_MAX / 2 : chain ? pfc__bound_of(from, now, late, chain - 1) : late; /* before it is looked whether it has sent */
    pfc__u32 sent = ours ? pfc__bound.sent[rank] : PFC__TOLD(pfc__bound.place[from].sent[rank]);
    if (sent == got) return pfc__max(lt, other);
    if (ours && sent - got == 1) late = pfc__max(late, pfc__bound.place[rank].last); /* or that one is for another of its receives */
    return pfc__max(lt, late);
}

/* At `now`, which was before any Δ was read; `late`: see pfc__bound_late. */
static pfc__i64 pfc__bound_of(int rank, pfc__i64 now, pfc__i64 late, int chain)
{
    const pfc__mpi_at_t *at = pfc__bound.place[rank].at;
    pfc__i64 lt;
    int from;
    if (PFC__TOLD(at->gone)) return INT64_MAX / 2;
    if (!PFC__TOLD(at->depth)) return now - pfc__delta_of(rank);
    from = (int)PFC__TOLD(at->waits_for) - 1;
    lt = PFC__TOLD(at->lt);
    if (from >= 0 && from < pfc__mpi.size) return pfc__bound_behind(rank, from, PFC__TOLD(at->got), lt, late, now, chain);
    return pfc__max(lt, pfc__min(PFC__TOLD(at->held), late));
}

/* Where all ranks are now. What they have sent until now must be taken in afterwards, before it is asked what can still come. */
static PFC__COLD void pfc__bound_look(void)
{
    pfc__i64 now = pfc__common_ns(pfc__clock()), late = pfc__bound_late(now);
    int rank;
    for (rank = 0; rank < pfc__mpi.size; rank++) {
        pfc__place_t *place = &pfc__bound.place[rank];
        place->lt = pfc__bound_of(rank, now, late, PFC__BOUND_CHAIN);
        place->sends = PFC__TOLD(place->at->sends_to) == (pfc__u32)pfc__mpi.rank + 1; /* first: it counts before it tells that */
        place->due = PFC__TOLD(place->sent[pfc__mpi.rank]);
    }
}

/* Its nth message is here, and nobody's yet: if it waits for that, it sends nothing before. */
static PFC__COLD void pfc__bound_ignores(pfc__u32 rank, pfc__u32 nth)
{
    pfc__place_t *place = &pfc__bound.place[rank];
    place->ignored = place->sends && place->due == nth;
}

/* How much is missing until nothing can come any more that would have come before `lt`: from the rank `only`, or, where that
   is less than 0, from any but `but`. 0: nothing. */
static PFC__COLD pfc__i64 pfc__bound_misses(pfc__i64 lt, int only, int but)
{
    pfc__i64 travel = pfc__size_known(0)->travel.ns, misses = 0;
    int rank;
    for (rank = 0; rank < pfc__mpi.size; rank++) {
        const pfc__place_t *place = &pfc__bound.place[rank];
        if (rank == pfc__mpi.rank || rank == but || (only >= 0 && rank != only)) continue;
        if (place->ignored) continue;
        misses = pfc__max(misses, lt - travel - place->lt);
        if ((pfc__u32)(place->due - place->heard) - 1 < UINT32_MAX / 2) misses = pfc__max(misses, 1); /* something is on its way */
    }
    return misses;
}

/* ---- where that stands */

typedef struct pfc__whereabouts {
    pfc__u64 thread, at; /* offsets in the profile's file; in one program: addresses */
    pfc__u64 device, inode;
    char file[480];
} pfc__whereabouts_t;

/* Of a pfc__mpi_at_t, and behind it how many messages its rank has sent to each. */
static PFC__COLD size_t pfc__bound_bytes(void) { return sizeof(pfc__mpi_at_t) + (size_t)pfc__mpi.size * sizeof(pfc__u32); }

/* NULL: it isn't there. */
static PFC__COLD const void *pfc__part_map(int fd, pfc__u64 at, size_t bytes)
{
    size_t front = (size_t)(at % (pfc__u64)sysconf(_SC_PAGESIZE));
    void *map = mmap(0, front + bytes, PROT_READ, MAP_SHARED, fd, (off_t)(at - front));
    return map == MAP_FAILED ? 0 : (const char *)map + front;
}

static PFC__COLD void pfc__part_unmap(const void *part, size_t bytes)
{
    size_t front = (size_t)((pfc__uptr)part % (pfc__uptr)sysconf(_SC_PAGESIZE));
    if (part) munmap((char *)(pfc__uptr)part - front, front + bytes);
}

/* This rank's; 0: nobody else could see it. */
static PFC__COLD int pfc__whereabouts_own(pfc__whereabouts_t *w)
{
    struct stat file;
    memset(w, 0, sizeof *w);
    if (!pfc__bound.at || !pfc__self) return 0;
    w->thread = PFC__ONE_PROGRAM ? (pfc__u64)(pfc__uptr)pfc__self : pfc__profile_offset(pfc__self);
    w->at = PFC__ONE_PROGRAM ? (pfc__u64)(pfc__uptr)pfc__bound.at : pfc__profile_offset(pfc__bound.at);
    if (PFC__ONE_PROGRAM) return 1;
    snprintf(w->file, sizeof w->file, "%s", pfc__profile_file_name());
    if (!w->thread || !w->at || strlen(pfc__profile_file_name()) >= sizeof w->file || stat(w->file, &file)) return 0;
    w->device = (pfc__u64)file.st_dev;
    w->inode = (pfc__u64)file.st_ino;
    return 1;
}

/* 0: its profile can't be read from here. */
static PFC__COLD int pfc__place_open(pfc__place_t *place, const pfc__whereabouts_t *w)
{
    struct stat file;
    int fd, same;
    if (PFC__ONE_PROGRAM) {
        place->thread = (const pfc__thread_t *)(pfc__uptr)w->thread;
        place->at = (const pfc__mpi_at_t *)(pfc__uptr)w->at;
        place->sent = (const pfc__u32 *)(const void *)(place->at + 1);
        return 1;
    }
    if ((fd = open(w->file, O_RDONLY | O_CLOEXEC)) < 0) return 0;
    same = !fstat(fd, &file) && (pfc__u64)file.st_dev == w->device && (pfc__u64)file.st_ino == w->inode;
    if (same) {
        place->thread = (const pfc__thread_t *)pfc__part_map(fd, w->thread, sizeof *place->thread);
        place->at = (const pfc__mpi_at_t *)pfc__part_map(fd, w->at, pfc__bound_bytes());
        place->sent = (const pfc__u32 *)(const void *)(place->at + 1);
    }
    close(fd);
    return place->thread && place->at;
}

static PFC__COLD void pfc__bound_end(void)
{
    int rank;
    pfc__bound.on = 0;
    for (rank = 0; pfc__bound.place && !PFC__ONE_PROGRAM && rank < pfc__mpi.size; rank++) {
        pfc__part_unmap(pfc__bound.place[rank].thread, sizeof(pfc__thread_t));
        pfc__part_unmap(pfc__bound.place[rank].at, pfc__bound_bytes());
    }
    free(pfc__bound.place);
    pfc__bound.place = 0;
}

/* By all ranks. Whether each sees all others. */
static PFC__COLD int pfc__bound_start(void)
{
    pfc__whereabouts_t *all = (pfc__whereabouts_t *)malloc((size_t)pfc__mpi.size * sizeof *all), mine;
    int rank, good, all_good;
    pfc__bound.at = (pfc__mpi_at_t *)pfc__extent_add(PFC__MPI, (pfc__u32)pfc__bound_bytes(), 1, PFC__MPI_AT);
    pfc__bound.sent = (pfc__u32 *)(void *)(pfc__bound.at + 1);
    pfc__bound.place = (pfc__place_t *)calloc((size_t)pfc__mpi.size, sizeof *pfc__bound.place);
    good = pfc__whereabouts_own(&mine) && all && pfc__bound.place;
    PMPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, pfc__mpi.comm);
    if (all_good) {
        pfc__bound.at->held = INT64_MAX;
        PMPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, pfc__mpi.comm);
        for (rank = 0; rank < pfc__mpi.size && good; rank++) good = pfc__place_open(&pfc__bound.place[rank], &all[rank]);
        PMPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, pfc__mpi.comm);
    }
    free(all);
    pfc__bound.on = all_good;
    if (!all_good) pfc__bound_end();
    return all_good;
}
