"""Candidates: definitions, chunks and files that may match a query, each once."""

from dataclasses import dataclass, field
from typing import Protocol

CandidateKey = tuple[str, int, int]


def make_key(path: str, position: int, ordinal: int) -> CandidateKey:
    """Return the key of a candidate; a definition has the same key whichever chunk it was found by."""
    return (path, position, -1) if position >= 0 else (path, -1, ordinal)


@dataclass(slots=True)
class Candidate:
    """A possible result: a definition, a chunk or a file."""

    path: str
    position: int = -1
    """Position of the definition in the file's facts, or -1."""
    ordinal: int = -1
    """Number of the chunk, or -1."""
    bm25: float = 0.0
    name_matched: bool = False
    """Found by the symbol channel: its name is a word of the query."""
    whole_file: bool = False
    verbatim: float = 0.0
    """Share of the query's words that its chunk contains in order."""
    similarity: float = 0.0
    """Cosine of its chunk with the query, where the vectors found it."""
    definition_requested: bool = False
    """The query wants the definition itself; its chunk may be larger or smaller."""

    @property
    def key(self) -> CandidateKey:
        return make_key(self.path, self.position, self.ordinal)


@dataclass
class CandidatePool:
    """All candidates of one query, by key."""

    candidates: dict[CandidateKey, Candidate] = field(default_factory=dict)
    text_total: int = 0
    text_fetched: int = 0
    relaxed: bool = False
    symbol_surplus: int = 0
    path_surplus: int = 0
    may_have_more: bool = False
    """There may be more candidates: those that were not fetched were not tested."""

    @property
    def total(self) -> int:
        """Number of matches, fetched or not; a lower bound if there may be more."""
        unseen = self.text_total - self.text_fetched
        return len(self.candidates) + unseen + self.symbol_surplus + self.path_surplus


class CandidateMatcher(Protocol):
    """Tests candidates against the operators of a query."""

    relaxed: bool
    """Any of the words is enough; set if no candidate has them all."""

    def can_trust_index(self) -> bool:
        """Whether results of the text index need no further test."""

    def matches(self, candidate: Candidate) -> bool: ...
