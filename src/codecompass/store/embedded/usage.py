"""The mark of use: every open store holds its project's file in common, so that nobody sweeps what somebody reads.

The lock belongs to the open file, not to the process: two stores of one process see each other as well, and a process
that dies lets go at once.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codecompass.errors import Failure

NAME = "use"


class UseMark:
    """Held in common from construction to `close`."""

    def __init__(self, directory: Path) -> None:
        self._file = os.open(directory / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        # Whoever sweeps holds it for the moment that renaming a few files takes.
        fcntl.flock(self._file, fcntl.LOCK_SH)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else has the project open, and nobody opens it before the end; INDEX_IN_PROGRESS otherwise."""
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
