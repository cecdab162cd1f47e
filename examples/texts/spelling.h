/* Words that are spelt alike: "licence" and "license". */
#ifndef SPELLING_H
#define SPELLING_H

#include "text.h"

/* Prints all pairs of words of at least `shortest` letters that one insertion,
   deletion or substitution turns into each other; returns their number. */
int spelling_variants(const struct dictionary *d, int shortest);

#endif
