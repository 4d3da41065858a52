"""Rank explanation: repeat a search to find the rank of one result, or the reason why it is missing."""

from collections.abc import Callable
from dataclasses import replace

from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.navigation.symbols.handles import find_file_by_id, find_snippet_by_id
from codecompass.engine.navigation.symbols.target import find_path, find_targets
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.search.pipeline import RankedCandidate, SearchOutcome, search
from codecompass.engine.search.retrieval.vector_channel import SimilarityLookup
from codecompass.engine.view.pinned_view import ContentReader, PinnedView, Symbol
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.ids import classify_handle
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.search_query import SearchQuery

MAX_RANK_DEPTH = 2_000
"""Number of candidates ranked if the result is not within the query's limit."""

CandidateTest = Callable[[RankedCandidate], bool]


def find_rank(
    view: PinnedView,
    paths: PathIndex,
    query: SearchQuery,
    target: SymbolTarget,
    call: Call,
    reader: ContentReader,
    history: Callable[[], ViewHistory],
    ask: SimilarityLookup | None = None,
) -> tuple[SearchOutcome, int]:
    """Return the search outcome and the position of the result in it; RESULT_NOT_FOUND explains its absence."""
    try:
        path, matches = _resolve_target(view, target)
    except Failure as failure:
        if not failure.code.endswith("_NOT_FOUND"):
            raise
        details = {**failure.details, "reason": "not_in_index"}
        raise Failure("RESULT_NOT_FOUND", failure.message, details, hint=failure.effective_hint) from failure
    for depth in (query.limit, MAX_RANK_DEPTH):
        found = search(view, paths, replace(query, limit=depth), call, reader, history, ask)
        for position, item in enumerate(found.ranked):
            if matches(item):
                return found, position
    raise _explain_absence(view, query, found, path)


def _explain_absence(view: PinnedView, query: SearchQuery, found: SearchOutcome, path: str) -> Failure:
    language = view.language_of(path) or "text"
    if query.language is not None and language != query.language:
        return Failure(
            "RESULT_NOT_FOUND",
            f"The search was for {query.language} only, and that result is {language}.",
            {"reason": "language", "language": language},
            hint="Search again without `language`.",
        )
    if found.total > len(found.ranked):
        return Failure(
            "RESULT_NOT_FOUND",
            f"That result is not among the first {len(found.ranked)} of {found.total} candidates.",
            {"reason": "ranked_below", "ranked": len(found.ranked), "total_candidates": found.total},
            hint="Use words from its name, its path or its lines.",
        )
    if found.filtered:
        return Failure(
            "RESULT_NOT_FOUND",
            "The filters exclude that result, or it contains no word of the query.",
            {"reason": "filtered", "total_candidates": found.total},
            hint="Search again without filters.",
        )
    words = list(found.question.words[:20])
    return Failure(
        "RESULT_NOT_FOUND",
        "That result contains no word of the query.",
        {"reason": "no_matching_words", "query_words": words, "total_candidates": found.total},
        hint="Use words from its name, its path or its lines.",
    )


def _resolve_target(view: PinnedView, target: SymbolTarget) -> tuple[str, CandidateTest]:
    """Resolve a target to its path and a test that recognizes its candidates."""
    handle = (target.handle or "").strip()
    kind = classify_handle(handle)
    if kind == "file":
        path = find_file_by_id(view, handle)
        if path is not None:
            return path, lambda item: item.candidate.whole_file and item.candidate.path == path
    if kind == "snippet":
        found = find_snippet_by_id(view, handle)
        if found is not None:
            return found[0], lambda item: (item.candidate.path, item.candidate.ordinal) == found
    if kind in ("file", "snippet"):
        message = f"No result in this index has the result_id '{handle}'."
        raise Failure("RESULT_NOT_FOUND", message, {"result_id": handle})
    if target.handle is None and target.path is not None and target.line is not None:
        return _match_line(view, find_path(view, target.path), target.line)
    symbols = find_targets(view, target)
    return symbols[0].path, lambda item: any(_is_symbol(view, item, symbol) for symbol in symbols)


def _is_symbol(view: PinnedView, item: RankedCandidate, symbol: Symbol) -> bool:
    """Whether a candidate is that definition, or a chunk whose innermost definition it is."""
    found = item.candidate
    if found.path != symbol.path or found.whole_file:
        return False
    if found.position >= 0:
        return found.position == symbol.position
    return view.facts(found.path).chunks[found.ordinal].owner == symbol.position


def _match_line(view: PinnedView, path: str, line: int) -> tuple[str, CandidateTest]:
    facts = view.facts(path)
    if not 1 <= line <= max(facts.line_count, 1):
        message = f"The file has {facts.line_count} lines."
        raise Failure("RESULT_NOT_FOUND", message, {"line": line, "line_count": facts.line_count})

    def covers(item: RankedCandidate) -> bool:
        found = item.candidate
        if found.path != path or found.whole_file:
            return False
        part = facts.definitions[found.position] if found.position >= 0 else facts.chunks[found.ordinal]
        return part.line_start <= line <= part.line_end

    return path, covers
