/* Profiles built by hand, byte by byte, for tests of the reader. Include
   perfcomp.h with PERFCOMP_IMPLEMENTATION first. Pages of 512 bytes keep them
   small enough to be cut off at every length. */
#ifndef BUILDER_H
#define BUILDER_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUILT_PAGE = 1024, BUILT_ROOM = 1 << 16, BUILT_TICKS_PER_NS = 2, BUILT_BEGIN = 1000, BUILT_TICKS = 2000000 };
#define BUILT_BASE 0x10000000u

typedef struct built {
    unsigned char *bytes;
    size_t used, room, strings;  /* strings: where the next one goes */
} built_t;

static inline pfc__header_t *built_header(built_t *b) { return (pfc__header_t *)(void *)b->bytes; }
static inline void *built_pointer(pfc__u64 offset) { return (void *)(pfc__uptr)(BUILT_BASE + offset); }
static inline pfc__i64 built_fixed(pfc__i64 ticks) { return ticks * (1 << PFC__FRACTION); }

/* Where its elements begin. */
static inline pfc__u64 built_extent(built_t *b, pfc__u32 kind, pfc__u32 elem_bytes, pfc__u64 capacity, pfc__u64 count,
                                    pfc__u32 owner, pfc__u32 first)
{
    pfc__extent_t e;
    size_t at = b->used, bytes = (sizeof e + (size_t)capacity * elem_bytes + 63) / 64 * 64;
    memset(&e, 0, sizeof e);
    e.magic = PFC__EXTENT_MAGIC;
    e.kind = kind;
    e.bytes = bytes;
    e.data = sizeof e;
    e.elem_bytes = elem_bytes;
    e.capacity = capacity;
    e.count = count;
    e.owner = owner;
    e.first = first;
    while (at + bytes > b->room) {
        b->bytes = (unsigned char *)realloc(b->bytes, 2 * b->room);
        memset(b->bytes + b->room, 0, b->room);
        b->room *= 2;
    }
    memcpy(b->bytes + at, &e, sizeof e);
    b->used += bytes;
    return at + sizeof e;
}

/* The record of the thread that is built next. */
static inline pfc__thread_t *built_next_thread(built_t *b) { return (pfc__thread_t *)(void *)(b->bytes + b->used + sizeof(pfc__extent_t)); }

static inline void built_put(built_t *b, pfc__u64 at, const void *bytes, size_t n) { memcpy(b->bytes + at, bytes, n); }

static inline pfc__u64 built_string(built_t *b, const char *text)
{
    size_t at = b->strings;
    built_put(b, at, text, strlen(text) + 1);
    b->strings += strlen(text) + 1;
    return at;
}

static inline void built_text(built_t *b, pfc__u32 kind, const char *text, size_t n)
{
    built_put(b, built_extent(b, kind, 1, n, n, 0, 0), text, n);
}

/* A profile without regions and threads. */
static inline built_t built_new(void)
{
    built_t b;
    pfc__header_t *h;
    memset(&b, 0, sizeof b);
    b.room = BUILT_ROOM;
    b.bytes = (unsigned char *)calloc(1, b.room);
    b.used = BUILT_PAGE;
    h = built_header(&b);
    memcpy(h->magic, PFC__MAGIC, 8);
    h->byte_order = PFC__BYTE_ORDER;
    h->major = PFC__LAYOUT_MAJOR;
    h->minor = PFC__LAYOUT_MINOR;
    h->header_bytes = sizeof *h;
    h->page = BUILT_PAGE;
    h->state = PFC__ENDED;
    h->base = BUILT_BASE;
    h->size = 1;
    h->pid = 42;
    h->clock_kind = PFC__CLOCK_TSC;
    h->compensate = 1;
    h->ticks_per_ns = BUILT_TICKS_PER_NS;
    h->tick_begin = BUILT_BEGIN;
    h->tick_end = BUILT_BEGIN + BUILT_TICKS;
    h->utc_begin_ns = 1700000000000000000;
    h->cost.pair = 20, h->cost.pair_spread = 2;
    h->cost.inside = 8, h->cost.inside_spread = 1;
    h->cost.light = 4, h->cost.light_spread = 1;
    h->cost.hit = 1, h->cost.hit_spread = 0.5;
    b.strings = (size_t)built_extent(&b, PFC__STRINGS, 1, 1024, 512, 0, 0);
    return b;
}

