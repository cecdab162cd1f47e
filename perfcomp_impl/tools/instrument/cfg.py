"""A function's control-flow graph (graph.py) from its syntax tree: statements, and the blocks that they make."""

import bisect
import math
import re

from . import parse
from .classes import Classes
from .expressions import FALSE, RETURNS_UNEVENLY, TRUE, Expressions
from .graph import (AFTER, BEFORE, ENDS, ENTRY, EXIT, PLAIN, WAY, WRAP, Block, Graph, Jumps, Place, Region, Slot, Unclear,
                    contract_ways)
from .openmp import OpenMP
from .source import NAME, may_change

_LABEL_NAME = re.compile(r"\s*(" + NAME + ")")
_GOTO = re.compile(r"goto\s+(?:#[^\n]*\n\s*)*(" + NAME + ")")
_LABEL_ADDRESS = re.compile(r"&&\s*(" + NAME + ")")
_LOCAL_LABELS = re.compile(r"\s*(?:__extension__\s+)?__label__[^;]*;")
_ASM_GOTO = re.compile(r"(?:__)?asm(?:__)?\s+(?:(?:__)?(?:volatile|inline)(?:__)?\s+)*goto\b")
_LOOPS_JUMPS = frozenset([parse.BREAK, parse.CONTINUE])
_LEAVES_UNSEEN = re.compile(r"\bgoto\s*(?:#[^\n]*\n\s*)*\*|" + _ASM_GOTO.pattern)
_ATTRIBUTE = r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)\s*|\[\s*\[[^]]*\]\s*\]\s*|__extension__\s*"
_NO_CODE = re.compile(r"(?:" + _ATTRIBUTE + r")*(?:static|extern|typedef|__label__|_Static_assert|_Thread_local|__thread)\b")
_COUNTS_FROM = re.compile(r"[^=]*\b(\w+)\s*=\s*(-?\d+)[uUlL]*\s*;?\s*$")
_COUNTS_TO = re.compile(r"\s*(\w+)\s*(<|<=|>|>=|!=)\s*(-?\d+)[uUlL]*\s*$")
_COUNTS_BY = re.compile(r"\s*(?:(\w+)\s*(?:([-+])\2|([-+])=\s*(\d+)[uUlL]*)|([-+])\5\s*(\w+))\s*$")
_FALLTHROUGH = re.compile(r"(?:__attribute__|\[\[)")
_GAP = re.compile(r"(?:\s|;|__extension__|^#[^\n]*$)*\Z", re.M)
_ATTRIBUTES = re.compile(r"(?:\s|;|^#[^\n]*$)*((?:" + _ATTRIBUTE + r")+)\Z", re.M)


