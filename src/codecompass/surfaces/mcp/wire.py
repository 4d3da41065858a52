"""Wire: private duplicates of stdin and stdout for the protocol, and a reader of lines.

It does not import the SDK: it must run before anything that could print.
"""

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

MAX_MESSAGE = 8 * 1024 * 1024
CHUNK = 65_536
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Wire:
    """Private duplicates of the original stdin and stdout."""

    input: int
    output: int


@dataclass(frozen=True, slots=True)
class TooLong:
    """Marks a message over the size limit; its bytes are skipped and reading continues after it."""


def claim_stdio() -> Wire:
    """Take over stdin and stdout: from now on stdin is empty and stdout goes to stderr, also for child processes."""
    wire = Wire(_dup_above(0), _dup_above(1))
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    sys.stdout.flush()
    os.dup2(2, 1)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _exit_on_signal)
    return wire


def _exit_on_signal(_number: int, _frame: object) -> NoReturn:
    """Exit cleanly on a signal that arrives before the server's own handlers are installed."""
    raise SystemExit(0)


def _dup_above(number: int) -> int:
    """Duplicate a descriptor to a number above the standard three; child processes do not inherit it."""
    held = []
    copy = os.dup(number)
    while copy <= 2:
        held.append(copy)
        copy = os.dup(number)
    for low in held:
        os.close(low)
    return copy


def read_lines(descriptor: int, cap: int = MAX_MESSAGE) -> Iterator[bytes | TooLong]:
    """Yield lines without their ends. A line over the cap is reported once and skipped; an unfinished one is dropped.

    A byte order mark is accepted only before the first line.
    """
    buffer = bytearray()
    searched, skipping, first = 0, False, True
    while chunk := read_chunk(descriptor):
        buffer += chunk
        while (end := buffer.find(b"\n", searched)) >= 0:
            # A memoryview avoids copying a large line twice.
            with memoryview(buffer) as view:
                line = bytes(view[:end])
            del buffer[: end + 1]
            searched = 0
            if skipping:
                skipping = False
                continue
            yield TooLong() if len(line) > cap else (line.removeprefix(BOM) if first else line)
            first = False
        searched = len(buffer)
        if searched > cap:
            if not skipping:
                yield TooLong()
                first = False
            skipping = True
            buffer.clear()
            searched = 0


def read_chunk(descriptor: int) -> bytes:
    """Read the available bytes; empty at the end of the input."""
    try:
        return os.read(descriptor, CHUNK)
    except OSError:
        # A closed terminal or a broken pipe counts as the end of the input.
        return b""
