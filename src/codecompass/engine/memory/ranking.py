"""Ranking: which discoveries answer a question.

Words weigh by how rare they are; vectors of single sentences bring paraphrases. A question about something that is
written nowhere is not answered, and neither is one of which a discovery shares but a word: a weak guess is worse than
none. The numbers were chosen on questions about public repositories (`bench/memory`, the half that is for choosing).
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codecompass.embed.embedder import Embedder
from codecompass.engine.memory.corpus import Kept
from codecompass.engine.memory.wording import PRIORS, STATES, words_of
from codecompass.model.result import Factor

K1 = 1.2
B = 0.6
LEXICAL, SEMANTIC = 0.7, 0.3
FLOOR = 0.15
"""The least score; what is returned is scaled so that the best that was ever seen comes near one."""
SCALE = 1.6
UNKNOWN = 0.4
"""Share of a question's weight in words that no discovery has, from which it is about something else."""
_FEW = 0.3
_SMALL = 300
"""A memory of few discoveries has few words: less than so many, and up to so much more may be unknown to it."""
COVERED = 0.6
"""Share of the question's weight that one discovery must have to answer it all the same."""
ALIKE = 0.6
"""A cosine that stands for the same thing said in other words."""
WORDS = 2
"""Words of the question that a discovery must have, if the question has so many."""
_WINDOWS = 8
_MANY = 20_000
"""Items beyond which each has one vector only: memory and the first answer stay bounded."""
_PER_PATH = 2
"""Hits of one file that stand together at the top; more say the same."""
_CUT = re.compile(r"(?<=[.!?])\s+|\n")
_LEAST = 15


class Scored(NamedTuple):
    """One candidate with what made its score."""

    kept: Kept
    score: float
    factors: tuple[Factor, ...]


@dataclass
class Shelfmark:
    """The words of a corpus, turned round: word → (item, how often). Built once for a corpus."""

    items: Sequence[Kept]
    postings: dict[str, tuple[NDArray[np.int32], NDArray[np.float32]]]
    lengths: NDArray[np.float32]
    vectors: NDArray[np.float16] | None
    """Of the sentences of every item, in their order, each of length one."""
    starts: NDArray[np.intp]
    """Where the sentences of each item begin."""

    @staticmethod
    def of(items: Sequence[Kept], embedder: Embedder | None) -> "Shelfmark":
        raw: dict[str, list[tuple[int, int]]] = {}
        lengths = np.zeros(len(items), np.float32)
        for at, kept in enumerate(items):
            counts = Counter(_text_words(kept))
            lengths[at] = sum(counts.values())
            for word, count in counts.items():
                raw.setdefault(word, []).append((at, count))
        postings = {
            word: (np.array([at for at, _ in rows], np.int32), np.array([count for _, count in rows], np.float32))
            for word, rows in raw.items()
        }
        windows = [_windows(kept, _WINDOWS if len(items) <= _MANY else 1) for kept in items]
        starts = np.cumsum([0, *map(len, windows)])[:-1].astype(np.intp)
        vectors = None
        if embedder is not None and windows:
            vectors = embedder.encode([text for held in windows for text in held]).astype(np.float16)
        return Shelfmark(items, postings, lengths, vectors, starts)

    def weight(self, word: str) -> float:
        """How much a word tells: the fewer discoveries have it, the more."""
        known = len(self.postings[word][0]) if word in self.postings else 0
        return math.log(1 + (len(self.items) - known + 0.5) / (known + 0.5))

    def lexical(self, words: Sequence[str]) -> "Lexical":
        """BM25 of every item as a share of what the question could reach, and how much of the question it has."""
        size = len(self.items)
        total, covered = np.zeros(size, np.float32), np.zeros(size, np.float32)
        shared = np.zeros(size, np.int32)
        mean = max(float(self.lengths.mean()) if size else 1.0, 1.0)
        best = missing = 0.0
        for word in dict.fromkeys(words):
            weight = self.weight(word)
            best += weight
            rows = self.postings.get(word)
            if rows is None:
                missing += weight
                continue
            at, counts = rows
            norm = K1 * (1 - B + B * self.lengths[at] / mean)
            total[at] += weight * counts * (K1 + 1) / (counts + norm)
            covered[at] += weight
            shared[at] += 1
        best = max(best, 1e-9)
        return Lexical(total / (best * (K1 + 1) * 0.75), covered / best, shared, missing / best)

    def semantic(self, query: NDArray[np.float32] | None) -> NDArray[np.float32]:
        """The best cosine of any sentence of every item with the question; zero without a model."""
        if self.vectors is None or query is None or not len(self.items):
            return np.zeros(len(self.items), np.float32)
        found: NDArray[np.float32] = np.maximum.reduceat(self.vectors.astype(np.float32) @ query, self.starts)
        return found


