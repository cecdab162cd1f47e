/* ----------------------------------------------------------- cost (impl) ---
   §2 of the model: what one operation costs. Batches of the real hot path on a
   scratch thread state; a low quantile, because whatever disturbs a batch only
   makes it longer; the distance to the median is the uncertainty. */

static pfc__cost_t pfc__cost; /* this process's, in ticks */
static pfc__u64 pfc__atomic_hits; /* that an atomic one takes as long as; 0: there are none */

static pfc__i64 pfc__look; /* what pfc_timers takes; 0 where Δ stays 0, and in virtual time, which goes on by what PERFCOMP_SMPI_COST_NS names */

pfc__cost_t *pfc__costs(void) { return &pfc__cost; }

static PFC__QUIET pfc__i64 pfc__fixed(double ticks)
{
    return (pfc__i64)(ticks * (1 << PFC__FRACTION) + (ticks < 0 ? -0.5 : 0.5));
}

/* A cost turns out to be so many times as much, and that is in doubt. */
static PFC__QUIET void pfc__cost_times(double *cost, double *spread, double factor, double doubt)
{
    *cost *= factor;
    *spread = factor * *spread + doubt * *cost;
}

/* By PFC_HIT with PERFCOMP_THREADS: an atomic addition waits until all before it is done, so that most of it shows. What it
   costs where several threads add to one counter at once isn't known. */
#define PFC__ATOMIC_SHARE 0.8
#define PFC__ATOMIC_DOUBT 0.4
#define PFC__ATOMIC_MOST 1e6

/* What threads' counters are found with, in a row. How much of it shows depends on the code around it. What a load costs lies
   within the uncertainty of the hits that follow it. A call takes more than twice what a load does; one of the thread's memory may take
   some cycles more in a row than another (1.3 ns on a Zen 4, 0.6 times as long: charged, 20 million entries came to 20 ms too many of 24). */
#define PFC__FETCH_DOUBT 0.5
#define PFC__FETCH_LEAST 0.9 /* times what a load takes */

pfc__virtual_t pfc__virtual;

/* ---- virtual time: the costs are what PERFCOMP_SMPI_COST_NS says, 200 ns each by default */

#ifdef PERFCOMP_CHARGE
typedef struct pfc__modelled { double enter, exit, hit, mpi; } pfc__modelled_t;

#define PFC__MODELLED_MOST 1e12 /* ns */

/* A number of ns, and where it ends; NULL: there is none, or none that a cost can be. */
static PFC__QUIET const char *pfc__cost_number(const char *text, double *ns)
{
    const char *end;
    *ns = pfc__number(text, &end);
    return end != text && *ns >= 0 && *ns <= PFC__MODELLED_MOST ? end : 0;
}

static PFC__QUIET int pfc__cost_parse(const char *text, pfc__modelled_t *m)
{
    const struct { const char *name; double *cost; } kinds[] = {
        { "enter=", &m->enter }, { "exit=", &m->exit }, { "hit=", &m->hit }, { "mpi=", &m->mpi }
    };
    size_t i;
    const char *end = pfc__cost_number(text, &m->enter);
    if (end) {
        m->exit = m->hit = m->mpi = m->enter;
        return !*end;
    }
    for (;; text = end + 1) {
        for (i = 0; i < 4 && strncmp(text, kinds[i].name, strlen(kinds[i].name));) i++;
        end = i < 4 ? pfc__cost_number(text + strlen(kinds[i].name), kinds[i].cost) : 0;
        if (!end || (*end && *end != ',')) return 0;
        if (!*end) return 1;
    }
}

static PFC__QUIET void pfc__calibrate(pfc__cost_t *cost)
{
    const char *text = pfc__environment("PERFCOMP_SMPI_COST_NS");
    const pfc__modelled_t usual = { 200, 200, 0, 200 };
    pfc__modelled_t m = usual;
    if (text && *text && !pfc__cost_parse(text, &m)) {
        m = usual;
        pfc__note_setting("PERFCOMP_SMPI_COST_NS=%s isn't understood: use one number of ns, or enter=200,exit=200,hit=1,mpi=500", text);
    }
    cost->pair = cost->light = cost->empty_pair = m.enter + m.exit;
    cost->hit = m.hit;
    cost->mpi = m.mpi;
    pfc__virtual.enter = pfc__fixed(m.enter);
    pfc__virtual.exit = pfc__fixed(m.exit);
    pfc__virtual.hit = pfc__fixed(m.hit);
}

