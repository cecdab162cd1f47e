#include "tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct group {
    const struct text *text; /* of a leaf */
    struct group *left, *right;
    double likeness;         /* of left and right */
    int *counts;             /* of each word of the dictionary */
};

double likeness(const int *a, const int *b, int size)
{
    double ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < size; i++) {
        ab += (double)a[i] * b[i];
        aa += (double)a[i] * a[i];
        bb += (double)b[i] * b[i];
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static struct group *leaf(const struct text *t, int size)
{
    struct group *g = allocate(1, sizeof *g);
    g->text = t;
    g->counts = allocate((size_t)size, sizeof *g->counts);
    for (int i = 0; i < t->count; i++) g->counts[t->words[i]]++;
    return g;
}

static struct group *join(struct group *left, struct group *right, double alike, int size)
{
    struct group *g = allocate(1, sizeof *g);
    *g = (struct group){ NULL, left, right, alike, allocate((size_t)size, sizeof *g->counts) };
    for (int i = 0; i < size; i++) g->counts[i] = left->counts[i] + right->counts[i];
    return g;
}

static void print(const struct group *g, int depth)
{
    if (g->text) {
        printf("  %*s%s\n", 2 * depth, "", g->text->name);
        return;
    }
    printf("  %*s+ %.2f\n", 2 * depth, "", g->likeness);
    print(g->left, depth + 1);
    print(g->right, depth + 1);
}

static void discard(struct group *g)
{
    if (!g) return;
    discard(g->left);
    discard(g->right);
    free(g->counts);
    free(g);
}

/* alike: the likeness of each pair of groups, kept up to date with them. */
static void compare(struct group *const *groups, int count, int one, double *alike, int room, int size)
{
    for (int i = 0; i < count; i++)
        alike[i * room + one] = alike[one * room + i] = likeness(groups[i]->counts, groups[one]->counts, size);
}

static void closest(const double *alike, int count, int room, int *a, int *b)
{
    double best = -1;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (alike[i * room + j] > best) best = alike[i * room + j], *a = i, *b = j;
}

void tree_print(const struct text *texts, int count, int size)
{
    const int room = count;
    struct group **groups = allocate((size_t)room, sizeof *groups);
    double *alike = allocate((size_t)room * (size_t)room, sizeof *alike);
    for (int i = 0; i < room; i++) {
        groups[i] = leaf(&texts[i], size);
        compare(groups, i, i, alike, room, size);
    }
    while (count > 1) {
        int a = 0, b = 1;
        closest(alike, count, room, &a, &b);
        groups[a] = join(groups[a], groups[b], alike[a * room + b], size);
        groups[b] = groups[--count];
        compare(groups, count, a, alike, room, size);
        if (b < count) compare(groups, count, b, alike, room, size);
    }
    print(groups[0], 0);
    discard(groups[0]);
    free(alike);
    free(groups);
}
