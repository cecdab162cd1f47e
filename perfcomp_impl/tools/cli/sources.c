/* Counts of lines: the bridge from basic blocks to source files. */
#include "cli.h"

/* A block and a program that are longer than any: of such a block, what lies behind isn't shown. */
enum { LONGEST_BLOCK = 20000, MOST_LINES = 50000000 };

typedef struct spot { size_t source; uint32_t line; uint64_t low, high; } spot_t;
typedef struct spots { spot_t *spot; size_t n, room; int too_many; } spots_t;
typedef struct gaps { pfc_gap_info_t *gap; size_t n; } gaps_t; /* of a unit, sorted */
typedef struct place { char *path; const char *name; size_t profile, index, source; int64_t begin; } place_t;

static void counts_add(uint64_t *low, uint64_t *high, uint64_t more_low, uint64_t more_high)
{
    *low += more_low;
    *high = *high == UINT64_MAX || more_high == UINT64_MAX ? UINT64_MAX : *high + more_high;
}

static int by_source_and_line(const void *a, const void *b)
{
    const spot_t *x = (const spot_t *)a, *y = (const spot_t *)b;
    ORDER(x->source, y->source);
    ORDER(x->line, y->line);
    return 0;
}

/* Sorted, and each line once. */
static void spots_sum(spots_t *spots)
{
    size_t i, n = 0;
    if (spots->n) qsort(spots->spot, spots->n, sizeof *spots->spot, by_source_and_line);
    for (i = 0; i < spots->n; i++) {
        spot_t *last = n ? &spots->spot[n - 1] : 0, *s = &spots->spot[i];
        if (last && !by_source_and_line(last, s)) counts_add(&last->low, &last->high, s->low, s->high);
        else spots->spot[n++] = *s;
    }
    spots->n = n;
}

/* All ranks of a job have the same lines: their sums take the room of one. */
static void spots_make_room(spots_t *spots)
{
    spots_sum(spots);
    spots->too_many = spots->n > MOST_LINES;
    if (spots->too_many || 2 * spots->n < spots->room) return;
    spots->room = spots->room ? 2 * spots->room : 1024;
    spots->spot = (spot_t *)must(realloc(spots->spot, spots->room * sizeof *spots->spot));
}

static void spots_add(spots_t *spots, size_t source, uint32_t line, const pfc_block_info_t *b)
{
    if (spots->n == spots->room && !spots->too_many) spots_make_room(spots);
    if (!spots->too_many) spots->spot[spots->n++] = (spot_t){ source, line, b->low, b->high };
}

static int by_place(const void *a, const void *b)
{
    const pfc_block_info_t *x = *(const pfc_block_info_t *const *)a, *y = *(const pfc_block_info_t *const *)b;
    ORDER(x->file, y->file);
    ORDER(x->function, y->function);
    ORDER(x->line, y->line);
    ORDER(x->column, y->column);
    return 0;
}

/* Where lines end no source has one, and they can't be counted on from there. */
static int has_line(const pfc_block_info_t *b) { return b->line && b->line < UINT32_MAX - LONGEST_BLOCK; }

static uint32_t block_end(const pfc_block_info_t *b)
{
    const uint32_t most = b->line + LONGEST_BLOCK;
    return b->line_end < b->line ? b->line : b->line_end < most ? b->line_end : most;
}

static int by_end(const void *a, const void *b)
{
    const pfc_gap_info_t *x = (const pfc_gap_info_t *)a, *y = (const pfc_gap_info_t *)b;
    ORDER(x->file, y->file);
    ORDER(x->line_end, y->line_end);
    return 0;
}

static gaps_t gaps_sorted(const pfc_profile_t *p, const pfc_unit_info_t *u)
{
    gaps_t gaps;
    gaps.n = (size_t)u->gaps;
    gaps.gap = (pfc_gap_info_t *)must(calloc(gaps.n + 1, sizeof *gaps.gap));
    if (gaps.n) memcpy(gaps.gap, p->gap + u->gap, gaps.n * sizeof *gaps.gap);
    qsort(gaps.gap, gaps.n, sizeof *gaps.gap, by_end);
    return gaps;
}

