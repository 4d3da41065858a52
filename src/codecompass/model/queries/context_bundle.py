"""Context bundle: the most relevant code for a query, within a token budget."""

from dataclasses import dataclass, field
from typing import get_args

from codecompass.model.queries.results import ViewState
from codecompass.model.states import BundleSection, FreshnessPolicy

SECTIONS: tuple[BundleSection, ...] = get_args(BundleSection)


@dataclass(frozen=True, slots=True)
class ContextBundleQuery:
    """A query and its token budget."""

    text: str
    max_tokens: int = 4_000
    sections: tuple[BundleSection, ...] = SECTIONS
    language: str | None = None
    ref: str | None = None
    freshness: FreshnessPolicy = "balanced"


@dataclass(frozen=True, slots=True)
class ContextSnippet:
    """One range of source lines in a bundle."""

    section: str
    path: str
    line_start: int
    line_end: int
    language: str
    code: str
    """The lines, or the part that fits the budget; omissions are marked inside."""
    why: str
    kind: str = ""
    name: str = ""
    symbol_id: str = ""
    whole: bool = True


@dataclass(frozen=True, slots=True)
class OmittedSnippet:
    """A relevant snippet that did not fit the budget."""

    section: str
    path: str
    line_start: int
    name: str
    symbol_id: str = ""


@dataclass(frozen=True, slots=True)
class ContextBundle:
    pieces: tuple[ContextSnippet, ...]
    tokens: int
    """Estimated tokens of all snippets."""
    left_out: tuple[OmittedSnippet, ...]
    """The first omitted snippets."""
    left_out_count: int
    total: int
    """Number of matches of the query."""
    intent: str
    state: ViewState
    counts: dict[str, int] = field(default_factory=dict)
    """Number of snippets by section."""
