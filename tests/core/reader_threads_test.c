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

static void while_threads_write(void **state)
{
    pthread_t thread[THREADS];
    FILE *nowhere = fopen("/dev/null", "w");
    uint64_t before = 0, count;
    int i;
    (void)state;
    pfc_start(0, NULL);
    for (i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, work, NULL), 0);
    for (i = 0; i < READS || !before; i++) { /* on a busy machine it takes a while until one of them runs */
        pfc_report(nowhere);
        count = count_of("inner");
        assert_true(count >= before);
        before = count;
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    count = count_of("outer");
    assert_true(count > 0);
    assert_true(count_of("inner") == 100 * count);
    fclose(nowhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(while_threads_write) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
