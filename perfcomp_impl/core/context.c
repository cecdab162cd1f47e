/* ------------------------------------------------------- context (impl) ---
   What timing costs in the program's own code. An empty pair of probes takes
   about as long as two clock reads; around real work the processor hides some
   of that, or all, or it takes more. No constant fits (tests/bench/calibration.c),
   so the run itself is the experiment: now and then, for a window of two
   thousand enters, hot regions are not timed (their entries are still counted),
   or each such entry brings another one with it, which is empty, and the window
   is compared with its two neighbours. Which window it is, is drawn at random,
   so that no rhythm of the program makes the result biased. Between windows of
   two kinds there is some time in which the processor learns to foretell the
   new one's branches, and which is in neither.

       timed window − light window   = what timing adds to an untimed entry
       doubled window − light window = what an untimed entry adds to none

   These are the doses of §2 at the place where they count. No window can do
   without an untimed entry's first dose, with what the calls of probes do to the
   code around them: registers are saved, functions not inlined. Its second one
   (dose.c) stands for that. In runs all of whose windows are of one kind
   (tests/bench/doses) the first takes from 0.06 of an empty pair less to 0.11
   more, by the program and by the day; `perfcomp check` tells of your program.
   With PERFCOMP_BUDGET most entries are untimed anyway; there, doubled windows
   are compared with those that are as usual. The costs follow the program, and
   those who share the processor with it: they are those of its latest
   comparisons. */

#define PFC__WINDOW 2048     /* enters in a window */
#define PFC__SETTLING 1024   /* between two of different kinds */
#define PFC__COMPARISONS 128 /* of each kind, that a cost is taken from */
#define PFC__FEW 12          /* too few to know */
#define PFC__INTERRUPTED 8   /* times as long as its neighbours is a window in which others ran */
#define PFC__DEEP 64         /* frames that are looked at when a window ends */
#define PFC__LIT 64          /* paths that pfc__enter_light takes in a light window: more than are hot */

#define PFC__DOSE_DOUBT 0.4   /* an untimed entry is in doubt by so much of what it is taken for, or of what was guessed */
#define PFC__GUESS_PAIR 0.75  /* before there are windows: a real pair takes so much of an empty one, */
#define PFC__GUESS_LIGHT 0.3  /* an untimed entry so much, */
#define PFC__GUESS_DOUBT 0.25 /* and both are so uncertain (one standard deviation) */

/* Ticks that an untimed entry took less in a window of some kind than in the usual ones around it. */
typedef struct pfc__compared { double saved[PFC__COMPARISONS]; pfc__u64 n; } pfc__compared_t;

static struct {
    pfc__uptr thread;                           /* whose windows they are; 0: nobody's yet */
    pfc__i64 begin;                             /* of this window */
    double before, odd;                         /* ticks that the usual window before took, and the one after it, if that was odd */
    pfc__u32 kind, lights;                      /* the odd one's kind, and its untimed entries; 0: there was none */
    pfc__node_t *lit[PFC__LIT];                 /* paths that are left untimed in this window, and so many */
    int lit_count;
    pfc__u64 random;
    pfc__compared_t compared[PFC__WINDOW_KINDS];
    double inside;                              /* of a pair, what falls between its stamps: as calibrated at the start */
    double hit, hit_spread;                     /* the same */
    int settling;                               /* the window has not begun yet */
    int off;
    pfc__u32 only;                              /* all windows are of this kind; PFC__WINDOW_KINDS: of any */
} pfc__context;

/* Of the latest comparisons. */
static PFC__QUIET pfc__figure_t pfc__mean_saved(const pfc__compared_t *all)
{
    double value[PFC__COMPARISONS];
    int n = all->n < PFC__COMPARISONS ? (int)all->n : PFC__COMPARISONS;
    pfc__figure_t mean;
    memcpy(value, all->saved, (size_t)n * sizeof *value);
    mean = pfc__mean(value, n);
    mean.error *= sqrt((double)n / (double)all->n); /* the run has seen more than these */
    return mean;
}

/* factor_a · a + factor_b · b, which are independent. */
static PFC__QUIET pfc__figure_t pfc__mixed(double factor_a, pfc__figure_t a, double factor_b, pfc__figure_t b)
{
    a.value = factor_a * a.value + factor_b * b.value;
    a.error = sqrt(factor_a * factor_a * a.error * a.error + factor_b * factor_b * b.error * b.error);
    return a;
}

