"""File watches: report changes below a root, exactly on Linux and as a slightly delayed hint elsewhere."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from watchfiles import watch
from watchfiles._rust_notify import WatchfilesRustInternalError

from codecompass.confine import AllowedRoots
from codecompass.repo.files.inotify import InotifyWatch
from codecompass.repo.files.tree_walk import DirectoryCallback
from codecompass.repo.git.repository import GitDir

_DEBOUNCE_MS = 100
_STEP_MS = 20
"""How often the watcher collects events: a shorter step notices changes sooner and costs more while idle."""
_POLL_MS = 120
_ATTEMPTS = 20
_START_TIMEOUT_S = 10.0


def open_watch(root: Path, git: GitDir | None = None) -> "InotifyWatch | HintWatch":
    """Create the best watch that this system supports, without starting it."""
    return InotifyWatch(root, git) if sys.platform == "linux" else HintWatch(root, git)


class HintWatch:
    """A thread that calls a listener some tens of milliseconds after a change below a root.

    It may miss or delay events, so the files must be checked even when it reports nothing.
    """

    exact = False

    def __init__(self, root: Path, git: GitDir | None = None) -> None:
        self._root = os.path.realpath(root)
        places = {os.path.realpath(git.git_dir), os.path.realpath(git.common_dir)} if git else set()
        # Git directories outside the root, as a linked worktree has them, are watched as well.
        self._outside_directories = [place for place in places if place not in AllowedRoots((self._root,))]
        self._stopping = threading.Event()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._listener: Callable[[], None] | None = None
        self._active = False

    @property
    def active(self) -> bool:
        """Whether changes are reported as they happen."""
        return self._active

    def set_listener(self, listener: Callable[[], None] | None) -> None:
        """Call this after every change, from any thread; it must not block."""
        self._listener = listener

    def take_changes(self) -> set[str] | None:
        """Return None: only a check of the files shows what changed."""
        return None

    @contextmanager
    def rearm(self) -> Iterator[DirectoryCallback]:
        """Return a callback that does nothing: the system watches whole trees."""
        yield lambda _directory, _prefix: None

    def start(self) -> None:
        """Start to listen; return when events are received, or when it is known that they will not be."""
        if self._thread is not None:
            return
        self._stopping.clear()
        self._ready.clear()
        self._thread = threading.Thread(target=self._listen, name="file watch", daemon=True)
        self._thread.start()
        self._ready.wait(_START_TIMEOUT_S)

    def stop(self) -> None:
        """Stop listening; may be called twice, and before `start`."""
        self._stopping.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(5.0)

    def _listen(self) -> None:
        for _ in range(_ATTEMPTS):
            try:
                self._listen_once()
            except WatchfilesRustInternalError:
                # An event it cannot represent, such as a name that is not UTF-8, ends the watcher: start it again.
                self._notify()
                if not self._active:
                    break
            except Exception:  # broad: the loop of a thread. Queries work without the watcher.
                break
            self._active = False
            if self._stopping.is_set():
                break
        self._active = False
        self._ready.set()

    def _listen_once(self) -> None:
        batches = watch(
            self._root,
            *self._outside_directories,
            watch_filter=None,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            rust_timeout=_POLL_MS,
            # The first iteration without events shows that the watch is active.
            yield_on_timeout=True,
            stop_event=self._stopping,
            raise_interrupt=False,
            force_polling=False,
            # True would also hide that the system's limit of watches is reached (seen with watchfiles 1.3).
            ignore_permission_denied=False,
        )
        for batch in batches:
            if not self._active:
                # Earlier changes were not reported.
                self._active = True
                self._notify()
            self._ready.set()
            if batch:
                self._notify()

    def _notify(self) -> None:
        listener = self._listener
        if listener is not None:
            listener()
