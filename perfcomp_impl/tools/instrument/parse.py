"""Parses preprocessed C with libclang and hands back each function's syntax tree.

libclang's C functions are called in bulk: one visitor call per function, extents
taken from the raw locations (a preprocessed text is one file without macros, so
a raw location is an offset plus a constant), and no descent into expressions
that hold neither control flow nor calls.
"""

import ctypes
import re
from collections import Counter

from . import deep, libclang, placement

MISSING = ("libclang is missing: install Debian's package python3-clang, which brings it "
           "(apt-get install python3-clang)")

# Kinds of libclang's cursors (clang-c/Index.h).
STRUCT, UNION, ENUM, FIELD, FUNCTION, VAR, PARAMETER = 2, 3, 5, 6, 8, 9, 10
UNEXPOSED, CALL = 100, 103
PAREN, UNARY, BINARY, CONDITIONAL, CAST = 111, 112, 114, 116, 117
COMPOUND_LITERAL, INIT_LIST, STMT_EXPR, GENERIC, SIZEOF = 118, 119, 121, 122, 136
UNEXPOSED_STMT, LABEL, COMPOUND, CASE, DEFAULT, IF, SWITCH = 200, 201, 202, 203, 204, 205, 206
WHILE, DO, FOR, GOTO, INDIRECT_GOTO, CONTINUE, BREAK, RETURN = 207, 208, 209, 210, 211, 212, 213, 214
ASM, NULL, DECLARATION = 215, 230, 231
_FIRST_STATEMENT = 200
_FIRST_ATTRIBUTE = 400                         # nothing in a function's body has a higher kind
_TYPES = frozenset([STRUCT, UNION, ENUM])

# Statements and operators whose first operands decide where control goes. (So does that of a ?: b, which is UNEXPOSED.)
_DECIDING = frozenset([BINARY, CONDITIONAL, IF])

