"""Exactness: a build that counts every block against the minimal profile of the same run; the number
of counters against the rank bound; unchanged behaviour."""

import glob
import itertools
import json
import os
import random
import re
import shutil
import signal
import unittest

import counts
import harness
from harness import WAY, Folder, analyse, compilers, disagreements, rank, run
from instrument import noreturn, weights
from instrument.dominators import Dominators

PROGRAMS = os.path.join(harness.HERE, "programs")
SOURCES = os.path.join(harness.TOP, "build", "sources")


FORKING = """#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int forks = 4, armed;
static unsigned state = %d;
static jmp_buf back;
static unsigned any(unsigned n) { state = state * 1664525 + 1013904223; return (state >> 10) %% n; }
static void others(void) { while (wait(0) > 0) continue; }
static void leave(void) { others(); exit(3); }
static void become(void) { others(); execl("/bin/true", "true", (char *)0); }
static int child(void) { int p = forks-- > 0 ? fork() : -1; if (p == 0) state++; return p; }
static int last(void) { return forks-- > 0 ? fork() : -1; }
%s
int main(void) { %s for (int i = 0; i < 3; i++) f3(3); armed = 0; others(); return 3; }
"""
STATEMENTS = """
state++;
if (any(2)) { <block> } state++;
if (any(2)) { <block> } else { <block> }
for (unsigned i = any(4); i > 0; i--) { <block> }
if (d > 0 && any(3) == 0) { state++; f<0-3>(d - 1); state++; }
if (any(2)) f<0-3>(d > 0 ? d - 1 : 0); else state++;
puts("x");
if (child() == 0) { <block> }
if (forks-- > 0 && fork() == 0) { state++; <block> }
if (last() == 0) state += 3;
if (child() == 0) leave();
if (child() == 0) { state++; become(); }
if (child() == 0) { others(); execl("/bin/true", "true", (char *)0); }
if (last() == 0) { others(); _exit(3); }
others();
if (any(9) == 0) return 4;
if (any(30) == 0) leave();
if (armed && any(20) == 0) longjmp(back, 1);
""".strip().split("\n")


def forking(seed):
    """A program of functions that call one another, at random."""
    chosen = random.Random(seed)

    def block(depth=0):
        statements = (chosen.choice(STATEMENTS[:1] if depth > 3 else STATEMENTS) for _ in range(chosen.randint(1, 3)))
        text = re.sub("<block>", lambda _: block(depth + 1), " ".join(statements))
        return re.sub("<0-3>", lambda _: str(chosen.randrange(4)), text)

    ends = ["return 0;", "return last();", "others(); return 1;", "while (wait(0) > 0) continue; return forks-- > 0 ? fork() : 3;"]
    functions = ["static int f%d(int d) { if (d < 0) return 2; %s %s }" % (n, block(), chosen.choice(ends)) for n in range(4)]
    jumps = chosen.choice(["", "", "if (setjmp(back) == 0) { armed = 1; f3(2); }"])
    return FORKING % (seed, "\n".join(["static int f%d(int);" % n for n in range(4)] + functions), jumps)


