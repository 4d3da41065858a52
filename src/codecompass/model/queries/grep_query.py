"""Grep values: the query, its trigram condition, and the matching lines."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from codecompass.model.queries.filters import Filters
from codecompass.model.queries.results import ViewState
from codecompass.model.states import FreshnessPolicy


@dataclass(frozen=True, slots=True)
class TrigramQuery:
    """A boolean condition on the trigrams of a text: all `words` and `parts`, or with `any` one of them.

    Without words and parts it matches everything, or with `any` nothing.
    """

    any: bool = False
    words: frozenset[bytes] = frozenset()
    """Trigrams of bytes, ASCII letters in lower case."""
    parts: tuple["TrigramQuery", ...] = ()

    @property
    def matches_all(self) -> bool:
        return not self.any and not self.words and not self.parts

    @property
    def matches_none(self) -> bool:
        return self.any and not self.words and not self.parts


GrepOutput = Literal["excerpts", "lines", "files", "counts", "match_counts"]
"""What a search returns: shortened lines, whole lines with the places of all matches, files, or numbers by file."""


@dataclass(frozen=True, slots=True)
class GrepQuery:
    """A pattern, and the files to search."""

    pattern: str
    case_sensitive: bool = False
    glob: str | None = None
    filters: Filters = Filters()
    ref: str | None = None
    limit: int = 50
    freshness: FreshnessPolicy = "balanced"
    more_patterns: tuple[str, ...] = ()
    """Further patterns: a line matches if one of them does."""
    is_literal: bool = False
    """Patterns are plain texts, not expressions."""
    is_word: bool = False
    """A match has no word character directly before or after it."""
    is_inverted: bool = False
    """Lines that do not match are wanted."""
    globs: tuple[str, ...] = ()
    """Globs as ripgrep applies them: a leading `!` excludes, and the last that fits decides."""
    paths: tuple[str, ...] = ()
    """Files and directories to search; empty for the whole project."""
    languages: tuple[str, ...] = ()
    output: GrepOutput = "excerpts"
    wants_spans: bool = True
    """Whether whole lines come with the places of their matches, which costs time for each line."""
    before: int = 2
    after: int = 2
    """Context lines on each side."""


@dataclass(frozen=True, slots=True)
class GrepMatch:
    """One matching line: the 1-based byte column of its first match, and up to two context lines on each side."""

    path: str
    line: int
    column: int
    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    cut: bool = False
    """The text is truncated."""
    spans: tuple[tuple[int, int], ...] = ()
    """Start and end of every match in the text, in characters; only for whole lines."""


MatchListener = Callable[[Sequence[GrepMatch]], None]
"""Receives the matches of one file after the other, in order."""


@dataclass(frozen=True, slots=True)
class GrepAnswer:
    """Matching lines, ordered by path and line."""

    matches: tuple[GrepMatch, ...]
    total: int
    """Number of matching lines; a lower bound if `complete` is false."""
    searched: int
    """Files covered: scanned, or excluded by their trigrams."""
    milliseconds: float
    state: ViewState
    complete: bool = True
    commit: str = ""
    """The commit whose files were searched; empty for the working tree."""
    cut_files: tuple[str, ...] = ()
    """Files that were not or only partly searched because they are too large."""
    notes: tuple[str, ...] = ()
    """What was omitted, and why."""
    file_counts: tuple[tuple[str, int], ...] = ()
    """Files with a match and the number of matching lines, or of matches; only if the query asks for files."""
