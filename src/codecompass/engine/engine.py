"""Engine: the façade the tools call. It finds the project, pins a view, asks the parts and adds the view's state."""

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from codecompass import __version__
from codecompass.engine.care.doctor import examine
from codecompass.engine.care.health import grammars, overall, project_status
from codecompass.engine.freshness import WatchFactory
from codecompass.engine.jobs.run import run_job, start_child
from codecompass.engine.navigate.locate import locate
from codecompass.engine.navigate.outline import outline
from codecompass.engine.options import EngineOptions
from codecompass.engine.project import Project, SyncThrottle
from codecompass.engine.projects import Projects, StoreFactory
from codecompass.engine.query.followup import after_locate, after_search, not_indexed
from codecompass.engine.query.hits import search_hit, symbol_hit
from codecompass.engine.query.search import search
from codecompass.engine.view import PinnedView, shown
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.query import LocateQuery, SearchQuery
from codecompass.model.result import Check, Health, Hits, Outline, ProjectStatus, ViewState

_NO_VIEW = ("NO_INDEX", "REF_NOT_INDEXED")


class Engine:
    """Thread-safe; one per process."""

    def __init__(
        self,
        data_dir: Path,
        options: EngineOptions,
        stores: StoreFactory,
        environment: Mapping[str, str],
        watches: WatchFactory | None = None,
    ) -> None:
        self.options = options
        self.registry = Registry()
        self._environment = environment
        self._projects = Projects(data_dir, options, self.registry, stores, watches)
        self._started = time.monotonic()
        self._throttle = SyncThrottle()
        self._prewarm = "pending"

    # -- projects and jobs -----------------------------------------------------------------------------------------

    def init(self, path: str) -> ProjectStatus:
        """Register a directory; doing it again changes nothing."""
        project = self._projects.register(path)
        return project_status(project, project.effective_ref(None))

    def index(
        self,
        workspace: str | None,
        ref: str | None,
        *,
        force: bool,
        call: Call,
        job_id: str | None = None,
        register: bool = True,
    ) -> Job:
        """Index in this process and wait for it; an unregistered directory is registered first, if that is wanted."""
        if register:
            project = self._projects.register(workspace or self.options.default_workspace or os.getcwd())
        else:
            project = self._projects.get(workspace)
        return run_job(project, project.effective_ref(ref), call, force=force, job_id=job_id)

    def start_job(self, workspace: str | None, ref: str | None, *, mode: str, force: bool) -> Job:
        """Start indexing in a child process and answer at once."""
        project = self._projects.get(workspace)
        return start_child(project, project.effective_ref(ref), self._environment, mode=mode, force=force)

    # -- queries ---------------------------------------------------------------------------------------------------

    def locate(self, workspace: str | None, query: LocateQuery, call: Call) -> Hits:
        project = self._projects.get(workspace)
        ref = project.effective_ref(query.ref)
        query = replace(query, language=self._language(query.language))
        try:
            with project.pinned(ref) as view:
                found = locate(view, query)
                top = found[: query.limit]
                state = self._state(project, view, ref, query.freshness, tuple(symbol.path for symbol, _, _ in top))
                reader = project.reader(view)
                hits = tuple(symbol_hit(view, reader, symbol, why, query.detail, tier) for symbol, tier, why in top)
        except Failure as failure:
            return self._nothing(project, ref, query.freshness, failure)
        actions = after_locate(hits, len(found), query.name, ref, query.kind)
        return Hits(hits, len(found), state, truncated=len(found) > len(hits), next_actions=actions)

    def search(self, workspace: str | None, query: SearchQuery, call: Call) -> Hits:
        project = self._projects.get(workspace)
        ref = project.effective_ref(query.ref)
        query = replace(query, language=self._language(query.language))
        try:
            with project.pinned(ref) as view:
                found = search(view, project.path_index(view), query)
                call.check()
                top = found.ranked[: query.limit]
                state = self._state(project, view, ref, query.freshness, tuple({item.candidate.path for item in top}))
                reader = project.reader(view)
                hits = tuple(search_hit(view, reader, found.question, item, query.detail) for item in top)
        except Failure as failure:
            return self._nothing(project, ref, query.freshness, failure)
        actions = after_search(hits, found.total, query.text, ref, query.language)
        return Hits(hits, found.total, state, found.intent, found.relaxed, found.total > len(hits), actions)

    def _language(self, spelling: str | None) -> str | None:
        """A language as answers name it, from any accepted spelling."""
        if spelling is None or spelling == "text":
            return spelling
        name = self.registry.canonical(spelling)
        if name is None:
            known = ", ".join(sorted({self.registry.shown_name(name) for name in self.registry.languages} | {"text"}))
            raise Failure("INVALID_REQUEST", f"Unknown language '{spelling[:40]}'.", hint=f"Known languages: {known}.")
        return self.registry.shown_name(name)

    def outline(
        self, workspace: str | None, path: str, ref: str | None, depth: str, call: Call, freshness: str = "balanced"
    ) -> Outline:
        project = self._projects.get(workspace)
        effective = project.effective_ref(ref)
        with project.pinned(effective) as view:
            wanted = path.removeprefix("./").strip("/")
            entry = view.entries.get(wanted)
            if entry is None or not entry.blob:
                name = shown(wanted)[:200]
                raise Failure("FILE_NOT_FOUND", f"'{effective}' holds no indexed file '{name}'.", {"path": name})
            state = self._state(project, view, effective, freshness, (wanted,))
            nodes, count = outline(view, wanted, nested=depth != "top")
            return Outline(shown(wanted), view.language_of(wanted) or "text", nodes, count, state)

    def _state(self, project: Project, view: PinnedView, ref: str, policy: str, paths: tuple[str, ...]) -> ViewState:
        """The state of the view, with the freshness policy applied."""
        state = project.state_of(view, ref, paths if view.row.name.startswith("live:") else ())
        if state.freshness != "stale":
            return state
        if policy == "strict":
            raise Failure("INDEX_STALE", "The index does not match the sources any more. Run sync_repo to refresh.", {
                "last_indexed_commit": state.indexed_commit, "current_head": state.current_head,
                "suggestion": "Call sync_repo to update the index before querying."})  # fmt: skip
        if policy == "balanced" and self.options.child_command and self._throttle.allow(f"{project.id}:{ref}"):
            self._sync_behind(project, ref)
        return state

    def _sync_behind(self, project: Project, ref: str) -> None:
        try:
            start_child(project, ref, self._environment, mode="incremental", force=False)
        except Failure:
            # A job that runs already, or a child that cannot start, must not spoil the answer; the state says stale.
            return

    def _nothing(self, project: Project, ref: str, policy: str, failure: Failure) -> Hits:
        """Registered but not indexed: an empty answer that says so, unless the caller wants certainty."""
        if failure.code not in _NO_VIEW:
            raise failure
        if failure.code == "REF_NOT_INDEXED" and not project.view_name(ref).startswith("live:"):
            raise failure
        if policy == "strict":
            raise Failure("NO_INDEX", f"The ref '{ref[:100]}' has not been indexed yet.") from failure
        return Hits((), 0, project.blank_state(ref), next_actions=not_indexed(ref))

    # -- state -----------------------------------------------------------------------------------------------------

    def status(self, workspace: str | None, ref: str | None) -> ProjectStatus:
        project = self._projects.get(workspace)
        return project_status(project, project.effective_ref(ref))

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        """The state of a ref for the metadata of an error answer; never raises."""
        try:
            project = self._projects.get(workspace)
            effective = project.effective_ref(ref)
            try:
                with project.pinned(effective) as view:
                    return project.state_of(view, effective)
            except Failure:
                return project.blank_state(effective)
        except Failure:
            return ViewState(ref or "live", "stale", "not_indexed", "not_indexed")

    def health(self, workspace: str | None) -> Health:
        """With a workspace that one, without all that are registered."""
        projects = (self._projects.get(workspace),) if workspace else self._projects.known()
        found = tuple(project_status(project, project.effective_ref(None)) for project in projects)
        available, missing = grammars(self.registry, compile_queries=False)
        broken = [item for item in found if item.state.schema in ("reindex_required", "corrupt_manifest")]
        return Health(
            status=overall(found, self._prewarm),
            version=__version__,
            uptime_seconds=int(time.monotonic() - self._started),
            tantivy_ok=all(item.damaged != "text" for item in found),
            sqlite_ok=all(item.damaged != "catalog" for item in found),
            grammars_available=available,
            grammars_missing=missing,
            prewarm_status=self._prewarm,
            projects=found,
            warmset=tuple(str(project.workspace.root) for project in self._projects.open_projects()),
            message=broken[0].state.warnings[0] if broken and broken[0].state.warnings else "",
        )

    def doctor(self, workspace: str | None) -> tuple[Check, ...]:
        try:
            project = self._projects.get(workspace)
        except Failure as failure:
            if failure.code not in ("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED"):
                raise
            project = None
        return examine(project, self.registry)

    def prewarm(self) -> None:
        """Open the default project's index in the background, so that the first query finds it warm."""
        self._prewarm = "warming"
        threading.Thread(target=self._warm, name="prewarm", daemon=True).start()

    def skip_prewarm(self) -> None:
        self._prewarm = "skipped"

    def _warm(self) -> None:
        try:
            project = self._projects.get(None)
            with project.pinned(project.effective_ref(None)) as view:
                project.path_index(view).words  # noqa: B018 - building it is the point
                project.state_of(view, project.effective_ref(None))
            self._prewarm = "complete"
        except Failure as failure:
            self._prewarm = "complete" if failure.code in (*_NO_VIEW, "PROJECT_NOT_FOUND") else "failed"

    def close(self) -> None:
        self._projects.close()
