"""Download service: downloads models, word lists and extensions, and lists what is installed."""

from functools import cached_property
from typing import TYPE_CHECKING

from codecompass.engine.maintenance.downloads.installed_models import list_models
from codecompass.engine.options import EngineOptions
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import (
    DownloadReport,
    DownloadRequest,
    ExtensionProbeRequest,
    ExtensionReport,
    InstalledDownloads,
)

if TYPE_CHECKING:  # few processes download, and the network code is slow to load
    from codecompass.engine.maintenance.downloads.download_orders import DownloadRunner

MODELS = "models"


class DownloadService:
    """Loads the network code when a download is first requested."""

    def __init__(self, access: ProjectAccess, options: EngineOptions) -> None:
        self._access = access
        self._projects = access.projects
        self._options = options

    @cached_property
    def _runner(self) -> "DownloadRunner":
        from codecompass.engine.maintenance.downloads import download_orders  # noqa: PLC0415 - loads the network code

        return download_orders.DownloadRunner(self._access, self._options)

    def download_models(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        """Install embedding models: from an archive, or file by file from a directory URL."""
        return self._runner.download_models(workspace, order, call)

    def download_dictionaries(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        """Install word lists; an index uses them after a full reindex."""
        return self._runner.download_dictionaries(workspace, order, call)

    def download_extensions(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        """Install an SQLite extension; nothing is downloaded if its package is installed."""
        return self._runner.download_extensions(workspace, order, call)

    def verify_extension(self, workspace: str | None, order: ExtensionProbeRequest) -> ExtensionReport:
        """Check whether the vector extension exists and works; never raises because it does not."""
        return self._runner.verify_extension(workspace, order)

    def list_downloads(self, workspace: str | None) -> InstalledDownloads:
        """Return the installed models and word lists, and the words the index was built with."""
        with self._access.registered_project(workspace) as project:
            directory = self._projects.data_directory / MODELS
            view = project.view_name(project.resolve_ref(None))
            words = project.dictionary_versions.get_state(project.store.records, view, indexed=project.is_indexed)
            return InstalledDownloads(str(directory), words, list_models(directory))
