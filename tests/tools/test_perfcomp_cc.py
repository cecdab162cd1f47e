"""perfcomp-cc is as transparent as it says: status, diagnostics, files, every form of command line."""

import itertools
import json
import os
import platform
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from harness import CC, READER, TOOLS, TOP, Folder, analyse, compilers, counts, reported, run
from instrument import process

HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 3; }\n'
TWICE = "int twice(int a) { return a ? 2 * a : 0; }\n"
MAIN = "int twice(int);\nint main(void) { return twice(2); }\n"


CONTAINERS = unittest.skipIf(run(["unshare", "-rpf", "--mount-proc", "true"])[0], "no namespaces")


def in_bytes(text):
    """One character a byte, as Folder.file writes them."""
    return os.fsencode(text).decode("latin-1")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)
        self.environment = {"TMPDIR": self.folder.file("tmp"), "PERFCOMP_CC_SUMMARY": self.folder.file("summary")}
        os.mkdir(self.environment["TMPDIR"])

    def tearDown(self):
        self.assertEqual(os.listdir(self.environment["TMPDIR"]), [], "temporary files were left")

    def cc(self, *words, compiler="gcc", **keywords):
        return run([CC, compiler, *words], cwd=self.folder.path, env=self.environment, **keywords)

    def plain(self, *words, compiler="gcc", **keywords):
        return run([compiler, *words], cwd=self.folder.path, env=self.environment, **keywords)

    def read(self, name, mode="r"):
        with open(self.folder.file(name), mode) as file:
            return file.read()

    def instrumented(self, name):
        return b"pfc__unit_register" in self.read(name, "rb")

    def start(self, name="a.out", timeout=300, **environment):
        profile = self.folder.file("profile")
        os.makedirs(profile, exist_ok=True)
        return run([self.folder.file(name)], timeout=timeout, env={"PERFCOMP_DIR": profile, **environment})[:2]

    def start_patiently(self, patience=3):
        """LLVM 14's OpenMP hangs now and then in tasks that wait for others, in its own locks, in plain programs as well."""
        try:
            return self.start(timeout=60)
        except subprocess.TimeoutExpired:
            if patience == 1:
                raise
            return self.start_patiently(patience - 1)


class Transparency(Case):
    def test_interrupted_with_the_compiler(self):
        """^C ends them both: that the compiler has ended first is no error of its own."""
        def interrupted(started):
            os.waitpid(started, 0)
            raise KeyboardInterrupt
        with mock.patch.object(process, "wait", interrupted), self.assertRaises(KeyboardInterrupt):
            process.run(["true"])

    def test_files_of_gcov(self):
        """A program that is compiled and linked at once leaves them where the plain one does."""
        self.folder.file("one.c", "int f(int);\nint main(void) { return f(0); }\n")
        self.folder.file("two.c", "int f(int a) { while (a > 9) a--; return a; }\n")
        os.mkdir(self.folder.file("bin"))
        self.folder.file("x.c", "int main(void) { return 0; }\n")
        for compiler in compilers():
            for sources, output in [(["one.c", "two.c"], "bin/x"), (["one.c", "two.c"], None), (["x.c"], "bin/x"), (["x.c"], "x"),
                                    (["x.c"], "x.exe"), (["x.c"], "bin/a.out"), (["x.c"], None)]:
                left = []
                for build in self.plain, self.cc:
                    self.assertEqual(build("--coverage", *sources, *(["-o", output] if output else []), compiler=compiler), (0, "", ""))
                    self.assertEqual(self.start(output or "a.out"), (0, ""))
                    files = [os.path.join(folder, name) for folder, _, names in os.walk(self.folder.path) for name in names if ".gc" in name]
                    left.append({os.path.relpath(name, self.folder.path) for name in files})
                    for name in files:
                        os.remove(name)
                with self.subTest(compiler=compiler, sources=sources, output=output):
                    self.assertEqual(len(left[0]), 2 * len(sources))
                    self.assertEqual(left[0], left[1])

    def test_debug_information_beside_the_program(self):
        """The file that a program names, for which the debugger looks, is there, and it's the instrumented one's."""
        self.folder.file("x.c", "int main(void) { return 0; }\n")
        for compiler in compilers():
            for name in "x", "y":
                with self.subTest(compiler=compiler, name=name):
                    self.assertEqual(self.cc("-g", "-gsplit-dwarf", "x.c", "-o", name, compiler=compiler), (0, "", ""))
                    named = re.findall(r"dwo_name *:.*[ \t](\S+\.dwo)$", run(["readelf", "--debug-dump=info", self.folder.file(name)])[1], re.M)
                    self.assertTrue(named)
                    self.assertEqual({os.path.normpath(file) for file in named},
                                     {file for file in os.listdir(self.folder.path) if file.endswith(".dwo")})
                    for file in set(named):
                        with open(self.folder.file(file), "rb") as content:
                            self.assertIn(b"pfc__", content.read())
                        os.remove(self.folder.file(file))

    def test_files_of_the_compiler(self):
        """What it writes beside the object is of the user's own source, and the object is instrumented."""
        self.folder.file("x.c", "int f(int a) { return a; }\n")
        for compiler, words, name in [("gcc", ["-fstack-usage"], "x.su"), ("gcc", ["-O2", "-fopt-info-all=info"], "info"),
                                      ("gcc", ["-fcompare-debug"], "x.o"), ("clang", ["--serialize-diagnostics", "said"], "said")]:
            if compiler in compilers():
                with self.subTest(words=words):
                    self.assertEqual(self.cc("-c", *words, "x.c", compiler=compiler), (0, "", ""))
                    with open(self.folder.file(name), "rb") as file:
                        self.assertEqual(b"pfc__" in file.read(), name == "x.o")
                    self.assertTrue(self.instrumented("x.o"))

    def test_profile_for_the_optimiser(self):
        """It was written by the instrumented program, which the plain compilation isn't."""
        self.folder.file("a.c", "int f(int);\nint main(int c, char **v) { (void)v; return c > 9 ? f(c) : f(3); }\n")
        self.folder.file("b.c", "int f(int a) { int i, s = 0; for (i = 0; i < a; i++) s += i % 3 ? i : f(i); return s; }\n")
        for compiler, make, use in [("gcc", "-fprofile-generate", "-fprofile-use"),
                                    ("clang", "-fprofile-instr-generate=p.profraw", "-fprofile-instr-use=p.profdata")]:
            merge = next(filter(shutil.which, ["llvm-profdata", *("llvm-profdata-%d" % n for n in range(11, 30))]), None)
            if compiler not in compilers() or (compiler == "clang" and not merge):
                continue
            for option in [make, use]:
                for name in "ab":
                    self.assertEqual(self.cc("-O2", "-Werror", option, "-c", name + ".c", compiler=compiler), (0, "", ""))
                self.assertEqual(self.cc("-O2", option, "a.o", "b.o", compiler=compiler), (0, "", ""))
                self.assertEqual(run([self.folder.file("a.out")], cwd=self.folder.path)[:2], (3, ""))
                if compiler == "clang" and option == make:
                    run([merge, "merge", "p.profraw", "-o", "p.profdata"], cwd=self.folder.path)
            self.assertTrue(self.instrumented("a.o"))

    def test_precompiled_headers(self):
        """As cmake and meson ask for them."""
        self.folder.file("h.h", "#ifndef H\n#define H\ntypedef struct { int a; } s;\n#endif\n")
        self.folder.file("a.c", "int f(s *p) { return p->a ? 3 : 4; }\n")
        for compiler, output, words in [("gcc", "h.h.gch", "-fpch-preprocess -include h.h"), ("gcc", "h.h.gch", "-Winvalid-pch -include h.h"),
                                        ("clang", "h.h.pch", "-Xclang -include-pch -Xclang h.h.pch -Xclang -include -Xclang h.h"),
                                        ("clang", "h.h.pch", "-include-pch h.h.pch")]:
            if compiler in compilers():
                with self.subTest(compiler=compiler, words=words):
                    self.assertEqual(self.cc("-x", "c-header", "h.h", "-o", output, compiler=compiler), (0, "", ""))
                    self.assertEqual(self.cc("-c", *words.split(), "a.c", compiler=compiler), (0, "", ""))
                    self.assertTrue(self.instrumented("a.o"))

    def test_a_precompiled_header_that_no_source_includes(self):
        """As cmake makes one for clang, of an empty source: its text is in what is instrumented."""
        if "clang" not in compilers():
            self.skipTest("no clang")
        self.folder.file("h.h", "#pragma once\nstatic inline int own(int a) { while (a > 9) a--; return a; }\n")
        self.folder.file("pch.h", '#pragma clang system_header\n#include "%s"\n' % self.folder.file("h.h"))
        self.folder.file("pch.h.c", "")
        self.folder.file("a.c", "int main(void) { return own(12) - 6; }\n")
        include = ["-Xclang", "-include", "-Xclang", self.folder.file("pch.h")]
        self.assertEqual(self.cc("-Xclang", "-emit-pch", *include, "-x", "c-header", "-o", "pch.h.pch", "-c", "pch.h.c", compiler="clang"),
                         (0, "", ""))
        self.assertEqual(self.cc("-Xclang", "-include-pch", "-Xclang", "pch.h.pch", *include, "-c", "a.c", compiler="clang"), (0, "", ""))
        self.assertEqual(self.cc("a.o", compiler="clang"), (0, "", ""))
        self.assertEqual(self.start(), (3, ""))
        self.assertTrue(self.instrumented("a.o"))

    def test_headers_that_a_system_header_includes(self):
        """That it says so of itself makes none of those that it includes: cmake's precompiled header includes the project's."""
        os.mkdir(self.folder.file("include"))
        self.folder.file("include/own.h", "static inline int own(int a) { while (a > 9) a--; return a; }\n")
        self.folder.file("h.h", '#include <stdlib.h>\n#include "own.h"\nstatic inline int h(int a) { while (a > 9) a--; return a; }\n')
        self.folder.file("pch.h", '#pragma GCC system_header\n#include "h.h"\nstatic inline int p(int a) { while (a > 9) a--; return a; }\n')
        self.folder.file("a.c", "int f(int a) { return h(a) + p(a) + own(a); }\nint main(void) { return f(9) - 24; }\n")
        for compiler in compilers():
            self.assertEqual(self.cc("-include", "pch.h", "-Iinclude", "a.c", compiler=compiler), (0, "", ""))
            self.assertEqual(self.start(), (3, ""))
            sources = json.loads(run([READER, "annotate", "--json", self.folder.file("profile")])[1])["sources"]
            self.assertEqual(sorted(f["name"] for source in sources for f in source["functions"]), ["f", "h", "main", "own"])

    def test_a_precompiled_header_alone(self):
        """Without the header no text can be had that could be instrumented; the compiler doesn't miss it."""
        self.folder.file("h.h", "#define STATUS 3\n")
        self.folder.file("a.c", "int main(void) { return STATUS; }\n")
        self.assertEqual(self.cc("h.h", "-o", "all.h.gch"), (0, "", ""))
        status, output, messages = self.cc("-include", "all.h", "a.c")
        self.assertEqual((status, output), (0, ""))
        self.assertRegex(messages, r"^perfcomp-cc: a.c: compiled as it is, because it can't be preprocessed by itself; .*\n$")
        self.assertEqual(self.start(), (3, ""))

    def test_diagnostics_and_status(self):
        """A warning and an error come once, with the user's file and line, and the status is the compiler's."""
        self.folder.file("warn.c", "int main(void) { int unused; return 0; }\n")
        self.folder.file("bad.c", "int main(void) { return missing; }\n")
        for compiler in compilers():
            for words in (["-Wall", "-c", "warn.c"], ["-Wall", "-Werror", "-c", "warn.c"], ["-c", "bad.c"],
                          ["-c", "none.c"], ["bad.c"], ["-Wall", "warn.c", "-o", "w"], ["--version"],
                          ["-dumpversion"], ["-print-search-dirs"], ["-c"], [], ["-E", "warn.c"], ["-M", "warn.c"],
                          ["-MM", "warn.c"], ["-fsyntax-only", "-Wall", "warn.c"]):
                expected, got = self.plain(*words, compiler=compiler), self.cc(*words, compiler=compiler)
                self.assertEqual(got, expected, (compiler, words))

    def test_unknown_compiler(self):
        status, _, messages = self.cc("-c", "x.c", compiler="no-such-compiler")
        self.assertEqual((status, len(messages.splitlines())), (127, 1))

    def test_no_compiler(self):
        self.assertEqual(run([CC])[0], 2)
        self.assertEqual(run([CC, "--no-such-option", "gcc"])[0], 2)
        self.assertEqual(run([CC, "--help"])[0], 0)
        self.assertEqual(run([CC, "--help", "gcc", "a.c"]), run([CC, "--help"]))

    def test_dependencies(self):
        self.folder.file("a.c", '#include "b.h"\n' + TWICE)
        self.folder.file("b.h", "#define B 1\n")
        for words in (["-MD"], ["-MMD", "-MP"], ["-MD", "-MF", "a.d", "-MT", "x"], ["-Wp,-MD,a.d"]):
            self.plain("-c", "a.c", *words)
            expected = self.read("a.d")
            self.assertEqual(self.cc("-c", "a.c", *words)[0], 0)
            self.assertEqual(self.read("a.d"), expected)
            self.assertTrue(self.instrumented("a.o"))
        for variable in "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES": # gcc adds to these files
            self.environment[variable] = self.folder.file(variable)
            self.plain("-c", "a.c")
            expected = self.read(variable)
            os.unlink(self.folder.file(variable))
            self.assertEqual(self.cc("-c", "a.c")[0], 0)
            self.assertEqual(self.read(variable), expected)
            del self.environment[variable]

    def test_probes_of_configure(self):
        self.folder.file("conftest.c", HELLO)
        self.assertEqual(self.cc("conftest.c", "-o", "conftest")[0], 0)
        self.assertFalse(self.instrumented("conftest"))

    def test_special_output(self):
        self.folder.file("a.c", TWICE)
        self.assertEqual(self.cc("-c", "a.c", "-o", "/dev/null"), (0, "", ""))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))


    def test_time_zone(self):
        """The program chooses it, and localtime_r reads it but once."""
        self.folder.file("a.c", "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n"
                                "int main(void) { time_t t = 0; struct tm tm; setenv(\"TZ\", \"ABC-7\", 1);\n"
                                "return localtime_r(&t, &tm)->tm_hour; }\n")
        self.assertEqual(self.cc("-O1", "a.c")[0], 0)
        self.assertEqual(self.start(), (7, ""))

    def test_fresh_memory(self):
        """The start-up leaves nothing in the heap: a program that reads what it didn't write finds what it found."""
        self.folder.file("a.c", "#include <stdlib.h>\nint main(void) { int *volatile a = malloc(400), i = 0, n = 0;\n"
                                "for (; i < 100; i++) n += a[i] != 0; return n; }\n")
        self.assertEqual(self.cc("-O0", "a.c")[0], 0)
        self.assertEqual(self.start(), (0, ""))


