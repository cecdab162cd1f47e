/* ------------------------------------------------------------------ hits ---
   PFC_HIT by hand. In C each file has an array of its own, indexed by
   __COUNTER__, and each hit leaves a description in a linker section that is
   read at start-up: the hit itself is one addition. C++ can't place statics of
   inline functions and templates in a section, and other object formats have
   no such section: there a hit finds its counter at its first pass. */

typedef struct pfc__hit {
    unsigned long long *array;
    pfc__u64 index;
    const char *name, *file, *function; /* the one that it stands in */
    pfc__u32 line, adding;              /* enum pfc__adding */
} pfc__hit_t;

typedef struct pfc__late_hit {
    unsigned long long *counter;
    const char *name, *file, *function;
    pfc__u32 line, adding;
} pfc__late_hit_t;

PFC__EXTERN_C_BEGIN
PFC__COLD void pfc__hits_register(const pfc__hit_t *begin, const pfc__hit_t *end) PFC__LINKED_AS("hits");
PFC__COLD void pfc__hits_unregister(const pfc__hit_t *begin, const pfc__hit_t *end);
PFC__COLD unsigned long long *pfc__hit_register(pfc__late_hit_t *hit) PFC__LINKED_AS("late_hits");
PFC__COLD void pfc__virtual_hit(void);
PFC__EXTERN_C_END

#if !defined PERFCOMP_DISABLE
#if defined PERFCOMP_THREADS
#  define PFC__ADD(counter) ((void)__atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED))
#  define PFC__ATOMIC PFC__ADDED_ATOMICALLY
#else
#  define PFC__ADD(counter) ((void)++(counter))
#  define PFC__ATOMIC 0
#endif

/* Virtual time: a hit takes its own at once, as all operations do. In a simulator that would take long: there it is taken
   for many together, by calls of MPI, and at the end. */
#if defined PERFCOMP_CHARGE && !defined PERFCOMP_SMPI
#  define PFC__ADDING (PFC__ATOMIC | PFC__ADDED_AND_CHARGED)
#  define PFC__COUNT(counter) (PFC__ADD(counter), pfc__virtual_hit())
#else
#  define PFC__ADDING PFC__ATOMIC
#  define PFC__COUNT(counter) PFC__ADD(counter)
#endif

#if defined __ELF__ && !defined __cplusplus

static unsigned long long pfc__hits[(PERFCOMP_HITS + PFC__PAGE / 8 - 1) / (PFC__PAGE / 8) * (PFC__PAGE / 8)]
    __attribute__((aligned(PFC__PAGE), unused));
enum { pfc__hits_before = __COUNTER__ + 1 };

/* The linker's --gc-sections would drop what only the section's ends lead to: lld does. */
#if defined __has_attribute
#  if __has_attribute(retain)
#    define PFC__LISTED __attribute__((section("pfc_hits"), used, retain, aligned(8)))
#  endif
#endif
#if !defined PFC__LISTED
#  define PFC__LISTED __attribute__((section("pfc_hits"), used, aligned(8)))
#endif

#define PFC__HIT_AT(name, number) \
    do { \
        __extension__ _Static_assert((number) - pfc__hits_before < PERFCOMP_HITS, \
                                     "perfcomp: more hits in this file than PERFCOMP_HITS: define it larger before the include"); \
        static const pfc__hit_t pfc__hit PFC__LISTED = { \
            pfc__hits, (number) - pfc__hits_before, name, __FILE__, PFC__THIS_FUNCTION, __LINE__, PFC__ADDING \
        }; \
        PFC__COUNT(pfc__hits[(number) - pfc__hits_before]); \
    } while (0)

/* Each library has a section of its own, and finds no other one's: hidden. As gcc doesn't hide what is weak, the section is
   there in every file, if only with this. */
static const pfc__hit_t pfc__hits_none PFC__LISTED = { 0, 0, "", "", "", 0, 0 };
extern const pfc__hit_t pfc__hits_begin[] __asm__("__start_pfc_hits") __attribute__((visibility("hidden")));
extern const pfc__hit_t pfc__hits_end[] __asm__("__stop_pfc_hits") __attribute__((visibility("hidden")));

/* Every file of a library or program brings this; the second and later calls find nothing new. */
static __attribute__((constructor, unused)) PFC__QUIET void pfc__hits_start(void)
{
    pfc__hits_register(pfc__hits_begin, pfc__hits_end);
}

static __attribute__((destructor(101), unused)) PFC__QUIET void pfc__hits_stop(void)
{
    pfc__hits_unregister(pfc__hits_begin, pfc__hits_end);
}

#else

#define PFC__HIT_AT(name, number) \
    do { \
        static pfc__late_hit_t pfc__hit = { PFC__NULL, name, __FILE__, PFC__THIS_FUNCTION, __LINE__, PFC__ADDING }; \
        unsigned long long *pfc__counter = __atomic_load_n(&pfc__hit.counter, __ATOMIC_ACQUIRE); \
        if (PFC__UNLIKELY(!pfc__counter)) pfc__counter = pfc__hit_register(&pfc__hit); \
        PFC__COUNT(*pfc__counter); \
    } while (0)

#endif
#endif
