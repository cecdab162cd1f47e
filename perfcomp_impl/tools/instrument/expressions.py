"""What the evaluation of an expression does to the flow: branches inside it, and calls."""

import contextlib
import re

from . import parse
from .graph import TEST, WRAP, Unclear

TRUE = re.compile(r"[\s(]*[1-9]\d*[uUlL]*[\s)]*$")
FALSE = re.compile(r"[\s(]*0[uUlL]*[\s)]*$")
_UNEVALUATED = re.compile(r"__builtin_(?:assume\b|choose_expr|offsetof|va_arg|types_compatible_p|constant_p|"
                          r"object_size|dynamic_object_size|classify_type)\b|_Generic\b|__alignof|_Alignof")
_LITERAL = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_OR_ELSE = re.compile(r"\s*\?\s*:\s*")
_WORDS = re.compile(r"\S \S")
_CALLEE = re.compile(r"[\s(]*([A-Za-z_$][\w$]*)[\s)]*$")

# How often these are called doesn't tell how often what comes behind them runs: they return twice, or, what starts
# another program, only where that failed.
RETURNS_UNEVENLY = frozenset("setjmp _setjmp sigsetjmp __sigsetjmp __sigsetjmp_cancel savectx vfork getcontext "
                             "__builtin_setjmp __vfork execl execlp execle execv execvp execve execvpe execveat fexecve".split())


def _drop_repeats(node):
    """What libclang shows again has the same extent, and so stands inside of what it repeats."""
    while node.children:
        again = (n for n, child in enumerate(node.children) if n and (child.start, child.end) == (node.start, node.end))
        del node.children[next(again, len(node.children)):]
        node = node.children[0]


class Expressions:
    """A part of cfg.Builder."""

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

    def _called(self, node):
        """The function that a call is of; None: through a pointer."""
        return None if node.by_pointer else self._callee(node)

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
            if children[0].constant:
                self._decided(node, [(children[1], self._logical(node) == "&&")])
            else:
                self._short_circuit(node)
        elif kind == parse.CONDITIONAL:
            self._decided(node, [(arm, arm is children[1]) for arm in children[1:]])
        elif kind == parse.CALL:
            with self._call(node):
                for child in children:
                    self._value(child)
            if not self.block.slots and not self.lone and self.ends_block(self._called(node)):
                self._take(self.block, self._slot(WRAP, node.start, node.end))  # behind the statement may be too late
        elif kind in (parse.CAST, parse.COMPOUND_LITERAL):
            self._value(children[-1])
        elif kind == parse.INIT_LIST:
            self._initialisers(children)
        elif kind == parse.UNEXPOSED and len(children) > 1:
            self._several(node)
        else:
            for child in children:
                self._value(child)

    def _initialisers(self, elements):
        """Those of a list. Where each is of a member of its own all are evaluated; of others the later may replace the earlier."""
        members = {element.member for element in elements if element.member is not None and len(element.children) == 2}
        own = len(members) == len(elements)
        for element in elements:
            if not own:
                self._value(element)
            elif element.children:
                self._value(element.children[-1])

    def _several(self, node):
        """What libclang shows as one thing of several: an initialiser with its place, and a ?: b, with a shown more than once."""
        left, right = node.children[0], node.children[-1]
        if not _OR_ELSE.fullmatch(self.source.code(left.end, right.start)):
            self._calls_inside(node)
            return
        _drop_repeats(left)
        if right.constant and not right.holds and not self._literal(_LITERAL, right):
            self._value(left)                  # it may be a null pointer constant: with a counter it couldn't be any more
        else:
            self._or_else(left, right)

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

    @contextlib.contextmanager
    def _call(self, node):
        """What is called, after its operands were."""
        outer = self.in_message
        self.in_message = outer or self._is_given_words(node)
        yield
        name = self._called(node)
        if self.block is None:
            self._begin(node.start, node.end)
        self.block.calls.append(name)
        self.graph.seen[self._callee(node)] += 1
        self.block.spans.append(None if self.perhaps else (node.start, node.end))
        self.block.messages += self.in_message
        if name in RETURNS_UNEVENLY:
            self.graph.alone = "calls %s" % name
        self.in_message = outer

    def _calls_inside(self, node):
        """Takes an expression as it is, noting only what it calls."""
        self.perhaps += 1
        with self._call(node) if node.kind == parse.CALL else contextlib.nullcontext():
            for child in node.children:
                if child.kind == parse.STMT_EXPR and self._may_leave(child):
                    self.graph.alone = self.graph.alone or "a statement expression that can't be reached"
                self._calls_inside(child)
        self.perhaps -= 1

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

    def _decided(self, node, arms):
        """One whose first operand is known: of each other operand, whether it is evaluated where that is true, or else false."""
        holds = node.children[0].holds
        if holds is None:
            self._calls_inside(node)
            return
        self._value(node.children[0])          # (0 && f()) ? 1 : 2
        for arm, where in arms:
            if holds == where:
                self._value(arm)
            else:
                self._never(arm)

    def _never(self, node):
        """What isn't evaluated is code that can't be reached."""
        self._close()
        here, self.point, self.place = self.point, None, None
        slot = None if node.constant else self._slot(WRAP, node.start, node.end) # a null pointer constant stays one
        self._begin(node.start, node.end, slot).never = slot is None
        self._value(node)
        self._at(here)

    def _short_circuit(self, node):
        left, right = node.children
        more, after, both = self.graph.point(), self.graph.point(), self._logical(node) == "&&"
        # Of a && 0 the compiler may make nothing, as long as the 0 stays one: it's counted as often as a is true.
        slot = self._slot(TEST, left.start, left.end) if right.constant else self._slot(WRAP, right.start, right.end)
        self._condition(left, *((more, after) if both else (after, more)))
        self._otherwise(right, more, after, slot, both or not right.constant)

    def _or_else(self, left, right):
        """left ?: right"""
        more, after = self.graph.point(), self.graph.point()
        self._condition(left, after, more, False)
        self._otherwise(right, more, after, self._slot(WRAP, right.start, right.end))

    def _otherwise(self, node, point, after, slot, side=True):
        """What is evaluated only where the operand before it doesn't tell the result."""
        self._at(point)
        self.place = None
        self._begin(node.start, node.end, slot, side)
        self._arm(node, after)
        self._at(after)

    def _arm(self, node, after):
        """What is evaluated in one case only; it may be a call that doesn't return."""
        if self._is_noreturn(node) and not self.lone:
            self.block.leaving = len(self.block.calls)
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
        self.inside += 1
        for child in node.children:
            if child.kind != parse.COMPOUND:
                raise Unclear("a statement expression without braces")
            self._compound(child, True)
        self.inside -= 1
        self.place = None

    def _first_end(self, node):
        """Behind the part of a condition that is always evaluated."""
        while True:
            children = node.children
            if node.kind in (parse.PAREN, parse.UNEXPOSED) and len(children) == 1 and not self._is_unevaluated(node):
                node = children[0]
            elif (self._logical(node) or (node.kind == parse.CONDITIONAL and len(children) == 3)) and not any(child.constant for child in children[:2]):
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
            if self._literal(FALSE, children[2]):
                self.graph.unlikely.add(yes)
            elif self._literal(TRUE, children[2]):
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
