/* What texts have in common word for word, found with a suffix array. */
#ifndef PASSAGES_H
#define PASSAGES_H

#include "text.h"

/* The longest passage that a pair of texts shares. */
struct passage {
    int length; /* words */
    int where;  /* its first word in the first text */
};

/* longest: texts × texts elements, row-major; both halves are filled. */
void passages_longest(const struct text *texts, int count, struct passage *longest);

#endif
