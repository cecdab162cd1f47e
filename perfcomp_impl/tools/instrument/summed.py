"""Which counters an optimising compiler keeps in a register, or does without, through a loop that runs often.

What each turn of an innermost loop counts is the number of its turns. Where nothing in the
loop may read or write the counters (no call, no object of their type in memory, and none of
characters, which may lie anywhere), the compiler counts these as it counts a variable of the
loop, or by one (gcc: store motion, induction variable optimisation), and where the loop runs
from one value to another, behind it (final value replacement), so that it can still be
vectorised. Such a hit takes next to no time (tests/bench/loops). No count depends on this: such
counters are preferred to others, and their hits are charged less.
"""

import re

from .weights import LOOP_TRIPS

_OTHERWISE = re.compile(r"\b(?:asm|__asm__|__asm|volatile)\b")
_IN_MEMORY = re.compile(r"([A-Za-z_]\w*)(?=\s*\[)|(?:->|\.|\*[\s(*+-]*)\s*([A-Za-z_]\w*)")  # a[i], p->x, *p
_CALLS = frozenset("abs fabs fabsf sqrt sqrtf".split())


def mark(graph, shape, text, reaches_counters):
    """Marks the blocks that such loops pass in each turn. `reaches_counters` tells of the place of a name by which memory
    is read or written."""
    for header, loop in shape.loops.items():
        if any(shape.innermost[n] != header for n in loop):
            continue
        if any(name not in _CALLS for n in loop for name in graph.blocks[n].calls):
            continue
        start, end = min(graph.blocks[n].start for n in loop), max(graph.blocks[n].end for n in loop)
        if _OTHERWISE.search(text, start, end) or \
                any(reaches_counters(match.start(match.lastindex)) for match in _IN_MEMORY.finditer(text, start, end)):
            continue
        latches = [n for n in shape.predecessors[header] if n in loop]
        for n in loop:
            if all(shape.dominates(n, latch) for latch in latches):
                graph.blocks[n].summed = graph.blocks[header].trips or LOOP_TRIPS
