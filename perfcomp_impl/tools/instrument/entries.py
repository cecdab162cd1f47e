"""Functions whose entries need no counter: they are entered as often as the blocks that call them run.

That takes that all of their calls are known, as those of a static function are whose name stands nowhere else, that
nothing in a calling block keeps it from making the call once it has been counted, and that they always return, or let flow
leave with what doesn't: of others it must be known which activations a forked process has taken over. What may be off in a
calling block is off in all that follows from it, so that a function that is hardly ever called, or would be exact otherwise,
keeps its counter where a caller may not return.
"""

from collections import Counter, namedtuple

from . import placement, reach

Call = namedtuple("Call", "caller block span")

_SELDOM = 1.0                                  # calls, as estimated, in one of each of the callers


def find(source, definitions, declared, graphs, returns, counted):
    """Of each such graph its calls. `declared` tells how many declarations a static function's name has, `returns` of a
    name whether that function always returns, `counted` are the blocks that have a counter."""
    defined = Counter(function.name for function in definitions)  # several times, where a name is overloaded
    candidates = {g.name: g for g in graphs if g.function.static and not g.interruptible and not g.alone and defined[g.name] == 1
                  and not (g.resumed and placement.may_miss_exit(g, returns))}
    for name in placement.recursive({name: placement.calls_of(graph) for name, graph in candidates.items()}):
        del candidates[name]
    calls = _known_calls(source, definitions, declared, graphs, candidates) if candidates else {}
    return {candidates[name]: found for name, found in calls.items()
            if all(_in_step(call, returns) for call in found)
            and (_often(found) and not candidates[name].resumed
                 or all(call.block in counted or not call.caller.interruptible for call in found))}


def _known_calls(source, definitions, declared, graphs, candidates):
    """The calls of those of them that are called, and whose names stand nowhere else."""
    calls, seen = {}, Counter()
    for graph in graphs:
        for block in graph.blocks:
            for name, span in zip(block.calls, block.spans):
                if name in candidates and not block.dropped:
                    calls.setdefault(name, []).append(Call(graph, block, span))
                    seen[graph.function, name] += 1
    for name in _otherwise_used(source.text, definitions, declared, set(calls), seen):
        del calls[name]
    return {name: found for name, found in calls.items()
            if all(call.span for call in found) and len({call.span for call in found}) == len(found)}


def _otherwise_used(text, definitions, declared, names, seen):
    """The names that stand somewhere besides their declarations and the calls seen. Outside of bodies that may be a
    parameter's name or an array's dimension, or code of a function that the parser couldn't read."""
    other, outside = set(), Counter()
    for start, end in reach.outside(text, definitions):
        other |= reach.names_outside(text[start:end])
        outside.update(_of(names, text, start, end))
    for function in definitions:
        found = Counter(_of(names, text, reach.body(text, function), function.end))
        other.update(name for name, times in found.items() if times != seen[function, name])
    return names & (other | {name for name in names if outside[name] != declared[name]})


def _of(names, text, start, end):
    return (name for name in reach.NAME.findall(text, start, end) if name in names)


def _in_step(call, returns):
    """Whether the call is made whenever its block has been counted: what may come before returns. Nor is it made before:
    a thread that is stopped in the call has made it."""
    block = call.block
    if not placement.counted_before(block) or not all(map(returns, call.caller.cleanups)):  # they run anywhere in it
        return False
    return all(returns(name) for name, span in zip(block.calls, block.spans) if _may_precede(call, span))


def _may_precede(call, span):
    """Whether the call of the block that stands at `span` may be made before this one."""
    start, end = call.span
    if span is None:
        return True
    holds = span[0] <= start and end <= span[1]                # it is itself, or its operand holds this one
    return not holds and not any(end <= step <= span[0] for step in call.block.steps)


def _often(calls):
    return sum(call.block.weight for call in calls) >= _SELDOM
