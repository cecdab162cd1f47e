/* Units' blocks, packed: what goes in comes out, and no bytes lead past their end. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"

#include "builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { BLOCKS = 200, ROUNDS = 200 };

static pfc__u32 seed = 1;

static pfc__u32 random_number(void)
{
    seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5; /* Marsaglia, Xorshift RNGs, 2003 */
    return seed;
}

/* Mostly small, now and then anything. */
static pfc__u32 some(void) { return random_number() % 8 ? random_number() % 300 : random_number(); }

static void some_blocks(pfc__block_t *b, size_t n)
{
    for (; n; n--, b++) {
        b->line = some(), b->line_end = some(), b->column = some(), b->function = some(), b->file = some();
        b->kind = some(), b->counter = random_number() % 3 ? some() : PFC__NO_COUNTER, b->from = some(), b->to = some();
    }
}

static pfc__block_cursor_t cursor(const unsigned char *packed, size_t bytes)
{
    pfc__unit_record_t u;
    memset(&u, 0, sizeof u);
    u.packed = bytes;
    return pfc__blocks_begin(&u, packed);
}

/* A copy in memory that ends where it ends: ASan and valgrind watch over that. */
static unsigned char *exactly(const unsigned char *bytes, size_t n)
{
    unsigned char *copy = (unsigned char *)malloc(n + !n);
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    return copy;
}

static size_t read_all(const unsigned char *bytes, size_t n, int *damaged)
{
    unsigned char *copy = exactly(bytes, n);
    pfc__block_cursor_t c = cursor(copy, n);
    pfc__block_t b;
    size_t blocks = 0;
    while (pfc__block_next(&c, &b)) blocks++;
    assert_true(c.damaged || c.at == c.end);
    *damaged = c.damaged;
    free(copy);
    return blocks;
}

static void same_again(void **state)
{
    static pfc__block_t block[BLOCKS];
    static unsigned char packed[BLOCKS * 64];
    int round;
    (void)state;
    for (round = 0; round < ROUNDS; round++) {
        pfc__block_cursor_t c;
        pfc__block_t b;
        size_t i;
        some_blocks(block, BLOCKS);
        c = cursor(packed, (size_t)(built_packed(packed, block, BLOCKS) - packed));
        for (i = 0; i < BLOCKS; i++) {
            assert_true(pfc__block_next(&c, &b));
            assert_memory_equal(&b, &block[i], sizeof b);
        }
        assert_false(pfc__block_next(&c, &b));
        assert_false(c.damaged);
    }
}

/* Without what may be left out: the same as the last one's, or nothing. */
static void left_out(void **state)
{
    static const unsigned char packed[] = {
        PFC__PACKED_LINES | PFC__PACKED_FUNCTION | PFC__PACKED_FILE | PFC__PACKED_NEXT, 20, 1, 7, 6, 4, 0,
        PFC__PACKED_NEXT, PFC__PACKED_LINES, 3, 2, 9
    };
    pfc__block_cursor_t c = cursor(packed, sizeof packed);
    const pfc__block_t expected[4] = { { 10, 9, 7, 3, 2, 0, 0, 0, 0 },
                                       { 0, 0, 0, 3, 2, 0, PFC__NO_COUNTER, 0, 0 },
                                       { 0, 0, 0, 3, 2, 0, 1, 0, 0 },
                                       { 8, 9, 9, 3, 2, 0, PFC__NO_COUNTER, 0, 0 } };
    pfc__block_t b;
    int i;
    (void)state;
    for (i = 0; i < 4; i++) {
        assert_true(pfc__block_next(&c, &b));
        assert_memory_equal(&b, &expected[i], sizeof b);
    }
    assert_false(pfc__block_next(&c, &b));
}

static void cut_off(void **state)
{
    pfc__block_t block[3];
    unsigned char packed[3 * 64];
    size_t end, n;
    int damaged, whole = 0;
    (void)state;
    some_blocks(block, 3);
    end = (size_t)(built_packed(packed, block, 3) - packed);
    for (n = 0; n <= end; n++) {
        assert_true(read_all(packed, n, &damaged) <= 3);
        whole += !damaged;
    }
    assert_int_equal(whole, 4); /* behind each of them, and before the first */
}

static void anything(void **state)
{
    unsigned char bytes[40];
    int round, damaged;
    (void)state;
    for (round = 0; round < 100000; round++) {
        size_t i, n = random_number() % sizeof bytes;
        for (i = 0; i < n; i++) bytes[i] = (unsigned char)random_number();
        assert_true(read_all(bytes, n, &damaged) <= n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_again),
        cmocka_unit_test(left_out),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(anything),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
