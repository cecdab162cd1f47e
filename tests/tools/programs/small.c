#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
static int leaf(int a) { return a ? a + 1 : 0; }
static int sw(int n) {
  int r = 0;
  switch (n) { case 0: r = 1; break; case 1: r = 2; /* fall */ case 2: r += 3; break; default: if (n > 5) return -1; r = 9; }
  return r;
}
int work(int n)
{
  int s = 0, i;
  for (i = 0; i < n; i++) {
    if (i % 3 == 0 && i % 5 == 0)
      s += leaf(i);
    else if (i & 1 || i > 50)
      continue;
    else
      s -= sw(i % 8);
    do s++; while (s % 7 && s > 3);
    while (s > 1000) { s /= 2; if (s == 501) break; }
  }
  assert(n >= 0);
  return s > 0 ? s : (s < -10 && n) ? -s : 1;
}
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 100;
  printf("%d\n", work(n));
  if (n == 7) exit(3);
  return 0;
}
