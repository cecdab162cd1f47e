/* Files with the profiles of several processes: what was written is read, and
   what was cut off, changed, or made by others is refused. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "builder.h"
#include <cmocka.h>

enum { RANKS = 3 };
static const char path[] = "merged.pfc";
static char why[PFC_WHY];

/* A merged file of three ranks' profiles, in memory. */
static built_t merged(void)
{
    pfc_profile_t *p[RANKS];
    char name[32];
    struct stat s;
    built_t b;
    int i, fd;
    for (i = 0; i < RANKS; i++) {
        b = built_full();
        built_header(&b)->rank = (pfc__u32)i;
        built_seal(&b);
        snprintf(name, sizeof name, "./perfcomp.%d.pfc", i);
        built_write(&b, name);
        built_free(&b);
        p[i] = pfc_profile_open(name, why, sizeof why);
        if (!p[i]) fail_msg("%s", why);
        unlink(name);
    }
    if (!pfc_profiles_write(path, (const pfc_profile_t *const *)p, RANKS, why, sizeof why)) fail_msg("%s", why);
    for (i = 0; i < RANKS; i++) pfc_profile_close(p[i]);
    fd = open(path, O_RDONLY);
    assert_int_equal(fstat(fd, &s), 0);
    b.used = b.room = (size_t)s.st_size;
    b.bytes = (unsigned char *)malloc(b.room);
    assert_int_equal(read(fd, b.bytes, b.used), b.used);
    close(fd);
    return b;
}

static pfc__collection_t *header_of(built_t *b) { return (pfc__collection_t *)(void *)b->bytes; }
static pfc__collection_entry_t *entry_of(built_t *b, size_t i) { return (pfc__collection_entry_t *)(void *)(b->bytes + header_of(b)->index) + i; }

static void seal(built_t *b)
{
    header_of(b)->checksum = pfc__checksum(b->bytes, offsetof(pfc__collection_t, checksum));
}

static void says(const char *because)
{
    assert_memory_equal(why, path, sizeof path - 1);
    if (!strstr(why, because)) fail_msg("'%s' doesn't say '%s'", why, because);
    assert_null(strchr(why, '\n'));
}

static void refused(built_t *b, const char *because)
{
    built_write(b, path);
    assert_int_equal(pfc_profiles_in(path, why, sizeof why), 0);
    says(because);
    built_free(b);
}

static void all_come_back(void **state)
{
    built_t b = merged();
    size_t i;
    (void)state;
    assert_int_equal(pfc_profiles_in(path, why, sizeof why), RANKS);
    for (i = 0; i < RANKS; i++) {
        char name[64];
        pfc_profile_t *p = pfc_profile_open_one(path, i, why, sizeof why);
        if (!p) fail_msg("%s", why);
        snprintf(name, sizeof name, "merged.pfc/perfcomp.%zu.pfc", i);
        assert_string_equal(p->file, name);
        assert_int_equal(p->rank, i);
        assert_int_equal(p->collected, 1);
        assert_int_equal(p->hits, 300);
        pfc_profile_close(p);
    }
    assert_null(pfc_profile_open_one(path, RANKS, why, sizeof why));
    says("holds 3 profiles only");
    assert_null(pfc_profile_open(path, why, sizeof why));
    says("a merged file; open its profiles one by one");
    built_free(&b);
}

