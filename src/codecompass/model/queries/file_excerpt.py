"""File excerpt: a line range of one file, from the working tree or a ref."""

from dataclasses import dataclass

from codecompass.model.queries.results import ViewState
from codecompass.model.states import FreshnessPolicy


@dataclass(frozen=True, slots=True)
class ExcerptQuery:
    """The requested lines: by path and line numbers, or by the handle of an earlier result."""

    path: str | None = None
    handle: str | None = None
    first: int | None = None
    last: int | None = None
    ref: str | None = None
    freshness: FreshnessPolicy = "balanced"


@dataclass(frozen=True, slots=True)
class FileExcerpt:
    """The lines, without line terminators."""

    path: str
    language: str
    first: int
    """1-based number of the first line; 0 for an empty file."""
    lines: tuple[str, ...]
    total: int
    """Lines of the whole file."""
    digest: str
    """BLAKE3 of the file content."""
    state: ViewState
