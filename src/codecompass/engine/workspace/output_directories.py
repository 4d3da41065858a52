"""Output directories: check where a tool call may write files.

A directory must be in the workspace or an allowed root, and no program may load its own files from there: a file that
a call writes must never be loaded or executed later. Hidden directories contain settings of programs and repositories;
the data directory contains files that this program loads.
"""

import os
from pathlib import Path

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
    real = Path(os.path.realpath(directory))
    root = next((one for one in map(os.path.realpath, roots) if real.is_relative_to(one)), None)
    if root is None:
        raise Failure("FORBIDDEN", f"{argument} lies outside the workspace and the allowed roots.")
    if real.is_relative_to(os.path.realpath(data)):
        raise Failure("FORBIDDEN", f"{argument} is inside the data directory, which a call may not write to.",
                      hint="Leave it out, or name a directory of the workspace.")  # fmt: skip
    inner = real.relative_to(root).parts
    if any(part.startswith(".") or part in PROGRAM_DIRECTORIES for part in inner):
        raise Failure("FORBIDDEN", f"{argument} is in a directory that programs or repositories use themselves.",
                      hint="Name a directory that is not hidden and contains no programs.")  # fmt: skip
    if not real.is_dir():
        raise Failure("INVALID_REQUEST", f"{argument} must be in an existing directory.")
    return real
