"""Mentions: identifiers, paths, modules and messages that a sentence or a piece of code names."""

import re
from collections.abc import Iterator

from codecompass.engine.search.issue.parts import Part

_TICKS = re.compile(r"(`{1,2})([^`\n]{1,300})\1")
_QUOTED = re.compile(r"(?<!\w)[\"“]([^\"“”\n]{12,200})[\"”](?!\w)|(?<!\w)'([^'\n]{12,200})'(?!\w)")
_URL = re.compile(r"\bhttps?://\S+")
_ENDINGS = (
    "py pyi pyx rb rs go js jsx mjs cjs ts tsx mts java kt kts scala cs php swift c cc cpp cxx h hpp hh hxx ex exs erl"
    " lua sh hs ml zig dart vue svelte html css scss sql proto toml yaml yml json cfg ini xml txt rst md"
)
_NAMED_FILE = rf"(?:[\w.@+~-]+[/\\])*[\w.@+~-]+\.(?:{'|'.join(_ENDINGS.split())})\b(?![\w/(])"
_PATH = re.compile(rf"(?<![\w/.-])(?:{_NAMED_FILE}|(?:[\w.@+-]+/){{2,}}[\w.@+-]+)")
_VERSION = re.compile(
    r"\bv?\d+\.\d+(?:\.\d+)*(?:[-.+]?(?:rc|alpha|beta|dev|post|b|a)\.?\d*)?\b|\b[0-9a-f]{7,40}\b|\(?#\d+\)?"
    r"|\b\d{4}-\d\d-\d\d\b"
)
_DOTTED = re.compile(r"(?<![\w.@/-])[A-Za-z_]\w*(?:(?:\.|::|#|->|\\)[A-Za-z_]\w*)+(?:\(\))?[!?]?")
_IDENTIFIER = re.compile(
    r"(?<![\w.])(?:[A-Za-z]\w*_\w+|_+[A-Za-z]\w*|[a-z]+[A-Z]\w*|(?:[A-Z]+[a-z0-9]+){2,}\w*|[A-Z]{2,}[a-z]+\w*)(?!\w)"
    r"|\b[A-Za-z_]\w+(?=\(\))"
)
_CALL = re.compile(r"\b([A-Za-z_]\w{2,})\s*(?=\()")
_SEPARATORS = re.compile(r"\.|::|#|->|\\")
_WORD = re.compile(r"[\w$]+[!?]?")
_CHAIN = re.compile(r"[\w$.:#>\\-]+(?:\(\))?[!?]?")
_CODE_SIGN = re.compile(r"[(){}=;]")
_NOT_CALLS = frozenset(
    "if for while switch return catch print println printf echo len str int list dict set assert range super require"
    " import isinstance type function def func fn sizeof defined typeof".split()
)
_ABBREVIATIONS = frozenset({"e.g", "i.e"})
_SHORTEST_MESSAGE = 3
"""Words from which on a quoted text may be a message."""


def find_mentions(line: str) -> tuple[list[Part], str]:
    """Return what a line of prose mentions, and the line without links, versions and directories."""
    found: list[Part] = []
    line = _URL.sub(" ", line)
    for _, inside in _TICKS.findall(line):
        found += _read_ticked(inside.strip())
    for one in _QUOTED.findall(line):
        text = next(filter(None, one), "")
        if len(text.split()) >= _SHORTEST_MESSAGE:
            found.append(Part("error", text))
    bare = _TICKS.sub(r" \2 ", line)
    found += [Part("path", match[0]) for match in _PATH.finditer(bare)]
    bare = _PATH.sub(lambda match: f" {_get_stem(match[0])} ", bare)
    found += [Part("version", match[0]) for match in _VERSION.finditer(bare)]
    bare = _VERSION.sub(" ", bare)
    found += find_names(bare)
    return found, bare


def find_names(text: str) -> Iterator[Part]:
    """Yield the identifiers of a text: dotted chains as modules, and words that only code has."""
    for match in _DOTTED.finditer(text):
        chain = match[0].removesuffix("()")
        pieces = _SEPARATORS.split(chain)
        if chain.lower() not in _ABBREVIATIONS and all(pieces):
            yield Part("module", "/".join(pieces))
            yield Part("name", pieces[-1])
    for match in _IDENTIFIER.finditer(text):
        yield Part("name", match[0])


def find_calls(line: str) -> Iterator[Part]:
    """Yield what a line of code calls, and the identifiers in it."""
    for match in _CALL.finditer(line):
        if match[1] not in _NOT_CALLS:
            yield Part("call", match[1])
    for match in _IDENTIFIER.finditer(line):
        yield Part("call", match[0])


def _read_ticked(text: str) -> Iterator[Part]:
    """Read what stands in back-ticks: a name, a path, a message or a line of code."""
    if _PATH.fullmatch(text):
        return
    if _WORD.fullmatch(text):
        yield Part("name", text)
    elif _CHAIN.fullmatch(text):
        pieces = [piece for piece in _SEPARATORS.split(text.removesuffix("()")) if piece]
        if pieces and _WORD.fullmatch(pieces[-1]):
            yield Part("name", pieces[-1])
    elif len(text.split()) > _SHORTEST_MESSAGE and not _CODE_SIGN.search(text):
        yield Part("error", text)
    else:
        yield from find_calls(text)


def _get_stem(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].partition(".")[0]
