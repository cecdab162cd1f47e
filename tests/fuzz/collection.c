/* Merged files under libFuzzer: changes (place, length, bytes) to the header and
   the index of a sound one, or to its first profile. The first byte's bits: 1:
   the sums of header and entries are made true again; 2: the sum of the profile
   as well; 4: the file is cut off somewhere. */
#define _GNU_SOURCE
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "../core/builder.h"
#include "input.h"

enum { PROFILES = 2 };

typedef struct file { unsigned char *bytes; size_t used, index; } file_t;

static pfc__collection_entry_t *entry_of(const file_t *f, size_t i) { return (pfc__collection_entry_t *)(void *)(f->bytes + f->index) + i; }

static file_t sound(void)
{
    built_t b = built_full();
    size_t room = (size_t)pfc__collection_room(b.used), i;
    pfc__collection_t header = pfc__collection_of(PROFILES, PFC__COLLECTION_PAGE + PROFILES * room);
    file_t f;
    f.index = (size_t)header.index;
    f.used = (size_t)header.bytes;
    f.bytes = (unsigned char *)calloc(1, f.used);
    memcpy(f.bytes, &header, sizeof header);
    for (i = 0; i < PROFILES; i++) {
        entry_of(&f, i)->at = PFC__COLLECTION_PAGE + i * room;
        entry_of(&f, i)->bytes = b.used;
        memcpy(f.bytes + entry_of(&f, i)->at, b.bytes, b.used);
        pfc__collection_entry_seal(entry_of(&f, i), b.bytes, "perfcomp.0.pfc");
    }
    built_free(&b);
    return f;
}

/* Places 0 to 63 are the header's, up to 511 the index's, the others the first profile's. */
static size_t place_of(const file_t *f, size_t at)
{
    if (at < 64) return at;
    if (at < 512) return f->index + (at - 64) % (f->used - f->index);
    return PFC__COLLECTION_PAGE + at - 512;
}

static void change(file_t *f, const uint8_t *data, size_t size)
{
    input_t input = { data, size };
    change_t c;
    while (change_next(&input, &c)) change_make(&c, place_of(f, c.place), f->bytes, f->used);
}

static void reseal(file_t *f, int profile)
{
    pfc__collection_t *header = (pfc__collection_t *)(void *)f->bytes;
    size_t i;
    header->checksum = pfc__checksum(header, offsetof(pfc__collection_t, checksum));
    for (i = 0; i < PROFILES; i++) {
        pfc__collection_entry_t *e = entry_of(f, i);
        if (profile && e->at < f->used && e->bytes <= f->used - e->at) e->checksum = pfc__checksum(f->bytes + e->at, (size_t)e->bytes);
        e->entry_checksum = pfc__checksum(e, offsetof(pfc__collection_entry_t, entry_checksum));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static memory_file_t memory;
    const char *path = memory.path;
    char why[PFC_WHY];
    file_t f = sound();
    size_t n, i;
    if (size) change(&f, data + 1, size - 1);
    if (size && data[0] & 1) reseal(&f, data[0] & 2);
    if (size > 2 && data[0] & 4) f.used = f.used * data[1] / 256;
    memory_file_write(&memory, f.bytes, f.used);
    n = pfc_profiles_in(path, why, sizeof why);
    if (n == 0 && (strncmp(why, path, strlen(path)) || strchr(why, '\n'))) abort();
    for (i = 0; i < n && i < 4; i++) {
        pfc_profile_t *p = pfc_profile_open_one(path, i, why, sizeof why);
        if (!p && (strncmp(why, path, strlen(path)) || strchr(why, '\n'))) abort();
        pfc_profile_close(p);
    }
    free(f.bytes);
    return 0;
}