/* The last line of the gap that `line` is in, else 0. */
static uint32_t gap_end(const gaps_t *gaps, uint32_t file, uint32_t line)
{
    size_t low = 0, high = gaps->n, middle;
    pfc_gap_info_t here;
    here.file = file;
    here.line = here.line_end = line;
    while (low < high) {
        middle = low + (high - low) / 2;
        if (by_end(&gaps->gap[middle], &here) < 0) low = middle + 1;
        else high = middle;
    }
    return low < gaps->n && gaps->gap[low].file == file && gaps->gap[low].line <= line ? gaps->gap[low].line_end : 0;
}

/* The lines of code up to `end` where no block begins belong to the innermost block around them. */
static size_t spots_between(spots_t *spots, size_t source, const gaps_t *gaps, const pfc_block_info_t **open, size_t depth,
                            uint32_t line, uint32_t end)
{
    for (; line < end; line++) {
        uint32_t empty;
        while (depth && block_end(open[depth - 1]) < line) depth--;
        if (!depth) break;
        empty = gap_end(gaps, open[depth - 1]->file, line);
        if (empty >= end) break;
        if (empty) line = empty;
        else spots_add(spots, source, line, open[depth - 1]);
    }
    return depth;
}

/* A function's end is no code: beside a block in its line it tells nothing, as of `return x; }` behind another return. */
static const pfc_block_info_t *more_frequent(const pfc_block_info_t *a, const pfc_block_info_t *b)
{
    if ((a->kind == PFC__BLOCK_EXIT) != (b->kind == PFC__BLOCK_EXIT)) return a->kind == PFC__BLOCK_EXIT ? b : a;
    return a->high == UINT64_MAX || (b->high != UINT64_MAX && a->high >= b->high) ? a : b;
}

/* Blocks of one function in one file, sorted. Of those that begin in one line, and
   the one that leads to them and ends there, or has code before them, the most frequent one counts. */
static void spots_of_function(spots_t *spots, size_t source, const gaps_t *gaps, const pfc_block_info_t *const *block, size_t n,
                              const pfc_block_info_t **open)
{
    size_t i, next, depth = 0;
    for (i = 0; i < n; i = next) {
        const pfc_block_info_t *most = block[i];
        uint32_t line = most->line;
        while (depth && block_end(open[depth - 1]) < line) depth--;
        if (depth && (most->amid || block_end(open[depth - 1]) == line)) most = more_frequent(most, open[depth - 1]);
        for (next = i; next < n && block[next]->line == line; next++) {
            most = more_frequent(most, block[next]);
            open[depth++] = block[next];
        }
        spots_add(spots, source, line, most);
        depth = spots_between(spots, source, gaps, open, depth, line + 1, next < n ? block[next]->line : UINT32_MAX);
    }
}

/* The line with a function's name shows how often it was entered. */
static void spot_of_name(spots_t *spots, size_t source, const pfc_function_info_t *f, const pfc_block_info_t *entry)
{
    if (entry->kind == PFC__BLOCK_ENTRY && f->line && f->line < entry->line && f->file == entry->file) spots_add(spots, source, f->line, entry);
}

static int are_of_one_function(const pfc_block_info_t *a, const pfc_block_info_t *b)
{
    return a->file == b->file && a->function == b->function;
}

