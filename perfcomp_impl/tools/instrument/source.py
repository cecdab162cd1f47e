"""A C text, and what must be known about places in it: the user's line, directives, statement ends."""

import bisect
import itertools
import os
import re

# In UTF-8; gcc's preprocessor spells what isn't ASCII as \U000000e4.
NAME = r"(?:[A-Za-z_$\x80-\xff]|\\[uU][\da-fA-F]{4,8})(?:[\w$\x80-\xff]|\\[uU][\da-fA-F]{4,8})*"
_MARKER = re.compile(r'#(?: |line )(\d+) "([^"\\]*(?:\\.[^"\\]*)*)"([ \d]*)')
_FILLING = re.compile(r"(?:\s+|^#[^\n]*(?:\n|\Z))*", re.M)
_SEMICOLON = re.compile(r"(?:\s+|^#[^\n]*(?:\n|\Z))*;", re.M)
_DIRECTIVE = re.compile(r"^\s*#[^\n]*$", re.M)
_OMP = re.compile(r"#\s*pragma\s+omp\s+([^\n]*)")
_CALLED = re.compile(r"(?<![\w$])[A-Za-z_$][\w$]*(?=[\s)]*\()")
_OPENING = re.compile(r"(?:[\s(!]|^#[^\n]*$)*\n[\s(!]*", re.M)
_IN_PARENTHESES = r'\((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()]|\([^()]*\))*\))*\)'
_NO_CODE = re.compile(r"(?:[\s?:&|!({};]|\b(?:else|do|while)\b|\b_?[Ss]tatic_assert\s*" + _IN_PARENTHESES + ")*")
_ESCAPED = re.compile(r"\\([0-7]{3}|.)")
_DIGRAPH = re.compile(r"""<%|%>|<:|:>|/\*[\s\S]*?\*/|//[^\n]*|R"([^\s()\\]*)\([\s\S]*?\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
_PLAIN = {"<%": "{ ", "%>": " }", "<:": "[ ", ":>": " ]"}
# The line marker's flags: a file begins, or goes on behind another one; it's a system header, and in one of the system's folders.
_BEGINS, _GOES_ON, _SYSTEM, _SYSTEMS_FOLDER = "1234"


def without_digraphs(text):
    """With braces and brackets as they are usually written, in the same places."""
    return _DIGRAPH.sub(lambda match: _PLAIN.get(match[0], match[0]), text) if "<%" in text or "<:" in text else text


def may_change(name, text):
    """Whether the text sets the variable, or takes its address."""
    name = re.escape(name)
    return bool(re.search(rf"\b{name}\b\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--|&)\s*{name}\b", text))


def decoded(text):
    """A piece of the text, or what the parser says of it, as the user's words are."""
    return os.fsdecode(text.encode("latin-1", "replace"))


def _meant(escaped):
    return chr(int(escaped[1], 8)) if escaped[1].isdigit() else escaped[1].replace("n", "\n")


class _Systems:
    """Which files are the system's. One that says so of itself, by a pragma, as cmake's precompiled header does, hands that on
    to what it includes; but those aren't, unless they are in the system's folders."""

    def __init__(self):
        self._open = [(False, False)]          # of each file that is open: whether it's the system's; whether one around it says so of itself

    def has(self, name, flags):
        """Whether what stands behind a marker with this file and these flags is theirs."""
        system = _SYSTEM in flags
        if _BEGINS in flags:
            around = self._open[-1][1]
            self._open.append((system and (_SYSTEMS_FOLDER in flags or not around), around))
        elif _GOES_ON in flags:
            self._open[1:] = self._open[1:-1]
        elif system and self._open[-1] == (False, False) and name != "<built-in>":
            self._open[-1] = True, True
        return system and self._open[-1][0]


class Source:
    """A preprocessed text with its line markers, one character a byte (latin-1)."""

    def __init__(self, text, name):
        self.text = text
        self.files = []                        # as the markers spell them, escapes included
        self._starts, self._markers = [], []
        numbers, systems = {}, _Systems()
        self._mark(0, 0, 1, name, False, numbers)
        self._lines = lines = text.split("\n")
        self._ends = [end + row for row, end in enumerate(itertools.accumulate(map(len, lines)))]
        for row, line in enumerate(lines):
            match = _MARKER.match(line) if line.startswith("#") else None
            if match:
                self._mark(self._ends[row] + 1, row + 1, int(match[1]), match[2], systems.has(match[2], match[3]), numbers)

    def _mark(self, offset, row, line, name, system, numbers):
        """From `offset`, the start of a row of the text, on: `line` of the user's file."""
        if name not in numbers:
            numbers[name] = len(self.files)
            self.files.append(name)
        self._starts.append(offset)
        self._markers.append((line, row, numbers[name], system))

    def path(self, number):
        """A file's name, as the user knows it."""
        return decoded(_ESCAPED.sub(_meant, self.files[number]))

    def main(self):
        """The number of the file that was preprocessed: the first marker names it, and may spell it in its own way."""
        return self._markers[min(1, len(self._markers) - 1)][2]

    def _marker(self, offset):
        return self._markers[bisect.bisect_right(self._starts, offset) - 1]

    def _row(self, offset):
        return bisect.bisect_left(self._ends, offset)

    def _has_code(self, row):
        text = self._lines[row]
        return not text.startswith("#") and bool(text.strip("{}; \t"))

    def is_system(self, offset):
        return self._marker(offset)[3]

    def declaration_start(self, offset):
        """Where the declaration begins that goes on at `offset`, with its attributes."""
        return max(self.text.rfind(c, 0, offset) for c in ";}") + 1

    def declaration(self, offset):
        """Its text, up to its end or its body."""
        ends = [end for end in (self.text.find(c, offset) for c in ";{") if end >= 0]
        return self.text[self.declaration_start(offset):min(ends, default=len(self.text))]

    def place(self, offset):
        """File number, line and column of the user's source."""
        line, first, number, _ = self._marker(offset)
        row = self._row(offset)
        start = self._ends[row - 1] + 1 if row else 0
        return number, line + row - first, offset - start + 1

    def is_beyond(self, offset):
        """Whether its line is behind the one with which #line goes on: who wrote the text, as flex does between two rules, hasn't
        counted it as one of the file's."""
        at = bisect.bisect_right(self._starts, offset)
        number, line, _ = self.place(offset)
        return at < len(self._markers) and self._markers[at][2] == number and self._markers[at][0] < line

    def follows(self, start, end):
        """Whether the second stands behind the first in the user's file, too, as markers around a macro leave it."""
        number, line, _ = self.place(start)
        other, last, _ = self.place(end)
        return number == other and last >= line and self.is_beyond(start) == self.is_beyond(end)

    def gaps(self, start, end):
        """Where no code is between the first and the last of a function: (file number, first line, last line)."""
        found, file, last = [], None, 0
        for row in range(self._row(start), self._row(end) + 1):
            if not self._has_code(row):
                continue
            number, line, _ = self.place(self._ends[row])
            if number == file and line > last + 1:
                found.append((file, last + 1, line - 1))
            file, last = number, line
        return found

    def lines(self, start, end, begun=None):
        """Of a piece of text: file number, first line, last line, column. What #line says to be of another file, before
        the first line, or beyond what it goes on with, isn't of it. With `begun`, lines that others begin, it ends with its
        last line of code that it begins itself."""
        number, line, column = self.place(start)
        for row in range(self._row(end - 1), self._row(start), -1):
            if self._lines[row].startswith("#") or (begun is not None and not self._has_code(row)):
                continue
            file, last, _ = self.place(self._ends[row])
            if begun is not None and (file, last) in begun:
                continue
            if file == number and last >= line and not self.is_beyond(self._ends[row]):
                return number, line, last, column
        return number, line, line, column

    def name_of(self, function):
        """Where a function's name stands."""
        words = _CALLED.finditer(self.text, function.start, function.body.start)
        return next((word.start() for word in words if word[0] == function.name), function.start)

    def line_begun(self, start):
        """File and line of `start` when no code, as operators and braces, stands before it there, else None. Not the
        row: gcc spreads a line with a macro of a system header over several."""
        here, row = self.place(start)[:2], self._row(start)
        while row and (self._lines[row - 1].startswith("#") or self.place(self._ends[row - 1])[:2] == here):
            row -= 1
        before = self.code(self._ends[row - 1] + 1 if row else 0, start)
        return here if _NO_CODE.fullmatch(before) else None

    def first_code(self, start):
        """Where the first code of what starts there stands, behind lines that only open brackets."""
        opening = _OPENING.match(self.text, start)
        return opening.end() if opening else start

    def code(self, start, end):
        """The text without directives."""
        text = self.text[start:end]
        return _DIRECTIVE.sub("", text) if "#" in text else text

    def skip(self, offset):
        """Behind white space and directives."""
        return _FILLING.match(self.text, offset).end()

    def semicolon(self, offset):
        """Behind the semicolon that ends a statement; None when something else stands there."""
        match = _SEMICOLON.match(self.text, offset)
        return match.end() if match else None

    def before_pragmas(self, offset):
        """Where to insert before the statement at `offset`: never between it and its pragmas."""
        first = self._directives(offset)
        return offset if first is None else first

    def _directives(self, offset):
        """The end of the last line of code before the pragmas in front of `offset`; None without a pragma."""
        text = self.text
        line = text.rfind("\n", 0, offset) + 1
        pragma = False
        if text[line:offset].strip():
            return None
        while line > 0:
            above = text.rfind("\n", 0, line - 1) + 1
            content = text[above:line - 1].strip()
            if content and not content.startswith("#"):
                break
            pragma = pragma or bool(re.match(r"#\s*pragma", content))
            line = above
        return line - 1 if pragma and line > 0 else None

    def omp(self, offset):
        """The OpenMP directives right before the statement at `offset`, in order."""
        first = self._directives(offset)
        return [] if first is None else [m[1].strip() for m in _OMP.finditer(self.text, first, offset)]

    def first_omp(self, offset):
        """Where the words of the first of them begin."""
        return _OMP.search(self.text, self._directives(offset), offset).start(1)

    def behind_omp(self, offset):
        """Where to insert between such directives and that statement; None: it has pragmas of its own behind them."""
        last = max(m.end() for m in _OMP.finditer(self.text, self._directives(offset), offset))
        return None if re.search(r"#\s*pragma", self.text[last:offset]) else offset
