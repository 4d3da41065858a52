"""Access to projects: what a service is given to open a project and to state how current its view is."""

from typing import Protocol

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.model.queries.results import ViewState


class Opener(Protocol):
    """What the engine lends: a project's view of a ref, and the view's state under a freshness policy."""

    def project(self, workspace: str | None) -> Project: ...

    def state(self, project: Project, view: PinnedView, ref: str, policy: str, paths: tuple[str, ...]) -> ViewState: ...

    def restore(self, project: Project, view: PinnedView, ref: str) -> None:
        """Begin, behind the answer, to bring back what the view's channels lack."""