class Exactness(unittest.TestCase):
    def check(self, source, compiler, flags=(), arguments=()):
        """Same behaviour with every kind of counting, and the same counts."""
        with Folder() as folder:
            plain = folder.file("plain")
            status, _, messages = run([*compiler, "-w", source, "-o", plain, *flags])
            self.assertEqual(status, 0, messages)
            expected = run([plain, *arguments])
            for own in ([], ["--exact"], ["--all-blocks"]):
                program = folder.build(source, compiler, flags, own)
                result, units = folder.execute(program, *arguments)
                self.assertEqual(result, expected, (source, compiler, own))
            minimal = analyse(source, compiler, [f for f in flags if not f.startswith("-l")], "-O2" in [*compiler, *flags])
            self.assertEqual(len(units), 1)
            self.assertEqual(disagreements(units[0], minimal), [])
            return minimal

    def test_language(self):
        """Every statement of C, Duff's device, computed goto, statement expressions, setjmp, noreturn."""
        for compiler in compilers():
            for level in ("-O0", "-O2"):
                minimal = self.check(os.path.join(PROGRAMS, "language.c"), [compiler, level])
                self.assertEqual(minimal.result.untouched, [])
        self.check(os.path.join(PROGRAMS, "language.c"), ["gcc", "-O2"], arguments=["leaves in the middle"])

    def test_small(self):
        self.check(os.path.join(PROGRAMS, "small.c"), ["gcc", "-O2"], arguments=["7"])

    def test_last_call_does_not_return(self):
        """What follows an inner branch of the last statement is counted behind it, too late for a call that exits."""
        with Folder() as folder:
            source = folder.file("a.c", "#include <stdlib.h>\nvoid leave(int a) { exit(a); }\n"
                                        "void f(int a, int b) { if (a) return; leave(a || b); }\n"
                                        "int main(void) { f(1, 0); f(0, 3); return 2; }\n")
            _, f, _ = self.check(source, ["gcc", "-O1"]).graphs
            self.assertTrue(f.interruptible)

    def test_returned_values_that_jump(self):
        """The function's end is counted before they are evaluated: another return in them is the same end; one that is left by a
        jump isn't any, and can't be counted."""
        with Folder() as folder:
            source = folder.file("a.c", """#include <stdlib.h>
#define TRY(e) ({ int r_ = (e); if (r_ < 0) return r_; r_; })
int may_exit(int a) { if (a > 1000) exit(1); return a - 3; }
int tries(int a) { if (a > 7) return TRY(may_exit(a - 9)); return TRY(may_exit(a)) + 1; }
int again(int a)
{
again:
    a--;
    if (a > 5)
        return ({ while (a < 90) if (a++ & 1) break; if (a > 7) { a -= 5; goto again; } a + (a > 6); });
    return 2;
}
int computed(int a)
{
    static void *const table[] = { &&again };
again:
    a--;
    if (a > 5) return ({ goto *table[0]; a + 1; });
    return 2;
}
int turns(int a) { for (int i = 0;; i++) return ({ switch (a) { case 1: case 5: if (i < 3) continue; else break; } i; }); }
int main(void) { int n = 0; for (int i = 0; i < 20; i++) n += tries(i) + again(i) + computed(i) + turns(i); return n & 63; }
""")
            for compiler in compilers():
                minimal = self.check(source, [compiler, "-O1"])
                self.assertEqual(minimal.result.untouched, [])
                blocked = [graph.name for graph in minimal.graphs if graph.blocks[1].blocked]
                self.assertEqual(blocked, ["again", "computed", "turns"])

    def test_statement_expressions_beside_constants(self):
        """One that the compiler decides about is taken as it is. Flow around it is conserved, and no more is counted, unless it
        may be left in the middle."""
        form = """int f(int a)
{
    for (int i = 0; i < 9; i++) {
        a += __builtin_constant_p("a") ? a & 1 : ({ int n = 0; %s n; });
        if (a > 3)
            a--;
    }
    return a;
}
int main(void) { return f(3) & 63; }
"""
        for inner, leaves in (("while (n < a) if (n++ & 8) break;", False), ("switch (a) { case 1: break; default: n = 2; }", False),
                              ("return n;", True), ("break;", True), ("switch (a) { case 1: continue; }", True)):
            with Folder() as folder, self.subTest(inner):
                f = self.check(folder.file("a.c", form % inner), ["gcc", "-O1"]).graphs[0]
                self.assertEqual(f.alone is not None, leaves)

    def test_noreturn_as_a_name(self):
        """It makes nothing a function that doesn't return unless it is an attribute of that very function."""
        with Folder() as folder:
            source = folder.file("a.c", """#include <stdlib.h>
struct at { int noreturn; } at;
static int f(int noreturn) { return noreturn & 1; }
static int g(const char *noreturn) { return noreturn[0]; }
static int h(int a) { extern void die(int) __attribute__((noreturn)); if (a > 90) die(a); return a; }
static int k(int a, void (*on_error)(int) __attribute__((noreturn))) { if (a > 90) on_error(a); return a; }
int m(void), die_too(void) __attribute__((cold)) __attribute__((__noreturn__)), n(void);
__attribute__((cold, __noreturn__)) void die(int a) { exit(a); }
extern __attribute__((__noreturn__)) void (die_alone)(int), (*d)(int);
void (die_alone)(int a) { exit(a); }
int die_too(void) { exit(1); }
int m(void) { return 1; }
int n(void) { return m(); }
int main(void)
{
    int noreturn = 0;
    for (int i = 0; i < 20; i++) {
        if (i % 3) { f(noreturn); noreturn++; }
        if (i % 4) { g("noreturn"); noreturn++; }
        if (i % 5) { at.noreturn = h(i); noreturn++; }
        if (i % 6) { k(i, die); noreturn++; }
        if (i % 7) { m(); noreturn++; }
        if (i % 8) { n(); noreturn++; }
        if (i > 50) die_too();
        if (i > 60) die_alone(i);
    }
    return noreturn;
}
""")
            minimal = self.check(source, ["gcc", "-O1"])
        self.assertEqual({name for name in noreturn.names(minimal.source.text) if name.startswith("die") or len(name) == 1},
                         {"die", "die_too", "die_alone"})

    def test_promises_to_change_nothing(self):
        """A pure function's counters change all the same, also while it calls itself; words that only look so stay."""
        with Folder() as folder:
            source = folder.file("a.c", """#include <stdio.h>
#define PURE __attribute__ ((noinline, aligned(sizeof(const int)), __pure__))
static long size(const char *s, long i) __attribute__((pure)), depth(const char *, long) PURE;
[[gnu::noinline, gnu::const]] static long half(long n) { return n > 1 ? 1 + half(n / 2) : 0; }
static long size(const char *s, long i)
{
    switch (s[i - 1]) {
    default: return 1;
    case '*': return 1 + size(s, i - 1);
    case '.': {
        long n = size(s, i - 1);
        return 1 + n + size(s, i - 1 - n);
    }
    }
}
long depth(const char *s, long i) { if (s[i - 1] == '"') return 0; return i > 1 ? 1 + depth(s, i - 1) : 0; }
int main(void)
{
    puts("__attribute__((pure)) /* [[gnu::pure]]");
    printf("%ld %ld %ld\\n", size("a*b*.", 5), depth("a*b*.", 5), half(99)); /* __attribute__((pure)) */
    return 0;
}
""")
            for compiler in compilers():
                self.check(source, [compiler, "-O2"], ["-std=gnu2x"])
            self.assertIn("/* __attribute__((pure)) */", run([os.path.join(harness.TOOLS, "perfcomp-instrument"), source])[1])

    def test_own_functions_with_names_of_the_library(self):
        """Whether these return is seen in them."""
        with Folder() as folder:
            source = folder.file("a.c", """#include <stdlib.h>
static int log(int a) { if (a == 3) exit(0); return a & 1; }
static int round(int a) { return a & 1; }
static int f(int a) { int n = 0; while (a > n) { if (a & 1) n += log(n); else n += 2; n++; } return n; }
static int g(int a) { int n = 0; while (a > n) { if (a & 1) n += round(n); else n += 2; n++; } return n; }
int main(void) { int n = 0; for (int i = 0; i < 9; i++) n += f(i) + g(i); return n; }
""")
            found = {graph.name: graph.interruptible for graph in self.check(source, ["gcc", "-O1"]).graphs}
        self.assertEqual(found, {"log": False, "round": False, "f": True, "g": False, "main": True})

    def test_pointers_with_names_of_functions(self):
        """What they point to may not return, as the function of that name does."""
        with Folder() as folder:
            source = folder.file("a.c", """#include <stdlib.h>
static int f(int a) { return a + 1; }
static int kept(int a) { return a + 1; }
static int own(int a) { return a + 1; }
static int g(int a, int (*own)(int)) { own(a); return f(a) + 1; }
static int h(int a) { int (*trunc)(int) = own; trunc(a); return f(a) + 1; }
static int k(int a) { own(a); return kept(a) + 1; }
static int leave(int a) { if (a > 5) exit(3); return 1; }
int main(void) { int n = 0; for (int i = 0; i < 9; i++) { n += h(i) + k(i); own(i); n += g(i, leave); } return n & 63; }
""")
            found = {graph.name for graph in self.check(source, ["gcc", "-O1"]).graphs if graph.entered_by}
        self.assertEqual(found, {"kept"})

    def test_cleanup_that_does_not_return(self):
        """No call of it stands in the function that it leaves."""
        with Folder() as folder:
            source = folder.file("a.c", """#include <stdlib.h>
static int f(int a) { return a + 1; }
static void end(int *a) { if (*a == 5) exit(3); }
static void go_on(int *a) { ++*a; }
static int g(int a) { { __attribute__((cleanup(end))) int b = a; b++; } return f(a) + 1; }
static int h(int a) { { __attribute__((__cleanup__(go_on))) int b = a; b++; } return f(a) + 1; }
int main(void) { int n = 0; for (int i = 0; i < 9; i++) n += h(i) + g(i); return n & 63; }
""")
            found = {graph.name: graph.interruptible for graph in self.check(source, ["gcc", "-O1"]).graphs}
        self.assertEqual(found, {"f": False, "end": False, "go_on": False, "g": True, "h": False, "main": True})

    def test_seldom_left(self):
        """Where what may not return is seldom called, all is known of every process: after a longjmp, an exit, a fork amid it."""
        text = """#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf back;
void fail(int code);
int element(const int *a, int i) { if (__builtin_expect(i > 9, 0)) fail(i); return a[i % 10]; }
int sum(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) { if (__builtin_expect(i == 11, 0)) { fail(n); s++; } s += a[i % 10]; if (i & 1) continue; s ^= i; }
    if (__builtin_expect(s == 1, 0)) fail(s);
    return s + element(a, n);
}
int tried(const int *a, int n) { if (setjmp(back)) return -1; return sum(a, n); }
void fail(int code)
{
    if (code == 12) longjmp(back, 1);
    if (code == 13 && fork()) wait(0);
    if (code == 15) exit(5);
}
int main(void)
{
    int a[10] = {1, 2, 3}, s = 0;
    for (int i = 0; i < 20; i++) s += tried(a, i);
    return s & 1;
}
"""
        with Folder() as folder:
            source, found = folder.file("a.c", text), []
            opened = [graph for graph in analyse(source).graphs if graph.resumed]
            self.assertEqual([graph.name for graph in opened], ["element", "sum", "fail"])
            self.assertFalse(any(graph.interruptible for graph in opened))
            for own in [], ["--all-blocks"]:
                (status, _, _), _ = folder.execute(folder.build(source, ["gcc", "-O1"], (), own))
                self.assertEqual(status, 5)
                profiles = glob.glob(folder.file("profile/perfcomp.0.*pfc"))
                found.append(sorted(sorted((place, same) for place, same in harness.reported(profile).items()
                                           if place[3] in ("element", "sum", "fail")) for profile in profiles))
        self.assertEqual(len(found[0]), 4)     # processes
        for minimal, full in zip(*found):
            self.assertEqual([(place, [counts[:2] for counts in same]) for place, same in minimal],
                             [(place, [(truth, truth) for truth, _, _ in same]) for place, same in full])

    def test_threads(self):
        for compiler, flag in (("gcc", "-fopenmp"), ("gcc", "-pthread")):
            self.check(os.path.join(PROGRAMS, "parallel.c"), [compiler, "-O2", "-Wno-unknown-pragmas"], [flag])

    def test_threads_that_wait_at_the_end(self):
        """They are in no function that always returns: its counts are known."""
        text = """#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int wanted, done;
static double f(int n) { double s = 0; for (int i = 0; i < n; i++) { if (i % 3) s += i; else s -= 1; } return s; }
static double f50(void) { double s = 0; for (int i = 0; i < 50; i++) s += f(100); return s; }
static void *work(void *none)
{
    pthread_mutex_lock(&mutex);
    if (!wanted) pthread_cond_wait(&change, &mutex);
    pthread_mutex_unlock(&mutex);
    done = f50() > 0;
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&change);
    pthread_cond_wait(&change, &mutex);
    return none;
}
int main(void)
{
#ifdef _OPENMP
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 50; i++) f(100);
#else
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    wanted = 1;
    pthread_cond_broadcast(&change);
    while (!done) pthread_cond_wait(&change, &mutex);
#endif
    return 0;
}
"""
        for flag in "-fopenmp", "-pthread":
            with Folder() as folder, self.subTest(flag=flag):
                program = folder.build(folder.file("a.c", text), ["gcc", "-O1", flag])
                self.assertEqual(run([program], cwd=folder.path, env={"PERFCOMP_DIR": folder.path}), (0, "", ""))
                ran = [same[0][:2] for place, same in harness.reported(folder.file("perfcomp.0.pfc")).items() if place[3] == "f"]
                self.assertIn((5000, 5000), ran)
                self.assertEqual([low for low, high in ran if low != high], [])

    def test_openmp_directives_that_stand_for_themselves(self):
        """What comes behind one isn't counted where it has left the region; and may have directives inside."""
        text = """static int f(int a) { return a + 1; }
static int g(int a) { return a + 1; }
int main(void)
{
    int s = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
        for (int j = 0; j < 3; j++) {
#pragma omp for
            for (int i = 0; i < 9; i++) {
                f(i);
#pragma omp cancel for if (i < 40)
                g(i);
            }
#pragma omp atomic
            s++;
        }
    }
    return s != 6;
}
"""
        with Folder() as folder:
            source = folder.file("a.c", text)
            self.check(source, ["gcc", "-O1"], ["-fopenmp"])
            program = folder.build(source, ["gcc", "-O1", "-fopenmp"])
            status, _, messages = run([program], cwd=folder.path, env={"OMP_CANCELLATION": "true", "PERFCOMP_DIR": folder.path})
            self.assertEqual((status, messages), (0, ""))
            ran = {place[3]: same[0][:2] for place, same in harness.reported(folder.file("perfcomp.0.pfc")).items() if place[4] == counts.ENTRY}
            self.assertGreaterEqual(ran["f"][1], 6)
            self.assertEqual(ran["g"], (0, 0))

    def test_loops_whose_turns_are_said_to_be_independent(self):
        """The compiler may make vectors of them, but not of what they count."""
        for directive in "omp simd", "clang loop vectorize(assume_safety)", "omp parallel for schedule(guided)":
            text = f"""static int a[1000], b[1000];
int main(void)
{{
    for (int i = 0; i < 1000; i++) a[i] = i % 20;
#pragma {directive}
    for (int i = 0; i < 1000; i++)
        if (a[i] > 10) b[i] = a[i] * 2;
#pragma {directive}
    for (int i = 0; i < 1000; i++) {{
        if (a[i] > 10)
            b[i] = a[i] * 2;
    }}
    return b[19] != 38;
}}
"""
            for compiler in compilers():
                flag = "-fopenmp" if "parallel" in directive and compiler == "gcc" else "-fopenmp-simd"
                with Folder() as folder, self.subTest((directive, compiler)):
                    program = folder.build(folder.file("a.c", text), [compiler, "-O3", flag])
                    self.assertEqual(folder.execute(program)[0], (0, "", ""))
                    found = harness.reported(folder.file("profile/perfcomp.0.pfc"))
                    self.assertEqual([(place[1], low, high) for place, same in sorted(found.items()) for low, high, _ in same if low == 450],
                                     [(7, 450, 450), (11, 450, 450)])

    def test_openmp_that_is_not_asked_for(self):
        """Its statements, with braces and without, are counted as others are: what a loop repeats stays in it."""
        with Folder() as folder:
            for directive in "parallel for reduction(+:s)", "simd", "parallel for collapse(2)":
                inner = "for (int j = 0; j < 3; j++) " if "collapse" in directive else ""
                source = folder.file("a.c", f"""#include <stdio.h>
int main(void)
{{
    int i, s = 0;
#pragma omp {directive}
    for (i = 0; i < 10; i++) {inner}
        s += i;
#pragma omp {directive}
    for (int i = 0; i < 10; i++) {inner}
        s += i ? i : 1;
#pragma omp {directive}
    for (int i = 0; i < 10; i++) {inner}{{ if (i & 1) continue; s += 2; }}
#pragma omp parallel
    s += 1;
    if (s > 9)
#pragma omp critical
        s += 5;
    printf("%d\\n", s);
    return 0;
}}
""")
                with self.subTest(directive):
                    minimal = self.check(source, ["gcc", "-O1"])
                    self.assertEqual(minimal.result.untouched, [])

    def test_openmp_bodies_without_braces(self):
        """They may have directives of their own, and be any statement: what a loop or a section repeats is counted there."""
        text = """#define TWICE for (int j = 0; j < 2; j++)
static int n[20];
static void a(int i) { __atomic_fetch_add(&n[i], 1, __ATOMIC_RELAXED); }
int main(void)
{
    int s = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for
        for (int i = 0; i < 9; i++)
#pragma omp atomic
            s += 1;
#pragma omp for
        for (int i = 0; i < 9; i++)
#pragma omp critical
            a(0);
#pragma omp for collapse(2)
        for (int i = 0; i < 9; i++)
            TWICE
#pragma omp task
            {
                a(1);
            }
#pragma omp for
        for (int i = 0; i < 9; i++)
#pragma omp parallel for num_threads(2)
            TWICE
#pragma omp task
#pragma omp critical (mine)
                a(2);
#pragma omp for ordered
        for (int i = 0; i < 9; i++)
#pragma omp ordered
            if (i & 1) a(3);
#pragma omp for
        for (int i = 0; i < 9; i++)
#pragma GCC unroll 2
            TWICE a(4);
#pragma omp for
        for (int i = 0; i < 9; i++)
            switch (i) { case 2: case 3: a(5); break; default: a(6); }
#pragma omp for
        for (int i = 0; i < 9; i++)
#pragma omp parallel sections
            {
                a(7);
#pragma omp section
#pragma omp critical
                a(8);
#pragma omp section
#pragma omp parallel for
                for (int j = 0; j < 2; j++) a(9);
#pragma omp section
                { a(10); a(11); }
            }
    }
    return s != 9;
}
"""
        calls = [9, 18, 18, 4, 18, 2, 7, 9, 9, 18, 9, 9]
        for compiler in compilers():
            with Folder() as folder, self.subTest(compiler):
                source = folder.file("a.c", text)
                self.assertEqual(self.check(source, [compiler, "-O1"]).result.untouched, [])
                if compiler == "gcc":
                    self.check(source, [compiler, "-O1"], ["-fopenmp"])
                    folder.execute(folder.build(source, [compiler, "-fopenmp"]))
                    ran = {}
                    for place, same in harness.reported(folder.file("profile/perfcomp.0.pfc")).items():
                        ran.setdefault(place[1], []).extend(low for low, _, _ in same)
                    for row, line in enumerate(text.split("\n"), 1):
                        for number in re.findall(r"\ba\((\d+)\);", line):
                            self.assertIn(calls[int(number)], ran[row], line)

    def test_dialects(self):
        for standard in ("-std=c89", "-ansi", "-std=c99", "-std=gnu11", "-std=c17"):
            with Folder() as folder:
                source = folder.file("a.c", "int f(int a) { int b = 1; if (a) b = 2; return a && b; }\n"
                                            "int main(void) { return f(1) - f(0); }\n")
                self.check(source, ["gcc", standard, "-pedantic-errors"])

    def test_random_programs(self):
        """A few of those of tests/tools/corpus."""
        if not shutil.which("csmith"):
            self.skipTest("csmith isn't installed")
        status, output, messages = run([os.path.join(harness.HERE, "corpus"), "random", "--programs", "3"])
        self.assertEqual(status, 0, output + messages)

    def test_random_lines(self):
        """A few of the programs of tests/tools/lines."""
        status, output, messages = run([os.path.join(harness.HERE, "lines"), "--programs", "8", "--first", "10"])
        self.assertEqual(status, 0, output + messages)
        self.assertRegex(output, r"\n8 passed, 0 failed\n$")

    def test_entries(self):
        """Whose entries follow from their calls is told by the names; the program ends in the middle when it is told to."""
        source = os.path.join(PROGRAMS, "entries.c")
        for compiler in compilers():
            for level, argument in (("-O0", "1"), ("-O2", "1"), ("-O1", "2"), ("-O1", "3")):
                minimal = self.check(source, [compiler, level], arguments=[argument])
                static = [graph for graph in minimal.graphs if graph.function.static and graph.name not in ("calls", "known", "order")]
                self.assertEqual([graph.name for graph in static if graph.name.startswith("know_") != bool(graph.entered_by)], [])
                self.assertGreater(len(static), 40)
        status, output, messages = run([os.path.join(harness.HERE, "corpus"), "files", source])
        self.assertEqual(status, 0, output + messages)
        self.assertIn("\n1 passed", output)

    def test_entries_where_clang_decides(self):
        """Which of the functions of one name is called; and that nothing is, to find out what may be assumed."""
        text = ("static int g(int a) { return a & 1; }\n"
                "__attribute__((overloadable)) static int f(int a) { return a + 1; }\n"
                "__attribute__((overloadable)) static int f(double a) { return a < 4; }\n"
                "int main(void) { int n = 0; for (int i = 0; i < 9; i++) { n += f(i) + f(i + 1) + f(i + 0.5) + g(i);\n"
                "__builtin_assume(g(i) >= 0); } return n & 63; }\n")
        with Folder() as folder:
            if "clang" in compilers():
                self.check(folder.file("a.c", text), ["clang", "-O1"])

    def test_branches_inside_initialisers_and_beside_constants(self):
        """Of a member that is named, in a ?: b, beside an operand whose value is known, and in one whose value is known though it
        changes something: a marker in each operand, alone in its line, tells how often it ran."""
        operands = [
            "((struct s) { .b = 1, .a = x & 1 ? (@ 1) : g(x) }).a", "((struct s) { .a = x & 1 && (@ g(x)), .b = (@ 1) }).a",
            "(x & 1 ?: (@ g(x)))", "(g(x & 1 && (@ 1)) ?: (@ 0))", "((x & 1 && (@ x & 2)) || 0)", "((x & 1 || (@ g(x))) && 1)",
            "(x & 1 && (@ 1))", "((x & 2 ? (@ 0) : 5) ?: 1)", "(g(x & 1 && (@ g(x))) ?: (@ g(x)))",
            "(({ if (g(x)) x += (@ 2); x & 4; }) ?: (@ g(x)))", "((x & 1 ? (@ g(x)) : (@ x)) ?: (@ g(x) + g(x)))",
        ]
        text = "".join(f"void f{n}(int x) {{\n{form % operand}\n}}\n" for n, (form, operand) in enumerate(itertools.product(
            ("x = %s;", "if (%s) x = 1;", "do x++; while (%s && x < 5);"), operands)))
        calls = "".join(f"f{n}(i); " for n in range(text.count("void f")))
        marks = itertools.count()
        text = re.sub("@", lambda _: f"\nn[{next(marks)}]++,\n", "#include <stdio.h>\nstruct s { int a, b; };\nstatic int n[99];\n"
                      "int g(int x) { return x & 2; }\n" + text)
        text += f"int main(void) {{ for (int i = 0; i < 7; i++) {{ {calls}}} for (int i = 0; i < {next(marks)}; i++) printf(\"%d \", n[i]); return 0; }}\n"
        for compiler in compilers():
            with Folder() as folder, self.subTest(compiler):
                program = folder.build(folder.file("a.c", text), [compiler, "-O1"])
                (_, output, _), _ = folder.execute(program)
                [source] = json.loads(run([harness.READER, "annotate", "--json", folder.file("profile")])[1])["sources"]
                lines = {line["line"]: (line["low"], line["high"]) for line in source["lines"]}
                marked = [(row, line) for row, line in enumerate(text.split("\n"), 1) if line.startswith("n[")]
                self.assertEqual([(line, *lines[row]) for row, line in marked], [(line, int(n), int(n)) for (_, line), n in zip(marked, output.split())])


