"""Match counter: counts matching lines in texts whose matches are no longer listed.

One RE2 call per line would cost more than the search itself, so texts are joined into blocks. Where many lines match,
one expression consumes several matching lines and everything between them. Which way is faster depends on the pattern
and the texts, so the counter measures it as it goes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from codecompass.engine.grep.regex.pattern import Expression, MultiLineMatcher

_BLOCK = 256 * 1024
"""Size in bytes of a block that is searched at once."""
_SAMPLE = 32 * 1024
"""Size in bytes of the sample on which multi-line matching is timed."""
_MAX_TRIALS = 3
"""Number of timings before multi-line matching is given up; a single one may be disturbed by other load."""
_MAX_BYTES_PER_MATCH = 2_500
"""Average bytes per matching line above which multi-line matching does not pay off."""


@dataclass
class _LineCounter:
    """Counts lines with a single-line pattern or, once it proves faster, with a multi-line one built on first use."""

    line_matcher: Callable[[], Any]
    multi_line_matcher: Callable[[], MultiLineMatcher | None]
    _trials: int = 0
    _is_faster: bool = False
    _active: MultiLineMatcher | None = None

    def count(self, text: bytes) -> int:
        began = time.perf_counter()
        total = self._count(text, self._active)
        spent = time.perf_counter() - began
        if total * _MAX_BYTES_PER_MATCH < len(text):
            self._active = None
        elif self._active is None and (self._is_faster or self._trials < _MAX_TRIALS):
            stride = self.multi_line_matcher()
            if stride is not None and not self._is_faster:
                self._trials += 1
                self._is_faster = self._is_quicker(stride, text, spent)
            self._active = stride if self._is_faster else None
        return total

    def _count(self, text: bytes, stride: MultiLineMatcher | None) -> int:
        total, at = 0, 0
        while stride is not None and (match := stride.matcher.match(text, at)) is not None:
            at = match.end()
            total += stride.lines
        return total + sum(1 for _ in self.line_matcher().finditer(text, at))

    def _is_quicker(self, stride: MultiLineMatcher, text: bytes, spent: float) -> bool:
        """Return whether multi-line matching is faster than the time spent on the text without it."""
        sample = text[: text.find(b"\n", _SAMPLE) + 1] or text
        times = []
        for _ in range(3):  # RE2 builds its tables during the first runs
            began = time.perf_counter()
            self._count(sample, stride)
            times.append(time.perf_counter() - began)
        return min(times) * len(text) < spent * len(sample)


@dataclass
class _Batch:
    """Collects texts until they are large enough to count at once."""

    count: Callable[[bytes], int]
    texts: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, text: bytes) -> int:
        self.texts.append(text)
        self.size += len(text)
        return self.finish() if self.size >= _BLOCK else 0

    def finish(self) -> int:
        joined, self.texts, self.size = b"".join(self.texts), [], 0
        return self.count(joined) if joined else 0


@dataclass
class MatchCounter:
    """Counts the matching lines of many texts, each ending with a line feed. Not thread-safe."""

    expression: Expression
    check: Callable[[], None]
    """Raises when the search must stop."""
    total: int = 0

    def __post_init__(self) -> None:
        expression = self.expression
        self._ascii_batch = _Batch(_LineCounter(lambda: expression.ascii, lambda: expression.ascii_multi_line).count)
        self._wide_batch = _Batch(_LineCounter(lambda: expression.wide, lambda: expression.wide_multi_line).count)
        self._superset_batch = _Batch(
            _LineCounter(lambda: expression.superset, lambda: expression.superset_multi_line).count
        )
        self._non_ascii_batch = _Batch(self._correct_superset)
        self._exact_batch = _Batch(lambda text: sum(1 for _ in expression.get_exact_matcher(text).finditer(text)))

    def add(self, text: bytes, at: int = 0) -> None:
        """Count the matching lines of a text from the offset `at`, which starts a line."""
        if not self.expression.is_line_local:
            for finder, start, end in self.expression.split_by_matcher(text):
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
        for batch in (
            self._ascii_batch,
            self._wide_batch,
            self._superset_batch,
            self._non_ascii_batch,
            self._exact_batch,
        ):
            self.total += batch.finish()
        return self.total

    def _add(self, text: bytes) -> None:
        if text.isascii():
            self.total += self._ascii_batch.add(text)
        elif not self.expression.is_expensive:
            self.total += self._wide_batch.add(text)
        else:
            # Count all lines that may match, subtract the uncertain ones, and add those of them that do match.
            self.total += self._superset_batch.add(text)
            lines = [line for line in text.split(b"\n") if not line.isascii()]
            self.total += self._non_ascii_batch.add(b"\n".join([*lines, b""]))

    def _correct_superset(self, text: bytes) -> int:
        """Return the correction for these lines: minus one for each that may match; the exact pattern recounts them."""
        at, found = 0, 0
        for near in self.expression.superset.finditer(text):
            start = text.rfind(b"\n", at, near.start()) + 1 or at
            at = near.end()
            found += self._exact_batch.add(text[start:at]) - 1
        return found