/* They are exact. */
static PFC__QUIET void pfc__cost_scale(pfc__cost_t *cost) { (void)cost; }
static PFC__QUIET pfc__u64 pfc__atomic_hits_measured(double hit) { (void)hit; return 1; }
static PFC__QUIET double pfc__fetch_cost(unsigned long long *(*own)(void)) { (void)own; return 0; } /* part of a hit */

/* All is charged outside of the two stamps. */
static PFC__QUIET void pfc__charge_by(pfc__thread_t *t, const pfc__cost_t *cost)
{
    int charges = pfc__compensates && PFC__CHARGES();
    (void)cost;
    t->enter = t->enter_pre = charges * pfc__virtual.enter;
    t->exit = charges * pfc__virtual.exit;
    t->exit_pre = t->light = 0;
}

#if defined PERFCOMP_SMPI
void pfc__virtual_begins(void)
{
    if (pfc__self) pfc__charge_by(pfc__self, &pfc__cost);
}
#endif

#else

#define PFC__BATCHES 41
#define PFC__BATCH 256

/* A thread of nobody's, on which probes can be tried: one path below another. */
static struct {
    pfc__thread_t thread;
    pfc__frame_t frame[2];
    pfc__node_t node[2];
} pfc__scratch;

/* Its trace: writing the events is most of what a probe costs then. */
#define PFC__SCRATCH_EVENTS 1024

static struct {
    pfc__event_t event[PFC__SCRATCH_EVENTS];
    pfc__shared_u64 written;
    pfc__ring_t ring;
} pfc__scratch_trace;

static PFC__QUIET pfc__ring_t *pfc__scratch_ring(void)
{
    pfc__ring_t *ring = &pfc__scratch_trace.ring;
    ring->event = pfc__scratch_trace.event;
    ring->mask = PFC__SCRATCH_EVENTS - 1;
    ring->written = &pfc__scratch_trace.written;
    return ring;
}

static pfc__site_t pfc__scratch_site = { 1, PFC__NAMED, 0, 0, "calibration", "", 0 };

/* No window ends there. */
static PFC__QUIET void pfc__scratch_reset(pfc__u32 window)
{
    pfc__thread_t *t = &pfc__scratch.thread;
    int i, k;
    memset(&pfc__scratch, 0, sizeof pfc__scratch);
    for (i = 0; i < 2; i++) {
        pfc__node_t *n = &pfc__scratch.node[i];
        n->shortest = INT64_MAX;
        n->longest = INT64_MIN;
        n->region = (pfc__u32)i;
        n->child = n->few;
        n->mask = PFC__FEW_CHILDREN - 1;
        for (k = 0; k < PFC__FEW_CHILDREN; k++) n->few[k] = &pfc__scratch.node[1];
    }
    pfc__scratch.frame[0].node = &pfc__scratch.node[0];
    pfc__scratch.frame[0].sp = ~(pfc__uptr)0;
    pfc__scratch.frame[1].depth = 1;
    t->top = t->bottom = pfc__scratch.frame;
    t->limit = pfc__scratch.frame + 1;
    t->enters_left = INT64_MAX;
    t->window = window;
    if (pfc__settings.trace) t->ring = pfc__scratch_ring();
    pfc__scratch.node[1].manner = PFC__MANNER_BRIEF;
    pfc__scratch.node[1].up = &pfc__scratch.node[0];
    pfc__scratch.node[1].due_in = window & PFC__WINDOW_LIGHT ? UINT32_MAX : 0;
    pfc__scratch_site.light = &pfc__scratch.node[1];
}

/* Ticks that an empty pair takes, the mean of so many. */
static PFC__QUIET double pfc__empty_pairs(pfc__u32 window, int pairs)
{
    pfc__thread_t *t = &pfc__scratch.thread;
    pfc__i64 begin;
    int i;
    pfc__scratch_reset(window);
    begin = pfc__clock();
    for (i = 0; i < pairs; i++) pfc__exit_on(t, pfc__enter_on(t, &pfc__scratch_site, pfc__stack_pointer()));
    return (double)(pfc__clock() - begin) / pairs;
}

/* Low quantile and its distance to the median; sorts. */
static PFC__QUIET void pfc__quantile(double *value, int n, double *low, double *spread)
{
    pfc__sort(value, n);
    *low = value[n / 10];
    *spread = value[n / 2] - *low;
}

