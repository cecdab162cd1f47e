/* How much too early the clock is read: some of the enters and exits of a path that is timed often are looked at. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <sys/wait.h>
#include <cmocka.h>

enum { OFTEN = 100 * PFC__EARLY_EVERY, LOOKS = 200 };

static const pfc__node_t *node;

static void nothing(int times)
{
    while (times--) {
        PFC_SCOPE("nothing");
        node = pfc__self->top->node;
    }
}

static void seldom(void)
{
    int i;
    for (i = 0; i < PFC__EARLY_EVERY - 1; i++) { PFC_SCOPE("seldom"); node = pfc__self->top->node; }
}

static void of_what_is_timed_often_some_entries_are_looked_at(void **state)
{
    const pfc__sample_t *s;
    int i;
    (void)state;
    seldom();
    assert_int_equal(node->sample, 0);
    for (i = 0; i < LOOKS; i++) nothing(OFTEN / LOOKS);
    if (!pfc__clock_is_early()) skip();
    assert_int_not_equal(node->sample, 0);
    s = pfc__sample_of(node);
    assert_int_equal(s->stride, 0); /* all of its entries are timed, but in some windows */
    assert_int_equal(node->left, 0);
    assert_true(s->at_end.n > 10 && s->at_end.n < OFTEN / PFC__EARLY_EVERY); /* not where others ran; the first one makes room */
    assert_true(s->at_begin.n > 5 && s->at_begin.n < OFTEN / PFC__SETTLING);
    assert_true(fabs(s->at_end.sum) < (double)s->at_end.n * PFC__EARLY_MOST * pfc__ticks_per_ns());
}

static void a_forked_process_looks_anew(void **state)
{
    int status = 0;
    pid_t pid;
    (void)state;
    if (!pfc__clock_is_early()) skip();
    nothing(1);
    pid = fork();
    if (!pid) {
        const pfc__sample_t *s = pfc__sample_of(node);
        _exit(s->at_end.n || s->at_begin.n || s->at_end.sum > 0 || !s->node);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_what_is_timed_often_some_entries_are_looked_at), cmocka_unit_test(a_forked_process_looks_anew)
    };
    setenv("PERFCOMP_FILE", "none", 1);
    return cmocka_run_group_tests(tests, 0, 0);
}
