/* What the fuzzers share: a list of changes (place, length, bytes) to something sound, and a file in memory. */
#ifndef PERFCOMP_FUZZ_INPUT_H
#define PERFCOMP_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct input { const uint8_t *data; size_t size; } input_t;
typedef struct change { size_t place, n; const uint8_t *bytes; } change_t;

/* The next one. 0: there is none. */
static inline int change_next(input_t *input, change_t *c)
{
    if (input->size <= 3) return 0;
    c->place = (size_t)input->data[0] | (size_t)input->data[1] << 8;
    c->n = input->data[2] % 16 + 1u;
    c->bytes = input->data + 3;
    if (c->n > input->size - 3) c->n = input->size - 3;
    input->data += 3 + c->n;
    input->size -= 3 + c->n;
    return 1;
}

/* Writes it to so many bytes, as far as it lies in them. */
static inline void change_make(const change_t *c, size_t at, void *bytes, size_t used)
{
    if (at < used) memcpy((char *)bytes + at, c->bytes, c->n < used - at ? c->n : used - at);
}

typedef struct memory_file { int fd; char path[32]; } memory_file_t;

/* Begins with `{ 0 }`; then it holds these bytes. */
static inline void memory_file_write(memory_file_t *f, const void *bytes, size_t used)
{
    if (!*f->path) {
        f->fd = memfd_create("fuzz", 0);
        snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
    }
    if (ftruncate(f->fd, 0) || pwrite(f->fd, bytes, used, 0) != (ssize_t)used) abort();
}

#endif
