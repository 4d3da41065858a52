"""Destinations: directories that a tool call may have something written into.

They lie in the workspace or an allowed root, and where no program looks for its own files: whatever a call can place
must never be something that is loaded or run later. Hidden directories hold the settings of programs and repositories,
the data directory holds what we load ourselves.
"""

import os
from pathlib import Path

from codecompass.errors import Failure

PROGRAMS = ("node_modules", "site-packages", "dist-packages", "venv", "bin", "sbin", "Scripts", "LaunchAgents")
"""Directories that programs are started or loaded from."""


def check_destination(directory: Path, roots: tuple[Path, ...], data: Path, called: str) -> Path:
    """The real path of a directory that may be written into; `called` is the argument that names it."""
    real = Path(os.path.realpath(directory))
    root = next((one for one in map(os.path.realpath, roots) if real.is_relative_to(one)), None)
    if root is None:
        raise Failure("FORBIDDEN", f"{called} lies outside the workspace and the allowed roots.")
    if real.is_relative_to(os.path.realpath(data)):
        raise Failure("FORBIDDEN", f"{called} lies in the data directory, where calls choose no places.",
                      hint="Leave it out, or name a directory of the workspace.")  # fmt: skip
    inner = real.relative_to(root).parts
    if any(part.startswith(".") or part in PROGRAMS for part in inner):
        raise Failure("FORBIDDEN", f"{called} lies where programs or repositories keep their own files.",
                      hint="Name a directory that is not hidden and holds no programs.")  # fmt: skip
    if not real.is_dir():
        raise Failure("INVALID_REQUEST", f"{called} must lie in a directory that exists.")
    return real
