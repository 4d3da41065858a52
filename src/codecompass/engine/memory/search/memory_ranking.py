"""Memory ranking: score discoveries for a query and reject weak matches.

Terms are weighted by IDF; sentence embeddings find paraphrases. A query about something that no discovery mentions has
no results, and a discovery that shares a single term is not a result: a weak guess is worse than none. The constants
were tuned on queries about public repositories (`bench/memory`, the tuning half).
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
"""Weights of the lexical score, the query coverage and the embedding similarity."""
FLOOR, DOUBT = 0.165, 0.09
"""Minimum score, and how much it rises with the unknown share of the query."""
SCALE = 1.2
"""Scales scores so that the best observed ones are close to one."""
UNKNOWN = 0.28
"""From this unknown share on, the query is considered to be about something else."""
_FEW = 0.3
_SMALL = 300
"""A corpus with fewer discoveries than this has few terms; up to `_SMALL_CORPUS_TOLERANCE` more may be unknown."""
ENOUGH = 0.8
"""Coverage at which a discovery answers a query in spite of unknown terms."""
ALIKE = 0.6
"""Cosine similarity of a paraphrase."""
THINGS = 2
"""Minimum query terms in a discovery, if the query has as many."""
COMPARED = 200
"""Maximum candidates to compare by embedding."""
_PER_PATH = 2
"""Maximum top results from one file; more are repetitive."""
_SPREAD = 400
"""Number of candidates to deduplicate; lower ones are not shown."""
_SAME = 100
"""Length of the prefix by which texts are compared for duplicates, such as a cherry-picked commit."""
_NUMBERS = re.compile(r"\W*#\d+\W*|\W+")


class Scored(NamedTuple):
    """One candidate with the parts of its score."""

    kept: Kept
    score: float
    parts: tuple[tuple[str, float, float], ...]
    """(name, value, weight) of each summand."""
    worth: float
    """Multiplier for the source and the state."""
    is_repeat: bool = False
    """Whether it repeats a higher result or exceeds its file's limit, and is therefore ranked last."""

    @property
    def factors(self) -> tuple[Factor, ...]:
        added = [Factor(name, round(value, 4), round(by, 4), round(value * by, 4)) for name, value, by in self.parts]
        return *added, Factor("source", round(self.worth, 4), 1.0, round(self.worth, 4))


def rank(index: Shelf, question: str, embeddings: Meanings | None, allowed: NDArray[np.bool_]) -> list[Scored]:
    """Return the candidates above the minimum score, the best first."""
    asked = read_question(question)
    if not asked.things or not len(index.items):
        return []
    lexical = index.lexical(asked)
    # Without a model, the other weights are scaled up.
    share = 1.0 if embeddings is not None else 1 / (1 - SEMANTIC)
    weights = (LEXICAL * share, COVERED * share, SEMANTIC if embeddings is not None else 0.0)
    worded = weights[0] * lexical.score + weights[1] * lexical.covered
    cosine = np.zeros(len(index.items), np.float32)
    if embeddings is not None:
        likely = _likely(np.where(allowed, worded, 0.0))
        cosine[likely] = embeddings.cosines(question, likely)
    found = worded + weights[2] * cosine
    alike = cosine >= ALIKE
    passed = allowed & (found >= FLOOR + DOUBT * lexical.unknown)
    passed &= alike | (lexical.shared >= min(THINGS, len(asked.things)))
    if lexical.unknown >= UNKNOWN + _FEW * max(0.0, 1 - len(index.items) / _SMALL):
        passed &= alike | (lexical.covered >= ENOUGH)
    places = [int(at) for at in np.flatnonzero(passed)]
    worth = {at: _worth(index.items[at]) for at in places}
    places.sort(key=lambda at: (-found[at] * worth[at], -index.items[at].time, index.items[at].discovery.id))
    signals = (lexical.score, lexical.covered, cosine)
    columns = tuple(zip(("words", "covered", "meaning"), signals, weights, strict=True))
    scored = []
    for at in places:
        parts = tuple((name, float(values[at]), by) for name, values, by in columns)
        scored.append(Scored(index.items[at], min(float(found[at]) * SCALE, 1.0) * worth[at], parts, worth[at]))
    return _spread(scored[:_SPREAD]) + scored[_SPREAD:]


def _likely(worded: NDArray[np.floating[Any]]) -> list[int]:
    """Select the best lexical candidates for the embedding comparison."""
    if len(worded) > COMPARED:
        best = np.argpartition(-worded, COMPARED)[:COMPARED]
    else:
        best = np.arange(len(worded))
    return [int(at) for at in np.sort(best) if worded[at] > 0]


def _worth(entry: Kept) -> float:
    """Return the weight of a source and a state."""
    item = entry.discovery
    return prior_of(item.source.kind, item.source.path) * STATES.get(item.state, 1.0)


def _spread(scored: list[Scored]) -> list[Scored]:
    """Move duplicates and surplus results of one file behind all others."""
    seen: Counter[str] = Counter()
    prefixes = set[str]()
    first, later = list[Scored](), list[Scored]()
    for one in scored:
        item = one.kept.discovery
        path, text = item.source.path, _NUMBERS.sub(" ", item.content[: 2 * _SAME].casefold())[:_SAME]
        is_repeat = text in prefixes or bool(path) and seen[path] >= _PER_PATH
        seen[path] += 1
        prefixes.add(text)
        (later if is_repeat else first).append(one._replace(is_repeat=is_repeat))
    return first + later