class Steps:
    """Programs of random functions that end amid them, after as many steps as their argument says: all counts of each."""
    LEAST = 1000                               # intervals, so that they are put to the test
    ENDS = -signal.SIGSEGV
    LINKAGE = "static ", "static "             # of each second function

    def test_every_count(self):
        with Folder() as folder:
            source = folder.file("a.c", self.HEAD + self.functions(40))
            minimal, profile = folder.file("minimal"), os.path.join(folder.file("profile"), "perfcomp.0.pfc")
            folder.execute(folder.build(source, ["gcc", "-O0"]), "1000")
            os.rename(profile, minimal)
            program = folder.build(source, ["gcc", "-O0"], own=["--all-blocks"])
            intervals = sum(self.killed(folder, program, step, profile, minimal) for step in [*range(1, 30, 4), *range(30, 2000, 60)])
            self.assertGreater(intervals, self.LEAST)

    def functions(self, number):
        generator = self.generator()
        text = "".join(self.LINKAGE[n % 2] + generator.function(n) for n in range(number))
        cases = "".join("case %d: f%d(n %% 7, n %% 3); break;\n" % (n, n) for n in range(number))
        return text + "int main(int argc, char **argv)\n{\nleft = atoi(argv[1]);\n" \
            "for (unsigned n = 0;; n = n * 5 + argc + 1) { again(9); switch (n %% %d) {\n%s} }\n}\n" % (number, cases)

    def killed(self, folder, program, step, profile, minimal):
        """Compares all counts of a run that ends at that step; returns how many are no single number."""
        (status, _, _), _ = folder.execute(program, str(step))
        self.assertEqual(status, self.ENDS)
        full = harness.reported(profile)
        counts.forget(profile, minimal)
        intervals = 0
        for place, low, high, counted, truth in harness.compared(harness.reported(profile), full):
            self.assertTrue(low <= truth <= high, (step, place, low, high, truth))
            self.assertFalse(counted and low != high)
            intervals += low != high
        return intervals


