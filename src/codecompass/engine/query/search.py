"""Search: question → intent → candidates → features → ranked candidates. Shaping into hits is `hits.py`'s."""

import math
from dataclasses import dataclass

from codecompass.engine.query.intent import classify
from codecompass.engine.query.paths import PathIndex, role_prior
from codecompass.engine.query.rank import KIND_PRIOR, SECONDARY_SHARE, Features, reasons, score
from codecompass.engine.query.retrieve import Candidate, retrieve
from codecompass.engine.query.terms import Question, take_apart
from codecompass.engine.view import PinnedView, Symbol
from codecompass.model.kinds import SECONDARY
from codecompass.model.query import SearchQuery
from codecompass.model.result import Reasons
from codecompass.text.tokens import split_identifier

STEADY = 100
"""Candidates ranked whatever the limit, the largest limit there is: so a smaller one cuts the same list."""


PART_OF_FILE = 0.6
"""How much of a path's match counts for what stands in the file, when a path was asked for."""


@dataclass(slots=True)
class Ranked:
    candidate: Candidate
    symbol: Symbol | None
    features: Features
    score: float

    @property
    def reasons(self) -> Reasons:
        return reasons(self.features, self.score)


@dataclass(frozen=True, slots=True)
class Found:
    ranked: list[Ranked]
    question: Question
    intent: str
    total: int
    relaxed: bool


def search(view: PinnedView, paths: PathIndex, query: SearchQuery) -> Found:
    """Everything fetched, best first; the caller cuts to its limit."""
    intent = classify(query.text)
    question = take_apart(query.text)
    pool = retrieve(view, paths, question, intent, query.language, max(query.limit, STEADY))
    ranked = [_rank(view, paths, question, intent, candidate) for candidate in pool.candidates.values()]
    ranked.sort(key=_order)
    return Found(ranked, question, intent, pool.total, pool.relaxed)


def _order(item: Ranked) -> tuple[float, str, int]:
    line = item.symbol.definition.line_start if item.symbol else item.candidate.ordinal
    return -item.score, item.candidate.path, line


def _rank(view: PinnedView, paths: PathIndex, question: Question, intent: str, candidate: Candidate) -> Ranked:
    symbol = view.symbol(candidate.path, candidate.position) if candidate.position >= 0 else None
    path = paths.affinity(candidate.path, question.text, question.parts)
    prior = role_prior(candidate.path, question.parts)
    if intent == "path":
        # Who names a file wants the file; what stands in it comes after it.
        if candidate.whole_file:
            return _ranked(candidate, None, Features(exact=path, qualified=path, path=path, definition=1.0), intent)
        path *= PART_OF_FILE
    if symbol is None:
        features = Features(path=path, definition=0.0, bm25=candidate.bm25 * prior)
    else:
        secondary = symbol.definition.kind in SECONDARY
        # Who asks in words finds prose by its words; what it is called counts only where a name was asked for.
        share = prior * (SECONDARY_SHARE if intent == "symbol" else 0.0) if secondary else prior
        features = Features(
            exact=_name_match(symbol, question) * share,
            qualified=_qualified_match(symbol, question) * share,
            path=path,
            definition=0.0 if secondary else 1.0 if candidate.named else 0.5,
            kind=KIND_PRIOR.get(symbol.definition.kind, 0.3),
            bm25=candidate.bm25 * prior,
        )
    return _ranked(candidate, symbol, features, intent)


def _ranked(candidate: Candidate, symbol: Symbol | None, features: Features, intent: str) -> Ranked:
    return Ranked(candidate, symbol, features, score(features, intent))


def _name_match(symbol: Symbol, question: Question) -> float:
    """1 for the very name, less in another case; else how well the parts of name and question cover each other."""
    name = symbol.definition.name
    if name in question.words:
        return 1.0 if len(question.words) == 1 else max(0.6, 1.0 / len(question.words))
    if name.lower() in {word.lower() for word in question.words}:
        return 0.9 if len(question.words) == 1 else max(0.5, 0.9 / len(question.words))
    parts = frozenset(split_identifier(name))
    if not parts or not question.parts:
        return 0.0
    common = len(parts & question.parts)
    return 0.85 * (common / len(parts)) * math.sqrt(common / len(question.parts))


def _qualified_match(symbol: Symbol, question: Question) -> float:
    text = question.text.strip()
    full = symbol.qualified_name
    if text and (full == text or full.endswith(text)):
        return 1.0
    parts = frozenset(split_identifier(full.replace("::", " ").replace("/", " ").replace(".", " ")))
    return len(parts & question.parts) / len(question.parts) if question.parts else 0.0
