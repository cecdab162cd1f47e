"""One translation unit: from the preprocessed text to the instrumented one."""

import os
import re
from collections import Counter

from . import cfg, entries, insert, noreturn, parse, placement, promises, reach, stops, summed, weights, wraps
from .packed import packed
from .graph import PLAIN, WAY, Unclear
from .source import Source, decoded, without_digraphs

TIMED, MAY_NOT_RETURN, UNTOUCHED, STOPS_KNOWN, STATIC, REPLACES = 1, 2, 4, 8, 16, 32  # flags of pfc__function_t
AMID = 256                                     # of enum pfc__block_kind, a bit
# A target without what the rest is compiled for: probes can't be inlined there.
_FORBIDS = r"(?:(?:__)?(?:no_instrument_function|naked|interrupt|musttail|target_clones)(?:__)?\b" \
    r"|(?:__)?target(?:__)?\s*\([^()]*(?:[\",]\s*(?:no-|general-regs-only)|\+no))"
_ATTRIBUTE_FORBIDS = re.compile(r"__attribute(?:__)?\s*\(\((?:[^()]|\([^()]*\))*?\b" + _FORBIDS
                                + r"|\[\[[^\]]*\b" + _FORBIDS)
_CALLER_SHOWS = re.compile(r"\b__builtin_(?:apply_args|apply|return|va_arg_pack|va_arg_pack_len)\b")
_INLINE = re.compile(r"\b(?:__)?inline(?:__)?\b|\balways_inline\b|\b__always_inline__\b")
_POINTER = re.compile(r"\(\s*\*\s*(?:const\s+|volatile\s+)*(\w+)\s*[)\[]")
_EARLY = frozenset("memcpy memmove memset memcmp strlen strchr strcmp strncmp".split())  # a static program's start calls them
_CLEANUP = re.compile(r"\b_*cleanup_*\s*\(\s*(\w+)\s*\)")
_HIDES_CALLS = re.compile(r"\b_*(?:asm|cleanup)_*\b")
_CHOOSES = re.compile(r"\b(?:_Generic|__builtin_choose_expr)\b")
_DIMENSION = re.compile(r"[][][^][;{}]+")
_CALLS_NOBODY = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|'
                           r"__attribute(?:__)?\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
_CALLED = re.compile(r"(?<!\.)(?<!->)\b(?!(?:_Generic|__builtin_\w+|sizeof|__?alignof_*|_Alignof|__typeof\w*|typeof\w*|__attribute\w*|__extension__|"
                     r"if|for|while|switch|return|case)\b)([A-Za-z_$][\w$]*)\s*\(")
_IFUNC = re.compile(r'\b(?:__)?ifunc(?:__)?\s*\(\s*"([^"]+)"')

_OCTAL = ["\\%03o" % byte for byte in range(256)]  # as no character set changes them
_OWN = "perfcomp.h", "perfcomp_mpi.h"           # a runtime that measured itself would never end
_ENTER = " pfc__token_t pfc__k __attribute__((cleanup(pfc__unit_end))) = " \
    "pfc__unit_begin(&pfc__sites[%d], pfc__stack_pointer()); "


class Result:
    """The instrumented text, and what was done."""

    def __init__(self):
        self.text = None
        self.graphs = []
        self.untouched = []                    # (function, why)
        self.timed = self.blocks = self.counters = 0


