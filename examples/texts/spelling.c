#include "spelling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int least(int a, int b, int c)
{
    if (b < a) a = b;
    return c < a ? c : a;
}

/* Levenshtein's distance, row by row; gives up where it can only exceed `limit`. */
static int distance(const char *a, int na, const char *b, int nb, int limit)
{
    int row[80];
    for (int j = 0; j <= nb; j++) row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0], best = i;
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int substitute = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(substitute, row[j] + 1, row[j - 1] + 1);
            if (row[j] < best) best = row[j];
        }
        if (best > limit) return best;
    }
    return row[nb];
}

/* Sorted by length: a word's partners then lie close behind it. */
struct entry {
    const char *word;
    int length, count;
};

static int by_length(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->length != y->length ? x->length - y->length : strcmp(x->word, y->word);
}

static int collect(const struct dictionary *d, int shortest, struct entry *entries)
{
    int n = 0;
    for (int i = 0; i < dictionary_size(d); i++) {
        const char *word = dictionary_word(d, i);
        int length = (int)strlen(word);
        if (length >= shortest) entries[n++] = (struct entry){ word, length, dictionary_count(d, i) };
    }
    qsort(entries, (size_t)n, sizeof *entries, by_length);
    return n;
}

int spelling_variants(const struct dictionary *d, int shortest)
{
    struct entry *entries = allocate((size_t)dictionary_size(d), sizeof *entries);
    int n = collect(d, shortest, entries), found = 0;
    for (int i = 0; i < n; i++) {
        const struct entry *x = &entries[i];
        for (int j = i + 1; j < n && entries[j].length <= x->length + 1; j++) {
            const struct entry *y = &entries[j];
            if (distance(x->word, x->length, y->word, y->length, 1) > 1) continue;
            printf("  %s (%d), %s (%d)\n", x->word, x->count, y->word, y->count);
            found++;
        }
    }
    free(entries);
    return found;
}
