"""Path guard: decide which files may be read, and open them so that no race or link leads outside the root."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, NamedTuple

from codecompass.confine import (
    FILE_FLAGS,
    HAS_DIRECTORY_FDS,
    AllowedRoots,
    ConfinedPath,
    find_escape,
    is_git_name,
    open_directory,
)
from codecompass.errors import Failure, is_resource_exhaustion, to_system_failure
from codecompass.model.path_text import parse_displayed_path
from codecompass.repo.files.secret_names import is_secret, is_secret_name
from codecompass.text.documents import get_size_limit

__all__ = [
    "ReadResult", "check_path", "is_secret", "is_secret_name", "TreeReader", "read_inside", "open_regular",
    "read_regular", "resolve_inside",
]  # fmt: skip

_READABLE_HINT = "Use the path of a regular file, relative to the workspace; a search shows which files can be read."
_MAX_PATH = 4096
_MAX_LINKS = 20


class ReadResult(NamedTuple):
    """The bytes of a file, or the reason why they could not be read."""

    data: bytes | None
    size: int
    reason: str
    """Empty, or one of `vanished`, `unreadable`, `symlink`, `not_regular`, `truncated`."""


def check_path(relative: str) -> str:
    """Normalise a path from a caller; refuse one that leaves the workspace or names a file that is never read."""
    parts = _split_path(relative)
    _refuse_protected(parts, relative)
    return "/".join(parts)


def read_inside(root: Path, relative: str, max_bytes: int) -> bytes:
    """Read a regular file under `root`, for a path from a caller. Links are followed only inside the root."""
    parts = _split_path(relative)
    _refuse_protected(parts, relative)
    try:
        fd = _open_following(Path(os.path.realpath(root)), parts, relative)
    except OSError as error:
        raise _to_failure(error, relative) from None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise _make_forbidden(relative, "is not a regular file")
        # The file may grow after `fstat`, so one byte more than the limit is read.
        data = _read_up_to(fd, max_bytes + 1)
    except OSError as error:
        raise _to_failure(error, relative) from None
    finally:
        os.close(fd)
    if len(data) > max_bytes or status.st_size > max_bytes:
        message = f"{_quote_path(relative)} has {max(status.st_size, len(data))} bytes; at most {max_bytes} are read"
        raise Failure("INVALID_REQUEST", message, {"size": status.st_size, "limit": max_bytes})
    return data


def open_regular(root: Path, relative: str) -> BinaryIO:
    """Open a regular file under `root` for random access, with the same checks as `read_inside`."""
    parts = _split_path(relative)
    _refuse_protected(parts, relative)
    try:
        fd = _open_following(Path(os.path.realpath(root)), parts, relative)
    except OSError as error:
        raise _to_failure(error, relative) from None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise _make_forbidden(relative, "is not a regular file")
    return os.fdopen(fd, "rb")


def resolve_inside(root: Path, relative: str) -> str:
    """Resolve the links in a path under `root`; the result may be read as well, and is relative to the root."""
    found = AllowedRoots((root,)).find(os.path.join(root, relative))
    if found is None:
        raise _make_forbidden(relative, "is a link that leaves the workspace")
    return check_path(found.relative)


class TreeReader:
    """Reads listed files without following links. The last directory stays open: listings are sorted by directory."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._directory: str | None = None
        self._fd = -1

    def read(self, relative: str, max_bytes: int) -> ReadResult:
        """Read at most `max_bytes` of a file, but whole documents. A file that cannot be read gives a reason, not an
        error.
        """
        max_bytes = get_size_limit(relative, max_bytes)
        try:
            fd = self._open(relative)
        except FileNotFoundError:
            return ReadResult(None, 0, "vanished")
        except OSError as error:
            if is_resource_exhaustion(error):
                raise to_system_failure(error.errno, "open a file of the workspace") from error
            # A component that is a link causes ELOOP, or ENOTDIR where a directory was expected.
            return ReadResult(None, 0, "symlink" if error.errno in (errno.ELOOP, errno.ENOTDIR) else "unreadable")
        except ValueError:
            return ReadResult(None, 0, "unreadable")
        try:
            return _read_opened(fd, max_bytes)
        except OSError:
            return ReadResult(None, 0, "unreadable")
        finally:
            os.close(fd)

    def _open(self, relative: str) -> int:
        if not HAS_DIRECTORY_FDS:
            return ConfinedPath(self._root, tuple(relative.split("/"))).open_file()
        directory, _, name = relative.rpartition("/")
        if directory != self._directory:
            self.close()
            self._fd = open_directory(self._root, directory.split("/") if directory else (), follow_root=True)
            self._directory = directory
        return os.open(name, FILE_FLAGS, dir_fd=self._fd)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._directory = -1, None


