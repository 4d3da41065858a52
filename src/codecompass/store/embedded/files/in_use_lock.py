"""The mark of use: every open store holds its project's file in common, so that nobody sweeps what somebody reads.

The lock belongs to the open file, not to the process: two stores of one process see each other as well, and a process
that dies lets go at once.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from codecompass.errors import Failure

NAME = "use"
_NOT_WRITABLE = frozenset({errno.EROFS, errno.ENOSPC, errno.EDQUOT})
EVERY = 3_600.0
"""Seconds between two notes of use; ages are counted in days."""


class UseMark:
    """Held in common from construction to `close`."""

    def __init__(self, directory: Path) -> None:
        self._file = _opened(directory / NAME)
        # Whoever sweeps holds it for the moment that renaming a few files takes.
        if self._file >= 0:
            fcntl.flock(self._file, fcntl.LOCK_SH)
        self._noted = -EVERY

    def note(self) -> None:
        """Somebody asks: the time of the file says when that was last so."""
        now = time.monotonic()
        if self._file >= 0 and now - self._noted >= EVERY:
            self._noted = now
            # What may not be written to is used all the same.
            with suppress(OSError):
                os.utime(self._file)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else has the project open, and nobody opens it before the end; INDEX_IN_PROGRESS otherwise."""
        if self._file < 0:
            raise Failure("INDEX_IN_PROGRESS", "Whether others have this project open cannot be told on this disk.")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # A lock that cannot be changed may be lost on the way, so it is taken again.
            fcntl.flock(self._file, fcntl.LOCK_SH)
            raise Failure("INDEX_IN_PROGRESS", "Another process or call has this project open.") from error
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_SH)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _opened(path: Path) -> int:
    """The file; -1 where it is not there and cannot be made, on a disk that nobody can sweep either."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno not in _NOT_WRITABLE:
            raise
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return -1