class Forms(Case):
    def test_compile_and_link(self):
        self.folder.file("hello.c", HELLO)
        for compiler in compilers():
            self.assertEqual(self.cc("hello.c", compiler=compiler), (0, "", ""))
            self.assertTrue(self.instrumented("a.out"))
            self.assertEqual(self.start(), (3, "hello\n"))

    def test_several_sources(self):
        self.folder.file("twice.c", TWICE)
        self.folder.file("main.c", MAIN)
        for words in (["twice.c", "main.c", "-o", "p"], ["-O2", "-pipe", "-g", "main.c", "-o", "p", "twice.c", "-lm"],
                      ["-flto", "main.c", "twice.c", "-o", "p"], ["-save-temps", "main.c", "twice.c", "-o", "p"]):
            self.assertEqual(self.cc(*words)[::2], (0, ""), words)
            self.assertEqual(self.start("p"), (4, ""))
            self.assertTrue(self.instrumented("p"))

    def test_started_by_others(self):
        """What starts the compiler isn't the compiler: env was asked to preprocess."""
        self.folder.file("a.c", MAIN)
        self.folder.file("b.c", "int twice(int a) { return 2 * a; }\n")
        for before in ["env"], ["env", "LC_ALL=C", "TZ=UTC"], ["/usr/bin/env", "nice"], ["nice", "-n", "5", "env", "-u", "TZ", "A=b"]:
            with self.subTest(before):
                self.assertEqual(self.cc(*before[1:], "gcc", "-O1", "-c", "a.c", "b.c", compiler=before[0]), (0, "", ""))
                self.assertTrue(self.instrumented("b.o"))
                self.assertEqual(self.cc(*before[1:], "gcc", "a.o", "b.o", compiler=before[0]), (0, "", ""))
                self.assertEqual(self.start()[0], 4)

    def test_written_elsewhere(self):
        self.folder.file("there/a.c", MAIN)
        self.assertEqual(self.cc("-C", "there", "gcc", "-c", "a.c", compiler="env"),
                         (0, "", "perfcomp-cc: a.o: left as it is, because the compiler has written it elsewhere\n"))
        self.assertTrue(os.path.exists(self.folder.file("there/a.o")))

    def test_long_options(self):
        """As -o and -c: another name for the output was a.out to perfcomp-cc, which then wrote to a file called -w."""
        self.folder.file("twice.c", '#include "two.h"\nint twice(int a) { return a ? TWO * a : 0; }\n')
        self.folder.file("main.c", MAIN)
        self.folder.file("include/two.h", "#define TWO 2\n")
        for compiler in compilers():
            for words in (["--compile", "--include-directory=include", "twice.c"],
                          ["--assemble", "--include-directory", "include", "--define-macro", "A", "--optimize=2", "--language", "c", "twice.c"],
                          ["--shared", "--optimize", "-fPIC", "twice.o", "--output", "libtwice.so"],
                          ["--output=p", "--std=c11", "--for-linker=--build-id=none", "main.c", "twice.s"],
                          ["--static", "--output", "q", "main.c", "--language=assembler", "twice.s"]):
                self.assertEqual(self.cc("-fPIC", *words, compiler=compiler), (0, "", ""), words)
            for program in "p", "q":
                self.assertEqual(self.start(program), (4, ""))
            for name in "twice.o", "twice.s", "libtwice.so", "p", "q":
                self.assertTrue(self.instrumented(name), name)
            self.assertEqual(len(os.listdir(self.folder.path)), 11)
            os.unlink(self.folder.file("p"))

    def test_separate_steps(self):
        self.folder.file("twice.c", TWICE)
        self.folder.file("main.c", MAIN)
        self.assertEqual(self.cc("-c", "twice.c", "main.c"), (0, "", ""))
        self.assertTrue(self.instrumented("twice.o") and self.instrumented("main.o"))
        run(["ar", "rcs", "libtwice.a", "twice.o"], cwd=self.folder.path)
        self.assertEqual(self.cc("main.o", "-L.", "-ltwice", "-o", "p"), (0, "", ""))
        self.assertEqual(self.start("p"), (4, ""))

    def test_preprocessed_text_on_stdin_beside_a_file(self):
        self.folder.file("main.c", MAIN)
        self.folder.file("twice.i", TWICE)
        self.assertEqual(self.cc("-xcpp-output", "-", "twice.i", "-o", "p", input=self.plain("-E", "main.c")[1].encode()), (0, "", ""))
        self.assertEqual(self.start("p"), (4, ""))
        self.assertTrue(self.instrumented("p"))

    def test_sources_that_can_be_read_only_once(self):
        """What comes by /dev/stdin is instrumented, as what comes by - is; another pipe is left to the compiler."""
        text = "int main(void) { return 4; }\n"
        self.folder.file("main.c", text)
        summary = self.folder.file("pipes")
        for compiler in compilers():
            for name in "/dev/stdin", "/dev/fd/0":
                self.assertEqual(self.cc("-x", "c", name, "-o", "p", compiler=compiler, input=text.encode()), (0, "", ""))
                self.assertTrue(self.instrumented("p"))
                self.assertEqual(self.start("p"), (4, ""))
        os.mkfifo(self.folder.file("fifo"))
        for compiler in compilers():
            for script in '"$@" <(cat main.c) -o p', 'cat main.c > fifo & timeout 60 "$@" fifo -o p', '"$@" -c <(cat main.c) -o o && "$@" -x none o -o p':
                done = run(["bash", "-c", script, "bash", CC, compiler, "-x", "c"], cwd=self.folder.path, env={"PERFCOMP_CC_SUMMARY": summary})
                self.assertEqual(done, (0, "", ""), script)
                self.assertFalse(self.instrumented("p"))
                self.assertEqual(self.start("p"), (4, ""))
        with open(summary, encoding="utf-8") as lines:
            self.assertEqual([line.split(": ", 1)[1] for line in lines],
                             ["not instrumented: it's a pipe, which can be read only once\n"] * 3 * len(compilers()))

    def test_text_of_another_character_set(self):
        """The preprocessor has turned it to UTF-8, but for a text that it needn't read."""
        text = "int puts(const char *);\nint main(void) { puts(\"caf\xe9\"); return 0; }\n"
        for name in "a.c", "a.i":
            self.folder.file(name, text)
            self.assertEqual(self.cc("-finput-charset=iso-8859-1", name), (0, "", ""))
            self.assertTrue(self.instrumented("a.out"))
            self.assertEqual(self.start(), (0, "caf\xc3\xa9\n"), name)

    def test_sources_linked_to_one_object(self):
        """The runtime comes with the program, once: wrapped twice, a lock would call itself for ever."""
        self.folder.file("twice.c", TWICE)
        self.folder.file("main.c", MAIN)
        for compiler in compilers():
            for words in ["-r"], ["-no-pie", "-nostdlib", "-Wl,-r"]:
                self.assertEqual(self.cc(*words, "twice.c", "main.c", "-o", "both.o", compiler=compiler), (0, "", ""))
                self.assertEqual(self.cc("both.o", "-o", "p", compiler=compiler), (0, "", ""))
                self.assertEqual(self.start("p"), (4, ""))
                self.assertTrue(self.instrumented("both.o") and self.instrumented("p"))

    def test_instrumented_library_only(self):
        """A program that isn't instrumented itself gets the runtime, too."""
        self.folder.file("twice.c", TWICE)
        self.folder.file("main.c", MAIN)
        self.cc("-c", "twice.c")
        self.plain("-c", "main.c")
        self.assertEqual(self.cc("main.o", "twice.o", "-o", "p"), (0, "", ""))
        self.assertEqual(self.start("p"), (4, ""))
        self.assertTrue(os.path.exists(self.folder.file("profile/perfcomp.0.pfc")))

    def test_language_named_before_libraries(self):
        """-x holds for all that follows: the runtime's archive was compiled as C."""
        self.folder.file("twice.c", TWICE)
        self.folder.file("main.c", MAIN)
        self.folder.file("words", "-x c main.c -L. -ltwice")
        self.assertEqual(self.cc("-c", "twice.c")[0], 0)
        self.assertEqual(run(["ar", "rcs", "libtwice.a", "twice.o"], cwd=self.folder.path)[0], 0)
        for compiler in compilers():
            for words in ("-x c main.c -L. -ltwice", "-xc - -Wl,libtwice.a", "-L. -ltwice -x c main.c -Wl,-ltwice",
                          "--language c main.c -x none libtwice.a", "@words"):
                self.assertEqual(self.cc(*words.split(), "-o", "p", compiler=compiler, input=MAIN.encode()), (0, "", ""), words)
                self.assertEqual(self.start("p"), (4, ""), words)
                self.assertTrue(self.instrumented("p"))

    def test_every_way_to_name_an_instrumented_library(self):
        """Timed, it doesn't link without the runtime; counted only, it would, and nothing would be written."""
        for name, text in ("l.c", TWICE), ("m.c", MAIN):
            self.folder.file(name, text)
            self.assertEqual(self.cc("-c", name)[0], 0)
        os.mkdir(self.folder.file("lib"))
        self.folder.file("lib/script.so", "/* GNU ld script */\nGROUP(libtwice.a AS_NEEDED(-lscript))\n")
        self.folder.file("lib/libscript.so", "INPUT(libtwice.a)\n")
        for words in ["rcsT", "thin.a", "l.o"], ["rcs", "lib/libtwice.a", "l.o"], ["rcs", "lib/libmain.a", "m.o", "l.o"]:
            self.assertEqual(run(["ar", *words], cwd=self.folder.path)[0], 0)
        self.assertEqual(self.plain("-c", "m.c")[0], 0)
        self.environment["LIBRARY_PATH"] = self.folder.file("lib")
        for words in ("m.o thin.a", "m.o -L. -l:thin.a", "m.o -ltwice", "m.o -Wl,lib/libtwice.a", "m.o -Xlinker lib/libtwice.a",
                      "m.o -Wl,-Llib -ltwice", "m.o -Wl,-L,lib,-ltwice", "m.o -Llib -lscript", "m.o -Llib lib/script.so", "-lmain",
                      "-Wl,lib/libmain.a"):
            shutil.rmtree(self.folder.file("profile"), ignore_errors=True)
            self.assertEqual(self.cc(*words.split()), (0, "", ""), words)
            self.assertEqual(self.start()[0], 4, words)
            self.assertEqual(os.listdir(self.folder.file("profile")), ["perfcomp.0.pfc"], words)

    def test_an_earlier_output_is_not_taken(self):
        self.folder.file("m.c", HELLO)
        self.assertEqual(self.cc("m.c"), (0, "", ""))
        self.assertEqual(self.plain("-c", "m.c")[0], 0)
        self.assertEqual(self.cc("m.o", "-lm", "-o", "a.out"), (0, "", ""))
        self.assertFalse(self.instrumented("a.out"))

    def test_sources_with_an_instrumented_library(self):
        """Also the plain form of such a program, which is built first, and a probe of configure need the runtime."""
        self.folder.file("twice.c", TWICE)
        self.folder.file("main.c", MAIN)
        self.folder.file("conftest.c", MAIN)
        self.cc("-c", "twice.c")
        run(["ar", "rcs", "libtwice.a", "twice.o"], cwd=self.folder.path)
        for words in (["main.c", "libtwice.a", "-o", "p"], ["main.c", "-L.", "-ltwice", "-o", "p"],
                      ["conftest.c", "twice.o", "-o", "p"]):
            self.assertEqual(self.cc(*words), (0, "", ""), words)
            self.assertEqual(self.start("p"), (4, ""))
        self.assertEqual(self.cc("main.c", "libtwice.a", "-o", "/dev/null"), (0, "", ""))

    def test_cxx_program_with_an_instrumented_library(self):
        self.folder.file("twice.c", TWICE)
        self.folder.file("main.cc", 'extern "C" int twice(int); int main() { return twice(2); }\n')
        self.cc("-c", "twice.c")
        for words in (["main.cc", "twice.o", "-o", "p"], ["-c", "main.cc"], ["main.o", "twice.o", "-o", "p"]):
            self.assertEqual(self.cc(*words, compiler="g++"), (0, "", ""), words)
        self.assertEqual(self.start("p"), (4, ""))
        self.assertFalse(self.instrumented("main.o"))

    def test_shared_library(self):
        self.folder.file("twice.c", TWICE)
        self.folder.file("main.c", MAIN)
        self.assertEqual(self.cc("-fPIC", "-shared", "twice.c", "-o", "libtwice.so"), (0, "", ""))
        self.assertEqual(self.cc("main.c", "-L.", "-ltwice", "-Wl,-rpath," + self.folder.path, "-o", "p"), (0, "", ""))
        self.assertEqual(self.start("p"), (4, ""))

    def test_a_library_names_no_way_to_exit_that_it_does_not_use(self):
        """Builds look for that with nm, PostgreSQL's of libpq; a call in a static library behind all else is seen."""
        self.folder.file("twice.c", TWICE)
        self.assertEqual(self.cc("-fPIC", "-shared", "twice.c", "-o", "libtwice.so"), (0, "", ""))
        self.assertNotRegex(run(["nm", "-u", self.folder.file("libtwice.so")])[1], "(?i)_exit")
        self.folder.file("end.c", "#include <unistd.h>\nvoid end(void) { _exit(3); }\n")
        self.folder.file("main.c", "void end(void);\nint main(void) { end(); return 0; }\n")
        self.assertEqual(self.cc("-c", "end.c"), (0, "", ""))
        self.assertEqual(run(["ar", "rcs", self.folder.file("libend.a"), self.folder.file("end.o")])[0], 0)
        self.assertEqual(self.cc("main.c", "-L.", "-lend"), (0, "", ""))
        self.assertEqual(self.start()[0], 3)
        [profile] = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"]
        self.assertEqual(profile["left"], "_exit")

    def test_programs_without_the_c_library(self):
        """They do what they did; where the libraries are only named one by one, nothing is different."""
        self.folder.file("bare.c", "static int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i; return s; }\n"
                                   "static long leave(int status) { long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(60), \"D\"(status)"
                                   " : \"rcx\", \"r11\", \"memory\"); return r; }\n"
                                   "__attribute__((force_align_arg_pointer)) void _start(void) { for (;;) leave(f(5)); }\n")
        self.folder.file("hello.c", HELLO)
        for compiler in compilers() if platform.machine() == "x86_64" else []:
            self.assertEqual(self.cc("-c", "-O1", "bare.c", compiler=compiler), (0, "", ""))
            for words in ["-nostdlib"], ["-static", "-nodefaultlibs", "-nostartfiles"]:
                with self.subTest(compiler=compiler, words=words):
                    status, text, messages = self.cc(*words, "bare.o", "-o", "bare", compiler=compiler)
                    self.assertEqual((status, text), (0, ""), messages)
                    self.assertEqual(messages.count("\n"), 1, messages)
                    self.assertIn("bare: linked without the C library, so it isn't measured", messages)
                    self.assertEqual(self.start("bare"), (10, ""))
            with self.subTest(compiler=compiler, words="-lc"):
                self.assertEqual(self.cc("-c", "hello.c", compiler=compiler), (0, "", ""))
                self.assertEqual(self.cc("-nodefaultlibs", "hello.o", "-lc", "-lgcc", compiler=compiler), (0, "", ""))
                self.assertEqual(self.start(), (3, "hello\n"))
                self.assertEqual(os.listdir(self.folder.file("profile")), ["perfcomp.0.pfc"])
                shutil.rmtree(self.folder.file("profile"))

    def test_static_programs(self):
        self.folder.file("hello.c", HELLO)
        for option in "-static", "-static-pie":
            if self.plain(option, "hello.c") == (0, "", "") and self.start() == (3, "hello\n"):
                self.assertEqual(self.cc(option, "hello.c"), (0, "", ""))
                self.assertEqual(self.start(), (3, "hello\n"), option)
                self.assertTrue(reported(self.folder.file("profile")))

    def test_source_that_is_not_preprocessed_though_it_is_said(self):
        self.folder.file("a.c", "#include <ctype.h>\n#include <stdlib.h>\nstatic int f(int c) { if (isalpha(c)) { return 1; } return 0; }\n"
                                "int main(void) { if (f(1)) exit(1); return 0; }\n")
        self.assertEqual(self.cc("-fpreprocessed", "-c", "a.c"), self.plain("-fpreprocessed", "-c", "a.c"))

    def test_static_program_with_a_memcpy_of_its_own(self):
        self.folder.file("own.c", "void *memcpy(void *to, const void *from, unsigned long n)\n"
                                  "{ char *t = to; const char *f = from; while (n--) *t++ = *f++; return to; }\n")
        self.folder.file("hello.c", HELLO)
        if self.plain("-static", "own.c", "hello.c") == (0, "", ""):  # called before there is thread-local storage
            self.assertEqual(self.cc("-static", "own.c", "hello.c"), (0, "", ""))
            self.assertEqual(self.start(), (3, "hello\n"))

    def test_assembler_output(self):
        self.folder.file("a.c", TWICE)
        self.assertEqual(self.cc("-S", "a.c"), (0, "", ""))
        self.assertTrue(self.instrumented("a.s"))

    def test_standard_input(self):
        self.assertEqual(self.cc("-x", "c", "-", "-o", "p", input=HELLO.encode()), (0, "", ""))
        self.assertEqual(self.start("p"), (3, "hello\n"))
        self.assertTrue(self.instrumented("p"))

    def test_response_file(self):
        self.folder.file("a.c", TWICE)
        self.folder.file("words", "-c a.c\n-o 'b c.o'\n")
        self.assertEqual(self.cc("@words"), (0, "", ""))
        self.assertTrue(self.instrumented("b c.o"))

    def test_response_file_with_backslashes(self):
        """Between quotes shells keep some of them, gcc before 15 and clang none: the instrumented program says what the plain one does."""
        self.folder.file("a.c", '#include <stdio.h>\nint main(void) { puts(S); puts(T); return 0; }\n')
        self.folder.file("words", """'-DS="x\\\\ty"' "-DT=\\"p\\tq\\"" -DU=u\\ v a.c""")
        for compiler in compilers():
            self.assertEqual(run([compiler, "@words", "-o", "plain"], cwd=self.folder.path)[0], 0)
            self.assertEqual(run([CC, compiler, "@words", "-o", "p"], cwd=self.folder.path), (0, "", ""))
            self.assertTrue(self.instrumented("p"))
            said = run([self.folder.file("plain")])
            self.assertEqual(run([self.folder.file("p")], cwd=self.folder.path), said)
            self.assertIn("x", said[1])

    def test_language_option(self):
        self.folder.file("a.txt", TWICE)
        self.assertEqual(self.cc("-x", "c", "-c", "a.txt"), (0, "", ""))
        self.assertTrue(self.instrumented("a.o"))

    def test_preprocessed_source(self):
        self.folder.file("a.c", TWICE)
        self.plain("-E", "a.c", "-o", "b.i")
        self.assertEqual(self.cc("-c", "b.i"), (0, "", ""))
        self.assertTrue(self.instrumented("b.o"))

    def test_other_languages(self):
        self.folder.file("a.s", ".globl twice\ntwice:\n\tret\n")
        self.folder.file("b.cc", "int thrice(int a) { return 3 * a; }\n")
        for name in ("a.s", "b.cc"):
            self.assertEqual(self.cc("-c", name, "-o", "x.o"), (0, "", ""))
            self.assertFalse(self.instrumented("x.o"))

    def test_forced_include(self):
        self.folder.file("f.h", "#define TWO 2\n")
        self.folder.file("a.c", "int f(int n) { return n ? TWO : 0; }\n")
        self.assertEqual(self.cc("-include", "f.h", "-DX=1", "-I.", "-c", "a.c"), (0, "", ""))
        self.assertTrue(self.instrumented("a.o"))

    def test_with_timers_of_its_own(self):
        """Files that include perfcomp.h, the implementation, too; what PFC_FUNCTION times isn't timed twice."""
        self.folder.file("a.c", '#define PERFCOMP_IMPLEMENTATION\n#include "perfcomp.h"\nint twice(int);\n'
                         "static int sum(int n) { PFC_FUNCTION(); int s = 0; while (n) { PFC_HIT(\"turn\"); s += twice(n--); } return s; }\n"
                         "int main(void) { int s; PFC_BEGIN(\"all\"); s = sum(9); PFC_END(\"all\"); return s; }\n")
        self.folder.file("b.c", '#include "perfcomp.h"\nint twice(int a) { PFC_SCOPE("inner"); return 2 * a; }\n')
        for compiler in compilers():
            self.assertEqual(self.cc("-I", TOP, "a.c", "b.c", "-lm", "-lpthread", compiler=compiler), (0, "", ""))
            self.assertEqual(self.start()[0], 90)
            [profile] = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"]
            calls = {region["name"]: region["calls"] for region in profile["regions"]}
            self.assertEqual([calls.get(name) for name in ("main", "all", "sum", "twice", "inner")], [1, 1, 1, 9, 9], calls)
            places = {place[3] for place in reported(self.folder.file("profile"))}
            self.assertEqual(places, {"main", "sum", "twice", "turn"})

    def test_with_timers_of_its_own_compiled_and_linked_at_once(self):
        """The runtime is there for the plain form as well, which has no object that would tell that it needs it."""
        self.folder.file("a.c", '#include "perfcomp.h"\nint main(void) { PFC_BEGIN("all"); PFC_END("all"); return 7; }\n')
        for compiler in compilers():
            self.folder.file("b.i", run([compiler, "-E", "-I", TOP, "a.c"], cwd=self.folder.path)[1])
            for source in "a.c", "b.i":
                self.assertEqual(self.cc("-I", TOP, source, compiler=compiler), (0, "", ""))
                self.assertEqual(self.start()[0], 7)
                self.assertEqual({place[3] for place in reported(self.folder.file("profile"))}, {"main"})

    def test_names_of_the_runtime(self):
        """What they clash with is compiled as it is, and nothing else is said of it."""
        self.folder.file("a.c", "struct pfc__block { int a; };\nint main(void) { return sizeof(struct pfc__block) == sizeof(int); }\n")
        self.assertIn("compiled as it is", self.cc("a.c")[2])
        self.assertEqual(self.start()[0], 1)
        self.assertRegex(self.read("summary"), "^a.c: compiled as it is, because its instrumented form doesn't compile\n$")

    def test_hidden_visibility(self):
        self.folder.file("hello.c", HELLO)
        self.assertEqual(self.cc("-fvisibility=hidden", "hello.c"), (0, "", ""))
        self.assertEqual(self.start(), (3, "hello\n"))

    def test_packed_structures(self):
        """What a unit hands to the runtime is read as it was written, though only the unit is compiled with such options."""
        self.folder.file("hello.c", HELLO.replace("return 3", "struct s { char a; long b; }; return sizeof(struct s)"))
        for compiler in compilers():
            self.assertEqual(self.cc("-fpack-struct", "hello.c", compiler=compiler), (0, "", ""))
            self.assertEqual(self.start(), (1 + struct.calcsize("l"), "hello\n"))
            self.assertIn("       1:     2:int main", run([READER, "annotate", self.folder.file("profile")])[1])

    def test_options_that_are_not_for_every_step(self):
        """Those that the preprocessor needs beside others, those that it would take for itself, and what writes files."""
        self.folder.file("hello.c", HELLO)
        for compiler, words in [("clang", "-flto -fsanitize=cfi-icall -fvisibility=hidden"), ("clang", "-flto -fwhole-program-vtables"),
                                ("clang", "-ftime-trace"), ("gcc", "-fdirectives-only"), ("gcc", "-flto")]:
            if compiler in compilers() and self.plain("-c", *words.split(), "hello.c", "-o", "plain.o", compiler=compiler)[0] == 0:
                with self.subTest(compiler=compiler, words=words):
                    before = os.listdir(self.folder.path)
                    self.assertEqual(self.cc("-c", *words.split(), "hello.c", "-o", "plain.o", compiler=compiler), (0, "", ""))
                    self.assertEqual(sorted(os.listdir(self.folder.path)), sorted({*before, "summary"}))
                    self.assertTrue(self.instrumented("plain.o"))

    def test_assembler_of_intel(self):
        """The stack's place is read in the unit's own dialect."""
        self.folder.file("hello.c", HELLO)
        for compiler in compilers() if platform.machine() == "x86_64" else []:
            self.assertEqual(self.cc("-masm=intel", "hello.c", compiler=compiler), (0, "", ""))
            self.assertEqual(self.start(), (3, "hello\n"))

    def test_32_bits(self):
        """Where the compiler has libraries for them."""
        self.folder.file("hello.c", "#include <errno.h>\n" + HELLO)
        for compiler in compilers():
            if self.plain("-m32", "hello.c", compiler=compiler)[0] == 0:
                self.assertEqual(self.cc("-m32", "hello.c", compiler=compiler), (0, "", ""))
                self.assertEqual(self.start(), (3, "hello\n"))
                self.assertEqual(os.listdir(self.folder.file("profile")), ["perfcomp.0.pfc"])


