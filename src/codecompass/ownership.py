"""File ownership: check that only this user and root can have written, or can change, a file.

Files that are loaded, and files that decide what is loaded, must be in places where no other user can write. The check
covers the file, every directory between it and a given top directory, and the targets of symbolic links among them.
"""

import os
import shlex
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codecompass.errors import Failure
from codecompass.system.user_accounts import is_private_group

_ACCESS_LIST = "system.posix_acl_access"


@dataclass(frozen=True, slots=True)
class OwnershipProblem:
    """Reason why a file cannot be trusted."""

    path: Path
    """The file or directory with the wrong owner or mode."""
    reason: str
    is_ours: bool
    """Whether it belongs to us, so that we can remove the write permission of others."""

    def format_repair_command(self, name: str = "") -> str:
        """Return the shell command that repairs it; a file of another user has to be removed."""
        path = shlex.quote(name or str(self.path))
        return f"chmod go-w {path}" if self.is_ours else f"rm -r {path}"


def find_ownership_problem(path: Path, top: Path) -> OwnershipProblem | None:
    """Find the first path from `top` to `path`, both included, that another user owns or may write."""
    if os.name != "posix":
        return None
    path, top = Path(os.path.abspath(path)), Path(os.path.abspath(top))
    for place in _iterate_path(path, top):
        state = place.lstat()
        if found := _check_file(place, state):
            return found
        if stat.S_ISLNK(state.st_mode) and (found := _check_link_target(place)):
            return found
    return None


def require_own(path: Path, top: Path, label: str) -> None:
    """Refuse a file in the directory `top` that others could have changed; the label describes the directory."""
    found = find_ownership_problem(path, top)
    if found is None:
        return
    inside = found.path.is_relative_to(top)
    name = os.path.relpath(found.path, top) if inside else "what a link leads to"
    subject = label if name == "." else f"{name!r} in {label}" if inside else f"{name} in {label}"
    raise Failure(
        "UNSAFE_PERMISSIONS",
        f"{subject[:1].upper()}{subject[1:]} {found.reason}, so nothing of it is used.",
        hint=f"Run there: {found.format_repair_command(name)}"
        if inside
        else "Put a copy of it there instead of the link.",
    )


def require_own_root(directory: Path) -> None:
    """Refuse an unsafe data directory, which may not exist yet; the message shows its full path."""
    _require_own_path(directory, "directory", "Use one of your own: --data-dir DIR.")


def require_own_file(path: Path) -> None:
    """Refuse an unsafe file of settings or secrets in any directory; a file that does not exist passes."""
    _require_own_path(path, "file", "Use one of your own.")


def _require_own_path(path: Path, what: str, instead: str) -> None:
    try:
        found = find_ownership_problem(path, path)
    except (FileNotFoundError, NotADirectoryError):
        return
    if found is not None:
        command = f"Run: {found.format_repair_command()}" if found.is_ours else instead
        raise Failure("UNSAFE_PERMISSIONS", f"The {what} {found.path} {found.reason}, so it is not used.", hint=command)


def is_owned_by_us(state: os.stat_result) -> bool:
    """Whether a file belongs to us or to root."""
    return state.st_uid in (0, os.geteuid())


def _iterate_path(path: Path, top: Path) -> Iterator[Path]:
    yield top
    place = top
    for part in path.relative_to(top).parts:
        place /= part
        yield place


def _check_file(place: Path, state: os.stat_result, *, is_passed: bool = False) -> OwnershipProblem | None:
    """Check one path. In a directory on the way to a link target others may write if the sticky bit is set."""
    if not is_owned_by_us(state):
        return OwnershipProblem(place, f"belongs to another user (number {state.st_uid})", is_ours=False)
    if stat.S_ISLNK(state.st_mode) or (is_passed and state.st_mode & stat.S_ISVTX):
        return None
    others = state.st_mode & stat.S_IWOTH
    if others or (state.st_mode & stat.S_IWGRP and not _is_private_group(place, state)):
        mode = stat.S_IMODE(state.st_mode)
        return OwnershipProblem(place, f"can be changed by other users (mode {mode:04o})", is_ours=True)
    return None


def _check_link_target(link: Path) -> OwnershipProblem | None:
    """Check the target of a link and every directory on its real path."""
    real = Path(os.path.realpath(link))
    if found := _check_file(real, real.lstat()):
        return found
    passages = ((one, one.lstat()) for one in real.parents)
    return next((found for one, state in passages if (found := _check_file(one, state, is_passed=True))), None)


def _is_private_group(place: Path, state: os.stat_result) -> bool:
    """Whether only we have the rights that a file grants to its group; False if the members are unknown."""
    if not is_private_group(state.st_gid):
        return False
    try:
        os.getxattr(place, _ACCESS_LIST, follow_symlinks=False)
    except (OSError, AttributeError):
        return True
    return False  # with an ACL the group bits are its mask, and the ACL may name any user
