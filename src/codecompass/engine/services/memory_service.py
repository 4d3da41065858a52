"""Remembering: the part of the façade that finds and judges what is known of a project."""

import time
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from codecompass.engine.memory.claims.claim_checker import freshness_of
from codecompass.engine.memory.conflicts import conflicts_of
from codecompass.engine.memory.corpus import in_module
from codecompass.engine.memory.impact import Change, endangered
from codecompass.engine.memory.memory_session import Desk, Desks
from codecompass.engine.memory.memory_summaries import dated, module_memory, project_memory
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import (
    DangerQuery,
    DangerReport,
    Discovery,
    MemoryAnswer,
    MemoryFilter,
    MemoryHit,
    MemoryList,
    MemoryQuery,
    ModuleMemory,
    ProjectMemory,
    Searched,
)
from codecompass.model.queries.results import Hit, Hits
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.queries.symbol_difference import Difference, DiffQuery
from codecompass.repo.git.commit_log import GitMessages

if TYPE_CHECKING:  # numpy is loaded only where vectors are
    from codecompass.embed.embedder import Embedder

LIST_S = 20.0
"""Seconds that lists and checks may mine and judge."""
OVERVIEW_S = 5.0
"""Seconds for overviews: who begins is not kept waiting, and what is not checked in time is checked by the next."""
_SESSIONS = 50
_EVENTS = 50
_CHANGES = 5_000
_GIT_S = 10.0
_NO_VIEW = ("NO_INDEX", "REF_NOT_INDEXED")


