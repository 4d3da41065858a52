"""Tree monitor: the current list of files of a working tree, updated incrementally.

With an exact watch a refresh costs a few system calls, plus a stat of every file in a small tree. Without one it costs
a stat of every known file and directory, and a new walk only when a directory or an ignore file changed.
"""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from codecompass.repo.files.open_mappings import find_mapped_files
from codecompass.repo.files.tree_walk import LISTING_RULE_NAMES, RULE_NAMES, DirectoryCallback, TreeListing, walk_tree
from codecompass.repo.git.repository import GitDir

TIMESTAMP_GRANULARITY_NS = 20_000_000
"""File times advance in steps; two changes within one step are indistinguishable. No kernel has a longer step."""
FULL_CHECK_INTERVAL_S = 2.0
"""Seconds between full checks beside an exact watch. Writes through a mapping, through a second hard link outside the
tree, and below a file system mounted over a watched directory cause no events."""
SMALL_TREE_FILES = 1_500
"""Trees with at most this many files and directories are checked completely by every refresh."""
_NAME_REASONS = frozenset({"secret", "binary_name"})

FileStamp = tuple[int, int, int]
"""Size, mtime and ctime in nanoseconds."""
_StatSignature = tuple[int, int, int, int, int] | None


class TreeWatch(Protocol):
    """Source of changes below a root; `repo/files/file_watch.py` and `inotify.py` implement it."""

    @property
    def active(self) -> bool: ...

    @property
    def exact(self) -> bool: ...

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def set_listener(self, listener: Callable[[], None] | None) -> None: ...

    def take_changes(self) -> set[str] | None: ...

    def rearm(self) -> AbstractContextManager[DirectoryCallback]: ...


def is_racy(stamp: FileStamp, seen_ns: int) -> bool:
    """Whether a file changed so shortly before it was read that a later change may have the same times."""
    return stamp[1] > seen_ns - TIMESTAMP_GRANULARITY_NS or stamp[2] > seen_ns - TIMESTAMP_GRANULARITY_NS


