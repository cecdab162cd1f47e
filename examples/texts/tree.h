/* The family tree of a set of texts. */
#ifndef TREE_H
#define TREE_H

#include "text.h"

/* Likeness of two texts by their words: the cosine of their vectors of counts. */
double likeness(const int *a, const int *b, int size);

/* Joins the two most alike groups until one is left, and prints the tree. */
void tree_print(const struct text *texts, int count, int dictionary_size);

#endif
