"""Which of a unit's functions can run: compilers leave out a header's static functions that the unit doesn't use, and
tables of them would only take room and time.

A function is used when its name stands anywhere but in its own declarations and in what isn't used itself. The text is
preprocessed, so that no macro hides a name.
"""

import re

_LETTER, _MORE = r"[A-Za-z_$\x80-\xff]", r"[\w$\x80-\xff]"
NAME = re.compile(_LETTER + _MORE + "*")
_UNIVERSAL = re.compile(r"\\[uU]")           # a letter by its number: libclang spells it otherwise

# Outside of functions: a name that isn't followed by a parenthesis isn't declared there as a function; one that follows
# an operator or `return` is called, in a function that libclang couldn't read.
_NOT_DECLARED = re.compile(_LETTER + _MORE + "*(?!" + _MORE + r"|\s*\()")
_CALLED = re.compile(r"(?:[^\s\w$*)\x80-\xff]|\breturn|\belse|\bdo)\s*(" + _LETTER + _MORE + r"*)\s*\(")

# What uses a function unseen: attributes, of which the name may be put together by the preprocessor; assembler; OpenMP.
_UNSEEN = re.compile(r"\b_*(?:constructor|destructor|used|retain|alias)_*\b")
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_PRAGMA = re.compile(r"^\s*#\s*pragma[^\n]*", re.M)
_BETWEEN_STRINGS = re.compile(r'"\s*"')


def reached(source, definitions):
    """The definitions that are the user's and can run."""
    users = [f for f in definitions if not source.is_system(body(source.text, f))]  # its first word may be a system's macro
    optional = {f.name: f for f in users if f.static and source.place(f.start)[0] != 0}
    if not optional or _UNIVERSAL.search(source.text):
        return users
    found = optional.keys() & _roots(source.text, definitions, optional)
    new = list(found)
    while new:
        function = optional[new.pop()]
        inner = (optional.keys() & _names(source.text, function)) - found
        found |= inner
        new += inner
    return [f for f in users if f.name in found or optional.get(f.name) is not f]


def body(text, function):
    return text.find("{", function.start)


def _roots(text, definitions, optional):
    """The names that stand in functions which are compiled in any case, and outside of functions."""
    names = set()
    for start, end in outside(text, definitions):
        names |= names_outside(text[start:end])
    for function in definitions:
        if optional.get(function.name) is not function:
            names |= _names(text, function)
    return names


def outside(text, definitions):
    """What stands outside of functions' bodies: (start, end) of each stretch."""
    start = 0
    for function in definitions:
        yield start, body(text, function)
        start = max(start, function.end)
    yield start, len(text)


def names_outside(text):
    names = set(_NOT_DECLARED.findall(text))
    names.update(_CALLED.findall(text))
    for said in _PRAGMA.findall(text) + _STRING.findall(text):
        names.update(NAME.findall(said))
    for match in _UNSEEN.finditer(text):
        start = max(text.rfind(c, 0, match.start()) for c in ";}") + 1
        stop = text.find(";", match.end())
        names.update(NAME.findall(_BETWEEN_STRINGS.sub("", text[start:stop if stop >= 0 else len(text)])))
    return names


def _names(text, function):
    return set(NAME.findall(text, function.start, function.end))
