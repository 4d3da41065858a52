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

from codecompass.engine.memory.corpus import CorpusEntry
from codecompass.engine.memory.search.inverted_index import InvertedIndex
from codecompass.engine.memory.search.memory_query import parse_memory_query
from codecompass.engine.memory.search.sentence_embeddings import SentenceEmbeddings
from codecompass.engine.memory.source_weights import STATE_WEIGHTS, get_prior
from codecompass.model.queries.results import ScoreFactor

LEXICAL_WEIGHT, COVERAGE_WEIGHT, SEMANTIC_WEIGHT = 0.64, 0.18, 0.18
"""Weights of the lexical score, the query coverage and the embedding similarity."""
MIN_SCORE, UNKNOWN_PENALTY = 0.165, 0.09
"""Minimum score, and how much it rises with the unknown share of the query."""
SCORE_SCALE = 1.2
"""Scales scores so that the best observed ones are close to one."""
MAX_UNKNOWN = 0.28
"""From this unknown share on, the query is considered to be about something else."""
_SMALL_CORPUS_TOLERANCE = 0.3
_SMALL_CORPUS = 300
"""A corpus with fewer discoveries than this has few terms; up to `_SMALL_CORPUS_TOLERANCE` more may be unknown."""
SUFFICIENT_COVERAGE = 0.8
"""Coverage at which a discovery answers a query in spite of unknown terms."""
SAME_MEANING_COSINE = 0.6
"""Cosine similarity of a paraphrase."""
MIN_TERMS = 2
"""Minimum query terms in a discovery, if the query has as many."""
MAX_EMBEDDED = 200
"""Maximum candidates to compare by embedding."""
_MAX_PER_PATH = 2
"""Maximum top results from one file; more are repetitive."""
_MAX_DEDUPLICATED = 400
"""Number of candidates to deduplicate; lower ones are not shown."""
_DUPLICATE_PREFIX = 100
"""Length of the prefix by which texts are compared for duplicates, such as a cherry-picked commit."""
_NUMBERS = re.compile(r"\W*#\d+\W*|\W+")


class ScoredDiscovery(NamedTuple):
    """One candidate with the parts of its score."""

    entry: CorpusEntry
    score: float
    parts: tuple[tuple[str, float, float], ...]
    """(name, value, weight) of each summand."""
    source_weight: float
    """Multiplier for the source and the state."""
    is_repeat: bool = False
    """Whether it repeats a higher result or exceeds its file's limit, and is therefore ranked last."""

    @property
    def factors(self) -> tuple[ScoreFactor, ...]:
        added = [
            ScoreFactor(name, round(value, 4), round(by, 4), round(value * by, 4)) for name, value, by in self.parts
        ]
        return *added, ScoreFactor("source", round(self.source_weight, 4), 1.0, round(self.source_weight, 4))


def rank_discoveries(
    index: InvertedIndex, question: str, embeddings: SentenceEmbeddings | None, allowed: NDArray[np.bool_]
) -> list[ScoredDiscovery]:
    """Return the candidates above the minimum score, the best first."""
    asked = parse_memory_query(question)
    if not asked.terms or not len(index.items):
        return []
    lexical = index.bm25(asked)
    # Without a model, the other weights are scaled up.
    share = 1.0 if embeddings is not None else 1 / (1 - SEMANTIC_WEIGHT)
    weights = (LEXICAL_WEIGHT * share, COVERAGE_WEIGHT * share, SEMANTIC_WEIGHT if embeddings is not None else 0.0)
    worded = weights[0] * lexical.score + weights[1] * lexical.coverage
    cosine = np.zeros(len(index.items), np.float32)
    if embeddings is not None:
        likely = _select_for_embedding(np.where(allowed, worded, 0.0))
        cosine[likely] = embeddings.compute_cosines(question, likely)
    found = worded + weights[2] * cosine
    alike = cosine >= SAME_MEANING_COSINE
    passed = allowed & (found >= MIN_SCORE + UNKNOWN_PENALTY * lexical.unknown_share)
    passed &= alike | (lexical.matched_terms >= min(MIN_TERMS, len(asked.terms)))
    if lexical.unknown_share >= MAX_UNKNOWN + _SMALL_CORPUS_TOLERANCE * max(0.0, 1 - len(index.items) / _SMALL_CORPUS):
        passed &= alike | (lexical.coverage >= SUFFICIENT_COVERAGE)
    places = [int(at) for at in np.flatnonzero(passed)]
    worth = {at: _compute_source_weight(index.items[at]) for at in places}
    places.sort(key=lambda at: (-found[at] * worth[at], -index.items[at].time, index.items[at].discovery.id))
    signals = (lexical.score, lexical.coverage, cosine)
    columns = tuple(zip(("words", "covered", "meaning"), signals, weights, strict=True))
    scored = []
    for at in places:
        parts = tuple((name, float(values[at]), by) for name, values, by in columns)
        scored.append(
            ScoredDiscovery(index.items[at], min(float(found[at]) * SCORE_SCALE, 1.0) * worth[at], parts, worth[at])
        )
    return _demote_repeats(scored[:_MAX_DEDUPLICATED]) + scored[_MAX_DEDUPLICATED:]


def _select_for_embedding(worded: NDArray[np.floating[Any]]) -> list[int]:
    """Select the best lexical candidates for the embedding comparison."""
    if len(worded) > MAX_EMBEDDED:
        best = np.argpartition(-worded, MAX_EMBEDDED)[:MAX_EMBEDDED]
    else:
        best = np.arange(len(worded))
    return [int(at) for at in np.sort(best) if worded[at] > 0]


def _compute_source_weight(entry: CorpusEntry) -> float:
    """Return the weight of a source and a state."""
    item = entry.discovery
    return get_prior(item.source.kind, item.source.path) * STATE_WEIGHTS.get(item.state, 1.0)


def _demote_repeats(scored: list[ScoredDiscovery]) -> list[ScoredDiscovery]:
    """Move duplicates and surplus results of one file behind all others."""
    seen: Counter[str] = Counter()
    prefixes = set[str]()
    first, later = list[ScoredDiscovery](), list[ScoredDiscovery]()
    for one in scored:
        item = one.entry.discovery
        path, text = (
            item.source.path,
            _NUMBERS.sub(" ", item.content[: 2 * _DUPLICATE_PREFIX].casefold())[:_DUPLICATE_PREFIX],
        )
        is_repeat = text in prefixes or bool(path) and seen[path] >= _MAX_PER_PATH
        seen[path] += 1
        prefixes.add(text)
        (later if is_repeat else first).append(one._replace(is_repeat=is_repeat))
    return first + later
