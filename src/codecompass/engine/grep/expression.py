"""Expression: a pattern made ready for RE2, and the trigrams it needs. Time stays linear whatever the pattern is."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import re2

from codecompass.engine.grep.grams import grams_of
from codecompass.engine.grep.spelling import spell
from codecompass.engine.grep.syntax import Node, Strange, parse
from codecompass.errors import Failure
from codecompass.model.grep import Grams

_MEMORY = 32 << 20
"""Bytes RE2 may use for one expression; Unicode classes that repeat need some."""
_LARGE = 4_000
"""Instructions beyond which an expression is slow to get going; classes of Unicode that repeat have so many."""
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
        return self._finder(self._spelled)

    @cached_property
    def wide(self) -> Finder:
        spelled = spell(self.node, fold=self.fold, way="wide")
        return self.ascii if spelled == self._spelled else self._finder(spelled)

    def pieces(self, text: bytes) -> Iterator[Piece]:
        """Who looks at which part of a text. A large expression is spared the lines that are all ASCII."""
        if text.isascii() or self.wide.line.programsize <= _LARGE or self.wide is self.ascii:
            yield Piece(self.ascii if text.isascii() else self.wide, 0, len(text))
            return
        at = 0
        for match in _BEYOND.finditer(text):
            first, last = match.span()
            if first > at:
                yield Piece(self.ascii, at, first)
            for near in self._loose.finditer(text, first, last):
                start = text.rfind(b"\n", first, near.start()) + 1 or first
                yield Piece(self.wide, start, near.end())
            at = last
        if at < len(text):
            yield Piece(self.ascii, at, len(text))

    @cached_property
    def _spelled(self) -> str:
        return spell(self.node, fold=self.fold, way="ascii")

    @cached_property
    def _loose(self) -> Any:  # noqa: ANN401 - of RE2
        """Finds every line that may match, and some besides."""
        spelled = spell(self.node, fold=self.fold, way="loose")
        return _compiled(f"(?m:(?:{spelled}).*\\n)", self.pattern, fold=self.fold)

    def _finder(self, spelled: str) -> Finder:
        line = _compiled(f"(?m:(?:{spelled}).*\\n)", self.pattern, fold=self.fold)
        try:
            run = _compiled(f"(?m:(?:.*(?:{spelled}).*\\n)+)", self.pattern, fold=self.fold)
        except Failure:
            run = None
        return Finder(line, run)


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
