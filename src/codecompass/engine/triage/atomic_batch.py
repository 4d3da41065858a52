"""Atomic batch: write files atomically and durably, and only inside allowed roots, without following links.

A file is written under a temporary name in its directory, flushed and then renamed; then the directory is flushed. A
reader sees the old file or the new one and never a partial one, even after a power failure.
"""

import ctypes
import errno
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from codecompass.errors import Failure
from codecompass.repo.files.secret_names import is_git_name, is_secret
from codecompass.system.file_locks import lock_exclusive, unlock

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW
_TEMPORARY_SUFFIX = ".new"
_ABANDONED_S = 3_600.0
_MAX_SINGLE_FSYNCS = 16
_MAX_SET_ASIDE = 1_000
_SYNCFS = getattr(ctypes.CDLL(None), "syncfs", None) if os.name == "posix" else None
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW

DiskFileState = tuple[int, int, int]
"""(mtime, size, inode) of a file; differs for another file or another content."""


class AtomicBatch:
    """Files of one directory that are renamed together, at `commit` or at the end of a block without an error."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._directory_fd = _open_directory(str(directory))
        self._temporary_names: dict[str, str] = {}
        """Final name → temporary name."""

    def __len__(self) -> int:
        return len(self._temporary_names)

    def add(self, name: str, data: bytes) -> None:
        earlier = self._temporary_names.get(name)
        self._temporary_names[name] = _write(self._directory_fd, self._directory, name, data, 0o600)
        if earlier is not None:
            os.unlink(_resolve_name(self._directory_fd, self._directory, earlier), dir_fd=self._directory_fd)

    def commit(self) -> None:
        """Flush the files, rename them, then flush the directory."""
        if not self._temporary_names:
            return
        _flush_files(self._directory_fd, self._directory, list(self._temporary_names.values()))
        with self._lock_directory():
            for name, fresh in list(self._temporary_names.items()):
                _rename_into_place(self._directory_fd, self._directory, fresh, name)
                del self._temporary_names[name]
        if self._directory_fd is not None:
            os.fsync(self._directory_fd)

    def commit_unchanged(self, states: Mapping[str, DiskFileState]) -> None:
        """Commit rewrites of unchanged files; a file that another process has written meanwhile is not replaced."""
        _flush_files(self._directory_fd, self._directory, list(self._temporary_names.values()))
        with self._lock_directory():
            for name, seen in states.items():
                if read_file_state(self._directory / name) == seen:
                    _rename_into_place(self._directory_fd, self._directory, self._temporary_names.pop(name), name)

    @contextmanager
    def _lock_directory(self) -> Iterator[None]:
        """Lock the directory against other writers while files are renamed."""
        if self._directory_fd is not None:
            lock_exclusive(self._directory_fd)
        try:
            yield
        finally:
            if self._directory_fd is not None:
                unlock(self._directory_fd)

    def close(self) -> None:
        """Close the directory and remove temporary files."""
        for fresh in self._temporary_names.values():
            with suppress(OSError):
                os.unlink(_resolve_name(self._directory_fd, self._directory, fresh), dir_fd=self._directory_fd)
        self._temporary_names.clear()
        if self._directory_fd is not None:
            os.close(self._directory_fd)
            self._directory_fd = None

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


def make_directory(directory: Path) -> None:
    """Create a directory and its missing parents; each is flushed before the next is created."""
    if directory.is_dir():
        return
    make_directory(directory.parent)
    directory.mkdir(exist_ok=True)
    at = _open_directory(str(directory.parent))
    if at is not None:
        os.fsync(at)
        os.close(at)


def remove_abandoned(directory: Path) -> None:
    """Remove temporary files of writers that died, once they are too old to be in use."""
    oldest = time.time() - _ABANDONED_S
    with os.scandir(directory) as entries:
        left = [entry for entry in entries if entry.name.startswith(".") and entry.name.endswith(_TEMPORARY_SUFFIX)]
    for entry in left:
        with suppress(OSError):
            if entry.stat(follow_symlinks=False).st_mtime < oldest:
                os.unlink(entry.path)


def write_inside_roots(roots: tuple[Path, ...], named: Path, files: dict[str, bytes]) -> Path:
    """Write files into a directory below one of the roots, opened component by component; return its real path."""
    directory = Path(os.path.realpath(named))
    root = next((Path(os.path.realpath(one)) for one in roots if directory.is_relative_to(os.path.realpath(one))), None)
    if root is None:
        raise Failure("FORBIDDEN", "outPath lies outside the workspace and the allowed roots.",
                      hint="Choose a file in the workspace.")  # fmt: skip
    inner = directory.relative_to(root).parts
    if any(is_git_name(part) for part in inner) or is_secret("/".join((*inner, "x"))):
        raise Failure("FORBIDDEN", "outPath lies inside the repository's metadata or where secrets are stored.")
    try:
        at = _descend(str(root), inner)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise Failure("INVALID_REQUEST", "outPath must lie in an existing directory, not behind a link.",
                          hint="Create the directory first.") from None  # fmt: skip
        raise write_failure(error) from None
    try:
        for name, data in files.items():
            fresh = _write(at, directory, name, data, 0o666)
            _flush_files(at, directory, [fresh])
            _rename_into_place(at, directory, fresh, name)
        if at is not None:
            os.fsync(at)
    except OSError as error:
        raise write_failure(error) from None
    finally:
        if at is not None:
            os.close(at)
    return directory


def write_failure(error: OSError) -> Failure:
    """Convert an error of a write to a failure."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Failure("DISK_FULL", "The disk is full, so the file was not written; earlier files are kept.")
    if error.errno == errno.EISDIR:
        return Failure("INVALID_REQUEST", "The file cannot be written: a directory has its name.")
    return Failure("FORBIDDEN", f"The file cannot be written: {error.strerror}.",
                   hint="Check the write permissions of that directory.")  # fmt: skip


