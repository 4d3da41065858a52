"""Placing: files written all at once, and only where they may be: inside a root, through no link."""

import errno
import os
import secrets
from pathlib import Path

from codecompass.errors import Failure
from codecompass.repo.secrets import is_repository_part, is_secret

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW


def place(directory: Path, name: str, data: bytes, *, sync: bool) -> None:
    """Write a file beside its place and rename it there; a reader sees the old one or the new one, never a part."""
    at = _opened(str(directory))
    try:
        _write(at, directory, name, data, 0o600, sync=sync)
    finally:
        if at is not None:
            os.close(at)


def place_inside(roots: tuple[Path, ...], named: Path, files: dict[str, bytes]) -> Path:
    """Write files into a directory under one of the roots, opened component by component; the directory as it is."""
    directory = Path(os.path.realpath(named))
    root = next((Path(os.path.realpath(one)) for one in roots if directory.is_relative_to(os.path.realpath(one))), None)
    if root is None:
        raise Failure("FORBIDDEN", "outPath lies outside the workspace and the allowed roots.")
    inner = directory.relative_to(root).parts
    if any(is_repository_part(part) for part in inner) or is_secret("/".join((*inner, "x"))):
        raise Failure("FORBIDDEN", "outPath lies among the repository's own files or where secrets are kept.")
    try:
        at = _descend(str(root), inner)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise Failure("INVALID_REQUEST", "outPath must lie in a directory that exists, and behind no link.",
                          hint="Make the directory first.") from None  # fmt: skip
        raise durable(error) from None
    try:
        for name, data in files.items():
            _write(at, directory, name, data, 0o666, sync=True)
    except OSError as error:
        raise durable(error) from None
    finally:
        if at is not None:
            os.close(at)
    return directory


def durable(error: OSError) -> Failure:
    """What a failed write means for whoever asked for it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Failure("DISK_FULL", "The disk has no room for the record; what was written before is kept.")
    if error.errno == errno.EISDIR:
        return Failure("INVALID_REQUEST", "A directory stands where the file should be written.")
    return Failure("FORBIDDEN", f"The file cannot be written: {error.strerror}.",
                   hint="Check who may write to that directory.")  # fmt: skip


def _opened(path: str) -> int | None:
    """A descriptor of a directory, where the system can work with one."""
    return os.open(path, _DIRECTORY) if os.open in os.supports_dir_fd and os.rename in os.supports_dir_fd else None


def _descend(root: str, parts: tuple[str, ...]) -> int | None:
    """Into a directory step by step, following no link: what was checked by name is what is opened."""
    at = _opened(root)
    if at is None:
        return None
    for part in parts:
        try:
            below = os.open(part, _DIRECTORY, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def _write(at: int | None, directory: Path, name: str, data: bytes, mode: int, *, sync: bool) -> None:
    fresh = f".{name}.{secrets.token_hex(6)}.new"

    def where(file: str) -> str:
        return file if at is not None else str(directory / file)

    fd = os.open(where(fresh), _NEW, mode, dir_fd=at)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        os.replace(where(fresh), where(name), src_dir_fd=at, dst_dir_fd=at)
    except BaseException:
        os.unlink(where(fresh), dir_fd=at)
        raise
