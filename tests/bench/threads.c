/* Threads that enter regions at once: is every entry counted, and what does a
   pair cost against one thread's? Argument: number of threads that are checked
   for lost counts (16). The cost is taken with as many threads as cores. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "bench.h"
#include <pthread.h>
#include <unistd.h>

enum { THREADS_MOST = 256 };
static pthread_barrier_t start;
static long pairs;

static void *enter_and_exit(void *result)
{
    for (int i = 0; i < 1000; i++) { PFC_SCOPE("pair"); } /* first use isn't what is measured */
    pthread_barrier_wait(&start);
    double begin = bench_cpu_ns();
    for (long i = 0; i < pairs; i++) {
        PFC_SCOPE("pair");
        __asm__ __volatile__("" ::: "memory");
    }
    *(double *)result = (bench_cpu_ns() - begin) / (double)pairs;
    return NULL;
}

/* Mean ns of a pair, over the threads. */
static double run_threads(int threads)
{
    pthread_t id[THREADS_MOST];
    double ns[THREADS_MOST], sum = 0;
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&id[i], NULL, enter_and_exit, &ns[i])) {
            fprintf(stderr, "threads: can't start thread %d\n", i);
            exit(1);
        }
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(id[i], NULL);
        sum += ns[i];
    }
    pthread_barrier_destroy(&start);
    return sum / threads;
}

static uint64_t counted(const char *file, const char *region)
{
    char why[PFC_WHY];
    uint64_t count = 0;
    pfc_profile_t *p = pfc_profile_open(file, why, sizeof why);
    if (!p) {
        fprintf(stderr, "%s\n", why);
        exit(1);
    }
    for (size_t i = 0; i < p->regions; i++)
        if (!strcmp(p->region[i].name, region)) count += p->region[i].stats.count;
    pfc_profile_close(p);
    return count;
}

int main(int argc, char **argv)
{
    const int many = argc > 1 ? atoi(argv[1]) : 16, turns = bench_quick() ? 5 : 41;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int beside = cores > many ? many : cores < 2 ? 2 : (int)cores;
    double ratio[REPETITIONS_MOST];
    double entered = 0, one_least = 1e9, many_least = 1e9;
    pairs = bench_scaled(200000);
    for (int turn = 0; turn < turns; turn++) {
        double one = run_threads(1), together = run_threads(beside);
        ratio[turn] = together / one;
        if (one < one_least) one_least = one;
        if (together < many_least) many_least = together;
        entered += (double)(1 + beside) * (double)(pairs + 1000);
    }
    spread_t s = bench_spread(ratio, turns);
    char name[80];
    snprintf(name, sizeof name, "enter + exit, %d threads against one", beside);
    bench_row(name, "x", many_least / one_least, s, 1.3, many_least);

    run_threads(many);
    entered += (double)many * (double)(pairs + 1000);
    pfc_stop();
    snprintf(name, sizeof name, "entries lost, %d threads at once", many);
    bench_figure(name, "entries", entered - (double)counted("perfcomp.0.pfc", "pair"), 0.5);
    return 0;
}