static PFC__QUIET void pfc__calibrate_pairs(pfc__cost_t *cost)
{
    double pair[PFC__BATCHES], inside[PFC__BATCHES], light[PFC__BATCHES];
    int i;
    for (i = -2; i < PFC__BATCHES; i++) { /* two batches to warm up */
        int at = i < 0 ? 0 : i;
        pair[at] = pfc__empty_pairs(PFC__WINDOW_USUAL, PFC__BATCH);
        inside[at] = (double)pfc__scratch.node[1].exclusive / PFC__BATCH;
        light[at] = pfc__empty_pairs(PFC__WINDOW_LIGHT, PFC__BATCH);
    }
    pfc__quantile(pair, PFC__BATCHES, &cost->pair, &cost->pair_spread);
    pfc__quantile(inside, PFC__BATCHES, &cost->inside, &cost->inside_spread);
    pfc__quantile(light, PFC__BATCHES, &cost->light, &cost->light_spread);
    cost->empty_pair = cost->pair;
    pfc__scratch_reset(PFC__WINDOW_LIGHT);
}

/* A counter hit is an addition to memory. How much of it shows depends on the code around it and on the processor: of what
   one takes in a row of them, 0.2 to 0.8 on two Intel ones, and on an AMD one 0.2 to 0.5 in six programs of seven, but 1.1 in
   Lua's interpreter; on a third Intel one 0.8 in zlib, 1.2 in glpk, and more than 1.3 in bzip2 (tests/bench/compensation
   --flags=--count). Nothing in the run tells where a program lies, nor does it matter whether the compiler keeps the counter
   in a register: the uncertainty covers all but bzip2's. */
#define PFC__HIT_SHARE 0.45
#define PFC__HIT_DOUBT 0.8

#define PFC__HIT_ONE(i) ++*(unsigned long long *)(pfc__uptr)&counter[(i) & 63]; __asm__ __volatile__("" ::: "memory")

/* How many plain ones, of `hit` ticks, an atomic one is: found out where the first unit adds like that. */
static PFC__QUIET pfc__u64 pfc__atomic_hits_measured(double hit)
{
    static volatile unsigned long long counter[64];
    double ticks[PFC__BATCHES], low, spread, share = PFC__ATOMIC_SHARE;
    int i, k;
    for (i = 0; i < PFC__BATCHES; i++) {
        pfc__i64 begin = pfc__clock();
        for (k = 0; k < PFC__BATCH; k++) __atomic_fetch_add(&counter[k & 63], 1, __ATOMIC_RELAXED);
        ticks[i] = (double)(pfc__clock() - begin) / PFC__BATCH;
    }
    pfc__quantile(ticks, PFC__BATCHES, &low, &spread);
    if (pfc__settings.scale > 0) share *= pfc__settings.scale; /* as in `hit` */
    return hit > 0 && share * low > hit ? (pfc__u64)fmin(share * low / hit + .5, PFC__ATOMIC_MOST) : 1;
}

/* Another load. */
static PFC__QUIET unsigned long long *pfc__own_loaded(void)
{
    static unsigned long long nowhere, *volatile slot = &nowhere;
    unsigned long long *found = slot;
    return PFC__LIKELY(found != 0) ? found : &nowhere;
}

/* The least of some batches: too few for a quantile, as each unit is measured while the program runs. */
static PFC__QUIET double pfc__own_ticks(unsigned long long *(*own)(void))
{
    unsigned long long *(*volatile call)(void) = own;
    double least = INFINITY;
    int i, k;
    for (i = 0; i < 4; i++) {
        pfc__i64 begin = pfc__clock();
        for (k = 0; k < 128; k++) (void)call();
        least = fmin(least, (double)(pfc__clock() - begin) / 128);
    }
    return least;
}

/* Of a function's entry, under threads: a load, or in shared objects a call (__tls_get_addr), which alone is charged. */
static PFC__QUIET double pfc__fetch_cost(unsigned long long *(*own)(void))
{
    double scale = pfc__settings.scale > 0 ? pfc__settings.scale : 1;
    double load = pfc__own_ticks(pfc__own_loaded), ticks = pfc__own_ticks(own) - load;
    return ticks > PFC__FETCH_LEAST * load ? scale * ticks : 0;
}

