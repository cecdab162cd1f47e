/* Loops as they are in numeric codes and in codecs: which of them, and how often. See tests/bench/loops. */
#include <stdio.h>
#include <stdlib.h>

#define ALONE static __attribute__((noinline))
enum { N = 4900, ROWS = 900, SIDE = 32 };
static double a[2 * N], b[2 * N], left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];
static int column[2 * N], start[ROWS + 1];
static unsigned char byte[N];

ALONE void correlation(double *r, const double *d, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 16; j++) r[j] += d[i] * d[i + j];
}

ALONE void axpy(double *restrict y, const double *restrict x, double alpha, int n)
{
    for (int i = 0; i < n; i++) y[i] += alpha * x[i];
}

ALONE void stencil(double (*y)[98], double (*x)[98], int n)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < 97; j++) y[i][j] = .25 * (x[i - 1][j] + x[i + 1][j] + x[i][j - 1] + x[i][j + 1]);
}

ALONE void sparse(double *y, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = start[i]; k < start[i + 1]; k++) sum += b[k] * x[column[k]];
        y[i] = sum;
    }
}

ALONE double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > most) most = x[i];
    return most;
}

ALONE void matrices(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            double sum = 0;
            for (int k = 0; k < SIDE; k++) sum += left[i][k] * right[k][j];
            product[i][j] = sum;
        }
}

ALONE void vectors(double (*v)[3], double (*f)[3], int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) v[i][k] += .5 * f[i][k];
}

/* The counter is one of characters' neighbours, for all that the compiler knows. */
ALONE unsigned bytes(const unsigned char *p, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++) sum += p[i];
    return sum;
}

int main(int argc, char **argv)
{
    int which = argc > 2 ? atoi(argv[1]) : 0, times = argc > 2 ? atoi(argv[2]) : 1;
    double r[16] = { 0 }, sum = 0;
    for (int i = 0; i < 2 * N; i++) a[i] = b[i] = i % 7, column[i] = i * 37 % N;
    for (int i = 0; i < SIDE * SIDE; i++) left[i / SIDE][i % SIDE] = right[i % SIDE][i / SIDE] = a[i];
    for (int i = 0; i <= ROWS; i++) start[i] = 5 * i;
    for (int i = 0; i < N; i++) byte[i] = (unsigned char)i;
    for (int i = 0; i < times; i++)
        switch (which) {
        case 0: correlation(r, a, N); break;
        case 1: axpy(a, b, .5, N); break;
        case 2: stencil((double (*)[98])a, (double (*)[98])b, 50); break;
        case 3: sparse(a + N, a, ROWS); break;
        case 4: sum += largest(a, N); break;
        case 5: matrices(); break;
        case 6: vectors((double (*)[3])a, (double (*)[3])b, 1600); break;
        default: sum += bytes(byte, N);
        }
    printf("%g %g %g %g\n", r[3], a[5], product[3][4], sum);
    return 0;
}
