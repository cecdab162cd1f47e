"""Which blocks get a counter: the fewest from which all frequencies follow.

Knuth & Stevenson (BIT 13, 1973): in the reduced graph, whose vertices are the
classes of joined points and whose edges are the blocks, what flows into a vertex
flows out of it. The blocks of a spanning tree need no counter; a tree of maximum
weight makes the number of increments executed the least. Ways between blocks are
edges, too, where they part a vertex (cfg.py): a condition that is hardly ever
false is then counted when it is false, as by Ball & Larus (TOPLAS 1994), with
no more counters than without.

A function that may be left in the middle, because something it calls doesn't
return, counts its entry and its exit: their difference tells how far flow was
not conserved. So does a recursive one: of any other a thread that is killed can
have been in the middle of one activation only, which bounds the difference.
Where such calls are seldom made, as those that report an error, it costs less to
let flow leave the function with them, and to count what comes back: then nothing
is lost on the way.
"""

from collections import Counter
from functools import partial

from .classes import Classes
from .graph import AFTER, ENDS, ENTRY, EXIT, WAY, Block, Unclear

# What gcc's headers define, and clang has as its own.
INSTRUCTIONS = ("__rdtsc __rdtscp _mm_clflush _mm_getcsr _mm_lfence _mm_mfence _mm_pause _mm_prefetch _mm_setcsr _mm_sfence "
                "_xgetbv _xsetbv").split()

# Library functions that always return. (C reserves their names, but a static function may have one.)
RETURNING = frozenset("""
abs labs llabs div ldiv memcpy memmove memset memcmp memchr strlen strnlen strcpy strncpy strcat strncat
strcmp strncmp strcasecmp strncasecmp strchr strrchr strstr strspn strcspn strpbrk strtol strtoul strtoll
strtoull strtod strtof toupper tolower isalpha isdigit isalnum isspace isupper islower isxdigit ispunct
isprint iscntrl isgraph sqrt sqrtf sin cos tan asin acos atan atan2 exp log log2 log10 pow fabs fabsf floor
ceil fmod fmin fmax ldexp frexp modf hypot round lround trunc rint cbrt sinh cosh tanh exp2 expm1 log1p
__errno_location __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __fpclassify __isnan __isinf
time clock getpid
""".split() + INSTRUCTIONS)
_LEAVING_BUILTINS = frozenset("__builtin_longjmp __builtin_exit __builtin_abort __builtin_trap "
                              "__builtin_unreachable __builtin_eh_return __builtin_apply".split())


def find_interruptible(graphs, shapes, library):
    """The graphs whose flow may not be conserved: left or stuck in the middle; and what tells of a name whether such a
    function always returns. `library`: those of RETURNING that are the library's here."""
    returns = partial(surely_returns, library)
    all_calls, inner, result = {}, {}, set()
    returning, named = set(), Counter(graph.name for graph in graphs) # several have one, where it is overloaded
    for graph, shape in zip(graphs, shapes):
        all_calls[graph] = calls_of(graph)
        inner[graph] = [block for number, block in enumerate(graph.blocks)
                        if not block.alone and not (shape.successors[number] == [1] and counted_before(block))]
        if shape.may_hang():
            result.add(graph)
        elif graph.function.static and not graph.alone and named[graph.name] == 1:
            returning.add(graph.name)
    static = {graph.name: graph for graph in graphs if graph.function.static}
    returning = calling_no_others({name: all_calls[static[name]] for name in returning}, returns)
    returns = partial(returns, returning=returning)
    result.update(static[name] for name in recursive({name: all_calls[static[name]] for name in returning}))
    for graph in graphs:
        stops = [block for block in inner[graph] if not all(map(returns, block.calls))]
        if not all(map(returns, graph.cleanups)):
            result.add(graph)
        elif stops and graph not in result and all(map(counted_before, stops)):
            graph.stops = stops
        if stops:
            result.add(graph)
    return result, returns


def find_leaves(graphs, timed, library):
    """The graphs that enter none of the timed ones: they call at most library functions that call nobody back, and
    static functions of which the same holds."""
    returns = partial(surely_returns, library)
    quiet = {graph for graph in graphs if not graph.alone and not graph.hides_calls}
    inside = calling_no_others({graph.name: calls_of(graph) for graph in quiet if graph.function.static and graph not in timed},
                               returns)
    return {graph for graph in quiet if all(returns(name, inside) for name in calls_of(graph))}


def calls_of(graph):
    return {name for block in graph.blocks for name in block.calls} | graph.cleanups


def calling_no_others(calls, may_call):
    """Those of the functions that call only one another, and what `may_call`, given the rest of them, allows besides."""
    names, others = set(calls), True
    while others:
        others = {name for name in names if not all(may_call(call, names) for call in calls[name])}
        names -= others
    return names


