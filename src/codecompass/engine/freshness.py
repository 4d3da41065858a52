"""Freshness: whether a view still says what is on disk, or what its ref names now.

The bytes decide: a touched file is fresh, a reverted edit is fresh again. A watch spares the looking while nothing
moves; without one every question looks.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Protocol

from blake3 import blake3

from codecompass.engine.index.source import indexed_bytes
from codecompass.engine.index.sync import NOT_INDEXED
from codecompass.engine.view import PinnedView
from codecompass.repo.gitdir import GitDir, head
from codecompass.repo.guard import read_regular
from codecompass.repo.walk import walk
from codecompass.repo.workspace import Workspace
from codecompass.text.sniff import is_binary


class Watch(Protocol):
    """Events from the file system, as a hint that spares looking; `repo/watch.py` has one."""

    @property
    def active(self) -> bool: ...

    @property
    def version(self) -> int: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def drain(self) -> set[str] | None: ...


WatchFactory = Callable[[Path, GitDir | None], Watch]


@dataclass
class _Verdict:
    """What the last look found, and what it was about."""

    generation: int = -1
    version: int = -1
    dirty: set[str] = field(default_factory=set)


@dataclass
class FreshnessProbe:
    """Answers for the live view of one workspace."""

    workspace: Workspace
    max_bytes: int
    watch: Watch | None
    _verdict: _Verdict = field(default_factory=_Verdict)
    _lock: Lock = field(default_factory=Lock)

    def is_fresh(self, view: PinnedView) -> bool:
        """True when every file on disk is as the view has it, and no other commit is checked out."""
        git = self.workspace.git
        if git is not None:
            now = head(git)
            if (now.branch or "", now.commit or "") != (view.row.head, view.row.commit):
                return False
        with self._lock:
            return not self._look(view)

    def _look(self, view: PinnedView) -> set[str]:
        watch, verdict = self.watch, self._verdict
        version = watch.version if watch else -1
        if watch is not None and watch.active and verdict.generation == view.row.generation:
            if verdict.version == version:
                return verdict.dirty
            changed = watch.drain()
            if changed is not None and all(path in view.entries for path in changed):
                dirty = {path for path in verdict.dirty | changed if self._differs(view, path)}
                self._verdict = _Verdict(view.row.generation, version, dirty)
                return dirty
        if watch is not None:
            watch.drain()
        self._verdict = _Verdict(view.row.generation, version, self._compare_all(view))
        return self._verdict.dirty

    def _compare_all(self, view: PinnedView) -> set[str]:
        """List the tree as indexing would and compare; bytes are read only where size or times moved."""
        listing = walk(self.workspace.root, self.workspace.git)
        entries = view.entries
        seen = set()
        dirty = set()
        for item in listing.files:
            seen.add(item.path)
            entry = entries.get(item.path)
            if entry is None:
                dirty.add(item.path)
            elif entry[1:] != (item.size, item.mtime_ns, item.ctime_ns) and self._differs(view, item.path):
                dirty.add(item.path)
        return dirty | (entries.keys() - seen)

    def _differs(self, view: PinnedView, path: str) -> bool:
        entry = view.entries.get(path)
        found = read_regular(self.workspace.root, path, self.max_bytes)
        if entry is None or found.data is None:
            return entry is not None or found.data is not None
        if entry.blob == NOT_INDEXED:
            return found.size != entry.size or not is_binary(found.data)
        data = indexed_bytes(found.data, truncated=found.reason == "truncated")
        return blake3(data).digest() != view.snapshot.identity(entry.blob)[0]


def stat_differs(root: Path, view: PinnedView, path: str) -> bool:
    """Whether a file moved since it was indexed, by one stat: the last look at the files an answer shows."""
    entry = view.entries.get(path)
    try:
        now = os.stat(root / path, follow_symlinks=False)
    except OSError:
        return True
    return entry is None or (now.st_size, now.st_mtime_ns) != (entry.size, entry.mtime_ns)
