"""Project access: how a call opens its project and its view, and what the view's state says.

A call takes its lease here and nowhere else. The meaning of a ref is decided once, when the view is opened.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project, SyncThrottle
from codecompass.engine.workspace.project_registry import ProjectRegistry
from codecompass.errors import Failure
from codecompass.model.queries.results import ViewState
from codecompass.repo.workspace import TargetRef

SyncStarter = Callable[[Project, str], None]
"""Starts a sync of a ref in the background and never fails."""


@dataclass(frozen=True, slots=True)
class OpenedView:
    """The project of a call and its pinned view; both stay open until the block ends."""

    project: Project
    view: PinnedView
    ref: str
    """The name of the ref, for answers. Which view it means is decided already."""

    @property
    def is_live(self) -> bool:
        return self.view.row.name.startswith("live:")


class ProjectAccess:
    """Opens projects and views for services. Thread-safe."""

    def __init__(self, projects: ProjectRegistry, start_sync: SyncStarter | None = None) -> None:
        self.projects = projects
        self._start_sync = start_sync
        self._throttle = SyncThrottle()

    # -- projects --------------------------------------------------------------------------------------------------

    @contextmanager
    def project(self, workspace: str | None) -> Iterator[Project]:
        """Open the project that a query names."""
        with self.projects.lease():
            yield self.projects.open_for_query(workspace)

    @contextmanager
    def registered_project(self, workspace: str | None) -> Iterator[Project]:
        """Open a registered project; changes nothing."""
        with self.projects.lease():
            yield self.projects.get_registered(workspace)

    @contextmanager
    def job_project(self, workspace: str | None) -> Iterator[Project]:
        """Open a project for a call that updates it; an unknown one is registered if calls may do that."""
        with self.projects.lease():
            yield self.projects.get_or_register(workspace)

    @contextmanager
    def project_to_index(self, workspace: str | None) -> Iterator[Project]:
        """Open a project for a call that asks to index it; an unknown one is registered inside the allowed roots."""
        with self.projects.lease():
            yield self.projects.register_to_index(workspace)

    @contextmanager
    def new_project(self, path: str) -> Iterator[Project]:
        """Open a directory as a project; an unknown one is registered."""
        with self.projects.lease():
            yield self.projects.register(path)

    @contextmanager
    def served_projects(self) -> Iterator[tuple[Project, ...]]:
        """Register the workspaces that the server was started for, and open those without a published index."""
        with self.projects.lease():
            yield self.projects.register_served()

    # -- views -----------------------------------------------------------------------------------------------------

    @contextmanager
    def view(self, workspace: str | None, ref: str | TargetRef | None) -> Iterator[OpenedView]:
        """Open a project and pin the view of a ref; without a ref, of the working tree."""
        with self.project(workspace) as project, self.pin(project, project.resolve_ref(ref)) as opened:
            yield opened

    @contextmanager
    def pin(self, project: Project, target: TargetRef) -> Iterator[OpenedView]:
        """Pin a view of an open project."""
        with project.open_view(target) as view:
            yield OpenedView(project, view, target.name)

    def state(self, opened: OpenedView, policy: str, paths: tuple[str, ...]) -> ViewState:
        """Return the state of the view, with the freshness policy applied: refuse, sync or answer as it is."""
        state = opened.project.get_view_state(opened.view, opened.ref, paths if opened.is_live else ())
        if policy == "strict":
            opened.project.require_finished(opened.view)
        if state.freshness != "stale":
            return state
        if policy == "strict":
            raise Failure("INDEX_STALE", "The index does not match the sources any more. Run sync_repo to refresh.", {
                "last_indexed_commit": state.indexed_commit, "current_head": state.current_head,
                "suggestion": "Call sync_repo to update the index before querying."})  # fmt: skip
        if policy == "balanced":
            auto_sync = opened.project.auto_sync
            if auto_sync is not None and opened.is_live:
                auto_sync.request()
            else:
                self._sync(opened, "")
        return state

    def restore(self, opened: OpenedView) -> None:
        """Start a background rebuild of what the view's channels lack."""
        auto_sync = opened.project.auto_sync
        if auto_sync is not None and opened.is_live:
            auto_sync.request_repair()
        else:
            self._sync(opened, ":restore")

    def _sync(self, opened: OpenedView, purpose: str) -> None:
        key = f"{opened.project.id}:{opened.ref}{purpose}"
        if self._start_sync is not None and self._throttle.allow(key):
            self._start_sync(opened.project, opened.ref)
