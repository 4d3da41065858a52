"""Project pool: open projects, up to a limit of number and memory.

A lease lasts for one call. A project is not closed while a lease uses it; other projects are closed, least recently
used first, when there are too many or the process uses too much memory. Closing frees files, threads and caches and
deletes nothing, so that a closed project can be opened again.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, local

from codecompass.engine.workspace.project import Project
from codecompass.repo.process.process_memory import MemoryGauge
from codecompass.repo.workspace import Workspace

MEMORY_CHECK_INTERVAL = 8
"""Leases between two checks of the memory: the caches of a project grow with its queries."""
_RESERVED_SHARE = 8
"""One part in eight of the budget is kept for the calls that run between two checks."""
_GROWTH_SHARE = 16
"""Caches that could not be dropped below the threshold are dropped again after growth by one part in 16 of it."""


class _ThreadLeases(local):
    """The leases of one thread, innermost last; each is the list of projects it acquired."""

    def __init__(self) -> None:
        self.leases: list[list[Project]] = []


class ProjectPool:
    """Pool of open projects. Thread-safe."""

    def __init__(self, limit: int, budget: int, gauge: MemoryGauge | None = None) -> None:
        self._limit = max(limit, 1)
        self._threshold = budget - budget // _RESERVED_SHARE
        self._gauge = gauge or MemoryGauge()
        self._open: OrderedDict[str, Project] = OrderedDict()
        self._replaced: list[Project] = []
        self._opening_locks: dict[str, Lock] = {}
        self._lock = Lock()
        self._thread_leases = _ThreadLeases()
        self._ended_leases = 0
        self._next_drop = 0

    @contextmanager
    def lease(self) -> Iterator[None]:
        """Hold every project that this thread acquires until the end of the block."""
        acquired: list[Project] = []
        self._thread_leases.leases.append(acquired)
        try:
            yield
        finally:
            self._thread_leases.leases.pop()
            self._release(acquired)

    def acquire(self, workspace: Workspace, open_project: Callable[[], Project]) -> Project:
        """Return the project of a workspace, opening it if needed; the current lease, if any, holds it."""
        key = workspace.worktree_key
        with self._lock:
            known = self._find(key, workspace)
            if known is not None:
                return known
            opening_lock = self._opening_locks.setdefault(key, Lock())
        # Opening takes time and must not block calls to other projects; two callers of the same one wait in turn.
        with opening_lock:
            with self._lock:
                known = self._find(key, workspace)
                if known is not None:
                    return known
            project = open_project()
            with self._lock:
                before = self._open.pop(key, None)
                if before is not None:
                    self._replaced.append(before)
                self._open[key] = project
                self._opening_locks.pop(key, None)
                self._add_to_lease(project)
        self._evict()
        return project

    def _find(self, key: str, workspace: Workspace) -> Project | None:
        known = self._open.get(key)
        if known is None or known.workspace != workspace:
            return None
        self._open.move_to_end(key)
        self._add_to_lease(known)
        return known

    def _add_to_lease(self, project: Project) -> None:
        leases = self._thread_leases.leases
        if leases and not any(project is other for other in leases[-1]):
            leases[-1].append(project)
            project.lease_count += 1

    def _release(self, acquired: list[Project]) -> None:
        with self._lock:
            for project in acquired:
                project.lease_count -= 1
            self._ended_leases += 1
            due = (
                self._ended_leases % MEMORY_CHECK_INTERVAL == 0 or len(self._open) > self._limit or bool(self._replaced)
            )
        acquired.clear()
        if due:
            self._evict()

    def _evict(self) -> None:
        """Close idle projects beyond the limits; a leased project is checked again when its lease ends."""
        for project in self._pop_excess():
            project.close()
        while (occupied := self._gauge.read()) is not None and occupied > self._threshold:
            with self._lock:
                key = self._find_idle()
                oldest = self._open.pop(key) if key is not None else None
            if oldest is None:
                if occupied > self._next_drop:
                    self._drop_caches()
                return
            oldest.close()
            del oldest
            self._gauge.release()
        self._next_drop = 0

    def _drop_caches(self) -> None:
        """Drop the caches of all projects; the last resort when every open project is leased.

        A full collection takes time. If the rest of the process needs more than the threshold, the next one waits
        until the memory has grown, instead of delaying every call for nothing.
        """
        self._gauge.release()
        if (self._gauge.read() or 0) > self._threshold:
            for project in self.list_open():
                project.drop_caches()
            self._gauge.release()
        remaining = self._gauge.read() or 0
        self._next_drop = remaining + self._threshold // _GROWTH_SHARE if remaining > self._threshold else 0

    def _pop_excess(self) -> list[Project]:
        with self._lock:
            found = [project for project in self._replaced if not project.lease_count]
            self._replaced = [project for project in self._replaced if project.lease_count]
            while len(self._open) > self._limit and (key := self._find_idle()) is not None:
                found.append(self._open.pop(key))
            return found

    def _find_idle(self) -> str | None:
        """Return the least recently used project without a lease; the most recent one always stays."""
        return next((key for key in list(self._open)[:-1] if not self._open[key].lease_count), None)

    def list_open(self) -> tuple[Project, ...]:
        with self._lock:
            return tuple(self._open.values())

    def close(self) -> None:
        """Close every project without a lease; the rest when their leases end."""
        with self._lock:
            self._replaced += self._open.values()
            self._open.clear()
        for project in self._pop_excess():
            project.close()
