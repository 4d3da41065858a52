"""The shelf: projects held open, as many as the limits allow.

A lease is the length of one call. A project that a lease took is not closed before the lease ends; the others go, the
least recently used first, when there are too many or the process has grown too large. Closing frees files, threads and
caches and deletes nothing, so that opening again is only a matter of time.
"""

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from threading import Lock, local
from typing import Any, TypeVar, cast

from codecompass.engine.workspace.project import Project
from codecompass.repo.process.process_memory import Gauge
from codecompass.repo.workspace import Workspace

CHECK_EVERY = 32
"""Leases between two looks at the memory: what a project keeps grows with the questions it is asked."""
Class = TypeVar("Class", bound=type)
Method = TypeVar("Method", bound=Callable[..., Any])


class _Held(local):
    """The leases of one thread, innermost last; each is the list of projects it took."""

    def __init__(self) -> None:
        self.leases: list[list[Project]] = []


class Shelf:
    """Thread-safe."""

    def __init__(self, limit: int, budget: int, gauge: Gauge | None = None) -> None:
        self._limit = max(limit, 1)
        self._budget = budget
        self._gauge = gauge or Gauge()
        self._open: OrderedDict[str, Project] = OrderedDict()
        self._replaced: list[Project] = []
        self._opening: dict[str, Lock] = {}
        self._lock = Lock()
        self._held = _Held()
        self._ended = 0

    @contextmanager
    def lease(self) -> Iterator[None]:
        """What this thread takes from now on stays open until the end of the block."""
        taken: list[Project] = []
        self._held.leases.append(taken)
        try:
            yield
        finally:
            self._held.leases.pop()
            self._release(taken)

    def take(self, workspace: Workspace, make: Callable[[], Project]) -> Project:
        """The project of a workspace, opened if it is not; counted as used by the current lease, if there is one."""
        key = workspace.worktree_key
        with self._lock:
            known = self._find(key, workspace)
            if known is not None:
                return known
            gate = self._opening.setdefault(key, Lock())
        # Opening takes time and must not hold up calls to other projects; two callers of the same one wait in turn.
        with gate:
            with self._lock:
                known = self._find(key, workspace)
                if known is not None:
                    return known
            project = make()
            with self._lock:
                before = self._open.pop(key, None)
                if before is not None:
                    self._replaced.append(before)
                self._open[key] = project
                self._opening.pop(key, None)
                self._hold(project)
        self._make_room()
        return project

    def _find(self, key: str, workspace: Workspace) -> Project | None:
        known = self._open.get(key)
        if known is None or known.workspace != workspace:
            return None
        self._open.move_to_end(key)
        self._hold(known)
        return known

    def _hold(self, project: Project) -> None:
        leases = self._held.leases
        if leases and not any(project is other for other in leases[-1]):
            leases[-1].append(project)
            project.uses += 1

    def _release(self, taken: list[Project]) -> None:
        with self._lock:
            for project in taken:
                project.uses -= 1
            self._ended += 1
            due = self._ended % CHECK_EVERY == 0 or len(self._open) > self._limit or bool(self._replaced)
        taken.clear()
        if due:
            self._make_room()

    def _make_room(self) -> None:
        """Close what is too much; what a call uses is passed over and looked at again when the call ends."""
        for project in self._excess():
            project.close()
        while (occupied := self._gauge.read()) is not None and occupied > self._budget:
            with self._lock:
                key = self._idle()
                oldest = self._open.pop(key) if key is not None else None
            if oldest is None:
                self._drop_caches()
                return
            oldest.close()
            del oldest
            self._gauge.give_back()

    def _drop_caches(self) -> None:
        """Free what can be computed again; the last resort where every open project is in use."""
        self._gauge.give_back()
        if (self._gauge.read() or 0) > self._budget:
            for project in self.projects():
                project.drop_caches()
            self._gauge.give_back()

    def _excess(self) -> list[Project]:
        with self._lock:
            found = [project for project in self._replaced if not project.uses]
            self._replaced = [project for project in self._replaced if project.uses]
            while len(self._open) > self._limit and (key := self._idle()) is not None:
                found.append(self._open.pop(key))
            return found

    def _idle(self) -> str | None:
        """The least recently used project that no call uses; the most recent one always stays."""
        return next((key for key in list(self._open)[:-1] if not self._open[key].uses), None)

    def projects(self) -> tuple[Project, ...]:
        with self._lock:
            return tuple(self._open.values())

    def close(self) -> None:
        """Close everything that no call uses; the rest when its call ends."""
        with self._lock:
            self._replaced += self._open.values()
            self._open.clear()
        for project in self._excess():
            project.close()


def leasing(cls: Class) -> Class:
    """Make every public method of a class one lease on its `_projects`, so that none can forget to take it."""
    for name, method in list(vars(cls).items()):
        if inspect.isfunction(method) and not name.startswith("_") and not hasattr(method, "borrows"):
            setattr(cls, name, _leased(method))
    return cls


def borrows(method: Method) -> Method:
    """Mark a method that is called inside another's lease: what it takes must outlive it."""
    method.borrows = True  # type: ignore[attr-defined]
    return method


def lent(lease: Callable[[], AbstractContextManager[None]], method: Method) -> Method:
    """A method of a part of the façade as one lease: what the part borrows stays open until it has answered."""

    @wraps(method)
    def call(*arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - as the method has it
        with lease():
            return method(*arguments, **keywords)

    return cast(Method, call)


def _leased(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - any method of any class
        with self._projects.lease():
            return method(self, *arguments, **keywords)

    return call