class Builder(Expressions, OpenMP):
    """Walks a function's tree and makes its graph. `ends_block`: whether a block ends at a call of that name."""

    def __init__(self, source, function, noreturn, ends_block):
        self.source, self.text = source, source.text
        self.graph = Graph(function)
        self.graph.source = source
        self.noreturn, self.ends_block = noreturn, ends_block
        self.block = None                      # the open block
        self.place = None                      # where an open block without a slot could get one
        self.jumps = []
        self.labels = {}
        self.labelled = None                   # where the labels begin behind which no code has come yet
        self.labels_cases = False              # whether they are cases
        self.indirect = None                   # point from which computed gotos start
        self.lone = 0                          # > 0: flow inside is counted for itself
        self.leaving = 0                       # > 0: in a value that is returned: the function's end was counted before
        self.inside = 0                        # > 0: in a statement expression, whose statements need not follow what stands before
        self.perhaps = 0                       # > 0: in an expression of which parts may be left out
        self.in_message = False                # inside a call that is given words
        self.entered = {}                      # whether statements may be jumped into: see _has_label
        self.leaves_unseen = [match.start() for match in _LEAVES_UNSEEN.finditer(self.text, function.start, function.end)]
        self.has_omp = "#pragma omp" in self.text[function.start:function.end]
        if "#pragma acc" in self.text[function.start:function.end]:
            raise Unclear("OpenACC")

    def build(self):
        graph, body = self.graph, self.graph.function.body
        outside = graph.point()
        first, last = graph.point(), graph.point()
        self.entry = Block(ENTRY, body.start, body.start + 1, outside, first)
        self.exit = Block(EXIT, body.end - 1, body.end, last, outside)
        graph.blocks += [self.entry, self.exit]
        while True:
            match = _LOCAL_LABELS.match(self.text, graph.entry_offset)
            if not match:
                break
            graph.entry_offset = match.end()
        self._take(self.entry, self._slot(BEFORE, graph.entry_offset))
        self.point = first
        self._compound(body)
        self._finish_body(body, last)
        self._finish_labels()
        self._finish_tails()
        self._isolate()
        return graph

    def _finish_body(self, body, last):
        self._close()
        if self.point is not None:
            self._join(self.point, last)
            self._take(self.exit, self._slot(BEFORE, body.end - 1))

    def _finish_labels(self):
        if self.indirect is not None:
            text = self.text[self.graph.function.start:self.graph.function.end]
            for name in set(_LABEL_ADDRESS.findall(text)):
                if name in self.labels:
                    self._join(self.indirect, self.labels[name])

    def _finish_tails(self):
        graph, classes = self.graph, Classes(self.graph.points)
        for a, b in graph.follow:
            classes.join(a, b)
        graph.tails += [name for block in graph.blocks if block.tails and classes.find(block.leave) == classes.find(self.exit.enter)
                        for name in block.tails]

    def _tails(self, node):
        """What is called if this is a call, or chooses between calls."""
        while node.kind in (parse.UNEXPOSED, parse.PAREN, parse.CAST) and node.children:
            node = node.children[-1]
        if node.kind == parse.CONDITIONAL:
            return [name for arm in node.children[1:] for name in self._tails(arm)]
        return [self._callee(node)] if node.kind == parse.CALL else []

    def _isolate(self):
        """Where flow isn't conserved every block counts for itself, and what can't is dropped."""
        graph = self.graph
        for block in graph.blocks:
            block.alone = not block.never and (block.alone or graph.alone is not None)
        graph.blocks = [b for b in graph.blocks if b.slots or b.kind in ENDS or not b.alone]
        contract_ways(graph)

    # --- points and blocks ---

    def _slot(self, kind, start, end=None):
        slot = Slot(kind, start, end)
        self.graph.slots.append(slot)
        return slot

    @staticmethod
    def _take(block, slot, side=True):
        block.slots.append(slot)
        (slot.hits if side else slot.misses).append(block)

    def _join(self, a, b):
        self.graph.follow.append((a, b))

    def _begin(self, start, end, slot=None, side=True):
        graph = self.graph
        if self.point is None:
            self.point = graph.point()         # code that can't be reached
        if self.labelled is not None and self.source.follows(self.labelled, start):
            start, self.labelled = self.labelled, None
        self._end_labels()                     # else #line says they are of two files
        block = Block(PLAIN, self.source.first_code(start), end, self.point, graph.point())
        if slot is None and self.place is not None:
            slot = self._place_slot()
        if slot is not None:
            self._take(block, slot, side)
        block.alone = self.lone > 0
        graph.blocks.append(block)
        self.block = block
        return block

    def _place_slot(self):
        place = self.place
        if place.slot is None:
            node = place.node
            start = place.start or self.source.before_pragmas(node.start)
            if place.listed:
                place.slot = self._slot(BEFORE, start)
            elif node.kind == parse.IF and not node.children[0].constant:
                place.slot = self._slot(WRAP, node.children[0].start, node.children[0].end)
            else:
                place.slot = self._slot(BEFORE, start, self._end(node))
        return place.slot

    def _touch(self, start, end, slot=None):
        """Code stands here; that of another file, as of what is included amid a function, has blocks of its own, and so has
        what #line sets back before the open block's first line, as flex does at each rule."""
        if self.block is not None and not self.source.follows(self.block.start, start):
            self._close()
        if self.block is None:
            self._begin(start, end, slot)
        else:
            if not self.block.slots and (slot or self.place):
                self._take(self.block, slot or self._place_slot())
                self.block.late = len(self.block.calls)
            self.block.end = max(self.block.end, end)
            self.block.tails = ()
            self.block.behind = None

    def _statement_at(self, start, end):
        """A statement stands here."""
        self._touch(start, end)
        self.block.statements += 1
        if not self.inside:
            self.block.steps.append(start)

    def _close(self):
        """The open block ends; its leaving point is the current one."""
        self._end_labels()
        if self.block is not None:
            self.point = self.block.leave
            self.block = None

    def _end_labels(self):
        """Labels that aren't followed by code which is passed as often as they, as before a loop, are a block of their own."""
        start, self.labelled = self.labelled, None
        if start is not None and self.place is not None:
            self._begin(start, start + len(self.text[start:self.place.node.start].rstrip()))
            self._close()

    def _at(self, point):
        self._close()
        self.point = point

    def _way(self, start, end, point, slot, side):
        """Control goes from here to `point` when the condition is true (`side`), or false. As a block without
        code this way can have a counter, in place of one that control passes more often."""
        way = Block(WAY, start, end, self.point, point)
        self._take(way, slot, side)
        self.graph.blocks.append(way)

    def _jump(self, point):
        """Control goes from here to `point`, and what follows can only be reached otherwise."""
        self._close()
        if self.point is not None:
            self._join(self.point, point)
        self.point = None

    def _arrive(self, point):
        """`point` is reached from here, and from elsewhere."""
        self._close()
        if self.point is not None:
            self._join(self.point, point)
        self.point = point

    def _leave(self, place, node):
        """The function is left by the statement at `place`, unless what is evaluated there for it jumps elsewhere."""
        self.exit.blocked = self.exit.blocked or self._jumps_out(node)
        if not self.leaving:                   # else it's counted already
            before, self.place = self.place, place
            slot = self._place_slot()
            self.place = before
            if self.exit not in slot.hits:
                self._take(self.exit, slot)
        self._jump(self.exit.enter)

    def _jumps_out(self, node, inside=frozenset()):
        """Whether a goto is in it, or what leaves a loop or a switch around it. `inside`: what belongs to those in it."""
        if node.kind in (parse.GOTO, parse.INDIRECT_GOTO) or (node.kind in _LOOPS_JUMPS and node.kind not in inside):
            return True
        if node.kind in (parse.WHILE, parse.DO, parse.FOR):
            inside = _LOOPS_JUMPS
        elif node.kind == parse.SWITCH:
            inside = inside | {parse.BREAK}
        return any(self._jumps_out(child, inside) for child in node.children)

    def _may_leave(self, node):
        """Whether control that comes into this code, which has no counters, may leave it otherwise than at its end."""
        return self._jumps_out(node) or self._leaves(node)

    def _leaves(self, node):
        """Whether a return is in it, an asm goto, or what OpenMP gives to other threads."""
        return node.kind == parse.RETURN or node.kind > parse.DECLARATION \
            or (node.kind == parse.ASM and bool(_ASM_GOTO.match(self.text, node.start))) or any(map(self._leaves, node.children))

    # --- statements ---

    def _end(self, node):
        """Behind the statement's last character, its semicolon included."""
        kind = node.kind
        if kind in (parse.COMPOUND, parse.NULL, parse.DECLARATION):
            return node.end
        if kind in (parse.IF, parse.WHILE, parse.FOR, parse.SWITCH, parse.LABEL, parse.CASE, parse.DEFAULT):
            return self._end(node.children[-1])
        if kind == parse.UNEXPOSED_STMT and node.children:
            return self._end(node.children[-1])
        end = self.source.semicolon(node.end)
        if end is None:
            raise Unclear("no end of the statement")
        return end

    def _compound(self, node, value=False):
        """The statements of a block; `value`: the last one is the value of a statement expression."""
        text, position = self.text, node.start + 1
        if text[node.start] != "{" or text[node.end - 1] != "}":
            raise Unclear("braces made by something else")
        for child in node.children:
            child.start = self._first_word(position, child.start)
            self._statement(child, True, value and child is node.children[-1])
            position = self._end(child)
        self._check_gap(position, node.end - 1)

    def _first_word(self, start, end):
        """Where the statement at `end` begins, with the attributes that the parser leaves out."""
        text = self.text
        if text.startswith(("__", "["), self.source.skip(start)):
            match = _ATTRIBUTES.match(text, start, end)
            if match and match[1]:
                return match.start(1)
        self._check_gap(start, end)
        return end

    def _check_gap(self, start, end):
        """Nothing that the parser has dropped may stand between two statements."""
        if not _GAP.match(self.text, start, end) or start > end:
            raise Unclear("code that the parser doesn't show")

    def _statement(self, node, listed, is_value=False):
        if self.has_omp:
            directives = self.source.omp(node.start)
            if directives:
                self._omp(node, listed, directives)
                return
        self._plain_statement(node, listed, is_value)

    def _plain_statement(self, node, listed, is_value=False, start=None):
        """One without directives; `start`: where to insert before it."""
        kind = node.kind
        self.place = Place(node, listed, start)
        handler = self._HANDLERS.get(kind)
        if handler is not None:
            handler(self, node, listed)
        elif kind >= 200:
            raise Unclear("a statement of kind %d" % kind)
        else:
            self._expression_statement(node, listed, is_value)

    def _body(self, node):
        """A statement that needn't be in braces."""
        if node.kind == parse.COMPOUND and not (self.has_omp and self.source.omp(node.start)):
            self.place = None
            if not self._has_label(node) and not self._is_left_unseen(node):
                self.graph.bodies.append(node.start + 1)
            self._compound(node)
        else:
            self._statement(node, False)

    def _has_label(self, node, in_switch=False):
        """Whether a goto or a switch outside may jump into the statement. The answers are kept: of a nest each is asked."""
        if node.kind < 200:
            return False
        if (node, in_switch) not in self.entered:
            inner = in_switch or node.kind == parse.SWITCH
            self.entered[node, in_switch] = node.kind == parse.LABEL or (node.kind in (parse.CASE, parse.DEFAULT) and not in_switch) \
                or any([self._has_label(child, inner) for child in node.children])
        return self.entered[node, in_switch]

    def _is_left_unseen(self, node):
        """Whether a computed goto or an asm goto stands in it."""
        first = bisect.bisect_left(self.leaves_unseen, node.start)
        return first < len(self.leaves_unseen) and self.leaves_unseen[first] < node.end

    def _expression_statement(self, node, listed, is_value):
        place = self.place
        self._statement_at(node.start, node.end)
        if self._is_noreturn(node):
            self.block.leaving = len(self.block.calls)
            self._isolated(node)
            if self.block is not None:
                self.block.ends = True
            self._leave(place, node)
            return
        self.place = None
        self._value(node)
        if self.block is not None:
            self.block.tails = self._tails(node)
        self._after(node, listed, is_value)

    def _after(self, node, listed, is_value=False):
        """Gives the rest of an expression a slot behind its statement, when it has none yet."""
        block = self.block
        if block is not None and not is_value and (block.calls or not block.slots):
            block.behind = self._slot(AFTER, self._end(node), None if listed else node.start)
            if not block.slots:
                self._take(block, block.behind)
                block.late = len(block.calls)
        self._end_piece(block)

    def _end_piece(self, block):
        if block is None:
            return
        calls, block.settled = block.calls[block.settled:], len(block.calls)
        if any(name in RETURNS_UNEVENLY or self.ends_block(name) for name in calls):
            self._close()

    def _is_noreturn(self, node):
        while node.kind in (parse.UNEXPOSED, parse.PAREN, parse.CAST) and node.children:
            node = node.children[-1]
        return node.kind == parse.CALL and self._called(node) in self.noreturn

    def _has(self, kind, node):
        return node.kind == kind or any(self._has(kind, child) for child in node.children)

    def _isolated(self, node):
        """An expression that is the function's last: when what it calls doesn't return, flow inside
        it isn't conserved, so that what branches there counts for itself."""
        self.place = None
        self.lone += 1
        block, inside = self.block, len(self.graph.blocks)
        self._value(node)
        self.lone -= 1
        for inner in self.graph.blocks[inside:]:
            if not inner.slots:                # it won't be kept
                block.calls += inner.calls
                block.spans += [None] * len(inner.calls)
        self.block, self.point = block, block.leave

    def _declaration(self, node, listed):
        text = self.text
        if text[node.end - 1] != ";":
            raise Unclear("no end of the declaration")
        if _NO_CODE.match(text, node.start):
            return
        initialised = any("=" in text[v.start:v.end] for v in node.children if v.kind == parse.VAR)
        if not initialised and "[" not in text[node.start:node.end]:
            return
        self._statement_at(node.start, node.end)
        self.place = None
        for variable in node.children:
            init = self._initialiser(variable) if variable.kind == parse.VAR else None
            for child in variable.children:
                if child is init or (not initialised and self._is_length(child)):
                    self._value(child)
                else:
                    self._calls_inside(child)
        self._after(node, listed)

    def _is_length(self, node):
        """Whether it's a length that is evaluated where the array is declared; a constant must stay one."""
        return 100 <= node.kind < 200 and node.constant is None and parse.is_length(self.text, node.end) \
            and self.text[max(0, node.start - 80):node.start].rstrip().endswith("[")

    def _initialiser(self, variable):
        if not variable.children:
            return None
        last = variable.children[-1]
        before = self.source.code(variable.start, last.start).rstrip()
        return last if before.endswith("=") and not before.endswith("==") else None

    def _null(self, node, listed):
        if not listed or self.labelled is not None:
            self._touch(node.start, node.end)

    def _inner_compound(self, node, listed):
        self.place = None
        self._compound(node)

    def _asm(self, node, listed):
        self._statement_at(node.start, node.end)
        if _ASM_GOTO.match(self.text, node.start):
            self.graph.alone = "asm goto"
            self._close()

    def _if(self, node, listed):
        if not 2 <= len(node.children) <= 3:
            raise Unclear("an if with missing parts")
        condition, then = node.children[:2]
        otherwise = node.children[2] if len(node.children) == 3 else None
        self._statement_at(node.start, self._first_end(condition))
        self.place = None
        yes, no, after = self.graph.point(), self.graph.point(), self.graph.point()
        self._condition(condition, yes, no)
        self._at(yes)
        self._body(then)
        self._jump(after)
        self._at(no)
        if otherwise:
            self._body(otherwise)
        self._jump(after)
        self._at(after)

    def _loop_body(self, body, top):
        """A loop's body, with the guarantee that a cycle has a block."""
        blocks = len(self.graph.blocks)
        self._body(body)
        if top is not None and len(self.graph.blocks) == blocks and self.block is None:
            self._begin(body.start, body.end, self._slot(BEFORE, body.end - 1))
        return blocks

    def _parts(self, node):
        if len(node.children) != 2:
            raise Unclear("a statement with missing parts")
        return node.children

    def _while(self, node, listed):
        condition, body = self._parts(node)
        self.graph.has_loop = True
        jumps, top = Jumps(True), self.graph.point()
        jumps.on_break, jumps.on_continue = self.graph.point(), top
        self._arrive(top)
        endless = self._literal(TRUE, condition)
        if not endless:
            self._begin(node.start, self._first_end(condition), self._slot(WRAP, condition.start, condition.end))
            yes = self.graph.point()
            self.place = None
            self._condition(condition, yes, jumps.on_break)
            self._at(yes)
        self.jumps.append(jumps)
        self._loop_body(body, top if endless else None)
        self.jumps.pop()
        self._jump(top)
        self._at(jumps.on_break)

    def _do(self, node, listed):
        body, condition = self._parts(node)
        graph = self.graph
        once = self._literal(FALSE, condition)
        jumps, top = Jumps(True), graph.point()
        if not once:
            graph.has_loop = True
            self._arrive(top)
        self.jumps.append(jumps)
        self._body(body)
        self.jumps.pop()
        if jumps.on_continue is not None:
            self._arrive(jumps.on_continue)
        if not once:
            after = jumps.on_break = graph.point() if jumps.on_break is None else jumps.on_break
            self.place = None
            self._touch(condition.start, self._first_end(condition), self._slot(WRAP, condition.start, condition.end))
            self._condition(condition, top, graph.point() if self._literal(TRUE, condition) else after)
            self._at(after)
        elif jumps.on_break is not None:
            self._arrive(jumps.on_break)

    def _for(self, node, listed):
        start, condition, step, body = self._for_parts(node)
        graph, trips = self.graph, self._trips(start, condition, step, body)
        graph.has_loop = graph.has_loop or trips is None
        if start is not None:
            self._for_start(node.start, start)
        jumps, top = Jumps(True), graph.point()
        jumps.on_break, jumps.on_continue = graph.point(), (graph.point() if step else top)
        self._arrive(top)
        endless = condition is None or self._literal(TRUE, condition)
        if not endless:
            self.place = None
            first = node if start is None else condition
            head = self._begin(first.start, self._first_end(condition), self._slot(WRAP, condition.start, condition.end))
            head.trips = trips
            yes = graph.point()
            self._condition(condition, yes, jumps.on_break)
            self._at(yes)
        self.jumps.append(jumps)
        self._loop_body(body, top if endless and not step else None)
        self.jumps.pop()
        if step:
            self._arrive(jumps.on_continue)
            self.place = None
            self._begin(step.start, step.end, self._slot(WRAP, step.start, step.end))
            self._value(step)
        self._jump(top)
        self._at(jumps.on_break)

    def _trips(self, *parts):
        """How often a loop runs whose variable counts from one number to another; None: not known."""
        if None in parts:
            return None
        start, condition, step, body = (self.source.code(part.start, part.end) for part in parts)
        first, last, by = _COUNTS_FROM.match(start), _COUNTS_TO.match(condition), _COUNTS_BY.match(step)
        if not first or not last or not by or not first[1] == last[1] == (by[1] or by[6]):
            return None
        if may_change(first[1], body):
            return None
        upwards = (by[2] or by[3] or by[5]) == "+"
        if upwards != (last[2] in ("<", "<=", "!=")):
            return None
        way = (int(last[3]) - int(first[2])) * (1 if upwards else -1) + (last[2] in ("<=", ">="))
        stride = int(by[4] or 1)
        if not stride or (last[2] == "!=" and (way < 0 or way % stride)):
            return None                        # it goes past the end
        return max(0, math.ceil(way / stride))

    def _for_start(self, first, start):
        if start.kind == parse.DECLARATION:
            if not _NO_CODE.match(self.text, start.start):
                self._touch(first, start.end)
                self.place = None
                for variable in start.children:
                    init = self._initialiser(variable)
                    if init is not None:
                        self._value(init)
        else:
            self._touch(first, start.end)
            self.place = None
            self._value(start)

    def _for_parts(self, node):
        """Which of its children is the initialisation, the condition, the step, the body."""
        parts, semicolons = [None, None, None], 0
        position = self.text.index("(", node.start) + 1
        for child in node.children[:-1]:
            semicolons += self.source.code(position, child.start).count(";")
            if semicolons > 2 or parts[semicolons] is not None:
                raise Unclear("a for with more parts than it has")
            parts[semicolons] = child
            position = child.end
            if child.kind == parse.DECLARATION:
                semicolons += 1
        body = node.children[-1]
        if semicolons + self.source.code(position, body.start).count(";") != 2:
            raise Unclear("a for with missing parts")
        return parts[0], parts[1], parts[2], body

    def _switch(self, node, listed):
        value, body = self._parts(node)
        self._statement_at(node.start, value.end)
        self.place = None
        self._value(value)
        self._close()
        if self.point is None:
            self.point = self.graph.point()    # code that can't be reached
        jumps = Jumps(False)
        jumps.dispatch, jumps.on_break = self.point, self.graph.point()
        self._at(None)
        self.jumps.append(jumps)
        self._body(body)
        self.jumps.pop()
        self._jump(jumps.on_break)
        if not jumps.has_default:
            self._join(jumps.dispatch, jumps.on_break)
        self._at(jumps.on_break)

    def _case(self, node, listed):
        switch = next((j for j in reversed(self.jumps) if j.dispatch is not None), None)
        if switch is None:
            raise Unclear("a case outside of a switch")
        if node.kind == parse.DEFAULT:
            switch.has_default = True
        label = self.graph.point()
        self._arrive_at_label(label, node)
        self._join(switch.dispatch, label)
        self._statement(node.children[-1], listed)

    def _label(self, node, listed):
        name = _LABEL_NAME.match(self.text, node.start)
        if not name or len(node.children) != 1:
            raise Unclear("a label without a name")
        self._arrive_at_label(self._label_point(name[1]), node)
        self._statement(node.children[0], listed)

    def _arrive_at_label(self, point, node):
        """The block behind it begins with it. So it does with the cases of one switch that stand right before it, which
        couldn't be told from one another without counters between them, that the first would have to pass."""
        is_case = node.kind != parse.LABEL
        if self.labelled is not None and not (is_case and self.labels_cases):
            self._end_labels()
        first, self.labelled, self.place = node.start if self.labelled is None else self.labelled, None, None
        self._arrive(point)
        self.labelled, self.labels_cases = first, is_case

    def _label_point(self, name):
        if name not in self.labels:
            self.labels[name] = self.graph.point()
        return self.labels[name]

    def _goto(self, node, listed):
        name = _GOTO.match(self.text, node.start)
        if not name:
            raise Unclear("a goto without a label")
        self._touch(node.start, node.end)
        self._jump(self._label_point(name[1]))

    def _indirect_goto(self, node, listed):
        self._touch(node.start, node.end)
        self.place = None
        for child in node.children:
            self._value(child)
        if self.indirect is None:
            self.indirect = self.graph.point()
        self._jump(self.indirect)

    def _break(self, node, listed):
        self._touch(node.start, node.end)
        self._jump(self._target("on_break", lambda j: True))

    def _continue(self, node, listed):
        self._touch(node.start, node.end)
        self._jump(self._target("on_continue", lambda j: j.loop))

    def _target(self, name, wanted):
        for jumps in reversed(self.jumps):
            if wanted(jumps):
                if getattr(jumps, name) is None:
                    setattr(jumps, name, self.graph.point())
                return getattr(jumps, name)
        raise Unclear("a jump out of nothing")

    def _return(self, node, listed):
        place = self.place
        self.graph.tails += self._tails(node.children[0]) if node.children else self.block.tails if self.block else []
        self._statement_at(node.start, node.end)
        self.block.leaving = len(self.block.calls)
        self.leaving += 1
        if node.children and self._has(parse.CALL, node.children[0]):
            self._isolated(node.children[0])
        elif node.children:
            self.place = None
            self._value(node.children[0])
        self.leaving -= 1
        self._leave(place, node)

    def _unexposed(self, node, listed):
        """A statement with attributes, or behind a loop pragma."""
        if _FALLTHROUGH.match(self.text, node.start):
            if len(node.children) == 1 and node.children[0].kind == parse.NULL:
                self.place = None
                return
            raise Unclear("a statement with attributes")
        if len(node.children) != 1 or node.children[0].kind < 200:
            raise Unclear("a statement of an unknown kind")
        statement = node.children[0]
        if "assume_safety" in self.text[node.start:statement.start] and statement.kind in (parse.FOR, parse.WHILE):
            self._independent(statement.children[-1])
        self._statement(statement, listed)

    def _independent(self, body):
        """Of a loop whose turns the source says to be so."""
        if body.kind == parse.COMPOUND:
            region = Region(body.start + 1)
        else:
            region = Region(self.source.before_pragmas(body.start), self._end(body))
        region.turn = True
        self.graph.regions.append(region)

    _HANDLERS = {
        parse.COMPOUND: _inner_compound, parse.DECLARATION: _declaration, parse.NULL: _null,
        parse.ASM: _asm, parse.IF: _if, parse.WHILE: _while, parse.DO: _do, parse.FOR: _for,
        parse.SWITCH: _switch, parse.CASE: _case, parse.DEFAULT: _case, parse.LABEL: _label,
        parse.GOTO: _goto, parse.INDIRECT_GOTO: _indirect_goto, parse.BREAK: _break,
        parse.CONTINUE: _continue, parse.RETURN: _return, parse.UNEXPOSED_STMT: _unexposed,
    }