def read_regular(root: Path, relative: str, max_bytes: int) -> ReadResult:
    """Read a single file; see `TreeReader.read`."""
    reader = TreeReader(root)
    try:
        return reader.read(relative, max_bytes)
    finally:
        reader.close()


def _read_opened(fd: int, max_bytes: int) -> ReadResult:
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        return ReadResult(None, 0, "not_regular")
    data = _read_up_to(fd, max_bytes)
    if len(data) == max_bytes < status.st_size:
        return ReadResult(data, status.st_size, "truncated")
    return ReadResult(data, len(data), "")


def _read_up_to(fd: int, limit: int) -> bytes:
    pieces = []
    left = limit
    while left > 0:
        # Each read allocates a whole piece first, so pieces are small, as most files are.
        piece = os.read(fd, min(left, 2**16))
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _split_path(relative: str) -> list[str]:
    """Split a relative path into components without `.` and empty ones; refuse anything that could leave the root."""
    relative = parse_displayed_path(relative)
    if not relative or len(relative) > _MAX_PATH:
        raise Failure("INVALID_REQUEST", "a path must have between 1 and 4096 characters")
    if "\0" in relative:
        raise Failure("INVALID_REQUEST", "a path must not contain NUL")
    if "\\" in relative:
        raise Failure("INVALID_REQUEST", f"{_quote_path(relative)}: separate the parts of a path with '/'")
    escape = find_escape(relative)
    if escape == "absolute":
        raise _make_forbidden(relative, "is absolute; paths are relative to the workspace", "absolute")
    if escape == "traversal":
        raise _make_forbidden(relative, "leaves the workspace", "traversal")
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if not parts:
        raise Failure("INVALID_REQUEST", f"{_quote_path(relative)} is not the path of a file")
    try:
        os.fsencode(relative)
    except UnicodeEncodeError:
        raise Failure("INVALID_REQUEST", f"{_quote_path(relative)} is not a possible file name") from None
    return parts


def _refuse_protected(parts: list[str], relative: str) -> None:
    if is_secret("/".join(parts)):
        raise _make_forbidden(relative, "may hold secrets and is never read")
    if any(is_git_name(part) for part in parts):
        raise _make_forbidden(relative, "belongs to the repository's own files")


def _open_following(root: Path, parts: list[str], relative: str) -> int:
    """Open without following links; if there is one, resolve it, require that it stays inside, and open again.

    The real path is also opened without following links, so a link that appears after the check causes an error.
    """
    for _ in range(_MAX_LINKS):
        try:
            return ConfinedPath(root, tuple(parts)).open_file()
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
                raise
        found = AllowedRoots((root,)).find(root.joinpath(*parts))
        if found is None or not found.parts:
            raise _make_forbidden(relative, "is a link that leaves the workspace")
        resolved = list(found.parts)
        if resolved == parts:
            # The cause was not a link but a component that is not a directory.
            raise FileNotFoundError(errno.ENOENT, "no such file")
        parts = resolved
        _refuse_protected(parts, relative)
    raise _make_forbidden(relative, "changes while it is opened")


def _to_failure(error: OSError, relative: str) -> Failure:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
        return Failure("FILE_NOT_FOUND", f"no such file: {_quote_path(relative)}")
    if error.errno == errno.ENAMETOOLONG:
        return Failure("INVALID_REQUEST", f"{_quote_path(relative)} is too long for a path")
    if error.errno in (errno.ENXIO, errno.EISDIR, errno.ENODEV):
        # A socket cannot be opened at all.
        return _make_forbidden(relative, "is not a regular file")
    return _make_forbidden(relative, f"cannot be read: {error.strerror}")


def _make_forbidden(relative: str, why: str, reason: str = "") -> Failure:
    facts: dict[str, object] = {"reason": reason} if reason else {}
    return Failure("FORBIDDEN", f"{_quote_path(relative)} {why}", facts, hint=_READABLE_HINT)


def _quote_path(relative: str) -> str:
    """Format a path for a message: short, and without terminal control characters."""
    return ascii(relative if len(relative) <= 200 else relative[:199] + "…")
