"""A bundle: the code that best answers a question, within a budget."""

from dataclasses import dataclass, field

from codecompass.model.queries.results import ViewState

SECTIONS = ("definitions", "callers", "tests", "docs")


@dataclass(frozen=True, slots=True)
class BundleQuery:
    """A question and how much may be said."""

    text: str
    max_tokens: int = 4_000
    sections: tuple[str, ...] = SECTIONS
    language: str | None = None
    ref: str | None = None
    freshness: str = "balanced"


@dataclass(frozen=True, slots=True)
class Piece:
    """One run of source in a bundle."""

    section: str
    path: str
    line_start: int
    line_end: int
    language: str
    code: str
    """The lines as they stand, or the part of them that fits; what is missing is said inside."""
    why: str
    kind: str = ""
    name: str = ""
    symbol_id: str = ""
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that would have belonged to the bundle."""

    section: str
    path: str
    line_start: int
    name: str
    symbol_id: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    pieces: tuple[Piece, ...]
    tokens: int
    """Estimate of what the pieces cost."""
    left_out: tuple[Omission, ...]
    """The first of what was left out for want of room."""
    left_out_count: int
    total: int
    """Places that matched the question."""
    intent: str
    state: ViewState
    counts: dict[str, int] = field(default_factory=dict)
    """Pieces by section."""
