"""What a caller asks for, after decoding: plain values without protocol words."""

from dataclasses import dataclass

from codecompass.model.queries.filters import Filters
from codecompass.model.queries.navigation_queries import Target

DETAIL_LEVELS = ("location", "signature", "context")
FRESHNESS_POLICIES = ("strict", "balanced", "best_effort")
EXPLAIN_LEVELS = ("off", "basic", "full")
INTENTS = ("symbol", "path", "error", "natural_language")


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """One search: words, and what narrows them."""

    text: str
    ref: str | None = None
    language: str | None = None
    limit: int = 10
    detail: str = "signature"
    freshness: str = "balanced"
    filters: Filters = Filters()
    """All must hold for what is found."""
    without: Filters = Filters()
    """None may hold."""
    mode: str = ""
    """One of `MODES`: only text of that kind; empty for every file in one list."""
    case_file: bool = False
    """Patterns of paths tell upper from lower case."""
    case_tokens: bool = False
    """So do the words."""
    backend: str = "auto"
    context_lines: int = 0
    """Lines of the source around each result."""
    facts: str = ""
    """`brief`: offsets, documentation and the lines around; `whole`: all that is known; empty: none of it."""
    meaning: bool = True
    """What is near in meaning counts, where there are vectors; otherwise words and names alone."""


@dataclass(frozen=True, slots=True)
class LocateQuery:
    """One look-up of a name."""

    name: str
    kind: str | None = None
    language: str | None = None
    ref: str | None = None
    limit: int = 10
    detail: str = "signature"
    freshness: str = "balanced"


@dataclass(frozen=True, slots=True)
class ReferenceQuery:
    """Where a symbol is used."""

    target: Target
    ref: str | None = None
    limit: int = 50
    kinds: tuple[str, ...] = ()
    """Only uses of these kinds; empty for all."""
    resolution: str = "all"
    """`resolved`, `ambiguous` (and better) or `all`."""
    freshness: str = "balanced"
    explain: bool = False
    """Also list the mentions of the name that are proved to be no uses, with the proof."""


@dataclass(frozen=True, slots=True)
class GraphQuery:
    """Who calls a symbol, and whom it calls."""

    target: Target
    direction: str = "both"
    """`callers`, `callees` or `both`."""
    depth: int = 1
    ref: str | None = None
    limit: int = 50
    """Edges in each direction."""
    freshness: str = "balanced"


@dataclass(frozen=True, slots=True)
class HierarchyQuery:
    """What a symbol stands in, and the types above and below it."""

    target: Target
    direction: str = "both"
    """`up`, `down` or `both`."""
    depth: int = 3
    ref: str | None = None
    limit: int = 50
    freshness: str = "balanced"
