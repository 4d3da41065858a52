"""Inverted index: postings of a corpus, and BM25 scores of a query."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codecompass.engine.memory.corpus import Kept
from codecompass.engine.memory.search.memory_query import Name, Question, Thing, letters_of
from codecompass.engine.memory.search.memory_tokens import root

K1 = 1.2
B = 0.6
_REACHED = 0.75
"""Share of the maximum BM25 score that a very good text reaches."""
_MANY_NAMED = 200
"""If more items contain all parts of a name, they are not searched for the name as one word."""


class Lexical(NamedTuple):
    """Lexical scores of every item."""

    score: NDArray[np.float32]
    covered: NDArray[np.float32]
    """Share of the query's weight that an item covers."""
    shared: NDArray[np.int32]
    """Number of query terms that an item contains."""
    unknown: float
    """Share of the query's weight that no item contains; an unknown name counts twice."""


class _Told(NamedTuple):
    """Scores of one query term for every item."""

    weight: float
    score: NDArray[np.float32]
    has: NDArray[np.float32]


@dataclass
class Shelf:
    """Postings of items: term → (item number, count)."""

    items: Sequence[Kept]
    vocabulary: dict[str, int]
    bounds: NDArray[np.intp]
    """Start of each term's postings, and the end of the last ones."""
    places: NDArray[np.int32]
    counts: NDArray[np.float32]
    lengths: NDArray[np.float32]
    lacking: int = 0
    """Number of items that are not indexed yet for lack of time."""

    @cached_property
    def families(self) -> dict[str, list[str]]:
        """Stem family → its terms in the vocabulary."""
        found: dict[str, list[str]] = {}
        for word in self.vocabulary:
            found.setdefault(root(word), []).append(word)
        return found

    @cached_property
    def mean(self) -> float:
        """Average number of terms of an item."""
        return max(float(self.lengths.mean()) if len(self.items) else 1.0, 1.0)

    def _posting(self, word: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        at = self.vocabulary.get(word)
        held = slice(int(self.bounds[at]), int(self.bounds[at + 1])) if at is not None else slice(0, 0)
        return self.places[held], self.counts[held]

    def weight(self, word: str) -> float:
        """Return the inverse document frequency of a term."""
        known = len(self._posting(word)[0])
        return math.log(1 + (len(self.items) - known + 0.5) / (known + 0.5))

    def lexical(self, question: Question) -> Lexical:
        """Compute BM25 of every item, normalized by the query's reachable maximum, and the coverage of the query."""
        size = len(self.items)
        total, covered = np.zeros(size, np.float32), np.zeros(size, np.float32)
        shared = np.zeros(size, np.int32)
        best = missing = 0.0
        strange = [name for name in question.names if not self._named(name)]
        parts = {word for name in strange for word in name.words}
        for term in question.things:
            written = self._written(term) if term.word not in parts else ()
            if not written:
                # A phrase that matches nothing does not count as a missing term.
                lost = self.weight(term.word) * term.emphasis if " " not in term.word else 0.0
                best, missing = best + lost, missing + lost
                continue
            found = self._told(term, written)
            best += found.weight
            total += found.score
            covered += found.has
            shared += found.has > 0
        lost = self.weight("") * len(strange)
        whole = max(best, 1e-9)
        reach = whole * (K1 + 1) * _REACHED
        return Lexical(total / reach, covered / whole, shared, (missing + lost) / (whole + lost))

    def _written(self, term: Thing) -> list[tuple[str, float]]:
        """Return (term, weight) for a query term and its synonyms in the vocabulary."""
        found = {term.word: 1.0} if term.word in self.vocabulary else {}
        for family, worth in term.others:
            for word in self.families.get(family, ()):
                found.setdefault(word, worth)
        return list(found.items())

    def _told(self, term: Thing, written: Sequence[tuple[str, float]]) -> "_Told":
        """Score one query term for every item: the best of the term and its synonyms."""
        rarity = {word: self.weight(word) for word, _ in written}
        weight = rarity.get(term.word, max(rarity.values())) * term.emphasis
        score, has = np.zeros(len(self.items), np.float32), np.zeros(len(self.items), np.float32)
        for word, worth in written:
            at, counts = self._posting(word)
            tells = weight if word == term.word else min(rarity[word], weight) * worth
            norm = K1 * (1 - B + B * self.lengths[at] / self.mean)
            score[at] = np.maximum(score[at], tells * counts * (K1 + 1) / (counts + norm))
            has[at] = np.maximum(has[at], tells)
        return _Told(weight, score, has)

    def _named(self, name: Name) -> bool:
        """Whether any item contains a name: all its parts, and the parts as one word."""
        held = [self._posting(word)[0] for word in name.words]
        found = held[0]
        for more in held[1:]:
            found = np.intersect1d(found, more)
        if len(held) == 1 or len(found) > _MANY_NAMED:
            return bool(len(found))
        return any(name.letters in letters_of(_text(self.items[int(at)])) for at in found)


def _text(entry: Kept) -> str:
    """Join all searched fields of an item."""
    item = entry.discovery
    return " ".join((item.title, item.content, *entry.paths[:4], item.module, *item.symbols))
