/* A rank's part of the wall: some of its rows, and a copy of the neighbours' nearest ones. */
#ifndef PART_H
#define PART_H

#include "material.h"

struct part {
    int rank, size;                 /* of the job */
    int first, rows, columns;       /* of the wall: rows first … first + rows - 1 */
    double *celsius, *next;         /* (rows + 2) × columns */
    double *conductivity;           /* the same */
    enum material *material;        /* of each row */
};

/* The upper half is wool between thin concrete, the lower half concrete. Outside −10 °C, inside 20 °C. 0: no memory. */
int part_new(struct part *p, int rank, int size, int rows, int columns);
void part_free(struct part *p);

/* One step towards the balance. Returns the greatest change. */
double part_step(struct part *p);

/* Heat that leaves to the outside, in W per m of wall and K of difference. */
double part_loss(const struct part *p);

#endif
