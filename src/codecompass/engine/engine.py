"""Engine: the façade that tools call. It opens the project, pins a view, calls services and adds the view's state."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.jobs.auto_sync import make_child_sync, sync_until_cancelled
from codecompass.engine.jobs.cancellation import cancel_job
from codecompass.engine.jobs.first_index import FirstIndex
from codecompass.engine.jobs.job_runner import run_job, start_child
from codecompass.engine.maintenance.downloads.download_service import DownloadService
from codecompass.engine.maintenance.health.engine_health import EngineHealth
from codecompass.engine.maintenance.health.project_health import project_status
from codecompass.engine.maintenance.storage.warm_set import WarmSet
from codecompass.engine.memory.corpus_cache import CorpusCache
from codecompass.engine.memory.memory_session import MemorySessions
from codecompass.engine.navigation.diff.ref_list import build_ref_list
from codecompass.engine.navigation.diff.symbol_diff import compute_difference
from codecompass.engine.navigation.symbols.outline import build_outline
from codecompass.engine.navigation.symbols.target import find_file, find_path
from codecompass.engine.options import EngineOptions
from codecompass.engine.services.excerpt_service import ExcerptService
from codecompass.engine.services.file_service import FileService
from codecompass.engine.services.grep_service import GrepService
from codecompass.engine.services.inspection_service import InspectionService
from codecompass.engine.services.maintenance_service import MaintenanceService
from codecompass.engine.services.memory_service import MemoryService
from codecompass.engine.services.memory_writes import MemoryWriter
from codecompass.engine.services.navigation_service import NavigationService
from codecompass.engine.services.risk_service import RiskService
from codecompass.engine.services.search_service import SearchService
from codecompass.engine.services.status_service import StatusService, read_portable, read_vector_state
from codecompass.engine.services.triage_service import TriageService
from codecompass.engine.view.freshness import WatchFactory
from codecompass.engine.view.pinned_view import PinnedView, display_path
from codecompass.engine.workspace.project import Project, SyncThrottle, make_damaged_state
from codecompass.engine.workspace.project_pool import lease_public_methods, use_caller_lease, wrap_in_lease
from codecompass.engine.workspace.project_registry import ProjectRegistry, StoreFactory
from codecompass.engine.workspace.query_embedder import QueryEmbedder
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.history_facts import HistoryAnswer
from codecompass.model.job import Job
from codecompass.model.maintenance.sync_attempt import SyncAttempt
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.results import Health, Outline, ProjectStatus, ViewState
from codecompass.model.queries.symbol_difference import DiffQuery, SymbolDiff
from codecompass.model.refs import RefList
from codecompass.model.states import FreshnessPolicy, JobMode


@lease_public_methods
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
        self.embedder = QueryEmbedder(options.embedding)
        self._projects = ProjectRegistry(data_dir, options, self.registry, stores, watches, self.embedder)
        self._throttle = SyncThrottle()
        # For content outside any view; a worker starts with the first such query.
        self._parsers = WorkerPool(
            workers=2, timeout_s=options.parse_timeout_s, memory_mb=options.worker_memory_mb,
            masked=options.mask_secrets,
        )  # fmt: skip
        default = os.path.realpath(options.default_workspace) if options.default_workspace else None
        self._warmset = WarmSet(self._projects, default, options.warmset_capacity)
        self._engine_health = EngineHealth(self._projects, self._warmset, self.registry)
        if options.child_command:
            self._projects.first_index = FirstIndex(environment).ensure
        lease, navigation, inspection = self._projects.lease, NavigationService(self), InspectionService(self)
        searcher = SearchService(self, self.registry)
        self.locate = wrap_in_lease(lease, searcher.locate)
        self.search = wrap_in_lease(lease, searcher.search)
        self.search_modes = wrap_in_lease(lease, searcher.search_modes)
        self.needs_records = searcher.needs_records
        self.bundle = wrap_in_lease(lease, searcher.bundle)
        self.explain = wrap_in_lease(lease, searcher.explain)
        triage = TriageService(self, options, searcher)
        self.triage_ingest = wrap_in_lease(lease, triage.ingest)
        self.triage_decide = wrap_in_lease(lease, triage.decide)
        self.triage_pack = wrap_in_lease(lease, triage.context_pack)
        self.triage_record = wrap_in_lease(lease, triage.record)
        self.triage_findings = wrap_in_lease(lease, triage.findings)
        self.references = wrap_in_lease(lease, navigation.references)
        self.call_graph = wrap_in_lease(lease, navigation.call_graph)
        self.hierarchy = wrap_in_lease(lease, navigation.hierarchy)
        self.definition_at = wrap_in_lease(lease, navigation.definition_at)
        self.inspect = wrap_in_lease(lease, inspection.inspect)
        self.list_diagnostics = wrap_in_lease(lease, inspection.list_diagnostics)
        self.risks = wrap_in_lease(lease, RiskService(self).risks)
        self.excerpt = wrap_in_lease(lease, ExcerptService(self).excerpt)
        self.read = wrap_in_lease(lease, FileService(self).read)
        self.grep = wrap_in_lease(lease, GrepService(self, options.grep_cache_mb * 2**20).grep)
        memory_sessions = MemorySessions(self, self._parsers, CorpusCache())
        memory = MemoryService(memory_sessions, searcher.search, self.diff)
        memory_writer = MemoryWriter(self, memory_sessions)
        self.recall = wrap_in_lease(lease, memory.recall)
        self.discoveries = wrap_in_lease(lease, memory.discoveries)
        self.discovery = wrap_in_lease(lease, memory.discovery)
        self.find_impacted = wrap_in_lease(lease, memory.find_impacted)
        self.memory_overview = wrap_in_lease(lease, memory.memory_overview)
        self.memory_module = wrap_in_lease(lease, memory.memory_module)
        self.remember = wrap_in_lease(lease, memory_writer.remember)
        self.supersede = wrap_in_lease(lease, memory_writer.supersede)
        self.forget = wrap_in_lease(lease, memory_writer.forget)
        self.export_memory = wrap_in_lease(lease, memory_writer.export_memory)
        self.import_memory = wrap_in_lease(lease, memory_writer.import_memory)
        self.note = wrap_in_lease(lease, memory_writer.note)
        self.end_session = wrap_in_lease(lease, memory_writer.end_session)
        self.sessions = wrap_in_lease(lease, memory_writer.sessions)
        self.session = wrap_in_lease(lease, memory_writer.session)
        self.accesses = wrap_in_lease(lease, memory_writer.accesses)
        self._attach_maintenance(options, stores)

    def _attach_maintenance(self, options: EngineOptions, stores: StoreFactory) -> None:
        """Attach the methods of the status, maintenance and download services."""
        lease = self._projects.lease
        status = StatusService(self._projects, options, self.registry)
        self.build_portable = status.build_portable
        self.portable = status.portable
        self.list_workspaces = status.list_workspaces
        self.inventory = status.inventory
        self.get_capabilities = status.get_capabilities
        downloads = DownloadService(self._projects, options)
        maintenance = MaintenanceService(self._projects, options, self.registry, stores, self._environment, downloads)
        self.doctor = wrap_in_lease(lease, maintenance.doctor)
        self.build = wrap_in_lease(lease, maintenance.build)
        self.compact = wrap_in_lease(lease, maintenance.compact)
        self.sweep = wrap_in_lease(lease, maintenance.sweep)
        self.clean = wrap_in_lease(lease, maintenance.clean)
        self.bootstrap = wrap_in_lease(lease, maintenance.bootstrap)
        self.export_state = wrap_in_lease(lease, maintenance.export_state)
        self.import_state = wrap_in_lease(lease, maintenance.import_state)
        self.download_models = downloads.download_models
        self.download_dictionaries = downloads.download_dictionaries
        self.download_extensions = downloads.download_extensions
        self.verify_extension = downloads.verify_extension
        self.list_downloads = downloads.list_downloads

    # -- project access for services -------------------------------------------------------------------------------

    @use_caller_lease
    def project(self, workspace: str | None) -> Project:
        return self._projects.open_for_query(workspace)

    @use_caller_lease
    def state(self, project: Project, view: PinnedView, ref: str, policy: str, paths: tuple[str, ...]) -> ViewState:
        return self._state(project, view, ref, policy, paths)

    @use_caller_lease
    def restore(self, project: Project, view: PinnedView, ref: str) -> None:
        if project.auto_sync is not None and view.row.name.startswith("live:"):
            project.auto_sync.request_repair()
        elif self.options.child_command and self._throttle.allow(f"{project.id}:{ref}:restore"):
            self._start_background_sync(project, ref)

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
            project = self._projects.open_for_query(workspace)
        return run_job(project, project.effective_ref(ref), call, force=force, job_id=job_id)

    def start_job(self, workspace: str | None, ref: str | None, *, mode: JobMode, force: bool) -> Job:
        """Start indexing in a child process and return at once."""
        project = self._projects.get_or_register(workspace)
        return start_child(project, project.effective_ref(ref), self._environment, mode=mode, force=force)

    def cancel_job(self, workspace: str | None, job_id: str | None) -> Job:
        """Cancel a job with its whole process tree; without an id the running one."""
        return cancel_job(self._projects.get_registered(workspace), job_id)

    # -- files and history -----------------------------------------------------------------------------------------

    def outline(
        self,
        workspace: str | None,
        path: str | None,
        ref: str | None,
        depth: str,
        call: Call,
        freshness: FreshnessPolicy = "balanced",
        handle: str | None = None,
    ) -> Outline:
        """Return the symbols of a file; a handle of a symbol selects that symbol and its members."""
        project = self._projects.open_for_query(workspace)
        effective = project.effective_ref(ref)
        with project.open_view(effective) as view:
            wanted, symbol = find_file(view, SymbolTarget(path=path, handle=handle))
            state = self._state(project, view, effective, freshness, (wanted,))
            nodes, count = build_outline(view, wanted, nested=depth != "top", only=symbol)
            return Outline(display_path(wanted), view.language_of(wanted) or "text", nodes, count, state)

    def diff(self, workspace: str | None, query: DiffQuery, call: Call) -> SymbolDiff:
        """Return the symbols that differ between two refs, or a ref and the working tree."""
        project = self._projects.open_for_query(workspace)

        def get_state(view: PinnedView, ref: str) -> ViewState:
            return self._state(project, view, ref, query.freshness, ())

        return compute_difference(project, query, call, self._parsers, get_state)

    def refs(self, workspace: str | None, contains: str, limit: int, call: Call) -> RefList:
        """List branches, tags and worktrees, and the index state of each."""
        project = self._projects.open_for_query(workspace)
        return build_ref_list(project, contains, limit, self.describe(workspace, None), call)

    def history(
        self, workspace: str | None, path: str, ref: str | None, lines: tuple[int, int] | None, call: Call
    ) -> HistoryAnswer:
        """Return the last change and churn of a file, and the authors of the given lines."""
        project = self._projects.open_for_query(workspace)
        with project.open_view(project.effective_ref(ref)) as view:
            wanted = find_path(view, path)
            history = project.history(view, call)
            history.count_changes([wanted])
            authors = history.line_authors(wanted, *lines) if lines else None
            return HistoryAnswer(history.file_history(wanted, look=True), authors)

    def _state(self, project: Project, view: PinnedView, ref: str, policy: str, paths: tuple[str, ...]) -> ViewState:
        """Return the state of the view, with the freshness policy applied."""
        state = project.get_view_state(view, ref, paths if view.row.name.startswith("live:") else ())
        if state.freshness != "stale":
            return state
        if policy == "strict":
            raise Failure("INDEX_STALE", "The index does not match the sources any more. Run sync_repo to refresh.", {
                "last_indexed_commit": state.indexed_commit, "current_head": state.current_head,
                "suggestion": "Call sync_repo to update the index before querying."})  # fmt: skip
        if policy == "balanced" and project.auto_sync is not None and view.row.name.startswith("live:"):
            project.auto_sync.request()
        elif policy == "balanced" and self.options.child_command and self._throttle.allow(f"{project.id}:{ref}"):
            self._start_background_sync(project, ref)
        return state

    def _start_background_sync(self, project: Project, ref: str) -> None:
        try:
            start_child(project, ref, self._environment, mode="incremental", force=False)
        except Failure:
            # A running job, or a child that cannot start, must not fail the answer; the state is still stale.
            return

    # -- state -----------------------------------------------------------------------------------------------------

    def status(self, workspace: str | None, ref: str | None) -> ProjectStatus:
        project = self._projects.open_for_query(workspace)
        status = project_status(project, project.effective_ref(ref))
        return replace(status, portable=read_portable(project), semantic=read_vector_state(project, status.state.ref))

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        """Return the state of a ref for the metadata of an error answer; never raises."""
        try:
            project = self._projects.get_registered(workspace)
            effective = project.effective_ref(ref)
            try:
                if (damage := project.get_damage()) is not None:
                    return make_damaged_state(effective, damage)
                with project.open_view(effective) as view:
                    return project.get_view_state(view, effective)
            except Failure:
                return project.get_unindexed_state(effective)
        except Failure:
            return ViewState(ref or "live", "stale", "not_indexed", "not_indexed")

    def health(self, workspace: str | None) -> Health:
        """Check one workspace, or without one all that the server was started with and all open ones."""
        return self._engine_health.check(workspace)

    def prewarm(self) -> None:
        """Load recent workspaces in the background, so that their first query is fast."""
        self._warmset.start()

    def skip_prewarm(self) -> None:
        self._warmset.skip()

    def index_served(self) -> None:
        """Register the workspaces this server was started for, and start to index those without an index."""
        for project in self._projects.register_served():
            self._projects.first_index(project)

    def keep(self, on_attempt: Callable[[SyncAttempt], None]) -> None:
        """Update the live view of every open project; `on_attempt` receives each attempt, from any thread."""

        def start_auto_sync(project: Project) -> None:
            project.auto_sync = auto_sync = make_child_sync(project, self._environment, on_attempt)
            auto_sync.start()

        self._projects.on_open = start_auto_sync

    def follow(self, workspace: str, call: Call, on_attempt: Callable[[SyncAttempt], None]) -> None:
        """Update one directory's live view in this process until the call is cancelled."""
        sync_until_cancelled(self._projects.register(workspace), call, on_attempt)

    def close(self) -> None:
        for project in self._projects.list_open():
            if project.auto_sync is not None:
                project.auto_sync.stop()
        self._parsers.close()
        self._warmset.stop()
        self._projects.close()