/* Function by function: a unit may include a file twice, and then one line is in several, whose counts are added up. */
static void spots_of_unit(spots_t *spots, const pfc_profile_t *p, const pfc_unit_info_t *u, const size_t *source_of)
{
    const pfc_block_info_t **sorted = (const pfc_block_info_t **)must(calloc((size_t)u->blocks + 1, sizeof *sorted));
    const pfc_block_info_t **open = (const pfc_block_info_t **)must(calloc((size_t)u->blocks + 1, sizeof *open));
    gaps_t gaps = gaps_sorted(p, u);
    size_t i, n = 0, next;
    for (i = 0; i < u->blocks; i++) {
        const pfc_block_info_t *b = &p->block[u->block + i];
        if (has_line(b)) sorted[n++] = b;
        spot_of_name(spots, source_of[b->file], &p->function[b->function], b);
    }
    qsort(sorted, n, sizeof *sorted, by_place);
    for (i = 0; i < n; i = next) {
        for (next = i; next < n && are_of_one_function(sorted[i], sorted[next]);) next++;
        spots_of_function(spots, source_of[sorted[i]->file], &gaps, sorted + i, next - i, open);
    }
    free(sorted);
    free(open);
    free(gaps.gap);
}

/* ---- places of sources */

/* a/../include/h.h and b/../include/h.h are one file. Other links stay as they were written. */
static char *without_detours(char *path)
{
    char *whole = strstr(path, "/../") || strstr(path, "/./") ? realpath(path, 0) : 0;
    if (!whole) return path;
    free(path);
    return whole;
}

static char *path_of(const char *directory, const char *given, const char *name)
{
    char *path = 0;
    const char *base = given ? given : directory;
    if (*name == '/' || !*base) path = strdup(name);
    else if (asprintf(&path, "%s/%s", base, name) < 0) path = 0;
    return without_detours((char *)must(path));
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const place_t *)a)->path, ((const place_t *)b)->path);
}

static void sources_list(sources_t *sources, place_t *place, size_t n)
{
    size_t i;
    qsort(place, n, sizeof *place, by_path);
    sources->source = (source_t *)must(calloc(n + 1, sizeof *sources->source));
    for (i = 0; i < n; i++) {
        if (i == 0 || by_path(&place[i - 1], &place[i])) {
            source_t *s = &sources->source[sources->n++];
            s->path = (char *)must(strdup(place[i].path));
            s->name = place[i].name;
            s->compiled_before_ns = place[i].begin;
        }
        place[i].source = sources->n - 1;
        if (place[i].begin < sources->source[sources->n - 1].compiled_before_ns)
            sources->source[sources->n - 1].compiled_before_ns = place[i].begin;
    }
}

/* ---- sums */

static void lines_sum(sources_t *sources, spots_t *spots)
{
    size_t i;
    spots_sum(spots);
    for (i = 0; i < spots->n; i++) sources->source[spots->spot[i].source].lines++;
    for (i = 0; i < sources->n; i++) {
        sources->source[i].line = (line_count_t *)must(calloc(sources->source[i].lines + 1, sizeof(line_count_t)));
        sources->source[i].lines = 0;
    }
    for (i = 0; i < spots->n; i++) {
        const spot_t *s = &spots->spot[i];
        source_t *source = &sources->source[s->source];
        source->line[source->lines++] = (line_count_t){ s->line, s->low, s->high };
    }
}

static int by_name(const void *a, const void *b)
{
    const function_count_t *x = (const function_count_t *)a, *y = (const function_count_t *)b;
    ORDER(x->line, y->line);
    return strcmp(x->name, y->name);
}

static void function_add(source_t *s, const pfc_function_info_t *f, const pfc_block_info_t *entry)
{
    function_count_t *added;
    if ((s->functions & (s->functions - 1)) == 0)
        s->function = (function_count_t *)must(realloc(s->function, (s->functions ? 2 * s->functions : 1) * sizeof *s->function));
    added = &s->function[s->functions++];
    added->name = f->name;
    added->line = f->line;
    added->low = entry->low;
    added->high = entry->high;
}

static void functions_sum(source_t *s)
{
    size_t i, n = 0;
    if (s->functions) qsort(s->function, s->functions, sizeof *s->function, by_name);
    for (i = 0; i < s->functions; i++) {
        if (n && !by_name(&s->function[n - 1], &s->function[i]))
            counts_add(&s->function[n - 1].low, &s->function[n - 1].high, s->function[i].low, s->function[i].high);
        else s->function[n++] = s->function[i];
    }
    s->functions = n;
}