/* So much of a pair is taken before there are windows. */
static PFC__QUIET pfc__figure_t pfc__guess(double share)
{
    pfc__figure_t guess;
    guess.value = share * pfc__cost.empty_pair;
    guess.error = PFC__GUESS_DOUBT * pfc__cost.empty_pair;
    return guess;
}

/* Of what was seen and what was guessed, each counts by its precision. */
static PFC__QUIET pfc__figure_t pfc__weighed(pfc__figure_t seen, pfc__figure_t guess)
{
    double trust = guess.error * guess.error / (guess.error * guess.error + seen.error * seen.error);
    seen.value = trust * seen.value + (1 - trust) * guess.value;
    seen.error *= sqrt(trust);
    return seen;
}

/* What interrupts, and others who run on the processor as well. */
static PFC__QUIET void pfc__costs_dilate(pfc__cost_t *cost)
{
    double factor = pfc__dilation(), doubt = (1 - 1 / factor) / 2;
    cost->dilation = factor;
    factor *= pfc__interfered();
    pfc__cost_times(&cost->pair, &cost->pair_spread, factor, doubt);
    pfc__cost_times(&cost->light, &cost->light_spread, factor, doubt);
    pfc__cost_times(&cost->hit, &cost->hit_spread, factor, doubt);
}

/* From now on these are charged, with what no calibration knows. */
static PFC__QUIET void pfc__costs_settle(pfc__figure_t pair, pfc__figure_t light)
{
    double guess = pfc__guess(PFC__GUESS_LIGHT).value;
    double doubt = pfc__settings.scale > 0 ? 0 : PFC__DOSE_DOUBT * fmax(light.value, guess); /* perfcomp check has told, or nobody */
    pfc__cost.pair = pair.value;
    pfc__cost.light = light.value;
    pfc__cost.hit = pfc__context.hit;
    pfc__cost.pair_spread = 2 * pair.error + doubt;
    pfc__cost.light_spread = 2 * light.error + doubt;
    pfc__cost.hit_spread = pfc__context.hit_spread;
    pfc__costs_dilate(&pfc__cost);
    pfc__cost.inside = pfc__context.inside * pfc__cost.pair;
    pfc__cost.inside_spread = pfc__cost.pair_spread / 2;
    pfc__cost_scale(&pfc__cost);
    PFC__HEADER->cost = pfc__cost;
}

static PFC__QUIET double pfc__budget(void); /* budget.c */

/* Where hot regions aren't timed: a window of its own, or with PERFCOMP_BUDGET all of them. */
static PFC__QUIET pfc__u32 pfc__light_window(void)
{
    return pfc__budget() > 0 ? PFC__WINDOW_USUAL : PFC__WINDOW_LIGHT;
}

/* With PERFCOMP_BUDGET, what timing takes is guessed: too few entries are timed to compare. */
static PFC__QUIET void pfc__context_apply(void)
{
    pfc__u32 light_window = pfc__light_window();
    int usual_is_timed = light_window != PFC__WINDOW_USUAL; /* then a doubled window saves the timing, and costs the dose */
    pfc__figure_t timing = usual_is_timed ? pfc__mean_saved(&pfc__context.compared[light_window]) : pfc__guess(PFC__GUESS_PAIR - PFC__GUESS_LIGHT);
    pfc__figure_t doubled = pfc__mean_saved(&pfc__context.compared[light_window | PFC__WINDOW_DOUBLED]);
    pfc__figure_t light = pfc__mixed(usual_is_timed, timing, -1, doubled), pair = pfc__mixed(1 + usual_is_timed, timing, -1, doubled);
    pfc__costs_settle(pfc__weighed(pair, pfc__guess(PFC__GUESS_PAIR)), pfc__weighed(light, pfc__guess(PFC__GUESS_LIGHT)));
}

/* The latest costs, unless somebody else is at them: then next time. */
static PFC__QUIET void pfc__costs_take(pfc__thread_t *t)
{
    if (!pfc__lists_try()) return;
    pfc__charge_by(t, &pfc__cost);
    pfc__lists_leave();
}

