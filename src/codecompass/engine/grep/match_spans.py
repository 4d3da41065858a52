"""Match spans: the places of all matches in one line, as ripgrep reports them."""

from typing import Any

from codecompass.engine.grep.regex.pattern import Expression
from codecompass.engine.grep.regex.re2_syntax import ASCII, build_dialect

Span = tuple[int, int]


class SpanFinder:
    """Finds the matches in lines. Not thread-safe."""

    def __init__(self, expression: Expression) -> None:
        self._expression = expression
        self._ascii: Any = None
        self._exact: Any = None
        self._exact_chars: set[str] = set()

    def find(self, line: bytes) -> list[Span]:
        """Return start and end of every match, in bytes; empty matches are included."""
        matcher = self._select_matcher(line)
        if self._expression.word_node is None:
            found = [match.span() for match in matcher.finditer(line)]
        else:
            found = _find_words(matcher, line)
        # An empty match directly behind another one is no match of its own.
        return [(a, b) for at, (a, b) in enumerate(found) if a < b or at == 0 or found[at - 1][1] < a]

    def _select_matcher(self, line: bytes) -> Any:  # noqa: ANN401 - of RE2
        if line.isascii():
            if self._ascii is None:
                self._ascii = self._expression.compile_span_matcher(ASCII)
            return self._ascii
        chars = set(line.decode("utf-8", "ignore"))
        if self._exact is None or not chars <= self._exact_chars:
            self._exact_chars |= chars
            self._exact = self._expression.compile_span_matcher(build_dialect(self._exact_chars))
        return self._exact


def _find_words(matcher: Any, line: bytes) -> list[Span]:  # noqa: ANN401 - of RE2
    """Find whole words; the character that ends one match may be the one before the next."""
    found: list[Span] = []
    at = 0
    while at <= len(line):
        match = matcher.search(line, _step_back(line, at))
        if match is not None and match.start(1) < at:
            match = matcher.search(line, at)
        if match is None or match.start(1) < at:
            break
        start, end = match.span(1)
        found.append((start, end))
        at = end if end > start else end + 1
    return found


def _step_back(line: bytes, at: int) -> int:
    """Return the offset of the character before an offset."""
    at = max(at - 1, 0)
    while at > 0 and 0x80 <= line[at] < 0xC0:
        at -= 1
    return at
