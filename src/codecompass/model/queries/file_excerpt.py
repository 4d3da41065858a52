"""Excerpt: some lines of one file, as they stand in the working tree or at a ref."""

from dataclasses import dataclass

from codecompass.model.queries.results import ViewState


@dataclass(frozen=True, slots=True)
class ExcerptQuery:
    """Which lines: by path and numbers, or those an earlier result named."""

    path: str | None = None
    handle: str | None = None
    first: int | None = None
    last: int | None = None
    ref: str | None = None
    freshness: str = "balanced"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines, without their ends."""

    path: str
    language: str
    first: int
    """The number of the first line, counted from 1; 0 for an empty file."""
    lines: tuple[str, ...]
    total: int
    """Lines of the whole file."""
    digest: str
    """BLAKE3 of the content the lines are from."""
    state: ViewState
