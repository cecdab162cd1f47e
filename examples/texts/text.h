/* Texts as sequences of words. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* All distinct words, each with its number. */
struct dictionary;

struct dictionary *dictionary_new(void);
void dictionary_free(struct dictionary *d);
int dictionary_number(struct dictionary *d, const char *word, size_t length);
int dictionary_size(const struct dictionary *d);
const char *dictionary_word(const struct dictionary *d, int number);
int dictionary_count(const struct dictionary *d, int number);

struct text {
    const char *name;
    int *words; /* numbers in the dictionary */
    int count;
};

/* Reads a file; returns 0, or -1 with a message on stderr. */
int text_read(struct text *t, const char *path, struct dictionary *d);
void text_free(struct text *t);

void *allocate(size_t count, size_t size);
void *resize(void *memory, size_t count, size_t size);

#endif
