"""Memory service: finds discoveries of a project and checks their freshness."""

import time
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from codecompass.engine.maintenance.health.project_health import describe_view
from codecompass.engine.memory.claims.claim_checker import compute_freshness
from codecompass.engine.memory.conflicts import find_conflicts
from codecompass.engine.memory.corpus import is_in_module
from codecompass.engine.memory.impact import ChangedNames, collect_removed_words, find_impacted
from codecompass.engine.memory.memory_session import MemorySession, MemorySessions
from codecompass.engine.memory.memory_summaries import add_blame, summarize_module, summarize_project
from codecompass.engine.search.issue.issue_reader import shorten_question
from codecompass.errors import ErrorCode, Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import (
    Discovery,
    ImpactQuery,
    ImpactReport,
    MemoryAnswer,
    MemoryFilter,
    MemoryHit,
    MemoryList,
    MemoryQuery,
    ModuleMemory,
    ProjectMemory,
    SearchCoverage,
)
from codecompass.model.queries.results import Hit, Hits
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.queries.symbol_difference import DiffQuery, SymbolDiff
from codecompass.repo.files.secret_names import is_secret
from codecompass.repo.git.commit_log import CommitLog
from codecompass.repo.git.git_log import GitLog
from codecompass.repo.workspace import TargetRef
from codecompass.text.sniff import decode

if TYPE_CHECKING:  # numpy is loaded only where vectors are
    from codecompass.embed.embedder import Embedder

LIST_S = 20.0
"""Seconds that lists and checks may spend on mining and checking."""
OVERVIEW_S = 5.0
"""Seconds for overviews: they must be fast, and a later call checks what is unchecked."""
_SESSIONS = 50
_EVENTS = 50
_CHANGES = 5_000
_GIT_S = 10.0
_NO_VIEW: tuple[ErrorCode, ...] = ("NO_INDEX", "REF_NOT_INDEXED")


