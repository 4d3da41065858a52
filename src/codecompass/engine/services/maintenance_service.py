"""Maintenance service: builds, compacts, collects garbage, bootstraps, and exports or imports an index."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from codecompass.confine import AllowedRoots
from codecompass.engine.jobs.job_runner import run_job
from codecompass.engine.maintenance.downloads.bootstrap_downloads import make_download_steps
from codecompass.engine.maintenance.downloads.download_service import DownloadService
from codecompass.engine.maintenance.health.doctor import check_installation, check_missing_project, check_project
from codecompass.engine.maintenance.storage import (
    full_build,
    garbage_collection,
    project_compaction,
    state_bundle,
    stored_projects,
)
from codecompass.engine.maintenance.storage.bootstrap_steps import BootstrapContext, bootstrap
from codecompass.engine.options import EngineOptions
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.engine.workspace.project_registry import StoreFactory
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import ExtensionProbeRequest
from codecompass.model.maintenance.known_projects import ForgottenProject, KnownProject
from codecompass.model.maintenance.maintenance_orders import (
    BootstrapReport,
    BootstrapRequest,
    BuildReport,
    BuildRequest,
    CleanRequest,
    CompactReport,
    CompactRequest,
    GcReport,
    GcRequest,
    StateBundleReport,
)
from codecompass.model.queries.results import DoctorCheck
from codecompass.store.portable_port import BundleManifest


class MaintenanceService:
    """Maintenance operations on one project or on all."""

    def __init__(
        self, access: ProjectAccess, options: EngineOptions, registry: Registry, stores: StoreFactory,
        environment: Mapping[str, str], downloads: DownloadService,
    ) -> None:  # fmt: skip
        self._access = access
        self._projects = access.projects
        self._options = options
        self._registry = registry
        self._stores = stores
        self._environment = environment
        self._downloads = downloads

    def build(self, workspace: str | None, order: BuildRequest, call: Call) -> BuildReport:
        """Index in a child process, wait for it, and write the SQLite file that goes with it."""
        with self._access.project_to_index(workspace) as project:
            artifacts = self._resolve_directory(project, order.artifacts) if order.artifacts is not None else None
            return full_build.build_index(project, order, artifacts, self._environment, call)

    def compact(self, workspace: str | None, order: CompactRequest, call: Call) -> CompactReport:
        """Rewrite databases without their free pages; no row is lost."""
        with self._access.registered_project(workspace) as project:
            return project_compaction.compact_project(project, order, call)

    def sweep(self, workspace: str | None, order: GcRequest, call: Call) -> GcReport:
        """Remove derived data of unused projects, by age and size."""
        with self._access.registered_project(workspace) as project:
            return garbage_collection.collect_garbage(self._projects, project, order, call)

    def clean(self, workspace: str | None, order: CleanRequest, call: Call) -> GcReport:
        """Remove the derived data of one project or of all; owned data stays."""
        with self._access.registered_project(workspace) as project:
            return garbage_collection.remove_derived_data(self._projects, project, order, call)

    def list_projects(self, call: Call) -> tuple[KnownProject, ...]:
        """List every project of the data directory."""
        return stored_projects.list_known_projects(self._projects, call)

    def forget_project(self, named: str, call: Call, *, with_records: bool, dry_run: bool) -> ForgottenProject:
        """Remove what is kept of one project, which a directory or an id names."""
        return stored_projects.forget_project(self._projects, named, call, with_records=with_records, dry_run=dry_run)

    def bootstrap(self, workspace: str | None, order: BootstrapRequest, call: Call) -> BootstrapReport:
        """Set up a new workspace step by step."""
        with self._access.project_to_index(workspace) as project:
            context = BootstrapContext(
                lambda: check_installation(self._registry, self._stores, self._projects.data_directory),
                make_download_steps(self._downloads, self._options, workspace),
                project.workspace.root / state_bundle.ARTIFACTS_DIRECTORY,
                self._environment,
            )
            return bootstrap(project, order, context, call)

    def doctor(self, workspace: str | None, *, read_data: bool = False) -> tuple[DoctorCheck, ...]:
        """Check the installation and one project; with `read_data` verify all data and compile every query."""
        directory = self._projects.directory_of(workspace)
        found = check_installation(
            self._registry, self._stores, self._projects.data_directory, thorough=read_data,
            model=self._options.embedding,
        )  # fmt: skip
        with ExitStack() as stack:
            try:
                project = stack.enter_context(self._access.registered_project(workspace))
            except Failure as failure:
                return (*found, *check_missing_project(directory, failure))
            extension = self._downloads.verify_extension(workspace, ExtensionProbeRequest())
            return (*found, *check_project(project, extension, read_data=read_data))

    # -- export and import -----------------------------------------------------------------------------------------

    def export_state(self, workspace: str | None, ref: str | None, target: str, call: Call) -> StateBundleReport:
        """Export the published index as one file."""
        with self._access.project(workspace) as project:
            path = Path(os.path.abspath(target))
            if not path.parent.is_dir() or path.is_dir():
                raise Failure("INVALID_REQUEST", "The bundle must be a file in an existing directory.")
            manifest = state_bundle.export_bundle(project, project.resolve_ref(ref), path, call)
            return StateBundleReport(str(path), path.stat().st_size, _describe_manifest(manifest))

    def import_state(self, workspace: str | None, source: str, call: Call) -> StateBundleReport:
        """Import such a file, then sync what differs; an unregistered directory is registered first."""
        with self._access.new_project(workspace or self._options.default_workspace or os.getcwd()) as project:
            path = Path(os.path.abspath(source))
            if not path.is_file():
                raise Failure("INVALID_REQUEST", f"There is no file {ascii(source[:200])}.",
                              hint="Name a file that 'codecompass state export' wrote.")  # fmt: skip
            manifest, note = state_bundle.import_bundle(project, path, call)
            job = run_job(project, project.effective_ref(None), call, force=False, job_id=None)
            return StateBundleReport(
                str(path), path.stat().st_size, _describe_manifest(manifest), job, (note,) if note else ()
            )

    def _resolve_directory(self, project: Project, named: str) -> Path:
        """Return the real path of a directory to read from: inside the workspace or an allowed root."""
        if "\0" in named:
            raise Failure("INVALID_REQUEST", "artifactsDir must be the path of a directory.")
        root = project.workspace.root
        found = AllowedRoots((root, *self._options.allowed_roots)).find(root / named)
        if found is None:
            raise Failure("FORBIDDEN", "artifactsDir is outside the workspace and the allowed roots.")
        return found.path


def _describe_manifest(manifest: BundleManifest) -> dict[str, object]:
    """Describe a bundle without the list of its members."""
    names = ("version", "index_version", "tool_version", "created_at", "ref", "commit", "files", "symbols", "blobs",
             "vectors", "model")  # fmt: skip
    return {name: getattr(manifest, name) for name in names} | {"members": len(manifest.members)}
