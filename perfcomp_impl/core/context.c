/* ------------------------------------------------------- context (impl) ---
   What timing costs in the program's own code. An empty pair of probes takes
   about as long as two clock reads; around real work the processor hides some
   of that, or all, or it takes more. No constant fits (tests/bench/calibration.c),
   so the run itself is the experiment: now and then, for a window of two
   thousand enters, hot regions are not timed (their entries are still counted),
   and the window is compared with its two neighbours. Which window it is, is
   drawn at random, so that no rhythm of the program makes the result biased.

       timed window − light window  = what timing adds to an untimed entry
       + pfc__first_dose            = what an untimed entry adds to none

   This is the dose of §2 at the place where it counts, from 0 to 1. The costs
   follow the program, and those who share the processor with it: they are those
   of its last 256 comparisons, and beside each stand some empty pairs. */

#define PFC__WINDOW 2048     /* enters in a window: few against them are the branches foretold wrong at its ends */
#define PFC__COMPARISONS 256 /* that a cost is taken from */
#define PFC__FEW 24          /* too few to know */
#define PFC__DEEP 64         /* frames that are looked at when a window ends */

/* No window shows what an untimed entry costs, and what the compiler would have
   made of code without any probe: about PFC__FIRST_DOSE untimed pairs in an empty
   loop, or less where the processor hides more than half of the timing, for there
   it hides as much of this; of that, PFC__DOUBT is uncertain. So it is in real
   programs, on processors that hide a third of the timing behind their work as on
   those that hide little of it, or nothing (tests/bench/compensation; `perfcomp
   check` on yours). On the former, of which less than PFC__HIDING shows, a pair
   takes PFC__AROUND_WORK of an empty one: that counts within PFC__AROUND_DOUBT of
   what the run shows. */
#define PFC__FIRST_DOSE 1.5
#define PFC__DOUBT 0.4
#define PFC__HIDING 0.75
#define PFC__AROUND_WORK 0.89
#define PFC__AROUND_DOUBT 0.16

static struct {
    pfc__uptr thread;          /* whose windows they are; 0: nobody's yet */
    pfc__i64 begin;            /* of this window */
    double before, light;      /* ticks that the timed window before took, and the light one after it */
    pfc__u32 lights;           /* untimed entries in that one; 0: the last two windows were timed */
    pfc__u64 random;
    double saved[PFC__COMPARISONS]; /* ticks an untimed entry took less */
    double empty_pair[PFC__COMPARISONS], empty_light[PFC__COMPARISONS]; /* what empty ones took beside it */
    pfc__u64 comparisons;
    pfc__cost_t empty;         /* as calibrated at start, and then as they were in the comparisons */
    int off;
} pfc__context;

/* Mean without the outermost twentieths (a window in which the system took the
   processor away says nothing), and its standard error: Tukey and McLaughlin,
   Less vulnerable confidence and significance procedures for location, 1963. */
static PFC__QUIET double pfc__trimmed(const double *all, double *error)
{
    double value[PFC__COMPARISONS], sum = 0, squares = 0, winsorized, kept;
    int n = pfc__context.comparisons < PFC__COMPARISONS ? (int)pfc__context.comparisons : PFC__COMPARISONS;
    int cut = n / 20, i, j;
    for (i = 0; i < n; i++) {
        double v = all[i];
        for (j = i; j > 0 && value[j - 1] > v; j--) value[j] = value[j - 1];
        value[j] = v;
    }
    for (i = cut; i < n - cut; i++) sum += value[i], squares += value[i] * value[i];
    kept = n - 2 * cut;
    winsorized = (sum + cut * (value[cut] + value[n - cut - 1])) / n;
    squares += cut * (value[cut] * value[cut] + value[n - cut - 1] * value[n - cut - 1]);
    *error = sqrt(fabs(squares / n - winsorized * winsorized) * n) / kept;
    return sum / kept;
}

/* What timing adds to an untimed entry here, over what it adds in an empty loop. */
static PFC__QUIET double pfc__shown(const pfc__cost_t *empty, double saved)
{
    return saved / (empty->pair - empty->light);
}

static PFC__QUIET double pfc__first_dose(const pfc__cost_t *empty, double saved)
{
    double shown = pfc__shown(empty, saved);
    return PFC__FIRST_DOSE * empty->light * (shown > .5 ? 1 : shown > 0 ? 2 * shown : 0);
}

