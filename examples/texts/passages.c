#include "passages.h"

#include <stdlib.h>

/* All texts one behind the other; a word of its own, -1, -2 …, ends each. */
struct corpus {
    int *words, *owner; /* of each position: its word, its text */
    int *start;         /* of each text: its first position */
    int length;
};

static void corpus_make(struct corpus *c, const struct text *texts, int count)
{
    int length = 0;
    for (int t = 0; t < count; t++) length += texts[t].count + 1;
    c->words = allocate((size_t)length, sizeof *c->words);
    c->owner = allocate((size_t)length, sizeof *c->owner);
    c->start = allocate((size_t)count, sizeof *c->start);
    c->length = 0;
    for (int t = 0; t < count; t++) {
        c->start[t] = c->length;
        for (int i = 0; i <= texts[t].count; i++) {
            c->words[c->length] = i < texts[t].count ? texts[t].words[i] : -1 - t;
            c->owner[c->length++] = t;
        }
    }
}

static void corpus_free(struct corpus *c)
{
    free(c->words);
    free(c->owner);
    free(c->start);
}

static void swap(int *a, int *b)
{
    int old = *a;
    *a = *b;
    *b = old;
}

static int median(int a, int b, int c)
{
    if (a < b) return b < c ? b : a < c ? c : a;
    return a < c ? a : b < c ? c : b;
}

static int word_at(const struct corpus *c, int suffix, int depth)
{
    return c->words[suffix + depth];
}

/* Two suffixes always differ before either ends: a text's end is unique. */
static int precedes(const struct corpus *c, int a, int b, int depth)
{
    while (c->words[a + depth] == c->words[b + depth]) depth++;
    return c->words[a + depth] < c->words[b + depth];
}

static void sort_few(const struct corpus *c, int *suffix, int n, int depth)
{
    for (int i = 1; i < n; i++) {
        int moved = suffix[i], j = i;
        for (; j > 0 && precedes(c, moved, suffix[j - 1], depth); j--) suffix[j] = suffix[j - 1];
        suffix[j] = moved;
    }
}

/* Multikey quicksort: sorts suffixes that agree in their first `depth` words. */
static void sort_suffixes(const struct corpus *c, int *suffix, int n, int depth)
{
    while (n > 12) {
        int pivot = median(word_at(c, suffix[0], depth), word_at(c, suffix[n / 2], depth), word_at(c, suffix[n - 1], depth));
        int below = 0, above = n;
        for (int i = 0; i < above;) {
            int word = word_at(c, suffix[i], depth);
            if (word < pivot) swap(&suffix[i++], &suffix[below++]);
            else if (word > pivot) swap(&suffix[i], &suffix[--above]);
            else i++;
        }
        if (below > 1) sort_suffixes(c, suffix, below, depth);
        if (n - above > 1) sort_suffixes(c, suffix + above, n - above, depth);
        suffix += below;
        n = above - below;
        depth++;
    }
    sort_few(c, suffix, n, depth);
}

static int common_prefix(const struct corpus *c, int a, int b)
{
    int length = 0;
    while (c->words[a + length] == c->words[b + length]) length++;
    return length;
}

static void remember(struct passage *p, int length, int where)
{
    if (length > p->length) *p = (struct passage){ length, where };
}

/* Along the sorted suffixes, shared[t] is what the present one has in common
   with the last one of text t: the least common prefix since then. */
void passages_longest(const struct text *texts, int count, struct passage *longest)
{
    struct corpus c;
    corpus_make(&c, texts, count);
    int *suffix = allocate((size_t)c.length, sizeof *suffix);
    int *shared = allocate((size_t)count, sizeof *shared);
    int *last = allocate((size_t)count, sizeof *last);
    for (int i = 0; i < c.length; i++) suffix[i] = i;
    sort_suffixes(&c, suffix, c.length, 0);
    for (int i = 1; i < c.length; i++) {
        int here = c.owner[suffix[i]], before = c.owner[suffix[i - 1]];
        int common = common_prefix(&c, suffix[i - 1], suffix[i]);
        shared[before] = common;
        last[before] = suffix[i - 1];
        for (int t = 0; t < count; t++) {
            if (shared[t] > common) shared[t] = common;
            if (t == here || shared[t] == 0) continue;
            remember(&longest[t * count + here], shared[t], last[t] - c.start[t]);
            remember(&longest[here * count + t], shared[t], suffix[i] - c.start[here]);
        }
    }
    free(suffix);
    free(shared);
    free(last);
    corpus_free(&c);
}
