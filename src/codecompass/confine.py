"""Confinement: decide whether a path lies inside an allowed directory, and open it so that no link or race leads out.

`AllowedRoots.find` compares real paths, so links and `..` are resolved first. `ConfinedPath` then opens each component
below the root without following links: a link that appears after the check causes an error.
"""

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HAS_DIRECTORY_FDS = os.open in os.supports_dir_fd and os.rename in os.supports_dir_fd
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_DIRECTORY_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOEXEC
# Non-blocking, because opening a FIFO would otherwise wait for a writer before we can see that it is one.
FILE_FLAGS = os.O_RDONLY | _NOFOLLOW | _CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_IGNORED_IN_HFS = dict.fromkeys((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))


@dataclass(frozen=True, slots=True)
class ConfinedPath:
    """A path inside a root: the real path of the root, and the components below it."""

    root: Path
    parts: tuple[str, ...]

    @property
    def path(self) -> Path:
        return self.root.joinpath(*self.parts)

    @property
    def relative(self) -> str:
        """The path below the root, with '/'; empty for the root itself."""
        return "/".join(self.parts)

    @property
    def is_git_internal(self) -> bool:
        """Whether it is, or is below, a directory that some file system takes for `.git`."""
        return any(is_git_name(part) for part in self.parts)

    def open_directory(self) -> int | None:
        """Open it as a directory; None if the system has no directory descriptors."""
        return open_directory(self.root, self.parts) if HAS_DIRECTORY_FDS else None

    def open_file(self) -> int:
        """Open it as a file for reading, without following any link below the root."""
        if not HAS_DIRECTORY_FDS or not self.parts:
            _refuse_links(self.root, self.parts)
            return os.open(self.path, FILE_FLAGS)
        at = open_directory(self.root, self.parts[:-1])
        try:
            return os.open(self.parts[-1], FILE_FLAGS, dir_fd=at)
        finally:
            os.close(at)


class AllowedRoots:
    """Directories inside which paths are allowed. Links are resolved once: a later change of a link adds no place."""

    def __init__(self, roots: Iterable[str | Path]) -> None:
        self._roots = tuple((Path(os.path.normpath(root)), Path(os.path.realpath(root))) for root in roots)

    def find(self, path: str | Path) -> ConfinedPath | None:
        """Resolve a path and return its place in the first root that contains it; None if it is outside."""
        try:
            real = Path(os.path.realpath(path))
        except ValueError:
            return None
        return next((_split(real, root, root) for _, root in self._roots if real.is_relative_to(root)), None)

    def find_spelled(self, path: str | Path) -> ConfinedPath | None:
        """Find a path as it is spelled, with `..` removed and links kept, for a caller that checks links on opening."""
        plain = Path(os.path.normpath(path))
        for spelled, root in self._roots:
            for top in (spelled, root):
                if plain != top and plain.is_relative_to(top):
                    return _split(plain, top, root)
        return None

    def __contains__(self, path: str | Path) -> bool:
        return self.find(path) is not None


def is_within(path: str | Path, directory: str | Path) -> bool:
    """Whether a path is a directory or below it, for a check that refuses such paths.

    Directories are also compared by identity: where case is ignored, one directory has several spellings.
    """
    real, top = Path(os.path.realpath(path)), os.path.realpath(directory)
    if real.is_relative_to(top):
        return True
    try:
        state = os.stat(top)
    except OSError:
        return False
    for place in (real, *real.parents):
        with suppress(OSError):
            if os.path.samestat(os.stat(place), state):
                return True
    return False


def find_escape(name: str) -> Literal["", "absolute", "traversal"]:
    """Return how a name could leave the directory it is joined to, on any system; empty if it cannot."""
    plain = name.replace("\\", "/")
    has_drive = len(plain) > 1 and plain[1] == ":" and plain[0].isascii() and plain[0].isalpha()
    if plain.startswith("/") or has_drive:
        return "absolute"
    return "traversal" if ".." in plain.split("/") else ""


def is_git_name(name: str) -> bool:
    """Whether some file system would take this name for `.git`: other case, 8.3 short name, ignorable characters."""
    if not name.isascii():
        name = name.translate(_IGNORED_IN_HFS)
    folded = name.lower().rstrip(". ")
    return folded in (".git", "git~1") or folded.startswith((".git::", ".git:$"))


def open_directory(root: str | Path, parts: Iterable[str] = (), *, follow_root: bool = False) -> int:
    """Open a directory component by component without following links, so that the checked path is the one opened."""
    at = os.open(root, _DIRECTORY_FLAGS | (0 if follow_root else _NOFOLLOW))
    for part in parts:
        try:
            below = os.open(part, _DIRECTORY_FLAGS | _NOFOLLOW, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def _split(path: Path, top: Path, root: Path) -> ConfinedPath:
    return ConfinedPath(root, path.relative_to(top).parts)


def _refuse_links(root: Path, parts: tuple[str, ...]) -> None:
    """Refuse a path that differs from its real path, on systems without directory descriptors."""
    if os.path.realpath(root.joinpath(*parts)) != os.path.join(os.path.realpath(root), *parts):
        raise OSError(errno.ELOOP, "a link in the path")
