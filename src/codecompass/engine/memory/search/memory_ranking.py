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
from codecompass.engine.memory.search.confidence import CONFIDENT, MatchSigns, estimate_confidence
from codecompass.engine.memory.search.inverted_index import InvertedIndex
from codecompass.engine.memory.search.memory_query import parse_memory_query
from codecompass.engine.memory.search.recency import compute_age_factor
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
_HISTORY_QUESTION = re.compile(
    r"\b(?:when (?:was|were|did|has|have)|why (?:was|were|did|has|have|had)|since when"
    r"|what (?:happened|changed|went wrong|broke)"
    r"|who (?:\w+ed|broke|wrote|chose)|which (?:commit|release)|how long ago|history of|used to)\b",
    re.IGNORECASE,
)
_RULE_QUESTION = re.compile(
    r"\b(?:may (?:i|we|one)|must|should|allowed|have to|do (?:i|we) need|what (?:is|are) the (?:rule|convention|policy)"
    r"|how (?:do|should|must|can) (?:i|we)|which \w+ (?:do|should|must) (?:i|we)"
    r"|where (?:do|should) (?:i|we)|are we|is it)\b",
    re.IGNORECASE,
)
_HISTORY_KINDS = ("commit", "fix", "revert")
INTENT_WEIGHTS: dict[str, dict[str, float]] = {
    "history": {"document": 0.94, "agent_file": 0.94, "comment": 0.95},
    "rules": dict.fromkeys(_HISTORY_KINDS, 0.9) | dict.fromkeys(("adr", "agent_file", "recorded"), 1.05),
    "any": {},
}
"""Weights of sources by what a question asks: standing rules answer what holds now, commits what happened."""
_MAX_PER_PATH = 2
"""Maximum top results from one file; more are repetitive."""
_MAX_NEAREST = 3
"""Texts to name as the nearest ones if nothing answers a question."""
_NUMBER_WORD = re.compile(r"(?<![\w.])\d+(?:\.\d+)*(?!\w)")
_MAX_DEDUPLICATED = 400
"""Number of candidates to deduplicate; lower ones are not shown."""
_DUPLICATE_PREFIX = 100
"""Length of the prefix by which texts are compared for duplicates, such as a cherry-picked commit."""
_NUMBERS = re.compile(r"\W*#\d+\W*|\W+")


class RankedDiscoveries(NamedTuple):
    """The results of a query, best first, and the nearest texts if nothing answers it."""

    found: list["ScoredDiscovery"]
    nearest: list["ScoredDiscovery"]


class ScoredDiscovery(NamedTuple):
    """One candidate with the parts of its score."""

    entry: CorpusEntry
    score: float
    parts: tuple[tuple[str, float, float], ...]
    """(name, value, weight) of each summand."""
    source_weight: float
    """Multiplier for the source and the state."""
    age: ScoreFactor = ScoreFactor("age", 0.0, 1.0, 1.0)
    confidence: float = 0.0
    """How likely it answers the question, from 0 to 1."""
    is_repeat: bool = False
    """Whether it repeats a higher result or exceeds its file's limit, and is therefore ranked last."""

    @property
    def factors(self) -> tuple[ScoreFactor, ...]:
        added = [
            ScoreFactor(name, round(value, 4), round(by, 4), round(value * by, 4)) for name, value, by in self.parts
        ]
        return *added, ScoreFactor("source", round(self.source_weight, 4), 1.0, round(self.source_weight, 4)), self.age


def rank_discoveries(
    index: InvertedIndex, question: str, embeddings: SentenceEmbeddings | None, allowed: NDArray[np.bool_]
) -> RankedDiscoveries:
    """Return the candidates that answer a question with some confidence; if none does, the nearest texts."""
    asked = parse_memory_query(question)
    if not asked.terms or not len(index.items):
        return RankedDiscoveries([], [])
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
    is_answered = bool(passed.any())
    if not is_answered:
        passed = allowed & (lexical.matched_terms > 0)
        passed &= found >= np.partition(found, -_MAX_NEAREST)[-_MAX_NEAREST] if len(found) > _MAX_NEAREST else passed
    places = [int(at) for at in np.flatnonzero(passed)]
    newest = max((entry.time for entry in index.items), default=0)
    ages = {at: compute_age_factor(index.items[at], newest) for at in places}
    intent = classify_intent(question)
    worth = {
        at: _compute_source_weight(index.items[at]) * INTENT_WEIGHTS[intent].get(_get_kind(index.items[at]), 1.0)
        for at in places
    }
    scores = {at: min(float(found[at]) * SCORE_SCALE, 1.0) * worth[at] * ages[at].contribution for at in places}
    places.sort(key=lambda at: (-scores[at], -found[at], -index.items[at].time, index.items[at].discovery.id))
    signals = (lexical.score, lexical.coverage, cosine)
    columns = tuple(zip(("words", "covered", "meaning"), signals, weights, strict=True))
    scored = []
    numbers = _NUMBER_WORD.findall(question)
    for at in places:
        parts = tuple((name, float(values[at]), by) for name, values, by in columns)
        scored.append(
            ScoredDiscovery(
                index.items[at],
                scores[at],
                parts,
                worth[at],
                ages[at],
                estimate_confidence(
                    MatchSigns(
                        float(lexical.coverage[at]),
                        float(cosine[at]),
                        at == places[0],
                        is_answered,
                        len(asked.terms),
                        _count_missing(numbers, index.items[at]),
                    )  # fmt: skip
                ),
            )  # fmt: skip
        )
    ranked = _demote_repeats(scored[:_MAX_DEDUPLICATED]) + scored[_MAX_DEDUPLICATED:]
    if is_answered and max(one.confidence for one in ranked[:_MAX_NEAREST]) >= CONFIDENT:
        return RankedDiscoveries(ranked, [])
    return RankedDiscoveries([], ranked[:_MAX_NEAREST])


def _count_missing(numbers: list[str], entry: CorpusEntry) -> int:
    """Count the numbers of a question that a text does not have."""
    text = f"{entry.discovery.title} {entry.discovery.content}"
    return sum(re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", text) is None for number in numbers)


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


def _get_kind(entry: CorpusEntry) -> str:
    return entry.discovery.source.kind


def classify_intent(question: str) -> str:
    """Classify a question as one about what happened, or about what holds now."""
    return "history" if _HISTORY_QUESTION.search(question) else "rules" if _RULE_QUESTION.search(question) else "any"


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
