"""Output of the command line: the only module there that writes to stdout and stderr."""

import sys

from codecompass.contract.encoding import encode
from codecompass.errors import Failure
from codecompass.surfaces.cli.command_lines import to_shell_text
from codecompass.surfaces.cli.usage_errors import correct_command, list_near
from codecompass.surfaces.cli.views.terminal_text import escape, escape_json

MAX_MESSAGE = 600
SIZE_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def write_body(body: bytes) -> None:
    """Write encoded JSON as one line to stdout."""
    sys.stdout.flush()
    if sys.stdout.isatty():
        body = escape_json(body.decode()).encode()
    sys.stdout.buffer.write(body + b"\n")
    sys.stdout.buffer.flush()


def write_json(value: object) -> None:
    """Write a value as one line of compact JSON to stdout."""
    write_body(encode(value))


def print_note(text: str) -> None:
    """Write one line to stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def ask(question: str) -> bool:
    """Ask a yes-or-no question on stderr; an empty line means yes, the end of stdin means no."""
    try:
        sys.stderr.write(question)
        sys.stderr.flush()
        answer = sys.stdin.readline()
    except KeyboardInterrupt:
        print_note("")
        raise
    if not answer.endswith("\n"):
        print_note("")
    return answer.strip().lower() in ("y", "yes") or answer.strip() == "" != answer


def print_line(text: str) -> None:
    """Write one line to stdout."""
    sys.stdout.write(text + "\n")


def show_failure(failure: Failure) -> int:
    """Write `error:` and `hint:` to stderr; return the exit code of the failure."""
    near = list_near(failure)
    meant = f" Did you mean {' or '.join(repr(one) for one in near[:2])}?" if near else ""
    print_note(f"error: {escape(_shorten(failure.message) + meant)}")
    for item in _list_violations(failure)[1:]:
        print_note(f"       {escape(item)}")
    corrected = correct_command(sys.argv[1:], failure)
    if corrected is not None:
        print_note(f"hint: {escape(corrected)}")
    elif failure.effective_hint:
        print_note(f"hint: {escape(to_shell_text(failure.effective_hint))}")
    return failure.error_code.exit


def _shorten(message: str) -> str:
    """Return a message without the middle of an argument that is too long to be read."""
    return message if len(message) <= MAX_MESSAGE else f"{message[: MAX_MESSAGE // 2]}…{message[-MAX_MESSAGE // 4 :]}"


def shape_failure(failure: Failure) -> dict[str, object]:
    """Shape a failure for JSON output, with the fields of tool failures."""
    shaped: dict[str, object] = {"ok": False, "code": failure.error_code.cleats, "message": failure.message}
    return shaped | ({"hint": failure.effective_hint} if failure.effective_hint else {})


def _list_violations(failure: Failure) -> list[str]:
    found = failure.details.get("violations")
    if not isinstance(found, list):
        return []
    return [f"{item['instancePath']}: {item['message']}".lstrip("/: ") for item in found]


def format_bytes(count: float) -> str:
    """Format a size with a binary unit."""
    for unit in SIZE_UNITS:
        if abs(count) < 1024 or unit == SIZE_UNITS[-1]:
            return f"{count:,.0f} {unit}" if unit == SIZE_UNITS[0] else f"{count:,.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable: the last unit takes everything")


def format_moment(timestamp: str) -> str:
    """Format a moment for people: `2026-03-01 12:30 UTC` for a timestamp in UTC, other text as it is."""
    day, sign, clock = timestamp.partition("T")
    return f"{day} {clock[:5]} UTC" if sign and clock.endswith("Z") else timestamp