class Killed(Steps, unittest.TestCase):
    """Programs that are killed in the middle of functions which always return."""
    HEAD = """#include <stdlib.h>
static volatile int left, *volatile nowhere;
#define TICK (--left ? (void)0 : (void)*nowhere)
static int g(int a) { TICK; if (a > 1) TICK; return a - 1; }
static void h(void) { TICK; }
static int again(int a) { TICK; if (a > 0) again(a - 1); TICK; return a; }
"""

    @staticmethod
    def generator():
        return _Ticking(11)

    def test_called_before_it_is_counted(self):
        """In a macro there is no place for a counter, and the rest of the statement is counted behind it."""
        text = self.HEAD + """#define PICK(a) ((a) ? 2 : 3)
static int f(int a) { TICK; return a; }
int main(int argc, char **argv) { int n = 0; left = atoi(argv[1]); for (;;) { n++; n += PICK(n & argc) + f(n); } }
"""
        with Folder() as folder:
            folder.file("a.c", text)
            minimal, profile = folder.file("minimal"), os.path.join(folder.file("profile"), "perfcomp.0.pfc")
            for own in [], ["--all-blocks"]:
                words = [os.path.join(harness.TOOLS, "perfcomp-instrument"), "--count", *own, "a.c", "-o", "b.c"]
                self.assertEqual(run(words, cwd=folder.path)[0], 0)
                program = folder.file("program")
                run(["gcc", "-w", "-DPERFCOMP_IMPLEMENTATION", "-I", harness.TOP, "b.c", "-o", program, "-lm", "-lpthread"], cwd=folder.path)
                if not own:
                    folder.execute(program, "9")
                    os.rename(profile, minimal)
            self.killed(folder, program, 7, profile, minimal)


