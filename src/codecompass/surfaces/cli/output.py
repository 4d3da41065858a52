"""Output: the only module of the command line that writes to stdout and stderr."""

import os
import sys

from codecompass.contract.encoding import encode
from codecompass.errors import Failure
from codecompass.surfaces.cli.visible import visible


def write_body(body: bytes) -> None:
    """One line of JSON on stdout, as it was encoded."""
    sys.stdout.flush()
    sys.stdout.buffer.write(body + b"\n")
    sys.stdout.buffer.flush()


def write_json(value: object) -> None:
    """One value as a line of compact JSON on stdout."""
    write_body(encode(value))


def note(text: str) -> None:
    """One line for the person, on stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def say(text: str) -> None:
    """One line of plain output, on stdout."""
    sys.stdout.write(text + "\n")


def show_failure(failure: Failure) -> int:
    """`error:` and `hint:` on stderr; the exit code of the failure's row."""
    note(f"error: {visible(failure.message)}")
    for item in _violations(failure)[1:]:
        note(f"       {visible(item)}")
    if failure.advice:
        note(f"hint: {visible(failure.advice)}")
    return failure.row.exit


def _violations(failure: Failure) -> list[str]:
    found = failure.details.get("violations")
    if not isinstance(found, list):
        return []
    return [f"{item['instancePath']}: {item['message']}".lstrip("/: ") for item in found]


def give_up_stdout() -> None:
    """Whoever read our output is gone: let the interpreter's last flush go nowhere, quietly."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
