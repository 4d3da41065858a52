"""Leads: the files a question brings up, each by its best place, with the signals that ranked it.

With them weights can be changed and signals left out without asking again.
"""

from typing import NamedTuple

from codecompass.engine.engine import Engine
from codecompass.engine.search.paths.path_index import get_path_index
from codecompass.engine.search.pipeline import Ranked, search
from codecompass.engine.search.ranking.scorer import REFERRED, Signals
from codecompass.model.call import Call
from codecompass.model.queries.search_query import SearchQuery
from codecompass.surfaces.cli.ranking_measures import DEPTH, Place

MOST = 4 * REFERRED


class Leads(NamedTuple):
    """Best first, as they were ranked."""

    intent: str
    places: list[Place]
    signals: list[Signals]


def leads_of(engine: Engine, question: str) -> Leads:
    project = engine._projects.get(None)
    with project.pinned(project.effective_ref(None)) as view:
        query, reader = SearchQuery(question, limit=DEPTH), project.reader(view)
        found = search(view, get_path_index(project, view), query, Call(), reader, lambda: None, project.ask)  # type: ignore[arg-type,return-value]
        firsts: dict[str, Ranked] = {}
        for item in found.ranked:
            firsts.setdefault(item.candidate.path, item)
        items = list(firsts.values())[:MOST]
        return Leads(found.intent, [_place(item) for item in items], [item.signals for item in items])


def _place(item: Ranked) -> Place:
    candidate = item.candidate
    heads = item.view.snapshot.heads(item.view.entries[candidate.path].blob)
    if candidate.whole_file:
        return Place(candidate.path, 1, heads.line_count)
    part = heads.head(candidate.position) if candidate.position >= 0 else heads.chunk(candidate.ordinal)
    return Place(candidate.path, part.line_start, part.line_end)
