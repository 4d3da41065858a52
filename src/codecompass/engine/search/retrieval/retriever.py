"""Retriever: fetch candidates from the channels — chunks by words and vectors, symbols by name, files by path."""

from collections.abc import Iterator

from codecompass.engine.search.filters.candidates import Candidate, CandidateMatcher, CandidatePool, make_key
from codecompass.engine.search.filters.filter_set import FilterSet
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.search.query.idf import TermWeights
from codecompass.engine.search.query.query_terms import QueryTerms
from codecompass.engine.search.retrieval.filtered_retriever import FilteredRetriever
from codecompass.engine.search.retrieval.query_plan import QueryPlan
from codecompass.engine.search.retrieval.text_query_builder import TextQueryBuilder
from codecompass.engine.search.retrieval.vector_channel import VectorChannel
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.kinds import SECONDARY
from codecompass.model.states import Intent
from codecompass.store.ports import SymbolRow
from codecompass.store.text_query import TextHit

TEXT_POOL = 100
"""Minimum number of chunks fetched for ranking; files whose best chunk ranks lower hardly ever win."""
SYMBOL_POOL = 40
PATH_POOL = 20
COMMON_NAME = 400
"""Natural-language queries skip names with more definitions than this."""


def retrieve(
    view: PinnedView,
    paths: PathIndex,
    plan: QueryPlan,
    weights: TermWeights,
    language: str | None,
    least: int,
    matcher: CandidateMatcher | None,
    filters: FilterSet | None = None,
    vectors: VectorChannel | None = None,
) -> CandidatePool:
    """Query the channels that the intent needs; returns at least `least` candidates if there are that many."""
    pool = CandidatePool()
    question, intent = plan.question, plan.intent
    if matcher is None and filters is None:
        _add_text_matches(
            pool, view, TextQueryBuilder.for_query(question, weights, intent), language or "", max(TEXT_POOL, least)
        )
        # If a sentence matches enough chunks, further names and paths would only cost time.
        minimum = 0 if intent == "natural_language" and pool.text_fetched >= least else least
        _add_symbol_matches(pool, view, question, intent, language, max(SYMBOL_POOL, minimum))
        _add_path_matches(pool, view, paths, question, intent, language, max(PATH_POOL, minimum))
        if vectors is not None and intent == "natural_language":
            _add_vector_matches(pool, view, vectors, language)
        return pool
    retriever = FilteredRetriever(
        view, plan, TextQueryBuilder.for_query(question, weights, intent), language or "", filters, matcher, pool
    )
    retriever.add_text_matches(max(TEXT_POOL, least))
    if vectors is not None and filters is not None and matcher is None and intent == "natural_language":
        retriever.add_vector_matches(vectors.nearest_chunks(filters.blobs))
    if filters is None or not filters.prose:
        for rows in _find_symbols(view, question, intent):
            retriever.add_symbol_matches(rows, max(SYMBOL_POOL, least))
        retriever.add_path_matches(paths, intent, max(PATH_POOL, least))
    return pool


def _add_text_matches(
    pool: CandidatePool, view: PinnedView, words: TextQueryBuilder, language: str, limit: int
) -> None:
    """Add chunks with all words; if none match, chunks with any word, and mark the result as relaxed."""
    if not words.count:
        return
    hits: list[TextHit] = []
    total = 0
    if words.is_long:
        # Few chunks contain every word of a sentence; chunks with most of them are ranked together with those.
        hits, total = view.text.search_text(words.build(every=False, language=language, limit=limit), view.row)
        _, whole = view.text.search_text(words.build(every=True, language=language, limit=1), view.row)
        pool.relaxed = bool(hits) and not whole
    else:
        hits, total = view.text.search_text(words.build(every=True, language=language, limit=limit), view.row)
        if not hits and words.count > 1:
            hits, total = view.text.search_text(words.build(every=False, language=language, limit=limit), view.row)
            pool.relaxed = bool(hits)
    pool.text_total, pool.text_fetched = total, len(hits)
    for hit in hits:
        _add_chunk(pool, view, hit)


def _add_chunk(pool: CandidatePool, view: PinnedView, hit: TextHit) -> None:
    paths = view.paths.get(hit.blob)
    if not paths:
        return
    position = view.heads(hit.blob).find_starting_definition(hit.ordinal)
    for path in paths:
        key = make_key(path, position, hit.ordinal)
        known = pool.candidates.get(key)
        if known is None:
            pool.candidates[key] = Candidate(path, position, hit.ordinal, hit.score)
        elif hit.score > known.bm25:
            known.bm25 = hit.score


def _add_vector_matches(pool: CandidatePool, view: PinnedView, vectors: VectorChannel, language: str | None) -> None:
    """Add chunks that are similar by vector, whatever their words."""
    for hit in vectors.nearest_chunks():
        if hit.blob in view.paths and (not language or view.heads(hit.blob).language == language):
            _add_chunk(pool, view, TextHit(hit.blob, hit.ordinal, 0.0))


def _find_symbols(view: PinnedView, question: QueryTerms, intent: Intent) -> Iterator[list[SymbolRow]]:
    """Yield the definitions named by each word of the query."""
    words = list(question.words)
    if intent == "natural_language" and 1 < len(words) <= 4:
        # "rate limit" may be written RateLimit or rate_limit; both fold to one of these.
        words += ["".join(words), "_".join(words)]
    for word in dict.fromkeys(word.casefold() for word in words):
        if intent != "symbol" and len(word) < 3:
            continue
        rows = view.snapshot.find_symbols(word, prefix=False, limit=10_000)
        if not rows and intent == "symbol" and len(word) >= 3:
            rows = view.snapshot.find_symbols(word, prefix=True, limit=10_000)
        if intent != "symbol":
            rows = [row for row in rows if row.kind not in SECONDARY]
        if intent != "natural_language" or len(rows) <= COMMON_NAME:
            yield rows


def _add_symbol_matches(
    pool: CandidatePool, view: PinnedView, question: QueryTerms, intent: Intent, language: str | None, limit: int
) -> None:
    for rows in _find_symbols(view, question, intent):
        taken = 0
        for row in rows:
            for path in view.paths.get(row.blob, ()):
                if language and view.language_of(path) != language:
                    continue
                taken += 1
                known = pool.candidates.get((path, row.position, -1))
                if known is not None:
                    known.name_matched = True
                elif taken <= limit:
                    pool.candidates[path, row.position, -1] = Candidate(path, row.position, name_matched=True)
                else:
                    pool.symbol_surplus += 1


def _add_path_matches(
    pool: CandidatePool,
    view: PinnedView,
    paths: PathIndex,
    question: QueryTerms,
    intent: Intent,
    language: str | None,
    limit: int,
) -> None:
    found: list[str] = []
    total = 0
    if intent == "error":
        return
    if intent == "path":
        found, total = paths.find_containing(question.text.strip(), limit)
        if not found:
            found, total = paths.find_by_words(sorted(question.stems), limit)
    elif question.stems:
        found, total = paths.find_by_words(sorted(question.stems), limit)
    if language:
        found = [path for path in found if (view.language_of(path) or "text") == language]
        total = len(found)
    for path in found:
        pool.candidates.setdefault((path, -1, -1), Candidate(path, whole_file=True))
    pool.path_surplus = total - len(found)
