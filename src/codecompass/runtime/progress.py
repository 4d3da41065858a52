"""Progress: at most four events a second for one call, the latest wins, and none after the answer.

Work reports as often as it likes from any thread. The gate keeps only the newest report; it leaves at once when the
last one is old enough, else when its turn comes, and whatever is left is sent just before a call's answer.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from codecompass.model.call import Progress

INTERVAL_S = 0.25
STEP = 1
"""How far the number moves when only the words did: the protocol wants it to rise with every event, and people want
whole numbers."""


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """One event as every surface words it."""

    tool: str
    message: str
    stream: str
    phase: str
    ts: str
    progress: int
    total: int | None


Listener = Callable[[ProgressEvent], None]
"""Called from any thread, one call at a time; must be quick and must not raise."""

Timer = Callable[[float, Callable[[], None]], object]
"""Runs something at a moment of the monotonic clock."""


class ProgressGate:
    """Stands between the work of one call and whoever listens to it."""

    def __init__(self, tool: str, listen: Listener, timer: Timer) -> None:
        self._tool = tool
        self._listen = listen
        self._timer = timer
        # A listener that gives the call up comes back here from within.
        self._lock = threading.RLock()
        self._waiting: Progress | None = None
        self._timed = False
        self._closed = False
        self._sent_at = float("-inf")
        self._phase = ""
        self._before = 0
        """Units of the phases that are over, so that the number never falls when a new one starts."""
        self._value = 0

    def report(self, progress: Progress) -> None:
        """Take note of how far the work is."""
        with self._lock:
            if self._closed:
                return
            self._waiting = progress
            now = time.monotonic()
            if now >= self._sent_at + INTERVAL_S:
                self._send(progress, now)
            elif not self._timed:
                self._timed = True
                self._timer(self._sent_at + INTERVAL_S, self._turn)

    def close(self, *, flush: bool) -> None:
        """Silence from here on; with `flush` the last report is heard before."""
        with self._lock:
            if not self._closed and flush and self._waiting is not None:
                self._send(self._waiting, time.monotonic())
            self._closed = True

    def _turn(self) -> None:
        with self._lock:
            self._timed = False
            if self._closed or self._waiting is None:
                return
            now = time.monotonic()
            if now >= self._sent_at + INTERVAL_S:
                self._send(self._waiting, now)
            else:
                # A report that came just before this moment was sent at once.
                self._timed = True
                self._timer(self._sent_at + INTERVAL_S, self._turn)

    def _send(self, progress: Progress, now: float) -> None:
        self._waiting = None
        self._sent_at = now
        if progress.phase != self._phase:
            self._phase, self._before = progress.phase, self._value
        self._value = max(self._before + progress.done, self._value + STEP)
        total = max(self._before + progress.total, self._value) if progress.total > 0 else None
        ts = datetime.now(UTC).isoformat(timespec="milliseconds")
        message = progress.message or _words(progress)
        self._listen(ProgressEvent(self._tool, message, "info", progress.phase, ts, self._value, total))


def _words(progress: Progress) -> str:
    return f"{progress.phase}: {progress.done} of {progress.total}" if progress.total > 0 else progress.phase
