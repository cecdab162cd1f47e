#include "part.h"

#include <math.h>
#include <stdlib.h>

static const double outside = -10, inside = 20;

int part_new(struct part *p, int rank, int size, int rows, int columns)
{
    p->rank = rank;
    p->size = size;
    p->first = (int)((long)rows * rank / size);
    p->rows = (int)((long)rows * (rank + 1) / size) - p->first;
    p->columns = columns;
    size_t rows_kept = (size_t)p->rows + 2, cells = rows_kept * (size_t)columns;
    p->celsius = malloc(cells * sizeof *p->celsius);
    p->next = malloc(cells * sizeof *p->next);
    p->conductivity = malloc(cells * sizeof *p->conductivity);
    p->material = malloc(rows_kept * sizeof *p->material);
    if (!p->celsius || !p->next || !p->conductivity || !p->material) return 0;
    for (int i = 0; i < p->rows + 2; i++) {
        p->material[i] = p->first + i - 1 < rows / 2 ? WOOL : CONCRETE;
        for (int j = 0; j < columns; j++) {
            size_t at = (size_t)i * (size_t)columns + (size_t)j;
            p->celsius[at] = p->next[at] = outside + (inside - outside) * j / (columns - 1);
        }
    }
    return 1;
}

void part_free(struct part *p)
{
    free(p->celsius);
    free(p->next);
    free(p->conductivity);
    free(p->material);
}

static void conductivities(struct part *p)
{
    for (int i = 0; i < p->rows + 2; i++)
        for (int j = 0; j < p->columns; j++) {
            size_t at = (size_t)i * (size_t)p->columns + (size_t)j;
            enum material here = j < p->columns / 20 || j >= p->columns - p->columns / 20 ? CONCRETE : p->material[i];
            p->conductivity[at] = conductivity(here, p->celsius[at]);
        }
}

/* Between two cells, the harmonic mean of their conductivities holds. */
static double flow(double k, double there_k, double there)
{
    return 2 * k * there_k / (k + there_k) * there;
}

static double row_step(struct part *p, int i)
{
    const int n = p->columns;
    const double *t = p->celsius + (size_t)i * (size_t)n, *k = p->conductivity + (size_t)i * (size_t)n;
    double *next = p->next + (size_t)i * (size_t)n, change = 0;
    for (int j = 1; j < n - 1; j++) {
        double sum = flow(k[j], k[j - 1], t[j - 1]) + flow(k[j], k[j + 1], t[j + 1]) + flow(k[j], k[j - n], t[j - n]) +
                     flow(k[j], k[j + n], t[j + n]);
        double weights = flow(k[j], k[j - 1], 1) + flow(k[j], k[j + 1], 1) + flow(k[j], k[j - n], 1) + flow(k[j], k[j + n], 1);
        next[j] = sum / weights;
        change = fmax(change, fabs(next[j] - t[j]));
    }
    return change;
}

double part_step(struct part *p)
{
    double change = 0, *old = p->celsius;
    /* The wall ends above its first row and below its last one: no heat goes there. */
    for (int j = 0; j < p->columns; j++) {
        size_t last = (size_t)p->rows * (size_t)p->columns + (size_t)j;
        if (p->rank == 0) old[j] = old[(size_t)p->columns + (size_t)j];
        if (p->rank == p->size - 1) old[last + (size_t)p->columns] = old[last];
    }
    conductivities(p);
    for (int i = 1; i <= p->rows; i++) change = fmax(change, row_step(p, i));
    p->celsius = p->next;
    p->next = old;
    return change;
}

double part_loss(const struct part *p)
{
    double loss = 0;
    for (int i = 1; i <= p->rows; i++) {
        size_t at = (size_t)i * (size_t)p->columns;
        loss += flow(p->conductivity[at], p->conductivity[at + 1], p->celsius[at + 1] - p->celsius[at]);
    }
    return loss / (inside - outside);
}