class Lexical(NamedTuple):
    """What words say of every item."""

    score: NDArray[np.float32]
    covered: NDArray[np.float32]
    shared: NDArray[np.int32]
    unknown: float


def _text_words(kept: Kept) -> list[str]:
    item = kept.discovery
    found = words_of(item.content) + (words_of(item.title) if item.title not in item.content else [])
    for path in kept.paths[:4]:
        found += words_of(path.rpartition(".")[0] if "/" in path else path)
    for name in (item.module, *item.symbols):
        found += words_of(name)
    return found


def _windows(kept: Kept, most: int) -> list[str]:
    """An item as its title and pairs of neighbouring sentences."""
    item = kept.discovery
    parts = [part for part in _CUT.split(item.content) if len(part) > _LEAST]
    if most == 1 or not parts:
        return [f"{item.title}\n{item.content[:400]}"]
    found = [" ".join(parts[at : at + 2]) for at in range(min(len(parts), most - 1))]
    return [*found, item.title] if item.title else found


def rank(
    shelf: Shelfmark, question: str, query: NDArray[np.float32] | None, allowed: NDArray[np.bool_]
) -> list[Scored]:
    """Candidates above the floor, the best first."""
    words = list(dict.fromkeys(words_of(question)))
    if not words or not len(shelf.items):
        return []
    lexical = shelf.lexical(words)
    cosine = shelf.semantic(query)
    weights = (LEXICAL, SEMANTIC) if query is not None else (1.0, 0.0)
    found = weights[0] * lexical.score + weights[1] * cosine
    alike = cosine >= ALIKE
    passed = allowed & (found >= FLOOR) & (alike | (lexical.shared >= min(WORDS, len(words))))
    if lexical.unknown >= UNKNOWN + _FEW * max(0.0, 1 - len(shelf.items) / _SMALL):
        passed &= alike | (lexical.covered >= COVERED)
    scored = []
    for at in map(int, np.flatnonzero(passed)):
        item = shelf.items[at].discovery
        prior = PRIORS.get(item.source.kind, 0.9) * STATES.get(item.state, 1.0)
        parts = (float(lexical.score[at]), float(lexical.covered[at]), float(cosine[at]))
        factors = (
            Factor("words", round(parts[0], 4), weights[0], round(weights[0] * parts[0], 4)),
            Factor("covered", round(parts[1], 4), 0.0, 0.0),
            Factor("meaning", round(parts[2], 4), weights[1], round(weights[1] * parts[2], 4)),
            Factor("source", round(prior, 4), 1.0, round(prior, 4)),
        )
        scored.append(Scored(shelf.items[at], min(float(found[at]) * SCALE, 1.0) * prior, factors))
    scored.sort(key=lambda one: (-one.score, -one.kept.time, one.kept.discovery.id))
    return _spread(scored)


def _spread(scored: list[Scored]) -> list[Scored]:
    """No file fills the top alone: what it has beyond a few stands behind the others."""
    seen: Counter[str] = Counter()
    first, later = list[Scored](), list[Scored]()
    for one in scored:
        path = one.kept.discovery.source.path
        seen[path] += 1
        (first if not path or seen[path] <= _PER_PATH else later).append(one)
    return first + later
