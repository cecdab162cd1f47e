"""Puts the increments into the text."""

from .graph import AFTER, BEFORE, TEST, WRAP

_CLOSE, _OPEN = 0, 1                           # at one place: what ends stands before what begins
_FIRST = -1 << 62


class Style:
    """How things are written in the instrumented text."""

    def __init__(self, count, fetch, enter):
        self.count = count                     # format of an increment, given a block
        self.fetch = fetch                     # statement that gets a thread's counters, or ""
        self.enter = enter                     # function of a graph: statement that enters a region, or ""


class Edits:
    """Insertions by place. Of those that begin at one place the outer stand first, of those that
    end there the inner."""

    def __init__(self):
        self._edits = []

    def open(self, offset, text, end=None):
        self._edits.append((offset, _OPEN, _FIRST if end is None else -end, len(self._edits), text))

    def close(self, offset, text, start=None):
        self._edits.append((offset, _CLOSE, _FIRST if start is None else -start, -len(self._edits), text))

    def apply(self, text):
        pieces, position = [], 0
        for offset, _, _, _, insertion in sorted(self._edits):
            pieces.append(text[position:offset])
            pieces.append(insertion)
            position = offset
        pieces.append(text[position:])
        return "".join(pieces)


def instrument(edits, graph, style):
    """Adds a function's insertions."""
    counted = any(block.counter is not None for block in graph.blocks)
    head = style.enter(graph) + (style.fetch if counted else "")
    if head:
        edits.open(graph.entry_offset, head)
    for region in graph.regions if counted else ():  # its braces are wanted without threads, too
        text = style.fetch + " pfc__each_turn(); " * region.turn
        if region.end is None:
            edits.open(region.start, text)
        else:
            edits.open(region.start, " {" + text)
            edits.close(region.end, " }", region.start)
    for slot in graph.slots:
        hits = [style.count(b) for b in slot.hits if b.counter is not None]
        misses = [style.count(b) for b in slot.misses if b.counter is not None]
        if hits or misses:
            _WRITERS[slot.kind](edits, slot, hits, misses)


def _before(edits, slot, hits, _misses):
    text = "".join(" %s;" % hit for hit in hits) + " "
    if slot.end is None:
        edits.open(slot.start, text)
    else:
        edits.open(slot.start, " {" + text)
        edits.close(slot.end, " }", slot.start)


def _after(edits, slot, hits, _misses):
    text = "".join(" %s;" % hit for hit in hits) + " "
    if slot.end is None:
        edits.close(slot.start, text)
    else:
        edits.open(slot.end, " { ")
        edits.close(slot.start, text + "} ", slot.end)


def _wrap(edits, slot, hits, _misses):
    edits.open(slot.start, " (%s, " % ", ".join(hits), slot.end)
    edits.close(slot.end, ") ", slot.start)


def _test(edits, slot, hits, misses):
    yes, no = ", ".join(hits + ["1"]), ", ".join(misses + ["0"])
    edits.open(slot.start, " ((", slot.end)
    if hits and misses:
        edits.close(slot.end, ") ? (%s) : (%s)) " % (yes, no), slot.start)
    elif hits:
        edits.close(slot.end, ") && (%s)) " % yes, slot.start)
    else:
        edits.close(slot.end, ") || (%s)) " % no, slot.start)


_WRITERS = {BEFORE: _before, AFTER: _after, WRAP: _wrap, TEST: _test}
