"""Engine: the façade that tools call. It constructs the services and exposes their methods; it answers nothing."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.jobs.first_index import FirstIndex
from codecompass.engine.jobs.job_runner import start_background_sync
from codecompass.engine.maintenance.downloads.download_service import DownloadService
from codecompass.engine.maintenance.health.engine_health import EngineHealth
from codecompass.engine.maintenance.storage.warm_set import WarmSet
from codecompass.engine.memory.corpus_cache import CorpusCache
from codecompass.engine.memory.memory_session import MemorySessions
from codecompass.engine.options import EngineOptions
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
from codecompass.engine.view.freshness import WatchFactory
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.engine.workspace.project_registry import ProjectRegistry, StoreFactory
from codecompass.engine.workspace.query_embedder import QueryEmbedder
from codecompass.languages.registry import Registry


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
        self._projects = ProjectRegistry(data_dir, options, self.registry, stores, watches, self.embedder)
        # For content outside any view; a worker starts with the first such query.
        self._parsers = WorkerPool(
            workers=2, timeout_s=options.parse_timeout_s, memory_mb=options.worker_memory_mb,
            masked=options.mask_secrets,
        )  # fmt: skip
        if options.child_command:
            self._projects.first_index = FirstIndex(environment).ensure
        start_sync = partial(start_background_sync, environment) if options.child_command else None
        access = ProjectAccess(self._projects, start_sync)
        self._attach_queries(access)
        self._attach_records(access)
        self._attach_maintenance(access, stores, environment)

    def _attach_queries(self, access: ProjectAccess) -> None:
        """Search, navigation and files."""
        self._searcher = search = SearchService(access, self.registry)
        self.locate, self.search, self.search_modes = search.locate, search.search, search.search_modes
        self.needs_records, self.bundle, self.explain = search.needs_records, search.bundle, search.explain
        navigation = NavigationService(access, self._parsers)
        self.references, self.call_graph = navigation.references, navigation.call_graph
        self.hierarchy, self.definition_at = navigation.hierarchy, navigation.definition_at
        self.diff, self.refs = navigation.diff, navigation.refs
        inspection = InspectionService(access)
        self.inspect, self.list_diagnostics = inspection.inspect, inspection.list_diagnostics
        self.risks = RiskService(access).risks
        files = FileService(access)
        self.read, self.outline, self.history = files.read, files.outline, files.history
        self.excerpt = ExcerptService(access).excerpt
        self.grep = GrepService(access, self.options.grep_cache_mb * 2**20).grep

    def _attach_records(self, access: ProjectAccess) -> None:
        """Memory and triage: what a project owns beside its index."""
        sessions = MemorySessions(access, self._parsers, CorpusCache())
        memory, writer = MemoryService(sessions, self.search, self.diff), MemoryWriter(access, sessions)
        self.recall, self.discoveries, self.discovery = memory.recall, memory.discoveries, memory.discovery
        self.find_impacted = memory.find_impacted
        self.memory_overview, self.memory_module = memory.memory_overview, memory.memory_module
        self.remember, self.supersede, self.forget = writer.remember, writer.supersede, writer.forget
        self.export_memory, self.import_memory = writer.export_memory, writer.import_memory
        self.note, self.end_session, self.accesses = writer.note, writer.end_session, writer.accesses
        self.sessions, self.session = writer.sessions, writer.session
        triage = TriageService(access, self.options, self._searcher)
        self.triage_ingest, self.triage_decide, self.triage_pack = triage.ingest, triage.decide, triage.context_pack
        self.triage_record, self.triage_findings = triage.record, triage.findings

    def _attach_maintenance(self, access: ProjectAccess, stores: StoreFactory, environment: Mapping[str, str]) -> None:
        """Jobs, status, downloads and maintenance."""
        default = os.path.realpath(self.options.default_workspace) if self.options.default_workspace else None
        self._warmset = WarmSet(access, default, self.options.warmset_capacity)
        self.prewarm, self.skip_prewarm = self._warmset.start, self._warmset.skip
        self.health = EngineHealth(access, self._warmset, self.registry).check
        jobs = JobService(access, self.options, environment)
        self.init, self.index, self.start_job, self.cancel_job = jobs.init, jobs.index, jobs.start_job, jobs.cancel_job
        self.index_served, self.keep, self.follow = jobs.index_served, jobs.keep, jobs.follow
        status = StatusService(access, self.options, self.registry)
        self.status, self.describe, self.list_workspaces = status.status, status.describe, status.list_workspaces
        self.inventory, self.get_capabilities = status.inventory, status.get_capabilities
        self.build_portable, self.portable = status.build_portable, status.portable
        downloads = DownloadService(access, self.options)
        self.download_models, self.download_dictionaries = downloads.download_models, downloads.download_dictionaries
        self.download_extensions, self.verify_extension = downloads.download_extensions, downloads.verify_extension
        self.list_downloads = downloads.list_downloads
        maintenance = MaintenanceService(access, self.options, self.registry, stores, environment, downloads)
        self.build, self.compact, self.bootstrap = maintenance.build, maintenance.compact, maintenance.bootstrap
        self.sweep, self.clean, self.doctor = maintenance.sweep, maintenance.clean, maintenance.doctor
        self.export_state, self.import_state = maintenance.export_state, maintenance.import_state

    def close(self) -> None:
        """Stop background work, then close every project."""
        for project in self._projects.list_open():
            if project.auto_sync is not None:
                project.auto_sync.stop()
        self._parsers.close()
        self._warmset.stop()
        self._projects.close()
