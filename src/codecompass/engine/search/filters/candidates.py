"""Candidates: the places that may answer a query, each once."""

from dataclasses import dataclass, field
from typing import Protocol

Key = tuple[str, int, int]


def key_of(path: str, position: int, ordinal: int) -> Key:
    """One key for one place: a definition has it whatever chunk it was found by."""
    return (path, position, -1) if position >= 0 else (path, -1, ordinal)


@dataclass(slots=True)
class Candidate:
    """A place that may answer: a definition, a run of lines, or a file."""

    path: str
    position: int = -1
    """Of the definition in the file's facts, or -1."""
    ordinal: int = -1
    """Of the chunk, or -1."""
    bm25: float = 0.0
    named: bool = False
    """Found through the symbol channel: its name is a word of the query."""
    whole_file: bool = False
    verbatim: float = 0.0
    """The share of the query's words that stand in its chunk in their order."""
    defined: bool = False
    """The definition itself was asked for, by what it is; its chunk may show more or less than it."""

    @property
    def key(self) -> Key:
        return key_of(self.path, self.position, self.ordinal)


@dataclass
class Pool:
    """All candidates of one query, each place once."""

    candidates: dict[Key, Candidate] = field(default_factory=dict)
    text_total: int = 0
    text_found: int = 0
    relaxed: bool = False
    symbol_surplus: int = 0
    path_surplus: int = 0
    is_open: bool = False
    """There may be more than is counted here: what was not fetched was not tested either."""

    @property
    def total(self) -> int:
        """Everything that matched, fetched or not; at least so many where the pool is open."""
        unseen = self.text_total - self.text_found
        return len(self.candidates) + unseen + self.symbol_surplus + self.path_surplus


class Judge(Protocol):
    """Says of a candidate whether the operators of the query let it stand."""

    loose: bool
    """Any of the words will do; set when no place has them all."""

    def trusts_index(self) -> bool:
        """Whether chunks from the text index need no second look."""

    def passes(self, candidate: Candidate) -> bool: ...
