"""--list and --dot: the control-flow graph, the dominators, the loops, and why a block has a counter."""

from .graph import ENDS, ENTRY, EXIT, WAY

_KINDS = {ENTRY: "entry", EXIT: "exit"}


def _describe(graph, source, number):
    block = graph.blocks[number]
    if block.kind in ENDS:
        return _KINDS[block.kind]
    line, last = _lines(source, block)
    if block.kind == WAY:
        return "line %d %s" % (line, _side(block))
    return "line %d" % line if line == last else "lines %d-%d" % (line, last)


def _side(block):
    if not block.slots:
        return "(a macro's way)"
    return "true" if block in block.slots[0].hits else "false"


def _lines(source, block):
    return source.lines(block.start, block.end)[1:3]


def _reason(graph, block):
    if block.dropped:
        return "not known: a macro makes it, and nothing that it follows from can be counted"
    if block.alone:
        return "counted for itself: " + (graph.alone or "evaluated where the function may be left")
    if block.counter is not None and graph.interruptible and block.kind in ENDS:
        return "counted: entries and exits differ when something called doesn't return"
    if block.counter is not None:
        return "counted: closes a cycle of the flow graph (%d -> %d)" % (block.source, block.target)
    if block.kind == ENTRY and graph.entered_by:
        return "follows from its calls, in %s" % ", ".join(sorted({call.caller.name for call in graph.entered_by}))
    if block.blocked or not block.slots:
        return "follows from others (nothing can be put there)"
    return "follows from others (%d -> %d is in the spanning tree)" % (block.source, block.target)


def listing(unit):
    """A text for people."""
    out = []
    for graph, shape in zip(unit.graphs, unit.shapes):
        counted = sum(b.counter is not None for b in graph.edges)
        out.append("%s: %d blocks, %d counters%s" % (
            graph.name, len(graph.blocks), counted, ", timed" if graph.timed else ""))
        for number, block in enumerate(graph.blocks):
            dominator = shape.dominator[number]
            out.append("  %3d %-14s -> %-14s dominated by %-4s loop depth %d  estimate %-9.4g %s%s" % (
                number, _describe(graph, unit.source, number),
                " ".join(map(str, shape.successors[number])) or "-",
                "-" if dominator is None else dominator, shape.depth[number], block.weight,
                "" if block.counter is None else "[%d] " % block.counter, _reason(graph, block)))
        for way in graph.resumed:
            out.append("      back from what %d calls, which may not return: %s" % (
                next(n for n, block in enumerate(graph.blocks) if block.leave == way.enter),
                "follows from others" if way.counter is None else "[%d] counted" % way.counter))
        for head, body in sorted(shape.loops.items()):
            out.append("      loop at %d: blocks %s" % (head, " ".join(map(str, sorted(body)))))
        out.append("")
    for name, why in unit.result.untouched:
        out.append("%s: left as it is: %s" % (name, why))
    return "\n".join(out) + "\n"


def dot(unit):
    """The graphs for Graphviz: counted blocks are filled."""
    out = ["digraph perfcomp {", "  node [shape=box, fontname=monospace];"]
    for index, (graph, shape) in enumerate(zip(unit.graphs, unit.shapes)):
        out.append('  subgraph cluster_%d { label="%s";' % (index, graph.name))
        for number, block in enumerate(graph.blocks):
            out.append('    b%d_%d [label="%d: %s%s"%s];' % (
                index, number, number, _describe(graph, unit.source, number),
                "" if block.counter is None else "\\ncounter %d" % block.counter,
                "" if block.counter is None else ", style=filled"))
        for number, targets in enumerate(shape.successors):
            out += ["    b%d_%d -> b%d_%d;" % (index, number, index, target) for target in targets]
        out.append("  }")
    return "\n".join(out + ["}"]) + "\n"