class Ended(Steps, unittest.TestCase):
    """Programs that call exit deep in functions that call one another, in every kind of place."""
    LEAST = 200
    ENDS = 3
    LINKAGE = "", "static "
    HEAD = """#include <stdlib.h>
static int left;
static void leave(void) { exit(3); }
#define TICK(n) void tick##n(void) { if (--left == 0) leave(); }
TICK(0) TICK(1) TICK(2) TICK(3) TICK(4) TICK(5) TICK(6) TICK(7)
static int g(int a) { if (a > 1) tick0(); return a - 1; }
void h(void) { tick1(); }
int again(int a) { if (a > 0) again(a - 1); if (a == 5) tick2(); return a; }
"""

    @staticmethod
    def generator():
        return _Calling(12)

    def test_several_places_may_be_left(self):
        """What ran behind a call has run before it, too: only how often these calls returned may be an interval."""
        unit = """#include <stdio.h>
int check(int n);
int main(int n, char **argv)
{
    int a = 0;
    (void)argv;
    if (n > 3) a = check(2);
    if (check(a)) a++;
    puts("one");
    if (n > 5) a += check(n); else a--;
    puts("two");
    while (a < 10) a += check(a + 4);
    return a;
}
"""
        with Folder() as folder:
            folder.file("other.c", "#include <stdlib.h>\nint check(int n) { if (n > 6) exit(3); return n > 1; }\n")
            folder.file("main.c", unit)
            for own in ["--all-blocks"], []:
                (status, _, _), _ = folder.execute(folder.build("main.c", ["gcc", "-O1"], ["other.c"], own))
                self.assertEqual(status, 3)
                found = harness.reported(folder.file("profile/perfcomp.0.pfc"))
                if own:
                    truly = found
        for place, low, high, _, truth in harness.compared(found, truly):
            if place[4] != counts.EXIT:
                self.assertEqual((place, low, high), (place, truth, truth))

    def test_one_place_is_left(self):
        """Of the calls that may not have returned one hasn't, as entries and exits of what the others call tell: all is known."""
        unit = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int step(int n), check(int n), finish(int n), one(void), two(int n);
static void (*volatile pointer)(void) = 0;
int main(int argc, char **argv)
{
    int n = 0;
    if (argc > 3) { puts("many"); free(strdup(argv[0])); }
    if (argc > 4) pointer();
    for (;;) {
        n += step(n);
        printf("%%d\\n", n);
        if (n %% 7 == 3) n += check(n);
        if (n > 100) %s;
        if (n %% 5 == 3) n += step(n - 1);
    }
}
"""
        other = """#include <stdlib.h>
