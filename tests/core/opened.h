/* Profiles built by hand, as the reader and the report show them: what the
   tests of both ask. Include perfcomp.h with PERFCOMP_IMPLEMENTATION first. */
#ifndef OPENED_H
#define OPENED_H

#include "builder.h"
#include <cmocka.h>
#include <math.h>

static const char path[] = "built.pfc";
static char why[PFC_WHY]; /* the reader's last refusal */

static inline void near(double is, double wanted)
{
    if (fabs(is - wanted) > 1e-6 * (1 + fabs(wanted))) fail_msg("%.9g instead of %.9g", is, wanted);
}

static inline void holds(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' isn't in:\n%s", part, text);
}

/* As it is, and freed; NULL: refused. */
static inline pfc_profile_t *opened_unsealed(built_t *b)
{
    built_write(b, path);
    built_free(b);
    return pfc_profile_open(path, why, sizeof why);
}

static inline pfc_profile_t *opened(built_t *b)
{
    pfc_profile_t *p;
    built_seal(b);
    p = opened_unsealed(b);
    if (!p) fail_msg("%s", why);
    return p;
}

static inline void refused(built_t *b, const char *because)
{
    assert_null(opened_unsealed(b));
    assert_memory_equal(why, "built.pfc: ", 11);
    holds(why, because);
    assert_null(strchr(why, '\n'));
}

/* The caller frees it. */
static inline char *text_of(const pfc_profile_t *const *p, size_t n, int colour, int all)
{
    pfc_report_options_t options = { 0, 0, 0 };
    char *text = 0;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    options.colour = colour;
    options.all = all;
    pfc_report_text(file, p, n, &options);
    fclose(file);
    return text;
}

/* The same. */
static inline char *json_of(const pfc_profile_t *const *p, size_t n)
{
    char *text = 0;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    pfc_report_json(file, p, n);
    fclose(file);
    return text;
}

#endif
