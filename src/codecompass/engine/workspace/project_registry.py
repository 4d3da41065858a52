"""Project registry: which directories may be named, which are registered, and which are open.

`get_registered` returns a registered project or raises. `open_for_query` is for queries: where the settings allow it,
an unknown workspace is registered and its first index started. `get_or_register` only registers. `register_to_index` is
for calls that ask to index: naming a workspace inside the allowed roots is enough.

The workspaces used last are listed in one small file of the data directory. It only suggests what to load first: if it
is damaged or cannot be written, the list is empty or outdated, and no error is reported.
"""

import errno
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from threading import Lock

from codecompass.atomic import write_file
from codecompass.confine import AllowedRoots, is_within
from codecompass.engine.options import EngineOptions
from codecompass.engine.view.freshness import WatchFactory
from codecompass.engine.workspace.child_jobs import ChildJobs
from codecompass.engine.workspace.project import REGISTERED_BY_KEY, ROOT_KEY, Project
from codecompass.engine.workspace.project_pool import ProjectPool
from codecompass.engine.workspace.query_embedder import QueryEmbedder
from codecompass.errors import ErrorCode, Failure
from codecompass.languages.registry import Registry
from codecompass.model.ids import make_project_id
from codecompass.ownership import require_own
from codecompass.repo.workspace import Workspace, is_project_directory, open_workspace
from codecompass.store.ports import Store

MAX_RECENT = 20
_MAX_BYTES = 256 * 1024
_WRITE_EVERY = 5.0
"""Seconds between writes, so that calls that alternate between two workspaces do not write each time."""


class RecentWorkspaces:
    """Thread-safe; several processes may share the file, the last writer wins."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._recent_roots: list[str] = []
        self._unsaved = False
        self._saved_at = -_WRITE_EVERY

    def list_roots(self) -> tuple[str, ...]:
        """Return roots, newest first: those of this process before those from the file."""
        with self._lock:
            return self._merge_with_file()

    def add(self, root: str) -> None:
        """Move a root to the front."""
        with self._lock:
            if self._recent_roots[:1] == [root]:
                return
            self._recent_roots = [root, *(other for other in self._recent_roots if other != root)][:MAX_RECENT]
            self._unsaved = True
            if time.monotonic() - self._saved_at >= _WRITE_EVERY:
                self._save()

    def save(self) -> None:
        """Write the roots added since the last write."""
        with self._lock:
            if self._unsaved:
                self._save()

    def _merge_with_file(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self._recent_roots, *self._read())))[:MAX_RECENT]

    def _read(self) -> tuple[str, ...]:
        try:
            with self._path.open("rb") as stream:
                found = json.loads(stream.read(_MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            return ()
        roots = found.get("workspaces") if isinstance(found, dict) else None
        if not isinstance(roots, list):
            return ()
        return tuple(root for root in roots if isinstance(root, str) and os.path.isabs(root) and "\0" not in root)

    def _save(self) -> None:
        self._saved_at = time.monotonic()
        self._unsaved = False
        with suppress(OSError, ValueError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_file(self._path, json.dumps({"workspaces": self._merge_with_file()}).encode())


StoreFactory = Callable[[Path], Store]
REGISTERED_BY_SERVER = "server"
"""Recorded for a project that a server was started for."""
REGISTERED_BY_CALL = "call"
"""Recorded for a project that was registered because a call named it."""


def _do_nothing(_: Project) -> None:
    """Ignore the event."""


@contextmanager
def _map_os_errors() -> Iterator[None]:
    """Raise a Failure with a hint when the operating system denies access to the data directory."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        message = f"The stored data of this project cannot be used: {error.strerror or error}."
        raise Failure("DISK_FULL" if full else "INTERNAL", message, hint="Run 'codecompass doctor'.") from error


