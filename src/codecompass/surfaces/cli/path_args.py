"""Path arguments: resolve a path on the command line to a path in the project.

Shell paths are relative to the current directory, project paths to its root; both are accepted.
"""

import os
from collections.abc import Mapping
from typing import Any

from codecompass.confine import AllowedRoots

PATH_TOOLS = frozenset({
    "get_file_outline", "find_references", "get_call_graph", "get_symbol_hierarchy", "inspect_symbol",
    "get_diagnostics", "find_risks", "diff_context", "explain_ranking", "show_file", "read_file",
})  # fmt: skip
"""Tools whose parameter `path` is a file or directory of the project."""


def list_candidate_paths(workspace: str, named: str) -> list[str]:
    """List the project paths that an argument may mean, likeliest first.

    A path that exists below the current directory is resolved from there, also when the root has the same path. A path
    that exists in neither place (another ref may have it) is tried from the root, then from the current directory.
    """
    root = os.path.realpath(workspace)
    here = _relative_to_root(root, os.path.join(os.getcwd(), named))
    if here is None or here == named:
        return [named]
    if os.path.lexists(os.path.join(root, here)):
        return [here]
    return [named] if os.path.lexists(os.path.join(root, named)) or os.path.isabs(named) else [named, here]


def resolve_path_arguments(workspace: str, tool: str, raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments of a call once for each candidate of its path."""
    path = raw.get("path")
    if tool not in PATH_TOOLS or not isinstance(path, str) or not path:
        return [dict(raw)]
    return [{**raw, "path": one} for one in list_candidate_paths(workspace, path)]


def _relative_to_root(root: str, path: str) -> str | None:
    """Return the path relative to the root, with '/'; None when it is outside. A final symlink is not resolved."""
    directory, name = os.path.split(os.path.normpath(path))
    found = AllowedRoots((root,)).find(directory)
    return "/".join((*found.parts, name)) if found is not None and name else None
