"""Which counters an optimising compiler adds up at once, behind their loop.

What is counted in each turn of a loop that runs from one value to another is the
number of its turns, and the compiler knows that without counting (gcc: final
value replacement). Such a hit takes no time, and doesn't keep the loop from being
vectorised. So it is where nothing in the loop may read or write the counters: no
call, no object of their type in memory, and none of characters, which may lie
anywhere. No count depends on this: such counters are preferred to others, and their
hits are charged less.
"""

import re

from .source import may_change
from .weights import LOOP_TRIPS

_STEP = re.compile(r"\s*(?:(\w+)\s*(?:\+\+|--|[-+]=\s*\w+)|(?:\+\+|--)\s*(\w+))\s*$")
_TEST = re.compile(r"((?:[][()\w\s.+*/%-]|->)+?)(?:<=|>=|!=|<|>(?!=))((?:[][()\w\s.+*/%-]|->)+)$")
_CALL = re.compile(r"\b(?!sizeof\b)[A-Za-z_]\w*\s*\(")
_OTHERWISE = re.compile(r"\b(?:break|return|goto|for|while|do|switch|asm|__asm__|__asm|volatile)\b")
_IN_MEMORY = re.compile(r"([A-Za-z_]\w*)(?=\s*\[)|(?:->|\.|\*[\s(*+-]*)\s*([A-Za-z_]\w*)")  # a[i], p->x, *p
_CALLS = frozenset("abs fabs fabsf sqrt sqrtf".split())


def accesses(test, step, body):
    """Of a loop of these parts, as text, that runs from one value to another: where in its body names stand by which memory
    is read or written. None: of any other loop."""
    by, ends = _STEP.match(step), _TEST.match(test)
    if not by or not ends or _CALL.search(test) or _OTHERWISE.search(body):
        return None
    if (by[1] or by[2]) not in (ends[1].strip(), ends[2].strip()):
        return None
    if any(may_change(name, body) for name in re.findall(r"[A-Za-z_]\w*", test)):
        return None
    return {match.start(match.lastindex) for match in _IN_MEMORY.finditer(body)}


def mark(graph, shape, reaches_counters):
    """Marks the blocks that such loops pass in each turn. `reaches_counters` tells of the place of such a name."""
    for number, loop in shape.loops.items():
        places = graph.blocks[number].accesses
        if places is None or any(name not in _CALLS for n in loop for name in graph.blocks[n].calls) \
                or any(map(reaches_counters, places)):
            continue
        latches = [n for n in shape.predecessors[number] if n in loop]
        for n in loop:
            if all(shape.dominates(n, latch) for latch in latches):
                graph.blocks[n].summed = graph.blocks[number].trips or LOOP_TRIPS
