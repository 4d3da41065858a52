"""Search pipeline: query → intent → candidates → features → ranked candidates; `hits.py` turns them into hits.

Agents repeat the same query over several surfaces. A result cannot change within a generation, so it is cached; its
freshness is checked again for every answer.
"""

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace

from codecompass.cache import LRU
from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.search.filters.boolean_match import BooleanMatcher
from codecompass.engine.search.filters.candidates import Candidate, CandidateKey, CandidatePool, make_key
from codecompass.engine.search.filters.filter_set import FilterSet
from codecompass.engine.search.filters.predicates import FilterValueContext
from codecompass.engine.search.filters.units import GitFacts
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.search.paths.path_roles import ROLE_STEMS
from codecompass.engine.search.query.issue_terms import choose_terms
from codecompass.engine.search.query.query_syntax import FieldNode
from codecompass.engine.search.query.query_terms import QueryTerms, TermWeights, compute_idf, drop_words
from codecompass.engine.search.ranking.features import FeatureExtractor
from codecompass.engine.search.ranking.scorer import (
    REPEAT_FILE_WEIGHT,
    REPEAT_WEIGHTS,
    RERANK_TOP_NAMES,
    RERANK_TOP_REFERENCES,
    CandidateFeatures,
    Features,
    RawFeatures,
    blend,
    scale,
    score,
    score_candidate,
    score_file,
    to_reasons,
    uses_feature,
)
from codecompass.engine.search.retrieval.issue_evidence import IssueEvidence, gather_evidence
from codecompass.engine.search.retrieval.query_plan import QueryPlan, field_filter, plan_query
from codecompass.engine.search.retrieval.retriever import retrieve
from codecompass.engine.search.retrieval.vector_channel import SimilarityLookup, VectorChannel
from codecompass.engine.search.retrieval.verbatim import VerbatimMatch, find_verbatim
from codecompass.engine.view.file_modes import EXTRACTED
from codecompass.engine.view.pinned_view import ContentReader, PinnedView, Symbol
from codecompass.model.call import Call
from codecompass.model.queries.results import Hits, Reasons
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.states import Intent, RankingTable
from codecompass.text.tokens import stem

MAX_CACHE_BYTES = 16_000_000
"""Approximate size limit of all cached results, in bytes."""
MAX_ENTRY_BYTES = MAX_CACHE_BYTES // 64
"""Size limit of one cached result."""
_HIT_BYTES, _ANSWER_BYTES = 1_500, 500
"""Estimated bytes of a hit and of an answer, without their texts."""


@dataclass
class ResultCache:
    """LRU cache of search results of one project; thread-safe."""

    _entries: LRU[Hashable, tuple[Hits, tuple[str, ...]]] = field(
        default_factory=lambda: LRU(MAX_CACHE_BYTES, MAX_ENTRY_BYTES)
    )

    def get(self, key: Hashable) -> tuple[Hits, tuple[str, ...]] | None:
        """Return the hits of an earlier search and the paths they show."""
        return self._entries.get(key)

    def put(self, key: Hashable, hits: Hits, paths: tuple[str, ...]) -> None:
        self._entries.put(key, (hits, paths), _estimate_size(hits))


def _estimate_size(hits: Hits) -> int:
    texts = sum(len(hit.body_preview) + len(hit.snippet) + len(hit.signature) for hit in hits.hits)
    return _ANSWER_BYTES + _HIT_BYTES * len(hits.hits) + texts


_VOLATILE_FILTERS = frozenset(("author", "chunkAuthor", "churnMin", "modifiedAfter", "modifiedSince", "lint"))
"""Filters whose result can change while the view stays the same."""
MIN_RANKED = 100
"""Number of candidates that are fetched and ranked first."""
DEPTH_FACTOR = 4
"""How much deeper the next fetch is."""


