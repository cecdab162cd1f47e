/* When regions of several profiles are one: what they are called; of functions, in which file, too. */
#include "cli.h"

int same_region(const pfc_region_info_t *x, const pfc_region_info_t *y)
{
    int function = (x->kind == PFC__FUNCTION) - (y->kind == PFC__FUNCTION), name;
    if (function) return function;
    name = strcmp(x->name, y->name);
    return name || x->kind != PFC__FUNCTION ? name : strcmp(x->file, y->file);
}
