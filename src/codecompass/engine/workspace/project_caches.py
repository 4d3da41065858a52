"""Project caches: values that other packages derive from a view or a project, each built once.

The class of a value is its key, so that a project need not know which packages cache values here.
"""

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

from codecompass.engine.view.pinned_view import PinnedView

Value = TypeVar("Value")


class ProjectCaches:
    """Thread-safe. Two threads that need a value at the same time may both build it; one result is stored."""

    def __init__(self) -> None:
        self._view_values: dict[tuple[type, int], tuple[Hashable, Any]] = {}
        self._project_values: dict[type, Any] = {}
        self._permanent_values: dict[type, Any] = {}
        self._lock = Lock()

    def get_for_view(self, kind: type[Value], view: PinnedView, build: Callable[[], Value]) -> Value:
        """Return the value of a published view; the value of an earlier generation is dropped."""
        row = view.row
        key, version = (kind, row.id), (row.generation, row.scanned_ns, view.snapshot.store_id)
        with self._lock:
            known = self._view_values.get(key)
        if known is not None and known[0] == version:
            return known[1]  # type: ignore[no-any-return]
        value = build()
        with self._lock:
            self._view_values[key] = (version, value)
        return value

    def get_for_project(self, kind: type[Value], build: Callable[[], Value]) -> Value:
        """Return a value of the whole project that can be rebuilt at any time."""
        with self._lock:
            if kind not in self._project_values:
                self._project_values[kind] = build()
            return self._project_values[kind]  # type: ignore[no-any-return]

    def get_permanent(self, kind: type[Value], build: Callable[[], Value]) -> Value:
        """Return a value that lives as long as the project: `clear` does not drop it."""
        with self._lock:
            if kind not in self._permanent_values:
                self._permanent_values[kind] = build()
            return self._permanent_values[kind]  # type: ignore[no-any-return]

    def clear(self) -> None:
        """Drop everything that can be rebuilt."""
        with self._lock:
            self._view_values.clear()
            self._project_values.clear()
