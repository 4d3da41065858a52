"""In-use lock: every open store holds a shared lock on its project, so that data in use is not removed.

The lock belongs to the open file, not to the process: two stores of one process exclude each other as well, and the
lock of a dead process is released at once.
"""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from codecompass.errors import Failure
from codecompass.system.file_locks import lock_exclusive, lock_shared

LOCK_FILE = "use"
_NOT_WRITABLE = frozenset({errno.EROFS, errno.ENOSPC, errno.EDQUOT})
RECORD_INTERVAL_SECONDS = 3_600.0
"""Seconds between two updates of the time of last use; ages are counted in days."""


class InUseLock:
    """A shared lock, held from construction to `close`."""

    def __init__(self, directory: Path) -> None:
        self._file = _open_lock_file(directory / LOCK_FILE)
        # A process that removes files holds it exclusively only for a moment.
        if self._file >= 0:
            lock_shared(self._file)
        self._last_recorded = -RECORD_INTERVAL_SECONDS

    def record_use(self) -> None:
        """Record a use: the file's modification time is the time of last use."""
        now = time.monotonic()
        if self._file >= 0 and now - self._last_recorded >= RECORD_INTERVAL_SECONDS:
            self._last_recorded = now
            # A read-only store can be used as well.
            with suppress(OSError):
                os.utime(self._file)

    @contextmanager
    def hold_exclusively(self) -> Iterator[None]:
        """Hold the lock exclusively, so that nobody else has the project open; INDEX_IN_PROGRESS otherwise."""
        if self._file < 0:
            raise Failure("INDEX_IN_PROGRESS", "This disk does not allow checking whether others use this project.")
        try:
            lock_exclusive(self._file, wait=False)
        except OSError as error:
            # A failed upgrade may have released the shared lock, so take it again.
            lock_shared(self._file)
            raise Failure("INDEX_IN_PROGRESS", "Another process or call has this project open.") from error
        try:
            yield
        finally:
            lock_shared(self._file)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _open_lock_file(path: Path) -> int:
    """Open the lock file; -1 if it cannot be created, on a disk where nothing can be removed either."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno not in _NOT_WRITABLE:
            raise
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return -1
