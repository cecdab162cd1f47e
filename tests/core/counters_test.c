/* Frequencies: what is counted is in the mapped profile at once, in any number of threads. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "sanitized.h"
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <cmocka.h>

/* As UCX's, which MPICH brings along: it doesn't take the address to map to. */
void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    (void)old, (void)old_bytes, (void)flags;
    return mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The counter as the profile file has it: the arena is a view of the file. */
static uint64_t in_profile(const unsigned long long *array, size_t index)
{
    pfc__mapped_t *m;
    for (m = pfc__units; m; m = m->next)
        if (m->array == array) return ((uint64_t *)(void *)m->view)[index];
    return UINT64_MAX;
}

static void a_hit_is_in_the_profile_at_once(void **state)
{
    int i;
    uint64_t before = in_profile(pfc__hits, 0);
    (void)state;
    for (i = 0; i < 1000; i++) PFC_HIT("first");
    __asm__ __volatile__("" ::: "memory");
    assert_int_equal(in_profile(pfc__hits, 0), before + 1000);
    assert_int_equal(pfc__hits[0], before + 1000);
}

static void hits_are_described(void **state)
{
    pfc__extent_t *e = (pfc__extent_t *)(void *)(pfc__arena.base + PFC__PAGE);
    pfc__unit_record_t *r;
    pfc__u32 i, found = 0;
    (void)state;
    PFC_HIT("second");
    while (e->kind != PFC__UNIT) e = (pfc__extent_t *)(void *)((char *)e + e->bytes);
    r = (pfc__unit_record_t *)pfc__extent_data(e);
    assert_int_equal(r->blocks, 2);
    for (i = 0; i < r->blocks; i++) {
        pfc__block_t *b = (pfc__block_t *)(void *)((char *)e + r->block_table) + i;
        pfc__function_t *f = (pfc__function_t *)(void *)((char *)e + r->function_table) + b->function;
        pfc__u64 name;
        memcpy(&name, &f->name, sizeof name);
        assert_int_equal(b->kind, PFC__BLOCK_HIT);
        assert_string_equal(pfc__text_at(name), b->counter ? "second" : "first");
        found |= 1u << b->counter;
    }
    assert_int_equal(found, 3);
}

/* ---- units as perfcomp-cc writes them */

