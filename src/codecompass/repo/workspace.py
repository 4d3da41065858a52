"""A workspace is a directory someone works in: its real path, its repository if it has one, and what its refs mean."""

import os
from pathlib import Path
from typing import NamedTuple

from codecompass.errors import Failure
from codecompass.repo.gitdir import GitDir, find_git, head

LIVE = "live"
"""The ref that always means the working tree with its uncommitted edits."""


class Workspace(NamedTuple):
    """One opened directory. Worktrees of one repository have the same project key and different worktree keys."""

    root: Path
    git: GitDir | None
    project_key: str
    worktree_key: str


def open_workspace(path: Path | str) -> Workspace:
    """The workspace at a path, links resolved once and for all; Failure when there is no directory we can list."""
    text = os.fspath(path)
    if not text or "\0" in text:
        raise Failure("INVALID_REQUEST", "a workspace is named by the path of a directory")
    try:
        real = os.path.realpath(os.path.expanduser(text), strict=True)
        with os.scandir(real):
            pass
    except FileNotFoundError:
        raise Failure("INVALID_REQUEST", f"there is no directory {ascii(text)}") from None
    except NotADirectoryError:
        raise Failure("INVALID_REQUEST", f"{ascii(text)} is not a directory") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Failure("INVALID_REQUEST", f"{ascii(text)} cannot be read: {reason}") from None
    root = Path(real)
    git = find_git(root)
    shared = os.path.realpath(git.common_dir) if git else real
    return Workspace(root, git, shared, real)


def effective_ref(workspace: Workspace, default_ref: str | None) -> str:
    """The ref meant when none is named: the current branch, else the project's default, else the working tree."""
    branch = head(workspace.git).branch if workspace.git else None
    return branch or default_ref or LIVE


def is_working_tree_ref(workspace: Workspace, ref: str) -> bool:
    """Whether a ref is answered from the files here: `live`, or the branch that is checked out here."""
    if ref == LIVE:
        return True
    branch = head(workspace.git).branch if workspace.git else None
    return branch is not None and ref in (branch, f"refs/heads/{branch}")
