#include <stdio.h>
#include <pthread.h>
#include <omp.h>
static double f(int i) { return i % 3 ? 1.0 : 2.0; }
double work(int n) {
  double s = 0; int c = 0;
#pragma omp parallel for reduction(+:s) default(none) shared(n)
  for (int i = 0; i < n; i++) {
    if (i & 1) s += f(i); else s -= 1;
  }
#pragma omp parallel for collapse(2) reduction(+:s)
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++)
      s += i * j;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 8; i++) { 
#pragma omp atomic
      c += 1;
    }
#pragma omp critical
    { if (c > 3) c++; }
#pragma omp barrier
#pragma omp single
    c = c > 5 ? 5 : c;
#pragma omp sections
    {
#pragma omp section
      { c = c; }
#pragma omp section
      c = c + 0;
    }
  }
  if (n > 3)
#pragma omp simd
    for (int i = 0; i < n; i++) s += 1;
  else
    s = 3;
  switch (c) {
  case 5:
#pragma GCC ivdep
    for (int i = 0; i < n; i++) s += 2;
  }
#pragma omp task
  s += 0;
#pragma omp taskwait
  return s;
}
static void *th(void *p) { long k = 0; for (long i = 0; i < 100000; i++) if (i % 7) k++; return (void *)k; }
int main(void) { pthread_t t[4]; void *r; for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, th, 0); for (int i = 0; i < 4; i++) pthread_join(t[i], &r); printf("%g\n", work(1000)); return 0; }
