/* Reading while threads write: the report of the running process, and its
   file. Whatever is torn, nothing may crash, and no count may go back. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <cmocka.h>

enum { THREADS = 4, READS = 30 };

static int stop;

static void *work(void *argument)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        PFC_SCOPE("outer");
        for (int i = 0; i < 100; i++) { PFC_SCOPE("inner"); }
    }
    return argument;
}

static uint64_t count_of(const char *name)
{
    char why[PFC_WHY];
    pfc_profile_t *p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    uint64_t count = 0;
    size_t i;
    if (!p) fail_msg("%s", why);
    for (i = 0; i < p->regions; i++)
        if (!strcmp(p->region[i].name, name)) count = p->region[i].stats.count - p->region[i].stats.open;
    pfc_profile_close(p);
    return count;
}

/* A ring that turns round while it is read: nothing newer may stand among what is older. */
static void trace_is_whole(void)
{
    char why[PFC_WHY];
    pfc_profile_t *p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
    pfc_event_info_t e;
    uint32_t t;
    uint64_t i;
    if (!p) fail_msg("%s", why);
    for (t = 0; t < p->threads; t++) {
        int inside = 0;
        for (i = 0; pfc_profile_event(p, t, i, &e); i++) {
            if (inside) assert_int_equal(e.kind, PFC__EVENT_EXIT);
            inside = e.kind == PFC__EVENT_ENTER && e.region != PFC_NONE && !strcmp(p->region[e.region].name, "inner");
        }
        assert_int_equal(i, p->thread[t].events);
    }
    pfc_profile_close(p);
}

static void while_threads_write(void **state)
{
    pthread_t thread[THREADS];
    FILE *nowhere = fopen("/dev/null", "w");
    uint64_t before = 0, count;
    int i;
    (void)state;
    setenv("PERFCOMP_TRACE", "1", 1);
    pfc_start(0, NULL);
    for (i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, work, NULL), 0);
    for (i = 0; i < READS || !before; i++) { /* on a busy machine it takes a while until one of them runs */
        pfc_report(nowhere);
        count = count_of("inner");
        assert_true(count >= before);
        before = count;
        trace_is_whole();
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    count = count_of("outer");
    assert_true(count > 0);
    assert_true(count_of("inner") == 100 * count);
    fclose(nowhere);
}

/* As libraries are loaded one after the other. */

enum { UNITS = 2000, FUNCTIONS = 200 };

static const char *const files[] = { "unit.c" };
static pfc__function_t functions[FUNCTIONS];
static const pfc__block_t blocks[] = { { 1, 2, 1, 0, 0, PFC__BLOCK_PLAIN, 0, 0, 0 } };

static void *load(void *units)
{
    for (int i = 0; i < UNITS; i++) {
        pfc__unit_t *u = (pfc__unit_t *)units + i;
        u->abi = PFC__ABI;
        u->files = u->blocks = u->counters = 1;
        u->functions = FUNCTIONS;
        u->file = files;
        u->function = functions;
        u->block = blocks;
        u->name = u->directory = u->compiler = "unit.c";
        pfc__unit_register(u);
    }
    return 0;
}

static void while_units_come(void **state)
{
    static pfc__unit_t units[UNITS];
    const pfc__function_t function = { "named", 0, 1, 9, 0 };
    pthread_t thread;
    size_t found, i;
    (void)state;
    for (i = 0; i < FUNCTIONS; i++) functions[i] = function;
    pfc_start(0, NULL);
    assert_int_equal(pthread_create(&thread, NULL, load, units), 0);
    do {
        char why[PFC_WHY];
        pfc_profile_t *p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
        if (!p) fail_msg("%s", why);
        found = p->units;
        for (i = 0; i < p->functions; i++) assert_string_equal(p->function[i].name, "named");
        pfc_profile_close(p);
    } while (found < UNITS);
    pthread_join(thread, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(while_threads_write), cmocka_unit_test(while_units_come) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
