"""Output directories: check where a tool call may write files.

A directory must be in the workspace or an allowed root, and no program may load its own files from there: a file that
a call writes must never be loaded or executed later. Hidden directories contain settings of programs and repositories;
the data directory contains files that this program loads.
"""

from pathlib import Path

from codecompass.confine import AllowedRoots, is_git_name, is_within
from codecompass.errors import Failure

PROGRAM_DIRECTORIES = (
    "node_modules",
    "site-packages",
    "dist-packages",
    "venv",
    "bin",
    "sbin",
    "Scripts",
    "LaunchAgents",
)
"""Directories that programs are started or loaded from."""


def check_destination(directory: Path, roots: tuple[Path, ...], data: Path, argument: str) -> Path:
    """Return the real path of a writable directory; `argument` is the argument that names it in messages."""
    found = AllowedRoots(roots).find(directory)
    if found is None:
        raise Failure("FORBIDDEN", f"{argument} lies outside the workspace and the allowed roots.")
    if is_within(found.path, data):
        raise Failure("FORBIDDEN", f"{argument} is inside the data directory, which a call may not write to.",
                      hint="Leave it out, or name a directory of the workspace.")  # fmt: skip
    if any(part.startswith(".") or is_git_name(part) or part in PROGRAM_DIRECTORIES for part in found.parts):
        raise Failure("FORBIDDEN", f"{argument} is in a directory that programs or repositories use themselves.",
                      hint="Name a directory that is not hidden and contains no programs.")  # fmt: skip
    if not found.path.is_dir():
        raise Failure("INVALID_REQUEST", f"{argument} must be in an existing directory.")
    return found.path
