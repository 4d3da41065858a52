"""Expression: a pattern made ready for RE2, and the trigrams it needs. Time stays linear whatever the pattern is."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import re2

from codecompass.engine.grep.regex.pattern_trigrams import grams_of
from codecompass.engine.grep.regex.re2_syntax import ASCII, LOOSE, WIDE, Way, is_unnamed, spell, way_of
from codecompass.engine.grep.regex.regex_syntax import Node, Strange, marks_of, parse
from codecompass.engine.grep.regex.unicode_classes import VEILED, VeiledFinder, is_veilable
from codecompass.errors import Failure
from codecompass.model.queries.grep_query import Grams

_MEMORY = 32 << 20
"""Bytes RE2 may use for one expression; Unicode classes that repeat need some."""
_LARGE = 4_000
"""Instructions beyond which an expression is slow to get going; classes of Unicode that repeat have so many."""
_BYTES = "\\C*?"
_REST = _BYTES + "\\n"
"""The rest of a line, byte by byte: not all of them need be characters."""
_STRIDES = range(4, 17)
"""Matching lines that one expression passes when lines are only counted."""
_LARGEST = 12_000
"""Instructions of an expression for so many lines."""
HINT = "Patterns are RE2 expressions: no look-around, no back-references; escape literal signs as in 'foo\\(bar\\)'."


class Piece(NamedTuple):
    """Whole lines of a text, and what finds matches in them: a pattern of RE2.

    It reaches from the first match in a line to the end of that line, the line feed included.
    """

    finder: Any
    start: int
    end: int


class Stride(NamedTuple):
    """A pattern of RE2 that reaches from anywhere to the end of the line that is the last of so many that match."""

    lines: int
    finder: Any


@dataclass
class Expression:
    """A pattern for texts of any kind; for texts that are all ASCII there may be a quicker one that says the same."""

    pattern: str
    fold: bool
    node: Node
    _near: Any = None
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
    def ascii(self) -> Any:  # noqa: ANN401 - of RE2
        """Finds lines in texts that are all ASCII."""
        return self._line(ASCII, ".*\\n")

    @cached_property
    def wide(self) -> Any:  # noqa: ANN401 - of RE2
        """Finds lines in any text; not to be used where `is_heavy`."""
        return self._line(WIDE, _REST)

    @cached_property
    def ascii_stride(self) -> Stride | None:
        """For texts that are all ASCII; None where it would be too large."""
        return self._stride(ASCII, self.ascii)

    @cached_property
    def wide_stride(self) -> Stride | None:
        """For any text."""
        return self._stride(WIDE, self.wide)

    @cached_property
    def loose_stride(self) -> Stride | None:
        """For lines that may match."""
        return self._stride(LOOSE, self.loose)

    @cached_property
    def loose(self) -> Any:  # noqa: ANN401 - of RE2
        """Finds every line that may match, and some besides that are not all ASCII."""
        return self._line(LOOSE, _REST)

    def fitted(self, text: bytes) -> Any:  # noqa: ANN401 - of RE2
        """Finds lines in a text whose characters are known, with those of the texts before it."""
        if self._veiled is not None:
            return self._veiled
        signs = set(text.decode("utf-8", "ignore"))
        if self._near is None or not signs <= self._signs:
            self._signs |= signs
            self._near = self._line(way_of(self._signs), _REST)
        return self._near

    @cached_property
    def _veiled(self) -> VeiledFinder | None:
        return VeiledFinder(self._line(VEILED, _REST)) if is_veilable(self.node) else None

    @cached_property
    def is_heavy(self) -> bool:
        """Whether classes of Unicode make the expression slow to get going, or cannot be written in it at all."""
        if self._spelled(LOOSE) == self._spelled(ASCII):
            return False
        return is_unnamed(self.node) or self.wide.programsize > _LARGE

    @cached_property
    def is_of_lines(self) -> bool:
        """Whether lines match or not whatever stands before and after them, so that texts can be joined."""
        return not {r"\A", r"\z"} & marks_of(self.node)

    def pieces(self, text: bytes) -> Iterator[Piece]:
        """Who looks at which part of a text."""
        if text.isascii():
            yield Piece(self.ascii, 0, len(text))
        elif not self.is_heavy:
            yield Piece(self.wide, 0, len(text))
        else:
            yield from self._doubtful(text)

    def _doubtful(self, text: bytes) -> Iterator[Piece]:
        """Only the lines that may match, each for itself."""
        at = 0
        for near in self.loose.finditer(text):
            start = text.rfind(b"\n", at, near.start()) + 1 or at
            at = near.end()
            line = text[start:at]
            yield Piece(self.ascii if line.isascii() else self.fitted(line), start, at)

    def _spelled(self, way: Way) -> str:
        return spell(self.node, fold=self.fold, way=way)

    def _stride(self, way: Way, line: Any) -> Stride | None:  # noqa: ANN401 - of RE2
        """One expression instead of many calls: the first of several ways to match is to leave out no line."""
        lines = min(_LARGEST // line.programsize, _STRIDES[-1])
        if lines not in _STRIDES:
            return None
        one = f"{_BYTES}(?:{self._spelled(way)}){_REST}"
        try:
            return Stride(lines, _compiled(f"(?m:{one * lines})", self.pattern, fold=self.fold))
        except Failure:
            return None

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