class Unit:
    """Analyses a preprocessed text and writes the instrumented one. `locate`, if given, moves a
    graph's slots to another text before counters are placed. `compiled`: gives the names of the functions that are
    left in its plain object, or None where that isn't known."""

    def __init__(self, text, name, options, parser_arguments, locate=None, compiled=lambda: None, optimised=False):
        text = without_digraphs(text)
        self.source = Source(text, name)
        self.options = options
        self.name = name
        self._compiled = compiled
        self.result = Result()
        self.graphs = self.result.graphs
        self.shapes = []
        self._filtered = set()
        self._untouched = []
        self._noreturn = noreturn.names(text)
        self._ifuncs = set(_IFUNC.findall(text)) if "ifunc" in text else ()
        unit = parse.Unit(text, parser_arguments)
        try:
            self._definitions, self._declared, self._variables = unit.definitions()
            own = reach.reached(self.source, self._definitions)
            functions = unit.with_bodies(own)
            errors = unit.errors()
            for function in functions:
                self._analyse(function, errors)
            for graph, shape in zip(self.graphs, self.shapes) if optimised else ():
                summed.mark(graph, shape, text, unit.reaches_counters)
            library = placement.RETURNING.difference(function.name for function in own)
            self._library = library | self._headers_returning(unit, own, errors, library)
        finally:
            unit.close()
        interruptible, self._returns = placement.find_interruptible(self.graphs, self.shapes, self._library)
        for number, graph in enumerate(self.graphs):
            if graph.alone and not self.options.exact:  # nothing else tells what wasn't run behind a call that didn't return
                self.graphs[number], self.shapes[number] = self._graph(graph.function, lambda name: not self._returns(name))
        vertex = 1
        for graph in self.graphs:
            vertex = placement.number_vertices(graph, vertex)
            graph.interruptible = graph in interruptible and not graph.alone
        self._place(locate)

    def _analyse(self, function, errors):
        source, text = self.source, self.source.text
        file, _, _ = source.place(function.start)
        named = decoded(function.name), source.path(file)
        if os.path.basename(source.files[file]) in _OWN or not self.options.wants(*named):
            return
        try:
            self._refuse_errors(function, errors)
            if _ATTRIBUTE_FORBIDS.search(text, source.declaration_start(function.start), function.end) or function.name in self._ifuncs:
                raise Unclear("its attributes forbid it")
            builtin = _CALLER_SHOWS.search(text, function.start, function.end)
            if builtin:
                raise Unclear("%s takes the function's own frame" % builtin[0])
            graph, shape = self._graph(function, lambda name: self.options.exact)
        except (Unclear, RecursionError) as why:
            self._leave(function, "it nests too deeply" if isinstance(why, RecursionError) else why)
            return
        self.graphs.append(graph)
        self.shapes.append(shape)
        if self.options.filter.has(*named):
            self._filtered.add(function.name)

    def _refuse_errors(self, function, errors):
        told = next((e for e in errors if function.start <= e[0] < function.end), None)
        if told:
            raise Unclear("the parser says in line %d: %s" % (self.source.place(told[0])[1], told[1]))

    def _headers_returning(self, unit, own, errors, library):
        """The names of functions that the system's headers define, as vector intrinsics, and the user's call, if they return soon
        in any case: without a loop, they call only their like. Those are the compiler's to inline."""
        theirs = {function.name: function for function in self._definitions}
        for function in own:
            theirs.pop(function.name, None)
        calls, new = {}, set().union(*map(placement.calls_of, self.graphs))
        while new := new & theirs.keys() - calls.keys():
            for function in unit.with_bodies([theirs[name] for name in new]):
                calls[function.name] = self._calls_of_header(function, errors)
            new = set().union(*(calls.get(name, ()) for name in new))
        for name in placement.recursive(calls):
            calls[name].add(None)
        return placement.calling_no_others(calls, lambda name, others: placement.surely_returns(library, name, others))

    def _calls_of_header(self, function, errors):
        """The names of what it calls; None is among them where it may not return, or isn't understood."""
        try:
            self._refuse_errors(function, [error for error in errors if parse.WANTS_CONSTANT not in error[1]])
            graph, shape = self._graph(function, lambda name: False)
        except (Unclear, RecursionError):
            return {None}
        unknown = graph.has_loop or graph.alone or graph.hides_calls or shape.may_hang()
        return placement.calls_of(graph) | ({None} if unknown else set())

    def _graph(self, function, ends_block):
        graph = cfg.Builder(self.source, function, self._noreturn, ends_block).build()
        graph.cleanups = set(_CLEANUP.findall(self.source.text, function.start, function.end)) | self._unseen(graph)
        graph.hides_calls = bool(_HIDES_CALLS.search(self.source.text, function.start, function.end))
        return graph, weights.estimate(graph)

    def _unseen(self, graph):
        """The names of what it calls where the tree has no calls: in types, as for an array's length, and in what the
        compiler chooses."""
        start, end = graph.function.start, graph.function.end
        text = _CALLS_NOBODY.sub("", self.source.code(start, end))
        names = set() if _CHOOSES.search(text) is None else set(_CALLED.findall(text))
        names.update(name for part in _DIMENSION.findall(text) for name in _CALLED.findall(part))
        written = Counter(_CALLED.findall(text)) if names else {}
        return {name for name in names if written[name] > graph.seen[name] + (name == graph.name)}

    def _leave(self, function, why):
        self._untouched.append(function)
        self.result.untouched.append((function.name, str(why)))

    def _place(self, locate):
        options = self.options
        untimed = self._untimed() if options.times_functions else {graph.name for graph in self.graphs}
        timed = {graph for graph in self.graphs if graph.name not in untimed}
        leaves = set() if options.times_blocks else placement.find_leaves(self.graphs, timed, self._library)
        wanted = self._wanted(locate)
        kept = [(graph, shape) for graph, shape in zip(self.graphs, self.shapes) if graph in wanted]
        self.result.graphs = self.graphs = [graph for graph, _ in kept]
        self.shapes = [shape for _, shape in kept]
        if options.completes:
            self._leave_out_entries(wanted)
        counted = [block for graph in self.graphs for block in wanted[graph]]
        for counter, block in enumerate(counted):
            block.counter = counter
        for graph in self.graphs:
            graph.timed, graph.leaf = graph in timed, graph in leaves
        self.result.counters = len(counted)
        self.result.blocks = sum(not block.dropped and block.kind != WAY
                                 for graph in self.graphs for block in graph.blocks)
        self.result.timed = sum(graph.timed for graph in self.graphs)

    @property
    def _counts_all(self):
        return self.options.all_blocks or self.options.exact

    def _wanted(self, locate):
        """Of each graph that is understood the blocks to be counted."""
        wanted = {}
        for graph in self.graphs:
            try:
                graph.bodies = [(place, self.source.place(place)) for place in graph.bodies]
                if locate:
                    locate(graph)
                wanted[graph] = self._wanted_of(graph)
            except Unclear as why:
                self._leave(graph.function, why)
        return wanted

    def _wanted_of(self, graph):
        options = self.options
        if options.counts_entries:
            graph.blocks, graph.regions = graph.blocks[:1], []
            graph.blocks[0].alone = True
            graph.blocks[0].source = graph.blocks[0].target = 0
        elif not options.counts_blocks:
            graph.blocks = []
            return []
        if any(not block.slots for block in graph.blocks):
            placement.drop_unknown(graph)
        wanted = placement.place_seldom_left(graph, self._returns) if graph.interruptible and not options.exact else None
        if wanted is None or self._counts_all:
            return placement.place(graph, graph.interruptible, self._counts_all)
        return wanted

    def _leave_out_entries(self, wanted):
        counted = {block for blocks in wanted.values() for block in blocks}
        for graph, calls in entries.find(self.source, self._definitions, self._declared, self.graphs, self._returns, counted).items():
            graph.entered_by = calls
            wanted[graph] = placement.place(graph, False, self.options.all_blocks, entry_follows=True)

    def _untimed(self):
        return (self._small_functions() | self._inlined() | self._asked_inline() | self._chained() | self._timed_by_hand()
                | self._called_early() | self._filtered)

    def _called_early(self):
        """A program's own in the place of what the C library calls to set up a static program's thread-local storage, without which
        there is no clock to read."""
        return {g.name for g in self.graphs} & _EARLY

    def _inlined(self):
        """Functions of few statements, whatever they call, that the compiler inlines in each of several places of the unit:
        timed, each would stay a call, and no subtraction mends that. One that is called in a single place is inlined for
        that alone, and may be what the user thinks in."""
        brief = {g.name for g, shape in zip(self.graphs, self.shapes) if self._runs_little(g, shape.searches())} - {"main"}
        calls = Counter(name for g in self.graphs for b in g.blocks for name in b.calls)
        several = {name for name in brief if calls[name] > 1}
        left = self._compiled() if several else None
        return several - left if left is not None else set()

    def _asked_inline(self):
        """Functions that the source wants inlined; likewise."""
        source = self.source
        heads = ((g.name, source.declaration_start(g.function.start), g.function.body.start) for g in self.graphs)
        return {name for name, start, body in heads if _INLINE.search(source.text, start, body)}

    def _chained(self):
        """Functions whose last step is a call through a pointer, or of one another and nothing else: the compiler jumps there, and
        an interpreter's, or a state machine's, may go on so without end. Timed, each would keep its frame, until the stack is full."""
        tails = {g.name: set(g.tails) for g in self.graphs if g.tails and g.name != "main"}
        if not tails:
            return set()
        pointers = {None}.union(_POINTER.findall(self.source.text)) - {g.name for g in self.graphs}
        chained = {g.name for g in self.graphs if g.name in tails and any(n in pointers or self._is_variable(n, g) for n in tails[g.name])}
        round_about = placement.recursive({name: last & tails.keys() for name, last in tails.items()})
        return chained | {g.name for g in self.graphs if g.name in round_about and not self._calls_otherwise(g) & round_about.keys()}

    def _is_variable(self, name, graph):
        """Whether it looks like one, in that function."""
        return bool(re.search(rf"\b{name}\s*(?:=(?!=)|[,;)])", self.source.text[graph.function.start:graph.function.end]))

    @staticmethod
    def _calls_otherwise(graph):
        """What it calls, but for its last steps."""
        return set(Counter(name for block in graph.blocks for name in block.calls) - Counter(graph.tails))

    def _timed_by_hand(self):
        """Functions with a PFC_FUNCTION of their own: they would be timed, and their calls counted, twice."""
        return {g.name for g in self.graphs if self.source.text.find("PFC__FUNCTION", g.function.start, g.function.end) >= 0}

    def _small_functions(self):
        """Functions not worth a clock read: they run few statements, no loop of unknown length, and as a rule call only
        such functions."""
        small = {g.name for g in self.graphs if self._runs_little(g)}
        small.discard("main")
        calls = {g.name: {name for b in g.blocks if b.usual for name in b.calls} for g in self.graphs if g.name in small}
        return placement.calling_no_others(calls, self._is_brief)

    def _runs_little(self, graph, searches=False):
        """Whether a call is likely to run few statements of its own. `searches`: so are its loops."""
        return (searches or not graph.has_loop) and sum(block.weight * block.statements for block in graph.blocks) < self.options.smallest

    def _is_brief(self, call, small):
        return call is not None and (call in small or call in self._library or call.startswith("__builtin_"))

    # --- the text ---

    def write(self, prelude, directory, compiler, threads):
        """The instrumented text."""
        tables, edits = self.parts(prelude, directory, compiler, threads, _ENTER)
        name = '"%s"' % c_escaped(self.name)
        self.result.text = "".join((
            "# 1 %s\n" % name, '# 1 "perfcomp.h" 1 3\n', "#pragma GCC visibility push(default)\n",
            prelude.text, "\n#pragma GCC visibility pop\n", tables, "\n# 1 %s 2\n" % name,
            edits.apply(promises.taken_out(prelude.left_out_of(self.source.text), self.source.is_system)),
            "\n", wraps.own(self.source, self._exported(compiler))))
        return self.result

    def _exported(self, compiler):
        """What other units find here by name. With -fcommon they may have the variables themselves, and nothing can stand for those."""
        variables = [] if "-fcommon" in compiler.split() else self._variables
        return [function.name for function in self._definitions if not function.static] + variables

    def parts(self, prelude, directory, compiler, threads, enter):
        """The unit's tables, and the insertions; `enter` is the format of what enters a region."""
        sites = {graph: n for n, graph in enumerate(g for g in self.graphs if g.timed)}
        bodies = [(graph, place, line) for graph in self.graphs for place, line in graph.bodies] \
            if self.options.times_blocks else []
        fetch = " unsigned long long *const pfc__c = pfc__mine(); " if threads else ""
        style = insert.Style(lambda block: "++pfc__c[%d]" % block.counter, fetch,
                             lambda graph: enter % sites[graph] if graph in sites else "")
        edits = insert.Edits()
        for graph in self.graphs:
            insert.instrument(edits, graph, style)
        for number, (_, place, _) in enumerate(bodies, len(sites)):
            edits.open(place, enter % number)
        return self._tables(prelude, sites, bodies, directory, compiler, threads), edits

    def _tables(self, prelude, sites, bodies, directory, compiler, threads):
        source, files = self.source, {}

        def file_number(number):
            return files.setdefault(number, len(files))

        functions, blocks, gaps, begins, number = [], [], [], {}, {}
        stopping = {graph: stops.find(graph, self._returns if self.options.completes else None) for graph in self.graphs if len(graph.blocks) > 1}
        for index, graph in enumerate(self.graphs):
            function = graph.function
            file, line, last, _ = source.lines(source.name_of(function), function.end)
            begins[graph] = file, line
            flags = TIMED * graph.timed + MAY_NOT_RETURN * graph.interruptible + STATIC * function.static \
                + STOPS_KNOWN * bool(graph in stopping and stopping[graph][1]) \
                + REPLACES * (not function.static and stops.is_librarys(function.name))
            functions.append('{"%s",%d,%d,%d,%d}' % (function.name, file_number(file), line, last, flags))
            if graph.blocks:
                gaps += ["{%d,%d,%d}" % (file_number(number), *lines)
                         for number, *lines in source.gaps(function.start, function.end)]
            shown = [block for block in graph.edges if not block.dropped]
            lineless = {block for block in shown if block.kind == WAY or (block.kind == PLAIN and source.is_beyond(block.start))}
            begins_line = {block: source.line_begun(block.start) for block in shown if block.kind == PLAIN and block not in lineless}
            begun = frozenset(begins_line.values())
            for block in shown:
                file, *lines = source.lines(block.start, block.end, begun)
                if block in lineless:
                    lines = 0, 0, 0
                amid = AMID * (begins_line.get(block, True) is None)
                number[block] = len(blocks)
                blocks.append((*lines, index, file_number(file), max(block.kind, PLAIN) | amid, block.counter, block.source, block.target))
        for function in self._untouched if self.options.counts_blocks else ():
            file, line, last, _ = source.lines(source.name_of(function), function.end)
            functions.append('{"%s",%d,%d,%d,%d}' % (function.name, file_number(file), line, last, UNTOUCHED))
        rows = []
        for graph in sites:
            file, line = begins[graph]
            rows.append(prelude.site_of("PFC__FUNCTION", '"%s"' % graph.name, line,
                                        '"%s"' % source.files[file], graph.leaf))
        for graph, _, (file, line, _) in bodies:
            rows.append(prelude.site_of("PFC__BLOCK", '"%s:%d"' % (graph.name, line), line,
                                        '"%s"' % source.files[file]))
        return self._table_text(prelude, functions, blocks, gaps, self._callers(number), self._sums(),
                                *self._stops(stopping, number), rows,
                                ['"%s"' % source.files[number] for number in files],
                                directory, compiler, threads)

    def _callers(self, number):
        """From which entries follow, by the blocks' numbers."""
        return ["{%d,%d}" % (number[graph.blocks[0]], number[call.block]) for graph in self.graphs for call in graph.entered_by]

    @staticmethod
    def _stops(stopping, number):
        """The calls that may not return, by the blocks' numbers; and the names of what is called, one behind the other."""
        rows, names, place = [], "", {None: 0}
        for found, _ in stopping.values():
            for block, callee, kind, sure in found:
                if callee not in place:
                    place[callee] = 1 + len(names.encode())
                    names += callee + "\0"
                rows.append("{%d,%d,%d,%d}" % (number[block], place[callee], kind, sure))
        return rows, "\0" + names

    def _sums(self):
        """Of each counter whether it is one of a sum (summed.py); empty: none is."""
        counted = sorted((b for g in self.graphs for b in g.blocks if b.counter is not None), key=lambda b: b.counter)
        return ["%d" % bool(b.summed) for b in counted] if any(b.summed for b in counted) else []

    def _table_text(self, prelude, functions, blocks, gaps, callers, sums, stopping, names, sites, files, directory, compiler,
                    threads):
        per_page = prelude.page // 8
        rounded = -(-self.result.counters // per_page) * per_page
        array, own = self.result.counters and not threads, self.result.counters and threads
        out = []
        if array:
            out.append("static unsigned long long pfc__c[%d] __attribute__((aligned(%d)));"
                       % (rounded, prelude.page))
        for kind, name, rows in (("const char *const", "paths", files), ("const pfc__function_t", "functions", functions),
                                 ("const pfc__gap_t", "gaps", gaps),
                                 ("const pfc__caller_t", "callers", callers), ("const unsigned char", "summed", sums),
                                 ("const pfc__stop_t", "stops", stopping), ("pfc__site_t", "sites", sites)):
            if rows:
                out.append("static %s pfc__%s[] = {%s};" % (kind, name, ",\n".join(rows)))
        table = packed(blocks)
        if table:
            out.append('static const unsigned char pfc__blocks[] = "%s";' % "".join(map(_OCTAL.__getitem__, table)))
        if own:
            out.append("static unsigned long long *pfc__own(void);")
        out.append(
            "static pfc__unit_t pfc__unit = {.abi = %d, .files = %d, .functions = %d, .blocks = %d, .gaps = %d, "
            ".counters = %d, .array_bytes = %d, .array = %s, .file = %s, .function = %s, .gap = %s, "
            '.name = "%s", .directory = "%s", .compiler = "%s", .own = %s, .summed = %s, .callers = %d, .caller = %s, '
            '.stops = %d, .names = %d, .stop = %s, .called = "%s", .packed_bytes = %d, .packed = %s};' % (
                prelude.abi, len(files), len(functions), len(blocks), len(gaps), self.result.counters,
                rounded * 8 if array else 0, "pfc__c" if array else "0",
                "pfc__paths" if files else "0", "pfc__functions" if functions else "0",
                "pfc__gaps" if gaps else "0",
                c_escaped(self.name), c_escaped(directory), c_escaped(compiler), "pfc__own" if own else "0",
                "pfc__summed" if sums else "0", len(callers), "pfc__callers" if callers else "0",
                len(stopping), len(names.encode()), "pfc__stops" if stopping else "0", c_escaped(names),
                len(table), "pfc__blocks" if table else "0"))
        out.append("extern void pfc__unit_register(pfc__unit_t *) __attribute__((weak));")
        out.append("static __attribute__((constructor, no_instrument_function)) void pfc__unit_start(void) "
                   "{ void (*registers)(pfc__unit_t *) = pfc__unit_register; if (registers) registers(&pfc__unit); }")
        out.append("extern void pfc__unit_unregister(pfc__unit_t *) __attribute__((weak));")
        out.append("static __attribute__((destructor(101), no_instrument_function)) void pfc__unit_stop(void) "
                   "{ void (*unregisters)(pfc__unit_t *) = pfc__unit_unregister; if (unregisters) unregisters(&pfc__unit); }")
        if threads:
            out.append(
                "static __thread unsigned long long *pfc__tc;\n"
                "static __inline__ __attribute__((always_inline, unused, no_instrument_function)) "
                "unsigned long long *pfc__mine(void) "
                "{ return __builtin_expect(pfc__tc != 0, 1) ? pfc__tc : pfc__unit_thread(&pfc__unit, &pfc__tc); }")
        if own:
            out.append("static __attribute__((noinline, no_instrument_function)) unsigned long long *pfc__own(void) "
                       "{ return pfc__mine(); }")
        return "\n".join(out) + "\n"


def c_escaped(text):
    """For a C string literal."""
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else "\\%03o" % b for b in os.fsencode(text))
