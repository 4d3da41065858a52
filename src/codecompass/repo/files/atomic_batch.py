"""Atomic batch: write several files of one directory durably and rename them together (see `atomic.py`)."""

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from codecompass.atomic import AtomicDirectory
from codecompass.errors import Failure
from codecompass.system.file_locks import lock_exclusive, unlock

_MAX_SET_ASIDE = 1_000

DiskFileState = tuple[int, int, int]
"""(mtime, size, inode) of a file; differs for another file or another content."""


class AtomicBatch:
    """Files of one directory that are renamed together, at `commit` or at the end of a block without an error."""

    def __init__(self, directory: AtomicDirectory, mode: int = 0o600) -> None:
        self._directory = directory
        self._mode = mode
        self._temporary_names: dict[str, str] = {}
        """Final name → temporary name."""

    @classmethod
    def open(cls, directory: Path) -> "AtomicBatch":
        """Open a batch in a directory that is not a link."""
        return cls(AtomicDirectory.open(directory, follow_links=False))

    def __len__(self) -> int:
        return len(self._temporary_names)

    def add(self, name: str, data: bytes) -> None:
        earlier = self._temporary_names.get(name)
        self._temporary_names[name] = self._directory.write_temporary(name, data, self._mode)
        if earlier is not None:
            self._directory.remove(earlier)

    def commit(self) -> None:
        """Flush the files, rename them, then flush the directory."""
        if not self._temporary_names:
            return
        self._directory.flush(list(self._temporary_names.values()))
        with self._lock_directory():
            for name, temporary in list(self._temporary_names.items()):
                self._directory.rename(temporary, name)
                del self._temporary_names[name]
        self._directory.sync()

    def commit_unchanged(self, states: Mapping[str, DiskFileState]) -> None:
        """Commit rewrites of unchanged files; a file that another process has written meanwhile is not replaced."""
        self._directory.flush(list(self._temporary_names.values()))
        with self._lock_directory():
            for name, seen in states.items():
                if read_file_state(self._directory.path / name) == seen:
                    self._directory.rename(self._temporary_names.pop(name), name)

    @contextmanager
    def _lock_directory(self) -> Iterator[None]:
        """Lock the directory against other writers while files are renamed."""
        fd = self._directory.fd
        if fd is not None:
            lock_exclusive(fd)
        try:
            yield
        finally:
            if fd is not None:
                unlock(fd)

    def close(self) -> None:
        """Close the directory and remove temporary files."""
        for temporary in self._temporary_names.values():
            self._directory.remove(temporary)
        self._temporary_names.clear()
        self._directory.close()

    def __enter__(self) -> "AtomicBatch":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.close()


def read_file_state(path: Path) -> DiskFileState | None:
    """Return the state of a file, to detect later changes; None if it does not exist."""
    try:
        info = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size, info.st_ino


def set_aside(path: Path) -> None:
    """Rename a damaged file, so that a valid one can replace it."""
    for number in range(1, _MAX_SET_ASIDE):
        aside = path.with_name(f"{path.name}.damaged-{number}")
        if not os.path.lexists(aside):
            os.rename(path, aside)
            return
    raise FileExistsError(errno.EEXIST, "too many damaged files")


def remove_abandoned(directory: Path) -> None:
    """Remove temporary files of writers that died, once they are too old to be in use."""
    with AtomicDirectory.open(directory, follow_links=False) as opened:
        opened.remove_abandoned()


def write_failure(error: OSError) -> Failure:
    """Convert an error of a write to a failure."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Failure("DISK_FULL", "The disk is full, so the file was not written; earlier files are kept.")
    if error.errno == errno.EISDIR:
        return Failure("INVALID_REQUEST", "The file cannot be written: a directory has its name.")
    return Failure("FORBIDDEN", f"The file cannot be written: {error.strerror}.",
                   hint="Check the write permissions of that directory.")  # fmt: skip
