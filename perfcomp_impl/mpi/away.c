/* -------------------------------------------------------- away (MPI impl) ---
   Long data move when both ranks have heard of each other. Who isn't in the
   library hears nothing: word of a message comes to a receiver that has posted
   by MPI_Irecv and does something else, when it is back. Where the sender is to
   give the data away then, instead of the receiver fetching them, the same goes
   for the answer to a sender that has left it at MPI_Isend.

   So who comes back, in a call that waits or asks for something, tells its
   partners in long messages that are under way since when it has been away. Each
   finds out by that when they would have heard of each other undisturbed. */

enum { PFC__AWAY_TAG = 8, PFC__AWAY_LEAST = 2000 /* ns; shorter absences are our own work */, PFC__AWAY_SHARE = 16, PFC__ABSENCES = 8 };

typedef struct pfc__absences { pfc__absence_t last[PFC__ABSENCES]; unsigned n; } pfc__absences_t;

typedef struct pfc__partner {
    pfc__by_handle_t entry; /* by its rank in MPI_COMM_WORLD */
    struct pfc__partner *next;
    int world, open;        /* so many long messages from here, or to here, are under way, of which it is to know that we are back */
    pfc__absences_t away;   /* that it has told of */
} pfc__partner_t;

static pfc__handles_t pfc__partners;
static pfc__partner_t *pfc__partners_all;
static pfc__absences_t pfc__own_absences;

/* Other threads may be in the library; and where messages are held back, it is we who receive. */
PFC__HOT int pfc__away_counts(void) { return (pfc__link.awaits || pfc__link.pushes) && !pfc__mpi.threads && !pfc__bound.on; }

static PFC__QUIET pfc__partner_t *pfc__partner_known(int world)
{
    return (pfc__partner_t *)(void *)pfc__handles_find(&pfc__partners, (pfc__uptr)world);
}

/* NULL: no memory. */
static PFC__QUIET pfc__partner_t *pfc__partner_of(int world)
{
    pfc__partner_t *p = pfc__partner_known(world);
    if (p || !(p = (pfc__partner_t *)calloc(1, sizeof *p))) return p;
    p->world = world;
    p->next = pfc__partners_all;
    pfc__partners_all = p;
    pfc__handles_put(&pfc__partners, (pfc__uptr)world, &p->entry);
    return p;
}

static PFC__QUIET void pfc__absences_add(pfc__absences_t *all, const pfc__absence_t *one) { all->last[all->n++ % PFC__ABSENCES] = *one; }

/* ---- telling */

/* A long message begins, of which `world` is to know when this rank is back. NULL: it needn't. */
static PFC__QUIET pfc__partner_t *pfc__partner_begins(int world)
{
    pfc__partner_t *p = world >= 0 && world != pfc__mpi.rank ? pfc__partner_of(world) : 0;
    if (!p) return 0;
    p->open++;
    if (!pfc__away.open++) pfc__away.opened = pfc__away.since.ct;
    return p;
}

static PFC__QUIET void pfc__partner_ends(pfc__partner_t **p)
{
    if (!*p) return;
    (*p)->open--;
    pfc__away.open--;
    *p = 0;
}

typedef struct pfc__absence_told { pfc__absence_t away; int world; } pfc__absence_told_t;

static PFC__QUIET void pfc__absence_tell(const pfc__absence_t *away, int world)
{
    pfc__absence_told_t told;
    memset(&told, 0, sizeof told);
    told.away = *away;
    told.world = pfc__mpi.rank;
    pfc__out_send(&told, sizeof told, world, PFC__AWAY_TAG);
}

/* Amid the wrapper of a call that is about to hear of what has come. Who asks on and on, and does a little in between, isn't to tell
   each time: only of absences that are long beside what the messages have taken already, of which there are few. */
static PFC__COLD void pfc__call_is_back(pfc__call_t *c)
{
    pfc__absence_t away = { pfc__away.since.ct, pfc__away.since.lt, pfc__call_so_far(c) };
    const pfc__partner_t *p;
    c->own = 0;
    if (away.back.ct - away.ct < pfc__max(PFC__AWAY_LEAST, (away.ct - pfc__away.opened) / PFC__AWAY_SHARE)) return;
    pfc__absences_add(&pfc__own_absences, &away);
    for (p = pfc__partners_all; p; p = p->next)
        if (p->open) pfc__absence_tell(&away, p->world);
}

/* One who doesn't know yet that we receive from it. */
static PFC__COLD void pfc__absence_told_late(int world)
{
    if (pfc__own_absences.n && pfc__away_counts()) pfc__absence_tell(&pfc__own_absences.last[(pfc__own_absences.n - 1) % PFC__ABSENCES], world);
}

/* ---- hearing */

static PFC__QUIET void pfc__absences_drain(void)
{
    int there = 1;
    while (!PMPI_Iprobe(MPI_ANY_SOURCE, PFC__AWAY_TAG, pfc__mpi.comm, &there, MPI_STATUS_IGNORE) && there) {
        pfc__absence_told_t told;
        pfc__partner_t *p;
        PMPI_Recv(&told, (int)sizeof told, MPI_BYTE, MPI_ANY_SOURCE, PFC__AWAY_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
        if ((p = pfc__partner_of(told.world)) != 0) pfc__absences_add(&p->away, &told.away);
    }
}

/* When word that goes to `world` at `told` comes there. */
static PFC__QUIET pfc__moment_t pfc__sent_on(pfc__moment_t told, int world)
{
    pfc__i64 travel = pfc__travel(0, (pfc__u32)world).ns;
    told.ct += travel;
    told.lt += travel;
    return told;
}

/* When both were `there`, and word of it came at `told` to one that was absent so: when that one has heard it. */
static PFC__QUIET pfc__moment_t pfc__heard_amid(const pfc__absences_t *all, pfc__moment_t there, pfc__moment_t told)
{
    unsigned i;
    for (i = 0; i < all->n && i < PFC__ABSENCES; i++)
        there = pfc__heard(there, told, &all->last[i], pfc__doubt_since_met(told) + pfc__doubt_since_met(all->last[i].back) + told.clock + all->last[i].back.clock);
    return there;
}

/* The same where word has gone to `world` at `told`. */
static PFC__QUIET pfc__moment_t pfc__heard_by(int world, pfc__moment_t there, pfc__moment_t told)
{
    const pfc__absences_t *all = &pfc__own_absences;
    if (world != pfc__mpi.rank) {
        const pfc__partner_t *p;
        pfc__absences_drain();
        p = pfc__partner_known(world);
        if (!p) return there;
        all = &p->away;
    }
    return pfc__heard_amid(all, there, pfc__sent_on(told, world));
}

/* When data could move that had been `sent` by the rank `from` to a receive that `to` had `posted`: one of them is this rank. */
static PFC__QUIET pfc__moment_t pfc__data_move(pfc__moment_t sent, pfc__moment_t posted, int from, int to)
{
    pfc__moment_t there = pfc__both_there(sent, posted);
    if (!pfc__away_counts()) return there;
    if (pfc__link.awaits) there = pfc__heard_by(to, there, sent);
    if (pfc__link.pushes) there = pfc__heard_by(from, there, there);
    return there;
}
