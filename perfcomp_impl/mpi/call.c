/* -------------------------------------------------------- call (MPI impl) ---
   What every wrapper does: a region around the call, the moments of its begin
   and end, statistics by the place it is called from, and its own cost.

       pfc__call_in      wrapper entered
       pfc__call_begin   the library is about to be called
       pfc__call_end     it has returned
       pfc__call_out     wrapper left: everything but the library's time was ours */

typedef struct pfc__call {
    const char *name;
    enum pfc__mpi_rule rule;
    pfc__mpi_site_t *site;
    pfc__token_t region;
    pfc__i64 tick_in, tick_end;
    pfc__i64 held; /* ticks that were ours inside of the call, as if they had followed it */
    pfc__moment_t begin, end;
    pfc__i64 bytes;
    pfc__i64 wait_ct, wait_lt, wait_u;
    enum pfc__mpi_wait wait_kind;
    int hears;                  /* it waits or asks for something: what has come meanwhile is heard of, and its data move */
    int met;                    /* all ranks, by R6: */
    pfc__i64 met_least;         /* from then on no rank's Δ is less */
    int polls;                  /* 1: it's one of a row of questions (see polls) */
    pfc__i64 asked, asked_last; /* LT of the first and the last one in vain that are in doubt; 0: none are */
    pfc__i64 polled;            /* LT that was given back, because of those before the call, */
    pfc__i64 polled_ct;         /* and what these have waited, as measured: theirs, not in wait_ct */
    pfc__own_parts_t *own; /* NULL: the clock tells what was ours */
} pfc__call_t;

/* ---- places */

enum { PFC__MPI_SITES_AT_ONCE = 128, PFC__MPI_SITE_CACHE = 256 };

static struct { pfc__mpi_site_t *first; int used; } pfc__mpi_site_block;
static pfc__mpi_site_t *pfc__mpi_site_cache[PFC__MPI_SITE_CACHE];

typedef struct pfc__site_entry { pfc__by_handle_t entry; pfc__mpi_site_t *site; } pfc__site_entry_t;
static pfc__handles_t pfc__mpi_sites;

/* object + offset: addr2line finds the line, also in a position-independent program */
static PFC__QUIET void pfc__place_name(char *text, size_t room, const void *address)
{
#if defined __linux__ && !defined PERFCOMP_SMPI
    Dl_info info;
    if (dladdr((void *)(pfc__uptr)address, &info) && info.dli_fname) {
        const char *base = strrchr(info.dli_fname, '/');
        snprintf(text, room, "%.60s+0x%llx", base ? base + 1 : info.dli_fname,
                 (unsigned long long)((pfc__uptr)address - (pfc__uptr)info.dli_fbase - 1));
        return;
    }
#endif
    snprintf(text, room, "%p", address);
}

static PFC__QUIET pfc__mpi_site_t *pfc__mpi_site_new(const char *name, enum pfc__mpi_rule rule, const void *address)
{
    pfc__mpi_site_t *s;
    if (!pfc__mpi_site_block.first || pfc__mpi_site_block.used == PFC__MPI_SITES_AT_ONCE) {
        pfc__mpi_site_block.first =
            (pfc__mpi_site_t *)pfc__extent_add(PFC__MPI, sizeof *s, PFC__MPI_SITES_AT_ONCE, PFC__MPI_SITES);
        pfc__mpi_site_block.used = 0;
    }
    if (!pfc__mpi_site_block.first) /* the profile is full: private memory, nobody will read it */
        pfc__mpi_site_block.first = (pfc__mpi_site_t *)calloc(PFC__MPI_SITES_AT_ONCE, sizeof *s);
    if (!pfc__mpi_site_block.first) return 0;
    s = &pfc__mpi_site_block.first[pfc__mpi_site_block.used++];
    snprintf(s->name, sizeof s->name, "MPI_%s", name);
    pfc__place_name(s->place, sizeof s->place, address);
    s->address = (pfc__uptr)address;
    s->call = (pfc__u32)(pfc__uptr)name;
    s->rule = rule;
    return s;
}

/* One place makes one call: its address alone tells both, but for calls through pointers and inlined wrappers. */
PFC__HOT int pfc__mpi_site_is(const pfc__mpi_site_t *s, const char *name, const void *address)
{
    return s->address == (pfc__uptr)address && s->call == (pfc__u32)(pfc__uptr)name;
}