/* In folders of their own, two may have one name. */
static void each_has_a_name(void **state)
{
    static const char *const files[] = { "a/perfcomp.0.pfc", "b/perfcomp.0.pfc", "c/perfcomp.0.7.pfc", "d/perfcomp.0.pfc" };
    static const char *const names[] = { "merged.pfc/perfcomp.0.pfc", "merged.pfc/perfcomp.0.pfc.2", "merged.pfc/perfcomp.0.7.pfc",
                                         "merged.pfc/perfcomp.0.pfc.3" };
    pfc_profile_t *p[4];
    built_t b = built_full();
    size_t i;
    (void)state;
    for (i = 0; i < 4; i++) {
        char folder[] = { files[i][0], 0 };
        assert_int_equal(mkdir(folder, 0700), 0);
        built_write(&b, files[i]);
        p[i] = pfc_profile_open(files[i], why, sizeof why);
        if (!p[i]) fail_msg("%s", why);
        unlink(files[i]);
        rmdir(folder);
    }
    if (!pfc_profiles_write(path, (const pfc_profile_t *const *)p, 4, why, sizeof why)) fail_msg("%s", why);
    for (i = 0; i < 4; i++) {
        pfc_profile_close(p[i]);
        p[i] = pfc_profile_open_one(path, i, why, sizeof why);
        assert_string_equal(p[i]->file, names[i]);
        pfc_profile_close(p[i]);
    }
    built_free(&b);
}

static void one_profile_is_one(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    (void)state;
    built_write(&b, path);
    assert_int_equal(pfc_profiles_in(path, why, sizeof why), 1);
    p = pfc_profile_open_one(path, 0, why, sizeof why);
    assert_non_null(p);
    assert_int_equal(p->collected, 0);
    pfc_profile_close(p);
    assert_null(pfc_profile_open_one(path, 1, why, sizeof why));
    says("holds one profile only");
    built_free(&b);
    unlink(path);
    assert_int_equal(pfc_profiles_in(path, why, sizeof why), 0);
    says("can't be read");
}

static void cut_off_anywhere(void **state)
{
    built_t b = merged();
    size_t n, whole = b.used;
    int fd;
    (void)state;
    built_write(&b, path);
    fd = open(path, O_WRONLY);
    for (n = whole - 1; n >= 8; n -= n > 200 && n < whole - 200 ? 64 : 1) {
        assert_int_equal(ftruncate(fd, (off_t)n), 0);
        assert_int_equal(pfc_profiles_in(path, why, sizeof why), 0);
        says("cut off");
    }
    close(fd);
    built_free(&b);
}

/* All profiles as they were, or a message. */
static void changed_anywhere(void **state)
{
    built_t b = merged();
    size_t at, i;
    int fd;
    (void)state;
    built_write(&b, path);
    fd = open(path, O_WRONLY);
    for (at = 0; at < b.used; at++) {
        unsigned char changed = (unsigned char)(b.bytes[at] ^ 0x10);
        size_t n, ranks = 0;
        int used = at < sizeof(pfc__collection_t) || at >= header_of(&b)->index;
        for (i = 0; i < RANKS; i++) used |= at >= entry_of(&b, i)->at && at < entry_of(&b, i)->at + entry_of(&b, i)->bytes;
        if (!used || (at >= 4096 && at < header_of(&b)->index && at % 61)) continue;
        assert_int_equal(pwrite(fd, &changed, 1, (off_t)at), 1);
        n = pfc_profiles_in(path, why, sizeof why);
        if (n == 1) n = 0; /* the magic: no merged file any more, and no profile either */
        for (i = 0; i < n; i++) {
            pfc_profile_t *p = pfc_profile_open_one(path, i, why, sizeof why);
            ranks += p != 0;
            pfc_profile_close(p);
        }
        if (ranks == RANKS) fail_msg("a change at byte %zu went unnoticed", at);
        assert_int_equal(pwrite(fd, b.bytes + at, 1, (off_t)at), 1);
    }
    close(fd);
    built_free(&b);
}

static void newer_ones_and_other_machines(void **state)
{
    built_t b = merged();
    (void)state;
    header_of(&b)->major = 2;
    seal(&b);
    refused(&b, "written by a newer version of perfcomp (layout 2, this one reads 1)");
    b = merged();
    header_of(&b)->byte_order = __builtin_bswap32(PFC__BYTE_ORDER);
    refused(&b, "another byte order");
    b = merged();
    header_of(&b)->minor = 7; /* fields were appended */
    seal(&b);
    built_write(&b, path);
    assert_int_equal(pfc_profiles_in(path, why, sizeof why), RANKS);
    built_free(&b);
}

