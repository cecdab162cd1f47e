/* ------------------------------------------------------- context (impl) ---
   What timing costs in the program's own code. An empty pair of probes takes
   about as long as two clock reads; around real work the processor hides some
   of that, or all, or it takes more. No constant fits (tests/bench/calibration.c),
   so the run itself is the experiment: every few thousandths of a second, for a
   window of some hundred enters, hot regions are not timed (their entries are
   still counted), and the window is compared with its neighbours. The window's
   kind is drawn at random, so that no rhythm of the program makes it biased:

       timed − light        = pair − light, in context
       light twice − light  = light, in context

   This is the dose of §2 at the place where it counts, from 0 to 1. The costs
   follow the program: they are those of its last 256 comparisons. */

#define PFC__WINDOW 512      /* enters in a window */
#define PFC__COMPARISONS 256 /* that a cost is taken from */
#define PFC__FEW 24          /* too few to know */

/* Where nothing at all was inserted the compiler also has no calls to make
   room for. No window shows that; by experiment on real programs it is this
   many times the cost of a pair while perfcomp is off, within a twentieth of an
   empty pair (tests/bench/compensation, and `perfcomp check` on yours). */
#define PFC__FIRST_DOSE 1.6
#define PFC__DOUBT 0.05

/* Odd windows against their timed neighbours: ticks an untimed entry. */
typedef struct pfc__comparison { double difference[PFC__COMPARISONS]; pfc__u64 count; } pfc__comparison_t;

static struct {
    pfc__uptr thread;          /* whose windows they are; 0: nobody's yet */
    pfc__i64 begin;            /* of this window */
    double before, odd;        /* ticks that the timed window before took, and the odd one after it */
    pfc__u32 odd_kind, odd_lights;
    pfc__u64 random;
    pfc__comparison_t light, twice;
    pfc__cost_t empty;         /* as calibrated at start */
    int off;
} pfc__context;

/* As much work once more as the light enter and exit that are under way: two
   calls, as perfcomp-cc makes them, that load, compare and store the same. */
static pfc__node_t pfc__nowhere;

pfc__u64 pfc__again_enter(pfc__uptr sp)
{
    pfc__thread_t *t = pfc__self;
    pfc__frame_t *above = t->top, *f = above + 1;
    pfc__node_t *node = above->node->child[pfc__nowhere.region & 3];
    if (PFC__UNLIKELY((node->region == PFC__UNKNOWN) | (above->sp < sp) | (above == t->limit))) return 0;
    t->top = f;
    PFC__SIGNAL_FENCE();
    f->node = &pfc__nowhere;
    f->child = f->child_delta = 0;
    f->sp = sp;
    f->depth = above->depth + 1;
    f->delta = t->delta + t->enter_pre;
    if (PFC__UNLIKELY(t->left <= -1)) return 0;
    f->begin = PFC__UNTIMED;
    t->lights++;
    return f->depth;
}

void pfc__again_leave(pfc__u64 depth)
{
    pfc__thread_t *t = pfc__self;
    pfc__frame_t *f = t->top, *above = f - 1;
    if (PFC__UNLIKELY(f->depth != depth) || PFC__UNLIKELY(f->begin != PFC__UNTIMED)) return;
    f->node->count++;
    f->node->untimed++;
    above->child += f->child;
    above->child_delta += f->child_delta;
    t->lights--;
    t->delta += t->light;
    PFC__SIGNAL_FENCE();
    t->top = above;
}

/* Mean without the outermost twentieths (a window in which the system took the
   processor away says nothing), and its standard error. */
static PFC__QUIET double pfc__trimmed_mean(const pfc__comparison_t *c, double *error)
{
    double value[PFC__COMPARISONS], sum = 0, squares = 0;
    int n = c->count < PFC__COMPARISONS ? (int)c->count : PFC__COMPARISONS, cut = n / 20, i, j;
    for (i = 0; i < n; i++) {
        double v = c->difference[i];
        for (j = i; j > 0 && value[j - 1] > v; j--) value[j] = value[j - 1];
        value[j] = v;
    }
    for (i = cut; i < n - cut; i++) sum += value[i], squares += value[i] * value[i];
    n -= 2 * cut;
    sum /= n;
    *error = sqrt(fabs(squares / n - sum * sum) / n);
    return sum;
}

/* A value of which two measurements are known, by their precision. */
static PFC__QUIET double pfc__weighted(double a, double a_error, double b, double b_error)
{
    double wa = 1 / (a_error * a_error + 1e-9), wb = 1 / (b_error * b_error + 1e-9);
    return (a * wa + b * wb) / (wa + wb);
}

/* The costs in context, out of the comparisons; from now on they are charged.
   Where the comparisons scatter too much to tell, the empty costs count. */
