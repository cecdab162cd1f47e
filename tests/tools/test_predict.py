"""perfcomp predict: trends that are found again, and what follows from them for sizes that weren't run."""
import json
import os
import subprocess
import unittest

import harness
from harness import Folder, SANITISED, TOP, run

# argv: n. inner is called n² / 10 times, outer n times. The clock is ours, so that each run is as it should be.
PROGRAM = """\
#include <stdint.h>
static int64_t now;
#define PERFCOMP_CLOCK() now
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
static void inner(void) { PFC_FUNCTION(); now += 700; }
static void outer(int i, int n) { PFC_FUNCTION(); for (now += 300; i < n; i += 10) inner(); }
static void fixed(void) { PFC_FUNCTION(); now += 5000000; }
int main(int argc, char **argv)
{
    PFC_FUNCTION();
    int n = atoi(argv[argc - 1]);
    fixed();
    for (int i = 0; i < n; i++) outer(i % 10, n);
    return 0;
}
"""

# argv: count, parts. As many steps, each of which takes 1 ms in all its parts together.
STEPS = """\
#include <stdint.h>
static int64_t now;
#define PERFCOMP_CLOCK() now
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
static char name[50][20];
static pfc__site_t site[50];
int main(int argc, char **argv)
{
    PFC_FUNCTION();
    int n = atoi(argv[1]), parts = atoi(argv[argc - 1]);
    for (int k = 0; k < parts; k++) {
        snprintf(name[k], sizeof name[k], "part %d", k);
        site[k] = (pfc__site_t)PFC__SITE(PFC__NAMED, name[k], 1, "steps.c");
    }
    for (int i = 0; i < n; i++) {
        PFC_SCOPE("step");
        for (int k = 0; k < parts; k++) {
            pfc__token_t part = pfc__enter(&site[k]);
            now += 1000000 / parts;
            pfc__leave(&part);
        }
    }
    return 0;
}
"""

# Probes that seem to take time, and no other.
DOUBT = """\
#include <stdint.h>
static int64_t now = 1000000, step = 500;
#define PERFCOMP_CLOCK() (now += step)
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
int main(int n, char **v) { pfc_start(n, v); step = 0; for (int i = 0; i < 10; i++) { PFC_SCOPE("part"); now += 50000; } return 0; }
"""

# argv: kind, sizes, noise. Random trends, measured at so many sizes with that error: how many of 1000 are where they are said to be,
# at four times the largest; and how many are foretold to 10 %. Of kind "shared" half of the time is shared out at 16, and half of it
# rises; "power" is x^i of any i, "level" a constant.
TRENDS = """\
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp_impl/tools/cli/cli.h"
#include <math.h>
void *must(void *memory) { return memory; }
static double uniform(double from, double to) { return from + (to - from) * rand() / RAND_MAX; }

static trend_t any(void)
{
    static const double power[] = { -1, -2.0 / 3, -0.5, 0, 0.5, 1, 2 };
    trend_t t = { 0, 0, 0, 0, 0 };
    int kind = rand() % 3;
    if (kind != 1) t.constant = uniform(1, 20);
    if (kind != 0) {
        t.power = power[rand() % 7];
        t.logs = rand() % 2;
        t.factor = uniform(1, 20) / (t.power > 0 ? pow(8, t.power) : 1);
    }
    return t;
}

static trend_t shared(void)
{
    static const double power[] = { 0, 1.0 / 3, 0.5, 1 };
    trend_t t = { uniform(5, 20), 0, power[rand() % 4], 0, 0, -1 };
    t.logs = t.power > 0 ? rand() % 2 : 1;
    t.factor = uniform(0.5, 2) * t.constant / 16 / (pow(16, t.power) * pow(4, t.logs));
    return t;
}

static trend_t power(void)
{
    trend_t t = { 0, uniform(1, 20), uniform(-1.5, 2.5), 0, 0, 0 };
    return t;
}

static trend_t level(void)
{
    trend_t t = { uniform(1, 20), 0, 0, 0, 0, 0 };
    return t;
}

static trend_t one_of(const char *kind)
{
    return !strcmp(kind, "shared") ? shared() : !strcmp(kind, "power") ? power() : !strcmp(kind, "level") ? level() : any();
}

int main(int argc, char **argv)
{
    const double x[] = { 2, 4, 8, 16, 32 }, noise = atof(argv[argc - 1]);
    const int sizes = atoi(argv[2]);
    const double far = 4 * x[sizes - 1];
    double y[5], scale[5];
    int covered = 0, near = 0;
    for (int round = 0; round < 1000; round++) {
        points_t p = { x, y, scale, (size_t)sizes, 2, far, .05 };
        trend_t truth = one_of(argv[1]);
        trends_t found;
        double wanted = trend_at(&truth, far), least, most;
        for (int i = 0; i < sizes; i++) y[i] = trend_at(&truth, x[i]) * (1 + uniform(-noise, noise));
        trends_find(&found, &p);
        least = trends_least(&found, far), most = trends_most(&found, far);
        if (least > trend_at(&found.best, far) || most < trend_at(&found.best, far)) return 1;
        covered += least <= wanted * (1 + 1e-9) && most >= wanted * (1 - 1e-9);
        near += fabs(trend_at(&found.best, far) / wanted - 1) < .1;
        free(found.likely);
    }
    printf("%d %d\\n", covered, near);
    return 0;
}
"""

