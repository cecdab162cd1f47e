"""perfcomp represent: distances, the largest set of runs that are alike, and what it says of it."""
import itertools
import json
import os
import subprocess
import unittest

import harness
from harness import Folder, SANITISED, TOP, run

# argv: how often a and b are called.
PROGRAM = """\
#include <stdlib.h>
static volatile int sink;
void a(int i) { if (i % 2) sink = i; }
void b(int i) { while (i-- > 0) sink = i; }
int main(int argc, char **argv)
{
    for (int i = atoi(argv[1]); i > 0; i--) a(i);
    for (int i = atoi(argv[2]); i > 0; i--) b(3);
    return argc > 3;
}
"""

# The largest clique of random graphs, by clique.c and by trying all sets.
CLIQUE = """\
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp_impl/tools/cli/cli.h"
void *must(void *memory) { return memory; }

static int is_clique(const unsigned char *joined, size_t n, unsigned set)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (set >> i & 1 && set >> k & 1 && !joined[i * n + k]) return 0;
    return 1;
}

int main(void)
{
    unsigned char joined[12 * 12];
    size_t member[12];
    for (unsigned round = 0; round < 300; round++) {
        size_t n = 1 + round % 12, most = 0, found;
        unsigned set, mine = 0;
        int sure;
        memset(joined, 0, sizeof joined);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < i; k++) joined[i * n + k] = joined[k * n + i] = (unsigned)rand() % 100 < round % 101;
        for (set = 0; set < 1u << n; set++)
            if ((size_t)__builtin_popcount(set) > most && is_clique(joined, n, set)) most = (size_t)__builtin_popcount(set);
        found = clique_largest(joined, n, member, &sure);
        for (size_t i = 0; i < found; i++) mine |= 1u << member[i];
        if (found != most || !sure || (size_t)__builtin_popcount(mine) != found || !is_clique(joined, n, mine)) return 1;
    }
    return 0;
}
"""

# One of which the largest clique can't be found in a lifetime: one is, after some seconds, that was as large as could be seen by then.
LARGE_CLIQUE = """\
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp_impl/tools/cli/cli.h"
void *must(void *memory) { return memory; }

int main(void)
{
    enum { N = 300 };
    static unsigned char joined[N * N];
    size_t member[N], found;
    int sure;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < i; k++) joined[i * N + k] = joined[k * N + i] = (unsigned)rand() % 100 < 90;
    found = clique_largest(joined, N, member, &sure);
    for (size_t i = 0; i < found; i++)
        for (size_t k = 0; k < i; k++)
            if (!joined[member[i] * N + member[k]]) return 1;
    return sure || found < 35;
}
"""


