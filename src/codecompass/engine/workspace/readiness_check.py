"""Readiness check: whether a question can be answered from the index as it is, or needs a first index or a sync."""

from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.errors import Failure
from codecompass.model.queries.index_readiness import IndexReadiness
from codecompass.repo.git.repository import read_head


class ReadinessCheck:
    """Checks the project of a command before its question is asked. Changes nothing."""

    def __init__(self, access: ProjectAccess) -> None:
        self._access = access

    def check_readiness(self, workspace: str, ref: str | None, *, compare: bool = True) -> IndexReadiness:
        """Return the readiness of a workspace; with `compare`, also whether its files changed since the last sync."""
        projects = self._access.projects
        if not projects.is_registered(workspace):
            return IndexReadiness(workspace, "not_registered", projects.is_project(workspace))
        with self._access.registered_project(workspace) as project:
            try:
                return self._check(project, workspace, ref, compare=compare)
            except Failure as failure:
                if failure.code != "NO_INDEX":
                    # The question fails in the same way and says more about it.
                    return IndexReadiness(workspace, "ready")
            if project.jobs.find_active() is not None:
                return IndexReadiness(workspace, "indexing")
            return IndexReadiness(workspace, "not_indexed", projects.is_project(workspace))

    def _check(self, project: Project, workspace: str, ref: str | None, *, compare: bool) -> IndexReadiness:
        with self._access.pin(project, project.resolve_ref(ref)) as opened:
            if not opened.is_live or not compare:
                return IndexReadiness(workspace, "ready")
            row, git = opened.view.row, project.workspace.git
            changed, listed = project.probe.find_changes(opened.view)
            head = read_head(git) if git else None
            if not changed and (head is None or (head.branch or "", head.commit or "") == (row.head, row.commit)):
                return IndexReadiness(workspace, "ready")
            size = sum(project.probe.get_size(path) for path in listed)
        busy = project.store.get_active_writer() is not None or project.jobs.find_active() is not None
        return IndexReadiness(workspace, "busy" if busy else "behind", True, len(changed), size)
