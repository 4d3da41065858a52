"""The console script: runs app.main and ends the process with its exit code."""

import os
import sys
from contextlib import suppress

from codecompass.app import main as run


def main() -> None:
    """Entry point of `codecompass` and of `python -m codecompass`."""
    code = run(sys.argv[1:])
    with suppress(OSError):
        sys.stdout.flush()
    # Whatever thread still waits on a pipe or a query must not hold the process back.
    os._exit(code)


if __name__ == "__main__":
    main()
