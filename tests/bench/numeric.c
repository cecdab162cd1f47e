/* Numeric loops as in simulations: a five-point stencil, a sparse matrix in conjugate
   gradients, particles in cells that attract and repel each other. Short bodies, run often:
   where a counter weighs most, and where a compiler can do most about it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { GRID = 600, SWEEPS = 1200, ROWS = 90000, SIDE = 300, ITERATIONS = 500, CELLS = 12, PER_CELL = 4 };

static double stencil(void)
{
    double (*now)[GRID] = calloc(GRID, sizeof *now), (*next)[GRID] = calloc(GRID, sizeof *next), change = 0;
    for (int i = 0; i < GRID; i++) now[0][i] = next[0][i] = sin(0.01 * i);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        change = 0;
        for (int i = 1; i < GRID - 1; i++)
            for (int j = 1; j < GRID - 1; j++) {
                next[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
                double difference = fabs(next[i][j] - now[i][j]);
                if (difference > change) change = difference;
            }
        void *old = now;
        now = next;
        next = old;
    }
    free(now);
    free(next);
    return change;
}

typedef struct matrix { int start[ROWS + 1], column[5 * ROWS]; double value[5 * ROWS]; } matrix_t;

static void poisson(matrix_t *a)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        a->start[i] = n;
        int near[] = { i - SIDE, i % SIDE ? i - 1 : -1, i, i % SIDE < SIDE - 1 ? i + 1 : -1, i + SIDE };
        for (int k = 0; k < 5; k++)
            if (near[k] >= 0 && near[k] < ROWS) {
                a->column[n] = near[k];
                a->value[n++] = near[k] == i ? 4.01 : -1;
            }
    }
    a->start[ROWS] = n;
}

static void multiply(const matrix_t *a, const double *x, double *y)
{
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++) sum += a->value[k] * x[a->column[k]];
        y[i] = sum;
    }
}

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++) sum += x[i] * y[i];
    return sum;
}

static double conjugate_gradients(void)
{
    static matrix_t a;
    static double x[ROWS], r[ROWS], p[ROWS], q[ROWS];
    poisson(&a);
    for (int i = 0; i < ROWS; i++) p[i] = r[i] = 1 + i % 7;
    double old = dot(r, r);
    for (int n = 0; n < ITERATIONS; n++) {
        multiply(&a, p, q);
        double alpha = old / dot(p, q);
        for (int i = 0; i < ROWS; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double now = dot(r, r), beta = now / old;
        for (int i = 0; i < ROWS; i++) p[i] = r[i] + beta * p[i];
        old = now;
    }
    return dot(x, x);
}

typedef struct particle { double x[3], v[3], f[3]; } particle_t;
static particle_t cell[CELLS][CELLS][CELLS][PER_CELL];

static double force(particle_t *a, particle_t *b)
{
    double d[3], r2 = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = a->x[k] - b->x[k];
        if (d[k] > CELLS / 2.0) d[k] -= CELLS;
        if (d[k] < -CELLS / 2.0) d[k] += CELLS;
        r2 += d[k] * d[k];
    }
    if (r2 > 1 || r2 < 1e-6) return 0;
    double s = 0.01 / r2, s3 = s * s * s, strength = 48 * s3 * (s3 - 0.5) / r2;
    for (int k = 0; k < 3; k++) a->f[k] += strength * d[k];
    return 2 * s3 * (s3 - 1);
}

static double neighbours(int x, int y, int z)
{
    double energy = 0;
    for (int n = 0; n < 27; n++) {
        int i = (x + n / 9 + CELLS - 1) % CELLS, j = (y + n / 3 % 3 + CELLS - 1) % CELLS, k = (z + n % 3 + CELLS - 1) % CELLS;
        for (int a = 0; a < PER_CELL; a++)
            for (int b = 0; b < PER_CELL; b++)
                if (&cell[x][y][z][a] != &cell[i][j][k][b]) energy += force(&cell[x][y][z][a], &cell[i][j][k][b]);
    }
    return energy;
}

static double particles(int steps)
{
    double energy = 0;
    for (int i = 0; i < CELLS * CELLS * CELLS * PER_CELL; i++) {
        particle_t *p = &cell[0][0][0][0] + i;
        int c = i / PER_CELL, at[3] = { c / (CELLS * CELLS), c / CELLS % CELLS, c % CELLS };
        for (int k = 0; k < 3; k++) p->x[k] = at[k] + (i * (k + 3) * 37 % 101) / 101.0;
    }
    for (int step = 0; step < steps; step++) {
        energy = 0;
        for (int c = 0; c < CELLS * CELLS * CELLS; c++) energy += neighbours(c / (CELLS * CELLS), c / CELLS % CELLS, c % CELLS);
        for (int i = 0; i < CELLS * CELLS * CELLS * PER_CELL; i++) {
            particle_t *p = &cell[0][0][0][0] + i;
            for (int k = 0; k < 3; k++) {
                p->v[k] += 1e-6 * p->f[k];
                p->x[k] += 1e-6 * p->v[k];
                p->f[k] = 0;
            }
        }
    }
    return energy;
}

/* numeric [STEPS of the particles] */
int main(int argc, char **argv)
{
    printf("%.6g %.6g %.6g\n", stencil(), conjugate_gradients(), particles(argc > 1 ? atoi(argv[1]) : 80));
    return 0;
}
