"""Indexing progress: a bar on a terminal, occasional plain lines in a log, or JSON lines."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from codecompass.contract.encoding import encode
from codecompass.model.call import Progress
from codecompass.surfaces.cli.output import format_bytes, print_note
from codecompass.surfaces.cli.views.terminal_text import escape

Report = Callable[[Progress], None]
BarFactory = Callable[[], AbstractContextManager[Report]]
PLAIN_EVERY_S = 3.0
JSON_EVERY_S = 0.25
_MIN_REPORTED_S = 1.0
BYTE_PHASES = ("download",)
"""Phases whose unit is bytes."""
UNITS = dict.fromkeys(("parse", "publish", "vectors", "export", "documents", "comments"), " files")
"""Units of the other phases, where the name does not imply one."""


@contextmanager
def open_reporter(*, as_json: bool, bar: BarFactory | None) -> Iterator[Report]:
    """Open the progress listener for stderr: JSON lines, plain lines or a bar."""
    if as_json:
        yield _throttle(JSON_EVERY_S, lambda event: print_note(encode(_shape_event(event)).decode()))
    elif bar is None:
        yield _throttle(PLAIN_EVERY_S, lambda event: print_note(_format_line(event)))
    else:
        with bar() as show:
            yield show


class PhaseClock:
    """Measures the wall time of a command, and when the index became searchable."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._phase = ""
        self._published: float | None = None

    def listen(self, report: Report) -> Report:
        """Wrap a listener: record when the publish phase ends and pass every event on."""

        def on_progress(event: Progress) -> None:
            if self._phase == "publish" and event.phase != "publish" and self._published is None:
                self._published = time.monotonic()
            self._phase = event.phase
            report(event)

        return on_progress

    def format_summary(self) -> str:
        """Format the seconds since the command started, and after how many the index was searchable."""
        now = time.monotonic()
        total = now - self._started
        late = now - self._published if self._published is not None else 0.0
        after = f" (searchable after {total - late:.1f} s)" if late >= _MIN_REPORTED_S else ""
        return f"{total:.1f} s{after}"


def _shape_event(event: Progress) -> dict[str, object]:
    fields = {"event": "progress", "phase": event.phase, "done": event.done, "total": event.total}
    return fields | ({"message": event.message} if event.message else {})


def _format_line(event: Progress) -> str:
    of = f" {event.done}/{event.total}{UNITS.get(event.phase, '')}" if event.total else ""
    if event.phase in BYTE_PHASES:
        of = f" {format_bytes(event.done)}" + (f" of {format_bytes(event.total)}" if event.total else "")
    return f"{escape(event.phase)}{of}{' ' + escape(event.message) if event.message else ''}"


def _throttle(seconds: float, emit: Report) -> Report:
    """Pass an event on when its phase is new, enough time has passed, or its work is complete."""
    last, last_time = Progress("", 0, 0), 0.0

    def report(event: Progress) -> None:
        nonlocal last, last_time
        now = time.monotonic()
        done = event.done == event.total > 0 and (event.phase, event.done) != (last.phase, last.done)
        if event.phase != last.phase or done or now - last_time >= seconds:
            last, last_time = event, now
            emit(event)

    return report
