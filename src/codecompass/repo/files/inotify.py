"""inotify watch: report every change below a root, exactly and without delay.

The kernel queues an event before the system call that made the change returns. A read of the queue during a query
therefore sees every earlier change without waiting, and an empty queue proves that nothing changed. A thread empties
the queue between queries, so that it does not overflow and the listener is called.
"""

import ctypes
import errno
import os
import select
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from codecompass.repo.files.mounts import can_report_changes
from codecompass.repo.files.tree_walk import DirectoryCallback
from codecompass.repo.git.repository import GitDir

IN_MODIFY, IN_ATTRIB, IN_CLOSE_WRITE = 0x2, 0x4, 0x8
IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE, IN_DELETE_SELF, IN_MOVE_SELF = 0x40, 0x80, 0x100, 0x200, 0x400, 0x800
IN_UNMOUNT, IN_Q_OVERFLOW, IN_IGNORED = 0x2000, 0x4000, 0x8000
IN_ONLYDIR, IN_DONT_FOLLOW, IN_EXCL_UNLINK, IN_MASK_ADD = 0x1000000, 0x2000000, 0x4000000, 0x20000000
# A program that writes through a mapping causes an event only when it closes the file.
_MASK = (
    IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_DELETE_SELF
    | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK | IN_MASK_ADD
)  # fmt: skip
_WATCH_LOST_MASK = IN_UNMOUNT | IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF
_HEADER = struct.Struct("iIII")
_READ_BYTES = 2**16
_BATCH_DELAY_S = 0.02
_MAX_CHANGED = 10_000
_DIRECTORY_GONE_ERRNOS = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP})
_GIT_NAMES = frozenset({b"HEAD", b"HEAD.lock", b"index", b"packed-refs"})
"""Files that git writes when the checked-out commit may have changed; git never moves a branch without locking HEAD."""


