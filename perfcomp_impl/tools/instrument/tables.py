"""What an instrumented unit says of itself: its tables, and how it hands them over to the runtime. What they mean stands in
core/counters.h, at pfc__unit_t.
"""

import os

from . import stops
from .graph import PLAIN, WAY
from .packed import packed

TIMED, MAY_NOT_RETURN, UNTOUCHED, STOPS_KNOWN, STATIC, REPLACES = 1, 2, 4, 8, 16, 32  # flags of pfc__function_t
AMID = 256                                     # of enum pfc__block_kind, a bit

_OCTAL = ["\\%03o" % byte for byte in range(256)]  # as no character set changes them
_ELEMENTS = {"paths": "const char *const", "functions": "const pfc__function_t", "gaps": "const pfc__gap_t",
             "callers": "const pfc__caller_t", "summed": "const unsigned char", "stops": "const pfc__stop_t", "sites": "pfc__site_t"}
_UNIT = "static pfc__unit_t pfc__unit = {.abi = %d, .files = %d, .functions = %d, .blocks = %d, .gaps = %d, " \
    ".counters = %d, .array_bytes = %d, .array = %s, .file = %s, .function = %s, .gap = %s, " \
    '.name = "%s", .directory = "%s", .compiler = "%s", .own = %s, .summed = %s, .callers = %d, .caller = %s, ' \
    '.stops = %d, .names = %d, .stop = %s, .called = "%s", .packed_bytes = %d, .packed = %s};'
_REGISTRATION = """\
extern void pfc__unit_register(pfc__unit_t *) __attribute__((weak));
static __attribute__((constructor, no_instrument_function)) void pfc__unit_start(void) \
{ void (*registers)(pfc__unit_t *) = pfc__unit_register; if (registers) registers(&pfc__unit); }
extern void pfc__unit_unregister(pfc__unit_t *) __attribute__((weak));
static __attribute__((destructor(101), no_instrument_function)) void pfc__unit_stop(void) \
{ void (*unregisters)(pfc__unit_t *) = pfc__unit_unregister; if (unregisters) unregisters(&pfc__unit); }"""
_COUNTERS_OF_THREADS = """\
static __thread unsigned long long *pfc__tc;
static __inline__ __attribute__((always_inline, unused, no_instrument_function)) unsigned long long *pfc__mine(void) \
{ return __builtin_expect(pfc__tc != 0, 1) ? pfc__tc : pfc__unit_thread(&pfc__unit, &pfc__tc); }"""
_OWN_DECLARED = "static unsigned long long *pfc__own(void);"
_OWN = "static __attribute__((noinline, no_instrument_function)) unsigned long long *pfc__own(void) { return pfc__mine(); }"