# An expression without any of these is straight-line code without a call.
_INTERESTING = re.compile(r"[(?]|&&|\|\|")
CHANGES = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)")  # what libclang tells the value of all the same: (n++, 1)
_DEPENDS = re.compile(r"\b(?:_*[aA]lignof_*|__builtin_\w+|_Float\w+|__float80|_Decimal\w+)\b|'|\.\d|\d\.")  # on who compiles it
_IN_MACRO = 0x80000000
_CONTINUE, _RECURSE = 1, 2
_INTEGER = 1                                   # CXEval_Int
_ERROR = 3                                     # CXDiagnostic_Error
_STATIC = 2                                    # CXLinkage_Internal
_NO_CLASS = 1                                  # CX_SC_None: neither extern nor static
_INPUT = b"perfcomp-input.c"
_BUILTINS = b"/perfcomp-builtins.h"            # is included before
_INCLUDE = re.compile(r"#[ \t]*include\b")     # a literal's search is fast
_BRACES = re.compile(r"""[{}]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")  # and what may look like them
_GIVES_UP = "nesting level exceeded"
WANTS_CONSTANT = "must be a constant integer"  # of an intrinsic's parameter: inlining makes it one
_ATTRIBUTES_IN_ALL_OF_C = 17                   # since that version; it knows no option for it
_RAW_STRINGS_IN_C = 19
_NUMBER = re.compile(r"\d+")
_ZERO = re.compile(r"0[uUlL]*")
_BLACK = re.compile(r"[^\n]")
_VECTOR_BUILTIN = re.compile(r"(?:\b(if|while|switch)\s*)?\(\s*(\w+)\s*\)\s*(__builtin_ia32_\w+)")  # and the type it is cast to
_LABEL_ENDS = re.compile(r":(?:\s+|(?:\s+#.*)+\s*[ \t])")  # blanks behind it, lines of the preprocessor's among them

# What gcc's headers say and clang 14 doesn't know. Only the parse sees these. (`volatile` makes types that _Generic tells apart.)
_GCC_WORDS = [
    "-D_Float16=float", "-D_Float32=volatile float", "-D_Float32x=double", "-D_Float64=volatile double",
    "-D_Float64x=volatile long double", "-D_Float128=__float128", "-D__float80=long double",
    "-D_Decimal32=float", "-D_Decimal64=double", "-D_Decimal128=long double",
    "-D__builtin_va_arg_pack()=0", "-D__builtin_va_arg_pack_len()=0", "-D__builtin_shuffle=__builtin_shufflevector",
] + ["-D__atomic_%s=pfc__atomic" % name for name in (  # gcc's stdatomic.h applies these to _Atomic objects
    "load store exchange compare_exchange fetch_add fetch_sub fetch_or fetch_xor fetch_and").split()
] + ["-D%s=pfc_%s" % (name, name) for name in placement.INSTRUCTIONS]  # clang, that has its own, takes no call of gcc's


# Kinds of its types: those of objects in memory that may be counters.
_POINTER, _ARRAYS = 101, frozenset([112, 114, 115])
_COUNTERS = frozenset([0, 2, 4, 5, 13, 14, 11, 19])  # not known, void, characters, long long


def is_length(text, end):
    """Whether what ends there may be an array's."""
    return text[end:end + 80].lstrip().startswith("]")


class ParseError(Exception):
    """The text as a whole can't be parsed; the message says why."""


class ParserError(ParseError):
    """Not for what the text says: by this libclang, no text may be."""


class Node:
    """A statement or expression: kind, extent [start, end) and children in source order."""
    __slots__ = ("kind", "start", "end", "children", "constant", "holds", "by_pointer", "member")

    def __init__(self, kind, start, end):
        self.kind = kind
        self.start = start
        self.end = end
        self.children = []
        self.constant = None                   # True: an operand with a value known to the compiler
        self.holds = None                      # of such an operand: whether it is true, if every compiler says the same
        self.by_pointer = False                # it calls what a variable points to, whose name a function may have, too
        self.member = None                     # of an initialiser that tells whose it is: a number; a union's members have one


class Function:
    """A function definition: name, extent, whether it is static, and the body's tree, once that was asked for."""
    __slots__ = ("name", "start", "end", "static", "body", "cursor")

    def __init__(self, name, start, end, static, cursor):
        self.name = name
        self.start = start
        self.end = end
        self.static = static
        self.body = None
        self.cursor = cursor


def _has_includes(text):
    """Whether a line begins so."""
    return any(not text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip() for found in _INCLUDE.finditer(text))


def _vector_builtins(text):
    """Declares them as functions of any arguments: libclang doesn't know all of gcc's, and takes those for functions of type int."""
    types = {name: of for keyword, of, name in _VECTOR_BUILTIN.findall(text) if not keyword}
    return "".join("#define %s (*(%s (*)())0)\n" % (name, of) for name, of in types.items())


class Unit:
    """A parsed translation unit. `text` holds one character a byte (latin-1)."""

    def __init__(self, text, arguments):
        if _has_includes(text):
            raise ParseError("it has an #include, though -fpreprocessed says that it's preprocessed")
        self._lib = libclang.load()
        if self._lib is None:
            raise ParseError(MISSING)
        self._version = int(_NUMBER.search(self._taken(self._lib.clang_getClangVersion()))[0])
        self._index = self._lib.clang_createIndex(0, 0)
        self._given_up = []
        self._parse(text, arguments)
        while (completed := self._with_labelled_statements()) != self._text or \
                (completed := self._without_what_nests_too_deeply()) != self._text:  # seldom: another may have been hidden
            self._lib.clang_disposeTranslationUnit(self._unit)
            self._parse(completed, arguments)
        for _, message in self._told():
            if _GIVES_UP in message:           # outside of functions
                raise ParseError("the parser says: %s" % message)

    def _parse(self, text, arguments):
        self._text = text
        data = text.encode("latin-1")
        options = ["-x", "c", "-undef", "-Wno-everything", "-ferror-limit=0", "-fno-spell-checking"] + _GCC_WORDS + arguments
        if self._version < _ATTRIBUTES_IN_ALL_OF_C:
            options.append("-fdouble-square-bracket-attributes")
        if self._version >= _RAW_STRINGS_IN_C: # which we don't know in C: a function that has one is left as it is
            options.append("-fno-raw-string-literals")
        builtins = _vector_builtins(text).encode()
        unsaved = (libclang.UnsavedFile * 2)((_INPUT, data, len(data)), (_BUILTINS, builtins, len(builtins)))
        options += ["-include", _BUILTINS.decode()] if builtins else []
        with deep.parser() as more:
            options += more
            words = (ctypes.c_char_p * len(options))(*(word.encode() for word in options))
            self._unit = self._lib.clang_parseTranslationUnit(
                self._index, _INPUT, words, len(options), unsaved, len(unsaved), 0)
        if not self._unit:
            raise ParserError("libclang %d gives up, or doesn't take the options that it's given" % self._version)
        self._file = self._lib.clang_getFile(self._unit, _INPUT)
        self._base = self._lib.clang_getLocationForOffset(self._unit, self._file, 0).raw

    def _with_labelled_statements(self):
        """The text with an empty statement, in place of a blank, for each label that has none, where a declaration or the
        end of a block follows: C23 allows that, and gcc in all of C; clang 14 doesn't."""
        text, begins = self._text, self._text.rfind
        data = bytearray(text, "latin-1")
        for offset, message in self.errors():
            if "expected" in message and _LABEL_ENDS.fullmatch(text, max(begins(":", 0, offset), 0), offset):
                data[offset - 1] = ord(";")
        return data.decode("latin-1")

    def _without_what_nests_too_deeply(self):
        """The text with blanks in place of the body of the function in which the parser gave up: it doesn't go on behind."""
        for error in self._told():
            begin, end = self._body_at(error[0]) if _GIVES_UP in error[1] else (0, 0)
            if begin < end:
                self._given_up.append(error)
                return self._text[:begin] + _BLACK.sub(" ", self._text[begin:end]) + self._text[end:]
        return self._text

    def _body_at(self, offset):
        """Where the body begins and ends of the function that this place is in; 0, 0: it is in none."""
        starts = [function.start for function in self.definitions()[0] if function.start <= offset]
        depth = begin = 0
        for found in _BRACES.finditer(self._text, max(starts)) if starts else ():
            if found[0] == "{":
                begin = begin if depth else found.end()
                depth += 1
            elif found[0] == "}":
                depth -= 1
                if not depth and found.start() >= offset:
                    return (begin, found.start()) if begin <= offset else (0, 0)
        return 0, 0

    def close(self):
        self._lib.clang_disposeTranslationUnit(self._unit)
        self._lib.clang_disposeIndex(self._index)

    def errors(self):
        """Offset and text of the errors that the parser reported."""
        return sorted(self._told() + self._given_up)

    def _told(self):
        """Of the latest parse."""
        lib, found = self._lib, []
        for number in range(lib.clang_getNumDiagnostics(self._unit)):
            diagnostic = lib.clang_getDiagnostic(self._unit, number)
            if lib.clang_getDiagnosticSeverity(diagnostic) >= _ERROR:
                found.append((self._offset(lib.clang_getDiagnosticLocation(diagnostic)),
                              self._taken(lib.clang_getDiagnosticSpelling(diagnostic))))
            lib.clang_disposeDiagnostic(diagnostic)
        return found

    def definitions(self):
        """The function definitions, without their bodies' trees; how often the names of static ones are declared,
        that included; and the names of the variables that other units can see here."""
        lib, found, declared, variables = self._lib, [], Counter(), []

        def visit(cursor, _parent, _data):
            if cursor.kind == VAR and lib.clang_Cursor_getStorageClass(cursor) == _NO_CLASS:
                variables.append(self._spelling(cursor))
            if cursor.kind != FUNCTION:
                return _CONTINUE
            static, defines = lib.clang_getCursorLinkage(cursor) == _STATIC, lib.clang_isCursorDefinition(cursor)
            name = self._spelling(cursor) if static or defines else None
            if static:
                declared[name] += 1
            if defines:
                start, end = self._place(lib.clang_getCursorExtent(cursor))
                found.append(Function(name, start, end, static, cursor))
            return _CONTINUE

        lib.clang_visitChildren(lib.clang_getTranslationUnitCursor(self._unit), libclang.VISITOR(visit), None)
        return found, declared, variables

    def with_bodies(self, definitions):
        """Those that have one, with it."""
        for function in definitions:
            function.body = self._tree(function.cursor)
        return [function for function in definitions if function.body is not None]

    def reaches_counters(self, offset):
        """Whether what is read or written by way of the name at this place may be a counter, for all that its type tells."""
        lib = self._lib
        cursor = lib.clang_getCursor(self._unit, lib.clang_getLocationForOffset(self._unit, self._file, offset))
        of = lib.clang_getCanonicalType(lib.clang_getCursorType(cursor))
        while of.kind == _POINTER or of.kind in _ARRAYS:
            inner = lib.clang_getPointeeType if of.kind == _POINTER else lib.clang_getArrayElementType
            of = lib.clang_getCanonicalType(inner(of))
        return of.kind in _COUNTERS

    def _tree(self, function):
        """The body of the cursor `function`. The visitor walks in preorder; extents tell who is whose child."""
        text = self._text
        extent, interesting = self._lib.clang_getCursorExtent, _INTERESTING.search
        root = Node(FUNCTION, 0, 1 << 62)
        stack = [root]

        def visit(cursor, _parent, _data):
            kind = cursor.kind
            if kind >= _FIRST_ATTRIBUTE or kind in _TYPES: # no code, and it may stand outside of what has it
                return _CONTINUE
            range_ = extent(cursor)
            if not range_.begin:               # the compiler's own, as an argument's conversion to a transparent union
                return _RECURSE
            start, end = self._place(range_)
            if kind == NULL and text.startswith(":", start): # there is none behind the label (libclang from 18 on)
                start = end
            while start < stack[-1].start or end > stack[-1].end:
                stack.pop()
            node = Node(kind, start, end)
            above = stack[-1]
            above.children.append(node)
            tells_member = kind == UNEXPOSED and above.kind == INIT_LIST and text.startswith((".", "["), start)
            if above.kind == UNEXPOSED and len(above.children) == 1 and text.startswith((".", "["), above.start):
                above.member = self._member(cursor)
            if kind == CALL:
                node.by_pointer = self._lib.clang_getCursorReferenced(cursor).kind in (VAR, PARAMETER)
            self._note_constant(cursor, node, stack)
            if kind >= _FIRST_STATEMENT or tells_member or interesting(text, start, end):
                stack.append(node)
                return _RECURSE
            return _CONTINUE

        self._lib.clang_visitChildren(function, libclang.VISITOR(visit), None)
        for node in root.children:
            if node.kind == COMPOUND:
                return node
        return None

    def _note_constant(self, cursor, node, outer):
        """Of an operand that decides where control goes, whether its value is known. `outer`: what it is in."""
        text, above, start, end = self._text, outer[-1], node.start, node.end
        decides = node.kind < _FIRST_STATEMENT and (above.kind in _DECIDING or (above.kind == UNEXPOSED and len(above.children) > 1)
                                                    or (above.kind == VAR and is_length(text, end)))
        belies = node.kind == CALL and any(operand.constant for operand in outer)
        constant, holds = self._constant(cursor) if decides or belies else (False, None)
        if decides and not constant and _ZERO.fullmatch(text, start, end): # a null pointer's, behind a conversion
            constant, holds = True, False
        if decides and constant and not CHANGES.search(text, start, end):
            node.constant = True
            node.holds = None if _DEPENDS.search(text, start, end) else holds
        elif belies and not constant:          # (call(), 1): libclang tells the value, and that is not all
            for operand in outer:
                operand.constant = operand.holds = None

    def _member(self, cursor):
        """Which one is meant by .name or [index]; None: it isn't known."""
        lib = self._lib
        field = lib.clang_getCursorReferenced(cursor)
        if field.kind == FIELD:
            within = lib.clang_getCursorSemanticParent(field)
            return lib.clang_getCursorExtent(within if within.kind == UNION else field).end # of int a, b both begin at int
        result = lib.clang_Cursor_Evaluate(cursor)
        if not result:
            return None
        is_integer, index = lib.clang_EvalResult_getKind(result) == _INTEGER, lib.clang_EvalResult_getAsLongLong(result)
        lib.clang_EvalResult_dispose(result)
        return index if is_integer else None

    def _constant(self, cursor):
        """Whether it has a value known to the compiler; whether that is true (None: it isn't an integer's)."""
        lib = self._lib
        result = lib.clang_Cursor_Evaluate(cursor)
        if not result:
            return False, None
        kind = lib.clang_EvalResult_getKind(result)
        holds = lib.clang_EvalResult_getAsLongLong(result) != 0 if kind == _INTEGER else None
        lib.clang_EvalResult_dispose(result)
        return kind != 0, holds

    def _place(self, range_):
        """Its offsets: at once, but for what one of our macros has made (_GCC_WORDS)."""
        if (range_.begin | range_.end) & _IN_MACRO:
            return (self._offset(self._lib.clang_getRangeStart(range_)), self._offset(self._lib.clang_getRangeEnd(range_)))
        return range_.begin - self._base, range_.end - self._base

    def _offset(self, location):
        offset = ctypes.c_uint()
        self._lib.clang_getFileLocation(location, None, None, None, ctypes.byref(offset))
        return offset.value

    def _spelling(self, cursor):
        return self._taken(self._lib.clang_getCursorSpelling(cursor))

    def _taken(self, string):
        """The text of libclang's string, which is given back."""
        text = (self._lib.clang_getCString(string) or b"").decode("latin-1")
        self._lib.clang_disposeString(string)
        return text
