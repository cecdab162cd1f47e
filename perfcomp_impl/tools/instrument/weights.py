"""How often each block of a function is likely to run, from the shape of its graph alone.

A loop is taken to run five times, unless it counts from one number to another, a
way that ends the program hardly ever, nor one that does nothing but tell people of
it, one that the source calls unlikely one time in ten, others equally often. On five
programs the counters so placed executed 25.8 increments for 100 blocks; placed by a
real profile they would have executed 23.3 (measured without the rules on messages and
on loops that count). So of the heuristics of Ball & Larus (PLDI 1993) there are those
on loops and on errors; their one on returns gains nothing here.
"""

from .dominators import Dominators
from .graph import EXIT, WAY

LOOP_TRIPS = 5.0
COLD = 0.01
UNLIKELY = 0.1
UNREACHED = 1e-6


class Shape:
    """Successors, dominators and natural loops of a graph's blocks, by their index."""

    def __init__(self, graph):
        self.blocks = graph.blocks
        self.odds = _odds(graph)
        self.successors = [sorted(odds) for odds in self.odds]
        self.predecessors = [[] for _ in self.blocks]
        for number, targets in enumerate(self.successors):
            for target in targets:
                self.predecessors[target].append(number)
        met, parent, self.order = depth_first(self.successors)
        self._dominators = Dominators(met, parent, self.predecessors)
        self.loops = self._natural_loops()     # header: set of blocks
        self.depth = [0] * len(self.blocks)
        self.innermost = [None] * len(self.blocks)  # header of each block's smallest loop
        for header, body in sorted(self.loops.items(), key=lambda loop: len(loop[1]), reverse=True):
            for number in body:
                self.depth[number] += 1
                self.innermost[number] = header

    @property
    def dominator(self):
        """Of each block the immediate one; None for the entry, and where control doesn't come."""
        return self._dominators.above

    def dominates(self, above, below):
        return self._dominators.has(above, below)

    def may_hang(self):
        """Whether control may come where no way leads to the exit."""
        seen, work = {1}, [1]
        while work:
            for number in self.predecessors[work.pop()]:
                if number not in seen:
                    seen.add(number)
                    work.append(number)
        return any(number not in seen for number in self.order)

    def searches(self):
        """Whether every loop looks for something, which as a rule is soon found: it calls nothing, and has several ways out."""
        return all(sum(to not in body for n in body for to in self.successors[n]) > 1
                   and not any(self.blocks[n].calls for n in body) for body in self.loops.values())

    def _natural_loops(self):
        loops = {}
        reached = set(self.order)
        position = {number: index for index, number in enumerate(self.order)}
        back = ((tail, head) for tail in self.order for head in self.successors[tail]
                if position[head] <= position[tail] and self.dominates(head, tail))
        for tail, head in back:
            body, work = loops.setdefault(head, {head}), [tail]
            while work:
                number = work.pop()
                if number not in body:
                    body.add(number)
                    work += [p for p in self.predecessors[number] if p in reached]
        return loops


def _odds(graph):
    """Of each block the blocks that may follow it, reached from its leaving point without other code,
    and how likely each is beside the others, as far as the source says it."""
    follow = [[] for _ in range(graph.points)]
    for a, b in graph.follow:
        follow[a].append(b)
    entering = [[] for _ in range(graph.points)]
    for number, block in enumerate(graph.blocks):
        if number:                             # nothing is followed by ENTRY
            entering[block.enter].append(number)

    def hint(point):
        return UNLIKELY if point in graph.unlikely else 1.0

    def behind(point, odd):
        odds, seen, work = {}, {point}, [(point, odd)]
        while work:
            point, odd = work.pop()
            for number in entering[point]:
                other = graph.blocks[number]
                odds[number] = odd * (hint(other.leave) if other.kind == WAY else 1.0)
            for other in follow[point]:
                end, passed = ends.get(other, (other, 1.0))
                if end not in seen:
                    seen.add(end)
                    work.append((end, odd * hint(other) * passed))
        return odds

    ends, known = _ends(follow, entering, hint), {}
    result = []
    for block in graph.blocks:
        first = ends.get(block.leave, (block.leave, 1.0))
        if first not in known:                 # else it's where others lead, as computed gotos all do
            known[first] = behind(*first)
        result.append(known[first] if block.kind != EXIT else {})
    return result


def _ends(follow, entering, hint):
    """Where points lead that leave no choice, and how likely that is: as many as branches lie behind each other where a
    chain of else-ifs ends."""
    ends = {}
    for point in range(len(follow)):
        chain = []
        while point not in ends and not entering[point] and len(follow[point]) == 1:
            ends[point] = None                 # a loop without code leads to where it begins
            chain.append(point)
            point = follow[point][0]
        end, odd = ends.get(point) or (point, 1.0)
        for passed in reversed(chain):
            odd *= hint(point)
            ends[passed], point = (end, odd), passed
    return ends


def depth_first(successors):
    """The blocks that control comes to, in the order in which they are met; by way of which other block each is, by their
    numbers; and the blocks in reverse postorder."""
    met, left, parent = [0], [], [None] * len(successors)
    seen, work = {0}, [(0, iter(successors[0]))]
    while work:
        number, rest = work[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                met.append(target)
                parent[target] = number
                work.append((target, iter(successors[target])))
                break
        else:
            work.pop()
            left.append(number)
    return met, parent, left[::-1]


def estimate(graph):
    """Sets the weight of every block, and returns the shape."""
    shape = Shape(graph)
    cold = _cold(shape)
    flow = [0.0] * len(graph.blocks)
    flow[0] = 1.0
    position = {number: index for index, number in enumerate(shape.order)}
    shares = [_shares(shape, cold, number) for number in range(len(graph.blocks))]
    for number in shape.order:
        if number in shape.loops:
            flow[number] *= _visits(shape, number)
        total = sum(shares[number].values())
        for target, share in shares[number].items():
            if position[target] > position[number]:
                flow[target] += flow[number] * share / total
    usual = _usual(shares)
    for number, block in enumerate(graph.blocks):
        block.weight = max(flow[number], UNREACHED)
        block.usual = number in usual
    return shape


def _usual(shares):
    """Blocks that control may come to without an unlikely turn."""
    usual, work = {0}, [0]
    while work:
        ways = shares[work.pop()]
        least = UNLIKELY * max(ways.values(), default=0)
        likely = {target for target, share in ways.items() if share > least}
        work += likely - usual
        usual |= likely
    return usual


def _cold(shape):
    """Blocks from which every way ends the program, or only says something."""
    cold = {n for n, block in enumerate(shape.blocks) if block.ends or 0 < len(block.calls) == block.messages}
    for number in reversed(shape.order):
        targets = shape.successors[number]
        if targets and all(t in cold for t in targets):
            cold.add(number)
    return cold


def _trips(shape, header):
    """How often the loop's body is likely to run."""
    known = shape.blocks[header].trips
    return LOOP_TRIPS if known is None else max(known, COLD)


def _visits(shape, header):
    """How often the loop's header is, which also finds that it has ended."""
    known = shape.blocks[header].trips
    return LOOP_TRIPS if known is None else known + 1


def _shares(shape, cold, number):
    """How likely each block is that may follow, beside the others."""
    odds, header = shape.odds[number], shape.innermost[number]
    shares = {target: odds[target] * (COLD if target in cold else 1.0) for target in shape.successors[number]}
    if header is not None:
        loop, trips = shape.loops[header], _trips(shape, header)
        for target in shares:
            if target not in loop:
                shares[target] /= trips
    return shares
