/* Many regions, call paths and translation units: what they take of memory and
   time. Arguments: regions, call paths, units. Registers units as the text that
   perfcomp-cc writes does. tests/bench/run times the report of the profile. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "bench.h"
#include <sys/stat.h>
#include <unistd.h>

static void *allocated(void *memory)
{
    if (memory) return memory;
    fputs("scale: out of memory\n", stderr);
    exit(1);
}

static pfc__site_t *sites_make(int count)
{
    pfc__site_t *site = (pfc__site_t *)allocated(calloc((size_t)count, sizeof *site));
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "region_%05d", i);
        site[i] = (pfc__site_t)PFC__SITE(PFC__FUNCTION, (const char *)allocated(strdup(name)), (pfc__u32)i, "scale.c");
    }
    return site;
}

/* Path k: one of the `wide` regions below another one; each region once, then in all combinations. */
static void enter_paths(pfc__site_t *site, int regions, int paths)
{
    int outer = paths / regions;
    for (int k = 0; k < outer; k++) {
        pfc__token_t above = pfc__enter(&site[k]);
        for (int i = k ? 0 : 1; i < regions; i++) {
            if (i == k) continue;
            pfc__token_t token = pfc__enter(&site[i]);
            pfc__leave(&token);
        }
        pfc__leave(&above);
    }
}

enum { BLOCKS = 100, FUNCTIONS = 10 };

/* A unit of ten functions with ten blocks each. */
static void unit_make(int number)
{
    static const char *const file[] = { "unit.c" };
    static pfc__function_t function[FUNCTIONS];
    static pfc__block_t block[BLOCKS];
    char name[32];
    void *array;
    for (int i = 0; i < BLOCKS; i++) {
        function[i / 10] = (pfc__function_t){ "function", 0, (pfc__u32)(i / 10 * 20), (pfc__u32)(i / 10 * 20 + 19), 0 };
        block[i] = (pfc__block_t){ (pfc__u32)(2 * i), (pfc__u32)(2 * i + 1), 1, (pfc__u32)(i / 10), 0,
                                   PFC__BLOCK_PLAIN, (pfc__u32)i, 0, 0 };
    }
    if (posix_memalign(&array, PFC__PAGE, PFC__PAGE)) allocated(NULL);
    memset(array, 0, PFC__PAGE);
    snprintf(name, sizeof name, "unit_%04d.c", number);
    pfc__unit_t *unit = (pfc__unit_t *)allocated(calloc(1, sizeof *unit));
    *unit = (pfc__unit_t){ .abi = PFC__ABI, .files = 1, .functions = FUNCTIONS, .blocks = BLOCKS, .counters = BLOCKS,
                           .array_bytes = PFC__PAGE, .array = (unsigned long long *)array, .file = file,
                           .function = function, .block = block, .name = (const char *)allocated(strdup(name)),
                           .directory = "/", .compiler = "none" };
    pfc__unit_register(unit);
    for (int i = 0; i < BLOCKS; i++) unit->array[i] += (unsigned)i;
}

/* Resident memory, in bytes; the profile's pages are a part of it. */
static double resident(void)
{
    long pages = 0, all;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: scale REGIONS PATHS UNITS\n", stderr);
        return 2;
    }
    const int regions = atoi(argv[1]), paths = atoi(argv[2]), units = atoi(argv[3]);
    pfc__site_t *site = sites_make(regions);
    pfc_start(argc, argv);

    double memory = resident(), begin = wall_ns();
    enter_paths(site, regions, paths);
    bench_figure("first entry of a call path", "ns", (wall_ns() - begin) / paths, 0);
    bench_figure("memory of a call path", "bytes", (resident() - memory) / paths, 0);
    begin = wall_ns();
    enter_paths(site, regions, paths);
    bench_figure("later entry and exit, paths all in turn", "ns", (wall_ns() - begin) / paths, 0);

    memory = resident(), begin = wall_ns();
    for (int i = 0; i < units; i++) unit_make(i);
    bench_figure("registering a translation unit", "us", (wall_ns() - begin) / units / 1e3, 0);
    bench_figure("memory of a translation unit of 100 blocks", "bytes", (resident() - memory) / units, 0);

    begin = wall_ns();
    pfc_stop();
    bench_figure("ending the profile", "ms", (wall_ns() - begin) / 1e6, 0);
    struct stat s;
    if (stat("perfcomp.0.pfc", &s) == 0) bench_figure("profile", "MB", (double)s.st_size / 1e6, 0);
    return 0;
}