class TreeMonitor:
    """The files of one tree and their stamps. Not thread-safe: the owner must lock."""

    def __init__(self, root: Path, git: GitDir | None, watch: TreeWatch | None) -> None:
        self._root = root
        self._base = os.fspath(root).rstrip("/") + "/"
        self._git = git
        self._watch = watch
        self.files: dict[str, FileStamp] = {}
        self.linked: set[str] = set()
        """Files with several hard links: a write through another link, maybe outside the tree, causes no event."""
        self.mapped: frozenset[str] = frozenset()
        """Files that some process has mapped for writing, as of the last background check."""
        self._directories: frozenset[str] = frozenset()
        self._unlisted: frozenset[str] = frozenset()
        self._signatures: dict[str, _StatSignature] = {}
        self._outer_signatures: dict[str, _StatSignature] = {}
        self._identity = (0, 0)
        self._is_listed = False
        self._has_racy_outer_signatures = self._has_racy_signatures = False
        self._racy_files: set[str] = set()
        self._checked_at = 0.0
        self._recheck_needed = threading.Event()
        self._check_thread: threading.Thread | None = None

    def refresh(self) -> set[str] | None:
        """Update `files`; return paths whose content may have changed since the last call, None for any of them."""
        if not self._is_listed or self._recheck_needed.is_set() or self._has_rule_file_changed():
            return self._list_again()
        if self._watch is None or not self._watch.exact:
            return self._stat_all()
        changed = self._watch.take_changes()
        if changed is None:
            return self._list_again()
        moved = self._apply_changes(changed)
        if moved is None:
            return self._list_again()
        if time.monotonic() - self._checked_at > FULL_CHECK_INTERVAL_S:
            self._start_background_check()
        if len(self.files) + len(self._signatures) <= SMALL_TREE_FILES:
            found = self._stat_all()
            return None if found is None else found | moved
        return moved.union(path for path in tuple(self.linked) if self.refresh_file(path))

    def read_stamp(self, path: str) -> FileStamp | None:
        """Read the current stamp of a file."""
        try:
            now = os.lstat(self._base + path)
        except (OSError, ValueError):
            return None
        return (now.st_size, now.st_mtime_ns, now.st_ctime_ns) if stat.S_ISREG(now.st_mode) else None

    def refresh_file(self, path: str) -> bool:
        """Update the stamp of one file; return whether it changed."""
        now = self.read_stamp(path)
        if now == self.files.get(path):
            return False
        if now is not None and path in self.files:
            self.files[path] = now
        return True

    # -- looking at everything -------------------------------------------------------------------------------------

    def _list_again(self) -> set[str] | None:
        began = time.time_ns()
        self._recheck_needed.clear()
        self._identity = _read_identity(self._base)
        if self._watch is None:
            listing = walk_tree(self._root, self._git)
        else:
            with self._watch.rearm() as enter:
                listing = walk_tree(self._root, self._git, on_directory=enter)
        self._store_listing(listing)
        # Signatures are read after the walk: what changed since the walk began is racy and is checked again.
        self._has_racy_signatures = _has_racy(self._signatures.values(), began)
        self._has_racy_outer_signatures = _has_racy(self._outer_signatures.values(), began)
        self._racy_files = {path for path, stamp in self.files.items() if is_racy(stamp, began)}
        if not self._is_listed:
            self.mapped = find_mapped_files(self._base)
        self._is_listed = True
        return None

    def _store_listing(self, listing: TreeListing) -> None:
        self.files = {item.path: (item.size, item.mtime_ns, item.ctime_ns) for item in listing.files}
        self.linked = {item.path for item in listing.files if item.links > 1}
        self._directories = frozenset(listing.directories)
        named = (item.path for item in listing.skipped if item.reason in _NAME_REASONS)
        self._unlisted = listing.left_out.union(named)
        inner = [path for path in listing.rules if path.rpartition("/")[2] in RULE_NAMES]
        self._signatures = {
            path: _read_signature(path) for path in (*(self._base + item for item in listing.directories), *inner)
        }
        self._outer_signatures = {path: _read_signature(path) for path in set(listing.rules).difference(inner)}

    def _has_rule_file_changed(self) -> bool:
        """Whether git's exclude file or index changed, or the root is no longer the directory that was listed."""
        if self._has_racy_outer_signatures or _read_identity(self._base) != self._identity:
            return True
        return any(_read_signature(path) != known for path, known in self._outer_signatures.items())

    # -- without a watch -------------------------------------------------------------------------------------------

    def _stat_all(self) -> set[str] | None:
        began = time.time_ns()
        if self._has_racy_signatures or any(_read_signature(path) != known for path, known in self._signatures.items()):
            return self._list_again()
        moved = self._find_changed_files()
        if moved is None:
            return self._list_again()
        self.files.update(moved)
        found = self._racy_files.union(moved)
        self._racy_files = {path for path in found if is_racy(self.files[path], began)}
        return found

    def _find_changed_files(self) -> dict[str, FileStamp] | None:
        """Return files whose stamp changed; None when one is no longer a regular file."""
        base, look, regular = self._base, os.lstat, stat.S_ISREG
        moved = {}
        try:
            for path, known in self.files.items():
                now = look(base + path)
                stamp = (now.st_size, now.st_mtime_ns, now.st_ctime_ns)
                if stamp != known:
                    if not regular(now.st_mode):
                        return None
                    moved[path] = stamp
        except OSError:
            return None
        return moved

    # -- with an exact watch ---------------------------------------------------------------------------------------

    def _apply_changes(self, changed: Iterable[str]) -> set[str] | None:
        """Update the stamps of changed paths; None when one of them may change the listing."""
        moved = set()
        for path in changed:
            if path.rpartition("/")[2] in LISTING_RULE_NAMES:
                return None
            try:
                now = os.lstat(self._base + path)
            except (FileNotFoundError, NotADirectoryError):
                if path in self.files or path in self._directories:
                    return None
                continue  # created and removed again, like the temporary file of a save
            except OSError:
                return None
            if path in self.files and stat.S_ISREG(now.st_mode):
                self.files[path] = (now.st_size, now.st_mtime_ns, now.st_ctime_ns)
                moved.add(path)
                if now.st_nlink > 1:
                    self.linked.add(path)
            elif path in self.files or (path + "/" if stat.S_ISDIR(now.st_mode) else path) not in self._unlisted:
                return None
        return moved

    def _start_background_check(self) -> None:
        """Start a full check in a background thread; the next refresh uses its result."""
        self._checked_at = time.monotonic()
        if self._check_thread is None or not self._check_thread.is_alive():
            self._check_thread = threading.Thread(target=self._check_in_background, name="look", daemon=True)
            self._check_thread.start()

    def _check_in_background(self) -> None:
        # Reads tables that are replaced or updated in place, never grown; a concurrent change only causes a listing.
        self.mapped = find_mapped_files(self._base)
        if len(self.files) + len(self._signatures) <= SMALL_TREE_FILES:
            return
        if (
            any(_read_signature(path) != known for path, known in self._signatures.items())
            or self._find_changed_files() != {}
        ):
            self._recheck_needed.set()


def _read_signature(path: str) -> _StatSignature:
    try:
        now = os.lstat(path)
    except OSError:
        return None
    return (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)


def _read_identity(path: str) -> tuple[int, int]:
    try:
        now = os.stat(path)
    except OSError:
        return (0, 0)
    return (now.st_dev, now.st_ino)


def _has_racy(signs: Iterable[_StatSignature], seen_ns: int) -> bool:
    return any(sign is not None and is_racy(sign[2:], seen_ns) for sign in signs)
