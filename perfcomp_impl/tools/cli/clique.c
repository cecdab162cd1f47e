/* The largest clique of a graph: vertices of which each is joined to each other one. Branch and bound: no clique is
   larger than the number of colours that its vertices need where joined ones differ (E. Tomita, T. Seki: An efficient
   branch-and-bound algorithm for finding a maximum clique, DMTCS 2003). */
#include "cli.h"

#define PAIRS_MOST 1000000000 /* that are looked at: some seconds */

typedef struct search {
    const unsigned char *joined; /* n × n */
    size_t n, *taken, *best;     /* vertices: of the clique that grows, and of the largest one so far */
    size_t depth, most;
    int64_t pairs;
} search_t;

/* Sorts the candidates by greedy colours; colour[i]: how many the first i + 1 of them need. */
static void colours_sort(search_t *s, size_t *candidate, size_t n, size_t *colour)
{
    size_t *sorted = (size_t *)must(malloc((n + 1) * sizeof *sorted)), done = 0, used = 0, i, k, left = n, class;
    while (left) {
        size_t kept = 0;
        class = done;
        used++;
        for (i = 0; i < left; i++) {
            for (k = class; k < done && !s->joined[sorted[k] * s->n + candidate[i]];) k++;
            s->pairs += (int64_t)(k - class + 1);
            if (k < done) candidate[kept++] = candidate[i];
            else colour[done] = used, sorted[done++] = candidate[i];
        }
        left = kept;
    }
    memcpy(candidate, sorted, n * sizeof *sorted);
    free(sorted);
}

static void expand(search_t *s, size_t *candidate, size_t n)
{
    size_t *colour = (size_t *)must(malloc((n + 1) * sizeof *colour)), *next = (size_t *)must(malloc((n + 1) * sizeof *next)), kept, i;
    colours_sort(s, candidate, n, colour);
    while (n-- && s->depth + colour[n] > s->most && s->pairs < PAIRS_MOST) {
        s->taken[s->depth++] = candidate[n];
        for (i = kept = 0; i < n; i++)
            if (s->joined[candidate[n] * s->n + candidate[i]]) next[kept++] = candidate[i];
        if (kept) expand(s, next, kept);
        else if (s->depth > s->most) memcpy(s->best, s->taken, (s->most = s->depth) * sizeof *s->best);
        s->depth--;
    }
    free(next);
    free(colour);
}

size_t clique_largest(const unsigned char *joined, size_t n, size_t *member, int *sure)
{
    size_t *candidate = (size_t *)must(calloc(n + 1, sizeof *candidate)), *taken = (size_t *)must(calloc(n + 1, sizeof *taken)), i;
    search_t s = { joined, n, taken, member, 0, 0, 0 };
    for (i = 0; i < n; i++) candidate[i] = n - 1 - i;
    expand(&s, candidate, n);
    free(candidate);
    free(taken);
    *sure = s.pairs < PAIRS_MOST;
    return s.most;
}
