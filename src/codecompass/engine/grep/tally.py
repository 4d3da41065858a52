"""Tally: how many lines match in texts of which nothing else is wanted any more.

A call of RE2 for each line would cost more than the search itself. So texts are joined, and where lines match often one
expression passes over many of them: a stride of matching lines and whatever stands between. Which way is quicker
depends on the pattern and the texts, and is measured as they come.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from codecompass.engine.grep.expression import Expression, Stride

_BLOCK = 256 * 1024
"""Bytes that are looked at together."""
_SAMPLE = 32 * 1024
"""Bytes on which it is measured whether strides are quicker."""
_OFTEN = 1 / 64
"""Matches in a line, on average, from which on they may be."""


@dataclass
class _Counter:
    """Counts lines with a pattern for single ones, and one for strides that is made when it is first needed."""

    line: Callable[[], Any]
    stride: Callable[[], Stride | None]
    _often: float = _OFTEN
    _proved: bool = False
    _striding: Stride | None = None

    def count(self, text: bytes) -> int:
        total = self._count(text, self._striding)
        share = total / text.count(b"\n")
        if share < self._often:
            self._striding = None
        elif self._striding is None and (stride := self.stride()) is not None:
            self._proved = self._proved or self._is_quicker(stride, text)
            self._striding = stride if self._proved else None
            # Of lines that match more often it may be otherwise.
            self._often = self._often if self._proved else 2 * share
        return total

    def _count(self, text: bytes, stride: Stride | None) -> int:
        total, at = 0, 0
        while stride is not None and (match := stride.finder.match(text, at)) is not None:
            at = match.end()
            total += stride.lines
        return total + sum(1 for _ in self.line().finditer(text, at))

    def _is_quicker(self, stride: Stride, text: bytes) -> bool:
        sample = text[: text.find(b"\n", _SAMPLE) + 1]
        self._count(sample, stride)  # the tables of RE2 grow at first
        times = []
        for way in (stride, None):
            began = time.perf_counter()
            self._count(sample, way)
            times.append(time.perf_counter() - began)
        return times[0] < times[1]


@dataclass
class _Pile:
    """Texts that wait until they are worth a look."""

    look: Callable[[bytes], int]
    texts: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, text: bytes) -> int:
        self.texts.append(text)
        self.size += len(text)
        return self.finish() if self.size >= _BLOCK else 0

    def finish(self) -> int:
        joined, self.texts, self.size = b"".join(self.texts), [], 0
        return self.look(joined) if joined else 0


@dataclass
class Tally:
    """The number of matching lines; texts end with a line feed. For one thread."""

    expression: Expression
    check: Callable[[], None]
    """Raises when the search is to end."""
    total: int = 0

    def __post_init__(self) -> None:
        made = self.expression
        self._plain = _Pile(_Counter(lambda: made.ascii, lambda: made.ascii_stride).count)
        self._wide = _Pile(_Counter(lambda: made.wide, lambda: made.wide_stride).count)
        self._other = _Pile(self._doubt)
        self._doubted = _Pile(lambda text: sum(1 for _ in made.fitted(text).finditer(text)))

    def add(self, text: bytes, at: int = 0) -> None:
        """Count the lines of a text from a line on."""
        if not self.expression.is_of_lines:
            for finder, start, end in self.expression.pieces(text):
                if end > at:
                    self.total += sum(1 for _ in finder.finditer(text, max(start, at), end))
            return
        while at < len(text):
            end = text.find(b"\n", at + _BLOCK) + 1 if len(text) - at > 2 * _BLOCK else 0
            self._add(text[at : end or len(text)])
            at = end or len(text)
            self.check()

    def finish(self) -> int:
        """Count what still waits; the number of all."""
        for pile in (self._other, self._plain, self._wide, self._doubted):
            self.total += pile.finish()
        return self.total

    def _add(self, text: bytes) -> None:
        if text.isascii():
            self.total += self._plain.add(text)
        elif not self.expression.is_heavy:
            self.total += self._wide.add(text)
        else:
            lines = text.split(b"\n")
            # The last is empty: it is what stands after the last line feed.
            self.total += self._plain.add(b"\n".join([line for line in lines if line.isascii()]))
            self.total += self._other.add(b"\n".join([*(line for line in lines if not line.isascii()), b""]))

    def _doubt(self, text: bytes) -> int:
        """Of lines that are not all ASCII only those that may match are looked at with an expression of their own."""
        at, found = 0, 0
        for near in self.expression.loose.finditer(text):
            start = text.rfind(b"\n", at, near.start()) + 1 or at
            at = near.end()
            found += self._doubted.add(text[start:at])
        return found
