"""Output: the only module of the command line that writes to stdout and stderr."""

import os
import sys

from codecompass.contract.encoding import encode
from codecompass.errors import Failure
from codecompass.surfaces.cli.command_lines import for_shell
from codecompass.surfaces.cli.views.terminal_text import visible

SIZES = ("bytes", "KiB", "MiB", "GiB", "TiB")


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
        note(f"hint: {visible(for_shell(failure.advice))}")
    return failure.row.exit


def failure_payload(failure: Failure) -> dict[str, object]:
    """A failure for programs, in the fields that tools have."""
    shaped: dict[str, object] = {"ok": False, "code": failure.row.cleats, "message": failure.message}
    return shaped | ({"hint": failure.advice} if failure.advice else {})


def _violations(failure: Failure) -> list[str]:
    found = failure.details.get("violations")
    if not isinstance(found, list):
        return []
    return [f"{item['instancePath']}: {item['message']}".lstrip("/: ") for item in found]


def bytes_text(count: float) -> str:
    """A size as people say it."""
    for unit in SIZES:
        if abs(count) < 1024 or unit == SIZES[-1]:
            return f"{count:,.0f} {unit}" if unit == SIZES[0] else f"{count:,.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable: the last unit takes everything")


def give_up_stdout() -> None:
    """Whoever read our output is gone: let the interpreter's last flush go nowhere, quietly."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