int step(int n), check(int n), finish(int n), one(void), two(int n);
static int nothing(int n) { return n > 1000 ? check(n) : 1; }
int step(int n) { if (n > 1000) exit(1); return nothing(n); }
int check(int n) { if (n > 1000) return finish(n); n = step(n); return n + 1; }
int finish(int n) { int s = n; if (n & 1) s++; s += two(s); return s; }
int one(void) { exit(3); }
int two(int n) { if (n > 1) return one(); return 2; }
"""
        for call in "finish(n)", "n = two(n) + 1", "(n & 8192) || finish(n)":
            with Folder() as folder:
                folder.file("other.c", other)
                folder.file("main.c", unit % call)
                for own in [], ["--all-blocks"]:
                    (status, _, _), _ = folder.execute(folder.build("main.c", ["gcc", "-O1"], ["other.c"], own))
                    self.assertEqual(status, 3)
                    found = harness.reported(folder.file("profile/perfcomp.0.pfc"))
                    if not own:
                        minimal = found
                for place, low, high, _, truth in harness.compared(minimal, found):
                    if place[4] == counts.EXIT: # one that has called what didn't return as its last step may not have
                        self.assertTrue(low <= truth <= high, (place, low, high, truth))
                    else:
                        self.assertEqual((place, low, high), (place, truth, truth))

    def test_a_static_function_of_anothers_name(self):
        """Which of the two a call is of, and that this one has always returned."""
        head = "#include <stdlib.h>\nvoid fine(int n), stop(int n);\n%s void check(int n) { if (n > 5) exit(3); }\n" \
            "static void (*volatile pointer)(int) = check;\n"
        for ends, returns in ("", "static"), ("static", ""):
            with Folder() as folder:
                folder.file("a.c", head % ends + "void stop(int n) { check(n); if (n > 9) abort(); }\nint main(void) { for (int n = 0;; n++) fine(n); }\n")
                folder.file("b.c", head % returns + "static volatile int a;\n"
                            "void fine(int n) { check(0); if (n & 1) a++; else a--; stop(n); if (a > 9) a++; }\n")
                found = []
                for own in [], ["--all-blocks"]:
                    (status, _, _), _ = folder.execute(folder.build("a.c", ["gcc"], ["b.c"], own))
                    self.assertEqual(status, 3)
                    found.append(harness.reported(folder.file("profile/perfcomp.0.pfc")))
            for place, low, high, _, truth in harness.compared(*found):
                self.assertEqual((place, low, high), (place, truth, truth))

    PLACES = {                                 # what is called at last, and the other file
        "of another file, where the unit's own is weak": ("stop()", "__attribute__((weak)) void stop(void) {}", "void stop(void) { exit(3); }"),
        "inline here, but called there": ("stop()", "inline void stop(void) { exit(3); }", "void stop(void) { exit(3); }"),
        "of another name": ("stop()", "void stop(void) __asm__(\"other\");", "void stop(void) {} void other(void) { exit(3); }"),
        "made one of puts": ('printf("stop\\n")', "", "int puts(const char *s) { exit(3); }"),
        "chosen": ("n += _Generic(n, int: f(n), default: 0)", "int f(int);", "int f(int n) { if (n > 9) exit(3); return 0; }"),
        "in a type": ("n += sizeof(int[f(n)]) & 1", "int f(int);", "int f(int n) { if (n > 9) exit(3); return 1; }"),
        "in a typedef": ("typedef int A[f(n)]; A *p = 0", "int f(int);", "int f(int n) { if (n > 9) exit(3); return 1; }"),
        "for an array's length": ("for (int a[f(n)], i = 0; i < 1; i++) a[0] = i", "int f(int);", "int f(int n) { if (n > 9) exit(3); return 1; }"),
        "behind the block's counter": ("n += h((n & 1) && argc); nothing(); n += f(n)", "int f(int), h(int);",
                                       "int h(int n) { return 0; } int f(int n) { if (n > 9) exit(3); return 0; }"),
        "in a last step's operand": ("n += g(n)", "int g(int);",
                                     "static int f(int n, int m) { if (n > 9) exit(3); return m; } int g(int n) { n++; return f(n, n || n > 7); }"),
    }

    def test_which_call(self):
        """A call that is of another function than it seems to be, or stands where the tree doesn't show it, may be the last, too."""
        unit = "#include <stdio.h>\n#include <stdlib.h>\nvoid none(void); static void (*volatile nothing)(void) = none;\n%s\n" \
            "int main(int argc, char **argv) { int n = 0; for (;;) { n++; if (n %% 2) { nothing(); n += argc > 7; } else n += argc > 8;\n" \
            "if (n > 5) { %s; n += argc > 9; } } }\n"
        for name, (call, head, other) in self.PLACES.items():
            with self.subTest(name), Folder() as folder:
                folder.file("b.c", "#include <stdlib.h>\nvoid none(void) {}\n" + other)
                folder.file("a.c", unit % (head, call))
                self.last(folder, ["gcc", "-O0"], ["b.c"])

    def test_forked(self):
        """A function that goes on in a forked process and comes back is no other that doesn't."""
        other = """#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void leave(void) { exit(3); }
void lost(int n) { if (n == 0) { int p = fork(), s; if (p) { wait(&s); _exit(3); } n++; } else if (n > 1) leave(); else n++; n++; if (n > 9) leave(); }
"""
        unit = """void lost(int n), none(void);
static void (*volatile nothing)(void);
void leave(void), g(int n);
int main(int argc, char **argv) { nothing = none; lost(0); g(argc); return 0; }
void none(void) {}
void g(int n) { for (;;) { n++; if (n % 2) { nothing(); n += n > 70; } if (n > 20) { lost(n); n += n > 80; } } }
"""
        with Folder() as folder:
            folder.file("b.c", other)
            folder.file("a.c", unit)
            self.last(folder, ["gcc", "-O1"], ["b.c"])

    def test_forked_again_and_again(self):
        """Each child goes on in functions that were entered before, others than the one before it, or none."""
        text = """#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void (*volatile leave)(int) = exit;
static int child(void) { int p = fork(), s; if (p) waitpid(p, &s, 0); return !p; }
static int below(int n) { int c = child(); if (n > 3) leave(3); return c + n; }
static int above(int n) { int i, s = 0; for (i = 0; i < n; i++) { s += below(i); if (s > 50) leave(3); } return s; }
int main(int argc, char **argv) { if (child()) return 3; return above(argc + 1) + child() > 90 ? 4 : 3; }
"""
        with Folder() as folder:
            folder.file("a.c", text)
            self.last(folder, ["gcc", "-O1"], [])

    def test_lines_of_forked(self):
        """What a forked process goes on in, it has begun in a call of fork, or of what has called that; also as its last step."""
        text = """#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int also(int n)
{
    if (n > 9)
        puts("many");
    return fork();
}
static int child(int n)
{
    puts("begins");
    int p = n ? fork() : also(n);
    if (p)
        wait(0);
    return p;
}
int main(int argc, char **argv)
{
    puts("a server");
    for (int i = 0; i < 3; i++)
        if (child(i) == 0)
            return i;
    puts("ends");
    return 0;
}
"""
        runs = {6: 1, 7: 0, 8: 1, 12: 3, 15: 3, 16: 6, 20: 1, 23: 3, 24: 1}
        with Folder() as folder:
            folder.file("a.c", text)
            (status, _, _), _ = folder.execute(folder.build("a.c", ["gcc", "-O1"], []))
            self.assertEqual(status, 0)
            [source] = json.loads(run([harness.READER, "annotate", "--json", folder.file("profile")])[1])["sources"]
            lines = {line["line"]: (line["low"], line["high"]) for line in source["lines"]}
            self.assertEqual({line: lines[line] for line in runs}, {line: (n, n) for line, n in runs.items()})

    def test_random_forked(self):
        """Of programs that fork anywhere, and whose processes then go on, end, or become others."""
        exact = blocks = 0
        for seed in range(8):
            with Folder() as folder, self.subTest(seed=seed):
                folder.file("a.c", forking(seed))
                some, all_of_them = self.last(folder, ["gcc", "-O%d" % (seed % 3)], [])
                exact += some
                blocks += all_of_them
        self.assertGreater(exact, 0.8 * blocks)

    def last(self, folder, compiler, others):
        """Compares all counts of a program, and of those that it forks. How many are exact, of how many."""
        exact = blocks = 0
        minimal, profile = folder.file("minimal"), folder.file("profile/perfcomp.0.pfc")
        folder.execute(folder.build("a.c", compiler, others))
        os.rename(profile, minimal)
        (status, _, _), _ = folder.execute(folder.build("a.c", compiler, others, own=["--all-blocks"]))
        self.assertEqual(status, 3)
        for path in glob.glob(folder.file("profile/*.pfc")):
            full = harness.reported(path)
            counts.forget(path, minimal)
            for place, low, high, counted, truth in harness.compared(harness.reported(path), full):
                self.assertTrue(low <= truth <= high, (place, low, high, truth))
                exact += low == high
                blocks += 1
        return exact, blocks

    def test_damaged_tables(self):
        """Vertices that the tables haven't room for are found before calls that didn't return are sought."""
        text = "#include <stdlib.h>\nvoid f(int n) { if (n) exit(3); }\nint main(int argc, char **argv) { for (;;) { f(argc - 1); f(argc); } }\n"
        with Folder() as folder:
            folder.execute(folder.build(folder.file("a.c", text), ["gcc"]))
            profile = folder.file("profile/perfcomp.0.pfc")
            counts.aim(profile, 100000000)
            status, output, messages = run([harness.READER, "report", profile])
            self.assertEqual(status, 0, messages)
            self.assertIn("its vertices aren't numbered densely", output)

    def test_lines_that_no_source_has(self):
        """Behind the last that a number can tell, counting began anew, and took all of them for the block's: 20 s, and 1.6 GB."""
        with Folder() as folder:
            folder.execute(folder.build(folder.file("a.c", "int main(void) { return 0; }\n"), ["gcc"]))
            profile = folder.file("profile/perfcomp.0.pfc")
            for line in 0xffffffff, 0xfffffffe, 0xffffffff - 20000, 0xffffffff - 20001:
                counts.move(profile, line)
                status, output, messages = run([harness.READER, "annotate", profile], timeout=60)
                self.assertEqual((status, messages), (0, ""))
                self.assertRegex(output, r"(?m)^ +1: +1:int main")  # the function's name

    def test_last_steps_may_not_return(self):
        """Nothing stands behind them that would tell, but that what they call came back less often than it was called."""
        text = """#include <stdio.h>
#include <stdlib.h>
void error(int n) { puts("x"); if (n > 5) exit(3); }
void fatal(int n) { error(n); }
void fine(int n) { puts("fine"); if (n < 0) puts("never"); }
void calls(int n) { fine(n); }
int deep(int n) { return n > 7 ? n : deep(n + 1); }
int main(void) { int n = 0; while (1) { n++; fatal(n); calls(n); deep(n); } }
"""
        with Folder() as folder:
            source = folder.file("a.c", text)
            (status, _, _), _ = folder.execute(folder.build(source, ["gcc", "-O1"]))
            self.assertEqual(status, 3)
            found = harness.reported(folder.file("profile/perfcomp.0.pfc"))
        returns = {place[3]: counted[0][:2] for place, counted in found.items() if place[4] == counts.EXIT}
        self.assertEqual(returns, {"error": (5, 5), "fatal": (5, 6), "fine": (5, 5), "calls": (5, 5), "deep": (30, 30), "main": (0, 0)})

    def test_ends_are_no_returns(self):
        """A function's last line is as often passed as it returns, whatever leaves it otherwise."""
        text = """#include <setjmp.h>
#include <stdlib.h>
static jmp_buf back;
static volatile int s;
__attribute__((noinline)) static int f(int n) { if (n > 7) exit(3); if (n == 2) longjmp(back, 1); s++; return n; }
static void g(int n) { if (n == 9) { s--; abort(); } s += n; }
int main(void) { volatile int n = 0; setjmp(back); while (1) { n++; f(n); g(n); } }
"""
        with Folder() as folder:
            source = folder.file("a.c", text)
            for own in [], ["--exact"], ["--all-blocks"]:
                (status, _, _), _ = folder.execute(folder.build(source, ["gcc", "-O1"], (), own))
                self.assertEqual(status, 3)
                found = harness.reported(folder.file("profile/perfcomp.0.pfc"))
                returns = {place[3]: counted[0][:2] for place, counted in found.items() if place[4] == counts.EXIT}
                self.assertEqual(returns, {"f": (6, 6), "g": (6, 6), "main": (0, 0)}, own)


