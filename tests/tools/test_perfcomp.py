"""build/perfcomp on profiles of real runs: every verb, and what it says to bad input."""
import json
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PERFCOMP = TOP / "build" / "perfcomp"

# As perfcomp-cc would write it: `twice` has blocks, of which one is completed.
PROGRAM = r"""
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <stdlib.h>
#include <string.h>

static unsigned long long counter[PFC__PAGE / 8] __attribute__((aligned(PFC__PAGE)));
static const char *const files[] = { "counted.c" };
static const pfc__function_t functions[] = { { "twice", 0, 1, 4, PFC__TIMED } };
static const pfc__block_t blocks[] = {
    { 1, 2, 1, 0, 0, PFC__BLOCK_ENTRY, 0, 3, 1 }, { 2, 2, 5, 0, 0, PFC__BLOCK_PLAIN, 1, 1, 2 },
    { 3, 3, 5, 0, 0, PFC__BLOCK_PLAIN, PFC__NO_COUNTER, 1, 2 }, { 4, 4, 1, 0, 0, PFC__BLOCK_EXIT, PFC__NO_COUNTER, 2, 3 },
};
static volatile double sink;

static void twice(int i)
{
#ifndef PLAIN
    static pfc__site_t site = PFC__SITE(PFC__FUNCTION, "twice", 1, "counted.c");
    __attribute__((cleanup(pfc__leave))) pfc__token_t token = pfc__enter(&site);
    counter[0]++;
    if (i % 4 == 0) counter[1]++;
#endif
    for (int k = 0; k < 300; k++) sink += i * 0.5;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
#ifndef PLAIN
    static pfc__unit_t unit = { PFC__ABI, 1, 1, 4, 2, sizeof counter, counter, files, functions, blocks, "counted.c", FOLDER, "cc", 0, 0, 0, 0, 0, 0, 0 };
    pfc__unit_register(&unit);
    PFC_SCOPE("loop");
#endif
    for (int i = 0; i < n; i++) twice(i);
    if (argc > 2 && !strcmp(argv[2], "abort")) abort();
    if (argc > 2 && !strcmp(argv[2], "wait")) { puts("ready"); fflush(stdout); getchar(); }
    return argc > 2 && !strcmp(argv[2], "fail") ? 3 : 0;
}
"""

# Takes no time but for its probes.
NOTHING = """
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
int main(void) { for (int i = 0; i < 100000; i++) { PFC_BEGIN("nothing"); PFC_END("nothing"); } return 0; }
"""