static PFC__QUIET pfc__mpi_site_t *pfc__mpi_site_look(const char *name, enum pfc__mpi_rule rule, const void *address)
{
    pfc__uptr key = (pfc__uptr)address ^ (pfc__uptr)name;
    pfc__site_entry_t *e;
    pfc__mpi_site_t *site = 0;
    pfc__mpi_lock();
    while ((e = (pfc__site_entry_t *)(void *)pfc__handles_find(&pfc__mpi_sites, key)) != 0 && !pfc__mpi_site_is(e->site, name, address))
        key++; /* the same by chance: it has the next one */
    if (e) site = e->site;
    else if ((e = (pfc__site_entry_t *)malloc(sizeof *e)) != 0) {
        e->site = site = pfc__mpi_site_new(name, rule, address);
        if (site) pfc__handles_put(&pfc__mpi_sites, key, &e->entry);
        else free(e);
    }
    pfc__mpi_unlock();
    return site;
}

PFC__HOT pfc__mpi_site_t *pfc__mpi_site_of(const char *name, enum pfc__mpi_rule rule, const void *address)
{
    unsigned at = (unsigned)(((pfc__uptr)address >> 2) ^ ((pfc__uptr)name >> 4)) % PFC__MPI_SITE_CACHE;
    pfc__mpi_site_t *site = __atomic_load_n(&pfc__mpi_site_cache[at], __ATOMIC_ACQUIRE);
    if (PFC__LIKELY(site && pfc__mpi_site_is(site, name, address))) return site;
    site = pfc__mpi_site_look(name, rule, address);
    __atomic_store_n(&pfc__mpi_site_cache[at], site, __ATOMIC_RELEASE);
    return site;
}

/* Fortran's calls come by way of wrappers (see fortran), of which each is one place. They say where they were called, for the
   next call of this thread; and where a name of MPI's own was called, its return address tells. */
#if defined OPEN_MPI && !defined PERFCOMP_SMPI
PFC__TLS const void *pfc__fortran_place;

PFC__HOT const void *pfc__called_at(const void *address)
{
    const void *place = pfc__fortran_place;
    if (PFC__LIKELY(!place)) return address;
    pfc__fortran_place = 0;
    return place;
}
#else
PFC__HOT const void *pfc__called_at(const void *address) { return address; }
#endif

/* ---- peers */

enum { PFC__MPI_PEER_SLOTS = 128 };
#define PFC__OTHERS 0xffffffffu /* ranks that have no entry of their own */
static pfc__mpi_peer_t *pfc__mpi_peers;

static PFC__QUIET void pfc__peer_waited(pfc__u32 rank, pfc__i64 ct, pfc__i64 lt)
{
    pfc__mpi_peer_t *p = 0;
    unsigned i, at = rank % (PFC__MPI_PEER_SLOTS - 1);
    if (!pfc__compensates) lt = ct;
    if (!pfc__mpi_peers || (ct <= 0 && lt <= 0)) return;
    pfc__mpi_lock();
    for (i = rank == PFC__OTHERS ? 8 : 0; i < 8; i++) {
        p = &pfc__mpi_peers[(at + i) % (PFC__MPI_PEER_SLOTS - 1)];
        if (!p->used || p->rank == rank) break;
    }
    if (i == 8) p = &pfc__mpi_peers[PFC__MPI_PEER_SLOTS - 1], rank = PFC__OTHERS;
    p->used = 1;
    p->rank = rank;
    p->waits++;
    p->wait_ct += ct;
    p->wait_lt += lt;
    pfc__mpi_unlock();
}

PFC__HOT pfc__u32 pfc__peer_named(int signer) { return signer == PFC__NOBODY ? PFC__OTHERS : (pfc__u32)signer; }

/* Of several ranks for the last one. That may be another one as measured than undisturbed: then each is waited for in one of
   them only. Within a step of its name's clock it may be this rank itself: it waits for nobody. */
