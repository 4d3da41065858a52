"""Projects and jobs of the small engine: one project, one job."""

from dataclasses import replace

from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.maintenance.portable_index import PortableReport
from codecompass.model.maintenance.workspace_usage import Capabilities, IndexedRef, ProjectInventory, WorkspaceStatus
from codecompass.model.queries.results import (
    Health,
    ProjectStatus,
    ViewState,
)
from codecompass.model.states import JobMode
from tests.fake_engine.answers import FakeAnswers


class FakeJobs(FakeAnswers):
    def init(self, path: str) -> ProjectStatus:
        return self.status(path, None)

    def status(self, workspace: str | None, ref: str | None) -> ProjectStatus:
        if self.fail is not None:
            raise self.fail
        job = Job("job_1", "main", "full", "published", "2026-01-01T00:00:00Z", changed_files=3, duration_ms=12)
        return ProjectStatus("a1", "/repo", self.state, 1, 1, 3, 7, None, (job,), None)

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        return self.state

    def health(self, workspace: str | None) -> Health:
        projects = (self.status(workspace, None),)
        return Health("ready", "0.1.0", 5, True, True, ("python",), (), "complete", projects, ("/repo",))

    def list_workspaces(self, workspace: str | None) -> tuple[WorkspaceStatus, ...]:
        refs = (IndexedRef("live", "c1", 1, "2026-01-01T00:00:00Z", 3, 7, "fresh"),)
        return (WorkspaceStatus(self.status(workspace, None), True, True, refs, 9, self.portable(workspace)),)

    def inventory(self, workspace: str | None, *, everything: bool = False) -> ProjectInventory:
        status = self.status(workspace, None)
        return ProjectInventory(status, "/data/a1", {"catalog": 5, "sqlite": 4}, self.portable(workspace), "/data", 9)

    def get_capabilities(self) -> Capabilities:
        return Capabilities({"pdf": False}, linter=True, git=True, backends=("auto",), languages=2)

    def start_job(self, workspace: str | None, ref: str | None, *, mode: JobMode, force: bool) -> Job:
        if self.fail is not None:
            raise self.fail
        mode = "full" if force or self.describe(workspace, ref).generation == 0 else "incremental"
        return Job("job_2", ref or "main", mode, "running", "2026-01-01T00:00:00Z")

    def cancel_job(self, workspace: str | None, job_id: str | None) -> Job:
        if self.fail is not None:
            raise self.fail
        return Job(job_id or "job_2", "main", "full", "cancelled", "2026-01-01T00:00:00Z")

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
        return replace(self.start_job(workspace, ref, mode="full", force=force), status="published")

    def portable(self, workspace: str | None) -> PortableReport:
        return PortableReport("/data/index.sqlite", exists=True, usable=True, fresh=True, bytes=9, ref="main")
