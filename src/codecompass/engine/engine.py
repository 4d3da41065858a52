"""Engine: the façade that tools call. It constructs the services and exposes their methods; it answers nothing.

A service is imported and constructed when one of its methods is first used: most commands use one of many.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from codecompass.engine.lazy_service import LazyService, ServiceMethod
from codecompass.engine.options import EngineOptions
from codecompass.engine.view.freshness import WatchFactory
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.engine.workspace.project_registry import ProjectRegistry, StoreFactory
from codecompass.engine.workspace.query_embedder import QueryEmbedder
from codecompass.engine.workspace.readiness_check import ReadinessCheck
from codecompass.languages.registry import Registry

if TYPE_CHECKING:
    from codecompass.engine.index.worker_pool import WorkerPool
    from codecompass.engine.jobs.first_index import FirstIndex
    from codecompass.engine.maintenance.downloads.download_service import DownloadService
    from codecompass.engine.maintenance.health.engine_health import EngineHealth
    from codecompass.engine.maintenance.storage.warm_set import WarmSet
    from codecompass.engine.memory.memory_session import MemorySessions
    from codecompass.engine.services.excerpt_service import ExcerptService
    from codecompass.engine.services.file_service import FileService
    from codecompass.engine.services.grep_service import GrepService
    from codecompass.engine.services.inspection_service import InspectionService
    from codecompass.engine.services.job_service import JobService
    from codecompass.engine.services.maintenance_service import MaintenanceService
    from codecompass.engine.services.memory_service import MemoryService
    from codecompass.engine.services.memory_writes import MemoryWriter
    from codecompass.engine.services.navigation_service import NavigationService
    from codecompass.engine.services.risk_service import RiskService
    from codecompass.engine.services.search_service import SearchService
    from codecompass.engine.services.status_service import StatusService
    from codecompass.engine.services.triage_service import TriageService

F = TypeVar("F")


def _forward(get: "Callable[[Engine], F]") -> ServiceMethod[F]:
    """Make a method of the engine from a method of one of its services."""
    return ServiceMethod(get)


class Engine:
    """Thread-safe; one per process. Services open projects through `ProjectAccess` and never call the engine."""

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
        self.embedder = QueryEmbedder(options.embedding)
        self._stores = stores
        self._environment = environment
        self._projects = ProjectRegistry(data_dir, options, self.registry, stores, watches, self.embedder)
        if options.child_command:
            self._projects.first_index = lambda project: self._first_index.ensure(project)
        self._access = ProjectAccess(self._projects, self._start_sync if options.child_command else None)
        self.check_readiness = ReadinessCheck(self._access).check_readiness

    def load_services(self) -> None:
        """Construct every service now: a server must not spend the time on its first calls."""
        for name, value in vars(type(self)).items():
            if isinstance(value, LazyService):
                getattr(self, name)

    # -- shared by services ----------------------------------------------------------------------------------------

    def _build_parsers(self) -> "WorkerPool":
        from codecompass.engine.index.worker_pool import WorkerPool  # noqa: PLC0415 - loaded when first used

        # For content outside any view; a worker starts with the first such query.
        return WorkerPool(
            workers=2, timeout_s=self.options.parse_timeout_s, memory_mb=self.options.worker_memory_mb,
            masked=self.options.mask_secrets,
        )  # fmt: skip

    def _build_first_index(self) -> "FirstIndex":
        from codecompass.engine.jobs.first_index import FirstIndex  # noqa: PLC0415 - loaded when first used

        return FirstIndex(self._environment)

    def _start_sync(self, project: Project, ref: str) -> None:
        from codecompass.engine.jobs.job_runner import start_background_sync  # noqa: PLC0415 - loaded when first used

        start_background_sync(self._environment, project, ref)

    def _build_memory_sessions(self) -> "MemorySessions":
        from codecompass.engine.memory.corpus_cache import CorpusCache  # noqa: PLC0415 - loaded when first used
        from codecompass.engine.memory.memory_session import MemorySessions  # noqa: PLC0415

        return MemorySessions(self._access, self._parsers, CorpusCache())

    def _build_warmset(self) -> "WarmSet":
        from codecompass.engine.maintenance.storage.warm_set import WarmSet  # noqa: PLC0415 - loaded when first used

        default = os.path.realpath(self.options.default_workspace) if self.options.default_workspace else None
        return WarmSet(self._access, default, self.options.warmset_capacity)

    def _build_health(self) -> "EngineHealth":
        from codecompass.engine.maintenance.health.engine_health import EngineHealth  # noqa: PLC0415 - as above

        return EngineHealth(self._access, self._warmset, self.registry)

    def _build_downloads(self) -> "DownloadService":
        from codecompass.engine.maintenance.downloads.download_service import DownloadService  # noqa: PLC0415 - as above

        return DownloadService(self._access, self.options)

    _parsers = LazyService(_build_parsers)
    _first_index = LazyService(_build_first_index)
    _memory_sessions = LazyService(_build_memory_sessions)
    _warmset = LazyService(_build_warmset)
    _health = LazyService(_build_health)
    _downloads = LazyService(_build_downloads)

    prewarm = _forward(lambda self: self._warmset.start)
    skip_prewarm = _forward(lambda self: self._warmset.skip)
    health = _forward(lambda self: self._health.check)
    download_models = _forward(lambda self: self._downloads.download_models)
    download_dictionaries = _forward(lambda self: self._downloads.download_dictionaries)
    download_extensions = _forward(lambda self: self._downloads.download_extensions)
    verify_extension = _forward(lambda self: self._downloads.verify_extension)
    list_downloads = _forward(lambda self: self._downloads.list_downloads)

    # -- search, navigation and files ------------------------------------------------------------------------------

    def _build_searching(self) -> "SearchService":
        from codecompass.engine.services.search_service import SearchService  # noqa: PLC0415 - loaded when first used

        return SearchService(self._access, self.registry)

    _searching = LazyService(_build_searching)
    locate = _forward(lambda self: self._searching.locate)
    search = _forward(lambda self: self._searching.search)
    search_modes = _forward(lambda self: self._searching.search_modes)
    needs_records = _forward(lambda self: self._searching.needs_records)
    bundle = _forward(lambda self: self._searching.bundle)
    explain = _forward(lambda self: self._searching.explain)

    def _build_navigation(self) -> "NavigationService":
        from codecompass.engine.services.navigation_service import NavigationService  # noqa: PLC0415 - loaded when first used

        return NavigationService(self._access, self._parsers)

    _navigation = LazyService(_build_navigation)
    references = _forward(lambda self: self._navigation.references)
    call_graph = _forward(lambda self: self._navigation.call_graph)
    hierarchy = _forward(lambda self: self._navigation.hierarchy)
    definition_at = _forward(lambda self: self._navigation.definition_at)
    diff = _forward(lambda self: self._navigation.diff)
    refs = _forward(lambda self: self._navigation.refs)

    def _build_inspection(self) -> "InspectionService":
        from codecompass.engine.services.inspection_service import InspectionService  # noqa: PLC0415 - loaded when first used

        return InspectionService(self._access)

    _inspection = LazyService(_build_inspection)
    inspect = _forward(lambda self: self._inspection.inspect)
    list_diagnostics = _forward(lambda self: self._inspection.list_diagnostics)

    def _build_risks(self) -> "RiskService":
        from codecompass.engine.services.risk_service import RiskService  # noqa: PLC0415 - loaded when first used

        return RiskService(self._access)

    _risks = LazyService(_build_risks)
    risks = _forward(lambda self: self._risks.risks)

    def _build_files(self) -> "FileService":
        from codecompass.engine.services.file_service import FileService  # noqa: PLC0415 - loaded when first used

        return FileService(self._access, self._parsers)

    _files = LazyService(_build_files)
    read = _forward(lambda self: self._files.read)
    outline = _forward(lambda self: self._files.outline)
    history = _forward(lambda self: self._files.history)
    complete = _forward(lambda self: self._files.complete)

    def _build_excerpts(self) -> "ExcerptService":
        from codecompass.engine.services.excerpt_service import ExcerptService  # noqa: PLC0415 - loaded when first used

        return ExcerptService(self._access)

    _excerpts = LazyService(_build_excerpts)
    excerpt = _forward(lambda self: self._excerpts.excerpt)

    def _build_grepping(self) -> "GrepService":
        from codecompass.engine.services.grep_service import GrepService  # noqa: PLC0415 - loaded when first used

        return GrepService(self._access, self.options.grep_cache_mb * 2**20)

    _grepping = LazyService(_build_grepping)
    grep = _forward(lambda self: self._grepping.grep)

    # -- memory and triage: what a project owns beside its index ---------------------------------------------------

    def _build_memory(self) -> "MemoryService":
        from codecompass.engine.services.memory_service import MemoryService  # noqa: PLC0415 - loaded when first used

        return MemoryService(self._memory_sessions, self.search, self.diff)

    _memory = LazyService(_build_memory)
    recall = _forward(lambda self: self._memory.recall)
    discoveries = _forward(lambda self: self._memory.discoveries)
    discovery = _forward(lambda self: self._memory.discovery)
    find_impacted = _forward(lambda self: self._memory.find_impacted)
    memory_overview = _forward(lambda self: self._memory.memory_overview)
    memory_module = _forward(lambda self: self._memory.memory_module)

    def _build_memory_writes(self) -> "MemoryWriter":
        from codecompass.engine.services.memory_writes import MemoryWriter  # noqa: PLC0415 - loaded when first used

        return MemoryWriter(self._access, self._memory_sessions)

    _memory_writes = LazyService(_build_memory_writes)
    remember = _forward(lambda self: self._memory_writes.remember)
    supersede = _forward(lambda self: self._memory_writes.supersede)
    forget = _forward(lambda self: self._memory_writes.forget)
    export_memory = _forward(lambda self: self._memory_writes.export_memory)
    import_memory = _forward(lambda self: self._memory_writes.import_memory)
    note = _forward(lambda self: self._memory_writes.note)
    end_session = _forward(lambda self: self._memory_writes.end_session)
    accesses = _forward(lambda self: self._memory_writes.accesses)
    sessions = _forward(lambda self: self._memory_writes.sessions)
    session = _forward(lambda self: self._memory_writes.session)

    def _build_triage(self) -> "TriageService":
        from codecompass.engine.services.triage_service import TriageService  # noqa: PLC0415 - loaded when first used

        return TriageService(self._access, self.options, self._searching)

    _triage = LazyService(_build_triage)
    triage_ingest = _forward(lambda self: self._triage.ingest)
    triage_decide = _forward(lambda self: self._triage.decide)
    triage_pack = _forward(lambda self: self._triage.context_pack)
    triage_record = _forward(lambda self: self._triage.record)
    triage_findings = _forward(lambda self: self._triage.findings)

    # -- jobs, status and maintenance ------------------------------------------------------------------------------

    def _build_jobs(self) -> "JobService":
        from codecompass.engine.services.job_service import JobService  # noqa: PLC0415 - loaded when first used

        return JobService(self._access, self.options, self._environment)

    _jobs = LazyService(_build_jobs)
    init = _forward(lambda self: self._jobs.init)
    index = _forward(lambda self: self._jobs.index)
    sync_quickly = _forward(lambda self: self._jobs.sync_quickly)
    start_job = _forward(lambda self: self._jobs.start_job)
    cancel_job = _forward(lambda self: self._jobs.cancel_job)
    index_served = _forward(lambda self: self._jobs.index_served)
    keep = _forward(lambda self: self._jobs.keep)
    follow = _forward(lambda self: self._jobs.follow)

    def _build_status(self) -> "StatusService":
        from codecompass.engine.services.status_service import StatusService  # noqa: PLC0415 - loaded when first used

        return StatusService(self._access, self.options, self.registry)

    _status = LazyService(_build_status)
    status = _forward(lambda self: self._status.status)
    describe = _forward(lambda self: self._status.describe)
    list_workspaces = _forward(lambda self: self._status.list_workspaces)
    inventory = _forward(lambda self: self._status.inventory)
    get_capabilities = _forward(lambda self: self._status.get_capabilities)
    build_portable = _forward(lambda self: self._status.build_portable)
    portable = _forward(lambda self: self._status.portable)

    def _build_maintenance(self) -> "MaintenanceService":
        from codecompass.engine.services.maintenance_service import MaintenanceService  # noqa: PLC0415 - loaded when first used

        return MaintenanceService(
            self._access, self.options, self.registry, self._stores, self._environment, self._downloads
        )

    _maintenance = LazyService(_build_maintenance)
    build = _forward(lambda self: self._maintenance.build)
    compact = _forward(lambda self: self._maintenance.compact)
    bootstrap = _forward(lambda self: self._maintenance.bootstrap)
    sweep = _forward(lambda self: self._maintenance.sweep)
    clean = _forward(lambda self: self._maintenance.clean)
    doctor = _forward(lambda self: self._maintenance.doctor)
    list_projects = _forward(lambda self: self._maintenance.list_projects)
    forget_project = _forward(lambda self: self._maintenance.forget_project)
    export_state = _forward(lambda self: self._maintenance.export_state)
    import_state = _forward(lambda self: self._maintenance.import_state)

    def close(self) -> None:
        """Stop background work, then close every project."""
        for project in self._projects.list_open():
            if project.auto_sync is not None:
                project.auto_sync.stop()
        built = vars(self)
        if "_parsers" in built:
            self._parsers.close()
        if "_warmset" in built:
            self._warmset.stop()
        self._projects.close()
