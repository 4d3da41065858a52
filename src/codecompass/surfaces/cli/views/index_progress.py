"""Progress of indexing: a bar on a terminal, a plain line now and then in a log, JSON lines for programs."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from codecompass.contract.encoding import encode
from codecompass.model.call import Progress
from codecompass.surfaces.cli.output import bytes_text, note
from codecompass.surfaces.cli.views.terminal_text import visible

Report = Callable[[Progress], None]
BarFactory = Callable[[], AbstractContextManager[Report]]
PLAIN_EVERY_S = 3.0
JSON_EVERY_S = 0.25
_WORTH_SAYING_S = 1.0
BYTES = ("download",)
"""Phases that count bytes."""
UNITS = dict.fromkeys(("parse", "publish", "vectors", "export", "documents", "comments"), " files")
"""What the others count, where that is not plain from their names."""


@contextmanager
def reporter(*, as_json: bool, bar: BarFactory | None) -> Iterator[Report]:
    """The listener that suits whoever reads stderr."""
    if as_json:
        yield _throttled(JSON_EVERY_S, lambda event: note(encode(_event(event)).decode()))
    elif bar is None:
        yield _throttled(PLAIN_EVERY_S, lambda event: note(_line(event)))
    else:
        with bar() as show:
            yield show


class PhaseClock:
    """Measures a command as its user's clock does, and when the index could first be searched."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._phase = ""
        self._published: float | None = None

    def listen(self, report: Report) -> Report:
        """A listener that takes the time of each phase and passes every report on."""

        def heard(event: Progress) -> None:
            if self._phase == "publish" and event.phase != "publish" and self._published is None:
                self._published = time.monotonic()
            self._phase = event.phase
            report(event)

        return heard

    def summary(self) -> str:
        """The seconds since the command began, and the share of what came after the index was published."""
        now = time.monotonic()
        total = now - self._started
        late = now - self._published if self._published is not None else 0.0
        after = f" (searchable after {total - late:.1f} s)" if late >= _WORTH_SAYING_S else ""
        return f"{total:.1f} s{after}"


def _event(event: Progress) -> dict[str, object]:
    fields = {"event": "progress", "phase": event.phase, "done": event.done, "total": event.total}
    return fields | ({"message": event.message} if event.message else {})


def _line(event: Progress) -> str:
    of = f" {event.done}/{event.total}{UNITS.get(event.phase, '')}" if event.total else ""
    if event.phase in BYTES:
        of = f" {bytes_text(event.done)}" + (f" of {bytes_text(event.total)}" if event.total else "")
    return f"{visible(event.phase)}{of}{' ' + visible(event.message) if event.message else ''}"


def _throttled(seconds: float, emit: Report) -> Report:
    """Lets a report through when its phase is new, enough time has passed, or all of its work is done."""
    last, last_time = Progress("", 0, 0), 0.0

    def report(event: Progress) -> None:
        nonlocal last, last_time
        now = time.monotonic()
        done = event.done == event.total > 0 and (event.phase, event.done) != (last.phase, last.done)
        if event.phase != last.phase or done or now - last_time >= seconds:
            last, last_time = event, now
            emit(event)

    return report
