"""Match counter: counts matching lines in texts whose matches are no longer listed.

One RE2 call per line would cost more than the search itself, so texts are joined into blocks. Where many lines match,
one expression consumes several matching lines and everything between them. Which way is faster depends on the pattern
and the texts, so the counter measures it as it goes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from codecompass.engine.grep.regex.pattern import Expression, Stride

_BLOCK = 256 * 1024
"""Size in bytes of a block that is searched at once."""
_SAMPLE = 32 * 1024
"""Size in bytes of the sample on which multi-line matching is timed."""
_TRIALS = 3
"""Number of timings before multi-line matching is given up; a single one may be disturbed by other load."""
_SELDOM = 2_500
"""Average bytes per matching line above which multi-line matching does not pay off."""


@dataclass
class _Counter:
    """Counts lines with a single-line pattern or, once it proves faster, with a multi-line one built on first use."""

    line: Callable[[], Any]
    stride: Callable[[], Stride | None]
    _trials: int = 0
    _proved: bool = False
    _striding: Stride | None = None

    def count(self, text: bytes) -> int:
        began = time.perf_counter()
        total = self._count(text, self._striding)
        spent = time.perf_counter() - began
        if total * _SELDOM < len(text):
            self._striding = None
        elif self._striding is None and (self._proved or self._trials < _TRIALS):
            stride = self.stride()
            if stride is not None and not self._proved:
                self._trials += 1
                self._proved = self._is_quicker(stride, text, spent)
            self._striding = stride if self._proved else None
        return total

    def _count(self, text: bytes, stride: Stride | None) -> int:
        total, at = 0, 0
        while stride is not None and (match := stride.finder.match(text, at)) is not None:
            at = match.end()
            total += stride.lines
        return total + sum(1 for _ in self.line().finditer(text, at))

    def _is_quicker(self, stride: Stride, text: bytes, spent: float) -> bool:
        """Return whether multi-line matching is faster than the time spent on the text without it."""
        sample = text[: text.find(b"\n", _SAMPLE) + 1] or text
        times = []
        for _ in range(3):  # RE2 builds its tables during the first runs
            began = time.perf_counter()
            self._count(sample, stride)
            times.append(time.perf_counter() - began)
        return min(times) * len(text) < spent * len(sample)


@dataclass
class _Pile:
    """Collects texts until they are large enough to count at once."""

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
    """Counts the matching lines of many texts, each ending with a line feed. Not thread-safe."""

    expression: Expression
    check: Callable[[], None]
    """Raises when the search must stop."""
    total: int = 0

    def __post_init__(self) -> None:
        expression = self.expression
        self._plain = _Pile(_Counter(lambda: expression.ascii, lambda: expression.ascii_stride).count)
        self._wide = _Pile(_Counter(lambda: expression.wide, lambda: expression.wide_stride).count)
        self._loose = _Pile(_Counter(lambda: expression.loose, lambda: expression.loose_stride).count)
        self._other = _Pile(self._doubt)
        self._doubted = _Pile(lambda text: sum(1 for _ in expression.fitted(text).finditer(text)))

    def add(self, text: bytes, at: int = 0) -> None:
        """Count the matching lines of a text from the offset `at`, which starts a line."""
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
        """Count the remaining texts and return the total."""
        for batch in (self._plain, self._wide, self._loose, self._other, self._doubted):
            self.total += batch.finish()
        return self.total

    def _add(self, text: bytes) -> None:
        if text.isascii():
            self.total += self._plain.add(text)
        elif not self.expression.is_heavy:
            self.total += self._wide.add(text)
        else:
            # Count all lines that may match, subtract the uncertain ones, and add those of them that do match.
            self.total += self._loose.add(text)
            lines = [line for line in text.split(b"\n") if not line.isascii()]
            self.total += self._other.add(b"\n".join([*lines, b""]))

    def _doubt(self, text: bytes) -> int:
        """Return the correction for these lines: minus one for each that may match; the exact pattern recounts them."""
        at, found = 0, 0
        for near in self.expression.loose.finditer(text):
            start = text.rfind(b"\n", at, near.start()) + 1 or at
            at = near.end()
            found += self._doubted.add(text[start:at]) - 1
        return found
