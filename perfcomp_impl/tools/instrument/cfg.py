"""Control-flow graph of a function, from its syntax tree.

A block is a straight-line piece of code: an edge from one point of the function
to another. Points are joined by `follow` edges along which control passes
without code in between. Two points that are joined carry the same flow, so that
the classes of joined points are the vertices of Knuth and Stevenson's reduced
graph, in which the blocks are the edges (see placement.py).

Each block knows the slot of the text where its counter can be put, if there is
one; several blocks may share a slot.
"""

import collections
import re

from . import parse
from .classes import Classes

PLAIN, ENTRY, EXIT, WAY = 0, 1, 2, -1          # enum pfc__block_kind; WAY: no code, see Builder._way
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
    __slots__ = ("kind", "start", "end", "enter", "leave", "slots", "alone", "statements", "calls", "messages",
                 "weight", "usual", "counter", "source", "target", "ends", "blocked", "dropped")

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
        self.messages = 0                      # of these calls, those that are given words for people to read
        self.ends = False                      # the program
        self.weight = 1.0                      # how often it is likely to run in a call,
        self.usual = True                      # and whether control comes here without an unlikely turn: see weights.py
        self.counter = None
        self.dropped = False                   # not in the tables: no counter, and nothing that it follows from
        self.blocked = False                   # has code, but no place for a counter in the text that is written
        self.source = self.target = 0          # vertices of the reduced graph


class Region:
    """A structured block that OpenMP may run in other threads: they need their own counters.
    It gets braces up to `end`, if given."""
    __slots__ = ("start", "end")

    def __init__(self, start, end=None):
        self.start = start
        self.end = end


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
        self.unlikely = set()                  # points, as __builtin_expect says
        self.has_loop = False
        self.alone = None                      # why every block counts for itself, if so
        self.entry_offset = function.body.start + 1

    def point(self):
        self.points += 1
        return self.points - 1


_LABEL_NAME = re.compile(r"\s*([A-Za-z_$][\w$]*)")
_GOTO = re.compile(r"goto\s+(?:#[^\n]*\n\s*)*([A-Za-z_$][\w$]*)")
_LABEL_ADDRESS = re.compile(r"&&\s*([A-Za-z_$][\w$]*)")
_LOCAL_LABELS = re.compile(r"\s*(?:__extension__\s+)?__label__[^;]*;")
_TRUE = re.compile(r"[\s(]*[1-9]\d*[uUlL]*[\s)]*$")
_FALSE = re.compile(r"[\s(]*0[uUlL]*[\s)]*$")
_UNEVALUATED = re.compile(r"__builtin_(?:choose_expr|offsetof|va_arg|types_compatible_p|constant_p|"
                          r"object_size|dynamic_object_size|classify_type)\b|_Generic\b|__alignof|_Alignof")
_LITERAL = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_WORDS = re.compile(r"\S \S")
_CALLEE = re.compile(r"[\s(]*([A-Za-z_$][\w$]*)[\s)]*$")
_ASM_GOTO = re.compile(r"(?:__)?asm(?:__)?\s+(?:(?:__)?(?:volatile|inline)(?:__)?\s+)*goto\b")
_NO_CODE = re.compile(r"(?:__extension__\s+)?(?:static|extern|typedef|__label__|_Static_assert|_Thread_local|__thread)\b")
_FALLTHROUGH = re.compile(r"(?:__attribute__|\[\[)")
_GAP = re.compile(r"(?:\s|;|__extension__|^#[^\n]*$)*\Z", re.M)
_ATTRIBUTES = re.compile(r"(?:\s|;|^#[^\n]*$)*((?:__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)\s*|"
                         r"__extension__\s*)+)\Z", re.M)
_OMP_LOOP = re.compile(r"\b(?:for|simd|taskloop|loop|distribute|tile|unroll)\b")
_OMP_BLOCK = re.compile(r"(?:parallel|task|single|master|masked|critical|sections|section|ordered|scope|"
                        r"taskgroup)\b")
_OMP_UNCLEAR = re.compile(r"(?:target|teams|distribute|declare|metadirective|begin|end|dispatch|scan|"
                          r"tile|unroll)\b|.*\b(?:depend\s*\(\s*(?:source|sink)|scan)")
_OMP_NEST = re.compile(r"\b(?:collapse|ordered)\s*\(\s*(\d+)\s*\)")
_OMP_ATOMIC = re.compile(r"atomic\b")