static PFC__QUIET void pfc__calibrate_hits(pfc__cost_t *cost)
{
    static volatile unsigned long long counter[64];
    double hits[PFC__BATCHES], loops[PFC__BATCHES]; /* ticks a hit, with the loop around it and of that alone */
    double hit, hit_width, loop, loop_width;
    int i, k;
    for (i = 0; i < PFC__BATCHES; i++) {
        pfc__i64 a = pfc__clock(), b, c;
        for (k = 0; k < PFC__BATCH; k++) __asm__ __volatile__("" ::: "memory");
        b = pfc__clock();
        for (k = 0; k < PFC__BATCH; k++) { /* several a turn: one would hide behind the loop's own branch */
            PFC__HIT_ONE(k); PFC__HIT_ONE(k + 8); PFC__HIT_ONE(k + 16); PFC__HIT_ONE(k + 24);
        }
        c = pfc__clock();
        loops[i] = (double)(b - a) / (4 * PFC__BATCH);
        hits[i] = (double)(c - b) / (4 * PFC__BATCH);
    }
    pfc__quantile(loops, PFC__BATCHES, &loop, &loop_width);
    pfc__quantile(hits, PFC__BATCHES, &hit, &hit_width);
    cost->hit = PFC__HIT_SHARE * (hit - loop);
    cost->hit_spread = PFC__HIT_DOUBT * (hit - loop) + hit_width + loop_width;
    if (!(pfc__settings.scale > 0)) return;
    cost->hit *= pfc__settings.scale;
    cost->hit_spread = pfc__settings.scale_doubt * cost->hit;
}

static PFC__CALLED pfc_timers_t pfc__timers_of(pfc__thread_t *t);

#define PFC__LOOKS 64

/* A program that asks often for its own timers is slower for that, too. */
static PFC__QUIET void pfc__calibrate_looks(void)
{
    double ticks[PFC__BATCHES], low, spread;
    int i, k;
    if (!pfc__compensates) return;
    for (i = 0; i < PFC__BATCHES; i++) {
        pfc__i64 begin = pfc__clock();
        for (k = 0; k < PFC__LOOKS; k++) {
            pfc__thread_get(); /* there is none yet, which takes as long to find out */
            pfc__timers_of(&pfc__scratch.thread);
        }
        ticks[i] = (double)(pfc__clock() - begin) / PFC__LOOKS;
    }
    pfc__quantile(ticks, PFC__BATCHES, &low, &spread);
    pfc__look = pfc__fixed(low);
}

static PFC__QUIET void pfc__calibrate(pfc__cost_t *cost)
{
    pfc__calibrate_pairs(cost);
    pfc__calibrate_looks();
    pfc__calibrate_hits(cost);
}

/* PERFCOMP_SCALE: what no run can see of its own costs has been seen from outside.
   Hits are scaled where they are calibrated: no window shows them. */
static PFC__QUIET void pfc__cost_scale(pfc__cost_t *cost)
{
    double scale = pfc__settings.scale, doubt = pfc__settings.scale_doubt;
    if (!(scale > 0)) return;
    pfc__cost_times(&cost->pair, &cost->pair_spread, scale, doubt);
    pfc__cost_times(&cost->inside, &cost->inside_spread, scale, doubt);
    pfc__cost_times(&cost->light, &cost->light_spread, scale, doubt);
}

#define PFC__BRIEF 100 /* empty pairs: beyond that, timing hardly shows */

/* The stamps stand in the middle of what an enter, and what an exit costs
   outside and inside of them: only the two sums can be observed. */
static PFC__QUIET void pfc__charge_by(pfc__thread_t *t, const pfc__cost_t *cost)
{
    pfc__i64 pair = pfc__fixed(cost->pair), inside = pfc__fixed(cost->inside);
    pfc__i64 outside = pair - inside;
    if (!pfc__compensates) return;
    t->enter_pre = outside / 2;
    t->enter = t->enter_pre + inside - inside / 2;
    t->exit_pre = inside / 2;
    t->exit = pair - t->enter;
    t->light = pfc__fixed(cost->light);
    t->brief = (pfc__i64)(PFC__BRIEF * cost->empty_pair);
    t->pair_doubt = cost->pair > 0 ? cost->pair_spread / cost->pair : 0;
    t->hit_doubt = cost->hit > 0 ? cost->hit_spread / cost->hit : 0;
}

#endif
