"""Grep: a pattern that is looked for in lines, what letters it needs, and the lines it was found in."""

from dataclasses import dataclass

from codecompass.model.queries.filters import Filters
from codecompass.model.queries.results import ViewState


@dataclass(frozen=True, slots=True)
class Grams:
    """A condition on the trigrams of a text: all `words` and all `parts`, or with `any` one of them.

    Without words and parts everything passes, or with `any` nothing.
    """

    any: bool = False
    words: frozenset[bytes] = frozenset()
    """Runs of three bytes, ASCII letters in lower case."""
    parts: tuple["Grams", ...] = ()

    @property
    def is_everything(self) -> bool:
        return not self.any and not self.words and not self.parts

    @property
    def is_nothing(self) -> bool:
        return self.any and not self.words and not self.parts


@dataclass(frozen=True, slots=True)
class GrepQuery:
    """What is looked for, and where."""

    pattern: str
    case_sensitive: bool = False
    glob: str | None = None
    filters: Filters = Filters()
    ref: str | None = None
    limit: int = 50
    freshness: str = "balanced"


@dataclass(frozen=True, slots=True)
class GrepMatch:
    """One line that matches: where the first match in it begins, in bytes from 1, and two lines around it."""

    path: str
    line: int
    column: int
    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    cut: bool = False
    """Its text is not the whole line."""


@dataclass(frozen=True, slots=True)
class GrepAnswer:
    """Lines in the order of paths and lines."""

    matches: tuple[GrepMatch, ...]
    total: int
    """Lines that match; with `complete` false at least so many."""
    searched: int
    """Files the answer speaks of, looked into or ruled out by their trigrams."""
    milliseconds: float
    state: ViewState
    complete: bool = True
    commit: str = ""
    """The commit whose files were searched; empty for the working tree."""
    cut_files: tuple[str, ...] = ()
    """Files whose end, or all of which, was not searched because they are too large."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""
