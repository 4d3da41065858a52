"""Search pipeline: query → intent → candidates → features → ranked candidates; `hits.py` turns them into hits."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.search.filters.boolean_match import Verdict
from codecompass.engine.search.filters.candidates import Candidate, Pool, key_of
from codecompass.engine.search.filters.filter_set import Sieve
from codecompass.engine.search.filters.predicates import Setting
from codecompass.engine.search.filters.units import GitSide
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.search.paths.path_roles import ASKING
from codecompass.engine.search.query.idf import Asked, weigh
from codecompass.engine.search.query.query_syntax import Field
from codecompass.engine.search.query.query_terms import Question, without
from codecompass.engine.search.ranking.features import Judging
from codecompass.engine.search.ranking.scorer import (
    FURTHER,
    PROFILED,
    REFERRED,
    Features,
    Signals,
    Spot,
    blend,
    of_file,
    of_spot,
    reasons,
    scaled,
    score,
    uses,
)
from codecompass.engine.search.retrieval.query_plan import Plan, field_filter, plan
from codecompass.engine.search.retrieval.retriever import retrieve
from codecompass.engine.search.retrieval.vector_channel import Ask, Nearby
from codecompass.engine.search.retrieval.verbatim import Quote, find_quotes
from codecompass.engine.view.content import ContentReader
from codecompass.engine.view.file_modes import EXTRACTED
from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.model.call import Call
from codecompass.model.queries.results import Reasons
from codecompass.model.queries.search_query import SearchQuery
from codecompass.text.stems import stem

_PASSING = frozenset(("author", "chunkAuthor", "churnMin", "modifiedAfter", "modifiedSince", "lint"))
"""Filters whose result can change while the view stays the same."""
STEADY = 100
"""Minimum number of ranked candidates. It equals the largest limit, so a smaller limit cuts the same list."""


@dataclass(slots=True)
class Ranked:
    """A candidate with the features and the score that ranked it."""

    candidate: Candidate
    view: PinnedView
    intent: str
    line: int
    spot: Spot
    file: Signals
    """Features of the file, shared by all its candidates."""
    share: float = 1.0
    """Weight of its features; lower for every candidate of a file but the best."""
    score: float = 0.0
    worth: float = 0.0
    """Score without the weight for repeated candidates of one file."""

    @property
    def signals(self) -> Signals:
        return self.file._replace(**self.spot._asdict())

    @property
    def features(self) -> Features:
        return scaled(blend(self.signals, self.intent), self.share)

    @property
    def symbol(self) -> Symbol | None:
        """The definition of this candidate, or None for lines and files."""
        item = self.candidate
        return self.view.symbol(item.path, item.position) if item.position >= 0 else None

    @property
    def reasons(self) -> Reasons:
        features = self.features
        return reasons(features, score(features, self.intent))


@dataclass(frozen=True, slots=True)
class Found:
    """The ranked candidates of one search, and how the query was understood."""

    ranked: list[Ranked]
    question: Question
    intent: str
    total: int
    relaxed: bool
    notes: tuple[str, ...] = ()
    """Notes for the caller: how the query was parsed, and which parts were not fully evaluated."""
    complete: bool = True
    """Whether `total` is exact. Otherwise it is a lower bound, because not all candidates were filtered."""
    opened: int = 0
    """Number of blobs whose facts the filters read."""
    filtered: bool = False
    """Whether filters or a mode were active."""
    lasting: bool = True
    """Whether the result may be cached for this generation: no filter depended on git or on a linter."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """Query stem → its share of the total IDF; rare stems have more."""


def search(
    view: PinnedView,
    paths: PathIndex,
    query: SearchQuery,
    call: Call,
    reader: ContentReader,
    history: Callable[[], ViewHistory],
    ask: Ask | None = None,
) -> Found:
    """Rank all fetched candidates, best first; the caller applies its limit.

    `history` is called only by filters that need git, `ask` only where vector similarity counts.
    """
    call.step("search", 0, 2)
    query_plan = plan(query, view.registry, view.words, of_files=True)
    quotes = _quotes(view, reader, query_plan, query)
    query_plan = _told(query_plan, view, paths)
    setting = Setting(view.registry, time.time(), query.case_file)
    filters = Sieve(view, paths, query_plan.filters, query_plan.without, query.mode, setting, GitSide(history), call)
    matcher = None
    if query_plan.tree is not None:

        def test(candidate: Candidate, item: Field) -> bool:
            return all(filters.holds(row.field, value, candidate) for row, value in field_filter(item))

        matcher = Verdict(view, reader, query_plan.tree, query.case_tokens, test, call, filters.prose)
    weights = weigh(query_plan.question, query_plan.intent, view.snapshot)
    vectors = _nearby(view, query_plan, weights, query, ask)
    extractor = Judging(view, paths, query_plan.question, weights, query_plan.intent, vectors)
    # A query for definitions wants every matching definition of a file.
    repeat_weight = 1.0 if filters.of_definitions else FURTHER
    least = max(query.limit, STEADY)
    while True:
        active = filters.is_active or (matcher is not None and query_plan.clause is None)
        pool = retrieve(
            view, paths, query_plan, weights, query.language, least, matcher, filters if active else None, vectors
        )
        _mark_quotes(view, pool, quotes, new=not active and matcher is None and not query.language)
        call.step("search", 1, 2)
        ranked = _ranked_all(extractor, pool, repeat_weight, call)
        if not filters.is_late:
            break
        ranked, tested = _proven(ranked, filters, query.limit)
        pool.is_open = pool.is_open or not tested
        if not tested or not pool.is_open or filters.git.is_cut:
            break
        # Too few candidates passed the blame filters: retrieve more and test those.
        least *= 4
    call.step("search", 2, 2)
    notes = (*query_plan.notes, *filters.git.notes, *filters.notes)
    total = len(ranked) if filters.is_late else pool.total
    complete = not pool.is_open and not filters.git.is_cut
    question, intent = query_plan.question, query_plan.intent
    is_stable = (
        not any(row.field in _PASSING for row, _ in (*query_plan.filters, *query_plan.without))
        and query_plan.tree is None
    )
    return Found(
        ranked, question, intent, total, pool.relaxed, notes, complete, filters.opened, filters.is_active,
        is_stable and not filters.notes,
        weights.shares,
    )  # fmt: skip


def _told(query_plan: Plan, view: PinnedView, paths: PathIndex) -> Plan:
    """Drop the name of the main language from a natural-language query: it does not distinguish files."""
    if query_plan.intent != "natural_language" or query_plan.tree is not None:
        return query_plan
    words = [word for word in query_plan.question.words if stem(word.lower()) not in ASKING]
    languages = {word: view.registry.canonical(word) for word in words}
    if not any(languages.values()):
        return query_plan
    main = paths.main_language(view)
    dropped = frozenset(word for word, language in languages.items() if language and language == main)
    return replace(query_plan, question=without(query_plan.question, dropped))


def _quotes(view: PinnedView, reader: ContentReader, query_plan: Plan, query: SearchQuery) -> list[Quote]:
    """Find verbatim occurrences of the query; symbol and path queries have none."""
    if (
        query_plan.intent not in ("error", "natural_language")
        or not query_plan.question.words
        or query.mode == EXTRACTED
    ):
        return []
    return find_quotes(view, reader, query.text, message=query_plan.intent == "error")


def _mark_quotes(view: PinnedView, pool: Pool, quotes: list[Quote], *, new: bool) -> None:
    """Set the verbatim share of candidates; `new` also adds matches that are not in the pool yet."""
    for quote in quotes:
        position = view.heads(quote.blob).begun(quote.ordinal)
        for path in view.paths.get(quote.blob, ()):
            known = pool.candidates.get(key_of(path, position, quote.ordinal))
            if known is None and new:
                known = Candidate(path, position, quote.ordinal)
                pool.candidates[known.key] = known
                # `text_total` already counts this chunk.
                pool.text_found = min(pool.text_found + 1, pool.text_total)
            if known is not None:
                known.verbatim = max(known.verbatim, quote.share)


def _nearby(view: PinnedView, query_plan: Plan, weights: Asked, query: SearchQuery, ask: Ask | None) -> Nearby | None:
    """Compare the query with the vectors; None where no query term is indexed or the intent ignores similarity."""
    if (
        ask is None
        or not uses("near", query_plan.intent)
        or not any(weights.forms.values())
        or query_plan.tree is not None
    ):
        return None
    similarity = ask(view, query_plan.question.text) if query.mode != EXTRACTED else None
    return Nearby(similarity) if similarity is not None else None


def _ranked_all(extractor: Judging, pool: Pool, repeat_weight: float, call: Call) -> list[Ranked]:
    """Rank all candidates; the best of each file has full weight, its others less."""
    paths: dict[str, list[Candidate]] = {}
    for candidate in pool.candidates.values():
        paths.setdefault(candidate.path, []).append(candidate)
    extractor.meet(paths)
    known = {path: extractor.outside(path) for path in paths}
    likely = sorted(paths, key=lambda path: (-extractor.rough(known[path], paths[path]), path))
    files: list[list[Ranked]] = []
    for at, path in enumerate(likely):
        # Each iteration may unpack the facts of a file.
        call.check()
        named = at < PROFILED or any(item.named for item in paths[path])
        whole = extractor.inside(path, known[path]) if named else known[path]
        files.append(_of_file(extractor, path, paths[path], whole))
    files.sort(key=lambda file: _order(file[0]))
    if uses("referred", extractor.intent):
        first = files[:REFERRED]
        for file, referred in zip(first, extractor.referred([file[0].candidate.path for file in first]), strict=True):
            whole = file[0].file._replace(referred=referred)
            for item in file:
                item.file = whole
            _score(file)
    for file in files:
        for item in file[1:]:
            item.share = repeat_weight
            item.score = repeat_weight * of_file(item.file, item.intent) + of_spot(
                item.spot, item.intent, repeat_weight
            )
    return sorted((item for file in files for item in file), key=_order)


def _of_file(extractor: Judging, path: str, candidates: list[Candidate], whole: Signals) -> list[Ranked]:
    """Score the candidates of one file, best first."""
    view, intent = extractor.view, extractor.intent
    heads = view.heads(view.entries[path].blob)
    found = []
    for candidate, spot in zip(candidates, extractor.spots(path, candidates), strict=True):
        at = candidate.position
        line = heads.line(at) if at >= 0 else candidate.ordinal
        found.append(Ranked(candidate, view, intent, line, spot, whole))
    _score(found)
    found.sort(key=_order)
    return found


def _score(file: list[Ranked]) -> None:
    base = of_file(file[0].file, file[0].intent)
    for item in file:
        item.score = item.worth = base + of_spot(item.spot, item.intent)


def _proven(ranked: list[Ranked], filters: Sieve, wanted: int) -> tuple[list[Ranked], bool]:
    """Return the first `wanted` candidates that pass the blame filters, and whether all were tested."""
    passed: list[Ranked] = []
    for item in ranked:
        if len(passed) >= wanted or filters.git.is_cut:
            return passed, False
        if filters.proves(item.candidate):
            passed.append(item)
    return passed, True


def _order(item: Ranked) -> tuple[float, str, int]:
    return -item.score, item.candidate.path, item.line
