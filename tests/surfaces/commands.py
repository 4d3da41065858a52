"""Commands: runs the program's `main` for each line of stdin (the words as JSON), and tells exit code and stdout."""

import json
import os
import sys
import tempfile

from codecompass.app import main


def run(words: list[str]) -> tuple[int, str]:
    """One command with its output in a file, as a shell would redirect it."""
    kept = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            code = main(words)
        finally:
            sys.stdout.flush()
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        return code, file.read().decode()


if __name__ == "__main__":
    told = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        told.write(json.dumps(run(json.loads(line))) + "\n")
        told.flush()
