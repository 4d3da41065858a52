"""File events as two counters and a set: cheap to ask on every call whether anything may have changed.

Events are a hint that spares work, never the proof of freshness: a watch can be refused (too many directories), and it
says so with `active`.
"""

import os
import threading
from pathlib import Path

from watchfiles import Change, watch
from watchfiles._rust_notify import WatchfilesRustInternalError

from codecompass.repo.gitdir import GitDir

_MAX_CHANGED = 10_000
_DEBOUNCE_MS = 100
_STEP_MS = 20
"""How often the watcher looks at what has gathered: a shorter step notices sooner and costs more while idle."""
_POLL_MS = 120
_ATTEMPTS = 20
_START_SECONDS = 10.0


class FileWatch:
    """A thread that listens below a root; a batch of changes is seen a few tens of milliseconds after it is made."""

    def __init__(self, root: Path, git: GitDir | None = None, *, max_changed: int = _MAX_CHANGED) -> None:
        self._root = os.path.realpath(root)
        self._max_changed = max_changed
        places = {os.path.realpath(git.git_dir), os.path.realpath(git.common_dir)} if git else set()
        # The innermost first: a linked worktree's directory lies inside the common one.
        self._git_places = tuple(sorted(places, key=len, reverse=True))
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._version = 0
        self._git_version = 0
        self._changed: set[str] | None = set()
        self._active = False

    @property
    def active(self) -> bool:
        """Whether events are coming in; when not, only looking at the files tells whether they changed."""
        return self._active

    @property
    def version(self) -> int:
        """Rises with every batch of changes to files of the working tree."""
        return self._version

    @property
    def git_version(self) -> int:
        """Rises when HEAD, a ref or packed-refs changes."""
        return self._git_version

    def start(self) -> None:
        """Begin to listen; returns once events are being received, or it is known that they will not be."""
        if self._thread is not None:
            return
        self._stopping.clear()
        self._ready.clear()
        self._thread = threading.Thread(target=self._listen, name="file watch", daemon=True)
        self._thread.start()
        self._ready.wait(_START_SECONDS)

    def stop(self) -> None:
        """Stop listening; may be called twice, and before `start`."""
        self._stopping.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(5.0)

    def drain(self) -> set[str] | None:
        """Paths changed since the last call, relative to the root; None means too many to tell: look at everything."""
        with self._lock:
            changed, self._changed = self._changed, set()
            return changed

    def _listen(self) -> None:
        for attempt in range(_ATTEMPTS):
            try:
                self._listen_once(is_restart=attempt > 0)
            except WatchfilesRustInternalError:
                # One event it cannot express, such as a name that is not UTF-8, ends the watcher: note that something
                # may have been missed and begin again.
                self._lose_track()
                if not self._active:
                    break
            except Exception:  # broad: the loop of a thread. Whatever the watcher lacks, queries go on without it.
                break
            self._active = False
            if self._stopping.is_set():
                break
        self._active = False
        self._ready.set()

    def _listen_once(self, *, is_restart: bool) -> None:
        # Git directories outside the root, as a linked worktree has them, are watched as well.
        outside = [place for place in self._git_places if not (place + os.sep).startswith(self._root + os.sep)]
        batches = watch(
            self._root,
            *outside,
            watch_filter=None,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            rust_timeout=_POLL_MS,
            # The first turn without events shows that the watch stands.
            yield_on_timeout=True,
            stop_event=self._stopping,
            raise_interrupt=False,
            force_polling=False,
            # True would also hide that the system's limit of watches is reached (seen with watchfiles 1.3).
            ignore_permission_denied=False,
        )
        for batch in batches:
            if is_restart:
                # Only now are events coming in again; what happened since the watcher ended was not seen.
                self._lose_track()
                is_restart = False
            self._active = True
            self._ready.set()
            if batch:
                self._note(batch)

    def _note(self, batch: set[tuple[Change, str]]) -> None:
        files: set[str] = set()
        refs_moved = rules_changed = False
        for _, path in batch:
            inner = self._inside_git(path)
            if inner is None:
                files.add(os.path.relpath(path, self._root).replace(os.sep, "/"))
            elif inner in ("HEAD", "packed-refs") or (inner.startswith("refs/") and not inner.endswith(".lock")):
                refs_moved = True
            elif inner == "info/exclude":
                rules_changed = True
        with self._lock:
            if rules_changed:
                self._changed = None
            elif self._changed is not None:
                self._changed |= files
                if len(self._changed) > self._max_changed:
                    self._changed = None
            # The set is filled before the counters rise: who sees the new number finds the paths.
            self._git_version += refs_moved
            self._version += bool(files) or rules_changed

    def _inside_git(self, path: str) -> str | None:
        """The path inside a git directory, empty for one that is none of our business; None for an ordinary file."""
        for place in self._git_places:
            if path.startswith(place + os.sep):
                return path[len(place) + 1 :].replace(os.sep, "/")
        below = path[len(self._root) :].split(os.sep)
        return "" if ".git" in below[1:-1] or below[-1] == ".git" or not path.startswith(self._root + os.sep) else None

    def _lose_track(self) -> None:
        with self._lock:
            self._changed = None
            self._version += 1
            self._git_version += 1
