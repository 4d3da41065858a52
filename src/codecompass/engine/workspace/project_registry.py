"""Projects: which directories may be named, which are registered, and the ones held open.

`find` gives a registered project or a failure. `get` is for questions: where the server may do that, an unknown
workspace is registered and its first index started. `enrol` registers only, for callers that start a job themselves.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from codecompass.engine.options import EngineOptions
from codecompass.engine.view.freshness import WatchFactory
from codecompass.engine.workspace.child_jobs import Children
from codecompass.engine.workspace.project import REGISTERED_BY_KEY, ROOT_KEY, Project
from codecompass.engine.workspace.project_pool import Shelf
from codecompass.engine.workspace.query_embedder import Semantics
from codecompass.engine.workspace.recent_projects import RecentWorkspaces
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.ids import project_id
from codecompass.ownership import require_own
from codecompass.repo.workspace import Workspace, is_project_directory, open_workspace
from codecompass.store.ports import Store

StoreFactory = Callable[[Path], Store]
BY_SERVER = "server"
"""What stands in the records of a project that a server was started for."""
AUTOMATIC = "call"
"""What stands in the records of a project that was registered by being named in a call."""


def _quiet(_: Project) -> None:
    """Nobody is told."""


@contextmanager
def _reached() -> Iterator[None]:
    """A data directory that the system keeps us from is no fault of the program, and no puzzle for its user."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        said = f"What is kept of this project cannot be used: {error.strerror or error}."
        raise Failure("DISK_FULL" if full else "INTERNAL", said, hint="Run 'codecompass doctor'.") from error