class Untouched(Case):
    def test_function_that_the_parser_does_not_know(self):
        """Only that one is left as it is, and it is named."""
        self.folder.file("a.c", "int f(int a) { int g(int b) { return b + a; } return g(1); }\n"
                                "int h(int a) { if (a) return f(a); return 0; }\n"
                                "int main(void) { return h(2); }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start(), (3, ""))
        self.assertIn("f untouched: the parser says in line 1: function definition is not allowed", self.read("summary"))
        self.assertIn("2 functions", self.read("summary"))
        status, text, _ = run([READER, "report", self.folder.file("profile")])
        self.assertEqual(status, 0)
        self.assertIn("their blocks have no counts:\n    f (a.c:1).\n", text)

    def test_options_for_whose_sake_nothing_is_instrumented(self):
        self.folder.file("a.c", TWICE)
        self.assertEqual(self.cc("-ffreestanding", "-c", "a.c"), (0, "", ""))
        self.assertEqual(self.read("summary"), "a.c: not instrumented: it's compiled with -ffreestanding\n")
        self.assertEqual(self.cc("-ffreestanding", "-E", "a.c", "-o", "a.i"), (0, "", ""))
        self.assertEqual(self.read("summary").count("\n"), 1)

    def test_annotate_tells_them_from_lines_without_code(self):
        self.folder.file("a.c", "__attribute__((no_instrument_function))\nint f(int a)\n{\n    return a;\n}\n\nint main(void) { return f(0); }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        status, text, _ = run([READER, "annotate", self.folder.file("profile")])
        marks = [line.split(":")[0].strip() for line in text.split("\n")[1:8]]
        self.assertEqual((status, marks), (0, ["-"] + 4 * ["not instrumented"] + ["-", "1"]), text)

    def test_old_c(self):
        """What gcc takes with a warning only, though clang calls it an error."""
        self.folder.file("a.c", "f(a) { if (a) return; }\nlate(char *p) { return p ? *p : 0; }\n"
                                "main() { int n = \"x\"; undeclared(n); f(n); return 5; }\n"
                                "undeclared(n) { void (*p)(int, int) = &late; return p == 0; }\n")
        if self.plain("-w", "a.c")[0]:
            self.skipTest("to gcc 14 they are errors, too")
        self.assertEqual(self.cc("-w", "a.c"), (0, "", ""))
        self.assertEqual(self.start(), (5, ""))
        self.assertNotIn("untouched", self.read("summary"))

    def test_atomics(self):
        self.folder.file("a.c", "#include <stdatomic.h>\nstatic _Atomic int n; static _Atomic(long) m; static atomic_flag g;\n"
                                "int main(void) { long seen = atomic_load(&m);\n"
                                "while (!atomic_compare_exchange_weak(&m, &seen, seen + 2)) ;\n"
                                "if (atomic_fetch_add_explicit(&n, 1, memory_order_relaxed) == 0 && !atomic_flag_test_and_set(&g))\n"
                                "atomic_store(&n, 3); return atomic_exchange(&n, 1) + (int)m; }\n")
        for compiler in compilers():
            self.assertEqual(self.cc("a.c", compiler=compiler), (0, "", ""))
            self.assertEqual(self.start(), (5, ""))
        self.assertNotIn("untouched", self.read("summary"))

    def test_generic_selection(self):
        """glibc's fpclassify under -Os: gcc's types of so many bits are no other names of float and double."""
        self.folder.file("a.c", "#include <math.h>\n"
                                "static int kind(double a) { switch (fpclassify(a)) { case FP_NAN: return 1; case FP_ZERO: return 2; } return 3; }\n"
                                "static int own(_Float64 a) { a++; return _Generic(a, float: 9, _Float32: 8, double: 7, _Float64: kind(a), "
                                "long double: 6, _Float64x: 5); }\nint main(void) { return kind(0) + own(1); }\n")
        self.assertEqual(self.cc("-Os", "a.c", "-lm"), (0, "", ""))
        self.assertEqual(self.start(), (5, ""))
        self.assertNotIn("untouched", self.read("summary"))

    def test_transparent_union(self):
        """The sockets of glibc: the argument's conversion has no place in the text."""
        self.folder.file("a.c", "#define _GNU_SOURCE\n#include <sys/socket.h>\n#include <sys/un.h>\n"
                                "int main(void) { struct sockaddr_un a = { 0 };\n"
                                "if (connect(-1, (struct sockaddr *)&a, sizeof a) == -1) return 4; return 0; }\n")
        for compiler in compilers():
            self.assertEqual(self.cc("a.c", compiler=compiler), (0, "", ""))
            self.assertEqual(self.start(), (4, ""))
        self.assertNotIn("untouched", self.read("summary"))

    def test_declaration_that_inherits_attributes(self):
        """They stand outside of the function: behind `char *strerror();` its tree was lost."""
        self.folder.file("a.c", "#include <string.h>\n"
                                "int main(int argc, char **argv) { char *strerror(); char *strchr();\n"
                                "if (argc > 1) return 1; return strerror(argc) && strchr(*argv, 'a') ? 4 : 0; }\n")
        for compiler in compilers():
            self.assertEqual(self.cc("-w", "a.c", compiler=compiler), (0, "", ""))
            self.assertEqual(self.start(), (4, ""))
        self.assertNotIn("untouched", self.read("summary"))

    def test_attributes(self):
        self.folder.file("a.c", "__attribute__((no_instrument_function)) int f(int a) { return a ? 1 : 2; }\n"
                                "int main(void) { return f(1); }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start(), (1, ""))
        self.assertIn("f untouched", self.read("summary"))

    @unittest.skipUnless(platform.machine() == "x86_64", "its names of instructions")
    def test_attributes_that_take_instructions_away(self):
        """What the file may use, a probe may, too, and can't be inlined where one of it is missing."""
        self.folder.file("a.c", "__attribute__((noinline, target(\"sse2,no-avx\"))) static int f(int a) { return a ? 1 : 2; }\n"
                                "__attribute__((__target__(\"general-regs-only\"))) int g(int a) { return a ? 1 : 2; }\n"
                                "__attribute__((target(\"avx2\"))) int h(int a) { return a ? 1 : 2; }\n"
                                "int main(int n, char **no) { if (n > 1) g(h(**no)); return f(1); }\n")
        for compiler in compilers():
            self.assertEqual(self.cc("-mavx", "a.c", compiler=compiler), (0, "", ""))
            self.assertEqual(self.start(), (1, ""))
            self.assertIn("a.c: 2 functions", self.read("summary"))

    def test_attributes_in_brackets(self):
        """gcc takes them in every standard."""
        self.folder.file("a.c", "[[nodiscard]] static int f([[maybe_unused]] int a)\n{\n    [[maybe_unused]] int k = a ? 3 : 2;\n"
                                "    [[maybe_unused]] static int z = sizeof(int) > 3 ? 1 : 2;\n    [[maybe_unused]] struct { int a; } b;\n"
                                "    switch (a) { case 1: a = 3; [[fallthrough]]; case 2: a++; }\n    return a;\n}\n"
                                "int main(void) { return f(2); }\n")
        for flag in "-std=gnu17", "-std=c99", "-std=c2x":
            self.assertEqual(self.cc(flag, "a.c"), (0, "", ""))
            self.assertEqual(self.start(), (3, ""))
        self.assertNotIn("untouched", self.read("summary"))

    def test_deep_nesting(self):
        """As generated sources have it. Where even our stack ends, the reason is told in words of the source."""
        forms = (("a = %s a %s;", "(", ")"), ("%s a++; %s", "{", "}"), ("if (a == 2) return 2; %s %s", "else if (a < -3) return 4; ", ""),
                 ("if (a < 9 %s %s) return 2;", "&& a > -3 ", ""), ("a = %s a %s;", "a > 9 ? 3 : ", ""), ("a = a %s %s;", "+ f(0)", ""))
        for depth in 300, 1000:
            for form, before, after in forms:
                with self.subTest(form, depth=depth):
                    self.folder.file("a.c", "static int f(int a) { return a; }\nint main(void) { int a = f(1); %s return a + 1; }\n"
                                     % (form % (before * depth, after * depth)))
                    self.assertEqual((self.cc("a.c"), self.plain("a.c", "-o", "plain")), (2 * ((0, "", ""),)))
                    self.assertEqual(self.start(), self.start("plain"))
        self.assertNotIn("untouched", self.read("summary"))
        self.folder.file("a.c", "int main(void) { int a = 1; return %s a%s; }\n" % ("(" * 11000, ")" * 11000))
        self.assertEqual(self.cc("-c", "a.c"), (0, "", ""))
        self.assertIn("main untouched: the parser says in line 1: bracket nesting level exceeded", self.read("summary"))
        loop = "int %s(int n) { int s = 0; while (n) { s += n--; if (s & 1) s ^= 3; } return s; }\n"
        self.folder.file("a.c", loop % "before" + "struct pair { int a; } twice(int n) { const char *s = \"}\"; struct pair p = { *s == '}' }; %s p.a += n; %s return p; }\n"
                         % ("{" * 11000, "}" * 11000) + loop % "amid" + "int deep(int n) { return %s before(n)%s; }\n" % ("(" * 11000, ")" * 11000)
                         + loop % "after" + "int main(void) { return twice(3).a + deep(4) + amid(5) + after(6); }\n")
        self.assertEqual((self.cc("a.c"), self.plain("a.c", "-o", "plain")), (2 * ((0, "", ""),)))  # each alone
        self.assertEqual(self.start(), self.start("plain"))
        self.assertRegex(self.read("summary").splitlines()[-1], r"^a.c: 4 functions, .*; twice untouched: .*; deep untouched: [^;]*$")
        self.folder.file("a.c", "int deep = %s 1%s;\n" % ("(" * 11000, ")" * 11000) + loop % "after")
        self.assertEqual(self.cc("-c", "a.c"), (0, "", ""))
        self.assertIn("a.c: not instrumented: the parser says: bracket nesting level exceeded", self.read("summary"))
        self.folder.file("a.c", "int f(int a) { return %s 0; }\n" % ("a > 9 ? 3 : " * 1000))
        self.assertEqual(analyse(self.folder.file("a.c")).result.untouched, [("f", "it nests too deeply")])  # without our stack

    def test_names_of_attributes(self):
        """They forbid nothing where they are no attributes."""
        self.folder.file("a.c", "int f(const char *naked) { return naked[0] == 'i'; }\n"
                                "int main(void) { int interrupt = f(\"interrupt\"); return interrupt; }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start(), (1, ""))
        self.assertNotIn("untouched", self.read("summary"))

    def test_own_frame(self):
        self.folder.file("a.c", "int g(int a) { return a; }\n"
                                "int f(int a) { __builtin_return(__builtin_apply((void (*)())g, __builtin_apply_args(), 64)); }\n"
                                "int main(void) { return f(6); }\n")
        self.assertEqual(self.cc("-w", "a.c"), (0, "", ""))
        self.assertEqual(self.start(), (6, ""))
        self.assertIn("f untouched: __builtin_return takes the function's own frame", self.read("summary"))

    def test_dead_calls_stay_dead(self):
        """A call behind a constant condition must not become a reference."""
        self.folder.file("a.c", "void undefined(void);\n#define C(x) (sizeof(x) == 1 ? undefined() : (void)0)\n"
                                "int main(void) { int i = 0; C(i); if (0) undefined(); if (i && 0) undefined();\n"
                                "return 0 ? 1 : 2; }\n")
        for compiler in compilers():
            self.assertEqual(self.plain("a.c", compiler=compiler)[0], self.cc("a.c", compiler=compiler)[0])

    def test_selection(self):
        self.folder.file("a.c", "int f(int a) { return a ? 1 : 2; }\nint main(void) { return f(1); }\n")
        self.environment["PERFCOMP_CC_FLAGS"] = "--only f --count"
        self.assertEqual(self.cc("-c", "a.c"), (0, "", ""))
        self.assertIn("1 functions, 0 timed", self.read("summary"))

    def timed(self, *options, flags=(), compiler="gcc"):
        """How many of the functions of a.c are timed."""
        self.environment["PERFCOMP_CC_FLAGS"] = " ".join(options)
        self.assertEqual(self.cc("-c", *flags, "a.c", compiler=compiler), (0, "", ""))
        return int(self.read("summary").splitlines()[-1].partition(" timed")[0].rpartition(" ")[2])

    def test_small_functions(self):
        """What runs only a few statements isn't worth a clock read, as long as it calls nobody who may do more."""
        add = "a += 3; a ^= 5; "
        cases = ((0, "return a;"), (0, add * 11 + "return a;"), (1, add * 12 + "return a;"),
                 (0, f"if (a & 1) {{ {add * 10} }} else {{ {add * 10} }} return a;"),  # of which one half runs
                 (1, "while (a > 1) a /= 2; return a;"), (1, "return work(a);"), (0, "return (int)strlen(s);"),
                 (1, "return a ? work(a) : 0;"), (0, "return __builtin_expect(a > 9, 0) ? work(a) : 0;"),
                 (1, "if (a == 1) return 1; if (a == 2) return 2; if (a == 3) return 3; if (a == 4) return 4; return work(a);"),
                 (0, 'if (a) tell("too large", a); return a;'), (0, 'if (a) { tell(s, "too large"); return 1; } return a;'),
                 (1, 'if (a) tell("large", a); return a;'), (1, 'if (a) tell(s, 9, "a", a, "b"); return a;'),
                 (1, 'tell("too large", a); return a;'), (1, 'if (a) tell("is so"); else tell("is not so"); return a;'),
                 (1, 'if (a) { a = work(a); tell("has worked", a); } return a;'),
                 (0, '(void)(s == s || (tell("s == s", a), 1)); return a;'),
                 # loops that count from one number to another
                 (0, "for (int k = 0; k < 3; k++) a += k; return a;"), (1, "for (int k = 0; k < 30; k++) a += k; return a;"),
                 (0, "int k; for (k = 2; k >= 0; --k) { if ((a ^ k) & 1) continue; a += 3; } return a;"),
                 (0, "for (int k = 0; k != 6; k += 2) a += a == k; return a;"), (1, "for (int k = 0; k < a; k++) a /= 2; return a;"),
                 (1, "for (int k = 0; k < 3; k++) { a += k; if (a < 9) k -= 2; } return a;"),
                 (1, "int *p; for (int k = 0; k < 3; k++) { p = &k; a += 3; *p -= a > 0; } return a;"),
                 (1, "for (int k = 5; k < 9; k--) a += k; return a;"),
                 (0, "for (int k = 50; k < 3; k++) a += k; return a;"),  # never
                 (1, "for (int k = 0; k != 5; k += 2) if (a-- < 0) break; return a;"),  # past its end
                 (1, "for (int k = 0; k < 3; k++) { a += k; while (a > 1) a /= 2; } return a;"),
                 (1, "for (int j = 0; j < 3; j++) for (int k = 0; k < 9; k++) a += k; return a;"))
        for timed, body in cases:
            self.folder.file("a.c", "#include <string.h>\nint work(int);\nvoid tell(const char *, ...);\n"
                                    f"int f(int a, const char *s) {{ {body} }}\nint g(int a) {{ return f(a, \"\"); }}\n")
            self.assertEqual(self.timed(), 2 * timed, body)
            self.assertEqual(self.timed("--smallest", "0"), 2, body)

    def test_headers_functions(self):
        """What a system's header defines and returns at once, as vector intrinsics do, is as little as what it does."""
        self.folder.file("system/header.h", "static inline int quick(int a) { return a + 1; }\n"
                         "static inline int twice(int a) { return quick(quick(a)); }\n"
                         "static inline int looks(int a) { while (a > 1) a /= 2; return a; }\n"
                         "static inline int works(int a) { return work(a); }\n"
                         "static inline int again(int a) { return a > 9 ? again(a - 7) : a; }\n"
                         "static inline int nested(int a) { int in(int b) { return work(a + b); } return in(a); }\n")
        for timed, body in ((0, "quick(a)"), (0, "twice(a)"), (1, "looks(a)"), (1, "works(a)"), (1, "again(a)"), (1, "nested(a)")):
            self.folder.file("a.c", f"int work(int);\n#include <header.h>\nint f(int a) {{ if (a) a = {body}; return a; }}\n")
            self.assertEqual(self.timed(flags=["-isystem", "system"]), timed, body)

    @unittest.skipUnless(platform.machine() == "x86_64", "its vectors")
    def test_vector_intrinsics(self):
        """Without optimisation many are macros of builtins that libclang doesn't know, or that want constants."""
        self.folder.file("a.c", "#include <immintrin.h>\n"
                         "__m256i f(__m256i a, const int *p) { if (*p) a = _mm256_slli_si256(a, 3); return _mm256_i32gather_epi32(p, a, 4); }\n"
                         "unsigned h(void *p) { _mm_clflush(p); _mm_mfence(); _mm_pause(); return _mm_getcsr() + (unsigned)__rdtsc(); }\n"
                         "int g(__m128i a, void *p) { a = _mm_srli_si128(a, 2); a = _mm_shuffle_epi32(a, 1); _mm_storeu_si128(p, a);\n"
                         "  _mm_prefetch(p, _MM_HINT_T0); return _mm_extract_epi16(a, 2) + _mm_extract_epi32(a, 1); }\n")
        for compiler in compilers():
            for flags in ["-O0", "-mavx2"], ["-O2", "-mavx2"], ["-O0", "-march=skylake-avx512"], ["-O2", "-march=skylake-avx512"]:
                with self.subTest(compiler=compiler, flags=flags):
                    self.assertEqual(self.timed(flags=flags, compiler=compiler), 0)
                    self.assertNotIn("untouched", self.read("summary"))

    @unittest.skipUnless(platform.machine() == "x86_64", "its vectors")
    def test_vector_builtins(self):
        """gcc's own, of which libclang doesn't know all: of the type that they're cast to."""
        self.folder.file("a.c", "typedef int vector __attribute__((vector_size(16)));\n"
                         "typedef long long wide __attribute__((vector_size(16)));\n"
                         "vector f(vector a, vector b) { if (a[0]) __builtin_ia32_pause(); return __builtin_shuffle(a, b); }\n"
                         "int main(void) { vector a = {0, 0, 2, 3}, b = {3, 2, 1, 0}; int many = 1;\n"
                         "  if (many) __builtin_ia32_mfence();\n"
                         "  a = (vector)__builtin_ia32_pslldqi128((wide)f(a, b), 32);\n"
                         "  return a[1] * 10 + a[2]; }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 32)
        self.assertNotIn("untouched", self.read("summary"))

    def test_inlined_functions_are_counted_only(self):
        """What the plain program never calls, because the compiler inlines it in each of several places, isn't timed; what has
        a single place is, and so is all that's left in the plain object."""
        self.folder.file("work.c", "int work(int a) { while (a > 9) a -= 7; return a; }\n")
        for timed, text in ((0, "static int f(int a) { return work(a) + 1; }"),
                            (1, "static int f(int a) { return work(a) + 1; }\nint (*volatile pointer)(int) = f;"),
                            (1, "static int f(int a) { while (a & 1) a = work(a); return a; }"),
                            (1, "static int f(int a) { do a /= 3; while (a > 1); return a; }"),
                            (0, "static int f(int a) { while (a > 9 && a & 1) a /= 3; return a; }"),
                            (0, "static int f(int a) { for (;;) { if (a & 1) return a; if (a > 70) return 0; a += 3; } }"),
                            (1, "static int f(int a) { for (;;) { if (a & 1) return a; if (a > 70) return 0; a = work(a) + 1; } }"),
                            (1, f"static int f(int a) {{ {'a = work(a); ' * 24} return a; }}"),
                            (1, "static __attribute__((noinline)) int f(int a) { return work(a) + 1; }")):
            self.folder.file("a.c", f"int work(int);\n{text}\nint main(void) {{ int a = f(8); a = work(a); return f(a) & 0; }}\n")
            with self.subTest(text=text):
                self.assertEqual(self.timed("--smallest", "0", flags=["-O2"]), 2)
                self.assertEqual(self.timed(flags=["-O2"]), 1 + timed)
                self.assertEqual(self.cc("-O2", "a.c", "work.c"), (0, "", ""))
                self.assertEqual(self.start()[0], 0)
                regions = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"][0]["regions"]
                self.assertEqual({r["name"] for r in regions if r["name"][0] != "("}, {"main", "work"} | ({"f"} if timed else set()))

    def test_what_was_inlined_isn_t_known(self):
        """Then all are timed: the compiler inlines nothing, or the linker does, or there is no object."""
        self.folder.file("a.c", "int work(int);\nstatic int f(int a) { return work(a) + 1; }\n"
                                "int main(void) { int a = f(8); a = work(a); return f(a); }\n")
        for flags, timed in (["-O2"], 1), (["-O0"], 2), (["-O2", "-flto"], 2), (["-O2", "-S"], 2), (["-O2", "-fno-inline"], 2):
            self.assertEqual(self.timed(flags=flags), timed, flags)
        self.folder.file("a.c", "int work(int);\nstatic int f(int a) { return work(a) + 1; }\nint main(void) { return f(8) & 0; }\n")
        self.assertEqual(self.timed(flags=["-O2"]), 2, "called in a single place")

    def test_others_may_call_what_is_inlined(self):
        """What other units can see is left in the object in any case; that the unit itself calls it shows what the linker is to do."""
        for timed, compiler, *flags in ((0, "gcc", "-O2"), (0, "clang", "-O2"), (1, "gcc", "-O2", "-DKEPT=__attribute__((noinline))"),
                                        (1, "gcc", "-O2", "-fPIC"), (1, "clang", "-O0"),
                                        (1, "clang", "-O2", "-fPIC", "-fno-semantic-interposition", "-fno-inline")):
            self.folder.file("a.c", "#ifndef KEPT\n#define KEPT\n#endif\nint work(int);\n"
                                    "KEPT int f(int a) { return work(a) + 1; }\nint g(int a) { return f(a + 3) + (f)(2 - a); }\nint (*pointer)(int) = f;\n")
            with self.subTest(compiler=compiler, flags=flags):
                self.assertEqual(self.timed(flags=flags, compiler=compiler), 1 + timed)

    def test_what_is_inlined_where_no_object_is_left(self):
        """A program that is compiled and linked at once times what it would time in two steps."""
        self.folder.file("a.c", "int work(int);\nint f(int a) { return work(a) + 1; }\n__attribute__((noinline)) int g(int a) { return work(a); }\n"
                                "int main(void) { return (f(3) + f(4) + g(1) + g(2)) & 0; }\n")
        self.folder.file("b.c", "int work(int a) { while (a > 9) a -= 7; return a; }\n")
        for compiler in compilers():
            with self.subTest(compiler=compiler):
                self.assertEqual(self.cc("-O2", "a.c", "b.c", compiler=compiler), (0, "", ""))
                self.assertEqual(re.findall(r"(\d+) timed", self.read("summary"))[-2:], ["2", "1"])
                self.assertEqual([name for name in os.listdir(self.folder.path) if name.endswith(".o")], [])

    def test_calls_that_the_compiler_makes_jumps(self):
        """Interpreters and state machines whose steps end in a call of the next one go on for ever in one frame. What only calls
        itself last as well as elsewhere is timed all the same."""
        self.folder.file("a.c", """#include <stdio.h>
typedef struct vm { long n, sum; const int *ip; } vm;
typedef long (*op)(vm *);
static long add(vm *v), sub(vm *v), loop(vm *v), halt(vm *v), odd(long n, long a);
static const op tab[] = { add, sub, loop, halt };
static long add(vm *v) { while (v->sum < -5) v->sum++; v->sum += 2; return tab[*v->ip++](v); }
static long sub(vm *v) { while (v->sum < -5) v->sum++; v->sum -= 1; return v->sum ? tab[*v->ip++](v) : 0; }
static long loop(vm *v) { op next; while (v->n < -5) v->n++; if (v->n-- > 0) v->ip -= 3; next = tab[*v->ip++]; return next(v); }
static long halt(vm *v) { while (v->sum < -5) v->sum++; return v->sum; }
static long even(long n, long a) { while (a > 1000) a -= 999; return n ? odd(n - 1, a + 1) : a; }
static long odd(long n, long a) { while (a > 1000) a -= 999; return n ? even(n - 1, a + 1) : a; }
static int sum(int *a, int n) { while (n > 9 && !a[n - 1]) n--; if (n < 3) return n ? *a : 0; a[n / 2] += sum(a, n / 2); return sum(a + n / 2, n - n / 2); }
int main(void) {
    static const int code[] = { 0, 1, 2, 3 };
    static int a[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    vm v = { 3000000, 0, code };
    printf("%ld %ld %d\\n", add(&v), even(3000000, 0), sum(a, 9));
    return 0;
}
""")
        self.assertEqual(self.plain("-O2", "a.c"), (0, "", ""))
        printed = self.start()
        self.assertEqual(printed[0], 0)
        for compiler in compilers():
            for flags in "", "--time", "--exact", "--threads":
                with self.subTest(compiler=compiler, flags=flags):
                    self.environment["PERFCOMP_CC_FLAGS"] = flags
                    self.assertEqual(self.cc("-O2", "a.c", compiler=compiler), (0, "", ""))
                    self.assertEqual(self.start(), printed)
        regions = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"][0]["regions"]
        self.assertEqual({r["name"] for r in regions if r["name"][0] != "("}, {"main", "sum", "halt"})

    def test_libraries_that_hide_their_symbols(self):
        """There is one runtime in the process, whatever a library shows of its own."""
        self.folder.file("l.c", "static volatile int s;\nstatic int work(int n) { while (n) s += n--; return s; }\n"
                                "__attribute__((visibility(\"default\"))) int lib_work(int n) { return work(n); }\n")
        self.folder.file("main.c", "int lib_work(int);\nstatic int twice(int n) { while (n % 7) n++; return lib_work(n) + lib_work(n); }\n"
                                   "int main(void) { for (int i = 0; i < 1000; i++) twice(i); return 0; }\n")
        self.folder.file("anonymous.ver", "# exports\n{ /* {} */ global: lib_*; local: *; };\n")
        self.folder.file("named.ver", "LIB_1 {\n  global:\n  lib_work;\n  local: *;\n};\nLIB_2 { lib_more; } LIB_1;\n")
        self.folder.file("bare.ver", "LIB_1 { lib_work; };\nLIB_2 { local: *; } LIB_1;\n")
        for hides in (["-Wl,-Bsymbolic-functions"], ["-Wl,-Bsymbolic"], ["-Wl,--version-script=anonymous.ver"],
                      ["-Wl,-version-script", "-Wl,named.ver"], ["-Xlinker", "--version-script", "-Xlinker", "named.ver"],
                      ["-Wl,-soname,libl.so,--version-script,anonymous.ver,-z,now"],
                      ["-Wl,--version-script", "-Wl,bare.ver"], ["-fvisibility=hidden"]):
            with self.subTest(hides=hides):
                self.assertEqual(self.cc("-fPIC", "-shared", *hides, "l.c", "-o", "libl.so"), (0, "", ""))
                self.assertEqual(self.cc("main.c", "-L.", "-ll", "-Wl,-rpath," + self.folder.path), (0, "", ""))
                shutil.rmtree(self.folder.file("profile"), ignore_errors=True)
                self.assertEqual(self.start()[0], 0)
                self.assertEqual(os.listdir(self.folder.file("profile")), ["perfcomp.0.pfc"])
                calls = {r["name"]: r["calls"] for r in json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"][0]["regions"]}
                self.assertEqual((calls["work"], calls["lib_work"], calls["twice"]), (2000, 2000, 1000))

    def test_a_library_that_is_unloaded_ends_nothing(self):
        """The profile goes on, also where another library makes the linker export the program's runtime, pfc_stop and all."""
        self.folder.file("l.c", "int lib_work(int n) { for (int i = 0; i < n; i++) __asm__ volatile(\"\"); return n; }\n")
        self.folder.file("plugin.c", "int plugged(int n) { while (n % 7) n++; return n; }\n")
        self.folder.file("main.c", "#include <dlfcn.h>\nint lib_work(int);\n"
                                   "int main(void) {\n"
                                   "    void *plugin = dlopen(\"" + self.folder.file("libplugin.so") + "\", RTLD_NOW);\n"
                                   "    int (*plugged)(int) = (int (*)(int))dlsym(plugin, \"plugged\");\n"
                                   "    if (plugged(3) != 7 || dlclose(plugin)) return 1;\n"
                                   "    for (int i = 0; i < 100; i++)\n"
                                   "        lib_work(i);\n"
                                   "    return 0;\n}\n")
        for compiler in "gcc", "clang":
            with self.subTest(compiler=compiler):
                for name in "l", "plugin":
                    self.assertEqual(self.cc("-fPIC", "-shared", name + ".c", "-o", "lib" + name + ".so", compiler=compiler), (0, "", ""))
                self.assertEqual(self.cc("main.c", "-L.", "-ll", "-Wl,-rpath," + self.folder.path, "-ldl", compiler=compiler), (0, "", ""))
                self.assertEqual(self.start()[0], 0)
                annotated = run([READER, "annotate", "--source", "main.c", self.folder.file("profile")])[1].splitlines()
                [line] = [line for line in annotated if "lib_work(i)" in line]
                self.assertEqual(line.split(":")[0].strip(), "100")

    def test_many_plugins(self):
        """glibc has room for the thread-local variables of a few libraries that are loaded later: plugins use the program's."""
        self.folder.file("plugin.c", "__attribute__((visibility(\"default\"))) int plugged(int n) { while (n % 7) n++; return n; }\n")
        self.folder.file("main.c", "#include <dlfcn.h>\n#include <stdio.h>\n"
                                   "int main(void) {\n"
                                   "    for (int i = 0; i < 40; i++) {\n"
                                   "        char name[1000];\n"
                                   "        snprintf(name, sizeof name, \"%s/plugin%d.so\", \"" + self.folder.path + "\", i);\n"
                                   "        void *plugin = dlopen(name, RTLD_NOW);\n"
                                   "        if (!plugin) { puts(dlerror()); return 1; }\n"
                                   "        int (*plugged)(int) = (int (*)(int))dlsym(plugin, \"plugged\");\n"
                                   "        if (plugged(3) != 7) return 1;\n"
                                   "    }\n"
                                   "    return 0;\n}\n")
        for compiler in "gcc", "clang":
            for options in [], ["-pthread"], ["-fvisibility=hidden"]:
                with self.subTest(compiler=compiler, options=options):
                    self.assertEqual(self.cc(*options, "-fPIC", "-shared", "plugin.c", "-o", "plugin0.so", compiler=compiler), (0, "", ""))
                    for number in range(1, 40):
                        shutil.copy(self.folder.file("plugin0.so"), self.folder.file("plugin%d.so" % number))
                    self.assertEqual(self.cc(*options, "main.c", "-ldl", compiler=compiler), (0, "", ""))
                    self.assertEqual(self.start(), (0, ""))

    @unittest.skipUnless(os.uname().machine == "x86_64", "assembler for x86-64")
    def test_assembler_that_leaves_the_stack_askew(self):
        """A function that doesn't need an aligned stack may be called without one."""
        names = "abcdefghijkl"                 # more than a path's cache of those below it holds
        self.folder.file("a.c", "#define F(name) static int name(int n) { while (n % 1000) n++; return n; }\n"
                                + "".join("F(%s) " % name for name in names) + "\n"
                                "int askew(int n, int (*called)(int));\n"
                                "__asm__(\".globl askew\\naskew: call *%rsi\\nret\\n\");\n"
                                "static int (*const all[])(int) = { " + ", ".join(names) + " };\n"
                                "static int twice(int n) { for (int m = 0; m < 24; m++) n = askew(n + 1, all[m % 12]); return n; }\n"
                                "int main(void) { return twice(0) + askew(1, twice) != 48000; }\n")
        for compiler in "gcc", "clang":
            for threads in [], ["-pthread"]:
                with self.subTest(compiler=compiler, threads=threads):
                    self.assertEqual(self.cc("-O1", "a.c", *threads, compiler=compiler), (0, "", ""))
                    self.assertEqual(self.start()[0], 0)
                    report = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"][0]
                    calls = {r["name"]: r["calls"] for r in report["regions"]}
                    self.assertEqual({name: calls.get(name) for name in names}, dict.fromkeys(names, 4))

    def test_lcov_says_nothing_of_lines_that_may_have_run(self):
        self.folder.file("killed.c", "#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\nint a;\n"
                         "void stops(int n)\n{\n    if (n > 9) a++;\n    if (n > 2) kill(getpid(), SIGKILL);\n    puts(\"never\");\n}\n"
                         "int main(void)\n{\n    stops(5);\n    return a;\n}\n")
        self.assertEqual(self.cc("-O1", "killed.c")[0], 0)
        self.assertEqual(self.start()[0], -signal.SIGKILL)
        _, counts, _ = run([READER, "annotate", "--json", self.folder.file("profile")])
        _, lcov, _ = run([READER, "export", "--format", "lcov", self.folder.file("profile")])
        [source] = json.loads(counts)["sources"]
        lines = {line["line"]: (line["low"], line["high"]) for line in source["lines"]}
        self.assertIn((0, 1), lines.values(), "some may have run")
        told = {int(line): int(count) for line, count in re.findall(r"(?m)^DA:(\d+),(\d+)$", lcov)}
        self.assertEqual(told, {line: low for line, (low, high) in lines.items() if low or not high})

    def test_a_daemons_parent_has_not_died(self):
        """The C library ends it by a call of its own; the daemon goes on. One that failed is the same process."""
        self.folder.file("a.c", "#define _DEFAULT_SOURCE\n#include <sys/resource.h>\n#include <unistd.h>\n"
                                "static void work(void) { usleep(1); }\n"
                                "int main(int n, char **a) {\n    struct rlimit none = { 0, 0 };\n"
                                "    if (n > 1 && (setgid(65534) || setuid(65534) || setrlimit(RLIMIT_NPROC, &none))) return 5;\n"
                                "    work(); usleep(100000);\n    if (daemon(1, 1)) return 4;\n    work(); return a != 0; }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        for arguments, status, ends in ([], 0, [("died", "_exit"), ("ended", "")]), (["x"], 4, [("ended", "")]):
            if arguments and os.geteuid():
                continue  # only root can become somebody else
            with self.subTest(arguments), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profiles:
                environment = dict(os.environ, PERFCOMP_DIR=profiles)
                self.assertEqual(subprocess.run([self.folder.file("a.out"), *arguments], env=environment).returncode, status)
                for _ in range(300):
                    _, text, _ = run([READER, "report", "--json", profiles])
                    found = json.loads(text)["profiles"]
                    if len(found) == len(ends) and "running" not in [p["state"] for p in found]: # the daemon's may come later
                        break
                    time.sleep(.1)
                self.assertEqual([(p["state"], p["left"]) for p in found], ends)
                self.assertGreater(found[0]["total"]["lt"], 99e6)

    def test_exit_by_a_handler_amid_the_end(self):
        """To seal a profile of 30,000 call paths takes 5 ms: a server that tells its processes meanwhile to go doesn't kill them."""
        levels = "".join(f"static void a{i}(void) {{ a{i - 1}(); b{i - 1}(); }}\nstatic void b{i}(void) {{ a{i - 1}(); b{i - 1}(); }}\n"
                         for i in range(1, 15))
        self.folder.file("a.c", "#include <signal.h>\n#include <stdlib.h>\n#include <sys/time.h>\n#include <unistd.h>\n"
                                "static void leave(int signal) { (void)signal; _exit(3); }\n"
                                "static void soon(void) { struct itimerval t = { { 0, 0 }, { 0, 500 } };\n"
                                "    signal(SIGALRM, leave); setitimer(ITIMER_REAL, &t, 0); }\n"
                                "static volatile int n;\nstatic void a0(void) { n++; }\nstatic void b0(void) { n--; }\n" + levels +
                                "int main(void) { atexit(soon); a14(); return 3; }\n")
        self.assertEqual(run([CC, "--smallest", "0", "gcc", "a.c"], cwd=self.folder.path), (0, "", ""))
        for _ in range(3):
            self.assertEqual(self.start()[0], 3)
            [process] = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"]
            self.assertIn((process["state"], process["left"]), [("ended", ""), ("died", "_exit")])

    def test_ends_without_exit_handlers(self):
        """The time until then is known, and the time of a program that follows by exec isn't this one's."""
        for end in ("_exit(3)", "_Exit(3)", "quick_exit(3)", 'execv("/bin/sleep", (char *[]){ "sleep", "2", 0 })',
                    'execlp("sleep", "sleep", "2", (char *)0)',
                    'fexecve(open("/bin/sleep", O_RDONLY), (char *[]){ "sleep", "2", 0 }, environ)',
                    'execveat(AT_FDCWD, "/bin/sleep", (char *[]){ "sleep", "2", 0 }, environ, 0)', "if (!fork()) _exit(0); _exit(3)"):
            self.folder.file("a.c", "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
                                    "static void work(void) { usleep(1); }\n"
                                    f"int main(void) {{ work(); usleep(100000); {end}; return 0; }}\n")
            self.assertEqual(self.cc("a.c"), (0, "", ""))
            with self.subTest(end=end), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profiles:  # a child may be at it still
                environment = dict(os.environ, PERFCOMP_DIR=profiles)
                with subprocess.Popen([self.folder.file("a.out")], env=environment) as process:
                    if "exec" in end:
                        time.sleep(1)
                    else:
                        self.assertEqual(process.wait(), 3)
                    status, text, _ = run([READER, "report", "--json", os.path.join(profiles, "perfcomp.0.pfc")])
                    process.kill()
                self.assertEqual(status, 0)
                [profile] = json.loads(text)["profiles"]
                self.assertEqual((profile["state"], profile["left"]), ("died", "exec" if "exec" in end else "_exit"))
                self.assertGreater(profile["total"]["ct"], 100e6)
                self.assertGreater(profile["total"]["lt"], 99e6)
                if "exec" in end:
                    self.assertLess(profile["total"]["ct"], 900e6)
                _, text, _ = run([READER, "watch", os.path.join(profiles, "perfcomp.0.pfc")])
                self.assertRegex(text, rf"(?m)^ +0 +{process.pid} .*  {profile['left']} +$", "it hasn't died")
                _, text, _ = run([READER, "watch", "--json", os.path.join(profiles, "perfcomp.0.pfc")])
                [watched] = json.loads(text)["processes"]
                self.assertEqual((watched["left"], [thread["state"] for thread in watched["threads"]]), (profile["left"], ["ended"]))

    def test_exec_of_a_list(self):
        """The program that follows gets its arguments, many or none, and its environment; one that isn't there, its error."""
        many = ", ".join('"%d"' % n for n in range(300))
        ends = {
            'execl("/bin/echo", "echo", "a", "b c", (char *)0)': "a b c\n",
            'execlp("echo", "echo", ' + many + ', (char *)0)': " ".join(str(n) for n in range(300)) + "\n",
            'execle("/usr/bin/env", "env", (char *)0, (char *[]){ "A=1", "B=2", 0 })': "A=1\nB=2\n",
            'errno = 0, printf("%d ", execl("/nonexistent", "x", (char *)0)), printf("%d\\n", errno == ENOENT)': "-1 1\n",
            'if (!vfork()) execl("/bin/echo", "echo", "child", (char *)0); wait(0); puts("parent")': "child\nparent\n",
        }
        for end, output in ends.items():
            self.folder.file("a.c", "#include <errno.h>\n#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
                                    f"int main(void) {{ {end}; return 0; }}\n")
            for options in ["-O0"], ["-O2"]:
                with self.subTest(end=end[:60], options=options):
                    self.assertEqual(self.cc("-D_GNU_SOURCE", *options, "a.c"), (0, "", ""))
                    self.assertEqual(self.start(), (0, output))

    def test_a_childs_start_is_in_its_time_once(self):
        """Where the function that forked has returned, too: it has the start in its time."""
        self.folder.file("a.c", "#include <sys/wait.h>\n#include <unistd.h>\nstatic pid_t begins(void) { usleep(1); return fork(); }\n"
                                "int main(void) { int s; if (!begins()) _exit(3); wait(&s); return s != 3 << 8; }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        rest = []
        for _ in range(10):  # a busy machine may have it wait for as long
            with tempfile.TemporaryDirectory() as profiles:
                self.assertEqual(run([self.folder.file("a.out")], env={"PERFCOMP_DIR": profiles})[0], 0)
                [child] = [p for p in json.loads(run([READER, "report", "--json", profiles])[1])["profiles"] if p["forked"]]
            [begins] = [r["inclusive"]["ct"] for r in child["regions"] if r["name"] == "begins"]
            rest.append((child["total"]["ct"] - begins) / child["start_ns"])
            if rest[-1] < 0.9:
                break
        self.assertLess(rest[-1], 0.9, rest)

    def test_counts_before_exec(self):
        """They are exact: the thread that calls it isn't in the middle of a function that always returns."""
        self.folder.file("a.c", "#include <unistd.h>\nstatic int half(int a) {\n if (a % 2)\n  a++;\n return a / 2;\n}\n"
                                "static void become(char **v) {\n if (half(3))\n  execv(*v, v);\n}\n"
                                "int main(void) { become((char *[]){ \"/nonexistent\", 0 }); become((char *[]){ \"/bin/true\", 0 }); return 1; }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        text = run([READER, "annotate", self.folder.file("profile")])[1]
        self.assertEqual(re.findall(r"(?m)^ *(\S+): +(?:[2459]):", text), ["2"] * 4, text)

    def test_counts_of_programs_that_end_themselves(self):
        """They are exact, unless it is a signal's handler that does so: it may have interrupted a function that always returns.
        One that stays, and whose signal isn't blocked in it, can't be told from the rest of the program but by the stack."""
        text = """#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int *volatile place;
static int half(int a) {
    if (a == 3)
        *place = 1;
    return a / 2;
}
static void leave(int status) { END(status != 0); }
int main(int argc, char **argv) {
    struct sigaction action = { .sa_handler = leave, .sa_flags = FLAGS };
    sigaction(SIGSEGV, &action, 0);
    if (argc > 1) place = &argc;
    half(1), half(3), half(5);
    leave(0);
}
"""
        self.folder.file("a.c", text)
        for own, (end, flags, known) in itertools.product(([], ["--count"]), (
                ("exit", "0", "3"), ("exit", "SA_NODEFER | SA_RESETHAND", "3"),
                ("_exit", "0", "3"), ("_exit", "SA_NODEFER | SA_RESETHAND", "3"), ("_exit", "SA_NODEFER", "3" if self.STACK_IS_KNOWN else "0..3"),
                *[("exit", "SA_NODEFER", "3")] * self.STACK_IS_KNOWN)):
            self.assertEqual(run([CC, *own, "gcc", "a.c", "-DEND=" + end, "-DFLAGS=" + flags], cwd=self.folder.path), (0, "", ""))
            for arguments, status, found in (["none"], 0, known), ([], 1, "0..3"):
                with self.subTest(own=own, end=end, flags=flags, arguments=arguments):
                    folder = self.folder.file("profile")
                    shutil.rmtree(folder, ignore_errors=True)
                    self.assertEqual(run([self.folder.file("a.out"), *arguments], env={"PERFCOMP_DIR": folder}), (status, "", ""))
                    shown = run([READER, "annotate", folder])[1]
                    self.assertEqual(re.findall(r"(?m)^ *(\S+): +8:", shown), [found], shown)

    STACK_IS_KNOWN = platform.machine() == "x86_64"

    @unittest.skipUnless(STACK_IS_KNOWN, "what is below on the stack isn't known")
    def test_signals_that_the_program_ignores_or_blocks(self):
        """No handler is running for that: counts are exact."""
        text = """#define _POSIX_C_SOURCE 200809L
#include <signal.h>
static int half(int a) {
    return a / 2;
}
int main(void) {
    sigset_t usr;
    sigemptyset(&usr), sigaddset(&usr, SIGUSR1);
    DO;
    return half(1) + half(3) + half(5) - 3;
}
"""
        self.folder.file("a.c", text)
        for done in "signal(SIGPIPE, SIG_IGN)", "signal(SIGPIPE, SIG_DFL)", "sigprocmask(SIG_BLOCK, &usr, 0)":
            with self.subTest(done=done):
                self.assertEqual(self.cc("-std=c99", "-DDO=" + done, "a.c"), (0, "", ""))
                self.assertEqual(self.start(), (0, ""))
                shown = run([READER, "annotate", self.folder.file("profile")])[1]
                self.assertEqual(re.findall(r"(?m)^ *(\S+): +4:", shown), ["3"], shown)

    def test_counts_behind_exec(self):
        """What stands there ran only where exec failed: a child's way of saying so, and its end."""
        self.folder.file("a.c", "#include <sys/wait.h>\n#include <unistd.h>\nstatic void start(char *name) {\n if (fork() == 0) {\n"
                                "  execlp(name, name, (char *)0);\n  name = 0;\n  _exit(127);\n }\n wait(0);\n}\n"
                                "int main(void) { start(\"true\"); start(\"/nonexistent\"); start(\"true\"); return 0; }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        text = run([READER, "annotate", self.folder.file("profile")])[1]
        self.assertEqual(re.findall(r"(?m)^ *(\S+): +(?:[5679]):", text), ["3", "1", "1", "3"], text)

    def test_arguments_behind_a_condition_of_a_call_that_ends(self):
        """They were evaluated: flow, which tells of them, ends behind the call."""
        self.folder.file("a.c", """#include <stdlib.h>
int ends(int a, int b, int c) { exit(a + b + c - 3); }
int main(int n, char **v)
{
    if (n) {
        n = ends(n,
                 n > 5 || v,
                 n
                 + 0);
        n++;
    }
    return ends(n, 1, 1);
}
""")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start(), (0, ""))
        text = run([READER, "annotate", self.folder.file("profile")])[1]
        self.assertEqual(re.findall(r"(?m)^ *(\S+): +(?:[6789]|1[23]):", text), ["1"] * 4 + ["#####"] * 2, text)

    def test_lines_that_a_macro_of_the_system_parts(self):
        """gcc's preprocessor writes such a line as several: what begins it begins them all."""
        self.folder.file("a.c", """#include <stddef.h>
#include <string.h>
int main(int n, char **v)
{
    for (int i = 0; i < 8; i++) {
        n++;
        n += v == NULL ? 1 : n > 50 ? 2 : 0;
        n += (n > 0
              ? 1
              : strchr(v[0], i) != NULL);
    }
    return n < 0;
}
""")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start(), (0, ""))
        text = run([READER, "annotate", self.folder.file("profile")])[1]
        self.assertEqual(re.findall(r"(?m)^ *(\S+): +(?:[6789]|10):", text), ["8"] * 4 + ["#####"], text)

    def test_lines_in_which_a_block_begins_amid_another(self):
        """They ran as often as the first code in them; of a for over several lines, its start ran once."""
        self.folder.file("a.c", """static int g(int a, int b) { return a & b; }
static int f(int y) {
  int t = 0;
  t++;
  t += y && g(y,
              1);
  t += g(t, y ? g(y,
                  1)
              : 3);
  t = ({ if (y)
           t++;
         else t--;
         t; });
  for (int i = 0,
           j = 2;
       i < j;
       i++) t++;
  return t;
}
int main(void) { for (int i = 0; i < 10; i++) f(i % 5); return 0; }
""")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        text = run([READER, "annotate", self.folder.file("profile")])[1]
        self.assertEqual(re.findall(r"(?m)^ *(\d+): +(?:[3-9]|1\d):", text),
                         ["10", "10", "10", "8", "10", "8", "2", "10", "8", "2", "10", "10", "10", "30", "20", "10", "10"], text)

    def test_lines_in_which_a_function_ends(self):
        """Of the code that stands there, not of the function's end, to which other returns lead, too."""
        self.folder.file("a.c", """static int g(int a, int b) { return a & b; }
static int never(int y) {
  if (y >= 0)
    return 1;
  return g(y, 2); }
static void seldom(int y, int *t) {
  if (y)
    return;
  *t += g(y,
          *t); }
static int often(int y) {
  if (y)
    return 1;
  return 2;
}
int main(void) { int t = 0; for (int i = 0; i < 10; i++) t += never(i) + often(i % 5), seldom(i % 5, &t); return t == 0; }
""")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        text = run([READER, "annotate", self.folder.file("profile")])[1]
        self.assertEqual(re.findall(r"(?m)^ *(\S+): +(?:[3-57-9]|1[0-5]):", text),
                         ["10", "10", "#####", "10", "8", "2", "2", "10", "10", "8", "2", "10"], text)

    def test_lines_beside_a_constant(self):
        """What a constant decides about: the one arm runs as often as all of it, with what it may leave out, the other never."""
        text = """enum { OFF, ON };
int g(int a) { return a + 1; }
int *f(int a)
{
    static int z[1 ? 2 : 3];
    int n = OFF ?
        g(a) :                      // 0
        a + 2;                      // 3
    n += ON ?
        a ?                         // 3
            g(a) :                  // 2
            2 :                     // 1
        g(2);                       // 0
    n += (1 ||
          g(a)) && (                // 0
          a &&                      // 3
          g(a));                    // 2
    if (0 &&
        (a || n > 1))               // 0
        n++;                        // 0
    while (1 &&                     // 5
           n > 4)                   // 5
        n = 4;                      // 2
    n += a && (ON ||
               g(a));               // 0
    if (a && (n || (ON &&           // 3
                    OFF &&
                    g(a))))         // 0
        n++;                        // 2
    n += (OFF ? ({ int k = 0;
        while (k < 3)               // 0
            k++;                    // 0
        k; }) : 1);
    if (n < 0)
        return g(a) ? (ON ? 0 : (void *)0) :
            OFF ?                   // 0
            z + g(3) :              // 0
            0;                      // 0
    return OFF ?
        z + g(3) :                  // 0
        (ON || g(a)) ? z : 0;       // 3
}
int main(void) { for (int i = 0; i < 3; i++) f(i); return 0; }
"""
        for compiler in compilers():
            with self.subTest(compiler):
                wanted, found = self._lines(text, compiler)
                self.assertEqual(found, wanted)

    def test_timed_bodies_that_are_left_unseen(self):
        """By goto *, and asm goto: clang doesn't compile that where a body's end is to be seen, gcc doesn't see it."""
        source = self.folder.file("a.c", """int f(int a)
{
    static void *const table[] = { &&even, &&odd };
    for (int i = 0; i < a; i++) {
        if (i == 3) { goto *table[a & 1]; }
    }
    return 0;
even:
    return 1;
odd:
    while (a > 7) { a--; if (a & 2) { __asm__ goto ("" : : : : out); } }
out:
    return 2;
}
int main(void) { int s = 0; for (int i = 0; i < 20; i++) { s += f(i); } return s == 1; }
""")
        for compiler in compilers():
            with self.subTest(compiler):
                self.folder.build(source, [compiler], ["-O1"], ["--blocks", "--time", "--count"], "a.out")
                self.assertEqual(self.start()[0], 0)
                [profile] = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"]
                regions = {region["name"]: (region["calls"], region["open"]) for region in profile["regions"] if region["line"]}
                self.assertEqual(regions, {"main:15": (20, 0)})

    def test_two_kinds_that_are_asked_for_are_both_had(self):
        source = self.folder.file("both.c", "int work(int n) { int s = 0; while (n--) { s += n & 3; } return s; }\n"
                                            "int main(void) { return work(5) == 9; }\n")
        seen = []
        for own in [], ["--time", "--count"], ["--functions", "--blocks"], ["--count"], ["--functions", "--time"]:
            self.folder.build(source, ["gcc"], [], ["--smallest", "0", *own], "a.out")
            self.start()
            [profile] = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"]
            seen.append((sorted(r["name"] for r in profile["regions"] if r["line"]), profile["operations"]["hits"]))
        both, timed_and_counted, functions_and_blocks, counted, timed = seen
        self.assertEqual(timed_and_counted, both)
        self.assertEqual(functions_and_blocks, both)
        self.assertEqual(counted, ([], both[1]))
        self.assertEqual(timed, (both[0], 0))

    def _lines(self, text, compiler="gcc"):
        """The line numbers of the text where a count stands behind //, with it; and what annotate shows there."""
        self.folder.file("a.c", text)
        self.assertEqual(self.cc("-O1", "a.c", compiler=compiler), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        [source] = json.loads(run([READER, "annotate", "--json", self.folder.file("profile")])[1])["sources"]
        found = {line["line"]: line["low"] for line in source["lines"]}
        wanted = {row: int(line.split("//")[1]) for row, line in enumerate(text.split("\n"), 1) if "//" in line}
        return wanted, {row: found.get(row) for row in wanted}

    def test_lines_of_or_else(self):
        """What stands behind ?: runs only where the operand before it is zero, whatever it is; a null pointer constant stays one."""
        wanted, found = self._lines("""#define NULL ((void *)0)
enum { ZERO };
struct s { long long a : 40; int b; };
static int f(const char *name, int *p, int a, struct s s)
{
    static int z[2];
    const char *word = name
        ?: "no" "ne";               // 4
    int *q = p
        ?: z,                       // 4
        *r = p ?: NULL, *t = p ?: 0, *u = p ?: (int *)ZERO;
    int n = a
        ?: s.b;                     // 3
    n += a ?: s.a ?:
        n;                          // 3
    return n + *word + *q + (r != t) + (u ? 1 : 0 ?: 1) != 0;
}
int main(void)
{
    struct s s = {0, 0};
    for (int i = 0, k = 1; i < 7; i++) k = f(i % 2 ? "a" : 0, i % 2 ? &k : 0, i % 3, s);
    return 0;
}
""")
        self.assertEqual(found, wanted)

    def test_lines_behind_open_brackets(self):
        """A block begins where its first code stands, not where the bracket before it does."""
        wanted, found = self._lines("""static int f(int a, int b)
{
    int n = 1;
    if (a && (                      // 6
            b || (                  // 4
                a > 2)) && !(       // 2
                    a == 5)) {      // 4
        n++;                        // 2
    }
    return n;                       // 6
}
int main(void) { int n = 0; for (int i = 0; i < 6; i++) n += f(i % 3 * (i + 1) % 7, i & 1); return n == 1; }
""")
        self.assertEqual(found, wanted)

    def test_lines_of_elements_that_are_named(self):
        """Each of them is evaluated where each is another one: what stands in them has counts of its own."""
        wanted, found = self._lines("""static int f(int a)
{
    int n[] = {
        [1] = a > 1 ?
            a :                     // 4
            a + 1,                  // 2
        [0] = a && (
            a > 3)                  // 5
    };
    return n[0] + n[1];
}
int main(void) { int n = 0; for (int i = 0; i < 6; i++) n += f(i); return n == 1; }
""")
        self.assertEqual(found, wanted)

    def test_lines_of_labels_before_loops(self):
        """They are passed less often than what stands behind them, be it on the same line."""
        wanted, found = self._lines("""static int f(int a)
{
    int n = 0;
    switch (a % 4) {
    case 0:                         // 3
        while (n < 2)               // 9
            n++;                    // 6
    case 1:                         // 8
    case 2:                         // 8
        for (;;) {
            if (n++ > 4)            // 42
                break;              // 8
        }
        break;                      // 8
    default:                        // 2
        do {
            n--;                    // 4
        } while (n > -2);           // 4
    }
    if (a > 4) {                    // 10
        if (n == a)                 // 5
            goto end;               // 1
        n = ({ if (n > 2) n--;
            do {
                n++;                // 5
            } while (n < 0); n; }); // 5
    end:                            // 5
        ;
    }
again:                              // 10
    while (n > 20)                  // 10
        n -= 3;                     // 0
    return n;                       // 10
}
int main(void) { int n = 0; for (int i = 0; i < 10; i++) n += f(i); return 0; }
""")
        self.assertEqual(found, wanted)

    def test_digraphs(self):
        """They are braces and brackets, but in strings and comments."""
        text = """#include <stdio.h>
static int f(int a) <%              // 3
    int n<:2:> = <% a, 1 %>;        // 3
    if (a > 1) <%                   // 3
        puts("<% \\" <:"); /* <% " */ puts("%>"); // 1
    %>
    return n<:0:> % 3;              // 3
%>
int main(void) <% for (int i = 0; i < 3; i++) f(i); puts(R"x(" <%)x"); return '"' == 0; %>
"""
        wanted, found = self._lines(text)
        self.assertEqual(found, wanted)
        self.folder.file("a.c", text)
        self.assertEqual(self.plain("-C", "a.c", "-o", "plain"), (0, "", ""))
        self.assertEqual(self.cc("-C", "a.c"), (0, "", ""))
        self.assertEqual(self.start(), self.start("plain"))
        self.assertEqual(run([os.path.join(TOP, "build", "perfcomp-instrument"), "a.c"], cwd=self.folder.path)[1].count("++pfc__c"), 3)

    def test_lines_of_what_is_included_amid_a_function(self):
        """As bison's actions are by #line: what a file has in a block that another begins are lines of it, too."""
        self.folder.file("part.h", "n++;\nn += a > 3;\nif (n > 2)\n    n--;\n")
        found = self.annotated("""int f(int a)
{
    int n = 0;
    if (a < 7) {
        n++;
#include "part.h"
    }
    switch (n) {
    case 1:
#line 10 "x.y"
        { n += 2;
          n ^= 1; }
#line 13 "a.c"
        break;
    case 2:
#line 20 "x.y"
        { n += 5; }
#line 18 "a.c"
        break;
    }
    return n;
}
int main(void) { int n = 0; for (int i = 0; i < 10; i++) n += f(i); return 0; }
""")
        self.assertEqual(found["part.h"], {1: 7, 2: 7, 3: 7, 4: 3})
        self.assertEqual(found["x.y"], {10: 0, 11: 0, 20: 7})
        self.assertEqual([found["a.c"][n] for n in (5, 8, 9, 13, 14, 18, 20)], [7, 10, 0, 0, 7, 7, 10])

    def test_lines_that_a_generator_has_not_counted(self):
        """As flex writes between two rules: what #line then sets back has its own counts, and what was before it is in no line."""
        found = self.annotated("""#define USER_ACTION seen++;
int seen;
int f(int a)
{
    switch (a) {
case 1:
USER_ACTION
#line 100 "x.l"
return 3;
    break;
case 2:
USER_ACTION
#line 101 "x.l"
return 4;
    break;
case 3:
USER_ACTION
#line 102 "x.l"
{ seen--;

  a += 2; }
    break;
case 4:
USER_ACTION
#line 105 "x.l"
seen--;
    break;
case 5:
USER_ACTION
#line 106 "x.l"
{
  seen--;
  a++; }
    break;
#line 34 "a.c"
    }
    return a;
}
int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += f(2) - f(3) - f(5); return (s + f(2)) & 0; }
""")
        self.assertEqual(found["x.l"], {100: 0, 101: 10, 102: 9, 104: 9, 105: 0, 106: 0, 107: 9, 108: 9, 109: 9})

    def test_one_header_of_two_folders(self):
        self.folder.file("include/h.h", "static int h(int a) {\n if (a)\n  return 1;\n return 2;\n}\n")
        for name, calls in ("a", 10), ("b", 3):
            self.folder.file(name + "/x.c", '#include "../include/h.h"\nint %s(void) { int n = 0; for (int i = 0; i < %d; i++) n += h(1); return n; }\n'
                             % (name, calls))
            self.assertEqual(run([CC, "gcc", "-c", "x.c"], cwd=self.folder.file(name), env=self.environment)[0], 0)
        self.folder.file("m.c", "int a(void), b(void);\nint main(void) { return a() + b(); }\n")
        self.assertEqual(self.cc("m.c", "a/x.o", "b/x.o"), (0, "", ""))
        self.assertEqual(self.start()[0], 13)
        text = run([READER, "annotate", "--source", "h.h", self.folder.file("profile")])[1]
        self.assertEqual(text.count("include/h.h"), 1, text)
        self.assertRegex(text, r"(?m)^ *13: +3:  return 1;")

    HEADER = """static inline int unused(int a) { return a ? unused(a - 1) : 2; }
static inline int only_for_unused(int a);
static int unused_too(int a) { return only_for_unused(a); }
static inline int only_for_unused(int a) { return a; }
static inline int inner(int a);
static inline int used(int a) { return inner(a); }
static inline int inner(int a) { return a ? used(a - 1) : 0; }
static int in_table(int a) { return a; }
static int in_table$(int a) { return a; }
static void at_end(int *a) { *a = 0; }
static int __aliased(int a) { return a; }
#define ALIAS(name) extern int name##_(int) __attribute__((alias("__" #name)))
ALIAS(aliased);
__attribute__((constructor)) static void begins(void) { }
static void begins_too(void) __attribute__((constructor));
static void begins_too(void) { }
static int add(int a, int b) { return a + b; }
static void zero(int *a) { *a = 0; }
#pragma omp declare reduction(sum: int: omp_out = add(omp_out, omp_in)) initializer(zero(&omp_priv))
static int for_float(int a) { return a + 1; }
static int for_forward(int a) { return a + 1; }
int shared(int a) { return a; }
"""
    UNIT = """#include <stdbool.h>
#include "h.h"
static int own(int a) { return a; }
bool even(int a) { return a % 2 == 0; }
_Float64 real(int a) { return for_float(a); }
int forward(int n; int a[n], int n) { return for_forward(a[0]) + n; }
int (*const table[])(int) = { in_table, in_table$ };
int main(int n, char **v) { __attribute__((cleanup(at_end))) int x = n; real(1); return used(3) + even(1); }
"""
    COMPILED = set("used inner in_table in_table$ at_end __aliased begins begins_too add zero for_float shared own even real main".split())

    def functions_of(self, header):
        self.folder.file("h.h", header)
        self.folder.file("a.c", self.UNIT)
        self.assertEqual(self.cc("-w", "-fopenmp", "a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        return {place[3] for place in reported(self.folder.file("profile"))}

    def test_header_functions_that_are_not_used(self):
        """A unit has no tables of them: what isn't compiled can't run."""
        found = self.functions_of(self.HEADER)
        self.assertEqual(found - {"for_forward", "forward"}, self.COMPILED)
        self.assertIn("for_forward", found, "called from what libclang can't read")

    def test_header_functions_beside_other_letters(self):
        """gcc -E writes them as numbers, libclang doesn't: none is left out then."""
        self.assertIn("unused", self.functions_of(self.HEADER + "static int \u00c3\u00a9t\u00c3\u00a9(int a) { return a; }\n"))

    def test_soname_in_two_words(self):
        """As libtool has it: no library."""
        self.folder.file("a.c", "int f(int a) { return a; }\n")
        self.assertEqual(self.cc("-fPIC", "-c", "a.c"), (0, "", ""))
        self.assertEqual(self.cc("-shared", "a.o", "-Wl,-soname", "-Wl,libx.so.1", "-o", "y.so"), (0, "", ""))
        self.assertEqual(self.cc("-shared", "-fPIC", "a.c", "-Wl,-soname", "-Wl,libx.so.1", "-o", "y.so"), (0, "", ""))

    def test_lines_without_code(self):
        text = ("int f(int n)\n{\n    int s = 0;\n\n    // comment\n    s += n;\n#if 0\n    s++;\n#endif\n    /* two\n"
                "       lines */ s ^= n\n        + 1;\n    if (s)\n    {\n        s--;\n\n    }\n    return s & 0;\n}\nint main(void) { return f(3); }\n")
        self.folder.file("a.c", text)
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        [source] = json.loads(run([READER, "annotate", "--json", self.folder.file("profile")])[1])["sources"]
        self.assertEqual([line["line"] for line in source["lines"]], [1, 2, 3, 6, 11, 12, 13, 15, 18, 19, 20])

    def annotated(self, text):
        """By source: the count of each line that has one."""
        self.folder.file("a.c", text)
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        sources = json.loads(run([READER, "annotate", "--json", self.folder.file("profile")])[1])["sources"]
        return {source["name"]: {line["line"]: line["low"] for line in source["lines"]} for source in sources}

    def test_one_header_twice_in_a_unit(self):
        """As templates in C are made: a line runs as often as it does in all functions that it became."""
        self.folder.file("h.h", "int NAME(int n)\n{\n    int s = 0;\n    s += n;\n    if (n > 3) {\n        s += 1;\n        s += 2;\n    }\n"
                         "    s ^= 1;\n    s ^= 2;\n    return s;\n}\n")
        found = self.annotated('#define NAME one\n#include "h.h"\n#undef NAME\n#define NAME two\n#include "h.h"\n'
                               "int main(void) { int s = 0; for (int i = 0; i < 10; i++) s += one(i); return (s + two(1) + two(9)) & 0; }\n")
        self.assertEqual(found["h.h"], {1: 12, 2: 12, 3: 12, 4: 12, 5: 12, 6: 7, 7: 7, 9: 12, 10: 12, 11: 12, 12: 12})

    def test_lines_of_operands(self):
        """A line that begins with an operand has that one's count, and one behind all of them the statement's."""
        text = ("static int f(int x) { return x; }\nstatic int g(int a)\n{\n    return (a > 2\n        ? f(1)\n        : f(2))\n        + (a > 3 &&\n"
                "           f(3) &&\n           !(f(0))) +\n        1;\n}\nint\nmain (void)\n{\n    int i, s = 0;\n"
                "    for (i = 0; i < 10; i++) s += g(i);\n    return s & 0;\n}\n")
        self.assertEqual(self.annotated(text)["a.c"],
                         {1: 22, 2: 10, 3: 10, 4: 10, 5: 7, 6: 3, 7: 10, 8: 6, 9: 6, 10: 10, 11: 10, 13: 1, 14: 1, 15: 1, 16: 11, 17: 1, 18: 1})

    def test_lines_of_labels(self):
        """A label has the count of the code behind it, before a loop of its own; the first of several, too."""
        text = ("int g(int a)\n{\n    switch (a) {\n    case 1:\n    case 2:\n        a++;\n        break;\n    case 3: {\n        while (a < 9)\n"
                "            a++;\n        goto out;\n    }\n    default:\n        a--;\n    }\n    a = 0;\nout:\n    return a;\n}\n"
                "int main(void) { return (g(1) + g(2) + g(3) + g(4)) & 0; }\n")
        self.assertEqual(self.annotated(text)["a.c"],
                         {1: 4, 2: 4, 3: 4, 4: 2, 5: 2, 6: 2, 7: 2, 8: 1, 9: 7, 10: 6, 11: 1, 13: 1, 14: 1, 16: 3, 17: 4, 18: 4, 19: 4, 20: 1})

    def test_lines_of_labels_without_a_statement(self):
        """A label may stand right before a declaration, also one that a system's macro begins, and at a block's end."""
        text = ("#include <stdbool.h>\ntypedef int number;\nint g(int a)\n{\n    switch (a) {\n    case 1:\n        int b = a;\n        return b;\n"
                "    case 2:\n        if (a) {\n            goto next;\n        next:\n        }\n    default:\n\n        bool c = a > 3;\n"
                "        if (c) goto out;\n    }\nagain:\n    number d = 0;\n    if (++a < 6) goto again;\n    return d;\nout:\n"
                "    static int e;\n    return e;\n}\nint main(void) { return (g(1) + g(2) + g(3) + g(4)) & 0; }\n")
        self.assertEqual(self.annotated(text)["a.c"],
                         {3: 4, 4: 4, 5: 4, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1, 14: 3, 16: 3, 17: 3, 19: 7, 20: 7, 21: 7,
                          22: 2, 23: 1, 24: 1, 25: 1, 26: 4, 27: 1})

    def test_calls_that_do_not_return(self):
        """Where each block counts for itself, too, what stands behind them has been run as often as they returned."""
        found = self.annotated("""#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf jb;
static volatile int c, d;
static void thrower(int i) { if (i % 5 == 0) longjmp(jb, 1); }
static void leave(int a) { if (a) exit(0); }
static int tiny(int a) { return a + 1; }
int main(void)
{
    for (volatile int i = 0; i < 20; i++) {
        int v = setjmp(jb);
        if (v == 0) {
            thrower(i);
            c += tiny(i);
            d += abs(i);
        } else
            c -= 1;
        if ((thrower(v ? 1 : i + (i % 5 == 0)), i % 2))
            d += 1;
    }
    leave(0);
#pragma omp parallel
    {
        c = 0;
        leave(0);
        d = 0;
        leave(1);
        puts("after");
    }
    puts("after");
    return 1;
}
static int value(int i) { thrower(i); return i; }
void __attribute__((constructor)) first(void)
{
    for (volatile int i = 0; i < 20; i++)
        if (!setjmp(jb))
            c += (i & 1 ? 1
                  : 2)
                + value(i);
}
""")["a.c"]
        self.assertEqual({line: low for line, low in found.items() if line > 10}, {
            11: 21, 12: 20, 13: 24, 14: 20, 15: 16, 16: 16, 18: 4, 19: 20, 20: 10, 22: 1, 24: 1, 25: 1, 26: 1, 27: 1, 28: 1,
            29: 0, 31: 0, 32: 0, 33: 0, 34: 20, 35: 1, 36: 1, 37: 21, 38: 20, 39: 20, 40: 10, 41: 20, 42: 1})

    def test_cleanup_of_a_cancelled_thread(self):
        """pthread_cleanup_push calls what returns once more when the thread is cancelled, and then goes on elsewhere."""
        found = self.annotated("""#include <pthread.h>
#include <unistd.h>
static volatile int cleaned;
static void clean(void *by) { cleaned += *(int *)by; }
static void *f(void *waits)
{
    pthread_cleanup_push(clean, waits);
    if (*(int *)waits) {
        cleaned += 0;
        for (;;) pause();
    }
    pthread_cleanup_pop(1);
    return 0;
}
int main(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, f, &i);
        if (i) pthread_cancel(thread);
        pthread_join(thread, 0);
    }
    return cleaned - 3;
}
""")["a.c"]
        self.assertEqual({line: low for line, low in found.items() if 5 < line < 14}, {6: 3, 7: 5, 8: 3, 9: 2, 10: 2, 12: 1, 13: 1})

    def test_lines_of_generated_parsers(self):
        """The parser's lines around an action, which is of the grammar's file, have counts of their own."""
        text = ("int act(int k)\n{\n    int v = 0;\n    switch (k) {\n    case 1:\n#line 10 \"y.y\"\n        {\n            v = 3;\n            v += k;\n"
                "            v ^= 1;\n        }\n#line 13 \"a.c\"\n        break;\n    }\n    return v & 0;\n}\n"
                "int main(void) { return act(1) + act(2) + act(1); }\n")
        self.assertEqual(self.annotated(text), {"a.c": {1: 3, 2: 3, 3: 3, 4: 3, 5: 2, 13: 2, 15: 3, 16: 3, 17: 1}, "y.y": {11: 2, 12: 2, 13: 2}})

    def test_variable_called_like_a_function_that_does_not_return(self):
        """What it points to may return."""
        text = """#include <stdlib.h>
static volatile int s;
static void keep(int n) { s += n; }
int straight(void (*exit)(int))
{
    exit(1);
    s++;
    return s;
}
int branching(void (*exit)(int), int i)
{
    void (*abort)(int) = exit;
    if (i % 3 == 0) exit(1);
    while (s % 5) s++;
    switch (i) {
    case 1: abort(2);
    case 2: s++; break;
    default: i ? abort(1) : (void)0;
    }
    return s;
}
int main(void) { for (int i = 0; i < 20; i++) straight(keep), branching(keep, i); return 0; }
"""
        found = self.annotated(text)["a.c"]
        self.assertEqual({line: found[line] for line in (3, 4, 6, 7, 8, 10, 13, 15, 16, 17, 18, 20)},
                         {3: 45, 4: 20, 6: 20, 7: 20, 8: 20, 10: 20, 13: 20, 15: 20, 16: 1, 17: 2, 18: 18, 20: 20})

    def test_behind_main(self):
        """Exit handlers and destructors are part of the run."""
        text = ("#include <stdlib.h>\nstatic volatile int s;\nstatic void handler(void)\n{\n    while (s < 3) s++;\n}\n"
                "__attribute__((destructor)) static void last(void)\n{\n    while (s < 8) s++;\n}\n"
                "int main(void) { return atexit(handler); }\n")
        self.assertEqual(self.annotated(text)["a.c"], {3: 1, 4: 1, 5: 4, 6: 1, 7: 1, 8: 1, 9: 6, 10: 1, 11: 1})
        profile = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])
        self.assertIn("last", str(profile))

    def test_program_that_is_all_archives(self):
        """The runtime is linked first there, and must stop first all the same: what libraries' destructors still call doesn't
        count into the profile that is sealed."""
        self.folder.file("last.c", "static void (*call)(int);\nvoid at_last(void (*f)(int)) { call = f; }\n"
                                   "__attribute__((destructor)) static void last(void) { if (call) call(3); }\n")
        self.folder.file("a.c", "void at_last(void (*)(int));\nstatic volatile int s;\nstatic void count(int n) {\n while (n--)\n  s++;\n}\n"
                                "int main(void) { count(2); at_last(count); return s - 2; }\n")
        self.assertEqual(self.plain("-shared", "-fPIC", "-o", "liblast.so", "last.c"), (0, "", ""))
        self.assertEqual(self.cc("-c", "a.c"), (0, "", ""))
        self.assertEqual(run(["ar", "rcs", "liba.a", "a.o"], cwd=self.folder.path)[0], 0)
        self.assertEqual(self.cc("liba.a", "-L.", "-llast", "-Wl,-rpath," + self.folder.path), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        status, text, said = run([READER, "annotate", self.folder.file("profile")])
        self.assertEqual((status, said, re.findall(r"(?m)^ *(\S+): +(?:[35]):", text)), (0, "", ["1", "2"]))

    @CONTAINERS
    def test_runs_in_containers(self):
        """Of each all processes have the same numbers, and the others don't see them: a profile that is written stays."""
        self.folder.file("a.c", "#include <unistd.h>\nint main(void) { return read(0, (char[1]) { 0 }, 1) != 0; }\n")
        self.assertEqual(self.cc("-O1", "a.c"), (0, "", ""))
        profile = self.folder.file("profile")
        os.makedirs(profile)
        def state():
            return sorted(one["state"] for one in json.loads(run([READER, "report", "--json", profile])[1] or '{"profiles": []}')["profiles"])
        started = []
        for number in 1, 2, 3:
            started.append(subprocess.Popen(["unshare", "-rpf", "--mount-proc", self.folder.file("a.out")], stdin=subprocess.PIPE,
                                            env={**os.environ, "PERFCOMP_DIR": profile}))
            deadline = time.monotonic() + 60
            while len(state()) < number and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(len(state()), number)
            self.assertNotIn("died", state())
        for process in started:
            process.communicate()
        self.assertEqual([process.returncode for process in started], [0] * 3)
        self.assertEqual(state(), ["ended"] * 3)
        self.assertEqual(self.start(), (0, ""))
        self.assertEqual(len(os.listdir(profile)), 3) # the first one's has made room

    def test_children_of_an_earlier_run(self):
        """Their profiles aren't replaced, as the first process's is, and are left out: that is said."""
        self.folder.file("a.c", "#include <sys/wait.h>\n#include <unistd.h>\nint main(void) { if (fork()) wait(0); return 0; }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        self.assertNotIn("earlier run", str(run([READER, "report", self.folder.file("profile")])))
        self.assertEqual(self.start()[0], 0)
        _, report, said = run([READER, "report", self.folder.file("profile")])
        self.assertIn("2 processes", report)
        self.assertRegex(report, r"(?m)^ +2 .* main  a.c:3$")
        self.assertIn("1 forked process is of an earlier run: left out unless named;", said)
        os.unlink(self.folder.file("profile/perfcomp.0.pfc"))
        report = run([READER, "report", self.folder.file("profile")])[1]
        self.assertIn("2 processes", report)
        self.assertIn("2 forked processes are of earlier runs, or their parents' profiles are missing", report)

    def test_copy_of_an_earlier_run(self):
        """Its name ends as the first process's does, and it isn't that one."""
        self.folder.file("a.c", "#include <sys/wait.h>\n#include <unistd.h>\nint main(void) { if (fork()) wait(0); return 0; }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        shutil.copy(self.folder.file("profile/perfcomp.0.pfc"), self.folder.file("profile/before.perfcomp.0.pfc"))
        self.assertEqual(self.start()[0], 0)
        _, report, said = run([READER, "report", self.folder.file("profile")])
        self.assertIn("2 processes", report)
        self.assertIn("1 forked process is of an earlier run", said)
        self.assertIn("1 program is of an earlier run", said)

    def test_programs_that_an_earlier_run_has_started(self):
        """By fork and exec, or by system: neither they nor what was forked besides count once more, whatever began first."""
        self.folder.file("a.c", "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
                                "int main(int n, char **a)\n{\n    char command[4096];\n    if (n > 1) return 0;\n"
                                "    snprintf(command, sizeof command, \"%s x\", a[0]);\n    system(command);\n"
                                "    if (!fork()) { execv(a[0], (char *[]){ a[0], \"y\", 0 }); _exit(1); }\n    wait(0);\n"
                                "    if (fork()) wait(0);\n    return 0;\n}\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        for _ in range(2):
            self.assertEqual(self.start()[0], 0)
            _, report, said = run([READER, "report", self.folder.file("profile")])
            self.assertIn("5 processes", report)
        self.assertIn("2 forked processes are of an earlier run: left out", said)
        self.assertIn("2 programs are of an earlier run: left out", said)

    def test_program_that_an_earlier_run_became_again_and_again(self):
        """A row of 31 profiles of one process: who started whom is looked at once."""
        self.folder.file("a.c", "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
                                "int main(int n, char **a)\n{\n    int times = getenv(\"TIMES\") ? atoi(getenv(\"TIMES\")) : 0;\n    char left[20];\n"
                                "    snprintf(left, sizeof left, \"%d\", times - 1);\n    if (!times) return 0;\n"
                                "    setenv(\"TIMES\", left, 1);\n    execv(a[0], a);\n    return n;\n}\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start(TIMES="30")[0], 0)
        status, report, said = run([READER, "report", self.folder.file("profile")], timeout=60)
        self.assertEqual((status, said, report.count("exec  ")), (0, "", 30))
        self.assertEqual(self.start()[0], 0)
        status, _, said = run([READER, "report", self.folder.file("profile")], timeout=60)
        self.assertEqual(status, 0)
        self.assertIn(": 30 programs are of an earlier run: left out", said)

    def test_daemon_that_its_own_program_stops(self):
        """The second run takes the name of the first one's first process, which has ended; the daemon and its workers are shown."""
        self.folder.file("a.c", """
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t stopped;
static void stop(int signal) { stopped = signal; }
static void work(void) { if (stopped) abort(); }
static void serve(int ready)
{
    sigset_t usual, blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &usual);
    signal(SIGTERM, stop);
    if (!fork()) { work(); exit(0); }
    wait(0);
    close(ready);
    while (!stopped) sigsuspend(&usual);
    exit(0);
}
int main(int argc, char **argv)
{
    int ends[2];
    char c;
    if (argc > 1) return kill((pid_t)atoi(argv[1]), SIGTERM);
    pipe(ends);
    pid_t daemon = fork();
    if (!daemon) { close(ends[0]); close(0); close(1); close(2); umask(0); serve(ends[1]); }
    close(ends[1]);
    read(ends[0], &c, 1);
    printf("%d", (int)daemon);
    return 0;
}
""")
        profile = self.folder.file("profile")
        self.assertEqual(self.cc("-w", "a.c"), (0, "", ""))
        status, daemon = self.start()
        self.assertEqual(status, 0)
        self.assertEqual(run([self.folder.file("a.out"), daemon], env={"PERFCOMP_DIR": profile})[0], 0)
        written = [stat.S_IMODE(os.stat(os.path.join(profile, name)).st_mode) for name in os.listdir(profile)]
        self.assertEqual([mode for mode in written if mode & 0o022], [], "others can write there")
        for _ in range(2):                 # while the daemon still runs, perhaps, and after its end
            _, report, said = run([READER, "report", "--all", profile])
            self.assertEqual(said, "")
            self.assertIn("3 processes", report)
            self.assertRegex(report, r"(?m)^ +2 .* serve  a.c:")
            while os.path.exists(f"/proc/{daemon}"):
                time.sleep(0.01)

    def test_daemon_that_its_new_version_replaces(self):
        """As nginx's binary upgrade: the old one and its workers have ended when the program is run that stops the new one."""
        self.folder.file("a.c", """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void serve(void)
{
    sigset_t stop;
    int signal, end;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, 0);
    printf("%d\\n", (int)getpid());
    fflush(stdout);
    for (end = 0; end < 20; end++) close(end);
    sigwait(&stop, &signal);
    exit(0);
}
int main(int argc, char **argv)
{
    int ends[2];
    char c;
    if (argc > 1 && !strcmp(argv[1], "new")) serve();
    if (argc > 1) return kill((pid_t)atoi(argv[1]), SIGTERM);
    pipe(ends);
    if (!fork()) {
        close(ends[0]);
        if (!fork()) exit(0);
        wait(0);
        if (!fork()) execl(argv[0], argv[0], "new", (char *)0);
        exit(0);
    }
    close(ends[1]);
    read(ends[0], &c, 1);
    return 0;
}
""")
        profile = self.folder.file("profile")
        self.assertEqual(self.cc("-w", "a.c"), (0, "", ""))
        status, daemon = self.start()
        self.assertEqual(status, 0)
        self.assertEqual(run([self.folder.file("a.out"), daemon.strip()], env={"PERFCOMP_DIR": profile})[0], 0)
        while os.path.exists(f"/proc/{daemon.strip()}"):
            time.sleep(0.01)
        _, report, said = run([READER, "report", "--all", profile])
        self.assertEqual(said, "")
        self.assertIn("5 processes", report)
        status, daemon = self.start()      # nothing of all that belongs to another run of it
        self.assertEqual(status, 0)
        os.kill(int(daemon), signal.SIGTERM)
        _, report, said = run([READER, "report", "--all", profile])
        self.assertIn("5 processes", report)
        self.assertIn("3 forked processes are of an earlier run", said)

    def test_own_getenv(self):
        """A program's own isn't called by perfcomp: shells have one, and each call would be counted."""
        self.folder.file("a.c", "#include <string.h>\nextern char **environ;\nchar *getenv(const char *name) {\n"
                                " size_t n = strlen(name); char **e = environ;\n while (*e && (strncmp(*e, name, n) || (*e)[n] != '=')) e++;\n"
                                " return *e ? *e + n + 1 : 0; }\n"
                                "int main(void) { return !getenv(\"PATH\") || getenv(\"PERFCOMP_NOTHING\"); }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        entries = [n for place, found in reported(self.folder.file("profile")).items() if place[3:] == ("getenv", counts.ENTRY) for n in found]
        self.assertEqual([low for low, _, _ in entries], [2])

    def test_own_names(self):
        """What a game calls so has nothing to do with files and processes: ISO C leaves it these names. They are neither called by
        perfcomp, nor taken for the C library's where that is wrapped, nor is anything lost that they are given."""
        names = ("open close read write pread pwrite lseek ftruncate fstat flock fcntl mkdir unlink readlink symlink getpid getppid mmap munmap "
                 "madvise syscall kill sigqueue clone wait3 wait4 waitid execv sem_wait sem_post cnd_wait mtx_lock").split()
        unit = "struct unit { long hp; const char *name; };\n" + "".join("struct unit *%s(struct unit *u, double damage);\n" % name for name in names)
        self.folder.file("b.c", unit + "".join("struct unit *%s(struct unit *u, double damage) { u->hp -= (long)damage; return u; }\n" % name
                                               for name in names))
        self.folder.file("a.c", unit + "int main(void) { struct unit u = { 1L << 40, \"orc\" };\n" + "".join(
            " u.hp = 1L << 40; if (%s(&u, 1099511627770.5)->hp != 6 || %s(&u, 2)->name[0] != 'o' || u.hp != 4) return %d;\n"
            % (name, name, number) for number, name in enumerate(names, 1)) + " return 0; }\n")
        for options in ["-O0"], ["-O2"], ["-O2", "-flto"], ["-O2", "-pthread", "-fvisibility=hidden"], ["-static"]:
            self.assertEqual(self.cc("-fno-builtin", *options, "a.c", "b.c"), (0, "", ""))
            for _ in range(2):                     # the second run finds the first one's profile
                self.assertEqual(self.start(), (0, ""))
        entries = [n for place, found in reported(self.folder.file("profile")).items() if place[-1] == counts.ENTRY for n in found]
        self.assertEqual(sorted(low for low, _, _ in entries), [1] + [2] * len(names))

    def test_own_variables(self):
        """Of such a name: another unit doesn't find a function in its place."""
        self.folder.file("b.c", "int kill = 3;\nint wait3;\nint (*clone)(int);\nchar syscall[] = \"no\";\nint twice(int a) { return a * 2; }\n")
        self.folder.file("a.c", "extern int kill, wait3, (*clone)(int), twice(int);\nextern char syscall[3];\n"
                                "int main(void) { clone = twice; wait3 = 5; return clone(kill) != 6 || wait3 != 5 || syscall[1] != 'o'; }\n")
        for options in ["-O0"], ["-O2"], ["-O2", "-flto"]:
            for compiler in "gcc", "clang":
                with self.subTest(options=options, compiler=compiler):
                    self.assertEqual(run([CC, compiler, "-fno-builtin", *options, "a.c", "b.c"], cwd=self.folder.path, env=self.environment), (0, "", ""))
                    self.assertEqual(self.start(), (0, ""))
        for name in "a.c", "b.c":
            self.folder.file(name, "int kill;\nint wait3;\n" + ("int main(void) { return kill + wait3; }\n" if name == "a.c" else "void f(void) { kill++; }\n"))
        self.assertEqual(self.cc("-fcommon", "a.c", "b.c"), (0, "", ""))
        self.assertEqual(self.start(), (0, ""))

    def test_own_lock(self):
        """One that a header of the system declares is the library's, by another hand: it is wrapped like that one."""
        self.folder.file("a.c", "#include <semaphore.h>\nint main(void) { sem_t s; sem_init(&s, 0, 1); return sem_wait(&s); }\n")
        self.folder.file("b.c", "#include <semaphore.h>\nint sem_wait(sem_t *s) { return sem_trywait(s); }\n")
        self.assertEqual(self.cc("-pthread", "a.c", "b.c"), (0, "", ""))
        self.assertEqual(self.start(), (0, ""))
        self.assertRegex(run([READER, "report", "--all", self.folder.file("profile")])[1], r"(?m)%  sem_wait$")  # where it was waited

    def test_own_library(self):
        """What a program defines of the C library is instrumented, and perfcomp calls it: that must end."""
        own = {
            "mmap": "void *mmap(void *a, size_t n, int p, int f, int fd, off_t o) { return (void *)syscall(SYS_mmap, a, n, p, f, fd, o); }",
            "pthread_sigmask": "int pthread_sigmask(int h, const sigset_t *s, sigset_t *o) { return (int)syscall(SYS_rt_sigprocmask, h, s, o, 8); }",
            "sigfillset": "int sigfillset(sigset_t *s) { size_t i; for (i = 0; i < sizeof *s; i++) ((volatile char *)s)[i] = -1; return 0; }",
            "memcpy": "void *memcpy(void *a, const void *b, size_t n) { volatile char *x = a; const char *y = b; while (n--) *x++ = *y++; return a; }",
            "open": "int open(const char *p, int f, ...) { return (int)syscall(SYS_openat, AT_FDCWD, p, f, 0666); }",
            "clock_gettime": "int clock_gettime(clockid_t c, struct timespec *t) { return (int)syscall(SYS_clock_gettime, c, t); }",
        }
        for name, function in [*own.items(), ("all of them", "\n".join(own.values()))]:
            self.folder.file("a.c", "".join("#include <%s.h>\n" % header for header in ("fcntl", "pthread", "signal", "stdio", "sys/mman", "sys/syscall",
                                                                                         "time", "unistd")) + function +
                             "\nstatic void *run(void *a) { return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, run, 0);\n"
                             " pthread_join(t, 0); puts(\"done\"); return 0; }\n")
            for options in [], ["-pthread"]:
                self.assertEqual(self.cc("-D_GNU_SOURCE", "-fno-builtin", "-w", "-O1", "a.c", *options), (0, "", ""))
                for clock in "", "system":
                    with self.subTest(name, options=options, clock=clock):
                        self.assertEqual(self.start(PERFCOMP_CLOCK=clock), (0, "done\n"))

    def test_wrapped_by_the_program(self):
        """What the linker puts in a function's place, a test's mock, gets the program's calls alone."""
        wrapped = {"calloc": ("void *", "size_t n, size_t m", "n, m"), "free": ("void", "void *p", "p"),
                   "memcpy": ("void *", "void *a, const void *b, size_t n", "a, b, n"),
                   "clock_gettime": ("int", "clockid_t c, struct timespec *t", "c, t")}
        self.folder.file("a.c", "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\nstatic int calls;\n" + "".join(
            "%s __real_%s(%s);\n%s __wrap_%s(%s) { calls++; return __real_%s(%s); }\n" % (kind, name, takes, kind, name, takes, name, gives)
            for name, (kind, takes, gives) in wrapped.items()) + "static void *run(void *a) { return a; }\n"
            "int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0);\n"
            " void *volatile p = calloc(1, 1); free(p); printf(\"%d\\n\", calls); return 0; }\n")
        words = ["-Wl," + ",".join("--wrap=" + name for name in wrapped)]
        for compiler in compilers():
            for options in [], ["-O2", "-flto"]:
                with self.subTest(compiler=compiler, options=options):
                    self.assertEqual(run([CC, compiler, "-w", "-pthread", *options, "a.c", *words], cwd=self.folder.path, env=self.environment), (0, "", ""))
                    self.assertEqual(self.start(), (0, "2\n"))
        self.folder.file("a.c", "int main(void) { return 0; }\n")
        self.assertEqual(self.cc("a.c", "-Wl,--wrap=malloc", "-Xlinker", "--wrap=free", "-Wl,--wrap", "-Wl,calloc", # nowhere defined,
                                 "-Xlinker", "--wrap", "-Xlinker", "memcpy"), (0, "", ""))                          # and not called

    def test_clock_that_stands_still(self):
        """What a test puts in the place of clock_gettime, or a preloaded library, isn't what perfcomp waits by."""
        still = "(clockid_t c, struct timespec *t) { t->tv_sec = c; t->tv_nsec = 5; return 0; }\n"
        main = "int main(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); printf(\"%ld\\n\", (long)t.tv_nsec); return 0; }\n"
        includes = "#include <stdio.h>\n#include <time.h>\n"
        self.folder.file("a.c", includes + "int __wrap_clock_gettime" + still + main)
        self.folder.file("b.c", includes + "int clock_gettime" + still + "#ifndef LIBRARY\n" + main + "#endif\n")
        library = self.folder.file("b.so")
        self.assertEqual(run(["gcc", "-w", "-shared", "-fPIC", "-DLIBRARY", "b.c", "-o", library], cwd=self.folder.path)[0], 0)
        for words, more in (["a.c", "-Wl,--wrap=clock_gettime"], {}), (["b.c"], {}), (["a.c"], {"LD_PRELOAD": library}):
            self.assertEqual(self.cc("-w", *words), (0, "", ""))
            for clock in "", "system":
                with self.subTest(words=words, clock=clock):
                    began = time.time()
                    self.assertEqual(self.start(timeout=60, PERFCOMP_CLOCK=clock, **more), (0, "5\n"))
                    report = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])
                    self.assertAlmostEqual(report["profiles"][0]["begin_utc_ns"] / 1e9, began, delta=60)

    def test_filter(self):
        self.folder.file("a.c", "".join(f"void f{i}(int a) {{ while (a) a /= 2; }}\n" for i in range(4)))
        self.assertEqual(self.timed(), 4)
        for content, timed in (("# f0\n\nf0\ta.c\t5\t2.5\n", 3), ("f0\telsewhere/a.c\nf1\n", 2), ("f0\tb.c\n", 4), ("f[123]\ta.c\n", 1),
                               ("f0\tb.c\nf?\ta.c\n", 0)):
            self.folder.file("filter", content)
            self.assertEqual(self.timed("--filter", self.folder.file("filter")), timed, content)
    def test_files_and_functions_by_names_beyond_ascii(self):
        """Options and lists name them as the user does, whatever the preprocessor makes of them."""
        text = "void zähle(int a) { while (a) a /= 2; }\nvoid other(int a) { while (a) a /= 2; }\n"
        for name in "möbel.c", 'quo"te.c', "back\\slash.c", os.fsdecode(b"byte\xff.c"):
            self.folder.file(name, in_bytes(text))
            for compiler in compilers():
                for words, functions, timed in ((["--skip", "zähle"], 1, 1), (["--only", "z?hle"], 1, 1), (["--skip", name], 0, 0),
                                                (["--filter", "zähle\n"], 2, 1), (["--filter", "zähle\t%s\n" % name], 2, 1),
                                                (["--filter", "zähle\ta.c\n"], 2, 2)):
                    with self.subTest(name=name, compiler=compiler, words=words):
                        if words[0] == "--filter":
                            words = [words[0], self.folder.file("filter", in_bytes(words[1]))]
                        self.environment["PERFCOMP_CC_SUMMARY"] = self.folder.file("summary", "")
                        done = run([CC, *words, compiler, "-c", name, "-o", "a.o"], cwd=self.folder.path, env=self.environment)
                        self.assertEqual(done, (0, "", ""))
                        self.assertIn(b": %d functions, %d timed" % (functions, timed), self.read("summary", "rb"))

    def test_labels_with_names_beyond_ascii(self):
        text = """static volatile int s;
int work(int i)
{
    static void *const where[] = { &&ä, &&wegö };
    if (i > 15) goto wegä;
    goto *where[i < 3];
ä:
    return s += 2;
wegö:
    return s += 3;
wegä:
    return s += 4;
}
int main(void) { for (volatile int i = 0; i < 20; i++) work(i); return 0; }
"""
        for compiler in compilers():
            self.folder.file("a.c", in_bytes(text))
            self.assertEqual(run([CC, compiler, "a.c"], cwd=self.folder.path, env=self.environment), (0, "", ""))
            self.assertEqual(self.start()[0], 0)
            self.assertEqual(re.findall(r"(?m)^ +(\d+): +(?:8|10|12):", run([READER, "annotate", self.folder.file("profile")])[1]), ["13", "3", "4"])

    def test_untouched_function_with_a_name_beyond_ascii(self):
        self.folder.file("a.c", in_bytes("__attribute__((no_instrument_function)) void zähle(void) { }\n"))
        self.environment["PERFCOMP_CC_SUMMARY"] = self.folder.file("summary", "")
        self.assertEqual(self.cc("-c", "a.c"), (0, "", ""))
        self.assertIn("; zähle untouched: its attributes".encode(), self.read("summary", "rb"))

    def test_lists_that_are_none(self):
        self.folder.file("a.c", "void f(int a) { while (a) a /= 2; }\n")
        self.environment["PERFCOMP_CC_FLAGS"] = "--filter /nonexistent/filter"
        status, _, said = self.cc("-c", "a.c")
        self.assertEqual(status, 2)
        self.assertIn("--filter /nonexistent/filter: No such file", said)
        self.environment["PERFCOMP_CC_FLAGS"] = "--filter /bin/true"
        self.assertEqual(self.cc("-c", "a.c"), (2, "", "perfcomp-cc: --filter /bin/true: no list of functions; perfcomp filter -o writes one (perfcomp-cc --help)\n"))

    def test_named_twice(self):
        """As by CC and by cmake's launcher: all of its options count, and nothing is wrong."""
        self.folder.file("a.c", TWICE)
        self.environment["PERFCOMP_CC_SUMMARY"] = self.folder.file("summary", "")
        done = run([CC, "--count", CC, "--smallest", "0", "gcc", "-c", "a.c"], cwd=self.folder.path, env=self.environment)
        self.assertEqual(done, (0, "", ""))
        self.assertRegex(self.read("summary"), r"^a\.c: 1 functions, 0 timed, [1-9]\d* blocks, [^\n]*\n$")

    def test_wrong_settings_are_named(self):
        """One line tells what is wrong. A summary that can't be written stops no build."""
        self.folder.file("a.c", TWICE + "__attribute__((naked)) void f(void) { }\n")
        status, output, said = run([CC, self.folder.path, "-c", "a.c"], cwd=self.folder.path, env=self.environment)
        self.assertEqual((status, output, said), (127, "", "perfcomp-cc: %s: Permission denied\n" % self.folder.path))
        for words, why in ((["", "gcc"], "no compiler given"), (["--smallest", "\u00b2", "gcc"], "--smallest wants a number"),
                           (["--time=1", "gcc"], "unknown option '--time=1'"), (["--time", "a.c"], "no compiler given before a.c")):
            status, output, said = run([CC, *words, "-c", "a.c"], cwd=self.folder.path, env=self.environment)
            self.assertEqual((status, output, said.count("\n")), (2, "", 1))
            self.assertIn("perfcomp-cc: " + why, said)
        self.assertEqual(self.timed("--only="), 0)  # nothing is called so
        self.environment["PERFCOMP_CC_FLAGS"] = '--only "f'
        self.assertEqual(self.cc("-c", "a.c"), (2, "", "perfcomp-cc: PERFCOMP_CC_FLAGS=--only \"f: no closing quotation (perfcomp-cc --help)\n"))
        self.environment["PERFCOMP_CC_FLAGS"] = ""
        for place, why in (self.folder.path, "Is a directory"), (self.folder.file("nowhere/summary"), "No such file or directory"):
            self.environment["PERFCOMP_CC_SUMMARY"] = place
            status, _, said = self.cc("-c", "a.c")
            self.assertEqual(status, 0)
            self.assertIn("perfcomp-cc: PERFCOMP_CC_SUMMARY=%s can't be written: %s; name a file\n" % (place, why), said)
            self.assertTrue(self.instrumented("a.o"))

    def test_filter_of_many_files(self):
        """A header's function is one region in however many of them; its calls are the region's."""
        self.folder.file("a.h", "static __attribute__((noinline)) int shared(int n)\n{\n    volatile int s = 0;\n    while (n) s += n--;\n    return s;\n}\n")
        self.folder.file("a.c", "#include \"a.h\"\nint own(int n)\n{\n    return shared(n);\n}\n")
        self.folder.file("main.c", "".join(f"int own{i}(int);\n" for i in range(300)) + "int main(void) { int s = 0;\n" +
                         "".join(f" s += own{i}(9);\n" for i in range(300)) + " return !s; }\n")
        for words in ["-c", "a.c"], ["-c", "main.c"]:
            self.assertEqual(run([CC, "--smallest", "0", "gcc", "-O1", *words], cwd=self.folder.path, env=self.environment), (0, "", ""))
        objects = [f"a{i}.o" for i in range(300)]
        for i in range(300):
            subprocess.run(["objcopy", "--redefine-sym", f"own=own{i}", "a.o", objects[i]], cwd=self.folder.path, check=True)
        self.assertEqual(self.cc("main.o", *objects), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        found = json.loads(run([READER, "filter", "--json", "--overhead", "0", self.folder.file("profile")])[1])
        self.assertEqual({f["name"]: f["calls"] for f in found["filtered"]}, {"main": 1, "own": 300, "shared": 300})

    def test_filter_after_a_run(self):
        self.folder.file("a.c", "static volatile int s;\nstatic int brief(int a) { while (a) s += a--; return s; }\n"
                                "static int lasting(int n) { while (n) s += n--; return s; }\n"
                                "int main(void) { for (int i = 0; i < 3000000; i++) brief(1); return lasting(200000) & 0; }\n")
        self.assertEqual(self.cc("a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        profile, listed = self.folder.file("profile"), self.folder.file("filter")
        self.assertIn("perfcomp filter names", run([READER, "report", profile])[1])
        self.assertEqual(run([READER, "filter", "-o", listed, profile])[0], 0)
        self.assertEqual([line.split("\t")[:3] for line in self.read("filter").splitlines() if line[0] != "#"], [["brief", "a.c", "3000000"]])
        shutil.rmtree(profile)
        self.assertEqual(run([CC, "--filter", listed, "gcc", "a.c"], cwd=self.folder.path, env=self.environment), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        self.assertNotIn("perfcomp filter", run([READER, "report", profile])[1])
        report = json.loads(run([READER, "report", "--json", profile])[1])["profiles"][0]
        self.assertEqual({r["name"] for r in report["regions"] if r["calls"] and r["kind"]}, {"main", "lasting"})
        blocks = json.loads(run([READER, "report", "--json", "--blocks", profile])[1])["blocks"]
        self.assertIn(3000000, {b["low"] for b in blocks if b["function"] == "brief"})


class Threads(Case):
    """Who waits for a thread waits for its probes as well: they are taken out of its time, too."""

    WORK = "#include <pthread.h>\n#include <stdio.h>\nstatic volatile int s;\n" \
        "static int brief(int a) { while (a) s += a--; return s; }\n" \
        "static void work(void) { for (int i = 0; i < 2000000; i++) brief(1); }\n"
    JOIN = WORK + "static void *run(void *a) { work(); return a; }\n" \
        "int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); puts(\"done\"); return 0; }\n"
    OPENMP = WORK + "#include <omp.h>\nint main(void) {\n#pragma omp parallel num_threads(2)\n" \
        "  {\n if (omp_get_thread_num()) work();\n#pragma omp barrier\n  }\n puts(\"done\"); return 0; }\n"
    DESTRUCTOR = WORK + "static pthread_key_t k; static void ends(void *a) { if (a) work(); }\n" \
        "static void *run(void *a) { pthread_setspecific(k, &k); return a; }\n" \
        "int main(void) { pthread_t t; pthread_key_create(&k, ends); pthread_create(&t, 0, run, 0); pthread_join(t, 0); puts(\"done\"); return 0; }\n"
    MAIN = WORK + "#include <stdlib.h>\nstatic pthread_t m; static void *run(void *a) { pthread_join(m, a); puts(\"done\"); exit(0); }\n" \
        "int main(void) { pthread_t t; m = pthread_self(); pthread_create(&t, 0, run, 0); work(); pthread_exit(0); }\n"
    SIGNAL = WORK + "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n" \
        "static int go, ready;\nstatic void *run(void *a) { pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m);\n" \
        " pthread_mutex_unlock(&m); work(); pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);\n" \
        " pthread_mutex_lock(&m); while (ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return a; }\n" \
        "int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_detach(t); pthread_mutex_lock(&m); go = 1;\n" \
        " pthread_cond_signal(&c); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); puts(\"done\"); return 0; }\n"
    LOCK = WORK + "#include <unistd.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static volatile int held;\n" \
        "static void *run(void *a) { pthread_mutex_lock(&m); held = 1; work(); pthread_mutex_unlock(&m); pause(); return a; }\n" \
        "int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); while (!held) usleep(1); pthread_mutex_lock(&m);\n" \
        " pthread_mutex_unlock(&m); puts(\"done\"); return 0; }\n"
    GIVEN = LOCK.replace("held;", "held; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;") \
        .replace("pthread_mutex_unlock(&m); pause();", "pthread_cond_wait(&c, &m);")
    TAKEN = SIGNAL.replace(" work(); pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c);",
                           " pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); work();")
    TEAM = WORK + "#include <omp.h>\n#include <stdlib.h>\n#include <unistd.h>\nstatic volatile int held;\n" \
        "static void done(void) { puts(\"done\"); exit(0); }\n"
    CRITICAL = TEAM + "int main(void) {\n#pragma omp parallel num_threads(2)\n {\n if (omp_get_thread_num()) {\n" \
        "#pragma omp critical\n { held = 1; work(); }\n pause();\n } else {\n while (!held);\n" \
        "#pragma omp critical\n { held = 2; }\n done();\n }\n }\n return 1; }\n"
    OMP_LOCK = TEAM + "static omp_lock_t l;\nint main(void) {\n omp_init_lock(&l);\n#pragma omp parallel num_threads(2)\n" \
        " if (omp_get_thread_num()) { omp_set_lock(&l); held = 1; work(); omp_unset_lock(&l); pause(); }\n" \
        " else { while (!held); omp_set_lock(&l); done(); }\n return 1; }\n"
    ORDERED = TEAM + "int main(void) {\n#pragma omp parallel for ordered schedule(static, 1) num_threads(2)\n" \
        " for (int i = 0; i < 3; i++) {\n#pragma omp ordered\n { if (i == 1) work(); if (i == 2) done(); }\n }\n return 1; }\n"

    COPIED = TEAM + "int main(void) {\n int n = 0;\n#pragma omp parallel num_threads(2) firstprivate(n)\n {\n" \
        " if (!omp_get_thread_num()) while (!held);\n#pragma omp single copyprivate(n)\n { held = 1; work(); n = 3; }\n" \
        " if (omp_get_thread_num()) pause();\n if (n == 3) done();\n }\n return 1; }\n"
    CANCELLABLE = TEAM + "int main(void) {\n#pragma omp parallel num_threads(2)\n {\n#pragma omp cancel parallel if(held)\n" \
        "#pragma omp for schedule(dynamic)\n for (int i = 0; i < 2; i++) if (omp_get_thread_num()) { held = 1; work(); } else while (!held);\n" \
        " if (omp_get_thread_num()) pause();\n done();\n }\n return 1; }\n"
    REDUCING = TEAM + "int main(void) {\n long n = 0;\n#pragma omp parallel num_threads(2) reduction(task, +:n)\n if (omp_get_thread_num()) {\n" \
        "#pragma omp task in_reduction(+:n)\n { n += 3; work(); }\n }\n if (n == 3) puts(\"done\"); return 0; }\n"

    TASK = TEAM + "int main(void) {\n#pragma omp parallel num_threads(2)\n if (!omp_get_thread_num()) {\n" \
        "#pragma omp task\n { held = 1; work(); }\n while (!held);\n }\n puts(\"done\"); return 0; }\n"
    TASKWAIT = TASK.replace("while (!held);", "while (!held);\n#pragma omp taskwait\n done();")
    TASKGROUP = TEAM + "int main(void) {\n#pragma omp parallel num_threads(2)\n if (!omp_get_thread_num()) {\n#pragma omp taskgroup\n {\n" \
        "#pragma omp task\n { held = 1;\n#pragma omp task\n work();\n }\n while (!held);\n }\n done();\n }\n return 1; }\n"
    TASKLOOP = TEAM + "int main(void) {\n#pragma omp parallel num_threads(2)\n if (!omp_get_thread_num()) {\n" \
        "#pragma omp taskloop num_tasks(2)\n for (int i = 0; i < 2; i++)\n if (omp_get_thread_num()) { held = 1; work(); }\n" \
        " else while (!held);\n done();\n }\n return 1; }\n"

    def check(self, waits=0, works=1):
        """Half of what probes cost is in doubt, at each moment of the run alike."""
        self.assertEqual(self.start(PERFCOMP_SCALE="1,0.5"), (0, "done\n"))
        report = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"][0]
        late = [t["total"]["ct"] - t["total"]["lt"] for t in report["threads"]]
        self.assertGreater(late[works], 0)
        self.assertGreater(late[waits], 0.5 * late[works])  # it has hardly any probes of its own; more than it has waited it isn't late
        self.assertGreater(report["total"]["u"], 0.3 * report["threads"][works]["total"]["u"])
        self.assertLess(report["slept"], 0.2 * report["sum"]["ct"])  # it is known for whom, but where the program itself pauses

    def test_waits(self):
        """GIVEN, TAKEN: a mutex that who waits for a condition lets go meanwhile, and has again afterwards."""
        for source, flag in (self.JOIN, "-pthread"), (self.DESTRUCTOR, "-pthread"), (self.OPENMP, "-fopenmp"), (self.SIGNAL, "-pthread"), \
                (self.LOCK, "-pthread"), (self.GIVEN, "-pthread"), (self.TAKEN, "-pthread"):
            with self.subTest(source.splitlines()[5]):
                self.folder.file("a.c", source)
                self.assertEqual(self.cc(flag, "-O1", "a.c"), (0, "", ""))
                self.check()

    def test_main_is_waited_for(self):
        self.folder.file("a.c", self.MAIN)
        self.assertEqual(self.cc("-pthread", "-O1", "a.c"), (0, "", ""))
        self.check(waits=1, works=0)

    def test_sleep(self):
        """Nobody knows whom a thread waits for at a pipe: it may be as late as the other one's probes make it, and that is said."""
        self.folder.file("a.c", self.WORK + "#include <unistd.h>\nstatic int p[2];\n"
                         "static void *run(void *a) { work(); return write(p[1], \"\", 1) == 1 ? a : 0; }\n"
                         "int main(void) { pthread_t t; char c; if (pipe(p) || pthread_create(&t, 0, run, 0) || read(p[0], &c, 1) != 1) return 1;\n"
                         " pthread_join(t, 0); puts(\"done\"); return 0; }\n")
        self.assertEqual(self.cc("-pthread", "-O1", "a.c"), (0, "", ""))
        self.assertEqual(self.start(), (0, "done\n"))
        _, text, _ = run([READER, "report", self.folder.file("profile")])
        report = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"][0]
        main, worker = (t["total"] for t in report["threads"])
        self.assertIn("where nobody knows for whom", text)
        self.assertGreater(report["slept"], 0.5 * main["ct"])
        self.assertGreater(main["u"], 0.9 * min(report["slept"], worker["ct"] - worker["lt"]))
        self.assertGreater(main["u"], worker["u"] * 0.5)

    @CONTAINERS
    def test_processes_in_a_container(self):
        """The first one has another number there than its parent, which waits for it, has for it, and than the one of that number."""
        self.folder.file("a.c", "#define _GNU_SOURCE\n#include <sched.h>\n" + self.WORK + "#include <sys/wait.h>\n#include <unistd.h>\n"
                         "int main(void) { int s = 1; pid_t p; if (unshare(CLONE_NEWUSER | CLONE_NEWPID)) return 1;\n"
                         " if (!(p = fork())) { work(); _exit(getpid() - 1); }\n waitpid(p, &s, 0); puts(\"done\"); return s; }\n")
        self.assertEqual(self.cc("-O1", "a.c"), (0, "", ""))
        self.assertEqual(self.start(PERFCOMP_SCALE="1,0.5"), (0, "done\n"))
        profiles = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"]
        [parent] = [p["total"] for p in profiles if not p["forked"]]
        [[child, state]] = [[p["total"], p["state"]] for p in profiles if p["forked"]]
        self.assertNotEqual(state, "running")
        self.assertGreater(parent["ct"] - parent["lt"], 0.7 * (child["ct"] - child["lt"]))
        self.assertGreater(parent["u"], 0.3 * child["u"])

    def test_processes_sleep(self):
        """A forked process that is waited for at a pipe: its probes are in the other's time, and that is said where it is shown."""
        self.folder.file("a.c", self.WORK + "#include <sys/wait.h>\n#include <unistd.h>\n"
                         "int main(void) { int p[2]; char c; if (pipe(p)) return 1; if (!fork()) { work(); return write(p[1], \"\", 1) != 1; }\n"
                         " if (read(p[0], &c, 1) != 1) return 1; wait(0); puts(\"done\"); return 0; }\n")
        self.assertEqual(self.cc("-O1", "a.c"), (0, "", ""))
        self.assertEqual(self.start(), (0, "done\n"))
        profiles = self.folder.file("profile")
        self.assertIn("pipes, files, polls", run([READER, "report", profiles])[1])
        parent = os.path.join(profiles, "perfcomp.0.pfc")
        self.assertNotIn("pipes, files, polls", run([READER, "report", parent])[1])  # no forked one is in there

    def test_counting(self):
        """What counting has taken up to a signal is handed on as well: there are no timers, only counters."""
        self.environment["PERFCOMP_CC_FLAGS"] = "--count"
        for source in self.JOIN, self.SIGNAL, self.LOCK:
            with self.subTest(source.splitlines()[5]):
                self.folder.file("a.c", source.replace("2000000", "20000000"))
                self.assertEqual(self.cc("-pthread", "-O1", "a.c"), (0, "", ""))
                self.check()

    def test_macros_that_tell_of_threads(self):
        """Each thread has counters of its own, so that the run has nothing to say; configure gives such macros a value."""
        self.folder.file("a.c", self.JOIN.replace("2000000", "20"))
        for word, told in ("-D_REENTRANT", True), ("-D_REENTRANT=1", True), ("-D_THREAD_SAFE=1", True), ("-D_REENTRANTLY", False):
            with self.subTest(word):
                self.assertEqual(self.cc(word, "a.c"), (0, "", ""))
                self.assertEqual(run([self.folder.file("a.out")], cwd=self.folder.path), (0, "done\n", ""))
                said = run([READER, "report", self.folder.path])[1]
                self.assertEqual("several threads ran" not in said, told, said)

    def test_counts_that_threads_have_lost(self):
        """Who reads the lines, and not the report, takes them for exact: there it is said, too."""
        self.folder.file("a.c", self.JOIN.replace("2000000", "20"))
        for flags, said in ("", 1), ("--threads", 0):
            self.environment["PERFCOMP_CC_FLAGS"] = flags
            self.assertEqual(self.cc("a.c"), (0, "", ""))
            self.assertEqual(run([self.folder.file("a.out")], cwd=self.folder.path), (0, "done\n", ""))
            for verb in ("annotate",), ("annotate", "--json"), ("export", "--format", "lcov"), ("report", "--blocks"):
                with self.subTest(flags=flags, verb=verb):
                    self.assertEqual(run([READER, *verb, self.folder.path])[2].count("their counts may be too low"), said)

    def test_counting_before_a_child(self):
        """It begins as late as its parent was then, and isn't waited for any longer."""
        self.environment["PERFCOMP_CC_FLAGS"] = "--count"
        for child, region in ("pthread_create(&t, 0, run, 0); pthread_join(t, 0)", "pthread_join"), ("if (!fork()) _exit(0); waitpid(-1, 0, 0)", "waitpid"):
            self.folder.file("a.c", self.WORK.replace("2000000", "20000000") + "#include <sys/wait.h>\n#include <unistd.h>\n"
                             "static void *run(void *a) { return a; }\nint main(void) { pthread_t t; (void)t; (void)run; work(); %s; return 0; }\n" % child)
            with self.subTest(region):
                self.assertEqual(self.cc("-pthread", "-O1", "a.c"), (0, "", ""))
                self.assertEqual(self.start()[0], 0)
                [profile] = [p for p in json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"] if not p["forked"]]
                [longer] = [r["exclusive"]["lt"] - r["exclusive"]["ct"] for r in profile["regions"] if r["name"] == region]
                self.assertLess(longer, 0.3 * (profile["total"]["ct"] - profile["total"]["lt"]))
                shutil.rmtree(self.folder.file("profile"))

    def test_processes(self):
        """A parent that waits is as late as its child, whatever that ends by; and a function named wait may be quite another one."""
        for end, wait in ("exit(0)", "wait(0)"), ("exit(0)", "waitpid(p, &s, 0)"), ("_exit(0)", "wait4(-1, &s, 0, 0)"), \
                ("exit(0)", "wait3(&s, 0, 0)"), ("exit(0)", "waitid(P_PID, (id_t)p, 0, WEXITED)"), \
                ('execv("/bin/true", (char *[]){ "true", 0 })', "wait(&s)"), ("if (!fork()) { work(); exit(0); } wait(0); exit(0)", "wait(0)"):
            with self.subTest(end=end, wait=wait):
                self.folder.file("a.c", "#define _GNU_SOURCE\n" + self.WORK + "#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
                                 "int main(void) { int s = 0; pid_t p = fork(); if (!p) { work(); %s; } %s; puts(\"done\"); return s; }\n" % (end, wait))
                self.assertEqual(self.cc("-O1", "-Wno-unused", "a.c"), (0, "", ""))
                self.assertEqual(self.start(PERFCOMP_SCALE="1,0.5"), (0, "done\n"))
                profiles = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"]
                [parent], [regions] = zip(*[(p["total"], p["regions"]) for p in profiles if not p["forked"]])
                child = max((p["total"] for p in profiles if p["forked"]), key=lambda total: total["ct"] - total["lt"])
                self.assertGreater(child["ct"] - child["lt"], 0)
                self.assertGreater(parent["ct"] - parent["lt"], 0.7 * (child["ct"] - child["lt"]))
                self.assertGreater(parent["u"], 0.3 * child["u"])
                doubts = {r["name"]: r["inclusive"]["u"] for r in regions}
                for name in {"waitpid", "waitid", "wait3", "wait4", "main"} & set(doubts):  # theirs, not of what is outside of all regions
                    self.assertGreater(doubts[name], 0.3 * child["u"])
                shutil.rmtree(self.folder.file("profile"))
        self.folder.file("a.c", "#include <sys/wait.h>\n#include <unistd.h>\nint main(void) { for (int i = 0; i < 20; i++) {\n"
                         "int s; pid_t p = fork(); if (!p) _exit(0); waitpid(p, &s, 0); } return 0; }\n")
        self.assertEqual(self.cc("-O1", "a.c"), (0, "", ""))
        self.assertEqual(self.start(), (0, ""))
        profiles = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"]
        [parent] = [p["total"] for p in profiles if not p["forked"]]
        self.assertGreater(parent["u"], 20 * 1000)  # a larger process takes longer to be given back; by how much isn't known
        shutil.rmtree(self.folder.file("profile"))
        self.folder.file("a.c", "double wait(double a, double b);\nint main(void) { return (int)wait(3, 4); }\n")
        self.folder.file("b.c", "double wait(double a, double b) { return a * b; }\n")
        self.assertEqual(self.cc("-w", "a.c", "b.c"), (0, "", ""))
        self.assertEqual(self.start(), (12, ""))

    def test_a_source_without_a_stem(self):
        """To gcc ./.c is a source, though .c is a script of the linker's."""
        self.folder.file(".c", "int main(void) { return 7; }\n")
        self.assertEqual(self.cc("./.c"), (0, "", ""))
        self.assertEqual(self.start(), (7, ""))
        with open(self.folder.file("summary")) as file:
            self.assertIn("./.c: 1 functions,", file.read())

    CLONES = "#define _GNU_SOURCE\n#include <sched.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/syscall.h>\n" \
             "#include <sys/wait.h>\n#include <unistd.h>\nstatic volatile unsigned sink;\n" \
             "void work(void) { for (int i = 0; i < 1000; i++) for (int j = 0; j < 100; j++) sink += i * j; }\n" \
             "static int run(void *a) { for (int i = 0; i < 5; i++) work(); return !!a; }\n" \
             "static long bare(void) { long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"0\"(SYS_fork) : \"rcx\", \"r11\", \"memory\"); return r; }\n" \
             "int main(void) { static char stack[1 << 20]; int s; pid_t p = %s;\n" \
             " (void)bare; (void)stack; if (!p) exit(run(0));\n for (int i = 0; i < 3; i++) work();\n" \
             " if (p < 0 || waitpid(p, &s, 0) != p || s) return 1;\n puts(\"done\"); return 0; }\n"

    def works(self, *options):
        """How often `work` was entered, by its timer and by its counter, in the profile of a process and in its child's."""
        self.assertEqual(self.cc("-O1", "-Wno-unused", "a.c", *options), (0, "", ""))
        profile = self.folder.file("profile")
        shutil.rmtree(profile, ignore_errors=True)
        os.makedirs(profile)
        status, output, messages = run([self.folder.file("a.out")], env={"PERFCOMP_DIR": profile})
        self.assertEqual((status, output), (0, "done\n"))
        found = {}
        for name in os.listdir(profile):
            path = os.path.join(profile, name)
            [one] = json.loads(run([READER, "report", "--json", path])[1])["profiles"]
            entries = [n for place, blocks in reported(path).items() if place[3:] == ("work", counts.ENTRY) for n in blocks]
            found[one["forked"]] = [r["calls"] for r in one["regions"] if r["name"] == "work"] + [low for low, _, _ in entries], one["lost"]["strays"]
        return found, messages

    def test_clones(self):
        """Processes that are made as fork does it, but without its handlers."""
        for call in "_Fork()", "clone(run, stack + sizeof stack, SIGCHLD, 0)", "clone(run, stack + sizeof stack, SIGCHLD | CLONE_FILES, 0)", \
                "(pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)":
            for options in [], ["-pthread"]:
                with self.subTest(call=call, options=options):
                    self.folder.file("a.c", self.CLONES % call)
                    self.assertEqual(self.works(*options), ({False: ([3, 3], 0), True: ([5, 5], 0)}, ""))

    @unittest.skipUnless(os.uname().machine == "x86_64", "its own call of the system")
    def test_strays(self):
        """Those that nothing wraps leave their parent's profile where they find that out, and it is said."""
        for call, options in ("bare()", []), ("bare()", ["-pthread"]), ("clone(run, stack + sizeof stack, SIGCHLD, 0)", ["-static"]):
            with self.subTest(call=call, options=options):
                self.folder.file("a.c", self.CLONES % call)
                found, messages = self.works(*options)
                [((timed, counted), strays)] = found.values()
                self.assertEqual((timed, strays), (3, 1))
                self.assertTrue(3 <= counted <= 5)
                self.assertIn("without fork", messages)
                self.assertIn("1 process was made without fork", run([READER, "report", self.folder.file("profile")])[1])

    @unittest.skipUnless(os.uname().machine == "x86_64", "its own call of the system")
    def test_strays_that_outlive_their_parent(self):
        """They go on writing into a profile that has its checksum, and is no worse for that."""
        for options in [], ["-pthread"]:
            with self.subTest(options=options):
                self.folder.file("a.c", self.CLONES.replace("exit(run(0));", "{ while (getppid() == parent) usleep(1000); usleep(50000); exit(run(0)); }")
                                 .replace("int s;", "int s; pid_t parent = getpid();").replace("waitpid(p, &s, 0) != p || s", "(s = 0)") % "bare()")
                found, messages = self.works(*options)
                [((timed, counted), strays)] = found.values()
                self.assertEqual((timed, strays), (3, 1))
                self.assertTrue(3 <= counted <= 8)
                self.assertIn("without fork", messages)

    # What a program gives up ends it; and what it calls after that.
    SANDBOX = """
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define LETS(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
static struct sock_filter step[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    LETS(write), LETS(exit_group), LETS(exit), LETS(futex), LETS(mmap), LETS(mprotect), LETS(munmap), LETS(clone), LETS(clone3), LETS(rseq),
    LETS(set_robust_list), LETS(rt_sigaction), LETS(rt_sigprocmask), LETS(madvise), LETS(wait4), LETS(brk), LETS(getrandom),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS) };
static const struct sock_fprog all = { sizeof step / sizeof *step, step };
static int leaf(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i ^ n; return s; }
static int work(int n) { int i, s = 0; for (i = 0; i < n; i++) s += leaf(i %% 50); return s; }
static void *thread(void *s) { *(int *)s = work(100); return 0; }
static int rest(void) { int s = 0; pthread_t t; pid_t p;
    if (pthread_create(&t, 0, thread, &s) || pthread_join(t, 0)) return 1;
    if (!(p = fork())) { work(10); _exit(3); }
    if (waitpid(p, &s, 0) != p) return 2;
    return s >> 8; }
static int writes(void) { work(1000); return syscall(SYS_exit, write(1, "done\\n", 5) == 5 ? 3 : 4); }
int main(void) { work(1000); prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0) == 0) return 5;
    if (%s) return 6;
    return %s; }
"""

    def test_sandboxes(self):
        """A program that gives up calls of the system isn't ended for those of perfcomp."""
        for gives_up, then, calls in ("prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all)", "work(1000) ? rest() : 7", 3), \
                ("syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &all)", "work(1000) ? rest() : 7", 3), \
                ("syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all)", "(work(1000), exit(3), 7)", 2), \
                ("prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)", "writes()", 1), \
                ("syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, 0)", "writes()", 1):
            for options in [], ["-pthread"]:
                with self.subTest(gives_up, options=options):
                    self.folder.file("a.c", self.SANDBOX % (gives_up, then))
                    self.assertEqual(self.plain("-D_GNU_SOURCE", "-O1", "a.c", *options)[0], 0)
                    plain = self.start()
                    self.assertEqual(plain, (3, "done\n" if calls == 1 else ""))
                    self.assertEqual(self.cc("-D_GNU_SOURCE", "-O1", "a.c", *options), (0, "", ""))
                    self.assertEqual(self.start(), plain)
                    [one] = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"]
                    self.assertEqual((one["state"], [r["calls"] for r in one["regions"] if r["name"] == "work"]), ("ended", [calls]))
                    self.assertEqual(calls == 1, "strict seccomp" in " ".join(one["notes"]))

    # As of servers: the thread's number is in the record of its connection, which the thread gives back when it is through.
    CONNECTIONS = "#include <pthread.h>\n#include <sched.h>\n#include <stdio.h>\n#include <sys/mman.h>\n" \
                  "typedef struct { pthread_t thread; char data[4096 - sizeof(pthread_t)]; } connection;\nstatic int open;\n" \
                  "static void *serves(void *c) { pthread_detach(pthread_self()); munmap(c, sizeof(connection));\n" \
                  " __atomic_sub_fetch(&open, 1, __ATOMIC_RELEASE); return 0; }\n" \
                  "int main(void) { for (int i = 0; i < 2000; i++) {\n" \
                  " connection *c = mmap(0, sizeof *c, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n" \
                  " __atomic_add_fetch(&open, 1, __ATOMIC_RELAXED); if (pthread_create(&c->thread, 0, serves, c)) return 1;\n" \
                  " while (i % 8 == 7 && __atomic_load_n(&open, __ATOMIC_ACQUIRE)) sched_yield(); }\n" \
                  " while (__atomic_load_n(&open, __ATOMIC_ACQUIRE)) sched_yield(); puts(\"done\"); return 0; }\n"

    def test_threads_that_give_their_number_back(self):
        self.folder.file("a.c", self.CONNECTIONS)
        self.assertEqual(self.cc("-pthread", "-O1", "a.c"), (0, "", ""))
        self.assertEqual(run([self.folder.file("a.out")], env={"PERFCOMP_DIR": self.folder.file("profile")}), (0, "done\n", ""))

    def test_c11(self):
        """The same with <threads.h>; glibc's locks and conditions are ready when they are 0."""
        for source in self.JOIN, self.SIGNAL, self.LOCK, self.GIVEN, self.TAKEN:
            for old, new in (("<pthread.h>", "<threads.h>"), ("void *run", "int run"), ("return a", "return !a"),
                             (" = PTHREAD_MUTEX_INITIALIZER", ""), (" = PTHREAD_COND_INITIALIZER", ""),
                             ("create(&t, 0, ", "create(&t, "), ("pthread_mutex", "mtx"), ("pthread_cond", "cnd"), ("pthread", "thrd")):
                source = source.replace(old, new)
            with self.subTest(source.splitlines()[5]):
                self.folder.file("a.c", source)
                self.assertEqual(self.cc("-pthread", "-O1", "a.c"), (0, "", ""))
                self.check()

    def check_openmp(self, source, compiler, region, calls):
        """The same, and that the wait is a region of this name."""
        with self.subTest(region=region, compiler=compiler):
            self.folder.file("a.c", source)
            self.assertEqual(self.cc("-fopenmp", "-O1", "-w", "a.c", compiler=compiler), (0, "", ""))
            self.check()
            regions = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"][0]["regions"]
            self.assertEqual([r["calls"] for r in regions if r["name"] == region], [calls])
            shutil.rmtree(self.folder.file("profile"))

    def test_openmp(self):
        """The thread that waits ends the run: what the other one handed on came from there, not from the region's end."""
        for source, region in (self.CRITICAL, "omp critical"), (self.CRITICAL.replace("critical", "critical(named)"), "omp critical"), \
                (self.OMP_LOCK, "omp_set_lock"), (self.OMP_LOCK.replace("_lock", "_nest_lock"), "omp_set_nest_lock"), \
                (self.ORDERED, "omp ordered"):
            for compiler in compilers():
                self.check_openmp(source, compiler, region, 3 if region == "omp ordered" else 1)

    def test_openmps_other_meetings(self):
        """What waits for another one's values, a region that may be cancelled, and one whose reduction tasks take part in."""
        for source, gcc, clang in (self.COPIED, ("omp single", 3), ("omp barrier", 4)), \
                (self.CANCELLABLE, ("omp barrier", 2), ("omp barrier", 2)), (self.REDUCING, ("omp parallel", 1), ("omp parallel", 1)):
            for compiler in compilers():
                self.check_openmp(source, compiler, *(clang if compiler == "clang" else gcc))

    def test_openmps_tasks(self):
        """The thread that made a task waits for the other one, which runs it: at the team's end, or before, and ends the run."""
        for source, gcc, clang in (self.TASK, "omp parallel", "omp parallel"), (self.TASKWAIT, "omp taskwait", "omp taskwait"), \
                (self.TASKGROUP, "omp taskgroup", "omp taskgroup"), (self.TASKLOOP, "omp taskloop", "omp taskgroup"), \
                (self.TASKLOOP.replace("int i", "unsigned long long i"), "omp taskloop", "omp taskgroup"):
            for compiler in compilers():
                self.check_openmp(source, compiler, clang if compiler == "clang" else gcc, 1)

    def test_what_openmps_tasks_do(self):
        """Their data, whatever these are, and the loops' parts are the program's own."""
        source = """#include <stdio.h>
            typedef struct { double x[7]; int n; } wide_t;
            static long fib(int n) { long a, b;
            if (n < 2) return n;
            #pragma omp task shared(a) if(n > 3) final(n < 6)
            a = fib(n - 1);
            #pragma omp task shared(b) untied
            b = fib(n - 2);
            #pragma omp taskwait
            return a + b; }
            int main(void) { long sum = 0, all = 0; wide_t w = { { 1, 2, 3, 4, 5, 6, 7 }, 7 }; __attribute__((aligned(64))) int at[16] = { 3 };
            char text[37] = "some text that a task takes along"; int chain = 1;
            #pragma omp parallel num_threads(3)
            #pragma omp single
            {
            #pragma omp taskgroup
            for (int i = 0; i < 20; i++) {
            #pragma omp task firstprivate(w, at, text) mergeable
            { w.n += i; at[1] += at[0];
            #pragma omp atomic
            sum += w.n + (long)w.x[6] + at[0] + at[1] + text[3]; } }
            #pragma omp taskloop grainsize(3) firstprivate(w)
            for (int i = 5; i < 105; i += 3) {
            #pragma omp atomic
            all += i * w.n; }
            #pragma omp taskloop nogroup num_tasks(4)
            for (unsigned long long i = 100; i > 1; i -= 2) {
            #pragma omp atomic
            all += (long)i; }
            #pragma omp taskloop reduction(+:sum)
            for (int i = 0; i < 10; i++) sum += i;
            for (int i = 0; i < 5; i++) {
            #pragma omp task depend(inout: chain)
            chain = 3 * chain + i; }
            #pragma omp taskwait
            sum += fib(15);
            }
            printf("%ld %ld %d\\n", sum, all, chain); return 0; }"""
        self.folder.file("a.c", source)
        for compiler in compilers():
            self.assertEqual(run([compiler, "-fopenmp", "-O1", "-w", "a.c", "-o", "plain"], cwd=self.folder.path)[0], 0)
            expected = run([self.folder.file("plain")])
            for options in [], ["-fsanitize=address,undefined"]:
                with self.subTest(compiler=compiler, options=options):
                    self.assertEqual(self.cc("-fopenmp", "-O1", "-w", "a.c", *options, compiler=compiler), (0, "", ""))
                    for _ in range(5):
                        self.assertEqual(self.start_patiently(), expected[:2])
                        shutil.rmtree(self.folder.file("profile"))

    def test_openmps_detached_tasks(self):
        """libgomp writes the event into the task's data, where the program looks for it, also in a task that isn't put off."""
        source = """#include <omp.h>
            #include <stdio.h>
            int main(int n, char **v) { int sum = 0; char text[n + 20]; text[3] = 3; (void)v;
            #pragma omp parallel num_threads(2)
            #pragma omp single
            { omp_event_handle_t event, other;
            for (int i = 0; i < 4; i++) {
            #pragma omp task detach(event) firstprivate(i, text) if(i % 2)
            {
            #pragma omp atomic
            sum += i + text[3];
            omp_fulfill_event(event); }
            #pragma omp task detach(other)
            puts("alone");
            omp_fulfill_event(other); }
            #pragma omp taskwait
            }
            printf("%d\\n", sum); return 0; }"""
        self.folder.file("a.c", source)
        for compiler in compilers():
            if run([compiler, "-fopenmp", "-w", "-fsyntax-only", "a.c"], cwd=self.folder.path)[0]:
                continue  # older than OpenMP 5.0
            with self.subTest(compiler=compiler):
                self.assertEqual(self.cc("-fopenmp", "-O1", "-w", "a.c", compiler=compiler), (0, "", ""))
                self.assertEqual(self.start(), (0, 4 * "alone\n" + "18\n"))
                shutil.rmtree(self.folder.file("profile"))

    def test_openmp_wrapped_alone(self):
        """Nothing but wrapped calls refers to libgomp, and the linker was asked to leave out what isn't needed."""
        def needs(*words, threads=1):
            self.assertEqual(self.cc(*words), (0, "", ""))
            self.assertEqual(self.start(), (0, threads * "done\n"))
            return "libgomp" in run(["readelf", "-d", self.folder.file("a.out")])[1]

        parallel = "#include <stdio.h>\nint main(int n, char **v) {\n (void)v;\n#pragma omp parallel num_threads(2) %s\n" \
                   " puts(\"done\");\n return n - 1; }\n"
        library = run(["gcc", "-print-file-name=libgomp.so"])[1].strip()
        for threads, condition in (1, "if(n > 7)"), (2, ""):
            self.folder.file("a.c", parallel % condition)
            self.assertEqual(self.cc("-fopenmp", "-c", "a.c"), (0, "", ""))
            for words in [["-fopenmp", "a.c"], ["a.o", "-Wl,--as-needed", "-lgomp"], ["a.o", "-Wl,--as-needed", library]] \
                    + [["-fopenmp", "a.o", "-fuse-ld=" + linker] for linker in ("bfd", "gold", "lld") if shutil.which("ld." + linker)]:
                with self.subTest(condition=condition, words=words):
                    self.assertTrue(needs(*words, threads=threads))
        self.assertFalse(needs("a.o", "-Wl,-Bstatic,-lgomp,-Bdynamic", threads=2))
        self.folder.file("a.c", "#include <stdio.h>\nint main(void) { puts(\"done\"); return 0; }\n")
        self.assertFalse(needs("-fopenmp-simd", "a.c"))

    def test_openmps_tool(self):
        """clang's OpenMP tells one tool of its waits; where that is another one, the report says that they weren't seen."""
        for source in self.OPENMP, self.OPENMP.replace("#pragma omp barrier", ""):
            self.folder.file("a.c", source)
            self.assertEqual(self.cc("-fopenmp", "-O1", "a.c", compiler="clang"), (0, "", ""))
            self.check()
            self.assertNotIn("OMPT", run([READER, "report", self.folder.file("profile")])[1])
            shutil.rmtree(self.folder.file("profile"))
        self.assertEqual(self.start(OMP_TOOL_LIBRARIES="/nonexistent"), (0, "done\n"))
        self.assertIn("OMP_TOOL_LIBRARIES", run([READER, "report", self.folder.file("profile")])[1])

    def test_ordered(self):
        """Each schedule's calls keep the order, also where an iteration has no ordered region."""
        loops = "".join("#pragma omp parallel for ordered schedule(%s) num_threads(3)\n for (%s i = 0; i < 20; i++) {\n"
                        " if (i %% 7 == 3) continue;\n#pragma omp ordered\n n = 3 * n + (unsigned)i;\n }\n" % (schedule, number)
                        for schedule in ("static", "static, 2", "dynamic", "guided", "runtime") for number in ("int", "unsigned long long"))
        n = 0
        for i in 10 * [i for i in range(20) if i % 7 != 3]:
            n = (3 * n + i) % 2 ** 32
        self.folder.file("a.c", "#include <stdio.h>\nint main(void) {\n unsigned n = 0;\n%s printf(\"%%u\\n\", n);\n return 0; }\n" % loops)
        self.assertEqual(self.cc("-fopenmp", "-O1", "a.c"), (0, "", ""))
        self.assertEqual(self.start(), (0, "%d\n" % n))

    def test_blocks_of_a_parallel_region(self):
        """They are the function's that it stands in, but run in the region: there they are charged."""
        self.folder.file("a.c", "int main(void) {\n int n = 0;\n#pragma omp parallel num_threads(2) reduction(+:n)\n"
                                "{ for (volatile int i = 0; i < 3000000; i++) if (i % 3) n++; else n += 2; }\n return n == 3; }\n")
        self.assertEqual(self.cc("-fopenmp", "-O1", "a.c"), (0, "", ""))
        self.assertEqual(self.start()[0], 0)
        [profile] = json.loads(run([READER, "report", "--json", self.folder.file("profile")])[1])["profiles"]
        hits = {region["name"]: region["hits"] for region in profile["regions"]}
        self.assertGreater(hits["omp parallel"], 1000000)
        self.assertLess(hits["main"], hits["omp parallel"] / 2)

    def test_a_shared_loop_of_a_statement_without_braces(self):
        """Its body is counted whatever it is: another loop, as of a matrix, or a condition."""
        bodies = (("for (int j = 0; j < 40; j++)\n    s += i * j;\n", "2050", "2000"), ("if (i % 2)\n    s += i;\n", "50", "25"),
                  ("while (n[i]++ < 3)\n    s += i;\n", "200", "150"), ("do s += i;\n    while (n[i]++ < 3);\n", "200", "200"))
        for compiler, (body, first, second) in itertools.product(("gcc", "clang"), bodies):
            with self.subTest(compiler=compiler, body=body):
                self.folder.file("a.c", "int n[50];\nint main(void) {\n int s = 0;\n#pragma omp parallel for reduction(+:s)\n"
                                        f" for (int i = 0; i < 50; i++)\n{body} return s == 1; }}\n")
                self.assertEqual(self.cc("-fopenmp", "-O1", "a.c", compiler=compiler), (0, "", ""))
                self.assertEqual(self.start()[0], 0)
                lines = run([READER, "annotate", self.folder.file("profile")])[1].splitlines()
                self.assertEqual([line.split(":")[0].strip() for line in lines[6:8]], [first, second])

    def test_a_statement_without_braces_behind_a_directive(self):
        """What threads run there is counted, each by its own, as in braces."""
        text = """static int n;
static int fib(int k) {
    int x, y;
    if (k < 2) return k;
#pragma omp task shared(x)
    x = fib(k - 1);
#pragma omp task shared(y)
    y = fib(k - 2);
#pragma omp taskwait
    return x + y;
}
int main(void) {
    int s = 0;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 100; i++)
#pragma omp critical
        n++;
#pragma omp parallel num_threads(2)
#pragma omp single
    s = fib(10);
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < 5; i++) s += i;
#pragma omp section
#pragma omp atomic
        n++;
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        n++;
#pragma omp single
        n--;
    }
    return n + s - 266;
}
"""
        self.folder.file("a.c", text)
        wanted = {6: "88", 8: "88", 10: "88", 15: "202", 17: "200", 20: "1", 24: "6", 32: "1", 33: "2", 34: "1"}
        for compiler in "gcc", "clang":
            with self.subTest(compiler=compiler):
                self.assertEqual(self.cc("-fopenmp", "-O1", "a.c", compiler=compiler), (0, "", ""))
                self.assertEqual(self.start()[0], 0)
                lines = run([READER, "annotate", self.folder.file("profile")])[1].splitlines()
                self.assertEqual({number: lines[number].split(":")[0].strip() for number in wanted}, wanted)

    def test_in_a_library(self):
        self.folder.file("a.c", self.JOIN.replace("int main(", "int all("))
        self.folder.file("b.c", "int all(void);\nint main(void) { return all(); }\n")
        self.assertEqual(self.cc("-pthread", "-O1", "-fPIC", "-shared", "a.c", "-o", "liba.so"), (0, "", ""))
        self.assertEqual(self.cc("-pthread", "b.c", "-L.", "-la", "-Wl,-rpath," + self.folder.path), (0, "", ""))
        self.check()

    def test_own_wrappers(self):
        """The program's come first; and what is linked statically keeps the library's calls."""
        own = "int __real_pthread_join(pthread_t t, void **r);\n" \
            "int __wrap_pthread_join(pthread_t t, void **r) { puts(\"mine\"); return __real_pthread_join(t, r); }\n"
        self.folder.file("a.c", self.JOIN + own)
        self.assertEqual(self.cc("-pthread", "-O1", "-Wl,--wrap=pthread_join", "a.c"), (0, "", ""))
        self.assertEqual(self.start(), (0, "mine\ndone\n"))
        self.folder.file("a.c", self.JOIN)
        self.assertEqual(self.cc("-pthread", "-O1", "-static", "a.c"), (0, "", ""))
        self.assertEqual(self.start(), (0, "done\n"))


class Cache(Case):
    """What is kept for the next compilation."""

    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = self.folder.file("cache")
        self.folder.file("a.c", TWICE)

    def kept(self):
        return sorted(name for name in os.listdir(self.folder.file("cache/perfcomp")) if name.startswith(("prelude", "new")))

    def test_many_at_once(self):
        """They begin without a cache, and don't meet each other's half-written files."""
        with ThreadPoolExecutor(6) as pool:
            done = list(pool.map(lambda n: self.cc("-c", "a.c", "-o", "%d.o" % n), range(6)))
        self.assertEqual(done, 6 * [(0, "", "")])
        self.assertTrue(all(self.instrumented("%d.o" % n) for n in range(6)))
        self.assertEqual(len(self.kept()), 1)

    def test_the_compiler_behind_mpis(self):
        """What is kept of one isn't another's, though the wrapper is the same."""
        self.folder.file("a.c", "int f(int n) { int s = 0; while (n) s += n--; return s; }\n")
        for wrapper in filter(shutil.which, ("mpicc.mpich", "mpicc.openmpi")):
            for behind in "gcc", "clang":
                with self.subTest(wrapper=wrapper, behind=behind):
                    self.environment.update(MPICH_CC=behind, OMPI_CC=behind)
                    self.assertEqual(self.cc("-c", "a.c", compiler=wrapper), (0, "", ""))
                    self.assertNotIn("__builtin", run(["nm", self.folder.file("a.o")])[1])  # gcc's own

    def test_no_folder(self):
        """Where none can be made, nothing is kept, and nothing else changes."""
        self.folder.file("cache", "a file")
        self.assertEqual(self.cc("-c", "a.c"), (0, "", ""))
        self.assertTrue(self.instrumented("a.o"))


class Large(Case):
    """A file of 600 kB: far from the limits, unless something grows faster than the text does."""
    FUNCTION = """static int f%d(struct row *rows, int n, const char *text)
{
    int i, found = 0;
    for (i = 0; i < n; i++) {
        struct row *row = rows + i;
        if (row->key == %d && (row->flags & 1 || text[i %% 7] == 'x')) {
            switch (row->kind) {
            case 1: found += row->value; break;
            case 2: found -= row->value; /* fall through */
            default: found ^= i ? row->key : %d;
            }
        } else if (row->key > n) {
            while (row->value-- > 0 && text[0]) found++;
        }
    }
    return found ? found : f%d(rows, n - 1, text);
}
"""

    @staticmethod
    def limit():
        """A gigabyte, and two minutes, for each process."""
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (120, 120))

    def test_limits(self):
        self.folder.file("a.c", "struct row { int key, flags, kind, value; };\n"
                                "static int f0(struct row *rows, int n, const char *text) { return rows->key + n + text[0]; }\n"
                                + "".join(self.FUNCTION % (n, n, n, n - 1) for n in range(1, 1001))
                                + "int main(void) { return f1000(0, 0, 0); }\n")
        self.assertEqual(self.cc("-O0", "-c", "a.c", preexec_fn=self.limit), (0, "", ""))
        self.assertIn("1002 functions", self.read("summary"))

    def test_an_interpreters_loop(self):
        """All of the blocks in one loop (tcl's has 3,000 and took 1.6 GB)."""
        self.folder.file("a.c", "int run(const int *code)\n{\n    int n = 0;\n    for (;;) {\n        switch (*code++) {\n"
                                + "".join("        case %d: if (n %% %d) n += %d; break;\n" % (n, n, n) for n in range(1, 3001))
                                + "        default: return n;\n        }\n    }\n}\nint main(void) { int code[1] = { 0 }; return run(code); }\n")
        self.assertEqual(self.cc("-O0", "-c", "a.c", preexec_fn=self.limit), (0, "", ""))
        self.assertIn("2 functions", self.read("summary"))


class Script(Case):
    """perfcomp-instrument."""

    SOURCE = '/* A comment. */\n#include <stdio.h>\n#define TWICE(x) ((x) ? 2 * (x) : 0)\n' \
        'static int f(int a)   // odd  spacing\n{\n    if (a > 1)\n        return TWICE(a);\n' \
        '    while (a < 0) { a++; }\n    return a;\n}\n' \
        'int main(void)\n{\n    printf("%d %d\\n", f(3), f(-2));\n    return 0;\n}\n'

    def script(self, *words):
        return run([os.path.join(TOOLS, "perfcomp-instrument"), *words], cwd=self.folder.path)

    def test_files_that_are_not_there(self):
        self.folder.file("a.c", "int f(void) { return 1; }\n")
        for words, named in (["nowhere.c"], "nowhere.c"), (["--cc", "nowhere", "a.c"], "nowhere"), (["a.c", "-o", "nowhere/b.c"], "nowhere/b.c"):
            status, _, said = self.script(*words)
            self.assertEqual((status, said), (2, "perfcomp-instrument: %s: No such file or directory\n" % named))
        self.assertEqual(self.script("--cc", "", "a.c", "-o", "b.c"), (0, "", ""))  # as without it

    def test_names_that_are_spelled_otherwise_in_line_markers(self):
        os.mkdir(self.folder.file("star*"))
        for name in 'quo"te.c', "back\\slash.c", "new\nline.c", "tab\t.c", os.fsdecode(b"byte\xff.c"), "star*/a.c":
            self.folder.file(name, self.SOURCE)
            for compiler in compilers():
                with self.subTest(name=name, compiler=compiler):
                    self.assertEqual(self.script("--cc", compiler, name, "-o", "b.c"), (0, "", ""))
                    with open(self.folder.file("b.c"), encoding="latin-1") as instrumented:
                        self.assertIn("++pfc__c[", instrumented.read())
                    self.assertEqual(run(["gcc", "-I", TOP, "-c", "b.c"], cwd=self.folder.path)[:2], (0, ""))

    def test_functions_with_names_beyond_ascii(self):
        """Which gcc's preprocessor spells otherwise."""
        self.folder.file("a.c", in_bytes(self.SOURCE.replace(" f(", " größe(")))
        for compiler in compilers():
            self.assertEqual(self.script("--cc", compiler, "a.c", "-o", "b.c"), (0, "", ""))
            self.assertIn(" größe(int a)".encode(), self.read("b.c", "rb"))
            self.assertEqual(run(["gcc", "-I", TOP, "-c", "b.c"], cwd=self.folder.path)[:2], (0, ""))

    def test_output_that_cannot_be_written(self):
        self.folder.file("a.c", self.SOURCE)
        status, _, said = self.script("a.c", "-o", "./a.c")
        self.assertEqual((status, said), (2, "perfcomp-instrument: -o ./a.c: that is the file to be instrumented; name another\n"))
        self.assertEqual(self.read("a.c"), self.SOURCE)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([os.path.join(TOOLS, "perfcomp-instrument"), "a.c"], cwd=self.folder.path, stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "perfcomp-instrument: standard output: No space left on device\n"))

    def test_output(self):
        self.folder.file("a.c", self.SOURCE)
        self.assertEqual(self.script("a.c", "-o", "b.c"), (0, "", ""))
        text = self.read("b.c")
        self.assertEqual(self.script("a.c", "-o", "-"), (0, text, ""))
        for piece in ("/* A comment. */", "TWICE(x)", "// odd  spacing", '#include "perfcomp.h"', "++pfc__c["):
            self.assertIn(piece, text)
        self.folder.file("i.c", '#define PERFCOMP_IMPLEMENTATION\n#include "perfcomp.h"\n')
        top = os.path.dirname(os.path.dirname(TOOLS))
        for compiler in compilers():
            done = self.plain("-I", top, "b.c", "i.c", "-lm", "-lpthread", compiler=compiler)
            self.assertEqual(done[0], 0, done)
            self.assertEqual(self.start(), (0, "6 0\n"))

    def test_output_that_brings_the_implementation(self):
        """A program of one file: the macro is given with the command."""
        self.folder.file("a.c", self.SOURCE)
        self.assertEqual(self.script("a.c", "-o", "b.c"), (0, "", ""))
        top = os.path.dirname(os.path.dirname(TOOLS))
        for compiler in compilers():
            done = self.plain("-DPERFCOMP_IMPLEMENTATION", "-I", top, "b.c", "-lm", "-lpthread", compiler=compiler)
            self.assertEqual(done[0], 0, done)
            self.assertEqual(self.start(), (0, "6 0\n"))

    def test_list_ways_of_a_macro(self):
        """A way between blocks that a macro makes can't have a counter, and is listed all the same."""
        self.folder.file("a.c", "#define LESS(a, b) ((a) < (b) && (b))\n"
                                "int f(int a, int b) { while (LESS(a, b) || LESS(b, a)) a++; return a; }\n")
        status, text, messages = self.script("--list", "a.c")
        self.assertEqual((status, messages), (0, ""))
        self.assertIn("a macro's way", text)

    def test_list_and_dot(self):
        self.folder.file("a.c", self.SOURCE)
        status, text, _ = self.script("--list", "a.c")
        self.assertEqual(status, 0)
        for piece in ("f: ", "spanning tree", "loop depth 1", "dominated by"):
            self.assertIn(piece, text)
        self.assertTrue(self.script("--dot", "a.c")[1].startswith("digraph"))

    def test_bad_input(self):
        for words in ([], ["none.c"], ["--no", "a.c"], ["-o"]):
            status, _, messages = self.script(*words)
            self.assertEqual((status, len(messages.splitlines())), (2, 1), messages)


if __name__ == "__main__":
    unittest.main()