# What is the other way round is as far off, but the other way round.
MIRROR = """\
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp_impl/tools/cli/cli.h"
#include <math.h>
void *must(void *memory) { return memory; }

int main(void)
{
    const double x[] = { 2, 4, 8, 16, 32 };
    double y[5], turned[5], scale[5];
    for (int round = 0; round < 300; round++) {
        points_t p = { x, y, scale, 5, 2, 128, .05 }, q = { x, turned, scale, 5, 2, 128, .05 };
        trends_t found, mirrored;
        for (int i = 0; i < 5; i++) y[i] = i ? (double)(rand() % 2001) - 1000 : 1, turned[i] = -y[i];
        y[1] = -1, turned[1] = 1; /* neither of them is never below zero */
        trends_find(&found, &p);
        trends_find(&mirrored, &q);
        for (int i = 0; i < 5; i++) {
            double least = trends_least(&found, x[i]), most = trends_most(&found, x[i]);
            if (fabs(least + trends_most(&mirrored, x[i])) > 1e-6 * fabs(least) || fabs(most + trends_least(&mirrored, x[i])) > 1e-6 * fabs(most)) return 1;
        }
        free(found.likely);
        free(mirrored.likely);
    }
    return 0;
}
"""


class Predict(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.__exit__)
        cls.folder.file("program.c", PROGRAM)
        subprocess.run(["gcc", "-O1", "-I", TOP, "-o", cls.folder.file("program"), cls.folder.file("program.c"), "-lm", "-lpthread"], check=True)
        for n in 100, 200, 300, 400, 500, 1000:
            run([cls.folder.file("program"), str(n)], cwd=cls.folder.path, env={"PERFCOMP_DIR": cls.folder.file(f"of{n}")})

    def perfcomp(self, *arguments, status=0):
        return harness.perfcomp(self, "predict", *arguments, cwd=self.folder.path, status=status)

    def runs(self, *sizes):
        return [f"{n}={self.folder.file(f'of{n}')}" for n in sizes]

    def test_other_sizes_of_a_problem(self):
        """Trends that are so simple are found, and what follows from them is as it comes to be."""
        found = json.loads(self.perfcomp("--json", "--at", "1000", *self.runs(500, 100, 200, 300, 400)))
        paths = {path["name"]: path for path in found["paths"]}
        for name, factor, constant in ("outer", 1, 0), ("inner", .1, 0), ("fixed", 0, 1), ("main", 0, 1):
            trend = paths[name]["calls_for_one"]
            self.assertAlmostEqual(trend["factor"], factor, delta=1e-6, msg=name)
            self.assertAlmostEqual(trend["constant"], constant, delta=1e-6, msg=name)
            self.assertEqual((trend["power"], trend["logs"]) if factor else (0, 0), (1, 0) if factor else (0, 0))
        self.assertEqual([size["size"] for size in found["sizes"]], [100, 200, 300, 400, 500, 1000])
        self.assertEqual([("measured" in size) for size in found["sizes"]], 5 * [True] + [False])
        time = found["sizes"][-1]["time"]
        self.assertLessEqual(time["from"], time["lt"])
        self.assertLessEqual(time["lt"], time["to"])
        truth = json.loads(self.perfcomp("--json", *self.runs(100, 200, 1000)))["sizes"][2]["measured"]["lt"]
        self.assertAlmostEqual(truth, 5e6 + 1000 * 300 + 1000 * 1000 / 10 * 700, delta=1e3)
        self.assertLess(abs(time["lt"] / truth - 1), 0.01)

    def test_what_it_says(self):
        text = self.perfcomp(*self.runs(100, 200, 400))
        self.assertRegex(text, r"^3 runs of 100, 200, 400 \(sizes as given\); ")
        self.assertEqual([line.split()[0] for line in text.splitlines()[3:9]], ["100", "200", "400", "800", "1600", "3200"])
        self.assertRegex(text, r"(?m)> outer > inner: 0\.1..?P times, each [0-9.]+.* us$")
        self.assertNotRegex(text, "MPI|speedup|waits")

    def test_sizes_are_shown_as_given(self):
        sizes = [f"{n * 10000 + 1}={self.folder.file(f'of{n}')}" for n in (100, 200, 400)]
        text = self.perfcomp("--at", "123456789012", *sizes)
        self.assertRegex(text, r"^3 runs of 1000001, 2000001, 4000001 ")
        self.assertRegex(text, r"(?m)^     4000001 +\d")
        self.assertRegex(text, r"(?m)^123456789012 +\d")
        self.assertIn(" at P = 123456789012: ", text)

    def test_far_from_what_was_run(self):
        """Nobody knows what begins at larger sizes."""
        far = r"16000 is 40 times the largest size that was run \(400\)"
        self.assertRegex(self.perfcomp("--at", "1600,16000", *self.runs(100, 200, 400)), far)
        self.assertNotIn("times the largest", self.perfcomp(*self.runs(100, 200, 400)))

    def test_no_time_below_zero(self):
        """However little sense the sizes make."""
        sizes = [f"{size}={self.folder.file(f'of{n}')}" for size, n in ((1, 100), (2, 1000), (3, 500))]
        for size in json.loads(self.perfcomp("--json", *sizes))["sizes"]:
            self.assertTrue(0 <= size["time"]["from"] <= size["time"]["lt"], size["time"])

    def test_refuses(self):
        self.assertIn("name runs of three sizes", self.perfcomp(status=2))
        self.assertIn("these are runs of 2 sizes; three are needed", self.perfcomp(*self.runs(100, 200, 200), status=2))
        self.assertRegex(self.perfcomp(*self.runs(100, 200), f"400={self.folder.file('of100')}", status=2),
                         r"^perfcomp predict: 400=.*of100: is the run that 100=.*of100 is: ")
        self.assertIn("these are runs of 1 size;", self.perfcomp(*[self.folder.file(f"of{n}") for n in (100, 200, 300)], status=2))
        self.assertIn("can't be read", self.perfcomp("1=none", *self.runs(100, 200), status=1))
        for size in "0.5", "0", "nan", "1e18":
            self.assertIn("a size is a number from 1 to 1e18", self.perfcomp(f"{size}={self.folder.file('of100')}", *self.runs(100, 200), status=2))
        bare = self.folder.file("of300")
        self.assertRegex(self.perfcomp(bare, *self.runs(100, 200, 400), status=2), r"of300: a size is missing: .*/of100 has one \(100\) that")
        self.assertRegex(self.perfcomp("1=" + self.folder.file("of100"), bare, status=2), "runs of 1 size;")
        self.folder.file("other.c", "int main(void) { return 0; }\n")
        self.folder.build("other.c", ["gcc"], own=["--smallest", "0"], name="other")
        run([self.folder.file("other")], cwd=self.folder.path, env={"PERFCOMP_DIR": self.folder.file("other-run")})
        self.assertRegex(self.perfcomp(f"300={self.folder.file('other-run')}", *self.runs(100, 200), status=1),
                         r"^perfcomp predict: .*of100 and .*other-run have no call path in common: .*\n$")
        for wrong in "x", "0", "1,", "1;2", "nan", ",".join(70 * ["8"]):
            self.assertIn(f"--at {wrong} isn't understood", self.perfcomp("--at", wrong, *self.runs(100, 200, 300), status=2))

    def test_without_regions(self):
        """Then the whole time is known; but not beside runs that have some."""
        self.folder.file("sleeps.c", "#include <stdlib.h>\n#include <unistd.h>\nint main(int c, char **v) { return c > 1 && usleep(atoi(v[1])); }\n")
        self.folder.build("sleeps.c", ["gcc"], own=["--count"], name="sleeps")
        sizes = {n: self.folder.file(f"sleeps{n}") for n in (20000, 40000, 80000)}
        for n, folder in sizes.items():
            run([self.folder.file("sleeps"), str(n)], cwd=self.folder.path, env={"PERFCOMP_DIR": folder})
        found = json.loads(self.perfcomp("--json", "--at", "160000", *(f"{n}={folder}" for n, folder in sizes.items())))
        self.assertAlmostEqual(found["sizes"][-1]["time"]["lt"], 160e6, delta=20e6)
        self.assertRegex(self.perfcomp(*self.runs(100, 200), f"300={sizes[20000]}", status=1),
                         r"^perfcomp predict: 100=.*of100 has regions, but 300=.*sleeps20000 has none: give runs of one build\n$")

    def test_what_measuring_leaves_in_doubt(self):
        """Of times that are the same at all sizes nothing else is."""
        self.folder.file("doubt.c", DOUBT)
        subprocess.run(["gcc", "-O1", "-I", TOP, "-o", self.folder.file("doubt"), self.folder.file("doubt.c"), "-lm", "-lpthread"], check=True)
        names = []
        for size in 2, 4, 8:
            names.append(f"{size}={self.folder.file(f'doubt{size}')}")
            run([self.folder.file("doubt")], cwd=self.folder.path, env={"PERFCOMP_DIR": names[-1].split("=")[1]})
        *measured, foretold = json.loads(self.perfcomp("--json", "--at", "64", *names))["sizes"]
        doubt = sum(size["measured"]["u"] / size["measured"]["lt"] for size in measured) / 3
        self.assertGreater(doubt, 0.001)
        for end, factor in ("lt", 1), ("from", 1 - doubt), ("to", 1 + doubt):
            self.assertAlmostEqual(foretold["time"][end] / measured[0]["measured"]["lt"], factor, delta=1e-6, msg=end)

    def test_parts_of_one_step_are_foretold_together(self):
        """How many steps there will be is one chance, in however many parts a step's time is known."""
        self.folder.file("steps.c", STEPS)
        subprocess.run(["gcc", "-O1", "-I", TOP, "-o", self.folder.file("steps"), self.folder.file("steps.c"), "-lm", "-lpthread"], check=True)
        times = []
        for parts in "1", "50":
            names = []
            for size, steps in (2, 105), (4, 190), (8, 410), (16, 780), (32, 1620):
                names.append(f"{size}={self.folder.file(f'steps{size}-{parts}')}")
                run([self.folder.file("steps"), str(steps), parts], cwd=self.folder.path, env={"PERFCOMP_DIR": names[-1].split("=")[1]})
            times.append(json.loads(self.perfcomp("--json", "--at", "128", *names))["sizes"][-1]["time"])
        self.assertGreater(times[0]["to"], 1.02 * times[0]["from"])
        for key in "lt", "from", "to":
            self.assertAlmostEqual(times[0][key] / times[1][key], 1, delta=1e-3, msg=key)

    def built(self, name, text, *compiler):
        """A program of our own with trends.c."""
        self.folder.file(f"{name}.c", text)
        subprocess.run([*compiler, "-I", TOP, "-o", self.folder.file(name), self.folder.file(f"{name}.c"),
                        os.path.join(TOP, "perfcomp_impl/tools/cli/trends.c"), "-lm", "-lpthread"], check=True)
        return self.folder.file(name)

    def test_figures_below_zero(self):
        status, _, messages = run([self.built("mirror", MIRROR, *SANITISED)], env={"PERFCOMP": "off"})
        self.assertEqual(status, 0, messages)

    def test_trends(self):
        self.built("trends", TRENDS, "gcc", "-O1")
        for kind, sizes, noise, covered, near in (("any", "5", "0", 990, 990), ("any", "5", "0.01", 970, 950), ("any", "5", "0.03", 960, 850),
                                                  ("any", "3", "0", 980, 800), ("any", "3", "0.01", 960, 750), ("any", "3", "0.03", 930, 650),
                                                  ("shared", "5", "0", 990, 990), ("shared", "5", "0.01", 880, 800), ("shared", "5", "0.03", 870, 600),
                                                  ("shared", "3", "0.01", 920, 0), ("power", "5", "0", 990, 990), ("power", "5", "0.01", 860, 950),
                                                  ("power", "3", "0", 990, 990), ("power", "3", "0.01", 860, 920),
                                                  ("level", "3", "0.03", 950, 940), ("level", "5", "0.03", 970, 975)):
            status, output, messages = run([self.folder.file("trends"), kind, sizes, noise], env={"PERFCOMP": "off"})
            self.assertEqual(status, 0, messages)
            self.assertTrue(all(a >= b for a, b in zip(map(int, output.split()), (covered, near))), (kind, sizes, noise, output))


if __name__ == "__main__":
    unittest.main()
