"""First index: index a workspace that a server was started for, or that a call named first.

Indexing starts with the server, or with the call that named the workspace. If it failed, or the index was removed
since, a later call starts it again, at most once every few seconds.
"""

from collections.abc import Mapping

from codecompass.engine.jobs.job_runner import start_child
from codecompass.engine.workspace.project import REGISTERED_BY_KEY, Project, SyncThrottle
from codecompass.errors import Failure


class FirstIndex:
    """Thread-safe: of two concurrent starts the second is refused."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._throttle = SyncThrottle()

    def ensure(self, project: Project) -> None:
        """Start indexing unless something is published, a job is running, or nobody requested this project."""
        try:
            if project.store.state().schema != "not_indexed" or project.store.records.get(REGISTERED_BY_KEY) is None:
                return
            if project.jobs.find_active() is not None or not self._throttle.allow(project.id):
                return
            start_child(project, project.effective_ref(None), self._environment, mode="full", force=False)
        except Failure:
            # The query that named the workspace is answered anyway; its state says what is missing.
            return