class ProjectRegistry:
    """Looks up a workspace by its real path and opens it on first use."""

    def __init__(
        self,
        data_dir: Path,
        options: EngineOptions,
        registry: Registry,
        stores: StoreFactory,
        watches: WatchFactory | None,
        embedder: QueryEmbedder | None = None,
    ) -> None:
        self.data_directory = data_dir
        self._directory = data_dir / "projects"
        self._options = options
        self._registry = registry
        self._stores = stores
        self._watches = watches
        self.semantics = embedder or QueryEmbedder()
        self._pool = ProjectPool(options.max_open_projects, options.memory_budget_mb * 2**20)
        default = options.default_workspace
        roots = (*options.allowed_roots, *options.workspaces, *((default,) if default else ()))
        self._allowed = AllowedRoots(roots) if options.allowed_roots else None
        self.recent = RecentWorkspaces(data_dir / "recent.json")
        self.children = ChildJobs()
        self.first_index: Callable[[Project], None] = _do_nothing
        """Called for a project that a call named, when the server registers workspaces automatically."""
        self.on_open: Callable[[Project], None] = _do_nothing
        """Called for a project that was just opened."""

    def lease(self) -> AbstractContextManager[None]:
        """Keep projects that are acquired inside the block open until its end."""
        return self._pool.lease()

    # -- lookup ----------------------------------------------------------------------------------------------------

    def register(self, path: str) -> Project:
        """Open a directory as a project; create its data directory if it has none."""
        return self._register(open_workspace(path))

    def open_for_query(self, path: str | None) -> Project:
        """Return the project that a query names."""
        project = self.get_or_register(path)
        if self._options.auto_index or (path is not None and self._options.auto_workspace):
            self.first_index(project)
        return project

    def register_served(self) -> tuple[Project, ...]:
        """Register every workspace the server was started for that is a separate project and allowed.

        Returns those that have no published index.
        """
        found = []
        for root in self.list_served():
            if not self._is_allowed(root) or not self.is_project(root):
                continue
            project = self._register(open_workspace(root))
            if project.store.records.get(REGISTERED_BY_KEY) is None:
                # Also for one that has an index: if that is removed, the server makes another.
                project.store.records.set(REGISTERED_BY_KEY, REGISTERED_BY_SERVER)
            if project.store.state().schema == "not_indexed":
                found.append(project)
        return tuple(found)

    def is_project(self, root: str) -> bool:
        """Whether a directory may be indexed without being named for it: one project, never a home directory."""
        return is_project_directory(Path(root), self._options.home)

    def get_or_register(self, path: str | None) -> Project:
        """Return the project of a workspace; register an unknown one if calls may do that."""
        workspace = self._resolve_workspace(path)
        if path is not None and self._options.auto_workspace and not self._is_registered(workspace):
            project = self._register(workspace)
            project.store.records.set(REGISTERED_BY_KEY, REGISTERED_BY_CALL)
        else:
            project = self._open_registered(path, workspace)
        if self._options.warmset_capacity > 0:
            self.recent.add(str(workspace.root))
        return project

    def register_to_index(self, path: str | None) -> Project:
        """Return the project of a workspace that a call asks to index; an unknown one is registered if it is allowed.

        Without allowed roots only the workspaces the server was started for are.
        """
        workspace = self._resolve_workspace(path)
        named = self._allowed is not None or str(workspace.root) in self.list_served()
        if named and not self._is_registered(workspace):
            self._register(workspace).store.records.set(REGISTERED_BY_KEY, REGISTERED_BY_CALL)
        return self.get_or_register(path)

    def get_registered(self, path: str | None) -> Project:
        """Return the project of a registered workspace; changes nothing."""
        return self._open_registered(path, self._resolve_workspace(path))

    def directory_of(self, path: str | None) -> Path:
        """Return the data directory of a workspace's project, existing or not; opens nothing."""
        return self._project_directory(self._resolve_workspace(path))

    def is_registered(self, root: str) -> bool:
        """Whether a root exists, is allowed and registered; opens no project."""
        try:
            return self._is_registered(self._resolve_workspace(root))
        except Failure:
            return False

    def _resolve_workspace(self, path: str | None) -> Workspace:
        if path is None:
            if self._options.default_workspace is None:
                raise Failure("PROJECT_NOT_FOUND", "No workspace was named and the server has no default workspace.")
            return open_workspace(self._options.default_workspace)
        if not os.path.isabs(path) or "\0" in path:
            raise Failure("INVALID_REQUEST", "A workspace is named by an absolute path.")
        # Check before accessing the directory: a caller that may not name it must not learn whether it exists.
        self._check_allowed(os.path.realpath(path))
        workspace = open_workspace(path)
        # A symbolic link may have changed between the two checks.
        self._check_allowed(str(workspace.root))
        return workspace

    def may_disclose(self, root: str) -> bool:
        """Whether the caller may learn of a root: the owner of the data directory of all, a client of allowed ones."""
        return self._options.personal or self._is_allowed(root)

    def _is_allowed(self, real: str) -> bool:
        return self._allowed is None or real in self._allowed

    def _check_allowed(self, real: str) -> None:
        if not self._is_allowed(real):
            raise Failure("FORBIDDEN", "This workspace is outside the allowed roots.")

    def _is_registered(self, workspace: Workspace) -> bool:
        with _map_os_errors():
            return (self._project_directory(workspace) / "records.db").exists()

    def _open_registered(self, path: str | None, workspace: Workspace) -> Project:
        if not self._is_registered(workspace):
            code: ErrorCode = "PROJECT_NOT_FOUND" if path is None else "WORKSPACE_NOT_REGISTERED"
            raise Failure(code, "This directory was never registered as a project.")
        return self._acquire(workspace)

    def _register(self, workspace: Workspace) -> Project:
        if is_within(workspace.root, self._directory):
            raise Failure("INVALID_REQUEST", "The data directory itself cannot be a project.")
        project = self._acquire(workspace)
        if project.store.records.get(ROOT_KEY) is None:
            project.store.records.set(ROOT_KEY, str(workspace.root))
        return project

    # -- opening ---------------------------------------------------------------------------------------------------

    def _project_directory(self, workspace: Workspace) -> Path:
        return self._directory / make_project_id(workspace.project_key)

    def _acquire(self, workspace: Workspace) -> Project:
        return self._pool.acquire(workspace, lambda: self._open_project(workspace))

    def _open_project(self, workspace: Workspace) -> Project:
        directory = self._project_directory(workspace)
        with _map_os_errors():
            for path in (self.data_directory, self._directory, directory):
                path.mkdir(parents=True, exist_ok=True, mode=0o700)
            require_own(directory, self.data_directory, "the data directory")
            store = self._stores(directory)
        watch = self._watches(workspace.root, workspace.git) if self._watches else None
        if watch is not None:
            watch.start()
        project = Project(
            workspace, store, self._registry, self._options, directory, watch, children=self.children,
            embedder=self.semantics, dictionaries=self.data_directory / "dictionaries",
        )  # fmt: skip
        self.on_open(project)
        return project

    def list_registered(self) -> tuple[str, ...]:
        """List the roots of the allowed projects in the data directory whose directory still exists."""
        known: list[str] = []
        for directory in sorted(self._directory.iterdir()) if self._directory.is_dir() else ():
            if (directory / "records.db").exists():
                store = self._stores(directory)
                try:
                    root = store.records.get(ROOT_KEY)
                except Failure:
                    root = None
                finally:
                    store.close()
                if root and self.is_registered(root):
                    known.append(root)
        served = [root for root in self.list_served() if self.is_registered(root)]
        return tuple(dict.fromkeys((*served, *known)))

    def list_directories(self) -> tuple[Path, ...]:
        """List the data directories of all projects, allowed or not."""
        found = sorted(self._directory.iterdir()) if self._directory.is_dir() else ()
        return tuple(directory for directory in found if (directory / "records.db").exists())

    def open_store(self, directory: Path) -> Store:
        """Open the store of a project without opening the project; the caller closes it."""
        return self._stores(directory)

    def find_directory(self, root: str) -> Path | None:
        """Return the data directory of a root's project; None if the root is not a directory."""
        try:
            return self._project_directory(open_workspace(root))
        except Failure:
            return None

    def list_open(self) -> tuple[Project, ...]:
        return self._pool.list_open()

    def list_served(self) -> tuple[str, ...]:
        """List the roots of the workspaces the server was started with, registered or not, and of all open projects."""
        default = self._options.default_workspace
        given = (*((default,) if default else ()), *self._options.workspaces)
        open_now = (str(project.workspace.root) for project in self.list_open())
        return tuple(dict.fromkeys((*map(os.path.realpath, given), *open_now)))

    def close(self) -> None:
        """Close the projects and stop the jobs started for them."""
        self.recent.save()
        self.children.stop()
        self._pool.close()
