"""File ownership: check that only this user and root can have written, or can change, a file.

Files that are loaded, and files that decide what is loaded, must be in places where no other user can write. The check
covers the file, every directory between it and a given top directory, and the targets of symbolic links among them.
"""

import grp
import os
import pwd
import shlex
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codecompass.errors import Failure

_ACCESS_LIST = "system.posix_acl_access"


@dataclass(frozen=True, slots=True)
class Weakness:
    """Reason why a file cannot be trusted."""

    path: Path
    """The file or directory with the wrong owner or mode."""
    reason: str
    owned: bool
    """Whether it belongs to us, so that we can remove the write permission of others."""

    def command(self, name: str = "") -> str:
        """Return the shell command that repairs it; a file of another user has to be removed."""
        path = shlex.quote(name or str(self.path))
        return f"chmod go-w {path}" if self.owned else f"rm -r {path}"


def find_weakness(path: Path, top: Path) -> Weakness | None:
    """Find the first path from `top` to `path`, both included, that another user owns or may write."""
    if os.name != "posix":
        return None
    path, top = Path(os.path.abspath(path)), Path(os.path.abspath(top))
    for place in _between(path, top):
        state = place.lstat()
        if found := _judge(place, state):
            return found
        if stat.S_ISLNK(state.st_mode) and (found := _judge_target(place)):
            return found
    return None


def require_own(path: Path, top: Path, called: str) -> None:
    """Refuse a file in the directory `top` that others could have changed; the label describes the directory."""
    found = find_weakness(path, top)
    if found is None:
        return
    inside = found.path.is_relative_to(top)
    name = os.path.relpath(found.path, top) if inside else "what a link leads to"
    subject = called if name == "." else f"{name!r} in {called}" if inside else f"{name} in {called}"
    raise Failure(
        "UNSAFE_PERMISSIONS",
        f"{subject[:1].upper()}{subject[1:]} {found.reason}, so nothing of it is used.",
        hint=f"Run there: {found.command(name)}" if inside else "Put a copy of it there instead of the link.",
    )


def require_own_root(directory: Path) -> None:
    """Refuse an unsafe data directory, which may not exist yet; the message shows its full path."""
    _require_whole(directory, "directory", "Use one of your own: --data-dir DIR.")


def require_own_file(path: Path) -> None:
    """Refuse an unsafe file of settings or secrets in any directory; a file that does not exist passes."""
    _require_whole(path, "file", "Use one of your own.")


def _require_whole(path: Path, what: str, instead: str) -> None:
    try:
        found = find_weakness(path, path)
    except (FileNotFoundError, NotADirectoryError):
        return
    if found is not None:
        command = f"Run: {found.command()}" if found.owned else instead
        raise Failure("UNSAFE_PERMISSIONS", f"The {what} {found.path} {found.reason}, so it is not used.", hint=command)


def is_own(state: os.stat_result) -> bool:
    """Whether a file belongs to us or to root."""
    return state.st_uid in (0, os.geteuid())


def _between(path: Path, top: Path) -> Iterator[Path]:
    yield top
    place = top
    for part in path.relative_to(top).parts:
        place /= part
        yield place


def _judge(place: Path, state: os.stat_result, *, passage: bool = False) -> Weakness | None:
    """Check one path. In a directory on the way to a link target others may write if the sticky bit is set."""
    if not is_own(state):
        return Weakness(place, f"belongs to another user (number {state.st_uid})", owned=False)
    if stat.S_ISLNK(state.st_mode) or (passage and state.st_mode & stat.S_ISVTX):
        return None
    others = state.st_mode & stat.S_IWOTH
    if others or (state.st_mode & stat.S_IWGRP and not _is_private_group(place, state)):
        mode = stat.S_IMODE(state.st_mode)
        return Weakness(place, f"can be changed by other users (mode {mode:04o})", owned=True)
    return None


def _judge_target(link: Path) -> Weakness | None:
    """Check the target of a link and every directory on its real path."""
    real = Path(os.path.realpath(link))
    if found := _judge(real, real.lstat()):
        return found
    passages = ((one, one.lstat()) for one in real.parents)
    return next((found for one, state in passages if (found := _judge(one, state, passage=True))), None)


def _is_private_group(place: Path, state: os.stat_result) -> bool:
    """Whether we are the only member of a group: many systems create a group with the name of each user."""
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(state.st_gid)
    except KeyError:
        return False
    if group.gr_gid != user.pw_gid or group.gr_name != user.pw_name or set(group.gr_mem) - {user.pw_name}:
        return False
    try:
        os.getxattr(place, _ACCESS_LIST, follow_symlinks=False)
    except (OSError, AttributeError):
        return True
    return False  # with an ACL the group bits are its mask, and the ACL may name any user