class Perfcomp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="perfcomp-test-"))
        (cls.folder / "program.c").write_text(PROGRAM)
        (cls.folder / "counted.c").write_text("int twice(int i) {\n    if (i % 4 == 0) a();\n    else b();\n}\n")
        os.utime(cls.folder / "counted.c", (1e9, 1e9))
        for name, options in ("program", []), ("plain", ["-DPLAIN", "-DPERFCOMP_DISABLE"]):
            source = PROGRAM if name == "program" else re.sub(r"(?s)static unsigned long long counter.*?\n};\n(?=static volatile)", "", PROGRAM)
            (cls.folder / f"{name}.c").write_text(source)
            subprocess.run(["gcc", "-std=gnu11", "-O1", "-I", TOP, f'-DFOLDER="{cls.folder}"', *options, cls.folder / f"{name}.c",
                            "-o", cls.folder / name, "-lm", "-lpthread"], check=True)
        cls.profile = cls.folder / "perfcomp.0.pfc"
        cls.run_program("1000")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def run_program(cls, *arguments, folder=None):
        environment = dict(os.environ, PERFCOMP_DIR=str(folder or cls.folder))
        return subprocess.run([cls.folder / "program", *arguments], env=environment, cwd=cls.folder, stderr=subprocess.DEVNULL).returncode

    def run_to(self, profile, *arguments):
        """One more process."""
        with tempfile.TemporaryDirectory() as folder:
            self.run_program(*arguments, folder=folder)
            shutil.move(f"{folder}/perfcomp.0.pfc", profile)

    def run_ten_lines(self, folder, source=TOP / "examples" / "ten_lines.c"):
        """A program that perfcomp-cc has not seen."""
        subprocess.run(["gcc", "-I", TOP, source, "-o", "ten_lines", "-lm", "-lpthread"], cwd=folder, check=True)
        subprocess.run(["./ten_lines"], cwd=folder, env=dict(os.environ, PERFCOMP_DIR=folder), check=True, stdout=subprocess.DEVNULL)

    def perfcomp(self, *arguments, status=0, cwd=None, **how):
        done = subprocess.run([PERFCOMP, *arguments], capture_output=True, text=True, cwd=cwd or self.folder, timeout=120, **how)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Sanitizer", done.stderr)
        return done.stdout + done.stderr

    def profile_json(self, *names):
        return json.loads(self.perfcomp("report", "--json", *names))["profiles"]

    def test_report(self):
        text = self.perfcomp("report", self.profile)
        for part in "Regions", "Call paths", "twice", "loop", "null probe", "±":
            self.assertIn(part, text)
        self.assertNotIn("\033", text)
        self.assertEqual(text, self.perfcomp("report"), "the present folder is taken without a name")
        self.assertEqual(text.replace(str(self.folder) + "/", ""), self.perfcomp("report", str(self.folder)).replace(str(self.folder) + "/", ""))

    def test_report_json(self):
        [profile] = self.profile_json(self.profile)
        self.assertEqual(profile["state"], "ended")
        self.assertTrue(profile["executable"].startswith("/"))
        thread = profile["threads"][0]
        self.assertEqual([thread[key] for key in ("waits", "sleeps", "events", "events_lost")], [False, False, 0, 0])
        regions = {region["name"]: region for region in profile["regions"]}
        self.assertEqual(regions["twice"]["calls"], 1000)
        child, parent = regions["twice"]["inclusive"], regions["loop"]["inclusive"]
        self.assertLess(child["ct"], parent["ct"])
        self.assertLess(child["lt"], parent["lt"] + parent["u"], "the loop's own share is less than its probes' noise")
        self.assertAlmostEqual(sum(r["exclusive"]["lt"] for r in profile["regions"]), profile["total"]["lt"], delta=1)

    def test_fields_are_explained(self):
        """Each one by its name, in what a program's author may look at."""
        def fields(value):
            inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
            return set(value if isinstance(value, dict) else []).union(*map(fields, inside))

        explained = (TOP / "README.md").read_text() + (TOP / "perfcomp_impl/core/reader.h").read_text() + (TOP / "perfcomp_impl/core/profile.h").read_text()
        for words in [], ["--blocks"]:
            for field in fields(json.loads(self.perfcomp("report", "--json", *words, self.profile))):
                self.assertRegex(explained, rf"\b{field}\b", words)

    def test_counters_by_hand(self):
        """PFC_HIT's counts stand in the report, of several processes their sum, also where blocks aren't asked for."""
        with tempfile.TemporaryDirectory() as folder:
            self.run_ten_lines(folder)
            self.assertRegex(self.perfcomp("report", folder), r"(?m)^Counters\n +count  counter\n +17,984  prime  .*ten_lines.c:22$")
            [profile] = self.profile_json(folder)
            self.assertEqual([(c["name"], c["function"], c["line"], c["count"]) for c in profile["counters"]], [("prime", "main", 22, 17984)])
            os.rename(f"{folder}/perfcomp.0.pfc", f"{folder}/a.pfc")
            self.run_ten_lines(folder)
            os.rename(f"{folder}/perfcomp.0.pfc", f"{folder}/b.pfc")
            self.assertRegex(self.perfcomp("report", folder), r"(?m)^ +35,968  prime  ")
        self.assertNotIn("Counters", self.perfcomp("report", self.profile))

    def test_counters_by_hand_are_of_their_function(self):
        """What a function's PFC_HITs cost is taken from it; of a header's function in two files one counter is left."""
        with tempfile.TemporaryDirectory() as folder:
            files = {"timed.h": '#include "perfcomp.h"\nstatic inline void timed(void) { PFC_FUNCTION(); PFC_HIT("hit"); }\nvoid other(void);\n',
                     "other.c": '#include "timed.h"\nvoid other(void) { PFC_HIT("before"); timed(); }\n',
                     "main.c": '#define PERFCOMP_IMPLEMENTATION\n#include "timed.h"\nint main(void) { for (int i = 0; i < 9; i++) timed(); other(); }\n'}
            for name, text in files.items():
                (Path(folder) / name).write_text(text)
            subprocess.run(["gcc", "-I", TOP, "main.c", "other.c", "-lm", "-lpthread"], cwd=folder, check=True)
            subprocess.run(["./a.out"], cwd=folder, check=True)
            [profile] = self.profile_json(folder)
            blocks = self.perfcomp("report", "--blocks", folder)
        hits = {region["name"]: region["hits"] for region in profile["regions"]}
        self.assertAlmostEqual(hits["timed"], 10, delta=1.0001, msg="and its share of the one in other()")
        self.assertEqual(profile["operations"]["hits_spread"], 1)
        self.assertEqual(re.findall(r"(?m)^ +(\d+) .*  (\w+)$", blocks), [("10", "hit"), ("1", "before")])

    def test_counters_by_hand_are_of_their_file(self):
        """A header's function has its counter in each file's array that includes it: it stands in the header's line."""
        with tempfile.TemporaryDirectory() as folder:
            files = {"h.h": '\n#include "perfcomp.h"\nstatic inline void in_header(void) {\n    PFC_HIT("header");\n}\n',
                     "main.c": '#define PERFCOMP_IMPLEMENTATION\n#include "h.h"\nint main(void) {\n'
                               '    in_header();\n    in_header();\n\n    PFC_HIT("main"); }\n'}
            for name, text in files.items():
                (Path(folder) / name).write_text(text)
            subprocess.run(["gcc", "-I", TOP, "main.c", "-lm", "-lpthread"], cwd=folder, check=True)
            subprocess.run(["./a.out"], cwd=folder, check=True)
            [profile] = self.profile_json(folder)
            annotated = self.perfcomp("annotate", folder)
        self.assertEqual([(c["name"], Path(c["file"]).name, c["line"], c["count"]) for c in profile["counters"]],
                         [("header", "h.h", 4, 2), ("main", "main.c", 7, 1)])
        self.assertRegex(annotated, r'(?m)^ +2: +4:    PFC_HIT\("header"\);$')
        self.assertRegex(annotated, r"(?m)^ +-: +4:    in_header\(\);$")

    def test_report_of_many_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, n in ("a", "10"), ("c", "100000"), ("a0", "10"), *((f"b{i}", "10000") for i in range(39)):
                self.run_to(f"{folder}/{name}.pfc", n)
            few, all_of_them = self.perfcomp("report", folder), self.perfcomp("report", "--all", folder)
        self.assertEqual((few.count(".pfc"), all_of_them.count(".pfc")), (40, 42))
        self.assertIn("2 shorter processes left out", few)
        self.assertIn("c.pfc", few)

    def test_a_zombie_has_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([self.folder / "program", "10", "abort"], env=dict(os.environ, PERFCOMP_DIR=folder), stderr=subprocess.DEVNULL)
            while Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                time.sleep(0.01)
            [profile] = self.profile_json(f"{folder}/perfcomp.0.pfc")
            process.wait()
        self.assertEqual(profile["state"], "died")

    def test_a_file_stays_where_there_is_nothing_to_export(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "kept"
            kept.write_text("precious")
            self.perfcomp("export", "--format", "chrome-trace", "-o", str(kept), self.profile, status=1)
            self.assertEqual(kept.read_text(), "precious")
            source = Path(folder, "timed.c")
            source.write_text('#define PERFCOMP_IMPLEMENTATION\n#include "perfcomp.h"\nint main(void) { PFC_SCOPE("timed"); }\n')
            self.run_ten_lines(folder, source)
            self.assertIn("no lines were counted", self.perfcomp("export", "--format", "lcov", "-o", str(kept), folder, status=1))
            self.assertEqual(kept.read_text(), "precious")

    def test_blocks(self):
        self.assertRegex(self.perfcomp("report", "--blocks"), r"750 .*counted.c:3:5  twice  \(completed\)")
        blocks = json.loads(self.perfcomp("report", "--blocks", "--json"))["blocks"]
        self.assertEqual([(b["line"], b["low"], b["high"]) for b in sorted(blocks, key=lambda b: b["line"])],
                         [(1, 1000, 1000), (2, 250, 250), (3, 750, 750), (4, 1000, 1000)])

    def test_blocks_of_a_function_below_zero(self):
        """It is timed all the same; left out of a sum over processes, as it was, it made the others' time too long."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.c").write_text("""#include <stdint.h>
                #include <stdlib.h>
                static int64_t now = 1000000, step = 500;
                #define PERFCOMP_CLOCK() (now += step)
                #define PERFCOMP_IMPLEMENTATION
                #include "perfcomp.h"
                static void one(int ns) { PFC_FUNCTION(); PFC_HIT("hit"); now += ns; }
                int main(int n, char **v) { pfc_start(n, v); step = 0; one(atoi(v[1])); return n - 2; }
                """)
            subprocess.run(["gcc", "-I", TOP, "a.c", "-o", "a", "-lm", "-pthread"], check=True, cwd=folder)
            profiles = {"1": f"{folder}/1/perfcomp.0.pfc", "2000": f"{folder}/2000/perfcomp.0.pfc"}
            times = []
            for names in ["1"], ["2000"], ["1", "2000"]:
                for run in names:
                    subprocess.run(["./a", run], check=True, cwd=folder, env=dict(os.environ, PERFCOMP_DIR=run))
                named = [profiles[run] for run in names]
                [block] = json.loads(self.perfcomp("report", "--blocks", "--json", *named))["blocks"]
                self.assertRegex(self.perfcomp("report", "--blocks", *named), rf"(?m)% +{block['function_lt'] / 1e6:.6f}  a\.c:")
                times.append((block["function_lt"], sum(r["exclusive"]["lt"] for p in self.profile_json(*named) for r in p["regions"] if r["name"] == "one")))
        self.assertTrue(times[0][0] < 0 < times[1][0], times)
        for shown, truth in times:
            self.assertAlmostEqual(shown, truth, delta=1e-6)

    def test_annotate(self):
        text = self.perfcomp("annotate")
        self.assertIn("                1000:     1:int twice(int i) {\n", text)
        self.assertIn("                1000:     2:    if (i % 4 == 0) a();\n", text, "the condition ran more often than what depends on it")
        self.assertIn("                 750:     3:    else b();\n", text)
        [source] = json.loads(self.perfcomp("annotate", "--json"))["sources"]
        self.assertEqual(source["source"], "found")
        self.assertEqual(source["functions"], [{"name": "twice", "line": 1, "low": 1000, "high": 1000}])
        self.assertIn("no counted source", self.perfcomp("annotate", "--source", "other", status=1))

    def test_annotate_newer_and_missing_source(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertIn("not found", self.perfcomp("annotate", "--source-dir", empty))
            shutil.copy(self.folder / "counted.c", empty)
            self.assertIn("newer than the profile", self.perfcomp("annotate", "--source-dir", empty))
            (Path(empty) / "counted.c").write_text("short\n")
            self.assertIn("behind the end of this file: it isn't what was compiled, or a #line counts on there", self.perfcomp("annotate", "--source-dir", empty))

    def test_annotate_of_many_processes(self):
        """All have the same lines: of 140 processes with 400,000 each, annotate took 3 GB, and then called the profiles damaged."""
        functions, processes = 5, 20
        source = """#define PERFCOMP_IMPLEMENTATION
            #include "perfcomp.h"
            static unsigned long long counter[PFC__PAGE / 8] __attribute__((aligned(PFC__PAGE)));
            static const char *const files[] = { "long.c" };
            static const pfc__function_t functions[] = { %s };
            static const pfc__block_t blocks[] = { %s };
            static pfc__unit_t unit = { PFC__ABI, 1, N, N, N, sizeof counter, counter, files, functions, blocks, "long.c", "", "cc", 0, 0, 0, 0, 0, 0, 0 };
            int main(void) { pfc__unit_register(&unit); counter[N - 1]++; }""" % (
            ", ".join(f'{{ "f{i}", 0, {20000 * i + 1}, {20000 * i + 20000}, 0 }}' for i in range(functions)),
            ", ".join(f"{{ {20000 * i + 1}, {20000 * i + 20000}, 1, {i}, 0, PFC__BLOCK_PLAIN, {i}, 0, 0 }}" for i in range(functions)))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", "-w", "-I", TOP, f"-DN={functions}", "-xc", "-", "-o", f"{folder}/long", "-lm", "-lpthread"],
                           input=source, text=True, check=True)
            for i in range(processes):
                subprocess.run([f"{folder}/long"], env=dict(os.environ, PERFCOMP_DIR=f"{folder}/{i}"), check=True)
            with open(f"{folder}/out", "w+", encoding="utf-8") as out:
                names = (f"{folder}/{i}" for i in range(processes))
                annotate = subprocess.Popen([PERFCOMP, "annotate", *names], stdout=out, stderr=subprocess.DEVNULL)
                _, annotate.returncode, used = os.wait4(annotate.pid, 0)
                out.seek(0)
                lines = out.read().splitlines()
        self.assertEqual(annotate.returncode, 0)
        self.assertEqual(lines[-2], f"{processes:20}:{20000 * functions:6}")
        self.assertEqual(len(lines), 20000 * functions + 3)
        self.assertLess(used.ru_maxrss, 60000)  # kB; it was 130,000

    def test_export_lcov(self):
        text = self.perfcomp("export", "--format", "lcov")
        self.assertIn(f"SF:{self.folder}/counted.c\nFN:1,twice\nFNDA:1000,twice\n", text)
        self.assertIn("DA:2,1000\nDA:3,750\n", text)
        if shutil.which("lcov"):
            (self.folder / "lcov.info").write_text(text)
            done = subprocess.run(["lcov", "--summary", self.folder / "lcov.info"], capture_output=True, text=True)
            self.assertIn("4 of 4 lines", done.stdout + done.stderr)

    def test_export_trees(self):
        self.assertRegex(self.perfcomp("export", "--format", "folded"), r"(?m)^loop;twice \d+$")
        self.assertEqual(self.perfcomp("export", "--format", "folded", "-o", "-"), self.perfcomp("export", "--format", "folded"))
        speedscope = json.loads(self.perfcomp("export", "--format", "speedscope"))
        [profile] = speedscope["profiles"]
        self.assertEqual(len(profile["samples"]), len(profile["weights"]))
        text = self.perfcomp("export", "--format", "callgrind")
        self.assertNotIn("fn=(overflow)", text)  # nothing went there
        self.assertIn("events: LT CT\n", text)
        self.assertIn("cfn=twice\ncalls=1000 1\n", text)
        if shutil.which("callgrind_annotate"):
            (self.folder / "callgrind.out").write_text(text)
            done = subprocess.run(["callgrind_annotate", self.folder / "callgrind.out"], capture_output=True, text=True)
            self.assertIn("twice", done.stdout)
            total = re.search(r"^summary: (\d+) (\d+)$", text, re.M).groups()
            self.assertRegex(done.stdout, r"(?m)^ *%s \(100.0%%\) +%s \(100.0%%\)  PROGRAM TOTALS" % tuple(f"{int(n):,}" for n in total))

    def test_export_trees_agree_with_the_report(self):
        """Each format has each path's own time at its place, and what callgrind tells of calls is what these take with all inside."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "tree.c").write_text("""#include <stdint.h>
                static int64_t now = 1000000;
                #define PERFCOMP_CLOCK() now
                #define PERFCOMP_IMPLEMENTATION
                #include "perfcomp.h"
                static void leaf(int ns) { PFC_FUNCTION(); now += ns; }
                static void inner(int ns) { PFC_FUNCTION(); now += ns; leaf(20); leaf(30); }
                int main(void) { PFC_BEGIN("outer"); now += 100; inner(7); inner(8); leaf(3); PFC_END("outer"); now += 1000; leaf(4); return 0; }
                """)
            subprocess.run(["gcc", "-I", TOP, "tree.c", "-o", "tree", "-lm", "-pthread"], check=True, cwd=folder)
            subprocess.run(["./tree"], check=True, cwd=folder)
            folded = self.perfcomp("export", "--format", "folded", folder)
            speedscope = json.loads(self.perfcomp("export", "--format", "speedscope", folder))
            callgrind = self.perfcomp("export", "--format", "callgrind", folder)
        outside = "(outside of all regions)"
        own = {"outer": 100, "outer;inner": 15, "outer;inner;leaf": 100, "outer;leaf": 3, "leaf": 4, outside: 1000}
        self.assertEqual(dict((line.rsplit(" ", 1)[0], float(line.rsplit(" ", 1)[1])) for line in folded.splitlines()), own)
        names = [frame["name"] for frame in speedscope["shared"]["frames"]]
        [sampled] = speedscope["profiles"]
        found = {";".join(names[f] for f in sample[1:]) or names[sample[0]]: w for sample, w in zip(sampled["samples"], sampled["weights"])}
        self.assertEqual(found, own)
        self.assertEqual((sampled["startValue"], sampled["endValue"]), (0, sum(own.values())))
        self.assertIn(f"summary: {sum(own.values()):.0f} {sum(own.values()):.0f}\n", callgrind)
        calls = re.findall(r"fn=(.*)\ncfl=.*\ncfn=(.*)\ncalls=(\d+) (\d+)\n(\d+) (\d+) (\d+)\n", callgrind)
        self.assertEqual(sorted(calls), sorted([(outside, "outer", "1", "8", "0", "218", "218"), ("outer", "inner", "2", "7", "8", "115", "115"),
                                                ("inner", "leaf", "4", "6", "7", "100", "100"), ("outer", "leaf", "1", "6", "8", "3", "3"),
                                                (outside, "leaf", "1", "6", "0", "4", "4")]))
        self.assertEqual(sorted(re.findall(r"\nfn=(.*)\n(\d+) (\d+) \d+\n", callgrind)), sorted([
            (outside, "0", "1000"), ("outer", "8", "100"), ("inner", "7", "15"), ("leaf", "6", "100"), ("leaf", "6", "3"), ("leaf", "6", "4")]))

    def test_export_trees_of_deep_paths(self):
        """Of more than 500 callers the outermost ones are left out: flame graphs showed the others as if nobody called them."""
        with tempfile.TemporaryDirectory() as folder:
            calls = "\n".join(f"static void f{i}(void) {{ PFC_FUNCTION(); f{i - 1}(); }}" for i in range(1, 505))
            Path(folder, "deep.c").write_text("#define PERFCOMP_IMPLEMENTATION\n#include \"perfcomp.h\"\n"
                                              "static void f0(void) { PFC_FUNCTION(); usleep(1000); }\n" + calls + "\nint main(void) { f504(); }\n")
            subprocess.run(["gcc", f"-I{TOP}", "deep.c", "-o", "deep", "-lm", "-pthread"], cwd=folder, check=True)
            subprocess.run(["./deep"], cwd=folder, check=True)
            folded = self.perfcomp("export", "--format", "folded", folder)
            self.assertRegex(folded, r"(?m)^\(further callers\);f499;f498;.*;f0 \d+$")
            speedscope = json.loads(self.perfcomp("export", "--format", "speedscope", folder))
        names = [frame["name"] for frame in speedscope["shared"]["frames"]]
        [deepest] = [sample for sample in speedscope["profiles"][0]["samples"] if names[sample[-1]] == "f0"]
        self.assertEqual([names[i] for i in deepest[:3]] + [len(deepest)], ["(outside of all regions)", "(further callers)", "f499", 502])

    def test_export_trace(self):
        self.assertRegex(self.perfcomp("export", "--format", "chrome-trace", status=1), r"^[^\n]* with PERFCOMP_TRACE=1 \(if it was, [^\n]*\n$")
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PERFCOMP_TRACE"] = "1"
            try:
                self.run_program("10", folder=folder)
                events = json.loads(self.perfcomp("export", "--format", "chrome-trace", folder))["traceEvents"]
                self.run_ten_lines(folder)
            finally:
                del os.environ["PERFCOMP_TRACE"]
            self.assertEqual(sum(e["ph"] == "B" and e["name"] == "twice" for e in events), 10)
            self.perfcomp("export", "--format", "chrome-trace", "-o", "trace", f"{folder}/perfcomp.0.pfc", cwd=folder)
            events = json.loads((Path(folder) / "trace").read_text())["traceEvents"]
            times = [e["ts"] for e in events if "ts" in e]
            self.assertGreater(len(times), 10000)
            self.assertEqual(times, sorted(times))

    def test_export_trace_of_what_is_left_open(self):
        """Also where the program goes by exit or dies each begin has its end, where its thread was then."""
        source = """#define PERFCOMP_IMPLEMENTATION
            #include "perfcomp.h"
            #include <stdlib.h>
            #include <unistd.h>
            static void *other(void *unused) { PFC_FUNCTION(); for (;;) pause(); return unused; }
            static void leave(int by_exit) { PFC_FUNCTION(); usleep(100000); if (by_exit) exit(0); abort(); }
            int main(int argc, char **argv) { pthread_t t; PFC_FUNCTION(); (void)argv; pthread_create(&t, 0, other, 0); usleep(20000); leave(argc == 1); }"""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", "-w", "-I", TOP, "-xc", "-", "-lm", "-lpthread"], cwd=folder, input=source, text=True, check=True)
            for way in [], ["abort"]:
                subprocess.run(["./a.out", *way], cwd=folder, env=dict(os.environ, PERFCOMP_TRACE="1"))
                events = json.loads(self.perfcomp("export", "--format", "chrome-trace", folder))["traceEvents"]
                at = {(e["ph"], e["name"]): e["ts"] for e in events if e["ph"] in "BE"}
                order = [(e["ph"], e["name"]) for e in events if e["ph"] in "BE" and e["tid"] == 0]
                self.assertEqual(order, [("B", "main"), ("B", "leave"), ("E", "leave"), ("E", "main")])
                self.assertGreaterEqual(at["E", "other"], at["B", "other"])
                for region in ("other", "main") if not way else (): # of one that died, as far as is known
                    self.assertGreater(at["E", region], at["B", "leave"] + 50000)

    def test_export_trace_of_where_it_begins(self):
        """A ring that begins amid regions, as a forked process does, has them around what it knows. The process lies where its
        parent had been undisturbed, from its begin on: what came before its first event was missing."""
        source = """#define PERFCOMP_IMPLEMENTATION
            #include "perfcomp.h"
            #include <sys/wait.h>
            #include <unistd.h>
            static void family(int n) { PFC_FUNCTION(); pfc__self->delta += (pfc__i64)(1e8 * pfc__ticks_per_ns()) * (1 << PFC__FRACTION); if (n && !fork()) { usleep(1000); family(n - 1); } wait(0); }
            int main(void) { PFC_FUNCTION(); { PFC_SCOPE("row"); for (int i = 0; i < 70000; i++) { PFC_SCOPE("step"); } } usleep(400000); family(2); }"""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", "-w", "-I", TOP, "-xc", "-", "-lm", "-lpthread"], cwd=folder, input=source, text=True, check=True)
            subprocess.run(["./a.out"], cwd=folder, env=dict(os.environ, PERFCOMP_TRACE="1"), check=True)
            said = self.perfcomp("export", "--format", "chrome-trace", "-o", f"{folder}/trace", folder)
            self.assertRegex(said, "; 7447[0-9] before them were overwritten: PERFCOMP_TRACE=262144 would keep all$")
            events = json.loads((Path(folder) / "trace").read_text())["traceEvents"]
            profiles = sorted(self.profile_json(folder), key=lambda p: p["begin_utc_ns"])
        first, *children = profiles
        begun = {p["pid"]: [e for e in events if e["pid"] == p["pid"] and "begun" in e.get("args", {})] for p in profiles}
        self.assertEqual([[e["name"] for e in begun[p["pid"]]] for p in profiles], [["main", "row"], ["main", "family"], ["main", "family", "family"]])
        for generation, p in enumerate(children, 1):
            self.assertGreaterEqual(p["fork_delta"], 1e8 * generation)
            self.assertLess(p["fork_delta"], p["begin_utc_ns"] - first["begin_utc_ns"])
            self.assertAlmostEqual(begun[p["pid"]][0]["ts"], (p["begin_utc_ns"] - first["begin_utc_ns"] - p["fork_delta"]) / 1000, delta=1)

    def test_export_trace_without_room(self):
        """Where as many events as the run had asked for found no room, export said that to ask for these would keep all."""
        source = """#define PERFCOMP_IMPLEMENTATION
            #include "perfcomp.h"
            int main(void) { for (int i = 0; i < 10000; i++) { PFC_SCOPE("step"); } }"""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", "-I", TOP, "-xc", "-", "-lm", "-lpthread"], cwd=folder, input=source, text=True, check=True)
            subprocess.run(["bash", "-c", "ulimit -f 2048; PERFCOMP_TRACE=1 ./a.out"], cwd=folder, capture_output=True, check=True)
            said = self.perfcomp("export", "--format", "chrome-trace", "-o", f"{folder}/trace", folder)
        self.assertRegex(said, "before them were overwritten: PERFCOMP_TRACE: for 65536 events of this thread there is no room .*; make room")
        self.assertNotIn("would keep", said)

    def test_export_trace_of_what_turned_out_to_be_ours(self):
        """Undisturbed, a thread was never so far: what follows isn't as late as that."""
        source = """#define PERFCOMP_IMPLEMENTATION
            #include "perfcomp.h"
            #include <unistd.h>
            int main(void) { PFC_BEGIN("first"); PFC_END("first"); PFC_BEGIN("in vain"); usleep(50000); PFC_END("in vain");
                pfc__self->delta += (pfc__i64)(0.04 * 1e9 * pfc__ticks_per_ns()) * (1 << PFC__FRACTION);
                PFC_BEGIN("after"); PFC_END("after"); }"""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", "-w", "-I", TOP, "-xc", "-", "-lm", "-lpthread"], cwd=folder, input=source, text=True, check=True)
            subprocess.run(["./a.out"], cwd=folder, env=dict(os.environ, PERFCOMP_TRACE="1"), check=True)
            events = json.loads(self.perfcomp("export", "--format", "chrome-trace", folder))["traceEvents"]
            profile = json.loads(self.perfcomp("report", "--json", folder))["profiles"][0]
        at = {(e["name"], e["ph"]): e["ts"] for e in events if e["ph"] in "BE"}
        self.assertLessEqual(at["in vain", "E"], at["after", "B"])
        self.assertLessEqual(at["after", "E"], profile["total"]["lt"] / 1000 + 0.001)  # us; with all of "in vain" before it, 40,000 later

    def test_export_trace_of_threads_that_follow_one_another(self):
        """One continues the record of another that has ended. Where it had begun earlier, undisturbed, that one's events were drawn
        together before it. A row has both only if they don't overlap."""
        source = """#define PERFCOMP_IMPLEMENTATION
            #include "perfcomp.h"
            #include <unistd.h>
            static void *work(void *of) { PFC_SCOPE("work"); usleep(50000); return of; }
            static void run(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); }
            int main(void) { PFC_FUNCTION(); run(); run(); pfc__self->delta += (pfc__i64)(8e7 * pfc__ticks_per_ns()) * (1 << PFC__FRACTION); run(); }"""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", "-w", "-I", TOP, "-xc", "-", "-lm", "-lpthread"], cwd=folder, input=source, text=True, check=True)
            subprocess.run(["./a.out"], cwd=folder, env=dict(os.environ, PERFCOMP_TRACE="1"), check=True)
            events = json.loads(self.perfcomp("export", "--format", "chrome-trace", folder))["traceEvents"]
            self.perfcomp("export", "--format", "otf2", "-o", f"{folder}/otf2", folder)
            printed = subprocess.check_output(["otf2-print", f"{folder}/otf2/traces.otf2"], text=True)
        moves = [(e["tid"], e["ph"], e["ts"]) for e in events if e.get("name") == "work"]
        self.assertEqual([(row, phase) for row, phase, _ in moves], [(1, "B"), (1, "E"), (1, "B"), (1, "E"), (2, "B"), (2, "E")])
        self.assertGreater(min(end[2] - begin[2] for begin, end in zip(moves[::2], moves[1::2])), 49000)
        self.assertLess(moves[4][2], moves[3][2])
        self.assertEqual(sorted(re.findall(r'^ENTER +(\d+) .*"work"', printed, re.M)), ["1", "1", "2"])

    def test_export_otf2(self):
        def export(*words, **how):
            return self.perfcomp("export", "--format", "otf2", *words, **how)

        out = self.folder / "otf2"
        self.assertIn("PERFCOMP_TRACE=1", export("-o", out, status=1))
        with tempfile.TemporaryDirectory() as folder:
            with unittest.mock.patch.dict(os.environ, {"PERFCOMP_TRACE": "1"}):
                self.run_program("10", "abort", folder=folder)  # and leaves a region open
            self.assertIn("name it with -o", export(folder, status=2))
            export("-o", out, folder)
            self.assertIn("traces.otf2: is there already; remove", export("-o", out, folder, status=1))
            self.assertIn("can't be written: Not a directory", export("-o", self.profile, folder, status=1))
            self.assertIn("full: can't be written: ", export("-o", f"{folder}/full", folder, status=1, restore_signals=False,  # as on a full disk
                                                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))))
            self.assertEqual(os.listdir(f"{folder}/full"), [])
            export("-o", f"{folder}/full", folder)
        moves = re.findall(r"^(ENTER|LEAVE) +0 +(\d+)  Region: \"(\w+)", subprocess.check_output(["otf2-print", out / "traces.otf2"], text=True), re.M)
        self.assertEqual([m[0] for m in moves if m[2] == "twice"], ["ENTER", "LEAVE"] * 10)
        times = [int(m[1]) for m in moves]
        self.assertEqual(times, sorted(times))
        self.assertEqual([moves[0][::2], moves[-1][::2]], [("ENTER", "loop"), ("LEAVE", "loop")])

    def test_export_odd_names(self):
        """What isn't UTF-8 ended flamegraph.pl and gprof2dot; "step 2" were two counts to one, "(1)" a number in place of a name to kcachegrind."""
        source = """#define PERFCOMP_IMPLEMENTATION
            #include "perfcomp.h"
            int main(void) { PFC_SCOPE("(1) first"); PFC_BEGIN("Zo\\xeb, \\xc3\\xab\\xe2\\x80\\xa8\\xc2\\x85"); PFC_BEGIN(""); PFC_BEGIN("step 2");
                for (volatile int i = 0; i < 100000; i++) { }
                PFC_END("step 2"); PFC_END(""); PFC_END("Zo\\xeb, \\xc3\\xab\\xe2\\x80\\xa8\\xc2\\x85"); }"""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", "-w", "-I", TOP, "-xc", "-", "-lm", "-lpthread"], cwd=folder, input=source, text=True, check=True)
            subprocess.run(["./a.out"], cwd=folder, env=dict(os.environ, PERFCOMP_TRACE="1"), check=True)
            self.assertRegex(self.perfcomp("export", "--format", "folded", folder), r"(?m)^\(1\) first;Zo\ufffd, \xeb\?\?;\?;step_2 \d+$")
            callgrind = self.perfcomp("export", "--format", "callgrind", folder)
            self.assertEqual(set(re.findall(r"(?m)^fn=(.*)$", callgrind)), {"(outside of all regions)", "?1) first", "Zo\ufffd, \xeb??", "?", "step 2"})
            self.perfcomp("export", "--format", "otf2", "-o", "out", folder, cwd=folder)
            self.assertIn('"Zo\ufffd, \xeb??"', subprocess.check_output(["otf2-print", "-G", f"{folder}/out/traces.otf2"], text=True))

    def test_export_to_file(self):
        out = self.folder / "out.json"
        self.perfcomp("export", "--json", "-o", out)
        json.loads(out.read_text())
        self.assertIn("can't be written", self.perfcomp("export", "--json", "-o", "/nonexistent/x", status=1))
        if Path("/dev/full").exists():
            self.assertIn("can't be written", self.perfcomp("export", "--json", "-o", "/dev/full", status=1))
            self.assertTrue(Path("/dev/full").exists())
        part = self.folder / "part.json"
        self.assertIn("can't be written", self.perfcomp("export", "--json", "-o", part, status=1, restore_signals=False,  # as on a full disk
                                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))))
        self.assertFalse(part.exists())

    def test_output_spares_what_is_there(self):
        """No profile is written over; a device that a merged file would replace stays. A merged file needs a name."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(self.profile, folder)
            self.perfcomp("merge", "-o", "merged.pfc", cwd=folder)
            os.symlink("perfcomp.0.pfc", f"{folder}/link")
            for name in "perfcomp.0.pfc", "link", "merged.pfc":
                before = Path(folder, name).read_bytes()
                for verb in ["export", "--json"], ["export", "--format", "folded"], ["filter"]:
                    self.assertIn(f"{name}: is a profile, and would be lost", self.perfcomp(*verb, "-o", name, name if name != "link" else ".", cwd=folder, status=1))
                self.assertEqual(Path(folder, name).read_bytes(), before)
            os.mkfifo(f"{folder}/pipe")
            self.assertIn("pipe: is no regular file, and can't hold profiles", self.perfcomp("merge", "-o", "pipe", "perfcomp.0.pfc", cwd=folder, status=1))
            self.assertTrue(Path(folder, "pipe").is_fifo())
            self.assertIn("name the file", self.perfcomp("merge", "-o", "-", cwd=folder, status=2))
            self.assertEqual(self.perfcomp("filter", "-o", "-", cwd=folder), self.perfcomp("filter", cwd=folder))
            self.assertIn("name it with -o", self.perfcomp("export", "--format", "otf2", cwd=folder, status=2))
            self.assertIn("is empty", self.perfcomp("export", "--format", "otf2", "-o", "", cwd=folder, status=2))

    def test_several_as_one(self):
        with tempfile.TemporaryDirectory() as folder:
            for rank in range(2):
                self.run_to(f"{folder}/perfcomp.{rank}.pfc", "1000")
            self.assertIn("2 processes", self.perfcomp("report", folder))
            self.assertIn("                1500:     3:", self.perfcomp("annotate", folder))
            self.assertRegex(self.perfcomp("report", "--blocks", folder), r" 2000 ")

    def test_a_file_and_its_folder(self):
        """Named twice, it's taken once."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(self.profile, folder)
            once, twice = [folder], [os.path.join(folder, os.path.basename(self.profile)), folder]
            for command in ["report", "--json"], ["annotate", "--json"]:
                self.assertEqual(self.perfcomp(*command, *once), self.perfcomp(*command, *twice))

    def test_a_copy_is_taken_once(self):
        """It is no other process: all counts and times were twice what they are. Of one that was made while the program ran, the later is taken."""
        with tempfile.TemporaryDirectory() as folder:
            child = subprocess.Popen([self.folder / "program", "100", "wait"], env=dict(os.environ, PERFCOMP_DIR=folder),
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            child.stdout.readline()
            shutil.copy(f"{folder}/perfcomp.0.pfc", f"{folder}/before.pfc")
            child.communicate("\n")
            for name in "a.pfc", "z.pfc":
                shutil.copy(f"{folder}/perfcomp.0.pfc", f"{folder}/{name}")
            self.assertEqual([p["state"] for p in self.profile_json(folder)], ["ended"])
            self.assertIn("                 100:     1:", self.perfcomp("annotate", folder))

    def test_merge(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as elsewhere:
            for n in 500, 1000:
                self.run_program(str(n), folder=elsewhere)
                shutil.move(f"{elsewhere}/perfcomp.0.pfc", f"{folder}/perfcomp.{n}.pfc")
            merged = f"{elsewhere}/perfcomp.pfc"
            self.assertEqual(json.loads(self.perfcomp("merge", folder, "-o", merged, "--json")), {"file": merged, "profiles": 2})
            self.assertEqual(os.listdir(elsewhere), ["perfcomp.pfc"])
            for verb in ["report"], ["report", "--blocks"], ["annotate"], ["export", "--format", "callgrind"], ["export", "--json"]:
                self.assertEqual(self.perfcomp(*verb, merged).replace(merged + "/", ""), self.perfcomp(*verb, folder).replace(folder + "/", ""))
                self.assertEqual(self.perfcomp(*verb, elsewhere), self.perfcomp(*verb, merged))
            one = self.perfcomp("report", f"{merged}/perfcomp.500.pfc") # as the report calls it
            self.assertEqual(one.replace(merged + "/", ""), self.perfcomp("report", f"{folder}/perfcomp.500.pfc").replace(folder + "/", ""))
            self.assertIn("there is no such profile in the merged file", self.perfcomp("report", f"{merged}/perfcomp.7.pfc", status=1))
            regions = json.loads(self.perfcomp("compare", "--json", folder, merged))["regions"]
            self.assertEqual({r["difference"] for r in regions}, {0})
            self.perfcomp("merge", "-o", f"{folder}/perfcomp.pfc", merged, folder)
            self.assertIn("2 processes", self.perfcomp("report", folder), "what was merged is taken once")

    def test_merge_refuses(self):
        with tempfile.TemporaryDirectory() as folder:
            merged = Path(folder) / "merged.pfc"
            self.assertIn("name the file to write", self.perfcomp("merge", self.profile, status=2))
            self.assertRegex(self.perfcomp("merge", "-o", f"{folder}/no/m.pfc", self.profile, status=1), r"^perfcomp: .*/no/m.pfc: can't be written .*\n$")
            (Path(folder) / "bad.pfc").write_text("text")
            self.assertIn("not a profile", self.perfcomp("merge", "-o", merged, self.profile, f"{folder}/bad.pfc", status=1))
            self.assertFalse(merged.exists(), "nothing is written when one can't be read")
            lone = Path(folder) / "perfcomp.0.pfc"
            shutil.copy(self.profile, lone)
            self.assertIn("is a profile, and would be lost", self.perfcomp("merge", "-o", lone, lone, self.profile, status=1))
            self.assertEqual(lone.read_bytes(), Path(self.profile).read_bytes())
            for _ in range(2):                     # what was merged may be merged anew
                self.perfcomp("merge", "-o", merged, self.profile)
            good = merged.read_bytes()
            for content, says in ((good[:-1], "cut off"), (good[:20], "cut off"), (good[:30] + b"\xff" + good[31:], "header of a merged file"),
                                  (good[:20000] + b"\xff\xff" + good[20002:], "checksum")):
                merged.write_bytes(content)
                for verb in ["report"], ["annotate"], ["export", "--json"], ["merge", "-o", f"{folder}/again.pfc"]:
                    text = self.perfcomp(*verb, merged, status=1)
                    self.assertIn(f"perfcomp: {merged}", text)
                    self.assertIn(says, text)
                    self.assertEqual(text.count("\n"), 1, text)

    def test_merge_of_what_runs_and_what_died(self):
        with tempfile.TemporaryDirectory() as folder:
            with subprocess.Popen([self.folder / "program", "10", "wait"], env=dict(os.environ, PERFCOMP_DIR=folder),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                process.stdout.readline()
                self.assertIn("its program still runs", self.perfcomp("merge", "-o", f"{folder}/m.pfc", folder, status=1))
                process.kill()
            self.perfcomp("merge", "-o", f"{folder}/m.pfc", f"{folder}/perfcomp.0.pfc")
            self.assertEqual([p["state"] for p in self.profile_json(f"{folder}/m.pfc")], ["died"])

    def test_compare(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_program("5000", folder=folder)
            compared = json.loads(self.perfcomp("compare", "--json", self.profile, folder))
            rows = compared["regions"]
            self.assertTrue(compared["a"]["command"].endswith("program 1000"), compared["a"])
            self.assertEqual(compared["b"]["lt"], self.profile_json(folder)[0]["total"]["lt"])
            self.assertTrue(all(row["a"]["calls"] or row["b"]["calls"] for row in rows), rows)
            twice = next(row for row in rows if row["name"] == "twice")
            self.assertEqual((twice["a"]["calls"], twice["b"]["calls"]), (1000, 5000))
            text = self.perfcomp("compare", self.profile, folder)
            self.assertRegex(text, r"(?m)^A  .*program 1000\nB  .*program 5000\n")
            self.assertRegex(text, r"(?m)[ *]\(the whole run\)$")
            self.assertRegex(text, r"(?m)^ +1000 +5000 .*twice  ")
            self.assertIn("compare two runs of A first", text)
            self.assertNotIn("two runs of A", self.perfcomp("compare", self.profile, self.profile)) # nothing is beyond ±
            self.run_to(f"{folder}/perfcomp.0.99.pfc", "5000")
            self.assertRegex(self.perfcomp("compare", self.profile, folder), r"(?m)^A  .*program 1000\nB  .*  and 1 more process\n")
            self.run_ten_lines(folder)
            text = self.perfcomp("compare", self.profile, f"{folder}/perfcomp.0.pfc")
            self.assertRegex(text, r"(?m) gone .twice")
            self.assertRegex(text, r"(?m) new .is_prime")
        self.assertIn("name two", self.perfcomp("compare", self.profile, status=2))

    def test_compare_tells_what_is_beyond_the_uncertainty(self):
        """± of a difference has both runs' in it; * where the difference is larger, be it slower or faster."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.c").write_text("""#include <stdint.h>
                #include <stdlib.h>
                static int64_t now = 1000000, step = 500;
                #define PERFCOMP_CLOCK() (now += step)
                #define PERFCOMP_IMPLEMENTATION
                #include "perfcomp.h"
                static void often(int ns, int times) { while (times--) { PFC_BEGIN("often"); now += ns; PFC_END("often"); } }
                int main(int n, char **v) { pfc_start(n, v); step = 0; PFC_BEGIN("once"); now += atoi(v[1]); PFC_END("once"); often(50000, atoi(v[2]));
                    return n - 3; }
                """)
            subprocess.run(["gcc", "-I", TOP, "a.c", "-o", "a", "-lm", "-pthread"], check=True, cwd=folder)
            for run in ("10000", "10"), ("10100", "30"):
                subprocess.run(["./a", *run], check=True, cwd=folder, env=dict(os.environ, PERFCOMP_DIR=run[1]))
            for a, b, change in ("10", "30", 100), ("30", "10", -100):
                compared = json.loads(self.perfcomp("compare", "--json", a, b, cwd=folder))
                sides = [{r["name"]: r for r in self.profile_json(f"{folder}/{run}")[0]["regions"]} for run in (a, b)]
                lines = {name: line for line in self.perfcomp("compare", a, b, cwd=folder).splitlines() for name in ("once", "often") if f"{name}  a.c" in line}
                rows = {row["name"]: row for row in compared["regions"]}
                for name in "once", "often":
                    times = [side[name]["exclusive"] for side in sides]
                    self.assertGreater(min(t["u"] for t in times), 0)
                    u = (times[0]["u"] ** 2 + times[1]["u"] ** 2) ** .5
                    self.assertAlmostEqual(rows[name]["u"], u, delta=1e-9)
                    self.assertAlmostEqual(rows[name]["difference"], times[1]["lt"] - times[0]["lt"], delta=1e-9)
                    shown = [times[0]["lt"] / 1e6, times[1]["lt"] / 1e6, rows[name]["difference"] / 1e6, u / 1e6]
                    self.assertIn(" %13.6f %13.6f %+13.6f %11.6f " % tuple(shown), lines[name])
                self.assertEqual(rows["once"]["difference"], change)
                self.assertLess(abs(change), rows["once"]["u"])
                self.assertNotIn("*", lines["once"])
                self.assertGreater(abs(rows["often"]["difference"]), rows["often"]["u"])
                self.assertIn("*often", lines["often"])
                self.assertLess(compared["regions"].index(rows["often"]), compared["regions"].index(rows["once"]), "the largest difference first")

    def test_compare_keeps_its_columns(self):
        """However much a region has grown: its name begins where the others' do."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.c").write_text("""#include <stdint.h>
                #include <stdlib.h>
                static int64_t now = 1000000;
                #define PERFCOMP_CLOCK() (now)
                #define PERFCOMP_IMPLEMENTATION
                #include "perfcomp.h"
                int main(int n, char **v) { PFC_BEGIN("one"); now += atoi(v[1]); PFC_END("one"); return n - 2; }
                """)
            subprocess.run(["gcc", "-I", TOP, "a.c", "-o", "a", "-lm", "-pthread"], check=True, cwd=folder)
            for run, ns in ("A", "1000"), ("B", "100999"), ("C", "101000"), ("D", "100000000"):
                subprocess.run(["./a", ns], check=True, cwd=folder, env=dict(os.environ, PERFCOMP_DIR=run))
            for run, change in ("B", "+9999.9%"), ("C", ">9999%"), ("D", ">9999%"):
                lines = self.perfcomp("compare", "A", run, cwd=folder).splitlines()
                found = (re.search(r"one  a\.c$|\(the whole run|\(outside", line) for line in lines)
                self.assertEqual(len({match.start() for match in found if match}), 1, lines)
                self.assertIn(f" {change} *one", "\n".join(lines))

    def test_long_times_keep_their_columns(self):
        """As the sums over a job's ranks: where ms have too many digits, they are shown in s."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.c").write_text("""#include <stdint.h>
                #include <stdlib.h>
                static int64_t now = 1000000;
                #define PERFCOMP_CLOCK() (now)
                #define PERFCOMP_IMPLEMENTATION
                #include "perfcomp.h"
                int main(int n, char **v) { PFC_BEGIN("one"); now += atoll(v[1]) * 1000000; PFC_END("one"); PFC_BEGIN("two"); PFC_END("two"); return n - 2; }
                """)
            subprocess.run(["gcc", "-I", TOP, "a.c", "-o", "a", "-lm", "-pthread"], check=True, cwd=folder)
            for run, ms in ("A", "1"), ("B", "99999"), ("C", "100002"), ("D", "999999"), ("E", "1000000"):
                subprocess.run(["./a", ms], check=True, cwd=folder, env=dict(os.environ, PERFCOMP_DIR=run))
            for words, unit in (("compare A B", "ms"), ("compare A C", "s"), ("compare D D", "ms"), ("compare E D", "s"), ("watch -n 1 D", "ms"), ("watch -n 1 E", "s")):
                text = self.perfcomp(*words.split(), cwd=folder)
                self.assertIn(f"region  [{unit};", text)
                ends = {line.rindex(name) for name in ("one  a.c", "two  a.c", "(outside of") for line in text.splitlines() if line.endswith(name) or name + " all regions)" in line}
                self.assertEqual(len(ends), 1, text)

    def test_compare_with_a_time_below_zero(self):
        """It's zero within its uncertainty: nothing becomes faster by more than 100 %."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.c").write_text("""#include <stdint.h>
                #include <stdlib.h>
                static int64_t now = 1000000, step = 500;
                #define PERFCOMP_CLOCK() (now += step)
                #define PERFCOMP_IMPLEMENTATION
                #include "perfcomp.h"
                int main(int n, char **v) { pfc_start(n, v); step = 0; PFC_BEGIN("one"); now += atoi(v[1]); PFC_END("one"); return n - 2; }
                """)
            subprocess.run(["gcc", "-I", TOP, "a.c", "-o", "a", "-lm", "-pthread"], check=True, cwd=folder)
            for run in "1000", "1":
                subprocess.run(["./a", run], check=True, cwd=folder, env=dict(os.environ, PERFCOMP_DIR=run))
            text = self.perfcomp("compare", "1000", "1", cwd=folder)
            self.assertRegex(text, r"(?m) -0\.\d+ +-0\.\d+ +\S+ +-100\.0% .one  a\.c$")

    def test_died_and_running(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertLess(self.run_program("100", "abort", folder=folder), 0)
            [profile] = self.profile_json(folder)
            self.assertEqual(profile["state"], "died")
            self.assertEqual(next(r["calls"] for r in profile["regions"] if r["name"] == "twice"), 100)
            self.assertRegex(self.perfcomp("report", folder), r"died without an end.*\n  was in     loop\n")
            self.assertIn("                 100:     1:", self.perfcomp("annotate", folder))
        with tempfile.TemporaryDirectory() as folder:
            child = subprocess.Popen([self.folder / "program", "100", "wait"], env=dict(os.environ, PERFCOMP_DIR=folder),
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            child.stdout.readline()
            first = self.profile_json(folder)[0]
            time.sleep(0.1)
            second = self.profile_json(folder)[0]
            self.assertEqual((first["state"], second["state"]), ("running", "running"))
            self.assertRegex(self.perfcomp("report", folder), r"still running.*\n  is in      loop\n")
            self.assertEqual(first["regions"][first["paths"][first["threads"][0]["now"]]["region"]]["name"], "loop")
            self.assertGreater(second["total"]["ct"] - first["total"]["ct"], 5e7)
            child.communicate("\n")

    def test_what_has_not_ended_is_said(self):
        """Held against others it would pass for a shorter run: compare called it faster, beyond the uncertainty, and predict took its time for its size's."""
        with tempfile.TemporaryDirectory() as folder:
            for run in ["100"], ["200"], ["400", "abort"]:
                self.run_program(*run, folder=f"{folder}/{run[0]}")
            verbs = ["compare", "400", "200"], ["represent", "100", "400", "200"], ["predict", "1=100", "2=200", "4=400"]
            for verb in verbs:
                said = f"perfcomp {verb[0]}: {'4=' * (verb[0] == 'predict')}400: died, or still runs: only what was done until then counts\n"
                self.assertEqual(self.perfcomp(*verb, cwd=folder).count(said), 1)
            self.perfcomp("merge", "-o", "both.pfc", "200", "400", cwd=folder)
            self.assertIn(": both.pfc: 1 of 2 processes died, or still run: only", self.perfcomp("compare", "100", "both.pfc", cwd=folder))
            child = subprocess.Popen([self.folder / "program", "400", "wait"], env=dict(os.environ, PERFCOMP_DIR=f"{folder}/400"),
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            child.stdout.readline()
            self.assertIn(": 400/perfcomp.0.pfc: died, or still runs: only", self.perfcomp("compare", "200", "400/perfcomp.0.pfc", cwd=folder))
            child.communicate("\n")
            self.assertNotIn("died", self.perfcomp("compare", "200", "400/perfcomp.0.pfc", cwd=folder))

    def test_what_is_not_compensated_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            for run in "100", "200", "400":
                with unittest.mock.patch.dict(os.environ, PERFCOMP_COMPENSATE=str(int(run != "400"))):
                    self.run_program(run, folder=f"{folder}/{run}")
            for verb in ["compare", "400", "200"], ["predict", "1=100", "2=200", "4=400"]:
                said = f"perfcomp {verb[0]}: {'4=' * (verb[0] == 'predict')}400: was run with PERFCOMP_COMPENSATE=0: its LT is CT"
                self.assertEqual(self.perfcomp(*verb, cwd=folder).count(said), 1)
            self.assertNotIn("COMPENSATE", self.perfcomp("compare", "100", "200", cwd=folder))
            self.assertRegex(self.perfcomp("watch", "400", cwd=folder), r"1 ended   not compensated \(PERFCOMP_COMPENSATE=0\): LT is CT, \d")
            shown = subprocess.check_output(["script", "-qc", f"stty rows 24 cols 80; {PERFCOMP} watch 400", "/dev/null"], stdin=subprocess.DEVNULL, text=True, cwd=folder)
            self.assertRegex(shown, r"not compensated: LT is CT, \d", "nor is it kept from a narrow screen")

    def watching(self, folder, *arguments):
        return subprocess.Popen([PERFCOMP, "watch", *arguments, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_watch(self):
        """From before the program's begin to its end: what it does now, and what it did since the last look."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/live")
            for live in {}, {"PERFCOMP_LIVE": f"{folder}/live"}:
                watch = self.watching(f"{folder}/run", "--json", "--interval", "0.05", "-n", "1000")
                self.assertIn("waits for the first one", watch.stderr.readline())
                program = subprocess.Popen([self.folder / "program", "1000", "wait"], env=dict(os.environ, PERFCOMP_DIR=f"{folder}/run", **live),
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                program.stdout.readline()
                looks = [json.loads(watch.stdout.readline()) for _ in range(12)]
                program.communicate("\n")
                rest, messages = watch.communicate(timeout=60)
                looks += [json.loads(line) for line in rest.splitlines()]
                self.assertEqual((watch.returncode, messages), (0, ""))
                watch.stdout.close()
                shutil.rmtree(f"{folder}/run")
                calls = [sum(r["calls"] for r in look["regions"] if r["name"] == "twice") for look in looks]
                self.assertEqual(sum(calls), 1000, "each call belongs to one look")
                [process] = looks[11]["processes"]
                self.assertEqual((looks[11]["running"], process["state"], process["pid"]), (1, "running", program.pid))
                self.assertEqual([(t["state"], t["now"]) for t in process["threads"]], [("sleeps", ["loop"])], "it waits for input")
                self.assertGreater(process["threads"][0]["for_ns"], 1e8)
                self.assertTrue(4e7 < process["passed_ns"] < 1e10, process["passed_ns"])
                self.assertLess(abs(process["sum"]["ct"] - process["passed_ns"]), 1e6)
                self.assertEqual((looks[-1]["running"], looks[-1]["ended"], looks[-1]["processes"][0]["state"]), (0, 1, "ended"))
                whole = sum(look["processes"][0]["sum"]["lt"] for look in looks)
                self.assertAlmostEqual(whole, looks[-1]["processes"][0]["total"]["lt"], delta=1e3)

    def test_watch_of_a_profile_that_goes(self):
        """It may come back, as of a later run: until then watch says for what it waits (it did without a word)."""
        with tempfile.TemporaryDirectory() as folder:
            self.run_program("100", "abort", folder=folder)
            shutil.move(f"{folder}/perfcomp.0.pfc", f"{folder}/died")
            program = subprocess.Popen([self.folder / "program", "1000", "wait"], env=dict(os.environ, PERFCOMP_DIR=folder),
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            program.stdout.readline()
            watch = self.watching(folder, "--json", "--interval", "0.05")
            watch.stdout.readline()
            os.remove(f"{folder}/perfcomp.0.pfc")
            self.assertIn("no profile any more: waits for the next one", watch.stderr.readline())
            os.rename(f"{folder}/died", f"{folder}/perfcomp.0.pfc")
            looks, messages = watch.communicate(timeout=60)
            self.assertEqual((watch.returncode, messages, json.loads(looks.splitlines()[-1])["processes"][0]["state"]), (0, "", "died"))
            program.communicate("\n")

    def test_watch_reads_what_has_ended_once(self):
        """As of a server that forks a process a connection: each look took longer than the one before. A later run's is read."""
        with tempfile.TemporaryDirectory() as folder:
            ended, later = f"{folder}/ended/perfcomp.0.pfc", f"{folder}/later/perfcomp.0.pfc"
            self.run_program("100", folder=f"{folder}/ended")
            self.run_program("300", folder=f"{folder}/later")
            program = subprocess.Popen([self.folder / "program", "1000", "wait"], env=dict(os.environ, PERFCOMP_DIR=f"{folder}/run"),
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            program.stdout.readline()
            watch = self.watching(f"{folder}/run", "--json", "--interval", "0.05", ended)
            looks = [json.loads(watch.stdout.readline())]
            with open(ended, "r+b") as file:
                file.seek(os.path.getsize(ended) - 1000)
                file.write(b"\xff" * 1000)
            self.assertIn("damaged", self.perfcomp("report", ended, status=1))
            looks += [json.loads(watch.stdout.readline()) for _ in range(10)]
            os.rename(later, ended)
            looks += [json.loads(watch.stdout.readline()) for _ in range(10)]
            program.communicate("\n")
            rest, messages = watch.communicate(timeout=60)
            looks += map(json.loads, rest.splitlines())
            self.assertEqual((watch.returncode, messages), (0, ""))
            ends = [[p["pid"] for p in look["processes"] if p["pid"] != program.pid] for look in looks]
            self.assertEqual((len(set(map(len, ends))), len(set(map(tuple, ends)))), (1, 2), ends)

    def test_watch_of_regions_just_entered(self):
        """The last moment known may be their begin: they aren't open for less than no time (of 150 looks, 9 were)."""
        with tempfile.TemporaryDirectory() as folder:
            program = subprocess.Popen([self.folder / "program", "1000000000"], env=dict(os.environ, PERFCOMP_DIR=folder))
            try:
                looks = self.perfcomp("watch", "--json", "--interval", "0.01", "-n", "100", folder).splitlines()
            finally:
                program.kill()
                program.wait()
        threads = [t for look in looks if look.startswith("{") for p in json.loads(look)["processes"] for t in p["threads"]]
        self.assertGreaterEqual(min(t.get("for_ns", 0) for t in threads), 0)

    @staticmethod
    def await_sleep(program):
        """It has said that it is about to."""
        while Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()[0] != "S":
            time.sleep(0.001)

    def watch_of(self, text, change):
        """Looks at a program that has run `text`, the first one, and then runs `change`."""
        source = """#define PERFCOMP_IMPLEMENTATION
            #include "perfcomp.h"
            int main(void) { pfc__node_t *node; %s puts("ready"); fflush(stdout);
                getchar(); %s puts("changed"); fflush(stdout); getchar(); }""" % (text, change)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", "-w", "-I", TOP, "-xc", "-", "-lm", "-lpthread"], cwd=folder, input=source, text=True, check=True)
            program = subprocess.Popen("./a.out", cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.assertEqual(program.stdout.readline(), "ready\n")
            watch = subprocess.Popen([PERFCOMP, "watch", "--json", "--interval", "0.1", folder], stdout=subprocess.PIPE, text=True)
            looks = [json.loads(watch.stdout.readline())]
            program.stdin.write("\n")
            program.stdin.flush()
            self.assertEqual(program.stdout.readline(), "changed\n")
            looks += [json.loads(watch.stdout.readline()) for _ in range(3)]
            program.communicate("\n")
            watch.communicate()
        return looks

    def test_watch_of_an_entry_seen_twice(self):
        """While it ends: at the next look there was one less, and watch told of 18446744073709551615 calls."""
        looks = self.watch_of('{ PFC_SCOPE("brief"); node = pfc__self->top->node; }', "node->timed--;")
        calls = [{r["name"]: r["calls"] for r in look["regions"]}.get("brief", 0) for look in looks]
        self.assertEqual(calls, [1, 0, 0, 0])
        self.assertLess(max(look["processes"][0]["calls"] for look in looks), 10)

    def test_watch_of_time_found_to_be_of_others(self):
        """What a region has run since may be less than nothing, and what others have more of then was told twice: 0 ± 0."""
        looks = self.watch_of('{ PFC_SCOPE("caller"); node = pfc__self->top->node; usleep(50000); }', "node->timed++; node->exclusive /= 2;")
        took = {r["name"]: (r["calls"], r["exclusive"]["ct"]) for look in looks[1:] for r in look["regions"] if r["calls"]}
        self.assertEqual(took["caller"][0], 1)
        self.assertLess(took["caller"][1], -20e6)

    def test_watch_text(self):
        with tempfile.TemporaryDirectory() as folder:
            program = subprocess.Popen([self.folder / "program", "1000", "wait"], env=dict(os.environ, PERFCOMP_DIR=folder),
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            program.stdout.readline()
            self.await_sleep(program)
            first, second = self.perfcomp("watch", "-n", "2", "--interval", "0.1", folder).split("\n\nperfcomp watch")
            self.assertRegex(first, r"1 running, 0 ended .*program 1000 wait\n")
            self.assertRegex(first, rf"(?m)^ +0 +{program.pid} .*  sleeps   loop  for \d+\.\d{{3}} s$")
            self.assertRegex(first, r"(?m)^ +1000 .*%  twice  counted\.c$")
            self.assertNotIn("twice", second, "nothing was done there since")
            program.kill()
            program.communicate()
            self.assertRegex(self.perfcomp("watch", folder), r"(?m)0 running, 1 ended(.*\n)*.*  died     loop$")
        self.assertRegex(self.perfcomp("watch", self.profile), r"(?m)  ended    $")

    def test_watch_tells_who_sleeps(self):
        """In a system call a thread of the program doesn't compute, whatever the region is called that it is in."""
        busy = """\
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <pthread.h>
static volatile int goes_on = 1;
static void *spin(void *a) { PFC_FUNCTION(); while (goes_on) ; return a; }
static void *nap(void *a) { PFC_FUNCTION(); puts("begun"); fflush(stdout); sleep(60); return a; }
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, spin, 0);
    pthread_create(&t[1], 0, nap, 0);
    return pthread_join(t[0], 0);
}
"""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", f"-I{TOP}", "-x", "c", "-", "-o", f"{folder}/busy", "-lm", "-pthread"], input=busy, text=True, check=True)
            program = subprocess.Popen(["./busy"], cwd=folder, stdout=subprocess.PIPE, text=True)
            self.assertEqual(program.stdout.readline(), "begun\n")
            looks = [json.loads(line) for line in self.perfcomp("watch", "--json", "-n", "50", "--interval", "0.05", folder).splitlines()]
            program.send_signal(signal.SIGSTOP)
            while any(task.read_text().rpartition(")")[2].split()[0] != "T" for task in Path(f"/proc/{program.pid}/task").glob("*/stat")):
                time.sleep(0.001)
            [stopped] = json.loads(self.perfcomp("watch", "--json", "-n", "1", folder))["processes"]
            program.kill()
            program.communicate()
        self.assertIn(("spin", "sleeps"), [(t["now"][0], t["state"]) for t in stopped["threads"] if t["now"]])
        states = {(t["now"][0], t["state"]) for look in looks for t in look["processes"][0]["threads"] if t["now"]}
        self.assertLessEqual({("spin", "computes"), ("nap", "sleeps")}, states)
        self.assertNotIn(("spin", "sleeps"), states)

    def test_watch_shares(self):
        """A share of what is zero within its uncertainty could be any figure."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", f"-I{TOP}", "-x", "c", "-", "-o", f"{folder}/nothing", "-lm", "-pthread"], input=NOTHING, text=True,
                           check=True)
            subprocess.run([f"{folder}/nothing"], env=dict(os.environ, PERFCOMP_DIR=folder, PERFCOMP_SCALE="10,9"), check=True)
            self.assertRegex(self.perfcomp("watch", folder), r"(?m)^ +100000 [^%]* \?  nothing ")
        self.assertRegex(self.perfcomp("watch", self.profile), r"(?m) [0-9.]+%  twice ")

    def assert_now_is_below_now(self, lines):
        [column] = [line.index("now") for line in lines if line.endswith("  now")]
        self.assertEqual({line.index("sleeps   ") for line in lines if "sleeps   " in line}, {column}, lines)

    def test_watch_fits_the_screen(self):
        many = """\
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <pthread.h>
static void *sleeps(void *a) { PFC_FUNCTION(); sleep(60); return a; }
int main(void)
{
    pthread_t t;
    PFC_FUNCTION();
    for (int i = 0; i < 40; i++) pthread_create(&t, 0, sleeps, 0);
    puts("begun");
    fflush(stdout);
    sleep(60);
    return 0;
}
"""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", f"-I{TOP}", "-x", "c", "-", "-o", f"{folder}/many", "-lm", "-pthread"], input=many, text=True, check=True)
            program = subprocess.Popen(["./many"], cwd=folder, stdout=subprocess.PIPE, text=True)
            self.assertEqual(program.stdout.readline(), "begun\n")
            self.await_sleep(program)
            for rows in 12, 20, 50:
                command = f"stty rows {rows} cols 80; {PERFCOMP} watch -n 1 {folder}"
                shown = subprocess.run(["script", "-qc", command, "/dev/null"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                       check=True).stdout
                self.assertLess(shown.count("\n"), rows, shown)
                self.assertRegex(shown, r"… \d+ threads left out: perfcomp watch --all")
                lines = [re.sub("\x1b[^A-Za-z]*[A-Za-z]", "", line) for line in shown.splitlines()]
                self.assertTrue(all("sleeps" in line[:80] for line in lines if " thread " in line), lines)
                self.assert_now_is_below_now(lines)
            self.assertRegex(shown, r"\x1b\[\?7l[^\0]*\x1b\[\?7h\s*$", "lines are cut no longer, also for who stops it by ^Z")
            for verb in f"watch -n 1 {folder}", f"report {folder}":
                shown = subprocess.check_output(["script", "-qc", f"{PERFCOMP} {verb}", "/dev/null"], stdin=subprocess.DEVNULL, text=True, env=dict(os.environ, TERM="dumb"))
                self.assertIn("sleeps", shown)
                self.assertNotIn("\x1b", shown, "an editor's shell shows them as they are")
            text = self.perfcomp("watch", "-n", "1", "--all", folder)
            self.assertEqual(text.count("thread "), 40)
            self.assert_now_is_below_now(text.splitlines())
            program.kill()
            program.communicate()

    def test_watch_shows_the_innermost_region(self):
        """Of a path so much of its end as the screen has room for, and the head's figures."""
        name = "a_function_with_a_name_of_a_good_length_%d"
        deep = '#define PERFCOMP_IMPLEMENTATION\n#include "perfcomp.h"\nint main(void)\n{\n'
        deep += "".join(f'    PFC_BEGIN("{name % i}");\n' for i in range(8))
        deep += '    puts("begun");\n    fflush(stdout);\n    sleep(60);\n    return 0;\n}\n'
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", f"-I{TOP}", "-x", "c", "-", "-o", f"{folder}/deep", "-lm", "-pthread"], input=deep, text=True, check=True)
            program = subprocess.Popen(["./deep"], cwd=folder, stdout=subprocess.PIPE, text=True)
            self.assertEqual(program.stdout.readline(), "begun\n")
            self.await_sleep(program)
            for columns, regions in (80, 0), (119, 1), (132, 1), (180, 2), (400, 5):
                shown = subprocess.run(["script", "-qc", f"stty rows 24 cols {columns}; {PERFCOMP} watch -n 1 {folder}", "/dev/null"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True).stdout
                lines = [re.sub("\x1b[^A-Za-z]*[A-Za-z]", "", line).rstrip()[:columns] for line in shown.splitlines()]
                [now] = [line for line in lines if "sleeps" in line]
                path = "… > " * (regions > 0) + " > ".join(name % i for i in range(8 - max(regions, 1), 8))
                self.assertRegex(now, rf"  sleeps   {path}  for \d+\.\d{{3}} s$" if regions else rf"  sleeps   {path}$", columns)
                self.assertRegex(lines[0], r"instr(umentation)? \d+\.\d\d %")
            program.kill()
            program.communicate()

    def test_watch_ends(self):
        """When the user wants it, or where what is named is no profile."""
        with tempfile.TemporaryDirectory() as folder:
            for end in signal.SIGINT, signal.SIGTERM:
                watch = self.watching(folder)
                self.assertIn("waits", watch.stderr.readline())
                watch.send_signal(end)
                self.assertEqual(watch.communicate(timeout=60), ("", ""))
                self.assertEqual(watch.returncode, 1, "there was nothing to show")
            self.assertIn("no profile yet: waits", self.perfcomp("watch", "-n", "2", "--interval", "0.01", f"{folder}/none.pfc", status=1))
            self.assertEqual(self.perfcomp("watch", "-n", "1", f"{folder}/none.pfc", status=1), f"perfcomp watch: {folder}/none.pfc: no profile yet\n",
                             "it doesn't wait")
            os.symlink("loop", f"{folder}/loop")
            for never, why in ("loop", "symbolic links"), ("x" * 300, "too long"), (__file__ + "/x.pfc", "Not a directory"):
                self.assertIn(why, self.perfcomp("watch", "-n", "2", "--interval", "0.01", os.path.join(folder, never), status=1))
                self.assertNotIn("no profile yet", self.perfcomp("watch", os.path.join(folder, never), status=1))
            (Path(folder) / "perfcomp.0.pfc").write_text("text")
            self.assertRegex(self.perfcomp("watch", folder, status=1), r"^perfcomp: .*perfcomp.0.pfc: .*not a profile.*\n$")
            shutil.copy(self.profile, f"{folder}/perfcomp.1.pfc")
            self.assertIn("twice", self.perfcomp("watch", folder, status=1), "the good one is still shown")
        for wrong in "0", "-1", "x", "1s", "nan", "":
            self.assertIn(f"--interval {wrong} isn't understood", self.perfcomp("watch", "--interval", wrong, status=2))

    def test_check(self):
        program, plain = str(self.folder / "program"), str(self.folder / "plain")
        arguments = ["check", "-n", "3", "--json", "--", plain, "20000", "--", program, "20000"]
        result = json.loads(self.perfcomp(*arguments))
        self.assertEqual(result["runs"], 3)
        self.assertLess(result["wall"]["residual_low"], result["wall"]["residual_high"] + 1e-12)
        self.assertLess(result["wall"]["compensated"], result["wall"]["measured"])
        text = self.perfcomp("check", "-n", "1", "--", plain, "--", program)
        for part in "plain", "compensated", "residual", "inlines":
            self.assertIn(part, text)

    def built_of_brief_calls(self, name, flags):
        source = """#define PERFCOMP_IMPLEMENTATION
            #include "perfcomp.h"
            #include <stdlib.h>
            static volatile double sink;
            static void brief(void) { PFC_FUNCTION(); sink += 1; }
            int main(int argc, char **argv) { for (int i = atoi(argv[argc - 1]); i > 0; i--) brief(); }"""
        subprocess.run(["gcc", "-O1", "-w", "-I", TOP, *flags, "-xc", "-", "-o", self.folder / name, "-lm", "-lpthread"], input=source, text=True, check=True)
        return str(self.folder / name)

    def test_check_of_little(self):
        """What loading a larger program takes isn't what probes take; and of few runs there is no interval."""
        program, plain = (self.built_of_brief_calls(name, flags) for name, flags in (("brief", []), ("brief_plain", ["-DPERFCOMP_DISABLE"])))
        text = self.perfcomp("check", "-n", "1", "--", plain, "100", "--", program, "100")
        self.assertIn("Probes took too little, or the runs differ too much", text)
        self.assertIn("lowest .. highest", text)
        text = self.perfcomp("check", "-n", "2", "--", plain, "2000000", "--", program, "2000000")
        self.assertNotRegex(text, r"95 % interval|PERFCOMP_SCALE=")
        self.assertIn("95 % interval", self.perfcomp("check", "-n", "6", "--", plain, "1", "--", program, "1"))

    def test_check_tells_the_scale(self):
        program, plain = (self.built_of_brief_calls(name, flags) for name, flags in (("brief", []), ("brief_plain", ["-DPERFCOMP_DISABLE"])))
        # One run: the medians' ratio is the median of ratios.
        arguments = ["check", "-n", "1", "--json", "--", plain, "2000000", "--", program, "2000000"]
        charged = {1: [], 3: []}
        for had in 5 * [1, 3]:  # what else the machine does changes what probes take: so the median of five
            with unittest.mock.patch.dict(os.environ, {"PERFCOMP_SCALE": f"{had},0.1"}), tempfile.TemporaryDirectory() as folder:
                result = json.loads(self.perfcomp(*arguments))
                self.run_program("100", folder=folder)
                [profile] = self.profile_json(folder)
            self.assertEqual((profile["scale"], profile["scale_doubt"]), (had, 0.1))
            seen = [had * (r["measured"] - r["start"] - r["plain"]) / (r["measured"] - r["start"] - r["compensated"])
                    for r in (result["wall"], result["cpu"])]
            self.assertTrue(any(abs(result["scale"] - s) < 1e-9 for s in [0, *seen]), (result, seen))  # 0: they don't tell
            self.assertLessEqual(result["scale_low"], result["scale_high"])
            charged[had].append(result["wall"]["measured"] - result["wall"]["compensated"])
        self.assertGreater(statistics.median(charged[3]), 1.5 * statistics.median(charged[1]))

    def test_check_is_ended(self):
        """Nothing is left of it, neither its folder nor the program that it was running."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/gate")
            check = subprocess.Popen([PERFCOMP, "check", "--", "sh", "-c", f"echo > {folder}/gate; exec sleep 1000", "--", "true"],
                                     env=dict(os.environ, TMPDIR=folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            Path(f"{folder}/gate").read_text()
            self.assertEqual(len(list(Path(folder).glob("perfcomp.*"))), 1)
            check.terminate()
            self.assertEqual(check.communicate(timeout=60), ("", ""))
            self.assertEqual(check.returncode, -signal.SIGTERM)
            self.assertEqual(list(Path(folder).glob("perfcomp.*")), [])

    def test_check_in_odd_surroundings(self):
        """In a folder with a long name, started by who ignores that its children end."""
        program, plain = str(self.folder / "program"), str(self.folder / "plain")
        with tempfile.TemporaryDirectory(prefix=60 * "long") as folder:
            arguments = ["check", "-n", "1", "--json", "--", plain, "10", "--", "sh", "-c", f'echo "$PERFCOMP_DIR" > {folder}/was; exec {program} 10']
            result = json.loads(self.perfcomp(*arguments, env=dict(os.environ, TMPDIR=folder), preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)))
            self.assertEqual(result["runs"], 1)
            self.assertTrue(Path(f"{folder}/was").read_text().startswith(f"{folder}/perfcomp."))
            self.assertEqual(list(Path(folder).glob("perfcomp.*")), [])
            self.assertIn(f"can be made in {folder}/gone", self.perfcomp(*arguments, status=1, env=dict(os.environ, TMPDIR=f"{folder}/gone")))

    def test_check_of_threads(self):
        """What a thread waited for another one's probes is no CPU time."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "threads.c").write_text(
                "#define PERFCOMP_IMPLEMENTATION\n#include \"perfcomp.h\"\n#include <pthread.h>\nstatic volatile int s;\n"
                "static void *brief(void *p) { for (int i = 0; i < 100000; i++) { PFC_SCOPE(\"brief\"); s++; } return p; }\n"
                "int main(void) { pthread_t t; PFC_SCOPE(\"main\"); return pthread_create(&t, 0, brief, 0) || pthread_join(t, 0); }\n")
            self.run_ten_lines(folder, "threads.c")
            commands = "--", "true", "--", f"{folder}/ten_lines"
            result = json.loads(self.perfcomp("check", "-n", "1", "--json", *commands))
            self.assertIn("compensated", result["wall"])
            self.assertNotIn("compensated", result["cpu"])
            self.assertIn("CPU time isn't compensated", self.perfcomp("check", "-n", "1", *commands))

    def test_check_of_processes(self):
        """Nor is what a process waited for one that it has forked: less it, CPU time came out below zero."""
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "fork.c", f"{folder}/fork"
            source.write_text("#include <sys/wait.h>\n#include <unistd.h>\nstatic volatile int s;\n"
                              "static __attribute__((noinline)) void brief(void) { s++; }\n"
                              "static int child(void) { for (int i = 0; i < 100000; i++) brief(); return 0; }\n"
                              "int main(void) { return fork() ? wait(0) < 0 : child(); }\n")
            subprocess.run([TOP / "build/perfcomp-cc", "--smallest", "0", "gcc", source, "-o", program], check=True)
            result = json.loads(self.perfcomp("check", "-n", "1", "--json", "--", "true", "--", program))
            self.assertIn("compensated", result["wall"])
            self.assertNotIn("compensated", result["cpu"])

    def test_check_of_system_time(self):
        """A process's start and end are the system's work: held against user time alone, a short one came out below zero."""
        copies = "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=1000"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(copies, stderr=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = json.loads(self.perfcomp("check", "-n", "1", "--json", "--", *copies, "--", self.folder / "program", "100"))
        self.assertGreater(result["cpu"]["plain"], 1e9 * (after.ru_stime - before.ru_stime) / 3)

    def test_check_refuses(self):
        program, plain = str(self.folder / "program"), str(self.folder / "plain")
        self.assertIn("name two commands", self.perfcomp("check", "--", plain, status=2))
        self.assertIn("name two commands", self.perfcomp("check", status=2))
        self.assertIn("-n 0", self.perfcomp("check", "-n", "0", "--", plain, "--", program, status=2))
        self.assertIn("left no profile", self.perfcomp("check", "-n", "1", "--", plain, "--", plain, status=1))
        elsewhere = ("env", "-u", "PERFCOMP_DIR", program)
        with tempfile.TemporaryDirectory() as here:
            self.assertIn("must hand PERFCOMP_DIR on", self.perfcomp("check", "-n", "1", "--", plain, "--", *elsewhere, status=1, cwd=here))
        self.assertIn("both commands exit with 1", self.perfcomp("check", "-n", "1", "--", "false", "--", "false", status=1))
        self.assertIn("can't be run", self.perfcomp("check", "--", "/nonexistent/x", "--", program, status=1))
        self.assertIn("exits with", self.perfcomp("check", "-n", "1", "--", plain, "10", "--", program, "10", "fail", status=1))

    def filtered(self, *arguments):
        return json.loads(self.perfcomp("filter", "--json", *arguments))

    def test_filter(self):
        everything = self.filtered("--overhead", "1e6")
        self.assertEqual((everything["functions"], everything["filtered"]), (1, []))
        self.assertEqual(everything["cost_filtered"], everything["cost"])
        nothing = self.filtered("--overhead=0%")
        [twice] = nothing["filtered"]
        self.assertEqual((twice["name"], twice["file"], twice["calls"]), ("twice", "counted.c", 1000))
        self.assertAlmostEqual(nothing["cost"] - nothing["cost_filtered"], twice["cost"], delta=1e-6)
        self.assertGreater(nothing["cost_filtered"], 0, "what the source marks itself isn't filtered")
        with tempfile.TemporaryDirectory() as folder:
            self.run_program("1000", folder=folder)
            both = self.filtered("--overhead", "0", self.profile, folder)
        self.assertEqual([f["calls"] for f in both["filtered"]], [2000], "processes are summed")

    def test_filter_takes_the_briefest(self):
        """As many as are needed; not those that hardly run."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "three.c").write_text(
                "static volatile int s;\nvoid once(void) { }\nvoid brief(void) { s++; }\n"
                "void longer(void) { for (int i = 0; i < 1000; i++) s++; }\n"
                "int main(void) { once(); for (int i = 0; i < 1000; i++) { longer(); brief(); } return 0; }\n")
            subprocess.run([TOP / "build/perfcomp-cc", "--smallest", "0", "gcc", "three.c", "-o", "three"], cwd=folder, check=True)
            subprocess.run([folder + "/three"], env=dict(os.environ, PERFCOMP_DIR=folder), check=True)
            all_timed = self.filtered("--overhead", "1e6", folder)
            self.assertEqual(all_timed["functions"], 4)
            share = all_timed["cost"] / all_timed["lt"]
            for part, names in (0.9, ["brief"]), (0.1, ["brief", "longer"]):
                chosen = self.filtered("--overhead", f"{100 * part * share}%", folder)
                self.assertEqual(sorted(f["name"] for f in chosen["filtered"]), names)
                self.assertAlmostEqual(chosen["cost_filtered"], chosen["cost"] - sum(f["cost"] for f in chosen["filtered"]), delta=1e-6)

    def test_filter_file(self):
        text = self.perfcomp("filter", "--overhead", "0")
        self.assertRegex(text, r"(?m)^twice\tcounted.c\t1000\t-?[\d.]+$")
        said = self.perfcomp("filter", "--overhead", "0", "-o", "filter")
        self.assertIn("1 of 1 function is", said)
        self.assertIn(f"build again with perfcomp-cc --filter {os.path.realpath(self.folder)}/filter\n", said)
        self.assertEqual((self.folder / "filter").read_text(), text)
        self.assertRegex(self.perfcomp("filter", "--overhead", "1e6", "-o", "filter"), r"all functions can go on being timed: that costs \S+ %")
        self.assertIn("can't be written", self.perfcomp("filter", "-o", "/nonexistent/filter", status=1))
        self.assertIn("--overhead much isn't understood", self.perfcomp("filter", "--overhead", "much", status=2))
        with tempfile.TemporaryDirectory() as folder:
            self.run_ten_lines(folder)
            self.assertIn("timed no function", self.perfcomp("filter", folder, status=1))
            (Path(folder) / "marked.c").write_text(
                "#define PERFCOMP_IMPLEMENTATION\n#include \"perfcomp.h\"\nstatic volatile int s;\n"
                "static void brief(void) { PFC_FUNCTION(); s++; }\n"
                "int main(void) { for (int i = 0; i < 200000; i++) brief(); return 0; }\n")
            self.run_ten_lines(folder, "marked.c")
            self.assertNotIn("perfcomp filter", self.perfcomp("report", folder), "it can't do anything here")

    def test_bad_profiles(self):
        good = self.profile.read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("holds no perfcomp.*.pfc", self.perfcomp("report", folder, status=1))
            bad = Path(folder) / "perfcomp.0.pfc"
            for content, says in ((b"", "empty"), (b"text", "not a profile"), (good[:-1], "cut off"), (good[:100], "cut off"),
                                  (good[:20000] + b"\xff\xff" + good[20002:], "checksum")):
                bad.write_bytes(content)
                for verb in ["report"], ["annotate"], ["export", "--json"]:
                    text = self.perfcomp(*verb, str(bad), status=1)
                    self.assertIn(f"{bad}: ", text)
                    self.assertIn(says, text)
                    self.assertEqual(text.count("\n"), 1, text)
            self.assertIn("twice", self.perfcomp("report", str(bad), self.profile, status=1), "the good one is still shown")
        self.assertIn("can't be read", self.perfcomp("report", "/nonexistent", status=1))

    def test_a_process_killed_at_its_start(self):
        """It has left nothing, and the others' profiles are all there is to show; where there are none, that is said."""
        for content in b"", bytes(4096), self.profile.read_bytes()[:8] + bytes(4088):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "perfcomp.0.2.pfc").write_bytes(content)
                self.assertIn("left out", self.perfcomp("report", folder, status=1))
                shutil.copy(self.profile, folder + "/perfcomp.0.pfc")
                for verb in "report", "annotate", "merge":
                    text = self.perfcomp(verb, folder, *(["-o", folder + "/all"] if verb == "merge" else []))
                    self.assertIn("perfcomp.0.2.pfc: begun just now, or killed then: left out", text)

    def test_a_profile_that_is_replaced(self):
        """Whoever looks just then finds the later one, or none: that is no error."""
        with tempfile.TemporaryDirectory() as folder:
            source, shim, profile = Path(folder) / "shim.c", Path(folder) / "shim.so", Path(folder) / "perfcomp.0.pfc"
            source.write_text("""#define _GNU_SOURCE
                #include <dirent.h>
                #include <dlfcn.h>
                #include <stdlib.h>
                #include <unistd.h>
                int scandir(const char *name, struct dirent ***list, int (*wanted)(const struct dirent *),
                            int (*compare)(const struct dirent **, const struct dirent **))
                {
                    static int once;
                    int (*real)(const char *, struct dirent ***, void *, void *) =
                        (int (*)(const char *, struct dirent ***, void *, void *))dlsym(RTLD_NEXT, "scandir");
                    int n = real(name, list, (void *)wanted, (void *)compare);
                    if (!once++) unlink(getenv("OLD"));
                    return n;
                }
                char *strerror(int error)   /* it couldn't be opened */
                {
                    if (*getenv("NEW") && access(getenv("OLD"), F_OK) && link(getenv("NEW"), getenv("OLD"))) abort();
                    return ((char *(*)(int))dlsym(RTLD_NEXT, "strerror"))(error);
                }
                """)
            subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", shim, "-ldl"], check=True)
            shutil.copy(self.profile, f"{folder}/new")
            for new, shown in ("", 0), (f"{folder}/new", 1):
                shutil.copy(self.profile, profile)
                with unittest.mock.patch.dict(os.environ, {"LD_PRELOAD": str(shim), "OLD": str(profile), "NEW": new}):
                    text = self.perfcomp("watch", "-n", "1", folder, status=1 - shown)
                self.assertNotIn("can't be read", text)
                self.assertIn("1 ended" if shown else "no profile yet", text)

    def test_a_pipe_among_the_profiles(self):
        """Nobody waits for what may never come through it."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(folder + "/perfcomp.0.pfc")
            self.assertIn("is no regular file", self.perfcomp("report", folder, status=1))

    def test_a_folder_of_folders(self):
        """A job each, as with PERFCOMP_DIR=profiles/%p: which of them is meant, only the user knows."""
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(f"{folder}/jobs/1")
            self.assertNotIn("folders in it", self.perfcomp("report", f"{folder}/jobs", status=1) + self.perfcomp("watch", "-n1", f"{folder}/jobs", status=1))
            shutil.copy(self.profile, f"{folder}/jobs/1")
            self.assertEqual(self.perfcomp("report", "jobs", cwd=folder, status=1),
                             "perfcomp: jobs: holds no perfcomp.*.pfc, but folders in it do: name these, like jobs/*\n")
            self.assertIn("jobs: folders in it hold profiles: perfcomp watch jobs/*\n", self.perfcomp("watch", "-n1", "jobs", cwd=folder, status=1))
            self.assertIn(": perfcomp watch ./*\n", self.perfcomp("watch", "-n1", cwd=f"{folder}/jobs", status=1))

    def test_export_of_no_time(self):
        """A flame graph of nothing would be an empty file; one that is there stays."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcc", f"-I{TOP}", "-x", "c", "-", "-o", f"{folder}/nothing", "-lm", "-pthread"], input=NOTHING, text=True, check=True)
            subprocess.run([f"{folder}/nothing"], env=dict(os.environ, PERFCOMP_DIR=folder, PERFCOMP_SCALE="50,9"), check=True)
            Path(folder, "folded").write_text("as it was")
            for form in "folded", "speedscope":
                self.assertRegex(self.perfcomp("export", "--format", form, "-o", f"{folder}/folded", folder, status=1),
                                 r"\Aperfcomp export: no call path has an undisturbed time above zero: .*\n\Z")
            self.assertEqual(Path(folder, "folded").read_text(), "as it was")

    def test_names_that_would_act_on_the_terminal(self):
        """A message is one line of what can be read, whatever the name in it holds."""
        name = "a\033[31m\nb"
        for words, status in ((("report", name), 1), (("predict", name), 1), (("export", "--format", name), 2), (("merge", "-o", f"{name}/x"), 1),
                              ((name,), 2), (("report", f"--{name}"), 2), (("watch", "-n", "1", name), 1), (("filter", "-o", f"{name}/x"), 1)):
            with self.subTest(words=words):
                self.assertRegex(self.perfcomp(*words, status=status), r"\Aperfcomp[^\033\n]*a\?\[31m\?b[^\033\n]*\n\Z")

    def test_usage(self):
        self.assertIn("usage", self.perfcomp(status=2))
        self.assertIn("usage", self.perfcomp("--help"))
        self.assertIn("no verb 'frobnicate'", self.perfcomp("frobnicate", status=2))
        for verb in "report", "annotate", "export", "merge", "check", "compare", "filter", "watch", "represent", "predict":
            self.assertIn(f"usage: perfcomp {verb}", self.perfcomp(verb, "--help"))
            self.assertEqual(self.perfcomp("help", verb), self.perfcomp(verb, "--help"))
            self.assertIn("there is no option '--wrong'", self.perfcomp(verb, "--wrong", status=2))
        for wrong, named in (("-n", "3"), "-n"), (("--source=x",), "--source=x"), (("--overhead", "5"), "--overhead"), (("-xj",), "-x"):
            self.assertIn(f"report: there is no option '{named}'", self.perfcomp("report", *wrong, status=2))
        self.assertIn("report: '--json' takes no value", self.perfcomp("report", "--json=1", status=2))
        self.assertIn("--interval 1e9 isn't understood; give seconds from 0.01 to 1000000",
                      self.perfcomp("watch", "--interval", "1e9", status=2))
        self.assertIn("option '--format' lacks its value", self.perfcomp("export", "--format", status=2))
        self.assertIn("option '-o' lacks its value", self.perfcomp("merge", "-o", status=2))
        self.assertIn("choose one", self.perfcomp("export", status=2))
        self.assertIn("--json and --format lcov are two formats", self.perfcomp("export", "--json", "--format", "lcov", status=2))
        self.assertIn("there is no option '--runs'", self.perfcomp("watch", "--runs", "3", status=2))
        self.assertIn("--runs 0 isn't understood", self.perfcomp("check", "--runs", "0", status=2))
        for empty in ("report", ""), ("compare", self.profile, ""), ("merge", "-o", "", self.profile), ("predict", "1="):
            self.assertEqual(self.perfcomp(*empty, status=2), f"perfcomp {empty[0]}: the name of a file or folder is empty; is a variable not set?\n")
        self.assertIn("xml is no format: choose one", self.perfcomp("export", "--format", "xml", status=2))


if __name__ == "__main__":
    unittest.main()
