"""Outbox: what waits to be written, bounded, and the thread that writes it.

A client may stop reading at any time. Nothing of ours may then block, and memory may not grow: progress is left out
first, then new calls are refused (the session looks at `size`). From there on only calls that were taken before, and
refusals and the like, add to it: the former are few, and when the latter pass the bound again nothing more is read.
Answers are never dropped: whoever reads again gets each of them once.
"""

import os
import threading
from collections import deque
from collections.abc import Callable

BATCH = 65_536
"""Messages that wait are written together up to this many bytes."""
PROGRESS_SHARE = 16
"""Progress is left out from this part of the bound on."""


def as_line(message: bytes) -> bytes:
    """A message as newline-delimited JSON has it."""
    return message + b"\n"


class Outbox:
    """Takes messages from any thread and writes them in that order."""

    def __init__(
        self,
        descriptor: int,
        bound: int,
        on_broken: Callable[[], None],
        framing: Callable[[bytes], bytes] = as_line,
    ) -> None:
        self.bound = bound
        self._descriptor = descriptor
        self._on_broken = on_broken
        self._framing = framing
        self._changed = threading.Condition()
        self._messages: deque[bytes] = deque()
        self._size = 0
        self._extra = 0
        """Bytes that came since the outbox is full, those of calls left out."""
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="wire-out", daemon=True)
        self._thread.start()

    @property
    def size(self) -> int:
        """Bytes that wait."""
        return self._size

    @property
    def is_full(self) -> bool:
        return self._size >= self.bound

    def send(self, message: bytes, *, of_call: bool = False) -> None:
        """Write this when its turn comes."""
        framed = self._framing(message)
        with self._changed:
            if not self._closed:
                if self.is_full and not of_call:
                    self._extra += len(framed)
                self._messages.append(framed)
                self._size += len(framed)
                self._changed.notify_all()

    def offer(self, message: bytes) -> None:
        """Write this, unless the reader is behind: for what may be missed."""
        if self._size < self.bound // PROGRESS_SHARE:
            self.send(message)

    def wait_for_room(self) -> None:
        """Block whoever reads requests while too much waits that each further request would add to."""
        if self._extra >= self.bound:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._extra < self.bound)

    def close(self, seconds: float) -> None:
        """Let what waits go out, but not for longer than this."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(seconds)

    def _run(self) -> None:
        while batch := self._next():
            view = memoryview(batch)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                # Nobody reads any more: end quietly.
                with self._changed:
                    self._closed = True
                    self._changed.notify_all()
                self._on_broken()
                return
            with self._changed:
                self._size -= len(batch)
                if not self.is_full:
                    self._extra = 0
                self._changed.notify_all()

    def _next(self) -> bytes:
        """Messages for one write; nothing when the outbox is closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._messages or self._closed)
            batch = bytearray()
            while self._messages and len(batch) < BATCH:
                batch += self._messages.popleft()
        return bytes(batch)
