/* -------------------------------------------------------- blocks (impl) ---
   A unit's blocks, one after the other, out of its record: from a table, or
   packed. */

typedef struct pfc__block_cursor {
    const unsigned char *at, *end;
    int packed, damaged;
    pfc__u32 counter;              /* behind the last one's */
    pfc__u32 line;                 /* the last one's that has one */
    pfc__block_t last;
} pfc__block_cursor_t;

/* `tables`: where the record's extent begins. All tables are known to fit in there. */
static PFC__QUIET pfc__block_cursor_t pfc__blocks_begin(const pfc__unit_record_t *u, const unsigned char *tables)
{
    pfc__block_cursor_t c;
    memset(&c, 0, sizeof c);
    c.packed = u->packed != 0;
    c.at = tables + (c.packed ? u->packed_table : u->block_table);
    c.end = c.at + (c.packed ? u->packed : u->blocks * sizeof(pfc__block_t));
    return c;
}

static PFC__QUIET pfc__u32 pfc__packed_number(pfc__block_cursor_t *c)
{
    pfc__u32 number = 0, shift;
    for (shift = 0; shift < 32 && c->at < c->end; shift += 7) {
        number |= (pfc__u32)(*c->at & 127) << shift;
        if (*c->at++ < 128) return number;
    }
    c->damaged = 1;
    return 0;
}

static PFC__QUIET pfc__u32 pfc__packed_difference(pfc__block_cursor_t *c)
{
    pfc__u32 zigzag = pfc__packed_number(c);
    return zigzag >> 1 ^ (0u - (zigzag & 1));
}

static PFC__QUIET pfc__block_t pfc__block_unpack(pfc__block_cursor_t *c)
{
    pfc__block_t b = { 0, 0, 0, c->last.function, c->last.file, PFC__BLOCK_PLAIN, PFC__NO_COUNTER, 0, 0 };
    unsigned char has = *c->at++;
    if (has & PFC__PACKED_LINES) {
        b.line = c->line += pfc__packed_difference(c);
        b.line_end = b.line + pfc__packed_difference(c);
        b.column = pfc__packed_number(c);
    }
    if (has & PFC__PACKED_FUNCTION) b.function += pfc__packed_difference(c);
    if (has & PFC__PACKED_FILE) b.file += pfc__packed_difference(c);
    if (has & PFC__PACKED_KIND) b.kind = pfc__packed_number(c);
    if (has & PFC__PACKED_COUNTER) c->counter += pfc__packed_difference(c);
    if (has & (PFC__PACKED_COUNTER | PFC__PACKED_NEXT)) b.counter = c->counter++;
    if (has & PFC__PACKED_GRAPH) {
        b.from = c->last.from + pfc__packed_difference(c);
        b.to = b.from + pfc__packed_difference(c);
    }
    return b;
}

/* Whether there is one more. */
static PFC__QUIET int pfc__block_next(pfc__block_cursor_t *c, pfc__block_t *b)
{
    if (c->at >= c->end) return 0;
    if (c->packed) *b = c->last = pfc__block_unpack(c);
    else memcpy(b, c->at, sizeof *b), c->at += sizeof *b;
    return !c->damaged;
}
