/* ------------------------------------------------------- order (MPI impl) ---
   A receive from MPI_ANY_SOURCE takes what comes first, and instrumentation can
   change what that is (model, section 6). Where a message turns up that another
   receive from anybody would have taken before, had nothing been instrumented,
   it was overtaken: that is counted, and the report tells it. Nothing is done
   about it here: see hold.c. A probe of anybody counts as the receive of what
   it found. */

/* Of the receives from anybody with this tag in this communicator the message that would have come last. */
typedef struct pfc__order_last {
    int used, tag;      /* tag: as it was asked for */
    pfc__u32 comm, rank;
    pfc__i64 post_ct, ct, lt, u; /* ct, lt: of its arrival */
} pfc__order_last_t;

enum { PFC__ORDER_LASTS = 64 };
#define PFC__ORDER_DILATION 1.05 /* beyond it others want the processors, too, as where it is crowded (see the core's processor.c) */
#define PFC__ORDER_HOLD_NS 1e10 /* at most, each time */

static struct {
    int on;
    pfc__i64 hold; /* messages are to be held back, for so many ns at most; 0: they aren't */
    int crowded; /* there are more ranks than processors: one that is taken off its processor amid our own work comes out
                    too early by a time slice, of which no uncertainty tells */
    pfc__order_last_t last[PFC__ORDER_LASTS];
    struct { pfc__u32 comm; int there, rank, tag, asked; } probed; /* the last probe of anybody that found something: what, and for which tag */
    pfc__mpi_order_t *told;
} pfc__order;

/* Of the job, on this machine, as its launcher says; or all. */
static PFC__COLD int pfc__order_ranks_here(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE" };
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = pfc__environment(names[i]);
        if (text && atoi(text) > 0) return atoi(text);
    }
    return pfc__mpi.size;
}

/* "hold", or "hold:" and seconds: in ns; 0: neither. */
static PFC__COLD pfc__i64 pfc__order_hold_of(const char *wish)
{
    const char *end = 0;
    double seconds;
    if (strncmp(wish, "hold", 4)) return 0;
    if (!wish[4]) return (pfc__i64)PFC__ORDER_HOLD_NS;
    seconds = wish[4] == ':' ? pfc__number(wish + 5, &end) : 0;
    return end && !*end && seconds > 0 && seconds < 1e9 ? (pfc__i64)(seconds * 1e9) : 0;
}

/* PERFCOMP_MPI_ORDER: off, check (the default), or hold. */
static PFC__COLD void pfc__order_start(void)
{
    const char *wish = pfc__environment("PERFCOMP_MPI_ORDER");
    int off = wish && !strcmp(wish, "off");
    pfc__order.hold = wish ? pfc__order_hold_of(wish) : 0;
    if (wish && *wish && !off && !pfc__order.hold && strcmp(wish, "check") && pfc__mpi.rank == 0)
        pfc__note("PERFCOMP_MPI_ORDER=%s isn't understood: use off, check, hold, or hold:SECONDS; messages are checked for their order, "
                  "as by check", wish);
    if (!off) pfc__order.told = (pfc__mpi_order_t *)pfc__extent_add(PFC__MPI, sizeof *pfc__order.told, 1, PFC__MPI_ORDER);
    pfc__order.on = pfc__order.told != 0;
    pfc__order.crowded = !PFC__ONE_PROGRAM && pfc__order_ranks_here() > sysconf(_SC_NPROCESSORS_ONLN);
}

static PFC__COLD pfc__order_last_t *pfc__order_slot(pfc__u32 comm, int tag)
{
    return &pfc__order.last[(comm * 31u + (pfc__u32)tag * 7u) % PFC__ORDER_LASTS];
}

/* NULL: there was no such receive, or others have taken its place. */
static PFC__COLD pfc__order_last_t *pfc__order_last_of(pfc__u32 comm, int tag)
{
    pfc__order_last_t *l = pfc__order_slot(comm, tag);
    return l->used && l->comm == comm && l->tag == tag ? l : 0;
}

/* Of the receives that could have had a message with this tag. */
static PFC__COLD pfc__order_last_t *pfc__order_last_for(pfc__u32 comm, int tag)
{
    pfc__order_last_t *same = pfc__order_last_of(comm, tag), *any = pfc__order_last_of(comm, MPI_ANY_TAG);
    return !any || (same && same->lt >= any->lt) ? same : any;
}

/* Whether the later one of two receives has the message that would have come first. Not where it did come first, in this run,
   too: then the library saw both at once, and chose. */
