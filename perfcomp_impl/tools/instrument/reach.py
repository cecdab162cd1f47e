"""Which of a unit's functions can run: compilers leave out a header's static functions that the unit doesn't use, and
tables of them would only take room and time.

A function is used when its name stands anywhere but in its own declarations and in what isn't used itself. The text is
preprocessed, so that no macro hides a name.
"""

import re

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_NOT_DECLARED = re.compile(r"[A-Za-z_$][\w$]*\b(?!\s*\()")  # outside of functions nothing is called
_USED_UNSEEN = re.compile(r"\b_*(?:constructor|destructor|used|retain|alias)_*\b")


def reached(source, definitions):
    """The definitions that are the user's and can run."""
    optional = {f.name: f for f in definitions if _is_optional(source, f)}
    found = optional.keys() & _roots(source.text, definitions, optional) if optional else set()
    new = list(found)
    while new:
        function = optional[new.pop()]
        inner = (optional.keys() & _names(source.text, function)) - found
        found |= inner
        new += inner
    return [f for f in definitions
            if not source.is_system(f.start) and (f.name in found or optional.get(f.name) is not f)]


def _is_optional(source, function):
    """Whether it is a header's static function, which is compiled only where it is used."""
    text = source.text
    head = max(text.rfind(c, 0, function.start) for c in ";}") + 1
    return (function.static and source.place(function.start)[0] != 0 and not source.is_system(function.start)
            and not _USED_UNSEEN.search(text, head, text.find("{", function.start)))


def _roots(text, definitions, optional):
    """The names that stand in functions which are compiled in any case, and outside of functions."""
    names, end = set(), 0
    for function in definitions:
        names.update(_NOT_DECLARED.findall(text, end, function.start))
        if optional.get(function.name) is not function:
            names |= _names(text, function)
        end = max(end, function.end)
    names.update(_NOT_DECLARED.findall(text, end))
    return names


def _names(text, function):
    return set(_NAME.findall(text, function.start, function.end))
