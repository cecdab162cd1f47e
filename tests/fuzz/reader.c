/* The reader under libFuzzer. The first byte chooses: 0: the input is the
   file; 1: the same with a true header checksum; else it is a list of changes
   to a sound profile (place, length, bytes), so that the fuzzer gets deep at
   once and needs no seeds that grow stale. What is accepted is also reported
   and merged. */
#define _GNU_SOURCE
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "../core/builder.h"
#include "input.h"

static void change(built_t *b, const uint8_t *data, size_t size)
{
    input_t input = { data, size };
    change_t c;
    while (change_next(&input, &c)) change_make(&c, c.place % b->used, b->bytes, b->used);
}

static void use(const pfc_profile_t *p, FILE *nowhere)
{
    static const pfc_report_options_t options = { 1, 1, 0 };
    const pfc_profile_t *two[2];
    pfc_event_info_t event;
    uint64_t i;
    uint32_t t;
    two[0] = two[1] = p;
    pfc_report_text(nowhere, &p, 1, &options);
    pfc_report_json(nowhere, two, 2);
    pfc_profile_close(pfc_profile_merge(two, 2));
    for (t = 0; t < p->threads; t++)
        for (i = 0; i < p->thread[t].events && i < 1000; i++) pfc_profile_event(p, t, i, &event);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    static memory_file_t file;
    char why[PFC_WHY];
    pfc_profile_t *p;
    built_t b = built_full();
    uint8_t mode;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    mode = size ? data[0] : 0;
    if (mode < 2) {
        b.used = size ? size - 1 : 0;
        if (b.used > b.room) b.used = b.room;
        if (b.used) memcpy(b.bytes, data + 1, b.used);
    } else {
        if (mode % 2) built_header(&b)->state = PFC__RUNNING;
        change(&b, data + 1, size - 1);
    }
    if (mode && b.used >= sizeof(pfc__header_t)) {
        pfc__header_t *h = built_header(&b);
        h->header_checksum = pfc__header_sum(h);
        if (h->page < b.used && h->bytes <= b.used && h->bytes >= h->page) h->checksum = pfc__checksum(b.bytes + h->page, (size_t)(h->bytes - h->page));
        h->ended_checksum = pfc__ended_sum(h);
    }
    memory_file_write(&file, b.bytes, b.used);
    p = pfc_profile_open(file.path, why, sizeof why);
    if (p) use(p, nowhere);
    else if (strncmp(why, file.path, strlen(file.path)) || strchr(why, '\n')) abort();
    pfc_profile_close(p);
    built_free(&b);
    return 0;
}