def recursive(calls):
    """Those of the functions that call themselves, be it through others of them; and what lies between two such."""
    size = None
    while size != len(calls):
        size = len(calls)
        called = set().union(*calls.values())
        calls = {name: inner & calls.keys() for name, inner in calls.items() if name in called and inner & calls.keys()}
    return calls


def counted_before(block):
    """Whether the block's counter stands before what it calls."""
    return not block.late and all(slot.kind != AFTER for slot in block.slots)


def surely_returns(library, name, returning):
    if name is None:
        return False
    if name.startswith(("__builtin_", "__atomic_", "__sync_")):
        return name not in _LEAVING_BUILTINS
    return name in returning or name in library


def number_vertices(graph, first):
    """Numbers the reduced graph's vertices, starting at `first`; returns the next free number."""
    classes = Classes(graph.points)
    for a, b in graph.follow:
        classes.join(a, b)
    numbers = {}
    for block in graph.blocks:
        if block.alone:
            continue
        for point in (block.enter, block.leave):
            numbers.setdefault(classes.find(point), first + len(numbers))
        block.source = numbers[classes.find(block.enter)]
        block.target = numbers[classes.find(block.leave)]
    return first + len(numbers)


def drop_unknown(graph):
    """Drops blocks that can't be counted and don't follow from others, such as both arms of a `?:` in a
    macro. Their vertices become one, so that the flow around them stays conserved."""
    for block in graph.blocks:
        block.dropped = block.alone and not _countable(block)
    while True:
        flowing = [b for b in graph.blocks if not b.alone and not b.dropped]
        index = {vertex: n for n, vertex in enumerate({v for b in flowing for v in (b.source, b.target)})}
        classes = Classes(len(index))
        stuck = next((b for b in flowing if not _countable(b)
                      and not classes.join(index[b.source], index[b.target])), None)
        if stuck is None:
            return
        stuck.dropped = True
        kept, gone = stuck.source, stuck.target
        for block in flowing:
            block.source = kept if block.source == gone else block.source
            block.target = kept if block.target == gone else block.target


def place_seldom_left(graph, returns):
    """As place() for a graph that may not return. Where fewer increments are needed so, flow leaves it with those calls, and
    comes back behind them. `returns` tells of a name whether that function always returns."""
    closed = place(graph, True)
    if not graph.stops or any(block.dropped for block in graph.stops):
        return closed
    targets = [block.target for block in graph.stops]
    _open(graph)
    try:
        opened = place(graph, False)
    except Unclear:
        opened = None
    if opened is None or _increments(opened) >= _increments(closed) \
            or any(block.kind == EXIT for block in opened) and may_miss_exit(graph, returns):
        for block, target in zip(graph.stops, targets):
            block.target = target
        graph.resumed = []
        return closed
    graph.interruptible = False
    for way in graph.resumed:
        for slot in way.slots:
            slot.hits.append(way)
    return opened


def _open(graph):
    """What comes back is counted behind the call's statement, or, where nothing can be put there, follows from the rest."""
    outside, followed, slots = graph.blocks[0].source, set(), set(graph.slots)
    for block in graph.stops:
        slot = block.behind if block.behind in slots else None
        if slot or block.target not in followed:
            way = Block(WAY, block.start, block.end, block.leave, block.leave)
            way.source, way.target, way.weight = outside, block.target, block.weight
            way.slots = [slot] if slot else []
            graph.resumed.append(way)
        if not slot:
            followed.add(block.target)
        block.target = outside


def _increments(counted):
    return sum(map(_weight, counted))


def may_miss_exit(graph, returns):
    """Whether a call right before the exit may keep it from being counted."""
    return any(block not in graph.stops and not all(map(returns, block.calls)) for block in graph.blocks)


def place(graph, may_not_return, every=False, entry_follows=False):
    """The blocks that need a counter; `every`: and all others that are code. `entry_follows`: from calls (entries.py)."""
    tree = {}
    # Among equals, but for rounding, the entry gets the counter: where it is zero, nothing can have been in flight.
    ordered = sorted((b for b in graph.edges if not b.alone and not b.dropped),
                     key=lambda b: (-round(_weight(b), 9), b.kind == ENTRY))
    vertices = {v: n for n, v in enumerate(sorted({v for b in ordered for v in (b.source, b.target)}))}
    classes = Classes(len(vertices))
    for block in ordered:
        forced = (may_not_return and block.kind in ENDS) or (entry_follows and block.kind == ENTRY)
        if not forced and classes.join(vertices[block.source], vertices[block.target]):
            tree[block] = True
    kept = [b for b in graph.edges if not b.dropped]
    for block in kept:
        if block not in tree and not _countable(block):
            raise Unclear("a block that can't be counted")
    follows = {b for b in kept if b in tree or (entry_follows and b.kind == ENTRY)}
    return [b for b in kept if b not in follows or (every and b.kind != WAY and _countable(b))]


def _countable(block):
    return not block.blocked and (block.slots or block.kind in ENDS)


def _weight(block):
    return block.weight / (block.summed or 1) if _countable(block) else float("inf")