class Forked(unittest.TestCase):
    """A process that is forked deep in a recursion, goes back up in it, down again, and exits there."""
    TEXT = """#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int half(int a)
{
    if (a < 2)
        return 0;
    return a / 2;
}
void again(int n);
int walk(int n, int depth)
{
    int r = 3 + half(depth) - half(depth);
    if (depth)
        r = walk(n, depth - 1);
    else if (n & 1)
        r = fork() ? wait(&r) > 0 : 2;
    if (r != 2)
        r += 1 + half(1);
    else if (depth == 2) {
        walk(0, 2);
        again(n);
    }
    return r;
}
void again(int n)
{
    if (walk(n + 1, 1) && n > 4)
        exit(0);
    while (n-- > 0 && half(n) < 100)
        walk(2, 1);
    exit(0);
}
int main(int argc, char **argv) { return walk(atoi(argv[1]), atoi(argv[2])) < 0; }
"""

    def test_every_count(self):
        with Folder() as folder:
            source, minimal = folder.file("a.c", self.TEXT), folder.file("minimal")
            self.assertEqual([graph.name for graph in analyse(source).graphs if graph.entered_by], ["half"])
            parents = os.path.join(folder.file("profile"), "perfcomp.0.pfc")
            folder.execute(folder.build(source, ["gcc", "-O1"]), "0", "0")
            os.rename(parents, minimal)
            program = folder.build(source, ["gcc", "-O1"], own=["--all-blocks"])
            for arguments in (("1", "2"), ("5", "2"), ("7", "3")):
                (status, _, messages), _ = folder.execute(program, *arguments)
                self.assertEqual((status, messages), (0, ""))
                childs, = set(glob.glob(os.path.join(folder.file("profile"), "*.pfc"))) - {parents}
                for profile in (parents, childs):
                    self.compare(profile, minimal)

    def compare(self, profile, minimal):
        full = harness.reported(profile)
        counts.forget(profile, minimal)
        for place, low, high, _, truth in harness.compared(harness.reported(profile), full):
            self.assertTrue(low <= truth <= high, (place, low, high, truth))


class Lines(unittest.TestCase):
    """To which lines blocks belong."""
    TEXT = """int f(int a, int b)
{
    int n = 0;
    if (a
        && b)
        n++;
    while (n < a
           || (b ? n
                 : 0))
        n--;
    return n;
}
"""

    def test_conditions(self):
        """A piece of code ends where what is evaluated only sometimes begins; an initialisation is code."""
        with Folder() as folder:
            graph, = analyse(folder.file("a.c", self.TEXT)).graphs
        source, found = graph.source, set()
        for block in graph.blocks[2:]:
            if block.kind == WAY:
                continue
            found.add(source.lines(block.start, block.end)[1:3])
        self.assertEqual(found, {(3, 4), (5, 5), (6, 6), (7, 7), (8, 8), (9, 9), (10, 10), (11, 11)})

    def test_labels(self):
        """Labels are lines of the code behind them, also with a system's macro between, whose markers stay in
        their file; not where #line says that the code is another file's."""
        text = """#include <stdbool.h>
int f(int a)
{
    switch (a) {
    case 1:
    case 2:
    {
        bool two = a == 2;
        return two;
    }
    case 3:
        return true;
    case 4:
#line 100 "other.y"
        return 5;
    }
    return 0;
}
"""
        with Folder() as folder:
            graph, = analyse(folder.file("a.c", text)).graphs
        found = {graph.source.lines(b.start, b.end)[1:3] for b in graph.blocks[2:] if b.kind != WAY}
        self.assertEqual(found, {(4, 4), (5, 9), (11, 12), (13, 13), (100, 100), (102, 102)})


    def annotated(self, text, compiler):
        """What annotate shows of each of the lines that say how often they run."""
        with Folder() as folder:
            folder.execute(folder.build(folder.file("a.c", text), [compiler, "-O1"]))
            [source] = json.loads(run([harness.READER, "annotate", "--json", folder.file("profile")])[1])["sources"]
        counts_of = {line["line"]: (line["low"], line["high"]) for line in source["lines"]}
        return {line: counts_of.get(row) for row, line in enumerate(text.split("\n"), 1) if "runs " in line}

    def test_what_a_line_runs(self):
        """Operands that are constants, behind those that aren't; labels of null statements, and behind others; what is behind
        a _Static_assert; branches in lengths of arrays, behind sizeof, and in initialisers of what is named; a thing that is
        named twice, and a union's members, may have one alone; a jump out of a switch's value."""
        text = """int g(int a) { return a & 1; }
int f(int a, int b)
{
    if (a & 1 &&
        1)                                     /* runs 2 */
        b++;
    b += (a & 1 ||
          0)                                   /* runs 3 */
        + ((a ?:
            7) > 1);                           /* runs 1 */
    if (a == 3)
        goto second;
first: ;                                       /* runs 4 */
    {
second:                                        /* runs 5 */
        a--;
    }
    switch (a) {
    default:                                   /* runs 3 */
third:                                         /* runs 4 */
        b += 0;
        break;
    case 1:
    case 2:
        if (a == 1)
            goto third;
    }
    if (a == 2) {
        _Static_assert(sizeof(a) > 1, ")"); b += 2; /* runs 1 */
    }
    int v[1 + (a > 2 ?
               1 :                             /* runs 1 */
               g(a) + 1)],                     /* runs 4 */
        w[sizeof(a) > 1 ? 2 : 3];
    v[0] = w[0] = sizeof(a) < 2 ?
        b :                                    /* runs 0 */
        a;
    enum { RED, GREEN, ALSO = GREEN };
    int by_name[] = { [RED] = a > 1 ?
            g(a) :                             /* runs 2 */
            4, [GREEN] = 2 };                  /* runs 3 */
    int twice[] = { [GREEN] = a > 1 ? 2 : 3, [ALSO] = a > 1 };
    union { int one, other; } u = { .one = a > 1 ? 2 : 3, .other = a > 1 };
    struct { int one, other; } s = { .other = a > 1 ?
            2 :                                /* runs 2 */
            g(a), .one = a };                  /* runs 3 */
    switch (({
        if (a > 2)                             /* runs 5 */
            goto out;
        a; }) && b) {
    }
out:
    return (v[0] + by_name[0] + twice[0] + u.one + s.one) * 0 + (g(a) | (b & 1 &&
            (a & 1 &&
             (1 || b))));                      /* runs 2 */
}
int main(void)
{
    int n = 0;
    for (int i = 0; i < 5; i++) n += f(i, i / 2);
    return n & 1;
}
"""
        for compiler in compilers():
            for line, counts_of in self.annotated(text, compiler).items():
                with self.subTest(compiler=compiler, line=line):
                    self.assertEqual(counts_of, (int(line.split("runs")[1].split()[0]),) * 2)


