"""Download orders: download models, word lists and extensions. Imports the network code."""

import os
from dataclasses import replace
from pathlib import Path

from codecompass.embed.models import BUNDLED, ENDPOINT, NONE
from codecompass.engine.maintenance.downloads.dictionary_install import install_word_list
from codecompass.engine.maintenance.downloads.download_directory import (
    DownloadDirectory,
    DownloadSource,
    InstalledFile,
    SourceFetcher,
    parse_source,
    select_sources,
)
from codecompass.engine.maintenance.downloads.extension_install import (
    check_extension,
    find_extension,
    get_trusted_hashes,
    install_extension,
    platform_key,
    require_trusted,
)
from codecompass.engine.maintenance.downloads.model_install import install_model_archive, install_model_files
from codecompass.engine.options import EngineOptions
from codecompass.engine.workspace.output_directories import check_destination
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.errors import Failure
from codecompass.fetch.fetcher import CachedValidators, FetchResult
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import (
    DownloadReport,
    DownloadRequest,
    DownloadResult,
    ExtensionProbeRequest,
    ExtensionReport,
)

MODELS, DICTIONARIES, EXTENSIONS = "models", "dictionaries", "extensions"
"""Subdirectories of the data directory."""
MAX_PATH = 4_096


class DownloadRunner:
    """Runs download orders. `download_service.py` loads it on demand."""

    def __init__(self, access: ProjectAccess, options: EngineOptions) -> None:
        self._access = access
        self._projects = access.projects
        self._options = options
        self._downloads = options.downloads

    # -- fetching --------------------------------------------------------------------------------------------------

    def download_models(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        """Install embedding models: from an archive, or file by file from a directory URL."""
        with self._access.registered_project(workspace) as project:
            sources = select_sources(order, self._downloads.models, "downloads.models")
            self._check_model_in_use(sources, order)
            downloads = self._open_directory(project, order, MODELS)
            archive = downloads.make_file_fetcher(
                lambda source, downloaded: install_model_archive(downloads, source, downloaded, call), call
            )

            def fetch_model(
                source: DownloadSource, known: CachedValidators | None
            ) -> tuple[FetchResult, InstalledFile | None]:
                return (
                    install_model_files(downloads, source, call, known)
                    if source.url.endswith("/")
                    else archive(source, known)
                )

            return self._fetch_sources(project, downloads, sources, order, call, fetch_model)

    def _check_model_in_use(self, sources: tuple[DownloadSource, ...], order: DownloadRequest) -> None:
        """Reject a source of a call for the model in use: only the settings may replace it."""
        used = self._options.embedding.model.replace("/", "--")
        known = {source.url for source in map(parse_source, self._downloads.models)}
        if used in (BUNDLED, NONE, ENDPOINT) or order.directory is not None:
            return
        if any(one.name == used and one.url not in known for one in sources):
            raise Failure(
                "FORBIDDEN", f"The model '{used}' is the one that the settings use; a call cannot replace it.",
                hint="Give it another name, or put its source into downloads.models of your own config file.",
            )  # fmt: skip

    def download_dictionaries(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        """Install word lists; an index uses them after a full reindex."""
        with self._access.registered_project(workspace) as project:
            sources = select_sources(order, self._downloads.dictionaries, "downloads.dictionaries")
            downloads = self._open_directory(project, order, DICTIONARIES)
            bring = downloads.make_file_fetcher(
                lambda source, downloaded: install_word_list(downloads, source, downloaded, call), call
            )
            report = self._fetch_sources(project, downloads, sources, order, call, bring)
            state = project.dictionary_versions.get_state(
                project.store.records, project.view_name("live"), indexed=project.is_indexed
            )
            return replace(report, notes=(state.message,) if state.message else ())

    def download_extensions(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        """Install an SQLite extension; nothing is downloaded if its package is installed.

        A call may name another URL to download from, but only the settings determine its hash.
        """
        with self._access.registered_project(workspace) as project:
            key = platform_key(*order.machine)
            trusted = get_trusted_hashes(self._downloads.extensions, key)
            downloads = self._open_directory(project, order, EXTENSIONS)
            configured = tuple(text for text in self._downloads.extensions if text.startswith(f"{key}="))
            if not order.sources and not configured:
                return self._report_packaged(project, downloads, key)
            found = select_sources(order, configured, "downloads.extensions", key)
            sources = tuple(replace(source, platform=key) for source in found)
            archive = downloads.make_file_fetcher(
                lambda source, file: install_extension(downloads, source, file, key, call), call
            )

            def fetch_extension(
                source: DownloadSource, known: CachedValidators | None
            ) -> tuple[FetchResult, InstalledFile | None]:
                require_trusted(source, trusted)
                return archive(source, known)

            return self._fetch_sources(project, downloads, sources, order, call, fetch_extension)

    def _report_packaged(self, project: Project, downloads: DownloadDirectory, key: str) -> DownloadReport:
        path, origin = find_extension(
            downloads, project.store, key, get_trusted_hashes(self._downloads.extensions, key)
        )
        if not path:
            raise Failure(
                "INVALID_REQUEST", f"No source is named for {key}, and none is set.",
                hint="Set downloads.extensions in your own config file: platform=https://…#sha256=….",
            )  # fmt: skip
        size = Path(path).stat().st_size
        installed = DownloadResult("sqlite-vec", "present", origin, path, size, verified=origin == "download")
        return DownloadReport(str(project.workspace.root), str(downloads.directory), (installed,))

    def _open_directory(self, project: Project, order: DownloadRequest, kind: str) -> DownloadDirectory:
        roots = (str(project.workspace.root), *self._options.allowed_roots, *self._downloads.policy.file_roots)
        directory = self._projects.data_directory / kind
        if order.directory is not None:
            directory = self._resolve_destination(project.workspace.root, order.directory)
        policy = replace(self._downloads.policy, file_roots=roots)
        return DownloadDirectory(directory, policy, external=order.directory is not None)

    def _resolve_destination(self, root: Path, named: str) -> Path:
        if "\0" in named or len(named) > MAX_PATH:
            raise Failure("INVALID_REQUEST", "That is not a directory name.")
        roots = (root, *map(Path, self._options.allowed_roots))
        path = Path(os.path.normpath(root / named))
        return check_destination(path, roots, self._projects.data_directory, "The directory")

    def _fetch_sources(
        self,
        project: Project,
        downloads: DownloadDirectory,
        sources: tuple[DownloadSource, ...],
        order: DownloadRequest,
        call: Call,
        bring: SourceFetcher,
    ) -> DownloadReport:
        found = downloads.fetch_all(sources, order, call, bring)
        failures = [item.failure for item in found if item.failure is not None]
        if len(failures) == len(found):
            first = failures[0]
            failed_sources = [{"name": item.name, "code": item.failure.code, "message": item.failure.message}
                    for item in found if item.failure is not None]  # fmt: skip
            raise Failure(first.code, first.message, {**first.details, "sources": failed_sources}, first.effective_hint)
        return DownloadReport(str(project.workspace.root), str(downloads.directory), found)

    # -- status ----------------------------------------------------------------------------------------------------

    def verify_extension(self, workspace: str | None, order: ExtensionProbeRequest) -> ExtensionReport:
        """Check whether the vector extension exists and works; never raises because it does not."""
        with self._access.registered_project(workspace) as project:
            downloads = self._open_directory(project, DownloadRequest(), EXTENSIONS)
            trusted = get_trusted_hashes(self._downloads.extensions, platform_key(*order.machine))
            return check_extension(downloads, project.store, order, trusted)
