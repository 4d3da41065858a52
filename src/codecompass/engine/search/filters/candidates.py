"""Candidates: definitions, chunks and files that may match a query, each once."""

from dataclasses import dataclass, field
from typing import Protocol

Key = tuple[str, int, int]


def key_of(path: str, position: int, ordinal: int) -> Key:
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
    named: bool = False
    """Found by the symbol channel: its name is a word of the query."""
    whole_file: bool = False
    verbatim: float = 0.0
    """Share of the query's words that its chunk contains in order."""
    defined: bool = False
    """The query wants the definition itself; its chunk may be larger or smaller."""

    @property
    def key(self) -> Key:
        return key_of(self.path, self.position, self.ordinal)


@dataclass
class Pool:
    """All candidates of one query, by key."""

    candidates: dict[Key, Candidate] = field(default_factory=dict)
    text_total: int = 0
    text_found: int = 0
    relaxed: bool = False
    symbol_surplus: int = 0
    path_surplus: int = 0
    is_open: bool = False
    """There may be more candidates: those that were not fetched were not tested."""

    @property
    def total(self) -> int:
        """Number of matches, fetched or not; a lower bound if there may be more."""
        unseen = self.text_total - self.text_found
        return len(self.candidates) + unseen + self.symbol_surplus + self.path_surplus


class Judge(Protocol):
    """Tests candidates against the operators of a query."""

    loose: bool
    """Any of the words is enough; set if no candidate has them all."""

    def trusts_index(self) -> bool:
        """Whether results of the text index need no further test."""

    def passes(self, candidate: Candidate) -> bool: ...
