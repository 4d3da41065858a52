"""Engine: the façade that tools call. It opens the project, pins a view, calls services and adds the view's state."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.jobs.auto_sync import follow, keep_by_children
from codecompass.engine.jobs.cancellation import cancel
from codecompass.engine.jobs.first_index import FirstIndex
from codecompass.engine.jobs.job_runner import run_job, start_child
from codecompass.engine.maintenance.downloads.download_service import SupplyDesk
from codecompass.engine.maintenance.health.engine_health import Survey
from codecompass.engine.maintenance.health.project_health import project_status
from codecompass.engine.maintenance.storage.warm_set import Warmset
from codecompass.engine.memory.corpus_cache import Library
from codecompass.engine.memory.memory_session import Desks
from codecompass.engine.navigation.diff.ref_list import refs_of
from codecompass.engine.navigation.diff.symbol_diff import difference
from codecompass.engine.navigation.symbols.outline import outline
from codecompass.engine.navigation.symbols.target import find_file, find_path
from codecompass.engine.options import EngineOptions
from codecompass.engine.services.excerpt_service import Excerpts
from codecompass.engine.services.file_service import Files
from codecompass.engine.services.grep_service import Grepping
from codecompass.engine.services.inspection_service import Inspection
from codecompass.engine.services.maintenance_service import Upkeep
from codecompass.engine.services.memory_service import Remembering
from codecompass.engine.services.memory_writes import Recording
from codecompass.engine.services.navigation_service import Navigation
from codecompass.engine.services.risk_service import Exposure
from codecompass.engine.services.search_service import Searching
from codecompass.engine.services.status_service import Custody, portable_of, semantic_of
from codecompass.engine.services.triage_service import Triaging
from codecompass.engine.view.freshness import WatchFactory
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.engine.workspace.project import Project, SyncThrottle, damaged_state
from codecompass.engine.workspace.project_pool import borrows, leasing, lent
from codecompass.engine.workspace.project_registry import Projects, StoreFactory
from codecompass.engine.workspace.query_embedder import Semantics
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.history_facts import HistoryAnswer
from codecompass.model.job import Job
from codecompass.model.maintenance.sync_attempt import Round
from codecompass.model.queries.navigation_queries import Target
from codecompass.model.queries.results import Health, Outline, ProjectStatus, ViewState
from codecompass.model.queries.symbol_difference import Difference, DiffQuery
from codecompass.model.refs import RefList


@leasing
class Engine:
    """Thread-safe; one per process. Each public method is one lease on the projects it opens: see `project_pool.py`."""

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
        self.semantics = Semantics(options.embedding)
        self._projects = Projects(data_dir, options, self.registry, stores, watches, self.semantics)
        self._throttle = SyncThrottle()
        # For content outside any view; a worker starts with the first such query.
        self._parsers = WorkerPool(
            workers=2, timeout_s=options.parse_timeout_s, memory_mb=options.worker_memory_mb,
            masked=options.mask_secrets,
        )  # fmt: skip
        default = os.path.realpath(options.default_workspace) if options.default_workspace else None
        self._warmset = Warmset(self._projects, default, options.warmset_capacity)
        self._survey = Survey(self._projects, self._warmset, self.registry)
        if options.child_command:
            self._projects.first_index = FirstIndex(environment).ensure
        lease, navigation, inspection = self._projects.lease, Navigation(self), Inspection(self)
        searcher = Searching(self, self.registry)
        self.locate = lent(lease, searcher.locate)
        self.search = lent(lease, searcher.search)
        self.search_modes = lent(lease, searcher.search_modes)
        self.asks_records = searcher.asks_records
        self.bundle = lent(lease, searcher.bundle)
        self.explain = lent(lease, searcher.explain)
        triage = Triaging(self, options, searcher)
        self.triage_ingest = lent(lease, triage.ingest)
        self.triage_decide = lent(lease, triage.decide)
        self.triage_pack = lent(lease, triage.context_pack)
        self.triage_record = lent(lease, triage.record)
        self.triage_findings = lent(lease, triage.findings)
        self.references = lent(lease, navigation.references)
        self.call_graph = lent(lease, navigation.call_graph)
        self.hierarchy = lent(lease, navigation.hierarchy)
        self.definition_at = lent(lease, navigation.definition_at)
        self.inspect = lent(lease, inspection.inspect)
        self.troubles = lent(lease, inspection.troubles)
        self.risks = lent(lease, Exposure(self).risks)
        self.excerpt = lent(lease, Excerpts(self).excerpt)
        self.read = lent(lease, Files(self).read)
        self.grep = lent(lease, Grepping(self, options.grep_cache_mb * 2**20).grep)
        memory_sessions = Desks(self, self._parsers, Library())
        memory = Remembering(memory_sessions, searcher.search, self.diff)
        memory_writer = Recording(self, memory_sessions)
        self.recall = lent(lease, memory.recall)
        self.discoveries = lent(lease, memory.discoveries)
        self.discovery = lent(lease, memory.discovery)
        self.endangered = lent(lease, memory.endangered)
        self.memory_overview = lent(lease, memory.memory_overview)
        self.memory_module = lent(lease, memory.memory_module)
        self.remember = lent(lease, memory_writer.remember)
        self.supersede = lent(lease, memory_writer.supersede)
        self.forget = lent(lease, memory_writer.forget)
        self.export_memory = lent(lease, memory_writer.export_memory)
        self.import_memory = lent(lease, memory_writer.import_memory)
        self.note = lent(lease, memory_writer.note)
        self.end_session = lent(lease, memory_writer.end_session)
        self.sessions = lent(lease, memory_writer.sessions)
        self.session = lent(lease, memory_writer.session)
        self.accesses = lent(lease, memory_writer.accesses)
        self._take_care(options, stores)

    def _take_care(self, options: EngineOptions, stores: StoreFactory) -> None:
        """Attach the methods of the status, maintenance and download services."""
        lease = self._projects.lease
        status = Custody(self._projects, options, self.registry)
        self.build_portable = status.build_portable
        self.portable = status.portable
        self.workplaces = status.workplaces
        self.inventory = status.inventory
        self.abilities = status.abilities
        downloads = SupplyDesk(self._projects, options)
        maintenance = Upkeep(self._projects, options, self.registry, stores, self._environment, downloads)
        self.doctor = lent(lease, maintenance.doctor)
        self.build = lent(lease, maintenance.build)
        self.compact = lent(lease, maintenance.compact)
        self.sweep = lent(lease, maintenance.sweep)
        self.clean = lent(lease, maintenance.clean)
        self.bootstrap = lent(lease, maintenance.bootstrap)
        self.export_state = lent(lease, maintenance.export_state)
        self.import_state = lent(lease, maintenance.import_state)
        self.download_models = downloads.download_models
        self.download_dictionaries = downloads.download_dictionaries
        self.download_extensions = downloads.download_extensions
        self.verify_extension = downloads.verify_extension
        self.supplies = downloads.supplies

    # -- project access for services -------------------------------------------------------------------------------

    @borrows
    def project(self, workspace: str | None) -> Project:
        return self._projects.get(workspace)

    @borrows
    def state(self, project: Project, view: PinnedView, ref: str, policy: str, paths: tuple[str, ...]) -> ViewState:
        return self._state(project, view, ref, policy, paths)

    @borrows
    def restore(self, project: Project, view: PinnedView, ref: str) -> None:
        if project.keeper is not None and view.row.name.startswith("live:"):
            project.keeper.restore()
        elif self.options.child_command and self._throttle.allow(f"{project.id}:{ref}:restore"):
            self._sync_behind(project, ref)

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
        """Index in this process and wait for it; with `register` an unregistered directory is registered first."""
        if register:
            project = self._projects.register(workspace or self.options.default_workspace or os.getcwd())
        else:
            project = self._projects.get(workspace)
        return run_job(project, project.effective_ref(ref), call, force=force, job_id=job_id)

    def start_job(self, workspace: str | None, ref: str | None, *, mode: str, force: bool) -> Job:
        """Start indexing in a child process and return at once."""
        project = self._projects.enrol(workspace)
        return start_child(project, project.effective_ref(ref), self._environment, mode=mode, force=force)

    def cancel_job(self, workspace: str | None, job_id: str | None) -> Job:
        """Cancel a job with its whole process tree; without an id the running one."""
        return cancel(self._projects.find(workspace), job_id)

    # -- files and history -----------------------------------------------------------------------------------------

    def outline(
        self,
        workspace: str | None,
        path: str | None,
        ref: str | None,
        depth: str,
        call: Call,
        freshness: str = "balanced",
        handle: str | None = None,
    ) -> Outline:
        """Return the symbols of a file; a handle of a symbol selects that symbol and its members."""
        project = self._projects.get(workspace)
        effective = project.effective_ref(ref)
        with project.pinned(effective) as view:
            wanted, symbol = find_file(view, Target(path=path, handle=handle))
            state = self._state(project, view, effective, freshness, (wanted,))
            nodes, count = outline(view, wanted, nested=depth != "top", only=symbol)
            return Outline(shown(wanted), view.language_of(wanted) or "text", nodes, count, state)

    def diff(self, workspace: str | None, query: DiffQuery, call: Call) -> Difference:
        """Return the symbols that differ between two refs, or a ref and the working tree."""
        project = self._projects.get(workspace)

        def judge(view: PinnedView, ref: str) -> ViewState:
            return self._state(project, view, ref, query.freshness, ())

        return difference(project, query, call, self._parsers, judge)

    def refs(self, workspace: str | None, contains: str, limit: int, call: Call) -> RefList:
        """List branches, tags and worktrees, and the index state of each."""
        project = self._projects.get(workspace)
        return refs_of(project, contains, limit, self.describe(workspace, None), call)

    def history(
        self, workspace: str | None, path: str, ref: str | None, lines: tuple[int, int] | None, call: Call
    ) -> HistoryAnswer:
        """Return the last change and churn of a file, and the authors of the given lines."""
        project = self._projects.get(workspace)
        with project.pinned(project.effective_ref(ref)) as view:
            wanted = find_path(view, path)
            history = project.history(view, call)
            history.count([wanted])
            authors = history.authors(wanted, *lines) if lines else None
            return HistoryAnswer(history.file(wanted, look=True), authors)

    def _state(self, project: Project, view: PinnedView, ref: str, policy: str, paths: tuple[str, ...]) -> ViewState:
        """Return the state of the view, with the freshness policy applied."""
        state = project.state_of(view, ref, paths if view.row.name.startswith("live:") else ())
        if state.freshness != "stale":
            return state
        if policy == "strict":
            raise Failure("INDEX_STALE", "The index does not match the sources any more. Run sync_repo to refresh.", {
                "last_indexed_commit": state.indexed_commit, "current_head": state.current_head,
                "suggestion": "Call sync_repo to update the index before querying."})  # fmt: skip
        if policy == "balanced" and project.keeper is not None and view.row.name.startswith("live:"):
            project.keeper.nudge()
        elif policy == "balanced" and self.options.child_command and self._throttle.allow(f"{project.id}:{ref}"):
            self._sync_behind(project, ref)
        return state

    def _sync_behind(self, project: Project, ref: str) -> None:
        try:
            start_child(project, ref, self._environment, mode="incremental", force=False)
        except Failure:
            # A running job, or a child that cannot start, must not fail the answer; the state is still stale.
            return

    # -- state -----------------------------------------------------------------------------------------------------

    def status(self, workspace: str | None, ref: str | None) -> ProjectStatus:
        project = self._projects.get(workspace)
        status = project_status(project, project.effective_ref(ref))
        return replace(status, portable=portable_of(project), semantic=semantic_of(project, status.state.ref))

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        """Return the state of a ref for the metadata of an error answer; never raises."""
        try:
            project = self._projects.find(workspace)
            effective = project.effective_ref(ref)
            try:
                if (damage := project.damage()) is not None:
                    return damaged_state(effective, damage)
                with project.pinned(effective) as view:
                    return project.state_of(view, effective)
            except Failure:
                return project.blank_state(effective)
        except Failure:
            return ViewState(ref or "live", "stale", "not_indexed", "not_indexed")

    def health(self, workspace: str | None) -> Health:
        """Check one workspace, or without one all that the server was started with and all open ones."""
        return self._survey.take(workspace)

    def prewarm(self) -> None:
        """Load recent workspaces in the background, so that their first query is fast."""
        self._warmset.start()

    def skip_prewarm(self) -> None:
        self._warmset.skip()

    def index_served(self) -> None:
        """Register the workspaces this server was started for, and start to index those without an index."""
        for project in self._projects.register_served():
            self._projects.first_index(project)

    def keep(self, on_attempt: Callable[[Round], None]) -> None:
        """Update the live view of every open project; `on_attempt` receives each attempt, from any thread."""

        def opened(project: Project) -> None:
            project.keeper = auto_sync = keep_by_children(project, self._environment, on_attempt)
            auto_sync.start()

        self._projects.on_open = opened

    def follow(self, workspace: str, call: Call, on_attempt: Callable[[Round], None]) -> None:
        """Update one directory's live view in this process until the call is cancelled."""
        follow(self._projects.register(workspace), call, on_attempt)

    def close(self) -> None:
        for project in self._projects.open_projects():
            if project.keeper is not None:
                project.keeper.stop()
        self._parsers.close()
        self._warmset.stop()
        self._projects.close()
