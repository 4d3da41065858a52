"""Words: what is asked of the text index, whichever store has it, and what answers."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class TextHit:
    """One chunk that matched."""

    blob: int
    ordinal: int
    score: float


class Clause(NamedTuple):
    """A condition on the words of a chunk. A `not` stands only beside other items of an `all`."""

    kind: str
    """`word`, `all`, `any` or `not`."""
    word: tuple[str, tuple[str, ...]] = ("", ())
    """The whole word, and its parts when it has several."""
    items: "tuple[Clause, ...]" = ()
    share: float = 1.0
    """How much of what a word is worth counts."""


NAME_BOOST, PARTS_BOOST, NAME_PARTS_BOOST = 0.4, 0.3, 0.5
"""What a word counts besides when a name has it, and when only its parts are there, in the text and in a name."""


@dataclass(frozen=True, slots=True)
class TextQuery:
    """Words to find in chunks; each is (whole word, its parts)."""

    words: tuple[tuple[str, tuple[str, ...]], ...]
    every: bool
    language: str = ""
    limit: int = 100
    only: frozenset[int] | None = None
    """Blobs that may answer; None for all of the view."""
    prose: bool = False
    """Look only into comments and documentation."""
    clause: Clause | None = None
    """What operators make of the words; it takes their place."""


class TextAgreement(NamedTuple):
    """The text index beside the catalog it belongs to."""

    documents: int
    """How many it has."""
    proved: int | None
    """How many the publish that made it counted; None for an index of a version that did not count."""
    strays: int
    """Contents with documents that the catalog does not know."""
    missing: int
    """Contents that some view holds, without documents."""

    @property
    def holds(self) -> bool:
        """Whether both are known to say the same."""
        return self.proved == self.documents and not self.strays and not self.missing
