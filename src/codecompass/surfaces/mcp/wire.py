"""Wire: the two descriptors that carry the protocol, taken away from everybody else, and lines read from one of them.

Imports no SDK: it must run before anything else that could print.
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
    """Private duplicates of what stdin and stdout were."""

    input: int
    output: int


@dataclass(frozen=True, slots=True)
class TooLong:
    """Stands for a message that passed the cap; its bytes are gone and reading goes on after it."""


def claim_stdio() -> Wire:
    """Take the protocol's descriptors: from now on stdin is empty and stdout leads to stderr, for children too."""
    wire = Wire(_dup_above(0), _dup_above(1))
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    sys.stdout.flush()
    os.dup2(2, 1)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    return wire


def _leave(_number: int, _frame: object) -> NoReturn:
    """Until the server's own handlers stand, a signal ends the process as cleanly as they would."""
    raise SystemExit(0)


def _dup_above(number: int) -> int:
    """A duplicate that is not itself one of the three standard descriptors, and that children do not inherit."""
    held = []
    copy = os.dup(number)
    while copy <= 2:
        held.append(copy)
        copy = os.dup(number)
    for low in held:
        os.close(low)
    return copy


def read_lines(descriptor: int, cap: int = MAX_MESSAGE) -> Iterator[bytes | TooLong]:
    """Lines without their ends. A line over the cap is reported once and skipped; an unfinished last one is dropped.

    A byte order mark is tolerated before the first line only.
    """
    buffer = bytearray()
    searched, skipping, first = 0, False, True
    while chunk := read_some(descriptor):
        buffer += chunk
        while (end := buffer.find(b"\n", searched)) >= 0:
            # Through a view: slicing the buffer itself would copy a large line twice.
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


def read_some(descriptor: int) -> bytes:
    """What has arrived; nothing at the end of the input."""
    try:
        return os.read(descriptor, CHUNK)
    except OSError:
        # A terminal that hung up or a broken pipe reads like the end of the input.
        return b""
