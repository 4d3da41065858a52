"""Job service: registers projects, and indexes them in this process, in a child process or in the background."""

import os
from collections.abc import Callable, Mapping

from codecompass.engine.jobs.auto_sync import make_child_sync, sync_until_cancelled
from codecompass.engine.jobs.cancellation import cancel_job
from codecompass.engine.jobs.job_runner import run_job, start_child
from codecompass.engine.jobs.quick_sync import sync_quickly
from codecompass.engine.maintenance.health.project_health import project_status
from codecompass.engine.options import EngineOptions
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.maintenance.sync_attempt import SyncAttempt
from codecompass.model.queries.results import ProjectStatus
from codecompass.model.states import JobMode


class JobService:
    """Starts and cancels indexing."""

    def __init__(self, access: ProjectAccess, options: EngineOptions, environment: Mapping[str, str]) -> None:
        self._access = access
        self._options = options
        self._environment = environment

    def init(self, path: str) -> ProjectStatus:
        """Register a directory; doing it again changes nothing."""
        with self._access.new_project(path) as project:
            return project_status(project, project.resolve_ref(None))

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
        named = workspace or self._options.default_workspace or os.getcwd()
        with self._access.new_project(named) if register else self._access.project(workspace) as project:
            return run_job(project, project.effective_ref(ref), call, force=force, job_id=job_id)

    def sync_quickly(self, workspace: str, call: Call) -> bool:
        """Sync a few changed files of the working tree until the call's deadline; return whether it was synced."""
        with self._access.registered_project(workspace) as project:
            return sync_quickly(project, call)

    def start_job(self, workspace: str | None, ref: str | None, *, mode: JobMode, force: bool) -> Job:
        """Start indexing in a child process and return at once; a full index registers an unknown project."""
        opened = self._access.project_to_index if mode == "full" else self._access.job_project
        with opened(workspace) as project:
            return start_child(project, project.effective_ref(ref), self._environment, mode=mode, force=force)

    def cancel_job(self, workspace: str | None, job_id: str | None) -> Job:
        """Cancel a job with its whole process tree; without an id the running one."""
        with self._access.registered_project(workspace) as project:
            return cancel_job(project, job_id)

    def index_served(self) -> None:
        """Register the workspaces this server was started for, and start to index those without an index."""
        with self._access.served_projects() as projects:
            for project in projects:
                self._access.projects.first_index(project)

    def keep(self, on_attempt: Callable[[SyncAttempt], None]) -> None:
        """Update the live view of every open project; `on_attempt` receives each attempt, from any thread."""

        def start_auto_sync(project: Project) -> None:
            project.auto_sync = auto_sync = make_child_sync(project, self._environment, on_attempt)
            auto_sync.start()

        self._access.projects.on_open = start_auto_sync

    def follow(self, workspace: str, call: Call, on_attempt: Callable[[SyncAttempt], None]) -> None:
        """Update one directory's live view in this process until the call is cancelled."""
        with self._access.new_project(workspace) as project:
            sync_until_cancelled(project, call, on_attempt)