static void functions_of(sources_t *sources, const pfc_profile_t *p, const size_t *source_of)
{
    size_t i;
    for (i = 0; i < p->blocks; i++)
        if (p->block[i].kind == PFC__BLOCK_ENTRY) {
            const pfc_function_info_t *f = &p->function[p->block[i].function];
            function_add(&sources->source[source_of[f->file]], f, &p->block[i]);
        }
}

/* Once, in however many profiles it is. */
static void untouched_add(source_t *s, const pfc_function_info_t *f)
{
    size_t i;
    for (i = 0; i < s->untouched_n; i++)
        if (s->untouched[i]->line == f->line && s->untouched[i]->line_end == f->line_end) return;
    s->untouched = (const pfc_function_info_t **)must(realloc(s->untouched, (s->untouched_n + 1) * sizeof *s->untouched));
    s->untouched[s->untouched_n++] = f;
}

static void untouched_of(sources_t *sources, const pfc_profile_t *p, const size_t *source_of)
{
    size_t i;
    for (i = 0; i < p->functions; i++)
        if (p->function[i].flags & PFC__UNTOUCHED) untouched_add(&sources->source[source_of[p->function[i].file]], &p->function[i]);
}

/* All sources of all profiles; source_of[profile][its source]: which one it is. */
static void sources_find(sources_t *sources, const profiles_t *profiles, const char *directory, size_t **source_of)
{
    size_t k, i, n = 0;
    place_t *place;
    for (k = 0; k < profiles->n; k++) n += profiles->p[k]->sources;
    place = (place_t *)must(calloc(n + 1, sizeof *place));
    for (n = 0, k = 0; k < profiles->n; k++) {
        const pfc_profile_t *p = profiles->p[k];
        source_of[k] = (size_t *)must(calloc((size_t)p->sources + 1, sizeof **source_of));
        for (i = 0; i < p->sources; i++, n++) {
            const char *compiled = p->unit[p->source[i].unit].directory;
            place[n].path = path_of(*compiled ? compiled : p->directory, directory, p->source[i].name);
            place[n].name = p->source[i].name;
            place[n].begin = p->begin_utc_ns;
            place[n].profile = k;
            place[n].index = i;
        }
    }
    sources_list(sources, place, n);
    for (i = 0; i < n; i++) {
        source_of[place[i].profile][place[i].index] = place[i].source;
        free(place[i].path);
    }
    free(place);
}

int sources_count(sources_t *sources, const profiles_t *profiles, const char *directory)
{
    size_t k, i, **source_of = (size_t **)must(calloc(profiles->n + 1, sizeof *source_of));
    spots_t spots;
    memset(sources, 0, sizeof *sources);
    memset(&spots, 0, sizeof spots);
    sources_find(sources, profiles, directory, source_of);
    for (k = 0; k < profiles->n; k++) {
        const pfc_profile_t *p = profiles->p[k];
        for (i = 0; i < p->units; i++) spots_of_unit(&spots, p, &p->unit[i], source_of[k]);
        functions_of(sources, p, source_of[k]);
        untouched_of(sources, p, source_of[k]);
        free(source_of[k]);
    }
    free(source_of);
    lines_sum(sources, &spots);
    for (i = 0; i < sources->n; i++) functions_sum(&sources->source[i]);
    free(spots.spot);
    if (!spots.too_many) return 0;
    say(0, "more lines than any program has; the profile's tables are damaged, compile anew");
    return BAD_INPUT;
}

void sources_free(sources_t *sources)
{
    size_t i;
    for (i = 0; i < sources->n; i++) {
        free(sources->source[i].path);
        free(sources->source[i].line);
        free(sources->source[i].function);
        free(sources->source[i].untouched);
    }
    free(sources->source);
}
