"""What the control-flow graph of a function is made of.

A block is a straight-line piece of code: an edge from one point of the function
to another. Points are joined by `follow` edges along which control passes
without code in between. Two points that are joined carry the same flow, so that
the classes of joined points are the vertices of Knuth and Stevenson's reduced
graph, in which the blocks are the edges (see placement.py).

Each block knows the slot of the text where its counter can be put, if there is
one; several blocks may share a slot.
"""

import collections

from .classes import Classes

PLAIN, ENTRY, EXIT, WAY = 0, 1, 2, -1          # enum pfc__block_kind; WAY: no code, see cfg.py, Builder._way
ENDS = (ENTRY, EXIT)
BEFORE, AFTER, WRAP, TEST = "before", "after", "wrap", "test"


class Unclear(Exception):
    """The function isn't understood, and is left as it is."""


class Slot:
    """A place where increments can be inserted.

    BEFORE a statement (with braces up to `end`, if given), AFTER a statement
    (braces from `start`, if given), WRAP around an expression, TEST around a
    condition: `hits` when it is true, `misses` when it is false."""
    __slots__ = ("kind", "start", "end", "hits", "misses")

    def __init__(self, kind, start, end=None):
        self.kind = kind
        self.start = start
        self.end = end
        self.hits = []
        self.misses = []


class Block:
    """A straight-line piece of code, as an edge between two points."""
    __slots__ = ("kind", "start", "end", "enter", "leave", "slots", "alone", "statements", "calls", "spans", "steps", "tails", "messages", "late",
                 "weight", "usual", "trips", "summed", "counter", "source", "target", "ends", "leaving", "blocked", "dropped", "behind", "settled",
                 "never")

    def __init__(self, kind, start, end, enter, leave):
        self.kind = kind
        self.start = start                     # of its first code in the text
        self.end = end
        self.enter = enter
        self.leave = leave
        self.slots = []                        # where it is counted: one, or for ENTRY and EXIT all of them
        self.alone = False                     # outside the flow: always has a counter of its own
        self.statements = 0                    # that begin here
        self.calls = []                        # names of the functions called; None: through a pointer
        self.spans = []                        # of each of these calls (start, end); None: it may be left out
        self.steps = []                        # where statements begin: what stands before in the block runs before
        self.tails = ()                        # of these, what a statement is at its end
        self.messages = 0                      # of these calls, those that are given words for people to read
        self.ends = False                      # the program
        self.settled = 0                       # so many of these calls, the first ones, are known not to end the block
        self.leaving = None                    # the first of these calls that is made once EXIT has been counted; None: none is
        self.late = 0                          # so many of these calls, the first ones, are made before the block is counted
        self.weight = 1.0                      # how often it is likely to run in a call,
        self.usual = True                      # and whether control comes here without an unlikely turn: see weights.py
        self.trips = None                      # of the loop whose first block it is, if they are known
        self.summed = 0                        # each of so many turns of a loop passes it, which costs nothing: see summed.py
        self.counter = None
        self.never = False                     # can't be reached, which needs no counter
        self.dropped = False                   # not in the tables: no counter, and nothing that it follows from
        self.behind = None                     # slot behind its last statement, if that is an expression's
        self.blocked = False                   # has code, but no place for a counter in the text that is written
        self.source = self.target = 0          # vertices of the reduced graph


class Region:
    """A structured block that OpenMP may run in other threads: they need their own counters.
    It gets braces up to `end`, if given."""
    __slots__ = ("start", "end", "turn")

    def __init__(self, start, end=None):
        self.start = start
        self.end = end
        self.turn = False                      # of a loop whose turns are said to be independent


class Graph:
    """The flow of one function."""

    def __init__(self, function):
        self.function = function
        self.name = function.name
        self.blocks = []                       # ENTRY and EXIT first
        self.slots = []
        self.regions = []
        self.bodies = []                       # places at the start of braced bodies that are entered there only
        self.points = 0
        self.follow = []                       # (point, point)
        self.tails = []                        # names of the functions whose call may be the last step; None: through a pointer
        self.cleanups = set()                  # names of the functions that are called where variables go out of scope, or unseen
        self.seen = collections.Counter()                  # how often a name is called where the tree shows it
        self.unlikely = set()                  # points, as __builtin_expect says
        self.has_loop = False                  # one whose trips aren't known
        self.entered_by = ()                   # the calls from which its entries follow (entries.py)
        self.alone = None                      # why every block counts for itself, if so
        self.stops = []                        # blocks with calls that may not return, if nothing else keeps flow from being conserved
        self.resumed = []                      # ways on which it comes back from them, where it leaves with them (placement.py)
        self.entry_offset = function.body.start + 1

    @property
    def edges(self):
        """Of the reduced graph."""
        return self.blocks + self.resumed

    def point(self):
        self.points += 1
        return self.points - 1


class Jumps:
    """Where break and continue go; the points are made when they are first needed."""
    __slots__ = ("on_break", "on_continue", "dispatch", "has_default", "loop")

    def __init__(self, loop):
        self.loop = loop
        self.on_break = self.on_continue = self.dispatch = None
        self.has_default = False


class Place:
    """A statement before which something can be inserted, at `start` if it is told."""
    __slots__ = ("node", "listed", "start", "slot")

    def __init__(self, node, listed, start=None):
        self.node = node
        self.listed = listed
        self.start = start
        self.slot = None


def contract_ways(graph):
    """Keeps the ways that part what else were one vertex: each of them brings an equation for its own
    frequency, so that no function needs more counters for them."""
    ways = [block for block in graph.blocks if block.kind == WAY]
    kept = [] if graph.alone else _not_in_series(graph, ways)
    while True:
        gone = set(ways).difference(kept)
        classes = Classes(graph.points)
        for a, b in graph.follow + [(way.enter, way.leave) for way in gone]:
            classes.join(a, b)
        parting = [way for way in kept if classes.join(way.enter, way.leave)]
        if len(parting) == len(kept):
            break
        kept = parting                         # the rest of a cycle doesn't part anything either
    graph.follow += [(way.enter, way.leave) for way in ways if way in gone]
    graph.blocks = [block for block in graph.blocks if block not in gone]


def _not_in_series(graph, ways):
    """Without those that lead to one block, which nothing else leads to."""
    leading = collections.Counter([b for _, b in graph.follow] + [way.leave for way in ways])
    going_on = collections.Counter([a for a, _ in graph.follow] + [block.enter for block in graph.blocks])
    starting = {block.enter for block in graph.blocks if block.kind != WAY}
    return [way for way in ways
            if not (leading[way.leave] == 1 and going_on[way.leave] == 1 and way.leave in starting)]
