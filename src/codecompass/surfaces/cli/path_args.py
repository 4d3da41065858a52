"""Path arguments: resolve a path on the command line to a path in the project.

Shell paths are relative to the current directory, project paths to its root; both are accepted.
"""

import os
import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codecompass.confine import AllowedRoots
from codecompass.errors import Failure
from codecompass.model.path_text import display_path, parse_displayed_path

PATH_TOOLS = frozenset({
    "get_file_outline", "find_references", "get_call_graph", "get_symbol_hierarchy", "inspect_symbol",
    "get_diagnostics", "find_risks", "diff_context", "explain_ranking", "show_file", "read_file",
})  # fmt: skip
"""Tools whose parameter `path` is a file or directory of the project."""

PATH_KEYS = frozenset({"path", "file", "file_path"})
"""Fields of payloads that hold a path of the project."""


def find_project_root(path: str | None) -> str:
    """Return the real path of the named directory; without a name, that of the repository around the current one."""
    if path is not None:
        if not os.path.isdir(path):
            raise Failure("INVALID_REQUEST", f"Not a directory: {path}", hint="Name the root of a project.")
        return os.path.realpath(path)
    try:
        here = Path.cwd().resolve()
    except FileNotFoundError:
        raise Failure("FILE_NOT_FOUND", "The current directory no longer exists.", hint="Run 'cd' first.") from None
    for directory in (here, *here.parents):
        if (directory / ".git").exists() or (directory / ".codecompass").is_dir():
            return str(directory)
    return str(here)


def list_candidate_paths(workspace: str, named: str) -> list[str]:
    """List the project paths that an argument may mean, likeliest first.

    A path that exists below the current directory is resolved from there, also when the root has the same path. A path
    that exists in neither place (another ref may have it) is tried from the root, then from the current directory.
    """
    root, named = os.path.realpath(workspace), parse_displayed_path(named)
    here = _relative_to_root(root, os.path.join(os.getcwd(), named))
    if here is None or here == named:
        return [named]
    if os.path.lexists(os.path.join(root, here)):
        return [here]
    if os.path.isabs(named):
        return [here]
    return [named] if os.path.lexists(os.path.join(root, named)) else [named, here]


def resolve_path_arguments(workspace: str, tool: str, raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments of a call once for each candidate of its path; bytes that are not UTF-8 are escaped."""
    path, escaped = raw.get("path"), escape_bytes(dict(raw))
    if tool not in PATH_TOOLS or not isinstance(path, str) or not path:
        return [escaped]
    return [{**escaped, "path": display_path(one)} for one in list_candidate_paths(workspace, path)]


def escape_bytes(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return arguments of the shell, which may hold bytes that are not UTF-8, as text that JSON can hold."""
    if isinstance(value, dict):
        return {key: escape_bytes(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [escape_bytes(part) for part in value]
    return display_path(value) if isinstance(value, str) else value


class ShellPaths:
    """Writes project paths as the shell would: relative to the current directory, or absolute outside the project."""

    def __init__(self, workspace: str) -> None:
        self._root = os.path.realpath(workspace)
        below = AllowedRoots((self._root,)).find(os.getcwd())
        self._here = below.relative if below is not None else None

    def show(self, path: str) -> str:
        """Return a project path as it is written here."""
        if not path or self._here == "":
            return path
        return os.path.join(self._root, path) if self._here is None else posixpath.relpath(path, self._here)

    def anchor_glob(self, glob: str) -> str:
        """Return a glob with a slash, which is relative to the current directory, as one from the root."""
        sign, text = ("!", glob[1:]) if glob.startswith("!") else ("", glob)
        if "/" not in text.rstrip("/") or not self._here:
            return glob
        return f"{sign}{self._here}/{text.lstrip('/')}"

    def relocate(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Return a payload with every path of the project as it is written here."""
        if isinstance(value, dict):
            return {
                key: self.show(part) if key in PATH_KEYS and isinstance(part, str) else self.relocate(part)
                for key, part in value.items()
            }
        return [self.relocate(part) for part in value] if isinstance(value, list) else value


def _relative_to_root(root: str, path: str) -> str | None:
    """Return the path relative to the root, with '/'; None when it is outside. A final symlink is not resolved."""
    directory, name = os.path.split(os.path.normpath(path))
    found = AllowedRoots((root,)).find(directory)
    return "/".join((*found.parts, name)) if found is not None and name else None
