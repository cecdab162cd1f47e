/* Loops as they are in numeric codes and in codecs: which of them, and how often. See tests/bench/loops. */
#include <stdio.h>
#include <stdlib.h>

#define ALONE static __attribute__((noinline))
enum { N = 4900, ROWS = 900, SIDE = 32 };
static double a[2 * N], b[2 * N], left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];
static int column[2 * N], start[ROWS + 1];
static unsigned char byte[N];
static int word[2 * N + 1];
static struct link { struct link *next; int key; } chain[N];

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

/* How often these turn, nobody knows before. */
ALONE int alike(const int *w, int n)
{
    int length = 0;
    while (w[length] == w[length + n]) length++;
    return length;
}

ALONE int where(const int *w, int n, int sought)
{
    int i;
    for (i = 0; i < n; i++)
        if (w[i] == sought) break;
    return i;
}

ALONE int chained(const struct link *p, int sought)
{
    while (p && p->key != sought) p = p->next;
    return p != 0;
}

ALONE int halved(const int *w, int n, int sought)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (w[middle] < sought) low = middle + 1;
        else high = middle;
    }
    return low;
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
    for (int i = 0; i < N; i++) chain[i].key = i, chain[i].next = i < N - 1 ? &chain[i + 1] : 0;
    for (int i = 0; i <= 2 * N; i++) word[i] = i % N;
    word[2 * N] = -1;
    for (int i = 0; i < times; i++) /* what a function returns depends on i, or gcc calls it once */
        switch (which) {
        case 0: correlation(r, a, N); break;
        case 1: axpy(a, b, .5, N); break;
        case 2: stencil((double (*)[98])a, (double (*)[98])b, 50); break;
        case 3: sparse(a + N, a, ROWS); break;
        case 4: sum += largest(a + i % 9, N); break;
        case 5: matrices(); break;
        case 6: vectors((double (*)[3])a, (double (*)[3])b, 1600); break;
        case 7: sum += alike(word + i % 9, N); break;
        case 8: sum += where(word, N, N - 1 - i % 9); break;
        case 9: sum += chained(chain, N - 1 - i % 9); break;
        case 10: for (int k = 0; k < N; k++) sum += halved(word, N, k * 37 % N); break;
        default: sum += bytes(byte, N - i % 9);
        }
    printf("%g %g %g %g\n", r[3], a[5], product[3][4], sum);
    return 0;
}
