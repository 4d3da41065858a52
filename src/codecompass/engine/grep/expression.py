"""Expression: a pattern made ready for RE2, and the trigrams it needs. Time stays linear whatever the pattern is."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import re2

from codecompass.engine.grep.grams import grams_of
from codecompass.engine.grep.spelling import ASCII, LOOSE, WIDE, Way, is_unnamed, spell, way_of
from codecompass.engine.grep.syntax import Node, Strange, parse
from codecompass.errors import Failure
from codecompass.model.grep import Grams

_MEMORY = 32 << 20
"""Bytes RE2 may use for one expression; Unicode classes that repeat need some."""
_LARGE = 4_000
"""Instructions beyond which an expression is slow to get going; classes of Unicode that repeat have so many."""
_REST = "\\C*?\\n"
"""The rest of a line, byte by byte: not all of them need be characters."""
HINT = "Patterns are RE2 expressions: no look-around, no back-references; escape literal signs as in 'foo\\(bar\\)'."


@dataclass(frozen=True, slots=True)
class Finder:
    """What is asked of one text. Both are patterns of RE2."""

    line: Any
    """From the first match in a line to its end, the line feed included."""
    run: Any
    """Whole neighbouring lines that match, all at once; None where that would be too large."""


class Piece(NamedTuple):
    """Whole lines of a text, and what finds matches in them."""

    finder: Finder
    start: int
    end: int


@dataclass
class Expression:
    """A pattern for texts of any kind; for texts that are all ASCII there may be a quicker one that says the same."""

    pattern: str
    fold: bool
    node: Node
    _near: Finder | None = None
    _signs: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, pattern: str, *, case_sensitive: bool) -> "Expression":
        """INVALID_REQUEST in the documented words for what is no pattern."""
        fold = not case_sensitive
        _compiled(pattern, pattern, fold=fold)
        try:
            node = parse(pattern, fold=fold)
        except Strange as strange:
            raise invalid(pattern, str(strange)) from None
        return cls(pattern, fold, node)

    @cached_property
    def grams(self) -> Grams:
        return grams_of(self.node)

    @cached_property
    def ascii(self) -> Finder:
        return self._finder(ASCII, ".*\\n")

    @cached_property
    def wide(self) -> Finder:
        return self._finder(WIDE, _REST)

    def pieces(self, text: bytes) -> Iterator[Piece]:
        """Who looks at which part of a text."""
        if text.isascii():
            yield Piece(self.ascii, 0, len(text))
        elif not self._is_heavy:
            yield Piece(self.wide, 0, len(text))
        else:
            yield from self._split(text)

    @cached_property
    def _is_heavy(self) -> bool:
        """Whether classes of Unicode make the expression slow to get going, or cannot be written in it at all."""
        if self._spelled(LOOSE) == self._spelled(ASCII):
            return False
        return is_unnamed(self.node) or self.wide.line.programsize > _LARGE

    def _split(self, text: bytes) -> Iterator[Piece]:
        """Lines that are all ASCII apart from the others, and of these only those that may match."""
        at, fitted = 0, None
        for match in _BEYOND.finditer(text):
            first, last = match.span()
            if first > at:
                yield Piece(self.ascii, at, first)
            for near in self._loose.finditer(text, first, last):
                start = text.rfind(b"\n", first, near.start()) + 1 or first
                fitted = fitted or self._fitted(text)
                yield Piece(fitted, start, near.end())
            at = last
        if at < len(text):
            yield Piece(self.ascii, at, len(text))

    @cached_property
    def _loose(self) -> Any:  # noqa: ANN401 - of RE2
        """Finds every line that may match, and some besides."""
        return self._line(LOOSE, _REST)

    def _fitted(self, text: bytes) -> Finder:
        """For a text whose characters are known, with those of the texts before it."""
        signs = set(text.decode("utf-8", "ignore"))
        if self._near is None or not signs <= self._signs:
            self._signs |= signs
            self._near = Finder(self._line(way_of(self._signs), _REST), None)
        return self._near

    def _spelled(self, way: Way) -> str:
        return spell(self.node, fold=self.fold, way=way)

    def _finder(self, way: Way, rest: str) -> Finder:
        try:
            run = _compiled(f"(?m:(?:.*(?:{self._spelled(way)}).*\\n)+)", self.pattern, fold=self.fold)
        except Failure:
            run = None
        return Finder(self._line(way, rest), run)

    def _line(self, way: Way, rest: str) -> Any:  # noqa: ANN401 - of RE2
        return _compiled(f"(?m:(?:{self._spelled(way)}){rest})", self.pattern, fold=self.fold)


def invalid(pattern: str, reason: str) -> Failure:
    """The documented error."""
    return Failure("INVALID_REQUEST", "Invalid regex pattern", {"pattern": pattern, "details": reason[:200]}, HINT)


def _compiled(expression: str, pattern: str, *, fold: bool) -> Any:  # noqa: ANN401 - of RE2
    options = re2.Options()
    options.case_sensitive = not fold
    options.never_capture = True
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return re2.compile(expression.encode(), options)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        said = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise invalid(pattern, said) from None
    finally:
        # The module keeps the last hundred expressions, with tables as large as each was allowed to make.
        re2.purge()


def _beyond_ascii() -> Any:  # noqa: ANN401 - of RE2
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(rb"(?:[^\n]*[\x80-\xff][^\n]*\n)+", options)


_BEYOND = _beyond_ascii()
