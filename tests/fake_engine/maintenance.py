"""Maintenance and downloads of the small engine: every order succeeds."""

from dataclasses import replace

from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.maintenance.download_values import (
    DictionaryState,
    DownloadReport,
    DownloadRequest,
    DownloadResult,
    ExtensionProbeRequest,
    ExtensionReport,
    InstalledDownloads,
)
from codecompass.model.maintenance.maintenance_orders import (
    BootstrapReport,
    BootstrapRequest,
    BootstrapStep,
    BuildReport,
    BuildRequest,
    CleanRequest,
    CompactedDatabase,
    CompactReport,
    CompactRequest,
    GcRemoval,
    GcReport,
    GcRequest,
    StateBundleReport,
)
from codecompass.model.maintenance.portable_index import PortableBuildRequest, PortableReport
from codecompass.model.queries.results import (
    DoctorCheck,
)
from tests.fake_engine.answers import READY
from tests.fake_engine.jobs import FakeJobs


class FakeMaintenance(FakeJobs):
    def _fetched(self, order: DownloadRequest, call: Call) -> DownloadReport:
        self._answer(order, call)
        return DownloadReport(
            "/repo", "/data", (DownloadResult("en", "downloaded", "https://example.org/en.txt", "/data/en"),)
        )

    def download_models(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        return self._fetched(order, call)

    def download_dictionaries(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        return self._fetched(order, call)

    def download_extensions(self, workspace: str | None, order: DownloadRequest, call: Call) -> DownloadReport:
        return self._fetched(order, call)

    def verify_extension(self, workspace: str | None, order: ExtensionProbeRequest) -> ExtensionReport:
        if self.fail is not None:
            raise self.fail
        return ExtensionReport(platform="linux-x86_64")

    def list_downloads(self, workspace: str | None) -> InstalledDownloads:
        if self.fail is not None:
            raise self.fail
        return InstalledDownloads("/data/models", DictionaryState("/data/dictionaries"))

    def build_portable(self, workspace: str | None, order: PortableBuildRequest, call: Call) -> PortableReport:
        self.queries.append(order)
        if self.fail is not None:
            raise self.fail
        return replace(self.portable(workspace), modes=order.modes, built=True)

    def build(self, workspace: str | None, order: BuildRequest, call: Call) -> BuildReport:
        self._answer(order, call)
        job = Job("job_1", "main", "full", "published", "2026-01-01T00:00:00Z", changed_files=3, duration_ms=12)
        return BuildReport("/repo", job, READY, {"files": 3}, {"totalMs": 1})

    def compact(self, workspace: str | None, order: CompactRequest, call: Call) -> CompactReport:
        self._answer(order, call)
        return CompactReport("/repo", order.dry_run, (CompactedDatabase("sqlite", "/data/index.sqlite", "missing"),))

    def sweep(self, workspace: str | None, order: GcRequest, call: Call) -> GcReport:
        self._answer(order, call)
        return GcReport("/repo", "/data", order.dry_run, 1, 9)

    def clean(self, workspace: str | None, order: CleanRequest, call: Call) -> GcReport:
        self._answer(order, call)
        return GcReport("/repo", "/data", order.dry_run, 1, 9, (GcRemoval("a1", "/data/a1", 9, "asked"),))

    def bootstrap(self, workspace: str | None, order: BootstrapRequest, call: Call) -> BootstrapReport:
        self._answer(order, call)
        return BootstrapReport("/repo", (BootstrapStep("index", "done", "3 files", 1),))

    def export_state(self, workspace: str | None, ref: str | None, target: str, call: Call) -> StateBundleReport:
        self._answer(target, call)
        return StateBundleReport(target, 9)

    def import_state(self, workspace: str | None, source: str, call: Call) -> StateBundleReport:
        self._answer(source, call)
        return StateBundleReport(source, 9)

    def doctor(self, workspace: str | None, *, read_data: bool = False) -> tuple[DoctorCheck, ...]:
        return (
            DoctorCheck("sqlite", "ok", "3.50"),
            DoctorCheck("index", "fail", "damaged", "codecompass index --force"),
        )

    def close(self) -> None:
        return