/* What the run shows, and inside of its doubt what programs have in common. */
static PFC__QUIET double pfc__pair_in_context(const pfc__cost_t *empty, double saved, double error)
{
    double first = pfc__first_dose(empty, saved), pair = saved + first, usual = PFC__AROUND_WORK * empty->pair;
    double doubt = PFC__AROUND_DOUBT * first + 2 * error;
    if (pfc__shown(empty, saved) > PFC__HIDING) return pair;
    return usual > pair + doubt ? pair + doubt : usual < pair - doubt ? pair - doubt : usual;
}

/* How far what no window shows may be off; perfcomp check has told, or nobody. */
static PFC__QUIET double pfc__first_doubt(const pfc__cost_t *empty)
{
    return pfc__settings.scale > 0 ? 0 : PFC__DOUBT * PFC__FIRST_DOSE * empty->light;
}

/* What no calibration knows is in pfc__cost: from now on it is charged. */
static PFC__QUIET void pfc__costs_settle(void)
{
    pfc__cost.inside_spread = pfc__cost.pair_spread / 2;
    pfc__cost_scale(&pfc__cost);
    PFC__HEADER->cost = pfc__cost;
}

/* The costs in context, out of the comparisons; from now on they are charged. */
static PFC__QUIET void pfc__context_apply(void)
{
    pfc__cost_t *empty = &pfc__context.empty;
    double n = (double)pfc__context.comparisons, error, ignored, saved = pfc__trimmed(pfc__context.saved, &error);
    double pair = pfc__trimmed(pfc__context.empty_pair, &ignored);
    empty->inside *= pair / empty->pair;
    empty->pair = pair;
    empty->light = pfc__trimmed(pfc__context.empty_light, &ignored);
    pfc__cost.empty_pair = empty->pair;
    pfc__cost.pair = pfc__pair_in_context(empty, saved, error);
    pfc__cost.inside = empty->inside * pfc__cost.pair / empty->pair;
    pfc__cost.light = pfc__cost.pair > saved ? pfc__cost.pair - saved : 0;
    if (n > PFC__COMPARISONS) error *= sqrt(PFC__COMPARISONS / n); /* the run has seen more than these */
    pfc__cost.pair_spread = pfc__cost.light_spread = pfc__first_doubt(empty) + 2 * error;
    if (pfc__cost.pair_spread > empty->pair / 2) pfc__cost.pair_spread = empty->pair / 2;
    pfc__cost.windows = n;
    pfc__costs_settle();
}

/* The latest costs, unless somebody else is at them: then next time. */
static PFC__QUIET void pfc__costs_take(pfc__thread_t *t)
{
    if (!pfc__lists_try()) return;
    pfc__charge_by(t, &pfc__cost);
    pfc__lists_leave();
}

static PFC__QUIET void pfc__compare(pfc__thread_t *t, double saved)
{
    pfc__u64 at = pfc__context.comparisons++ % PFC__COMPARISONS;
    pfc__context.saved[at] = saved;
    pfc__try_empty(&pfc__context.empty_pair[at], &pfc__context.empty_light[at]);
    if (pfc__context.comparisons < PFC__FEW || pfc__context.comparisons % 16 || !pfc__lists_try()) return;
    pfc__context_apply();
    pfc__charge_by(t, &pfc__cost);
    pfc__lists_leave();
}

/* One in eight is light; where probes are below a hundredth of the time, none:
   their exact cost doesn't matter. */
static PFC__QUIET pfc__u32 pfc__draw_window(double ticks)
{
    pfc__u64 *r = &pfc__context.random;
    *r = *r * 6364136223846793005u + 1442695040888963407u;
    return *r >> 61 || ticks > 100 * PFC__WINDOW * pfc__context.empty.pair ? PFC__WINDOW_TIMED : PFC__WINDOW_LIGHT;
}

static PFC__QUIET void pfc__window_ended(pfc__thread_t *t, double ticks)
{
    if (t->window == PFC__WINDOW_LIGHT) {
        pfc__context.light = ticks;
        pfc__context.lights = t->exceptions < PFC__WINDOW ? PFC__WINDOW - t->exceptions : 0;
        t->window = PFC__WINDOW_TIMED;
        return;
    }
    if (pfc__context.lights >= PFC__WINDOW / 4)
        pfc__compare(t, ((pfc__context.before + ticks) / 2 - pfc__context.light) / pfc__context.lights);
    pfc__context.lights = 0;
    pfc__context.before = ticks;
    t->window = pfc__draw_window(ticks);
}

