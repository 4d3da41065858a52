"""Placing: what a path on the command line means.

A shell's paths start at the current directory, a project's at its root; both are understood.
"""

import os
from collections.abc import Mapping
from typing import Any

PATH_TOOLS = frozenset({
    "get_file_outline", "find_references", "get_call_graph", "get_symbol_hierarchy", "inspect_symbol",
    "get_diagnostics", "find_risks", "diff_context", "explain_ranking", "show_file", "read_file",
})  # fmt: skip
"""Tools whose parameter `path` names a file or directory of the project."""


def possible_paths(workspace: str, named: str) -> list[str]:
    """What a path may mean in the project, the likeliest first.

    What exists below the current directory is meant from there, also when the root has the same. What exists in
    neither place (another ref may have it) is tried from the root, then from here.
    """
    root = os.path.realpath(workspace)
    here = _below(root, os.path.join(os.getcwd(), named))
    if here is None or here == named:
        return [named]
    if os.path.lexists(os.path.join(root, here)):
        return [here]
    return [named] if os.path.lexists(os.path.join(root, named)) or os.path.isabs(named) else [named, here]


def arguments_from_here(workspace: str, tool: str, raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The arguments of a call with each meaning that its path may have."""
    path = raw.get("path")
    if tool not in PATH_TOOLS or not isinstance(path, str) or not path:
        return [dict(raw)]
    return [{**raw, "path": one} for one in possible_paths(workspace, path)]


def _below(root: str, path: str) -> str | None:
    """The path from the root, with '/' between its parts; None when it lies elsewhere. A link keeps its own name."""
    whole = os.path.normpath(path)
    real = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
    relative = os.path.relpath(real, root)
    if relative in (os.curdir, os.pardir) or relative.startswith(os.pardir + os.sep):
        return None
    return relative.replace(os.sep, "/")