static unsigned long long array[PFC__PAGE / 8] __attribute__((aligned(PFC__PAGE)));
static const char *const files[] = { "unit.c" };
static const pfc__function_t functions[] = { { "f", 0, 1, 9, 0 } };
static const pfc__block_t blocks[] = { { 1, 2, 1, 0, 0, PFC__BLOCK_PLAIN, 0, 0, 0 }, { 3, 4, 1, 0, 0, PFC__BLOCK_PLAIN, 1, 0, 0 } };
static pfc__unit_t unit = { PFC__ABI, 1, 1, 2, 2, sizeof array, array, files, functions, blocks, "unit.c", "/", "cc", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
static pfc__unit_t old_unit = { PFC__ABI + 1, 1, 1, 2, 2, sizeof array, array, files, functions, blocks, "old.c", "/", "cc", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
static unsigned long long *own_counters(void);
static pfc__unit_t threaded = { PFC__ABI, 1, 1, 2, 2, 0, 0, files, functions, blocks, "threaded.c", "/", "cc", 0, 0, 0, 0, 0, own_counters, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

static void counts_before_registration_are_kept(void **state)
{
    int64_t delta = pfc_delta();
    (void)state;
    array[1] = 41;
    pfc__unit_register(&unit);
    assert_int_not_equal(unit.id, 0);
    assert_true(pfc_delta() > delta); /* it was ours */
    array[1]++;
    __asm__ __volatile__("" ::: "memory");
    assert_int_equal(in_profile(array, 1), 42);
    pfc__unit_register(&unit); /* a second time changes nothing */
    assert_int_equal(array[1], 42);
}

static void a_unit_of_another_version_is_left_out(void **state)
{
    (void)state;
    pfc__unit_register(&old_unit);
    assert_int_equal(old_unit.id, 0);
}

static const pfc__block_t *faulty; /* its page can't be read before somebody has looked at the profile */
static int looked, units_seen;

static void looks_at_the_profile(int number)
{
    char why[PFC_WHY];
    pfc_profile_t *p = pfc_profile_open(pfc__arena.path, why, sizeof why);
    (void)number;
    looked++;
    units_seen = p ? (int)p->units : -1;
    pfc_profile_close(p);
    if (mprotect((void *)(uintptr_t)faulty, PFC__PAGE, PROT_READ)) _exit(1);
}

static void a_unit_half_written_is_left_out(void **state)
{
    static pfc__unit_t half;
    void (*before)(int);
    char why[PFC_WHY];
    pfc_profile_t *p = pfc_profile_open(pfc__arena.path, why, sizeof why);
    int units = p ? (int)p->units : -1;
    void *page = mmap(0, PFC__PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    pfc_profile_close(p);
    if (THREAD_SANITIZED) skip(); /* it reports malloc in a handler, of a fault as well */
    assert_true(page != MAP_FAILED);
    memcpy(page, blocks, sizeof blocks);
    assert_int_equal(mprotect(page, PFC__PAGE, PROT_NONE), 0);
    half = threaded;
    half.name = "half.c";
    half.block = faulty = (const pfc__block_t *)page;
    before = signal(SIGSEGV, looks_at_the_profile);
    pfc__unit_register(&half);
    signal(SIGSEGV, before);
    assert_int_equal(looked, 1);
    assert_int_equal(units_seen, units);
    p = pfc_profile_open(pfc__arena.path, why, sizeof why);
    if (!p) fail_msg("%s", why);
    assert_int_equal(p->units, units + 1);
    assert_string_equal(p->unit[units].name, "half.c");
    pfc_profile_close(p);
}

/* What gets the addresses after dlclose must not be overlaid when the profile ends. */
static void an_unloaded_unit_leaves_its_counts(void **state)
{
    static unsigned long long loaded[PFC__PAGE / 8] __attribute__((aligned(PFC__PAGE)));
    static pfc__unit_t library = { PFC__ABI, 1, 1, 2, 2, sizeof loaded, loaded, files, functions, blocks, "library.c", "/", "cc", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    pfc__mapped_t *m;
    const pfc__mapped_t *other;
    (void)state;
    pfc__unit_register(&library);
    loaded[1] += 5;
    for (m = pfc__units; m->unit != &library;) m = m->next;
    pfc__unit_unregister(&library);
    for (other = pfc__units; other; other = other->next) assert_ptr_not_equal(other, m);
    assert_int_equal(((uint64_t *)(void *)m->view)[1], 5);
    mmap(loaded, sizeof loaded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); /* as dlclose and another library would */
    loaded[1] = 7;
    assert_int_equal(((uint64_t *)(void *)m->view)[1], 5);
}

/* Entries less exits, of each fork anew; of a child's child, those of before as well. */
static void activations_go_on_in_a_forked_child(void **state)
{
    static unsigned long long counted[PFC__PAGE / 8] __attribute__((aligned(PFC__PAGE)));
    static const pfc__function_t two[] = { { "returns", 0, 1, 1, PFC__MAY_NOT_RETURN }, { "waits", 0, 2, 2, PFC__MAY_NOT_RETURN } };
    static const pfc__block_t ends[] = { { 1, 1, 1, 0, 0, PFC__BLOCK_ENTRY, 0, 0, 0 }, { 1, 1, 9, 0, 0, PFC__BLOCK_EXIT, 1, 0, 0 },
                                         { 2, 2, 1, 1, 0, PFC__BLOCK_ENTRY, 2, 0, 0 }, { 2, 2, 9, 1, 0, PFC__BLOCK_EXIT, 3, 0, 0 } };
    static pfc__unit_t forks = { PFC__ABI, 1, 2, 4, 4, sizeof counted, counted, files, two, ends, "forks.c", "/", "cc", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    pfc__mapped_t *m;
    int status, child;
    (void)state;
    pfc__unit_register(&forks);
    for (m = pfc__units; m->unit != &forks;) m = m->next;
    counted[0] = counted[1] = 7;
    for (child = 1; child <= 3; child++) {
        counted[2]++;
        if (fork() == 0) {
            int wrong = !m->inherited || m->inherited[0] != 0 || m->inherited[1] != (pfc__u64)child || counted[2] != 0;
            counted[2] = 1;
            if (fork() == 0) _exit(wrong || m->inherited[1] != (pfc__u64)child + 1);
            _exit(wait(&status) < 0 || status || wrong);
        }
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_null(m->inherited);
}

static __thread unsigned long long *slot;
enum { THREADS = 16, TURNS = 20000 };

/* Takes as long as a hundred additions. */
static unsigned long long *own_counters(void)
{
    volatile int i;
    for (i = 0; i < 100; i++) continue;
    return slot ? slot : pfc__unit_thread(&threaded, &slot);
}

static void *counts(void *unused)
{
    int i;
    for (i = 0; i < TURNS; i++) {
        unsigned long long *const c = slot ? slot : pfc__unit_thread(&threaded, &slot);
        ++c[i & 1];
    }
    return unused;
}

static pthread_key_t counting;
static const char times[] = ".";
static void counts_on(void *time)
{
    counts(0);
    if (*(char *)time) pthread_setspecific(counting, (char *)time + 1);
}
static void *counts_also_in_a_destructor(void *unused)
{
    pthread_setspecific(counting, times);
    return counts(unused);
}

/* Once, when the first thread has counters of the unit; its time is ours. */
static void what_finding_them_takes_is_measured(void **state)
{
    const pfc__mapped_t *m = pfc__units;
    int64_t delta = pfc_delta();
    (void)state;
    (void)own_counters();
    assert_true(pfc_delta() > delta);
    assert_null(threaded.own);
    while (m->unit != &threaded) m = m->next;
    assert_true(pfc__ns_of_span(m->tables->of.fetch >> PFC__FRACTION) >= 10);
}

static void no_count_is_lost_under_threads(void **state)
{
    pthread_t thread[THREADS];
    pfc__threaded_t *t;
    uint64_t sum = 0;
    int i, round;
    (void)state;
    pthread_key_create(&counting, counts_on); /* the second time it runs when the thread's record is another one's already */
    for (round = 0; round < 3; round++) {
        for (i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], 0, counts_also_in_a_destructor, 0), 0);
        for (i = 0; i < THREADS; i++) pthread_join(thread[i], 0);
    }
    for (t = pfc__threaded; t; t = t->next) {
        const unsigned long long *counter = (const unsigned long long *)pfc__extent_data(t->counters);
        sum += counter[0] + counter[1];
    }
    assert_int_equal(sum, 3 * THREADS * 3 * TURNS);
    assert_true(pfc__threads_count <= THREADS + 1); /* later threads have continued the records of ended ones */
}

/* ---- their share of Δ */

static pfc__i64 charged(void)
{
    pfc__i64 delta = pfc__delta_get();
    pfc__hits_charge(pfc__clock());
    return pfc__delta_get() - delta;
}

/* Each hit a second, so that no time of the machine matters beside it. */
static void hit_costs_a_second(void)
{
    pfc__costs()->hit = PFC__HEADER->cost.hit = 1e9 * pfc__ticks_per_ns();
    charged();
}

static pfc__i64 seconds(int n) { return pfc__fixed(n * pfc__costs()->hit); }

static void hits_are_charged_in_time_and_once(void **state)
{
    char why[PFC_WHY];
    pfc_profile_t *p;
    size_t i, found = 0;
    (void)state;
    PFC_BEGIN("counts");
    hit_costs_a_second();
    array[0] += 1000;
    PFC_BEGIN("communicates");
    assert_true(charged() == seconds(1000));
    assert_true(charged() == 0);
    PFC_END("communicates");
    p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    if (!p) fail_msg("%s", why);
    assert_true(fabs(p->total.ct - p->total.lt - 1e9 * (double)p->hits) < .5e9);
    for (i = 0; i < p->regions; i++) { /* the function that holds them is charged by the reader */
        const pfc_stats_t *s = &p->region[i].stats;
        if (strcmp(p->region[i].name, "communicates")) continue;
        found++;
        assert_true(fabs(s->exclusive.ct - s->exclusive.lt - 1e9 * s->hits) < .5e9);
    }
    assert_int_equal(found, 1);
    pfc_profile_close(p);
    PFC_END("counts");
}

/* Added atomically, they take as long as several others. */
static void atomic_hits_cost_more(void **state)
{
    const pfc__mapped_t *m = pfc__units;
    pfc__u64 others = pfc__atomic_hits;
    pfc__extent_t *e;
    size_t at = PFC__PAGE;
    (void)state;
    assert_int_equal(others, 0); /* there are none, so nobody has asked what they take */
    while (m->array != array) m = m->next;
    while ((unsigned char *)pfc__extent_data(e = pfc__extent_at(at)) != m->view) at += e->bytes;
    assert_int_equal(e->adding, 0);
    hit_costs_a_second();
    pfc__atomic_hits = 3;
    e->adding = 1;
    charged(); /* those before have become dearer */
    array[0] += 1000;
    assert_true(charged() == seconds(3000));
    e->adding = 0;
    pfc__self->hits_shared = pfc__hits_shared();
    pfc__atomic_hits = others;
}

/* What the compiler adds up behind a loop costs nothing. */
static void hits_of_a_sum_are_not_charged(void **state)
{
    static unsigned long long counted[PFC__PAGE / 8] __attribute__((aligned(PFC__PAGE)));
    static const unsigned char summed[] = { 0, 1 };
    static pfc__unit_t loops = { PFC__ABI, 1, 1, 2, 2, sizeof counted, counted, files, functions, blocks, "loops.c", "/", "cc", 0, 0, 0, 0, 0, 0, summed, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    (void)state;
    pfc__unit_register(&loops);
    hit_costs_a_second();
    charged();
    counted[0] += 3;
    counted[1] += 1000;
    assert_true(charged() == seconds(3));
}

/* Before it is due, it isn't taken. */
static void hits_are_due_when_summing_them_has_become_cheap(void **state)
{
    pfc__i64 now = pfc__clock();
    (void)state;
    charged();
    charged();
    assert_true(pfc__self->hits_due >= now);
    assert_false(pfc__hits_are_due(pfc__self->hits_due - 1));
    assert_true(pfc__hits_are_due(pfc__self->hits_due));
}

/* A thread's own hits delay this thread; what was counted before in the record that it continues doesn't. */
static void *counts_and_communicates(void *first_share)
{
    pfc__i64 first;
    pfc__thread_get();
    counts(0);
    first = charged();
    *(pfc__i64 *)first_share = first;
    counts(0);
    return (void *)(pfc__uptr)(charged() == seconds(TURNS));
}

static void threads_are_charged_their_own_hits(void **state)
{
    pthread_t thread;
    pfc__i64 first;
    void *right;
    (void)state;
    hit_costs_a_second();
    array[0] += 1000; /* whose this is nobody knows, when there are several threads */
    assert_int_equal(pthread_create(&thread, 0, counts_and_communicates, &first), 0);
    pthread_join(thread, &right);
    assert_non_null(right);
    assert_true(first == 0); /* other threads have had its record */
    assert_true(charged() == 0);
}

static void *atomic_hits(void *counter)
{
    int i;
    for (i = 0; i < TURNS; i++) PFC__COUNT(*(unsigned long long *)counter);
    return 0;
}

static void a_late_hit_finds_its_counter(void **state)
{
    static pfc__late_hit_t hit = { 0, "late", "late.cc", "f", 7, 1 };
    unsigned long long *counter = pfc__hit_register(&hit);
    const pfc__extent_t *e = (const pfc__extent_t *)(const void *)counter - 1;
    (void)state;
    (void)atomic_hits(counter);
    assert_ptr_equal(pfc__hit_register(&hit), counter);
    assert_int_equal(*counter, TURNS);
    assert_true((unsigned char *)counter > pfc__arena.base && (unsigned char *)counter < pfc__arena.base + pfc__arena.used);
    assert_int_equal(e->kind, PFC__COUNTERS);
    assert_int_equal(e->adding, 1);
    assert_true(pfc__atomic_hits >= 1 && PFC__HEADER->atomic_hits == pfc__atomic_hits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_is_in_the_profile_at_once), cmocka_unit_test(hits_are_described),
        cmocka_unit_test(counts_before_registration_are_kept), cmocka_unit_test(a_unit_of_another_version_is_left_out),
        cmocka_unit_test(a_unit_half_written_is_left_out), cmocka_unit_test(an_unloaded_unit_leaves_its_counts),
        cmocka_unit_test(activations_go_on_in_a_forked_child),
        cmocka_unit_test(hits_are_charged_in_time_and_once),
        cmocka_unit_test(atomic_hits_cost_more), cmocka_unit_test(hits_of_a_sum_are_not_charged),
        cmocka_unit_test(hits_are_due_when_summing_them_has_become_cheap),
        cmocka_unit_test(what_finding_them_takes_is_measured), cmocka_unit_test(no_count_is_lost_under_threads),
        cmocka_unit_test(threads_are_charged_their_own_hits),
        cmocka_unit_test(a_late_hit_finds_its_counter),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
