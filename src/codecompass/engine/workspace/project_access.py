"""Project access: the interface through which services open projects and read view states."""

from typing import Protocol

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.model.queries.results import ViewState


class ProjectAccess(Protocol):
    """Opens the project of a workspace, and returns the state of a view under a freshness policy."""

    def project(self, workspace: str | None) -> Project: ...

    def state(self, project: Project, view: PinnedView, ref: str, policy: str, paths: tuple[str, ...]) -> ViewState: ...

    def restore(self, project: Project, view: PinnedView, ref: str) -> None:
        """Start a background rebuild of what the view's channels lack."""