class InotifyWatch:
    """Watches the directories that a walk enters. It is inactive until a walk has finished under `rearm`."""

    def __init__(self, root: Path, git: GitDir | None = None, *, max_changed: int = _MAX_CHANGED) -> None:
        self._root = os.path.realpath(root)
        self._git = git
        self._max_changed = max_changed
        self._lock = threading.RLock()
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._queue = -1
        self._wake_pipe: tuple[int, int] | None = None
        self._thread: threading.Thread | None = None
        self._listener: Callable[[], None] | None = None
        self._prefixes: dict[int, str] = {}
        self._git_watches: set[int] = set()
        self._entered: set[int] = set()
        self._changed: set[str] = set()
        self._lost = True
        self._armed = False

    @property
    def active(self) -> bool:
        """Whether changes are reported as they happen."""
        return self._armed

    @property
    def exact(self) -> bool:
        """Whether an empty queue proves that nothing changed."""
        return self._armed

    def set_listener(self, listener: Callable[[], None] | None) -> None:
        """Call this after every change, from any thread; it must not block."""
        self._listener = listener

    def start(self) -> None:
        """Open the queue; at the system's limit of inotify instances the watch stays inactive."""
        with self._lock:
            if self._thread is not None:
                return
            queue = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            if queue < 0:
                return
            try:
                self._wake_pipe = os.pipe()
            except OSError:
                os.close(queue)
                return
            self._queue = queue
            self._thread = threading.Thread(
                target=self._listen, args=(queue, self._wake_pipe[0]), name="file watch", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """Close everything; may be called twice, and before `start`."""
        with self._lock:
            thread, self._thread = self._thread, None
            wakers, self._wake_pipe = self._wake_pipe, None
        if thread is None or wakers is None:
            return
        os.write(wakers[1], b".")
        thread.join()
        with self._lock:
            self._deactivate()
        for end in wakers:
            os.close(end)

    def take_changes(self) -> set[str] | None:
        """Return paths changed since the last call, relative to the root; None when a new walk is needed."""
        with self._lock:
            heard = self._drain_queue()
            if self._lost or not self._armed:
                changed = None
            else:
                changed, self._changed = self._changed, set()
        if heard:
            self._notify()
        return changed

    @contextmanager
    def rearm(self) -> Iterator[DirectoryCallback]:
        """Watch each directory of a walk before the walk reads it, so that no change is missed in between."""
        with self._lock:
            self._drain_queue()
            self._entered, self._changed = set(), set()
            self._lost = self._queue < 0
        yield self._watch_directory
        with self._lock:
            if self._queue < 0:
                return
            for gone in self._prefixes.keys() - self._entered:
                del self._prefixes[gone]
                self._libc.inotify_rm_watch(self._queue, gone)
            self._watch_git()
            if "" not in self._prefixes.values() or not can_report_changes(self._root):
                self._deactivate()
            else:
                self._armed = True

    def _watch_directory(self, directory: str, prefix: str) -> None:
        with self._lock:
            if self._queue < 0:
                return
            number = self._libc.inotify_add_watch(self._queue, os.fsencode(directory), _MASK)
            if number >= 0 and number not in self._entered:
                self._entered.add(number)
                self._prefixes[number] = prefix
            elif number >= 0 or ctypes.get_errno() not in _DIRECTORY_GONE_ERRNOS:
                # A directory visible at two paths (a bind mount) has one watch number, which does not identify a path;
                # or the system's limit of watches is reached.
                self._deactivate()

    def _watch_git(self) -> None:
        """Watch git's directories, only to call the listener: their content is read again by every query."""
        self._git_watches.clear()
        for place in (self._git.git_dir, self._git.common_dir) if self._git else ():
            number = self._libc.inotify_add_watch(self._queue, os.fsencode(place), _MASK)
            if number >= 0 and number not in self._prefixes:
                self._git_watches.add(number)

    def _deactivate(self) -> None:
        """Close the queue and with it every watch: from now on the files must be checked."""
        if self._queue >= 0:
            os.close(self._queue)
        if self._wake_pipe is not None:
            # A thread that still waits on the queue would keep it open.
            os.write(self._wake_pipe[1], b".")
        self._queue = -1
        self._prefixes.clear()
        self._git_watches.clear()
        self._changed.clear()
        self._armed, self._lost = False, True

    def _listen(self, queue: int, waker: int) -> None:
        poller = select.poll()
        poller.register(queue, select.POLLIN)
        poller.register(waker, select.POLLIN)
        pause = threading.Event()
        while True:
            ready = dict(poller.poll())
            if waker in ready:
                return
            with self._lock:
                if self._queue != queue:
                    return
                heard = self._drain_queue()
            if heard:
                self._notify()
            # Take a burst of events in batches.
            pause.wait(_BATCH_DELAY_S)

    def _notify(self) -> None:
        listener = self._listener
        if listener is not None:
            listener()

    def _drain_queue(self) -> bool:
        """Process all queued events; return whether any was relevant. The caller holds the lock."""
        heard = False
        while self._queue >= 0:
            try:
                data = os.read(self._queue, _READ_BYTES)
            except BlockingIOError:
                break
            except OSError:
                self._deactivate()
                break
            heard |= self.handle_events(data)
        return heard

    def handle_events(self, data: bytes) -> bool:
        """Process records in the kernel's format; return whether any was relevant."""
        at, heard = 0, False
        while at < len(data):
            number, mask, _, length = _HEADER.unpack_from(data, at)
            name = data[at + _HEADER.size : at + _HEADER.size + length].rstrip(b"\0")
            at += _HEADER.size + length
            heard |= self._handle_event(number, mask, name)
        return heard

    def _handle_event(self, number: int, mask: int, name: bytes) -> bool:
        if mask & IN_Q_OVERFLOW:
            self._lost = True
            return True
        if number in self._git_watches:
            return name in _GIT_NAMES or not name
        prefix = self._prefixes.get(number)
        if prefix is None:
            return False
        if mask & _WATCH_LOST_MASK or not name:
            # The directory itself was moved, removed or changed its mode: its path is no longer valid.
            if mask & IN_IGNORED:
                del self._prefixes[number]
            self._lost = True
        elif len(self._changed) >= self._max_changed:
            self._changed.clear()
            self._lost = True
        elif not self._lost:
            self._changed.add(prefix + os.fsdecode(name))
        return True
