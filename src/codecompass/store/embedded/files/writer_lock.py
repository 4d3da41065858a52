"""Writer lock: one file per project with a lock of the operating system, which a killed writer releases at once.

Its content identifies the holder: process id, start time and heartbeat distinguish a live writer from a reused pid.
"""

import errno
import json
import os
import time
from dataclasses import asdict
from pathlib import Path

from codecompass.errors import Failure
from codecompass.store.ports import Owner
from codecompass.system.file_locks import lock_exclusive


class WriterLock:
    """An exclusive lock, held until `close`."""

    def __init__(self, path: Path, owner: Owner) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._owner = owner
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            lock_exclusive(self._file, wait=False)
        except OSError as error:
            os.close(self._file)
            holder = read_owner(path)
            details: dict[str, object] = {"job_id": holder.job_id, "pid": holder.pid} if holder else {}
            raise Failure("INDEX_IN_PROGRESS", "Another process is indexing this project.", details) from error
        try:
            self.write_heartbeat()
        except OSError as error:
            self.close()
            if error.errno != errno.ENOSPC:
                raise
            raise Failure("DISK_FULL", "No room to write the lock of this project.") from error

    def write_heartbeat(self) -> None:
        """Write the owner and the current time; readers of the file do not need the lock."""
        data = json.dumps(asdict(self._owner) | {"heartbeat": time.time()}).encode()
        os.pwrite(self._file, data.ljust(512), 0)

    def close(self) -> None:
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = -1


def read_owner(path: Path) -> Owner | None:
    """Return who holds (or last held) the lock; None if the file is empty or unreadable."""
    try:
        raw = json.loads(path.read_bytes())
        return Owner(int(raw["pid"]), str(raw["start_time"]), str(raw["job_id"]), float(raw["heartbeat"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_locked(path: Path) -> bool:
    """Whether a writer holds the lock now."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        lock_exclusive(descriptor, wait=False)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)
