"""Functions that are counted, not timed: it would disturb them more than it tells, or they can't be timed."""

import re
from collections import Counter

from . import placement

_INLINE = re.compile(r"\b(?:__)?inline(?:__)?\b|\balways_inline\b|\b__always_inline__\b")
_POINTER = re.compile(r"\(\s*\*\s*(?:const\s+|volatile\s+)*(\w+)\s*[)\[]")
_EARLY = frozenset("memcpy memmove memset memcmp strlen strchr strcmp strncmp".split())  # a static program's start calls them


class Untimed:
    """Of a unit's functions. `library`: the names of others that return soon; `smallest`: so many statements are worth a clock
    read; `compiled`: gives the names of the functions that are left in its plain object, or None where that isn't known."""

    def __init__(self, source, graphs, shapes, library, smallest, compiled):
        self._source, self._graphs, self._shapes = source, graphs, shapes
        self._library, self._smallest, self._compiled = library, smallest, compiled

    def names(self):
        return (self._small_functions() | self._inlined() | self._asked_inline() | self._chained() | self._timed_by_hand()
                | self._called_early())

    def _called_early(self):
        """A program's own in the place of what the C library calls to set up a static program's thread-local storage, without which
        there is no clock to read."""
        return {g.name for g in self._graphs} & _EARLY

    def _inlined(self):
        """Functions of few statements, whatever they call, that the compiler inlines in each of several places of the unit:
        timed, each would stay a call, and no subtraction mends that. One that is called in a single place is inlined for
        that alone, and may be what the user thinks in."""
        brief = {g.name for g, shape in zip(self._graphs, self._shapes) if self._runs_little(g, shape.searches())} - {"main"}
        calls = Counter(name for g in self._graphs for b in g.blocks for name in b.calls)
        several = {name for name in brief if calls[name] > 1}
        left = self._compiled() if several else None
        return several - left if left is not None else set()

    def _asked_inline(self):
        """Functions that the source wants inlined; likewise."""
        source = self._source
        heads = ((g.name, source.declaration_start(g.function.start), g.function.body.start) for g in self._graphs)
        return {name for name, start, body in heads if _INLINE.search(source.text, start, body)}

    def _chained(self):
        """Functions whose last step is a call through a pointer, or of one another and nothing else: the compiler jumps there, and
        an interpreter's, or a state machine's, may go on so without end. Timed, each would keep its frame, until the stack is full."""
        tails = {g.name: set(g.tails) for g in self._graphs if g.tails and g.name != "main"}
        if not tails:
            return set()
        pointers = {None}.union(_POINTER.findall(self._source.text)) - {g.name for g in self._graphs}
        chained = {g.name for g in self._graphs if g.name in tails and any(n in pointers or self._is_variable(n, g) for n in tails[g.name])}
        round_about = placement.recursive({name: last & tails.keys() for name, last in tails.items()})
        return chained | {g.name for g in self._graphs if g.name in round_about and not self._calls_otherwise(g) & round_about.keys()}

    def _is_variable(self, name, graph):
        """Whether it looks like one, in that function."""
        return bool(re.search(rf"\b{name}\s*(?:=(?!=)|[,;)])", self._source.text[graph.function.start:graph.function.end]))

    @staticmethod
    def _calls_otherwise(graph):
        """What it calls, but for its last steps."""
        return set(Counter(name for block in graph.blocks for name in block.calls) - Counter(graph.tails))

    def _timed_by_hand(self):
        """Functions with a PFC_FUNCTION of their own: they would be timed, and their calls counted, twice."""
        return {g.name for g in self._graphs if self._source.text.find("PFC__FUNCTION", g.function.start, g.function.end) >= 0}

    def _small_functions(self):
        """Functions not worth a clock read: they run few statements, no loop of unknown length, and as a rule call only
        such functions."""
        small = {g.name for g in self._graphs if self._runs_little(g)}
        small.discard("main")
        calls = {g.name: {name for b in g.blocks if b.usual for name in b.calls} for g in self._graphs if g.name in small}
        return placement.calling_no_others(calls, self._is_brief)

    def _runs_little(self, graph, searches=False):
        """Whether a call is likely to run few statements of its own. `searches`: so are its loops."""
        return (searches or not graph.has_loop) and sum(block.weight * block.statements for block in graph.blocks) < self._smallest

    def _is_brief(self, call, small):
        return call is not None and (call in small or call in self._library or call.startswith("__builtin_"))