class MemoryService:
    """Opens the project, pins a view, builds its memory, ranks and checks it."""

    def __init__(
        self,
        memory_sessions: MemorySessions,
        search: Callable[[str | None, SearchQuery, Call], Hits],
        diff: Callable[[str | None, DiffQuery, Call], SymbolDiff],
    ) -> None:
        self._sessions = memory_sessions
        self._search = search
        self._diff = diff
        self._lock = Lock()
        self._model: Embedder | None = None
        self._model_error = ""

    def recall(self, workspace: str | None, query: MemoryQuery, call: Call) -> MemoryAnswer:
        """Search the memory; no hits mean that nothing is recorded."""
        from codecompass.engine.memory.search.recall import (  # noqa: PLC0415 - loads numpy
            RecallResources,
            find_session_hits,
            recall_discoveries,
            select_code_hits,
        )

        began = time.monotonic()
        text, cut = shorten_question(query.text)
        query = replace(query, text=text)
        try:
            with self._sessions.open_session(workspace, query.ref, call, query.patience) as session:
                wanted = "discovery" in query.sources
                model = self._open_model()
                notes = (*cut, *((self._model_error,) if self._model_error else ()))
                judge = session.checker if query.judge else None
                corpus = session.corpus
                means = RecallResources(
                    session.project.store.memory_cache, model, judge, session.budget, session.read_lines, notes
                )
                found = recall_discoveries(corpus, query, means)
                hits = list(found.hits) if wanted else []
                counts = dict(found.searched.counts)
                narrowed = bool(query.type or query.module)
                if "session" in query.sources and not narrowed:
                    sessions = session.project.store.memory_records.read_sessions(_SESSIONS, _EVENTS)
                    counts["session"] = len(sessions)
                    hits += find_session_hits(sessions, query)
                has_capacity = len(hits) < query.limit and not session.budget.is_over()
                if "code" in query.sources and not narrowed and has_capacity:
                    counts["code"] = len(session.view.entries)
                    hits += select_code_hits(self._search_code(workspace, query, call), query.text)
                total = (found.total if wanted else 0) + sum(hit.kind != "discovery" for hit in hits)
                paths = tuple(hit.discovery.source.path for hit in hits if hit.discovery.source.path)
                state = self._sessions.get_view_state(session, query.freshness, paths)
        except Failure as failure:
            return self._empty_answer(workspace, query, failure, began)
        searched = replace(found.searched, counts=counts)
        nearest = found.nearest if wanted and not hits else ()
        return MemoryAnswer(tuple(hits[: query.limit]), total, searched, state, _milliseconds_since(began), nearest)

    def _search_code(self, workspace: str | None, query: MemoryQuery, call: Call) -> tuple[Hit, ...]:
        code_query = SearchQuery(query.text, ref=query.ref, limit=4, freshness="best_effort", mode="code")
        found = self._search(workspace, code_query, call)
        return () if found.relaxed else found.hits

    def _open_model(self) -> "Embedder | None":
        """Return the bundled model; None when it cannot be loaded, then only words are compared."""
        from codecompass.embed.bundled import open_bundled  # noqa: PLC0415 - loads numpy
        from codecompass.engine.memory.search.recall import LockedEmbedder  # noqa: PLC0415

        with self._lock:
            if self._model is None and not self._model_error:
                try:
                    self._model = LockedEmbedder(open_bundled())
                except Failure as failure:
                    self._model_error = f"Only words were compared: {failure.message}"
            return self._model

    def _empty_answer(self, workspace: str | None, query: MemoryQuery, failure: Failure, began: float) -> MemoryAnswer:
        """Return an empty answer for a ref without an index; raise when the caller requires freshness."""
        if failure.code not in _NO_VIEW or query.freshness == "strict":
            raise failure
        with self._sessions.access.project(workspace) as project:
            state = describe_view(project, project.resolve_ref(query.ref))
        searched = SearchCoverage({}, complete=False, notes=(failure.message,))
        return MemoryAnswer((), 0, searched, state, _milliseconds_since(began))

    def discoveries(self, workspace: str | None, wanted: MemoryFilter, call: Call) -> MemoryList:
        """List discoveries, newest first."""
        with self._sessions.open_session(workspace, wanted.ref, call, LIST_S) as session:
            found = [kept for kept in session.corpus.items if _matches_filter(kept.discovery, wanted)]
            if wanted.module:
                found = [kept for kept in found if is_in_module(kept, wanted.module)]
            found.sort(key=lambda kept: (kept.discovery.date, kept.time, kept.discovery.id), reverse=True)
            chosen = found[wanted.offset : wanted.offset + wanted.limit]
            items = tuple(kept.discovery for kept in chosen)
            state = self._sessions.get_view_state(session, "balanced", ())
            return MemoryList(items, len(found), session.summarize_search(), state)

    def discovery(self, workspace: str | None, discovery_id: str, ref: str | None, call: Call) -> MemoryHit:
        """Return one discovery with its verdicts and contradicting discoveries."""
        with self._sessions.open_session(workspace, ref, call, LIST_S) as session:
            kept = session.get_entry(discovery_id)
            verdicts = session.checker.check(kept)
            item = add_blame(kept.discovery, kept, session.checker)
            return MemoryHit(
                item, 1.0, (), compute_freshness(item, verdicts), verdicts, find_conflicts(session.corpus, kept)
            )

    def find_impacted(self, workspace: str | None, query: ImpactQuery, call: Call) -> ImpactReport:
        """Return the discoveries that a change affects: of the working tree against its commit, or between two refs."""
        diff_query = DiffQuery(query.base, query.ref, limit=_CHANGES, callers=0, freshness="best_effort")
        difference = self._diff(workspace, diff_query, call)
        head = difference.head
        target = TargetRef(head.ref, is_live=True) if head.live else head.ref or query.ref
        with self._sessions.open_session(workspace, target, call, query.patience) as session:
            change = ChangedNames.from_difference(difference, _collect_removed_words(session, difference))
            found = find_impacted(session.corpus, change, session.checker, _list_commits(session, difference))
            state = self._sessions.get_view_state(session, "best_effort", ())
            searched = session.summarize_search()
            if found.unreached:
                note = f"Stopped in time: {found.unreached} statements were not reached; {found.checked} were checked."
                searched = replace(searched, complete=False, notes=(note, *searched.notes))
            return ImpactReport(
                tuple(found.items[: query.limit]), len(found.items), len(change.paths), searched, state,
                found.checked, found.unreached,
            )  # fmt: skip

    def memory_overview(self, workspace: str | None, ref: str | None, call: Call) -> ProjectMemory:
        with self._sessions.open_session(workspace, ref, call, OVERVIEW_S) as session:
            state = self._sessions.get_view_state(session, "best_effort", ())
            name = session.project.workspace.root.name
            return summarize_project(
                name, session.view, session.corpus, session.checker, state, session.summarize_search()
            )

    def memory_module(self, workspace: str | None, name: str, ref: str | None, call: Call) -> ModuleMemory:
        with self._sessions.open_session(workspace, ref, call, OVERVIEW_S) as session:
            found = summarize_module(name, session.view, session.corpus, session.checker)
            if found is None:
                raise Failure("RESULT_NOT_FOUND", f"No file is in a module '{name[:100]}'.",
                              hint="The overview lists the modules.")  # fmt: skip
            return found


def _matches_filter(item: Discovery, wanted: MemoryFilter) -> bool:
    if wanted.state and item.state != wanted.state or not wanted.state and item.state == "forgotten":
        return False
    if wanted.type and item.type != wanted.type or wanted.source and item.source.kind != wanted.source:
        return False
    text = f"{item.title}\n{item.content}\n{item.source.path}".casefold()
    return wanted.contains.casefold() in text


def _list_commits(session: MemorySession, difference: SymbolDiff) -> frozenset[str]:
    """Return the commits of a change; uncommitted changes count in addition."""
    start, end = difference.merge_base or difference.base.commit, difference.head.commit or session.view.row.commit
    if not start or not end or start == end:
        return frozenset()
    log = CommitLog(session.project.git(), session.call.check)
    return frozenset(log.list_between(start, end, _CHANGES, _GIT_S))


def _collect_removed_words(session: MemorySession, difference: SymbolDiff) -> frozenset[str]:
    """Return the words of all lines that a change removed, read from both sides of every changed file."""
    start = difference.merge_base or difference.base.commit
    if not start:
        return frozenset()
    git = session.project.git()
    before = GitLog(git, stop=session.call.check).read_tree(start, _GIT_S)
    most = session.project.options.max_file_bytes
    found: set[str] = set()
    for file in difference.files:
        old = file.old_path or file.path
        oid = before.get(old.encode("utf-8", "surrogateescape")) if not is_secret(old) else None
        data = git.read_blob(oid, most) if oid else None
        if data is not None and file.change != "added":
            now = session.checker.view_tree.read(file.path) if file.change != "deleted" else b""
            found |= collect_removed_words(decode(data)[0], (now or b"").decode("utf-8", "replace"))
    return frozenset(found)


def _milliseconds_since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)
