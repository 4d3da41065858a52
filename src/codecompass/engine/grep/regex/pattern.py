"""Grep patterns: compile a pattern for RE2 and derive its required trigrams, in time linear in the text."""

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
"""Memory in bytes that RE2 may use for one expression; repeated Unicode classes need much."""
_LARGE = 4_000
"""Program size above which an expression is slow to start; repeated Unicode classes are that large."""
_BYTES = "\\C*?"
_REST = _BYTES + "\\n"
"""The rest of a line, byte by byte, because not all bytes need be valid characters."""
_STRIDES = range(4, 17)
"""Possible numbers of matching lines that one expression consumes when lines are only counted."""
_LARGEST = 12_000
"""Maximum program size of a multi-line expression."""
HINT = "Patterns are RE2 expressions: no look-around, no back-references; escape literal signs as in 'foo\\(bar\\)'."


class Piece(NamedTuple):
    """A range of whole lines of a text and the RE2 pattern that searches it.

    The pattern matches from the first match in a line to the end of that line, including the line feed.
    """

    finder: Any
    start: int
    end: int


class Stride(NamedTuple):
    """An RE2 pattern that consumes text up to the end of the last of `lines` matching lines."""

    lines: int
    finder: Any


@dataclass
class Expression:
    """A compiled grep pattern with variants per kind of text; on ASCII texts the faster ASCII variant is equivalent."""

    pattern: str
    fold: bool
    node: Node
    _near: Any = None
    _signs: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, pattern: str, *, case_sensitive: bool) -> "Expression":
        """Compile a pattern; raise INVALID_REQUEST with the documented message if it is not valid."""
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
        """Matches lines of texts that are all ASCII."""
        return self._line(ASCII, ".*\\n")

    @cached_property
    def wide(self) -> Any:  # noqa: ANN401 - of RE2
        """Matches lines of any text; not to be used where `is_expensive`."""
        return self._line(WIDE, _REST)

    @cached_property
    def ascii_stride(self) -> Stride | None:
        """The multi-line variant for ASCII texts; None if it would be too large."""
        return self._stride(ASCII, self.ascii)

    @cached_property
    def wide_stride(self) -> Stride | None:
        """The multi-line variant for any text."""
        return self._stride(WIDE, self.wide)

    @cached_property
    def loose_stride(self) -> Stride | None:
        """The multi-line variant of `superset`."""
        return self._stride(LOOSE, self.loose)

    @cached_property
    def loose(self) -> Any:  # noqa: ANN401 - of RE2
        """Matches every line that may match, plus some non-ASCII lines that do not."""
        return self._line(LOOSE, _REST)

    def fitted(self, text: bytes) -> Any:  # noqa: ANN401 - of RE2
        """Return a matcher that is exact for the characters of this text and of the texts before it."""
        if self._veiled is not None:
            return self._veiled
        chars = set(text.decode("utf-8", "ignore"))
        if self._near is None or not chars <= self._signs:
            self._signs |= chars
            self._near = self._line(way_of(self._signs), _REST)
        return self._near

    @cached_property
    def _veiled(self) -> VeiledFinder | None:
        return VeiledFinder(self._line(VEILED, _REST)) if is_veilable(self.node) else None

    @cached_property
    def is_heavy(self) -> bool:
        """Whether Unicode classes make the expression slow to start or cannot be written in RE2 at all."""
        if self._spelled(LOOSE) == self._spelled(ASCII):
            return False
        return is_unnamed(self.node) or self.wide.programsize > _LARGE

    @cached_property
    def is_of_lines(self) -> bool:
        """Whether a match depends on its line only, so that texts can be joined."""
        return not {r"\A", r"\z"} & marks_of(self.node)

    def pieces(self, text: bytes) -> Iterator[Piece]:
        """Split a text into ranges, each with the pattern that searches it."""
        if text.isascii():
            yield Piece(self.ascii, 0, len(text))
        elif not self.is_heavy:
            yield Piece(self.wide, 0, len(text))
        else:
            yield from self._doubtful(text)

    def _doubtful(self, text: bytes) -> Iterator[Piece]:
        """Yield only the lines that may match, each as a range of its own."""
        at = 0
        for near in self.loose.finditer(text):
            start = text.rfind(b"\n", at, near.start()) + 1 or at
            at = near.end()
            line = text[start:at]
            yield Piece(self.ascii if line.isascii() else self.fitted(line), start, at)

    def _spelled(self, dialect: Way) -> str:
        return spell(self.node, fold=self.fold, dialect=dialect)

    def _stride(self, dialect: Way, line: Any) -> Stride | None:  # noqa: ANN401 - of RE2
        """Build one expression for several lines; its lazy gaps make RE2 prefer a match that skips no line."""
        lines = min(_LARGEST // line.programsize, _STRIDES[-1])
        if lines not in _STRIDES:
            return None
        one = f"{_BYTES}(?:{self._spelled(dialect)}){_REST}"
        try:
            return Stride(lines, _compiled(f"(?m:{one * lines})", self.pattern, fold=self.fold))
        except Failure:
            return None

    def _line(self, dialect: Way, rest: str) -> Any:  # noqa: ANN401 - of RE2
        return _compiled(f"(?m:(?:{self._spelled(dialect)}){rest})", self.pattern, fold=self.fold)


def invalid(pattern: str, reason: str) -> Failure:
    """Build the documented error for an invalid pattern."""
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
        message = error.args[0] if error.args else ""
        message = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        raise invalid(pattern, message) from None
    finally:
        # The re2 module caches the last hundred expressions with their tables; drop them to bound memory.
        re2.purge()
