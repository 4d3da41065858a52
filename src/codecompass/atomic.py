"""Atomic files: replace a file so that a reader sees the old content or the new one, even after a power failure.

The steps are always the same: create a temporary file in the directory of the target without following a link, write
it, flush it, rename it, flush the directory. A writer that dies leaves a temporary file, which a later one removes.
"""

import ctypes
import errno
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from codecompass.confine import HAS_DIRECTORY_FDS, open_directory

_SUFFIX = ".new"
_MAX_STEM = 200
_ABANDONED_S = 3_600.0
_MAX_SINGLE_FSYNCS = 16
_SYNCFS = getattr(ctypes.CDLL(None), "syncfs", None) if os.name == "posix" else None
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC
_FLUSH_FLAGS = (os.O_RDWR if os.name == "nt" else os.O_RDONLY) | _NOFOLLOW | _CLOEXEC
_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP)
"""Errors of file systems that cannot flush directories."""


class AtomicDirectory:
    """An open directory whose files are written under temporary names and then renamed."""

    def __init__(self, path: Path, fd: int | None) -> None:
        self.path = path
        self.fd = fd
        """Descriptor that this object closes; None if the system has no directory descriptors."""

    @classmethod
    def open(cls, path: Path, *, follow_links: bool = True) -> "AtomicDirectory":
        return cls(path, open_directory(path, follow_root=follow_links) if HAS_DIRECTORY_FDS else None)

    def write_file(self, name: str, data: bytes, mode: int = 0o600) -> None:
        """Replace a file durably."""
        with self.open_file(name, mode) as file:
            file.write(data)

    @contextmanager
    def open_file(self, name: str, mode: int = 0o600) -> Iterator[BinaryIO]:
        """Replace a file durably with what the block writes; after an error the old file stays."""
        self.remove_abandoned(name)
        temporary, file = self._create(name, mode)
        try:
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            self.rename(temporary, name)
        except BaseException:
            self.remove(temporary)
            raise
        self.sync()

    def create_file(self, name: str, data: bytes, mode: int = 0o600) -> bool:
        """Create a file durably unless it exists: of several concurrent writers one wins, which gets True."""
        self.remove_abandoned(name)
        temporary = self.write_temporary(name, data, mode)
        try:
            self.flush([temporary])
            os.link(self._locate(temporary), self._locate(name), src_dir_fd=self.fd, dst_dir_fd=self.fd)
        except FileExistsError:
            return False
        finally:
            self.remove(temporary)
        self.sync()
        return True

    def write_temporary(self, name: str, data: bytes, mode: int) -> str:
        """Write a temporary file for a name and return its own; it is neither flushed nor renamed yet."""
        temporary, file = self._create(name, mode)
        try:
            with file:
                file.write(data)
        except BaseException:
            self.remove(temporary)
            raise
        return temporary

    def flush(self, temporaries: Sequence[str]) -> None:
        """Flush files to disk: a few one by one; many by one `syncfs`, which is cheaper."""
        if len(temporaries) > _MAX_SINGLE_FSYNCS and self.fd is not None and _SYNCFS is not None:
            if _SYNCFS(self.fd) == 0:
                return
        for temporary in temporaries:
            _fsync(os.open(self._locate(temporary), _FLUSH_FLAGS, dir_fd=self.fd))

    def rename(self, temporary: str, name: str) -> None:
        """Rename a flushed temporary file to its final name."""
        os.replace(self._locate(temporary), self._locate(name), src_dir_fd=self.fd, dst_dir_fd=self.fd)

    def remove(self, temporary: str) -> None:
        with suppress(OSError):
            os.unlink(self._locate(temporary), dir_fd=self.fd)

    def sync(self) -> None:
        """Flush the directory, so that renames survive a power failure."""
        if self.fd is not None:
            _fsync_directory(self.fd)

    def remove_abandoned(self, name: str = "") -> None:
        """Remove temporary files, of one name or of all, whose writers died: those too old to be in use."""
        oldest = time.time() - _ABANDONED_S
        prefix = _make_prefix(name) if name else "."
        with suppress(OSError), os.scandir(self.path if self.fd is None else self.fd) as entries:
            for entry in entries:
                if entry.name.startswith(prefix) and entry.name.endswith(_SUFFIX):
                    with suppress(OSError):
                        if entry.stat(follow_symlinks=False).st_mtime < oldest:
                            self.remove(entry.name)

    def close(self) -> None:
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None

    def __enter__(self) -> "AtomicDirectory":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _create(self, name: str, mode: int) -> tuple[str, BinaryIO]:
        temporary = f"{_make_prefix(name)}{secrets.token_hex(6)}{_SUFFIX}"
        return temporary, os.fdopen(os.open(self._locate(temporary), _CREATE_FLAGS, mode, dir_fd=self.fd), "wb")

    def _locate(self, name: str) -> str:
        return name if self.fd is not None else str(self.path / name)


def write_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace a file durably; the mode is subject to the umask. A link at the path is replaced, not followed."""
    with AtomicDirectory.open(path.parent) as directory:
        directory.write_file(path.name, data, mode)


@contextmanager
def open_file(path: Path, mode: int = 0o600) -> Iterator[BinaryIO]:
    """Replace a file durably with what the block writes; after an error the old file stays."""
    with AtomicDirectory.open(path.parent) as directory, directory.open_file(path.name, mode) as file:
        yield file


def create_file(path: Path, data: bytes, mode: int = 0o600) -> bool:
    """Create a file durably unless it exists; return whether this call created it."""
    with AtomicDirectory.open(path.parent) as directory:
        return directory.create_file(path.name, data, mode)


def move_into_place(source: Path, target: Path) -> None:
    """Rename a complete file, or a directory to a free name, durably: its content is flushed first."""
    if source.is_dir() and not source.is_symlink():
        for directory, _, names in os.walk(source, topdown=False):
            for name in names:
                sync_file(Path(directory, name))
            sync_directory(Path(directory))
    else:
        sync_file(source)
    os.replace(source, target)
    sync_directory(target.parent)


def reserve_temporary(target: Path, mark: str) -> Path:
    """Return a path beside the target for a library that opens files by path; remove what dead processes left.

    Call it under a lock of the target, which is what shows that the other processes are dead.
    """
    prefix = f".{target.name}{mark}"
    for name in os.listdir(target.parent):
        if name.startswith(prefix):
            (target.parent / name).unlink(missing_ok=True)
    return target.with_name(f"{prefix}{os.getpid()}")


def make_directory(directory: Path, mode: int = 0o777) -> None:
    """Create a directory and its missing parents; each is flushed before the next is created."""
    if directory.is_dir():
        return
    make_directory(directory.parent)
    directory.mkdir(mode, exist_ok=True)
    sync_directory(directory.parent)


def sync_file(path: Path) -> None:
    """Flush a file to disk; a link is refused."""
    _fsync(os.open(path, _FLUSH_FLAGS))


def sync_directory(path: Path) -> None:
    """Flush a directory to disk, so that renames in it survive a power failure."""
    with AtomicDirectory.open(path) as directory:
        directory.sync()


def is_temporary_name(name: str) -> bool:
    """Whether a file with this name is one that is being written, or that a dead writer left."""
    return name.startswith(".") and name.endswith(_SUFFIX)


def _make_prefix(name: str) -> str:
    """Return the start of temporary names; shortened, so that they fit wherever the name fits."""
    return f".{os.fsdecode(os.fsencode(name)[:_MAX_STEM])}."


def _fsync(fd: int) -> None:
    """Flush an open file and close it."""
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _fsync_directory(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