/* Whatever the sums say. */
static void nonsense_in_the_index(void **state)
{
    static const struct { pfc__u64 at, bytes; const char *name; } wrong[] = {
        { 0, 4096, "a" }, { 1u << 30, 4096, "a" }, { 4096, (pfc__u64)-1, "a" }, { 4096, 0, "a" }, { 4096, 64, "two\nlines" },
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        built_t b = merged();
        pfc__collection_entry_t *e = entry_of(&b, 0);
        e->at = wrong[i].at;
        e->bytes = wrong[i].bytes;
        snprintf(e->name, sizeof e->name, "%s", wrong[i].name);
        e->entry_checksum = pfc__checksum(e, offsetof(pfc__collection_entry_t, entry_checksum));
        built_write(&b, path);
        assert_null(pfc_profile_open_one(path, 0, why, sizeof why));
        says("index of a merged file");
        built_free(&b);
    }
}

static void nonsense_in_the_header(void **state)
{
    built_t b = merged();
    (void)state;
    header_of(&b)->profiles = (pfc__u64)1 << 60;
    seal(&b);
    refused(&b, "header of a merged file");
    b = merged();
    header_of(&b)->index = header_of(&b)->bytes + 1;
    seal(&b);
    refused(&b, "header of a merged file");
    b = merged();
    header_of(&b)->entry_bytes = 0;
    seal(&b);
    refused(&b, "header of a merged file");
}

static void nowhere_to_write(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    (void)state;
    built_write(&b, path);
    p = pfc_profile_open(path, why, sizeof why);
    assert_non_null(p);
    assert_int_equal(pfc_profiles_write("no-folder/merged.pfc", (const pfc_profile_t *const *)&p, 1, why, sizeof why), 0);
    assert_string_equal(why, "no-folder/merged.pfc: can't be written (No such file or directory); make room, or write elsewhere");
    remove("none.pfc");
    assert_int_equal(pfc_profiles_write("none.pfc", (const pfc_profile_t *const *)&p, 0, why, sizeof why), 0);
    assert_string_equal(why, "none.pfc: there is no profile to write; name one at least");
    assert_int_equal(access("none.pfc", F_OK), -1); /* nobody could read it */
    pfc_profile_close(p);
    built_free(&b);
}

/* A file of the user's, and whether it is as it was. */
static void put_mine(const char *name)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs("mine", f);
    fclose(f);
}

static void is_mine(const char *name)
{
    char text[8] = "";
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    assert_string_equal(text, "mine");
    unlink(name);
}

static void write_merged(void)
{
    built_t b = merged();
    built_free(&b);
    assert_int_equal(pfc_profiles_in(path, why, sizeof why), RANKS);
    unlink(path);
}

/* What it writes first has a name of its own: a file beside it, however it is called, stays. */
static void a_file_beside_it_stays(void **state)
{
    (void)state;
    put_mine("merged.pfc.new");
    write_merged();
    is_mine("merged.pfc.new");
}

/* Where others may write, that name may be their link to one of the user's files. */
static void a_link_is_not_followed(void **state)
{
    char name[64];
    (void)state;
    put_mine("mine");
    snprintf(name, sizeof name, "%s.%d.new", path, (int)getpid());
    assert_int_equal(symlink("mine", name), 0);
    write_merged();
    is_mine("mine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_come_back), cmocka_unit_test(each_has_a_name), cmocka_unit_test(one_profile_is_one),
        cmocka_unit_test(cut_off_anywhere),       cmocka_unit_test(changed_anywhere),
        cmocka_unit_test(newer_ones_and_other_machines), cmocka_unit_test(nonsense_in_the_index),
        cmocka_unit_test(nonsense_in_the_header), cmocka_unit_test(nowhere_to_write),
        cmocka_unit_test(a_file_beside_it_stays), cmocka_unit_test(a_link_is_not_followed),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
