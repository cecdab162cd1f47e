/* facts PROFILE: what tests/bench/compensation needs of a profile, as JSON. Next
   to perfcomp's overhead stands what TAU's public way gives on the same run: the
   cost of a pair is the mean of 1000, each region's time is clamped at zero. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct mean { double pair, inside; } mean_t;

static pfc_profile_t *opened(const char *file)
{
    char why[PFC_WHY];
    pfc_profile_t *p = pfc_profile_open(file, why, sizeof why);
    if (p) return p;
    fprintf(stderr, "%s\n", why);
    exit(1);
}

/* Of 1000 pairs of this process: ns of all of it, and of the part between the stamps. */
static mean_t mean_of_1000(void)
{
    char own[32];
    { PFC_SCOPE("first"); }
    int64_t begin = pfc_ct();
    for (int i = 0; i < 1000; i++) { PFC_SCOPE("null"); }
    mean_t mean = { (double)(pfc_ct() - begin) / 1000, 0 };
    pfc_stop();
    snprintf(own, sizeof own, "perfcomp.0.pfc");
    pfc_profile_t *p = opened(own);
    for (size_t i = 0; i < p->regions; i++)
        if (p->region[i].stats.count == 1000) mean.inside = p->region[i].stats.exclusive.ct / 1000;
    pfc_profile_close(p);
    return mean;
}

/* By region, what TAU's way takes for overhead. For free(). */
static double *clamped_overheads(const pfc_profile_t *p, mean_t mean)
{
    double *children = (double *)calloc(p->regions + 1, sizeof *children), *overhead = children;
    if (!children) exit(1);
    for (size_t i = 0; i < p->paths; i++)
        if (p->path[i].parent != PFC_NONE)
            children[p->path[p->path[i].parent].region] += (double)(p->path[i].stats.count - p->path[i].stats.untimed);
    for (size_t i = 0; i < p->regions; i++) {
        double measured = p->region[i].stats.exclusive.ct;
        double probes = (double)(p->region[i].stats.count - p->region[i].stats.untimed) * mean.inside + children[i] * (mean.pair - mean.inside);
        overhead[i] = measured > probes ? probes : measured;
    }
    return overhead;
}

/* Functions' own times, and what TAU's way leaves of what was measured. */
static void print_functions(const pfc_profile_t *p, const double *overhead)
{
    const char *before = "";
    for (size_t i = 0; i < p->regions; i++) {
        const pfc_time_t self = p->region[i].stats.exclusive;
        if (p->region[i].kind != PFC__FUNCTION || !p->region[i].stats.count) continue;
        printf("%s{\"name\": ", before);
        pfc_print_json(stdout, p->region[i].name);
        printf(", \"lt\": %.0f, \"u\": %.0f, \"ct\": %.0f, \"clamped\": %.0f}", self.lt, self.u, self.ct, self.ct - overhead[i]);
        before = ",\n";
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: facts PROFILE\n", stderr);
        return 2;
    }
    mean_t mean = mean_of_1000();
    pfc_profile_t *p = opened(argv[1]);
    double *overhead = clamped_overheads(p, mean), clamped = 0;
    for (size_t i = 0; i < p->regions; i++) clamped += overhead[i];
    printf("{\"ct\": %.0f, \"lt\": %.0f, \"u\": %.0f, \"stop\": %.0f, \"pairs\": %llu, \"hits\": %llu, \"clamped\": %.0f, "
           "\"pair\": %.3f, \"light\": %.3f, \"lights\": %llu, \"hit\": %.4f, \"mean_pair\": %.3f, \"dilation\": %.4f, \"empty\": %.3f, \"functions\": [",
           p->total.ct, p->total.lt, p->total.u, p->stop_ns, (unsigned long long)p->pairs, (unsigned long long)p->hits,
           clamped, p->cost.pair, p->cost.light, (unsigned long long)p->untimed, p->cost.hit, mean.pair,
           p->cost.dilation, p->cost.empty_pair);
    print_functions(p, overhead);
    puts("]}");
    free(overhead);
    pfc_profile_close(p);
    return 0;
}