@dataclass(slots=True)
class RankedCandidate:
    """A candidate with the features and the score that ranked it."""

    candidate: Candidate
    view: PinnedView
    table: RankingTable
    line: int
    candidate_features: CandidateFeatures
    file_features: RawFeatures
    """Features of the file, shared by all its candidates."""
    weight: float = 1.0
    """Weight of its features; lower for every candidate of a file but the best."""
    score: float = 0.0
    standalone_score: float = 0.0
    """Score without the weight for repeated candidates of one file."""

    @property
    def raw_features(self) -> RawFeatures:
        return self.file_features._replace(**self.candidate_features._asdict())

    @property
    def features(self) -> Features:
        return scale(blend(self.raw_features, self.table), self.weight)

    @property
    def symbol(self) -> Symbol | None:
        """The definition of this candidate, or None for lines and files."""
        item = self.candidate
        return self.view.symbol(item.path, item.position) if item.position >= 0 else None

    @property
    def reasons(self) -> Reasons:
        features = self.features
        return to_reasons(features, score(features, self.table))


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The ranked candidates of one search, and how the query was understood."""

    ranked: list[RankedCandidate]
    question: QueryTerms
    intent: Intent
    total: int
    relaxed: bool
    notes: tuple[str, ...] = ()
    """Notes for the caller: how the query was parsed, and which parts were not fully evaluated."""
    complete: bool = True
    """Whether `total` is exact. Otherwise it is a lower bound, because not all candidates were filtered."""
    opened_blobs: int = 0
    """Number of blobs whose facts the filters read."""
    filtered: bool = False
    """Whether filters or a mode were active."""
    is_cacheable: bool = True
    """Whether the result may be cached for this generation: no filter depended on git or on a linter."""
    idf_share: Mapping[str, float] = field(default_factory=dict)
    """Query stem → its share of the total IDF; rare stems have more."""


def search(
    view: PinnedView,
    paths: PathIndex,
    query: SearchQuery,
    call: Call,
    reader: ContentReader,
    history: Callable[[], ViewHistory],
    ask: SimilarityLookup | None = None,
) -> SearchOutcome:
    """Rank all fetched candidates, best first; the caller applies its limit.

    Candidates are fetched to a certain depth and ranked together, so a deeper fetch could change the order of the
    first. If the limit needs more, the next depth is therefore ranked by itself and follows: a larger limit continues
    the list of a smaller one.

    `history` is called only by filters that need git, `ask` only where vector similarity counts.
    """
    call.step("search", 0, 2)
    query_plan = plan_query(query, view.registry, view.dictionary, files_only=True)
    quotes = _find_verbatim(view, reader, query_plan, query)
    query_plan = _drop_main_language(query_plan, view, paths)
    setting = FilterValueContext(view.registry, time.time(), query.case_file)
    filters = FilterSet(
        view, paths, query_plan.filters, query_plan.without, query.mode, setting, GitFacts(history), call
    )
    matcher = None
    if query_plan.tree is not None:

        def test(candidate: Candidate, item: FieldNode) -> bool:
            return all(filters.matches_filter(row.field, value, candidate) for row, value in field_filter(item))

        matcher = BooleanMatcher(view, reader, query_plan.tree, query.case_tokens, test, call, filters.prose)
    query_plan, weights, evidence = _weigh_terms(view, paths, reader, query_plan, query)
    vectors = _open_vector_channel(view, query_plan, weights, query, ask)
    extractor = FeatureExtractor(view, paths, query_plan.question, weights, query_plan.table, vectors, evidence)
    # A query for definitions wants every matching definition of a file.
    repeat_weight = 1.0 if filters.wants_definitions else REPEAT_WEIGHTS.get(query_plan.table, REPEAT_FILE_WEIGHT)
    least = MIN_RANKED
    ranked: list[RankedCandidate] = []
    seen: set[CandidateKey] = set()
    while True:
        pool = retrieve(view, paths, query_plan, weights, query.language, least, matcher, filters, vectors, evidence)
        _add_verbatim_matches(view, pool, quotes, new=not filters.is_active and matcher is None and not query.language)
        call.step("search", 1, 2)
        found = _rank_candidates(extractor, pool, repeat_weight, call)
        fresh = [item for item in found if item.candidate.key not in seen] if seen else found
        seen.update(item.candidate.key for item in fresh)
        is_all = not fresh or (not pool.may_have_more and pool.total <= len(pool.candidates))
        if filters.has_blame_filters:
            fresh, tested = _filter_by_blame(fresh, filters, query.limit - len(ranked))
            pool.may_have_more = pool.may_have_more or not tested
        ranked += fresh
        if len(ranked) >= query.limit or is_all or _is_stopped(filters):
            break
        least *= DEPTH_FACTOR
    call.step("search", 2, 2)
    notes = (*query_plan.notes, *filters.git.notes, *filters.notes)
    total = len(ranked) if filters.has_blame_filters else pool.total
    complete = not pool.may_have_more and not filters.git.is_incomplete
    question, intent = query_plan.question, query_plan.intent
    is_stable = (
        not any(row.field in _VOLATILE_FILTERS for row, _ in (*query_plan.filters, *query_plan.without))
        and query_plan.tree is None
    )
    return SearchOutcome(
        ranked, question, intent, total, pool.relaxed, notes, complete, filters.opened_blobs, filters.is_active,
        is_stable and not filters.notes,
        weights.idf_share,
    )  # fmt: skip


def _weigh_terms(
    view: PinnedView, paths: PathIndex, reader: ContentReader, query_plan: QueryPlan, query: SearchQuery
) -> tuple[QueryPlan, TermWeights, IssueEvidence | None]:
    """Weigh the terms of a query; of a pasted text they are chosen, and what it names is looked up."""
    if query_plan.issue is None:
        return query_plan, compute_idf(query_plan.question, query_plan.intent, view.snapshot), None
    terms = choose_terms(query_plan.issue, query_plan.question, view.snapshot)
    evidence = gather_evidence(terms, view, paths, reader, quotes=query.mode != EXTRACTED)
    return replace(query_plan, question=terms.question), terms.weights, evidence


def _is_stopped(filters: FilterSet) -> bool:
    """Whether no more candidates can be tested: the time for it is over, or the history does not reach far enough."""
    return bool(filters.notes) or filters.git.is_incomplete


def _drop_main_language(query_plan: QueryPlan, view: PinnedView, paths: PathIndex) -> QueryPlan:
    """Drop the name of the main language from a natural-language query: it does not distinguish files."""
    if query_plan.intent != "natural_language" or query_plan.tree is not None or query_plan.issue is not None:
        return query_plan
    words = [word for word in query_plan.question.words if stem(word.lower()) not in ROLE_STEMS]
    languages = {word: view.registry.resolve_name(word) for word in words}
    if not any(languages.values()):
        return query_plan
    main = paths.main_language(view)
    dropped = frozenset(word for word, language in languages.items() if language and language == main)
    return replace(query_plan, question=drop_words(query_plan.question, dropped))


def _find_verbatim(
    view: PinnedView, reader: ContentReader, query_plan: QueryPlan, query: SearchQuery
) -> list[VerbatimMatch]:
    """Find verbatim occurrences of the query; symbol and path queries have none."""
    if (
        query_plan.intent not in ("error", "natural_language")
        or query_plan.issue is not None
        or not query_plan.question.words
        or query.mode == EXTRACTED
    ):
        return []
    return find_verbatim(view, reader, query.text, message=query_plan.intent == "error")


def _add_verbatim_matches(view: PinnedView, pool: CandidatePool, quotes: list[VerbatimMatch], *, new: bool) -> None:
    """Set the verbatim share of candidates; `new` also adds matches that are not in the pool yet."""
    for quote in quotes:
        position = view.heads(quote.blob).find_starting_definition(quote.ordinal)
        for path in view.paths.get(quote.blob, ()):
            known = pool.candidates.get(make_key(path, position, quote.ordinal))
            if known is None and new:
                known = Candidate(path, position, quote.ordinal)
                pool.candidates[known.key] = known
                # `text_total` already counts this chunk.
                pool.text_fetched = min(pool.text_fetched + 1, pool.text_total)
            if known is not None:
                known.verbatim = max(known.verbatim, quote.share)


def _open_vector_channel(
    view: PinnedView, query_plan: QueryPlan, weights: TermWeights, query: SearchQuery, ask: SimilarityLookup | None
) -> VectorChannel | None:
    """Compare the query with the vectors; None where no query term is indexed or the intent ignores similarity."""
    if (
        ask is None
        or not uses_feature("near", query_plan.table)
        or not any(weights.forms.values())
        or query_plan.tree is not None
    ):
        return None
    similarity = ask(view, query_plan.question.text) if query.mode != EXTRACTED else None
    return VectorChannel(similarity) if similarity is not None else None


def _rank_candidates(
    extractor: FeatureExtractor, pool: CandidatePool, repeat_weight: float, call: Call
) -> list[RankedCandidate]:
    """Rank all candidates; the best of each file has full weight, its others less."""
    paths: dict[str, list[Candidate]] = {}
    for candidate in pool.candidates.values():
        paths.setdefault(candidate.path, []).append(candidate)
    extractor.prefetch_similarities(paths)
    known = {path: extractor.file_features(path) for path in paths}
    likely = sorted(paths, key=lambda path: (-extractor.cheap_score(known[path], paths[path]), path))
    files: list[list[RankedCandidate]] = []
    for at, path in enumerate(likely):
        # Each iteration may unpack the facts of a file.
        call.check()
        named = at < RERANK_TOP_NAMES or any(item.name_matched for item in paths[path])
        whole = extractor.with_name_features(path, known[path]) if named else known[path]
        files.append(_rank_file(extractor, path, paths[path], whole))
    files.sort(key=lambda file: _sort_key(file[0]))
    if uses_feature("referred", extractor.intent):
        first = files[:RERANK_TOP_REFERENCES]
        for file, referred in zip(
            first, extractor.score_references([file[0].candidate.path for file in first]), strict=True
        ):
            whole = file[0].file_features._replace(referred=referred)
            for item in file:
                item.file_features = whole
            _score_file_candidates(file)
    for file in files:
        for item in file[1:]:
            item.weight = repeat_weight
            item.score = repeat_weight * score_file(item.file_features, item.table) + score_candidate(
                item.candidate_features, item.table, repeat_weight
            )
    return sorted((item for file in files for item in file), key=_sort_key)


def _rank_file(
    extractor: FeatureExtractor, path: str, candidates: list[Candidate], whole: RawFeatures
) -> list[RankedCandidate]:
    """Score the candidates of one file, best first."""
    view, table = extractor.view, extractor.intent
    heads = view.heads(view.entries[path].blob)
    found = []
    for candidate, spot in zip(candidates, extractor.candidate_features(path, candidates), strict=True):
        at = candidate.position
        line = heads.get_first_line(at) if at >= 0 else candidate.ordinal
        found.append(RankedCandidate(candidate, view, table, line, spot, whole))
    _score_file_candidates(found)
    found.sort(key=_sort_key)
    return found


def _score_file_candidates(file: list[RankedCandidate]) -> None:
    base = score_file(file[0].file_features, file[0].table)
    for item in file:
        item.score = item.standalone_score = base + score_candidate(item.candidate_features, item.table)


def _filter_by_blame(
    ranked: list[RankedCandidate], filters: FilterSet, wanted: int
) -> tuple[list[RankedCandidate], bool]:
    """Return the first `wanted` candidates that pass the blame filters, and whether all were tested."""
    passed: list[RankedCandidate] = []
    for item in ranked:
        if len(passed) >= wanted or filters.git.is_incomplete:
            return passed, False
        if filters.matches_blame(item.candidate):
            passed.append(item)
    return passed, True


def _sort_key(item: RankedCandidate) -> tuple[float, str, int]:
    return -item.score, item.candidate.path, item.line
