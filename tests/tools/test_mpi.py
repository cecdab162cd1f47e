"""perfcomp-cc before an MPI compiler brings perfcomp_mpi.h's layer into programs that know nothing of it."""

import glob
import json
import os
import shutil
import signal
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
FORTRAN = """\
program ring
  use mpi
  integer :: e, rank, sum
  character(1000) :: preloaded
  call get_environment_variable('LD_PRELOAD', preloaded)
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  sum = merge(45, 0, index(preloaded, 'bystander.so') > 0)
  call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  if (rank == 0) print '(i0)', sum
  call MPI_Finalize(e)
end program
"""
TWO_PLACES = """\
program places
  use mpi
  integer :: e, rank, n(2) = [45, 45]
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  if (rank == 0) call MPI_Send(n(1), 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, e)
  if (rank == 0) call MPI_Send(n(2), 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, e)
  if (rank == 1) then
    call MPI_Recv(n(1), 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call MPI_Recv(n(2), 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    print '(i0)', sum(n)
  end if
  call MPI_Finalize(e)
end program
"""
# Completions that the library refuses: they leave the program's variables as they are.
REFUSED = """\
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int index = 2000000000, flag = 1, error;
    MPI_Request request[2] = { MPI_REQUEST_NULL };
    MPI_Status status;
    memset(&request[1], 0, sizeof request[1]);
    memset(&status, 0, sizeof status);
    status.MPI_TAG = 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    error = MPI_Waitany(2, request, &index, &status);
    printf("%d %d %d\\n", error != 0, index, status.MPI_TAG);
    error = MPI_Testany(2, request, &index, &flag, &status);
    printf("%d %d %d %d\\n", error != 0, index, flag, status.MPI_TAG);
    return MPI_Finalize();
}
"""
REFUSED_IN_FORTRAN = """\
program refused
  use mpi
  implicit none
  integer :: e, n, request(2), index(2) = [7, 8], status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  logical :: flag
  call MPI_Init(e)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, e)
  request = [123456, 123457]
  n = 3000000
  flag = .true.
  call MPI_Waitany(2, request, n, status, e)
  print *, e /= 0, n, request
  call MPI_Testany(2, request, n, flag, status, e)
  print *, e /= 0, n, flag, request
  call MPI_Waitsome(2, request, n, index, statuses, e)
  print *, e /= 0, n, index, request
  call MPI_Testsome(2, request, n, index, statuses, e)
  print *, e /= 0, n, index, request
  call MPI_Waitall(2, request, statuses, e)
  print *, e /= 0, request
  call MPI_Testall(2, request, flag, statuses, e)
  print *, e /= 0, flag, request
  call MPI_Finalize(e)
end program
"""
# Rank 1 asks until its message is there.
POLLS = """\
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, value = 90, i, here;
    double until;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (i = 0; i < 5; i++) {
        if (rank) {
            MPI_Irecv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
            for (here = 0; !here;) MPI_Test(&request, &here, MPI_STATUS_IGNORE);
        } else {
            for (until = MPI_Wtime() + .06; MPI_Wtime() < until;) { }
            MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        }
    }
    if (rank) printf("%d\\n", value);
    MPI_Finalize();
    return 0;
}
"""
TO_ITSELF = """\
#include <mpi.h>
#include <stdio.h>
static char given[100000], got[sizeof given];
int main(int argc, char **argv)
{
    int rank, i;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (i = 0; i < 200; i++) {
        MPI_Irecv(got, sizeof got, MPI_CHAR, rank, 1, MPI_COMM_WORLD, &request);
        MPI_Send(given, sizeof given, MPI_CHAR, rank, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Isend(given, 1000, MPI_CHAR, rank, 2, MPI_COMM_WORLD, &request);
        MPI_Recv(got, sizeof got, MPI_CHAR, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Sendrecv(given, 1000, MPI_CHAR, rank, 3, got, 1000, MPI_CHAR, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank) puts("90");
    MPI_Finalize();
    return 0;
}
"""
# argv: whether the first receive is a persistent one. It stays open while others come and go, more of them than there are tags.
LONG_OPEN = """\
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, i, got = -1, last = -1, wrong = 0;
    MPI_Request first, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!rank && argc > 1) {
        MPI_Recv_init(&last, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &first);
        MPI_Start(&first);
    } else if (!rank) MPI_Irecv(&last, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &first);
    for (i = 0; !rank && i < 16384 - 5; i++) {
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &other);
        MPI_Cancel(&other);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
    }
    for (i = 0; i < 10; i++)
        if (!rank) {
            MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &other);
            MPI_Wait(&other, MPI_STATUS_IGNORE);
            wrong += got != i;
        } else MPI_Send(&i, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    if (!rank) MPI_Send(&got, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    else MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank) MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else {
        MPI_Wait(&first, MPI_STATUS_IGNORE);
        if (argc > 1) MPI_Request_free(&first);
        printf("%d wrong, then %d\\n", wrong, last);
    }
    MPI_Finalize();
    return 0;
}
"""
# Rank 0 waits for what rank 1 sends when it is told to.
# Its MPI calls are over when it computes, by functions whose cost is learnt meanwhile.
CALLS_FIRST = r"""
#include <mpi.h>
static __attribute__((noinline)) double work(double x) { for (int i = 0; i < 30; i++) { x = x / 1.5 + i; if (x < 0) return 0; } return x; }
int main(int argc, char **argv)
{
    int i, sent = 1, got;
    double begin, x = 1;
    MPI_Init(&argc, &argv);
    for (i = 0; i < 100000; i++)
        MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    for (begin = MPI_Wtime(); MPI_Wtime() < begin + 1.5;) for (i = 0; i < 1000; i++) x = work(x);
    MPI_Finalize();
    return x < 0;
}
"""

