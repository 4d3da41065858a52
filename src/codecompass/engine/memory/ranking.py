"""Ranking: which discoveries answer a question.

Words weigh by how rare they are; vectors of single sentences bring paraphrases. A question about something that is
written nowhere is not answered, and neither is one of which a discovery shares but a word: a weak guess is worse than
none. The numbers were chosen on questions about public repositories (`bench/memory`, the half that is for choosing).
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codecompass.engine.memory.corpus import Kept
from codecompass.engine.memory.shelving import Shelf
from codecompass.engine.memory.wording import PRIORS, STATES, words_of
from codecompass.model.result import Factor

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
_PER_PATH = 2
"""Hits of one file that stand together at the top; more say the same."""


class Scored(NamedTuple):
    """One candidate with what made its score."""

    kept: Kept
    score: float
    factors: tuple[Factor, ...]


def rank(shelf: Shelf, question: str, query: NDArray[np.float32] | None, allowed: NDArray[np.bool_]) -> list[Scored]:
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
