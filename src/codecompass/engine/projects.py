"""Projects: which directories are registered, and the ones held open."""

import os
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import RLock

from codecompass.engine.freshness import WatchFactory
from codecompass.engine.options import EngineOptions
from codecompass.engine.project import ROOT_KEY, Project
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.ids import project_id
from codecompass.repo.workspace import Workspace, open_workspace
from codecompass.store.ports import Store

StoreFactory = Callable[[Path], Store]
OPEN_LIMIT = 3
"""Projects kept open at once; the least recently used is closed."""


class Projects:
    """Looks a workspace up by its real path; opens it on first use."""

    def __init__(
        self,
        data_dir: Path,
        options: EngineOptions,
        registry: Registry,
        stores: StoreFactory,
        watches: WatchFactory | None,
    ) -> None:
        self._directory = data_dir / "projects"
        self._options = options
        self._registry = registry
        self._stores = stores
        self._watches = watches
        self._open: OrderedDict[str, Project] = OrderedDict()
        self._lock = RLock()

    def register(self, path: str) -> Project:
        """Open a directory as a project, creating its place in the data directory when it has none."""
        workspace = open_workspace(path)
        self._refuse_inside_data(workspace)
        with self._lock:
            project = self._opened(workspace)
            if project.store.records.get(ROOT_KEY) is None:
                project.store.records.set(ROOT_KEY, str(workspace.root))
            return project

    def get(self, path: str | None) -> Project:
        """The project of a workspace, or the default one."""
        if path is None:
            if self._options.default_workspace is None:
                raise Failure("PROJECT_NOT_FOUND", "No workspace was named and the server has no default one.")
            workspace = open_workspace(self._options.default_workspace)
        else:
            if not os.path.isabs(path):
                raise Failure("INVALID_REQUEST", "A workspace is named by an absolute path.")
            workspace = open_workspace(path)
            self._check_allowed(workspace)
        with self._lock:
            if not (self._home(workspace) / "records.db").exists():
                if path is not None and self._options.auto_workspace:
                    return self.register(str(workspace.root))
                code = "PROJECT_NOT_FOUND" if path is None else "WORKSPACE_NOT_REGISTERED"
                raise Failure(code, "This directory was never registered as a project.")
            return self._opened(workspace)

    def _check_allowed(self, workspace: Workspace) -> None:
        roots = self._options.allowed_roots
        if not roots:
            return
        default = self._options.default_workspace
        allowed = [os.path.realpath(root) for root in (*roots, *((default,) if default else ()))]
        if not any(workspace.root.is_relative_to(root) for root in allowed):
            raise Failure("FORBIDDEN", "This workspace lies outside the allowed roots.")

    def _refuse_inside_data(self, workspace: Workspace) -> None:
        if workspace.root.is_relative_to(os.path.realpath(self._directory)):
            raise Failure("INVALID_REQUEST", "The data directory itself cannot be a project.")

    def _home(self, workspace: Workspace) -> Path:
        return self._directory / project_id(workspace.project_key)

    def _opened(self, workspace: Workspace) -> Project:
        key = workspace.worktree_key
        known = self._open.get(key)
        if known is not None and known.workspace == workspace:
            self._open.move_to_end(key)
            return known
        home = self._home(workspace)
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        watch = self._watches(workspace.root, workspace.git) if self._watches else None
        if watch is not None:
            watch.start()
        project = Project(workspace, self._stores(home), self._registry, self._options, home, watch)
        self._open[key] = project
        while len(self._open) > OPEN_LIMIT:
            self._open.popitem(last=False)[1].close()
        return project

    def known(self) -> tuple[Project, ...]:
        """The default project if there is one, else every open one."""
        with self._lock:
            if self._options.default_workspace is not None:
                try:
                    self.get(None)
                except Failure:
                    pass
            return tuple(self._open.values())

    def open_projects(self) -> tuple[Project, ...]:
        with self._lock:
            return tuple(self._open.values())

    def close(self) -> None:
        with self._lock:
            for project in self._open.values():
                project.close()
            self._open.clear()