def _open_directory(path: str) -> int | None:
    """Open a directory descriptor; None if the system does not support relative operations."""
    return (
        os.open(path, _DIRECTORY_FLAGS) if os.open in os.supports_dir_fd and os.rename in os.supports_dir_fd else None
    )


def _descend(root: str, parts: tuple[str, ...]) -> int | None:
    """Open a directory component by component without following links, so that the checked path is the one opened."""
    at = _open_directory(root)
    if at is None:
        return None
    for part in parts:
        try:
            below = os.open(part, _DIRECTORY_FLAGS, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def _resolve_name(at: int | None, directory: Path, file: str) -> str:
    return file if at is not None else str(directory / file)


def _write(at: int | None, directory: Path, name: str, data: bytes, mode: int) -> str:
    """Write bytes to a new temporary file in the directory, and return its name."""
    fresh = f".{name}.{secrets.token_hex(6)}{_TEMPORARY_SUFFIX}"
    fd = os.open(_resolve_name(at, directory, fresh), _CREATE_FLAGS, mode, dir_fd=at)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
    except BaseException:
        os.unlink(_resolve_name(at, directory, fresh), dir_fd=at)
        raise
    return fresh


def _flush_files(at: int | None, directory: Path, files: list[str]) -> None:
    """Flush files to disk: a few one by one; many by one `syncfs`, which is cheaper."""
    if len(files) > _MAX_SINGLE_FSYNCS and at is not None and _SYNCFS is not None and _SYNCFS(at) == 0:
        return
    for file in files:
        fd = os.open(_resolve_name(at, directory, file), os.O_RDWR | _NOFOLLOW, dir_fd=at)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _rename_into_place(at: int | None, directory: Path, fresh: str, name: str) -> None:
    os.replace(_resolve_name(at, directory, fresh), _resolve_name(at, directory, name), src_dir_fd=at, dst_dir_fd=at)