TOLD = """\
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    usleep(50000 * rank);
    MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (rank) {
        while (access("go", F_OK)) usleep(1000);
        MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    } else MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""
ABORTS = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Recv(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""
ABORTS_IN_FORTRAN = """\
program aborts
  use mpi
  integer :: e, rank
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  if (rank == 1) call MPI_Abort(MPI_COMM_WORLD, 7, e)
  call MPI_Recv(rank, 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
  call MPI_Finalize(e)
end program
"""
# Nobody waits for the sends; with MORE, nor for one receive, which gets nothing.
LEFT = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, mine = 90, other;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isend(&mine, 1, MPI_INT, !rank, 7, MPI_COMM_WORLD, &request);
    MPI_Recv(&other, 1, MPI_INT, !rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef MORE
    if (rank) MPI_Irecv(&mine, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
#endif
    MPI_Finalize();
    return 0;
}
"""
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
# What is behind MPI_Finalize isn't in a merged file.
AFTER = """\
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PFC_BEGIN("before");
    PFC_END("before");
    MPI_Finalize();
    PFC_BEGIN("after");
    PFC_END("after");
    if (!rank) puts("90");
    return 0;
}
"""
SPAWNING = """\
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Comm other;
    int spawned;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&other);
    spawned = other != MPI_COMM_NULL;
    if (!spawned) MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&other);
    if (spawned) sleep(1);
    MPI_Finalize();
    return 0;
}
"""
# An MPI without MPI-IO, on all ranks or on some.
NO_IO = """\
#include <mpi.h>
int PMPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file)
{
    int rank;
    (void)name, (void)mode, (void)info;
    *file = MPI_FILE_NULL;
    MPI_Comm_rank(comm, &rank);
    return rank < NO_IO_FROM ? MPI_SUCCESS : MPI_ERR_UNSUPPORTED_OPERATION;
}
"""
MPI_CALL = 4  # a region's kind, as enum pfc__region_kind has it
KINDS = [m for m in ("mpich", "openmpi") if shutil.which("mpicc." + m) and shutil.which("mpiexec." + m)]


@unittest.skipUnless(KINDS, "there is no MPI: tests/install mpi")
class Ring(unittest.TestCase):
    """A program of two files, and its runs on two ranks."""

    @classmethod
    def setUpClass(cls):
        subprocess.run(["make", "-s", "tools"], cwd=TOP, check=True)

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)
        for name, text in (("main.c", RING), ("pass.c", PASS), ("ring.h", "int pass(int, int, int);\n"),
                           ("wrapper.c", OWN_WRAPPER)):
            self.folder.file(name, text)

    def cc(self, *words, says=""):
        status, output, messages = run([CC, *words], cwd=self.folder.path,
                                       env={"PERFCOMP_CC_SUMMARY": self.folder.file("summary")})
        self.assertEqual((status, output, messages), (0, "", says))

    def run_ring(self, mpi, *before, **environment):
        """What a run on two ranks says, and the folder of its profiles; `before`: words before the program."""
        profile = self.folder.file("profile")
        shutil.rmtree(profile, ignore_errors=True)
        os.mkdir(profile)
        status, output, messages = run(["mpiexec." + mpi, "-n", "2", *before, self.folder.file("ring")],
                                       cwd=self.folder.path, env={"PERFCOMP_DIR": profile, **ROOT, **environment})
        self.assertEqual((status, output), (0, "90\n"), messages)
        return messages, profile

    def profiles(self, mpi, *before, **environment):
        """Those of a run on two ranks."""
        _, profile = self.run_ring(mpi, *before, **environment)
        self.assertEqual(sorted(os.listdir(profile)), ["perfcomp.0.pfc", "perfcomp.1.pfc"])
        status, output, messages = run([os.path.join(TOP, "build", "perfcomp"), "report", "--json", profile])
        self.assertEqual((status, messages), (0, ""))
        return json.loads(output)["profiles"]

    def compensated(self, mpi, *before, **environment):
        for rank, profile in enumerate(self.profiles(mpi, *before, **environment)):
            self.assertEqual((profile["mpi"]["rank"], profile["mpi"]["size"]), (rank, 2))
            calls = {kind["name"]: kind["calls"] for kind in profile["mpi"]["kinds"]}
            self.assertEqual(calls, {"MPI_Sendrecv": 10, "MPI_Allreduce": 1, "MPI_Finalize": 1})
            regions = {region["name"]: region for region in profile["regions"]}
            self.assertEqual(regions["MPI_Init"]["calls"], 1)
            self.assertNotIn("without perfcomp_mpi.h", str(profile["notes"]))

    def aborts(self, mpi, **environment):
        """The ranks that have called MPI_Abort; who is ended by it may have got no further than MPI_Init."""
        profile = self.folder.file("aborted")
        status, _, _ = run(["mpiexec." + mpi, "-n", "2", "env", *(f"{k}={v}" for k, v in environment.items()), self.folder.file("ring")],
                           cwd=self.folder.path, env=dict(ROOT, PERFCOMP_DIR=profile))
        self.assertEqual(status, 7)
        reports = [run([os.path.join(TOP, "build", "perfcomp"), "report", "--json", os.path.join(profile, f"perfcomp.{rank}.pfc")])
                   for rank in range(2)]
        shutil.rmtree(profile)
        regions = [json.loads(output)["profiles"][0]["regions"] for _, output, _ in reports]
        return [rank for rank in range(2) if "MPI_Abort" in [region["name"] for region in regions[rank]]]

    def uncompensated(self, mpi):
        """Without the layer, and the reports say so."""
        for profile in self.profiles(mpi):
            self.assertNotIn("mpi", profile)
            self.assertIn("MPI ran without perfcomp_mpi.h", str(profile["notes"]))