class Tables:
    """Of these graphs. `returns`: of a name whether that function always returns; None: no count follows from others."""

    def __init__(self, source, graphs, returns):
        self._source, self._graphs = source, graphs
        self._files = {}                       # of the source's: their numbers here
        self._functions, self._blocks, self._gaps, self._sites = [], [], [], []
        self._begins, self._number = {}, {}    # of a graph: file and line; of a block: its number
        self._stops = {graph: stops.find(graph, returns) for graph in graphs if len(graph.blocks) > 1}
        for graph in graphs:
            self._add(graph)

    def _file(self, number):
        return self._files.setdefault(number, len(self._files))

    def _add(self, graph):
        function, stopping = graph.function, self._stops.get(graph)
        self._begins[graph] = self._add_function(
            function, TIMED * graph.timed + MAY_NOT_RETURN * graph.interruptible + STATIC * function.static
            + STOPS_KNOWN * bool(stopping and stopping[1]) + REPLACES * (not function.static and stops.is_librarys(function.name)))
        if graph.blocks:
            self._gaps += ["{%d,%d,%d}" % (self._file(file), *lines) for file, *lines in self._source.gaps(function.start, function.end)]
        self._add_blocks(graph, len(self._functions) - 1)

    def _add_function(self, function, flags):
        """The file and the line in which it begins."""
        file, line, last, _ = self._source.lines(self._source.name_of(function), function.end)
        self._functions.append('{"%s",%d,%d,%d,%d}' % (function.name, self._file(file), line, last, flags))
        return file, line

    def _add_blocks(self, graph, function):
        source = self._source
        shown = [block for block in graph.edges if not block.dropped]
        lineless = {block for block in shown if block.kind == WAY or (block.kind == PLAIN and source.is_beyond(block.start))}
        begins_line = {block: source.line_begun(block.start) for block in shown if block.kind == PLAIN and block not in lineless}
        begun = frozenset(begins_line.values())
        for block in shown:
            file, *lines = source.lines(block.start, block.end, begun)
            if block in lineless:
                lines = 0, 0, 0
            amid = AMID * (begins_line.get(block, True) is None)
            self._number[block] = len(self._blocks)
            self._blocks.append((*lines, function, self._file(file), max(block.kind, PLAIN) | amid, block.counter, block.source, block.target))

    def add_untouched(self, function):
        """One that had to be left as it is."""
        self._add_function(function, UNTOUCHED)

    def add_sites(self, prelude, graphs, bodies):
        """Where regions begin: functions, and then blocks."""
        files = self._source.files
        for graph in graphs:
            file, line = self._begins[graph]
            self._sites.append(prelude.site_of("PFC__FUNCTION", '"%s"' % graph.name, line, '"%s"' % files[file], graph.leaf))
        for graph, _, (file, line, _) in bodies:
            self._sites.append(prelude.site_of("PFC__BLOCK", '"%s:%d"' % (graph.name, line), line, '"%s"' % files[file]))

    def _callers(self):
        """From which entries follow."""
        number = self._number
        return ["{%d,%d}" % (number[graph.blocks[0]], number[call.block]) for graph in self._graphs for call in graph.entered_by]

    def _stopping(self):
        """The calls that may not return; and the names of what is called, one behind the other."""
        rows, names, place = [], "", {None: 0}
        for found, _ in self._stops.values():
            for block, callee, kind, sure in found:
                if callee not in place:
                    place[callee] = 1 + len(names.encode())
                    names += callee + "\0"
                rows.append("{%d,%d,%d,%d}" % (self._number[block], place[callee], kind, sure))
        return rows, "\0" + names

    def _sums(self, counted):
        """Of each counter whether it is one of a sum (summed.py); empty: none is."""
        return ["%d" % bool(block.summed) for block in counted] if any(block.summed for block in counted) else []

    def _rows(self, counted, stopping):
        """Of each table but the blocks'."""
        paths = ['"%s"' % self._source.files[number] for number in self._files]
        return {"paths": paths, "functions": self._functions, "gaps": self._gaps, "callers": self._callers(),
                "summed": self._sums(counted), "stops": stopping, "sites": self._sites}

    def text(self, prelude, threads, name, directory, compiler):
        """In C. `threads`: each has counters of its own."""
        counted = sorted((b for g in self._graphs for b in g.edges if b.counter is not None), key=lambda b: b.counter)
        per_page = prelude.page // 8
        elements = 0 if threads else -(-len(counted) // per_page) * per_page
        own = counted and threads
        stopping, names = self._stopping()
        rows, blocks = self._rows(counted, stopping), packed(self._blocks)
        place = {table: "pfc__" + table if of else "0" for table, of in rows.items()}
        out = ["static unsigned long long pfc__c[%d] __attribute__((aligned(%d)));" % (elements, prelude.page)] if elements else []
        out += ["static %s pfc__%s[] = {%s};" % (_ELEMENTS[table], table, ",\n".join(of)) for table, of in rows.items() if of]
        out += ['static const unsigned char pfc__blocks[] = "%s";' % "".join(map(_OCTAL.__getitem__, blocks))] if blocks else []
        out += [_OWN_DECLARED] if own else []
        out.append(_UNIT % (
            prelude.abi, len(rows["paths"]), len(self._functions), len(self._blocks), len(self._gaps),
            len(counted), elements * 8, "pfc__c" if elements else "0", place["paths"], place["functions"], place["gaps"],
            c_escaped(name), c_escaped(directory), c_escaped(compiler), "pfc__own" if own else "0",
            place["summed"], len(rows["callers"]), place["callers"],
            len(stopping), len(names.encode()), place["stops"], c_escaped(names), len(blocks), "pfc__blocks" if blocks else "0"))
        out.append(_REGISTRATION)
        out += [_COUNTERS_OF_THREADS] if threads else []
        out += [_OWN] if own else []
        return "\n".join(out) + "\n"


def c_escaped(text):
    """For a C string literal."""
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else "\\%03o" % b for b in os.fsencode(text))
