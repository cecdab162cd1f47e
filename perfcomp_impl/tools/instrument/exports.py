"""What a library's version script hides is hidden from the rest of the program: perfcomp's runtime would be there twice,
and each would take the other's probes for the program's time. So the script's copy, which is linked with, lets it through."""

import os
import re

_COMMENT = r"/\*.*?\*/|#[^\n]*"
_FIRST_NODE = re.compile(rf"(?:[^{{/#]|{_COMMENT})*\{{(?:\s|{_COMMENT})*(?:global\s*:|(?=(local)\s*:))?", re.S)
_LETS_THROUGH = " pfc__*; __wrap_*; "
_OPTION = re.compile(r"(--?version-script)(?:=(.*))?")


def _linker_words(words):
    """(which word, which part of it, text) of all that goes to the linker."""
    for at, word in enumerate(words):
        if word.startswith("-Wl,"):
            for part, text in enumerate(word.split(",")[1:], 1):
                yield at, part, text
        elif at and words[at - 1] == "-Xlinker":
            yield at, 0, word


def _copy(path, folder):
    """Of the script, in `folder`; the script itself where it isn't one, or can't be read: the linker will say why."""
    try:
        with open(path, encoding="latin-1") as file:
            text = file.read()
    except OSError:
        return path
    first = _FIRST_NODE.match(text)
    if not first:
        return path
    label = " global:" if first[1] else ""
    copy = os.path.join(folder, "%d.ver" % len(os.listdir(folder)))
    with open(copy, "w", encoding="latin-1") as file:
        file.write(text[:first.end()] + label + _LETS_THROUGH + text[first.end():])
    return copy


def let_through(words, folder):
    """The link command with copies of its version scripts, in the folder that `folder()` makes."""
    words, named = list(words), False
    for at, part, text in list(_linker_words(words)):
        option = _OPTION.fullmatch(text)
        if not named and (not option or option[2] is None):
            named = bool(option)               # the next one is its name
            continue
        path = text if named else option[2]
        replaced = _copy(path, folder()) if named else "%s=%s" % (option[1], _copy(path, folder()))
        named = False
        parts = words[at].split(",") if part else [words[at]]
        parts[part] = replaced
        words[at] = ",".join(parts)
    return words
