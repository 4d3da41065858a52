"""Bootstrap downloads: the bootstrap steps that download missing files."""

from collections.abc import Callable, Mapping

from codecompass.engine.maintenance.downloads.download_service import DownloadService
from codecompass.engine.maintenance.storage.bootstrap_steps import DONE, SKIPPED, StepOutcome
from codecompass.engine.options import EngineOptions
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import DownloadRequest, ExtensionProbeRequest


def make_download_steps(
    downloads: DownloadService, options: EngineOptions, workspace: str | None
) -> Mapping[str, Callable[[Call], StepOutcome]]:
    """Return the download steps by name; each downloads only what is missing and has a source."""

    def dictionaries(call: Call) -> StepOutcome:
        installed = downloads.list_downloads(workspace).dictionaries
        if installed.files:
            return SKIPPED, f"{len(installed.files)} word list{'s are' if len(installed.files) != 1 else ' is'} there"
        if not options.downloads.dictionaries:
            return SKIPPED, "no source is set in downloads.dictionaries"
        report = downloads.download_dictionaries(workspace, DownloadRequest(), call)
        return DONE, ", ".join(report.list_names("downloaded", "present", "not_modified"))

    def extensions(call: Call) -> StepOutcome:
        found = downloads.verify_extension(workspace, ExtensionProbeRequest())
        if found.works:
            return DONE, f"{found.provider} {found.version} ({found.origin}) works".replace("  ", " ")
        if not options.downloads.extensions:
            why = found.load.reason or found.smoke.reason or "it is not installed"
            return SKIPPED, f"{found.provider}: {why}; no source is set in downloads.extensions"
        report = downloads.download_extensions(workspace, DownloadRequest(), call)
        return DONE, ", ".join(report.list_names("downloaded", "present", "not_modified"))

    return {"dictionaries": dictionaries, "extensions": extensions}