/* The first thread with enough to do. */
static PFC__QUIET int pfc__owns_windows(const pfc__thread_t *t)
{
    pfc__uptr nobody = 0;
    return __atomic_load_n(&pfc__context.thread, __ATOMIC_RELAXED) == (pfc__uptr)t ||
           __atomic_compare_exchange_n(&pfc__context.thread, &nobody, (pfc__uptr)t, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* From pfc__frame_end_slowly, now and then. */
static PFC__QUIET void pfc__manner_review(const pfc__thread_t *t, pfc__node_t *n)
{
    int is_brief = !(n->manner & PFC__MANNER_UNEVEN) && n->exclusive <= (pfc__i64)n->timed * t->brief;
    n->manner = (unsigned short)((n->manner & ~PFC__MANNER_BRIEF) | (is_brief ? PFC__MANNER_BRIEF : 0));
}

static PFC__QUIET void pfc__mark_uneven(pfc__node_t *n)
{
    n->manner = (unsigned short)((n->manner & ~PFC__MANNER_BRIEF) | PFC__MANNER_UNEVEN);
}

/* A path whose entries are brief, but for one that is open for long now, is
   timed always: the mean of all stands for none of them. */
static PFC__QUIET void pfc__long_entries(pfc__thread_t *t, pfc__i64 now)
{
    pfc__frame_t *f = t->top - 1; /* the innermost one has only just been entered */
    pfc__i64 inside = now;        /* when the next frame inside began */
    int i;
    for (i = 0; i < PFC__DEEP && f > t->bottom; i++, f--) {
        if (!PFC__HAS_TIME(f->begin)) continue;
        if (f->node->exclusive + inside - f->begin - f->child > (pfc__i64)(f->node->timed + 1) * t->brief) pfc__mark_uneven(f->node);
        inside = f->begin;
    }
}

static PFC__QUIET void pfc__window_turn(pfc__thread_t *t)
{
    pfc__i64 now = pfc__clock();
    t->left = PFC__WINDOW;
    if (pfc__context.off || PFC__HEADER->budget > 0) {
        t->window = PFC__WINDOW_TIMED;
        t->left = INT64_MAX;
        pfc__costs_take(t);
    } else if (!pfc__owns_windows(t)) pfc__costs_take(t);
    else {
        pfc__long_entries(t, now);
        if (pfc__context.begin) pfc__window_ended(t, (double)(now - pfc__context.begin));
        t->exceptions = 0;
        pfc__charge_slow(now);
        pfc__context.begin = pfc__clock();
    }
}

pfc__u64 pfc__window_next(pfc__thread_t *t, pfc__frame_t *f)
{
    pfc__window_turn(t);
    return pfc__frame_begin(t, f);
}

/* A thread begins. */
static PFC__QUIET void pfc__windows_start(pfc__thread_t *t)
{
    t->window = PFC__WINDOW_TIMED;
    t->left = pfc__context.off ? INT64_MAX : PFC__WINDOW;
}

/* With PERFCOMP_BUDGET most entries are untimed, so that there are no windows to compare: what is charged is what
   programs have in common, and how far they differ is in doubt. */
static PFC__QUIET void pfc__context_guess(void)
{
    const pfc__cost_t *empty = &pfc__context.empty;
    if (pfc__context.off) return;
    pfc__cost.pair = PFC__AROUND_WORK * empty->pair;
    pfc__cost.inside = PFC__AROUND_WORK * empty->inside;
    pfc__cost.light = PFC__FIRST_DOSE * empty->light;
    pfc__cost.light_spread = pfc__first_doubt(empty);
    pfc__cost.pair_spread = empty->pair_spread + PFC__AROUND_DOUBT * empty->pair;
    pfc__costs_settle();
}

static PFC__QUIET void pfc__context_start(void)
{
    pfc__context.empty = pfc__cost;
    pfc__context.random = (pfc__u64)pfc__clock_tick0;
    pfc__context.off = !pfc__switch("PERFCOMP_CONTEXT", 1) || !pfc__settings.compensate || pfc__settings.trace || PFC__COSTS_ARE_MODELLED;
}
