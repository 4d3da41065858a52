"""Ranking: which discoveries answer a question. Words weigh by how rare they are, vectors bring paraphrases, and what
stands below the floor is not returned: a weak guess is worse than none.
"""

import math
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
LEXICAL = 0.62
SEMANTIC = 0.38
FLOOR = 0.30
COVERED = 0.42
"""Share of the question's weight that words or a vector must cover."""
ALIKE = 0.5
"""A cosine that stands for the same thing said in other words."""
_TITLE = 2
"""How often words of the title count."""
_LIKE_LOW, _LIKE_HIGH = 0.12, 0.62


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
    vectors: NDArray[np.float32] | None
    """One row for each item, of length one."""

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
        texts = [f"{kept.discovery.title}\n{kept.discovery.content[:600]}" for kept in items]
        vectors = embedder.encode(texts) if embedder is not None and texts else None
        return Shelfmark(items, postings, lengths, vectors)

    def lexical(self, words: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """BM25 of every item as a share of what the question could reach, and the share of the question it covers."""
        size = len(self.items)
        total = np.zeros(size, np.float32)
        covered = np.zeros(size, np.float32)
        mean = float(self.lengths.mean()) if size else 1.0
        best = 0.0
        for word, repeated in Counter(words).items():
            rows = self.postings.get(word)
            known = len(rows[0]) if rows else 0
            weight = math.log(1 + (size - known + 0.5) / (known + 0.5)) * min(repeated, 2)
            best += weight
            if rows is None:
                continue
            at, counts = rows
            norm = K1 * (1 - B + B * self.lengths[at] / max(mean, 1.0))
            total[at] += weight * counts * (K1 + 1) / (counts + norm)
            covered[at] += weight
        return total / max(best * (K1 + 1) * 0.75, 1e-9), covered / max(best, 1e-9)

    def semantic(self, query: NDArray[np.float32] | None) -> NDArray[np.float32]:
        """Cosine of every item with the question; zero without a model."""
        if self.vectors is None or query is None:
            return np.zeros(len(self.items), np.float32)
        found: NDArray[np.float32] = self.vectors @ query
        return found


def _text_words(kept: Kept) -> list[str]:
    item = kept.discovery
    found = words_of(item.title) * (_TITLE if item.title not in item.content else 1) + words_of(item.content)
    for path in kept.paths[:4]:
        found += words_of(path.rpartition(".")[0] if "/" in path else path)
    for name in (item.module, *item.symbols):
        found += words_of(name)
    return found


def rank(
    shelf: Shelfmark,
    question: str,
    query: NDArray[np.float32] | None,
    allowed: NDArray[np.bool_],
    now: int,
) -> list[Scored]:
    """Candidates above the floor, the best first."""
    words = words_of(question)
    if not words or not len(shelf.items):
        return []
    lexical, covered = shelf.lexical(words)
    cosine = shelf.semantic(query)
    alike = np.clip((cosine - _LIKE_LOW) / (_LIKE_HIGH - _LIKE_LOW), 0, 1)
    weights = (LEXICAL, SEMANTIC) if query is not None else (1.0, 0.0)
    found = weights[0] * np.minimum(lexical, 1) + weights[1] * alike
    passed = allowed & (found >= FLOOR * 0.8) & ((covered >= COVERED) | (cosine >= ALIKE))
    scored = []
    for at in np.flatnonzero(passed):
        kept = shelf.items[at]
        item = kept.discovery
        prior = PRIORS.get(item.source.kind, 0.9) * STATES.get(item.state, 1.0)
        final = float(found[at]) * prior
        if final < FLOOR * STATES.get(item.state, 1.0):
            continue
        factors = (
            Factor("words", round(float(min(lexical[at], 1)), 4), weights[0], round(weights[0] * float(min(lexical[at], 1)), 4)),
            Factor("covered", round(float(covered[at]), 4), 0.0, 0.0),
            Factor("meaning", round(float(cosine[at]), 4), weights[1], round(weights[1] * float(alike[at]), 4)),
            Factor("source", prior, 1.0, prior),
        )
        scored.append(Scored(kept, min(final, 1.0), factors))
    scored.sort(key=lambda one: (-one.score, -one.kept.time, one.kept.discovery.id))
    return scored
