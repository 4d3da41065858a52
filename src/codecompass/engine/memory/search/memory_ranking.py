"""Ranking: which discoveries answer a question.

Things that are asked about weigh by how rare their words are; vectors of single sentences bring what is said otherwise.
A question about something that is written nowhere is not answered, and neither is one of which a discovery shares but
a word: a weak guess is worse than none. The numbers were chosen on questions about public repositories (`bench/memory`,
the half that is for choosing).
"""

import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from codecompass.engine.memory.corpus import Kept
from codecompass.engine.memory.search.inverted_index import Shelf
from codecompass.engine.memory.search.memory_query import read_question
from codecompass.engine.memory.search.memory_tokens import STATES, prior_of
from codecompass.engine.memory.search.sentence_embeddings import Meanings
from codecompass.model.queries.results import Factor

LEXICAL, COVERED, SEMANTIC = 0.64, 0.18, 0.18
"""What words, how much of the question they cover, and meaning add to a score."""
FLOOR, DOUBT = 0.165, 0.09
"""The least score, and how much more is asked for the part of a question that is written nowhere."""
SCALE = 1.2
"""What is returned is scaled so that the best that was ever seen comes near one."""
UNKNOWN = 0.28
"""Share of a question's weight in things that no discovery has, from which it is about something else."""
_FEW = 0.3
_SMALL = 300
"""A memory of few discoveries has few words: less than so many, and up to so much more may be unknown to it."""
ENOUGH = 0.8
"""Share of the question's weight that one discovery must have to answer it all the same."""
ALIKE = 0.6
"""A cosine that stands for the same thing said in other words."""
THINGS = 2
"""Things of the question that a discovery must have, if the question has so many."""
COMPARED = 200
"""Candidates whose meaning is compared."""
_PER_PATH = 2
"""Hits of one file that stand together at the top; more say the same."""
_SPREAD = 400
"""Candidates that are looked at for what says the same; nobody is shown those further down."""
_SAME = 100
"""Letters at the beginning by which two texts are told to be the same: a commit and its copy on another branch."""
_NUMBERS = re.compile(r"\W*#\d+\W*|\W+")


class Scored(NamedTuple):
    """One candidate with what made its score."""

    kept: Kept
    score: float
    parts: tuple[tuple[str, float, float], ...]
    """What was added up: its name, its value and its weight."""
    worth: float
    """What the source and the state leave of the sum."""
    again: bool = False
    """It says what stands above already, or is one more of the same file: behind all others."""

    @property
    def factors(self) -> tuple[Factor, ...]:
        added = [Factor(name, round(value, 4), round(by, 4), round(value * by, 4)) for name, value, by in self.parts]
        return *added, Factor("source", round(self.worth, 4), 1.0, round(self.worth, 4))


def rank(shelf: Shelf, question: str, meanings: Meanings | None, allowed: NDArray[np.bool_]) -> list[Scored]:
    """Candidates above the floor, the best first."""
    asked = read_question(question)
    if not asked.things or not len(shelf.items):
        return []
    lexical = shelf.lexical(asked)
    # Without a model the other signals have its share.
    share = 1.0 if meanings is not None else 1 / (1 - SEMANTIC)
    weights = (LEXICAL * share, COVERED * share, SEMANTIC if meanings is not None else 0.0)
    worded = weights[0] * lexical.score + weights[1] * lexical.covered
    cosine = np.zeros(len(shelf.items), np.float32)
    if meanings is not None:
        likely = _likely(np.where(allowed, worded, 0.0))
        cosine[likely] = meanings.cosines(question, likely)
    found = worded + weights[2] * cosine
    alike = cosine >= ALIKE
    passed = allowed & (found >= FLOOR + DOUBT * lexical.unknown)
    passed &= alike | (lexical.shared >= min(THINGS, len(asked.things)))
    if lexical.unknown >= UNKNOWN + _FEW * max(0.0, 1 - len(shelf.items) / _SMALL):
        passed &= alike | (lexical.covered >= ENOUGH)
    places = [int(at) for at in np.flatnonzero(passed)]
    worth = {at: _worth(shelf.items[at]) for at in places}
    places.sort(key=lambda at: (-found[at] * worth[at], -shelf.items[at].time, shelf.items[at].discovery.id))
    signals = (lexical.score, lexical.covered, cosine)
    columns = tuple(zip(("words", "covered", "meaning"), signals, weights, strict=True))
    scored = []
    for at in places:
        parts = tuple((name, float(values[at]), by) for name, values, by in columns)
        scored.append(Scored(shelf.items[at], min(float(found[at]) * SCALE, 1.0) * worth[at], parts, worth[at]))
    return _spread(scored[:_SPREAD]) + scored[_SPREAD:]


def _likely(worded: NDArray[np.floating[Any]]) -> list[int]:
    """The candidates that words bring up most, whose meaning is looked at."""
    if len(worded) > COMPARED:
        best = np.argpartition(-worded, COMPARED)[:COMPARED]
    else:
        best = np.arange(len(worded))
    return [int(at) for at in np.sort(best) if worded[at] > 0]


def _worth(kept: Kept) -> float:
    """What a source and a state are worth."""
    item = kept.discovery
    return prior_of(item.source.kind, item.source.path) * STATES.get(item.state, 1.0)


def _spread(scored: list[Scored]) -> list[Scored]:
    """No file fills the top alone, and nothing stands there twice: the rest stands behind the others."""
    seen: Counter[str] = Counter()
    said = set[str]()
    first, later = list[Scored](), list[Scored]()
    for one in scored:
        item = one.kept.discovery
        path, text = item.source.path, _NUMBERS.sub(" ", item.content[: 2 * _SAME].casefold())[:_SAME]
        again = text in said or bool(path) and seen[path] >= _PER_PATH
        seen[path] += 1
        said.add(text)
        (later if again else first).append(one._replace(again=again))
    return first + later
