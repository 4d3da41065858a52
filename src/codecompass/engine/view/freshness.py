"""Freshness: check whether a view still matches the files on disk and the checked-out commit.

The bytes decide: a touched file is fresh, and a reverted edit is fresh again. They are read only if size or times
changed, or if the times are too recent to prove anything.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Lock

from blake3 import blake3

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import NOT_INDEXED, select_indexed_bytes
from codecompass.repo.files.path_guard import read_regular
from codecompass.repo.files.tree_monitor import FileStamp, TreeMonitor, TreeWatch, is_racy
from codecompass.repo.git.repository import GitDir, HeadState, read_head
from codecompass.repo.workspace import Workspace
from codecompass.store.ports import ViewEntry
from codecompass.system.file_leases import may_be_written
from codecompass.text.sniff import is_binary

__all__ = ["FreshnessProbe", "TreeWatch", "WatchFactory"]

_MAX_RECHECKED = 64

WatchFactory = Callable[[Path, GitDir | None], TreeWatch]


@dataclass
class FreshnessProbe:
    """Checks the freshness of the live view of one workspace."""

    workspace: Workspace
    max_bytes: int
    watch: TreeWatch | None
    _lock: Lock = field(default_factory=Lock)
    _compared_state: tuple[int, int] = (-1, -1)
    """Generation and scan time of the view that was compared last."""
    _dirty: set[str] = field(default_factory=set)
    _verified: dict[str, tuple[FileStamp, int]] = field(default_factory=dict)
    """Files whose bytes were read and equal the blob's, although their times prove nothing."""
    _suspects: set[str] = field(default_factory=set)
    """Files that changed while a process had them open for writing and still has; their bytes are read each time."""

    def __post_init__(self) -> None:
        self._monitor = TreeMonitor(self.workspace.root, self.workspace.git, self.watch)

    def is_fresh(self, view: PinnedView, shown: tuple[str, ...] = (), now: HeadState | None = None) -> bool:
        """Whether every file on disk equals the view's, and the view's commit is still checked out.

        The files that an answer shows are checked directly, whatever the watch reports.
        """
        git = self.workspace.git
        if git is not None:
            now = now or read_head(git)
            if (now.branch or "", now.commit or "") != (view.row.head, view.row.commit):
                return False
        with self._lock:
            return not self._compare(view) and not any(self._has_moved(view, path) for path in shown)

    def find_changes(self, view: PinnedView) -> tuple[frozenset[str], frozenset[str]]:
        """Return the paths that differ from the view (changed, new or gone), and those of them that are listed now.

        A file that became ignored is gone, although it can still be read.
        """
        with self._lock:
            moved = frozenset(self._compare(view))
            return moved, moved & self._monitor.files.keys()

    def get_size(self, path: str) -> int:
        """Return the size of a file at the last comparison; 0 if it was not listed then."""
        stamp = self._monitor.files.get(path)
        return stamp[0] if stamp is not None else 0

    def is_listed(self, view: PinnedView, path: str) -> bool:
        """Whether the working tree now lists a path: it is not a link and not ignored."""
        with self._lock:
            self._compare(view)
            return path in self._monitor.files

    def _compare(self, view: PinnedView) -> set[str]:
        """Return the paths that differ between the disk and the view."""
        moved = self._monitor.refresh()
        files, entries = self._monitor.files, view.entries
        state = (view.row.generation, view.row.scanned_ns)
        if moved is None or state != self._compared_state:
            moved = self._find_uncertain(view).union(moved or ())
            self._dirty = set(files.keys() ^ entries.keys())
            self._verified = {path: known for path, known in self._verified.items() if path in entries}
            self._compared_state = state
        suspects = self._suspects.union(self._monitor.mapped).intersection(files)
        for path in moved.union(self._find_unreported(), suspects):
            entry = entries.get(path)
            if entry is not None and path in files and self._is_same(view, path, files[path], entry):
                self._dirty.discard(path)
            else:
                self._dirty.add(path)
        for path in moved.union(suspects):
            # A process that has it open may change it again, through a mapping even without any event.
            if path in files and may_be_written(self._absolute_path(path)):
                self._suspects.add(path)
            else:
                self._suspects.discard(path)
        return self._dirty

    def _absolute_path(self, path: str) -> str:
        return f"{self.workspace.root}/{path}"

    def _find_unreported(self) -> list[str]:
        """Return dirty files that changed without an event, for example through another hard link."""
        return [path for path in islice(self._dirty, _MAX_RECHECKED) if self._monitor.refresh_file(path)]

    def _find_uncertain(self, view: PinnedView) -> set[str]:
        """Return files on disk and in the view whose times do not prove that they are equal."""
        entries, scanned_ns = view.entries, view.row.scanned_ns
        doubtful = set()
        for path, stamp in self._monitor.files.items():
            entry = entries.get(path)
            if entry is not None and (entry[1:] != stamp or is_racy(stamp, scanned_ns)):
                if self._verified.get(path) != (stamp, entry.blob):
                    doubtful.add(path)
        return doubtful

    def _is_same(self, view: PinnedView, path: str, stamp: FileStamp, entry: ViewEntry) -> bool:
        began = time.time_ns()
        if self._differs(view, path, entry):
            self._verified.pop(path, None)
            return False
        if not is_racy(stamp, began):
            self._verified[path] = (stamp, entry.blob)
        return True

    def _has_moved(self, view: PinnedView, path: str) -> bool:
        """Whether a file changed; reads its bytes if the stat proves nothing: it changed, has hard links or is open."""
        stamp, entry = self._monitor.read_stamp(path), view.entries.get(path)
        if stamp is None or entry is None:
            return True
        proved = stamp == self._monitor.files.get(path) and path not in self._monitor.linked
        return not (proved and not may_be_written(self._absolute_path(path))) and self._differs(view, path, entry)

    def _differs(self, view: PinnedView, path: str, entry: ViewEntry) -> bool:
        found = read_regular(self.workspace.root, path, self.max_bytes)
        if found.data is None:
            # A file that was unreadable when it was indexed and still is counts as unchanged.
            return entry.blob != NOT_INDEXED or found.reason != "unreadable"
        if entry.blob == NOT_INDEXED:
            return found.size != entry.size or not is_binary(found.data)
        data = select_indexed_bytes(found.data, truncated=found.reason == "truncated")
        return blake3(data).digest() != view.snapshot.identity(entry.blob)[0]