class Projects:
    """Looks a workspace up by its real path; opens it on first use."""

    def __init__(
        self,
        data_dir: Path,
        options: EngineOptions,
        registry: Registry,
        stores: StoreFactory,
        watches: WatchFactory | None,
        semantics: Semantics | None = None,
    ) -> None:
        self.data_directory = data_dir
        self._directory = data_dir / "projects"
        self._options = options
        self._registry = registry
        self._stores = stores
        self._watches = watches
        self.semantics = semantics or Semantics()
        self._shelf = Shelf(options.max_open_projects, options.memory_budget_mb * 2**20)
        default = options.default_workspace
        roots = (*options.allowed_roots, *options.workspaces, *((default,) if default else ()))
        self._allowed = tuple(os.path.realpath(root) for root in roots) if options.allowed_roots else ()
        self.recent = RecentWorkspaces(data_dir / "recent.json")
        self.children = Children()
        self.first_index: Callable[[Project], None] = _quiet
        """Called for a project that a call named, when the server registers workspaces by itself."""
        self.on_open: Callable[[Project], None] = _quiet
        """Called for a project that was just opened."""

    def lease(self) -> AbstractContextManager[None]:
        """Projects taken inside the block stay open until its end."""
        return self._shelf.lease()

    # -- finding ---------------------------------------------------------------------------------------------------

    def register(self, path: str) -> Project:
        """Open a directory as a project, creating its place in the data directory when it has none."""
        return self._register(open_workspace(path))

    def get(self, path: str | None) -> Project:
        """The project a question is about."""
        project = self.enrol(path)
        if self._options.auto_index or (path is not None and self._options.auto_workspace):
            self.first_index(project)
        return project

    def register_served(self) -> tuple[Project, ...]:
        """Register every workspace the server was started for that is a project of its own and may be named.

        Returns those of which nothing is published yet.
        """
        found = []
        for root in self.served():
            if not self._is_allowed(root) or not is_project_directory(Path(root), self._options.home):
                continue
            workspace = open_workspace(root)
            known = self._is_registered(workspace)
            project = self._register(workspace)
            if not known or project.store.state().schema == "not_indexed":
                project.store.records.set(REGISTERED_BY_KEY, BY_SERVER)
                found.append(project)
        return tuple(found)

    def enrol(self, path: str | None) -> Project:
        """The project of a workspace; one that is unknown is registered if calls may do that."""
        workspace = self._workspace(path)
        if path is not None and self._options.auto_workspace and not self._is_registered(workspace):
            project = self._register(workspace)
            project.store.records.set(REGISTERED_BY_KEY, AUTOMATIC)
        else:
            project = self._registered(path, workspace)
        if self._options.warmset_capacity > 0:
            self.recent.note(str(workspace.root))
        return project

    def find(self, path: str | None) -> Project:
        """The project of a workspace that is registered; changes nothing."""
        return self._registered(path, self._workspace(path))

    def place(self, path: str | None) -> Path:
        """Where the project of a workspace is kept, or would be; opens nothing."""
        return self._home(self._workspace(path))

    def knows(self, root: str) -> bool:
        """Whether a root is there, allowed and registered; opens no project."""
        try:
            return self._is_registered(self._workspace(root))
        except Failure:
            return False

    def _workspace(self, path: str | None) -> Workspace:
        if path is None:
            if self._options.default_workspace is None:
                raise Failure("PROJECT_NOT_FOUND", "No workspace was named and the server has no default one.")
            return open_workspace(self._options.default_workspace)
        if not os.path.isabs(path) or "\0" in path:
            raise Failure("INVALID_REQUEST", "A workspace is named by an absolute path.")
        # Before the directory is looked at: who may not name it must not learn whether it exists.
        self._check_allowed(os.path.realpath(path))
        workspace = open_workspace(path)
        # A link may have been turned between the two looks.
        self._check_allowed(str(workspace.root))
        return workspace

    def may_know(self, root: str) -> bool:
        """Whether whoever asks may learn of a root: a person of all that is theirs, a client of what it may name."""
        return self._options.personal or self._is_allowed(root)

    def _is_allowed(self, real: str) -> bool:
        return not self._allowed or any(Path(real).is_relative_to(root) for root in self._allowed)

    def _check_allowed(self, real: str) -> None:
        if not self._is_allowed(real):
            raise Failure("FORBIDDEN", "This workspace lies outside the allowed roots.")

    def _is_registered(self, workspace: Workspace) -> bool:
        with _reached():
            return (self._home(workspace) / "records.db").exists()

    def _registered(self, path: str | None, workspace: Workspace) -> Project:
        if not self._is_registered(workspace):
            code = "PROJECT_NOT_FOUND" if path is None else "WORKSPACE_NOT_REGISTERED"
            raise Failure(code, "This directory was never registered as a project.")
        return self._opened(workspace)

    def _register(self, workspace: Workspace) -> Project:
        if workspace.root.is_relative_to(os.path.realpath(self._directory)):
            raise Failure("INVALID_REQUEST", "The data directory itself cannot be a project.")
        project = self._opened(workspace)
        if project.store.records.get(ROOT_KEY) is None:
            project.store.records.set(ROOT_KEY, str(workspace.root))
        return project

    # -- opening ---------------------------------------------------------------------------------------------------

    def _home(self, workspace: Workspace) -> Path:
        return self._directory / project_id(workspace.project_key)

    def _opened(self, workspace: Workspace) -> Project:
        return self._shelf.take(workspace, lambda: self._open(workspace))

    def _open(self, workspace: Workspace) -> Project:
        home = self._home(workspace)
        with _reached():
            for place in (self.data_directory, self._directory, home):
                place.mkdir(parents=True, exist_ok=True, mode=0o700)
            require_own(home, self.data_directory, "the data directory")
            store = self._stores(home)
        watch = self._watches(workspace.root, workspace.git) if self._watches else None
        if watch is not None:
            watch.start()
        project = Project(
            workspace, store, self._registry, self._options, home, watch, children=self.children,
            semantics=self.semantics, dictionaries=self.data_directory / "dictionaries",
        )  # fmt: skip
        self.on_open(project)
        return project

    def registered(self) -> tuple[str, ...]:
        """Roots of the projects in the data directory that may be named and still are where they were."""
        known: list[str] = []
        for home in sorted(self._directory.iterdir()) if self._directory.is_dir() else ():
            if (home / "records.db").exists():
                store = self._stores(home)
                try:
                    root = store.records.get(ROOT_KEY)
                except Failure:
                    root = None
                finally:
                    store.close()
                if root and self.knows(root):
                    known.append(root)
        served = [root for root in self.served() if self.knows(root)]
        return tuple(dict.fromkeys((*served, *known)))

    def homes(self) -> tuple[Path, ...]:
        """The places of all projects in the data directory, whoever may name them."""
        found = sorted(self._directory.iterdir()) if self._directory.is_dir() else ()
        return tuple(home for home in found if (home / "records.db").exists())

    def store_at(self, home: Path) -> Store:
        """The store of a project that nobody has to open for it; whoever asks closes it."""
        return self._stores(home)

    def home_of(self, root: str) -> Path | None:
        """Where a project would be kept; None for what is no directory."""
        try:
            return self._home(open_workspace(root))
        except Failure:
            return None

    def open_projects(self) -> tuple[Project, ...]:
        return self._shelf.projects()

    def served(self) -> tuple[str, ...]:
        """Roots of the workspaces the server was started with, registered or not, and of those open besides."""
        default = self._options.default_workspace
        given = (*((default,) if default else ()), *self._options.workspaces)
        open_now = (str(project.workspace.root) for project in self.open_projects())
        return tuple(dict.fromkeys((*map(os.path.realpath, given), *open_now)))

    def close(self) -> None:
        """Let go of the projects and of the jobs that were started for them."""
        self.recent.save()
        self.children.stop()
        self._shelf.close()
