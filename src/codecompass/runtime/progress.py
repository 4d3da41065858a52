"""Progress: throttle the events of a call to four per second; the latest report wins, none follows the answer.

A call may report at any rate from any thread. The throttle holds only the newest report. It is sent at once if the last
event is old enough, else when the interval has passed, and sends the last report just before the call's answer.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from codecompass.model.call import Progress
from codecompass.model.timestamp import utc_timestamp

INTERVAL_S = 0.25
MIN_INCREMENT = 1
"""Least increase of the progress value between two events: the protocol requires it to rise with every event."""


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """One progress event, the same for every surface."""

    tool: str
    message: str
    stream: str
    phase: str
    ts: str
    progress: int
    total: int | None


Listener = Callable[[ProgressEvent], None]
"""Called from any thread, but never concurrently; must be quick and must not raise."""

Timer = Callable[[float, Callable[[], None]], object]
"""Runs a function at a time of the monotonic clock."""


class ProgressThrottle:
    """Limits the rate of progress events from one call to its listener."""

    def __init__(self, tool: str, listen: Listener, timer: Timer) -> None:
        self._tool = tool
        self._listen = listen
        self._timer = timer
        # A listener that cancels the call re-enters this object.
        self._lock = threading.RLock()
        self._pending: Progress | None = None
        self._timed = False
        self._closed = False
        self._sent_at = float("-inf")
        self._phase = ""
        self._before = 0
        """Units of the finished phases, so that the value never falls when a new phase starts."""
        self._value = 0

    def report(self, progress: Progress) -> None:
        """Report the current progress."""
        with self._lock:
            if self._closed:
                return
            self._pending = progress
            now = time.monotonic()
            if now >= self._sent_at + INTERVAL_S:
                self._send(progress, now)
            elif not self._timed:
                self._timed = True
                self._timer(self._sent_at + INTERVAL_S, self._send_pending)

    def close(self, *, flush: bool) -> None:
        """Send no more events; with `flush` the last report is sent before."""
        with self._lock:
            if not self._closed and flush and self._pending is not None:
                self._send(self._pending, time.monotonic())
            self._closed = True

    def _send_pending(self) -> None:
        with self._lock:
            self._timed = False
            if self._closed or self._pending is None:
                return
            now = time.monotonic()
            if now >= self._sent_at + INTERVAL_S:
                self._send(self._pending, now)
            else:
                # A report just before this time was sent at once.
                self._timed = True
                self._timer(self._sent_at + INTERVAL_S, self._send_pending)

    def _send(self, progress: Progress, now: float) -> None:
        self._pending = None
        self._sent_at = now
        if progress.phase != self._phase:
            self._phase, self._before = progress.phase, self._value
        self._value = max(self._before + progress.done, self._value + MIN_INCREMENT)
        total = max(self._before + progress.total, self._value) if progress.total > 0 else None
        ts = utc_timestamp(timespec="milliseconds", zone="+00:00")
        message = progress.message or _format_message(progress)
        self._listen(ProgressEvent(self._tool, message, "info", progress.phase, ts, self._value, total))


def _format_message(progress: Progress) -> str:
    return f"{progress.phase}: {progress.done} of {progress.total}" if progress.total > 0 else progress.phase
