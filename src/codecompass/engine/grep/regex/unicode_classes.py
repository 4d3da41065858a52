"""Unicode classes: match texts in which one character represents all characters of its class.

Most patterns distinguish only four classes of non-ASCII characters: digits, other word characters, spaces, and the
rest. An expression that lists all Unicode word characters is slow; a text in which each class is folded into one
character does not need that. The two case variants of ASCII letters stay as they are, and so do bytes that are not
valid UTF-8.
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
"""Code points to which Python's surrogateescape maps bytes that are not valid UTF-8."""
_ASCII = 0x80

VEILED = Way(((_DIGIT, _DIGIT),), tuple((code, code) for code in sorted({_DIGIT, _WORD, *_SAME})))
"""The dialect of patterns for folded texts."""


def is_veilable(node: Node) -> bool:
    """Return whether a pattern distinguishes non-ASCII characters only by class."""
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
    """Maps a character to the representative of its class, computed on first use."""

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
    """A match in a folded text, with offsets in the original text."""

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
    """Matches lines of folded texts, with the interface of an RE2 pattern."""

    def __init__(self, pattern: Any) -> None:  # noqa: ANN401 - of RE2
        self._pattern = pattern
        self._kinds = _Kinds()

    def finditer(self, text: bytes, at: int = 0, end: int | None = None) -> Iterator[_Found]:
        """Match whole lines, so the text before `at` has no influence."""
        part = text[at:end]
        folded = _bytes(_signs(part).translate(self._kinds))
        for match in self._pattern.finditer(folded):
            yield _Found(part, at, folded, match.span())


def _signs(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
