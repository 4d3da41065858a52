"""Recent projects: the workspaces used last, newest first, in one small file of the data directory.

The file only suggests what to load first: if it is damaged or cannot be written, the list is empty or outdated, and
no error is reported.
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock

from codecompass.atomic import write_file

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