static PFC__QUIET void pfc__peers_waited(pfc__names_t late, pfc__i64 ct, pfc__i64 lt)
{
    int last = pfc__signer(late.ct), last_lt = pfc__signer(late.lt), own = pfc__mpi.rank;
    if (last != own) pfc__peer_waited(pfc__peer_named(last), ct, last == last_lt ? lt : 0);
    if (last_lt != own && last_lt != last) pfc__peer_waited(pfc__peer_named(last_lt), 0, lt);
}

/* What the last probe has waited for a message from this rank: with its receive that is one wait. Under the lock. */
static struct { pfc__u32 rank; pfc__i64 ct; } pfc__probe_waited;

static PFC__QUIET void pfc__peer_probed(pfc__u32 rank, pfc__i64 ct)
{
    pfc__mpi_lock();
    pfc__peer_waited(pfc__probe_waited.rank, pfc__probe_waited.ct, 0); /* its message wasn't received by now */
    pfc__probe_waited.rank = rank;
    pfc__probe_waited.ct = ct;
    pfc__mpi_unlock();
}

PFC__HOT pfc__i64 pfc__peer_probe(pfc__u32 rank)
{
    pfc__i64 ct = pfc__probe_waited.ct;
    if (PFC__LIKELY(!ct) || pfc__probe_waited.rank != rank) return 0;
    pfc__probe_waited.ct = 0;
    return ct;
}

/* ---- the call */

static PFC__COLD void pfc__held_release_all(void); /* see held */

/* Where one may wait for another that waits for a receive which only we know of. */
static PFC__COLD void pfc__held_call(enum pfc__mpi_rule rule)
{
    if (rule == PFC__RULE_NONE || rule >= PFC__RULE_ALL) pfc__held_release_all();
}

/* Since when this rank has been out of calls that hear; and how many messages are under way whose other ends are told when it is back. */
static struct {
    pfc__moment_t since;
    int open;
    pfc__i64 opened; /* CT: when the first of these began, or somewhat before */
} pfc__away;

static PFC__COLD void pfc__call_is_back(pfc__call_t *c); /* see away */

/* Those that start something, or end what is here, don't look around. MPI_Send of short data doesn't either: see p2p. */
PFC__HOT int pfc__hears(enum pfc__mpi_rule rule, const char *name)
{
    return rule == PFC__RULE_PROBE || rule == PFC__RULE_COMPLETE || (rule > PFC__RULE_SEND && name[0] != 'I' && !strstr(name, "_init"));
}

static PFC__COLD void pfc__polls_go_on(pfc__call_t *c); /* see polls */
static PFC__COLD void pfc__polls_over(const pfc__call_t *c);

PFC__HOT void pfc__call_in(pfc__call_t *c, pfc__site_t *region, const char *name, enum pfc__mpi_rule rule, const void *address,
                           pfc__uptr sp)
{
    c->region.depth = pfc__enter_at(region, sp);
    c->tick_in = pfc__hits_charge_due(pfc__entered_at(&c->region));
    c->name = name;
    c->rule = rule;
    c->held = c->bytes = c->wait_ct = c->wait_lt = c->wait_u = c->asked_last = c->polled = c->polled_ct = 0;
    c->met = c->polls = 0;
    c->hears = pfc__hears(rule, name);
    c->wait_kind = PFC__NO_WAIT;
    c->own = 0;
    c->site = pfc__mpi_site_of(name, rule, address);
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_call(rule), pfc__bound_enter(c->tick_in);
    if (PFC__UNLIKELY(pfc__polling)) pfc__polls_go_on(c);
    pfc__virtual_cost(pfc__mpi.call_cost);
}

PFC__HOT void pfc__call_begin(pfc__call_t *c)
{
    if (PFC__UNLIKELY(pfc__away.open) && c->hears) pfc__call_is_back(c);
    c->begin = pfc__moment_at(c->own ? pfc__charge_own(&c->own->before, c->tick_in) : pfc__charge_since(c->tick_in));
}

/* Where this rank is amid what a wrapper does, which is ours up to here: to be told to another one. */
static PFC__QUIET pfc__moment_t pfc__call_so_far(pfc__call_t *c)
{
    c->tick_in = pfc__charge_since(c->tick_in);
    return pfc__moment_at(c->tick_in);
}

