"""One translation unit: from the preprocessed text to the instrumented one."""

import os
import re
from collections import Counter

from . import cfg, entries, insert, noreturn, parse, placement, promises, reach, summed, weights, wraps
from .graph import WAY, Unclear
from .source import Source, decoded, without_digraphs
from .tables import Tables, c_escaped
from .untimed import Untimed

# A target without what the rest is compiled for: probes can't be inlined there.
_FORBIDS = r"(?:(?:__)?(?:no_instrument_function|naked|interrupt|musttail|target_clones)(?:__)?\b" \
    r"|(?:__)?target(?:__)?\s*\([^()]*(?:[\",]\s*(?:no-|general-regs-only)|\+no))"
_ATTRIBUTE_FORBIDS = re.compile(r"__attribute(?:__)?\s*\(\((?:[^()]|\([^()]*\))*?\b" + _FORBIDS
                                + r"|\[\[[^\]]*\b" + _FORBIDS)
_CALLER_SHOWS = re.compile(r"\b__builtin_(?:apply_args|apply|return|va_arg_pack|va_arg_pack_len)\b")
_CLEANUP = re.compile(r"\b_*cleanup_*\s*\(\s*(\w+)\s*\)")
_HIDES_CALLS = re.compile(r"\b_*(?:asm|cleanup)_*\b")
_CHOOSES = re.compile(r"\b(?:_Generic|__builtin_choose_expr)\b")
_DIMENSION = re.compile(r"[][][^][;{}]+")
_CALLS_NOBODY = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|'
                           r"__attribute(?:__)?\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
_CALLED = re.compile(r"(?<!\.)(?<!->)\b(?!(?:_Generic|__builtin_\w+|sizeof|__?alignof_*|_Alignof|__typeof\w*|typeof\w*|__attribute\w*|__extension__|"
                     r"if|for|while|switch|return|case)\b)([A-Za-z_$][\w$]*)\s*\(")
_IFUNC = re.compile(r'\b(?:__)?ifunc(?:__)?\s*\(\s*"([^"]+)"')

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
        untimed = {graph.name for graph in self.graphs}
        if options.times_functions:
            untimed = self._filtered | Untimed(self.source, self.graphs, self.shapes, self._library, options.smallest, self._compiled).names()
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
        tables = Tables(self.source, self.graphs, self._returns if self.options.completes else None)
        for function in self._untouched if self.options.counts_blocks else ():
            tables.add_untouched(function)
        tables.add_sites(prelude, sites, bodies)
        return tables.text(prelude, threads, self.name, directory, compiler), edits
