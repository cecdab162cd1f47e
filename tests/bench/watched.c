/* What it costs a program that its profile is read while it runs, by one and by
   four `perfcomp watch` that look fifty times a second. Argument: the command
   perfcomp. Elsewhere on the machine they take time as any program does: what
   counts here is our thread's. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "bench.h"

#include <spawn.h>
#include <sys/wait.h>

enum { READERS = 4 };
static pid_t reader[READERS];
extern char **environ;

static void readers_start(const char *perfcomp)
{
    char *const words[] = { (char *)(uintptr_t)perfcomp, "watch", "--json", "--interval", "0.02", "perfcomp.0.pfc", NULL };
    posix_spawn_file_actions_t nowhere;
    posix_spawn_file_actions_init(&nowhere);
    posix_spawn_file_actions_addopen(&nowhere, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&nowhere, 2, "/dev/null", O_WRONLY, 0);
    for (int i = 0; i < READERS; i++)
        if (posix_spawn(&reader[i], perfcomp, &nowhere, NULL, words, environ)) {
            perror(perfcomp);
            exit(1);
        }
    posix_spawn_file_actions_destroy(&nowhere);
}

static void readers_wake(int n)
{
    for (int i = 0; i < READERS; i++) kill(reader[i], i < n ? SIGCONT : SIGSTOP);
}

static void readers_end(void)
{
    for (int i = 0; i < READERS; i++) kill(reader[i], SIGKILL);
    for (int i = 0; i < READERS; i++) waitpid(reader[i], NULL, 0);
}

#define WORK() __asm__ __volatile__("" ::: "memory")

static void work(long n)
{
    while (n-- > 0) {
        PFC_SCOPE("outer");
        { PFC_SCOPE("first"); WORK(); }
        { PFC_SCOPE("second"); WORK(); }
        { PFC_SCOPE("third"); WORK(); }
    }
}

static void by_nobody(long n) { readers_wake(0); work(n); }
static void by_one(long n) { readers_wake(1); work(n); }
static void by_four(long n) { readers_wake(READERS); work(n); }

int main(int argc, char **argv)
{
    static const variant_t readers[] = {
        { "enter + exit, nobody reads the profile", by_nobody, 0 },
        { "  one perfcomp watch, 50 looks a second", by_one, 1.02 },
        { "  four of them", by_four, 1.02 },
    };
    if (argc != 2) return 1;
    readers_start(argv[1]);
    bench_compare(readers, 3, 4000000, 4, 41);
    readers_end();
    return 0;
}