RETURNS_TWICE = frozenset("setjmp _setjmp sigsetjmp __sigsetjmp savectx vfork getcontext "
                          "__builtin_setjmp __vfork".split())


class _Jumps:
    """Where break and continue go; the points are made when they are first needed."""
    __slots__ = ("on_break", "on_continue", "dispatch", "has_default", "loop")

    def __init__(self, loop):
        self.loop = loop
        self.on_break = self.on_continue = self.dispatch = None
        self.has_default = False


class _Place:
    """A statement before which something can be inserted."""
    __slots__ = ("node", "listed", "slot")

    def __init__(self, node, listed):
        self.node = node
        self.listed = listed
        self.slot = None


class Builder:
    """Walks a function's tree and makes its graph."""

    def __init__(self, source, function, noreturn, exact=False):
        self.source, self.text = source, source.text
        self.graph = Graph(function)
        self.graph.source = source
        self.noreturn, self.exact = noreturn, exact
        self.block = None                      # the open block
        self.place = None                      # where an open block without a slot could get one
        self.jumps = []
        self.labels = {}
        self.indirect = None                   # point from which computed gotos start
        self.lone = 0                          # > 0: flow inside is counted for itself
        self.in_message = False                # inside a call that is given words
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

    def _isolate(self):
        """Where flow isn't conserved every block counts for itself, and what can't is dropped."""
        graph = self.graph
        for block in graph.blocks:
            block.alone = block.alone or graph.alone is not None
        graph.blocks = [b for b in graph.blocks if b.slots or b.kind in ENDS or not b.alone]
        _contract_ways(graph)

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
        block = Block(PLAIN, start, end, self.point, graph.point())
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
            start = self.source.before_pragmas(node.start)
            if place.listed:
                place.slot = self._slot(BEFORE, start)
            elif node.kind == parse.IF and not node.children[0].constant:
                place.slot = self._slot(WRAP, node.children[0].start, node.children[0].end)
            else:
                place.slot = self._slot(BEFORE, start, self._end(node))
        return place.slot

    def _touch(self, start, end, slot=None):
        """Code stands here."""
        if self.block is None:
            self._begin(start, end, slot)
        else:
            if not self.block.slots and (slot or self.place):
                self._take(self.block, slot or self._place_slot())
            self.block.end = max(self.block.end, end)

    def _statement_at(self, start, end):
        """A statement stands here."""
        self._touch(start, end)
        self.block.statements += 1

    def _close(self):
        """The open block ends; its leaving point is the current one."""
        if self.block is not None:
            self.point = self.block.leave
            self.block = None

    def _at(self, point):
        self.block = None
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

    def _leave(self, place):
        """The function is left by the statement at `place`."""
        before, self.place = self.place, place
        slot = self._place_slot()
        self.place = before
        if slot not in self.exit.slots:
            self._take(self.exit, slot)
        self._jump(self.exit.enter)

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
        if text.startswith("__", self.source.skip(start)):
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
        kind = node.kind
        if self.has_omp:
            directives = self.source.omp(node.start)
            if directives:
                self._omp(node, listed, directives)
                return
        self.place = _Place(node, listed)
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
            if not self._has_label(node):
                self.graph.bodies.append(node.start + 1)
            self._compound(node)
        else:
            self._statement(node, False)

    def _has_label(self, node, in_switch=False):
        """Whether a goto or a switch outside may jump into the statement."""
        if node.kind == parse.LABEL or (node.kind in (parse.CASE, parse.DEFAULT) and not in_switch):
            return True
        in_switch = in_switch or node.kind == parse.SWITCH
        return node.kind >= 200 and any(self._has_label(child, in_switch) for child in node.children)

    def _expression_statement(self, node, listed, is_value):
        place = self.place
        self._statement_at(node.start, node.end)
        if self._is_noreturn(node):
            self._isolated(node)
            if self.block is not None:
                self.block.ends = True
            self._leave(place)
            return
        self.place = None
        self._value(node)
        self._after(node, listed, is_value)

    def _after(self, node, listed, is_value=False):
        """Gives the rest of an expression a slot behind its statement, when it has none yet."""
        block = self.block
        if block is not None and not block.slots and not is_value:
            end = self._end(node)
            self._take(block, self._slot(AFTER, end, None if listed else node.start))
        self._end_piece(block)

    def _end_piece(self, block):
        if block is not None and (
                (self.exact and block.calls) or any(name in RETURNS_TWICE for name in block.calls)):
            self._close()

    def _is_noreturn(self, node):
        while node.kind in (parse.UNEXPOSED, parse.PAREN, parse.CAST) and node.children:
            node = node.children[-1]
        return node.kind == parse.CALL and self._callee(node) in self.noreturn

    def _has_call(self, node):
        return node.kind == parse.CALL or any(self._has_call(child) for child in node.children)

    def _isolated(self, node):
        """An expression that is the function's last: when what it calls doesn't return, flow inside
        it isn't conserved, so that what branches there counts for itself."""
        self.place = None
        self.lone += 1
        block = self.block
        self._value(node)
        self.lone -= 1
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
                if child is init:
                    self._value(child)
                else:
                    self._calls_inside(child)
        self._after(node, listed)

    def _initialiser(self, variable):
        if not variable.children:
            return None
        last = variable.children[-1]
        before = self.source.code(variable.start, last.start).rstrip()
        return last if before.endswith("=") and not before.endswith("==") else None

    def _null(self, node, listed):
        if not listed:
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
        jumps, top = _Jumps(True), self.graph.point()
        jumps.on_break, jumps.on_continue = self.graph.point(), top
        self._arrive(top)
        endless = self._literal(_TRUE, condition)
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
        once = self._literal(_FALSE, condition)
        jumps, top = _Jumps(True), graph.point()
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
            self._condition(condition, top, graph.point() if self._literal(_TRUE, condition) else after)
            self._at(after)
        elif jumps.on_break is not None:
            self._arrive(jumps.on_break)

    def _for(self, node, listed):
        start, condition, step, body = self._for_parts(node)
        graph = self.graph
        graph.has_loop = True
        if start is not None:
            self._for_start(start)
        jumps, top = _Jumps(True), graph.point()
        jumps.on_break, jumps.on_continue = graph.point(), (graph.point() if step else top)
        self._arrive(top)
        endless = condition is None or self._literal(_TRUE, condition)
        if not endless:
            self.place = None
            self._begin(node.start, self._first_end(condition), self._slot(WRAP, condition.start, condition.end))
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

    def _for_start(self, start):
        if start.kind == parse.DECLARATION:
            if not _NO_CODE.match(self.text, start.start):
                self._touch(start.start, start.end)
                self.place = None
                for variable in start.children:
                    init = self._initialiser(variable)
                    if init is not None:
                        self._value(init)
        else:
            self._touch(start.start, start.end)
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
        if self.block is None:
            self._begin(value.start, value.end)
        self._close()
        jumps = _Jumps(False)
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
        self._arrive(label)
        self._join(switch.dispatch, label)
        self._statement(node.children[-1], listed)

    def _label(self, node, listed):
        name = _LABEL_NAME.match(self.text, node.start)
        if not name or len(node.children) != 1:
            raise Unclear("a label without a name")
        self._arrive(self._label_point(name[1]))
        self._statement(node.children[0], listed)

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
        if self.block is None:
            self._begin(node.start, node.end)
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
        self._statement_at(node.start, node.end)
        if node.children and self._has_call(node.children[0]):
            self._isolated(node.children[0])
        elif node.children:
            self.place = None
            self._value(node.children[0])
        self._leave(place)

    def _unexposed(self, node, listed):
        """A statement with attributes, or behind a loop pragma."""
        if _FALLTHROUGH.match(self.text, node.start):
            if len(node.children) == 1 and node.children[0].kind == parse.NULL:
                self.place = None
                return
            raise Unclear("a statement with attributes")
        if len(node.children) != 1 or node.children[0].kind < 200:
            raise Unclear("a statement of an unknown kind")
        self._statement(node.children[0], listed)

    _HANDLERS = {
        parse.COMPOUND: _inner_compound, parse.DECLARATION: _declaration, parse.NULL: _null,
        parse.ASM: _asm, parse.IF: _if, parse.WHILE: _while, parse.DO: _do, parse.FOR: _for,
        parse.SWITCH: _switch, parse.CASE: _case, parse.DEFAULT: _case, parse.LABEL: _label,
        parse.GOTO: _goto, parse.INDIRECT_GOTO: _indirect_goto, parse.BREAK: _break,
        parse.CONTINUE: _continue, parse.RETURN: _return, parse.UNEXPOSED_STMT: _unexposed,
    }

    # --- expressions ---

    def _literal(self, pattern, node):
        return pattern.match(self.text, node.start, node.end) is not None

    def _logical(self, node):
        """'&&' or '||' when `node` is such an operator, else None."""
        if node.kind != parse.BINARY or len(node.children) != 2:
            return None
        left, right = node.children
        operator = self.source.code(left.end, right.start).strip()
        return operator if operator in ("&&", "||") else None

    def _callee(self, node):
        first = node.children[0] if node.children else None
        if first is None:
            return None
        name = _CALLEE.match(self.text, first.start, first.end)
        return name[1] if name else None

    def _value(self, node):
        """An expression whose value is used or dropped: code of the open block, and branches inside."""
        kind, children = node.kind, node.children
        if kind == parse.STMT_EXPR:
            self._statement_expression(node)
        elif not children or self._is_unevaluated(node):
            return
        elif kind == parse.CONDITIONAL and len(children) == 3 and children[0].constant is None:
            self._conditional(node)
        elif kind == parse.BINARY and self._logical(node):
            if children[0].constant is None and children[1].constant is None:
                self._short_circuit(node)
            else:
                self._calls_inside(node)
        elif kind == parse.CONDITIONAL:
            self._calls_inside(node)
        elif kind == parse.CALL:
            outer = self.in_message
            self.in_message = outer or self._is_given_words(node)
            for child in children:
                self._value(child)
            self._call(self._callee(node), node)
            self.in_message = outer
        elif kind in (parse.CAST, parse.COMPOUND_LITERAL):
            self._value(children[-1])
        elif kind == parse.UNEXPOSED and len(children) > 1:
            self._calls_inside(node)           # a ?: b, whose parts are shown twice
        else:
            for child in children:
                self._value(child)

    def _is_given_words(self, call):
        return any(_WORDS.search(literal[0]) for literal in _LITERAL.finditer(self.text, call.start, call.end))

    def _is_unevaluated(self, node):
        """sizeof, _Generic and builtins whose operands aren't code, or must stay constant."""
        kind, children = node.kind, node.children
        if kind in (parse.SIZEOF, parse.GENERIC):
            return True
        if kind not in (parse.UNEXPOSED, parse.CALL) or not _UNEVALUATED.match(self.text, node.start):
            return False
        return kind == parse.CALL or len(children) != 1 or children[0].start != node.start

    def _call(self, name, node):
        if self.block is None:
            self._begin(node.start, node.end)
        self.block.calls.append(name)
        self.block.messages += self.in_message
        if name in RETURNS_TWICE:
            self.graph.alone = "calls %s" % name

    def _calls_inside(self, node):
        """Takes an expression as it is, noting only what it calls."""
        if node.kind == parse.CALL:
            self._call(self._callee(node), node)
        for child in node.children:
            if child.kind == parse.STMT_EXPR:
                self.graph.alone = self.graph.alone or "a statement expression that can't be reached"
            self._calls_inside(child)

    def _conditional(self, node):
        condition, first, second = node.children
        yes, no, after = self.graph.point(), self.graph.point(), self.graph.point()
        slot = self._slot(TEST, condition.start, condition.end)
        self._condition(condition, yes, no)
        for point, arm, side in ((yes, first, True), (no, second, False)):
            self._at(point)
            self.place = None
            self._begin(arm.start, arm.end, slot, side)
            self._arm(arm, after)
        self._at(after)

    def _short_circuit(self, node):
        left, right = node.children
        more, after = self.graph.point(), self.graph.point()
        if self._logical(node) == "&&":
            self._condition(left, more, after)
        else:
            self._condition(left, after, more)
        self._at(more)
        self.place = None
        self._begin(right.start, right.end, self._slot(WRAP, right.start, right.end))
        self._arm(right, after)
        self._at(after)

    def _arm(self, node, after):
        """What is evaluated in one case only; it may be a call that doesn't return."""
        if self._is_noreturn(node) and not self.lone:
            self._isolated(node)
            self.block.ends = True
            slot = self.block.slots[0]
            side = self.block in slot.hits
            self._take(self.exit, slot, side)
            self._jump(self.exit.enter)
        else:
            self._value(node)
            self._jump(after)

    def _statement_expression(self, node):
        self.place = None
        for child in node.children:
            if child.kind != parse.COMPOUND:
                raise Unclear("a statement expression without braces")
            self._compound(child, True)
        self.place = None

    def _first_end(self, node):
        """Behind the part of a condition that is always evaluated."""
        while True:
            children = node.children
            if node.kind in (parse.PAREN, parse.UNEXPOSED) and len(children) == 1 and not self._is_unevaluated(node):
                node = children[0]
            elif self._logical(node) or (node.kind == parse.CONDITIONAL and len(children) == 3):
                node = children[0]
            else:
                return node.end

    def _condition(self, node, yes, no, varies=True):
        """An expression that decides between two ways. `varies`: as far as known, it isn't a constant."""
        children, kind = node.children, node.kind
        varies = varies and node.constant is None
        if kind in (parse.PAREN, parse.UNEXPOSED) and len(children) == 1 and not self._is_unevaluated(node):
            self._condition(children[0], yes, no, varies)
            return
        if kind == parse.UNARY and len(children) == 1 and self.text[node.start] == "!":
            self._condition(children[0], no, yes, varies)
            return
        if kind == parse.CALL and (self._callee(node) or "").startswith("__builtin_expect") and len(children) > 2:
            if self._literal(_FALSE, children[2]):
                self.graph.unlikely.add(yes)
            elif self._literal(_TRUE, children[2]):
                self.graph.unlikely.add(no)
            self._condition(children[1], yes, no, varies)
            return
        operator = self._logical(node)
        if operator and children[0].constant is None and children[1].constant is None:
            self._logical_condition(operator, children, yes, no, varies)
            return
        self._value(node)
        self._close()
        if self.point is None:
            return
        if varies and not self.lone:
            slot = self._slot(TEST, node.start, node.end)
            self._way(node.start, node.end, yes, slot, True)
            self._way(node.start, node.end, no, slot, False)
        else:
            self._join(self.point, yes)
            self._join(self.point, no)
        self.point = None

    def _logical_condition(self, operator, children, yes, no, varies):
        left, right = children
        more = self.graph.point()
        if operator == "&&":
            self._condition(left, more, no, varies)
        else:
            self._condition(left, yes, more, varies)
        self._at(more)
        self.place = None
        self._begin(right.start, self._first_end(right), self._slot(WRAP, right.start, right.end))
        self._condition(right, yes, no, varies)

    # --- OpenMP ---

    def _omp(self, node, listed, directives):
        """A statement behind OpenMP directives: its blocks count for themselves, because several
        threads may run it, and what the directives belong to keeps its form."""
        graph = self.graph
        graph.alone = "OpenMP"
        self.place = _Place(node, listed)
        if any(_OMP_UNCLEAR.match(d) for d in directives):
            raise Unclear("OpenMP: " + directives[-1])
        directive = directives[-1]
        self._touch(node.start, node.start + 1)
        self.place = None
        if _OMP_ATOMIC.match(directive):
            self._close()
        elif _OMP_LOOP.search(directive.split("(")[0]) and node.kind == parse.FOR:
            self._omp_loop(node, directive)
        elif re.match(r"(?:parallel\s+)?sections\b", directive):
            self._omp_sections(node)
        elif _OMP_BLOCK.match(directive):
            self._omp_block(node)
        else:
            self._close()
            self.has_omp = False               # a directive that stands for itself
            self._statement(node, listed)
            self.has_omp = True
        self._close()

    def _omp_block(self, node):
        self._at(None)
        if node.kind == parse.COMPOUND:
            self.graph.regions.append(Region(node.start + 1))
            self._compound(node)
        elif node.kind < 200 and not self.source.omp(node.start):
            self.graph.regions.append(Region(node.start, self._end(node)))
            self._statement(node, True)

    def _omp_sections(self, node):
        if node.kind != parse.COMPOUND:
            raise Unclear("OpenMP sections")
        for child in node.children:
            self._omp_block(child)

    def _omp_loop(self, node, directive):
        nest = _OMP_NEST.search(directive)
        self.graph.has_loop = True
        for _ in range(int(nest[1]) - 1 if nest else 0):
            node = node.children[-1]
            if node.kind == parse.COMPOUND and len(node.children) == 1:
                node = node.children[0]
            if node.kind != parse.FOR:
                raise Unclear("an OpenMP loop nest")
        body = node.children[-1]
        jumps = _Jumps(True)
        jumps.on_break, jumps.on_continue = self.graph.point(), self.graph.point()
        self.jumps.append(jumps)
        self._omp_block(body)
        self.jumps.pop()


def _contract_ways(graph):
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
