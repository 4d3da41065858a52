"""Console script: run app.main and end the process with its exit code."""

import os
import sys


def remove_current_directory_from_path() -> None:
    """Remove the current directory, which `python -m` adds, from the import path: a workspace must not add modules."""
    here = os.path.realpath(os.getcwd())
    ours = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if not sys.flags.safe_path and sys.path and here != ours and os.path.realpath(sys.path[0] or here) == here:
        del sys.path[0]


if __name__ == "__main__":
    remove_current_directory_from_path()  # before anything else is imported

from contextlib import suppress  # noqa: E402

from codecompass.app import main as run  # noqa: E402


def main() -> None:
    """Entry point of `codecompass` and of `python -m codecompass`."""
    code = run(sys.argv[1:])
    with suppress(OSError):
        sys.stdout.flush()
    # A thread that still waits on a pipe or a query must not delay the exit.
    os._exit(code)


if __name__ == "__main__":
    main()