static inline void built_service(built_t *b, const char *host)
{
    char meta[256];
    int n = snprintf(meta, sizeof meta, "command=./program one%cdirectory=/somewhere%chost=%s%cstart=2023-11-14T22:13:20Z%cclock=TSC%c",
                     0, 0, host, 0, 0, 0);
    built_text(b, PFC__META, meta, (size_t)n);
    built_text(b, PFC__NOTES, "something happened", 19);
}

static inline void built_region(built_t *b, pfc__u64 at, pfc__u32 index, const char *name, const char *file, pfc__u32 line, pfc__u32 kind)
{
    pfc__region_t r;
    memset(&r, 0, sizeof r);
    r.name = built_string(b, name);
    r.file = *file ? built_string(b, file) : 0;
    r.line = line;
    r.kind = kind;
    built_put(b, at + index * sizeof r, &r, sizeof r);
}

/* Three regions: 1 main, 2 work in work.c, 3 that one, of no file */
static inline void built_regions_and(built_t *b, const char *third, pfc__u32 kind)
{
    pfc__u64 at = built_extent(b, PFC__REGIONS, sizeof(pfc__region_t), 4, 3, 0, 1);
    built_region(b, at, 0, "main", "main.c", 3, PFC__FUNCTION);
    built_region(b, at, 1, "work", "work.c", 10, PFC__FUNCTION);
    built_region(b, at, 2, third, "", 0, kind);
}

static inline void built_regions(built_t *b) { built_regions_and(b, "tiny", PFC__NAMED); }

static inline void built_node(built_t *b, pfc__u64 at, pfc__u32 id, pfc__u32 parent, pfc__u32 region, pfc__u64 count,
                              pfc__i64 exclusive, pfc__i64 delta)
{
    pfc__node_t n;
    memset(&n, 0, sizeof n);
    n.id = id;
    n.parent = parent;
    n.region = region;
    n.timed = count;
    n.exclusive = exclusive;
    n.exclusive_delta = built_fixed(delta);
    n.shortest = count ? exclusive / (pfc__i64)count - 10 : INT64_MAX;
    n.longest = count ? exclusive / (pfc__i64)count + 10 : INT64_MIN;
    built_put(b, at + id * sizeof n, &n, sizeof n);
}

/* Of a node that is there already. */
static inline void built_untimed(built_t *b, pfc__u64 at, pfc__u32 id, pfc__u64 untimed, pfc__u64 nested)
{
    pfc__node_t *n = (pfc__node_t *)(void *)(b->bytes + at + id * sizeof *n);
    n->untimed = untimed;
    n->nested = nested;
}

/* The first thread: main is open, and has entered work 100 times. Returns where its nodes are:
   0 root, 1 main, 2 work below main, 3 tiny below work (never entered).
   `bytes`: of its record; `hits`: ticks that were charged for hits. */