/* Whether all is known that the costs are taken from. */
static PFC__QUIET int pfc__has_compared(void)
{
    pfc__u32 light = pfc__light_window();
    return (light == PFC__WINDOW_USUAL || pfc__context.compared[light].n >= PFC__FEW) &&
           pfc__context.compared[light | PFC__WINDOW_DOUBLED].n >= PFC__FEW;
}

static PFC__QUIET void pfc__compare(pfc__thread_t *t, double saved)
{
    pfc__compared_t *compared = &pfc__context.compared[pfc__context.kind];
    compared->saved[compared->n++ % PFC__COMPARISONS] = saved;
    pfc__cost.windows++;
    if (compared->n % 8 || !pfc__has_compared() || !pfc__lists_try()) return;
    pfc__context_apply();
    pfc__charge_by(t, &pfc__cost);
    pfc__lists_leave();
}

/* Of three windows: in one of them others ran on the processor, which says nothing of ours. */
static PFC__QUIET int pfc__was_interrupted(double a, double b, double c)
{
    double shortest = fmin(a, fmin(b, c)), longest = fmax(a, fmax(b, c));
    return longest > PFC__INTERRUPTED * shortest;
}

/* One in eight is odd; where probes are below a hundredth of the time, none: their exact cost doesn't matter. */
static PFC__QUIET pfc__u32 pfc__draw_window(double ticks)
{
    pfc__u32 light = pfc__light_window();
    pfc__u64 *r = &pfc__context.random;
    *r = *r * 6364136223846793005u + 1442695040888963407u;
    pfc__dose_turn(); /* here, so that what comes before an odd window has the same */
    if (*r >> 61 || ticks > 100 * PFC__WINDOW * pfc__cost.empty_pair) return PFC__WINDOW_USUAL;
    return light == PFC__WINDOW_USUAL || *r >> 60 ? light | PFC__WINDOW_DOUBLED : light;
}

static PFC__QUIET void pfc__window_ended(pfc__thread_t *t, double ticks)
{
    if (t->window != PFC__WINDOW_USUAL) {
        pfc__context.odd = ticks;
        pfc__context.kind = t->window;
        pfc__context.lights = t->exceptions < PFC__WINDOW ? PFC__WINDOW - t->exceptions : 0;
        t->window = PFC__WINDOW_USUAL;
        return;
    }
    if (pfc__context.lights >= PFC__WINDOW / 4 && !pfc__was_interrupted(pfc__context.before, pfc__context.odd, ticks))
        pfc__compare(t, ((pfc__context.before + ticks) / 2 - pfc__context.odd) / pfc__context.lights);
    pfc__context.lights = 0;
    pfc__context.before = ticks;
    t->window = pfc__draw_window(ticks);
}

