"""What a caller asks for, after decoding: plain values without protocol words."""

from dataclasses import dataclass

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
