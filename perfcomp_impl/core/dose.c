/* ---------------------------------------------------------- dose (impl) ---
   A second dose: an untimed entry of nothing, which each untimed entry brings
   with it in windows that are to show what one takes (context.c). It does what
   an instrumented function does, in as many calls, but on the scratch thread, as
   pfc__calibrate_pairs has left that.

   Its code isn't the program's own entries'. When it was, a second dose took half
   as much again in one run of ten of some builds, for seconds or to its end, and
   sqlite3 came out 40 % too low; most likely as processors foretell by a load's
   place in the code on which store it waits. Nor is it one copy of that: in one
   build of twelve it took up to three times as much, as branches are foretold by
   a few bits of their place. So there are several, in turn. How else it was tried:
   tests/bench/measured.md. */

#ifdef PERFCOMP_CHARGE /* there are no windows */

static PFC__QUIET void pfc__dose_turn(void) { }
static PFC__QUIET void pfc__empty_untimed(int turned) { (void)turned; }
static PFC__QUIET void pfc__empty_leaf(void) { }
static PFC__QUIET int pfc__empty_within(const pfc__site_t *site) { (void)site; return 0; }

#else

static pfc__site_t pfc__scratch_turned = { 1, PFC__NAMED, 0, 0, "calibration", "", &pfc__scratch.node[0] };
static pfc__site_t pfc__scratch_leaf = { 1, PFC__NAMED, 0, 1, "calibration", "", &pfc__scratch.node[1] };

/* The number keeps compilers from taking them for the same. `hot`: for speed, as the program's own are. */
#define PFC__DOSE(n) \
    static PFC__CALLED __attribute__((hot)) void pfc__dose_##n(pfc__site_t *site, pfc__uptr sp, pfc__thread_t *t) \
    { \
        pfc__u64 depth = pfc__self && !pfc__is_off() ? pfc__enter_on(t, site, sp) : 0; \
        __asm__ __volatile__("/* " #n " */" ::: "memory"); \
        if (depth && pfc__self) pfc__exit_on(t, depth); \
    } \
    static PFC__CALLED __attribute__((hot)) void pfc__leaf_dose_##n(pfc__site_t *site, pfc__uptr sp, pfc__thread_t *t) \
    { \
        __asm__ __volatile__("/* " #n " */"); \
        if (pfc__self && !pfc__is_off()) pfc__enter_on(t, site, sp); \
    }
#define PFC__DOSES(n) { pfc__dose_##n, pfc__leaf_dose_##n }

PFC__DOSE(0) PFC__DOSE(1) PFC__DOSE(2) PFC__DOSE(3) PFC__DOSE(4) PFC__DOSE(5) PFC__DOSE(6) PFC__DOSE(7)

#define PFC__DOSE_WINDOWS 64 /* until it is another copy's turn */

typedef void pfc__dosed_t(pfc__site_t *site, pfc__uptr sp, pfc__thread_t *t);
typedef struct pfc__dose { pfc__dosed_t *of_any, *of_leaf; } pfc__dose_t;

static const pfc__dose_t pfc__doses[] = { PFC__DOSES(0), PFC__DOSES(1), PFC__DOSES(2), PFC__DOSES(3),
                                          PFC__DOSES(4), PFC__DOSES(5), PFC__DOSES(6), PFC__DOSES(7) };
static pfc__dose_t pfc__dose = PFC__DOSES(0);

static PFC__QUIET void pfc__dose_turn(void)
{
    static unsigned n;
    pfc__dose = pfc__doses[++n / PFC__DOSE_WINDOWS % (sizeof pfc__doses / sizeof *pfc__doses)];
}

/* `turned`: of a site that was last entered on another path, which takes longer. */
static PFC__QUIET void pfc__empty_untimed(int turned)
{
    pfc__dose.of_any(turned ? &pfc__scratch_turned : &pfc__scratch_site, pfc__stack_pointer(), &pfc__scratch.thread);
    pfc__scratch_turned.light = &pfc__scratch.node[0];
}

static PFC__QUIET void pfc__empty_leaf(void)
{
    pfc__dose.of_leaf(&pfc__scratch_leaf, pfc__stack_pointer(), &pfc__scratch.thread);
}

/* In a signal handler that came amid another dose, or after one that did and didn't come back, there is no room for the
   scratch thread's only region: it is entered as if there were, and left again. */
static PFC__QUIET int pfc__empty_within(const pfc__site_t *site)
{
    pfc__thread_t *t = &pfc__scratch.thread;
    pfc__frame_t *top;
    if (site != &pfc__scratch_site && site != &pfc__scratch_turned && site != &pfc__scratch_leaf) return 0;
    top = t->top;
    t->top = t->bottom;
    if (site == &pfc__scratch_leaf) pfc__empty_leaf();
    else pfc__empty_untimed(0);
    t->top = top;
    return 1;
}

#endif