class Represent(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.__exit__)
        cls.folder.file("program.c", PROGRAM)
        cls.folder.build("program.c", ["gcc"], name="program")

    def runs(self, *counts):
        """The folders of as many runs."""
        folders = []
        for i, (a, b) in enumerate(counts):
            folders.append(self.folder.file(f"run{i}-{a}-{b}"))
            run([self.folder.file("program"), str(a), str(b)], cwd=self.folder.path, env={"PERFCOMP_DIR": folders[-1]})
        return folders

    def perfcomp(self, *arguments, status=0):
        return harness.perfcomp(self, *arguments, cwd=self.folder.path, status=status)

    def counts(self, folder):
        blocks = json.loads(self.perfcomp("report", "--blocks", "--json", folder))["blocks"]
        return {tuple(b[key] for key in ("function", "line", "column", "kind")): b["low"] for b in blocks}

    def test_distances(self):
        folders = self.runs((100, 10), (120, 10), (1000, 100), (100, 0))
        counts = [self.counts(folder) for folder in folders]
        for shape in [], ["--shape"]:
            found = json.loads(self.perfcomp("represent", *shape, "--json", *folders))
            self.assertEqual((found["of"], found["elements"]), ("blocks", len(counts[0])))
            for i, k in itertools.product(range(4), repeat=2):
                x, y = counts[i], counts[k]
                of_x, of_y = (1 / sum(x.values()), 1 / sum(y.values())) if shape else (1, 1)
                apart = sum(abs(x[key] * of_x - y[key] * of_y) for key in x)
                together = sum(x[key] * of_x + y[key] * of_y for key in x)
                self.assertAlmostEqual(found["runs"][i]["distances"][k], apart / together)

    def test_the_set(self):
        folders = self.runs((100, 100), (101, 100), (102, 100), (140, 100), (1000, 100), (1001, 100))
        found = json.loads(self.perfcomp("represent", "--within", "0.02", "--json", *folders))
        distances = [r["distances"] for r in found["runs"]]
        alike = [s for n in range(7) for s in itertools.combinations(range(6), n)
                 if all(distances[i][k] < 0.02 for i, k in itertools.combinations(s, 2))]
        [largest] = [s for s in alike if len(s) == max(map(len, alike))]
        self.assertEqual([i for i, r in enumerate(found["runs"]) if r["in_set"]], list(largest))
        self.assertEqual((found["typical"], found["set"], found["largest"], found["representative"]), (1, 3, True, False))
        self.assertEqual(found["diameter"], max(distances[i][k] for i, k in itertools.combinations(largest, 2)))

    def test_no_two_are_alike(self):
        """Each is a set of its own then; the first one may be the farthest from all others."""
        found = json.loads(self.perfcomp("represent", "--json", *self.runs((1, 9000), (1000, 10), (2000, 5), (4000, 1))))
        nearest = min(range(4), key=lambda i: sum(found["runs"][i]["distances"]))
        self.assertNotEqual(nearest, 0)
        self.assertEqual((found["set"], found["typical"]), (1, nearest))
        self.assertEqual([i for i, r in enumerate(found["runs"]) if r["in_set"]], [nearest])

    def test_what_it_says(self):
        folders = self.runs((100, 100), (101, 100), (102, 100), (1000, 100))
        text = self.perfcomp("represent", "--share", "75%", "--at-least", "4", *folders)
        self.assertRegex(text, r"(?m)^ +\*\* .*run1-101-100$")
        self.assertRegex(text, r"(?m)run3-1000-100  most: program\.c:3 in a, 1000 times instead of 101$")
        self.assertRegex(text, r"(?m)^representative  yes$")
        text = self.perfcomp("represent", *folders)
        self.assertRegex(text, r"(?m)^representative  no: 90 % are to be less than 0\.1 apart, and 5 runs are wanted, 1 more$")

    def test_what_it_says_of_shapes(self):
        """Twice as often, but a smaller share: the share is what is told."""
        folders = self.runs((100, 10), (100, 10), (200, 1000))
        text = self.perfcomp("represent", "--shape", *folders)
        self.assertRegex(text, r"(?m)run2-200-1000  most: program\.c:\d+ in \w+, [0-9.]+ % of all counts instead of [0-9.]+ %$")

    def test_regions_where_there_are_no_blocks(self):
        self.folder.build("program.c", ["gcc"], own=["--functions", "--smallest", "0"], name="program")
        folders = self.runs((100, 10), (300, 10))
        self.folder.build("program.c", ["gcc"], name="program")
        found = json.loads(self.perfcomp("represent", "--json", *folders))
        self.assertEqual((found["of"], found["elements"]), ("regions", 3))
        self.assertAlmostEqual(found["runs"][0]["distances"][1], 200 / (100 + 300 + 2 * 11))

    def test_one_region(self):
        self.folder.file("one.c", "int main(int count, char **word) { return !count || !word; }\n")
        self.folder.build("one.c", ["gcc"], own=["--functions", "--smallest", "0"], name="one")
        folders = [self.folder.file(name) for name in ("once", "again")]
        for folder in folders:
            run([self.folder.file("one")], cwd=self.folder.path, env={"PERFCOMP_DIR": folder})
        self.assertRegex(self.perfcomp("represent", *folders), r"^2 runs, 1 region\n")

    def test_regions_where_one_run_has_no_blocks(self):
        """The one without would be as far from the others as can be, and two of them one and the same."""
        self.folder.build("program.c", ["gcc"], own=["--functions", "--smallest", "0"], name="program")
        without = self.runs((100, 10), (300, 10))
        self.folder.build("program.c", ["gcc"], own=["--smallest", "0"], name="program")
        [folder] = self.runs((500, 10))
        self.folder.build("program.c", ["gcc"], name="program")
        found = json.loads(self.perfcomp("represent", "--json", *without, folder))
        self.assertEqual(found["of"], "regions")
        for k, a in enumerate((100, 300, 500)):
            self.assertAlmostEqual(found["runs"][0]["distances"][k], (a - 100) / (100 + a + 2 * 11))
        self.assertRegex(self.perfcomp("represent", *without, folder), r"^3 runs, 3 regions \(basic blocks: not in all runs\)\n")

    def test_built_in_two_folders(self):
        """It's one program; files of one name in two folders of it are two."""
        source = PROGRAM.replace("void a(", "static void a(").replace("void b(", "static void b(")
        folders = []
        for top in "here", "there/deeper":
            self.folder.file(f"{top}/part.c", source)
            self.folder.file(f"{top}/sub/part.c", source.replace("main", "other"))
            for place in top, f"{top}/sub":
                self.assertEqual(run([harness.CC, "gcc", "-w", "-c", "part.c"], cwd=self.folder.file(place))[0], 0)
            self.assertEqual(run([harness.CC, "gcc", "part.o", "sub/part.o", "-o", "program"], cwd=self.folder.file(top))[0], 0)
            folders.append(self.folder.file(f"{top}/profile"))
            run([self.folder.file(f"{top}/program"), "10", "3"], env={"PERFCOMP_DIR": folders[-1]})
        found = json.loads(self.perfcomp("represent", "--json", *folders))
        self.assertEqual(found["runs"][0]["distances"][1], 0)
        self.assertEqual(found["elements"], len(json.loads(self.perfcomp("report", "--blocks", "--json", folders[0]))["blocks"]))

    def test_named_twice(self):
        """Counted twice it would speak for itself."""
        a, b = self.runs((100, 100), (101, 100))
        merged = f"{a}-merged"
        self.perfcomp("merge", "-o", merged, a)
        for again in a, merged:
            self.assertRegex(self.perfcomp("represent", a, again, b), r"^2 runs, ")
            self.assertIn(f"{again}: is the run that {a} is: taken once\nperfcomp represent: name two runs",
                          self.perfcomp("represent", a, again, status=2))

    def test_refuses(self):
        [folder] = self.runs((1, 1))
        self.assertIn("name two runs", self.perfcomp("represent", folder, status=2))
        self.assertIn("holds no perfcomp", self.perfcomp("represent", folder, self.folder.path, status=1))
        for option, value in ("--within", "0"), ("--within", "1.5"), ("--within", "nan"), ("--share", "101"), ("--share", "0"), ("--at-least", "1"), ("--at-least", "2.5"):
            self.assertIn(f"{option} {value} isn't understood", self.perfcomp("represent", option, value, folder, folder, status=2))

    def test_clique(self):
        for name, text, compiler in ("clique", CLIQUE, SANITISED), ("large_clique", LARGE_CLIQUE, ["gcc", "-O1"]):
            self.folder.file(f"{name}.c", text)
            subprocess.run([*compiler, "-I", TOP, "-o", self.folder.file(name), self.folder.file(f"{name}.c"),
                            os.path.join(TOP, "perfcomp_impl/tools/cli/clique.c"), "-lm", "-lpthread"], check=True)
            subprocess.run([self.folder.file(name)], check=True, env=dict(os.environ, PERFCOMP="off"), timeout=300)


if __name__ == "__main__":
    unittest.main()