/* Until a rule says otherwise, the end is later than the begin by what the call took. */
PFC__HOT void pfc__call_end(pfc__call_t *c)
{
    c->tick_end = pfc__clock() - c->held;
    c->end = c->begin;
    c->end.ct = pfc__common_ns(c->tick_end);
    c->end.lt += c->end.ct - c->begin.ct;
}

/* It began before the library's call: what was done then wasn't ours. */
static PFC__QUIET void pfc__call_began(pfc__call_t *c, pfc__i64 ns)
{
    c->begin.ct -= ns;
    if (pfc__self) pfc__delta_charge(pfc__self, -pfc__round((double)ns / pfc__mpi.ns_per_tick));
}

/* It lasts longer than the library's call. */
static PFC__QUIET void pfc__call_goes_on(pfc__call_t *c, pfc__i64 ns)
{
    c->tick_end += pfc__round((double)ns / pfc__mpi.ns_per_tick);
    c->end.ct += ns;
    c->end.lt += ns;
}

/* We have no memory to do it with: the library isn't called, but the user's error handler is. MPI_COMM_NULL: nobody
   knows which communicator's. */
static PFC__QUIET int pfc__no_memory(pfc__call_t *c, MPI_Comm comm)
{
    pfc__call_begin(c);
    PMPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, MPI_ERR_NO_MEM);
    pfc__call_end(c);
    return MPI_ERR_NO_MEM;
}

/* What a wait is off by comes from two moments, its own begin and that of what it waited for. R6 gives all ranks one moment: by
   what that is off, nobody waits longer or shorter, only by what each rank's own probes have brought since. */
PFC__HOT pfc__i64 pfc__doubt_since_met(pfc__moment_t m) { return llabs(m.u - pfc__mpi.met_u); }

/* Nor is it more than the call was long, and than it changed Δ. Where its begin is an estimate, it may lie behind its end. */
PFC__HOT pfc__i64 pfc__wait_doubt(const pfc__call_t *c)
{
    pfc__i64 ct = c->end.ct - c->begin.ct, change = ct - (c->end.lt - c->begin.lt);
    return pfc__min(c->wait_u, pfc__max(0, ct + (change < 0 ? -change : change)));
}

PFC__HOT void pfc__site_add(pfc__mpi_site_t *s, const pfc__call_t *c)
{
    pfc__mpi_lock(); /* other threads may call from the same place */
    s->calls++;
    s->bytes += (pfc__u64)c->bytes;
    s->time_ct += c->end.ct - c->begin.ct;
    s->time_lt += c->end.lt - c->begin.lt;
    s->wait_ct += c->wait_ct;
    s->wait_lt += c->wait_lt;
    s->wait_u += pfc__wait_doubt(c);
    s->wait_kind[c->wait_kind] += c->wait_lt;
    pfc__mpi_unlock();
}

/* PERFCOMP_COMPENSATE=0: the call was as it was measured. */
static PFC__QUIET void pfc__call_raw(pfc__call_t *c)
{
    c->end.lt = c->begin.lt + (c->end.ct - c->begin.ct);
    c->wait_lt = c->wait_ct;
    c->wait_u = 0;
}

static PFC__QUIET void pfc__left_alone_sweep(int wait); /* see others */

/* By any call the user may have found out that they are complete. */
static PFC__COLD void pfc__left_receives_settle(pfc__call_t *c)
{
    c->own = 0;
    pfc__left_alone_sweep(0);
}

/* What a call was is known. */
PFC__HOT void pfc__call_settle(pfc__call_t *c)
{
    if (PFC__UNLIKELY(!pfc__compensates)) pfc__call_raw(c);
    else if (c->wait_ct || c->wait_lt) c->wait_u += pfc__doubt_since_met(c->begin);
    if (c->met) pfc__mpi.met_u = c->end.u, pfc__mpi.least_delay = c->met_least - c->end.u;
    pfc__moment_move(c->begin, c->end);
    if (c->hears && !pfc__mpi.threads) pfc__away.since = c->end;
    if (PFC__UNLIKELY(pfc__polling)) pfc__polls_over(c);
    if (PFC__LIKELY(c->site != 0)) pfc__site_add(c->site, c);
    if (PFC__UNLIKELY(__atomic_load_n(&pfc__mpi.left_receives, __ATOMIC_RELAXED) > 0)) pfc__left_receives_settle(c);
}

