"""Which functions a unit declares not to return. One that is missed costs an interval, one too many a wrong count."""

import re

_BUILTINS = "__builtin_unreachable", "__builtin_trap", "__builtin_abort", "__builtin_exit", "__builtin_longjmp"
_NORETURN = re.compile(r"oreturn(?:(?<=\bnoreturn)|(?<=\b__noreturn)(?:__)?|(?<=\b_Noreturn))\b")  # a literal's search is fast
_IN_PARENTHESES = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
_ATTRIBUTES = re.compile(r"\b__attribute(?:__)?\s*\(\s*(%s)\s*\)|\b__declspec\s*(%s)|\[\s*(\[[^]]*\])\s*\]"
                         % (_IN_PARENTHESES, _IN_PARENTHESES))
_NOT_PARAMETERS = re.compile(r"\b(?:__asm__|asm|__asm|_Alignas|alignas|_Atomic|__typeof__|__typeof|typeof)\s*" + _IN_PARENTHESES)
_NO_CODE = re.compile(r"^\s*#[^\n]*$|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.M)
_WITH_PARAMETERS = re.compile("([A-Za-z_$][\\w$]*)\\s*\1")   # of a text whose parentheses are collapsed
_NAME_ALONE = re.compile(r"\(\s*([A-Za-z_$][\w$]*)\s*\)(?=\s*\()") # so that no macro of that name is meant
_NOT_NAMES = frozenset("void int char long short unsigned signed float double const if while for switch "
                       "return sizeof".split())


def names(text):
    """Those of such functions in a preprocessed text, the compiler's own among them."""
    found, end = set(_BUILTINS), 0
    for match in _NORETURN.finditer(text):
        if match.start() < end or '"' in _NO_CODE.sub("", text[text.rfind("\n", 0, match.start()) + 1:match.start()]):
            continue                           # known already, or in a string
        start = max(text.rfind(c, 0, match.start()) for c in ";{}") + 1
        end = min((e for e in (text.find(c, match.end()) for c in ";{") if e >= 0), default=len(text))
        for declarator in _collapsed(_marked(text[start:end])).split(","):
            declarator = declarator.partition("=")[0]
            name = _WITH_PARAMETERS.search(declarator.replace("\0", " ")) if "\0" in declarator else None
            if name and name[1] not in _NOT_NAMES:
                found.add(name[1])
    return found


def _marked(declaration):
    """With a zero for each noreturn, and without other attributes."""
    def mark(attribute):
        inside = _collapsed(attribute[attribute.lastindex][1:-1])
        return "\0" if _NORETURN.search(inside) else " "

    declaration = _ATTRIBUTES.sub(mark, _NO_CODE.sub("", declaration))
    return _NAME_ALONE.sub(r" \1 ", _NOT_PARAMETERS.sub(" ", declaration)).replace("_Noreturn", "\0")


def _collapsed(text):
    """With one character for what is in parentheses."""
    found = True
    while found:
        text, found = re.subn(r"\([^()]*\)", "\1", text)
    return text
