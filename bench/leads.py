"""Leads: the files a question brings up, each by its best place, with the signals that ranked it.

With them weights can be changed and signals left out without asking again.
"""

from typing import Any, NamedTuple

from codecompass.engine.engine import Engine
from codecompass.engine.search.paths.path_index import get_path_index
from codecompass.engine.search.pipeline import RankedCandidate, search
from codecompass.engine.search.ranking.scorer import RERANK_TOP_REFERENCES, RawFeatures
from codecompass.model.call import Call
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.states import Intent
from codecompass.surfaces.cli.commands.ranking_measures import DEPTH, RankedLocation

MOST = 4 * RERANK_TOP_REFERENCES


class Leads(NamedTuple):
    """Best first, as they were ranked."""

    intent: Intent
    places: list[RankedLocation]
    signals: list[RawFeatures]


def leads_of(engine: Engine, question: str) -> Leads:
    project = engine._projects.open_for_query(None)
    with project.open_view(project.effective_ref(None)) as view:
        query, reader = SearchQuery(question, limit=DEPTH), project.reader(view)
        paths, similarity = get_path_index(project, view), project.compute_similarity
        history: Any = lambda: None  # noqa: E731 - no question here asks for history
        found = search(view, paths, query, Call(), reader, history, similarity)
        firsts: dict[str, RankedCandidate] = {}
        for item in found.ranked:
            firsts.setdefault(item.candidate.path, item)
        items = list(firsts.values())[:MOST]
        return Leads(found.intent, [_place(item) for item in items], [item.raw_features for item in items])


def _place(item: RankedCandidate) -> RankedLocation:
    candidate = item.candidate
    heads = item.view.snapshot.definition_headers(item.view.entries[candidate.path].blob)
    if candidate.whole_file:
        return RankedLocation(candidate.path, 1, heads.line_count)
    part = heads.get_header(candidate.position) if candidate.position >= 0 else heads.get_chunk(candidate.ordinal)
    return RankedLocation(candidate.path, part.line_start, part.line_end)
