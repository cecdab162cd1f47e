"""Moves slots from the preprocessed text to the user's own source text, where they can be.

Both texts are cut into tokens, and the tokens of each line are paired from both
ends up to the first macro. What a macro made has no place in the user's text:
such a slot is given up, and the counters go elsewhere as far as the graph allows.
"""

import bisect
import re
import sys

from .graph import AFTER, BEFORE, EXIT, Unclear
from .source import NAME, without_digraphs

_TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|\\\n)
  | (?P<directive>(?:(?<=\n)|\A)[ \t]*\#(?:[^\n\\]|\\\n|\\.|(?<!/)/(?!\*))*)
  | (?P<name>""" + NAME + r""")
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.|\\\n)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<other><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[-+*/%&^|<>=!]=|&&|\|\||\#\#|.)
""", re.X | re.S)
_UNIVERSAL = re.compile(r"\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8})")
_DEFINE = re.compile(r"^#define ([A-Za-z_$][\w$]*)(\(?)", re.M)


class _Token:
    __slots__ = ("text", "start", "end", "macro")

    def __init__(self, text, start, end):
        self.text, self.start, self.end = text, start, end
        self.macro = False


class Original:
    """The user's text and where the places of the preprocessed one are in it."""

    def __init__(self, text, source, file, definitions):
        self.text = text
        macros = {name: bool(parenthesis) for name, parenthesis in _DEFINE.findall(definitions)}
        lines = _by_line(without_digraphs(text))
        _mark_macros([token for line in sorted(lines) for token in lines[line]], macros)
        self._starts, self._ends, self._last = {}, {}, {}
        self._pair(lines, source, file)

    def _pair(self, lines, source, file):
        made = {}
        for token in _tokens(source.text):
            self._last[token.end] = token
            place = source.place(token.start)
            if place[0] == file:
                made.setdefault(place[1], []).append(token)
        for line, tokens in made.items():
            self._pair_line(lines.get(line, []), tokens)
        self._token_ends = sorted(self._last)

    def _pair_line(self, own, made):
        plain = not any(token.macro for token in own)
        if plain and [t.text for t in own] != [t.text for t in made]:
            return
        for ordered in (zip(own, made), zip(reversed(own), reversed(made))):
            for a, b in ordered:
                if a.macro or a.text != b.text:
                    break
                self._starts[b.start] = a.start
                self._ends[b.end] = a.end

    # --- places ---

    def start(self, offset):
        """Before the token at `offset`; None: a macro made it."""
        return self._starts.get(offset)

    def end(self, offset):
        return self._ends.get(offset)

    def before(self, offset):
        """Where a statement can be put that belongs at `offset`."""
        if offset in self._starts:
            return self._starts[offset]
        index = bisect.bisect_right(self._token_ends, offset) - 1
        return self._ends.get(self._token_ends[index]) if index >= 0 else None

    def locate(self, graph):
        """Moves the graph's slots; Unclear when the function can't be counted then."""
        graph.entry_offset = self.before(graph.entry_offset)
        if graph.entry_offset is None or any(self._moved(region) is False for region in graph.regions):
            raise Unclear("a macro makes its braces")
        graph.bodies = [(self.before(place), line) for place, line in graph.bodies
                        if self.before(place) is not None]
        for slot in list(graph.slots):
            if not self._move(slot):
                graph.slots.remove(slot)
                for block in slot.hits + slot.misses:
                    block.slots.remove(slot)
                    # An exit that isn't counted shows as an activation that was abandoned.
                    block.blocked = not (block.kind == EXIT and graph.interruptible)

    def _moved(self, region):
        region.start = self.before(region.start)
        if region.end is not None:
            region.end = self.end(region.end)
            return region.start is not None and region.end is not None
        return region.start is not None

    def _move(self, slot):
        if slot.kind == BEFORE:
            start = self.before(slot.start)
            end = None if slot.end is None else self.end(slot.end)
        elif slot.kind == AFTER:
            start = self.end(slot.start)
            end = None if slot.end is None else self.before(slot.end)
        else:
            start, end = self.start(slot.start), self.end(slot.end)
        if start is None or (slot.end is not None and end is None):
            return False
        slot.start, slot.end = start, end
        return True


def _tokens(text):
    for match in _TOKEN.finditer(text):
        if match.lastgroup not in ("skip", "directive"):
            text = _UNIVERSAL.sub(_in_utf8, match[0]) if match.lastgroup == "name" else match[0]
            yield _Token(text, match.start(), match.end())


def _in_utf8(character):
    code = int(character[0][2:], 16)
    return chr(code).encode("utf-8", "replace").decode("latin-1") if code <= sys.maxunicode else character[0]


def _by_line(text):
    """The user's tokens by line."""
    lines, line, position = {}, 1, 0
    for token in _tokens(text):
        line += text.count("\n", position, token.start)
        position = token.start
        lines.setdefault(line, []).append(token)
    return lines


def _mark_macros(tokens, macros):
    """Marks the names and arguments of macros."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if token.text not in macros:
            continue
        if macros[token.text]:
            if index == len(tokens) or tokens[index].text != "(":
                continue
            depth = 0
            while index < len(tokens):
                tokens[index].macro = True
                depth += {"(": 1, ")": -1}.get(tokens[index].text, 0)
                index += 1
                if depth == 0:
                    break
        token.macro = True