PFC__HOT void pfc__call_out(pfc__call_t *c)
{
    pfc__call_settle(c);
    pfc__leave_at(&c->region, c->own ? pfc__charge_own(&c->own->after, c->tick_end) : pfc__charge_since(c->tick_end));
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__bound_leave();
    if (PFC__UNLIKELY(__atomic_load_n(&pfc__errors_untold, __ATOMIC_RELAXED) > 0)) pfc__errors_tell();
}

/* So much of what the call took may be anybody's delay. */
static PFC__QUIET void pfc__call_doubts(pfc__call_t *c, pfc__i64 ns)
{
    c->end.u += ns;
    c->wait_u += ns;
}

/* What it waited for would have been there at `lt`: of the questions in vain, those behind would not have been. */
PFC__HOT void pfc__call_asked_for(pfc__call_t *c, pfc__i64 lt)
{
    if (PFC__UNLIKELY(c->asked_last != 0)) pfc__call_doubts(c, pfc__max(0, c->asked_last - pfc__max(c->asked, lt)));
}

/* The call ends by the law, having depended on what began at `start`. Returns how long it waited. */
PFC__HOT pfc__wait_t pfc__call_depends(pfc__call_t *c, pfc__moment_t start, pfc__transfer_t cost, pfc__transfer_t travel)
{
    pfc__wait_t wait = pfc__wait_on(start, c->begin, pfc__wait_of(c->begin, c->end.ct, cost), travel);
    pfc__moment_t arrival = pfc__arrival(start, c->begin, wait, travel);
    c->end = pfc__end_of_call(c->begin, c->end.ct, wait, arrival);
    pfc__call_asked_for(c, arrival.lt);
    c->wait_ct += wait.ns;
    c->wait_lt += pfc__local_wait(c->begin, arrival);
    c->wait_u += pfc__doubt_since_met(arrival);
    return wait;
}

/* What it waited for had come by then: what follows, nobody was late for. Clocks may differ; it came before the call's end. */
PFC__HOT void pfc__call_waited_until(pfc__call_t *c, pfc__moment_t there)
{
    c->wait_ct = pfc__until_there(c->begin.ct, pfc__min(there.ct, c->end.ct));
    c->wait_lt = pfc__until_there(c->begin.lt, pfc__min(there.lt, c->end.lt));
}

/* Those who were late. */
static PFC__QUIET void pfc__waited_for(const pfc__call_t *c, pfc__names_t late)
{
    pfc__peers_waited(late, c->wait_ct, c->wait_lt);
}

/* What it took beyond `there` nothing explains. */
static PFC__QUIET void pfc__call_unexplained(pfc__call_t *c, pfc__i64 there)
{
    pfc__call_doubts(c, pfc__max(0, c->end.ct - pfc__max(c->begin.ct, there)));
}

PFC__HOT int pfc__is_rooted(enum pfc__mpi_rule rule) { return rule == PFC__RULE_FROM_ROOT || rule == PFC__RULE_TO_ROOT; }

/* Data go by a way that the library chooses, and doesn't tell. */
PFC__HOT int pfc__has_way(enum pfc__mpi_rule rule) { return pfc__is_rooted(rule) || rule == PFC__RULE_PREFIX; }

/* Whether its name begins so. */
PFC__HOT int pfc__is_call(const pfc__call_t *c, const char *name) { return !strncmp(c->name, name, strlen(name)); }

/* The same for calls that needn't be as short as a message: some hundred wrappers would else hold a copy each. */
static __attribute__((noinline)) PFC__QUIET void pfc__call_enter(pfc__call_t *c, pfc__site_t *region, const char *name,
                                                                 enum pfc__mpi_rule rule, const void *address, pfc__uptr sp)
{
    pfc__call_in(c, region, name, rule, address, sp);
}

static __attribute__((noinline)) PFC__QUIET void pfc__call_leave(pfc__call_t *c) { pfc__call_out(c); }

/* In the wrappers: */
#define PFC__CALL(call, name, rule, enter) \
    static pfc__site_t pfc__region = PFC__SITE(PFC__MPI_CALL, "MPI_" #name, 0, ""); \
    pfc__call_t call; \
    enter(&(call), &pfc__region, #name, rule, pfc__called_at(__builtin_return_address(0)), pfc__stack_pointer())
