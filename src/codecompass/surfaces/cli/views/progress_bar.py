"""Progress bar: one line on stderr with phase, bar, count, rate and time left. Loaded only on a terminal."""

import locale
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from codecompass.model.call import Progress
from codecompass.surfaces.cli.views.index_progress import BYTE_PHASES, ProgressPrinter, format_count, get_title

REDRAW_S = 0.1
TICK_S = 0.5
"""Seconds after which the line is drawn again though nothing was reported, so that it is seen to be alive."""
MIN_WIDTH, MAX_BAR = 20, 40
MIN_BAR = 10
_MIN_RATE_S = 1.0
"""Seconds of a phase before its rate means anything."""
_ERASE_LINE = "\r\x1b[K"
UNICODE_CELLS, ASCII_CELLS = ("█", "░"), ("#", ".")


def format_bar(event: Progress, elapsed: float, rate: float, width: int, cells: tuple[str, str]) -> str:
    """Format one line no longer than the width; what does not fit is left out, the least important first."""
    title, count = get_title(event.phase), format_count(event)
    speed = f"{rate:,.0f}/s" if rate >= 1 and event.phase not in BYTE_PHASES else ""
    left = f"{_format_time((event.total - event.done) / rate)} left" if rate > 0 and event.total > event.done else ""
    left = left or _format_time(elapsed)
    for parts in ((title, count, speed, left), (title, count, left), (title, count), (title,)):
        text = "  ".join(part for part in parts if part)
        room = width - len(text) - 2
        if len(text) <= width:
            break
    if event.total and room >= MIN_BAR:
        size = min(room, MAX_BAR)
        full = min(size, size * event.done // event.total)
        text = title + "  " + cells[0] * full + cells[1] * (size - full) + text[len(title) :]
    return text[:width]


def _format_time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


class ProgressLine:
    """The line on the terminal. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._event = Progress("", 0, 0)
        self._began = self._first_done = self._drawn_at = 0.0
        self._done = threading.Event()
        # With the C locale Python writes UTF-8, but the terminal is not expected to show it.
        self._cells = UNICODE_CELLS if locale.getencoding().lower().startswith("utf") else ASCII_CELLS

    def report(self, event: Progress) -> None:
        now = time.monotonic()
        with self._lock:
            if event.phase != self._event.phase:
                self._began, self._first_done, self._drawn_at = now, event.done, 0.0
            self._event = event
            if now - self._drawn_at >= REDRAW_S:
                self._draw(now)

    def say(self, text: str) -> None:
        """Write a sentence that stays, above the line."""
        with self._lock:
            self._write(f"{_ERASE_LINE}{text}\n")

    def tick(self) -> None:
        """Draw the line from time to time until `close`."""
        while not self._done.wait(TICK_S):
            with self._lock:
                if self._event.phase and not self._done.is_set():
                    self._draw(time.monotonic())

    def close(self) -> None:
        """Remove the line."""
        with self._lock:
            self._done.set()
            self._write(_ERASE_LINE)

    def _draw(self, now: float) -> None:
        elapsed = now - self._began
        done = self._event.done - self._first_done
        rate = done / elapsed if elapsed >= _MIN_RATE_S else 0.0
        # One column stays free: some terminals wrap when the last one is written.
        line = format_bar(self._event, elapsed, rate, max(MIN_WIDTH, _get_width()) - 1, self._cells)
        self._drawn_at = now
        self._write(_ERASE_LINE + line)

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _get_width() -> int:
    try:
        return os.get_terminal_size(2).columns or 80
    except OSError:
        return 80


@contextmanager
def open_progress_bar() -> Iterator[ProgressPrinter]:
    """Open a line on stderr that shows progress; it is removed at the end."""
    line = ProgressLine()
    threading.Thread(target=line.tick, name="progress", daemon=True).start()
    try:
        yield ProgressPrinter(line.report, line.say)
    finally:
        line.close()
