"""Workspaces: a directory with its real path, its git repository if any, and the meaning of its refs."""

import os
from pathlib import Path
from typing import NamedTuple

from codecompass.errors import Failure
from codecompass.repo.git.repository import GitDir, find_git, read_head

MANIFEST_NAMES = frozenset(
    {
        "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "package.json", "deno.json", "Cargo.toml",
        "go.mod", "pom.xml", "build.gradle", "build.gradle.kts", "build.sbt", "CMakeLists.txt", "Makefile",
        "meson.build", "composer.json", "Gemfile", "mix.exs", "Package.swift", "pubspec.yaml", "stack.yaml",
        "dune-project", "build.zig", "MODULE.bazel", "WORKSPACE",
    }
)  # fmt: skip
"""Files whose presence marks a directory as a project."""
LIVE = "live"
"""The ref that always means the working tree with its uncommitted edits."""


class Workspace(NamedTuple):
    """One opened directory. Worktrees of one repository have the same project key and different worktree keys."""

    root: Path
    git: GitDir | None
    project_key: str
    worktree_key: str


def open_workspace(path: Path | str) -> Workspace:
    """Open the workspace at a path with links resolved; Failure when there is no directory that can be listed."""
    text = os.fspath(path)
    if not text or "\0" in text:
        raise Failure("INVALID_REQUEST", "a workspace must be the path of a directory")
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


def is_project_directory(root: Path, home: str) -> bool:
    """Whether a directory is one project: a git work tree or a directory with a manifest, but never the home
    directory or a file-system root, which may hold all files of a user.
    """
    real = os.path.realpath(root)
    if real == os.path.realpath(home or os.path.expanduser("~")) or os.path.dirname(real) == real:
        return False
    try:
        names = set(os.listdir(real))
    except OSError:
        return False
    return ".git" in names or find_git(Path(real)) is not None or not MANIFEST_NAMES.isdisjoint(names)


class TargetRef(NamedTuple):
    """A ref and its meaning, decided by one read of HEAD: a later switch of branches does not change it."""

    name: str
    is_live: bool
    """Whether it means the working tree. The name is then only a label."""


def resolve_target(workspace: Workspace, ref: str | None, default_ref: str | None = None) -> TargetRef:
    """Decide what a ref means. `live` and the checked-out branch are the working tree.

    Without a ref it is the checked-out branch, else the project's default, else the working tree.
    """
    if ref == LIVE:
        return TargetRef(LIVE, is_live=True)
    branch = read_head(workspace.git).branch if workspace.git else None
    name = ref if ref is not None else branch or default_ref or LIVE
    checked_out = (branch, f"refs/heads/{branch}") if branch is not None else ()
    return TargetRef(name, name == LIVE or name in checked_out)


def is_working_tree_ref(workspace: Workspace, ref: str) -> bool:
    """Whether a ref means the working tree at this moment."""
    return resolve_target(workspace, ref).is_live