static inline pfc__u64 built_thread_of(built_t *b, size_t bytes, pfc__i64 hits)
{
    pfc__u64 at = built_extent(b, PFC__THREADS, (pfc__u32)bytes, 1, 1, 0, 0);
    pfc__u64 stack = built_extent(b, PFC__STACK, sizeof(pfc__frame_t), 4, 4, 0, 0);
    pfc__u64 nodes = built_extent(b, PFC__NODES, sizeof(pfc__node_t), 8, 4, 0, 0);
    pfc__thread_t t;
    pfc__frame_t f;
    memset(&t, 0, sizeof t);
    t.state = PFC__RUNNING;
    t.generations = 1;
    t.tick_begin = BUILT_BEGIN;
    t.tick_end = BUILT_BEGIN + BUILT_TICKS;
    t.delta = built_fixed(2012 + hits); /* 10 before main's stamp, 2 behind it, 100 pairs of 20 */
    t.hits_charged = built_fixed(hits);
    t.bottom = (pfc__frame_t *)built_pointer(stack);
    t.top = (pfc__frame_t *)built_pointer(stack + sizeof f);
    built_put(b, at, &t, bytes);
    built_node(b, nodes, 0, 0, 0, 0, 0, 0);
    built_node(b, nodes, 1, 0, 1, 0, 0, 0);
    built_node(b, nodes, 2, 1, 2, 100, 400000, 1000);
    built_node(b, nodes, 3, 2, 3, 0, 0, 0);
    memset(&f, 0, sizeof f);
    f.node = (pfc__node_t *)built_pointer(nodes);
    f.begin = BUILT_BEGIN;
    built_put(b, stack, &f, sizeof f);
    f.node = (pfc__node_t *)built_pointer(nodes + sizeof(pfc__node_t));
    f.begin = BUILT_BEGIN + 1000;
    f.delta = built_fixed(10);
    f.child = 400000;
    f.child_delta = built_fixed(1000 + hits);
    f.depth = 1;
    built_put(b, stack + sizeof f, &f, sizeof f);
    return nodes;
}

static inline pfc__u64 built_thread(built_t *b) { return built_thread_of(b, sizeof(pfc__thread_t), 0); }

/* Packs blocks, each with all that it may have; returns the end. No block takes more than 64 bytes. */
static inline unsigned char *built_number(unsigned char *to, pfc__u32 number)
{
    for (; number > 127; number >>= 7) *to++ = (unsigned char)(number | 128);
    *to++ = (unsigned char)number;
    return to;
}

static inline unsigned char *built_difference(unsigned char *to, pfc__u32 from, pfc__u32 number)
{
    pfc__u32 d = number - from;
    return built_number(to, d << 1 ^ (d >> 31 ? UINT32_MAX : 0));
}