class Placement(unittest.TestCase):
    def test_ways(self):
        """Where conditions are rarely false that is counted: a loop of several conditions has one counter in it."""
        with Folder() as folder:
            unit = analyse(folder.file("w.c", """
int same(const char *a, const char *b, int n)
{
    int i = 0;
    while (i < n && a[i] == b[i] && a[i] && b[i] != '\\n') i++;
    return i;
}
"""))
        counted = [depth for block, depth in zip(unit.graphs[0].blocks, unit.shapes[0].depth) if block.counter is not None]
        self.assertEqual((counted.count(0), counted.count(1)), (4, 1))

    def test_unlikely(self):
        """What __builtin_expect calls unlikely gets the counter."""
        text = "int f(int a) { if (__builtin_expect(a > 1, %d)) a = 7; else a = 9; return a; }\n"
        for expected, counted in ((0, "a = 7"), (1, "a = 9")):
            with Folder() as folder:
                graph, = analyse(folder.file("u.c", text % expected)).graphs
            found = [graph.source.text[b.start:b.end] for b in graph.blocks if b.counter is not None]
            self.assertIn(counted, found)
            self.assertEqual(len(found), 2)

    def check(self, unit):
        self.assertEqual(unit.result.untouched, [])
        for graph, shape in zip(unit.graphs, unit.shapes):
            counters = sum(block.counter is not None for block in graph.edges)
            if 1 in shape.order:
                self.assertEqual(counters, rank(graph, shape), graph.name)
            else:                              # the exit can't be reached, and is counted all the same
                self.assertLessEqual(counters - rank(graph, shape), 1, graph.name)
        return len(unit.graphs)

    def test_generated(self):
        """1,000 random functions."""
        generator = _Generator(7)
        with Folder() as folder:
            text = "int g(int), h(void);\n" + "\n".join(generator.function(i) for i in range(1000))
            self.assertEqual(self.check(analyse(folder.file("g.c", text))), 1000)

    def test_real(self):
        """The functions of the real programs that are at hand."""
        files = glob.glob(os.path.join(SOURCES, "*", "**", "*.c"), recursive=True)
        if not files:
            self.skipTest("no sources in build/sources")
        number = 0
        for path in sorted(files)[:150]:
            try:
                unit = analyse(path, flags=["-I", os.path.dirname(path)])
            except AssertionError:             # wants headers that a configure run makes
                continue
            if any("the parser says" in why for _, why in unit.result.untouched):
                continue                       # or that another file includes before it
            number += self.check(unit)
        print("functions of real programs: %d" % number)


class Dominance(unittest.TestCase):
    def test_definition(self):
        """Of small random graphs, some of whose blocks can't be reached: without a block that dominates it, control doesn't
        come to another one; of those the immediate one is dominated by the others."""
        chance = random.Random(1)
        for _ in range(1000):
            size = chance.randrange(1, 14)
            successors = [sorted({chance.randrange(size) for _ in range(chance.choice((0, 1, 1, 2, 2, 3)))}) for _ in range(size)]
            predecessors = [[n for n in range(size) if number in successors[n]] for number in range(size)]
            found = Dominators(*weights.depth_first(successors)[:2], predecessors)
            all_reached = self.reached(successors, None)
            below = {number: all_reached - self.reached(successors, number) for number in all_reached}
            for number in range(size):
                dominate = {other for other in all_reached if number in below[other]}
                self.assertEqual({other for other in range(size) if found.has(other, number)}, dominate | {number}, successors)
                immediate = found.above[number]
                if number == 0 or number not in all_reached:
                    self.assertIsNone(immediate)
                else:
                    self.assertEqual({other for other in dominate if immediate in below[other]}, dominate - {number}, successors)

    @staticmethod
    def reached(successors, without):
        seen = {0} - {without}
        work = list(seen)
        while work:
            new = set(successors[work.pop()]) - seen - {without}
            seen |= new
            work += new
        return seen


class Leaves(unittest.TestCase):
    def test_leaves(self):
        """Functions inside of which no region is entered: what untimed entries of theirs leave out would be missed otherwise."""
        leaves = {"alone": "while (n) s += n--;", "library": "while (n) s += abs(n--);", "helped": "while (n) s += tiny(n--);",
                  "built": "while (n) s += __builtin_popcount(n--);"}
        others = {"pointer": "while (n--) call(n);", "outside": "while (n--) other(n);", "timed": "while (n--) alone(n);",
                  "calledback": "while (n--) qsort(0, 0, 1, 0);", "through": "while (n--) s += shared(n);",
                  "cleaned": "while (n--) { int k __attribute__((cleanup(clean))) = n; s += k; }",
                  "assembly": 'while (n--) __asm__ volatile ("");', "throwing": "while (n--) longjmp(buffer, 1);"}
        text = "".join(f"static int {name}(int n) {{ {body} return s; }}\n" for name, body in {**leaves, **others}.items())
        with Folder() as folder:
            unit = analyse(folder.file("l.c", "#include <stdlib.h>\n#include <setjmp.h>\nstatic int s; static jmp_buf buffer; void other(int);\n"
                                       "static void (*call)(int); static int tiny(int n) { return n * 2; }\n"
                                       "int shared(int n) { return n * 2; }\nstatic void clean(int *n) { s += *n; }\n" + text))
        self.assertEqual({g.name for g in unit.graphs if g.timed and g.leaf}, set(leaves))
        self.assertEqual({g.name for g in unit.graphs if g.timed and not g.leaf}, set(others))


class _Generator:
    """Random functions with every kind of jump."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def function(self, number):
        self.labels = self.random.randrange(3)
        body = self.statements(4, False, False)
        labels = "".join("l%d: g(%d);\n" % (n, n) for n in range(self.labels))
        return "int f%d(int a, int b)\n{\n%s%sreturn a;\n}\n" % (number, body, labels)

    def statements(self, depth, loop, switch):
        return "".join(self.statement(depth, loop, switch) for _ in range(self.random.randrange(1, 4)))

    def condition(self):
        return self.random.choice(["a", "a && b", "a || g(b)", "!(a && b) || b", "a ? b : 0", "g(a)", "1", "(a && b) + 1"])

    def statement(self, depth, loop, switch):
        choices = ["a++;", "b = g(a);", "a = b && a;", "a = b ? g(1) : 2;", "h();", "{ int c = a || b; b = c; }"]
        if loop:
            choices += ["break;", "continue;", "if (a) break;", "if (b) continue;"]
        if switch:
            choices += ["break;"]
        if self.labels:
            choices += ["goto l%d;" % self.random.randrange(self.labels)]
        choices += ["return %s;" % self.condition()]
        if depth and self.random.random() < 0.7:
            inner = lambda l=loop, s=switch: "{ %s}" % self.statements(depth - 1, l, s)
            return self.random.choice([
                lambda: "if (%s) %s" % (self.condition(), inner()),
                lambda: "if (%s) %s else %s" % (self.condition(), inner(), inner()),
                lambda: "if (%s) %s else a--;" % (self.condition(), inner()),
                lambda: "while (%s) %s" % (self.condition(), inner(True)),
                lambda: "do %s while (%s);" % (inner(True), self.condition()),
                lambda: "for (a = 0; %s; a++) %s" % (self.condition(), inner(True)),
                lambda: "for (;;) %s" % inner(True),
                lambda: "switch (a) { case 1: %s case 2: case 3: %s default: %s}" % tuple(
                    self.statements(depth - 1, loop, True) for _ in range(3)),
                lambda: "switch (b) { case 1: %s break; case 2: %s}" % tuple(
                    self.statements(depth - 1, loop, True) for _ in range(2)),
            ])() + "\n"
        return self.random.choice(choices) + "\n"


class _Ticking(_Generator):
    """Every statement is a step that may be the last."""

    def statement(self, *arguments):
        return "TICK; " + super().statement(*arguments)


class _Calling(_Generator):
    """They call those before them, too."""

    def function(self, number):
        self.number = number
        return super().function(number)

    def condition(self):
        if self.number and self.random.random() < 0.3:
            return "f%d(a - 1, b)" % self.random.randrange(self.number)
        return super().condition()

    def statement(self, *arguments):
        return "tick%d(); " % self.random.randrange(8) + super().statement(*arguments)


if __name__ == "__main__":
    unittest.main()