/* The first thread with enough to do: all that windows are kept in, and what second doses are taken on, is for one. */
static PFC__QUIET int pfc__owns_windows(const pfc__thread_t *t)
{
    pfc__uptr nobody = 0;
    return __atomic_load_n(&pfc__context.thread, __ATOMIC_RELAXED) == (pfc__uptr)t ||
           __atomic_compare_exchange_n(&pfc__context.thread, &nobody, (pfc__uptr)t, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* A forked process has the thread that forked it; another one's windows are nobody's there. */
static PFC__QUIET void pfc__windows_fork(void)
{
    if (pfc__context.thread != (pfc__uptr)pfc__self) pfc__context.thread = 0;
}

/* From pfc__frame_end_slowly, now and then. */
static PFC__QUIET void pfc__manner_review(const pfc__thread_t *t, pfc__node_t *n)
{
    int is_brief = !(n->manner & PFC__MANNER_UNEVEN) && n->exclusive <= (pfc__i64)n->timed * t->brief;
    n->manner = (unsigned short)((n->manner & ~PFC__MANNER_BRIEF) | (is_brief ? PFC__MANNER_BRIEF : 0));
}

/* A path whose entries are brief, but for one that is open for long now. */
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

/* The path's first untimed entry in a light window. Folded ones, whose entries are timed here and there, stay as they are. */
void pfc__window_lights(pfc__thread_t *t, pfc__node_t *n)
{
    if (!(t->window & PFC__WINDOW_LIGHT) || n->manner & PFC__MANNER_FOLDED || pfc__context.lit_count == PFC__LIT) return;
    n->due_in = UINT32_MAX;
    pfc__context.lit[pfc__context.lit_count++] = n;
}

static PFC__QUIET void pfc__lights_out(void)
{
    while (pfc__context.lit_count) pfc__context.lit[--pfc__context.lit_count]->due_in = 0;
}

/* A window of the thread that they belong to, or what lies between two. */
static PFC__QUIET void pfc__window_passed(pfc__thread_t *t, pfc__i64 now)
{
    pfc__u32 kind = t->window;
    if (pfc__context.settling) {
        pfc__context.settling = 0;
        return;
    }
    pfc__lights_out();
    pfc__long_entries(t, now);
    if (pfc__context.begin) pfc__window_ended(t, (double)(now - pfc__context.begin));
    pfc__context.settling = t->window != kind;
    if (pfc__context.settling) t->enters_left = PFC__SETTLING;
}

static PFC__QUIET void pfc__window_turn(pfc__thread_t *t)
{
    pfc__i64 now = pfc__clock();
    t->enters_left = PFC__WINDOW;
    if (pfc__context.off) {
        t->window = PFC__WINDOW_USUAL;
        t->enters_left = INT64_MAX;
        pfc__costs_take(t);
    } else if (!pfc__owns_windows(t)) pfc__costs_take(t);
    else if (pfc__context.only != PFC__WINDOW_KINDS) {
        pfc__lights_out();
        pfc__dose_turn();
        t->window = pfc__context.only;
    } else {
        pfc__window_passed(t, now);
        t->exceptions = 0;
        pfc__interference_look();
        pfc__charge_slow(now);
        pfc__context.begin = pfc__clock();
    }
}

pfc__u64 pfc__window_next(pfc__thread_t *t, pfc__frame_t *f)
{
    pfc__window_turn(t);
    return pfc__frame_begin(t, f, 0);
}

/* A thread begins. */
static PFC__QUIET void pfc__windows_start(pfc__thread_t *t)
{
    t->window = PFC__WINDOW_USUAL;
    t->enters_left = pfc__context.off ? INT64_MAX : PFC__WINDOW;
}

/* PERFCOMP_CONTEXT: whether the run is its own experiment, or has windows of one kind only. */
static PFC__QUIET void pfc__context_read(void)
{
    static const struct { const char *name; pfc__u32 kind; } only[] = {
        { "timed", PFC__WINDOW_USUAL }, { "light", PFC__WINDOW_LIGHT }, { "doubled", PFC__WINDOW_LIGHT | PFC__WINDOW_DOUBLED }
    };
    const char *value = pfc__environment("PERFCOMP_CONTEXT");
    size_t i;
    pfc__context.only = PFC__WINDOW_KINDS;
    for (i = 0; value && i < sizeof only / sizeof *only; i++)
        if (!strcmp(value, only[i].name)) pfc__context.only = only[i].kind;
    pfc__context.off = pfc__context.only == PFC__WINDOW_KINDS && !pfc__switch("PERFCOMP_CONTEXT", 1);
}

/* Without windows, what a pair takes is what an empty one takes: in real code half as much may be hidden, or come to it. */
static PFC__QUIET void pfc__costs_unseen(pfc__cost_t *cost)
{
    double doubt = PFC__COSTS_ARE_MODELLED || pfc__settings.scale > 0 ? 0 : 2 * PFC__GUESS_DOUBT * cost->empty_pair;
    cost->pair_spread += doubt;
    cost->inside_spread += doubt / 2;
    pfc__cost_scale(cost);
}

/* After the calibration at the start. */
static PFC__QUIET void pfc__context_start(void)
{
    pfc__context.inside = pfc__cost.pair > 0 ? pfc__cost.inside / pfc__cost.pair : 0; /* a user's clock may stand still */
    pfc__context.hit = pfc__cost.hit;
    pfc__context.hit_spread = pfc__cost.hit_spread;
    pfc__context.random = (pfc__u64)pfc__clock_tick0;
    pfc__context_read();
    pfc__context.off |= !pfc__compensates || pfc__settings.trace || PFC__COSTS_ARE_MODELLED;
    if (pfc__context.off) pfc__costs_unseen(&pfc__cost);
    else pfc__costs_settle(pfc__guess(PFC__GUESS_PAIR), pfc__guess(PFC__GUESS_LIGHT));
}
