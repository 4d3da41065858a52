"""Text query: queries to the text index of any store, and their hits."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class TextHit:
    """One chunk that matched."""

    blob: int
    ordinal: int
    score: float


class QueryNode(NamedTuple):
    """A boolean condition on the words of a chunk. A `not` occurs only next to other items of an `all`."""

    kind: str
    """`word`, `all`, `any` or `not`."""
    word: tuple[str, tuple[str, ...]] = ("", ())
    """The whole word, and its parts when it has several."""
    items: "tuple[QueryNode, ...]" = ()
    weight: float = 1.0
    """The factor by which the word's score is multiplied."""


NAME_BOOST, PARTS_BOOST, NAME_PARTS_BOOST = 0.4, 0.3, 0.5
"""Boosts: for a word in a name, for all parts of a word in the text, and for all its parts in a name."""


@dataclass(frozen=True, slots=True)
class TextQuery:
    """A query for chunks by words; each word is (whole word, its parts)."""

    words: tuple[tuple[str, tuple[str, ...]], ...]
    require_all: bool
    language: str = ""
    limit: int = 100
    only: frozenset[int] | None = None
    """Blobs to search; None for all blobs of the view."""
    prose: bool = False
    """Search only comments and documentation."""
    clause: QueryNode | None = None
    """The boolean tree of a query with operators; replaces `words`."""


class TextAgreement(NamedTuple):
    """The text index compared with its catalog."""

    documents: int
    """The number of documents in the text index."""
    proved: int | None
    """The number counted when it was published; None for an index of a version that did not count."""
    strays: int
    """Blobs with documents that are not in the catalog."""
    missing: int
    """Blobs that a view references and that have no documents."""

    @property
    def is_consistent(self) -> bool:
        """Whether the text index is known to match the catalog."""
        return self.proved == self.documents and not self.strays and not self.missing