class Linked(Ring):
    def test_places_of_calls(self):
        """By function and line where the program is still what has run; otherwise by its name and an offset."""
        places = [("-g", r"MPI_Sendrecv  pass  pass\.c:6\n"), ("-g0", r"MPI_Sendrecv  pass  ring\+0x[0-9a-f]+\n"),
                  ("", r"MPI_Sendrecv  ring\+0x[0-9a-f]+\n")]
        for debug, place in places:
            if debug:
                self.cc("mpicc." + KINDS[0], "-O2", debug, "main.c", "pass.c", "-o", "ring")
                _, profile = self.run_ring(KINDS[0])
            else:
                os.remove(self.folder.file("ring"))
            status, output, _ = run([os.path.join(TOP, "build", "perfcomp"), "report", os.path.join(profile, "perfcomp.0.pfc")])
            self.assertEqual(status, 0)
            self.assertRegex(output, place)
            self.assertRegex(output, r"library +(MPICH Version: +|Open MPI v)\d")

    def test_places_of_calls_of_odd_names(self):
        """With blanks in the program's name, in its folder's and its source's; sought in PATH; called by a link, or by a long name."""
        mpi, top = KINDS[0], self.folder.file("a folder")
        os.mkdir(top)
        for given, name in ("main.c", "main.c"), ("pass.c", "pass on.c"), ("ring.h", "ring.h"):
            shutil.copy(self.folder.file(given), os.path.join(top, name))
        self.assertEqual(run([CC, "mpicc." + mpi, "-O2", "-g", "main.c", "pass on.c", "-o", "ring"], cwd=top), (0, "", ""))
        long = 8 * "long name"
        for name in "the ring", long:
            shutil.copy2(os.path.join(top, "ring"), os.path.join(top, name))
        os.symlink("ring", os.path.join(top, "link"))
        for program in "./ring", "./the ring", "./" + long, "./link", "ring", os.path.join(top, "the ring"):
            profile = self.folder.file("odd")
            status, _, messages = run(["mpiexec." + mpi, "-n", "2", program], cwd=top,
                                      env={**ROOT, "PERFCOMP_DIR": profile, "PATH": f"{top}:{os.environ['PATH']}"})
            self.assertEqual(status, 0, messages)
            _, output, _ = run([os.path.join(TOP, "build", "perfcomp"), "report", os.path.join(profile, "perfcomp.0.pfc")])
            self.assertRegex(output, r"MPI_Sendrecv  pass  pass on\.c:6\n", program)

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

    def test_a_tool_that_comes_behind_is_named(self):
        """All is compensated, but the tool sees no call; one that has no wrappers of MPI is no such tool."""
        for mpi in KINDS:
            self.cc("mpicc." + mpi, "-O2", "main.c", "pass.c", "-o", "ring")
            self.folder.file("tool.c", "#include <mpi.h>\nint MPI_Finalize(void) { return PMPI_Finalize(); }\n")
            self.folder.file("other.c", "int other(void) { return 0; }\n")
            for name, notes in ("tool", 1), ("other", 0):
                with self.subTest(mpi=mpi, name=name):
                    library = self.folder.file(name + ".so")
                    self.assertEqual(run(["mpicc." + mpi, "-shared", "-fPIC", self.folder.file(name + ".c"), "-o", library])[0], 0)
                    messages, profile = self.run_ring(mpi, LD_PRELOAD=library)
                    self.assertEqual(messages.count("comes behind perfcomp_mpi.h"), notes, messages)
                    self.assertEqual(messages.count(library), notes)
                    self.compensated(mpi, LD_PRELOAD=library)

    def test_for_whom_a_rank_has_asked_in_vain(self):
        """What it had waited in the calls before is a wait for the same rank: all of its waits by Test are for rank 0."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.folder.file("polls.c", POLLS)
                self.cc("mpicc." + mpi, "-O2", "polls.c", "-o", "ring")
                waiting = self.profiles(mpi)[1]["mpi"]
                tests = next(kind for kind in waiting["kinds"] if kind["name"] == "MPI_Test")
                self.assertEqual([p["rank"] for p in waiting["peers"]], [0])
                for wait in "wait_ct", "wait_lt":  # in MPI_Finalize somebody may wait for it, too
                    self.assertGreaterEqual(waiting["peers"][0][wait], tests[wait])
                    self.assertLessEqual(waiting["peers"][0][wait], waiting["total"][wait])
                self.assertLess(tests["lt"], 1.1 * tests["wait_lt"] + 1e6, "undisturbed, the calls in vain are part of that wait")

    def test_nobody_waits_for_what_it_has_sent_to_itself(self):
        """However long the library takes to copy it."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.folder.file("itself.c", TO_ITSELF)
                self.cc("mpicc." + mpi, "-O2", "itself.c", "-o", "ring")
                for rank, profile in enumerate(self.profiles(mpi)):
                    self.assertNotIn(rank, [peer["rank"] for peer in profile["mpi"]["peers"]])
                    for kind in profile["mpi"]["kinds"]:
                        if kind["name"] != "MPI_Finalize":
                            self.assertEqual((kind["wait_ct"], kind["wait_lt"]), (0, 0), kind["name"])

    def test_watched_after_its_calls(self):
        """No time in MPI since the last look where no call was, whatever the earlier ones are found to have cost by now."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.folder.file("first.c", CALLS_FIRST)
                self.cc("--smallest", "0", "mpicc." + mpi, "-O2", "first.c", "-o", "ring")
                profile = self.folder.file("first." + mpi)
                job = subprocess.Popen(["mpiexec." + mpi, "-n", "1", self.folder.file("ring")], cwd=self.folder.path,
                                       env=dict(os.environ, **ROOT, PERFCOMP_DIR=profile), stdout=subprocess.DEVNULL)
                _, output, _ = run([os.path.join(TOP, "build", "perfcomp"), "watch", "--json", "--interval", "0.1", "-n", "600", profile])
                self.assertEqual(job.wait(), 0)
                spent = [rank["mpi"] for line in output.splitlines() for rank in json.loads(line)["processes"]]
                idle = [time for time in spent if not time["ct"]]
                self.assertGreater(len(idle), 3)
                self.assertEqual([time for time in idle if time["lt"] or time["u"]], [])

    def test_watched(self):
        """While the job runs: who waits, and in which call."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.folder.file("told.c", TOLD)
                self.cc("mpicc." + mpi, "-O2", "told.c", "-o", "ring")
                profile = self.folder.file("watched")
                watch = subprocess.Popen([os.path.join(TOP, "build", "perfcomp"), "watch", "--json", "--interval", "0.1", "-n", "600", profile],
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                job = subprocess.Popen(["mpiexec." + mpi, "-n", "2", self.folder.file("ring")], cwd=self.folder.path,
                                       env=dict(os.environ, **ROOT, PERFCOMP_DIR=profile), stdout=subprocess.DEVNULL)
                self.addCleanup(job.kill)
                self.addCleanup(watch.kill)
                looks, sums = 0, {}
                for line in watch.stdout:
                    ranks = json.loads(line)["processes"]
                    for rank in ranks:
                        for key in "bytes", "calls", "delay_in", "wait_lt", "passed_ns":
                            sums[key, rank["rank"]] = sums.get((key, rank["rank"]), 0) + rank[key]
                    states = [rank["threads"][0] for rank in ranks if rank["threads"]] # one that has only begun has none yet
                    for rank in ranks:
                        self.assertLessEqual(rank["wait_lt"], max(0, rank["mpi"]["lt"]), "also where a wait is told whose begin was before the last look")
                    if len(states) == 2 and states[0]["state"] == "waits" and states[0]["now"][0] == "MPI_Recv" and states[1]["state"] in ("computes", "sleeps"):
                        self.folder.file("go", "")
                        looks += 1
                watch.stdout.close()
                if not looks:
                    job.kill()
                self.assertGreater(looks, 0, "within a minute")
                self.assertEqual((job.wait(), watch.wait(), [r["state"] for r in ranks]), (0, 0, ["ended", "ended"]))
                for p in json.loads(run([os.path.join(TOP, "build", "perfcomp"), "report", "--json", profile])[1])["profiles"]:
                    rank = p["rank"]
                    self.assertEqual(sums["bytes", rank], p["mpi"]["total"]["bytes"], "what was told once isn't told again")
                    self.assertEqual(sums["calls", rank], sum(region["calls"] for region in p["regions"]))
                    self.assertAlmostEqual(sums["delay_in", rank], p["delay_in"], delta=1)
                    self.assertAlmostEqual(sums["passed_ns", rank], p["last_utc_ns"] - p["begin_utc_ns"], delta=1)
                    self.assertLessEqual(sums["wait_lt", rank], p["mpi"]["total"]["wait_lt"] + 1)
                os.remove(self.folder.file("go"))
                shutil.rmtree(profile)

    def test_figures_of_a_job_watched(self):
        """They are the report's: shares, rates and the data moved, from the begin to the end."""
        self.folder.file("itself.c", TO_ITSELF)
        self.cc("mpicc." + KINDS[0], "-O2", "itself.c", "-o", "ring")
        profile = self.profiles(KINDS[0])
        tool, folder = os.path.join(TOP, "build", "perfcomp"), self.folder.file("profile")
        [look] = map(json.loads, run([tool, "watch", "--json", folder])[1].splitlines())
        text = run([tool, "watch", folder])[1]
        taken, times = 0, 0
        for p, process in zip(profile, look["processes"]):
            passed, calls = p["last_utc_ns"] - p["begin_utc_ns"], sum(region["calls"] for region in p["regions"])
            mpi = sum(region["exclusive"]["lt"] for region in p["regions"] if region["kind"] == MPI_CALL)
            self.assertEqual((process["calls"], process["bytes"]), (calls, p["mpi"]["total"]["bytes"]))
            self.assertAlmostEqual(process["wait_lt"], p["mpi"]["total"]["wait_lt"], delta=1)
            for found, wanted in ((process["passed_ns"], passed), (process["mpi"]["lt"], mpi), (process["delay_in"], p["delay_in"]),
                                  (process["sum"]["lt"], p["sum"]["lt"])):
                self.assertAlmostEqual(found, wanted, delta=1)
            self.assertRegex(text, r"(?m)^ +%d +%d +%.6f \S+ +%.6f +%.1f%% +%.1f%% +%.3f +%.1f%% +%.0f " % (
                p["rank"], p["pid"], p["total"]["lt"] / 1e9, p["total"]["u"] / 1e9, 100 * mpi / p["sum"]["lt"],
                100 * p["mpi"]["total"]["wait_lt"] / p["sum"]["lt"], 1e3 * process["bytes"] / passed,
                100 * (p["sum"]["ct"] - p["sum"]["lt"] - p["delay_in"]) / p["sum"]["ct"], 1e9 * calls / passed))
            [called] = [region for region in p["regions"] if region["name"] == "MPI_Sendrecv"]
            taken += called["exclusive"]["lt"]
            times += called["calls"]
        self.assertRegex(text, r"(?m)^ +%d +%.6f \S+ +[\d.]+ +%.1f%%  MPI_Sendrecv$" % (times, taken / 1e6, 100 * taken / sum(p["sum"]["lt"] for p in profile)))
        instrumentation = 100 * sum(p["sum"]["ct"] - p["sum"]["lt"] - p["delay_in"] for p in profile) / sum(p["sum"]["ct"] for p in profile)
        longest = max((p["total"] for p in profile), key=lambda total: total["lt"])
        self.assertRegex(text, r"undisturbed %.3f \S+ %.3f s, instrumentation %.2f %% " % (longest["lt"] / 1e9, longest["u"] / 1e9, instrumentation))

    def test_foretold(self):
        """Of numbers of ranks: shares, speedup and efficiency follow from the times that are shown."""
        self.cc("mpicc." + KINDS[0], "-O2", "main.c", "pass.c", "-o", "ring")
        names = [self.folder.file(f"on{ranks}") for ranks in (2, 3, 4)]
        for ranks, name in enumerate(names, 2):
            done = run(["mpiexec." + KINDS[0], "-n", str(ranks), self.folder.file("ring")], cwd=self.folder.path, env={"PERFCOMP_DIR": name, **ROOT})
            self.assertEqual(done[:2], (0, f"{45 * ranks}\n"), done[2])
        tool = os.path.join(TOP, "build", "perfcomp")
        text = run([tool, "predict", "--at", "8", *reversed(names)])[1]
        sizes = json.loads(run([tool, "predict", "--at", "8", "--json", *names])[1])["sizes"]
        self.assertEqual([size["size"] for size in sizes], [2, 3, 4, 8])
        for size, name in zip(sizes, [*names, None]):
            time = size["time"]["lt"]
            shown = size["measured"]["lt"] if name else time
            if name:
                ranks = json.loads(run([tool, "report", "--json", name])[1])["profiles"]
                busiest = max(ranks, key=lambda p: p["sum"]["lt"] - p["mpi"]["total"]["wait_lt"])
                self.assertAlmostEqual(shown, busiest["sum"]["lt"], delta=1)
            for end in "lt", "from", "to":
                self.assertTrue(size["time"]["from"] <= size["time"][end] <= size["time"]["to"])
            self.assertAlmostEqual(sum(size[part]["lt"] for part in ("computing", "mpi", "wait")), time, delta=1e-6 * time)
            speedup = sizes[0]["measured"]["lt"] / shown
            self.assertRegex(text, r"(?m)^ +%d +%.6f +%.6f +%.6f +%s *%.1f%% +%.1f%% +%.1f%% +%.2f +%.1f%%$" % (
                size["size"], time / 1e9, size["time"]["from"] / 1e9, size["time"]["to"] / 1e9, f"{shown / 1e9:.6f} " if name else "",
                *(100 * size[part]["lt"] / time for part in ("computing", "mpi", "wait")), speedup, 100 * speedup * 2 / size["size"]))

    def test_held_back_for_long(self):
        """A receive from anybody that stays open gets no message of ours to one that began later; that one waited for ever then."""
        self.folder.file("long_open.c", LONG_OPEN)
        for mpi in KINDS:
            self.cc("mpicc." + mpi, "long_open.c", "-o", "long_open")
            for persistent in [], ["persistent"]:
                with self.subTest(mpi=mpi, persistent=persistent):
                    done = run(["mpiexec." + mpi, "-n", "2", self.folder.file("long_open"), *persistent], cwd=self.folder.path, timeout=60,
                               env={**ROOT, "PERFCOMP_MPI_ORDER": "hold", "PERFCOMP_DIR": self.folder.file("profile")})
                    self.assertEqual(done[:2], (0, "0 wrong, then 10\n"), done[2])

    def test_requests_that_nobody_waits_for(self):
        """A short message's sender depends on nobody: of it nothing is missing."""
        self.folder.file("left.c", LEFT)
        for mpi in KINDS:
            for flags, said in ([], []), (["-DMORE"], ["perfcomp: rank 1: 1 request was never completed: what it depended on isn't in the result"]):
                with self.subTest(mpi=mpi, flags=flags):
                    self.cc("mpicc." + mpi, *flags, "left.c", "-o", "ring")
                    status, _, messages = run(["mpiexec." + mpi, "-n", "2", self.folder.file("ring")], cwd=self.folder.path, env=ROOT)
                    self.assertEqual((status, [line for line in messages.splitlines() if line.startswith("perfcomp")]), (0, said))

    def test_who_has_ended_the_job(self):
        self.folder.file("aborts.c", ABORTS)
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.cc("mpicc." + mpi, "aborts.c", "-o", "ring")
                self.assertEqual(self.aborts(mpi), [1])

    def test_what_is_done_of_mpi_init_before_it_is_its_own(self):
        """To ask the launcher, Open MPI's is joined first: 4 % of MPI_Init, and no time of main. Of some runs, as others may want the processor."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.cc("mpicc." + mpi, "-O2", "main.c", "pass.c", "-o", "ring")
                shares = []
                for _ in range(5):
                    regions = {region["name"]: region for region in self.profiles(mpi)[0]["regions"]}
                    shares.append(regions["main"]["exclusive"]["lt"] / regions["MPI_Init"]["exclusive"]["lt"])
                self.assertLess(min(shares), .01)

    def test_calls_in_a_library_only(self):
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.folder.file("start.c", "int go(int, char **);\nint main(int c, char **v) { return go(c, v); }\n")
                self.cc("mpicc." + mpi, "-O2", "-Dmain=go", "-c", "pass.c", "main.c")
                subprocess.run(["ar", "rcs", "libring.a", "pass.o", "main.o"], cwd=self.folder.path, check=True)
                self.cc("mpicc." + mpi, "-c", "start.c")
                self.cc("mpicc." + mpi, "start.o", "-o", "ring", "-L.", "-lring")
                self.compensated(mpi)

    def test_a_shared_library_that_has_the_layer_as_well(self):
        """The program's is the one that sees the calls; the library's has nothing to say."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.cc("mpicc." + mpi, "-O2", "-fPIC", "-shared", "pass.c", "-o", "libpass.so")
                self.cc("mpicc." + mpi, "-O2", "main.c", "-o", "ring", "-L.", "-lpass", "-Wl,-rpath," + self.folder.path)
                self.compensated(mpi)
                self.assertEqual(self.run_ring(mpi)[0], "")

    def test_a_layer_of_its_own(self):
        """Half of ours beside the program's own wrappers would be worse than none."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                compiler = "mpicc." + mpi
                self.cc(compiler, "-c", "main.c")
                self.cc(compiler, "-c", "pass.c")
                self.cc(compiler, "-c", "wrapper.c")
                said = "ring: MPI isn't compensated: it doesn't link with perfcomp's layer\n"
                self.cc(compiler, "main.o", "pass.o", "wrapper.o", "-o", "ring", says="perfcomp-cc: " + said)
                self.uncompensated(mpi)
                with open(self.folder.file("summary"), encoding="utf-8") as file:
                    self.assertIn(said, file.read())

    def test_by_a_compiler_that_is_not_mpis(self):
        """cmake finds MPI's library for gcc."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                status, command, messages = run(["mpicc." + mpi, "-show", "main.c", "pass.c", "-o", "ring"])
                self.assertEqual((status, messages), (0, ""))
                self.cc(*command.split())
                self.uncompensated(mpi)

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


class Merged(Ring):
    """PERFCOMP_MPI_MERGE: one file for the job."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = Folder()
        cls.addClassCleanup(cls.made.__exit__)
        for mpi in KINDS:
            subprocess.run(["mpicc." + mpi, "-DPFC__WRITTEN_MOST=30000",  # so that a profile takes several calls
                            "-I", TOP, "-c", cls.made.file("after.c", AFTER), "-o", cls.made.file(mpi + ".o")], check=True)

    def build(self, mpi, *words):
        status, _, messages = run(["mpicc." + mpi, self.made.file(mpi + ".o"), *words, "-o", "ring", "-lm", "-ldl", "-lpthread"],
                                  cwd=self.folder.path)
        self.assertEqual((status, messages), (0, ""))

    def reported(self, folder):
        status, output, messages = run([os.path.join(TOP, "build", "perfcomp"), "report", "--json", folder])
        self.assertEqual((status, messages), (0, ""))
        return json.loads(output)["profiles"]

    def test_in_place_of_a_file_a_rank(self):
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.build(mpi)
                messages, folder = self.run_ring(mpi, PERFCOMP_MPI_MERGE="1")
                self.assertEqual((messages, os.listdir(folder)), ("", ["perfcomp.pfc"]))
                profiles = self.reported(folder)
                self.assertEqual([(p["rank"], p["size"], p["state"], p["until_finalize"]) for p in profiles],
                                 [(0, 2, "ended", True), (1, 2, "ended", True)])
                self.assertEqual(len({p["mpi"]["world"] for p in profiles}), 1)
                for profile in profiles:
                    names = {region["name"] for region in profile["regions"]}
                    self.assertLessEqual({"before", "MPI_Finalize"}, names)
                    self.assertNotIn("after", names)

    def test_only_when_wanted(self):
        self.build(KINDS[0])
        for value in "0", "":
            messages, folder = self.run_ring(KINDS[0], PERFCOMP_MPI_MERGE=value)
            self.assertEqual((messages, sorted(os.listdir(folder))), ("", ["perfcomp.0.pfc", "perfcomp.1.pfc"]))
        for profile in self.reported(folder):
            self.assertIs(profile["until_finalize"], False)
            self.assertIn("after", {region["name"] for region in profile["regions"]})

    def test_nothing_is_lost(self):
        """A name that is taken, before the file is written and behind it; an MPI without MPI-IO, on all ranks or on one."""
        for mpi in KINDS:
            for trouble in "perfcomp.pfc.new", "perfcomp.pfc", "-DNO_IO_FROM=0", "-DNO_IO_FROM=1":
                with self.subTest(mpi=mpi, trouble=trouble):
                    self.folder.file("no_io.c", NO_IO)
                    self.build(mpi, *[trouble, "no_io.c"] if trouble[0] == "-" else [])
                    messages, folder = self.run_ring(mpi, "sh", "-c", 'mkdir -p "$TAKEN"; "$0"', PERFCOMP_MPI_MERGE="1",
                                                     TAKEN=os.path.join(self.folder.file("profile"), "x" if trouble[0] == "-" else trouble, "x"))
                    self.assertEqual(messages.count("perfcomp: "), 1, messages)
                    self.assertRegex(messages, r"the profiles of all ranks can't be written to .*/perfcomp.pfc \(.*\): each stays in a file of its own")
                    self.assertEqual([name for name in sorted(os.listdir(folder)) if name[9:10].isdigit()], ["perfcomp.0.pfc", "perfcomp.1.pfc"])
                    self.assertEqual([p["until_finalize"] for p in self.reported(os.path.join(folder, "perfcomp.0.pfc"))], [True])

    def test_spawned_processes_beside_it(self):
        """They end last."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.folder.file("spawning.c", SPAWNING)
                words = ["-O1", "spawning.c", "-o"]
                run(["mpicc." + mpi, *words, "plain"], cwd=self.folder.path)
                if run(["mpiexec." + mpi, "-n", "1", self.folder.file("plain")], cwd=self.folder.path, env=ROOT)[0]:
                    self.skipTest("this MPI can't spawn here")
                self.cc("mpicc." + mpi, *words, "spawning")
                folder = self.folder.file("profile")
                self.assertEqual(run(["mpiexec." + mpi, "-n", "1", self.folder.file("spawning")], cwd=self.folder.path,
                                     env={"PERFCOMP_DIR": folder, "PERFCOMP_MPI_MERGE": "1", **ROOT})[0], 0)
                profiles = self.reported(folder)
                self.assertEqual(sorted(p["until_finalize"] for p in profiles), [False, True])
                self.assertEqual(len({p["mpi"]["world"] for p in profiles}), 2)

    def test_ranks_of_an_earlier_job(self):
        """A job doesn't replace the files of ranks that it hasn't, nor a merged file: they are left out, unless they are named."""
        self.build(KINDS[0])
        folder = self.folder.file("profile")
        for ranks, merge, files, earlier in (("3", "", "0.pfc 1.pfc 2.pfc", 0), ("2", "", "0.pfc 1.pfc 2.pfc", 1),
                                             ("1", "1", "1.pfc 2.pfc pfc", 2), ("2", "", "0.pfc 1.pfc 2.pfc pfc", 2)):
            self.assertEqual(run(["mpiexec." + KINDS[0], "-n", ranks, self.folder.file("ring")], cwd=self.folder.path,
                                 env={"PERFCOMP_DIR": folder, "PERFCOMP_MPI_MERGE": merge, **ROOT}), (0, "90\n", ""))
            self.assertEqual(sorted(os.listdir(folder)), ["perfcomp." + name for name in files.split()])
            status, output, messages = run([os.path.join(TOP, "build", "perfcomp"), "report", "--json", folder])
            self.assertEqual([(p["rank"], p["size"]) for p in json.loads(output)["profiles"]], [(r, int(ranks)) for r in range(int(ranks))])
            says = {0: "", 1: "1 MPI rank is", 2: "2 MPI ranks are"}[earlier]
            self.assertEqual((status, messages), (0, says and f"perfcomp: {folder}: {says} of an earlier run: left out unless named; remove old profiles before a run\n"))
        self.assertEqual(len(self.reported(os.path.join(folder, "perfcomp.2.pfc"))), 1)

    def test_ranks_that_are_missing(self):
        """A report of some of a job's ranks looked like that of a smaller job."""
        self.build(KINDS[0])
        folder = self.folder.file("some-ranks")
        self.assertEqual(run(["mpiexec." + KINDS[0], "-n", "3", self.folder.file("ring")], cwd=self.folder.path, env={"PERFCOMP_DIR": folder, **ROOT})[0], 0)
        report = [os.path.join(TOP, "build", "perfcomp"), "report", folder]
        self.assertNotIn("no profile here", run(report)[1])
        os.unlink(os.path.join(folder, "perfcomp.1.pfc"))
        self.assertIn("\n  - 1 rank of the job has no profile here: how long ", run(report)[1])


class Preloaded(Ring):
    """The same layer as a shared object, for programs that aren't rebuilt."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = Folder()
        cls.addClassCleanup(cls.made.__exit__)
        cls.layer = {mpi: cls.made.file(mpi + ".so") for mpi in KINDS}
        for mpi, path in cls.layer.items():
            subprocess.run(["make", "-s", "preload", "MPICC=mpicc." + mpi, "CFLAGS=-std=gnu11", "PRELOAD=" + path], cwd=TOP, check=True)

    def build(self, mpi, *words):
        status, _, messages = run(["mpicc." + mpi, "main.c", "pass.c", *words, "-o", "ring"], cwd=self.folder.path)
        self.assertEqual((status, messages), (0, ""))

    def test_into_a_program_as_it_is(self):
        """The launcher and a shell inherit it, and leave nothing."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.build(mpi)
                self.assertEqual(os.listdir(self.run_ring(mpi)[1]), [])
                self.compensated(mpi, "sh", "-c", '"$0" && true', LD_PRELOAD=self.layer[mpi])

    def test_by_the_launchers_option(self):
        option = {"mpich": lambda path: ["-genv", "LD_PRELOAD", path], "openmpi": lambda path: ["-x", "LD_PRELOAD=" + path]}
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.build(mpi)
                self.compensated(mpi, *option[mpi](self.layer[mpi]))

    def test_into_a_program_with_the_layer(self):
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.cc("mpicc." + mpi, "-O2", "main.c", "pass.c", "-o", "ring")
                self.compensated(mpi, LD_PRELOAD=self.layer[mpi])

    def test_into_an_instrumented_program_without_the_layer(self):
        """One profile a process, with its functions and its MPI calls."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                _, words, _ = run(["mpicc." + mpi, "main.c", "pass.c", "-o", "ring", "-show"], cwd=self.folder.path)
                self.cc(*words.split())
                self.compensated(mpi, LD_PRELOAD=self.layer[mpi])
                for profile in self.profiles(mpi, LD_PRELOAD=self.layer[mpi]):
                    self.assertLessEqual({"pass", "MPI_Sendrecv"}, {r["name"] for r in profile["regions"]})

    def test_into_a_library_that_is_loaded_later(self):
        """As interpreters load MPI."""
        self.folder.file("load.c", '#include <dlfcn.h>\ntypedef int main_t(int, char **);\nint main(int c, char **v)\n'
                                   '{ return ((main_t *)dlsym(dlopen(v[1], RTLD_NOW | RTLD_LOCAL), "go"))(c, v); }\n')
        self.assertEqual(run(["gcc", "load.c", "-o", "load", "-ldl"], cwd=self.folder.path), (0, "", ""))
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.build(mpi, "-shared", "-fPIC", "-Dmain=go")
                self.compensated(mpi, self.folder.file("load"), LD_PRELOAD=self.layer[mpi])

    def test_into_a_program_with_a_perfcomp_of_its_own(self):
        """Not twice; and one profile with all of it when the names are exported."""
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.folder.file("own.c", '#define PERFCOMP_IMPLEMENTATION\n#include "perfcomp.h"\n#define main ring\n#include "main.c"\n'
                                          '#undef main\nint main(int c, char **v) { PFC_FUNCTION(); return ring(c, v); }\n')
                words = ["mpicc." + mpi, "-I", TOP, "own.c", "pass.c", "-o", "ring", "-lm", "-lpthread"]
                self.assertEqual(run(words, cwd=self.folder.path), (0, "", ""))
                messages, _ = self.run_ring(mpi, LD_PRELOAD=self.layer[mpi])
                self.assertEqual(messages.count("perfcomp: "), 1, messages)
                self.assertIn("this program has a perfcomp.h of its own", messages)
                for profile in self.profiles(mpi, LD_PRELOAD=self.layer[mpi]):
                    self.assertIn("main", {r["name"] for r in profile["regions"]})
                    self.assertIsNone(profile.get("mpi"))
                self.assertEqual(run([*words, "-rdynamic"], cwd=self.folder.path), (0, "", ""))
                for profile in self.profiles(mpi, LD_PRELOAD=self.layer[mpi]):
                    self.assertLessEqual({"main", "MPI_Sendrecv"}, {r["name"] for r in profile["regions"]})
                self.compensated(mpi, LD_PRELOAD=self.layer[mpi])

    def test_into_a_program_with_wrappers_of_its_own(self):
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                self.build(mpi, "wrapper.c")
                messages, _ = self.run_ring(mpi, LD_PRELOAD=self.layer[mpi])
                self.assertEqual(messages.count("perfcomp: "), 1)
                self.assertIn("rank 0 of 2 has wrappers of MPI calls, such as MPI_Sendrecv", messages)
                self.assertEqual([p.get("mpi") for p in self.profiles(mpi, LD_PRELOAD=self.layer[mpi])], [None, None])

    def test_made_for_another_mpi(self):
        """The program runs without us, C or Fortran, whose calls may come to the other library first; others of LD_PRELOAD stay."""
        self.folder.file("ring.f90", FORTRAN)
        self.assertEqual(run(["gcc", "-shared", "-x", "c", os.devnull, "-o", "bystander.so"], cwd=self.folder.path), (0, "", ""))
        bystander = self.folder.file("bystander.so")
        for mpi in KINDS if len(KINDS) == 2 else []:
            other = KINDS[1 - KINDS.index(mpi)]
            for build in ["mpicc." + mpi, "main.c", "pass.c"], ["mpif90." + mpi, "ring.f90"]:
                with self.subTest(build=build):
                    self.assertEqual(run([*build, "-o", "ring"], cwd=self.folder.path), (0, "", ""))
                    messages, profile = self.run_ring(mpi, LD_PRELOAD=f"{bystander}:{self.layer[other]}")
                    self.assertEqual(messages.count("perfcomp: "), 1, messages)
                    self.assertIn("this program's MPI isn't the one that the preloaded perfcomp_mpi.h was compiled for", messages)
                    self.assertEqual(os.listdir(profile), [])

    def test_places_of_fortrans_calls(self):
        """Of Open MPI, whose Fortran calls come to the layer's own names: where these are called."""
        if "openmpi" not in KINDS:
            self.skipTest("Open MPI isn't here")
        self.folder.file("ring.f90", TWO_PLACES)
        self.assertEqual(run(["mpif90.openmpi", "-O0", "-g", "ring.f90", "-o", "ring"], cwd=self.folder.path), (0, "", ""))
        _, profile = self.run_ring("openmpi", LD_PRELOAD=self.layer["openmpi"])
        status, output, _ = run([os.path.join(TOP, "build", "perfcomp"), "report", os.path.join(profile, "perfcomp.1.pfc")])
        self.assertEqual(status, 0)
        for line in 9, 10:
            self.assertRegex(output, rf"MPI_Recv  \w+  ring\.f90:{line}\n")

    def test_calls_that_the_library_refuses(self):
        """As without the layer. In Fortran, MPICH itself doesn't survive them, and Open MPI 5 nowhere."""
        for mpi, compiler, source, program in [(mpi, "mpicc.", "refused.c", REFUSED) for mpi in KINDS] + [
                (mpi, "mpif90.", "refused.f90", REFUSED_IN_FORTRAN) for mpi in KINDS if mpi == "openmpi"]:
            with self.subTest(mpi=mpi, source=source):
                if not shutil.which(compiler + mpi):
                    self.skipTest(f"there is no {compiler}{mpi}")
                self.folder.file(source, program)
                self.assertEqual(run([compiler + mpi, source, "-o", "refused"], cwd=self.folder.path)[0], 0)
                words = ["mpiexec." + mpi, "-n", "1"]
                plain = run([*words, self.folder.file("refused")], cwd=self.folder.path, env=ROOT)
                if plain[0] == 128 + signal.SIGSEGV:
                    self.skipTest(f"{mpi} doesn't survive them")
                self.assertEqual(plain[0], 0, plain)
                self.assertEqual(plain, run([*words, "env", "LD_PRELOAD=" + self.layer[mpi], "PERFCOMP_DIR=" + self.folder.file("profile"),
                                             self.folder.file("refused")], cwd=self.folder.path, env=ROOT))

    def test_who_has_ended_the_job_in_fortran(self):
        self.folder.file("ring.f90", ABORTS_IN_FORTRAN)
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                subprocess.run(["mpif90." + mpi, "ring.f90", "-o", "ring"], cwd=self.folder.path, check=True)
                self.assertEqual(self.aborts(mpi, LD_PRELOAD=self.layer[mpi]), [1])

    def test_into_what_is_no_mpi_program(self):
        for mpi in KINDS:
            with self.subTest(mpi=mpi):
                result = run(["sh", "-c", "echo one; (echo two); env echo three"], cwd=self.folder.path,
                             env={"LD_PRELOAD": self.layer[mpi], "PERFCOMP_VERBOSE": "1", "PERFCOMP_DIR": self.folder.path})
                self.assertEqual(result, (0, "one\ntwo\nthree\n", ""))
                self.assertEqual(glob.glob(self.folder.file("*.pfc")), [])

    def test_without_a_compiler(self):
        status, _, messages = run(["make", "-s", "preload", "MPICC=no-mpicc"], cwd=TOP)
        self.assertEqual(status, 2)
        self.assertIn("make preload: there is no MPI compiler no-mpicc: install MPICH or Open MPI, or name yours", messages)


if __name__ == "__main__":
    unittest.main()
