/* The basic blocks of several profiles as one: equal ones summed. */
#include "cli.h"

static size_t index_of(const block_sum_t *b)
{
    return b->block->kind == PFC__BLOCK_HIT ? 0 : b->index; /* which is known by its name and place, in whichever units it stands */
}

int block_order(const void *a, const void *b)
{
    const block_sum_t *x = (const block_sum_t *)a, *y = (const block_sum_t *)b;
    int order = strcmp(x->unit->name, y->unit->name);
    if (!order) order = strcmp(x->folder, y->folder);
    if (!order) order = strcmp(x->function->name, y->function->name);
    if (!order) order = strcmp(x->source->name, y->source->name);
    if (order) return order;
    ORDER(x->block->line, y->block->line);
    ORDER(index_of(x), index_of(y));
    return 0;
}

/* Equal ones by whose time they have. */
static int compare_blocks(const void *a, const void *b)
{
    const block_sum_t *x = (const block_sum_t *)a, *y = (const block_sum_t *)b;
    int order = block_order(a, b);
    if (order) return order;
    ORDER(x->profile, y->profile);
    ORDER(x->function->region, y->function->region);
    return 0;
}

static int same_time(const block_sum_t *x, const block_sum_t *y)
{
    return x->profile == y->profile && x->function->region == y->function->region;
}

/* Of one profile only PFC_HIT's: a file that was compiled twice has its blocks twice. */
static int is_one(const block_sum_t *x, const block_sum_t *y)
{
    return !block_order(x, y) && (x->profile != y->profile || x->block->kind == PFC__BLOCK_HIT);
}

/* How much of their names all folders of a program's units have in common: where it was built. */
static size_t root_of(const pfc_profile_t *p)
{
    const char *first = "";
    size_t root = 0, same, u;
    for (u = 0; u < p->units; u++) {
        if (!*p->unit[u].directory) continue; /* PFC_HIT's have none */
        if (!*first) root = strlen(first = p->unit[u].directory);
        for (same = 0; same < root && p->unit[u].directory[same] == first[same];) same++;
        root = same;
    }
    return root;
}

static void block_fill(block_sum_t *b, const pfc_profile_t *p, size_t unit, size_t index, size_t root)
{
    b->profile = p;
    b->unit = &p->unit[unit];
    b->folder = *b->unit->directory ? b->unit->directory + root : "";
    b->index = index;
    b->block = &p->block[b->unit->block + index];
    b->function = &p->function[b->block->function];
    b->source = &p->source[b->block->file];
    b->low = b->block->low;
    b->high = b->block->high;
    b->is_timed = b->function->region != PFC_NONE;
    b->lt = b->is_timed ? p->region[b->function->region].stats.exclusive.lt : 0;
}

/* `last` has been added to it just before, or is it. */
static void block_add(block_sum_t *sum, const block_sum_t *last, const block_sum_t *part)
{
    sum->low += part->low;
    sum->high = sum->high == UINT64_MAX || part->high == UINT64_MAX ? UINT64_MAX : sum->high + part->high;
    if (!same_time(last, part)) sum->lt += part->lt, sum->is_timed |= part->is_timed;
}

block_sum_t *blocks_summed(const profiles_t *profiles, size_t *n)
{
    size_t total = 0, k, u, i, kept = 0;
    block_sum_t *all, last;
    for (k = 0; k < profiles->n; k++) total += profiles->p[k]->blocks;
    all = (block_sum_t *)must(calloc(total + 1, sizeof *all));
    *n = 0;
    for (k = 0; k < profiles->n; k++) {
        const size_t root = root_of(profiles->p[k]);
        for (u = 0; u < profiles->p[k]->units; u++)
            for (i = 0; i < profiles->p[k]->unit[u].blocks; i++) {
                block_fill(&all[*n], profiles->p[k], u, i, root);
                *n += all[*n].block->line != 0;
            }
    }
    qsort(all, *n, sizeof *all, compare_blocks);
    for (i = 0; i < *n; i++) {
        const block_sum_t this = all[i];
        if (kept && is_one(&last, &this)) block_add(&all[kept - 1], &last, &this);
        else all[kept++] = this;
        last = this;
    }
    *n = kept;
    return all;
}
