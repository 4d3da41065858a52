"""States of the vector index and the text index of a view."""

from dataclasses import dataclass

from codecompass.model.states import SemanticSwitch, TextIndexCondition


@dataclass(frozen=True, slots=True)
class SemanticState:
    """The state of semantic search for a view."""

    state: SemanticSwitch
    """`on`; `building` while some files of the view lack vectors; `off` without a working model."""
    model: str = ""
    dimensions: int = 0
    covered: int = 0
    """Number of files of the view with vectors."""
    total: int = 0
    note: str = ""
    """Why it is off, or a note."""


@dataclass(frozen=True, slots=True)
class TextIndexState:
    """The state of the text index relative to the catalog."""

    state: TextIndexCondition
    """`on`; `unverified` if the version that built it did not count its documents; `damaged` if text index and catalog
    differ; `off` if nothing is published."""
    documents: int = 0
    strays: int = 0
    """Blobs with documents that the catalog does not know: never returned, but counted in scores."""
    missing: int = 0
    """Blobs of a view without documents: not found by text search."""
    dropped_hits: int = 0
    """Hits dropped since the project was opened, because the catalog does not know them."""
