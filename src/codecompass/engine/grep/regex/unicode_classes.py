"""Veil: texts in which one character stands for all of its kind.

Most patterns know only four kinds of characters beyond ASCII: digits, other parts of words, spaces, and the rest. To
spell all of Unicode's words into an expression makes it slow; a text in which each kind is one character needs none of
that. The two that are a case of an ASCII letter stay as they are, and so do bytes that are no UTF-8.
"""

import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

from codecompass.engine.grep.regex.case_folding import TWINS
from codecompass.engine.grep.regex.re2_syntax import Way, is_space, is_word
from codecompass.engine.grep.regex.regex_syntax import Charset, Either, Join, Letter, Node, Times

_DIGIT, _WORD, _SPACE, _REST = 0x660, 0xAA, 0xA0, 0xA7
_SAME = frozenset(ord(sign) for sign in TWINS.values())
_ESCAPED = range(0xDC80, 0xDD00)
"""How Python reads bytes that are no UTF-8."""
_ASCII = 0x80

VEILED = Way(((_DIGIT, _DIGIT),), tuple((code, code) for code in sorted({_DIGIT, _WORD, *_SAME})))
"""How a pattern is spelled for such texts."""


def is_veilable(node: Node) -> bool:
    """Whether a pattern tells no more of characters beyond ASCII than their kinds."""
    match node:
        case Letter():
            return node.code < _ASCII
        case Charset():
            return not any(one.name.startswith("p") for one in node.named) and all(
                high < _ASCII for _, high in node.ranges
            )
        case Join() | Either():
            return all(is_veilable(part) for part in node.parts)
        case Times():
            return is_veilable(node.node)
        case _:
            return True


class _Kinds(dict[int, int]):
    """Character → the one that stands for it, found when it is first asked for."""

    def __missing__(self, code: int) -> int:
        found = self[code] = _kind(code)
        return found


def _kind(code: int) -> int:
    if code < _ASCII or code in _SAME or code in _ESCAPED:
        return code
    if is_space(code):
        return _SPACE
    if not is_word(code):
        return _REST
    return _DIGIT if unicodedata.category(chr(code)) == "Nd" else _WORD


class _Found(NamedTuple):
    """A match behind the veil, by its places before it."""

    text: bytes
    at: int
    veiled: bytes
    span: tuple[int, int]

    def start(self) -> int:
        return self.at + self._before(self.span[0])

    def end(self) -> int:
        return self.at + self._before(self.span[1])

    def _before(self, place: int) -> int:
        return len(_bytes(_signs(self.text)[: len(_signs(self.veiled[:place]))]))


class VeiledFinder:
    """Finds lines as a pattern of RE2 does."""

    def __init__(self, pattern: Any) -> None:  # noqa: ANN401 - of RE2
        self._pattern = pattern
        self._kinds = _Kinds()

    def finditer(self, text: bytes, at: int = 0, end: int | None = None) -> Iterator[_Found]:
        """Whole lines, so nothing before them counts."""
        part = text[at:end]
        veiled = _bytes(_signs(part).translate(self._kinds))
        for match in self._pattern.finditer(veiled):
            yield _Found(part, at, veiled, match.span())


def _signs(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