static PFC__COLD void pfc__order_compare(const pfc__order_last_t *l, const pfc__order_last_t *m, const char *place)
{
    int later = m->post_ct >= l->post_ct;
    pfc__i64 early = later ? l->lt - m->lt : m->lt - l->lt, early_ct = later ? l->ct - m->ct : m->ct - l->ct;
    pfc__mpi_order_t *told = pfc__order.told;
    if (l->rank == m->rank || early_ct > 0) return; /* of one sender they keep their order */
    if (early <= -(l->u + m->u)) return;
    if (early <= l->u + m->u || pfc__order.crowded || pfc__costs()->dilation > PFC__ORDER_DILATION) {
        told->undecided++;
        return;
    }
    told->overtaken++;
    if (early <= told->most) return;
    told->most = early;
    told->rank = later ? m->rank : l->rank;
    told->by = later ? l->rank : m->rank;
    snprintf(told->place, sizeof told->place, "%s", place);
}

/* It is the last one from here on, if it would have come later. */
static PFC__COLD void pfc__order_keep(const pfc__order_last_t *m)
{
    pfc__order_last_t *l = pfc__order_last_of(m->comm, m->tag);
    if (l && l->lt >= m->lt) l->post_ct = pfc__max(l->post_ct, m->post_ct);
    else *pfc__order_slot(m->comm, m->tag) = *m;
}

/* When so many bytes come that the rank `from` has sent at `m`. */
static PFC__COLD pfc__moment_t pfc__travelled(pfc__moment_t m, pfc__i64 bytes, pfc__u32 from)
{
    pfc__transfer_t travel = pfc__travel_from(pfc__size_known(bytes), from);
    m.ct += travel.ns;
    m.lt += travel.ns;
    m.u += m.clock + travel.u;
    return m;
}

/* When a message that was sent as `p` tells comes: its beginning tells whose it is. */
static PFC__COLD pfc__moment_t pfc__order_arrival(const pfc__piggy_t *p) { return pfc__travelled(pfc__piggy_read(p), 0, p->rank); }

/* A receive from anybody, posted at `post_ct` for the tag `asked`, has a message that was sent as `p` tells. Under the lock. */
static PFC__COLD void pfc__order_came(pfc__u32 comm, int asked, const MPI_Status *status, pfc__i64 post_ct, const pfc__piggy_t *p,
                                      const pfc__mpi_site_t *site)
{
    const char *place = site ? site->place : "";
    pfc__moment_t arrival = pfc__order_arrival(p);
    pfc__order_last_t m, *l;
    m.used = 1;
    m.tag = asked;
    m.comm = comm;
    m.rank = p->rank;
    m.post_ct = post_ct;
    m.ct = arrival.ct;
    m.lt = arrival.lt;
    m.u = arrival.u;
    pfc__order.told->taken++;
    l = pfc__order_last_for(comm, status->MPI_TAG);
    if (l) pfc__order_compare(l, &m, place);
    pfc__order_keep(&m);
}

/* What a probe of anybody found. */
static PFC__COLD void pfc__order_probed(pfc__u32 comm, const MPI_Status *status, int asked)
{
    pfc__mpi_lock();
    pfc__order.probed.comm = comm;
    pfc__order.probed.rank = status->MPI_SOURCE;
    pfc__order.probed.tag = status->MPI_TAG;
    pfc__order.probed.asked = asked;
    __atomic_store_n(&pfc__order.probed.there, 1, __ATOMIC_RELAXED);
    pfc__mpi_unlock();
}

/* That is this message, received now. Under the lock. */
static PFC__COLD int pfc__order_is_probed(pfc__u32 comm, const MPI_Status *status)
{
    return pfc__order.probed.there && pfc__order.probed.comm == comm && pfc__order.probed.rank == status->MPI_SOURCE &&
           pfc__order.probed.tag == status->MPI_TAG;
}

static PFC__COLD void pfc__order_look(const pfc__call_t *c, pfc__u32 comm, int from, int asked, const MPI_Status *status, pfc__i64 post_ct,
                                      const pfc__piggy_t *p)
{
    pfc__mpi_lock();
    if (pfc__order_is_probed(comm, status)) {
        asked = pfc__order.probed.asked;
        from = MPI_ANY_SOURCE;
        __atomic_store_n(&pfc__order.probed.there, 0, __ATOMIC_RELAXED);
    }
    if (from == MPI_ANY_SOURCE) pfc__order_came(comm, asked, status, post_ct, p, c->site);
    pfc__mpi_unlock();
}

/* A message has been received, by a receive from `from` for the tag `asked`: if from anybody, its order is looked at. */
PFC__HOT void pfc__order_received(const pfc__call_t *c, pfc__u32 comm, int from, int asked, const MPI_Status *status, pfc__i64 post_ct,
                                  const pfc__piggy_t *p)
{
    if (PFC__LIKELY(from != MPI_ANY_SOURCE && !__atomic_load_n(&pfc__order.probed.there, __ATOMIC_RELAXED))) return;
    if (pfc__order.on) pfc__order_look(c, comm, from, asked, status, post_ct, p);
}
