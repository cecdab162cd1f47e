/* texts FILE... : compares texts. Prints their sizes, the most frequent words,
   the longest passages that they share, words that are spelt in two ways, and
   the texts' family tree. */
#include "passages.h"
#include "spelling.h"
#include "text.h"
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>

static void print_frequent(const struct dictionary *d, int how_many)
{
    char *printed = allocate((size_t)dictionary_size(d), 1);
    for (int k = 0; k < how_many && k < dictionary_size(d); k++) {
        int best = -1;
        for (int i = 0; i < dictionary_size(d); i++)
            if (!printed[i] && (best < 0 || dictionary_count(d, i) > dictionary_count(d, best))) best = i;
        printed[best] = 1;
        printf("  %6d %s\n", dictionary_count(d, best), dictionary_word(d, best));
    }
    free(printed);
}

static void print_passage(const struct text *t, const struct passage *p, const struct dictionary *d)
{
    const int shown = p->length < 12 ? p->length : 12;
    printf("   ");
    for (int i = 0; i < shown; i++) printf(" %s", dictionary_word(d, t->words[p->where + i]));
    puts(shown < p->length ? " ..." : "");
}

/* Of each text, the longest passage that it shares with one of the others. */
static void print_shared(const struct text *texts, int count, const struct dictionary *d)
{
    struct passage *longest = allocate((size_t)count * (size_t)count, sizeof *longest);
    passages_longest(texts, count, longest);
    for (int i = 0; i < count; i++) {
        const struct passage *row = &longest[i * count];
        int best = 0;
        for (int j = 1; j < count; j++)
            if (row[j].length > row[best].length) best = j;
        if (row[best].length == 0) continue;
        printf("  %s, %s: %d words\n", texts[i].name, texts[best].name, row[best].length);
        print_passage(&texts[i], &row[best], d);
    }
    free(longest);
}

int main(int argc, char **argv)
{
    int count = argc - 1, status = 1, words = 0, read = 0;
    if (count < 1) {
        fputs("usage: texts FILE...\n", stderr);
        return 2;
    }
    struct dictionary *d = dictionary_new();
    struct text *texts = allocate((size_t)count, sizeof *texts);
    while (read < count && text_read(&texts[read], argv[read + 1], d) == 0) words += texts[read++].count;
    if (read == count) {
        printf("%d texts, %d words, %d different ones\n", count, words, dictionary_size(d));
        puts("\nFrequent words");
        print_frequent(d, 20);
        puts("\nShared passages");
        print_shared(texts, count, d);
        puts("\nSpelt in two ways");
        printf("  %d pairs\n", spelling_variants(d, 5));
        puts("\nFamily tree");
        tree_print(texts, count, dictionary_size(d));
        status = 0;
    }
    for (int i = 0; i < read; i++) text_free(&texts[i]);
    free(texts);
    dictionary_free(d);
    return status;
}
