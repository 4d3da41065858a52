"""Standard streams: make them usable whatever the caller did with them. Imports nothing heavy."""

import os
import sys

MAX_QUESTION = 1_000_000
"""Characters read of a question; the tool says how many it takes."""


def ensure_standard_streams() -> None:
    """Open closed standard descriptors: the next opened file would get their number and be written to by mistake."""
    for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, flags)
            if null != number:
                os.dup2(null, number)
                os.close(null)
    sys.stdin = sys.stdin or open(0, closefd=False)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)
    sys.stderr = sys.stderr or open(2, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal cannot show is written as an escape and never raises an exception.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def read_question(text: str) -> str:
    """Return a question as it was given; `-` reads it from standard input, more than any tool takes."""
    return sys.stdin.read(MAX_QUESTION + 1).strip() if text == "-" else text


def discard_stdout() -> None:
    """Redirect stdout to the null device after its reader is gone, so that the interpreter's last flush cannot fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
