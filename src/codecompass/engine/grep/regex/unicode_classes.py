"""Unicode classes: match texts in which one character represents all characters of its class.

Most patterns distinguish only four classes of non-ASCII characters: digits, other word characters, spaces, and the
rest. An expression that lists all Unicode word characters is slow; a text in which each class is folded into one
character does not need that. The two case variants of ASCII letters stay as they are, and so do bytes that are not
valid UTF-8.
"""

import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

from codecompass.engine.grep.regex.case_folding import NON_ASCII_CASES
from codecompass.engine.grep.regex.re2_syntax import Dialect, is_space, is_word
from codecompass.engine.grep.regex.regex_syntax import Alternation, Charset, Concatenation, LiteralChar, Node, Repeat

_DIGIT, _WORD, _SPACE, _REST = 0x660, 0xAA, 0xA0, 0xA7
_UNFOLDED = frozenset(ord(sign) for sign in NON_ASCII_CASES.values())
_SURROGATES = range(0xDC80, 0xDD00)
"""Code points to which Python's surrogateescape maps bytes that are not valid UTF-8."""
_ASCII = 0x80

CLASS_FOLDED = Dialect(((_DIGIT, _DIGIT),), tuple((code, code) for code in sorted({_DIGIT, _WORD, *_UNFOLDED})))
"""The dialect of patterns for folded texts."""


def can_fold_classes(node: Node) -> bool:
    """Return whether a pattern distinguishes non-ASCII characters only by class."""
    match node:
        case LiteralChar():
            return node.code < _ASCII
        case Charset():
            return not any(one.name.startswith("p") for one in node.named) and all(
                high < _ASCII for _, high in node.ranges
            )
        case Concatenation() | Alternation():
            return all(can_fold_classes(part) for part in node.parts)
        case Repeat():
            return can_fold_classes(node.node)
        case _:
            return True


class _FoldTable(dict[int, int]):
    """Maps a character to the representative of its class, computed on first use."""

    def __missing__(self, code: int) -> int:
        found = self[code] = _fold_char(code)
        return found


def _fold_char(code: int) -> int:
    if code < _ASCII or code in _UNFOLDED or code in _SURROGATES:
        return code
    if is_space(code):
        return _SPACE
    if not is_word(code):
        return _REST
    return _DIGIT if unicodedata.category(chr(code)) == "Nd" else _WORD


class _FoldedMatch(NamedTuple):
    """A match in a folded text, with offsets in the original text."""

    text: bytes
    at: int
    folded: bytes
    span: tuple[int, int]

    def start(self) -> int:
        return self.at + self._to_original_offset(self.span[0])

    def end(self) -> int:
        return self.at + self._to_original_offset(self.span[1])

    def _to_original_offset(self, place: int) -> int:
        return len(_encode(_decode(self.text)[: len(_decode(self.folded[:place]))]))


class ClassFoldedMatcher:
    """Matches lines of folded texts, with the interface of an RE2 pattern."""

    def __init__(self, pattern: Any) -> None:  # noqa: ANN401 - of RE2
        self._pattern = pattern
        self._fold_table = _FoldTable()

    def finditer(self, text: bytes, at: int = 0, end: int | None = None) -> Iterator[_FoldedMatch]:
        """Match whole lines, so the text before `at` has no influence."""
        part = text[at:end]
        folded = _encode(_decode(part).translate(self._fold_table))
        for match in self._pattern.finditer(folded):
            yield _FoldedMatch(part, at, folded, match.span())


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
