"""Promises to the compiler that an instrumented function doesn't keep: one that is `pure` or `const` changes nothing, but
now it counts, and may be timed. Who calls it, itself if it is recursive, would keep counters in registers meanwhile, and
write back what the call has outdated. So they are taken out, as by gcc --coverage; then each call of the source is made.
"""

import re

_ARGUMENTS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_LITERAL = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_LISTS = re.compile(r"//[^\n]*|/\*.*?\*/|%s|\b__attribute(?:__)?\s*\(\s*(?P<old>\((?:[^()]|%s)*\))\s*\)|\[\s*(?P<new>\[[^]]*\])\s*\]"
                    % (_LITERAL, _ARGUMENTS), re.S)
_GIVEN = re.compile(r"%s|(?<=\w)\s*%s" % (_LITERAL, _ARGUMENTS))
_PROMISE = re.compile(r"(?<![\w$])(?:(?:__)?gnu(?:__)?\s*::\s*)?(?:__)?(?:pure|const|reproducible|unsequenced)(?:__)?(?![\w$])")


def taken_out(text, is_kept=lambda offset: False):
    """The text, as long as before, without them, but for those in attributes that begin where `is_kept`."""
    def without(match):
        if not match.lastgroup or not _PROMISE.search(match[0]) or is_kept(match.start()):
            return match[0]
        start, end = match.span(match.lastgroup)
        return text[match.start():start] + _blanked(match[match.lastgroup]) + text[end:match.end()]

    return _LISTS.sub(without, text)


def _blanked(attributes):
    """Such a list with blanks for them."""
    names = _GIVEN.sub(lambda part: "." * len(part[0]), attributes)
    for promise in _PROMISE.finditer(names):
        attributes = attributes[:promise.start()] + re.sub(r"\S", " ", promise[0]) + attributes[promise.end():]
    return attributes
