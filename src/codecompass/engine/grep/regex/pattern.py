"""Grep patterns: compile a pattern for RE2 and derive its required trigrams, in time linear in the text."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import re2

from codecompass.engine.grep.regex.pattern_trigrams import extract_trigrams
from codecompass.engine.grep.regex.re2_syntax import (
    ASCII,
    SUPERSET,
    WIDE,
    Dialect,
    build_dialect,
    has_nested_nonword,
    render,
)
from codecompass.engine.grep.regex.regex_syntax import Node, UnsupportedSyntax, collect_assertions, parse
from codecompass.engine.grep.regex.unicode_classes import CLASS_FOLDED, ClassFoldedMatcher, can_fold_classes
from codecompass.errors import Failure
from codecompass.model.queries.grep_query import GrepQuery, TrigramQuery

_MEMORY = 32 << 20
"""Memory in bytes that RE2 may use for one expression; repeated Unicode classes need much."""
_LARGE_PROGRAM = 4_000
"""Program size above which an expression is slow to start; repeated Unicode classes are that large."""
_ANY_BYTES = "\\C*?"
_REST_OF_LINE = _ANY_BYTES + "\\n"
"""The rest of a line, byte by byte, because not all bytes need be valid characters."""
_LINES_PER_MATCH = range(4, 17)
"""Possible numbers of matching lines that one expression consumes when lines are only counted."""
_MAX_PROGRAM = 12_000
"""Maximum program size of a multi-line expression."""
PATTERN_HINT = (
    "Patterns are RE2 expressions: no look-around, no back-references; escape literal signs as in 'foo\\(bar\\)'."
)


class MatcherSpan(NamedTuple):
    """A range of whole lines of a text and the RE2 pattern that searches it.

    The pattern matches from the first match in a line to the end of that line, including the line feed.
    """

    matcher: Any
    start: int
    end: int


class MultiLineMatcher(NamedTuple):
    """An RE2 pattern that consumes text up to the end of the last of `lines` matching lines."""

    lines: int
    matcher: Any


@dataclass
class Expression:
    """A compiled grep pattern with variants per kind of text; on ASCII texts the faster ASCII variant is equivalent."""

    pattern: str
    fold: bool
    node: Node
    word_node: Node | None = None
    """The pattern without the characters beside it, if only whole words match."""
    _exact_matcher: Any = None
    _exact_chars: set[str] = field(default_factory=set)

    @classmethod
    def from_pattern(cls, pattern: str, *, case_sensitive: bool) -> "Expression":
        """Compile a pattern; raise INVALID_REQUEST with the documented message if it is not valid."""
        fold = not case_sensitive
        _compile(pattern, pattern, fold=fold)
        try:
            node = parse(pattern, fold=fold)
        except UnsupportedSyntax as strange:
            raise invalid_pattern(pattern, str(strange)) from None
        return cls(pattern, fold, node)

    @classmethod
    def from_query(cls, query: GrepQuery) -> "Expression":
        """Compile the patterns of a query into one expression; an error names the pattern that is not valid."""
        texts = (query.pattern, *query.more_patterns)
        fold = not query.case_sensitive
        if query.is_literal:
            texts = tuple(re2.escape(text) for text in texts)
        elif len(texts) > 1 or query.is_word:
            for text in texts:
                cls.from_pattern(text, case_sensitive=query.case_sensitive)
        joined = texts[0] if len(texts) == 1 else "|".join(f"(?:{text})" for text in texts)
        if not query.is_word:
            return cls.from_pattern(joined, case_sensitive=query.case_sensitive)
        # The characters beside a match belong to it, because RE2 cannot look at them otherwise; `compile_span_matcher`
        # leaves them out again.
        words = f"(?:^|\\W)(?:{joined})(?:\\W|$)"
        return cls(words, fold, parse(words, fold=fold), word_node=parse(joined, fold=fold))

    def compile_span_matcher(self, dialect: Dialect) -> Any:  # noqa: ANN401 - of RE2
        """Compile a matcher whose last group is one match."""
        if self.word_node is None:
            return _compile(f"(?m:({self._render(dialect)}))", self.pattern, fold=self.fold, captures=True)
        beside = render(parse(r"\W", fold=self.fold), fold=self.fold, dialect=dialect)
        inner = render(self.word_node, fold=self.fold, dialect=dialect)
        text = f"(?m:(?:^|{beside})({inner})(?:{beside}|$))"
        return _compile(text, self.pattern, fold=self.fold, captures=True)

    @cached_property
    def grams(self) -> TrigramQuery:
        return extract_trigrams(self.node)

    @cached_property
    def ascii(self) -> Any:  # noqa: ANN401 - of RE2
        """Matches lines of texts that are all ASCII."""
        return self._compile_line(ASCII, ".*\\n")

    @cached_property
    def wide(self) -> Any:  # noqa: ANN401 - of RE2
        """Matches lines of any text; not to be used where `is_expensive`."""
        return self._compile_line(WIDE, _REST_OF_LINE)

    @cached_property
    def ascii_multi_line(self) -> MultiLineMatcher | None:
        """The multi-line variant for ASCII texts; None if it would be too large."""
        return self._compile_multi_line(ASCII, self.ascii)

    @cached_property
    def wide_multi_line(self) -> MultiLineMatcher | None:
        """The multi-line variant for any text."""
        return self._compile_multi_line(WIDE, self.wide)

    @cached_property
    def superset_multi_line(self) -> MultiLineMatcher | None:
        """The multi-line variant of `superset`."""
        return self._compile_multi_line(SUPERSET, self.superset)

    @cached_property
    def superset(self) -> Any:  # noqa: ANN401 - of RE2
        """Matches every line that may match, plus some non-ASCII lines that do not."""
        return self._compile_line(SUPERSET, _REST_OF_LINE)

    def get_exact_matcher(self, text: bytes) -> Any:  # noqa: ANN401 - of RE2
        """Return a matcher that is exact for the characters of this text and of the texts before it."""
        if self._class_folded is not None:
            return self._class_folded
        chars = set(text.decode("utf-8", "ignore"))
        if self._exact_matcher is None or not chars <= self._exact_chars:
            self._exact_chars |= chars
            self._exact_matcher = self._compile_line(build_dialect(self._exact_chars), _REST_OF_LINE)
        return self._exact_matcher

    @cached_property
    def _class_folded(self) -> ClassFoldedMatcher | None:
        return (
            ClassFoldedMatcher(self._compile_line(CLASS_FOLDED, _REST_OF_LINE)) if can_fold_classes(self.node) else None
        )

    @cached_property
    def is_expensive(self) -> bool:
        """Whether Unicode classes make the expression slow to start or cannot be written in RE2 at all."""
        if self._render(SUPERSET) == self._render(ASCII):
            return False
        return has_nested_nonword(self.node) or self.wide.programsize > _LARGE_PROGRAM

    @cached_property
    def is_line_local(self) -> bool:
        """Whether a match depends on its line only, so that texts can be joined."""
        return not {r"\A", r"\z"} & collect_assertions(self.node)

    def split_by_matcher(self, text: bytes) -> Iterator[MatcherSpan]:
        """Split a text into ranges, each with the pattern that searches it."""
        if text.isascii():
            yield MatcherSpan(self.ascii, 0, len(text))
        elif not self.is_expensive:
            yield MatcherSpan(self.wide, 0, len(text))
        else:
            yield from self._split_candidate_lines(text)

    def _split_candidate_lines(self, text: bytes) -> Iterator[MatcherSpan]:
        """Yield only the lines that may match, each as a range of its own."""
        at = 0
        for near in self.superset.finditer(text):
            start = text.rfind(b"\n", at, near.start()) + 1 or at
            at = near.end()
            line = text[start:at]
            yield MatcherSpan(self.ascii if line.isascii() else self.get_exact_matcher(line), start, at)

    def _render(self, dialect: Dialect) -> str:
        return render(self.node, fold=self.fold, dialect=dialect)

    def _compile_multi_line(self, dialect: Dialect, line: Any) -> MultiLineMatcher | None:  # noqa: ANN401 - of RE2
        """Build one expression for several lines; its lazy gaps make RE2 prefer a match that skips no line."""
        lines = min(_MAX_PROGRAM // line.programsize, _LINES_PER_MATCH[-1])
        if lines not in _LINES_PER_MATCH:
            return None
        one = f"{_ANY_BYTES}(?:{self._render(dialect)}){_REST_OF_LINE}"
        try:
            return MultiLineMatcher(lines, _compile(f"(?m:{one * lines})", self.pattern, fold=self.fold))
        except Failure:
            return None

    def _compile_line(self, dialect: Dialect, rest: str) -> Any:  # noqa: ANN401 - of RE2
        return _compile(f"(?m:(?:{self._render(dialect)}){rest})", self.pattern, fold=self.fold)


def invalid_pattern(pattern: str, reason: str) -> Failure:
    """Build the documented error for an invalid pattern."""
    return Failure(
        "INVALID_REQUEST", "Invalid regex pattern", {"pattern": pattern, "details": reason[:200]}, PATTERN_HINT
    )


def _compile(expression: str, pattern: str, *, fold: bool, captures: bool = False) -> Any:  # noqa: ANN401 - of RE2
    options = re2.Options()
    options.case_sensitive = not fold
    options.never_capture = not captures
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return re2.compile(expression.encode(), options)
    except re2.error as error:
        message = error.args[0] if error.args else ""
        message = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        raise invalid_pattern(pattern, message) from None
    finally:
        # The re2 module caches the last hundred expressions with their tables; drop them to bound memory.
        re2.purge()
