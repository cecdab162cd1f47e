"""What the tests of the tools share: compile, run, read the counts, compare with the minimal profile."""

import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
TOOLS = os.path.join(TOP, "perfcomp_impl", "tools")
CC = os.path.join(TOOLS, "perfcomp-cc")
READER = os.path.join(TOP, "build", "perfcomp")
SANITISED = ["clang", "-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"] # with -O1 it takes five times as long
sys.path[:0] = [TOOLS, HERE]

import counts
from instrument import options, unit
from instrument.graph import WAY


def compilers():
    return [c for c in ("gcc", "clang") if shutil.which(c)]


def run(words, **keywords):
    """Exit status, stdout and stderr."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PERFCOMP")}
    environment.update(keywords.pop("env", {}))
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=keywords.pop("timeout", 300), env=environment, **keywords)
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


def perfcomp(test, *words, cwd, status=0):
    """What the command line says, on stdout and stderr."""
    done, output, messages = run([READER, *words], cwd=cwd)
    test.assertEqual(done, status, output + messages)
    return output + messages


class Folder:
    """A temporary folder with programs in it."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="perfcomp-test-")
        self.path = self._folder.name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def file(self, name, text=None):
        path = os.path.join(self.path, name)
        if text is not None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="latin-1") as file:
                file.write(text)
        return path

    def build(self, source, compiler, flags=(), own=(), name="program", env=()):
        """Compiles `source` with perfcomp-cc; `own` are perfcomp-cc's options."""
        output = self.file(name)
        status, _, messages = run([CC, *own, *compiler, "-w", source, "-o", output, *flags],
                                  cwd=self.path, env=dict(env))
        if status:
            raise AssertionError("%s: %s" % (source, messages))
        if "as it is" in messages:
            raise AssertionError(messages)
        return output

    def execute(self, program, *arguments):
        """Exit status, output and the units of the profile."""
        folder = self.file("profile")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        result = run([program, *arguments], cwd=self.path, env={"PERFCOMP_DIR": folder})
        path = os.path.join(folder, "perfcomp.0.pfc")
        return result, counts.read(path) if os.path.exists(path) else []


def reported(profile):
    """The reader's blocks by place; several may have one, as those of a macro."""
    status, text, messages = run([READER, "report", "--blocks", "--all", "--json", profile])
    if status:
        raise AssertionError(messages)
    blocks = collections.defaultdict(list)
    for block in json.loads(text)["blocks"]:
        place = tuple(block[name] for name in ("file", "line", "column", "function", "kind"))
        blocks[place].append((block["low"], block["high"], block["counted"]))
    for same in blocks.values():
        if any(low is None for low, _, _ in same):
            raise AssertionError("the reader finds counts that contradict each other")
        same.sort()
    return blocks


def compared(minimal, full):
    """Place, low, high and counted of each block reported, and what it was when all were counted. How often a function
    returned may be an interval there, too: then the truth is what both have in it, if there is any."""
    for place, found in minimal.items():
        for (low, high, counted), (least, most, _) in zip(found, full[place]):
            yield place, low, high, counted, min(max(low, least), most)


def analyse(path, compiler=("gcc",), flags=(), optimised=False, **choices):
    """The Unit of a source file."""
    status, text, messages = run([*compiler, *flags, "-w", "-E", path])
    if status:
        raise AssertionError(messages)
    chosen = options.Options()
    for name, value in choices.items():
        setattr(chosen, name, value)
    return unit.Unit(text, path, chosen, [f for f in flags if f.startswith("-std")], optimised=optimised)


def disagreements(profile, minimal):
    """Where a profile with all blocks counted differs from what the minimal counters would have given
    in the same run. `minimal` is the unit's analysis."""
    found, ran, graphs = [], {}, collections.deque(enumerate(minimal.graphs))
    while graphs:
        index, graph = graphs.popleft()
        if any(call.block not in ran for call in graph.entered_by):
            graphs.append((index, graph))      # its callers first
            continue
        blocks = [b for b in profile.blocks if b.function == index]
        if len(blocks) != len(graph.edges):
            return ["%s: %d blocks, %d expected" % (graph.name, len(blocks), len(graph.edges))]
        entries, exits = (sum(b.count or 0 for b in blocks if b.kind == k) for k in (counts.ENTRY, counts.EXIT))
        full = [b.count for b in blocks]
        for block, planned in zip(blocks, graph.edges):
            if planned.counter is None:
                block.count = None
        if graph.entered_by and blocks[0].count is None:
            blocks[0].count = sum(ran[call.block] for call in graph.entered_by)
        counts.complete(blocks)
        ran.update((planned, block.count if count is None else count) for planned, block, count in zip(graph.blocks, blocks, full))
        if entries != exits and (graph.interruptible or graph.alone):
            continue                           # known not to be exact, and shown so
        for block, count in zip(blocks, full):
            if block.kind == counts.EXIT and entries != exits:
                continue                       # its last piece of code didn't return: all blocks are exact
            if count is not None and block.count != count:
                found.append("%s, line %d:%d: %s instead of %s" % (
                    graph.name, block.line, block.column, block.count, count))
    return found


def rank(graph, shape):
    """The least number of counters: the dimension of the space of block frequencies that conservation of
    edge flow leaves, from the explicit control-flow graph of the code, without the ways between blocks; and
    one more for how many activations were abandoned, where there can be some; one less where calls tell of the entries."""
    flowing = [n for n, b in enumerate(graph.blocks) if not b.alone and b.kind != WAY]
    edges = [(a, b) for a in flowing for b in _code_behind(graph, shape, a) if not graph.blocks[b].alone]
    if graph.resumed:
        edges, flowing = _opened(graph, edges), flowing + ["resumed %d" % n for n, _ in enumerate(graph.resumed)]
    if flowing:
        edges.append((1, 0))
    bipartite = _rank([("out", n) for n in flowing] + [("in", n) for n in flowing],
                      [(("out", a), ("in", b)) for a, b in edges])
    abandoned = 1 if graph.interruptible else 0
    return bipartite - _rank(flowing, edges) + abandoned - bool(graph.entered_by) + sum(b.alone for b in graph.blocks)


def _opened(graph, edges):
    """The same where flow leaves with the calls that may not return, and comes back by ways of its own."""
    stops = {graph.blocks.index(block) for block in graph.stops}
    opened = [(a, b) for a, b in edges if a not in stops] + [(stop, 0) for stop in stops]
    for n, way in enumerate(graph.resumed):
        stop = next(n for n in stops if graph.blocks[n].leave == way.enter)
        opened += [("resumed %d" % n, b) for a, b in edges if a == stop] + [(1, "resumed %d" % n)]
    return opened


def _code_behind(graph, shape, number):
    """The blocks of code that may follow, over ways."""
    work, seen = list(shape.successors[number]), set()
    while work:
        n = work.pop()
        if n not in seen:
            seen.add(n)
            work += shape.successors[n] if graph.blocks[n].kind == WAY else []
    return [n for n in seen if graph.blocks[n].kind != WAY]


def _rank(nodes, edges):
    """Rank of the incidence matrix."""
    above = {n: n for n in nodes}

    def find(n):
        while above[n] != n:
            above[n] = above[above[n]]
            n = above[n]
        return n

    joined = 0
    for a, b in edges:
        a, b = find(a), find(b)
        joined += a != b
        above[a] = b
    return joined