static PFC__QUIET void pfc__context_apply(void)
{
    const pfc__cost_t *empty = &pfc__context.empty;
    double light_error, twice_error, saved, light, all, chance, doubt = empty->pair * PFC__DOUBT;
    if (pfc__context.light.count < PFC__FEW || pfc__context.twice.count < PFC__FEW) return;
    saved = -pfc__trimmed_mean(&pfc__context.light, &light_error);
    light = pfc__trimmed_mean(&pfc__context.twice, &twice_error) + saved;
    chance = light_error + twice_error;
    pfc__cost.light = pfc__weighted(light, chance, empty->light, empty->light / 2);
    pfc__cost.pair = pfc__weighted(saved + light + PFC__FIRST_DOSE * empty->bare, chance, empty->pair, empty->pair / 4);
    pfc__cost.inside = empty->inside * pfc__cost.pair / empty->pair;
    all = (double)(pfc__context.light.count + pfc__context.twice.count);
    if (all > 2 * PFC__COMPARISONS) chance *= sqrt(2 * PFC__COMPARISONS / all); /* the run has seen more than these */
    if (chance > empty->pair / 4) chance = empty->pair / 4;
    pfc__cost.pair_spread = doubt + 2 * chance;
    pfc__cost.inside_spread = pfc__cost.pair_spread / 2;
    pfc__cost.light_spread = doubt + 2 * chance;
    pfc__cost.windows = all;
    PFC__HEADER->cost = pfc__cost;
}

/* The latest costs, unless somebody else is at them: then next time. */
static PFC__QUIET void pfc__costs_take(pfc__thread_t *t)
{
    if (pthread_mutex_trylock(&pfc__lock)) return;
    pfc__charge_by(t, &pfc__cost);
    pthread_mutex_unlock(&pfc__lock);
}

static PFC__QUIET void pfc__compare(pfc__thread_t *t, pfc__u32 kind, double difference)
{
    pfc__comparison_t *c = kind == PFC__WINDOW_LIGHT ? &pfc__context.light : &pfc__context.twice;
    c->difference[c->count++ % PFC__COMPARISONS] = difference;
    if ((pfc__context.light.count + pfc__context.twice.count) % 32 || pthread_mutex_trylock(&pfc__lock)) return;
    pfc__context_apply();
    pfc__charge_by(t, &pfc__cost);
    pthread_mutex_unlock(&pfc__lock);
}

/* One in eight, half of them light twice. */
static PFC__QUIET pfc__u32 pfc__draw_window(void)
{
    pfc__u64 *r = &pfc__context.random;
    *r = *r * 6364136223846793005u + 1442695040888963407u;
    if (*r >> 61) return PFC__WINDOW_TIMED;
    return (*r >> 60) & 1 ? PFC__WINDOW_LIGHT : PFC__WINDOW_LIGHT_TWICE;
}

static PFC__QUIET void pfc__window_ended(pfc__thread_t *t, double ticks)
{
    if (t->window != PFC__WINDOW_TIMED) {
        pfc__context.odd = ticks;
        pfc__context.odd_kind = t->window;
        pfc__context.odd_lights = t->lights;
        t->window = PFC__WINDOW_TIMED;
        return;
    }
    if (pfc__context.odd_kind != PFC__WINDOW_TIMED && pfc__context.odd_lights >= PFC__WINDOW / 4)
        pfc__compare(t, pfc__context.odd_kind, (pfc__context.odd - (pfc__context.before + ticks) / 2) / pfc__context.odd_lights);
    pfc__context.odd_kind = PFC__WINDOW_TIMED;
    pfc__context.before = ticks;
    /* where probes are below a hundredth of the time, their exact cost doesn't matter */
    if (ticks < 100 * PFC__WINDOW * pfc__context.empty.pair) t->window = pfc__draw_window();
}

/* The first thread with enough to do. */
static PFC__QUIET int pfc__owns_windows(const pfc__thread_t *t)
{
    pfc__uptr nobody = 0;
    return __atomic_load_n(&pfc__context.thread, __ATOMIC_RELAXED) == (pfc__uptr)t ||
           __atomic_compare_exchange_n(&pfc__context.thread, &nobody, (pfc__uptr)t, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void pfc__window_next(pfc__thread_t *t)
{
    pfc__i64 now = pfc__clock();
    t->left = PFC__WINDOW;
    if (pfc__context.off || PFC__HEADER->budget > 0) {
        t->window = PFC__WINDOW_TIMED;
        t->left = INT64_MAX;
    } else if (!pfc__owns_windows(t)) pfc__costs_take(t);
    else {
        if (pfc__context.begin) pfc__window_ended(t, (double)(now - pfc__context.begin));
        t->lights = 0;
        pfc__charge_slow(now);
        pfc__context.begin = pfc__clock();
    }
}

/* A thread begins. */
static PFC__QUIET void pfc__windows_start(pfc__thread_t *t)
{
    t->window = PFC__WINDOW_TIMED;
    t->left = pfc__context.off ? INT64_MAX : PFC__WINDOW;
}

static PFC__QUIET void pfc__context_start(void)
{
    pfc__context.empty = pfc__cost;
    pfc__context.random = (pfc__u64)pfc__clock_tick0;
    pfc__context.off = !pfc__switch("PERFCOMP_CONTEXT", 1) || !pfc__settings.compensate || pfc__settings.trace;
#ifdef PERFCOMP_CHARGE
    pfc__context.off = 1; /* modelled costs are exact */
#endif
}
