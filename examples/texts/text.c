#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *resize(void *memory, size_t count, size_t size)
{
    memory = realloc(memory, (count ? count : 1) * size);
    if (!memory) {
        fputs("texts: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

void *allocate(size_t count, size_t size)
{
    return memset(resize(NULL, count, size), 0, (count ? count : 1) * size);
}

/* ---- dictionary: a hash table with open addressing, of numbers of words ---- */

struct word {
    char *spelling;
    unsigned hash;
    int count;
};

struct dictionary {
    struct word *words;
    int size, room;
    int *slots; /* number of a word, or -1 */
    unsigned mask;
};

static unsigned hash_step(unsigned hash, char c)
{
    return (hash ^ (unsigned char)c) * 16777619u;
}

static unsigned hash_of(const char *word, size_t length)
{
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = hash_step(hash, word[i]);
    return hash ^ hash >> 15;
}

static void empty_slots(struct dictionary *d, unsigned slots)
{
    d->slots = resize(d->slots, slots, sizeof *d->slots);
    d->mask = slots - 1;
    for (unsigned i = 0; i < slots; i++) d->slots[i] = -1;
}

static void put(struct dictionary *d, int number)
{
    unsigned i = d->words[number].hash & d->mask;
    while (d->slots[i] >= 0) i = (i + 1) & d->mask;
    d->slots[i] = number;
}

struct dictionary *dictionary_new(void)
{
    struct dictionary *d = allocate(1, sizeof *d);
    empty_slots(d, 1024);
    return d;
}

void dictionary_free(struct dictionary *d)
{
    for (int i = 0; i < d->size; i++) free(d->words[i].spelling);
    free(d->words);
    free(d->slots);
    free(d);
}

static int equal(const struct word *w, unsigned hash, const char *word, size_t length)
{
    return w->hash == hash && strncmp(w->spelling, word, length) == 0 && w->spelling[length] == '\0';
}

static int add(struct dictionary *d, unsigned hash, const char *word, size_t length)
{
    if (d->size == d->room) {
        d->room = d->room ? 2 * d->room : 256;
        d->words = resize(d->words, (size_t)d->room, sizeof *d->words);
    }
    struct word *w = &d->words[d->size];
    w->spelling = allocate(length + 1, 1);
    memcpy(w->spelling, word, length);
    w->hash = hash;
    w->count = 0;
    if ((unsigned)d->size * 2 > d->mask) {
        empty_slots(d, 2 * (d->mask + 1));
        for (int i = 0; i < d->size; i++) put(d, i);
    }
    put(d, d->size);
    return d->size++;
}

int dictionary_number(struct dictionary *d, const char *word, size_t length)
{
    unsigned hash = hash_of(word, length);
    unsigned i = hash & d->mask;
    while (d->slots[i] >= 0 && !equal(&d->words[d->slots[i]], hash, word, length)) i = (i + 1) & d->mask;
    int number = d->slots[i] >= 0 ? d->slots[i] : add(d, hash, word, length);
    d->words[number].count++;
    return number;
}

int dictionary_size(const struct dictionary *d) { return d->size; }
const char *dictionary_word(const struct dictionary *d, int number) { return d->words[number].spelling; }
int dictionary_count(const struct dictionary *d, int number) { return d->words[number].count; }

/* ---- text ---- */

static int in_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '\'';
}

static char lower(int c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

int text_read(struct text *t, const char *path, struct dictionary *d)
{
    char word[64];
    size_t length = 0;
    int room = 0, c;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "texts: can't open %s\n", path);
        return -1;
    }
    *t = (struct text){ .name = path };
    do {
        c = getc(file);
        if (in_word(c)) {
            if (length < sizeof word) word[length++] = lower(c);
        } else if (length > 0) {
            if (t->count == room) {
                room = room ? 2 * room : 1024;
                t->words = resize(t->words, (size_t)room, sizeof *t->words);
            }
            t->words[t->count++] = dictionary_number(d, word, length);
            length = 0;
        }
    } while (c != EOF);
    fclose(file);
    return 0;
}

void text_free(struct text *t)
{
    free(t->words);
}
