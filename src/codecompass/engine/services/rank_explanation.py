"""Rank explanation: the rank of one result in an answer, among files and records, and why."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from codecompass.engine.results.explanation import DEEP, explain
from codecompass.engine.results.hits import search_hit
from codecompass.engine.search.paths.path_index import get_path_index
from codecompass.engine.search.pipeline import Found, Ranked, search
from codecompass.engine.search.ranking.scorer import FORMULA, factors
from codecompass.engine.triage.record_scoring import FORMULA as RECORD_FORMULA
from codecompass.engine.triage.record_search import asks_records, get_record_search, kept, merged, record_named
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.record_builder import HANDLE
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import Target
from codecompass.model.queries.results import Explanation, Hit, Standing, ViewState
from codecompass.model.queries.search_query import SearchQuery

Item = Ranked | Hit
"""A ranked file or part of one, or a record."""


def explained(
    project: Project, view: PinnedView, query: SearchQuery, target: Target, call: Call,
    state_of: Callable[[tuple[str, ...]], ViewState],
) -> Explanation:  # fmt: skip
    """Repeat the search and explain the rank of a result; RESULT_NOT_FOUND says why it is not in the answer."""
    record = _record_in(project, view, target)
    if record and not asks_records(query, project.registry):
        query = replace(query, mode="records")
    reader, history = project.reader(view), partial(project.history, view, call)
    paths = get_path_index(project, view)
    if record:
        found = search(view, paths, replace(query, limit=DEEP), call, reader, history, project.ask)
        wanted: Item | None = None
    else:
        found, position = explain(view, paths, query, target, call, reader, history, project.ask)
        wanted = found.ranked[position]
    ranking, total = _line(project, query, found, call)
    if record:
        wanted = next((item for item in ranking if isinstance(item, Hit) and item.result_id == HANDLE + record), None)
    if wanted is None or not any(item is wanted for item in ranking):
        raise _absence(project, query, record, call)
    rank = next(at for at, item in enumerate(ranking) if item is wanted)

    def standing(item: Item) -> Standing:
        if isinstance(item, Hit):
            return Standing(item, item.factors)
        hit = search_hit(view, reader, found.question, item, query.detail, None)
        return Standing(hit, factors(item.signals, found.intent, item.share))

    shown = () if isinstance(wanted, Hit) else (wanted.candidate.path,)
    formula = RECORD_FORMULA if isinstance(wanted, Hit) else FORMULA
    above = standing(ranking[rank - 1]) if rank else None
    return Explanation(standing(wanted), rank + 1, total, found.intent, formula, above, state_of(shown))


def _record_in(project: Project, view: PinnedView, target: Target) -> str:
    """Return the id of the target record; empty when the target is a file or a symbol."""
    name = record_named(target.handle, target.path, view.entries)
    if name and name not in get_record_search(project).cabinet.records()[1]:
        message = f"There is no record {ascii(name[:100])}."
        raise Failure("RESULT_NOT_FOUND", message, {"reason": "not_in_index"}, "'codecompass triage list' shows all.")
    return name


def _line(project: Project, query: SearchQuery, found: Found, call: Call) -> tuple[list[Item], int]:
    """Return the whole ranked answer, and the number of results."""
    if not asks_records(query, project.registry):
        return [*found.ranked], found.total
    records = get_record_search(project).search(replace(query, limit=DEEP), project.registry, call)
    files, matching_records = kept(found.relaxed, bool(found.ranked), records)
    ranked: list[Item] = [*found.ranked] if files else []
    ranking = merged(ranked, matching_records.hits, _score)
    return ranking, (found.total if files else 0) + matching_records.total


def _score(item: Item) -> float:
    return item.score if isinstance(item, Hit) else item.reasons.final_score


def _absence(project: Project, query: SearchQuery, record: str, call: Call) -> Failure:
    if record:
        return get_record_search(project).absence(query, record, project.registry, call)
    return Failure(
        "RESULT_NOT_FOUND", "That result does not contain all words of the query, but records do.",
        {"reason": "no_matching_words"}, "Use words that occur in its name, its path or its lines.",
    )  # fmt: skip
