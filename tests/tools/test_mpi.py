"""perfcomp-cc before an MPI compiler brings perfcomp_mpi.h's layer into programs that know nothing of it."""

import glob
import json
import os
import shutil
import subprocess
import unittest

from harness import CC, TOP, Folder, run

RING = """\
#include <mpi.h>
#include <stdio.h>
#include "ring.h"
int main(int argc, char **argv)
{
    int rank, size, sum = 0, i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 0; i < 10; i++) sum += pass(rank, size, i);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!rank) printf("%d\\n", sum);
    MPI_Finalize();
    return 0;
}
"""
PASS = """\
#include <mpi.h>
#include "ring.h"
int pass(int rank, int size, int value)
{
    int got = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 7, &got, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return got;
}
"""
OWN_WRAPPER = """\
#include <mpi.h>
int MPI_Sendrecv(const void *s, int n, MPI_Datatype t, int to, int st, void *r, int m, MPI_Datatype u, int from, int rt,
                 MPI_Comm c, MPI_Status *status)
{
    return PMPI_Sendrecv(s, n, t, to, st, r, m, u, from, rt, c, status);
}
"""
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
KINDS = [m for m in ("mpich", "openmpi") if shutil.which("mpicc." + m) and shutil.which("mpiexec." + m)]


@unittest.skipUnless(KINDS, "there is no MPI: tests/install mpi")
class Mpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(["make", "-s", "tools"], cwd=TOP, check=True)

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)
        for name, text in (("main.c", RING), ("pass.c", PASS), ("ring.h", "int pass(int, int, int);\n"),
                           ("wrapper.c", OWN_WRAPPER)):
            self.folder.file(name, text)

    def cc(self, *words):
        status, output, messages = run([CC, *words], cwd=self.folder.path,
                                       env={"PERFCOMP_CC_SUMMARY": self.folder.file("summary")})
        self.assertEqual((status, output, messages), (0, "", ""))

    def profiles(self, mpi):
        """Those of a run on two ranks."""
        profile = self.folder.file("profile")
        shutil.rmtree(profile, ignore_errors=True)
        os.mkdir(profile)
        status, output, messages = run(["mpiexec." + mpi, "-n", "2", self.folder.file("ring")],
                                       cwd=self.folder.path, env={"PERFCOMP_DIR": profile, **ROOT})
        self.assertEqual((status, output), (0, "90\n"), messages)
        self.assertEqual(sorted(os.listdir(profile)), ["perfcomp.0.pfc", "perfcomp.1.pfc"])
        status, output, messages = run([os.path.join(TOP, "build", "perfcomp"), "report", "--json", profile])
        self.assertEqual((status, messages), (0, ""))
        return json.loads(output)["profiles"]

    def compensated(self, mpi):
        for rank, profile in enumerate(self.profiles(mpi)):
            self.assertEqual((profile["mpi"]["rank"], profile["mpi"]["size"]), (rank, 2))
            calls = {kind["name"]: kind["calls"] for kind in profile["mpi"]["kinds"]}
            self.assertEqual(calls, {"MPI_Sendrecv": 10, "MPI_Allreduce": 1, "MPI_Finalize": 1})

    def test_compiled_one_by_one(self):
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                compiler = "mpicc." + mpi
                self.cc(compiler, "-O2", "-c", "main.c")
                self.cc(compiler, "-O2", "-c", "pass.c")
                self.cc(compiler, "main.o", "pass.o", "-o", "ring")
                self.compensated(mpi)

    def test_compiled_and_linked_at_once(self):
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.cc("mpicc." + mpi, "-O2", "main.c", "pass.c", "-o", "ring")
                self.compensated(mpi)

    def test_calls_in_a_library_only(self):
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.folder.file("start.c", "int go(int, char **);\nint main(int c, char **v) { return go(c, v); }\n")
                self.cc("mpicc." + mpi, "-O2", "-Dmain=go", "-c", "pass.c", "main.c")
                subprocess.run(["ar", "rcs", "libring.a", "pass.o", "main.o"], cwd=self.folder.path, check=True)
                self.cc("mpicc." + mpi, "-c", "start.c")
                self.cc("mpicc." + mpi, "start.o", "-o", "ring", "-L.", "-lring")
                self.compensated(mpi)

    def test_a_layer_of_its_own(self):
        """Half of ours beside the program's own wrappers would be worse than none."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                compiler = "mpicc." + mpi
                self.cc(compiler, "-c", "main.c")
                self.cc(compiler, "-c", "pass.c")
                self.cc(compiler, "-c", "wrapper.c")
                self.cc(compiler, "main.o", "pass.o", "wrapper.o", "-o", "ring")
                self.assertEqual([p.get("mpi") for p in self.profiles(mpi)], [None, None])
                with open(self.folder.file("summary"), encoding="utf-8") as file:
                    self.assertIn("ring: MPI isn't compensated: it doesn't link with perfcomp's layer", file.read())

    def test_an_implementation_in_the_program(self):
        self.folder.file("layer.c", '#define PERFCOMP_IMPLEMENTATION\n#define PERFCOMP_MPI_IMPLEMENTATION\n'
                                    '#include "perfcomp_mpi.h"\n')
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                run(["mpicc." + mpi, "-I", TOP, "-c", "layer.c"], cwd=self.folder.path)
                self.cc("mpicc." + mpi, "main.c", "pass.c", "layer.o", "-o", "ring", "-lm")
                self.compensated(mpi)

    def test_same_diagnostics_when_it_does_not_link(self):
        compiler = "mpicc." + KINDS[0]
        self.cc(compiler, "-c", "main.c")
        ours = run([CC, compiler, "main.o", "-o", "ring"], cwd=self.folder.path)
        self.assertEqual(ours[0], 1)
        self.assertIn("undefined reference to `pass'", ours[2])
        self.assertEqual(glob.glob(self.folder.file("ring")), [])


if __name__ == "__main__":
    unittest.main()