class Remembering:
    """Finds the project, pins a view, puts its memory together, ranks and judges."""

    def __init__(
        self,
        desks: Desks,
        search: Callable[[str | None, SearchQuery, Call], Hits],
        diff: Callable[[str | None, DiffQuery, Call], Difference],
    ) -> None:
        self._desks = desks
        self._search = search
        self._diff = diff
        self._lock = Lock()
        self._model: Embedder | None = None
        self._trouble = ""

    def recall(self, workspace: str | None, query: MemoryQuery, call: Call) -> MemoryAnswer:
        """What is recorded about something; no hits mean that nothing is."""
        from codecompass.engine.memory.search.recall import Means, code_hits, find, session_hits  # noqa: PLC0415 - loads numpy

        began = time.monotonic()
        try:
            with self._desks.at(workspace, query.ref, call, query.patience) as desk:
                wanted = "discovery" in query.sources
                model = self._opened()
                notes = (self._trouble,) if self._trouble else ()
                judge = desk.judge if query.judge else None
                corpus = desk.corpus
                means = Means(desk.project.store.memory, model, judge, desk.clock, desk.lines, notes)
                found = find(corpus, query, means)
                hits = list(found.hits) if wanted else []
                counts = dict(found.searched.counts)
                narrowed = bool(query.type or query.module)
                if "session" in query.sources and not narrowed:
                    past = desk.project.store.recollections.sessions(_SESSIONS, _EVENTS)
                    counts["session"] = len(past)
                    hits += session_hits(past, query)
                room = len(hits) < query.limit and not desk.clock.over()
                if "code" in query.sources and not narrowed and room:
                    counts["code"] = len(desk.view.entries)
                    hits += code_hits(self._code(workspace, query, call), query.text)
                total = (found.total if wanted else 0) + sum(hit.kind != "discovery" for hit in hits)
                paths = tuple(hit.discovery.source.path for hit in hits if hit.discovery.source.path)
                state = self._desks.state(desk, query.freshness, paths)
        except Failure as failure:
            return self._nothing(workspace, query, failure, began)
        searched = replace(found.searched, counts=counts)
        return MemoryAnswer(tuple(hits[: query.limit]), total, searched, state, _since(began))

    def _code(self, workspace: str | None, query: MemoryQuery, call: Call) -> tuple[Hit, ...]:
        asked = SearchQuery(query.text, ref=query.ref, limit=4, freshness="best_effort", mode="code")
        found = self._search(workspace, asked, call)
        return () if found.relaxed else found.hits

    def _opened(self) -> "Embedder | None":
        """The model that comes along; words alone decide where it cannot be had."""
        from codecompass.embed.bundled import open_bundled  # noqa: PLC0415 - loads numpy
        from codecompass.engine.memory.search.recall import Guarded  # noqa: PLC0415

        with self._lock:
            if self._model is None and not self._trouble:
                try:
                    self._model = Guarded(open_bundled())
                except Failure as failure:
                    self._trouble = f"Words alone decided: {failure.message}"
            return self._model

    def _nothing(self, workspace: str | None, query: MemoryQuery, failure: Failure, began: float) -> MemoryAnswer:
        """A ref without an index answers with nothing, and says so; unless the caller wants it fresh or not at all."""
        if failure.code not in _NO_VIEW or query.freshness == "strict":
            raise failure
        project = self._desks.opener.project(workspace)
        state = project.blank_state(project.effective_ref(query.ref))
        searched = Searched({}, complete=False, notes=(failure.message,))
        return MemoryAnswer((), 0, searched, state, _since(began))

    def discoveries(self, workspace: str | None, wanted: MemoryFilter, call: Call) -> MemoryList:
        """Discoveries as a list, the newest first."""
        with self._desks.at(workspace, wanted.ref, call, LIST_S) as desk:
            found = [kept for kept in desk.corpus.items if _fits(kept.discovery, wanted)]
            if wanted.module:
                found = [kept for kept in found if in_module(kept, wanted.module)]
            found.sort(key=lambda kept: (kept.discovery.date, kept.time, kept.discovery.id), reverse=True)
            chosen = found[wanted.offset : wanted.offset + wanted.limit]
            items = tuple(kept.discovery for kept in chosen)
            state = self._desks.state(desk, "balanced", ())
            return MemoryList(items, len(found), desk.searched(), state)

    def discovery(self, workspace: str | None, discovery_id: str, ref: str | None, call: Call) -> MemoryHit:
        """One discovery with its verdicts and whoever contradicts it."""
        with self._desks.at(workspace, ref, call, LIST_S) as desk:
            kept = desk.kept(discovery_id)
            verdicts = desk.judge.judge(kept)
            item = dated(kept.discovery, kept, desk.judge)
            return MemoryHit(item, 1.0, (), freshness_of(item, verdicts), verdicts, conflicts_of(desk.corpus, kept))

    def endangered(self, workspace: str | None, query: DangerQuery, call: Call) -> DangerReport:
        """Which discoveries a change puts at risk: of the working tree against its commit, or between two refs."""
        asked = DiffQuery(query.base, query.ref, limit=_CHANGES, callers=0, freshness="best_effort")
        difference = self._diff(workspace, asked, call)
        ref = difference.head.ref if difference.head.ref else query.ref
        with self._desks.at(workspace, ref, call, LIST_S) as desk:
            change = Change.of(difference)
            found = endangered(desk.corpus, change, desk.judge, _commits(desk, difference))
            state = self._desks.state(desk, "best_effort", ())
            return DangerReport(tuple(found[: query.limit]), len(found), len(change.paths), desk.searched(), state)

    def memory_overview(self, workspace: str | None, ref: str | None, call: Call) -> ProjectMemory:
        with self._desks.at(workspace, ref, call, OVERVIEW_S) as desk:
            state = self._desks.state(desk, "best_effort", ())
            name = desk.project.workspace.root.name
            return project_memory(name, desk.view, desk.corpus, desk.judge, state, desk.searched())

    def memory_module(self, workspace: str | None, name: str, ref: str | None, call: Call) -> ModuleMemory:
        with self._desks.at(workspace, ref, call, OVERVIEW_S) as desk:
            found = module_memory(name, desk.view, desk.corpus, desk.judge)
            if found is None:
                raise Failure("RESULT_NOT_FOUND", f"No file lies in a module '{name[:100]}'.",
                              hint="The overview lists the modules.")  # fmt: skip
            return found


def _fits(item: Discovery, wanted: MemoryFilter) -> bool:
    if wanted.state and item.state != wanted.state or not wanted.state and item.state == "forgotten":
        return False
    if wanted.type and item.type != wanted.type or wanted.source and item.source.kind != wanted.source:
        return False
    text = f"{item.title}\n{item.content}\n{item.source.path}".casefold()
    return wanted.contains.casefold() in text


def _commits(desk: Desk, difference: Difference) -> frozenset[str]:
    """The commits that a change is made of; what is in no commit yet counts besides."""
    start, end = difference.merge_base or difference.base.commit, difference.head.commit or desk.view.row.commit
    if not start or not end or start == end:
        return frozenset()
    log = GitMessages(desk.project.git(), desk.call.check)
    return frozenset(log.between(start, end, _CHANGES, _GIT_S))


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)
