#include <stdio.h>
#include <setjmp.h>
#include <stdlib.h>
typedef struct { int a, b; } S;
static jmp_buf jb;
static void thrower(int n) { if (n > 2) longjmp(jb, n); }
static int usesj(int n) { volatile int i = 0; int r = setjmp(jb); if (r) return r + i; for (i = 0; i < n; i++) thrower(i); return -1; }
static int duff(int n) { int c = 0, k = (n + 3) / 4; switch (n % 4) { case 0: do { c++; case 3: c++; case 2: c++; case 1: c++; } while (--k > 0); } return c; }
static int cg(const char *p) { static void *const t[] = { &&inc, &&dec, &&end }; int a = 0; goto *t[*p - '0'];
inc: a++; goto *t[*++p - '0'];
dec: a--; goto *t[*++p - '0'];
end: return a; }
static int kr(a, p) int a; char *p; { if (a) return *p; return 0; }
static int se(int x) { int y = ({ int z = x; if (z > 3) z = 3; else if (z < 0) return -7; z; }); return y && ({ x > 1 || x < -1; }); }
static int el(int x) { return x ?: 5; }
static int vla(int n) { int a[n > 3 ? n : 3]; a[0] = n; { __label__ out; if (n) goto out; a[0] = 1; out: ; } return a[0] + (int)sizeof(int[n && 1 ? 2 : 1]); }
static char *np(int c, char *p) { return c ? p : 0; }
static S st(int c) { S a = {1, 2}, b = {3, 4}; return c ? a : b; }
__attribute__((noreturn)) static void die(int c) { exit(c); }
static int nr(int x) { int r = x < 0 ? (die(4), 1) : 2; if (x > 100) die(5); else r++; return r; }
static int nested_if(int a, int b) { if (a) if (b) return 1; else return 2; else for (;;) if (b--) break; else while (a < 3) a++; return a; }
static int comma(int n) { int i, j, s = 0; for (i = 0, j = n; i < j; i++, j--) s += (i & 1, j); do ; while (s-- > 10); return s; }
static int range(int n) { switch (n) { case 1 ... 5: return 1; case 6: { int q = n; if (q) break; } default: ; } return 0; }
#define M(x) do { if (x) s++; else { s--; } } while (0)
static int mac(int n) { int s = 0; while (n--) { M(n & 1); if (n == 5) continue; M(n > 2 && s); } return s; }
static int neverend(int n) { for (;;) { if (n-- < 0) return 1; switch (n) { case 3: continue; case 4: break; default: while (1) { break; } } } }
static int gotos(int n) { int i = 0; again: i++; if (i < n) goto again; goto out; i = 100; out: return i; }
static int cond(int a, int b, int c) { if ((a && b) || !(b || c)) return 1; if (!(a || (b && c))) return 2; if (__builtin_expect(!!(a && c), 0)) return 3; return (a && b) + (b || c); }
static int boolean(unsigned f) { struct { unsigned x : 3; } b = { f & 7 }; return b.x && b.x > 2 ? b.x : -1; }
int main(int argc, char **argv) {
  int s = 0; char x[] = "hi";
  for (int i = -3; i < 9; i++) {
    s = s * 3 + usesj(i) + duff(i + 4) + kr(i, x) + se(i) + el(i) + vla(i < 1 ? 1 : i) + (np(i & 1, x) != 0) + st(i & 2).a;
    s = s * 7 + nr(i < 0 ? 0 : i) + nested_if(i, i + 2 > 0 ? i + 2 : 1) + comma(i) + range(i) + mac(i < 0 ? 0 : i) + neverend(i) + gotos(i) + cond(i & 1, i & 2, i & 4) + boolean(i);
    s += cg("00102");
  }
  printf("%d\n", s);
  if (argc > 1) nr(101);
  return s & 63;
}
