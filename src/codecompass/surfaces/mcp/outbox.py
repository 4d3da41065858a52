"""Output queue of a connection: bounded, with a thread that writes it.

A client may stop reading at any time. The server must then not block, and memory must not grow: progress is dropped
first, then new calls are refused (the session checks `size`). After that only calls that were accepted before, and
refusals, add to it: the former are few, and when the latter exceed the bound again, reading stops.
Answers are never dropped: a client that reads again gets each of them once.
"""

import os
import threading
from collections import deque
from collections.abc import Callable

MAX_WRITE_BYTES = 65_536
"""Queued messages are written together up to this many bytes."""
PROGRESS_SHARE = 16
"""Progress is dropped when the queue exceeds this fraction of the bound."""


def to_line(message: bytes) -> bytes:
    """Append the line end of newline-delimited JSON."""
    return message + b"\n"


class Outbox:
    """Accepts messages from any thread and writes them in order."""

    def __init__(
        self,
        descriptor: int,
        bound: int,
        on_broken: Callable[[], None],
        framing: Callable[[bytes], bytes] = to_line,
    ) -> None:
        self.bound = bound
        self._descriptor = descriptor
        self._on_broken = on_broken
        self._framing = framing
        self._changed = threading.Condition()
        self._messages: deque[bytes] = deque()
        self._size = 0
        self._extra = 0
        """Bytes added since the outbox became full, without those of calls."""
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="wire-out", daemon=True)
        self._thread.start()

    @property
    def size(self) -> int:
        """Number of queued bytes."""
        return self._size

    @property
    def is_full(self) -> bool:
        return self._size >= self.bound

    def send(self, message: bytes, *, of_call: bool = False) -> None:
        """Queue a message."""
        framed = self._framing(message)
        with self._changed:
            if not self._closed:
                if self.is_full and not of_call:
                    self._extra += len(framed)
                self._messages.append(framed)
                self._size += len(framed)
                self._changed.notify_all()

    def offer(self, message: bytes) -> None:
        """Queue a message that may be dropped; drop it if the reader is behind."""
        if self._size < self.bound // PROGRESS_SHARE:
            self.send(message)

    def wait_for_room(self) -> None:
        """Block the thread that reads requests while too many bytes are queued."""
        if self._extra >= self.bound:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._extra < self.bound)

    def close(self, seconds: float) -> None:
        """Write the queued messages, for at most this long, and close."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(seconds)

    def _run(self) -> None:
        while batch := self._take_batch():
            view = memoryview(batch)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                # The reader is gone: end quietly.
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

    def _take_batch(self) -> bytes:
        """Return messages for one write; empty when the outbox is closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._messages or self._closed)
            batch = bytearray()
            while self._messages and len(batch) < MAX_WRITE_BYTES:
                batch += self._messages.popleft()
        return bytes(batch)
