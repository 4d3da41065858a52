"""Search and navigation queries: decoded, independent of the protocol."""

from dataclasses import dataclass

from codecompass.model.queries.filters import Filters
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.states import (
    CallDirection,
    DetailLevel,
    FreshnessPolicy,
    HierarchyDirection,
    ResolutionFilter,
    SearchBackend,
    SearchMode,
    UseKind,
)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """One search: text and filters."""

    text: str
    ref: str | None = None
    language: str | None = None
    limit: int = 10
    detail: DetailLevel = "signature"
    freshness: FreshnessPolicy = "balanced"
    filters: Filters = Filters()
    """Results must match all of these."""
    without: Filters = Filters()
    """Results must match none of these."""
    mode: SearchMode = ""
    """One of `MODES`: only text of that kind; empty for every file in one list."""
    case_file: bool = False
    """Path patterns are case-sensitive."""
    case_tokens: bool = False
    """Words are case-sensitive."""
    backend: SearchBackend = "auto"
    context_lines: int = 0
    """Number of context lines around each result."""
    facts: str = ""
    """`brief`: offsets, documentation and context lines; `whole`: all details; empty: no details."""
    meaning: bool = True
    """Use vector similarity if the view has vectors; otherwise lexical search only."""


@dataclass(frozen=True, slots=True)
class LocateQuery:
    """One symbol lookup by name."""

    name: str
    kind: str | None = None
    language: str | None = None
    ref: str | None = None
    limit: int = 10
    detail: DetailLevel = "signature"
    freshness: FreshnessPolicy = "balanced"


@dataclass(frozen=True, slots=True)
class ReferenceQuery:
    """Find the uses of a symbol."""

    target: SymbolTarget
    ref: str | None = None
    limit: int = 50
    kinds: tuple[UseKind, ...] = ()
    """Only uses of these kinds; empty for all."""
    resolution: ResolutionFilter = "all"
    freshness: FreshnessPolicy = "balanced"
    explain: bool = False
    """Also list mentions that are proven not to be uses, with the reason."""


@dataclass(frozen=True, slots=True)
class GraphQuery:
    """Find the callers and callees of a symbol."""

    target: SymbolTarget
    direction: CallDirection = "both"
    depth: int = 1
    ref: str | None = None
    limit: int = 50
    """Edges in each direction."""
    freshness: FreshnessPolicy = "balanced"


@dataclass(frozen=True, slots=True)
class HierarchyQuery:
    """Find the enclosing definitions, supertypes and subtypes of a symbol."""

    target: SymbolTarget
    direction: HierarchyDirection = "both"
    depth: int = 3
    ref: str | None = None
    limit: int = 50
    freshness: FreshnessPolicy = "balanced"
