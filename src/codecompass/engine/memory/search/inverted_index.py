"""Postings: the words of a corpus turned round, and what a question finds among them."""

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
"""Share of the most that BM25 could give which a very good text reaches."""
_MANY_NAMED = 200
"""Items with all the parts of a name beyond which it is not looked for as one word."""


class Lexical(NamedTuple):
    """What words say of every item."""

    score: NDArray[np.float32]
    covered: NDArray[np.float32]
    """Which share of what is asked an item speaks of."""
    shared: NDArray[np.int32]
    """Of how many things."""
    unknown: float
    """Share of what is asked that is written nowhere; a name that is written nowhere counts twice."""


class _Told(NamedTuple):
    """What one thing that is asked says of every item."""

    weight: float
    score: NDArray[np.float32]
    has: NDArray[np.float32]


@dataclass
class Shelf:
    """The words of items turned round, word → (item, how often)."""

    items: Sequence[Kept]
    vocabulary: dict[str, int]
    bounds: NDArray[np.intp]
    """Where the postings of each word begin, and where the last ones end."""
    places: NDArray[np.int32]
    counts: NDArray[np.float32]
    lengths: NDArray[np.float32]
    lacking: int = 0
    """Items that there was no time for; they have no words yet."""

    @cached_property
    def families(self) -> dict[str, list[str]]:
        """Root → the words of it that some item has."""
        found: dict[str, list[str]] = {}
        for word in self.vocabulary:
            found.setdefault(root(word), []).append(word)
        return found

    @cached_property
    def mean(self) -> float:
        """Words of an item, on average."""
        return max(float(self.lengths.mean()) if len(self.items) else 1.0, 1.0)

    def _posting(self, word: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        at = self.vocabulary.get(word)
        held = slice(int(self.bounds[at]), int(self.bounds[at + 1])) if at is not None else slice(0, 0)
        return self.places[held], self.counts[held]

    def weight(self, word: str) -> float:
        """How much a word tells: the fewer discoveries have it, the more."""
        known = len(self._posting(word)[0])
        return math.log(1 + (len(self.items) - known + 0.5) / (known + 0.5))

    def lexical(self, question: Question) -> Lexical:
        """BM25 of every item as a share of what the question could reach, and how much of the question it has."""
        size = len(self.items)
        total, covered = np.zeros(size, np.float32), np.zeros(size, np.float32)
        shared = np.zeros(size, np.int32)
        best = missing = 0.0
        strange = [name for name in question.names if not self._named(name)]
        parts = {word for name in strange for word in name.words}
        for thing in question.things:
            written = self._written(thing) if thing.word not in parts else ()
            if not written:
                # What only a phrase would say is no word that is missing.
                lost = self.weight(thing.word) * thing.emphasis if " " not in thing.word else 0.0
                best, missing = best + lost, missing + lost
                continue
            found = self._told(thing, written)
            best += found.weight
            total += found.score
            covered += found.has
            shared += found.has > 0
        lost = self.weight("") * len(strange)
        whole = max(best, 1e-9)
        reach = whole * (K1 + 1) * _REACHED
        return Lexical(total / reach, covered / whole, shared, (missing + lost) / (whole + lost))

    def _written(self, thing: Thing) -> list[tuple[str, float]]:
        """(word, worth) of the words for a thing that some item has."""
        found = {thing.word: 1.0} if thing.word in self.vocabulary else {}
        for family, worth in thing.others:
            for word in self.families.get(family, ()):
                found.setdefault(word, worth)
        return list(found.items())

    def _told(self, thing: Thing, written: Sequence[tuple[str, float]]) -> "_Told":
        """What one thing adds to every item: of all the words for it the one that tells most."""
        rarity = {word: self.weight(word) for word, _ in written}
        weight = rarity.get(thing.word, max(rarity.values())) * thing.emphasis
        score, has = np.zeros(len(self.items), np.float32), np.zeros(len(self.items), np.float32)
        for word, worth in written:
            at, counts = self._posting(word)
            tells = weight if word == thing.word else min(rarity[word], weight) * worth
            norm = K1 * (1 - B + B * self.lengths[at] / self.mean)
            score[at] = np.maximum(score[at], tells * counts * (K1 + 1) / (counts + norm))
            has[at] = np.maximum(has[at], tells)
        return _Told(weight, score, has)

    def _named(self, name: Name) -> bool:
        """Whether some item has a name: all its parts, and those as one word."""
        held = [self._posting(word)[0] for word in name.words]
        found = held[0]
        for more in held[1:]:
            found = np.intersect1d(found, more)
        if len(held) == 1 or len(found) > _MANY_NAMED:
            return bool(len(found))
        return any(name.letters in letters_of(_text(self.items[int(at)])) for at in found)


def _text(kept: Kept) -> str:
    """Everything of an item that is searched."""
    item = kept.discovery
    return " ".join((item.title, item.content, *kept.paths[:4], item.module, *item.symbols))
