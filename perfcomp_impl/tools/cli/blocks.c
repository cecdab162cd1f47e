/* The basic blocks of several profiles as one: equal ones summed. */
#include "cli.h"

int same_block(const void *a, const void *b)
{
    const block_sum_t *x = (const block_sum_t *)a, *y = (const block_sum_t *)b;
    int order = strcmp(x->unit->name, y->unit->name);
    if (!order) order = strcmp(x->folder, y->folder);
    if (!order) order = strcmp(x->function->name, y->function->name);
    if (!order) order = strcmp(x->source->name, y->source->name);
    if (!order) order = (x->block->line > y->block->line) - (x->block->line < y->block->line);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* How much of their names all folders of a program's units have in common: where it was built. */
static size_t root_of(const pfc_profile_t *p)
{
    const char *first = p->units ? p->unit[0].directory : "";
    size_t root = strlen(first), same, u;
    for (u = 1; u < p->units; u++) {
        for (same = 0; same < root && p->unit[u].directory[same] == first[same];) same++;
        root = same;
    }
    return root;
}

static void block_fill(block_sum_t *b, const pfc_profile_t *p, size_t unit, size_t index, size_t root)
{
    b->profile = p;
    b->unit = &p->unit[unit];
    b->folder = b->unit->directory + root;
    b->index = index;
    b->block = &p->block[b->unit->block + index];
    b->function = &p->function[b->block->function];
    b->source = &p->source[b->block->file];
    b->low = b->block->low;
    b->high = b->block->high;
    b->lt = b->function->region == PFC_NONE ? -1 : p->region[b->function->region].stats.exclusive.lt;
}

static void block_add(block_sum_t *sum, const block_sum_t *part)
{
    sum->low += part->low;
    sum->high = sum->high == UINT64_MAX || part->high == UINT64_MAX ? UINT64_MAX : sum->high + part->high;
    if (part->lt >= 0) sum->lt = sum->lt < 0 ? part->lt : sum->lt + part->lt;
}

block_sum_t *blocks_summed(const profiles_t *profiles, size_t *n)
{
    size_t total = 0, k, u, i, kept = 0;
    block_sum_t *all;
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
    qsort(all, *n, sizeof *all, same_block);
    for (i = 0; i < *n; i++) {
        if (kept && all[kept - 1].profile != all[i].profile && !same_block(&all[kept - 1], &all[i])) block_add(&all[kept - 1], &all[i]);
        else all[kept++] = all[i];
    }
    *n = kept;
    return all;
}
