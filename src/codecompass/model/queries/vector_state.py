"""How far search by meaning and search by words go: values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SemanticState:
    """Whether the vectors of a view can be searched."""

    state: str
    """`on`; `building` while some files of the view have none yet; `off` where there is no model, or it fails."""
    model: str = ""
    dimensions: int = 0
    covered: int = 0
    """Files of the view that have vectors."""
    total: int = 0
    note: str = ""
    """Why it is off, or what is to be known."""


@dataclass(frozen=True, slots=True)
class WordsState:
    """The text index beside the catalog."""

    state: str
    """`on`; `unverified` where the version that made it did not count its documents; `damaged` where both are known
    to differ; `off` where nothing is published."""
    documents: int = 0
    strays: int = 0
    """Contents with documents that the catalog does not know: they never answer, and count in scores."""
    missing: int = 0
    """Contents of some view that have no documents: words do not find them."""
    dropped_hits: int = 0
    """Hits that were left out, since the project was opened, because the catalog does not know them."""
