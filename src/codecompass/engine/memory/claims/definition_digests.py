"""Definition digests: hash a definition without its name, layout and comments, to detect changes of meaning."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from blake3 import blake3

from codecompass.engine.navigation.diff.fingerprint import BLOCKS, Worded

_CLOSING = frozenset(")]}>")
WORDED = "3:"
"""Version prefix of digests. Raise it when the rules change, so that older digests do not count as changes."""
_INDENTED = (".py", ".pyi", ".pyx", ".yml", ".yaml", ".nim", ".gd", ".coffee")
"""Files in which indentation is significant."""
_QUOTES = (".py", ".pyi", ".pyx", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_HOLE = re.compile(r"\$\{\s*(.*?)\s*\}", re.DOTALL)
_BINDING = 24
_SHOWN = 160


def wording_digest(held: Iterable[Worded]) -> str:
    """Hash the tokens of definitions without their names, layout and comments; a type includes its members."""
    hashed = blake3()
    for one in held:
        hashed.update("\x1f".join((one.group, *plain_words(one))).encode("utf-8", "replace"))
        hashed.update(b"\x1e")
    return WORDED + hashed.hexdigest(length=12)


def plain_words(one: Worded) -> list[str]:
    """Return the tokens of a definition without formatting; for a value, only the tokens it is bound to."""
    words = list(one.whole)
    path = one.sheet.path
    if path.endswith(".rs"):
        words = words[_attributes(words) :]
    if not path.endswith(_INDENTED):
        words = [word for word in words if word not in BLOCKS]
    if one.group == "value" and "=" in words[:_BINDING]:
        words = words[words.index("=") + 1 :]
    while words and words[-1] == ";":
        words.pop()
    if path.endswith(_SCRIPTS):
        words = _unstyled(words)
    # A comma before a closing bracket and the kind of quote are formatting.
    tokens = [word for word, after in pairwise((*words, "")) if word != "," or after not in _CLOSING]
    return [_quoted(word) for word in tokens] if path.endswith(_QUOTES) else tokens


def _attributes(words: Sequence[str]) -> int:
    """Count the tokens of Rust attributes before a definition; they do not belong to its body."""
    at = 0
    while words[at : at + 2] == ["#", "["]:
        depth, at = 1, at + 2
        while at < len(words) and depth:
            depth += {"[": 1, "]": -1}.get(words[at], 0)
            at += 1
    return at


def _unstyled(words: Sequence[str]) -> list[str]:
    """Remove what formatters change in JavaScript: semicolons, parentheses around one parameter, template spaces."""
    found: list[str] = []
    for word in words:
        if word == ";":
            continue
        if word == ">" and found[-4:-3] == ["("] and found[-2:] == [")", "="]:
            found[-4:] = [found[-3], "="]
        found.append(_HOLE.sub(r"${\1}", word) if word[:1] == "`" else word)
    return found


def _quoted(word: str) -> str:
    return f'"{word[1:-1]}"' if word[:1] == "'" and '"' not in word and "\\" not in word and len(word) > 1 else word


def is_bound_to(held: Sequence[Worded], value: str) -> bool:
    """Whether the single value among the definitions is bound to `value` now."""
    if not value or len(held) != 1 or held[0].group != "value":
        return False
    return _bare("".join(plain_words(held[0]))) == _bare(value)


def _bare(value: str) -> str:
    return "".join(value.split()).strip("'\"")


def size_of(held: Sequence[Worded]) -> int:
    """Count the tokens of definitions; a tiny definition resembles many others."""
    return sum(len(one.whole) for one in held)


def weightiest(held: Sequence[Worded]) -> Worded:
    """Select the definition to show from several with one name: functions and types before values."""
    return min(held, key=lambda one: one.group == "value")


def one_line(one: Worded) -> str:
    """Return a one-line quotation of a definition."""
    text = one.text if one.group == "value" else one.definition.signature or one.text
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
