"""Which loops' turns cost nothing to count, and what that does to placement and to what is charged."""

import os
import re
import subprocess
import unittest

from harness import HERE, READER, Folder, analyse, run
from instrument.prelude import Prelude

TEXT = """
#include <math.h>
#include <stdint.h>
typedef struct node { double value; char mark; struct node *next; } node_t;
typedef unsigned char byte;
int other(int);
double f(double *a, const double *b, int *c, char *d, byte *e, long long *g, uint64_t *h, node_t *p, int n)
{
    double s = 0;
    int i, k = 0;
    %s
    return s + k;
}
"""

SUMMED = """
for (i = 0; i < n; i++) a[i] += 2 * b[i];
for (int j = n; j > 0; --j) s += b[j];
for (i = 0; i != n; i += 2) { a[i] = fabs(b[i]); k++; }
for (i = 0; i < c[3]; i++) s += b[c[i]];
for (i = 0; i < n - 1; i++) p[i].value = p->next->value;
for (i = 0; i < n; i++) h[i] = i;
for (i = 0; i < n; i++) *a++ = *b++;
for (i = 0; i < n; i++) if (b[i] > s) s = b[i];
for (i = 0; i < (int)(sizeof(s) / sizeof (char)); i++) k += c[i];
for (i = 0; n > i; ++i) { double t = b[i]; s += t * t; }
for (i = 0; i < n; i++) if (b[i] > 3) break;
for (i = 0; i < n; i++) if (b[i] > 3) return 1;
for (i = 0; i < n; i++) if (b[i] > 3) n--;
for (i = 0; b[i] > 0; i++) k++;
for (i = 0; i < n; i *= 2) k++;
for (i = 0; i < n && k < 9; i++) k += c[i];
while (n--) k += c[n];
while (c[k] == c[k + n]) k++;
do k++; while (k < n && b[k] == a[k]);
for (;;) if (c[k++]) break;
while (p && p->value > s) p = p->next;
again: if (c[k++]) goto again;
"""

COUNTED = """
for (i = 0; i < n; i++) d[i] = 0;
for (i = 0; i < n; i++) e[i] = 0;
for (i = 0; i < n; i++) k += e[i];
for (i = 0; i < n; i++) *d++ = 1;
for (i = 0; i < n; i++) g[i] = i;
for (i = 0; i < n; i++) p[i].mark = 0;
for (i = 0; i < n; i++) k += other(i);
for (i = 0; i < other(n); i++) k++;
for (i = 0; i < n; i++) { volatile int w = i; k += w; }
while (*d) d++;
while (n--) { k += c[n]; d[n] = 0; }
do k++; while (other(k));
for (;;) if (g[k++]) break;
while (p && p->mark) p = p->next;
"""
OUTER = "for (i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i] += b[j];"


class Summed(unittest.TestCase):
    def loop(self, statement):
        """Whether any counter of it is one of a sum, and all that are passed in each turn are."""
        with Folder() as folder:
            graph, = analyse(folder.file("a.c", TEXT % statement), optimised=True).graphs
            return [bool(block.summed) for block in graph.blocks if block.counter is not None and block.weight > 1]

    def test_loops_that_reach_no_counter(self):
        for statement in SUMMED.strip().split("\n"):
            with self.subTest(statement):
                self.assertIn(True, self.loop(statement))

    def test_others(self):
        for statement in COUNTED.strip().split("\n"):
            with self.subTest(statement):
                self.assertNotIn(True, self.loop(statement))

    def test_only_of_the_innermost(self):
        self.assertEqual(sorted(self.loop(OUTER)), [False, True])

    def test_only_what_each_turn_passes(self):
        """The other counter of the loop is behind its condition, and the turns' one is preferred to both of its ways."""
        self.assertEqual(sorted(self.loop("for (i = 0; i < n; i++) if (b[i] > 0) s += b[i]; else s -= a[i];")), [False, True])

    def test_where_nothing_is_optimised(self):
        with Folder() as folder:
            graph, = analyse(folder.file("a.c", TEXT % "for (i = 0; i < n; i++) s += b[i];")).graphs
            self.assertFalse(any(block.summed for block in graph.blocks))

    def test_they_cost_little(self):
        """The same loop by a compiler that is told to optimise, or to take any store for one of a counter."""
        charged = {}
        for flags in ["-O2"], ["-O2", "-fno-strict-aliasing"], ["-O1"], ["-O3", "-O0"]:
            with self.subTest(flags), Folder() as folder:
                source = folder.file("a.c", "static double a[1000]; int main(void) { for (int k = 0; k < 1000; k++) "
                                            "for (int i = 0; i < 1000; i++) a[i] += i; return a[3] < 0; }\n")
                program = folder.build(source, ["gcc", *flags])
                subprocess.run([program], env={"PERFCOMP_DIR": folder.file(".")}, check=True)
                _, text, _ = run([READER, "report", "--json", folder.file(".")])
                charged[" ".join(flags)] = int(text.partition('"summed_hits":')[2].partition(",")[0])
        self.assertEqual(list(charged.values())[1:], [0, 0, 0])
        self.assertGreater(charged["-O2"], 900000)

    def test_as_many_as_counters(self):
        """Those of ways back from calls count, too (entries.c has one): the runtime reads one for each counter."""
        unit = analyse(os.path.join(HERE, "programs", "entries.c"), flags=["-O2"], optimised=True)
        text = unit.write(Prelude(["gcc"], []), "", "gcc", False).text
        self.assertTrue(any(way.counter is not None for graph in unit.graphs for way in graph.resumed))
        [summed] = re.findall(r"pfc__summed\[\] = \{([^}]*)\}", text)
        self.assertEqual(len(summed.split(",")), unit.result.counters)


if __name__ == "__main__":
    unittest.main()