static inline unsigned char *built_packed(unsigned char *to, const pfc__block_t *b, size_t n)
{
    pfc__u32 line = 0, counter = 0;
    pfc__block_t last = { 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    for (; n; n--, last = *b++) {
        int counted = b->counter != PFC__NO_COUNTER;
        *to++ = PFC__PACKED_LINES | PFC__PACKED_FUNCTION | PFC__PACKED_FILE | PFC__PACKED_KIND | PFC__PACKED_GRAPH |
                (counted ? PFC__PACKED_COUNTER : 0);
        to = built_difference(to, line, b->line);
        to = built_number(built_difference(to, line = b->line, b->line_end), b->column);
        to = built_difference(built_difference(to, last.function, b->function), last.file, b->file);
        to = built_number(to, b->kind);
        if (counted) to = built_difference(to, counter, b->counter), counter = b->counter + 1;
        to = built_difference(built_difference(to, last.from, b->from), b->from, b->to);
    }
    return to;
}

/* A unit with three functions, work (timed), helper and leaf (counted only): where its counters are.
     work:   entry 0 ──▶ 1 (counter 0), 1 ──▶ 2 loop (counter 1), 1 ──▶ 2 not (no counter), 2 ──▶ 0 exit (counter 2)
     helper: one block (counter 3)
     leaf:   entry 4 ──▶ 5, exit 5 ──▶ 4; called by the loop, and by helper. A record without a table of calls has no leaf.
   Behind its tables lies one that tells of the loop's counter, counter 1, that it is one of a sum; built_summed shows it.
   In a whole record the blocks are packed. */
static inline pfc__u64 built_unit_of(built_t *b, pfc__u32 threaded, size_t record)
{
    const int leaf = record > offsetof(pfc__unit_record_t, caller_table), pack = record == sizeof(pfc__unit_record_t);
    unsigned char packed[7 * 64] = { 0 };
    size_t blocks = (leaf ? 7 : 5) * sizeof(pfc__block_t), bytes;
    const size_t files = 8, functions = (leaf ? 3 : 2) * sizeof(pfc__function_t), calls = leaf ? 2 * sizeof(pfc__caller_t) : 0;
    pfc__u64 at;
    pfc__unit_record_t r;
    pfc__function_t f[3];
    pfc__block_t block[7] = {
        { 10, 10, 1, 0, 0, PFC__BLOCK_ENTRY, 0, 3, 1 },          { 11, 12, 5, 0, 0, PFC__BLOCK_PLAIN, 1, 1, 2 },
        { 14, 14, 5, 0, 0, PFC__BLOCK_PLAIN, PFC__NO_COUNTER, 1, 2 }, { 16, 16, 1, 0, 0, PFC__BLOCK_EXIT, 2, 2, 3 },
        { 20, 22, 1, 1, 0, PFC__BLOCK_PLAIN, 3, 0, 0 },          { 30, 30, 1, 2, 0, PFC__BLOCK_ENTRY, PFC__NO_COUNTER, 4, 5 },
        { 31, 31, 1, 2, 0, PFC__BLOCK_EXIT, PFC__NO_COUNTER, 5, 4 },
    };
    const pfc__caller_t call[2] = { { 5, 1 }, { 5, 4 } };
    const pfc__gap_t gap = { 0, 13, 13 };
    const unsigned char summed[4] = { 0, 1, 0, 0 };
    pfc__u64 name;
    if (pack) blocks = (size_t)(built_packed(packed, block, 7) - packed + 7) / 8 * 8;
    bytes = record + files + functions + blocks + sizeof(pfc__gap_t) + 4 + calls;
    at = built_extent(b, PFC__UNIT, 1, bytes, bytes, 1, 0);
    memset(&r, 0, sizeof r);
    memset(f, 0, sizeof f);
    r.name = name = built_string(b, "work.c");
    r.directory = built_string(b, "/somewhere/source");
    r.compiler = built_string(b, "cc -O2");
    r.files = 1, r.functions = leaf ? 3 : 2, r.blocks = leaf ? 7 : 5, r.counters = 4;
    r.threaded = threaded;
    r.file_table = sizeof(pfc__extent_t) + record;
    r.function_table = r.file_table + files;
    if (pack) r.packed_table = r.function_table + functions, r.packed = blocks;
    else r.block_table = r.function_table + functions;
    r.gap_table = r.function_table + functions + blocks;
    r.gaps = 1;
    f[0].name = (const char *)(pfc__uptr)built_string(b, "work");
    f[0].line = 10, f[0].line_end = 16, f[0].flags = PFC__TIMED | PFC__MAY_NOT_RETURN;
    f[1].name = (const char *)(pfc__uptr)built_string(b, "helper");
    f[1].line = 20, f[1].line_end = 22;
    f[2].name = (const char *)(pfc__uptr)built_string(b, "leaf");
    f[2].line = 30, f[2].line_end = 31;
    if (leaf) r.callers = 2, r.caller_table = r.gap_table + sizeof(pfc__gap_t) + 4;
    built_put(b, at, &r, record);
    built_put(b, at + record, &name, sizeof name);
    built_put(b, at + record + files, f, functions);
    built_put(b, at + record + files + functions, pack ? (const void *)packed : block, blocks);
    built_put(b, at + record + files + functions + blocks, &gap, sizeof gap);
    built_put(b, at + record + files + functions + blocks + sizeof gap, summed, sizeof summed);
    built_put(b, at + record + files + functions + blocks + sizeof gap + sizeof summed, call, calls);
    return built_extent(b, PFC__COUNTERS, 8, 8, 4, 1, threaded ? 1 : 0);
}

static inline pfc__u64 built_unit(built_t *b, pfc__u32 threaded)
{
    return built_unit_of(b, threaded, sizeof(pfc__unit_record_t));
}

/* `unit`: where its extent begins. */
static inline void built_summed(built_t *b, pfc__u64 unit)
{
    pfc__unit_record_t *r = (pfc__unit_record_t *)(void *)(b->bytes + unit + sizeof(pfc__extent_t));
    r->summed_table = r->gap_table + sizeof(pfc__gap_t);
}

static inline void built_counters(built_t *b, pfc__u64 at, pfc__u64 entry, pfc__u64 loop, pfc__u64 exit, pfc__u64 helper)
{
    pfc__u64 counter[4];
    counter[0] = entry, counter[1] = loop, counter[2] = exit, counter[3] = helper;
    built_put(b, at, counter, sizeof counter);
}

/* Rank 2 of 4: two kinds of calls, one of them unknown; it has waited for rank 3 and for others, and messages were overtaken. */
static inline void built_mpi(built_t *b)
{
    pfc__mpi_job_t job;
    pfc__mpi_site_t site[2];
    pfc__mpi_peer_t peer[2];
    pfc__mpi_order_t order;
    memset(&order, 0, sizeof order);
    memset(&job, 0, sizeof job);
    memset(site, 0, sizeof site);
    memset(peer, 0, sizeof peer);
    job.rank = 2, job.size = 4;
    job.begin_ct = 500000, job.begin_tick = BUILT_BEGIN + (int64_t)(20000 * BUILT_TICKS_PER_NS);
    job.end_ct = 900000, job.end_lt = 700000, job.end_u = 5000;
    job.clock_u = 30, job.clock_strayed = -7, job.eager_bytes = 4096, job.unacknowledged = 6;
    job.tried = 1, job.tried_ns = 7000;
    strcpy(job.library, "Some MPI");
    strcpy(site[0].name, "MPI_Recv"), strcpy(site[0].place, "program+0x10");
    site[0].rule = PFC__RULE_RECEIVE;
    site[0].calls = 10, site[0].bytes = 0;
    site[0].time_ct = 300000, site[0].time_lt = 200000;
    site[0].wait_ct = 250000, site[0].wait_lt = 150000, site[0].wait_u = 2000;
    site[0].wait_kind[PFC__LATE_SENDER] = 150000;
    strcpy(site[1].name, "MPI_Strange"), strcpy(site[1].place, "program+0x20");
    site[1].rule = PFC__RULE_NONE;
    site[1].calls = 3, site[1].time_ct = site[1].time_lt = 1000;
    peer[0].rank = 0xffffffffu, peer[0].used = 1, peer[0].waits = 2, peer[0].wait_ct = 10000, peer[0].wait_lt = 20000;
    peer[1].rank = 3, peer[1].used = 1, peer[1].waits = 8, peer[1].wait_ct = 240000, peer[1].wait_lt = 130000;
    built_put(b, built_extent(b, PFC__MPI, sizeof job, 1, 1, PFC__MPI_JOB, 0), &job, sizeof job);
    built_put(b, built_extent(b, PFC__MPI, sizeof *site, 3, 3, PFC__MPI_SITES, 0), site, sizeof site);
    order.taken = 9, order.overtaken = 4, order.undecided = 2, order.most = 3000, order.rank = 1, order.by = 3;
    order.holds = 1, order.held = 7, order.held_ns = 2000;
    strcpy(order.place, "program+0x40");
    built_put(b, built_extent(b, PFC__MPI, sizeof *peer, 4, 4, PFC__MPI_PEERS, 0), peer, sizeof peer);
    built_put(b, built_extent(b, PFC__MPI, sizeof order, 1, 1, PFC__MPI_ORDER, 0), &order, sizeof order);
}

/* Makes header and checksum true. */
static inline void built_seal(built_t *b)
{
    pfc__header_t *h = built_header(b);
    h->bytes = b->used;
    h->header_checksum = pfc__header_sum(h);
    h->checksum = h->state == PFC__ENDED ? pfc__checksum(b->bytes + h->page, b->used - h->page) : 0;
    h->ended_checksum = pfc__ended_sum(h);
}

/* Everything together: what most tests start from. */
static inline built_t built_full(void)
{
    built_t b = built_new();
    built_service(&b, "elsewhere.example");
    built_regions(&b);
    built_thread(&b);
    built_counters(&b, built_unit(&b, 0), 100, 60, 100, 40);
    built_mpi(&b);
    built_seal(&b);
    return b;
}

static inline void built_write(const built_t *b, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || write(fd, b->bytes, b->used) != (ssize_t)b->used) { perror(path); exit(1); }
    close(fd);
}

static inline void built_free(built_t *b) { free(b->bytes); }

#endif
