"""Rank explanation: the rank of one result in an answer, among files and records, and why."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from codecompass.engine.results.explanation import MAX_RANK_DEPTH, find_rank
from codecompass.engine.results.hits import to_search_hit
from codecompass.engine.search.paths.path_index import get_path_index
from codecompass.engine.search.pipeline import RankedCandidate, SearchOutcome, search
from codecompass.engine.search.ranking.scorer import FORMULA, list_factors
from codecompass.engine.triage.record_scoring import FORMULA as RECORD_FORMULA
from codecompass.engine.triage.record_search import (
    get_record_search,
    keep_stricter,
    may_match_records,
    merge_by_score,
    parse_record_target,
)
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.record_builder import RECORD_HANDLE_PREFIX
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.results import Explanation, Hit, RankedHit, ViewState
from codecompass.model.queries.search_query import SearchQuery

RankedItem = RankedCandidate | Hit
"""A ranked file or part of one, or a record."""


def explain_rank(
    project: Project, view: PinnedView, query: SearchQuery, target: SymbolTarget, call: Call,
    state_of: Callable[[tuple[str, ...]], ViewState],
) -> Explanation:  # fmt: skip
    """Repeat the search and explain the rank of a result; RESULT_NOT_FOUND says why it is not in the answer."""
    record = _find_record(project, view, target)
    if record and not may_match_records(query, project.registry):
        query = replace(query, mode="records")
    reader, history = project.reader(view), partial(project.history, view, call)
    paths = get_path_index(project, view)
    if record:
        found = search(
            view, paths, replace(query, limit=MAX_RANK_DEPTH), call, reader, history, project.compute_similarity
        )
        wanted: RankedItem | None = None
    else:
        found, position = find_rank(view, paths, query, target, call, reader, history, project.compute_similarity)
        wanted = found.ranked[position]
    ranking, total = _rank_all(project, query, found, call)
    if record:
        wanted = next(
            (item for item in ranking if isinstance(item, Hit) and item.result_id == RECORD_HANDLE_PREFIX + record),
            None,
        )
    if wanted is None or not any(item is wanted for item in ranking):
        raise _explain_absence(project, query, record, call)
    rank = next(at for at, item in enumerate(ranking) if item is wanted)

    def make_ranked_hit(item: RankedItem) -> RankedHit:
        if isinstance(item, Hit):
            return RankedHit(item, item.factors)
        hit = to_search_hit(view, reader, found.question, item, query.detail, None)
        return RankedHit(hit, list_factors(item.raw_features, item.table, item.weight))

    shown = () if isinstance(wanted, Hit) else (wanted.candidate.path,)
    formula = RECORD_FORMULA if isinstance(wanted, Hit) else FORMULA
    above = make_ranked_hit(ranking[rank - 1]) if rank else None
    return Explanation(make_ranked_hit(wanted), rank + 1, total, found.intent, formula, above, state_of(shown))


def _find_record(project: Project, view: PinnedView, target: SymbolTarget) -> str:
    """Return the id of the target record; empty when the target is a file or a symbol."""
    name = parse_record_target(target.handle, target.path, view.entries)
    if name and name not in get_record_search(project).store.get_records()[1]:
        message = f"There is no record {ascii(name[:100])}."
        raise Failure("RESULT_NOT_FOUND", message, {"reason": "not_in_index"}, "'codecompass triage list' shows all.")
    return name


def _rank_all(project: Project, query: SearchQuery, found: SearchOutcome, call: Call) -> tuple[list[RankedItem], int]:
    """Return the whole ranked answer, and the number of results."""
    if not may_match_records(query, project.registry):
        return [*found.ranked], found.total
    records = get_record_search(project).search(replace(query, limit=MAX_RANK_DEPTH), project.registry, call)
    files, matching_records = keep_stricter(found.relaxed, bool(found.ranked), records)
    ranked: list[RankedItem] = [*found.ranked] if files else []
    ranking = merge_by_score(ranked, matching_records.hits, _get_score)
    return ranking, (found.total if files else 0) + matching_records.total


def _get_score(item: RankedItem) -> float:
    return item.score if isinstance(item, Hit) else item.reasons.final_score


def _explain_absence(project: Project, query: SearchQuery, record: str, call: Call) -> Failure:
    if record:
        return get_record_search(project).explain_absence(query, record, project.registry, call)
    return Failure(
        "RESULT_NOT_FOUND", "That result does not contain all words of the query, but records do.",
        {"reason": "no_matching_words"}, "Use words that occur in its name, its path or its lines.",
    )  # fmt: skip
