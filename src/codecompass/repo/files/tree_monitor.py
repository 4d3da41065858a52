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

from codecompass.repo.files.open_mappings import mapped_files
from codecompass.repo.files.tree_walk import RULE_NAMES, TELLING_NAMES, Enter, Listing, walk
from codecompass.repo.git.repository import GitDir

GRAIN_NS = 20_000_000
"""File times advance in steps; two changes within one step are indistinguishable. No kernel has a longer step."""
PATROL_S = 2.0
"""Seconds between full checks beside an exact watch. Writes through a mapping, through a second hard link outside the
tree, and below a file system mounted over a watched directory cause no events."""
SMALL = 1_500
"""Trees with at most this many files and directories are checked completely by every refresh."""
_BY_NAME = frozenset({"secret", "binary_name"})

Stamp = tuple[int, int, int]
"""Size, mtime and ctime in nanoseconds."""
_Sign = tuple[int, int, int, int, int] | None


class Watch(Protocol):
    """Source of changes below a root; `repo/files/file_watch.py` and `inotify.py` implement it."""

    @property
    def active(self) -> bool: ...

    @property
    def exact(self) -> bool: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def tell(self, listener: Callable[[], None] | None) -> None: ...

    def take(self) -> set[str] | None: ...

    def arming(self) -> AbstractContextManager[Enter]: ...


def is_young(stamp: Stamp, seen_ns: int) -> bool:
    """Whether a file changed so shortly before it was read that a later change may have the same times."""
    return stamp[1] > seen_ns - GRAIN_NS or stamp[2] > seen_ns - GRAIN_NS


class Sight:
    """The files of one tree and their stamps. Not thread-safe: the owner must lock."""

    def __init__(self, root: Path, git: GitDir | None, watch: Watch | None) -> None:
        self._root = root
        self._base = os.fspath(root).rstrip("/") + "/"
        self._git = git
        self._watch = watch
        self.files: dict[str, Stamp] = {}
        self.linked: set[str] = set()
        """Files with several hard links: a write through another link, maybe outside the tree, causes no event."""
        self.mapped: frozenset[str] = frozenset()
        """Files that some process has mapped for writing, as of the last background check."""
        self._directories: frozenset[str] = frozenset()
        self._unlisted: frozenset[str] = frozenset()
        self._signs: dict[str, _Sign] = {}
        self._outer: dict[str, _Sign] = {}
        self._identity = (0, 0)
        self._is_listed = False
        self._outer_young = self._signs_young = False
        self._young: set[str] = set()
        self._patrolled = 0.0
        self._doubt = threading.Event()
        self._patrol: threading.Thread | None = None

    def renew(self) -> set[str] | None:
        """Update `files`; return paths whose content may have changed since the last call, None for any of them."""
        if not self._is_listed or self._doubt.is_set() or self._has_outer_moved():
            return self._relist()
        if self._watch is None or not self._watch.exact:
            return self._glance()
        changed = self._watch.take()
        if changed is None:
            return self._relist()
        moved = self._apply(changed)
        if moved is None:
            return self._relist()
        if time.monotonic() - self._patrolled > PATROL_S:
            self._look_around()
        if len(self.files) + len(self._signs) <= SMALL:
            found = self._glance()
            return None if found is None else found | moved
        return moved.union(path for path in tuple(self.linked) if self.has_moved(path))

    def stamp(self, path: str) -> Stamp | None:
        """Read the current stamp of a file."""
        try:
            now = os.lstat(self._base + path)
        except (OSError, ValueError):
            return None
        return (now.st_size, now.st_mtime_ns, now.st_ctime_ns) if stat.S_ISREG(now.st_mode) else None

    def has_moved(self, path: str) -> bool:
        """Update the stamp of one file; return whether it changed."""
        now = self.stamp(path)
        if now == self.files.get(path):
            return False
        if now is not None and path in self.files:
            self.files[path] = now
        return True

    # -- looking at everything -------------------------------------------------------------------------------------

    def _relist(self) -> set[str] | None:
        began = time.time_ns()
        self._doubt.clear()
        self._identity = _identity(self._base)
        if self._watch is None:
            listing = walk(self._root, self._git)
        else:
            with self._watch.arming() as enter:
                listing = walk(self._root, self._git, enter=enter)
        self._remember(listing)
        # Signatures are read after the walk: what changed since the walk began is racy and is checked again.
        self._signs_young = _any_young(self._signs.values(), began)
        self._outer_young = _any_young(self._outer.values(), began)
        self._young = {path for path, stamp in self.files.items() if is_young(stamp, began)}
        if not self._is_listed:
            self.mapped = mapped_files(self._base)
        self._is_listed = True
        return None

    def _remember(self, listing: Listing) -> None:
        self.files = {item.path: (item.size, item.mtime_ns, item.ctime_ns) for item in listing.files}
        self.linked = {item.path for item in listing.files if item.links > 1}
        self._directories = frozenset(listing.directories)
        named = (item.path for item in listing.skipped if item.reason in _BY_NAME)
        self._unlisted = listing.left_out.union(named)
        inner = [path for path in listing.rules if path.rpartition("/")[2] in RULE_NAMES]
        self._signs = {path: _sign(path) for path in (*(self._base + item for item in listing.directories), *inner)}
        self._outer = {path: _sign(path) for path in set(listing.rules).difference(inner)}

    def _has_outer_moved(self) -> bool:
        """Whether git's exclude file or index changed, or the root is no longer the directory that was listed."""
        if self._outer_young or _identity(self._base) != self._identity:
            return True
        return any(_sign(path) != known for path, known in self._outer.items())

    # -- without a watch -------------------------------------------------------------------------------------------

    def _glance(self) -> set[str] | None:
        began = time.time_ns()
        if self._signs_young or any(_sign(path) != known for path, known in self._signs.items()):
            return self._relist()
        moved = self._moved_files()
        if moved is None:
            return self._relist()
        self.files.update(moved)
        found = self._young.union(moved)
        self._young = {path for path in found if is_young(self.files[path], began)}
        return found

    def _moved_files(self) -> dict[str, Stamp] | None:
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

    def _apply(self, changed: Iterable[str]) -> set[str] | None:
        """Update the stamps of changed paths; None when one of them may change the listing."""
        moved = set()
        for path in changed:
            if path.rpartition("/")[2] in TELLING_NAMES:
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

    def _look_around(self) -> None:
        """Start a full check in a background thread; the next refresh uses its result."""
        self._patrolled = time.monotonic()
        if self._patrol is None or not self._patrol.is_alive():
            self._patrol = threading.Thread(target=self._go_round, name="look", daemon=True)
            self._patrol.start()

    def _go_round(self) -> None:
        # Reads tables that are replaced or updated in place, never grown; a concurrent change only causes a listing.
        self.mapped = mapped_files(self._base)
        if len(self.files) + len(self._signs) <= SMALL:
            return
        if any(_sign(path) != known for path, known in self._signs.items()) or self._moved_files() != {}:
            self._doubt.set()


def _sign(path: str) -> _Sign:
    try:
        now = os.lstat(path)
    except OSError:
        return None
    return (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)


def _identity(path: str) -> tuple[int, int]:
    try:
        now = os.stat(path)
    except OSError:
        return (0, 0)
    return (now.st_dev, now.st_ino)


def _any_young(signs: Iterable[_Sign], seen_ns: int) -> bool:
    return any(sign is not None and is_young(sign[2:], seen_ns) for sign in signs)
